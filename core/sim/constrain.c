// Constraints in a step. Rows are made once for an instant, in maximal terms: H on twists, c on velocities. As rows of
// generalised velocities they are G = H J + c, of which only the coordinates between the bodies and the world are kept. What they ask
// for stands in ask.c: w = W λ + b with W = G A⁻¹ Gᵀ is to be 0, or ≥ 0 with λ ≥ 0, and v⁺ = v + A⁻¹ Gᵀ λ. What solves this is
// one of the methods on W (contact/contact_ops.h). Here is what steps and instants ask; rows_asked.c says which rows take part in it,
// and rows_solve.c what they push by.
#include "core/sim/constrain.h"
#include "core/sim/constrain_internal.h"
#include "core/sim/singular.h"
#include "core/sim/dry.h"
#include "core/sim/evaluate.h"
#include "core/sim/kept_moves.h"
#include "core/sim/layout.h"
#include "core/sim/touch.h"
#include "core/sim/trouble.h"

#include <string.h>

void mb_constrain_prepare(MbSim *sim) {
  MbConstraining *c = sim->constraining;
  if (!c) return;
  c->singular = c->solved = false;
  mb_rows_make(sim, sim->state.q, sim->state.v, sim->state.t + sim->model->h, sim->model->h);
  mb_dry_begin(sim);
  mb_kept_begin(sim);
}

MbStatus mb_constrain_solve(MbSim *sim, double *v, MbReport *report) {
  MbConstraining *c = sim->constraining;
  if (!c) return MB_OK;
  if (mb_touch_apart(sim)) return mb_touch_apart_solve(sim, v, report);
  memset(c->force, 0, c->set.n * sizeof *c->force);
  const MbAsking asking = mb_asking(sim, MB_ASK_VELOCITIES);
  if (asking.curve != 0 && sim->solver->drift) sim->solver->drift(sim->work, c->drift);
  mb_rows_ask(sim, &asking, v, NULL);
  // which rows take part is known by their gaps
  c->same = c->solved && !c->set.anew && (!sim->solver->passes || sim->solver->passes->steady(sim->work));
  const MbStatus status = mb_rows_solve(sim, MB_VELOCITIES, sim->state.t, 1 / sim->model->h, v, report);
  c->same = false;
  mb_rows_claimed(sim, 1 / sim->model->h);
  if (status == MB_OK) mb_touch_take(sim, v);
  if (status == MB_OK) mb_dry_take(sim, v);
  if (status == MB_OK) mb_kept_tell(sim, report);
  return status == MB_OK ? mb_singular_watch(sim, sim->state.v, v, 1, report) : status;
}

MbStatus mb_constrain_bodies(MbSim *sim, double *v, MbReport *report) {
  MbConstraining *c = sim->constraining;
  if (!c) return MB_OK;
  c->of = MB_ROWS_OF_BODIES;
  const MbStatus status = mb_constrain_solve(sim, v, report);
  c->of = MB_ROWS_OF_ALL, c->solved = false;
  return status;
}

MbStatus mb_constrain_nodes(MbSim *sim, double *v, MbReport *report) {
  MbConstraining *c = sim->constraining;
  if (!c) return MB_OK;
  const MbAsking asking = mb_asking(sim, MB_ASK_VELOCITIES);
  for (size_t s = 0; s < c->set.n; s++)
    if (c->set.is[s].nodes) c->force[s] = 0;
  c->of = MB_ROWS_OF_NODES;
  mb_rows_ask(sim, &asking, v, NULL);
  const MbStatus status = mb_rows_solve(sim, MB_VELOCITIES, sim->state.t, 1 / sim->model->h, v, report);
  c->of = MB_ROWS_OF_ALL, c->solved = false;
  return status;
}

MbStatus mb_constrain_velocity(MbSim *sim, double *v, MbReport *report) {
  mb_constrain_prepare(sim);
  return mb_constrain_solve(sim, v, report);
}

void mb_constrain_loosen(MbSim *sim, double velocity) {
  if (sim->constraining) sim->constraining->loose = velocity, sim->constraining->unfinished = false;
}

bool mb_constrain_unfinished(const MbSim *sim) { return sim->constraining && sim->constraining->unfinished; }

