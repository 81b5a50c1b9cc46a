// Two points keep their distance L: with d = p_B − p_A, n = d/|d|,
//   g = L − |d|,   ġ = −n · ḋ,   g̈ = −n · d̈ − (|ḋ|² − (n · ḋ)²)/|d|.
// A rope may slacken: g ≥ 0. The multiplier is the tension, which draws A along n.
#include "core/constraints/distance.h"
#include "core/constraints/constraints.h"
#include "core/model/builder.h"

#include <math.h>

static void eval(const MbConstraint *constraint, const MbInstant *at, MbRow *rows) {
  const MbPoint A = mb_constraint_point(constraint, 0, at->x), B = mb_constraint_point(constraint, 1, at->x);
  const double L = ((const MbDistance *)constraint->parameters)->length;
  double n[3], rate[3], bend[3];
  mb_vec3_sub(n, B.p, A.p);
  mb_vec3_sub(rate, B.v, A.v);
  mb_vec3_sub(bend, B.a, A.a);
  const double d = mb_vec3_norm(n);
  if (d > 0)
    mb_vec3_scale(n, 1 / d, n);
  else
    mb_vec3_set(n, 1, 0, 0); // no direction is better than another
  const double along = mb_vec3_dot(n, rate);
  mb_constraint_along(constraint, 0, at->x, n, 1, rows);
  mb_constraint_along(constraint, 1, at->x, n, -1, rows);
  rows->g = L - d;
  rows->gtt = -mb_vec3_dot(n, bend) - (d > 0 ? (mb_vec3_dot(rate, rate) - along * along) / d : 0);
  rows->size = L;
}

// δn = (1 − n nᵀ) (δp_B − δp_A)/|d|
static void bend(const MbConstraint *constraint, const MbInstant *at, MbRowBend *rows) {
  const MbPoint A = mb_constraint_point(constraint, 0, at->x), B = mb_constraint_point(constraint, 1, at->x);
  double n[3], N[2][9];
  mb_vec3_sub(n, B.p, A.p);
  const double d = mb_vec3_norm(n), share = d > 0 ? 1 / d : 0;
  if (d > 0)
    mb_vec3_scale(n, share, n);
  else
    mb_vec3_set(n, 1, 0, 0);
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) {
      N[1][3 * i + k] = share * ((i == k) - n[i] * n[k]);
      N[0][3 * i + k] = -N[1][3 * i + k];
    }
  for (int end = 0; end < 2; end++)
    for (int by = 0; by < 2; by++)
      mb_constraint_bend_along(constraint, end, by, at->x, n, N[by], end ? -1 : 1, rows);
}

extern const MbConstraintOps mb_distance_ops;

static MbStatus build(MbBuilder *b, const MbConstraintSpec *from) {
  const MbDistanceSpec *spec = from->parameters;
  MbConstraint *made = NULL;
  const MbStatus status = mb_builder_between(b, from, &mb_distance_ops, mb_builder_z, &made);
  if (status != MB_OK) return status;
  ((MbDistance *)mb_builder_own(made))->length = spec->length;
  made->unilateral = spec->rope;
  return MB_OK;
}

// A length that is not given is that at the start.
static MbStatus settle(MbBuilder *b, const MbInstant *start, const MbConstraint *constraint, void *own) {
  double *length = &((MbDistance *)own)->length;
  MbRow row = {0};
  if (!isnan(*length)) return MB_OK;
  *length = 0;
  eval(constraint, start, &row);
  *length = fabs(row.g);
  if (*length > 0) return MB_OK;
  return mb_error(b->report, MB_SCENE, b->where,
                  "the two points coincide at the start: give \"length\", or let \"point\" hold them");
}

const MbConstraintOps mb_distance_ops = {.name = "distance",
                                         .parameters = sizeof(MbDistance),
                                         .rows = 1,
                                         .build = build,
                                         .settle = settle,
                                         .eval = eval,
                                         .bend = bend};
