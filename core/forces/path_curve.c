// How K and D of a path change with the bodies' motion. With u_s the directions of its segments, Δ differences of their ends, and of vectors w at the points
//
//   α(w) = Σ u_s·Δ_s w  over all segments,   β(w) the same over the active ones
//
// K and D as mb_path_pull has them come to (point_curve.h has the vectors)
//
//   zᵀ D x = −½ F_L̇ (α(z) β(x) + β(z) α(x))
//   zᵀ K y = −F_L α(z) β(y) − ½ F_L̇ (α(z) β(n(y)) + β(z) α(n(y))) − F Σ Δz·(1 − u uᵀ) Δy/l − F α(t)
//   S = −½ F_L (α(z) β(y₁) + α(y₂) β(z)) − F q − ½ F α(t)
//       − ¼ F_L̇ (α(z) β(r) + β(z) α(r) + α(y₂) β(n_z) + β(y₂) α(n_z)),    r = x₁ + n₁ + x₂
//   q = Σ Δz·(1 − u uᵀ) Δy/l,  y = ½ (y₁ + y₂)
//
// (where a step turns the path, with the directions to come ũ for u, but in α(t) and L̇; path_turn_curve.c) which is a sum of products of α and β: of each, `all` and `active` are what S is felt by along it, and the rest is what these sums are felt by along u_s and along Δ_s. Then
//
//   δu = (1 − u uᵀ) δΔx/l,   δl = u·δΔx,   δF = F_L δL + F_L̇ δL̇,  L = Σ l,  L̇ = β(ẋ)
#include "core/forces/path_curve.h"
#include "core/forces/path_turn.h"
#include "core/forces/point_curve.h"

#include <string.h>

typedef struct Sums {
  double all[MB_POINT_VECTORS], active[MB_POINT_VECTORS]; // α, β
  double across;                                          // q
} Sums;

// What S is felt by along the sums, and along F and its derivatives.
typedef struct Felt {
  double all[MB_POINT_VECTORS], active[MB_POINT_VECTORS];
  double F, F_length, F_rate;
  double length, rate; // along L, and along L̇
} Felt;

typedef struct Segment {
  const double *u, *to; // its direction, and the one that forces are linearised along, which may be the same
  double inverse;
  bool active;
  double by[MB_POINT_VECTORS][3], y[3]; // Δ of all vectors; of ½ (y₁ + y₂)
  double z_along, y_along, across;      // ũ·Δz, ũ·Δy, Δz·(1 − ũ ũᵀ) Δy
  double by_u[3], by_to[3], by_length;  // what S is felt by
} Segment;

static void segment_at(const MbPath *path, const MbCurvedPoint *point, size_t s, Segment *out) {
  memset(out, 0, sizeof *out);
  out->u = out->to = path->u[s];
  out->inverse = path->inverse[s], out->active = !(path->passive >> s & 1);
  for (size_t k = 0; k < MB_POINT_VECTORS; k++) mb_vec3_sub(out->by[k], point[s + 1].at[k], point[s].at[k]);
  mb_vec3_add(out->y, out->by[MB_AT_Y1], out->by[MB_AT_Y2]);
  mb_vec3_scale(out->y, 0.5, out->y);
}

static const double *direction(const Segment *s, MbPointVector k) {
  return k == MB_AT_T || k == MB_AT_XDOT ? s->u : s->to;
}

static void add_segment(Segment *s, Sums *sums) {
  s->z_along = mb_vec3_dot(s->to, s->by[MB_AT_Z]), s->y_along = mb_vec3_dot(s->to, s->y);
  s->across = mb_vec3_dot(s->by[MB_AT_Z], s->y) - s->z_along * s->y_along;
  for (MbPointVector k = 0; k < MB_POINT_VECTORS; k++) {
    const double along = mb_vec3_dot(direction(s, k), s->by[k]);
    sums->all[k] += along;
    if (s->active) sums->active[k] += along;
  }
  sums->across += s->inverse * s->across;
}