double *mb_constrain_forces(MbSim *sim) { return sim->constraining ? sim->constraining->force : NULL; }

void mb_constrain_impulses(const MbSim *sim, double *y) {
  const MbConstraining *c = sim->constraining;
  for (size_t s = 0; c && s < c->set.n; s++)
    if (c->set.is[s].claimed == MB_WORLD) mb_row_spread(&c->set, s, sim->model->h * c->force[s], y);
}

MbStatus mb_constrain_jump(MbSim *sim, const double *q, double t, double *v, MbReport *report) {
  MbConstraining *c = sim->constraining;
  size_t blame = 0;
  if (!c && !mb_claims_any(sim)) return MB_OK;
  mb_sim_kinematics(sim, q, v);
  mb_sim_follow(sim, NULL, v);
  if (!sim->solver->factor(sim->work, &sim->x, 0, 0, true, &blame))
    return mb_sim_singular(sim, blame, report);
  if (!mb_claims_agree(sim, v)) return mb_sim_unsolved(sim, report);
  if (!c) return MB_OK;
  mb_rows_make(sim, q, v, t, 0);
  for (size_t s = 0; s < c->set.n; s++)
    c->near[s] |= mb_rows_one_way(c, s) && (c->set.row[s].g <= MB_EVENT_CLOSE * c->set.row[s].size ||
                                            (c->latched && c->latched[s] != 0));
  const MbAsking asking = mb_asking(sim, MB_ASK_JUMPS);
  mb_rows_ask(sim, &asking, v, NULL);
  return mb_rows_solve(sim, MB_JUMPS, t, 0, v, report);
}

// Velocities at the state after a blow. What is near its bound is so for this alone.
MbStatus mb_constrain_impulse(MbSim *sim, double *v) {
  MbConstraining *c = sim->constraining;
  if (!c) return MB_OK;
  memset(c->near, 0, c->set.n * sizeof *c->near);
  const MbStatus status = mb_constrain_jump(sim, sim->state.q, sim->state.t, v, NULL);
  memset(c->near, 0, c->set.n * sizeof *c->near);
  return status;
}

MbStatus mb_constrain_settle(MbSim *sim, MbReport *report) {
  MbConstraining *c = sim->constraining;
  if (!c || !c->claims) return MB_OK;
  memset(c->y, 0, sim->width * sizeof *c->y);
  mb_constrain_impulses(sim, c->y);
  const bool solved = sim->solver->apply(sim->work, c->y, NULL, sim->pulled);
  memset(c->y, 0, sim->width * sizeof *c->y);
  mb_claims_recall(sim);
  mb_claims_add(sim);
  mb_rows_claimed(sim, 1 / sim->model->h);
  return solved ? MB_OK : mb_sim_unsolved(sim, report);
}

bool mb_rows_soft(MbSim *sim, const double *v, double *vdot) {
  MbConstraining *c = sim->constraining;
  const MbAsking asking = mb_asking(sim, MB_ASK_JUMPS); // their forces follow from what velocities are
  bool any = false;
  for (size_t s = 0; s < c->set.n; s++) {
    if (!(c->set.is[s].alpha > 0)) continue;
    const MbAskRow known = mb_rows_known(sim, s, &asking, v, NULL);
    c->force[s] = mb_ask_soft_force(&known);
    mb_row_spread(&c->set, s, c->force[s], c->y);
    any = true;
  }
  if (!any) return true;
  const bool solved = sim->solver->apply(sim->work, c->y, NULL, c->claims ? sim->pulled : NULL);
  if (c->claims) mb_claims_add(sim);
  for (size_t i = 0; i < sim->nv; i++) vdot[i] += c->y[i];
  memset(c->y, 0, sim->nv * sizeof *c->y);
  return solved;
}

MbStatus mb_constrain_acceleration(MbSim *sim, const double *q, const double *v, double t, double *vdot,
                                   MbReport *report) {
  MbConstraining *c = sim->constraining;
  if (!c) return MB_OK;
  const MbAsking asking = mb_asking(sim, MB_ASK_ACCELERATIONS);
  mb_rows_make(sim, q, v, t, 0);
  memset(c->force, 0, c->set.n * sizeof *c->force);
  if (sim->solver->drift) sim->solver->drift(sim->work, c->drift);
  if (!mb_rows_soft(sim, v, vdot)) return mb_sim_unsolved(sim, report);
  mb_rows_ask(sim, &asking, vdot, v);
  const MbStatus status = mb_rows_solve(sim, MB_ACCELERATIONS, t, 1, vdot, report);
  mb_rows_claimed(sim, 1);
  return status;
}

