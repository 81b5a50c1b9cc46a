// Constraints in the steps of second order (scheme_halves.c) and in the kinematic mode. The velocities w that carry q to the
// step's end are asked to bring the gaps there to where they should be, whatever the rows G are taken at; with the pass's
// last w and the gap g₁ = g(q ⊕ h w, t + h) that it leads to,
//
//   G (w⁺ − w) = −(g₁ − (1 − γ h) g₀)/h,   g₀ = g(q, t)
//
// so that Newton's passes close them: γ = 1/h leaves no gap, γ = 0 the one that was. Where only a rate or an acceleration is
// known, it is that at t + h/2, and so are the rows: where a half's coordinates are those at t, with G₁ as at q ⊕ h w,
//
//   G w⁺ + ½ (G₁ − G) w = −ġ_t(t + h/2)
//
// The velocities at the end then satisfy G v⁺ = −ġ_t(t + h), without a pull on positions.
// A soft row's force is that of its stretch half way and of its rate w: from a row at q ⊕ θ h w
//
//   α λ = −(g + ρ h G w⁺ − θ h G w) − β G w⁺,   ρ = max(θ, ½); ½ in the second half
//
// and of which only the rate is known, α λ = −β (G w⁺ + ġ_t).
//
// The second half of bridson_marino solves for soft rows only, with what hard ones leave free: these keep their rates until
// the end. A unilateral row that stops its bodies must not throw them back: of the v in v⁺ = 2w − v and v⁺ = u + w − v
// there is kept what was not stopped (mb_constrain_impact).
#include "core/sim/constrain_halves.h"
#include "core/base/report.h"
#include "core/model/coordinates.h"
#include "core/sim/constrain_internal.h"
#include "core/sim/evaluate.h"
#include "core/sim/held_joints.h"
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
  MbConstraining *c = sim->constraining;
  bool agree = true;
  c->n = 0;
  for (size_t s = 0; s < sim->model->nslots; s++) {
    const MbRow *row = &c->row[s];
    double size = fabs(row->gt);
    const double rate = row->order < 2 ? mb_rows_rate(c, s, v, &size) + row->gt : 0;
    if (c->of[s]->unilateral || c->of[s]->compliance > 0) continue;
    mb_rows_take(sim, s, rate, size, 0);
    agree &= fabs(rate) <= AGREE * size;
  }
  return agree;
}

// Velocities that contradict the constraints, as at the start or after a push, are made to agree first, where they are: by
// impulses, so that M alone counts.
MbStatus mb_constrain_begin(MbSim *sim, MbReport *report) {
  MbConstraining *c = sim->constraining;
  sim->start = sim->state.v;
  mb_held_begin(sim);
  if (!c) return MB_OK;
  mb_rows_make(sim, sim->state.q, sim->state.v, sim->state.t, 0);
  memset(c->half, 0, sim->model->nslots * sizeof *c->half);
  for (size_t s = 0; s < sim->model->nslots; s++) c->g0[s] = c->row[s].g;
  const bool agree = take_hard(sim, sim->state.v);
  if (agree || sim->model->solver.mode == MB_FIRST_ORDER) return MB_OK;
  memcpy(c->v, sim->state.v, sim->nv * sizeof *c->v);
  sim->start = c->v;
  size_t blame = 0;
  const bool fine = sim->solver->factor(sim->work, &sim->x, 0, 0, true, &blame);
  const MbStatus status = fine ? MB_OK : mb_sim_singular(sim, blame, report);
  if (fine && !mb_held_agree(sim, c->v)) return mb_sim_unsolved(sim, report);
  take_hard(sim, c->v);
  return status == MB_OK ? mb_rows_solve(sim, MB_JUMPS, sim->state.t, 0, c->v, report) : status;
}

void mb_constrain_aim(MbSim *sim, const double *w) {
  MbConstraining *c = sim->constraining;
  const double h = sim->model->h;
  if (!c && !sim->solver->held) return;
  memcpy(sim->q1, sim->state.q, sim->nq * sizeof *sim->q1);
  mb_sim_advance(sim, sim->q1, h, w);
  mb_sim_kinematics(sim, sim->q1, w);
  mb_held_aim(sim, w);
  if (!c) return;
  mb_rows_make(sim, sim->q1, sim->start, sim->state.t + h, 0);
  double ignored = 0;
  for (size_t s = 0; s < sim->model->nslots; s++)
    c->g1[s] = c->row[s].order == 0 ? c->row[s].g : mb_rows_rate(c, s, w, &ignored);
}

