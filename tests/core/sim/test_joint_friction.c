// Friction inside joints: what a step has done is checked by a second implementation, which knows neither rows nor trees: every place by
// itself, Newton's and Euler's equations of the one body that hangs on the joint, and the law of friction in the end.
#include "core/base/alloc.h"
#include "core/constraints/joint_friction.h"
#include "core/sim/constrain_internal.h"
#include "core/sim/touch.h"
#include "tests/runs.h"

#include <stdio.h>
#include <string.h>

static const char *const solvers[] = {"/solver={\"type\": \"redmax\", \"dynamics\": \"recursive\"}",
                                      "/solver={\"type\": \"redmax\", \"dynamics\": \"dense\"}",
                                      "/solver=\"maximal\"",
                                      "/solver={\"type\": \"maximal\", \"project\": true}",
                                      "/solver={\"type\": \"maximal\", \"linear\": \"sparse\"}"};
static const char *const integrators[] = {"/integrator=\"implicit\"", "/integrator=\"symplectic\""};
enum { SOLVERS = sizeof solvers / sizeof *solvers };

// ---- the second implementation ----------------------------------------------------------------------------

typedef struct Place {
  double p[3], n[2][3], t[2][3];
  int normals, tangents;
} Place;

static void unit(double x[3], int k, double s) {
  mb_vec3_set(x, 0, 0, 0);
  x[k] = s;
}

// Places of a pin about axis k of the joint's frame, or of a shaft (no normal along the axis, two tangents).
static int pin(Place *place, int k, double r, double length, bool shaft) {
  int n = 0;
  for (int end = -1; end <= 1; end += 2)
    for (int side = 0; side < 4; side++, n++) {
      Place *at = &place[n];
      double axis[3], out[3];
      unit(axis, k, 1);
      unit(out, (k + 1 + side % 2) % 3, side < 2 ? 1 : -1);
      mb_vec3_scale(at->p, r, out);
      mb_vec3_add_scaled(at->p, at->p, end * length / 2, axis);
      mb_vec3_scale(at->n[0], -1, out);
      mb_vec3_scale(at->n[1], -end, axis);
      mb_vec3_cross(at->t[0], axis, out);
      mb_vec3_copy(at->t[1], axis);
      at->normals = shaft ? 1 : 2, at->tangents = shaft ? 2 : 1;
    }
  return n;
}

static int ball(Place *place, double r) {
  for (int i = 0; i < 6; i++) {
    Place *at = &place[i];
    unit(at->p, i / 2, i % 2 ? -r : r);
    unit(at->n[0], i / 2, i % 2 ? 1 : -1);
    unit(at->t[0], (i / 2 + 1) % 3, 1);
    unit(at->t[1], (i / 2 + 2) % 3, 1);
    at->normals = 1, at->tangents = 2;
  }
  return 6;
}

static int slide(Place *place, const double size[3]) {
  for (int i = 0; i < 8; i++) {
    Place *at = &place[i];
    for (int k = 0; k < 3; k++) at->p[k] = (i >> k & 1 ? 1 : -1) * size[k] / 2;
    unit(at->n[0], 0, at->p[0] > 0 ? -1 : 1);
    unit(at->n[1], 1, at->p[1] > 0 ? -1 : 1);
    unit(at->t[0], 2, 1);
    at->normals = 2, at->tangents = 1;
  }
  return 8;
}

static void wrench(double w[6], const double p[3], const double f[3]) {
  mb_vec3_cross(w, p, f);
  mb_vec3_copy(w + 3, f);
}

// a of least size with Σ a N = w, by conjugate gradients on NᵀN y = w, a = N y: from 0 they stay in its range.
static void least(const Place *place, int n, const double w[6], double a[][2]) {
  double y[6] = {0}, r[6], d[6], size = 0;
  memcpy(r, w, sizeof r);
  memcpy(d, w, sizeof d);
  for (int k = 0; k < 6; k++) size += r[k] * r[k];
  const double first = size;
  for (int turn = 0; turn < 60 && size > 1e-28 * first; turn++) {
    double Ad[6] = {0}, dAd = 0, next = 0;
    for (int i = 0; i < n; i++)
      for (int j = 0; j < place[i].normals; j++) {
        double N[6], s = 0;
        wrench(N, place[i].p, place[i].n[j]);
        for (int k = 0; k < 6; k++) s += N[k] * d[k];
        for (int k = 0; k < 6; k++) Ad[k] += N[k] * s;
      }
    for (int k = 0; k < 6; k++) dAd += d[k] * Ad[k];
    if (!(dAd > 0)) break;
    for (int k = 0; k < 6; k++) y[k] += size / dAd * d[k], r[k] -= size / dAd * Ad[k];
    for (int k = 0; k < 6; k++) next += r[k] * r[k];
    for (int k = 0; k < 6; k++) d[k] = r[k] + next / size * d[k];
    size = next;
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 2; j++) {
      double N[6];
      a[i][j] = 0;
      if (j >= place[i].normals) continue;
      wrench(N, place[i].p, place[i].n[j]);
      for (int k = 0; k < 6; k++) a[i][j] += N[k] * y[k];
    }
}

