// Numbers of one instance of a tree, or of several in lockstep: a Real is a double, or a vector with a double of every
// instance. A file that defines MB_LANES before including this gets the types and kernels for that many. What is not a Real is
// the same for all instances: how the tree hangs together. Lengths, masses and the like are the instances' own.
//
// An instance comes to the same bits alone and beside others: the compiler fuses no product with a sum by itself (it would choose
// others in a vector than in a double), `mad` and `less` do, in files that define MB_FUSED (fused.h).
//
// Everything is in world axes. Spatial quantities are of a body's origin O (links.h): motions (ω, v), wrenches (torque,
// force), articulated inertias
//   (torque; force) = ( I H ; Hᵀ M ) (α; a) + p
// with I and M symmetric. A rigid body with h = m (C − O) has H = [h], M = m 1.
#ifndef MB_SOLVERS_REDMAX_LANES_H
#define MB_SOLVERS_REDMAX_LANES_H

#include "core/solvers/redmax/fused.h"
#include "core/solvers/redmax/link.h"

#include <string.h>

#define MB_ASIDE static __attribute__((noinline, unused)) // what loops call now and then

#if MB_LANES == 1
typedef double Real;
typedef MbLink Link;
typedef MbTurn Turn;
MB_KERNEL Real mad(Real a, Real b, Real c) { return mb_mad(a, b, c); }
MB_KERNEL Real less(Real a, Real b, Real c) { return mb_less(a, b, c); }
#else
typedef MbEight Real;
// MbLink and MbTurn of every instance
typedef struct Link {
  Real e[3], c[3], m, I[3];
  uint32_t along, turn;
} Link;
typedef struct Turn {
  Real k[4], k2[4], a[3];
} Turn;
// a b + c;  c − a b
MB_KERNEL Real mad(Real a, Real b, Real c) { return mb_mad_eight(a, b, c); }
MB_KERNEL Real less(Real a, Real b, Real c) { return mb_less_eight(a, b, c); }
#endif

typedef struct Vec {
  Real x, y, z;
} Vec;
typedef struct Mat { // columns
  Vec x, y, z;
} Mat;
typedef struct Sym {
  Real xx, yy, zz, xy, xz, yz;
} Sym;
typedef struct Screw { // a motion or a wrench
  Vec turn, line;
} Screw;
typedef struct Quat {
  Real w, x, y, z;
} Quat;

// ---- what the passes leave behind for each other ----------------------------------------------------------

// Of every body: where it stands, and how it takes part in the solution.
typedef struct Stand {
  Vec s, r; // axis (revolute); O − O_p
  Screw V; // revolute: Î (s, 0) / d at the parent's origin, d = s·Î s; of other joints the body's motion at O
  Real inverse, u; // revolute: 1 / d; what is left to its joint, over d
} Stand;

// Of every body: its own inertia, its velocity and the acceleration of O at v̇ = 0, gravity seen as −g of the world.
typedef struct Rigid {
  Sym I;
  Vec h, w;
  Screw gamma;
} Rigid;

// In slots, downwards.
typedef struct Frame {
  Quat q;
  Mat R;
  Vec O;
  Screw motion, gamma;
} Frame;

// In slots, upwards: sums over children, at the parent's origin.
typedef struct Articulated {
  Sym I, M;
  Mat H;
  Screw p;
} Articulated;

// ---- vectors ----------------------------------------------------------------------------------------------

