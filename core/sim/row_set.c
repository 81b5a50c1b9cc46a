// The set of rows: which there are, and how they are laid out as rows of the solver's velocities, G = H J + c, of which only the
// velocities between a row's bodies and the world are kept. The constraints' rows are listed once. Those of sources are listed anew for
// every step, behind them, in the sources' order.
#include "core/sim/row_set.h"
#include "core/base/alloc.h"
#include "core/base/targets.h"
#include "core/math/four.h"
#include "core/model/coordinates.h"
#include "core/sim/sim_internal.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

// ---- room -------------------------------------------------------------------------------------------------

// Things of one count, which have the same room.
static bool grow_row(MbRowSet *set, size_t n) {
  size_t row = set->room, is = row, first = row, end = row;
  if (n <= row) return true;
  const bool fine = mb_grow(&set->row, &row, n, sizeof *set->row) &&
                    mb_grow(&set->is, &is, n, sizeof *set->is) &&
                    mb_grow(&set->first, &first, n + 1, sizeof *set->first) &&
                    mb_grow(&set->end, &end, n + 1, sizeof *set->end);
  if (fine) set->room = row;
  return fine;
}

static bool grow_entries(MbRowSet *set, size_t n) {
  size_t index = set->entries, G = index, beside = index;
  const bool fine = mb_grow(&set->index, &index, n, sizeof *set->index) &&
                    mb_grow(&set->G, &G, n, sizeof *set->G) &&
                    (!set->three || mb_grow(&set->beside, &beside, n, 2 * sizeof *set->beside));
  if (fine) set->entries = index;
  return fine;
}

void mb_row_set_free(MbRowSet *set) {
  mb_free(set->row);
  mb_free(set->is);
  mb_free(set->first);
  mb_free(set->index);
  mb_free(set->G);
  mb_free(set->beside);
  mb_free(set->end);
  mb_free(set->ends);
  mb_free(set->mark);
  mb_free(set->node);
  mb_free(set->three);
  *set = (MbRowSet){0};
}

size_t mb_row_set_bytes(const MbSim *sim, const MbRowSet *set) {
  return set->room * (sizeof *set->row + sizeof *set->is + 2 * sizeof *set->first) +
         set->entries * (sizeof *set->index + (set->beside ? 3 : 1) * sizeof *set->G) +
         set->most_ends * sizeof *set->ends + sim->width * sizeof *set->mark +
         set->most_nodes * sizeof *set->node + (set->three ? 4 * sim->width * sizeof *set->three : 0);
}

// ---- which there are --------------------------------------------------------------------------------------

// The first of the velocities that move a body or a node by themselves, and how many; *body ← what carries it further, MB_WORLD: nothing.
static size_t moved_by(const MbSim *sim, size_t *body, size_t *count) {
  const size_t nb = sim->model->nb, b = *body;
  if (b < nb) return sim->solver->map->layout->moved_by(sim->model, body, count);
  *body = MB_WORLD;
  *count = 3;
  return sim->nv + 3 * (b - nb);
}

// How many velocities move these bodies, those of two of them twice.
static size_t most_velocities(const MbSim *sim, const size_t *body, size_t nbodies) {
  size_t n = 0;
  for (size_t k = 0; k < nbodies; k++)
    for (size_t b = body[k], count; b != MB_WORLD; n += count) moved_by(sim, &b, &count);
  return n;
}

// The velocities that move any of these bodies, each once, behind those that the row has already.
static size_t lay_out(const MbSim *sim, MbRowSet *set, const size_t *body, size_t nbodies, size_t *index) {
  size_t n = 0;
  for (size_t k = 0; k < nbodies; k++)
    for (size_t b = body[k], count; b != MB_WORLD;)
      for (size_t v = moved_by(sim, &b, &count), end = v + count; v < end; v++) {
        if (set->mark[v]) continue;
        set->mark[v] = true;
        index[n++] = v;
      }
  return n;
}

