// The local step of a pack of elements at once (local_step.h), or of one where MB_PACK is 1: what kernels of processors and of devices are
// made of.
#ifndef MB_DEFORMABLES_LOCAL_PACK_H
#define MB_DEFORMABLES_LOCAL_PACK_H

#include "core/deformables/gradient.h"
#include "core/deformables/elastic.h"
#include "core/deformables/pack_sides.h"
#include "core/math/svd3.h"

// Newton's method on the values of one element: on a device, where nothing is linked, as it stands.
#ifdef __CUDACC__
#include "core/deformables/newton_values.h"
#define MB_NEWTON_VALUES mb_newton_values
#define MB_PACK_ASIDE    static __noinline__ __host__ __device__
#else
#include "core/deformables/local_step.h"
#define MB_NEWTON_VALUES mb_local_newton
#define MB_PACK_ASIDE    static __attribute__((noinline, unused))
#endif

// F + u of a pack, or p, by singular values: for springs a direction and a length.
typedef struct Values {
  MbPack U[9], V[9], a[3];
} Values;

MB_PACK_INLINE void values_of(int rank, const MbPack *F, Values *f) {
  if (rank == 3) {
    mb_svd3(F, f->U, f->a, f->V);
  } else if (rank == 2) {
    mb_svd32(F, f->U, f->a, f->V);
  } else {
    const MbPack zero = mb_pack_all(0);
    const MbPack F2[6] = {F[0], zero, F[1], zero, F[2], zero};
    MbPack a[2], V[4];
    mb_svd32(F2, f->U, a, V);
    f->a[0] = a[0];
    for (int i = 0; i < 3; i++) f->U[3 * i] = f->U[3 * i] * V[0];
  }
}

// p = U diag(s) Vᵀ; adding 0 makes all zeros alike
MB_PACK_INLINE void compose(int rank, const Values *f, const MbPack *s, MbPack *p) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < rank; j++) {
      MbPack sum = mb_pack_all(0);
      for (int k = 0; k < rank; k++)
        sum += f->U[3 * i + k] * s[k] * (rank == 1 ? mb_pack_all(1) : f->V[rank * j + k]);
      p[rank * i + j] = sum;
    }
}

// p ← F − 2μ/w (F − R)
MB_PACK_INLINE void arap(const MbElastic *e, int rank, MbPack w, const MbPack *F, MbPack *p) {
  const MbPack one = mb_pack_all(1), ones[3] = {one, one, one}, part = 2.0 * e->mu / w;
  Values f;
  values_of(rank, F, &f);
  compose(rank, &f, ones, p);
  for (int c = 0; c < 3 * rank; c++) p[c] = F[c] - part * (F[c] - p[c]);
}

// w (s_i − a_i) + 2μ (s_i − 1) + λ (Σ s − rank) = 0, first without bounds. Bounds are s₂ + s₃ ≥ 0, or s₂ ≥ 0 of two.
MB_PACK_INLINE void corotational(const MbElastic *e, int rank, MbPack w, const MbPack *a, MbPack *s) {
  const double mu2 = 2 * e->mu, lambda = e->lambda;
  MbPack sum = a[0];
  for (int i = 1; i < rank; i++) sum += a[i];
  const MbPack t = lambda * w * (sum - rank) / (w + (mu2 + rank * lambda)), k = 1.0 / (w + mu2);
  for (int i = 0; i < rank; i++) s[i] = k * (w * a[i] + mu2 - t);
  if (rank == 1) return;
  const MbPack last = rank == 3 ? s[1] + s[2] : s[1], zero = mb_pack_all(0);
  const MbPackMask beyond = mb_pack_less(last, zero);
  if (!mb_pack_any(beyond)) return;
  // s₂ = −s₃ = b, which only w and μ see, or s₂ = 0; then s₁ alone, unless it would be less than b: then all are c
  const MbPack b = rank == 3 ? 0.5 * k * w * (a[1] - a[2]) : zero;
  const MbPack s1 = (w * a[0] + (mu2 + rank * lambda)) / (w + (mu2 + lambda));
  const MbPackMask all = mb_pack_less(s1, b);
  const MbPack c =
      rank == 3 ? (w * (a[0] + a[1] - a[2]) + (mu2 + 3 * lambda)) / (3.0 * (w + mu2) + lambda) : s1;
  const MbPack rest = mb_pack_select(all, c, b);
  s[0] = mb_pack_select(beyond, mb_pack_select(all, c, s1), s[0]);
  s[1] = mb_pack_select(beyond, rest, s[1]);
  if (rank == 3) s[2] = mb_pack_select(beyond, -rest, s[2]);
}

