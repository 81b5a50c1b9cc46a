// Vectors at points of bodies, and what is felt by them back to the bodies (point_curve.h has the derivation).
#include "core/forces/point_curve.h"

#include <string.h>

// v + ω × r
static void moved(const double twist[6], const double r[3], double out[3]) {
  mb_vec3_cross(out, twist, r);
  mb_vec3_add(out, out, twist + 3);
}

static void carrier_of(const MbMaximal *x, const MbForceCurve *at, MbCurvedPoint *p) {
  p->carrier = x->carrier ? x->carrier[p->body] : MB_WORLD;
  if (p->carrier == MB_WORLD) return;
  const size_t c = 6 * p->carrier;
  double world[3];
  mb_add_cross(p->carried, 1, at->y1 + c, at->z + c + 3);
  mb_add_cross(p->carried, 1, at->z + c, at->y2 + c + 3);
  mb_quat_rotate(world, x->E[p->carrier].q, p->carried);
  mb_vec3_sub(p->at[MB_AT_T], p->at[MB_AT_T], world);
}

void mb_curved_point(size_t body, const double r[3], const MbMaximal *x, const MbForceCurve *at,
                     MbCurvedPoint *p) {
  memset(p, 0, sizeof *p);
  p->body = body, p->carrier = MB_WORLD;
  if (body == MB_WORLD) {
    mb_vec3_copy(p->at[MB_AT_X], r);
    return;
  }
  const size_t b = 6 * body;
  const double *const twists[] = {x->phi, at->z, at->x1, at->x2, at->y1, at->y2};
  for (size_t k = 0; k < sizeof twists / sizeof *twists; k++) moved(twists[k] + b, r, p->own[MB_AT_XDOT + k]);
  mb_vec3_copy(p->own[MB_AT_X], r);
  mb_add_cross(p->own[MB_AT_N1], 1, at->y1 + b, p->own[MB_AT_XDOT]);
  mb_add_cross(p->own[MB_AT_NZ], 1, at->z + b, p->own[MB_AT_XDOT]);
  mb_add_cross(p->own[MB_AT_T], 1, at->y1 + b, p->own[MB_AT_Z]);
  mb_add_cross(p->own[MB_AT_T], 1, at->z + b, p->own[MB_AT_Y2]);
  mb_quat_to_mat3(p->R, x->E[body].q);
  for (size_t k = 0; k < MB_POINT_VECTORS; k++) mb_mat3_apply(p->at[k], p->R, p->own[k]);
  mb_vec3_add(p->at[MB_AT_X], p->at[MB_AT_X], x->E[body].p);
  carrier_of(x, at, p);
}

void mb_curved_point_back(const MbMaximal *x, const MbForceCurve *at, const MbCurvedPoint *p) {
  if (p->body == MB_WORLD) return;
  const size_t b = 6 * p->body;
  double *turn = at->by_move + b, own[MB_POINT_VECTORS][3], rate[3];
  for (size_t k = 0; k < MB_POINT_VECTORS; k++) {
    mb_mat3_tapply(own[k], p->R, p->felt[k]);
    mb_add_cross(turn, 1, p->own[k], own[k]);
  }
  mb_vec3_add(turn + 3, turn + 3, own[MB_AT_X]);
  mb_vec3_copy(rate, own[MB_AT_XDOT]); // by φ_p, of which n(y) are ω_y × φ_p
  mb_add_cross(rate, 1, own[MB_AT_N1], at->y1 + b);
  mb_add_cross(rate, 1, own[MB_AT_NZ], at->z + b);
  mb_add_cross(at->by_phi + b, 1, p->own[MB_AT_X], rate);
  mb_vec3_add(at->by_phi + b + 3, at->by_phi + b + 3, rate);
  if (p->carrier == MB_WORLD) return;
  double carried[3];
  mb_quat_unrotate(carried, x->E[p->carrier].q, p->felt[MB_AT_T]);
  mb_add_cross(at->by_move + 6 * p->carrier, -1, p->carried, carried);
}

// With differences Δ of the two points,  S = −½ d (Δz·Δx₁ + Δx₂·Δz + Δz·Δn₁ + Δy₂·Δn_z) − ½ k (Δz·Δy₁ + Δy₂·Δz) − ½ (k Δx + d Δẋ)·Δt
void mb_points_join_curve(const MbForce *force, const MbMaximal *x, const MbForceCurve *at, double k,
                          double d) {
  static const struct {
    MbPointVector one, other;
    bool stiff;
  } products[] = {{MB_AT_Z, MB_AT_X1, false},  {MB_AT_X2, MB_AT_Z, false},  {MB_AT_Z, MB_AT_N1, false},
                  {MB_AT_Y2, MB_AT_NZ, false}, {MB_AT_Z, MB_AT_Y1, true},   {MB_AT_Y2, MB_AT_Z, true},
                  {MB_AT_X, MB_AT_T, true},    {MB_AT_XDOT, MB_AT_T, false}};
  MbCurvedPoint p[2];
  double by[MB_POINT_VECTORS][3], felt[MB_POINT_VECTORS][3] = {{0}};
  for (size_t i = 0; i < 2; i++) mb_curved_point(force->points[i].body, force->points[i].at.p, x, at, &p[i]);
  for (size_t v = 0; v < MB_POINT_VECTORS; v++) mb_vec3_sub(by[v], p[1].at[v], p[0].at[v]);
  for (size_t n = 0; n < sizeof products / sizeof *products; n++) {
    const double s = -(products[n].stiff ? k : d) / 2;
    const MbPointVector one = products[n].one, other = products[n].other;
    mb_vec3_add_scaled(felt[one], felt[one], s, by[other]);
    mb_vec3_add_scaled(felt[other], felt[other], s, by[one]);
  }
  for (size_t v = 0; v < MB_POINT_VECTORS; v++) {
    mb_vec3_copy(p[1].felt[v], felt[v]);
    mb_vec3_scale(p[0].felt[v], -1, felt[v]);
  }
  for (size_t i = 0; i < 2; i++) mb_curved_point_back(x, at, &p[i]);
}
