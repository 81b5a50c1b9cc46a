// What is exact for one block: where its λ may be, its natural map, and its solution.
//
// One contact with the exact cone, u = D λ + q, D symmetric and definite, d(θ) = (cos θ, sin θ):
//   open   λ = 0 where q_n ≥ 0;
//   stick  u = 0, λ = −D⁻¹ q, where |λ_t| ≤ μ λ_n;
//   slip   u_n = 0, λ_t = μ λ_n d, u_t = −s d with s ≥ 0. The first two give
//            λ_n = −q_n/e(θ), e = D_nn + μ D_nt·d > 0, and e u_t = q_t e − q_n (D_tn + μ D_tt d) =: g(θ).
//          u_t is along d where  f(θ) = d⊥·g = 0, the slip-angle equation, and against it where d·g ≤ 0.
// f is a trigonometric polynomial of degree two, a quartic in tan(θ/2): at most four roots. Newton's method from the direction of
// the last λ_t finds the right one nearly always; where it does not, all roots are isolated between those of the derivatives.
// With a large μ and D_nt the products e of some directions are negative, so that no slip is possible there (Painlevé's rod): then a
// slip the other way or stick is the solution, and one of the three always is.
#include "core/contact/contact_parts.h"
#include "core/contact/polygon.h"

#include <float.h>
#include <math.h>
#include <string.h>

// ---- where λ may be ---------------------------------------------------------------------------------------

void mb_cone_project(double mu, double lambda[3]) {
  const double t = sqrt(lambda[1] * lambda[1] + lambda[2] * lambda[2]), n = lambda[0];
  if (n >= 0 && t <= mu * n) return;
  if (mu * t <= -n) {
    memset(lambda, 0, 3 * sizeof *lambda);
    return;
  }
  lambda[0] = (n + mu * t) / (1 + mu * mu);
  lambda[1] *= mu * lambda[0] / t, lambda[2] *= mu * lambda[0] / t;
}

// A square is a polygon of four sides, turned by an eighth.
static void box_project(double mu, double lambda[3]) {
  const double turn = sqrt(0.5), x = lambda[1], y = lambda[2];
  double turned[3] = {lambda[0], turn * (x + y), turn * (y - x)};
  mb_polygon_cone_project(4, mu / turn, turned);
  lambda[0] = turned[0];
  lambda[1] = turn * (turned[1] - turned[2]), lambda[2] = turn * (turned[1] + turned[2]);
}

void mb_block_project(const MbBlock *block, double lambda[3]) {
  if (block->cone == MB_CONE_NONE || !(block->mu > 0))
    lambda[0] = fmax(lambda[0], 0), lambda[1] = lambda[2] = 0;
  else if (block->cone == MB_CONE_BOX)
    box_project(block->mu, lambda);
  else if (block->cone == MB_CONE_PYRAMID)
    mb_polygon_cone_project(block->sides, block->mu, lambda);
  else
    mb_cone_project(block->mu, lambda);
}

double mb_block_lift(const MbBlock *block, const double w[2]) {
  const double back[2] = {-w[0], -w[1]};
  if (block->cone == MB_CONE_NONE) return 0;
  if (block->cone == MB_CONE_BOX) return block->mu * (fabs(w[0]) + fabs(w[1]));
  if (block->cone == MB_CONE_PYRAMID) return block->mu * mb_polygon_reach(block->sides, back);
  return block->mu * hypot(w[0], w[1]);
}

static bool is_known(const MbBlock *block) { return block->cone >= MB_CONE_KNOWN_BOX; }

// The tangents' part to the section of the cone at λ_n.
static void section_project(const MbBlock *block, double normal, double x[2]) {
  const double radius = is_known(block) ? block->most : block->mu * fmax(normal, 0),
               t = sqrt(x[0] * x[0] + x[1] * x[1]);
  switch (block->cone) {
  case MB_CONE_NONE:
    x[0] = x[1] = 0;
    return;
  case MB_CONE_BOX:
  case MB_CONE_KNOWN_BOX:
    for (int i = 0; i < 2; i++) x[i] = fmin(fmax(x[i], -radius), radius);
    return;
  case MB_CONE_PYRAMID:
  case MB_CONE_KNOWN_PYRAMID:
    mb_polygon_project(block->sides, radius, x, NULL);
    return;
  default:
    if (t > radius) x[0] *= radius / t, x[1] *= radius / t;
  }
}

bool mb_block_holds(const MbBlock *block, double most, const double x[2]) {
  if (block->cone == MB_CONE_BOX) return fmax(fabs(x[0]), fabs(x[1])) <= most;
  if (block->cone == MB_CONE_PYRAMID) return mb_polygon_holds(block->sides, most, x);
  return x[0] * x[0] + x[1] * x[1] <= most * most;
}

