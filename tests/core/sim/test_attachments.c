// Nodes attached to nodes: by reduction they move as under hard constraints, and as parts of what they are attached to.
#include "core/base/alloc.h"
#include "core/sim/constrain_internal.h"
#include "tests/runs.h"

#include <stdio.h>
#include <string.h>

static TestRun begin(const char *text, const char *const *sets, size_t nsets) {
  enum { SETS = 8 };
  const char *list[SETS + 1] = {NULL};
  cr_assert_leq(nsets, SETS);
  memcpy(list, sets, nsets * sizeof *list);
  return test_run(text, list);
}

// Positions of all bodies and nodes, (3 nb).
static size_t places(const TestRun *run, double *out, size_t most) {
  const size_t n = run->model->nb;
  cr_assert_leq(3 * n, most);
  for (size_t b = 0; b < n; b++) mb_vec3_copy(out + 3 * b, run->sim->x.E[b].p);
  return 3 * n;
}

enum { MOST = 90 };

static const char *const solvers[] = {"{\"type\": \"redmax\", \"dynamics\": \"dense\"}",
                                      "{\"type\": \"redmax\", \"dynamics\": \"recursive\"}", "\"maximal\"",
                                      "{\"type\": \"maximal\", \"project\": true}"};
#define RK45 "{\"type\": \"rk45\", \"relative\": 1e-11, \"absolute\": 1e-12}"
static const char *const ways[] = {"\"symplectic\"", "\"implicit\"", "\"trapezoidal\"", "\"bridson_marino\"",
                                   RK45};
enum { SOLVERS = 4, WAYS = 5 };

// ---- order ------------------------------------------------------------------------------------------------

#define BORNE                                                                                                \
  "{\"name\": \"carried\", \"type\": \"particles\", \"mesh\": {\"rope\": 3, \"length\": 0.6}, "              \
  "\"material\": {\"mass\": 0.44}, \"attach\": [{\"select\": {\"vertices\": [0]}, \"body\": \"base\", "      \
  "\"enforce\": \"reduction\"}]}"
#define HELD                                                                                                 \
  "{\"name\": \"held\", \"type\": \"particles\", \"mesh\": {\"rope\": 3, \"length\": 0.56}, "                \
  "\"material\": {\"mass\": 0.25}, \"velocity\": {\"linear\": [0.3, 0, -0.2]}, \"attach\": [{\"select\": "   \
  "{\"vertices\": [0]}, \"body\": \"arm\"}]}"
#define ORDERED(first, second)                                                                               \
  "{\"mbsim\": 1, \"time\": {\"step\": 0.001, \"steps\": 20}, \"bodies\": [{\"name\": \"base\", \"mass\": "  \
  "1.1, "                                                                                                    \
  "\"shape\": {\"type\": \"box\", \"size\": [0.3, 0.1, 0.1]}, \"velocity\": {\"angular\": [0.1, 0.2, "       \
  "0.3]}}, "                                                                                                 \
  "{\"name\": \"arm\", \"density\": 280, \"shape\": {\"type\": \"box\", \"size\": [0.2, 0.1, 0.1]}, "        \
  "\"joint\": {\"type\": \"free2d\", \"parent\": \"base\", \"position\": [0.26, -0.62, 0.41], "              \
  "\"velocity\": [0.3, 0.2, 0.5], \"force\": [1, 2, 0.3]}}], \"deformables\": [" first ", " second "]}"

// Nodes stand behind all bodies, also those that a body carries, so that what hangs on it does not follow it at once: rows were coupled as if it did.
Test(attachments, what_constraints_hold_beside_carried_nodes_moves_alike_in_any_order) {
  for (int i = 0; i < WAYS; i++)
    for (int k = 0; k < SOLVERS; k++) {
      char sets[2][200];
      snprintf(sets[0], sizeof sets[0], "/integrator=%s", ways[i]);
      snprintf(sets[1], sizeof sets[1], "/solver=%s", solvers[k]);
      const char *const list[] = {sets[0], sets[1]};
      TestRun one = begin(ORDERED(BORNE, HELD), list, 2), other = begin(ORDERED(HELD, BORNE), list, 2);
      double a[MOST], b[MOST];
      test_steps(one.sim, 20), test_steps(other.sim, 20);
      const size_t n = places(&one, a, MOST);
      cr_assert_eq(places(&other, b, MOST), n);
      test_near(ways[i], b, a, 6, 1e-11);          // bodies
      test_near(ways[i], b + 6, a + 15, 9, 1e-11); // what is held
      test_near(ways[i], b + 15, a + 6, 9, 1e-11); // what is carried
      test_run_free(&one), test_run_free(&other);
    }
}

// ---- nodes among nodes ------------------------------------------------------------------------------------

