// Normals of meshes that touch are against what they keep from coming and against nothing else: a pair is moved by little in all directions,
// and brute force tells which it is free to go.
#include "core/math/vec3.h"
#include "tests/core/collision/collide_make.h"
#include "tests/core/collision/mesh_brute.h"
#include "tests/core/collision/mesh_make.h"
#include "tests/support.h"

static const double AWAY = 1e-6;

// A prism over a star, along z, whose sides are of some length each.
static MbSkin *some_prism(uint64_t *seed) {
  static const double radius[] = {0.5, 0.75, 1};
  double outline[2 * 16];
  const uint32_t m = 4 + (uint32_t)(9 * test_random(seed));
  for (uint32_t i = 0; i < m; i++) {
    const double r = radius[(int)(3 * test_random(seed))], angle = 2 * acos(-1.0) * i / m;
    outline[2 * i] = r * cos(angle), outline[2 * i + 1] = r * sin(angle);
  }
  return made_star(m, outline, 0.5);
}

enum { UPRIGHT, ANY_WAY, CORNERS, WAYS };

// Puts b where it touches a: upright or turned in any way, as it comes from somewhere, or upright with a corner at one of a's; false: it
// cannot be there.
static bool place(uint64_t *seed, int way, const MbShape *a, const MbPose *A, const MbShape *b, MbPose *B) {
  const double angle = 2 * acos(-1.0) * test_random(seed), h = way == ANY_WAY ? test_random(seed) - 0.5 : 0;
  const double from[3] = {cos(angle), sin(angle), h};
  double back[3], corner[3], n[3];
  *B = made_pose(seed, 0);
  if (way != ANY_WAY)
    mb_quat_exp(B->q, (double[]){0, 0, test_random(seed) < 0.5 ? 6 * test_random(seed) : acos(-1.0) / 6});
  if (way == CORNERS) {
    const size_t i = (size_t)(test_random(seed) * (a->surface->vertices / 2 - 1));
    const size_t j = (size_t)(test_random(seed) * (b->surface->vertices / 2 - 1));
    mb_vec3_set(B->p, 0, 0, 0);
    mb_pose_point(corner, B, b->surface->vertex + 3 * j);
    mb_vec3_sub(B->p, a->surface->vertex + 3 * i, corner);
    mb_vec3_add_scaled(B->p, B->p, 1e-9, from);
    const double gap = brute_gap(a, A, b, B, 0.1, n);
    return gap > 0 && gap < 2e-9;
  }
  mb_vec3_scale(back, -1, from);
  mb_vec3_scale(B->p, 2.5, from);
  return brute_touch(a, A, b, B, back);
}

enum { DIRECTIONS = 24 };

// Which directions, seen in the horizontal plane, b is free to go along, by little.
static void find_free(const MbShape *a, const MbPose *A, const MbShape *b, const MbPose *B,
                      bool free[DIRECTIONS], double v[DIRECTIONS][3]) {
  for (int k = 0; k < DIRECTIONS; k++) {
    const double angle = 2 * acos(-1.0) * (k + 0.37) / DIRECTIONS;
    double n[3];
    MbPose C = *B;
    mb_vec3_set(v[k], cos(angle), sin(angle), 0);
    mb_vec3_add_scaled(C.p, B->p, AWAY, v[k]);
    free[k] = brute_gap(a, A, b, &C, 1e-5, n) > 0;
  }
}

// Whether all contacts are at one place, seen from above.
static bool one_place(int n, const MbContactPoint *point) {
  for (int i = 1; i < n; i++)
    if (hypot(point[i].position[0] - point[0].position[0], point[i].position[1] - point[0].position[1]) >
        1e-6)
      return false;
  return true;
}

// A normal is right that is against nothing that is free, as where sides are the walls of a corner, or that is along free directions
// alone, as where two corners are about to pass one another.
static void check_normal(const double m[3], const bool free[DIRECTIONS], double v[DIRECTIONS][3], int way,
                         int number) {
  static const double LEANING = 0.05;
  int against = 0, shut = 0;
  for (int k = 0; k < DIRECTIONS; k++) {
    const double along = mb_vec3_dot(m, v[k]);
    against += free[k] && along < -LEANING, shut += !free[k] && along > LEANING;
  }
  cr_expect(!against || !shut,
            "way %d, number %d: (%g, %g, %g) is against %d that are free, for %d that are shut", way, number,
            m[0], m[1], m[2], against, shut);
}

// A star and another one, or something convex.
static void check(uint64_t *seed, int way, MbForm form, int *touching, int *checked) {
  MbSkin *one = some_prism(seed), *two = some_prism(seed);
  const MbShape a = mb_shape_mesh(one),
                b = form == MB_FORM_MESH ? mb_shape_mesh(two) : made_shape(seed, form);
  MbPose A, B;
  mb_pose_identity(&A);
  if (place(seed, way, &a, &A, &b, &B)) {
    MbContactPoint out[MB_CONTACT_POINTS];
    bool free[DIRECTIONS];
    double v[DIRECTIONS][3];
    const int n = made_collide(&a, &A, &b, &B, 1e-8, out);
    ++*touching;
    cr_expect(n > 0);
    find_free(&a, &A, &b, &B, free, v);
    if (one_place(n, out)) {
      ++*checked;
      for (int i = 0; i < n; i++) check_normal(out[i].normal, free, v, way, *touching);
    }
  }
  mb_skin_free(one), mb_skin_free(two);
}

