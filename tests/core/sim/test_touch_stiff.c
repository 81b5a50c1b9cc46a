// A stiff deformable in contact beside the rigid body that it comes to: a cube of eight nodes, and a body of their masses.
#include "core/sim/constrain_internal.h"
#include "core/sim/touch.h"
#include "tests/runs.h"

#include <math.h>
#include <stdio.h>

// Six tetrahedra share a cube: two of its corners have a quarter of its mass each, the other six a twelfth. The matrix is that of these points about
// their middle, with an edge of a = 0.2 m and 8 kg: each axis has m a²/2, each two axes −m a²/12.
#define GROUND "{\"name\": \"ground\", \"shape\": {\"type\": \"plane\"}, \"joint\": {\"type\": \"fixed\"}}"
#define RIGID                                                                                                \
  "{\"name\": \"cube\", \"inertia\": {\"mass\": 8, \"center\": [0.1, 0.1, 0.1], \"matrix\": [0.16, 0.16, "   \
  "0.16, \"=-0.32/12\", \"=-0.32/12\", \"=-0.32/12\"]}, \"shape\": {\"type\": \"box\", \"size\": [0.2, "     \
  "0.2, 0.2], \"frame\": {\"position\": [0.1, 0.1, 0.1]}}, "
#define SOFT                                                                                                 \
  "{\"name\": \"cube\", \"type\": \"tets\", \"mesh\": {\"box\": [2, 2, 2], \"size\": [0.2, 0.2, 0.2]}, "     \
  "\"material\": {\"model\": \"corotational\", \"young\": \"=young\", \"poisson\": 0.3, \"density\": "       \
  "1000}, "

// What they have in common: gravity and friction, and where they start.
typedef struct Case {
  const char *rules, *start;
} Case;

static const Case slope = {
    "\"gravity\": [\"=9.81*sin(20*deg)\", 0, \"=-9.81*cos(20*deg)\"], \"contact\": {\"friction\": 0.3, "
    "\"tolerance\": 1e-11}",
    "\"pose\": {\"position\": [0, 0, 0]}}"};
static const Case edge = {
    "\"contact\": {\"friction\": 0.5, \"tolerance\": 1e-11}",
    "\"pose\": {\"position\": [0, 0, \"=0.2*sin(0.35)+0.0005\"], \"rotation\": {\"axis\": [0, 1, 0], "
    "\"angle\": 0.35}}, \"velocity\": {\"linear\": [0.8, 0.3, -0.2]}}"};

static TestRun begin(const Case *c, bool soft, const char *solver, double young, double h) {
  char text[2000];
  snprintf(text, sizeof text,
           "{\"mbsim\": 1, \"parameters\": {\"young\": %.17g}, \"integrator\": \"implicit\", \"solver\": %s, "
           "\"time\": {\"step\": %.17g, \"steps\": 10000}, %s, \"bodies\": [" GROUND "%s%s]%s%s%s}",
           young, solver, h, c->rules, soft ? "" : ", " RIGID, soft ? "" : c->start,
           soft ? ", \"deformables\": [" SOFT : "", soft ? c->start : "", soft ? "]" : "");
  return test_run(text, NULL);
}

static const double *node_place(const MbSim *sim, size_t node) {
  const size_t end = mb_row_node(sim->model, 0, node);
  return end < sim->model->nb ? sim->x.E[end].p : mb_nodes_places(sim) + 3 * (end - sim->model->nb);
}

// How far any node of the soft cube comes from where it is in the rigid one, in so many seconds.
static double parts(const Case *c, const char *solver, double young, double h, double seconds) {
  enum { NODES = 8 };
  TestRun rigid = begin(c, false, "\"redmax\"", young, h), soft = begin(c, true, solver, young, h);
  double local[NODES][3], x[3], worst = 0;
  const size_t cube = 1;
  for (size_t k = 0; k < NODES; k++) {
    mb_vec3_sub(x, node_place(soft.sim, k), rigid.sim->x.E[cube].p);
    mb_quat_unrotate(local[k], rigid.sim->x.E[cube].q, x);
  }
  for (int64_t i = 0; i < (int64_t)(seconds / h + 0.5); i++) {
    test_steps(rigid.sim, 1), test_steps(soft.sim, 1);
    for (size_t k = 0; k < NODES; k++) {
      mb_quat_rotate(x, rigid.sim->x.E[cube].q, local[k]);
      mb_vec3_add(x, x, rigid.sim->x.E[cube].p);
      worst = fmax(worst, test_distance(x, node_place(soft.sim, k), 3));
    }
  }
  test_run_free(&rigid), test_run_free(&soft);
  return worst;
}

// It leans and is pressed by what pulls at it, over its modulus.
Test(touch_stiff, a_cube_that_slides_comes_to_the_rigid_one_as_its_modulus_grows) {
  static const char *const solvers[] = {
      "\"redmax\"", "\"maximal\"",
      "{\"type\": \"projective\", \"method\": \"newton\", \"iterations\": 100, \"tolerance\": 1e-11}"};
  for (size_t s = 0; s < sizeof solvers / sizeof *solvers; s++) {
    double last = 0, slope_of = 0;
    printf("%s, modulus and distance:", solvers[s]);
    for (double young = 1e6; young < 3e10; young *= 10) {
      const double far = parts(&slope, solvers[s], young, 0.005, 0.5);
      slope_of = last > 0 ? log10(far / last) : 0;
      printf(" %.0e %.2e m (%.2f)", young, far, slope_of);
      cr_expect(last == 0 || far < 0.12 * last, "%s, %g Pa: %g m off, %g m before", solvers[s], young, far,
                last);
      last = far;
    }
    printf("\n");
    cr_expect(fabs(slope_of + 1) < 0.1, "%s: slope %g", solvers[s], slope_of);
    cr_expect_lt(last, 1e-7);
  }
}

// It turns as well, where steps of nodes and of a body differ by the order h.
Test(touch_stiff, a_stiff_cube_that_tips_over_its_edge_moves_as_a_rigid_one) {
  static const char newton[] =
      "{\"type\": \"projective\", \"method\": \"newton\", \"iterations\": 100, \"tolerance\": 1e-11}";
  const double soft = parts(&edge, newton, 1e6, 0.002, 0.3), coarse = parts(&edge, newton, 1e9, 0.002, 0.3),
               fine = parts(&edge, newton, 1e9, 0.0005, 0.3);
  printf("a cube that tips: 1e6 Pa %.2e m, 1e9 Pa %.2e m, by steps of a quarter %.2e m\n", soft, coarse,
         fine);
  cr_expect_gt(soft, 1e-3);
  cr_expect_lt(coarse, 2e-4);
  cr_expect_lt(fine, 0.5 * coarse);
}

// One solution a step: an element that was linearised where it is and not where it turns to would take the spin away, at a rate of E h³ ω²/2 ρ L².
Test(touch_stiff, one_solution_a_step_does_not_slow_what_is_stiff_and_turns) {
  static const char *const solvers[] = {"\"redmax\"", "\"maximal\""};
  for (size_t s = 0; s < sizeof solvers / sizeof *solvers; s++)
    for (double young = 1e9; young < 3e11; young *= 100) {
      const double off = parts(&edge, solvers[s], young, 0.002, 0.3);
      printf("%s, a cube of %.0e Pa that tips: %.2e m\n", solvers[s], young, off);
      cr_expect(off < 2e-4, "%s, %g Pa: %g m off", solvers[s], young, off);
    }
}