// A springy triangle and a rope of beads, of which one hangs between two corners, one on it and the third corner, one on that: a
// chain of three, with a place apart from its master; a weight swings on the last.
#define NET(enforce)                                                                                         \
  "{\"mbsim\": 1, \"time\": {\"step\": 0.002, \"steps\": 1}, \"bodies\": [{\"name\": \"weight\", "           \
  "\"shape\": "                                                                                              \
  "{\"type\": \"box\", \"size\": [0.3, 0.2, 0.1]}, \"mass\": 0.4, \"pose\": {\"position\": [0.6, 0.1, "      \
  "-0.5]}, \"velocity\": {\"angular\": [1, 2, 0.5]}}], "                                                     \
  "\"deformables\": ["                                                                                       \
  "{\"name\": \"beads\", \"type\": \"springs\", \"mesh\": {\"rope\": 4, \"length\": 0.9}, "                  \
  "\"pose\": {\"position\": [0.3, 0.2, 0]}, "                                                                \
  "\"material\": {\"mass\": 0.8, \"stiffness\": 30, \"damping\": 0.2}, \"attach\": ["                        \
  "{\"select\": {\"vertices\": [2]}, \"to\": {\"vertices\": [1]}, \"enforce\": \"" enforce "\"}, "           \
  "{\"select\": {\"vertices\": [0]}, \"to\": {\"deformable\": \"net\", \"vertices\": [0, 1], \"weights\": "  \
  "[0.3, 0.7]}, \"enforce\": \"" enforce "\"}, "                                                             \
  "{\"select\": {\"vertices\": [1]}, \"to\": {\"deformable\": \"knot\", \"vertices\": [0, 1], \"weights\": " \
  "[-0.2, 1.2]}, \"enforce\": \"" enforce "\"}]}, "                                                          \
  "{\"name\": \"knot\", \"type\": \"particles\", \"mesh\": {\"rope\": 2, \"length\": 0.4}, \"pose\": "       \
  "{\"position\": [0.5, 0.1, 0.3]}, \"material\": {\"mass\": 0.3}, \"attach\": ["                            \
  "{\"select\": {\"vertices\": [0]}, \"to\": {\"deformable\": \"beads\", \"vertices\": [0]}, \"enforce\": "  \
  "\"" enforce "\"}]}, "                                                                                     \
  "{\"name\": \"net\", \"type\": \"springs\", \"mesh\": {\"grid\": [2, 2], \"size\": [1, 1]}, "              \
  "\"material\": {\"mass\": 1, \"stiffness\": 100, \"damping\": 0.5}, \"pin\": [{\"select\": "               \
  "{\"vertices\": "                                                                                          \
  "[3]}}, {\"select\": {\"vertices\": [1]}, \"axes\": \"y\"}], \"velocity\": {\"angular\": [0, 1, 2]}}], "   \
  "\"forces\": [{\"type\": \"spring\", \"between\": [{\"node\": \"beads\", \"index\": 2}, {\"body\": "       \
  "\"weight\", \"at\": [0.1, 0, 0]}], \"stiffness\": 50, \"damping\": 0.3}]}"

static TestRun net(const char *way, const char *solver, bool reduced) {
  char sets[2][200];
  snprintf(sets[0], sizeof sets[0], "/integrator=%s", way);
  snprintf(sets[1], sizeof sets[1], "/solver=%s", solver);
  const char *const list[] = {sets[0], sets[1]};
  return begin(reduced ? NET("reduction") : NET("constraint"), list, 2);
}

Test(attachments_long, nodes_that_follow_nodes_move_as_under_constraints, TEST_LONG) {
  // the same numbers but for rounding, which the motion lets grow, and conjugate gradients; rk45 chooses steps by them
  static const double CLOSE = 1e-9;
  for (int i = 0; i < WAYS; i++)
    for (int k = 0; k < SOLVERS; k++) {
      TestRun a = net(ways[i], solvers[k], false), b = net(ways[i], solvers[k], true);
      cr_assert_eq(a.model->nslots, 12);
      cr_assert_eq(b.model->nslots, 0);
      cr_assert_eq(b.model->nfollowers, 4);
      // rows let velocities at the start be; what follows has none of its own
      if (b.sim->solver->map->turns || a.sim->nv == b.sim->nv)
        memcpy(a.sim->state.v, b.sim->state.v, a.sim->nv * sizeof *a.sim->state.v);
      mb_sim_kinematics(a.sim, a.sim->state.q, a.sim->state.v);
      double x[2][MOST], worst = 0;
      for (int step = 0; step < 80; step++) {
        test_steps(a.sim, 1);
        test_steps(b.sim, 1);
        const size_t n = places(&a, x[0], MOST);
        places(&b, x[1], MOST);
        for (size_t m = 0; m < n; m++) worst = fmax(worst, fabs(x[0][m] - x[1][m]));
      }
      printf("  %-62.62s %-46s %.2g\n", ways[i], solvers[k], worst);
      test_near(ways[i], x[1], x[0], 3 * a.model->nb, CLOSE);
      test_run_free(&a);
      test_run_free(&b);
      cr_assert_eq(mb_alloc_live(), 0);
    }
}