// What a pin, ball or slide pushes along the motions that it lets be (screws, each a turn or a slide along one axis), and what it may: of
// `w`, all that the joint does to the body, `along` is what acts along each of them. Places share it by their loads.
static void bound(const Place *place, int n, double mu, const double w[6], const double (*screw)[6],
                  int motions, const double *along, double *most) {
  double a[16][2], load[16], pressed[6];
  for (int i = 0; i < n; i++) load[i] = 1;
  for (int turn = 0; turn < 200; turn++) {
    memcpy(pressed, w, sizeof pressed);
    for (int m = 0; m < motions; m++) {
      double sum = 0;
      for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < n; i++)
          for (int j = 0; j < place[i].tangents; j++) {
            double t[6], lever = 0;
            wrench(t, place[i].p, place[i].t[j]);
            for (int k = 0; k < 6; k++) lever += t[k] * screw[m][k];
            if (fabs(lever) < 1e-12) continue;
            if (!pass) sum += fabs(lever) * load[i];
            const double beta = (lever < 0 ? -1 : 1) * along[m] * load[i] / sum;
            for (int k = 0; k < 6 && pass && sum > 0; k++) pressed[k] -= beta * t[k];
          }
      most[m] = mu * sum;
    }
    least(place, n, pressed, a);
    for (int i = 0; i < n; i++) load[i] = fabs(a[i][0]) + fabs(a[i][1]);
  }
}

// ---- one body on a joint of the world ---------------------------------------------------------------------

static const char one[] =
    "{\"mbsim\": 1, \"gravity\": [3, -4, -8], \"time\": {\"step\": 0.002, \"steps\": 1000}, \"bodies\": "
    "[{\"name\": "
    "\"limb\", \"mass\": 2, \"shape\": {\"type\": \"box\", \"size\": [0.1, 0.2, 0.5]}, \"joint\": %s}]}";

#define AT                                                                                                   \
  "\"in_parent\": {\"position\": [0.1, 0.2, 0.3], \"rotation\": {\"axis\": [1, 2, 3], \"angle\": 0.7}}, "    \
  "\"in_body\": {\"position\": [0.07, -0.05, 0.2], \"rotation\": {\"axis\": [3, -1, 1], \"angle\": 0.4}}"

typedef struct Kind {
  const char *joint;
  MbJointKind kind;
  double mu;
} Kind;

#define PIN_SIZE ", \"radius\": 0.03, \"length\": 0.08}, "
static const Kind kinds[] = {
    {"{\"type\": \"revolute\", \"velocity\": 0.7, \"friction\": {\"coefficient\": 0.3" PIN_SIZE AT "}",
     MB_JOINT_REVOLUTE, 0.3},
    {"{\"type\": \"revolute\", \"friction\": {\"coefficient\": 0.15" PIN_SIZE AT "}", MB_JOINT_REVOLUTE,
     0.15},
    {"{\"type\": \"revolute\", \"friction\": {\"coefficient\": 2" PIN_SIZE AT "}", MB_JOINT_REVOLUTE, 2},
    {"{\"type\": \"prismatic\", \"velocity\": -0.5, \"friction\": {\"coefficient\": 0.1, \"size\": [0.05, "
     "0.04, "
     "0.2]}, " AT "}",
     MB_JOINT_PRISMATIC, 0.1},
    {"{\"type\": \"prismatic\", \"friction\": {\"coefficient\": 0.9, \"size\": [0.05, 0.04, 0.2]}, " AT "}",
     MB_JOINT_PRISMATIC, 0.9},
    {"{\"type\": \"spherical\", \"velocity\": [0.5, -0.4, 0.3], \"friction\": {\"coefficient\": 0.4, "
     "\"radius\": "
     "0.04}, " AT "}",
     MB_JOINT_SPHERICAL, 0.4},
    {"{\"type\": \"spherical\", \"friction\": {\"coefficient\": 1.1, \"radius\": 0.06}, " AT "}",
     MB_JOINT_SPHERICAL, 1.1},
    {"{\"type\": \"cylindrical\", \"velocity\": [0.5, 0.2], \"friction\": {\"coefficient\": 0.1" PIN_SIZE AT
     "}",
     MB_JOINT_CYLINDRICAL, 0.1},
    {"{\"type\": \"universal\", \"velocity\": [0.5, -0.6], \"friction\": {\"coefficient\": 0.2" PIN_SIZE AT
     "}",
     MB_JOINT_UNIVERSAL, 0.2},
    {"{\"type\": \"universal\", \"friction\": {\"coefficient\": 0.9" PIN_SIZE AT "}", MB_JOINT_UNIVERSAL,
     0.9},
};

