// What joints have of constraints: limits, prescribed motion and dry friction of their coordinates.
#include "core/base/report.h"
#include "core/compile/compile_internal.h"
#include "core/constraints/constraints.h"
#include "core/constraints/frictionloss.h"
#include "core/constraints/limit.h"

#include <stdio.h>

// "body", "body.1" for coordinate 1 of several, with what it is behind it
static MbStatus name_coordinate(MbBuilder *b, MbConstraint *constraint, size_t body, size_t i,
                                const char *what) {
  char text[MB_BUILDER_NAME], number[24] = "";
  if (b->model->joint[body].n > 1) snprintf(number, sizeof number, ".%zu", i);
  snprintf(text, sizeof text, "%s%s.%s", b->model->body_name[body], number, what);
  constraint->q[0] = b->model->q_first[body] + i;
  constraint->v[0] = b->model->v_first[body] + i;
  return mb_builder_call(b, constraint, text);
}

// Whether coordinate i of n has a force at its limits instead (compile_stops.c).
static bool is_soft(const MbStopsSpec *stops, size_t n, size_t i) {
  if (!stops || (stops->stiffness.count != 1 && stops->stiffness.count != n)) return false;
  return stops->stiffness.value[stops->stiffness.count == 1 ? 0 : i] > 0;
}

static MbStatus build_limits(MbBuilder *b, size_t listed, const MbLimitsSpec *limits,
                             const MbStopsSpec *stops) {
  const size_t body = b->model->number[listed], n = b->model->joint[body].n;
  const char *where = b->where;
  snprintf(b->where, sizeof b->where, "/bodies/%zu/joint/limits", listed);
  if (!n) return mb_error(b->report, MB_SCENE, where, "this joint has no coordinate that could be limited");
  if (limits->count != 1 && limits->count != n)
    return mb_error(b->report, MB_SCENE, where,
                    "found %zu pairs, wanted 1 or %zu, one for each degree of freedom", limits->count, n);
  for (size_t i = 0; i < n; i++) {
    const double *pair = limits->value + 2 * (limits->count == 1 ? 0 : i);
    const bool soft = is_soft(stops, n, i);
    if (isinf(pair[0]) && isinf(pair[1])) continue;
    if (mb_joint_is_rotation_vector(&b->model->joint[body], i))
      return mb_builder_refuse_rotation_vector(b, where, "limits");
    if (pair[0] > pair[1])
      return mb_error(b->report, MB_SCENE, where, "the lower limit %g is above the upper limit %g", pair[0],
                      pair[1]);
    for (int k = 0; k < 2; k++) {
      if (isinf(pair[k]) || soft) continue;
      MbConstraint *limit = NULL;
      MbStatus status = mb_builder_add(b, &mb_limit_ops, &limit);
      if (status != MB_OK) return status;
      MbLimit *own = mb_builder_own(limit);
      limit->unilateral = true;
      own->sign = k ? -1 : 1, own->bound = pair[k];
      status = name_coordinate(b, limit, body, i, k ? "upper" : "lower");
      if (status != MB_OK) return status;
    }
  }
  return MB_OK;
}

static const MbSignalsSpec *rate_of(const MbMotionSpec *motion, int k) {
  return k == 0 ? &motion->position : k == 1 ? &motion->velocity : &motion->acceleration;
}

// Coordinate i's signal for rate k; NULL: not given.
static const MbSignalSpec *motion_signal(const MbMotionSpec *motion, int k, size_t i) {
  const MbSignalsSpec *signals = rate_of(motion, k);
  if (!signals->count) return NULL;
  const MbSignalSpec *signal = &signals->signal[signals->count == 1 ? 0 : i];
  return signal->kind == MB_SIGNAL_CONSTANT && isnan(signal->value) ? NULL : signal;
}

// Adds that signal to the list, unless it is one for all coordinates and there already; *index ← its number.
static MbStatus add_motion_signal(MbBuilder *b, const MbMotionSpec *motion, int k, size_t i, size_t *index) {
  static const char *const keys[] = {"position", "velocity", "acceleration"};
  const MbSignalsSpec *signals = rate_of(motion, k);
  char at[MB_BUILDER_WHERE];
  if (signals->count == 1 && *index != SIZE_MAX) return MB_OK;
  snprintf(at, sizeof at, signals->list ? "%s/%s/%zu" : "%s/%s", b->where, keys[k], i);
  return mb_model_add_signal(b->model, motion_signal(motion, k, i), at, index, b->report);
}

// Whether coordinate i of a body's joint slides along something that may turn.
static bool slides_on_what_turns(const MbModel *model, size_t body, size_t i) {
  const MbJoint *joint = &model->joint[body];
  double S[6 * MB_JOINT_MOST], Sdot[6 * MB_JOINT_MOST];
  MbPose Q;
  bool turns = false;
  for (size_t p = model->parent[body]; p != MB_WORLD; p = model->parent[p])
    turns |= !model->joint[p].ops || model->joint[p].n > 0;
  if (!turns) return false;
  joint->ops->eval(joint, model->q0 + model->q_first[body], model->v0 + model->v_first[body], &Q, S, Sdot);
  return !(mb_vec3_norm(S + 6 * i) > 0);
}

