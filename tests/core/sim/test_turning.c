// Joints with rotation vectors under the steps that turn them by angular velocities: fast turns keep their energy, everything that
// is said of a coordinate keeps its meaning.
#include "core/base/alloc.h"
#include "tests/runs.h"

#include <stdio.h>
#include <string.h>

static const MbIntegratorKind turning[] = {MB_TRAPEZOIDAL, MB_BRIDSON_MARINO, MB_RK45};
enum { WAYS = sizeof turning / sizeof *turning };

static MbJointSpec *hang(MbSceneSpec *spec, MbBodySpec *body, MbJointKind kind, const double *velocity,
                         size_t n) {
  body->jointed = true;
  body->joint = (MbJointSpec){.kind = kind, .order = "zxz"};
  body->joint.in_parent.rotation[0] = body->joint.in_body.rotation[0] = 1;
  double *kept = mb_arena_alloc(&spec->arena, n, sizeof *kept);
  memcpy(kept, velocity, n * sizeof *kept);
  body->joint.velocity = (MbNumbersSpec){n, kept};
  return &body->joint;
}

// ---- tops --------------------------------------------------------------------------------------------------

// A brass top of 80 g on its tip, leaning by 20 degrees, turning about its axis at the rate `spin`: as a ball joint, as Euler angles.
static MbSceneSpec top(MbIntegratorKind kind, MbJointKind joint, double h, double spin) {
  static const double lean[] = {0.349066, 0, 0}, euler[] = {0, 0.349066, 0};
  MbSceneSpec spec = test_scene(kind, h, 1);
  spec.gravity[2] = -9.81;
  MbBodySpec *body = test_body(&spec, "top", 0.08, 2e-5, 2e-5, 3.5e-5);
  body->inertia->center[2] = 0.04;
  const double velocity[3] = {0, 0, spin};
  MbJointSpec *tip = hang(&spec, body, joint, velocity, 3);
  tip->position = (MbNumbersSpec){3, joint == MB_JOINT_EULER ? euler : lean};
  if (joint != MB_JOINT_EULER) { // the rates of a rotation vector are no angular velocity
    tip->velocity = (MbNumbersSpec){0};
    tip->twist = mb_arena_alloc(&spec.arena, 1, sizeof *tip->twist);
    *tip->twist = (MbJointTwistSpec){.has_angular = true, .angular = {0, 0, spin}, .axes = MB_SIDE_BODY};
  }
  return spec;
}

// What the energy differs at most over `end` seconds, by the kinetic energy at the start and what the top may fall.
static double drift_of(MbSceneSpec spec, double end) {
  MbModel *model = test_model(&spec);
  MbSim *sim = test_sim(model, 1);
  const MbEnergy first = mb_energy(model, &sim->x);
  double worst = 0;
  for (int64_t i = 0; i < lrint(end / spec.time.step); i++) {
    test_steps(sim, 1);
    worst = fmax(worst, fabs(mb_energy(model, &sim->x).total - first.total));
  }
  mb_sim_free(sim);
  mb_model_free(model);
  mb_arena_free(&spec.arena);
  return worst / (first.kinetic + 0.08 * 9.81 * 0.04);
}

// Before, `trapezoidal` lost three quarters of the energy at 200 rad/s.
Test(turning_long, tops_on_ball_joints_keep_their_energy, TEST_LONG) {
  const double spins[] = {10, 50, 200, 1000};
  printf("energy of a top in 5 s, h = 1 ms, as a ball joint (b) and in Euler angles (e)\n%-16s", "");
  for (int s = 0; s < 4; s++) printf(" %8g rad/s", spins[s]);
  printf("\n");
  for (int w = 0; w < WAYS; w++)
    for (int joint = 0; joint < 2; joint++) {
      printf("%-15s%s", mb_integrator_words[turning[w]], joint ? "e" : "b");
      for (int s = 0; s < 4; s++) {
        const double drift =
            drift_of(top(turning[w], joint ? MB_JOINT_EULER : MB_JOINT_SPHERICAL, 1e-3, spins[s]), 5);
        printf(" %14.1e", drift);
        if (!joint)
          cr_expect_lt(drift, 3e-4, "%s at %g rad/s: %g", mb_integrator_words[turning[w]], spins[s], drift);
      }
      printf("\n");
    }
}

// ---- nothing pulls -----------------------------------------------------------------------------------------

