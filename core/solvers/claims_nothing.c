// Solvers that claim no rows.
#include "core/model/ops.h"

static MbClaimedRows rows(const MbSolverWork *work) {
  (void)work;
  return (MbClaimedRows){0};
}
static size_t row_of(const MbSolverWork *work, size_t i) {
  (void)work, (void)i;
  return MB_WORLD;
}
static const char *holder(const MbSolverWork *work, size_t b) {
  (void)work, (void)b;
  return NULL;
}
static size_t body_of(const MbSolverWork *work, size_t r) {
  (void)work, (void)r;
  return MB_WORLD;
}
static void speeds(const MbSolverWork *work, const double *v, double *rate) {
  (void)work, (void)v, (void)rate;
}
static const double *bends(MbSolverWork *work) {
  (void)work;
  return NULL;
}

// Rounding of G is some 1e-15 of H, and W takes its square.
const MbClaimOps mb_claims_nothing = {.rows = rows,
                                      .row_of = row_of,
                                      .holder = holder,
                                      .body_of = body_of,
                                      .speeds = speeds,
                                      .bends = bends,
                                      .nothing = 1e-22};
