// Models imported and given another engine's states: their accelerations and mass centres are its own. What it says of each lies in
// tests/models/mujoco (ask.c there asks it).
#include "core/base/alloc.h"
#include "core/math/quat.h"
#include "io/json/json.h"
#include "io/models/models.h"
#include "tests/runs.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

static const double ACCELERATION = 1e-9, PLACE = 1e-12; // of the largest of a state; of metres

enum { MOST = 256 };

typedef struct Given {
  cJSON *answers, *scene; // as JSON
  TestRun run;
} Given;

static char *read_text(const char *path) {
  FILE *file = fopen(path, "r");
  cr_assert(file, "%s", path);
  char *text = mb_calloc(1 << 20, 1);
  cr_assert_lt(fread(text, 1, (1 << 20) - 1, file), (1 << 20) - 1);
  fclose(file);
  return text;
}

static Given load(const char *name, const char *solver) {
  Given g = {0};
  char path[200], how[100];
  snprintf(path, sizeof path, "tests/models/mujoco/%s", name);
  char *text = read_text(path), *scene = NULL;
  MbReport report = {0};
  test_ok(mb_json_parse(text, strlen(text), &g.answers, &report), &report);
  mb_free(text);
  snprintf(path, sizeof path, "tests/models/%s", cJSON_GetObjectItem(g.answers, "file")->valuestring);
  const char *packages[] = {"tests"};
  const MbImportOptions options = {
      .packages = packages, .npackages = 1, .merge_fixed = strstr(path, ".urdf")}; // as it does
  MbModelNotes notes = {0};
  test_ok(mb_model_import(path, &options, &notes, &scene, &report), &report);
  mb_model_notes_free(&notes);
  test_ok(mb_json_parse(scene, strlen(scene), &g.scene, &report), &report);
  snprintf(how, sizeof how, "/solver=%s", solver);
  const char *sets[] = {
      how, "/integrator=\"rk45\"", "/contact=false",
      "/output={\"channels\": [\"joint.acceleration\", \"body.acceleration\", \"body.position\", "
      "\"body.rotation\"]}"};
  const MbSceneOptions change = {.sets = sets, .nsets = 4};
  test_ok(mb_scene_parse(scene, strlen(scene), name, "tests/models", &change, &g.run.scene, &report),
          &report);
  mb_free(scene);
  test_ok(mb_model_create(g.run.scene, &g.run.model, &report), &report);
  test_ok(mb_sim_create(g.run.model, NULL, &g.run.sim, &report), &report);
  return g;
}

static void drop(Given *g) {
  test_run_free(&g->run);
  cJSON_Delete(g->answers);
  cJSON_Delete(g->scene);
}

// The body whose joint, or part of it, has a name; *k ← which coordinate.
static size_t find_joint(const Given *g, const char *name, size_t *k) {
  const cJSON *body = NULL, *part = NULL;
  size_t b = 0;
  cJSON_ArrayForEach(body, cJSON_GetObjectItem(g->scene, "bodies")) {
    const cJSON *joint = cJSON_GetObjectItem(body, "joint"), *own = cJSON_GetObjectItem(joint, "_name");
    *k = 0;
    if (own && !strcmp(own->valuestring, name)) return b;
    cJSON_ArrayForEach(part, cJSON_GetObjectItem(joint, "joints")) {
      const cJSON *called = cJSON_GetObjectItem(part, "name");
      if (called && !strcmp(called->valuestring, name)) return b;
      *k += strcmp(cJSON_GetObjectItem(part, "type")->valuestring, "spherical") ? 1 : 3;
    }
    b++;
  }
  return SIZE_MAX;
}

// Three joints there are one here: of joint "slide" they are slide_TX, slide_TY, slide_RZ.
static size_t find_part(const Given *g, const char *name, size_t *k) {
  static const char *const endings[] = {"_TX", "_TY", "_RZ"};
  const size_t n = strlen(name);
  for (size_t i = 0; i < 3; i++) {
    char whole[100] = "";
    if (n < 4 || strcmp(name + n - 3, endings[i]) != 0) continue;
    snprintf(whole, sizeof whole, "%.*s", (int)(n - 3), name);
    const size_t b = find_joint(g, whole, k);
    *k = i;
    return b;
  }
  return find_joint(g, name, k);
}

