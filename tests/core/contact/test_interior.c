// Interior points: the algebra of the second-order cone, and the method by W that is formed and by bodies.
#include "core/base/alloc.h"
#include "core/contact/contact_dense.h"
#include "core/contact/contact_factor.h"
#include "core/contact/interior.h"
#include "tests/core/contact/contact_make.h"

#include <math.h>
#include <string.h>

// ---- the cone ---------------------------------------------------------------------------------------------

// A point inside, by 10⁻⁶ of its size at least.
static void inside(uint64_t *seed, double x[3]) {
  const double turn = 6.3 * test_random(seed), size = pow(10, 6 * test_random(seed) - 3);
  const double t = 1 - pow(10, -6 * test_random(seed));
  x[0] = size, x[1] = size * t * cos(turn), x[2] = size * t * sin(turn);
}

Test(second_order, a_scaling_takes_both_points_to_the_same) {
  static const double CLOSE = 1e-6; // rounding, of points at 1e-6 from a side
  uint64_t seed = 5;
  for (int round = 0; round < 1000; round++) {
    double x[3], z[3], a[3], b[3], product[3], divided[3], back[3];
    inside(&seed, x), inside(&seed, z);
    const MbConeScaling s = mb_cone_scaling(x, z);
    for (int k = 0; k < 3; k++) back[k] = 1 / s.by[k];
    mb_cone_along(&s, s.by, z, a);
    mb_cone_along(&s, back, x, b);
    mb_cone_product(a, x, product);
    mb_cone_divide(a, product, divided);
    for (int k = 0; k < 3; k++) {
      cr_expect_float_eq(a[k], b[k], CLOSE * a[0], "%d: %g, %g", round, a[k], b[k]);
      cr_expect_float_eq(divided[k], x[k], CLOSE * x[0], "%d: %g, %g", round, divided[k], x[k]);
    }
  }
}

Test(second_order, the_reach_of_a_direction_ends_at_the_side) {
  uint64_t seed = 6;
  int ends = 0;
  for (int round = 0; round < 1000; round++) {
    double x[3], d[3], y[3];
    inside(&seed, x);
    for (int k = 0; k < 3; k++) d[k] = x[0] * (2 * test_random(&seed) - 1);
    const double reach = mb_cone_reach(x, d);
    for (int k = 0; k < 3; k++) y[k] = x[k] + fmin(reach, 1e3) * d[k];
    const double size = fabs(y[0]) + hypot(y[1], y[2]) + x[0], depth = y[0] - hypot(y[1], y[2]);
    ends += isfinite(reach);
    if (reach < 1e3)
      cr_expect_lt(fabs(depth), 1e-7 * size, "%d: %g of %g", round, depth, size);
    else
      cr_expect_gt(depth, -1e-7 * size, "%d: %g of %g", round, depth, size);
  }
  cr_expect_gt(ends, 500, "%d", ends);
}

// ---- the method -------------------------------------------------------------------------------------------

// Solves a problem given by factors, formed or by bodies, from no impulses. Returns the natural map over |b|.
static double run(const Made *made, bool formed) {
  MbBodyFactor f = {0};
  MbStrips whole, strips;
  MbInterior interior;
  MbRoom room = {0};
  cr_assert(mb_body_factor_analyse(&f, &made->problem));
  char *block = NULL;
  for (int turn = 0; turn < 2; turn++) { // measures, then lays out
    mb_strips_make(&whole, &room, &made->problem, MB_UNFORMED);
    strips = whole;
    if (formed) mb_factor_form(&strips, &room, &whole);
    if (turn) cr_assert(mb_interior_takes(&strips, &f));
    mb_interior_make(&interior, &room, &strips, &f);
    if (!turn) room = (MbRoom){.at = block = mb_calloc(room.used, 1)};
  }
  mb_dense_start(strips.n); // as a work's memory is made ready
  memset(interior.lambda, 0, strips.n * sizeof *interior.lambda);
  const int64_t calls = mb_alloc_calls();
  size_t done = 0;
  mb_interior_run(&interior, 400, &done);
  cr_assert_eq(mb_alloc_calls(), calls);
  const double natural = made_natural(made, interior.lambda);
  mb_free(block);
  mb_body_factor_free(&f);
  return natural;
}

