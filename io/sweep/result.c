#include "io/sweep/result.h"
#include "io/scene/scene_override.h"
#include "core/base/alloc.h"
#include "io/json/json.h"
#include "io/json/json_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const mb_outcome_words[MB_OUTCOMES + 1] = {
    "ok", "usage", "scene", "numbers", "io", "device", "crashed", "timeout", "memory", "missing", NULL};

MbOutcome mb_outcome_of(MbStatus status) {
  switch (status) {
  case MB_OK:
    return MB_OUT_OK;
  case MB_USAGE:
    return MB_OUT_USAGE;
  case MB_SCENE:
    return MB_OUT_SCENE;
  case MB_NUMBERS:
    return MB_OUT_NUMBERS;
  case MB_DEVICE:
    return MB_OUT_DEVICE;
  default:
    return MB_OUT_IO;
  }
}

void mb_result_clear(MbResult *r, MbOutcome outcome) {
  r->outcome = outcome;
  r->exit_code = 0;
  r->message[0] = r->trajectory[0] = 0;
  for (size_t i = 0; i < r->nmeasures; i++) r->values[i] = NAN;
  r->energy_drift = r->steps_per_second = r->wall = NAN;
  r->steps = 0;
}

// JSON has neither NaN nor infinity: they stand as texts.
static void add_number(MbText *t, double x) {
  if (isfinite(x))
    mb_text_number(t, x);
  else
    mb_text_quoted(t, isnan(x) ? "nan" : x > 0 ? "inf" : "-inf");
}

static void add_member(MbText *t, const char *key, double x) {
  mb_text_format(t, ",\"%s\":", key);
  add_number(t, x);
}

char *mb_result_write(const MbResult *r) {
  MbText t = {0};
  mb_text_format(&t, "{\"mbsim_result\":1,\"status\":\"%s\",\"exit_code\":%d,\"message\":",
                 mb_outcome_words[r->outcome], r->exit_code);
  mb_text_quoted(&t, r->message);
  mb_text_add(&t, ",\"measures\":{");
  for (size_t i = 0; i < r->nmeasures; i++) {
    bool again = false; // the same under another name
    for (size_t k = 0; k < i; k++) again = again || !strcmp(r->defined[k], r->defined[i]);
    if (again) continue;
    if (i) mb_text_add(&t, ",");
    mb_text_quoted(&t, r->defined[i]);
    mb_text_add(&t, ":");
    add_number(&t, r->values[i]);
  }
  mb_text_add(&t, "}");
  add_member(&t, "energy_drift", r->energy_drift);
  mb_text_format(&t, ",\"steps\":%lld,\"trajectory\":\"%s\"", (long long)r->steps, r->trajectory);
  add_member(&t, "steps_per_second", r->steps_per_second);
  add_member(&t, "wall", r->wall);
  mb_text_add(&t, "}\n");
  return mb_text_take(&t);
}

static double number_of(const cJSON *item) {
  if (cJSON_IsNumber(item)) return item->valuedouble;
  const char *text = cJSON_GetStringValue(item);
  return text && !strcmp(text, "inf") ? INFINITY : text && !strcmp(text, "-inf") ? -INFINITY : NAN;
}

static const cJSON *member(const cJSON *tree, const char *key) {
  return cJSON_GetObjectItemCaseSensitive(tree, key);
}

static void copy(char *to, size_t size, const cJSON *item) {
  const char *text = cJSON_GetStringValue(item);
  snprintf(to, size, "%s", text ? text : "");
}

bool mb_result_read(const char *text, size_t length, MbResult *r, bool *lacks) {
  mb_result_clear(r, MB_OUT_MISSING);
  *lacks = false;
  cJSON *tree = cJSON_ParseWithLength(text, length);
  const char *word = cJSON_GetStringValue(member(tree, "status"));
  int k = 0;
  while (word && mb_outcome_words[k] && strcmp(mb_outcome_words[k], word) != 0) k++;
  if (!word || !mb_outcome_words[k] || !cJSON_IsNumber(member(tree, "mbsim_result"))) {
    cJSON_Delete(tree);
    return false;
  }
  r->outcome = (MbOutcome)k;
  r->exit_code = (int)number_of(member(tree, "exit_code"));
  r->steps = (int64_t)number_of(member(tree, "steps"));
  r->energy_drift = number_of(member(tree, "energy_drift"));
  r->steps_per_second = number_of(member(tree, "steps_per_second"));
  r->wall = number_of(member(tree, "wall"));
  copy(r->message, sizeof r->message, member(tree, "message"));
  copy(r->trajectory, sizeof r->trajectory, member(tree, "trajectory"));
  const cJSON *measures = member(tree, "measures");
  for (size_t i = 0; i < r->nmeasures; i++) {
    const cJSON *value = member(measures, r->defined[i]);
    *lacks = *lacks || !value;
    r->values[i] = value ? number_of(value) : NAN;
  }
  cJSON_Delete(tree);
  return true;
}

void mb_result_warn(MbResult *r, const MbReport *said) {
  static const char set[] = MB_SET_ON_COMMAND_LINE; // which all that a sweep varies is
  for (int i = 0; i < said->kept; i++) {
    const MbIssue *issue = &said->issues[i];
    const size_t n = strlen(issue->text), own = sizeof set - 1;
    const bool cut = n >= own && !strcmp(issue->text + n - own, set);
    const size_t used = strlen(r->message);
    if (!issue->warning) continue;
    snprintf(r->message + used, sizeof r->message - used, "%s%s%s%.*s",
             used ? "; " : "warning: ", issue->where, issue->where[0] ? ": " : "", (int)(cut ? n - own : n),
             issue->text);
  }
  for (char *at = r->message; *at; at++)
    if ((unsigned char)*at < ' ') *at = ' ';
}
