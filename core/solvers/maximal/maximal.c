// Maximal coordinates (B96; RM 1.10): the state is every body's pose and twist; the joints are rows J v = b whose multipliers
// are found together with the velocities. J is made anew at every instant. Velocities of the state are the twists but for their linear
// parts, which are in the world's axes (model/coordinates.h).
#include "core/base/alloc.h"
#include "core/model/coordinates.h"
#include "core/solvers/coupled.h"
#include "core/solvers/maximal/poses.h"
#include "core/solvers/solvers.h"

#include <string.h>

static void free_work(MbSolverWork *work) {
  if (!work) return;
  mb_held_free(&work->held);
  mb_free(work->joint_forces);
  mb_free(work->joint_rates);
  mb_free(work);
}

static MbSolverWork *create(const MbModel *model, int threads) {
  MbSolverWork *work = mb_calloc(1, sizeof *work);
  if (!work) return NULL;
  const bool held = mb_held_create(model, threads, &work->held);
  work->joint_forces = mb_calloc(model->nv, sizeof(double));
  work->joint_rates = mb_calloc(model->nv, sizeof(double));
  if (held && work->joint_forces && work->joint_rates) return work;
  free_work(work);
  return NULL;
}

static size_t bytes(const MbSolverWork *work) {
  return sizeof *work + mb_held_bytes(&work->held) + 2 * work->held.model->nv * sizeof(double);
}

static void kinematics(MbSolverWork *work, const double *q, const double *v, MbMaximal *x, size_t begin,
                       size_t end) {
  const size_t nb = work->held.model->nb;
  (void)begin, (void)end;
  for (size_t b = 0; b < nb; b++) {
    memcpy(x->E[b].p, q + 7 * b, sizeof x->E[b].p);
    memcpy(x->E[b].q, q + 7 * b + 3, sizeof x->E[b].q);
  }
  for (size_t b = 0; b < nb; b++) mb_twist_of_velocity(&x->E[b], v + 6 * b, x->phi + 6 * b);
  mb_held_update(&work->held, q + 7 * nb, x);
  if (work->held.model->rotors) mb_held_bend(&work->held);
  x->q = work->held.q, x->v = work->held.v;
}

static bool factor(MbSolverWork *work, const MbMaximal *x, double a, double b, bool exact, size_t *blame) {
  (void)exact; // the integrators that run here take K symmetrised
  return mb_held_factor(&work->held, x, a, b, blame);
}

static bool apply(MbSolverWork *work, double *x, const double *aim, double *lambda) {
  MbHeld *held = &work->held;
  double *b = lambda ? lambda : held->lambda;
  const size_t bytes_of_rows = held->shape.nrows * sizeof *b;
  if (!aim && held->posture) { // no motion is asked for
    mb_held_posture_solve(held, x, NULL);
    if (lambda) memcpy(lambda, held->lambda, bytes_of_rows);
    return true;
  }
  if (!aim)
    memset(b, 0, bytes_of_rows);
  else if (aim != b)
    memcpy(b, aim, bytes_of_rows);
  mb_held_solve(held, x, b);
  return true;
}

static void momentum(MbSolverWork *work, const double *v, double *y) {
  const MbModel *model = work->held.model;
  for (size_t i = 0; i < 6 * model->nb; i++) y[i] = model->M[i] * v[i];
  if (!model->rotors) return;
  mb_held_rates(&work->held, v, work->joint_rates);
  memset(work->joint_forces, 0, model->nv * sizeof *work->joint_forces);
  mb_coordinates_momentum(model, work->joint_rates, work->joint_forces);
  mb_held_spread(&work->held, work->joint_forces, y);
}

static void gather(MbSolverWork *work, const double *f, double *y) {
  const MbHeld *held = &work->held;
  for (size_t b = 0; b < held->model->nb; b++) mb_velocity_of_twist(&held->E[b], f + 6 * b, y + 6 * b);
}

static void blocks(MbSolverWork *work, const double *B, double s, const double *v, double *y) {
  const MbHeld *held = &work->held;
  const size_t nb = held->model->nb;
  double *phi = held->twist, *f = held->r;
  memset(f, 0, 6 * nb * sizeof *f);
  for (size_t b = 0; b < nb; b++) mb_twist_of_velocity(&held->E[b], v + 6 * b, phi + 6 * b);
  mb_blocks_multiply(held->model, B, s, phi, f);
  for (size_t b = 0; b < nb; b++) {
    mb_velocity_of_twist(&held->E[b], f + 6 * b, phi + 6 * b);
    for (size_t k = 6 * b; k < 6 * b + 6; k++) y[k] += phi[k];
  }
}

static void carry(MbSolverWork *work, size_t body, const double w[6], double *seen, double *y) {
  (void)seen;
  double turned[6];
  mb_velocity_of_twist(&work->held.E[body], w, turned);
  for (size_t i = 0; i < 6; i++) y[6 * body + i] += turned[i];
}

static void drift(MbSolverWork *work, double *a) {
  const MbHeld *held = &work->held;
  for (size_t b = 0; b < held->model->nb; b++) mb_twist_drift(held->phi + 6 * b, a + 6 * b);
}

static bool reserve(MbSolverWork *work, size_t most) {
  return !work->held.posture || mb_held_posture_reserve(work->held.posture, most);
}
static bool responses(MbSolverWork *work, size_t k, const MbRow *const *row, double *W) {
  return work->held.posture && mb_held_posture_responses(&work->held, k, row, W);
}

// ---- rows that it claims ----------------------------------------------------------------------------------

static MbClaimedRows rows(const MbSolverWork *work) {
  const MbHeld *held = &work->held;
  return (MbClaimedRows){
      .n = held->shape.nrows, .g = held->g, .gt = held->gt, .order = held->order, .angle = held->angle};
}

static size_t row_of(const MbSolverWork *work, size_t i) {
  const size_t b = work->held.holds[i];
  return b == MB_WORLD ? MB_WORLD : work->held.first[b];
}

static const char *holder(const MbSolverWork *work, size_t b) {
  const size_t i = work->held.by[b];
  return i == MB_WORLD ? NULL : work->held.model->constraints[i].name;
}

static size_t body_of(const MbSolverWork *work, size_t r) {
  const MbHeld *held = &work->held;
  for (size_t b = 0; b < held->model->nb; b++)
    if (held->first[b] <= r && r < held->first[b] + held->rows[b]) return b;
  return MB_WORLD;
}

static const double *bends(MbSolverWork *work) {
  if (!work->held.curves) mb_held_bend(&work->held);
  return work->held.bend;
}

static void speeds(const MbSolverWork *work, const double *v, double *rate) {
  mb_held_speeds(&work->held, v, rate);
}

// W is a difference here, of whose parts rounding stays.
static const MbClaimOps claims = {.rows = rows,
                                  .row_of = row_of,
                                  .holder = holder,
                                  .body_of = body_of,
                                  .speeds = speeds,
                                  .bends = bends,
                                  .over_step = true,
                                  .nothing = 1e-11};

const MbSolverOps mb_maximal_ops = {
    .name = "maximal",
    .create = create,
    .free = free_work,
    .bytes = bytes,
    .kinematics = kinematics,
    .factor = factor,
    .apply = apply,
    .momentum = momentum,
    .gather = gather,
    .blocks = blocks,
    .carry = carry,
    .drift = drift,
    .reserve = reserve,
    .responses = responses,
    .map = &mb_poses,
    .claims = &claims,
};
