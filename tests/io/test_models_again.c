// Models go round: a scene exported as a model and imported again is the same scene, and moves in the same way.
#include "core/base/alloc.h"
#include "core/constraints/distance.h"
#include "core/forces/spring.h"
#include "core/math/quat.h"
#include "io/json/json.h"
#include "io/models/models.h"
#include "tests/runs.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double SAME = 1e-14, ACCELERATION = 1e-12; // of a number; of the largest of a state

static char folder[64];
static void begin(void) { test_folder_begin(folder, "again"); }
static void end(void) { test_folder_end(folder); }
TestSuite(models_again, .init = begin, .fini = end);

// ---- round ------------------------------------------------------------------------------------------------

// A scene as a model, in a file; *path ← it. Whether it begins at a keyframe.
static bool export_to(const MbScene *scene, MbModelFormat format, const char *directory, char path[200]) {
  MbReport report = {0};
  char *text = NULL;
  test_ok(mb_model_export(scene, format, directory, folder, &text, &report), &report);
  snprintf(path, 200, "%s/model.%s", folder, mb_model_formats[format]);
  FILE *file = fopen(path, "w");
  cr_assert(file);
  fputs(text, file);
  fclose(file);
  const bool key = strstr(text, "<key name=\"start\"");
  mb_free(text);
  return key;
}

static char *import(const char *path, const char *key) {
  const char *packages[] = {"tests"};
  const MbImportOptions options = {.packages = packages, .npackages = 1, .key = key, .folder = folder};
  MbModelNotes notes = {0};
  MbReport report = {0};
  char *text = NULL;
  test_ok(mb_model_import(path, &options, &notes, &text, &report), &report);
  mb_model_notes_free(&notes);
  return text;
}

static MbScene *parse_plain(const char *text) {
  MbReport report = {0};
  MbScene *scene = NULL;
  test_ok(mb_scene_parse(text, strlen(text), "scene.json", folder, NULL, &scene, &report), &report);
  return scene;
}

// With the gravity of another scene, which URDF has none of; NULL: its own.
static MbScene *parse(const char *text, const MbScene *other) {
  char gravity[100];
  const double *g = other ? other->spec.gravity : NULL;
  if (g) snprintf(gravity, sizeof gravity, "/gravity=[%.17g, %.17g, %.17g]", g[0], g[1], g[2]);
  const char *sets[] = {"/integrator=\"rk45\"", "/contact=false",
                        "/output={\"channels\": [\"body.acceleration\"]}", gravity};
  const MbSceneOptions change = {.sets = sets, .nsets = g ? 4 : 3};
  MbReport report = {0};
  MbScene *scene = NULL;
  test_ok(mb_scene_parse(text, strlen(text), "scene.json", folder, &change, &scene, &report), &report);
  return scene;
}

// ---- the same scene ---------------------------------------------------------------------------------------

// Comments say where things come from: those that a model has as well stay.
static bool is_said(const cJSON *member) {
  static const char *const kept[] = {"_name", "_effort", "_velocity"};
  if (member->string[0] != '_') return true;
  for (size_t i = 0; i < 3; i++)
    if (!strcmp(member->string, kept[i])) return true;
  return false;
}

static void compare(const cJSON *a, const cJSON *b, const char *where);

// An axis may have another length, a rotation may be given in another way: the accelerations tell of those.
static void compare_objects(const cJSON *a, const cJSON *b, const char *where) {
  char path[300];
  const cJSON *member = NULL;
  for (int turn = 0; turn < 2; turn++) {
    const cJSON *const object = turn ? b : a;
    cJSON_ArrayForEach(member, object) {
      const cJSON *other = cJSON_GetObjectItemCaseSensitive(turn ? a : b, member->string);
      snprintf(path, sizeof path, "%s/%s", where, member->string);
      if (!is_said(member) || !strcmp(member->string, "axis") || !strcmp(member->string, "rotation"))
        continue;
      if (turn && !strcmp(member->string, "_name")) continue; // URDF needs names where there were none
      cr_assert(other, "%s is %s", path, turn ? "new" : "lost");
      if (!turn) compare(member, other, path);
    }
  }
}

static void compare(const cJSON *a, const cJSON *b, const char *where) {
  char path[300];
  cr_assert_eq(a->type, b->type, "%s: another type", where);
  if (cJSON_IsObject(a)) {
    compare_objects(a, b, where);
  } else if (cJSON_IsArray(a)) {
    cr_assert_eq(cJSON_GetArraySize(a), cJSON_GetArraySize(b), "%s: another length", where);
    const cJSON *y = b->child;
    int i = 0;
    for (const cJSON *x = a->child; x; x = x->next, y = y->next) {
      snprintf(path, sizeof path, "%s/%d", where, i++);
      compare(x, y, path);
    }
  } else if (cJSON_IsNumber(a)) {
    cr_assert_float_eq(a->valuedouble, b->valuedouble, SAME * fmax(1, fabs(a->valuedouble)),
                       "%s: %.17g, not %.17g", where, b->valuedouble, a->valuedouble);
  } else if (cJSON_IsString(a)) {
    cr_assert_str_eq(a->valuestring, b->valuestring, "%s", where);
  }
}

