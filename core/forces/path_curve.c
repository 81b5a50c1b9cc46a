// How K and D of a path change with the bodies' motion. With u_s the directions of its segments, Δ differences of their ends, and of vectors w at the points
//
//   α(w) = Σ u_s·Δ_s w  over all segments,   β(w) the same over the active ones
//
// K and D as mb_path_pull has them come to (point_curve.h has the vectors)
//
//   zᵀ D x = −F_L̇ α(z) β(x)
//   zᵀ K y = −F_L α(z) β(y) − F_L̇ α(z) β(n(y)) − F Σ Δz·(1 − u uᵀ) Δy/l − F α(t)
//   S = α(z) a_z + β(z) b_z − ½ F_L̇ α(y₂) β(n_z) − F q − ½ F α(t),       q = Σ Δz·(1 − u uᵀ) Δy/l,  y = ½ (y₁ + y₂)
//   a_z = −½ (F_L̇ (β(x₁) + β(n₁)) + F_L β(y₁)),   b_z = −½ (F_L̇ α(x₂) + F_L α(y₂))
//
// which is a sum of products of α and β: of each, `all` and `active` are what S is felt by along it, and the rest is what these sums are felt by along u_s and along Δ_s. Then
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

// What S is felt by along the sums and along the path's length.
typedef struct Felt {
  double all[MB_POINT_VECTORS], active[MB_POINT_VECTORS];
  double length;
} Felt;

typedef struct Segment {
  const double *u;
  double inverse;
  bool active;
  double by[MB_POINT_VECTORS][3], y[3]; // Δ of all vectors; of ½ (y₁ + y₂)
  double z_along, y_along, across;      // u·Δz, u·Δy, Δz·(1 − u uᵀ) Δy
} Segment;

static void segment_at(const MbPath *path, const MbCurvedPoint *point, size_t s, Segment *out) {
  out->u = path->u[s], out->inverse = path->inverse[s], out->active = !(path->passive >> s & 1);
  for (size_t k = 0; k < MB_POINT_VECTORS; k++) mb_vec3_sub(out->by[k], point[s + 1].at[k], point[s].at[k]);
  mb_vec3_add(out->y, out->by[MB_AT_Y1], out->by[MB_AT_Y2]);
  mb_vec3_scale(out->y, 0.5, out->y);
  out->z_along = mb_vec3_dot(out->u, out->by[MB_AT_Z]), out->y_along = mb_vec3_dot(out->u, out->y);
  out->across = mb_vec3_dot(out->by[MB_AT_Z], out->y) - out->z_along * out->y_along;
}

static void add_segment(const Segment *s, Sums *sums) {
  for (size_t k = 0; k < MB_POINT_VECTORS; k++) {
    const double along = mb_vec3_dot(s->u, s->by[k]);
    sums->all[k] += along;
    if (s->active) sums->active[k] += along;
  }
  sums->across += s->inverse * s->across;
}

static void feel(const Sums *sums, const MbTensionCurve *t, Felt *felt) {
  const double *const a = sums->all, *const b = sums->active;
  const double rates = b[MB_AT_X1] + b[MB_AT_N1];
  const double by_F = -sums->across - a[MB_AT_T] / 2,
               by_length = -(a[MB_AT_Z] * b[MB_AT_Y1] + a[MB_AT_Y2] * b[MB_AT_Z]) / 2,
               by_rate = -(a[MB_AT_Z] * rates + a[MB_AT_X2] * b[MB_AT_Z] + a[MB_AT_Y2] * b[MB_AT_NZ]) / 2;
  memset(felt, 0, sizeof *felt);
  felt->all[MB_AT_Z] = -(t->F_rate * rates + t->F_length * b[MB_AT_Y1]) / 2;
  felt->active[MB_AT_Z] = -(t->F_rate * a[MB_AT_X2] + t->F_length * a[MB_AT_Y2]) / 2;
  felt->active[MB_AT_X1] = felt->active[MB_AT_N1] = -t->F_rate * a[MB_AT_Z] / 2;
  felt->active[MB_AT_Y1] = -t->F_length * a[MB_AT_Z] / 2;
  felt->active[MB_AT_NZ] = -t->F_rate * a[MB_AT_Y2] / 2;
  felt->all[MB_AT_X2] = -t->F_rate * b[MB_AT_Z] / 2;
  felt->all[MB_AT_Y2] = -(t->F_length * b[MB_AT_Z] + t->F_rate * b[MB_AT_NZ]) / 2;
  felt->all[MB_AT_T] = -t->F / 2;
  felt->length = by_F * t->F_length + by_length * t->F_length_length + by_rate * t->F_length_rate;
  felt->active[MB_AT_XDOT] = by_F * t->F_rate + by_length * t->F_length_rate + by_rate * t->F_rate_rate;
}

