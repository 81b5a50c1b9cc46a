// Deformables that touch one another and themselves, and what comes between their nodes: corners and edges of bodies.
#include "core/base/alloc.h"
#include "core/sim/constrain_internal.h"
#include "core/sim/touch.h"
#include "tests/runs.h"

#include <stdio.h>
#include <string.h>

#define BEGIN(step_, tolerance_)                                                                             \
  "{\"mbsim\": 1, \"integrator\": \"implicit\", \"time\": {\"step\": " step_                                 \
  ", \"steps\": 1000}, \"output\": {\"channels\": [\"momentum\", \"contact\", \"contact.pair\"]}, "          \
  "\"contact\": {\"friction\": 0.4, \"tolerance\": " tolerance_ "}, "
#define TABLE                                                                                                \
  "\"bodies\": [{\"name\": \"table\", \"shape\": {\"type\": \"plane\"}, \"joint\": {\"type\": "              \
  "\"fixed\"}}], "
#define DRAG "\"forces\": [{\"type\": \"damping\", \"coefficient\": 0.5}], "
#define CLOTH(name_, grid_, size_, at_, thick_)                                                              \
  "{\"name\": \"" name_ "\", \"type\": \"cloth\", \"mesh\": {\"grid\": " grid_ ", \"size\": " size_          \
  ", \"pattern\": \"diagonal\"}, \"pose\": {\"position\": " at_                                              \
  "}, \"material\": {\"model\": \"corotational\", \"young\": 5e4, \"poisson\": 0.3, \"density\": 300, "      \
  "\"thickness\": " thick_ ", \"bending\": {}}"
#define RUBBER                                                                                               \
  "\"material\": {\"model\": \"corotational\", \"young\": 5e4, \"poisson\": 0.3, \"density\": 1000}"

static const char *const solvers[] = {"/solver=\"redmax\"",
                                      "/solver={\"type\": \"maximal\", \"project\": false}",
                                      "/solver={\"type\": \"projective\", \"iterations\": 60}",
                                      "/solver={\"type\": \"projective\", \"method\": \"projective\", "
                                      "\"iterations\": 60, \"bodies\": \"maximal\"}"};
enum { SOLVERS = sizeof solvers / sizeof *solvers };

static const double *node_place(const MbSim *sim, size_t deformable, size_t node) {
  const size_t end = mb_row_node(sim->model, deformable, node);
  return end < sim->model->nb ? sim->x.E[end].p : mb_nodes_places(sim) + 3 * (end - sim->model->nb);
}

// The force along z of all contacts between a and b, on b.
static double lift(const MbSim *sim, uint32_t a, uint32_t b) {
  const MbPushes *last = &sim->touching->last;
  double force = 0;
  for (size_t i = 0; i < last->n; i++) {
    const MbPushed *touch = &last->touch[i];
    double axis[3][3];
    const bool turned = touch->a == b && touch->b == a;
    if (!turned && (touch->a != a || touch->b != b)) continue;
    mb_touch_axes(touch->normal, axis);
    for (int k = 0; k < 3; k++) force += (turned ? -1 : 1) * touch->lambda[k] * axis[k][2] / sim->model->h;
  }
  return force;
}

// How many contacts of the last step are between features of these kinds.
static size_t count(const MbSim *sim, uint32_t a, uint32_t b) {
  const MbPushes *last = &sim->touching->last;
  size_t n = 0;
  for (size_t i = 0; i < last->n; i++)
    n += last->touch[i].feature_a >> 28 << 28 == a && last->touch[i].feature_b >> 28 << 28 == b;
  return n;
}

// ---- piles ------------------------------------------------------------------------------------------------

static const char cloths[] = BEGIN("0.005", "1e-11") TABLE DRAG
    "\"deformables\": [" CLOTH("lower", "[3, 3]", "[0.4, 0.4]", "[0, 0, 0.006]", "0.01") "}, " CLOTH(
        "upper", "[3, 3]", "[0.3, 0.3]", "[0.043, 0.037, 0.018]", "0.01") "}]}";

