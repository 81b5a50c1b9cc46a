// Many contacts of bodies apart under a few sweeps, whose rows are never made: what they come to is what the same sweeps over the problem's rows
// come to.
#include "core/base/alloc.h"
#include "core/contact/contact_ops.h"
#include "core/sim/constrain_internal.h"
#include "core/sim/touch.h"
#include "core/sim/touch_pile.h"
#include "tests/runs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct Text {
  char at[60000];
  size_t n;
  int heavy;  // the power of two that densities are times 500
  double far; // how far aside all bodies are, along x
} Text;

static void add_body(Text *text, const char *shape, double x, double y, double z, int turn) {
  text->n += (size_t)snprintf(text->at + text->n, sizeof text->at - text->n,
                              ", {\"name\": \"%zu\", \"density\": %.17g, \"shape\": %s, \"pose\": "
                              "{\"position\": [%.9g, %.9g, %.9g], \"rotation\": {\"axis\": [1, 2, 3], "
                              "\"angle\": %g}}, \"velocity\": {\"linear\": [0.4, 0.1, -1]}}",
                              text->n, ldexp(500, text->heavy), shape, x + text->far, y, z, 0.01 * turn);
  cr_assert_lt(text->n + 10, sizeof text->at);
}

// Blocks in layers, each over four others; some fall askew, with balls among them. `plate`: they lie on one body beside many others.
static void write(Text *text, const char *contact, bool plate) {
  static const char block[] = "{\"type\": \"box\", \"size\": [0.5, 0.4, 0.3]}",
                    ball[] = "{\"type\": \"sphere\", \"radius\": 0.15}";
  text->n = (size_t)snprintf(text->at, sizeof text->at,
                             "{\"mbsim\": 1, \"time\": {\"step\": 0.01, \"steps\": 100}, \"contact\": %s, "
                             "\"bodies\": [{\"name\": \"ground\", \"shape\": {\"type\": \"plane\"}, "
                             "\"joint\": {\"type\": \"fixed\"}}",
                             contact);
  const double low = plate ? 0.2 : 0;
  const int side = plate ? 13 : 7, high = plate ? 1 : 5;
  if (plate) add_body(text, "{\"type\": \"box\", \"size\": [9, 9, 0.2]}", 4, 4, 0.1, 0);
  for (int k = 0; k < high; k++)
    for (int i = 0; i < side; i++)
      for (int j = 0; j < side; j++)
        add_body(text, (i + j + k) % 7 ? block : ball, 0.6 * i + 0.2 * (k % 2), 0.5 * j + 0.17 * (k % 2),
                 low + 0.155 + 0.302 * k, plate ? 0 : (i + 3 * j + k) % 2);
  strcat(text->at, "]}");
}

// The problem of a step as rows, and what sweeps over them come to.
typedef struct Rows {
  MbContactWork work;
  double lambda[3 * 6000], natural;
  size_t n, iterations;
  int again;
} Rows;

// Twice the energy that λ adds.
static double added(const MbContactProblem *problem, const MbContactAnswer *answer) {
  double sum = 0;
  for (size_t i = 0; i < problem->n; i++) sum += answer->lambda[i] * (problem->b[i] + answer->w[i]);
  return sum;
}

// Where sweeps from the last step's impulses add energy they begin from none.
static void solve_rows(void *context, const MbContactProblem *problem) {
  Rows *rows = context;
  MbContactAnswer answer;
  MbContactProblem again = *problem;
  const MbContactMethod *method = mb_contact_method("gauss_seidel");
  cr_assert_leq(problem->n, sizeof rows->lambda / sizeof *rows->lambda);
  cr_assert(mb_contact_reserve(&rows->work, method, problem));
  const MbContactResult result = mb_contact_solve(method, &rows->work, problem, &answer);
  cr_assert(result == MB_CONTACT_SOLVED || result == MB_CONTACT_NOT_CONVERGED, "%s", answer.why);
  rows->n = problem->n, rows->iterations = answer.iterations;
  again.start = NULL;
  if (added(problem, &answer) > 0) {
    mb_contact_solve(method, &rows->work, &again, &answer);
    rows->iterations += answer.iterations, rows->again++;
  }
  rows->natural = answer.natural;
  memcpy(rows->lambda, answer.lambda, problem->n * sizeof *rows->lambda);
}

