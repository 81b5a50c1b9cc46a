// Pressure and wind on surfaces: forces are the energy's slopes or those of a plate, K and D their slopes; pressure has no force and no
// torque; bubbles and falling sheets come to where they should.
#include "core/base/alloc.h"
#include "core/deformables/surface_load.h"
#include "core/forces/forces.h"
#include "core/math/se3.h"
#include "tests/runs.h"
#include "tests/ways.h"

#include <stdio.h>
#include <string.h>

static void no_leaks(void) { cr_assert_eq(mb_alloc_live(), 0); }
TestSuite(element_surface, .fini = no_leaks);

enum { MOST = 30 * 6 };

// A bubble that an arm carries at one node, and an open sheet that it carries at two.
static const char scene[] =
    "{\"mbsim\": 1, \"gravity\": [0, 0, 0], \"time\": {\"step\": 0.001, \"steps\": 1}, \"integrator\": "
    "\"implicit\", \"bodies\": [{\"name\": \"arm\", \"shape\": {\"type\": \"box\", \"size\": [0.4, 0.1, "
    "0.1]}, \"mass\": 1, \"joint\": {\"type\": \"spherical\", \"position\": [0.3, -0.5, 0.8]}}], "
    "\"deformables\": ["
    "{\"name\": \"bubble\", \"type\": \"cloth\", \"mesh\": {\"ball\": 2, \"radius\": 0.3}, "
    "\"material\": {\"young\": 1000, \"poisson\": 0.3, \"density\": 100, \"thickness\": 0.01}, "
    "\"pose\": {\"position\": [0.2, 0.1, 0.3]}, \"pressure\": 300, \"wind\": {\"velocity\": [2, -1, 3], "
    "\"density\": "
    "1.5, \"drag\": 1.2, \"lift\": 0.7}, "
    "\"attach\": [{\"select\": {\"vertices\": [0, 3]}, \"body\": \"arm\", \"enforce\": \"reduction\"}]}, "
    "{\"name\": \"sheet\", \"type\": \"cloth\", \"mesh\": {\"grid\": [3, 4], \"size\": [0.3, 0.4]}, "
    "\"material\": {\"young\": 1000, \"poisson\": 0.3, \"density\": 100, \"thickness\": 0.1}, \"wind\": "
    "{\"velocity\": [2, -1, 3], \"density\": 1.5, \"drag\": 0.8, \"lift\": 1.1}, "
    "\"pose\": {\"rotation\": {\"axis\": [1, 0, 0], \"angle\": 0.2}}, "
    "\"attach\": [{\"select\": {\"vertices\": [0, 3]}, \"body\": \"arm\", \"enforce\": \"reduction\"}]}]}";

static TestRun begin(void) {
  TestRun run = test_run(scene, (const char *const[]){NULL});
  cr_assert_eq(mb_sim_step(run.sim, NULL), MB_OK); // signals have their values
  return run;
}

Test(element_surface, derivatives_by_velocities_and_by_places_are_the_forces_slopes) {
  static double D[MOST * MOST], K[MOST * MOST], wanted[MOST * MOST];
  for (int d = 0; d < 2; d++)
    for (int windy = 0; windy < 2; windy++) {
      TestRun run = begin();
      MbElementSurface *surface = (MbElementSurface *)run.model->deformables[d].elements->surface;
      if (!windy) surface->nouter = 0;
      const MbForce *force = test_elements_of(run.model, d);
      TestWay ways[MOST];
      double f[MOST], slope[MOST];
      const size_t n = test_ways(run.model, d, ways, MOST);
      test_disturb(run.sim);
      test_evaluate(run.sim, force, true);
      for (size_t i = 0; i < n; i++) f[i] = run.sim->x.f[6 * ways[i].body + ways[i].axis];
      test_ways_blocks(run.model, run.sim->x.D, ways, n, D);
      test_ways_blocks(run.model, run.sim->x.K, ways, n, K);
      for (size_t j = 0; j < n; j++) slope[j] = test_differ(run.sim, force, ways, n, j, false, wanted);
      test_near("damping", D, wanted, n * n, TEST_CLOSE * (1 + test_largest(D, n * n)));
      cr_expect(windy ? test_largest(D, n * n) > 0.01 : test_largest(D, n * n) == 0);
      for (size_t j = 0; j < n; j++) slope[j] = test_differ(run.sim, force, ways, n, j, true, wanted);
      test_near("stiffness", K, wanted, n * n, TEST_CLOSE * (1 + test_largest(K, n * n)));
      if (!windy) test_near("forces", f, slope, n, TEST_CLOSE * (1 + test_largest(f, n)));
      test_run_free(&run);
    }
}

