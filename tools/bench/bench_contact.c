// Contact of many bodies: whole steps of piles, and in them the time of collision and of making rows, each done once more by itself where
// the step ended; what remains is the solution, the parting of what is deep, and the rest of a step. A case is run until it has come to
// something like rest, then timed. Of rigid bodies under a few sweeps Bullet takes the same steps beside it, where it is installed.
#include "core/sim/constrain.h"
#include "core/sim/constrain_internal.h"
#include "core/sim/touch.h"
#include "io/scene/scene.h"
#include "tools/bench/bench.h"
#include "tools/bench/bullet_steps.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TAKEN = 200 };
typedef enum Kind { PILE, PYRAMID, BALLS, COLUMN, HEAP, CLOTHS, FIGURES, SHEET } Kind;

typedef struct Case {
  const char *name;
  Kind kind;
  size_t n;            // boxes or balls a side; of a pyramid at its foot; nodes along a cloth; figures
  size_t settle, take; // steps before, steps timed
  const char *contact; // of the scene
  double target;       // milliseconds a step; 0: none
  double anchor;       // what Bullet took where the target was set
} Case;

#define SWEEPS "{\"friction\": 0.5, \"method\": \"gauss_seidel\", \"iterations\": 10}"
#define CLOSE  "{\"friction\": 0.5, \"tolerance\": 1e-6}"

// Targets were set on a machine where Bullet took 3.3 ms of 4,487 contacts, 1.22 ms and 0.23 ms for the first, the third and the fifth: where it
// runs beside ours what counts is the share of its time.
static const Case cases[] = {
    {"1,000 boxes, 10 sweeps", PILE, 10, 150, 20, SWEEPS, 2.5, 3.3},
    {"1,000 boxes, to 1e-6", PILE, 10, 150, 10, CLOSE, 7.5, 0},
    {"pyramid of 210, 10 sweeps", PYRAMID, 20, 60, 20, SWEEPS, 0.9, 1.22},
    {"pyramid of 210, to 1e-6", PYRAMID, 20, 60, 20, CLOSE, 2.7, 0},
    {"666 balls, 10 sweeps", BALLS, 9, 150, 200, SWEEPS, 0.2, 0.23},
    {"8,000 boxes, 10 sweeps", PILE, 20, 60, 5, SWEEPS, 0, 0},
    {"stack of 10 boxes, to 1e-6", COLUMN, 10, 60, 50, CLOSE, 0, 0},
    {"10,000 boxes, 10 sweeps", HEAP, 10, 150, 5, SWEEPS, 0, 0},
    {"two flat cloths, to 1e-6", CLOTHS, 10, 5, 10, CLOSE, 0, 0},
    {"a figure of 16 parts, to 1e-6", FIGURES, 1, 60, 100, CLOSE, 0, 0},
    {"50 such figures, to 1e-6", FIGURES, 50, 60, 100, CLOSE, 0, 0},
    {"one cloth under redmax, to 1e-6", SHEET, 8, 5, 20, CLOSE, 0, 0},
    {"one of 613 nodes, to 1e-6", SHEET, 18, 5, 5, CLOSE, 0, 0},
};

// ---- scenes -----------------------------------------------------------------------------------------------

typedef struct Text {
  char *at;
  size_t n, room;
} Text;

