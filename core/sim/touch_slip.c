// With λ_t the forces along the tangents and u the rates there, Coulomb's law has λ_t in a section of the cone, of size μ λ_n, and −u in what is normal to the section there. So a contact is on one of few branches:
//
//   it sticks                      u = 0
//   round, it slides               λ_t = μ λ_n m,  u = −|u| m
//   on one side of a section       m · λ_t = share μ λ_n,  e · u = 0            e across m
//   where two sides meet           λ_t = μ λ_n corner
//
// A box has the sides |λ_k| = μ λ_n of each tangent, a pyramid those of a regular polygon with a corner on the first tangent (contact/polygon.c). Where nothing rubs, λ_t is at a corner as well.
#include "core/sim/touch_slip.h"

#include <math.h>

static const double NEAR = 1e-6; // of the bound, as branches are told

static double dot(const double a[2], const double b[2]) { return a[0] * b[0] + a[1] * b[1]; }

// Adds a bound.
static void add(MbTouchSlip *slip, double x, double y, double share) {
  slip->m[slip->n][0] = x, slip->m[slip->n][1] = y, slip->share[slip->n++] = share;
}

// λ_t = μ λ_n corner
static void stand_at(MbTouchSlip *slip, const double corner[2]) {
  add(slip, 1, 0, corner[0]), add(slip, 0, 1, corner[1]);
}

// ---- sections -------------------------------------------------------------------------------------------------------

// A side of a polygon: its normal, the half of its length and its distance from the middle, of corners at 1.
typedef struct Side {
  double m[2], e[2], half, away;
} Side;

static Side side_of(int sides, const double x[2]) {
  const double turn = 2 * acos(-1.0) / sides, mid = (floor(atan2(x[1], x[0]) / turn) + 0.5) * turn;
  return (Side){{cos(mid), sin(mid)}, {-sin(mid), cos(mid)}, sin(0.5 * turn), cos(0.5 * turn)};
}

static void corner_of(const Side *side, const double x[2], double corner[2]) {
  const double way = dot(side->e, x) < 0 ? -side->half : side->half;
  for (int k = 0; k < 2; k++) corner[k] = side->away * side->m[k] + way * side->e[k];
}

static void find_round(const double x[2], MbTouchSlip *slip) {
  const double rubs = hypot(x[0], x[1]);
  if (rubs >= (1 - NEAR) * slip->most) add(slip, x[0] / rubs, x[1] / rubs, 1);
}

static void find_box(const double x[2], MbTouchSlip *slip) {
  for (int k = 0; k < 2; k++)
    if (fabs(x[k]) >= (1 - NEAR) * slip->most) add(slip, k == 0, k == 1, x[k] < 0 ? -1 : 1);
}

static void find_polygon(int sides, const double x[2], MbTouchSlip *slip) {
  const Side side = side_of(sides, x);
  double corner[2];
  if (dot(side.m, x) < (1 - NEAR) * side.away * slip->most) return;
  corner_of(&side, x, corner);
  if (fabs(dot(side.e, x)) >= (1 - NEAR) * side.half * slip->most)
    stand_at(slip, corner);
  else
    add(slip, side.m[0], side.m[1], side.away);
}

// What a little friction would be at, where there is none.
static void find_none(const MbContacts *rules, const double u[2], MbTouchSlip *slip) {
  const double fast = hypot(u[0], u[1]), back[2] = {-u[0], -u[1]};
  double corner[2] = {0};
  if (rules->cone == MB_BOX_CONE)
    for (int k = 0; k < 2; k++) corner[k] = u[k] > 0 ? -1 : u[k] < 0 ? 1 : 0;
  if (rules->cone == MB_ROUND_CONE && fast > 0) corner[0] = back[0] / fast, corner[1] = back[1] / fast;
  if (rules->cone == MB_PYRAMID_CONE && fast > 0) {
    const Side side = side_of(rules->sides, back);
    corner_of(&side, back, corner);
  }
  stand_at(slip, corner);
}

MbTouchSlip mb_touch_slip(const MbContacts *rules, const MbPushed *touch) {
  MbTouchSlip slip = {.most = rules->cone == MB_NO_CONE ? 0 : touch->mu * touch->lambda[0]};
  const double *x = touch->lambda + 1;
  if (!(slip.most > 0))
    find_none(rules, touch->rate + 1, &slip);
  else if (rules->cone == MB_BOX_CONE)
    find_box(x, &slip);
  else if (rules->cone == MB_PYRAMID_CONE)
    find_polygon(rules->sides, x, &slip);
  else
    find_round(x, &slip);
  return slip;
}

// ---- branches -------------------------------------------------------------------------------------------------------

bool mb_touch_slips_alike(const MbContacts *rules, const MbPushed *one, const MbPushed *other) {
  const MbTouchSlip a = mb_touch_slip(rules, one), b = mb_touch_slip(rules, other);
  if (a.n != b.n) return false;
  if (rules->cone == MB_ROUND_CONE || !(a.most > 0)) return true;
  for (int i = 0; i < a.n; i++)
    if (fabs(dot(a.m[i], b.m[i]) - 1) > NEAR || fabs(a.share[i] - b.share[i]) > NEAR) return false;
  return true;
}

// Whether −u is next to none of what is normal to one of the sides that meet at a corner.
static bool leaves_corner(int sides, const double corner[2], const double u[2], double least) {
  const double half = acos(-1.0) / sides;
  const double c = cos(half), s = sin(half);
  const double m[2][2] = {{c * corner[0] + s * corner[1], c * corner[1] - s * corner[0]},
                          {c * corner[0] - s * corner[1], c * corner[1] + s * corner[0]}};
  for (int k = 0; k < 2; k++) { // −u = α m₀ + β m₁, and α across m₁
    const double *other = m[1 - k], across = m[k][0] * other[1] - m[k][1] * other[0];
    if (!((u[1] * other[0] - u[0] * other[1]) / across > least)) return true;
  }
  return false;
}

static bool near_of_polygon(int sides, const MbTouchSlip *slip, const double x[2], const double u[2],
                            double least) {
  const Side side = side_of(sides, x);
  const double most = (1 - 2 * NEAR) * slip->most;
  const double corner[2] = {slip->share[0], slip->share[1]};
  if (slip->n == 0) return dot(side.m, x) > side.away * most;
  if (slip->n == 1) return -dot(side.m, u) <= least || fabs(dot(side.e, x)) > side.half * most;
  return leaves_corner(sides, corner, u, least);
}

static bool near_of_box(const MbTouchSlip *slip, const double x[2], const double u[2], double least) {
  for (int k = 0; k < 2; k++) {
    bool at = false;
    for (int i = 0; i < slip->n; i++) at |= slip->m[i][k] != 0;
    if (at ? fabs(u[k]) <= least : fabs(x[k]) > (1 - 2 * NEAR) * slip->most) return true;
  }
  return false;
}

bool mb_touch_slip_near(const MbContacts *rules, const MbPushed *touch, double size) {
  const MbTouchSlip slip = mb_touch_slip(rules, touch);
  const double *x = touch->lambda + 1, *u = touch->rate + 1, least = NEAR * size;
  if (!(slip.most > 0)) return false;
  if (rules->cone == MB_BOX_CONE) return near_of_box(&slip, x, u, least);
  if (rules->cone == MB_PYRAMID_CONE) return near_of_polygon(rules->sides, &slip, x, u, least);
  return slip.n ? hypot(u[0], u[1]) <= least : hypot(x[0], x[1]) > (1 - 2 * NEAR) * slip.most;
}