static void compare_texts(const char *a, const char *b, const char *name) {
  cJSON *x = NULL, *y = NULL;
  MbReport report = {0};
  test_ok(mb_json_parse(a, strlen(a), &x, &report), &report);
  test_ok(mb_json_parse(b, strlen(b), &y, &report), &report);
  compare(x, y, name);
  cJSON_Delete(x);
  cJSON_Delete(y);
}

// ---- the same motion --------------------------------------------------------------------------------------

static TestRun run_of(MbScene *scene) {
  TestRun run = {.scene = scene};
  MbReport report = {0};
  test_ok(mb_model_create(scene, &run.model, &report), &report);
  test_ok(mb_sim_create(run.model, NULL, &run.sim, &report), &report);
  return run;
}

static size_t find(const TestRun *run, const char *name) {
  for (size_t b = 0; b < mb_model_bodies(run->model); b++)
    if (!strcmp(mb_model_body_name(run->model, b), name)) return b;
  cr_assert(false, "no body %s", name);
  return 0;
}

static double *numbers(size_t n) {
  double *x = mb_calloc(n + 1, sizeof *x);
  cr_assert(x);
  return x;
}

// Accelerations of all bodies, by their names: angular, and of their frames' origins where these have not moved.
static void compare_motion(TestRun *a, TestRun *b, size_t of, const char *name) {
  size_t count = 0;
  const size_t bodies = mb_model_bodies(a->model);
  double size = 0, *x = numbers(6 * bodies), *y = numbers(6 * bodies);
  cr_assert_eq(bodies, mb_model_bodies(b->model), "%s", name);
  memcpy(x, test_channel(a->sim, "body.acceleration", &count), 6 * bodies * sizeof *x);
  memcpy(y, test_channel(b->sim, "body.acceleration", &count), 6 * bodies * sizeof *y);
  for (size_t i = 0; i < bodies; i++)
    for (size_t n = 0; n < of; n++) size = fmax(size, fabs(x[6 * i + n]));
  for (size_t i = 0; i < bodies; i++) {
    const char *body = mb_model_body_name(a->model, i);
    const size_t k = find(b, body);
    for (size_t n = 0; n < of; n++)
      cr_assert_float_eq(y[6 * k + n], x[6 * i + n], ACCELERATION * size,
                         "%s: %s, acceleration %zu is %.17g, not %.17g", name, body, n, y[6 * k + n],
                         x[6 * i + n]);
  }
  mb_free(x);
  mb_free(y);
}

// Every body's coordinates and velocities in one are those in the other, from the start on by some.
static void move(TestRun *a, TestRun *b, int state) {
  size_t nq = 0, nv = 0, fa = 0, fb = 0;
  const size_t bodies = mb_model_bodies(a->model);
  mb_model_coordinates(a->model, bodies, &nq), mb_model_velocities(a->model, bodies, &nv);
  double *qa = numbers(nq), *va = numbers(nv), *qb = numbers(nq), *vb = numbers(nv);
  MbReport report = {0};
  mb_sim_get(a->sim, qa, va), mb_sim_get(b->sim, qb, vb);
  for (size_t i = 0; i < bodies; i++) {
    const size_t k = find(b, mb_model_body_name(a->model, i));
    const size_t n = mb_model_coordinates(a->model, i, &fa), m = mb_model_coordinates(b->model, k, &fb);
    cr_assert_eq(n, m, "%s has %zu coordinates, not %zu", mb_model_body_name(a->model, i), m, n);
    for (size_t c = 0; c < n; c++) {
      if (n < 7) qa[fa + c] += 0.02 * sin(7.0 * (double)(fa + c) + state);
      qb[fb + c] = qa[fa + c];
    }
    const size_t nw = mb_model_velocities(a->model, i, &fa);
    mb_model_velocities(b->model, k, &fb);
    for (size_t c = 0; c < nw; c++) vb[fb + c] = va[fa + c] += sin(5.0 * (double)(fa + c) + 2 * state);
  }
  test_ok(mb_sim_set(a->sim, qa, va, &report), &report);
  test_ok(mb_sim_set(b->sim, qb, vb, &report), &report);
  mb_free(qa), mb_free(va), mb_free(qb), mb_free(vb);
}

