// What rows ask for, against what it comes to on a body of one velocity: v⁺ = v + λ/m with w = λ (1/m + soft) + b = 0.
#include "core/sim/ask.h"

#include <criterion/criterion.h>
#include <math.h>

static const double m = 2, h = 0.01;

static double solve(const MbAsked *asked) { return -asked->b / (1 / m + asked->soft); }

static MbAsking asking_of(MbAskOf of) {
  return (MbAsking){.of = of, .h = h, .gamma = 5, .theta = 0.5, .impulse = h / 2};
}

static double velocity_after(const MbAsking *asking, const MbAskRow *row, double *lambda) {
  const MbAsked asked = mb_ask(asking, row);
  cr_assert(asked.takes);
  *lambda = solve(&asked);
  return row->rate + *lambda / m;
}

static void near(const char *what, double is, double wanted) {
  cr_expect_float_eq(is, wanted, 1e-12 * (1 + fabs(wanted)), "%s: %.17g, wanted %.17g", what, is, wanted);
}

Test(ask, a_hard_row_closes_its_gap_at_the_rate_gamma) {
  MbAsking asking = asking_of(MB_ASK_VELOCITIES);
  const MbAskRow row = {.g = 0.3, .gt = 0.2, .rate = 1.5, .size = 1.5};
  double lambda;
  near("v", velocity_after(&asking, &row, &lambda), -0.2 - 5 * 0.3);
  near("impulse", lambda, m * (-0.2 - 1.5 - 1.5));
  asking.ahead = true; // met at the step's end, where the motion's rate is in g
  near("ahead", velocity_after(&asking, &row, &lambda), -5 * 0.3);
}

Test(ask, a_rate_is_met_and_the_curve_made_up_for_by_loops_alone) {
  MbAsking asking = asking_of(MB_ASK_VELOCITIES);
  asking.curve = 0.005;
  MbAskRow row = {.g = 0.1, .gtt = 3, .drift = 4, .rate = 1};
  double lambda;
  near("loop", velocity_after(&asking, &row, &lambda), -0.5 - 0.005 * 7);
  row.target = true;
  near("driven", velocity_after(&asking, &row, &lambda), -0.5);
  row.target = false, row.order = 1, row.gt = 0.25;
  near("rate", velocity_after(&asking, &row, &lambda), -0.25);
}

// AR 0.9: α λ̄ = −g − (h/2 + β) v⁺ with the force λ̄ = λ/h
Test(ask, a_soft_row_is_a_spring_with_a_damper_half_a_step_ahead) {
  const MbAsking asking = asking_of(MB_ASK_VELOCITIES);
  const MbAskRow row = {.g = 0.2, .rate = 1, .alpha = 1e-3, .beta = 0.02};
  double lambda;
  const double v = velocity_after(&asking, &row, &lambda);
  near("force", 1e-3 * lambda / h, -0.2 - (h / 2 + 0.02) * v);
  const MbAskRow rate = {.order = 1, .gt = 0.1, .rate = 1, .alpha = 1e-3, .beta = 0.02};
  const double slips = velocity_after(&asking, &rate, &lambda);
  near("slip", 1e-3 * lambda / h, -0.02 * (slips + 0.1));
}

Test(ask, rows_of_one_way_wait_for_their_bound) {
  MbAsking asking = asking_of(MB_ASK_VELOCITIES);
  MbAskRow row = {.g = 0.05, .rate = -8, .one_way = true};
  cr_expect_not(mb_ask(&asking, &row).takes);
  asking.ahead = true;
  double lambda;
  near("as far as the bound", velocity_after(&asking, &row, &lambda), -0.05 / h);
  row.alpha = 1e-3; // a soft one is no force before it
  cr_expect_not(mb_ask(&asking, &row).takes);
  row.g = -0.01;
  cr_expect(mb_ask(&asking, &row).takes);
}

Test(ask, accelerations_bring_errors_back_as_a_spring_that_is_critically_damped) {
  const MbAsking asking = asking_of(MB_ASK_ACCELERATIONS);
  const MbAskRow row = {.g = 0.1, .gt = 0.2, .gtt = 0.3, .drift = 0.4, .rate = 2, .last = 0.5, .holds = true};
  double lambda;
  near("v̇", velocity_after(&asking, &row, &lambda), -0.7 - 2 * 5 * 0.7 - 25 * 0.1);
  MbAskRow way = row;
  way.one_way = true;
  cr_expect(mb_ask(&asking, &way).both_ways, "what events hold is let go by events alone");
  way.decides = true;
  const MbAsked asked = mb_ask(&asking, &way);
  cr_expect(!asked.both_ways && fabs(asked.b - 2.7) < 1e-15);
  way.holds = false;
  cr_expect_not(mb_ask(&asking, &way).takes);
}

// g₁ is where the last pass's w leads: the next one ends at (1 − γ h) g₀.
Test(ask, a_half_step_ends_where_its_gap_has_shrunk) {
  const MbAsking asking = asking_of(MB_ASK_HALF);
  const MbAskRow row = {
      .g0 = 0.04, .g1 = 0.06, .rate = 3, .last = 0.5}; // the pass has changed w by 0.5 since g₁
  const MbAsked asked = mb_ask(&asking, &row);
  const double change = row.last + solve(&asked) / m;
  near("gap", row.g1 + h * change, (1 - 5 * h) * row.g0);
  const MbAskRow rate = {.order = 1, .gt = 0.3, .g1 = 2.5, .rate = 3, .last = 0.5};
  double lambda;
  near("rate half way", velocity_after(&asking, &rate, &lambda), -0.3);
  MbAsking start = asking;
  start.theta = 0;
  near("rate from the start", velocity_after(&start, &rate, &lambda), -0.3 - (2.5 - 3 + 0.5) / 2);
}

Test(ask, what_has_pushed_ends_at_rest) {
  const MbAsking end = asking_of(MB_ASK_END);
  MbAskRow row = {.one_way = true, .rate = -3};
  cr_expect_not(mb_ask(&end, &row).takes);
  row.pushed = true;
  double lambda;
  near("at the end", velocity_after(&end, &row, &lambda), 0);
  const MbAskRow made = {.order = 2, .rate = 4, .last = 3.5};
  near("an acceleration has made it", velocity_after(&end, &made, &lambda), 3.5);
}

Test(ask, positions_close_and_what_is_soft_or_goes_on_outward_does_not) {
  const MbAsking asking = asking_of(MB_ASK_POSITIONS);
  MbAskRow row = {.g = 0.3};
  double lambda;
  near("dq", velocity_after(&asking, &row, &lambda), -0.3);
  row.outward = 2;
  cr_expect_not(mb_ask(&asking, &row).takes);
  row.outward = 0, row.alpha = 1;
  cr_expect_not(mb_ask(&asking, &row).takes);
  row.beta = 0.5, row.rate = 2, row.gt = 1;
  near("force of a soft row", mb_ask_soft_force(&row), -(0.3 + 0.5 * 3));
}

Test(ask, kinematic_velocities_meet_the_rate_and_the_gap) {
  const MbAsking asking = asking_of(MB_ASK_KINEMATIC);
  MbAskRow row = {.g = 0.3, .gt = 0.2, .rate = 1};
  double lambda;
  near("v", velocity_after(&asking, &row, &lambda), -0.2 - 5 * 0.3);
  row.alpha = 0.01, row.beta = 0.1; // λ is a force there
  const double v = velocity_after(&asking, &row, &lambda);
  near("soft", 0.01 * lambda, -0.3 - 0.1 * (v + 0.2));
}