static double told(const TestRun *run, int what) { return run->sim->constraining->told[what]; }

// The largest difference of impulses of what pushes from the rows' solution, by the largest.
static double differs(const MbTouching *t, const Rows *rows) {
  double most = 0, size = 0;
  size_t k = 0;
  for (size_t i = 0; i < rows->n / 3; i++) {
    const double *lambda = rows->lambda + 3 * i;
    const bool same = k < t->last.n && t->last.touch[k].a == t->now.touch[i].a &&
                      t->last.touch[k].b == t->now.touch[i].b &&
                      t->last.touch[k].feature_a == t->now.touch[i].feature_a &&
                      t->last.touch[k].feature_b == t->now.touch[i].feature_b;
    for (size_t r = 0; r < 3; r++) {
      most = fmax(most, fabs(lambda[r] - (same ? t->last.touch[k].lambda[r] : 0)));
      size = fmax(size, fabs(lambda[r]));
    }
    k += same;
  }
  cr_expect_eq(k, t->last.n);
  return most / size;
}

Test(touch_pile, a_few_sweeps_come_to_what_the_same_sweeps_over_rows_come_to) {
  static Text text;
  static Rows rows;
  write(&text, "{\"friction\": 0.5, \"method\": \"gauss_seidel\", \"iterations\": 12}", false);
  TestRun run = test_run(text.at, NULL);
  cr_assert(mb_touch_watch(run.sim, (MbTouchWatch){.see = solve_rows, .context = &rows}));
  for (int step = 0; step < 40; step++) {
    test_steps(run.sim, 1);
    cr_assert(run.sim->touching->pile->solved, "step %d", step);
    cr_expect_lt(differs(run.sim->touching, &rows), 1e-7, "step %d: %g", step,
                 differs(run.sim->touching, &rows));
    cr_expect_eq((size_t)told(&run, MB_SOLVED_ITERATIONS), rows.iterations);
  }
  cr_expect_gt(run.sim->touching->last.n, 600);
  cr_expect_gt(rows.again, 0);
  mb_contact_work_free(&rows.work);
  test_run_free(&run);
}

// With as many sweeps as it takes nothing is left of it, and the sweeps end before they are all made.
Test(touch_pile_long, sweeps_end_where_the_tolerance_is_met) {
  static Text text;
  write(&text, "{\"friction\": 0.5, \"method\": \"gauss_seidel\", \"iterations\": 199, \"tolerance\": 1e-3}",
        false);
  TestRun run = test_run(text.at, NULL);
  int few = 0;
  for (int step = 0; step < 30; step++) {
    test_steps(run.sim, 1);
    cr_assert(run.sim->touching->pile->solved);
    few += told(&run, MB_SOLVED_ITERATIONS) < 199;
    cr_expect(told(&run, MB_SOLVED_MISSED) != 0 || told(&run, MB_SOLVED_WORST) <= 1e-3);
  }
  cr_expect_gt(few, 10, "%d steps", few);
  test_run_free(&run);
}

Test(touch_pile_long, who_looks_at_its_problem_changes_nothing_and_a_step_allocates_nothing) {
  static Text text;
  static Rows rows;
  static double bodies[2][18 * 260];
  size_t n = 0;
  write(&text, "{\"friction\": 0.5, \"method\": \"gauss_seidel\", \"iterations\": 10}", false);
  for (int looks = 0; looks < 2; looks++) {
    TestRun run = test_run(text.at, NULL);
    if (looks) mb_touch_watch(run.sim, (MbTouchWatch){.see = solve_rows, .context = &rows});
    test_steps(run.sim, 60);
    const int64_t calls = mb_alloc_calls();
    test_steps(run.sim, 3);
    cr_expect_eq(mb_alloc_calls(), calls);
    n = test_bodies(run.sim, bodies[looks], sizeof bodies[looks] / sizeof *bodies[looks]);
    test_run_free(&run);
  }
  cr_expect_arr_eq(bodies[0], bodies[1], n * sizeof **bodies);
  mb_contact_work_free(&rows.work);
}

