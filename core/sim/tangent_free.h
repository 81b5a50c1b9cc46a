// Private to core/sim/tangent*.c: what a body free in space has of the passes of tangent.c and tangent_change.c. It hangs on the world, so that X φ_p is 0 and nothing goes
// up to a parent. Its velocities are its spin and, in the world's axes, how fast C goes. With u = Rᵀ v of the latter and u̇ = Rᵀ a
//
//   T δ = ( δ_ω ; Rᵀ δ_v ),    (D_θ T) v = ( 0 ; u × θ ),    (D_θ T) a = ( 0 ; u̇ × θ ),    Ṫ v = ( 0 ; u × ω )
//
// so that of its 6 x 6 matrices little is not zero: the lower halves of Ṫ's last three columns, and of the others' first three. They are zero from
// the start, and these functions alone write them.
#ifndef MB_SIM_TANGENT_FREE_H
#define MB_SIM_TANGENT_FREE_H

#include "core/sim/tangent_parts.h"

enum { MB_FREE_SPIN = 3 }; // velocities of the spin, which come first

// Returns the lower half of a column k.
static inline double *mb_free_half(double *columns, size_t first, size_t k) {
  return columns + 6 * (first + k) + 3;
}

// x (3) += Rᵀ y, with the columns of T.
static inline void mb_free_add_turned(const double *T, size_t first, const double y[3], double x[3]) {
  for (size_t i = 0; i < 3; i++) mb_vec3_add_scaled(x, x, y[i], T + 6 * (first + MB_FREE_SPIN + i) + 3);
}

// Takes T, Ṫ and, where they are asked for, derivatives of a body to where it is, and finds how it moves.
static inline void mb_free_at(const MbSim *sim, MbTangent *t, size_t b, const double *v, const double *a,
                              bool derivatives) {
  const size_t first = sim->model->v_first[b];
  const double *q = sim->x.E[b].q;
  double u[3], udot[3], *alpha = t->alpha + 6 * b, *Tv = t->Tv + 6 * b;
  mb_quat_unrotate(u, q, v + 3);
  mb_quat_unrotate(udot, q, a + 3);
  mb_vec3_copy(Tv, v), mb_vec3_copy(Tv + 3, u);
  mb_vec3_copy(alpha, a);
  mb_vec3_cross(alpha + 3, u, v);
  mb_vec3_add(alpha + 3, alpha + 3, udot);
  for (size_t i = 0; i < 3; i++) {
    const double e[3] = {i == 0, i == 1, i == 2};
    double *T = mb_free_half(t->T, first, MB_FREE_SPIN + i);
    t->T[6 * (first + i) + i] = 1;
    mb_quat_unrotate(T, q, e);
    mb_vec3_cross(mb_free_half(t->Tdot, first, MB_FREE_SPIN + i), T, v);
    if (!derivatives) continue;
    double *DTv = mb_free_half(t->DTv, first, i);
    mb_vec3_cross(DTv, u, e);
    mb_vec3_cross(mb_free_half(t->DTa, first, i), udot, e);
    mb_vec3_cross(mb_free_half(t->C, first, i), DTv, v);
  }
  if (!t->linearised || !derivatives) return;
  double to[3];
  mb_quat_unrotate(to, q, t->linear->to + first + 3);
  for (size_t i = 0; i < 3; i++)
    mb_vec3_cross(mb_free_half(t->linear->DTv, first, i), to, (const double[3]){i == 0, i == 1, i == 2});
}

// What of τ is the turn of a body's axes:  own_q ← (D_k T_i)ᵀ F = (Rᵀ e_i × e_k) · F
static inline void mb_free_turn(const MbSim *sim, MbTangent *t, size_t b) {
  double *own = t->own_q + t->own_first[b];
  for (size_t i = MB_FREE_SPIN; i < 6; i++)
    mb_vec3_cross(own + 6 * i, t->F + 6 * b + 3, mb_free_half(t->T, sim->model->v_first[b], i));
}

// Z ← T z, with what the body's own matrices say.
static inline void mb_free_weigh_down(const MbSim *sim, MbTangent *t, size_t b, const double *z, double *dq,
                                      double *dv, double *da) {
  const size_t first = sim->model->v_first[b];
  const double *own = t->own_q + t->own_first[b];
  double *Z = t->dF + 6 * b;
  mb_vec3_copy(Z, z + first);
  mb_vec3_set(Z + 3, 0, 0, 0);
  mb_free_add_turned(t->T, first, z + first + 3, Z + 3);
  mb_six_zero(t->turn + 6 * b), mb_six_zero(dq + first), mb_six_zero(dv + first), mb_six_zero(da + first);
  for (size_t i = MB_FREE_SPIN; i < 6; i++)
    mb_vec3_add_scaled(dq + first, dq + first, z[first + i], own + 6 * i);
}

// What comes up as wrenches `turn` on how the body turns, dTv on how fast it goes and A on its accelerations, along its velocities.
static inline void mb_free_weigh_up(const MbTangent *t, size_t first, const double turn[6],
                                    const double dTv[6], const double A[6], double *dq, double *dv,
                                    double *da) {
  for (size_t k = first; k < first + 3; k++) {
    const double *DTv = mb_free_half(t->DTv, k, 0), *on = A + 3;
    dq[k] += turn[k - first] + mb_vec3_dot(DTv, dTv + 3) + mb_vec3_dot(mb_free_half(t->C, k, 0), on) +
             mb_vec3_dot(mb_free_half(t->DTa, k, 0), on);
    dv[k] += dTv[k - first] + mb_vec3_dot(DTv, on);
    da[k] += A[k - first];
  }
  for (size_t k = first + 3; k < first + 6; k++) {
    const double *T = mb_free_half(t->T, k, 0);
    dq[k] += mb_vec3_dot(T, turn + 3);
    dv[k] += mb_vec3_dot(T, dTv + 3) + mb_vec3_dot(mb_free_half(t->Tdot, k, 0), A + 3);
    da[k] += mb_vec3_dot(T, A + 3);
  }
}

#endif
