// What a flock's scenes are, in rows: the tree that they have in common, and the numbers of each.
#include "core/constraints/limit.h"
#include "core/forces/forces.h"
#include "core/joints/joints.h"
#include "core/sim/evaluate.h"
#include "gpu/flock_internal.h"

#include <string.h>

enum { LINE = 256 };

// ---- which ------------------------------------------------------------------------------------------------

static bool slides(const MbJoint *joint) {
  return joint->ops == mb_joint_table[MB_JOINT_PRISMATIC] || joint->ops == mb_joint_table[MB_JOINT_FIXED];
}

static const char *joints_refused(const MbModel *model) {
  for (size_t b = 0; b < model->nb; b++) {
    const MbJoint *joint = &model->joint[b];
    if (joint->ops && joint->ops != mb_joint_table[MB_JOINT_REVOLUTE] && !slides(joint))
      return "has joints of other kinds than revolute, prismatic and fixed, which the device has not";
  }
  for (size_t b = 0; b < model->nb && model->integrator.kind == MB_IMPLICIT; b++)
    if (!(model->M[6 * b + 3] > 0)) return "has bodies without mass under implicit, which the device has not";
  for (size_t i = 1; i < model->ndrives; i++)
    for (size_t k = 0; k < i; k++)
      if (model->drives[i].v == model->drives[k].v) return "has two motors on a coordinate";
  return NULL;
}

const char *mb_flock_refused(const MbModel *model) {
  if (model->solver.kind != MB_SOLVER_REDMAX || model->solver.dynamics == MB_DENSE)
    return "has another solver than redmax by recursion, and the device has no other";
  if (model->integrator.kind != MB_SYMPLECTIC && model->integrator.kind != MB_IMPLICIT)
    return "has another integrator than symplectic and implicit, and the device has no other";
  for (size_t i = 0; i < model->nforces; i++) {
    const MbForceOps *ops = model->forces[i].ops;
    if (ops != &mb_gravity_ops && ops != &mb_body_damping_ops && ops != mb_force_table[MB_FORCE_DAMPING])
      return "has other forces than gravity, damping and those of joints, which the device has not";
  }
  return joints_refused(model);
}

// ---- where ------------------------------------------------------------------------------------------------

typedef struct Places {
  char *memory;
  size_t used;
} Places;

static void *place(Places *at, size_t bytes) {
  char *const here = at->memory ? at->memory + at->used : NULL;
  at->used += (bytes + LINE - 1) / LINE * LINE;
  return here;
}
static double *rows(Places *at, size_t n, size_t stride) { return place(at, n * stride * sizeof(double)); }

size_t mb_flock_lay_out(const MbFlockSize *size, size_t stride, MbTreeArgs *a, char *memory,
                        size_t *mirrored) {
  Places at = {.memory = memory};
  const size_t nb = size->nb, nv = size->nv, steps = size->varies ? MB_FLOCK_CHUNK : 1;
  a->body = place(&at, nb * sizeof *a->body);
  a->motor = place(&at, nv * sizeof *a->motor);
  a->limit = place(&at, size->nlimits * sizeof *a->limit);
  a->q = rows(&at, size->nq, stride), a->v = rows(&at, nv, stride);
  a->h = rows(&at, 1, stride), a->gravity = rows(&at, 3, stride);
  a->link = rows(&at, MB_TREE_LINK * nb, stride), a->turn = rows(&at, MB_TREE_TURN * size->nturns, stride);
  a->stiffness = rows(&at, nv, stride), a->rest = rows(&at, nv, stride), a->damping = rows(&at, nv, stride);
  a->drag = rows(&at, nb, stride);
  a->motor_stiffness = rows(&at, nv, stride), a->motor_damping = rows(&at, nv, stride);
  a->motor_most = rows(&at, nv, stride);
  a->signal = rows(&at, steps * size->nsignals, stride);
  a->side = rows(&at, size->nlimits, stride), a->bound = rows(&at, size->nlimits, stride);
  a->left = place(&at, stride * sizeof *a->left);
  a->E = rows(&at, 7 * nb, stride), a->phi = rows(&at, 6 * nb, stride), a->energy = rows(&at, 4, stride);
  if (mirrored) *mirrored = at.used;
  a->stand = rows(&at, MB_STAND * nb, stride), a->rigid = rows(&at, MB_RIGID * nb, stride);
  a->outer = rows(&at, MB_SCREW * nb, stride), a->swing = rows(&at, size->flies ? 3 * nb : 0, stride);
  a->frame = rows(&at, MB_FRAME * size->slots, stride),
  a->sum = rows(&at, MB_ARTICULATED * size->slots, stride);
  a->rate = rows(&at, MB_SCREW * size->slots, stride);
  a->U = rows(&at, MB_SCREW * size->columns, stride), a->G = rows(&at, size->squares, stride);
  a->u = rows(&at, size->columns, stride);
  return at.used;
}

