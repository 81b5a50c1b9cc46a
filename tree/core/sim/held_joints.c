// Rows J v = b that the solver holds itself, of joints and of constraints that fit: what the steps ask of them is what
// constraints ask of theirs (constrain.c, constrain_halves.c). Solvers that hold none just invert.
//   velocities     J v⁺ = −γ g − ġ_t − (h/2) J̇ v   the rate half way, so that bodies which go straight on end where joints hold
//   accelerations  J v̇ = −J̇ v − 2 γ ġ − γ² g
//   half steps     J Δw = −(g(q ⊕ h w) − (1 − γ h) g(q))/h, so that the step ends there; where only the rate is known,
//                  J Δw = −J w − ½ (J₁ − J) w − ġ_t with J₁ at q ⊕ h w, the second part where the half begins at q
// What pulls is kept: a half's λ from b, and what the constraints beside add.
#include "core/sim/held_joints.h"

#include <string.h>

static MbHeldRows rows_of(const MbSim *sim) { return sim->solver->held->rows(sim->work); }

static bool solve(MbSim *sim, double *x) {
  const bool fine = sim->solver->held->solve(sim->work, x, sim->aim);
  memcpy(sim->pull, sim->aim, rows_of(sim).n * sizeof *sim->pull);
  return fine;
}

void mb_held_pull(MbSim *sim) {
  const MbHeldOps *held = sim->solver->held;
  if (!held) return;
  const double *lambda = held->lambda(sim->work);
  for (size_t r = 0; r < rows_of(sim).n; r++) sim->pull[r] += lambda[r];
}

static bool apply(MbSim *sim, double *x) {
  const bool fine = sim->solver->apply(sim->work, x);
  if (!sim->solver->held) return fine;
  memset(sim->pull, 0, rows_of(sim).n * sizeof *sim->pull);
  mb_held_pull(sim);
  return fine;
}

// How much of the curve's rate to ask for, in seconds: half a step, less where a body turns by more than a radian in one, of
// which a parabola knows nothing: what it adds there must not drive bodies faster still. Rows that close loops ask for
// the same (constrain.c), so that the two are not at odds where they are redundant.
double mb_held_half_way(const MbSim *sim) {
  const double h = sim->model->h;
  double fastest = 0;
  if (!sim->model->any_flies || !sim->solver->held) return 0;
  for (size_t b = 0; b < sim->model->nb; b++) {
    const double w2 = mb_vec3_dot(sim->x.phi + 6 * b, sim->x.phi + 6 * b);
    fastest = w2 > fastest ? w2 : fastest;
  }
  return h / 2 / fmax(1, h * h * fastest);
}

bool mb_held_velocities(MbSim *sim, double *x) {
  if (!sim->solver->held) return apply(sim, x);
  const MbHeldRows rows = rows_of(sim);
  const double gamma = sim->model->gamma, half = mb_held_half_way(sim);
  const double *bend = half != 0 ? sim->solver->held->bends(sim->work) : rows.g;
  for (size_t r = 0; r < rows.n; r++)
    sim->aim[r] = -rows.gt[r] - (rows.order[r] ? 0 : gamma * rows.g[r] + half * bend[r]);
  return solve(sim, x);
}

bool mb_held_accelerations(MbSim *sim, const double *v, double gamma, double *x) {
  const MbHeldOps *held = sim->solver->held;
  bool solved = false;
  if (held) {
    const MbHeldRows rows = rows_of(sim);
    const double *bend = held->bends(sim->work);
    held->speeds(sim->work, v, sim->aim);
    for (size_t r = 0; r < rows.n; r++)
      sim->aim[r] =
          -bend[r] - 2 * gamma * (sim->aim[r] + rows.gt[r]) - (rows.order[r] ? 0 : gamma * gamma * rows.g[r]);
    solved = solve(sim, x);
  } else {
    solved = apply(sim, x);
  }
  if (sim->solver->bend) sim->solver->bend(sim->work, x);
  return solved;
}

void mb_held_begin(MbSim *sim) {
  if (!sim->solver->held) return;
  const MbHeldRows rows = rows_of(sim);
  memcpy(sim->gap0, rows.g, rows.n * sizeof *sim->gap0);
}

void mb_held_aim(MbSim *sim, const double *w) {
  const MbHeldOps *held = sim->solver->held;
  if (!held) return;
  const MbHeldRows rows = rows_of(sim);
  held->speeds(sim->work, w, sim->gap1);
  for (size_t r = 0; r < rows.n; r++)
    if (!rows.order[r]) sim->gap1[r] = rows.g[r];
}

bool mb_held_change(MbSim *sim, const MbHalf *half, const double *w, double *x) {
  const MbHeldOps *held = sim->solver->held;
  if (!held || half->second) return apply(sim, x);
  const MbHeldRows rows = rows_of(sim);
  const double h = sim->model->h, keep = 1 - sim->model->gamma * h;
  held->speeds(sim->work, w, sim->aim);
  for (size_t r = 0; r < rows.n; r++) {
    const double bend = half->theta == 0 ? (sim->gap1[r] - sim->aim[r]) / 2 : 0;
    sim->aim[r] =
        rows.order[r] ? -sim->aim[r] - bend - rows.gt[r] : -(sim->gap1[r] - keep * sim->gap0[r]) / h;
  }
  return solve(sim, x);
}

bool mb_held_agree(MbSim *sim, double *v) {
  const MbHeldOps *held = sim->solver->held;
  if (!held) return true;
  const MbHeldRows rows = rows_of(sim);
  double *change = sim->nudge;
  held->speeds(sim->work, v, sim->aim);
  for (size_t r = 0; r < rows.n; r++) sim->aim[r] = -sim->aim[r] - rows.gt[r];
  memset(change, 0, sim->nv * sizeof *change);
  if (!solve(sim, change)) return false;
  for (size_t i = 0; i < sim->nv; i++) v[i] += change[i];
  return true;
}

double mb_held_close(MbSim *sim, double *dq) {
  double worst = 0, size = 1;
  memset(dq, 0, sim->nv * sizeof *dq);
  if (!sim->solver->held) return 0;
  const MbHeldRows rows = rows_of(sim);
  for (size_t b = 0; b < sim->model->nb; b++) size = fmax(size, mb_vec3_norm(sim->x.E[b].p));
  for (size_t r = 0; r < rows.n; r++) {
    sim->aim[r] = rows.order[r] ? 0 : -rows.g[r];
    worst = fmax(worst, fabs(sim->aim[r]));
  }
  return solve(sim, dq) ? worst / size : NAN;
}

void mb_held_errors(MbSim *sim, const double *v, double errors[2]) {
  const MbHeldOps *held = sim->solver->held;
  if (!held) return;
  const MbHeldRows rows = rows_of(sim);
  held->speeds(sim->work, v, sim->aim);
  for (size_t r = 0; r < rows.n; r++) {
    if (!rows.order[r]) errors[0] = fmax(errors[0], fabs(rows.g[r]));
    errors[1] = fmax(errors[1], fabs(sim->aim[r] + rows.gt[r]));
  }
}
