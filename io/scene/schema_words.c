// Texts, names and words: how each is read, and what is said of one that is not known.
#include "io/scene/schema_read.h"
#include "io/json/json_fold.h"
#include "core/base/arena.h"
#include "io/json/json_text.h"

#include <stdio.h>
#include <string.h>

_Static_assert(sizeof(MbShapeKind) == sizeof(int) && sizeof(MbAxes) == sizeof(int), "words are read as int");

static bool keep(MbReader *r, const char *text, const char **out) {
  *out = mb_arena_strdup(r->arena, text);
  return *out ? true : mb_reader_no_memory(r);
}

// Every trajectory holds the scene in its head, so texts have a bound.
bool mb_read_text(MbReader *r, const cJSON *item, const char **out) {
  if (!cJSON_IsString(item)) return mb_reader_unwanted(r, item, "a text");
  const size_t n = strlen(item->valuestring);
  if (n > MB_TEXT_MOST)
    return mb_reader_error(r, "the text is %zu bytes long, wanted at most %d", n, MB_TEXT_MOST);
  return keep(r, item->valuestring, out);
}

// A name, as it will stand in tables and files.
static bool check_name(MbReader *r, const char *name) {
  enum { LONGEST = 200 };
  if (!*name) return mb_reader_error(r, "found an empty text, wanted a name");
  if (strlen(name) > LONGEST) return mb_reader_error(r, "the name is longer than %d bytes", LONGEST);
  for (const char *c = name; *c; c++)
    if ((unsigned char)*c < ' ' || *c == 127)
      return mb_reader_error(r, "the name has a control character in it");
  return true;
}

static bool add_name(MbReader *r, MbNameSet set, const char *name) {
  if (set == MB_NO_NAMES) return true;
  if (set == MB_BODY_NAMES && !strcmp(name, "world"))
    return mb_reader_error(r, "the name \"world\" is taken: it stands for what is fixed in space");
  if (mb_schema_names_has(&r->names[set], name))
    return mb_reader_error(r, "the name \"%s\" is there twice", name);
  const bool solid = set == MB_BODY_NAMES || set == MB_DEFORMABLE_NAMES;
  const bool added = mb_schema_names_add(&r->names[set], name) &&
                     (!solid || mb_schema_names_add(&r->names[MB_SOLID_NAMES], name));
  return added ? true : mb_reader_no_memory(r);
}

bool mb_read_name(MbReader *r, const MbSchemaRow *row, const cJSON *item, const char **out) {
  if (!cJSON_IsString(item)) return mb_reader_unwanted(r, item, "a name");
  return check_name(r, item->valuestring) && keep(r, item->valuestring, out) && add_name(r, row->set, *out);
}

static const char *const set_words[MB_NAME_SETS] = {
    "thing", "body", "material", "force", "constraint", "parameter", "deformable", "body or deformable"};

// A reference whose name has not been read yet.
struct MbReaderPending {
  MbReaderPending *next;
  const char *path, *name;
  MbNameSet set;
};

static bool unknown_name(MbReader *r, MbNameSet set, const char *name) {
  if (!mb_reader_listens(r)) return mb_reader_error(r, "unknown name");
  if (set == MB_BODY_NAMES && !strcmp(name, "world"))
    return mb_reader_error(r, "found \"world\", which is fixed in space; wanted the name of a body");
  char near[260];
  mb_reader_suggest(name, (const char *const *)r->names[set].list, near, sizeof near);
  return mb_reader_error(r, "there is no %s \"%.*s\"%s", set_words[set], (int)mb_text_cut(name, 200), name,
                         near);
}

