// Pages of memory.
#ifndef MB_BASE_PAGES_H
#define MB_BASE_PAGES_H

#include <stddef.h>

// A hint, where the system takes it: of what is larger than caches large pages are read faster, and given faster the first time.
void mb_large_pages(void *block, size_t bytes);

#endif
