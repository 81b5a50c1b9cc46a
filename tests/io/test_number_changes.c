// What a number of a scene changes of the forces that a motion asks for (tangent_number.h), beside what two evaluations of all of them differ by:
// every number of every scene of trees, at a motion that is none of the scene's.
#include "core/model/coordinates.h"
#include "core/sim/alike.h"
#include "core/sim/evaluate.h"
#include "core/sim/tangent_gather.h"
#include "io/scene/scene.h"
#include "tests/runs.h"

#include <cjson/cJSON.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BODIES = 40, POINTER = 400 };

typedef struct Numbers {
  char pointer[2000][POINTER];
  double value[2000];
  size_t count;
} Numbers;

// What is not of the motion, or what a test of derivatives leaves as it is.
static bool is_left(const char *pointer) {
  static const char *const left[] = {"/mbsim",      "/time",    "/output", "/solver",
                                     "/integrator", "/contact", "/view"};
  for (size_t i = 0; i < sizeof left / sizeof *left; i++)
    if (!strncmp(pointer, left[i], strlen(left[i]))) return true;
  return false;
}

static void collect(const cJSON *tree, const char *pointer, Numbers *out) {
  int i = 0;
  if (cJSON_IsNumber(tree) && !is_left(pointer) && out->count < 2000) {
    snprintf(out->pointer[out->count], POINTER, "%s", pointer);
    out->value[out->count++] = tree->valuedouble;
  }
  for (const cJSON *child = tree->child; child; child = child->next, i++) {
    char name[POINTER];
    int n = cJSON_IsArray(tree) ? snprintf(name, sizeof name, "%s/%d", pointer, i)
                                : snprintf(name, sizeof name, "%s/%s", pointer, child->string);
    if (n < POINTER && (cJSON_IsArray(tree) || !strpbrk(child->string, "~/"))) collect(child, name, out);
  }
}

typedef struct Side {
  MbScene *scene;
  MbModel *model;
  MbSim *sim;
} Side;

static void side_free(Side *side) {
  mb_sim_free(side->sim);
  mb_model_free(side->model);
  mb_scene_free(side->scene);
  *side = (Side){0};
}

// False where the scene is refused so.
static bool make(const char *text, const char *folder, const char *set, Side *side) {
  const char *sets[] = {"/integrator={\"type\":\"bdf2\"}", "/solver={\"type\":\"redmax\"}", set};
  const MbSceneOptions options = {.sets = sets, .nsets = set ? 3 : 2};
  MbReport report = {0};
  MbStatus status = mb_scene_parse(text, strlen(text), "scene", folder, &options, &side->scene, &report);
  if (status == MB_OK) status = mb_model_create(side->scene, &side->model, &report);
  if (status == MB_OK && side->model->nb > MOST_BODIES) status = MB_SCENE;
  if (status == MB_OK)
    status = mb_sim_create(side->model, &(MbSimOptions){.threads = 1}, &side->sim, &report);
  if (status != MB_OK) side_free(side);
  return status == MB_OK;
}

// What a number changes in parts: gathered over two times of it, of which the first is taken away again, and the rest.
static double in_parts(MbArena *arena, MbSim *sim, const MbTangent *tangent, const MbTangentNumber *number,
                       const double *v, const double *a, const double *z) {
  MbTangentGather *gather = mb_tangent_gather_create(arena, sim->model, 1);
  cr_assert_not_null(gather);
  cr_assert(mb_tangent_gather_for(gather, number));
  mb_tangent_gather(gather, sim, tangent, v, a, 0.1, z);
  const double once = mb_tangent_gathered(gather, number);
  mb_tangent_gather(gather, sim, tangent, v, a, 0.1, z);
  const double rest = mb_tangent_number_rest(sim, tangent, number, v, a, z);
  cr_expect(mb_tangent_number_rests(number) || rest == 0);
  return mb_tangent_gathered(gather, number) - once + rest;
}

static double around(uint64_t *seed) { return 2 * test_random(seed) - 1; }

typedef struct Worst {
  double off;
  char what[2 * POINTER];
  size_t numbers, felt, jumps; // that were looked at; that change the forces; that turn frames far
} Worst;

