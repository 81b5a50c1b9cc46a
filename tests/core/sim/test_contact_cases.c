// Structures whose strength is known from statics: what stands does not creep, and what statics says must give way does.
#include "core/sim/accounting.h"
#include "core/sim/constrain_internal.h"
#include "core/sim/touch.h"
#include "tests/runs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define GROUND "{\"name\": \"ground\", \"shape\": {\"type\": \"plane\"}, \"joint\": {\"type\": \"fixed\"}}"

typedef struct Text {
  char at[60000];
  size_t n;
} Text;

#define ADD(TEXT, ...)                                                                                       \
  ((TEXT)->n += (size_t)snprintf((TEXT)->at + (TEXT)->n, sizeof(TEXT)->at - (TEXT)->n, __VA_ARGS__))

static void begin(Text *text, const char *rules) {
  text->n = 0;
  ADD(text, "{\"mbsim\": 1, %s, \"bodies\": [", rules);
}

// How far the body that has gone farthest has gone in so many steps.
static double strays(const TestRun *run, int64_t steps) {
  enum { MOST = 100 };
  MbPose from[MOST];
  double most = 0, d[3];
  cr_assert_leq(run->model->nb, MOST);
  memcpy(from, run->sim->x.E, run->model->nb * sizeof *from);
  test_steps(run->sim, steps);
  for (size_t b = 0; b < run->model->nb; b++) {
    mb_vec3_sub(d, run->sim->x.E[b].p, from[b].p);
    most = fmax(most, mb_vec3_norm(d));
  }
  return most;
}

// ---- what friction holds ----------------------------------------------------------------------------------

// A pyramid of 55 boxes that stand half on one another.
static void stand(Text *text, const char *rules) {
  begin(text, rules);
  ADD(text, GROUND);
  for (int k = 0; k < 10; k++)
    for (int i = 0; i < 10 - k; i++)
      ADD(text,
          ", {\"name\": \"%d %d\", \"density\": 500, \"shape\": {\"type\": \"box\", \"size\": [0.5, 0.5, "
          "0.5]}, "
          "\"pose\": {\"position\": [%g, 0, %g]}}",
          k, i, 0.55 * (i + 0.5 * k), 0.25 + 0.5 * k);
  ADD(text, "]}");
}

Test(contact_cases_long, a_pyramid_of_55_boxes_does_not_creep_in_a_minute, TEST_LONG) {
  static Text text;
  stand(&text, "\"time\": {\"step\": 0.01, \"steps\": 6100}, \"contact\": {\"friction\": 0.5}");
  TestRun run = test_run(text.at, NULL);
  test_steps(run.sim, 100);
  const double far = strays(&run, 6000);
  cr_expect_gt(run.sim->touching->last.n, 200);
  cr_expect(far < 1e-8, "%g m", far);
  test_run_free(&run);
}

// Pivots want a W that is definite, which that of a box on four corners is not: what they add to it is no compliance.
Test(contact_cases_long, a_box_by_pivots_does_not_creep_in_a_minute, TEST_LONG) {
  static const char *const laws[] = {
      "/contact={\"friction\": 0.5, \"cone\": \"pyramid\", \"method\": \"pivoting\"}",
      "/contact={\"friction\": 0.5, \"cone\": \"pyramid\", \"method\": \"pivoting\", \"sides\": 16}",
      "/contact={\"friction\": 0.5, \"cone\": \"pyramid\"}",
      "/contact={\"friction\": 0.5, \"cone\": \"box\", \"method\": \"pivoting\"}"};
  static Text text;
  begin(&text,
        "\"gravity\": [4.5, 0.3, -9.81], \"time\": {\"step\": 0.01, \"steps\": 6000}, \"contact\": true");
  ADD(&text, GROUND);
  ADD(&text,
      ", {\"name\": \"box\", \"density\": 500, \"shape\": {\"type\": \"box\", \"size\": [0.5, 0.5, 0.5]}, "
      "\"pose\": {\"position\": [0, 0, 0.25]}}");
  ADD(&text, "]}");
  for (size_t k = 0; k < sizeof laws / sizeof *laws; k++) {
    TestRun run =
        test_run(text.at, (const char *const[]){laws[k], k % 2 ? "/gravity=[4.8, 0.3, -9.81]" : NULL, NULL});
    const double far = strays(&run, 6000);
    cr_expect(far < 5e-9, "%s: it goes %g m", laws[k], far);
    test_run_free(&run);
  }
}

