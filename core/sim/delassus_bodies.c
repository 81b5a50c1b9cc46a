// W = F Fᵀ by bodies that nothing couples: A⁻¹ = C Cᵀ of each of them, F = G C.
#include "core/base/alloc.h"
#include "core/sim/delassus.h"
#include "core/sim/sim_internal.h"

#include <math.h>
#include <string.h>

bool mb_delassus_is_apart(const MbModel *model, size_t b) {
  if (b >= model->nlisted || model->joint[b].ops) return false;
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
  d->kept.is = false; // it was of the factors that stood there
  for (size_t k = 0; k < 6 && fine; k++) {
    for (size_t b = 0; b < model->nlisted; b++)
      if (!model->joint[b].ops) d->y[layout->velocity(model, b) + k] = 1;
    fine = sim->solver->passes ? sim->solver->passes->alone(sim->work, d->y)
                               : sim->solver->apply(sim->work, d->y, NULL, NULL);
    for (size_t b = 0; b < model->nlisted; b++)
      for (size_t i = 0; i < 6 && !model->joint[b].ops; i++)
        d->inverse[36 * b + 6 * i + k] = d->y[layout->velocity(model, b) + i];
    memset(d->y, 0, sim->nv * sizeof *d->y);
  }
  for (size_t b = 0; b < model->nlisted && fine; b++)
    if (!model->joint[b].ops) fine = factor_block(d->inverse + 36 * b);
  return fine;
}

void mb_delassus_row_factor(const MbSim *sim, MbDelassus *d, size_t i, size_t s, const size_t body[2]) {
  const MbLayout *layout = sim->solver->map->layout;
  const MbRowSet *set = d->set;
  double *F = d->factor + 12 * i;
  memset(F, 0, 12 * sizeof *F);
  for (size_t end = 0; end < 2; end++) {
    const size_t b = body[end];
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
  for (size_t i = 0; i < n; i++) mb_delassus_row_factor(sim, d, i, row[i], set->row[row[i]].body);
  *W = (MbContactOperator){.factor = d->factor, .slot = d->group, .nslots = sim->model->nb};
  return true;
}
