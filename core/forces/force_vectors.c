// Vectors that are given in some axes, as a body's forces read them.
#include "core/forces/body_force.h"
#include "core/forces/forces.h"
#include "core/model/builder.h"

#include <stdio.h>
#include <string.h>

static const MbBodyForce *own_of(const MbForce *force) { return force->parameters; }

MbStatus mb_force_on_body(MbBuilder *b, const MbForceSpec *from, MbForce *force, void *own) {
  const MbBodyForceSpec *spec = from->parameters;
  MbBodyForce *to = own;
  MbPose inverse;
  mb_pose_inverse(&inverse, &b->model->C[force->body]);
  mb_pose_point(to->at, &inverse, spec->at);
  mb_quat_to_mat3(to->R, inverse.q);
  to->axes = spec->axes;
  for (int k = 0; k < 6; k++) {
    const MbSignalSpec *signal = k < 3 ? &spec->torque[k] : &spec->force[k - 3];
    const bool known = k >= 3 || from->kind == MB_FORCE_WRENCH; // a force at a point has no torque
    char key[32];
    snprintf(key, sizeof key, "%s/%d", k < 3 ? "torque" : "force", k % 3);
    const MbStatus status = mb_builder_signal(b, signal, known ? key : NULL, &force->signal[k]);
    if (status != MB_OK) return status;
  }
  return MB_OK;
}

bool mb_force_may_turn(const MbForce *force, const MbMaximal *x) {
  return !x->safe && own_of(force)->axes == MB_AXES_WORLD && (x->exact || !force->lagged);
}

bool mb_force_turns(const MbForce *force, const MbMaximal *x) { return x->K && mb_force_may_turn(force, x); }

void mb_force_given(const MbForce *force, const MbMaximal *x, int first, double a[3]) {
  for (int i = 0; i < 3; i++) a[i] = x->signal[force->signal[first + i]];
}

void mb_force_vector(const MbForce *force, const MbMaximal *x, int first, double a_C[3]) {
  double given[3];
  mb_force_given(force, x, first, given);
  if (own_of(force)->axes == MB_AXES_WORLD)
    mb_quat_unrotate(a_C, x->E[force->body].q, given);
  else
    mb_mat3_apply(a_C, own_of(force)->R, given);
}

void mb_force_add_turning(double K[36], int row, double s, const double a_C[3]) {
  double X[9];
  mb_mat3_cross(X, a_C);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) K[6 * (row + i) + j] += s * X[3 * i + j];
}

void mb_force_stays(MbMaximal *x, size_t b, const double f[3]) {
  if (x->exact || !x->carrier || x->carrier[b] == MB_WORLD) return;
  const size_t carrier = x->carrier[b];
  double own[3];
  mb_quat_unrotate(own, x->E[carrier].q, f);
  mb_force_add_turning(x->K + 36 * carrier, 3, -1, own);
}
