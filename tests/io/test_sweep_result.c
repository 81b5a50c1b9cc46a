#include "core/base/alloc.h"
#include "io/sweep/result.h"
#include "io/sweep/run_form.h"
#include "io/sweep/run_scene.h"
#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

Test(sweep_result, a_result_reads_back_as_it_was_written) {
  const char *const defined[] = {"max(a.b)", "final(\"x\")", "max(a.b)", "d", "e"};
  double values[] = {0.1, NAN, 0.1, INFINITY, -INFINITY}, read_values[6];
  MbResult r = {.outcome = MB_OUT_NUMBERS,
                .exit_code = 4,
                .message = "it \"broke\"\\",
                .defined = defined,
                .values = values,
                .nmeasures = 5,
                .energy_drift = -1e-300,
                .steps_per_second = 1.0 / 3,
                .wall = 2,
                .steps = 7};
  strcpy(r.trajectory, "0123456789abcdef0123456789abcdef");
  char *text = mb_result_write(&r);
  const char *const wanted[] = {"max(a.b)", "final(\"x\")", "max(a.b)", "d", "e", "new"};
  MbResult back = {.defined = wanted, .values = read_values, .nmeasures = 5};
  bool lacks = true;
  cr_assert(mb_result_read(text, strlen(text), &back, &lacks));
  cr_expect_not(lacks);
  cr_expect_eq(back.outcome, MB_OUT_NUMBERS);
  cr_expect_eq(back.exit_code, 4);
  cr_expect_str_eq(back.message, r.message);
  cr_expect_str_eq(back.trajectory, r.trajectory);
  cr_expect(back.energy_drift == r.energy_drift && back.steps_per_second == r.steps_per_second &&
            back.steps == 7);
  cr_expect(read_values[0] == 0.1 && isnan(read_values[1]) && read_values[2] == 0.1 &&
            read_values[3] == INFINITY && read_values[4] == -INFINITY);
  back.nmeasures = 6;
  cr_assert(mb_result_read(text, strlen(text), &back, &lacks));
  cr_expect(lacks);
  cr_expect_not(mb_result_read("{\"mbsim_result\":1}", 18, &back, &lacks));
  cr_expect_not(mb_result_read(text, strlen(text) / 2, &back, &lacks));
  mb_free(text);
}

static const char scene[] =
    "{\"mbsim\":1,\"parameters\":{\"a\":1},\"time\":{\"step\":0.1,\"steps\":1},\"solver\":\"redmax\","
    "\"bodies\":[{\"name\":\"b\",\"shape\":{\"type\":\"mesh\",\"file\":\"m.obj\"},\"density\":1}],"
    "\"output\":{\"file\":\"x.mbt\"}}";

static void write_mesh(const char *folder, const char *text) {
  char path[256];
  snprintf(path, sizeof path, "%s/m.obj", folder);
  FILE *f = fopen(path, "w");
  fputs(text, f);
  fclose(f);
}

static char *text_of(MbRunScenes *s, uint64_t run, char id[MB_RUN_ID]) {
  char *text = NULL;
  MbReport report = {0};
  cr_assert_eq(mb_run_scene(s, run, &text, id, &report), MB_OK, "%s", report.issues[0].text);
  return text;
}

Test(sweep_result, a_runs_id_stands_for_its_values_and_its_meshes_bytes) {
  char folder[] = "/tmp/mbsim-run-scene-XXXXXX", id[4][MB_RUN_ID], wanted[256];
  cr_assert(mkdtemp(folder));
  write_mesh(folder, "v 0 0 0\n");
  MbDesign design = {.kind = MB_DESIGN_GRID};
  MbReport report = {0};
  mb_design_add(&design, "a", "1,2,1", "a", &report);
  mb_design_add(&design, "/solver/threads", "2", "s", &report);
  cr_assert_eq(mb_design_finish(&design, &report), MB_OK);
  MbRunScenes s = {
      .text = scene, .length = sizeof scene - 1, .name = "s", .folder = folder, .design = &design};
  char *first = text_of(&s, 0, id[0]), *second = text_of(&s, 1, id[1]);
  mb_free(text_of(&s, 2, id[2]));
  cr_expect_str_neq(id[0], id[1]);
  cr_expect_str_eq(id[0], id[2]);
  snprintf(wanted, sizeof wanted, "\"file\":\"%s/m.obj\"", folder);
  cr_expect(strstr(first, wanted), "%s", first);
  cr_expect(strstr(first, "\"file\":\"x.mbt\""), "%s", first);
  cr_expect(strstr(first, "\"solver\":{\"type\":\"redmax\",\"threads\":2}"), "%s", first);
  cr_expect(strstr(second, "\"a\":2"), "%s", second);
  write_mesh(folder, "v 0 0 0.5\n");
  mb_free(text_of(&s, 0, id[3]));
  cr_expect_str_neq(id[0], id[3]);
  mb_free(first);
  mb_free(second);
  mb_run_scenes_free(&s);
  mb_design_free(&design);
  snprintf(wanted, sizeof wanted, "%s/m.obj", folder);
  unlink(wanted);
  rmdir(folder);
}

