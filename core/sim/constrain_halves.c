// Constraints in the steps of second order (scheme_halves.c) and in the kinematic mode. The velocities w that carry q to the
// step's end are asked to bring the gaps there to where they should be, whatever the rows G are taken at, so that Newton's passes close
// them: γ = 1/h leaves no gap, γ = 0 the one that was. Where only a rate or an acceleration is known, it is that at t + h/2, and so
// are the rows. The velocities at the end then satisfy the rows there, without a pull on positions. What rows ask for stands in ask.c.
//
// The second half of bridson_marino solves for soft rows only, with what hard ones leave free: these keep their rates until
// the end. A unilateral row that comes to press must not throw its bodies back:
// such a step is made anew as one stage of first order (mb_constrain_struck).
#include "core/sim/constrain_halves.h"
#include "core/base/report.h"
#include "core/model/coordinates.h"
#include "core/sim/constrain_internal.h"
#include "core/sim/singular.h"
#include "core/sim/stage_notes.h"
#include "core/sim/evaluate.h"
#include "core/sim/claims.h"
#include "core/sim/layout.h"
#include "core/sim/trouble.h"

#include <string.h>

// A again where the bodies are now, with the derivatives that the forces last had.
static MbStatus factor(MbSim *sim, MbReport *report) {
  const MbIntegrator *in = sim->integrator;
  const double h = sim->model->h;
  size_t blame = 0;
  if (sim->solver->factor(sim->work, &sim->x, in->a * h, in->b * h * h, false, &blame)) return MB_OK;
  if (sim->solver->factor(sim->work, &sim->x, 0, 0, true, &blame)) return MB_OK;
  return mb_sim_singular(sim, blame, report);
}

// Takes the hard rows that are always there; whether velocities v agree with them all.
static bool take_hard(MbSim *sim, const double *v) {
  static const double AGREE = 1e-9; // of the terms' sizes
  const MbAsking asking = mb_asking(sim, MB_ASK_JUMPS);
  return mb_rows_ask(sim, &asking, v, NULL) <= AGREE;
}

// Velocities that contradict the constraints, as at the start or after a push, are made to agree first, where they are: by
// impulses, so that M alone counts.
MbStatus mb_constrain_begin(MbSim *sim, MbReport *report) {
  MbConstraining *c = sim->constraining;
  sim->start = sim->state.v;
  mb_claims_begin(sim);
  if (!c) return MB_OK;
  mb_rows_make(sim, sim->state.q, sim->state.v, sim->state.t, 0);
  c->singular = false;
  memset(c->half, 0, c->set.n * sizeof *c->half);
  for (size_t s = 0; s < c->set.n; s++) c->g0[s] = c->set.row[s].g;
  mb_rows_begin(sim, sim->state.v);
  const bool agree = take_hard(sim, sim->state.v);
  if (agree || sim->model->solver.mode == MB_FIRST_ORDER) return MB_OK;
  memcpy(c->v, sim->state.v, sim->nv * sizeof *c->v);
  sim->start = c->v;
  size_t blame = 0;
  const bool fine = sim->solver->factor(sim->work, &sim->x, 0, 0, true, &blame);
  MbStatus status = fine ? MB_OK : mb_sim_singular(sim, blame, report);
  if (fine && !mb_claims_agree(sim, c->v)) return mb_sim_unsolved(sim, report);
  take_hard(sim, c->v);
  if (status == MB_OK) status = mb_rows_solve(sim, MB_JUMPS, sim->state.t, 0, c->v, report);
  mb_rows_begin(sim, c->v);
  return status;
}

void mb_constrain_aim(MbSim *sim, const MbHalf *half, const double *q, const double *w) {
  MbConstraining *c = sim->constraining;
  const double h = sim->model->h;
  if (!c && !mb_claims_any(sim)) return;
  if (!half->here) mb_sim_move(sim, h, w);
  const double *there = half->here ? q : sim->q1;
  mb_sim_kinematics(sim, there, w);
  mb_claims_aim(sim, w);
  if (!c) return;
  mb_rows_make(sim, there, sim->start, half->here ? half->t : sim->state.t + h, 0);
  for (size_t s = 0; s < c->set.n; s++)
    c->g1[s] = c->set.row[s].order == 0 ? c->set.row[s].g : mb_row_rate(&c->set, s, w);
}

