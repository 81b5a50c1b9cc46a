#include "io/trajectory/traj_motion.h"

#include <math.h>
#include <string.h>

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#if defined(__x86_64__) && !defined(MB_SANITIZED)
#define WIDE __attribute__((target_clones("avx2", "default")))
#endif
#endif
#ifndef WIDE
#define WIDE
#endif

#define ROUNDER 0x1.8p52
#define LARGEST 0x1p48

// The integer nearest to y, ties to even; 0 where y is too large or not a number.
static inline uint64_t nearest(double y) {
  const double shifted = (fabs(y) <= LARGEST ? y : 0) + ROUNDER;
  uint64_t bits = 0;
  memcpy(&bits, &shifted, 8);
  return bits - 0x4338000000000000u;
}

// ---- positions --------------------------------------------------------------------------------------------

// x(t0) = x(t1) + (t0 - t1) (v0 + v1) / 2, or x(t2) + (t0 - t2) (v0 + 4 v1 + v2) / 6, in multiples of gain.

WIDE static void trapezoid(size_t n, double s, const double *v0, const double *v1, const uint64_t *q1,
                           uint64_t *restrict p) {
  for (size_t i = 0; i < n; i++) p[i] = q1[i] + nearest(s * (v0[i] + v1[i]));
}

WIDE static void simpson(size_t n, double s, const double *v0, const double *v1, const double *v2,
                         const uint64_t *q2, uint64_t *restrict p) {
  for (size_t i = 0; i < n; i++) p[i] = q2[i] + nearest(s * ((v0[i] + v2[i]) + 4 * v1[i]));
}

enum { TILE = 3 * 64 }; // numbers

// Velocities of n numbers from the tile's first on, gathered where others lie between them. (Those have 3
// numbers an item.)
static const double *gather(const MbMotionRow *r, size_t back, size_t at, size_t n, double out[TILE]) {
  const size_t step = r->motion->step;
  const double *row = r->motion->velocity + (r->row - back) * r->motion->stride + r->item * step;
  if (step == r->width) return row + at;
  row += at / 3 * step;
  for (size_t i = 0; i < n; i += 3, row += step)
    for (size_t k = 0; k < 3; k++) out[i + k] = row[k];
  return out;
}

static double scale(const MbMotionRow *r) {
  const double *t = r->motion->time + r->row;
  return r->order == 1 ? (t[0] - *(t - 1)) / 2 / r->gain : (t[0] - *(t - 2)) / 6 / r->gain;
}

// Predictions of n numbers from the `at`th on.
static void predict_tile(const MbMotionRow *r, double s, size_t at, size_t n, uint64_t p[TILE]) {
  double room[3][TILE];
  const double *v0 = gather(r, 0, at, n, room[0]), *v1 = gather(r, 1, at, n, room[1]);
  if (r->order == 1)
    trapezoid(n, s, v0, v1, r->q1 + at, p);
  else
    simpson(n, s, v0, v1, gather(r, 2, at, n, room[2]), r->q2 + at, p);
}

// ---- rotations --------------------------------------------------------------------------------------------

// q(t0) = exp(u) q(begin), u half the rotation vector of the way between, by Magnus' series to the fourth
// order, in world axes:
//   u = h/4 (w0 + w1) + h^2/24 w0 x w1             h = t0 - t1
//   u = h/12 (w0 + 4 w1 + w2) + h^2/24 w0 x w2     h = t0 - t2
typedef struct Turning {
  const double *w0, *w1, *w2; // of the next item
  double mean, cross, gain, inverse;
  unsigned order;
} Turning;

static Turning turning(const MbMotionRow *r) {
  const MbMotion *m = r->motion;
  const double *t = m->time + r->row, *w0 = m->velocity + r->row * m->stride + m->step * r->item;
  const double h = r->order == 1 ? t[0] - *(t - 1) : t[0] - *(t - 2);
  return (Turning){.w0 = w0,
                   .w1 = w0 - m->stride,
                   .w2 = r->order == 1 ? NULL : w0 - 2 * m->stride,
                   .mean = r->order == 1 ? h / 4 : h / 12,
                   .cross = h * h / 24,
                   .gain = r->gain,
                   .inverse = 1 / r->gain,
                   .order = r->order};
}

