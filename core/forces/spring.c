// Springs along a line between two points (`spring`) or along a path (`multi_spring`): tension F(l, l̇) with rest length L.
//   linear            F = k (l − L) + d l̇                                        (AR 0.12.1)
//   strain            F = ( k (l − L) + d l̇ ) / L                                (RM 1.65)
//   quadratic_strain  F = k l (l² − L²)/2L² + d l̇,  energy k (l² − L²)²/8L²       (AR 0.13: σ = F/l = k ε)
//   zero_length       the vector k Δx + d Δẋ; has no direction that could be undefined (RM 1.35)
#include "core/forces/spring.h"
#include "core/forces/felt.h"
#include "core/forces/forces.h"
#include "core/forces/path_curve.h"
#include "core/forces/point_curve.h"
#include "core/forces/points.h"
#include "core/model/builder.h"

#include <stdio.h>

// The tension and how it changes, of a law that has a path.
static MbTensionCurve tension(const MbSpring *own, double l, double rate) {
  const double k = own->stiffness, d = own->damping, L = own->length;
  if (own->law == MB_LAW_QUADRATIC_STRAIN)
    return (MbTensionCurve){.F = k * l * (l * l - L * L) / (2 * L * L) + d * rate,
                            .F_length = k * (3 * l * l - L * L) / (2 * L * L),
                            .F_rate = d,
                            .F_length_length = 3 * k * l / (L * L)};
  const double s = own->law == MB_LAW_STRAIN ? 1 / L : 1;
  return (MbTensionCurve){.F = s * (k * (l - L) + d * rate), .F_length = s * k, .F_rate = s * d};
}

static void eval_spring(const MbModel *model, const MbForce *force, MbMaximal *x, size_t begin, size_t end) {
  (void)model, (void)begin, (void)end;
  const MbSpring *own = force->parameters;
  if (own->law == MB_LAW_ZERO_LENGTH) {
    mb_points_join(force, x, own->stiffness, own->damping);
    return;
  }
  MbPath path;
  mb_path_at(force, x, own->passive, &path);
  const MbTensionCurve t = tension(own, path.length, path.rate);
  mb_path_pull(force, x, &path, t.F, t.F_length, t.F_rate);
}

static void curve_spring(const MbForce *force, const MbMaximal *x, const MbForceCurve *at) {
  const MbSpring *own = force->parameters;
  if (own->law == MB_LAW_ZERO_LENGTH) {
    if (!force->lagged) mb_points_join_curve(force, x, at, own->stiffness, own->damping);
    return;
  }
  MbPath path;
  mb_path_at(force, x, own->passive, &path);
  const MbTensionCurve t = tension(own, path.length, path.rate);
  mb_path_curve(force, x, &t, &path, at);
}

static void felt_spring(const MbForce *force, const MbMaximal *x, const double *z, double *by_move,
                        double *by_phi) {
  const MbSpring *own = force->parameters;
  const MbFeltBodies to = {by_move, by_phi};
  if (own->law == MB_LAW_ZERO_LENGTH) {
    mb_points_join_felt(force, x, z, own->stiffness, own->damping, &to);
    return;
  }
  MbFeltPath path;
  mb_felt_path_at(force, x, z, own->passive, &path);
  const MbTensionCurve t = tension(own, path.length, path.rate);
  mb_path_felt(&t, &path, &to);
}

static double spring_energy(const MbForce *force, const MbMaximal *x) {
  const MbSpring *own = force->parameters;
  const double k = own->stiffness, L = own->length;
  if (own->law == MB_LAW_ZERO_LENGTH) return mb_points_join_energy(force, x, k);
  MbPath path;
  mb_path_at(force, x, own->passive, &path);
  const double l = path.length, stretch = l - L, squares = l * l - L * L;
  if (own->law == MB_LAW_QUADRATIC_STRAIN) return k * squares * squares / (8 * L * L);
  return k * stretch * stretch / (own->law == MB_LAW_STRAIN ? 2 * L : 2);
}

static bool damps(const MbForce *force) { return ((const MbSpring *)force->parameters)->damping > 0; }

// ---- from the scene ---------------------------------------------------------------------------------------

// Bits of the segments that do not count in the length.
static MbStatus read_passive(MbBuilder *b, const MbNumbersSpec *from, size_t segments, uint32_t *passive) {
  size_t left = segments;
  for (size_t k = 0; k < from->count; k++) {
    const double s = from->value[k];
    char key[40];
    snprintf(key, sizeof key, "passive/%zu", k);
    if (!(s >= 0 && s < (double)segments) || s != floor(s))
      return mb_error(b->report, MB_SCENE, mb_builder_at(b, key),
                      "there is no segment %g: this path has 0 to %zu", s, segments - 1);
    left -= !(*passive >> (unsigned)s & 1);
    *passive |= 1u << (unsigned)s;
  }
  return left ? MB_OK
              : mb_error(b->report, MB_SCENE, mb_builder_at(b, "passive"),
                         "no segment is left that counts in the length");
}

static MbStatus build(MbBuilder *b, const MbForceSpec *from, MbForce *force, void *own) {
  const MbSpringSpec *spec = from->parameters;
  MbSpring *to = own;
  to->stiffness = spec->stiffness, to->damping = spec->damping;
  to->length = spec->length, to->law = spec->law;
  if (to->law == MB_LAW_ZERO_LENGTH && !isnan(to->length))
    return mb_error(b->report, MB_SCENE, mb_builder_at(b, "length"),
                    "a spring of law \"zero_length\" has no \"length\"");
  return read_passive(b, &spec->passive, force->npoints - 1, &to->passive);
}

// A length that is not given is that at the start.
static MbStatus settle(MbBuilder *b, const MbMaximal *start, const MbForce *force, void *own) {
  MbSpring *to = own;
  MbPath path;
  if (to->law == MB_LAW_ZERO_LENGTH) {
    to->length = 0;
    return MB_OK;
  }
  if (isnan(to->length)) {
    mb_path_at(force, start, to->passive, &path);
    to->length = path.length;
  }
  if (to->length > 0 || (to->law != MB_LAW_STRAIN && to->law != MB_LAW_QUADRATIC_STRAIN)) return MB_OK;
  return mb_error(b->report, MB_SCENE, mb_builder_at(b, "length"),
                  "the rest length is %g: laws by strain divide by it, and it must be positive", to->length);
}

extern const MbForceOps mb_spring_ops, mb_multi_spring_ops;
const MbForceOps mb_spring_ops = {.name = "spring",
                                  .parameters = sizeof(MbSpring),
                                  .build = build,
                                  .settle = settle,
                                  .eval = eval_spring,
                                  .least = 2,
                                  .most = 2,
                                  .curve = curve_spring,
                                  .felt = felt_spring,
                                  .energy = spring_energy,
                                  .damps = damps};
const MbForceOps mb_multi_spring_ops = {.name = "multi_spring",
                                        .parameters = sizeof(MbSpring),
                                        .build = build,
                                        .settle = settle,
                                        .eval = eval_spring,
                                        .least = 2,
                                        .most = MB_PATH_MOST,
                                        .curve = curve_spring,
                                        .felt = felt_spring,
                                        .energy = spring_energy,
                                        .damps = damps};
