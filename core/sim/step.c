// One step, the same for every solver, scheme and force: the scheme makes the state to come, which becomes the state if it is sound.
#include "core/sim/claims.h"
#include "core/sim/constrain.h"
#include "core/sim/constrain_internal.h"
#include "core/sim/crushed.h"
#include "core/sim/dry.h"
#include "core/sim/energy_watch.h"
#include "core/sim/evaluate.h"
#include "core/sim/gaps.h"
#include "core/sim/gimbal_watch.h"
#include "core/sim/layout.h"
#include "core/sim/linear_watch.h"
#include "core/sim/nodes.h"
#include "core/sim/schemes.h"
#include "core/sim/touch.h"
#include "core/sim/trouble.h"
#include "core/sim/turned_over.h"

static bool all_below(const double *x, size_t n, double bound) {
  int ok = 1;
  for (size_t i = 0; i < n; i++) ok &= fabs(x[i]) < bound; // false of NaN
  return ok;
}

// Coordinates and velocities so small that no body can be beyond the bounds: a look at the bodies, which are far more
// numbers, is saved.
static bool is_tame(const MbSim *sim) {
  static const double SMALL = 1e6;
  return !sim->solver->map->layout->apart(sim->model) && all_below(sim->v1, sim->nv, SMALL) &&
         all_below(sim->q1, sim->nq, SMALL);
}

// What the scene has none of is not asked. Makes (q1, v1) the state if it is sound; else the bodies are put back where the state is.
static MbStatus commit(MbSim *sim, MbReport *report) {
  MbState *state = &sim->state;
  const int64_t step = state->step + 1;
  const double t = (double)step * sim->model->h;
  const bool keeps = sim->constraining || mb_claims_any(sim);
  mb_sim_settle(sim, sim->q1, sim->v1);
  MbStatus status = is_tame(sim) ? MB_OK : mb_sim_check(sim, t, step, report);
  if (keeps && status == MB_OK) status = mb_constrain_position(sim, sim->q1, sim->v1, t, report);
  if (sim->touching && status == MB_OK) status = mb_touch_part(sim, t, report);
  if (status == MB_OK) mb_sim_follow(sim, sim->q1, sim->v1);
  if (sim->nodes && status == MB_OK) status = mb_nodes_step(sim, t, report);
  if (sim->touching && status == MB_OK) status = mb_touch_part_points(sim, t, report);
  if (keeps && status == MB_OK) status = mb_gaps_watch(sim, sim->q1, sim->v1, t, report);
  if (sim->constraining && status == MB_OK) status = mb_constrain_commit(sim, sim->q1, sim->v1, t, report);
  if (status != MB_OK) {
    mb_sim_kinematics(sim, state->q, state->v);
    mb_touch_forget(sim);
    return status;
  }
  if (sim->nodes) mb_nodes_commit(sim);
  if (sim->touching) mb_touch_commit(sim);
  if (sim->model->dry) mb_dry_commit(sim);
  if (sim->constraining) mb_solved_commit(sim, report);
  if (sim->scheme->commit) sim->scheme->commit(sim);
  double *const q = state->q, *const v = state->v;
  state->q = sim->q1, state->v = sim->v1;
  sim->q1 = q, sim->v1 = v;
  state->step = step;
  state->t = t;
  return MB_OK;
}

MbStatus mb_sim_step(MbSim *sim, MbReport *report) {
  sim->trouble[0] = 0;
  if (sim->turned) mb_turned_note(sim);
  mb_sim_foresee(sim);
  MbStatus status = MB_OK;
  if (sim->constraining) {
    mb_solved_begin(sim);
    status = mb_rows_list(sim, report);
  }
  if (status == MB_OK) status = sim->scheme->step(sim, report);
  if (status == MB_OK)
    status = commit(sim, report);
  else
    mb_sim_kinematics(sim, sim->state.q, sim->state.v);
  if (status != MB_OK) mb_away_undo(sim);
  if (sim->turned && status == MB_OK) mb_turned_watch(sim, report);
  if (status == MB_OK) mb_watch_step(sim, report);
  if (sim->gimbal && status == MB_OK) mb_gimbal_watch(sim, report);
  if (sim->linear.due && status == MB_OK) mb_linear_step(sim, report);
  if (sim->crushed && status == MB_OK) mb_crushed_watch(sim, report);
  if (status == MB_NUMBERS) mb_watch_failure(sim, report);
  return status;
}
