// Trajectories as CSV, JSON and npz: numbers are the trajectory's to the last bit, frames and channels are those asked for, and a disk that is
// full or memory that runs out is an error.
#include "core/base/alloc.h"
#include "io/export/export.h"
#include "io/json/number_text.h"
#include "io/export/zip_stream.h"
#include "tests/io/compare_fixture.h"

#include <criterion/criterion.h>
#include <cjson/cJSON.h>
#include <float.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

TestSuite(export, .init = fixture_begin, .fini = fixture_end, .timeout = 60);

static const MbExportOptions everything = {.last = INT64_MAX, .stride = 1};

static MbTraj *open_plan(const Plan *p) {
  MbTraj *traj = NULL;
  MbReport report = {0};
  cr_assert_eq(mb_traj_open(plan_write(p, "run.mbt"), &traj, &report), MB_OK, "%s", report.issues[0].text);
  return traj;
}

// The whole export as text, to be freed with free().
static char *export_text(const Plan *p, const MbExportOptions *options, size_t *size) {
  MbTraj *traj = open_plan(p);
  char *text = NULL;
  FILE *out = open_memstream(&text, size);
  MbReport report = {0};
  cr_assert_eq(mb_export(traj, options, out, &report), MB_OK, "%s", report.issues[0].text);
  fclose(out);
  mb_traj_free(traj);
  fixture_end();
  fixture_begin();
  return text;
}

static size_t count_lines(const char *text) {
  size_t n = 0;
  for (; *text; text++) n += *text == '\n';
  return n;
}

static const char *nth_line(const char *text, size_t n) {
  while (n--) text = strchr(text, '\n') + 1;
  return text;
}

// ---- numbers ----------------------------------------------------------------------------------------------

Test(export, numbers_are_short_and_read_back_to_the_same_bits) {
  static const struct {
    double x;
    const char *text;
  } known[] = {{0.1, "0.1"},       {-0.0, "-0"}, {1e22, "1e+22"},     {1.0 / 3, "0.3333333333333333"},
               {5e-324, "5e-324"}, {NAN, "nan"}, {-INFINITY, "-inf"}, {DBL_MAX, "1.7976931348623157e+308"},
               {123456, "123456"}};
  char text[MB_NUMBER_TEXT];
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    cr_expect_str_eq(mb_number_text(known[i].x, text), known[i].text);
  uint64_t bits = 88172645463325252u;
  for (int i = 0; i < 20000; i++) {
    bits ^= bits << 13;
    bits ^= bits >> 7;
    bits ^= bits << 17;
    double x;
    memcpy(&x, &bits, sizeof x);
    if (!isfinite(x)) continue;
    const double back = strtod(mb_number_text(x, text), NULL);
    cr_assert(!memcmp(&back, &x, sizeof x), "%a became %s", x, text);
  }
}

// ---- csv --------------------------------------------------------------------------------------------------

Test(export, csv_has_the_columns_of_the_format) {
  const Plan p = smooth_plan();
  size_t size = 0;
  char *text = export_text(&p, &everything, &size);
  const char *names =
      "time,crate.position.x,crate.position.y,crate.position.z,ball.position.x,ball.position.y,ball.position."
      "z,"
      "crate.rotation.w,crate.rotation.x,crate.rotation.y,crate.rotation.z,"
      "ball.rotation.w,ball.rotation.x,ball.rotation.y,ball.rotation.z,"
      "crate.velocity.wx,crate.velocity.wy,crate.velocity.wz,crate.velocity.vx,crate.velocity.vy,crate."
      "velocity.vz,"
      "ball.velocity.wx,ball.velocity.wy,ball.velocity.wz,ball.velocity.vx,ball.velocity.vy,ball.velocity.vz,"
      "energy.kinetic,energy.gravity,energy.elastic,energy.total,"
      "momentum.lx,momentum.ly,momentum.lz,momentum.ax,momentum.ay,momentum.az,"
      "constraint.error.position,constraint.error.velocity,solver.wall\n";
  cr_expect(!strncmp(text, names, strlen(names)), "%.900s", text);
  cr_expect_eq(count_lines(text), 102u);
  char first[200];
  snprintf(first, sizeof first, "0,0,0,1,%.17g,0,2,1,0,0,0,", sin(1));
  cr_expect(!strncmp(nth_line(text, 1), first, 20), "%.60s", nth_line(text, 1));
  free(text);
  cr_expect_eq(mb_alloc_live(), 0);
}

