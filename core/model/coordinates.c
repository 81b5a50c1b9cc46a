// Bodies free in space have seven coordinates (position and quaternion of C in W) and six velocities (spin in C, that of C in W);
// joints as many of both as they have degrees of freedom. The velocities are the coordinates' rates, but for joints that turn by
// angular velocities, q̇ = N v (MbJointOps.change): what acts along their coordinates, f, does Nᵀ f along their velocities.
#include "core/model/coordinates.h"

#include <string.h>

void mb_coordinates_advance_pose(double *q, double h, const double *v) {
  double w[3], turn[4];
  mb_vec3_scale(w, h, v);
  mb_quat_exp(turn, w);
  mb_vec3_add_scaled(q, q, h, v + 3);
  mb_quat_mul(q + 3, q + 3, turn);
  mb_quat_normalise(q + 3);
}

// ṗ = v, and the quaternion's rate
void mb_coordinates_rate_pose(const double *q, const double *v, double *qdot) {
  mb_vec3_copy(qdot, v + 3);
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

// Bodies from b on whose velocities are rates of coordinates: where they end, and how many coordinates they have together.
static size_t run_of_rates(const MbModel *model, size_t b, size_t end, size_t *curved, size_t *count) {
  while (*curved < model->ncurved && model->curved[*curved] < b) ++*curved;
  const size_t stop = *curved < model->ncurved && model->curved[*curved] < end ? model->curved[*curved] : end;
  *count =
      (stop < model->nb ? model->v_first[stop] : model->nv) - (b < model->nb ? model->v_first[b] : model->nv);
  return stop;
}

void mb_coordinates_advance(const MbModel *model, double *q, double h, const double *v, size_t begin,
                            size_t end) {
  size_t curved = 0, count = 0;
  if (model->ncurved == model->nb) curved = begin;
  for (size_t b = begin; b < end; b++) {
    const size_t stop = run_of_rates(model, b, end, &curved, &count);
    for (size_t i = 0; i < count; i++) q[model->q_first[b] + i] += h * v[model->v_first[b] + i];
    b = stop;
    if (b == end) return;
    const MbJoint *joint = &model->joint[b];
    double *const qb = q + model->q_first[b];
    if (joint->ops)
      joint->ops->advance(joint, qb, h, v + model->v_first[b]);
    else
      mb_coordinates_advance_pose(qb, h, v + model->v_first[b]);
  }
}

void mb_coordinates_rate(const MbModel *model, const double *q, const double *v, double *qdot) {
  for (size_t b = 0; b < model->nb; b++) {
    const double *qb = q + model->q_first[b], *vb = v + model->v_first[b];
    double *rate = qdot + model->q_first[b];
    const MbJoint *joint = &model->joint[b];
    if (!joint->ops) {
      mb_coordinates_rate_pose(qb, vb, rate);
      continue;
    }
    memcpy(rate, vb, joint->n * sizeof *rate);
    if (joint->ops->change) joint->ops->change(joint, qb, MB_TO_RATES, rate);
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

// ---- forces along coordinates ------------------------------------------------------------------------------

// Numbers along coordinates and velocities of one body's joint that turns by angular velocities.
typedef struct Turned {
  const MbJoint *joint;
  const double *q;
  size_t v, n;                 // its first velocity, how many
  double rate[MB_JOINT_MOST];  // q̇
  double force[MB_JOINT_MOST]; // along the coordinates
} Turned;

static void begin_turned(const MbModel *model, size_t b, const double *q, const double *v, Turned *at) {
  at->joint = &model->joint[b], at->q = q + model->q_first[b], at->v = model->v_first[b],
  at->n = at->joint->n;
  memcpy(at->rate, v + at->v, at->n * sizeof *at->rate);
  memset(at->force, 0, at->n * sizeof *at->force);
  at->joint->ops->change(at->joint, at->q, MB_TO_RATES, at->rate);
}

// y += Nᵀ f
static void end_turned(Turned *at, double *y) {
  at->joint->ops->change(at->joint, at->q, MB_TO_FORCES, at->force);
  for (size_t i = 0; i < at->n; i++) y[at->v + i] += at->force[i];
}

void mb_coordinates_forces(const MbModel *model, const MbMaximal *x, const double *q, const double *v,
                           double *y) {
  size_t curved = 0, count = 0;
  for (size_t b = 0; model->sprung && b < model->nb; b++) {
    const size_t stop = run_of_rates(model, b, model->nb, &curved, &count);
    const double *const qb = q + model->q_first[b];
    for (size_t i = 0, k = model->v_first[b]; i < count; i++, k++)
      y[k] -= model->stiffness[k] * (qb[i] - model->rest[k]) + model->joint_damping[k] * v[k];
    b = stop;
    if (b == model->nb || !model->joint[b].ops) continue;
    Turned at;
    begin_turned(model, b, q, v, &at);
    for (size_t i = 0, k = at.v; i < at.n; i++, k++)
      at.force[i] = -model->stiffness[k] * (at.q[i] - model->rest[k]) - model->joint_damping[k] * at.rate[i];
    end_turned(&at, y);
  }
  mb_coordinates_drives(model, x, q, v, y);
}

static double motor(const MbDrive *drive, const MbMaximal *x, double q, double v) {
  const double target = drive->target == MB_WORLD ? 0 : x->signal[drive->target];
  const double rate = drive->target_velocity == MB_WORLD ? 0 : x->signal[drive->target_velocity];
  return drive->stiffness * (target - q) + drive->damping * (rate - v);
}

// Force along the coordinate q, whose rate is v.
static double drive_force(const MbDrive *drive, const MbMaximal *x, double q, double v) {
  const double asked = motor(drive, x, q, v);
  // a pull that is no number stays one: the run must end of it
  const double pull = asked > drive->most ? drive->most : asked < -drive->most ? -drive->most : asked;
  return drive->force == MB_WORLD ? pull : pull + x->signal[drive->force];
}

static bool turns(const MbModel *model, size_t b) { return model->joint[b].ops->change; }

// The drives of a joint follow one another: those from i on are `at`'s; the first that is not.
static size_t end_of_drives(const MbModel *model, size_t i) {
  const size_t body = model->drives[i].body;
  while (i < model->ndrives && model->drives[i].body == body) i++;
  return i;
}

// Which of its soft limits a coordinate is beyond: −1 the lower, 1 the upper, 0 none.
static int side_of(const MbStop *stop, double q) { return q < stop->low ? -1 : q > stop->high; }

// How far it is beyond that one.
static double excess_of(const MbStop *stop, double q, int side) {
  return side ? q - (side < 0 ? stop->low : stop->high) : 0;
}

static double beyond(const MbStop *stop, double q) { return excess_of(stop, q, side_of(stop, q)); }

// y += `share` of the force of a coordinate that is beyond that limit.
static void add_stop(const MbModel *model, const MbStop *stop, int side, double share, const double *q,
                     const double *v, bool to_velocities, double *y) {
  if (side == 0) return;
  const double excess = excess_of(stop, q[stop->q], side);
  if (!turns(model, stop->body)) {
    y[stop->v] -= share * (stop->stiffness * excess + stop->damping * v[stop->v]);
    return;
  }
  Turned at;
  begin_turned(model, stop->body, q, v, &at);
  const size_t k = stop->v - at.v;
  at.force[k] = share * (-stop->stiffness * excess - stop->damping * at.rate[k]);
  if (to_velocities)
    end_turned(&at, y);
  else
    y[stop->v] += at.force[k];
}

bool mb_coordinates_stops_same(const MbModel *m, const double *q, const MbModel *n, const double *p) {
  for (size_t i = 0; i < m->nstops; i++)
    if (side_of(&m->stops[i], q[m->stops[i].q]) != side_of(&n->stops[i], p[n->stops[i].q])) return false;
  return true;
}

void mb_coordinates_stops_as(const MbModel *model, const MbModel *branch, const double *q, const double *v,
                             double *y) {
  for (size_t i = 0; i < model->nstops; i++) {
    const MbStop *stop = &model->stops[i];
    const int here = side_of(stop, q[stop->q]), there = side_of(&branch->stops[i], q[stop->q]);
    if (here == there) continue;
    add_stop(model, stop, here, -1, q, v, true, y);
    add_stop(model, stop, there, 1, q, v, true, y);
  }
}

// Along the coordinates, or along the velocities: `to_velocities`
static void add_drives(const MbModel *model, const MbMaximal *x, const double *q, const double *v,
                       bool to_velocities, double *y) {
  for (size_t i = 0; i < model->nstops; i++) {
    const MbStop *stop = &model->stops[i];
    add_stop(model, stop, side_of(stop, q[stop->q]), 1, q, v, to_velocities, y);
  }
  for (size_t i = 0; i < model->ndrives; i++) {
    const MbDrive *drive = &model->drives[i];
    if (!turns(model, drive->body)) {
      y[drive->v] += drive_force(drive, x, q[drive->q], v[drive->v]);
      continue;
    }
    Turned at;
    begin_turned(model, drive->body, q, v, &at);
    const size_t end = end_of_drives(model, i);
    for (; i < end; i++) {
      drive = &model->drives[i];
      at.force[drive->v - at.v] = drive_force(drive, x, q[drive->q], at.rate[drive->v - at.v]);
    }
    i--;
    if (to_velocities)
      end_turned(&at, y);
    else
      for (size_t k = 0; k < at.n; k++) y[at.v + k] += at.force[k];
  }
}

void mb_coordinates_drives(const MbModel *model, const MbMaximal *x, const double *q, const double *v,
                           double *y) {
  add_drives(model, x, q, v, true, y);
}

void mb_coordinates_driven(const MbModel *model, const MbMaximal *x, const double *q, const double *v,
                           double *f) {
  add_drives(model, x, q, v, false, f);
}

// Whether a motor gives no more, whatever it is asked for.
static bool at_most(const MbModel *model, const MbDrive *drive, const MbMaximal *x) {
  double rate = x->v[drive->v];
  if (turns(model, drive->body)) {
    Turned at;
    begin_turned(model, drive->body, x->q, x->v, &at);
    rate = at.rate[drive->v - at.v];
  }
  return !(fabs(motor(drive, x, x->q[drive->q], rate)) < drive->most);
}

// z · Nᵀ f = f · N z
MbDriveFelt mb_coordinates_drive_felt(const MbModel *model, const MbMaximal *x, size_t i, const double *z) {
  const MbDrive *drive = &model->drives[i];
  const bool follows = !at_most(model, drive, x);
  double weight = z[drive->v];
  if (turns(model, drive->body)) {
    Turned at;
    begin_turned(model, drive->body, x->q, z, &at);
    weight = at.rate[drive->v - at.v];
  }
  return (MbDriveFelt){weight, follows ? drive->stiffness * weight : 0,
                       follows ? drive->damping * weight : 0};
}

void mb_coordinates_derivatives(const MbModel *model, const MbMaximal *x, double *stiffness,
                                double *damping) {
  memcpy(stiffness, model->stiffness, model->nv * sizeof *stiffness);
  memcpy(damping, model->joint_damping, model->nv * sizeof *damping);
  for (size_t i = 0; i < model->ndrives; i++) {
    const MbDrive *drive = &model->drives[i];
    if (at_most(model, drive, x)) continue;
    stiffness[drive->v] += drive->stiffness;
    damping[drive->v] += drive->damping;
  }
  for (size_t i = 0; i < model->nstops; i++) {
    const MbStop *stop = &model->stops[i];
    if (side_of(stop, x->q[stop->q]) == 0) continue;
    stiffness[stop->v] += stop->stiffness;
    damping[stop->v] += stop->damping;
  }
}

void mb_coordinates_derivatives_as(const MbModel *model, const MbMaximal *x, const MbModel *branch,
                                   const MbMaximal *there, double *stiffness, double *damping) {
  mb_coordinates_derivatives(model, x, stiffness, damping);
  for (size_t i = 0; i < model->ndrives; i++) {
    const MbDrive *drive = &model->drives[i];
    const int more = at_most(model, drive, x) - at_most(branch, &branch->drives[i], there);
    stiffness[drive->v] += more * drive->stiffness;
    damping[drive->v] += more * drive->damping;
  }
  for (size_t i = 0; i < model->nstops; i++) {
    const MbStop *stop = &model->stops[i];
    const int more =
        (side_of(&branch->stops[i], there->q[stop->q]) != 0) - (side_of(stop, x->q[stop->q]) != 0);
    stiffness[stop->v] += more * stop->stiffness;
    damping[stop->v] += more * stop->damping;
  }
}

// K[:, θ] += D[:, u] [u]×
static void add_turned(double *K, const double *D, const double *u) {
  for (size_t i = 0; i < 6; i++) {
    double t[3];
    mb_vec3_cross(t, D + 6 * i + 3, u);
    mb_vec3_add(K + 6 * i, K + 6 * i, t);
  }
}

void mb_coordinates_curve(const MbModel *model, const MbMaximal *x) {
  for (size_t b = 0; b < model->nb; b++) {
    double *K = x->K + 36 * b, F[9];
    add_turned(K, x->D + 36 * b, x->phi + 6 * b + 3);
    mb_mat3_cross(F, x->f + 6 * b + 3);
    for (size_t i = 0; i < 9; i++) K[6 * (3 + i / 3) + i % 3] -= F[i];
  }
  for (size_t n = 0; n < 2 * model->npairs; n++) {
    const size_t at = 36 * (model->nb + n);
    add_turned(x->K + at, x->D + at, x->phi + 6 * model->pair[n ^ 1] + 3);
  }
}

void mb_coordinates_blocks(const MbModel *model, const MbMaximal *x, double sD, double sK, const double *v,
                           double *y) {
  size_t curved = 0, count = 0;
  for (size_t b = 0; b < model->nb; b++) {
    const size_t stop = run_of_rates(model, b, model->nb, &curved, &count), first = model->v_first[b];
    for (size_t k = first; k < first + count; k++)
      y[k] -= (sD * x->joint_damping[k] + sK * x->stiffness[k]) * v[k];
    b = stop;
    if (b == model->nb || !model->joint[b].ops) continue;
    Turned at;
    begin_turned(model, b, x->q, v, &at);
    for (size_t i = 0, k = at.v; i < at.n; i++, k++)
      at.force[i] = -(sD * x->joint_damping[k] + sK * x->stiffness[k]) * at.rate[i];
    end_turned(&at, y);
  }
}

// Σ s n nᵀ over the coordinates, where n = Nᵀ e is the coordinate's rate in terms of the velocities.
void mb_coordinates_own(const MbModel *model, const MbMaximal *x, size_t b, double a, double c, double *A) {
  const MbJoint *joint = &model->joint[b];
  const size_t n = joint->n, v = model->v_first[b];
  memset(A, 0, n * n * sizeof *A);
  for (size_t k = 0; k < n; k++) {
    const double s = a * x->joint_damping[v + k] + c * x->stiffness[v + k];
    double row[MB_JOINT_MOST];
    if (s == 0) continue;
    if (!joint->ops->change) { // the rate is a velocity itself
      A[(n + 1) * k] += s;
      continue;
    }
    mb_coordinates_rate_of(model, x, b, k, row);
    for (size_t i = 0; i < n; i++)
      for (size_t j = 0; j < n; j++) A[n * i + j] += s * row[i] * row[j];
  }
}

void mb_coordinates_rate_of(const MbModel *model, const MbMaximal *x, size_t b, size_t k, double *row) {
  const MbJoint *joint = &model->joint[b];
  memset(row, 0, joint->n * sizeof *row);
  row[k] = 1;
  if (joint->ops->change) joint->ops->change(joint, x->q + model->q_first[b], MB_TO_FORCES, row);
}

double mb_coordinates_energy(const MbModel *model, const double *q) {
  double energy = 0;
  for (size_t b = 0; model->sprung && b < model->nb; b++)
    for (size_t i = 0; model->joint[b].ops && i < model->joint[b].n; i++) {
      const size_t k = model->v_first[b] + i;
      const double stretch = q[model->q_first[b] + i] - model->rest[k];
      energy += model->stiffness[k] * stretch * stretch / 2;
    }
  for (size_t i = 0; i < model->nstops; i++) {
    const double excess = beyond(&model->stops[i], q[model->stops[i].q]);
    energy += model->stops[i].stiffness * excess * excess / 2;
  }
  return energy;
}

void mb_coordinates_momentum(const MbModel *model, const double *v, double *y) {
  for (size_t k = 0; model->rotors && k < model->nv; k++) y[k] += model->joint_inertia[k] * v[k];
}

double mb_coordinates_motion(const MbModel *model, const double *v) {
  double energy = 0;
  for (size_t k = 0; model->rotors && k < model->nv; k++) energy += model->joint_inertia[k] * v[k] * v[k] / 2;
  return energy;
}
