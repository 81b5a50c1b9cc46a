// Elements between nodes that are bodies: forces are minus the energy's slopes, K the forces' slopes, for every material, of
// solids, of cloth, of bending, and of nodes that a body carries.
#include "core/base/alloc.h"
#include "core/deformables/bending.h"
#include "core/forces/forces.h"
#include "core/math/se3.h"
#include "tests/runs.h"
#include "tests/ways.h"

#include <lapacke.h>
#include <stdio.h>
#include <string.h>

// An arm that carries one side of a block; a sheet that is free.
static const char *const scene =
    "{\"mbsim\": 1, \"gravity\": [0, 0, 0], \"time\": {\"step\": 0.001, \"steps\": 1}, \"integrator\": "
    "\"implicit\", \"bodies\": [{\"name\": \"arm\", \"shape\": {\"type\": \"box\", \"size\": [0.4, 0.1, "
    "0.1]}, \"mass\": 1, \"joint\": {\"type\": \"spherical\", \"position\": [0.3, -0.5, 0.8]}}], "
    "\"deformables\": ["
    "{\"name\": \"block\", \"type\": \"tets\", \"mesh\": {\"box\": [2, 2, 3], \"size\": [0.2, 0.3, 0.4]}, "
    "\"material\": {\"model\": \"neo_hookean\", \"young\": 1000, \"poisson\": 0.3, \"density\": 100}, "
    "\"pose\": {\"position\": [0.2, 0.1, 0.3]}, \"attach\": [{\"select\": {\"side\": \"-z\"}, \"body\": "
    "\"arm\", \"enforce\": \"reduction\"}]}, "
    "{\"name\": \"sheet\", \"type\": \"cloth\", \"mesh\": {\"grid\": [3, 4], \"size\": [0.3, 0.4]}, "
    "\"material\": {\"model\": \"neo_hookean\", \"young\": 1000, \"poisson\": 0.3, \"density\": 100, "
    "\"thickness\": 0.1, \"bending\": {\"model\": \"isometric\", \"stiffness\": 0.3}}, \"pose\": "
    "{\"rotation\": {\"axis\": [1, 0, 0], \"angle\": 0.2}}}]}";

static const char *const models[] = {"arap", "corotational", "neo_hookean", "linear"};
static const char *const bendings[] = {"none", "isometric", "laplace_beltrami"};
enum { MODELS = 4, BENDINGS = 3, MOST = 30 * 6 };

// Every node thrown out of its place by so much.
static void disturb(MbSim *sim, double by) {
  uint64_t seed = 7;
  for (size_t b = sim->model->nlisted; b < sim->model->nb; b++)
    for (int k = 0; k < 3; k++) sim->x.E[b].p[k] += by * (2 * test_random(&seed) - 1);
}

// Cloth is not linear.
static bool is_there(int model, int deformable) {
  return !deformable || strcmp(models[model], "linear") != 0;
}

static TestRun begin(int deformable, const char *model, const char *bending) {
  char sets[2][100];
  const char *list[3] = {sets[0], sets[1], NULL};
  snprintf(sets[0], sizeof sets[0], "/deformables/%d/material/model=\"%s\"", deformable, model);
  snprintf(sets[1], sizeof sets[1], "/deformables/1/material/bending/model=\"%s\"", bending);
  return test_run(scene, list);
}

// ---- slopes -----------------------------------------------------------------------------------------------

// E ← E exp(s e_k)
static void shift(MbSim *sim, TestWay way, double s) {
  double delta[6] = {0};
  MbPose step, moved;
  delta[way.axis] = s;
  mb_se3_exp(&step, delta);
  mb_pose_mul(&moved, &sim->x.E[way.body], &step);
  sim->x.E[way.body] = moved;
}

static void evaluate(MbSim *sim, const MbForce *force, bool derivatives, bool safe) {
  MbMaximal *x = &sim->x;
  const size_t nb = sim->model->nb, blocks = nb + 2 * sim->model->npairs;
  double *const K = x->K;
  memset(x->f, 0, 6 * nb * sizeof *x->f);
  memset(x->K, 0, 36 * blocks * sizeof *x->K);
  x->safe = safe;
  if (!derivatives) x->K = NULL;
  force->ops->eval(sim->model, force, x, 0, nb);
  x->K = K, x->safe = false;
}

// Central differences of energies of some J and forces of some 100 N over places of 0.1 m: rounding is 1e-16/1e-6 of them, what the
// third derivative leaves 1e-12/0.01 of the forces.
static const double STEP = 1e-6, CLOSE = 1e-6;