// Takes the scenes.
static void compare_runs(MbScene *x, MbScene *y, bool states, size_t of, const char *name) {
  TestRun a = run_of(x), b = run_of(y);
  if (of == 6) compare_motion(&a, &b, of, name); // else it does not begin there
  for (int state = 1; state < 5 && states; state++) {
    move(&a, &b, state);
    compare_motion(&a, &b, of, name);
  }
  test_run_free(&a);
  test_run_free(&b);
}

// ---- tests ------------------------------------------------------------------------------------------------

Test(models_again, all_models_come_back_as_the_scenes_they_were) {
  DIR *models = opendir("tests/models");
  cr_assert(models);
  int count = 0;
  for (const struct dirent *entry; (entry = readdir(models));) {
    const char *dot = strrchr(entry->d_name, '.');
    const bool urdf = dot && !strcmp(dot, ".urdf");
    char path[400], again[200];
    if (!dot || (!urdf && strcmp(dot, ".xml") != 0)) continue;
    snprintf(path, sizeof path, "tests/models/%s", entry->d_name);
    char *first = import(path, NULL);
    MbScene *scene = parse_plain(first);
    const bool key = export_to(scene, urdf ? MB_MODEL_URDF : MB_MODEL_MJCF, folder, again);
    char *second = import(again, key ? "start" : NULL);
    compare_texts(first, second, entry->d_name);
    mb_scene_free(scene);
    compare_runs(parse(first, NULL), parse(second, NULL), true, 6, entry->d_name);
    mb_free(first);
    mb_free(second);
    count++;
  }
  closedir(models);
  cr_assert_geq(count, 10);
}

typedef struct Case {
  const char *scene;
  bool urdf, tied; // fits in URDF; constraints allow no other state
} Case;

