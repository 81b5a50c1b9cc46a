// Blocks between two bodies, and iterations with the inverse of what is not between bodies as their preconditioner (coupled.h).
#include "core/solvers/coupled.h"
#include "core/base/alloc.h"
#include "core/math/dense6.h"
#include "core/solvers/body_block.h"

#include <string.h>

static const double TOLERANCE = 1e-12; // of the residual, relative
static const double SOUND = 1e-8;      // of the true residual, beyond which rounding has spoilt the solution
enum { ROUNDS = 4, VECTORS = 6 };      // beginnings from the true residual

bool mb_coupling_create(const MbModel *model, MbCoupling *coupling) {
  *coupling = (MbCoupling){.model = model};
  if (!model->npairs) return true;
  coupling->pair = mb_calloc(72 * model->npairs, sizeof(double));
  coupling->point = mb_calloc(9 * model->npairs, sizeof(double));
  coupling->diagonal = mb_calloc(36 * model->nb, sizeof(double));
  coupling->F = mb_calloc(6 * model->nb, sizeof(double));
  coupling->vectors = mb_calloc(VECTORS * model->nv, sizeof(double));
  return coupling->pair && coupling->point && coupling->diagonal && coupling->F && coupling->vectors;
}

void mb_coupling_free(MbCoupling *coupling) {
  mb_free(coupling->pair);
  mb_free(coupling->point);
  mb_free(coupling->diagonal);
  mb_free(coupling->F);
  mb_free(coupling->vectors);
}

size_t mb_coupling_bytes(const MbModel *model) {
  if (!model->npairs) return 0;
  return (81 * model->npairs + 42 * model->nb + VECTORS * model->nv) * sizeof(double);
}

// ---- the matrix -------------------------------------------------------------------------------------------

// A node that no body carries: it does not turn.
static bool is_point(const MbModel *model, size_t b) {
  return b >= model->nlisted && model->parent[b] == MB_WORLD;
}

static bool are_points(const MbModel *model, size_t pair) {
  return is_point(model, model->pair[2 * pair]) && is_point(model, model->pair[2 * pair + 1]);
}

void mb_coupling_set(MbCoupling *coupling, const MbMaximal *x, double a, double b, bool exact) {
  const MbModel *model = coupling->model;
  coupling->on = model->npairs && (a != 0 || b != 0);
  coupling->exact = exact;
  if (!coupling->on) return;
  for (size_t n = 0; n < model->nb; n++)
    mb_body_block(coupling->diagonal + 36 * n, model->M, x, n, a, b, exact);
  for (size_t n = 0; n < 2 * model->npairs; n++) {
    const bool points = !exact && are_points(model, n / 2);
    double *B = coupling->pair + 36 * n, *P = coupling->point + 9 * (n / 2);
    if (points && n % 2) continue;
    mb_force_block(B, x, model->nb + n, model->nb + (n ^ 1), a, b, exact);
    for (size_t i = 0; points && i < 9; i++) P[i] = B[6 * (3 + i / 3) + 3 + i % 3];
  }
}

// y += s B x of the last three of six numbers: of a node that does not turn
static void add_moving(double *y, const double *B, double s, const double *x) {
  for (size_t k = 3; k < 6; k++)
    y[k] += s * (B[6 * k + 3] * x[3] + B[6 * k + 4] * x[4] + B[6 * k + 5] * x[5]);
}

// The same of all six
static void add_block(double *y, const double *B, double s, const double *x) {
  double t[6];
  mb_mat6_apply(t, B, x);
  for (size_t k = 0; k < 6; k++) y[k] += s * t[k];
}

void mb_pairs_multiply(const MbModel *model, const double *B, double s, const double *phi, double *y) {
  for (size_t n = 0; n < 2 * model->npairs; n++) {
    const size_t i = model->pair[n], j = model->pair[n ^ 1];
    if (are_points(model, n / 2))
      add_moving(y + 6 * i, B + 36 * n, s, phi + 6 * j);
    else
      add_block(y + 6 * i, B + 36 * n, s, phi + 6 * j);
  }
}

