// RedMax, A as a dense matrix (RM 2.3, 2.5): A = Jᵀ (M − a D − b K) J + joints' own −a D_r − b K_r, factored by
// LAPACK's Cholesky. With block-diagonal M, D, K a subtree moves as one body for its root's coordinates, so that
//   Ĩ_i = block_i + Σ_children Xᵀ Ĩ X,   A_ji = T_jᵀ (X…)ᵀ Ĩ_i T_i   for j an ancestor of i or i itself
// fills A in O(n · depth), J never being formed. A pair of bodies i, j that forces couple by the block B adds C + Cᵀ,
//   C = J_iᵀ B J_j,   with the columns of J_i taken up from i to the root as rows of B, and then those of J_j.
#include "core/base/lapack.h"
#include "core/base/alloc.h"
#include "core/base/blas.h"
#include "core/math/dense6.h"
#include "core/model/coordinates.h"
#include "core/solvers/body_block.h"
#include "core/solvers/coupled.h"
#include "core/solvers/redmax/tree.h"
#include "core/solvers/solvers.h"

#include <string.h>

struct MbSolverWork {
  MbTree tree;
  double *Ia; // (nb x 36) of subtrees
  double *A;  // (nv x nv) lower triangle, column major
  MbCoupling coupling;
};

static void free_work(MbSolverWork *work) {
  if (!work) return;
  mb_tree_free(&work->tree);
  mb_free(work->Ia);
  mb_free(work->A);
  mb_coupling_free(&work->coupling);
  mb_free(work);
}

static MbSolverWork *create(const MbModel *model, int threads) {
  (void)threads;
  if (!mb_blas_start(1)) return NULL;
  size_t entries = 0;
  MbSolverWork *work = mb_calloc(1, sizeof *work);
  if (!work) return NULL;
  const bool fits = !__builtin_mul_overflow(model->nv, model->nv, &entries);
  bool ok = mb_tree_create(model, &work->tree);
  ok = mb_coupling_create(model, &work->coupling) && ok;
  work->Ia = mb_calloc(36 * model->nb, sizeof(double));
  work->A = fits ? mb_calloc(entries, sizeof(double)) : NULL;
  if (ok && work->Ia && work->A) return work;
  free_work(work);
  return NULL;
}

static size_t bytes(const MbSolverWork *work) {
  const MbModel *model = work->tree.model;
  return sizeof *work + mb_tree_bytes(model) + mb_coupling_bytes(model) +
         (36 * model->nb + model->nv * model->nv) * sizeof(double);
}

static void kinematics(MbSolverWork *work, const double *q, const double *v, MbMaximal *x, size_t begin,
                       size_t end) {
  (void)begin, (void)end;
  mb_tree_kinematics(&work->tree, q, v, x);
}

static void bias(MbSolverWork *work, MbMaximal *x) { mb_tree_bias(&work->tree, x); }
static void momentum(MbSolverWork *work, const double *v, double *y) {
  mb_tree_momentum(&work->tree, v, y);
  mb_coordinates_momentum(work->tree.model, v, y);
}
static void gather(MbSolverWork *work, const double *f, double *y) { mb_tree_gather(&work->tree, f, y); }
static void blocks(MbSolverWork *work, const double *B, double s, const double *v, double *y) {
  mb_tree_blocks(&work->tree, B, s, v, y);
}

// x ← Xᵀ x
static void to_parent(const double X[36], double x[6]) {
  double up[6] = {0};
  for (int m = 0; m < 6; m++)
    for (int l = 0; l < 6; l++) up[m] += X[6 * l + m] * x[l];
  memcpy(x, up, sizeof up);
}

// The row f of C, of number `row`, against the columns of J_j
static void add_row(MbSolverWork *work, size_t row, double f[6], size_t j) {
  const MbModel *model = work->tree.model;
  for (; j != MB_WORLD; j = model->parent[j]) {
    for (size_t k = 0; k < mb_tree_dofs(model, j); k++) {
      const size_t column = model->v_first[j] + k;
      double sum = 0;
      for (size_t l = 0; l < 6; l++) sum += f[l] * work->tree.T[6 * column + l];
      if (row == column)
        work->A[row * model->nv + row] += 2 * sum;
      else
        work->A[row < column ? row * model->nv + column : column * model->nv + row] += sum;
    }
    if (model->parent[j] != MB_WORLD) to_parent(work->tree.X + 36 * j, f);
  }
}

