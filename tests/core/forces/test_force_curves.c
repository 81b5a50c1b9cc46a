// How K and D change (MbForceOps.curve): of every row of the forces' table against central differences of the blocks themselves, at random states and under random parameters.
#include "core/forces/forces.h"
#include "core/model/coordinates.h"
#include "core/sim/evaluate.h"
#include "tests/pulled.h"
#include "tests/ways.h"

#include <stdio.h>
#include <string.h>

enum { N = 6 * TEST_PULLED };

typedef struct Twists {
  double z[N], x1[N], x2[N], y1[N], y2[N];
} Twists;

// z · f of what is added where paths are turned
static double turned(MbSim *sim, const Twists *t, double ahead) {
  double sum = 0;
  sim->x.ahead = ahead;
  mb_sim_outer_blocks(sim, 0.7);
  for (size_t i = 0; i < 6 * sim->model->nb; i++) sum += t->z[i] * sim->x.f[i];
  return sum;
}

static double weighed(MbSim *sim, const Twists *t) {
  const double ahead = sim->x.ahead, *K = sim->x.K, *D = sim->x.D;
  const double where_they_are = turned(sim, t, 0);
  double sum = turned(sim, t, ahead) - where_they_are;
  sum +=
      (test_block_product(sim->model, D, t->z, t->x1) + test_block_product(sim->model, D, t->x2, t->z)) / 2;
  return sum +
         (test_block_product(sim->model, K, t->z, t->y1) + test_block_product(sim->model, K, t->y2, t->z)) /
             2;
}

// By the motion of one body along one of its axes, or by one number of its twist.
static double difference(MbSim *sim, const Twists *t, size_t k, bool velocity) {
  static const double MOVE = 2e-4, weight[5] = {1, -8, 0, 8, -1};
  const MbPose had = sim->x.E[k / 6];
  const double rate = sim->x.phi[k];
  double sum = 0, along[6] = {0};
  along[k % 6] = 1;
  for (int side = -2; side <= 2; side++) {
    if (!side) continue;
    if (velocity)
      sim->x.phi[k] = rate + side * MOVE;
    else
      mb_pose_advance(&sim->x.E[k / 6], side * MOVE, along);
    sum += weight[side + 2] / (12 * MOVE) * weighed(sim, t);
    sim->x.E[k / 6] = had, sim->x.phi[k] = rate;
  }
  return sum;
}

static double compare(MbForceKind kind, MbAxes axes, bool lagged, double ahead, uint64_t *seed) {
  MbSceneSpec spec = test_pulled(MB_IMPLICIT, seed, kind, axes);
  spec.forces[0].lagged = lagged;
  MbModel *model = test_model(&spec);
  MbSim *sim = test_sim(model, 1);
  Twists t;
  double by_move[N] = {0}, by_phi[N] = {0}, most = 1, off = 0;
  for (size_t i = 0; i < N; i++)
    for (size_t k = 0; k < 5; k++)
      ((double *[]){t.z, t.x1, t.x2, t.y1, t.y2})[k][i] = 2 * test_random(seed) - 1;
  const MbForceCurve at = {.z = t.z,
                           .x1 = t.x1,
                           .x2 = t.x2,
                           .y1 = t.y1,
                           .y2 = t.y2,
                           .by_move = by_move,
                           .by_phi = by_phi,
                           .model = model};
  mb_sim_signals(sim, 0.7);
  sim->x.ahead = ahead;
  for (size_t i = 0; i < model->nforces; i++) {
    const MbForce *force = &model->forces[i];
    cr_assert(force->ops->curve || force->ops->everywhere);
    if (force->ops->curve) force->ops->curve(force, &sim->x, &at);
  }
  for (size_t k = 0; k < 6 * model->nb; k++) {
    const double move = difference(sim, &t, k, false), rate = difference(sim, &t, k, true);
    most = fmax(most, fmax(fabs(move), fabs(rate)));
    off = fmax(off, fmax(fabs(move - by_move[k]), fabs(rate - by_phi[k])));
  }
  mb_sim_free(sim);
  mb_model_free(model);
  mb_arena_free(&spec.arena);
  return off / most;
}

Test(force_curves, of_every_kind_agree_with_differences_of_their_blocks) {
  uint64_t seed = 5;
  double worst = 0;
  for (int round = 0; round < 24; round++)
    for (MbForceKind kind = 0; kind < MB_FORCES; kind++)
      for (MbAxes axes = MB_AXES_WORLD; axes <= MB_AXES_BODY; axes++) {
        const double off = compare(kind, axes, round % 6 == 5, 0, &seed);
        worst = fmax(worst, off);
        cr_expect_lt(off, 1e-8, "%s, round %d: %g", mb_force_words[kind], round, off);
      }
  printf("largest error, of the largest derivative: %.1e\n", worst);
}

// So they do where a step turns the paths that it linearises, which it does with those that are stiff in it.
Test(force_curves, of_paths_that_a_step_turns_agree_too) {
  static const MbForceKind paths[] = {MB_FORCE_SPRING, MB_FORCE_MULTI_SPRING, MB_FORCE_MUSCLE};
  static const double ahead[] = {0.5, 1, 1.5};
  uint64_t seed = 11;
  double worst = 0;
  for (int round = 0; round < 60; round++)
    for (int k = 0; k < 3; k++) {
      const double off = compare(paths[k], MB_AXES_WORLD, false, ahead[round % 3], &seed);
      worst = fmax(worst, off);
      cr_expect_lt(off, 1e-7, "%s, round %d: %g", mb_force_words[paths[k]], round, off);
    }
  printf("largest error, of the largest derivative: %.1e\n", worst);
}
