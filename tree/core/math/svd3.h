// Signed singular values of 3 x 3 and 3 x 2 matrices, row major, one or a pack of them at once (pack.h).
//
//   F = U diag(s) Vᵀ,  U and V rotations,  s₁ ≥ s₂ ≥ |s₃|,  so that the sign of det F is that of s₃
//
// by one-sided Jacobi: F V with columns that plane rotations make orthogonal, longest first; U are their directions. All are
// as accurate as rounding at the size of F allows, whatever the singular values: repeated, zero, negative. A rotation is skipped
// where it would change nothing that counts, so that a matrix is done alike in any company. Numbers that are not finite give
// NaN.
#ifndef MB_MATH_SVD3_H
#define MB_MATH_SVD3_H

#include "core/math/pack.h"

typedef struct MbPack3 {
  MbPack x, y, z;
} MbPack3;

MB_PACK_INLINE MbPack mb_pack3_dot(MbPack3 a, MbPack3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
MB_PACK_INLINE MbPack3 mb_pack3_scale(MbPack s, MbPack3 a) { return (MbPack3){s * a.x, s * a.y, s * a.z}; }
MB_PACK_INLINE MbPack3 mb_pack3_cross(MbPack3 a, MbPack3 b) {
  return (MbPack3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
MB_PACK_INLINE MbPack3 mb_pack3_select(MbPackMask m, MbPack3 a, MbPack3 b) {
  return (MbPack3){mb_pack_select(m, a.x, b.x), mb_pack_select(m, a.y, b.y), mb_pack_select(m, a.z, b.z)};
}

enum { MB_SVD3_SWEEPS = 16 }; // five are enough for nearly all

// Two columns of F V and of V, turned so that they are orthogonal and the first is not the shorter. Which have changed.
MB_PACK_INLINE MbPackMask mb_svd3_turn(MbPack3 *p, MbPack3 *q, MbPack3 *vp, MbPack3 *vq) {
  // what is left of the angle between them does not count: beside either's length, or beside F
  static const double ANGLE2 = 1e-31, SIZE2 = 1e-33;
  const MbPack a = mb_pack3_dot(*p, *p), b = mb_pack3_dot(*q, *q), g = mb_pack3_dot(*p, *q);
  const MbPackMask swap = mb_pack_less(a, b);
  const MbPack longer = mb_pack_max(a, b), shorter = mb_pack_min(a, b);
  const MbPackMask turn = mb_pack_less(longer * mb_pack_max(ANGLE2 * shorter, mb_pack_all(SIZE2)), g * g);
  const MbPackMask change = turn | swap;
  if (!mb_pack_any(change)) return change;
  // tan 2θ = h / d, |θ| ≤ π/4
  const MbPack d = longer - shorter, h = mb_pack_select(swap, -2.0 * g, 2.0 * g);
  const MbPack m = d + mb_pack_sqrt(d * d + h * h), k = 1.0 / mb_pack_sqrt(m * m + h * h);
  const MbPack cosine = mb_pack_select(turn, m * k, mb_pack_all(1));
  const MbPack sine = mb_pack_select(turn, h * k, mb_pack_all(0));
  // an exchange is a quarter turn
  const MbPack c = mb_pack_select(swap, -sine, cosine), s = mb_pack_select(swap, cosine, sine);
  const MbPack3 p0 = *p, v0 = *vp;
  *p = (MbPack3){c * p0.x + s * q->x, c * p0.y + s * q->y, c * p0.z + s * q->z};
  *q = (MbPack3){c * q->x - s * p0.x, c * q->y - s * p0.y, c * q->z - s * p0.z};
  *vp = (MbPack3){c * v0.x + s * vq->x, c * v0.y + s * vq->y, c * v0.z + s * vq->z};
  *vq = (MbPack3){c * vq->x - s * v0.x, c * vq->y - s * v0.y, c * vq->z - s * v0.z};
  return change;
}

// A power of two of the size of the largest of n numbers.
MB_PACK_INLINE MbPack mb_svd3_size(const MbPack *F, int n, MbPack *inverse) {
  MbPack most = mb_pack_all(0x1p-1022);
  for (int i = 0; i < n; i++) most = mb_pack_max(mb_pack_abs(F[i]), most);
  const MbPackBits bits = mb_pack_bits(mb_pack_min(most, mb_pack_all(0x1p1022))) & 0x7ff0000000000000;
  *inverse = mb_pack_of_bits(0x7fe0000000000000 - bits);
  return mb_pack_of_bits(bits);
}

// A direction across the unit vector a.
MB_PACK_INLINE MbPack3 mb_svd3_across(MbPack3 a) {
  const MbPackMask x = mb_pack_less(mb_pack_abs(a.x), mb_pack_all(0.6));
  const MbPack zero = mb_pack_all(0);
  const MbPack3 b = mb_pack3_select(x, (MbPack3){zero, a.z, -a.y}, (MbPack3){-a.z, zero, a.x});
  return mb_pack3_scale(1.0 / mb_pack_sqrt(mb_pack3_dot(b, b)), b);
}

// Directions and lengths of two orthogonal columns, the first not the shorter; columns of nothing get directions as well.
MB_PACK_INLINE void mb_svd3_directions(MbPack3 a, MbPack3 b, MbPack3 *u1, MbPack3 *u2, MbPack *s1,
                                       MbPack *s2) {
  static const double NOTHING2 = 1e-32;
  const MbPack one = mb_pack_all(1), zero = mb_pack_all(0);
  const MbPack aa = mb_pack3_dot(a, a), none = mb_pack_all(NOTHING2);
  const MbPackMask flat = mb_pack_less(aa, none);
  *s1 = mb_pack_select(flat, zero, mb_pack_sqrt(aa));
  const MbPack inverse = 1.0 / mb_pack_select(flat, one, *s1);
  *u1 = mb_pack3_select(flat, (MbPack3){one, zero, zero}, mb_pack3_scale(inverse, a));
  const MbPack along = mb_pack3_dot(*u1, b);
  const MbPack3 rest = {b.x - along * u1->x, b.y - along * u1->y, b.z - along * u1->z};
  const MbPack bb = mb_pack3_dot(rest, rest);
  const MbPackMask thin = mb_pack_less(bb, none);
  *s2 = mb_pack_select(thin, zero, mb_pack_sqrt(bb));
  *u2 = mb_pack3_scale(1.0 / mb_pack_select(thin, one, *s2), rest);
  if (mb_pack_any(thin)) *u2 = mb_pack3_select(thin, mb_svd3_across(*u1), *u2);
}

MB_PACK_INLINE void mb_svd3(const MbPack F[9], MbPack U[9], MbPack s[3], MbPack V[9]) {
  const MbPack one = mb_pack_all(1), zero = mb_pack_all(0);
  MbPack small;
  const MbPack size = mb_svd3_size(F, 9, &small);
  MbPack3 a = {small * F[0], small * F[3], small * F[6]}, b = {small * F[1], small * F[4], small * F[7]};
  MbPack3 c = {small * F[2], small * F[5], small * F[8]};
  MbPack3 va = {one, zero, zero}, vb = {zero, one, zero}, vc = {zero, zero, one};
  for (int sweep = 0; sweep < MB_SVD3_SWEEPS; sweep++) {
    MbPackMask change = mb_svd3_turn(&a, &b, &va, &vb);
    change |= mb_svd3_turn(&a, &c, &va, &vc);
    change |= mb_svd3_turn(&b, &c, &vb, &vc);
    if (!mb_pack_any(change)) break;
  }
  MbPack3 ua, ub;
  mb_svd3_directions(a, b, &ua, &ub, &s[0], &s[1]);
  const MbPack3 uc = mb_pack3_cross(ua, ub);
  s[2] = size * mb_pack3_dot(uc, c);
  s[1] = mb_pack_max(size * s[1], mb_pack_abs(s[2]));
  s[0] = mb_pack_max(size * s[0], s[1]);
  U[0] = ua.x, U[3] = ua.y, U[6] = ua.z, V[0] = va.x, V[3] = va.y, V[6] = va.z;
  U[1] = ub.x, U[4] = ub.y, U[7] = ub.z, V[1] = vb.x, V[4] = vb.y, V[7] = vb.z;
  U[2] = uc.x, U[5] = uc.y, U[8] = uc.z, V[2] = vc.x, V[5] = vc.y, V[8] = vc.z;
}

// F (3 x 2) = U diag(s) Vᵀ with s₁ ≥ s₂ ≥ 0; U's third column is across F, V (2 x 2) turns.
MB_PACK_INLINE void mb_svd32(const MbPack F[6], MbPack U[9], MbPack s[2], MbPack V[4]) {
  const MbPack one = mb_pack_all(1), zero = mb_pack_all(0);
  MbPack small;
  const MbPack size = mb_svd3_size(F, 6, &small);
  MbPack3 a = {small * F[0], small * F[2], small * F[4]}, b = {small * F[1], small * F[3], small * F[5]};
  MbPack3 va = {one, zero, zero}, vb = {zero, one, zero};
  for (int sweep = 0; sweep < MB_SVD3_SWEEPS; sweep++)
    if (!mb_pack_any(mb_svd3_turn(&a, &b, &va, &vb))) break;
  MbPack3 ua, ub;
  mb_svd3_directions(a, b, &ua, &ub, &s[0], &s[1]);
  const MbPack3 uc = mb_pack3_cross(ua, ub);
  s[1] = size * s[1];
  s[0] = mb_pack_max(size * s[0], s[1]);
  U[0] = ua.x, U[3] = ua.y, U[6] = ua.z, V[0] = va.x, V[2] = va.y;
  U[1] = ub.x, U[4] = ub.y, U[7] = ub.z, V[1] = vb.x, V[3] = vb.y;
  U[2] = uc.x, U[5] = uc.y, U[8] = uc.z;
}

// The rotation nearest to F, of its singular vectors: U Vᵀ.
MB_PACK_INLINE void mb_svd3_polar(const MbPack U[9], const MbPack V[9], MbPack R[9]) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      R[3 * i + j] = U[3 * i] * V[3 * j] + U[3 * i + 1] * V[3 * j + 1] + U[3 * i + 2] * V[3 * j + 2];
}

#endif
