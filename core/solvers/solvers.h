// The solvers: each is an inverse of A = M − a D − b K in its own coordinates.
#ifndef MB_SOLVERS_SOLVERS_H
#define MB_SOLVERS_SOLVERS_H

#include "core/base/arena.h"
#include "core/model/ops.h"

// Tells what runs a model; tables that are made for it lie in the arena. NULL: out of memory.
const MbSolverOps *mb_solver_for(const MbModel *model, MbArena *arena);
// Tells what runs its bodies: without joints `redmax` and `maximal` are the same, A being block diagonal.
const MbSolverOps *mb_solver_of_model_bodies(const MbModel *model);
// Makes the tables of the solver that has deformables of elements beside them (projective/projective_solver.c). NULL: out of memory.
const MbSolverOps *mb_projective_solver(const MbModel *model, MbArena *arena);

extern const MbLayout mb_pose_layout; // of maximal coordinates (maximal/poses.c)
extern const MbSolverOps mb_maximal_ops, mb_maximal_projected_ops;
extern const MbSolverOps mb_free_bodies_ops, mb_redmax_dense_ops, mb_redmax_recursive_ops;
// The same where coordinates or nodes follow others (followers.c).
extern const MbSolverOps mb_followers_dense_ops, mb_followers_recursive_ops;
extern const MbSolverOps mb_followers_maximal_ops, mb_followers_projected_ops;

#endif
