#include "io/export/column_unit.h"

#include <string.h>

static size_t count_units(const char *units) {
  size_t n = *units != 0;
  for (; *units; units++) n += *units == ',';
  return n;
}

// "m, rad" becomes "m or rad" where nobody knows which it is.
void mb_column_unit(MbText *unit, const MbChannel *channel, size_t column) {
  const char *p = channel->unit ? channel->unit : "";
  const size_t n = count_units(p), k = column % channel->width;
  size_t first = 0, end = n;
  if (n && channel->width % n == 0) first = k / (channel->width / n), end = first + 1;
  if (n > channel->width && n % channel->width == 0)
    first = k * (n / channel->width), end = first + n / channel->width;
  mb_text_add(unit, ""); // an empty unit is a text too
  for (size_t i = 0; i < end; i++) {
    const size_t length = strcspn(p, ",");
    if (i > first) mb_text_add(unit, " or ");
    if (i >= first) mb_text_add_n(unit, p, length);
    p += length;
    p += strspn(p, ", ");
  }
}