// Predicted quaternion p of the item that begins at b.
static void turn(const Turning *t, const uint64_t *b, double p[4]) {
  const double *w0 = t->w0, *w1 = t->w1, *back = t->order == 1 ? t->w1 : t->w2;
  double u[3];
  for (int k = 0; k < 3; k++)
    u[k] = t->mean * (t->order == 1 ? w0[k] + w1[k] : (w0[k] + back[k]) + 4 * w1[k]);
  u[0] += t->cross * (w0[1] * back[2] - w0[2] * back[1]);
  u[1] += t->cross * (w0[2] * back[0] - w0[0] * back[2]);
  u[2] += t->cross * (w0[0] * back[1] - w0[1] * back[0]);

  // cosine and sine over angle of |u|
  const double s = (u[0] * u[0] + u[1] * u[1]) + u[2] * u[2];
  const double c = 1 - s * (1.0 / 2) * (1 - s * (1.0 / 12) * (1 - s * (1.0 / 30) * (1 - s * (1.0 / 56))));
  const double f = 1 - s * (1.0 / 6) * (1 - s * (1.0 / 20) * (1 - s * (1.0 / 42) * (1 - s * (1.0 / 72))));
  const double x = f * u[0], y = f * u[1], z = f * u[2];
  double q[4];
  for (int k = 0; k < 4; k++) q[k] = (double)(int64_t)b[k] * t->gain;
  p[0] = c * q[0] - ((x * q[1] + y * q[2]) + z * q[3]);
  p[1] = c * q[1] + ((x * q[0] + y * q[3]) - z * q[2]);
  p[2] = c * q[2] + ((y * q[0] + z * q[1]) - x * q[3]);
  p[3] = c * q[3] + ((z * q[0] + x * q[2]) - y * q[1]);
}

// The component of largest size: the others and the length 1 say what it is.
static int largest(const double p[4]) {
  int m = 0;
  for (int k = 1; k < 4; k++)
    if (fabs(p[k]) > fabs(p[m])) m = k;
  return m;
}

static uint64_t from_length(const Turning *t, const uint64_t *q, int m, double sign) {
  double rest = 1;
  for (int k = 0; k < 4; k++) {
    if (k == m) continue;
    const double x = (double)(int64_t)q[k] * t->gain;
    rest -= x * x;
  }
  const double root = rest > 0 ? sqrt(rest) : 0;
  return nearest((sign < 0 ? -root : root) * t->inverse);
}

// One item: from q to d, or from d to q.
static inline void turn_item(const Turning *t, const uint64_t *b, bool forward, const uint64_t *in,
                             uint64_t *out) {
  double p[4];
  turn(t, b, p);
  const int m = largest(p);
  for (int k = 0; k < 4; k++) {
    if (k == m) continue;
    const uint64_t guess = nearest(p[k] * t->inverse);
    out[k] = forward ? in[k] - guess : in[k] + guess;
  }
  const uint64_t guess = from_length(t, forward ? in : out, m, p[m]);
  out[m] = forward ? in[m] - guess : in[m] + guess;
}

static void turn_items(const MbMotionRow *r, bool forward, const uint64_t *in, uint64_t *out) {
  Turning t = turning(r);
  const uint64_t *b = r->order == 1 ? r->q1 : r->q2;
  const size_t step = r->motion->step;
  for (size_t i = 0; i < r->items; i++, b += 4, in += 4, out += 4) {
    turn_item(&t, b, forward, in, out);
    t.w0 += step;
    t.w1 += step;
    if (t.w2) t.w2 += step;
  }
}

// ---- rows -------------------------------------------------------------------------------------------------

void mb_motion_residual(const MbMotionRow *r, const uint64_t *q0, uint64_t *restrict d) {
  if (r->motion->kind == MB_MOTION_ROTATION) {
    turn_items(r, true, q0, d);
    return;
  }
  const size_t cols = r->items * r->width;
  const double s = scale(r);
  for (size_t at = 0; at < cols; at += TILE) {
    uint64_t p[TILE];
    const size_t n = cols - at < TILE ? cols - at : TILE;
    predict_tile(r, s, at, n, p);
    for (size_t i = 0; i < n; i++) d[at + i] = q0[at + i] - p[i];
  }
}

void mb_motion_integrate(const MbMotionRow *r, const uint64_t *d, uint64_t *restrict q0) {
  if (r->motion->kind == MB_MOTION_ROTATION) {
    turn_items(r, false, d, q0);
    return;
  }
  const size_t cols = r->items * r->width;
  const double s = scale(r);
  for (size_t at = 0; at < cols; at += TILE) {
    uint64_t p[TILE];
    const size_t n = cols - at < TILE ? cols - at : TILE;
    predict_tile(r, s, at, n, p);
    for (size_t i = 0; i < n; i++) q0[at + i] = d[at + i] + p[i];
  }
}
