// TetGen's pair of text files: .node with the vertices, .ele with the tetrahedra. Either name stands for both. Vertices are
// numbered from 0 or from 1, as the first of them says.
#include "core/base/alloc.h"
#include "io/mesh/mesh_parts.h"

#include <string.h>

// Comments go from # to the end of a line.
static void skip_comments(MbMeshValues *v) {
  for (;;) {
    MbScanner ahead = v->scanner;
    const MbToken word = mb_scan_word(&ahead);
    if (!word.text || word.text[0] != '#') return;
    v->scanner.at = word.text, v->scanner.line = word.line;
    mb_scan_line_end(&v->scanner);
  }
}

static MbStatus next_integer(MbMeshValues *v, const char *what, int64_t *out) {
  skip_comments(v);
  return mb_values_integer(v, 8, what, out);
}

static MbStatus next_real(MbMeshValues *v, const char *what, double *out) {
  skip_comments(v);
  return mb_values_real(v, 8, what, out);
}

// What stands behind a vertex or a tetrahedron: attributes and a marker.
static MbStatus skip_more(MbMeshValues *v, int64_t count, const char *what) {
  double ignored = 0;
  MbStatus status = MB_OK;
  for (; count > 0 && !status; count--) status = next_real(v, what, &ignored);
  return status;
}

// The first line: how many, and some numbers that say what follows.
static MbStatus read_head(MbMeshValues *v, const char *what, size_t *count, int64_t *more, size_t n) {
  int64_t number = 0;
  MbStatus status = next_integer(v, what, &number);
  for (size_t k = 0; k < n && !status; k++) {
    status = next_integer(v, "a number of the first line", &more[k]);
    if (!status && (more[k] < 0 || more[k] > 1000))
      return mb_values_error(v, "found %lld in the first line, wanted 0 to 1000", (long long)more[k]);
  }
  if (status) return status;
  if (number < 0) return mb_values_error(v, "%s: found %lld", what, (long long)number);
  *count = (size_t)number;
  return MB_OK;
}

static MbStatus read_nodes(MbMeshFile *file, int64_t *first) {
  MbMeshValues v;
  size_t count = 0;
  int64_t head[3] = {0}; // dimension, attributes, markers
  mb_values_start(&v, file);
  MbStatus status = read_head(&v, "the number of vertices", &count, head, 3);
  file->known = !status;
  if (!status && head[0] != 3)
    return mb_values_error(&v, "vertices in %lld dimensions, wanted 3", (long long)head[0]);
  if (!status) status = mb_values_fit(&v, "the number of vertices", count, 4);
  for (size_t i = 0; i < count && !status; i++) {
    int64_t number = 0;
    double x[3];
    status = next_integer(&v, "a vertex's number", &number);
    if (!status && i == 0) *first = number;
    if (!status && ((*first != 0 && *first != 1) || number != *first + (int64_t)i))
      return mb_values_error(&v, "found vertex %lld, wanted %lld: they count up from 0 or 1",
                             (long long)number, i ? (long long)(*first + (int64_t)i) : 0);
    for (int k = 0; k < 3 && !status; k++) status = next_real(&v, "a vertex's coordinate", &x[k]);
    if (!status) status = skip_more(&v, head[1] + (head[2] != 0), "an attribute or marker");
    if (!status) status = mb_mesh_add_vertex(file, x);
  }
  return status;
}

static MbStatus read_tets(MbMeshFile *file, int64_t first) {
  MbMeshValues v;
  size_t count = 0;
  int64_t head[2] = {0}; // corners, attributes
  mb_values_start(&v, file);
  MbStatus status = read_head(&v, "the number of tetrahedra", &count, head, 2);
  if (!status && head[0] != 4)
    return mb_values_error(&v, "tetrahedra with %lld corners: those of first order, with 4, are read",
                           (long long)head[0]);
  if (!status) status = mb_values_fit(&v, "the number of tetrahedra", count, 5);
  for (size_t i = 0; i < count && !status; i++) {
    int64_t number = 0;
    int32_t corner[4];
    status = next_integer(&v, "a tetrahedron's number", &number);
    for (int k = 0; k < 4 && !status; k++) {
      status = next_integer(&v, "a tetrahedron's corner", &number);
      if (!status && (number < first || number - first >= (int64_t)file->nv))
        return mb_values_error(&v, "there is no vertex %lld: they go from %lld to %lld", (long long)number,
                               (long long)first, (long long)first + (long long)file->nv - 1);
      corner[k] = (int32_t)(number - first);
    }
    if (!status) status = skip_more(&v, head[1], "an attribute");
    if (!status) status = mb_mesh_add_tet(file, corner);
  }
  return status;
}

// The same path with another ending; for the caller to free.
static char *sibling(const char *path, const char *ending) {
  const size_t stem = (size_t)(strrchr(path, '.') - path), n = strlen(ending);
  char *other = mb_calloc(stem + n + 1, 1);
  if (!other) return NULL;
  memcpy(other, path, stem);
  memcpy(other + stem, ending, n);
  return other;
}

static MbStatus load_as(MbMeshFile *file, const char *path) {
  file->path = path;
  return mb_mesh_load(file);
}

MbStatus mb_read_tetgen(MbMeshFile *file) {
  const char *given = file->path;
  const char last = given[strlen(given) - 2]; // .no[d]e, .e[l]e
  const bool nodes_given = last == 'd' || last == 'D';
  char *other = sibling(given, nodes_given ? ".ele" : ".node");
  if (!other) return mb_no_memory(file->report, "a mesh file");
  int64_t first = 0;
  MbStatus status = nodes_given ? MB_OK : load_as(file, other);
  if (!status) status = read_nodes(file, &first);
  if (!status) status = load_as(file, nodes_given ? other : given);
  if (!status) status = read_tets(file, first);
  file->path = given;
  mb_free(other);
  return status;
}
