#include "core/solvers/solvers.h"

const MbSolverOps *mb_solver_for(const MbModel *model) {
  if (!model->jointed) return &mb_free_bodies_ops;
  return model->solver.dynamics == MB_DENSE ? &mb_redmax_dense_ops : &mb_redmax_recursive_ops;
}
