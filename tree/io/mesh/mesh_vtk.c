// Legacy .vtk, text or binary (highest byte first): a dataset UNSTRUCTURED_GRID with POINTS, CELLS (as up to version 4.2, or
// with OFFSETS and CONNECTIVITY as from 5.1) and CELL_TYPES. Triangles and tetrahedra are kept, points and lines left out.
#include "io/mesh/mesh_parts.h"

#include <string.h>

enum { VERTEX = 1, POLY_VERTEX, LINE, POLY_LINE, TRIANGLE, TET = 10 }; // VTK's numbers of kinds of cells

typedef struct Vtk {
  MbMeshFile *file;
  MbMeshValues v;
  bool points;
  // where the cells' parts begin: their counts and corners, or offsets and corners; types
  size_t ncells, ntypes, ncorners;
  bool has_cells, has_types, offsets;
  size_t offset_bytes, corner_bytes;
  MbMeshValues offset, corner, type;
} Vtk;

static MbStatus unexpected(const Vtk *f, const MbToken *found, const char *wanted) {
  char text[MB_FOUND];
  return mb_values_error(&f->v, "found %s, wanted %s", mb_mesh_found(f->file, found, text), wanted);
}

// What follows is on the next line, at once.
static void begin_values(Vtk *f) {
  if (f->v.binary) mb_scan_line_end(&f->v.scanner);
}

static MbStatus read_type(Vtk *f, bool real, size_t *bytes) {
  static const struct {
    const char *word;
    size_t bytes;
    bool real;
  } types[] = {{"float", 4, true},         {"double", 8, true},          {"int", 4, false},
               {"long", 8, false},         {"vtktypeint64", 8, false},   {"vtktypeint32", 4, false},
               {"vtkIdType", 4, false},    {"unsigned_int", 4, false},   {"unsigned_long", 8, false},
               {"short", 2, false},        {"unsigned_short", 2, false}, {"char", 1, false},
               {"unsigned_char", 1, false}};
  const MbToken word = mb_scan_word(&f->v.scanner);
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (mb_token_is(&word, types[i].word) && (!real || types[i].real)) {
      *bytes = types[i].bytes;
      return MB_OK;
    }
  return unexpected(f, &word, real ? "float or double" : "a type such as int or double");
}

static MbStatus read_head(Vtk *f) {
  static const char start[] = "# vtk DataFile Version";
  MbScanner *s = &f->v.scanner;
  if (f->file->size < sizeof start || strncmp(f->file->data, start, sizeof start - 1) != 0)
    return mb_values_error(&f->v, "the first line is not \"%s ...\": legacy .vtk files are read", start);
  f->file->known = true;
  mb_scan_line_end(s);
  mb_scan_line_end(s); // the title
  MbToken word = mb_scan_word(s);
  const bool binary = mb_token_is(&word, "BINARY");
  if (!binary && !mb_token_is(&word, "ASCII")) return unexpected(f, &word, "ASCII or BINARY");
  word = mb_scan_word(s);
  if (!mb_token_is(&word, "DATASET")) return unexpected(f, &word, "DATASET");
  word = mb_scan_word(s);
  if (!mb_token_is(&word, "UNSTRUCTURED_GRID")) return unexpected(f, &word, "UNSTRUCTURED_GRID");
  f->v.binary = f->v.big = binary;
  return MB_OK;
}

static MbStatus read_points(Vtk *f) {
  size_t count = 0, bytes = 0;
  if (f->points) return mb_values_error(&f->v, "POINTS for the second time");
  f->points = true;
  MbStatus status = mb_values_count_word(&f->v, "the number of points", 3, &count);
  if (!status) status = read_type(f, true, &bytes);
  if (!status) begin_values(f);
  if (!status) status = mb_values_fit(&f->v, "the number of points", count, f->v.binary ? 3 * bytes : 3);
  for (size_t i = 0; i < count && !status; i++) {
    double x[3];
    for (int k = 0; k < 3 && !status; k++)
      status = mb_values_real(&f->v, bytes, "a point's coordinate", &x[k]);
    if (!status) status = mb_mesh_add_vertex(f->file, x);
  }
  return status;
}

// A list of the cells' that is looked at later: where it begins, and over it.
static MbStatus keep_list(Vtk *f, size_t count, size_t bytes, const char *what, MbMeshValues *from) {
  begin_values(f);
  *from = f->v;
  return mb_values_skip(&f->v, count, bytes, what);
}

static MbStatus read_cells(Vtk *f) {
  size_t size = 0;
  if (f->has_cells) return mb_values_error(&f->v, "CELLS for the second time");
  f->has_cells = true;
  MbStatus status = mb_values_count_word(&f->v, "the number of cells", 1, &f->ncells);
  if (!status) status = mb_values_count_word(&f->v, "the size of the cells", 1, &size);
  if (status) return status;
  MbScanner ahead = f->v.scanner;
  const MbToken word = mb_scan_word(&ahead);
  f->ncorners = size;
  if (!mb_token_is(&word, "OFFSETS")) {
    f->corner_bytes = 4;
    return keep_list(f, size, 4, "the cells", &f->corner);
  }
  f->v.scanner = ahead;
  f->offsets = true;
  status = read_type(f, false, &f->offset_bytes);
  if (!status) status = keep_list(f, f->ncells, f->offset_bytes, "the offsets", &f->offset);
  if (status) return status;
  f->ncells -= f->ncells > 0; // one offset more
  const MbToken next = mb_scan_word(&f->v.scanner);
  if (!mb_token_is(&next, "CONNECTIVITY")) return unexpected(f, &next, "CONNECTIVITY");
  status = read_type(f, false, &f->corner_bytes);
  return status ? status : keep_list(f, size, f->corner_bytes, "the connectivity", &f->corner);
}