Test(touch_folds_long, two_cloths_lie_on_one_another_by_their_thickness_and_carry_their_weight, TEST_LONG) {
  const double upper = 0.09 * 0.01 * 300 * 9.81, both = upper + 0.16 * 0.01 * 300 * 9.81;
  for (size_t k = 0; k < SOLVERS; k++) {
    TestRun run = test_run(cloths, (const char *const[]){solvers[k], NULL});
    test_steps(run.sim, 400);
    // the table is solid 0, the deformables are behind it
    cr_expect(fabs(lift(run.sim, 1, 2) - upper) < 1e-9 * upper, "%s: on the upper one %.12g N", solvers[k],
              lift(run.sim, 1, 2));
    cr_expect(fabs(lift(run.sim, 0, 1) + lift(run.sim, 0, 2) - both) < 1e-9 * both, "%s: on both %.12g N",
              solvers[k], lift(run.sim, 0, 1));
    for (size_t i = 0; i < 9; i++) {
      cr_expect(fabs(node_place(run.sim, 0, i)[2] - 0.005) < 1e-8, "%s: lower node %zu at %.12g", solvers[k],
                i, node_place(run.sim, 0, i)[2]);
      cr_expect(fabs(node_place(run.sim, 1, i)[2] - 0.015) < 1e-8, "%s: upper node %zu at %.12g", solvers[k],
                i, node_place(run.sim, 1, i)[2]);
    }
    test_run_free(&run);
  }
}

static const char cubes[] = BEGIN("0.004", "1e-11") TABLE
    "\"forces\": [{\"type\": \"damping\", \"coefficient\": 30}], "
    "\"deformables\": [{\"name\": \"lower\", \"type\": \"tets\", \"mesh\": {\"box\": [2, 2, 2], \"size\": "
    "[0.2, 0.2, 0.2]}, \"pose\": {\"position\": [0, 0, 0.001]}, " RUBBER
    "}, {\"name\": \"upper\", \"type\": \"tets\", \"mesh\": {\"box\": [2, 2, 2], \"size\": [0.15, 0.15, "
    "0.15]}, \"pose\": {\"position\": [0.03, 0.02, 0.203]}, " RUBBER "}]}";

Test(touch_folds_long, a_soft_cube_stands_on_another_one_without_thickness, TEST_LONG) {
  const double upper = 0.15 * 0.15 * 0.15 * 1000 * 9.81;
  for (size_t k = 0; k < SOLVERS; k++) {
    TestRun run = test_run(cubes, (const char *const[]){solvers[k], NULL});
    test_steps(run.sim, 500);
    cr_expect(fabs(lift(run.sim, 1, 2) - upper) < 1e-6 * upper, "%s: %.12g N, not %.12g", solvers[k],
              lift(run.sim, 1, 2), upper);
    cr_expect_gt(node_place(run.sim, 1, 0)[2], 0.15, "%s: it has sunk in", solvers[k]);
    test_run_free(&run);
  }
}

// ---- what must not be passed ------------------------------------------------------------------------------

// One end of a sheet is carried over to the other one and laid down there.
static const char fold[] = BEGIN("0.005", "1e-8") TABLE DRAG
    "\"deformables\": [" CLOTH("sheet", "[7, 2]", "[0.6, 0.1]", "[0, 0, 0.006]",
                               "0.01") ", \"contact\": {\"self\": true}, \"pin\": [{\"select\": {\"side\": "
                                       "\"-x\"}}, {\"select\": {\"side\": "
                                       "\"+x\"}, \"motion\": {\"translate\": [\"=-0.5*min(1,t/0.6)\", 0, "
                                       "\"=0.2*sin(pi*min(1,t/0.6))+0.03*min(1,t/0.6)\"]}}]}]}";

Test(touch_folds_long, a_sheet_that_is_folded_over_lies_on_itself_by_its_thickness) {
  static const char *const projective = "/solver={\"type\": \"projective\", \"iterations\": 30}";
  for (int self = 0; self < 2; self++) {
    TestRun run =
        test_run(fold, (const char *const[]){
                           projective, self ? "/name=\"fold\"" : "/deformables/0/contact/self=false", NULL});
    test_steps(run.sim, 260);
    double least = 1;
    // those before the carried end
    for (size_t row = 0; row < 2; row++) least = fmin(least, node_place(run.sim, 0, 7 * row + 5)[2]);
    if (self)
      cr_expect_gt(least, 0.015 - 1e-4, "it is at %g m", least);
    else
      cr_expect_lt(least, 0.012, "nothing touches itself, and it is at %g m", least);
    test_run_free(&run);
  }
}

static const char strips[] = BEGIN("0.005", "1e-9") DRAG
    "\"deformables\": [" CLOTH("lower", "[4, 2]", "[0.6, 0.1]", "[-0.3, -0.05, 0]",
                               "0.01") ", \"pin\": [{\"select\": {\"side\": \"-x\"}}, {\"select\": "
                                       "{\"side\": \"+x\"}}]}, " CLOTH("upper", "[2, 4]", "[0.1, 0.6]",
                                                                       "[-0.05, -0.3, 0.02]", "0.01") "}]}";

