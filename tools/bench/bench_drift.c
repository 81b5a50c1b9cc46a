// How far joints that are held by rows come apart: a chain of twenty links, a little bent at every joint, that is let go 60° from
// where it hangs and swings for a minute, under each stabilisation, in reduced coordinates by way of the same multipliers
// (`project`), and under solver `redmax`. Measured on the bodies themselves: the widest gap between the two points of a joint
// and the largest angle between its two axes, at any step and at the end; the largest change of the energy, of what the fall
// is worth at most; the time of a step. `symplectic` takes shorter steps: in those of a millisecond its energy grows until the run
// ends before the minute does, under every way but `none`, `redmax` among them.
#include "core/compile/compile.h"
#include "core/sim/accounting.h"
#include "tools/bench/bench.h"

#include <stdio.h>
#include <string.h>

enum { LINKS = 20 };
static const double SECONDS = 60, LENGTH = 0.1, TILT = 1.0471975511965976; // m, rad
static const double bent[2] = {0.05, -0.05};

typedef struct Way {
  const char *name;
  MbStabilizationSpec stabilization;
  bool project, reduced; // reduced: by solver `redmax`
  double most;           // widest gap that it may leave, in metres
} Way;

static const Way ways[] = {
    {"none", {.kind = MB_NO_STABILIZATION, .gamma = NAN}, false, false, INFINITY},
    {"baumgarte, 10/s", {.kind = MB_BAUMGARTE, .gamma = 10}, false, false, 1e-2},
    {"baumgarte, 1/h", {.kind = MB_BAUMGARTE, .gamma = NAN}, false, false, 1e-3},
    {"post", {.kind = MB_POST, .gamma = NAN}, false, false, 1e-10},
    {"project", {.kind = MB_BAUMGARTE, .gamma = NAN}, true, false, 1e-10},
    {"redmax", {.kind = MB_BAUMGARTE, .gamma = NAN}, false, true, 1e-10},
};

static MbModel *make(const Way *way, MbIntegratorKind kind, double step) {
  MbSceneSpec spec = {.name = "drift", .description = "", .nbodies = LINKS};
  spec.time = (MbTimeSpec){.step = step, .duration = SECONDS, .steps = -1};
  spec.solver = (MbSolverSpec){
      .kind = way->reduced ? MB_SOLVER_REDMAX : MB_SOLVER_MAXIMAL, .threads = 1, .project = way->project};
  spec.solver.stabilization = way->stabilization;
  spec.integrator = (MbIntegratorSpec){.kind = kind};
  spec.output = (MbOutputSpec){.every = 1, .interval = NAN, .checkpoint = NAN};
  spec.gravity[0] = 9.81 * cos(TILT), spec.gravity[2] = -9.81 * sin(TILT);
  MbInertiaSpec rod = {.mass = 0.1, .center = {LENGTH / 2}, .matrix = {2e-5, 1e-4, 1e-4}};
  spec.bodies = mb_arena_alloc(&spec.arena, LINKS, sizeof *spec.bodies);
  for (size_t i = 0; spec.bodies && i < LINKS; i++) {
    MbBodySpec *body = &spec.bodies[i];
    char name[32];
    snprintf(name, sizeof name, "link%zu", i);
    *body = (MbBodySpec){.name = mb_arena_strdup(&spec.arena, name), .density = NAN, .mass = NAN};
    body->pose.rotation[0] = 1;
    body->inertia = &rod;
    body->jointed = true;
    body->joint = (MbJointSpec){.kind = MB_JOINT_REVOLUTE};
    body->joint.axis[1 + i % 2] = 1;
    body->joint.in_parent.rotation[0] = body->joint.in_body.rotation[0] = 1;
    body->joint.position = (MbNumbersSpec){1, &bent[i / 2 % 2]};
    if (i) body->joint.parent = spec.bodies[i - 1].name, body->joint.in_parent.position[0] = LENGTH;
  }
  MbReport report = {0};
  MbModel *model = NULL;
  if (!spec.bodies || mb_compile(&spec, &model, &report) != MB_OK)
    fprintf(stderr, "no model: %s\n", report.issues[0].text);
  mb_arena_free(&spec.arena);
  return model;
}

typedef struct Apart {
  double gap, angle; // m, rad
} Apart;

static Apart apart(const MbSim *sim) {
  const MbModel *model = sim->model;
  Apart worst = {0, 0};
  for (size_t b = 0; b < model->nb; b++) {
    const size_t p = model->parent[b];
    MbPose own, up = model->P[b];
    double off[3], axis[2][3], sine[3];
    mb_pose_inverse(&own, &model->B[b]);
    mb_pose_mul(&own, &sim->x.E[b], &own);
    if (p != MB_WORLD) mb_pose_mul(&up, &sim->x.E[p], &up);
    mb_vec3_sub(off, own.p, up.p);
    mb_quat_rotate(axis[0], own.q, model->joint[b].axis);
    mb_quat_rotate(axis[1], up.q, model->joint[b].axis);
    mb_vec3_cross(sine, axis[0], axis[1]);
    worst.gap = fmax(worst.gap, mb_vec3_norm(off));
    worst.angle = fmax(worst.angle, atan2(mb_vec3_norm(sine), mb_vec3_dot(axis[0], axis[1])));
  }
  return worst;
}

static bool run(const Way *way, MbIntegratorKind kind, double step) {
  const int64_t steps = llround(SECONDS / step);
  MbReport report = {0};
  MbSim *sim = NULL;
  MbModel *model = make(way, kind, step);
  bool fine = model && mb_sim_create(model, NULL, &sim, &report) == MB_OK;
  const double fall = 9.81 * 0.1 * LENGTH * LINKS * LINKS / 2,
               before = fine ? mb_energy(model, &sim->x).total : 0;
  Apart most = {0, 0}, last = {0, 0};
  double energy = 0, took = 0;
  for (int64_t i = 0; fine && i < steps; i++) {
    const double start = mb_bench_cpu();
    fine = mb_sim_step(sim, &report) == MB_OK;
    took += mb_bench_cpu() - start;
    last = apart(sim);
    most.gap = fmax(most.gap, last.gap), most.angle = fmax(most.angle, last.angle);
    energy = fmax(energy, fabs(mb_energy(model, &sim->x).total - before) / fall);
  }
  if (fine)
    printf("  %-16s %10.1e %10.1e %10.1e %10.1e %9.2g %8.1f%s\n", way->name, most.gap, last.gap, most.angle,
           last.angle, energy, 1e6 * took / (double)steps, most.gap <= way->most ? "" : "  MISSED");
  else
    printf("  %-16s %s\n", way->name, report.kept ? report.issues[0].text : "no memory");
  const bool met = fine && most.gap <= way->most;
  mb_sim_free(sim);
  mb_model_free(model);
  return met;
}

bool mb_bench_drift(void) {
  static const struct {
    const char *name;
    MbIntegratorKind kind;
    double step;
  } kinds[] = {{"symplectic", MB_SYMPLECTIC, 2e-4},
               {"trapezoidal", MB_TRAPEZOIDAL, 1e-3},
               {"bridson_marino", MB_BRIDSON_MARINO, 1e-3}};
  bool met = true;
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    printf("  %s, steps of %g ms\n", kinds[k].name, 1e3 * kinds[k].step);
    printf("  %-16s %10s %10s %10s %10s %9s %8s\n", "", "gap, m", "at end", "angle, rad", "at end", "energy",
           "us/step");
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
      met &= run(&ways[i], kinds[k].kind, kinds[k].step);
  }
  return met;
}
