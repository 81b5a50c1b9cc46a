#include "core/base/alloc.h"

#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static _Atomic int64_t calls, live, fail_at = -1;
static _Atomic int64_t bytes, most; // of live blocks, now and at most

// Counts one call and says whether it may go through.
static int admit(void) {
  const int64_t k = atomic_fetch_add(&calls, 1);
  const int64_t limit = atomic_load(&fail_at);
  return limit < 0 || k < limit;
}

// A block of `size` bytes has become one of block's size.
static void weigh(void *block, size_t size) {
  const int64_t more = (int64_t)malloc_usable_size(block) - (int64_t)size;
  const int64_t now = atomic_fetch_add_explicit(&bytes, more, memory_order_relaxed) + more;
  int64_t seen = atomic_load_explicit(&most, memory_order_relaxed);
  while (now > seen && !atomic_compare_exchange_weak(&most, &seen, now)) {}
}

void *mb_calloc(size_t count, size_t size) {
  if (!admit()) return NULL;
  void *block = calloc(count ? count : 1, size ? size : 1);
  if (!block) return NULL;
  atomic_fetch_add(&live, 1);
  weigh(block, 0);
  return block;
}

void *mb_realloc(void *block, size_t count, size_t size) {
  size_t wanted = 0;
  if (!admit() || __builtin_mul_overflow(count, size, &wanted)) return NULL;
  const size_t before = block ? malloc_usable_size(block) : 0;
  void *grown = realloc(block, wanted ? wanted : 1);
  if (!grown) return NULL;
  if (!block) atomic_fetch_add(&live, 1);
  weigh(grown, before);
  return grown;
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

int64_t mb_alloc_calls(void) { return atomic_load(&calls); }
int64_t mb_alloc_live(void) { return atomic_load(&live); }
int64_t mb_alloc_most(void) { return atomic_exchange(&most, atomic_load(&bytes)); }
void mb_alloc_fail_after(int64_t n) { atomic_store(&fail_at, n < 0 ? -1 : atomic_load(&calls) + n); }
