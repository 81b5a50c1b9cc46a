// Where triangles meet solids, as a device finds it (gpu/kernels/meet_kernels.h), beside the processor's own (core/collision/facet.h): every shape, a
// triangle after the other by loops, random ones and those that lie along something, have no area, or are in the solid. The points are the same
// bits, in the same order; what does not fit the device's rooms is left.
#include "core/base/alloc.h"
#include "core/collision/facet.h"
#include "core/collision/nearest.h"
#include "gpu/backend.h"
#include "gpu/kernels/meet_kernels.h"
#include "tests/core/collision/collide_make.h"
#include "tests/core/collision/hull_make.h"
#include "tests/core/collision/mesh_make.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
  TRIANGLES = 400,
  MOST = 4500, // more than a chunk of chunks
  EACH = MB_CONTACT_POINTS,
  ROOMS = 7
};

// Triangles by their corners, each with nodes of its own, and what is found of them.
typedef struct Made {
  uint32_t n;
  double x[9 * MOST], v[9 * MOST];
  uint32_t corner[3 * MOST], list[MOST], points[MOST], some[MOST], many[MOST];
  MbContactPoint point[EACH * MOST];
  MbMeetRoom room[ROOMS];
  MbMeetMesh mesh[ROOMS];
  MbNearWord told[MB_NEAR_HEAD + (1 + MB_MEET_WORDS * EACH) * MOST];
} Made;

// Lets all triangles meet the shape by loops.
static void meet_by_loops(Made *made, const MbShape *shape, const MbPose *E, double reach) {
  const uint64_t first[3] = {0, 0, made->n};
  MbNearPair pair = {.half = reach, .facets = true};
  MbNearSolid solid = {.way = 0};
  const MbNearOf surface = {.corner = made->corner, .ntriangles = made->n};
  mb_vec3_copy(solid.p, E->p);
  mb_quat_to_mat3(solid.R, E->q);
  for (uint32_t i = 0; i < 3 * made->n; i++) made->corner[i] = i, made->list[i / 3] = i / 3;
  made->told->word[0] = made->n, made->told->word[1] = 0;
  const MbNearArgs args = {.x = made->x,
                           .v = made->v,
                           .shape = shape,
                           .solid = &solid,
                           .surface = &surface,
                           .pair = &pair,
                           .first = first,
                           .pairs = 1,
                           .things = made->n,
                           .list = made->list,
                           .told = made->told,
                           .room = made->room,
                           .rooms = ROOMS,
                           .mesh = made->mesh,
                           .meshes = ROOMS,
                           .meets = made->n,
                           .each = EACH,
                           .point = made->point,
                           .points = made->points,
                           .some = made->some,
                           .many = made->many};
  const size_t chunks = (made->n + MB_NEAR_CHUNK - 1) / MB_NEAR_CHUNK;
  char why[256];
  MbGpu *gpu = mb_loops_backend.open(sizeof why, why);
  mb_loops_backend.run(gpu, MB_RUN_mb_near_meet, ROOMS, &args);
  mb_loops_backend.run(gpu, MB_RUN_mb_near_mesh, ROOMS, &args);
  mb_loops_backend.run(gpu, MB_RUN_mb_near_some, chunks, &args);
  mb_loops_backend.run(gpu, MB_RUN_mb_near_many, (chunks + MB_NEAR_CHUNK - 1) / MB_NEAR_CHUNK, &args);
  mb_loops_backend.run(gpu, MB_RUN_mb_near_tell, made->n, &args);
  mb_loops_backend.run(gpu, MB_RUN_mb_near_points, chunks, &args);
  mb_loops_backend.close(gpu);
}

// Whether what is told of a point is this one, to the last bit.
static bool is_told(const MbNearWord *at, const MbContactPoint *point) {
  const double own[7] = {point->position[0], point->position[1], point->position[2], point->normal[0],
                         point->normal[1],   point->normal[2],   point->gap};
  return !memcmp(at, own, sizeof own) && at[7].word[0] == point->feature_a &&
         at[7].word[1] == point->feature_b;
}

typedef struct Counts {
  size_t touching, points, at_nodes, left;
} Counts;

// Where the processor finds that a triangle meets the shape, but at the triangle's corners, which nobody asks for: these
// are counted.
static int wanted(const double *const corner[3], const MbShape *shape, const MbPose *E, double reach,
                  MbContactPoint own[EACH], size_t *at_nodes) {
  MbContactPoint all[EACH];
  double on[3], weight[3];
  const int n = mb_collide_facet(corner, shape, E, reach, all);
  int kept = 0;
  for (int k = 0; k < n; k++) {
    mb_vec3_add_scaled(on, all[k].position, -all[k].gap / 2, all[k].normal);
    const unsigned held = mb_nearest_on_triangle(on, corner, MB_NEAR_AT_NODE, weight);
    if (held != 1 && held != 2 && held != 4) own[kept++] = all[k];
  }
  *at_nodes += (size_t)(n - kept);
  return kept;
}

