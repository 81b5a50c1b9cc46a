// Second derivatives of joints:  C_k = D_k (Ṡ v),  Ṡ v = Σ_ij D_j S_i v_i v_j,  D_k the derivative along velocity k.
//
// In a product of exponentials Q = … exp(e_i q_i) … exp(e_k q_k) … a factor behind column i carries it, D_k S_i = ad(S_i) S_k, and one
// before it leaves it alone. Then, with t_ik = 1 or 0 by which of the two it is,
//
//   C_k = Σ_ij t_ij ( ad(D_k S_i) S_j + ad(S_i) D_k S_j ) v_i v_j
//
// Joints of which that is not so, splines and rotation vectors that are coordinates, have differences of their Ṡ v, of fourth order. A
// spline's Ṡ v has a corner at each knot: near one its differences go away from it, so that they stay in the piece where the joint is.
#include "core/joints/joints.h"
#include "core/math/spatial.h"

#include <string.h>

bool mb_joint_carries_in_order(const MbJoint *joint, bool *carried, size_t stride) {
  for (size_t i = 0; i < joint->n; i++)
    for (size_t k = i + 1; k < joint->n; k++) carried[stride * i + k] = true;
  return true;
}

bool mb_joint_carries_nothing(const MbJoint *joint, bool *carried, size_t stride) {
  (void)joint, (void)carried, (void)stride;
  return true;
}

static void of_product(size_t n, const bool *carried, const double *S, const double *v, double *C) {
  for (size_t k = 0; k < n; k++)
    for (size_t i = 0; i < n; i++)
      for (size_t j = 0; j < n; j++) {
        const double s = v[i] * v[j];
        double D[6] = {0};
        if (!carried[n * i + j]) continue;
        if (carried[n * i + k]) {
          mb_add_bracket(D, 1, S + 6 * i, S + 6 * k);
          mb_add_bracket(C + 6 * k, s, D, S + 6 * j);
        }
        if (!carried[n * j + k]) continue;
        memset(D, 0, sizeof D);
        mb_add_bracket(D, 1, S + 6 * j, S + 6 * k);
        mb_add_bracket(C + 6 * k, s, S + 6 * i, D);
      }
}

// y += s Ṡ v where the joint is when it has moved from q along velocity k.
static void add_moved(const MbJoint *joint, const double *q, const double *v, size_t k, double move, double s,
                      double y[6]) {
  const size_t n = joint->n;
  double moved[MB_JOINT_MOST], along[MB_JOINT_MOST] = {0}, S[6 * MB_JOINT_MOST], Sdot[6 * MB_JOINT_MOST];
  MbPose Q;
  memcpy(moved, q, n * sizeof *moved);
  along[k] = 1;
  if (joint->ops->advance)
    joint->ops->advance(joint, moved, move, along);
  else
    moved[k] += move;
  joint->ops->eval(joint, moved, v, &Q, S, Sdot);
  for (size_t i = 0; i < n; i++)
    for (size_t r = 0; r < 6; r++) y[r] += s * Sdot[6 * i + r] * v[i];
}

// its fourth power is what the differences are off by, times fifth derivatives
static const double MOVE = 1e-3;

// 1 or −1: away from the knot, a whole number, that coordinate k of a spline is near to; 0: there is none. A place on a knot belongs to what
// follows.
static int away_from_knot(const MbJoint *joint, const double *q, size_t k) {
  if (joint->nparts > 0) {
    const MbJoint *part = joint->part;
    for (; k >= part->n; part++) k -= part->n, q += part->n;
    return away_from_knot(part, q, k);
  }
  const double behind = joint->spline ? q[k] - floor(q[k]) : 0.5;
  return behind < 2 * MOVE ? 1 : behind > 1 - 2 * MOVE ? -1 : 0;
}

void mb_joint_curve(const MbJoint *joint, const double *q, const double *v, const double *S, double *C) {
  static const double CENTRAL[5] = {1, -8, 0, 8, -1}, AWAY[5] = {-25, 48, -36, 16, -3}; // by 12 moves
  bool carried[MB_JOINT_MOST * MB_JOINT_MOST] = {0};
  const size_t n = joint->n;
  memset(C, 0, 6 * n * sizeof *C);
  if (joint->ops->carries && joint->ops->carries(joint, carried, n)) {
    of_product(n, carried, S, v, C);
    return;
  }
  for (size_t k = 0; k < n; k++) {
    const int away = away_from_knot(joint, q, k);
    for (int i = 0; i < 5; i++)
      if (away)
        add_moved(joint, q, v, k, away * i * MOVE, away * AWAY[i] / (12 * MOVE), C + 6 * k);
      else if (i != 2)
        add_moved(joint, q, v, k, (i - 2) * MOVE, CENTRAL[i] / (12 * MOVE), C + 6 * k);
  }
}
