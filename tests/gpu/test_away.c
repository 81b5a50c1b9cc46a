// Steps whose end stays with a device (core/sim/nodes_away.h), by loops in its place: states are those of steps whose ends all come back, to the
// bit, whenever somebody looks; what goes to and fro; what happens where a step fails, a frame cannot be had, or the device stops.
#include "core/sim/nodes_away.h"
#include "core/base/alloc.h"
#include "core/sim/crushed.h"
#include "gpu/backend.h"
#include "tests/gpu/beside.h"

#include <math.h>
#include <string.h>

static const char *const lbfgs = "/solver/method=\"lbfgs\"", *const projective =
                                                                 "/solver/method=\"projective\"";

static const char *const small = "/parameters/n=4"; // of the bar

// Two simulations of one scene by loops: all of whose steps' ends come back, and whose stay away.
typedef struct Pair {
  TestRun run;
  MbSim *back, *away;
} Pair;

static Pair pair_of(const char *scene, const char *const *sets) {
  Pair p = {.run = test_run(scene, sets)};
  p.back = beside_on(&mb_loops_engine, &p.run), p.away = beside_on(&mb_loops_engine, &p.run);
  cr_assert(mb_sim_stay_away(p.away), "%s does not stay away", scene);
  return p;
}
static void pair_free(Pair *p) {
  mb_sim_free(p->back), mb_sim_free(p->away);
  test_run_free(&p->run);
}

static void expect_same(const Pair *p, const char *when) {
  const size_t size = mb_sim_checkpoint_size(p->back);
  unsigned char *a = mb_calloc(2, size), *b = a + size;
  cr_assert_eq(mb_sim_checkpoint_size(p->away), size);
  mb_sim_checkpoint(p->back, a), mb_sim_checkpoint(p->away, b);
  size_t i = 0;
  while (i < size && a[i] == b[i]) i++;
  cr_expect_eq(i, size, "%s: byte %zu of %zu of the state is another", when, i, size);
  mb_free(a);
}

static void steps(Pair *p, int n) { test_steps(p->back, n), test_steps(p->away, n); }

// ---- the same numbers ---------------------------------------------------------------------------------------

// Without a look, with one at each step, and over a look at the energy, which comes every so many steps.
static void go(const char *scene, const char *const *sets, int long_way) {
  Pair p = pair_of(scene, sets);
  expect_same(&p, "at the start");
  for (int k = 0; k < 2; k++) steps(&p, 1), expect_same(&p, scene);
  steps(&p, long_way), expect_same(&p, scene);
  pair_free(&p);
}

Test(away, states_are_the_same_to_the_bit) {
  for (int k = 0; k < 2; k++) {
    const char *method = k ? projective : lbfgs;
    go("projective/twisting_bar", (const char *[]){method, small, NULL}, 2);
    go(k ? "projective/hanging_cloth" : "projective/leaf_released", (const char *[]){method, NULL}, 2);
  }
}

static const char *const block =
    "{\"mbsim\": 1, \"solver\": {\"type\": \"projective\", \"iterations\": 4}, \"integrator\": \"implicit\", "
    "\"gravity\": [0, 0, -9.8], \"time\": {\"step\": 0.01, \"steps\": 200}, \"deformables\": [{\"name\": "
    "\"block\", \"type\": \"tets\", \"mesh\": {\"box\": [3, 2, 2], \"size\": [0.5, 0.3, 0.3]}, \"material\": "
    "{\"model\": \"neo_hookean\", \"young\": 2e4, \"poisson\": 0.3, \"density\": 800}, \"pin\": "
    "[{\"select\": "
    "{\"side\": \"-x\"}}], \"velocity\": {\"linear\": [0, 2, 1]}}]}";

Test(away, a_long_way_is_the_same_whoever_looks_at_the_energy) {
  for (int k = 0; k < 2; k++) go(block, (const char *[]){k ? projective : lbfgs, NULL}, 130);
}

