// Frames of constraints that jump with a number: an axis just opposite to z is turned there from z one way or another, as it is a little beside it, so that the rows of both sides have other signs than the
// run's, whose forces they would be weighed by.
#include "core/math/se3.h"
#include "core/sim/sensitivity_parts.h"

#include <math.h>

// How a frame of a constraint stands in its body, whatever axes the body has.
static void stand(const MbModel *model, const MbConstraint *c, int end, double q[4]) {
  double own[4];
  mb_quat_from_mat3(own, c->R[end]);
  if (c->body[end] == MB_WORLD)
    memcpy(q, own, sizeof own);
  else
    mb_quat_mul(q, model->C[c->body[end]].q, own);
}

static bool jumps(const MbModel *run, const MbModel *side, size_t constraint, int end) {
  static const double FAR = 0.01; // by some 16 degrees
  double one[4], other[4], same = 0;
  stand(run, &run->constraints[constraint], end, one),
      stand(side, &side->constraints[constraint], end, other);
  for (size_t i = 0; i < 4; i++) same += one[i] * other[i];
  if (!isfinite(same)) return false; // it has no frame
  return fabs(same) < 1 - FAR;
}

const char *mb_slope_frames_refuse(const MbModel *model, const MbModel *less, const MbModel *more) {
  for (size_t i = 0; i < model->nconstraints; i++)
    for (int end = 0; end < 2 && !model->constraints[i].ops->coordinates; end++)
      if (jumps(model, less, i, end) || jumps(model, more, i, end))
        return "a little of it turns a constraint's frame over, as the axis of its joint is just opposite to "
               "z: there is no derivative by it; turn the frames that the constraint is between instead";
  return NULL;
}
