// How the swing s(ω, I) of a body that flies changes, step by step of model/flight_body.h along six directions at once, three of ω and three of I: of turns δ of
// what has been turned so far, in its own axes, and of Π. A turn E by α about an axis e makes of these
//
//   δ ← Eᵀ δ + e δα,     δΠ ← Eᵀ δΠ + (Eᵀ Π) × e δα
//
// and with exp(h ω̄) the whole turn,  h δω̄ = J_r(h ω̄)⁻¹ δ.  A ball has no swing, but one beside it has: so nothing is left out where it is small.
#include "core/sim/tangent_swing.h"
#include "core/base/targets.h"
#include "core/math/se3.h"
#include "core/model/flight_body.h"

#include <string.h>

enum { WAYS = 6, SPINS = 3 }; // ω, then I

typedef struct Turning {
  double turn[4], P[3];
  double delta[3][WAYS], dP[3][WAYS];
} Turning;

// Of an axis, whose turn is `by` times Π along it; dby is how that changes with each direction.
MB_INLINE void turn_about(Turning *t, int ways, int e, double by, const double dby[WAYS]) {
  const double half = by * t->P[e] / 2, ch = cos(half), sh = sin(half);
  const double c = 1 - 2 * sh * sh, s = 2 * sh * ch;
  const int i = (e + 1) % 3, j = (e + 2) % 3;
  double about[4] = {ch, 0, 0, 0}, dalpha[WAYS];
  about[1 + e] = sh;
  mb_quat_mul(t->turn, t->turn, about);
  for (int k = 0; k < ways; k++) dalpha[k] = by * t->dP[e][k] + t->P[e] * dby[k];
  const double Pi = c * t->P[i] + s * t->P[j], Pj = c * t->P[j] - s * t->P[i];
  for (int k = 0; k < ways; k++) {
    const double di = t->delta[i][k], dj = t->delta[j][k], pi = t->dP[i][k], pj = t->dP[j][k];
    t->delta[i][k] = c * di + s * dj, t->delta[j][k] = c * dj - s * di, t->delta[e][k] += dalpha[k];
    t->dP[i][k] = c * pi + s * pj + Pj * dalpha[k], t->dP[j][k] = c * pj - s * pi - Pi * dalpha[k];
  }
  t->P[i] = Pi, t->P[j] = Pj;
}

// x ← x + a [v] x + b [v]² x
MB_INLINE void stretch(double a, double b, const double v[3], double x[3]) {
  double one[3], two[3];
  mb_vec3_cross(one, v, x);
  mb_vec3_cross(two, v, one);
  for (int i = 0; i < 3; i++) x[i] += a * one[i] + b * two[i];
}

// The first turn, h Π/I_r.
MB_INLINE void begin(double h, int ways, double inverse, int r, const double I[3], const double w[3],
                     Turning *t) {
  double mean[3];
  memset(t, 0, sizeof *t);
  for (int i = 0; i < 3; i++) t->P[i] = I[i] * w[i], t->dP[i][i] = I[i], t->dP[i][3 + i] = w[i];
  mb_vec3_scale(mean, h * inverse, t->P);
  mb_quat_exp(t->turn, mean);
  const double x2 = mb_vec3_dot(mean, mean), half = mb_half_sinc(x2), c = mb_exp_c(x2);
  for (int k = 0; k < ways; k++) {
    double d[3];
    for (int i = 0; i < 3; i++) d[i] = h * inverse * (t->dP[i][k] - (k == 3 + r ? inverse * t->P[i] : 0));
    stretch(-2 * half * half, c, mean, d);
    for (int i = 0; i < 3; i++) t->delta[i][k] = d[i];
  }
}

// The swing of a turn h ω̄ = v.
MB_INLINE void end(double h, int ways, const double I[3], const double w[3], const double v[3],
                   const Turning *t, MbSwingSlopes *out) {
  const double d = mb_log_d(mb_vec3_dot(v, v));
  for (int i = 0; i < 3; i++) out->s[i] = I[i] * (v[i] / h - w[i]);
  for (int k = 0; k < ways; k++) {
    double x[3] = {t->delta[0][k], t->delta[1][k], t->delta[2][k]};
    stretch(0.5, d, v, x);
    for (int i = 0; i < 3; i++)
      (k < 3 ? out->by_w : out->by_I)[3 * i + k % 3] =
          I[i] * x[i] / h - (k == i ? I[i] : 0) + (k == 3 + i ? v[i] / h - w[i] : 0);
  }
}

// Of a body whose axes are r, a and b of model/flight_body.h in this order.
MB_INLINE void ordered_swing(double h, int ways, const double I[3], const double w[3], MbSwingSlopes *out) {
  enum { R, A, B };
  const double inverse[3] = {1 / I[R], 1 / I[A], 1 / I[B]};
  const double da = inverse[A] - inverse[R], db = inverse[B] - inverse[R];
  double near[3], v[3], by_a[WAYS] = {0}, by_b[WAYS] = {0}, half_a[WAYS];
  Turning t;
  begin(h, ways, inverse[R], R, I, w, &t);
  const double parts = ceil(h * mb_vec3_norm(t.P) * sqrt(fabs(da * db)) / MB_FLIGHT_FINE);
  const int n = parts < MB_FLIGHT_MOST ? (parts > 1 ? (int)parts : 1) : MB_FLIGHT_MOST;
  const double part = h / n;
  by_a[3 + A] = -part * inverse[A] * inverse[A], by_b[3 + B] = -part * inverse[B] * inverse[B];
  by_a[3 + R] = by_b[3 + R] = part * inverse[R] * inverse[R];
  for (int k = 0; k < WAYS; k++) half_a[k] = by_a[k] / 2;
  turn_about(&t, ways, A, part / 2 * da, half_a);
  for (int k = 0; k + 1 < n; k++) {
    turn_about(&t, ways, B, part * db, by_b);
    turn_about(&t, ways, A, part * da, by_a);
  }
  turn_about(&t, ways, B, part * db, by_b);
  turn_about(&t, ways, A, part / 2 * da, half_a);
  mb_quat_normalise(t.turn);
  mb_vec3_scale(near, h, w);
  mb_flight_vector_of(t.turn, near, v);
  end(h, ways, I, w, v, &t, out);
}

