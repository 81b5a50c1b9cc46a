// Where the solver goes through its tree with all rows together, W comes at once; else a column is one application of A⁻¹, which
// methods that need few of them ask for as they go.
#include "core/sim/delassus.h"
#include "core/base/alloc.h"
#include "core/sim/sim_internal.h"

#include <math.h>
#include <string.h>

enum {
  FEW = 3,            // rows whose columns are made one by one
  MOST_AT_ONCE = 2000 // rows of which all of W is kept
};

bool mb_delassus_reserve(MbSim *sim, MbDelassus *d, size_t n) {
  if (!d->y) d->y = mb_calloc(sim->width, sizeof *d->y);
  if (!d->y) return false;
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
  mb_free(d->picked);
  *d = (MbDelassus){0};
}

size_t mb_delassus_bytes(const MbSim *sim, const MbDelassus *d) {
  const size_t blocks = d->inverse ? 36 * sim->model->nb : 0;
  return (d->room + (d->y ? sim->width : 0) + blocks + d->factor_room) * sizeof(double) +
         d->npicked * sizeof *d->picked + d->group_room * sizeof *d->group;
}

// out ← G A⁻¹ Gᵀ e_i
static void column(void *context, size_t i, double *out) {
  MbDelassus *d = context;
  double ignored = 0;
  mb_row_spread(d->set, d->row[i], 1, d->y);
  d->unsolved |= !d->sim->solver->apply(d->sim->work, d->y, NULL, NULL);
  for (size_t j = 0; j < d->n; j++) out[j] = mb_row_rate(d->set, d->row[j], d->y, &ignored);
  memset(d->y, 0, mb_row_width(d->sim, d->set) * sizeof *d->y);
}

MbContactOperator mb_delassus_of(MbSim *sim, MbDelassus *d, const MbRowSet *set, const size_t *row,
                                 size_t n) {
  d->sim = sim, d->set = set, d->row = row, d->n = n;
  d->unsolved = false;
  bool at_once = n >= FEW && sim->solver->responses && n <= MOST_AT_ONCE;
  if (at_once && n > d->rows) at_once = mb_delassus_reserve(sim, d, n);
  for (size_t i = 0; at_once && i < n; i++) {
    d->picked[i] = &set->row[row[i]];
    at_once = set->is[row[i]].two_bodies;
  }
  at_once = at_once && sim->solver->responses(sim->work, n, d->picked, d->W);
  return (MbContactOperator){.dense = at_once ? d->W : NULL, .column = column, .context = d};
}

// ---- bodies that nothing couples --------------------------------------------------------------------------

bool mb_delassus_is_apart(const MbModel *model, size_t b) {
  if (model->joint[b].ops || b >= model->nlisted) return false;
  return b + 1 >= model->nb || model->parent[b + 1] != b; // it carries no tree
}

// Whether all that moves the row's bodies is six velocities of their own each.
static bool is_apart(const MbSim *sim, const MbRowSet *set, size_t s) {
  const MbRow *row = &set->row[s];
  if (!set->is[s].two_bodies || row->c[0] != 0 || row->c[1] != 0) return false;
  for (int end = 0; end < 2; end++)
    if (row->body[end] != MB_WORLD && !mb_delassus_is_apart(sim->model, row->body[end])) return false;
  return true;
}

// A ← its lower factor. False: it is not definite.
static bool factor_block(double A[36]) {
  for (int i = 0; i < 6; i++)
    for (int j = 0; j <= i; j++) {
      double sum = A[6 * i + j];
      for (int k = 0; k < j; k++) sum -= A[6 * i + k] * A[6 * j + k];
      if (i == j && !(sum > 0)) return false;
      A[6 * i + j] = i == j ? sqrt(sum) : sum / A[7 * j];
    }
  return true;
}

// A⁻¹ of every body from its six columns, of all bodies at once; then its factor.
bool mb_delassus_inverses(MbSim *sim, MbDelassus *d) {
  const MbModel *model = sim->model;
  const MbLayout *layout = sim->solver->map->layout;
  bool fine = true;
  for (size_t k = 0; k < 6 && fine; k++) {
    for (size_t b = 0; b < model->nlisted; b++)
      if (!model->joint[b].ops) d->y[layout->velocity(model, b) + k] = 1;
    fine = sim->solver->apply(sim->work, d->y, NULL, NULL);
    for (size_t b = 0; b < model->nlisted; b++)
      for (size_t i = 0; i < 6 && !model->joint[b].ops; i++)
        d->inverse[36 * b + 6 * i + k] = d->y[layout->velocity(model, b) + i];
    memset(d->y, 0, sim->nv * sizeof *d->y);
  }
  for (size_t b = 0; b < model->nlisted && fine; b++)
    if (!model->joint[b].ops) fine = factor_block(d->inverse + 36 * b);
  return fine;
}

// F of one row: G C of each of its two bodies.
static void fill_factor(const MbSim *sim, MbDelassus *d, size_t i, size_t s) {
  const MbLayout *layout = sim->solver->map->layout;
  const MbRowSet *set = d->set;
  double *F = d->factor + 12 * i;
  memset(F, 0, 12 * sizeof *F);
  for (size_t end = 0; end < 2; end++) {
    const size_t b = set->row[s].body[end];
    d->group[2 * i + end] = b == MB_WORLD ? MB_NO_SLOT : (uint32_t)b;
    if (b == MB_WORLD) continue;
    const size_t begin = layout->velocity(sim->model, b);
    const double *C = d->inverse + 36 * b;
    for (size_t e = set->first[s]; e < set->first[s + 1]; e++) {
      if (set->index[e] < begin || set->index[e] >= begin + 6) continue;
      const size_t r = set->index[e] - begin;
      for (size_t k = 0; k <= r; k++) F[6 * end + k] += set->G[e] * C[6 * r + k];
    }
  }
}

bool mb_delassus_reserve_factors(MbSim *sim, MbDelassus *d, size_t n) {
  if (!d->inverse) d->inverse = mb_calloc(36 * sim->model->nb, sizeof *d->inverse);
  if (!d->y) d->y = mb_calloc(sim->width, sizeof *d->y);
  return d->inverse && d->y && mb_grow(&d->factor, &d->factor_room, 12 * n, sizeof *d->factor) &&
         mb_grow(&d->group, &d->group_room, 2 * n, sizeof *d->group);
}

bool mb_delassus_by_bodies(MbSim *sim, MbDelassus *d, const MbRowSet *set, const size_t *row, size_t n,
                           MbContactOperator *W) {
  d->sim = sim, d->set = set, d->row = row, d->n = n;
  d->unsolved = d->no_memory = false;
  if (sim->model->npairs || sim->model->nfollowers) return false;
  for (size_t i = 0; i < n; i++)
    if (!is_apart(sim, set, row[i])) return false;
  d->no_memory = !mb_delassus_reserve_factors(sim, d, n);
  if (d->no_memory || !mb_delassus_inverses(sim, d)) return false;
  for (size_t i = 0; i < n; i++) fill_factor(sim, d, i, row[i]);
  *W = (MbContactOperator){.factor = d->factor, .slot = d->group, .nslots = sim->model->nb};
  return true;
}
