// Trees of joints: forward dynamics and whole steps, in nanoseconds a body of one processor's time. Each number is the median
// over processes started for it of the median over repetitions in them. Side by side in the same run: the recursion for one
// instance and for eight in lockstep, whole steps with poses, the same accelerations by the solver's separate parts (as
// implicit steps take them), and the dense solver.
#include "core/base/alloc.h"
#include "core/sim/evaluate.h"
#include "core/solvers/redmax/recursion.h"
#include "core/solvers/solvers.h"
#include "tools/bench/bench.h"
#include "tools/bench/hinged.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static MbModel *tree_of(Tree tree, size_t n, MbDynamics dynamics) {
  const MbSolverSpec solver = {.kind = MB_SOLVER_REDMAX, .threads = 1, .dynamics = dynamics};
  return hinged_make(tree, n, &solver);
}

// ---- what is timed ----------------------------------------------------------------------------------------

typedef struct Case {
  const MbModel *model;
  MbSim *sim;
  bool failed;
  const MbLanes *lanes;
  MbLinks links;
  MbRecursion *work;
  double *q, *v, *y; // (n x lanes)
} Case;

typedef void (*Timed)(Case *);

static void one_acceleration(Case *c) {
  size_t blame = 0;
  memset(c->y, 0, c->model->nv * c->lanes->lanes * sizeof *c->y);
  c->lanes->forward(c->work, c->q, c->v, NULL, NULL);
  c->lanes->accelerate(c->work, NULL, NULL, c->y, &blame);
}

static void one_step(Case *c) {
  static MbReport report; // large: not to be cleared each time
  c->failed |= mb_sim_step(c->sim, &report) != MB_OK;
}

static void by_parts(Case *c) {
  size_t blame = 0;
  MbSim *sim = c->sim;
  mb_sim_kinematics(sim, sim->state.q, sim->state.v);
  mb_sim_forces(sim, 0, false);
  if (!sim->solver->factor(sim->work, &sim->x, 0, 0, true, &blame)) return;
  mb_sim_gather(sim, sim->state.q, sim->state.v, sim->r);
  sim->solver->apply(sim->work, sim->r, NULL, NULL);
}

static bool prepare(Case *c, size_t lanes, bool simulation) {
  MbReport report = {0};
  if (simulation) return mb_sim_create(c->model, NULL, &c->sim, &report) == MB_OK;
  c->lanes = mb_lanes_for(lanes);
  const size_t nq = c->model->nq, nv = c->model->nv;
  c->q = aligned_alloc(64, (nq * lanes + 8) / 8 * 64), c->v = aligned_alloc(64, (nv * lanes + 8) / 8 * 64);
  c->y = aligned_alloc(64, (nv * lanes + 8) / 8 * 64);
  if (!c->q || !c->v || !c->y || !mb_links_create(c->model, &c->links)) return false;
  for (size_t k = 0; k < lanes; k++) {
    for (size_t i = 0; i < nq; i++) c->q[i * lanes + k] = c->model->q0[i];
    for (size_t i = 0; i < nv; i++) c->v[i * lanes + k] = c->model->v0[i];
  }
  const MbLinks *each[8] = {0};
  for (size_t k = 0; k < lanes; k++) each[k] = &c->links;
  c->work = c->lanes->create(each);
  return c->work != NULL;
}

static double median(double *x, int n) {
  qsort(x, (size_t)n, sizeof *x, mb_bench_ascending);
  return x[n / 2];
}

// Nanoseconds a body and instance, in this process.
static double measure(const MbModel *model, Timed fn, size_t lanes) {
  enum { TIMES = 21 };
  Case c = {.model = model};
  double each[TIMES];
  if (!prepare(&c, lanes, fn != one_acceleration)) return NAN;
  const size_t work = model->nb * lanes, repeat = 1 + (fn == one_acceleration ? 40000 : 20000) / work;
  fn(&c);
  for (int i = 0; i < TIMES; i++) {
    const double start = mb_bench_cpu();
    for (size_t k = 0; k < repeat; k++) fn(&c);
    each[i] = (mb_bench_cpu() - start) * 1e9 / (double)(repeat * work);
  }
  return c.failed ? NAN : median(each, TIMES);
}