// At the rubbing frame E: what the joint did to the body over the step, and how it moved in the end.
static void observe(MbSim *sim, const double before[6], const double after[6], const double drift[6],
                    const MbPose *C, const MbPose *E, double w[6], double rate[6]) {
  const double *M = sim->model->M, h = sim->model->h;
  double r[6], P[6], turn[3], g[3], arm[3], torque[3], force[3];
  mb_quat_unrotate(g, C->q, sim->model->gravity);
  for (int k = 0; k < 6; k++) P[k] = M[k] * before[k];
  // in the body's axes: M φ̇ = ( I ω × ω + τ ; m v × ω + f ), explicit at the step's start
  for (int k = 0; k < 6; k++)
    r[k] = M[k] * ((after[k] - before[k]) / h + drift[k]) - (k > 2 ? M[k] * g[k - 3] : 0);
  mb_vec3_cross(turn, P, before);
  mb_vec3_sub(r, r, turn);
  mb_vec3_cross(turn, P + 3, before);
  mb_vec3_sub(r + 3, r + 3, turn);
  mb_quat_rotate(torque, C->q, r);
  mb_quat_rotate(force, C->q, r + 3);
  mb_vec3_sub(arm, C->p, E->p);
  mb_vec3_cross(turn, arm, force);
  mb_vec3_add(torque, torque, turn);
  mb_quat_unrotate(w, E->q, torque);
  mb_quat_unrotate(w + 3, E->q, force);
  double omega[3], v[3], back[3];
  mb_quat_rotate(omega, C->q, after);
  mb_quat_rotate(v, C->q, after + 3);
  mb_vec3_cross(back, omega, arm);
  mb_vec3_sub(v, v, back);
  mb_quat_unrotate(rate, E->q, omega);
  mb_quat_unrotate(rate + 3, E->q, v);
}

// The law of one motion: slipping, all of the friction is there and against the motion; else no more than that.
static void expect_law(const char *what, int64_t step, double rate, double along, double most, int *slips) {
  static const double STILL = 1e-9, CLOSE = 1e-6;
  cr_expect(fabs(along) <= most * (1 + CLOSE) + 1e-9, "%s, step %lld: %g of %g", what, (long long)step, along,
            most);
  if (fabs(rate) < STILL) return;
  (*slips)++;
  cr_expect(fabs(along + copysign(most, rate)) <= CLOSE * most, "%s, step %lld: slips at %g with %g of %g",
            what, (long long)step, rate, along, most);
}