// q̇ = J_r⁻¹ ω of the rotation vector r:  J_r⁻¹ = 1 + ½ [r] + e [r]²
static void vector_rate(const double r[3], const double w[3], double rate[3]) {
  const double t = mb_vec3_norm(r), e = 1 / (t * t) - (1 + cos(t)) / (2 * t * sin(t));
  double rw[3], rrw[3];
  mb_vec3_cross(rw, r, w);
  mb_vec3_cross(rrw, r, rw);
  for (int i = 0; i < 3; i++) rate[i] = w[i] + rw[i] / 2 + e * rrw[i];
}

static size_t find_free(const Given *g, size_t nth) {
  const cJSON *body = NULL;
  size_t b = 0;
  cJSON_ArrayForEach(body, cJSON_GetObjectItem(g->scene, "bodies")) {
    if (!cJSON_GetObjectItem(body, "joint") && nth-- == 0) return b;
    b++;
  }
  return SIZE_MAX;
}

static void numbers(const cJSON *state, const char *key, double *out) {
  const cJSON *item = NULL;
  size_t n = 0;
  cJSON_ArrayForEach(item, cJSON_GetObjectItem(state, key)) {
    cr_assert_lt(n, MOST);
    out[n++] = item->valuedouble;
  }
}

static size_t place_of(const cJSON *joint, const char *key) {
  return (size_t)cJSON_GetObjectItem(joint, key)->valuedouble;
}

static bool is(const cJSON *joint, const char *type) {
  return !strcmp(cJSON_GetObjectItem(joint, "type")->valuestring, type);
}

static void set_state(const Given *g, const cJSON *state) {
  double qpos[MOST], qvel[MOST], q[MOST], v[MOST];
  const MbModel *model = g->run.model;
  const cJSON *joint = NULL;
  size_t frees = 0;
  numbers(state, "qpos", qpos), numbers(state, "qvel", qvel);
  mb_sim_get(g->run.sim, q, v);
  cJSON_ArrayForEach(joint, cJSON_GetObjectItem(g->answers, "joints")) {
    size_t k = 0, b = is(joint, "free") ? find_free(g, frees++)
                                        : find_part(g, cJSON_GetObjectItem(joint, "name")->valuestring, &k);
    cr_assert_neq(b, SIZE_MAX, "%s", cJSON_GetObjectItem(joint, "name")->valuestring);
    size_t qb = 0, vb = 0;
    mb_model_coordinates(model, b, &qb), mb_model_velocities(model, b, &vb);
    const double *from = qpos + place_of(joint, "q"), *rate = qvel + place_of(joint, "v");
    if (is(joint, "free")) {
      memcpy(q + qb, from, 7 * sizeof *q);
      mb_quat_rotate(v + vb, from + 3, rate + 3);
      memcpy(v + vb + 3, rate, 3 * sizeof *v);
    } else if (is(joint, "ball")) {
      mb_quat_log(q + qb, from);
      vector_rate(q + qb, rate, v + vb);
    } else {
      q[qb + k] = *from, v[vb + k] = *rate;
    }
  }
  MbReport report = {0};
  test_ok(mb_sim_set(g->run.sim, q, v, &report), &report);
}

// Accelerations in the other engine's order.
static void read_accelerations(const Given *g, double *out) {
  const MbModel *model = g->run.model;
  const cJSON *joint = NULL;
  size_t frees = 0;
  const MbChannel *channel = mb_sim_channel(g->run.sim, "joint.acceleration");
  double own[MOST], all[6 * MOST], turn[4 * MOST];
  MbReport report = {0};
  test_ok(mb_sim_read(g->run.sim, channel, own, &report), &report);
  test_ok(mb_sim_read(g->run.sim, mb_sim_channel(g->run.sim, "body.acceleration"), all, &report), &report);
  test_ok(mb_sim_read(g->run.sim, mb_sim_channel(g->run.sim, "body.rotation"), turn, &report), &report);
  cJSON_ArrayForEach(joint, cJSON_GetObjectItem(g->answers, "joints")) {
    const char *name = cJSON_GetObjectItem(joint, "name")->valuestring;
    double *to = out + place_of(joint, "v");
    if (is(joint, "free")) {
      const size_t b = find_free(g, frees++);
      memcpy(to, all + 6 * b + 3, 3 * sizeof *to);
      mb_quat_unrotate(to + 3, turn + 4 * b, all + 6 * b);
      continue;
    }
    size_t k = 0;
    const size_t b = find_part(g, name, &k), length = strlen(mb_model_body_name(model, b));
    if (is(joint, "ball")) { // it hangs on the world, and turns by its angular velocity
      mb_quat_unrotate(to, turn + 4 * b, all + 6 * b);
      continue;
    }
    size_t at = SIZE_MAX;
    for (size_t i = 0; i < channel->items && at == SIZE_MAX; i++)
      if (!strncmp(channel->items_names[i], mb_model_body_name(model, b), length) &&
          (channel->items_names[i][length] == '.' || !channel->items_names[i][length]))
        at = i + k;
    cr_assert_neq(at, SIZE_MAX);
    *to = own[at];
  }
}