Test(export, csv_numbers_are_the_trajectorys_to_the_last_bit) {
  const Plan p = smooth_plan();
  size_t size = 0;
  char *text = export_text(&p, &everything, &size);
  for (size_t k = 0; k < 101; k++) {
    char *at = (char *)(uintptr_t)nth_line(text, k + 1);
    const double t = strtod(at, &at), x = strtod(at + 1, &at);
    cr_assert_eq(t, 0 + (double)k * 0.01, "line %zu: %.17g", k, t);
    cr_assert_eq(x, sin(t), "line %zu: %.17g", k, x);
  }
  free(text);
}

Test(export, csv_quotes_names_that_need_it_and_names_other_channels_by_rule) {
  static const char *const odd[] = {"a,b", "say \"x\""}, *const joints[] = {"arm", "leg"}, *const q[] = {"q"},
                           *const two[] = {"0", "1"}, *const one[] = {""}, *const xyz[] = {"x", "y", "z"};
  Plan p = smooth_plan();
  p.nchannels = 7;
  p.channels[0].items_names = odd;
  p.channels[1] = (MbChannel){"joint.position", "", MB_POSE, false, false, 2, 1, 6, joints, q, NULL, 0, NULL};
  p.channels[2] =
      (MbChannel){"joint.velocity", "", MB_VELOCITY, false, false, 2, 2, 8, joints, two, NULL, 0, NULL};
  p.channels[3] = (MbChannel){
      "deformable.my.cloth.position", "m", MB_POSE, false, false, 2, 3, 12, NULL, xyz, NULL, 0, NULL};
  p.channels[4] = (MbChannel){
      "deformable.my.cloth.velocity", "", MB_VELOCITY, false, false, 2, 3, 18, NULL, xyz, NULL, 0, NULL};
  p.channels[5] = (MbChannel){"muscle", "", MB_OTHER, false, false, 2, 2, 24, NULL, two, NULL, 0, NULL};
  p.channels[6] = (MbChannel){"load", "", MB_OTHER, false, false, 1, 1, 28, NULL, one, NULL, 0, NULL};
  size_t size = 0;
  char *text = export_text(&p, &everything, &size);
  const char *names =
      "time,\"a,b.position.x\",\"a,b.position.y\",\"a,b.position.z\",\"say \"\"x\"\".position.x\","
      "\"say \"\"x\"\".position.y\",\"say \"\"x\"\".position.z\","
      "arm.joint.position,leg.joint.position,arm.joint.velocity.0,arm.joint.velocity.1,"
      "leg.joint.velocity.0,leg.joint.velocity.1,"
      "my.cloth.0.x,my.cloth.0.y,my.cloth.0.z,my.cloth.1.x,my.cloth.1.y,my.cloth.1.z,"
      "my.cloth.0.velocity.x,my.cloth.0.velocity.y,my.cloth.0.velocity.z,"
      "my.cloth.1.velocity.x,my.cloth.1.velocity.y,my.cloth.1.velocity.z,"
      "muscle.0.0,muscle.0.1,muscle.1.0,muscle.1.1,load\n";
  cr_expect(!strncmp(text, names, strlen(names)), "%.900s", text);
  free(text);
}

// ---- selection --------------------------------------------------------------------------------------------

