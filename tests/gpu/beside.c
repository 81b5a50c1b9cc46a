#include "tests/gpu/beside.h"
#include "core/sim/nodes.h"
#include "core/sim/sections.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double NEAR = 1e-10;

MbSim *beside_on(const MbEngine *engine, const TestRun *run) {
  MbReport report = {0};
  MbSim *sim = NULL;
  const char *why = mb_engine_refuses(engine, run->model);
  cr_assert_null(why, "%s", why);
  test_ok(mb_sim_create(run->model, &(MbSimOptions){.engine = engine}, &sim, &report), &report);
  return sim;
}

const MbEngine *beside_engine(int k) {
  bool there = false;
  if (k == 1) (void)mb_engine_text(mb_engine_cuda(), &there);
  return k == 0 ? &mb_loops_engine : k == 1 && there ? mb_engine_cuda() : NULL;
}

double beside_extent(const double *q, size_t n) {
  double most = 0;
  for (size_t i = 0; i < 3 * n; i++) most = fmax(most, fabs(q[i] - q[i % 3]));
  return most;
}

typedef struct Apart {
  const char *what;
  int step;
  double worst;
} Apart;

static void look(Apart *apart, const char *of, const double *a, const double *b, size_t n, double by) {
  for (size_t i = 0; i < n; i++) {
    const double d = fabs(a[i] - b[i]) * by;
    if (!(d <= apart->worst)) apart->worst = d;
    cr_assert(d <= NEAR, "%s, step %d: number %zu of %s is %.17g, by the other %.17g", apart->what,
              apart->step, i, of, a[i], b[i]);
  }
}

static void look_at(Apart *apart, MbSim *own, MbSim *there) {
  const size_t n = 3 * mb_model_points(own->model);
  const double *a = mb_section(own, MB_SECTION_NODES), *b = mb_section(there, MB_SECTION_NODES);
  const double whole = beside_extent(a, n / 3), h = own->model->h;
  look(apart, "places", a, b, n, 1 / whole);
  look(apart, "velocities", a + n, b + n, n, h / whole);
  look(apart, "coordinates", own->state.q, there->state.q, own->nq, 1 / whole);
  look(apart, "rates", own->state.v, there->state.v, own->nv, h / whole);
  const double *told[] = {mb_section(own, MB_SECTION_SOLUTION), mb_section(there, MB_SECTION_SOLUTION)};
  cr_expect_eq(told[0][MB_NODES_ITERATIONS], told[1][MB_NODES_ITERATIONS],
               "%s, step %d: %g iterations, by the other %g", apart->what, apart->step,
               told[0][MB_NODES_ITERATIONS], told[1][MB_NODES_ITERATIONS]);
}

// Iterations that contacts have taken.
static double solved(const MbSim *sim) {
  return sim->model->contacts.any ? mb_section(sim, MB_SECTION_TOLD)[MB_SOLVED_ITERATIONS] : 0;
}

static void compare_by(const MbEngine *engine, const char *what, const char *from, const char *const *sets,
                       int earlier, int steps) {
  TestRun run = test_run(from, sets);
  MbSim *own = run.sim, *there = beside_on(engine, &run);
  MbReport report = {0};
  Apart apart = {.what = what};
  test_steps(own, earlier);
  const double before = solved(own);
  for (int k = 0; k < steps; k++) {
    const size_t size = mb_sim_checkpoint_size(own);
    void *state = malloc(size);
    mb_sim_checkpoint(own, state);
    test_ok(mb_sim_restore(there, state, size, &report), &report);
    free(state);
    test_steps(own, 1);
    test_steps(there, 1);
    apart.step = k + 1;
    look_at(&apart, own, there);
  }
  if (run.model->contacts.any) cr_expect_gt(solved(own), before, "%s: nothing touches", what);
  mb_sim_free(there);
  test_run_free(&run);
  printf("  %-50s %-5s %.1e\n", what, mb_engine_name(engine), apart.worst);
}

void beside_compare(const char *what, const char *from, const char *const *sets, int earlier, int steps) {
  for (int k = 0; beside_engine(k); k++) compare_by(beside_engine(k), what, from, sets, earlier, steps);
}