static void add_pair(MbSolverWork *work, size_t i, size_t j, const double *block) {
  const MbModel *model = work->tree.model;
  double B[36]; // its rows seen from i and then its ancestors
  memcpy(B, block, sizeof B);
  for (; i != MB_WORLD; i = model->parent[i]) {
    for (size_t k = 0; k < mb_tree_dofs(model, i); k++) {
      const size_t row = model->v_first[i] + k;
      double f[6] = {0};
      for (size_t l = 0; l < 6; l++)
        for (size_t m = 0; m < 6; m++) f[m] += work->tree.T[6 * row + l] * B[6 * l + m];
      add_row(work, row, f, j);
    }
    if (model->parent[i] == MB_WORLD) break;
    double up[36] = {0};
    const double *X = work->tree.X + 36 * i;
    for (int k = 0; k < 6; k++)
      for (int l = 0; l < 6; l++)
        for (int m = 0; m < 6; m++) up[6 * k + m] += X[6 * l + k] * B[6 * l + m];
    memcpy(B, up, sizeof B);
  }
}

// What the joint of b has of its own
static void add_own(MbSolverWork *work, const MbMaximal *x, size_t b, double a, double c) {
  const MbModel *model = work->tree.model;
  const size_t n = model->joint[b].n, first = model->v_first[b];
  double own[MB_JOINT_MOST * MB_JOINT_MOST];
  for (size_t i = first; model->rotors && model->joint[b].ops && i < first + n; i++)
    work->A[i * model->nv + i] += model->joint_inertia[i];
  if (!model->joint[b].ops || (!model->sprung && !mb_model_drives(model)) || (a == 0 && c == 0)) return;
  mb_coordinates_own(model, x, b, a, c, own);
  for (size_t i = 0; i < n; i++)
    for (size_t j = i; j < n; j++) work->A[(first + i) * model->nv + first + j] += own[n * i + j];
}

static bool factor(MbSolverWork *work, const MbMaximal *x, double a, double c, bool exact, size_t *blame) {
  const MbModel *model = work->tree.model;
  const size_t nv = model->nv;
  (void)exact; // the integrators that run here take K symmetrised
  memset(work->A, 0, nv * nv * sizeof *work->A);
  for (size_t b = 0; b < model->nb; b++) mb_body_block(work->Ia + 36 * b, model->M, x, b, a, c, false);
  for (size_t b = model->nb; b-- > 0;) {
    const double *Ia = work->Ia + 36 * b;
    if (model->parent[b] != MB_WORLD)
      mb_tree_carry(work->Ia + 36 * model->parent[b], work->tree.X + 36 * b, Ia);
    for (size_t i = 0; i < mb_tree_dofs(model, b); i++) {
      const size_t column = model->v_first[b] + i;
      double F[6];
      mb_mat6_apply(F, Ia, work->tree.T + 6 * column);
      // the row of an ancestor has the smaller number: A's lower triangle, seen from the other side
      for (size_t j = b;;) {
        for (size_t k = 0; k < mb_tree_dofs(model, j); k++) {
          const size_t row = model->v_first[j] + k;
          double sum = 0;
          for (size_t l = 0; l < 6; l++) sum += work->tree.T[6 * row + l] * F[l];
          if (row <= column) work->A[row * nv + column] = sum;
        }
        if (model->parent[j] == MB_WORLD) break;
        to_parent(work->tree.X + 36 * j, F);
        j = model->parent[j];
      }
    }
    add_own(work, x, b, a, c);
  }
  mb_coupling_set(&work->coupling, x, a, c, false);
  for (size_t n = 0; work->coupling.on && n < model->npairs; n++)
    add_pair(work, model->pair[2 * n], model->pair[2 * n + 1], work->coupling.pair + 72 * n);
  if (!nv) return true;
  const lapack_int info = mb_lapack.dpotrf(LAPACK_COL_MAJOR, 'L', (lapack_int)nv, work->A, (lapack_int)nv);
  if (info == 0) return true;
  *blame = 0; // the body that the failing column belongs to
  for (size_t b = 0; info > 0 && b < model->nb; b++)
    if (model->v_first[b] < (size_t)info) *blame = b;
  return false;
}

static bool apply(MbSolverWork *work, double *x, const double *aim, double *lambda) {
  (void)aim, (void)lambda;
  const lapack_int nv = (lapack_int)work->tree.model->nv;
  if (nv) mb_lapack.dpotrs(LAPACK_COL_MAJOR, 'L', nv, 1, work->A, nv, x, nv);
  return true;
}

static void carry(MbSolverWork *work, size_t body, const double w[6], double *seen, double *y) {
  (void)seen;
  mb_tree_push(&work->tree, body, w, y);
}
static void drift(MbSolverWork *work, double *a) { mb_tree_drift(&work->tree, a); }

const MbSolverOps mb_redmax_dense_ops = {
    .name = "redmax dense",
    .create = create,
    .free = free_work,
    .bytes = bytes,
    .kinematics = kinematics,
    .bias = bias,
    .factor = factor,
    .apply = apply,
    .map = &mb_own_coordinates,
    .claims = &mb_claims_nothing,
    .momentum = momentum,
    .gather = gather,
    .blocks = blocks,
    .carry = carry,
    .drift = drift,
};