// By the node's number in the scene's deformable.
static const double *node(const TestRun *run, const char *name, size_t i) {
  for (size_t k = 0; k < run->model->ndeformables; k++)
    if (!strcmp(run->model->deformables[k].name, name))
      return run->sim->x.E[run->model->deformables[k].first + i].p;
  cr_assert(false, "no deformable is called %s", name);
  return NULL;
}

Test(attachments, a_chain_of_three_stays_where_it_is_told_to) {
  static const double CLOSE = 1e-14; // rounding
  for (int k = 0; k < SOLVERS; k++) {
    TestRun run = net("\"implicit\"", solvers[k], true);
    test_steps(run.sim, 100);
    const double *a = node(&run, "net", 0), *b = node(&run, "net", 1), *bead = node(&run, "beads", 0);
    double found[3], wanted[3];
    for (int i = 0; i < 3; i++) {
      found[i] = bead[i] - 0.3 * a[i] - 0.7 * b[i];
      wanted[i] = i == 0 ? 0.3 - 0.7 : i == 1 ? 0.2 : 0; // as at the start
    }
    test_near("the first", found, wanted, 3, CLOSE);
    mb_vec3_sub(found, node(&run, "knot", 0), bead);
    mb_vec3_set(wanted, 0.2, -0.1, 0.3);
    test_near("the second", found, wanted, 3, CLOSE);
    for (int i = 0; i < 3; i++)
      found[i] = node(&run, "beads", 1)[i] + 0.2 * node(&run, "knot", 0)[i] - 1.2 * node(&run, "knot", 1)[i];
    mb_vec3_set(wanted, 0.6 + 0.2 * 0.5 - 1.2 * 0.9, 0.2 - 0.1, -0.3);
    test_near("the third", found, wanted, 3, CLOSE);
    test_run_free(&run);
  }
}

// ---- nodes on bodies --------------------------------------------------------------------------------------

// Pegs that a tumbling body holds, beads between them, grains between the beads: all of it one rigid body. A tail is dragged
// along: it hangs half on a peg, half on a weight of its own.
#define SCENE(bodies, enforce, more)                                                                         \
  "{\"mbsim\": 1, \"time\": {\"step\": 0.005, \"steps\": 1}, \"gravity\": [0, 0, 0], \"bodies\": [" bodies   \
  "], \"deformables\": [{\"name\": \"grains\", \"type\": \"particles\", \"mesh\": {\"rope\": 2, "            \
  "\"length\": 0.25}, \"pose\": {\"position\": [-0.125, 0, 0]}, \"material\": {\"mass\": 0.6}, \"attach\": " \
  "[{\"select\": {\"vertices\": [0, 1]}, \"to\": {\"deformable\": \"beads\", \"vertices\": [0, 1]}, "        \
  "\"enforce\": \"" enforce "\"}]}, {\"name\": \"beads\", \"type\": \"particles\", \"mesh\": {\"rope\": 2, " \
  "\"length\": 0.5}, \"pose\": {\"position\": [-0.25, 0, 0]}, \"material\": "                                \
  "{\"mass\": 0.4}, \"attach\": [{\"select\": {\"vertices\": [0, 1]}, \"to\": "                              \
  "{\"deformable\": \"pegs\", \"vertices\": [0, 1]}, \"enforce\": \"" enforce                                \
  "\"}]}, {\"name\": \"pegs\", \"type\": \"particles\", \"mesh\": {\"rope\": 2, \"length\": 1}, \"pose\": "  \
  "{\"position\": [-0.5, 0, 0]}, \"material\": {\"mass\": 0.2}, \"attach\": [{\"select\": {\"vertices\": "   \
  "[0, 1]}, \"body\": \"hull\", \"enforce\": \"" enforce "\"}]}" more "]}"
#define HULL                                                                                                 \
  "{\"name\": \"hull\", \"inertia\": {\"mass\": 2, \"matrix\": [0.1, 0.2, 0.25, 0, 0, 0]}, \"velocity\": "   \
  "{\"angular\": [1, 20, 3], \"linear\": [0.5, 0, -1]}}"
#define TUMBLER(enforce, more) SCENE(HULL, enforce, more)
// The same on a joint whose axes turn, at the end of an arm that turns.
#define ARM                                                                                                  \
  "{\"name\": \"arm\", \"inertia\": {\"mass\": 1, \"matrix\": [0.1, 0.1, 0.1, 0, 0, 0]}, \"joint\": "        \
  "{\"type\": \"revolute\", \"velocity\": 6}}, {\"name\": \"hull\", \"inertia\": {\"mass\": 2, \"matrix\": " \
  "[0.1, 0.2, 0.25, 0, 0, 0]}, \"joint\": {\"type\": \"universal\", \"parent\": \"arm\", \"in_parent\": "    \
  "{\"position\": [0.4, 0.1, 0]}, \"velocity\": [4, 15]}}"
