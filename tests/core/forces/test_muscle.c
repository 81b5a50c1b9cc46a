// The muscle's curves, seen from outside: the tension of a muscle from the world to a body that stands and moves at will.
#include "core/forces/forces.h"
#include "core/forces/points.h"
#include "tests/support.h"

#include <stdio.h>

static const double FORCE = 30, OPTIMAL = 0.2, TENDON = 0.1, SPEED = 8;

// Tension over max_force at normalised length and speed
static double tension(double activation, double length, double speed) {
  const bool active[] = {true};
  const MbForcePoint points[] = {{.body = MB_WORLD, .at = {.q = {1, 0, 0, 0}}},
                                 {.body = 0, .at = {.q = {1, 0, 0, 0}}}};
  const MbForce muscle = {.ops = mb_force_table[MB_FORCE_MUSCLE],
                          .npoints = 2,
                          .points = points,
                          .active = active,
                          .max_force = FORCE,
                          .optimal_length = OPTIMAL,
                          .tendon_length = TENDON,
                          .max_velocity = SPEED};
  MbPose E;
  mb_pose_identity(&E);
  E.p[0] = TENDON + OPTIMAL * length;
  double phi[6] = {0, 0, 0, OPTIMAL * SPEED * speed}, f[6] = {0}, lvf[3];
  MbMaximal x = {.nb = 1, .signal = &activation, .E = &E, .phi = phi, .f = f};
  muscle.ops->muscle(&muscle, &x, lvf);
  muscle.ops->eval(NULL, &muscle, &x, 0, 1);
  test_near("pull", &f[3], &(double){-lvf[2]}, 1, 1e-13);
  test_near("length", lvf, &E.p[0], 1, 1e-15);
  return lvf[2] / FORCE;
}

static double active(double length) { return tension(1, length, 0) - tension(0, length, 0); }
static double passive(double length) { return tension(0, length, 0); }
static double by_speed(double speed) { return tension(1, 1, speed) - tension(0, 1, speed); }

// The values and slopes that RM asks of the curves (1.41, 1.43, 1.45); coefficients are printed to 15 digits, and the
// largest of them is 453.
static const double PRINTED = 2e-12;

typedef struct Known {
  double (*curve)(double);
  double x, value, slope;
} Known;

static const Known known[] = {
    {passive, 1, 0, 0},
    {passive, 1.3, 0.126110265892917, 1.07051016402631},
    {passive, 1.7, 1, 2.85714285714286},
    {passive, 0.5, 0, 0},
    {active, 0.4, 0, 0},
    {active, 0.7, 0.767020368396388, NAN},
    {active, 1, 1, 0},
    {active, 1.2, 0.89, NAN},
    {active, 1.81, 0, 0},
    {active, 0.3, 0, 0},
    {active, 2, 0, 0},
    {by_speed, -1, 0, 0},
    {by_speed, 0, 1, 5},
    {by_speed, 1, 1.4, 0},
    {by_speed, -2, 0, 0},
    {by_speed, 2, 1.4, 0},
    {passive, 1.8, 1 + 0.1 * 2.85714285714286, 2.85714285714286},
};

Test(muscle, curves_have_the_published_values_and_slopes) {
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    const Known *k = &known[i];
    const double e = 1e-6, value = k->curve(k->x);
    char what[64];
    snprintf(what, sizeof what, "value at knot %zu", i);
    test_near(what, &value, &k->value, 1, PRINTED);
    if (isnan(k->slope)) continue;
    const double slope = (k->curve(k->x + e) - k->curve(k->x - e)) / (2 * e);
    snprintf(what, sizeof what, "slope at knot %zu", i);
    test_near(what, &slope, &k->slope, 1, 1e-4); // a kink of curvature of some 100, times ε
  }
}

// Across every knot neither value nor slope jumps.
Test(muscle, curves_are_smooth) {
  const struct {
    double (*curve)(double);
    double x;
  } knots[] = {{passive, 1},      {passive, 1.3},   {passive, 1.7}, {active, 0.4},
               {active, 0.7},     {active, 1.2},    {active, 1.81}, {by_speed, -1},
               {by_speed, -0.05}, {by_speed, 0.05}, {by_speed, 1}};
  for (size_t i = 0; i < sizeof knots / sizeof *knots; i++) {
    const double e = 1e-6, x = knots[i].x;
    const double before = knots[i].curve(x - e), at = knots[i].curve(x), after = knots[i].curve(x + e);
    const double slopes[2] = {(at - before) / e, (after - at) / e};
    char what[64];
    snprintf(what, sizeof what, "slope after knot %zu", i);
    test_near(what, &slopes[1], &slopes[0], 1, 2e-4); // curvatures of some 100, times ε
  }
}

Test(muscle, activation_counts_between_0_and_1) {
  const double beyond = tension(7, 1.1, 0.2), full = tension(1, 1.1, 0.2);
  const double below = tension(-3, 1.1, 0.2), none = tension(0, 1.1, 0.2);
  test_near("beyond 1", &beyond, &full, 1, 0);
  test_near("below 0", &below, &none, 1, 0);
}
