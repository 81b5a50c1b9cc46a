#include "io/json/json_fold.h"
#include "core/base/alloc.h"
#include "core/base/report.h"
#include "io/json/json_text.h"

#include <stdlib.h>
#include <string.h>

// cJSON's memory goes through our door. Set before main, so that no tree is ever freed by another door than
// it came from; a program that sets its own hooks later has them.
static void *hook_alloc(size_t size) { return mb_calloc(1, size); }

__attribute__((constructor)) static void set_hooks(void) {
  cJSON_Hooks hooks = {.malloc_fn = hook_alloc, .free_fn = mb_free};
  cJSON_InitHooks(&hooks);
}

// ---- duplicate keys
// ---------------------------------------------------------------------------------------- The keys of all
// open objects lie on a stack; when an object closes, its own are sorted by hash and compared with their
// neighbours.

typedef struct Key {
  uint64_t hash;    // of the key without escapes
  const char *text; // with escapes
  size_t length;
  int line, column;
} Key;

typedef struct Keys {
  Key *key;
  size_t count, capacity;
  size_t first[MB_JSON_DEPTH]; // of every open level
} Keys;

static uint64_t hash_key(const char *text, size_t length) {
  uint64_t hash = 1469598103934665603u;
  for (size_t at = 0; at < length;) {
    char bytes[4];
    const size_t k = mb_json_unescape(text, length, &at, bytes);
    for (size_t i = 0; i < k; i++) hash = (hash ^ (unsigned char)bytes[i]) * 1099511628211u;
  }
  return hash;
}

static int compare_text(const Key *a, const Key *b) {
  size_t i = 0, j = 0;
  char p[4], q[4];
  while (i < a->length && j < b->length) {
    const size_t m = mb_json_unescape(a->text, a->length, &i, p);
    const size_t n = mb_json_unescape(b->text, b->length, &j, q);
    if (m != n) return m < n ? -1 : 1;
    const int c = memcmp(p, q, m);
    if (c) return c;
  }
  return (i < a->length) - (j < b->length);
}

static int compare_keys(const void *pa, const void *pb) {
  const Key *const a = pa, *const b = pb;
  if (a->hash != b->hash) return a->hash < b->hash ? -1 : 1;
  const int c = compare_text(a, b);
  if (c) return c;
  return (a->text > b->text) - (a->text < b->text);
}

static bool push_key(Keys *keys, const MbJsonScan *scan) {
  if (keys->count == keys->capacity) {
    const size_t more = keys->capacity ? keys->capacity * 2 : 64;
    Key *const grown = mb_realloc(keys->key, more, sizeof *grown);
    if (!grown) return false;
    keys->key = grown;
    keys->capacity = more;
  }
  const MbJsonLevel *const level = &scan->level[scan->depth - 1];
  const char *const text = scan->text + level->key;
  keys->key[keys->count++] = (Key){.hash = hash_key(text, level->key_length),
                                   .text = text,
                                   .length = level->key_length,
                                   .line = scan->line,
                                   .column = (int)(level->key - 1 - scan->line_start)};
  return true;
}

// The key without its escapes, cut to fit between two characters.
static void plain_key(const Key *key, char *out, size_t size) {
  size_t n = 0;
  for (size_t at = 0; at < key->length && n + 4 < size;)
    n += mb_json_unescape(key->text, key->length, &at, out + n);
  out[n] = 0;
  out[mb_text_cut(out, n)] = 0;
}

// Takes the keys of the object that just closed off the stack and reports those that stand there twice.
static MbStatus pop_keys(Keys *keys, const MbJsonScan *scan, MbReport *report) {
  MbStatus status = MB_OK;
  const size_t first = keys->first[scan->depth];
  const size_t n = keys->count - first;
  keys->count = first;
  if (n < 2) return MB_OK;
  Key *const key = keys->key + first;
  qsort(key, n, sizeof *key, compare_keys);
  for (size_t i = 1; i < n; i++) {
    if (key[i].hash != key[i - 1].hash || compare_text(&key[i], &key[i - 1])) continue;
    // an offset in the line was kept; its characters are counted only for what is told
    int column = 1;
    const bool told = report && report->errors < MB_REPORT_MAX;
    for (const char *c = key[i].text - 1 - key[i].column; told && c < key[i].text - 1; c++)
      column += ((unsigned char)*c & 0xC0) != 0x80;
    char where[256], name[64];
    mb_json_scan_pointer(scan, where, sizeof where);
    plain_key(&key[i], name, sizeof name);
    status = mb_error_at(report, MB_SCENE, key[i].line, column, where,
                         "the key \"%s\" stands in this object twice", name);
  }
  return status;
}

// ---- parsing ----------------------------------------------------------------------------------------------

// Reads the whole text once, and builds nothing but the folded tree, if one is asked for.
static MbStatus check(const char *text, size_t length, MbJsonFold *fold, MbReport *report) {
  MbStatus status = MB_OK;
  MbJsonScan scan;
  Keys keys = {0};
  mb_json_scan_begin(&scan, text, length);
  for (;;) {
    const MbJsonToken token = mb_json_scan_next(&scan);
    if (token == MB_JSON_END) break;
    if (fold) mb_json_fold_token(fold, &scan, token);
    if (token == MB_JSON_WRONG) {
      char where[256];
      mb_json_scan_pointer(&scan, where, sizeof where);
      status = mb_error_at(report, MB_SCENE, scan.line, mb_json_scan_column(&scan, scan.wrong), where,
                           "not JSON: %s", scan.what);
      break;
    }
    if (token == MB_JSON_OBJECT) keys.first[scan.depth - 1] = keys.count;
    if (token == MB_JSON_KEY && !push_key(&keys, &scan)) {
      status = mb_no_memory(report, "the keys of a JSON text");
      break;
    }
    if (token == MB_JSON_OBJECT_END) {
      const MbStatus popped = pop_keys(&keys, &scan, report);
      if (popped) status = popped;
    }
  }
  mb_free(keys.key);
  return status;
}

MbStatus mb_json_parse(const char *text, size_t length, cJSON **tree, MbReport *report) {
  *tree = NULL;
  const MbStatus status = check(text, length, NULL, report);
  if (status) return status;
  const size_t mark = length >= 3 && !memcmp(text, "\xEF\xBB\xBF", 3) ? 3 : 0;
  *tree = cJSON_ParseWithLength(text + mark, length - mark);
  // what has passed the check is JSON, so that only memory can be missing
  return *tree ? MB_OK : mb_no_memory(report, "a JSON text");
}

MbStatus mb_json_parse_folded(const char *text, size_t length, cJSON **tree, MbReport *report) {
  *tree = NULL;
  MbJsonFold fold = {0};
  const MbStatus status = check(text, length, &fold, report);
  if (status) {
    cJSON_Delete(fold.root);
    return status;
  }
  *tree = fold.root;
  return *tree ? MB_OK : mb_no_memory(report, "a JSON text");
}
