// What the passes over a tree do at one body, on records alone: wherever a body's records lie, on a processor or on a device. Passes are
// in lanes_passes.h and gpu/kernels/tree_kernels.h.
#ifndef MB_SOLVERS_REDMAX_LANES_BODY_H
#define MB_SOLVERS_REDMAX_LANES_BODY_H

#include "core/solvers/redmax/lanes.h"

#include <math.h>

// ---- forward ----------------------------------------------------------------------------------------------

// p (cos, sin e) for e = x, y, z: half of the products are with zero.
MB_KERNEL Quat turn_about(Quat p, uint32_t along, Real c, Real s) {
  if (along == 0)
    return (Quat){less(s, p.x, c * p.w), mad(s, p.w, c * p.x), mad(s, p.z, c * p.y), less(s, p.y, c * p.z)};
  if (along == 1)
    return (Quat){less(s, p.y, c * p.w), less(s, p.z, c * p.x), mad(s, p.w, c * p.y), mad(s, p.x, c * p.z)};
  return (Quat){less(s, p.z, c * p.w), mad(s, p.y, c * p.x), less(s, p.x, c * p.y), mad(s, p.w, c * p.z)};
}

// k cos + k2 sin, from p
MB_KERNEL Quat turn_by(Quat p, const Real k[4], const Real k2[4], Real c, Real s) {
  return quat_mul(p, (Quat){mad(s, k2[0], c * k[0]), mad(s, k2[1], c * k[1]), mad(s, k2[2], c * k[2]),
                            mad(s, k2[3], c * k[3])});
}

// Where a body is, and how fast, that is turned as own->q has it. Without `poses` O and its velocity are left out.
MB_KERNEL void place_revolute(const Link *link, const Turn *axis, const Frame *up, Frame *own, Stand *stand,
                              Real v, bool poses) {
  own->R = quat_mat(own->q);
  const uint32_t along = link->along;
  const Vec s = along == 0 ? own->R.x : along == 1 ? own->R.y : along == 2 ? own->R.z : turn(own->R, axis->a);
  const Vec r = turn(up->R, link->e), w = up->motion.turn, wr = cross(w, r);
  own->motion.turn = add_scaled(w, v, s);
  own->O = poses ? add(up->O, r) : r;
  own->motion.line = poses ? add(up->motion.line, wr) : wr;
  stand->s = s, stand->r = r;
}

// Turned about the joint's axis from where the parent is.
MB_KERNEL Frame forward_revolute(const Link *link, const Turn *axis, const Frame *up, Stand *stand,
                                 Real cosine, Real sine, Real v, bool poses) {
  const uint32_t along = link->along;
  Frame own;
  own.q = quat_unit(along < 3 ? turn_about(up->q, along, cosine, sine)
                              : turn_by(up->q, axis->k, axis->k2, cosine, sine));
  place_revolute(link, axis, up, &own, stand, v, poses);
  const Vec s = stand->s, r = stand->r, w = up->motion.turn;
  own.gamma.turn = add_scaled(up->gamma.turn, v, cross(w, s));
  own.gamma.line = add_cross(add_cross(up->gamma.line, up->gamma.turn, r), w, cross(w, r));
  return own;
}

// Of a body free in space that spins by w in its own axes and goes by u in the world's, so that u changes by forces alone: its columns,
// and its twist.
MB_KERNEL Screw free_motion(Screw T[6], Mat R, Vec w, Vec u) {
  const Real zero = {0}, one = zero + 1;
  const Vec none = {zero, zero, zero}, x = {one, zero, zero}, y = {zero, one, zero}, z = {zero, zero, one};
  T[0] = (Screw){R.x, none}, T[1] = (Screw){R.y, none}, T[2] = (Screw){R.z, none};
  T[3] = (Screw){none, x}, T[4] = (Screw){none, y}, T[5] = (Screw){none, z};
  return (Screw){apply(R, w), u};
}

// Of a body whose joint adds `rate` to its twist and moves it by Tdot_v at v̇ = 0, in world axes; own->q and own->R are there. r: O − O_p.
// `space`: it is free in space, and its columns' rates are in the world's axes.
MB_KERNEL void forward_columns(Frame *own, const Frame *up, Vec r, Screw rate, Screw Tdot_v, bool space) {
  const Vec w = up->motion.turn, wr = add(cross(w, r), rate.line);
  own->O = add(up->O, r);
  own->motion.turn = add(w, rate.turn);
  own->motion.line = add(up->motion.line, wr);
  own->gamma.turn = add_cross(add(up->gamma.turn, Tdot_v.turn), w, rate.turn);
  own->gamma.line = add_cross(add(up->gamma.line, Tdot_v.line), up->gamma.turn, r);
  own->gamma.line = add_cross(own->gamma.line, w, wr);
  if (!space) own->gamma.line = add_cross(own->gamma.line, own->motion.turn, rate.line);
}

