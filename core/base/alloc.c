#include "core/base/alloc.h"

#include <malloc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static _Atomic int64_t calls, live, fail_at = -1;
static _Atomic int64_t bytes, most;       // of live blocks, now and at most
static _Atomic int64_t bound = INT64_MAX; // of these bytes

// Counts one call, for so many bytes more, and says whether it may go through.
static bool admit(size_t more) {
  const int64_t k = atomic_fetch_add(&calls, 1), limit = atomic_load(&fail_at);
  const int64_t left =
      atomic_load_explicit(&bound, memory_order_relaxed) - atomic_load_explicit(&bytes, memory_order_relaxed);
  return (limit < 0 || k < limit) && left >= 0 && more <= (uint64_t)left;
}

// A block of `size` bytes has become one of block's size.
static void weigh(void *block, size_t size) {
  const int64_t more = (int64_t)malloc_usable_size(block) - (int64_t)size;
  const int64_t now = atomic_fetch_add_explicit(&bytes, more, memory_order_relaxed) + more;
  int64_t seen = atomic_load_explicit(&most, memory_order_relaxed);
  while (now > seen && !atomic_compare_exchange_weak(&most, &seen, now)) {}
}

void *mb_calloc(size_t count, size_t size) {
  size_t wanted = 0;
  if (__builtin_mul_overflow(count, size, &wanted) || !admit(wanted)) return NULL;
  void *block = calloc(count ? count : 1, size ? size : 1);
  if (!block) return NULL;
  atomic_fetch_add(&live, 1);
  weigh(block, 0);
  return block;
}

void *mb_realloc(void *block, size_t count, size_t size) {
  size_t wanted = 0;
  const size_t before = block ? malloc_usable_size(block) : 0;
  if (__builtin_mul_overflow(count, size, &wanted) || !admit(wanted > before ? wanted - before : 0))
    return NULL;
  void *grown = realloc(block, wanted ? wanted : 1);
  if (!grown) return NULL;
  if (!block) atomic_fetch_add(&live, 1);
  weigh(grown, before);
  return grown;
}

bool mb_grow(void *list, size_t *room, size_t n, size_t size) {
  if (n <= *room) return true;
  const size_t more = *room ? n + n / 2 : n;
  void **const block = list, *const grown = mb_realloc(*block, more, size);
  if (!grown) return false;
  *block = grown;
  *room = more;
  return true;
}

char *mb_strdup(const char *text) {
  const size_t n = strlen(text) + 1;
  char *copy = mb_calloc(n, 1);
  if (copy) memcpy(copy, text, n);
  return copy;
}

void mb_free(void *block) {
  if (!block) return;
  atomic_fetch_sub(&live, 1);
  atomic_fetch_sub_explicit(&bytes, (int64_t)malloc_usable_size(block), memory_order_relaxed);
  free(block);
}

void mb_alloc_bound(size_t more) {
  const int64_t now = atomic_load(&bytes);
  atomic_store(&bound, more && more < (size_t)(INT64_MAX - now) ? now + (int64_t)more : INT64_MAX);
}
int64_t mb_alloc_calls(void) { return atomic_load(&calls); }
int64_t mb_alloc_live(void) { return atomic_load(&live); }
int64_t mb_alloc_most(void) { return atomic_exchange(&most, atomic_load(&bytes)); }
void mb_alloc_fail_after(int64_t n) { atomic_store(&fail_at, n < 0 ? -1 : atomic_load(&calls) + n); }
