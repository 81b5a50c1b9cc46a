// Where a reader is, what it says, and how it reads an object.
#include "io/scene/schema_read.h"
#include "io/json/json_fold.h"
#include "io/json/json_text.h"
#include "io/scene/scene_override.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { ROWS_MOST = 48 }; // of an object and its variant

// ---- where we are -----------------------------------------------------------------------------------------

static void append(MbReader *r, char c) {
  if (r->path_length + 1 < sizeof r->path) {
    r->path[r->path_length] = c;
    r->path[r->path_length + 1] = 0;
  }
  r->path_length++;
}

MbReaderPlace mb_reader_enter(MbReader *r, const char *key) {
  const MbReaderPlace place = r->path_length;
  append(r, '/');
  for (; *key; key++) {
    if (*key != '~' && *key != '/') {
      append(r, *key);
    } else {
      append(r, '~');
      append(r, *key == '~' ? '0' : '1');
    }
  }
  return place;
}

MbReaderPlace mb_reader_enter_index(MbReader *r, size_t index) {
  char digits[24] = "", *first = digits + sizeof digits - 1;
  do *--first = (char)('0' + index % 10);
  while (index /= 10);
  return mb_reader_enter(r, first);
}

void mb_reader_leave(MbReader *r, MbReaderPlace place) {
  r->path_length = place;
  if (place < sizeof r->path) r->path[place] = 0;
}

// ---- what is wrong ----------------------------------------------------------------------------------------

bool mb_reader_listens(const MbReader *r) { return r->report->errors < MB_REPORT_MAX; }

bool mb_reader_no_memory(MbReader *r) {
  if (!r->stopped) r->status = mb_no_memory(r->report, "a scene");
  r->stopped = true;
  return false;
}

static bool add_error(MbReader *r, bool key, const char *format, va_list args) {
  char text[640];
  vsnprintf(text, sizeof text, format, args);
  if (!r->status) r->status = MB_SCENE;
  int line = 0, column = 0;
  const bool overridden = mb_scene_overridden(r->overridden, r->noverridden, r->path);
  if (!overridden && r->text && mb_reader_listens(r))
    mb_json_locate(r->text, r->length, r->path, key, &line, &column);
  mb_error_at(r->report, MB_SCENE, line, column, r->path, "%s%s", text,
              overridden ? MB_SET_ON_COMMAND_LINE : "");
  return false;
}

bool mb_reader_error(MbReader *r, const char *format, ...) {
  va_list args;
  va_start(args, format);
  add_error(r, false, format, args);
  va_end(args);
  return false;
}

bool mb_reader_key_error(MbReader *r, const char *key, const char *format, ...) {
  const MbReaderPlace place = mb_reader_enter(r, key);
  va_list args;
  va_start(args, format);
  add_error(r, true, format, args);
  va_end(args);
  mb_reader_leave(r, place);
  return false;
}

static void describe(const cJSON *item, char *out, size_t size) {
  if (cJSON_IsString(item)) {
    const size_t cut = mb_text_cut(item->valuestring, 40);
    snprintf(out, size, "\"%.*s%s\"", (int)cut, item->valuestring, item->valuestring[cut] ? "..." : "");
  } else if (cJSON_IsNumber(item)) {
    snprintf(out, size, "%.10g", item->valuedouble);
  } else if (cJSON_IsBool(item)) {
    snprintf(out, size, "%s", cJSON_IsTrue(item) ? "true" : "false");
  } else if (mb_json_is_list(item)) {
    const size_t n = mb_json_list_size(item);
    if (n)
      snprintf(out, size, "a list of %zu", n);
    else
      snprintf(out, size, "an empty list");
  } else {
    snprintf(out, size, cJSON_IsObject(item) ? "an object" : "null");
  }
}

bool mb_reader_unwanted(MbReader *r, const cJSON *item, const char *format, ...) {
  char found[160], wanted[560];
  describe(item, found, sizeof found);
  va_list args;
  va_start(args, format);
  vsnprintf(wanted, sizeof wanted, format, args);
  va_end(args);
  return mb_reader_error(r, "found %s, wanted %s", found, wanted);
}

void mb_reader_suggest(const char *word, const char *const *words, char *out, size_t size) {
  const char *const near = words ? mb_nearest_word(word, words) : NULL;
  out[0] = 0;
  if (near) snprintf(out, size, " (did you mean \"%s\"?)", near);
}