static void check_kind(const Kind *kind, const char *solver, const char *integrator, int *slips,
                       int *sticks) {
  char text[2000];
  // where M and J change over a step the bodies' equations above are those of redmax
  snprintf(text, sizeof text, one, kind->joint);
  const char *const sets[] = {solver, integrator, NULL};
  TestRun run = test_run(text, sets);
  const MbConstraint *constraint = &run.model->constraints[0];
  double screw[3][6] = {{0}};
  Place place[16];
  memset(place, 0, sizeof place);
  for (int step = 0; step < 30; step++) {
    const MbPose C = run.sim->x.E[0];
    double before[6], after[6], drift[6], w[6], rate[6], along[3], most[3];
    MbPose E;
    memcpy(before, run.sim->x.phi, sizeof before);
    mb_joint_friction_frame(constraint, &run.sim->x, &E);
    run.sim->solver->drift(run.sim->work, drift); // J̇ v, which J (v⁺ − v) leaves out
    // velocities of the step at the coordinates that it began at
    double q[7], v[6];
    memcpy(q, run.sim->state.q, run.sim->nq * sizeof *q);
    test_steps(run.sim, 1);
    memcpy(v, run.sim->state.v, run.sim->nv * sizeof *v);
    mb_sim_kinematics(run.sim, q, v);
    memcpy(after, run.sim->x.phi, sizeof after);
    mb_sim_kinematics(run.sim, run.sim->state.q, run.sim->state.v);
    observe(run.sim, before, after, drift, &C, &E, w, rate);
    const double size[3] = {0.05, 0.04, 0.2};
    int motions = 1, n;
    memset(screw, 0, sizeof screw);
    switch (kind->kind) {
    case MB_JOINT_REVOLUTE:
      n = pin(place, 2, 0.03, 0.08, false);
      screw[0][2] = 1;
      break;
    case MB_JOINT_PRISMATIC:
      n = slide(place, size);
      screw[0][5] = 1;
      break;
    case MB_JOINT_SPHERICAL:
      n = ball(place, kind->mu > 1 ? 0.06 : 0.04);
      for (int k = 0; k < 3; k++) screw[k][k] = 1;
      motions = 3;
      break;
    case MB_JOINT_CYLINDRICAL:
      n = pin(place, 2, 0.03, 0.08, true);
      screw[0][2] = screw[1][5] = 1;
      motions = 2;
      break;
    default: // each pin of its own
      for (int k = 0; k < 2; k++) {
        n = pin(place, k, 0.03, 0.08, false);
        screw[0][k] = 1, screw[0][1 - k] = 0;
        bound(place, n, kind->mu, w, screw, 1, &w[k], most);
        expect_law(kind->joint, step, rate[k], w[k], most[0], slips);
        *sticks += fabs(rate[k]) < 1e-9;
      }
      continue;
    }
    for (int m = 0; m < motions; m++) {
      along[m] = 0;
      double speed = 0;
      for (int k = 0; k < 6; k++) along[m] += screw[m][k] * w[k], speed += screw[m][k] * rate[k];
      *sticks += fabs(speed) < 1e-9;
    }
    bound(place, n, kind->mu, w, screw, motions, along, most);
    for (int m = 0; m < motions; m++) {
      double speed = 0;
      for (int k = 0; k < 6; k++) speed += screw[m][k] * rate[k];
      expect_law(kind->joint, step, speed, along[m], most[m], slips);
    }
  }
  test_run_free(&run);
}

Test(joint_friction_long, every_kind_keeps_the_law_at_all_of_its_places) {
  int slips = 0, sticks = 0;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    for (size_t k = 0; k < 2; k++)
      for (size_t j = 0; j < 2; j++) check_kind(&kinds[i], solvers[k], integrators[j], &slips, &sticks);
  cr_expect_gt(slips, 300);
  cr_expect_gt(sticks, 100);
}

// What drives a thread along itself presses nothing: loads had rounding of 1e-5 of it in them, which no derivative outlives. And the loads of all else are those that make it.
Test(joint_friction, what_moves_a_joint_loads_none_of_its_places) {
  for (int i = 0; i < 100; i++) {
    const double radius = 0.02 + 0.001 * i, length = 0.15, lead = 0.003 * i - 0.1;
    const double z[3] = {0, 0, 1}, along[6] = {0, 0, radius * radius, 0, 0, lead},
                 across[6] = {0.3, -0.2, lead, 4, 5, -1}, still[MB_RUB_ROWS] = {0};
    const MbJointFrictionSpec spec = {.coefficient = 0.3, .radius = radius, .length = length};
    MbJointFriction own;
    double load[MB_RUB_PLACES] = {0}, sum = 0;
    int side[MB_RUB_PLACES][2];
    cr_assert(mb_joint_friction_make(&spec, MB_JOINT_SCREW, lead, z, &own));
    mb_joint_friction_loads(&own, along, still, load, side);
    for (int k = 0; k < own.places; k++) cr_expect_lt(load[k], 1e-15, "radius %g: %g", radius, load[k]);
    mb_joint_friction_loads(&own, across, still, load, side);
    for (int k = 0; k < own.places; k++) sum += load[k];
    cr_expect_gt(sum, 5);
  }
}

// ---- chains and loops -------------------------------------------------------------------------------------

#define RUBS  ", \"friction\": {\"coefficient\": 0.5, \"radius\": 0.04, \"length\": 0.1}"
#define HOLDS ", \"friction\": {\"coefficient\": 1.5, \"radius\": 0.06, \"length\": 0.1}"
static const char limb[] = "{\"mbsim\": 1, \"time\": {\"step\": 0.005, \"steps\": 12000}, \"bodies\": ["
                           "{\"name\": \"upper\", \"density\": 700, \"shape\": {\"type\": \"box\", \"size\": "
                           "[0.06, 0.06, 0.4]}, \"joint\": "
                           "{\"type\": \"spherical\", \"in_body\": {\"position\": [0, 0, 0.2]}, "
                           "\"position\": [0.1, 0.15, 0.2], \"friction\": "
                           "{\"coefficient\": 1.6, \"radius\": 0.05}}}, "
                           "{\"name\": \"lower\", \"density\": 700, \"shape\": {\"type\": \"box\", \"size\": "
                           "[0.05, 0.05, 0.3]}, \"joint\": "
                           "{\"type\": \"revolute\", \"parent\": \"upper\", \"axis\": [0, 1, 0], "
                           "\"in_parent\": {\"position\": [0, 0, -0.2]}, "
                           "\"in_body\": {\"position\": [0, 0, 0.15]}, \"position\": 0.2" HOLDS "}}, "
                           "{\"name\": \"hand\", \"density\": 700, \"shape\": {\"type\": \"box\", \"size\": "
                           "[0.04, 0.04, 0.1]}, \"joint\": "
                           "{\"type\": \"universal\", \"parent\": \"lower\", \"in_parent\": {\"position\": "
                           "[0, 0, -0.15]}, \"in_body\": "
                           "{\"position\": [0, 0, 0.05]}, \"position\": [0.1, -0.2]" HOLDS "}}]}";

