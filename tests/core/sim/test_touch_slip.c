// The bounds that friction of a contact has come to (core/sim/touch_slip.h), under every cone.
#include "core/sim/touch_slip.h"
#include "tests/support.h"

#include <math.h>

static const double MU = 0.5, NORMAL = 2, FAST = 0.7;

// A contact with forces of so much of μ λ_n along its tangents, which slides by u.
static MbPushed pushed(double x, double y, const double u[2]) {
  return (MbPushed){
      .lambda = {NORMAL, MU * NORMAL * x, MU * NORMAL * y}, .mu = MU, .rate = {0, u[0], u[1]}, .size = 1};
}

// Of a point of a section at an angle, with so much of what it may be: how many bounds it is at, each of which it has to meet.
static int bounds_of(const MbContacts *rules, double x, double y) {
  const MbPushed touch = pushed(x, y, (const double[]){-FAST * x, -FAST * y});
  const MbTouchSlip slip = mb_touch_slip(rules, &touch);
  for (int i = 0; i < slip.n; i++)
    cr_expect_float_eq(slip.m[i][0] * touch.lambda[1] + slip.m[i][1] * touch.lambda[2],
                       slip.share[i] * slip.most, 2e-6 * slip.most);
  return slip.n;
}

Test(touch_slip, forces_inside_a_section_stick_and_those_on_it_are_at_its_sides_or_corners) {
  const MbContacts round = {.cone = MB_ROUND_CONE}, box = {.cone = MB_BOX_CONE};
  cr_expect_eq(bounds_of(&round, 0.59, 0.79), 0);
  cr_expect_eq(bounds_of(&round, 0.6, 0.8), 1);
  cr_expect_eq(bounds_of(&box, 0.9, -0.99), 0);
  cr_expect_eq(bounds_of(&box, 0.9, -1), 1);
  cr_expect_eq(bounds_of(&box, 1, -1), 2);
  for (int sides = 4; sides <= 12; sides += 2) {
    const MbContacts rules = {.cone = MB_PYRAMID_CONE, .sides = sides};
    const double turn = 2 * acos(-1.0) / sides, away = cos(turn / 2);
    for (int k = 0; k < sides; k++) {
      const double corner = k * turn, middle = (k + 0.4) * turn, far = away / cos(0.1 * turn);
      cr_expect_eq(bounds_of(&rules, cos(corner), sin(corner)), 2, "%d sides, corner %d", sides, k);
      cr_expect_eq(bounds_of(&rules, far * cos(middle), far * sin(middle)), 1, "%d sides, side %d", sides, k);
      cr_expect_eq(bounds_of(&rules, 0.999 * cos(corner), 0.999 * sin(corner)), 0, "%d sides", sides);
    }
  }
}

// Without friction derivatives by it are those of a little of it.
Test(touch_slip, what_has_no_friction_is_at_the_corner_against_its_way) {
  const double u[2] = {0.3, -0.4};
  MbPushed touch = pushed(0, 0, u);
  touch.mu = 0;
  const MbContacts rules[] = {
      {.cone = MB_ROUND_CONE}, {.cone = MB_BOX_CONE}, {.cone = MB_PYRAMID_CONE, .sides = 4}};
  const double wanted[][2] = {{-0.6, 0.8}, {-1, 1}, {0, 1}};
  for (size_t i = 0; i < 3; i++) {
    const MbTouchSlip slip = mb_touch_slip(&rules[i], &touch);
    cr_assert_eq(slip.n, 2);
    for (int k = 0; k < 2; k++) cr_expect_float_eq(slip.share[k], wanted[i][k], 1e-12, "cone %zu", i);
    cr_expect_not(mb_touch_slip_near(&rules[i], &touch, 1));
  }
}

typedef struct Near {
  MbConeKind cone;
  double x, y, u[2];
  bool near;
} Near;

Test(touch_slip, a_contact_is_near_another_branch_where_its_force_or_its_rate_is) {
  static const double C = 0.9238795325112867, S = 0.3826834323650898; // of π/8
  static const Near cases[] = {
      {MB_ROUND_CONE, 0.6, 0.79, {0, 0}, false},
      {MB_ROUND_CONE, 0.6 * (1 - 1.5e-6), 0.8 * (1 - 1.5e-6), {0, 0}, true},
      {MB_ROUND_CONE, 0.6, 0.8, {-0.3, -0.4}, false},
      {MB_ROUND_CONE, 0.6, 0.8, {-3e-8, -4e-8}, true},
      {MB_BOX_CONE, 1, 0.3, {-0.3, 0}, false},
      {MB_BOX_CONE, 1, 0.3, {-1e-8, 0}, true},
      {MB_BOX_CONE, 1, 1 - 1.5e-6, {-0.3, 0}, true},
      {MB_BOX_CONE, 1, 1, {-0.3, -0.2}, false},
      {MB_BOX_CONE, 1, 1, {-0.3, -1e-8}, true},
      {MB_PYRAMID_CONE, 0.3, 0.2, {0, 0}, false},
      {MB_PYRAMID_CONE, 1, 0, {-0.3, 0.02}, false}, // −u between the normals of the sides that meet there
      {MB_PYRAMID_CONE, 1, 0, {-0.3 * C, -0.3 * S}, true},          // along one of them
      {MB_PYRAMID_CONE, C * C, C * S, {-0.3 * C, -0.3 * S}, false}, // in the middle of a side
      {MB_PYRAMID_CONE, C * C, C * S, {-1e-8 * C, -1e-8 * S}, true},
      {MB_PYRAMID_CONE, (1 - 1.5e-6) * C * C, (1 - 1.5e-6) * C * S, {0, 0}, true},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const MbContacts rules = {.cone = cases[i].cone, .sides = 8};
    const MbPushed touch = pushed(cases[i].x, cases[i].y, cases[i].u);
    cr_expect_eq(mb_touch_slip_near(&rules, &touch, 1), cases[i].near, "case %zu", i);
  }
}

Test(touch_slip, contacts_are_alike_at_the_same_bounds_alone) {
  const MbContacts box = {.cone = MB_BOX_CONE}, round = {.cone = MB_ROUND_CONE};
  const double u[2] = {-1, 0};
  const MbPushed one = pushed(1, 0.3, u), same = pushed(1, -0.2, u), other = pushed(0.3, 1, u),
                 back = pushed(-1, 0, u);
  cr_expect(mb_touch_slips_alike(&box, &one, &same));
  cr_expect_not(mb_touch_slips_alike(&box, &one, &other));
  cr_expect_not(mb_touch_slips_alike(&box, &one, &back));
  const MbPushed slides = pushed(0.6, 0.8, u), turned = pushed(0.8, 0.6, u), sticks = pushed(0.5, 0.5, u);
  cr_expect(mb_touch_slips_alike(&round, &slides, &turned));
  cr_expect_not(mb_touch_slips_alike(&round, &slides, &sticks));
}
