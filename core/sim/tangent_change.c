// Changes of τ along the run, their transposed passes, and the matrix of a step, which is made of the former: of what tangent.c has of an instant, by the formulas there.
#include "core/base/targets.h"
#include "core/math/dense6.h"
#include "core/math/spatial.h"
#include "core/sim/tangent.h"
#include "core/sim/tangent_free.h"
#include "core/sim/tangent_moved.h"
#include "core/sim/tangent_parts.h"

#include <string.h>

// ---- a change -----------------------------------------------------------------------------------------------------

static void change_down(const MbSim *sim, MbTangent *t, size_t b, bool root, const double *dq,
                        const double *dv, const double *da) {
  const MbModel *model = sim->model;
  const size_t p = model->parent[b], first = model->v_first[b], n = mb_tangent_dofs(model, b);
  double sigma[6] = {0}, dTv[6] = {0}, dXphi[6] = {0}, dalpha[6] = {0}, move[6] = {0};
  mb_add_columns(sigma, t->T + 6 * first, n, dq + first);
  mb_add_columns(dTv, t->DTv + 6 * first, n, dq + first);
  mb_add_columns(dTv, t->T + 6 * first, n, dv + first);
  if (!root && p != MB_WORLD) {
    mb_apply_motion(move, t->X + 36 * b, t->move + 6 * p);
    mb_apply_motion(dXphi, t->X + 36 * b, t->dphi + 6 * p);
    mb_apply_motion(dalpha, t->X + 36 * b, t->dalpha + 6 * p);
  }
  mb_add_bracket(dXphi, -1, sigma, t->Xphi + 6 * b);
  mb_add_bracket(dalpha, -1, sigma, t->Xalpha + 6 * b);
  mb_add_bracket(dalpha, 1, dXphi, t->Tv + 6 * b);
  mb_add_bracket(dalpha, 1, t->Xphi + 6 * b, dTv);
  mb_add_columns(dalpha, t->C + 6 * first, n, dq + first);
  mb_add_columns(dalpha, t->DTv + 6 * first, n, dv + first);
  mb_add_columns(dalpha, t->Tdot + 6 * first, n, dv + first);
  mb_add_columns(dalpha, t->DTa + 6 * first, n, dq + first);
  mb_add_columns(dalpha, t->T + 6 * first, n, da + first);
  for (size_t k = 0; k < 6; k++) {
    t->move[6 * b + k] = move[k] + sigma[k];
    t->dphi[6 * b + k] = dXphi[k] + dTv[k];
    t->dalpha[6 * b + k] = dalpha[k];
  }
  if (t->linearised) mb_linear_change_down(sim, t, b, sigma, dq);
}

// y −= K ε + D δφ
static void take_forces(const MbTangent *t, size_t block, size_t by, double *y) {
  double k[6], d[6];
  mb_mat6_apply(k, t->K + 36 * block, t->move + 6 * by);
  mb_mat6_apply(d, t->D + 36 * block, t->dphi + 6 * by);
  for (size_t i = 0; i < 6; i++) y[i] -= k[i] + d[i];
}

// What a change of the spin makes of a body's swing, or (transposed) what Z of that is felt by the spin: y += share B x.
static void add_swing(const MbSim *sim, const MbTangent *t, size_t b, bool transposed, const double x[3],
                      double y[3]) {
  const double *B = t->swing[b].by_w, share = -1 / sim->model->h;
  for (size_t i = 0; i < 3; i++)
    for (size_t k = 0; k < 3; k++) y[i] += share * B[transposed ? 3 * k + i : 3 * i + k] * x[k];
}

static bool swings(const MbModel *model, size_t b) { return model->any_flies && model->swings[b]; }

static void change_wrench(const MbSim *sim, MbTangent *t, size_t b) {
  const double *M = mb_tangent_mass(sim->model, b), *phi = sim->x.phi + 6 * b, *dphi = t->dphi + 6 * b;
  double *dF = t->dF + 6 * b, L[6], dL[6], turned[3];
  for (size_t k = 0; k < 6; k++) {
    L[k] = M[k] * phi[k], dL[k] = M[k] * dphi[k];
    dF[k] = M[k] * t->dalpha[6 * b + k];
  }
  if (t->still) return;
  for (size_t half = mb_tangent_flies(sim->model, b) ? 3 : 0; half < 6;
       half += 3) { // ad_φᵀ M φ = ( Iω × ω ; m v × ω )
    mb_vec3_cross(turned, dL + half, phi);
    mb_vec3_sub(dF + half, dF + half, turned);
    mb_vec3_cross(turned, L + half, dphi);
    mb_vec3_sub(dF + half, dF + half, turned);
  }
  mb_vec3_cross(turned, t->fall + 3 * b, t->move + 6 * b);
  mb_vec3_add_scaled(dF + 3, dF + 3, -M[3], turned);
  if (swings(sim->model, b)) add_swing(sim, t, b, false, dphi, dF);
  if (t->forced) take_forces(t, b, b, dF);
}

