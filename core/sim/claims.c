// Rows that the solver claims: what the steps ask of them is what they ask of the rows beside (ask.c). A solver that claims none just
// inverts. What pulls is kept: a half's λ from b, and what the constraints beside add.
#include "core/sim/accounting.h"
#include "core/sim/claims.h"

#include <string.h>

static MbClaimedRows rows_of(const MbSim *sim) { return sim->solver->claims->rows(sim->work); }

static bool solve(MbSim *sim, double *x) { return sim->solver->apply(sim->work, x, sim->aim, sim->pull); }

void mb_claims_add(MbSim *sim) {
  const size_t n = sim->nclaimed;
  for (size_t r = 0; r < n; r++) sim->pull[r] += sim->pulled[r];
}

// In the place of the gaps that steps of second order begin with.
void mb_claims_keep(MbSim *sim) {
  const size_t n = sim->nclaimed;
  if (n) memcpy(sim->gap0, sim->pull, n * sizeof *sim->pull);
}

void mb_claims_recall(MbSim *sim) {
  const size_t n = sim->nclaimed;
  if (n) memcpy(sim->pull, sim->gap0, n * sizeof *sim->pull);
}

// How much of the curve's rate to ask for, in seconds: half a step, less where a body turns by more than a radian in one, of
// which a parabola knows nothing: what it adds there must not drive bodies faster still. Rows that close loops ask for
// the same (constrain.c), so that the two are not at odds where they are redundant.
static double half_way(const MbSim *sim) {
  const double h = sim->model->h;
  if (!sim->solver->claims->over_step || !sim->model->any_flies) return 0;
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

MbAsking mb_asking_half(const MbSim *sim, const MbHalf *half) {
  MbAsking asking = mb_asking(sim, half->second ? MB_ASK_SECOND_HALF : MB_ASK_HALF);
  asking.theta = half->here ? 1 : half->theta, asking.impulse = half->impulse;
  if (half->here)
    asking.gamma *= asking.h / half->span, asking.h = half->span; // the same share of the gap that there was
  return asking;
}

// sim->aim ← what the rows ask for, J x being `rate` and of what else is known of velocities `last` (NULL: 0); `bend` is J̇ v (NULL: 0).
static void ask(MbSim *sim, const MbAsking *asking, const double *rate, const double *last,
                const double *bend) {
  const MbClaimedRows claimed = rows_of(sim);
  const MbAskRows rows = {.n = claimed.n,
                          .order = claimed.order,
                          .g = claimed.g,
                          .gt = claimed.gt,
                          .g0 = sim->gap0,
                          .g1 = sim->gap1,
                          .rate = rate,
                          .last = last,
                          .drift = bend};
  mb_ask_rows(asking, &rows, sim->aim);
}

bool mb_claims_velocities(MbSim *sim, double *x) {
  sim->half_way = half_way(sim);
  if (!mb_claims_any(sim)) return solve(sim, x);
  const MbAsking asking = mb_asking(sim, MB_ASK_VELOCITIES);
  ask(sim, &asking, NULL, NULL, asking.curve != 0 ? sim->solver->claims->bends(sim->work) : NULL);
  return solve(sim, x);
}

bool mb_claims_accelerations(MbSim *sim, const double *v, double gamma, double *x) {
  const MbClaimOps *claims = sim->solver->claims;
  if (mb_claims_any(sim)) {
    MbAsking asking = mb_asking(sim, MB_ASK_ACCELERATIONS);
    asking.gamma = gamma;
    claims->speeds(sim->work, v, sim->aim);
    ask(sim, &asking, NULL, sim->aim, claims->bends(sim->work));
  }
  const bool solved = solve(sim, x);
  if (sim->solver->bend) sim->solver->bend(sim->work, x);
  return solved;
}

void mb_claims_begin(MbSim *sim) {
  const MbClaimedRows rows = rows_of(sim);
  for (size_t r = 0; r < rows.n; r++) sim->gap0[r] = rows.g[r];
}

void mb_claims_aim(MbSim *sim, const double *w) {
  const MbClaimedRows rows = rows_of(sim);
  sim->solver->claims->speeds(sim->work, w, sim->gap1);
  for (size_t r = 0; r < rows.n; r++)
    if (!rows.order[r]) sim->gap1[r] = rows.g[r];
}

bool mb_claims_change(MbSim *sim, const MbHalf *half, const double *w, double *x) {
  if (half->second) return sim->solver->apply(sim->work, x, NULL, sim->pull);
  if (!mb_claims_any(sim)) return solve(sim, x);
  const MbAsking asking = mb_asking_half(sim, half);
  sim->solver->claims->speeds(sim->work, w, sim->aim);
  ask(sim, &asking, sim->aim, NULL, NULL);
  return solve(sim, x);
}

bool mb_claims_agree(MbSim *sim, double *v) {
  if (!mb_claims_any(sim)) return true;
  const MbAsking asking = mb_asking(sim, MB_ASK_JUMPS);
  double *change = sim->nudge;
  sim->solver->claims->speeds(sim->work, v, sim->aim);
  ask(sim, &asking, sim->aim, NULL, NULL);
  memset(change, 0, sim->nv * sizeof *change);
  if (!solve(sim, change)) return false;
  for (size_t i = 0; i < sim->nv; i++) v[i] += change[i];
  return true;
}

double mb_claims_close(MbSim *sim, double *dq) {
  double worst = 0, size = 1;
  memset(dq, 0, sim->nv * sizeof *dq);
  if (!mb_claims_any(sim)) return 0;
  const MbClaimedRows rows = rows_of(sim);
  for (size_t b = 0; b < sim->model->nb; b++) size = fmax(size, mb_vec3_norm(sim->x.E[b].p));
  const MbAsking asking = mb_asking(sim, MB_ASK_POSITIONS);
  ask(sim, &asking, NULL, NULL, NULL);
  for (size_t r = 0; r < rows.n; r++) worst = fmax(worst, fabs(sim->aim[r]));
  return solve(sim, dq) ? worst / size : NAN;
}

void mb_claims_errors(MbSim *sim, const double *v, double errors[2]) {
  const MbClaimedRows rows = rows_of(sim);
  sim->solver->claims->speeds(sim->work, v, sim->aim);
  for (size_t r = 0; r < rows.n; r++) {
    if (!rows.order[r]) errors[0] = fmax(errors[0], fabs(rows.g[r]));
    errors[1] = fmax(errors[1], fabs(sim->aim[r] + rows.gt[r]));
  }
}
