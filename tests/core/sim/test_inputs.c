// What a program gives a running simulation: values of signals, coordinates and velocities; and what it reads.
#include "core/base/alloc.h"
#include "tests/runs.h"

#include <stdio.h>
#include <string.h>

#define HEAD "{\"mbsim\": 1, \"time\": {\"step\": 0.001, \"steps\": 400}, "
#define SHAPE                                                                                                \
  "\"shape\": {\"type\": \"box\", \"size\": [0.5, 0.05, 0.05], \"frame\": {\"position\": [0.25, 0, 0]}}, "   \
  "\"density\": 700"
#define HINGE "\"joint\": {\"type\": \"revolute\", \"axis\": [0, 1, 0]"
#define NEXT_HINGE                                                                                           \
  "\"joint\": {\"type\": \"revolute\", \"axis\": [0, 1, 0], \"parent\": \"a\", \"in_parent\": "              \
  "{\"position\": [0.5, 0, 0]}"

// Two rods; `a` and `b` are what else their joints have.
#define RODS(a, b)                                                                                           \
  HEAD "\"output\": {\"channels\": [\"joint.position\", \"joint.velocity\", \"joint.force\", "               \
       "\"body.position\", "                                                                                 \
       "\"body.rotation\", \"body.velocity\"]}, "                                                            \
       "\"bodies\": [{\"name\": \"a\", " SHAPE ", " HINGE a "}}, {\"name\": \"b\", " SHAPE ", " NEXT_HINGE b \
       "}}]}"

static const char *const INTEGRATORS[] = {"/integrator=\"symplectic\"", "/integrator=\"implicit\"",
                                          "/integrator=\"trapezoidal\"", "/integrator=\"rk45\""};
static const char *const SOLVERS[] = {"/solver={\"type\": \"redmax\"}", "/solver={\"type\": \"maximal\"}"};

static size_t input(const TestRun *run, const char *name) {
  MbReport report = {0};
  size_t index = 0;
  test_ok(mb_model_input(run->model, name, &index, &report), &report);
  return index;
}

static void give(TestRun *run, size_t index, double value) {
  MbReport report = {0};
  test_ok(mb_sim_set_input(run->sim, index, value, &report), &report);
}

// ---- inputs -----------------------------------------------------------------------------------------------

// Under "symplectic" a motor pulls with the state at the step's start: so does a controller that reads it before every step.
Test(inputs, a_controller_in_a_loop_does_what_the_scenes_motor_does) {
  for (int s = 0; s < 2; s++) {
    const char *sets[] = {INTEGRATORS[0], SOLVERS[s], NULL};
    TestRun motor =
        test_run(RODS(", \"motor\": {\"target\": 0.7, \"stiffness\": 60, \"damping\": 3}", ""), sets);
    TestRun loop = test_run(RODS(", \"force\": 0", ""), sets);
    const size_t torque = input(&loop, "/bodies/0/joint/force");
    const MbChannel *at = mb_sim_channel(loop.sim, "joint.position");
    const MbChannel *moves = mb_sim_channel(loop.sim, "joint.velocity");
    double q[2], v[2], wanted[2];
    for (int i = 0; i < 400; i++) {
      test_ok(mb_sim_read(loop.sim, at, q, NULL), NULL);
      test_ok(mb_sim_read(loop.sim, moves, v, NULL), NULL);
      give(&loop, torque, 60 * (0.7 - q[0]) - 3 * v[0]);
      cr_assert_eq(mb_sim_step(loop.sim, NULL), MB_OK);
      cr_assert_eq(mb_sim_step(motor.sim, NULL), MB_OK);
    }
    mb_sim_get(loop.sim, q, v);
    mb_sim_get(motor.sim, wanted, NULL);
    cr_expect_gt(fabs(wanted[0]), 0.1, "nothing has moved");
    test_near(SOLVERS[s], q, wanted, 2, 1e-11);
    test_run_free(&motor), test_run_free(&loop);
  }
  cr_assert_eq(mb_alloc_live(), 0);
}

