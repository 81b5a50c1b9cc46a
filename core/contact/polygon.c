// One contact with a pyramid, u = D λ + q. As with the exact cone (contact_block.c) it is open, sticks or slips; what slips has u_n = 0, and
//
//   λ_t at a corner c, λ_t = μ λ_n c, where u_t is against it:                    (D_nn + μ D_nt c) λ_n = −q_n
//   or on the side with the normal m between two corners, λ_t = μ λ_n a m + s e,
//   a = cos(π/sides), e along the side, where u_t is along −m:   (D_nn + μ a D_nt m) λ_n + D_nt e s = −q_n
//                                                               e·(D_tn + μ a D_tt m) λ_n + e·D_tt e s = −e·q_t
//
// All corners and sides are tried, those near the last λ_t first, until the natural map is nothing; the best is taken where none is exact, as
// with an infinite force that no pyramid has.
#include "core/contact/polygon.h"

#include <math.h>
#include <string.h>

// A side: its outward normal m, the half of its length and its distance from the middle, of corners at 1.
typedef struct Side {
  double m[2], half, away;
} Side;

static Side side_at(int sides, double at) {
  const double turn = 2 * acos(-1.0) / sides, mid = (at + 0.5) * turn;
  return (Side){{cos(mid), sin(mid)}, sin(0.5 * turn), cos(0.5 * turn)};
}

// The one in whose sector x is, from the one that begins at the first tangent on.
static double sector_of(int sides, const double x[2]) {
  return floor(atan2(x[1], x[0]) * sides / (2 * acos(-1.0)));
}

bool mb_polygon_holds(int sides, double radius, const double x[2]) {
  const Side side = side_at(sides, sector_of(sides, x));
  return side.m[0] * x[0] + side.m[1] * x[1] <= radius * side.away;
}

void mb_polygon_project(int sides, double radius, double x[2], double J[6]) {
  if (J) memset(J, 0, 6 * sizeof *J);
  if (!(radius > 0)) {
    x[0] = x[1] = 0;
    return;
  }
  const Side side = side_at(sides, sector_of(sides, x));
  const double *m = side.m, e[2] = {-m[1], m[0]}, most = radius * side.half;
  const double along = e[0] * x[0] + e[1] * x[1], at = fmin(fmax(along, -most), most);
  if (m[0] * x[0] + m[1] * x[1] <= radius * side.away) {
    if (J) J[1] = J[5] = 1;
    return;
  }
  for (int i = 0; i < 2; i++) {
    x[i] = m[i] * radius * side.away + e[i] * at;
    if (!J) continue;
    J[3 * i] = m[i] * side.away + (at == along ? 0 : e[i] * copysign(side.half, along));
    for (int k = 0; k < 2 && at == along; k++) J[3 * i + 1 + k] = e[i] * e[k];
  }
}

double mb_polygon_reach(int sides, const double x[2]) {
  const double turn = 2 * acos(-1.0) / sides, at = turn * round(atan2(x[1], x[0]) / turn);
  return x[0] * cos(at) + x[1] * sin(at);
}

// Over a side, on the side's plane, or on the edge behind one of its corners.
void mb_polygon_cone_project(int sides, double mu, double lambda[3]) {
  double *x = lambda + 1;
  const Side side = side_at(sides, sector_of(sides, x));
  const double *m = side.m, e[2] = {-m[1], m[0]}, slope = mu * side.away;
  const double out = m[0] * x[0] + m[1] * x[1], along = e[0] * x[0] + e[1] * x[1];
  if (lambda[0] >= 0 && out <= slope * lambda[0]) return;
  const double over = (out - slope * lambda[0]) / (1 + slope * slope), n = lambda[0] + slope * over;
  double at = along;
  if (n >= 0 && fabs(along) <= mu * side.half * n) {
    lambda[0] = n;
  } else {
    const double half = copysign(side.half, along), far = side.away * out + half * along;
    lambda[0] = fmax((lambda[0] + mu * far) / (1 + mu * mu), 0);
    at = mu * half * lambda[0];
  }
  for (int i = 0; i < 2; i++) x[i] = m[i] * slope * lambda[0] + e[i] * at;
}

// ---- slip -------------------------------------------------------------------------------------------------

// (D λ)_n and the part of (D λ)_t along e, of λ = (normal, x).
static void rates_of(const double *D, const double e[2], double normal, const double x[2], double out[2]) {
  out[0] = D[0] * normal + D[1] * x[0] + D[2] * x[1];
  out[1] =
      e[0] * (D[1] * normal + D[4] * x[0] + D[5] * x[1]) + e[1] * (D[2] * normal + D[5] * x[0] + D[8] * x[1]);
}

