// Steps and passes of one solution linearise the forces on bodies: beside f at their start they have on each body
//
//   e = ½ ( D x₁ + Dᵀ x₂ + K y₁ + Kᵀ y₂ )
//
// and what a turned path pulls besides (forces/path_turn.c), with K and D those of the step (MbMaximal.exact is false), Dᵀ and Kᵀ the opposite blocks' transposes, since A has the mean of the two, and x₁ … y₂ sums of two motions of
// the bodies: φ = J v, and Φ⁺ = J v⁺ of the velocities to come, at the step's coordinates both. The equation that such a step solves for v⁺ is then
//
//   τ(q, v, a) − Jᵀ e = 0     beside what acts along coordinates      (sensitivity_once.c, sensitivity_halves.c have what x₁ … y₂ are)
//
// Along a motion of the bodies ε and changes δφ, δΦ⁺ (of which that by v⁺ is A's, and is not here)
//
//   δe = e′(ε, δφ) + ½ ( D δx₁ + Dᵀ δx₂ + K δy₁ + Kᵀ δy₂ ),    δΦ⁺ = X δΦ⁺_p − ad(σ) X Φ⁺_p + (D T δq) v⁺
//
// where e′ is how K and D change, x₁ … y₂ held fixed in the bodies' axes. Forces tell it as what  z · e  is felt by along ε and δφ for any weights z (MbForceOps.curve). Backwards
// that is asked once, with the weights that have gone down the tree. Along, it is asked for each number of e of the bodies that a force is about: e is linear in the weights.
#include "core/sim/tangent_linear.h"
#include "core/forces/points.h"
#include "core/math/dense6.h"
#include "core/math/spatial.h"
#include "core/sim/evaluate.h"
#include "core/sim/tangent_moved.h"
#include "core/sim/tangent_parts.h"

#include <string.h>

enum { BODIES_MOST = 2 * MB_PATH_MOST }; // of one force, with those that carry them

bool mb_tangent_linearise(MbSim *sim, MbTangent *t, const MbTangentTerms *of, double ahead) {
  const size_t nb = sim->model->nb, nv = sim->model->nv, blocks = 36 * (nb + 2 * sim->model->npairs);
  MbTangentLinear *l = mb_arena_alloc(&sim->arena, 1, sizeof *l);
  if (!l) return false;
  *l = (MbTangentLinear){.forces = of != NULL, .ahead = ahead};
  if (of) l->of = *of;
  double **const of_bodies[] = {&l->phi, &l->Xphi, &l->Tv, &l->dphi,    &l->x1,     &l->x2, &l->y1,
                                &l->y2,  &l->e,    &l->z,  &l->by_move, &l->by_phi, &l->f};
  double **const of_blocks[] = {&l->B, &l->own_K, &l->own_D};
  bool ok = (l->DTv = mb_arena_alloc(&sim->arena, 6 * nv, sizeof(double))) != NULL &&
            (l->body = mb_arena_alloc(&sim->arena, BODIES_MOST, sizeof *l->body)) != NULL;
  for (size_t i = 0; i < sizeof of_bodies / sizeof *of_bodies; i++)
    ok = ok && (*of_bodies[i] = mb_arena_alloc(&sim->arena, 6 * nb, sizeof(double))) != NULL;
  for (size_t i = 0; i < sizeof of_blocks / sizeof *of_blocks; i++)
    ok = ok && (*of_blocks[i] = mb_arena_alloc(&sim->arena, blocks, sizeof(double))) != NULL;
  t->linear = l;
  return ok;
}

const char *mb_tangent_linear_refuses(const MbModel *model) {
  for (size_t i = 0; i < model->nforces; i++)
    if (!model->forces[i].ops->curve && !model->forces[i].ops->everywhere)
      return "there are no exact ones of forces that do not tell how their derivatives change";
  return NULL;
}

void mb_tangent_terms(MbTangent *t, const MbTangentTerms *of) {
  if (t->linear && t->linear->forces) t->linear->of = *of;
}

void mb_tangent_to(MbTangent *t, const double *v1) {
  if (t->linear) t->linear->to = v1;
}

void mb_tangent_plain(MbTangent *t, bool plain) {
  if (plain && t->linear) t->left_out = t->linear, t->linear = NULL;
  if (!plain && t->left_out) t->linear = t->left_out, t->left_out = NULL;
}

void mb_tangent_linear_blocks(MbSim *sim, MbTangent *t, double time) {
  sim->x.ahead = t->linear->ahead;
  mb_sim_signals(sim, time);
  mb_sim_outer_blocks(sim, time);
  sim->x.ahead = 0;
  memcpy(t->linear->f, sim->x.f, 6 * sim->model->nb * sizeof(double));
}

// ---- at one instant -----------------------------------------------------------------------------------------------