// What is given holds as if the scene said it: at every instant of every integrator.
Test(inputs, a_value_given_at_the_start_does_what_the_scene_would) {
  for (int s = 0; s < 2; s++)
    for (int i = 0; i < 4; i++) {
      const char *sets[] = {INTEGRATORS[i], SOLVERS[s], NULL};
      TestRun said = test_run(RODS(", \"force\": 5", ""), sets),
              given = test_run(RODS(", \"force\": \"=9*t\"", ""), sets);
      give(&given, input(&given, "/bodies/0/joint/force"), 5);
      test_steps(said.sim, 100), test_steps(given.sim, 100);
      double a[36], b[36];
      const size_t n = test_bodies(said.sim, a, 36);
      test_bodies(given.sim, b, 36);
      cr_expect_eq(memcmp(a, b, n * sizeof *a), 0, "%s under %s", SOLVERS[s], INTEGRATORS[i]);
      test_run_free(&said), test_run_free(&given);
    }
}

// The same of a prescribed velocity, whose row sees signals by another way than forces do.
Test(inputs, a_motion_follows_what_it_is_given) {
  for (int s = 0; s < 2; s++)
    for (int i = 0; i < 4; i++) {
      const char *sets[] = {INTEGRATORS[i], SOLVERS[s], NULL};
      TestRun run = test_run(RODS(", \"motion\": {\"velocity\": \"=sin(t)\"}", ""), sets);
      give(&run, input(&run, "/bodies/0/joint/motion/velocity"), 0.8);
      test_steps(run.sim, 50);
      const double before = test_channel(run.sim, "joint.position", NULL)[0];
      give(&run, input(&run, "/bodies/0/joint/motion/velocity"), -0.5);
      test_steps(run.sim, 100);
      const double moved = test_channel(run.sim, "joint.position", NULL)[0] - before;
      test_near(sets[0], (double[]){before, moved}, (double[]){0.04, -0.05}, 2, 1e-3);
      test_near(sets[0], test_channel(run.sim, "joint.velocity", NULL), (double[]){-0.5}, 1, 1e-6);
      test_run_free(&run);
    }
}

Test(inputs, a_resume_with_inputs_is_bitwise) {
  for (int s = 0; s < 2; s++)
    for (int i = 0; i < 4; i++) {
      const char *sets[] = {INTEGRATORS[i], SOLVERS[s], NULL};
      const char *text =
          RODS(", \"force\": \"=sin(9*t)\"", ", \"motor\": {\"target\": \"=t\", \"stiffness\": 9}");
      TestRun whole = test_run(text, sets), resumed = test_run(text, sets);
      const size_t torque = input(&whole, "/bodies/0/joint/force");
      unsigned char bytes[20000], again[20000];
      test_steps(whole.sim, 20);
      give(&whole, torque, 4);
      test_steps(whole.sim, 1);
      const size_t size = mb_sim_checkpoint_size(whole.sim); // with the value given
      cr_assert_leq(size, sizeof bytes);
      mb_sim_checkpoint(whole.sim, bytes);
      give(&resumed, input(&resumed, "/bodies/1/joint/motor/target"), 77); // restoring takes it back
      test_ok(mb_sim_restore(resumed.sim, bytes, size, NULL), NULL);
      cr_expect_eq(mb_sim_input(resumed.sim, torque), 4);
      test_steps(whole.sim, 20), test_steps(resumed.sim, 20);
      mb_sim_checkpoint(whole.sim, bytes), mb_sim_checkpoint(resumed.sim, again);
      cr_expect_eq(memcmp(bytes, again, size), 0, "%s under %s", SOLVERS[s], INTEGRATORS[i]);
      test_run_free(&whole), test_run_free(&resumed);
    }
}

// A checkpoint of before they were given takes values back.
Test(inputs, a_checkpoint_without_inputs_restores_to_the_scenes_signals) {
  TestRun run = test_run(RODS(", \"force\": \"=3+0*t\"", ""), NULL);
  const size_t size = mb_sim_checkpoint_size(run.sim), torque = input(&run, "/bodies/0/joint/force");
  unsigned char bytes[20000];
  cr_assert_leq(size, sizeof bytes);
  mb_sim_checkpoint(run.sim, bytes);
  give(&run, torque, 4);
  test_ok(mb_sim_restore(run.sim, bytes, size, NULL), NULL);
  cr_expect_eq(mb_sim_input(run.sim, torque), 3);
  test_run_free(&run);
}