// The median over processes.
static double timed(const MbModel *model, Timed fn, size_t lanes) {
  enum { PROCESSES = 11, FEW = 3 };
  double each[PROCESSES];
  const int processes = model->nb > 20000 ? FEW : PROCESSES;
  for (int i = 0; i < processes; i++) {
    int ends[2];
    each[i] = NAN;
    fflush(stdout);
    if (pipe(ends) != 0) return NAN;
    const pid_t child = fork();
    if (child == 0) {
      const double ns = measure(model, fn, lanes);
      _exit(write(ends[1], &ns, sizeof ns) == (ssize_t)sizeof ns ? 0 : 1);
    }
    close(ends[1]);
    if (child < 0 || read(ends[0], &each[i], sizeof each[i]) != (ssize_t)sizeof each[i]) each[i] = NAN;
    close(ends[0]);
    if (child > 0) waitpid(child, NULL, 0);
  }
  return median(each, processes);
}

// ---- tables -----------------------------------------------------------------------------------------------

static bool table(void) {
  static const size_t sizes[] = {10, 100, 1000, 10000, 100000, 1000000};
  bool met = true;
  printf("  %-12s %8s %10s %10s %10s %10s\n", "", "bodies", "forward", "8 lanes", "step", "by parts");
  for (int tree = CHAIN; tree <= BINARY; tree++) {
    double steps[6], forward[6], lanes[6];
    for (int k = 0; k < 6; k++) {
      MbModel *model = tree_of((Tree)tree, sizes[k], MB_RECURSIVE);
      if (!model) return false;
      const bool small = sizes[k] <= 100000;
      forward[k] = timed(model, one_acceleration, 1);
      lanes[k] = small ? timed(model, one_acceleration, 8) : NAN;
      steps[k] = timed(model, one_step, 1);
      printf("  %-12s %8zu %10.1f %10.1f %10.1f %10.1f\n", tree_names[tree], sizes[k], forward[k], lanes[k],
             steps[k], small ? timed(model, by_parts, 1) : NAN);
      mb_model_free(model);
    }
    met &= mb_bench_target("forward", median((double[]){forward[0], forward[1], forward[2]}, 3), "ns", 75,
                           false);
    met &= mb_bench_target("8 lanes", lanes[1], "ns", 20, false);
    double least = steps[0], most = steps[0];
    for (int k = 1; k < 6; k++) least = fmin(least, steps[k]), most = fmax(most, steps[k]);
    met &= mb_bench_target("step", most, "ns", 100, false);
    met &= mb_bench_target("growth", 100 * (steps[5] / steps[0] - 1), "%", 15,
                           false); // from 10 bodies to a million
    printf("    %-12s %9.2f %%  slowest size over fastest\n", "spread", 100 * (most / least - 1));
  }
  return met;
}

static bool person(void) {
  MbModel *model = tree_of(HUMANOID, HUMANOID_BODIES, MB_RECURSIVE);
  if (!model) return false;
  const double n = HUMANOID_BODIES / 1000.0, forward = n * timed(model, one_acceleration, 1);
  printf("  humanoid of %d bodies and %zu degrees of freedom, in microseconds: forward %.2f, 8 lanes %.2f, "
         "step %.2f\n",
         HUMANOID_BODIES, model->nv, forward, n * timed(model, one_acceleration, 8),
         n * timed(model, one_step, 1));
  mb_model_free(model);
  return mb_bench_target("forward", forward, "us", 2.2, false);
}

static bool crossover(void) {
  static const size_t sizes[] = {1, 2, 4, 8, 16, 32, 64, 128};
  printf("  chain, a step by the recursion and by the dense solver, in ns a body\n");
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
    double ns[2];
    for (int dense = 0; dense < 2; dense++) {
      MbModel *model = tree_of(CHAIN, sizes[k], dense ? MB_DENSE : MB_RECURSIVE);
      if (!model) return false;
      ns[dense] = timed(model, one_step, 1);
      mb_model_free(model);
    }
    printf("  %8zu bodies %10.1f %10.1f   dense / recursive %6.2f\n", sizes[k], ns[0], ns[1], ns[1] / ns[0]);
  }
  return true;
}

bool mb_bench_tree(void) {
  printf("  recursion compiled for: %s, %s\n", mb_lanes_for(1)->name, mb_lanes_for(8)->name);
  const bool trees = table(), body = person(), small = crossover();
  return trees && body && small;
}
