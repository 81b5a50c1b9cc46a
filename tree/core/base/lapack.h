// LAPACKE and CBLAS, which are loaded when mb_blas_start() is first called: nothing links with them.
#ifndef MB_BASE_LAPACK_H
#define MB_BASE_LAPACK_H

#include <cblas.h>
#include <lapacke.h>

// What of them is called.
#define MB_LAPACK_CALLS(CALL)                                                                                \
  CALL(dgetrf, LAPACKE_dgetrf_work)                                                                          \
  CALL(dgetrs, LAPACKE_dgetrs_work)                                                                          \
  CALL(dpotrf, LAPACKE_dpotrf_work)                                                                          \
  CALL(dpotri, LAPACKE_dpotri_work)                                                                          \
  CALL(dpotrs, LAPACKE_dpotrs_work)                                                                          \
  CALL(dsterf, LAPACKE_dsterf_work)                                                                          \
  CALL(dsyev, LAPACKE_dsyev_work)                                                                            \
  CALL(dgemm, cblas_dgemm)                                                                                   \
  CALL(dgemv, cblas_dgemv)                                                                                   \
  CALL(dsyrk, cblas_dsyrk)                                                                                   \
  CALL(dtrsm, cblas_dtrsm)                                                                                   \
  CALL(dtrsv, cblas_dtrsv)

typedef struct MbLapack {
#define CALL(name, symbol) __typeof__(&symbol) name;
  MB_LAPACK_CALLS(CALL)
#undef CALL
} MbLapack;

// NULLs until mb_blas_start() has returned true for the first time; the same ever after.
extern MbLapack mb_lapack;

#endif
