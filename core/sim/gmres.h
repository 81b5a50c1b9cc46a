// GMRES [Saad and Schultz 1986]: a linear system of which products are all that is known. Directions are begun anew after some: then from
// what is truly left.
#ifndef MB_SIM_GMRES_H
#define MB_SIM_GMRES_H

#include "core/base/arena.h"

#include <stdbool.h>

typedef struct MbGmres MbGmres;

// The system, as whoever asks has it at hand: `to` is handed to both. False: it cannot be asked.
typedef struct MbGmresOf {
  void *to;
  // out ← the product with x, preconditioned
  bool (*product)(void *to, const double *x, double *out);
  // out ← what is left of b at x (NULL: 0), preconditioned
  bool (*left)(void *to, const double *b, const double *x, double *out);
} MbGmresOf;

// Makes one for n numbers in an arena; NULL: out of memory.
MbGmres *mb_gmres_create(MbArena *arena, size_t n);
// b ← the solution; what is left is `tolerance` of b, as the preconditioner measures. False: it was not found.
bool mb_gmres_solve(MbGmres *gmres, const MbGmresOf *of, double tolerance, double *b);

#endif
