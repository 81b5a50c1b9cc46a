// Places and velocities of a body as ADAMS found them, for joints and constraints on one body. Each case is run as a joint of the
// tree and as a joint that closes a loop, under both solvers; the table shows the largest error of each.
#include "tests/runs.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The recorded rows have six digits.
static const double DIGITS = 1e-5; // of max(1, largest of the row)

static cJSON *read_cases(void) {
  static char text[20000];
  FILE *file = fopen("tests/oracle/adams/adams.json", "rb");
  cr_assert_not_null(file);
  const size_t size = fread(text, 1, sizeof text - 1, file);
  cr_assert(feof(file) && size > 0);
  fclose(file);
  return cJSON_Parse(text);
}

static const char *word(const cJSON *of, const char *key) {
  return cJSON_GetStringValue(cJSON_GetObjectItem(of, key));
}

static double number(const cJSON *list, int i) { return cJSON_GetArrayItem(list, i)->valuedouble; }

// How the joint of a case is written.
typedef enum Form { AS_JOINT, AS_CLOSURE } Form;

#define HEAD                                                                                                 \
  "{\"mbsim\": 1, \"gravity\": [0, 0, -9.80665], \"time\": {\"step\": 0.01, \"duration\": 3}, \"solver\": "  \
  "\"%s\", "                                                                                                 \
  "\"integrator\": {\"type\": \"rk45\", \"relative\": 1e-10, \"absolute\": 1e-12}, "

// The body's mass centre is the origin of its frame; the joint sits 2 m from it, at `place`, turned about the world's x.
static void write_jointed(char *text, size_t size, const cJSON *c, const char *solver, Form form) {
  const cJSON *place = cJSON_GetObjectItem(c, "place");
  const double turn = cJSON_GetObjectItem(c, "turn")->valuedouble, x = number(place, 0), y = number(place, 1),
               z = number(place, 2);
  const bool sprung = strstr(word(c, "name"), "spring") != NULL;
  const char *inertia = "\"inertia\": {\"mass\": 1, \"matrix\": [0.04, 0.1, 0.1, 0, 0, 0]}";
  char frame[300];
  snprintf(frame, sizeof frame,
           "{\"position\": [%.17g, %.17g, %.17g], \"rotation\": {\"axis\": [1, 0, 0], \"angle\": %.17g}}", x,
           y, z, turn);
  if (form == AS_JOINT)
    snprintf(text, size,
             HEAD "\"bodies\": [{\"name\": \"a\", %s, \"joint\": {\"type\": \"%s\", \"in_parent\": %s, "
                  "\"in_body\": {\"position\": [-2, 0, 0]}%s}}]}",
             solver, inertia, word(c, "type"), frame, sprung ? ", \"stiffness\": 200, \"damping\": 10" : "");
  else
    snprintf(
        text, size,
        HEAD
        "\"bodies\": [{\"name\": \"a\", %s, \"pose\": {\"position\": [%.17g, %.17g, %.17g], \"rotation\": "
        "{\"axis\": [1, 0, 0], \"angle\": %.17g}}}], \"constraints\": [{\"joint\": \"%s\", \"between\": "
        "[{\"body\": \"world\", \"frame\": %s}, {\"body\": \"a\", \"frame\": {\"position\": [-2, 0, 0]}}]}]}",
        solver, inertia, x + 2, y, z, turn, word(c, "type"), frame);
}

static void write_free(char *text, size_t size, const cJSON *c, const char *solver) {
  char *pose = cJSON_PrintUnformatted(cJSON_GetObjectItem(c, "pose")),
       *constraints = cJSON_PrintUnformatted(cJSON_GetObjectItem(c, "constraints")),
       *forces = cJSON_PrintUnformatted(cJSON_GetObjectItem(c, "forces"));
  const cJSON *I = cJSON_GetObjectItem(c, "inertia");
  snprintf(
      text, size,
      HEAD
      "\"bodies\": [{\"name\": \"a\", \"inertia\": {\"mass\": 1, \"matrix\": [%.17g, %.17g, %.17g, 0, 0, "
      "0]}, \"pose\": %s}], \"constraints\": %s, \"forces\": %s}",
      solver, number(I, 0), number(I, 1), number(I, 2), pose, constraints, forces);
  free(pose), free(constraints), free(forces);
}

// The largest error of a row, relative to max(1, its largest).
static double row_error(const cJSON *row, const double x[3]) {
  double most = 1, worst = 0;
  for (int i = 0; i < 3; i++) most = fmax(most, fabs(number(row, i)));
  for (int i = 0; i < 3; i++) worst = fmax(worst, fabs(x[i] - number(row, i)));
  return worst / most;
}

static double run_case(const cJSON *c, const char *text) {
  const char *const sets[] = {"/output={\"channels\": [\"body.position\", \"body.velocity\"]}", NULL};
  TestRun run = test_run(text, sets);
  const cJSON *sample;
  double worst = 0;
  cJSON_ArrayForEach(sample, cJSON_GetObjectItem(c, "samples")) {
    test_steps(run.sim, lrint(number(sample, 0) / run.model->h) - mb_sim_steps(run.sim));
    const double *place = test_channel(run.sim, "body.position", NULL);
    const double position = row_error(cJSON_GetArrayItem(sample, 1), place);
    const double *twist = test_channel(run.sim, "body.velocity", NULL);
    worst = fmax(worst, fmax(position, row_error(cJSON_GetArrayItem(sample, 2), twist + 3)));
  }
  test_run_free(&run);
  return worst;
}

static const char *const SOLVERS[] = {"redmax", "maximal"};

static void expect_digits(const cJSON *c, const char *form, const char *solver, const char *text) {
  const double worst = run_case(c, text);
  printf("  %-24s %-10s %-8s %.1e\n", word(c, "name"), form, solver, worst);
  cr_expect_lt(worst, DIGITS, "%s as %s under %s", word(c, "name"), form, solver);
}

Test(oracle_adams, joints_move_as_adams_says_in_the_tree_and_as_closures_under_both_solvers) {
  cJSON *cases = read_cases();
  const cJSON *c;
  int n = 0;
  cJSON_ArrayForEach(c, cJSON_GetObjectItem(cases, "joints")) {
    // a spring along a coordinate needs a joint of the tree
    const int forms = strstr(word(c, "name"), "spring") ? 1 : 2;
    for (int form = 0; form < forms; form++)
      for (int s = 0; s < 2; s++, n++) {
        char text[3000];
        write_jointed(text, sizeof text, c, SOLVERS[s], form == 0 ? AS_JOINT : AS_CLOSURE);
        expect_digits(c, form == 0 ? "joint" : "closure", SOLVERS[s], text);
      }
  }
  cr_assert_eq(n, 14);
  cJSON_Delete(cases);
}

Test(oracle_adams, constraints_and_springs_on_a_free_body_move_it_as_adams_says) {
  cJSON *cases = read_cases();
  const cJSON *c;
  int n = 0;
  cJSON_ArrayForEach(c, cJSON_GetObjectItem(cases, "others")) for (int s = 0; s < 2; s++, n++) {
    char text[3000];
    write_free(text, sizeof text, c, SOLVERS[s]);
    expect_digits(c, "free body", SOLVERS[s], text);
  }
  cr_assert_eq(n, 6);
  cJSON_Delete(cases);
}
