// Points and axes of bodies, and the rows that they make.
#include "core/constraints/constraints.h"
#include "core/math/dense6.h"

MbPoint mb_constraint_point(const MbConstraint *constraint, int end, const MbMaximal *x) {
  const size_t b = constraint->body[end];
  const double *at = constraint->at[end];
  MbPoint point = {0};
  if (b == MB_WORLD) {
    mb_vec3_copy(point.p, at);
    return point;
  }
  const double *phi = x->phi + 6 * b;
  double u[3], wu[3];
  mb_pose_point(point.p, &x->E[b], at);
  mb_vec3_cross(u, phi, at);
  mb_vec3_add(u, u, phi + 3);
  mb_vec3_cross(wu, phi, u);
  mb_quat_rotate(point.v, x->E[b].q, u);
  mb_quat_rotate(point.a, x->E[b].q, wu);
  return point;
}

MbPoint mb_constraint_axis(const MbConstraint *constraint, int end, int k, const MbMaximal *x) {
  const size_t b = constraint->body[end];
  const double *R = constraint->R[end], r[3] = {R[k], R[3 + k], R[6 + k]};
  MbPoint axis = {0};
  if (b == MB_WORLD) {
    mb_vec3_copy(axis.p, r);
    return axis;
  }
  double u[3], wu[3];
  mb_vec3_cross(u, x->phi + 6 * b, r);
  mb_vec3_cross(wu, x->phi + 6 * b, u);
  mb_quat_rotate(axis.p, x->E[b].q, r);
  mb_quat_rotate(axis.v, x->E[b].q, u);
  mb_quat_rotate(axis.a, x->E[b].q, wu);
  return axis;
}

void mb_constraint_direction(const MbConstraint *constraint, int end, int k, const MbMaximal *x,
                             double p[3]) {
  const size_t b = constraint->body[end];
  const double *R = constraint->R[end], r[3] = {R[k], R[3 + k], R[6 + k]};
  if (b == MB_WORLD)
    mb_vec3_copy(p, r);
  else
    mb_quat_rotate(p, x->E[b].q, r);
}

void mb_constraint_along(const MbConstraint *constraint, int end, const MbMaximal *x, const double n[3],
                         double s, MbRow *row) {
  const size_t b = row->body[end] = constraint->body[end];
  if (b == MB_WORLD) return;
  double m[3], turn[3], *H = row->H[end];
  mb_quat_unrotate(m, x->E[b].q, n);
  mb_vec3_cross(turn, constraint->at[end], m);
  mb_vec3_add_scaled(H, H, s, turn);
  mb_vec3_add_scaled(H + 3, H + 3, s, m);
}

// δm of a motion along one coordinate:  m × θ of its own body,  Rᵀ N δp.
static void turn_along(const MbConstraint *constraint, int end, int by, const MbMaximal *x, const double m[3],
                       const double *N, size_t along, double dm[3]) {
  const double e[3] = {along % 3 == 0, along % 3 == 1, along % 3 == 2};
  double u[3], p[3], dn[3], own[3];
  mb_vec3_set(dm, 0, 0, 0);
  if (by == end && along < 3) mb_vec3_cross(dm, m, e);
  if (!N) return;
  if (along < 3)
    mb_vec3_cross(u, e, constraint->at[by]);
  else
    mb_vec3_copy(u, e);
  mb_quat_rotate(p, x->E[constraint->body[by]].q, u);
  for (int i = 0; i < 3; i++) dn[i] = mb_vec3_dot(N + 3 * i, p);
  mb_quat_unrotate(own, x->E[constraint->body[end]].q, dn);
  mb_vec3_add(dm, dm, own);
}

void mb_constraint_bend_along(const MbConstraint *constraint, int end, int by, const MbMaximal *x,
                              const double n[3], const double *N, double s, MbRowBend *bend) {
  double m[3], *out = bend->by[end][by];
  if (constraint->body[end] == MB_WORLD || constraint->body[by] == MB_WORLD) return;
  mb_quat_unrotate(m, x->E[constraint->body[end]].q, n);
  for (size_t along = 0; along < 6; along++) {
    double dm[3], turn[3];
    turn_along(constraint, end, by, x, m, N, along, dm);
    mb_vec3_cross(turn, constraint->at[end], dm);
    for (size_t i = 0; i < 3; i++) {
      out[6 * i + along] += s * turn[i];
      out[6 * (3 + i) + along] += s * dm[i];
    }
  }
}

