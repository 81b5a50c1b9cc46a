// Which solver runs a model's bodies.
#include "core/integrators/integrators.h"
#include "core/solvers/solvers.h"

enum {
  SMALL = 16
}; // velocities up to which a dense factor costs no more than iterations over pairs, as measured

const MbSolverOps *mb_solver_of_model_bodies(const MbModel *model) {
  const bool maximal = mb_solver_of_bodies(&model->solver) == MB_SOLVER_MAXIMAL;
  const bool reduced = model->nreductions || model->nfollowers;
  if (maximal && (model->jointed || model->nconstraints) && !model->solver.project)
    return reduced ? &mb_followers_maximal_ops : &mb_maximal_ops;
  if (!model->jointed) return &mb_free_bodies_ops;
  if (maximal) return reduced ? &mb_followers_projected_ops : &mb_maximal_projected_ops;
  const bool iterates = model->npairs && mb_integrator_table[model->integrator.kind].a != 0;
  const bool dense = model->solver.dynamics == MB_DENSE ||
                     (model->solver.dynamics == MB_DYNAMICS_AUTO && iterates && model->nv <= SMALL);
  if (reduced) return dense ? &mb_followers_dense_ops : &mb_followers_recursive_ops;
  return dense ? &mb_redmax_dense_ops : &mb_redmax_recursive_ops;
}
