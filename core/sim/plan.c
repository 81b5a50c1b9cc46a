#include "core/sim/plan.h"

#include <math.h>

MbPlan mb_plan_frames_of(double step, double interval, int64_t every) {
  MbPlan plan = {.step = step, .steps = INT64_MAX};
  if (!isnan(interval))
    plan.interval = interval;
  else
    plan.every = every > 0 ? every : 1;
  return plan;
}

MbPlan mb_plan(const MbSceneSpec *spec) {
  const MbTimeSpec *time = &spec->time;
  const MbOutputSpec *output = &spec->output;
  MbPlan plan = mb_plan_frames_of(time->step, output->interval, output->every);
  plan.steps = mb_time_steps(time);
  if (!isnan(output->checkpoint)) {
    const double between = rint(output->checkpoint / time->step);
    plan.checkpoint = between < 1 ? 1 : between > 1e15 ? INT64_MAX : (int64_t)between;
  }
  return plan;
}

// The step nearest to k intervals.
static int64_t interval_step(const MbPlan *plan, int64_t k) {
  return (int64_t)floor((double)k * plan->interval / plan->step + 0.5);
}

bool mb_plan_frame_due(const MbPlan *plan, int64_t step) {
  if (step == 0 || step == plan->steps) return true;
  if (plan->every) return step % plan->every == 0;
  if (plan->interval <= plan->step) return true;
  const int64_t k = (int64_t)floor((double)step * plan->step / plan->interval + 0.5);
  for (int64_t near = k > 0 ? k - 1 : 0; near <= k + 1; near++)
    if (interval_step(plan, near) == step) return true;
  return false;
}

bool mb_plan_checkpoint_due(const MbPlan *plan, int64_t step) {
  return step > 0 && plan->checkpoint > 0 && step % plan->checkpoint == 0;
}
