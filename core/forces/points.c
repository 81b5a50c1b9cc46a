// Points that move with bodies, what forces at them are to bodies, and paths through them (points.h has the derivation).
#include "core/forces/points.h"
#include "core/base/targets.h"
#include "core/forces/forces.h"
#include "core/forces/path_turn.h"

#include <string.h>

MB_CLONES void mb_point_at(const MbForce *force, const MbMaximal *x, size_t i, MbMovingPoint *point) {
  const MbForcePoint *at = &force->points[i];
  *point = (MbMovingPoint){0};
  if (at->body == MB_WORLD) {
    mb_vec3_copy(point->x, at->at.p);
    return;
  }
  const MbPose *E = &x->E[at->body];
  const double *phi = x->phi + 6 * at->body, *r = at->at.p;
  double a[3], X[9], RX[9];
  mb_pose_point(point->x, E, r);
  mb_quat_to_mat3(point->R, E->q);
  mb_vec3_cross(a, phi, r);
  mb_vec3_add(a, a, phi + 3);
  mb_mat3_apply(point->xdot, point->R, a);
  mb_mat3_cross(X, r);
  mb_mat3_mul(RX, point->R, X);
  for (int m = 0; m < 3; m++)
    for (int n = 0; n < 3; n++) {
      point->G[6 * m + n] = -RX[3 * m + n];
      point->G[6 * m + n + 3] = point->R[3 * m + n];
    }
  mb_mat3_cross(X, a);
  mb_mat3_mul(RX, point->R, X);
  for (int m = 0; m < 9; m++) point->H[m] = -RX[m];
}

// The first `columns` columns of B += Gᵀ A, with A of 3 x columns, B of 6 x 6: as many rows of vectors where that is known
static inline __attribute__((always_inline)) void add_mapped(double *restrict B, const double G[18],
                                                             const double *A, int columns) {
  for (int m = 0; m < 6; m++)
    for (int n = 0; n < columns; n++)
      B[6 * m + n] += G[m] * A[n] + G[6 + m] * A[columns + n] + G[12 + m] * A[2 * columns + n];
}

static void add_wrench(const MbForce *force, MbMaximal *x, size_t i, const MbMovingPoint *point,
                       const double f[3]) {
  const size_t b = force->points[i].body;
  for (size_t m = 0; m < 6 && b != MB_WORLD; m++)
    x->f[6 * b + m] += point->G[m] * f[0] + point->G[6 + m] * f[1] + point->G[12 + m] * f[2];
}

void mb_point_push(const MbForce *force, MbMaximal *x, size_t i, const MbMovingPoint *point,
                   const double f[3]) {
  const size_t b = force->points[i].body;
  if (b == MB_WORLD) return;
  add_wrench(force, x, i, point, f);
  if (!mb_force_stiffens(force, x) || x->safe) return;
  double F[9], turn[9];
  mb_mat3_cross(F, f);
  mb_mat3_mul(turn, F, point->R);
  add_mapped(x->K + 36 * b, point->G, turn, 3);
  mb_force_stays(x, b, f);
}

// AG = A G, of 3 x 3 and 3 x 6
static void to_body(double AG[18], const double A[9], const double G[18]) {
  for (int m = 0; m < 3; m++)
    for (int n = 0; n < 6; n++)
      AG[6 * m + n] = A[3 * m] * G[n] + A[3 * m + 1] * G[6 + n] + A[3 * m + 2] * G[12 + n];
}

MB_CLONES void mb_points_couple(const MbForce *force, MbMaximal *x, size_t i, const MbMovingPoint *pi,
                                size_t j, const MbMovingPoint *pj, const double P[9], const double V[9]) {
  const size_t place = force->block[i * force->npoints + j];
  if (place == MB_WORLD || !mb_force_counts(force, x)) return;
  double PG[18], VG[18], VH[9];
  if (!x->K) {
    to_body(VG, V, pj->G);
    add_mapped(x->D + place, pi->G, VG, 6);
    return;
  }
  for (int m = 0; m < 3; m++) // both at once, as this is done for each pair of points in each step
    for (int n = 0; n < 6; n++) {
      PG[6 * m + n] = P[3 * m] * pj->G[n] + P[3 * m + 1] * pj->G[6 + n] + P[3 * m + 2] * pj->G[12 + n];
      VG[6 * m + n] = V[3 * m] * pj->G[n] + V[3 * m + 1] * pj->G[6 + n] + V[3 * m + 2] * pj->G[12 + n];
    }
  mb_mat3_mul(VH, V, pj->H);
  add_mapped(x->K + place, pi->G, PG, 6);
  add_mapped(x->K + place, pi->G, VH, 3);
  add_mapped(x->D + place, pi->G, VG, 6);
}

