// What constraints are at the start: what the scene leaves to that, and which of them do not hold.
#include "core/compile/compile_internal.h"
#include "core/constraints/constraints.h"

#include <string.h>

bool mb_compile_signal_start(const MbModel *model, const MbSignal *signal, double rates[3], char *message,
                             size_t size) {
  MbExpression *e = NULL;
  if (signal->kind == MB_SIGNAL_EXPRESSION &&
      !(e = mb_expression_create(signal->text, model->constants, model->nconstants, true, message, size)))
    return false;
  mb_signal_rates(signal, e, 0, rates);
  mb_expression_free(e);
  return true;
}

// False where an expression does not compile, which the simulation will say.
static bool signals_at_start(const MbModel *model, double *signal) {
  char message[8];
  bool fine = true;
  for (size_t i = 0; i < model->nsignals && fine; i++)
    fine = mb_compile_signal_start(model, &model->signals[i], signal + 3 * i, message, sizeof message);
  return fine;
}

// Hard constraints that do not hold at the start. A length that is not given is that at the start.
MbStatus mb_compile_check_start(MbBuilder *b) {
  static const double CLOSE =
      1e-6; // of the numbers whose difference the gap is: what is written with seven digits
  MbModel *model = b->model;
  if (!model->nconstraints) return MB_OK;
  MbArena scratch = {0};
  MbMaximal x = {.nb = model->nb};
  x.E = mb_arena_alloc(&scratch, model->nb, sizeof *x.E);
  x.phi = mb_arena_alloc(&scratch, 6 * model->nb, sizeof *x.phi);
  double *signal = mb_arena_alloc(&scratch, 3 * model->nsignals, sizeof *signal);
  MbStatus status = x.E && x.phi && signal ? MB_OK : mb_no_memory(b->report, "constraints");
  if (status == MB_OK) mb_model_poses(model, x.E);
  const bool known = status == MB_OK && signals_at_start(model, signal);
  const MbInstant start = {.x = &x,
                           .q = model->q0,
                           .v = model->v0,
                           .signal = signal,
                           .guess = model->guess0,
                           .found = (double *)model->guess0};
  for (size_t i = 0; i < model->nconstraints && status == MB_OK; i++) {
    const MbConstraint *constraint = &model->constraints[i];
    MbRow row[MB_ROWS] = {0};
    for (size_t k = 0; k < MB_ROWS; k++) row[k].body[0] = row[k].body[1] = MB_WORLD;
    const MbConstraintOps *ops = constraint->ops;
    const bool driven = ops == &mb_motion_ops || constraint->npath;
    memcpy(b->where, b->list[i].where, sizeof b->where);
    if (driven && (constraint->order > 0 || !known)) continue;
    if (ops->settle) status = ops->settle(b, &start, constraint, mb_builder_own(constraint));
    if (status != MB_OK) break;
    ops->eval(constraint, &start, row);
    if (ops->refuse && isnan(row->g)) {
      status = ops->refuse(b, constraint);
      continue;
    }
    if (ops->singular && isnan(row->g)) {
      status = mb_error(b->report, MB_SCENE, b->where, "\"%s\" has no numbers at the start: %s",
                        constraint->name, ops->singular);
      continue;
    }
    double gap = 0, size = 0;
    for (size_t k = 0; k < constraint->rows; k++) {
      if (constraint->unilateral && row[k].g > 0) continue;
      gap = fmax(gap, fabs(row[k].g)), size = row[k].size;
    }
    if (gap > CLOSE * size && constraint->compliance == 0)
      mb_warning(b->report, b->where, "\"%s\" does not hold at the start: it is off by %.3g%s",
                 constraint->name, gap,
                 model->solver.stabilization.kind == MB_NO_STABILIZATION
                     ? ", and stays so without stabilization"
                     : "; stabilization closes the gap, with the motion that this takes");
  }
  mb_arena_free(&scratch);
  return status;
}