// ---- objects ----------------------------------------------------------------------------------------------

static const char *words_text(const char *const *words, char *out, size_t size) {
  size_t n = 0;
  out[0] = 0;
  for (size_t i = 0; words && words[i] && n < size; i++)
    n += (size_t)snprintf(out + n, size - n, "%s%s", i ? ", " : "", words[i]);
  return out;
}

static int word_index(const char *const *words, const char *word) {
  for (int i = 0; words && words[i]; i++)
    if (!strcmp(words[i], word)) return i;
  return -1;
}

// The rows that an object of a kind has: its own, then its variant's.
static size_t collect(const MbSchemaObject *object, int variant, const MbSchemaRow *rows[ROWS_MOST]) {
  size_t n = 0;
  for (const MbSchemaRow *row = object->rows; row->key && n < ROWS_MOST; row++) rows[n++] = row;
  const MbSchemaRow *row = variant >= 0 && object->variants ? object->variants[variant].rows : NULL;
  for (; row && row->key && n < ROWS_MOST; row++) rows[n++] = row;
  return n;
}

// Which variant an object is, by its selector; -1 after an error.
static int read_selector(MbReader *r, const MbSchemaObject *object, const cJSON *item) {
  const cJSON *const word =
      cJSON_IsObject(item) ? cJSON_GetObjectItemCaseSensitive(item, object->selector) : item;
  const int known = cJSON_IsString(word) ? word_index(object->words, word->valuestring) : -1;
  if (known >= 0) return known;
  char list[300];
  words_text(object->words, list, sizeof list);
  if (!word) {
    if (object->selector_fallback) return word_index(object->words, object->selector_fallback);
    mb_reader_error(r, "the key \"%s\" is missing: one of %s", object->selector, list);
    return -1;
  }
  const MbReaderPlace place = word == item ? r->path_length : mb_reader_enter(r, object->selector);
  if (!cJSON_IsString(word)) {
    mb_reader_unwanted(r, word, "one of %s", list);
  } else {
    char near[64];
    mb_reader_suggest(word->valuestring, object->words, near, sizeof near);
    if (word_index(object->later, word->valuestring) >= 0)
      mb_reader_error(r, "this version (%s) does not have the %s \"%s\" yet; it has %s", mb_version(),
                      object->name, word->valuestring, list);
    else
      mb_reader_unwanted(r, word, "one of %s%s", list, near);
  }
  mb_reader_leave(r, place);
  return -1;
}

static void unknown_key(MbReader *r, const MbSchemaObject *object, int variant, const char *key,
                        const MbSchemaRow *const *rows, size_t n) {
  for (const MbSchemaHint *hint = object->hints; hint && hint->key; hint++)
    if (!strcmp(hint->key, key)) {
      mb_reader_key_error(r, key, "unknown key \"%s\": %s", key, hint->instead);
      return;
    }
  const char *words[ROWS_MOST + 2];
  size_t m = 0;
  if (object->selector) words[m++] = object->selector;
  for (size_t i = 0; i < n; i++)
    if (!(rows[i]->flags & MB_LATER)) words[m++] = rows[i]->key;
  words[m] = NULL;
  char near[64], list[360];
  mb_reader_suggest(key, words, near, sizeof near);
  const char *const kind = object->selector && variant >= 0 ? object->words[variant] : NULL;
  mb_reader_key_error(r, key, "unknown key \"%.*s\"%s; %s%s%s%s has %s", (int)mb_text_cut(key, 40), key, near,
                      object->name, kind ? " \"" : "", kind ? kind : "", kind ? "\"" : "",
                      words_text(words, list, sizeof list));
}

// Whether a key belongs to any variant: asked where it is not known which one the object is.
static bool in_some_variant(const MbSchemaObject *object, const char *key) {
  for (size_t v = 0; object->variants && object->words[v]; v++)
    for (const MbSchemaRow *row = object->variants[v].rows; row && row->key; row++)
      if (!strcmp(row->key, key)) return true;
  return false;
}