static double largest(const double *x, size_t n) {
  double most = 0;
  for (size_t i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  return most;
}

static void check_slopes(MbSim *sim, int deformable, const char *what) {
  static double K[MOST * MOST], wanted[MOST * MOST];
  TestWay ways[MOST];
  const MbForce *force = test_elements_of(sim->model, deformable);
  const size_t n = test_ways(sim->model, deformable, ways, MOST);
  double f[MOST], slope[MOST];
  evaluate(sim, force, true, false);
  for (size_t i = 0; i < n; i++) f[i] = sim->x.f[6 * ways[i].body + ways[i].axis];
  test_ways_blocks(sim->model, sim->x.K, ways, n, K);
  for (size_t j = 0; j < n; j++) {
    double energy[2], low[MOST];
    const MbPose before = sim->x.E[ways[j].body];
    for (int side = 0; side < 2; side++) {
      shift(sim, ways[j], side ? STEP : -STEP);
      energy[side] = force->ops->energy(force, &sim->x);
      evaluate(sim, force, false, false);
      for (size_t i = 0; i < n; i++) {
        const double at = sim->x.f[6 * ways[i].body + ways[i].axis];
        if (side)
          wanted[n * i + j] = (at - low[i]) / (2 * STEP);
        else
          low[i] = at;
      }
      sim->x.E[ways[j].body] = before;
    }
    slope[j] = -(energy[1] - energy[0]) / (2 * STEP);
  }
  char text[120];
  snprintf(text, sizeof text, "forces of %s", what);
  test_near(text, f, slope, n, CLOSE * (1 + largest(f, n)));
  snprintf(text, sizeof text, "stiffness of %s", what);
  test_near(text, K, wanted, n * n, CLOSE * (1 + largest(K, n * n)));
}

Test(elements, forces_are_the_energys_slopes_and_stiffness_is_theirs) {
  for (int m = 0; m < MODELS; m++)
    for (int d = 0; d < 2; d++)
      for (int b = 0; is_there(m, d) && b < (d ? BENDINGS : 1); b++) {
        TestRun run = begin(d, models[m], bendings[b]);
        char what[80];
        snprintf(what, sizeof what, "%s, %s, %s", models[m], d ? "cloth" : "tets", bendings[b]);
        disturb(run.sim, 0.03);
        check_slopes(run.sim, d, what);
        test_run_free(&run);
      }
  cr_assert_eq(mb_alloc_live(), 0);
}

// A sheet that is curved at rest: no force there, and its forces and stiffness are those of its energy elsewhere.
static TestRun begin_curved(void) {
  return test_run(scene,
                  (const char *const[]){"/deformables/1/mesh={\"file\": \"scenes/projective/leaf.obj\"}",
                                        "/deformables/1/material/thickness=0.01",
                                        "/deformables/1/material/bending/stiffness=0.3", NULL});
}

Test(elements, a_curved_sheet_stays_as_it_is_and_its_forces_are_its_energys_slopes) {
  static const double ROUNDED = 1e-11; // of forces of some 100 N where it is disturbed
  TestRun run = begin_curved();
  const MbForce *force = test_elements_of(run.model, 1);
  cr_assert_gt(force->elements->ncurved, 20);
  evaluate(run.sim, force, false, false);
  cr_expect_leq(largest(run.sim->x.f, 6 * run.model->nb), ROUNDED);
  cr_expect_leq(fabs(force->ops->energy(force, &run.sim->x)), ROUNDED);
  disturb(run.sim, 0.01);
  evaluate(run.sim, force, false, false);
  cr_expect_gt(largest(run.sim->x.f, 6 * run.model->nb), 1);
  check_slopes(run.sim, 1, "a curved sheet");
  test_run_free(&run);
}

// ---- definite ---------------------------------------------------------------------------------------------

// Largest eigenvalue of K of nodes that do not turn, by the size of K.
static double highest(MbSim *sim, int deformable, bool safe) {
  static double K[MOST * MOST];
  TestWay ways[MOST];
  double value[MOST];
  const size_t n = test_ways(sim->model, deformable, ways, MOST);
  evaluate(sim, test_elements_of(sim->model, deformable), true, safe);
  test_ways_blocks(sim->model, sim->x.K, ways, n, K);
  const double size = largest(K, n * n);
  const lapack_int info = LAPACKE_dsyev(LAPACK_COL_MAJOR, 'N', 'U', (lapack_int)n, K, (lapack_int)n, value);
  cr_assert_eq(info, 0);
  return value[n - 1] / size;
}

Test(elements, what_could_make_the_steps_matrix_indefinite_can_be_left_out) {
  static const double ROUNDING = 1e-12; // of eigenvalues, by K's largest number
  for (int m = 0; m < MODELS; m++) {
    if (!is_there(m, 1)) continue;
    TestRun run = begin(1, models[m], "isometric");
    MbSim *sim = run.sim;
    for (size_t b = sim->model->nlisted; b < sim->model->nb;
         b++) // pushed together, so that it wants to buckle
      for (int k = 0; k < 3; k++) sim->x.E[b].p[k] *= 0.7;
    disturb(sim, 0.01);
    const double exact = highest(sim, 1, false), safe = highest(sim, 1, true);
    cr_expect_gt(exact, 1e-3, "%s: exact, K is negative definite, up to %g", models[m], exact);
    cr_expect_leq(safe, ROUNDING, "%s: safe, K has eigenvalue %g", models[m], safe);
    test_run_free(&run);
  }
}

Test(elements, what_a_rest_curvature_adds_can_be_left_out_where_it_is_indefinite) {
  static const double ROUNDING = 1e-12;
  for (int k = 0; k < 3; k++) {
    TestRun run = begin_curved();
    disturb(run.sim, 0.02 * (k + 1));
    const double safe = highest(run.sim, 1, true);
    cr_expect_leq(safe, ROUNDING, "safe, K has eigenvalue %g", safe);
    test_run_free(&run);
  }
}

// ---- wholes -----------------------------------------------------------------------------------------------

Test(elements, forces_within_add_up_to_no_force_and_no_torque) {
  static const double ROUNDING = 1e-12; // of forces of some 100 N
  for (int d = 0; d < 2; d++) {
    TestRun run = begin(d, "neo_hookean", "laplace_beltrami");
    const MbDeformable *of = &run.model->deformables[d];
    double sum[6] = {0};
    disturb(run.sim, 0.03);
    evaluate(run.sim, test_elements_of(run.model, d), false, false);
    for (size_t b = of->first; b < of->first + of->count; b++) {
      double f[3], torque[3];
      mb_quat_rotate(f, run.sim->x.E[b].q, run.sim->x.f + 6 * b + 3);
      mb_vec3_cross(torque, run.sim->x.E[b].p, f);
      mb_vec3_add(sum, sum, f);
      mb_vec3_add(sum + 3, sum + 3, torque);
    }
    cr_assert_gt(largest(run.sim->x.f, 6 * run.model->nb), 1);
    test_near("sum of forces and torques", sum, (double[6]){0}, 6, ROUNDING);
    test_run_free(&run);
  }
}

Test(elements, bending_is_worth_what_the_quadratic_form_says) {
  TestRun run = begin(1, "arap", "isometric"), flat = begin(1, "arap", "none");
  const MbDeformable *of = &run.model->deformables[1];
  const MbElements *e = of->elements;
  double x[3 * MOST];
  MbBending bending;
  size_t none = 0;
  disturb(run.sim, 0.03), disturb(flat.sim, 0.03);
  for (size_t k = 0; k < of->count; k++) mb_vec3_copy(x + 3 * k, run.sim->x.E[of->first + k].p);
  cr_assert(mb_bending_create(&bending, e->bending, e->bending_stiffness, e->mesh.triangle, e->mesh.triangles,
                              e->mesh.x, e->mesh.nodes, &none));
  const MbForce *with = test_elements_of(run.model, 1), *without = test_elements_of(flat.model, 1);
  const double wanted = mb_bending_energy(&bending, x),
               found = with->ops->energy(with, &run.sim->x) - without->ops->energy(without, &flat.sim->x);
  cr_expect_gt(wanted, 0.1);
  cr_expect_float_eq(found, wanted, 1e-12, "%.17g against %.17g", found, wanted);
  mb_bending_free(&bending);
  test_run_free(&run);
  test_run_free(&flat);
}

Test(elements, volume_and_strain_are_those_of_a_stretch) {
  static const double ROUNDING = 1e-13;
  static const double stretch[] = {1.2, 0.9, 1.1};
  for (int d = 0; d < 2; d++) {
    TestRun run = test_run(scene, (const char *const[]){"/deformables/1/pose={}", NULL});
    const MbDeformable *of = &run.model->deformables[d];
    double volume, strain;
    mb_elements_measure(test_elements_of(run.model, d)->elements, &run.sim->x, &volume, &strain);
    const double whole = d ? 0.3 * 0.4 * 0.1 : 0.2 * 0.3 * 0.4;
    cr_expect_float_eq(volume, whole, ROUNDING, "volume %.17g against %.17g", volume, whole);
    cr_expect_float_eq(strain, 0, ROUNDING, "strain %g at rest", strain);
    for (size_t k = 0; k < of->count; k++)
      for (size_t axis = 0; axis < 3; axis++)
        run.sim->x.E[of->first + k].p[axis] = stretch[axis] * of->elements->mesh.x[3 * k + axis];
    mb_elements_measure(test_elements_of(run.model, d)->elements, &run.sim->x, &volume, &strain);
    const double share = whole * stretch[0] * stretch[1] * (d ? 1 : stretch[2]);
    cr_expect_float_eq(volume, share, ROUNDING, "volume %.17g against %.17g", volume, share);
    cr_expect_float_eq(strain, 0.2, ROUNDING, "strain %.17g against 0.2", strain);
    test_run_free(&run);
  }
}
