// With u_s the directions of a path's segments, Δ differences of their ends, α(z) = Σ u_s·Δ_s z over all segments and sums of length and rate over the active ones,
//
//   S = −F α(z),      δS = −α(z) (F_L δL + F_L̇ δL̇) − F Σ ( u·δΔz + Δz·δu )
//   δL = Σ u·δΔx,     δL̇ = Σ ( u·δΔẋ + Δẋ·δu ),     δu = (1 − u uᵀ) δΔx/l
//
// and of a spring of rest length zero  S = −Δz·(k Δx + d Δẋ).
#include "core/forces/felt.h"
#include "core/forces/point_curve.h"

#include <string.h>

static void felt_point(const MbForcePoint *at, const MbMaximal *x, const double *z, MbFeltPoint *p) {
  p->body = at->body;
  memset(p->felt, 0, sizeof p->felt);
  mb_vec3_copy(p->own[MB_FELT_X], at->at.p);
  if (p->body == MB_WORLD) {
    memset(p->at, 0, sizeof p->at);
    mb_vec3_copy(p->at[MB_FELT_X], at->at.p);
    return;
  }
  const size_t b = 6 * p->body;
  mb_quat_to_mat3(p->R, x->E[p->body].q);
  mb_vec3_cross(p->own[MB_FELT_XDOT], x->phi + b, at->at.p);
  mb_vec3_add(p->own[MB_FELT_XDOT], p->own[MB_FELT_XDOT], x->phi + b + 3);
  mb_vec3_cross(p->own[MB_FELT_Z], z + b, at->at.p);
  mb_vec3_add(p->own[MB_FELT_Z], p->own[MB_FELT_Z], z + b + 3);
  for (size_t k = 0; k < MB_FELT_VECTORS; k++) mb_mat3_apply(p->at[k], p->R, p->own[k]);
  mb_pose_point(p->at[MB_FELT_X], &x->E[p->body], at->at.p); // to the bits of the force itself
}

// To the body that it is a point of.
static void give_back(const MbFeltPoint *p, const MbFeltBodies *to) {
  if (p->body == MB_WORLD) return;
  double *turn = to->by_move + 6 * p->body, *rate = to->by_phi + 6 * p->body, own[MB_FELT_VECTORS][3];
  for (size_t k = 0; k < MB_FELT_VECTORS; k++) {
    mb_mat3_tapply(own[k], p->R, p->felt[k]);
    mb_add_cross(turn, 1, p->own[k], own[k]);
  }
  mb_vec3_add(turn + 3, turn + 3, own[MB_FELT_X]);
  mb_add_cross(rate, 1, p->own[MB_FELT_X], own[MB_FELT_XDOT]);
  mb_vec3_add(rate + 3, rate + 3, own[MB_FELT_XDOT]);
}

// What S is felt by along Δ of one of the vectors: b.felt += s w,  a.felt −= s w
static void give(MbFeltPoint *a, MbFeltPoint *b, size_t k, double s, const double w[3]) {
  mb_vec3_add_scaled(b->felt[k], b->felt[k], s, w);
  mb_vec3_add_scaled(a->felt[k], a->felt[k], -s, w);
}

static void difference(const MbFeltPoint *a, const MbFeltPoint *b, size_t k, double by[3]) {
  mb_vec3_sub(by, b->at[k], a->at[k]);
}

void mb_points_join_felt(const MbForce *force, const MbMaximal *x, const double *z, double k, double d,
                         const MbFeltBodies *to) {
  MbFeltPoint p[2];
  double dx[3], dv[3], dz[3];
  for (size_t i = 0; i < 2; i++) felt_point(&force->points[i], x, z, &p[i]);
  difference(&p[0], &p[1], MB_FELT_X, dx);
  difference(&p[0], &p[1], MB_FELT_XDOT, dv);
  difference(&p[0], &p[1], MB_FELT_Z, dz);
  give(&p[0], &p[1], MB_FELT_Z, -k, dx), give(&p[0], &p[1], MB_FELT_Z, -d, dv);
  give(&p[0], &p[1], MB_FELT_X, -k, dz);
  give(&p[0], &p[1], MB_FELT_XDOT, -d, dz);
  for (size_t i = 0; i < 2; i++) give_back(&p[i], to);
}

// ---- paths ------------------------------------------------------------------------------------------------

void mb_felt_path_at(const MbForce *force, const MbMaximal *x, const double *z, uint32_t passive,
                     MbFeltPath *path) {
  path->n = force->npoints, path->passive = passive;
  path->length = path->rate = 0;
  for (size_t i = 0; i < path->n; i++) felt_point(&force->points[i], x, z, &path->point[i]);
  for (size_t s = 0; s + 1 < path->n; s++) {
    const MbFeltPoint *a = &path->point[s], *b = &path->point[s + 1];
    double dv[3];
    const double l = mb_path_direction(a->at[MB_FELT_X], b->at[MB_FELT_X], path->u[s], &path->inverse[s]);
    if (passive >> s & 1) continue;
    difference(a, b, MB_FELT_XDOT, dv);
    path->length += l;
    path->rate += mb_vec3_dot(path->u[s], dv);
  }
}

// What S is felt by along a path's length and rate.
typedef struct Felt {
  double length, rate;
} Felt;

static void feel_segment(MbFeltPath *path, size_t s, double F, const Felt *felt) {
  MbFeltPoint *a = &path->point[s], *b = &path->point[s + 1];
  const double *u = path->u[s];
  double dz[3], by_u[3];
  difference(a, b, MB_FELT_Z, dz);
  give(a, b, MB_FELT_Z, -F, u);
  mb_vec3_scale(by_u, -F, dz);
  if (!(path->passive >> s & 1)) {
    double dv[3];
    difference(a, b, MB_FELT_XDOT, dv);
    mb_vec3_add_scaled(by_u, by_u, felt->rate, dv);
    give(a, b, MB_FELT_X, felt->length, u);
    give(a, b, MB_FELT_XDOT, felt->rate, u);
  }
  mb_vec3_add_scaled(by_u, by_u, -mb_vec3_dot(u, by_u), u);
  give(a, b, MB_FELT_X, path->inverse[s], by_u);
}

void mb_path_felt(const MbTensionCurve *tension, MbFeltPath *path, const MbFeltBodies *to) {
  double along = 0; // α(z)
  for (size_t s = 0; s + 1 < path->n; s++) {
    double dz[3];
    difference(&path->point[s], &path->point[s + 1], MB_FELT_Z, dz);
    along += mb_vec3_dot(path->u[s], dz);
  }
  const Felt felt = {.length = -along * tension->F_length, .rate = -along * tension->F_rate};
  for (size_t s = 0; s + 1 < path->n; s++) feel_segment(path, s, tension->F, &felt);
  for (size_t i = 0; i < path->n; i++) give_back(&path->point[i], to);
}