// The roots s of (w + μ) s² − b s + κ = 0 and S = 2 (w + μ) s − b, which is a square root. Only the last b is ever negative.
MB_PACK_INLINE void roots(int rank, MbPack W, const MbPack *b, MbPack kappa, MbPack *s, MbPack *S) {
  const MbPack half = 0.5 / W, zero = mb_pack_all(0);
  for (int i = 0; i < rank; i++) {
    S[i] = mb_pack_sqrt(mb_pack_max(b[i] * b[i] - 4.0 * W * kappa, zero));
    s[i] = half * (b[i] + S[i]);
  }
  if (rank == 3) s[2] = mb_pack_select(mb_pack_less(b[2], zero), -2.0 * kappa / (S[2] - b[2]), s[2]);
}

enum { STEPS = 24 };

// L = Σ ln s(κ(L)), κ = λ L − μ: the difference is convex and grows with L. What is not done by this: true.
MB_PACK_INLINE MbPackMask neo_hookean(const MbElastic *e, int rank, MbPack w, const MbPack *a, MbPack *s) {
  static const double CLOSE = 1e-9; // the step after the next would be its square
  const double lambda = e->lambda;
  const MbPack W = w + e->mu, zero = mb_pack_all(0), one = mb_pack_all(1);
  MbPack b[3], S[3], L = zero;
  for (int i = 0; i < rank; i++) b[i] = w * a[i];
  // where the roots of the last value end
  const MbPack least = mb_pack_max(b[rank - 1], zero);
  const MbPack most = lambda > 0 ? (0.25 * least * least / W + e->mu) / lambda : mb_pack_all(INFINITY);
  MbPackMask open = mb_pack_less(zero, one), rising = open;
  for (int step = 0; step < STEPS; step++) {
    roots(rank, W, b, lambda * L - e->mu, s, S);
    // product X and Σ X / x of x = S s, so that the slope is 1 + λ Σ 1/x
    const MbPack x = S[0] * s[0], y = rank > 1 ? S[1] * s[1] : one, z = rank > 2 ? S[2] * s[2] : one;
    const MbPack X = x * y * z, Y = rank > 2 ? y * z + x * (y + z) : rank > 1 ? x + y : one;
    const MbPack J = rank > 2 ? s[0] * s[1] * s[2] : rank > 1 ? s[0] * s[1] : s[0];
    const MbPack slope = X + lambda * Y, move = (L - mb_pack_log(J)) * X / slope;
    rising = mb_pack_less(zero, slope);
    const MbPack next = L - move;
    const MbPackMask inside = mb_pack_less(next, most);
    L = mb_pack_select(open, mb_pack_select(inside, next, 0.5 * (L + most)), L);
    open = mb_pack_unless(open, mb_pack_less(mb_pack_abs(move), mb_pack_all(CLOSE)) & inside);
    if (!mb_pack_any(open)) break;
  }
  roots(rank, W, b, lambda * L - e->mu, s, S);
  static const double LOWEST = -2.302585092994045; // ln MB_ELASTIC_LEAST_J
  const MbPackMask falling = mb_pack_unless(mb_pack_less(zero, one), rising),
                   low = mb_pack_less(L, mb_pack_all(LOWEST));
  return open | falling | low;
}