MB_KERNEL Vec vec(const double a[3]) {
  const Real none = {0};
  return (Vec){none + a[0], none + a[1], none + a[2]};
}
MB_KERNEL Vec add(Vec a, Vec b) { return (Vec){a.x + b.x, a.y + b.y, a.z + b.z}; }
MB_KERNEL Vec sub(Vec a, Vec b) { return (Vec){a.x - b.x, a.y - b.y, a.z - b.z}; }
MB_KERNEL Vec scale(Real s, Vec a) { return (Vec){s * a.x, s * a.y, s * a.z}; }
MB_KERNEL Vec add_scaled(Vec a, Real s, Vec b) {
  return (Vec){mad(s, b.x, a.x), mad(s, b.y, a.y), mad(s, b.z, a.z)};
}
MB_KERNEL Vec less_scaled(Vec a, Real s, Vec b) {
  return (Vec){less(s, b.x, a.x), less(s, b.y, a.y), less(s, b.z, a.z)};
}
// a b + c d + e f
MB_KERNEL Real sum3(Real a, Real b, Real c, Real d, Real e, Real f) { return mad(e, f, mad(c, d, a * b)); }
MB_KERNEL Real dot(Vec a, Vec b) { return sum3(a.x, b.x, a.y, b.y, a.z, b.z); }
MB_KERNEL Vec cross(Vec a, Vec b) {
  return (Vec){less(a.z, b.y, a.y * b.z), less(a.x, b.z, a.z * b.x), less(a.y, b.x, a.x * b.y)};
}
// c + a × b
MB_KERNEL Vec add_cross(Vec c, Vec a, Vec b) {
  return (Vec){less(a.z, b.y, mad(a.y, b.z, c.x)), less(a.x, b.z, mad(a.z, b.x, c.y)),
               less(a.y, b.x, mad(a.x, b.y, c.z))};
}
MB_KERNEL Vec apply(Mat A, Vec b) {
  return (Vec){sum3(A.x.x, b.x, A.y.x, b.y, A.z.x, b.z), sum3(A.x.y, b.x, A.y.y, b.y, A.z.y, b.z),
               sum3(A.x.z, b.x, A.y.z, b.y, A.z.z, b.z)};
}
MB_KERNEL Vec apply_transposed(Mat A, Vec b) { return (Vec){dot(A.x, b), dot(A.y, b), dot(A.z, b)}; }
MB_KERNEL Vec apply_sym(Sym A, Vec b) {
  return (Vec){sum3(A.xx, b.x, A.xy, b.y, A.xz, b.z), sum3(A.xy, b.x, A.yy, b.y, A.yz, b.z),
               sum3(A.xz, b.x, A.yz, b.y, A.zz, b.z)};
}
// c + a b + d e + f g
MB_KERNEL Real add3(Real c, Real a, Real b, Real d, Real e, Real f, Real g) {
  return mad(f, g, mad(d, e, mad(a, b, c)));
}
MB_KERNEL Vec add_apply_sym(Vec c, Sym A, Vec b) {
  return (Vec){add3(c.x, A.xx, b.x, A.xy, b.y, A.xz, b.z), add3(c.y, A.xy, b.x, A.yy, b.y, A.yz, b.z),
               add3(c.z, A.xz, b.x, A.yz, b.y, A.zz, b.z)};
}
// A b for a constant b
MB_KERNEL Vec turn(Mat A, const Real b[3]) { return apply(A, (Vec){b[0], b[1], b[2]}); }
// A − s a aᵀ, given b = s a
MB_KERNEL Sym less_outer(Sym A, Vec a, Vec b) {
  return (Sym){less(a.x, b.x, A.xx), less(a.y, b.y, A.yy), less(a.z, b.z, A.zz),
               less(a.x, b.y, A.xy), less(a.x, b.z, A.xz), less(a.y, b.z, A.yz)};
}
MB_KERNEL Real dot_screw(Screw a, Screw b) { return dot(a.turn, b.turn) + dot(a.line, b.line); }
MB_KERNEL Screw add_screw(Screw a, Screw b) { return (Screw){add(a.turn, b.turn), add(a.line, b.line)}; }
MB_KERNEL Screw add_scaled_screw(Screw a, Real s, Screw b) {
  return (Screw){add_scaled(a.turn, s, b.turn), add_scaled(a.line, s, b.line)};
}
// A motion's or acceleration's deviation at another origin, r from the first: v + ω × r; a wrench seen from there, which
// is −r from the force: torque + r × force.
MB_KERNEL Screw move_motion(Screw a, Vec r) { return (Screw){a.turn, add_cross(a.line, a.turn, r)}; }
MB_KERNEL Screw move_wrench(Screw f, Vec r) { return (Screw){add_cross(f.turn, r, f.line), f.line}; }

