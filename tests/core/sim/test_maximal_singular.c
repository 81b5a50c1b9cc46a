// Maximal coordinates where rows depend on each other, contradict each other, or a joint is at a singular position: a motion
// or a message that names who is to blame, never numbers that are not finite.
#include "core/integrators/integrators.h"
#include "tests/runs.h"

#include <stdio.h>
#include <string.h>

#define HEAD         "{\"mbsim\": 1, \"gravity\": [0, 0, -9.81], \"time\": {\"step\": 0.002, \"steps\": 1}, "
#define ROD          "\"shape\": {\"type\": \"box\", \"size\": [0.4, 0.1, 0.1]}, \"density\": 1000"
#define HINGED       "\"in_body\": {\"position\": [-0.2, 0, 0]}"
#define AT(body, at) "{\"body\": \"" body "\", \"frame\": {\"position\": " at "}}"
#define HINGE(name, a, b)                                                                                    \
  "{\"name\": \"" name "\", \"joint\": \"revolute\", \"axis\": [0, 1, 0], \"between\": [" a ", " b "]}"

// A door on a hinge, and what else holds it
#define DOOR(constraints)                                                                                    \
  HEAD "\"bodies\": [{\"name\": \"door\", " ROD                                                              \
       ", \"joint\": {\"type\": \"revolute\", \"axis\": [0, 1, 0], " HINGED                                  \
       "}}], \"constraints\": [" constraints "]}"
// The same where the door is free in space, and constraints alone hold it
#define LOOSE(constraints)                                                                                   \
  HEAD "\"bodies\": [{\"name\": \"door\", " ROD                                                              \
       ", \"pose\": {\"position\": [0.2, 0, 0]}}], \"constraints\": [" constraints "]}"
#define SECOND HINGE("second", AT("world", "[0, 0.3, 0]"), AT("door", "[-0.2, 0.3, 0]"))
#define THIRD  HINGE("third", AT("world", "[0, -0.3, 0]"), AT("door", "[-0.2, -0.3, 0]"))
#define FOURTH HINGE("fourth", AT("world", "[0, 0.3, 0]"), AT("door", "[-0.2, 0.3, 0]"))
#define OTHER  HINGE("other", AT("world", "[0.1, 0.3, 0]"), AT("door", "[-0.1, 0.3, 0]"))
#define WRONG  HINGE("wrong", AT("world", "[0, 0.3, 0.05]"), AT("door", "[-0.2, 0.3, 0]"))

// The coupler of a planar four-bar on a whole hinge, of which the plane needs two rows alone
static const char *const FOUR_BAR =
    "/constraints=[{\"name\": \"pin\", \"joint\": \"revolute\", \"axis\": [0, -1, 0], \"between\": ["
    "{\"body\": \"coupler\", \"frame\": {\"position\": [\"=coupler/2\", 0, 0]}}, "
    "{\"body\": \"rocker\", \"frame\": {\"position\": [\"=rocker/2\", 0, 0]}}]}]";

static const char *const solvers[] = {"/solver={\"type\": \"maximal\", \"linear\": \"tree\"}",
                                      "/solver={\"type\": \"maximal\", \"linear\": \"dense\"}",
                                      "/solver={\"type\": \"maximal\", \"linear\": \"sparse\"}",
                                      "/solver={\"type\": \"maximal\", \"project\": true}"};
enum { SOLVERS = sizeof solvers / sizeof *solvers, NUMBERS = 18 * 8 };

static void set_integrator(char *set, size_t size, MbIntegratorKind kind) {
  if (kind == MB_RK45)
    snprintf(set, size, "/integrator={\"type\": \"rk45\", \"relative\": 1e-10, \"absolute\": 1e-12}");
  else
    snprintf(set, size, "/integrator=\"%s\"", mb_integrator_words[kind]);
}

// Bodies after some steps under a solver (NULL: the scene's); the worst gap of all steps.
static size_t motion(const char *from, const char *solver, MbIntegratorKind kind, const char *more,
                     double *out, double *gap) {
  char integrator[100];
  set_integrator(integrator, sizeof integrator, kind);
  const char *sets[] = {integrator, "/time/step=0.002", NULL, NULL, NULL};
  size_t n = 2;
  if (solver) sets[n++] = solver;
  if (more) sets[n++] = more;
  TestRun run = test_run(from, sets);
  *gap = 0;
  for (int i = 0; i < 100; i++) {
    test_steps(run.sim, 1);
    *gap = fmax(*gap, mb_sim_constraint_error(run.sim));
  }
  n = test_bodies(run.sim, out, NUMBERS);
  test_run_free(&run);
  return n;
}

