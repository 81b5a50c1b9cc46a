// What values may be, as JSON Schema. A number is one or an expression: a text must be an expression, and all else a number.
#include "io/scene/schema_print.h"

#include <string.h>

void mb_schema_print_words(MbText *t, const char *const *words) {
  mb_text_add(t, "[");
  for (size_t i = 0; words[i]; i++) {
    if (i) mb_text_add(t, ",");
    mb_text_quoted(t, words[i]);
  }
  mb_text_add(t, "]");
}

static void add_reference(MbText *t, const char *name) {
  mb_text_format(t, "{\"$ref\":\"#/$defs/%s\"}", name);
}

static void add_bound(MbText *t, const char *key, double value) {
  mb_text_format(t, ",\"%s\":", key);
  mb_text_number(t, value);
}

// A number within the row's bounds, or an expression.
static void add_number(MbText *t, const MbSchemaRow *row) {
  const bool whole = row->type == MB_TYPE_INTEGER || row->type == MB_TYPE_COUNT || row->flags & MB_WHOLE;
  const bool from_zero = !whole && row->lo == 0;
  const char *const common = !whole && row->bound == MB_UNBOUND    ? "number"
                             : from_zero && row->bound == MB_ABOVE ? "positive"
                             : from_zero && row->bound == MB_FROM  ? "nonnegative"
                                                                   : NULL;
  if (common) {
    add_reference(t, common);
    return;
  }
  mb_text_format(
      t, "{\"if\":{\"type\":\"string\"},\"then\":{\"$ref\":\"#/$defs/expression\"},\"else\":{\"type\":\"%s\"",
      whole ? "integer" : "number");
  if (row->bound == MB_ABOVE) add_bound(t, "exclusiveMinimum", row->lo);
  if (row->bound == MB_FROM || row->bound == MB_BETWEEN) add_bound(t, "minimum", row->lo);
  if (row->bound == MB_BETWEEN) add_bound(t, "maximum", row->hi);
  if (row->bound == MB_NOT_ZERO) mb_text_add(t, ",\"not\":{\"const\":0}");
  mb_text_add(t, "}}");
}

// How many elements: 0 = no bound.
static void add_count(MbText *t, size_t least, size_t most) {
  if (least) mb_text_format(t, ",\"minItems\":%zu", least);
  if (most) mb_text_format(t, ",\"maxItems\":%zu", most);
}

static void add_numbers(MbText *t, const MbSchemaRow *row, size_t least, size_t most) {
  mb_text_add(t, "{\"type\":\"array\",\"items\":");
  add_number(t, row);
  add_count(t, least, most);
  mb_text_add(t, "}");
}

static void add_direction(MbText *t, const MbSchemaRow *row) {
  mb_text_add(t, "{\"type\":\"array\",\"items\":");
  add_number(t, row);
  mb_text_add(t, ",\"minItems\":3,\"maxItems\":3,\"not\":{\"const\":[0,0,0]}}");
}

static void add_objects(MbText *t, const MbSchemaRow *row) {
  mb_text_add(t, "{\"type\":\"array\",\"items\":");
  add_reference(t, row->object->name);
  add_count(t, row->length ? row->length : row->least, row->length ? row->length : row->most);
  mb_text_add(t, "}");
}

// One of the words, or one with "*" for which a name stands.
static void add_word_list(MbText *t, const char *const *words) {
  bool first = true;
  mb_text_add(
      t, "{\"type\":\"array\",\"uniqueItems\":true,\"items\":{\"type\":\"string\",\"if\":{\"pattern\":\"^(");
  for (size_t i = 0; words[i]; i++) {
    if (!strchr(words[i], '*')) continue;
    mb_text_add(t, first ? "" : "|");
    first = false;
    for (const char *c = words[i]; *c; c++)
      mb_text_format(t, *c == '*' ? ".+" : *c == '.' ? "[.]" : "%c", *c);
  }
  mb_text_add(t, ")$\"},\"else\":{\"enum\":");
  mb_schema_print_words(t, words);
  mb_text_add(t, "}}}");
}

static void add_text(MbText *t, const MbSchemaRow *row) {
  if (row->words) {
    mb_text_add(t, "{\"enum\":");
    mb_schema_print_words(t, row->words);
    mb_text_add(t, "}");
    return;
  }
  mb_text_format(t, "{\"type\":\"string\",\"maxLength\":%d", MB_TEXT_MOST);
  if (row->pattern) mb_text_add(t, ",\"pattern\":"), mb_text_quoted(t, row->pattern);
  mb_text_add(t, "}");
}

static void add_name(MbText *t, const MbSchemaRow *row) {
  mb_text_add(t, "{\"type\":\"string\",\"minLength\":1");
  if (row->type == MB_TYPE_NAME) mb_text_add(t, ",\"maxLength\":200");
  if (row->type == MB_TYPE_NAME && row->set == MB_BODY_NAMES)
    mb_text_add(t, ",\"not\":{\"const\":\"world\"}");
  mb_text_add(t, "}");
}

