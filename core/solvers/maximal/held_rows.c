// Rows of the joints at one instant, and products with them.
#include "core/math/dense6.h"
#include "core/model/coordinates.h"
#include "core/model/joint_gap.h"
#include "core/solvers/maximal/held.h"
#include "core/solvers/redmax/tree.h"

#include <string.h>

// out (rows x 6) = W A
static void rows_times(double *out, const double *W, size_t rows, const double A[36]) {
  for (size_t r = 0; r < rows; r++)
    for (size_t j = 0; j < 6; j++) {
      double sum = 0;
      for (size_t i = 0; i < 6; i++) sum += W[6 * r + i] * A[6 * i + j];
      out[6 * r + j] = sum;
    }
}

static double dot6(const double a[6], const double b[6]) {
  double sum = 0;
  for (int k = 0; k < 6; k++) sum += a[k] * b[k];
  return sum;
}

void mb_held_down(const MbHeldPlace *X, const double x[6], double y[6]) {
  double t[3];
  mb_mat3_apply(y, X->R, x);
  mb_mat3_apply(y + 3, X->R, x + 3);
  mb_vec3_cross(t, X->p, y);
  mb_vec3_add(y + 3, y + 3, t);
}

// ( Rᵀ (τ − p × f) ; Rᵀ f )
void mb_held_up(const MbHeldPlace *X, double s, const double x[6], double *y) {
  double t[3], u[3];
  mb_vec3_cross(t, X->p, x + 3);
  mb_vec3_sub(t, x, t);
  mb_mat3_tapply(t, X->R, t);
  mb_mat3_tapply(u, X->R, x + 3);
  mb_vec3_add_scaled(y, y, s, t);
  mb_vec3_add_scaled(y + 3, y + 3, s, u);
}

static void loose_body(MbHeld *held, size_t b, const MbMaximal *x) {
  const MbModel *model = held->model;
  const size_t q = model->q_first[b], v = model->v_first[b];
  memcpy(held->q + q, x->E[b].p, sizeof x->E[b].p);
  memcpy(held->q + q + 3, x->E[b].q, sizeof x->E[b].q);
  double *V = held->V + 6 * v;
  mb_velocity_of_twist(&x->E[b], x->phi + 6 * b, held->v + v);
  memset(V, 0, 36 * sizeof *V);
  for (size_t i = 0; i < 3; i++) {
    const double e[3] = {i == 0, i == 1, i == 2};
    V[7 * i] = 1;
    mb_quat_unrotate(V + 6 * (3 + i) + 3, x->E[b].q, e);
  }
}

// No place of the joint is found: whatever uses it will say that it is not a number.
static void lose(MbHeld *held, size_t b) {
  const MbModel *model = held->model;
  for (size_t r = held->first[b]; r < held->first[b] + held->rows[b]; r++) held->g[r] = NAN;
  for (size_t k = 0; k < model->joint[b].n; k++)
    held->q[model->q_first[b] + k] = held->v[model->v_first[b] + k] = NAN;
}

