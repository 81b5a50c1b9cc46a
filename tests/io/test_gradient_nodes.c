// Derivatives back through steps of deformables under solver projective, by every number of their materials, of what acts on them and of what holds
// them, beside derivatives along the run and differences of whole runs.
#include "core/base/alloc.h"
#include "tests/io/gradient_cases.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const GradientWay newton = {"{\"type\":\"projective\",\"method\":\"newton\"}", "implicit", false};
static const double MOVE = 1e-3;

static void check(const char *scene, const char *set) {
  double worst[2] = {0};
  gradient_check_nodes(scene, set, &newton, MOVE, worst);
  printf("largest error back, of what is summed up: %s %s  %.1e along  %.1e by whole runs\n", scene,
         set ? set : "", worst[0], worst[1]);
}

Test(gradient_nodes, every_material_has_a_way_back, TEST_LONG) {
  for (size_t m = 0; mb_elastic_words[m]; m++) check("beam", mb_elastic_words[m]);
}

Test(gradient_nodes, bending_and_its_damping_have_a_way_back, TEST_LONG) {
  check("cloth", NULL);
  check("rods", NULL);
}

Test(gradient_nodes, fibres_wind_pressure_and_gas_have_a_way_back, TEST_LONG) {
  check("muscle", NULL);
  check("balloon", NULL);
  check("balloon", "/deformables/0/gas={\"pressure\":\"=1e4+pressure\",\"outside\":10000}");
}

Test(gradient_nodes, pins_that_move_cables_springs_and_what_stands_still_have_a_way_back) {
  check("held", NULL);
}

Test(gradient_nodes, tables_of_loads_are_gathered) {
  check("muscle", "/deformables/0/material/fibres/0/activation={\"times\":[0,0.041,0.12],\"values\":[0.1,"
                  "\"=along\",\"=2*along\"],\"interpolation\":\"cubic\"}");
  check("muscle", "/deformables/0/wind/velocity/0={\"times\":[0,0.041,0.12],\"values\":[0,\"=gust\","
                  "\"=-gust\"]}");
  check("balloon", "/deformables/0/pressure={\"times\":[0,0.043,0.12],\"values\":[0,\"=pressure\","
                   "\"=0.5*pressure\"]}");
}
