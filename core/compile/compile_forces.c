// Forces: the scene's, and those that every scene has; their signals gathered in one list.
#include "core/base/report.h"
#include "core/compile/compile_internal.h"
#include "core/forces/forces.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static MbStatus add_signal(MbModel *model, MbSignal *list, const MbSignalSpec *spec, const char *where,
                           size_t *index, MbReport *report) {
  *index = model->nsignals;
  if (!mb_signal_build(spec, where, &model->arena, &list[model->nsignals]))
    return mb_no_memory(report, "signals");
  model->nsignals++;
  return MB_OK;
}

// A force on one body: where, in which axes, its six signals (torque, then force).
static MbStatus build_on_body(const MbForceSpec *spec, size_t i, MbModel *model, MbSignal *signals,
                              MbForce *force, MbReport *report) {
  char where[64];
  snprintf(where, sizeof where, "/forces/%zu/body", i);
  size_t listed = 0;
  if (!spec->body || !mb_names_find(&model->names, spec->body, &listed))
    return mb_error(report, MB_SCENE, where, "no body is called \"%s\"", spec->body ? spec->body : "");
  force->body = model->number[listed];
  const MbPose *C = &model->C[force->body];
  double R[9];
  MbPose inverse;
  mb_pose_inverse(&inverse, C);
  mb_pose_point(force->at, &inverse, spec->at);
  mb_quat_to_mat3(R, inverse.q);
  memcpy(force->R, R, sizeof R);
  force->axes = spec->axes;
  for (int k = 0; k < 6; k++) {
    const MbSignalSpec *signal = k < 3 ? &spec->torque[k] : &spec->force[k - 3];
    const bool known = k >= 3 || spec->kind == MB_FORCE_WRENCH; // a force at a point has no torque
    snprintf(where, sizeof where, "/forces/%zu/%s/%d", i, k < 3 ? "torque" : "force", k % 3);
    const MbStatus status =
        add_signal(model, signals, signal, known ? where : NULL, &force->signal[k], report);
    if (status != MB_OK) return status;
  }
  return MB_OK;
}

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

MbStatus mb_compile_breaks(MbModel *model, MbReport *report) {
  size_t n = 0;
  for (size_t i = 0; i < model->nsignals; i++) n += model->signals[i].count;
  double *breaks = mb_arena_alloc(&model->arena, n, sizeof *breaks);
  if (!breaks) return mb_no_memory(report, "signals");
  size_t k = 0;
  for (size_t i = 0; i < model->nsignals; i++)
    for (size_t j = 0; j < model->signals[i].count; j++) breaks[k++] = model->signals[i].times[j];
  qsort(breaks, n, sizeof *breaks, ascending);
  size_t unique = 0;
  for (size_t i = 0; i < n; i++)
    if (!i || breaks[i] > breaks[unique - 1]) breaks[unique++] = breaks[i];
  model->breaks = breaks;
  model->nbreaks = unique;
  return MB_OK;
}

MbStatus mb_compile_inputs(MbModel *model, MbReport *report) {
  size_t *input = mb_arena_alloc(&model->arena, model->nsignals, sizeof *input);
  const char **names = mb_arena_alloc(&model->arena, model->nsignals + 1, sizeof *names);
  if (!input || !names) return mb_no_memory(report, "signals");
  for (size_t i = 0; i < model->nsignals; i++) {
    if (!model->signals[i].where) continue;
    input[model->ninputs] = i;
    names[model->ninputs++] = model->signals[i].where;
  }
  model->input = input;
  model->input_names = names;
  return MB_OK;
}

MbStatus mb_compile_everywhere(const MbForceOps *ops, MbSolverKind solver, const char *where,
                               MbReport *report) {
  if (solver != MB_SOLVER_PROJECTIVE || ops->drag) return MB_OK;
  return mb_error(report, MB_SCENE, where,
                  "\"%s\" does nothing to nodes under solver \"projective\": take \"redmax\" or \"maximal\"",
                  ops->name);
}

static MbStatus build_one(const MbForceSpec *from, size_t i, MbModel *model, MbSignal *signals,
                          MbForce *force, MbReport *report) {
  const MbForceOps *ops = mb_force_table[from->kind];
  char where[64];
  *force = (MbForce){.ops = ops, .coefficient = from->coefficient, .lagged = from->lagged};
  snprintf(where, sizeof where, "/forces/%zu", i);
  force->name = mb_arena_strdup(&model->arena, from->name ? from->name : where + 1);
  if (!force->name) return mb_no_memory(report, "forces");
  if (ops->everywhere) return mb_compile_everywhere(ops, model->solver.kind, where, report);
  if (!ops->least) return build_on_body(from, i, model, signals, force, report);
  const MbStatus status = mb_compile_points(from, where, model, force, report);
  if (status != MB_OK || !ops->muscle) return status;
  snprintf(where, sizeof where, "/forces/%zu/activation", i);
  return add_signal(model, signals, &from->activation, where, &force->signal[0], report);
}

MbStatus mb_compile_forces(const MbSceneSpec *spec, MbModel *model, MbReport *report) {
  enum { ALWAYS = 2 };
  MbForce *forces = mb_arena_alloc(&model->arena, spec->nforces + mb_compile_count_mesh_forces(spec) + ALWAYS,
                                   sizeof *forces);
  MbSignal *signals =
      mb_arena_alloc(&model->arena, 6 * spec->nforces + mb_drive_signals(spec), sizeof *signals);
  if (!forces || !signals) return mb_no_memory(report, "forces");
  model->forces = forces;
  model->signals = signals;

  bool damped = false;
  for (size_t b = 0; b < model->nb; b++) damped |= model->damping[b] != 0;
  if (mb_vec3_norm(model->gravity) > 0)
    forces[model->nforces++] = (MbForce){.ops = &mb_gravity_ops, .name = mb_gravity_ops.name};
  if (damped)
    forces[model->nforces++] = (MbForce){.ops = &mb_body_damping_ops, .name = mb_body_damping_ops.name};

  MbStatus status = MB_OK;
  const size_t first = model->nforces;
  for (size_t i = 0; i < spec->nforces; i++) {
    const MbStatus one = build_one(&spec->forces[i], i, model, signals, &forces[model->nforces++], report);
    if (one != MB_OK) status = one;
  }
  if (status == MB_OK) status = mb_compile_mesh_forces(spec, model, forces, report);
  if (status == MB_OK) status = mb_compile_pairs(model->nforces - first, model, forces + first, report);
  if (status == MB_OK) status = mb_compile_drives(spec, model, signals, report);
  return status;
}
