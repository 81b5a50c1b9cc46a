// Damping of elements between nodes that are bodies: D is the slope of its forces by velocities, K that by places; what moves as a rigid body
// feels nothing, and momenta stay.
#include "core/base/alloc.h"
#include "core/forces/forces.h"
#include "core/math/se3.h"
#include "tests/runs.h"
#include "tests/ways.h"

#include <stdio.h>
#include <string.h>

// An arm that carries one side of a block; a sheet that is free.
static const char scene[] =
    "{\"mbsim\": 1, \"gravity\": [0, 0, 0], \"time\": {\"step\": 0.001, \"steps\": 1}, \"integrator\": "
    "\"implicit\", \"bodies\": [{\"name\": \"arm\", \"shape\": {\"type\": \"box\", \"size\": [0.4, 0.1, "
    "0.1]}, \"mass\": 1, \"joint\": {\"type\": \"spherical\", \"position\": [0.3, -0.5, 0.8]}}], "
    "\"deformables\": ["
    "{\"name\": \"block\", \"type\": \"tets\", \"mesh\": {\"box\": [2, 2, 3], \"size\": [0.2, 0.3, 0.4]}, "
    "\"material\": {\"model\": \"neo_hookean\", \"young\": 1000, \"poisson\": 0.3, \"density\": 100, "
    "\"damping\": 0.2}, "
    "\"pose\": {\"position\": [0.2, 0.1, 0.3]}, \"attach\": [{\"select\": {\"side\": \"-z\"}, \"body\": "
    "\"arm\", \"enforce\": \"reduction\"}]}, "
    "{\"name\": \"sheet\", \"type\": \"cloth\", \"mesh\": {\"grid\": [3, 4], \"size\": [0.3, 0.4]}, "
    "\"material\": {\"model\": \"neo_hookean\", \"young\": 1000, \"poisson\": 0.3, \"density\": 100, "
    "\"thickness\": 0.1, \"damping\": 0.2}, \"pose\": "
    "{\"rotation\": {\"axis\": [1, 0, 0], \"angle\": 0.2}}}]}";
static const char *const models[] = {"arap", "corotational", "neo_hookean", "linear"};
enum { MODELS = 4, MOST = 30 * 6 };

static TestRun begin(int deformable, const char *model) {
  char set[100];
  snprintf(set, sizeof set, "/deformables/%d/material/model=\"%s\"", deformable, model);
  return test_run(scene, (const char *const[]){set, NULL});
}

static bool is_there(int model, int deformable) { return !deformable || model != 3; }

Test(element_damping, derivatives_by_velocities_and_by_places_are_the_forces_slopes) {
  for (int m = 0; m < MODELS; m++)
    for (int d = 0; d < 2 && is_there(m, d); d++) {
      TestRun run = begin(d, models[m]);
      test_slopes_of_damping(run.sim, d, models[m], 1);
      test_run_free(&run);
    }
  cr_assert_eq(mb_alloc_live(), 0);
}

// Of the forces with damping less those without, in W: their sum, their torque and their power.
static void sum_up(int deformable, const char *model, bool rigid, double sum[7]) {
  static double without[MOST];
  double speed[3] = {0};
  memset(sum, 0, 7 * sizeof *sum);
  for (int damped = 0; damped < 2; damped++) {
    TestRun run = begin(deformable, model);
    MbElements *e = (MbElements *)run.model->deformables[deformable].elements;
    const MbDeformable *of = &run.model->deformables[deformable];
    if (!damped) e->damping = 0;
    test_disturb(run.sim);
    for (size_t k = 0; k < of->count; k++) {
      const size_t b = of->first + k;
      double *v = run.sim->x.phi + 6 * b + 3;
      if (rigid) { // v = u + ω × x
        mb_vec3_cross(speed, (double[3]){1, -2, 0.5}, run.sim->x.E[b].p);
        mb_vec3_add(speed, speed, (double[3]){0.3, 1, 2});
        mb_quat_unrotate(v, run.sim->x.E[b].q, speed);
      }
    }
    test_evaluate(run.sim, test_elements_of(run.model, deformable), false);
    for (size_t k = 0; k < of->count; k++) {
      const size_t b = of->first + k;
      double f[3], torque[3];
      mb_quat_rotate(f, run.sim->x.E[b].q, run.sim->x.f + 6 * b + 3);
      if (!damped) {
        mb_vec3_copy(without + 3 * k, f);
        continue;
      }
      mb_vec3_sub(f, f, without + 3 * k);
      mb_vec3_cross(torque, run.sim->x.E[b].p, f);
      mb_vec3_add(sum, sum, f);
      mb_vec3_add(sum + 3, sum + 3, torque);
      mb_quat_rotate(speed, run.sim->x.E[b].q, run.sim->x.phi + 6 * b + 3);
      sum[6] += mb_vec3_dot(f, speed);
      if (rigid) sum[6] = fmax(sum[6], mb_vec3_norm(f));
    }
    test_run_free(&run);
  }
}

Test(element_damping, rigid_motions_feel_nothing_and_others_lose_energy_but_no_momentum) {
  static const double ROUNDED = 1e-11; // of forces of some 100 N
  for (int m = 0; m < 3; m++)          // `linear` knows no turning
    for (int d = 0; d < 2; d++) {
      double sum[7];
      sum_up(d, models[m], true, sum);
      test_near("rigid", sum, (double[7]){0}, 7, ROUNDED);
      sum_up(d, models[m], false, sum);
      test_near("sum of forces and torques", sum, (double[6]){0}, 6, ROUNDED);
      cr_assert_lt(sum[6], -0.01, "%s: power %g", models[m], sum[6]);
    }
}