// Where bodies have velocities of their own, they go straight on in a step of first order, and an acceleration that is prescribed is met where
// the step begins: what it leaves of the way is never made up for. (Of prescribed velocities it is: sim/kept_moves.c.)
static void warn_of_acceleration(const MbBuilder *b, size_t body, size_t i) {
  const MbSolverSpec *solver = &b->model->solver;
  const MbIntegratorKind kind = b->spec->integrator.kind;
  if (solver->kind != MB_SOLVER_MAXIMAL || solver->project || solver->mode == MB_FIRST_ORDER) return;
  if ((kind != MB_SYMPLECTIC && kind != MB_IMPLICIT) || !slides_on_what_turns(b->model, body, i)) return;
  mb_warning(b->report, b->where,
             "under solver \"maximal\" and \"%s\" a slide that is driven by an acceleration along what turns "
             "by ω goes outwards by (ω h)²/2 of its distance more in every step: give a \"position\" or a "
             "\"velocity\", or take solver \"redmax\"",
             mb_integrator_words[kind]);
}

static MbStatus build_motion(MbBuilder *b, size_t listed, const MbMotionSpec *motion) {
  MbModel *model = b->model;
  const size_t body = model->number[listed], n = model->joint[body].n;
  const char *where = b->where;
  snprintf(b->where, sizeof b->where, "/bodies/%zu/joint/motion", listed);
  size_t given = 0;
  for (int k = 0; k < 3; k++) {
    const size_t count = rate_of(motion, k)->count;
    given += count;
    if (count > 1 && count != n)
      return mb_error(b->report, MB_SCENE, where,
                      "found %zu signals, wanted 1 or %zu, one for each degree of freedom", count, n);
  }
  if (!given)
    return mb_error(b->report, MB_SCENE, where,
                    "a motion needs a \"position\", a \"velocity\" or an \"acceleration\"");
  if (!n) return mb_error(b->report, MB_SCENE, where, "this joint has no coordinate that could be driven");
  size_t shared[3] = {SIZE_MAX, SIZE_MAX, SIZE_MAX}; // of rates with one signal for all coordinates
  for (size_t i = 0; i < n; i++) {
    MbConstraint *driven = NULL;
    for (int k = 0; k < 3; k++) {
      const MbSignalSpec *signal = motion_signal(motion, k, i);
      if (!signal) continue;
      if (mb_joint_is_rotation_vector(&model->joint[body], i))
        return mb_builder_refuse_rotation_vector(b, where, "motions");
      if (!driven) {
        MbStatus status = mb_builder_add(b, &mb_motion_ops, &driven);
        if (status != MB_OK) return status;
        driven->order = k;
        driven->signal[0] = driven->signal[1] = driven->signal[2] = SIZE_MAX;
        status = name_coordinate(b, driven, body, i, "motion");
        if (status != MB_OK) return status;
      }
      const MbStatus status = add_motion_signal(b, motion, k, i, &shared[k]);
      if (status != MB_OK) return status;
      driven->signal[k] = shared[k];
    }
    if (driven && driven->order > 1) warn_of_acceleration(b, body, i);
  }
  return MB_OK;
}

static MbStatus build_loss(MbBuilder *b, size_t listed, const MbNumbersSpec *loss) {
  const size_t body = b->model->number[listed], n = b->model->joint[body].n;
  const char *where = b->where;
  snprintf(b->where, sizeof b->where, "/bodies/%zu/joint/frictionloss", listed);
  if (!n) return mb_error(b->report, MB_SCENE, where, "this joint has no coordinate that could rub");
  if (loss->count != 1 && loss->count != n)
    return mb_error(b->report, MB_SCENE, where,
                    "found %zu numbers, wanted 1 or %zu, one for each degree of freedom", loss->count, n);
  bool any = false;
  for (size_t i = 0; i < n; i++) {
    const double most = loss->value[loss->count == 1 ? 0 : i];
    if (!(most > 0)) continue;
    if (mb_joint_is_rotation_vector(&b->model->joint[body], i))
      return mb_builder_refuse_rotation_vector(b, where, "dry friction");
    MbConstraint *made = NULL;
    MbStatus status = mb_builder_add(b, &mb_frictionloss_ops, &made);
    if (status != MB_OK) return status;
    made->dry = any = true;
    ((MbFrictionLoss *)mb_builder_own(made))->most = most;
    status = name_coordinate(b, made, body, i, "frictionloss");
    if (status != MB_OK) return status;
  }
  return any ? mb_compile_check_dry(b, where) : MB_OK;
}

MbStatus mb_compile_joint_rows(MbBuilder *b, size_t listed) {
  const MbJointSpec *joint = &b->spec->bodies[listed].joint;
  const MbStatus limits = joint->limits.count ? build_limits(b, listed, &joint->limits, joint->stops) : MB_OK;
  const MbStatus motion = joint->motion ? build_motion(b, listed, joint->motion) : MB_OK;
  const MbStatus loss = joint->frictionloss.count ? build_loss(b, listed, &joint->frictionloss) : MB_OK;
  const MbStatus friction = joint->friction ? mb_compile_joint_friction(b, listed) : MB_OK;
  if (limits != MB_OK) return limits;
  if (motion != MB_OK) return motion;
  return loss != MB_OK ? loss : friction;
}
