// Accelerations and reactions of joints: closed forms, Newton's and Euler's equations of every body, differences of velocities,
// and solvers against one another.
#include "core/base/alloc.h"
#include "core/joints/joints.h"
#include "core/sim/balance.h"
#include "tests/runs.h"
#include "tests/trees.h"

#include <stdio.h>
#include <string.h>

static const char *const CHANNELS = "/output={\"channels\": [\"body.acceleration\", \"joint.acceleration\", "
                                    "\"joint.reaction\", \"momentum\", "
                                    "\"body.velocity\", \"joint.velocity\", \"constraint.force\"]}";

static const char *const ways[] = {"/solver={\"type\": \"redmax\", \"dynamics\": \"recursive\"}",
                                   "/solver={\"type\": \"redmax\", \"dynamics\": \"dense\"}",
                                   "/solver={\"type\": \"maximal\", \"linear\": \"tree\"}",
                                   "/solver={\"type\": \"maximal\", \"linear\": \"sparse\"}",
                                   "/solver={\"type\": \"maximal\", \"linear\": \"dense\"}",
                                   "/solver={\"type\": \"maximal\", \"project\": true}"};
enum { WAYS = sizeof ways / sizeof *ways, MOST = 6 * 64 };

static const char *integrator(MbIntegratorKind kind) {
  static char text[120];
  if (kind == MB_RK45) return "/integrator={\"type\": \"rk45\", \"relative\": 1e-11, \"absolute\": 1e-13}";
  snprintf(text, sizeof text, "/integrator=\"%s\"", mb_integrator_words[kind]);
  return text;
}

static TestRun start(const char *from, const char *solver, MbIntegratorKind kind, const char *more) {
  const char *sets[] = {CHANNELS, integrator(kind), solver ? solver : more, solver ? more : NULL, NULL};
  return test_run(from, sets);
}

static size_t take(MbSim *sim, const char *channel, double *out) {
  size_t n = 0;
  const double *from = test_channel(sim, channel, &n);
  cr_assert_leq(n, MOST);
  memcpy(out, from, n * sizeof *out);
  return n;
}

#define HEAD "{\"mbsim\": 1, \"time\": {\"step\": 0.001, \"steps\": 100}, \"bodies\": ["

// ---- closed forms -----------------------------------------------------------------------------------------

// A ball whose frame is away from its centre, thrown: the centre falls, the frame's origin goes round it.
Test(balance, a_body_that_falls_freely_shows_gravity) {
  for (MbIntegratorKind kind = 0; kind < MB_STATIC; kind++) {
    TestRun run = start(HEAD "{\"name\": \"ball\", \"inertia\": {\"mass\": 2, \"center\": [0.3, 0, 0], "
                             "\"matrix\": [1, 1, 1, 0, 0, 0]}, "
                             "\"velocity\": {\"angular\": [0, 0, 5], \"linear\": [1, 2, 3]}}]}",
                        NULL, kind, NULL);
    for (int step = 0; step < 3; step++, test_steps(run.sim, 10)) {
      const MbPose *E = &run.sim->x.E[0];
      const double arm[3] = {-0.3, 0, 0};
      double r[3];
      mb_quat_rotate(r, E->q, arm);
      const double wanted[6] = {0, 0, 0, -25 * r[0], -25 * r[1], -9.81};
      test_near("body.acceleration", test_channel(run.sim, "body.acceleration", NULL), wanted, 6, 1e-11);
    }
    test_run_free(&run);
  }
}