// Those of a pack that are left over, one after the other.
MB_PACK_ASIDE void rescue(const MbElastic *e, int rank, MbPackMask which, const MbPack *w, const MbPack *a,
                          MbPack *s) {
  double weight[MB_PACK], mask[MB_PACK], from[3][MB_PACK], to[3][MB_PACK];
  mb_pack_store(weight, *w);
  mb_pack_store(mask, mb_pack_select(which, mb_pack_all(1), mb_pack_all(0)));
  for (int i = 0; i < rank; i++) mb_pack_store(from[i], a[i]), mb_pack_store(to[i], s[i]);
  for (int k = 0; k < MB_PACK; k++) {
    if (mask[k] == 0) continue;
    double x[3] = {0}, y[3] = {0};
    bool sound = true;
    for (int i = 0; i < rank; i++) {
      x[i] = from[i][k], y[i] = to[i][k];
      sound &= y[i] > 0 && isfinite(y[i]);
    }
    for (int i = 0; i < rank && !sound; i++) y[i] = fmax(x[i], 0.5);
    MB_NEWTON_VALUES(e, rank, weight[k], x, y);
    for (int i = 0; i < rank; i++) to[i][k] = y[i];
  }
  for (int i = 0; i < rank; i++) s[i] = mb_pack_load(to[i]);
}

// w (p − a) + 2μ ε(p) + λ tr ε(p) = 0
MB_PACK_INLINE void linear(const MbElastic *e, MbPack w, const MbPack *a, MbPack *p) {
  const MbPack k = w / (w + 2 * e->mu);
  const MbPack trace = w * (a[0] + a[4] + a[8] - 3.0) / (w + (2 * e->mu + 3 * e->lambda));
  const MbPack t = e->lambda * trace / (w + 2 * e->mu);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      const MbPack even = 0.5 * (a[3 * i + j] + a[3 * j + i]), odd = 0.5 * (a[3 * i + j] - a[3 * j + i]);
      p[3 * i + j] = i == j ? 1.0 + k * (even - 1.0) - t : odd + k * even;
    }
}

// p of a = F + u
MB_PACK_INLINE void project(const MbElastic *e, MbElasticModel model, int rank, MbPack w, const MbPack *a,
                            MbPack *p) {
  MbPack s[3];
  Values f;
  if (model == MB_ARAP) {
    arap(e, rank, w, a, p);
    return;
  }
  if (model == MB_LINEAR) {
    linear(e, w, a, p);
    return;
  }
  values_of(rank, a, &f);
  if (model == MB_NEO_HOOKEAN) {
    const MbPackMask left = neo_hookean(e, rank, w, f.a, s);
    if (mb_pack_any(left)) rescue(e, rank, left, &w, f.a, s);
  } else {
    corotational(e, rank, w, f.a, s);
  }
  compose(rank, &f, s, p);
}

// F = Σ (x_k − x_0) g_kᵀ of elements e, e + 1, …
MB_PACK_INLINE void gather(const MbGradient *g, int rank, const double *x, size_t e, MbPack *F) {
  MbPack side[9];
  sides_of(x, g->node + ((size_t)rank + 1) * e, rank, side);
  for (int c = 0; c < 3 * rank; c++) F[c] = mb_pack_all(0);
  for (int a = 0; a < rank; a++)
    for (int c = 0; c < rank; c++) {
      const MbPack b = mb_pack_load(g->B + (size_t)(rank * a + c) * g->stride + e);
      for (int i = 0; i < 3; i++) F[rank * i + c] += b * side[3 * a + i];
    }
}

// Corners get t g_a.
MB_PACK_INLINE void hand_out(const MbGradient *g, int rank, const MbPack *t, size_t e, double *corner) {
  double *const out = corner + e / 8 * 24 * ((size_t)rank + 1) + e % 8;
  MbPack sum[3] = {mb_pack_all(0), mb_pack_all(0), mb_pack_all(0)};
  for (int a = 0; a < rank; a++) {
    MbPack f[3] = {mb_pack_all(0), mb_pack_all(0), mb_pack_all(0)};
    for (int c = 0; c < rank; c++) {
      const MbPack b = mb_pack_load(g->B + (size_t)(rank * a + c) * g->stride + e);
      for (int i = 0; i < 3; i++) f[i] += t[rank * i + c] * b;
    }
    for (int i = 0; i < 3; i++) sum[i] += f[i], mb_pack_store(out + 24 * (a + 1) + 8 * i, f[i]);
  }
  for (int i = 0; i < 3; i++) mb_pack_store(out + 8 * i, -sum[i]);
}

#endif
