#include "core/solvers/node_factor.h"
#include "core/base/alloc.h"
#include "core/integrators/integrators.h"
#include "core/sparse/sparse.h"

#include <string.h>

static const size_t MOST = 60000000; // entries of the factor, 480 MB

struct MbNodeFactor {
  const MbModel *model;
  size_t n, entries;
  bool is_all;      // no pair is about anything else
  size_t *first;    // (nb) number of a node's first unknown; MB_WORLD = none
  size_t *start;    // (n + 1) the lower triangle by columns
  uint32_t *row;    // (entries)
  size_t *at;       // (entries) where they go, in the order of `sweep`
  double *value;    // (entries)
  double *x;        // (n)
  uint32_t *place;  // (n) in v
  uint32_t *number; // (nv) of each velocity; UINT32_MAX = none
  MbCholesky *cholesky;
  MbHalf *half;
};

// ---- numbers ----------------------------------------------------------------------------------------------

// One sweep over all entries, always in the same order: counts those of columns, or finds places, or fills in numbers.
typedef enum Sweep { COUNT, PLACE, FILL } Sweep;

typedef struct Visitor {
  MbNodeFactor *factor;
  Sweep sweep;
  size_t k;
} Visitor;

static void visit(Visitor *v, size_t row, size_t column, double value) {
  MbNodeFactor *f = v->factor;
  if (v->sweep == COUNT)
    f->start[column + 1]++;
  else if (v->sweep == PLACE) {
    const size_t p = f->start[column]++;
    f->row[p] = (uint32_t)row;
    f->at[v->k] = p;
  } else
    f->value[f->at[v->k]] = value;
  v->k++;
}

static void sweep(MbNodeFactor *f, Sweep what, const MbCoupling *coupling) {
  const MbModel *model = f->model;
  Visitor v = {.factor = f, .sweep = what};
  for (size_t b = model->nlisted; b < model->nb; b++) {
    const MbJoint *joint = &model->joint[b];
    for (size_t r = 0; f->first[b] != MB_WORLD && r < joint->n; r++)
      for (size_t c = 0; c <= r; c++) {
        const int at = 6 * (3 + joint->order[r]) + 3 + joint->order[c];
        visit(&v, f->first[b] + r, f->first[b] + c, coupling ? coupling->diagonal[36 * b + (size_t)at] : 0);
      }
  }
  for (size_t n = 0; n < model->npairs; n++) {
    const size_t i = model->pair[2 * n], j = model->pair[2 * n + 1];
    if (f->first[i] == MB_WORLD || f->first[j] == MB_WORLD) continue;
    for (size_t r = 0; r < model->joint[j].n; r++)
      for (size_t c = 0; c < model->joint[i].n; c++) {
        const int at = 3 * model->joint[i].order[c] + model->joint[j].order[r];
        visit(&v, f->first[j] + r, f->first[i] + c, coupling ? coupling->point[9 * n + (size_t)at] : 0);
      }
  }
  f->entries = v.k;
}

// ---- analysis ---------------------------------------------------------------------------------------------

static bool number(MbNodeFactor *f) {
  const MbModel *model = f->model;
  f->first = mb_calloc(model->nb, sizeof *f->first);
  f->place = mb_calloc(model->nv, sizeof *f->place);
  f->number = mb_calloc(model->nv, sizeof *f->number);
  if (!f->first || !f->place || !f->number) return false;
  memset(f->number, 0xff, model->nv * sizeof *f->number);
  for (size_t b = 0; b < model->nb; b++) {
    f->first[b] = MB_WORLD;
    if (b < model->nlisted || model->parent[b] != MB_WORLD) continue;
    f->first[b] = f->n;
    for (size_t k = 0; k < model->joint[b].n; k++) {
      f->number[model->v_first[b] + k] = (uint32_t)f->n;
      f->place[f->n++] = (uint32_t)(model->v_first[b] + k);
    }
  }
  return true;
}

static bool make_pattern(MbNodeFactor *f) {
  f->start = mb_calloc(f->n + 2, sizeof *f->start);
  if (!f->start) return false;
  sweep(f, COUNT, NULL);
  f->is_all = true;
  for (size_t i = 0; i < 2 * f->model->npairs; i++) f->is_all &= f->first[f->model->pair[i]] != MB_WORLD;
  f->row = mb_calloc(f->entries, sizeof *f->row), f->at = mb_calloc(f->entries, sizeof *f->at);
  f->value = mb_calloc(f->entries, sizeof *f->value), f->x = mb_calloc(f->n, sizeof *f->x);
  if (!f->row || !f->at || !f->value || !f->x) return false;
  for (size_t j = 0; j < f->n; j++) f->start[j + 1] += f->start[j];
  sweep(f, PLACE, NULL); // each start moves to the next one's
  for (size_t j = f->n; j > 0; j--) f->start[j] = f->start[j - 1];
  f->start[0] = 0;
  return true;
}