// Sorts an object's members by row; what has no row, or one of a later version, is an error.
static bool assign(MbReader *r, const MbSchemaObject *object, int variant, const cJSON *item,
                   const MbSchemaRow *const *rows, size_t n, const cJSON **members) {
  bool fine = true;
  for (const cJSON *member = item->child; member; member = member->next) {
    const char *const key = member->string;
    if (key[0] == '_' || (object->selector && !strcmp(key, object->selector))) continue;
    size_t i = 0;
    while (i < n && strcmp(rows[i]->key, key)) i++;
    if (i == n) {
      if (object->selector && variant < 0 && in_some_variant(object, key)) continue;
      if (mb_reader_listens(r))
        unknown_key(r, object, variant, key, rows, n);
      else
        mb_reader_error(r, "unknown key");
      fine = false;
    } else if (!(rows[i]->flags & MB_LATER)) {
      members[i] = member;
    } else if (!(rows[i]->type == MB_TYPE_LIST && cJSON_IsArray(member) && !member->child)) {
      fine = mb_reader_key_error(r, key, "this version (%s) does not have \"%s\" yet (%s)", mb_version(), key,
                                 rows[i]->help);
    }
  }
  return fine;
}

// Exactly one of several keys.
static bool check_one_of(MbReader *r, const MbSchemaObject *object, const cJSON *item) {
  const char *first = NULL, *second = NULL;
  for (const char *const *key = object->one_of; *key; key++) {
    if (!cJSON_GetObjectItemCaseSensitive(item, *key)) continue;
    if (!first)
      first = *key;
    else if (!second)
      second = *key;
  }
  char list[300];
  if (second)
    return mb_reader_error(r, "\"%s\" and \"%s\" exclude each other: give one of them", first, second);
  return first ? true
               : mb_reader_error(r, "one of %s is missing", words_text(object->one_of, list, sizeof list));
}

// What stands beside others only.
static bool check_needs(MbReader *r, const cJSON *item, const MbSchemaRow *const *rows, size_t n,
                        const cJSON *const *members) {
  bool fine = true;
  for (size_t i = 0; i < n; i++)
    if (members[i] && rows[i]->needs && !cJSON_GetObjectItemCaseSensitive(item, rows[i]->needs))
      fine = mb_reader_key_error(r, rows[i]->key, "\"%s\" stands beside \"%s\", which is missing",
                                 rows[i]->key, rows[i]->needs);
  return fine;
}

static bool check_pair(MbReader *r, const MbSchemaObject *object, const cJSON *item) {
  if (object->one_of) return check_one_of(r, object, item);
  if (!object->either) return true;
  const bool a = cJSON_GetObjectItemCaseSensitive(item, object->either);
  const bool b = cJSON_GetObjectItemCaseSensitive(item, object->or_else);
  if (a && b)
    return mb_reader_error(r, "\"%s\" and \"%s\" exclude each other: give one of them", object->either,
                           object->or_else);
  if (!a && !b && object->one_of_both)
    return mb_reader_error(r, "one of \"%s\" and \"%s\" is missing", object->either, object->or_else);
  return true;
}

bool mb_read_object(MbReader *r, const MbSchemaObject *object, const cJSON *item, void *base) {
  if (!cJSON_IsObject(item) && !(object->bare && cJSON_IsString(item)))
    return mb_reader_unwanted(r, item, object->bare ? "a word or an object (%s)" : "an object (%s)",
                              object->name);
  int variant = -1;
  void *own = NULL; // struct of what the variant alone has
  if (object->selector) {
    variant = read_selector(r, object, item);
    if (variant >= 0) memcpy((char *)base + object->selector_offset, &variant, sizeof variant);
    if (variant >= 0 && object->variants && object->variants[variant].own &&
        !(own = mb_read_own(r, object, &object->variants[variant], base)))
      return false;
    if (cJSON_IsString(item)) return variant >= 0;
  }

  const MbSchemaRow *rows[ROWS_MOST];
  const cJSON *members[ROWS_MOST] = {NULL};
  const size_t n = collect(object, variant, rows);
  bool fine = assign(r, object, variant, item, rows, n, members) && (variant >= 0 || !object->selector);
  for (size_t i = 0; i < n && !r->stopped; i++) {
    if (members[i]) {
      const MbReaderPlace place = mb_reader_enter(r, rows[i]->key);
      fine = mb_read_row(r, rows[i], members[i], rows[i]->own ? own : base) && fine;
      mb_reader_leave(r, place);
    } else if (rows[i]->flags & MB_REQUIRED) {
      fine = mb_reader_error(r, "the key \"%s\" is missing (%s)", rows[i]->key, rows[i]->help);
    }
  }
  return check_pair(r, object, item) && check_needs(r, item, rows, n, members) && fine;
}
