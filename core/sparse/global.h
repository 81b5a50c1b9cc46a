// The global step of projective dynamics: A x = b over and over, with A (n x n, n > 0) symmetric, positive definite, constant, and
// three right-hand sides. One interface over methods, among them those that only come nearer the solution.
#ifndef MB_SPARSE_GLOBAL_H
#define MB_SPARSE_GLOBAL_H

#include "core/mbsim.h"
#include "core/sparse/global_method.h"
#include "core/sparse/sparse.h"

typedef struct MbGlobalOptions { // all may be zero
  MbGlobalMethod method;
  // An inverse's numbers are floats, half the memory; a solve corrects its result once, by a residual in doubles
  bool single;
  bool device; // what `auto` chooses for
  int threads; // of mb_global_factor
  // Bytes that an inverse, or a factor while it is made, may take; 0 = mb_sparse_room, for all that is held at once
  size_t memory;
  size_t sweeps; // of a solve by jacobi or chebyshev; 0 = 1
} MbGlobalOptions;

typedef struct MbGlobal MbGlobal;

// Analyses the pattern, which must outlive the object. MB_SCENE where a factor or an inverse would not fit, with how much it would take, before memory for its numbers is asked for;
// MB_IO: out of memory.
MbStatus mb_global_create(const MbPattern *A, const MbGlobalOptions *options, MbGlobal **global,
                          MbReport *report);
void mb_global_free(MbGlobal *global); // NULL is fine

// Takes numbers, at first or anew. MB_NUMBERS where A is not positive definite, with the row at which that shows in *blame (may
// be NULL); numbers taken before then stay. It may allocate.
MbStatus mb_global_factor(MbGlobal *global, const double *values, size_t *blame, MbReport *report);

// x = A⁻¹ b, n rows of 3 numbers; by jacobi and chebyshev so many sweeps from x. Complete methods may have b and x the same.
// Allocates nothing; the same bits for any number of threads. Uses scratch of the object: one solve at a time.
void mb_global_solve(MbGlobal *global, const double *b, double *x, int threads);
// Of jacobi and chebyshev: sweeps from x.
void mb_global_sweep(MbGlobal *global, const double *b, double *x, size_t sweeps, int threads);
// The largest |b − A x| over the largest |b|.
double mb_global_residual(const MbGlobal *global, const double *b, const double *x);

typedef struct MbGlobalSize {
  MbGlobalMethod method; // that was chosen
  size_t factor;         // entries of L, without zeros that are stored
  size_t entries;        // numbers that the method stores and a solve reads
  size_t bytes;          // of these and what finds them, without A's own
  double low,
      high; // jacobi, chebyshev: estimates of the least and largest eigenvalue of D⁻¹ A, D its diagonal
} MbGlobalSize;

MbGlobalSize mb_global_size(const MbGlobal *global);

// What stands behind: for a device's copy, and for tests. NULL unless the method is an inverse.
const struct MbInverse *mb_global_inverse(const MbGlobal *global);

#endif
