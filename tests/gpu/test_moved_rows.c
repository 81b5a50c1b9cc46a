// Rows and forces that tie nodes that a device moves to bodies, to one another and to what they touch: every step is that of the
// processor's own engine.
#include "core/base/alloc.h"
#include "core/base/hash.h"
#include "core/sim/sections.h"
#include "gpu/moved.h"
#include "tests/gpu/beside.h"
#include "tests/soft.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const methods[] = {"/solver/method=\"lbfgs\"", "/solver/method=\"projective\""};

// By both methods; `more` as test_run takes it.
static void both(const char *what, const char *from, const char *const *more, int earlier, int steps) {
  for (int k = 0; k < 2; k++) {
    char told[128];
    const char *sets[8] = {NULL};
    size_t n = 0;
    for (size_t i = 0; more && more[i]; i++) sets[n++] = more[i];
    sets[n] = methods[k];
    snprintf(told, sizeof told, "%s, %s", what, methods[k] + 15);
    beside_compare(told, from, sets, earlier, steps);
  }
}

static const char *const projective = "/solver={\"type\": \"projective\", \"iterations\": 12}";

// ---- rows between nodes and bodies ----------------------------------------------------------------------------

Test(moved_rows, cloth_attached_to_a_frame_goes_as_by_the_processor) {
  both("cloth on a frame", "deformables/cloth_on_frame", (const char *[]){projective, NULL}, 6, 4);
}
Test(moved_rows, an_arm_with_a_soft_hand_goes_as_by_the_processor) {
  both("soft arm", "deformables/soft_arm", (const char *[]){projective, NULL}, 6, 4);
}
Test(moved_rows, a_cable_that_keeps_its_length_goes_as_by_the_processor) {
  both("cable of a length", "projective/finger",
       (const char *[]){
           "/deformables/0/cables/0={\"path\": [{\"box\": [[0.029, -0.001, -0.001], [0.031, 0.021, 0.001]]}, "
           "{\"box\": [[0.029, -0.001, 0.039], [0.031, 0.021, 0.041]]}, {\"box\": [[0.029, -0.001, 0.119], "
           "[0.031, 0.021, 0.121]]}]}",
           NULL},
       6, 4);
}

// A muscle and a spring tie a block to bodies, a rod holds it at one of them, and a sheet hangs on its nodes, whose other end the spring of a
// motor moves; one side of the block is pinned along one axis.
static const char *const tied =
    "{\"mbsim\": 1, \"time\": {\"step\": 0.01, \"steps\": 100}, \"integrator\": \"implicit\", \"solver\": "
    "{\"type\": "
    "\"projective\", \"iterations\": 15}, \"bodies\": [{\"name\": \"arm\", \"shape\": {\"type\": \"box\", "
    "\"size\": [0.4, "
    "0.05, 0.05]}, \"density\": 800, \"joint\": {\"type\": \"revolute\", \"axis\": [0, 1, 0], \"in_body\": "
    "{\"position\": "
    "[-0.2, 0, 0]}, \"motor\": {\"stiffness\": 50, \"damping\": 1, \"target\": \"=0.4*sin(9*t)\"}}}, "
    "{\"name\": \"ball\", "
    "\"shape\": {\"type\": \"sphere\", \"radius\": 0.06}, \"density\": 900, \"pose\": {\"position\": [0.8, "
    "0.3, 0]}}], "
    "\"deformables\": [{\"name\": \"block\", \"type\": \"tets\", \"mesh\": {\"box\": [3, 3, 3], \"size\": "
    "[0.2, 0.2, 0.2]}, "
    "\"pose\": {\"position\": [0.5, -0.1, -0.1]}, \"material\": {\"model\": \"corotational\", \"young\": "
    "5e4, \"poisson\": 0.3, "
    "\"density\": 1000}, \"pin\": [{\"select\": {\"side\": \"-z\"}, \"axes\": \"y\"}]}, {\"name\": "
    "\"sheet\", \"type\": "
    "\"cloth\", \"mesh\": {\"grid\": [5, 4], \"size\": [0.2, 0.2]}, \"pose\": {\"position\": [0.5, -0.1, "
    "0.1]}, \"material\": "
    "{\"model\": \"corotational\", \"young\": 1e5, \"poisson\": 0.3, \"density\": 300, \"thickness\": "
    "0.002}, \"attach\": "
    "[{\"select\": {\"vertices\": [0]}, \"to\": {\"deformable\": \"block\", \"vertices\": [18]}}, "
    "{\"select\": {\"vertices\": "
    "[4]}, \"body\": \"arm\"}]}], \"forces\": [{\"type\": \"muscle\", \"path\": [{\"body\": \"arm\", \"at\": "
    "[0.1, 0, 0]}, "
    "{\"node\": \"block\", \"index\": 4}], \"activation\": \"=0.5*(1-cos(20*t))\", \"max_force\": 20, "
    "\"optimal_length\": 0.4, "
    "\"max_velocity\": 5}, {\"type\": \"spring\", \"between\": [{\"body\": \"ball\", \"at\": [0.05, 0, 0]}, "
    "{\"node\": "
    "\"block\", \"index\": 20}], \"stiffness\": 5000, \"damping\": 1}], \"constraints\": [{\"type\": "
    "\"distance\", \"between\": "
    "[{\"body\": \"ball\", \"at\": [0, 0.05, 0]}, {\"node\": \"block\", \"index\": 26}]}, {\"type\": "
    "\"distance\", "
    "\"between\": [{\"node\": \"sheet\", \"index\": 19}, {\"node\": \"block\", \"index\": 24}]}]}";

