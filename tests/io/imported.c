#include "tests/io/imported.h"
#include "core/base/alloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[64];

void imported_begin(void) { test_folder_begin(folder, "models"); }
void imported_end(void) { test_folder_end(folder); }

void imported_write(const char *name, const char *text) {
  char path[200];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "w");
  cr_assert(file);
  fputs(text, file);
  fclose(file);
}

Imported imported_with(const char *text, const MbImportOptions *options) {
  Imported r = {0};
  char path[200];
  snprintf(path, sizeof path, "%s/model.xml", folder);
  imported_write("model.xml", text);
  r.status = mb_model_import(path, options, &r.notes, &r.text, &r.report);
  if (r.text) cr_assert_eq(mb_json_parse(r.text, strlen(r.text), &r.scene, &r.report), MB_OK);
  return r;
}

void imported_drop(Imported *r) {
  mb_free(r->text);
  cJSON_Delete(r->scene);
  mb_model_notes_free(&r->notes);
}

Imported imported(const char *text) {
  const MbImportOptions options = {0};
  Imported r = imported_with(text, &options);
  cr_assert_eq(r.status, MB_OK, "%s (%d:%d)", r.report.issues[0].text, r.report.issues[0].line,
               r.report.issues[0].column);
  return r;
}

void imported_refused(const char *text, int line, int column, const char *words) {
  const MbImportOptions options = {0};
  Imported r = imported_with(text, &options);
  cr_assert_neq(r.status, MB_OK, "it should be refused: %s", words);
  cr_assert_null(r.text);
  const MbIssue *issue = &r.report.issues[0];
  cr_assert(strstr(issue->text, words), "\"%s\" is not \"%s\"", issue->text, words);
  cr_assert(issue->line == line && issue->column == column, "%s: at %d:%d, not %d:%d", words, issue->line,
            issue->column, line, column);
  imported_drop(&r);
}

bool imported_noted(const Imported *r, bool loss, const char *words) {
  for (size_t i = 0; i < r->notes.n; i++)
    if (r->notes.note[i].loss == loss && strstr(r->notes.note[i].text, words)) return true;
  return false;
}

const cJSON *imported_at(const Imported *r, const char *pointer) { return mb_json_at(r->scene, pointer); }
const char *imported_word(const Imported *r, const char *pointer) {
  const char *text = cJSON_GetStringValue(imported_at(r, pointer));
  return text ? text : "";
}
double imported_number(const Imported *r, const char *pointer) {
  cr_assert(cJSON_IsNumber(imported_at(r, pointer)), "%s", pointer);
  return imported_at(r, pointer)->valuedouble;
}

void imported_runs(const Imported *r, int64_t steps) {
  MbReport report = {0};
  test_ok(test_try(r->text, NULL, steps, &report), &report);
}
