// How K and D change (MbForceOps.curve): of every row of the forces' table against central differences of the blocks themselves, at random states and under random parameters.
#include "core/forces/forces.h"
#include "core/model/coordinates.h"
#include "core/sim/evaluate.h"
#include "tests/pulled.h"
#include "tests/ways.h"

#include <stdio.h>
#include <stdlib.h>
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

// What z · f is felt by (MbForceOps.felt), with K and D of the forces that do not tell it, against K and D of all.
static double compare_felt(MbForceKind kind, MbAxes axes, uint64_t *seed, size_t *told) {
  MbSceneSpec spec = test_pulled(MB_TRAPEZOIDAL, seed, kind, axes);
  MbModel *model = test_model(&spec);
  MbSim *sim = test_sim(model, 1);
  const size_t blocks = 36 * (model->nb + 2 * model->npairs);
  double *const of[4] = {calloc(blocks, sizeof(double)), calloc(blocks, sizeof(double)),
                         calloc(blocks, sizeof(double)), calloc(blocks, sizeof(double))};
  double z[N], by_move[N] = {0}, by_phi[N] = {0}, f[N], most = 1, off = 0;
  for (size_t i = 0; i < N; i++) z[i] = 2 * test_random(seed) - 1;
  mb_sim_outer_derivatives(sim, 0.7, of[0], of[1]);
  memcpy(f, sim->x.f, sizeof f);
  mb_sim_outer_unfelt(sim, 0.7, of[2], of[3]);
  cr_expect_eq(memcmp(f, sim->x.f, 6 * model->nb * sizeof *f), 0, "forces are others without their blocks");
  for (size_t i = 0; i < model->nforces; i++) {
    const MbForce *force = &model->forces[i];
    if (!force->ops->felt) continue;
    force->ops->felt(force, &sim->x, z, by_move, by_phi);
    ++*told;
  }
  for (size_t k = 0; k < 6 * model->nb; k++) {
    double along[N] = {0};
    along[k] = 1;
    const double move = test_block_product(model, of[0], z, along),
                 rate = test_block_product(model, of[1], z, along);
    by_move[k] += test_block_product(model, of[2], z, along);
    by_phi[k] += test_block_product(model, of[3], z, along);
    most = fmax(most, fmax(fabs(move), fabs(rate)));
    off = fmax(off, fmax(fabs(move - by_move[k]), fabs(rate - by_phi[k])));
  }
  for (size_t i = 0; i < 4; i++) free(of[i]);
  mb_sim_free(sim);
  mb_model_free(model);
  mb_arena_free(&spec.arena);
  return off / most;
}

Test(force_curves, what_forces_are_felt_by_is_what_their_blocks_say) {
  uint64_t seed = 17;
  double worst = 0;
  size_t told = 0;
  for (int round = 0; round < 60; round++)
    for (MbForceKind kind = 0; kind < MB_FORCES; kind++) {
      const double off = compare_felt(kind, MB_AXES_WORLD, &seed, &told);
      worst = fmax(worst, off);
      cr_expect_lt(off, 1e-12, "%s, round %d: %g", mb_force_words[kind], round, off);
    }
  cr_expect_geq(told, 4 * 60);
  printf("%zu forces, largest error, of the largest derivative: %.1e\n", told, worst);
}
