// Joints that the solver holds as rows J v = b: what the steps ask of them, which is what constraints ask of theirs
// (constrain.c, constrain_halves.c). Solvers that hold none just invert.
//   velocities     J v⁺ = −γ g
//   accelerations  J v̇ = −J̇ v − 2 γ J v − γ² g
//   half steps     J Δw = −(g(q ⊕ h w) − (1 − γ h) g(q))/h, so that the step ends there
#include "core/sim/sim_internal.h"

#include <string.h>

static bool solve(MbSim *sim, double *x) { return sim->solver->held->solve(sim->work, x, sim->aim); }

static size_t rows(const MbSim *sim) { return sim->solver->held->count(sim->work); }

bool mb_held_velocities(MbSim *sim, double *x) {
  const MbHeldOps *held = sim->solver->held;
  if (!held) return sim->solver->apply(sim->work, x);
  const double *g = held->gaps(sim->work), gamma = sim->model->gamma;
  for (size_t r = 0; r < rows(sim); r++) sim->aim[r] = -gamma * g[r];
  return solve(sim, x);
}

bool mb_held_accelerations(MbSim *sim, const double *v, double *x) {
  const MbHeldOps *held = sim->solver->held;
  if (!held) return sim->solver->apply(sim->work, x);
  const double *g = held->gaps(sim->work), *bend = held->bends(sim->work), gamma = sim->model->gamma;
  held->speeds(sim->work, v, sim->aim);
  for (size_t r = 0; r < rows(sim); r++)
    sim->aim[r] = -bend[r] - 2 * gamma * sim->aim[r] - gamma * gamma * g[r];
  return solve(sim, x);
}

void mb_held_begin(MbSim *sim) {
  const MbHeldOps *held = sim->solver->held;
  if (held) memcpy(sim->gap0, held->gaps(sim->work), rows(sim) * sizeof *sim->gap0);
}

void mb_held_aim(MbSim *sim) {
  const MbHeldOps *held = sim->solver->held;
  if (held) memcpy(sim->gap1, held->gaps(sim->work), rows(sim) * sizeof *sim->gap1);
}

bool mb_held_change(MbSim *sim, bool second, double *x) {
  if (!sim->solver->held || second) return sim->solver->apply(sim->work, x);
  const double h = sim->model->h, keep = 1 - sim->model->gamma * h;
  for (size_t r = 0; r < rows(sim); r++) sim->aim[r] = -(sim->gap1[r] - keep * sim->gap0[r]) / h;
  return solve(sim, x);
}

bool mb_held_agree(MbSim *sim, double *v) {
  const MbHeldOps *held = sim->solver->held;
  if (!held) return true;
  double *change = sim->nudge;
  held->speeds(sim->work, v, sim->aim);
  for (size_t r = 0; r < rows(sim); r++) sim->aim[r] = -sim->aim[r];
  memset(change, 0, sim->nv * sizeof *change);
  if (!solve(sim, change)) return false;
  for (size_t i = 0; i < sim->nv; i++) v[i] += change[i];
  return true;
}

double mb_held_close(MbSim *sim, double *dq) {
  const MbHeldOps *held = sim->solver->held;
  double worst = 0;
  memset(dq, 0, sim->nv * sizeof *dq);
  if (!held) return 0;
  const double *g = held->gaps(sim->work);
  double size = 1;
  for (size_t b = 0; b < sim->model->nb; b++) size = fmax(size, mb_vec3_norm(sim->x.E[b].p));
  for (size_t r = 0; r < rows(sim); r++) {
    sim->aim[r] = -g[r];
    worst = fmax(worst, fabs(g[r]));
  }
  return solve(sim, dq) ? worst / size : NAN;
}

void mb_held_errors(MbSim *sim, const double *v, double errors[2]) {
  const MbHeldOps *held = sim->solver->held;
  if (!held) return;
  const double *g = held->gaps(sim->work);
  held->speeds(sim->work, v, sim->aim);
  for (size_t r = 0; r < rows(sim); r++) {
    errors[0] = fmax(errors[0], fabs(g[r]));
    errors[1] = fmax(errors[1], fabs(sim->aim[r]));
  }
}
