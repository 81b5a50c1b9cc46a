#include "io/json/json_text.h"
#include "core/base/alloc.h"
#include "io/json/json_fold.h"
#include "io/json/number_text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// Memory has run out; always false.
static bool run_out(MbText *t) {
  mb_free(t->text);
  *t = (MbText){.failed = true};
  return false;
}

// Makes room for `more` characters and a terminating zero.
static bool reserve(MbText *t, size_t more) {
  if (t->failed) return false;
  if (t->capacity - t->length > more) return true;
  size_t capacity = t->capacity ? t->capacity : 256;
  while (capacity - t->length <= more && capacity < SIZE_MAX / 2) capacity *= 2;
  char *const grown = mb_realloc(t->text, capacity, 1);
  if (!grown) return run_out(t);
  t->text = grown;
  t->capacity = capacity;
  return true;
}

void mb_text_add_n(MbText *t, const char *text, size_t length) {
  if (!reserve(t, length)) return;
  memcpy(t->text + t->length, text, length);
  t->length += length;
  t->text[t->length] = 0;
}

void mb_text_add(MbText *t, const char *text) { mb_text_add_n(t, text, strlen(text)); }

void mb_text_format(MbText *t, const char *format, ...) {
  va_list args, again;
  va_start(args, format);
  va_copy(again, args);
  const int n = vsnprintf(NULL, 0, format, args);
  if (n >= 0 && reserve(t, (size_t)n)) {
    vsnprintf(t->text + t->length, (size_t)n + 1, format, again);
    t->length += (size_t)n;
  }
  va_end(again);
  va_end(args);
}

void mb_text_quoted(MbText *t, const char *text) {
  mb_text_add(t, "\"");
  while (*text) {
    const size_t plain =
        strcspn(text, "\"\\\x01\x02\x03\x04\x05\x06\x07\b\t\n\x0b\f\r\x0e\x0f\x10\x11\x12\x13\x14"
                      "\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f");
    mb_text_add_n(t, text, plain);
    text += plain;
    if (!*text) break;
    if (*text == '"' || *text == '\\')
      mb_text_format(t, "\\%c", *text);
    else if (*text == '\n')
      mb_text_add(t, "\\n");
    else if (*text == '\t')
      mb_text_add(t, "\\t");
    else
      mb_text_format(t, "\\u%04x", (unsigned)*text);
    text++;
  }
  mb_text_add(t, "\"");
}

void mb_text_number(MbText *t, double value) {
  char digits[MB_NUMBER_TEXT];
  mb_text_add(t, isfinite(value) ? mb_number_text(value, digits) : "null"); // JSON has no word for the others
}

void mb_text_list(MbText *t, const char *const *names, size_t count) {
  mb_text_add(t, "[");
  for (size_t i = 0; i < count; i++) {
    if (i) mb_text_add(t, ",");
    mb_text_quoted(t, names[i]);
  }
  mb_text_add(t, "]");
}

void mb_text_json(MbText *t, const cJSON *tree) {
  if (cJSON_IsString(tree))
    mb_text_quoted(t, tree->valuestring);
  else if (cJSON_IsNumber(tree))
    mb_text_number(t, tree->valuedouble);
  else if (cJSON_IsTrue(tree))
    mb_text_add(t, "true");
  else if (cJSON_IsFalse(tree))
    mb_text_add(t, "false");
  else if (mb_json_is_list(tree)) {
    MbJsonElements elements = mb_json_elements(tree);
    size_t i = 0;
    mb_text_add(t, "[");
    for (const cJSON *item; (item = mb_json_next_element(&elements));) {
      if (i++) mb_text_add(t, ",");
      mb_text_json(t, item);
    }
    if (elements.failed) run_out(t);
    mb_text_add(t, "]");
  } else if (cJSON_IsObject(tree)) {
    mb_text_add(t, "{");
    for (const cJSON *item = tree->child; item; item = item->next) {
      if (item != tree->child) mb_text_add(t, ",");
      mb_text_quoted(t, item->string);
      mb_text_add(t, ":");
      mb_text_json(t, item);
    }
    mb_text_add(t, "}");
  } else if (mb_json_is_folded(tree)) {
    cJSON *const object = mb_json_read_folded(tree);
    if (object)
      mb_text_json(t, object);
    else
      run_out(t);
    cJSON_Delete(object);
  } else {
    mb_text_add(t, "null");
  }
}

char *mb_text_take(MbText *t) {
  if (!t->text && !t->failed) mb_text_add(t, "");
  char *const text = t->text;
  *t = (MbText){.failed = t->failed};
  return text;
}

// Behind the string that begins at p, or at the end of a broken one.
static const char *behind_string(const char *p) {
  for (p++; *p && *p != '"'; p++)
    if (*p == '\\' && p[1]) p++;
  return *p ? p + 1 : p;
}

const char *mb_json_slice(const char *json, const char *key, size_t *length) {
  const char *begin = NULL; // of the value that is looked for, once its key was seen
  int depth = 0;
  const size_t n = strlen(key);
  for (const char *p = json; *p;) {
    if (*p == '"') {
      const char *end = behind_string(p);
      const char *colon = end + strspn(end, " \t\r\n");
      if (depth == 1 && !begin && *colon == ':' && (size_t)(end - p) == n + 2 && !strncmp(p + 1, key, n)) {
        begin = colon + 1 + strspn(colon + 1, " \t\r\n");
        p = begin;
      } else {
        p = end;
      }
      continue;
    }
    depth += *p == '{' || *p == '[';
    depth -= *p == '}' || *p == ']';
    if (begin && p >= begin && ((depth == 1 && *p == ',') || depth == 0)) {
      while (p > begin && strchr(" \t\r\n", p[-1])) p--;
      *length = (size_t)(p - begin);
      return begin;
    }
    p++;
  }
  return NULL;
}

size_t mb_text_cut(const char *text, size_t most) {
  const size_t length = strnlen(text, most + 1);
  size_t n = length < most ? length : most;
  // back to the first byte of the last character, which stays if it is whole
  size_t first = n;
  while (first && n - first < 4 && ((unsigned char)text[first - 1] & 0xC0) == 0x80) first--;
  if (!first) return n;
  const unsigned char lead = (unsigned char)text[first - 1];
  const size_t whole = lead < 0xC0 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  return first - 1 + whole > n ? first - 1 : n;
}