static void compare_places(const Given *g, const cJSON *state, const char *name) {
  double where[MOST * 3];
  const cJSON *body = NULL;
  numbers(state, "xipos", where);
  size_t i = 0;
  const cJSON *given = cJSON_GetObjectItem(g->answers, "places");
  const double places = given ? given->valuedouble : PLACE;
  mb_sim_kinematics(g->run.sim, g->run.sim->state.q, g->run.sim->state.v);
  cJSON_ArrayForEach(body, cJSON_GetObjectItem(g->answers, "bodies")) {
    const char *called = cJSON_GetObjectItem(body, "name")->valuestring;
    const double mass = cJSON_GetObjectItem(body, "mass")->valuedouble;
    size_t listed = 0;
    if (*called && mb_names_find(&g->run.model->names, called, &listed) && mass > 0) {
      const size_t b = g->run.model->number[listed];
      const double *p = g->run.sim->x.E[b].p;
      for (int k = 0; k < 3; k++)
        cr_assert_float_eq(p[k], where[3 * i + (size_t)k], places,
                           "%s: the mass centre of %s is at %.15g, not %.15g", name, called, p[k],
                           where[3 * i + (size_t)k]);
      cr_assert_float_eq(g->run.model->M[6 * b + 3], mass, places * mass, "%s: mass of %s", name, called);
    }
    i++;
  }
}

static void compare(const char *name, const char *solver) {
  Given g = load(name, solver);
  const cJSON *state = NULL;
  const cJSON *given =
      cJSON_GetObjectItem(g.answers, "tolerance"); // where the other engine itself is not as exact
  const double tolerance = given ? given->valuedouble : ACCELERATION;
  size_t nv = 0, states = 0;
  cJSON_ArrayForEach(state, cJSON_GetObjectItem(g.answers, "states")) {
    double wanted[MOST], found[MOST] = {0}, size = 0;
    numbers(state, "qacc", wanted);
    nv = (size_t)cJSON_GetArraySize(cJSON_GetObjectItem(state, "qacc"));
    for (size_t i = 0; i < nv; i++) size = fmax(size, fabs(wanted[i]));
    set_state(&g, state);
    compare_places(&g, state, name);
    read_accelerations(&g, found);
    for (size_t i = 0; i < nv; i++)
      cr_assert_float_eq(found[i], wanted[i], tolerance * size,
                         "%s, %s, state %zu: acceleration %zu is %.12g, not %.12g", name, solver, states, i,
                         found[i], wanted[i]);
    states++;
  }
  cr_assert_geq(states, 4);
  cr_assert_gt(nv, 0);
  drop(&g);
}

static void compare_all(const char *solver) {
  DIR *folder = opendir("tests/models/mujoco");
  cr_assert(folder);
  int count = 0;
  for (const struct dirent *entry; (entry = readdir(folder));) {
    const char *dot = strrchr(entry->d_name, '.');
    if (!dot || strcmp(dot, ".json") != 0) continue;
    compare(entry->d_name, solver);
    count++;
  }
  closedir(folder);
  cr_assert_geq(count, 10);
}

Test(models_oracle, the_recursive_solver_finds_the_other_engines_accelerations) {
  compare_all("{\"type\": \"redmax\", \"dynamics\": \"recursive\"}");
}
Test(models_oracle, the_dense_solver_finds_the_other_engines_accelerations) {
  compare_all("{\"type\": \"redmax\", \"dynamics\": \"dense\"}");
}
Test(models_oracle, maximal_coordinates_find_the_other_engines_accelerations) {
  compare_all("{\"type\": \"maximal\"}");
}
