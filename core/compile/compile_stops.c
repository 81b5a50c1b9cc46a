// Soft limits of joints' coordinates: springs and dampers that act beyond them.
#include "core/base/report.h"
#include "core/compile/compile_internal.h"
#include "core/model/coordinates.h"

#include <math.h>
#include <stdio.h>

enum { WHERE = 96 };

static MbStatus build_joint(const MbJointSpec *spec, size_t b, const char *where, MbModel *model,
                            MbStop *stops, MbReport *report) {
  const size_t n = model->joint[b].n;
  const MbLimitsSpec *limits = &spec->limits;
  double stiffness[MB_JOINT_MOST] = {0}, damping[MB_JOINT_MOST] = {0};
  MbStatus status = mb_model_by_dof(&spec->stops->stiffness, n, where, "stiffness", stiffness, report);
  if (status == MB_OK) status = mb_model_by_dof(&spec->stops->damping, n, where, "damping", damping, report);
  for (size_t i = 0; i < n && status == MB_OK; i++) {
    if (damping[i] > 0 && !(stiffness[i] > 0))
      return mb_error(report, MB_SCENE, where,
                      "\"damping\" goes with a \"stiffness\" above 0, without which limits are hard");
    if (!limits->count)
      return mb_error(report, MB_SCENE, where, "stops are those of \"limits\", which are not there");
    if (!(stiffness[i] > 0) || (limits->count != 1 && limits->count != n)) continue; // the limits say so
    const double *pair = limits->value + 2 * (limits->count == 1 ? 0 : i);
    if (isinf(pair[0]) && isinf(pair[1])) continue;
    stops[model->nstops++] = (MbStop){.body = b,
                                      .q = model->q_first[b] + i,
                                      .v = model->v_first[b] + i,
                                      .low = pair[0],
                                      .high = pair[1],
                                      .stiffness = stiffness[i],
                                      .damping = damping[i]};
  }
  return status;
}

MbStatus mb_compile_stops(const MbSceneSpec *spec, MbModel *model, MbReport *report) {
  if (!model->joint) return MB_OK; // the joints are wrong, and said so
  size_t most = 0;
  for (size_t i = 0; i < spec->nbodies; i++)
    if (spec->bodies[i].jointed && spec->bodies[i].joint.stops) most += model->joint[model->number[i]].n;
  MbStop *stops = mb_arena_alloc(&model->arena, most, sizeof *stops);
  if (!stops) return mb_no_memory(report, "joints");
  model->stops = stops;
  MbStatus status = MB_OK;
  for (size_t i = 0; i < spec->nbodies; i++) {
    const MbJointSpec *joint = &spec->bodies[i].joint;
    char where[WHERE];
    if (!spec->bodies[i].jointed || !joint->stops) continue;
    snprintf(where, sizeof where, "/bodies/%zu/joint/stops", i);
    const MbStatus one = build_joint(joint, model->number[i], where, model, stops, report);
    if (one != MB_OK) status = one;
  }
  return status;
}
