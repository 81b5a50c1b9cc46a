// Pages of memory.
#ifndef MB_BASE_PAGES_H
#define MB_BASE_PAGES_H

#include <stddef.h>

// A hint, where the system takes it: of what is larger than caches large pages are read faster, and given faster the first time.
void mb_large_pages(void *block, size_t bytes);

// A hint that a block is read or written soon: it is brought near while others are at work.
static inline void mb_needed_soon(const void *block, size_t bytes) {
  enum { LINE = 64 };
  for (size_t i = 0; i < bytes; i += LINE) {
    const char *const line = (const char *)block + i;
    __builtin_prefetch(line);
    __asm__ volatile("" : : "r"(line)); // compilers leave out loops of hints alone
  }
}

#endif
