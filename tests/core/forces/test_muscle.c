// The muscle's curves, seen from outside: the tension of a muscle from the world to a body that stands and moves at will.
#include "core/forces/forces.h"
#include "core/forces/points.h"
#include "tests/support.h"

#include <stdio.h>

static const double FORCE = 30, OPTIMAL = 0.2, TENDON = 0.1, SPEED = 8;
static const MbMuscle numbers = {
    .max_force = 30, .optimal_length = 0.2, .tendon_length = 0.1, .max_velocity = 8};

// Tension over max_force at normalised length and speed
static double tension(double activation, double length, double speed) {
  const MbForcePoint points[] = {{.body = MB_WORLD, .at = {.q = {1, 0, 0, 0}}},
                                 {.body = 0, .at = {.q = {1, 0, 0, 0}}}};
  const MbForce muscle = {
      .ops = mb_force_table[MB_FORCE_MUSCLE], .npoints = 2, .points = points, .parameters = &numbers};
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

// Points on the line between the ends change neither the length nor the pull, at rest and in motion along the line.
Test(muscle, through_points_on_its_line_it_pulls_as_between_its_ends) {
  static const MbForcePoint straight[] = {{.body = MB_WORLD, .at = {.q = {1, 0, 0, 0}}},
                                          {.body = 0, .at = {.p = {0.01, 0.02, 0}, .q = {1, 0, 0, 0}}}};
  for (int k = 0; k < 5; k++) {
    MbPose E;
    mb_pose_identity(&E);
    E.p[0] = 0.2 + 0.03 * k, E.p[1] = 0.1;
    double end[3], n[3], phi[6] = {0}, lvf[2][3], f[2][6] = {{0}};
    mb_vec3_add(end, E.p, straight[1].at.p);
    mb_vec3_scale(n, 1 / mb_vec3_norm(end), end);
    mb_vec3_scale(phi + 3, 0.3 * (k - 2), n);
    // a third of the way in space, and a little before the end on the body
    MbForcePoint bent[4] = {straight[0], straight[0], straight[1], straight[1]};
    mb_vec3_scale(bent[1].at.p, 1.0 / 3, end);
    mb_vec3_add_scaled(bent[2].at.p, straight[1].at.p, -0.04, n);
    const double activation = 0.7;
    for (int way = 0; way < 2; way++) {
      const MbForce muscle = {.ops = mb_force_table[MB_FORCE_MUSCLE],
                              .npoints = way ? 4 : 2,
                              .points = way ? bent : straight,
                              .parameters = &numbers};
      MbMaximal x = {.nb = 1, .signal = &activation, .E = &E, .phi = phi, .f = f[way]};
      muscle.ops->muscle(&muscle, &x, lvf[way]);
      muscle.ops->eval(NULL, &muscle, &x, 0, 1);
    }
    test_near("length, speed, tension", lvf[1], lvf[0], 3, 1e-12 * FORCE);
    test_near("wrench", f[1], f[0], 6, 1e-12 * FORCE);
    cr_assert_gt(lvf[0][2], 0.1);
  }
}

// Held at 1.1 of its optimal length while the activation grows, it pulls with F = F_max (a f_L + f_P), its curves there by
// the published coefficients; and that is what holding it takes.
Test(muscle, an_isometric_contraction_pulls_as_the_curves_say) {
  const double l = 1.1;
  const double fL =
      ((-0.322674853252855 * l - 1.71744046959073) * l + 4.40290549894003) * l - 1.36279017609645;
  const double fP = ((2.55305620081729 * l - 7.02386028610914) * l + 6.38855196976641) * l - 1.91774788447456;
  MbSceneSpec spec = test_scene(MB_IMPLICIT, 0.01, 100);
  MbBodySpec *body = test_body(&spec, "load", 1, 1, 1, 1);
  MbSignalSpec still = test_constant(0);
  body->jointed = true;
  body->joint = (MbJointSpec){.kind = MB_JOINT_PRISMATIC, .axis = {1, 0, 0}};
  body->joint.in_parent.rotation[0] = body->joint.in_body.rotation[0] = 1;
  body->joint.in_parent.position[0] = TENDON + l * OPTIMAL;
  body->joint.motion = &(MbMotionSpec){.position = {.count = 1, .signal = &still}};
  MbForceSpec *muscle = test_force(&spec, MB_FORCE_MUSCLE, NULL);
  MbPointSpec ends[] = {{.body = "world", .frame.rotation = {1}}, {.body = "load", .frame.rotation = {1}}};
  muscle->npoints = 2, muscle->points = ends;
  *test_muscle(muscle) = (MbMuscleSpec){.numbers = numbers, .activation = test_expression("t")};
  const char *channels[] = {"muscle", "joint.force"};
  spec.output.channels = channels, spec.output.nchannels = 2;
  MbModel *model = test_model(&spec);
  MbSim *sim = test_sim(model, 1);
  for (int k = 1; k <= 4; k++) {
    double frame[4];
    test_steps(sim, 25);
    mb_sim_sample(sim, frame, NULL);
    const double now = FORCE * (0.25 * k * fL + fP), before = FORCE * ((0.25 * k - 0.01) * fL + fP);
    test_near("length", frame, &(double){TENDON + l * OPTIMAL}, 1, 1e-14);
    test_near("tension", &frame[2], &now, 1, 1e-10);
    test_near("what holding it took in the last step", &frame[3], &before, 1, 1e-10);
  }
  mb_sim_free(sim);
  mb_model_free(model);
  mb_arena_free(&spec.arena);
}
