// Bodies and deformables in one step: how many iterations a step takes, and how long, until a run of a tenth of a second ends within
// a share of the solution's way from the start. The solution is that of Newton's method, or where it is too slow of many quasi-Newton
// steps. Then what rows cost: the longest bar held by an arm at both of its ends, beside the same one with pins there.
#include "core/sim/nodes.h"
#include "io/scene/scene.h"
#include "tools/bench/bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 10, ROOM = 40000, TIGHT = 3000 }; // iterations that come to the solution

#define HEAD                                                                                                 \
  "{\"mbsim\": 1, \"integrator\": \"implicit\", \"time\": {\"step\": 0.01, \"steps\": 1000}, "               \
  "\"output\": {\"channels\": [\"body.position\"]}, "
#define BOX(name, rest)                                                                                      \
  "{\"name\": \"" name                                                                                       \
  "\", \"shape\": {\"type\": \"box\", \"size\": [0.2, 0.1, 0.1]}, \"density\": 500" rest "}"
#define HINGE(parent, x)                                                                                     \
  ", \"joint\": {\"type\": \"revolute\", \"axis\": [0, 1, 0], \"parent\": \"" parent                         \
  "\", \"in_parent\": {\"position\": [" x ", 0, 0]}, \"in_body\": {\"position\": [-0.1, 0, 0]}, "            \
  "\"position\": 0.2, \"velocity\": 1}"
#define TETS(name, box, size, place, young, rest)                                                            \
  "{\"name\": \"" name "\", \"type\": \"tets\", \"mesh\": {\"box\": " box ", \"size\": " size "}, "          \
  "\"pose\": {\"position\": " place "}, \"material\": {\"model\": \"neo_hookean\", \"young\": " young ", "   \
  "\"poisson\": 0.4, \"density\": 300}" rest "}"
#define ARM                                                                                                  \
  "\"bodies\": [" BOX("a", HINGE("world", "0")) ", " BOX("b", HINGE("a", "0.1")) ", " BOX(                   \
      "c", HINGE("b", "0.1")) "], "
#define BAR(box, young, rest) TETS("bar", box, "[0.1, 0.1, 0.6]", "[0, -0.05, -0.7]", young, rest)
#define BY_ARM                                                                                               \
  ", \"attach\": [{\"select\": {\"side\": \"+z\"}, \"body\": \"a\"}, {\"select\": {\"vertices\": [0, 1]}, "  \
  "\"body\": \"c\"}]"
#define CORNER "\"select\": {\"box\": [[-0.001, -0.001, 0.59], [0.016, 0.016, 0.61]]}" // 16 nodes

static const struct {
  const char *name, *text;
} cases[] = {
    {"soft bar in an arm, E = 1e5 Pa", HEAD ARM "\"deformables\": [" BAR("[5, 5, 21]", "1e5", BY_ARM) "]}"},
    {"soft bar in an arm, E = 1e8 Pa", HEAD ARM "\"deformables\": [" BAR("[5, 5, 21]", "1e8", BY_ARM) "]}"},
    {"cloth on a linkage",
     HEAD "\"bodies\": [" BOX("left", HINGE("world", "0")) ", " BOX("top", HINGE("left", "0.1")) ", " BOX(
         "right",
         HINGE("top", "0.1")) "], \"constraints\": [{\"type\": \"point\", \"compliance\": 1e-5, "
                              "\"between\": [{\"body\": \"right\", \"at\": [0.1, 0, 0]}, "
                              "{\"body\": \"world\", \"at\": [0.55, 0, -0.23]}]}], \"deformables\": "
                              "[{\"name\": \"sail\", \"type\": \"cloth\", \"mesh\": {\"grid\": "
                              "[21, 21], \"size\": [0.2, 0.2], \"pattern\": \"cross\"}, \"pose\": "
                              "{\"position\": [0.1, 0.1, 0]}, \"material\": {\"young\": 2e5, "
                              "\"poisson\": 0.3, \"density\": 300, \"thickness\": 1e-3}, \"attach\": "
                              "[{\"select\": {\"vertices\": [0, 20]}, \"body\": \"left\"}, "
                              "{\"select\": {\"vertices\": [440]}, \"body\": \"right\"}]}]}"},
    {"muscle, spring and rod at a block",
     HEAD "\"bodies\": [" BOX("arm", HINGE("world", "0")) ", " BOX(
         "ball", ", \"pose\": {\"position\": [0.8, 0.3, "
                 "0]}") "], \"deformables\": [" TETS("block", "[7, 7, 7]", "[0.2, 0.2, 0.2]",
                                                     "[0.5, -0.1, -0.1]", "2e4",
                                                     "") "], \"forces\": [{\"type\": \"muscle\", \"path\": "
                                                         "[{\"body\": \"arm\", \"at\": [0.1, 0, 0]}, "
                                                         "{\"node\": \"block\", \"index\": 24}], "
                                                         "\"activation\": 0.5, \"max_force\": 20, "
                                                         "\"optimal_length\": 0.4, \"max_velocity\": 5}, "
                                                         "{\"type\": \"spring\", \"between\": [{\"body\": "
                                                         "\"ball\", \"at\": [0.05, 0, 0]}, {\"node\": "
                                                         "\"block\", \"index\": 300}], \"stiffness\": 5000, "
                                                         "\"damping\": 1}], \"constraints\": [{\"type\": "
                                                         "\"distance\", \"between\": [{\"body\": "
                                                         "\"ball\", "
                                                         "\"at\": [0, 0.05, 0]}, {\"node\": \"block\", "
                                                         "\"index\": 342}]}]}"},
};
enum { CASES = sizeof cases / sizeof *cases, METHODS = 3, GOALS = 2 };
static const char *const methods[METHODS] = {"lbfgs", "projective", "newton"};
static const double goals[GOALS] = {1e-3, 1e-6};

