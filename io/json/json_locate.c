// JSON pointers (RFC 6901): into the text, into the tree.
#include "io/json/json_fold.h"
#include "core/base/alloc.h"
#include "core/base/report.h"

#include <stdio.h>
#include <string.h>

// One part of a pointer, as it stands there ("~1" for "/").
typedef struct Part {
  const char *text;
  size_t length;
} Part;

// Splits a pointer; how many parts, or -1 when it is none or has too many.
static int split(const char *pointer, Part parts[MB_JSON_DEPTH]) {
  int n = 0;
  if (*pointer && *pointer != '/') return -1;
  while (*pointer) {
    const char *const begin = pointer + 1;
    const size_t length = strcspn(begin, "/");
    if (n == MB_JSON_DEPTH) return -1;
    parts[n++] = (Part){begin, length};
    pointer = begin + length;
  }
  return n;
}

// The next byte of a part with its escapes undone, -1 at its end.
static int next_byte(const Part *part, size_t *at) {
  if (*at >= part->length) return -1;
  const unsigned char c = (unsigned char)part->text[(*at)++];
  if (c != '~' || *at >= part->length) return c;
  const char e = part->text[*at];
  if (e != '0' && e != '1') return c;
  ++*at;
  return e == '0' ? '~' : '/';
}

static bool part_is_key(const Part *part, const char *key) {
  size_t at = 0;
  for (;; key++) {
    const int c = next_byte(part, &at);
    if (c < 0) return !*key;
    if (c != (unsigned char)*key) return false;
  }
}

static bool part_is_escaped_key(const Part *part, const char *text, size_t length) {
  size_t at = 0;
  for (size_t i = 0; i < length;) {
    char bytes[4];
    const size_t k = mb_json_unescape(text, length, &i, bytes);
    for (size_t j = 0; j < k; j++)
      if (next_byte(part, &at) != (unsigned char)bytes[j]) return false;
  }
  return at >= part->length;
}

// The index that a part is, or SIZE_MAX.
static size_t part_index(const Part *part) {
  if (!part->length || part->length > 9 || (part->text[0] == '0' && part->length > 1)) return SIZE_MAX;
  size_t index = 0;
  for (size_t i = 0; i < part->length; i++) {
    if (part->text[i] < '0' || part->text[i] > '9') return SIZE_MAX;
    index = index * 10 + (size_t)(part->text[i] - '0');
  }
  return index;
}

// ---- in the text ------------------------------------------------------------------------------------------

static bool level_matches(const MbJsonScan *scan, const Part *part) {
  const MbJsonLevel *const level = &scan->level[scan->depth - 1];
  if (!level->object) return part_index(part) == level->index;
  return part_is_escaped_key(part, scan->text + level->key, level->key_length);
}

bool mb_json_locate(const char *text, size_t length, const char *pointer, bool key, int *line, int *column) {
  Part parts[MB_JSON_DEPTH];
  const int split_parts = split(pointer, parts);
  const size_t n = split_parts < 0 ? 0 : (size_t)split_parts;
  MbJsonScan scan;
  mb_json_scan_begin(&scan, text, length);
  size_t matched = 0; // leading parts that the way to the current value has
  *line = *column = 1;

  for (;;) {
    const MbJsonToken token = mb_json_scan_next(&scan);
    if (token == MB_JSON_END || token == MB_JSON_WRONG) return false;
    if (token == MB_JSON_OBJECT_END || token == MB_JSON_ARRAY_END) {
      if (scan.depth <= matched) return false; // all of the nearest ancestor has been seen
      continue;
    }
    // an opening bracket is already its own level
    const bool opens = token == MB_JSON_OBJECT || token == MB_JSON_ARRAY;
    MbJsonScan *const s = &scan;
    s->depth -= opens;
    const size_t depth = s->depth;
    const bool here = !depth ? !matched : matched == depth - 1 && level_matches(s, &parts[matched]);
    s->depth += opens;
    if (!here || (!depth && token == MB_JSON_KEY)) continue;
    if (token == MB_JSON_KEY) {
      if (!key || depth != n) continue;
    } else if (depth) {
      matched = depth;
    }
    *line = scan.line;
    *column = mb_json_scan_column(&scan, scan.start);
    if (depth == n) return split_parts >= 0;
  }
}