// Velocities w of this pass, `change` from the last one's: a hard row of positions.
static void take_gap(MbSim *sim, size_t s, const double *w, const double *change) {
  MbConstraining *c = sim->constraining;
  const double h = sim->model->h, gamma = sim->model->gamma - c->of[s]->outward;
  if (c->of[s]->unilateral && c->g0[s] > 0 && !sim->model->ahead) return;
  const double aim = c->of[s]->unilateral && c->g0[s] > 0 ? 0 : (1 - gamma * h) * c->g0[s];
  double size = fabs(c->g1[s] / h) + fabs(aim / h);
  mb_rows_rate(c, s, w, &size);
  const double rate = mb_rows_rate(c, s, change, &size);
  c->row[s].g = c->g1[s]; // what it is off by
  mb_rows_take(sim, s, rate + (c->g1[s] - aim) / h, size, 0);
}

// The same where a rate or an acceleration is known. A body's own motion knows itself what it turns by in a step.
static void take_rate(MbSim *sim, size_t s, const MbHalf *half, const double *w, const double *change) {
  MbConstraining *c = sim->constraining;
  const MbRow *row = &c->row[s];
  double size = fabs(row->gt), bend = 0;
  const double rate = mb_rows_rate(c, s, w, &size);
  if (half->theta == 0 && !c->of[s]->npath) bend = (c->g1[s] - rate + mb_rows_rate(c, s, change, &size)) / 2;
  mb_rows_take(sim, s, rate + bend + row->gt, size, 0);
}

static void take_soft(MbSim *sim, size_t s, const MbHalf *half, const double *w, const double *change) {
  MbConstraining *c = sim->constraining;
  const double h = sim->model->h, reach = half->second ? 0.5 : fmax(half->theta, 0.5);
  const double alpha = c->of[s]->compliance, beta = c->of[s]->damping, way = reach * h + beta;
  double size = fabs(c->row[s].g / way);
  const double rate = mb_rows_rate(c, s, w, &size), last = rate - mb_rows_rate(c, s, change, &size);
  if (c->row[s].order == 0)
    mb_rows_take(sim, s, rate + (c->row[s].g - half->theta * h * last) / way, size,
                 alpha / (half->impulse * way));
  else
    mb_rows_take(sim, s, rate + c->row[s].gt, size, alpha / (half->impulse * beta));
}

MbStatus mb_constrain_half(MbSim *sim, const MbHalf *half, const double *q, double *w, const double *change,
                           MbReport *report) {
  MbConstraining *c = sim->constraining;
  const double t = sim->state.t;
  if (!c) return MB_OK;
  mb_rows_make_half(sim, half, q, sim->start, t);
  memset(c->force, 0, sim->model->nslots * sizeof *c->force);
  c->n = 0;
  for (size_t s = 0; s < sim->model->nslots; s++) {
    const MbRow *row = &c->row[s];
    double size = fabs(row->gt);
    if (mb_rows_slack(c, s)) continue;
    if (c->of[s]->compliance > 0) {
      take_soft(sim, s, half, w, change);
    } else if (half->second) {
      if (!c->of[s]->unilateral || c->half[s] > 0) {
        mb_rows_rate(c, s, w, &size);
        mb_rows_take(sim, s, mb_rows_rate(c, s, change, &size), size, 0);
      }
    } else if (row->order == 0) {
      take_gap(sim, s, w, change);
    } else {
      take_rate(sim, s, half, w, change);
    }
  }
  const MbStatus status = mb_rows_solve(sim, MB_VELOCITIES, t, 1, w, report);
  mb_rows_apart(sim, 1);
  return status;
}

void mb_constrain_keep(MbSim *sim, double times) {
  MbConstraining *c = sim->constraining;
  if (!c) return;
  for (size_t s = 0; s < sim->model->nslots; s++) c->half[s] += times * c->force[s];
}