// A rod of mass m whose centre is l below a hinge about y, which bears no torque:
//   (I + m l²) α = −m g l sin q,   force in the rod's axes  m (−α l − g sin q, 0, ω² l + g cos q)
Test(balance, a_pendulums_hinge_bears_its_weight_and_what_turns_it) {
  const double m = 2, l = 0.5, I = 0.1, g = 9.81;
  for (int way = 0; way < WAYS; way++)
    for (MbIntegratorKind kind = 0; kind < MB_STATIC; kind++) {
      TestRun run = start(
          HEAD
          "{\"name\": \"rod\", \"inertia\": {\"mass\": 2, \"center\": [0, 0, -0.5], \"matrix\": [0.1, 0.1, "
          "0.1, 0, 0, "
          "0]}, "
          "\"joint\": {\"type\": \"revolute\", \"axis\": [0, 1, 0], \"position\": 0.7, \"velocity\": 3}}]}",
          ways[way], kind, NULL);
      for (int step = 0; step < 3; step++, test_steps(run.sim, 10)) {
        const double q = run.sim->x.q[0], w = run.sim->x.v[0], alpha = -m * g * l * sin(q) / (I + m * l * l);
        const double wanted[6] = {0, 0, 0, m * (-alpha * l - g * sin(q)), 0, m * (w * w * l + g * cos(q))};
        // that of bodies held by rows, whose steps of first order end as nothing held them: by h times its rate
        const bool loose = step && kind < MB_TRAPEZOIDAL && run.sim->solver->map->turns;
        test_near("joint.acceleration", test_channel(run.sim, "joint.acceleration", NULL), &alpha, 1,
                  loose ? 0.05 : 1e-10);
        // under maximal without projection first-order steps leave gaps of 1e-6
        test_near("joint.reaction", test_channel(run.sim, "joint.reaction", NULL), wanted, 6,
                  loose  ? 0.2
                  : step ? 1e-3
                         : 1e-10);
      }
      test_run_free(&run);
    }
}

// Links of mass 1.5 at rest below one another, by balls and welds in turn.
Test(balance, a_hanging_chain_bears_the_weight_of_what_is_below) {
  enum { LINKS = 6 };
  char text[4000] = HEAD;
  for (int i = 0; i < LINKS; i++) {
    char parent[80] = "";
    if (i)
      snprintf(parent, sizeof parent, ", \"parent\": \"%d\", \"in_parent\": {\"position\": [0, 0, -0.2]}",
               i - 1);
    snprintf(text + strlen(text), sizeof text - strlen(text),
             "%s{\"name\": \"%d\", \"inertia\": {\"mass\": 1.5, \"matrix\": [0.02, 0.03, 0.01, 0, 0, 0]}, "
             "\"joint\": "
             "{\"type\": "
             "\"%s\", \"in_body\": {\"position\": [0, 0, 0.2]}%s}}",
             i ? ", " : "", i, i % 2 ? "fixed" : "spherical", parent);
  }
  strcat(text, "]}");
  double wanted[6 * LINKS] = {0};
  for (int i = 0; i < LINKS; i++) wanted[6 * i + 5] = 1.5 * 9.81 * (LINKS - i);
  for (int way = 0; way < WAYS; way++) {
    TestRun run = start(text, ways[way], MB_IMPLICIT, NULL);
    test_steps(run.sim, 3);
    test_near("joint.reaction", test_channel(run.sim, "joint.reaction", NULL), wanted, 6 * LINKS, 1e-10);
    test_run_free(&run);
  }
}

// A slider of mass 3 on a table that turns at 4 rad/s, driven so, 0.5 from the axis: a spring holds it. It moves out at 2.
Test(balance, a_slider_on_a_turntable_feels_centrifugal_and_coriolis_forces) {
  const double m = 3, W = 4, r = 0.5, u = 2, k = 10;
  for (int way = 0; way < WAYS; way++)
    for (MbIntegratorKind kind = 0; kind < MB_STATIC; kind++) {
      TestRun run = start(
          "{\"mbsim\": 1, \"gravity\": [0, 0, 0], \"time\": {\"step\": 0.001, \"steps\": 100}, \"bodies\": ["
          "{\"name\": \"table\", \"inertia\": {\"mass\": 1, \"matrix\": [1, 1, 1, 0, 0, 0]}, \"joint\": "
          "{\"type\": "
          "\"revolute\", "
          "\"axis\": [0, 0, 1], \"motion\": {\"velocity\": 4}, \"velocity\": 4}}, "
          "{\"name\": \"slider\", \"inertia\": {\"mass\": 3, \"matrix\": [0.1, 0.1, 0.1, 0, 0, 0]}, "
          "\"joint\": "
          "{\"type\": "
          "\"prismatic\", \"parent\": \"table\", \"axis\": [1, 0, 0], \"position\": 0.5, \"velocity\": 2, "
          "\"stiffness\": 10}}]}",
          ways[way], kind, NULL);
      // along: m r̈ = m W² r − k r;  across 2 m W u, which the table's drive turns
      const double along = W * W * r - k * r / m, across = 2 * m * W * u;
      const double rates[] = {0, along}, table[] = {0, 0, r * across, -k * r, across, 0},
                   slider[] = {0, 0, 0, -k * r, across, 0};
      double wanted[12];
      memcpy(wanted, table, sizeof table);
      memcpy(wanted + 6, slider, sizeof slider);
      test_near("joint.acceleration", test_channel(run.sim, "joint.acceleration", NULL), rates, 2, 1e-9);
      test_near("joint.reaction", test_channel(run.sim, "joint.reaction", NULL), wanted, 12, 1e-9);
      test_run_free(&run);
    }
}

