// The whole way from a scene to a model, and what of a scene no part looks at: time, and pairs of words that do not go together.
#include "core/compile/compile.h"
#include "core/base/alloc.h"
#include "core/base/report.h"
#include "core/compile/compile_elements.h"
#include "core/compile/compile_internal.h"
#include "core/constraints/constraints.h"

#include <stdio.h>
#include <string.h>

static MbStatus check_time(const MbSceneSpec *spec, MbModel *model, MbReport *report) {
  const MbTimeSpec *time = &spec->time;
  (void)model;
  if (!(time->step > 0) || !isfinite(time->step))
    return mb_error(report, MB_SCENE, "/time/step", "the step is %g s: it must be positive", time->step);
  const bool by_steps = time->steps >= 0;
  const double steps = by_steps ? (double)time->steps : time->duration / time->step;
  if (!(steps >= 0) || steps > 1e15)
    return mb_error(report, MB_SCENE, by_steps ? "/time/steps" : "/time/duration",
                    "%g steps are to be done: a run can have 1e15 at most", steps);
  return MB_OK;
}

static MbStatus check_projective(const MbSceneSpec *spec, MbReport *report) {
  MbStatus status = MB_OK;
  if (spec->integrator.kind != MB_IMPLICIT && spec->integrator.kind != MB_STATIC)
    status = mb_error(report, MB_SCENE, "/integrator",
                      "solver \"projective\" goes with integrator \"implicit\" or \"static\": \"%s\" goes "
                      "with \"redmax\" and "
                      "\"maximal\"",
                      mb_integrator_words[spec->integrator.kind]);
  for (size_t i = 0; i < spec->ndeformables; i++) {
    char where[80];
    snprintf(where, sizeof where, "/deformables/%zu/gas", i);
    if (spec->deformables[i].gas.pressure > 0 && spec->solver.method == MB_METHOD_PROJECTIVE)
      status = mb_error(report, MB_SCENE, where,
                        "method \"projective\" of the solver does not settle where a gas is enclosed: take "
                        "\"lbfgs\" or \"newton\"");
  }
  for (size_t i = 0; i < spec->ndeformables; i++) {
    if (spec->deformables[i].kind != MB_DEFORMABLE_ROD || spec->solver.method != MB_METHOD_PROJECTIVE)
      continue;
    status = mb_error(report, MB_SCENE, "/solver/method",
                      "method \"projective\" does not come to an end where there are rods (\"%s\"), which "
                      "hardly stretch and bend easily: take \"newton\"",
                      spec->deformables[i].name);
    break;
  }
  if (!spec->ndeformables)
    status = mb_error(
        report, MB_SCENE, "/solver",
        "solver \"projective\" moves deformables, and there are none: use \"redmax\" or \"maximal\"");
  for (size_t i = 0; i < spec->ndeformables; i++) {
    const MbDeformableSpec *of = &spec->deformables[i];
    char where[80];
    snprintf(where, sizeof where, "/deformables/%zu/material/law", i);
    if (of->kind == MB_DEFORMABLE_SPRINGS && of->law != MB_LAW_LINEAR && of->law != MB_LAW_STRAIN)
      status = mb_error(report, MB_SCENE, where,
                        "springs under solver \"projective\" have law \"linear\" or \"strain\", not \"%s\"",
                        mb_law_words[of->law]);
  }
  return status;
}

// Channels that tell accelerations, which nodes of elements that are tied to bodies have a part in: forces of elements act in steps only.
static MbStatus check_accelerations(const MbSceneSpec *spec, MbReport *report) {
  static const char *const refused[] = {"body.acceleration", "joint.acceleration", "joint.reaction"};
  MbStatus status = MB_OK;
  if (!mb_compile_has_ports(spec)) return MB_OK;
  for (size_t i = 0; spec->output.channels && i < spec->output.nchannels; i++)
    for (size_t k = 0; k < sizeof refused / sizeof *refused; k++) {
      char where[64];
      if (strcmp(spec->output.channels[i], refused[k])) continue;
      snprintf(where, sizeof where, "/output/channels/%zu", i);
      status = mb_error(
          report, MB_SCENE, where,
          "the channel \"%s\" cannot be told under solver \"projective\" where nodes are tied to bodies: "
          "take \"redmax\" or \"maximal\"",
          refused[k]);
    }
  return status;
}

// Channels that tell what only the projective solver has.
static MbStatus check_channels(const MbSceneSpec *spec, MbReport *report) {
  MbStatus status = MB_OK;
  for (size_t i = 0; spec->output.channels && i < spec->output.nchannels; i++) {
    const char *name = spec->output.channels[i];
    char where[64];
    snprintf(where, sizeof where, "/output/channels/%zu", i);
    if (!strcmp(name, "solver") || !strcmp(name, "solver.time"))
      status = mb_error(report, MB_SCENE, where, "the channel \"%s\" is of solver \"projective\"", name);
  }
  return status;
}

// Explicit velocity terms are those of the published steps: of first order, of poses and twists.
static MbStatus check_velocity_terms(const MbSceneSpec *spec, MbReport *report) {
  const MbSolverSpec *solver = &spec->solver;
  const MbIntegratorKind kind = spec->integrator.kind;
  if (solver->terms != MB_TERMS_EXPLICIT) return MB_OK;
  if (solver->project)
    return mb_error(report, MB_SCENE, "/solver/velocity_terms",
                    "\"explicit\" does nothing with `project`, whose state is joints' coordinates");
  if (solver->mode == MB_FIRST_ORDER)
    return mb_error(report, MB_SCENE, "/solver/velocity_terms",
                    "\"explicit\" does nothing in mode \"first_order\", where velocities are no state");
  if (kind != MB_SYMPLECTIC && kind != MB_IMPLICIT)
    return mb_error(report, MB_SCENE, "/solver/velocity_terms",
                    "\"explicit\" goes with integrator \"symplectic\" or \"implicit\", not with \"%s\"",
                    mb_integrator_words[kind]);
  return MB_OK;
}