static void add(Text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(Text *text, const char *format, ...) {
  if (text->room - text->n < 1000) {
    text->room = 2 * text->room + 4000;
    text->at = realloc(text->at, text->room);
    if (!text->at) abort();
  }
  va_list list;
  va_start(list, format);
  text->n += (size_t)vsnprintf(text->at + text->n, text->room - text->n, format, list);
  va_end(list);
}

static const double WIDTH = 0.5, DENSITY = 500;

// Takes a body of a case.
typedef void Taker(void *context, bool ball, size_t number, const double place[3]);

static void add_body(void *context, bool ball, size_t number, const double place[3]) {
  Text *text = context;
  add(text, ", {\"name\": \"%zu\", \"density\": %g, \"shape\": {\"type\": ", number, DENSITY);
  if (ball)
    add(text, "\"sphere\", \"radius\": %g", WIDTH / 2);
  else
    add(text, "\"box\", \"size\": [%g, %g, %g]", WIDTH, WIDTH, WIDTH);
  add(text, "}, \"pose\": {\"position\": [%.9g, %.9g, %.9g]}}", place[0], place[1], place[2]);
}

// Boxes and balls of a case, one after the other.
static void place_bodies(const Case *c, Taker *take, void *context) {
  size_t number = 0, side = c->n;
  while (c->kind == HEAP && side * side * c->n < 10000) side++; // as high as that of 1,000
  if (c->kind == PYRAMID)
    for (size_t k = 0; k < c->n; k++)
      for (size_t i = 0; i < c->n - k; i++)
        take(context, false, number++,
             (double[]){0.55 * ((double)i + 0.5 * (double)k), 0, 0.25 + 0.5 * (double)k});
  else if (c->kind == COLUMN)
    for (size_t k = 0; k < c->n; k++)
      take(context, false, number++, (double[]){0, 0, 0.25 + 0.5 * (double)k});
  else // every other layer is moved aside, so that what falls is caught at its edges
    for (size_t k = 0; k < c->n; k++)
      for (size_t j = 0; j < side; j++)
        for (size_t i = 0; i < side && (c->kind != BALLS || number < 666); i++)
          take(context, c->kind == BALLS, number++,
               (double[]){0.6 * (double)i + 0.13 * (double)(k % 3), 0.6 * (double)j + 0.17 * (double)(k % 2),
                          0.3 + 0.6 * (double)k});
}

// One on the other, both on the ground; their nodes are over one another's edges and faces.
static void add_cloths(Text *text, size_t n, int count) {
  add(text, "], \"deformables\": [");
  for (int k = 0; k < count; k++)
    add(text,
        "%s{\"name\": \"%d\", \"type\": \"cloth\", \"mesh\": {\"grid\": [%zu, %zu], \"size\": [0.8, 0.8], "
        "\"pattern\": "
        "\"cross\"}, \"pose\": {\"position\": [0, 0, %g]}, \"material\": {\"model\": \"corotational\", "
        "\"young\": 5e4, "
        "\"poisson\": 0.3, \"density\": 300, \"thickness\": 0.01, \"bending\": {}}}",
        k ? ", " : "", k, n, n, 0.0055 + 0.01 * k);
}

// A part of a figure, held by its parent at `from`, itself at `at`; a hinge has limits, a ball joint none.
typedef struct Part {
  const char *name, *parent, *shape;
  double from[3], at[3];
  const char *hinge; // its limits; NULL: a ball joint
} Part;

#define UPPER "\"capsule\", \"radius\": 0.045, \"length\": 0.25"
#define LOWER "\"capsule\", \"radius\": 0.04, \"length\": 0.22"
#define THIGH "\"capsule\", \"radius\": 0.06, \"length\": 0.35"
#define SHIN  "\"capsule\", \"radius\": 0.05, \"length\": 0.35"
#define HAND  "\"box\", \"size\": [0.04, 0.08, 0.1]"
#define FOOT  "\"box\", \"size\": [0.22, 0.09, 0.06]"
static const Part parts[] = {
    {"pelvis", NULL, "\"box\", \"size\": [0.2, 0.3, 0.15]", {0}, {0}, NULL},
    {"waist", "pelvis", "\"box\", \"size\": [0.18, 0.26, 0.15]", {0, 0, 0.1}, {0, 0, -0.1}, NULL},
    {"chest", "waist", "\"box\", \"size\": [0.2, 0.32, 0.25]", {0, 0, 0.1}, {0, 0, -0.15}, NULL},
    {"head", "chest", "\"sphere\", \"radius\": 0.11", {0, 0, 0.15}, {0, 0, -0.14}, NULL},
    {"left arm", "chest", UPPER, {0, 0.2, 0.1}, {0, 0, 0.16}, NULL},
    {"left elbow", "left arm", LOWER, {0, 0, -0.16}, {0, 0, 0.15}, "[-2.2, 0.05]"},
    {"left hand", "left elbow", HAND, {0, 0, -0.15}, {0, 0, 0.06}, NULL},
    {"right arm", "chest", UPPER, {0, -0.2, 0.1}, {0, 0, 0.16}, NULL},
    {"right elbow", "right arm", LOWER, {0, 0, -0.16}, {0, 0, 0.15}, "[-2.2, 0.05]"},
    {"right hand", "right elbow", HAND, {0, 0, -0.15}, {0, 0, 0.06}, NULL},
    {"left thigh", "pelvis", THIGH, {0, 0.1, -0.1}, {0, 0, 0.22}, NULL},
    {"left shin", "left thigh", SHIN, {0, 0, -0.22}, {0, 0, 0.22}, "[-0.05, 2.4]"},
    {"left foot", "left shin", FOOT, {0, 0, -0.23}, {-0.04, 0, 0.04}, NULL},
    {"right thigh", "pelvis", THIGH, {0, -0.1, -0.1}, {0, 0, 0.22}, NULL},
    {"right shin", "right thigh", SHIN, {0, 0, -0.22}, {0, 0, 0.22}, "[-0.05, 2.4]"},
    {"right foot", "right shin", FOOT, {0, 0, -0.23}, {-0.04, 0, 0.04}, NULL},
};

static void add_figure(Text *text, size_t number) {
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    const Part *part = &parts[i];
    add(text, ", {\"name\": \"%s %zu\", \"density\": 1000, \"shape\": {\"type\": %s}, ", part->name, number,
        part->shape);
    if (part->parent)
      add(text,
          "\"joint\": {\"type\": \"%s\", \"parent\": \"%s %zu\", \"in_parent\": {\"position\": [%g, %g, "
          "%g]}, "
          "\"in_body\": {\"position\": [%g, %g, %g]}, \"damping\": 0.5%s%s}}",
          part->hinge ? "revolute" : "spherical", part->parent, number, part->from[0], part->from[1],
          part->from[2], part->at[0], part->at[1], part->at[2],
          part->hinge ? ", \"axis\": [0, 1, 0], \"limits\": " : "", part->hinge ? part->hinge : "");
    else
      add(text,
          "\"pose\": {\"position\": [%g, %g, 1.3], \"rotation\": {\"axis\": [1, 0, 0.2], \"angle\": 0.3}}}",
          2.5 * (double)(number % 10), 2.5 * (double)(number / 10));
  }
}