void mb_block_clamp(const MbBlock *block, double *lambda) {
  if (block->left_out) {
    memset(lambda, 0, block->rows * sizeof *lambda);
    return;
  }
  switch ((MbContactRowKind)block->kind) {
  case MB_CONTACT_BOTH_WAYS:
  case MB_CONTACT_TANGENT:
    return;
  case MB_CONTACT_ONE_WAY:
    lambda[0] = fmax(lambda[0], 0);
    return;
  case MB_CONTACT_BOUNDED:
    lambda[0] = fmin(fmax(lambda[0], -block->most), block->most);
    return;
  case MB_CONTACT_NORMAL:
    lambda[0] = is_known(block) ? 0 : fmax(lambda[0], 0);
    section_project(block, lambda[0], lambda + 1);
  }
}

void mb_block_natural(const MbBlock *block, double rho, const double *lambda, const double *u, double *out) {
  double x[3] = {lambda[0] - rho * u[0], 0, 0};
  if (block->rows == 1) {
    if (block->kind == MB_CONTACT_ONE_WAY) x[0] = fmax(x[0], 0);
    if (block->kind == MB_CONTACT_BOUNDED) x[0] = fmin(fmax(x[0], -block->most), block->most);
    out[0] = block->kind == MB_CONTACT_BOTH_WAYS ? u[0] : (lambda[0] - x[0]) / rho;
    return;
  }
  x[1] = lambda[1] - rho * u[1], x[2] = lambda[2] - rho * u[2];
  if (block->cone == MB_CONE_EXACT) {
    // inside the cone P changes nothing: û itself, without the rounding of λ − ρ û
    const double push = block->mu * sqrt(u[1] * u[1] + u[2] * u[2]);
    x[0] -= rho * push;
    if (x[0] >= 0 && x[1] * x[1] + x[2] * x[2] <= block->mu * block->mu * x[0] * x[0]) {
      out[0] = u[0] + push, out[1] = u[1], out[2] = u[2];
      return;
    }
    mb_cone_project(block->mu, x);
  } else {
    x[0] = is_known(block) ? 0 : fmax(x[0], 0);
    section_project(block, lambda[0], x + 1);
  }
  for (int i = 0; i < 3; i++) out[i] = (lambda[i] - x[i]) / rho;
}

// ---- slip -------------------------------------------------------------------------------------------------

typedef struct Slip {
  const double *D, *q;
  double mu;
} Slip;

// g(θ), e(θ) of a direction
static double slip_rate(const Slip *s, const double d[2], double g[2]) {
  const double *D = s->D, *q = s->q, mu = s->mu;
  const double e = D[0] + mu * (D[1] * d[0] + D[2] * d[1]);
  g[0] = q[1] * e - q[0] * (D[1] + mu * (D[4] * d[0] + D[5] * d[1]));
  g[1] = q[2] * e - q[0] * (D[2] + mu * (D[5] * d[0] + D[8] * d[1]));
  return e;
}

// Newton's method on f from the direction d; false where it does not come to a slip.
static bool slip_newton(const Slip *s, double d[2]) {
  enum { TURNS = 12 };
  const double *D = s->D, mu = s->mu;
  for (int turn = 0; turn < TURNS; turn++) {
    double g[2];
    const double e = slip_rate(s, d, g), a[2] = {-d[1], d[0]}; // a = d⊥
    const double de = mu * (D[1] * a[0] + D[2] * a[1]);
    const double dg[2] = {s->q[1] * de - s->q[0] * mu * (D[4] * a[0] + D[5] * a[1]),
                          s->q[2] * de - s->q[0] * mu * (D[5] * a[0] + D[8] * a[1])};
    const double f = a[0] * g[0] + a[1] * g[1], against = d[0] * g[0] + d[1] * g[1];
    const double df = a[0] * dg[0] + a[1] * dg[1] - against;
    const double step = df != 0 ? -f / df : INFINITY;
    if (!(fabs(step) < 1.5)) return false;
    // d turned by 2 atan(step/2), which is the step but for its third power
    const double h = 0.5 * step, n = 1 / (1 + h * h), c = (1 - h * h) * n, t = 2 * h * n;
    const double x = c * d[0] - t * d[1], y = t * d[0] + c * d[1];
    d[0] = x, d[1] = y;
    // what is left is of the order of the step's square
    if (fabs(step) < 1e-8) return e > 0 && against <= 0;
  }
  double g[2];
  const double e = slip_rate(s, d, g), size = hypot(g[0], g[1]);
  return e > 0 && d[0] * g[0] + d[1] * g[1] <= 0 && fabs(d[0] * g[1] - d[1] * g[0]) <= 1e-14 * size;
}

