// L U by blocks: block columns in order, each taken out of those behind it,
//   L_ij ← A_ij A_jj⁻¹,   A_ik ← A_ik − L_ij A_jk   for i, k below j,
// where A_jk stays as U. Blocks are six columns of eight numbers, the last two of which are zero.
#include "core/base/targets.h"
#include "core/contact/body_factor.h"

#include <math.h>
#include <string.h>

enum { COLUMN = 8, BLOCK = 48 };

typedef double Eight __attribute__((vector_size(64)));
#define INLINE static inline __attribute__((always_inline))

// ---- one block --------------------------------------------------------------------------------------------

INLINE void get(Eight *x, const double *block, size_t c) { memcpy(x, block + COLUMN * c, sizeof *x); }

// C ← C − A B
INLINE void take(double *C, const double *A, const double *B) {
  Eight a[6], x;
  for (size_t k = 0; k < 6; k++) get(&a[k], A, k);
  for (size_t c = 0; c < 6; c++) {
    const double *b = B + COLUMN * c;
    Eight y = a[0] * b[0];
    get(&x, C, c);
    y += a[1] * b[1];
    y += a[2] * b[2];
    y += a[3] * b[3];
    y += a[4] * b[4];
    y += a[5] * b[5];
    x -= y;
    memcpy(C + COLUMN * c, &x, sizeof x);
  }
}

// A ← A B
INLINE void times(double *A, const double *B) {
  double made[BLOCK] = {0};
  take(made, A, B);
  for (size_t k = 0; k < BLOCK; k++) A[k] = -made[k];
}

// y ← y − A x, of six numbers
INLINE void take_from(double *y, const double *A, const double *x) {
  Eight sum = {0}, a;
  for (size_t c = 0; c < 6; c++) {
    get(&a, A, c);
    sum += a * x[c];
  }
  for (size_t r = 0; r < 6; r++) y[r] -= sum[r];
}

// A ← A⁻¹ by Gauss and Jordan with pivots among the rows. False: singular.
static bool invert(double *A) {
  double x[6][12] = {{0}};
  for (size_t r = 0; r < 6; r++) {
    for (size_t c = 0; c < 6; c++) x[r][c] = A[COLUMN * c + r];
    x[r][6 + r] = 1;
  }
  for (size_t k = 0; k < 6; k++) {
    size_t best = k;
    for (size_t r = k + 1; r < 6; r++)
      if (fabs(x[r][k]) > fabs(x[best][k])) best = r;
    if (!(fabs(x[best][k]) > 0) || !isfinite(x[best][k])) return false;
    for (size_t c = 0; c < 12 && best != k; c++) {
      const double swap = x[k][c];
      x[k][c] = x[best][c], x[best][c] = swap;
    }
    const double scale = 1 / x[k][k];
    for (size_t c = k; c < 12; c++) x[k][c] *= scale;
    for (size_t r = 0; r < 6; r++) {
      const double factor = x[r][k];
      if (r == k || factor == 0) continue;
      for (size_t c = k; c < 12; c++) x[r][c] -= factor * x[k][c];
    }
  }
  for (size_t r = 0; r < 6; r++)
    for (size_t c = 0; c < 6; c++) A[COLUMN * c + r] = x[r][6 + c];
  return true;
}

// ---- the matrix -------------------------------------------------------------------------------------------

// The pattern of a group.
typedef struct Pattern {
  size_t n;
  const uint32_t *first, *below;
} Pattern;

static Pattern pattern_of(const MbBodyFactor *f, uint32_t group) {
  return (Pattern){mb_body_factor_size(f, group), f->first + f->begin[group], f->below + f->at[group]};
}

size_t mb_body_factor_products(const MbBodyFactor *f, uint32_t group) {
  const Pattern p = pattern_of(f, group);
  size_t sum = 0;
  for (size_t j = 0; j < p.n; j++) {
    const size_t below = p.first[j + 1] - p.first[j];
    sum += below * (below + 1);
  }
  return sum;
}

void mb_body_factor_begin(MbBodyFactor *f, uint32_t group) {
  const Pattern p = pattern_of(f, group);
  memset(f->D, 0, BLOCK * p.n * sizeof *f->D);
  if (p.first[p.n]) {
    memset(f->L, 0, BLOCK * p.first[p.n] * sizeof *f->L);
    memset(f->U, 0, BLOCK * p.first[p.n] * sizeof *f->U);
  }
  for (size_t j = 0; j < p.n; j++)
    for (size_t k = 0; k < 6; k++) f->D[BLOCK * j + (COLUMN + 1) * k] = 1;
}

