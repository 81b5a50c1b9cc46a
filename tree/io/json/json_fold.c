#include "io/json/json_fold.h"
#include "core/base/alloc.h"

// ---- what is folded ---------------------------------------------------------------------------------------------
// A node of cJSON that refers to its text: the type says that the text is not the node's own, the number how long it is.

static const int FOLDED = cJSON_Raw | cJSON_IsReference;

bool mb_json_is_folded(const cJSON *item) { return item && item->type == FOLDED; }

cJSON *mb_json_read_folded(const cJSON *item) {
  return cJSON_ParseWithLength(item->valuestring, (size_t)item->valuedouble);
}

bool mb_json_unfold(cJSON *item) {
  if (!mb_json_is_folded(item)) return true;
  cJSON *const object = mb_json_read_folded(item);
  if (!object) return false;
  item->type = object->type;
  item->child = object->child;
  item->valuestring = NULL;
  item->valuedouble = 0;
  object->child = NULL;
  cJSON_Delete(object);
  return true;
}

static cJSON *fold_text(const char *text, size_t length) {
  cJSON *const item = cJSON_CreateNull();
  if (!item) return NULL;
  item->type = FOLDED;
  item->valuestring = (char *)(uintptr_t)text; // read only
  item->valuedouble = (double)length;
  return item;
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

static bool add_element(MbJsonFold *fold, cJSON *item) {
  const bool fine = item && cJSON_AddItemToArray(fold->list, item);
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
    if (!closes) fold->begin = s->start;
    if (token == MB_JSON_ARRAY) {
      cJSON *const list = cJSON_CreateArray();
      if (!add_member(fold, s, list)) return false;
      fold->list = list;
      return true;
    }
    if (token == MB_JSON_ARRAY_END) fold->list = NULL;
    return opens || token == MB_JSON_ARRAY_END ? true : add_member(fold, s, tree_of(fold, s));
  }
  if (depth == 2 && fold->list) {
    if (!closes) fold->begin = s->start;
    if (token == MB_JSON_OBJECT_END)
      return add_element(fold, fold_text(s->text + fold->begin, s->at - fold->begin));
    return opens ? true : add_element(fold, tree_of(fold, s));
  }
  return true;
}

void mb_json_fold_token(MbJsonFold *fold, const MbJsonScan *scan, MbJsonToken token) {
  if (fold->failed || take(fold, scan, token)) return;
  cJSON_Delete(fold->root);
  *fold = (MbJsonFold){.failed = true};
}