Test(joint_friction_long, a_limb_that_it_holds_does_not_creep) {
  for (size_t k = 0; k < SOLVERS; k++) {
    const char *const sets[] = {solvers[k], NULL};
    TestRun run = test_run(limb, sets);
    double first[54], last[54];
    test_bodies(run.sim, first, 54);
    test_steps(run.sim, k == 0 || k == 2 ? 12000 : 400);
    test_bodies(run.sim, last, 54);
    for (size_t b = 0; b < 3; b++) test_near(solvers[k], last + 18 * b, first + 18 * b, 3, 1e-8);
    test_run_free(&run);
    // half of it lets go
    const char *const weak[] = {solvers[k], "/bodies/0/joint/friction/coefficient=0.3",
                                "/bodies/1/joint/friction/coefficient=0.1", NULL};
    run = test_run(limb, weak);
    test_steps(run.sim, 100);
    test_bodies(run.sim, last, 54);
    cr_expect_gt(test_distance(last, first, 54), 0.01);
    test_run_free(&run);
  }
}

Test(joint_friction, solvers_take_the_same_steps) {
  double at[SOLVERS][54];
  for (size_t k = 0; k < SOLVERS; k++) {
    const char *const sets[] = {solvers[k],
                                "/bodies/0/joint/friction/coefficient=0.2",
                                "/time/step=0.0005",
                                "/bodies/1/joint/friction/coefficient=0.1",
                                "/bodies/1/joint/velocity=2",
                                NULL};
    TestRun run = test_run(limb, sets);
    test_steps(run.sim, 400);
    test_bodies(run.sim, at[k], 54);
    const double *energy = test_channel(run.sim, "energy", NULL);
    cr_expect_lt(energy[4], -1e-3, "friction has done %g J", energy[4]);
    test_run_free(&run);
  }
  for (size_t k = 1; k < SOLVERS; k++)
    for (size_t b = 0; b < 3; b++)
      test_near(solvers[k], at[k] + 18 * b, at[0] + 18 * b, 3, k == 1 ? 1e-9 : 1e-3);
}

// A four-bar linkage in a plane, where loads are determined: out of it, which pin carries what would be the cut's choice. It is cut at its
// coupler's far end or at the rocker's foot, with places fixed in the second body. The same motion, the same friction in all four pins.
static const char four_bar[] =
    "{\"mbsim\": 1, \"time\": {\"step\": 0.0005, \"steps\": 2000}, \"solver\": {\"type\": \"redmax\", "
    "\"stabilization\": {\"type\": \"post\"}}, \"bodies\": ["
    "{\"name\": \"crank\", \"density\": 1000, \"shape\": {\"type\": \"box\", \"size\": [0.04, 0.03, 0.2]}, "
    "\"joint\": "
    "{\"type\": \"revolute\", \"axis\": [0, 1, 0], \"in_body\": {\"position\": [0, 0, -0.1]}, \"velocity\": "
    "3" RUBS "}}, {\"name\": \"coupler\", \"density\": 1000, \"shape\": {\"type\": \"box\", \"size\": [0.6, "
    "0.03, 0.04]}, "
    "\"joint\": {\"type\": \"revolute\", \"parent\": \"crank\", \"axis\": [0, 1, 0], \"in_parent\": "
    "{\"position\": [0, "
    "0, 0.1]}, \"in_body\": {\"position\": [-0.3, 0, 0]}" RUBS "}}, "
    "{\"name\": \"rocker\", \"density\": 1000, \"shape\": {\"type\": \"box\", \"size\": [0.04, 0.03, 0.2]}, "
    "\"joint\": "
    "%s}], \"constraints\": [{\"type\": \"joint\", \"name\": \"loop\", \"joint\": {\"type\": "
    "\"revolute\"" RUBS "}, \"axis\": [0, 1, 0], \"between\": [%s]}]}";
