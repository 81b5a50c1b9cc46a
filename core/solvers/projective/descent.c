// The step's energy of bodies' velocities v_b and nodes' v_n, with bodies' matrix A_b, their right-hand side r_b, what couples the two
// (ties.c) and impulses p at nodes, as scheme_coupled.c has them:
//
//   E = ½ v_bᵀ A_b v_b − r_bᵀ v_b + ½ vᵀ Bᵀ C B v + E_n(q + h v_n) − pᵀ v_n,     rows  G v  of all
//
// An iteration of the engine's that is no whole one goes down along E − λᵀ G v (pd_lbfgs.c, pd_newton.c). Of the bodies' part g_b of E's
// gradient all is known without their matrix: after a first, whole iteration it is (Gᵀ λ)_b, as bodies' equations hold there, and along a
// correction d that is made of solutions with A and of the pairs' moves it changes by (A d)_b, which is the same sum of right-hand
// sides and of the pairs' changes (A s)_b. All of them are sums of rows' (Gᵀ λ)_b; the multipliers are kept beside, so that what rows are
// told to push is what bodies have felt.
#include "core/solvers/projective/descent.h"
#include "core/base/alloc.h"
#include "core/math/vec3.h"
#include "core/solvers/projective/ties.h"

#include <string.h>

struct MbDescent {
  double *v, *down;       // (beside) of bodies at the iterate: velocities, −g_b
  double *image;          // (beside) (A d)_b of the iteration
  double *x;              // (nv) of a solution
  double *wide, *before;  // (nv + 3 points) where there are ties; what the iteration comes to without rows
  size_t rows, room;      // numbers that are kept of pairs: bodies' and rows'
  double *pair;           // (MB_PAIRS x (beside + rows)) (A s)_b, and its multipliers
  double *taken, *change; // (rows) multipliers at the iterate; of d
  size_t multipliers;     // room of each
  double *acting;         // (listed x 3) impulses at the listed nodes, but for rows'
  double *u0, *u1;        // (listed x 3) their velocities at the iterate, and as the correction leaves them
  size_t listed;          // numbers of each of these
};

// ---- room -------------------------------------------------------------------------------------------------

bool mb_descent_make(MbSolverWork *w) {
  MbDescent *d = w->descent = mb_calloc(1, sizeof *d);
  if (!d) return false;
  d->v = mb_calloc(w->beside, sizeof *d->v), d->down = mb_calloc(w->beside, sizeof *d->down);
  d->image = mb_calloc(w->beside, sizeof *d->image), d->x = mb_calloc(w->nv, sizeof *d->x);
  const size_t wide = w->ties ? w->nv + 3 * w->points : 0;
  d->wide = mb_calloc(wide, sizeof *d->wide), d->before = mb_calloc(wide, sizeof *d->before);
  return d->v && d->down && d->image && d->x && d->wide && d->before && mb_descent_room(w, 0);
}

bool mb_descent_room(MbSolverWork *w, size_t rows) {
  MbDescent *d = w->descent;
  size_t a = d->multipliers, b = a, listed[3] = {d->listed, d->listed, d->listed};
  d->rows = rows;
  if (!mb_grow(&d->pair, &d->room, MB_PAIRS * (w->beside + rows), sizeof *d->pair) ||
      !mb_grow(&d->taken, &a, rows, sizeof *d->taken) || !mb_grow(&d->change, &b, rows, sizeof *d->change) ||
      !mb_grow(&d->acting, &listed[0], w->numbers, sizeof *d->acting) ||
      !mb_grow(&d->u0, &listed[1], w->numbers, sizeof *d->u0) ||
      !mb_grow(&d->u1, &listed[2], w->numbers, sizeof *d->u1))
    return false;
  d->multipliers = a, d->listed = listed[0];
  return true;
}

void mb_descent_free(MbSolverWork *w) {
  MbDescent *d = w->descent;
  if (!d) return;
  double *const all[] = {d->v,    d->down,  d->image,  d->x,      d->wide, d->before,
                         d->pair, d->taken, d->change, d->acting, d->u0,   d->u1};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) mb_free(all[k]);
  mb_free(d);
}

size_t mb_descent_bytes(const MbSolverWork *w) {
  const MbDescent *d = w->descent;
  const size_t wide = w->ties ? 2 * (w->nv + 3 * w->points) : 0;
  return sizeof *d +
         (3 * w->beside + w->nv + wide + d->room + 2 * d->multipliers + 3 * d->listed) * sizeof(double);
}

// ---- what the pairs tell ----------------------------------------------------------------------------------