#define TAIL(enforce)                                                                                        \
  ", {\"name\": \"mix\", \"type\": \"particles\", \"mesh\": {\"rope\": 2, \"length\": 1}, \"pose\": "        \
  "{\"position\": [0.5, 0, 0], \"rotation\": {\"axis\": [0, 1, 0], \"angle\": 0.7}}, "                       \
  "\"material\": {\"mass\": 0.4}, \"attach\": [{\"select\": {\"vertices\": [0]}, \"to\": {\"deformable\": "  \
  "\"pegs\", \"vertices\": [1]}, \"enforce\": \"" enforce "\"}]}, "                                          \
  "{\"name\": \"tail\", \"type\": \"springs\", \"mesh\": {\"rope\": 3, \"length\": 1}, \"pose\": "           \
  "{\"position\": [0.5, 0, 0], \"rotation\": {\"axis\": [0, 1, 0], \"angle\": 0.7}}, \"material\": "         \
  "{\"mass\": 0.6, \"stiffness\": 80}, \"attach\": [{\"select\": {\"vertices\": [1]}, \"to\": "              \
  "{\"deformable\": \"mix\", \"vertices\": [0, 1]}, \"enforce\": \"" enforce "\"}]}"
// A string from the node in the middle of the tail to a place in the world.
static const char *const STRING =
    "/constraints=[{\"type\": \"distance\", \"between\": [{\"node\": \"tail\", \"index\": 1}, {\"body\": "
    "\"world\", \"at\": [1.5, 0.5, 0]}]}]";

// Point masses on the axis add m r² about the others.
static double add_masses(double m, double r) { return 2 * m * r * r; }

Test(attachments_long, what_hangs_on_a_fast_body_through_a_chain_moves_as_one_body_with_it, TEST_LONG) {
  static const double CLOSE = 1e-9,
                      ENERGY = 1e-9; // rk45's own error in a fifth of a second, some 1e-10; relative
  MbSceneSpec spec = test_scene(MB_RK45, 0.005, 1);
  spec.integrator.relative = 1e-11, spec.integrator.absolute = 1e-12;
  const double more = add_masses(0.3, 0.125) + add_masses(0.2, 0.25) + add_masses(0.1, 0.5);
  MbBodySpec *hull = test_body(&spec, "hull", 2 + 0.6 + 0.4 + 0.2, 0.1, 0.2 + more, 0.25 + more);
  hull->angular[0] = 1, hull->angular[1] = 20, hull->angular[2] = 3;
  hull->linear[0] = 0.5, hull->linear[2] = -1;
  MbModel *model = test_model(&spec);
  MbSim *one = test_sim(model, 1);
  test_steps(one, 40);
  const double wanted = mb_energy(model, &one->x).total;
  for (int k = 0; k < SOLVERS; k++) {
    char set[100];
    snprintf(set, sizeof set, "/solver=%s", solvers[k]);
    const char *const sets[] = {"/integrator=" RK45, set};
    TestRun run = begin(TUMBLER("reduction", ""), sets, 2);
    cr_assert_eq(run.model->nfollowers, 4);
    test_steps(run.sim, 40);
    const double energy = mb_energy(run.model, &run.sim->x).total;
    test_near("pose", run.sim->x.E[0].p, one->x.E[0].p, 3, CLOSE);
    test_near("rotation", run.sim->x.E[0].q, one->x.E[0].q, 4, CLOSE);
    test_near("twist", run.sim->x.phi, one->x.phi, 6, 20 * CLOSE); // rad/s
    test_near("energy", &energy, &wanted, 1, ENERGY * wanted);
    // the grain on the line of the pegs
    double found[3], there[3] = {0.125, 0, 0};
    mb_pose_point(there, &run.sim->x.E[0], there);
    mb_vec3_copy(found, node(&run, "grains", 1));
    // where rows hold the pegs these may be off by what rk45 leaves
    test_near("a grain", found, there, 3, run.sim->solver->map->turns ? 1e-11 : 1e-13);
    test_run_free(&run);
  }
  mb_sim_free(one);
  mb_model_free(model);
  mb_arena_free(&spec.arena);
  cr_assert_eq(mb_alloc_live(), 0);
}

static const char *const reduced[] = {TUMBLER("reduction", TAIL("reduction")),
                                      SCENE(ARM, "reduction", TAIL("reduction"))};

