// How what turned paths are linearised by changes (path_turn.c has the formulas): backwards, from what a sum is felt by along directions to come ũ and
//
//   Σ w·extra = P Σ w·ũ + Σ a ( w·e − (ũ·e)(w·ũ) ) − F Σ w·u,      a = F/l,  P = F + F_L Σ (ũ·e − l) + F_L̇ Σ (ũ − u)·ṙ
//   e = l u + σ Δc
//   ũ = n/|n|,  n = u + κ b/l,  κ = k² (3 − 2 k),  k = 1 − α²/b²,  α = u·y,  b = y − α u,  y = σ (Δc + h ṙ)
//
// σ being the share by stiffness, a function of F_L, and c = R (exp(h [ω]) − 1 − h [ω]) r of each end, which a turn of the body by θ moves by R (θ × Rᵀc) and a change of ω by
// R ( exp(h [ω]) (J_r h δω × r) − h δω × r ).
#include "core/forces/path_turn.h"
#include "core/forces/point_curve.h"
#include "core/math/spatial.h"

#include <string.h>

// What is felt along e and along y, and by σ.
typedef struct OfSegment {
  double e[3], y[3], stiff;
} OfSegment;

// Σ w·extra of one segment; `sum` is Σ w·ũ over all.
static void feel_extra(const MbTension *t, const MbPathTurned *how, const MbPath *path, size_t s,
                       const double w[3], double sum, MbTurnFelt *felt, OfSegment *of) {
  const MbTurnedSegment *at = &how->segment[s];
  const double *to = path->u[s], a = t->across * path->inverse[s];
  const double we = mb_vec3_dot(w, at->e), wto = mb_vec3_dot(w, to), toe = mb_vec3_dot(to, at->e);
  double change[3];
  mb_vec3_sub(change, to, at->u);
  felt->F += path->inverse[s] * (we - toe * wto) - mb_vec3_dot(w, at->u);
  felt->length[s] -= a * path->inverse[s] * (we - toe * wto) + sum * t->F_length;
  mb_vec3_add_scaled(felt->to[s], felt->to[s], how->pull - a * toe, w);
  mb_vec3_add_scaled(felt->to[s], felt->to[s], sum * t->F_length - a * wto, at->e);
  mb_vec3_add_scaled(felt->to[s], felt->to[s], sum * t->F_rate, at->rate);
  mb_vec3_scale(of->e, sum * t->F_length - a * wto, to);
  mb_vec3_add_scaled(of->e, of->e, a, w);
  mb_vec3_add_scaled(felt->u[s], felt->u[s], -sum * t->F_rate, at->rate);
  mb_vec3_add_scaled(felt->u[s], felt->u[s], -t->F, w);
  mb_vec3_add_scaled(felt->rate[s], felt->rate[s], sum * t->F_rate, change);
}

// From ũ to u, l and y.
static void turn_back(const MbTurnedSegment *at, double inverse, const double to[3], size_t s,
                      MbTurnFelt *felt, OfSegment *of) {
  const double along = mb_vec3_dot(at->u, at->by);
  double across[3], n[3], by_n[3], by_across[3];
  mb_vec3_add_scaled(across, at->by, -along, at->u);
  const double square = mb_vec3_dot(across, across), k = 1 - along * along / square,
               kappa = k * k * (3 - 2 * k);
  mb_vec3_add_scaled(n, at->u, kappa * inverse, across);
  mb_vec3_add_scaled(by_n, felt->to[s], -mb_vec3_dot(to, felt->to[s]), to);
  mb_vec3_scale(by_n, 1 / mb_vec3_norm(n), by_n);
  const double turned = mb_vec3_dot(by_n, across), by_k = 6 * k * (1 - k) * inverse * turned;
  double by_along = -2 * by_k * along / square;
  felt->length[s] -= kappa * inverse * inverse * turned;
  mb_vec3_add(felt->u[s], felt->u[s], by_n);
  mb_vec3_scale(by_across, kappa * inverse, by_n);
  mb_vec3_add_scaled(by_across, by_across, 2 * by_k * along * along / (square * square), across);
  mb_vec3_add_scaled(felt->u[s], felt->u[s], -along, by_across);
  by_along -= mb_vec3_dot(by_across, at->u);
  mb_vec3_add_scaled(felt->u[s], felt->u[s], by_along, at->by);
  mb_vec3_add_scaled(of->y, by_across, by_along, at->u);
}