// A body that nothing pulls at, hung on a joint at its centre of mass; free in space where there is no joint.
static MbSceneSpec tumbler(MbIntegratorKind kind, double h, int joint) {
  static const double w[6] = {0, 0, 0, 0.3, 1.6, 0.4};
  MbSceneSpec spec = test_scene(kind, h, 1);
  MbBodySpec *body = test_body(&spec, "tumbler", 1, 1, 2, 3);
  spec.integrator.relative = 1e-13, spec.integrator.absolute = 1e-14;
  if (joint < 0) {
    mb_vec3_copy(body->angular, w + 3);
  } else if (joint == MB_JOINT_FREE3D) {
    hang(&spec, body, joint, w, 6);
  } else {
    MbJointSpec *made = hang(&spec, body, joint, w + 3, 3);
    if (joint != MB_JOINT_COMPOSITE) return spec;
    made->nparts = 2;
    made->parts = mb_arena_alloc(&spec.arena, 2, sizeof *made->parts);
    made->parts[0] = (MbJointSpec){.kind = MB_JOINT_FIXED};
    made->parts[1] = (MbJointSpec){.kind = MB_JOINT_SPHERICAL};
  }
  return spec;
}

// Angular velocities at every second of twenty; and how far the energy came from where it was.
static double spins_of(MbSceneSpec spec, double w[60]) {
  MbModel *model = test_model(&spec);
  MbSim *sim = test_sim(model, 1);
  const double first = mb_energy(model, &sim->x).total;
  double worst = 0;
  for (size_t i = 0; i < 20; i++) {
    test_steps(sim, lrint(1 / spec.time.step));
    mb_vec3_copy(w + 3 * i, sim->x.phi);
    worst = fmax(worst, fabs(mb_energy(model, &sim->x).total / first - 1));
  }
  mb_sim_free(sim);
  mb_model_free(model);
  mb_arena_free(&spec.arena);
  return worst;
}

Test(turning_long, a_body_that_nothing_pulls_at_turns_on_a_joint_as_it_does_in_space, TEST_LONG) {
  static const int joints[] = {-1, MB_JOINT_SPHERICAL, MB_JOINT_FREE3D, MB_JOINT_COMPOSITE};
  static const double ENERGY[] = {1e-8, 1e-8, 1e-11};
  double exact[60];
  spins_of(tumbler(MB_RK45, 1e-3, -1), exact);
  printf("off after 20 s, h = 1 ms, rad/s (energy of itself)\n");
  for (int w = 0; w < WAYS; w++) {
    double in_space = 0;
    printf("%-15s", mb_integrator_words[turning[w]]);
    for (int j = 0; j < 4; j++) {
      double found[60];
      const double energy = spins_of(tumbler(turning[w], 1e-3, joints[j]), found);
      const double off = test_distance(found, exact, 60);
      printf("  %s %.2e (%.0e)", j ? mb_joint_words[joints[j]] : "free", off, energy);
      if (!j) in_space = off;
      cr_expect_lt(off, 1.5 * in_space + 1e-10, "%s, %s: %g, in space %g", mb_integrator_words[turning[w]],
                   j ? mb_joint_words[joints[j]] : "free", off, in_space);
      if (j) cr_expect_lt(energy, ENERGY[w]);
    }
    printf("\n");
  }
}

// ---- what is said of coordinates ---------------------------------------------------------------------------

#define ARM(solver, integrator)                                                                              \
  "{\"mbsim\": 1, \"time\": {\"step\": 0.002, \"duration\": 9}, \"integrator\": " integrator                 \
  ", \"solver\": " solver ", \"bodies\": ["                                                                  \
  "{\"name\": \"arm\", \"inertia\": {\"mass\": 2, \"center\": [0.1, 0.2, -0.3], \"matrix\": [0.1, 0.2, "     \
  "0.15, 0, 0.02, 0]},"                                                                                      \
  " \"joint\": {\"type\": \"spherical\", \"position\": [0.4, -1.1, 0.6], \"velocity\": [2, 1, -3],"          \
  "  \"in_parent\": {\"rotation\": {\"axis\": [1, 2, 0], \"angle\": 0.7}}, \"rest\": [0.1, 0.5, -0.2],"      \
  "  \"stiffness\": [9, 2, 30], \"damping\": [0.3, 0.01, 0.1]}},"                                            \
  "{\"name\": \"hand\", \"inertia\": {\"mass\": 1, \"center\": [0, 0.1, 0.2], \"matrix\": [0.05, 0.04, "     \
  "0.06, 0, 0, 0]},"                                                                                         \
  " \"joint\": {\"type\": \"composite\", \"parent\": \"arm\", \"in_parent\": {\"position\": [0.3, 0, "       \
  "-0.4]},"                                                                                                  \
  "  \"joints\": [{\"type\": \"prismatic\", \"axis\": [0, 1, 0]}, {\"type\": \"spherical\"}],"               \
  "  \"position\": [0.1, 0.3, 0.9, 1.2], \"velocity\": [0.2, 1, 0, 2], \"force\": [1, \"=0.4*sin(3*t)\", "   \
  "0, 0.2],"                                                                                                 \
  "  \"motor\": {\"stiffness\": [40, 2, 5, 3], \"damping\": [1, 0.1, 0, 0.2], \"target\": [0, 0.5, "         \
  "\"=sin(2*t)\", 0],"                                                                                       \
  "   \"max\": [100, 1.5, 2, 100]}}}],"                                                                      \
  "\"output\": {\"channels\": [\"joint.position\", \"joint.velocity\", \"joint.acceleration\", "             \
  "\"joint.force\", "                                                                                        \
  "\"energy\"]}}"
