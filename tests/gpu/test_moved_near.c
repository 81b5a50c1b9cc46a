// What of deformables is near solids, found where a device moves the nodes (gpu/moved_near.c): random deformables over solids of every shape that move
// up and turn, of which the contacts are those of the processor's own look, in its order. By loops they are the same numbers, by a device
// the same to what its fused operations leave.
#include "core/base/alloc.h"
#include "core/sim/touch.h"
#include "gpu/moved_near.h"
#include "tests/gpu/beside.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 8192, SHAPES = 9, GOES = 24, LAUNCHES = 10 }; // of a look
static const double CLOSE = 1e-12;                          // of shapes of size 1: what a device fuses

// Shapes of a reach of some 0.1, and how far from their origins they reach.
static const struct {
  const char *text;
  double reach;
} shapes[SHAPES] = {
    {"{\"type\": \"plane\"}", 0.02},
    {"{\"type\": \"sphere\", \"radius\": 0.04}", 0.04},
    {"{\"type\": \"capsule\", \"radius\": 0.03, \"length\": 0.1}", 0.08},
    {"{\"type\": \"box\", \"size\": [0.12, 0.1, 0.08]}", 0.09},
    {"{\"type\": \"cylinder\", \"radius\": 0.06, \"length\": 0.08}", 0.08},
    {"{\"type\": \"ellipsoid\", \"radii\": [0.08, 0.05, 0.04]}", 0.08},
    {"{\"type\": \"mesh\", \"file\": \"scenes/contact/wedge.obj\", \"scale\": 0.4}", 0.1},
    {"{\"type\": \"mesh\", \"file\": \"scenes/contact/bowl.obj\", \"scale\": 0.25}", 0.1},
    {"{\"type\": \"mesh\", \"file\": \"scenes/contact/link.obj\", \"scale\": 0.6, \"collide\": \"mesh\"}",
     0.1},
};

static double between(uint64_t *seed, double low, double high) {
  return low + (high - low) * test_random(seed);
}

// A solid under the place (x, y), which goes up and turns; the plane is a little askew and stays.
static int write_solid(char *to, size_t size, size_t k, double x, double y, uint64_t *seed) {
  const double tilt = between(seed, -1, 1), turn = between(seed, 0.1, 3), up = between(seed, 0.2, 0.8);
  if (k == 0)
    return snprintf(to, size,
                    "{\"name\": \"ground\", \"shape\": %s, \"joint\": {\"type\": \"fixed\", \"in_parent\": "
                    "{\"position\": [0, 0, -0.1], \"rotation\": {\"axis\": [1, 0, 0], \"angle\": %.17g}}}}",
                    shapes[k].text, 0.05 * tilt);
  return snprintf(
      to, size,
      ", {\"name\": \"solid %zu\", \"shape\": %s, \"density\": 1000, \"pose\": {\"position\": [%.17g, %.17g, "
      "%.17g], \"rotation\": {\"axis\": [%.17g, 1, 1], \"angle\": %.17g}}, \"motion\": {\"velocity\": "
      "{\"linear\": [0, 0, %.17g], \"angular\": [%.17g, 0.5, 0]}}}",
      k, shapes[k].text, x, y, -0.012 - shapes[k].reach, tilt, turn, up, -tilt);
}