Test(contact_cases_long, heaps_with_pyramids_of_friction_are_solved_and_lose_energy_alone, TEST_LONG) {
  static Text text;
  begin(&text, "\"time\": {\"step\": 0.005, \"steps\": 200}, \"contact\": {\"friction\": 0.5, "
               "\"cone\": \"pyramid\"}");
  ADD(&text, GROUND);
  for (int i = 0; i < 24; i++)
    ADD(&text,
        ", {\"name\": \"%d\", \"density\": 1000, \"shape\": {\"type\": \"box\", \"size\": [%g, %g, %g]}, "
        "\"pose\": {\"position\": [%g, %g, %g], \"rotation\": {\"axis\": [1, %g, %g], \"angle\": %g}}}",
        i, 0.1 + 0.02 * (i % 7), 0.1 + 0.03 * (i % 4), 0.1 + 0.05 * (i % 3), 0.3 * (i % 3 - 1),
        0.3 * (i / 3 % 3 - 1), 0.2 + 0.3 * (i / 9), 0.3 * (i % 5) - 0.4, 0.4 * (i % 4), 0.2 * (i % 11));
  ADD(&text, "]}");
  TestRun run = test_run(text.at, NULL);
  const double first = mb_energy(run.model, &run.sim->x).total;
  double before = first;
  for (int step = 0; step < 200; step++) {
    test_steps(run.sim, 1);
    const double now = mb_energy(run.model, &run.sim->x).total;
    cr_expect_leq(now, before + 1e-9 * first, "step %d: %g J more", step, now - before);
    before = now;
  }
  const double *told = mb_section(run.sim, MB_SECTION_TOLD);
  cr_expect(told[MB_SOLVED_MISSED] == 0, "%g steps are not solved, worst %g", told[MB_SOLVED_MISSED],
            told[MB_SOLVED_WORST]);
  test_run_free(&run);
}

// More contacts than pivots take.
Test(contact_cases_long, a_pyramid_of_boxes_with_pyramids_of_friction_stands, TEST_LONG) {
  static Text text;
  stand(&text, "\"time\": {\"step\": 0.01, \"steps\": 200}, \"contact\": {\"friction\": 0.5, "
               "\"cone\": \"pyramid\", \"sides\": 8}");
  TestRun run = test_run(text.at, NULL);
  test_steps(run.sim, 100);
  const double far = strays(&run, 100);
  cr_expect_gt(run.sim->touching->last.n, 200);
  cr_expect(far < 1e-8, "%g m", far);
  cr_expect_eq(mb_section(run.sim, MB_SECTION_TOLD)[MB_SOLVED_MISSED], 0);
  test_run_free(&run);
}

// Between a wall and a plate that is pressed against it: 2 μ F is 1.3 times the weight, or 0.9 of it.
#define PRESSED(THING)                                                                                       \
  "{\"mbsim\": 1, \"time\": {\"step\": 0.01, \"steps\": 6000}, \"parameters\": {\"share\": 1.3}, "           \
  "\"contact\": "                                                                                            \
  "{\"friction\": 0.4}, \"bodies\": [{\"name\": \"wall\", \"shape\": {\"type\": \"plane\", \"normal\": [1, " \
  "0, 0], "                                                                                                  \
  "\"offset\": -0.1}, \"joint\": {\"type\": \"fixed\"}}, {\"name\": \"plate\", \"mass\": 2, \"shape\": "     \
  "{\"type\": "                                                                                              \
  "\"box\", \"size\": [0.1, 0.6, 0.6]}, \"joint\": {\"type\": \"prismatic\", \"axis\": [-1, 0, 0], "         \
  "\"in_parent\": "                                                                                          \
  "{\"position\": [0.15, 0, 0]}, \"force\": \"=share*9.81/0.8\"}}, {\"name\": \"thing\", \"mass\": 1, "      \
  "\"shape\": " THING "}]}"