// IDs by filling the gaps of a text, and by reading each run's scene.
static void check_ids(const char *text, const char *const axes[][2], size_t naxes, MbDesignKind kind,
                      bool by_form) {
  MbDesign design = {.kind = kind, .samples = kind == MB_DESIGN_GRID ? 0 : 50, .seed = 3};
  MbReport report = {0};
  for (size_t i = 0; i < naxes; i++)
    cr_assert_eq(mb_design_add(&design, axes[i][0], axes[i][1], "axis", &report), MB_OK, "%s",
                 report.issues[0].text);
  cr_assert_eq(mb_design_finish(&design, &report), MB_OK, "%s", report.issues[0].text);
  cr_assert_gt(design.runs, 16);
  MbRunScenes quick = {.text = text, .length = strlen(text), .name = "s", .folder = ".", .design = &design},
              slow = quick;
  for (uint64_t run = 0; run < design.runs; run++) {
    char id[MB_RUN_ID], wanted[MB_RUN_ID];
    cr_assert_eq(mb_run_id(&quick, run, id, &report), MB_OK, "%s", report.issues[0].text);
    mb_free(text_of(&slow, run, wanted));
    cr_assert_str_eq(id, wanted, "run %d", (int)run);
  }
  char id[MB_RUN_ID];
  cr_assert_eq(mb_run_form_id(quick.form, &design, 0, id), by_form);
  mb_run_scenes_free(&quick);
  mb_run_scenes_free(&slow);
  mb_design_free(&design);
}

Test(sweep_result, ids_are_told_without_reading_scenes_where_numbers_alone_vary) {
  static const char text[] =
      "{ \"mbsim\": 1, \n \"parameters\": {\"a\": 1, \"b\": \"=2*a\", \"c\": -3},\n"
      "\"time\": {\"step\": 1e-3, \"steps\": 1}, \"solver\": \"redmax\", \"gravity\": [0, 1, -9.81],"
      "\"bodies\": [{\"name\": \"1.0625e-211\", \"density\": \"=a\"}] }";
  static const char *const grid[][2] = {
      {"a", "-1:1:5"}, {"b", "1e3,0.1,-0,1e-300,12345678901234567890"}, {"/gravity/2", "0,1,1.0"}};
  static const char *const drawn[][2] = {
      {"c", "normal:0:1"}, {"/time/step", "log:1e-6:1"}, {"/solver/threads", "1:9"}};
  static const char *const whole[][2] = {{"/gravity", "0:1"}, {"a", "0:1"}};
  static const char *const words[][2] = {{"a", "1:2:10"}, {"/solver", "redmax,maximal"}};
  static const char *const inside[][2] = {{"a", "1:2:6"}, {"/time", "1,2,3"}, {"/bodies/0/density", "1:2:5"}};
  // where a name looks like what stands for a value, and where not
  check_ids(text, grid, 3, MB_DESIGN_GRID, false);
  char other[sizeof text];
  memcpy(other, text, sizeof text);
  memcpy(strstr(other, "1.0625"), "2.0625", 6);
  check_ids(other, grid, 3, MB_DESIGN_GRID, true);
  check_ids(other, drawn, 3, MB_DESIGN_LATIN_HYPERCUBE, true);
  check_ids(other, whole, 2, MB_DESIGN_RANDOM, true);
  check_ids(other, words, 2, MB_DESIGN_GRID, false);
  check_ids(other, inside, 3, MB_DESIGN_GRID, true);
  cr_assert_eq(mb_alloc_live(), 0);
}