// Every kind of thing that has signals, by where they stand in a scene.
Test(inputs, inputs_are_called_by_their_place_in_the_scene) {
  static const char *const scenes[][12] = {
      {RODS(", \"force\": 0", ", \"motor\": {\"target\": [0], \"target_velocity\": 0, \"stiffness\": 1}"),
       "/bodies/0/joint/force", "/bodies/1/joint/motor/target/0", "/bodies/1/joint/motor/target_velocity"},
      {RODS(", \"motion\": {\"position\": 0, \"velocity\": [0]}", ""), "/bodies/0/joint/motion/position",
       "/bodies/0/joint/motion/velocity/0"},
      {HEAD
       "\"bodies\": [{\"name\": \"a\", " SHAPE "}, {\"name\": \"b\", " SHAPE
       ", \"motion\": {\"pose\": {\"turn\": {\"axis\": [0, 0, 1], \"angle\": 0}}}}, {\"name\": \"c\", " SHAPE
       ", \"motion\": {\"velocity\": {\"linear\": [1, 0, 0]}}}], "
       "\"forces\": [{\"type\": \"point_force\", \"body\": \"a\", \"force\": [0, 0, 1]}, {\"type\": "
       "\"wrench\", "
       "\"body\": \"a\", \"torque\": [0, 0, 1]}]}",
       "/forces/0/force/2", "/forces/1/torque/0", "/forces/1/force/2", "/bodies/1/motion/pose/position/0",
       "/bodies/1/motion/pose/turn/angle", "/bodies/2/motion/velocity/angular/1",
       "/bodies/2/motion/velocity/linear/2"},
      {"redmax/elbow", "/forces/0/activation"}};
  for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
    TestRun run = test_run(scenes[i][0], NULL);
    for (int k = 1; scenes[i][k]; k++) {
      const size_t index = input(&run, scenes[i][k]);
      cr_expect_str_eq(mb_model_input_name(run.model, index), scenes[i][k]);
      give(&run, index, 0.25);
      cr_expect_eq(mb_sim_input(run.sim, index), 0.25);
    }
    cr_expect_null(mb_model_input_name(run.model, mb_model_inputs(run.model)));
    test_run_free(&run);
  }
}

// A cable's pull and how pins move, of which the nodes' own solver knows.
Test(inputs, nodes_follow_what_their_cables_and_pins_are_given) {
  static const char *const names[] = {"/deformables/0/cables/0/pull", "/bodies/0/motion/pose/position/0",
                                      "/deformables/0/pin/1/motion/translate/2",
                                      "/deformables/0/pin/1/motion/rotate/angle"};
  for (int i = 0; i < 4; i++) {
    const char *scene = i < 2 ? "projective/finger" : "projective/twisting_bar";
    const char *channel = i < 2 ? "deformable.finger.position" : "deformable.bar.position";
    TestRun run = test_run(scene, NULL), given = test_run(scene, NULL);
    double before[4000];
    size_t n = 0;
    give(&given, input(&given, names[i]), 0.02);
    test_steps(run.sim, 2), test_steps(given.sim, 2);
    const double *now = test_channel(run.sim, channel, &n);
    cr_assert_leq(n, 4000);
    memcpy(before, now, n * sizeof *now);
    const double apart = test_distance(before, test_channel(given.sim, channel, NULL), n);
    cr_expect_gt(apart, 1e-6, "%s", names[i]);
    if (i == 2) test_near("the shift", (double[]){apart}, (double[]){0.02}, 1, 5e-4);
    test_run_free(&run), test_run_free(&given);
  }
}

