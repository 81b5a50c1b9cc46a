// The schema table as a JSON Schema (draft 2020-12), for editors and for validators that are not ours.
#include "io/json/json_text.h"
#include "io/scene/scene.h"
#include "io/scene/schema_walk.h"
#include "core/base/alloc.h"

#include <string.h>

static void add_words(MbText *t, const char *const *words) {
  mb_text_add(t, "[");
  for (size_t i = 0; words[i]; i++) {
    if (i) mb_text_add(t, ",");
    mb_text_quoted(t, words[i]);
  }
  mb_text_add(t, "]");
}

// Words with "*", for which a name may stand.
static void add_patterns(MbText *t, const char *const *words) {
  for (size_t i = 0; words[i]; i++) {
    const char *const star = strchr(words[i], '*');
    if (!star) continue;
    mb_text_add(t, ",{\"pattern\":\"^");
    for (const char *c = words[i]; *c; c++)
      mb_text_format(t, *c == '*' ? ".+" : *c == '.' ? "[.]" : "%c", *c);
    mb_text_add(t, "$\"}");
  }
}

static void add_reference(MbText *t, const MbSchemaObject *object) {
  mb_text_format(t, "{\"$ref\":\"#/$defs/%s\"}", object->name);
}

static void add_bound(MbText *t, const char *key, double value) {
  mb_text_format(t, ",\"%s\":", key);
  mb_text_number(t, value);
}

// A number within the row's bounds, or an expression.
static void add_number(MbText *t, const MbSchemaRow *row) {
  const bool whole = row->type == MB_TYPE_INTEGER || row->type == MB_TYPE_COUNT;
  mb_text_format(t, "{\"anyOf\":[{\"type\":\"%s\"", whole ? "integer" : "number");
  if (row->bound == MB_ABOVE) add_bound(t, "exclusiveMinimum", row->lo);
  if (row->bound == MB_FROM || row->bound == MB_BETWEEN) add_bound(t, "minimum", row->lo);
  if (row->bound == MB_BETWEEN) add_bound(t, "maximum", row->hi);
  mb_text_add(t, "},{\"$ref\":\"#/$defs/expression\"}]}");
}

static void add_numbers(MbText *t, const MbSchemaRow *row, size_t least, size_t most) {
  mb_text_add(t, "{\"type\":\"array\",\"items\":");
  add_number(t, row);
  mb_text_format(t, ",\"minItems\":%zu", least);
  if (most) mb_text_format(t, ",\"maxItems\":%zu", most);
  mb_text_add(t, "}");
}

