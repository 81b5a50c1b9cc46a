#include "core/base/alloc.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static _Atomic int64_t calls, live, fail_at = -1;

// Counts one call and says whether it may go through.
static int admit(void) {
  const int64_t k = atomic_fetch_add(&calls, 1);
  const int64_t limit = atomic_load(&fail_at);
  return limit < 0 || k < limit;
}

void *mb_calloc(size_t count, size_t size) {
  if (!admit()) return NULL;
  void *block = calloc(count ? count : 1, size ? size : 1);
  if (block) atomic_fetch_add(&live, 1);
  return block;
}

void *mb_realloc(void *block, size_t count, size_t size) {
  size_t bytes = 0;
  if (!admit() || __builtin_mul_overflow(count, size, &bytes)) return NULL;
  void *grown = realloc(block, bytes ? bytes : 1);
  if (grown && !block) atomic_fetch_add(&live, 1);
  return grown;
}

char *mb_strdup(const char *text) {
  const size_t n = strlen(text) + 1;
  char *copy = mb_calloc(n, 1);
  if (copy) memcpy(copy, text, n);
  return copy;
}

void mb_free(void *block) {
  if (block) atomic_fetch_sub(&live, 1);
  free(block);
}

int64_t mb_alloc_calls(void) { return atomic_load(&calls); }
int64_t mb_alloc_live(void) { return atomic_load(&live); }
void mb_alloc_fail_after(int64_t n) { atomic_store(&fail_at, n < 0 ? -1 : atomic_load(&calls) + n); }
