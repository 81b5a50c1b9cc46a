// Kinematics of the tree body by body, and products with J, Jᵀ and J̇ in O(n) (tree.h).
#include "core/solvers/redmax/tree.h"
#include "core/base/alloc.h"
#include "core/math/dense6.h"
#include "core/model/coordinates.h"
#include "core/solvers/coupled.h"

#include <string.h>

bool mb_tree_create(const MbModel *model, MbTree *tree) {
  const size_t nb = model->nb;
  *tree = (MbTree){.model = model};
  tree->X = mb_calloc(36 * nb, sizeof(double));
  tree->T = mb_calloc(6 * model->nv, sizeof(double));
  tree->c = mb_calloc(6 * nb, sizeof(double));
  tree->phi = mb_calloc(6 * nb, sizeof(double));
  tree->twist = mb_calloc(model->npairs ? 6 * nb : 0, sizeof(double));
  tree->S = mb_calloc(6 * MB_JOINT_MOST, sizeof(double));
  tree->Sdot = mb_calloc(6 * MB_JOINT_MOST, sizeof(double));
  return tree->X && tree->T && tree->c && tree->phi && tree->twist && tree->S && tree->Sdot;
}

void mb_tree_free(MbTree *tree) {
  mb_free(tree->X);
  mb_free(tree->T);
  mb_free(tree->c);
  mb_free(tree->phi);
  mb_free(tree->twist);
  mb_free(tree->S);
  mb_free(tree->Sdot);
}

size_t mb_tree_bytes(const MbModel *model) {
  return ((model->npairs ? 54 : 48) * model->nb + 6 * model->nv + 12 * MB_JOINT_MOST) * sizeof(double);
}

// y += Aᵀ x
static void add_transposed(double y[6], const double A[36], const double x[6]) {
  for (int j = 0; j < 6; j++)
    for (int i = 0; i < 6; i++) y[j] += A[6 * i + j] * x[i];
}

static void add_columns(double y[6], const double *T, size_t n, const double *v) {
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < 6; k++) y[k] += T[6 * i + k] * v[i];
}

// A body free in space: E is its coordinates, T = diag(1, Rᵀ), Ṫ v the drift.
static void free_body(MbTree *tree, size_t b, const double *q, const double *v, MbMaximal *x) {
  const MbModel *model = tree->model;
  double *T = tree->T + 6 * model->v_first[b];
  memcpy(x->E[b].p, q + model->q_first[b], sizeof x->E[b].p);
  memcpy(x->E[b].q, q + model->q_first[b] + 3, sizeof x->E[b].q);
  mb_twist_of_velocity(&x->E[b], v + model->v_first[b], x->phi + 6 * b);
  memset(T, 0, 36 * sizeof *T);
  for (int i = 0; i < 3; i++) {
    const double e[3] = {i == 0, i == 1, i == 2};
    T[7 * i] = 1;
    mb_quat_unrotate(T + 6 * (3 + i) + 3, x->E[b].q, e);
  }
  mb_twist_drift(x->phi + 6 * b, tree->c + 6 * b);
}

// E_i = E_p P Q B,  T = Ad(B⁻¹) S,  X = Ad((P Q B)⁻¹)
static void jointed_body(MbTree *tree, size_t b, const double *q, const double *v, MbMaximal *x) {
  const MbModel *model = tree->model;
  const MbJoint *joint = &model->joint[b];
  const size_t p = model->parent[b], n = joint->n;
  double *T = tree->T + 6 * model->v_first[b], *c = tree->c + 6 * b, *phi = x->phi + 6 * b;
  const double *vb = v + model->v_first[b];
  MbPose Q, E, inverse;
  double A[36], Tv[6] = {0}, Tdotv[6] = {0};
  joint->ops->eval(joint, q + model->q_first[b], vb, &Q, tree->S, tree->Sdot);
  mb_pose_mul(&E, &model->P[b], &Q);
  mb_pose_mul(&E, &E, &model->B[b]);
  mb_pose_inverse(&inverse, &model->B[b]);
  mb_se3_adjoint(A, &inverse);
  for (size_t i = 0; i < n; i++) {
    double Tdot[6];
    mb_mat6_apply(T + 6 * i, A, tree->S + 6 * i);
    mb_mat6_apply(Tdot, A, tree->Sdot + 6 * i);
    for (int k = 0; k < 6; k++) Tdotv[k] += Tdot[k] * vb[i];
  }
  add_columns(Tv, T, n, vb);

  if (p == MB_WORLD) {
    x->E[b] = E;
    memcpy(phi, Tv, sizeof Tv);
  } else {
    double *X = tree->X + 36 * b;
    mb_pose_inverse(&inverse, &E);
    mb_se3_adjoint(X, &inverse);
    mb_pose_mul(&x->E[b], &x->E[p], &E);
    mb_mat6_apply(phi, X, x->phi + 6 * p);
    for (int k = 0; k < 6; k++) phi[k] += Tv[k];
  }
  mb_quat_normalise(x->E[b].q);
  mb_se3_ad(A, phi);
  mb_mat6_apply(c, A, Tv);
  for (int k = 0; k < 6; k++) c[k] += Tdotv[k];
}