static double dot(const double *a, const double *b, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

// One weight: the product of impulses y with a column of U, over the step.
static double weigh(const MbSolverWork *w, const double *column, const double *y) {
  double sum = dot(column + mb_pd_beside_at(w->engine), y, w->beside);
  for (size_t k = 0; k < w->nlisted; k++) {
    const size_t at = mb_pd_listed_at(w->engine, k);
    if (at != SIZE_MAX) sum += mb_vec3_dot(column + at, y + w->at[k]);
  }
  return sum / w->model->h;
}

bool mb_descent_weights(const MbSolverWork *w, const double *y, double weights[MB_PAIR_WEIGHTS]) {
  const MbPairs *pairs = mb_pd_pairs_of(w->engine);
  memset(weights, 0, MB_PAIR_WEIGHTS * sizeof *weights);
  for (size_t k = 0; pairs && k < MB_PAIRS; k++) {
    if (!mb_pairs_has(pairs, k)) continue;
    weights[2 * k] = weigh(w, pairs->s[k], y);
    weights[2 * k + 1] = weigh(w, pairs->z[k], y);
  }
  return pairs && pairs->count;
}

static void add_column(const MbSolverWork *w, const double *column, double by, double *x) {
  const double *body = column + mb_pd_beside_at(w->engine);
  for (size_t i = 0; i < w->beside; i++) x[i] += by * body[i];
  for (size_t k = 0; k < w->nlisted; k++) {
    const size_t at = mb_pd_listed_at(w->engine, k);
    if (at != SIZE_MAX) mb_vec3_add_scaled(x + w->at[k], x + w->at[k], by, column + at);
  }
}

void mb_descent_answer(const MbSolverWork *w, const double weights[MB_PAIR_WEIGHTS], double *x) {
  const MbPairs *pairs = mb_pd_pairs_of(w->engine);
  double by[MB_PAIR_WEIGHTS];
  if (!pairs) return;
  mb_pairs_weigh(pairs, weights, by);
  for (size_t k = 0; k < MB_PAIRS; k++) {
    if (!mb_pairs_has(pairs, k)) continue;
    add_column(w, pairs->s[k], by[2 * k] / w->model->h, x);
    add_column(w, pairs->z[k], by[2 * k + 1] / w->model->h, x);
  }
}

// Weights of a row: its bodies' part through the bodies' solver, its nodes' by their numbers in the list.
static void row_weights(MbSolverWork *w, const MbRow *row, double weights[MB_PAIR_WEIGHTS]) {
  const MbPairs *pairs = mb_pd_pairs_of(w->engine);
  double *y = w->descent->x;
  memset(y, 0, w->nv * sizeof *y);
  for (int end = 0; end < 2; end++) {
    if (row->body[end] != MB_WORLD && row->body[end] < mb_model_own(w->model))
      w->inner->carry(w->work, row->body[end], row->H[end], NULL, y);
    if (row->c[end] != 0) w->inner->map->along(w->work, row->v[end], row->c[end], y);
  }
  for (size_t k = 0; k < MB_PAIR_WEIGHTS; k++) {
    const double *column = k % 2 ? pairs->z[k / 2] : pairs->s[k / 2];
    weights[k] = 0;
    if (!mb_pairs_has(pairs, k / 2)) continue;
    weights[k] = dot(column + mb_pd_beside_at(w->engine), y, w->beside);
    for (int end = 0; end < 2; end++) {
      if (row->body[end] == MB_WORLD || row->body[end] < mb_model_own(w->model)) continue;
      const size_t at = mb_pd_listed_at(w->engine, mb_projective_listed(w, row->body[end]));
      if (at != SIZE_MAX) weights[k] += mb_vec3_dot(column + at, row->H[end] + 3);
    }
    weights[k] /= w->model->h;
  }
}

void mb_descent_weigh(const MbSolverWork *w, const double *y, size_t n, const size_t *node, const double *H,
                      double *weights) {
  const MbPairs *pairs = mb_pd_pairs_of(w->engine);
  size_t at[MB_BRANCH_TERMS];
  for (size_t e = 0; e < n; e++) at[e] = mb_pd_listed_at(w->engine, node[e]);
  for (size_t k = 0; k < MB_PAIR_WEIGHTS; k++) {
    const double *column = k % 2 ? pairs->z[k / 2] : pairs->s[k / 2];
    weights[k] = 0;
    if (!mb_pairs_has(pairs, k / 2)) continue;
    if (y) weights[k] = dot(column + mb_pd_beside_at(w->engine), y, w->beside);
    for (size_t e = 0; e < n; e++)
      if (at[e] != SIZE_MAX) weights[k] += mb_vec3_dot(column + at[e], H + 3 * e);
    weights[k] /= w->model->h;
  }
}

void mb_descent_responses(MbSolverWork *w, size_t k, const MbRow *const *row, double *W) {
  const MbPairs *pairs = mb_pd_pairs_of(w->engine);
  if (!pairs || !pairs->count) return;
  for (size_t i = 0; i < k; i++) row_weights(w, row[i], w->row_weights + MB_PAIR_WEIGHTS * i);
  for (size_t i = 0; i < k; i++) {
    double by[MB_PAIR_WEIGHTS];
    mb_pairs_weigh(pairs, w->row_weights + MB_PAIR_WEIGHTS * i, by);
    for (size_t j = 0; j <= i; j++) {
      W[k * i + j] += dot(by, w->row_weights + MB_PAIR_WEIGHTS * j, MB_PAIR_WEIGHTS);
      W[k * j + i] = W[k * i + j];
    }
  }
}

// ---- an iteration -----------------------------------------------------------------------------------------

void mb_descent_begin(MbSolverWork *w, const double *v, const double *impulse, const double *lambda) {
  MbDescent *d = w->descent;
  memcpy(d->v, v, w->beside * sizeof *d->v);
  for (size_t i = 0; i < w->beside; i++) d->down[i] = -impulse[i];
  if (d->rows) memcpy(d->taken, lambda, d->rows * sizeof *d->taken);
}

// Impulses p (listed x 3) += what forces between bodies and nodes push ports with at velocities x (wide).
static void pull(MbSolverWork *w, const double *x, double *p) {
  double *y = w->descent->x;
  memset(y, 0, w->nv * sizeof *y);
  mb_ties_pull(w->ties, x, y);
  for (size_t k = 0; k < w->model->nports; k++) mb_vec3_add(p + 3 * k, p + 3 * k, y + w->at[k]);
}

// x (wide) ← velocities of bodies and of listed nodes.
static void widen(const MbSolverWork *w, const double *bodies, const double *u, double *x) {
  memset(x, 0, w->nv * sizeof *x);
  memcpy(x, bodies, w->beside * sizeof *x);
  for (size_t k = 0; k < w->nlisted; k++) mb_vec3_copy(x + w->at[k], u + 3 * k);
}

// The solution with A of what acts: into the engine's correction, of nodes and of bodies.
static bool solve(MbSolverWork *w, MbPdBeside beside) {
  MbDescent *d = w->descent;
  const double h = w->model->h;
  mb_pd_solve(w->engine);
  memset(d->x, 0, w->nv * sizeof *d->x);
  memcpy(d->x, d->down, w->beside * sizeof *d->x);
  if (w->beside && !w->inner->apply(w->work, d->x, NULL, NULL)) return false;
  if (w->ties) {
    mb_pd_read_ports(w->engine, 1, d->u1);
    for (size_t c = 0; c < 3 * w->nlisted; c++) d->u1[c] -= d->u0[c];
    widen(w, d->x, d->u1, d->wide);
    mb_ties_correct(w->ties, w, d->wide);
    memset(w->p, 0, 3 * w->nlisted * sizeof *w->p);
    pull(w, d->wide, w->p);
    mb_pd_push_ports(w->engine, w->p);
    memcpy(d->x, d->wide, w->beside * sizeof *d->x);
  }
  for (size_t i = 0; i < w->beside; i++) beside.move[i] = h * d->x[i];
  return true;
}

bool mb_descent_pass(MbSolverWork *w, const double *push, double *v) {
  MbDescent *d = w->descent;
  MbPdEngine *engine = w->engine;
  const MbPdBeside beside = mb_pd_beside(engine);
  const double h = w->model->h;
  mb_pd_read_ports(engine, 0, d->u0);
  memset(d->acting, 0, 3 * w->nlisted * sizeof *d->acting);
  for (size_t k = 0; k < w->model->nports; k++) mb_vec3_copy(d->acting + 3 * k, push + w->at[k]);
  if (w->ties) {
    widen(w, d->v, d->u0, d->wide);
    pull(w, d->wide, d->acting);
  }
  mb_pd_pull_ports(engine, d->acting);
  for (size_t i = 0; i < w->beside; i++) beside.force[i] = d->down[i] / h;
  if (!solve(w, beside)) return false;
  mb_pd_bend(engine);
  mb_pd_read_ports(engine, 1, d->u1);
  for (size_t i = 0; i < w->beside; i++) v[i] = d->v[i] + beside.move[i] / h;
  for (size_t k = 0; k < w->nlisted; k++) mb_vec3_copy(v + w->at[k], d->u1 + 3 * k);
  if (w->ties) widen(w, v, d->u1, d->before);
  return true;
}

// Pushes the nodes by the rows' impulses: with A⁻¹, which forces between bodies and nodes have a part in, and with what the pairs tell.
static void push(MbSolverWork *w, const double *v, const double *impulse,
                 const double weights[MB_PAIR_WEIGHTS]) {
  MbDescent *d = w->descent;
  for (size_t k = 0; k < w->nlisted; k++) mb_vec3_copy(w->p + 3 * k, impulse + w->at[k]);
  if (w->ties) {
    double less[MB_PAIR_WEIGHTS];
    for (size_t k = 0; k < MB_PAIR_WEIGHTS; k++) less[k] = -weights[k];
    widen(w, v, d->u1, d->wide);
    for (size_t k = 0; k < w->nlisted; k++) mb_vec3_copy(d->wide + w->at[k], v + w->at[k]);
    mb_descent_answer(w, less, d->wide);
    for (size_t i = 0; i < w->nv; i++) d->wide[i] -= d->before[i];
    pull(w, d->wide, w->p);
  }
  mb_pd_push_ports(w->engine, w->p);
  mb_pd_push_weights(w->engine, weights);
}

// (A d)_b and its multipliers: of −g and of rows, and of the pairs' moves in d.
static void find_image(MbSolverWork *w, const double *impulse, const double *lambda) {
  MbDescent *d = w->descent;
  const MbPairs *pairs = mb_pd_pairs_of(w->engine);
  double by[MB_PAIR_WEIGHTS];
  for (size_t i = 0; i < w->beside; i++) d->image[i] = d->down[i] + impulse[i];
  for (size_t r = 0; r < d->rows; r++) d->change[r] = lambda[r] - d->taken[r];
  if (!pairs) return;
  mb_pairs_weigh(pairs, mb_pd_weights(w->engine), by);
  for (size_t k = 0; k < MB_PAIRS; k++) {
    if (!mb_pairs_has(pairs, k)) continue;
    const double *pair = d->pair + k * (w->beside + d->rows), of = by[2 * k] + by[2 * k + 1];
    for (size_t i = 0; i < w->beside; i++) d->image[i] += of * pair[i];
    for (size_t r = 0; r < d->rows; r++) d->change[r] += of * pair[w->beside + r];
  }
}

// What acts on bodies and at listed nodes along the correction, of which `move` is the bodies' part.
static MbPdAlong along(MbSolverWork *w, const double *move, const double *impulse) {
  MbDescent *d = w->descent;
  const double h = w->model->h;
  MbPdAlong sum = {0};
  mb_pd_read_ports(w->engine, 1, d->u1);
  for (size_t c = 0; c < 3 * w->nlisted; c++) d->u1[c] -= d->u0[c];
  for (size_t i = 0; i < w->beside; i++) {
    d->x[i] = move[i] / h;
    sum.rows += impulse[i] * d->x[i];
    sum.down += d->down[i] * d->x[i];
    sum.curve += d->image[i] * d->x[i];
  }
  for (size_t k = 0; k < w->nlisted; k++) sum.rows += mb_vec3_dot(impulse + w->at[k], d->u1 + 3 * k);
  sum.down += sum.rows + dot(d->acting, d->u1, 3 * w->nlisted);
  if (!w->ties) return sum;
  widen(w, d->x, d->u1, d->wide);
  memset(w->p, 0, 3 * w->nlisted * sizeof *w->p);
  pull(w, d->wide, w->p);
  sum.curve -= dot(w->p, d->u1, 3 * w->nlisted);
  return sum;
}

bool mb_descent_end_pass(MbSolverWork *w, double *v, const double *impulse, double *lambda) {
  MbDescent *d = w->descent;
  const double h = w->model->h;
  double weights[MB_PAIR_WEIGHTS], t = 0;
  const MbPdBeside beside = mb_pd_beside(w->engine);
  const MbPairs *pairs = mb_pd_pairs_of(w->engine);
  mb_descent_weights(w, impulse, weights);
  push(w, v, impulse, weights);
  for (size_t i = 0; i < w->beside; i++) beside.move[i] = h * (v[i] - d->v[i]);
  find_image(w, impulse, lambda);
  const MbPdAlong sum = along(w, beside.move, impulse);
  if (!mb_pd_end_pass(w->engine, &sum, &t)) return false;
  double *pair = d->pair + (pairs ? pairs->next : 0) * (w->beside + d->rows);
  for (size_t i = 0; i < w->beside; i++) {
    pair[i] = t * d->image[i];
    d->v[i] += t * (v[i] - d->v[i]);
    d->down[i] -= pair[i];
    v[i] = d->v[i];
  }
  for (size_t r = 0; r < d->rows; r++) {
    pair[w->beside + r] = t * d->change[r];
    lambda[r] = d->taken[r] += t * d->change[r];
  }
  mb_pd_read_ports(w->engine, 0, d->u0);
  for (size_t k = 0; k < w->nlisted; k++) mb_vec3_copy(v + w->at[k], d->u0 + 3 * k);
  return true;
}
