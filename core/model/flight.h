// What a body does over a step when nothing pulls at it: its centre goes straight on, its angular momentum L stays, and it
// turns as a free top. The steps of first order are a blow by all forces and rows, then this flight.
//
// Linear momentum needs nothing: velocities of bodies in space are carried in the world's axes (coordinates.h).
//
// The spin ω in C axes does not stay, as ω̇ = I⁻¹ (Iω × ω). What the step turns the body by is the mean spin ω̄: exp(h ω̄) is the
// turn of the free top over the step, and rows that hold the body are asked of ω̄ too. So a step is
//   blow      I ω̄⁺ = I ω̄ + j                           j: what forces and rows give; ω̄ enters as a torque, the swing's
//   turn      R⁺ = R exp(h ω̄⁺)
//   carry     R⁺ I ω⁺ = R (I ω + j),                   so that L changes by j alone, whatever ω̄ is
// with the swing s = I (ω̄ − ω):   I ω + j = I ω̄⁺ − s. Where j = 0 this is the free top's flight: its energy stays as well as that of
// the flight does. A ball, and what spins about a principal axis, has ω̄ = ω and s = 0.
//
// Behind a large blow ω̄⁺ has the swing of the spin before it, and the flight does not keep energy. A body that a contact throws back, and
// that nothing else holds, gets the swing of what it spins by then (sim/touch_note.c).
//
// The top's flight, with Π = I ω: of its energy ½ Σ Π_i²/I_i = ½ |Π|²/I_r + ½ Σ δ_i Π_i², δ_i = 1/I_i − 1/I_r, the first part turns
// the body about Π, which leaves Π where it is; a part ½ δ Π_e² turns it about its own axis e by δ Π_e and Π with it. Each
// flight is known exactly, and each keeps R Π; r is one of the two axes whose inertias are nearest, the other axes are a (near)
// and b (far), and
//   exp(h ω̄) = exp(h Π/I_r) · E_a(h/2) E_b(h) E_a(h/2)
// is exact where two inertias are the same, else symplectic of second order: its energy swings by the square of the step and does not
// drift (Fassò, Comparison of splitting algorithms for the rigid body, 2003). Fast bodies take several of these a step.
#ifndef MB_MODEL_FLIGHT_H
#define MB_MODEL_FLIGHT_H

#include "core/math/se3.h"

// swing = I (ω̄ − ω) of a body of principal inertia I that spins by w; zero where it has no inertia about some axis.
void mb_flight_swing(double h, const double I[3], const double w[3], double swing[3]);
// w ← ω⁺ of w = ω̄⁺, given the swing that the step has taken.
void mb_flight_carry(double h, const double I[3], const double swing[3], double w[3]);

#endif