// Both ways at a motion of the scene's size.
static void compare(const char *name, Side *middle, MbTangent *tangent, const char *pointer, double move,
                    Side side[2], Worst *worst) {
  MbSim *sim = middle->sim;
  const size_t nv = sim->nv, nq = sim->nq;
  MbArena arena = {0};
  double *q = mb_arena_alloc(&arena, nq + 1, sizeof *q), *v = mb_arena_alloc(&arena, nv + 1, sizeof *v);
  double *a = mb_arena_alloc(&arena, nv + 1, sizeof *a), *z = mb_arena_alloc(&arena, nv + 1, sizeof *z);
  double *step = mb_arena_alloc(&arena, nv + 1, sizeof *step), *out[3], *tau[2];
  for (int i = 0; i < 3; i++) out[i] = mb_arena_alloc(&arena, nv + 1, sizeof(double));
  for (int i = 0; i < 2; i++) tau[i] = mb_arena_alloc(&arena, nv + 1, sizeof(double));
  uint64_t seed = 91;
  for (size_t i = 0; i < nv; i++)
    v[i] = around(&seed), a[i] = 3 * around(&seed), z[i] = around(&seed), step[i] = 0.05 * around(&seed);
  memcpy(q, sim->state.q, nq * sizeof *q);
  mb_coordinates_advance(sim->model, q, 1, step, 0, sim->model->nb);
  MbTangentNumber *number = mb_tangent_number_create(&arena, sim, side[0].sim, side[1].sim);
  cr_assert_not_null(number);
  if (mb_tangent_number_jumps(number)) { // all forces are asked
    worst->jumps++;
    mb_arena_free(&arena);
    return;
  }
  mb_sim_kinematics(sim, q, v);
  mb_tangent_at(sim, tangent, v, a, 0.1, NULL);
  mb_tangent_transposed(sim, tangent, z, out[0], out[1], out[2]);
  const double parts = in_parts(&arena, sim, tangent, number, v, a, z) / (2 * move);
  const bool signals = mb_tangent_number_signals(number); // which are in the parts alone
  const double local = signals ? parts : mb_tangent_number(sim, tangent, number, v, a, z) / (2 * move);
  double whole = 0, size = 0;
  for (int i = 0; i < 2; i++) {
    MbTangent *own = mb_tangent_create(side[i].sim);
    mb_sim_kinematics(side[i].sim, q, v);
    mb_tangent_value(side[i].sim, own, v, a, 0.1, tau[i]);
  }
  for (size_t i = 0; i < nv; i++) {
    whole += z[i] * (tau[1][i] - tau[0][i]) / (2 * move);
    size = fmax(size, fabs(tau[0][i]));
  }
  mb_arena_free(&arena);
  const double rounding = 1e-13 * size / move,
               off = fmax(fabs(local - whole), fabs(parts - whole)) / (1e-6 * fabs(whole) + rounding + 1e-12);
  worst->numbers++, worst->felt += whole != 0;
  if (!(off > worst->off)) return;
  worst->off = off;
  snprintf(worst->what, sizeof worst->what, "%s %s: %.12g by what differs, %.12g in parts, %.12g by all",
           name, pointer, local, parts, whole);
}

static char *read_all(const char *path) {
  char *text = NULL;
  size_t length = 0;
  FILE *in = fopen(path, "rb"), *out = open_memstream(&text, &length);
  cr_assert(in && out, "%s", path);
  for (int c; (c = getc(in)) != EOF;) putc(c, out);
  fclose(in), fclose(out);
  return text;
}

static void of_scene(const char *folder, const char *file, Worst *worst) {
  static Numbers numbers;
  char path[POINTER];
  Side middle = {0};
  snprintf(path, sizeof path, "%s/%s", folder, file);
  char *text = read_all(path);
  cJSON *tree = cJSON_Parse(text);
  numbers.count = 0;
  if (tree) collect(tree, "", &numbers);
  cJSON_Delete(tree);
  const bool made = make(text, folder, NULL, &middle) && !mb_tangent_refuses(middle.sim);
  MbTangent *tangent = made ? mb_tangent_create(middle.sim) : NULL;
  for (size_t i = 0; i < numbers.count && made; i++) {
    const double p = numbers.value[i], move = 1e-6 * (p != 0 ? fabs(p) : 1);
    char set[2 * POINTER];
    Side side[2] = {{0}, {0}};
    bool fine = true;
    for (int k = 0; k < 2; k++) {
      snprintf(set, sizeof set, "%s=%.17g", numbers.pointer[i], p + (k ? move : -move));
      fine = fine && make(text, folder, set, &side[k]) && !mb_sim_unlike(middle.sim, side[k].sim);
    }
    if (fine) compare(file, &middle, tangent, numbers.pointer[i], move, side, worst);
    side_free(&side[0]), side_free(&side[1]);
  }
  side_free(&middle);
  free(text);
}

Test(number_changes_long, what_differs_makes_all_the_difference, TEST_LONG) {
  static const char *const folders[] = {"scenes/redmax", "scenes/free",    "scenes/constraints",
                                        "scenes/fit",    "scenes/maximal", "scenes/deformables"};
  Worst worst = {0};
  for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
    struct dirent **list;
    const int n = scandir(folders[i], &list, NULL, alphasort);
    for (int k = 0; k < n; k++) {
      const char *end = strrchr(list[k]->d_name, '.');
      if (end && !strcmp(end, ".json")) of_scene(folders[i], list[k]->d_name, &worst);
      free(list[k]);
    }
    free(list);
  }
  printf("of %zu numbers of scenes %zu are felt and %zu turn frames far; the largest difference is %.2g of "
         "what is allowed\n",
         worst.numbers, worst.felt, worst.jumps, worst.off);
  cr_expect_lt(worst.off, 1, "%s", worst.what);
  cr_expect_gt(worst.felt, 500);
}
