// How K and D of deformables' elements change (MbForceOps.curve): of every material and of all that acts in elements and on them, with nodes that a body carries, against
// central differences of the blocks themselves; and along a change against backwards.
#include "core/base/alloc.h"
#include "core/forces/forces.h"
#include "core/math/se3.h"
#include "tests/runs.h"
#include "tests/ways.h"

#include <stdio.h>
#include <string.h>

static void no_leaks(void) { cr_assert_eq(mb_alloc_live(), 0); }
TestSuite(element_curves, .fini = no_leaks);

enum { MOST = 400, BODIES = 60, N = 6 * BODIES, SOME = 30 }; // ways that are looked at, or twice as many

#define HEAD                                                                                                 \
  "{\"mbsim\": 1, \"gravity\": [0, 0, 0], \"time\": {\"step\": 0.001, \"steps\": 1}, \"integrator\": "       \
  "\"implicit\", \"bodies\": [{\"name\": \"arm\", \"shape\": {\"type\": \"box\", \"size\": [0.4, 0.1, "      \
  "0.1]}, \"mass\": 1, \"joint\": {\"type\": \"spherical\", \"position\": [0.3, -0.5, 0.8]}}], "             \
  "\"deformables\": [{\"name\": \"it\", \"pose\": {\"position\": [0.2, 0.1, 0.3], \"rotation\": "            \
  "{\"axis\": [1, 2, 0], \"angle\": 0.4}}, "
#define HELD                                                                                                 \
  ", \"attach\": [{\"select\": {\"vertices\": [0, 1]}, \"body\": \"arm\", \"enforce\": \"reduction\"}]}]}"
#define TETS  "\"type\": \"tets\", \"mesh\": {\"box\": [2, 2, 2], \"size\": [0.2, 0.3, 0.4]}, "
#define TENS  "\"type\": \"tets\", \"mesh\": {\"box\": [2, 2, 2], \"size\": [0.2, 0.3, 0.4], \"order\": 2}, "
#define SHEET "\"type\": \"cloth\", \"mesh\": {\"grid\": [2, 2], \"size\": [0.3, 0.4]}, "
#define STUFF(model, more)                                                                                   \
  "\"material\": {\"model\": \"" model "\", \"young\": 1000, \"poisson\": 0.3, \"density\": 100" more "}"
#define THICK ", \"thickness\": 0.1"
#define FIBRES                                                                                               \
  ", \"fibres\": [{\"direction\": [1, 2, 0.5], \"stiffness\": 900, \"limit\": 0.05, \"beyond\": 4000, "      \
  "\"strength\": 700, \"activation\": 0.6}, {\"direction\": [-1, 0.3, 1], \"stiffness\": 500}]"
#define BENT ", \"bending\": {\"stiffness\": 2, \"damping\": 0.2}"
#define WIND ", \"wind\": {\"velocity\": [2, -1, 3], \"density\": 1.5, \"drag\": 1.2, \"lift\": 0.7}"

static const char *const scenes[] = {
    HEAD TETS STUFF("arap", ", \"damping\": 0.1") HELD,
    HEAD TETS STUFF("corotational", ", \"damping\": 0.1") HELD,
    HEAD TETS STUFF("neo_hookean", "") HELD,
    HEAD TETS STUFF("linear", ", \"damping\": 0.1") HELD,
    HEAD TENS STUFF("corotational", ", \"damping\": 0.1") HELD,
    HEAD SHEET STUFF("arap", THICK) HELD,
    HEAD SHEET STUFF("corotational", THICK ", \"damping\": 0.1") HELD,
    HEAD SHEET STUFF("neo_hookean", THICK ", \"damping\": 0.1") HELD,
    HEAD TETS STUFF("arap", FIBRES) HELD,
    HEAD SHEET STUFF("arap", THICK FIBRES) HELD,
    HEAD SHEET STUFF("arap", THICK BENT) HELD,
    HEAD "\"type\": \"cloth\", \"mesh\": {\"ball\": 1, \"radius\": 0.3}, " STUFF("arap", THICK BENT) HELD,
    HEAD SHEET STUFF("arap", THICK) WIND HELD,
    HEAD
    "\"type\": \"cloth\", \"mesh\": {\"ball\": 1, \"radius\": 0.3}, \"pressure\": 300, " STUFF("arap", THICK)
        WIND HELD,
    HEAD
    "\"type\": \"rod\", \"mesh\": {\"points\": [[0, 0, 0], [0.1, 0, 0], [0.2, 0.02, 0], [0.3, 0.02, 0.05]]}, "
    "\"material\": {\"radius\": 0.02, \"young\": 2e4, \"bending\": 0.5, \"twisting\": 0.4, \"density\": "
    "1000, \"damping\": 0.2}, \"attach\": [{\"select\": {\"clamp\": \"first\"}, \"body\": \"arm\", "
    "\"enforce\": \"reduction\"}]}]}",
};
enum { SCENES = sizeof scenes / sizeof *scenes };

