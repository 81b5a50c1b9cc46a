#include "io/schema_names.h"
#include "core/base/alloc.h"

#include <string.h>

static size_t place(const char **slot, size_t size, const char *name) {
  uint64_t hash = 1469598103934665603u;
  for (const char *c = name; *c; c++) hash = (hash ^ (unsigned char)*c) * 1099511628211u;
  size_t i = (size_t)(hash ^ hash >> 32) & (size - 1);
  while (slot[i] && strcmp(slot[i], name)) i = (i + 1) & (size - 1);
  return i;
}

bool mb_schema_names_has(const MbSchemaNames *n, const char *name) {
  return n->size && n->slot[place(n->slot, n->size, name)];
}

// Twice the slots, so that at most half of them are taken.
static bool grow(MbSchemaNames *n) {
  const size_t size = n->size ? n->size * 2 : 64;
  const char **const list = mb_realloc(n->list, size / 2 + 1, sizeof *list);
  if (!list) return false;
  n->list = list;
  list[n->count] = NULL;
  const char **const slot = mb_calloc(size, sizeof *slot);
  if (!slot) return false;
  for (size_t i = 0; i < n->count; i++) slot[place(slot, size, list[i])] = list[i];
  mb_free(n->slot);
  n->slot = slot;
  n->size = size;
  return true;
}

bool mb_schema_names_add(MbSchemaNames *n, const char *name) {
  if (n->count * 2 >= n->size && !grow(n)) return false;
  const size_t i = place(n->slot, n->size, name);
  if (n->slot[i]) return true;
  n->slot[i] = n->list[n->count++] = name;
  n->list[n->count] = NULL;
  return true;
}

void mb_schema_names_free(MbSchemaNames *n) {
  mb_free(n->slot);
  mb_free(n->list);
  *n = (MbSchemaNames){0};
}
