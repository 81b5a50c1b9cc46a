// Mesh files: the file into memory, its reader by its ending, the result into the arena.
#include "io/mesh/mesh.h"
#include "core/base/alloc.h"
#include "core/compile/mesh_weld.h"
#include "io/mesh/mesh_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_BYTES = 1 << 30 };

// ---- messages ----

MbStatus mb_mesh_error_line(const MbMeshFile *file, size_t line, const char *format, ...) {
  char text[400];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  return mb_error(file->report, MB_IO, file->where, "%.200s, line %zu: %s", file->path, line, text);
}

MbStatus mb_mesh_error_byte(const MbMeshFile *file, size_t byte, const char *format, ...) {
  char text[400];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  return mb_error(file->report, MB_IO, file->where, "%.200s, byte %zu: %s", file->path, byte, text);
}

static MbStatus fail(const MbMeshFile *file, const char *what, int error) {
  return mb_error(file->report, MB_IO, file->where, "cannot %s mesh file %.300s: %s", what, file->path,
                  strerror(error));
}

// ---- a mesh that grows ----

// Room for one more of `size` bytes in `*block`.
static MbStatus grow(const MbMeshFile *file, void **block, size_t count, size_t *room, size_t size) {
  if (count < *room) return MB_OK;
  if (count >= INT32_MAX)
    return mb_error(file->report, MB_IO, file->where,
                    "mesh file %.300s has more than %d vertices or elements", file->path, INT32_MAX);
  const size_t more = *room < 256 ? 256 : *room + *room / 2;
  void *grown = mb_realloc(*block, more, size);
  if (!grown) return mb_no_memory(file->report, "a mesh");
  *block = grown;
  *room = more;
  return MB_OK;
}

MbStatus mb_mesh_add_vertex(MbMeshFile *file, const double x[3]) {
  void *block = file->vertex;
  const MbStatus status = grow(file, &block, file->nv, &file->vertex_room, 3 * sizeof(double));
  file->vertex = block;
  if (status) return status;
  for (size_t k = 0; k < 3; k++) file->vertex[3 * file->nv + k] = x[k];
  file->nv++;
  return MB_OK;
}

MbStatus mb_mesh_add_triangle(MbMeshFile *file, int32_t a, int32_t b, int32_t c) {
  void *block = file->triangle;
  const MbStatus status = grow(file, &block, file->nt, &file->triangle_room, 3 * sizeof(int32_t));
  file->triangle = block;
  if (status) return status;
  int32_t *corner = file->triangle + 3 * file->nt++;
  corner[0] = a, corner[1] = b, corner[2] = c;
  return MB_OK;
}

MbStatus mb_mesh_add_tet(MbMeshFile *file, const int32_t corner[4]) {
  void *block = file->tet;
  const MbStatus status = grow(file, &block, file->ntets, &file->tet_room, 4 * sizeof(int32_t));
  file->tet = block;
  if (status) return status;
  memcpy(file->tet + 4 * file->ntets++, corner, 4 * sizeof *corner);
  return MB_OK;
}

MbStatus mb_mesh_add_quadratic(MbMeshFile *file, const int32_t node[10]) {
  void *block = file->middle;
  const MbStatus status = grow(file, &block, file->ntets, &file->middle_room, 6 * sizeof(int32_t));
  file->middle = block;
  if (status) return status;
  memcpy(file->middle + 6 * file->ntets, node + 4, 6 * sizeof *node);
  return mb_mesh_add_tet(file, node);
}

MbStatus mb_mesh_merge_corners(MbMeshFile *file) {
  MbMesh mesh = {.nv = file->nv, .nt = file->nt, .vertex = file->vertex, .triangle = file->triangle};
  const MbStatus status = mb_mesh_merge(&mesh, file->report);
  file->nv = mesh.nv, file->nt = mesh.nt;
  return status;
}

// ---- the file ----