Test(export, frames_are_taken_as_python_slices_them) {
  enum { OPEN = -999 };
  static const struct {
    int64_t first, last, stride;
    size_t count;
    int from, to; // first and last frame that come
  } slices[] = {{0, INT64_MAX, 1, 101, 0, 100},
                {-3, INT64_MAX, 1, 3, 98, 100},
                {10, 20, 3, 4, 10, 19},
                {0, -99, 1, 2, 0, 1},
                {50, 40, 1, 0, 0, 0},
                {-1000, 1000, 50, 3, 0, 100},
                {200, 300, 1, 0, 0, 0},
                {INT64_MAX, INT64_MAX, -1, 101, 100, 0},
                {INT64_MAX, INT64_MIN, -50, 3, 100, 0},
                {10, 5, -2, 3, 10, 6},
                {-1, -4, -1, 3, 100, 98},
                {0, INT64_MAX, INT64_MAX, 1, 0, 0},
                {INT64_MAX, INT64_MAX, INT64_MIN, 1, 100, 100}};
  const Plan p = smooth_plan();
  for (size_t i = 0; i < sizeof slices / sizeof *slices; i++) {
    const MbExportOptions options = {
        .first = slices[i].first, .last = slices[i].last, .stride = slices[i].stride};
    size_t size = 0;
    char *text = export_text(&p, &options, &size);
    cr_expect_eq(count_lines(text) - 1, slices[i].count, "slice %zu: %zu frames", i, count_lines(text) - 1);
    if (slices[i].count) {
      const double t0 = strtod(nth_line(text, 1), NULL), t1 = strtod(nth_line(text, slices[i].count), NULL);
      cr_expect_float_eq(t0, 0.01 * slices[i].from, 1e-12, "slice %zu: %g", i, t0);
      cr_expect_float_eq(t1, 0.01 * slices[i].to, 1e-12, "slice %zu: %g", i, t1);
    }
    free(text);
  }
}

Test(export, channels_come_in_the_order_asked_for_and_once) {
  static const char *const chosen[] = {"momentum", "body.position", "momentum"};
  const MbExportOptions options = {.channels = chosen, .nchannels = 3, .last = INT64_MAX, .stride = 1};
  const Plan p = smooth_plan();
  size_t size = 0;
  char *text = export_text(&p, &options, &size);
  const char *names = "time,momentum.lx,momentum.ly,momentum.lz,momentum.ax,momentum.ay,momentum.az,"
                      "crate.position.x,crate.position.y,crate.position.z,ball.position.x,ball.position.y,"
                      "ball.position.z\n0,3,0,0,0,0,0.5,0,0,1,";
  cr_expect(!strncmp(text, names, strlen(names)), "%.300s", text);
  free(text);
}

Test(export, unknown_channels_are_refused_with_the_nearest_name) {
  static const char *const chosen[] = {"body.positon", "banana"};
  const MbExportOptions options = {.channels = chosen, .nchannels = 2, .last = INT64_MAX, .stride = 1};
  const Plan p = smooth_plan();
  MbTraj *traj = open_plan(&p);
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  MbReport report = {0};
  cr_expect_eq(mb_export(traj, &options, out, &report), MB_USAGE);
  cr_expect_eq(report.errors, 2);
  cr_expect(strstr(report.issues[0].text, "did you mean 'body.position'?"), "%s", report.issues[0].text);
  const MbExportOptions zero = {.last = INT64_MAX};
  cr_expect_eq(mb_export(traj, &zero, out, &report), MB_USAGE, "stride 0");
  fclose(out);
  cr_expect_eq(size, 0u, "nothing is written");
  free(text);
  mb_traj_free(traj);
  cr_expect_eq(mb_alloc_live(), 0);
}

// ---- json -------------------------------------------------------------------------------------------------

static void not_numbers(double *x, uint64_t k, double t) {
  (void)t;
  if (k == 1) x[POSITION + 4] = NAN;
  if (k == 1) x[ENERGY] = -INFINITY;
}