static const char *const pressed[] = {PRESSED("{\"type\": \"box\", \"size\": [0.2, 0.2, 0.2]}"),
                                      PRESSED("{\"type\": \"capsule\", \"radius\": 0.1, \"length\": 0.3, "
                                              "\"frame\": {\"rotation\": {\"axis\": [1, 0, 0], "
                                              "\"angle\": \"=60*deg\"}}}"),
                                      PRESSED("{\"type\": \"sphere\", \"radius\": 0.1}")};

Test(contact_cases_long, a_cube_a_capsule_and_a_ball_that_are_pressed_to_a_wall_do_not_creep_in_a_minute) {
  for (size_t k = 0; k < sizeof pressed / sizeof *pressed; k++) {
    TestRun run = test_run(pressed[k], NULL);
    const double far = strays(&run, 6000);
    cr_expect(far < 1e-8, "thing %zu goes %g m", k, far);
    test_run_free(&run);
    // How plates share a force among corners is open, and so how a cube turns while it slides: a ball has no choice.
    run = test_run(pressed[k], (const char *const[]){"/parameters/share=0.9", NULL});
    const double h = run.model->h, wanted = 0.1 * 9.81 * h * h * 50 * 51 / 2, fell = strays(&run, 50);
    cr_expect_geq(fell, 0.99 * wanted, "thing %zu falls %g m", k, fell);
    if (k == 2) test_near("fell", &fell, &wanted, 1, 1e-6);
    test_run_free(&run);
  }
}

// ---- capstan ----------------------------------------------------------------------------------------------

// A rope of links of radius r over half a drum of radius R, without gravity, pulled by 1 N and by `ratio` N.
static void write_capstan(Text *text, int links, double r, double ratio) {
  enum { HANGS = 2 };
  const double pi = acos(-1), turn = pi / links, half = (0.5 + r) * tan(turn / 2),
               out = (0.5 + r) / cos(turn / 2);
  const int total = links + 2 * HANGS;
  begin(text,
        "\"gravity\": [0, 0, 0], \"time\": {\"step\": 0.002, \"steps\": 500}, \"integrator\": \"implicit\", "
        "\"contact\": {\"friction\": 0.3}");
  ADD(text, "{\"name\": \"drum\", \"density\": 1000, \"shape\": {\"type\": \"cylinder\", \"radius\": 0.5, "
            "\"length\": 0.3, "
            "\"frame\": {\"rotation\": {\"axis\": [1, 0, 0], \"angle\": \"=90*deg\"}}}, \"joint\": "
            "{\"type\": \"fixed\"}}");
  for (int i = 0; i < total; i++) {
    ADD(text,
        ", {\"name\": \"%d\", \"mass\": 0.01, \"shape\": {\"type\": \"capsule\", \"radius\": %.17g, "
        "\"length\": %.17g, "
        "\"frame\": {\"rotation\": {\"axis\": [0, 1, 0], \"angle\": \"=90*deg\"}}}, ",
        i, r, 2 * half);
    const int at = i - HANGS; // on the drum from 0 on; it turns by half an angle where it leaves the drum
    const double bend = at < 0 || at > links ? 0 : at == 0 || at == links ? turn / 2 : turn;
    if (i == 0)
      ADD(text,
          "\"pose\": {\"position\": [%.17g, 0, %.17g], \"rotation\": {\"axis\": [0, -1, 0], \"angle\": "
          "\"=90*deg\"}}}",
          out, -(2 * HANGS - 1) * half);
    else
      ADD(text,
          "\"joint\": {\"type\": \"revolute\", \"parent\": \"%d\", \"axis\": [0, -1, 0], \"in_parent\": "
          "{\"position\": "
          "[%.17g, 0, 0]}, \"in_body\": {\"position\": [%.17g, 0, 0]}, \"position\": %.17g, \"damping\": "
          "1e-3}}",
          i - 1, half, -half, bend);
  }
  ADD(text,
      "], \"forces\": [{\"type\": \"point_force\", \"name\": \"low\", \"body\": \"0\", \"at\": [%.17g, 0, "
      "0], \"force\": "
      "[0, 0, -1]}, {\"type\": \"point_force\", \"name\": \"high\", \"body\": \"%d\", \"at\": [%.17g, 0, 0], "
      "\"force\": "
      "[0, 0, %.17g]}]}",
      -half, total - 1, half, -ratio);
}

