// Reading scenes: every default, everything that may be written, every error in the order of the text, what the command line replaces, and
// what becomes of files that cannot be read and of memory that runs out.
#include "core/base/alloc.h"
#include "io/scene/scene.h"
#include "tests/support.h"
#include <criterion/criterion.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double ROUNDING = 1e-15; // a few operations on numbers of size one

#define HEAD "{\"mbsim\": 1, \"time\": {\"step\": 0.01, \"steps\": 5}"

static MbScene *read_with(const char *text, const MbSceneOptions *options) {
  MbReport report = {0};
  MbScene *scene = NULL;
  const MbStatus status = mb_scene_parse(text, strlen(text), "test", ".", options, &scene, &report);
  cr_assert_eq(status, MB_OK, "%d:%d: %s: %s", report.issues[0].line, report.issues[0].column,
               report.issues[0].where, report.issues[0].text);
  cr_assert_eq(report.errors + report.warnings, 0);
  return scene;
}

static MbScene *scene_of(const char *text) { return read_with(text, NULL); }

static MbReport *errors_with(const char *text, const MbSceneOptions *options, MbStatus expected) {
  static MbReport report;
  memset(&report, 0, sizeof report);
  MbScene *scene = NULL;
  const MbStatus status = mb_scene_parse(text, strlen(text), "test", ".", options, &scene, &report);
  cr_assert_eq(status, expected, "%s: status %d", text, status);
  cr_assert_null(scene);
  cr_assert_eq(mb_alloc_live(), 0);
  return &report;
}

static void said(const MbIssue *issue, int line, int column, const char *where, const char *part) {
  cr_expect(issue->line == line && issue->column == column && !strcmp(issue->where, where) &&
                strstr(issue->text, part),
            "%d:%d: %s: \"%s\"; wanted %d:%d: %s with \"%s\"", issue->line, issue->column, issue->where,
            issue->text, line, column, where, part);
}

static void near(const double *a, const double *b, size_t n) {
  for (size_t i = 0; i < n; i++)
    cr_assert(fabs(a[i] - b[i]) <= ROUNDING, "element %zu is %.17g, not %.17g", i, a[i], b[i]);
}

// ---- what is read -----------------------------------------------------------------------------------------

Test(scene, the_smallest_one_has_every_default) {
  MbScene *scene =
      scene_of("{\"mbsim\": 1, \"time\": {\"step\": 0.01, \"duration\": 2}, \"constraints\": [], "
               "\"deformables\": []}");
  const MbSceneSpec *s = &scene->spec;
  near(s->gravity, (const double[]){0, 0, -9.81}, 3);
  cr_assert_str_eq(s->name, "");
  cr_assert_str_eq(s->description, "");
  cr_assert(s->time.step == 0.01 && s->time.duration == 2 && s->time.steps == -1);
  cr_assert(s->solver.kind == MB_SOLVER_REDMAX && s->solver.threads == 1 && s->solver.device == MB_CPU);
  cr_assert(s->integrator.kind == MB_IMPLICIT && s->integrator.relative == 1e-6 &&
            s->integrator.absolute == 1e-9);
  cr_assert(!s->output.file && !s->output.every && isnan(s->output.interval) && !s->output.channels);
  cr_assert(!s->output.nchannels && isnan(s->output.checkpoint));
  for (int i = 0; i < MB_QUANTITIES; i++) cr_assert_eq(s->output.error[i], 0);
  cr_assert(!s->nbodies && !s->nforces && !s->nmaterials && !s->nparameters);
  mb_scene_free(scene);
}

Test(scene, a_body_has_every_default) {
  MbScene *scene = scene_of(
      HEAD ", \"bodies\": [{\"name\": \"a\", \"shape\": {\"type\": \"box\", \"size\": [1, 2, 3]}}]}");
  const MbBodySpec *b = &scene->spec.bodies[0];
  cr_assert(isnan(scene->spec.time.duration) && scene->spec.time.steps == 5);
  cr_assert(b->nshapes == 1 && !b->shape_list && isnan(b->density) && isnan(b->mass) && !b->material);
  cr_assert(!b->inertia && b->damping == 0 && b->velocity_axes == MB_AXES_WORLD);
  near(b->pose.rotation, (const double[]){1, 0, 0, 0}, 4);
  const MbShapeSpec *s = &b->shapes[0];
  cr_assert(s->kind == MB_SHAPE_BOX && isnan(s->density) && !s->material);
  near(s->size, (const double[]){1, 2, 3}, 3);
  near(s->frame.rotation, (const double[]){1, 0, 0, 0}, 4);
  mb_scene_free(scene);
}