// A row with velocities of its own and those of these bodies, of which the last `further` are ends beside the two that it names.
static MbRowTerms *add(const MbSim *sim, MbRowSet *set, const size_t *own, size_t nown, const size_t *body,
                       size_t nbodies, size_t further, const MbRowTerms *terms) {
  const size_t s = set->n;
  if (!grow_row(set, s + 1)) return NULL;
  if (s == 0) set->first[0] = set->end[0] = 0;
  if (!grow_entries(set, set->first[s] + nown + most_velocities(sim, body, nbodies)) ||
      !mb_grow(&set->ends, &set->most_ends, set->end[s] + further, sizeof *set->ends))
    return NULL;
  size_t *index = set->index + set->first[s];
  if (nown) memcpy(index, own, nown * sizeof *own);
  const size_t n = nown + lay_out(sim, set, body, nbodies, index + nown);
  for (size_t k = 0; k < n; k++) set->mark[index[k]] = false;
  for (size_t k = 0; k < further; k++) set->ends[set->end[s] + k].body = body[nbodies - further + k];
  set->first[s + 1] = set->first[s] + n;
  set->end[s + 1] = set->end[s] + further;
  mb_rows_clear(&set->row[s], 1);
  set->is[s] = *terms;
  set->is[s].nodes = terms->anew;
  set->anew |= terms->anew;
  for (size_t k = 0; k < nbodies; k++) {
    if (body[k] == MB_WORLD || body[k] < sim->model->nb) continue;
    if (!mb_grow(&set->node, &set->most_nodes, set->nnodes + 1, sizeof *set->node)) return NULL;
    set->node[set->nnodes++] = (uint32_t)(body[k] - sim->model->nb);
    set->is[s].nodes = true;
  }
  set->n = s + 1;
  return &set->is[s];
}

MbRowTerms *mb_row_set_add(const MbSim *sim, MbRowSet *set, const size_t *body, size_t nbodies,
                           const MbRowTerms *terms) {
  return add(sim, set, NULL, 0, body, nbodies, nbodies > 2 ? nbodies - 2 : 0, terms);
}

MbRowTerms *mb_row_set_add_beside(MbRowSet *set, const MbRowTerms *terms) {
  const size_t s = set->n, first = set->first[s - 1], n = set->first[s] - first, end = set->end[s - 1],
               further = set->end[s] - end;
  if (!grow_row(set, s + 1) || !grow_entries(set, set->first[s] + n) ||
      !mb_grow(&set->ends, &set->most_ends, set->end[s] + further, sizeof *set->ends))
    return NULL;
  memcpy(set->index + set->first[s], set->index + first, n * sizeof *set->index);
  for (size_t k = 0; k < further; k++) set->ends[set->end[s] + k] = set->ends[end + k];
  set->first[s + 1] = set->first[s] + n;
  set->end[s + 1] = set->end[s] + further;
  mb_rows_clear(&set->row[s], 1);
  set->is[s] = *terms;
  set->is[s].nodes = set->is[s - 1].nodes;
  set->n = s + 1;
  return &set->is[s];
}

// The rows of one constraint. Where the model's coordinates follow from the solver's, a row about coordinates is about the bodies that
// their joints join.
static bool list_constraint(const MbSim *sim, MbRowSet *set, const MbConstraint *constraint) {
  enum { MOST = 2 * MB_ROWS };
  const MbModel *model = sim->model;
  const bool follows = sim->solver->map->turns;
  const size_t ncoordinates = constraint->ops->coordinates;
  const size_t number = (size_t)(constraint - model->constraints);
  const size_t claimed = sim->solver->claims->row_of(sim->work, number);
  size_t few[MOST], *body = few, nbodies = 2 + constraint->nmasters;
  if (nbodies > MOST && !(body = mb_calloc(nbodies, sizeof *body))) return false;
  body[0] = constraint->body[0], body[1] = constraint->body[1];
  for (size_t k = 0; k < constraint->nmasters; k++) body[2 + k] = constraint->master[k].body;
  size_t joined[MOST], njoined = 0;
  for (size_t k = 0; follows && k < ncoordinates; k++) {
    const size_t b = mb_coordinates_body(model, model->nq + constraint->v[k]);
    joined[njoined++] = b, joined[njoined++] = model->parent[b];
  }
  bool fine = true;
  for (size_t k = 0; fine && k < constraint->rows; k++) {
    const MbRowTerms terms = {.kind = constraint->dry          ? MB_ROW_DRY
                                      : constraint->unilateral ? MB_ROW_ONE_WAY
                                                               : MB_ROW_BOTH_WAYS,
                              .alpha = constraint->compliance,
                              .beta = constraint->damping,
                              .outward = constraint->outward,
                              .target = constraint->ops->target,
                              .turns = constraint->npath > 0,
                              .two_bodies = !constraint->nmasters,
                              .name = model->slots[constraint->slot + k],
                              .singular = constraint->ops->singular,
                              .key = constraint->slot + k,
                              .claimed = claimed == MB_WORLD ? MB_WORLD : claimed + k};
    if (njoined)
      fine = add(sim, set, NULL, 0, joined, njoined, 0, &terms);
    else
      fine = add(sim, set, constraint->v, ncoordinates, body, nbodies, constraint->nmasters, &terms);
  }
  if (body != few) mb_free(body);
  return fine;
}