#define FOOT                                                                                                 \
  "{\"type\": \"revolute\", \"axis\": [0, 1, 0], \"in_parent\": {\"position\": [0.6, 0, 0]}, \"in_body\": "  \
  "{\"position\": [0, 0, -0.1]}, \"velocity\": 3" RUBS "}"
#define TOP                                                                                                  \
  "{\"type\": \"revolute\", \"parent\": \"coupler\", \"axis\": [0, 1, 0], \"in_parent\": {\"position\": "    \
  "[0.3, 0, 0]}, \"in_body\": {\"position\": [0, 0, 0.1]}, \"velocity\": 3" RUBS "}"
#define TOP_ENDS                                                                                             \
  "{\"body\": \"coupler\", \"frame\": {\"position\": [0.3, 0, 0]}}, {\"body\": \"rocker\", \"frame\": "      \
  "{\"position\": [0, 0, 0.1]}}"
#define FOOT_ENDS                                                                                            \
  "{\"body\": \"world\", \"frame\": {\"position\": [0.6, 0, 0]}}, {\"body\": \"rocker\", \"frame\": "        \
  "{\"position\": [0, 0, -0.1]}}"

Test(joint_friction_long, a_four_bar_linkage_moves_the_same_wherever_its_loop_is_cut) {
  static const char *const cuts[2][2] = {{FOOT, TOP_ENDS}, {TOP, FOOT_ENDS}};
  static const char *const held[] = {
      "/solver={\"type\": \"redmax\", \"stabilization\": {\"type\": \"post\"}}",
      "/solver={\"type\": \"maximal\", \"stabilization\": {\"type\": \"post\"}}"};
  double crank[2][2], work[2][2];
  for (int cut = 0; cut < 2; cut++)
    for (int solver = 0; solver < 2; solver++) {
      char text[4000];
      snprintf(text, sizeof text, four_bar, cuts[cut][0], cuts[cut][1]);
      // the coupler does not turn, and the rocker at its end turns back as far as it is carried
      const char *const sets[] = {held[solver], "/bodies/1/joint/velocity=-3", NULL};
      TestRun run = test_run(text, sets);
      test_steps(run.sim, 600);
      crank[cut][solver] = test_channel(run.sim, "joint.position", NULL)[0];
      work[cut][solver] = test_channel(run.sim, "energy", NULL)[4];
      cr_expect_lt(work[cut][solver], -1e-3);
      test_run_free(&run);
    }
  // solver "maximal" asks for the mean of a step, from its first one on
  test_near("crank", &crank[1][0], &crank[0][0], 1, 1e-4);
  test_near("friction's work", &work[1][0], &work[0][0], 1, 1e-3 * fabs(work[0][0]));
  for (int cut = 0; cut < 2; cut++) test_near("crank", &crank[cut][1], &crank[0][0], 1, 1e-3);
}

Test(joint_friction, a_run_that_is_resumed_goes_on_bit_for_bit) {
  for (size_t k = 0; k < SOLVERS; k++) {
    const char *const sets[] = {solvers[k], "/bodies/1/joint/velocity=3", NULL};
    TestRun first = test_run(limb, sets), other = test_run(limb, sets);
    test_resumes(first.sim, other.sim, 20, 30, solvers[k]);
    test_run_free(&first);
    test_run_free(&other);
  }
}

Test(joint_friction, steps_do_not_allocate) {
  TestRun run = test_run(limb, NULL);
  test_steps(run.sim, 1);
  const int64_t before = mb_alloc_calls();
  test_steps(run.sim, 50);
  cr_expect_eq(mb_alloc_calls(), before);
  test_run_free(&run);
}

static void refused(const char *set, const char *where, const char *text) {
  MbReport report = {0};
  const char *const sets[] = {set, NULL};
  cr_assert_eq(test_try(limb, sets, 0, &report), MB_SCENE, "%s", set);
  bool found = false;
  for (int i = 0; i < report.kept; i++)
    found |= !strcmp(report.issues[i].where, where) && strstr(report.issues[i].text, text);
  cr_expect(found, "%s: %s", report.issues[0].where, report.issues[0].text);
}