void mb_linear_down(const MbSim *sim, MbTangent *t) {
  const MbModel *model = sim->model;
  MbTangentLinear *l = t->linear;
  for (size_t b = 0; b < model->nb; b++) {
    const size_t p = model->parent[b], first = model->v_first[b], n = mb_tangent_dofs(model, b);
    double *Xphi = l->Xphi + 6 * b, *Tv = l->Tv + 6 * b;
    memset(Xphi, 0, 6 * sizeof *Xphi), memset(Tv, 0, 6 * sizeof *Tv);
    mb_add_columns(Tv, t->T + 6 * first, n, l->to + first);
    if (p != MB_WORLD) mb_apply_motion(Xphi, t->X + 36 * b, l->phi + 6 * p);
    for (size_t k = 0; k < 6; k++) l->phi[6 * b + k] = Xphi[k] + Tv[k];
  }
  if (!l->forces) return;
  for (size_t i = 0; i < 6 * model->nb; i++) {
    const double plus = l->phi[i], phi = sim->x.phi[i];
    l->x1[i] = l->of.x1[0] * plus + l->of.x1[1] * phi, l->x2[i] = l->of.x2[0] * plus + l->of.x2[1] * phi;
    l->y1[i] = l->of.y1[0] * plus + l->of.y1[1] * phi, l->y2[i] = l->of.y2[0] * plus + l->of.y2[1] * phi;
  }
}

MbLinearBlock mb_linear_block(const MbModel *model, size_t k) {
  if (k < model->nb) return (MbLinearBlock){k, k, k};
  const size_t n = k - model->nb;
  return (MbLinearBlock){model->pair[n], model->pair[n ^ 1], model->nb + (n ^ 1)};
}

size_t mb_linear_blocks(const MbModel *model) { return model->nb + 2 * model->npairs; }

static void find_e(const MbSim *sim, MbTangentLinear *l) {
  const MbModel *model = sim->model;
  memset(l->e, 0, 6 * model->nb * sizeof *l->e);
  for (size_t k = 0; k < mb_linear_blocks(model); k++) {
    const MbLinearBlock at = mb_linear_block(model, k);
    const double *D = sim->x.D + 36 * k, *K = sim->x.K + 36 * k;
    const double *x1 = l->x1 + 6 * at.column, *y1 = l->y1 + 6 * at.column;
    const double *x2 = l->x2 + 6 * at.row, *y2 = l->y2 + 6 * at.row;
    double *one = l->e + 6 * at.row, *other = l->e + 6 * at.column;
    for (size_t i = 0; i < 6; i++)
      for (size_t j = 0; j < 6; j++) {
        one[i] += (D[6 * i + j] * x1[j] + K[6 * i + j] * y1[j]) / 2;
        other[j] += (D[6 * i + j] * x2[i] + K[6 * i + j] * y2[i]) / 2;
      }
  }
}

static void add_e(MbSim *sim, const MbTangentLinear *l) {
  for (size_t i = 0; i < 6 * sim->model->nb; i++) sim->x.f[i] = l->f[i] + l->e[i];
}

void mb_linear_value(MbSim *sim, MbTangent *t, double time) {
  if (!t->linear->forces) return;
  mb_tangent_linear_blocks(sim, t, time);
  mb_linear_down(sim, t);
  find_e(sim, t->linear);
  add_e(sim, t->linear);
}

// B ← ½ of blocks by Φ⁺, and t->D += those by φ
static void find_blocks(const MbSim *sim, MbTangent *t) {
  const MbModel *model = sim->model;
  const MbTangentTerms *of = &t->linear->of;
  for (size_t k = 0; k < mb_linear_blocks(model); k++) {
    const size_t opposite = mb_linear_block(model, k).opposite;
    const double *D = sim->x.D + 36 * k, *K = sim->x.K + 36 * k;
    const double *Dt = sim->x.D + 36 * opposite, *Kt = sim->x.K + 36 * opposite;
    double *B = t->linear->B + 36 * k, *by_phi = t->D + 36 * k;
    for (size_t i = 0; i < 6; i++)
      for (size_t j = 0; j < 6; j++) {
        const size_t n = 6 * i + j, m = 6 * j + i;
        B[n] = (of->x1[0] * D[n] + of->x2[0] * Dt[m] + of->y1[0] * K[n] + of->y2[0] * Kt[m]) / 2;
        by_phi[n] += (of->x1[1] * D[n] + of->x2[1] * Dt[m] + of->y1[1] * K[n] + of->y2[1] * Kt[m]) / 2;
      }
  }
}

void mb_linear_find(const MbSim *sim, MbTangent *t) {
  find_e(sim, t->linear);
  find_blocks(sim, t);
}

