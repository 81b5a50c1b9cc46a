// Derivatives of runs in which deformables touch bodies and one another, by single steps, against differences of whole runs.
#include "tests/io/gradient_cases.h"

#include <criterion/criterion.h>
#include <stdio.h>

static const double NEAR = 1e-6;

static void check(const char *scene, const GradientWay *way) {
  double worst = 0;
  gradient_check_scene(scene, NULL, way, NEAR, &worst);
  printf("largest error, of the largest derivative: %s under %s %.1e\n", scene, way->solver, worst);
}

Test(gradient_soft, derivatives_of_what_lands_softly_are_those_of_whole_runs) {
  check("soft_landing", &(GradientWay){"\"redmax\"", "implicit", false});
}

// Cloth is stiff along itself and light: steps under "maximal" tell derivatives of it by its stiffness to 4e-6.
Test(gradient_soft, derivatives_under_other_solvers_are_those_of_whole_runs, TEST_LONG) {
  static const GradientWay
      maximal = {"\"maximal\"", "implicit", false},
      newton = {"{\"type\":\"projective\",\"method\":\"newton\",\"iterations\":100,\"tolerance\":1e-12}",
                "implicit", false};
  check("soft_landing", &maximal);
  check("soft_landing", &newton);
  check("draping", &newton);
}
