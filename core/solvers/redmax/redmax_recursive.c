// RedMax, A⁻¹ in O(n) (RM 2.13, Alg. 10): A = Jᵀ (M − a D − b K) J + joints' own −a D_r − b K_r, K and D a block a body.
// Articulated inertias Î from the leaves, each starting from its body's block:
//   U = Î T,  G = Tᵀ U + A_r,  Î_p += Xᵀ (Î − U G⁻¹ Uᵀ) X
// and y = A⁻¹ x by
//   up:   u = x − Tᵀ p,  p_p += Xᵀ (p + U G⁻¹ u)      down:  y = G⁻¹ (u − Uᵀ X a_p),  a = X a_p + T y
// Where forces couple bodies this is the inverse of the rest of A, and preconditions conjugate gradients.
#include "core/base/alloc.h"
#include "core/math/dense6.h"
#include "core/solvers/coupled.h"
#include "core/solvers/redmax/tree.h"
#include "core/solvers/solvers.h"

#include <string.h>

struct MbSolverWork {
  MbTree tree;
  double *Ia;            // (nb x 36) articulated inertias
  double *U;             // (nv x 6) columns
  double *G;             // Cholesky factors, n x n a body, lower, row major
  const size_t *g_first; // (nb)
  size_t *g_places;
  double *p, *a; // (nb x 6)
  MbCoupling coupling;
  double *own; // (nv) a D_r + b K_r, where there are pairs
};

static void free_work(MbSolverWork *work) {
  if (!work) return;
  mb_tree_free(&work->tree);
  mb_free(work->Ia);
  mb_free(work->U);
  mb_free(work->G);
  mb_free(work->g_places);
  mb_free(work->p);
  mb_free(work->a);
  mb_coupling_free(&work->coupling);
  mb_free(work->own);
  mb_free(work);
}

static MbSolverWork *create(const MbModel *model, int threads) {
  (void)threads;
  const size_t nb = model->nb;
  size_t places = 0;
  MbSolverWork *work = mb_calloc(1, sizeof *work);
  if (!work) return NULL;
  bool ok = mb_tree_create(model, &work->tree);
  work->g_places = mb_calloc(nb, sizeof *work->g_places);
  for (size_t b = 0; work->g_places && b < nb; b++) {
    work->g_places[b] = places;
    places += mb_tree_dofs(model, b) * mb_tree_dofs(model, b);
  }
  work->g_first = work->g_places;
  work->Ia = mb_calloc(36 * nb, sizeof(double));
  work->U = mb_calloc(6 * model->nv, sizeof(double));
  work->G = mb_calloc(places, sizeof(double));
  work->p = mb_calloc(6 * nb, sizeof(double));
  work->a = mb_calloc(6 * nb, sizeof(double));
  work->own = mb_calloc(model->npairs ? model->nv : 0, sizeof(double));
  ok = mb_coupling_create(model, &work->coupling) && ok && work->own;
  ok = ok && work->g_places && work->Ia && work->U && work->G && work->p && work->a;
  if (ok) return work;
  free_work(work);
  return NULL;
}

static size_t bytes(const MbSolverWork *work) {
  const MbModel *model = work->tree.model;
  size_t places = 0;
  for (size_t b = 0; b < model->nb; b++) places += mb_tree_dofs(model, b) * mb_tree_dofs(model, b) + 1;
  if (model->npairs) places += model->nv;
  return sizeof *work + mb_tree_bytes(model) + mb_coupling_bytes(model) +
         (48 * model->nb + 6 * model->nv + places) * sizeof(double);
}

static void kinematics(MbSolverWork *work, const double *q, const double *v, MbMaximal *x, size_t begin,
                       size_t end) {
  (void)begin, (void)end;
  mb_tree_kinematics(&work->tree, q, v, x);
}

static void bias(MbSolverWork *work, MbMaximal *x) { mb_tree_bias(&work->tree, x); }
static void momentum(MbSolverWork *work, const double *v, double *y) { mb_tree_momentum(&work->tree, v, y); }
static void gather(MbSolverWork *work, const double *f, double *y) { mb_tree_gather(&work->tree, f, y); }
static void blocks(MbSolverWork *work, const double *B, double s, const double *v, double *y) {
  mb_tree_blocks(&work->tree, B, s, v, y);
}

// L Lᵀ in place, lower, row major; false where a pivot is not positive.
static bool cholesky(double *G, size_t n) {
  for (size_t j = 0; j < n; j++) {
    double d = G[n * j + j];
    for (size_t k = 0; k < j; k++) d -= G[n * j + k] * G[n * j + k];
    if (!(d > 0) || !isfinite(d)) return false;
    d = G[n * j + j] = sqrt(d);
    for (size_t i = j + 1; i < n; i++) {
      double s = G[n * i + j];
      for (size_t k = 0; k < j; k++) s -= G[n * i + k] * G[n * j + k];
      G[n * i + j] = s / d;
    }
  }
  return true;
}

static void solve(const double *G, size_t n, double *x) {
  for (size_t i = 0; i < n; i++) {
    for (size_t k = 0; k < i; k++) x[i] -= G[n * i + k] * x[k];
    x[i] /= G[n * i + i];
  }
  for (size_t i = n; i-- > 0;) {
    for (size_t k = i + 1; k < n; k++) x[i] -= G[n * k + i] * x[k];
    x[i] /= G[n * i + i];
  }
}

