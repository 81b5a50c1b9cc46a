// H, c, ġ_t and g̈_t of every row of the constraints' table, of limits and of motions, against central differences along
// random motions of bodies on joints and free in space.
#include "tests/core/constraints/constraint_own.h"
#include "core/joints/joints.h"
#include "core/model/coordinates.h"
#include "tests/support.h"
#include "tests/trees.h"

#include <stdio.h>
#include <string.h>

enum { LONGEST = 300 }; // numbers of a forest's coordinates

typedef struct Moment {
  MbRow row[MB_ROWS];
  double rate[MB_ROWS], drift[MB_ROWS]; // ġ, and H J̇ v + g̈_t
} Moment;

static double guess[MB_JOINT_DOFS]; // where a joint's coordinates are looked for

// Rows where the bodies are after s seconds of velocities v, which stay.
static Moment at(MbSim *sim, const MbConstraint *constraint, const double *v, double s) {
  static double q[LONGEST], drift[6 * LONGEST];
  double signal[18];
  for (int i = 0; i < 6; i++) {
    const double phase = 2 * (0.3 + s) + i;
    signal[3 * i] = sin(phase), signal[3 * i + 1] = 2 * cos(phase), signal[3 * i + 2] = -4 * sin(phase);
  }
  Moment m = {0};
  cr_assert(sim->nq <= LONGEST && sim->model->nb <= LONGEST);
  memcpy(q, sim->state.q, sim->nq * sizeof *q);
  mb_coordinates_advance(sim->model, q, s, v, 0, sim->model->nb);
  mb_sim_kinematics(sim, q, v);
  sim->solver->drift(sim->work, drift);
  static double found[MB_JOINT_DOFS];
  const MbInstant instant = {.x = &sim->x, .q = q, .v = v, .signal = signal, .guess = guess, .found = found};
  for (size_t k = 0; k < MB_ROWS; k++) m.row[k].body[0] = m.row[k].body[1] = MB_WORLD;
  constraint->ops->eval(constraint, &instant, m.row);
  for (size_t k = 0; k < constraint->rows; k++) {
    const MbRow *row = &m.row[k];
    m.rate[k] = row->gt, m.drift[k] = row->gtt;
    for (int end = 0; end < 2; end++) {
      m.rate[k] += row->c[end] * v[row->v[end]];
      for (size_t i = 0; i < 6 && row->body[end] != MB_WORLD; i++) {
        m.rate[k] += row->H[end][i] * sim->x.phi[6 * row->body[end] + i];
        m.drift[k] += row->H[end][i] * drift[6 * row->body[end] + i];
      }
    }
  }
  return m;
}

static void check(MbSim *sim, const MbConstraint *constraint, const char *what) {
  static const double E = 1e-5; // truncation E² times third derivatives, rounding 1e-16/E
  const double *v = sim->state.v;
  const Moment here = at(sim, constraint, v, 0), before = at(sim, constraint, v, -E),
               after = at(sim, constraint, v, E);
  for (size_t k = 0; k < constraint->rows; k++) {
    const double rate = (after.row[k].g - before.row[k].g) / (2 * E);
    const double bend = (after.rate[k] - before.rate[k]) / (2 * E);
    char text[80];
    snprintf(text, sizeof text, "%s, row %zu: ġ", what, k);
    if (here.row[k].order == 0) test_near(text, &here.rate[k], &rate, 1, 1e-7 * (1 + fabs(rate)));
    snprintf(text, sizeof text, "%s, row %zu: g̈", what, k);
    if (here.row[k].order < 2) test_near(text, &here.drift[k], &bend, 1, 1e-6 * (1 + fabs(bend)));
    cr_assert_gt(here.row[k].size, 0);
  }
}