MbFlockSize mb_flock_size(const MbLane *lane) {
  const MbModel *model = lane->model;
  const MbLinks *links = &lane->links;
  MbFlockSize size = {.nb = links->nb,
                      .nq = links->nq,
                      .nv = links->nv,
                      .nturns = links->nturns,
                      .columns = links->ncolumns,
                      .squares = links->nsquares,
                      .slots = links->slots,
                      .nlimits = model->nconstraints,
                      .nsignals = model->nsignals,
                      .flies = model->any_flies};
  for (size_t b = 0; b < links->nb; b++) size.nturns += links->hop[b].kind == MB_LINK_GENERAL;
  for (size_t i = 0; i < model->nsignals; i++) size.varies |= model->signals[i].kind != MB_SIGNAL_CONSTANT;
  return size;
}

// ---- how the tree hangs together ----------------------------------------------------------------------------

static MbTreeBody body_of(const MbLinks *links, size_t b, uint32_t *turns) {
  const MbHop *hop = &links->hop[b];
  MbTreeBody body = {.kind = hop->kind == MB_LINK_FREE       ? MB_TREE_FREE
                             : hop->kind == MB_LINK_REVOLUTE ? MB_TREE_TURNS
                                                             : MB_TREE_SLIDES,
                     .slot = hop->slot,
                     .up = hop->up,
                     .leaf = hop->leaf,
                     .last = hop->last,
                     .flies = hop->flies,
                     .n = hop->n,
                     .q = hop->q,
                     .v = hop->v,
                     .along = links->link[b].along,
                     .turn = links->link[b].turn,
                     .column = hop->column,
                     .square = hop->square};
  if (body.kind == MB_TREE_SLIDES) body.turn = (*turns)++; // behind those that turn
  return body;
}

static uint32_t signal_row(size_t signal) { return signal == MB_WORLD ? MB_TREE_NONE : (uint32_t)signal; }

// Of both: what a launch is told of itself.
static void tell(MbFlock *f, MbTreeArgs *a) {
  const MbModel *like = f->like->model;
  a->lanes = f->stride;
  a->nb = (uint32_t)f->size.nb, a->nv = (uint32_t)f->size.nv, a->nlimits = (uint32_t)f->size.nlimits;
  a->sprung = like->sprung, a->motors = like->ndrives > 0, a->ahead = like->ahead;
  a->flies = like->any_flies, a->implicit = like->integrator.kind == MB_IMPLICIT;
  a->damped = 0;
  for (size_t i = 0; i < like->nforces; i++) a->damped |= like->forces[i].ops != &mb_gravity_ops;
  a->signals = f->size.varies ? f->size.nsignals * f->stride : 0;
}

void mb_flock_describe(MbFlock *f) {
  const MbModel *like = f->like->model;
  const MbLinks *links = &f->like->links;
  // what kernels only read is written here
  MbTreeBody *body = (MbTreeBody *)(uintptr_t)f->here.body;
  MbTreeMotor *motor = (MbTreeMotor *)(uintptr_t)f->here.motor;
  MbTreeLimit *limit = (MbTreeLimit *)(uintptr_t)f->here.limit;
  uint32_t turns = (uint32_t)links->nturns;
  tell(f, &f->here), tell(f, &f->there);
  for (size_t b = 0; b < f->size.nb; b++) body[b] = body_of(links, b, &turns);
  for (size_t i = 0; i < like->ndrives; i++) {
    const MbDrive *drive = &like->drives[i];
    motor[drive->v] = (MbTreeMotor){.there = 1,
                                    .force = signal_row(drive->force),
                                    .target = signal_row(drive->target),
                                    .rate = signal_row(drive->target_velocity)};
  }
  for (size_t i = 0; i < like->nconstraints; i++) {
    const MbConstraint *of = &like->constraints[i];
    limit[i] = (MbTreeLimit){.q = (uint32_t)of->q[0], .v = (uint32_t)of->v[0], .soft = of->compliance > 0};
  }
}

// ---- numbers of one scene -----------------------------------------------------------------------------------

typedef struct Column { // a scene's place in rows
  size_t stride, k;
} Column;

