// Velocities that follow others, v_b = G v_a: coordinates by a ratio (RM 2.6), nodes that are attached to nodes (AR 0.17). They
// take the velocities v = P v̂ from those that are left. What A and a right-hand side give is then
//
//   P (Pᵀ A P)⁻¹ Pᵀ x = y − Y (H Y)⁻¹ H y,   y = A⁻¹ x,   Y = A⁻¹ Hᵀ
//
// with a row of H, G v_a − v_b, for each velocity that follows: k more solutions a factorisation, and a k x k system, on top of
// whatever solver inverts A. What comes out is in the range of P to the last digit. Followers carry mass, forces and
// derivatives to what they follow by Pᵀ.
//
// A node's G is the mean of its masters' J, which turns with the bodies that hold masters. Then Ṗ v̂ is not zero: followers
// feel the fictitious force −m Ġ v (AR 0.19), and their accelerations are G v̇ + Ġ v. Where they are, and how fast they
// move, never comes from the state but from their masters.
#include "core/base/lapack.h"
#include "core/base/alloc.h"
#include "core/base/blas.h"
#include "core/solvers/solvers.h"

#include <string.h>

struct MbSolverWork {
  const MbModel *model;
  const MbSolverOps *inner;
  MbSolverWork *work;
  size_t n, nq, nv; // rows; the inner solver's coordinates and velocities
  size_t *target;   // (n) velocity that follows
  size_t *body;     // (n) whose, for messages
  size_t *first;    // (n + 1) of a row's entries
  size_t *index;    // (first[n]) velocities that it follows
  double *G;        // (first[n])
  double *Y;        // (n x nv) rows A⁻¹ Hᵀ
  double *W;        // (n x n) H Y, its Cholesky factor
  double *lambda;   // (n) of the last application
  double *q, *v;    // (nq), (nv) with followers where they belong
  double *y;        // (nv) zero between uses
  double *drift;    // (6 nb) J̇ v of the bodies
  double *bend;     // (n) Ġ v; ratios have none
  size_t claimed;   // rows that the inner solver claims
  double *L;        // (n x claimed) its multipliers with Y
  double *pull;     // (claimed) those of the last application
  double *bent;     // (claimed) J̇ v, Ġ v in it
  bool turning;     // some master is held by a body
};

// ---- room -------------------------------------------------------------------------------------------------

static void free_work(MbSolverWork *work) {
  if (!work) return;
  if (work->work) work->inner->free(work->work);
  mb_free(work->target);
  mb_free(work->body);
  mb_free(work->first);
  mb_free(work->index);
  mb_free(work->G);
  mb_free(work->Y);
  mb_free(work->W);
  mb_free(work->lambda);
  mb_free(work->q);
  mb_free(work->v);
  mb_free(work->y);
  mb_free(work->drift);
  mb_free(work->bend);
  mb_free(work->L);
  mb_free(work->pull);
  mb_free(work->bent);
  mb_free(work);
}

// The velocities of a follower's masters, each once, into `index` (NULL: only count them); `mark` (nv) is false before and after.
static size_t support(const MbSolverWork *work, const MbFollower *f, bool *mark, size_t *index) {
  const MbLayout *layout = work->inner->map->layout;
  size_t n = 0;
  for (int clear = 0; clear < 2; clear++)
    for (size_t k = 0; k < f->nmasters; k++)
      for (size_t body = f->master[k].body, count; body != MB_WORLD;)
        for (size_t v = layout->moved_by(work->model, &body, &count), end = v + count; v < end; v++) {
          if (!clear && !mark[v]) {
            if (index) index[n] = v;
            n++;
          }
          mark[v] = !clear;
        }
  return n;
}

