#ifndef MB_IO_VIEW_BUNDLE_H
#define MB_IO_VIEW_BUNDLE_H

#include <stddef.h>

// The text of the page and its length, 0 where the program was built without it.
const char *mb_view_bundle(size_t *size);

#endif
