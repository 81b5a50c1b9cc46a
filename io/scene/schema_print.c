// The schema table as a JSON Schema (draft 2020-12), for editors and for validators that are not ours. Choices are made by
// `if` and never by trying: what a value is decides which schema it must meet, so that one mistake is one error. The values
// are in schema_print_values.c.
#include "io/scene/schema_print.h"
#include "core/base/alloc.h"
#include "io/scene/scene.h"
#include "io/scene/schema_walk.h"

#include <string.h>

static void add_property(MbText *t, const MbSchemaRow *row) {
  mb_text_quoted(t, row->key);
  mb_text_add(t, ":");
  mb_schema_print_value(t, row);
  if (!t->failed) t->length--; // the closing brace, for what else is to be said
  mb_text_add(t, ",\"description\":");
  MbText help = {0};
  mb_text_add(&help, row->help);
  if (row->unit) mb_text_format(&help, " [%s]", row->unit);
  char *const line = mb_text_take(&help);
  if (line)
    mb_text_quoted(t, line);
  else
    t->failed = true;
  mb_free(line);
  if (row->fallback) mb_text_format(t, ",\"default\":%s", row->fallback);
  mb_text_add(t, "}");
}

static void add_properties(MbText *t, const MbSchemaRow *rows, bool *first) {
  for (const MbSchemaRow *row = rows; row && row->key; row++) {
    if (row->flags & MB_LATER) continue;
    if (!*first) mb_text_add(t, ",");
    *first = false;
    add_property(t, row);
  }
}

static void add_required(MbText *t, const MbSchemaRow *rows, bool *first) {
  for (const MbSchemaRow *row = rows; row && row->key; row++) {
    if (!(row->flags & MB_REQUIRED)) continue;
    if (!*first) mb_text_add(t, ",");
    *first = false;
    mb_text_quoted(t, row->key);
  }
}

// "where `key` is there"
static void add_if(MbText *t, const char *key) {
  mb_text_format(t, "\"if\":{\"properties\":{\"%s\":true},\"required\":[\"%s\"]}", key, key);
}

// Of a list of keys at most one is there; if one must be, the last where no other is.
static void add_one_of(MbText *t, const char *const *keys, bool must) {
  if (!keys[1]) {
    if (must) mb_text_format(t, "\"properties\":{\"%s\":true},\"required\":[\"%s\"]", keys[0], keys[0]);
    return;
  }
  add_if(t, keys[0]);
  mb_text_add(t, ",\"then\":{\"properties\":{");
  for (size_t i = 1; keys[i]; i++) mb_text_format(t, "%s\"%s\":false", i > 1 ? "," : "", keys[i]);
  mb_text_add(t, "}}");
  if (!keys[2] && !must) return;
  mb_text_add(t, ",\"else\":{");
  add_one_of(t, keys + 1, must);
  mb_text_add(t, "}");
}

// Keys that stand beside others only.
static void add_needs(MbText *t, const MbSchemaRow *rows) {
  bool any = false;
  for (const MbSchemaRow *row = rows; row && row->key; row++) {
    if (!row->needs) continue;
    mb_text_format(t, "%s\"%s\":[\"%s\"]", any ? "," : ",\"dependentRequired\":{", row->key, row->needs);
    any = true;
  }
  if (any) mb_text_add(t, "}");
}

// An object, or one variant of it.
static void add_object(MbText *t, const MbSchemaObject *object, int variant) {
  const MbSchemaRow *const more = variant >= 0 && object->variants ? object->variants[variant].rows : NULL;
  mb_text_add(t, "{\"type\":\"object\",\"description\":");
  mb_text_quoted(t, variant >= 0 ? object->variants[variant].help : object->help);
  mb_text_add(t, ",\"properties\":{");
  bool first = true;
  if (variant >= 0) {
    mb_text_format(t, "\"%s\":{\"const\":\"%s\"}", object->selector, object->words[variant]);
    first = false;
  }
  add_properties(t, object->rows, &first);
  add_properties(t, more, &first);
  mb_text_add(t, "},\"required\":[");
  first = true;
  add_required(t, object->rows, &first);
  add_required(t, more, &first);
  mb_text_add(t, "],\"patternProperties\":{\"^_\":true},\"additionalProperties\":false");
  add_needs(t, object->rows);
  const char *const pair[] = {object->either, object->or_else, NULL};
  if (object->either || object->one_of) {
    mb_text_add(t, ",");
    add_one_of(t, object->one_of ? object->one_of : pair, object->one_of || object->one_of_both);
  }
  mb_text_add(t, "}");
}