// A star that lies on a floor, turned and sunk by rounding: only the floor's normal is there, not that of its walls' planes, by which the
// floor would be as deep as it is wide.
static void lie(const MbShape *floor, double top, double beside) {
  uint64_t seed = 93;
  for (int k = 0; k < 2000; k++) {
    MbSkin *star = some_prism(&seed);
    const MbShape mesh = mb_shape_mesh(star);
    MbContactPoint out[MB_CONTACT_POINTS];
    MbPose A, B;
    mb_pose_identity(&A);
    mb_pose_identity(&B);
    double turn[3];
    for (int i = 0; i < 2; i++) turn[i] = (k % 2 ? 1e-9 : 1e-7) * (2 * test_random(&seed) - 1);
    turn[2] = k % 3 ? 6 * test_random(&seed) : 0;
    mb_quat_exp(B.q, turn);
    mb_vec3_set(B.p, beside * (2 * test_random(&seed) - 1), beside * (2 * test_random(&seed) - 1),
                0.5 + top + 1e-9 * (2 * test_random(&seed) - 1));
    const int n = made_collide(floor, &A, &mesh, &B, 1e-6, out);
    cr_assert(n > 0);
    for (int i = 0; i < n; i++)
      cr_assert(out[i].normal[2] > 0.999 && out[i].gap > -1e-6, "%d: %g along (%g, %g, %g)", k, out[i].gap,
                out[i].normal[0], out[i].normal[1], out[i].normal[2]);
    mb_skin_free(star);
  }
}

Test(collide_apart, walls_of_what_lies_on_a_floor_do_not_meet_it) {
  const MbShape floor = mb_shape_box((double[]){9, 7, 1});
  lie(&floor, 0.5, 1);
}

Test(collide_apart, walls_of_what_lies_on_a_mesh_do_not_meet_it) {
  MbSkin *cube = made_surface_of(&mb_hull_cube);
  const MbShape floor = mb_shape_mesh(cube);
  lie(&floor, 1, 0.9);
  mb_skin_free(cube);
}

// A star that has come into a floor with an edge or a corner: nothing is deeper than that.
static void tip(const MbShape *floor, double top, double beside) {
  uint64_t seed = 94;
  for (int k = 0; k < 4000; k++) {
    MbSkin *star = some_prism(&seed);
    const MbShape mesh = mb_shape_mesh(star);
    MbContactPoint out[MB_CONTACT_POINTS];
    MbPose A, B;
    mb_pose_identity(&A);
    mb_pose_identity(&B);
    double turn[3], low = INFINITY, x[3], deepest = 0;
    for (int i = 0; i < 2; i++) turn[i] = pow(10, -2.0 * (k % 4)) * (2 * test_random(&seed) - 1);
    turn[2] = 6 * test_random(&seed);
    mb_quat_exp(B.q, turn);
    if (k % 4 == 3) B = made_pose(&seed, 0);
    for (uint32_t i = 0; i < star->vertices; i++) {
      mb_pose_point(x, &B, star->vertex + 3 * (size_t)i);
      low = fmin(low, x[2]);
    }
    const double depth = pow(10, -6 + 5 * test_random(&seed));
    mb_vec3_set(B.p, beside * (2 * test_random(&seed) - 1), beside * (2 * test_random(&seed) - 1),
                top - low - depth);
    const int n = made_collide(floor, &A, &mesh, &B, 1e-6, out);
    for (int i = 0; i < n; i++) deepest = fmin(deepest, out[i].gap);
    cr_expect(deepest > -1.5 * depth && deepest < -0.5 * depth, "%d: %g deep, where it is %g", k, -deepest,
              depth);
    mb_skin_free(star);
  }
}

Test(collide_apart, walls_of_what_has_tipped_into_a_floor_are_no_deeper_than_their_feet, TEST_LONG) {
  const MbShape floor = mb_shape_box((double[]){9, 7, 1});
  tip(&floor, 0.5, 1);
}

Test(collide_apart, walls_of_what_has_tipped_into_a_mesh_are_no_deeper_than_their_feet, TEST_LONG) {
  uint64_t seed = 95;
  MbSkin *sheet = made_sheet(&seed, 10, 5, 20);
  const MbShape floor = mb_shape_mesh(sheet);
  tip(&floor, 0, 1);
  mb_skin_free(sheet);
}

static void check_all(MbForm form, int ways) {
  uint64_t seed = 91;
  int touching[WAYS] = {0}, checked[WAYS] = {0};
  for (int k = 0; k < 400 * ways; k++) check(&seed, k % ways, form, &touching[k % ways], &checked[k % ways]);
  for (int way = 0; way < ways; way++)
    cr_expect(checked[way] > 40, "way %d: %d of %d", way, checked[way], touching[way]);
}

Test(collide_apart, normals_of_two_prisms_are_against_nothing_that_is_free, TEST_LONG) {
  check_all(MB_FORM_MESH, WAYS);
}

Test(collide_apart, normals_of_a_prism_and_a_convex_shape_are_against_nothing_that_is_free, TEST_LONG) {
  for (MbForm form = MB_FORM_SPHERE; form <= MB_FORM_BOX; form++) check_all(form, CORNERS);
}