// Places after some steps of nodes attached to nodes by rows, from where and as fast as by reduction. The pegs, which these
// hang on, are held by rows too, or parts of the hull.
static void by_rows(bool armed, const char *solver, bool pegs_by_rows, bool strung, double *x) {
  char set[100];
  snprintf(set, sizeof set, "/solver=%s", solver);
  const char *const sets[] = {"/integrator=" RK45, set, STRING},
                    *const to_hull = "/deformables/2/attach/0/enforce=\"reduction\"";
  const char *const more[] = {sets[0], set, to_hull, STRING};
  const char *const texts[] = {TUMBLER("constraint", TAIL("constraint")),
                               SCENE(ARM, "constraint", TAIL("constraint"))};
  TestRun from = begin(reduced[armed], sets, 2);
  TestRun run = begin(texts[armed], pegs_by_rows ? sets : more, (pegs_by_rows ? 2 : 3) + (size_t)strung);
  cr_assert_eq(run.model->nslots, (pegs_by_rows ? 24 : 18) + (size_t)strung);
  cr_assert_eq(run.sim->nv, from.sim->nv);
  memcpy(run.sim->state.v, from.sim->state.v, run.sim->nv * sizeof *run.sim->state.v);
  mb_sim_kinematics(run.sim, run.sim->state.q, run.sim->state.v);
  test_steps(run.sim, 4);
  places(&run, x, MOST);
  test_run_free(&from);
  test_run_free(&run);
}

Test(attachments_long, masters_that_bodies_hold_turn_with_these, TEST_LONG) {
  static const double CLOSE = 1e-9; // rows let nodes come apart by rk45's error
  for (int way = 0; way < 3; way++) {
    const bool strung = way == 1, armed = way == 2;
    double x[2][MOST];
    by_rows(armed, "\"maximal\"", true, strung, x[0]);
    by_rows(armed, "\"redmax\"", false, strung, x[1]);
    for (int k = 0; k < SOLVERS; k++) {
      char set[100];
      snprintf(set, sizeof set, "/solver=%s", solvers[k]);
      const char *const sets[] = {"/integrator=" RK45, set, STRING};
      TestRun run = begin(reduced[armed], sets, 2 + (size_t)strung);
      cr_assert_eq(run.model->nfollowers, 6);
      const size_t n = 3 * run.model->nb;
      if (!k) test_near("rows in maximal and in reduced coordinates", x[1], x[0], n, CLOSE);
      test_steps(run.sim, 4);
      places(&run, x[1], MOST);
      test_near(solvers[k], x[1], x[0], n, CLOSE);
      test_run_free(&run);
    }
  }
  cr_assert_eq(mb_alloc_live(), 0);
}

// A corner of a net that a swinging arm carries: it turns with the arm, and so do the derivatives of what pulls at it.
#define CARRIED                                                                                              \
  "{\"mbsim\": 1, \"time\": {\"step\": 0.002, \"steps\": 1}, \"bodies\": [{\"name\": \"arm\", \"density\": " \
  "500, "                                                                                                    \
  "\"shape\": {\"type\": \"box\", \"size\": [1, 0.1, 0.1]}, \"joint\": {\"type\": \"revolute\", \"axis\": "  \
  "[0, 1, 0], "                                                                                              \
  "\"velocity\": 1, \"in_body\": {\"position\": [-0.5, 0, 0]}}}], \"deformables\": [{\"name\": \"net\", "    \
  "\"type\": "                                                                                               \
  "\"springs\", \"mesh\": {\"grid\": [4, 4], \"size\": [1, 1]}, \"pose\": {\"position\": [0, 0, -0.2]}, "    \
  "\"material\": {\"mass\": 0.5, \"stiffness\": 200, \"damping\": 0.1}, \"pin\": [{\"select\": "             \
  "{\"vertices\": [0]}}], "                                                                                  \
  "\"attach\": [{\"select\": {\"vertices\": [2, 3]}, \"body\": \"arm\", \"enforce\": \"reduction\"}]}]}"

Test(attachments_long, nodes_that_bodies_carry_turn_with_them_in_every_solver) {
  static const double CLOSE = 1e-11; // iterations that end at 1e-12
  for (int i = 0; i < WAYS; i++) {
    double x[2][MOST];
    for (int k = 0; k < SOLVERS; k++) {
      char sets[2][120];
      if (k == 2) continue; // there joints are held to the order of the step
      snprintf(sets[0], sizeof sets[0], "/integrator=%s", ways[i]);
      snprintf(sets[1], sizeof sets[1], "/solver=%s", solvers[k]);
      const char *const list[] = {sets[0], sets[1]};
      TestRun run = begin(CARRIED, list, 2);
      test_steps(run.sim, 20);
      const size_t n = places(&run, x[k > 0], MOST);
      if (k) test_near(solvers[k], x[1], x[0], n, CLOSE);
      test_run_free(&run);
    }
  }
  cr_assert_eq(mb_alloc_live(), 0);
}

