// Attachments of nodes to nodes: choices that make no sense, and weights that the scene does not give.
#include "core/base/alloc.h"
#include "core/sim/constrain_internal.h"
#include "tests/runs.h"

#include <stdio.h>
#include <string.h>

// ---- what makes no sense ----------------------------------------------------------------------------------

Test(attachments, what_makes_no_sense_is_told_with_its_place) {
  static const char *const wrong[][2] = {{"deformable", "/to/deformable"}, {"index", "/to/vertices/1"},
                                         {"sum", "/to/weights"},           {"count", "/to/weights"},
                                         {"itself", "/to/vertices"},       {"pinned", ""}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    char path[100], where[100];
    MbReport report = {0};
    MbScene *scene = NULL;
    MbModel *model = NULL;
    snprintf(path, sizeof path, "scenes/bad/attach_to_%s.json", wrong[i][0]);
    snprintf(where, sizeof where, "/deformables/1/attach/0%s", wrong[i][1]);
    MbStatus status = mb_scene_load(path, NULL, &scene, &report);
    if (status == MB_OK) status = mb_model_create(scene, &model, &report);
    cr_expect_eq(status, MB_SCENE, "%s", path);
    cr_expect_str_eq(report.issues[0].where, where);
    mb_scene_free(scene);
  }
  cr_assert_eq(mb_alloc_live(), 0);
}

// More than the reduction's dense part is made for.
Test(attachments, followers_without_bound_are_refused) {
  MbReport report = {0};
  MbScene *scene = NULL;
  MbModel *model = NULL;
  static const char *const text =
      "{\"mbsim\": 1, \"time\": {\"step\": 0.01, \"steps\": 1}, \"deformables\": [{\"name\": \"m\", "
      "\"type\": "
      "\"particles\", \"mesh\": {\"rope\": 2, \"length\": 1}, \"material\": {\"mass\": 1}}, {\"name\": "
      "\"k\", "
      "\"type\": \"particles\", \"mesh\": {\"grid\": [2, 600], \"size\": [1, 1]}, \"material\": {\"mass\": "
      "1}, "
      "\"attach\": [{\"select\": {\"side\": \"+z\"}, \"to\": {\"deformable\": \"m\", \"vertices\": [0]}, "
      "\"enforce\": \"reduction\"}]}]}";
  test_ok(mb_scene_parse(text, strlen(text), "test", ".", NULL, &scene, &report), &report);
  cr_assert_eq(mb_model_create(scene, &model, &report), MB_SCENE);
  cr_assert(strstr(report.issues[0].text, "1200 nodes are attached"), "%s", report.issues[0].text);
  mb_scene_free(scene);
}

// ---- weights ----------------------------------------------------------------------------------------------

// Of one node attached to those of a rope (a line) or of a grid (a plane), which gives its own.
static void weights_of(const char *mesh, const char *at, const double *wanted, size_t n, double apart) {
  static const double CLOSE = 1e-13; // rounding
  char text[1000];
  double weight[4];
  snprintf(
      text, sizeof text,
      "{\"mbsim\": 1, \"time\": {\"step\": 0.01, \"steps\": 1}, \"deformables\": [{\"name\": \"m\", "
      "\"type\": "
      "\"particles\", \"mesh\": %s, \"material\": {\"mass\": 1}}, {\"name\": \"k\", \"type\": \"particles\", "
      "\"mesh\": {\"rope\": 2, \"length\": 1}, \"pose\": {\"position\": %s}, \"material\": {\"mass\": 1}, "
      "\"attach\": [{\"select\": {\"vertices\": [0]}, \"to\": {\"deformable\": \"m\", \"vertices\": [%s]}, "
      "\"enforce\": \"reduction\"}]}]}",
      mesh, at,
      n == 4   ? "0, 1, 2, 3"
      : n == 3 ? "0, 1, 2"
               : "0, 1");
  TestRun run = test_run(text, NULL);
  cr_assert_eq(run.model->nfollowers, 1);
  const MbFollower *f = run.model->followers;
  cr_assert_eq(f->nmasters, n);
  for (size_t i = 0; i < n; i++) weight[i] = f->master[i].weight;
  test_near("weights", weight, wanted, n, CLOSE);
  cr_assert_float_eq(mb_vec3_norm(f->offset), apart, CLOSE);
  test_run_free(&run);
}

Test(attachments, weights_that_are_not_given_come_nearest_to_the_node) {
  static const char *const line = "{\"rope\": 2, \"length\": 2}", *const sheet =
                                                                      "{\"grid\": [2, 2], \"size\": [1, 1]}";
  weights_of(line, "[0.5, 0, 0]", (double[]){0.75, 0.25}, 2, 0);
  weights_of(line, "[0.5, 3, 0]", (double[]){0.75, 0.25}, 2, 3);
  weights_of(line, "[3, 0, 0]", (double[]){-0.5, 1.5}, 2, 0);
  weights_of(sheet, "[0.25, 0.5, -2]", (double[]){0.25, 0.25, 0.5}, 3, 2);
  weights_of(sheet, "[0.5, 0.5, 0]", (double[]){0.25, 0.25, 0.25, 0.25}, 4, 0);
  cr_assert_eq(mb_alloc_live(), 0);
}
