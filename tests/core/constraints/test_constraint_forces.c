// Channel constraint.force tells what a constraint does to its first end: of every kind against statics, as scenes say them
// and with the ends in both orders, and row by row against the wrenches that the multipliers make of random places.
#include "core/base/alloc.h"
#include "tests/core/constraints/constraint_own.h"
#include "core/joints/joints.h"
#include "tests/runs.h"
#include "tests/trees.h"

#include <stdio.h>
#include <string.h>

// ---- at rest ----------------------------------------------------------------------------------------------

// What hangs from the world, or is pushed, at rest: the numbers of its constraints.
typedef struct Rest {
  int kind; // in the table; −1: beside it
  const char *what, *constraint, *joint, *more;
  size_t n;
  double wanted[6];
} Rest;

#define MG                    (2 * 9.81)
#define WORLD                 "{\"body\": \"world\"}"
#define BODY                  "{\"body\": \"m\"}"
#define ABOVE                 "{\"body\": \"world\", \"at\": [0, 0, 1]}"
#define FROM(first_, second_) "\"between\": [" first_ ", " second_ "]"
#define SLIDE                 "\"joint\": {\"type\": \"prismatic\""
static const Rest rests[] = {
    {MB_CONSTRAINT_POINT, "point, the body first", FROM(BODY, WORLD), "", "", 3, {0, 0, MG}},
    {MB_CONSTRAINT_POINT, "point, the world first", FROM(WORLD, BODY), "", "", 3, {0, 0, -MG}},
    {MB_CONSTRAINT_DISTANCE, "distance", FROM(BODY, ABOVE), "", "", 1, {MG}},
    {MB_CONSTRAINT_DISTANCE, "distance, the world first", FROM(ABOVE, BODY), "", "", 1, {MG}},
    {MB_CONSTRAINT_DISTANCE,
     "strut",
     FROM(BODY, "{\"body\": \"world\", \"at\": [0, 0, -1]}"),
     "",
     "",
     1,
     {-MG}},
    {MB_CONSTRAINT_DISTANCE, "rope", FROM(BODY, ABOVE) ", \"rope\": true", "", "", 1, {MG}},
    {MB_CONSTRAINT_DISTANCE, "rope, the world first", FROM(ABOVE, BODY) ", \"rope\": true", "", "", 1, {MG}},
    {MB_CONSTRAINT_ON_LINE,
     "line of the body",
     FROM(BODY, WORLD) ", \"axis\": [1, 0, 0]",
     "",
     "",
     2,
     {-MG, 0}},
    {MB_CONSTRAINT_ON_LINE,
     "line of the world",
     FROM(WORLD, BODY) ", \"axis\": [1, 0, 0]",
     "",
     "",
     2,
     {MG, 0}},
    {MB_CONSTRAINT_ON_PLANE, "plane of the body", FROM(BODY, WORLD), "", "", 1, {MG}},
    {MB_CONSTRAINT_ON_PLANE, "plane of the world", FROM(WORLD, BODY), "", "", 1, {-MG}},
    {MB_CONSTRAINT_JOINT,
     "fixed, the body first",
     "\"joint\": \"fixed\", " FROM(BODY, WORLD),
     "",
     ", \"forces\": [{\"type\": \"wrench\", \"body\": \"m\", \"force\": [3, 4, 0], \"torque\": [5, 6, 7]}]",
     6,
     {-3, -4, MG, -7, -5, -6}},
    {MB_CONSTRAINT_JOINT,
     "fixed, the world first",
     "\"joint\": \"fixed\", " FROM(WORLD, BODY),
     "",
     ", \"forces\": [{\"type\": \"wrench\", \"body\": \"m\", \"force\": [3, 4, 0], \"torque\": [5, 6, 7]}]",
     6,
     {3, 4, -MG, 7, 5, 6}},
    {MB_CONSTRAINT_JOINT,
     "hinge, the body first",
     "\"joint\": \"revolute\", " FROM(BODY, WORLD),
     "",
     ", \"forces\": [{\"type\": \"wrench\", \"body\": \"m\", \"torque\": [5, 6, 0]}]",
     5,
     {0, 0, MG, -6, -5}},
    {MB_CONSTRAINT_JOINT,
     "hinge, the world first",
     "\"joint\": \"revolute\", " FROM(WORLD, BODY),
     "",
     ", \"forces\": [{\"type\": \"wrench\", \"body\": \"m\", \"torque\": [5, 6, 0]}]",
     5,
     {0, 0, -MG, 6, 5}},
    {MB_CONSTRAINT_JOINT,
     "composite, the body first",
     "\"joint\": {\"type\": \"composite\", \"joints\": [{\"type\": \"prismatic\", \"axis\": [1, 0, "
     "0]}]}, " FROM(BODY, WORLD),
     "",
     ", \"forces\": [{\"type\": \"wrench\", \"body\": \"m\", \"force\": [0, 4, 0], \"torque\": [5, 6, 7]}]",
     5,
     {-5, -6, -7, -4, MG}},
    {MB_CONSTRAINT_JOINT,
     "composite, the world first",
     "\"joint\": {\"type\": \"composite\", \"joints\": [{\"type\": \"prismatic\", \"axis\": [1, 0, "
     "0]}]}, " FROM(WORLD, BODY),
     "",
     ", \"forces\": [{\"type\": \"wrench\", \"body\": \"m\", \"force\": [0, 4, 0], \"torque\": [5, 6, 7]}]",
     5,
     {5, 6, 7, 4, -MG}},
    {MB_CONSTRAINT_ROLLING, "rolling", "\"body\": \"m\", \"at\": [0, 0, -0.5]", "", "", 3, {MG, 0, 0}},
    // the wheel "w" is held by a torque of −3 on it, which −½ of it on m balances
    {MB_CONSTRAINT_RATIO,
     "ratio",
     "\"joints\": [\"m\", \"w\"], \"ratio\": 0.5",
     SLIDE "}",
     ", \"forces\": [{\"type\": \"wrench\", \"body\": \"w\", \"torque\": [0, 0, \"=2*mg\"]}]",
     1,
     {MG}},
    {-1, "lower limit", NULL, SLIDE ", \"limits\": [0, null]}", "", 1, {MG}},
    {-1, "upper limit", NULL, SLIDE ", \"limits\": [null, 0], \"axis\": [0, 0, -1]}", "", 1, {-MG}},
    {-1, "motion of a joint", NULL, SLIDE ", \"motion\": {\"position\": 0}}", "", 1, {MG}},
    {-1,
     "motion of a body",
     NULL,
     "\"motion\": {\"pose\": {\"position\": [0, 0, 0]}}",
     "",
     6,
     {0, 0, 0, 0, 0, MG}},
};

