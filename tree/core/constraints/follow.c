// A node at the mean of others, its masters (AR 0.17): g = p − Σ w_j p_j − d in the world's axes, three rows
//   ġ_i = e_i · (ṗ − Σ w_j ṗ_j),   g̈_i = H φ̇ + e_i · (p̈ − Σ w_j p̈_j at φ̇ = 0).
// H of the node is here, those of the masters follow from `along`: each is −w_j e_i at the master's point.
#include "core/constraints/constraints.h"

static void eval(const MbConstraint *constraint, const MbInstant *at, MbRow *rows) {
  const MbPoint node = mb_constraint_point(constraint, 0, at->x);
  const double *d = constraint->at[1];
  double p[3], a[3], size = 1e-3 + mb_vec3_norm(node.p) + mb_vec3_norm(d);
  mb_vec3_sub(p, node.p, d);
  mb_vec3_copy(a, node.a);
  for (size_t k = 0; k < constraint->nmasters; k++) {
    const MbMaster *master = &constraint->master[k];
    const MbPose *E = &at->x->E[master->body];
    const double *phi = at->x->phi + 6 * master->body;
    double turn[3];
    mb_vec3_cross(turn, phi, phi + 3);
    mb_quat_rotate(turn, E->q, turn);
    mb_vec3_add_scaled(p, p, -master->weight, E->p);
    mb_vec3_add_scaled(a, a, -master->weight, turn);
    size += fabs(master->weight) * mb_vec3_norm(E->p);
  }
  for (int i = 0; i < 3; i++) {
    const double e[3] = {i == 0, i == 1, i == 2};
    mb_constraint_along(constraint, 0, at->x, e, 1, &rows[i]);
    mb_vec3_scale(rows[i].along, -1, e);
    rows[i].g = p[i];
    rows[i].gtt = a[i];
    rows[i].size = size;
  }
}

const MbConstraintOps mb_follow_ops = {.name = "follow", .rows = 3, .eval = eval};
