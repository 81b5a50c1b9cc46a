// What drives joints: forces given over time along their coordinates, and servo motors.
#include "core/base/report.h"
#include "core/compile/compile_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WHERE = 96 };

static bool is_driven(const MbJointSpec *joint) { return joint->force.count || joint->motor; }

// Adds the signals to the list: *first is the first one's number. One for all n degrees of freedom, or one each.
static MbStatus add_signals(const MbSignalsSpec *spec, size_t n, const char *where, MbModel *model,
                            size_t *first, MbReport *report) {
  *first = model->nsignals;
  if (spec->count && !n)
    return mb_error(report, MB_SCENE, where, "a joint that is fixed has no degree of freedom for \"%s\"",
                    strrchr(where, '/') + 1);
  if (spec->count > 1 && spec->count != n)
    return mb_error(report, MB_SCENE, where,
                    "found %u signals, wanted 1 or %zu, one for each degree of freedom", spec->count, n);
  for (size_t i = 0; i < spec->count; i++) {
    char at[2 * WHERE];
    snprintf(at, sizeof at, spec->list ? "%s/%zu" : "%s", where, i);
    size_t index = 0;
    const MbStatus status = mb_model_add_signal(model, &spec->signal[i], at, &index, report);
    if (status != MB_OK) return status;
  }
  return MB_OK;
}

static size_t signal_of(const MbSignalsSpec *spec, size_t first, size_t dof) {
  return spec->count == 0 ? MB_WORLD : spec->count == 1 ? first : first + dof;
}

static MbStatus build_joint(const MbJointSpec *spec, size_t b, const char *where, MbModel *model,
                            MbDrive *drives, MbReport *report) {
  const size_t n = model->joint[b].n;
  static const MbMotorSpec none = {0};
  const MbMotorSpec *motor = spec->motor ? spec->motor : &none;
  double stiffness[MB_JOINT_MOST] = {0}, damping[MB_JOINT_MOST] = {0}, most[MB_JOINT_MOST];
  char force[WHERE + 16], on_motor[WHERE + 16], target[WHERE + 32], rate[WHERE + 48];
  size_t first_force = 0, first_target = 0, first_rate = 0;
  snprintf(force, sizeof force, "%s/force", where);
  snprintf(on_motor, sizeof on_motor, "%s/motor", where);
  snprintf(target, sizeof target, "%s/target", on_motor);
  snprintf(rate, sizeof rate, "%s/target_velocity", on_motor);
  for (size_t i = 0; i < n; i++) most[i] = INFINITY;
  const MbStatus parts[] = {
      add_signals(&spec->force, n, force, model, &first_force, report),
      add_signals(&motor->target, n, target, model, &first_target, report),
      add_signals(&motor->target_velocity, n, rate, model, &first_rate, report),
      mb_model_by_dof(&motor->stiffness, n, on_motor, "stiffness", stiffness, report),
      mb_model_by_dof(&motor->damping, n, on_motor, "damping", damping, report),
      mb_model_by_dof(&motor->max, n, on_motor, "max", most, report),
  };
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    if (parts[i] != MB_OK) return parts[i];
  for (size_t i = 0; i < n; i++)
    drives[model->ndrives++] = (MbDrive){.body = b,
                                         .q = model->q_first[b] + i,
                                         .v = model->v_first[b] + i,
                                         .force = signal_of(&spec->force, first_force, i),
                                         .target = signal_of(&motor->target, first_target, i),
                                         .target_velocity = signal_of(&motor->target_velocity, first_rate, i),
                                         .stiffness = stiffness[i],
                                         .damping = damping[i],
                                         .most = most[i]};
  return MB_OK;
}

MbStatus mb_compile_drives(const MbSceneSpec *spec, MbModel *model, MbReport *report) {
  if (!model->joint) return MB_OK; // the joints are wrong, and said so
  size_t most = 0;
  for (size_t i = 0; i < spec->nbodies; i++)
    if (spec->bodies[i].jointed && is_driven(&spec->bodies[i].joint))
      most += model->joint[model->number[i]].n;
  MbDrive *drives = mb_arena_alloc(&model->arena, most, sizeof *drives);
  if (!drives) return mb_no_memory(report, "joints");
  model->drives = drives;
  MbStatus status = MB_OK;
  for (size_t i = 0; i < spec->nbodies; i++) {
    const MbJointSpec *joint = &spec->bodies[i].joint;
    char where[WHERE];
    if (!spec->bodies[i].jointed || !is_driven(joint)) continue;
    snprintf(where, sizeof where, "/bodies/%zu/joint", i);
    const MbStatus one = build_joint(joint, model->number[i], where, model, drives, report);
    if (one != MB_OK) status = one;
  }
  return status;
}