// Of a deformable's forces with pressure less those without, in W: sum, torque, and of all the largest.
Test(element_surface, pressure_has_no_force_and_no_torque_wherever_the_surface_is) {
  double sum[6] = {0}, most = 0;
  static double without[MOST];
  for (int pressed = 0; pressed < 2; pressed++) {
    TestRun run = begin();
    MbElementSurface *surface = (MbElementSurface *)run.model->deformables[0].elements->surface;
    const MbDeformable *of = &run.model->deformables[0];
    surface->nouter = 0;
    if (!pressed) surface->nchambers = 0;
    test_disturb(run.sim);
    test_evaluate(run.sim, test_elements_of(run.model, 0), false);
    for (size_t k = 0; k < of->count; k++) {
      const size_t b = of->first + k;
      double f[3], torque[3];
      mb_quat_rotate(f, run.sim->x.E[b].q, run.sim->x.f + 6 * b + 3);
      if (!pressed) mb_vec3_copy(without + 3 * k, f);
      if (!pressed) continue;
      mb_vec3_sub(f, f, without + 3 * k);
      mb_vec3_cross(torque, run.sim->x.E[b].p, f);
      mb_vec3_add(sum, sum, f);
      mb_vec3_add(sum + 3, sum + 3, torque);
      most = fmax(most, mb_vec3_norm(f));
    }
    test_run_free(&run);
  }
  cr_expect_gt(most, 10);
  test_near("sum of forces and torques", sum, (double[6]){0}, 6, 1e-13 * most);
}

// A plate of area A at an angle α of attack.
Test(element_surface, wind_on_a_plate_is_drag_by_sin_and_lift_by_sin_cos) {
  static const uint32_t corner[] = {0, 1, 2};
  static const double x[] = {0, 0, 0, 2, 0, 0, 0, 1.5, 0};
  const MbElementSurface plate = {.outer = corner, .nouter = 1, .density = 1.2, .drag = 1.1, .lift = 0.9};
  double a[3], f[3], C[9], Cu[3];
  mb_triangle_area((MbSpots){x, 3}, corner, a);
  for (int k = 0; k <= 12; k++) {
    const double alpha = 3.14159265358979323846 * k / 12, speed = 7, A = 1.5, q = 1.2 / 2 * A * speed * speed;
    const double u[3] = {speed * cos(alpha), 0, speed * sin(alpha)};
    const double drag = 1.1 * q * sin(alpha), lift = 0.9 * q * sin(alpha) * cos(alpha);
    // across the wind, to the side that the plate's normal is on
    const double wanted[3] = {drag * cos(alpha) - lift * sin(alpha), 0,
                              drag * sin(alpha) + lift * cos(alpha)};
    if (!mb_wind_force(&plate, 0, a, u, f, C, NULL, NULL)) mb_vec3_set(f, 0, 0, 0);
    test_near("wind", f, wanted, 3, 1e-13 * q);
    mb_mat3_apply(Cu, C, u);
    test_near("C u", Cu, f, 3, 1e-13 * q);
  }
}

static const char bubble[] =
    "{\"mbsim\": 1, \"gravity\": [0, 0, 0], \"time\": {\"step\": 1, \"steps\": 1}, \"integrator\": "
    "\"static\", "
    "\"deformables\": [{\"name\": \"bubble\", \"type\": \"cloth\", \"mesh\": {\"ball\": 8, \"radius\": 0.1}, "
    "\"material\": {\"model\": \"corotational\", \"young\": 1e6, \"poisson\": 0.3, \"density\": 1000, "
    "\"thickness\": "
    "1e-3}, \"pin\": [{\"select\": {\"vertices\": [0]}}], \"pressure\": 20}]}";