// A force at a point has no torque: an input of that name would do nothing.
Test(inputs, wrong_names_and_values_are_told) {
  TestRun run =
      test_run(HEAD "\"bodies\": [{\"name\": \"a\", " SHAPE "}], \"forces\": [{\"type\": \"point_force\", "
                    "\"body\": \"a\", \"force\": [0, 0, 1]}]}",
               NULL);
  size_t index = 99;
  MbReport report = {0};
  cr_expect_eq(mb_model_inputs(run.model), 3);
  cr_expect_eq(mb_model_input(run.model, "/forces/0/forse/1", &index, &report), MB_USAGE);
  cr_expect_str_eq(report.issues[0].text,
                   "the scene has no input \"/forces/0/forse/1\"; did you mean \"/forces/0/force/1\"?");
  cr_expect_eq(mb_model_input(run.model, "/forces/0/torque/1", &index, &report), MB_USAGE);
  cr_expect_eq(mb_model_input(run.model, "activation", &index, &report), MB_USAGE);
  cr_expect(strstr(report.issues[2].text, "it has 3, the first is \"/forces/0/force/0\""), "%s",
            report.issues[2].text);
  cr_expect_eq(mb_sim_set_input(run.sim, 3, 0, &report), MB_USAGE);
  cr_expect_eq(mb_sim_set_input(run.sim, 0, NAN, &report), MB_USAGE);
  cr_expect_eq(mb_sim_set_input(run.sim, 0, INFINITY, &report), MB_USAGE);
  cr_expect_eq(report.errors, 6);
  cr_expect_eq(mb_sim_input(run.sim, 0), 0);
  test_run_free(&run);
}

// ---- coordinates and velocities ---------------------------------------------------------------------------

// A free body whose centre of mass is off its frame, and two rods, one on a ball joint.
#define MIXED                                                                                                \
  HEAD "\"output\": {\"channels\": [\"body.position\", \"body.rotation\", \"body.velocity\", "               \
       "\"joint.position\", "                                                                                \
       "\"joint.velocity\"]}, \"bodies\": [{\"name\": \"a\", " SHAPE ", " HINGE                              \
       "}}, {\"name\": \"free\", " SHAPE "}, {\"name\": \"b\", " SHAPE                                       \
       ", \"joint\": {\"type\": \"spherical\", \"parent\": \"a\", \"in_parent\": {\"position\": [0.5, 0, "   \
       "0]}}}]}"

static const double SET_Q[] = {0.4, 1, 2, 3, 0.5, 0.5, -0.5, 0.5, 0.3, -0.2, 0.6},
                    SET_V[] = {1.5, 0.1, 0.2, 0.3, 1, -2, 3, 0.7, 0.8, -0.9};

Test(set, channels_tell_what_was_set) {
  for (int s = 0; s < 2; s++)
    for (int i = 0; i < 4; i++) {
      const char *sets[] = {INTEGRATORS[i], SOLVERS[s], NULL};
      TestRun run = test_run(MIXED, sets);
      MbReport report = {0};
      size_t first = 0;
      cr_expect_eq(mb_model_coordinates(run.model, 1, &first), 7);
      cr_expect_eq(first, 1);
      cr_expect_eq(mb_model_velocities(run.model, 3, &first), 0);
      cr_expect_eq(first, 10);
      test_steps(run.sim, 20);
      test_ok(mb_sim_set(run.sim, SET_Q, SET_V, &report), &report);
      double q[11], v[10];
      mb_sim_get(run.sim, q, v);
      test_near("q", q, SET_Q, 11, 1e-12);
      test_near("v", v, SET_V, 10, 1e-12);
      test_near("body.position", test_channel(run.sim, "body.position", NULL) + 3, SET_Q + 1, 3, 1e-12);
      test_near("body.rotation", test_channel(run.sim, "body.rotation", NULL) + 4, SET_Q + 4, 4, 1e-12);
      test_near("body.velocity", test_channel(run.sim, "body.velocity", NULL) + 6, SET_V + 1, 6, 1e-12);
      const double joints[] = {0.4, 0.3, -0.2, 0.6}, rates[] = {1.5, 0.7, 0.8, -0.9};
      test_near("joint.position", test_channel(run.sim, "joint.position", NULL), joints, 4, 1e-12);
      test_near("joint.velocity", test_channel(run.sim, "joint.velocity", NULL), rates, 4, 1e-12);
      test_steps(run.sim, 5);
      test_run_free(&run);
    }
}