Test(models_again, scenes_that_fit_come_back_with_their_motion) {
  static const Case cases[] = {{"redmax/00-simple-serial-chain.json", true, false},
                               {"redmax/01-different-revolute-axes.json", true, false},
                               {"redmax/04-loop.json", false, true},
                               {"redmax/06-joint-limits.json", true, false},
                               {"redmax/11-joint-stiffness-and-damping.json", false, false},
                               {"redmax/14-universal-joint.json", false, false},
                               {"redmax/16-planar-joint.json", false, false},
                               {"redmax/19-composite-joint.json", false, false},
                               {"redmax/25-composite-body.json", true, false},
                               {"redmax/26-obj-body.json", true, false},
                               {"redmax/35-2d-free-joint.json", true, false},
                               {"redmax/four_bar.json", false, true},
                               {"redmax/gears.json", false, true},
                               {"redmax/rope.json", false, true},
                               {"redmax/top.json", false, false},
                               {"free/hammer.json", false, false},
                               {"free/spring_pair.json", false, false},
                               {"free/tennis_racket.json", false, false}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (int format = 0; format < (cases[i].urdf ? 2 : 1); format++) {
      char path[200], again[200], directory[100];
      snprintf(path, sizeof path, "scenes/%s", cases[i].scene);
      snprintf(directory, sizeof directory, "scenes/%.*s", (int)strcspn(cases[i].scene, "/"), cases[i].scene);
      const char *sets[] = {"/integrator=\"rk45\"", "/output={\"channels\": [\"body.acceleration\"]}"};
      const MbSceneOptions change = {.sets = sets, .nsets = 2};
      MbReport report = {0};
      MbScene *scene = NULL;
      test_ok(mb_scene_load(path, &change, &scene, &report), &report);
      const bool key = export_to(scene, format ? MB_MODEL_URDF : MB_MODEL_MJCF, directory, again);
      char *text = import(again, key ? "start" : NULL);
      compare_runs(scene, parse(text, scene), !cases[i].tied, format ? 3 : 6, cases[i].scene);
      mb_free(text);
    }
}

// What a scene leaves open is as it is at its start, where joints have turned: a model would take it from where joints' springs rest.
Test(models_again, lengths_that_a_scene_does_not_say_are_those_of_its_start) {
  static const char text[] =
      "{\"mbsim\": 1, \"time\": {\"step\": 0.01, \"duration\": 1}, \"bodies\": ["
      "{\"name\": \"a\", \"density\": 1000, \"shape\": {\"type\": \"box\", \"size\": [1, 0.2, 0.1]}, "
      "\"joint\": {\"type\": "
      "\"composite\","
      " \"joints\": [{\"type\": \"revolute\", \"axis\": [0, 1, 0.3]}, {\"type\": \"prismatic\"}],"
      " \"position\": [0.7, 0.2], \"in_parent\": {\"position\": [0, 0, 1]}, \"in_body\": {\"position\": "
      "[-0.5, 0.1, 0]}}},"
      "{\"name\": \"b\", \"density\": 1000, \"shape\": {\"type\": \"sphere\", \"radius\": 0.2}, \"joint\": {"
      "\"type\": \"spherical\", \"parent\": \"a\", \"position\": [0.4, -0.3, 0.5], \"in_parent\": "
      "{\"position\": [0.5, 0, 0]},"
      " \"in_body\": {\"position\": [0, 0.3, 0.4]}}}],"
      "\"forces\": [{\"type\": \"spring\", \"between\": [{\"body\": \"world\", \"at\": [0.3, 1, 0]},"
      " {\"body\": \"b\", \"at\": [0.1, 0, 0.2]}], \"stiffness\": 2000}]}";
  char again[200];
  MbScene *scene = parse(text, NULL);
  cr_assert(export_to(scene, MB_MODEL_MJCF, folder, again));
  char *second = import(again, "start");
  compare_runs(scene, parse(second, scene), true, 6, "a spring");
  mb_free(second);
}

// A spring, a rope and a rod that have no length of their own have that at the start, 0.5 m, and not that where the model stands, 0.4 m.
Test(models_again, lengths_that_are_not_given_are_those_at_the_start) {
  static const char text[] =
      "{\"mbsim\": 1, \"time\": {\"step\": 0.01, \"steps\": 1}, \"bodies\": [{\"name\": \"a\", \"shape\": "
      "{\"type\": "
      "\"sphere\", \"radius\": 0.1}, \"mass\": 1, \"joint\": {\"type\": \"prismatic\", \"axis\": [1, 0, 0], "
      "\"position\": 0.3}}], \"forces\": [{\"type\": \"spring\", \"stiffness\": 100, \"between\": "
      "[{\"body\": "
      "\"world\", \"at\": [0, 0.4, 0]}, {\"body\": \"a\"}]}], \"constraints\": [{\"type\": \"distance\", "
      "\"rope\": "
      "true, \"between\": [{\"body\": \"world\", \"at\": [0, 0.4, 0]}, {\"body\": \"a\"}]}, {\"type\": "
      "\"distance\", "
      "\"between\": [{\"body\": \"world\", \"at\": [0, 0.4, 0]}, {\"body\": \"a\"}]}]}";
  char again[200];
  MbScene *scene = parse_plain(text);
  cr_assert(export_to(scene, MB_MODEL_MJCF, folder, again), "it begins where it stands");
  char *model = import(again, "start");
  MbScene *other = parse_plain(model);
  cr_assert_eq(other->spec.nforces, 1);
  cr_assert_eq(other->spec.nconstraints, 2);
  test_near("spring", &((const MbSpringSpec *)other->spec.forces[0].parameters)->length, &(double){0.5}, 1,
            1e-12);
  for (size_t i = 0; i < 2; i++)
    test_near("distance", &((const MbDistanceSpec *)other->spec.constraints[i].parameters)->length,
              &(double){0.5}, 1, 1e-12);
  mb_scene_free(scene), mb_scene_free(other);
  mb_free(model);
}

// What touches goes the same way: friction, what collides with what, planes and their frames.
Test(models_again, scenes_with_contact_come_back_with_their_motion) {
  static const char *const scenes[] = {"stack", "card_house", "rattleback", "wrecking_ball", "chain"};
  static const double WAY = 1e-9; // metres, after 20 steps
  for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
    char path[200], again[200], step[60];
    snprintf(path, sizeof path, "scenes/contact/%s.json", scenes[i]);
    const char *sets[] = {"/integrator=\"symplectic\"", "/output={\"channels\": [\"body.position\"]}", step,
                          NULL};
    MbSceneOptions change = {.sets = sets, .nsets = 2};
    MbReport report = {0};
    MbScene *scene = NULL, *other = NULL;
    test_ok(mb_scene_load(path, &change, &scene, &report), &report);
    const bool key = export_to(scene, MB_MODEL_MJCF, "scenes/contact", again);
    char *text = import(again, key ? "start" : NULL);
    cr_assert(strstr(text, "\"contact\""), "%s", scenes[i]);
    snprintf(step, sizeof step, "/time/step=%.17g", scene->spec.time.step);
    change.nsets = 3;
    test_ok(mb_scene_parse(text, strlen(text), "scene.json", folder, &change, &other, &report), &report);
    TestRun a = run_of(scene), b = run_of(other);
    test_steps(a.sim, 20);
    test_steps(b.sim, 20);
    size_t n = 0;
    const double *now = test_channel(a.sim, "body.position", &n);
    double *x = numbers(n);
    memcpy(x, now, n * sizeof *x);
    cr_assert_lt(test_distance(x, test_channel(b.sim, "body.position", NULL), n), WAY, "%s", scenes[i]);
    mb_free(x);
    mb_free(text);
    test_run_free(&a);
    test_run_free(&b);
  }
}
