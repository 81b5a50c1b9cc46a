// Mass properties of triangle meshes: those of the same bodies as composites, digits far from the origin, and meshes that bound no body.
#include "core/base/alloc.h"
#include "core/compile/inertia.h"
#include "core/compile/triangulate.h"
#include "core/math/quat.h"
#include "tests/core/math/near.h"

#include <string.h>

static const double PI = 3.14159265358979323846;
static const double DIGITS = 1e-12; // what a composite and a mesh of one body may differ by, at size one

static void tear_down(void) { cr_assert_eq(mb_alloc_live(), 0, "%d blocks leaked", (int)mb_alloc_live()); }
TestSuite(mesh_inertia, .fini = tear_down);

// An L of two boxes, [0,3]x[0,1]x[0,1] and [0,1]x[1,2]x[0,1], as one surface: a hexagon pulled up.
static const double l_vertex[36] = {0, 0, 0, 3, 0, 0, 3, 1, 0, 1, 1, 0, 1, 2, 0, 0, 2, 0,
                                    0, 0, 1, 3, 0, 1, 3, 1, 1, 1, 1, 1, 1, 2, 1, 0, 2, 1};
static const int32_t l_triangle[60] = {0,  2, 1,  0,  3,  2, 0,  4, 3, 0, 5,  4, 6,  7,  8, 6, 8, 9, 6, 9,
                                       10, 6, 10, 11, 0,  1, 7,  0, 7, 6, 1,  2, 8,  1,  8, 7, 2, 3, 9, 2,
                                       9,  8, 3,  4,  10, 3, 10, 9, 4, 5, 11, 4, 11, 10, 5, 0, 6, 5, 6, 11};

typedef struct Mesh {
  double vertex[36];
  int32_t triangle[60];
  MbMesh mesh;
} Mesh;

static void make_l(Mesh *m) {
  memcpy(m->vertex, l_vertex, sizeof l_vertex);
  memcpy(m->triangle, l_triangle, sizeof l_triangle);
  m->mesh = (MbMesh){.nv = 12, .nt = 20, .vertex = m->vertex, .triangle = m->triangle};
}

static void l_of_boxes(MbMassProperties *sum) {
  const MbShapeSpec boxes[2] = {
      {.kind = MB_SHAPE_BOX, .size = {3, 1, 1}, .frame = {{1.5, 0.5, 0.5}, {1, 0, 0, 0}}},
      {.kind = MB_SHAPE_BOX, .size = {1, 1, 1}, .frame = {{0.5, 1.5, 0.5}, {1, 0, 0, 0}}}};
  *sum = (MbMassProperties){0};
  for (int k = 0; k < 2; k++) {
    MbMassProperties p;
    cr_assert_eq(mb_shape_mass(&boxes[k], "", &p, NULL), MB_OK);
    mb_mass_move(&p, &boxes[k].frame);
    mb_mass_add(sum, &p);
  }
}

static void check_properties(const MbMassProperties *a, const MbMassProperties *b, double tolerance) {
  check_near("mass", &a->mass, &b->mass, 1, tolerance);
  check_near("center", a->center, b->center, 3, tolerance);
  check_near("inertia", a->inertia, b->inertia, 9, tolerance);
}

static MbMassProperties mass_of(const MbMesh *mesh) {
  MbReport report = {0};
  MbMassProperties p;
  cr_assert_eq(mb_mesh_mass(mesh, "/shape", &p, &report), MB_OK, "%s", report.issues[0].text);
  return p;
}

static void expect_error(const MbMesh *mesh, const char *part) {
  MbReport report = {0};
  MbMassProperties p;
  cr_assert_eq(mb_mesh_mass(mesh, "/bodies/2/shape", &p, &report), MB_SCENE, "wanted an error on \"%s\"",
               part);
  cr_assert_str_eq(report.issues[0].where, "/bodies/2/shape");
  cr_assert(strstr(report.issues[0].text, part), "\"%s\" does not say \"%s\"", report.issues[0].text, part);
}

Test(mesh_inertia, a_composite_and_the_mesh_of_its_surface_weigh_the_same) {
  Mesh m;
  make_l(&m);
  MbMassProperties boxes;
  l_of_boxes(&boxes);
  const MbMassProperties mesh = mass_of(&m.mesh);
  check_properties(&mesh, &boxes, DIGITS);
}