// A stack whose boxes' masses rise upwards, pushed and not.
Test(interior, stacks_of_any_masses_come_to_their_tolerance) {
  static const double ratios[] = {1, 10, 1000};
  for (size_t i = 0; i < 3; i++)
    for (int k = 0; k < 2; k++) {
      Made made = made_stack(4, 0.5, MB_CONE_EXACT, 0.3 * k, ratios[i]);
      made.problem.tolerance = 1e-9;
      made_factor(&made);
      for (int formed = 0; formed < 2; formed++) {
        const double natural = run(&made, formed);
        cr_expect_leq(natural, 1.01e-9, "masses of %g, pushed %d, formed %d: %g", ratios[i], k, formed,
                      natural);
      }
      made_free(&made);
    }
}

// The ground gives way under what presses, by shares of each normal's own W.
Test(interior, what_gives_way_comes_to_its_tolerance) {
  static const double shares[] = {1e-3, 0.3, 30}, LITTLE = 1e-8;
  for (size_t i = 0; i < 3; i++) {
    Made made = made_stack(4, 0.5, MB_CONE_EXACT, 0.3, 1000);
    const size_t n = made.problem.n;
    made.problem.tolerance = 1e-9;
    for (size_t k = 0; k < n; k++)
      if (made.kind[k] == MB_CONTACT_NORMAL) made.soft[k] = shares[i] * made.W[k * (n + 1)];
    made_factor(&made);
    for (int formed = 0; formed < 2; formed++) {
      const double natural = run(&made, formed);
      cr_expect_leq(natural, LITTLE, "a share of %g, formed %d: %g", shares[i], formed, natural);
    }
    made_free(&made);
  }
}

// Rows both ways, one way and within bounds beside contacts that stick, slide and open. By bodies rounding comes sooner.
Test(interior, rows_of_every_kind_come_to_their_tolerance) {
  static const double FORMED = 1.01e-9, BODIES = 1e-6;
  uint64_t seed = 8;
  int tried = 0;
  for (int round = 0; round < 12; round++) {
    Made made = made_heap(&seed, 4 + (size_t)round % 4, 8, round % 3 ? 0.5 : 0, MB_CONE_EXACT, 1, true);
    MbBodyFactor f = {0};
    made.problem.tolerance = 1e-9;
    made_factor(&made);
    cr_assert(mb_body_factor_analyse(&f, &made.problem));
    if (f.ngroups == 1) {
      const double bodies = run(&made, false), formed = run(&made, true);
      cr_expect_leq(formed, FORMED, "round %d: %g", round, formed);
      cr_expect_leq(bodies, BODIES, "round %d: %g", round, bodies);
      tried++;
    }
    mb_body_factor_free(&f);
    made_free(&made);
  }
  cr_expect_gt(tried, 4, "%d", tried);
}

Test(interior, sections_with_corners_are_not_taken) {
  Made made = made_stack(2, 0.5, MB_CONE_BOX, 0, 1);
  MbBodyFactor f = {0};
  MbStrips strips;
  MbRoom room = {0};
  made_factor(&made);
  cr_assert(mb_body_factor_analyse(&f, &made.problem));
  mb_strips_make(&strips, &room, &made.problem, MB_UNFORMED);
  char *block = mb_calloc(room.used, 1);
  room = (MbRoom){.at = block};
  mb_strips_make(&strips, &room, &made.problem, MB_UNFORMED);
  cr_expect_not(mb_interior_takes(&strips, &f));
  mb_free(block);
  mb_body_factor_free(&f);
  made_free(&made);
}