#define TIGHT "{\"type\": \"rk45\", \"relative\": 1e-11, \"absolute\": 1e-12}"

// Solver `maximal` knows of the coordinates only what follows from where bodies are: it is asked first.
Test(turning, springs_dampers_forces_and_motors_act_along_the_coordinates_under_every_solver) {
  static const char *const texts[] = {ARM("\"maximal\"", TIGHT),
                                      ARM("{\"type\": \"redmax\", \"dynamics\": \"recursive\"}", TIGHT),
                                      ARM("{\"type\": \"redmax\", \"dynamics\": \"dense\"}", TIGHT),
                                      ARM("{\"type\": \"maximal\", \"project\": true}", TIGHT)};
  double exact[40], found[40], told[2][12];
  for (int k = 0; k < 4; k++) {
    TestRun run = test_run(texts[k], NULL);
    test_steps(run.sim, 300);
    const size_t n = test_bodies(run.sim, k ? found : exact, 40);
    memcpy(told[k > 0], test_channel(run.sim, "joint.velocity", NULL), 7 * sizeof(double));
    double force[7];
    memcpy(force, test_channel(run.sim, "joint.force", NULL), sizeof force);
    if (k) test_near(texts[k] + 70, found, exact, n, 1e-8);
    if (k) test_near("rates", told[1], told[0], 7, 1e-7);
    // of the motor and the force along the hand's coordinates
    const double t = mb_sim_time(run.sim), *q = test_channel(run.sim, "joint.position", NULL) + 3;
    const double target[] = {0, 0.5, sin(2 * t), 0}, stiffness[] = {40, 2, 5, 3},
                 damping[] = {1, 0.1, 0, 0.2}, most[] = {100, 1.5, 2, 100},
                 given[] = {1, 0.4 * sin(3 * t), 0, 0.2};
    for (int i = 0; i < 4; i++) {
      const double pull = stiffness[i] * (target[i] - q[i]) - damping[i] * told[k > 0][3 + i];
      const double wanted = given[i] + fmin(fmax(pull, -most[i]), most[i]);
      test_near("force", &force[3 + i], &wanted, 1, 1e-6);
    }
    test_run_free(&run);
  }
}

static void order_of(const char *const *texts, const char *name) {
  double exact[40], found[3][40], error[3];
  TestRun run = test_run(ARM("{\"type\": \"redmax\", \"dynamics\": \"recursive\"}", TIGHT), NULL);
  test_steps(run.sim, 100);
  const size_t n = test_bodies(run.sim, exact, 40);
  test_run_free(&run);
  static const char *const steps[] = {"/time/step=0.002", "/time/step=0.001", "/time/step=0.0005"};
  for (int k = 0; k < 3; k++) {
    run = test_run(texts[0], (const char *const[]){steps[k], NULL});
    test_steps(run.sim, 100 << k);
    test_bodies(run.sim, found[k], 40);
    error[k] = test_distance(found[k], exact, n);
    test_run_free(&run);
  }
  const double order = log2(error[1] / error[2]);
  printf("%-36s %.2e %.2e %.2e order %.3f\n", name, error[0], error[1], error[2], order);
  cr_expect(fabs(order - 2) < 0.1, "%s: order %g", name, order);
}

