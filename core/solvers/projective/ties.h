// Springs between a body and a node, which couple the bodies' matrix with the deformables' (ties.c).
#ifndef MB_SOLVERS_PROJECTIVE_TIES_H
#define MB_SOLVERS_PROJECTIVE_TIES_H

#include "core/solvers/projective/projective_work.h"

// Makes room, where forces act on ports; elsewhere *ties stays NULL. False: out of memory.
bool mb_ties_make(const MbSolverWork *work, MbTies **ties);
void mb_ties_free(MbTies *ties); // NULL is fine
size_t mb_ties_bytes(const MbTies *ties);

// Takes the forces' derivatives at ports and between these and bodies. Returns what is left of x, which the bodies' solver is to factor.
const MbMaximal *mb_ties_take(MbTies *ties, const MbSolverWork *work, const MbMaximal *x, double a, double b);
// Prepares the solution with them, when the bodies' matrix is factored. False: there is none; *blame: a node.
bool mb_ties_factor(MbTies *ties, MbSolverWork *work, size_t *blame);
// Makes of x = A₀⁻¹ r, the solution without these derivatives, that with them.
void mb_ties_correct(MbTies *ties, MbSolverWork *work, double *x);
// Adds to impulses at ports what the derivatives push with at velocities v.
void mb_ties_pull(MbTies *ties, const double *v, double *impulse);

#endif