bool mb_read_reference(MbReader *r, const MbSchemaRow *row, const cJSON *item, const char **out) {
  if (!cJSON_IsString(item)) return mb_reader_unwanted(r, item, "the name of a %s", set_words[row->set]);
  const char *const name = item->valuestring;
  const bool world = row->flags & MB_OR_WORLD && !strcmp(name, "world");
  const bool known = world || mb_schema_names_has(&r->names[row->set], name);
  if (!known && !(row->flags & MB_FORWARD)) return unknown_name(r, row->set, name);
  if (!keep(r, name, out) || known) return known;
  MbReaderPending *const one = mb_arena_alloc(r->arena, 1, sizeof *one);
  const char *const path = mb_arena_strdup(r->arena, r->path);
  if (!one || !path) return mb_reader_no_memory(r);
  *one = (MbReaderPending){.next = r->pending, .path = path, .name = *out, .set = row->set};
  r->pending = one;
  return true;
}

void mb_read_pending(MbReader *r) {
  for (const MbReaderPending *one = r->pending; one && !r->stopped; one = one->next) {
    if (mb_schema_names_has(&r->names[one->set], one->name)) continue;
    r->path_length = (size_t)snprintf(r->path, sizeof r->path, "%s", one->path);
    unknown_name(r, one->set, one->name);
  }
  mb_reader_leave(r, 0);
}

bool mb_read_references(MbReader *r, const MbSchemaRow *row, const cJSON *item, const char **out) {
  if (!cJSON_IsArray(item) || (size_t)cJSON_GetArraySize(item) != row->length)
    return mb_reader_unwanted(r, item, "a list of %zu names", row->length);
  bool fine = true;
  size_t i = 0;
  for (const cJSON *name = item->child; name; name = name->next, i++) {
    const MbReaderPlace place = mb_reader_enter_index(r, i);
    fine = mb_read_reference(r, row, name, &out[i]) && fine;
    mb_reader_leave(r, place);
  }
  return fine;
}

bool mb_read_reference_lists(MbReader *r, const MbSchemaRow *row, const cJSON *item, void *base) {
  if (!cJSON_IsArray(item)) return mb_reader_unwanted(r, item, "a list of lists of %zu names", row->length);
  const size_t n = (size_t)cJSON_GetArraySize(item);
  const char **names = mb_arena_alloc(r->arena, n, row->length * sizeof *names);
  if (!names) return mb_reader_no_memory(r);
  bool fine = true;
  size_t i = 0;
  for (const cJSON *list = item->child; list && !r->stopped; list = list->next, i++) {
    const MbReaderPlace place = mb_reader_enter_index(r, i);
    fine = mb_read_references(r, row, list, names + i * row->length) && fine;
    mb_reader_leave(r, place);
  }
  memcpy((char *)base + row->offset, &names, sizeof names);
  memcpy((char *)base + row->count, &n, sizeof n);
  return fine;
}

// Whole words, as many as there is room for, and where the others are told.
static void list_words(const char *const *words, char *out, size_t size) {
  static const char REST[] = ", ... (mbsim schema --reference tells all)";
  size_t n = 0;
  out[0] = 0;
  for (size_t i = 0; words[i]; i++) {
    const char *const comma = i ? ", " : "";
    if (n + strlen(comma) + strlen(words[i]) + 2 + sizeof REST > size) {
      snprintf(out + n, size - n, "%s", REST);
      return;
    }
    n += (size_t)snprintf(out + n, size - n, "%s\"%s\"", comma, words[i]);
  }
}

// Whether a word is one of a later version; "joint.*" stands for all that begin so.
static bool is_later(const char *const *later, const char *word) {
  for (; later && *later; later++) {
    const size_t n = strlen(*later);
    if (!strcmp(*later, word)) return true;
    if ((*later)[n - 1] == '*' && !strncmp(*later, word, n - 1)) return true;
  }
  return false;
}