Test(export, json_is_one_object_a_line_with_null_for_what_is_no_number) {
  Plan p = smooth_plan();
  p.edit = not_numbers;
  p.frames = 3;
  MbExportOptions options = everything;
  options.format = MB_EXPORT_JSON;
  size_t size = 0;
  char *text = export_text(&p, &options, &size);
  cr_assert_eq(count_lines(text), 4u);
  cJSON *header = cJSON_Parse(text);
  cr_assert_not_null(header);
  cr_expect_eq(cJSON_GetObjectItem(header, "frames")->valuedouble, 3.0);
  cr_expect_eq(cJSON_GetArraySize(cJSON_GetObjectItem(header, "channels")), 7);
  const cJSON *first = cJSON_GetArrayItem(cJSON_GetObjectItem(header, "channels"), 0);
  cr_expect_str_eq(cJSON_GetArrayItem(cJSON_GetObjectItem(first, "items"), 1)->valuestring, "ball");
  cJSON_Delete(header);

  cJSON *frame = cJSON_Parse(nth_line(text, 2));
  cr_assert_not_null(frame);
  cr_expect_eq(cJSON_GetObjectItem(frame, "time")->valuedouble, 0.01);
  const cJSON *ball = cJSON_GetArrayItem(cJSON_GetObjectItem(frame, "body.position"), 1);
  cr_expect_eq(cJSON_GetArrayItem(ball, 0)->valuedouble, sin(1.01));
  cr_expect(cJSON_IsNull(cJSON_GetArrayItem(ball, 1)));
  cr_expect_eq(cJSON_GetArrayItem(ball, 2)->valuedouble, 2.0);
  const cJSON *energy = cJSON_GetObjectItem(frame, "energy");
  cr_expect(cJSON_IsNull(cJSON_GetArrayItem(energy, 0)));
  cr_expect_eq(cJSON_GetArrayItem(energy, 3)->valuedouble, 5.0);
  cJSON_Delete(frame);
  free(text);
}

// ---- npz --------------------------------------------------------------------------------------------------

static void to_file(const char *bytes, size_t size, const char *name, char path[300]) {
  FILE *file = fopen(fixture_file(name, path), "wb");
  cr_assert_not_null(file);
  cr_assert_eq(fwrite(bytes, 1, size, file), size);
  fclose(file);
}

static int run_python(const char *arguments, const char *a, const char *b) {
  // the system's python has numpy more often than another one in the path
  char command[900];
  snprintf(command, sizeof command,
           "p=python3; $p -c 'import numpy' 2>/dev/null || [ ! -x /usr/bin/python3 ] || p=/usr/bin/python3; "
           "$p tests/check_npz.py %s %s %s",
           arguments, a, b);
  return system(command);
}

Test(export, npz_is_read_by_numpy_with_the_same_numbers_as_csv) {
  if (system("python3 -c pass >/dev/null 2>&1")) cr_skip_test("no python3");
  const Plan p = smooth_plan();
  MbExportOptions options = {.first = 5, .last = INT64_MAX, .stride = 2};
  size_t csv_size = 0, npz_size = 0;
  char *csv = export_text(&p, &options, &csv_size), csv_name[300], npz_name[300];
  options.format = MB_EXPORT_NPZ;
  char *npz = export_text(&p, &options, &npz_size);
  to_file(csv, csv_size, "run.csv", csv_name);
  to_file(npz, npz_size, "run.npz", npz_name);
  cr_expect_eq(run_python("", npz_name, csv_name), 0);
  cr_expect_eq(run_python("--without-numpy", npz_name, csv_name), 0);

  // and the script sees one bit that is off
  npz[npz_size / 2] = (char)(npz[npz_size / 2] ^ 1);
  to_file(npz, npz_size, "run.npz", npz_name);
  cr_expect_neq(run_python("--quiet", npz_name, csv_name), 0);
  free(csv);
  free(npz);
}

static void to_stream(void *to, const void *bytes, size_t size) { fwrite(bytes, 1, size, to); }

