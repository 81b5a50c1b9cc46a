// The mixed linear complementarity problem on W = H A⁻¹ Hᵀ by principal pivoting, columns of W made on demand
// (AR 0.7, 0.8; B96 8):
//   w = W λ + b,   w_i = 0 for bilateral rows,   0 ≤ λ_i ⊥ w_i ≥ 0 for unilateral ones.
#ifndef MB_CONTACT_PIVOTING_H
#define MB_CONTACT_PIVOTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct MbMixedProblem {
  size_t n;               // rows
  const double *b;        // (n)
  const double *slack;    // (n) sizes of w that are rounding
  const double *least;    // (n) W_ii up to which a row moves nothing
  const bool *unilateral; // (n)
  // out (n) ← column i of W, which is symmetric and positive semidefinite
  void (*column)(void *context, size_t i, double *out);
  void *context;
  bool same; // all but b and slack is as in the last solution: W and its factor over bilateral rows are kept
} MbMixedProblem;

// Scratch, which grows to the largest problem met; zero it before use.
typedef struct MbPivoting {
  // solution
  double *lambda; // (n)
  double *w;      // (n)
  bool *dropped;  // (n) depends on the rows that are tight, or moves nothing: w is what it comes to

  size_t rows, columns;  // room
  size_t nbilateral;     // of the tight ones, that are bilateral: they come first
  size_t *tight, ntight; // rows with w = 0, in the order of the factor
  double *L;             // (ntight x ntight) lower factor of W over the tight rows, rows of length `columns`
  double *W;             // (columns made x n)
  size_t *place, nmade;  // (n) where a row's column is, from 1; 0 = not made
  double *t, *d;         // (n)
} MbPivoting;

typedef enum MbPivotingResult { MB_PIVOTED, MB_PIVOTING_MEMORY, MB_PIVOTING_CYCLES } MbPivotingResult;

// Room for n rows, `tight` of them at once: a solution within it does not allocate. False when memory ran out.
bool mb_pivoting_reserve(MbPivoting *p, size_t n, size_t tight);
void mb_pivoting_free(MbPivoting *p);
size_t mb_pivoting_bytes(const MbPivoting *p);

// Bilateral rows first, the most independent one next; those whose pivot is below 1e-10 of their own W_ii are dropped.
// Then unilateral rows with w < 0 are driven to w = 0 one after the other, others giving way when their λ comes to 0
// (Keller's principal pivoting). Rows that cannot be satisfied are dropped too: w tells by how much.
MbPivotingResult mb_pivoting_solve(MbPivoting *p, const MbMixedProblem *problem);

#endif
