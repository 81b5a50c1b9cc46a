#include "cli/console.h"
#include "cli/each_file.h"
#include "cli/plan_text.h"
#include "cli/scene_input.h"
#include "gpu/flock.h"

#include <limits.h>
#include <string.h>

static cJSON *answer(const MbReport *report, cJSON *plan) {
  cJSON *tree = cJSON_CreateObject();
  cJSON_AddBoolToObject(tree, "valid", !report->errors);
  cJSON_AddNumberToObject(tree, "errors", report->errors);
  cJSON_AddNumberToObject(tree, "warnings", report->warnings);
  cJSON_AddItemToObject(tree, "issues", mb_console_report_json(report));
  if (plan) cJSON_AddItemToObject(tree, "plan", plan);
  return tree;
}

// The scene is in order, but a run of it would be refused on this machine.
static void warn_device(const MbScene *scene, const MbModel *model, MbReport *report) {
  const MbEngine *cuda = mb_engine_cuda();
  bool available = false;
  if (scene->spec.solver.device != MB_CUDA) return;
  const char *text = mb_engine_text(cuda, &available),
             *why = available ? mb_engine_refuses(cuda, model) : text;
  if (why)
    mb_warning(report, "/solver/device",
               "device cuda: %s; without --device cpu a run is refused here (exit 6)", why);
}

// What each of a sweep's runs would take there, where they can go in lockstep.
static void add_sweep(const MbModel *model, cJSON *plan) {
  enum { MANY = 1024 }; // of which some take a little more
  MbLane lane;
  MbReport ignored = {0};
  const char *refused = NULL;
  if (mb_lane_refused(model) || mb_flock_refused(model)) return;
  if (!mb_lane_create(model, &lane, &refused, &ignored) && !refused)
    cJSON_AddNumberToObject(plan, "device_bytes_of_run", (double)(mb_flock_bytes(&lane, MANY) / MANY));
  mb_lane_free(&lane);
}

// What a run would take of a device's memory, where the scene asks for one that takes its kind.
static void add_device(const MbScene *scene, const MbModel *model, cJSON *plan) {
  const MbEngine *cuda = mb_engine_cuda();
  MbReport ignored = {0}; // what does not fit is told by the run
  size_t bytes = 0;
  if (!plan || scene->spec.solver.device == MB_CPU) return;
  add_sweep(model, plan);
  if (mb_engine_refuses(cuda, model)) return;
  if (mb_engine_memory(cuda, model, &bytes, &ignored) == MB_OK)
    cJSON_AddNumberToObject(plan, "device_bytes", (double)bytes);
}

static MbStatus validate(const MbArgs *args, const char *path, cJSON **answer_to) {
  MbReport report = {0};
  MbScene *scene = NULL;
  MbModel *model = NULL;
  MbSim *sim = NULL;
  MbStatus status = mb_scene_input(args, path, &scene, &report);
  if (!status) status = mb_model_create(scene, &model, &report);
  if (!status) mb_scene_let_go(scene); // a scene takes about as much memory as its model
  if (!status) status = mb_sim_create(model, &(MbSimOptions){.engine = mb_engine_cpu()}, &sim, &report);
  if (!status) warn_device(scene, model, &report);
  if (scene) mb_scene_locate(scene, &report);
  cJSON *plan = status ? NULL : mb_plan_json(scene, model, sim);
  add_device(scene, model, plan);
  if (mb_arg_given(args, "json")) {
    *answer_to = answer(&report, plan);
  } else {
    mb_console_report(stderr, &report);
    if (plan) mb_plan_print(stdout, plan);
    cJSON_Delete(plan);
  }
  mb_sim_free(sim);
  mb_model_free(model);
  mb_scene_free(scene);
  return status;
}

static MbStatus run(const MbArgs *args) {
  int pipes = 0;
  for (size_t i = 0; i < args->noperands; i++) pipes += !strcmp(args->operands[i], "-");
  if (pipes > 1) {
    mb_console_error("stdin (-) can be read once only");
    return MB_USAGE;
  }
  return mb_each_file(args, validate);
}

static const MbOption options[] = {
    MB_SCENE_OPTIONS,
    {.name = "json", .help = "answer as JSON on stdout: valid, issues, plan"},
};

const MbCommand mb_command_validate = {
    .name = "validate",
    .operands = "SCENE...",
    .least = 1,
    .most = INT_MAX,
    .summary = "check scenes and tell what would run",
    .details = "Reads each SCENE (- reads it from stdin) and builds its model, without a step. Errors and "
               "warnings go to stderr as FILE:LINE:COLUMN: error: /pointer: text, all of them (up to 20): "
               "first those of form "
               "(keys, types, bounds, names) and, once there are none, those of meaning (masses, trees of "
               "joints, solvers "
               "that do not fit). What would run goes to stdout, under its name where there are several. "
               "Exit 3 when a scene is "
               "invalid; of several the worst status. With --json the answer for several is a list.",
    .noptions = sizeof options / sizeof *options,
    .options = options,
    .run = run,
};
