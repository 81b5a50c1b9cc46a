// Any pairs of bodies: a sparse LDLᵀ of  [ A −Jᵀ ; −J 0 ] (v; λ) = (r; −b)  (B96 6).
//
// A body and its own rows are eliminated together, the body first. Then the signs of all pivots are known, whatever the order of
// bodies: of a body what is left of A plus what joints to bodies before it hold, positive; of a row −Jc Â⁻¹ Jcᵀ less what the
// body before it gives way, negative.
#include "core/base/alloc.h"
#include "core/solvers/maximal/kkt.h"
#include "core/sparse/ldl.h"

#include <math.h>
#include <string.h>

struct MbKktWork {
  MbKktShape shape;
  size_t n, bytes, entries;
  size_t *start;  // (n + 1) pattern of the lower triangle by columns: v, then λ
  uint32_t *row;  // (entries)
  size_t *at;     // (entries) where they go, in the order in which `visit` comes to them
  double *values; // (entries)
  double *least;  // (n) what pivots must exceed
  double *x, *b;  // (n) solution and right-hand side
  double *rest;   // (n) b − H x
  MbLdl *ldl;
};

// A pivot of a row below this part of Jc A⁻¹ Jcᵀ, A's diagonal taken: the row depends on others.
static const double DEPENDENT = 1e-12;
// A solution is good when what is left of the right-hand side is this part of it; it is improved a few times at most.
static const double GOOD = 1e-12;
enum { PASSES = 3 };

// ---- pattern and numbers ----------------------------------------------------------------------------------

// One sweep over all blocks of the lower triangle, always in the same order: counts entries of columns, or finds places, or
// fills in numbers.
typedef enum Sweep { COUNT, PLACE, FILL } Sweep;

typedef struct Visitor {
  MbKktWork *work;
  Sweep sweep;
  size_t k;
} Visitor;

static void visit(Visitor *v, size_t row, size_t column, double value) {
  MbKktWork *w = v->work;
  if (v->sweep == COUNT)
    w->start[column + 1]++;
  else if (v->sweep == PLACE) {
    const size_t p = w->start[column]++;
    w->row[p] = (uint32_t)row;
    w->at[v->k] = p;
  } else
    w->values[w->at[v->k]] = value;
  v->k++;
}

// rows x 6 numbers, or zeros; negative or transposed
static void visit_block(Visitor *v, size_t row, size_t column, const double *block, size_t rows, double sign,
                        bool transposed) {
  for (size_t i = 0; i < rows; i++)
    for (size_t j = 0; j < 6; j++)
      visit(v, row + (transposed ? j : i), column + (transposed ? i : j),
            block ? sign * block[6 * i + j] : 0);
}

static bool is_point(const MbKktShape *s, size_t i) { return s->point && s->point[i]; }

static void visit_body(Visitor *v, const MbKktNumbers *n, size_t i) {
  const bool point = is_point(&v->work->shape, i);
  for (size_t r = 0; r < 6; r++)
    for (size_t c = 0; c <= r; c++) {
      double a = 0;
      if (point && r / 3 != c / 3) continue;
      if (n && n->diagonal)
        a = r == c ? n->diagonal[6 * i + r] : 0;
      else if (n)
        a = n->A[36 * i + 6 * r + c];
      visit(v, 6 * i + r, 6 * i + c, a);
    }
}

// A body's own rows
static void visit_rows(Visitor *v, const MbKktNumbers *n, size_t i) {
  const MbKktShape *s = &v->work->shape;
  const size_t row = 6 * s->nb + s->first[i];
  const double *J = n ? n->Jc + 6 * s->first[i] : NULL;
  if (!is_point(s, i)) {
    visit_block(v, row, 6 * i, J, s->rows[i], -1, false);
    return;
  }
  for (size_t r = 0; r < s->rows[i]; r++)
    for (size_t c = r < 3 ? 0 : 3; c < (r < 3 ? 3u : 6u); c++)
      visit(v, row + r, 6 * i + c, J ? -J[6 * r + c] : 0);
}

// B, in the rows of the first of a pair, goes below the diagonal transposed.
static void visit_pair(Visitor *v, const MbKktShape *s, size_t k, const double *B) {
  const size_t i = s->pair[2 * k], j = s->pair[2 * k + 1];
  if (!is_point(s, i) || !is_point(s, j)) {
    visit_block(v, 6 * j, 6 * i, B, 6, 1, true);
    return;
  }
  for (size_t r = 3; r < 6; r++)
    for (size_t c = 3; c < 6; c++) visit(v, 6 * j + c, 6 * i + r, B ? B[6 * r + c] : 0);
}

