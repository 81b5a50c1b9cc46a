#include "cli/tolerance_file.h"
#include "cli/output_file.h"
#include "core/base/alloc.h"
#include "core/base/report.h"
#include "io/json.h"

#include <errno.h>
#include <math.h>
#include <string.h>

enum { LARGEST = 1 << 24 }; // bytes of such a file

static MbStatus read_text(const char *path, char **text, size_t *length, MbReport *report) {
  FILE *stream = fopen(path, "re");
  if (!stream) return mb_error(report, MB_IO, "", "%s cannot be opened: %s", path, strerror(errno));
  MbStatus status = MB_OK;
  size_t room = 0, n = 0;
  do {
    room = room ? 2 * room : 4096;
    char *grown = mb_realloc(*text, room, 1);
    if (!grown) status = mb_no_memory(report, path);
    else *text = grown, *length += n = fread(grown + *length, 1, room - *length, stream);
    if (!status && *length > LARGEST) status = mb_error(report, MB_IO, "", "%s is too large", path);
  } while (!status && *length == room);
  if (!status && ferror(stream)) status = mb_error(report, MB_IO, "", "%s cannot be read", path);
  fclose(stream);
  return status;
}

static MbStatus take_tolerance(const cJSON *item, MbTolerance *tolerance, MbReport *report) {
  *tolerance = (MbTolerance){.channel = item->string};
  const cJSON *member = NULL;
  bool good = cJSON_IsObject(item);
  for (member = good ? item->child : NULL; member; member = member->next) {
    double *value = !strcmp(member->string, "absolute")   ? &tolerance->atol
                    : !strcmp(member->string, "relative") ? &tolerance->rtol
                                                          : NULL;
    if (member->string[0] == '_') continue;
    good = good && value && cJSON_IsNumber(member) && member->valuedouble >= 0;
    if (good) *value = member->valuedouble;
  }
  if (good) return MB_OK;
  return mb_error(report, MB_USAGE, item->string, "wanted {\"absolute\": number, \"relative\": number}");
}

MbStatus mb_tolerances_read(const char *path, MbTolerances *t, MbReport *report) {
  char *text = NULL;
  size_t length = 0;
  MbStatus status = read_text(path, &text, &length, report);
  if (!status) status = mb_json_parse(text, length, &t->tree, report);
  mb_free(text);
  if (status) {
    if (report->status == MB_SCENE) report->status = MB_USAGE;
    snprintf(report->file, sizeof report->file, "%s", path);
    return status == MB_SCENE ? MB_USAGE : status;
  }
  const cJSON *channels = cJSON_GetObjectItemCaseSensitive(t->tree, "channels"), *item = NULL;
  if (!cJSON_IsObject(channels)) return mb_error(report, MB_USAGE, "/channels", "%s: object wanted", path);
  t->list = mb_calloc((size_t)cJSON_GetArraySize(channels), sizeof *t->list);
  if (!t->list) return mb_no_memory(report, "tolerances");
  cJSON_ArrayForEach(item, channels) {
    MbTolerance tolerance;
    if (take_tolerance(item, &tolerance, report)) return MB_USAGE;
    if (strcmp(item->string, "*") != 0) t->list[t->count++] = tolerance;
    else t->has_fallback = true, t->fallback = (MbTolerance){.atol = tolerance.atol, .rtol = tolerance.rtol};
  }
  return MB_OK;
}

void mb_tolerances_free(MbTolerances *t) {
  mb_free(t->list);
  cJSON_Delete(t->tree);
  *t = (MbTolerances){0};
}

MbStatus mb_tolerances_learn(cJSON *channels, const MbCompareResult *result, double margin, MbReport *report) {
  for (size_t i = 0; i < result->nchannels; i++) {
    const MbChannelResult *c = &result->channels[i];
    if (!c->compared) continue;
    // a difference that is no number (NaN against 1) cannot be tolerated
    if (!isfinite(c->worst.error))
      return mb_error(report, MB_DIFFERS, "", "%s: the runs differ by no finite number", c->channel);
    cJSON *old = cJSON_GetObjectItemCaseSensitive(channels, c->channel);
    const double before = cJSON_GetNumberValue(cJSON_GetObjectItem(old, "absolute"));
    const double needed = fmax(margin * c->worst.error, old ? before : 0);
    cJSON *item = cJSON_CreateObject();
    cJSON_AddNumberToObject(item, "absolute", needed);
    cJSON_AddNumberToObject(item, "relative", 0);
    if (old) cJSON_ReplaceItemInObjectCaseSensitive(channels, c->channel, item);
    else cJSON_AddItemToObject(channels, c->channel, item);
  }
  return MB_OK;
}

MbStatus mb_tolerances_write(const char *path, bool replace, cJSON *channels, MbReport *report) {
  cJSON *tree = cJSON_CreateObject();
  cJSON_AddItemReferenceToObject(tree, "channels", channels);
  char *text = cJSON_Print(tree);
  cJSON_Delete(tree);
  if (!text) return mb_no_memory(report, "tolerances");
  FILE *out = mb_output_stream(path, replace, report);
  if (out) fprintf(out, "%s\n", text);
  cJSON_free(text);
  return out ? mb_output_stream_close(out, path, report) : MB_IO;
}
