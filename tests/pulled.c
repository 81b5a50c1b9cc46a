#include "tests/pulled.h"
#include "core/forces/forces.h"
#include "tests/trees.h"

#include <math.h>

static void random_body(MbSceneSpec *spec, const char *name, uint64_t *seed) {
  MbBodySpec *body = test_body(spec, name, 1 + test_random(seed), 1, 1.2, 1.5);
  body->damping = test_random(seed);
  for (int i = 0; i < 3; i++) {
    body->inertia->matrix[3 + i] = 0.1 * test_around_zero(seed);
    body->inertia->center[i] = test_around_zero(seed);
    body->pose.position[i] = test_around_zero(seed);
    body->angular[i] = 3 * test_around_zero(seed);
    body->linear[i] = 3 * test_around_zero(seed);
  }
  for (int i = 0; i < 4; i++) body->pose.rotation[i] = test_around_zero(seed);
  mb_quat_normalise(body->pose.rotation);
}

// Points in the bodies and in the world: the two ends of what has two, else a path that visits some of them twice.
static void random_points(MbSceneSpec *spec, MbForceSpec *force, uint64_t *seed) {
  static const char *const bodies[] = {"b", "c", "world", "d", "c", "b"};
  const size_t most = mb_force_table[force->kind]->most, from = (size_t)(4 * test_random(seed));
  force->npoints = most == 2 ? 2 : 6;
  force->points = mb_arena_alloc(&spec->arena, 6, sizeof *force->points);
  for (size_t i = 0; i < force->npoints; i++) {
    force->points[i].body = bodies[most == 2 ? from + i : i];
    for (int k = 0; k < 3; k++) force->points[i].frame.position[k] = 2 * test_around_zero(seed);
    for (int k = 0; k < 4; k++) force->points[i].frame.rotation[k] = test_around_zero(seed);
    mb_quat_normalise(force->points[i].frame.rotation);
  }
}

static void random_wrench(MbBodyForceSpec *own, MbAxes axes, uint64_t *seed) {
  own->axes = axes;
  for (int i = 0; i < 3; i++) {
    own->at[i] = test_around_zero(seed);
    own->force[i] = test_constant(5 * test_around_zero(seed));
    own->torque[i] = test_constant(5 * test_around_zero(seed));
  }
}

// What springs and muscles have.
static void random_pull(MbForceSpec *force, uint64_t *seed) {
  double stiffness[2], damping[2];
  const MbSpringLaw law = (MbSpringLaw)(force->kind == MB_FORCE_SPRING ? 4 * test_random(seed) : 0);
  for (int i = 0; i < 2; i++) stiffness[i] = 3 * test_random(seed), damping[i] = test_random(seed);
  test_pull(force, stiffness, damping, law == MB_LAW_ZERO_LENGTH ? NAN : 0.5 + 2 * test_random(seed));
  if (force->kind == MB_FORCE_SPRING) test_spring(force)->law = law;
  if (force->kind == MB_FORCE_MULTI_SPRING) {
    static const double passive[] = {1, 3};
    test_spring(force)->passive = (MbNumbersSpec){2, passive};
  }
  if (force->kind != MB_FORCE_MUSCLE) return;
  test_muscle(force)->activation = test_constant(test_random(seed));
  test_muscle(force)->numbers = (MbMuscle){.max_force = 5,
                                           .max_velocity = 4 + 4 * test_random(seed),
                                           .tendon_length = test_random(seed),
                                           .optimal_length = 10 * (0.5 + test_random(seed))};
}

MbSceneSpec test_pulled(MbIntegratorKind integrator, uint64_t *seed, MbForceKind kind, MbAxes axes) {
  MbSceneSpec spec = test_scene(integrator, 0.01, 1);
  const bool between = mb_force_table[kind]->least > 0;
  random_body(&spec, "b", seed);
  for (int i = 0; i < 3; i++) spec.gravity[i] = 10 * test_around_zero(seed);
  if (between) random_body(&spec, "c", seed), random_body(&spec, "d", seed);
  MbForceSpec *force = test_force(&spec, kind, "b");
  if (between)
    random_points(&spec, force, seed), random_pull(force, seed);
  else if (kind == MB_FORCE_DAMPING)
    test_damping(force)->coefficient = test_random(seed);
  else
    random_wrench(test_wrench(force), axes, seed);
  return spec;
}

void test_pull_last(MbSceneSpec *spec, MbForceKind kind, double by, uint64_t *seed) {
  const double stiffness[2] = {3 + by, 2 + by}, damping[2] = {0.4 + by, 0.7};
  const bool between = mb_force_table[kind]->least > 0;
  MbForceSpec *force = test_force(spec, kind, between ? NULL : spec->bodies[2].name);
  if (kind == MB_FORCE_DAMPING) {
    test_damping(force)->coefficient = 0.3 + by;
    return;
  }
  if (!between) {
    MbBodyForceSpec *own = test_wrench(force);
    own->axes = MB_AXES_WORLD;
    for (int i = 0; i < 3; i++) {
      own->at[i] = test_around_zero(seed) + by;
      own->force[i] = test_constant(5 * test_around_zero(seed) + by);
      own->torque[i] = test_constant(kind == MB_FORCE_POINT ? 0 : test_around_zero(seed));
    }
    return;
  }
  force->npoints = mb_force_table[kind]->most == 2 ? 2 : 3;
  force->points = mb_arena_alloc(&spec->arena, 3, sizeof *force->points);
  for (size_t i = 0; i < force->npoints; i++) {
    force->points[i].body = spec->bodies[2 * i % 3].name;
    test_random_frame(&force->points[i].frame, seed);
    force->points[i].frame.position[0] += by;
  }
  test_pull(force, stiffness, damping, 1.5 + by);
  if (kind != MB_FORCE_MUSCLE) return;
  test_muscle(force)->activation = test_constant(0.6);
  test_muscle(force)->numbers =
      (MbMuscle){.max_force = 5 + by, .max_velocity = 6, .tendon_length = 0.5, .optimal_length = 8};
}
