#include "tests/ways.h"
#include "core/forces/forces.h"
#include "core/math/se3.h"

#include <string.h>

size_t test_ways(const MbModel *model, int deformable, TestWay *ways, size_t most) {
  const MbDeformable *of = &model->deformables[deformable];
  size_t n = 0;
  for (size_t b = of->first; b < of->first + of->count; b++)
    for (size_t k = model->parent[b] == MB_WORLD ? 3 : 0; k < 6; k++) {
      cr_assert_lt(n, most);
      ways[n++] = (TestWay){b, k};
    }
  return n;
}

void test_ways_blocks(const MbModel *model, const double *blocks, const TestWay *ways, size_t n,
                      double *out) {
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) {
      const size_t a = ways[i].body, b = ways[j].body;
      size_t at = a == b ? 36 * a : MB_WORLD;
      for (size_t k = 0; k < model->npairs; k++) {
        if (model->pair[2 * k] == a && model->pair[2 * k + 1] == b) at = 36 * (model->nb + 2 * k);
        if (model->pair[2 * k] == b && model->pair[2 * k + 1] == a) at = 36 * (model->nb + 2 * k + 1);
      }
      out[n * i + j] = at == MB_WORLD ? 0 : blocks[at + 6 * ways[i].axis + ways[j].axis];
    }
}

const MbForce *test_elements_of(const MbModel *model, int deformable) {
  for (size_t i = 0; i < model->nforces; i++)
    if (model->forces[i].elements && model->forces[i].elements->of == model->deformables[deformable].elements)
      return &model->forces[i];
  cr_assert_fail("there is no such force");
  return NULL;
}

double test_block_product(const MbModel *model, const double *B, const double *a, const double *b) {
  double sum = 0;
  for (size_t k = 0; k < model->nb + 2 * model->npairs; k++) {
    const size_t p = k - model->nb, i = k < model->nb ? k : model->pair[p],
                 j = k < model->nb ? k : model->pair[p ^ 1];
    for (size_t m = 0; m < 6; m++)
      for (size_t n = 0; n < 6; n++) sum += a[6 * i + m] * B[36 * k + 6 * m + n] * b[6 * j + n];
  }
  return sum;
}

void test_disturb(MbSim *sim) {
  uint64_t seed = 7;
  for (size_t b = sim->model->nlisted; b < sim->model->nb; b++)
    for (size_t k = 0; k < 6; k++) {
      if (k >= 3) sim->x.E[b].p[k - 3] += 0.02 * (2 * test_random(&seed) - 1);
      const bool turns = sim->model->parent[b] != MB_WORLD;
      sim->x.phi[6 * b + k] = k < 3 && !turns ? 0 : 2 * test_random(&seed) - 1;
    }
}

void test_evaluate(MbSim *sim, const MbForce *force, bool derivatives) {
  MbMaximal *x = &sim->x;
  const size_t nb = sim->model->nb, blocks = nb + 2 * sim->model->npairs;
  double *const K = x->K;
  memset(x->f, 0, 6 * nb * sizeof *x->f);
  memset(x->K, 0, 36 * blocks * sizeof *x->K);
  if (x->D) memset(x->D, 0, 36 * blocks * sizeof *x->D);
  x->exact = true;
  if (!derivatives) x->K = NULL;
  force->ops->eval(sim->model, force, x, 0, nb);
  x->K = K, x->exact = false;
}

double test_differ(MbSim *sim, const MbForce *force, const TestWay *ways, size_t n, size_t j, bool places,
                   double *out) {
  static const double STEP = 1e-6;
  double *const low = malloc(n * sizeof *low), energy[2];
  MbPose *const E = &sim->x.E[ways[j].body];
  double *const phi = &sim->x.phi[6 * ways[j].body + ways[j].axis];
  const MbPose before = *E;
  const double speed = *phi;
  cr_assert_not_null(low);
  for (int side = 0; side < 2; side++) {
    double delta[6] = {0};
    MbPose step;
    delta[ways[j].axis] = side ? STEP : -STEP;
    mb_se3_exp(&step, delta);
    if (places)
      mb_pose_mul(E, &before, &step);
    else
      *phi = speed + (side ? STEP : -STEP);
    test_evaluate(sim, force, false);
    energy[side] = force->ops->energy ? force->ops->energy(force, &sim->x) : 0;
    for (size_t i = 0; i < n; i++) {
      const double at = sim->x.f[6 * ways[i].body + ways[i].axis];
      if (side)
        out[n * i + j] = (at - low[i]) / (2 * STEP);
      else
        low[i] = at;
    }
    *E = before, *phi = speed;
  }
  free(low);
  return -(energy[1] - energy[0]) / (2 * STEP);
}

double test_largest(const double *x, size_t n) {
  double most = 0;
  for (size_t i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  return most;
}

void test_slopes_of_damping(MbSim *sim, int deformable, const char *name, double times) {
  enum { MOST = 360 };
  static double D[MOST * MOST], K[MOST * MOST], wanted[MOST * MOST];
  const MbForce *force = test_elements_of(sim->model, deformable);
  TestWay ways[MOST];
  const size_t n = test_ways(sim->model, deformable, ways, MOST);
  test_disturb(sim);
  test_evaluate(sim, force, true);
  test_ways_blocks(sim->model, sim->x.D, ways, n, D);
  test_ways_blocks(sim->model, sim->x.K, ways, n, K);
  cr_assert_gt(test_largest(D, n * n), 1);
  for (size_t j = 0; j < n; j++) test_differ(sim, force, ways, n, j, false, wanted);
  test_near(name, D, wanted, n * n, TEST_CLOSE * (1 + test_largest(D, n * n)));
  for (size_t j = 0; j < n; j++) test_differ(sim, force, ways, n, j, true, wanted);
  test_near(name, K, wanted, n * n, times * TEST_CLOSE * (1 + test_largest(K, n * n)));
}
