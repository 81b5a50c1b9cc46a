// Forces: the scene's, and those that every scene has; their signals gathered in one list.
#include "core/base/report.h"
#include "core/compile/compile_internal.h"
#include "core/forces/forces.h"
#include "core/model/builder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

// A force on one body needs that body.
static MbStatus find_body(MbBuilder *b, const MbForceSpec *from, MbForce *force) {
  size_t listed = 0;
  if (!from->body || !mb_names_find(&b->model->names, from->body, &listed))
    return mb_error(b->report, MB_SCENE, mb_builder_at(b, "body"), "no body is called \"%s\"",
                    from->body ? from->body : "");
  force->body = b->model->number[listed];
  return MB_OK;
}

// What the scene leaves to the start.
static MbStatus settle(MbBuilder *b, MbForce *forces) {
  const MbModel *model = b->model;
  MbStatus status = MB_OK;
  bool any = false;
  if (!model->joint) return MB_OK; // the joints are wrong, and said so
  for (size_t i = 0; i < b->spec->nforces; i++) any |= forces[i].ops->settle != NULL;
  if (!any) return MB_OK;
  MbArena scratch = {0};
  MbMaximal x = {.nb = model->nb};
  x.E = mb_arena_alloc(&scratch, model->nb, sizeof *x.E);
  x.phi = mb_arena_alloc(&scratch, 6 * model->nb, sizeof *x.phi);
  if (!x.E || !x.phi) status = mb_no_memory(b->report, "forces");
  if (status == MB_OK) mb_model_poses(model, x.E);
  for (size_t i = 0; i < b->spec->nforces && status != MB_IO; i++) {
    if (!forces[i].ops->settle) continue;
    b->number = i;
    snprintf(b->where, sizeof b->where, "/forces/%zu", i);
    const MbStatus one = forces[i].ops->settle(b, &x, &forces[i], (void *)forces[i].parameters);
    if (one != MB_OK) status = one;
  }
  mb_arena_free(&scratch);
  return status;
}

static MbStatus build_one(MbBuilder *b, const MbForceSpec *from, MbForce *force) {
  const MbForceOps *ops = mb_force_table[from->kind];
  MbModel *model = b->model;
  force->ops = ops, force->lagged = from->lagged;
  force->name = mb_arena_strdup(&model->arena, from->name ? from->name : b->where + 1);
  void *own = mb_arena_alloc(&model->arena, 1, ops->parameters);
  if (!force->name || !own) return mb_no_memory(b->report, "forces");
  force->parameters = own;
  MbStatus status = MB_OK;
  if (ops->everywhere)
    status = mb_compile_everywhere(ops, model->solver.kind, b->where, b->report);
  else if (ops->least)
    status = mb_builder_points(b, from, ops->most == 2 ? "between" : "path", force);
  else
    status = find_body(b, from, force);
  if (status != MB_OK) return status;
  if (ops->build) return ops->build(b, from, force, own);
  if (ops->parameters) memcpy(own, from->parameters, ops->parameters);
  return MB_OK;
}

MbStatus mb_compile_forces(const MbSceneSpec *spec, MbModel *model, MbReport *report) {
  enum { ALWAYS = 2 };
  MbForce *forces = mb_arena_alloc(&model->arena, spec->nforces + mb_compile_count_mesh_forces(spec) + ALWAYS,
                                   sizeof *forces);
  if (!forces) return mb_no_memory(report, "forces");
  model->forces = forces;

  bool damped = false;
  for (size_t b = 0; b < model->nb; b++) damped |= model->damping[b] != 0;
  if (mb_vec3_norm(model->gravity) > 0)
    forces[model->nforces++] = (MbForce){.ops = &mb_gravity_ops, .name = mb_gravity_ops.name};
  if (damped)
    forces[model->nforces++] = (MbForce){.ops = &mb_body_damping_ops, .name = mb_body_damping_ops.name};

  MbStatus status = MB_OK;
  const size_t first = model->nforces;
  MbBuilder b = {.spec = spec, .model = model, .report = report};
  for (size_t i = 0; i < spec->nforces; i++) {
    b.number = i;
    snprintf(b.where, sizeof b.where, "/forces/%zu", i);
    const MbStatus one = build_one(&b, &spec->forces[i], &forces[model->nforces++]);
    if (one != MB_OK) status = one;
  }
  if (status == MB_OK) status = settle(&b, forces + first);
  if (status == MB_OK) status = mb_compile_mesh_forces(spec, model, forces, report);
  if (status == MB_OK) status = mb_compile_pairs(model->nforces - first, model, forces + first, report);
  if (status == MB_OK) status = mb_compile_drives(spec, model, report);
  if (status == MB_OK) status = mb_compile_stops(spec, model, report);
  return status;
}
