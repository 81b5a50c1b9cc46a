// Scenes that are in order by the schema and hardly what was meant.
#include "core/base/alloc.h"
#include "io/scene/scene.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#define BALL "\"name\": \"ball\", \"shape\": {\"type\": \"sphere\", \"radius\": 1"
#define BARE "\"inertia\": {\"mass\": 1, \"matrix\": [1, 1, 1, 0, 0, 0]}"

typedef struct Case {
  const char *members;      // of the scene, besides its version
  const char *where, *part; // of the only issue; NULL = there is none
} Case;

static const char *const time = "\"time\": {\"step\": 0.01, \"steps\": 5}";

static MbStatus read_case(const Case *c, const char *head, MbReport *report) {
  char text[1024];
  snprintf(text, sizeof text, "{\"mbsim\": 1, %s%s}", head, c->members);
  MbScene *scene = NULL;
  const MbStatus status = mb_scene_parse(text, strlen(text), "test", ".", NULL, &scene, report);
  mb_scene_free(scene);
  cr_assert_eq(mb_alloc_live(), 0);
  return status;
}

static void check(const Case *c, const char *head, MbStatus expected) {
  MbReport report = {0};
  cr_expect_eq(read_case(c, head, &report), expected, "%s: %s", c->members, report.issues[0].text);
  cr_expect_eq(report.kept, c->part != NULL, "%s: %d issues, the first \"%s\"", c->members, report.kept,
               report.issues[0].text);
  if (!c->part || !report.kept) return;
  const MbIssue *issue = &report.issues[0];
  cr_expect_eq(issue->warning, expected == MB_OK);
  cr_expect(!strcmp(issue->where, c->where) && strstr(issue->text, c->part) && issue->line,
            "%s: line %d, %s: \"%s\"; wanted %s with \"%s\"", c->members, issue->line, issue->where,
            issue->text, c->where, c->part);
}

Test(scene_advice, a_duration_that_is_no_whole_number_of_steps_is_a_warning) {
  static const Case cases[] = {
      {"\"time\": {\"step\": 0.01, \"duration\": 0.126}", "/time/duration",
       "the run takes 13, to t = 0.13 s"},
      {"\"time\": {\"step\": 1, \"duration\": 0.25}", "/time/duration", "the run takes 1, to t = 1 s"},
      {"\"time\": {\"step\": 0.1, \"duration\": 0.3}", NULL, NULL}, // 0.3/0.1 is not 3
      {"\"time\": {\"step\": 0.001, \"duration\": 80}", NULL, NULL},
      {"\"time\": {\"step\": 0.0001, \"duration\": 100000.0001}", NULL, NULL},
      {"\"time\": {\"step\": 0.01, \"duration\": 0}", NULL, NULL},
      {"\"time\": {\"step\": 1e-300, \"duration\": 1e300}", NULL, NULL}, // the build refuses it
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) check(&cases[i], "", MB_OK);
}

Test(scene_advice, an_interval_that_is_no_multiple_of_the_step_is_a_warning) {
  static const Case cases[] = {
      {"\"output\": {\"interval\": 0.025}", "/output/interval", "at the nearest steps, 2 or 3 apart"},
      {"\"output\": {\"interval\": 0.004}", "/output/interval", "there is a frame every step"},
      {"\"output\": {\"interval\": 0.07}", NULL, NULL}, // 0.07/0.01 is not 7
      {"\"output\": {\"interval\": 0.01}", NULL, NULL},
      {"\"output\": {\"every\": 3}", NULL, NULL},
  };
  char head[128];
  snprintf(head, sizeof head, "%s, ", time);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) check(&cases[i], head, MB_OK);
}

Test(scene_advice, keys_without_effect_are_warnings) {
  static const Case cases[] = {
      {"\"output\": {\"channels\": []}", "/output/channels", "its time and nothing else"},
      {"\"bodies\": [{" BALL ", \"density\": 3}, \"density\": 4}]", "/bodies/0/density",
       "every shape of \"ball\""},
      {"\"materials\": {\"m\": {\"density\": 3}}, \"bodies\": [{" BALL
       ", \"density\": 3}, \"material\": \"m\"}]",
       "/bodies/0/material", "no effect"},
      {"\"bodies\": [{" BALL "}, \"density\": 4}]", NULL, NULL},
      {"\"bodies\": [{" BALL ", \"density\": 3}, \"mass\": 4}]", NULL, NULL},
      {"\"bodies\": [{" BALL "}, \"mass\": 4, \"pose\": {}, \"velocity\": {}}]", NULL, NULL},
      {"\"bodies\": [{" BALL "}, " BARE "}]", NULL, NULL}, // the shape is there to be seen
  };
  char head[128];
  snprintf(head, sizeof head, "%s, ", time);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) check(&cases[i], head, MB_OK);
}

#define SOFT(pin)                                                                                            \
  "\"deformables\": [{\"name\": \"s\", \"type\": \"springs\", \"mesh\": {\"rope\": 2, \"length\": 1}, "      \
  "\"material\": {\"mass\": 1, \"stiffness\": 1}, \"pin\": [{\"select\": {\"vertices\": [0]}" pin "}]}]"

Test(scene_advice, options_without_effect_are_warnings) {
  static const Case cases[] = {
      {"\"solver\": {\"type\": \"projective\", \"precision\": \"single\"}", "/solver/precision",
       "no effect with \"auto\""},
      {"\"solver\": {\"type\": \"projective\", \"precision\": \"single\", \"global\": \"jacobi\"}",
       "/solver/precision", "no effect with \"jacobi\""},
      {"\"solver\": {\"type\": \"projective\", \"precision\": \"single\", \"global\": \"sparse_inverse\"}",
       NULL, NULL},
      {"\"solver\": {\"type\": \"projective\", \"method\": \"newton\", \"global\": \"jacobi\"}",
       "/solver/global", "no effect with method \"newton\""},
      {"\"solver\": {\"type\": \"projective\", \"method\": \"newton\", \"tolerance\": 1e-6}", NULL, NULL},
      {SOFT(", \"axes\": \"xz\", \"motion\": {\"translate\": [\"=t\", \"=t\", 0]}"),
       "/deformables/0/pin/0/motion/translate/1", "not held along y"},
      {SOFT(", \"axes\": \"z\", \"motion\": {\"translate\": [0, 0, \"=t\"]}"), NULL, NULL},
      {SOFT(", \"motion\": {\"translate\": [\"=t\", 1, 2]}"), NULL, NULL},
  };
  char head[128];
  snprintf(head, sizeof head, "%s, ", time);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) check(&cases[i], head, MB_OK);
}

Test(scene_advice, contradictions_are_refused) {
  static const Case cases[] = {
      {"\"bodies\": [{" BALL ", \"density\": 3}, " BARE "}]", "/bodies/0/shape/density",
       "leave out \"density\""},
      {"\"bodies\": [{\"name\": \"a\", " BARE "}], \"forces\": [{\"type\": \"wrench\", \"body\": \"a\"}]",
       "/forces/0", "this wrench does nothing"},
  };
  char head[128];
  snprintf(head, sizeof head, "%s, ", time);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) check(&cases[i], head, MB_SCENE);
}
