// Springs along a line between two points (`spring`) or along a path (`multi_spring`): tension F(l, l̇) with rest length L.
//   linear            F = k (l − L) + d l̇                                        (AR 0.12.1)
//   strain            F = ( k (l − L) + d l̇ ) / L                                (RM 1.65)
//   quadratic_strain  F = k l (l² − L²)/2L² + d l̇,  energy k (l² − L²)²/8L²       (AR 0.13: σ = F/l = k ε)
//   zero_length       the vector k Δx + d Δẋ; has no direction that could be undefined (RM 1.35)
#include "core/forces/forces.h"
#include "core/forces/points.h"

static void eval_spring(const MbModel *model, const MbForce *force, MbMaximal *x, size_t begin, size_t end) {
  (void)model, (void)begin, (void)end;
  const double k = force->stiffness[0], d = force->damping[0], L = force->length;
  if (force->law == MB_LAW_ZERO_LENGTH) {
    mb_points_join(force, x, k, d);
    return;
  }
  MbPath path;
  mb_path_at(force, x, &path);
  const double l = path.length, rate = path.rate;
  if (force->law == MB_LAW_QUADRATIC_STRAIN)
    mb_path_pull(force, x, &path, k * l * (l * l - L * L) / (2 * L * L) + d * rate,
                 k * (3 * l * l - L * L) / (2 * L * L), d);
  else {
    const double s = force->law == MB_LAW_STRAIN ? 1 / L : 1;
    mb_path_pull(force, x, &path, s * (k * (l - L) + d * rate), s * k, s * d);
  }
}

static double spring_energy(const MbForce *force, const MbMaximal *x) {
  const double k = force->stiffness[0], L = force->length;
  if (force->law == MB_LAW_ZERO_LENGTH) return mb_points_join_energy(force, x, k);
  MbPath path;
  mb_path_at(force, x, &path);
  const double l = path.length, stretch = l - L, squares = l * l - L * L;
  if (force->law == MB_LAW_QUADRATIC_STRAIN) return k * squares * squares / (8 * L * L);
  return k * stretch * stretch / (force->law == MB_LAW_STRAIN ? 2 * L : 2);
}

extern const MbForceOps mb_spring_ops, mb_multi_spring_ops;
const MbForceOps mb_spring_ops = {
    .name = "spring", .eval = eval_spring, .least = 2, .most = 2, .energy = spring_energy};
const MbForceOps mb_multi_spring_ops = {
    .name = "multi_spring", .eval = eval_spring, .least = 2, .most = MB_PATH_MOST, .energy = spring_energy};