// What a value may be, without default and description.
static void add_type(MbText *t, const MbSchemaRow *row) {
  switch (row->type) {
  case MB_TYPE_VERSION:
    mb_text_format(t, "{\"const\":%g}", row->lo);
    break;
  case MB_TYPE_NUMBER:
  case MB_TYPE_INTEGER:
  case MB_TYPE_COUNT:
    add_number(t, row);
    break;
  case MB_TYPE_BOOL:
    mb_text_add(t, "{\"type\":\"boolean\"}");
    break;
  case MB_TYPE_TEXT:
    mb_text_add(t, "{\"type\":\"string\"}");
    break;
  case MB_TYPE_NAME:
    mb_text_add(t, "{\"type\":\"string\",\"minLength\":1,\"maxLength\":200");
    if (row->set == MB_BODY_NAMES) mb_text_add(t, ",\"not\":{\"const\":\"world\"}");
    mb_text_add(t, "}");
    break;
  case MB_TYPE_REFERENCE:
  case MB_TYPE_MESH:
  case MB_TYPE_ELEMENTS:
    mb_text_add(t, "{\"type\":\"string\",\"minLength\":1}");
    break;
  case MB_TYPE_WORD:
    mb_text_add(t, "{\"enum\":");
    add_words(t, row->words);
    mb_text_add(t, "}");
    break;
  case MB_TYPE_WORDS:
    mb_text_add(t, "{\"type\":\"array\",\"uniqueItems\":true,\"items\":{\"anyOf\":[{\"enum\":");
    add_words(t, row->words);
    mb_text_add(t, "}");
    add_patterns(t, row->words);
    mb_text_add(t, "]}}");
    break;
  case MB_TYPE_NUMBERS:
    add_numbers(t, row, row->length, row->length);
    break;
  case MB_TYPE_DIRECTION:
    add_numbers(t, row, 3, 3);
    break;
  case MB_TYPE_DIRECTIONS:
    mb_text_format(t, "{\"type\":\"array\",\"minItems\":%zu,\"maxItems\":%zu,\"items\":", row->length,
                   row->length);
    add_numbers(t, row, 3, 3);
    mb_text_add(t, "}");
    break;
  case MB_TYPE_SEQUENCE:
    if (row->flags & MB_SINGLE) {
      mb_text_add(t, "{\"anyOf\":[");
      add_number(t, row);
      mb_text_add(t, ",");
    }
    add_numbers(t, row, 1, 0);
    if (row->object) {
      mb_text_add(t, ",");
      add_reference(t, row->object);
    }
    if (row->flags & MB_SINGLE) mb_text_add(t, "]}");
    break;
  case MB_TYPE_CORNERS:
    mb_text_add(t, "{\"type\":\"array\",\"minItems\":2,\"maxItems\":2,\"items\":");
    add_numbers(t, row, 3, 3);
    mb_text_add(t, "}");
    break;
  case MB_TYPE_GRIDS:
    mb_text_add(t, "{\"type\":\"array\",\"minItems\":6,\"maxItems\":6,\"items\":{\"type\":\"array\","
                   "\"minItems\":4,\"items\":");
    add_numbers(t, row, 4, 0);
    mb_text_add(t, "}}");
    break;
  case MB_TYPE_ROTATION:
    mb_text_add(t, "{\"$ref\":\"#/$defs/rotation\"}");
    break;
  case MB_TYPE_SIGNAL:
    mb_text_add(t, "{\"$ref\":\"#/$defs/signal\"}");
    break;
  case MB_TYPE_SIGNALS:
    mb_text_add(t,
                "{\"type\":\"array\",\"items\":{\"$ref\":\"#/$defs/signal\"},\"minItems\":3,\"maxItems\":3}");
    break;
  case MB_TYPE_SIGNAL_LIST:
    mb_text_format(t,
                   "{\"anyOf\":[{\"$ref\":\"#/$defs/signal\"},{\"type\":\"array\",\"minItems\":1,\"items\":"
                   "{\"anyOf\":[%s{\"$ref\":\"#/$defs/signal\"}]}}]}",
                   row->flags & MB_NULLS ? "{\"type\":\"null\"}," : "");
    break;
  case MB_TYPE_LIMITS:
    mb_text_add(t, "{\"anyOf\":[{\"$ref\":\"#/$defs/limit\"},{\"type\":\"array\",\"minItems\":1,\"items\":"
                   "{\"anyOf\":[{\"type\":\"null\"},{\"$ref\":\"#/$defs/limit\"}]}}]}");
    break;
  case MB_TYPE_REFERENCES:
    mb_text_format(t,
                   "{\"type\":\"array\",\"items\":{\"type\":\"string\",\"minLength\":1},\"minItems\":%zu,"
                   "\"maxItems\":%zu}",
                   row->length, row->length);
    break;
  case MB_TYPE_OBJECT:
    add_reference(t, row->object);
    break;
  case MB_TYPE_LIST:
    mb_text_add(t, "{\"type\":\"array\",\"items\":");
    add_reference(t, row->object);
    if (row->length) mb_text_format(t, ",\"minItems\":%zu,\"maxItems\":%zu", row->length, row->length);
    mb_text_add(t, "}");
    break;
  case MB_TYPE_ONE_OR_LIST:
    mb_text_add(t, "{\"anyOf\":[");
    add_reference(t, row->object);
    mb_text_add(t, ",{\"type\":\"array\",\"items\":");
    add_reference(t, row->object);
    mb_text_add(t, "}]}");
    break;
  case MB_TYPE_PARAMETERS:
    mb_text_add(t, "{\"type\":\"object\",\"propertyNames\":{\"pattern\":\"^(_|[A-Za-z][A-Za-z0-9_]*$)\"},"
                   "\"patternProperties\":{\"^_\":{}},\"additionalProperties\":");
    add_number(t, row);
    mb_text_add(t, "}");
    break;
  case MB_TYPE_MAP:
    mb_text_add(t, "{\"type\":\"object\",\"patternProperties\":{\"^_\":{}},\"additionalProperties\":");
    add_reference(t, row->object);
    mb_text_add(t, "}");
    break;
  case MB_TYPE_ERROR:
    mb_text_add(t, "{\"anyOf\":[{\"const\":0},{\"enum\":");
    add_words(t, row->words);
    mb_text_add(t, "},");
    add_reference(t, row->object);
    mb_text_add(t, "]}");
    break;
  case MB_TYPES:
    break;
  }
}