static void check_same(const char *name, const char *from, const char *more, const char *reference,
                       const char *as) {
  // the same motion by other coordinates; of Newton's passes, of the error of the first order
  static const double close[] = {[MB_SYMPLECTIC] = 0.2,      [MB_IMPLICIT] = 0.2, [MB_TRAPEZOIDAL] = 1e-3,
                                 [MB_BRIDSON_MARINO] = 1e-3, [MB_RK45] = 1e-6,
                                 [MB_BDF1] = 2e-2, // of a loop that is closed, and of one
                                 [MB_BDF2] = 1e-3,           [MB_SDIRK2] = 1e-3};
  static const double hold[] = {
      [MB_SYMPLECTIC] = 2e-4, [MB_IMPLICIT] = 2e-4, [MB_TRAPEZOIDAL] = 1e-8, [MB_BRIDSON_MARINO] = 1e-8,
      [MB_RK45] = 1e-8,       [MB_BDF1] = 1e-8,     [MB_BDF2] = 1e-8,        [MB_SDIRK2] = 1e-8};
  for (MbIntegratorKind kind = 0; kind < MB_STATIC; kind++)
    for (size_t k = 0; k < SOLVERS; k++) {
      double state[NUMBERS], wanted[NUMBERS], gap, ignored;
      const size_t n = motion(reference, NULL, kind, as, wanted, &ignored);
      motion(from, solvers[k], kind, more, state, &gap);
      const double off = test_distance(state, wanted, n);
      printf("  %-22s %-15s %-44s gap %.1e, from redmax %.1e\n", name, mb_integrator_words[kind],
             solvers[k] + 8, gap, off);
      cr_expect(off < close[kind], "%s, %s, %s: %g off", name, mb_integrator_words[kind], solvers[k], off);
      cr_expect(gap < hold[kind], "%s, %s, %s: a gap of %g", name, mb_integrator_words[kind], solvers[k],
                gap);
    }
}

Test(maximal_singular_long, hinges_that_say_the_same_as_a_joint_leave_its_motion) {
  check_same("second hinge", DOOR(SECOND), NULL, DOOR(""), NULL);
  check_same("three hinges", DOOR(SECOND ", " THIRD ", " FOURTH), NULL, DOOR(""), NULL);
  check_same("hinge alone", LOOSE(SECOND), NULL, DOOR(""), NULL);
  check_same("two hinges alone", LOOSE(SECOND ", " THIRD), NULL, DOOR(""), NULL);
}

Test(maximal_singular_long, a_planar_loop_closed_by_a_whole_hinge_moves_as_by_a_pin) {
  check_same("four-bar", "four_bar", FOUR_BAR, "four_bar", NULL);
}

