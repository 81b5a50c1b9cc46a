#include "tests/support.h"
#include "core/base/alloc.h"
#include "core/solvers/watched.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Every test watches the seam of its solvers, in whatever build.
__attribute__((constructor)) static void watch(void) { mb_watch_solvers = true; }

enum { MOST = 4096 }; // bodies or forces of a scene made in C

MbSceneSpec test_scene(MbIntegratorKind integrator, double step, int64_t steps) {
  MbSceneSpec spec = {.name = "test", .description = ""};
  spec.time = (MbTimeSpec){.step = step, .duration = NAN, .steps = steps};
  spec.solver = (MbSolverSpec){.kind = MB_SOLVER_REDMAX, .threads = 1, .stabilization.gamma = NAN};
  spec.integrator = (MbIntegratorSpec){.kind = integrator, .relative = 1e-6, .absolute = 1e-9};
  spec.output = (MbOutputSpec){.every = 1, .interval = NAN, .checkpoint = NAN};
  spec.bodies = mb_arena_alloc(&spec.arena, MOST, sizeof *spec.bodies);
  spec.forces = mb_arena_alloc(&spec.arena, MOST, sizeof *spec.forces);
  return spec;
}

MbBodySpec *test_body(MbSceneSpec *spec, const char *name, double mass, double Ixx, double Iyy, double Izz) {
  cr_assert_lt(spec->nbodies, MOST);
  MbBodySpec *body = &spec->bodies[spec->nbodies++];
  *body = (MbBodySpec){.name = name, .density = NAN, .mass = NAN};
  body->inertia = mb_arena_alloc(&spec->arena, 1, sizeof *body->inertia);
  *body->inertia = (MbInertiaSpec){.mass = mass, .matrix = {Ixx, Iyy, Izz}};
  body->pose.rotation[0] = 1;
  return body;
}

MbForceSpec *test_force(MbSceneSpec *spec, MbForceKind kind, const char *body) {
  cr_assert_lt(spec->nforces, MOST);
  MbForceSpec *force = &spec->forces[spec->nforces++];
  enum { LARGEST = 1024 }; // of what a kind has of its own
  _Static_assert(sizeof(MbBodyForceSpec) <= LARGEST && sizeof(MbMuscleSpec) <= LARGEST, "room for all kinds");
  *force = (MbForceSpec){.kind = kind, .body = body};
  force->parameters = mb_arena_alloc(&spec->arena, 1, LARGEST);
  return force;
}

void test_pull(MbForceSpec *force, const double stiffness[2], const double damping[2], double length) {
  if (force->kind == MB_FORCE_FRAME_SPRING) {
    memcpy(test_frame_spring(force)->stiffness, stiffness, 2 * sizeof *stiffness);
    memcpy(test_frame_spring(force)->damping, damping, 2 * sizeof *damping);
  } else if (force->kind == MB_FORCE_MUSCLE) {
    MbMuscleSpec *muscle = test_muscle(force);
    muscle->numbers = (MbMuscle){.max_force = 50, .optimal_length = 3, .max_velocity = 10};
    muscle->activation = test_constant(0.5);
  } else {
    MbSpringSpec *spring = test_spring(force);
    spring->stiffness = stiffness[0], spring->damping = damping[0], spring->length = length;
  }
}

MbSignalSpec test_constant(double value) {
  return (MbSignalSpec){.kind = MB_SIGNAL_CONSTANT, .value = value};
}
MbSignalSpec test_expression(const char *text) {
  return (MbSignalSpec){.kind = MB_SIGNAL_EXPRESSION, .text = text};
}

void test_ok(MbStatus status, const MbReport *report) {
  cr_assert_eq(status, MB_OK, "%s: %s: %s", mb_status_text(status), report->issues[0].where,
               report->issues[0].text);
}

MbModel *test_model(const MbSceneSpec *spec) {
  MbReport report = {0};
  MbModel *model = NULL;
  test_ok(mb_compile(spec, &model, &report), &report);
  return model;
}

MbSim *test_sim(const MbModel *model, int threads) {
  MbReport report = {0};
  MbSim *sim = NULL;
  const MbSimOptions options = {.threads = threads};
  test_ok(mb_sim_create(model, &options, &sim, &report), &report);
  return sim;
}

void test_steps(MbSim *sim, int64_t count) {
  MbReport report = {0};
  for (int64_t i = 0; i < count; i++) test_ok(mb_sim_step(sim, &report), &report);
}

void test_near(const char *what, const double *a, const double *b, size_t n, double tolerance) {
  size_t worst = 0;
  double most = 0;
  for (size_t i = 0; i < n && !isnan(most); i++)
    if (!(fabs(a[i] - b[i]) <= most)) worst = i, most = fabs(a[i] - b[i]);
  cr_assert(n == 0 || most <= tolerance,
            "%s: number %zu of %zu is %.17g, wanted %.17g: off by %.3g, allowed %.3g", what, worst, n,
            a[worst], b[worst], most, tolerance);
}

// splitmix64
double test_random(uint64_t *state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

void test_folder_begin(char folder[64], const char *name) {
  snprintf(folder, 64, "/tmp/mbsim-%s-XXXXXX", name);
  cr_assert(mkdtemp(folder));
}

void test_folder_end(const char *folder) {
  char command[100];
  snprintf(command, sizeof command, "rm -rf %s", folder);
  cr_assert_eq(system(command), 0);
  cr_assert_eq(mb_alloc_live(), 0);
}
