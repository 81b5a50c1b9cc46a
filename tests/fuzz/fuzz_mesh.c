// Mesh files of any bytes. The first byte picks the format; what is read is weighed and triangulated as well;
// meshes of elements are checked.
#include "core/base/alloc.h"
#include "core/compile/inertia.h"
#include "core/compile/triangulate.h"
#include "core/deformables/mesh_check.h"
#include "io/mesh/mesh.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_and_weigh(const char *path) {
  MbArena arena = {0};
  MbReport report = {0};
  MbMesh *mesh = NULL;
  if (mb_mesh_read(path, 1, "/file", &arena, &mesh, &report) == MB_OK) {
    MbMassProperties p;
    const bool good = mb_mesh_mass(mesh, "/file", &p, &report) == MB_OK;
    if (good && !(p.mass > 0)) abort();
    if (!good && report.errors == 0) abort();
    const MbShapeSpec shape = {.kind = MB_SHAPE_MESH, .mesh = mesh, .frame = {{0, 0, 0}, {1, 0, 0, 0}}};
    MbMesh copy;
    if (mb_triangulate(&shape, &arena, &copy) || copy.nt != mesh->nt) abort();
  } else if (mesh || !report.errors) {
    abort();
  }
  mb_arena_free(&arena);
  if (mb_alloc_live()) abort();
}

// As a deformable's, and whether it can be one's.
static void read_and_check(const char *path) {
  MbArena arena = {0};
  MbReport report = {0};
  MbElementMesh *mesh = NULL;
  char fault[MB_MESH_FAULT] = "";
  if (mb_mesh_read_elements(path, 1, "/file", &arena, &mesh, &report) == MB_OK) {
    size_t turned = 0;
    if (mb_check_tets(mesh, &turned, fault) != MB_OK && !fault[0]) abort();
    if (mb_check_cloth(mesh, fault) != MB_OK && !fault[0]) abort();
  } else if (mesh || !report.errors) {
    abort();
  }
  mb_arena_free(&arena);
  if (mb_alloc_live()) abort();
}

static bool write_file(int fd, const uint8_t *data, size_t size) {
  const bool fine = fd >= 0 && write(fd, data, size) == (ssize_t)size;
  if (fd >= 0) close(fd);
  return fine;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char *const endings[] = {".obj", ".stl", ".ply", ".msh", ".vtk", ".ele", ".obj", ".msh"};
  if (size == 0) return 0;
  const char *base = getenv("TMPDIR");
  const int kind = data[0] % 8;
  char path[300], nodes[310] = "";
  const int ending =
      snprintf(path, sizeof path, "%s/mbsim-fuzz-XXXXXX%s", base ? base : "/tmp", endings[kind]);
  if (ending < 0 || (size_t)ending >= sizeof path) return 0;
  const int fd = mkstemps(path, 4);
  if (fd < 0) return 0;

  // of a pair of files, the first one ends at a %
  const uint8_t *rest = data + 1;
  const uint8_t *cut = kind == 5 ? memchr(rest, '%', size - 1) : NULL;
  bool fine = true;
  if (cut) {
    snprintf(nodes, sizeof nodes, "%.*s.node", ending - 4, path);
    fine = write_file(open(nodes, O_CREAT | O_WRONLY | O_TRUNC, 0600), rest, (size_t)(cut - rest));
    rest = cut + 1;
  }
  if (write_file(fd, rest, size - (size_t)(rest - data)) && fine) {
    if (kind < 3)
      read_and_weigh(path);
    else
      read_and_check(path);
  }
  if (nodes[0]) unlink(nodes);
  unlink(path);
  return 0;
}