void mb_linear_at(MbSim *sim, MbTangent *t, double time) {
  if (t->linear->forces) mb_sim_outer_derivatives(sim, time, t->K, t->D);
  mb_linear_down(sim, t);
  if (!t->linear->forces) return;
  mb_linear_find(sim, t);
  add_e(sim, t->linear);
}

// ---- the bodies of a force ------------------------------------------------------------------------------------------

static size_t add_body(size_t *list, size_t n, size_t b) {
  if (b == MB_WORLD) return n;
  for (size_t i = 0; i < n; i++)
    if (list[i] == b) return n;
  list[n] = b;
  return n + 1;
}

// Of one that is not everywhere: those that it is about, and those that carry them.
static size_t bodies_of(const MbForce *force, const MbMaximal *x, size_t *list) {
  size_t n = 0;
  for (size_t i = 0; i < (force->npoints ? force->npoints : 1); i++) {
    const size_t b = force->npoints ? force->points[i].body : force->body;
    n = add_body(list, n, b);
    if (b != MB_WORLD && x->carrier) n = add_body(list, n, x->carrier[b]);
  }
  return n;
}

static MbMaximal as_linearised(const MbSim *sim, const MbTangentLinear *l) {
  MbMaximal x = sim->x;
  x.ahead = l->ahead;
  return x;
}

static MbForceCurve curve_at(const MbModel *model, const MbTangentLinear *l, const double *z) {
  return (MbForceCurve){.z = z,
                        .x1 = l->x1,
                        .x2 = l->x2,
                        .y1 = l->y1,
                        .y2 = l->y2,
                        .by_move = l->by_move,
                        .by_phi = l->by_phi,
                        .model = model};
}

// ---- a change -------------------------------------------------------------------------------------------------------

void mb_linear_change_down(const MbSim *sim, MbTangent *t, size_t b, const double sigma[6],
                           const double *dq) {
  const MbModel *model = sim->model;
  MbTangentLinear *l = t->linear;
  const size_t p = model->parent[b], first = model->v_first[b], n = mb_tangent_dofs(model, b);
  double *dphi = l->dphi + 6 * b;
  memset(dphi, 0, 6 * sizeof *dphi);
  if (p != MB_WORLD) mb_apply_motion(dphi, t->X + 36 * b, l->dphi + 6 * p);
  mb_add_bracket(dphi, -1, sigma, l->Xphi + 6 * b);
  mb_add_columns(dphi, l->DTv + 6 * first, n, dq + first);
}

// Of a force on many bodies, which tells by itself what along each number changes.
static void take_change(const MbModel *model, const MbForce *force, const MbMaximal *x, MbTangent *t) {
  MbTangentLinear *l = t->linear;
  MbForceCurve at = curve_at(model, l, NULL);
  at.move = t->move, at.phi = t->dphi, at.change = l->z;
  force->ops->curve(force, x, &at);
  for (size_t i = 0; i < 6 * model->nb; i++) t->dF[i] -= l->z[i], l->z[i] = 0;
}

// dF of the bodies of one force −= e′(ε, δφ)
static void take_curve(const MbModel *model, const MbForce *force, const MbMaximal *x, MbTangent *t) {
  MbTangentLinear *l = t->linear;
  const MbForceCurve at = curve_at(model, l, l->z);
  if (force->ops->changes) {
    take_change(model, force, x, t);
    return;
  }
  const size_t n = bodies_of(force, x, l->body);
  for (size_t i = 0; i < 6 * n; i++) {
    const size_t row = 6 * l->body[i / 6] + i % 6;
    l->z[row] = 1;
    force->ops->curve(force, x, &at);
    l->z[row] = 0;
    for (size_t k = 0; k < n; k++) {
      const size_t b = 6 * l->body[k];
      t->dF[row] -= mb_dot6(l->by_move + b, t->move + b) + mb_dot6(l->by_phi + b, t->dphi + b);
      memset(l->by_move + b, 0, 6 * sizeof(double)), memset(l->by_phi + b, 0, 6 * sizeof(double));
    }
  }
}

void mb_linear_take_curves(const MbSim *sim, MbTangent *t) {
  const MbModel *model = sim->model;
  const MbMaximal x = as_linearised(sim, t->linear);
  for (size_t i = 0; i < model->nforces; i++)
    if (model->forces[i].ops->curve) take_curve(model, &model->forces[i], &x, t);
}

void mb_linear_change(const MbSim *sim, MbTangent *t) {
  const MbModel *model = sim->model;
  const MbTangentLinear *l = t->linear;
  for (size_t k = 0; k < mb_linear_blocks(model) && l->forces; k++) {
    const MbLinearBlock at = mb_linear_block(model, k);
    double by[6];
    mb_mat6_apply(by, l->B + 36 * k, l->dphi + 6 * at.column);
    for (size_t i = 0; i < 6; i++) t->dF[6 * at.row + i] -= by[i];
  }
  if (l->forces) mb_linear_take_curves(sim, t);
}

