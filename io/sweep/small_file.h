// Small files, read whole, and written under another name beside their place and put there by one rename.
#ifndef MB_IO_SMALL_FILE_H
#define MB_IO_SMALL_FILE_H

#include "core/mbsim.h"

// The whole file with a zero behind it (mb_free it); NULL where it cannot be read (errno says why).
char *mb_small_read(const char *path, size_t *length);
// MB_IO where it cannot be written.
MbStatus mb_small_write(const char *path, const void *bytes, size_t size, MbReport *report);

#endif