static void feel(const Sums *sums, const MbTensionCurve *t, Felt *felt) {
  const double *const a = sums->all, *const b = sums->active;
  const double all = a[MB_AT_X1] + a[MB_AT_N1] + a[MB_AT_X2],
               active = b[MB_AT_X1] + b[MB_AT_N1] + b[MB_AT_X2];
  memset(felt, 0, sizeof *felt);
  felt->F = -sums->across - a[MB_AT_T] / 2;
  felt->F_length = -(a[MB_AT_Z] * b[MB_AT_Y1] + a[MB_AT_Y2] * b[MB_AT_Z]) / 2;
  felt->F_rate =
      -(a[MB_AT_Z] * active + b[MB_AT_Z] * all + a[MB_AT_Y2] * b[MB_AT_NZ] + b[MB_AT_Y2] * a[MB_AT_NZ]) / 4;
  felt->all[MB_AT_Z] = -(t->F_rate * active / 2 + t->F_length * b[MB_AT_Y1]) / 2;
  felt->active[MB_AT_Z] = -(t->F_rate * all / 2 + t->F_length * a[MB_AT_Y2]) / 2;
  felt->all[MB_AT_X1] = felt->all[MB_AT_N1] = felt->all[MB_AT_X2] = -t->F_rate * b[MB_AT_Z] / 4;
  felt->active[MB_AT_X1] = felt->active[MB_AT_N1] = felt->active[MB_AT_X2] = -t->F_rate * a[MB_AT_Z] / 4;
  felt->active[MB_AT_Y1] = -t->F_length * a[MB_AT_Z] / 2;
  felt->all[MB_AT_Y2] = -(t->F_length * b[MB_AT_Z] + t->F_rate * b[MB_AT_NZ] / 2) / 2;
  felt->active[MB_AT_Y2] = -t->F_rate * a[MB_AT_NZ] / 4;
  felt->all[MB_AT_NZ] = -t->F_rate * b[MB_AT_Y2] / 4;
  felt->active[MB_AT_NZ] = -t->F_rate * a[MB_AT_Y2] / 4;
  felt->all[MB_AT_T] = -t->F / 2;
}

// b.felt += w,  a.felt −= w
static void give(MbCurvedPoint *a, MbCurvedPoint *b, MbPointVector k, double s, const double w[3]) {
  mb_vec3_add_scaled(b->felt[k], b->felt[k], s, w);
  mb_vec3_add_scaled(a->felt[k], a->felt[k], -s, w);
}

// What its ends are felt by along all but where they are and how they move, and what it is felt by along its directions and its length; a is the end that it starts from.
static void feel_segment(Segment *s, const Felt *felt, double F, MbCurvedPoint *a, MbCurvedPoint *b) {
  double zs[3], ys[3];
  const double pull = F * s->inverse;
  for (MbPointVector k = 0; k < MB_POINT_VECTORS; k++) {
    const double along = felt->all[k] + (s->active ? felt->active[k] : 0);
    double *by = direction(s, k) == s->u ? s->by_u : s->by_to;
    if (along == 0) continue;
    give(a, b, k, along, direction(s, k));
    mb_vec3_add_scaled(by, by, along, s->by[k]);
  }
  mb_vec3_add_scaled(zs, s->by[MB_AT_Z], -s->z_along, s->to);
  mb_vec3_add_scaled(ys, s->y, -s->y_along, s->to);
  give(a, b, MB_AT_Z, -pull, ys);
  give(a, b, MB_AT_Y1, -pull / 2, zs);
  give(a, b, MB_AT_Y2, -pull / 2, zs);
  double *by = s->to == s->u ? s->by_u : s->by_to;
  mb_vec3_add_scaled(by, by, pull * s->z_along, s->y);
  mb_vec3_add_scaled(by, by, pull * s->y_along, s->by[MB_AT_Z]);
  s->by_length = pull * s->inverse * s->across;
}

// To where the ends are and how they move, from the path's length and rate and the segment's direction and length.
static void end_segment(Segment *s, const Felt *felt, MbCurvedPoint *a, MbCurvedPoint *b) {
  double *by_u = s->by_u;
  if (s->active) {
    give(a, b, MB_AT_XDOT, felt->rate, s->u);
    mb_vec3_add_scaled(by_u, by_u, felt->rate, s->by[MB_AT_XDOT]);
    s->by_length += felt->length;
  }
  mb_vec3_add_scaled(by_u, by_u, -mb_vec3_dot(s->u, by_u), s->u);
  give(a, b, MB_AT_X, s->inverse, by_u);
  give(a, b, MB_AT_X, s->by_length, s->u);
}

