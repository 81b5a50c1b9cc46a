// Which solver runs a model.
#include "core/solvers/solvers.h"

const MbSolverOps *mb_solver_for(const MbModel *model, MbArena *arena) {
  return mb_model_points(model) ? mb_projective_solver(model, arena) : mb_solver_of_model_bodies(model);
}
