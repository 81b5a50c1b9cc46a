// Loops: the time of a step of a chain of n links, k of whose links are tied to the world. Loops are solved by k columns of
// A^-1 H^T, each O(n) by the recursion, and a dense system of k unknowns: what they add to a step is to grow as k n.
#include "core/base/alloc.h"
#include "io/scene/scene.h"
#include "tools/bench/bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TIMES = 9 };
static const int ties[] = {0, 1, 2, 4, 8, 16, 32};
enum { COUNT = sizeof ties / sizeof *ties };

static void links(FILE *out, int n) {
  for (int i = 0; i < n; i++) {
    static const char *const axes[] = {"[1,0,0]", "[0,1,0]", "[0,0,1]"};
    fprintf(
        out,
        "%s{\"name\":\"b%d\",\"inertia\":{\"mass\":1,\"center\":[0,0,-0.1],"
        "\"matrix\":[0.01,0.012,0.008,0,0,0]},\"joint\":{\"type\":\"revolute\",\"axis\":%s,\"position\":%g",
        i ? "," : "", i, axes[i % 3], i / 3 % 2 ? 1e-3 : -1e-3);
    if (i) fprintf(out, ",\"parent\":\"b%d\",\"in_parent\":{\"position\":[0,0,-0.2]}", i - 1);
    fputs("}}", out);
  }
}

// Rods of length 1 or so from the world to links at equal distances, the last among them.
static char *scene_text(int n, int k) {
  char *text = NULL;
  size_t length = 0;
  FILE *const out = open_memstream(&text, &length);
  if (!out) return NULL;
  fputs("{\"mbsim\":1,\"time\":{\"step\":1e-5,\"steps\":1},\"integrator\":\"symplectic\",\"bodies\":[", out);
  links(out, n);
  fputs("],\"constraints\":[", out);
  for (int i = 0; i < k; i++) {
    const int link = n * (i + 1) / k - 1;
    fprintf(
        out,
        "%s{\"type\":\"distance\",\"between\":[{\"body\":\"world\",\"at\":[1,%g,%g]},{\"body\":\"b%d\"}]}",
        i ? "," : "", 0.5 * (i % 3 - 1), -0.2 * link, link);
  }
  fputs("]}", out);
  return fclose(out) == 0 ? text : (free(text), NULL);
}

// Microseconds of processor time a step: the median over repetitions.
static double measure(MbSim *sim, MbReport *report) {
  double each[TIMES] = {0}, took = 0;
  int repeat = 0;
  for (const double start = mb_bench_cpu(); took < 5e-3; took = mb_bench_cpu() - start, repeat++)
    if (mb_sim_step(sim, report) != MB_OK) return NAN;
  for (int i = 0; i < TIMES; i++) {
    const double start = mb_bench_cpu();
    for (int s = 0; s < repeat; s++)
      if (mb_sim_step(sim, report) != MB_OK) return NAN;
    each[i] = 1e6 * (mb_bench_cpu() - start) / repeat;
  }
  qsort(each, TIMES, sizeof *each, mb_bench_ascending);
  return each[TIMES / 2];
}

static double step_time(int n, int k) {
  MbReport report = {0};
  MbScene *scene = NULL;
  MbModel *model = NULL;
  MbSim *sim = NULL;
  double us = NAN;
  char *const text = scene_text(n, k);
  if (text && mb_scene_parse(text, strlen(text), "loops", ".", NULL, &scene, &report) == MB_OK &&
      mb_model_create(scene, &model, &report) == MB_OK && mb_sim_create(model, NULL, &sim, &report) == MB_OK)
    us = measure(sim, &report);
  if (isnan(us)) fprintf(stderr, "no numbers: %s\n", report.kept ? report.issues[0].text : "no memory");
  mb_sim_free(sim);
  mb_model_free(model);
  mb_scene_free(scene);
  free(text);
  return us;
}

// The slope of log y over log k, from `first` on, by least squares.
static double exponent(const double *y, int first) {
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (int i = first; i < COUNT; i++) {
    const double x = log(ties[i]), z = log(y[i]);
    n += 1, sx += x, sy += z, sxx += x * x, sxy += x * z;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

bool mb_bench_loops(void) {
  static const int sizes[] = {100, 1000};
  double added[2][COUNT] = {0};
  bool met = true;
  printf("  a step of a chain of n links, k of them tied to the world, in microseconds; what the ties add, a "
         "tie and link\n");
  for (int s = 0; s < 2; s++) {
    const double bare = step_time(sizes[s], 0);
    printf("  n = %4d  k =  0 %10.1f\n", sizes[s], bare);
    for (int i = 1; i < COUNT; i++) {
      const double us = step_time(sizes[s], ties[i]);
      added[s][i] = us - bare;
      printf("            k = %2d %10.1f %10.1f ns\n", ties[i], us, 1e3 * added[s][i] / ties[i] / sizes[s]);
    }
    // over k, once it is more than what a step with any tie takes more
    met &= mb_bench_target("exponent k", exponent(added[s], 3), "", 1.25, false);
  }
  const double by_n = log10(added[1][COUNT - 1] / added[0][COUNT - 1]);
  return mb_bench_target("exponent n", by_n, "", 1.25, false) && met;
}