Test(scene, everything_is_read) {
  MbScene *scene = scene_of(
      "{\"mbsim\": 1, \"name\": \"all\", \"description\": \"of it\", \"_x\": {\"mbsim\": 2},\n"
      "\"bodies\": [{\"name\": \"a\", \"material\": \"steel\", \"mass\": \"=2*m\", \"damping\": 0.5, "
      "\"_note\": 1,\n"
      "  \"shape\": [{\"type\": \"sphere\", \"radius\": 1, \"density\": 5, \"frame\": {\"position\": [1, 2, "
      "3]}},\n"
      "    {\"type\": \"capsule\", \"radius\": 2, \"length\": 0}, {\"type\": \"cylinder\", \"radius\": 3, "
      "\"length\": 4},\n"
      "    {\"type\": \"ellipsoid\", \"radii\": [1, 2, 3], \"material\": \"wood\"},\n"
      "    {\"type\": \"plane\", \"normal\": [0, 3, 4], \"offset\": 2},\n"
      "    {\"type\": \"mesh\", \"file\": \"scenes/free/angle.obj\", \"scale\": 2}],\n"
      "  \"pose\": {\"position\": [\"=m\", 0, 0]},\n"
      "  \"velocity\": {\"angular\": [1, 2, 3], \"linear\": [4, 5, 6], \"frame\": \"body\"}},\n"
      " {\"name\": \"b\", \"inertia\": {\"mass\": 2, \"center\": [1, 0, 0], \"matrix\": [1, 2, 3, 0.1, 0.2, "
      "0.3]}}],\n"
      "\"parameters\": {\"m\": 3, \"_c\": \"x\", \"n\": \"=m^2\"}, \"gravity\": [0, \"=-n\", 0],\n"
      "\"time\": {\"step\": 1e-3, \"duration\": \"=n\"},\n"
      "\"solver\": {\"type\": \"maximal\", \"threads\": 4, \"device\": \"auto\"},\n"
      "\"integrator\": {\"type\": \"rk45\", \"relative\": 1e-8},\n"
      "\"materials\": {\"steel\": {\"density\": 7800}, \"_\": 1, \"wood\": {}},\n"
      "\"forces\": [{\"type\": \"damping\", \"coefficient\": 2},\n"
      "  {\"type\": \"wrench\", \"name\": \"w\", \"body\": \"a\", \"torque\": [1, \"= m*t \", 3]},\n"
      "  {\"type\": \"point_force\", \"body\": \"b\", \"at\": [1, 2, 3], \"frame\": \"body\",\n"
      "   \"force\": [0, 1, {\"times\": [0, 1, \"=m\"], \"values\": [4, 5, 6], \"interpolation\": "
      "\"cubic\"}]}],\n"
      "\"output\": {\"file\": \"x.mbt\", \"interval\": 0.5, \"channels\": [\"energy\", \"body.velocity\"],\n"
      "  \"error\": {\"pose\": 1e-3, \"energy\": \"=m\"}, \"checkpoint\": 2}}");
  const MbSceneSpec *s = &scene->spec;
  cr_assert_str_eq(s->name, "all");
  cr_assert(s->nparameters == 2 && s->parameters[1].value == 9);
  cr_assert_str_eq(s->parameters[1].name, "n");
  cr_assert(s->gravity[1] == -9 && s->time.duration == 9);
  cr_assert(s->solver.kind == MB_SOLVER_MAXIMAL && s->solver.threads == 4 && s->solver.device == MB_AUTO);
  cr_assert(s->integrator.kind == MB_RK45 && s->integrator.relative == 1e-8 &&
            s->integrator.absolute == 1e-9);
  cr_assert(s->nmaterials == 2 && s->materials[0].density == 7800 && isnan(s->materials[1].density));
  cr_assert_str_eq(s->materials[1].name, "wood");

  const MbBodySpec *a = &s->bodies[0], *b = &s->bodies[1];
  cr_assert(s->nbodies == 2 && a->nshapes == 6 && a->shape_list && a->mass == 6 && a->damping == 0.5);
  cr_assert_str_eq(a->material, "steel");
  for (int i = 0; i < 3; i++) cr_assert(a->angular[i] == 1 + i && a->linear[i] == 4 + i);
  cr_assert(a->velocity_axes == MB_AXES_BODY && a->pose.position[0] == 3);
  const MbShapeSpec *h = a->shapes;
  cr_assert(h[0].kind == MB_SHAPE_SPHERE && h[0].radius == 1 && h[0].density == 5 &&
            h[0].frame.position[2] == 3);
  cr_assert(h[1].kind == MB_SHAPE_CAPSULE && h[1].radius == 2 && h[1].length == 0);
  cr_assert(h[2].kind == MB_SHAPE_CYLINDER && h[2].radius == 3 && h[2].length == 4);
  cr_assert(h[3].kind == MB_SHAPE_ELLIPSOID && h[3].size[2] == 3);
  cr_assert_str_eq(h[3].material, "wood");
  cr_assert(h[4].kind == MB_SHAPE_PLANE && h[4].offset == 2);
  near(h[4].normal, (const double[]){0, 0.6, 0.8}, 3);
  cr_assert(h[5].kind == MB_SHAPE_MESH && h[5].scale == 2 && h[5].mesh && h[5].mesh->nv == 12);
  cr_assert_str_eq(h[5].file, "scenes/free/angle.obj");
  cr_assert(b->inertia && b->inertia->mass == 2 && b->inertia->center[0] == 1 &&
            b->inertia->matrix[5] == 0.3);

  const MbForceSpec *f = s->forces;
  cr_assert(s->nforces == 3 && f[0].kind == MB_FORCE_DAMPING && test_damping(&f[0])->coefficient == 2 &&
            !f[0].name);
  cr_assert(f[1].kind == MB_FORCE_WRENCH && test_wrench(&f[1])->axes == MB_AXES_WORLD);
  cr_assert_str_eq(f[1].body, "a");
  cr_assert(test_wrench(&f[1])->torque[0].kind == MB_SIGNAL_CONSTANT &&
            test_wrench(&f[1])->torque[0].value == 1 && test_wrench(&f[1])->force[2].value == 0);
  cr_assert_eq(test_wrench(&f[1])->torque[1].kind, MB_SIGNAL_EXPRESSION);
  cr_assert_str_eq(test_wrench(&f[1])->torque[1].text, "m*t");
  const MbSignalSpec *table = &test_wrench(&f[2])->force[2];
  cr_assert(f[2].kind == MB_FORCE_POINT && test_wrench(&f[2])->axes == MB_AXES_BODY &&
            test_wrench(&f[2])->at[1] == 2);
  cr_assert(table->kind == MB_SIGNAL_TABLE && table->count == 3 && table->interpolation == MB_CUBIC);
  cr_assert(table->times[2] == 3 && table->values[2] == 6);

  const MbOutputSpec *o = &s->output;
  cr_assert(!o->every && o->interval == 0.5 && o->nchannels == 2 && o->checkpoint == 2);
  cr_assert_str_eq(o->channels[1], "body.velocity");
  cr_assert(o->error[MB_POSE] == 1e-3 && o->error[MB_ENERGY] == 3 && o->error[MB_VELOCITY] == 0);
  mb_scene_free(scene);
  cr_assert_eq(mb_alloc_live(), 0);
}

