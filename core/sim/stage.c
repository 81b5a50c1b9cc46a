// The loop of passes. A pass is one of Newton's method in residual form, and each after the first is an order more accurate whatever A is
// up to O(h):
//
//   w ← w + A⁻¹ ( M (from − w) + weight F(q, w, t) + Gᵀ λ ),   A = M − a D − b K
//
// so that A may leave out derivatives (of the quadratic terms, of M, of J; K and D unsymmetrised) at no cost in order, while what is
// linear (stiffness and damping of joints, damping of bodies) is solved exactly by every pass. λ is solved for anew by every pass.
//
// One pass is all of a stage whose forces are linearised about q and w, F = f + (sD D + sK K) w. Where the solver claims rows, which ask of
// velocities and not of changes, that pass is solved for w itself:  A w = M from + weight F.
#include "core/sim/stage.h"
#include "core/base/targets.h"
#include "core/sim/constrain_halves.h"
#include "core/sim/constrain_internal.h"
#include "core/sim/evaluate.h"
#include "core/sim/layout.h"
#include "core/sim/trouble.h"

#include <string.h>

// sum ← M of what a pass begins with; `scratch` is spoilt. False: there is none of it.
static bool add_inertia(const MbSim *sim, const MbStage *stage, const double *w, double *scratch,
                        double *sum) {
  const MbSolverOps *solver = sim->solver;
  if (stage->whole ? stage->viscous : !stage->viscous && !stage->from) return false;
  if (stage->whole) {
    solver->momentum(sim->work, stage->from ? stage->from : w, sum);
    return true;
  }
  for (size_t i = 0; i < sim->nv; i++) scratch[i] = stage->viscous ? -w[i] : stage->from[i] - w[i];
  solver->momentum(sim->work, scratch, sum);
  return true;
}

// Moves what forces do at nodes over the step to sim->push where nodes and bodies are solved for together: their passes solve for it. Behind the solver's velocities momentum (width) may have what
// rows have pushed nodes with in the step before, which is not to push again.
static void split_nodes(MbSim *sim, double weight, double *force, double *momentum) {
  const MbPassOps *passes = sim->solver->passes;
  if (!passes || !passes->tied(sim->work)) return;
  passes->split(sim->work, force, sim->push);
  passes->split(sim->work, momentum, NULL);
  memset(momentum + sim->nv, 0, (sim->width - sim->nv) * sizeof *momentum);
  for (size_t i = 0; i < sim->nv; i++) sim->push[i] *= weight;
}

// y ← y + s x
static void add_scaled(size_t n, double s, const double *restrict x, double *restrict y) {
  MB_SIMD
  for (size_t i = 0; i < n; i++) y[i] += s * x[i];
}

// y ← s x
static void scale(size_t n, double s, const double *restrict x, double *restrict y) {
  MB_SIMD
  for (size_t i = 0; i < n; i++) y[i] = s * x[i];
}

// Whether momentum and wrenches are gathered at once, as a pass begins with velocities that the bodies of sim->x have.
static bool gathers_at_once(const MbSim *sim, const MbStage *stage) {
  const bool moves_on = stage->there && (stage->passes > 1 || stage->most > 1);
  return sim->solver->impel && !sim->solver->passes && stage->whole && !stage->viscous && !stage->from &&
         !stage->felt && !stage->force && !moves_on && mb_stage_has_trees(sim->model);
}

// sum ← weight F + M of what a pass begins with, of velocities w; `force` is spoilt.
static void gather_at_once(MbSim *sim, const MbStage *stage, const double *w, double *force, double *sum) {
  sim->solver->impel(sim->work, w, sim->x.f, stage->weight, sum);
  memset(force, 0, sim->nv * sizeof *force);
  sim->solver->map->forces(sim->work, sim->model, &sim->x, stage->q, w, force);
  mb_sim_add_blocks(sim, stage->sD, stage->sK, w, force);
  if (stage->besides) add_scaled(sim->nv, 1, stage->besides, force);
  add_scaled(sim->nv, stage->weight, force, sum);
}

// The same by each of them.
static void gather_in_turn(MbSim *sim, const MbStage *stage, const double *w, double *force, double *sum) {
  const size_t n = sim->nv;
  const bool inert = add_inertia(sim, stage, w, force, sum);
  mb_sim_gather(sim, stage->q, stage->felt ? stage->felt : w, force);
  mb_sim_add_blocks(sim, stage->sD, stage->sK, w, force);
  if (stage->besides) add_scaled(n, 1, stage->besides, force);
  if (stage->whole && inert) split_nodes(sim, stage->weight, force, sum);
  if (inert)
    add_scaled(n, stage->weight, force, sum);
  else
    scale(n, stage->weight, force, sum);
}

