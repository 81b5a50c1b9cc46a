// The schema table as Markdown: the reference in scenes/README.md.
#include "io/json/json_text.h"
#include "io/scene/scene.h"
#include "io/scene/schema_print.h"
#include "io/scene/schema_read.h"
#include "io/scene/schema_walk.h"

#include <string.h>

static void add_link(MbText *t, const MbSchemaObject *object) {
  mb_text_format(t, "[%s](#%s)", object->name, object->name);
}

static void add_type(MbText *t, const MbSchemaRow *row) {
  static const char *const plain[MB_TYPES] = {[MB_TYPE_VERSION] = "number",
                                              [MB_TYPE_NUMBER] = "number",
                                              [MB_TYPE_INTEGER] = "whole number",
                                              [MB_TYPE_COUNT] = "whole number",
                                              [MB_TYPE_BOOL] = "true or false",
                                              [MB_TYPE_TEXT] = "text",
                                              [MB_TYPE_NAME] = "name",
                                              [MB_TYPE_WORD] = "word",
                                              [MB_TYPE_WORDS] = "list of words",
                                              [MB_TYPE_DIRECTION] = "3 numbers",
                                              [MB_TYPE_ROTATION] = "rotation",
                                              [MB_TYPE_SIGNAL] = "signal",
                                              [MB_TYPE_SIGNALS] = "3 signals",
                                              [MB_TYPE_SIGNAL_LIST] = "signal or list of signals",
                                              [MB_TYPE_LIMITS] = "pair or list of pairs",
                                              [MB_TYPE_PARAMETERS] = "numbers by name",
                                              [MB_TYPE_MESH] = "file",
                                              [MB_TYPE_ELEMENTS] = "file",
                                              [MB_TYPE_POINTS] = "list of 3 numbers each",
                                              [MB_TYPE_CORNERS] = "2 lists of 3 numbers",
                                              [MB_TYPE_TEXTS] = "texts by name",
                                              [MB_TYPE_VALUES] = "values by name",
                                              [MB_TYPE_COLOR] = "3 or 4 numbers",
                                              [MB_TYPE_GRIDS] = "6 lists of rows",
                                              [MB_TYPE_REFERENCE] = "name"};
  switch (row->type) {
  case MB_TYPE_SEQUENCE:
    mb_text_add(t, row->flags & MB_SINGLE ? "number or list of numbers" : "list of numbers");
    if (row->object) mb_text_add(t, ", or "), add_link(t, row->object);
    break;
  case MB_TYPE_NUMBERS:
    mb_text_format(t, "%zu numbers", row->length);
    break;
  case MB_TYPE_DIRECTIONS:
    mb_text_format(t, "%zu times 3 numbers", row->length);
    break;
  case MB_TYPE_OBJECT:
    add_link(t, row->object);
    if (row->flags & MB_OR_BOOL) mb_text_add(t, ", or true");
    break;
  case MB_TYPE_WORD:
    mb_text_add(t, row->flags & MB_OR_BOOL ? "word, true or false" : "word");
    break;
  case MB_TYPE_REFERENCES:
    mb_text_format(t, "%zu names", row->length);
    break;
  case MB_TYPE_REFERENCE_LISTS:
    mb_text_format(t, "list of %zu names", row->length);
    break;
  case MB_TYPE_LIST:
    mb_text_add(t, "list of ");
    if (row->length) mb_text_format(t, "%zu ", row->length);
    add_link(t, row->object);
    break;
  case MB_TYPE_ONE_OR_LIST:
    mb_text_add(t, "one or a list of ");
    add_link(t, row->object);
    break;
  case MB_TYPE_MAP:
    add_link(t, row->object);
    mb_text_add(t, " by name");
    break;
  case MB_TYPE_ERROR:
    mb_text_add(t, "0, word or ");
    add_link(t, row->object);
    break;
  default:
    mb_text_add(t, plain[row->type]);
  }
}

static void add_words(MbText *t, const char *const *words) {
  for (size_t i = 0; words && words[i]; i++) mb_text_format(t, "%s`%s`", i ? ", " : "", words[i]);
}

static void add_row(MbText *t, const MbSchemaRow *row) {
  mb_text_format(t, "| `%s` | ", row->key);
  add_type(t, row);
  mb_text_format(t, " | %s | ", row->unit ? row->unit : "");
  if (row->flags & MB_REQUIRED)
    mb_text_add(t, "*required*");
  else if (row->fallback)
    mb_text_format(t, "`%s`", row->fallback);
  mb_text_add(t, " | ");
  char bounds[80];
  mb_schema_bounds(row, "", bounds, sizeof bounds);
  if (row->words)
    add_words(t, row->words);
  else
    mb_text_add(t, bounds + (bounds[0] == ' '));
  mb_text_format(t, " | %s |\n", row->help);
}

