// Rows J v = b that the solver holds itself, of joints and of constraints that fit: what the steps ask of them is what they ask of the
// rows beside (ask.c). Solvers that hold none just invert.
// What pulls is kept: a half's λ from b, and what the constraints beside add.
#include "core/sim/accounting.h"
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
static double half_way(const MbSim *sim) {
  const double h = sim->model->h;
  if (!sim->model->any_flies) return 0;
  const double turn = h * mb_spin(&sim->x);
  return h / 2 / fmax(1, turn * turn);
}

MbAsking mb_asking(const MbSim *sim, MbAskOf of) {
  return (MbAsking){.of = of,
                    .h = sim->model->h,
                    .gamma = sim->model->gamma,
                    .ahead = sim->model->ahead,
                    .curve = of == MB_ASK_VELOCITIES ? sim->half_way : 0};
}

// sim->aim ← what the rows ask for, J x being `rate` and of what else is known of velocities `last` (NULL: 0); `bend` is J̇ v (NULL: 0).
static void ask(MbSim *sim, const MbAsking *asking, const double *rate, const double *last,
                const double *bend) {
  const MbHeldRows held = rows_of(sim);
  const MbAskRows rows = {.n = held.n,
                          .order = held.order,
                          .g = held.g,
                          .gt = held.gt,
                          .g0 = sim->gap0,
                          .g1 = sim->gap1,
                          .rate = rate,
                          .last = last,
                          .drift = bend};
  mb_ask_rows(asking, &rows, sim->aim);
}

bool mb_held_velocities(MbSim *sim, double *x) {
  if (!sim->solver->held) return apply(sim, x);
  sim->half_way = half_way(sim);
  const MbAsking asking = mb_asking(sim, MB_ASK_VELOCITIES);
  ask(sim, &asking, NULL, NULL, asking.curve != 0 ? sim->solver->held->bends(sim->work) : NULL);
  return solve(sim, x);
}

bool mb_held_accelerations(MbSim *sim, const double *v, double gamma, double *x) {
  const MbHeldOps *held = sim->solver->held;
  bool solved = false;
  if (held) {
    MbAsking asking = mb_asking(sim, MB_ASK_ACCELERATIONS);
    asking.gamma = gamma;
    held->speeds(sim->work, v, sim->aim);
    ask(sim, &asking, NULL, sim->aim, held->bends(sim->work));
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
  MbAsking asking = mb_asking(sim, MB_ASK_HALF);
  asking.theta = half->theta;
  held->speeds(sim->work, w, sim->aim);
  ask(sim, &asking, sim->aim, NULL, NULL);
  return solve(sim, x);
}

bool mb_held_agree(MbSim *sim, double *v) {
  const MbHeldOps *held = sim->solver->held;
  if (!held) return true;
  const MbAsking asking = mb_asking(sim, MB_ASK_JUMPS);
  double *change = sim->nudge;
  held->speeds(sim->work, v, sim->aim);
  ask(sim, &asking, sim->aim, NULL, NULL);
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
  const MbAsking asking = mb_asking(sim, MB_ASK_POSITIONS);
  ask(sim, &asking, NULL, NULL, NULL);
  for (size_t r = 0; r < rows.n; r++) worst = fmax(worst, fabs(sim->aim[r]));
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