// The radius of a sphere with as much inside.
static double radius_of(const TestRun *run, double *volume) {
  const MbDeformable *of = &run->model->deformables[0];
  size_t count;
  const double *x = test_channel(run->sim, "deformable.bubble.position", &count);
  *volume = mb_chamber_volume(of->elements->surface, 0, (MbSpots){x, 3});
  return cbrt(*volume / of->elements->surface->volume[0]) * 0.1;
}

// Laplace: p = 2 N/r with N = E t/(1 − ν) Δr/r of small strains.
Test(element_surface, a_spherical_membrane_grows_as_laplace_says, TEST_LONG) {
  static const char *const solvers[] = {"redmax", "maximal", "projective"};
  for (int s = 0; s < 3; s++) {
    double off[2];
    for (int fine = 0; fine < 2; fine++) {
      char sets[2][60];
      snprintf(sets[0], sizeof sets[0], "/solver=\"%s\"", solvers[s]);
      snprintf(sets[1], sizeof sets[1], "/deformables/0/mesh/ball=%d", fine ? 12 : 6);
      TestRun run = test_run(bubble, (const char *const[]){sets[0], sets[1], NULL});
      double volume;
      cr_assert_eq(mb_sim_step(run.sim, NULL), MB_OK);
      const double grown = radius_of(&run, &volume) - 0.1, wanted = 20 * 0.01 * 0.7 / (2 * 1e6 * 1e-3);
      off[fine] = fabs(grown / wanted - 1);
      test_run_free(&run);
    }
    cr_expect_lt(off[1], 0.01, "%s: %g and %g", solvers[s], off[0], off[1]);
    cr_expect_lt(off[1], 0.4 * off[0], "%s: %g and %g", solvers[s], off[0], off[1]);
  }
}

// p − p_out = 2 N/r with p V = p₀ V₀: the membrane alone holds little, so that the gas itself has to give.
Test(element_surface, a_gas_grows_until_its_pressure_is_held, TEST_LONG) {
  TestRun run = test_run(
      bubble, (const char *const[]){"/solver=\"projective\"", "/deformables/0/mesh/ball=12",
                                    "/deformables/0/pressure=0",
                                    "/deformables/0/gas={\"pressure\":101000,\"outside\":100000}", NULL});
  double volume, P;
  cr_assert_eq(mb_sim_step(run.sim, NULL), MB_OK);
  const MbElementSurface *surface = run.model->deformables[0].elements->surface;
  const double r = radius_of(&run, &volume), N = 1e6 * 1e-3 / 0.7 * (r / 0.1 - 1);
  mb_chamber_energy(surface, 0, 0, volume, &P, NULL);
  cr_expect_float_eq(P, 101000 * surface->volume[0] / volume - 100000, 1e-7);
  cr_expect(P > 50 && P < 900, "%g Pa are left", P);
  cr_expect_lt(fabs(P * r / (2 * N) - 1), 0.03, "%g Pa, which %g would hold", P, 2 * N / r);
  test_run_free(&run);
}

// m g = ½ ρ c_d A v²
Test(element_surface, a_sheet_that_falls_flat_comes_to_its_terminal_velocity) {
  static const char *const solvers[] = {"redmax", "maximal", "projective"};
  const double v = sqrt(2 * 1000 * 1e-4 * 9.81 / (1.2 * 1.1));
  for (int s = 0; s < 3; s++) {
    char solver[60];
    snprintf(solver, sizeof solver, "/solver=\"%s\"", solvers[s]);
    TestRun run = test_run("{\"mbsim\": 1, \"time\": {\"step\": 0.01, \"steps\": 1}, \"integrator\": "
                           "\"implicit\", \"deformables\": "
                           "[{\"name\": \"sheet\", \"type\": \"cloth\", \"mesh\": {\"grid\": [4, 5], "
                           "\"size\": [0.3, 0.4]}, \"material\": "
                           "{\"young\": 1e5, \"density\": 1000, \"thickness\": 1e-4}, \"wind\": "
                           "{\"velocity\": [0, 0, 0.5], \"drag\": "
                           "1.1}}], \"output\": {\"channels\": [\"deformable.*.velocity\"]}}",
                           (const char *const[]){solver, NULL});
    size_t count;
    for (int k = 0; k < 200; k++) cr_assert_eq(mb_sim_step(run.sim, NULL), MB_OK);
    const double *u = test_channel(run.sim, "deformable.sheet.velocity", &count);
    for (size_t i = 0; i < 20; i++) {
      cr_expect_float_eq(u[3 * i + 2], 0.5 - v, 1e-6, "%s: node %zu falls with %g m/s", solvers[s], i,
                         u[3 * i + 2]);
      cr_expect_lt(fabs(u[3 * i]) + fabs(u[3 * i + 1]), 1e-3);
    }
    test_run_free(&run);
  }
}

