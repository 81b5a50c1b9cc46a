// Arrays as members of an npz archive, as numpy.savez writes them.
#ifndef MB_IO_NPY_H
#define MB_IO_NPY_H

#include "io/export/zip_stream.h"

// Begins the member `name`.npy: an array of `type` ("<f8") and `shape` ("(3, 2)"), of which `bytes` are to follow by mb_zip_bytes; then
// mb_zip_end. False when memory ran out.
bool mb_npy_begin(MbZip *zip, const char *name, const char *type, const char *shape, uint64_t bytes);

#endif