Test(joint_friction, what_makes_no_sense_is_refused_by_name) {
  static const char where[] = "/bodies/0/joint/friction";
  refused("/bodies/0/joint/friction={\"coefficient\": 1, \"radius\": 1, \"length\": 2}", where,
          "friction inside a \"spherical\" joint takes a \"radius\", and no more");
  refused("/bodies/1/joint/friction={\"coefficient\": 1, \"radius\": 1}", "/bodies/1/joint/friction",
          "takes a \"radius\" and a \"length\"");
  refused("/bodies/0/joint={\"type\": \"planar\", \"friction\": {\"coefficient\": 1, \"radius\": 1}}", where,
          "a \"planar\" joint has no friction inside it");
  refused("/bodies/0/joint={\"type\": \"prismatic\", \"axis\": [1, 1, 0], \"friction\": {\"coefficient\": 1, "
          "\"size\": "
          "[1, 1, 1]}}",
          where, "is none of these");
  refused("/integrator=\"bridson_marino\"", where, "\"bridson_marino\" takes no dry friction");
}

// Before somebody pulls at it and after that it stays.
Test(joint_friction, a_desk_lamp_stays_where_it_is_left) {
  TestRun run = test_run("desk_lamp", NULL);
  double start[72], pulled[72], before[72], after[72];
  test_bodies(run.sim, start, 72);
  test_steps(run.sim, 500);
  test_bodies(run.sim, before, 72);
  test_steps(run.sim, 500);
  test_bodies(run.sim, pulled, 72);
  test_steps(run.sim, 500);
  test_bodies(run.sim, after, 72);
  cr_expect_lt(test_distance(before, start, 72), 1e-8);
  cr_expect_gt(test_distance(pulled, before, 72), 0.1);
  cr_expect_lt(test_distance(after, pulled, 72), 1e-8);
  test_run_free(&run);
}

// ---- passes that do not come to an end by themselves -------------------------------------------------------

// A body that turns and slides on a shaft and has another one on a pin: what the pin rubs with loads the shaft, and passes go round.
static const char going_round[] =
    "{\"mbsim\": 1, \"gravity\": [-2.21, -1.51, -4.35], \"solver\": \"redmax\", \"integrator\": "
    "\"symplectic\", "
    "\"time\": {\"step\": 0.0001, \"steps\": 4}, \"bodies\": [{\"name\": \"b0\", \"mass\": 1.39, \"shape\": "
    "{\"type\": "
    "\"box\", \"size\": [0.496, 0.275, 0.343]}, \"joint\": {\"type\": \"cylindrical\", \"in_parent\": "
    "{\"position\": [-0.062, 0.167, -0.229], \"rotation\": {\"axis\": [0.36, 2.12, -0.488], \"angle\": "
    "1.22}}, \"in_body\": {\"position\": [0.079, -0.21, 0.0308], \"rotation\": {\"axis\": [0.605, -0.309, "
    "-0.515], \"angle\": 0.607}}, \"friction\": {\"coefficient\": 0.755, \"radius\": 0.0688, \"length\": "
    "0.14}, \"position\": [-0.302, -0.13], \"velocity\": [-0.924, -1.43], \"force\": [1.17, 0.675], "
    "\"axis\": [1, 0, 0]}}, {\"name\": \"b1\", \"mass\": 1.74, \"shape\": {\"type\": \"box\", \"size\": "
    "[0.282, "
    "0.294, 0.275]}, \"joint\": {\"type\": \"revolute\", \"in_parent\": {\"position\": [0.103, -0.138, "
    "0.0745], \"rotation\": {\"axis\": [-1.15, -0.809, 0.0778], \"angle\": -0.982}}, \"in_body\": "
    "{\"position\": [-0.227, 0.3, -0.133], \"rotation\": {\"axis\": [0.437, 0.402, -1.29], \"angle\": "
    "0.344}}, \"friction\": {\"coefficient\": 0.484, \"radius\": 0.135, \"length\": 0.177}, \"position\": "
    "[-0.0598], \"velocity\": [-0.0435], \"force\": [1.6], \"axis\": [0, 1, 0], \"parent\": \"b0\"}}], "
    "\"output\": {\"channels\": [\"joint.position\", \"joint.velocity\"]}}";
// A slide whose load is far beside it, which jams: friction grows from pass to pass until it holds.
static const char jamming[] =
    "{\"mbsim\": 1, \"gravity\": [-0.146, -2.58, 0.429], \"solver\": \"redmax\", \"integrator\": "
    "\"symplectic\", "
    "\"time\": {\"step\": 0.002, \"steps\": 4}, \"bodies\": [{\"name\": \"b0\", \"mass\": 2.17, \"shape\": "
    "{\"type\": "
    "\"box\", \"size\": [0.36, 0.475, 0.109]}, \"joint\": {\"type\": \"prismatic\", \"in_parent\": "
    "{\"position\": "
    "[-0.158, -0.298, -0.0774], \"rotation\": {\"axis\": [-0.0927, -0.326, -0.194], \"angle\": 1.18}}, "
    "\"in_body\": {\"position\": [-0.161, -0.16, -0.275], \"rotation\": {\"axis\": [1.64, -0.0251, 0.978], "
    "\"angle\": -1.86}}, \"friction\": {\"coefficient\": 0.526, \"size\": [0.17, 0.104, 0.248]}, "
    "\"position\": "
    "[-0.137], \"velocity\": [-2.36], \"force\": [-1.96], \"axis\": [0, 1, 0]}}], \"output\": {\"channels\": "
    "[\"joint.position\", \"joint.velocity\"]}}";