// Newton's method on g(q) = 0: few turns, as it starts near.
MbStatus mb_constrain_position(MbSim *sim, double *q, const double *v, double t, MbReport *report) {
  const bool singular = sim->constraining && sim->constraining->singular;
  const bool asked = sim->model->solver.stabilization.kind == MB_POST || singular;
  return asked ? mb_constrain_close(sim, q, v, t, 1e-13, report) : MB_OK;
}

MbStatus mb_constrain_close(MbSim *sim, double *q, const double *v, double t, double close_by,
                            MbReport *report) {
  enum { TURNS = 8 };
  MbConstraining *c = sim->constraining;
  if (!c && !mb_claims_any(sim)) return MB_OK;
  double *dq = sim->s;
  size_t blame = 0;
  for (int turn = 0; turn < TURNS; turn++) {
    bool close = true;
    if (c) mb_rows_make(sim, q, v, t, 0);
    for (size_t s = 0; c && s < c->set.n; s++) {
      const MbRow *row = &c->set.row[s];
      if (row->order || c->set.is[s].alpha > 0 || c->set.is[s].outward != 0 || c->set.is[s].nodes) continue;
      close &= (c->set.is[s].kind == MB_ROW_ONE_WAY ? -row->g : fabs(row->g)) <= close_by * row->size;
    }
    if (mb_claims_any(sim) || !close) {
      if (!sim->solver->factor(sim->work, &sim->x, 0, 0, true, &blame))
        return mb_sim_singular(sim, blame, report);
      close &= mb_claims_close(sim, dq) <= close_by;
    }
    if (close) return MB_OK;
    if (c) {
      const MbAsking asking = mb_asking(sim, MB_ASK_POSITIONS);
      mb_rows_ask(sim, &asking, mb_claims_any(sim) ? dq : NULL, NULL);
      const MbStatus status = mb_rows_solve(sim, MB_POSITIONS, t, 0, dq, report);
      if (status != MB_OK) return status;
    }
    mb_sim_advance(sim, q, 1, dq);
    mb_sim_kinematics(sim, q, v);
  }
  return MB_OK;
}

MbStatus mb_constrain_commit(MbSim *sim, const double *q, const double *v, double t, MbReport *report) {
  const MbModel *model = sim->model;
  MbConstraining *c = sim->constraining;
  const bool at_end = sim->integrator->scheme == MB_ADAPTIVE && model->solver.mode == MB_DYNAMIC;
  if (at_end && sim->forces_asked) {
    size_t blame = 0;
    mb_sim_forces(sim, t, false);
    if (!sim->solver->factor(sim->work, &sim->x, 0, 0, true, &blame))
      return mb_sim_singular(sim, blame, report);
    c->latched = mb_section(sim, MB_SECTION_LATCHED_BEFORE);
    mb_sim_gather(sim, q, v, sim->s);
    if (!mb_claims_accelerations(sim, v, model->gamma, sim->s)) return mb_sim_unsolved(sim, report);
    const MbStatus status = mb_constrain_acceleration(sim, q, v, t, sim->s, report);
    c->latched = mb_section(sim, MB_SECTION_LATCHED);
    if (status != MB_OK) return status;
  }
  if (model->nguess && sim->integrator->scheme != MB_ADAPTIVE) {
    mb_rows_make(sim, q, v, t, 0);
    mb_constrain_remember(sim);
  }
  if (c->freed && sim->integrator->scheme != MB_ADAPTIVE)
    memcpy(mb_section(sim, MB_SECTION_FREEDOM), c->freedom, sizeof c->freedom);
  c->freed = false;
  if (!at_end || sim->forces_asked) // else they are those of some instant within the step
    memcpy(mb_section(sim, MB_SECTION_FORCES), c->force, model->nslots * sizeof *c->force);
  return MB_OK;
}
