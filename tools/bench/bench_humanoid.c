// A figure that stands on a plane with eight contacts: whole steps beside MuJoCo's of the same model, tools/bench/humanoid.xml, which is
// read by both; run from the folder that has it. Turns are taken in blocks, of which the fastest counts on either side. `left` is of the last step:
// of ours the natural map by what contacts ask for, of MuJoCo's the gradient of what it minimises, as its tolerance counts it.
#include "core/base/alloc.h"
#include "core/sim/constrain_internal.h"
#include "core/sim/touch.h"
#include "io/models/models.h"
#include "io/scene/scene.h"
#include "tools/bench/bench.h"
#include "tools/bench/mujoco_steps.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BLOCKS = 8, STEPS = 200 };
static const char *const path = "tools/bench/humanoid.xml";

typedef struct Ours {
  MbScene *scene;
  MbModel *model;
  MbSim *sim;
  MbReport report;
} Ours;

static bool load(Ours *o) {
  const MbSceneOptions options = {0};
  char *text = NULL;
  const bool fine =
      mb_model_as_scene(path, &text, &o->report) == MB_OK &&
      mb_scene_parse(text, strlen(text), path, "tools/bench", &options, &o->scene, &o->report) == MB_OK &&
      mb_model_create(o->scene, &o->model, &o->report) == MB_OK &&
      mb_sim_create(o->model, NULL, &o->sim, &o->report) == MB_OK;
  mb_free(text);
  return fine;
}

static bool steps(Ours *o, size_t count) {
  for (size_t k = 0; k < count; k++)
    if (mb_sim_step(o->sim, &o->report) != MB_OK) return false;
  return true;
}

static void row(const char *name, double microseconds, double iterations, double left, size_t contacts,
                double height) {
  printf("  %-10s %10.2f %10.1f %10.1e %10zu %10.4f\n", name, microseconds, iterations, left, contacts,
         height);
}

static bool compare(Ours *o, MbMujoco *theirs) {
  double ours = INFINITY, beside = INFINITY, t;
  const double *told = mb_section(o->sim, MB_SECTION_TOLD);
  for (int k = 0; k < BLOCKS; k++) {
    t = mb_bench_cpu();
    if (!steps(o, STEPS)) return false;
    ours = fmin(ours, mb_bench_cpu() - t);
    if (!theirs) continue;
    t = mb_bench_cpu();
    mb_mujoco_steps(theirs, STEPS);
    beside = fmin(beside, mb_bench_cpu() - t);
  }
  printf("  %-10s %10s %10s %10s %10s %10s\n", "", "us a step", "iterations", "left", "contacts",
         "height, m");
  row("ours", 1e6 * ours / STEPS, told[MB_SOLVED_ITERATIONS] / (BLOCKS * STEPS), told[MB_SOLVED_LAST_NATURAL],
      o->sim->touching->last.n, o->sim->x.E[1].p[2]);
  if (!theirs) return true;
  row("MuJoCo", 1e6 * beside / STEPS, mb_mujoco_iterations(theirs) / (BLOCKS * STEPS),
      mb_mujoco_gradient(theirs), mb_mujoco_contacts(theirs), mb_mujoco_height(theirs));
  return mb_bench_target("ratio", ours / beside, "", 0.5, false);
}

bool mb_bench_humanoid(void) {
  static Ours ours;
  ours = (Ours){0};
  if (!mb_mujoco_there()) printf("  libmujoco is not installed: nothing to compare with\n");
  MbMujoco *theirs = mb_mujoco_load(path);
  bool met = load(&ours) && compare(&ours, theirs);
  for (int k = 0; k < ours.report.kept; k++) printf("  %s\n", ours.report.issues[k].text);
  mb_sim_free(ours.sim);
  mb_model_free(ours.model);
  mb_scene_free(ours.scene);
  mb_mujoco_free(theirs);
  return met;
}
