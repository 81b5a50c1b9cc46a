// Thin rods bent far by a force at their end, as "static" finds them: published places, and the same ones for rods of any size.
#include "tests/runs.h"

#include <stdio.h>

typedef struct Bent {
  double to[3]; // where the end comes to, by the rod's length or radius
  double size;
} Bent;

// A rod through n + 1 points, clamped at the first one; `material` is its keys; a body at its end is pulled by a force.
static Bent bend(const char *solver, double size, int n, const double (*point)[3], const char *material,
                 double force) {
  static char text[8000];
  int used = snprintf(
      text, sizeof text,
      "{\"mbsim\": 1, \"gravity\": [0, 0, 0], \"time\": {\"step\": 1, \"steps\": 1}, \"solver\": \"%s\", "
      "\"integrator\": {\"type\": \"static\", \"load_steps\": 10}, \"deformables\": [{\"name\": \"rod\", "
      "\"type\": \"rod\", \"material\": {%s}, \"pin\": [{\"select\": {\"clamp\": \"first\"}}], \"attach\": "
      "[{\"select\": {\"clamp\": \"last\"}, \"body\": \"end\"}], \"mesh\": {\"points\": [",
      solver, material);
  for (int i = 0; i <= n; i++)
    used += snprintf(text + used, sizeof text - (size_t)used, "%s[%.17g, %.17g, %.17g]", i ? ", " : "",
                     size * point[i][0], size * point[i][1], size * point[i][2]);
  snprintf(text + used, sizeof text - (size_t)used,
           "]}}], \"bodies\": [{\"name\": \"end\", \"shape\": {\"type\": \"sphere\", \"radius\": %.17g}, "
           "\"mass\": %.17g, "
           "\"pose\": {\"position\": [%.17g, %.17g, %.17g]}}], \"forces\": [{\"type\": \"point_force\", "
           "\"body\": \"end\", "
           "\"force\": [0, 0, %.17g]}]}",
           size * 0.01, size * size * size * 1e-2, size * point[n][0], size * point[n][1], size * point[n][2],
           force);
  Bent bent = {.size = size};
  TestRun run = test_run(text, NULL);
  test_steps(run.sim, 1);
  for (int k = 0; k < 3; k++) bent.to[k] = run.sim->x.E[0].p[k] / size;
  test_run_free(&run);
  return bent;
}

// Bathe and Bolourchi (Int. J. Num. Meth. Eng. 14, 1979): an arc of 45 degrees and a radius of 100, of a square section of 1, with E = 10⁷ and no
// lateral contraction, pushed out of its plane by 600. All lengths by `size`/100.
static Bent arc(double size) {
  enum { N = 12 };
  double point[N + 1][3];
  char material[200];
  for (int i = 0; i <= N; i++) {
    const double angle = 0.78539816339744831 * i / N;
    point[i][0] = sin(angle), point[i][1] = 1 - cos(angle), point[i][2] = 0;
  }
  const double one = size / 100, four = one * one * one * one;
  snprintf(material, sizeof material,
           "\"radius\": %.17g, \"young\": 1e7, \"poisson\": 0, \"bending\": %.17g, \"twisting\": %.17g, "
           "\"density\": 1",
           one * 0.56418958354775628, 1e7 / 12 * four, 5e6 / 6 * four);
  return bend("redmax", size, N, (const double(*)[3])point, material, 600 * one * one);
}

Test(static_rods_long, a_curved_one_comes_to_the_published_place_whatever_its_size, TEST_LONG) {
  static const double PUBLISHED[3] = {0.472, 0.159, 0.534}, SIZES[] = {100, 0.001};
  const Bent first = arc(1);
  for (int k = 0; k < 3; k++)
    cr_expect_float_eq(first.to[k], PUBLISHED[k], 0.004, "%d: %.5g, wanted %.5g", k, first.to[k],
                       PUBLISHED[k]);
  for (int i = 0; i < 2; i++) {
    const Bent other = arc(SIZES[i]);
    for (int k = 0; k < 3; k++)
      cr_expect_float_eq(other.to[k], first.to[k], 1e-6, "of %g m, %d: %.9g, wanted %.9g", SIZES[i], k,
                         other.to[k], first.to[k]);
  }
}

// Mattiasson (Int. J. Num. Meth. Eng. 17, 1981): a cantilever that does not stretch, with a force P across its end.
Test(static_rods_long, a_cantilever_comes_to_where_elliptic_integrals_have_it, TEST_LONG) {
  enum { N = 16 };
  static const struct {
    double load, across, along; // P L²/EI; ways of the end by its length
  } KNOWN[] = {{1, 0.30172, 0.05643}, {5, 0.71379, 0.38763}};
  static const double RADIUS = 0.005, YOUNG = 1e8;
  double point[N + 1][3] = {{0}};
  char material[100];
  for (int i = 0; i <= N; i++) point[i][0] = (double)i / N;
  snprintf(material, sizeof material, "\"radius\": %g, \"young\": %g, \"density\": 1000", RADIUS, YOUNG);
  const double EI = YOUNG * 0.78539816339744831 * RADIUS * RADIUS * RADIUS * RADIUS;
  for (int i = 0; i < 3; i++) {
    const char *solver = i % 2 ? "maximal" : "redmax";
    const Bent bent = bend(solver, 1, N, (const double(*)[3])point, material, -KNOWN[i / 2].load * EI);
    cr_expect_float_eq(-bent.to[2], KNOWN[i / 2].across, 0.002, "%s, load %g: %.5g across", solver,
                       KNOWN[i / 2].load, -bent.to[2]);
    cr_expect_float_eq(1 - bent.to[0], KNOWN[i / 2].along, 0.002, "%s, load %g: %.5g along", solver,
                       KNOWN[i / 2].load, 1 - bent.to[0]);
    cr_expect_lt(fabs(bent.to[1]), 1e-6);
  }
}