// ---- rotations --------------------------------------------------------------------------------------------

MB_KERNEL Quat quat_mul(Quat a, Quat b) {
  return (Quat){less(a.z, b.z, less(a.y, b.y, less(a.x, b.x, a.w * b.w))),
                less(a.z, b.y, mad(a.y, b.z, mad(a.x, b.w, a.w * b.x))),
                mad(a.z, b.x, mad(a.y, b.w, less(a.x, b.z, a.w * b.y))),
                mad(a.z, b.w, less(a.y, b.x, mad(a.x, b.y, a.w * b.z)))};
}
// A product of unit quaternions is unit but for rounding: one step of Newton's method for 1/√x at x = 1.
MB_KERNEL Quat quat_unit(Quat q) {
  const Real half = (Real){0} + 0.5, most = (Real){0} + 1.5;
  const Real s = less(half, mad(q.x, q.x, q.w * q.w) + mad(q.z, q.z, q.y * q.y), most);
  return (Quat){s * q.w, s * q.x, s * q.y, s * q.z};
}
MB_KERNEL Mat quat_mat(Quat q) {
  const Real x2 = q.x + q.x, y2 = q.y + q.y, z2 = q.z + q.z;
  const Real xx = q.x * x2, yy = q.y * y2, zz = q.z * z2, xy = q.x * y2, xz = q.x * z2, yz = q.y * z2;
  const Real wx = q.w * x2, wy = q.w * y2, wz = q.w * z2;
  return (Mat){{1.0 - (yy + zz), xy + wz, xz - wy},
               {xy - wz, 1.0 - (xx + zz), yz + wx},
               {xz + wy, yz - wx, 1.0 - (xx + yy)}};
}

// ---- inertia ----------------------------------------------------------------------------------------------

// R diag(I) Rᵀ = I₃ 1 + (I₁ − I₃) x xᵀ + (I₂ − I₃) y yᵀ about C, moved to O: + (c·h) 1 − c hᵀ
MB_KERNEL Sym rigid_inertia(const Real I[3], Mat R, Vec c, Vec h) {
  const Vec x = scale((Real){0} + (I[0] - I[2]), R.x), y = scale((Real){0} + (I[1] - I[2]), R.y);
  const Real cx = c.x * h.x, cy = c.y * h.y, cz = c.z * h.z;
  return (Sym){
      I[2] + mad(y.x, R.y.x, x.x * R.x.x) + (cy + cz), I[2] + mad(y.y, R.y.y, x.y * R.x.y) + (cx + cz),
      I[2] + mad(y.z, R.y.z, x.z * R.x.z) + (cx + cy), less(c.x, h.y, mad(y.x, R.y.y, x.x * R.x.y)),
      less(c.x, h.z, mad(y.x, R.y.z, x.x * R.x.z)),    less(c.y, h.z, mad(y.y, R.y.z, x.y * R.x.z))};
}

// Own inertia and sums over children. Field by field, here and below: numbers that were stored one at a time and are loaded
// many at once come late.
MB_KERNEL Articulated with_rigid(const Articulated *sum, Sym I, Vec h, Real m) {
  Articulated A;
  A.I = (Sym){sum->I.xx + I.xx, sum->I.yy + I.yy, sum->I.zz + I.zz,
              sum->I.xy + I.xy, sum->I.xz + I.xz, sum->I.yz + I.yz};
  A.M = (Sym){sum->M.xx + m, sum->M.yy + m, sum->M.zz + m, sum->M.xy, sum->M.xz, sum->M.yz};
  A.H.x = (Vec){sum->H.x.x, sum->H.x.y + h.z, sum->H.x.z - h.y};
  A.H.y = (Vec){sum->H.y.x - h.z, sum->H.y.y, sum->H.y.z + h.x};
  A.H.z = (Vec){sum->H.z.x + h.y, sum->H.z.y - h.x, sum->H.z.z};
  A.p.turn = (Vec){sum->p.turn.x, sum->p.turn.y, sum->p.turn.z};
  A.p.line = (Vec){sum->p.line.x, sum->p.line.y, sum->p.line.z};
  return A;
}
MB_KERNEL Articulated only_rigid(Sym I, Vec h, Real m) {
  const Real none = {0};
  return (Articulated){.I = I,
                       .M = {m, m, m, none, none, none},
                       .H = {{none, h.z, -h.y}, {-h.z, none, h.x}, {h.y, -h.x, none}},
                       .p = {{none, none, none}, {none, none, none}}};
}