typedef struct Run {
  MbScene *scene;
  MbModel *model;
  MbSim *sim;
} Run;

static bool open_run(const char *text, const char *method, int iterations, Run *run) {
  char solver[200];
  const char *few = strcmp(method, "newton") ? "" : ", \"tolerance\": 1e9";
  snprintf(solver, sizeof solver,
           "/solver={\"type\": \"projective\", \"method\": \"%s\", \"iterations\": %d%s}", method, iterations,
           iterations < TIGHT ? few : ", \"tolerance\": 1e-9");
  const char *const sets[] = {solver};
  const MbSceneOptions with = {.sets = sets, .nsets = 1};
  MbReport report = {0};
  const MbSimOptions options = {.threads = 1};
  *run = (Run){0};
  MbStatus status = mb_scene_parse(text, strlen(text), "bench", ".", &with, &run->scene, &report);
  if (status == MB_OK) status = mb_model_create(run->scene, &run->model, &report);
  if (status == MB_OK) status = mb_sim_create(run->model, &options, &run->sim, &report);
  if (status != MB_OK) fprintf(stderr, "%s: %s\n", report.issues[0].where, report.issues[0].text);
  return status == MB_OK;
}

static void close_run(Run *run) {
  mb_sim_free(run->sim);
  mb_model_free(run->model);
  mb_scene_free(run->scene);
}

static size_t places(const Run *run, double *out) {
  const size_t nb = mb_model_own(run->model), n = 3 * mb_model_points(run->model);
  for (size_t b = 0; b < nb; b++) memcpy(out + 3 * b, run->sim->x.E[b].p, 3 * sizeof *out);
  memcpy(out + 3 * nb, mb_nodes_places(run->sim), n * sizeof *out);
  return 3 * nb + n;
}

// The run's end, and processor milliseconds a step; *way: the longest from the start.
static double follow(const char *text, const char *method, int iterations, double *out, size_t *n,
                     double *way) {
  static double start[ROOM];
  Run run;
  MbReport report = {0};
  MbStatus status = MB_OK;
  if (!open_run(text, method, iterations, &run)) return (double)NAN;
  *n = places(&run, start);
  const double began = mb_bench_cpu();
  for (int k = 0; k < STEPS && status == MB_OK; k++) status = mb_sim_step(run.sim, &report);
  const double ms = 1e3 * (mb_bench_cpu() - began) / STEPS;
  places(&run, out);
  *way = 0;
  for (size_t i = 0; i < *n; i++) *way = fmax(*way, fabs(out[i] - start[i]));
  close_run(&run);
  if (status != MB_OK) fprintf(stderr, "%s\n", report.issues[0].text);
  return status == MB_OK ? ms : (double)NAN;
}

static bool converge(const char *name, const char *text) {
  static const int counts[] = {1,  2,  3,  4,  5,  6,  8,   10,  12,  15, 20,
                               25, 30, 40, 50, 65, 80, 100, 130, 160, 200};
  enum { COUNTS = sizeof counts / sizeof *counts };
  static double all[ROOM], some[ROOM];
  size_t n = 0;
  double way = 0, other;
  const double newton = follow(text, "newton", TIGHT, all, &n, &way);
  if (!isfinite(newton)) return false;
  printf("  %s (%zu numbers, newton %.1f ms a step)\n", name, n, newton);
  for (int m = 0; m < METHODS - 1; m++) {
    int goal = 0;
    printf("    %-12s", methods[m]);
    for (int k = 0; k < COUNTS && goal < GOALS; k++) {
      double far = 0;
      const double ms = follow(text, methods[m], counts[k], some, &n, &other);
      for (size_t i = 0; i < n; i++) far = fmax(far, fabs(some[i] - all[i]));
      for (; goal < GOALS && far <= goals[goal] * way; goal++) printf("  %4d %8.2f", counts[k], ms);
    }
    for (; goal < GOALS; goal++) printf("  %4s %8s", "-", "-");
    printf("\n");
    fflush(stdout);
  }
  return true;
}

// Of 5,292 nodes; ten iterations a step.
static bool cost(void) {
  static const char *const text[] = {
      HEAD ARM "\"deformables\": [" BAR("[21, 21, 12]", "1e5", ", \"pin\": [{" CORNER "}]") "]}", HEAD ARM
      "\"deformables\": [" BAR("[21, 21, 12]", "1e5", ", \"attach\": [{" CORNER ", \"body\": \"a\"}]") "]}"};
  static double end[ROOM];
  double ms[2] = {INFINITY, INFINITY}, way;
  size_t n = 0;
  for (int k = 0; k < 6; k++) {
    const double took = follow(text[k % 2], "lbfgs", 10, end, &n, &way);
    if (!isfinite(took)) return false;
    ms[k % 2] = fmin(ms[k % 2], took);
  }
  printf("  bar of 5,292 nodes, ten iterations: %.2f ms a step, tied to an arm %.2f ms\n", ms[0], ms[1]);
  return mb_bench_target("tied", ms[1] / ms[0], "times", 1.25, false);
}

bool mb_bench_coupled(void) {
  bool met = true;
  printf("  iterations a step and milliseconds to within\n    %-12s", "");
  for (int g = 0; g < GOALS; g++) printf("  %13g", goals[g]);
  printf("\n");
  for (int i = 0; i < CASES; i++) met = converge(cases[i].name, cases[i].text) && met;
  return cost() && met;
}
