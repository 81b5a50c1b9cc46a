// The local step of a pack of elements at once (local_step.h): a file that defines MB_PACK, MB_LOCAL_TABLE and MB_LOCAL_NAME and
// includes this has the kernels for what it is compiled for.
#include "core/deformables/local_pack.h"
#include "core/deformables/local_step.h"

typedef struct Worst {
  MbPack most, odd; // squares; NaN where there was any
} Worst;

// What the same components of a pack's elements are at.
typedef struct Block {
  size_t stride;
  const double *F, *weight;
  double *u, *p;
} Block;

MB_PACK_INLINE void one_pack(const MbElastic *e, MbElasticModel model, int rank, Block at, Worst *worst) {
  const MbPack w = mb_pack_load(at.weight);
  MbPack a[9], p[9];
  for (int c = 0; c < 3 * rank; c++) {
    a[c] = mb_pack_load(at.F + (size_t)c * at.stride);
    if (model != MB_ARAP) a[c] += mb_pack_load(at.u + (size_t)c * at.stride);
  }
  project(e, model, rank, w, a, p);
  // u ← (F + u) − p, where ‖F − p‖ is how much u changes
  MbPack moved = mb_pack_all(0), apart = moved;
  for (int c = 0; c < 3 * rank; c++) {
    const size_t i = (size_t)c * at.stride;
    const MbPack d = p[c] - mb_pack_load(at.p + i);
    moved += d * d;
    mb_pack_store(at.p + i, p[c]);
    if (model == MB_ARAP) continue;
    const MbPack g = mb_pack_load(at.F + i) - p[c];
    apart += g * g;
    mb_pack_store(at.u + i, a[c] - p[c]);
  }
  worst->most = mb_pack_max(worst->most, mb_pack_max(moved, apart));
  worst->odd += 0.0 * (moved + apart);
}

// The last elements are fewer than a pack: the last of them again in the places that are left.
MB_PACK_INLINE void last_pack(const MbLocal *local, MbElasticModel model, int rank, size_t begin, size_t end,
                              Worst *worst) {
  double F[9 * MB_PACK], u[9 * MB_PACK] = {0}, p[9 * MB_PACK] = {0}, w[MB_PACK];
  for (size_t k = 0; k < MB_PACK; k++) {
    const size_t e = begin + k < end ? begin + k : end - 1;
    w[k] = local->weight[e];
    for (size_t c = 0; c < 3 * (size_t)rank; c++) {
      F[c * MB_PACK + k] = local->F[c * local->stride + e];
      p[c * MB_PACK + k] = local->p[c * local->stride + e];
      if (model != MB_ARAP) u[c * MB_PACK + k] = local->u[c * local->stride + e];
    }
  }
  one_pack(&local->elastic, model, rank, (Block){MB_PACK, F, w, u, p}, worst);
  for (size_t e = begin; e < end; e++)
    for (size_t c = 0; c < 3 * (size_t)rank; c++) {
      local->p[c * local->stride + e] = p[c * MB_PACK + (e - begin)];
      if (model != MB_ARAP) local->u[c * local->stride + e] = u[c * MB_PACK + (e - begin)];
    }
}

MB_PACK_INLINE double run(const MbLocal *local, MbElasticModel model, int rank, size_t begin, size_t end) {
  Worst worst = {mb_pack_all(0), mb_pack_all(0)};
  size_t e = begin;
  for (; e + MB_PACK <= end; e += MB_PACK) {
    const Block at = {local->stride, local->F + e, local->weight + e, local->u ? local->u + e : NULL,
                      local->p + e};
    one_pack(&local->elastic, model, rank, at, &worst);
  }
  if (e < end) last_pack(local, model, rank, e, end, &worst);
  double most[MB_PACK], odd[MB_PACK], square = 0, none = 0;
  mb_pack_store(most, worst.most), mb_pack_store(odd, worst.odd);
  for (int i = 0; i < MB_PACK; i++) square = fmax(square, most[i]), none += odd[i];
  return sqrt(square) + none;
}

// ---- a whole iteration of a pack --------------------------------------------------------------------------

