// Numbers that open rows which nothing can close (sensitivity_opened.c) under solver "maximal", where joints are rows, too. With y what combines rows of constraints without a pivot to nothing along what
// joints leave free,  Gᵀ y = −Jᵀ y_J,  so that joints' rows have their part in it: y_J is what joints push where y pushes at the bodies, which do not move by both. What no motion meets of a number's
// changes is  y · ∂r/∂p + y_J · ∂r_J/∂p.
#include "core/sim/sensitivity_held.h"
#include "core/sim/sensitivity_opened.h"

#include <string.h>

// held->zeta ← what joints push where rows push by y; false: A has no inverse.
static bool push(MbSensitivity *g, const double *y) {
  MbHeldBack *held = g->held;
  const MbHeldRows *r = held->rows;
  MbSim *sim = g->probe;
  const double h = r->scale;
  memset(r->y, 0, sim->nv * sizeof *r->y);
  for (size_t i = 0; i < r->n; i++)
    if (r->row[i].tied != SIZE_MAX)
      mb_row_spread(&sim->constraining->set, r->row[i].slot, h * y[r->row[i].tied], r->y);
  memset(held->none, 0, held->nclaimed * sizeof *held->none);
  if (!sim->solver->apply(sim->work, r->y, held->none, held->zeta)) return false;
  for (size_t i = 0; i < held->nclaimed; i++) held->zeta[i] /= h;
  return true;
}

// What a number changes that no motion meets.
static double left_of(MbSensitivity *g, size_t k, const double *y, const double *q0) {
  const MbHeldRows *r = g->held->rows;
  double joints = 0, sum = 0;
  if (!mb_held_joints_asked(g, k, q0, &joints)) return 0;
  for (size_t i = 0; i < r->n; i++)
    if (r->row[i].tied != SIZE_MAX && y[r->row[i].tied] != 0)
      sum += y[r->row[i].tied] * mb_held_row_asked(g, k, i);
  return sum + joints / (2 * g->number[k].move);
}

void mb_held_opens(MbSensitivity *g, const double *q0) {
  MbHeldRows *r = g->held->rows;
  for (size_t d = r ? r->S.rank : 0; r && d < r->ntied; d++) {
    mb_ranked_null(&r->S, d, r->asked);
    if (!push(g, r->asked)) return;
    for (size_t i = 0; i < r->n; i++)
      for (size_t k = 0; k < g->count && r->row[i].tied == r->S.column[d]; k++)
        mb_slope_opens(g, &g->slopes[k], g->probe, r->row[i].slot, left_of(g, k, r->asked, q0));
  }
}