// ---- paths that turn ------------------------------------------------------------------------------------------------

// How a path is linearised that a step turns; `path` has the directions to come then.
typedef struct Turned {
  bool any;
  double extra[MB_PATH_MOST][3];
  MbPathTurned how;
} Turned;

static void turn(const MbForce *force, const MbMaximal *x, const MbTension *t, MbPath *path, Turned *turned) {
  turned->any = x->ahead > 0 && mb_path_turn(force, x, t, path, turned->extra, &turned->how);
}

static void take_directions(const MbPath *path, const Turned *turned, Segment *segment) {
  for (size_t s = 0; s + 1 < path->n; s++)
    if (turned->how.segment[s].counts) segment[s].u = turned->how.segment[s].u;
}

// From directions to come to all that makes them, and what the path pulls besides, which is  −Σ Δz·extra  of S.
static void turn_back(const MbForce *force, const MbMaximal *x, const MbTension *t, const MbPath *path,
                      const Turned *turned, const MbForceCurve *at, Segment *segment, MbCurvedPoint *point,
                      Felt *felt) {
  double weight[MB_PATH_MOST][3];
  MbTurnFelt by;
  memset(&by, 0, sizeof by);
  for (size_t s = 0; s + 1 < path->n; s++) {
    mb_vec3_scale(weight[s], -1, segment[s].by[MB_AT_Z]);
    mb_vec3_copy(by.to[s], segment[s].by_to);
    give(&point[s], &point[s + 1], MB_AT_Z, -1, turned->extra[s]);
  }
  mb_path_turn_back(force, x, t, path, &turned->how, weight, &by, at->by_move, at->by_phi);
  felt->F += by.F, felt->F_length += by.F_length, felt->F_rate += by.F_rate;
  for (size_t s = 0; s + 1 < path->n; s++) {
    mb_vec3_add(segment[s].by_u, segment[s].by_u, by.u[s]);
    segment[s].by_length += by.length[s];
    give(&point[s], &point[s + 1], MB_AT_XDOT, 1, by.rate[s]);
  }
}

// ---- a path -----------------------------------------------------------------------------------------------------------

void mb_path_curve(const MbForce *force, const MbMaximal *x, const MbTensionCurve *t, MbPath *path,
                   const MbForceCurve *at) {
  const MbTension tension = {.F = t->F, .F_length = t->F_length, .F_rate = t->F_rate, .across = t->F};
  MbCurvedPoint point[MB_PATH_MOST];
  Segment segment[MB_PATH_MOST];
  Turned turned;
  Sums sums = {0};
  Felt felt;
  if (force->lagged) return;
  turn(force, x, &tension, path, &turned);
  for (size_t i = 0; i < path->n; i++)
    mb_curved_point(force->points[i].body, force->points[i].at.p, x, at, &point[i]);
  for (size_t s = 0; s + 1 < path->n; s++) segment_at(path, point, s, &segment[s]);
  if (turned.any) take_directions(path, &turned, segment);
  for (size_t s = 0; s + 1 < path->n; s++) add_segment(&segment[s], &sums);
  feel(&sums, t, &felt);
  for (size_t s = 0; s + 1 < path->n; s++) feel_segment(&segment[s], &felt, t->F, &point[s], &point[s + 1]);
  if (turned.any) turn_back(force, x, &tension, path, &turned, at, segment, point, &felt);
  felt.length = felt.F * t->F_length + felt.F_length * t->F_length_length + felt.F_rate * t->F_length_rate;
  felt.rate = felt.F * t->F_rate + felt.F_length * t->F_length_rate + felt.F_rate * t->F_rate_rate;
  for (size_t s = 0; s + 1 < path->n; s++) end_segment(&segment[s], &felt, &point[s], &point[s + 1]);
  for (size_t i = 0; i < path->n; i++) mb_curved_point_back(x, at, &point[i]);
}
