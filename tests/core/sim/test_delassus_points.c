// W of contacts of deformables in a step's passes, which is not formed: its columns are what A⁻¹ makes of a push along one row.
#include "core/base/alloc.h"
#include "core/math/vec3.h"
#include "core/sim/constrain_internal.h"
#include "core/sim/touch.h"
#include "tests/columns.h"
#include "tests/runs.h"

#include <stdio.h>
#include <string.h>

// Two cloths that lie on one another and on a table, and a ball on them.
static void write_scene(char *text, size_t size, const char *pin) {
  static const char cloth[] =
      "{\"name\": \"%s\", \"type\": \"cloth\", \"mesh\": {\"grid\": [8, 8], \"size\": [0.6, 0.6], "
      "\"pattern\": "
      "\"cross\"}, \"pose\": {\"position\": [%g, 0, %g]}, \"material\": {\"model\": \"corotational\", "
      "\"young\": 50000, \"poisson\": 0.3, \"density\": 300, \"thickness\": 0.01, \"bending\": {}}%s}";
  size_t n = (size_t)snprintf(
      text, size,
      "{\"mbsim\": 1, \"solver\": {\"type\": \"projective\", \"iterations\": 4}, \"integrator\": "
      "\"implicit\", "
      "\"time\": {\"step\": 0.005, \"steps\": 2}, \"contact\": {\"friction\": 0.4, \"tolerance\": 1e-6}, "
      "\"bodies\": [{\"name\": \"table\", \"shape\": {\"type\": \"plane\"}, \"joint\": {\"type\": "
      "\"fixed\"}}, "
      "{\"name\": \"ball\", \"density\": 500, \"shape\": {\"type\": \"sphere\", \"radius\": 0.05}, \"pose\": "
      "{\"position\": [0.3, 0.3, 0.0701]}}], \"deformables\": [");
  n += (size_t)snprintf(text + n, size - n, cloth, "below", 0.0, 0.0051, pin);
  n += (size_t)snprintf(text + n, size - n, ", ");
  n += (size_t)snprintf(text + n, size - n, cloth, "above", 0.01, 0.0152, "");
  snprintf(text + n, size - n, "]}");
}

typedef struct Seen {
  MbSim *sim;
  size_t times, rows, weights, bodies, width;
  double worst;
} Seen;

static void see(void *context, const MbContactProblem *problem) {
  Seen *seen = context;
  const MbContactPoints *points = problem->W.points;
  if (!points) return;
  seen->times++, seen->rows = problem->n, seen->width = points->width;
  seen->weights = points->weights > seen->weights ? points->weights : seen->weights;
  seen->bodies += points->nslots;
  seen->worst = fmax(seen->worst, test_columns_off(seen->sim, problem));
}

Test(delassus_points_long, columns_are_what_a_push_along_a_row_does) {
  static const char *const pins[] = {"", ", \"pin\": [{\"select\": {\"side\": \"-x\"}, \"axes\": \"x\"}]"};
  static char text[4000];
  for (size_t k = 0; k < 2; k++) {
    write_scene(text, sizeof text, pins[k]);
    TestRun run = test_run(text, NULL);
    Seen seen = {.sim = run.sim};
    cr_assert(mb_touch_watch(run.sim, (MbTouchWatch){see, &seen}));
    test_steps(run.sim, 2);
    cr_expect_gt(seen.times, 3);
    cr_expect_gt(seen.rows, 600);
    cr_expect_gt(seen.weights, 0, "no iteration has learnt of the matrix");
    cr_expect_gt(seen.bodies, 0, "the ball does not touch");
    cr_expect_eq(seen.width, k ? 3 : 1);
    cr_expect_lt(seen.worst, 1e-10, "%g", seen.worst);
    test_run_free(&run);
  }
}

// W as a pass has it, beside one that is made from nothing, and how often it had been kept from the pass before.
typedef struct Beside {
  MbSim *sim;
  size_t times, kept, branches, bodies, differ;
} Beside;

// How many of some columns and of the rows' own numbers are others in two W.
static size_t differ(const MbContactPoints *a, const MbContactPoints *b, size_t n) {
  double *x = mb_calloc(n, sizeof *x), *y = mb_calloc(n, sizeof *y), own[2][9] = {{0}};
  size_t count = 0;
  for (size_t i = 0; i + 3 <= n; i += 3) {
    mb_points_own(a, i, 1, own[0]), mb_points_own(b, i, 1, own[1]);
    count += memcmp(own[0], own[1], sizeof own[0]) != 0;
    if (i % 39) continue;
    mb_points_column(a, n, i, x), mb_points_column(b, n, i, y);
    count += memcmp(x, y, n * sizeof *x) != 0;
  }
  mb_free(x), mb_free(y);
  return count;
}

// W as the step's is made now, beside one from nothing.
static size_t differ_now(MbSim *sim, size_t n) {
  MbConstraining *c = sim->constraining;
  MbDelassus made = {0};
  const MbContactOperator W = mb_delassus_of(sim, &made, &c->set, c->slot, n),
                          is = mb_delassus_of(sim, &c->delassus, &c->set, c->slot, n);
  cr_assert(W.points && is.points);
  const size_t count = differ(W.points, is.points, n);
  mb_delassus_free(&made);
  return count;
}

static void scale_row(MbSim *sim, size_t s, double by) {
  MbRowSet *set = &sim->constraining->set;
  for (size_t end = 0; end < 2; end++) mb_vec3_scale(set->row[s].H[end] + 3, by, set->row[s].H[end] + 3);
  mb_row_set_gather(sim, set, s, 1, sim->constraining->y);
}

static void see_beside(void *context, const MbContactProblem *problem) {
  enum { MARK = 12345 };
  Beside *seen = context;
  MbSim *sim = seen->sim;
  MbDelassus *d = &sim->constraining->delassus;
  const size_t n = problem->n, first = sim->constraining->slot[0];
  if (!problem->W.points) return;
  seen->times++;
  seen->branches += problem->W.points->branch != NULL, seen->bodies += problem->W.points->nslots > 0;
  seen->kept += d->pair[0] == MARK; // whoever makes it writes this
  seen->differ += differ_now(sim, n);
  if (seen->times == 2) { // a row that is another one within the step, and what it was
    scale_row(sim, first, 2), seen->differ += differ_now(sim, n);
    scale_row(sim, first, 0.5), seen->differ += differ_now(sim, n);
  }
  d->pair[0] = MARK;
}

Test(delassus_points, what_is_kept_from_pass_to_pass_is_what_would_be_made) {
  enum { STEPS = 2 };
  static const char *const methods[] = {"/solver/method=\"lbfgs\"", "/solver/method=\"projective\""},
                           *const balls[] = {"/bodies/1/density=500", "/bodies/1/pose/position/2=1"};
  static char text[4000];
  write_scene(text, sizeof text, "");
  for (size_t k = 0; k < 2; k++) {
    TestRun run = test_run(text, (const char *const[]){methods[k], balls[k], NULL});
    Beside seen = {.sim = run.sim};
    cr_assert(mb_touch_watch(run.sim, (MbTouchWatch){see_beside, &seen}));
    test_steps(run.sim, STEPS);
    cr_expect_gt(seen.branches, 0);
    cr_expect_eq(seen.bodies > 0, k == 0, "the ball");
    cr_expect_eq(seen.kept + STEPS, seen.times, "once a step of %zu solutions it is made, not %zu times",
                 seen.times, seen.times - seen.kept);
    cr_expect_eq(seen.differ, 0, "%zu parts of W are not what they should be", seen.differ);
    test_run_free(&run);
  }
}
