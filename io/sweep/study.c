#include "io/sweep/study.h"
#include "core/base/alloc.h"
#include "core/base/report.h"
#include "io/json/json_scan.h"
#include "io/scene/schema_read.h"

#include <string.h>

bool mb_study_is(const char *text, size_t length) {
  static const char key[] = "mbsim_study";
  MbJsonScan scan;
  mb_json_scan_begin(&scan, text, length);
  for (;;) {
    const MbJsonToken token = mb_json_scan_next(&scan);
    if (token == MB_JSON_END || token == MB_JSON_WRONG) return false;
    const MbJsonLevel *level = &scan.level[0];
    if (token == MB_JSON_KEY && scan.depth == 1 && level->key_length == sizeof key - 1 &&
        !memcmp(text + level->key, key, sizeof key - 1))
      return true;
  }
}

MbStatus mb_study_read(MbStudy *study, char *text, size_t length, const char *name, MbReport *report) {
  *study = (MbStudy){.text = text, .length = length};
  snprintf(report->file, sizeof report->file, "%s", name);
  const MbStatus status = mb_json_parse(text, length, &study->tree, report);
  if (status) return status;
  MbReader reader = {
      .report = report, .arena = &study->arena, .directory = ".", .text = text, .length = length};
  const void *const defaults = mb_read_defaults(&reader, &mb_schema_study);
  if (defaults) {
    memcpy(&study->spec, defaults, sizeof study->spec);
    mb_read_object(&reader, &mb_schema_study, study->tree, &study->spec);
  }
  for (int i = 0; i < MB_NAME_SETS; i++) mb_schema_names_free(&reader.names[i]);
  return reader.status;
}

void mb_study_free(MbStudy *study) {
  mb_arena_free(&study->arena);
  cJSON_Delete(study->tree);
  mb_free(study->text);
  *study = (MbStudy){0};
}

const cJSON *mb_study_given(const MbStudy *study, const char *key) {
  return cJSON_GetObjectItemCaseSensitive(study->tree, key);
}

void mb_study_locate(const MbStudy *study, const char *name, const char *group, const char *key, int first,
                     MbReport *report) {
  for (int i = first; i < report->kept; i++) {
    MbIssue *issue = &report->issues[i];
    if (issue->where[0] || issue->line) continue;
    size_t n = (size_t)snprintf(issue->where, sizeof issue->where, "%s%s", group, *key ? "/" : "");
    for (const char *c = key; *c && n + 3 < sizeof issue->where; c++) {
      if (*c == '/' || *c == '~') {
        issue->where[n++] = '~';
        issue->where[n++] = *c == '/' ? '1' : '0';
      } else {
        issue->where[n++] = *c;
      }
    }
    issue->where[n] = 0;
    mb_json_locate(study->text, study->length, issue->where, false, &issue->line, &issue->column);
    snprintf(report->file, sizeof report->file, "%s", name);
  }
}
