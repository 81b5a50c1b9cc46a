// Sorting of numbers of things, in place and without a word to the heap of memory: for what is sorted within a step.
#ifndef MB_BASE_SORT_H
#define MB_BASE_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Whether thing i belongs behind thing j. Of two different things one does: nothing tells what is equal apart.
typedef bool MbFollows(const void *context, uint32_t i, uint32_t j);

// number (n) ← 0 … n − 1 in the order that `follows` tells.
void mb_sort_numbers(uint32_t *number, size_t n, MbFollows *follows, const void *context);

#endif
