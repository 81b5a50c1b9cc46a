// A product with dτ/dw is one pass down the tree and one up (tangent.h). What passes divide by, A = M − γ h D − γ² h² K, is γ h times what dτ/dw is
// when derivatives of M, of J, of the quadratic terms and of forces' levers are left out, which are O(h) of it; A⁻¹ is O(n) as well. So
//
//   P⁻¹ dτ/dw = 1 + O(h),   P⁻¹ = γ h A⁻¹
//
// and GMRES [Saad and Schultz 1986] on it comes to an end after a number of directions that has to do with the step and not with how many
// bodies there are. A is symmetric, so that P⁻¹ does for the transposed matrix too. Directions are begun anew after some: then from
// what is truly left.
#include "core/sim/newton_krylov.h"
#include "core/sim/evaluate.h"
#include "core/sim/tangent_moved.h"

#include <math.h>
#include <string.h>

enum { BASIS = 30, ROUNDS = 8 };

struct MbKrylov {
  MbTangent *tangent;
  double span;
  double *step;               // (nv) of the stage
  double *basis;              // (BASIS + 1 x nv)
  double *dq, *da, *zero;     // (nv)
  double *x, *left;           // (nv) the solution, and what is left
  double H[BASIS + 1][BASIS]; // column k of the Hessenberg matrix, turned to a triangle
  double c[BASIS], s[BASIS], g[BASIS + 1];
};

MbKrylov *mb_krylov_create(MbSim *sim) {
  MbKrylov *k = mb_arena_alloc(&sim->arena, 1, sizeof *k);
  if (!k) return NULL;
  double **const lists[] = {&k->step, &k->dq, &k->da, &k->zero, &k->x, &k->left};
  bool ok = (k->basis = mb_arena_alloc(&sim->arena, (BASIS + 1) * sim->nv, sizeof *k->basis)) != NULL;
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
    ok = (*lists[i] = mb_arena_alloc(&sim->arena, sim->nv, sizeof(double))) && ok;
  return ok ? k : NULL;
}

// A where the bodies are; without what makes it indefinite where it is so.
static bool factor(MbSim *sim, double t, double span) {
  size_t blame = 0;
  for (int safe = 0; safe < 2; safe++) {
    sim->x.safe = safe;
    mb_sim_forces(sim, t, true);
    sim->x.safe = false;
    if (sim->solver->factor(sim->work, &sim->x, span, span * span, false, &blame)) return true;
  }
  return false;
}

bool mb_krylov_at(MbSim *sim, MbKrylov *k, MbTangent *tangent, const MbStageNote *stage, const double *q1,
                  const double *step, const double *a, double *tau) {
  k->tangent = tangent;
  k->span = stage->gamma * sim->model->h;
  memcpy(k->step, step, sim->nv * sizeof *k->step);
  mb_sim_kinematics(sim, q1, stage->w);
  if (!factor(sim, stage->t, k->span)) return false;
  mb_tangent_at(sim, tangent, stage->w, a, stage->t, tau);
  return true;
}

// ---- products -------------------------------------------------------------------------------------------------------

// out ← dτ/dw x, by  δq = γ h T x,  δv = x,  δa = x/(γ h);  or the transposed of it.
static void multiply(MbSim *sim, MbKrylov *k, bool transposed, const double *x, double *out) {
  const size_t nv = sim->nv;
  double *dq = k->dq, *da = k->da, *zero = k->zero;
  if (transposed) {
    mb_tangent_transposed(sim, k->tangent, x, dq, out, da);
    for (size_t i = 0; i < nv; i++) out[i] += da[i] / k->span;
    mb_tangent_moved_transposed(sim, k->step, dq, zero, da);
    for (size_t i = 0; i < nv; i++) out[i] += k->span * da[i];
    return;
  }
  memset(zero, 0, nv * sizeof *zero);
  for (size_t i = 0; i < nv; i++) da[i] = k->span * x[i];
  mb_tangent_moved(sim, k->step, zero, da, dq);
  for (size_t i = 0; i < nv; i++) da[i] = x[i] / k->span;
  mb_tangent_times(sim, k->tangent, dq, x, da, out);
}

