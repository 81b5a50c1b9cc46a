// Maximal coordinates beside reduced ones: errors against one tight solution in reduced coordinates, and their slopes; the
// projected solver, which is the same at every step.
#include "tests/runs.h"
#include "tests/trees.h"

#include <stdio.h>
#include <string.h>

enum { MOST = 18 * 64 };

// ---- scenes -----------------------------------------------------------------------------------------------

static MbSceneSpec chain(void) { return test_chain(MB_SYMPLECTIC, 1); }

static void spring_between(MbSceneSpec *spec, size_t a, size_t b, uint64_t *seed) {
  MbForceSpec *spring = test_force(spec, MB_FORCE_SPRING, NULL);
  spring->npoints = 2;
  spring->points = mb_arena_alloc(&spec->arena, 2, sizeof *spring->points);
  for (int k = 0; k < 2; k++) {
    spring->points[k] = (MbPointSpec){.body = spec->bodies[k ? b : a].name, .frame.rotation = {1, 0, 0, 0}};
    for (int j = 0; j < 3; j++) spring->points[k].frame.position[j] = test_around_zero(seed);
  }
  *test_spring(spring) = (MbSpringSpec){.stiffness = 8, .damping = 0.3, .length = 1};
}

// Every kind of joint with stiffness and damping, forces that vary in time, springs between any bodies, motors.
static MbSceneSpec loaded_forest(void) {
  uint64_t seed = 12;
  MbSceneSpec spec = test_forest(MB_SYMPLECTIC, &seed);
  for (size_t b = 0; b < spec.nbodies; b += 5) {
    MbForceSpec *pull = test_force(&spec, MB_FORCE_POINT, spec.bodies[b].name);
    for (int i = 0; i < 3; i++) test_wrench(pull)->at[i] = test_around_zero(&seed);
    test_wrench(pull)->force[0] = test_expression("6*cos(5*t)"),
    test_wrench(pull)->force[2] = test_constant(4);
  }
  for (size_t b = 0; b + 7 < spec.nbodies; b += 6) spring_between(&spec, b, b + 7, &seed);
  for (size_t b = 0; b < spec.nbodies; b += 3) {
    MbJointSpec *joint = &spec.bodies[b].joint;
    if (!spec.bodies[b].jointed || joint->kind == MB_JOINT_FIXED) continue;
    MbSignalSpec *target = mb_arena_alloc(&spec.arena, 1, sizeof *target);
    *target = test_expression("0.4*sin(6*t)");
    joint->motor = mb_arena_alloc(&spec.arena, 1, sizeof *joint->motor);
    *joint->motor = (MbMotorSpec){.target = {.count = 1, .signal = target},
                                  .stiffness = test_one_number(&spec.arena, 5),
                                  .damping = test_one_number(&spec.arena, 0.5)};
  }
  test_damping(test_force(&spec, MB_FORCE_DAMPING, NULL))->coefficient = 0.2;
  return spec;
}

typedef struct Problem {
  const char *name;
  MbSceneSpec (*scene)(void); // or
  const char *file;
  double h, end;
} Problem;

// ---- runs -------------------------------------------------------------------------------------------------

typedef struct Way {
  MbSolverKind solver;
  bool project;
  MbLinear linear;
  MbIntegratorKind integrator;
} Way;

// All bodies at the end; the worst gap of a constraint or joint.
static size_t end_state(const Problem *p, Way way, double h, double *state, double *gap) {
  TestRun run = {0};
  MbSceneSpec made = {0};
  *gap = 0;
  if (p->file) {
    char solver[120], integrator[120], step[60];
    if (way.solver == MB_SOLVER_REDMAX)
      snprintf(solver, sizeof solver, "/solver=\"redmax\"");
    else
      snprintf(solver, sizeof solver, "/solver={\"type\": \"maximal\", \"project\": %s, \"linear\": \"%s\"}",
               way.project ? "true" : "false", mb_linear_words[way.linear]);
    if (way.integrator == MB_RK45)
      snprintf(integrator, sizeof integrator,
               "/integrator={\"type\": \"rk45\", \"relative\": 1e-11, \"absolute\": 1e-13}");
    else
      snprintf(integrator, sizeof integrator, "/integrator=\"%s\"", mb_integrator_words[way.integrator]);
    snprintf(step, sizeof step, "/time/step=%.17g", h);
    const char *sets[] = {solver, integrator, step, "/output={}", NULL};
    run = test_run(p->file, sets);
  } else {
    made = p->scene();
    made.time.step = h;
    made.solver.kind = way.solver, made.solver.project = way.project, made.solver.linear = way.linear;
    made.integrator = (MbIntegratorSpec){.kind = way.integrator, .relative = 1e-11, .absolute = 1e-13};
    run.model = test_model(&made);
    run.sim = test_sim(run.model, 1);
  }
  for (long i = 0; i < lrint(p->end / h); i++) {
    test_steps(run.sim, 1);
    const double error = mb_sim_constraint_error(run.sim);
    if (error > *gap) *gap = error;
  }
  const size_t n = test_bodies(run.sim, state, MOST);
  test_run_free(&run);
  mb_arena_free(&made.arena);
  return n;
}