// Rows of the ratios, then three a follower, which have the same support.
static bool lay_out(MbSolverWork *work) {
  const MbModel *model = work->model;
  const size_t nr = model->nreductions;
  bool *mark = mb_calloc(work->nv, sizeof *mark);
  if (!mark) return false;
  for (size_t r = 0; r < nr; r++) {
    work->target[r] = model->reductions[r].v[1], work->body[r] = model->reductions[r].body;
    work->first[r + 1] = r + 1;
  }
  for (size_t i = 0; i < model->nfollowers; i++) {
    const MbFollower *f = &model->followers[i];
    const size_t n = support(work, f, mark, NULL);
    for (size_t k = 0; k < f->nmasters; k++) work->turning |= model->parent[f->master[k].body] != MB_WORLD;
    for (size_t k = 0, r = nr + 3 * i; k < 3; k++, r++) {
      work->target[r] = work->inner->map->layout->node(model, f->body) + k;
      work->body[r] = f->body;
      work->first[r + 1] = work->first[r] + n;
    }
  }
  work->index = mb_calloc(work->first[work->n], sizeof *work->index);
  work->G = mb_calloc(work->first[work->n], sizeof *work->G);
  const bool fine = work->index && work->G;
  for (size_t r = 0; r < nr && fine; r++)
    work->index[r] = model->reductions[r].v[0], work->G[r] = model->reductions[r].ratio;
  for (size_t r = nr; r < work->n && fine; r++)
    support(work, &model->followers[(r - nr) / 3], mark, work->index + work->first[r]);
  mb_free(mark);
  return fine;
}

static MbSolverWork *create(const MbSolverOps *inner, const MbModel *model, int threads) {
  const size_t n = model->nreductions + 3 * model->nfollowers;
  size_t columns = 0, square = 0, pulls = 0;
  MbSolverWork *work = mb_blas_start(1) ? mb_calloc(1, sizeof *work) : NULL;
  if (!work) return NULL;
  work->model = model, work->inner = inner, work->n = n;
  inner->map->layout->size(model, &work->nq, &work->nv);
  work->work = inner->create(model, threads);
  if (work->work) work->claimed = inner->claims->rows(work->work).n;
  const bool fits = !__builtin_mul_overflow(n, work->nv, &columns) &&
                    !__builtin_mul_overflow(n, n, &square) &&
                    !__builtin_mul_overflow(n, work->claimed, &pulls);
  work->target = mb_calloc(n, sizeof *work->target);
  work->body = mb_calloc(n, sizeof *work->body);
  work->first = mb_calloc(n + 1, sizeof *work->first);
  work->Y = fits ? mb_calloc(columns, sizeof(double)) : NULL;
  work->W = fits ? mb_calloc(square, sizeof(double)) : NULL;
  work->lambda = mb_calloc(n, sizeof(double));
  work->q = mb_calloc(work->nq, sizeof(double));
  work->v = mb_calloc(work->nv, sizeof(double));
  work->y = mb_calloc(work->nv, sizeof(double));
  work->drift = mb_calloc(6 * model->nb, sizeof(double));
  work->bend = mb_calloc(n, sizeof(double));
  work->L = fits ? mb_calloc(pulls, sizeof(double)) : NULL;
  work->pull = mb_calloc(work->claimed, sizeof(double));
  work->bent = mb_calloc(work->claimed, sizeof(double));
  const bool ok = work->work && work->target && work->body && work->first && work->Y && work->W &&
                  work->lambda && work->q && work->v && work->y && work->drift && work->bend && work->L &&
                  work->pull && work->bent;
  if (ok && lay_out(work)) return work;
  free_work(work);
  return NULL;
}

static MbSolverWork *create_dense(const MbModel *model, int threads) {
  return create(&mb_redmax_dense_ops, model, threads);
}
static MbSolverWork *create_recursive(const MbModel *model, int threads) {
  return create(&mb_redmax_recursive_ops, model, threads);
}
static MbSolverWork *create_maximal(const MbModel *model, int threads) {
  return create(&mb_maximal_ops, model, threads);
}
static MbSolverWork *create_projected(const MbModel *model, int threads) {
  return create(&mb_maximal_projected_ops, model, threads);
}

static size_t bytes(const MbSolverWork *work) {
  const size_t n = work->n, nv = work->nv, entries = work->first[n];
  return sizeof *work + work->inner->bytes(work->work) +
         (n * (nv + n + work->claimed + 2) + work->nq + 2 * nv + 6 * work->model->nb + entries +
          2 * work->claimed) *
             sizeof(double) +
         (3 * n + 1 + entries) * sizeof(size_t);
}

// ---- at the instant ---------------------------------------------------------------------------------------

// G v of one row
static double rate(const MbSolverWork *work, size_t r, const double *v) {
  double sum = 0;
  for (size_t k = work->first[r]; k < work->first[r + 1]; k++) sum += work->G[k] * v[work->index[k]];
  return sum;
}

// A node's place and velocity in the coordinates of the solver.
static double *place_in(const MbSolverWork *work, size_t body, double *q) {
  return q + work->inner->map->layout->place(work->model, body);
}