// y += P x of both ends; places are the last three of six numbers
static void add_points(const double *restrict P, const double *xi, const double *xj, double *yi, double *yj) {
  for (int k = 0; k < 3; k++) {
    yi[3 + k] += P[3 * k] * xj[3] + P[3 * k + 1] * xj[4] + P[3 * k + 2] * xj[5];
    yj[3 + k] += P[k] * xi[3] + P[3 + k] * xi[4] + P[6 + k] * xi[5];
  }
}

void mb_blocks_multiply(const MbModel *model, const double *B, double s, const double *phi, double *y) {
  for (size_t n = 0; n < model->nb; n++) {
    double t[6];
    mb_mat6_apply(t, B + 36 * n, phi + 6 * n);
    for (size_t k = 0; k < 6; k++) y[6 * n + k] += s * t[k];
  }
  mb_pairs_multiply(model, B + 36 * model->nb, s, phi, y);
}

void mb_means_multiply(const MbModel *model, const MbMaximal *x, double a, double b, bool exact,
                       const double *phi, double *y) {
  double B[36];
  if (!x->D || (a == 0 && b == 0)) return;
  for (size_t i = 0; i < model->nb; i++) {
    mb_force_block(B, x, i, i, a, b, exact);
    add_block(y + 6 * i, B, 1, phi + 6 * i);
  }
  for (size_t n = 0; n < 2 * model->npairs; n++) {
    mb_force_block(B, x, model->nb + n, model->nb + (n ^ 1), a, b, exact);
    add_block(y + 6 * model->pair[n], B, 1, phi + 6 * model->pair[n ^ 1]);
  }
}

void mb_coupling_multiply(const MbCoupling *coupling, const double *phi, double *F) {
  const MbModel *model = coupling->model;
  memset(F, 0, 6 * model->nb * sizeof *F);
  for (size_t n = 0; n < model->nb; n++)
    if (is_point(model, n))
      add_moving(F + 6 * n, coupling->diagonal + 36 * n, 1, phi + 6 * n);
    else
      add_block(F + 6 * n, coupling->diagonal + 36 * n, 1, phi + 6 * n);
  if (coupling->exact) {
    mb_pairs_multiply(model, coupling->pair, 1, phi, F);
    return;
  }
  for (size_t n = 0; n < model->npairs; n++) {
    const size_t i = model->pair[2 * n], j = model->pair[2 * n + 1];
    if (are_points(model, n)) {
      add_points(coupling->point + 9 * n, phi + 6 * i, phi + 6 * j, F + 6 * i, F + 6 * j);
      continue;
    }
    add_block(F + 6 * i, coupling->pair + 72 * n, 1, phi + 6 * j);
    add_block(F + 6 * j, coupling->pair + 72 * n + 36, 1, phi + 6 * i);
  }
}

// ---- the iterations ---------------------------------------------------------------------------------------

typedef struct Problem {
  MbSolverWork *work;
  const MbInverse *inverse;
  size_t n, most;  // unknowns, iterations
  const double *b; // (n)
  double *x;       // (n)
  double *v[VECTORS - 1];
} Problem;

