// Derivatives by what signals are given by, tables of every kind and expressions, wherever signals are taken: of motors, joints' forces, forces, muscles, wind and pressure, and of prescribed motion of joints and bodies,
// against differences of whole runs; backwards as along the run. What many tables cost is in `mbsim-bench gradient_touch`.
#include "tests/io/gradient_cases.h"

#include <math.h>
#include <stdio.h>

static const GradientWay ways[] = {{"\"redmax\"", "symplectic", true},  {"\"redmax\"", "implicit", true},
                                   {"\"redmax\"", "trapezoidal", true}, {"\"redmax\"", "bdf1", true},
                                   {"\"redmax\"", "bdf2", true},        {"\"redmax\"", "sdirk2", true}};
enum { WAYS = sizeof ways / sizeof *ways };
static const double MOVE = 1e-3;

// By all ways but the first so many.
static void check(const char *scene, const char *set, size_t without) {
  double worst[WAYS] = {0};
  for (size_t w = without; w < WAYS; w++) gradient_check_scene(scene, set, &ways[w], MOVE, &worst[w]);
  printf("largest error, of the largest derivative: %s %s", scene, set ? set : "");
  for (size_t w = without; w < WAYS; w++) printf("  %.1e", worst[w]);
  printf("\n");
}

Test(gradient_signals, derivatives_by_tables_of_motors_and_forces_are_those_of_whole_runs, TEST_LONG) {
  check("given", NULL, 0);
}

Test(gradient_signals, derivatives_by_tables_of_prescribed_motion_are_those_of_whole_runs, TEST_LONG) {
  check("led", NULL, 0);
}

// Of deformables whose nodes are bodies, too soft for explicit steps.
Test(gradient_signals, derivatives_by_tables_of_fibres_wind_and_pressure_are_those_of_whole_runs, TEST_LONG) {
  static const char *const tightens =
      "/deformables/0/material/fibres/0/"
      "activation={\"times\":[0,0.041,0.12],\"values\":[0.1,\"=along\",\"=2*along\"],"
      "\"interpolation\":\"cubic\"}";
  static const char *const gusts =
      "/deformables/0/wind/velocity/0={\"times\":[0,0.041,0.12],\"values\":[0,\"=gust\",\"=-gust\"]}";
  static const char *const blown =
      "/deformables/0/pressure={\"times\":[0,0.043,0.12],\"values\":[0,\"=pressure\",\"=0.5*pressure\"]}";
  check("muscle", tightens, 1);
  check("muscle", gusts, 1);
  check("balloon", blown, 1);
}