static void sweep(MbKktWork *w, Sweep what, const MbKktNumbers *n) {
  const MbKktShape *s = &w->shape;
  Visitor v = {w, what, 0};
  for (size_t i = 0; i < s->nb; i++) {
    const size_t p = s->parent[i], row = 6 * s->nb + s->first[i], at = 6 * s->first[i];
    visit_body(&v, n, i);
    visit_rows(&v, n, i);
    if (p == SIZE_MAX) continue;
    visit_block(&v, row, 6 * p, n ? n->Jp + at : NULL, s->rows[i], -1, false);
    visit_block(&v, 6 * i, 6 * p, n && n->C ? n->C + 36 * i : NULL, 6, 1, false);
  }
  for (size_t k = 0; k < s->npairs; k++) visit_pair(&v, s, k, n && n->pairs ? n->pairs + 36 * k : NULL);
  w->entries = v.k;
}

static bool make_pattern(MbKktWork *w) {
  w->start = mb_calloc(w->n + 2, sizeof *w->start);
  if (!w->start) return false;
  sweep(w, COUNT, NULL);
  w->row = mb_calloc(w->entries, sizeof *w->row), w->at = mb_calloc(w->entries, sizeof *w->at);
  w->values = mb_calloc(w->entries, sizeof *w->values);
  if (!w->row || !w->at || !w->values) return false;
  for (size_t j = 0; j < w->n; j++) w->start[j + 1] += w->start[j];
  sweep(w, PLACE, NULL); // each start moves to the next one's
  for (size_t j = w->n; j > 0; j--) w->start[j] = w->start[j - 1];
  w->start[0] = 0;
  return true;
}

// ---- analysis ---------------------------------------------------------------------------------------------

// Nested dissection of the bodies, each with its own rows.
static bool order_bodies(const MbKktShape *s, uint32_t *order) {
  size_t *start = mb_calloc(s->nb + 2, sizeof *start), count = 0;
  uint32_t *row = mb_calloc(s->nb + s->npairs, sizeof *row);
  bool ok = start && row;
  if (ok) {
    for (size_t i = 0; i < s->nb; i++)
      if (s->parent[i] != SIZE_MAX) start[s->parent[i] + 2]++, count++;
    for (size_t k = 0; k < s->npairs; k++) start[s->pair[2 * k] + 2]++, count++;
    for (size_t j = 2; j <= s->nb; j++) start[j] += start[j - 1];
    for (size_t i = 0; i < s->nb; i++)
      if (s->parent[i] != SIZE_MAX) row[start[s->parent[i] + 1]++] = (uint32_t)i;
    for (size_t k = 0; k < s->npairs; k++) row[start[s->pair[2 * k] + 1]++] = (uint32_t)s->pair[2 * k + 1];
    start[s->nb] = count;
    ok = mb_order_dissection(&(MbPattern){s->nb, start, row}, order);
  }
  mb_free(start);
  mb_free(row);
  return ok;
}

// A body and then its rows; of one that never turns first what holds that.
static size_t order_one(const MbKktShape *s, size_t b, uint32_t *perm) {
  const size_t row = 6 * s->nb + s->first[b], apart = is_point(s, b) ? 3 : 0;
  size_t k = 0;
  for (size_t c = 0; c < apart; c++) perm[k++] = (uint32_t)(6 * b + c);
  for (size_t r = 0; r < apart; r++) perm[k++] = (uint32_t)(row + r);
  for (size_t c = apart; c < 6; c++) perm[k++] = (uint32_t)(6 * b + c);
  for (size_t r = apart; r < s->rows[b]; r++) perm[k++] = (uint32_t)(row + r);
  return k;
}

static bool analyse(MbKktWork *w) {
  const MbKktShape *s = &w->shape;
  uint32_t *order = mb_calloc(s->nb, sizeof *order), *perm = mb_calloc(w->n, sizeof *perm);
  int8_t *sign = mb_calloc(w->n, sizeof *sign);
  if (order && perm && sign && order_bodies(s, order)) {
    for (size_t i = 0, k = 0; i < s->nb; i++) k += order_one(s, order[i], perm + k);
    for (size_t i = 0; i < w->n; i++) sign[i] = i < 6 * s->nb ? 1 : -1;
    w->ldl = mb_ldl_analyse(&(MbPattern){w->n, w->start, w->row}, perm, sign);
  }
  mb_free(order);
  mb_free(perm);
  mb_free(sign);
  return w->ldl != NULL;
}

