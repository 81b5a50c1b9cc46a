// Iterations of bodies and deformables that go down along the energy of both, with rows (descent.c).
#ifndef MB_SOLVERS_PROJECTIVE_DESCENT_H
#define MB_SOLVERS_PROJECTIVE_DESCENT_H

#include "core/solvers/projective/projective_work.h"

// Makes room; for as many rows as a step will have. False: out of memory.
bool mb_descent_make(MbSolverWork *work);
bool mb_descent_room(MbSolverWork *work, size_t rows);
void mb_descent_free(MbSolverWork *work);
size_t mb_descent_bytes(const MbSolverWork *work);

// Takes note of an iteration whose correction is taken whole: bodies' velocities v, the impulses along the velocities that they have come to
// from there, and the rows' multipliers.
void mb_descent_begin(MbSolverWork *work, const double *v, const double *impulse, const double *lambda);
// Makes of v what the iteration comes to without rows. False: the bodies' matrix could not be solved with.
bool mb_descent_pass(MbSolverWork *work, const double *push, double *v);
// Ends it at velocities v, which impulses along the velocities have come to from there, of rows with multipliers lambda; v and lambda become
// those that are taken. False: numbers that are not finite.
bool mb_descent_end_pass(MbSolverWork *work, double *v, const double *impulse, double *lambda);

// Adds to x, along the velocities of bodies and listed nodes, what the last iterations have told of the matrix's inverse, of impulses with
// these weights; the weights of impulses y, and of one row.
void mb_descent_answer(const MbSolverWork *work, const double weights[MB_PAIR_WEIGHTS], double *x);
bool mb_descent_weights(const MbSolverWork *work, const double *y, double weights[MB_PAIR_WEIGHTS]);
// The weights of pushes y along the velocities of bodies (NULL: none) and H (3 each) at n listed nodes.
void mb_descent_weigh(const MbSolverWork *work, const double *y, size_t n, const size_t *node,
                      const double *H, double *weights);
// Adds to W (k x k) what they have told of rows.
void mb_descent_responses(MbSolverWork *work, size_t k, const MbRow *const *row, double *W);

#endif