// What is told of all triangles is what the processor finds, but for those that are left.
static Counts compare(Made *made, const MbShape *shape, const MbPose *E, double reach, const char *what) {
  MbContactPoint own[EACH];
  Counts counts = {0};
  meet_by_loops(made, shape, E, reach);
  const MbNearWord *face = made->told + MB_NEAR_HEAD, *at = face + made->n;
  for (size_t t = 0; t < made->n; t++) {
    const double *const x = made->x + 9 * t, *const corner[3] = {x, x + 3, x + 6};
    const uint32_t told = face[t].word[1];
    cr_assert_eq(face[t].word[0], t);
    if (told == MB_NEAR_LEFT) {
      counts.left++;
      continue;
    }
    // near_triangle_reach adds the share of a size of 0, and nothing moves
    const int n = wanted(corner, shape, E, reach, own, &counts.at_nodes);
    cr_assert_eq(told, n, "%s, triangle %zu: %u points, %d wanted", what, t, told, n);
    for (int k = 0; k < n; k++, at += MB_MEET_WORDS)
      cr_assert(is_told(at, &own[k]), "%s, triangle %zu, point %d of %d: gap %.17g, %.17g wanted", what, t, k,
                n, at[6].number, own[k].gap);
    counts.touching += n > 0, counts.points += (size_t)n;
  }
  cr_assert_eq(made->told[1].word[0], counts.points, "%s: %u points in all", what, made->told[1].word[0]);
  return counts;
}

// A random triangle of edges up to `size` about a place.
static void random_triangle(uint64_t *seed, const double at[3], double size, double *x) {
  for (int i = 0; i < 9; i++) x[i] = at[i % 3] + size * (2 * test_random(seed) - 1);
}

// Random ones of all sizes, in quarters; and such that lie along the world's planes by whole parts, have two corners in one place or three on a line,
// are tiny, or have the solid's middle in them.
static void make_triangles(Made *made, uint64_t *seed, const MbPose *E) {
  memset(made->v, 0, sizeof made->v);
  for (size_t t = 0; t < made->n; t++) {
    double *const x = made->x + 9 * t, at[3];
    for (int k = 0; k < 3; k++) at[k] = E->p[k] + 0.8 * (2 * test_random(seed) - 1);
    random_triangle(seed, at, 0.1 + 0.9 * test_random(seed), x);
    if (t % 8 == 1) // along planes
      for (int i = 0; i < 9; i++) x[i] = i % 3 == (int)(t / 8 % 3) ? at[i % 3] : floor(4 * x[i]) / 4;
    if (t % 16 == 2) mb_vec3_copy(x + 6, x);
    if (t % 16 == 10)
      for (int k = 0; k < 3; k++) x[6 + k] = 2 * x[3 + k] - x[k];
    if (t % 16 == 3) random_triangle(seed, at, 1e-7, x);
    if (t % 16 == 4)
      for (int k = 0; k < 3; k++) x[6 + k] = 3 * E->p[k] - x[k] - x[3 + k];
  }
}

// Random and aligned poses of a shape.
static Counts compare_poses(const MbShape *shape, uint64_t seed, const char *what) {
  Made *made = mb_calloc(1, sizeof *made);
  made->n = TRIANGLES;
  Counts all = {0};
  for (int k = 0; k < 6; k++) {
    const MbPose E = k % 2 ? made_aligned_pose(&seed) : made_pose(&seed, 1);
    make_triangles(made, &seed, &E);
    const Counts counts = compare(made, shape, &E, k < 4 ? 0.05 : 0.5, what);
    all.touching += counts.touching, all.points += counts.points, all.left += counts.left;
    all.at_nodes += counts.at_nodes;
  }
  mb_free(made);
  printf("  %-24s %4zu triangles touch by %5zu points, %4zu at nodes, %zu left\n", what, all.touching,
         all.points, all.at_nodes, all.left);
  cr_expect_gt(all.touching, 200, "%s: %zu touch", what, all.touching);
  return all;
}

Test(meet, triangles_meet_what_is_convex_there_as_here) {
  static const char *const name[MB_FORMS] = {"plane",     "sphere", "capsule", "cylinder",
                                             "ellipsoid", "box",    "hull",    "mesh"};
  for (MbForm form = MB_FORM_SPHERE; form <= MB_FORM_BOX; form++)
    for (uint64_t seed = 1; seed <= 2; seed++) {
      uint64_t sizes = seed;
      const MbShape shape = made_shape(&sizes, form);
      cr_expect_eq(compare_poses(&shape, 10 * seed + form, name[form]).left, 0);
    }
  const MbShape disk = mb_shape_cylinder(0.4, 0), needle = mb_shape_capsule(1e-6, 1);
  cr_expect_eq(compare_poses(&disk, 5, "disk").left, 0);
  cr_expect_eq(compare_poses(&needle, 6, "needle").left, 0);
}