// Where forces make velocities there is nothing fictitious.
Test(attachments_long, in_the_kinematic_mode_they_move_as_under_constraints, TEST_LONG) {
  static const double CLOSE = 1e-9; // rows let nodes come apart by rk45's error
  static const char *const modes[] = {
      "{\"type\": \"maximal\", \"mode\": \"first_order\"}",
      "{\"type\": \"maximal\", \"mode\": \"first_order\", \"project\": true}"};
  static const char *const texts[][2] = {
      {NET("constraint"), NET("reduction")},
      {TUMBLER("constraint", TAIL("constraint")), TUMBLER("reduction", TAIL("reduction"))}};
  for (int scene = 0; scene < 2; scene++)
    for (int i = 0; i < WAYS; i++) {
      // bridson_marino has no such mode; where masters turn both only tend to the same
      if (i == 3 || (scene == 1 && i != 4)) continue;
      double x[2][MOST];
      for (int way = 0; way < 3; way++) { // rows; reduction; reduction in joints' coordinates
        // without rows steps in joints' coordinates are made another way
        if (way == 2 && (i == 1 || i == 2)) continue;
        char sets[2][120];
        snprintf(sets[0], sizeof sets[0], "/integrator=%s", ways[i]);
        snprintf(sets[1], sizeof sets[1], "/solver=%s", modes[way == 2]);
        const char *const list[] = {
            sets[0], sets[1],
            scene ? "/forces=[{\"type\": \"wrench\", \"body\": \"hull\", \"torque\": [1, 2, 0.5]}]"
                  : "/gravity=[1, 0, -2]"};
        TestRun run = begin(texts[scene][way > 0], list, 3);
        test_steps(run.sim, 20);
        const size_t n = places(&run, x[way > 0], MOST);
        if (way) test_near(modes[way == 2], x[1], x[0], n, CLOSE);
        test_run_free(&run);
      }
    }
}

// A weight on a node that follows: the solver in maximal coordinates holds it with the joints, the projected one does not.
Test(attachments_long, what_constraints_hold_on_a_follower_is_pulled_alike_by_every_solver, TEST_LONG) {
  static const double CLOSE = 1e-10,
                      FORCE = 1e-8, // rounding, and iterations that end at 1e-12; of 15 N, by 1/h of it
      FIRST = 1e-3, SECOND = 1e-5;  // of places that move by 0.1 m: their change of speed times half a step
  static const char *const text = SCENE(
      HULL ", {\"name\": \"weight\", \"inertia\": {\"mass\": 0.3, \"matrix\": [0.01, 0.02, 0.02, 0, 0, 0]}, "
           "\"pose\": {\"position\": [0.882421, 0.1, -0.322109]}}",
      "reduction", TAIL("reduction"));
  static const char *const link =
      "/constraints=[{\"type\": \"point\", \"between\": [{\"node\": \"tail\", \"index\": 1}, {\"body\": "
      "\"weight\", \"at\": [0, -0.1, 0]}]}]";
  double x[2][MOST], force[2][3] = {{0}};
  for (int i = 0; i < WAYS; i++)
    for (int k = 0; k < SOLVERS; k++) {
      char sets[2][120];
      snprintf(sets[0], sizeof sets[0], "/integrator=%s", ways[i]);
      snprintf(sets[1], sizeof sets[1], "/solver=%s", solvers[k]);
      const char *const list[] = {sets[0], sets[1], link, "/time/step=0.001",
                                  "/output={\"channels\": [\"constraint.force\"]}"};
      TestRun run = begin(text, list, 5);
      test_steps(run.sim, 10);
      const size_t n = places(&run, x[k > 0], MOST);
      memcpy(force[k > 0], mb_section(run.sim, MB_SECTION_FORCES), 3 * sizeof(double));
      // steps of bodies held by rows are others than a tree's, of the same order (every_integrator_has_its_order)
      const bool other = i < 4 && run.sim->solver->map->turns;
      if (k) test_near(solvers[k], x[1], x[0], n, !other ? CLOSE : i < 2 ? FIRST : SECOND);
      if (k && !other) test_near(solvers[k], force[1], force[0], 3, FORCE);
      cr_expect(run.sim->solver->map->turns ? run.sim->constraining->set.is[0].claimed != MB_WORLD : k != 2);
      test_run_free(&run);
    }
}

