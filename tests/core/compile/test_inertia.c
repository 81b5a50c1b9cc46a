// Mass properties of shapes against stacks of discs and known moments, and principal axes: which of all orders they are, and of equal moments.
#include "core/compile/inertia.h"
#include "core/math/quat.h"
#include "tests/core/math/near.h"

static const double PI = 3.14159265358979323846;
static const double ROUNDING = 1e-14; // relative to numbers of size one

static const MbFrameSpec at_origin = {{0, 0, 0}, {1, 0, 0, 0}};

static void random_frame(uint64_t *seed, MbFrameSpec *frame) {
  random_numbers(seed, frame->position, 3);
  random_numbers(seed, frame->rotation, 4);
  mb_quat_normalise(frame->rotation);
}

static MbMassProperties mass_of(const MbShapeSpec *shape) {
  MbReport report = {0};
  MbMassProperties p;
  cr_assert_eq(mb_shape_mass(shape, "/shape", &p, &report), MB_OK, "%s", report.issues[0].text);
  return p;
}

static void check_properties(const MbMassProperties *a, const MbMassProperties *b, double tolerance) {
  check_near("mass", &a->mass, &b->mass, 1, tolerance);
  check_near("center", a->center, b->center, 3, tolerance);
  check_near("inertia", a->inertia, b->inertia, 9, tolerance);
}

// A solid of revolution as a stack of discs, each by Gauss's rule with eight points in short intervals.
typedef double Profile(double z, double radius, double length);

static double half_circle(double z, double r) { return sqrt(fmax(0, r * r - z * z)); }
static double capsule_profile(double z, double r, double l) {
  return fabs(z) <= l / 2 ? r : half_circle(fabs(z) - l / 2, r);
}
static double cylinder_profile(double z, double r, double l) { return fabs(z) <= l / 2 ? r : 0; }
static double sphere_profile(double z, double r, double l) { return l >= 0 ? half_circle(z, r) : 0; }

static MbMassProperties stack_of_discs(Profile *profile, double radius, double length) {
  enum { SLICES = 400000 };
  const double top = length / 2 + radius, h = 2 * top / SLICES;
  MbMassProperties p = {0};
  for (int k = 0; k < SLICES; k++) {
    const double z = -top + (k + 0.5) * h, r = profile(z, radius, length), m = PI * r * r * h;
    p.mass += m;
    p.inertia[0] += m * (r * r / 4 + z * z);
    p.inertia[8] += m * r * r / 2;
  }
  p.inertia[4] = p.inertia[0];
  return p;
}

Test(inertia, capsule_cylinder_and_sphere_are_what_a_stack_of_discs_weighs) {
  const double MIDPOINT =
      2e-5; // thickness of a disc where a profile jumps inside it: relative 1/400000 of size ten
  const double r = 0.7, l = 1.9;
  const MbShapeSpec capsule = {.kind = MB_SHAPE_CAPSULE, .radius = r, .length = l, .frame = at_origin};
  const MbShapeSpec cylinder = {.kind = MB_SHAPE_CYLINDER, .radius = r, .length = l, .frame = at_origin};
  const MbShapeSpec sphere = {.kind = MB_SHAPE_SPHERE, .radius = r, .frame = at_origin};
  MbMassProperties p = mass_of(&capsule), q = stack_of_discs(capsule_profile, r, l);
  check_properties(&p, &q, 1e-9); // no jump: the midpoint rule errs by the square of the thickness
  p = mass_of(&cylinder), q = stack_of_discs(cylinder_profile, r, l);
  check_properties(&p, &q, MIDPOINT);
  p = mass_of(&sphere), q = stack_of_discs(sphere_profile, r, 0);
  check_properties(&p, &q, 1e-9);
}

Test(inertia, box_and_ellipsoid_have_their_known_moments) {
  const MbShapeSpec box = {.kind = MB_SHAPE_BOX, .size = {1, 2, 3}, .frame = at_origin};
  const MbMassProperties wanted = {.mass = 6, .inertia = {6.5, 0, 0, 0, 5, 0, 0, 0, 2.5}};
  MbMassProperties p = mass_of(&box);
  check_properties(&p, &wanted, ROUNDING);

  // an ellipsoid is a stretched ball: ∫x² grows with a²
  const MbShapeSpec ellipsoid = {.kind = MB_SHAPE_ELLIPSOID, .size = {1, 2, 3}, .frame = at_origin};
  const double m = 8 * PI;
  const MbMassProperties ball = {.mass = m, .inertia = {m * 13 / 5, 0, 0, 0, m * 2, 0, 0, 0, m}};
  p = mass_of(&ellipsoid);
  check_properties(&p, &ball, 100 * ROUNDING);
}