// A joint of any kind.
static void general_joint(MbHeld *held, size_t b, const MbPose *seen) {
  const MbModel *model = held->model;
  const MbJoint *joint = &model->joint[b];
  const size_t p = model->parent[b], first = held->first[b], v = model->v_first[b];
  double *q = held->q + model->q_first[b], Ad[36], ad[36], xi[6], carry[6];
  MbPose E;
  MbJointGap gap;
  mb_se3_ad(ad, held->eta + 6 * b);
  mb_mat6_apply(carry, ad, held->seen + 6 * b);
  mb_held_add_drift(held, b, carry);
  mb_pose_inverse(&E, seen);
  mb_joint_between(&model->P[b], &model->B[b], &E, &E);
  mb_se3_adjoint(Ad, &model->B[b]);
  mb_mat6_apply(xi, Ad, held->eta + 6 * b);
  memcpy(q, held->guess + model->q_first[b], joint->n * sizeof *q);
  if (!mb_joint_gap(joint, &E, xi, q, &gap)) {
    lose(held, b);
    return;
  }
  rows_times(held->Jc + 6 * first, gap.W, gap.rows, Ad);
  rows_times(held->V + 6 * v, gap.V, gap.n, Ad);
  for (size_t r = first; r < first + gap.rows; r++) {
    held->g[r] = gap.g[r - first];
    held->angle[r] = gap.of[r - first] < 3;
    held->bend[r] = gap.bend[r - first] + dot6(held->Jc + 6 * r, carry);
    if (held->posture) continue;
    memset(held->Jp + 6 * r, 0, 6 * sizeof *held->Jp);
    if (p != MB_WORLD) mb_held_up(&held->X[b], -1, held->Jc + 6 * r, held->Jp + 6 * r);
  }
  if (held->posture) {
    MbPose out;
    mb_pose_inverse(&out, &model->B[b]);
    mb_se3_adjoint(Ad, &out);
    for (size_t r = 0; r < gap.rows; r++) mb_mat6_apply(held->Z + 6 * (first + r), Ad, gap.Z + 6 * r);
    for (size_t i = 0; i < gap.n; i++) mb_mat6_apply(held->N + 6 * (v + i), Ad, gap.N + 6 * i);
  }
  for (size_t i = 0; i < gap.n; i++) {
    held->v[v + i] = gap.v[i];
    held->turn[v + i] = gap.turn[i] + dot6(held->V + 6 * (v + i), carry);
  }
}

static void jointed_body(MbHeld *held, size_t b, const MbMaximal *x) {
  const size_t p = held->model->parent[b];
  const double *phi = x->phi + 6 * b;
  double *eta = held->eta + 6 * b, *seen = held->seen + 6 * b;
  MbHeldPlace *X = &held->X[b];
  MbPose E;
  mb_pose_inverse(&E, &x->E[b]);
  if (p != MB_WORLD) mb_pose_mul(&E, &E, &x->E[p]);
  mb_quat_to_mat3(X->R, E.q);
  mb_vec3_copy(X->p, E.p);
  memset(seen, 0, 6 * sizeof *seen);
  if (p != MB_WORLD) mb_held_down(X, x->phi + 6 * p, seen);
  for (int k = 0; k < 6; k++) eta[k] = phi[k] - seen[k];
  general_joint(held, b, &E);
}

void mb_held_joint(MbHeld *held, size_t b, const MbMaximal *x) {
  held->E = x->E, held->phi = x->phi;
  jointed_body(held, b, x);
}

void mb_held_bend(MbHeld *held) {
  if (held->bent) return;
  held->bent = true;
  for (size_t b = 0; b < held->model->nb; b++)
    if (held->hinged[b]) mb_held_bend_hinge(held, b);
}

// A constraint that holds the body.
static void held_body(MbHeld *held, size_t b, const MbMaximal *x) {
  const MbModel *model = held->model;
  const MbConstraint *constraint = &model->constraints[held->by[b]];
  const MbInstant at = {
      .x = x, .q = held->q, .v = held->v, .h = model->integrator.kind == MB_RK45 ? 0 : model->h};
  static const MbRow none = {.body = {MB_WORLD, MB_WORLD}};
  MbRow row[MB_ROWS];
  for (size_t k = 0; k < MB_ROWS; k++) row[k] = none;
  constraint->ops->eval(constraint, &at, row);
  for (size_t k = 0; k < held->rows[b]; k++) {
    const size_t r = held->first[b] + k;
    memset(held->Jc + 6 * r, 0, 6 * sizeof *held->Jc);
    memset(held->Jp + 6 * r, 0, 6 * sizeof *held->Jp);
    for (int end = 0; end < 2; end++)
      if (row[k].body[end] != MB_WORLD)
        memcpy((row[k].body[end] == b ? held->Jc : held->Jp) + 6 * r, row[k].H[end], sizeof row[k].H[end]);
    held->g[r] = row[k].order || !isfinite(row[k].gt) ? row[k].gt - row[k].gt : row[k].g;
    held->gt[r] = row[k].gt, held->bend[r] = row[k].gtt;
    for (int end = 0; end < 2; end++) {
      double drift[6];
      if (row[k].body[end] == MB_WORLD) continue;
      mb_twist_drift(x->phi + 6 * row[k].body[end], drift);
      held->bend[r] += dot6(row[k].H[end], drift);
    }
    held->order[r] = (unsigned char)row[k].order;
    held->angle[r] = row[k].angle;
  }
}