// A cloth over all of them, a block, a corner of which is a body as well (a spring pulls it), and a net without triangles beside it, which a solid
// carries by a corner; `side` squares of the cloth.
static const char *scene_of(uint64_t seed, size_t side) {
  static char text[TEXT];
  char solids[TEXT / 2];
  int n = 0;
  for (size_t k = 0; k < SHAPES; k++)
    n += write_solid(solids + n, sizeof solids - (size_t)n, k, 0.2 * ((double)(k % 3) - 1),
                     0.2 * ((double)(k / 3) - 1), &seed);
  snprintf(
      text, sizeof text,
      "{\"mbsim\": 1, \"solver\": {\"type\": \"projective\", \"iterations\": 5}, \"integrator\": "
      "\"implicit\", "
      "\"time\": {\"step\": 0.01, \"steps\": 100}, \"contact\": {\"friction\": 0.4, \"method\": "
      "\"gauss_seidel\", "
      "\"iterations\": 10}, \"bodies\": [%s], \"deformables\": [{\"name\": \"cloth\", \"type\": \"cloth\", "
      "\"mesh\": {\"grid\": [%zu, %zu], \"size\": [0.6, 0.6], \"pattern\": \"cross\"}, \"pose\": "
      "{\"position\": "
      "[-0.3, -0.3, 0]}, \"velocity\": {\"angular\": [%.3g, 0, %.3g]}, \"pin\": [{\"select\": {\"vertices\": "
      "[0]}}], \"material\": {\"model\": \"neo_hookean\", \"young\": 5e4, \"poisson\": 0.3, \"density\": "
      "300, "
      "\"thickness\": 0.004}}, {\"name\": \"block\", \"type\": \"tets\", \"mesh\": {\"box\": [3, 4, 2], "
      "\"size\": "
      "[0.2, 0.3, 0.1]}, \"pose\": {\"position\": [-0.1, 0.4, 0]}, \"material\": {\"model\": "
      "\"corotational\", "
      "\"young\": 3e4, \"poisson\": 0.3, \"density\": 500}}, {\"name\": \"net\", \"type\": \"springs\", "
      "\"mesh\": "
      "{\"grid\": [9, 9], \"size\": [0.5, 0.4], \"pattern\": \"square\"}, \"pose\": {\"position\": [-0.25, "
      "-0.8, "
      "0.004]}, \"contact\": {\"thickness\": 0.004}, \"material\": {\"mass\": 0.2, \"stiffness\": 500, "
      "\"damping\": "
      "1}, \"attach\": [{\"select\": {\"vertices\": [0]}, \"body\": \"solid 1\"}]}], \"forces\": [{\"type\": "
      "\"spring\", \"between\": [{\"body\": \"ground\", \"at\": [0, 0.5, 0]}, {\"node\": \"block\", "
      "\"index\": 0}], "
      "\"stiffness\": 50, \"length\": 0}]}",
      solids, side, side, between(&seed, 0, 1), between(&seed, 0, 1));
  return text;
}

// ---- comparing --------------------------------------------------------------------------------------------

static void compare_touch(const MbTouch *a, const MbTouch *b, bool same, const char *what) {
  double worst = fabs(a->gap - b->gap);
  cr_assert(a->a == b->a && a->b == b->b && a->feature_a == b->feature_a && a->feature_b == b->feature_b,
            "%s: features %u and %u, by the other %u and %u", what, a->feature_a, a->feature_b, b->feature_a,
            b->feature_b);
  for (int k = 0; k < 3; k++)
    worst = fmax(worst, fmax(fabs(a->normal[k] - b->normal[k]), fabs(a->point[k] - b->point[k])));
  cr_assert(same ? worst == 0 : worst <= CLOSE, "%s: off by %g", what, worst);
}

// Takes the other simulation to this one's state, and lets both look.
static void look_both(MbSim *own, MbSim *there) {
  const size_t size = mb_sim_checkpoint_size(own);
  MbReport report = {0};
  void *state = malloc(size);
  mb_sim_checkpoint(own, state);
  test_ok(mb_sim_restore(there, state, size, &report), &report);
  free(state);
  MbSim *const both[] = {own, there};
  for (int k = 0; k < 2; k++) cr_assert(mb_touch_look(both[k], &both[k]->touching->last, true));
}

// Contacts of nodes with each form of shape, and of what is between nodes, are counted; so are triangles that have points with it, as the device
// tells, and those that it leaves to the processor.
typedef struct Counts {
  size_t nodes[MB_FORMS], between, met[MB_FORMS], left[MB_FORMS];
} Counts;

static void count_faces(const MbSim *sim, Counts *counts) {
  const MbTouching *t = sim->touching;
  const MbNearFound *found = &t->sight.found;
  for (size_t i = 0; i < found->nfaces; i++) {
    const MbForm form = t->solids.shape[t->sight.pair[found->face[i].pair].solid].form;
    counts->met[form] += found->face[i].points > 0 && found->face[i].points != MB_NEAR_LEFT;
    counts->left[form] += found->face[i].points == MB_NEAR_LEFT;
  }
}

static void count(const MbSim *sim, Counts *counts) {
  const MbTouching *t = sim->touching;
  for (size_t i = 0; i < t->next.n; i++) {
    const MbTouch *touch = &t->next.touch[i];
    if (touch->a < t->rules->nsolids) continue;
    if (touch->feature_a & (MB_FEATURE_EDGE | MB_FEATURE_FACE))
      counts->between++;
    else
      counts->nodes[t->solids.shape[touch->b].form]++;
  }
}

