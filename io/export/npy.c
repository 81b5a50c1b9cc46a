#include "io/export/npy.h"
#include "core/base/alloc.h"

#include <stdio.h>
#include <string.h>

enum { ALIGN = 64, HEADER = 256 };

// The .npy header, padded so that the numbers begin at a multiple of 64 bytes. Returns its length.
static size_t array_header(char header[HEADER], const char *type, const char *shape) {
  static const char magic[] = "\x93NUMPY\x01"; // and a 0: version 1.0
  memcpy(header, magic, sizeof magic);
  const size_t start = sizeof magic + 2;
  const int n = snprintf(header + start, HEADER - start,
                         "{'descr': '%s', 'fortran_order': False, 'shape': %s, }", type, shape);
  size_t length = start + (size_t)n;
  while ((length + 1) % ALIGN) header[length++] = ' ';
  header[length++] = '\n';
  header[sizeof magic] = (char)((length - start) & 0xff);
  header[sizeof magic + 1] = (char)((length - start) >> 8);
  return length;
}

bool mb_npy_begin(MbZip *zip, const char *name, const char *type, const char *shape, uint64_t bytes) {
  char header[HEADER];
  const size_t length = array_header(header, type, shape), n = strlen(name);
  char *file = mb_calloc(n + sizeof ".npy", 1);
  if (!file) return false;
  memcpy(file, name, n);
  memcpy(file + n, ".npy", sizeof ".npy");
  const bool begun = mb_zip_begin(zip, file, length + bytes);
  mb_free(file);
  if (begun) mb_zip_bytes(zip, header, length);
  return begun;
}