static MbStatus load_open(MbMeshFile *file, int fd) {
  struct stat info;
  if (fstat(fd, &info)) return fail(file, "read", errno);
  if (!S_ISREG(info.st_mode))
    return mb_error(file->report, MB_IO, file->where, "mesh file %.300s is not a regular file", file->path);
  if (info.st_size > MAX_BYTES)
    return mb_error(file->report, MB_IO, file->where,
                    "mesh file %.300s has %lld bytes; at most 1 GiB is read", file->path,
                    (long long)info.st_size);
  const size_t size = (size_t)info.st_size;
  file->data = mb_calloc(size + 1, 1);
  if (!file->data) return mb_no_memory(file->report, "a mesh file");
  while (file->size < size) {
    const ssize_t got = read(fd, file->data + file->size, size - file->size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail(file, "read", errno);
    if (got == 0) break;
    file->size += (size_t)got;
  }
  file->data[file->size] = 0;
  return MB_OK;
}

MbStatus mb_mesh_load(MbMeshFile *file) {
  mb_free(file->data);
  file->data = NULL, file->size = 0;
  // without O_NONBLOCK a pipe of that name would hold the program up
  const int fd = open(file->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return fail(file, "open", errno);
  const MbStatus status = load_open(file, fd);
  close(fd);
  return status;
}

// ---- the result ----

static MbStatus keep_vertices(const MbMeshFile *file, double scale, MbArena *arena, double **out) {
  double *vertex = *out = mb_arena_alloc(arena, file->nv, 3 * sizeof *vertex);
  if (!vertex) return mb_no_memory(file->report, "a mesh");
  for (size_t i = 0; i < 3 * file->nv; i++) {
    vertex[i] = scale * file->vertex[i];
    if (!isfinite(vertex[i]))
      return mb_error(file->report, MB_IO, file->where,
                      "mesh file %.300s: vertex %zu, scaled by %g, is too large for a number", file->path,
                      i / 3 + 1, scale);
  }
  return MB_OK;
}

static MbStatus keep(const MbMeshFile *file, double scale, MbArena *arena, MbMesh **out) {
  if (!file->nt)
    return mb_error(file->report, MB_IO, file->where, "mesh file %.300s has no triangles", file->path);
  MbMesh *mesh = mb_arena_alloc(arena, 1, sizeof *mesh);
  int32_t *triangle = mb_arena_alloc(arena, file->nt, 3 * sizeof *triangle);
  double *vertex = NULL;
  if (!mesh || !triangle) return mb_no_memory(file->report, "a mesh");
  const MbStatus status = keep_vertices(file, scale, arena, &vertex);
  if (status) return status;
  memcpy(triangle, file->triangle, file->nt * 3 * sizeof *triangle);
  *mesh = (MbMesh){.nv = file->nv, .nt = file->nt, .vertex = vertex, .triangle = triangle};
  *out = mesh;
  return MB_OK;
}

static MbStatus keep_elements(const MbMeshFile *file, double scale, MbArena *arena, MbElementMesh **out) {
  if (!file->nt && !file->ntets)
    return mb_error(file->report, MB_IO, file->where, "mesh file %.300s has neither tetrahedra nor triangles",
                    file->path);
  MbElementMesh *mesh = mb_arena_alloc(arena, 1, sizeof *mesh);
  uint32_t *triangle = mb_arena_alloc(arena, file->nt, 3 * sizeof *triangle);
  uint32_t *tet = mb_arena_alloc(arena, file->ntets, 4 * sizeof *tet);
  uint32_t *middle = file->middle ? mb_arena_alloc(arena, file->ntets, 6 * sizeof *middle) : NULL;
  double *x = NULL;
  if (!mesh || !triangle || !tet || (file->middle && !middle)) return mb_no_memory(file->report, "a mesh");
  const MbStatus status = keep_vertices(file, scale, arena, &x);
  if (status) return status;
  for (size_t i = 0; i < 3 * file->nt; i++) triangle[i] = (uint32_t)file->triangle[i];
  for (size_t i = 0; i < 4 * file->ntets; i++) tet[i] = (uint32_t)file->tet[i];
  for (size_t i = 0; middle && i < 6 * file->ntets; i++) middle[i] = (uint32_t)file->middle[i];
  *mesh = (MbElementMesh){.nodes = file->nv,
                          .tets = file->ntets,
                          .triangles = file->nt,
                          .x = x,
                          .tet = tet,
                          .middle = middle,
                          .triangle = triangle};
  *out = mesh;
  return MB_OK;
}

// ---- readers by ending ----

typedef MbStatus ReadMesh(MbMeshFile *file);
typedef struct Reader {
  const char *ending;
  ReadMesh *read;
} Reader;

static ReadMesh *reader_of(const char *path, const Reader *readers, size_t n) {
  const char *dot = strrchr(path, '.');
  for (size_t i = 0; dot && i < n; i++)
    if (strcasecmp(dot, readers[i].ending) == 0) return readers[i].read;
  return NULL;
}

static void discard(MbMeshFile *file) {
  mb_free(file->data);
  mb_free(file->vertex);
  mb_free(file->triangle);
  mb_free(file->tet);
  mb_free(file->middle);
}

MbStatus mb_mesh_read(const char *path, double scale, const char *where, MbArena *arena, MbMesh **mesh,
                      MbReport *report) {
  static const Reader readers[] = {{".obj", mb_read_obj}, {".stl", mb_read_stl}, {".ply", mb_read_ply}};
  *mesh = NULL;
  ReadMesh *read_mesh = reader_of(path, readers, sizeof readers / sizeof *readers);
  if (!read_mesh)
    return mb_error(report, MB_SCENE, where,
                    "mesh file %.300s: a name ending in .obj, .stl or .ply is wanted", path);
  MbMeshFile file = {.path = path, .where = where, .report = report};
  MbStatus status = mb_mesh_load(&file);
  if (!status) status = read_mesh(&file);
  if (!status) status = keep(&file, scale, arena, mesh);
  discard(&file);
  return status;
}

MbStatus mb_mesh_read_elements(const char *path, double scale, const char *where, MbArena *arena,
                               MbElementMesh **mesh, MbReport *report) {
  static const Reader readers[] = {{".msh", mb_read_msh},
                                   {".node", mb_read_tetgen},
                                   {".ele", mb_read_tetgen},
                                   {".vtk", mb_read_vtk},
                                   {".obj", mb_read_obj}};
  *mesh = NULL;
  ReadMesh *read_mesh = reader_of(path, readers, sizeof readers / sizeof *readers);
  if (!read_mesh)
    return mb_error(report, MB_SCENE, where,
                    "mesh file %.300s: a name ending in .msh, .node, .ele, .vtk or .obj is wanted", path);
  MbMeshFile file = {.path = path, .where = where, .report = report};
  MbStatus status = mb_mesh_load(&file);
  if (!status) status = read_mesh(&file);
  if (!status) status = keep_elements(&file, scale, arena, mesh);
  discard(&file);
  return status;
}

void mb_mesh_stretch(MbMesh *mesh, const double factor[3]) {
  for (size_t i = 0; i < 3 * (size_t)mesh->nv; i++) mesh->vertex[i] *= factor[i % 3];
  if (factor[0] * factor[1] * factor[2] > 0) return;
  for (size_t i = 0; i < (size_t)mesh->nt; i++) {
    const int32_t swap = mesh->triangle[3 * i + 1];
    mesh->triangle[3 * i + 1] = mesh->triangle[3 * i + 2], mesh->triangle[3 * i + 2] = swap;
  }
}
