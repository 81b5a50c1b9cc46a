// Branches of steps: derivatives by differences of single steps are those of the branch that the run takes, so that a step beside the run's is asked whether it has
// taken the same.
#include "core/constraints/constraints.h"
#include "core/constraints/joint_friction.h"
#include "core/sim/constrain_internal.h"
#include "core/sim/dry.h"
#include "core/sim/sensitivity_parts.h"

#include <math.h>

// The step's forces of a constraint's rows.
static const double *forces_of(const MbSim *sim, const MbConstraint *c) {
  return sim->state.memory + sim->section[MB_SECTION_FORCES] + c->slot;
}

// Whether the same rows of one way have pressed, and the same of dry friction have slipped that way.
static bool same_rows(const MbSim *run, const MbSim *side) {
  const double most = mb_dry_largest(run), beside = mb_dry_largest(side);
  for (size_t i = 0; i < run->model->nconstraints; i++) {
    const MbConstraint *c = &run->model->constraints[i], *other = &side->model->constraints[i];
    for (size_t k = 0; k < c->rows; k++) {
      if (c->unilateral && (forces_of(run, c)[k] > 0) != (forces_of(side, other)[k] > 0)) return false;
      if (c->dry && mb_dry_slips(run, c, k, forces_of(run, c)[k], most) !=
                        mb_dry_slips(side, other, k, forces_of(side, other)[k], beside))
        return false;
    }
  }
  return true;
}

// Whether a side's step is of as many stages as the run's.
static bool same_parts(const MbSim *run, const MbSim *side) {
  const MbStageNote *notes;
  return !run->newton || mb_stages_noted(run, &notes) == mb_stages_noted(side, &notes);
}

bool mb_slope_same_branch(const MbSensitivity *g, const MbSim *side) {
  return same_rows(g->sim, side) && mb_dry_same_sides(g->sim, side) && mb_touch_slopes_same(g, side) &&
         same_parts(g->sim, side);
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

// ---- tables whose times are the number ----------------------------------------------------------------------------

// Whether a constraint moves something along the signal, so that steps feel its rate.
static bool moves_along(const MbModel *model, size_t signal) {
  for (size_t i = 0; i < model->nconstraints; i++) {
    const MbConstraint *c = &model->constraints[i];
    if (signal >= c->path && signal - c->path < c->npath) return true;
    for (size_t k = 0; k < 3 && c->ops == &mb_motion_ops; k++)
      if (c->signal[k] == signal) return true;
  }
  return false;
}

// Whether a step begins or ends, or has its middle where the integrator looks there, at a time between the two.
static bool step_between(const MbModel *model, double less, double more) {
  static const double ROUNDING = 1e-9; // of a step
  const MbIntegratorKind kind = model->integrator.kind;
  const double span = kind == MB_TRAPEZOIDAL || kind == MB_BRIDSON_MARINO ? model->h / 2 : model->h;
  return floor(fmax(less, more) / span + ROUNDING) >= fmin(less, more) / span - ROUNDING;
}

const char *mb_slope_tables_refuse(const MbModel *model, const MbModel *less, const MbModel *more) {
  for (size_t i = 0; i < model->nsignals; i++) {
    const MbSignal *s = &model->signals[i], *l = &less->signals[i], *m = &more->signals[i];
    if (s->kind != MB_SIGNAL_TABLE || l->count != s->count || m->count != s->count) continue;
    const bool holds = s->interpolation == MB_HOLD, cubic = s->interpolation == MB_CUBIC,
               along = !holds && moves_along(model, i);
    for (size_t k = 0; k < s->count; k++) {
      if (l->times[k] == m->times[k]) continue;
      if (holds && k > 0 && s->values[k] != s->values[k - 1])
        return "it is a time at which a table that holds its values jumps, and so does a run where that goes "
               "over a step: "
               "there is no derivative by it";
      const bool bends =
          along && (!cubic || k == 0 || k + 1 == s->count); // a spline has corners at its ends alone
      if (bends && step_between(model, l->times[k], m->times[k]))
        return "it is a time at which a motion's table bends, and a step is just there, which feels one rate "
               "or the other: "
               "there is no derivative by it; move the time by a part of a step";
    }
  }
  return NULL;
}
