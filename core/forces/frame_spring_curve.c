// How K and D of a frame_spring's torques change with the bodies' motion. Of twists z, y, … the angular parts alone count. With p_z = R_1Aᵀ z_A − R_2Bᵀ z_B, seen in each body's
// frame, and Δ the difference of B's and A's in W, what frame_spring.c has of K and D comes to
//
//   zᵀ K y = k_r p_z·(J R_2Bᵀ y_B − Jᵀ R_1Aᵀ y_A) − d_r (z_A·(ω_B × Δy) − z_B·(ω_A × Δy))
//   zᵀ D x = −d_r Δz·Δx,                                                                        J = J_r⁻¹ = 1 + ½ [r] + e(r²) [r]²
//
// Torques of the springs are functions of r alone, moved by  δr = J b − Jᵀ a,  a = R_1Aᵀ θ_A, b = R_2Bᵀ θ_B.
#include "core/forces/frame_spring_curve.h"
#include "core/forces/frame_spring.h"
#include "core/forces/point_curve.h"

// e = d of the logarithm (se3.h) by r².
static double slope_of_e(double x2) {
  static const double NEAR = 0.25;
  if (x2 < NEAR)
    return 1.0 / 720 + x2 * (2.0 / 30240 +
                             x2 * (3.0 / 1209600 + x2 * (4.0 / 47900160 + x2 * (5 * 691.0 / 1307674368000))));
  const double x = sqrt(x2) / 2, c = x * cos(x) / sin(x);
  return -((c - x * x / (sin(x) * sin(x))) / (8 * x * x)) / x2 - (1 - c) / (x2 * x2);
}

// by_r += s ∂(p·J q)/∂r
static void add_by_turn(const double r[3], double s, const double p[3], const double q[3], double by_r[3]) {
  const double r2 = mb_vec3_dot(r, r), e = mb_log_d(r2), pr = mb_vec3_dot(p, r), qr = mb_vec3_dot(q, r),
               pq = mb_vec3_dot(p, q);
  mb_add_cross(by_r, s / 2, q, p);
  mb_vec3_add_scaled(by_r, by_r, s * e * qr, p);
  mb_vec3_add_scaled(by_r, by_r, s * e * pr, q);
  mb_vec3_add_scaled(by_r, by_r, s * (2 * slope_of_e(r2) * (pr * qr - r2 * pq) - 2 * e * pq), r);
}

// The turning parts of a twist of each of the two bodies, in the frames' axes.
static void in_frames(const MbForce *force, const double *const R[2], const double *twist, double own[2][3]) {
  for (size_t i = 0; i < 2; i++) {
    mb_vec3_set(own[i], 0, 0, 0);
    if (force->points[i].body != MB_WORLD) mb_mat3_tapply(own[i], R[i], twist + 6 * force->points[i].body);
  }
}

// by_r += s times what p_z·(J y_B − Jᵀ y_A) changes by
static void add_spring(const double r[3], double s, double z[2][3], double y[2][3], double by_r[3]) {
  double p[3];
  mb_vec3_sub(p, z[0], z[1]);
  add_by_turn(r, s, p, y[1], by_r);
  add_by_turn(r, -s, y[0], p, by_r);
}

static void springs(const MbForce *force, const MbForceCurve *at, const double *const R[2], const double r[3],
                    const double J[9]) {
  const double k = ((const MbFrameSpring *)force->parameters)->stiffness[1];
  double z[2][3], y1[2][3], y2[2][3], by_r[3] = {0}, own[3], turn[3];
  in_frames(force, R, at->z, z), in_frames(force, R, at->y1, y1), in_frames(force, R, at->y2, y2);
  add_spring(r, k / 2, z, y1, by_r);
  add_spring(r, k / 2, y2, z, by_r);
  for (size_t i = 0; i < 2; i++) {
    const size_t b = force->points[i].body;
    if (b == MB_WORLD) continue;
    if (i)
      mb_mat3_tapply(own, J, by_r);
    else
      mb_mat3_apply(own, J, by_r);
    mb_mat3_apply(turn, R[i], own);
    mb_vec3_add_scaled(at->by_move + 6 * b, at->by_move + 6 * b, i ? 1 : -1, turn);
  }
}

// ---- dampers ------------------------------------------------------------------------------------------------------

enum { SPIN, Z, X1, X2, Y1, Y2, VECTORS };

// Of both bodies in W, and what is felt by them.
typedef struct Turning {
  double at[VECTORS][2][3], felt[VECTORS][2][3];
} Turning;

// s w·Δ: of both ends
static void felt_apart(double felt[2][3], double s, const double w[3]) {
  mb_vec3_add_scaled(felt[1], felt[1], s, w);
  mb_vec3_add_scaled(felt[0], felt[0], -s, w);
}

// s z_i·(ω_j × Δy), i and j the two ends
static void felt_spin(Turning *t, double s, size_t i, int z, int y) {
  double(*const w)[3] = t->at[SPIN], (*const zs)[3] = t->at[z], (*const ys)[3] = t->at[y];
  double by[3], across[3];
  mb_vec3_sub(by, ys[1], ys[0]);
  mb_add_cross(t->felt[z][i], s, w[1 - i], by);
  mb_add_cross(t->felt[SPIN][1 - i], s, by, zs[i]);
  mb_vec3_cross(across, zs[i], w[1 - i]);
  felt_apart(t->felt[y], s, across);
}

static void dampers(const MbForce *force, const MbMaximal *x, const MbForceCurve *at) {
  const double d = ((const MbFrameSpring *)force->parameters)->damping[1];
  const double *const twists[VECTORS] = {x->phi, at->z, at->x1, at->x2, at->y1, at->y2};
  Turning t = {0};
  double z[3], by[3];
  for (size_t i = 0; i < 2; i++)
    for (size_t k = 0; k < VECTORS && force->points[i].body != MB_WORLD; k++)
      mb_quat_rotate(t.at[k][i], x->E[force->points[i].body].q, twists[k] + 6 * force->points[i].body);
  mb_vec3_sub(z, t.at[Z][1], t.at[Z][0]);
  for (int k = X1; k <= X2; k++) {
    mb_vec3_sub(by, t.at[k][1], t.at[k][0]);
    felt_apart(t.felt[k], -d / 2, z);
    felt_apart(t.felt[Z], -d / 2, by);
  }
  for (size_t i = 0; i < 2; i++) {
    felt_spin(&t, i ? d / 2 : -d / 2, i, Z, Y1);
    felt_spin(&t, i ? d / 2 : -d / 2, i, Y2, Z);
  }
  for (size_t i = 0; i < 2; i++) {
    const size_t b = force->points[i].body;
    for (size_t k = 0; k < VECTORS && b != MB_WORLD; k++) {
      double own[3];
      mb_quat_unrotate(own, x->E[b].q, t.felt[k][i]);
      mb_add_cross(at->by_move + 6 * b, 1, twists[k] + 6 * b, own);
      if (k == SPIN) mb_vec3_add(at->by_phi + 6 * b, at->by_phi + 6 * b, own);
    }
  }
}

void mb_frame_turn_curve(const MbForce *force, const MbMaximal *x, const MbForceCurve *at,
                         const double *const R[2], const double r[3], const double J[9]) {
  springs(force, at, R, r, J);
  dampers(force, x, at);
}
