// One contact by Gauss–Seidel's exact solution of a block, against closed forms and against trying every direction.
#include "core/contact/contact_parts.h"
#include "core/contact/polygon.h"
#include "tests/core/contact/contact_make.h"

#include <math.h>
#include <string.h>

static MbContactResult solve(const Made *made, double lambda[3], double w[3]) {
  MbContactWork work = {0};
  MbContactAnswer answer;
  const MbContactResult result = made_solve(made, "gauss_seidel", &work, &answer);
  memcpy(lambda, answer.lambda, 3 * sizeof *lambda);
  memcpy(w, answer.w, 3 * sizeof *w);
  mb_contact_work_free(&work);
  return result;
}

// A symmetric definite 3 x 3 matrix; the larger `skew` the more do normal and tangents have to do with one another.
static void random_block(uint64_t *seed, double skew, double D[9]) {
  double B[9];
  for (int i = 0; i < 9; i++) B[i] = (i % 4 ? skew : 1) * (2 * test_random(seed) - 1);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      D[3 * i + j] = i == j ? 0.05 : 0;
      for (int k = 0; k < 3; k++) D[3 * i + j] += B[3 * i + k] * B[3 * j + k];
    }
}

Test(contact_block, a_point_mass_sticks_slips_and_leaves_where_coulomb_says) {
  const double m = 2, mu = 0.3, W[9] = {1 / m, 0, 0, 0, 1 / m, 0, 0, 0, 1 / m};
  for (int k = 0; k < 48; k++) {
    const double angle = 2 * acos(-1.0) * k / 48, c = cos(angle), s = sin(angle);
    double lambda[3], w[3];
    // slides, sticks, leaves
    Made made = made_given(1, W, (double[]){-1, 0.8 * c, 0.8 * s}, MB_CONE_EXACT, mu);
    cr_assert_eq(solve(&made, lambda, w), MB_CONTACT_SOLVED);
    test_near("sliding", lambda, (double[]){m, -mu * m * c, -mu * m * s}, 3, 1e-14);
    test_near("its velocity", w, (double[]){0, 0.5 * c, 0.5 * s}, 3, 1e-14);
    made_free(&made);
    made = made_given(1, W, (double[]){-1, 0.2999 * c, 0.2999 * s}, MB_CONE_EXACT, mu);
    cr_assert_eq(solve(&made, lambda, w), MB_CONTACT_SOLVED);
    test_near("sticking", w, (double[]){0, 0, 0}, 3, 1e-15);
    made_free(&made);
    made = made_given(1, W, (double[]){1e-9, c, s}, MB_CONE_EXACT, mu);
    cr_assert_eq(solve(&made, lambda, w), MB_CONTACT_SOLVED);
    test_near("leaving", lambda, (double[]){0, 0, 0}, 3, 0);
    made_free(&made);
  }
}

// Slip's direction by trying: of all angles that where λ opposes the velocity best, then narrowed down.
static double against(const double D[9], const double q[3], double mu, double angle, double lambda[3]) {
  const double c = cos(angle), s = sin(angle), e = D[0] + mu * (D[1] * c + D[2] * s);
  if (!(e > 0)) return INFINITY;
  lambda[0] = -q[0] / e, lambda[1] = mu * lambda[0] * c, lambda[2] = mu * lambda[0] * s;
  double u[2];
  for (int i = 0; i < 2; i++)
    u[i] = q[i + 1] + D[3 * (i + 1)] * lambda[0] + D[3 * (i + 1) + 1] * lambda[1] +
           D[3 * (i + 1) + 2] * lambda[2];
  return hypot(u[0], u[1]) + c * u[0] + s * u[1]; // 0 where u is against the direction
}