bool mb_read_word(MbReader *r, const MbSchemaRow *row, const cJSON *item, int *out) {
  const bool or_bool = row->flags & MB_OR_BOOL;
  if (or_bool && cJSON_IsBool(item)) {
    *out = cJSON_IsTrue(item);
    return true;
  }
  for (int i = 0; row->words[i] && cJSON_IsString(item); i++) {
    if (strcmp(row->words[i], item->valuestring)) continue;
    *out = or_bool ? i + 2 : i;
    return true;
  }
  char list[480], near[64] = "";
  list_words(row->words, list, sizeof list);
  if (or_bool) {
    const size_t n = strlen(list);
    snprintf(list + n, sizeof list - n, ", true, false");
  }
  if (!cJSON_IsString(item)) return mb_reader_unwanted(r, item, "one of %s", list);
  if (is_later(row->later, item->valuestring))
    return mb_reader_error(r, "this version (%s) does not have \"%.*s\" yet; it has %s", mb_version(),
                           (int)mb_text_cut(item->valuestring, 60), item->valuestring, list);
  mb_reader_suggest(item->valuestring, row->words, near, sizeof near);
  return mb_reader_unwanted(r, item, "one of %s%s", list, near);
}

// A word with "*", where the name of a deformable may stand for it: "deformable.rope.position".
static bool is_named(MbReader *r, const MbSchemaRow *row, const cJSON *item) {
  if (!cJSON_IsString(item)) return false;
  const char *const text = item->valuestring;
  for (size_t i = 0; row->words[i]; i++) {
    const char *const star = strchr(row->words[i], '*');
    if (!star) continue;
    const size_t before = (size_t)(star - row->words[i]), after = strlen(star + 1), n = strlen(text);
    if (n <= before + after || strncmp(text, row->words[i], before) || strcmp(text + n - after, star + 1))
      continue;
    const size_t length = n - before - after;
    if (mb_schema_names_find(&r->names[MB_DEFORMABLE_NAMES], text + before, length) != SIZE_MAX) return true;
  }
  return false;
}

bool mb_read_words(MbReader *r, const MbSchemaRow *row, const cJSON *item, void *base) {
  if (!cJSON_IsArray(item)) return mb_reader_unwanted(r, item, "a list of words");
  const size_t n = (size_t)cJSON_GetArraySize(item);
  const char **const words = mb_arena_alloc(r->arena, n, sizeof *words);
  if (!words) return mb_reader_no_memory(r);
  bool fine = true;
  size_t i = 0, count = 0;
  for (const cJSON *word = item->child; word; word = word->next, i++) {
    const MbReaderPlace place = mb_reader_enter_index(r, i);
    int index = 0;
    const char *known = NULL;
    if (is_named(r, row, word))
      fine = keep(r, word->valuestring, &known) && fine;
    else if (mb_read_word(r, row, word, &index))
      known = row->words[index];
    else
      fine = false;
    bool twice = false;
    for (size_t k = 0; k < count && known; k++) twice |= !strcmp(words[k], known);
    if (twice)
      fine = mb_reader_error(r, "\"%s\" is there twice", known);
    else if (known)
      words[count++] = known;
    mb_reader_leave(r, place);
  }
  memcpy((char *)base + row->offset, &words, sizeof words);
  memcpy((char *)base + row->count, &count, sizeof count);
  return fine;
}

// 0, the word of a preset, or an object of bounds.
bool mb_read_error(MbReader *r, const MbSchemaRow *row, const cJSON *item, double *out) {
  if (cJSON_IsObject(item)) return mb_read_object(r, row->object, item, out);
  if (cJSON_IsNumber(item) && item->valuedouble == 0) return true;
  if (cJSON_IsString(item)) {
    for (int i = 0; row->words[i]; i++) {
      if (strcmp(row->words[i], item->valuestring)) continue;
      memcpy(out, mb_error_bounds[i], sizeof mb_error_bounds[i]);
      return true;
    }
  }
  return mb_reader_unwanted(
      r, item,
      "0 (lossless), \"fine\", \"view\", or bounds by what is measured, as {\"pose\": 1e-6, "
      "\"velocity\": 1e-4}");
}
