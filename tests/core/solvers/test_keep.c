// Instants that a solver keeps (core/solvers/keep.h): put into another one they are what the first had, and only of a factor of M made there.
#include "core/solvers/keep.h"
#include "core/base/alloc.h"
#include "core/model/coordinates.h"
#include "tests/trees.h"

#include <math.h>
#include <string.h>

// A⁻¹ x and Jᵀ f of a simulation where its solver is.
static void ask(MbSim *sim, const double *x, const double *f, double *solved, double *gathered) {
  memcpy(solved, x, sim->nv * sizeof *solved);
  cr_assert(sim->solver->apply(sim->work, solved, NULL, NULL));
  sim->solver->gather(sim->work, f, gathered);
}

static void check(MbModel *model, uint64_t *seed) {
  MbSim *one = test_sim(model, 1), *other = test_sim(model, 1);
  const MbKeepOps *keeps = one->solver->keeps;
  const size_t nv = one->nv, nb = model->nb;
  cr_assert_not_null(keeps);
  double *kept = mb_calloc(keeps->numbers(one->work), sizeof *kept);
  double *numbers = mb_calloc(6 * nv + 6 * nb + one->nq, sizeof *numbers), *f = numbers + 6 * nv,
         *away = f + 6 * nb;
  double *x = numbers, *y = numbers + nv, *solved[2] = {numbers + 2 * nv, numbers + 3 * nv};
  double *gathered[2] = {numbers + 4 * nv, numbers + 5 * nv};
  size_t blame = 0;
  for (size_t i = 0; i < nv; i++) x[i] = test_around_zero(seed);
  for (size_t i = 0; i < 6 * nb; i++) f[i] = test_around_zero(seed);
  mb_sim_kinematics(one, one->state.q, one->state.v);
  keeps->instant(one->work, kept);
  cr_assert(one->solver->accelerate(one->work, NULL, y, &blame));
  cr_expect(keeps->factor(one->work, kept), "M was factored there");
  ask(one, x, f, solved[0], gathered[0]);
  memcpy(away, other->state.q, other->nq * sizeof *away); // elsewhere, with something else in A
  mb_coordinates_advance(model, away, 0.1, x, 0, nb);
  mb_sim_kinematics(other, away, x);
  other->x.v = one->state.v;
  keeps->put(other->work, kept, one->state.q, &other->x);
  ask(other, x, f, solved[1], gathered[1]);
  test_near("M⁻¹ x", solved[1], solved[0], nv, 1e-13);
  test_near("Jᵀ f", gathered[1], gathered[0], nv, 1e-13);
  cr_expect_arr_eq(other->x.E, one->x.E, nb * sizeof *one->x.E);
  cr_expect_arr_eq(other->x.phi, one->x.phi, 6 * nb * sizeof *one->x.phi);
  mb_sim_kinematics(one, away, one->state.v);
  cr_assert(one->solver->accelerate(one->work, NULL, y, &blame));
  cr_expect_not(keeps->factor(one->work, kept), "it was factored elsewhere");
  mb_sim_kinematics(one, one->state.q, one->state.v);
  mb_sim_forces(one, 0, true);
  keeps->instant(one->work, kept);
  cr_assert(one->solver->factor(one->work, &one->x, 0.01, 1e-4, false, &blame));
  cr_expect_not(keeps->factor(one->work, kept), "there is more in A than M");
  mb_free(kept), mb_free(numbers);
  mb_sim_free(one), mb_sim_free(other);
}

Test(keep, an_instant_that_is_put_back_is_what_it_was) {
  uint64_t seed = 11;
  for (int round = 0; round < 10; round++) {
    MbSceneSpec spec = test_forest(MB_IMPLICIT, &seed);
    spec.solver.dynamics = MB_RECURSIVE;
    MbModel *model = test_model(&spec);
    check(model, &seed);
    mb_model_free(model);
    mb_arena_free(&spec.arena);
  }
}