Test(element_surface, what_is_not_closed_or_cannot_be_solved_for_is_refused_by_name) {
  static const struct {
    const char *sets[3], *says;
  } cases[] = {
      {{"/deformables/0/mesh={\"grid\":[3,3],\"size\":[1,1]}"},
       "is not closed: it ends at the edge between nodes 0 and 1"},
      {{"/deformables/0/gas={\"pressure\":100}", "/solver=\"redmax\""},
       "solver \"projective\" alone solves for"},
      {{"/deformables/0/gas={\"pressure\":100}",
        "/solver={\"type\":\"projective\",\"method\":\"projective\"}"},
       "does not settle where a gas is enclosed"},
      {{"/deformables/0/type=\"tets\"", "/deformables/0/material={\"young\":1000,\"density\":10}"},
       "has no hollow"},
      {{"/deformables/0/pressure=\"=1/(t-1)\"", "/solver=\"projective\""},
       "the pressure of \"bubble\" is not a finite number"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    MbReport report = {0};
    bool found = false;
    const char *const sets[] = {cases[k].sets[0], cases[k].sets[1], cases[k].sets[2], NULL};
    cr_expect_neq(test_try(bubble, sets, 1, &report), MB_OK, "%s", cases[k].says);
    for (int i = 0; i < report.kept; i++) found |= strstr(report.issues[i].text, cases[k].says) != NULL;
    cr_expect(found, "wanted \"%s\", and it says \"%s\"", cases[k].says,
              report.kept ? report.issues[0].text : "");
  }
}

// A skin that floats: nothing holds it, and what is in it pushes it nowhere.
#define FLOATS                                                                                               \
  "{\"mbsim\": 1, \"gravity\": [0, 0, 0], \"time\": {\"step\": 1, \"steps\": 2}, \"solver\": "               \
  "{\"type\": \"projective\", \"method\": \"newton\"}, \"integrator\": \"static\", \"deformables\": "        \
  "[{\"name\": \"b\", \"type\": \"cloth\", \"mesh\": {\"ball\": 6, \"radius\": 0.1}, \"material\": "         \
  "{\"young\": 1e6, \"poisson\": 0.45, \"density\": 1000, \"thickness\": 0.0002}, \"gas\": {\"pressure\": "  \
  "500}}]}"

Test(element_surface, what_floats_with_a_pressure_in_it_has_an_equilibrium) {
  static const char *const inside[] = {"/deformables/0/gas/pressure=500", "/deformables/0/gas/pressure=50",
                                       "/time/step=0.1"};
  for (size_t k = 0; k < 3; k++) {
    MbReport report = {0};
    TestRun run = test_run(FLOATS, (const char *const[]){inside[k], NULL});
    size_t count;
    double middle[3] = {0};
    for (int n = 0; n < 2; n++)
      cr_assert_eq(mb_sim_step(run.sim, &report), MB_OK, "%s: %s", inside[k], report.issues[0].text);
    const double *x = test_channel(run.sim, "deformable.b.position", &count);
    for (size_t c = 0; c < count; c++) middle[c % 3] += x[c] / (double)(count / 3);
    test_near(inside[k], middle, (double[3]){0}, 3, 1e-9);
    test_run_free(&run);
  }
  MbReport report = {0}; // and what falls has none
  cr_expect_eq(test_try(FLOATS, (const char *const[]){"/gravity=[0,0,-1e-3]", NULL}, 1, &report), MB_NUMBERS);
  cr_expect_eq(mb_alloc_live(), 0);
}