Test(attachments_long, momentum_and_energy_are_kept_in_free_flight, TEST_LONG) {
  static const double CLOSE = 1e-9; // of sums of some 10; rk45's error
  for (int k = 0; k < SOLVERS; k++) {
    char set[100];
    snprintf(set, sizeof set, "/solver=%s", solvers[k]);
    const char *const sets[] = {"/integrator=" RK45, set};
    TestRun run = begin(TUMBLER("reduction", TAIL("reduction")), sets, 2);
    double before[7], after[7];
    mb_momentum(run.model, &run.sim->x, before, before + 3);
    before[6] = mb_energy(run.model, &run.sim->x).total;
    test_steps(run.sim, 30);
    mb_momentum(run.model, &run.sim->x, after, after + 3);
    after[6] = mb_energy(run.model, &run.sim->x).total;
    cr_assert_gt(mb_vec3_norm(before + 3), 1);
    test_near("momentum and energy", after, before, 7, CLOSE * before[6]);
    test_run_free(&run);
  }
}

Test(attachments_long, the_example_is_the_same_under_both_families_of_solvers) {
  static const double CLOSE = 1e-8; // m: rk45's error in 0.05 s, of springs that swing fast
  double x[2][MOST];
  for (int k = 0; k < 2; k++) {
    const char *const sets[] = {k ? "/solver=\"maximal\"" : "/solver=\"redmax\"",
                                "/integrator={\"type\": \"rk45\", \"relative\": 1e-9, \"absolute\": 1e-10}"};
    const MbSceneOptions options = {.sets = sets, .nsets = 2};
    TestRun run = {0};
    MbReport report = {0};
    test_ok(mb_scene_load("scenes/maximal/attachments.json", &options, &run.scene, &report), &report);
    test_ok(mb_model_create(run.scene, &run.model, &report), &report);
    test_ok(mb_sim_create(run.model, NULL, &run.sim, &report), &report);
    test_steps(run.sim, 25);
    const size_t n = places(&run, x[k], MOST);
    if (k) test_near("positions", x[1], x[0], n, CLOSE);
    test_run_free(&run);
  }
}

// ---- as all else runs -------------------------------------------------------------------------------------

// Half a step: a half of the error for the schemes of first order, a quarter for those of second.
Test(attachments_long, every_integrator_has_its_order, TEST_LONG) {
  static const double step[] = {1e-3, 5e-4};
  static const char *const text = TUMBLER("reduction", TAIL("reduction"));
  double exact[MOST], x[MOST];
  const char *const best[] = {"/integrator=" RK45};
  TestRun run = begin(text, best, 1);
  test_steps(run.sim, 10);
  const size_t n = places(&run, exact, MOST);
  test_run_free(&run);
  for (int k = 0; k < SOLVERS; k++)
    for (int i = 0; i < WAYS - 1; i++) {
      double off[2] = {0};
      for (int s = 0; s < 2; s++) {
        char sets[3][120];
        snprintf(sets[0], sizeof sets[0], "/integrator=%s", ways[i]);
        snprintf(sets[1], sizeof sets[1], "/solver=%s", solvers[k]);
        snprintf(sets[2], sizeof sets[2], "/time/step=%g", step[s]);
        const char *const list[] = {sets[0], sets[1], sets[2]};
        run = begin(text, list, 3);
        test_steps(run.sim, (int64_t)(0.05 / step[s] + 0.5));
        places(&run, x, MOST);
        for (size_t m = 0; m < n; m++) off[s] = fmax(off[s], fabs(x[m] - exact[m]));
        test_run_free(&run);
      }
      const double ratio = off[0] / off[1];
      printf("  %-18s %-46s %.2g %.2g\n", ways[i], solvers[k], off[0], off[1]);
      cr_expect(ratio > (i < 2 ? 1.8 : 3.6) && off[0] < (i < 2 ? 0.01 : 1e-4), "%s, %s: %g, then %g", ways[i],
                solvers[k], off[0], off[1]);
    }
}

Test(attachments_long, a_resumed_run_gives_the_same_bits_and_steps_allocate_nothing) {
  for (int k = 0; k < SOLVERS; k++)
    for (int i = 0; i < WAYS; i++) {
      char sets[2][120];
      snprintf(sets[0], sizeof sets[0], "/integrator=%s", ways[i]);
      snprintf(sets[1], sizeof sets[1], "/solver=%s", solvers[k]);
      const char *const list[] = {sets[0], sets[1], STRING, "/time/step=0.001"};
      TestRun a = begin(TUMBLER("reduction", TAIL("reduction")), list, 4),
              b = begin(TUMBLER("reduction", TAIL("reduction")), list, 4);
      const size_t size = mb_sim_checkpoint_size(a.sim);
      void *bytes = mb_calloc(size, 1), *last = mb_calloc(size, 1);
      MbReport report = {0};
      test_steps(a.sim, 4);
      mb_sim_checkpoint(a.sim, bytes);
      const int64_t calls = mb_alloc_calls();
      test_steps(a.sim, 4);
      cr_expect_eq(mb_alloc_calls(), calls, "%s, %s", ways[i], solvers[k]);
      mb_sim_checkpoint(a.sim, last);
      test_ok(mb_sim_restore(b.sim, bytes, size, &report), &report);
      test_steps(b.sim, 4);
      mb_sim_checkpoint(b.sim, bytes);
      cr_expect(!memcmp(bytes, last, size), "%s, %s: resumed it differs", ways[i], solvers[k]);
      mb_free(bytes);
      mb_free(last);
      test_run_free(&a);
      test_run_free(&b);
    }
  cr_assert_eq(mb_alloc_live(), 0);
}

