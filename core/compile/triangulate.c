// Every shape is written as loose triangles with three vertices each, which are merged at the end: neighbours
// compute their common corners by the same operations, so that these are equal to the last bit.
#include "core/compile/triangulate.h"
#include "core/base/alloc.h"
#include "core/compile/mesh_weld.h"
#include "core/math/quat.h"

#include <assert.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

// `s` holds the triangles so far, in memory that is large enough for all.
static void add(MbMesh *s, const double *a, const double *b, const double *c) {
  const double *corner[3] = {a, b, c};
  for (size_t k = 0; k < 3; k++) {
    s->triangle[3 * s->nt + k] = (int32_t)s->nv;
    mb_vec3_copy(s->vertex + 3 * s->nv++, corner[k]);
  }
  s->nt++;
}

static void add_quad(MbMesh *s, const double *a, const double *b, const double *c, const double *d) {
  add(s, a, b, c);
  add(s, a, c, d);
}

// ---- box ----

// The face whose outward normal is along ±axis: u, v and the normal are right-handed for +.
static void add_face(MbMesh *s, const double size[3], int axis, double sign) {
  const int u = (axis + 1) % 3, v = (axis + 2) % 3;
  double corner[4][3];
  for (int k = 0; k < 4; k++) {
    corner[k][axis] = sign * size[axis] / 2;
    corner[k][u] = (k == 0 || k == 3 ? -1 : 1) * size[u] / 2;
    corner[k][v] = (k < 2 ? -sign : sign) * size[v] / 2;
  }
  add_quad(s, corner[0], corner[1], corner[2], corner[3]);
}

static void add_box(MbMesh *s, const double size[3]) {
  for (int axis = 0; axis < 3; axis++) {
    add_face(s, size, axis, 1);
    add_face(s, size, axis, -1);
  }
}

// ---- sphere and ellipsoid ----

static void middle(double m[3], const double a[3], const double b[3]) {
  mb_vec3_add(m, a, b);
  mb_vec3_scale(m, 1 / mb_vec3_norm(m), m);
}

// A triangle of the unit sphere, split in four `level` times.
static void add_split(MbMesh *s, const double radii[3], int level, const double *a, const double *b,
                      const double *c) {
  double x[3], y[3], z[3];
  if (level == 0) {
    for (int k = 0; k < 3; k++) x[k] = radii[k] * a[k], y[k] = radii[k] * b[k], z[k] = radii[k] * c[k];
    add(s, x, y, z);
    return;
  }
  middle(x, b, c), middle(y, c, a), middle(z, a, b);
  add_split(s, radii, level - 1, a, z, y);
  add_split(s, radii, level - 1, z, b, x);
  add_split(s, radii, level - 1, y, x, c);
  add_split(s, radii, level - 1, x, y, z);
}

// The icosahedron of edge 2: (0, ±1, ±φ) and its turns; its faces are the triples at distance 2 of each
// other.
static void add_ellipsoid(MbMesh *s, const double radii[3], int level) {
  const double phi = (1 + sqrt(5)) / 2;
  double corner[12][3], d[3];
  for (int k = 0; k < 12; k++) {
    const int axis = k / 4;
    corner[k][axis] = 0;
    corner[k][(axis + 1) % 3] = k & 1 ? -1 : 1;
    corner[k][(axis + 2) % 3] = k & 2 ? -phi : phi;
  }
  bool near[12][12];
  for (int i = 0; i < 12; i++)
    for (int j = 0; j < 12; j++) {
      mb_vec3_sub(d, corner[i], corner[j]);
      near[i][j] = i != j && mb_vec3_dot(d, d) < 4.5;
    }
  for (int i = 0; i < 12; i++) mb_vec3_scale(corner[i], 1 / mb_vec3_norm(corner[i]), corner[i]);
  for (int i = 0; i < 12; i++)
    for (int j = i + 1; j < 12; j++)
      for (int k = j + 1; k < 12; k++) {
        if (!near[i][j] || !near[j][k] || !near[k][i]) continue;
        mb_vec3_cross(d, corner[j], corner[k]);
        const bool outward = mb_vec3_dot(corner[i], d) > 0;
        add_split(s, radii, level, corner[i], corner[outward ? j : k], corner[outward ? k : j]);
      }
}

// ---- solids of revolution ----

typedef struct Point {
  double radius, height;
} Point;

static int sides_at(int level) { return 6 << level; }

static void on_ring(double x[3], Point p, int side, int sides) {
  const double angle = 2 * PI * (side % sides) / sides;
  mb_vec3_set(x, p.radius * cos(angle), p.radius * sin(angle), p.height);
}

// The band between two rings, the upper one second; merging drops the triangles that a pole makes empty.
static void add_band(MbMesh *s, Point low, Point high, int sides) {
  for (int k = 0; k < sides; k++) {
    double a[3], b[3], c[3], d[3];
    on_ring(a, low, k, sides), on_ring(b, low, k + 1, sides);
    on_ring(c, high, k + 1, sides), on_ring(d, high, k, sides);
    add_quad(s, a, b, c, d);
  }
}

