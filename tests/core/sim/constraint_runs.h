// What the tests of constraints in motion share.
#ifndef MB_TESTS_CONSTRAINT_RUNS_H
#define MB_TESTS_CONSTRAINT_RUNS_H

#include "core/base/alloc.h"
#include "tests/runs.h"

// A scene of scenes/redmax; `a` and `b` are what --set says, or NULL.
static inline TestRun load(const char *name, const char *a, const char *b) {
  const char *sets[] = {a, b, NULL};
  return test_run(name, sets);
}

static inline TestRun parse(const char *text) { return test_run(text, NULL); }

static inline void end(TestRun *run) {
  test_run_free(run);
  cr_assert_eq(mb_alloc_live(), 0);
}

static inline MbEnergy energy(const TestRun *run) { return mb_energy(run->model, &run->sim->x); }

typedef struct Drift {
  double position, velocity,
      energy; // worst errors of constraints; E at the end less that at the start, over the largest
} Drift;

static inline Drift drift_of(TestRun *run, int64_t steps) {
  Drift drift = {0};
  const double first = energy(run).total;
  double largest = 0;
  for (int64_t i = 0; i < steps; i++) {
    double error[2];
    test_steps(run->sim, 1);
    mb_constraint_errors(run->sim, error);
    const MbEnergy e = energy(run);
    drift.position = fmax(drift.position, error[0]);
    drift.velocity = fmax(drift.velocity, error[1]);
    largest = fmax(largest, fmax(e.kinetic, fabs(e.gravity)));
  }
  drift.energy = (energy(run).total - first) / largest;
  return drift;
}

#define RK45 "/integrator={\"type\": \"rk45\", \"relative\": 1e-9, \"absolute\": 1e-11}"

#endif