// What is felt along c of point i (W) to its body.
static void curve_back(const MbForce *force, const MbMaximal *x, size_t i, const double felt[3],
                       double *by_move, double *by_phi) {
  const MbForcePoint *at = &force->points[i];
  const double *r = at->at.p;
  if (at->body == MB_WORLD) return;
  double turn[6] = {0}, J[36], q[4], turned[3], straight[3], own[3], by[3], arm[3], c[3];
  mb_vec3_scale(turn, x->ahead, x->phi + 6 * at->body);
  mb_quat_exp(q, turn);
  mb_se3_right_jacobian(J, turn);
  mb_quat_rotate(turned, q, r);
  mb_vec3_cross(straight, turn, r);
  for (int k = 0; k < 3; k++) c[k] = turned[k] - r[k] - straight[k];
  mb_quat_unrotate(own, x->E[at->body].q, felt);
  mb_add_cross(by_move + 6 * at->body, 1, c, own);
  mb_quat_unrotate(by, q, own);
  mb_vec3_cross(arm, r, by);
  for (size_t k = 0; k < 3; k++)
    by_phi[6 * at->body + k] += x->ahead * (J[k] * arm[0] + J[6 + k] * arm[1] + J[12 + k] * arm[2]);
  mb_add_cross(by_phi + 6 * at->body, -x->ahead, r, own);
}

void mb_path_turn_back(const MbForce *force, const MbMaximal *x, const MbTension *t, const MbPath *path,
                       const MbPathTurned *how, double weight[MB_PATH_MOST][3], MbTurnFelt *felt,
                       double *by_move, double *by_phi) {
  double sum = 0, by_curve[MB_PATH_MOST][3];
  memset(by_curve, 0, sizeof by_curve);
  for (size_t s = 0; s + 1 < path->n; s++)
    if (how->segment[s].counts) sum += mb_vec3_dot(weight[s], path->u[s]);
  felt->F += sum, felt->F_length += sum * how->longer, felt->F_rate += sum * how->faster;
  for (size_t s = 0; s + 1 < path->n; s++) {
    const MbTurnedSegment *at = &how->segment[s];
    OfSegment of = {{0}, {0}, 0};
    double whole[3], by[3];
    if (at->counts) feel_extra(t, how, path, s, weight[s], sum, felt, &of);
    if (at->turned)
      turn_back(at, path->inverse[s], path->u[s], s, felt, &of);
    else
      mb_vec3_add(felt->u[s], felt->u[s], felt->to[s]);
    if (!at->counts) continue;
    mb_vec3_add_scaled(whole, at->curve, x->ahead, at->rate);
    felt->F_length += at->stiffer * (mb_vec3_dot(of.e, at->curve) + mb_vec3_dot(of.y, whole));
    felt->length[s] += mb_vec3_dot(of.e, at->u);
    mb_vec3_add_scaled(felt->u[s], felt->u[s], 1 / path->inverse[s], of.e);
    mb_vec3_add_scaled(felt->rate[s], felt->rate[s], at->stiff * x->ahead, of.y);
    mb_vec3_add(by, of.e, of.y);
    mb_vec3_add_scaled(by_curve[s + 1], by_curve[s + 1], at->stiff, by);
    mb_vec3_add_scaled(by_curve[s], by_curve[s], -at->stiff, by);
  }
  for (size_t i = 0; i < path->n; i++) curve_back(force, x, i, by_curve[i], by_move, by_phi);
}