static bool precondition(MbSim *sim, const MbKrylov *k, double *x) {
  for (size_t i = 0; i < sim->nv; i++) x[i] *= k->span;
  return sim->solver->apply(sim->work, x, NULL, NULL);
}

static double dot(const double *x, const double *y, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += x[i] * y[i];
  return sum;
}

// ---- GMRES ----------------------------------------------------------------------------------------------------------

// The next direction, by Gram and Schmidt's method done twice; its column of H as it was before it is turned.
static bool extend(MbSim *sim, MbKrylov *k, bool transposed, int m) {
  const size_t n = sim->nv;
  double *next = k->basis + n * (size_t)(m + 1);
  multiply(sim, k, transposed, k->basis + n * (size_t)m, next);
  if (!precondition(sim, k, next)) return false;
  for (int i = 0; i <= m + 1; i++) k->H[i][m] = 0;
  for (int again = 0; again < 2; again++)
    for (int i = 0; i <= m; i++) {
      const double *old = k->basis + n * (size_t)i, by = dot(old, next, n);
      k->H[i][m] += by;
      for (size_t j = 0; j < n; j++) next[j] -= by * old[j];
    }
  const double length = sqrt(dot(next, next, n));
  k->H[m + 1][m] = length;
  for (size_t j = 0; j < n && length > 0; j++) next[j] /= length;
  return isfinite(length);
}

// Turns column m as those before it, and so that it ends on the diagonal. Returns what is left.
static double turn(MbKrylov *k, int m) {
  for (int i = 0; i < m; i++) {
    const double a = k->H[i][m], b = k->H[i + 1][m];
    k->H[i][m] = k->c[i] * a + k->s[i] * b;
    k->H[i + 1][m] = k->c[i] * b - k->s[i] * a;
  }
  const double a = k->H[m][m], b = k->H[m + 1][m], length = hypot(a, b);
  k->c[m] = length > 0 ? a / length : 1, k->s[m] = length > 0 ? b / length : 0;
  k->H[m][m] = length;
  k->g[m + 1] = -k->s[m] * k->g[m];
  k->g[m] *= k->c[m];
  return fabs(k->g[m + 1]);
}

// x += the combination of m directions that leaves least.
static bool combine(MbKrylov *k, int m, size_t n) {
  double y[BASIS];
  for (int i = m; i-- > 0;) {
    double sum = k->g[i];
    for (int j = i + 1; j < m; j++) sum -= k->H[i][j] * y[j];
    if (!(fabs(k->H[i][i]) > 0)) return false;
    y[i] = sum / k->H[i][i];
  }
  for (int i = 0; i < m; i++)
    for (size_t j = 0; j < n; j++) k->x[j] += y[i] * k->basis[n * (size_t)i + j];
  return true;
}

bool mb_krylov_solve(MbSim *sim, MbKrylov *k, bool transposed, double tolerance, double *b) {
  static const double SOUND = 1e-10; // of the first: rounding lets it come as near in any case
  const size_t n = sim->nv;
  double all = 0, before = INFINITY;
  memset(k->x, 0, n * sizeof *k->x);
  for (int round = 0; round < ROUNDS; round++) {
    double *first = k->basis;
    if (round) multiply(sim, k, transposed, k->x, k->left);
    for (size_t i = 0; i < n; i++) first[i] = b[i] - (round ? k->left[i] : 0);
    if (!precondition(sim, k, first)) return false;
    const double size = sqrt(dot(first, first, n));
    if (!isfinite(size)) return false;
    if (!round) all = size;
    if (size <= tolerance * all || (size > before / 2 && size <= SOUND * all)) {
      memcpy(b, k->x, n * sizeof *b);
      return true;
    }
    before = size;
    for (size_t i = 0; i < n; i++) first[i] /= size;
    k->g[0] = size;
    int m = 0;
    for (double left = size; m < BASIS && left > tolerance * all / 2; m++) {
      if (!extend(sim, k, transposed, m)) return false;
      left = turn(k, m);
    }
    if (!combine(k, m, n)) return false;
  }
  return false;
}