typedef struct Twists {
  double z[N], x1[N], x2[N], y1[N], y2[N];
} Twists;

// z · f of the elements, as they are turned by `ahead`; with their blocks.
static double pushed(MbSim *sim, const MbForce *force, const Twists *t, double ahead) {
  MbMaximal *x = &sim->x;
  const size_t nb = sim->model->nb, blocks = 36 * (nb + 2 * sim->model->npairs) * sizeof *x->K;
  double sum = 0;
  memset(x->f, 0, 6 * nb * sizeof *x->f), memset(x->K, 0, blocks), memset(x->D, 0, blocks);
  x->ahead = ahead;
  force->ops->eval(sim->model, force, x, 0, nb);
  for (size_t i = 0; i < 6 * nb; i++) sum += t->z[i] * x->f[i];
  return sum;
}

static double weighed(MbSim *sim, const MbForce *force, const Twists *t, double ahead) {
  double sum = -pushed(sim, force, t, 0);
  sum += pushed(sim, force, t, ahead);
  sum += (test_block_product(sim->model, sim->x.D, t->z, t->x1) +
          test_block_product(sim->model, sim->x.D, t->x2, t->z)) /
         2;
  return sum + (test_block_product(sim->model, sim->x.K, t->z, t->y1) +
                test_block_product(sim->model, sim->x.K, t->y2, t->z)) /
                   2;
}

static double difference(MbSim *sim, const MbForce *force, const Twists *t, double ahead, const TestWay *way,
                         bool velocity) {
  static const double MOVE = 1e-4, weight[5] = {1, -8, 0, 8, -1};
  MbPose *const E = &sim->x.E[way->body];
  double *const phi = &sim->x.phi[6 * way->body + way->axis], along[6] = {0}, sum = 0;
  const MbPose had = *E;
  const double rate = *phi;
  along[way->axis] = 1;
  for (int side = -2; side <= 2; side++) {
    if (!side) continue;
    if (velocity)
      *phi = rate + side * MOVE;
    else
      mb_pose_advance(E, side * MOVE, along);
    sum += weight[side + 2] / (12 * MOVE) * weighed(sim, force, t, ahead);
    *E = had, *phi = rate;
  }
  return sum;
}

// Nodes where a spin and a stretch have them, each a little beside. Nodes that no body carries have the world's axes.
static void disturb(MbSim *sim, uint64_t *seed) {
  static const double spin[3] = {1, -2, 1.5}, LITTLE = 0.02;
  const MbModel *model = sim->model;
  for (size_t b = model->nlisted; b < model->nb; b++) {
    double v[3];
    mb_vec3_cross(v, spin, sim->x.E[b].p);
    for (size_t k = 0; k < 3; k++) {
      sim->x.E[b].p[k] *= 1.2 + 0.1 * (double)k;
      sim->x.E[b].p[k] += LITTLE * (2 * test_random(seed) - 1), v[k] += 0.3 * (2 * test_random(seed) - 1);
      sim->x.phi[6 * b + k] = model->parent[b] != MB_WORLD ? 2 * test_random(seed) - 1 : 0;
    }
    mb_quat_unrotate(sim->x.phi + 6 * b + 3, sim->x.E[b].q, v);
  }
}

static void twist(const MbModel *model, uint64_t *seed, double x[N]) {
  for (size_t i = 0; i < 6 * model->nb; i++)
    x[i] = i % 6 < 3 && model->parent[i / 6] == MB_WORLD ? 0 : 2 * test_random(seed) - 1;
}

static double largest(const double x[N], size_t n) { return test_largest(x, n); }

