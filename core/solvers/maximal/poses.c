// Coordinates and velocities of bodies, and the joints' coordinates that follow from them:  q̇ = V v.
#include "core/solvers/maximal/poses.h"
#include "core/base/alloc.h"
#include "core/model/coordinates.h"
#include "core/solvers/redmax/tree.h"
#include "core/solvers/solvers.h"

#include <string.h>

// ---- numbers ----------------------------------------------------------------------------------------------

static void size(const MbModel *model, size_t *nq, size_t *nv) {
  *nq = 7 * model->nb + model->nq, *nv = 6 * model->nb;
}
static bool apart(const MbModel *model) {
  (void)model;
  return true;
}
static size_t place(const MbModel *model, size_t body) {
  (void)model;
  return 7 * body;
}
static size_t velocity(const MbModel *model, size_t body) {
  (void)model;
  return 6 * body;
}
static size_t node(const MbModel *model, size_t body) {
  (void)model;
  return 6 * body + 3;
}
static size_t moved_by(const MbModel *model, size_t *body, size_t *count) {
  (void)model;
  const size_t b = *body;
  *count = 6;
  *body = MB_WORLD;
  return 6 * b;
}
static size_t body_of(const MbModel *model, size_t i) {
  const size_t poses = 7 * model->nb, nq = poses + model->nq;
  if (i >= nq) return (i - nq) / 6;
  return i < poses ? i / 7 : mb_coordinates_body(model, i - poses);
}

static void advance(const MbModel *model, double *q, double h, const double *v, size_t begin, size_t end) {
  (void)model;
  for (size_t b = begin; b < end; b++) mb_coordinates_advance_pose(q + 7 * b, h, v + 6 * b);
}

static void rate(const MbModel *model, const double *q, const double *v, double *qdot) {
  for (size_t b = 0; b < model->nb; b++) mb_coordinates_rate_pose(q + 7 * b, v + 6 * b, qdot + 7 * b);
  memset(qdot + 7 * model->nb, 0, model->nq * sizeof *qdot);
}

static void normalise(const MbModel *model, double *q, double *rates) {
  for (size_t b = 0; b < model->nb; b++)
    mb_coordinates_normalise_pose(q + 7 * b, rates ? rates + 7 * b : NULL);
}

static bool renew(const MbModel *model, double *q, double *v) {
  (void)model, (void)q, (void)v;
  return false;
}

static void settle(const MbModel *model, const double *near, double *q, double *v) {
  (void)v;
  if (near) memcpy(q + 7 * model->nb, near, model->nq * sizeof *q);
}

// ---- the joints' coordinates ------------------------------------------------------------------------------

static bool start(const MbSolverWork *work, const MbModel *model, const double *q0, const double *v0,
                  double *q, double *v) {
  const size_t nb = model->nb;
  MbTree tree;
  MbMaximal x = {.nb = nb, .phi = v, .E = mb_calloc(nb, sizeof *x.E)};
  const bool fine = mb_tree_create(model, &tree) && x.E;
  (void)work;
  if (fine) mb_tree_kinematics(&tree, q0, v0, &x);
  for (size_t b = 0; fine && b < nb; b++) {
    memcpy(q + 7 * b, x.E[b].p, sizeof x.E[b].p);
    memcpy(q + 7 * b + 3, x.E[b].q, sizeof x.E[b].q);
    mb_velocity_of_twist(&x.E[b], v + 6 * b, v + 6 * b);
  }
  if (fine) memcpy(q + 7 * nb, q0, model->nq * sizeof *q);
  mb_tree_free(&tree);
  mb_free(x.E);
  return fine;
}

static void rates(const MbSolverWork *work, const MbModel *model, const double *v, double *to) {
  (void)model;
  mb_held_rates(&work->held, v, to);
}

static void along(const MbSolverWork *work, size_t k, double s, double *y) {
  mb_held_along(&work->held, k, s, y);
}

