// The articulated form of joints held by rows, as compiled for every kind of processor that this machine can be.
#include "core/base/alloc.h"
#include "core/solvers/maximal/held.h"
#include "tests/trees.h"

#include <stdio.h>
#include <string.h>

enum { MOST = 400 };

// What comes of one instant: rows, coordinates, velocities and multipliers.
typedef struct Outcome {
  double g[MOST], Jc[6 * MOST], V[6 * MOST], q[2 * MOST], rate[MOST], v[MOST], lambda[MOST];
} Outcome;

static void make(MbSim *sim, const MbHeldKernels *kernels, double a, double b, Outcome *out) {
  const MbModel *model = sim->model;
  const double *q = sim->state.q + 7 * model->nb;
  uint64_t seed = 3;
  size_t blame = 0;
  MbHeld held;
  cr_assert(mb_held_create(model, 1, &held));
  cr_assert(held.posture && held.shape.nrows <= MOST && sim->nv <= MOST && model->nq <= 2 * MOST);
  held.kernels = kernels;
  mb_held_update(&held, q, &sim->x);
  *out = (Outcome){0};
  for (size_t i = 0; i < sim->nv; i++) out->v[i] = test_around_zero(&seed);
  for (size_t r = 0; r < held.shape.nrows; r++) out->lambda[r] = test_around_zero(&seed);
  cr_assert(mb_held_factor(&held, &sim->x, a, b, &blame), "body %zu", blame);
  mb_held_solve(&held, out->v, out->lambda);
  memcpy(out->g, held.g, held.shape.nrows * sizeof(double));
  memcpy(out->Jc, held.Jc, 6 * held.shape.nrows * sizeof(double));
  memcpy(out->V, held.V, 6 * model->nv * sizeof(double));
  memcpy(out->q, held.q, model->nq * sizeof(double));
  memcpy(out->rate, held.v, model->nv * sizeof(double));
  mb_held_free(&held);
}

static void near(const char *what, const double *is, const double *wanted, size_t n) {
  static const double SAME = 1e-11; // rounding that fused products do without, times a condition of thousands
  double most = 1;
  for (size_t i = 0; i < n; i++) most = fmax(most, fabs(wanted[i]));
  test_near(what, is, wanted, n, SAME * most);
}

Test(held_kernels, agree_on_every_kind_of_processor) {
  static Outcome plain, other;
  uint64_t seed = 41;
  for (int round = 0; round < 8; round++) {
    const bool implicit = round % 2;
    const double a = implicit ? 0.02 : 0, b = implicit ? 4e-4 : 0;
    MbSceneSpec spec = test_forest(implicit ? MB_IMPLICIT : MB_SYMPLECTIC, &seed);
    spec.solver.kind = MB_SOLVER_MAXIMAL;
    MbModel *model = test_model(&spec);
    MbSim *sim = test_sim(model, 1);
    for (size_t i = 0; i < 3 * model->nb; i++) // the joints have come apart a little
      sim->state.q[7 * (i / 3) + i % 3] += 0.01 * test_around_zero(&seed);
    mb_sim_kinematics(sim, sim->state.q, sim->state.v);
    mb_sim_forces(sim, 0, sim->x.K != NULL);
    const MbHeldKernels *const *list = mb_held_kernels_list;
    size_t last = 0;
    while (strcmp(list[last]->name, "1") != 0) last++;
    make(sim, list[last], a, b, &plain);
    for (size_t k = 0; k < last; k++) {
      if (list[k]->lanes != 1 || !mb_held_kernels_run(list[k])) continue;
      make(sim, list[k], a, b, &other);
      char what[64];
      snprintf(what, sizeof what, "%s: gaps, rows, coordinates", list[k]->name);
      near(what, other.g, plain.g, MOST);
      near(what, other.Jc, plain.Jc, 6 * MOST);
      near(what, other.V, plain.V, 6 * MOST);
      near(what, other.q, plain.q, 2 * MOST);
      near(what, other.rate, plain.rate, MOST);
      snprintf(what, sizeof what, "%s: velocities", list[k]->name);
      near(what, other.v, plain.v, MOST);
      snprintf(what, sizeof what, "%s: multipliers", list[k]->name);
      near(what, other.lambda, plain.lambda, MOST);
    }
    mb_sim_free(sim);
    mb_model_free(model);
    mb_arena_free(&spec.arena);
  }
  cr_assert_eq(mb_alloc_live(), 0);
}