Test(mesh_inertia, and_so_they_do_turned_and_moved) {
  uint64_t seed = 1;
  for (int k = 0; k < 100; k++) {
    MbFrameSpec frame;
    random_numbers(&seed, frame.position, 3), random_numbers(&seed, frame.rotation, 4);
    mb_quat_normalise(frame.rotation);
    Mesh m;
    make_l(&m);
    MbMassProperties wanted, moved = mass_of(&m.mesh);
    l_of_boxes(&wanted);
    mb_mass_move(&wanted, &frame);
    mb_mass_move(&moved, &frame);
    for (int i = 0; i < 12; i++) {
      mb_quat_rotate(m.vertex + 3 * i, frame.rotation, m.vertex + 3 * i);
      mb_vec3_add(m.vertex + 3 * i, m.vertex + 3 * i, frame.position);
    }
    const MbMassProperties mesh = mass_of(&m.mesh);
    check_properties(&mesh, &wanted, DIGITS);
    check_properties(&moved, &wanted, DIGITS);
  }
}

// Corners that are whole numbers stay exact far away, and so must the inertia; the center keeps what 1e6
// leaves.
Test(mesh_inertia, keeps_its_digits_far_from_the_origin) {
  Mesh m;
  make_l(&m);
  const MbMassProperties here = mass_of(&m.mesh);
  static const double far[3] = {1e6, -2e6, 3e6};
  for (int i = 0; i < 36; i++) m.vertex[i] += far[i % 3];
  MbMassProperties there = mass_of(&m.mesh);
  for (int k = 0; k < 3; k++) there.center[k] -= far[k];
  check_near("mass", &there.mass, &here.mass, 1, 0);
  check_near("inertia", there.inertia, here.inertia, 9, 0);
  check_near("center", there.center, here.center, 3, 5e-10); // last digit of 3e6
}

// A power of two scales exactly, whatever the size.
Test(mesh_inertia, scales_by_the_third_and_the_fifth_power_exactly) {
  Mesh m;
  make_l(&m);
  const MbMassProperties one = mass_of(&m.mesh);
  for (int e = -200; e <= 200; e += 40) {
    make_l(&m);
    for (int i = 0; i < 36; i++) m.vertex[i] = ldexp(m.vertex[i], e);
    MbMassProperties p = mass_of(&m.mesh);
    p.mass = ldexp(p.mass, -3 * e);
    for (int i = 0; i < 3; i++) p.center[i] = ldexp(p.center[i], -e);
    for (int i = 0; i < 9; i++) p.inertia[i] = ldexp(p.inertia[i], -5 * e);
    check_properties(&p, &one, 0);
  }
}

Test(mesh_inertia, of_finer_and_finer_balls_comes_nearer_by_four_each_time) {
  const double FOUR = 0.1; // next order of the error: the ratio itself comes nearer to four by four each time
  const MbShapeSpec sphere = {.kind = MB_SHAPE_SPHERE, .radius = 1, .frame = {{1, 2, 3}, {1, 0, 0, 0}}};
  double before[2] = {0};
  for (int level = 1; level <= 5; level++) {
    MbArena arena = {0};
    MbMesh mesh;
    cr_assert_eq(mb_triangulate_level(&sphere, level, &arena, &mesh), MB_OK);
    const MbMassProperties p = mass_of(&mesh);
    check_near("center", p.center, sphere.frame.position, 3, DIGITS);
    const double error[2] = {4 * PI / 3 - p.mass, 8 * PI / 15 - p.inertia[0]};
    for (int i = 0; i < 2 && level >= 4; i++)
      cr_assert_float_eq(before[i] / error[i], 4, FOUR, "level %d: ratio %g", level, before[i] / error[i]);
    memcpy(before, error, sizeof error);
    mb_arena_free(&arena);
  }
}