MB_KERNEL Screw inertia_apply(Articulated A, Screw a) {
  return (Screw){add(apply_sym(A.I, a.turn), apply(A.H, a.line)),
                 add(apply_transposed(A.H, a.turn), apply_sym(A.M, a.line))};
}

// Î − U Uᵀ / d, given V = U / d
MB_KERNEL Articulated inertia_less(Articulated A, Screw U, Screw V) {
  A.I = less_outer(A.I, U.turn, V.turn);
  A.M = less_outer(A.M, U.line, V.line);
  A.H.x = less_scaled(A.H.x, V.line.x, U.turn);
  A.H.y = less_scaled(A.H.y, V.line.y, U.turn);
  A.H.z = less_scaled(A.H.z, V.line.z, U.turn);
  return A;
}

// At the origin of the parent, −r away:  H′ = H + [r] M,  I′ = I + [r] Hᵀ − H′ [r]
MB_KERNEL Articulated inertia_move(Articulated A, Vec r) {
  const Sym M = A.M;
  const Mat H = A.H;
  A.H.x = add_cross(H.x, r, (Vec){M.xx, M.xy, M.xz});
  A.H.y = add_cross(H.y, r, (Vec){M.xy, M.yy, M.yz});
  A.H.z = add_cross(H.z, r, (Vec){M.xz, M.yz, M.zz});
  A.I.xx = less(r.z, A.H.y.x, mad(r.y, A.H.z.x, less(r.z, H.y.x, mad(r.y, H.z.x, A.I.xx))));
  A.I.yy = less(r.x, A.H.z.y, mad(r.z, A.H.x.y, less(r.x, H.z.y, mad(r.z, H.x.y, A.I.yy))));
  A.I.zz = less(r.y, A.H.x.z, mad(r.x, A.H.y.z, less(r.y, H.x.z, mad(r.x, H.y.z, A.I.zz))));
  A.I.xy = less(r.x, A.H.z.x, mad(r.z, A.H.x.x, less(r.z, H.y.y, mad(r.y, H.z.y, A.I.xy))));
  A.I.xz = less(r.y, A.H.x.x, mad(r.x, A.H.y.x, less(r.z, H.y.z, mad(r.y, H.z.z, A.I.xz))));
  A.I.yz = less(r.y, A.H.x.y, mad(r.x, A.H.y.y, less(r.x, H.z.z, mad(r.z, H.x.z, A.I.yz))));
  return A;
}

MB_KERNEL Sym add_sym(Sym A, Sym B) {
  return (Sym){A.xx + B.xx, A.yy + B.yy, A.zz + B.zz, A.xy + B.xy, A.xz + B.xz, A.yz + B.yz};
}

// Into the parent's slot: the first of its children to come, which is the last in number, finds nothing there.
MB_KERNEL void collect(Articulated *sum, Articulated A, Screw p, bool first) {
  A.p = p;
  if (!first) {
    A.I = add_sym(A.I, sum->I), A.M = add_sym(A.M, sum->M);
    A.H = (Mat){add(A.H.x, sum->H.x), add(A.H.y, sum->H.y), add(A.H.z, sum->H.z)};
    A.p = add_screw(A.p, sum->p);
  }
  *sum = A;
}

#endif
