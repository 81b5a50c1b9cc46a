// Bodies free in space have seven coordinates (position and quaternion of C in W) and six velocities (their twist);
// joints as many of both as they have degrees of freedom.
#include "core/model/coordinates.h"

#include <string.h>

void mb_coordinates_advance_pose(double *q, double h, const double *v) {
  MbPose E;
  memcpy(E.p, q, sizeof E.p);
  memcpy(E.q, q + 3, sizeof E.q);
  mb_pose_advance(&E, h, v);
  memcpy(q, E.p, sizeof E.p);
  memcpy(q + 3, E.q, sizeof E.q);
}

// ṗ = R v, and the quaternion's rate
void mb_coordinates_rate_pose(const double *q, const double *v, double *qdot) {
  double unit[4];
  memcpy(unit, q + 3, sizeof unit);
  mb_quat_normalise(unit);
  mb_quat_rotate(qdot, unit, v + 3);
  mb_quat_rate(qdot + 3, q + 3, v);
}

// The rate is linear in the quaternion: it scales with it.
void mb_coordinates_normalise_pose(double *q, double *rate) {
  double *u = q + 3;
  const double s = 1 / sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2] + u[3] * u[3]);
  for (size_t i = 0; i < 4; i++) {
    u[i] *= s;
    if (rate) rate[3 + i] *= s;
  }
}

// Bodies on joints from b on, none free in space between them: where they end, and how many coordinates they have together.
static size_t run_of_joints(const MbModel *model, size_t b, size_t end, size_t *loose, size_t *count) {
  while (*loose < model->nloose && model->loose[*loose] < b) ++*loose;
  const size_t stop = *loose < model->nloose && model->loose[*loose] < end ? model->loose[*loose] : end;
  *count =
      (stop < model->nb ? model->v_first[stop] : model->nv) - (b < model->nb ? model->v_first[b] : model->nv);
  return stop;
}

void mb_coordinates_advance(const MbModel *model, double *q, double h, const double *v, size_t begin,
                            size_t end) {
  size_t loose = 0, count = 0;
  if (model->nloose == model->nb) loose = begin;
  for (size_t b = begin; b < end; b++) {
    const size_t stop = run_of_joints(model, b, end, &loose, &count);
    for (size_t i = 0; i < count; i++) q[model->q_first[b] + i] += h * v[model->v_first[b] + i];
    b = stop;
    if (b < end) mb_coordinates_advance_pose(q + model->q_first[b], h, v + model->v_first[b]);
  }
}

void mb_coordinates_rate(const MbModel *model, const double *q, const double *v, double *qdot) {
  for (size_t b = 0; b < model->nb; b++) {
    const double *qb = q + model->q_first[b], *vb = v + model->v_first[b];
    double *rate = qdot + model->q_first[b];
    if (model->joint[b].ops)
      memcpy(rate, vb, model->joint[b].n * sizeof *rate);
    else
      mb_coordinates_rate_pose(qb, vb, rate);
  }
}

void mb_coordinates_follow(const MbModel *model, double *q, double *v) {
  for (size_t i = 0; i < model->nreductions; i++) {
    const MbReduction *r = &model->reductions[i];
    q[r->q[1]] = r->ratio * q[r->q[0]] + r->offset;
    if (v) v[r->v[1]] = r->ratio * v[r->v[0]];
  }
}

void mb_coordinates_normalise(const MbModel *model, double *q, double *rate) {
  for (size_t b = 0; b < model->nb; b++) {
    const size_t first = model->q_first[b];
    if (!model->joint[b].ops) mb_coordinates_normalise_pose(q + first, rate ? rate + first : NULL);
  }
  mb_coordinates_follow(model, q, NULL);
}

bool mb_coordinates_renew(const MbModel *model, double *q, double *v) {
  bool any = false;
  for (size_t i = 0; i < model->nrenewing; i++) {
    const size_t b = model->renewing[i];
    const MbJoint *joint = &model->joint[b];
    any |= joint->ops->renew(joint, q + model->q_first[b], v + model->v_first[b]);
  }
  return any;
}

size_t mb_coordinates_body(const MbModel *model, size_t i) {
  const size_t *first = i < model->nq ? model->q_first : model->v_first;
  if (i >= model->nq) i -= model->nq;
  size_t body = 0;
  for (size_t b = 0; b < model->nb; b++)
    if (first[b] <= i) body = b;
  return body;
}

void mb_coordinates_forces(const MbModel *model, const MbMaximal *x, const double *q, const double *v,
                           double *y) {
  size_t loose = 0, count = 0;
  for (size_t b = 0; model->sprung && b < model->nb; b++) {
    const size_t stop = run_of_joints(model, b, model->nb, &loose, &count);
    const double *const qb = q + model->q_first[b];
    for (size_t i = 0, k = model->v_first[b]; i < count; i++, k++)
      y[k] -= model->stiffness[k] * (qb[i] - model->rest[k]) + model->joint_damping[k] * v[k];
    b = stop;
  }
  mb_coordinates_drives(model, x, q, v, y);
}

static double motor(const MbDrive *drive, const MbMaximal *x, double q, double v) {
  const double target = drive->target == MB_WORLD ? 0 : x->signal[drive->target];
  const double rate = drive->target_velocity == MB_WORLD ? 0 : x->signal[drive->target_velocity];
  return drive->stiffness * (target - q) + drive->damping * (rate - v);
}

void mb_coordinates_drives(const MbModel *model, const MbMaximal *x, const double *q, const double *v,
                           double *y) {
  for (size_t i = 0; i < model->ndrives; i++) {
    const MbDrive *drive = &model->drives[i];
    const double pull = motor(drive, x, q[drive->q], v[drive->v]);
    // a pull that is no number stays one: the run must end of it
    y[drive->v] += pull > drive->most ? drive->most : pull < -drive->most ? -drive->most : pull;
    if (drive->force != MB_WORLD) y[drive->v] += x->signal[drive->force];
  }
}

void mb_coordinates_derivatives(const MbModel *model, const MbMaximal *x, double *stiffness,
                                double *damping) {
  memcpy(stiffness, model->stiffness, model->nv * sizeof *stiffness);
  memcpy(damping, model->joint_damping, model->nv * sizeof *damping);
  for (size_t i = 0; i < model->ndrives; i++) {
    const MbDrive *drive = &model->drives[i];
    if (!(fabs(motor(drive, x, x->q[drive->q], x->v[drive->v])) < drive->most)) continue;
    stiffness[drive->v] += drive->stiffness;
    damping[drive->v] += drive->damping;
  }
}

void mb_coordinates_blocks(const MbModel *model, const MbMaximal *x, double sD, double sK, const double *v,
                           double *y) {
  for (size_t k = 0; k < model->nv; k++) y[k] -= (sD * x->joint_damping[k] + sK * x->stiffness[k]) * v[k];
}

double mb_coordinates_energy(const MbModel *model, const double *q) {
  double energy = 0;
  for (size_t b = 0; model->sprung && b < model->nb; b++)
    for (size_t i = 0; model->joint[b].ops && i < model->joint[b].n; i++) {
      const size_t k = model->v_first[b] + i;
      const double stretch = q[model->q_first[b] + i] - model->rest[k];
      energy += model->stiffness[k] * stretch * stretch / 2;
    }
  return energy;
}
