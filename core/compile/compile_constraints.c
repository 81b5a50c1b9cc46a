// Constraints: the scene's, those of joints and of driven bodies, attachments; how they are stabilized, their rows' names.
#include "core/base/report.h"
#include "core/compile/compile_internal.h"
#include "core/joints/joints.h"
#include "core/constraints/constraints.h"
#include "core/constraints/limit.h"
#include "core/model/coordinates.h"

#include <stdio.h>
#include <string.h>

static MbStatus build_listed(MbBuilder *b, size_t i) {
  const MbConstraintSpec *from = &b->spec->constraints[i];
  const MbConstraintOps *ops = mb_constraint_table[from->kind];
  b->number = i;
  snprintf(b->where, sizeof b->where, "/constraints/%zu", i);
  if (from->damping > 0 && from->compliance == 0)
    return mb_error(b->report, MB_SCENE, b->where,
                    "\"damping\" is of a soft constraint: give it a \"compliance\" above 0");
  if (ops->rates && from->compliance > 0 && !(from->damping > 0))
    return mb_error(b->report, MB_SCENE, b->where,
                    "a soft \"%s\" slips at \"damping\"/\"compliance\" for each unit of force: give it a "
                    "\"damping\" above 0",
                    ops->name);
  if (ops->build) {
    const MbStatus status = ops->build(b, from);
    return status == MB_OK && from->kind == MB_CONSTRAINT_JOINT ? mb_compile_closure_friction(b, i) : status;
  }
  MbConstraint *made = NULL;
  const MbStatus status = mb_builder_between(b, from, ops, mb_builder_z, &made);
  if (status == MB_OK && ops->parameters) memcpy(mb_builder_own(made), from->parameters, ops->parameters);
  return status;
}

static MbStatus build_driven(MbBuilder *b, size_t listed) {
  char text[MB_BUILDER_NAME];
  MbConstraint *driven = NULL;
  snprintf(b->where, sizeof b->where, "/bodies/%zu/motion", listed);
  snprintf(text, sizeof text, "%s.motion", b->spec->bodies[listed].name);
  MbStatus status = mb_builder_add(b, &mb_path_ops, &driven);
  if (status == MB_OK) status = mb_compile_body_motion(b->spec, listed, b->model, driven, b->report);
  return status == MB_OK ? mb_builder_call(b, driven, text) : status;
}

// ---- all --------------------------------------------------------------------------------------------------

static MbStatus check_pair(const MbBuilder *b) {
  const MbSceneSpec *spec = b->spec;
  const MbConstraint *list = b->model->constraints;
  const bool adaptive = spec->integrator.kind == MB_RK45;
  for (size_t i = 0; i < b->model->nconstraints && adaptive && spec->solver.mode == MB_FIRST_ORDER; i++)
    if (list[i].unilateral && !(list[i].compliance > 0))
      return mb_error(b->report, MB_SCENE, b->list[i].where,
                      "in mode \"first_order\" under \"rk45\" %s take another integrator",
                      list[i].ops == &mb_limit_ops ? "joints have no limits:"
                                                   : "a rope must be soft: give it a \"compliance\", or");
  if (adaptive && spec->solver.stabilization.kind == MB_POST)
    return mb_error(b->report, MB_SCENE, "/solver/stabilization",
                    "\"rk45\" works on accelerations: its stabilization is \"baumgarte\" or \"none\"");
  return MB_OK;
}

// Slots of the rows, and their names: that of the constraint, with the row's number where there are several.
static MbStatus number_rows(const MbBuilder *b) {
  MbModel *model = b->model;
  MbConstraint *list = (MbConstraint *)model->constraints;
  for (size_t i = 0; i < model->nconstraints; i++) {
    list[i].slot = model->nslots;
    model->nslots += list[i].rows;
    model->dry |= list[i].dry;
  }
  const char **slots = mb_arena_alloc(&model->arena, model->nslots + 1, sizeof *slots);
  if (!slots) return mb_no_memory(b->report, "constraints");
  for (size_t i = 0; i < model->nconstraints; i++)
    for (size_t k = 0; k < list[i].rows; k++) {
      char text[MB_BUILDER_NAME + 24];
      snprintf(text, sizeof text, list[i].rows > 1 ? "%s.%zu" : "%s", list[i].name, k);
      if (!(slots[list[i].slot + k] = mb_arena_strdup(&model->arena, text)))
        return mb_no_memory(b->report, "constraints");
    }
  model->slots = slots;
  return MB_OK;
}

// Whether the coordinate that a row is off along turns the joint: else its gap is a length.
static bool turns(const MbModel *model, const MbConstraint *constraint) {
  const int end = constraint->ops->coordinates > 1; // of a ratio the one that follows
  const size_t b = mb_coordinates_body(model, model->nq + constraint->v[end]);
  const MbJoint *joint = &model->joint[b];
  double S[6 * MB_JOINT_MOST], Sdot[6 * MB_JOINT_MOST];
  MbPose Q;
  joint->ops->eval(joint, model->q0 + model->q_first[b], model->v0 + model->v_first[b], &Q, S, Sdot);
  return mb_vec3_norm(S + 6 * (constraint->v[end] - model->v_first[b])) > 0;
}