static double polynomial(const double *p, int degree, double x) {
  double sum = p[degree];
  for (int i = degree; i-- > 0;) sum = sum * x + p[i];
  return sum;
}

static double bisect(const double *p, int degree, double lo, double hi) {
  const bool rising = polynomial(p, degree, hi) > 0;
  for (int i = 0; i < 60; i++) {
    const double mid = 0.5 * (lo + hi);
    if ((polynomial(p, degree, mid) > 0) == rising)
      hi = mid;
    else
      lo = mid;
  }
  return 0.5 * (lo + hi);
}

// Where the polynomial may be zero in [−1, 1]: its roots, and where it turns round, which may touch zero. Between two places where the
// derivative is zero there is at most one root.
static size_t zeros(const double *p, int degree, double out[16]) {
  double derivative[4], turns[16];
  size_t count = 0, nturns = 0;
  if (degree > 1) {
    for (int i = 1; i <= degree; i++) derivative[i - 1] = i * p[i];
    nturns = zeros(derivative, degree - 1, turns);
  }
  double lo = -1;
  for (size_t i = 0; i <= nturns; i++) {
    const double hi = i < nturns ? turns[i] : 1;
    if ((polynomial(p, degree, lo) > 0) != (polynomial(p, degree, hi) > 0))
      out[count++] = bisect(p, degree, lo, hi);
    if (i < nturns) out[count++] = hi;
    lo = hi;
  }
  return count;
}

// f as a quartic in t = tan(θ/2), for directions `side` · d with |θ| ≤ π/2: f's values at five angles give its five coefficients
//   f = a₀ + a₁ cos θ + b₁ sin θ + a₂ cos 2θ + b₂ sin 2θ,
// here from what it is made of. `each` is called with every candidate.
static size_t slip_candidates(const Slip *s, double side, double angle[16]) {
  const double *D = s->D, *q = s->q, mu = s->mu;
  // d⊥·g with g = G₀ + G₁ d:  G₀ = q_t D_nn − q_n D_tn,  G₁ = μ (q_t D_ntᵀ − q_n D_tt)
  const double G0[2] = {q[1] * D[0] - q[0] * D[1], q[2] * D[0] - q[0] * D[2]};
  const double xx = mu * (q[1] * D[1] - q[0] * D[4]), xy = mu * (q[1] * D[2] - q[0] * D[5]),
               yx = mu * (q[2] * D[1] - q[0] * D[5]), yy = mu * (q[2] * D[2] - q[0] * D[8]);
  const double a0 = 0.5 * (yx - xy), a1 = side * G0[1], b1 = -side * G0[0], a2 = 0.5 * (yx + xy),
               b2 = 0.5 * (yy - xx);
  // times (1 + t²)², with cos θ = (1 − t²)/(1 + t²), sin θ = 2t/(1 + t²)
  const double p[5] = {a0 + a1 + a2, 2 * b1 + 4 * b2, 2 * a0 - 6 * a2, 2 * b1 - 4 * b2, a0 - a1 + a2};
  return zeros(p, 4, angle);
}

// ---- the contact ------------------------------------------------------------------------------------------

static double natural_size(const MbBlock *block, const double q[3], const double lambda[3]) {
  double u[3], out[3];
  for (int i = 0; i < 3; i++)
    u[i] = q[i] + block->D[3 * i] * lambda[0] + block->D[3 * i + 1] * lambda[1] +
           block->D[3 * i + 2] * lambda[2];
  mb_block_natural(block, 1 / block->scale, lambda, u, out);
  return sqrt(out[0] * out[0] + out[1] * out[1] + out[2] * out[2]);
}

static bool slip_lambda(const Slip *s, const double d[2], double lambda[3]) {
  const double e = s->D[0] + s->mu * (s->D[1] * d[0] + s->D[2] * d[1]);
  if (!(e > 0)) return false;
  lambda[0] = -s->q[0] / e;
  lambda[1] = s->mu * lambda[0] * d[0], lambda[2] = s->mu * lambda[0] * d[1];
  return isfinite(lambda[0]);
}