static void compare_look(MbSim *own, MbSim *there, bool same, const char *when, Counts *counts) {
  char what[96];
  look_both(own, there);
  const MbTouches *a = &own->touching->next, *b = &there->touching->next;
  cr_assert(!own->touching->sight.by && there->touching->sight.by);
  cr_assert_eq(a->n, b->n, "%s: %zu contacts, by the other %zu", when, a->n, b->n);
  for (size_t i = 0; i < a->n; i++) {
    snprintf(what, sizeof what, "%s, contact %zu of %zu", when, i, a->n);
    compare_touch(&a->touch[i], &b->touch[i], same, what);
  }
  if (there->touching->sight.npairs) count(there, counts), count_faces(there, counts);
}

static void compare_on(const MbEngine *engine, const char *from, int steps, Counts *counts) {
  TestRun run = test_run(from, NULL);
  MbSim *there = beside_on(engine, &run);
  char when[64];
  for (int k = 0; k <= steps; k++) {
    snprintf(when, sizeof when, "%s, step %d", mb_engine_name(engine), k);
    compare_look(run.sim, there, engine == &mb_loops_engine, when, counts);
    test_steps(run.sim, 1);
  }
  mb_sim_free(there);
  test_run_free(&run);
}

// ---- tests ------------------------------------------------------------------------------------------------

Test(moved_near, contacts_with_every_shape_are_those_that_the_processor_finds, TEST_LONG) {
  for (int e = 0; beside_engine(e); e++) {
    Counts counts = {.between = 0};
    for (uint64_t seed = 1; seed <= 3; seed++)
      compare_on(beside_engine(e), scene_of(seed, 9 + (size_t)seed), GOES, &counts);
    for (int f = 0; f < MB_FORMS; f++) {
      printf("  %-5s form %d: %zu contacts of nodes, %zu triangles with points, %zu left\n",
             mb_engine_name(beside_engine(e)), f, counts.nodes[f], counts.met[f], counts.left[f]);
      cr_expect_gt(counts.nodes[f], 20, "form %d is not touched", f);
      cr_expect_eq(counts.met[f] > 20, f != MB_FORM_PLANE, "form %d", f);
      cr_expect_eq(counts.left[f], 0, "form %d", f);
    }
    cr_expect_gt(counts.between, 200);
  }
}

// Windows of few things end among a pair's nodes and triangles; those of many are added up in two levels.
Test(moved_near, windows_of_any_size_find_the_same) {
  static const size_t most[] = {1, 63, 64, 65, 1000, 4096, 4097};
  for (size_t k = 0; k < sizeof most / sizeof *most; k++) {
    Counts counts = {.between = 0};
    mb_moved_near_most = most[k];
    TestRun run = test_run(scene_of(4, 9), NULL);
    MbSim *there = beside_on(&mb_loops_engine, &run);
    test_steps(run.sim, GOES / 2);
    compare_look(run.sim, there, true, "a window", &counts);
    cr_expect_gt(counts.between, 5, "%zu", counts.between);
    mb_sim_free(there);
    test_run_free(&run);
  }
}

// Triangles that share rooms, and those for which there is none, have the same contacts.
Test(moved_near, however_few_triangles_are_met_there_the_contacts_are_the_same) {
  static const size_t meets[] = {0, 1, 63, 64, 65, 2000, 4097}, rooms[] = {1, 1, 7, 64, 3, 8, 1000};
  for (size_t k = 0; k < sizeof meets / sizeof *meets; k++) {
    Counts counts = {.between = 0};
    mb_moved_near_meets = meets[k], mb_moved_near_rooms = mb_moved_near_meshes = rooms[k];
    TestRun run = test_run(scene_of(4, 9), NULL);
    MbSim *there = beside_on(&mb_loops_engine, &run);
    test_steps(run.sim, GOES / 2);
    compare_look(run.sim, there, true, "a part of it", &counts);
    cr_expect_gt(counts.between, 5, "%zu", counts.between);
    size_t left = 0;
    for (int f = 0; f < MB_FORMS; f++) left += counts.left[f];
    cr_expect_eq(left > 0, meets[k] < 100, "%zu left of %zu", left, meets[k]);
    mb_sim_free(there);
    test_run_free(&run);
  }
}

