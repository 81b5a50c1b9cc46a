// With rows a stage is  τ(q, w) = Gᵀ μ,  r(q, w) = 0,  q = q₀ ⊕ h (base + γ w), where r is what the rows ask for (ask.c) and γ h μ are their impulses. Newton's
// method takes w by z and μ to μ′:
//
//   A z − Gᵀ μ′ = −τ,   A = dτ/dw − d(Gᵀ μ)/dw          r + B z = 0,   B = dr/dw
//   z = −A⁻¹ τ + Y μ′,  Y = A⁻¹ Gᵀ,                      (B Y) μ′ = −r + B A⁻¹ τ
//
// The second term of A is the rows' curvature, without which what is left falls by a share alone. It and B are differences of the rows
// along each velocity, whose error is some 1e-10 of them: one pass through the tree finds all rows. Rows that say the same as others leave no pivot, and push nothing. Rows of one way are those that push by the last pass; where one
// would pull, or another would be passed, passes are left to find out which they are.
#include "core/sim/newton_rows.h"
#include "core/model/coordinates.h"
#include "core/sim/constrain_internal.h"
#include "core/sim/dense_lu.h"
#include "core/sim/evaluate.h"

#include <math.h>
#include <string.h>

struct MbNewtonRows {
  size_t n;           // rows that take part
  size_t *slot;       // (nslots) which of the set
  bool *held;         // (nslots) it is held, and not only looked at
  double *r, *mu, *x; // (nslots)
  double *G, *B, *Y;  // (nslots x nv)
  MbRanked S;         // (nslots x nslots)
  double *q, *v, *y;  // (nq), (nv), (nv)
};

MbNewtonRows *mb_newton_rows_create(MbSim *sim) {
  const size_t n = sim->model->nslots, nv = sim->nv;
  MbNewtonRows *rows = mb_arena_alloc(&sim->arena, 1, sizeof *rows);
  if (!rows) return NULL;
  double **const of_rows[] = {&rows->r, &rows->mu, &rows->x},
                 **const of_both[] = {&rows->G, &rows->B, &rows->Y};
  bool ok = true;
  for (size_t i = 0; i < 3; i++) {
    ok = (*of_rows[i] = mb_arena_alloc(&sim->arena, n, sizeof(double))) && ok;
    ok = (*of_both[i] = mb_arena_alloc(&sim->arena, n * nv, sizeof(double))) && ok;
  }
  rows->slot = mb_arena_alloc(&sim->arena, n, sizeof *rows->slot);
  rows->held = mb_arena_alloc(&sim->arena, n, sizeof *rows->held);
  ok = mb_ranked_create(&sim->arena, &rows->S, n) && ok;
  rows->q = mb_arena_alloc(&sim->arena, sim->nq, sizeof *rows->q);
  rows->v = mb_arena_alloc(&sim->arena, nv, sizeof *rows->v);
  rows->y = mb_arena_alloc(&sim->arena, nv, sizeof *rows->y);
  return ok && rows->slot && rows->held && rows->q && rows->v && rows->y ? rows : NULL;
}

// ---- at an instant --------------------------------------------------------------------------------------------------

static MbHalf half_of(const MbSim *sim, const MbFullStage *stage) {
  const double span = stage->gamma * sim->model->h;
  return (MbHalf){.here = true, .impulse = span, .span = span, .t = stage->t, .from = stage->from};
}

// The rows at (q, v), and what row s asks for there.
static void make(MbSim *sim, const MbFullStage *stage, const double *q, const double *v) {
  const MbHalf half = half_of(sim, stage);
  MbConstraining *c = sim->constraining;
  mb_sim_kinematics(sim, q, v);
  mb_rows_make_half(sim, &half, q, sim->start, sim->state.t);
  for (size_t s = 0; s < c->set.n; s++) c->g1[s] = c->set.row[s].g;
}

static MbAsked asked(const MbSim *sim, const MbAsking *asking, size_t s, const double *v) {
  const MbAskRow known = mb_rows_known(sim, s, asking, v, NULL);
  return mb_ask(asking, &known);
}

// Whether Newton's method knows such rows.
static bool known(const MbConstraining *c, size_t s) {
  const MbRowTerms *is = &c->set.is[s];
  return (is->kind == MB_ROW_BOTH_WAYS || is->kind == MB_ROW_ONE_WAY) && !(is->alpha > 0) && !is->nodes &&
         c->set.row[s].order < 2;
}

// Lists the rows that ask for something at (q1, w), with what they ask for, push and are.
static bool list(MbSim *sim, MbNewtonRows *rows, const MbAsking *asking, const double *w) {
  const MbConstraining *c = sim->constraining;
  const size_t nv = sim->nv;
  rows->n = 0;
  for (size_t s = 0; s < c->set.n; s++) {
    if (!known(c, s)) return false;
    const MbAsked a = asked(sim, asking, s, w);
    if (!a.takes) continue;
    const size_t k = rows->n++;
    rows->slot[k] = s;
    rows->held[k] = c->set.is[s].kind == MB_ROW_BOTH_WAYS || c->force[s] > 0;
    rows->r[k] = a.b;
    rows->mu[k] = c->force[s] / asking->impulse;
    memset(rows->G + nv * k, 0, nv * sizeof *rows->G);
    mb_row_spread(&c->set, s, 1, rows->G + nv * k);
  }
  return true;
}

// ---- how they change ------------------------------------------------------------------------------------------------