Test(moved_rows, nodes_that_forces_and_rows_tie_to_bodies_and_nodes_go_as_by_the_processor) {
  both("ties", tied, NULL, 6, 5);
}
Test(moved_rows, rows_between_nodes_alone_go_as_by_the_processor) {
  both(
      "rows between nodes", tied,
      (const char *[]){
          "/forces=[]",
          "/bodies/1={\"name\": \"ball\", \"shape\": {\"type\": \"sphere\", \"radius\": 0.06}, "
          "\"density\": 900, \"joint\": {\"type\": \"fixed\", \"in_parent\": {\"position\": [0.8, 0.3, 0]}}}",
          NULL},
      6, 5);
}
Test(moved_rows, an_inverse_of_floats_goes_as_by_the_processor) {
  both("floats", tied,
       (const char *[]){"/solver/precision=\"single\"", "/solver/global=\"sparse_inverse\"", NULL}, 6, 4);
}

// ---- contact --------------------------------------------------------------------------------------------------

Test(moved_rows, cloth_on_a_sphere_goes_as_by_the_processor) {
  both("cloth on a sphere", "contact/cloth_sphere", NULL, 28, 3);
}
Test(moved_rows, a_soft_ball_on_stairs_goes_as_by_the_processor) {
  both("soft ball", "contact/soft_ball", NULL, 50, 3);
}
// Of many contacts the device comes to another λ within the tolerance.
static const char *const exactly[] = {"/contact/tolerance=1e-12", NULL};

Test(moved_rows, cloth_on_edges_goes_as_by_the_processor) {
  both("cloth on knives", "contact/cloth_knives", exactly, 20, 3);
}
Test(moved_rows, a_corner_in_a_triangle_goes_as_by_the_processor) {
  both("sharp corner", "contact/sharp_corner", NULL, 30, 3);
}
Test(moved_rows, cloth_that_lies_on_itself_goes_as_by_the_processor) {
  both("folding", "contact/folding", exactly, 100, 3);
}
Test(moved_rows, balls_in_a_net_go_as_by_the_processor) {
  both("balls in a net", "contact/catching_net", (const char *[]){projective, NULL}, 45, 3);
}
Test(moved_rows_long, soft_fingers_at_a_box_go_as_by_the_processor, TEST_LONG) {
  both("soft gripper", "contact/soft_gripper", NULL, 100, 3);
}

static const char *const dropped = // along one axis it is held
    "{\"mbsim\": 1, \"time\": {\"step\": 0.01, \"steps\": 100}, \"integrator\": \"implicit\", \"solver\": "
    "{\"type\": "
    "\"projective\", \"iterations\": 12}, \"contact\": {\"friction\": 0.4}, \"bodies\": [{\"name\": "
    "\"ground\", \"shape\": "
    "{\"type\": \"plane\"}, \"joint\": {\"type\": \"fixed\"}}, {\"name\": \"ball\", \"shape\": {\"type\": "
    "\"sphere\", "
    "\"radius\": 0.05}, \"density\": 700, \"pose\": {\"position\": [0.1, 0.1, 0.3]}}], \"deformables\": "
    "[{\"name\": \"block\", "
    "\"type\": \"tets\", \"mesh\": {\"box\": [4, 4, 4], \"size\": [0.2, 0.2, 0.2]}, \"pose\": {\"position\": "
    "[0, 0, 0.02]}, "
    "\"material\": {\"model\": \"neo_hookean\", \"young\": 3e4, \"poisson\": 0.35, \"density\": 1000}, "
    "\"pin\": [{\"select\": "
    "{\"side\": \"-x\"}, \"axes\": \"y\"}]}]}";

Test(moved_rows, a_block_that_is_held_along_an_axis_lands_as_by_the_processor) {
  both("block, pinned along y", dropped, NULL, 10, 6);
}