// Errors at h, h/2, h/4 against the exact solution, what they tend to, and the worst gaps.
static void measure_orders(const Problem *p, MbIntegratorKind first) {
  static const double SLOPE = 0.15; // the next power of h still shows at these steps
  static const double LIMIT = 0.25; // of the last error, when its first power is taken out
  static const double EXACT = 1e-10;
  static const int wanted[MB_INTEGRATORS] = {1, 1, 2, 2, 5, 1, 2, 2};
  static double exact[MOST], state[3][MOST], limit[MOST];
  double gap[3], ignored;
  const size_t n = end_state(p, (Way){.integrator = MB_RK45}, p->h, exact, &ignored);
  printf("%-18s %8s %10s %10s %10s   order  limit    gap at h, h/4\n", p->name, "h =", "", "", "");
  for (MbIntegratorKind kind = first; kind < MB_STATIC; kind++) {
    double error[3];
    if (kind == MB_RK45) continue;
    for (int k = 0; k < 3; k++) {
      end_state(p, (Way){.solver = MB_SOLVER_MAXIMAL, .integrator = kind}, p->h / (1 << k), state[k],
                &gap[k]);
      error[k] = test_distance(state[k], exact, n);
    }
    const double order = log2(error[1] / error[2]), power = pow(2, wanted[kind]);
    for (size_t i = 0; i < n; i++) limit[i] = (power * state[2][i] - state[1][i]) / (power - 1);
    const double left = test_distance(limit, exact, n);
    printf("  %-16s %8g %10.3e %10.3e %10.3e   %5.3f  %.1e  %.1e %.1e\n", mb_integrator_words[kind], p->h,
           error[0], error[1], error[2], order, left, gap[0], gap[2]);
    // nothing but rounding, rk45's own and what Newton's passes leave: what is driven through and through
    const bool exactly = error[0] < EXACT;
    cr_expect(exactly || fabs(order - wanted[kind]) < SLOPE, "%s, %s: order %.3f", p->name,
              mb_integrator_words[kind], order);
    cr_expect(exactly || left < LIMIT * error[2], "%s, %s: tends to a limit %g away", p->name,
              mb_integrator_words[kind], left);
    if (kind < MB_TRAPEZOIDAL)
      cr_expect(gap[2] < 0.35 * gap[1] || gap[2] < 1e-12, "%s, %s: gaps %g, %g", p->name,
                mb_integrator_words[kind], gap[1], gap[2]); // of order two: a quarter with half the step
    else
      cr_expect(gap[0] < 1e-6, "%s, %s: a gap of %g", p->name, mb_integrator_words[kind], gap[0]);
  }
  const double CLOSE = 1e-6; // rk45 twice, to 1e-11 a step, through a chaos that multiplies by some thousands
  end_state(p, (Way){.solver = MB_SOLVER_MAXIMAL, .integrator = MB_RK45}, p->h, state[0], &gap[0]);
  const double off = test_distance(state[0], exact, n);
  printf("  %-16s %8s %10.3e %43s %.1e\n", "rk45", "", off, "", gap[0]);
  cr_expect(off < CLOSE && gap[0] < CLOSE, "%s: rk45 is %g off, gap %g", p->name, off, gap[0]);
}

Test(maximal_orders_long, a_chain_of_ten) {
  measure_orders(&(Problem){.name = "chain of ten", .scene = chain, .h = 1.0 / 800, .end = 0.2}, 0);
}

Test(maximal_orders_long, a_forest_of_every_joint_with_springs_motors_and_loads, TEST_LONG) {
  measure_orders(&(Problem){.name = "loaded forest", .scene = loaded_forest, .h = 1.0 / 400, .end = 0.1}, 0);
}

Test(maximal_orders, a_four_bar_loop) {
  measure_orders(&(Problem){.name = "four-bar", .file = "four_bar", .h = 0.002, .end = 0.4}, 0);
}

Test(maximal_orders_long, gears_and_a_slider_crank, TEST_LONG) {
  measure_orders(&(Problem){.name = "gears", .file = "gears", .h = 0.001, .end = 0.2}, 0);
  measure_orders(&(Problem){.name = "slider crank", .file = "slider_crank", .h = 0.002, .end = 0.4}, 0);
}

