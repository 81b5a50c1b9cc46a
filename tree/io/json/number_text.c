#include "io/json/number_text.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *mb_number_text(double x, char text[MB_NUMBER_TEXT]) {
  if (!isfinite(x)) return strcpy(text, isnan(x) ? "nan" : x > 0 ? "inf" : "-inf");
  // fifteen digits are as short as it gets, since %g drops zeros at the end; only subnormal numbers may need
  // fewer
  int digits = fabs(x) < DBL_MIN ? 1 : DBL_DIG;
  do snprintf(text, MB_NUMBER_TEXT, "%.*g", digits, x);
  while (digits++ < DBL_DECIMAL_DIG && strtod(text, NULL) != x);
  char *comma = strchr(text, ',');
  if (comma) *comma = '.';
  return text;
}