// ---- every joint and every solver -------------------------------------------------------------------------

static const char *channels[] = {"body.acceleration", "body.velocity", "joint.velocity", "joint.acceleration",
                                 "joint.reaction"};

static MbSceneSpec forest(int way, MbIntegratorKind kind, uint64_t seed) {
  MbSceneSpec spec = test_forest(kind, &seed);
  spec.output.channels = channels, spec.output.nchannels = 5;
  spec.solver.kind = way < 2 ? MB_SOLVER_REDMAX : MB_SOLVER_MAXIMAL;
  spec.solver.dynamics = way == 1 ? MB_DENSE : MB_RECURSIVE;
  spec.solver.linear = way == 2 ? MB_LINEAR_TREE : way == 3 ? MB_LINEAR_SPARSE : MB_LINEAR_DENSE;
  spec.solver.project = way == 5;
  return spec;
}

// The wrench about the world's origin of a torque and a force, in the axes q, at p.
static void add_wrench(const double q[4], const double p[3], const double w[6], double s, double out[6]) {
  double torque[3], force[3], turn[3];
  mb_quat_rotate(torque, q, w);
  mb_quat_rotate(force, q, w + 3);
  mb_vec3_cross(turn, p, force);
  mb_vec3_add(torque, torque, turn);
  mb_vec3_add_scaled(out, out, s, torque);
  mb_vec3_add_scaled(out + 3, out + 3, s, force);
}

// m p̈ and d/dt (R I ω) + p × m p̈ of body b, from the channel; all of it about the world's origin.
static void inertia_of(const MbSim *sim, size_t b, const double a[6], double out[6]) {
  const MbPose *E = &sim->x.E[b];
  const double *M = sim->model->M + 6 * b, *phi = sim->x.phi + 6 * b;
  double w[3], arm[3], p[3], u[3], alpha[3], L[3], turn[3], wrench[6];
  mb_quat_rotate(w, E->q, phi);
  mb_quat_rotate(arm, E->q, sim->model->C[b].p); // C from B's origin in B's axes
  MbPose B, inverse;
  mb_pose_inverse(&inverse, &sim->model->C[b]);
  mb_pose_mul(&B, E, &inverse);
  mb_vec3_sub(arm, E->p, B.p);
  mb_vec3_cross(u, w, arm);
  mb_vec3_cross(p, w, u);
  mb_vec3_cross(u, a, arm);
  for (int i = 0; i < 3; i++) p[i] += a[3 + i] + u[i];
  mb_quat_unrotate(alpha, E->q, a);
  for (int i = 0; i < 3; i++) L[i] = M[i] * phi[i];
  mb_vec3_cross(turn, phi, L);
  for (int i = 0; i < 3; i++) wrench[i] = M[i] * alpha[i] + turn[i];
  mb_quat_unrotate(wrench + 3, E->q, p);
  mb_vec3_scale(wrench + 3, M[3], wrench + 3);
  add_wrench(E->q, E->p, wrench, 1, out);
}

