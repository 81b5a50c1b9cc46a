// Newton's method on a function that is zero where the problem is solved.
#ifndef MB_CONTACT_NONSMOOTH_NEWTON_H
#define MB_CONTACT_NONSMOOTH_NEWTON_H

#include "core/contact/contact_parts.h"

// One block's F(λ, w), in velocities, and how it changes: dF = A dλ + B dw.
typedef struct MbNewtonBlock {
  double F[3], A[9], B[9]; // of one row A[0] and B[0]
} MbNewtonBlock;

void mb_newton_block(const MbBlock *block, MbContactFunction function, const double *lambda, const double *w,
                     MbNewtonBlock *part);

enum {
  MB_NEWTON_BASIS = 60 // vectors of GMRES for one that is not
};

typedef struct MbNewton {
  MbStrips strips;
  MbContactFunction function;
  // steps of few rows are refined, so that α may be larger: rounding is magnified less along what moves nothing
  bool refines;
  double alpha; // of steps, at least
  // contacts give way along their normals by that share of their own W; of systems that are factored alone (sharing.c)
  double yields;
  MbNewtonBlock *part;            // (nblocks)
  double *lambda, *w;             // (n)
  double *best, *best_w;          // (n)
  double *trial, *trial_w, *step; // (n)
  uint32_t *active, *place;       // (n) rows of the system; each row's place there, from 1, or 0
  double *x;                      // (n)
  // systems that are factored
  double *J;               // by columns (contact_dense.h), or NULL
  int *pivot;              // (n)
  double *right, *refined; // (n)
  // those that are not
  double *basis;   // (MB_NEWTON_BASIS + 1 x n)
  double *inverse; // (9 nblocks) of each block's own part
} MbNewton;

// Lays out what steps need; λ is the caller's to fill.
void mb_newton_make(MbNewton *newton, MbRoom *room, const MbStrips *strips, MbContactFunction function);
// Steps from λ until the natural map is that share of what is enough (a λ that is enough before the first step needs none), or `most` times. Leaves
// the best λ that was met, and its w. False: it is not enough.
bool mb_newton_run(MbNewton *newton, size_t most, double share, size_t *done);
// step ← what makes F + dF zero, W having alpha times each block's scale more on its diagonal. False where it cannot be found.
bool mb_newton_step(MbNewton *newton, double alpha);

extern const MbContactMethod mb_contact_nonsmooth_newton;

#endif
