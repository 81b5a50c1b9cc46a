// Defaults, and lists and maps of objects.
#include "io/scene/schema_read.h"
#include "core/base/alloc.h"
#include "io/json/json_text.h"
#include "core/base/arena.h"
#include "io/json/json_fold.h"
#include "io/json/json_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- defaults ---------------------------------------------------------------------------------------------

static bool fill_defaults(MbReader *r, const MbSchemaObject *object, void *base);

// One key's default: what its row says, or what stands for "not given".
static bool fill_row(MbReader *r, const MbSchemaRow *row, void *base) {
  void *const at = (char *)base + row->offset;
  if (row->flags & MB_LATER) return true;
  if (row->fallback) {
    cJSON *const item = cJSON_Parse(row->fallback);
    if (!item) return mb_reader_no_memory(r);
    const bool fine = mb_read_row(r, row, item, base);
    cJSON_Delete(item);
    return fine;
  }
  if (row->flags & MB_APART) return true;
  if (row->type == MB_TYPE_OBJECT) return fill_defaults(r, row->object, at);
  if (row->type == MB_TYPE_NUMBER) *(double *)at = NAN;
  if (row->type == MB_TYPE_INTEGER) *(int64_t *)at = row->absent;
  return true;
}

static bool fill_defaults(MbReader *r, const MbSchemaObject *object, void *base) {
  if (object->start) memcpy(base, object->start, object->size);
  if (object->selector_fallback) {
    int index = 0;
    while (strcmp(object->words[index], object->selector_fallback)) index++;
    memcpy((char *)base + object->selector_offset, &index, sizeof index);
  }
  for (const MbSchemaRow *row = object->rows; row->key; row++)
    if (!fill_row(r, row, base)) return false;
  for (size_t v = 0; object->variants && object->words[v]; v++)
    for (const MbSchemaRow *row = object->variants[v].rows; row && row->key; row++)
      if (!row->own && !fill_row(r, row, base)) return false;
  return true;
}

static bool fill_own(MbReader *r, const MbSchemaVariant *variant, void *own) {
  for (const MbSchemaRow *row = variant->rows; row && row->key; row++)
    if (row->own && !fill_row(r, row, own)) return false;
  return true;
}

// The defaults of an object, or of what a variant has of its own (else NULL), made once.
static const void *defaults_of(MbReader *r, const MbSchemaObject *object, const MbSchemaVariant *variant) {
  const void *const of = variant ? (const void *)variant : object;
  MbReaderDefaults *const defaults = r->defaults ? r->defaults : &r->own;
  size_t i = 0;
  while (i < MB_READER_OBJECTS && defaults->made[i].of && defaults->made[i].of != of) i++;
  if (i < MB_READER_OBJECTS && defaults->made[i].of) return defaults->made[i].bytes;
  MbArena *const arena = r->arena;
  // what is kept outlives the reading
  if (r->defaults && i < MB_READER_OBJECTS) r->arena = &r->defaults->arena;
  void *const bytes = mb_arena_alloc(r->arena, 1, variant ? variant->own : object->size);
  const bool made = bytes && (variant ? fill_own(r, variant, bytes) : fill_defaults(r, object, bytes));
  r->arena = arena;
  if (!bytes) return mb_reader_no_memory(r), NULL;
  if (!made) return NULL;
  // others may have been made on the way
  while (i < MB_READER_OBJECTS && defaults->made[i].of) i++;
  if (i < MB_READER_OBJECTS) {
    defaults->made[i].of = of;
    defaults->made[i].bytes = bytes;
  }
  return bytes;
}

const void *mb_read_defaults(MbReader *r, const MbSchemaObject *object) {
  return defaults_of(r, object, NULL);
}

void *mb_read_own(MbReader *r, const MbSchemaObject *object, const MbSchemaVariant *variant, void *base) {
  const void *const defaults = defaults_of(r, object, variant);
  void *const own = defaults ? mb_arena_alloc(r->arena, 1, variant->own) : NULL;
  if (!own) return mb_reader_no_memory(r), NULL;
  memcpy(own, defaults, variant->own);
  memcpy((char *)base + object->parameters, &own, sizeof own);
  return own;
}