// A run that is set to where another one began goes the same way, from then on.
Test(set, a_run_goes_on_as_one_that_starts_there) {
  for (int s = 0; s < 2; s++)
    for (int i = 0; i < 4; i++) {
      const char *sets[] = {INTEGRATORS[i], SOLVERS[s], NULL};
      TestRun run = test_run(MIXED, sets), other = test_run(MIXED, sets);
      double q[11], v[10], a[54], b[54];
      test_ok(mb_sim_set(other.sim, SET_Q, SET_V, NULL), NULL);
      test_steps(run.sim, 37);
      test_ok(mb_sim_set(run.sim, SET_Q, SET_V, NULL), NULL);
      mb_sim_get(run.sim, q, v);
      test_steps(run.sim, 100), test_steps(other.sim, 100);
      const size_t n = test_bodies(run.sim, a, 54);
      test_bodies(other.sim, b, 54);
      test_near(sets[0], a, b, n, 1e-9);
      test_run_free(&run), test_run_free(&other);
    }
}

// Of a loop that closes, coordinates that open it are refused, and what was there stays, to the bit.
Test(set, what_cannot_be_is_refused_and_changes_nothing) {
  static const char *const loop = RODS("", "") "";
  char text[3000];
  snprintf(text, sizeof text,
           "%.*s, \"constraints\": [{\"type\": \"point\", \"name\": \"pin\", \"between\": [{\"body\": "
           "\"world\", \"at\": [1, 0, 0]}, {\"body\": \"b\", \"at\": [0.5, 0, 0]}]}]}",
           (int)strlen(loop) - 1, loop);
  for (int s = 0; s < 2; s++) {
    const char *sets[] = {INTEGRATORS[1],
                          SOLVERS[s],
                          "/bodies/0/joint/position=0.5",
                          "/bodies/1/joint/position=-1",
                          "/constraints/0/between/0/at=[0.8775825618903728, 0, 0]",
                          NULL};
    TestRun run = test_run(text, sets);
    unsigned char before[20000], after[20000];
    MbReport report = {0};
    test_steps(run.sim, 3);
    mb_sim_checkpoint(run.sim, before);
    cr_expect_eq(mb_sim_set(run.sim, (double[]){1.2, -1}, NULL, &report), MB_USAGE);
    cr_expect(strstr(report.issues[0].text, "pin"), "%s", report.issues[0].text);
    cr_expect_eq(mb_sim_set(run.sim, (double[]){NAN, -1}, NULL, &report), MB_USAGE);
    mb_sim_checkpoint(run.sim, after);
    cr_expect_eq(memcmp(before, after, mb_sim_checkpoint_size(run.sim)), 0);
    test_steps(run.sim, 3);
    test_ok(mb_sim_set(run.sim, (double[]){0.5, -1}, (double[]){0, 0}, NULL), NULL);
    cr_expect_lt(mb_sim_constraint_error(run.sim), 1e-9);
    test_steps(run.sim, 3);
    test_run_free(&run);
  }
}

Test(set, a_quaternion_has_length_1_and_first_order_has_no_velocities) {
  MbReport report = {0};
  TestRun run = test_run(MIXED, NULL);
  double q[11];
  memcpy(q, SET_Q, sizeof q);
  q[4] = 0.6;
  cr_expect_eq(mb_sim_set(run.sim, q, NULL, &report), MB_USAGE);
  cr_expect(strstr(report.issues[0].text, "\"free\" is a quaternion of length 1.05"), "%s",
            report.issues[0].text);
  test_run_free(&run);
  const char *slow[] = {"/solver={\"type\": \"maximal\", \"mode\": \"first_order\"}", NULL};
  run = test_run(MIXED, slow);
  cr_expect_eq(mb_sim_set(run.sim, SET_Q, SET_V, &report), MB_USAGE);
  test_ok(mb_sim_set(run.sim, SET_Q, NULL, NULL), NULL);
  mb_sim_get(run.sim, q, NULL);
  test_near("q", q, SET_Q, 11, 1e-12);
  test_run_free(&run);
}