static void write(Text *text, const Case *c) {
  const char *solver =
      c->kind == CLOTHS
          ? "\"solver\": {\"type\": \"projective\", \"iterations\": 10}, \"integrator\": \"implicit\", "
      : c->kind == SHEET ? "\"integrator\": \"implicit\", "
                         : "";
  add(text,
      "{\"mbsim\": 1, %s\"time\": {\"step\": 0.01, \"steps\": 1}, \"contact\": %s, \"bodies\": [{\"name\": "
      "\"ground\", \"shape\": {\"type\": \"plane\"}, \"joint\": {\"type\": \"fixed\"}}",
      solver, c->contact);
  if (c->kind == CLOTHS)
    add_cloths(text, c->n, 2);
  else if (c->kind == SHEET)
    add_cloths(text, c->n, 1);
  else if (c->kind == FIGURES)
    for (size_t k = 0; k < c->n; k++) add_figure(text, k);
  else
    place_bodies(c, add_body, text);
  add(text, "]}");
}

// ---- times ------------------------------------------------------------------------------------------------

typedef struct Run {
  MbScene *scene;
  MbModel *model;
  MbSim *sim;
  MbReport report;
} Run;

static bool begin(Run *run, const Case *c) {
  Text text = {0};
  const MbSceneOptions options = {0};
  write(&text, c);
  const bool fine =
      mb_scene_parse(text.at, text.n, "bench", ".", &options, &run->scene, &run->report) == MB_OK &&
      mb_model_create(run->scene, &run->model, &run->report) == MB_OK &&
      mb_sim_create(run->model, NULL, &run->sim, &run->report) == MB_OK;
  free(text.at);
  return fine;
}

// Bullet's bodies beside ours, and what their steps take.
typedef struct Beside {
  MbBullet *bullet; // NULL: it is not installed, or takes no such case
  double seconds, contacts;
  double ratio[MOST_TAKEN]; // of our step's time and that of Bullet's behind it
} Beside;

static void take_body(void *context, bool ball, size_t number, const double place[3]) {
  (void)number;
  mb_bullet_add(context, ball, WIDTH, DENSITY, place);
}

// The same bodies and sweeps by Bullet.
static void begin_beside(Beside *beside, const Case *c) {
  if (!mb_bullet_name() || c->kind > HEAP || strcmp(c->contact, SWEEPS) != 0) return;
  beside->bullet = mb_bullet_begin(10, 0.5);
  place_bodies(c, take_body, beside->bullet);
  for (size_t k = 0; k < c->settle; k++) mb_bullet_step(beside->bullet, 0.01);
}

