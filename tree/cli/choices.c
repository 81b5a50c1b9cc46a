#include "cli/choices.h"
#include "core/base/report.h"
#include "core/model/spec.h"
#include "io/scene/schema_table.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- frames -------------------------------------------------------------------------------------

// One number of a:b:c, or `absent` where it is empty; *text moves behind it.
static bool take_index(const char **text, int64_t absent, int64_t *value) {
  *value = absent;
  if (**text == ':' || !**text) return true;
  char *end = NULL;
  errno = 0;
  *value = strtoll(*text, &end, 10);
  const bool good = end != *text && !errno && (*end == ':' || !*end);
  *text = end;
  return good;
}

MbStatus mb_choose_frames(const char *text, MbTrajSlice *slice, MbReport *report) {
  const char *p = text;
  *slice = (MbTrajSlice){.last = INT64_MAX, .stride = 1};
  if (!text) return MB_OK;
  bool good = take_index(&p, 0, &slice->first);
  if (good && !*p) {
    slice->last = slice->first == -1 ? INT64_MAX : slice->first + 1;
    good = p != text;
  } else if (good) {
    p++;
    good = take_index(&p, INT64_MAX, &slice->last);
    if (good && *p == ':') {
      p++;
      good = take_index(&p, 1, &slice->stride) && !*p;
    }
  }
  // both count from the same end, so the file's length does not matter
  const bool backwards = (slice->first < 0) == (slice->last < 0) && slice->last <= slice->first;
  if (good && slice->stride >= 1 && backwards)
    return mb_error(report, MB_USAGE, "",
                    "--frames: \"%s\" holds no frame: it ends before %lld and begins with %lld", text,
                    (long long)slice->last, (long long)slice->first);
  if (good && slice->stride >= 1) return MB_OK;
  return mb_error(report, MB_USAGE, "", "--frames: \"%s\" is no a, a:b or a:b:c with c at least 1", text);
}

// ---- error --------------------------------------------------------------------------------------

// One bound for all numbers, whatever they measure.
static cJSON *same_error(double bound) {
  cJSON *object = cJSON_CreateObject();
  for (const char *const *word = mb_quantity_words; *word; word++)
    cJSON_AddNumberToObject(object, *word, bound);
  return object;
}

cJSON *mb_choose_error(const char *text, MbReport *report) {
  char *end = NULL;
  const double number = strtod(text, &end);
  if (end != text && !*end && number == 0) return cJSON_CreateNumber(0);
  if (end != text && !*end && number > 0 && isfinite(number)) return same_error(number);
  if (!strcmp(text, "fine") || !strcmp(text, "view")) return cJSON_CreateString(text);
  cJSON *object = text[0] == '{' ? cJSON_Parse(text) : NULL;
  if (object) return object;
  mb_error(
      report, MB_USAGE, "",
      "--error: \"%s\" is none of 0, fine, view, a number above 0, an object of numbers as {\"pose\": 1e-6}",
      text);
  return NULL;
}

// Bounds by what is measured, as {"pose": 1e-6}.
static MbStatus read_bounds(const cJSON *object, double bound[MB_QUANTITIES], MbReport *report) {
  for (const cJSON *item = object->child; item; item = item->next) {
    int q = 0;
    while (q < MB_QUANTITIES && strcmp(mb_quantity_words[q], item->string) != 0) q++;
    const char *near = q < MB_QUANTITIES ? NULL : mb_nearest_word(item->string, mb_quantity_words);
    if (q == MB_QUANTITIES)
      return mb_error(report, MB_USAGE, "", "--error: unknown key \"%s\"%s%s%s", item->string,
                      near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
    if (!cJSON_IsNumber(item) || !(item->valuedouble >= 0) || !isfinite(item->valuedouble))
      return mb_error(report, MB_USAGE, "", "--error: \"%s\" wants a number of at least 0", item->string);
    bound[q] = item->valuedouble;
  }
  return MB_OK;
}

MbStatus mb_choose_bounds(const char *text, double bound[MB_QUANTITIES], MbReport *report) {
  cJSON *value = mb_choose_error(text, report);
  if (!value) return MB_USAGE;
  MbStatus status = MB_OK;
  memset(bound, 0, MB_QUANTITIES * sizeof *bound);
  for (int i = 0; cJSON_IsString(value) && mb_error_words[i]; i++)
    if (!strcmp(mb_error_words[i], value->valuestring))
      memcpy(bound, mb_error_bounds[i], MB_QUANTITIES * sizeof *bound);
  if (cJSON_IsObject(value)) status = read_bounds(value, bound, report);
  cJSON_Delete(value);
  return status;
}
