#include "core/base/alloc.h"
#include "core/compile/inertia.h"
#include "core/compile/triangulate.h"
#include "core/math/quat.h"
#include "tests/core/math/near.h"

#include <string.h>

static void tear_down(void) { cr_assert_eq(mb_alloc_live(), 0, "%d blocks leaked", (int)mb_alloc_live()); }
TestSuite(triangulate, .fini = tear_down);

static const MbFrameSpec moved = {{1, -2, 3}, {0.8, 0.36, 0.48, 0}};
static const MbFrameSpec at_origin = {{0, 0, 0}, {1, 0, 0, 0}};

static MbShapeSpec some_shape(MbShapeKind kind) {
  return (MbShapeSpec){.kind = kind, .size = {0.5, 0.8, 1.3}, .radius = 0.6, .length = 1.5, .frame = moved};
}

static MbMassProperties mesh_mass(const MbMesh *mesh) {
  MbReport report = {0};
  MbMassProperties p;
  cr_assert_eq(mb_mesh_mass(mesh, "", &p, &report), MB_OK, "%s", report.issues[0].text);
  return p;
}

static MbMassProperties true_mass(const MbShapeSpec *shape) {
  MbMassProperties p;
  cr_assert_eq(mb_shape_mass(shape, "", &p, NULL), MB_OK);
  mb_mass_move(&p, &shape->frame);
  return p;
}

Test(triangulate, a_box_is_twelve_triangles_of_exactly_its_mass) {
  MbArena arena = {0};
  MbMesh mesh;
  const MbShapeSpec box = some_shape(MB_SHAPE_BOX);
  cr_assert_eq(mb_triangulate(&box, &arena, &mesh), MB_OK);
  cr_assert_eq(mesh.nv, 8);
  cr_assert_eq(mesh.nt, 12);
  const MbMassProperties p = mesh_mass(&mesh), q = true_mass(&box);
  check_near("mass", &p.mass, &q.mass, 1, 1e-14);
  check_near("center", p.center, q.center, 3, 1e-14);
  check_near("inertia", p.inertia, q.inertia, 9, 1e-14);
  mb_arena_free(&arena);
}

// Being closed and not inside out is part of what mb_mesh_mass demands; the error must fall by four a level.
Test(triangulate, round_shapes_come_nearer_to_their_true_mass_by_four_each_level) {
  const double FOUR = 0.15;
  static const MbShapeKind kinds[] = {MB_SHAPE_SPHERE, MB_SHAPE_CAPSULE, MB_SHAPE_CYLINDER,
                                      MB_SHAPE_ELLIPSOID};
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    const MbShapeSpec shape = some_shape(kinds[k]);
    const MbMassProperties wanted = true_mass(&shape);
    double before[10] = {0};
    for (int level = 0; level <= 5; level++) {
      MbArena arena = {0};
      MbMesh mesh;
      cr_assert_eq(mb_triangulate_level(&shape, level, &arena, &mesh), MB_OK);
      const MbMassProperties p = mesh_mass(&mesh);
      check_near("center", p.center, wanted.center, 3, 1e-13);
      double error[10] = {wanted.mass - p.mass};
      for (int i = 0; i < 9; i++) error[1 + i] = wanted.inertia[i] - p.inertia[i];
      cr_assert_gt(error[0], 0, "corners lie on the surface, so that the mesh is smaller");
      // the moments of inertia, too (those off the diagonal may be small by chance)
      for (int i = 0; level >= 4 && i < 10; i += i ? 4 : 1)
        cr_assert_float_eq(before[i] / error[i], 4, FOUR, "%s, level %d, number %d: ratio %g",
                           mb_shape_words[kinds[k]], level, i, before[i] / error[i]);
      memcpy(before, error, sizeof error);
      mb_arena_free(&arena);
    }
  }
}