static void check_rest(const Rest *rest, const char *solver) {
  char text[2000], constraint[600] = "";
  const bool wheel = rest->kind == MB_CONSTRAINT_RATIO;
  if (rest->constraint)
    snprintf(constraint, sizeof constraint, ", \"constraints\": [{\"type\": \"%s\", %s}]",
             mb_constraint_words[rest->kind], rest->constraint);
  snprintf(text, sizeof text,
           "{\"mbsim\": 1, \"parameters\": {\"mg\": %.17g}, \"time\": {\"step\": 0.001, \"steps\": 5}, "
           "\"integrator\": \"trapezoidal\", \"solver\": \"%s\", \"bodies\": [{\"name\": \"m\", \"shape\": "
           "{\"type\": \"sphere\", \"radius\": 0.5}, \"mass\": 2%s%s}%s]%s%s, "
           "\"output\": {\"channels\": [\"constraint.force\"]}}",
           MG, solver, *rest->joint ? ", " : "", rest->joint,
           wheel ? ", {\"name\": \"w\", \"shape\": {\"type\": \"sphere\", \"radius\": 0.5}, \"mass\": 2, "
                   "\"joint\": {\"type\": \"revolute\"}}"
                 : "",
           constraint, rest->more);
  TestRun run = test_run(text, NULL);
  test_steps(run.sim, 2);
  size_t n = 0;
  const double *found = test_channel(run.sim, "constraint.force", &n);
  char what[120];
  snprintf(what, sizeof what, "%s under %s", rest->what, solver);
  cr_expect_eq(n, rest->n, "%s: %zu numbers", what, n);
  test_near(what, found, rest->wanted, rest->n, 1e-2);
  test_run_free(&run);
}