// ---- two points that want to be one -----------------------------------------------------------------------

void mb_points_join(const MbForce *force, MbMaximal *x, double k, double d) {
  MbMovingPoint point[2];
  double f[2][3];
  for (size_t i = 0; i < 2; i++) mb_point_at(force, x, i, &point[i]);
  for (int m = 0; m < 3; m++) {
    f[0][m] = k * (point[1].x[m] - point[0].x[m]) + d * (point[1].xdot[m] - point[0].xdot[m]);
    f[1][m] = -f[0][m];
  }
  for (size_t i = 0; i < 2; i++) mb_point_push(force, x, i, &point[i], f[i]);
  for (size_t i = 0; i < 2; i++)
    for (size_t j = 0; j < 2; j++) {
      const double sign = i == j ? -1 : 1;
      double P[9] = {0}, V[9] = {0};
      P[0] = P[4] = P[8] = sign * k, V[0] = V[4] = V[8] = sign * d;
      mb_points_couple(force, x, i, &point[i], j, &point[j], P, V);
    }
}

double mb_points_join_energy(const MbForce *force, const MbMaximal *x, double k) {
  MbMovingPoint point[2];
  double dx[3];
  for (size_t i = 0; i < 2; i++) mb_point_at(force, x, i, &point[i]);
  mb_vec3_sub(dx, point[1].x, point[0].x);
  return k * mb_vec3_dot(dx, dx) / 2;
}

// ---- paths ------------------------------------------------------------------------------------------------

double mb_path_direction(const double a[3], const double b[3], double u[3], double *inverse) {
  static const double ROUNDING = 1e-15; // of a difference of coordinates, relative to them
  double dx[3];
  mb_vec3_sub(dx, b, a);
  const double l = mb_vec3_norm(dx);
  *inverse = l > ROUNDING * (mb_vec3_norm(a) + mb_vec3_norm(b)) ? 1 / l : 0;
  if (!isfinite(*inverse)) *inverse = 0;
  mb_vec3_scale(u, *inverse, dx);
  return l;
}

void mb_path_at(const MbForce *force, const MbMaximal *x, uint32_t passive, MbPath *path) {
  path->n = force->npoints, path->passive = passive;
  path->length = path->rate = 0;
  for (size_t i = 0; i < path->n; i++) mb_point_at(force, x, i, &path->point[i]);
  for (size_t s = 0; s + 1 < path->n; s++) {
    const MbMovingPoint *a = &path->point[s], *b = &path->point[s + 1];
    double dv[3];
    mb_vec3_sub(dv, b->xdot, a->xdot);
    const double l = mb_path_direction(a->x, b->x, path->u[s], &path->inverse[s]);
    if (passive >> s & 1) continue;
    path->length += l;
    path->rate += mb_vec3_dot(path->u[s], dv);
  }
}

// A += s (1 − u uᵀ)
static void add_across(double A[9], double s, const double u[3]) {
  for (int m = 0; m < 3; m++)
    for (int n = 0; n < 3; n++) A[3 * m + n] += s * ((m == n ? 1 : 0) - u[m] * u[n]);
}

// g = ∂F/∂x_j and c = ∂L/∂x_j = ∂L̇/∂ẋ_j
//   c_j = α_{j−1} u_{j−1} − α_j u_j,   g_j = F_L c_j + y_{j−1} − y_j,   y_s = α_s (F_L̇ / l_s) (1 − u uᵀ) Δẋ_s
static void tension_gradient(const MbPath *path, size_t j, double F_length, double F_rate, bool turning,
                             double g[3], double c[3]) {
  mb_vec3_set(g, 0, 0, 0);
  mb_vec3_set(c, 0, 0, 0);
  for (size_t side = 0; side < 2; side++) { // the segment that ends in j, the one that begins there
    if ((side == 0 && j == 0) || (side == 1 && j + 1 == path->n)) continue;
    const size_t s = side ? j : j - 1;
    const double sign = side ? -1 : 1, *u = path->u[s];
    double dv[3];
    if (path->passive >> s & 1) continue;
    mb_vec3_add_scaled(c, c, sign, u);
    mb_vec3_add_scaled(g, g, sign * F_length, u);
    if (!turning) continue;
    mb_vec3_sub(dv, path->point[s + 1].xdot, path->point[s].xdot);
    mb_vec3_add_scaled(dv, dv, -mb_vec3_dot(u, dv), u);
    mb_vec3_add_scaled(g, g, sign * F_rate * path->inverse[s], dv);
  }
}