// b.felt += w,  a.felt −= w
static void give(MbCurvedPoint *a, MbCurvedPoint *b, MbPointVector k, double s, const double w[3]) {
  mb_vec3_add_scaled(b->felt[k], b->felt[k], s, w);
  mb_vec3_add_scaled(a->felt[k], a->felt[k], -s, w);
}

// What its ends are felt by: a the one that it starts from.
static void segment_back(const Segment *s, const Felt *felt, double F, MbCurvedPoint *a, MbCurvedPoint *b) {
  double by_u[3] = {0}, zs[3], ys[3];
  const double pull = F * s->inverse;
  for (MbPointVector k = 0; k < MB_POINT_VECTORS; k++) {
    const double along = felt->all[k] + (s->active ? felt->active[k] : 0);
    if (along == 0) continue;
    give(a, b, k, along, s->u);
    mb_vec3_add_scaled(by_u, by_u, along, s->by[k]);
  }
  mb_vec3_add_scaled(zs, s->by[MB_AT_Z], -s->z_along, s->u);
  mb_vec3_add_scaled(ys, s->y, -s->y_along, s->u);
  give(a, b, MB_AT_Z, -pull, ys);
  give(a, b, MB_AT_Y1, -pull / 2, zs);
  give(a, b, MB_AT_Y2, -pull / 2, zs);
  mb_vec3_add_scaled(by_u, by_u, pull * s->z_along, s->y);
  mb_vec3_add_scaled(by_u, by_u, pull * s->y_along, s->by[MB_AT_Z]);
  mb_vec3_add_scaled(by_u, by_u, -mb_vec3_dot(s->u, by_u), s->u);
  give(a, b, MB_AT_X, s->inverse, by_u);
  give(a, b, MB_AT_X, (s->active ? felt->length : 0) + pull * s->inverse * s->across, s->u);
}

static bool turns(const MbForce *force, const MbMaximal *x, const MbTensionCurve *t, MbPath *path) {
  const MbTension tension = {.F = t->F, .F_length = t->F_length, .F_rate = t->F_rate, .across = t->F};
  double extra[MB_PATH_MOST][3];
  return x->ahead > 0 && mb_path_turn(force, x, &tension, path, extra);
}

bool mb_path_curve(const MbForce *force, const MbMaximal *x, const MbTensionCurve *t, MbPath *path,
                   const MbForceCurve *at) {
  MbCurvedPoint point[MB_PATH_MOST];
  Segment segment[MB_PATH_MOST];
  Sums sums = {0};
  Felt felt;
  if (force->lagged) return true;
  if (!at->z) return !turns(force, x, t, path);
  for (size_t i = 0; i < path->n; i++)
    mb_curved_point(force->points[i].body, force->points[i].at.p, x, at, &point[i]);
  for (size_t s = 0; s + 1 < path->n; s++) {
    segment_at(path, point, s, &segment[s]);
    add_segment(&segment[s], &sums);
  }
  feel(&sums, t, &felt);
  for (size_t s = 0; s + 1 < path->n; s++) segment_back(&segment[s], &felt, t->F, &point[s], &point[s + 1]);
  for (size_t i = 0; i < path->n; i++) mb_curved_point_back(x, at, &point[i]);
  return true;
}
