#include "core/build/build.h"
#include "core/base/alloc.h"
#include "core/base/report.h"
#include "core/build/build_internal.h"

#include <string.h>

static MbStatus check_time(const MbTimeSpec *time, MbReport *report) {
  if (!(time->step > 0) || !isfinite(time->step))
    return mb_error(report, MB_SCENE, "/time/step", "the step is %g s: it must be positive", time->step);
  const bool by_steps = time->steps >= 0;
  const double steps = by_steps ? (double)time->steps : time->duration / time->step;
  if (!(steps >= 0) || steps > 1e15)
    return mb_error(report, MB_SCENE, by_steps ? "/time/steps" : "/time/duration",
                    "%g steps are to be done: a run can have 1e15 at most", steps);
  return MB_OK;
}

// Pairs of solver, mode and integrator that make no sense.
static MbStatus check_pair(const MbSceneSpec *spec, const MbModel *model, MbReport *report) {
  const MbSolverSpec *solver = &spec->solver;
  if (solver->kind == MB_SOLVER_PROJECTIVE)
    return mb_error(report, MB_SCENE, "/solver",
                    "solver \"projective\" is not in this version yet: use \"redmax\" or \"maximal\"");
  if (solver->mode == MB_FIRST_ORDER && solver->kind != MB_SOLVER_MAXIMAL)
    return mb_error(report, MB_SCENE, "/solver/mode", "\"first_order\" is a mode of \"maximal\" only");
  if (solver->mode == MB_FIRST_ORDER && spec->integrator.kind == MB_BRIDSON_MARINO)
    return mb_error(
        report, MB_SCENE, "/integrator",
        "\"bridson_marino\" makes no sense with mode \"first_order\", where velocities are no state: "
        "use \"symplectic\", \"implicit\", \"trapezoidal\" or \"rk45\"");
  if (model->jointed && solver->kind != MB_SOLVER_REDMAX)
    return mb_error(
        report, MB_SCENE, "/solver",
        "scenes with joints run under \"redmax\" only in this version: \"%s\" does not have them yet",
        mb_solver_words[solver->kind]);
  return MB_OK;
}

static MbStatus copy_lists(const MbSceneSpec *spec, MbModel *model, MbReport *report) {
  MbConstant *constants = mb_arena_alloc(&model->arena, spec->nparameters, sizeof *constants);
  const char **channels = mb_arena_alloc(&model->arena, spec->output.nchannels, sizeof *channels);
  model->name = mb_arena_strdup(&model->arena, spec->name ? spec->name : "");
  if (!constants || !channels || !model->name) return mb_no_memory(report, "the model");
  for (size_t i = 0; i < spec->nparameters; i++) {
    const char *name = mb_arena_strdup(&model->arena, spec->parameters[i].name);
    if (!name) return mb_no_memory(report, "the model");
    constants[i] = (MbConstant){name, spec->parameters[i].value};
  }
  for (size_t i = 0; i < spec->output.nchannels; i++)
    if (!(channels[i] = mb_arena_strdup(&model->arena, spec->output.channels[i])))
      return mb_no_memory(report, "the model");
  model->constants = constants;
  model->nconstants = spec->nparameters;
  model->channels = spec->output.channels ? channels : NULL;
  model->nchannels = spec->output.nchannels;
  return MB_OK;
}

// FNV-1a over the bytes of what decides a step's numbers.
static uint64_t mix(uint64_t hash, const void *bytes, size_t n) {
  const unsigned char *p = bytes;
  for (size_t i = 0; i < n; i++) hash = (hash ^ p[i]) * 0x100000001b3u;
  return hash;
}