Test(scene, error_bounds_have_two_presets) {
  const struct {
    const char *text;
    double pose, velocity;
  } cases[] = {{"0", 0, 0}, {"\"fine\"", 1e-6, 1e-4}, {"\"view\"", 1e-5, 1e-3}, {"{}", 0, 0}};
  for (size_t i = 0; i < 4; i++) {
    char text[200];
    snprintf(text, sizeof text, HEAD ", \"output\": {\"error\": %s}}", cases[i].text);
    MbScene *scene = scene_of(text);
    cr_assert_eq(scene->spec.output.error[MB_POSE], cases[i].pose);
    cr_assert_eq(scene->spec.output.error[MB_VELOCITY], cases[i].velocity);
    cr_assert_eq(scene->spec.output.error[MB_FORCE], 0);
    mb_scene_free(scene);
  }
}

static void rotation(const char *json, double w, double x, double y, double z) {
  char text[500];
  snprintf(text, sizeof text, HEAD ", \"bodies\": [{\"name\": \"a\", \"pose\": {\"rotation\": %s}}]}", json);
  MbScene *scene = scene_of(text);
  near(scene->spec.bodies[0].pose.rotation, (const double[]){w, x, y, z}, 4);
  mb_scene_free(scene);
}

Test(scene, rotations_are_written_in_four_ways) {
  const double s = sqrt(0.5);
  rotation("[1, 0, 0, 0]", 1, 0, 0, 0);
  rotation("[0.6000003, 0, 0, 0.8000004]", 0.6, 0, 0, 0.8); // 5e-7 too long
  rotation("[-0.6, 0, 0.8, 0]", -0.6, 0, 0.8, 0);
  rotation("{\"axis\": [0, 0, 7], \"angle\": \"=90*deg\"}", s, 0, 0, s);
  rotation("{\"axis\": [0, 3e-200, 0], \"angle\": \"=pi\"}", 0, 0, 1, 0);
  rotation("{\"euler\": \"xyz\", \"angles\": [\"=pi/2\", 0, 0]}", s, s, 0, 0);
  // a quarter about x, then about the new z, which is the old -y: x to ... to z
  rotation("{\"euler\": \"xzx\", \"angles\": [\"=pi/2\", \"=pi/2\", 0]}", 0.5, 0.5, -0.5, 0.5);
  rotation("{\"euler\": \"xyz\", \"angles\": [\"=pi/2\", \"=pi/2\", 0]}", 0.5, 0.5, 0.5, 0.5);
  rotation("[[0, -1, 0], [1, 0, 0], [0, 0, 1]]", s, 0, 0, s);
  rotation("[[1, 0, 0], [0, -1, 0], [0, 0, -1]]", 0, 1, 0, 0);
  rotation("[[-1, 0, 0], [0, 1, 0], [0, 0, -1]]", 0, 0, 1, 0);
  rotation("[[-1, 0, 0], [0, -1, 0], [0, 0, 1]]", 0, 0, 0, 1);
}

