#include "cli/console.h"
#include "cli/each_file.h"
#include "cli/file_kind.h"
#include "cli/options.h"
#include "io/compare/compare.h"

#include <limits.h>
#include <math.h>

static double given_or_nan(const MbArgs *args, const char *name) {
  const MbValue *value = mb_arg(args, name);
  return value->given ? value->number : NAN;
}

static cJSON *answer(const MbCheckResult *result, MbStatus status, const MbReport *report) {
  cJSON *tree = cJSON_CreateObject(), *items = cJSON_CreateArray();
  cJSON_AddBoolToObject(tree, "pass", status == MB_OK);
  for (size_t i = 0; i < result->count; i++) {
    cJSON *item = cJSON_CreateObject();
    cJSON_AddStringToObject(item, "name", result->items[i].name);
    cJSON_AddBoolToObject(item, "checked", result->items[i].checked);
    cJSON_AddBoolToObject(item, "pass", result->items[i].pass);
    cJSON_AddStringToObject(item, "text", result->items[i].text);
    cJSON_AddItemToArray(items, item);
  }
  cJSON_AddItemToObject(tree, "items", items);
  cJSON_AddItemToObject(tree, "issues", mb_console_report_json(report));
  return tree;
}

static MbStatus check(const MbArgs *args, const char *path, cJSON **answer_to) {
  MbReport report = {0};
  MbCheckResult result = {0};
  const MbCheckOptions limits = {.energy_drift = given_or_nan(args, "energy"),
                                 .momentum_drift = given_or_nan(args, "momentum"),
                                 .constraint_error = given_or_nan(args, "constraint")};
  MbStatus status = mb_file_want_trajectory(path, &report);
  if (!status) status = mb_check_trajectory(path, &limits, &result, &report);
  if (mb_arg_given(args, "json")) {
    *answer_to = answer(&result, status, &report);
    return status;
  }
  mb_console_report(stderr, &report);
  for (size_t i = 0; i < result.count; i++) {
    const MbCheckItem *item = &result.items[i];
    char text[sizeof item->text];
    printf("%-5s %-20s %s\n",
           !item->checked ? "-"
           : item->pass   ? "ok"
                          : "FAIL",
           item->name, mb_console_safe(item->text, text, sizeof text));
  }
  return status;
}

static MbStatus run(const MbArgs *args) { return mb_each_file(args, check); }

static const MbOption options[] = {
    {.name = "energy",
     .type = MB_OPTION_NUMBER,
     .argument = "DRIFT",
     .help = "relative energy drift that is allowed; without it the drift is told, not judged"},
    {.name = "momentum", .type = MB_OPTION_NUMBER, .argument = "DRIFT", .help = "the same for momentum"},
    {.name = "constraint",
     .type = MB_OPTION_NUMBER,
     .argument = "ERROR",
     .help = "constraint error that is allowed; without it that which the run was held to, where the file "
             "tells it"},
    {.name = "json", .help = "answer as JSON on stdout"},
};

const MbCommand mb_command_check = {
    .name = "check",
    .operands = "FILE...",
    .least = 1,
    .most = INT_MAX,
    .summary = "check trajectories: checksums, numbers, drift",
    .details =
        "Reads every record of each FILE and checks its checksums, that times increase, numbers are finite "
        "and "
        "quaternions are unit, the drift of energy and momentum, and that no hard constraint stays open "
        "(channel constraint.error) beyond what the run allowed it. Exit 1 when a check fails, which "
        "one does whose channel is missing where its bound is given; 5 when the file is damaged; of several "
        "files the worst, each under its name, or with --json a list of answers.",
    .noptions = sizeof options / sizeof *options,
    .options = options,
    .run = run,
};