Test(moved_near, twenty_looks_on_a_device_have_the_same_bits) {
  for (int e = 0; beside_engine(e); e++) {
    TestRun run = test_run(scene_of(5, 17), NULL);
    MbSim *there = beside_on(beside_engine(e), &run);
    test_steps(there, GOES / 2);
    const MbTouches *next = &there->touching->next;
    MbTouch *first = NULL;
    size_t n = 0;
    for (int k = 0; k < 20; k++) {
      cr_assert(mb_touch_look(there, &there->touching->last, true));
      if (k == 0) {
        n = next->n, first = malloc(n * sizeof *first);
        memcpy(first, next->touch, n * sizeof *first);
      }
      cr_assert(next->n == n && !memcmp(first, next->touch, n * sizeof *first), "look %d differs", k);
    }
    cr_expect_gt(n, 50);
    free(first);
    mb_sim_free(there);
    test_run_free(&run);
  }
}

// What is told by `validate` is what a run takes, to a byte.
Test(moved_near, its_memory_is_part_of_what_is_told) {
  TestRun run = test_run(scene_of(6, 9), NULL);
  MbReport report = {0};
  MbSim *sim = NULL;
  size_t bytes = 0, near = 0;
  char wanted[256];
  test_ok(mb_engine_memory(&mb_loops_engine, run.model, &bytes, &report), &report);
  test_ok(mb_moved_near_bytes(run.model, &near, &report), &report);
  cr_expect_gt(near, 100000);
  mb_loops_room = bytes - 1;
  cr_expect_eq(mb_sim_create(run.model, &(MbSimOptions){.engine = &mb_loops_engine}, &sim, &report),
               MB_DEVICE);
  snprintf(
      wanted, sizeof wanted,
      "device loops: loops on the processor has %.1f MB of memory left, and the scene takes %.1f MB there",
      (double)(bytes - 1) / 1048576, (double)bytes / 1048576);
  cr_expect_str_eq(report.issues[0].text, wanted);
  mb_loops_room = bytes;
  sim = beside_on(&mb_loops_engine, &run);
  mb_loops_room = SIZE_MAX;
  mb_sim_free(sim);
  test_run_free(&run);
}

// A device that stops in a look lets the processor find what is near; the step tells that it stopped.
Test(moved_near, what_is_near_is_found_by_the_processor_where_a_device_has_stopped) {
  TestRun run = test_run(scene_of(7, 9), NULL);
  MbReport report = {0};
  test_steps(run.sim, GOES / 2);
  for (int64_t launch = 0; launch < LAUNCHES; launch++) {
    MbSim *sim = beside_on(&mb_loops_engine, &run);
    mb_loops_fail_after = launch;
    look_both(run.sim, sim);
    mb_loops_fail_after = -1;
    cr_expect_eq(sim->touching->sight.npairs, 0);
    cr_assert_eq(sim->touching->next.n, run.sim->touching->next.n);
    for (size_t i = 0; i < run.sim->touching->next.n; i++)
      compare_touch(&run.sim->touching->next.touch[i], &sim->touching->next.touch[i], true, "the processor");
    cr_expect_eq(mb_sim_step(sim, &report), MB_DEVICE);
    mb_sim_free(sim);
  }
  test_run_free(&run);
}

// Steps from the same start, of which launch `launch` of the next one fails; *left of these are not reached.
static MbStatus step_without(const TestRun *run, int64_t launch, int64_t *left) {
  MbReport report = {0};
  MbSim *sim = beside_on(&mb_loops_engine, run);
  test_steps(sim, GOES / 2);
  mb_loops_fail_after = launch;
  const MbStatus status = mb_sim_step(sim, &report);
  *left = mb_loops_fail_after;
  mb_loops_fail_after = -1;
  cr_expect_eq(mb_sim_steps(sim), GOES / 2 + (status == MB_OK));
  mb_sim_free(sim);
  return status;
}

// A step looks once more at its end, for what is deep, and then asks a device for nothing.
Test(moved_near, a_device_that_stops_in_the_last_look_of_a_step_is_what_is_told) {
  static const int64_t MANY = 1000000;
  TestRun run = test_run(scene_of(7, 9), NULL);
  int64_t left = 0, none = 0;
  cr_assert_eq(step_without(&run, MANY, &left), MB_OK);
  for (int64_t back = 1; back <= LAUNCHES; back++)
    cr_expect_eq(step_without(&run, MANY - left - back, &none), MB_DEVICE, "launch %lld from the end",
                 (long long)back);
  cr_expect_eq(step_without(&run, MANY - left, &none), MB_OK);
  test_run_free(&run);
}