// R (row major) of a unit quaternion.
static void matrix_of(const double q[4], double R[9]) {
  const double w = q[0], x = q[1], y = q[2], z = q[3];
  const double M[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                       2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                       2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
  memcpy(R, M, sizeof M);
}

Test(scene, matrices_of_every_rotation_come_back_accurately) {
  uint64_t state = 12345;
  for (int k = 0; k < 500; k++) {
    double q[4], length = 0;
    for (int i = 0; i < 4; i++) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      q[i] = (double)(state >> 40) / (1 << 23) - 1;
      if (k % 3 == 0 && (int)(state >> 33) % 2) q[i] *= 1e-9; // near half turns and near none
      length += q[i] * q[i];
    }
    for (int i = 0; i < 4; i++) q[i] /= sqrt(length);
    double R[9];
    matrix_of(q, R);
    char text[800];
    snprintf(text, sizeof text,
             HEAD ", \"bodies\": [{\"name\": \"a\", \"pose\": {\"rotation\": [[%.17g, %.17g, %.17g], [%.17g, "
                  "%.17g, %.17g], "
                  "[%.17g, %.17g, %.17g]]}}]}",
             R[0], R[1], R[2], R[3], R[4], R[5], R[6], R[7], R[8]);
    MbScene *scene = scene_of(text);
    const double *p = scene->spec.bodies[0].pose.rotation;
    const double sign = p[0] * q[0] + p[1] * q[1] + p[2] * q[2] + p[3] * q[3] < 0 ? -1 : 1;
    for (int i = 0; i < 4; i++)
      cr_assert(fabs(sign * p[i] - q[i]) < 4 * ROUNDING, "%d, element %d: %.17g, not %.17g", k, i,
                sign * p[i], q[i]);
    mb_scene_free(scene);
  }
}

// ---- what is wrong ----------------------------------------------------------------------------------------

Test(scene, all_errors_are_listed_in_the_order_of_the_text) {
  const MbReport *r = errors_with("{\n"
                                  "  \"bodies\": [{\"name\": \"a\", \"masss\": 1, \"mass\": -1},\n"
                                  "    {\"name\": \"a\", \"pose\": {\"position\": [0, \"x\", 0]}}, 5],\n"
                                  "  \"mbsim\": 1,\n"
                                  "  \"time\": {\"step\": \"=1-1\", \"steps\": 2.5}\n"
                                  "}",
                                  NULL, MB_SCENE);
  cr_assert_eq(r->errors, 7);
  said(&r->issues[0], 2, 28, "/bodies/0/masss",
       "unknown key \"masss\" (did you mean \"mass\"?); body has name, shape");
  said(&r->issues[1], 2, 48, "/bodies/0/mass", "found -1, wanted a number > 0");
  said(&r->issues[2], 3, 14, "/bodies/1/name", "twice");
  said(&r->issues[3], 3, 44, "/bodies/1/pose/position/1", "found \"x\", wanted a number");
  said(&r->issues[4], 3, 55, "/bodies/2", "found 5, wanted an object (body)");
  said(&r->issues[5], 5, 20, "/time/step", "found \"=1-1\", wanted a number > 0, not 0");
  said(&r->issues[6], 5, 37, "/time/steps", "found 2.5, wanted a whole number");
  cr_assert_str_eq(r->file, "test");
}

