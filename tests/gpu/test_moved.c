// Nodes that a device moves, with loops on the processor in the device's place: every step is that of the processor's own engine, from the
// same state, but for rounding; and the same bits in every run.
#include "core/base/alloc.h"
#include "core/base/hash.h"
#include "core/sim/sections.h"
#include "gpu/backend.h"
#include "gpu/moved.h"
#include "tests/gpu/beside.h"
#include "tests/soft.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static MbSim *on(const MbEngine *engine, const TestRun *run) { return beside_on(engine, run); }
static MbSim *on_loops(const TestRun *run) { return on(&mb_loops_engine, run); }
static const MbEngine *engine_of(int k) { return beside_engine(k); }
static double extent(const double *q, size_t n) { return beside_extent(q, n); }
static void compare(const char *what, const char *from, const char *const *sets, int steps) {
  beside_compare(what, from, sets, BESIDE_EARLIER, steps);
}

// ---- the examples -----------------------------------------------------------------------------------------

static const char *const methods[] = {"/solver/method=\"lbfgs\"", "/solver/method=\"projective\""};

static void example(const char *name, const char *more, int steps) {
  for (int k = 0; k < 2; k++) {
    char what[128];
    snprintf(what, sizeof what, "%s, %s", *name == '{' ? "mixed" : name, methods[k] + 15);
    compare(what, name, (const char *[]){methods[k], more, NULL}, steps);
  }
}

Test(moved, a_twisted_bar_goes_as_by_the_processor) { example("projective/twisting_bar", NULL, 4); }
Test(moved, a_ball_between_handles_goes_as_by_the_processor) { example("projective/jelly_ball", NULL, 4); }
Test(moved, a_hanging_cloth_goes_as_by_the_processor) { example("projective/hanging_cloth", NULL, 4); }
Test(moved, a_stretched_cloth_goes_as_by_the_processor) { example("projective/stretching_cloth", NULL, 4); }

Test(moved, a_leaf_that_is_curved_at_rest_goes_as_by_the_processor) {
  example("projective/leaf_released", NULL, 4);
}
Test(moved, a_pressed_block_goes_as_by_the_processor) { example("projective/pressed_block", NULL, 4); }

// ---- every material and kind ------------------------------------------------------------------------------

static const char *const block =
    "{\"mbsim\": 1, \"solver\": {\"type\": \"projective\", \"iterations\": 12}, \"integrator\": "
    "\"implicit\", "
    "\"gravity\": [0, 0, -9.8], \"forces\": [{\"type\": \"damping\", \"coefficient\": 0.001}], "
    "\"time\": {\"step\": 0.01, \"steps\": 10}, \"deformables\": [{\"name\": \"block\", \"type\": \"tets\", "
    "\"mesh\": {\"box\": [6, 4, 4], \"size\": [0.5, 0.3, 0.3]}, \"material\": {\"model\": \"arap\", "
    "\"young\": "
    "2e4, \"poisson\": 0.3, \"density\": 800}, \"pin\": [{\"select\": {\"side\": \"-x\"}}], \"velocity\": "
    "{\"linear\": [0, 2, 1]}}]}";

static const char *const sheet =
    "{\"mbsim\": 1, \"solver\": {\"type\": \"projective\", \"iterations\": 12}, \"integrator\": "
    "\"implicit\", "
    "\"gravity\": [0, 0, -9.8], \"time\": {\"step\": 0.01, \"steps\": 10}, \"deformables\": [{\"name\": "
    "\"sheet\", "
    "\"type\": \"cloth\", \"mesh\": {\"grid\": [7, 6], \"size\": [0.6, 0.5]}, \"material\": {\"model\": "
    "\"arap\", "
    "\"thickness\": 0.002, \"young\": 1e5, \"poisson\": 0.3, \"density\": 300}, \"pin\": [{\"select\": "
    "{\"nearest\": [0, 0, 0]}}], \"velocity\": {\"linear\": [0, 1, 2]}}]}";