Test(export, archives_with_64_bit_sizes_are_read_too) {
  if (system("python3 -c pass >/dev/null 2>&1")) cr_skip_test("no python3");
  const uint64_t limits[] = {0, 100, 1};
  for (int i = 0; i < 3; i++) {
    char *text = NULL, name[300];
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    MbZip zip = {.put = to_stream, .to = out, .limit = limits[i]};
    char bytes[1000];
    memset(bytes, 'x', sizeof bytes);
    cr_assert(mb_zip_begin(&zip, "small", 10));
    mb_zip_bytes(&zip, bytes, 10);
    mb_zip_end(&zip);
    cr_assert(mb_zip_begin(&zip, "large", sizeof bytes));
    mb_zip_bytes(&zip, bytes, 400);
    mb_zip_bytes(&zip, bytes, 600);
    mb_zip_end(&zip);
    mb_zip_finish(&zip);
    mb_zip_free(&zip);
    fclose(out);
    cr_expect_eq(zip.offset, size);
    to_file(text, size, "archive.zip", name);
    cr_expect_eq(run_python("--zip small=10,large=1000", name, ""), 0, "limit %d", (int)limits[i]);
    free(text);
  }
  cr_expect_eq(mb_alloc_live(), 0);
}

// ---- failures ---------------------------------------------------------------------------------------------

Test(export, a_full_disk_and_a_closed_pipe_are_errors) {
  if (access("/dev/full", W_OK)) cr_skip_test("no /dev/full");
  signal(SIGPIPE, SIG_IGN);
  const Plan p = smooth_plan();
  MbTraj *traj = open_plan(&p);
  static char large[1 << 20]; // a buffer of which only the flush at the end can fail
  for (int format = 0; format < MB_EXPORT_VTK; format++) {
    for (int buffered = 0; buffered < 2; buffered++) {
      int ends[2];
      cr_assert_eq(pipe(ends), 0);
      close(ends[0]);
      FILE *outs[2] = {fopen("/dev/full", "wb"), fdopen(ends[1], "wb")};
      for (int i = 0; i < 2; i++) {
        cr_assert_not_null(outs[i]);
        if (buffered) setvbuf(outs[i], large, _IOFBF, sizeof large);
        MbExportOptions options = everything;
        options.format = (MbExportFormat)format;
        MbReport report = {0};
        cr_expect_eq(mb_export(traj, &options, outs[i], &report), MB_IO, "%s", mb_export_words[format]);
        cr_expect_eq(report.errors, 1);
        fclose(outs[i]);
      }
    }
  }
  mb_traj_free(traj);
  cr_expect_eq(mb_alloc_live(), 0);
}

// A device that loses one write and takes all others.
static ssize_t lose_second(void *cookie, const char *bytes, size_t size) {
  (void)bytes;
  int *calls = cookie;
  return ++*calls == 2 ? 0 : (ssize_t)size;
}

Test(export, one_write_that_fails_is_enough) {
  const Plan p = smooth_plan();
  MbTraj *traj = open_plan(&p);
  for (int format = 0; format < MB_EXPORT_VTK; format++) {
    int calls = 0;
    FILE *out = fopencookie(&calls, "w", (cookie_io_functions_t){.write = lose_second});
    cr_assert_not_null(out);
    static char small[64]; // so that there are many writes
    setvbuf(out, small, _IOFBF, sizeof small);
    MbExportOptions options = everything;
    options.format = (MbExportFormat)format;
    cr_expect_eq(mb_export(traj, &options, out, NULL), MB_IO, "%s", mb_export_words[format]);
    fclose(out);
  }
  mb_traj_free(traj);
}

Test(export, running_out_of_memory_at_any_point_leaks_nothing) {
  const Plan p = smooth_plan();
  MbTraj *traj = open_plan(&p);
  for (int format = 0; format < MB_EXPORT_VTK; format++) {
    MbExportOptions options = everything;
    options.format = (MbExportFormat)format;
    MbStatus status = MB_IO;
    for (int calls = 0; status != MB_OK && calls < 2000; calls++) {
      FILE *out = fopen("/dev/null", "wb");
      mb_alloc_fail_after(calls);
      status = mb_export(traj, &options, out, NULL);
      mb_alloc_fail_after(-1);
      fclose(out);
      cr_assert(status == MB_OK || status == MB_IO);
    }
    cr_expect_eq(status, MB_OK, "%s", mb_export_words[format]);
  }
  mb_traj_free(traj);
  cr_expect_eq(mb_alloc_live(), 0);
}
