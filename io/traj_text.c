#include "io/traj_text.h"
#include "core/base/alloc.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void add(MbText *t, const char *piece, size_t n) {
  if (t->failed) return;
  if (t->room - t->length <= n) {
    const size_t room = (t->length + n + 1) * 2 + 256;
    char *grown = mb_realloc(t->text, room, 1);
    if (!grown) {
      t->failed = true;
      return;
    }
    t->text = grown;
    t->room = room;
  }
  if (n) memcpy(t->text + t->length, piece, n);
  t->length += n;
  t->text[t->length] = 0;
}

void mb_text_add(MbText *t, const char *piece) { add(t, piece, strlen(piece)); }

void mb_text_format(MbText *t, const char *format, ...) {
  char line[256];
  va_list args;
  va_start(args, format);
  vsnprintf(line, sizeof line, format, args);
  va_end(args);
  mb_text_add(t, line);
}

void mb_text_quote(MbText *t, const char *piece) {
  add(t, "\"", 1);
  for (const char *p = piece; *p; p++) {
    if (*p == '"' || *p == '\\') {
      add(t, "\\", 1);
      add(t, p, 1);
    } else if ((unsigned char)*p < 0x20) {
      mb_text_format(t, "\\u%04x", *p);
    } else {
      add(t, p, 1);
    }
  }
  add(t, "\"", 1);
}

void mb_text_list(MbText *t, const char *const *names, size_t count) {
  mb_text_add(t, "[");
  for (size_t i = 0; i < count; i++) {
    if (i) mb_text_add(t, ",");
    mb_text_quote(t, names[i]);
  }
  mb_text_add(t, "]");
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
