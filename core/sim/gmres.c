// The basis by Gram and Schmidt's method, and the least squares by rotations.
#include "core/sim/gmres.h"

#include <math.h>
#include <string.h>

enum { BASIS = 30, ROUNDS = 8 };

struct MbGmres {
  size_t n;
  double *basis;              // (BASIS + 1 x n)
  double *x;                  // (n) the solution
  double H[BASIS + 1][BASIS]; // column k of the Hessenberg matrix, turned to a triangle
  double c[BASIS], s[BASIS], g[BASIS + 1];
};

MbGmres *mb_gmres_create(MbArena *arena, size_t n) {
  MbGmres *k = mb_arena_alloc(arena, 1, sizeof *k);
  if (!k) return NULL;
  k->n = n;
  k->basis = mb_arena_alloc(arena, (BASIS + 1) * n + 1, sizeof *k->basis);
  k->x = mb_arena_alloc(arena, n + 1, sizeof *k->x);
  return k->basis && k->x ? k : NULL;
}

static double dot(const double *x, const double *y, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += x[i] * y[i];
  return sum;
}

// The next direction, by Gram and Schmidt's method done twice; its column of H as it was before it is turned.
static bool extend(MbGmres *k, const MbGmresOf *of, int m) {
  const size_t n = k->n;
  double *next = k->basis + n * (size_t)(m + 1);
  if (!of->product(of->to, k->basis + n * (size_t)m, next)) return false;
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
static double turn(MbGmres *k, int m) {
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
static bool combine(MbGmres *k, int m) {
  double y[BASIS];
  for (int i = m; i-- > 0;) {
    double sum = k->g[i];
    for (int j = i + 1; j < m; j++) sum -= k->H[i][j] * y[j];
    if (!(fabs(k->H[i][i]) > 0)) return false;
    y[i] = sum / k->H[i][i];
  }
  for (int i = 0; i < m; i++)
    for (size_t j = 0; j < k->n; j++) k->x[j] += y[i] * k->basis[k->n * (size_t)i + j];
  return true;
}

bool mb_gmres_solve(MbGmres *k, const MbGmresOf *of, double tolerance, double *b) {
  static const double SOUND = 1e-10; // of the first: rounding lets it come as near in any case
  const size_t n = k->n;
  double all = 0, before = INFINITY;
  memset(k->x, 0, n * sizeof *k->x);
  for (int round = 0; round < ROUNDS; round++) {
    double *first = k->basis;
    if (!of->left(of->to, b, round ? k->x : NULL, first)) return false;
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
      if (!extend(k, of, m)) return false;
      left = turn(k, m);
    }
    if (!combine(k, m)) return false;
  }
  return false;
}