static double slides(int links, double r, double ratio, int steps) {
  static Text text;
  write_capstan(&text, links, r, ratio);
  TestRun run = test_run(text.at, NULL);
  const double far = strays(&run, steps);
  test_run_free(&run);
  return far;
}

// Friction acts on the rope's underside, which its shear Q carries to its middle. With ε = r/(R + r) and contact n for each radian, balance
// along, across and about the middle is  T' = (1 − ε) μ n,  n + Q' = T,  Q = ε μ n,  whose solution grows as e^{kθ} with
// k (1 + ε μ k) = μ (1 − ε): Euler's e^{μθ} of a thin rope.
Test(contact_cases_long, a_rope_over_a_drum_holds_eulers_ratio) {
  const double mu = 0.3, pi = acos(-1);
  static const double radius[] = {0.01, 0.002};
  for (int i = 0; i < 2; i++) {
    const double e = radius[i] / (0.5 + radius[i]), a = e * mu;
    const double k = (sqrt(1 + 4 * a * mu * (1 - e)) - 1) / (2 * a), wanted = exp(k * pi);
    // above the ratio it goes in proportion to what pulls
    const double less = slides(30, radius[i], 2.62, 50), more = slides(30, radius[i], 2.68, 50);
    const double ratio = 2.62 - 0.06 * less / (more - less);
    cr_expect(fabs(ratio - wanted) < 4e-3 * wanted, "radius %g: %g times, wanted %g", radius[i], ratio,
              wanted);
    const double sticks = slides(30, radius[i], 0.97 * wanted, 100);
    cr_expect_lt(sticks, 1e-6);
  }
}

// ---- masonry ----------------------------------------------------------------------------------------------

// The wedge of an arch of mean radius 1, about its middle: x outwards, z along the arch.
static void write_wedge(const char *path, double thickness, int wedges) {
  static const int face[12][3] = {{1, 3, 4}, {1, 4, 2}, {5, 6, 8}, {5, 8, 7}, {1, 5, 7}, {1, 7, 3},
                                  {2, 4, 8}, {2, 8, 6}, {1, 2, 6}, {1, 6, 5}, {3, 7, 8}, {3, 8, 4}};
  const double half = acos(-1) / (2 * wedges);
  FILE *file = fopen(path, "w");
  cr_assert(file);
  for (int i = 0; i < 8; i++) {
    const double r = 1 + (i & 2 ? thickness : -thickness) / 2, turn = i & 1 ? half : -half;
    fprintf(file, "v %.17g %g %.17g\n", r * cos(turn) - 1, i & 4 ? 0.2 : -0.2, r * sin(turn));
  }
  for (int i = 0; i < 12; i++) fprintf(file, "f %d %d %d\n", face[i][0], face[i][1], face[i][2]);
  fclose(file);
}