// False where the corner cannot be it.
static bool at_corner(const MbBlock *block, const double q[3], const double corner[2], double lambda[3]) {
  const double *D = block->D, mu = block->mu, e = D[0] + mu * (D[1] * corner[0] + D[2] * corner[1]);
  if (!(e > 0)) return false;
  lambda[0] = -q[0] / e;
  for (int i = 0; i < 2; i++) lambda[1 + i] = mu * lambda[0] * corner[i];
  return isfinite(lambda[0]);
}

// False where the side cannot be it.
static bool at_side(const MbBlock *block, const double q[3], const Side *side, double lambda[3]) {
  const double e[2] = {-side->m[1], side->m[0]}, mu = block->mu;
  double bound[2] = {mu * side->away * side->m[0], mu * side->away * side->m[1]}, a[2], b[2], c[2];
  rates_of(block->D, e, 1, bound, a);
  rates_of(block->D, e, 0, e, b);
  c[0] = -q[0], c[1] = -(e[0] * q[1] + e[1] * q[2]);
  const double det = a[0] * b[1] - b[0] * a[1];
  if (!(fabs(det) > 0)) return false;
  lambda[0] = (c[0] * b[1] - b[0] * c[1]) / det;
  const double most = mu * side->half * lambda[0],
               s = fmin(fmax((a[0] * c[1] - c[0] * a[1]) / det, -most), most);
  for (int i = 0; i < 2; i++) lambda[1 + i] = bound[i] * lambda[0] + s * e[i];
  return lambda[0] > 0 && isfinite(lambda[0]) && isfinite(s);
}

// The best λ so far, and its natural map.
typedef struct Best {
  double lambda[3], natural;
} Best;

static void judge(const MbBlock *block, const double q[3], const double trial[3], Best *best) {
  const double rho = 1 / block->scale;
  double x[3], natural = 0;
  for (int i = 0; i < 3; i++)
    x[i] = trial[i] - rho * (q[i] + block->D[3 * i] * trial[0] + block->D[3 * i + 1] * trial[1] +
                             block->D[3 * i + 2] * trial[2]);
  x[0] = fmax(x[0], 0);
  mb_polygon_project(block->sides, block->mu * fmax(trial[0], 0), x + 1, NULL);
  for (int i = 0; i < 3; i++) natural += (trial[i] - x[i]) * (trial[i] - x[i]);
  natural = sqrt(natural) / rho;
  if (!(natural < best->natural)) return;
  best->natural = natural;
  memcpy(best->lambda, trial, sizeof best->lambda);
}

// The side of a sector, then its two corners.
static void try_sector(const MbBlock *block, const double q[3], double sector, Best *best) {
  const Side side = side_at(block->sides, sector);
  double trial[3];
  if (at_side(block, q, &side, trial)) judge(block, q, trial, best);
  for (int way = -1; way <= 1; way += 2) {
    const double corner[2] = {side.away * side.m[0] - way * side.half * side.m[1],
                              side.away * side.m[1] + way * side.half * side.m[0]};
    if (at_corner(block, q, corner, trial)) judge(block, q, trial, best);
  }
}

void mb_polygon_solve(const MbBlock *block, const double q[3], double *lambda) {
  static const double NOTHING = 1e-14;
  const double *I = block->I, size = fabs(q[0]) + fabs(q[1]) + fabs(q[2]);
  double stick[3];
  if (q[0] >= 0) {
    lambda[0] = lambda[1] = lambda[2] = 0;
    return;
  }
  for (int i = 0; i < 3; i++) stick[i] = -(I[3 * i] * q[0] + I[3 * i + 1] * q[1] + I[3 * i + 2] * q[2]);
  const bool pushes = stick[0] >= 0;
  if (pushes && mb_polygon_holds(block->sides, block->mu * stick[0], stick + 1)) {
    memcpy(lambda, stick, sizeof stick);
    return;
  }
  const bool slid = lambda[1] != 0 || lambda[2] != 0;
  const double first = sector_of(block->sides, slid ? lambda + 1 : stick + 1);
  Best best = {{0}, INFINITY};
  for (int k = 0; k < block->sides && best.natural > NOTHING * size; k++)
    try_sector(block, q, first + (k % 2 ? (k + 1) / 2 : -k / 2), &best);
  if (best.natural < INFINITY) memcpy(lambda, best.lambda, sizeof best.lambda);
}