// P = v_i g_jᵀ + F ∂v_i/∂x_j, the second part for F = `across`
static void stiffness(const MbPath *path, size_t i, size_t j, double across, const double vi[3],
                      const double g[3], double P[9]) {
  for (int k = 0; k < 3; k++)
    for (int l = 0; l < 3; l++) P[3 * k + l] = vi[k] * g[l];
  if (i == j && i + 1 < path->n) add_across(P, -across * path->inverse[i], path->u[i]);
  if (i == j && i > 0) add_across(P, -across * path->inverse[i - 1], path->u[i - 1]);
  if (j == i + 1) add_across(P, across * path->inverse[i], path->u[i]);
  if (i == j + 1) add_across(P, across * path->inverse[j], path->u[j]);
}

// v_i = u_i − u_{i−1}
static void at_points(size_t n, double u[][3], double v[][3]) {
  for (size_t i = 0; i < n; i++) {
    mb_vec3_set(v[i], 0, 0, 0);
    if (i + 1 < n) mb_vec3_add(v[i], v[i], u[i]);
    if (i > 0) mb_vec3_sub(v[i], v[i], u[i - 1]);
  }
}

// Linearises the path where it turns to: what it pulls besides, and v_i of the directions to come. The pull at the step's end is what bodies
// turn under, and F v_i is as good as that.
static void push_turned(const MbForce *force, MbMaximal *x, const MbTension *tension, MbPath *path,
                        double v[][3]) {
  double extra[MB_PATH_MOST][3], f[MB_PATH_MOST][3];
  if (!mb_path_turn(force, x, tension, path, extra, NULL)) return;
  at_points(path->n, extra, f);
  for (size_t i = 0; i < path->n; i++) add_wrench(force, x, i, &path->point[i], f[i]);
  at_points(path->n, path->u, v);
}

// f_i = F v_i, v_i = u_i − u_{i−1};  ∂f_i/∂x_j = v_i g_jᵀ + F ∂v_i/∂x_j,  ∂f_i/∂ẋ_j = F_L̇ v_i c_jᵀ  (AR 0.12, 0.14).
// The change of the rate with the direction counts only where every derivative does (RM 1.67 has none). With passive segments v_i is not c_i,
// and where not every derivative counts, V_ij is the mean of itself and of V_jiᵀ: A has D symmetrised, and a step of one solution takes
// from f the D v that A gives back. Where A must be definite, the sideways push of a path under compression, F/l (1 − u uᵀ) with F < 0, and a tension that falls with
// the length are left out too.
void mb_path_pull(const MbForce *force, MbMaximal *x, MbPath *path, double F, double F_length,
                  double F_rate) {
  const size_t n = path->n;
  double v[MB_PATH_MOST][3];
  at_points(n, path->u, v);
  for (size_t i = 0; i < n; i++) {
    double f[3];
    mb_vec3_scale(f, F, v[i]);
    mb_point_push(force, x, i, &path->point[i], f);
  }
  if (!mb_force_counts(force, x)) return;
  const double across = x->safe ? fmax(F, 0) : F;
  if (x->safe) F_length = fmax(F_length, 0);
  if (x->ahead > 0 && x->K)
    push_turned(force, x, &(MbTension){.F = F, .F_length = F_length, .F_rate = F_rate, .across = across},
                path, v);
  double g[MB_PATH_MOST][3], c[MB_PATH_MOST][3];
  for (size_t j = 0; j < n; j++) tension_gradient(path, j, F_length, F_rate, x->exact, g[j], c[j]);
  const bool mean = path->passive && !x->exact;
  for (size_t j = 0; j < n; j++) {
    for (size_t i = 0; i < n; i++) {
      double P[9] = {0}, V[9];
      for (int k = 0; k < 3; k++)
        for (int l = 0; l < 3; l++)
          V[3 * k + l] =
              mean ? F_rate * (v[i][k] * c[j][l] + c[i][k] * v[j][l]) / 2 : F_rate * v[i][k] * c[j][l];
      if (x->K) stiffness(path, i, j, across, v[i], g[j], P);
      mb_points_couple(force, x, i, &path->point[i], j, &path->point[j], P, V);
    }
  }
}