Test(touch_folds_long, strips_that_cross_between_their_nodes_hold_one_another_by_edges) {
  for (size_t k = 0; k < SOLVERS; k++) {
    TestRun run = test_run(strips, (const char *const[]){solvers[k], NULL});
    size_t edges = 0;
    for (int step = 0; step < 100; step++) {
      test_steps(run.sim, 1);
      edges += count(run.sim, MB_FEATURE_EDGE, MB_FEATURE_EDGE);
    }
    double middle = 0;
    for (size_t i = 2; i < 6; i++) middle += node_place(run.sim, 1, i)[2] / 4;
    cr_expect_gt(edges, 0, "%s: no edges", solvers[k]);
    cr_expect_gt(middle, -0.12, "%s: it has fallen to %g m", solvers[k], middle);
    test_run_free(&run);
  }
}

static const char knife[] = BEGIN("0.005", "1e-9") DRAG
    "\"bodies\": [{\"name\": \"knife\", \"shape\": {\"type\": \"box\", \"size\": [1, 0.02, 0.2]}, "
    "\"density\": "
    "1000, \"joint\": {\"type\": \"fixed\", \"in_parent\": {\"position\": [0, 0.05, -0.105]}}}], "
    "\"deformables\": [" CLOTH("cloth", "[5, 5]", "[0.8, 0.8]", "[-0.4, -0.41, 0]", "0.004") "}]}";

Test(touch_folds_long, a_cloth_hangs_on_a_knife_between_its_nodes) {
  for (size_t k = 0; k < SOLVERS; k++) {
    TestRun run = test_run(knife, (const char *const[]){solvers[k], NULL});
    test_steps(run.sim, 150);
    double highest = -1, weight = 0.64 * 0.004 * 300 * 9.81, pushed = lift(run.sim, 0, 1);
    for (size_t i = 0; i < 25; i++) highest = fmax(highest, node_place(run.sim, 0, i)[2]);
    cr_expect_gt(highest, -0.05, "%s: it is at %g m", solvers[k], highest);
    cr_expect(pushed > 0.5 * weight && pushed < 2 * weight, "%s: %g N, its weight is %g N", solvers[k],
              pushed, weight);
    test_run_free(&run);
  }
}

// A ball that is smaller than a triangle, and a corner.
Test(touch_folds, what_is_smaller_than_a_triangle_does_not_fall_through_it) {
  static const char *const shapes[] = {"{\"type\": \"sphere\", \"radius\": 0.02}",
                                       "{\"type\": \"box\", \"size\": [0.03, 0.03, 0.03]}",
                                       "{\"type\": \"capsule\", \"radius\": 0.01, \"length\": 0.02}",
                                       "{\"type\": \"ellipsoid\", \"radii\": [0.02, 0.015, 0.01]}",
                                       "{\"type\": \"cylinder\", \"radius\": 0.015, \"length\": 0.02}"};
  for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
    char text[2000];
    snprintf(
        text, sizeof text,
        BEGIN("0.004", "1e-9") DRAG
        "\"bodies\": [{\"name\": \"bead\", \"shape\": %s, \"density\": 1000, \"pose\": {\"position\": "
        "[0.03, 0.06, 0.06], \"rotation\": {\"axis\": [1, 2, 0.5], \"angle\": 0.7}}}], \"deformables\": "
        "[" CLOTH(
            "cloth", "[3, 3]", "[0.6, 0.6]", "[-0.3, -0.3, 0]",
            "0.004") ", \"pin\": [{\"select\": {\"side\": \"-x\"}}, {\"select\": {\"side\": \"+x\"}}]}]}",
        shapes[k]);
    TestRun run = test_run(text, (const char *const[]){solvers[2 * (k % 2)], NULL});
    double deepest = 0;
    for (int step = 0; step < 150; step++) {
      test_steps(run.sim, 1);
      for (size_t i = 0; i < run.sim->touching->last.n; i++)
        deepest = fmax(deepest, -run.sim->touching->last.touch[i].gap);
    }
    cr_expect_gt(run.sim->x.E[0].p[2], -0.2, "%s: it has fallen to %g m", shapes[k], run.sim->x.E[0].p[2]);
    cr_expect_lt(deepest, 1e-3, "%s: %g m deep", shapes[k], deepest);
    test_run_free(&run);
  }
}

// ---- action and reaction, state ---------------------------------------------------------------------------

