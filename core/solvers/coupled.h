// Forces that couple pairs of bodies: their blocks of A = M − a D − b K, and the solution of A x = b where a solver inverts
// only the part of A that has a block a body (RM 2.13, Alg. 10: that inverse as the preconditioner).
#ifndef MB_SOLVERS_COUPLED_H
#define MB_SOLVERS_COUPLED_H

#include "core/model/ops.h"

typedef struct MbCoupling {
  const MbModel *model;
  bool on;          // A has blocks of pairs
  bool exact;       // it need not be symmetric
  double *pair;     // (npairs x 2 x 36) −a D − b K
  double *point;    // (npairs x 9) the same of two nodes that do not turn, by places: the first one's rows
  double *diagonal; // (nb x 36) M − a D − b K
  double *F;        // (nb x 6) scratch
  double *vectors;  // (6 x nv) scratch
} MbCoupling;

// Room for the model's pairs; none where it has none. False when memory ran out.
bool mb_coupling_create(const MbModel *model, MbCoupling *coupling);
void mb_coupling_free(MbCoupling *coupling);
size_t mb_coupling_bytes(const MbModel *model);

// The blocks of A; symmetrised unless exact.
void mb_coupling_set(MbCoupling *coupling, const MbMaximal *x, double a, double b, bool exact);
// y += s B φ, with the blocks of the bodies and then of the pairs
void mb_blocks_multiply(const MbModel *model, const double *B, double s, const double *phi, double *y);
// y += s B φ over the pairs, with B of (npairs x 2 x 36)
void mb_pairs_multiply(const MbModel *model, const double *B, double s, const double *phi, double *y);
// y += (−a D − b K) φ over bodies and pairs, with the means of the two sides' blocks where A has them; nothing where x has no derivatives
void mb_means_multiply(const MbModel *model, const MbMaximal *x, double a, double b, bool exact,
                       const double *phi, double *y);
// F = A φ, in maximal terms
void mb_coupling_multiply(const MbCoupling *coupling, const double *phi, double *F);

// What the solver brings: y = A x, and x ← P⁻¹ x.
typedef struct MbInverse {
  void (*multiply)(MbSolverWork *work, const double *x, double *y);
  void (*precondition)(MbSolverWork *work, double *x);
} MbInverse;

// x ← A⁻¹ x, by preconditioned conjugate gradients, or by BiCGStab where A is exact, until the residual is 1e-12 of what it
// was, measured by P⁻¹ (CG) or as energy (BiCGStab). False where that fails, as where A is indefinite; x is then not
// a number.
bool mb_coupling_solve(MbCoupling *coupling, MbSolverWork *work, const MbInverse *inverse, double *x);

#endif