void *mb_read_place_apart(MbReader *r, const MbSchemaObject *object, void *at) {
  const void *const defaults = mb_read_defaults(r, object);
  void *const made = defaults ? mb_arena_alloc(r->arena, 1, object->size) : NULL;
  if (!made) return mb_reader_no_memory(r), NULL;
  memcpy(made, defaults, object->size);
  memcpy(at, &made, sizeof made);
  return made;
}

// ---- lists and maps ---------------------------------------------------------------------------------------

// Room for `n` objects with their defaults, put where the row says.
static char *make_objects(MbReader *r, const MbSchemaRow *row, size_t n, void *base) {
  const size_t size = row->object->size;
  const void *const defaults = mb_read_defaults(r, row->object);
  char *const objects = defaults ? mb_arena_alloc(r->arena, n, size) : NULL;
  if (!objects) return mb_reader_no_memory(r), NULL;
  for (size_t i = 0; i < n; i++) memcpy(objects + i * size, defaults, size);
  memcpy((char *)base + row->offset, &objects, sizeof objects);
  memcpy((char *)base + row->count, &n, sizeof n);
  return objects;
}

bool mb_read_list(MbReader *r, const MbSchemaRow *row, const cJSON *item, void *base) {
  const bool many = mb_json_is_list(item);
  if (!many && row->type == MB_TYPE_LIST) return mb_reader_unwanted(r, item, "a list");
  if (!many && !cJSON_IsObject(item))
    return mb_reader_unwanted(r, item, "an object (%s) or a list of them", row->object->name);
  const size_t n = many ? mb_json_list_size(item) : 1;
  if (row->length && n != row->length)
    return mb_reader_unwanted(r, item, "a list of %zu objects (%s)", row->length, row->object->name);
  char what[64];
  snprintf(what, sizeof what, "objects (%s)", row->object->name);
  if (many && !mb_read_count(r, row, item, what)) return false;
  char *const objects = make_objects(r, row, n, base);
  if (!objects) return false;
  if (!many) return mb_read_object(r, row->object, item, objects);

  if (row->type == MB_TYPE_ONE_OR_LIST) *(bool *)((char *)base + row->extra) = true;
  bool fine = true;
  size_t i = 0;
  MbJsonElements elements = mb_json_elements(item);
  for (const cJSON *element; !r->stopped && (element = mb_json_next_element(&elements)); i++) {
    const MbReaderPlace place = mb_reader_enter_index(r, i);
    fine = mb_read_object(r, row->object, element, objects + i * row->object->size) && fine;
    mb_reader_leave(r, place);
  }
  if (elements.failed) return mb_reader_no_memory(r);
  mb_json_leave_elements(&elements);
  return fine;
}

static size_t members(const cJSON *item) {
  size_t n = 0;
  for (const cJSON *member = item->child; member; member = member->next) n += member->string[0] != '_';
  return n;
}

bool mb_read_map(MbReader *r, const MbSchemaRow *row, const cJSON *item, void *base) {
  if (!cJSON_IsObject(item)) return mb_reader_unwanted(r, item, "an object of %s by name", row->key);
  char *object = make_objects(r, row, members(item), base);
  if (!object) return false;
  bool fine = true;
  for (const cJSON *member = item->child; member && !r->stopped; member = member->next) {
    if (member->string[0] == '_') continue;
    char *const name = mb_arena_strdup(r->arena, member->string);
    if (!name || !mb_schema_names_add(&r->names[row->set], name)) return mb_reader_no_memory(r);
    memcpy(object + row->extra, &name, sizeof name);
    if (!*name) fine = mb_reader_key_error(r, "", "a name is empty");
    const MbReaderPlace place = mb_reader_enter(r, name);
    fine = mb_read_object(r, row->object, member, object) && fine;
    mb_reader_leave(r, place);
    object += row->object->size;
  }
  return fine;
}

// A value as it stands on the command line: texts in lists are words or, after "=", expressions.
static bool add_value(MbReader *r, MbText *text, const cJSON *item, bool listed) {
  if (cJSON_IsObject(item) && !listed)
    return mb_reader_unwanted(r, item, "values: a text as on the command line, a number, a word or a list");
  if (cJSON_IsString(item) && (!listed || item->valuestring[0] == '='))
    mb_text_add(text, item->valuestring);
  else
    mb_text_json(text, item);
  return true;
}