Test(away, elements_that_are_crushed_are_counted_as_ever) {
  // so fast that elements are inside out
  Pair p = pair_of(block, (const char *[]){"/deformables/0/velocity/linear=[-90,0,0]", projective, NULL});
  MbReport report = {0};
  for (int k = 0; k < 6; k++) {
    (void)mb_sim_step(p.back, &report), (void)mb_sim_step(p.away, &report);
    expect_same(&p, "crushed");
  }
  cr_expect_gt(mb_sim_steps_crushed(p.away), 0, "nothing was crushed: the test sees nothing");
  cr_expect_eq(mb_sim_steps_crushed(p.away), mb_sim_steps_crushed(p.back));
  pair_free(&p);
}

Test(away, a_state_that_is_set_is_where_the_next_step_begins) {
  Pair p = pair_of(block, (const char *[]){projective, NULL});
  const size_t size = mb_sim_checkpoint_size(p.back), n = 3 * mb_model_points(p.run.model);
  void *early = mb_calloc(1, size);
  double *v = mb_calloc(n, sizeof *v);
  MbReport report = {0};
  steps(&p, 2), mb_sim_checkpoint(p.back, early), steps(&p, 2);
  test_ok(mb_sim_restore(p.back, early, size, &report), &report);
  test_ok(mb_sim_restore(p.away, early, size, &report), &report);
  steps(&p, 2), expect_same(&p, "restored");
  test_ok(mb_sim_set_nodes(p.back, "block", NULL, v, &report), &report);
  test_ok(mb_sim_set_nodes(p.away, "block", NULL, v, &report), &report);
  steps(&p, 2), expect_same(&p, "stopped");
  mb_free(early), mb_free(v);
  pair_free(&p);
}

// ---- what is beside a step ----------------------------------------------------------------------------------

typedef struct Frame {
  MbSim *sim;
  double *numbers;
  size_t size;
  double time;
  bool gives_up;
  int times;
} Frame;

static bool sample(void *context) {
  Frame *frame = context;
  MbReport report = {0};
  frame->times++, frame->time = mb_sim_time(frame->sim);
  test_ok(mb_sim_come(frame->sim, &report), &report);
  test_ok(mb_sim_sample(frame->sim, frame->numbers, &report), &report);
  return !frame->gives_up;
}

static Frame frame_of(MbSim *sim) {
  const size_t size = mb_sim_frame_size(sim);
  return (Frame){.sim = sim, .numbers = mb_calloc(size, sizeof(double)), .size = size};
}

Test(away, a_frame_that_is_taken_beside_the_next_step_is_the_one_before_it) {
  for (int k = 0; k < 2; k++) {
    Pair p = pair_of("projective/twisting_bar", (const char *[]){k ? projective : lbfgs, small, NULL});
    Frame a = frame_of(p.back), b = frame_of(p.away);
    for (int i = 0; i < 4; i++) {
      steps(&p, 1);
      (void)sample(&a);
      cr_assert(mb_sim_leave(p.away));
      mb_sim_beside(p.away, sample, &b);
      steps(&p, 1);
      cr_expect_eq(b.times, i + 1);
      cr_expect_eq(a.time, b.time);
      cr_expect_arr_eq(a.numbers, b.numbers, a.size * sizeof *a.numbers, "frame %d is another", i);
    }
    expect_same(&p, "beside");
    mb_free(a.numbers), mb_free(b.numbers);
    pair_free(&p);
  }
}

Test(away, a_step_that_is_given_up_leaves_the_state_as_it_was) {
  Pair p = pair_of(block, (const char *[]){projective, NULL});
  Frame frame = frame_of(p.away);
  MbReport report = {0};
  steps(&p, 3);
  frame.gives_up = true;
  cr_assert(mb_sim_leave(p.away));
  mb_sim_beside(p.away, sample, &frame);
  cr_expect_eq(mb_sim_step(p.away, &report), MB_INTERRUPTED);
  expect_same(&p, "given up");
  steps(&p, 3), expect_same(&p, "after it");
  cr_expect_eq(frame.times, 1, "the job is done once, not %d times", frame.times);
  mb_free(frame.numbers);
  pair_free(&p);
}

