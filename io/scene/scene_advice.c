// Looks at a scene that the schema takes for what its writer can hardly have meant: lengths, steps, densities, motors.
#include "io/scene/scene_advice.h"
#include "core/base/report.h"
#include "io/json/json_fold.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WHERE = 128 };

// ---- time and frames --------------------------------------------------------------------------------------

static void advise_duration(const MbTimeSpec *time, MbReport *report) {
  static const double MOST = 1e15, rounding = 2e-12, near = 1e-6; // steps; of the duration, of a step
  if (time->steps >= 0 || !(time->duration / time->step <= MOST)) return;
  const int64_t steps = mb_time_steps(time);
  const double end = (double)steps * time->step;
  if (fabs(end - time->duration) <= near * time->step + rounding * time->duration) return;
  mb_warning(report, "/time/duration",
             "%.9g s are no whole number of steps of %.9g s: the run takes %lld, to t = %.9g s",
             time->duration, time->step, (long long)steps, end);
}

void mb_scene_fit_step(MbSceneSpec *spec) {
  static const double near = 1e-9, MOST = 1e15;
  MbTimeSpec *time = &spec->time;
  const double ratio = spec->output.interval / time->step;
  if (spec->integrator.kind != MB_RK45 || !(ratio > 0) || !(ratio < MOST) ||
      fabs(ratio - rint(ratio)) <= near * ratio)
    return;
  if (time->steps >= 0) time->duration = (double)time->steps * time->step, time->steps = -1;
  time->step = spec->output.interval / ceil(ratio);
}

static void advise_interval(double interval, double step, MbReport *report) {
  static const double near = 1e-9;
  const double ratio = interval / step;
  if (isnan(interval) || fabs(ratio - rint(ratio)) <= near * ratio) return;
  if (ratio < 1)
    mb_warning(report, "/output/interval",
               "%.9g s are less than the step of %.9g s: there is a frame every step", interval, step);
  else
    mb_warning(
        report, "/output/interval",
        "%.9g s are no multiple of the step of %.9g s: frames are at the nearest steps, %.0f or %.0f apart",
        interval, step, floor(ratio), ceil(ratio));
}

// ---- bodies -----------------------------------------------------------------------------------------------

static void shape_pointer(const MbBodySpec *body, size_t index, size_t shape, const char *key,
                          char where[WHERE]) {
  if (body->shape_list)
    snprintf(where, WHERE, "/bodies/%zu/shape/%zu/%s", index, shape, key);
  else
    snprintf(where, WHERE, "/bodies/%zu/shape/%s", index, key);
}

// "inertia" says the mass, so no density can have a meaning beside it.
static MbStatus check_densities(const MbBodySpec *body, size_t index, MbReport *report) {
  MbStatus status = MB_OK;
  char where[WHERE];
  for (size_t k = 0; k < body->nshapes && body->inertia; k++) {
    const MbShapeSpec *shape = &body->shapes[k];
    if (isnan(shape->density) && !shape->material) continue;
    const char *key = shape->material ? "material" : "density";
    shape_pointer(body, index, k, key, where);
    status = mb_error(report, MB_SCENE, where,
                      "\"inertia\" already says the mass of \"%.100s\": leave out \"%s\"", body->name, key);
  }
  return status;
}

static void advise_density(const MbBodySpec *body, size_t index, MbReport *report) {
  const char *key = body->material ? "material" : "density";
  size_t own = 0;
  for (size_t k = 0; k < body->nshapes; k++)
    own += !isnan(body->shapes[k].density) || body->shapes[k].material;
  if (own < body->nshapes || !own || (isnan(body->density) && !body->material)) return;
  char where[WHERE];
  snprintf(where, sizeof where, "/bodies/%zu/%s", index, key);
  mb_warning(report, where, "\"%s\" has no effect: every shape of \"%.100s\" has its own", key, body->name);
}

static void advise_motor(const MbBodySpec *body, size_t index, MbReport *report) {
  const MbMotorSpec *motor = body->joint.motor;
  if (!body->jointed || !motor) return;
  char where[WHERE];
  if (motor->target_velocity.count && !motor->damping.count && motor->stiffness.count) {
    snprintf(where, sizeof where, "/bodies/%zu/joint/motor/target_velocity", index);
    mb_warning(report, where, "the target velocity does nothing: this motor has no \"damping\"");
  }
  if (motor->stiffness.count || motor->damping.count) return;
  snprintf(where, sizeof where, "/bodies/%zu/joint/motor", index);
  mb_warning(report, where, "this motor does nothing: it has neither \"stiffness\" nor \"damping\"");
}