// Fully implicit schemes solve for a motion at the step's end, of which velocities are a part.
static MbStatus check_stages(const MbSceneSpec *spec, MbReport *report) {
  const MbSolverSpec *solver = &spec->solver;
  const MbIntegratorKind kind = spec->integrator.kind;
  if (!mb_integrator_is_full(kind)) return MB_OK;
  if (solver->mode == MB_FIRST_ORDER)
    return mb_error(
        report, MB_SCENE, "/integrator",
        "\"%s\" makes no sense with mode \"first_order\", where velocities are no state: use \"implicit\"",
        mb_integrator_words[kind]);
  return MB_OK;
}

// Pairs of solver, mode and integrator that make no sense.
static MbStatus check_pair(const MbSceneSpec *spec, MbModel *model, MbReport *report) {
  (void)model;
  const MbSolverSpec *solver = &spec->solver;
  if (solver->kind == MB_SOLVER_PROJECTIVE) {
    const MbStatus told = check_accelerations(spec, report), own = check_projective(spec, report);
    return own != MB_OK ? own : told;
  }
  const MbStatus channels = check_channels(spec, report);
  if (channels != MB_OK) return channels;
  if (solver->mode == MB_FIRST_ORDER && solver->kind != MB_SOLVER_MAXIMAL)
    return mb_error(report, MB_SCENE, "/solver/mode", "\"first_order\" is a mode of \"maximal\" only");
  if (solver->mode == MB_FIRST_ORDER && spec->integrator.kind == MB_BRIDSON_MARINO)
    return mb_error(
        report, MB_SCENE, "/integrator",
        "\"bridson_marino\" makes no sense with mode \"first_order\", where velocities are no state: "
        "use \"symplectic\", \"implicit\", \"trapezoidal\" or \"rk45\"");
  const MbStatus stages = check_stages(spec, report);
  return stages == MB_OK ? check_velocity_terms(spec, report) : stages;
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
  model->frame_interval = spec->output.interval, model->frame_every = spec->output.every;
  return MB_OK;
}

static MbStatus start_constraints(const MbSceneSpec *spec, MbModel *model, MbReport *report) {
  (void)report;
  for (size_t i = 0; i < spec->nconstraints && model->q0;
       i++) { // without q0 the joints are wrong, and said so
    const MbConstraintOps *ops = mb_constraint_table[spec->constraints[i].kind];
    if (ops->start) ops->start(&spec->constraints[i], spec, model);
  }
  return MB_OK;
}

static MbStatus build(const MbSceneSpec *spec, MbModel *model, MbReport *report) {
  memcpy(model->gravity, spec->gravity, sizeof model->gravity);
  model->solver = spec->solver;
  model->solver.project = mb_scene_projects(spec);
  model->integrator = spec->integrator;
  MbStatus status = copy_lists(spec, model, report);
  if (status == MB_OK) status = mb_compile_deformables(spec, model, report);
  if (status == MB_OK) status = mb_compile_tree(spec, model, report);
  if (status != MB_OK) return status;

  // all that is wrong is said at once; but what the parts build on is not there where memory ran out
  typedef MbStatus Part(const MbSceneSpec *spec, MbModel *model, MbReport *report);
  static Part *const parts[] = {check_time,
                                check_pair,
                                mb_compile_check_static,
                                mb_compile_bodies,
                                mb_compile_joints,
                                start_constraints,
                                mb_compile_node_parents,
                                mb_compile_check_massless,
                                mb_compile_forces,
                                mb_compile_elements_hold};
  for (size_t i = 0; i < sizeof parts / sizeof *parts && status != MB_IO; i++) {
    const MbStatus one = parts[i](spec, model, report);
    if (one != MB_OK && (status == MB_OK || one == MB_IO)) status = one;
  }
  if (status == MB_OK) status = mb_compile_constraints(spec, model, report);
  if (status == MB_OK) status = mb_compile_contacts(spec, model, report);
  if (status == MB_OK) status = mb_compile_flights(model, report);
  if (status == MB_OK) status = mb_compile_breaks(model, report);
  if (status == MB_OK) status = mb_compile_inputs(model, report);
  if (status != MB_OK) return status;
  model->h = spec->time.step;
  model->steps = mb_time_steps(&spec->time);
  model->fingerprint = mb_compile_fingerprint(model);
  return MB_OK;
}

MbStatus mb_compile(const MbSceneSpec *spec, MbModel **out, MbReport *report) {
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

size_t mb_model_bodies(const MbModel *model) { return model->nlisted; }
size_t mb_model_nodes(const MbModel *model) {
  size_t n = 0;
  for (size_t i = 0; i < model->ndeformables; i++) n += model->deformables[i].count;
  return n;
}
const char *mb_model_body_name(const MbModel *model, size_t body) {
  return body < model->nlisted ? model->listed[body] : NULL;
}
size_t mb_model_inputs(const MbModel *model) { return model->ninputs; }
const char *mb_model_input_name(const MbModel *model, size_t input) {
  return input < model->ninputs ? model->input_names[input] : NULL;
}
int64_t mb_model_steps(const MbModel *model) { return model->steps; }
double mb_model_step_size(const MbModel *model) { return model->h; }