// Where followers are by their masters, into the coordinates kept here; false where that is where they were.
static bool place_followers(MbSolverWork *work, const MbMaximal *x) {
  const MbModel *model = work->model;
  bool moved = false;
  for (size_t i = 0; i < model->nfollowers; i++) {
    const MbFollower *f = &model->followers[i];
    double p[3], u[3] = {0}, *q = place_in(work, f->body, work->q);
    double *v = work->v + work->target[model->nreductions + 3 * i];
    mb_vec3_copy(p, f->offset);
    for (size_t k = 0; k < f->nmasters; k++) {
      const MbMaster *m = &f->master[k];
      double w[3];
      mb_quat_rotate(w, x->E[m->body].q, x->phi + 6 * m->body + 3);
      mb_vec3_add_scaled(p, p, m->weight, x->E[m->body].p);
      mb_vec3_add_scaled(u, u, m->weight, w);
    }
    moved |= memcmp(p, q, sizeof p) || memcmp(u, v, sizeof u);
    memcpy(q, p, sizeof p);
    memcpy(v, u, sizeof u);
  }
  return moved;
}

// Rows of followers: e_k · v of their masters, by the transpose of the inner solver's J.
static void make_rows(MbSolverWork *work, const MbMaximal *x) {
  const MbModel *model = work->model;
  for (size_t r = model->nreductions; r < work->n; r++) {
    const MbFollower *f = &model->followers[(r - model->nreductions) / 3];
    const size_t axis = (r - model->nreductions) % 3;
    for (size_t k = 0; k < f->nmasters; k++) {
      const MbMaster *m = &f->master[k];
      const double e[3] = {axis == 0, axis == 1, axis == 2};
      double w[6] = {0};
      mb_quat_unrotate(w + 3, x->E[m->body].q, e);
      mb_vec3_scale(w + 3, m->weight, w + 3);
      work->inner->carry(work->work, m->body, w, NULL, work->y);
    }
    for (size_t k = work->first[r]; k < work->first[r + 1]; k++) {
      work->G[k] = work->y[work->index[k]];
      work->y[work->index[k]] = 0;
    }
  }
}

static void kinematics(MbSolverWork *work, const double *q, const double *v, MbMaximal *x, size_t begin,
                       size_t end) {
  work->inner->kinematics(work->work, q, v, x, begin, end);
  if (!work->model->nfollowers) return;
  memcpy(work->q, q, work->nq * sizeof *q);
  memcpy(work->v, v, work->nv * sizeof *v);
  if (place_followers(work, x)) work->inner->kinematics(work->work, work->q, work->v, x, begin, end);
  make_rows(work, x);
}

// Ġ v of a follower: its masters' accelerations, in W, when velocities do not change
static void find_bend(MbSolverWork *work, const MbMaximal *x, const MbFollower *f, double bend[3]) {
  mb_vec3_set(bend, 0, 0, 0);
  for (size_t k = 0; k < f->nmasters; k++) {
    const MbMaster *m = &f->master[k];
    const double *phi = x->phi + 6 * m->body;
    double a[3];
    mb_vec3_cross(a, phi, phi + 3);
    mb_vec3_add(a, a, work->drift + 6 * m->body + 3);
    mb_quat_rotate(a, x->E[m->body].q, a);
    mb_vec3_add_scaled(bend, bend, m->weight, a);
  }
}

static void bias(MbSolverWork *work, MbMaximal *x) {
  const MbModel *model = work->model;
  if (work->inner->bias) work->inner->bias(work->work, x);
  if (!work->turning || model->solver.mode == MB_FIRST_ORDER) return;
  if (work->inner->drift) work->inner->drift(work->work, work->drift);
  for (size_t i = 0; i < model->nfollowers; i++) {
    const MbFollower *f = &model->followers[i];
    double *a = work->bend + model->nreductions + 3 * i;
    find_bend(work, x, f, a);
    mb_vec3_add_scaled(x->f + 6 * f->body + 3, x->f + 6 * f->body + 3, -model->M[6 * f->body + 3], a);
  }
}

static void bend(const MbSolverWork *work, double *y) {
  for (size_t r = work->model->nreductions; r < work->n && work->turning; r++)
    y[work->target[r]] += work->bend[r];
}