// Nested dissection of the nodes, the unknowns of each together.
static bool analyse(MbNodeFactor *f, int threads) {
  const MbModel *model = f->model;
  const size_t nodes = model->nb - model->nlisted;
  size_t *start = mb_calloc(nodes + 2, sizeof *start), next = 0;
  uint32_t *row = mb_calloc(model->npairs, sizeof *row), *order = mb_calloc(nodes, sizeof *order),
           *perm = mb_calloc(f->n, sizeof *perm);
  bool ok = start && row && order && perm;
  if (ok) { // pairs ascend
    for (size_t n = 0; n < model->npairs; n++) {
      const size_t i = model->pair[2 * n], j = model->pair[2 * n + 1];
      if (f->first[i] == MB_WORLD || f->first[j] == MB_WORLD) continue;
      start[i - model->nlisted + 1]++;
      row[next++] = (uint32_t)(j - model->nlisted);
    }
    for (size_t i = 0; i < nodes; i++) start[i + 1] += start[i];
    ok = mb_order_dissection(&(MbPattern){nodes, start, row}, order);
  }
  if (ok) {
    next = 0;
    for (size_t k = 0; k < nodes; k++) {
      const size_t b = model->nlisted + order[k];
      for (size_t c = 0; f->first[b] != MB_WORLD && c < model->joint[b].n; c++)
        perm[next++] = (uint32_t)(f->first[b] + c);
    }
    f->cholesky = mb_cholesky_analyse(&(MbPattern){f->n, f->start, f->row}, perm, threads);
  }
  mb_free(start), mb_free(row), mb_free(order), mb_free(perm);
  if (f->cholesky) f->half = mb_half_make(f->cholesky);
  return f->half != NULL;
}

bool mb_node_factor_create(const MbModel *model, int threads, MbNodeFactor **out) {
  *out = NULL;
  const bool stiff = mb_integrator_table[model->integrator.kind].b != 0;
  if (!stiff || !model->npairs || model->nb == model->nlisted) return true;
  MbNodeFactor *f = mb_calloc(1, sizeof *f);
  if (!f) return false;
  f->model = model;
  bool ok = number(f);
  const bool any = ok && f->n > 0;
  if (any) ok = make_pattern(f) && analyse(f, threads);
  if (ok && any && mb_cholesky_size(f->cholesky).entries <= MOST) {
    *out = f;
    return true;
  }
  mb_node_factor_free(f);
  return ok;
}

void mb_node_factor_free(MbNodeFactor *f) {
  if (!f) return;
  mb_half_free(f->half);
  mb_cholesky_free(f->cholesky);
  mb_free(f->first), mb_free(f->start), mb_free(f->row), mb_free(f->at), mb_free(f->value), mb_free(f->x);
  mb_free(f->place), mb_free(f->number), mb_free(f);
}

size_t mb_node_factor_bytes(const MbNodeFactor *f) {
  if (!f) return 0;
  return sizeof *f + mb_cholesky_size(f->cholesky).bytes + mb_half_bytes(f->half) +
         f->model->nb * sizeof *f->first + f->model->nv * (sizeof *f->place + sizeof *f->number) +
         (f->n + 2) * (sizeof *f->start + sizeof *f->x) +
         f->entries * (sizeof *f->row + sizeof *f->at + sizeof *f->value);
}

// ---- factor and solution ----------------------------------------------------------------------------------

bool mb_node_factor_set(MbNodeFactor *f, const MbCoupling *coupling, size_t *blame) {
  size_t row = 0;
  sweep(f, FILL, coupling);
  if (mb_cholesky_factor(f->cholesky, f->value, &row)) return true;
  for (size_t b = f->model->nlisted; b < f->model->nb; b++)
    if (f->first[b] != MB_WORLD && f->first[b] <= row) *blame = b;
  return false;
}

bool mb_node_factor_is_all(const MbNodeFactor *f) { return f->is_all; }
MbHalf *mb_node_factor_half(const MbNodeFactor *f) { return f->half; }
size_t mb_node_factor_size(const MbNodeFactor *f) { return f->n; }
uint32_t mb_node_factor_number(const MbNodeFactor *f, size_t v) { return f->number[v]; }

void mb_node_factor_solve(MbNodeFactor *f, const double *x) {
  for (size_t k = 0; k < f->n; k++) f->x[k] = x[f->place[k]];
  mb_cholesky_solve(f->cholesky, f->x, 1);
}

void mb_node_factor_put(const MbNodeFactor *f, double *x) {
  for (size_t k = 0; k < f->n; k++) x[f->place[k]] = f->x[k];
}