Test(touch_pile_long, any_number_of_threads_makes_the_same_bits) {
  static const char *const threads[] = {"/solver/threads=1", "/solver/threads=2", "/solver/threads=8"};
  static Text text;
  static double bodies[3][18 * 260];
  size_t n = 0;
  write(&text, "{\"friction\": 0.5, \"method\": \"gauss_seidel\", \"iterations\": 10}", false);
  for (size_t k = 0; k < 3; k++) {
    const char *const sets[] = {"/solver={\"type\": \"redmax\"}", threads[k], NULL};
    TestRun run = test_run(text.at, sets);
    test_steps(run.sim, 60);
    cr_assert(run.sim->touching->pile->solved);
    n = test_bodies(run.sim, bodies[k], sizeof bodies[k] / sizeof *bodies[k]);
    test_run_free(&run);
  }
  cr_expect_arr_eq(bodies[0], bodies[1], n * sizeof **bodies, "two threads");
  cr_expect_arr_eq(bodies[0], bodies[2], n * sizeof **bodies, "eight threads");
}

// What rebounds, what slides without friction under another cone and what has too many neighbours is solved by rows.
Test(touch_pile, what_it_does_not_know_is_solved_otherwise) {
  static const char *const contacts[] = {
      "{\"friction\": 0.5, \"method\": \"gauss_seidel\", \"iterations\": 10, \"restitution\": 0.4}",
      "{\"friction\": 0.5, \"method\": \"gauss_seidel\", \"iterations\": 10, \"cone\": \"box\"}",
      "{\"friction\": 0.5, \"method\": \"gauss_seidel\", \"iterations\": 10, \"compliance\": 1e-6}",
      "{\"friction\": 0.5, \"method\": \"gauss_seidel\", \"iterations\": 10}"};
  static Text text;
  for (size_t k = 0; k < 4; k++) {
    write(&text, contacts[k], k == 3);
    TestRun run = test_run(text.at, NULL);
    for (int step = 0; step < 5; step++) {
      test_steps(run.sim, 1);
      if (step == 0) cr_expect(!run.sim->touching->pile->solved, "%zu", k);
    }
    cr_expect_geq(run.sim->touching->now.n, MB_PILE_FEW, "%zu: %zu", k, run.sim->touching->now.n);
    test_run_free(&run);
  }
}

Test(touch_pile, a_pile_that_is_resumed_goes_on_bit_for_bit) {
  static Text text;
  write(&text, "{\"friction\": 0.5, \"method\": \"gauss_seidel\", \"iterations\": 10}", false);
  TestRun one = test_run(text.at, NULL), other = test_run(text.at, NULL);
  for (int k = 0; k < 2; k++) test_resumes(one.sim, other.sim, 15, 5, "a pile");
  cr_expect(one.sim->touching->pile->solved);
  test_run_free(&one), test_run_free(&other);
}

// ---- the sweeps by themselves -----------------------------------------------------------------------------

Test(touch_pile, every_kind_of_processor_comes_to_the_same_bits) {
  static Text text;
  static double bodies[2][18 * 260];
  bool any = false;
  write(&text, "{\"friction\": 0.5, \"method\": \"gauss_seidel\", \"iterations\": 10}", false);
  for (int k = 0; mb_pile_passes_list[k]; k++) {
    if (!mb_pile_passes_run(mb_pile_passes_list[k])) continue;
    TestRun run = test_run(text.at, NULL);
    run.sim->touching->pile->pile.passes = mb_pile_passes_list[k];
    test_steps(run.sim, 40);
    cr_assert(run.sim->touching->pile->solved);
    const size_t n = test_bodies(run.sim, bodies[any], sizeof *bodies / sizeof **bodies);
    if (any) cr_expect_arr_eq(bodies[1], bodies[0], n * sizeof **bodies, "%s", mb_pile_passes_list[k]->name);
    any = true;
    test_run_free(&run);
  }
}