static void materials(const char *scene, const char *kind, const char *const *more) {
  static const char *const models[] = {"arap", "corotational", "neo_hookean", "linear"};
  for (int m = 0; m < 4; m++)
    for (int k = 0; k < 2; k++) {
      char what[128], model[64];
      const char *sets[8] = {methods[k], model};
      if (m == 3 && scene == sheet) continue;
      snprintf(model, sizeof model, "/deformables/0/material/model=\"%s\"", models[m]);
      snprintf(what, sizeof what, "%s, %s, %s", kind, models[m], methods[k] + 15);
      for (int i = 0; more && more[i]; i++) sets[2 + i] = more[i];
      compare(what, scene, sets, 3);
    }
}

Test(moved, solids_of_every_material_go_as_by_the_processor) { materials(block, "solid", NULL); }
Test(moved, solids_that_damp_go_as_by_the_processor) {
  materials(block, "damped solid", (const char *[]){"/deformables/0/material/damping=0.01", NULL});
}
Test(moved, cloth_of_every_material_goes_as_by_the_processor) { materials(sheet, "cloth", NULL); }
Test(moved, cloth_that_bends_goes_as_by_the_processor) {
  materials(sheet, "bending cloth",
            (const char *[]){
                "/deformables/0/material/bending={\"model\": \"isometric\", \"stiffness\": 1e-3}", NULL});
}

// Nodes placed along some axes and along others, that move; nodes that are, and two deformables.
static const char *const mixed =
    "{\"mbsim\": 1, \"solver\": {\"type\": \"projective\", \"iterations\": 15}, \"integrator\": "
    "\"implicit\", "
    "\"gravity\": [0, 0, -9.8], \"time\": {\"step\": 0.01, \"steps\": 100}, \"deformables\": [{\"name\": "
    "\"a\", "
    "\"type\": \"tets\", \"mesh\": {\"box\": [5, 4, 4], \"size\": [0.4, 0.3, 0.3]}, \"material\": "
    "{\"model\": "
    "\"corotational\", \"young\": 3e4, \"poisson\": 0.35, \"density\": 900}, \"pin\": [{\"select\": "
    "{\"side\": "
    "\"-x\"}, \"axes\": \"xz\"}, {\"select\": {\"side\": \"+x\"}, \"axes\": \"y\"}]}, {\"name\": \"b\", "
    "\"type\": "
    "\"cloth\", \"mesh\": {\"grid\": [6, 5], \"size\": [0.5, 0.4]}, \"pose\": {\"position\": [2, 0, 0]}, "
    "\"material\": {\"model\": \"neo_hookean\", \"thickness\": 0.002, \"young\": 1e5, \"poisson\": 0.3, "
    "\"density\": 300, \"damping\": 0.002}, \"pin\": [{\"select\": {\"side\": \"-x\"}, \"motion\": "
    "{\"translate\": [0, 0, \"=0.3*sin(20*t)\"]}}]}, {\"name\": \"c\", \"type\": \"springs\", \"mesh\": "
    "{\"grid\": "
    "[4, 4], \"size\": [0.3, 0.3]}, \"pose\": {\"position\": [0, 3, 0]}, \"material\": {\"stiffness\": 40, "
    "\"damping\": 0.05, \"mass\": 0.2}, \"pin\": [{\"select\": {\"side\": \"-x\"}}]}]}";

Test(moved, pins_along_some_axes_and_handles_go_as_by_the_processor) { example(mixed, NULL, 6); }

// ---- an inverse in three levels --------------------------------------------------------------------------------------

// Large enough that each level has many parts or rows of several pieces, and that tiles end where levels do.
static const char *const tower =
    "{\"mbsim\": 1, \"solver\": {\"type\": \"projective\", \"iterations\": 6}, \"integrator\": \"implicit\", "
    "\"time\": {\"step\": 0.01, \"steps\": 4}, \"deformables\": [{\"name\": \"tower\", \"type\": \"tets\", "
    "\"mesh\": {\"box\": [12, 12, 23], \"size\": [0.5, 0.5, 1]}, \"material\": {\"model\": \"corotational\", "
    "\"young\": 2e4, \"poisson\": 0.3, \"density\": 800}, \"pin\": [{\"select\": {\"side\": \"-z\"}}, "
    "{\"select\": {\"side\": \"+z\"}, \"axes\": \"x\"}]}]}";