Test(scene, a_thousand_errors_are_counted_and_twenty_kept) {
  char *text = calloc(200000, 1);
  size_t n = (size_t)sprintf(text, HEAD ", \"bodies\": [");
  for (int i = 0; i < 1000; i++)
    n += (size_t)sprintf(text + n, "%s{\"name\": \"a%d\", \"mas\": 1}", i ? "," : "", i);
  sprintf(text + n, "]}");
  const MbReport *r = errors_with(text, NULL, MB_SCENE);
  cr_assert_eq(r->errors, 1000);
  cr_assert_eq(r->kept, MB_REPORT_MAX);
  said(&r->issues[19], 1, r->issues[19].column, "/bodies/19/mas", "mass");
  free(text);
}

Test(scene, a_wrong_parameter_is_one_error_not_many) {
  const MbReport *r = errors_with(
      HEAD ", \"parameters\": {\"a\": \"=1/0\", \"b\": \"=2*a\"}, \"gravity\": [0, \"=a\", \"=b\"]}", NULL,
      MB_SCENE);
  cr_assert_eq(r->errors, 1);
}

Test(scene, a_parameter_that_is_used_too_early_is_told_apart_from_an_unknown_one) {
  const MbReport *r = errors_with(
      HEAD ", \"parameters\": {\"a\": \"=2*bee\", \"bee\": \"=bee\", \"c\": \"=be+a\"}}", NULL, MB_SCENE);
  cr_assert_eq(r->errors, 3);
  cr_expect(strstr(r->issues[0].text, "\"bee\" is used before it is there: move it before \"a\""), "%s",
            r->issues[0].text);
  cr_expect(strstr(r->issues[1].text, "\"bee\" uses itself"), "%s", r->issues[1].text);
  cr_expect(strstr(r->issues[2].text, "unknown name \"be\"; did you mean \"bee\"?"), "%s", r->issues[2].text);
}

Test(scene, very_many_parameters_take_no_long_time) {
  enum { N = 20000 };
  char *const text = calloc(N, 40);
  size_t n = (size_t)sprintf(text, HEAD ", \"parameters\": {\"p0\": 1");
  for (int i = 1; i < N; i++) n += (size_t)sprintf(text + n, ", \"p%d\": \"=p%d + 1\"", i, i - 1);
  sprintf(text + n, "}}");
  MbScene *scene = scene_of(text); // a minute and more, were every parameter told to every expression
  cr_assert_eq(scene->spec.parameters[N - 1].value, N);
  mb_scene_free(scene);

  // more names in one expression than are looked for one by one
  n = (size_t)sprintf(text, HEAD ", \"parameters\": {\"p0\": 1");
  for (int i = 1; i < 100; i++) n += (size_t)sprintf(text + n, ", \"p%d\": 1", i);
  n += (size_t)sprintf(text + n, ", \"all\": \"=p0");
  for (int i = 1; i < 100; i++) n += (size_t)sprintf(text + n, "+p%d", i);
  sprintf(text + n, "\"}}");
  scene = scene_of(text);
  cr_assert_eq(scene->spec.parameters[100].value, 100);
  mb_scene_free(scene);
  free(text);
}

Test(scene, keys_are_not_folded_to_one_case) {
  const MbReport *r = errors_with(
      "{\"MBSIM\": 1, \"mbsim\": 1, \"time\": {\"step\": 1, \"Steps\": 1, \"steps\": 1}}", NULL, MB_SCENE);
  cr_assert_eq(r->errors, 2);
}

Test(scene, pointers_escape_their_keys) {
  const MbReport *r = errors_with(HEAD ", \"a/b~c\": 1}", NULL, MB_SCENE);
  said(&r->issues[0], 1, 50, "/a~1b~0c", "unknown key \"a/b~c\"");
}

Test(scene, very_long_keys_and_texts_are_cut) {
  char *text = calloc(20000, 1), *x = calloc(8001, 1);
  memset(x, 'x', 8000);
  sprintf(text, HEAD ", \"%s\": 1, \"materials\": {\"%s\": {\"%s\": 1}}, \"solver\": \"%s\"}", x, "m", "y",
          x);
  cr_assert_eq(errors_with(text, NULL, MB_SCENE)->errors, 3);
  sprintf(text, HEAD ", \"materials\": {\"%s\": {\"z\": 1}}}", x);
  cr_assert_eq(errors_with(text, NULL, MB_SCENE)->errors, 1);
  free(x);
  free(text);
}

// ---- overriding -------------------------------------------------------------------------------------------