// ---- backwards ------------------------------------------------------------------------------------------------------

void mb_linear_curves(const MbSim *sim, MbTangent *t, const double *Z) {
  const MbModel *model = sim->model;
  const MbForceCurve at = curve_at(model, t->linear, Z);
  const MbMaximal x = as_linearised(sim, t->linear);
  for (size_t i = 0; i < model->nforces; i++) {
    const MbForce *force = &model->forces[i];
    if (force->ops->curve) force->ops->curve(force, &x, &at);
  }
}

void mb_linear_weigh(const MbSim *sim, MbTangent *t) {
  const MbModel *model = sim->model;
  MbTangentLinear *l = t->linear;
  memset(l->dphi, 0, 6 * model->nb * sizeof *l->dphi);
  if (!l->forces) return;
  for (size_t k = 0; k < mb_linear_blocks(model); k++) {
    const MbLinearBlock of = mb_linear_block(model, k);
    double sum[6] = {0};
    mb_add_transposed(sum, l->B + 36 * k, t->dF + 6 * of.row);
    for (size_t i = 0; i < 6; i++) l->dphi[6 * of.column + i] -= sum[i];
  }
  mb_linear_curves(sim, t, t->dF);
  for (size_t i = 0; i < 6 * model->nb; i++) {
    t->move[i] -= l->by_move[i], t->dphi[i] -= l->by_phi[i];
    l->by_move[i] = l->by_phi[i] = 0;
  }
}

void mb_linear_weigh_up(const MbSim *sim, MbTangent *t, size_t b, double turn[6], double *dq) {
  const MbModel *model = sim->model;
  MbTangentLinear *l = t->linear;
  const size_t p = model->parent[b], first = model->v_first[b], n = mb_tangent_dofs(model, b);
  const double *dphi = l->dphi + 6 * b;
  mb_add_transposed_bracket(turn, 1, l->Xphi + 6 * b, dphi);
  for (size_t k = first; k < first + n; k++) dq[k] += mb_dot6(l->DTv + 6 * k, dphi);
  if (p != MB_WORLD) mb_add_motion_transposed(l->dphi + 6 * p, t->X + 36 * b, dphi);
}

// ---- single forces --------------------------------------------------------------------------------------------------

// Z · e of one block, which is then zero.
static double take_block(const MbModel *model, const MbTangent *t, size_t k) {
  const MbTangentLinear *l = t->linear;
  const MbLinearBlock at = mb_linear_block(model, k);
  const double *Z = t->dF, *z = Z + 6 * at.row, *other = Z + 6 * at.column;
  double *D = l->own_D + 36 * k, *K = l->own_K + 36 * k, sum = 0;
  for (size_t i = 0; i < 6; i++)
    for (size_t j = 0; j < 6; j++) {
      const size_t n = 6 * i + j;
      sum += z[i] * (D[n] * l->x1[6 * at.column + j] + K[n] * l->y1[6 * at.column + j]) / 2;
      sum += other[j] * (D[n] * l->x2[6 * at.row + i] + K[n] * l->y2[6 * at.row + i]) / 2;
      D[n] = K[n] = 0;
    }
  return sum;
}

// The same of a force that tells it by itself.
static double value_of(const MbModel *model, const MbForce *force, const MbMaximal *x, const MbTangent *t) {
  double value = 0;
  MbForceCurve at = curve_at(model, t->linear, t->dF);
  MbMaximal own = *x;
  own.ahead = t->linear->ahead, at.value = &value;
  force->ops->curve(force, &own, &at);
  return value;
}

double mb_linear_of_force(const MbModel *model, const MbForce *force, const MbMaximal *x, const MbTangent *t,
                          double *f) {
  const MbTangentLinear *l = t->linear;
  const bool everywhere = force->ops->everywhere;
  MbMaximal own = *x;
  double sum = 0;
  if (force->ops->changes) return value_of(model, force, x, t);
  own.f = f, own.K = l->own_K, own.D = l->own_D, own.ahead = l->ahead;
  force->ops->eval(model, force, &own, 0, everywhere ? mb_model_own(model) : model->nb);
  const size_t n = everywhere ? model->nb : bodies_of(force, x, l->body);
  for (size_t i = 0; i < n; i++) {
    const size_t b = everywhere ? i : l->body[i];
    sum += mb_dot6(t->dF + 6 * b, f + 6 * b) + take_block(model, t, b);
    memset(f + 6 * b, 0, 6 * sizeof *f);
  }
  for (size_t i = 0; i < force->npoints * force->npoints; i++) // of pairs; one that has been taken is zero
    if (force->block[i] != MB_WORLD && force->block[i] >= 36 * model->nb)
      sum += take_block(model, t, force->block[i] / 36);
  return sum;
}