static void follow(const MbSolverWork *work, double *q, double *v) {
  const MbModel *model = work->model;
  for (size_t i = 0; i < model->nfollowers; i++) {
    const size_t body = model->followers[i].body, target = work->target[model->nreductions + 3 * i];
    if (q) memcpy(place_in(work, body, q), place_in(work, body, work->q), 3 * sizeof *q);
    if (v) memcpy(v + target, work->v + target, 3 * sizeof *v);
  }
}

// ---- the inverse ------------------------------------------------------------------------------------------

static bool factor(MbSolverWork *work, const MbMaximal *x, double a, double b, bool exact, size_t *blame) {
  const size_t n = work->n;
  if (!work->inner->factor(work->work, x, a, b, exact, blame)) return false;
  memset(work->Y, 0, n * work->nv * sizeof *work->Y);
  for (size_t i = 0; i < n; i++) {
    double *y = work->Y + i * work->nv;
    for (size_t k = work->first[i]; k < work->first[i + 1]; k++) y[work->index[k]] = work->G[k];
    y[work->target[i]] = -1;
    *blame = work->body[i];
    if (!work->inner->apply(work->work, y, NULL, work->L + i * work->claimed)) return false;
    for (size_t j = 0; j < n; j++) work->W[i * n + j] = rate(work, j, y) - y[work->target[j]];
  }
  const lapack_int order = (lapack_int)n;
  const lapack_int info = mb_lapack.dpotrf(LAPACK_COL_MAJOR, 'L', order, work->W, order);
  if (info > 0) *blame = work->body[info - 1];
  return info == 0;
}

// y − Y (H Y)⁻¹ H y; the same of the multipliers in `pull`
static void project(MbSolverWork *work, double *y, double *pull) {
  const lapack_int n = (lapack_int)work->n;
  for (size_t i = 0; i < work->n; i++) work->lambda[i] = rate(work, i, y) - y[work->target[i]];
  mb_lapack.dpotrs(LAPACK_COL_MAJOR, 'L', n, 1, work->W, n, work->lambda, n);
  for (size_t i = 0; i < work->n; i++) {
    const double *column = work->Y + i * work->nv;
    for (size_t j = 0; j < work->nv; j++) y[j] -= work->lambda[i] * column[j];
    for (size_t j = 0; j < work->claimed; j++) pull[j] -= work->lambda[i] * work->L[i * work->claimed + j];
  }
  for (size_t i = 0; i < work->n; i++) y[work->target[i]] = rate(work, i, y);
}

static bool apply(MbSolverWork *work, double *x, const double *aim, double *lambda) {
  double *pull = lambda ? lambda : work->pull;
  if (!work->inner->apply(work->work, x, aim, pull)) return false;
  project(work, x, pull);
  return true;
}

// A v = x + Hᵀ μ with μ = −λ, of the ratios
static void reactions(const MbSolverWork *work, double *y) {
  for (size_t i = 0; i < work->model->nreductions; i++) {
    const MbReduction *r = &work->model->reductions[i];
    y[r->v[0]] -= r->ratio * work->lambda[i];
    y[r->v[1]] += work->lambda[i];
  }
}

// ---- what the solver below does ---------------------------------------------------------------------------

// P v̂ of these velocities, at the last kinematics
static const double *followed(MbSolverWork *work, const double *v) {
  if (!work->model->nfollowers) return v;
  memcpy(work->y, v, work->nv * sizeof *v);
  for (size_t r = work->model->nreductions; r < work->n; r++)
    work->y[work->target[r]] = rate(work, r, work->y);
  return work->y;
}

static void done(MbSolverWork *work) {
  if (work->model->nfollowers) memset(work->y, 0, work->nv * sizeof *work->y);
}

static void momentum(MbSolverWork *work, const double *v, double *y) {
  work->inner->momentum(work->work, followed(work, v), y);
  done(work);
}
static void gather(MbSolverWork *work, const double *f, double *y) { work->inner->gather(work->work, f, y); }
static void blocks(MbSolverWork *work, const double *B, double s, const double *v, double *y) {
  work->inner->blocks(work->work, B, s, followed(work, v), y);
  done(work);
}
static void carry(MbSolverWork *work, size_t body, const double w[6], double *seen, double *y) {
  work->inner->carry(work->work, body, w, seen, y);
}
static void drift(MbSolverWork *work, double *a) { work->inner->drift(work->work, a); }

// ---- rows that the solver below claims, and its coordinates ------------------------------------------------