static MbStatus check_bodies(const MbScene *scene, MbReport *report) {
  MbStatus status = MB_OK;
  for (size_t i = 0; i < scene->spec.nbodies; i++) {
    const MbBodySpec *body = &scene->spec.bodies[i];
    const MbStatus one = check_densities(body, i, report);
    if (one != MB_OK) status = one;
    if (!body->inertia) advise_density(body, i, report);
    advise_motor(body, i, report);
  }
  return status;
}

// ---- forces -----------------------------------------------------------------------------------------------

static MbStatus check_forces(const MbScene *scene, MbReport *report) {
  MbStatus status = MB_OK;
  const cJSON *list = cJSON_GetObjectItemCaseSensitive(scene->resolved, "forces");
  MbJsonElements elements = mb_json_elements(list);
  const cJSON *item = NULL;
  for (size_t i = 0; (item = mb_json_next_element(&elements)); i++) {
    if (scene->spec.forces[i].kind != MB_FORCE_WRENCH) continue;
    if (cJSON_GetObjectItemCaseSensitive(item, "force") || cJSON_GetObjectItemCaseSensitive(item, "torque"))
      continue;
    char where[WHERE];
    snprintf(where, sizeof where, "/forces/%zu", i);
    status = mb_error(report, MB_SCENE, where,
                      "this wrench does nothing: give it a \"force\", a \"torque\" or both");
  }
  return elements.failed ? mb_no_memory(report, "a scene") : status;
}

// ---- keys without effect ----------------------------------------------------------------------------------------

// Integrators that take forces as they are, and the projective solver's springs, have no derivatives to leave out.
static void advise_lagged(const MbSceneSpec *spec, MbReport *report) {
  const MbIntegratorKind kind = spec->integrator.kind;
  const bool plain = kind != MB_IMPLICIT && kind != MB_TRAPEZOIDAL && kind != MB_BRIDSON_MARINO;
  char where[WHERE];
  for (size_t i = 0; i < spec->nforces; i++) {
    const MbForceSpec *force = &spec->forces[i];
    const bool undamped = force->kind == MB_FORCE_WRENCH || force->kind == MB_FORCE_POINT;
    if (!force->lagged || (!plain && !(undamped && kind == MB_BRIDSON_MARINO))) continue;
    snprintf(where, sizeof where, "/forces/%zu/lagged", i);
    mb_warning(report, where, "\"lagged\" has no effect with integrator \"%s\"", mb_integrator_words[kind]);
  }
  for (size_t i = 0; i < spec->ndeformables; i++) {
    const bool projective = spec->solver.kind == MB_SOLVER_PROJECTIVE;
    if (!spec->deformables[i].lagged || (!plain && !projective)) continue;
    snprintf(where, sizeof where, "/deformables/%zu/material/lagged", i);
    if (projective)
      mb_warning(report, where, "\"lagged\" has no effect under solver \"projective\"");
    else
      mb_warning(report, where, "\"lagged\" has no effect with integrator \"%s\"", mb_integrator_words[kind]);
  }
}

static bool moves(const double *numbers, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (numbers[i] != 0) return true;
  return false;
}

// In mode "first_order" velocities are no state. Those of free bodies are seen by core/compile, which knows their axes.
static void advise_velocities(const MbSceneSpec *spec, MbReport *report) {
  char where[WHERE];
  if (spec->solver.mode != MB_FIRST_ORDER) return;
  for (size_t i = 0; i < spec->nbodies; i++) {
    const MbJointSpec *joint = &spec->bodies[i].joint;
    const MbJointTwistSpec *twist = joint->twist;
    const bool given = moves(joint->velocity.value, joint->velocity.count) ||
                       (twist && (moves(twist->angular, 3) || moves(twist->linear, 3)));
    if (!spec->bodies[i].jointed || !given) continue;
    snprintf(where, sizeof where, "/bodies/%zu/joint/velocity", i);
    mb_warning(report, where,
               "the velocity of \"%s\" has no effect: in mode \"first_order\" forces give velocities",
               spec->bodies[i].name);
  }
  for (size_t i = 0; i < spec->ndeformables; i++) {
    if (!moves(spec->deformables[i].angular, 3) && !moves(spec->deformables[i].linear, 3)) continue;
    snprintf(where, sizeof where, "/deformables/%zu/velocity", i);
    mb_warning(report, where,
               "the velocity of \"%s\" has no effect: in mode \"first_order\" forces give velocities",
               spec->deformables[i].name);
  }
}

// ---- what deformables are solved and moved by ---------------------------------------------------------------