Test(maximal_singular, two_hinges_side_by_side_lock_what_they_hold) {
  for (MbIntegratorKind kind = 0; kind < MB_STATIC; kind++)
    for (size_t k = 0; k < SOLVERS; k++) {
      double state[NUMBERS], gap;
      motion(DOOR(OTHER), solvers[k], kind, NULL, state, &gap);
      const double still[18] = {0.2, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
      // C's axes are the box's but for their order and signs: only what moves is looked at
      test_near("position", state, still, 3, 1e-12);
      test_near("twist", state + 12, still + 12, 6, 1e-12);
    }
}

// Every integrator and way of solving refuses it, and says whom to look at.
static void check_refused(const char *what, const char *from, const char *name, int64_t steps) {
  for (MbIntegratorKind kind = 0; kind < MB_STATIC; kind++)
    for (size_t k = 0; k < SOLVERS; k++) {
      char integrator[100];
      MbReport report = {0};
      set_integrator(integrator, sizeof integrator, kind);
      const char *sets[] = {solvers[k], integrator, NULL};
      const MbStatus status = test_try(from, sets, steps, &report);
      cr_expect(status == MB_NUMBERS || status == MB_SCENE, "%s, %s, %s: %s", what, mb_integrator_words[kind],
                solvers[k], mb_status_text(status));
      bool named = false;
      for (int i = 0; i < report.kept; i++) named |= strstr(report.issues[i].text, name) != NULL;
      cr_expect(named, "%s, %s, %s: \"%s\"", what, mb_integrator_words[kind], solvers[k],
                report.issues[0].text);
    }
}

Test(maximal_singular, hinges_that_contradict_a_joint_are_named_at_once) {
  check_refused("wrong hinge", DOOR(WRONG), "wrong", 1);
  check_refused("wrong hinges", LOOSE(SECOND ", " WRONG), "contradicts", 3); // whichever of the two
}

#define ONE(name, joint) HEAD "\"bodies\": [{\"name\": \"" name "\", " ROD ", \"joint\": {" joint "}}]}"
#define TURN             "{\"type\": \"revolute\", \"axis\": [0, 1, 0]}"

Test(maximal_singular, joints_at_singular_positions_are_named) {
  check_refused(
      "gimbal lock",
      ONE("gimbal", "\"type\": \"euler\", \"order\": \"xyz\", \"position\": [0, 1.5707963267948966, 0]"),
      "gimbal", 1);
  check_refused("equal axes", ONE("twice", "\"type\": \"composite\", \"joints\": [" TURN ", " TURN "]"),
                "twice", 1);
  check_refused("seven freedoms",
                ONE("seven",
                    "\"type\": \"composite\", \"joints\": [{\"type\": \"translational\"}, {\"type\": "
                    "\"spherical\"}, " TURN "]"),
                "", 1);
}

// Turned beyond the lock: held by rows that say that the point is held, and no more, it goes on. What is lost are
// coordinates, which redmax needs to move at all.
Test(maximal_singular_long, what_turns_past_gimbal_lock_goes_on) {
  static const char *const PAST =
      ONE("gimbal", "\"type\": \"euler\", \"order\": \"xyz\", " HINGED ", \"position\": [0.1, 1.2, 0], "
                    "\"velocity\": [0.3, 3, 0]");
  for (MbIntegratorKind kind = 0; kind < MB_STATIC; kind++)
    for (size_t k = 0; k + 1 < SOLVERS; k++) {
      // what steps of first order make or take in 200 steps
      const double STAYS = mb_integrator_table[kind].order == 1 ? 1e-2 : 5e-3;
      char integrator[100];
      set_integrator(integrator, sizeof integrator, kind);
      const char *sets[] = {solvers[k], integrator, "/gravity=[0, 0, 0]", NULL};
      TestRun run = test_run(PAST, sets);
      const double first = mb_energy(run.model, &run.sim->x).total;
      test_steps(run.sim, 200);
      const double last = mb_energy(run.model, &run.sim->x).total;
      cr_expect(fabs(last / first - 1) < STAYS, "%s: energy %g, was %g", mb_integrator_words[kind], last,
                first);
      cr_expect_lt(mb_sim_constraint_error(run.sim), 1e-6);
      test_run_free(&run);
    }
}

// Six freedoms leave nothing to hold; the child's joint still does.
Test(maximal_singular, a_joint_of_six_freedoms_holds_nothing) {
  static const char *const SIX =
      HEAD "\"bodies\": [{\"name\": \"six\", " ROD ", \"joint\": {\"type\": \"composite\", \"joints\": "
           "[{\"type\": \"translational\"}, {\"type\": \"spherical\"}], \"velocity\": [1, 0, 0, 5, 3, 1]}}, "
           "{\"name\": \"child\", " ROD
           ", \"joint\": {\"type\": \"revolute\", \"parent\": \"six\", \"axis\": [0, 1, 0], " HINGED "}}]}";
  double state[NUMBERS], wanted[NUMBERS], gap;
  const size_t n = motion(SIX, "/solver=\"redmax\"", MB_RK45, NULL, wanted, &gap);
  for (size_t k = 0; k < SOLVERS; k++) {
    motion(SIX, solvers[k], MB_RK45, NULL, state, &gap);
    test_near(solvers[k], state, wanted, n, 1e-7); // both to rk45's tolerances
  }
}