Test(contact_block, slip_is_the_one_that_trying_every_angle_finds) {
  uint64_t seed = 21;
  int slips = 0, sticks = 0, opens = 0;
  for (int round = 0; round < 3000; round++) {
    double D[9], q[3], lambda[3], w[3], known[3], trial[3];
    random_block(&seed, round % 3 ? 0.5 : 2, D);
    const double mu = 2 * test_random(&seed);
    for (int i = 0; i < 3; i++) q[i] = 2 * test_random(&seed) - (i ? 1 : 1.5);
    Made made = made_given(1, D, q, MB_CONE_EXACT, mu);
    cr_assert_eq(solve(&made, lambda, w), MB_CONTACT_SOLVED, "round %d", round);
    const double slip = hypot(w[1], w[2]);
    if (q[0] >= 0) {
      opens++;
      cr_assert(lambda[0] == 0 && lambda[1] == 0 && lambda[2] == 0);
    } else if (slip < 1e-12) {
      sticks++;
    } else if (mu > 0.01) {
      double best = INFINITY, at = 0;
      for (int k = 0; k < 3600; k++) {
        const double angle = 2 * acos(-1.0) * k / 3600, far = against(D, q, mu, angle, trial);
        if (far < best) best = far, at = angle;
      }
      const double mine = atan2(lambda[2], lambda[1]);
      cr_assert_lt(against(D, q, mu, mine, known), 1e-12, "round %d", round);
      test_near("λ", lambda, known, 3, 1e-12 * fmax(1, lambda[0]));
      cr_assert_leq(against(D, q, mu, mine, known), best + 1e-12, "round %d: %g is better", round, at);
      slips++;
    }
    made_free(&made);
  }
  cr_assert(slips > 800 && sticks > 300 && opens > 400, "%d %d %d", slips, sticks, opens);
}

// ---- pyramids ---------------------------------------------------------------------------------------------

// A point mass that slides is held back along a corner, not against its way.
Test(contact_block, a_point_mass_in_a_pyramid_is_held_back_at_the_corner_behind_it) {
  const double m = 2, mu = 0.3, W[9] = {1 / m, 0, 0, 0, 1 / m, 0, 0, 0, 1 / m};
  const double turn = 2 * acos(-1.0) / 8;
  for (int k = 0; k < 96; k++) {
    const double angle = turn / 12 * k, corner = turn * round(angle / turn);
    double lambda[3], w[3];
    Made made = made_given(1, W, (double[]){-1, 0.8 * cos(angle), 0.8 * sin(angle)}, MB_CONE_PYRAMID, mu);
    cr_assert_eq(solve(&made, lambda, w), MB_CONTACT_SOLVED);
    if (k % 12 < 4 || k % 12 > 8) // so far from the middle of a side that it is not turned round
      test_near("sliding", lambda, (double[]){m, -mu * m * cos(corner), -mu * m * sin(corner)}, 3, 1e-13);
    made_free(&made);
  }
}

// As the tests' own natural map says, which tries every side.
Test(contact_block, what_slips_in_a_pyramid_is_solved_at_its_corners_and_on_its_sides) {
  uint64_t seed = 22;
  int corners = 0, sides = 0;
  for (int round = 0; round < 1500; round++) {
    double D[9], q[3], lambda[3], w[3];
    random_block(&seed, round % 3 ? 0.5 : 2, D);
    const double mu = 0.05 + test_random(&seed);
    for (int i = 0; i < 3; i++) q[i] = 2 * test_random(&seed) - (i ? 1 : 1.5);
    Made made = made_given(1, D, q, MB_CONE_PYRAMID, mu);
    made.contact[0].sides = 4 + 2 * (round % 5);
    cr_assert_eq(solve(&made, lambda, w), MB_CONTACT_SOLVED, "round %d", round);
    cr_assert_lt(made_natural(&made, lambda), 1e-12, "round %d", round);
    if (q[0] < 0 && hypot(w[1], w[2]) > 1e-9) {
      const bool at_corner = fabs(hypot(lambda[1], lambda[2]) - mu * lambda[0]) < 1e-9 * lambda[0];
      corners += at_corner, sides += !at_corner;
    }
    made_free(&made);
  }
  cr_assert(corners > 300 && sides > 30, "%d %d", corners, sides);
}