Test(turning, springs_and_motors_leave_the_order_two) {
  order_of(
      (const char *const[]){ARM("{\"type\": \"redmax\", \"dynamics\": \"recursive\"}", "\"trapezoidal\"")},
      "trapezoidal, recursive");
  order_of((const char *const[]){ARM("{\"type\": \"redmax\", \"dynamics\": \"dense\"}", "\"trapezoidal\"")},
           "trapezoidal, dense");
  order_of((const char *const[]){ARM("{\"type\": \"maximal\", \"project\": true}", "\"trapezoidal\"")},
           "trapezoidal, projected");
  order_of((const char *const[]){ARM("\"redmax\"", "\"bridson_marino\"")}, "bridson_marino");
}

// Steps far longer than the springs' periods: nothing gains.
Test(turning, stiff_springs_along_coordinates_do_not_throw_the_body_under_trapezoidal) {
  static const char *const stiff[] = {"/bodies/0/joint/stiffness=[1e7, 1, 1e5]",
                                      "/bodies/0/joint/damping=0.1",
                                      "/time/step=0.01",
                                      "/gravity=[0, 0, 0]",
                                      "/bodies/0/joint/rest=[0.41, -1.1, 0.61]",
                                      NULL};
  TestRun run = test_run(ARM("\"redmax\"", "\"trapezoidal\""), stiff);
  const double first = *test_channel(run.sim, "energy", NULL) + test_channel(run.sim, "energy", NULL)[2];
  for (int i = 0; i < 500; i++) {
    test_steps(run.sim, 1);
    const double *energy = test_channel(run.sim, "energy", NULL);
    cr_assert_lt(energy[0] + energy[2], 1.2 * first + 20, "step %d: %g J, first %g J", i,
                 energy[0] + energy[2], first);
  }
  test_run_free(&run);
}

Test(turning, rates_and_accelerations_that_channels_tell_are_those_of_the_coordinates) {
  static const char *const ways[] = {"/integrator=\"trapezoidal\"", "/integrator=\"bridson_marino\"",
                                     "/integrator=\"rk45\""};
  for (int w = 0; w < WAYS; w++) {
    TestRun run = test_run(ARM("\"redmax\"", "\"trapezoidal\""),
                           (const char *const[]){ways[w], "/time/step=1e-4", NULL});
    double q[3][7], rate[3][7], bend[7], wanted[7];
    test_steps(run.sim, 500);
    for (int k = 0; k < 3; k++) {
      memcpy(q[k], test_channel(run.sim, "joint.position", NULL), sizeof q[k]);
      memcpy(rate[k], test_channel(run.sim, "joint.velocity", NULL), sizeof rate[k]);
      if (k == 1) memcpy(bend, test_channel(run.sim, "joint.acceleration", NULL), sizeof bend);
      test_steps(run.sim, 1);
    }
    for (int i = 0; i < 7; i++) wanted[i] = (q[2][i] - q[0][i]) / 2e-4;
    test_near(ways[w], rate[1], wanted, 7, 2e-5);
    for (int i = 0; i < 7; i++) wanted[i] = (rate[2][i] - rate[0][i]) / 2e-4;
    test_near(ways[w], bend, wanted, 7, 2e-3);
    test_run_free(&run);
  }
}

// A fast turn exchanges its coordinates many times; a run that goes on from a checkpoint does so at the same steps.
Test(turning, a_resumed_run_is_the_same_bit_by_bit) {
  static const char *const ways[] = {"/integrator=\"trapezoidal\"", "/integrator=\"bridson_marino\"",
                                     "/integrator=\"rk45\""};
  for (int w = 0; w < WAYS; w++) {
    const char *const sets[] = {ways[w], "/bodies/0/joint/velocity={\"angular\": [3, 2, 60]}",
                                "/bodies/0/joint/stiffness=0", NULL};
    TestRun whole = test_run(ARM("\"redmax\"", "\"trapezoidal\""), sets),
            resumed = test_run(ARM("\"redmax\"", "\"trapezoidal\""), sets);
    MbReport report = {0};
    double end[2][40];
    test_steps(whole.sim, 333);
    const size_t size = mb_sim_checkpoint_size(whole.sim);
    void *bytes = mb_calloc(size, 1);
    mb_sim_checkpoint(whole.sim, bytes);
    test_ok(mb_sim_restore(resumed.sim, bytes, size, &report), &report);
    test_steps(whole.sim, 333);
    test_steps(resumed.sim, 333);
    const size_t n = test_bodies(whole.sim, end[0], 40);
    test_bodies(resumed.sim, end[1], 40);
    cr_expect(!memcmp(end[0], end[1], n * sizeof(double)), "%s", ways[w]);
    mb_free(bytes);
    test_run_free(&whole);
    test_run_free(&resumed);
  }
}