void mb_held_update(MbHeld *held, const double *q, const MbMaximal *x) {
  const MbModel *model = held->model;
  memcpy(held->guess, q, model->nq * sizeof *q);
  held->bent = false;
  held->E = x->E, held->phi = x->phi;
  for (size_t b = 0; b < model->nb; b++) {
    if (held->hinged[b])
      held->kernels->hinge(held, b, x);
    else if (model->joint[b].ops)
      jointed_body(held, b, x);
    else
      loose_body(held, b, x);
    if (held->by[b] != MB_WORLD) held_body(held, b, x);
  }
}

// The bodies' twists of velocities v
static const double *twists(const MbHeld *held, const double *v) {
  for (size_t b = 0; b < held->model->nb; b++)
    mb_twist_of_velocity(&held->E[b], v + 6 * b, held->twist + 6 * b);
  return held->twist;
}

void mb_held_speeds(const MbHeld *held, const double *v, double *rate) {
  const MbModel *model = held->model;
  const double *phi = twists(held, v);
  for (size_t b = 0; b < model->nb; b++) {
    const size_t p = held->up[b], first = held->first[b], end = first + held->rows[b];
    double eta[6];
    memcpy(eta, phi + 6 * b, sizeof eta);
    if (held->by[b] == MB_WORLD && p != MB_WORLD && first < end) {
      double seen[6];
      mb_held_down(&held->X[b], phi + 6 * p, seen);
      for (int k = 0; k < 6; k++) eta[k] -= seen[k];
    }
    for (size_t r = first; r < end; r++) {
      rate[r] = dot6(held->Jc + 6 * r, eta);
      if (held->by[b] != MB_WORLD && p != MB_WORLD) rate[r] += dot6(held->Jp + 6 * r, phi + 6 * p);
    }
  }
}

// ---- products with V --------------------------------------------------------------------------------------

void mb_held_rates(const MbHeld *held, const double *v, double *rate) {
  const MbModel *model = held->model;
  const double *phi = twists(held, v);
  for (size_t b = 0; b < model->nb; b++) {
    const size_t p = model->parent[b], first = model->v_first[b], n = mb_tree_dofs(model, b);
    double eta[6];
    memcpy(eta, phi + 6 * b, sizeof eta);
    if (p != MB_WORLD) {
      double seen[6];
      mb_held_down(&held->X[b], phi + 6 * p, seen);
      for (int k = 0; k < 6; k++) eta[k] -= seen[k];
    }
    for (size_t i = 0; i < n; i++) rate[first + i] = dot6(held->V + 6 * (first + i), eta);
  }
}

// y += (1, −Xᵀ) w on the body and its parent
static void push(const MbHeld *held, size_t b, const double w[6], double *y) {
  const size_t p = held->model->parent[b];
  double own[6], other[6] = {0};
  mb_velocity_of_twist(&held->E[b], w, own);
  for (size_t k = 0; k < 6; k++) y[6 * b + k] += own[k];
  if (p == MB_WORLD) return;
  mb_held_up(&held->X[b], -1, w, other);
  mb_velocity_of_twist(&held->E[p], other, other);
  for (size_t k = 0; k < 6; k++) y[6 * p + k] += other[k];
}

void mb_held_along(const MbHeld *held, size_t k, double s, double *y) {
  double w[6];
  for (size_t i = 0; i < 6; i++) w[i] = s * held->V[6 * k + i];
  push(held, held->owner[k], w, y);
}

void mb_held_spread(const MbHeld *held, const double *f, double *y) {
  const MbModel *model = held->model;
  for (size_t b = 0; b < model->nb; b++) {
    const size_t first = model->v_first[b], n = mb_tree_dofs(model, b);
    double w[6] = {0};
    bool any = false;
    for (size_t i = first; i < first + n; i++)
      for (size_t k = 0; k < 6 && f[i] != 0; k++) w[k] += f[i] * held->V[6 * i + k], any = true;
    if (any) push(held, b, w, y);
  }
}