MbStatus mb_constrain_impact(MbSim *sim, double *v, bool *moved, MbReport *report) {
  MbConstraining *c = sim->constraining;
  bool any = false;
  if (!c) return MB_OK;
  for (size_t s = 0; s < sim->model->nslots; s++) any |= mb_rows_one_way(c, s) && c->half[s] > 0;
  *moved = any;
  if (!any) return MB_OK;

  mb_sim_kinematics(sim, sim->state.q, v);
  mb_sim_follow(sim, NULL, v);
  MbStatus status = factor(sim, report);
  if (status != MB_OK) return status;
  mb_rows_make(sim, sim->state.q, sim->start, sim->state.t, 0);
  any = false;
  c->n = 0;
  for (size_t s = 0; s < sim->model->nslots; s++) {
    double size = 0;
    const double rate = mb_rows_rate(c, s, v, &size);
    const bool stops = mb_rows_one_way(c, s) && c->half[s] > 0 && rate < 0;
    if (c->apart[s] != MB_WORLD || c->of[s]->compliance > 0 || (c->of[s]->unilateral && !stops)) continue;
    mb_rows_take(sim, s, stops ? rate : 0, size, 0);
    c->unilateral[c->n - 1] = false;
    any |= stops;
  }
  return any ? mb_rows_solve(sim, MB_JUMPS, sim->state.t, 0, v, report) : MB_OK;
}

MbStatus mb_constrain_end(MbSim *sim, const double *w, bool factored, double *v, MbReport *report) {
  MbConstraining *c = sim->constraining;
  const double h = sim->model->h, t = sim->state.t + h;
  if (!c && !sim->solver->held) return MB_OK;
  mb_sim_kinematics(sim, sim->q1, v);
  mb_sim_follow(sim, NULL, v);
  MbStatus status = factored ? MB_OK : factor(sim, report);
  if (status != MB_OK) return status;
  if (!mb_held_agree(sim, v)) return mb_sim_unsolved(sim, report);
  if (!c) return MB_OK;
  mb_rows_make(sim, sim->q1, sim->start, t, 0);
  memset(c->force, 0, sim->model->nslots * sizeof *c->force);
  c->n = 0;
  for (size_t s = 0; s < sim->model->nslots; s++) {
    const MbRow *row = &c->row[s];
    double size = 0, rate = mb_rows_rate(c, s, v, &size);
    if (c->of[s]->compliance > 0) continue;
    if (c->of[s]->unilateral && !(c->half[s] > 0 || row->g <= MB_EVENT_CLOSE * row->size)) continue;
    // an acceleration has made of v what it is: v + 2 (w − v)
    if (row->order == 2)
      rate -= 2 * mb_rows_rate(c, s, w, &size) - mb_rows_rate(c, s, sim->start, &size);
    else
      rate += row->gt;
    mb_rows_take(sim, s, rate, size + fabs(row->gt), 0);
  }
  status = mb_rows_solve(sim, MB_JUMPS, t, 1, v, report);
  mb_rows_apart(sim, 1);
  for (size_t s = 0; s < sim->model->nslots; s++) c->force[s] = (c->half[s] + c->force[s]) / h;
  return status;
}

MbStatus mb_constrain_kinematic(MbSim *sim, const double *q, double t, double *v, MbReport *report) {
  MbConstraining *c = sim->constraining;
  if (!c) return MB_OK;
  mb_rows_make(sim, q, v, t, 0);
  memset(c->force, 0, sim->model->nslots * sizeof *c->force);
  c->n = 0;
  for (size_t s = 0; s < sim->model->nslots; s++) {
    const MbRow *row = &c->row[s];
    const double alpha = c->of[s]->compliance, way = fmax(c->of[s]->damping, 1e-6 * sim->model->h);
    double size = fabs(row->gt);
    const double rate = mb_rows_rate(c, s, v, &size) + row->gt;
    if (mb_rows_slack(c, s)) continue;
    if (alpha > 0)
      mb_rows_take(sim, s, rate + row->g / way, size + fabs(row->g / way), alpha / way);
    else if (!c->of[s]->unilateral)
      mb_rows_take(sim, s, rate + sim->model->gamma * row->g, size + fabs(sim->model->gamma * row->g), 0);
    else if (row->g <= MB_EVENT_CLOSE * row->size)
      mb_rows_take(sim, s, rate, size, 0);
  }
  const MbStatus status = mb_rows_solve(sim, MB_JUMPS, t, 1, v, report);
  mb_rows_apart(sim, 1);
  return status;
}