static const char blow[] =
    "{\"mbsim\": 1, \"integrator\": \"implicit\", \"gravity\": [0, 0, 0], \"time\": {\"step\": 0.002, "
    "\"steps\": 300}, \"contact\": {\"friction\": 0.5}, \"output\": {\"channels\": [\"momentum\"]}, "
    "\"deformables\": [{\"name\": \"ball\", \"type\": \"tets\", \"mesh\": {\"ball\": 4, \"radius\": 0.1}, "
    "\"pose\": {\"position\": [0.02, 0.01, 0.11]}, \"velocity\": {\"linear\": [0.3, 0, -2]}, " RUBBER
    "}, " CLOTH("cloth", "[4, 4]", "[0.4, 0.4]", "[-0.2, -0.2, 0]", "0.004") "}]}";
static const char stab[] =
    "{\"mbsim\": 1, \"integrator\": \"implicit\", \"gravity\": [0, 0, 0], \"time\": {\"step\": 0.002, "
    "\"steps\": 300}, \"contact\": {\"friction\": 0.5}, \"output\": {\"channels\": [\"momentum\"]}, "
    "\"bodies\": [{\"name\": \"box\", \"density\": 300, \"shape\": {\"type\": \"box\", \"size\": [0.1, 0.1, "
    "0.1]}, \"pose\": {\"position\": [0.03, 0.05, 0.1], \"rotation\": {\"axis\": [1, -1, 0], \"angle\": "
    "0.9}}, \"velocity\": {\"linear\": [0.3, 0, -2], \"angular\": [1, 2, 3]}}], "
    "\"deformables\": [" CLOTH("cloth", "[4, 4]", "[0.4, 0.4]", "[-0.2, -0.2, 0]", "0.004") "}]}";

Test(touch_folds_long, what_one_gets_the_other_loses) {
  static const char *const scenes[] = {blow, stab};
  for (size_t k = 0; k < 2 * SOLVERS; k++) {
    TestRun run = test_run(scenes[k / SOLVERS], (const char *const[]){solvers[k % SOLVERS], NULL});
    size_t n = 0;
    double before[6], pushed = 0;
    memcpy(before, test_channel(run.sim, "momentum", &n), sizeof before);
    for (int step = 0; step < 60; step++) {
      test_steps(run.sim, 1);
      for (size_t i = 0; i < run.sim->touching->last.n; i++)
        pushed += run.sim->touching->last.touch[i].lambda[0];
    }
    test_near(solvers[k % SOLVERS], test_channel(run.sim, "momentum", &n), before, 3, 1e-12);
    cr_expect_gt(pushed, 0.1, "%s: nothing was pushed", solvers[k % SOLVERS]);
    test_run_free(&run);
  }
}

Test(touch_folds, a_run_that_is_resumed_while_they_touch_goes_on_bit_for_bit) {
  static const char *const scenes[] = {cloths, strips, knife};
  for (size_t k = 0; k < 3; k++) {
    const char *const sets[] = {solvers[k], NULL};
    TestRun one = test_run(scenes[k], sets), other = test_run(scenes[k], sets);
    test_steps(one.sim, 40);
    cr_assert_gt(one.sim->touching->last.n, 0);
    test_resumes(one.sim, other.sim, 0, 20, solvers[k]);
    test_run_free(&one), test_run_free(&other);
  }
}

Test(touch_folds, any_number_of_threads_makes_the_same_motion) {
  double at[2][24];
  for (int k = 0; k < 2; k++) {
    const char *const sets[] = {k ? "/solver={\"type\": \"projective\", \"threads\": 4}"
                                  : "/solver={\"type\": \"projective\", \"threads\": 1}",
                                NULL};
    TestRun run = test_run(strips, sets);
    test_steps(run.sim, 60);
    for (size_t i = 0; i < 8; i++) mb_vec3_copy(at[k] + 3 * i, node_place(run.sim, 1, i));
    test_run_free(&run);
  }
  cr_expect_eq(memcmp(at[0], at[1], sizeof at[0]), 0);
}