Test(contact_block, what_the_nearest_point_of_a_polygon_changes_by_is_what_differences_tell) {
  uint64_t seed = 23;
  const double h = 1e-7;
  for (int round = 0; round < 400; round++) {
    const int sides = 4 + 2 * (round % 7);
    const double at[3] = {0.2 + test_random(&seed), 4 * test_random(&seed) - 2, 4 * test_random(&seed) - 2};
    double J[6], x[2] = {at[1], at[2]};
    mb_polygon_project(sides, at[0], x, J);
    for (int k = 0; k < 3; k++) {
      double ends[2][2];
      for (int way = 0; way < 2; way++) {
        double to[3] = {at[0], at[1], at[2]};
        to[k] += way ? h : -h;
        ends[way][0] = to[1], ends[way][1] = to[2];
        mb_polygon_project(sides, to[0], ends[way], NULL);
      }
      for (int i = 0; i < 2; i++)
        cr_assert_float_eq(J[3 * i + k], (ends[1][i] - ends[0][i]) / (2 * h), 1e-6, "%d sides, %d by %d",
                           sides, i, k);
    }
  }
}

// A rod that falls onto its lower end with speed s along the ground (Painlevé): with a large μ, friction against the slip would push
// the end down harder than the normal force lifts it, so that no λ slips on. The rod stops dead, or turns over its end.
Test(contact_block, a_rod_that_cannot_slide_on_is_stopped) {
  const double l = 1, I = 1.0 / 3; // half length; moment over mass l²
  int impossible = 0;
  for (int k = 1; k < 60; k++) {
    const double angle = 0.5 * acos(-1.0) * k / 60, c = cos(angle), s = sin(angle), mu = 2.5;
    // the end is at (−c, −s) l from the centre: n pushes it up, t along x
    const double nn = 1 + c * c / (I * l * l), tt = 1 + s * s / (I * l * l), nt = -s * c / (I * l * l);
    const double W[9] = {nn, nt, 0, nt, tt, 0, 0, 0, 1};
    for (int way = -1; way <= 1; way += 2) {
      double lambda[3], w[3];
      Made made = made_given(1, W, (double[]){-0.001, way, 0}, MB_CONE_EXACT, mu);
      cr_assert_eq(solve(&made, lambda, w), MB_CONTACT_SOLVED, "angle %g", angle);
      cr_assert_geq(lambda[0], 0);
      cr_assert_leq(hypot(lambda[1], lambda[2]), mu * lambda[0] * (1 + 1e-14));
      if (nn - way * mu * nt <= 0) {
        impossible++;
        cr_assert_leq(way * w[1], 1e-14, "it slides on");
        cr_assert_gt(lambda[0], 0.1); // by an impulse that is not small although it falls slowly
      }
      made_free(&made);
    }
  }
  cr_assert_gt(impossible, 10);
}

Test(contact_block, a_contact_that_moves_along_some_directions_only_is_solved) {
  double lambda[3], w[3];
  // a bead on a wire along (1, 1, 0): one freedom
  Made made = made_given(1, (double[]){1, 1, 0, 1, 1, 0, 0, 0, 0}, (double[]){-1, -1, 0}, MB_CONE_EXACT, 0.5);
  cr_assert_eq(solve(&made, lambda, w), MB_CONTACT_SOLVED);
  test_near("velocity", w, (double[]){0, 0, 0}, 3, 1e-9);
  made_free(&made);
}

// A ball above the ground that flies straight up, without friction: û has no tangents, and the cone is a ray.
Test(contact_block, an_open_contact_without_friction_is_solved_by_nothing) {
  const MbBlock block = {.rows = 3, .kind = MB_CONTACT_NORMAL, .cone = MB_CONE_EXACT, .scale = 1};
  const double none[3] = {0, 0, 0}, up[3] = {2, 0, 0};
  double out[3], lambda[3] = {-1, 0, 0};
  mb_block_natural(&block, 1, none, up, out);
  cr_assert(out[0] == 0 && out[1] == 0 && out[2] == 0, "%g %g %g", out[0], out[1], out[2]);
  mb_cone_project(0, lambda);
  cr_assert(lambda[0] == 0);
}