bool mb_row_set_create(MbSim *sim, MbRowSet *set) {
  const MbModel *model = sim->model;
  set->nb = model->nb;
  set->mark = mb_calloc(sim->width, sizeof *set->mark);
  bool fine = set->mark && grow_row(set, model->nslots);
  for (size_t i = 0; fine && i < model->nconstraints; i++)
    fine = list_constraint(sim, set, &model->constraints[i]);
  set->fixed = set->from[0] = set->n;
  return fine;
}

size_t mb_row_node(const MbModel *model, size_t deformable, size_t node) {
  const MbDeformable *of = &model->deformables[deformable];
  if (!of->points) return of->first + node;
  if (of->port && of->port[node] != MB_WORLD) return of->port[node];
  return model->nb + of->first + node;
}

const double *mb_row_place(const MbInstant *at, size_t body) {
  return body < at->x->nb ? at->x->E[body].p : at->nodes + 3 * (body - at->x->nb);
}

size_t mb_row_width(const MbSim *sim, const MbRowSet *set) { return set->nnodes ? sim->width : sim->nv; }

static int by_number(const void *a, const void *b) {
  const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

bool mb_row_set_name(MbSim *sim, MbRowSet *set) {
  const MbPassOps *passes = sim->solver->passes;
  size_t n = 0;
  if (!passes) return true;
  if (set->nnodes) qsort(set->node, set->nnodes, sizeof *set->node, by_number);
  for (size_t k = 0; k < set->nnodes; k++)
    if (!k || set->node[k] != set->node[k - 1]) set->node[n++] = set->node[k];
  set->nnodes = n;
  return passes->name(sim->work, n, set->node);
}

// Whether all sources have the rows that they have listed last.
static bool renew(const MbSim *sim, MbRowSet *set, bool *same) {
  *same = set->listed;
  for (size_t i = 0; i < set->nsources; i++) {
    const MbRowSource *source = &set->source[i];
    bool own = false;
    if (source->renew && !source->renew(source->context, sim, set->from[i + 1] - set->from[i], &own)) {
      set->listed = false;
      return false;
    }
    *same &= own;
  }
  return true;
}

bool mb_row_set_list(MbSim *sim, MbRowSet *set) {
  if (!set->three && sim->solver->carry_three) {
    set->three = mb_calloc(4 * sim->width, sizeof *set->three);
    set->beside = mb_calloc(set->entries ? set->entries : 1, 2 * sizeof *set->beside);
    if (!set->three || !set->beside) return false;
  }
  set->version++;
  bool same;
  if (!renew(sim, set, &same)) return false;
  if (same) return true;
  set->n = set->fixed, set->nnodes = 0, set->anew = set->listed = false;
  for (size_t i = 0; i < set->nsources; i++) {
    set->from[i] = set->n;
    if (!set->source[i].list(set->source[i].context, sim, set)) return false;
    set->from[i + 1] = set->n;
  }
  set->blank = set->listed = true;
  return true;
}

// ---- at an instant ----------------------------------------------------------------------------------------

// The same of a contact's three rows at once, the first of which is row s.
MB_CLONES static void gather_contact(const MbSim *sim, MbRowSet *set, size_t s) {
  MbRow *row = &set->row[s];
  double *const y = set->three;
  for (int end = 0; end < 2; end++) {
    const double *const w[3] = {row[0].H[end], row[1].H[end], row[2].H[end]};
    double *const seen[3] = {row[0].seen[end], row[1].seen[end], row[2].seen[end]};
    if (row->body[end] != MB_WORLD) sim->solver->carry_three(sim->work, row->body[end], w, seen, y);
  }
  const size_t n = set->first[s + 1] - set->first[s], *const index = set->index + set->first[s];
  double *const first = set->G + set->first[s], *const second = first + n, *const third = second + n;
  double *const beside = set->beside + 2 * set->first[s];
  for (size_t k = 0; k < n; k++) {
    double *at = y + 4 * index[k];
    first[k] = at[0], second[k] = at[1], third[k] = at[2];
    memcpy(beside + 4 * k, at, 4 * sizeof *at);
    memset(at, 0, 4 * sizeof *at);
  }
}

void mb_row_set_gather(const MbSim *sim, MbRowSet *set, size_t first, size_t n, double *y) {
  set->version++;
  for (size_t s = first; s < first + n; s++) {
    MbRow *row = &set->row[s];
    if (set->three && set->is[s].kind == MB_ROW_CONTACT && set->is[s].two_bodies) {
      gather_contact(sim, set, s);
      s += 2;
      continue;
    }
    for (int end = 0; end < 2; end++) {
      if (row->body[end] != MB_WORLD)
        sim->solver->carry(sim->work, row->body[end], row->H[end], row->seen[end], y);
      if (row->c[end] != 0) sim->solver->map->along(sim->work, row->v[end], row->c[end], y);
    }
    for (size_t k = set->end[s]; k < set->end[s + 1]; k++)
      sim->solver->carry(sim->work, set->ends[k].body, set->ends[k].H, NULL, y);
    const size_t after = set->first[s + 1], *const index = set->index;
    double *const G = set->G;
    for (size_t k = set->first[s]; k < after; k++) {
      G[k] = y[index[k]];
      y[index[k]] = 0;
    }
  }
}

// ---- three rows at once -----------------------------------------------------------------------------------

typedef long long FourBits __attribute__((vector_size(4 * sizeof(long long))));

MB_FOUR_INLINE MbFour size_of(MbFour x) {
  return (MbFour)((FourBits)x & LLONG_MAX); // without its sign
}

// Of two velocities, as their sums do not wait for one another.
MB_CLONES static void rates(const double *G, const size_t *index, size_t n, const double *const v[2],
                            double rate[2][4]) {
  const double *const x = v[0], *const y = v[1];
  MbFour sum = {0}, other = {0};
  for (size_t k = 0; k < n; k++) {
    const MbFour row = mb_four_load(G + 4 * k);
    sum += row * x[index[k]];
    other += row * y[index[k]];
  }
  mb_four_store(rate[0], sum), mb_four_store(rate[1], other);
}

MB_CLONES static void rates_sized(const double *G, const size_t *index, size_t n, const double *const v[2],
                                  double rate[2][4], double size[2][4]) {
  const double *const x = v[0], *const y = v[1];
  MbFour sum = {0}, other = {0}, sizes = {0}, others = {0};
  for (size_t k = 0; k < n; k++) {
    const MbFour row = mb_four_load(G + 4 * k), one = row * x[index[k]], two = row * y[index[k]];
    sum += one, other += two;
    sizes += size_of(one), others += size_of(two);
  }
  mb_four_store(rate[0], sum), mb_four_store(rate[1], other);
  mb_four_store(size[0], sizes), mb_four_store(size[1], others);
}

void mb_row_rate_three(const MbRowSet *set, size_t s, const double *const v[2], double rate[2][3]) {
  const size_t first = set->first[s], n = set->first[s + 1] - first;
  const bool beside = mb_row_is_beside(set, s);
  double four[2][4];
  if (beside) rates(set->beside + 2 * first, set->index + first, n, v, four);
  for (size_t i = 0; i < 2; i++)
    for (size_t k = 0; k < 3; k++) rate[i][k] = beside ? four[i][k] : mb_row_rate(set, s + k, v[i]);
}

void mb_row_rate_three_sized(const MbRowSet *set, size_t s, const double *const v[2], double rate[2][3],
                             double size[2][3]) {
  const size_t first = set->first[s], n = set->first[s + 1] - first;
  const bool beside = mb_row_is_beside(set, s);
  double four[2][4], sizes[2][4] = {{0}};
  if (beside) rates_sized(set->beside + 2 * first, set->index + first, n, v, four, sizes);
  for (size_t i = 0; i < 2; i++)
    for (size_t k = 0; k < 3; k++) {
      rate[i][k] = beside ? four[i][k] : mb_row_rate_sized(set, s + k, v[i], &sizes[i][k]);
      size[i][k] = sizes[i][k];
    }
}

MB_CLONES void mb_row_spread_three(const MbRowSet *set, size_t s, const double lambda[3], double *y) {
  const size_t first = set->first[s], n = set->first[s + 1] - first, *const index = set->index + first;
  const double *const G = set->G + first;
  if (!mb_row_is_beside(set, s)) {
    for (size_t k = 0; k < 3; k++) mb_row_spread(set, s + k, lambda[k], y);
    return;
  }
  for (size_t k = 0; k < n; k++)
    y[index[k]] = ((y[index[k]] + lambda[0] * G[k]) + lambda[1] * G[n + k]) + lambda[2] * G[2 * n + k];
}

// H M⁻¹ Hᵀ of a body; of what has no mass of its own nothing.
static double give_of(const MbModel *model, size_t body, const double H[6]) {
  double sum = 0;
  for (size_t i = 0; i < 6 && body < model->nb; i++)
    if (model->M[6 * body + i] > 0) sum += H[i] * H[i] / model->M[6 * body + i];
  return sum;
}

bool mb_row_idle(const MbSim *sim, const MbRowSet *set, size_t s, double gives) {
  static const double ROUNDING = 1e-20; // 1e-10 of G, squared
  const MbRow *row = &set->row[s];
  double free = give_of(sim->model, row->body[0], row->H[0]) + give_of(sim->model, row->body[1], row->H[1]);
  for (size_t k = set->end[s]; k < set->end[s + 1]; k++)
    free += give_of(sim->model, set->ends[k].body, set->ends[k].H);
  return !(fabs(gives) > ROUNDING * free);
}

void mb_row_push(const MbRowSet *set, size_t s, double lambda, double *f) {
  const MbRow *row = &set->row[s];
  for (int end = 0; end < 2; end++)
    for (size_t k = 0; k < 6 && row->body[end] < set->nb; k++)
      f[6 * row->body[end] + k] += lambda * row->H[end][k];
  for (size_t i = set->end[s]; i < set->end[s + 1]; i++)
    for (size_t k = 0; k < 6 && set->ends[i].body < set->nb; k++)
      f[6 * set->ends[i].body + k] += lambda * set->ends[i].H[k];
}

// sum + H a of one body, term by term.
static inline double along(double sum, const double H[6], const double a[6]) {
  sum += H[0] * a[0], sum += H[1] * a[1], sum += H[2] * a[2];
  sum += H[3] * a[3], sum += H[4] * a[4], sum += H[5] * a[5];
  return sum;
}

double mb_row_along(const MbRowSet *set, size_t s, const double *a) {
  const MbRow *row = &set->row[s];
  double sum = 0;
  for (int end = 0; end < 2; end++)
    if (row->body[end] < set->nb) sum = along(sum, row->H[end], a + 6 * row->body[end]);
  for (size_t i = set->end[s]; i < set->end[s + 1]; i++)
    if (set->ends[i].body < set->nb) sum = along(sum, set->ends[i].H, a + 6 * set->ends[i].body);
  return sum;
}