static void add_signals(MbText *t, const MbSchemaRow *row) {
  mb_text_add(t, "{\"if\":{\"type\":\"array\"},\"then\":{\"type\":\"array\",\"minItems\":1,\"items\":");
  if (row->flags & MB_NULLS) mb_text_add(t, "{\"if\":{\"not\":{\"type\":\"null\"}},\"then\":");
  add_reference(t, "signal");
  mb_text_add(t, row->flags & MB_NULLS ? "}}," : "},");
  mb_text_add(t, "\"else\":{\"$ref\":\"#/$defs/signal\"}}");
}

// Of lists of numbers and of objects.
static void add_list(MbText *t, const MbSchemaRow *row) {
  switch (row->type) {
  case MB_TYPE_SEQUENCE:
    if (row->flags & MB_SINGLE) mb_text_add(t, "{\"if\":{\"type\":\"array\"},\"then\":");
    add_numbers(t, row, row->least ? row->least : 1, row->most);
    if (!(row->flags & MB_SINGLE)) break;
    mb_text_add(t, ",\"else\":");
    if (row->object) {
      mb_text_format(
          t, "{\"if\":{\"type\":\"object\"},\"then\":{\"$ref\":\"#/$defs/%s\"},\"else\":", row->object->name);
      add_number(t, row);
      mb_text_add(t, "}");
    } else {
      add_number(t, row);
    }
    mb_text_add(t, "}");
    break;
  case MB_TYPE_DIRECTIONS:
    mb_text_add(t, "{\"type\":\"array\",\"items\":");
    add_direction(t, row);
    add_count(t, row->length, row->length);
    mb_text_add(t, "}");
    break;
  case MB_TYPE_POINTS:
    mb_text_format(t, "{\"type\":\"array\",\"minItems\":%zu,\"items\":", row->least);
    add_numbers(t, row, 3, 3);
    mb_text_add(t, "}");
    break;
  case MB_TYPE_CORNERS:
    mb_text_add(t, "{\"type\":\"array\",\"minItems\":2,\"maxItems\":2,\"items\":");
    add_numbers(t, row, 3, 3);
    mb_text_add(t, "}");
    break;
  case MB_TYPE_COLOR:
    add_numbers(t, row, 3, 4);
    break;
  case MB_TYPE_GRIDS:
    mb_text_add(t, "{\"type\":\"array\",\"minItems\":6,\"maxItems\":6,\"items\":{\"type\":\"array\","
                   "\"minItems\":4,\"items\":");
    add_numbers(t, row, 4, 0);
    mb_text_add(t, "}}");
    break;
  case MB_TYPE_ONE_OR_LIST:
    mb_text_add(t, "{\"if\":{\"type\":\"array\"},\"then\":");
    add_objects(t, row);
    mb_text_add(t, ",\"else\":");
    add_reference(t, row->object->name);
    mb_text_add(t, "}");
    break;
  case MB_TYPE_PARAMETERS:
  case MB_TYPE_MAP:
    mb_text_add(t, "{\"type\":\"object\",\"patternProperties\":{\"^_\":true},\"additionalProperties\":");
    add_reference(t, row->type == MB_TYPE_MAP ? row->object->name : "number");
    if (row->type == MB_TYPE_PARAMETERS)
      mb_text_add(t, ",\"propertyNames\":{\"pattern\":\"^(_|[A-Za-z][A-Za-z0-9_]*$)\"}");
    mb_text_add(t, "}");
    break;
  default:
    add_objects(t, row);
  }
}