static double dot(const double *a, const double *b, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

// r = b − A x
static void residual(const Problem *p, double *r) {
  p->inverse->multiply(p->work, p->x, r);
  for (size_t i = 0; i < p->n; i++) r[i] = p->b[i] - r[i];
}

// ρ = rᵀ P⁻¹ r; z = P⁻¹ r
static double precondition(const Problem *p, const double *r, double *z) {
  memcpy(z, r, p->n * sizeof *z);
  p->inverse->precondition(p->work, z);
  return dot(r, z, p->n);
}

// From x on, until ρ <= `enough`; false where P or A is seen not to be positive, or it takes too long.
static bool conjugate_gradients(const Problem *p, double enough) {
  double *r = p->v[0], *z = p->v[1], *s = p->v[2], *As = p->v[3];
  residual(p, r);
  double rho = precondition(p, r, z);
  memcpy(s, z, p->n * sizeof *s);
  for (size_t k = 0; k < p->most; k++) {
    if (fabs(rho) <= enough) return true;
    p->inverse->multiply(p->work, s, As);
    const double curvature = dot(s, As, p->n);
    if (!(rho > 0) || !(curvature > 0)) return false;
    const double alpha = rho / curvature;
    for (size_t i = 0; i < p->n; i++) p->x[i] += alpha * s[i], r[i] -= alpha * As[i];
    const double last = rho;
    rho = precondition(p, r, z);
    for (size_t i = 0; i < p->n; i++) s[i] = z[i] + rho / last * s[i];
  }
  return false;
}

static bool solve_symmetric(const Problem *p) {
  double *r = p->v[0], *z = p->v[1];
  const double whole = precondition(p, p->b, z);
  if (whole == 0) return true;
  if (!(whole > 0)) return false;
  for (int round = 0; round < ROUNDS; round++) {
    if (!conjugate_gradients(p, TOLERANCE * TOLERANCE * whole)) return false;
    residual(p, r);
    if (precondition(p, r, z) <= TOLERANCE * TOLERANCE * whole) return true;
  }
  return precondition(p, r, z) <= SOUND * SOUND * whole;
}

// ---- where A is not symmetric -----------------------------------------------------------------------------

// aᵀ M b over bodies free in space, which alone have an exact A: of velocities, an energy
static double weigh(const MbModel *model, const double *a, const double *b) {
  double sum = 0;
  for (size_t i = 0; i < model->nv; i++) sum += model->M[i] * a[i] * b[i];
  return sum;
}

// y = P⁻¹ A x
static void operate(const Problem *p, const double *x, double *y) {
  p->inverse->multiply(p->work, x, y);
  p->inverse->precondition(p->work, y);
}

// BiCGStab on P⁻¹ A x = P⁻¹ b from x on, until rᵀ M r <= `enough` or it breaks down
static void stabilised(const MbModel *model, const Problem *p, double enough) {
  double *r = p->v[0], *shadow = p->v[1], *s = p->v[2], *As = p->v[3], *t = p->v[4];
  const size_t n = p->n;
  residual(p, r);
  p->inverse->precondition(p->work, r);
  memcpy(shadow, r, n * sizeof *shadow);
  memcpy(s, r, n * sizeof *s);
  double rho = weigh(model, shadow, r);
  for (size_t k = 0; k < p->most && weigh(model, r, r) > enough; k++) {
    operate(p, s, As);
    const double alpha = rho / weigh(model, shadow, As);
    if (!isfinite(alpha)) return;
    for (size_t i = 0; i < n; i++) p->x[i] += alpha * s[i], r[i] -= alpha * As[i];
    operate(p, r, t);
    const double tt = weigh(model, t, t), omega = tt > 0 ? weigh(model, t, r) / tt : 0;
    for (size_t i = 0; i < n; i++) p->x[i] += omega * r[i], r[i] -= omega * t[i];
    const double last = rho;
    rho = weigh(model, shadow, r);
    const double beta = rho / last * alpha / omega;
    if (!isfinite(beta) || beta == 0) return;
    for (size_t i = 0; i < n; i++) s[i] = r[i] + beta * (s[i] - omega * As[i]);
  }
}

static bool solve_exact(const MbModel *model, const Problem *p) {
  double *r = p->v[0];
  memcpy(r, p->b, p->n * sizeof *r);
  p->inverse->precondition(p->work, r);
  const double whole = weigh(model, r, r);
  double left = whole;
  for (int round = 0; round < 2 * ROUNDS && left > TOLERANCE * TOLERANCE * whole; round++) {
    stabilised(model, p, TOLERANCE * TOLERANCE * whole);
    residual(p, r);
    p->inverse->precondition(p->work, r);
    left = weigh(model, r, r);
  }
  return left <= SOUND * SOUND * whole;
}

bool mb_coupling_solve(MbCoupling *coupling, MbSolverWork *work, const MbInverse *inverse, double *x) {
  const size_t n = coupling->model->nv;
  double *b = coupling->vectors;
  Problem p = {.work = work, .inverse = inverse, .n = n, .most = 10 * n + 100, .b = b, .x = x};
  for (size_t i = 0; i + 1 < VECTORS; i++) p.v[i] = coupling->vectors + (i + 1) * n;
  memcpy(b, x, n * sizeof *b);
  memset(x, 0, n * sizeof *x);
  if (coupling->exact ? solve_exact(coupling->model, &p) : solve_symmetric(&p)) return true;
  for (size_t i = 0; i < n; i++) x[i] = NAN;
  return false;
}