void mb_constraint_about(const MbConstraint *constraint, int end, const MbMaximal *x, const double n[3],
                         double s, MbRow *row) {
  const size_t b = row->body[end] = constraint->body[end];
  if (b == MB_WORLD) return;
  double m[3];
  mb_quat_unrotate(m, x->E[b].q, n);
  mb_vec3_add_scaled(row->H[end], row->H[end], s, m);
}

void mb_constraint_frame(const MbConstraint *constraint, int end, const MbMaximal *x, MbFrameMotion *frame) {
  const size_t b = constraint->body[end];
  *frame = (MbFrameMotion){0};
  mb_vec3_copy(frame->F.p, constraint->at[end]);
  mb_quat_from_mat3(frame->F.q, constraint->R[end]);
  frame->E = frame->F;
  if (b == MB_WORLD) return;
  mb_pose_mul(&frame->E, &x->E[b], &frame->F);
  double A[36];
  MbPose inverse;
  mb_pose_inverse(&inverse, &frame->F);
  mb_se3_adjoint(A, &inverse);
  mb_mat6_apply(frame->phi, A, x->phi + 6 * b);
}

void mb_constraint_on_frame(const MbConstraint *constraint, int end, const MbFrameMotion *frame,
                            const double a[6], double s, MbRow *row) {
  const size_t b = row->body[end] = constraint->body[end];
  if (b == MB_WORLD) return;
  double A[36];
  MbPose inverse;
  mb_pose_inverse(&inverse, &frame->F);
  mb_se3_adjoint(A, &inverse);
  for (size_t i = 0; i < 6; i++)
    for (size_t j = 0; j < 6; j++) row->H[end][j] += s * a[i] * A[6 * i + j];
}

double mb_constraint_size(const MbConstraint *constraint, const MbPoint *A, const MbPoint *B) {
  return 1e-3 + mb_vec3_norm(constraint->at[0]) + mb_vec3_norm(constraint->at[1]) + mb_vec3_norm(A->p) +
         mb_vec3_norm(B->p);
}

// a · b and its derivatives but for what the bodies' accelerations do
static void product(const MbPoint *a, const double p[3], const double v[3], const double acc[3], MbRow *row) {
  row->g = mb_vec3_dot(a->p, p);
  row->gtt = mb_vec3_dot(a->a, p) + 2 * mb_vec3_dot(a->v, v) + mb_vec3_dot(a->p, acc);
}

void mb_constraint_offset(const MbConstraint *constraint, int k, const MbMaximal *x, MbRow *row) {
  const MbPoint A = mb_constraint_point(constraint, 0, x), B = mb_constraint_point(constraint, 1, x);
  const MbPoint a = mb_constraint_axis(constraint, 0, k, x);
  double d[3], rate[3], bend[3], turn[3];
  mb_vec3_sub(d, A.p, B.p);
  mb_vec3_sub(rate, A.v, B.v);
  mb_vec3_sub(bend, A.a, B.a);
  mb_vec3_cross(turn, a.p, d);
  product(&a, d, rate, bend, row);
  mb_constraint_along(constraint, 0, x, a.p, 1, row);
  mb_constraint_along(constraint, 1, x, a.p, -1, row);
  mb_constraint_about(constraint, 0, x, turn, 1, row);
  row->size = mb_constraint_size(constraint, &A, &B);
}

void mb_constraint_angle(const MbConstraint *constraint, int i, int j, double s, const MbMaximal *x,
                         MbRow *row) {
  const MbPoint a = mb_constraint_axis(constraint, 0, i, x), b = mb_constraint_axis(constraint, 1, j, x);
  double turn[3];
  mb_vec3_cross(turn, a.p, b.p);
  product(&a, b.p, b.v, b.a, row);
  row->g *= s, row->gtt *= s;
  mb_constraint_about(constraint, 0, x, turn, s, row);
  mb_constraint_about(constraint, 1, x, turn, -s, row);
  row->size = 1;
  row->angle = true;
}
