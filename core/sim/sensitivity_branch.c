// Branches of steps: derivatives by differences of single steps are those of the branch that the run takes, so that a step beside the run's is asked whether it has
// taken the same.
#include "core/constraints/joint_friction.h"
#include "core/sim/constrain_internal.h"
#include "core/sim/sensitivity_parts.h"

#include <math.h>

// The step's forces of a constraint's rows.
static const double *forces_of(const MbSim *sim, const MbConstraint *c) {
  return sim->state.memory + sim->section[MB_SECTION_FORCES] + c->slot;
}

// The largest force of all rows of dry friction in the step.
static double largest_of(const MbSim *sim) {
  double largest = 0;
  for (size_t i = 0; i < sim->model->nconstraints; i++) {
    const MbConstraint *c = &sim->model->constraints[i];
    for (size_t k = 0; c->dry && k < c->rows; k++)
      largest = fmax(largest, sim->constraining->set.row[c->slot + k].most);
  }
  return largest;
}

// Which bound of its largest force a row of dry friction is at: it slips; 0: it sticks. Slipping rows are at it but for rounding and, inside joints, for
// what the last pass of loads has moved it by, which is the tolerance of the largest.
static int slips(const MbSim *sim, const MbConstraint *c, size_t k, double largest) {
  static const double ROUNDING = 1e-9;
  const bool loaded = c->ops == &mb_joint_friction_ops;
  const double moved = loaded ? ((const MbJointFriction *)c->parameters)->tolerance * largest : 0;
  const double force = forces_of(sim, c)[k],
               least = (1 - ROUNDING) * sim->constraining->set.row[c->slot + k].most - moved;
  return force >= least ? 1 : force <= -least ? -1 : 0;
}

// Whether the same rows of one way have pressed, and the same of dry friction have slipped that way.
static bool same_rows(const MbSim *run, const MbSim *side) {
  const double most = largest_of(run), beside = largest_of(side);
  for (size_t i = 0; i < run->model->nconstraints; i++) {
    const MbConstraint *c = &run->model->constraints[i], *other = &side->model->constraints[i];
    for (size_t k = 0; k < c->rows; k++) {
      if (c->unilateral && (forces_of(run, c)[k] > 0) != (forces_of(side, other)[k] > 0)) return false;
      if (c->dry && slips(run, c, k, most) != slips(side, other, k, beside)) return false;
    }
  }
  return true;
}

// Whether a side's step is of as many stages as the run's.
static bool same_parts(const MbSim *run, const MbSim *side) {
  const MbStageNote *notes;
  return !run->newton || mb_newton_stages(run, &notes) == mb_newton_stages(side, &notes);
}

bool mb_slope_same_branch(const MbSim *run, const MbSim *side) {
  return same_rows(run, side) && mb_touch_slopes_same(run, side) && same_parts(run, side);
}

const char *mb_slope_dry_refuse(const MbModel *model) {
  static const double TIGHT = 1e-9; // over what models are apart by
  for (size_t i = 0; i < model->nconstraints; i++) {
    const MbConstraint *c = &model->constraints[i];
    if (c->ops == &mb_joint_friction_ops && ((const MbJointFriction *)c->parameters)->tolerance > TIGHT)
      return "there are derivatives of friction inside joints only where its loads are found to 1e-9: leave "
             "its \"tolerance\" at that";
  }
  return NULL;
}

bool mb_slope_branches(const MbModel *model) {
  bool any = model->dry || model->contacts.any;
  for (size_t i = 0; i < model->nconstraints; i++) any |= model->constraints[i].unilateral;
  return any;
}