// Bodies [begin, end), a subtree or all of them; what is before begin does not move.
static void change(const MbSim *sim, MbTangent *t, size_t begin, size_t end, const double *dq,
                   const double *dv, const double *da, double *out) {
  const MbModel *model = sim->model;
  for (size_t b = begin; b < end; b++) change_down(sim, t, b, b == begin, dq, dv, da);
  for (size_t b = begin; b < end; b++) change_wrench(sim, t, b);
  for (size_t n = 0; n < model->npairs && !t->still; n++) { // coupled bodies are changed all at once
    const size_t i = model->pair[2 * n], j = model->pair[2 * n + 1], block = model->nb + 2 * n;
    take_forces(t, block, j, t->dF + 6 * i);
    take_forces(t, block + 1, i, t->dF + 6 * j);
  }
  if (t->linearised && !t->still) mb_linear_change(sim, t); // of all bodies at once
  if (t->linearised && t->still && t->linear->blocks) mb_blocks_change(sim, t);
  if (t->linearised && t->rows) mb_rows_change(sim, t);
  for (size_t p = begin < model->nb ? model->parent[begin] : MB_WORLD; p != MB_WORLD; p = model->parent[p])
    memset(t->dF + 6 * p, 0, 6 * sizeof *t->dF);
  for (size_t b = end - 1; b != MB_WORLD; b = b > begin ? b - 1 : model->parent[b]) {
    const size_t p = model->parent[b], first = model->v_first[b], n = mb_tangent_dofs(model, b);
    const double *Kq = t->own_q + t->own_first[b], *Kv = t->own_v + t->own_first[b];
    const bool moved = b >= begin;
    double *dF = t->dF + 6 * b;
    for (size_t i = 0; i < n; i++) {
      double sum = mb_dot6(t->T + 6 * (first + i), dF);
      for (size_t k = 0; moved && k < n; k++)
        sum += Kq[n * i + k] * dq[first + k] + Kv[n * i + k] * dv[first + k];
      if (moved && model->rotors && model->joint[b].ops)
        sum += model->joint_inertia[first + i] * da[first + i];
      out[first + i] = sum;
    }
    if (p == MB_WORLD) continue;
    if (moved) {
      double sigma[6] = {0};
      mb_add_columns(sigma, t->T + 6 * first, n, dq + first);
      mb_add_transposed_bracket(dF, -1, sigma, t->F + 6 * b);
    }
    mb_add_motion_transposed(t->dF + 6 * p, t->X + 36 * b, dF);
  }
}

void mb_tangent_times(MbSim *sim, MbTangent *t, const double *dq, const double *dv, const double *da,
                      double *out) {
  if (sim->model->nb) change(sim, t, 0, sim->model->nb, dq, dv, da, out);
}

// ---- backwards ----------------------------------------------------------------------------------------------------
//
// The transposed passes of change(): what the rows of z weigh goes down the tree as a motion Z, and what that is felt by comes up as wrenches
// on ε, δφ and δα.

static void take_transposed(const double A[36], const double x[6], double y[6]) {
  double sum[6] = {0};
  mb_add_transposed(sum, A, x);
  for (size_t i = 0; i < 6; i++) y[i] -= sum[i];
}

// Z ← X Z_p + T z, with what the turn of X and the joint's own matrices say.
static void weigh_down(const MbSim *sim, MbTangent *t, size_t b, const double *z, double *dq, double *dv,
                       double *da) {
  const MbModel *model = sim->model;
  const size_t p = model->parent[b], first = model->v_first[b], n = mb_tangent_dofs(model, b);
  const double *Kq = t->own_q + t->own_first[b], *Kv = t->own_v + t->own_first[b];
  double Z[6] = {0}, turn[6] = {0};
  if (!model->joint[b].ops) {
    mb_free_weigh_down(sim, t, b, z, dq, dv, da);
    return;
  }
  if (p != MB_WORLD) {
    mb_apply_motion(Z, t->X + 36 * b, t->dF + 6 * p);
    mb_add_transposed_bracket(turn, 1, Z, t->F + 6 * b);
  }
  mb_add_columns(Z, t->T + 6 * first, n, z + first);
  for (size_t k = 0; k < 6 && t->weighed; k++) Z[k] += t->weighed[6 * b + k];
  mb_six_copy(t->dF + 6 * b, Z), mb_six_copy(t->turn + 6 * b, turn);
  for (size_t k = 0; k < n; k++) {
    dq[first + k] = dv[first + k] = 0;
    for (size_t i = 0; i < n; i++)
      dq[first + k] += Kq[n * i + k] * z[first + i], dv[first + k] += Kv[n * i + k] * z[first + i];
    da[first + k] = model->rotors ? model->joint_inertia[first + k] * z[first + k] : 0;
  }
}