// What is left of every body's equations, by the forces that the forest has; and of what joints do along their coordinates.
static void residuals(const MbSim *sim, const double *a, const double *reaction, double worst[2]) {
  const MbModel *model = sim->model;
  static double left[MOST];
  memset(left, 0, 6 * model->nb * sizeof *left);
  double size = 1;
  size_t joint = 0;
  for (size_t i = 0; i < model->nb; i++)
    inertia_of(sim, model->number[i], a + 6 * i, left + 6 * model->number[i]);
  for (size_t i = 0; i < 6 * model->nb; i++) size = fmax(size, fabs(left[i]));
  for (size_t b = 0; b < model->nb; b++) {
    const MbPose *E = &sim->x.E[b];
    double drag[6], weight[6] = {0};
    for (int k = 0; k < 6; k++) drag[k] = -model->damping[b] * sim->x.phi[6 * b + (size_t)k];
    weight[5] = -9.81 * model->M[6 * b + 3];
    add_wrench(E->q, E->p, drag, -1, left + 6 * b);
    add_wrench((double[]){1, 0, 0, 0}, E->p, weight, -1, left + 6 * b);
    if (!model->joint[b].ops) continue;
    const double *r = reaction + 6 * joint++;
    MbPose J;
    mb_pose_inverse(&J, &model->B[b]);
    mb_pose_mul(&J, E, &J);
    add_wrench(J.q, J.p, r, -1, left + 6 * b);
    if (model->parent[b] != MB_WORLD) add_wrench(J.q, J.p, r, 1, left + 6 * model->parent[b]);

    // along the velocities: Sᵀ r = Nᵀ (−k (q − rest) − d q̇)
    MbPose Q;
    double S[6 * MB_JOINT_MOST], Sdot[6 * MB_JOINT_MOST], rate[MB_JOINT_MOST], f[MB_JOINT_MOST];
    const double *q = sim->x.q + model->q_first[b], *v = sim->x.v + model->v_first[b];
    const MbJoint *joint_of = &model->joint[b];
    joint_of->ops->eval(joint_of, q, v, &Q, S, Sdot);
    memcpy(rate, v, joint_of->n * sizeof *rate);
    if (joint_of->ops->change) joint_of->ops->change(joint_of, q, MB_TO_RATES, rate);
    for (size_t k = 0; k < joint_of->n; k++) {
      const size_t n = model->v_first[b] + k;
      f[k] = model->stiffness[n] * (q[k] - model->rest[n]) + model->joint_damping[n] * rate[k];
    }
    if (joint_of->ops->change) joint_of->ops->change(joint_of, q, MB_TO_FORCES, f);
    for (size_t k = 0; k < joint_of->n; k++) {
      for (size_t i = 0; i < 6; i++) f[k] += S[6 * k + i] * r[i];
      worst[1] = fmax(worst[1], fabs(f[k]) / size);
    }
  }
  // the one force at a point
  for (size_t i = 0; i < model->nforces; i++) {
    const MbForce *force = &model->forces[i];
    if (force->ops->everywhere) continue;
    const MbPose *E = &sim->x.E[force->body];
    const MbBodyForce *own = force->parameters;
    double p[3];
    const double w[6] = {0, 0, 0, 0, 5, 0};
    mb_pose_point(p, E, own->at);
    cr_assert_eq(own->axes, MB_AXES_WORLD);
    add_wrench((double[]){1, 0, 0, 0}, p, w, -1, left + 6 * force->body);
  }
  for (size_t i = 0; i < 6 * model->nb; i++) worst[0] = fmax(worst[0], fabs(left[i]) / size);
}

// Each solver at the start, where all are in one state, and each integrator after some steps.
Test(balance_long, every_bodys_equations_hold_with_every_joint_under_every_solver, TEST_LONG, .timeout = 60) {
  static const double ROUNDING = 1e-9; // of the largest term, through chains of thirty bodies
  for (uint64_t seed = 1; seed < 5; seed++) {
    double first[3][MOST];
    for (int way = 0; way < WAYS; way++)
      for (MbIntegratorKind kind = 0; kind < MB_STATIC; kind++) {
        if (kind && (seed + kind) % 2) continue; // two forests an integrator, four a solver
        MbSceneSpec spec = forest(way, kind, seed);
        MbModel *model = test_model(&spec);
        MbSim *sim = test_sim(model, 1);
        double a[MOST], reaction[MOST], rate[MOST], worst[2] = {0};
        for (int step = 0; step < 2; step++) {
          take(sim, "body.acceleration", a);
          const size_t n = take(sim, "joint.reaction", reaction), m = take(sim, "joint.acceleration", rate);
          residuals(sim, a, reaction, worst);
          if (step == 0 && way == 0 && kind == 0) {
            memcpy(first[0], a, sizeof a), memcpy(first[1], reaction, sizeof a),
                memcpy(first[2], rate, sizeof a);
          } else if (step == 0) {
            double size = 1;
            for (size_t i = 0; i < n; i++) size = fmax(size, fabs(reaction[i]));
            test_near("accelerations", a, first[0], 6 * model->nb, ROUNDING * size);
            test_near("reactions", reaction, first[1], n, ROUNDING * size);
            test_near("joints' accelerations", rate, first[2], m, ROUNDING * size);
          }
          test_steps(sim, 5);
        }
        const char *const name = mb_integrator_words[kind];
        cr_expect_lt(worst[0], ROUNDING, "%s, %s, seed %d: bodies %.2g", ways[way], name, (int)seed,
                     worst[0]);
        // of joints held by rows the frames are apart by what steps of first order leave
        const double along = way < 2 || way == 5 ? ROUNDING : 1e-5;
        cr_expect_lt(worst[1], along, "%s, %s, seed %d: along %.2g", ways[way], name, (int)seed, worst[1]);
        mb_sim_free(sim);
        mb_model_free(model);
        mb_arena_free(&spec.arena);
      }
  }
  cr_assert_eq(mb_alloc_live(), 0);
}