// A ball that a body in space carries: moved with its body it would leave the nodes behind, which is refused; a velocity is taken.
Test(set, nodes_stay_where_they_are) {
  static const char text[] =
      HEAD "\"gravity\": [0, 0, 0], \"integrator\": \"implicit\", \"output\": {\"channels\": "
           "[\"deformable.soft.position\"]}, \"bodies\": [{\"name\": \"a\", " SHAPE
           "}], \"deformables\": [{\"name\": "
           "\"soft\", \"type\": \"tets\", \"mesh\": {\"box\": [2, 2, 2], \"size\": [0.1, 0.1, 0.1]}, "
           "\"material\": "
           "{\"young\": 1e4, \"density\": 1000}, \"attach\": [{\"select\": {\"side\": \"-x\"}, \"body\": "
           "\"a\"}]}]}";
  static const char *const solvers[] = {"/solver={\"type\": \"redmax\"}", "/solver={\"type\": \"maximal\"}",
                                        "/solver={\"type\": \"projective\"}",
                                        "/solver={\"type\": \"projective\", \"bodies\": \"maximal\"}"};
  for (int s = 0; s < 4; s++) {
    const char *sets[] = {solvers[s], NULL};
    TestRun run = test_run(text, sets);
    MbReport report = {0};
    double q[7], v[6], before[24];
    test_steps(run.sim, 3);
    memcpy(before, test_channel(run.sim, "deformable.soft.position", NULL), sizeof before);
    mb_sim_get(run.sim, q, v);
    q[0] += 5;
    cr_expect_eq(mb_sim_set(run.sim, q, NULL, &report), MB_USAGE, "%s", solvers[s]);
    v[3] = 0.1;
    test_ok(mb_sim_set(run.sim, NULL, v, NULL), NULL);
    test_near(solvers[s], test_channel(run.sim, "deformable.soft.position", NULL), before, 24, 1e-15);
    test_steps(run.sim, 30);
    mb_sim_get(run.sim, q, NULL);
    cr_expect_gt(q[0], 5e-4, "%s", solvers[s]);
    test_run_free(&run);
  }
}

// ---- one channel ------------------------------------------------------------------------------------------

Test(read, a_channel_by_its_name_is_its_part_of_a_frame) {
  TestRun run = test_run(RODS(", \"force\": \"=sin(9*t)\"", ""), NULL);
  test_steps(run.sim, 10);
  size_t count = 0;
  const MbChannel *channels = mb_sim_channels(run.sim, &count);
  double frame[100], part[100];
  cr_assert_leq(mb_sim_frame_size(run.sim), 100);
  mb_sim_sample(run.sim, frame, NULL);
  for (size_t i = 0; i < count; i++) {
    const MbChannel *channel = mb_sim_channel(run.sim, channels[i].name);
    cr_assert_eq(channel, &channels[i]);
    test_ok(mb_sim_read(run.sim, channel, part, NULL), NULL);
    cr_expect_eq(memcmp(part, frame + channel->offset, channel->items * channel->width * sizeof *part), 0,
                 "%s", channel->name);
  }
  cr_expect_null(mb_sim_channel(run.sim, "energy"));
  test_run_free(&run);
}

// A motor's rate that changes over time is told as it is at the frame, not in the step before.
Test(read, joint_force_knows_the_motors_rate_now) {
  const char *sets[] = {INTEGRATORS[0], NULL};
  TestRun run = test_run(RODS(", \"motor\": {\"target_velocity\": \"=1000*t\", \"damping\": 2}", ""), sets);
  test_steps(run.sim, 10);
  const double rate = test_channel(run.sim, "joint.velocity", NULL)[0];
  const double wanted = 2 * (1000 * mb_sim_time(run.sim) - rate);
  test_near("force", test_channel(run.sim, "joint.force", NULL), &wanted, 1, 1e-9);
  test_run_free(&run);
}
