// The rate γ at which gaps are asked to close where the scene does not give it: 1/h, so that what is prescribed is met at a
// step's end.
//
// The adaptive integrator would follow such a pull in steps of about 3 h, whatever the motion is. There γ is some times the
// fastest rate that is known of the scene: of swinging by gravity, √(g/ℓ) with the longest arm ℓ; of spinning at the start; or, where
// there is neither, that of a thousand steps of the scene. It keeps what drifts apart by no more than the integrator's tolerance
// together. How long the scene lasts is no part of it: a run that goes on for longer is the same model's.
#include "core/compile/compile_internal.h"
#include "core/math/vec3.h"

// The longest way from a joint, or from the end of a constraint, to its body's centre of mass.
static double longest_arm(const MbModel *model) {
  double most = 0;
  for (size_t b = 0; b < model->nb; b++)
    if (model->joint[b].ops)
      most = fmax(most, fmax(mb_vec3_norm(model->B[b].p), mb_vec3_norm(model->P[b].p)));
  for (size_t i = 0; i < model->nconstraints; i++)
    for (int end = 0; end < 2; end++)
      if (model->constraints[i].body[end] != MB_WORLD)
        most = fmax(most, mb_vec3_norm(model->constraints[i].at[end]));
  return most;
}

double mb_compile_gamma(const MbSceneSpec *spec, const MbModel *model) {
  static const double TIMES = 5, SLOW = 1000;
  const double h = spec->time.step, arm = longest_arm(model);
  if (spec->integrator.kind != MB_RK45) return 1 / h;
  double rate = 0;
  if (arm > 0) rate = fmax(rate, sqrt(mb_vec3_norm(model->gravity) / arm));
  for (size_t b = 0; b < model->nb; b++) {
    const MbJoint *joint = &model->joint[b];
    if (!joint->ops) rate = fmax(rate, mb_vec3_norm(model->v0 + model->v_first[b]));
    for (size_t k = 0; joint->ops && k < joint->n; k++)
      rate = fmax(rate, fabs(model->v0[model->v_first[b] + k]));
  }
  if (!(rate > 0)) rate = 1 / (SLOW * h);
  return fmin(TIMES * rate, 1 / h);
}