void mb_schema_print_value(MbText *t, const MbSchemaRow *row) {
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
    add_text(t, row);
    break;
  case MB_TYPE_NAME:
  case MB_TYPE_REFERENCE:
  case MB_TYPE_MESH:
  case MB_TYPE_ELEMENTS:
    add_name(t, row);
    break;
  case MB_TYPE_WORD:
    if (row->flags & MB_OR_BOOL) {
      mb_text_add(t, "{\"enum\":[true,false");
      for (size_t i = 0; row->words[i]; i++) mb_text_format(t, ",\"%s\"", row->words[i]);
      mb_text_add(t, "]}");
      break;
    }
    mb_text_add(t, "{\"enum\":");
    mb_schema_print_words(t, row->words);
    mb_text_add(t, "}");
    break;
  case MB_TYPE_WORDS:
    add_word_list(t, row->words);
    break;
  case MB_TYPE_NUMBERS:
    add_numbers(t, row, row->length, row->length);
    break;
  case MB_TYPE_DIRECTION:
    add_direction(t, row);
    break;
  case MB_TYPE_ROTATION:
    add_reference(t, "rotation");
    break;
  case MB_TYPE_SIGNAL:
    add_reference(t, "signal");
    break;
  case MB_TYPE_SIGNALS:
    mb_text_add(t,
                "{\"type\":\"array\",\"items\":{\"$ref\":\"#/$defs/signal\"},\"minItems\":3,\"maxItems\":3}");
    break;
  case MB_TYPE_SIGNAL_LIST:
    add_signals(t, row);
    break;
  case MB_TYPE_LIMITS:
    add_reference(t, "limits");
    break;
  case MB_TYPE_REFERENCES:
    mb_text_add(t, "{\"type\":\"array\",\"items\":");
    add_name(t, row);
    add_count(t, row->length, row->length);
    mb_text_add(t, "}");
    break;
  case MB_TYPE_REFERENCE_LISTS:
    mb_text_add(t, "{\"type\":\"array\",\"items\":{\"type\":\"array\",\"items\":");
    add_name(t, row);
    add_count(t, row->length, row->length);
    mb_text_add(t, "}}");
    break;
  case MB_TYPE_OBJECT:
    if (row->flags & MB_OR_BOOL) mb_text_add(t, "{\"if\":{\"not\":{\"type\":\"boolean\"}},\"then\":");
    add_reference(t, row->object->name);
    if (row->flags & MB_OR_BOOL) mb_text_add(t, "}");
    break;
  case MB_TYPE_ERROR:
    mb_text_format(t,
                   "{\"if\":{\"type\":\"object\"},\"then\":{\"$ref\":\"#/$defs/%s\"},\"else\":{\"enum\":[0",
                   row->object->name);
    for (size_t i = 0; row->words[i]; i++) mb_text_format(t, ",\"%s\"", row->words[i]);
    mb_text_add(t, "]}}");
    break;
  case MB_TYPE_TEXTS:
  case MB_TYPE_VALUES:
    mb_text_format(t, "{\"type\":\"object\",\"patternProperties\":{\"^_\":true},\"additionalProperties\":%s}",
                   row->type == MB_TYPE_TEXTS ? "{\"type\":\"string\"}" : "{\"not\":{\"type\":\"object\"}}");
    break;
  case MB_TYPE_LIST:
  case MB_TYPE_ONE_OR_LIST:
  case MB_TYPE_SEQUENCE:
  case MB_TYPE_DIRECTIONS:
  case MB_TYPE_POINTS:
  case MB_TYPE_CORNERS:
  case MB_TYPE_COLOR:
  case MB_TYPE_GRIDS:
  case MB_TYPE_PARAMETERS:
  case MB_TYPE_MAP:
    add_list(t, row);
    break;
  case MB_TYPES:
    break;
  }
}

static const char numbers[] =
    "\"expression\":{\"description\":\"an expression over the parameters: \\\"=2*length\\\"\","
    "\"type\":\"string\",\"pattern\":\"^=\"},"
    "\"number\":{\"if\":{\"type\":\"string\"},\"then\":{\"$ref\":\"#/$defs/expression\"},"
    "\"else\":{\"type\":\"number\"}},"
    "\"positive\":{\"if\":{\"type\":\"string\"},\"then\":{\"$ref\":\"#/$defs/expression\"},"
    "\"else\":{\"type\":\"number\",\"exclusiveMinimum\":0}},"
    "\"nonnegative\":{\"if\":{\"type\":\"string\"},\"then\":{\"$ref\":\"#/$defs/expression\"},"
    "\"else\":{\"type\":\"number\",\"minimum\":0}}";
static const char shared[] =
    ",\"row\":{\"type\":\"array\",\"items\":{\"$ref\":\"#/$defs/number\"},\"minItems\":3,\"maxItems\":3},"
    "\"rotation\":{\"if\":{\"type\":\"array\"},"
    "\"then\":{\"type\":\"array\",\"if\":{\"contains\":{\"type\":\"array\"}},"
    "\"then\":{\"description\":\"the rows of a rotation "
    "matrix\",\"items\":{\"$ref\":\"#/$defs/row\"},\"minItems\":3,\"maxItems\":3},"
    "\"else\":{\"description\":\"a unit quaternion w x y "
    "z\",\"items\":{\"$ref\":\"#/$defs/number\"},\"minItems\":4,\"maxItems\":4}},"
    "\"else\":{\"if\":{\"type\":\"object\",\"properties\":{\"euler\":true},\"required\":[\"euler\"]},"
    "\"then\":{\"$ref\":\"#/$defs/euler\"},\"else\":{\"$ref\":\"#/$defs/axis_angle\"}}},"
    "\"limit\":{\"description\":\"[lo, hi], null where it is "
    "open\",\"type\":\"array\",\"minItems\":2,\"maxItems\":2,"
    "\"items\":{\"if\":{\"not\":{\"type\":\"null\"}},\"then\":{\"$ref\":\"#/$defs/number\"}}},"
    "\"limits\":{\"type\":\"array\",\"minItems\":1,\"if\":{\"contains\":{\"type\":\"array\"}},"
    "\"then\":{\"items\":{\"if\":{\"not\":{\"type\":\"null\"}},\"then\":{\"$ref\":\"#/$defs/limit\"}}},"
    "\"else\":{\"$ref\":\"#/$defs/limit\"}},"
    "\"signal\":{\"description\":\"a value over time; expressions may use t\",\"if\":{\"type\":\"object\"},"
    "\"then\":{\"$ref\":\"#/$defs/signal_table\"},\"else\":{\"$ref\":\"#/$defs/number\"}}";

void mb_schema_print_numbers(MbText *t) { mb_text_add(t, numbers); }

void mb_schema_print_shared(MbText *t) {
  mb_text_add(t, numbers);
  mb_text_add(t, shared);
}