#define LENGTHS                                                                                              \
  HEAD ", \"parameters\": {\"length\": 1, \"twice\": \"=2*length\", \"_c\": 5}, \"gravity\": [0, 0, "        \
       "\"=-twice\"]}"

Test(scene, the_command_line_overrides_parameters_and_values) {
  static const char *const params[] = {"length=3"}, *const sets[] = {"/time/step=0.5", "/name=\"x\"",
                                                                     "/gravity/0=1"};
  const MbSceneOptions options = {.params = params, .nparams = 1, .sets = sets, .nsets = 3};
  MbScene *scene = read_with(LENGTHS, &options);
  const MbSceneSpec *s = &scene->spec;
  cr_assert(s->parameters[0].value == 3 && s->parameters[1].value == 6 && s->gravity[2] == -6 &&
            s->gravity[0] == 1);
  cr_assert_eq(s->time.step, 0.5);
  cr_assert_str_eq(s->name, "x");
  char *const json = mb_scene_resolved(scene);
  cr_assert_str_eq(
      json,
      "{\"mbsim\":1,\"time\":{\"step\":0.5,\"steps\":5},\"parameters\":{\"length\":3,\"twice\":6,\"_c\":5},"
      "\"gravity\":[1,0,\"=-twice\"],\"name\":\"x\"}");
  mb_free(json);
  mb_scene_free(scene);

  static const char *const formula[] = {"length==3*pi/pi", "twice=1e-1"};
  const MbSceneOptions more = {.params = formula, .nparams = 2};
  scene = read_with(LENGTHS, &more);
  cr_assert_eq(scene->spec.parameters[0].value, 3);
  cr_assert_eq(scene->spec.gravity[2], -0.1);
  mb_scene_free(scene);
  cr_assert_eq(mb_alloc_live(), 0);
}

Test(scene, options_can_be_set_where_a_word_stands) {
  static const char *const sets[] = {"/solver/linear=\"dense\"", "/integrator/relative=1e-4"};
  const MbSceneOptions options = {.sets = sets, .nsets = 2};
  MbScene *scene = read_with(HEAD ", \"solver\": \"maximal\", \"integrator\": \"rk45\"}", &options);
  cr_assert(scene->spec.solver.kind == MB_SOLVER_MAXIMAL && scene->spec.solver.linear == MB_LINEAR_DENSE);
  cr_assert(scene->spec.integrator.kind == MB_RK45 && scene->spec.integrator.relative == 1e-4);
  mb_scene_free(scene);
  cr_assert_eq(mb_alloc_live(), 0);
}

Test(scene, a_resolved_scene_is_read_again_the_same) {
  MbScene *scene = scene_of(
      HEAD ", \"parameters\": {\"a\": \"=0.1+0.2\", \"b\": \"=1/3\"}, \"gravity\": [0, \"=a\", \"=b\"]}");
  char *const json = mb_scene_resolved(scene);
  MbScene *again = scene_of(json);
  cr_assert_eq(again->spec.parameters[0].value, 0.1 + 0.2);
  for (int i = 0; i < 3; i++) cr_assert_eq(again->spec.gravity[i], scene->spec.gravity[i]);
  mb_free(json);
  mb_scene_free(again);
  mb_scene_free(scene);
}

static void refused_param(const char *param, const char *part) {
  const char *const params[] = {param};
  const MbSceneOptions options = {.params = params, .nparams = 1};
  const MbReport *r = errors_with(LENGTHS, &options, MB_USAGE);
  cr_expect(strstr(r->issues[0].text, part), "%s: \"%s\" has no \"%s\" in it", param, r->issues[0].text,
            part);
}

static void refused_set(const char *set, MbStatus status, const char *part) {
  const char *const sets[] = {set};
  const MbSceneOptions options = {.sets = sets, .nsets = 1};
  const MbReport *r = errors_with(LENGTHS, &options, status);
  cr_expect(strstr(r->issues[0].text, part), "%s: \"%s\" has no \"%s\" in it", set, r->issues[0].text, part);
  cr_expect(status != MB_SCENE || r->issues[0].line == 0, "%s: line %d is not the command line", set,
            r->issues[0].line);
}

Test(scene, parameters_are_overridden_by_numbers_as_people_type_them) {
  static const char *const typed[] = {"length=.5", "length=+2", "length=1.", "length=-.25e1"};
  static const double wanted[] = {0.5, 2, 1, -2.5};
  for (int i = 0; i < 4; i++) {
    MbScene *scene = read_with(LENGTHS, &(MbSceneOptions){.params = &typed[i], .nparams = 1});
    cr_expect_eq(scene->spec.parameters[0].value, wanted[i], "%s", typed[i]);
    mb_scene_free(scene);
  }
}