Test(constraint_forces, constraints_tell_what_they_do_to_their_first_end) {
  bool seen[MB_CONSTRAINTS] = {[MB_CONSTRAINT_VELOCITY_RATIO] = true}; // below: it holds nothing at rest
  for (size_t i = 0; i < sizeof rests / sizeof *rests; i++) {
    if (rests[i].kind >= 0) seen[rests[i].kind] = true;
    check_rest(&rests[i], "redmax");
    check_rest(&rests[i], "maximal");
  }
  for (int kind = 0; kind < MB_CONSTRAINTS; kind++)
    cr_expect(seen[kind], "no scene has a \"%s\"", mb_constraint_words[kind]);
  cr_assert_eq(mb_alloc_live(), 0);
}

// Two wheels of inertia 1, b three times as fast as a, on which acts a torque of 5: 5 + 3 λ = α, −λ = 3 α.
Test(constraint_forces, a_wheel_that_drives_another_feels_the_torque_that_is_told) {
  TestRun run = test_run("{\"mbsim\": 1, \"time\": {\"step\": 0.001, \"steps\": 5}, \"gravity\": [0, 0, 0], "
                         "\"bodies\": [{\"name\": \"a\", "
                         "\"inertia\": {\"mass\": 1, \"matrix\": [1, 1, 1, 0, 0, 0]}}, {\"name\": \"b\", "
                         "\"inertia\": {\"mass\": 1, "
                         "\"matrix\": [1, 1, 1, 0, 0, 0]}}], \"forces\": [{\"type\": \"wrench\", \"body\": "
                         "\"a\", \"torque\": [0, 5, 0]}], "
                         "\"constraints\": [{\"type\": \"velocity_ratio\", \"bodies\": [\"a\", \"b\"], "
                         "\"axes\": [[0, 1, 0], [1, 0, 0]], "
                         "\"ratio\": 3}], \"output\": {\"channels\": [\"constraint.force\"]}}",
                         NULL);
  test_steps(run.sim, 5);
  test_near("torque", test_channel(run.sim, "constraint.force", NULL), &(double){-4.5}, 1, 1e-9);
  test_near("spin", run.sim->x.phi + 1, &(double){0.5 * 0.005}, 1, 1e-12);
  test_run_free(&run);
}

// ---- anywhere ---------------------------------------------------------------------------------------------

// The direction in W in which the first end is drawn by row k of two points, n; its numbers are forces, except of what turns.
static bool direction_of(MbConstraintKind kind, const MbConstraint *constraint, size_t k, const MbMaximal *x,
                         double n[3]) {
  const MbPoint A = mb_constraint_point(constraint, 0, x), B = mb_constraint_point(constraint, 1, x);
  int axis = -1;
  switch (kind) {
  case MB_CONSTRAINT_POINT:
    mb_vec3_set(n, k == 0, k == 1, k == 2);
    return true;
  case MB_CONSTRAINT_DISTANCE:
    mb_vec3_sub(n, B.p, A.p);
    mb_vec3_scale(n, 1 / mb_vec3_norm(n), n);
    return true;
  case MB_CONSTRAINT_JOINT: // spherical: all three ways
  case MB_CONSTRAINT_ON_LINE:
    axis = (int)k;
    break;
  case MB_CONSTRAINT_ON_PLANE:
    axis = 2;
    break;
  case MB_CONSTRAINT_ROLLING: { // of the plane, which is the second end's
    const MbPoint d = mb_constraint_axis(constraint, 1, (int)(k + 2) % 3, x);
    mb_vec3_copy(n, d.p);
    return true;
  }
  case MB_CONSTRAINT_RATIO:
  case MB_CONSTRAINT_VELOCITY_RATIO:
  default:
    return false;
  }
  const MbPoint a = mb_constraint_axis(constraint, 0, axis, x);
  mb_vec3_copy(n, a.p);
  return true;
}