// How H changes by a motion of one of the two bodies, of rows that tell it, beside differences.
static size_t bends; // that were looked at
static void check_bend(MbSim *sim, const MbConstraint *constraint, const char *what) {
  static const double E = 1e-5;
  const MbInstant instant = {.x = &sim->x, .q = sim->state.q, .v = sim->state.v};
  MbRowBend bend[MB_ROWS] = {0};
  if (!constraint->ops->bend || constraint->body[0] == constraint->body[1]) return;
  mb_sim_kinematics(sim, sim->state.q, sim->state.v);
  constraint->ops->bend(constraint, &instant, bend);
  for (int by = 0; by < 2; by++)
    for (size_t along = 0; along < 6 && constraint->body[by] != MB_WORLD; along++) {
      MbRow row[2][MB_ROWS];
      MbPose *pose = &sim->x.E[constraint->body[by]], moved;
      const MbPose here = *pose;
      memset(row, 0, sizeof row);
      for (int side = 0; side < 2; side++) {
        double move[6] = {0};
        move[along] = side ? E : -E;
        mb_se3_exp(&moved, move);
        mb_pose_mul(pose, &here, &moved);
        constraint->ops->eval(constraint, &instant, row[side]);
      }
      *pose = here;
      for (size_t k = 0; k < constraint->rows; k++)
        for (int end = 0; end < 2; end++)
          for (size_t i = 0; i < 6; i++, bends++) {
            const double by_differences = (row[1][k].H[end][i] - row[0][k].H[end][i]) / (2 * E);
            test_near(what, &bend[k].by[end][by][6 * i + along], &by_differences, 1, 1e-8);
          }
    }
}

static TestOwn own; // of the constraint that was made last

static MbConstraint random_ends(const MbSim *sim, const MbConstraintOps *ops, int round, uint64_t *seed) {
  const size_t nb = sim->model->nb;
  MbConstraint constraint = {.ops = ops, .rows = ops->rows};
  for (int end = 0; end < 2; end++) {
    double q[4];
    constraint.body[end] = round % 3 == end ? MB_WORLD : (size_t)(test_random(seed) * (double)nb);
    constraint.v[end] = constraint.q[end] = end ? 0 : 1; // of the first body, which has a joint
    for (int i = 0; i < 3; i++) constraint.at[end][i] = 2 * test_around_zero(seed);
    for (int i = 0; i < 4; i++) q[i] = test_around_zero(seed);
    mb_quat_normalise(q);
    mb_quat_to_mat3(constraint.R[end], q);
  }
  double radii[3];
  for (int i = 0; i < 3; i++) radii[i] = round % 2 && i == 2 ? 0 : 0.3 + 0.2 * i * (round % 3);
  const double length = 0.5 + test_random(seed), ratio = 3 * test_around_zero(seed);
  const double offset = test_around_zero(seed), sign = test_random(seed) < 0.5 ? 1 : -1;
  test_own(&constraint, &own, length, ratio, offset, sign, radii);
  constraint.unilateral = test_random(seed) < 0.5;
  constraint.signal[1] = constraint.signal[2] = SIZE_MAX;
  return constraint;
}

// A joint of the forest closes a loop that is a little open; its coordinates are near those that are looked for.
static MbConstraint random_search(const MbSim *sim, MbJointKind kind, int round, uint64_t *seed) {
  const MbModel *model = sim->model;
  MbConstraint constraint = random_ends(sim, &mb_closure_search_ops, round, seed);
  for (size_t b = 0; b < model->nb && !constraint.closure; b++)
    if (model->joint[b].ops && !strcmp(model->joint[b].ops->name, mb_joint_words[kind]))
      constraint.closure = &model->joint[b];
  cr_assert(constraint.closure && constraint.closure->n < 6);
  constraint.rows = 6 - constraint.closure->n;

  double q[MB_JOINT_DOFS], S[36], Sdot[36], off[6];
  const double still[MB_JOINT_DOFS] = {0};
  for (int i = 0; i < 6; i++) {
    q[i] = test_around_zero(seed), off[i] = 0.1 * test_around_zero(seed);
    guess[i] = q[i] + 0.05 * test_around_zero(seed);
  }
  // F_B = E_B⁻¹ E_A Q exp(off)
  MbFrameMotion A;
  MbPose Q, D, F;
  constraint.closure->ops->eval(constraint.closure, q, still, &Q, S, Sdot);
  mb_constraint_frame(&constraint, 0, &sim->x, &A);
  mb_se3_exp(&D, off);
  mb_pose_mul(&Q, &Q, &D);
  mb_pose_mul(&F, &A.E, &Q);
  if (constraint.body[1] != MB_WORLD) {
    MbPose inverse;
    mb_pose_inverse(&inverse, &sim->x.E[constraint.body[1]]);
    mb_pose_mul(&F, &inverse, &F);
  }
  mb_quat_normalise(F.q);
  mb_vec3_copy(constraint.at[1], F.p);
  mb_quat_to_mat3(constraint.R[1], F.q);
  return constraint;
}