static void weigh_wrench(const MbSim *sim, MbTangent *t, size_t b) {
  const double *M = mb_tangent_mass(sim->model, b), *phi = sim->x.phi + 6 * b, *Z = t->dF + 6 * b;
  double *move = t->move + 6 * b, *dphi = t->dphi + 6 * b, L[6], turned[3], felt[6] = {0};
  for (size_t k = 0; k < 6; k++) L[k] = M[k] * phi[k], t->dalpha[6 * b + k] = M[k] * Z[k];
  mb_six_zero(move), mb_six_zero(dphi);
  if (t->still) return;
  for (size_t half = mb_tangent_flies(sim->model, b) ? 3 : 0; half < 6; half += 3) {
    mb_vec3_cross(turned, Z + half, phi);
    for (size_t k = 0; k < 3; k++) felt[half + k] += M[half + k] * turned[k];
    mb_vec3_cross(turned, L + half, Z + half);
    mb_vec3_add(felt, felt, turned);
  }
  mb_six_copy(dphi, felt);
  mb_vec3_cross(turned, t->fall + 3 * b, Z + 3);
  mb_vec3_add_scaled(move, move, M[3], turned);
  if (swings(sim->model, b)) add_swing(sim, t, b, true, Z, dphi);
  if (!t->blocked) return;
  take_transposed(t->K + 36 * b, Z, move);
  take_transposed(t->D + 36 * b, Z, dphi);
}

// The forces that are not in K and D.
static void feel_forces(const MbSim *sim, MbTangent *t) {
  const MbModel *model = sim->model;
  for (size_t k = 0; k < 6 * model->nb; k++) t->weight[k] = -t->dF[k];
  for (size_t i = 0; i < model->nforces; i++) {
    const MbForce *force = &model->forces[i];
    if (force->ops->felt) force->ops->felt(force, &sim->x, t->weight, t->move, t->dphi);
  }
}

// Of a joint: what comes up along its columns.
static inline __attribute__((always_inline)) void weigh_columns(const MbTangent *t, size_t b, size_t first,
                                                                size_t n, const double turn[6],
                                                                const double dTv[6], const double A[6],
                                                                double *dq, double *dv, double *da) {
  if (t->stays[b]) { // the other columns are zero
    const double *T = t->T + 6 * first;
    dq[first] += mb_dot6(T, turn), dv[first] += mb_dot6(T, dTv), da[first] += mb_dot6(T, A);
    return;
  }
  for (size_t k = first; k < first + n; k++) {
    const double *T = t->T + 6 * k, *DTv = t->DTv + 6 * k;
    dq[k] += mb_dot6(T, turn) + mb_dot6(DTv, dTv) + mb_dot6(t->C + 6 * k, A) + mb_dot6(t->DTa + 6 * k, A);
    dv[k] += mb_dot6(T, dTv) + mb_dot6(DTv, A) + mb_dot6(t->Tdot + 6 * k, A);
    da[k] += mb_dot6(T, A);
  }
}

static void weigh_up(const MbSim *sim, MbTangent *t, size_t b, double *dq, double *dv, double *da) {
  const MbModel *model = sim->model;
  const size_t p = model->parent[b], first = model->v_first[b];
  const double *move = t->move + 6 * b;
  double A[6], turn[6], dXphi[6], dTv[6];
  mb_six_copy(A, t->dalpha + 6 * b), mb_six_copy(turn, t->turn + 6 * b);
  mb_six_copy(dXphi, t->dphi + 6 * b), mb_six_copy(dTv, dXphi);
  if (p != MB_WORLD) { // which is at rest
    mb_add_transposed_bracket(turn, 1, t->Xalpha + 6 * b, A);
    mb_add_transposed_bracket(dXphi, -1, t->Tv + 6 * b, A);
    mb_add_transposed_bracket(dTv, 1, t->Xphi + 6 * b, A);
    mb_add_transposed_bracket(turn, 1, t->Xphi + 6 * b, dXphi);
  }
  if (t->linearised) {
    mb_six_copy(t->turn + 6 * b, turn);
    mb_linear_weigh_up(sim, t, b, t->turn + 6 * b, dq);
    mb_six_copy(turn, t->turn + 6 * b);
  }
  for (size_t k = 0; k < 6; k++) turn[k] += move[k];
  mb_six_copy(t->turn + 6 * b, turn);
  if (!model->joint[b].ops) {
    mb_free_weigh_up(t, first, turn, dTv, A, dq, dv, da);
    return;
  }
  weigh_columns(t, b, first, model->joint[b].n, turn, dTv, A, dq, dv, da);
  if (p == MB_WORLD) return;
  mb_add_motion_transposed(t->dalpha + 6 * p, t->X + 36 * b, A);
  mb_add_motion_transposed(t->dphi + 6 * p, t->X + 36 * b, dXphi);
  mb_add_motion_transposed(t->move + 6 * p, t->X + 36 * b, move);
}

