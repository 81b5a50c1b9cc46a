// Many rows on a tree of hinged bodies: W = G A⁻¹ Gᵀ of k rows, each between two bodies at random, by one sweep over the tree
// (solvers/redmax/responses.h), the factorisation included. Beside it in the same run k solutions of A x = Gᵀ one after the
// other, without the products with G that W takes of them. Microseconds of one processor's time, medians.
#include "core/base/alloc.h"
#include "core/sim/evaluate.h"
#include "tools/bench/bench.h"
#include "tools/bench/hinged.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TIMES = 15, MOST = 400 };

typedef struct Rows {
  MbModel *model;
  MbSim *sim;
  size_t k;
  MbRow row[MOST];
  const MbRow *picked[MOST];
  double *W, *x;
  bool failed;
} Rows;

typedef struct Times {
  double factor, whole, single; // one factorisation; with W; with k solutions
} Times;

static double uniform(uint64_t *seed) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) * 0x1p-52 - 1;
}

static void random_rows(Rows *r) {
  uint64_t seed = 7;
  for (size_t i = 0; i < r->k; i++) {
    r->row[i] = (MbRow){.body = {MB_WORLD, MB_WORLD}};
    r->picked[i] = &r->row[i];
    for (int end = 0; end < 2; end++) {
      r->row[i].body[end] = (size_t)((uniform(&seed) + 1) / 2 * (double)r->model->nb) % r->model->nb;
      for (int j = 0; j < 6; j++) r->row[i].H[end][j] = uniform(&seed);
    }
  }
}

// As where rows are made, before the factor.
static void carry(Rows *r) {
  for (size_t i = 0; i < r->k; i++)
    for (int end = 0; end < 2; end++)
      r->sim->solver->carry(r->sim->work, r->row[i].body[end], r->row[i].H[end], r->row[i].seen[end], r->x);
}

static bool prepare(Rows *r, Tree tree, size_t n, size_t k, MbSolverKind kind) {
  MbReport report = {0};
  const MbSolverSpec solver = {.kind = kind, .threads = 1, .dynamics = MB_RECURSIVE};
  *r = (Rows){.k = k, .model = hinged_make(tree, n, &solver)};
  if (!r->model || mb_sim_create(r->model, NULL, &r->sim, &report) != MB_OK) return false;
  r->W = mb_calloc(k * k, sizeof *r->W), r->x = mb_calloc(r->sim->nv, sizeof *r->x);
  if (!r->W || !r->x || !r->sim->solver->reserve(r->sim->work, k)) return false;
  random_rows(r);
  mb_sim_kinematics(r->sim, r->sim->state.q, r->sim->state.v);
  carry(r);
  return true;
}

static void drop(Rows *r) {
  mb_sim_free(r->sim);
  mb_model_free(r->model);
  mb_free(r->W);
  mb_free(r->x);
}

static void factor(Rows *r) {
  size_t blame = 0;
  r->failed |= !r->sim->solver->factor(r->sim->work, &r->sim->x, 0, 0, true, &blame);
}

static void at_once(Rows *r) {
  factor(r);
  r->failed |= !r->sim->solver->responses(r->sim->work, r->k, r->picked, r->W);
}

static void one_by_one(Rows *r) {
  const MbSolverOps *solver = r->sim->solver;
  factor(r);
  for (size_t i = 0; i < r->k; i++) {
    memset(r->x, 0, r->sim->nv * sizeof *r->x);
    for (int end = 0; end < 2; end++)
      solver->carry(r->sim->work, r->row[i].body[end], r->row[i].H[end], NULL, r->x);
    r->failed |= !solver->apply(r->sim->work, r->x, NULL, NULL);
  }
}

static double timed(Rows *r, void (*fn)(Rows *), int repeat) {
  double each[TIMES];
  fn(r);
  for (int t = 0; t < TIMES; t++) {
    const double start = mb_bench_cpu();
    for (int i = 0; i < repeat; i++) fn(r);
    each[t] = 1e6 * (mb_bench_cpu() - start) / repeat;
  }
  qsort(each, TIMES, sizeof *each, mb_bench_ascending);
  return each[TIMES / 2];
}

static Times measure(Tree tree, size_t n, size_t k, MbSolverKind kind) {
  static Rows r;
  Times t = {NAN, NAN, NAN};
  const int repeat = 1 + (int)(100000 / n / (1 + k / 50));
  if (prepare(&r, tree, n, k, kind)) {
    t = (Times){timed(&r, factor, repeat), timed(&r, at_once, repeat),
                timed(&r, one_by_one, 1 + repeat / 20)};
    printf("  %-12s %8zu %6zu %10.1f %10.1f %10.1f %8.1f %12.2f\n", tree_names[tree], n, k, t.factor, t.whole,
           t.single, t.single / t.whole, 1e3 * (t.whole - t.factor) / (double)(n * k));
  } else {
    fprintf(stderr, "no room\n");
  }
  if (r.failed) t = (Times){NAN, NAN, NAN};
  drop(&r);
  return t;
}

bool mb_bench_responses(void) {
  static const size_t ks[] = {25, 50, 100, 200, 400}, ns[] = {250, 500, 1000, 2000, 4000};
  enum { COUNT = sizeof ks / sizeof *ks };
  double most[2][2] = {{0}};
  bool met = true;
  for (int tree = CHAIN; tree <= BINARY; tree++) {
    printf("  %-12s %8s %6s %10s %10s %10s %8s %12s\n", "", "bodies", "rows", "factor", "with W",
           "one by one", "faster", "ns/body/row");
    double by_k[COUNT], by_n[COUNT];
    for (int i = 0; i < COUNT; i++)
      by_k[i] = measure((Tree)tree, tree == CHAIN ? 1000 : 1023, ks[i], MB_SOLVER_REDMAX).whole;
    for (int i = 0; i < COUNT; i++) by_n[i] = measure((Tree)tree, ns[i], 100, MB_SOLVER_REDMAX).whole;
    most[tree][0] = by_k[COUNT - 1] / by_k[0], most[tree][1] = by_n[COUNT - 1] / by_n[0];
    met &= mb_bench_target("100 rows", by_k[2] / 1e3, "ms", tree == CHAIN ? 0.26 : 0.17, false);
    // sixteen times as many
    met &= mb_bench_target("growth k", most[tree][0], "", 16, false);
    met &= mb_bench_target("growth n", most[tree][1], "", 16, false);
  }
  printf("  the same under solver `maximal`, about where the bodies are\n");
  measure(CHAIN, 1000, 100, MB_SOLVER_MAXIMAL);
  measure(BINARY, 1023, 100, MB_SOLVER_MAXIMAL);
  printf("  as many as in B96's example of auxiliary constraints\n");
  measure(CHAIN, 54, 12, MB_SOLVER_MAXIMAL);
  return met;
}