// What of q̈ is not V times what the step solves for over h: V̇ v, and V times what the flight makes of velocities by itself. These are first
// of all the ones at the end of the flight before, with ω̇ = I⁻¹ (Iω × ω) = 2 I⁻¹ s / h over the half of it that is behind the mean spin
// (model/flight.h); in steps that keep twists, ω × v of the whole.
static const double *unsolved_rates(const MbSolverWork *work, const MbModel *model, const MbMaximal *x) {
  double *own = work->held.r, *rate = work->joint_rates;
  memset(own, 0, 6 * model->nb * sizeof *own);
  for (size_t b = 0; b < model->nb; b++) {
    const double *M = model->M + 6 * b, *phi = x->phi + 6 * b;
    double turned[3];
    for (size_t k = 0; x->swing && model->swings[b] && k < 3 && M[k] > 0; k++)
      own[6 * b + k] = x->swing[3 * b + k] / (M[k] * model->h);
    if (x->carried) continue;
    mb_vec3_cross(turned, phi, phi + 3);
    mb_quat_rotate(own + 6 * b + 3, x->E[b].q, turned);
  }
  mb_held_rates(&work->held, own, rate);
  for (size_t k = 0; k < model->nv; k++) rate[k] += work->held.turn[k];
  return rate;
}

static const double *unsolved(MbSolverWork *work, const MbModel *model, const MbMaximal *x) {
  mb_held_bend(&work->held);
  return unsolved_rates(work, model, x);
}

// A joint's own inertia I takes the force I q̈: what of it the step solves for is in A, the rest is here.
static void forces(const MbSolverWork *work, const MbModel *model, const MbMaximal *x, const double *q,
                   const double *v, double *y) {
  (void)q, (void)v;
  if (!model->sprung && !mb_model_drives(model) && !model->rotors) return;
  memset(work->joint_forces, 0, model->nv * sizeof *work->joint_forces);
  mb_coordinates_forces(model, x, x->q, x->v, work->joint_forces);
  if (model->rotors && model->solver.mode == MB_DYNAMIC) {
    const double *rate = unsolved_rates(work, model, x);
    for (size_t k = 0; k < model->nv; k++) work->joint_forces[k] -= model->joint_inertia[k] * rate[k];
  }
  mb_held_spread(&work->held, work->joint_forces, y);
}

static void blocks(const MbSolverWork *work, const MbModel *model, const MbMaximal *x, double sD, double sK,
                   const double *v, double *y) {
  memset(work->joint_forces, 0, model->nv * sizeof *work->joint_forces);
  mb_held_rates(&work->held, v, work->joint_rates);
  mb_coordinates_blocks(model, x, sD, sK, work->joint_rates, work->joint_forces);
  mb_held_spread(&work->held, work->joint_forces, y);
}

static const double *turns(MbSolverWork *work) {
  mb_held_bend(&work->held);
  return work->held.turn;
}

static void note(const MbSolverWork *work, const MbModel *model, double *near) {
  double still[MB_JOINT_MOST] = {0};
  memcpy(near, work->held.q, model->nq * sizeof *near);
  for (size_t i = 0; i < model->nrenewing; i++) {
    const MbJoint *joint = &model->joint[model->renewing[i]];
    joint->ops->renew(joint, near + model->q_first[model->renewing[i]], still);
  }
}

static void remember(const MbSolverWork *work, const MbModel *model, double *q) {
  note(work, model, q + 7 * model->nb);
}

// Joints may turn by more than half a turn in a step.
static void foresee(const MbSolverWork *work, const MbModel *model, const MbMaximal *x, double h,
                    double *near) {
  note(work, model, near);
  if (model->nq == model->nv &&
      !model->nrenewing) { // joints alone, of which each coordinate has its velocity
    for (size_t k = 0; k < model->nv; k++) near[k] += h * x->v[k];
    return;
  }
  for (size_t b = 0; b < model->nb; b++) {
    const MbJoint *joint = &model->joint[b];
    for (size_t i = 0; joint->ops && !joint->ops->renew && i < joint->n; i++)
      near[model->q_first[b] + i] += h * x->v[model->v_first[b] + i];
  }
}

const MbLayout mb_pose_layout = {
    .name = "poses",
    .size = size,
    .apart = apart,
    .place = place,
    .velocity = velocity,
    .node = node,
    .moved_by = moved_by,
    .body = body_of,
    .advance = advance,
    .rate = rate,
    .normalise = normalise,
    .renew = renew,
    .settle = settle,
};

const MbCoordinateMap mb_poses = {
    .layout = &mb_pose_layout,
    .start = start,
    .rates = rates,
    .along = along,
    .forces = forces,
    .blocks = blocks,
    .turns = turns,
    .unsolved = unsolved,
    .remember = remember,
    .foresee = foresee,
};