// On a bar that lies on an edge, whose triangles threads share among them.
Test(touch_folds, any_number_of_threads_meets_the_same_triangles) {
  enum { NODES = 144 };
  static const char scene[] =
      "{\"mbsim\": 1, \"time\": {\"step\": 0.01, \"steps\": 1}, \"contact\": {\"friction\": 0.5}, "
      "\"integrator\": \"implicit\", \"bodies\": [{\"name\": \"bar\", \"density\": 1000, \"shape\": "
      "{\"type\": "
      "\"box\", \"size\": [1.2, 0.2, 0.2], \"frame\": {\"rotation\": {\"axis\": [1, 0, 0], \"angle\": "
      "\"=45*deg\"}}}, "
      "\"joint\": {\"type\": \"fixed\"}}], \"deformables\": [{\"name\": \"it\", \"type\": \"cloth\", "
      "\"mesh\": "
      "{\"grid\": [11, 11], \"size\": [0.8, 0.83]}, \"pose\": {\"position\": [-0.4, -0.4, 0.15]}, "
      "\"material\": "
      "{\"model\": \"arap\", \"young\": 5e4, \"density\": 300, \"thickness\": 0.004}}]}";
  static double at[2][3 * NODES];
  for (int k = 0; k < 2; k++) {
    const char *const sets[] = {k ? "/solver={\"type\": \"projective\", \"threads\": 3}"
                                  : "/solver={\"type\": \"projective\", \"threads\": 1}",
                                NULL};
    TestRun run = test_run(scene, sets);
    size_t edges = 0;
    test_steps(run.sim, 12);
    for (size_t i = 0; i < run.sim->touching->last.n; i++)
      edges += (run.sim->touching->last.touch[i].feature_a & MB_FEATURE_EDGE) != 0;
    cr_expect_gt(edges, 5, "the edge comes between nodes");
    for (size_t i = 0; i < NODES; i++) mb_vec3_copy(at[k] + 3 * i, node_place(run.sim, 0, i));
    test_run_free(&run);
  }
  cr_expect_eq(memcmp(at[0], at[1], sizeof at[0]), 0);
}

Test(touch_folds_long, steps_do_not_allocate) {
  static const char *const scenes[] = {cloths, knife};
  for (size_t k = 0; k < 2; k++) {
    TestRun run = test_run(scenes[k], (const char *const[]){solvers[2], NULL});
    test_steps(run.sim, 300);
    const int64_t before = mb_alloc_calls();
    test_steps(run.sim, 20);
    cr_expect_eq(mb_alloc_calls(), before, "scene %zu", k);
    test_run_free(&run);
  }
}

// ---- rules ------------------------------------------------------------------------------------------------

Test(touch_folds_long, pairs_and_exclude_name_deformables) {
  const char *const excluded[] = {"/contact/exclude=[[\"lower\", \"upper\"]]", solvers[2], NULL},
                    *const rubbing[] =
                        {"/contact/pairs=[{\"bodies\": [\"upper\", \"lower\"], \"friction\": 0.05}]",
                         solvers[2], NULL},
                    *const world[] = {"/contact/exclude=[[\"lower\", \"table\"]]", solvers[2], NULL};
  TestRun run = test_run(cloths, excluded);
  test_steps(run.sim, 200);
  cr_expect(fabs(node_place(run.sim, 1, 4)[2] - 0.005) < 1e-6, "it lies on the table with the other one");
  test_run_free(&run);
  run = test_run(cloths, rubbing);
  test_steps(run.sim, 100);
  size_t n = 0;
  for (size_t i = 0; i < run.sim->touching->last.n; i++) {
    const MbPushed *touch = &run.sim->touching->last.touch[i];
    n += touch->a == 1 && touch->b == 2;
    cr_expect_eq(touch->mu, touch->a == 1 && touch->b == 2 ? 0.05 : 0.4);
  }
  cr_expect_gt(n, 0);
  test_run_free(&run);
  run = test_run(cloths, world);
  test_steps(run.sim, 200);
  cr_expect_lt(node_place(run.sim, 0, 4)[2], -0.1);
  test_run_free(&run);
}

Test(touch_folds, what_makes_no_sense_is_refused_by_name) {
  static const struct {
    const char *set, *where, *text;
  } cases[] = {{"/contact/exclude=[[\"lower\", \"lower\"]]", "/contact/exclude/0", "\"self\""},
               {"/deformables/0/contact={\"self\": true, \"thickness\": 0}", "/deformables/0/contact/self",
                "has no thickness"},
               {"/deformables/1/name=\"table\"", "/contact/exclude/0", "both a body and a deformable"}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    MbReport report = {0};
    const char *const sets[] = {cases[k].set,
                                k == 2 ? "/contact/exclude=[[\"table\", \"lower\"]]" : "/name=\"x\"", NULL};
    cr_assert_eq(test_try(cloths, sets, 0, &report), MB_SCENE, "%s", cases[k].set);
    const MbIssue *issue = &report.issues[report.kept - 1];
    cr_expect_str_eq(issue->where, cases[k].where);
    cr_expect(strstr(issue->text, cases[k].text), "%s", issue->text);
  }
}