const char *mb_constrain_widest(const MbSim *sim, double *gap) {
  const MbConstraining *c = sim->constraining;
  const char *name = NULL;
  *gap = 0;
  for (size_t s = 0; c && s < c->set.n; s++) {
    if (c->set.is[s].kind != MB_ROW_BOTH_WAYS || c->set.is[s].alpha > 0 || c->set.row[s].order) continue;
    if (!(fabs(c->g1[s]) > *gap)) continue;
    *gap = fabs(c->g1[s]);
    name = c->set.is[s].name;
  }
  return name;
}

MbStatus mb_constrain_half(MbSim *sim, const MbHalf *half, const double *q, double *w, const double *change,
                           MbReport *report) {
  MbConstraining *c = sim->constraining;
  const double t = sim->state.t;
  if (!c) return MB_OK;
  mb_rows_make_half(sim, half, q, sim->start, t);
  memset(c->force, 0, c->set.n * sizeof *c->force);
  const MbAsking asking = mb_asking_half(sim, half);
  mb_rows_ask(sim, &asking, w, change);
  for (size_t s = 0; !half->second && s < c->set.n; s++) // what it is off by
    if (c->set.row[s].order == 0 && !(c->set.is[s].alpha > 0)) c->set.row[s].g = c->g1[s];
  const MbStatus status = mb_rows_solve(sim, MB_VELOCITIES, t, 1, w, report);
  mb_rows_claimed(sim, 1);
  return status;
}

MbStatus mb_constrain_keep(MbSim *sim, const double *v, const double *w, double times, MbReport *report) {
  MbConstraining *c = sim->constraining;
  if (!c) return MB_OK;
  for (size_t s = 0; s < c->set.n; s++) c->half[s] += times * c->force[s];
  return mb_singular_watch(sim, v, w, times, report);
}

bool mb_constrain_struck(const MbSim *sim) {
  const MbConstraining *c = sim->constraining;
  const double *before = mb_section(sim, MB_SECTION_FORCES);
  for (size_t s = 0; c && s < c->set.fixed; s++)
    if (mb_rows_one_way(c, s) && (c->half[s] > 0 || c->force[s] > 0) && !(before[c->set.is[s].key] > 0))
      return true;
  return false;
}

MbStatus mb_constrain_agree(MbSim *sim, double t, const double *made, bool factored, double *v,
                            MbReport *report) {
  MbConstraining *c = sim->constraining;
  if (!c && !mb_claims_any(sim)) return MB_OK;
  mb_sim_kinematics(sim, sim->q1, v);
  mb_sim_follow(sim, NULL, v);
  MbStatus status = factored ? MB_OK : factor(sim, report);
  if (status != MB_OK) return status;
  memcpy(sim->s, v, sim->nv * sizeof *v);
  if (!mb_claims_agree(sim, v)) return mb_sim_unsolved(sim, report);
  if (!c) return MB_OK;
  mb_rows_make(sim, sim->q1, sim->start, t, 0);
  memset(c->force, 0, c->set.n * sizeof *c->force);
  const MbAsking asking = mb_asking(sim, MB_ASK_END);
  mb_rows_ask(sim, &asking, v, made);
  status = mb_rows_solve(sim, MB_JUMPS, t, 1, v, report);
  mb_rows_claimed(sim, 1);
  return status == MB_OK ? mb_singular_watch(sim, sim->s, v, 1, report) : status;
}

MbStatus mb_constrain_end(MbSim *sim, const double *made, bool factored, double *v, double *agreed,
                          MbReport *report) {
  MbConstraining *c = sim->constraining;
  const double h = sim->model->h;
  const MbStatus status = mb_constrain_agree(sim, sim->state.t + h, made, factored, v, report);
  mb_stage_note_agreed(sim);
  if (c && agreed) memcpy(agreed, c->force, sim->model->nslots * sizeof *agreed);
  for (size_t s = 0; c && s < c->set.n; s++) c->force[s] = (c->half[s] + c->force[s]) / h;
  return status;
}

MbStatus mb_constrain_kinematic(MbSim *sim, const double *q, double t, double *v, MbReport *report) {
  MbConstraining *c = sim->constraining;
  if (!c) return MB_OK;
  mb_rows_make(sim, q, v, t, 0);
  memset(c->force, 0, c->set.n * sizeof *c->force);
  const MbAsking asking = mb_asking(sim, MB_ASK_KINEMATIC);
  mb_rows_ask(sim, &asking, v, NULL);
  const MbStatus status = mb_rows_solve(sim, MB_JUMPS, t, 1, v, report);
  mb_rows_claimed(sim, 1);
  return status;
}