// A box with a cavity: the inner surface is turned inwards and counts as negative volume.
Test(mesh_inertia, a_cavity_takes_away_what_it_holds) {
  MbArena arena = {0};
  const MbShapeSpec outer = {.kind = MB_SHAPE_BOX, .size = {2, 2, 2}, .frame = {{0, 0, 0}, {1, 0, 0, 0}}};
  const MbShapeSpec inner = {.kind = MB_SHAPE_BOX, .size = {1, 1, 1}, .frame = {{0.25, 0, 0}, {1, 0, 0, 0}}};
  MbMesh a, b;
  cr_assert_eq(mb_triangulate(&outer, &arena, &a), MB_OK);
  cr_assert_eq(mb_triangulate(&inner, &arena, &b), MB_OK);
  double vertex[16 * 3];
  int32_t triangle[24 * 3];
  memcpy(vertex, a.vertex, 24 * sizeof *vertex), memcpy(vertex + 24, b.vertex, 24 * sizeof *vertex);
  memcpy(triangle, a.triangle, 36 * sizeof *triangle);
  for (int t = 0; t < 36; t++) triangle[36 + t] = b.triangle[t / 3 * 3 + 2 - t % 3] + 8;
  const MbMesh both = {.nv = 16, .nt = 24, .vertex = vertex, .triangle = triangle};
  MbMassProperties hollow = mass_of(&both), plug = mass_of(&b), whole = mass_of(&a);
  mb_mass_add(&hollow, &plug);
  check_properties(&hollow, &whole, DIGITS);
  mb_arena_free(&arena);
}

Test(mesh_inertia, vertices_at_the_same_place_are_one) {
  // as exporters write them: three of its own for every triangle
  double vertex[180];
  int32_t triangle[66];
  for (int i = 0; i < 60; i++) {
    memcpy(vertex + 3 * i, l_vertex + 3 * l_triangle[i], 3 * sizeof(double));
    if (vertex[3 * i] == 0 && i % 2) vertex[3 * i] = -0.0;
    triangle[i] = i;
  }
  const MbMesh loose = {.nv = 60, .nt = 20, .vertex = vertex, .triangle = triangle};
  Mesh m;
  make_l(&m);
  const MbMassProperties p = mass_of(&loose), wanted = mass_of(&m.mesh);
  check_properties(&p, &wanted, 0);

  // triangles without area, whose corners are at one or two places, change nothing
  memcpy(triangle + 60, (const int32_t[]){0, 24, 1, 0, 24, 12}, 6 * sizeof *triangle);
  const MbMesh slivers = {.nv = 60, .nt = 22, .vertex = vertex, .triangle = triangle};
  cr_assert_eq(l_triangle[0], l_triangle[24]);
  const MbMassProperties q = mass_of(&slivers);
  check_properties(&q, &wanted, 0);
}

Test(mesh_inertia, an_open_mesh_is_refused_with_its_edges) {
  Mesh m;
  make_l(&m);
  m.mesh.nt = 19; // the last one, 5 6 11, is missing
  expect_error(&m.mesh, "not closed: 3 of its edges have not exactly two triangles");
  expect_error(&m.mesh, "that between vertices 6 and 7 has 1");
  make_l(&m);
  memcpy(m.triangle + 57, m.triangle, 3 * sizeof(int32_t));
  expect_error(&m.mesh, "not closed: 6 of its edges");
}

Test(mesh_inertia, a_triangle_turned_round_is_refused) {
  Mesh m;
  make_l(&m);
  m.triangle[0] = 2, m.triangle[1] = 0; // 0 2 1 -> 2 0 1
  expect_error(&m.mesh, "not oriented alike: at 3 edges, such as that between vertices 1 and 2");
}

Test(mesh_inertia, a_mesh_inside_out_is_refused_with_advice) {
  Mesh m;
  make_l(&m);
  for (int t = 0; t < 20; t++) {
    const int32_t swap = m.triangle[3 * t];
    m.triangle[3 * t] = m.triangle[3 * t + 1], m.triangle[3 * t + 1] = swap;
  }
  expect_error(&m.mesh, "inside out");
  expect_error(&m.mesh, "counter-clockwise");
}

