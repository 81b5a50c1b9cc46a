// What has no meaning where nothing moves: integrator "static".
#include "core/base/report.h"
#include "core/compile/compile_elements.h"
#include "core/compile/compile_internal.h"
#include "core/constraints/constraints.h"

#include <stdio.h>
#include <string.h>

static MbStatus refuse(MbReport *report, const char *where, size_t i, const char *key, const char *why) {
  char at[120];
  snprintf(at, sizeof at, where, i, key);
  return mb_error(report, MB_SCENE, at,
                  "integrator \"static\" looks for equilibrium, where nothing moves: %s", why);
}

static MbStatus check_solver(const MbSceneSpec *spec, MbReport *report) {
  const MbSolverSpec *solver = &spec->solver;
  const MbStabilizationSpec *s = &solver->stabilization;
  MbStatus status = MB_OK;
  if (solver->mode == MB_FIRST_ORDER)
    status = refuse(report, "/solver/mode", 0, "", "it goes with mode \"dynamic\"");
  if (solver->terms == MB_TERMS_EXPLICIT)
    status = refuse(report, "/solver/velocity_terms", 0, "", "there are no velocity terms");
  if (s->kind != MB_BAUMGARTE || !isnan(s->gamma))
    status = refuse(report, "/solver/stabilization", 0, "", "constraints hold without stabilization");
  if (spec->contact && spec->contact->enabled)
    status = refuse(report, "/contact", 0, "", "contact is not offered with it in this version");
  if (solver->kind != MB_SOLVER_PROJECTIVE) return status;
  if (solver->method != MB_METHOD_AUTO && solver->method != MB_METHOD_NEWTON)
    status = refuse(report, "/solver/method", 0, "", "deformables are solved for by method \"newton\"");
  if (mb_compile_has_ports(spec))
    status = refuse(report, "/solver", 0, "",
                    "where forces, constraints or bodies that can move pull at nodes take solver \"redmax\" "
                    "or \"maximal\"");
  return status;
}

static MbStatus check_constraints(const MbSceneSpec *spec, MbReport *report) {
  MbStatus status = MB_OK;
  for (size_t i = 0; i < spec->nconstraints; i++) {
    const MbConstraintSpec *c = &spec->constraints[i];
    const MbConstraintOps *ops = mb_constraint_table[c->kind];
    char why[160];
    snprintf(why, sizeof why, "\"%s\" says how velocities go together", ops->name);
    if (ops->rates) status = refuse(report, "/constraints/%zu", i, "", why);
    if (c->compliance > 0)
      status = refuse(report, "/constraints/%zu/%s", i, "compliance",
                      "soft constraints are not offered with it in this version; a spring does the same");
  }
  for (size_t i = 0; i < spec->nbodies; i++) {
    const MbBodySpec *body = &spec->bodies[i];
    const MbMotionSpec *motion = body->jointed ? body->joint.motion : NULL;
    if (body->motion && !body->motion->has_pose)
      status = refuse(report, "/bodies/%zu/%s", i, "motion", "give the body's motion by `pose`");
    if (motion && !motion->position.count)
      status = refuse(report, "/bodies/%zu/%s", i, "joint/motion", "give the joint's motion by `position`");
  }
  return status;
}

static bool any(const double *x, size_t n) {
  for (size_t i = 0; x && i < n; i++)
    if (x[i] != 0 && !isnan(x[i])) return true;
  return false;
}

static bool moves(const MbSceneSpec *spec) {
  bool moves = false;
  for (size_t i = 0; i < spec->nbodies; i++) {
    const MbBodySpec *b = &spec->bodies[i];
    moves |= any(b->angular, 3) || any(b->linear, 3) ||
             any(b->joint.velocity.value, b->joint.velocity.count) || b->joint.twist;
  }
  for (size_t i = 0; i < spec->ndeformables; i++)
    moves |= any(spec->deformables[i].angular, 3) || any(spec->deformables[i].linear, 3);
  return moves;
}

static bool damps(const MbSceneSpec *spec) {
  bool damps = false;
  for (size_t i = 0; i < spec->nbodies; i++) {
    const MbBodySpec *b = &spec->bodies[i];
    damps |= b->damping > 0 || any(b->joint.damping.value, b->joint.damping.count);
  }
  for (size_t i = 0; i < spec->ndeformables; i++) damps |= spec->deformables[i].damping > 0;
  for (size_t i = 0; i < spec->nforces; i++) damps |= spec->forces[i].kind == MB_FORCE_DAMPING;
  return damps;
}

// What a scene that was made to move may say all the same.
static void advise(const MbSceneSpec *spec, MbReport *report) {
  if (moves(spec))
    mb_warning(report, "/integrator",
               "under \"static\" nothing moves: initial velocities (\"velocity\", its \"frame\") do nothing");
  if (damps(spec))
    mb_warning(report, "/integrator", "under \"static\" nothing moves: \"damping\" does nothing");
}

MbStatus mb_compile_check_static(const MbSceneSpec *spec, MbModel *model, MbReport *report) {
  (void)model;
  if (spec->integrator.kind != MB_STATIC) return MB_OK;
  advise(spec, report);
  const MbStatus solver = check_solver(spec, report), constraints = check_constraints(spec, report);
  return solver != MB_OK ? solver : constraints;
}
