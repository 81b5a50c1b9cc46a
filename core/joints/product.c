// Q ← Q exp(e f). With X = Ad(exp(−e f)), each column of S is carried to the new frame and gains e ∂f/∂q_i:
//   S_i ← e g_i + X S_i,   Ṡ_i ← e ġ_i + X Ṡ_i + Ẋ S_i,   Ẋ = −ad(e ḟ) X = −X ad(e ḟ),   ḟ = Σ g_i q̇_i
// (RM Alg. 3 and 4 with the time derivative taken at once; −ad(a) b = ad(b) a.)
#include "core/joints/joints.h"
#include "core/math/spatial.h"

#include <string.h>

void mb_product_begin(MbProduct *product, size_t n, const double *v, MbPose *Q, double *S, double *Sdot) {
  *product = (MbProduct){.n = n, .v = v, .Q = Q, .S = S, .Sdot = Sdot};
  mb_pose_identity(Q);
  memset(S, 0, 6 * n * sizeof *S);
  memset(Sdot, 0, 6 * n * sizeof *Sdot);
}

// y ← Ad(E⁻¹) x for E = (R, p):  ω' = Rᵀω,  v' = Rᵀ(v − p × ω); y may be x
static void carry(double y[6], const MbPose *E, const double x[6]) {
  double t[3];
  mb_vec3_cross(t, E->p, x);
  mb_vec3_sub(t, x + 3, t);
  mb_quat_unrotate(y, E->q, x);
  mb_quat_unrotate(y + 3, E->q, t);
}

void mb_product_factor(MbProduct *product, const double e[6], double f, const double *g, const double *gdot) {
  double twist[6], fdot = 0;
  MbPose E;
  for (int k = 0; k < 6; k++) twist[k] = f * e[k];
  for (size_t i = 0; i < product->n; i++) fdot += g[i] * product->v[i];
  mb_se3_exp(&E, twist);
  mb_pose_mul(product->Q, product->Q, &E);
  for (size_t i = 0; i < product->n; i++) {
    double *S = product->S + 6 * i, *Sdot = product->Sdot + 6 * i;
    mb_add_bracket(Sdot, -fdot, e, S);
    carry(Sdot, &E, Sdot);
    carry(S, &E, S);
    for (int k = 0; k < 6; k++) S[k] += g[i] * e[k], Sdot[k] += gdot[i] * e[k];
  }
}

void mb_product_coordinate(MbProduct *product, const double e[6], size_t i, double q_i) {
  double g[MB_JOINT_DOFS] = {0};
  static const double none[MB_JOINT_DOFS] = {0};
  g[i] = 1;
  mb_product_factor(product, e, q_i, g, none);
}
