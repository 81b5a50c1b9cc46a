// A revolute joint as rows: what is constant of it, and what of the accelerations is not made by the bodies'. The rest, and the
// derivation, is in held_hinge.h.
#include "core/solvers/maximal/held_hinge.h"
#include "core/model/coordinates.h"
#include "core/joints/joints.h"

bool mb_held_is_hinge(const MbModel *model, size_t b) {
  return model->joint[b].ops == mb_joint_table[MB_JOINT_REVOLUTE];
}

// The direction that an axis is farthest from.
static int farthest_from(const double a[3]) {
  return fabs(a[0]) <= fabs(a[1]) ? (fabs(a[0]) <= fabs(a[2]) ? 0 : 2) : fabs(a[1]) <= fabs(a[2]) ? 1 : 2;
}

void mb_held_make_hinge(const MbModel *model, const MbModel *like, size_t b, MbHeldHinge *hinge) {
  const double *a = model->joint[b].axis;
  double least[3] = {0}, u[3];
  least[farthest_from(like->joint[b].axis)] = 1;
  mb_vec3_cross(u, a, least);
  mb_vec3_scale(u, 1 / mb_vec3_norm(u), u);

  const MbPose *B = &model->B[b],
               *P = &model->P[b]; // C in the joint's frame; the joint's frame in the parent
  MbPose inverse;
  mb_pose_inverse(&inverse, B);
  mb_quat_rotate(hinge->a, inverse.q, a);
  mb_quat_rotate(hinge->u, inverse.q, u);
  mb_vec3_cross(hinge->w, hinge->a, hinge->u);
  mb_vec3_copy(hinge->d, inverse.p);
  mb_quat_rotate(hinge->pa, P->q, a);
  mb_quat_rotate(hinge->pu, P->q, u);
  mb_vec3_copy(hinge->pd, P->p);
}

// J̇ v of the rows
static void bend_rows(MbHeld *held, size_t b, const Seen *seen, const double carry[6]) {
  const MbHeldHinge *hinge = &held->hinge[b];
  const double *eta = held->eta + 6 * b, *Jc = held->Jc + 6 * held->first[b];
  double *bend = held->bend + held->first[b], rate[3], t[3];
  for (int r = 0; r < 5; r++) {
    bend[r] = 0;
    for (int k = 0; k < 6; k++) bend[r] += Jc[6 * r + k] * carry[k];
  }
  mb_vec3_cross(rate, eta, seen->a);
  mb_vec3_cross(t, hinge->u, rate);
  bend[0] -= mb_vec3_dot(t, eta);
  mb_vec3_cross(t, hinge->w, rate);
  bend[1] -= mb_vec3_dot(t, eta);
  mb_vec3_cross(rate, eta, seen->s);
  mb_vec3_add(rate, rate, eta + 3);
  mb_vec3_cross(t, eta, rate);
  mb_vec3_sub(bend + 2, bend + 2, t);
}

// η̇ at v̇ = 0 beyond ad_η X φ_p: J̇ v of the body less X times that of its parent.
void mb_held_add_drift(const MbHeld *held, size_t b, double carry[6]) {
  const size_t p = held->model->parent[b];
  double own[6], of_parent[6], seen[3];
  mb_twist_drift(held->phi + 6 * b, own);
  mb_vec3_add(carry + 3, carry + 3, own + 3);
  if (p == MB_WORLD) return;
  mb_twist_drift(held->phi + 6 * p, of_parent);
  mb_mat3_apply(seen, held->X[b].R, of_parent + 3);
  mb_vec3_sub(carry + 3, carry + 3, seen);
}

void mb_held_bend_hinge(MbHeld *held, size_t b) {
  const MbHeldHinge *hinge = &held->hinge[b];
  const Seen seen = see(hinge, &held->X[b]);
  const size_t v = held->model->v_first[b];
  const double *eta = held->eta + 6 * b, *down = held->seen + 6 * b;
  double carry[6], t[3];
  mb_vec3_cross(carry, eta, down);
  mb_vec3_cross(carry + 3, eta, down + 3);
  mb_vec3_cross(t, eta + 3, down);
  mb_vec3_add(carry + 3, carry + 3, t);
  mb_held_add_drift(held, b, carry);
  if (!held->curves) bend_rows(held, b, &seen, carry);

  double du[3], nw[3], nu[3], dw[3], duu[3], ndot = 0;
  mb_vec3_cross(du, eta, seen.u);
  mb_vec3_scale(du, -1, du);
  const double cdot = mb_vec3_dot(hinge->u, du), sdot = -mb_vec3_dot(hinge->w, du);
  mb_vec3_cross(nw, seen.u, hinge->w);
  mb_vec3_cross(nu, seen.u, hinge->u);
  mb_vec3_cross(dw, du, hinge->w);
  mb_vec3_cross(duu, du, hinge->u);
  for (int k = 0; k < 3; k++)
    ndot += eta[k] * (cdot * nw[k] + sdot * nu[k] + seen.c * dw[k] + seen.sigma * duu[k]);
  const double rate2 = 2 * (seen.c * cdot + seen.sigma * sdot);
  held->turn[v] = (ndot - rate2 * held->v[v]) / seen.rho2 + mb_vec3_dot(held->V + 6 * v, carry);
}
