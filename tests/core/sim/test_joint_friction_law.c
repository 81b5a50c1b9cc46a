// Friction inside joints: what a step has done is checked by a second implementation, which knows neither rows nor trees: every place by
// itself, Newton's and Euler's equations of the one body that hangs on the joint, and the law of friction in the end.
#include "core/constraints/joint_friction.h"
#include "core/sim/evaluate.h"
#include "tests/runs.h"

#include <stdio.h>
#include <string.h>

static const char *const trees[] = {"/solver={\"type\": \"redmax\", \"dynamics\": \"recursive\"}",
                                    "/solver={\"type\": \"redmax\", \"dynamics\": \"dense\"}"};
static const char *const integrators[] = {"/integrator=\"implicit\"", "/integrator=\"symplectic\""};

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

Test(joint_friction_law_long, every_kind_keeps_the_law_at_all_of_its_places) {
  int slips = 0, sticks = 0;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    for (size_t k = 0; k < 2; k++)
      for (size_t j = 0; j < 2; j++) check_kind(&kinds[i], trees[k], integrators[j], &slips, &sticks);
  cr_expect_gt(slips, 300);
  cr_expect_gt(sticks, 100);
}

// What drives a thread along itself presses nothing: loads had rounding of 1e-5 of it in them, which no derivative outlives. And the loads of all else are those that make it.
Test(joint_friction_law, what_moves_a_joint_loads_none_of_its_places) {
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