static MbStatus try_pass(MbSim *sim, const MbStage *stage, bool factor, double *w, MbReport *report) {
  const MbSolverOps *solver = sim->solver;
  double *force = stage->force ? stage->force : sim->r, *sum = sim->s;
  const double *felt = stage->felt ? stage->felt : w;
  const size_t n = sim->nv;
  size_t blame = 0;

  if (!stage->there) {
    mb_sim_kinematics(sim, stage->q, felt);
    if (!stage->felt) mb_sim_follow(sim, NULL, w);
  }
  mb_sim_forces(sim, stage->t, factor && (stage->a != 0 || stage->b != 0));
  if (factor && !solver->factor(sim->work, &sim->x, stage->a, stage->b, stage->exact, &blame))
    return mb_sim_singular(sim, blame, report);

  if (gathers_at_once(sim, stage))
    gather_at_once(sim, stage, w, force, sum);
  else
    gather_in_turn(sim, stage, w, force, sum);

  const bool solved =
      stage->whole ? mb_claims_velocities(sim, sum) : mb_claims_change(sim, &stage->half, w, sum);
  if (!solved) return mb_sim_unsolved(sim, report);
  if (stage->whole)
    memcpy(w, sum, n * sizeof *w);
  else
    add_scaled(n, 1, sum, w);
  return MB_OK;
}

static MbStatus pass(MbSim *sim, const MbStage *stage, bool factor, double *w, MbReport *report) {
  const bool derivatives = sim->x.D && (stage->a != 0 || stage->b != 0);
  MbStatus status = MB_NUMBERS;
  if (!factor || stage->viscous || stage->exact || !derivatives) {
    status = try_pass(sim, stage, factor, w, report);
  } else if ((status = try_pass(sim, stage, factor, w, NULL)) != MB_OK) {
    sim->x.safe = true;
    status = try_pass(sim, stage, factor, w, report);
    sim->x.safe = false;
  }
  if (status != MB_OK || !stage->rows) return status;
  return mb_constrain_half(sim, &stage->half, stage->q, w, sim->s, report);
}

// Whether one more pass follows `done` of them, of which the last has made w of `last`; *before is what the one before it has changed.
static bool goes_on(const MbSim *sim, const MbStage *stage, int done, const double *last, const double *w,
                    double *before) {
  static const double LEFT = 1e-12; // of the fastest
  double change = 0, fastest = 0;
  if (done == 0 || stage->most <= stage->passes) return done < stage->passes;
  for (size_t i = 0; i < sim->nv; i++) {
    change = fmax(change, fabs(w[i] - last[i]));
    fastest = fmax(fastest, fabs(w[i]));
  }
  const double share = change / *before; // of an error that a pass leaves
  *before = change;
  if (done < stage->passes) return true;
  return share < 1 && share * change > LEFT * fastest && done < stage->most;
}

// Notes what pass k has made of w, and what its rows have pushed.
static void note(const MbSim *sim, const MbStage *stage, size_t k, const double *w) {
  const size_t rows = sim->model->nslots;
  memcpy(stage->noted + sim->nv * (k + 1), w, sim->nv * sizeof *w);
  if (stage->pushes && rows)
    memcpy(stage->pushes + rows * k, sim->constraining->force, rows * sizeof *stage->pushes);
}

MbStatus mb_stage_solve(MbSim *sim, const MbStage *stage, double *last, double *w, MbReport *report) {
  MbStatus status = MB_OK;
  const size_t size = sim->nv * sizeof *w;
  double before = INFINITY;
  int done = 0;
  if (stage->noted) memcpy(stage->noted, w, size);
  for (int k = 0; status == MB_OK && goes_on(sim, stage, k, last, w, &before); k++) {
    if (stage->most > stage->passes) memcpy(last, w, size);
    if (stage->rows && !stage->half.second) mb_constrain_aim(sim, &stage->half, stage->q, w);
    if (stage->moves) mb_sim_move(sim, stage->ahead, w);
    status = pass(sim, stage, k < stage->factors, w, report);
    if (stage->noted && k < stage->noting) note(sim, stage, (size_t)k, w);
    done = k + 1;
  }
  for (int k = done < stage->noting ? done : stage->noting; stage->noted && k <= stage->noting; k++)
    memcpy(stage->noted + sim->nv * (size_t)(k + 1), w, size);
  return status;
}
