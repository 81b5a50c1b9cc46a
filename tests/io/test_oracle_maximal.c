// The published examples in maximal coordinates: poses and body twists of a free cuboid, and of two cuboids on two hinges
// whose rows ask for −g/h, as ours do. Prints the largest errors.
#include "tests/runs.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// They take velocity terms as forces in the bodies' axes.
#define EXPLICIT "\"velocity_terms\": \"explicit\""
#define HEAD     "{\"mbsim\": 1, \"gravity\": [0, 0, -98], \"output\": {}, "
#define LONG                                                                                                 \
  "\"inertia\": {\"mass\": 10, \"center\": [0, 0, 0], \"matrix\": [1.6666666666666665, 84.16666666666666, "  \
  "84.16666666666664, 0, 0, 0]}"
#define TALL                                                                                                 \
  "\"inertia\": {\"mass\": 10, \"center\": [0, 0, 0], \"matrix\": [84.16666666666666, 84.16666666666664, "   \
  "1.6666666666666665, 0, 0, 0]}"

static const char *const RIGID =
    HEAD "\"time\": {\"step\": 0.005, \"steps\": 401}, \"solver\": \"maximal\", \"bodies\": [{\"name\": "
         "\"a\", " LONG ", \"velocity\": {\"linear\": [0, 0, 90], \"angular\": [0, 3, 0]}}]}";
static const char *const HINGES =
    HEAD "\"time\": {\"step\": 0.01, \"steps\": 101}, \"solver\": \"maximal\", \"bodies\": [{\"name\": "
         "\"a\", " LONG ", \"joint\": {\"type\": \"revolute\", \"axis\": [0, 1, 0]}}, {\"name\": \"b\", " TALL
         ", \"joint\": {\"type\": \"revolute\", \"axis\": [0, 1, 0], \"parent\": \"a\", \"in_parent\": "
         "{\"position\": "
         "[5, 0, 0]}, \"in_body\": {\"position\": [0, 0, 5]}}}]}";

static cJSON *read_oracle(const char *path) {
  char *text = test_text_of(path);
  cJSON *tree = cJSON_Parse(text);
  free(text);
  cr_assert_not_null(tree, "%s", path);
  return tree;
}

// E (position, then rotation by rows) and φ = (ω, v) in body axes of the body frame, which is the centre's here
static void compare(const MbSim *sim, size_t body, const cJSON *wanted, double worst[2]) {
  const size_t b = sim->model->number[body];
  const cJSON *E = cJSON_GetObjectItem(wanted, "E"), *phi = cJSON_GetObjectItem(wanted, "phi");
  MbPose B, inverse;
  double R[9], A[36], twist[6];
  mb_pose_inverse(&inverse, &sim->model->C[b]);
  mb_pose_mul(&B, &sim->x.E[b], &inverse);
  mb_quat_to_mat3(R, B.q);
  mb_se3_adjoint(A, &sim->model->C[b]);
  for (int i = 0; i < 6; i++) {
    twist[i] = 0;
    for (int j = 0; j < 6; j++) twist[i] += A[6 * i + j] * sim->x.phi[6 * b + (size_t)j];
  }
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 4; j++) {
      const double is = j < 3 ? R[3 * i + j] : B.p[i];
      const double off = fabs(is - cJSON_GetArrayItem(cJSON_GetArrayItem(E, i), j)->valuedouble);
      worst[0] = off <= worst[0] ? worst[0] : off;
    }
  for (int i = 0; i < 6; i++) {
    const double off = fabs(twist[i] - cJSON_GetArrayItem(phi, i)->valuedouble);
    worst[1] = off <= worst[1] ? worst[1] : off;
  }
}

static void check(const char *name, const char *scene, const char *solver, const char *path) {
  static const double CLOSE = 1e-10; // rounding of some hundred steps on numbers up to 100; 5e-13 seen
  const char *sets[] = {solver, NULL};
  TestRun run = test_run(scene, sets);
  cJSON *tree = read_oracle(path);
  const cJSON *sample;
  double worst[2] = {0};
  int samples = 0;
  cJSON_ArrayForEach(sample, cJSON_GetObjectItem(tree, "samples")) {
    test_steps(run.sim,
               (int64_t)cJSON_GetObjectItem(sample, "steps_done")->valuedouble - mb_sim_steps(run.sim));
    const cJSON *bodies = cJSON_GetObjectItem(sample, "bodies");
    const size_t nb = cJSON_IsArray(bodies) ? (size_t)cJSON_GetArraySize(bodies) : 1;
    cr_assert_eq(nb, run.model->nlisted);
    for (size_t i = 0; i < nb; i++)
      compare(run.sim, i, cJSON_IsArray(bodies) ? cJSON_GetArrayItem(bodies, (int)i) : bodies, worst);
    samples++;
  }
  printf("%-20s %-30s poses %.1e, twists %.1e\n", name,
         strstr(solver, "linear") ? strstr(solver, "linear") : "tree", worst[0], worst[1]);
  cr_expect(worst[0] <= CLOSE && worst[1] <= CLOSE, "%s: poses off by %g, twists by %g", name, worst[0],
            worst[1]);
  cr_assert_gt(samples, 5);
  cJSON_Delete(tree);
  test_run_free(&run);
}

Test(oracle_maximal, published_examples_come_out_to_1e_10) {
  static const char *const solvers[] = {
      "/solver={\"type\": \"maximal\", " EXPLICIT "}",
      "/solver={\"type\": \"maximal\", \"linear\": \"dense\", " EXPLICIT "}",
      "/solver={\"type\": \"maximal\", \"linear\": \"sparse\", " EXPLICIT "}"};
  for (size_t k = 0; k < 3; k++) {
    check("free cuboid", RIGID, solvers[k], "tests/oracle/maximal/rigid.json");
    check("two hinges", HINGES, solvers[k], "tests/oracle/maximal/two-hinges.json");
  }
}
