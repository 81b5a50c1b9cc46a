#include "io/models/rig_names.h"
#include "core/base/alloc.h"

#include <stdint.h>
#include <string.h>

// FNV-1a
static size_t hash(const char *name) {
  uint64_t h = 14695981039346656037u;
  for (const unsigned char *at = (const unsigned char *)name; *at; at++) h = (h ^ *at) * 1099511628211u;
  return (size_t)(h ^ h >> 32);
}

// Where the name stands, or would.
static MbRigName *slot_of(const MbRigNames *names, const char *name) {
  size_t i = hash(name) & (names->room - 1);
  while (names->slot[i].name && strcmp(names->slot[i].name, name) != 0) i = (i + 1) & (names->room - 1);
  return &names->slot[i];
}

static bool grow(MbRigNames *names) {
  const MbRigNames before = *names;
  names->room = before.room ? 2 * before.room : 64;
  names->slot = mb_calloc(names->room, sizeof *names->slot);
  if (!names->slot) {
    *names = before;
    return false;
  }
  for (size_t i = 0; i < before.room; i++)
    if (before.slot[i].name) *slot_of(names, before.slot[i].name) = before.slot[i];
  mb_free(before.slot);
  return true;
}

bool mb_rig_names_put(MbRigNames *names, const char *name, size_t value, size_t *before) {
  *before = MB_RIG_NO_NAME;
  if (2 * (names->n + 1) > names->room && !grow(names)) return false;
  MbRigName *slot = slot_of(names, name);
  if (slot->name) {
    *before = slot->value;
    return true;
  }
  *slot = (MbRigName){name, value};
  names->n++;
  return true;
}

size_t mb_rig_names_find(const MbRigNames *names, const char *name) {
  if (!names->n) return MB_RIG_NO_NAME;
  const MbRigName *slot = slot_of(names, name);
  return slot->name ? slot->value : MB_RIG_NO_NAME;
}

void mb_rig_names_free(MbRigNames *names) {
  mb_free(names->slot);
  *names = (MbRigNames){0};
}