void mb_tree_kinematics(MbTree *tree, const double *q, const double *v, MbMaximal *x) {
  for (size_t b = 0; b < tree->model->nb; b++) {
    if (tree->model->joint[b].ops)
      jointed_body(tree, b, q, v, x);
    else
      free_body(tree, b, q, v, x);
  }
}

void mb_tree_drift(const MbTree *tree, double *a) {
  const MbModel *model = tree->model;
  for (size_t b = 0; b < model->nb; b++) {
    const size_t p = model->parent[b];
    double *ab = a + 6 * b;
    memset(ab, 0, 6 * sizeof *ab);
    if (p != MB_WORLD) mb_mat6_apply(ab, tree->X + 36 * b, a + 6 * p);
    for (size_t k = 0; k < 6; k++) ab[k] += tree->c[6 * b + k];
  }
}

void mb_tree_bias(MbTree *tree, MbMaximal *x) {
  const MbModel *model = tree->model;
  mb_tree_drift(tree, tree->phi);
  for (size_t i = 0; i < 6 * model->nb; i++) x->f[i] -= model->M[i] * tree->phi[i];
}

void mb_tree_push(const MbTree *tree, size_t body, const double w[6], double *y) {
  const MbModel *model = tree->model;
  double F[6];
  memcpy(F, w, sizeof F);
  for (size_t b = body;;) {
    const size_t first = model->v_first[b], n = mb_tree_dofs(model, b);
    for (size_t i = 0; i < n; i++)
      for (size_t k = 0; k < 6; k++) y[first + i] += tree->T[6 * (first + i) + k] * F[k];
    if (model->parent[b] == MB_WORLD) return;
    double up[6] = {0};
    add_transposed(up, tree->X + 36 * b, F);
    memcpy(F, up, sizeof F);
    b = model->parent[b];
  }
}

void mb_tree_twists(const MbTree *tree, const double *v, double *phi) {
  const MbModel *model = tree->model;
  for (size_t b = 0; b < model->nb; b++) {
    const size_t p = model->parent[b], first = model->v_first[b];
    double *y = phi + 6 * b;
    memset(y, 0, 6 * sizeof *y);
    if (p != MB_WORLD) mb_mat6_apply(y, tree->X + 36 * b, phi + 6 * p);
    add_columns(y, tree->T + 6 * first, mb_tree_dofs(model, b), v + first);
  }
}

void mb_tree_gather(MbTree *tree, const double *f, double *y) {
  const MbModel *model = tree->model;
  double *F = tree->phi; // wrench on the subtree
  if (F != f) memcpy(F, f, 6 * model->nb * sizeof *F);
  for (size_t b = model->nb; b-- > 0;) {
    const size_t p = model->parent[b], first = model->v_first[b], n = mb_tree_dofs(model, b);
    for (size_t i = 0; i < n; i++) {
      const double *T = tree->T + 6 * (first + i);
      y[first + i] = 0;
      for (size_t k = 0; k < 6; k++) y[first + i] += T[k] * F[6 * b + k];
    }
    if (p != MB_WORLD) add_transposed(F + 6 * p, tree->X + 36 * b, F + 6 * b);
  }
}

void mb_tree_momentum(MbTree *tree, const double *v, double *y) {
  const MbModel *model = tree->model;
  mb_tree_twists(tree, v, tree->phi);
  for (size_t i = 0; i < 6 * model->nb; i++) tree->phi[i] *= model->M[i];
  mb_tree_gather(tree, tree->phi, y);
}

void mb_tree_blocks(MbTree *tree, const double *B, double s, const double *v, double *y) {
  const MbModel *model = tree->model;
  double *F = tree->phi, *phi = model->npairs ? tree->twist : F;
  mb_tree_twists(tree, v, phi);
  for (size_t b = 0; b < model->nb; b++) {
    double t[6];
    mb_mat6_apply(t, B + 36 * b, phi + 6 * b);
    for (size_t k = 0; k < 6; k++) F[6 * b + k] = s * t[k];
  }
  mb_pairs_multiply(model, B + 36 * model->nb, s, phi, F);
  for (size_t b = model->nb; b-- > 0;) {
    const size_t p = model->parent[b], first = model->v_first[b];
    for (size_t i = 0; i < mb_tree_dofs(model, b); i++)
      for (size_t k = 0; k < 6; k++) y[first + i] += tree->T[6 * (first + i) + k] * F[6 * b + k];
    if (p != MB_WORLD) add_transposed(F + 6 * p, tree->X + 36 * b, F + 6 * b);
  }
}

void mb_tree_carry(double *Ip, const double *X, const double *Ia) {
  double IX[36];
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) {
      double sum = 0;
      for (int k = 0; k < 6; k++) sum += Ia[6 * i + k] * X[6 * k + j];
      IX[6 * i + j] = sum;
    }
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) {
      double sum = 0;
      for (int k = 0; k < 6; k++) sum += X[6 * k + i] * IX[6 * k + j];
      Ip[6 * i + j] += sum;
    }
}
