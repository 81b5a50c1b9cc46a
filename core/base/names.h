// An index of names: which number has a name, in constant time.
#ifndef MB_BASE_NAMES_H
#define MB_BASE_NAMES_H

#include "core/base/arena.h"
#include <stdbool.h>
#include <stdint.h>

typedef struct MbNames {
  size_t capacity; // a power of two, at least twice the number of names
  uint32_t *slot;  // (capacity) number + 1; 0 = empty
  const char *const *name;
} MbNames;

// Indexes name (n); the array must stay where it is. Where a name comes twice its first number is kept, and
// *twice (may be NULL) is the number of the first repetition, or n. False when memory ran out.
bool mb_names_build(MbNames *names, const char *const *name, size_t n, MbArena *arena, size_t *twice);
// Which of two names comes first, below 0: x, 0: they are the same. Digits are read as numbers: "box 2" comes before "box 10".
int mb_names_compare(const char *x, const char *y);
bool mb_names_find(const MbNames *names, const char *name, size_t *number);

#endif