Test(inertia, a_capsule_without_length_is_a_sphere) {
  const MbShapeSpec capsule = {.kind = MB_SHAPE_CAPSULE, .radius = 0.3, .frame = at_origin};
  const MbShapeSpec sphere = {.kind = MB_SHAPE_SPHERE, .radius = 0.3, .frame = at_origin};
  const MbMassProperties p = mass_of(&capsule), q = mass_of(&sphere);
  check_properties(&p, &q, ROUNDING);
}

Test(inertia, a_plane_has_no_mass) {
  const MbShapeSpec plane = {.kind = MB_SHAPE_PLANE, .normal = {0, 0, 1}, .frame = at_origin};
  const MbMassProperties p = mass_of(&plane), none = {0};
  check_properties(&p, &none, 0);
}

Test(inertia, sizes_that_give_no_volume_are_refused) {
  static const double sizes[] = {0, -1, NAN, INFINITY, 1e-120, 1e120};
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
    for (int kind = MB_SHAPE_BOX; kind <= MB_SHAPE_ELLIPSOID; kind++) {
      const double s = sizes[k];
      MbReport report = {0};
      MbMassProperties p;
      const MbShapeSpec shape = {
          .kind = (MbShapeKind)kind, .size = {s, s, s}, .radius = s, .length = s, .frame = at_origin};
      cr_assert_eq(mb_shape_mass(&shape, "/bodies/0/shape", &p, &report), MB_SCENE, "%s of size %g",
                   mb_shape_words[kind], s);
      cr_assert_str_eq(report.issues[0].where, "/bodies/0/shape");
    }
}

// Cut into eight boxes about its corner, a box stays what it is; moved about, too.
Test(inertia, a_box_in_pieces_is_the_whole_box_in_any_frame) {
  uint64_t seed = 1;
  for (int k = 0; k < 50; k++) {
    MbFrameSpec frame;
    double cut[3];
    random_frame(&seed, &frame), random_numbers(&seed, cut, 3);
    MbShapeSpec whole = {.kind = MB_SHAPE_BOX, .size = {2, 2, 2}, .frame = at_origin};
    MbMassProperties wanted = mass_of(&whole), sum = {0};
    mb_mass_move(&wanted, &frame);
    for (int piece = 0; piece < 8; piece++) {
      MbShapeSpec box = {.kind = MB_SHAPE_BOX, .frame = at_origin};
      for (int i = 0; i < 3; i++) {
        const double low = piece >> i & 1 ? cut[i] : -1, high = piece >> i & 1 ? 1 : cut[i];
        box.size[i] = high - low, box.frame.position[i] = (low + high) / 2;
      }
      MbMassProperties p = mass_of(&box);
      mb_mass_move(&p, &box.frame);
      mb_mass_move(&p, &frame);
      mb_mass_add(&sum, &p);
    }
    check_properties(&sum, &wanted, 4 * ROUNDING);
  }
}

// Two points: moments m₁m₂/(m₁+m₂) d² across the line between them.
Test(inertia, two_masses_obey_the_parallel_axis_theorem) {
  MbMassProperties sum = {.mass = 2, .center = {1e6, 0, 0}};
  const MbMassProperties other = {.mass = 3, .center = {1e6 + 1, 0, 0}}, none = {0};
  mb_mass_add(&sum, &other);
  mb_mass_add(&sum, &none);
  const MbMassProperties wanted = {
      .mass = 5, .center = {1e6 + 0.6, 0, 0}, .inertia = {0, 0, 0, 0, 1.2, 0, 0, 0, 1.2}};
  check_near("center", sum.center, wanted.center, 3, 2e-10); // last digit of 1e6
  check_near("inertia", sum.inertia, wanted.inertia, 9, ROUNDING);
  MbMassProperties from_none = {0};
  mb_mass_add(&from_none, &other);
  check_properties(&from_none, &other, 0);
  mb_mass_scale(&sum, 2);
  cr_assert_eq(sum.mass, 10);
  cr_assert_float_eq(sum.inertia[4], 2.4, ROUNDING);
}

// ---- principal axes ----

static void compose(const double R[9], const double m[3], double I9[9]) {
  double RI[9];
  for (int i = 0; i < 9; i++) RI[i] = R[i] * m[i % 3];
  mb_mat3_mult(I9, RI, R);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < i; j++) I9[3 * i + j] = I9[3 * j + i];
}

static void check_axes(const double A[9], const double R[9], const double m[3]) {
  double back[9], one[9], RR[9], largest = 0;
  for (int i = 0; i < 9; i++) largest = fmax(largest, fabs(A[i]));
  compose(R, m, back);
  check_near("R diag Rᵀ", back, A, 9, ROUNDING * largest);
  mb_mat3_identity(one), mb_mat3_tmul(RR, R, R);
  check_near("RᵀR", RR, one, 9, ROUNDING);
  cr_assert_float_eq(mb_mat3_det(R), 1, ROUNDING);
}