// ---- in the tree ------------------------------------------------------------------------------------------

// The value at a part, unfolded; NULL when there is none, or memory ran out.
static cJSON *child(cJSON *parent, const Part *part) {
  cJSON *item = parent->child;
  if (cJSON_IsObject(parent)) {
    while (item && !part_is_key(part, item->string)) item = item->next;
  } else {
    size_t index = cJSON_IsArray(parent) ? part_index(part) : SIZE_MAX;
    if (index == SIZE_MAX) return NULL;
    while (item && index--) item = item->next;
  }
  return mb_json_unfold(item) ? item : NULL;
}

cJSON *mb_json_at(cJSON *tree, const char *pointer) {
  Part parts[MB_JSON_DEPTH];
  const int n = split(pointer, parts);
  if (n < 0) return NULL;
  for (int i = 0; i < n && tree; i++) tree = child(tree, &parts[i]);
  return tree;
}

static int height(const cJSON *tree) {
  int most = 0;
  for (const cJSON *item = tree->child; item; item = item->next) {
    const int h = height(item);
    if (h > most) most = h;
  }
  return most + (cJSON_IsObject(tree) || cJSON_IsArray(tree));
}

// Puts `value` into an object or array; false when memory ran out or there is no such place (*placed is
// false).
static bool put(cJSON *parent, const Part *part, cJSON *value, bool *placed) {
  cJSON *const old = child(parent, part);
  *placed = true;
  if (old && cJSON_IsArray(parent)) return cJSON_ReplaceItemViaPointer(parent, old, value);
  if (cJSON_IsArray(parent)) {
    *placed = part->length == 1 && part->text[0] == '-';
    return *placed && cJSON_AddItemToArray(parent, value);
  }
  char *const key = mb_calloc(part->length + 1, 1);
  if (!key) return false;
  size_t at = 0, n = 0;
  for (int c; (c = next_byte(part, &at)) >= 0;) key[n++] = (char)c;
  // the key is put in by hand: cJSON's own way of replacing a member loses it when memory runs out
  cJSON_free(value->string);
  value->string = key;
  return old ? cJSON_ReplaceItemViaPointer(parent, old, value) : cJSON_AddItemToArray(parent, value);
}

MbStatus mb_json_set(cJSON **tree, const char *pointer, cJSON *value, MbReport *report) {
  if (!value) return mb_no_memory(report, "a JSON value");
  Part parts[MB_JSON_DEPTH];
  const int n = split(pointer, parts);
  if (n < 0 || n + height(value) > MB_JSON_DEPTH) {
    cJSON_Delete(value);
    return mb_error(report, MB_USAGE, pointer,
                    n < 0 ? "a JSON pointer begins with \"/\" and has at most %d parts, as /bodies/0/mass"
                          : "nesting deeper than %d levels",
                    MB_JSON_DEPTH);
  }
  if (!n) {
    cJSON_Delete(*tree);
    *tree = value;
    return MB_OK;
  }

  cJSON *parent = *tree;
  for (int i = 0; i < n - 1 && parent; i++) parent = child(parent, &parts[i]);
  if (!parent || !(cJSON_IsObject(parent) || cJSON_IsArray(parent))) {
    cJSON_Delete(value);
    return mb_error(report, MB_USAGE, pointer, "there is no object or list at \"%.*s\"",
                    (int)(parts[n - 1].text - pointer - 1), pointer);
  }
  bool placed = true;
  if (put(parent, &parts[n - 1], value, &placed)) return MB_OK;
  cJSON_Delete(value);
  if (placed) return mb_no_memory(report, "a JSON value");
  return mb_error(report, MB_USAGE, pointer, "the list has no element \"%.*s\" (\"-\" adds one at its end)",
                  (int)parts[n - 1].length, parts[n - 1].text);
}
