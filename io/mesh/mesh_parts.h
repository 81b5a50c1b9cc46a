// What the readers of mesh files share: the file in memory, a growing mesh, tokens and numbers. Private to
// io/mesh_*.
#ifndef MB_IO_MESH_PARTS_H
#define MB_IO_MESH_PARTS_H

#include "core/base/report.h"

// A mesh file and what has been read of it.
typedef struct MbMeshFile {
  const char *path, *where; // for messages
  MbReport *report;
  char *data; // (size) and a zero after it
  size_t size;
  bool known; // it begins as a file of its kind does
  size_t nv, nt, ntets, vertex_room, triangle_room, tet_room, middle_room;
  double *vertex;    // (nv x 3)
  int32_t *triangle; // (nt x 3), corners from 0
  int32_t *tet;      // (ntets x 4), corners from 0
  int32_t *middle;   // (ntets x 6) half way along edges, as of MbElementMesh; NULL: none
} MbMeshFile;

// The whole of `file->path` into memory, in place of what is there.
MbStatus mb_mesh_load(MbMeshFile *file);

MbStatus mb_read_obj(MbMeshFile *file);
MbStatus mb_read_stl(MbMeshFile *file);
MbStatus mb_read_ply(MbMeshFile *file);
MbStatus mb_read_msh(MbMeshFile *file);
MbStatus mb_read_tetgen(MbMeshFile *file);
MbStatus mb_read_vtk(MbMeshFile *file);

// "FILE, line 12: ..." and "FILE, byte 84: ..."; both return MB_IO.
MbStatus mb_mesh_error_line(const MbMeshFile *file, size_t line, const char *format, ...) MB_PRINTF(3, 4);
MbStatus mb_mesh_error_byte(const MbMeshFile *file, size_t byte, const char *format, ...) MB_PRINTF(3, 4);

MbStatus mb_mesh_add_vertex(MbMeshFile *file, const double x[3]);
MbStatus mb_mesh_add_triangle(MbMeshFile *file, int32_t a, int32_t b, int32_t c);
MbStatus mb_mesh_add_tet(MbMeshFile *file, const int32_t corner[4]);
// The same of ten nodes; all tetrahedra of a file have as many.
MbStatus mb_mesh_add_quadratic(MbMeshFile *file, const int32_t node[10]);
// Corners at the same place become one vertex; triangles that lose a corner by it are left out.
MbStatus mb_mesh_merge_corners(MbMeshFile *file);

// A word of a text file: what stands between white space.
typedef struct MbToken {
  const char *text; // NULL = there is none
  int length;
  size_t line; // from 1
} MbToken;

// Reads words from `at` on; `end` points at a zero byte.
typedef struct MbScanner {
  const char *at, *end;
  size_t line;
} MbScanner;

void mb_scanner_start(MbScanner *scanner, const MbMeshFile *file);
MbToken mb_scan_word(MbScanner *scanner);         // over line ends
MbToken mb_scan_word_of_line(MbScanner *scanner); // none at a line's end
void mb_scan_line_end(MbScanner *scanner);        // goes to the start of the next line

bool mb_token_is(const MbToken *token, const char *word); // whatever the case of its letters
// The whole token as a decimal number; false for anything else, "inf" and "nan" included.
bool mb_token_number(const MbToken *token, double *x);
// For messages: the word in quotes, cut short. Of a file that does not begin as one of its kind it shows nothing, for that
// is no mesh, and what is in it is not for messages.
enum { MB_FOUND = 48 };
const char *mb_mesh_found(const MbMeshFile *file, const MbToken *token, char text[MB_FOUND]);

// Numbers one after the other, as words or in bytes; words may stand between the latter. Copies read on by themselves.
typedef struct MbMeshValues {
  const MbMeshFile *file;
  bool binary, big; // big: the highest byte comes first
  MbScanner scanner;
} MbMeshValues;

void mb_values_start(MbMeshValues *values, const MbMeshFile *file);
// With the line of what has just been read, or the byte.
MbStatus mb_values_error(const MbMeshValues *values, const char *format, ...) MB_PRINTF(2, 3);
// The next whole number (of so many bytes, with a sign) or finite real number (of 4 bytes or 8).
MbStatus mb_values_integer(MbMeshValues *values, size_t bytes, const char *what, int64_t *out);
MbStatus mb_values_real(MbMeshValues *values, size_t bytes, const char *what, double *out);
// How many of something follow, of which each takes so many bytes or words: no more than what is left can hold.
MbStatus mb_values_count(MbMeshValues *values, size_t bytes, const char *what, size_t each, size_t *out);
MbStatus mb_values_fit(const MbMeshValues *values, const char *what, size_t count, size_t each);
// The same where it stands as a word among bytes too.
MbStatus mb_values_count_word(MbMeshValues *values, const char *what, size_t each, size_t *out);
// Steps over so many numbers.
MbStatus mb_values_skip(MbMeshValues *values, size_t count, size_t bytes, const char *what);

#endif
