#include "io/json/json_pretty.h"
#include "core/base/alloc.h"

#include <string.h>

enum { WIDTH = 110, INDENT = 2 };

static void write(MbText *t, const cJSON *v, size_t indent, size_t used);

static void flat(MbText *t, const cJSON *v) {
  const bool object = cJSON_IsObject(v);
  if (!object && !cJSON_IsArray(v)) {
    mb_text_json(t, v);
    return;
  }
  mb_text_add(t, object ? "{" : "[");
  for (const cJSON *c = v->child; c; c = c->next) {
    if (c != v->child) mb_text_add(t, ", ");
    if (object) mb_text_quoted(t, c->string), mb_text_add(t, ": ");
    flat(t, c);
  }
  mb_text_add(t, object ? "}" : "]");
}

static void spaces(MbText *t, size_t n) {
  mb_text_add(t, "\n");
  for (size_t i = 0; i < n; i++) mb_text_add(t, " ");
}

// A member or item on as many lines as it takes; `used` columns are taken in front of it, and one is wanted behind it.
static void write(MbText *t, const cJSON *v, size_t indent, size_t used) {
  MbText line = {0};
  flat(&line, v);
  const bool fits = used + line.length + 1 <= WIDTH || !v->child;
  if (fits && line.text) mb_text_add(t, line.text);
  t->failed |= line.failed;
  char *done = mb_text_take(&line);
  mb_free(done);
  if (fits) return;
  const bool object = cJSON_IsObject(v);
  mb_text_add(t, object ? "{" : "[");
  for (const cJSON *c = v->child; c; c = c->next) {
    spaces(t, indent + INDENT);
    size_t before = indent + INDENT;
    if (object) {
      const size_t length = t->length;
      mb_text_quoted(t, c->string);
      mb_text_add(t, ": ");
      before += t->length - length;
    }
    write(t, c, indent + INDENT, before);
    if (c->next) mb_text_add(t, ",");
  }
  spaces(t, indent);
  mb_text_add(t, object ? "}" : "]");
}

void mb_text_pretty(MbText *t, const cJSON *tree) {
  write(t, tree, 0, 0);
  mb_text_add(t, "\n");
}
