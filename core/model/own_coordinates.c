// Coordinates and velocities of solvers that have the model's own.
#include "core/model/coordinate_map.h"
#include "core/model/coordinates.h"

#include <string.h>

static void size(const MbModel *model, size_t *nq, size_t *nv) { *nq = model->nq, *nv = model->nv; }
static bool apart(const MbModel *model) { return !model->jointed; }
static size_t place(const MbModel *model, size_t body) { return model->q_first[body]; }
static size_t velocity(const MbModel *model, size_t body) { return model->v_first[body]; }

static size_t moved_by(const MbModel *model, size_t *body, size_t *count) {
  const size_t b = *body;
  *count = model->joint[b].ops ? model->joint[b].n : 6;
  *body = model->parent[b];
  return model->v_first[b];
}

static bool renew(const MbModel *model, double *q, double *v) {
  return model->jointed && mb_coordinates_renew(model, q, v);
}

static void settle(const MbModel *model, const double *near, double *q, double *v) {
  (void)near;
  renew(model, q, v);
  mb_coordinates_follow(model, q, v);
}

static bool start(const MbSolverWork *work, const MbModel *model, const double *q0, const double *v0,
                  double *q, double *v) {
  (void)work;
  memcpy(q, q0, model->nq * sizeof *q);
  memcpy(v, v0, model->nv * sizeof *v);
  return true;
}

static void rates(const MbSolverWork *work, const MbModel *model, const double *v, double *rate) {
  (void)work;
  memcpy(rate, v, model->nv * sizeof *rate);
}

static void along(const MbSolverWork *work, size_t k, double s, double *y) {
  (void)work;
  y[k] += s;
}

static void forces(const MbSolverWork *work, const MbModel *model, const MbMaximal *x, const double *q,
                   const double *v, double *y) {
  (void)work;
  if (model->jointed) mb_coordinates_forces(model, x, q, v, y);
}

static void blocks(const MbSolverWork *work, const MbModel *model, const MbMaximal *x, double sD, double sK,
                   const double *v, double *y) {
  (void)work;
  if (model->jointed) mb_coordinates_blocks(model, x, sD, sK, v, y);
}

static void remember(const MbSolverWork *work, const MbModel *model, double *near) {
  (void)work, (void)model, (void)near;
}

static void foresee(const MbSolverWork *work, const MbModel *model, const MbMaximal *x, double h,
                    double *near) {
  (void)work, (void)model, (void)x, (void)h, (void)near;
}

const MbLayout mb_own_layout = {
    .name = "own",
    .size = size,
    .apart = apart,
    .place = place,
    .velocity = velocity,
    .node = velocity,
    .moved_by = moved_by,
    .body = mb_coordinates_body,
    .advance = mb_coordinates_advance,
    .rate = mb_coordinates_rate,
    .normalise = mb_coordinates_normalise,
    .renew = renew,
    .settle = settle,
};

const MbCoordinateMap mb_own_coordinates = {
    .layout = &mb_own_layout,
    .start = start,
    .rates = rates,
    .along = along,
    .forces = forces,
    .blocks = blocks,
    .remember = remember,
    .foresee = foresee,
};
