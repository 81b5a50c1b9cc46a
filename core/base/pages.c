#include "core/base/pages.h"

#include <stdint.h>
#include <sys/mman.h>

void mb_large_pages(void *block, size_t bytes) {
#ifdef MADV_HUGEPAGE
  enum { PAGE = 4096, LARGE = 1 << 22 };
  const uintptr_t begin = ((uintptr_t)block + PAGE - 1) / PAGE * PAGE;
  if (bytes > LARGE) (void)madvise((void *)begin, (bytes - PAGE) / PAGE * PAGE, MADV_HUGEPAGE);
#else
  (void)block, (void)bytes;
#endif
}