const double *mb_tangent_wrenches(const MbTangent *t) { return t->F; }

void mb_tangent_weigh_wrenches(MbTangent *t, const double *twist, const double *move) {
  t->weighed = twist, t->weighed_move = move;
}

MB_CLONES __attribute__((flatten)) void mb_tangent_transposed(MbSim *sim, MbTangent *t, const double *z,
                                                              double *dq, double *dv, double *da) {
  const MbModel *model = sim->model;
  for (size_t b = 0; b < model->nb; b++) weigh_down(sim, t, b, z, dq, dv, da);
  for (size_t b = 0; b < model->nb; b++) weigh_wrench(sim, t, b);
  for (size_t n = 0; n < model->npairs && t->blocked && !t->still; n++) {
    const size_t i = model->pair[2 * n], j = model->pair[2 * n + 1], block = model->nb + 2 * n;
    take_transposed(t->K + 36 * block, t->dF + 6 * i, t->move + 6 * j);
    take_transposed(t->D + 36 * block, t->dF + 6 * i, t->dphi + 6 * j);
    take_transposed(t->K + 36 * (block + 1), t->dF + 6 * j, t->move + 6 * i);
    take_transposed(t->D + 36 * (block + 1), t->dF + 6 * j, t->dphi + 6 * i);
  }
  if (t->feels && t->forced && !t->still) feel_forces(sim, t);
  if (t->linearised && !t->still) mb_linear_weigh(sim, t);
  if (t->linearised && t->still) mb_blocks_weigh(sim, t);
  if (t->linearised && t->rows) mb_rows_weigh(sim, t);
  for (size_t k = 0; k < 6 * model->nb && t->weighed; k++) t->move[k] += t->weighed_move[k];
  for (size_t b = model->nb; b-- > 0;) weigh_up(sim, t, b, dq, dv, da);
  if (t->linearised && t->rows) mb_rows_weigh_own(sim, t, dq, dv);
}

MB_CLONES __attribute__((flatten)) void mb_tangent_weigh(MbSim *sim, MbTangent *t, const double *move,
                                                         const double *phi, double *dq, double *dv) {
  const size_t nb = sim->model->nb, size = 6 * nb * sizeof *move;
  memcpy(t->move, move, size), memcpy(t->dphi, phi, size);
  memset(t->dalpha, 0, size), memset(t->turn, 0, size);
  for (size_t b = nb; b-- > 0;) weigh_up(sim, t, b, dq, dv, t->da);
  memset(t->da, 0, sim->model->nv * sizeof *t->da);
}

// ---- the matrix of a step -----------------------------------------------------------------------------------------

void mb_tangent_columns(MbSim *sim, MbTangent *t, const double *step, double reach, double faster,
                        double pull, double *A) {
  const MbModel *model = sim->model;
  const size_t nv = model->nv, nb = model->nb;
  double T[MB_JOINT_MOST * MB_JOINT_MOST], T0[MB_JOINT_MOST * MB_JOINT_MOST];
  memset(A, 0, nv * nv * sizeof *A);
  memset(t->dq, 0, nv * sizeof *t->dq), memset(t->dv, 0, nv * sizeof *t->dv);
  memset(t->da, 0, nv * sizeof *t->da);
  for (size_t b = 0; b < nb; b++) {
    const size_t first = model->v_first[b], n = mb_tangent_dofs(model, b);
    if (!n) continue;
    mb_tangent_ahead(model, b, step + first, T, T0);
    for (size_t k = 0; k < n; k++) {
      for (size_t i = 0; i < n; i++) t->dq[first + i] = reach * T[n * i + k];
      t->dv[first + k] = faster, t->da[first + k] = pull;
      double *column = A + nv * (first + k);
      if (model->npairs)
        change(sim, t, 0, nb, t->dq, t->dv, t->da, column);
      else
        change(sim, t, b, t->end[b], t->dq, t->dv, t->da, column);
      t->dv[first + k] = t->da[first + k] = 0;
    }
    memset(t->dq + first, 0, n * sizeof *t->dq);
  }
}

void mb_tangent_matrix(MbSim *sim, MbTangent *t, const double *step, double reach, double span, double *A) {
  mb_tangent_columns(sim, t, step, reach, 1, 1 / span, A);
}
