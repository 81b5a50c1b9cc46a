// Stress and energy of a pack of elements at once, as they are at places x, or of one where MB_PACK is 1: what methods that go by the
// gradient of the energy take of an element.
//   neo_hookean  P = μ F + f′(J) ∂J/∂F, with f as elastic.h has it: no singular values are needed
//   others       P = U diag(∂ψ/∂s) Vᵀ
#ifndef MB_DEFORMABLES_STRESS_PACK_H
#define MB_DEFORMABLES_STRESS_PACK_H

#include "core/deformables/local_pack.h"

MB_PACK_INLINE void cross_packs(const MbPack *a, const MbPack *b, MbPack *c) {
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    c[i] = a[j] * b[k] - a[k] * b[j];
  }
}

// f(J) = −μ ln J + λ/2 ln² J or its parabola, and f′.
MB_PACK_INLINE void volume_energy(const MbElastic *e, MbPack J, MbPack *value, MbPack *slope) {
  const MbPack at = mb_pack_max(J, mb_pack_all(MB_ELASTIC_LEAST_J)), L = mb_pack_log(at), inverse = 1.0 / at;
  const MbPack over = J - at, first = (e->lambda * L - e->mu) * inverse;
  const MbPack second = (e->mu + e->lambda * (1.0 - L)) * inverse * inverse;
  *value = (0.5 * e->lambda * L - e->mu) * L + over * (first + 0.5 * over * second);
  *slope = first + over * second;
}

// J of a solid is a product of its rows; D = ∂J/∂F.
MB_PACK_INLINE MbPack volume_of(const MbPack *F, MbPack *D) {
  for (int i = 0; i < 3; i++) cross_packs(F + 3 * ((i + 1) % 3), F + 3 * ((i + 2) % 3), D + 3 * i);
  return F[0] * D[0] + F[1] * D[1] + F[2] * D[2];
}

// J of a sheet is the length of what its columns a and b span, n = a × b; D has the columns b × n/J and n/J × a.
MB_PACK_INLINE MbPack area_of(const MbPack *F, MbPack *D) {
  const MbPack a[3] = {F[0], F[2], F[4]}, b[3] = {F[1], F[3], F[5]};
  MbPack n[3], da[3], db[3];
  cross_packs(a, b, n);
  const MbPack J = mb_pack_sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
  const MbPack inverse = 1.0 / mb_pack_max(J, mb_pack_all(1e-150));
  for (int i = 0; i < 3; i++) n[i] = n[i] * inverse;
  cross_packs(b, n, da);
  cross_packs(n, a, db);
  for (int i = 0; i < 3; i++) D[2 * i] = da[i], D[2 * i + 1] = db[i];
  return J;
}

MB_PACK_INLINE MbPack neo_hookean_stress(const MbElastic *e, int rank, const MbPack *F, MbPack *P) {
  MbPack D[9], value, slope, squares = mb_pack_all(-rank);
  const MbPack J = rank == 3 ? volume_of(F, D) : area_of(F, D);
  volume_energy(e, J, &value, &slope);
  for (int c = 0; c < 3 * rank; c++) {
    squares += F[c] * F[c];
    P[c] = e->mu * F[c] + slope * D[c];
  }
  return 0.5 * e->mu * squares + value;
}

MB_PACK_INLINE MbPack linear_stress(const MbElastic *e, const MbPack *F, MbPack *P) {
  const MbPack trace = F[0] + F[4] + F[8] - 3.0;
  MbPack squares = mb_pack_all(0);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      const MbPack strain = i == j ? F[4 * i] - 1.0 : 0.5 * (F[3 * i + j] + F[3 * j + i]);
      squares += strain * strain;
      P[3 * i + j] = 2 * e->mu * strain;
      if (i == j) P[3 * i + j] += e->lambda * trace;
    }
  return e->mu * squares + 0.5 * e->lambda * trace * trace;
}

MB_PACK_INLINE MbPack rotated_stress(const MbElastic *e, double lambda, int rank, const MbPack *F,
                                     MbPack *P) {
  MbPack squares = mb_pack_all(0), stretch = squares, first[3];
  Values f;
  values_of(rank, F, &f);
  for (int i = 0; i < rank; i++) {
    const MbPack strain = f.a[i] - 1.0;
    stretch += strain;
    squares += strain * strain;
  }
  for (int i = 0; i < rank; i++) first[i] = 2 * e->mu * (f.a[i] - 1.0) + lambda * stretch;
  compose(rank, &f, first, P);
  return e->mu * squares + 0.5 * lambda * stretch * stretch;
}

// ψ of a pack, and P.
MB_PACK_INLINE MbPack stress_at(const MbElastic *e, MbElasticModel model, int rank, const MbPack *F,
                                MbPack *P) {
  if (model == MB_NEO_HOOKEAN) return neo_hookean_stress(e, rank, F, P);
  if (model == MB_LINEAR) return linear_stress(e, F, P);
  return rotated_stress(e, model == MB_ARAP ? 0 : e->lambda, rank, F, P);
}

#endif
