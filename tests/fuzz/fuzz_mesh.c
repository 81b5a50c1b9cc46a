// Mesh files of any bytes. The first byte picks the format; what is read is weighed and triangulated as well.
#include "core/base/alloc.h"
#include "core/build/inertia.h"
#include "core/build/triangulate.h"
#include "io/mesh/mesh.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char *const endings[] = {".obj", ".stl", ".ply"};
  if (size == 0) return 0;
  const char *base = getenv("TMPDIR");
  char path[300];
  const int ending =
      snprintf(path, sizeof path, "%s/mbsim-fuzz-XXXXXX%s", base ? base : "/tmp", endings[data[0] % 3]);
  if (ending < 0 || (size_t)ending >= sizeof path) return 0;
  const int fd = mkstemps(path, 4);
  if (fd < 0) return 0;
  if (write(fd, data + 1, size - 1) == (ssize_t)(size - 1)) read_and_weigh(path);
  close(fd);
  unlink(path);
  return 0;
}
