#include "core/base/alloc.h"
#include "core/model/spec.h"
#include "io/scene/scene.h"
#include "io/scene/schema_print.h"
#include "io/scene/schema_table.h"
#include "io/scene/schema_walk.h"
#include "io/sweep/study.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char *read_file(const char *path) {
  FILE *f = fopen(path, "rb");
  cr_assert_not_null(f, "cannot open %s", path);
  char *text = calloc(1 << 20, 1);
  cr_assert_gt(fread(text, 1, (1 << 20) - 1, f), 0);
  fclose(f);
  return text;
}

Test(schema, the_reference_in_the_readme_is_what_the_table_says) {
  char *const readme = read_file("scenes/README.md");
  char *const reference = mb_schema_reference();
  const char *const begin = strstr(readme, "<!-- generated: ");
  cr_assert_not_null(begin, "the marker is missing");
  const char *const text = strstr(begin, "-->\n\n") + 5;
  const size_t n = strlen(reference);
  size_t same = 0;
  while (same < n && text[same] == reference[same]) same++;
  cr_assert_eq(same, n,
               "scenes/README.md is stale (make docs): it has \"%.60s\" where the table says \"%.60s\"",
               text + same, reference + same);
  cr_assert(!strncmp(text + n, "\n<!-- ", 6), "there is more between the markers than the table says");
  mb_free(reference);
  free(readme);
}

// Runs the checker that is not ours; what it says, and how it ends.
static int check_schema(const char *path, char said[4000]) {
  char command[200];
  snprintf(command, sizeof command, "/usr/bin/python3 tests/check_schema.py %s 2>&1", path);
  FILE *const checker = popen(command, "r");
  const size_t n = fread(said, 1, 3999, checker);
  said[n] = 0;
  const int status = pclose(checker);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

Test(schema, the_checker_tells_its_usage_where_it_is_given_no_schema) {
  char said[4000];
  cr_assert_eq(check_schema("", said), 2, "%s", said);
  cr_assert_not_null(strstr(said, "usage: check_schema.py"), "%s", said);
}

Test(schema, another_validator_agrees_with_the_json_schema) {
  char path[] = "/tmp/mbsim-schema-XXXXXX";
  const int file = mkstemp(path);
  cr_assert_geq(file, 0);
  char *const json = mb_schema_json();
  cr_assert_eq(write(file, json, strlen(json)), (ssize_t)strlen(json));
  close(file);
  mb_free(json);
  char said[4000];
  const int code = check_schema(path, said);
  unlink(path);
  cr_assert_eq(code, 0, "%s", said);
}

Test(schema, the_json_schema_is_json_and_names_no_reserved_key) {
  char *const json = mb_schema_json();
  MbReport report = {0};
  cJSON *tree = NULL;
  cr_assert_eq(mb_json_parse(json, strlen(json), &tree, &report), MB_OK, "%s", report.issues[0].text);
  cr_assert_not_null(mb_json_at(tree, "/$defs/scene/properties/gravity/default"));
  cr_assert_null(mb_json_at(tree, "/$defs/material/properties/young"));
  cr_assert_null(mb_json_at(tree, "/$defs/joint/properties/friction"));
  cJSON_Delete(tree);
  mb_free(json);
}

static size_t words(const char *const *list) {
  size_t n = 0;
  while (list[n]) n++;
  return n;
}

Test(schema, rows_are_sound) {
  const MbSchemaWalk walk = mb_schema_walk(&mb_schema_scene);
  cr_assert_lt(walk.count, MB_SCHEMA_OBJECTS);
  for (size_t i = 0; i < walk.count; i++) {
    const MbSchemaObject *const o = walk.object[i];
    cr_assert(o->name && o->help && o->size && o->rows);
    for (size_t k = 0; k < i; k++) cr_assert_str_neq(o->name, walk.object[k]->name);
    for (const MbSchemaRow *row = o->rows; row->key; row++) {
      cr_assert(row->help && row->help[0], "%s.%s has no help", o->name, row->key);
      cr_assert(row->flags & MB_LATER || row->offset < o->size, "%s.%s lies outside of its struct", o->name,
                row->key);
      for (const MbSchemaRow *other = o->rows; other != row; other++) cr_assert_str_neq(row->key, other->key);
      cr_assert(!strchr(row->help, '|'), "%s.%s breaks the table", o->name, row->key);
      if (row->word_help)
        cr_assert_eq(words(row->word_help), words(row->words), "%s.%s has words without a meaning", o->name,
                     row->key);
    }
    if (!o->selector) continue;
    // words stand in the order of their enum
    const size_t n = words(o->words);
    for (size_t v = 0; v < n; v++) cr_assert(o->variants[v].help && o->variants[v].help[0]);
    if (!strcmp(o->name, "solver"))
      for (size_t v = 0; v < n; v++) cr_assert_str_eq(o->words[v], mb_solver_words[v]);
  }
  cr_assert_eq(words(mb_error_words), 2);
}

Test(schema, documents_fail_cleanly_when_memory_runs_out) {
  for (int k = 0;; k++) {
    mb_alloc_fail_after(k);
    char *const json = mb_schema_json();
    char *const reference = mb_schema_reference();
    mb_alloc_fail_after(-1);
    const bool done = json && reference;
    mb_free(json);
    mb_free(reference);
    cr_assert_eq(mb_alloc_live(), 0, "call %d failed and something leaked", k);
    if (done) break;
    cr_assert_lt(k, 5000);
  }
}

Test(schema, the_reference_of_studies_is_what_their_table_says) {
  char *const readme = read_file("scenes/sweeps/README.md");
  char *const reference = mb_schema_reference_of(&mb_schema_study);
  cr_assert_not_null(strstr(readme, reference), "scenes/sweeps/README.md is stale (make docs)");
  mb_free(reference);
  free(readme);
}