static void sparse_free(MbKktWork *w) {
  if (!w) return;
  mb_ldl_free(w->ldl);
  void *const blocks[] = {w->start, w->row, w->at, w->values, w->least, w->x, w->b, w->rest, w};
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) mb_free(blocks[i]);
}

static MbKktWork *sparse_create(const MbKktShape *shape, int threads) {
  (void)threads;
  MbKktWork *w = mb_calloc(1, sizeof *w);
  if (!w) return NULL;
  w->shape = *shape;
  w->n = 6 * shape->nb + shape->nrows;
  bool ok = w->n < INT32_MAX && make_pattern(w) && analyse(w);
  if (ok) {
    w->least = mb_calloc(w->n, sizeof *w->least), w->x = mb_calloc(w->n, sizeof *w->x);
    w->b = mb_calloc(w->n, sizeof *w->b), w->rest = mb_calloc(w->n, sizeof *w->rest);
    ok = w->least && w->x && w->b && w->rest;
    w->bytes = sizeof *w + mb_ldl_bytes(w->ldl) + w->n * (sizeof *w->start + 4 * sizeof(double)) +
               w->entries * (sizeof *w->row + sizeof *w->at + sizeof *w->values);
  }
  if (ok) return w;
  sparse_free(w);
  return NULL;
}

static size_t sparse_bytes(const MbKktWork *w) { return w->bytes; }

// ---- factorisation and solution ---------------------------------------------------------------------------

static size_t body_of(const MbKktShape *s, size_t i) {
  if (i < 6 * s->nb) return i / 6;
  i -= 6 * s->nb;
  size_t b = 0;
  while (i - s->first[b] >= s->rows[b]) b++; // wraps where first is beyond i
  return b;
}

static bool sparse_factor(MbKktWork *w, const MbKktNumbers *n, size_t *blame) {
  const MbKktShape *s = &w->shape;
  sweep(w, FILL, n);
  for (size_t i = 0; i < s->nb; i++)
    for (size_t r = s->first[i]; r < s->first[i] + s->rows[i]; r++) {
      double sum = 0;
      for (size_t c = 0; c < 6; c++) {
        const double J = n->Jc[6 * r + c];
        sum += J * J / (n->diagonal ? n->diagonal[6 * i + c] : n->A[36 * i + 7 * c]);
      }
      w->least[6 * s->nb + r] = DEPENDENT * sum;
    }
  size_t row = 0;
  if (mb_ldl_factor(w->ldl, w->values, w->least, &row)) return true;
  *blame = body_of(s, row);
  return false;
}

static double largest(const double *x, size_t n) {
  double most = 0;
  for (size_t i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  return most;
}

// rest = b − H x
static void find_rest(MbKktWork *w) {
  memcpy(w->rest, w->b, w->n * sizeof *w->b);
  for (size_t j = 0; j < w->n; j++) {
    double sum = 0;
    for (size_t p = w->start[j]; p < w->start[j + 1]; p++) {
      const size_t i = w->row[p];
      w->rest[i] -= w->values[p] * w->x[j];
      if (i != j) sum += w->values[p] * w->x[i];
    }
    w->rest[j] -= sum;
  }
}

static void sparse_solve(MbKktWork *w, double *v, double *lambda) {
  const size_t nv = 6 * w->shape.nb, n = w->n;
  memcpy(w->b, v, nv * sizeof *v);
  for (size_t r = 0; r < w->shape.nrows; r++) w->b[nv + r] = -lambda[r];
  memcpy(w->x, w->b, n * sizeof *w->b);
  mb_ldl_solve(w->ldl, w->x);
  const double wanted = GOOD * largest(w->b, n);
  double before = INFINITY;
  for (int pass = 0; pass < PASSES; pass++) {
    find_rest(w);
    const double left = largest(w->rest, n);
    if (left <= wanted || !(left < before / 2)) break;
    before = left;
    mb_ldl_solve(w->ldl, w->rest);
    for (size_t i = 0; i < n; i++) w->x[i] += w->rest[i];
  }
  memcpy(v, w->x, nv * sizeof *v);
  memcpy(lambda, w->x + nv, w->shape.nrows * sizeof *lambda);
}

const MbKktOps mb_kkt_sparse_ops = {
    .name = "sparse",
    .pairs = true,
    .create = sparse_create,
    .free = sparse_free,
    .bytes = sparse_bytes,
    .factor = sparse_factor,
    .solve = sparse_solve,
};