// Iterations to an end: elements that an iterate turns inside out have every method begin the step anew.
Test(moved_rows, a_block_pushed_through_itself_goes_as_by_the_processor) {
  static const char block[] = "{\"mbsim\": 1, \"time\": {\"step\": 0.02, \"duration\": 2}, \"gravity\": [0, "
                              "0, 0], \"solver\": \"projective\", "
                              "\"deformables\": [{\"name\": \"block\", \"type\": \"tets\", \"mesh\": "
                              "{\"box\": [6, 2, 2], \"size\": [0.6, 0.2, 0.2]}, "
                              "\"material\": {\"model\": \"neo_hookean\", \"young\": 1e5, \"density\": "
                              "1000}, \"pin\": [{\"select\": {\"side\": "
                              "\"-x\"}}, {\"select\": {\"side\": \"+x\"}, \"motion\": {\"translate\": "
                              "[\"=-0.9*(1-cos(pi*t))/2\", 0, 0]}}]}]}";
  beside_compare("inside out", block, (const char *[]){methods[1], NULL}, 24, 6);
}

// ---- columns --------------------------------------------------------------------------------------------------

enum { BLOCK = 27, MOST = 5 };
static const uint32_t port = 4;

static void begin_block(Soft *soft, const MbPdMover *mover, size_t columns, bool rolls) {
  *soft = (Soft){0};
  cr_assert(mb_element_mesh_box(&soft->mesh, (const size_t[]){3, 3, 3}, (const double[]){1, 1, 1}));
  soft_begin(soft, 1000);
  soft_material(soft, MB_COROTATIONAL, 1e5, 0.3);
  if (rolls) soft->placed[22] = 2, soft->placed[26] = 7;
  soft->spec.nports = 1, soft->spec.port = &port, soft->spec.columns = columns;
  soft->spec.mover = mover, soft->spec.names = true;
  soft_create(soft, 0.01, MB_METHOD_PROJECTIVE, 1, 0);
}

// One iteration with impulses: velocities at the list, and all places.
static void push_block(Soft *soft, size_t n, double *v, double *q1) {
  double impulse[3 * MOST], v1[3 * BLOCK], t;
  const MbNodeStart start = {soft->q, soft->v, soft->target, soft->gravity, soft->force, NULL};
  for (size_t c = 0; c < 3 * n; c++) impulse[c] = c % 5 ? sin(1.0 + (double)c) : 0;
  mb_pd_begin(soft->engine, &start);
  cr_assert(mb_pd_pass(soft->engine));
  mb_pd_push_ports(soft->engine, impulse);
  mb_pd_read_ports(soft->engine, 1, v);
  cr_assert(mb_pd_end_pass(soft->engine, &(MbPdAlong){0}, &t));
  cr_assert(mb_pd_end(soft->engine, q1, v1));
}

// Lists that come and go, in room for all columns and in room for three, or one: S and what impulses make are the processor's.
Test(moved_rows, nodes_are_named_from_step_to_step_in_whatever_room_there_is) {
  static const uint32_t lists[][4] = {{1, 5}, {5, 9, 11}, {1, 2, 3, 7}, {2}, {2, 26}, {0, 8, 22, 26}};
  static const size_t counts[] = {2, 3, 4, 1, 2, 4};
  for (int rolls = 0; rolls < 2; rolls++) {
    Soft soft[3];
    begin_block(&soft[0], NULL, 0, rolls);
    begin_block(&soft[1], &mb_moved_by_loops, 0, rolls);
    begin_block(&soft[2], &mb_moved_by_loops, 3 * BLOCK * sizeof(double), rolls);
    cr_expect_gt(mb_moved_bytes(soft[1].engine), mb_moved_bytes(soft[2].engine));
    for (size_t i = 0; i < 6; i++) {
      const size_t n = counts[i] + 1;
      double v[3][3 * MOST], q1[3][3 * BLOCK], S[2][3];
      for (int k = 0; k < 3; k++) {
        cr_assert(mb_pd_name(soft[k].engine, counts[i], lists[i]));
        push_block(&soft[k], n, v[k], q1[k]);
        for (size_t a = 0; k && a < n * n; a++) {
          mb_pd_response(soft[0].engine, a / n, a % n, S[0]);
          mb_pd_response(soft[k].engine, a / n, a % n, S[1]);
          test_near("response", S[1], S[0], 3, 1e-15);
        }
        if (k) test_near("velocities", v[k], v[0], 3 * n, 1e-13);
        if (k) test_near("places", q1[k], q1[0], 3 * BLOCK, 1e-14);
      }
    }
    for (int k = 0; k < 3; k++) soft_end(&soft[k]);
  }
  cr_assert_eq(mb_alloc_live(), 0);
}

// ---- what holds of all ------------------------------------------------------------------------------------------

static const char *const scenes[] = {"tied", "dropped"};
static const char *scene_of(int k) { return k ? dropped : tied; }

