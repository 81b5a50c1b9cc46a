#include "core/base/names.h"

#include <string.h>

// Where `name` is, or the empty slot where it would go.
static size_t probe(const MbNames *names, const char *name) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (const char *c = name; *c; c++) hash = (hash ^ (unsigned char)*c) * 0x100000001b3u;
  size_t i = (hash ^ hash >> 32) & (names->capacity - 1);
  while (names->slot[i] && strcmp(names->name[names->slot[i] - 1], name) != 0)
    i = (i + 1) & (names->capacity - 1);
  return i;
}

bool mb_names_build(MbNames *names, const char *const *name, size_t n, MbArena *arena, size_t *twice) {
  size_t capacity = 4;
  while (capacity < 2 * n) capacity *= 2;
  *names = (MbNames){.capacity = capacity, .name = name};
  if (n >= UINT32_MAX) return false;
  names->slot = mb_arena_alloc(arena, capacity, sizeof *names->slot);
  if (!names->slot) return false;
  size_t first = n;
  for (size_t k = 0; k < n; k++) {
    const size_t i = probe(names, name[k]);
    if (names->slot[i] && first == n) first = k;
    if (!names->slot[i]) names->slot[i] = (uint32_t)(k + 1);
  }
  if (twice) *twice = first;
  return true;
}

bool mb_names_find(const MbNames *names, const char *name, size_t *number) {
  const size_t i = probe(names, name);
  if (!names->slot[i]) return false;
  *number = names->slot[i] - 1u;
  return true;
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Of the digits at *x and *y, which it reads over: which number is smaller.
static int compare_numbers(const char **x, const char **y) {
  while (**x == '0') ++*x;
  while (**y == '0') ++*y;
  int order = 0;
  for (; is_digit(**x) && is_digit(**y); ++*x, ++*y)
    if (!order) order = (unsigned char)**x - (unsigned char)**y;
  if (is_digit(**x)) return 1;
  return is_digit(**y) ? -1 : order;
}

int mb_names_compare(const char *x, const char *y) {
  const char *p = x, *q = y;
  int order = 0;
  while (!order && *p && *q) {
    if (is_digit(*p) && is_digit(*q))
      order = compare_numbers(&p, &q);
    else
      order = (unsigned char)*p++ - (unsigned char)*q++;
  }
  if (!order) order = (unsigned char)*p - (unsigned char)*q;
  return order ? order : strcmp(x, y); // "a1" and "a01"
}