static uint64_t fingerprint(const MbModel *model) {
  const double numbers[] = {model->gravity[0],
                            model->gravity[1],
                            model->gravity[2],
                            model->h,
                            (double)model->nb,
                            (double)model->nforces,
                            (double)model->solver.kind,
                            (double)model->solver.mode,
                            model->integrator.relative,
                            model->integrator.absolute,
                            (double)model->integrator.kind};
  uint64_t hash = mix(0xcbf29ce484222325u, numbers, sizeof numbers);
  hash = mix(hash, model->M, model->nb * 6 * sizeof *model->M);
  hash = mix(hash, model->damping, model->nb * sizeof *model->damping);
  hash = mix(hash, model->q0, model->nq * sizeof *model->q0);
  hash = mix(hash, model->v0, model->nv * sizeof *model->v0);
  hash = mix(hash, model->P, model->nb * sizeof *model->P);
  hash = mix(hash, model->B, model->nb * sizeof *model->B);
  for (size_t i = 0; i < model->nconstraints; i++) {
    const MbConstraint *c = &model->constraints[i];
    const double own[] = {c->ratio,  c->offset, c->sign,       c->bound,
                          c->length, c->rope,   c->compliance, c->damping};
    hash = mix(hash, own, sizeof own);
    hash = mix(hash, c->body, sizeof c->body);
    hash = mix(hash, c->at, sizeof c->at);
    hash = mix(hash, c->R, sizeof c->R);
    hash = mix(hash, c->v, sizeof c->v);
  }
  hash = mix(hash, &model->gamma, sizeof model->gamma);
  for (size_t i = 0; i < model->nforces; i++) {
    const MbForce *f = &model->forces[i];
    const double of_points[] = {f->stiffness[0],  f->stiffness[1], f->damping[0],     f->damping[1],
                                f->length,        (double)f->law,  f->max_force,      f->optimal_length,
                                f->tendon_length, f->max_velocity, (double)f->npoints};
    hash = mix(hash, of_points, sizeof of_points);
    for (size_t k = 0; k < f->npoints; k++) {
      hash = mix(hash, &f->points[k].body, sizeof f->points[k].body);
      hash = mix(hash, &f->points[k].at, sizeof f->points[k].at);
    }
  }
  hash = mix(hash, model->stiffness, model->nv * sizeof *model->stiffness);
  return mix(hash, model->joint_damping, model->nv * sizeof *model->joint_damping);
}

static MbStatus build(const MbSceneSpec *spec, MbModel *model, MbReport *report) {
  memcpy(model->gravity, spec->gravity, sizeof model->gravity);
  model->solver = spec->solver;
  model->integrator = spec->integrator;
  MbStatus status = copy_lists(spec, model, report);
  if (status == MB_OK) status = mb_build_tree(spec, model, report);
  if (status != MB_OK) return status;

  // what does not depend on one another says all that is wrong
  const MbStatus parts[] = {check_time(&spec->time, report), check_pair(spec, model, report),
                            mb_build_bodies(spec, model, report), mb_build_joints(spec, model, report),
                            mb_build_forces(spec, model, report)};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    if (parts[i] != MB_OK) return parts[i];
  status = mb_build_constraints(spec, model, report);
  if (status == MB_OK) status = mb_build_breaks(model, report);
  if (status != MB_OK) return status;
  model->h = spec->time.step;
  model->steps = mb_time_steps(&spec->time);
  model->fingerprint = fingerprint(model);
  return MB_OK;
}

MbStatus mb_build(const MbSceneSpec *spec, MbModel **out, MbReport *report) {
  *out = NULL;
  MbModel *model = mb_calloc(1, sizeof *model);
  if (!model) return mb_no_memory(report, "the model");
  const MbStatus status = build(spec, model, report);
  if (status == MB_OK)
    *out = model;
  else
    mb_model_free(model);
  return status;
}

void mb_model_free(MbModel *model) {
  if (!model) return;
  mb_arena_free(&model->arena);
  mb_free(model);
}

size_t mb_model_bodies(const MbModel *model) { return model->nb; }
const char *mb_model_body_name(const MbModel *model, size_t body) {
  return body < model->nb ? model->listed[body] : NULL;
}
int64_t mb_model_steps(const MbModel *model) { return model->steps; }
double mb_model_step_size(const MbModel *model) { return model->h; }