static void add_cylinder(MbMesh *s, double radius, double length, int level) {
  const double h = length / 2;
  add_band(s, (Point){0, -h}, (Point){radius, -h}, sides_at(level));
  add_band(s, (Point){radius, -h}, (Point){radius, h}, sides_at(level));
  add_band(s, (Point){radius, h}, (Point){0, h}, sides_at(level));
}

// Ring i of n of a cap, from the equator (0) to the pole (n); `up` is 1 or -1.
static Point on_cap(double radius, double length, double up, int i, int n) {
  if (i == n) return (Point){0, up * (length / 2 + radius)};
  const double angle = PI / 2 * i / n;
  return (Point){radius * cos(angle), up * (length / 2 + radius * sin(angle))};
}

static int cap_rings(int level) { return level ? sides_at(level) / 4 : 2; }

static void add_capsule(MbMesh *s, double radius, double length, int level) {
  const int sides = sides_at(level), n = cap_rings(level);
  for (int i = 0; i < n; i++) {
    add_band(s, on_cap(radius, length, -1, i + 1, n), on_cap(radius, length, -1, i, n), sides);
    add_band(s, on_cap(radius, length, 1, i, n), on_cap(radius, length, 1, i + 1, n), sides);
  }
  add_band(s, on_cap(radius, length, -1, 0, n), on_cap(radius, length, 1, 0, n), sides);
}

// ---- all ----

static size_t loose_triangles(const MbShapeSpec *shape, int level) {
  const size_t sides = (size_t)sides_at(level);
  switch (shape->kind) {
  case MB_SHAPE_BOX:
    return 12;
  case MB_SHAPE_SPHERE:
  case MB_SHAPE_ELLIPSOID:
    return (size_t)20 << 2 * level;
  case MB_SHAPE_CYLINDER:
    return 3 * 2 * sides;
  case MB_SHAPE_CAPSULE:
    return (2 * (size_t)cap_rings(level) + 1) * 2 * sides;
  case MB_SHAPE_MESH:
  case MB_SHAPE_PLANE:
  case MB_SHAPES:
    break;
  }
  return 0;
}

static void add_shape(MbMesh *s, const MbShapeSpec *shape, int level) {
  switch (shape->kind) {
  case MB_SHAPE_BOX:
    add_box(s, shape->size);
    break;
  case MB_SHAPE_SPHERE: {
    const double radii[3] = {shape->radius, shape->radius, shape->radius};
    add_ellipsoid(s, radii, level);
    break;
  }
  case MB_SHAPE_ELLIPSOID:
    add_ellipsoid(s, shape->size, level);
    break;
  case MB_SHAPE_CYLINDER:
    add_cylinder(s, shape->radius, shape->length, level);
    break;
  case MB_SHAPE_CAPSULE:
    add_capsule(s, shape->radius, shape->length, level);
    break;
  case MB_SHAPE_MESH:
  case MB_SHAPE_PLANE:
  case MB_SHAPES:
    break;
  }
}

// mesh ← `from` in the body's frame, in the arena.
static MbStatus keep(const MbMesh *from, const MbFrameSpec *frame, MbArena *arena, MbMesh *mesh) {
  double *vertex = mb_arena_alloc(arena, from->nv, 3 * sizeof *vertex);
  int32_t *triangle = mb_arena_alloc(arena, from->nt, 3 * sizeof *triangle);
  if (!vertex || !triangle) return MB_IO;
  for (size_t i = 0; i < from->nv; i++) {
    mb_quat_rotate(vertex + 3 * i, frame->rotation, from->vertex + 3 * i);
    mb_vec3_add(vertex + 3 * i, vertex + 3 * i, frame->position);
  }
  if (from->nt) memcpy(triangle, from->triangle, from->nt * 3 * sizeof *triangle);
  *mesh = (MbMesh){.nv = from->nv, .nt = from->nt, .vertex = vertex, .triangle = triangle};
  return MB_OK;
}

MbStatus mb_triangulate_level(const MbShapeSpec *shape, int level, MbArena *arena, MbMesh *mesh) {
  assert(level >= 0 && level <= MB_TRIANGULATE_FINEST);
  *mesh = (MbMesh){0};
  if (shape->kind == MB_SHAPE_MESH)
    return shape->mesh ? keep(shape->mesh, &shape->frame, arena, mesh) : MB_OK;
  const size_t n = loose_triangles(shape, level);
  if (!n) return MB_OK;

  MbMesh soup = {.vertex = mb_calloc(n, 9 * sizeof(double)), .triangle = mb_calloc(n, 3 * sizeof(int32_t))};
  MbStatus status = soup.vertex && soup.triangle ? MB_OK : MB_IO;
  if (!status) {
    add_shape(&soup, shape, level);
    assert(soup.nt == n);
    status = mb_mesh_merge(&soup, NULL);
  }
  if (!status) status = keep(&soup, &shape->frame, arena, mesh);
  mb_free(soup.vertex);
  mb_free(soup.triangle);
  return status;
}

MbStatus mb_triangulate(const MbShapeSpec *shape, MbArena *arena, MbMesh *mesh) {
  return mb_triangulate_level(shape, MB_TRIANGULATE_LEVEL, arena, mesh);
}