// f′ by central differences of frames, (8 (f₁ − f₋₁) − (f₂ − f₋₂))/12 h
static double against_differences(MbSim *sim, const char *rate, const char *of) {
  double f[5][MOST], wanted[MOST];
  size_t n = 0;
  const double h = sim->model->h;
  for (int k = 0; k < 5; k++) {
    if (k) test_steps(sim, 1);
    n = take(sim, of, f[k]);
    if (k == 2) take(sim, rate, wanted);
  }
  double worst = 0, size = 1;
  for (size_t i = 0; i < n; i++) size = fmax(size, fabs(wanted[i]));
  for (size_t i = 0; i < n; i++) {
    const double slope = (8 * (f[3][i] - f[1][i]) - (f[4][i] - f[0][i])) / (12 * h);
    worst = fmax(worst, fabs(slope - wanted[i]) / size);
  }
  return worst;
}

Test(balance_long, accelerations_are_the_rates_of_velocities, .timeout = 60) {
  static const double CLOSE = 1e-8; // h⁴, and the tolerance over h
  static const char *const of[] = {"body", "joint"};
  for (int way = 0; way < WAYS; way++) {
    MbSceneSpec spec = forest(way, MB_RK45, 3);
    spec.time.step = 5e-4;
    spec.integrator.relative = 1e-12, spec.integrator.absolute = 1e-12;
    MbModel *model = test_model(&spec);
    for (int k = 0; k < 2; k++) {
      char rate[40], velocity[40];
      snprintf(rate, sizeof rate, "%s.acceleration", of[k]);
      snprintf(velocity, sizeof velocity, "%s.velocity", of[k]);
      MbSim *sim = test_sim(model, 1);
      test_steps(sim, 3);
      const double off = against_differences(sim, rate, velocity);
      printf("  %-58s %-5s %.1e\n", ways[way] + 8, of[k], off);
      cr_expect_lt(off, CLOSE, "%s, %s: %.2g", ways[way], of[k], off);
      mb_sim_free(sim);
    }
    mb_model_free(model);
    mb_arena_free(&spec.arena);
  }
}

// ---- constraints ------------------------------------------------------------------------------------------

#define BAR(name, place)                                                                                     \
  "{\"name\": \"" name                                                                                       \
  "\", \"shape\": {\"type\": \"box\", \"size\": [0.4, 0.1, 0.05]}, \"density\": 1000, " place
#define HINGE(axis, more)                                                                                    \
  "\"joint\": {\"type\": \"revolute\", \"axis\": " axis                                                      \
  ", \"in_body\": {\"position\": [-0.2, 0, 0]}, \"velocity\": "                                              \
  "2" more "}}"
#define UPPER "{\"position\": [0.2, 0, 0], \"rotation\": {\"axis\": [1, 0, 0], \"angle\": 0.4}}"

#define SOFT                                                                                                 \
  "{\"type\": \"distance\", \"length\": 0.5, \"compliance\": 1e-3, \"damping\": 0.01, \"between\": ["        \
  "{\"body\": \"world\", \"at\": [0.9, 0.3, 0.5]}, {\"body\": \"lower\", \"at\": [0.2, 0, 0]}]}"

// The lower of two bars by a joint of the tree, and free in space with the same joint as a constraint; a soft rod pulls at it.
static const char *const AS_JOINT = HEAD BAR("upper", HINGE("[0, 1, 0]", "")) ", " BAR(
    "lower",
    "\"joint\": {\"type\": \"revolute\", \"parent\": \"upper\", \"axis\": [0, 0, 1], \"in_parent\": " UPPER
    ", \"in_body\": {\"position\": [-0.2, 0, 0]}}}") "], \"constraints\": [" SOFT "]}";