// A change along, weighed, is what the way back says of it.
static double apart(const MbForce *force, const MbSim *sim, MbForceCurve at, const Twists *t,
                    const double *by_move, const double *by_phi, uint64_t *seed) {
  static double move[N], phi[N], change[N];
  const size_t n = 6 * sim->model->nb;
  double wanted = 0, sum = 0, size = 0;
  twist(sim->model, seed, move), twist(sim->model, seed, phi);
  memset(change, 0, sizeof change);
  at.move = move, at.phi = phi, at.change = change;
  force->ops->curve(force, &sim->x, &at);
  for (size_t i = 0; i < n; i++) {
    wanted += move[i] * by_move[i] + phi[i] * by_phi[i];
    sum += t->z[i] * change[i], size += fabs(t->z[i] * change[i]);
  }
  return fabs(sum - wanted) / (1 + size);
}

// Whether the value is told that blocks and forces come to.
static double value_is_off(MbSim *sim, const MbForce *force, MbForceCurve at, const Twists *t, double ahead) {
  const double force_alone = pushed(sim, force, t, 0), wanted = force_alone + weighed(sim, force, t, ahead);
  double value = 0;
  at.value = &value;
  sim->x.ahead = ahead;
  force->ops->curve(force, &sim->x, &at);
  return fabs(value - wanted) / (1 + fabs(force_alone) + fabs(wanted));
}

static void compare(size_t scene, double ahead, double *worst, double *both) {
  static Twists t;
  static double by_move[N], by_phi[N];
  uint64_t seed = 3 + scene;
  TestRun run = test_run(scenes[scene], (const char *const[]){NULL});
  MbSim *sim = run.sim;
  cr_assert_eq(mb_sim_step(sim, NULL), MB_OK); // signals have their values
  cr_assert_leq(sim->model->nb, BODIES);
  const MbForce *force = test_elements_of(run.model, 0);
  double *const lists[] = {t.z, t.x1, t.x2, t.y1, t.y2}, most = 1;
  TestWay ways[MOST];
  const size_t n = test_ways(run.model, 0, ways, MOST), stride = 1 + n / SOME;
  disturb(sim, &seed);
  for (size_t k = 0; k < 5; k++) twist(sim->model, &seed, lists[k]);
  memset(by_move, 0, sizeof by_move), memset(by_phi, 0, sizeof by_phi);
  MbForceCurve at = {.z = t.z, .x1 = t.x1, .x2 = t.x2, .y1 = t.y1, .y2 = t.y2, .model = run.model};
  at.by_move = by_move, at.by_phi = by_phi;
  const double turned = fabs(pushed(sim, force, &t, ahead) - pushed(sim, force, &t, 0));
  cr_expect(ahead == 0 || turned > 1e-3 * largest(sim->x.f, 6 * sim->model->nb), "nothing turns");
  sim->x.ahead = ahead;
  force->ops->curve(force, &sim->x, &at);
  *both = fmax(*both, value_is_off(sim, force, at, &t, ahead));
  *both = fmax(*both, apart(force, sim, at, &t, by_move, by_phi, &seed));
  most = fmax(most, fmax(largest(by_move, 6 * sim->model->nb), largest(by_phi, 6 * sim->model->nb)));
  for (size_t i = 0; i < n; i += stride) {
    const size_t row = 6 * ways[i].body + ways[i].axis;
    const double move = difference(sim, force, &t, ahead, &ways[i], false) - by_move[row],
                 rate = difference(sim, force, &t, ahead, &ways[i], true) - by_phi[row];
    *worst = fmax(*worst, fmax(fabs(move), fabs(rate)) / most);
  }
  test_run_free(&run);
}

Test(element_curves, of_everything_in_elements_agree_with_differences_of_their_blocks) {
  static const double CLOSE = 1e-8, SAME = 1e-12;
  for (size_t s = 0; s < SCENES; s++)
    for (int turned = 0; turned < 2; turned++) {
      double worst = 0, both = 0;
      compare(s, turned ? 0.2 : 0, &worst, &both);
      printf("scene %zu%s: %.1e of the largest, both ways %.1e\n", s, turned ? ", turned" : "", worst, both);
      cr_expect_lt(worst, CLOSE, "scene %zu%s: %g", s, turned ? ", turned" : "", worst);
      cr_expect_lt(both, SAME, "scene %zu%s: %g", s, turned ? ", turned" : "", both);
    }
}