// Along velocity j, which moves coordinates by `along`: from A's column, and B's.
static void differentiate(MbSim *sim, MbNewtonRows *rows, const MbFullStage *stage, const MbAsking *asking,
                          const double *w, size_t j, const double *along, double *column) {
  static const double MOVE = 1e-5; // m, rad
  const MbModel *model = sim->model;
  const size_t nv = sim->nv;
  const double move = MOVE / asking->h;
  for (size_t k = 0; k < rows->n; k++) rows->B[nv * k + j] = 0;
  for (int side = -1; side <= 1; side += 2) {
    const double share = side / (2 * move);
    memcpy(rows->q, sim->q1, sim->nq * sizeof *rows->q);
    mb_coordinates_advance(model, rows->q, side * move, along, 0, model->nb);
    memcpy(rows->v, w, nv * sizeof *rows->v);
    rows->v[j] += side * move;
    make(sim, stage, rows->q, rows->v);
    memset(rows->y, 0, nv * sizeof *rows->y);
    for (size_t k = 0; k < rows->n; k++) {
      const size_t s = rows->slot[k];
      mb_row_spread(&sim->constraining->set, s, rows->mu[k], rows->y);
      rows->B[nv * k + j] += share * asked(sim, asking, s, rows->v).b;
    }
    for (size_t i = 0; i < nv; i++) column[i] -= share * rows->y[i];
  }
}

bool mb_newton_rows_at(MbSim *sim, MbNewtonRows *rows, const MbFullStage *stage, const double *w,
                       const double *along, double *A) {
  const MbHalf half = half_of(sim, stage);
  const MbAsking asking = mb_asking_half(sim, &half);
  const size_t nv = sim->nv;
  if (stage->agrees) return false; // forces feel other velocities
  make(sim, stage, sim->q1, w);
  if (!list(sim, rows, &asking, w)) return false;
  for (size_t j = 0; j < nv; j++) differentiate(sim, rows, stage, &asking, w, j, along + nv * j, A + nv * j);
  make(sim, stage, sim->q1, w);
  return true;
}

// ---- the solution ---------------------------------------------------------------------------------------------------

static void exchange(size_t *list, size_t i, size_t k) {
  const size_t other = list[i];
  list[i] = list[k], list[k] = other;
}

static double dot(const double *x, const double *y, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += x[i] * y[i];
  return sum;
}

// Puts the rows that are held first, and tells how many they are.
static size_t held_first(MbNewtonRows *rows, size_t nv) {
  size_t m = 0;
  for (size_t k = 0; k < rows->n; k++) {
    if (!rows->held[k]) continue;
    for (size_t i = 0; i < nv && m < k; i++) {
      double *const lists[] = {rows->G, rows->B};
      for (int l = 0; l < 2; l++) {
        const double other = lists[l][nv * m + i];
        lists[l][nv * m + i] = lists[l][nv * k + i], lists[l][nv * k + i] = other;
      }
    }
    const double r = rows->r[m];
    rows->r[m] = rows->r[k], rows->r[k] = r;
    exchange(rows->slot, m, k);
    rows->held[k] = false, rows->held[m++] = true;
  }
  return m;
}

// Rows that move nothing say nothing in S, of which they would have rounding alone.
static void leave_out_idle(const MbSim *sim, MbNewtonRows *rows, size_t m) {
  for (size_t i = 0; i < m; i++) {
    if (!mb_row_idle(sim, &sim->constraining->set, rows->slot[i], rows->S.S[m * i + i])) continue;
    for (size_t k = 0; k < m; k++) rows->S.S[m * i + k] = rows->S.S[m * k + i] = 0;
  }
}

bool mb_newton_rows_solve(MbSim *sim, MbNewtonRows *rows, const MbFullStage *stage,
                          bool (*solve)(MbSim *sim, double *x), double *z) {
  static const double LITTLE = 1e-9; // of the largest of its kind: rounding
  MbConstraining *c = sim->constraining;
  const size_t nv = sim->nv, m = held_first(rows, nv);
  const double span = stage->gamma * sim->model->h;
  double most = 0, fastest = 0;
  memcpy(rows->Y, rows->G, m * nv * sizeof *rows->Y);
  for (size_t k = 0; k < m; k++)
    if (!solve(sim, rows->Y + nv * k)) return false;
  for (size_t i = 0; i < m; i++) {
    rows->x[i] = -rows->r[i] - dot(rows->B + nv * i, z, nv);
    for (size_t k = 0; k < m; k++) rows->S.S[m * i + k] = dot(rows->B + nv * i, rows->Y + nv * k, nv);
  }
  leave_out_idle(sim, rows, m);
  mb_ranked_factor(&rows->S, m);
  mb_ranked_solve(&rows->S, rows->x, rows->mu);
  for (size_t k = 0; k < m; k++)
    for (size_t i = 0; i < nv; i++) z[i] += rows->mu[k] * rows->Y[nv * k + i];
  for (size_t k = 0; k < m; k++) most = fmax(most, fabs(rows->mu[k]));
  for (size_t i = 0; i < nv; i++) fastest = fmax(fastest, fabs(z[i]));
  memset(c->force, 0, c->set.n * sizeof *c->force);
  for (size_t k = 0; k < rows->n; k++) {
    const bool one_way = c->set.is[rows->slot[k]].kind == MB_ROW_ONE_WAY;
    if (k < m && one_way && rows->mu[k] < -LITTLE * most) return false;
    if (k >= m && rows->r[k] + dot(rows->B + nv * k, z, nv) < -LITTLE * fastest) return false;
    if (k < m) c->force[rows->slot[k]] = span * (one_way ? fmax(rows->mu[k], 0) : rows->mu[k]);
  }
  return true;
}