// A power of two in all masses changes no bit, though what sweeps keep as floats would be far beyond these by itself.
Test(touch_pile, what_is_heavier_or_lighter_alike_moves_alike) {
  static Text text;
  static double bodies[3][18 * 260];
  const int heavy[3] = {0, -150, 150};
  for (int k = 0; k < 3; k++) {
    text.heavy = heavy[k];
    write(&text, "{\"friction\": 0.5, \"method\": \"gauss_seidel\", \"iterations\": 10}", false);
    TestRun run = test_run(text.at, NULL);
    test_steps(run.sim, 40);
    cr_assert(run.sim->touching->pile->solved);
    const size_t n = test_bodies(run.sim, bodies[k], sizeof *bodies / sizeof **bodies);
    cr_expect_arr_eq(bodies[k], bodies[0], n * sizeof **bodies, "2^%d", heavy[k]);
    test_run_free(&run);
  }
}

// What is deep is parted; action is reaction, so that all together they do not move aside.
Test(touch_pile, what_is_deep_is_parted_and_the_centre_of_mass_stays) {
  static Text text;
  write(&text, "{\"friction\": 0, \"method\": \"gauss_seidel\", \"iterations\": 20}", false);
  for (char *at = text.at; (at = strstr(at, "0.457]"));) memcpy(at, "0.449]", 6);
  const char *const sets[] = {"/gravity=[0, 0, 0]", NULL};
  TestRun run = test_run(text.at, sets);
  memset(run.sim->state.v, 0, run.sim->nv * sizeof *run.sim->state.v);
  double from[2] = {0}, to[2] = {0}, first = 0;
  for (size_t b = 0; b < run.model->nb; b++)
    for (size_t k = 0; k < 2; k++) from[k] += run.model->M[6 * b + 3] * run.sim->x.E[b].p[k];
  for (int step = 0; step < 20; step++) {
    test_steps(run.sim, 1);
    if (!step) first = told(&run, MB_SOLVED_DEEPEST);
  }
  for (size_t b = 0; b < run.model->nb; b++)
    for (size_t k = 0; k < 2; k++) to[k] += run.model->M[6 * b + 3] * run.sim->x.E[b].p[k];
  cr_expect_gt(first, 1e-3, "%g", first);
  cr_expect_lt(told(&run, MB_SOLVED_DEEPEST), 0.1 * first, "%g", told(&run, MB_SOLVED_DEEPEST));
  for (size_t k = 0; k < 2; k++) cr_expect_float_eq(to[k], from[k], 1e-9 * fabs(from[k]));
  test_run_free(&run);
}

// Blocks that begin pressed together are parted for ten steps, with a ball beside them. Writes how high bodies are then, and whether what is kept as floats parted them.
static size_t part_blocks(double far, const char *ball, double *height, bool *by_floats) {
  static Text text;
  const char *const sets[] = {"/gravity=[0, 0, 0]", NULL};
  text.far = far;
  write(&text, "{\"friction\": 0, \"method\": \"gauss_seidel\", \"iterations\": 100}", false);
  for (char *at = text.at; (at = strstr(at, "0.457]"));) memcpy(at, "0.449]", 6);
  text.n = strlen(text.at) - 2;
  add_body(&text, ball, -3, -3, 2, 0);
  strcat(text.at, "]}");
  TestRun run = test_run(text.at, sets);
  memset(run.sim->state.v, 0, run.sim->nv * sizeof *run.sim->state.v);
  test_steps(run.sim, 1);
  *by_floats = run.sim->touching->pile->solved;
  cr_expect_gt(told(&run, MB_SOLVED_DEEPEST), 1e-3);
  test_steps(run.sim, 9);
  const size_t n = run.model->nb;
  for (size_t b = 0; b < n; b++) height[b] = run.sim->x.E[b].p[2];
  test_run_free(&run);
  return n;
}