static void in_levels(const char *scene, const char *more, int steps) {
  for (int k = 0; k < 2; k++) {
    char what[128];
    snprintf(what, sizeof what, "levels%s: %s, %s", more ? ", floats" : "",
             *scene == '{' ? (scene == tower ? "tower" : "mixed") : scene, methods[k] + 15);
    compare(what, scene, (const char *[]){methods[k], "/solver/global=\"partitioned_inverse\"", more, NULL},
            steps);
  }
}

Test(moved, an_inverse_in_levels_goes_as_by_the_processor) {
  in_levels("projective/twisting_bar", NULL, 3);
  in_levels("projective/hanging_cloth", NULL, 3);
  in_levels(mixed, NULL, 3);
  in_levels(mixed, "/solver/precision=\"single\"", 3);
}
Test(moved_long, a_large_inverse_in_levels_goes_as_by_the_processor, TEST_LONG) { in_levels(tower, NULL, 2); }

// ---- single precision ----------------------------------------------------------------------------------------------

static const char *const floats = "/solver/precision=\"single\"", *const inverse =
                                                                      "/solver/global=\"sparse_inverse\"";

static void of_floats(const char *name) {
  for (int k = 0; k < 2; k++) {
    char what[128];
    snprintf(what, sizeof what, "floats: %s, %s", *name == '{' ? "mixed" : name, methods[k] + 15);
    compare(what, name, (const char *[]){methods[k], floats, inverse, NULL}, 4);
  }
}

Test(moved, an_inverse_of_floats_goes_as_by_the_processor) {
  of_floats("projective/twisting_bar");
  of_floats("projective/hanging_cloth");
  of_floats(mixed); // with nodes placed along some axes
}

// A float has 24 bits: one solution by it is right to some 1e-7 times what the matrix is stiffer along than across, and the correction
// squares that. Six steps stay within 1e-12 of those by doubles, of the deformables' size.
Test(moved, an_inverse_of_floats_is_corrected) {
  static const double BOUND = 1e-12;
  for (int e = 0; engine_of(e); e++)
    for (int k = 0; k < 2; k++) {
      TestRun run = test_run(mixed, (const char *[]){methods[k], NULL}),
              single = test_run(mixed, (const char *[]){methods[k], floats, inverse, NULL});
      MbSim *there = on(engine_of(e), &single);
      test_steps(run.sim, 6), test_steps(there, 6);
      const size_t n = mb_model_points(run.model);
      const double *a = mb_section(run.sim, MB_SECTION_NODES), *b = mb_section(there, MB_SECTION_NODES);
      double worst = 0;
      for (size_t i = 0; i < 3 * n; i++) worst = fmax(worst, fabs(a[i] - b[i]));
      cr_expect_leq(worst / extent(a, n), BOUND, "%s: %g", methods[k], worst / extent(a, n));
      printf("  floats beside doubles, %-27s %.1e\n", methods[k] + 15, worst / extent(a, n));
      mb_sim_free(there);
      test_run_free(&single), test_run_free(&run);
    }
}

Test(moved, an_inverse_of_floats_takes_less_of_a_device) {
  size_t bytes[2];
  MbReport report = {0};
  for (int k = 0; k < 2; k++) {
    TestRun run = test_run("projective/twisting_bar", (const char *[]){inverse, k ? floats : NULL, NULL});
    test_ok(mb_engine_memory(&mb_loops_engine, run.model, &bytes[k], &report), &report);
    test_run_free(&run);
  }
  cr_expect_lt(20 * bytes[1], 19 * bytes[0], "%zu and %zu bytes", bytes[0], bytes[1]);
}

// ---- what acts beside elements -----------------------------------------------------------------------------------

