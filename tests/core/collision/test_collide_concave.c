// Concave meshes in one another by little: prisms over an L, a U or a T, and hulls with sharp edges, come together until they touch, and go on by up to a tenth of their
// size. What they are told has to part them.
#include "core/math/vec3.h"
#include "tests/core/collision/collide_make.h"
#include "tests/core/collision/hull_make.h"
#include "tests/core/collision/mesh_brute.h"
#include "tests/core/collision/mesh_make.h"
#include "tests/support.h"

static double between(uint64_t *seed, double low, double high) {
  return low + (high - low) * test_random(seed);
}

static MbSkin *made_l(double wide, double thick, double half) {
  const double outline[] = {0, 0, 1, 0, 1, wide, thick, wide, thick, 1, 0, 1};
  return made_bar_over(6, outline, half);
}

// Of size 1.
static MbSkin *some_prism(uint64_t *seed) {
  const double w = between(seed, 0.15, 0.5), v = between(seed, 0.15, 0.4), half = between(seed, 0.1, 0.5);
  const double r = 1 - between(seed, 0.15, 0.4);
  const int kind = (int)(3 * test_random(seed));
  const double u[] = {0, 0, 1, 0, 1, 1, r, 1, r, w, v, w, v, 1, 0, 1};
  const double t[] = {v, 0, r, 0, r, 1 - w, 1, 1 - w, 1, 1, 0, 1, 0, 1 - w, v, 1 - w};
  return kind == 0 ? made_l(w, v, half) : made_bar_over(8, kind == 1 ? u : t, half);
}

// Puts b where it touches a, coming along the way, turned in any way or by little; false: it comes by.
static bool meet(uint64_t *seed, const MbShape *a, const MbPose *A, const MbShape *b, MbPose *B,
                 double way[3]) {
  const double turned = test_random(seed) < 0.5 ? 3 : 0.06;
  double turn[3];
  for (int k = 0; k < 3; k++) turn[k] = between(seed, -turned, turned), way[k] = between(seed, -1, 1);
  mb_quat_exp(B->q, turn);
  mb_vec3_scale(way, 1 / mb_vec3_norm(way), way);
  for (int k = 0; k < 3; k++) B->p[k] = between(seed, -0.4, 0.4) - 2.2 * way[k];
  return brute_touch(a, A, b, B, way);
}

// Moves b by the least that closes all gaps which are told; returns how far.
static double part(MbPose *B, int n, const MbContactPoint *point, double more) {
  double x[3] = {0, 0, 0};
  for (int turn = 0; turn < 200; turn++)
    for (int i = 0; i < n; i++) {
      const double left = more - point[i].gap - mb_vec3_dot(x, point[i].normal);
      if (left > 0) mb_vec3_add_scaled(x, x, left, point[i].normal);
    }
  mb_vec3_add(B->p, B->p, x);
  return mb_vec3_norm(x);
}

typedef struct Seen {
  int apart, in, none, deep, stuck;
} Seen;

// Pairs that are apart are as far as brute force says.
static void check_apart(uint64_t *seed, const MbShape *a, const MbPose *A, const MbShape *b, MbPose B,
                        const double way[3], Seen *seen) {
  MbContactPoint out[MB_CONTACT_POINTS];
  double n[3];
  mb_vec3_add_scaled(B.p, B.p, -0.08 * test_random(seed), way);
  const double gap = brute_gap(a, A, b, &B, 0.1, n);
  if (!(gap > 0 && gap < 0.09)) return;
  seen->apart++;
  const int points = made_collide(a, A, b, &B, 0.1, out);
  cr_expect(points > 0 && fabs(out[0].gap - gap) < 1e-9, "pair %d: %g of %d points, %g by brute force",
            seen->apart, points ? out[0].gap : NAN, points, gap);
}

// Pairs in one another by `depth` along the way have contacts that are no deeper, and that part them.
static void check_in(const MbShape *a, const MbPose *A, const MbShape *b, MbPose B, const double way[3],
                     double depth, double within, Seen *seen) {
  MbContactPoint out[MB_CONTACT_POINTS];
  double n[3], moved = 0;
  mb_vec3_add_scaled(B.p, B.p, depth, way);
  if (!(brute_gap(a, A, b, &B, 0.1, n) < 0)) return;
  seen->in++;
  for (int turn = 0; turn < 12 && brute_gap(a, A, b, &B, 0.1, n) < 0; turn++) {
    const int points = made_collide(a, A, b, &B, within, out);
    const bool any = points > 0 && out[0].gap < 0;
    if (turn == 0) seen->none += !any, seen->deep += any && -out[0].gap > depth * (1 + 1e-4) + 2e-9;
    moved += part(&B, points, out, 1e-3 * depth);
  }
  seen->stuck += brute_gap(a, A, b, &B, 0.1, n) < 0 || moved > 4 * depth;
}