// A free body, or any other, on a path that it is on now (g̈ is exact there only).
static MbConstraint random_motion(MbSim *sim, const MbConstraintOps *ops, int round, uint64_t *seed) {
  static MbJoint parts[2] = {{.n = 3}, {.n = 3, .order = {2, 1, 0}}};
  static MbJoint path = {.n = 6, .nparts = 2, .part = parts};
  MbConstraint constraint = random_ends(sim, ops, round, seed);
  parts[0].ops = mb_joint_table[MB_JOINT_TRANSLATIONAL];
  parts[1].ops = mb_joint_table[MB_JOINT_EULER];
  path.ops = mb_joint_table[MB_JOINT_COMPOSITE];
  constraint.closure = &path;
  constraint.npath = 6;
  constraint.body[0] = constraint.body[0] == MB_WORLD ? 0 : constraint.body[0];
  constraint.body[1] = MB_WORLD;
  constraint.axes = round % 2 ? MB_AXES_WORLD : MB_AXES_BODY;
  double q[6], S[36], Sdot[36];
  const double still[6] = {0};
  for (int i = 0; i < 6; i++) q[i] = sin(2 * 0.3 + i);
  MbPose X, inverse;
  mb_sim_kinematics(sim, sim->state.q, sim->state.v);
  path.ops->eval(&path, q, still, &X, S, Sdot);
  mb_pose_inverse(&inverse, &sim->x.E[constraint.body[0]]);
  mb_pose_mul(&X, &inverse, &X);
  mb_vec3_copy(constraint.at[0], X.p);
  mb_quat_normalise(X.q);
  mb_quat_to_mat3(constraint.R[0], X.q);
  return constraint;
}

Test(constraint_rows, every_kind_agrees_with_differences) {
  uint64_t seed = 77;
  int closures = 0;
  for (int round = 0; round < 12; round++) {
    MbSceneSpec spec = test_forest(MB_SYMPLECTIC, &seed);
    MbModel *model = test_model(&spec);
    MbSim *sim = test_sim(model, 1);
    cr_assert(model->joint[0].ops && model->nb > 2);
    for (int kind = 0; kind < MB_CONSTRAINTS; kind++) {
      const bool closure = kind == MB_CONSTRAINT_JOINT;
      uint64_t kinds_own = (uint64_t)(100 * round + kind);
      MbConstraint constraint =
          random_ends(sim, mb_constraint_table[kind], round, closure ? &seed : &kinds_own);
      for (int joint = 0; joint < (closure ? (int)MB_JOINTS : 1); joint++) {
        own.closure.joint = (MbJointKind)joint;
        if (closure && joint == MB_JOINT_FREE3D) continue;
        if (closure && !(constraint.rows = mb_closure_rows(own.closure.joint))) {
          const MbConstraint found = random_search(sim, own.closure.joint, round, &seed);
          check(sim, &found, mb_joint_words[joint]);
          closures++;
          continue;
        }
        check(sim, &constraint, closure ? mb_joint_words[joint] : mb_constraint_words[kind]);
        check_bend(sim, &constraint, mb_constraint_words[kind]);
        closures += closure;
      }
    }
    MbConstraint limit = random_ends(sim, &mb_limit_ops, round, &seed);
    check(sim, &limit, "limit");
    for (int order = 0; order < 2; order++) {
      MbConstraint motion = random_ends(sim, &mb_motion_ops, round, &seed);
      motion.order = order;
      motion.signal[0] = order ? SIZE_MAX : 0, motion.signal[1] = order ? 0 : SIZE_MAX;
      check(sim, &motion, order ? "motion, velocity" : "motion, position");
    }
    const MbConstraint path = random_motion(sim, &mb_path_ops, round, &seed),
                       speed = random_motion(sim, &mb_speed_ops, round, &seed);
    check(sim, &path, "motion of a body, pose");
    check(sim, &speed, "motion of a body, velocity");
    mb_sim_free(sim);
    mb_model_free(model);
    mb_arena_free(&spec.arena);
  }
  cr_assert_gt(bends, 1000);
  cr_assert_eq(closures, 12 * (MB_JOINTS - 1)); // all but free3d, which holds nothing
}