Test(moved, fibres_in_a_muscle_go_as_by_the_processor) {
  example("deformables/muscle_block", "/solver={\"type\": \"projective\"}", 4);
}
Test(moved, yarn_in_cloth_goes_as_by_the_processor) {
  example(sheet,
          "/deformables/0/material/fibres=[{\"direction\": [1, 0, 0], \"stiffness\": 1e5, \"limit\": 0.001, "
          "\"beyond\": 1e6}, {\"direction\": [0, 1, 0], \"stiffness\": 2e5}]",
          4);
}
Test(moved, wind_on_cloth_goes_as_by_the_processor) {
  example(sheet, "/deformables/0/wind={\"velocity\": [\"=3+t\", 2, -1], \"drag\": 1.1, \"lift\": 0.4}", 4);
}
Test(moved, a_balloon_in_the_wind_goes_as_by_the_processor) { example("deformables/balloon", NULL, 4); }
Test(moved, a_balloon_with_gas_in_it_goes_as_by_the_processor) {
  compare("balloon with gas", "deformables/balloon",
          (const char *[]){"/deformables/0/gas={\"pressure\": 1e3, \"outside\": 900}", methods[0], NULL}, 4);
}
Test(moved, cables_with_a_tension_go_as_by_the_processor) { example("projective/finger", NULL, 4); }
// Two parts with loads of their own, behind one another.
Test(moved, loads_of_several_parts_go_as_by_the_processor) {
  for (int k = 0; k < 2; k++)
    compare("mixed with loads", mixed,
            (const char *[]){methods[k], "/deformables/1/wind={\"velocity\": [1, 2, 3]}",
                             "/deformables/0/material/fibres=[{\"direction\": [1, 0, 0], \"stiffness\": 2e4, "
                             "\"strength\": 1e3, \"activation\": 0.5}]",
                             "/deformables/0/wind={\"velocity\": [-3, 1, 0]}", NULL},
            5);
}

// ---- the same bits, and nothing taken in a step ---------------------------------------------------------------

Test(moved, runs_come_to_the_same_bits, TEST_LONG) {
  char first[33] = "";
  for (int k = 0; k < 40; k++) { // by loops, then by a device
    const MbEngine *engine = engine_of(k / 20);
    if (!engine) break;
    TestRun run = test_run(mixed, NULL);
    MbSim *loops = on(engine, &run);
    test_steps(loops, 20);
    const size_t n = 6 * mb_model_points(run.model);
    MbHash of;
    mb_hash_begin(&of);
    mb_hash_doubles(&of, mb_section(loops, MB_SECTION_NODES), n);
    char hash[33];
    mb_hash_hex(&of, hash);
    if (k % 20 == 0) memcpy(first, hash, sizeof first);
    cr_expect_str_eq(hash, first, "run %d", k);
    mb_sim_free(loops);
    test_run_free(&run);
  }
  cr_assert_eq(mb_alloc_live(), 0);
}

Test(moved, a_step_allocates_nothing) {
  for (int k = 0; k < 2; k++) {
    TestRun run = test_run(mixed, (const char *[]){methods[k], NULL});
    MbSim *loops = on_loops(&run);
    test_steps(loops, 2);
    const int64_t before = mb_alloc_calls();
    test_steps(loops, 5);
    cr_expect_eq(mb_alloc_calls(), before);
    mb_sim_free(loops);
    test_run_free(&run);
  }
}

Test(moved, what_memory_runs_out_of_is_given_back) {
  TestRun run = test_run(mixed, NULL);
  const int64_t live = mb_alloc_live();
  bool made = false;
  for (int64_t fail = 0; !made; fail += 7) { // every seventh, as they are many
    MbReport report = {0};
    MbSim *sim = NULL;
    mb_alloc_fail_after(fail);
    made = mb_sim_create(run.model, &(MbSimOptions){.engine = &mb_loops_engine}, &sim, &report) == MB_OK;
    mb_alloc_fail_after(-1);
    mb_sim_free(sim);
    cr_assert_eq(mb_alloc_live(), live, "with %lld blocks", (long long)fail);
  }
  test_run_free(&run);
}

// ---- devices that have too little, or fail --------------------------------------------------------------------

Test(moved, a_device_of_too_little_memory_says_how_much_it_has_and_how_much_it_takes) {
  TestRun run = test_run("projective/twisting_bar", NULL);
  MbReport report = {0};
  MbSim *sim = NULL;
  size_t bytes = 0;
  char wanted[256];
  test_ok(mb_engine_memory(&mb_loops_engine, run.model, &bytes, &report), &report);
  cr_assert_gt(bytes, 1000000);
  mb_loops_room = bytes - 1;
  cr_expect_eq(mb_sim_create(run.model, &(MbSimOptions){.engine = &mb_loops_engine}, &sim, &report),
               MB_DEVICE);
  snprintf(
      wanted, sizeof wanted,
      "device loops: loops on the processor has %.1f MB of memory left, and the scene takes %.1f MB there",
      (double)(bytes - 1) / 1048576, (double)bytes / 1048576);
  cr_expect_str_eq(report.issues[0].text, wanted);
  cr_expect_str_eq(report.issues[0].where, "/solver/device");
  mb_loops_room = bytes;
  report = (MbReport){0};
  test_ok(mb_sim_create(run.model, &(MbSimOptions){.engine = &mb_loops_engine}, &sim, &report), &report);
  mb_sim_free(sim);
  test_run_free(&run);
}

