// A revolute joint as rows, all in the body's C axes. Of the body: the axis a, u and w = a × u across it, the point d on it. Of
// the parent, as seen from the body: its axis a′ = R a_p, the direction u′ = R u_p, its point s = p + R d_p; they move by
//   ȧ′ = −ω × a′,   u̇′ = −ω × u′,   ṡ = −(v + ω × s)          with η = (ω, v)
// Five rows:
//   g = u · a′    ġ = (u × a′) · ω        g̈ = (u × a′) · ω̇ − u × (ω × a′) · ω     and the same with w
//   g = d − s     ġ = v + ω × s           g̈ = v̇ + ω̇ × s − ω × ġ
// The angle: with c = u · u′, σ = −w · u′,
//   q = atan2(σ, c),   q̇ = n · ω/ρ²,   n = c (u′ × w) + σ (u′ × u),   ρ² = c² + σ²,
//   q̈ = n · ω̇/ρ² + ( ṅ · ω − 2 (c ċ + σ σ̇) q̇ )/ρ²
// η̇ = φ̇_c − X φ̇_p + ad_η X φ_p = J v̇_c − X J v̇_p + carry. On the parent's twist J is −J X:
//   −(R[0 1]… ) of a row ( m ; f ): −( Rᵀ (m − p × f) ; Rᵀ f )
#ifndef MB_SOLVERS_MAXIMAL_HELD_HINGE_H
#define MB_SOLVERS_MAXIMAL_HELD_HINGE_H

#include "core/solvers/maximal/held.h"

#include <string.h>

// What of the parent is seen from the body.
typedef struct Seen {
  double a[3], u[3], s[3];
  double c, sigma, rho2;
} Seen;

static inline Seen see(const MbHeldHinge *hinge, const MbHeldPlace *X) {
  Seen seen;
  mb_mat3_apply(seen.a, X->R, hinge->pa);
  mb_mat3_apply(seen.u, X->R, hinge->pu);
  mb_mat3_apply(seen.s, X->R, hinge->pd);
  mb_vec3_add(seen.s, seen.s, X->p);
  seen.c = mb_vec3_dot(hinge->u, seen.u);
  seen.sigma = -mb_vec3_dot(hinge->w, seen.u);
  seen.rho2 = seen.c * seen.c + seen.sigma * seen.sigma;
  return seen;
}

#endif
