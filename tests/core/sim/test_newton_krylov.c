// Newton's method by products alone, of chains that are too long for a matrix.
#include "core/base/alloc.h"
#include "core/sim/newton.h"
#include "core/sim/sensitivity.h"
#include "tests/runs.h"
#include "tests/trees.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LINKS = 150, STEPS = 10 };
static const MbIntegratorKind kinds[] = {MB_BDF1, MB_BDF2, MB_SDIRK2};
enum { KINDS = sizeof kinds / sizeof *kinds };

static MbModel *chain(MbIntegratorKind kind, double gravity) {
  MbSceneSpec spec = test_chain_of(LINKS, kind, 0.005);
  spec.gravity[0] = 3, spec.gravity[1] = gravity;
  MbModel *model = test_model(&spec);
  mb_arena_free(&spec.arena);
  return model;
}

static double largest(const double *x, size_t n) {
  double most = 0;
  for (size_t i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  return most;
}

Test(newton_krylov, what_is_left_of_a_stage_is_squared) {
  enum { MOST = 7 };
  static const double SQUARE = 10, ROUNDING = 1e-12; // rad/s
  MbModel *model = chain(MB_BDF1, 1);
  MbSim *sim = test_sim(model, 1);
  const size_t n = sim->nv;
  double *base = mb_calloc(n, sizeof *base), *w = mb_calloc(n, sizeof *w), *z = mb_calloc(n, sizeof *z);
  double left[MOST];
  MbReport report = {0};
  test_steps(sim, STEPS);
  const MbFullStage stage = {.gamma = 1, .t = sim->state.t + model->h, .base = base, .from = sim->state.v};
  memcpy(w, sim->state.v, n * sizeof *w);
  test_ok(mb_full_stage_solve(sim, &stage, w, &report), &report);
  for (size_t i = 0; i < n; i++) w[i] += 0.05 * sin((double)i); // the way from afar is that of passes
  for (int k = 0; k < MOST; k++) {
    cr_assert(mb_newton_change(sim, &stage, w, z), "iteration %d", k);
    left[k] = largest(z, n);
    for (size_t i = 0; i < n; i++) w[i] += z[i];
    printf("chain of %d, iteration %d: %.3e\n", LINKS, k, left[k]);
    if (k > 0 && left[k - 1] < 1)
      cr_expect_leq(left[k], fmax(SQUARE * left[k - 1] * left[k - 1], ROUNDING), "iteration %d", k);
  }
  cr_expect_lt(left[MOST - 1], ROUNDING);
  mb_free(base), mb_free(w), mb_free(z);
  mb_sim_free(sim);
  mb_model_free(model);
}

// x · (A⁻¹ y) = (A⁻ᵀ x) · y
Test(newton_krylov, the_transposed_solution_is_that_of_the_transposed_matrix) {
  MbModel *model = chain(MB_BDF1, 1);
  MbSim *sim = test_sim(model, 1);
  const size_t n = sim->nv;
  const MbStageNote *note;
  uint64_t seed = 5;
  double *x = mb_calloc(n, sizeof *x), *y = mb_calloc(n, sizeof *y), *solved = mb_calloc(n, sizeof *solved),
         *other = mb_calloc(n, sizeof *other), *step = mb_calloc(n, sizeof *step),
         *a = mb_calloc(n, sizeof *a);
  double one = 0, transposed = 0, sizes = 0;
  test_steps(sim, STEPS);
  cr_assert_eq(mb_stages_noted(sim, &note), 1);
  for (size_t i = 0; i < n; i++) {
    x[i] = other[i] = test_around_zero(&seed), y[i] = solved[i] = test_around_zero(&seed);
    step[i] = model->h * note->w[i], a[i] = (note->w[i] - note->from[i]) / model->h;
  }
  cr_assert(mb_newton_factor(sim, note, sim->state.q, step, a, NULL));
  cr_assert(mb_newton_solve(sim, solved));
  cr_assert(mb_newton_solve_transposed(sim, other));
  for (size_t i = 0; i < n; i++)
    one += x[i] * solved[i], transposed += other[i] * y[i], sizes += fabs(x[i] * solved[i]);
  printf("x . (inverse y) %.15g, (transposed x) . y %.15g\n", one, transposed);
  cr_expect_lt(fabs(one - transposed), 1e-10 * sizes);
  mb_free(x), mb_free(y), mb_free(solved), mb_free(other), mb_free(step), mb_free(a);
  mb_sim_free(sim);
  mb_model_free(model);
}

static double energy_at_end(MbIntegratorKind kind, double gravity) {
  MbModel *model = chain(kind, gravity);
  MbSim *sim = test_sim(model, 1);
  test_steps(sim, STEPS);
  const double energy = mb_energy(sim->model, &sim->x).kinetic;
  mb_sim_free(sim);
  mb_model_free(model);
  return energy;
}

// What the frame's number counts for backwards.
static bool wanted(void *to, int64_t step, double t) {
  (void)to, (void)t;
  return step == STEPS;
}
static void weigh(void *to, int64_t step, double t, const double *frame, double *weights) {
  (void)step, (void)t, (void)frame;
  weights[*(const size_t *)to] = 1;
}

static MbSensitivity *begin(const MbModel *model, const MbSensitivityNumber *number) {
  MbSensitivity *run = NULL;
  MbReport report = {0};
  test_ok(mb_sensitivity_create(model, number, 1, &run, &report), &report);
  cr_assert_null(mb_sensitivity_by_steps(run), "%s", mb_sensitivity_by_steps(run));
  return run;
}

Test(newton_krylov, derivatives_both_ways_are_those_of_whole_runs) {
  static const double LITTLE = 3e-6, MOVE = 1e-3;
  for (size_t k = 0; k < KINDS; k++) {
    MbModel *model = chain(kinds[k], 1), *less = chain(kinds[k], 1 - LITTLE),
            *more = chain(kinds[k], 1 + LITTLE);
    const MbSensitivityNumber number = {"gravity", less, more, LITTLE};
    MbReport report = {0};
    MbSensitivity *run = begin(model, &number);
    size_t count = 0, place = 0;
    const MbChannel *channel = mb_sim_channels(mb_sensitivity_sim(run), &count);
    for (size_t i = 0; i < count; i++)
      if (!strcmp(channel[i].name, "energy")) place = channel[i].offset;
    const size_t size = mb_sim_frame_size(mb_sensitivity_sim(run));
    double *frame = mb_calloc(2 * size, sizeof *frame), back = 0;
    for (int i = 0; i < STEPS; i++) test_ok(mb_sensitivity_step(run, &report), &report);
    test_ok(mb_sensitivity_frame(run, frame, frame + size, &report), &report);
    mb_sensitivity_free(run);
    const MbSensitivityWeights weights = {.to = &place, .wanted = wanted, .weigh = weigh};
    run = begin(model, &number);
    test_ok(mb_sensitivity_backward(run, STEPS, 1 << 24, &weights, &back, NULL, &report), &report);
    const double d = (8 * (energy_at_end(kinds[k], 1 + MOVE) - energy_at_end(kinds[k], 1 - MOVE)) -
                      (energy_at_end(kinds[k], 1 + 2 * MOVE) - energy_at_end(kinds[k], 1 - 2 * MOVE))) /
                     (12 * MOVE);
    printf("%s: along %.12g, back %.12g, differences %.12g\n", mb_integrator_words[kinds[k]],
           frame[size + place], back, d);
    cr_expect_lt(fabs(frame[size + place] - d), 1e-7 * fabs(d), "%s: %.12g, wanted %.12g",
                 mb_integrator_words[kinds[k]], frame[size + place], d);
    cr_expect_lt(fabs(back - frame[size + place]), 1e-8 * fabs(d), "%s: %.12g", mb_integrator_words[kinds[k]],
                 back);
    mb_free(frame);
    mb_sensitivity_free(run);
    mb_model_free(model), mb_model_free(less), mb_model_free(more);
  }
}