// Wherever in a step it stops, the step fails as a device's fault, not as one of the numbers, and the state is the one before.
Test(moved, a_device_that_stops_in_a_step_is_what_is_told) {
  for (int k = 0; k < 2; k++) {
    TestRun run = test_run(mixed, (const char *[]){methods[k], NULL});
    for (int64_t launch = 0; launch < 300; launch += 11) {
      MbReport report = {0};
      MbSim *sim = on_loops(&run);
      test_steps(sim, 1);
      mb_loops_fail_after = launch;
      cr_expect_eq(mb_sim_step(sim, &report), MB_DEVICE, "launch %lld", (long long)launch);
      mb_loops_fail_after = -1;
      cr_expect_str_eq(report.issues[0].text,
                       "at t = 0.02 s, step 2: device loops: loops on the processor: a "
                       "launch fails, as a test wants it");
      cr_expect_eq(mb_sim_steps(sim), 1);
      mb_sim_free(sim);
    }
    test_run_free(&run);
  }
}

// ---- what it does not take --------------------------------------------------------------------------------------

Test(moved, what_the_device_has_not_is_refused_by_name) {
  static const struct {
    const char *scene, *set, *why;
  } cases[] = {
      {"deformables/quadratic_beam", "/solver/method=\"lbfgs\"",
       "the CUDA engine has no tetrahedra of ten nodes"},
      {"deformables/rods", "/solver={\"type\": \"projective\", \"method\": \"lbfgs\"}",
       "the CUDA engine has no rods"},
      {"projective/hanging_cloth", "/solver/method=\"newton\"", "the CUDA engine has no method \"newton\""},
      {"projective/hanging_cloth", "/solver/global=\"cholesky\"",
       "the CUDA engine solves its global step by \"sparse_inverse\" or \"partitioned_inverse\" alone"},
      {"deformables/soft_arm", NULL,
       "the CUDA engine is for deformables under solver \"projective\", and for sweeps of trees of joints"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    TestRun run = test_run(cases[k].scene, (const char *[]){cases[k].set, NULL});
    const char *why = mb_engine_refuses(mb_engine_cuda(), run.model);
    cr_expect(why && !strcmp(why, cases[k].why), "%s %s: %s", cases[k].scene,
              cases[k].set ? cases[k].set : "", why ? why : "taken");
    test_run_free(&run);
  }
}

// An engine of what the model's check has let through is refused as it is made; else it would be computed as if that were not there.
Test(moved, what_its_kernels_do_not_know_is_refused) {
  static const double size[3] = {1, 1, 1};
  const size_t counts[3] = {3, 3, 3};
  for (int k = 0; k < 2; k++) {
    Soft soft = {0};
    MbReport report = {0};
    cr_assert(mb_element_mesh_box(&soft.mesh, counts, size));
    soft_begin(&soft, 1000);
    soft_material(&soft, MB_NEO_HOOKEAN, 1e5, 0.3);
    soft.spec.mover = &mb_moved_by_loops, soft.spec.still = k == 1;
    if (k == 0) {
      soft_create(&soft, 0.01, MB_METHOD_LBFGS, 5, 0);
    } else {
      soft.part.mesh = &soft.mesh, soft.spec.parts = &soft.part, soft.spec.nparts = 1;
      soft.spec.nodes = soft.mesh.nodes, soft.spec.mass = soft.mass, soft.spec.placed = soft.placed;
      soft.spec.h = 0.01, soft.spec.method = MB_METHOD_LBFGS, soft.spec.iterations = 5, soft.spec.threads = 1;
      cr_expect_eq(mb_pd_create(&soft.spec, &soft.engine, &report), MB_DEVICE);
      cr_expect(strstr(report.issues[0].text, "it has kernels for tetrahedra of four nodes"));
    }
    soft_end(&soft);
  }
  cr_assert_eq(mb_alloc_live(), 0);
}