// All the shapes are convex: every triangle looks away from the middle.
Test(triangulate, every_normal_points_outward) {
  for (int kind = MB_SHAPE_BOX; kind <= MB_SHAPE_ELLIPSOID; kind++) {
    const MbShapeSpec shape = some_shape((MbShapeKind)kind);
    MbArena arena = {0};
    MbMesh mesh;
    cr_assert_eq(mb_triangulate(&shape, &arena, &mesh), MB_OK);
    for (size_t t = 0; t < mesh.nt; t++) {
      double x[3][3], n[3], out[3];
      for (int k = 0; k < 3; k++) mb_vec3_copy(x[k], mesh.vertex + 3 * mesh.triangle[3 * t + (size_t)k]);
      mb_vec3_sub(out, x[0], moved.position);
      mb_vec3_sub(x[1], x[1], x[0]), mb_vec3_sub(x[2], x[2], x[0]), mb_vec3_cross(n, x[1], x[2]);
      cr_assert_gt(mb_vec3_dot(n, out), 0, "%s, triangle %zu", mb_shape_words[kind], t);
    }
    mb_arena_free(&arena);
  }
}

Test(triangulate, numbers_of_triangles_are_those_promised) {
  for (int level = 0; level <= 4; level++) {
    MbArena arena = {0};
    MbMesh mesh;
    const size_t four = (size_t)1 << 2 * level, sides = (size_t)6 << level;
    MbShapeSpec shape = some_shape(MB_SHAPE_SPHERE);
    cr_assert_eq(mb_triangulate_level(&shape, level, &arena, &mesh), MB_OK);
    cr_assert_eq(mesh.nt, 20 * four);
    cr_assert_eq(mesh.nv, 10 * four + 2);
    shape = some_shape(MB_SHAPE_CYLINDER);
    cr_assert_eq(mb_triangulate_level(&shape, level, &arena, &mesh), MB_OK);
    cr_assert_eq(mesh.nt, 4 * sides);
    cr_assert_eq(mesh.nv, 2 * sides + 2);
    mb_arena_free(&arena);
  }
}

Test(triangulate, a_plane_gives_none_and_a_mesh_itself) {
  MbArena arena = {0};
  MbMesh box, copy;
  const MbShapeSpec plane = {.kind = MB_SHAPE_PLANE, .normal = {0, 0, 1}, .frame = at_origin};
  cr_assert_eq(mb_triangulate(&plane, &arena, &copy), MB_OK);
  cr_assert_eq(copy.nv, 0);
  cr_assert_eq(copy.nt, 0);

  MbShapeSpec shape = some_shape(MB_SHAPE_BOX);
  cr_assert_eq(mb_triangulate(&shape, &arena, &box), MB_OK);
  shape = (MbShapeSpec){.kind = MB_SHAPE_MESH, .mesh = &box, .frame = at_origin};
  cr_assert_eq(mb_triangulate(&shape, &arena, &copy), MB_OK);
  cr_assert_eq(copy.nt, box.nt);
  cr_assert_arr_eq(copy.triangle, box.triangle, 3 * box.nt * sizeof(int32_t));
  check_near("vertices", copy.vertex, box.vertex, 3 * box.nv, 0);
  shape.frame = moved;
  cr_assert_eq(mb_triangulate(&shape, &arena, &copy), MB_OK);
  double wanted[3];
  mb_quat_rotate(wanted, moved.rotation, box.vertex + 9);
  mb_vec3_add(wanted, wanted, moved.position);
  check_near("vertex", copy.vertex + 9, wanted, 3, 0);
  mb_arena_free(&arena);
}

Test(triangulate, memory_that_runs_out_is_an_error_and_no_leak) {
  const MbShapeSpec shape = some_shape(MB_SHAPE_SPHERE);
  MbStatus status = MB_IO;
  for (int calls = 0; status; calls++) {
    MbArena arena = {0};
    MbMesh mesh;
    mb_alloc_fail_after(calls);
    status = mb_triangulate(&shape, &arena, &mesh);
    mb_alloc_fail_after(-1);
    cr_assert(status == MB_IO || (status == MB_OK && calls > 3), "%d calls", calls);
    mb_arena_free(&arena);
    cr_assert_eq(mb_alloc_live(), 0);
  }
}