static void put_rows(Column at, const double *rows, size_t first, const double *from, size_t n) {
  double *const to = (double *)(uintptr_t)rows + first * at.stride + at.k;
  for (size_t i = 0; i < n; i++) to[i * at.stride] = from[i];
}

// Of one that slides the joint's place is where it stands at 0 (mb_tree_slide).
static void put_link(const MbFlock *f, Column at, const MbLane *lane, size_t b) {
  const MbModel *model = lane->model;
  const MbTreeBody *body = &f->here.body[b];
  MbLink link = lane->links.link[b];
  MbTurn turn = {.k = {1}};
  if (body->kind == MB_TREE_TURNS && body->along == 3) turn = lane->links.turn[body->turn];
  if (body->kind == MB_TREE_SLIDES) {
    const MbPose *P = &model->P[b], *B = &model->B[b];
    double in[3];
    mb_quat_mul(turn.k, P->q, B->q);
    mb_quat_normalise(turn.k);
    mb_quat_rotate(in, P->q, B->p);
    mb_vec3_add(link.e, link.e, in);
    if (body->n) mb_quat_rotate(turn.k2, P->q, model->joint[b].axis);
    if (body->n) mb_quat_unrotate(turn.a, B->q, model->joint[b].axis);
  }
  const double numbers[MB_TREE_LINK] = {link.e[0], link.e[1], link.e[2], link.c[0], link.c[1],
                                        link.c[2], link.m,    link.I[0], link.I[1], link.I[2]};
  const double turns[MB_TREE_TURN] = {turn.k[0],  turn.k[1],  turn.k[2], turn.k[3], turn.k2[0], turn.k2[1],
                                      turn.k2[2], turn.k2[3], turn.a[0], turn.a[1], turn.a[2]};
  put_rows(at, f->here.link, MB_TREE_LINK * b, numbers, MB_TREE_LINK);
  if (body->kind == MB_TREE_SLIDES || (body->kind == MB_TREE_TURNS && body->along == 3))
    put_rows(at, f->here.turn, (size_t)MB_TREE_TURN * body->turn, turns, MB_TREE_TURN);
}

static double drag_of(const MbModel *model, size_t b) {
  double sum = 0;
  for (size_t i = 0; i < model->nforces; i++) {
    const MbForce *force = &model->forces[i];
    if (force->ops == &mb_gravity_ops) continue;
    sum += force->ops->drag ? force->ops->drag(force) : model->damping[b];
  }
  return sum;
}

void mb_flock_put(MbFlock *f, size_t k) {
  const MbLane *lane = f->lane[k];
  const MbModel *model = lane->model;
  const MbTreeArgs *a = &f->here;
  const Column at = {f->stride, k};
  put_rows(at, a->q, 0, lane->sim->state.q, f->size.nq);
  put_rows(at, a->v, 0, lane->sim->state.v, f->size.nv);
  put_rows(at, a->h, 0, &model->h, 1);
  put_rows(at, a->gravity, 0, model->gravity, 3);
  put_rows(at, a->stiffness, 0, model->stiffness, f->size.nv);
  put_rows(at, a->rest, 0, model->rest, f->size.nv);
  put_rows(at, a->damping, 0, model->joint_damping, f->size.nv);
  for (size_t b = 0; b < f->size.nb; b++) {
    const double drag = drag_of(model, b);
    put_link(f, at, lane, b);
    put_rows(at, a->drag, b, &drag, 1);
  }
  for (size_t i = 0; i < model->ndrives; i++) {
    const MbDrive *drive = &model->drives[i];
    put_rows(at, a->motor_stiffness, drive->v, &drive->stiffness, 1);
    put_rows(at, a->motor_damping, drive->v, &drive->damping, 1);
    put_rows(at, a->motor_most, drive->v, &drive->most, 1);
  }
  for (size_t i = 0; i < f->size.nlimits; i++) {
    const MbLimit *limit = model->constraints[i].parameters;
    put_rows(at, a->side, i, &limit->sign, 1), put_rows(at, a->bound, i, &limit->bound, 1);
  }
  a->left[k] = 0;
}

void mb_flock_signals(MbFlock *f, size_t steps) {
  const size_t n = f->size.nsignals;
  for (size_t k = 0; k < f->count; k++) {
    MbSim *sim = f->lane[k]->sim;
    const Column at = {f->stride, k};
    for (size_t step = 0; step < steps && !f->gone[k]; step++)
      for (size_t i = 0; i < n; i++) {
        const double value = mb_sim_signal(sim, i, (double)(f->step + (int64_t)step) * sim->model->h);
        put_rows(at, f->here.signal, step * n + i, &value, 1);
      }
  }
}