Test(mesh_inertia, a_flat_mesh_is_refused_also_when_tilted) {
  static const double turns[][4] = {
      {1, 0, 0, 0}, {0.5, 0.5, 0.5, 0.5}, {0.8, 0.36, 0.48, 0}, {0.6, 0, 0.48, 0.64}};
  for (size_t k = 0; k < sizeof turns / sizeof *turns; k++) {
    Mesh m;
    make_l(&m);
    for (int i = 0; i < 12; i++) {
      m.vertex[3 * i + 2] = 0;
      m.vertex[3 * i] *= i < 6 ? 1 : 1.25; // the two hexagons are not the same, so that nothing is merged
      m.vertex[3 * i + 1] *= i < 6 ? 1 : 1.25;
      m.vertex[3 * i] += i < 6 ? 0 : 0.125;
      mb_quat_rotate(m.vertex + 3 * i, turns[k], m.vertex + 3 * i);
    }
    expect_error(&m.mesh, "flat");
  }
  Mesh m;
  make_l(&m);
  memset(m.vertex, 0, sizeof m.vertex);
  expect_error(&m.mesh, "same place");
}

Test(mesh_inertia, a_thin_plate_is_not_flat) {
  Mesh m;
  make_l(&m);
  const MbMassProperties thick = mass_of(&m.mesh);
  for (int i = 0; i < 12; i++) m.vertex[3 * i + 2] *= 1e-9;
  const MbMassProperties thin = mass_of(&m.mesh);
  cr_assert_float_eq(thin.mass * 1e9, thick.mass, DIGITS);
}

Test(mesh_inertia, indices_and_coordinates_that_cannot_be_are_refused) {
  Mesh m;
  make_l(&m), m.triangle[7] = 12;
  expect_error(&m.mesh, "triangle 3 of the mesh has vertex 13, but there are 12");
  make_l(&m), m.triangle[8] = -1;
  expect_error(&m.mesh, "triangle 3 of the mesh has vertex 0");
  make_l(&m), m.triangle[2] = 0;
  expect_error(&m.mesh, "triangle 1 of the mesh has vertex 1 twice");
  make_l(&m), m.vertex[4] = NAN;
  expect_error(&m.mesh, "vertex 2 of the mesh is not finite: y is");
  make_l(&m), m.vertex[35] = -INFINITY;
  expect_error(&m.mesh, "vertex 12 of the mesh is not finite: z is");
  make_l(&m), m.mesh.nt = 0;
  expect_error(&m.mesh, "at least 4");
}

Test(mesh_inertia, sizes_beyond_what_numbers_hold_are_refused) {
  static const double sizes[] = {1e-310, 1e-100, 1e-64, 1e64, 1e100, 1e307};
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
    Mesh m;
    make_l(&m);
    for (int i = 0; i < 36; i++) m.vertex[i] *= sizes[k];
    expect_error(&m.mesh, "too");
  }
}

// Two balls, the larger one turned inwards about a corner of the first: closed and oriented, but no body.
Test(mesh_inertia, a_mesh_that_crosses_itself_into_no_body_is_refused) {
  Mesh m;
  make_l(&m);
  double vertex[72];
  int32_t triangle[120];
  for (int i = 0; i < 36; i++)
    vertex[i] = l_vertex[i], vertex[36 + i] = 0.9 * l_vertex[i] * (i % 3 ? 1 : 1.2);
  for (int i = 0; i < 60; i++)
    triangle[i] = l_triangle[i], triangle[60 + i] = l_triangle[i / 3 * 3 + 2 - i % 3] + 12;
  for (int i = 36; i < 72; i += 3) vertex[i] += 20;
  const MbMesh both = {.nv = 24, .nt = 40, .vertex = vertex, .triangle = triangle};
  expect_error(&both, "crosses itself");
}

Test(mesh_inertia, memory_that_runs_out_is_an_error_and_no_leak) {
  Mesh m;
  make_l(&m);
  for (int calls = 0; calls < 3; calls++) {
    MbReport report = {0};
    MbMassProperties p;
    mb_alloc_fail_after(calls);
    const MbStatus status = mb_mesh_mass(&m.mesh, "", &p, &report);
    mb_alloc_fail_after(-1);
    cr_assert_eq(status, MB_IO, "after %d calls", calls);
    cr_assert_eq(mb_alloc_live(), 0);
  }
}