// A hull of few points as a mesh: with edges as sharp as knives.
static MbSkin *some_hull(uint64_t *seed) {
  MbHull *hull = made_hull(seed, 4 + (uint32_t)(10 * test_random(seed)));
  MbSkin *surface = made_surface_of(hull);
  mb_hull_free(hull);
  return surface;
}

static Seen look(int pairs, MbSkin *(*some)(uint64_t *seed)) {
  static const double within[] = {1e-8, 1e-5, 1e-3, 0.05};
  Seen seen = {0};
  MbPose A, B;
  mb_pose_identity(&A);
  uint64_t seed = 171;
  for (int k = 0; k < pairs; k++) {
    MbSkin *one = some(&seed), *two = some(&seed);
    const MbShape a = mb_shape_mesh(one), b = mb_shape_mesh(two);
    double way[3];
    if (meet(&seed, &a, &A, &b, &B, way)) {
      const double depth = pow(10, between(&seed, -4, -1));
      check_apart(&seed, &a, &A, &b, B, way, &seen);
      check_in(&a, &A, &b, B, way, depth, within[k % 4], &seen);
    }
    mb_skin_free(one), mb_skin_free(two);
  }
  return seen;
}

// The edge of one goes through that of another near an end of that, along which its faces all but lie.
Test(collide_concave, edges_all_but_along_faces_touch) {
  static const double DEPTH = 1e-3;
  MbSkin *one = made_l(0.4, 0.4, 0.25);
  const MbShape shape = mb_shape_mesh(one);
  for (int k = 0; k < 3; k++) {
    const double edge[3] = {0.7, 0.4, 0.25}, there[3] = {0, 0.1, -0.25 + DEPTH}, lean = 0.02 + 0.02 * k;
    MbContactPoint out[MB_CONTACT_POINTS];
    MbPose A, B;
    double at[3];
    mb_pose_identity(&A);
    mb_vec3_set(B.p, 0, 0, 0);
    mb_quat_exp(B.q, (double[]){lean, 1.5 * lean, 0});
    mb_pose_point(at, &B, edge);
    mb_vec3_sub(B.p, there, at);
    const int n = made_collide(&shape, &A, &shape, &B, 1e-3, out);
    cr_expect(n > 0 && fabs(out[0].gap + DEPTH) < 0.02 * DEPTH && out[0].normal[2] < -0.99,
              "leaning %g: %d points, %g deep along (%g, %g, %g)", lean, n, n ? -out[0].gap : NAN,
              n ? out[0].normal[0] : NAN, n ? out[0].normal[1] : NAN, n ? out[0].normal[2] : NAN);
  }
  mb_skin_free(one);
}

Test(collide_concave, what_has_come_in_by_little_is_parted_by_its_contacts) {
  const Seen seen = look(60, some_prism);
  cr_expect(seen.in > 35 && seen.apart > 35, "%d, %d", seen.in, seen.apart);
  cr_expect(!seen.none && !seen.deep && !seen.stuck,
            "of %d: %d without a contact, %d too deep, %d not parted", seen.in, seen.none, seen.deep,
            seen.stuck);
}

// Of shapes with several places in one another some are told as deeper than the way they came.
Test(collide_concave, what_has_come_in_by_little_is_parted_by_its_contacts_at_length, TEST_LONG) {
  const Seen seen = look(8000, some_prism);
  cr_expect(!seen.none, "%d of %d without a contact", seen.none, seen.in);
  cr_expect(seen.deep < 2e-3 * seen.in && seen.stuck < 2e-3 * seen.in, "of %d: %d too deep, %d not parted",
            seen.in, seen.deep, seen.stuck);
}

Test(collide_concave, what_is_sharp_is_parted_by_its_contacts_too) {
  const Seen seen = look(400, some_hull);
  cr_expect(seen.in > 300, "%d", seen.in);
  cr_expect(!seen.none, "%d of %d without a contact", seen.none, seen.in);
  cr_expect(seen.deep < 5e-3 * seen.in && !seen.stuck, "of %d: %d too deep, %d not parted", seen.in,
            seen.deep, seen.stuck);
}