// Which variant it must be, by the selector's word; where that is missing or wrong this alone is an error.
static void add_choice(MbText *t, const MbSchemaObject *object) {
  const char *const fallback = object->selector_fallback;
  mb_text_format(t, "\"type\":\"object\",\"properties\":{\"%s\":{\"enum\":", object->selector);
  mb_schema_print_words(t, object->words);
  mb_text_add(t, "}}");
  if (!fallback) mb_text_format(t, ",\"required\":[\"%s\"]", object->selector);
  mb_text_add(t, ",\"allOf\":[");
  for (size_t v = 0; object->words[v]; v++) {
    const bool absent = fallback && !strcmp(fallback, object->words[v]);
    mb_text_format(t, "%s{\"if\":{\"type\":\"object\",\"properties\":{\"%s\":{\"const\":\"%s\"}}",
                   v ? "," : "", object->selector, object->words[v]);
    if (!absent) mb_text_format(t, ",\"required\":[\"%s\"]", object->selector);
    mb_text_format(t, "},\"then\":{\"$ref\":\"#/$defs/%s_%s\"}}", object->name, object->words[v]);
  }
  mb_text_add(t, "]");
}

static void add_definition(MbText *t, const MbSchemaObject *object) {
  mb_text_format(t, ",\"%s\":", object->name);
  if (!object->selector) {
    add_object(t, object, -1);
    return;
  }
  mb_text_add(t, "{\"description\":");
  mb_text_quoted(t, object->help);
  mb_text_add(t, ",");
  if (object->bare) {
    mb_text_add(t, "\"if\":{\"type\":\"string\"},\"then\":{\"enum\":");
    mb_schema_print_words(t, object->words);
    mb_text_add(t, "},\"else\":{");
  }
  add_choice(t, object);
  mb_text_add(t, object->bare ? "}}" : "}");
  for (int v = 0; object->words[v]; v++) {
    mb_text_format(t, ",\"%s_%s\":", object->name, object->words[v]);
    add_object(t, object, v);
  }
}

// The same JSON with line breaks: objects over several lines, lists of plain values on one.
static void indent(MbText *out, const char *json) {
  size_t depth = 0;
  bool text = false;
  char open[64]; // brackets
  for (const char *c = json; *c; c++) {
    if (text) {
      mb_text_add_n(out, c, 1);
      if (*c == '\\')
        mb_text_add_n(out, ++c, 1);
      else if (*c == '"')
        text = false;
      continue;
    }
    const bool empty = (*c == '{' && c[1] == '}') || (*c == '[' && c[1] == ']');
    bool breaks = false;
    if ((*c == '{' || *c == '[') && !empty && depth < sizeof open)
      open[depth++] = *c == '[' && c[1] != '{' ? 'i' : 'b';
    if (*c == '}' || *c == ']') {
      const bool was_empty = c > json && (c[-1] == '{' || c[-1] == '[');
      if (!was_empty && depth && open[--depth] == 'b') mb_text_format(out, "\n%*s", (int)depth * 2, "");
      mb_text_add_n(out, c, 1);
      continue;
    }
    if ((*c == '{' || *c == '[') && !empty) breaks = depth && open[depth - 1] == 'b';
    if (*c == ',') breaks = depth && open[depth - 1] == 'b';
    mb_text_add_n(out, c, 1);
    if (breaks)
      mb_text_format(out, "\n%*s", (int)depth * 2, "");
    else if (*c == ',' || *c == ':')
      mb_text_add(out, " ");
    text = *c == '"';
  }
  mb_text_add(out, "\n");
}

char *mb_schema_json_of(const MbSchemaObject *root) {
  MbText t = {0};
  mb_text_format(&t,
                 "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"$id\":\"urn:mbsim:%s:1\","
                 "\"title\":\"mbsim %s, version 1\",\"$ref\":\"#/$defs/%s\",\"$defs\":{",
                 root->name, root->name, root->name);
  if (root == &mb_schema_scene)
    mb_schema_print_shared(&t);
  else
    mb_schema_print_numbers(&t);
  const MbSchemaWalk walk = mb_schema_walk(root);
  for (size_t i = 0; i < walk.count; i++) add_definition(&t, walk.object[i]);
  mb_text_add(&t, "}}");
  char *const compact = mb_text_take(&t);
  if (!compact) return NULL;
  MbText pretty = {0};
  indent(&pretty, compact);
  mb_free(compact);
  return mb_text_take(&pretty);
}

char *mb_schema_json(void) { return mb_schema_json_of(&mb_schema_scene); }