static bool factor_body(MbSolverWork *work, const MbMaximal *x, size_t b, double a, double c) {
  const MbModel *model = work->tree.model;
  const size_t n = mb_tree_dofs(model, b), first = model->v_first[b];
  double *Ia = work->Ia + 36 * b, *G = work->G + work->g_first[b];
  const double *T = work->tree.T + 6 * first;
  double *U = work->U + 6 * first;
  for (size_t i = 0; i < n; i++) mb_mat6_apply(U + 6 * i, Ia, T + 6 * i);
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) {
      double sum = i == j ? a * x->joint_damping[first + i] + c * x->stiffness[first + i] : 0;
      for (size_t k = 0; k < 6; k++) sum += T[6 * i + k] * U[6 * j + k];
      G[n * i + j] = sum;
    }
  if (!cholesky(G, n)) return false;
  if (model->parent[b] == MB_WORLD) return true;

  // Î − U G⁻¹ Uᵀ
  double GU[6 * MB_JOINT_MOST]; // row k: G⁻¹ (Uᵀ)_k
  for (size_t k = 0; k < 6; k++) {
    double *row = GU + k * n;
    for (size_t i = 0; i < n; i++) row[i] = U[6 * i + k];
    solve(G, n, row);
  }
  for (size_t k = 0; k < 6; k++)
    for (size_t l = 0; l < 6; l++)
      for (size_t i = 0; i < n; i++) Ia[6 * k + l] -= U[6 * i + k] * GU[l * n + i];
  mb_tree_carry(work->Ia + 36 * model->parent[b], work->tree.X + 36 * b, Ia);
  return true;
}

static bool factor(MbSolverWork *work, const MbMaximal *x, double a, double c, bool exact, size_t *blame) {
  const MbModel *model = work->tree.model;
  (void)exact; // the integrators that run here take K symmetrised
  mb_coupling_set(&work->coupling, x, a, c, false);
  for (size_t i = 0; work->coupling.on && i < model->nv; i++)
    work->own[i] = a * x->joint_damping[i] + c * x->stiffness[i];
  for (size_t b = 0; b < model->nb; b++) mb_tree_block(model, x, b, a, c, work->Ia + 36 * b);
  for (size_t b = model->nb; b-- > 0;)
    if (!factor_body(work, x, b, a, c)) {
      *blame = b;
      return false;
    }
  return true;
}

static void apply(MbSolverWork *work, double *x) {
  const MbModel *model = work->tree.model;
  double *p = work->p, *a = work->a;
  memset(p, 0, 6 * model->nb * sizeof *p);
  for (size_t b = model->nb; b-- > 0;) {
    const size_t n = mb_tree_dofs(model, b), first = model->v_first[b], parent = model->parent[b];
    const double *T = work->tree.T + 6 * first, *U = work->U + 6 * first;
    double *u = x + first, *pb = p + 6 * b;
    for (size_t i = 0; i < n; i++)
      for (size_t k = 0; k < 6; k++) u[i] -= T[6 * i + k] * pb[k];
    if (parent == MB_WORLD) continue;
    double g[MB_JOINT_MOST], up[6];
    memcpy(g, u, n * sizeof *g);
    solve(work->G + work->g_first[b], n, g);
    memcpy(up, pb, sizeof up);
    for (size_t i = 0; i < n; i++)
      for (size_t k = 0; k < 6; k++) up[k] += U[6 * i + k] * g[i];
    const double *X = work->tree.X + 36 * b;
    for (int j = 0; j < 6; j++)
      for (int i = 0; i < 6; i++) p[6 * parent + (size_t)j] += X[6 * i + j] * up[i];
  }
  for (size_t b = 0; b < model->nb; b++) {
    const size_t n = mb_tree_dofs(model, b), first = model->v_first[b], parent = model->parent[b];
    const double *T = work->tree.T + 6 * first, *U = work->U + 6 * first;
    double *y = x + first, *ab = a + 6 * b;
    memset(ab, 0, 6 * sizeof *ab);
    if (parent != MB_WORLD) mb_mat6_apply(ab, work->tree.X + 36 * b, a + 6 * parent);
    for (size_t i = 0; i < n; i++)
      for (size_t k = 0; k < 6; k++) y[i] -= U[6 * i + k] * ab[k];
    solve(work->G + work->g_first[b], n, y);
    for (size_t i = 0; i < n; i++)
      for (size_t k = 0; k < 6; k++) ab[k] += T[6 * i + k] * y[i];
  }
}

static void carry(MbSolverWork *work, size_t body, const double w[6], double *y) {
  mb_tree_push(&work->tree, body, w, y);
}
static void drift(MbSolverWork *work, double *a) { mb_tree_drift(&work->tree, a); }
static void multiply(MbSolverWork *work, const double *x, double *y) {
  const MbModel *model = work->tree.model;
  mb_tree_twists(&work->tree, x, work->tree.twist);
  mb_coupling_multiply(&work->coupling, work->tree.twist, work->coupling.F);
  mb_tree_gather(&work->tree, work->coupling.F, y);
  for (size_t i = 0; i < model->nv; i++) y[i] += work->own[i] * x[i];
}

static bool apply_coupled(MbSolverWork *work, double *x) {
  static const MbInverse inverse = {multiply, apply};
  if (work->coupling.on) return mb_coupling_solve(&work->coupling, work, &inverse, x);
  apply(work, x);
  return true;
}

const MbSolverOps mb_redmax_recursive_ops = {
    .name = "redmax recursive",
    .create = create,
    .free = free_work,
    .bytes = bytes,
    .kinematics = kinematics,
    .bias = bias,
    .factor = factor,
    .apply = apply_coupled,
    .momentum = momentum,
    .gather = gather,
    .blocks = blocks,
    .carry = carry,
    .drift = drift,
};