static bool add_values(MbReader *r, const MbSchemaRow *row, MbText *text, const cJSON *item) {
  if (row->type == MB_TYPE_TEXTS && !cJSON_IsString(item)) return mb_reader_unwanted(r, item, "a text");
  if (!cJSON_IsArray(item)) return add_value(r, text, item, false);
  if (!item->child) return mb_reader_unwanted(r, item, "values");
  bool fine = true;
  size_t i = 0;
  for (const cJSON *element = item->child; element; element = element->next, i++) {
    const MbReaderPlace place = mb_reader_enter_index(r, i);
    if (i) mb_text_add(text, ",");
    fine = add_value(r, text, element, true) && fine;
    mb_reader_leave(r, place);
  }
  return fine;
}

bool mb_read_texts(MbReader *r, const MbSchemaRow *row, const cJSON *item, void *base) {
  if (!cJSON_IsObject(item)) return mb_reader_unwanted(r, item, "an object of %s by name", row->key);
  MbNamedText *const list = mb_arena_alloc(r->arena, members(item), sizeof *list);
  if (!list) return mb_reader_no_memory(r);
  bool fine = true;
  size_t count = 0;
  for (const cJSON *member = item->child; member; member = member->next) {
    if (member->string[0] == '_') continue;
    MbText text = {0};
    const MbReaderPlace place = mb_reader_enter(r, member->string);
    fine = add_values(r, row, &text, member) && fine;
    mb_reader_leave(r, place);
    char *const made = mb_text_take(&text);
    list[count].name = mb_arena_strdup(r->arena, member->string);
    list[count].text = made ? mb_arena_strdup(r->arena, made) : NULL;
    mb_free(made);
    if (!list[count].name || !list[count].text) return mb_reader_no_memory(r);
    count++;
  }
  memcpy((char *)base + row->offset, &list, sizeof list);
  memcpy((char *)base + row->count, &count, sizeof count);
  return fine;
}

// Named numbers, each of which may use those before it.
bool mb_read_parameters(MbReader *r, const MbSchemaRow *row, const cJSON *item, void *base) {
  if (!cJSON_IsObject(item)) return mb_reader_unwanted(r, item, "an object of numbers by name");
  const size_t n = members(item);
  MbParameterSpec *const parameters = mb_arena_alloc(r->arena, n, sizeof *parameters);
  r->constants = mb_arena_alloc(r->arena, n, sizeof *r->constants);
  if (!parameters || !r->constants) return mb_reader_no_memory(r);
  bool fine = true;
  size_t count = 0;
  for (const cJSON *member = item->child; member && !r->stopped; member = member->next) {
    const char *const key = member->string;
    if (key[0] == '_') continue;
    bool taken = false;
    for (size_t i = 0; mb_expression_words[i]; i++) taken |= !strcmp(mb_expression_words[i], key);
    if (taken || !mb_expression_is_name(key)) {
      fine = mb_reader_key_error(r, key,
                                 taken ? "a parameter cannot be called \"%.*s\": expressions know it already"
                                       : "a parameter cannot be called \"%.*s\": wanted at most 63 letters, "
                                         "digits and \"_\", beginning with a letter",
                                 (int)mb_text_cut(key, 60), key);
      continue;
    }
    double value = 0;
    const MbReaderPlace place = mb_reader_enter(r, key);
    r->parameter = member;
    // one that is wrong is known all the same, so that what uses it is not an error too
    if (!mb_read_number(r, member, &value)) {
      fine = false;
      value = 1;
    }
    r->parameter = NULL;
    mb_reader_leave(r, place);
    const char *const name = mb_arena_strdup(r->arena, key);
    if (!name || !mb_schema_names_add(&r->names[MB_PARAMETER_NAMES], name)) return mb_reader_no_memory(r);
    parameters[count] = (MbParameterSpec){name, value};
    r->constants[count++] = (MbConstant){name, value};
    r->nconstants = count;
  }
  memcpy((char *)base + row->offset, &parameters, sizeof parameters);
  memcpy((char *)base + row->count, &count, sizeof count);
  return fine;
}
