// What the entries of lists are called.
#include "io/compare/compare.h"

#include <string.h>

const char *mb_entry_name(const MbList *list, const double *key, size_t nkeys, size_t place, char *text,
                          size_t size) {
  size_t n = 0;
  if (!nkeys) snprintf(text, size, "%zu", place);
  for (size_t k = 0; k < nkeys && n < size; k++) {
    const MbField *f = &list->fields[k];
    const char *between = k ? ", " : "";
    if (f->words && key[k] >= 0 && key[k] < (double)f->nwords)
      snprintf(text + n, size - n, "%s%s", between, f->words[(size_t)key[k]]);
    else
      snprintf(text + n, size - n, "%s%.17g", between, key[k]);
    n += strlen(text + n);
  }
  return text;
}