// What is kept as floats is about bodies and not about the world's origin; and where a grain's size would be lost in a float's rounding of a block's, what is deep is parted in doubles.
Test(touch_pile, floats_part_what_is_far_away_and_nothing_that_is_too_small_for_them) {
  static const char ball[] = "{\"type\": \"sphere\", \"radius\": 0.1}",
                    grain[] = "{\"type\": \"sphere\", \"radius\": 1e-5}";
  static double height[3][300];
  bool by_floats[3];
  const size_t n = part_blocks(0, ball, height[0], &by_floats[0]);
  part_blocks(1e7, ball, height[1], &by_floats[1]);
  part_blocks(0, grain, height[2], &by_floats[2]);
  cr_expect(by_floats[0] && by_floats[1] && !by_floats[2]);
  double aside[3] = {0};
  for (size_t k = 1; k < 3; k++)
    for (size_t b = 0; b < n; b++) aside[k] += fabs(height[k][b] - height[0][b]) / (double)n;
  // places that are rounded to 2e-9 differ by so much, and sweeps over rows end elsewhere
  cr_expect_lt(aside[1], 1e-6, "%g", aside[1]);
  cr_expect_lt(aside[2], 2e-5, "%g", aside[2]);
}

// The rate of a lane's contact after parting, with its gap; bodies are where the sweeps have left them.
static double parted(const MbPile *p, const MbPileBatch *batch, const float *part, size_t lane) {
  const float *run = mb_pile_run(p, (size_t)(batch - p->batch)) + lane;
  const MbPileBody *a = &p->body[batch->body[0][lane]], *b = &p->body[batch->body[1][lane]];
  double u = (double)part[MB_LANES_WIDE * MB_PILE_ONE_ASKS];
  for (int k = 0; k < 3; k++) {
    u += (double)run[MB_LANES_WIDE * (MB_PILE_RUN_N + k)] * (b->v[k] - a->v[k]);
    const double y = (double)part[MB_LANES_WIDE * (MB_PILE_ONE_Y + k)];
    u += y * b->w[k] - (y + (double)run[MB_LANES_WIDE * (MB_PILE_RUN_ARM + k)]) * a->w[k];
  }
  return u;
}

// A run's last contact is solved with what those before it in the run have done: where nothing has moved its bodies since, as in the last colour,
// it is so to a float's rounding of what is deep after any number of sweeps, as floats tell what they have in common.
Test(touch_pile, the_contacts_that_are_parted_last_are_parted_to_a_floats_rounding) {
  static Text text;
  size_t pushing = 0;
  write(&text, "{\"friction\": 0, \"method\": \"gauss_seidel\", \"iterations\": 3}", false);
  for (char *at = text.at; (at = strstr(at, "0.457]"));) memcpy(at, "0.449]", 6);
  TestRun run = test_run(text.at, NULL);
  for (int step = 0; step < 10; step++) {
    test_steps(run.sim, 1);
    const MbPile *p = &run.sim->touching->pile->pile;
    cr_assert(run.sim->touching->pile->solved && told(&run, MB_SOLVED_DEEPEST) > MB_PILE_SLOP);
    for (size_t k = p->begin[p->ncolours - 1]; k < p->nbatches; k++)
      for (size_t lane = 0; lane < MB_LANES_WIDE; lane++) {
        size_t depth = 0;
        while (depth < p->batch[k].depth &&
               p->block[MB_LANES_WIDE * (p->batch[k].cell + depth) + lane] != UINT32_MAX)
          depth++;
        if (depth < 2) continue;
        const float *part =
            mb_pile_run(p, k) + MB_LANES_WIDE * (MB_PILE_RUN + MB_PILE_PART * (depth - 1)) + lane;
        const double lambda = (double)part[MB_LANES_WIDE * MB_PILE_ONE_NOW],
                     u = parted(p, &p->batch[k], part, lane);
        pushing += lambda > 0;
        cr_expect(lambda > 0 ? fabs(u) < 1e-9 : u > -1e-9, "step %d: %g, %g", step, lambda, u);
      }
  }
  cr_expect_gt(pushing, 5, "%zu", pushing);
  test_run_free(&run);
}