Test(attachments, running_out_of_memory_anywhere_is_told_and_leaks_nothing) {
  static const char *const text[] = {NET("reduction"), NET("constraint")};
  for (int k = 0; k < 3; k++) {
    const char *const sets[] = {k == 1 ? "/solver=\"maximal\"" : "/solver=\"redmax\""};
    TestRun run = begin(text[k == 2], sets, 1);
    const int64_t live = mb_alloc_live();
    bool finished = false;
    for (int64_t n = 0; !finished; n++) {
      MbReport report = {0};
      MbModel *model = NULL;
      MbSim *sim = NULL;
      mb_alloc_fail_after(n);
      MbStatus status = mb_model_create(run.scene, &model, &report);
      if (status == MB_OK) status = mb_sim_create(model, NULL, &sim, &report);
      mb_alloc_fail_after(-1);
      finished = status == MB_OK;
      cr_assert(finished || status == MB_IO, "call %lld failed, and it was told as %d", (long long)n, status);
      mb_sim_free(sim);
      mb_model_free(model);
      cr_assert_eq(mb_alloc_live(), live, "call %lld failed and something leaked", (long long)n);
    }
    test_run_free(&run);
  }
}

Test(attachments, another_weight_master_or_place_is_another_model) {
  static const char *const sets[] = {"/name=\"same\"", "/deformables/0/attach/1/to/weights=[0.4, 0.6]",
                                     "/deformables/0/attach/1/to/vertices=[0, 2]",
                                     "/deformables/0/pose={\"position\": [0.3, 0.2, 0.1]}",
                                     "/deformables/0/attach/1/enforce=\"constraint\""};
  static const char *const text[] = {NET("reduction"), NET("constraint")};
  for (int way = 0; way < 2; way++) {
    uint64_t mark[5];
    for (size_t i = 0; i < 4 + (way == 0); i++) {
      TestRun run = begin(text[way], sets + i, 1);
      mark[i] = run.model->fingerprint;
      for (size_t k = 0; k < i; k++) cr_expect(mark[k] != mark[i], "%s and %s", sets[k], sets[i]);
      test_run_free(&run);
    }
  }
}

// ---- what has no mass of its own --------------------------------------------------------------------------

#define SWINGS(inertia, beads)                                                                               \
  "{\"mbsim\": 1, \"time\": {\"step\": 0.01, \"steps\": 50}, \"bodies\": [{\"name\": \"arm\", " inertia      \
  "\"joint\": {\"type\": \"revolute\", \"axis\": [0, 1, 0]}}]" beads "}"

// Two beads of 0.7 kg at 0.1 and 0.5 m of a massless arm: it was refused, though it carries all that it takes.
Test(attachments, a_body_without_mass_moves_by_that_of_nodes_that_it_carries) {
  static const double SAME = 1e-11, // of runs whose matrices are of other sizes
      CLOSE = 1e-3;                 // under "maximal" beads go straight on in a step, each by itself
  for (int i = 0; i < WAYS; i++)
    for (int k = 0; k < SOLVERS; k++) {
      char sets[2][200];
      snprintf(sets[0], sizeof sets[0], "/integrator=%s", ways[i]);
      snprintf(sets[1], sizeof sets[1], "/solver=%s", solvers[k]);
      const char *const list[] = {sets[0], sets[1]};
      TestRun one = begin(SWINGS("", ", \"deformables\": [{\"name\": \"beads\", \"type\": \"particles\", "
                                     "\"mesh\": {\"rope\": 2, \"length\": 0.4}, \"pose\": {\"position\": "
                                     "[0.1, 0, 0]}, \"material\": {\"mass\": 1.4}, \"attach\": [{\"select\": "
                                     "{\"vertices\": [0, 1]}, \"body\": \"arm\", \"enforce\": "
                                     "\"reduction\"}]}]"),
                          list, 2),
              other = begin(SWINGS("\"inertia\": {\"mass\": 1.4, \"center\": [0.3, 0, 0], \"matrix\": [1e-9, "
                                   "0.056, 0.056, 0, 0, 0]}, ",
                                   ""),
                            list, 2);
      test_steps(one.sim, 50), test_steps(other.sim, 50);
      test_near(ways[i], one.sim->x.q, other.sim->x.q, 1, k == 2 ? CLOSE : SAME);
      test_run_free(&one), test_run_free(&other);
    }
}