// All roots; the one whose natural map is least.
static void slip_search(const MbBlock *block, const Slip *s, double lambda[3]) {
  double best = INFINITY, angle[16], trial[3];
  for (int half = 0; half < 2; half++) {
    const double side = half ? -1 : 1;
    const size_t count = slip_candidates(s, side, angle);
    for (size_t i = 0; i < count; i++) {
      const double t = angle[i], n = 1 / (1 + t * t);
      double d[2] = {side * (1 - t * t) * n, side * 2 * t * n};
      double turned[2] = {d[0], d[1]};
      if (slip_newton(s, turned)) memcpy(d, turned, sizeof d);
      if (!slip_lambda(s, d, trial)) continue;
      const double natural = natural_size(block, s->q, trial);
      if (!(natural < best)) continue;
      best = natural;
      memcpy(lambda, trial, sizeof trial);
    }
  }
}

static void solve_exact(const MbBlock *block, const double q[3], double *lambda) {
  const double *I = block->I, mu = block->mu;
  if (q[0] >= 0) {
    lambda[0] = lambda[1] = lambda[2] = 0;
    return;
  }
  const double n = -(I[0] * q[0] + I[1] * q[1] + I[2] * q[2]), x = -(I[3] * q[0] + I[4] * q[1] + I[5] * q[2]),
               y = -(I[6] * q[0] + I[7] * q[1] + I[8] * q[2]);
  if (n >= 0 && x * x + y * y <= mu * mu * n * n) {
    lambda[0] = n, lambda[1] = x, lambda[2] = y;
    return;
  }
  const Slip slip = {block->D, q, mu};
  if (!(mu > 0)) {
    lambda[0] = -q[0] / block->D[0], lambda[1] = lambda[2] = 0;
    return;
  }
  double d[2], t = sqrt(lambda[1] * lambda[1] + lambda[2] * lambda[2]);
  if (t > 0)
    d[0] = lambda[1] / t, d[1] = lambda[2] / t;
  else {
    // against where it would go without friction
    double g[2];
    slip_rate(&slip, (double[]){0, 0}, g);
    t = sqrt(g[0] * g[0] + g[1] * g[1]);
    d[0] = t > 0 ? -g[0] / t : 1, d[1] = t > 0 ? -g[1] / t : 0;
  }
  if (slip_newton(&slip, d) && slip_lambda(&slip, d, lambda)) return;
  // from where it would stick if it could
  t = sqrt(x * x + y * y);
  if (t > 0) {
    d[0] = x / t, d[1] = y / t;
    if (slip_newton(&slip, d) && slip_lambda(&slip, d, lambda)) return;
  }
  slip_search(block, &slip, lambda);
}

// The normal without the tangents, then each tangent within its bound, in turns: the box, whose sides are apart.
static void solve_box(const MbBlock *block, const double q[3], double *lambda) {
  enum { TURNS = 30 };
  const double *D = block->D;
  for (int turn = 0; turn < TURNS; turn++) {
    double moved = 0;
    for (int i = 0; i < 3; i++) {
      const double rest = q[i] + D[3 * i] * lambda[0] + D[3 * i + 1] * lambda[1] + D[3 * i + 2] * lambda[2] -
                          D[4 * i] * lambda[i];
      const double most = i ? block->mu * lambda[0] : INFINITY, least = i ? -most : 0;
      const double x = D[4 * i] > 0 ? fmin(fmax(-rest / D[4 * i], least), most) : 0;
      moved += fabs(x - lambda[i]);
      lambda[i] = x;
    }
    if (moved <= 1e-15 * fabs(lambda[0])) return;
  }
}

// Tangents within a known section: steps down the slope, each to the nearest point of the section.
static void solve_known(const MbBlock *block, const double q[3], double *lambda) {
  enum { TURNS = 50 };
  const double *D = block->D, most = D[4] + D[8];
  lambda[0] = 0;
  for (int turn = 0; turn < TURNS && most > 0; turn++) {
    const double u[2] = {q[1] + D[4] * lambda[1] + D[5] * lambda[2],
                         q[2] + D[5] * lambda[1] + D[8] * lambda[2]};
    for (int i = 0; i < 2; i++) lambda[1 + i] -= u[i] / most;
    section_project(block, 0, lambda + 1);
  }
}

void mb_block_solve(const MbBlock *block, const double q[3], double *lambda) {
  if (block->rows == 1) {
    lambda[0] = -q[0] * block->I[0];
    mb_block_clamp(block, lambda);
  } else if (block->cone == MB_CONE_EXACT)
    solve_exact(block, q, lambda);
  else if (block->cone == MB_CONE_BOX)
    solve_box(block, q, lambda);
  else if (block->cone == MB_CONE_PYRAMID && block->mu > 0)
    mb_polygon_solve(block, q, lambda);
  else if (is_known(block))
    solve_known(block, q, lambda);
  else {
    lambda[0] = fmax(-q[0] / block->D[0], 0);
    lambda[1] = lambda[2] = 0;
  }
}
