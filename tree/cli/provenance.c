// What a file tells about how it came to be, and nothing compares.
#include "cli/run.h"
#include "core/base/alloc.h"
#include "core/base/clock.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

uint64_t mb_peak_memory(void) {
  struct rusage usage;
  return getrusage(RUSAGE_SELF, &usage) ? 0 : (uint64_t)usage.ru_maxrss * 1024;
}

const char *mb_run_reason(MbStatus status) {
  switch (status) {
  case MB_OK:
    return "finished";
  case MB_INTERRUPTED:
    return "interrupted";
  case MB_NUMBERS:
    return "the numbers failed";
  default:
    return mb_status_text(status);
  }
}

static void add_now(cJSON *object, const char *key) {
  char text[32] = "";
  const time_t now = time(NULL);
  struct tm utc;
  if (gmtime_r(&now, &utc)) strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  cJSON_AddStringToObject(object, key, text);
}

static MbStatus write_record(MbRun *run, cJSON *object, MbReport *report) {
  char *json = cJSON_PrintUnformatted(object);
  cJSON_Delete(object);
  if (!json) return mb_no_memory(report, "provenance");
  const MbStatus status = mb_traj_provenance(run->writer, json, report);
  cJSON_free(json);
  return status;
}

MbStatus mb_provenance_start(MbRun *run, int threads, const char *device, MbReport *report) {
  cJSON *object = cJSON_CreateObject(), *command = cJSON_CreateArray();
  char text[PATH_MAX];
  cJSON_AddStringToObject(object, "program", "mbsim");
  cJSON_AddStringToObject(object, "version", mb_version());
  add_now(object, "started");
  if (!gethostname(text, sizeof text)) {
    text[sizeof text - 1] = 0;
    cJSON_AddStringToObject(object, "host", text);
  }
  if (getcwd(text, sizeof text)) cJSON_AddStringToObject(object, "directory", text);
  for (int i = 0; i < run->args->argc; i++)
    cJSON_AddItemToArray(command, cJSON_CreateString(run->args->argv[i]));
  cJSON_AddItemToObject(object, "command", command);
  cJSON_AddNumberToObject(object, "threads", threads);
  cJSON_AddStringToObject(object, "device", device);
  if (realpath(run->folder, text)) cJSON_AddStringToObject(object, "folder", text);
  if (run->old) cJSON_AddStringToObject(object, "resumed", mb_traj_path(run->old));
  return write_record(run, object, report);
}

void mb_provenance_folder(const MbTraj *traj, char folder[MB_FOLDER]) {
  snprintf(folder, MB_FOLDER, ".");
  for (size_t i = 0; i < mb_traj_provenances(traj); i++) {
    cJSON *object = cJSON_Parse(mb_traj_provenance_json(traj, i));
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, "folder"));
    if (text && strlen(text) < MB_FOLDER) snprintf(folder, MB_FOLDER, "%s", text);
    cJSON_Delete(object);
  }
}

MbStatus mb_provenance_end(MbRun *run, MbStatus status, MbReport *report) {
  cJSON *object = cJSON_CreateObject();
  add_now(object, "ended");
  cJSON_AddNumberToObject(object, "wall", mb_clock() - run->start);
  cJSON_AddNumberToObject(object, "status", status);
  cJSON_AddStringToObject(object, "reason", mb_run_reason(status));
  cJSON_AddNumberToObject(object, "steps", (double)mb_sim_steps(run->sim));
  cJSON_AddNumberToObject(object, "peak_memory", (double)mb_peak_memory());
  return write_record(run, object, report);
}