static const char *const AS_CONSTRAINT = HEAD BAR("upper", HINGE("[0, 1, 0]", "")) ", " BAR(
    "lower", "\"pose\": {\"position\": [0.6, 0, 0], \"rotation\": "
             "{\"axis\": [1, 0, 0], \"angle\": 0.4}}, "
             "\"velocity\": {\"angular\": [0, 2, 0], \"linear\": [0, 0, "
             "-1.2]}}") "], \"constraints\": [" SOFT ", "
                        "{\"type\": \"joint\", \"between\": [{\"body\": "
                        "\"upper\", \"frame\": " UPPER "}, {\"body\": \"lower\", \"frame\": "
                        "{\"position\": [-0.2, 0, 0]}}], \"joint\": "
                        "{\"type\": \"revolute\", \"axis\": [0, 0, 1]}}]}";

Test(balance, a_joint_as_a_constraint_leaves_the_others_reactions_as_they_are) {
  double wanted[2][MOST], found[MOST];
  TestRun run = start(AS_JOINT, ways[0], MB_IMPLICIT, NULL);
  take(run.sim, "joint.reaction", wanted[0]);
  take(run.sim, "body.acceleration", wanted[1]);
  test_run_free(&run);
  for (int way = 0; way < WAYS; way++)
    for (MbIntegratorKind kind = 0; kind < MB_STATIC; kind++) {
      run = start(AS_CONSTRAINT, ways[way], kind, NULL);
      take(run.sim, "joint.reaction", found);
      test_near("reaction of the upper", found, wanted[0], 6, 1e-8);
      take(run.sim, "body.acceleration", found);
      test_near("accelerations", found, wanted[1], 12, 1e-8);
      test_run_free(&run);
    }
}

// Two sliders on upright rails: a limit bears one of 4 kg, a rope from the other, of 3 kg, hangs over the world's point.
static const char *const RESTING = HEAD
    "{\"name\": \"low\", \"inertia\": {\"mass\": 4, \"matrix\": [1, 1, 1, 0, 0, 0]}, \"joint\": {\"type\": "
    "\"prismatic\", \"axis\": [0, 0, 1], \"limits\": [0, 5]}}, "
    "{\"name\": \"hung\", \"inertia\": {\"mass\": 3, \"matrix\": [1, 1, 1, 0, 0, 0]}, \"joint\": {\"type\": "
    "\"prismatic\", \"axis\": [0, 0, 1]}}], "
    "\"constraints\": [{\"type\": \"distance\", \"rope\": true, \"length\": 1, \"between\": [{\"body\": "
    "\"world\", "
    "\"at\": [0, 0, 1]}, {\"body\": \"hung\", \"at\": [0, 0, 0]}]}]}";

Test(balance, what_a_limit_or_a_rope_bears_does_not_accelerate) {
  // a limit acts along the joint and is a part of its reaction; the rope does not go through the joint
  const double wanted[12] = {0, 0, 0, 0, 0, 4 * 9.81}, still[2] = {0, 0}, away[2] = {-9.81, -9.81};
  for (int way = 0; way < WAYS; way++)
    for (MbIntegratorKind kind = 0; kind < MB_STATIC; kind++) {
      TestRun run = start(RESTING, ways[way], kind, NULL);
      for (int step = 0; step < 3; step++, test_steps(run.sim, 5)) {
        test_near("accelerations", test_channel(run.sim, "joint.acceleration", NULL), still, 2, 1e-8);
        test_near("reactions", test_channel(run.sim, "joint.reaction", NULL), wanted, 12, 1e-6);
      }
      test_run_free(&run);
      // going up, away from both bounds
      run = start(RESTING, ways[way], kind, "/bodies/0/joint/velocity=1");
      test_near("low", test_channel(run.sim, "joint.acceleration", NULL), away, 1, 1e-8);
      test_run_free(&run);
      run = start(RESTING, ways[way], kind, "/bodies/1/joint/position=0.1");
      test_near("hung", test_channel(run.sim, "joint.acceleration", NULL) + 1, away, 1, 1e-8);
      test_run_free(&run);
    }
}