// ---- with and without rows --------------------------------------------------------------------------------

// A box that falls on its edge, a ball that rolls into it and a plate on both, and a bead on a rope far away, whose row is of the set: with it
// contacts are rows of the set too.
#define HEAP                                                                                                 \
  "{\"mbsim\": 1, \"time\": {\"step\": 0.005, \"steps\": 200}, \"contact\": {\"friction\": 0.4, "            \
  "\"restitution\": 0.2, "                                                                                   \
  "\"tolerance\": 1e-12}, "                                                                                  \
  "\"bodies\": [{\"name\": \"ground\", \"shape\": {\"type\": \"plane\"}, \"joint\": {\"type\": "             \
  "\"fixed\"}}, {\"name\": \"box\", \"density\": 800, \"pose\": {\"position\": [0, 0, 0.31], "               \
  "\"rotation\": [0.96, 0.28, 0, 0]}, \"shape\": {\"type\": \"box\", \"size\": [0.4, 0.3, 0.2]}, "           \
  "\"velocity\": {\"angular\": [1, 2, 3]}}, {\"name\": \"ball\", \"density\": 500, \"pose\": "               \
  "{\"position\": [0.6, 0.05, "                                                                              \
  "0.1]}, \"velocity\": {\"linear\": [-2, 0.3, 0]}, \"shape\": {\"type\": \"sphere\", \"radius\": 0.1}}, "   \
  "{\"name\": "                                                                                              \
  "\"plate\", \"density\": 300, \"pose\": {\"position\": [0.1, 0, 0.7]}, \"shape\": {\"type\": \"box\", "    \
  "\"size\": "                                                                                               \
  "[0.6, 0.6, 0.05]}}, {\"name\": \"bead\", \"density\": 1000, \"pose\": {\"position\": [9, 0, 5]}, "        \
  "\"shape\": "                                                                                              \
  "{\"type\": \"sphere\", \"radius\": 0.1, \"collide\": false}}]"

Test(touch_pile, bodies_that_nothing_couples_move_as_they_do_where_contacts_are_rows_among_others) {
  static const char alone[] = HEAP "}",
                    among[] = HEAP
                    ", \"constraints\": [{\"type\": \"distance\", \"rope\": true, \"length\": 50, "
                    "\"between\": [{\"body\": \"bead\"}, {\"body\": \"world\", \"at\": [9, 0, 7]}]}]}";
  static const char *const integrators[] = {"/integrator=\"implicit\"", "/integrator=\"symplectic\""};
  for (size_t k = 0; k < 2; k++) {
    const char *const sets[] = {integrators[k], NULL};
    TestRun run = test_run(alone, sets), other = test_run(among, sets);
    cr_assert(mb_touch_apart(run.sim) && !mb_touch_apart(other.sim));
    size_t most = 0;
    for (int step = 0; step < 105; step++) { // how contacts share loads is open there, and it grows
      test_steps(run.sim, 1);
      test_steps(other.sim, 1);
      most = run.sim->touching->last.n > most ? run.sim->touching->last.n : most;
      for (size_t b = 1; b < 4; b++)
        for (int i = 0; i < 3; i++)
          cr_assert(fabs(run.sim->x.E[b].p[i] - other.sim->x.E[b].p[i]) < 1e-8,
                    "%s, step %d, body %zu: %.12g, %.12g", integrators[k], step, b, run.sim->x.E[b].p[i],
                    other.sim->x.E[b].p[i]);
      const double works[2] = {run.sim->touching->work, other.sim->touching->work};
      cr_assert(fabs(works[0] - works[1]) < 1e-7, "step %d: work %g, %g", step, works[0], works[1]);
    }
    cr_assert(most > 6);
    test_run_free(&run);
    test_run_free(&other);
  }
}