// Their points are added up by chunks and chunks of chunks.
Test(meet, thousands_of_triangles_are_told_in_their_order) {
  uint64_t seed = 7;
  Made *made = mb_calloc(1, sizeof *made);
  const MbShape shape = mb_shape_box((double[]){0.8, 0.7, 0.6});
  const MbPose E = made_pose(&seed, 1);
  made->n = MOST;
  make_triangles(made, &seed, &E);
  const Counts counts = compare(made, &shape, &E, 0.1, "box");
  cr_expect_gt(counts.touching, 1000, "%zu touch", counts.touching);
  mb_free(made);
}

Test(meet, triangles_meet_hulls_there_as_here) {
  uint64_t seed = 3;
  MbHull *const hull[] = {made_hull(&seed, 12), made_prism(5, 0.5, 0.2),
                          made_prism(MB_MEET_CORNERS, 0.5, 0.3)};
  for (size_t k = 0; k < sizeof hull / sizeof *hull; k++) {
    const MbShape shape = mb_shape_hull(hull[k]);
    cr_expect_eq(compare_poses(&shape, 20 + k, "hull").left, 0);
    mb_hull_free(hull[k]);
  }
}

// A face of more corners than there is room for: what lies flat on it is left, the rest is not.
Test(meet, triangles_on_faces_of_many_corners_are_left) {
  MbHull *const hull = made_prism(MB_MEET_CORNERS + 1, 0.5, 0.3);
  const MbShape shape = mb_shape_hull(hull);
  const Counts counts = compare_poses(&shape, 30, "hull of many corners");
  cr_expect(counts.left > 5 && counts.left < counts.touching, "%zu left", counts.left);
  mb_hull_free(hull);
}

Test(meet, triangles_meet_meshes_there_as_here) {
  static const double star[] = {0.8,  0, 0.25,  0.25,  0, 0.8,  -0.25, 0.25,
                                -0.8, 0, -0.25, -0.25, 0, -0.8, 0.25,  -0.25};
  static const char *const name[] = {"star", "torus", "cone", "sheet", "slab"};
  uint64_t seed = 4;
  MbSkin *const skin[] = {made_star(8, star, 0.3), made_torus(0.5, 0.2, 10, 6), made_cone(0.6, 0.9, 9),
                          made_sheet(&seed, 3, 0.8, 0), made_sheet(&seed, 3, 0.8, 0.3)};
  for (size_t k = 0; k < sizeof skin / sizeof *skin; k++) {
    const MbShape shape = mb_shape_mesh(skin[k]);
    const Counts counts = compare_poses(&shape, 40 + k, name[k]);
    cr_expect_lt(counts.left, counts.touching / 20, "%s: %zu left", name[k], counts.left);
    mb_skin_free(skin[k]);
  }
}

// n x n squares of which every other corner is up: what lies on it touches all of these.
static MbSkin *make_bumps(uint32_t n) {
  double *x = mb_calloc(3 * (size_t)(n + 1) * (n + 1), sizeof *x);
  uint32_t *corner = mb_calloc(6 * (size_t)n * n, sizeof *corner), *to = corner, at = 0;
  MbSkin *skin = NULL;
  for (uint32_t i = 0; i < (n + 1) * (n + 1); i++) {
    const uint32_t row = i / (n + 1), column = i % (n + 1);
    mb_vec3_set(x + 3 * i, 1.6 * column / n - 0.8, 1.6 * row / n - 0.8, (row + column) % 2 ? 0.05 : 0);
    if (row == n || column == n) continue;
    const uint32_t square[6] = {i, i + 1, i + n + 2, i, i + n + 2, i + n + 1};
    for (int k = 0; k < 6; k++) *to++ = square[k];
  }
  cr_assert_eq(mb_skin_make(&skin, (n + 1) * (n + 1), x, 2 * n * n, corner, &at), MB_SKIN_SOUND);
  mb_free(x), mb_free(corner);
  return skin;
}

// Many places of about one normal: there is no room for all of them.
Test(meet, triangles_that_touch_a_mesh_at_many_places_are_left, TEST_LONG) {
  MbSkin *const skin = make_bumps(32);
  const MbShape shape = mb_shape_mesh(skin);
  const Counts counts = compare_poses(&shape, 50, "bumps");
  cr_expect(counts.left > 0 && counts.left < counts.touching, "%zu left", counts.left);
  mb_skin_free(skin);
}