static MbClaimedRows rows(const MbSolverWork *work) { return work->inner->claims->rows(work->work); }
static size_t row_of(const MbSolverWork *work, size_t i) {
  return work->inner->claims->row_of(work->work, i);
}
static const char *holder(const MbSolverWork *work, size_t b) {
  return work->inner->claims->holder(work->work, b);
}
static size_t body_of(const MbSolverWork *work, size_t r) {
  return work->inner->claims->body_of(work->work, r);
}
static void speeds(const MbSolverWork *work, const double *v, double *to) {
  work->inner->claims->speeds(work->work, v, to);
}
// J̇ v + J Ġ v: what of J v̇ the inverse does not make
static const double *bends(MbSolverWork *work) {
  const double *inner = work->inner->claims->bends(work->work);
  if (!work->turning) return inner;
  bend(work, work->y);
  work->inner->claims->speeds(work->work, work->y, work->bent);
  for (size_t r = work->model->nreductions; r < work->n; r++) work->y[work->target[r]] = 0;
  for (size_t r = 0; r < work->claimed; r++) work->bent[r] += inner[r];
  return work->bent;
}

static const double *turns(MbSolverWork *work) { return work->inner->map->turns(work->work); }
static const double *unsolved(MbSolverWork *work, const MbModel *model, const MbMaximal *x) {
  return work->inner->map->unsolved(work->work, model, x);
}
static bool start(const MbSolverWork *work, const MbModel *model, const double *q0, const double *v0,
                  double *q, double *v) {
  return work->inner->map->start(work->work, model, q0, v0, q, v);
}
static void rates(const MbSolverWork *work, const MbModel *model, const double *v, double *to) {
  work->inner->map->rates(work->work, model, v, to);
}
static void along(const MbSolverWork *work, size_t k, double s, double *y) {
  work->inner->map->along(work->work, k, s, y);
}
static void joint_forces(const MbSolverWork *work, const MbModel *model, const MbMaximal *x, const double *q,
                         const double *v, double *y) {
  work->inner->map->forces(work->work, model, x, q, v, y);
}
static void joint_blocks(const MbSolverWork *work, const MbModel *model, const MbMaximal *x, double sD,
                         double sK, const double *v, double *y) {
  work->inner->map->blocks(work->work, model, x, sD, sK, v, y);
}
static void remember(const MbSolverWork *work, const MbModel *model, double *near) {
  work->inner->map->remember(work->work, model, near);
}
static void foresee(const MbSolverWork *work, const MbModel *model, const MbMaximal *x, double h,
                    double *near) {
  work->inner->map->foresee(work->work, model, x, h, near);
}

static const MbCoordinateMap poses = {.layout = &mb_pose_layout,
                                      .start = start,
                                      .rates = rates,
                                      .along = along,
                                      .forces = joint_forces,
                                      .blocks = joint_blocks,
                                      .turns = turns,
                                      .unsolved = unsolved,
                                      .remember = remember,
                                      .foresee = foresee};

static const MbClaimOps claims = {.rows = rows,
                                  .row_of = row_of,
                                  .holder = holder,
                                  .body_of = body_of,
                                  .speeds = speeds,
                                  .bends = bends,
                                  .over_step = true,
                                  .nothing = 1e-11};

#define OWN .map = &mb_own_coordinates, .claims = &mb_claims_nothing
#define OPS                                                                                                  \
  .free = free_work, .bytes = bytes, .kinematics = kinematics, .bias = bias, .factor = factor,               \
  .apply = apply, .momentum = momentum, .gather = gather, .blocks = blocks, .carry = carry,                  \
  .follow = follow, .bend = bend, .reactions = reactions

const MbSolverOps mb_followers_dense_ops = {
    .name = "redmax dense, reduced", .create = create_dense, OPS, .drift = drift, OWN};
const MbSolverOps mb_followers_recursive_ops = {
    .name = "redmax recursive, reduced", .create = create_recursive, OPS, .drift = drift, OWN};
const MbSolverOps mb_followers_maximal_ops = {.name = "maximal, reduced",
                                              .create = create_maximal,
                                              OPS,
                                              .drift = drift,
                                              .map = &poses,
                                              .claims = &claims};
const MbSolverOps mb_followers_projected_ops = {
    .name = "maximal, projected, reduced", .create = create_projected, OPS, .drift = drift, OWN};