static double missed(const MbSim *sim) { return mb_section(sim, MB_SECTION_TOLD)[MB_SOLVED_MISSED]; }

// The rates of the first step are those of the one way to slip that keeps the law at all places, which every way to slip or stick, taken
// in turn, comes to.
Test(joint_friction, passes_that_go_round_or_away_come_to_the_law) {
  static const double rates[] = {-0.923032211, -1.425858415, -0.034851356};
  for (size_t k = 0; k < SOLVERS; k++) {
    const char *const sets[] = {solvers[k], NULL};
    TestRun run = test_run(going_round, sets);
    test_steps(run.sim, 1);
    if (k < 2) test_near(solvers[k], test_channel(run.sim, "joint.velocity", NULL), rates, 3, 2e-9);
    test_steps(run.sim, 3);
    cr_expect_eq(missed(run.sim), 0, "%s: %g steps missed", solvers[k], missed(run.sim));
    test_run_free(&run);
    run = test_run(jamming, sets);
    test_steps(run.sim, 4);
    cr_expect_eq(missed(run.sim), 0, "%s: %g steps missed", solvers[k], missed(run.sim));
    cr_expect_lt(fabs(test_channel(run.sim, "joint.velocity", NULL)[0]), 1e-9);
    test_run_free(&run);
  }
}

// ---- beside contacts ----------------------------------------------------------------------------------------

// A crane on the ground, whose arm falls against the friction of its pin while a ball comes down on it.
static const char crane[] =
    "{\"mbsim\": 1, \"time\": {\"step\": 0.002, \"duration\": 1}, \"contact\": {\"friction\": 0.5}, "
    "\"bodies\": ["
    "{\"name\": \"ground\", \"shape\": {\"type\": \"plane\"}, \"joint\": {\"type\": \"fixed\"}},"
    "{\"name\": \"base\", \"shape\": {\"type\": \"box\", \"size\": [0.6, 0.6, 0.2]}, \"density\": 1000, "
    "\"pose\": "
    "{\"position\": [0, 0, 0.1]}},"
    "{\"name\": \"arm\", \"shape\": {\"type\": \"box\", \"size\": [0.6, 0.05, 0.05]}, \"density\": 500, "
    "\"joint\": "
    "{\"type\": \"revolute\", \"axis\": [0, 1, 0], \"parent\": \"base\", \"in_parent\": {\"position\": [0, "
    "0, "
    "0.6]}, \"in_body\": {\"position\": [-0.3, 0, 0]}, \"friction\": {\"coefficient\": 0.5, \"radius\": "
    "0.05, "
    "\"length\": 0.1}}},"
    "{\"name\": \"ball\", \"shape\": {\"type\": \"sphere\", \"radius\": 0.1}, \"density\": 500, \"pose\": "
    "{\"position\": [0.2, 0, 1.2]}}]}";

// Passes for the pins' loads go around whichever method solves a pass: of staggered ones both turns are projections.
Test(joint_friction_long, every_method_solves_it_beside_contacts, TEST_LONG) {
  static const char *const ways[] = {"/contact/method=\"auto\"", "/contact/method=\"staggered\"",
                                     "/contact/method=\"gauss_seidel\"", "/contact/method=\"admm\"",
                                     "/contact/method=\"nonsmooth_newton\""};
  double is[72], wanted[72], loose[72];
  for (size_t s = 0; s < SOLVERS; s += 2)
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
      const char *const sets[] = {solvers[s], ways[w], NULL};
      TestRun run = test_run(crane, sets);
      test_steps(run.sim, 400);
      cr_assert_gt(run.sim->touching->last.n, 4);
      test_bodies(run.sim, w ? is : wanted, 72);
      if (w) test_near(ways[w], is, wanted, 72, 1e-5);
      test_run_free(&run);
    }
  const char *const none[] = {solvers[SOLVERS - 1], "/bodies/2/joint/friction/coefficient=0", NULL};
  TestRun run = test_run(crane, none);
  test_steps(run.sim, 400);
  test_bodies(run.sim, loose, 72);
  cr_expect_gt(test_distance(loose, wanted, 72), 0.05, "the pin's friction makes no difference");
  test_run_free(&run);
}