Test(moved_rows_long, runs_come_to_the_same_bits, TEST_LONG) {
  for (int e = 0; beside_engine(e); e++)
    for (int s = 0; s < 2; s++) {
      char first[33] = "";
      for (int k = 0; k < 20; k++) {
        TestRun run = test_run(scene_of(s), NULL);
        MbSim *there = beside_on(beside_engine(e), &run);
        MbHash of;
        char hash[33];
        test_steps(there, 15);
        mb_hash_begin(&of);
        mb_hash_doubles(&of, mb_section(there, MB_SECTION_NODES), 6 * mb_model_points(run.model));
        mb_hash_hex(&of, hash);
        if (k == 0) memcpy(first, hash, sizeof first);
        cr_expect_str_eq(hash, first, "%s, run %d", scenes[s], k);
        mb_sim_free(there), test_run_free(&run);
      }
    }
  cr_assert_eq(mb_alloc_live(), 0);
}

Test(moved_rows, a_step_allocates_nothing_where_the_list_is_constant) {
  for (int k = 0; k < 2; k++) {
    TestRun run = test_run(tied, (const char *[]){methods[k], NULL});
    MbSim *loops = beside_on(&mb_loops_engine, &run);
    test_steps(loops, 2);
    const int64_t before = mb_alloc_calls();
    test_steps(loops, 5);
    cr_expect_eq(mb_alloc_calls(), before);
    mb_sim_free(loops), test_run_free(&run);
  }
}

Test(moved_rows, what_memory_runs_out_of_is_given_back) {
  for (int s = 0; s < 2; s++) {
    TestRun run = test_run(scene_of(s), NULL);
    const int64_t live = mb_alloc_live();
    bool made = false;
    for (int64_t fail = 0; !made; fail += 7) { // every seventh, as they are many
      MbReport report = {0};
      MbSim *sim = NULL;
      mb_alloc_fail_after(fail);
      made = mb_sim_create(run.model, &(MbSimOptions){.engine = &mb_loops_engine}, &sim, &report) == MB_OK &&
             mb_sim_steps(sim) == 0;
      for (int k = 0; made && k < 12; k++) made = mb_sim_step(sim, &report) == MB_OK;
      mb_alloc_fail_after(-1);
      mb_sim_free(sim);
      cr_assert_eq(mb_alloc_live(), live, "%s, with %lld blocks", scenes[s], (long long)fail);
    }
    test_run_free(&run);
  }
}

// Of so many launches one fails.
#ifdef MB_SANITIZED
enum { LAUNCHES = 29 };
#else
enum { LAUNCHES = 7 };
#endif

// Wherever in a step it stops, the step fails as a device's fault, and the state is the one before.
Test(moved_rows_long, a_device_that_stops_in_a_step_is_what_is_told) {
  for (int s = 0; s < 2; s++)
    for (int k = 0; k < 2; k++) {
      TestRun run = test_run(scene_of(s), (const char *[]){methods[k], NULL});
      const int64_t steps = s ? 12 : 1;
      bool whole = false;
      int64_t launch = 0;
      for (; !whole; launch += LAUNCHES) {
        MbReport report = {0};
        MbSim *sim = beside_on(&mb_loops_engine, &run);
        test_steps(sim, steps);
        mb_loops_fail_after = launch;
        const MbStatus status = mb_sim_step(sim, &report);
        whole = mb_loops_fail_after >= 0; // it has come to its end before that
        mb_loops_fail_after = -1;
        cr_expect_eq(status, whole ? MB_OK : MB_DEVICE, "%s, %s, launch %lld: %s", scenes[s], methods[k],
                     (long long)launch, report.issues[0].text);
        if (!whole) cr_expect(strstr(report.issues[0].text, "a launch fails, as a test wants it"));
        cr_expect_eq(mb_sim_steps(sim), steps + whole);
        mb_sim_free(sim);
      }
      cr_expect_gt(launch, 100);
      test_run_free(&run);
    }
}

// Columns are part of what a scene takes there, and there are none where nothing can name a node.
Test(moved_rows, columns_are_part_of_the_memory_that_is_told) {
  size_t bytes[2];
  MbReport report = {0};
  for (int k = 0; k < 2; k++) {
    TestRun run = test_run("contact/soft_ball", (const char *[]){k ? "/bodies=[]" : NULL, NULL});
    test_ok(mb_engine_memory(&mb_loops_engine, run.model, &bytes[k], &report), &report);
    if (k == 0) {
      const size_t n = mb_model_points(run.model);
      cr_expect_geq(bytes[0], n * n * sizeof(double));
      mb_loops_room = bytes[0];
      MbSim *sim = beside_on(&mb_loops_engine, &run);
      mb_loops_room = SIZE_MAX;
      mb_sim_free(sim);
    }
    test_run_free(&run);
  }
  cr_expect_gt(bytes[0], bytes[1]);
}