Test(principal_axes, compose_the_inertia_again_for_any_moments) {
  uint64_t seed = 2;
  for (int k = 0; k < 2000; k++) {
    double q[4], Q[9], m[3], A[9], R[9], found[3];
    random_numbers(&seed, q, 4), random_numbers(&seed, m, 3);
    mb_quat_normalise(q), mb_quat_to_mat3(Q, q);
    for (int i = 0; i < 3; i++) m[i] = pow(10, (k % 7 == 0 ? 120 : k % 3) * m[i]);
    compose(Q, m, A);
    mb_principal_axes(A, R, found);
    check_axes(A, R, found);
  }
}

Test(principal_axes, of_a_small_turn_are_that_turn_in_the_same_order) {
  const double w[3] = {0.2, -0.3, 0.25}, m[3] = {2, 3, 1};
  double q[4], Q[9], A[9], R[9], found[3];
  mb_quat_exp(q, w), mb_quat_to_mat3(Q, q), compose(Q, m, A);
  mb_principal_axes(A, R, found);
  check_near("R", R, Q, 9, 10 * ROUNDING);
  check_near("moments", found, m, 3, ROUNDING * 10);
}

// A quarter turn at most about each axis is left, so that the trace is at least 1.
Test(principal_axes, are_the_nearest_of_all_orders) {
  uint64_t seed = 3;
  for (int k = 0; k < 500; k++) {
    double q[4], Q[9], A[9], R[9], found[3];
    const double m[3] = {1, 2, 2.5};
    random_numbers(&seed, q, 4), mb_quat_normalise(q), mb_quat_to_mat3(Q, q), compose(Q, m, A);
    mb_principal_axes(A, R, found);
    const double angle = acos(fmin(1, (R[0] + R[4] + R[8] - 1) / 2));
    cr_assert_leq(angle, 62.8 * PI / 180,
                  "turned by %g degrees; any turn is within 62.8 of one of the cube's 24", angle * 180 / PI);
  }
}

Test(principal_axes, of_a_diagonal_inertia_are_the_identity_exactly) {
  static const double moments[][3] = {{1, 2, 3}, {3, 2, 1},          {1, 1, 1},
                                      {2, 1, 2}, {1e-300, 1e300, 1}, {0, 0, 0}};
  for (size_t k = 0; k < sizeof moments / sizeof *moments; k++) {
    double A[9] = {0}, R[9], found[3], one[9];
    for (int i = 0; i < 3; i++) A[4 * i] = moments[k][i];
    mb_principal_axes(A, R, found);
    mb_mat3_identity(one);
    check_near("R", R, one, 9, 0);
    check_near("moments", found, moments[k], 3, 0);
  }
}

// Rounding noise beside equal moments must not turn the axes at all.
Test(principal_axes, of_equal_moments_do_not_follow_noise) {
  uint64_t seed = 4;
  for (int k = 0; k < 200; k++) {
    double A[9], R[9], found[3], one[9], noise[9];
    random_numbers(&seed, noise, 9);
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) A[3 * i + j] = (i == j) + 1e-15 * (noise[3 * i + j] + noise[3 * j + i]) / 2;
    mb_principal_axes(A, R, found);
    mb_mat3_identity(one);
    check_near("R", R, one, 9, 0);
    check_axes(A, R, found);
  }
}

// A tilted top: the two equal axes may be anywhere around the third; nearest means no more turn than the
// tilt.
Test(principal_axes, of_two_equal_moments_turn_no_more_than_they_must) {
  uint64_t seed = 5;
  for (int k = 0; k < 200; k++) {
    double w[3] = {random_number(&seed) / 2, random_number(&seed) / 2, 0}, q[4], Q[9], A[9], R[9], found[3];
    const double m[3] = {1, 1, 0.5};
    mb_quat_exp(q, w), mb_quat_to_mat3(Q, q), compose(Q, m, A);
    mb_principal_axes(A, R, found);
    check_axes(A, R, found);
    check_near("R", R, Q, 9, 20 * ROUNDING);
  }
}

Test(principal_axes, of_numbers_that_are_none_do_not_hang) {
  double A[9], R[9], found[3];
  for (int at = 0; at < 9; at++) {
    for (int i = 0; i < 9; i++) A[i] = i + 1;
    A[at] = at % 2 ? NAN : INFINITY;
    mb_principal_axes(A, R, found);
    cr_assert(isfinite(R[0]) && isfinite(R[4]) && isfinite(R[8]));
  }
}

Test(inertia, plausible_moments_obey_the_triangle_inequality) {
  static const struct {
    double m[3];
    bool good;
  } cases[] = {{{1, 1, 1}, true},    {{1, 2, 3}, true},    {{1, 2, 3.1}, false},
               {{3.1, 2, 1}, false}, {{1, 3.1, 2}, false}, {{1, 1, 2 + 1e-9}, true},
               {{0, 1, 1}, true},    {{1, 1, NAN}, false}, {{-1, 1, 1}, false}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
    cr_assert_eq(mb_inertia_plausible(cases[k].m), cases[k].good, "case %zu", k);
}