// ---- pivots -----------------------------------------------------------------------------------------------

// Whether all pivots so far were positive and finite, in every instance.
#if MB_LANES == 1
typedef int Fine;
#define FINE 1
#else
typedef long long Fine __attribute__((vector_size(sizeof(Real))));
#define FINE (~(Fine){0})
#endif

MB_KERNEL Fine pivot_fine(Fine fine, Real pivot) { return fine & (pivot > 0.0) & (pivot < (double)INFINITY); }

MB_KERNEL bool all_fine(Fine fine) {
#if MB_LANES == 1
  return fine != 0;
#else
  bool all = true;
  for (size_t i = 0; i < MB_LANES; i++) all &= fine[i] != 0;
  return all;
#endif
}

// ---- backward and outward ---------------------------------------------------------------------------------

// To the children's p: what moves the body at γ, I γ and the velocity terms at O.
MB_KERNEL Screw wrench_at_gamma(Screw p, const Rigid *rigid, Real m) {
  const Vec w = rigid->w, h = rigid->h;
  const Screw g = rigid->gamma;
  const Vec n = add_cross(add_apply_sym(p.turn, rigid->I, g.turn), w, apply_sym(rigid->I, w));
  const Vec f = add_cross(add_scaled(p.line, m, g.line), g.turn, h);
  return (Screw){add_cross(n, h, g.line), add_cross(f, w, cross(w, h))};
}

// L D Lᵀ of the lower triangle, in place, D on the diagonal.
MB_KERNEL bool factor_square(Real *G, size_t n) {
  for (size_t j = 0; j < n; j++) {
    for (size_t i = j; i < n; i++)
      for (size_t k = 0; k < j; k++)
        G[n * i + j] = less(G[n * i + k] * G[n * k + k], G[n * j + k], G[n * i + j]);
    if (!all_fine(pivot_fine(FINE, G[n * j + j]))) return false;
    const Real inverse = 1.0 / G[n * j + j];
    for (size_t i = j + 1; i < n; i++) G[n * i + j] *= inverse;
  }
  return true;
}

// U = L⁻¹ (Î T)ᵀ and G of a joint of n columns, given the inertia of its coordinates (NULL: none) and what else it adds to Tᵀ Î T itself
// (NULL: nothing); Î less what its joint lets go.
MB_KERNEL bool release_columns(size_t n, const Screw *T, Screw *U, Real *G, const double *inertia,
                               const Real *own, Articulated *A) {
  for (size_t i = 0; i < n; i++) {
    U[i] = inertia_apply(*A, T[i]);
    for (size_t j = 0; j <= i; j++) G[n * i + j] = dot_screw(T[j], U[i]);
    if (inertia) G[n * i + i] += inertia[i];
    for (size_t j = 0; own && j <= i; j++) G[n * i + j] += own[n * i + j];
  }
  if (!factor_square(G, n)) return false;
  for (size_t i = 0; i < n; i++) {
    for (size_t k = 0; k < i; k++) U[i] = add_scaled_screw(U[i], -G[n * i + k], U[k]);
    const Real inverse = 1.0 / G[n * i + i];
    *A = inertia_less(*A, U[i], (Screw){scale(inverse, U[i].turn), scale(inverse, U[i].line)});
  }
  return true;
}

// u ← D⁻¹ L⁻¹ (u − Tᵀ p);  p += Uᵀ u
MB_KERNEL void balance_columns(size_t n, const Screw *T, const Screw *U, const Real *G, Real *u, Screw *p) {
  for (size_t i = 0; i < n; i++) {
    u[i] -= dot_screw(T[i], *p);
    for (size_t k = 0; k < i; k++) u[i] = less(G[n * i + k], u[k], u[i]);
  }
  for (size_t i = 0; i < n; i++) {
    u[i] /= G[n * i + i];
    *p = add_scaled_screw(*p, u[i], U[i]);
  }
}

// x = L⁻ᵀ (u − D⁻¹ U a);  a += T x, which is returned
MB_KERNEL Screw follow_columns(size_t n, const Screw *T, const Screw *U, const Real *G, const Real *u,
                               Screw a, Real *x) {
  for (size_t i = n; i-- > 0;) {
    x[i] = u[i] - dot_screw(U[i], a) / G[n * i + i];
    for (size_t k = i + 1; k < n; k++) x[i] = less(G[n * k + i], x[k], x[i]);
  }
  for (size_t i = 0; i < n; i++) a = add_scaled_screw(a, x[i], T[i]);
  return a;
}

#endif