MB_PACK_INLINE void sweep_of(const MbLocalSweep *of, MbElasticModel model, int rank, size_t begin,
                             size_t end) {
  const MbGradient *const g = of->gradient;
  for (size_t e = 8 * begin; e < 8 * end; e += MB_PACK) {
    MbPack F[9], a[9], p[9], t[9];
    gather(g, rank, of->x, e, F);
    for (int c = 0; c < 3 * rank; c++)
      a[c] = model == MB_ARAP ? F[c] : F[c] + mb_pack_load(of->u + (size_t)c * g->stride + e);
    project(&of->elastic, model, rank, mb_pack_load(of->weight + e), a, p);
    const MbPack scale = mb_pack_load(of->scale + e) * mb_pack_load(g->size + e);
    for (int c = 0; c < 3 * rank; c++) {
      t[c] = p[c] - F[c];
      if (model != MB_ARAP) {
        const MbPack u = a[c] - p[c];
        mb_pack_store(of->u + (size_t)c * g->stride + e, u);
        t[c] -= u;
      }
      t[c] *= scale;
    }
    hand_out(g, rank, t, e, of->corner);
  }
}

MB_PACK_INLINE void values_at(const MbGradient *g, int rank, const double *x, double *s, size_t begin,
                              size_t end) {
  for (size_t e = 8 * begin; e < 8 * end; e += MB_PACK) {
    MbPack F[9];
    Values f;
    gather(g, rank, x, e, F);
    values_of(rank, F, &f);
    for (int c = 0; c < rank; c++) mb_pack_store(s + (size_t)c * g->stride + e, f.a[c]);
  }
}

#define EACH(model)                                                                                          \
  static __attribute__((noinline)) double model##_of(const MbLocal *local, size_t begin, size_t end) {       \
    return local->rank == 3   ? run(local, model, 3, begin, end)                                             \
           : local->rank == 2 ? run(local, model, 2, begin, end)                                             \
                              : run(local, model, 1, begin, end);                                            \
  }                                                                                                          \
  static __attribute__((noinline)) void model##_sweep(const MbLocalSweep *of, size_t begin, size_t end) {    \
    of->gradient->rank == 3 ? sweep_of(of, model, 3, begin, end) : sweep_of(of, model, 2, begin, end);       \
  }
EACH(MB_ARAP)
EACH(MB_COROTATIONAL)
EACH(MB_NEO_HOOKEAN)

static double step(const MbLocal *local, size_t begin, size_t end) {
  const MbElasticModel model = local->elastic.model;
  if (model == MB_ARAP) return MB_ARAP_of(local, begin, end);
  if (model == MB_NEO_HOOKEAN) return MB_NEO_HOOKEAN_of(local, begin, end);
  if (model == MB_LINEAR && local->rank == 3) return run(local, MB_LINEAR, 3, begin, end);
  return MB_COROTATIONAL_of(local, begin, end);
}

static void sweep(const MbLocalSweep *of, size_t begin, size_t end) {
  const MbElasticModel model = of->elastic.model;
  if (model == MB_ARAP)
    MB_ARAP_sweep(of, begin, end);
  else if (model == MB_NEO_HOOKEAN)
    MB_NEO_HOOKEAN_sweep(of, begin, end);
  else if (model == MB_LINEAR && of->gradient->rank == 3)
    sweep_of(of, MB_LINEAR, 3, begin, end);
  else
    MB_COROTATIONAL_sweep(of, begin, end);
}

static void values(const MbGradient *g, const double *x, double *s, size_t begin, size_t end) {
  g->rank == 3 ? values_at(g, 3, x, s, begin, end) : values_at(g, 2, x, s, begin, end);
}

static void svd(size_t n, size_t stride, const double *F, double *U, double *s, double *V) {
  for (size_t e = 0; e < n; e += MB_PACK) {
    MbPack f[9], u[9], v[9], t[3];
    for (size_t c = 0; c < 9; c++) f[c] = mb_pack_load(F + c * stride + e);
    mb_svd3(f, u, t, v);
    for (size_t c = 0; c < 9; c++) {
      mb_pack_store(U + c * stride + e, u[c]);
      mb_pack_store(V + c * stride + e, v[c]);
      if (c < 3) mb_pack_store(s + c * stride + e, t[c]);
    }
  }
}

#include "core/deformables/stress_kernel.h"

extern const MbLocalKernel MB_LOCAL_TABLE;
const MbLocalKernel MB_LOCAL_TABLE = {MB_LOCAL_NAME, step, sweep, stress, values, svd};
