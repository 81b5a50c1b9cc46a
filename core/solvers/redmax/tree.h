// What the reduced solvers share: the tree's kinematics at the last (q, v), and products with J in O(n).
//   φ_i = X_i φ_p + T_i v_i,   J̇ v by  a_i = X_i a_p + c_i,   c = ad(φ) T v + Ṫ v
#ifndef MB_SOLVERS_REDMAX_TREE_H
#define MB_SOLVERS_REDMAX_TREE_H

#include "core/model/ops.h"

typedef struct MbTree {
  const MbModel *model;
  double *X;        // (nb x 36) Ad of parent's C in C; unused without a parent
  double *T;        // (nv x 6) twist of the joint's body for each unit velocity, in its C
  double *c;        // (nb x 6)
  double *phi;      // (nb x 6) scratch
  double *twist;    // (nb x 6) scratch, where forces couple bodies
  double *S, *Sdot; // (MB_JOINT_MOST x 6) scratch
} MbTree;

bool mb_tree_create(const MbModel *model, MbTree *tree);
void mb_tree_free(MbTree *tree);
size_t mb_tree_bytes(const MbModel *model);

void mb_tree_kinematics(MbTree *tree, const double *q, const double *v, MbMaximal *x);
void mb_tree_drift(const MbTree *tree, double *a);                                // a = J̇ v
void mb_tree_bias(MbTree *tree, MbMaximal *x);                                    // f −= M J̇ v
void mb_tree_twists(const MbTree *tree, const double *v, double *phi);            // φ = J v
void mb_tree_gather(MbTree *tree, const double *f, double *y);                    // y = Jᵀ f
void mb_tree_push(const MbTree *tree, size_t body, const double w[6], double *y); // y += Jᵀ w of one
void mb_tree_momentum(MbTree *tree, const double *v, double *y);                  // y = Jᵀ M J v
void mb_tree_blocks(MbTree *tree, const double *B, double s, const double *v, double *y); // y += s Jᵀ B J v

// Adds a body's inertia to what its parent carries: I_p += Xᵀ Ia X.
void mb_tree_carry(double *Ip, const double *X, const double *Ia);

// Degrees of freedom of body b.
static inline size_t mb_tree_dofs(const MbModel *model, size_t b) {
  return model->joint[b].ops ? model->joint[b].n : 6;
}

#endif