// An arm that swings carries a rope's end; a bead follows two of its nodes, and a ring the bead.
#define FOLLOWING(enforce)                                                                                   \
  "{\"mbsim\": 1, \"time\": {\"step\": 0.0002, \"steps\": 100}, \"bodies\": [{\"name\": \"arm\", "           \
  "\"shape\": {\"type\": \"box\", \"size\": [0.1, 0.04, 0.5]}, \"density\": 500, \"joint\": {\"type\": "     \
  "\"revolute\", \"axis\": [0, 1, 0], \"in_body\": {\"position\": [0, 0, 0.25]}, \"velocity\": -3}}], "      \
  "\"deformables\": [{\"name\": \"rope\", \"type\": \"springs\", \"mesh\": {\"rope\": 4, \"length\": 0.6}, " \
  "\"pose\": {\"position\": [-0.3, 0, -0.4]}, \"material\": {\"mass\": 0.4, \"stiffness\": 40, "             \
  "\"damping\": 0.1}, "                                                                                      \
  "\"attach\": [{\"select\": {\"side\": \"+x\"}, \"body\": \"arm\", \"enforce\": \"reduction\"}]}, "         \
  "{\"name\": \"bead\", \"type\": \"particles\", \"mesh\": {\"rope\": 2, \"length\": 0.4}, \"material\": "   \
  "{\"mass\": 0.5}, \"pose\": {\"position\": [0.1, 0, -0.4]}, \"attach\": [{\"select\": {\"vertices\": "     \
  "[0]}, \"to\": "                                                                                           \
  "{\"deformable\": \"rope\", \"vertices\": [2, 3], \"weights\": [0.3, 0.7]}, \"enforce\": \"" enforce       \
  "\"}]}]}"

// What the world's joints and gravity do is the rate of all momentum, nodes' too: those that a body carries, that follow
// others, or are held by rows.
Test(balance_long, reactions_and_weight_are_the_rate_of_momentum, .timeout = 60) {
  static const char *const scenes[] = {FOLLOWING("reduction"), FOLLOWING("constraint")};
  for (int way = 0; way < WAYS; way++)
    for (int rows = 0; rows < 2; rows++) {
      TestRun run = start(scenes[rows], ways[way], MB_RK45, NULL);
      const MbModel *model = run.model;
      test_steps(run.sim, 50);
      double p[5][6], f[3], slope[3], mass = 0;
      for (int i = 0; i < 5; i++) {
        if (i) test_steps(run.sim, 1);
        memcpy(p[i], test_channel(run.sim, "momentum", NULL), sizeof p[i]);
        if (i != 2) continue;
        MbPose J;
        mb_pose_inverse(&J, &model->B[0]);
        mb_pose_mul(&J, &run.sim->x.E[0], &J);
        mb_quat_rotate(f, J.q, test_channel(run.sim, "joint.reaction", NULL) + 3);
      }
      for (size_t b = 0; b < model->nb; b++) mass += model->M[6 * b + 3];
      f[2] -= 9.81 * mass;
      for (int i = 0; i < 3; i++)
        slope[i] = (8 * (p[3][i] - p[1][i]) - (p[4][i] - p[0][i])) / (12 * model->h);
      printf("  %-58s %s off by %.1e of %.0f N\n", ways[way] + 8, rows ? "rows     " : "reduction",
             test_distance(f, slope, 3), mb_vec3_norm(f));
      test_near("rate of momentum", f, slope, 3, 1e-7); // tolerances of rk45 over h
      test_run_free(&run);
    }
}

// Loops: accelerations agree between solvers; and with those that velocities have.
Test(balance, closed_loops_and_gears_accelerate_the_same_under_every_solver) {
  static const char *const scenes[] = {"four_bar",   "slider_crank", "gears",     "gears_reduced",
                                       "suspension", "crane",        "servo_arm", "constraints/soft_stand"};
  for (size_t k = 0; k < sizeof scenes / sizeof *scenes; k++) {
    double wanted[2][MOST], found[MOST];
    for (int way = 0; way < WAYS; way++) {
      TestRun run = start(scenes[k], ways[way], MB_RK45, NULL);
      for (int part = 0; part < 2; part++) {
        const size_t n =
            take(run.sim, part ? "joint.reaction" : "body.acceleration", way ? found : wanted[part]);
        double size = 1;
        for (size_t i = 0; i < n; i++) size = fmax(size, fabs(wanted[part][i]));
        if (way) test_near(scenes[k], found, wanted[part], n, 1e-9 * size);
      }
      test_run_free(&run);
    }
  }
}