// What the words of a row mean, where they are explained one by one.
static void add_word_help(MbText *t, const MbSchemaRow *rows) {
  for (const MbSchemaRow *row = rows; row && row->key; row++) {
    if (!row->word_help || row->flags & MB_LATER) continue;
    mb_text_format(t, "| `%s` | meaning |\n| --- | --- |\n", row->key);
    for (size_t i = 0; row->words[i] && row->word_help[i]; i++)
      mb_text_format(t, "| `%s` | %s |\n", row->words[i], row->word_help[i]);
    mb_text_add(t, "\n");
  }
}

static void add_table(MbText *t, const MbSchemaRow *rows) {
  mb_text_add(t,
              "| key | type | unit | default | values | meaning |\n| --- | --- | --- | --- | --- | --- |\n");
  for (const MbSchemaRow *row = rows; row->key; row++)
    if (!(row->flags & MB_LATER)) add_row(t, row);
  mb_text_add(t, "\n");
  add_word_help(t, rows);
}

static bool has_rows(const MbSchemaRow *rows) {
  while (rows && rows->key && (rows->flags & MB_LATER)) rows++;
  return rows && rows->key;
}

static void add_object(MbText *t, const MbSchemaObject *object) {
  mb_text_format(t, "### %s\n\n%s\n\n", object->name, object->help);
  if (object->selector) {
    mb_text_format(t, "| `%s` | meaning |\n| --- | --- |\n", object->selector);
    for (size_t v = 0; object->words[v]; v++) {
      const bool fallback = object->selector_fallback && !strcmp(object->selector_fallback, object->words[v]);
      mb_text_format(t, "| `%s`%s | %s |\n", object->words[v], fallback ? " (default)" : "",
                     object->variants[v].help);
    }
    mb_text_add(t, "\n");
    if (has_rows(object->rows)) mb_text_add(t, "All of them:\n\n");
  }
  if (has_rows(object->rows)) add_table(t, object->rows);
  if (object->one_of_both)
    mb_text_format(t, "Exactly one of `%s` and `%s` is given.\n\n", object->either, object->or_else);
  else if (object->either)
    mb_text_format(t, "`%s` and `%s` exclude each other.\n\n", object->either, object->or_else);
  if (object->one_of) {
    mb_text_add(t, "Exactly one of ");
    add_words(t, object->one_of);
    mb_text_add(t, " is given.\n\n");
  }
  for (size_t v = 0; object->variants && object->words[v]; v++) {
    if (!has_rows(object->variants[v].rows)) continue;
    mb_text_format(t, "`\"%s\": \"%s\"`:\n\n", object->selector, object->words[v]);
    add_table(t, object->variants[v].rows);
  }
}

// Names that are kept for later versions, by object.
static void add_reserved(MbText *t, const MbSchemaWalk *walk) {
  mb_text_add(t, "### reserved\n\nThese names belong to later versions. Using one is an error that says so."
                 "\n\n| in | names |\n| --- | --- |\n");
  for (size_t i = 0; i < walk->count; i++) {
    const MbSchemaObject *const object = walk->object[i];
    bool any = false;
    for (const MbSchemaRow *row = object->rows; row->key; row++) {
      if (row->flags & MB_LATER) {
        if (any)
          mb_text_add(t, ", ");
        else
          mb_text_format(t, "| %s | ", object->name);
        mb_text_format(t, "`%s`", row->key);
        any = true;
      }
    }
    if (any) mb_text_add(t, " |\n");
    if (object->later) {
      mb_text_format(t, "| %s, `%s` | ", object->name, object->selector);
      add_words(t, object->later);
      mb_text_add(t, " |\n");
    }
    for (const MbSchemaRow *row = object->rows; row->key; row++) {
      if (!row->later) continue;
      mb_text_format(t, "| %s, `%s` | ", object->name, row->key);
      add_words(t, row->later);
      mb_text_add(t, " |\n");
    }
  }
}

char *mb_schema_reference_of(const MbSchemaObject *root) {
  MbText t = {0};
  const MbSchemaWalk walk = mb_schema_walk(root);
  for (size_t i = 0; i < walk.count; i++) add_object(&t, walk.object[i]);
  if (root == &mb_schema_scene) add_reserved(&t, &walk);
  return mb_text_take(&t);
}

char *mb_schema_reference(void) { return mb_schema_reference_of(&mb_schema_scene); }