// Axes follow one another in a circle, from r on.
MB_INLINE void long_swing_of(double h, int ways, const double I[3], const double w[3], MbSwingSlopes *out) {
  const double inverse[3] = {1 / I[0], 1 / I[1], 1 / I[2]};
  int axis[3] = {0, 1, 2};
  mb_flight_choose_axes(inverse, axis);
  const double Ir[3] = {I[axis[0]], I[axis[1]], I[axis[2]]}, wr[3] = {w[axis[0]], w[axis[1]], w[axis[2]]};
  MbSwingSlopes own;
  ordered_swing(h, ways, Ir, wr, &own);
  for (int i = 0; i < 3; i++) {
    out->s[axis[i]] = own.s[i];
    for (int k = 0; k < 3; k++) {
      out->by_w[3 * axis[i] + axis[k]] = own.by_w[3 * i + k];
      if (ways > SPINS) out->by_I[3 * axis[i] + axis[k]] = own.by_I[3 * i + k];
    }
  }
}

#define ALL_INSIDE __attribute__((flatten)) // with steps whose ways and axes are known
MB_CLONES ALL_INSIDE static void long_swing(double h, const double I[3], const double w[3],
                                            MbSwingSlopes *out) {
  long_swing_of(h, WAYS, I, w, out);
}

MB_CLONES ALL_INSIDE static void long_spin(double h, const double I[3], const double w[3],
                                           MbSwingSlopes *out) {
  long_swing_of(h, SPINS, I, w, out);
}
#undef ALL_INSIDE

// x ← a × b and how it changes, of a and b and theirs
static void cross_of(const double a[3], const double da[3], const double b[3], const double db[3],
                     double x[3], double dx[3]) {
  double t[3];
  mb_vec3_cross(x, a, b);
  mb_vec3_cross(dx, da, b);
  mb_vec3_cross(t, a, db);
  mb_vec3_add(dx, dx, t);
}

// x ← y/I
static void divide(const double I[3], const double y[3], const double dy[3], const double dI[3], double x[3],
                   double dx[3]) {
  for (int i = 0; i < 3; i++) x[i] = y[i] / I[i], dx[i] = (dy[i] - x[i] * dI[i]) / I[i];
}

// Along one direction by the series.
static void short_way(double h, const double I[3], const double w[3], int k, MbSwingSlopes *out) {
  double dw[3] = {0}, dI[3] = {0}, P[3], dP[3], t1[3], dt1[3], w1[3], dw1[3], t2[3], dt2[3], w2[3], dw2[3];
  double t3[3], dt3[3], bend[3], dbend[3], more[3], dmore[3];
  (k < 3 ? dw : dI)[k % 3] = 1;
  for (int i = 0; i < 3; i++) P[i] = I[i] * w[i], dP[i] = I[i] * dw[i] + dI[i] * w[i];
  cross_of(P, dP, w, dw, t1, dt1);
  divide(I, t1, dt1, dI, w1, dw1);
  cross_of(t1, dt1, w, dw, t2, dt2), cross_of(P, dP, w1, dw1, more, dmore);
  mb_vec3_add(t2, t2, more), mb_vec3_add(dt2, dt2, dmore);
  divide(I, t2, dt2, dI, w2, dw2);
  cross_of(t2, dt2, w, dw, t3, dt3), cross_of(P, dP, w2, dw2, more, dmore);
  mb_vec3_add(t3, t3, more), mb_vec3_add(dt3, dt3, dmore);
  cross_of(t1, dt1, w1, dw1, more, dmore);
  mb_vec3_add_scaled(t3, t3, 2, more), mb_vec3_add_scaled(dt3, dt3, 2, dmore);
  cross_of(w, dw, w1, dw1, bend, dbend), cross_of(w, dw, w2, dw2, more, dmore);
  for (int i = 0; i < 3; i++) {
    out->s[i] = h * (t1[i] / 2 + h * ((t2[i] + I[i] * bend[i] / 2) / 6 + h * (t3[i] + I[i] * more[i]) / 24));
    (k < 3 ? out->by_w : out->by_I)[3 * i + k % 3] =
        h * (dt1[i] / 2 + h * ((dt2[i] + (I[i] * dbend[i] + dI[i] * bend[i]) / 2) / 6 +
                               h * (dt3[i] + I[i] * dmore[i] + dI[i] * more[i]) / 24));
  }
}

void mb_tangent_swing(double h, const double I[3], const double w[3], bool moments, MbSwingSlopes *out) {
  memset(out, 0, sizeof *out);
  if (!(I[0] > 0 && I[1] > 0 && I[2] > 0)) return;
  if (h * h * mb_vec3_dot(w, w) >= MB_FLIGHT_SHORT * MB_FLIGHT_SHORT) {
    (moments ? long_swing : long_spin)(h, I, w, out);
    return;
  }
  // below the shortest turns its first term is all that there is
  for (int k = 0; k < (moments ? WAYS : SPINS); k++) short_way(h, I, w, k, out);
}