// Gaps at which the run ends, and which of the coordinates' are angles.
static MbStatus build_largest(const MbBuilder *b) {
  static const double LARGEST = 0.05; // where the scene says nothing
  MbModel *model = b->model;
  MbConstraint *list = (MbConstraint *)model->constraints;
  const double given = b->spec->solver.stabilization.largest_error, most = given > 0 ? given : LARGEST;
  double size = 0;
  for (size_t i = 0; i < model->nconstraints; i++)
    if (list[i].ops->coordinates) list[i].turns = turns(model, &list[i]);
  const MbStatus status = mb_compile_size(model, &size, b->report);
  model->size = size, model->largest[0] = most * size, model->largest[1] = most;
  return status;
}

// Adds all of them, the joints' first; an error of one does not hide those of the others.
static MbStatus build_all(MbBuilder *b) {
  const MbSceneSpec *spec = b->spec;
  MbStatus status = MB_OK;
  for (size_t i = 0; i < b->model->nlisted && status != MB_IO; i++) {
    const MbStatus driven = spec->bodies[i].motion ? build_driven(b, i) : MB_OK;
    const MbStatus joint = spec->bodies[i].jointed ? mb_compile_joint_rows(b, i) : MB_OK;
    if (driven != MB_OK) status = driven;
    if (joint != MB_OK) status = joint;
  }
  for (size_t i = 0; i < spec->nconstraints && status != MB_IO; i++) {
    const MbStatus one = build_listed(b, i);
    if (one != MB_OK) status = one;
  }
  return status == MB_OK ? mb_compile_attachments(b) : status;
}

// Into the model, each list with the room that it needs.
static MbStatus keep(const MbBuilder *b) {
  MbModel *model = b->model;
  MbConstraint *list = mb_arena_alloc(&model->arena, model->nconstraints, sizeof *list);
  double *guess = mb_arena_alloc(&model->arena, model->nguess, sizeof *guess);
  MbReduction *reductions = mb_arena_alloc(&model->arena, model->nreductions, sizeof *reductions);
  if (!list || !guess || !reductions) return mb_no_memory(b->report, "constraints");
  for (size_t i = 0; i < model->nconstraints; i++) memcpy(&list[i], &b->list[i].constraint, sizeof *list);
  if (model->nguess) memcpy(guess, b->guess, model->nguess * sizeof *guess);
  if (model->nreductions) memcpy(reductions, b->reductions, model->nreductions * sizeof *reductions);
  model->constraints = list, model->guess0 = guess, model->reductions = reductions;
  return MB_OK;
}

// The rate at which gaps are to close, and where coordinates go that are beyond their upper limits.
static MbStatus stabilize(const MbBuilder *b) {
  MbModel *model = b->model;
  const MbStabilizationSpec *stabilization = &b->spec->solver.stabilization;
  const bool given = stabilization->kind == MB_BAUMGARTE && !isnan(stabilization->gamma);
  model->ahead = !given;
  if (stabilization->kind == MB_BAUMGARTE)
    model->gamma = given ? stabilization->gamma : mb_compile_gamma(b->spec, model);
  if (stabilization->kind != MB_BAUMGARTE || stabilization->upper_limits != MB_OUTWARD) return MB_OK;
  if (!given)
    return mb_error(b->report, MB_SCENE, "/solver/stabilization",
                    "\"upper_limits\": \"outward\" goes with a \"gamma\" of which there is none");
  for (size_t i = 0; i < model->nconstraints; i++) {
    MbConstraint *limit = (MbConstraint *)&model->constraints[i];
    if (limit->ops == &mb_limit_ops && ((const MbLimit *)limit->parameters)->sign < 0)
      limit->outward = 2 * model->gamma;
  }
  return MB_OK;
}

static MbStatus build(MbBuilder *b) {
  const MbModel *model = b->model;
  MbStatus status = build_all(b);
  if (status == MB_OK) status = keep(b);
  const MbSolverSpec *solver = &model->solver;
  const bool claimed = model->jointed && mb_solver_of_bodies(solver) == MB_SOLVER_MAXIMAL && !solver->project;
  if (status == MB_OK) status = stabilize(b); // rows that come and go are closed alike
  if (status == MB_OK && (model->nconstraints || claimed)) status = check_pair(b);
  if (status == MB_OK) status = number_rows(b);
  if (status == MB_OK) status = build_largest(b);
  return status == MB_OK ? mb_compile_check_start(b) : status;
}

MbStatus mb_compile_constraints(const MbSceneSpec *spec, MbModel *model, MbReport *report) {
  MbBuilder b = {.spec = spec, .model = model, .report = report, .geometry = mb_joint_geometry};
  const MbStatus status = build(&b);
  mb_builder_free(&b);
  return status;
}
