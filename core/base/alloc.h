// The one door to the heap. Tests count what goes through it and make it fail.
#ifndef MB_BASE_ALLOC_H
#define MB_BASE_ALLOC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Zeroed memory for `count` things of `size` bytes; NULL when there is none (or the product overflows).
// A count of 0 gives a valid pointer.
void *mb_calloc(size_t count, size_t size);
// Grows or shrinks; NULL leaves the old block as it is. New bytes are not zeroed.
void *mb_realloc(void *block, size_t count, size_t size);
// Makes *list, which has room for *room things of that size, hold n, with some more where it grows; what is new is not zeroed. False:
// no memory; it stays as it was.
bool mb_grow(void *list, size_t *room, size_t n, size_t size);
char *mb_strdup(const char *text);
void mb_free(void *block); // NULL is fine

// From now on all blocks together take at most so many bytes more than they do now, and what would take more fails; 0 = as many
// as there are.
void mb_alloc_bound(size_t more);

// For tests: calls of mb_calloc and mb_realloc so far in this process, and blocks not yet freed.
int64_t mb_alloc_calls(void);
int64_t mb_alloc_live(void);
// For tests: the most bytes that have been in use at a time since the last such call.
int64_t mb_alloc_most(void);
// For tests: the nth call from now fails (0 = the next one), and all after it; negative = never.
void mb_alloc_fail_after(int64_t calls);

#endif