Test(scene, wrong_overriding_is_refused_and_has_no_line) {
  refused_param("lenght=3", "did you mean \"length\"?");
  refused_param("length", "wanted name=value");
  refused_param("=3", "wanted name=value");
  refused_param("length=", "wanted a number");
  refused_param("length=x", "wanted a number");
  refused_param("length=1e999", "too large for a number");
  refused_param("length=.", "wanted a number");
  refused_param("length=1.2.3", "wanted a number");
  refused_param("q=1", "no such parameter; it has length, twice");
  refused_param("_c=1", "no such parameter");
  refused_set("time/step=1", MB_USAGE, "wanted /json/pointer=value");
  refused_set("/time/step", MB_USAGE, "wanted /json/pointer=value");
  refused_set("/solver=maximal", MB_USAGE, "texts stand in double quotes");
  refused_set("/none/x=1", MB_USAGE, "no object or list at \"/none\"");
  refused_set("/time/step=-1", MB_SCENE, "(set on the command line)");
  refused_set("/time={\"step\": -1, \"steps\": 1}", MB_SCENE,
              "wanted a number > 0 (set on the command line)");
  refused_set("/tme=1", MB_SCENE, "unknown key \"tme\"");
  refused_set("=5", MB_USAGE, "wanted /json/pointer=value");

  static const char *const added[] = {"/bodies=[]", "/bodies/-={\"name\": \"a\"}", "/bodies/-={\"name\": 5}"};
  const MbSceneOptions adding = {.sets = added, .nsets = 3};
  said(&errors_with(LENGTHS, &adding, MB_SCENE)->issues[0], 0, 0, "/bodies/1/name",
       "(set on the command line)");

  static const char *const params[] = {"length==1/0"};
  const MbSceneOptions options = {.params = params, .nparams = 1};
  said(&errors_with(LENGTHS, &options, MB_SCENE)->issues[0], 0, 0, "/parameters/length",
       "(set on the command line)");
}

Test(scene, later_errors_are_placed_too) {
  static const char *const sets[] = {"/gravity/0=1"};
  const MbSceneOptions options = {.sets = sets, .nsets = 1};
  MbScene *scene = read_with(HEAD ",\n \"gravity\": [0, 0, 0]}", &options);
  MbReport report = {.errors = 2, .kept = 3};
  snprintf(report.issues[0].where, sizeof report.issues[0].where, "/gravity/1/x");
  snprintf(report.issues[1].where, sizeof report.issues[1].where, "/gravity/0");
  mb_scene_locate(scene, &report);
  mb_scene_locate(scene, &report);
  cr_assert(report.issues[0].line == 2 && report.issues[0].column == 17);
  cr_assert(report.issues[1].line == 0);
  cr_assert_str_eq(report.issues[1].text, " (set on the command line)");
  cr_assert_eq(report.issues[2].line, 0);
  mb_scene_free(scene);
}

Test(scene, numbers_have_a_point_in_every_locale) {
  // a locale with a decimal comma, made where the system has none
  char folder[] = "/tmp/mbsim-locale-XXXXXX", command[300];
  cr_assert_not_null(mkdtemp(folder));
  snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 >%s/log 2>&1", folder,
           folder);
  const bool made = system(command) == 0;
  if (made) setenv("LOCPATH", folder, 1);
  const bool comma = setlocale(LC_ALL, "de_DE.UTF-8") && localeconv()->decimal_point[0] == ',';
  snprintf(command, sizeof command, "rm -rf %s", folder);
  cr_assert_eq(system(command), 0);
  if (!comma) cr_skip_test("no locale with a decimal comma");

  static const char *const params[] = {"a=2.5"};
  const MbSceneOptions options = {.params = params, .nparams = 1};
  MbScene *scene =
      read_with("{\"mbsim\": 1, \"time\": {\"step\": 0.125, \"steps\": 1}, \"parameters\": {\"a\": 1}, "
                "\"gravity\": [0, 1.5e0, \"=a+0.25+mod(1.5,1)\"]}",
                &options);
  cr_assert_eq(scene->spec.time.step, 0.125);
  cr_assert_eq(scene->spec.gravity[1], 1.5);
  cr_assert_eq(scene->spec.gravity[2], 3.25);
  char *const json = mb_scene_resolved(scene);
  cr_assert(strstr(json, "\"step\":0.125,") && strstr(json, "\"a\":2.5}"), "%s", json);
  mb_free(json);
  mb_scene_free(scene);
  char *const schema = mb_schema_json(), *const reference = mb_schema_reference();
  setlocale(LC_ALL, "C");
  char *const same_schema = mb_schema_json(), *const same_reference = mb_schema_reference();
  cr_assert_str_eq(schema, same_schema);
  cr_assert_str_eq(reference, same_reference);
  mb_free(schema), mb_free(reference), mb_free(same_schema), mb_free(same_reference);
}