static MbConstraint between(MbConstraintKind kind, uint64_t *seed) {
  MbConstraint constraint = {.ops = mb_constraint_table[kind], .rows = mb_constraint_table[kind]->rows};
  for (int end = 0; end < 2; end++) {
    double q[4];
    constraint.body[end] = (size_t)end;
    constraint.q[end] = constraint.v[end] = (size_t)end;
    for (int i = 0; i < 3; i++) constraint.at[end][i] = test_around_zero(seed);
    for (int i = 0; i < 4; i++) q[i] = test_around_zero(seed);
    mb_quat_normalise(q);
    mb_quat_to_mat3(constraint.R[end], q);
  }
  static TestOwn own;
  test_own(&constraint, &own, 0.5, 3 * test_around_zero(seed), 0, 1, (double[]){0.3, 0.3, 0.3});
  if (kind == MB_CONSTRAINT_JOINT) {
    own.closure.joint = MB_JOINT_SPHERICAL;
    constraint.rows = mb_closure_rows(MB_JOINT_SPHERICAL);
  }
  constraint.unilateral = test_random(seed) < 0.5;
  return constraint;
}

// With 1 in the channel the multiplier is 1/felt, and the wrench on the first end Hᵀ λ.
static void check_row(const MbConstraint *constraint, MbConstraintKind kind, size_t k, const MbRow *row,
                      const MbMaximal *x) {
  const double lambda = 1 / (constraint->ops->felt ? constraint->ops->felt(constraint) : 1);
  const char *what = mb_constraint_words[kind];
  double n[3], first[3], second[3];
  if (constraint->ops->coordinates) {
    test_near(what, &(double){row->c[0] * lambda}, &(double){1}, 1, 1e-14);
    return;
  }
  if (!direction_of(kind, constraint, k, x, n)) { // turns: the torque on the first body is along its axis
    const double axis[3] = {constraint->R[0][2], constraint->R[0][5], constraint->R[0][8]};
    mb_vec3_scale(first, lambda, row->H[0]);
    test_near(what, first, axis, 3, 1e-12);
    return;
  }
  mb_quat_rotate(first, x->E[constraint->body[0]].q, row->H[0] + 3);
  mb_quat_rotate(second, x->E[constraint->body[1]].q, row->H[1] + 3);
  mb_vec3_scale(first, lambda, first);
  mb_vec3_scale(second, -lambda, second);
  test_near(what, first, n, 3, 1e-12);
  test_near(what, second, n, 3, 1e-12);
}

Test(constraint_forces, of_every_kind_the_wrench_on_the_first_end_is_what_is_told) {
  uint64_t seed = 5;
  for (int round = 0; round < 20; round++) {
    MbPose E[2];
    double phi[12] = {0}, q[2] = {0.1, 0.2}, v[2] = {0};
    for (int b = 0; b < 2; b++) {
      for (int i = 0; i < 3; i++) E[b].p[i] = test_around_zero(&seed);
      for (int i = 0; i < 4; i++) E[b].q[i] = test_around_zero(&seed);
      mb_quat_normalise(E[b].q);
    }
    const MbMaximal x = {.nb = 2, .E = E, .phi = phi};
    const MbInstant at = {.x = &x, .q = q, .v = v};
    for (int kind = 0; kind < MB_CONSTRAINTS; kind++) {
      const MbConstraint constraint = between((MbConstraintKind)kind, &seed);
      MbRow row[MB_ROWS] = {0};
      constraint.ops->eval(&constraint, &at, row);
      for (size_t k = 0; k < constraint.rows; k++)
        check_row(&constraint, (MbConstraintKind)kind, k, &row[k], &x);
    }
  }
}