// Steps until one fails, which is to be the same one with the same words, and not the first.
static void fail_alike(const char *const *sets) {
  Pair p = pair_of(block, sets);
  MbStatus status = MB_OK, other = MB_OK;
  int k = 0;
  for (; k < 60 && status == MB_OK && other == MB_OK; k++) {
    MbReport reports[2] = {{0}};
    status = mb_sim_step(p.back, &reports[0]), other = mb_sim_step(p.away, &reports[1]);
    if (status != MB_OK) cr_expect_str_eq(reports[0].issues[0].text, reports[1].issues[0].text);
  }
  cr_expect_eq(status, MB_NUMBERS, "no step fails: the test sees nothing");
  cr_expect_eq(other, status);
  cr_expect_gt(k, 1, "step %d fails, before the device has a state", k);
  expect_same(&p, "failed");
  pair_free(&p);
}

static const char *const still = "/deformables/0/velocity/linear=[0,0,0]";
static const char *const loose = "/deformables/0/pin=[]";

Test(away, a_step_that_fails_leaves_the_state_as_it_was) {
  // iterations that do not come to the tolerance; a fall whose speed is beyond all bounds in the third step
  fail_alike((const char *[]){"/solver/tolerance=1e-6", "/solver/iterations=6", still, projective, NULL});
  fail_alike((const char *[]){"/gravity=[0,0,-4e13]", loose, projective, NULL});
  fail_alike((const char *[]){"/gravity=[0,0,-4e13]", loose, lbfgs, NULL});
}

// ---- what goes to and fro -----------------------------------------------------------------------------------

static struct {
  MbBackend table;
  size_t got, put, waits, left, cleared, packed;
  bool clear; // the last call about parcels
} counted;

static void get(MbGpu *gpu, void *to, const void *from, size_t bytes) {
  counted.got += bytes, counted.waits++;
  mb_loops_backend.get(gpu, to, from, bytes);
}
static void put(MbGpu *gpu, void *to, const void *from, size_t bytes) {
  counted.put += bytes;
  mb_loops_backend.put(gpu, to, from, bytes);
}
static void clear(MbGpu *gpu, int k) {
  cr_expect_eq((size_t)k, counted.cleared++ % MB_GPU_PARCELS, "parcels take turns");
  counted.clear = true, counted.packed = 0;
  mb_loops_backend.clear(gpu, k);
}
static void run(MbGpu *gpu, MbKernel kernel, size_t n, const void *args) {
  counted.packed += kernel == MB_RUN_mb_numbers_copy ? n * sizeof(double) : 0;
  mb_loops_backend.run(gpu, kernel, n, args);
}
static void leave(MbGpu *gpu, int k, const void *from, size_t bytes) {
  cr_expect(counted.clear, "parcel %d is packed before its last copy has ended", k);
  cr_expect_eq(counted.packed, bytes, "of %zu bytes %zu were packed", bytes, counted.packed);
  counted.clear = false, counted.left++;
  mb_loops_backend.leave(gpu, k, from, bytes);
}
static const MbBackend *counting(const MbBackend *on) {
  counted.table = *on;
  counted.table.get = get, counted.table.put = put, counted.table.run = run;
  counted.table.clear = clear, counted.table.leave = leave;
  return &counted.table;
}

Test(away, nothing_but_sums_comes_back_and_a_frame_is_not_waited_for) {
  for (int k = 0; k < 2; k++) {
    TestRun test = test_run("projective/twisting_bar", (const char *[]){k ? projective : lbfgs, small, NULL});
    memset(&counted, 0, sizeof counted);
    mb_backend_between = counting;
    MbSim *sim = beside_on(&mb_loops_engine, &test);
    Frame frame = frame_of(sim);
    const size_t places = 3 * mb_model_points(test.model) * sizeof(double);
    cr_assert(mb_sim_stay_away(sim));
    test_steps(sim, 1);
    counted.got = counted.put = counted.waits = 0;
    test_steps(sim, 1);
    const size_t waits = counted.waits, put_of_step = counted.put;
    cr_expect_lt(counted.got, 2048, "%zu bytes come back in a step", counted.got);
    cr_expect_lt(counted.put, places / 2, "%zu bytes go there in a step: all places are %zu", counted.put,
                 places);
    counted.got = counted.put = counted.waits = 0;
    cr_assert(mb_sim_leave(sim));
    cr_expect_eq(counted.waits, 0, "a frame that leaves is waited for");
    mb_sim_beside(sim, sample, &frame);
    test_steps(sim, 1);
    cr_expect_eq(frame.times, 1);
    cr_expect_eq(counted.left, 1);
    cr_expect_lt(counted.got, 2048, "%zu bytes come back in a step with a frame", counted.got);
    cr_expect_eq(counted.put, put_of_step);
    cr_expect_leq(counted.waits, waits + 8, "%zu waits, without a frame %zu", counted.waits, waits);
    mb_backend_between = NULL;
    mb_free(frame.numbers);
    mb_sim_free(sim), test_run_free(&test);
  }
}