// Takes Bullet's step k behind ours, which took so long: whatever else the machine does then slows both.
static void step_beside(Beside *beside, size_t k, double ours) {
  if (!beside->bullet) return;
  const double t = mb_bench_cpu();
  mb_bullet_step(beside->bullet, 0.01);
  const double took = mb_bench_cpu() - t;
  beside->seconds += took;
  beside->contacts += (double)mb_bullet_contacts(beside->bullet);
  beside->ratio[k] = ours / took;
}

static bool tell_beside(Beside *beside, const Case *c, double contacts) {
  if (!beside->bullet) return true;
  const double n = (double)c->take;
  qsort(beside->ratio, c->take, sizeof *beside->ratio, mb_bench_ascending);
  const double median = beside->ratio[c->take / 2];
  printf("    %-26s %9.0f %9.3f    ours by its: %.2f, of a contact %.2f", mb_bullet_name(),
         beside->contacts / n, 1e3 * beside->seconds / n, median, median * beside->contacts / n / contacts);
  const bool met = !(c->anchor > 0) || median <= c->target / c->anchor;
  if (c->anchor > 0) printf("  target %.2f %s", c->target / c->anchor, met ? "ok" : "MISSED");
  printf("\n");
  fflush(stdout);
  mb_bullet_free(beside->bullet);
  return met;
}

// Does collision and the making of rows once more, where the step ended.
static bool look_again(Run *run, double *look, double *rows) {
  const bool fresh = run->sim->touching->fresh;
  double t = mb_bench_cpu();
  if (!mb_touch_look(run->sim, &run->sim->touching->last, false)) return false;
  *look += mb_bench_cpu() - t;
  run->sim->touching->fresh = true;
  t = mb_bench_cpu();
  if (mb_rows_list(run->sim, &run->report) != MB_OK) return false;
  mb_constrain_prepare(run->sim);
  *rows += mb_bench_cpu() - t;
  // the next step finds what it would have found, or looks itself
  if (fresh && !mb_touch_look(run->sim, &run->sim->touching->last, false)) return false;
  run->sim->touching->fresh = fresh;
  return true;
}

static bool run_case(const Case *c, Run *run) {
  static Beside beside;
  double step = 0, look = 0, rows = 0, contacts = 0;
  beside = (Beside){0};
  if (!begin(run, c)) return false;
  for (size_t k = 0; k < c->settle; k++)
    if (mb_sim_step(run->sim, &run->report) != MB_OK) return false;
  begin_beside(&beside, c);
  const double *told = mb_section(run->sim, MB_SECTION_TOLD), before = told[MB_SOLVED_ITERATIONS];
  for (size_t k = 0; k < c->take; k++) {
    const double t = mb_bench_cpu();
    if (mb_sim_step(run->sim, &run->report) != MB_OK) return false;
    const double took = mb_bench_cpu() - t;
    step += took;
    contacts += (double)run->sim->touching->now.n;
    step_beside(&beside, k, took);
    // a cloth's rows are made in passes
    if (c->kind != CLOTHS && !look_again(run, &look, &rows)) return false;
  }
  const double n = (double)c->take, ms = 1e3 / n;
  const double iterations = (told[MB_SOLVED_ITERATIONS] - before) / n;
  printf("  %-28s %9.0f %9.3f %9.3f %9.3f %9.3f %10.1f", c->name, contacts / n, step * ms, look * ms,
         rows * ms, (step - look - rows) * ms, iterations);
  bool met = !(c->target > 0) || step * ms <= c->target;
  if (c->target > 0) printf("  %6.2f %s", c->target, met ? "ok" : "MISSED");
  printf("\n");
  fflush(stdout);
  if (beside.bullet) met = tell_beside(&beside, c, contacts / n);
  return met;
}

bool mb_bench_contact(void) {
  const char *only = getenv("MBSIM_BENCH_CASE"); // the number of one case
  bool met = true;
  printf("  %-28s %9s %9s %9s %9s %9s %10s  target\n", "ms a step", "contacts", "step", "collision", "rows",
         "the rest", "iterations");
  if (!mb_bullet_name()) printf("  Bullet is not installed: nothing to compare with\n");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    static Run run;
    if (only && (size_t)atoi(only) != i) continue;
    run = (Run){0};
    met &= run_case(&cases[i], &run);
    for (int k = 0; k < run.report.kept; k++) printf("  %s: %s\n", cases[i].name, run.report.issues[k].text);
    mb_sim_free(run.sim);
    mb_model_free(run.model);
    mb_scene_free(run.scene);
  }
  return met;
}