static void add_property(MbText *t, const MbSchemaRow *row) {
  mb_text_quoted(t, row->key);
  mb_text_add(t, ":");
  add_type(t, row);
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

// An object, or one variant of it.
static void add_object(MbText *t, const MbSchemaObject *object, int variant) {
  const MbSchemaRow *const more = variant >= 0 && object->variants ? object->variants[variant] : NULL;
  mb_text_add(t, "{\"type\":\"object\",\"description\":");
  mb_text_quoted(t, variant >= 0 ? object->variant_help[variant] : object->help);
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
  const char *const fallback = object->selector_fallback;
  if (variant >= 0 && !(fallback && !strcmp(fallback, object->words[variant]))) {
    mb_text_quoted(t, object->selector);
    first = false;
  }
  add_required(t, object->rows, &first);
  add_required(t, more, &first);
  mb_text_add(t, "],\"patternProperties\":{\"^_\":{}},\"additionalProperties\":false");
  if (object->one_of_both)
    mb_text_format(t, ",\"oneOf\":[{\"required\":[\"%s\"]},{\"required\":[\"%s\"]}]", object->either,
                   object->or_else);
  else if (object->either)
    mb_text_format(t, ",\"not\":{\"required\":[\"%s\",\"%s\"]}", object->either, object->or_else);
  for (size_t i = 0; object->one_of && object->one_of[i]; i++)
    mb_text_format(t, "%s{\"required\":[\"%s\"]}%s", i ? "," : ",\"oneOf\":[", object->one_of[i],
                   object->one_of[i + 1] ? "" : "]");
  mb_text_add(t, "}");
}

static void add_definition(MbText *t, const MbSchemaObject *object) {
  mb_text_format(t, ",\"%s\":", object->name);
  if (!object->selector) {
    add_object(t, object, -1);
    return;
  }
  mb_text_add(t, "{\"description\":");
  mb_text_quoted(t, object->help);
  mb_text_add(t, ",\"oneOf\":[");
  if (object->bare) {
    mb_text_add(t, "{\"enum\":");
    add_words(t, object->words);
    mb_text_add(t, "},");
  }
  for (int v = 0; object->words[v]; v++) {
    if (v) mb_text_add(t, ",");
    add_object(t, object, v);
  }
  mb_text_add(t, "]}");
}

// Values that may be written in several ways.
static const char values[] =
    "\"expression\":{\"type\":\"string\",\"pattern\":\"^=\",\"description\":\"an expression over the "
    "parameters: "
    "\\\"=2*length\\\"\"},"
    "\"number\":{\"anyOf\":[{\"type\":\"number\"},{\"$ref\":\"#/$defs/expression\"}]},"
    "\"row\":{\"type\":\"array\",\"items\":{\"$ref\":\"#/$defs/number\"},\"minItems\":3,\"maxItems\":3},"
    "\"rotation\":{\"anyOf\":[{\"type\":\"array\",\"items\":{\"$ref\":\"#/$defs/"
    "number\"},\"minItems\":4,\"maxItems\":4,"
    "\"description\":\"a unit quaternion w x y z\"},"
    "{\"type\":\"array\",\"items\":{\"$ref\":\"#/$defs/row\"},\"minItems\":3,\"maxItems\":3,"
    "\"description\":\"the rows of a rotation matrix\"},"
    "{\"$ref\":\"#/$defs/axis_angle\"},{\"$ref\":\"#/$defs/euler\"}]},"
    "\"limit\":{\"description\":\"[lo, hi], null where it is open\",\"type\":\"array\",\"minItems\":2,"
    "\"maxItems\":2,\"items\":{\"anyOf\":[{\"type\":\"null\"},{\"$ref\":\"#/$defs/number\"}]}},"
    "\"signal\":{\"description\":\"a value over time; expressions may use "
    "t\",\"anyOf\":[{\"$ref\":\"#/$defs/number\"},"
    "{\"$ref\":\"#/$defs/signal_table\"}]}";

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

char *mb_schema_json(void) {
  MbText t = {0};
  mb_text_add(
      &t, "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"title\":\"mbsim scene, version "
          "1\",\"$ref\":\"#/$defs/scene\",\"$defs\":{");
  mb_text_add(&t, values);
  const MbSchemaWalk walk = mb_schema_walk();
  for (size_t i = 0; i < walk.count; i++) add_definition(&t, walk.object[i]);
  mb_text_add(&t, "}}");
  char *const compact = mb_text_take(&t);
  if (!compact) return NULL;
  MbText pretty = {0};
  indent(&pretty, compact);
  mb_free(compact);
  return mb_text_take(&pretty);
}
