#include "tests/columns.h"
#include "core/base/alloc.h"
#include "tests/support.h"

#include <math.h>

double test_column_off(MbSim *sim, const MbContactProblem *problem, size_t i, double *own) {
  const MbConstraining *c = sim->constraining;
  double *y = mb_calloc(sim->width, sizeof *y), *column = mb_calloc(problem->n, sizeof *column), worst = 0;
  mb_row_spread(&c->set, c->slot[i], 1, y);
  cr_assert(sim->solver->apply(sim->work, y, NULL, NULL));
  mb_contact_column(&problem->W, problem->n, i, column);
  for (size_t j = 0; j < problem->n; j++) {
    const double off = fabs(column[j] - mb_row_rate(&c->set, c->slot[j], y));
    cr_assert(isfinite(off));
    worst = fmax(worst, off);
  }
  *own = column[i];
  mb_free(y), mb_free(column);
  return worst;
}

double test_columns_off(MbSim *sim, const MbContactProblem *problem) {
  double worst = 0, own;
  for (size_t i = 0; i < problem->n; i += 37) {
    const double off = test_column_off(sim, problem, i, &own);
    worst = fmax(worst, off / (own + 1e-300));
  }
  return worst;
}