// Where block (i, j) is among those below the diagonal, i > j: it is there.
static size_t entry_of(const Pattern *p, uint32_t i, uint32_t j) {
  size_t low = p->first[j], high = p->first[j + 1];
  while (high - low > 1) {
    const size_t mid = (low + high) / 2;
    if (p->below[mid] <= i)
      low = mid;
    else
      high = mid;
  }
  return low;
}

// block ← block + Fᵀ T: F of one end, T of the columns of the other
INLINE void add_block(double *block, size_t rows, const Eight F[3], const double (*T)[12], size_t end) {
  for (size_t c = 0; c < 6; c++) {
    Eight x;
    get(&x, block, c);
    for (size_t r = 0; r < rows; r++) x += F[r] * T[r][6 * end + c];
    memcpy(block + COLUMN * c, &x, sizeof x);
  }
}

INLINE void add(MbBodyFactor *f, const Pattern *p, const uint32_t place[2], size_t rows, const double *F,
                const double *K) {
  double T[3][12]; // K F
  Eight ends[2][3] = {{{0}}};
  for (size_t r = 0; r < rows; r++) {
    for (size_t k = 0; k < 12; k++) T[r][k] = K[rows * r] * F[k];
    for (size_t c = 1; c < rows; c++)
      for (size_t k = 0; k < 12; k++) T[r][k] += K[rows * r + c] * F[12 * c + k];
    for (size_t end = 0; end < 2; end++) memcpy(&ends[end][r], F + 12 * r + 6 * end, 6 * sizeof *F);
  }
  for (size_t end = 0; end < 2; end++)
    if (place[end] != MB_NO_PLACE) add_block(f->D + BLOCK * (size_t)place[end], rows, ends[end], T, end);
  if (place[0] == MB_NO_PLACE || place[1] == MB_NO_PLACE) return;
  const size_t low = place[0] < place[1] ? 0 : 1, high = 1 - low,
               entry = entry_of(p, place[high], place[low]);
  add_block(f->L + BLOCK * entry, rows, ends[high], T, low);
  add_block(f->U + BLOCK * entry, rows, ends[low], T, high);
}

MB_CLONES void mb_body_factor_add(MbBodyFactor *f, uint32_t group, const uint32_t place[2], size_t rows,
                                  const double *F, const double *K) {
  const Pattern p = pattern_of(f, group);
  if (rows == 3)
    add(f, &p, place, 3, F, K);
  else
    add(f, &p, place, 1, F, K);
}

// Takes block column j out of the one of its k-th row, whose rows below are among that one's.
INLINE void update(MbBodyFactor *f, const Pattern *p, size_t entry, size_t end) {
  const size_t k = p->below[entry];
  const double *Lk = f->L + BLOCK * entry, *Uk = f->U + BLOCK * entry;
  size_t at = p->first[k];
  take(f->D + BLOCK * k, Lk, Uk);
  for (size_t e = entry + 1; e < end; e++, at++) {
    while (p->below[at] != p->below[e]) at++;
    take(f->L + BLOCK * at, f->L + BLOCK * e, Uk);
    take(f->U + BLOCK * at, Lk, f->U + BLOCK * e);
  }
}

MB_CLONES bool mb_body_factor_make(MbBodyFactor *f, uint32_t group) {
  const Pattern p = pattern_of(f, group);
  for (size_t j = 0; j < p.n; j++) {
    double *D = f->D + BLOCK * j;
    if (!invert(D)) return false;
    for (size_t e = p.first[j]; e < p.first[j + 1]; e++) times(f->L + BLOCK * e, D);
    for (size_t e = p.first[j]; e < p.first[j + 1]; e++) update(f, &p, e, p.first[j + 1]);
  }
  return true;
}

MB_CLONES void mb_body_factor_solve(const MbBodyFactor *f, uint32_t group, double *x) {
  const Pattern p = pattern_of(f, group);
  for (size_t j = 0; j < p.n; j++)
    for (size_t e = p.first[j]; e < p.first[j + 1]; e++)
      take_from(x + 6 * (size_t)p.below[e], f->L + BLOCK * e, x + 6 * j);
  for (size_t j = p.n; j-- > 0;) {
    double y[6] = {0};
    for (size_t e = p.first[j]; e < p.first[j + 1]; e++)
      take_from(x + 6 * j, f->U + BLOCK * e, x + 6 * (size_t)p.below[e]);
    take_from(y, f->D + BLOCK * j, x + 6 * j);
    for (size_t k = 0; k < 6; k++) x[6 * j + k] = -y[k];
  }
}