static MbStatus read_types(Vtk *f) {
  if (f->has_types) return mb_values_error(&f->v, "CELL_TYPES for the second time");
  f->has_types = true;
  const MbStatus status = mb_values_count_word(&f->v, "the number of cell types", 1, &f->ntypes);
  return status ? status : keep_list(f, f->ntypes, 4, "the cell types", &f->type);
}

// Arrays that belong to the dataset as a whole.
static MbStatus skip_fields(Vtk *f) {
  size_t arrays = 0;
  mb_scan_word(&f->v.scanner); // the name
  MbStatus status = mb_values_count_word(&f->v, "the number of arrays", 1, &arrays);
  for (size_t i = 0; i < arrays && !status; i++) {
    size_t width = 0, count = 0, bytes = 0;
    const MbToken name = mb_scan_word(&f->v.scanner);
    if (!name.text) return mb_values_error(&f->v, "the file ends within FIELD");
    status = mb_values_count_word(&f->v, "the width of an array", 1, &width);
    if (!status) status = mb_values_count_word(&f->v, "the length of an array", width, &count);
    if (!status) status = read_type(f, false, &bytes);
    if (!status) begin_values(f);
    if (!status) status = mb_values_skip(&f->v, width * count, bytes, "an array");
  }
  return status;
}

// Text up to an empty line.
static void skip_metadata(Vtk *f) {
  MbScanner *s = &f->v.scanner;
  mb_scan_line_end(s);
  while (s->at < s->end && mb_scan_word_of_line(s).text) mb_scan_line_end(s);
}

static MbStatus read_cell(Vtk *f, int64_t *before) {
  int64_t kind = 0, count = 0, corner[4] = {0};
  int32_t index[4] = {0};
  MbStatus status = mb_values_integer(&f->type, 4, "a cell's type", &kind);
  if (!status && !f->offsets) status = mb_values_integer(&f->corner, 4, "a cell's number of corners", &count);
  if (!status && f->offsets) {
    int64_t offset = 0;
    status = mb_values_integer(&f->offset, f->offset_bytes, "a cell's offset", &offset);
    count = offset - *before;
    *before = offset;
  }
  if (status) return status;
  if (count < 0 || (size_t)count > f->ncorners)
    return mb_values_error(&f->corner, "a cell with %lld corners", (long long)count);
  const bool wanted = kind == TRIANGLE || kind == TET;
  if (!wanted && (kind < VERTEX || kind > POLY_LINE))
    return mb_values_error(&f->type,
                           "cells of VTK's type %lld are not read: triangles (5) and tetrahedra (10) are",
                           (long long)kind);
  if (!wanted) return mb_values_skip(&f->corner, (size_t)count, f->corner_bytes, "a cell");
  if (count != (kind == TET ? 4 : 3))
    return mb_values_error(&f->corner, "a %s with %lld corners", kind == TET ? "tetrahedron" : "triangle",
                           (long long)count);
  for (int64_t k = 0; k < count; k++) {
    status = mb_values_integer(&f->corner, f->corner_bytes, "a cell's corner", &corner[k]);
    if (status) return status;
    if (corner[k] < 0 || (size_t)corner[k] >= f->file->nv)
      return mb_values_error(&f->corner, "there is no point %lld: %zu are there, numbered from 0",
                             (long long)corner[k], f->file->nv);
    index[k] = (int32_t)corner[k];
  }
  return kind == TET ? mb_mesh_add_tet(f->file, index)
                     : mb_mesh_add_triangle(f->file, index[0], index[1], index[2]);
}

static MbStatus take_cells(Vtk *f) {
  if (!f->points || !f->has_cells || !f->has_types)
    return mb_values_error(&f->v, "%s missing",
                           !f->points      ? "POINTS are"
                           : !f->has_cells ? "CELLS are"
                                           : "CELL_TYPES are");
  if (f->ncells != f->ntypes)
    return mb_values_error(&f->v, "there are %zu cells and %zu types of cells", f->ncells, f->ntypes);
  int64_t before = 0;
  MbStatus status = MB_OK;
  if (f->offsets && f->ncells)
    status = mb_values_integer(&f->offset, f->offset_bytes, "the first offset", &before);
  if (!status && before != 0)
    return mb_values_error(&f->offset, "the first offset is %lld and not 0", (long long)before);
  for (size_t i = 0; i < f->ncells && !status; i++) status = read_cell(f, &before);
  return status;
}

MbStatus mb_read_vtk(MbMeshFile *file) {
  Vtk f = {.file = file};
  mb_values_start(&f.v, file);
  MbStatus status = read_head(&f);
  while (!status) {
    const MbToken word = mb_scan_word(&f.v.scanner);
    if (!word.text || mb_token_is(&word, "CELL_DATA") || mb_token_is(&word, "POINT_DATA")) break;
    if (mb_token_is(&word, "POINTS"))
      status = read_points(&f);
    else if (mb_token_is(&word, "CELLS"))
      status = read_cells(&f);
    else if (mb_token_is(&word, "CELL_TYPES"))
      status = read_types(&f);
    else if (mb_token_is(&word, "FIELD"))
      status = skip_fields(&f);
    else if (mb_token_is(&word, "METADATA"))
      skip_metadata(&f);
    else
      status = unexpected(&f, &word, "POINTS, CELLS, CELL_TYPES or data of these");
  }
  return status ? status : take_cells(&f);
}
