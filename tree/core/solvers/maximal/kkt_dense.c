// The whole system by LAPACK, the reference for the others:
//   A = L Lᵀ,  Y = L⁻¹ Jᵀ,  S = Yᵀ Y = J A⁻¹ Jᵀ,   λ = S⁻¹ (b − J A⁻¹ r),   v = A⁻¹ (r + Jᵀ λ)
// A row that depends on others leaves S a pivot of no more than rounding.
#include "core/base/lapack.h"
#include "core/base/alloc.h"
#include "core/base/blas.h"
#include "core/solvers/maximal/kkt.h"

#include <math.h>
#include <string.h>

struct MbKktWork {
  const MbKktShape *shape;
  size_t n, m;
  double *L;        // (n x n) lower triangle, column major
  double *Y;        // (n x m) column major
  double *S;        // (m x m) lower triangle, column major
  double *diagonal; // (m) of S
};

static void free_work(MbKktWork *work) {
  if (!work) return;
  mb_free(work->L);
  mb_free(work->Y);
  mb_free(work->S);
  mb_free(work->diagonal);
  mb_free(work);
}

static MbKktWork *create(const MbKktShape *shape, int threads) {
  (void)threads;
  if (!mb_blas_start(1)) return NULL;
  size_t nn = 0, nm = 0, mm = 0;
  MbKktWork *work = mb_calloc(1, sizeof *work);
  if (!work) return NULL;
  const size_t n = 6 * shape->nb, m = shape->nrows;
  *work = (MbKktWork){.shape = shape, .n = n, .m = m};
  const bool fits = n < INT32_MAX && m < INT32_MAX && !__builtin_mul_overflow(n, n, &nn) &&
                    !__builtin_mul_overflow(n, m, &nm) && !__builtin_mul_overflow(m, m, &mm);
  work->L = fits ? mb_calloc(nn, sizeof(double)) : NULL;
  work->Y = fits ? mb_calloc(nm, sizeof(double)) : NULL;
  work->S = fits ? mb_calloc(mm, sizeof(double)) : NULL;
  work->diagonal = mb_calloc(m, sizeof(double));
  if (work->L && work->Y && work->S && work->diagonal) return work;
  free_work(work);
  return NULL;
}

static size_t bytes(const MbKktWork *work) {
  const size_t n = work->n, m = work->m;
  return sizeof *work + (n * n + n * m + m * m + m) * sizeof(double);
}

// The block in the rows of body i and the columns of j < i; `turned`: given in the rows of j
static void put_block(MbKktWork *work, size_t i, size_t j, const double *B, bool turned) {
  for (size_t k = 0; k < 6; k++)
    for (size_t l = 0; l < 6; l++)
      work->L[(6 * j + l) * work->n + 6 * i + k] += turned ? B[6 * l + k] : B[6 * k + l];
}

static void fill(MbKktWork *work, const MbKktNumbers *numbers) {
  const MbKktShape *shape = work->shape;
  memset(work->L, 0, work->n * work->n * sizeof *work->L);
  memset(work->Y, 0, work->n * work->m * sizeof *work->Y);
  for (size_t b = 0; b < shape->nb; b++) {
    const size_t p = shape->parent[b];
    for (size_t k = 0; k < 6; k++)
      for (size_t l = 0; l <= k; l++)
        work->L[(6 * b + l) * work->n + 6 * b + k] = numbers->A[36 * b + 6 * k + l];
    if (numbers->C && p != SIZE_MAX) put_block(work, b, p, numbers->C + 36 * b, false);
    for (size_t r = shape->first[b]; r < shape->first[b] + shape->rows[b]; r++)
      for (size_t k = 0; k < 6; k++) {
        work->Y[r * work->n + 6 * b + k] = numbers->Jc[6 * r + k];
        if (p != SIZE_MAX) work->Y[r * work->n + 6 * p + k] = numbers->Jp[6 * r + k];
      }
  }
  for (size_t n = 0; numbers->pairs && n < shape->npairs; n++)
    put_block(work, shape->pair[2 * n + 1], shape->pair[2 * n], numbers->pairs + 36 * n, true);
}

static size_t body_of_row(const MbKktShape *shape, size_t r) {
  for (size_t b = 0; b < shape->nb; b++)
    if (r < shape->first[b] + shape->rows[b]) return b;
  return shape->nb - 1;
}

static bool factor(MbKktWork *work, const MbKktNumbers *numbers, size_t *blame) {
  static const double NONE = 1e-13; // of a row's own, what rounding leaves
  const int n = (int)work->n, m = (int)work->m;
  if (!n) return true;
  fill(work, numbers);
  lapack_int info = mb_lapack.dpotrf(LAPACK_COL_MAJOR, 'L', n, work->L, n);
  if (info > 0) *blame = ((size_t)info - 1) / 6;
  if (info || !m) return info == 0;
  mb_lapack.dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, n, m, 1, work->L, n,
                  work->Y, n);
  mb_lapack.dsyrk(CblasColMajor, CblasLower, CblasTrans, m, n, 1, work->Y, n, 0, work->S, m);
  for (size_t r = 0; r < work->m; r++) work->diagonal[r] = work->S[r * work->m + r];
  info = mb_lapack.dpotrf(LAPACK_COL_MAJOR, 'L', m, work->S, m);
  for (size_t r = 0; r < work->m && (info <= 0 || r < (size_t)info); r++) {
    const double pivot = work->S[r * work->m + r];
    if (pivot * pivot > NONE * work->diagonal[r] && info != (lapack_int)r + 1) continue;
    *blame = body_of_row(work->shape, r);
    return false;
  }
  return info == 0;
}

static void solve(MbKktWork *work, double *v, double *lambda) {
  const int n = (int)work->n, m = (int)work->m;
  if (!n) return;
  mb_lapack.dtrsv(CblasColMajor, CblasLower, CblasNoTrans, CblasNonUnit, n, work->L, n, v, 1);
  if (m) {
    mb_lapack.dgemv(CblasColMajor, CblasTrans, n, m, -1, work->Y, n, v, 1, 1, lambda, 1);
    mb_lapack.dpotrs(LAPACK_COL_MAJOR, 'L', m, 1, work->S, m, lambda, m);
    mb_lapack.dgemv(CblasColMajor, CblasNoTrans, n, m, 1, work->Y, n, lambda, 1, 1, v, 1);
  }
  mb_lapack.dtrsv(CblasColMajor, CblasLower, CblasTrans, CblasNonUnit, n, work->L, n, v, 1);
}

const MbKktOps mb_kkt_dense_ops = {.name = "dense",
                                   .pairs = true,
                                   .create = create,
                                   .free = free_work,
                                   .bytes = bytes,
                                   .factor = factor,
                                   .solve = solve};
