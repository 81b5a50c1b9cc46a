// The solvers: each is an inverse of A = M − a D − b K in its own coordinates.
#ifndef MB_SOLVERS_SOLVERS_H
#define MB_SOLVERS_SOLVERS_H

#include "core/model/ops.h"

// What runs a model: without joints `redmax` and `maximal` are the same, A being block diagonal.
const MbSolverOps *mb_solver_for(const MbModel *model);

extern const MbLayout mb_pose_layout; // of maximal coordinates (maximal/poses.c)
extern const MbSolverOps mb_maximal_ops, mb_maximal_projected_ops;
extern const MbSolverOps mb_free_bodies_ops, mb_redmax_dense_ops, mb_redmax_recursive_ops;
// The same where coordinates or nodes follow others (reduced.c).
extern const MbSolverOps mb_reduced_dense_ops, mb_reduced_recursive_ops;
extern const MbSolverOps mb_reduced_maximal_ops, mb_reduced_projected_ops;

#endif