// ---- what does not stay -------------------------------------------------------------------------------------

Test(away, scenes_whose_steps_look_at_nodes_come_back) {
  static const char *const scenes[] = {"contact/cloth_sphere", "projective/finger"};
  for (size_t k = 0; k < sizeof scenes / sizeof *scenes; k++) {
    TestRun test = test_run(scenes[k], (const char *[]){lbfgs, NULL});
    MbSim *sim = beside_on(&mb_loops_engine, &test);
    cr_expect_not(mb_sim_stay_away(sim), "%s", scenes[k]);
    mb_sim_free(sim), test_run_free(&test);
  }
  TestRun test = test_run(block, (const char *[]){projective, NULL}); // the processor's own
  cr_expect_not(mb_sim_stay_away(test.sim));
  test_run_free(&test);
}

// ---- the dual alone -----------------------------------------------------------------------------------------

// A block that has come to the ground.
static const char *const ground =
    "/bodies=[{\"name\":\"ground\",\"shape\":{\"type\":\"plane\"},\"joint\":{\"type\":\"fixed\"}}]";
static const char *const lies = "/contact={\"friction\":0.3}",
                         *const falls = "/deformables/0/velocity/linear=[0.5,0,-3]";

Test(away, the_dual_alone_stays_where_contact_looks_at_nodes) {
  Pair p = pair_of(block, (const char *[]){projective, ground, lies, falls, loose, NULL});
  cr_expect_not(mb_sim_leave(p.away));
  for (int k = 0; k < 8; k++) {
    steps(&p, 1);
    if (k % 3 == 0) expect_same(&p, "in contact");
  }
  expect_same(&p, "in contact");
  cr_expect_gt(mb_section(p.away, MB_SECTION_TOLD)[MB_SOLVED_MOST], 0,
               "nothing touches: the test sees nothing");
  pair_free(&p);
}

Test(away, the_dual_alone_is_what_it_was_where_a_step_fails) {
  fail_alike((const char *[]){projective, ground, lies, still, loose, "/solver/tolerance=5e-6",
                              "/solver/iterations=6", NULL});
}

// ---- devices that stop --------------------------------------------------------------------------------------

Test(away, a_device_that_stops_takes_the_state_along_and_says_so) {
  Pair p = pair_of(block, (const char *[]){projective, NULL});
  MbReport report = {0};
  test_steps(p.away, 2);
  mb_loops_fail_after = 5;
  cr_expect_eq(mb_sim_step(p.away, &report), MB_DEVICE);
  cr_expect_eq(mb_sim_come(p.away, &report), MB_DEVICE);
  cr_expect(isnan(mb_section(p.away, MB_SECTION_NODES)[0]), "what is lost is no number");
  mb_loops_fail_after = -1;
  pair_free(&p);
}

Test(away, what_has_left_before_a_device_stops_arrives) {
  Pair p = pair_of(block, (const char *[]){projective, NULL});
  Frame frame = frame_of(p.away);
  MbReport report = {0};
  steps(&p, 2);
  cr_assert(mb_sim_leave(p.away));
  mb_sim_beside(p.away, sample, &frame);
  mb_loops_fail_after = 5;
  cr_expect_eq(mb_sim_step(p.away, &report), MB_DEVICE);
  cr_expect_eq(frame.times, 1);
  expect_same(&p, "left in time");
  mb_loops_fail_after = -1;
  mb_free(frame.numbers);
  pair_free(&p);
}
