#include "io/json/json_fold.h"
#include "core/base/alloc.h"

#include <string.h>

// ---- what is folded ---------------------------------------------------------------------------------------------
// A node of cJSON that refers to its text: the type says that the text is not the node's own, the number how long it is, the
// whole number how many elements a list has.

static const int FOLDED = cJSON_Raw | cJSON_IsReference;

bool mb_json_is_folded(const cJSON *item) { return item && item->type == FOLDED; }

cJSON *mb_json_read_folded(const cJSON *item) {
  return cJSON_ParseWithLength(item->valuestring, (size_t)item->valuedouble);
}

static void fold_into(cJSON *item, const char *text, size_t length, size_t elements) {
  item->type = FOLDED;
  item->valuestring = (char *)(uintptr_t)text; // read only
  item->valuedouble = (double)length;
  item->valueint = (int)elements;
}

static cJSON *fold_text(const char *text, size_t length, size_t elements) {
  cJSON *const item = cJSON_CreateNull();
  if (item) fold_into(item, text, length, elements);
  return item;
}

// ---- lists ------------------------------------------------------------------------------------------------------

static bool is_folded_list(const cJSON *item) {
  return mb_json_is_folded(item) && item->valuestring[0] == '[';
}

bool mb_json_is_list(const cJSON *item) { return cJSON_IsArray(item) || is_folded_list(item); }

size_t mb_json_list_size(const cJSON *list) {
  return (size_t)(mb_json_is_folded(list) ? list->valueint : cJSON_GetArraySize(list));
}

// The next object of a folded list, whose text is known to be in order, from behind the one before it or the bracket; NULL
// behind the last one.
static const char *next_object(const char *at) {
  while (*at != '{' && *at != ']') at++;
  return *at == '{' ? at : NULL;
}

static const char *behind_object(const char *at) {
  int depth = 0;
  do {
    if (*at == '"')
      for (at++; *at != '"'; at++) at += *at == '\\';
    depth += (*at == '{') - (*at == '}');
    at++;
  } while (depth);
  return at;
}

MbJsonElements mb_json_elements(const cJSON *list) {
  if (is_folded_list(list)) return (MbJsonElements){.text = list->valuestring + 1};
  return (MbJsonElements){.item = list ? list->child : NULL};
}

void mb_json_leave_elements(MbJsonElements *elements) {
  cJSON_Delete(elements->tree);
  *elements = (MbJsonElements){.failed = elements->failed};
}

const cJSON *mb_json_next_element(MbJsonElements *elements) {
  cJSON_Delete(elements->tree);
  elements->tree = NULL;
  const cJSON *element = elements->item;
  if (elements->text) {
    const char *const begin = next_object(elements->text);
    elements->text = begin ? behind_object(begin) : NULL;
    if (begin) elements->tree = cJSON_ParseWithLength(begin, (size_t)(elements->text - begin));
    elements->failed = begin && !elements->tree;
    element = elements->tree;
  } else if (element) {
    elements->item = element->next;
    if (mb_json_is_folded(element)) {
      element = elements->tree = mb_json_read_folded(element);
      elements->failed = !element;
    }
  }
  if (!element) mb_json_leave_elements(elements);
  return element;
}

// ---- unfolding --------------------------------------------------------------------------------------------------

static cJSON *list_of_folded(const cJSON *item) {
  cJSON *const list = cJSON_CreateArray();
  for (const char *at = next_object(item->valuestring + 1); list && at;) {
    const char *const end = behind_object(at);
    cJSON *const element = fold_text(at, (size_t)(end - at), 0);
    if (!element || !cJSON_AddItemToArray(list, element)) {
      cJSON_Delete(element);
      cJSON_Delete(list);
      return NULL;
    }
    at = next_object(end);
  }
  return list;
}

bool mb_json_unfold(cJSON *item) {
  if (!mb_json_is_folded(item)) return true;
  cJSON *const value = is_folded_list(item) ? list_of_folded(item) : mb_json_read_folded(item);
  if (!value) return false;
  item->type = value->type;
  item->child = value->child;
  item->valuestring = NULL;
  item->valuedouble = 0;
  item->valueint = 0;
  value->child = NULL;
  cJSON_Delete(value);
  return true;
}

// ---- from tokens ------------------------------------------------------------------------------------------------

static char *key_text(const MbJsonScan *s) {
  const MbJsonLevel *const level = &s->level[0];
  char *const key = mb_calloc(level->key_length + 4, 1); // what is unescaped is no longer
  size_t n = 0;
  for (size_t at = level->key; key && at < level->key + level->key_length;)
    n += mb_json_unescape(s->text, level->key + level->key_length, &at, key + n);
  return key;
}

static bool add_member(MbJsonFold *fold, const MbJsonScan *s, cJSON *item) {
  char *const key = key_text(s);
  const bool fine = key && item && cJSON_AddItemToObject(fold->root, key, item);
  mb_free(key);
  if (!fine) cJSON_Delete(item);
  return fine;
}

// The value that has just ended, as a tree.
static cJSON *tree_of(const MbJsonFold *fold, const MbJsonScan *s) {
  return cJSON_ParseWithLength(s->text + fold->begin, s->at - fold->begin);
}

// The outermost value is no object, and small: nobody has a use for it.
static bool take_whole(MbJsonFold *fold, const MbJsonScan *s) {
  fold->root = tree_of(fold, s);
  return fold->root != NULL;
}

static bool take(MbJsonFold *fold, const MbJsonScan *s, MbJsonToken token) {
  const bool opens = token == MB_JSON_OBJECT || token == MB_JSON_ARRAY;
  const bool closes = token == MB_JSON_OBJECT_END || token == MB_JSON_ARRAY_END;
  if (token == MB_JSON_KEY || token == MB_JSON_END || token == MB_JSON_WRONG) return true;
  const size_t depth = s->depth - opens; // of the value that begins or ends here
  const bool object = s->level[0].object;
  if (depth == 0 && opens && object) return (fold->root = cJSON_CreateObject()) != NULL;
  if (depth == 0) {
    if (!closes) fold->begin = s->start;
    return opens || fold->root ? true : take_whole(fold, s);
  }
  if (!object) return true;

  if (depth == 1) {
    if (!closes) {
      fold->begin = s->start;
      fold->elements = 0;
      fold->objects = token == MB_JSON_ARRAY;
    }
    if (opens) return true;
    const bool folds = fold->objects && fold->elements;
    return add_member(fold, s,
                      folds ? fold_text(s->text + fold->begin, s->at - fold->begin, fold->elements)
                            : tree_of(fold, s));
  }
  if (depth == 2 && !closes) {
    fold->elements++;
    fold->objects = fold->objects && token == MB_JSON_OBJECT;
  }
  return true;
}

void mb_json_fold_token(MbJsonFold *fold, const MbJsonScan *scan, MbJsonToken token) {
  if (fold->failed || take(fold, scan, token)) return;
  cJSON_Delete(fold->root);
  *fold = (MbJsonFold){.failed = true};
}