// Bodies free in space that constraints hold on one another, and one more that makes a loop of them
static const char *const LINKED =
    "{\"mbsim\": 1, \"time\": {\"step\": 0.002, \"steps\": 1}, \"bodies\": ["
    "{\"name\": \"c\", \"mass\": 1, \"shape\": {\"type\": \"box\", \"size\": [0.4, 0.1, 0.2]}, \"pose\": "
    "{\"position\": "
    "[1, 0, 0]}}, {\"name\": \"a\", \"mass\": 2, \"shape\": {\"type\": \"box\", \"size\": [0.4, 0.1, 0.2]}, "
    "\"pose\": "
    "{\"position\": [0.2, 0, 0]}}, {\"name\": \"b\", \"mass\": 1, \"shape\": {\"type\": \"box\", \"size\": "
    "[0.4, 0.1, "
    "0.2]}, \"pose\": {\"position\": [0.6, 0, 0]}}], \"constraints\": [{\"type\": \"point\", \"between\": "
    "[{\"body\": "
    "\"b\", \"at\": [0.2, 0, 0]}, {\"body\": \"c\", \"at\": [-0.2, 0, 0]}]}, {\"type\": \"joint\", "
    "\"joint\": "
    "\"universal\", \"between\": [{\"body\": \"a\", \"frame\": {\"position\": [0.2, 0, 0]}}, {\"body\": "
    "\"b\", "
    "\"frame\": {\"position\": [-0.2, 0, 0]}}]}, {\"type\": \"point\", \"between\": [{\"body\": \"world\", "
    "\"at\": "
    "[0, 0, 0]}, {\"body\": \"a\", \"at\": [-0.2, 0, 0]}]}, {\"type\": \"distance\", \"between\": "
    "[{\"body\": "
    "\"world\", \"at\": [1.1, 0.5, 0.4]}, {\"body\": \"c\", \"at\": [0.2, 0.05, 0]}]}]}";

Test(maximal_orders_long, bodies_that_constraints_hold_on_one_another, TEST_LONG) {
  measure_orders(&(Problem){.name = "linked bodies", .file = LINKED, .h = 0.002, .end = 0.3}, 0);
}

Test(maximal_orders_long, a_crank_that_is_driven, TEST_LONG) {
  measure_orders(&(Problem){.name = "prescribed crank", .file = "prescribed_crank", .h = 0.002, .end = 0.4},
                 0);
}

// By way of the multipliers to the coordinates of the joints: what redmax does, but for rounding.
Test(maximal_orders_long, projected_steps_are_those_of_redmax, TEST_LONG) {
  static const Problem problems[] = {
      {.name = "chain of ten", .scene = chain, .h = 1e-3, .end = 0.15},
      {.name = "loaded forest", .scene = loaded_forest, .h = 1.0 / 400, .end = 0.05},
      {.name = "four-bar", .file = "four_bar", .h = 0.002, .end = 0.4},
      {.name = "prescribed crank", .file = "prescribed_crank", .h = 0.002, .end = 0.4},
      {.name = "joint limits", .file = "06-joint-limits", .h = 0.01, .end = 1}};
  static const double CLOSE = 1e-9; // of rounding after some hundred steps, of the largest number
  static double state[MOST], wanted[MOST];
  for (size_t i = 0; i < sizeof problems / sizeof *problems; i++)
    for (MbIntegratorKind kind = 0; kind < MB_STATIC; kind++) {
      double gap, size = 1;
      const size_t n = end_state(&problems[i], (Way){.integrator = kind}, problems[i].h, wanted, &gap);
      end_state(&problems[i], (Way){MB_SOLVER_MAXIMAL, true, MB_LINEAR_AUTO, kind}, problems[i].h, state,
                &gap);
      for (size_t k = 0; k < n; k++) size = fmax(size, fabs(wanted[k]));
      const double off = test_distance(state, wanted, n);
      printf("  %-18s %-16s %.1e of %.3g\n", problems[i].name, mb_integrator_words[kind], off, size);
      cr_expect(off <= CLOSE * size, "%s, %s: %g of %g", problems[i].name, mb_integrator_words[kind], off,
                size);
    }
}

// A body free in space at the end of a hinged one: the projected state knows of joints only, the rest is for rows.
Test(maximal_orders, projected_steps_leave_free_bodies_to_the_rows) {
  static const char *const HINGED =
      "{\"mbsim\": 1, \"time\": {\"step\": 0.001, \"steps\": 1}, \"bodies\": [{\"name\": \"a\", \"shape\": "
      "{\"type\": \"box\", \"size\": [1, 0.1, 0.1]}, \"density\": 1000, \"joint\": {\"type\": \"revolute\", "
      "\"axis\": [0, 1, 0], \"in_body\": {\"position\": [-0.5, 0, 0]}}}, {\"name\": \"b\", \"shape\": "
      "{\"type\": "
      "\"box\", \"size\": [1, 0.1, 0.1]}, \"density\": 1000, \"pose\": {\"position\": [1.5, 0, 0]}}], "
      "\"constraints\": [{\"type\": \"point\", \"between\": [{\"body\": \"a\", \"at\": [0.5, 0, 0]}, "
      "{\"body\": \"b\", \"at\": [-0.5, 0, 0]}]}]}";
  static double state[2][36];
  for (int k = 0; k < 2; k++) {
    const char *sets[] = {k ? "/solver={\"type\": \"maximal\", \"project\": true}" : "/solver=\"redmax\"",
                          NULL};
    TestRun run = test_run(HINGED, sets);
    test_steps(run.sim, 500);
    cr_assert_eq(test_bodies(run.sim, state[k], 36), 36);
    test_run_free(&run);
  }
  test_near("projected", state[1], state[0], 36, 1e-10); // rounding of 500 steps
}
