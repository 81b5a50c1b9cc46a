// Where the solver goes through its tree with all rows together, W comes at once; else a column is one application of A⁻¹, which
// methods that need few of them ask for as they go.
#include "core/sim/delassus.h"
#include "core/base/alloc.h"
#include "core/base/targets.h"
#include "core/sim/sim_internal.h"

#include <math.h>
#include <string.h>

enum {
  MANY = 600,         // rows of which W is not formed where it need not be
  MOST_AT_ONCE = 2000 // rows of which all of W is kept
};

bool mb_delassus_reserve(MbSim *sim, MbDelassus *d, size_t n) {
  if (!d->y) d->y = mb_calloc(sim->width, sizeof *d->y);
  if (!d->column && !sim->solver->passes)
    d->column = mb_calloc(MB_DELASSUS_FEW * sim->width, sizeof *d->column);
  if (!d->y || !(d->column || sim->solver->passes)) return false;
  if (!sim->solver->responses || n <= d->rows || n > MOST_AT_ONCE) return true;
  if (!mb_grow(&d->picked, &d->npicked, n, sizeof *d->picked)) return false;
  if (!mb_grow(&d->W, &d->room, n * n, sizeof *d->W)) return false;
  if (!sim->solver->reserve(sim->work, n)) return false;
  d->rows = n;
  return true;
}

void mb_delassus_free(MbDelassus *d) {
  mb_free(d->W);
  mb_free(d->inverse);
  mb_free(d->factor);
  mb_free(d->group);
  mb_free(d->y);
  mb_free(d->column);
  mb_free(d->picked);
  mb_delassus_points_free(d);
  mb_trees_free(&d->trees);
  *d = (MbDelassus){0};
}

size_t mb_delassus_bytes(const MbSim *sim, const MbDelassus *d) {
  const size_t blocks = d->inverse ? 36 * sim->model->nb : 0;
  return (d->room + (d->y ? sim->width : 0) + (d->column ? MB_DELASSUS_FEW * sim->width : 0) + blocks +
          d->factor_room) *
             sizeof(double) +
         d->npicked * sizeof *d->picked + d->group_room * sizeof *d->group + mb_delassus_points_bytes(d) +
         mb_trees_bytes(sim, &d->trees);
}

// out ← G A⁻¹ Gᵀ e_i
static void column(void *context, size_t i, double *out) {
  MbDelassus *d = context;
  const bool keeps = d->column && d->n <= MB_DELASSUS_FEW;
  const size_t width = mb_row_width(d->sim, d->set);
  double *y = keeps ? d->column + i * d->sim->width : d->y;
  if (keeps) memset(y, 0, width * sizeof *y);
  mb_row_spread(d->set, d->row[i], 1, y);
  d->unsolved |= !d->sim->solver->apply(d->sim->work, y, NULL, NULL);
  for (size_t j = 0; j < d->n; j++) out[j] = mb_row_rate(d->set, d->row[j], y);
  if (keeps)
    d->made[i] = true;
  else
    memset(y, 0, width * sizeof *y);
}

bool mb_delassus_move(const MbDelassus *d, size_t n, const double *lambda, size_t width, double *v) {
  if (n > MB_DELASSUS_FEW) return false;
  for (size_t i = 0; i < n; i++)
    if (lambda[i] != 0 && !d->made[i]) return false;
  for (size_t i = 0; i < n; i++) {
    const double *y = d->column + i * d->sim->width;
    const double by = lambda[i];
    if (by == 0) continue;
    MB_SIMD
    for (size_t k = 0; k < width; k++) v[k] += by * y[k];
  }
  return true;
}

MbContactOperator mb_delassus_of(MbSim *sim, MbDelassus *d, const MbRowSet *set, const size_t *row,
                                 size_t n) {
  d->sim = sim, d->set = set, d->row = row, d->n = n;
  d->unsolved = d->no_memory = false;
  bool at_once = n > MB_DELASSUS_FEW && sim->solver->responses && n <= MOST_AT_ONCE;
  for (size_t i = 0; at_once && i < n; i++) at_once = set->is[row[i]].two_bodies;
  const bool unformed = !at_once || n > MANY || mb_delassus_has_branches(sim);
  if (n > MB_DELASSUS_FEW && unformed && mb_delassus_points(sim, d, set, row, n))
    return (MbContactOperator){.points = &d->points};
  if (at_once && n > d->rows) at_once = mb_delassus_reserve(sim, d, n);
  for (size_t i = 0; at_once && i < n; i++) d->picked[i] = &set->row[row[i]];
  at_once = at_once && sim->solver->responses(sim->work, n, d->picked, d->W);
  return (MbContactOperator){.dense = at_once ? d->W : NULL, .column = column, .context = d};
}
