// One file of VTK's XML formats with its arrays appended, packed by zlib: the header names each array's place, so that all of them are
// packed before anything is written.
#ifndef MB_IO_VTK_FILE_H
#define MB_IO_VTK_FILE_H

#include "io/json/json_text.h"
#include <stdio.h>

// Zero it before use. After a failure nothing more is added, and mb_vtk_write says so.
typedef struct MbVtkFile {
  MbText xml;
  unsigned char *data; // packed arrays, one behind the other
  size_t size, room;
  bool failed; // memory ran out
} MbVtkFile;

typedef enum MbVtkType { MB_VTK_F64, MB_VTK_I64, MB_VTK_I32, MB_VTK_U8 } MbVtkType;

void mb_vtk_begin(MbVtkFile *file, const char *kind); // "PolyData", "UnstructuredGrid"
void mb_vtk_text(MbVtkFile *file, const char *format, ...) MB_PRINTF(2, 3);
// An array of n numbers, `components` to each tuple; `name` may be NULL.
void mb_vtk_array(MbVtkFile *file, MbVtkType type, const char *name, size_t components, const void *x,
                  size_t n);
// Ends the file and writes it; MB_IO or no memory.
MbStatus mb_vtk_write(MbVtkFile *file, FILE *out, MbReport *report);
void mb_vtk_free(MbVtkFile *file);

#endif
