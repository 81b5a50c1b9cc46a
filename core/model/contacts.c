#include "core/model/contacts.h"

#include <stdio.h>

void mb_solid_where(const MbSolid *solid, const char *key, char *where, size_t size) {
  if (solid->among)
    snprintf(where, size, "/bodies/%zu/shape/%zu%s", solid->listed, solid->shape, key);
  else
    snprintf(where, size, "/bodies/%zu/shape%s", solid->listed, key);
}