static void advise_projective(const MbScene *scene, MbReport *report) {
  static const char *const global[] = {"global", "precision"};
  const MbSolverSpec *solver = &scene->spec.solver;
  const cJSON *given = cJSON_GetObjectItemCaseSensitive(scene->resolved, "solver");
  if (solver->kind != MB_SOLVER_PROJECTIVE) return;
  for (size_t k = 0; k < 2 && solver->method == MB_METHOD_NEWTON; k++) {
    char where[WHERE];
    if (!cJSON_GetObjectItemCaseSensitive(given, global[k])) continue;
    snprintf(where, sizeof where, "/solver/%s", global[k]);
    mb_warning(report, where, "\"%s\" has no effect with method \"newton\", which has no global step",
               global[k]);
  }
  if (solver->method == MB_METHOD_NEWTON && cJSON_GetObjectItemCaseSensitive(given, "energy_tolerance"))
    mb_warning(report, "/solver/energy_tolerance",
               "\"energy_tolerance\" has no effect with method \"newton\", which goes by \"tolerance\"");
  const bool inverse = solver->global == MB_GLOBAL_SPARSE_INVERSE ||
                       solver->global == MB_GLOBAL_PARTITIONED_INVERSE ||
                       (solver->global == MB_GLOBAL_AUTO && solver->device != MB_CPU); // a device takes one
  if (solver->method != MB_METHOD_NEWTON && solver->precision == MB_PRECISION_SINGLE && !inverse)
    mb_warning(report, "/solver/precision",
               "\"single\" has no effect with \"%s\": only the inverses are kept in 32 bits",
               mb_global_words[solver->global]);
}

static bool is_none(const MbSignalSpec *signal) {
  return signal->kind == MB_SIGNAL_CONSTANT && signal->value == 0;
}

static void advise_pins(const MbSceneSpec *spec, MbReport *report) {
  for (size_t i = 0; i < spec->ndeformables; i++)
    for (size_t k = 0; k < spec->deformables[i].npins; k++) {
      const MbPinSpec *pin = &spec->deformables[i].pins[k];
      for (int axis = 0; axis < 3 && pin->motion.given && pin->axes; axis++) {
        char where[WHERE];
        if (strchr(pin->axes, 'x' + axis) || is_none(&pin->motion.translate[axis])) continue;
        snprintf(where, sizeof where, "/deformables/%zu/pin/%zu/motion/translate/%d", i, k, axis);
        mb_warning(report, where, "this shift has no effect: the nodes are not held along %c", 'x' + axis);
      }
    }
}

// ---- channels ---------------------------------------------------------------------------------------------

// What a channel's word begins with, and what there must be for it to hold anything.
static void advise_channels(const MbSceneSpec *spec, MbReport *report) {
  bool joints = false, held = spec->nconstraints > 0, muscles = false;
  for (size_t i = 0; i < spec->nbodies; i++) {
    const MbBodySpec *body = &spec->bodies[i];
    joints |= body->jointed;
    const MbJointSpec *joint = &body->joint;
    held |= body->motion || (body->jointed && (joint->limits.count || joint->motion ||
                                               joint->frictionloss.count || joint->friction));
  }
  for (size_t i = 0; i < spec->ndeformables; i++) held |= spec->deformables[i].nattachments > 0;
  for (size_t i = 0; i < spec->nforces; i++) muscles |= spec->forces[i].kind == MB_FORCE_MUSCLE;
  const bool rows =
      joints && mb_solver_of_bodies(&spec->solver) == MB_SOLVER_MAXIMAL && !mb_scene_projects(spec);
  const struct {
    const char *word, *lacking;
    bool there;
  } kinds[] = {
      {"joint.", "joints", joints}, {"constraint.", "constraints", held}, {"muscle", "muscles", muscles}};
  for (size_t i = 0; spec->output.channels && i < spec->output.nchannels; i++)
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
      const char *channel = spec->output.channels[i];
      if (kinds[k].there || strncmp(channel, kinds[k].word, strlen(kinds[k].word)) != 0) continue;
      if (rows && !strcmp(channel, "constraint.error")) continue;
      char where[WHERE];
      snprintf(where, sizeof where, "/output/channels/%zu", i);
      mb_warning(report, where, "channel \"%s\" is empty: there are no %s", channel, kinds[k].lacking);
    }
}

MbStatus mb_scene_advise(const MbScene *scene, MbReport *report) {
  const MbSceneSpec *spec = &scene->spec;
  advise_duration(&spec->time, report);
  advise_interval(spec->output.interval, spec->time.step, report);
  if (spec->output.channels && !spec->output.nchannels)
    mb_warning(report, "/output/channels", "the list is empty: a frame holds its time and nothing else");
  advise_lagged(spec, report);
  advise_velocities(spec, report);
  advise_projective(scene, report);
  advise_pins(spec, report);
  advise_channels(spec, report);
  const MbStatus bodies = check_bodies(scene, report), forces = check_forces(scene, report);
  return bodies != MB_OK ? bodies : forces;
}
