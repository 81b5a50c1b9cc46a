#include "io/scene/schema_names.h"
#include "core/base/alloc.h"

#include <string.h>

// The slot that a name has, or would get.
static size_t place(const size_t *slot, size_t size, const char **list, const char *text, size_t length) {
  uint64_t hash = 1469598103934665603u;
  for (size_t i = 0; i < length; i++) hash = (hash ^ (unsigned char)text[i]) * 1099511628211u;
  size_t i = (size_t)(hash ^ hash >> 32) & (size - 1);
  while (slot[i] && (strncmp(list[slot[i] - 1], text, length) || list[slot[i] - 1][length]))
    i = (i + 1) & (size - 1);
  return i;
}

size_t mb_schema_names_find(const MbSchemaNames *n, const char *text, size_t length) {
  return n->size ? n->slot[place(n->slot, n->size, n->list, text, length)] - 1 : SIZE_MAX;
}

bool mb_schema_names_has(const MbSchemaNames *n, const char *name) {
  return mb_schema_names_find(n, name, strlen(name)) != SIZE_MAX;
}

// Twice the slots, so that at most half of them are taken.
static bool grow(MbSchemaNames *n) {
  const size_t size = n->size ? n->size * 2 : 64;
  const char **const list = mb_realloc(n->list, size / 2 + 1, sizeof *list);
  if (!list) return false;
  n->list = list;
  list[n->count] = NULL;
  size_t *const slot = mb_calloc(size, sizeof *slot);
  if (!slot) return false;
  for (size_t i = 0; i < n->count; i++) slot[place(slot, size, list, list[i], strlen(list[i]))] = i + 1;
  mb_free(n->slot);
  n->slot = slot;
  n->size = size;
  return true;
}

bool mb_schema_names_add(MbSchemaNames *n, const char *name) {
  if (n->count * 2 >= n->size && !grow(n)) return false;
  const size_t i = place(n->slot, n->size, n->list, name, strlen(name));
  if (n->slot[i]) return true;
  n->list[n->count++] = name;
  n->list[n->count] = NULL;
  n->slot[i] = n->count;
  return true;
}

void mb_schema_names_free(MbSchemaNames *n) {
  mb_free(n->slot);
  mb_free(n->list);
  *n = (MbSchemaNames){0};
}