// How far wedges of the arch go in so many steps.
static double arch_strays(double thickness, double friction, int steps) {
  enum { WEDGES = 15 };
  static Text text;
  char dir[] = "/tmp/mbsim_arch_XXXXXX", path[64], rules[120];
  cr_assert(mkdtemp(dir));
  snprintf(path, sizeof path, "%s/wedge.obj", dir);
  write_wedge(path, thickness, WEDGES);
  snprintf(rules, sizeof rules,
           "\"time\": {\"step\": 0.005, \"steps\": 400}, \"contact\": {\"friction\": %g}", friction);
  begin(&text, rules);
  ADD(&text, GROUND);
  for (int k = 0; k < WEDGES; k++) {
    const double turn = (k + 0.5) * acos(-1) / WEDGES;
    ADD(&text,
        ", {\"name\": \"%d\", \"density\": 2000, \"shape\": {\"type\": \"mesh\", \"file\": \"%s\"}, "
        "\"pose\": {\"position\": "
        "[%.17g, 0, %.17g], \"rotation\": {\"axis\": [0, -1, 0], \"angle\": %.17g}}}",
        k, path, cos(turn), sin(turn), turn);
  }
  ADD(&text, "]}");
  TestRun run = test_run(text.at, NULL);
  const double far = strays(&run, steps);
  test_run_free(&run);
  unlink(path), rmdir(dir);
  return far;
}

// Milankovitch: a half circle stands from a thickness of 0.1075 radii on; one of 15 wedges a little below that.
Test(contact_cases_long, an_arch_stands_from_the_thickness_on_that_statics_wants, TEST_LONG) {
  const double stands = arch_strays(0.109, 0.5, 50), falls = arch_strays(0.105, 0.5, 50);
  cr_expect_lt(stands, 1e-9, "a thick one goes %g m", stands);
  cr_expect_gt(falls, 1e-4, "a thin one goes %g m", falls);
  const double holds = arch_strays(0.15, 0.5, 50), slips = arch_strays(0.15, 0.3, 50);
  cr_expect_lt(holds, 1e-9, "with friction it goes %g m", holds);
  cr_expect_gt(slips, 1e-3, "with little friction it goes %g m", slips);
}

// Two cards that lean on one another by their upper edges, α from upright, of thickness t and length l: each pushes the other level with
// w (l/2 sin α − t/2 cos α) / (l cos α), which friction at its foot has to hold. So (tan α − t/l) / 2 is the least coefficient.
static double leaning_strays(double alpha, double thick, double friction) {
  static Text text;
  const double l = 0.09, t = thick * l, s = sin(alpha), c = cos(alpha);
  char rules[100];
  snprintf(rules, sizeof rules,
           "\"time\": {\"step\": 0.002, \"steps\": 1000}, \"contact\": {\"friction\": %.17g}", friction);
  begin(&text, rules);
  ADD(&text, GROUND);
  for (int k = -1; k <= 1; k += 2)
    ADD(&text,
        ", {\"name\": \"%s\", \"density\": 700, \"shape\": {\"type\": \"box\", \"size\": [%.17g, 0.06, "
        "%.17g]}, \"pose\": {\"position\": [%.17g, 0, %.17g], \"rotation\": {\"axis\": [0, 1, 0], \"angle\": "
        "%.17g}}}",
        k < 0 ? "left" : "right", t, l, k * (t * c + l * s) / 2, (t * s + l * c) / 2, -k * alpha);
  ADD(&text, "]}");
  TestRun run = test_run(text.at, NULL);
  const double far = strays(&run, 1000);
  test_run_free(&run);
  return far;
}

Test(contact_cases, cards_that_lean_on_one_another_stand_from_the_friction_on_that_statics_wants) {
  static const double cases[][2] = {{20, 1.0 / 30}, {12, 0.02}, {25, 0.05}, {40, 0.1}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    const double alpha = cases[k][0] * M_PI / 180, thick = cases[k][1], least = (tan(alpha) - thick) / 2;
    const double stands = leaning_strays(alpha, thick, 1.001 * least),
                 falls = leaning_strays(alpha, thick, 0.999 * least);
    cr_expect(stands < 1e-8, "%g°: %g m with friction that holds", cases[k][0], stands);
    cr_expect(falls > 1e-3, "%g°: %g m with friction that does not hold", cases[k][0], falls);
  }
}
