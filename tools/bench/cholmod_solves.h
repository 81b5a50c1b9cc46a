// CHOLMOD beside ours, where SuiteSparse is installed. Nothing else needs it.
#ifndef MB_TOOLS_CHOLMOD_SOLVES_H
#define MB_TOOLS_CHOLMOD_SOLVES_H

#include "core/sparse/sparse.h"

typedef struct MbCholmod MbCholmod;

bool mb_cholmod_there(void);
// The better of AMD and METIS, simplicial or supernodal. NULL: not there, or out of memory.
MbCholmod *mb_cholmod_analyse(const MbPattern *A, const double *values, bool supernodal);
void mb_cholmod_free(MbCholmod *c);
bool mb_cholmod_factor(MbCholmod *c);
// x ← A⁻¹ b, n rows of 3 numbers, without allocation after the first time. Turned to CHOLMOD's columns and back by
// `mb_cholmod_put` and `mb_cholmod_get`, so that only the solve itself is timed.
void mb_cholmod_put(MbCholmod *c, const double *b);
bool mb_cholmod_solve(MbCholmod *c);
void mb_cholmod_get(const MbCholmod *c, double *x);
double mb_cholmod_entries(const MbCholmod *c); // of L

#endif