// ---- the run ----------------------------------------------------------------------------------------------

// Frames or none, the states are the same bytes.
Test(balance_long, frames_with_accelerations_leave_the_run_as_it_is, TEST_LONG, .timeout = 60) {
  static const char *const scenes[] = {"06-joint-limits",        "crane",
                                       "gears_reduced",          "four_bar",
                                       "constraints/soft_stand", FOLLOWING("reduction")};
  int offered = 0;
  for (size_t k = 0; k < sizeof scenes / sizeof *scenes; k++)
    for (int way = 0; way < WAYS; way++)
      for (MbIntegratorKind kind = 0; kind < MB_STATIC; kind++) {
        MbReport report = {0};
        const char *const sets[] = {CHANNELS, integrator(kind), ways[way], NULL};
        if (test_try(scenes[k], sets, 0, &report) != MB_OK) continue;
        TestRun with = test_run(scenes[k], sets), without = test_run(scenes[k], sets);
        for (int step = 0; step < 8; step++) {
          static double frame[4096];
          test_ok(mb_sim_sample(with.sim, frame, &report), &report);
          test_steps(with.sim, 1);
          test_steps(without.sim, 1);
        }
        const size_t size = mb_sim_checkpoint_size(with.sim);
        char *a = mb_calloc(size, 1), *b = mb_calloc(size, 1);
        mb_sim_checkpoint(with.sim, a);
        mb_sim_checkpoint(without.sim, b);
        cr_expect_eq(memcmp(a, b, size), 0, "%s, %s, %s", scenes[k], ways[way], mb_integrator_words[kind]);
        // and a resumed run tells the same
        TestRun resumed = test_run(scenes[k], sets);
        static double here[4096], there[4096];
        test_ok(mb_sim_restore(resumed.sim, a, size, &report), &report);
        test_ok(mb_sim_sample(with.sim, here, &report), &report);
        test_ok(mb_sim_sample(resumed.sim, there, &report), &report);
        cr_expect_eq(memcmp(here, there, mb_sim_frame_size(with.sim) * sizeof *here), 0, "%s, %s, %s resumed",
                     scenes[k], ways[way], mb_integrator_words[kind]);
        test_run_free(&resumed);
        mb_free(a), mb_free(b);
        test_run_free(&with);
        test_run_free(&without);
        offered++;
      }
  cr_expect_gt(offered, 100);
  cr_assert_eq(mb_alloc_live(), 0);
}

static const char *const PROJECTED =
    "{\"mbsim\": 1, \"solver\": \"projective\", \"time\": {\"step\": 0.01, \"steps\": 1}, \"bodies\": "
    "[{\"name\": "
    "\"plate\", \"shape\": {\"type\": \"box\", \"size\": [1, 1, 0.1]}, \"density\": 1, \"joint\": {\"type\": "
    "\"fixed\"}}], \"deformables\": [{\"name\": \"cloth\", \"type\": \"cloth\", \"mesh\": {\"grid\": [3, 3], "
    "\"size\": [1, "
    "1]}, \"material\": {\"density\": 100, \"thickness\": 0.001, \"young\": 1e4, \"poisson\": 0.3}}]}";

Test(balance, what_cannot_be_told_is_refused_by_name) {
  static const struct {
    const char *scene, *sets[4], *wanted;
    MbStatus status;
  } cases[] = {
      {"double_pendulum",
       {"/solver={\"type\": \"maximal\", \"mode\": \"first_order\"}", "/integrator=\"implicit\""},
       "first_order",
       MB_SCENE},
      {PROJECTED, {"/name=\"\""}, "projective", MB_SCENE},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    MbReport report = {0};
    const char *sets[] = {"/output={\"channels\": [\"joint.reaction\"]}", cases[k].sets[0], cases[k].sets[1],
                          NULL};
    cr_expect_eq(test_try(cases[k].scene, sets, 0, &report), cases[k].status);
    cr_expect(strstr(report.issues[0].text, cases[k].wanted) &&
                  strstr(report.issues[0].text, "joint.reaction"),
              "%s", report.issues[0].text);
  }
}