// ---- files and memory -------------------------------------------------------------------------------------

Test(scene, a_file_that_cannot_be_read_is_named) {
  MbReport report = {0};
  MbScene *scene = NULL;
  cr_assert_eq(mb_scene_load("scenes/none.json", NULL, &scene, &report), MB_IO);
  cr_assert(strstr(report.issues[0].text, "scenes/none.json: No such file"));
  cr_assert_eq(mb_scene_load("scenes", NULL, &scene, NULL), MB_IO);
  cr_assert_null(scene);
  cr_assert_eq(mb_alloc_live(), 0);
}

Test(scene, a_file_larger_than_a_gigabyte_is_refused) {
  char path[] = "/tmp/mbsim-scene-XXXXXX";
  const int file = mkstemp(path);
  cr_assert_eq(ftruncate(file, ((off_t)1 << 30) + 1), 0); // a hole, no disk is used
  close(file);
  MbReport report = {0};
  MbScene *scene = NULL;
  cr_assert_eq(mb_scene_load(path, NULL, &scene, &report), MB_SCENE);
  cr_assert(strstr(report.issues[0].text, "larger than 1 GiB"));
  unlink(path);
}

Test(scene, a_report_is_not_needed) {
  MbScene *scene = NULL;
  cr_assert_eq(mb_scene_parse("{}", 2, "test", ".", NULL, &scene, NULL), MB_SCENE);
}

Test(scene, reading_fails_cleanly_when_memory_runs_out) {
  static const char *const params[] = {"length=3"}, *const sets[] = {"/time/step=0.5"};
  const MbSceneOptions options = {.params = params, .nparams = 1, .sets = sets, .nsets = 1};
  static const char text[] = HEAD
      ", \"parameters\": {\"length\": 1, \"b\": \"=2*length\"}, \"materials\": {\"s\": {\"density\": 1}},"
      "\"bodies\": [{\"name\": \"a\", \"shape\": {\"type\": \"mesh\", \"file\": \"scenes/free/angle.obj\"}}],"
      "\"forces\": [{\"type\": \"wrench\", \"body\": \"a\", \"force\": [\"=t\", 0, {\"times\": [0], "
      "\"values\": [1]}]}],"
      "\"output\": {\"channels\": [\"energy\"]}}";
  for (int k = 0;; k++) {
    MbReport report = {0};
    MbScene *scene = NULL;
    mb_alloc_fail_after(k);
    const MbStatus status = mb_scene_parse(text, strlen(text), "test", ".", &options, &scene, &report);
    char *const json = status ? NULL : mb_scene_resolved(scene);
    mb_alloc_fail_after(-1);
    cr_assert(status == MB_OK || (status == MB_IO && report.errors), "call %d failed: status %d, \"%s\"", k,
              status, report.issues[0].text);
    const bool done = json;
    mb_free(json);
    mb_scene_free(scene);
    cr_assert_eq(mb_alloc_live(), 0, "call %d failed and something leaked", k);
    if (done) break;
    cr_assert_lt(k, 5000);
  }
}

// A long chain has a million bodies, of which few are driven, if any.
Test(scene, what_drives_a_body_takes_room_only_where_it_is_given) {
  MbScene *scene = scene_of(
      HEAD ", \"bodies\": [{\"name\": \"a\", \"mass\": 1, \"shape\": {\"type\": \"sphere\", \"radius\": 1}},"
           "{\"name\": \"b\", \"mass\": 1, \"shape\": {\"type\": \"sphere\", \"radius\": 1},"
           "\"motion\": {\"velocity\": {\"linear\": [0, 0, \"=t\"]}}}]}");
  const MbBodySpec *body = scene->spec.bodies;
  cr_expect_null(body[0].motion);
  cr_assert_not_null(body[1].motion);
  const MbBodyMotionSpec *motion = body[1].motion;
  cr_expect(motion->has_velocity && !motion->has_pose && motion->axes == MB_AXES_WORLD);
  cr_expect_str_eq(motion->linear[2].text, "t");
  cr_expect_null(motion->angular[0].text, "its default");
  cr_expect_leq(sizeof *body, 1000);
  mb_scene_free(scene);
}
