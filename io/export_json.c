#include "core/base/alloc.h"
#include "core/base/report.h"
#include "io/export_parts.h"
#include "io/number_text.h"

#include <math.h>
#include <string.h>

// Text that grows.
typedef struct Text {
  char *bytes;
  size_t used, room;
  bool failed; // memory ran out
} Text;

static void add(Text *t, const char *bytes) {
  const size_t length = strlen(bytes);
  if (!t->failed && t->used + length + 1 > t->room) {
    const size_t room = 2 * (t->used + length + 1);
    char *grown = mb_realloc(t->bytes, room, 1);
    t->failed = !grown;
    if (grown) {
      t->bytes = grown;
      t->room = room;
    }
  }
  if (t->failed) return;
  memcpy(t->bytes + t->used, bytes, length + 1);
  t->used += length;
}

static void add_string(Text *t, const char *text) {
  add(t, "\"");
  for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
    char piece[8] = {(char)*c, 0};
    if (*c == '"' || *c == '\\') snprintf(piece, sizeof piece, "\\%c", *c);
    if (*c < ' ') snprintf(piece, sizeof piece, "\\u%04x", *c);
    add(t, piece);
  }
  add(t, "\"");
}

static void add_number(Text *t, double x) {
  char text[MB_NUMBER_TEXT];
  add(t, isfinite(x) ? mb_number_text(x, text) : "null");
}

static void add_count(Text *t, uint64_t n) {
  char text[24];
  snprintf(text, sizeof text, "%llu", (unsigned long long)n);
  add(t, text);
}

static void add_names(Text *t, const char *const *names, size_t n) {
  add(t, "[");
  for (size_t i = 0; i < n; i++) {
    if (i) add(t, ", ");
    add_string(t, names[i]);
  }
  add(t, "]");
}

static void add_channel(Text *t, const MbChannel *c) {
  add(t, "{\"name\": ");
  add_string(t, c->name);
  add(t, ", \"unit\": ");
  add_string(t, c->unit ? c->unit : "");
  add(t, c->rotation ? ", \"rotation\": true, \"items\": " : ", \"rotation\": false, \"items\": ");
  if (c->items_names)
    add_names(t, c->items_names, c->items);
  else
    add_count(t, c->items);
  add(t, ", \"components\": ");
  if (c->component_names)
    add_names(t, c->component_names, c->width);
  else
    add_count(t, c->width);
  add(t, "}");
}

char *mb_export_header(const MbExporter *e) {
  Text t = {0};
  add(&t, "{\"mbsim_export\": 1, \"frames\": ");
  add_count(&t, e->count);
  add(&t, ", \"step\": ");
  add_number(&t, mb_traj_step(e->traj));
  add(&t, ", \"nonfinite\": \"null\", \"channels\": [");
  for (size_t i = 0; i < e->nchosen; i++) {
    if (i) add(&t, ", ");
    add_channel(&t, &e->channels[e->chosen[i]]);
  }
  add(&t, "]}");
  if (!t.failed) return t.bytes;
  mb_free(t.bytes);
  return NULL;
}

static void put_value(MbExporter *e, double x) {
  if (isfinite(x))
    mb_put_number(e, x);
  else
    mb_put_text(e, "null");
}

static void put_row(MbExporter *e, const double *x, size_t n) {
  mb_put(e, "[", 1);
  for (size_t k = 0; k < n; k++) {
    if (k) mb_put(e, ",", 1);
    put_value(e, x[k]);
  }
  mb_put(e, "]", 1);
}

static void put_channel(MbExporter *e, const MbChannel *c, const double *frame) {
  const double *x = frame + c->offset;
  if (mb_export_flat(c)) {
    put_row(e, x, c->width);
    return;
  }
  mb_put(e, "[", 1);
  for (size_t i = 0; i < c->items; i++) {
    if (i) mb_put(e, ",", 1);
    put_row(e, x + i * c->width, c->width);
  }
  mb_put(e, "]", 1);
}

// `keys`: for each chosen channel what stands before its numbers.
static MbStatus put_frames(MbExporter *e, const bool *wanted, char *const *keys) {
  MbWalk walk = {0};
  MbStatus status = mb_walk_begin(&walk, e->traj, wanted, e->report);
  for (uint64_t i = 0; i < e->count && status == MB_OK && !e->failure; i++) {
    double time = 0;
    const double *frame = NULL;
    status = mb_walk_frame(&walk, mb_export_frame(e, i), &time, &frame, e->report);
    if (status != MB_OK) break;
    mb_put_text(e, "{\"time\":");
    put_value(e, time);
    for (size_t j = 0; j < e->nchosen; j++) {
      mb_put_text(e, keys[j]);
      put_channel(e, &e->channels[e->chosen[j]], frame);
    }
    mb_put_text(e, "}\n");
  }
  mb_walk_end(&walk);
  return status;
}

static char *key_text(const char *name) {
  Text t = {0};
  add(&t, ",");
  add_string(&t, name);
  add(&t, ":");
  if (!t.failed) return t.bytes;
  mb_free(t.bytes);
  return NULL;
}

MbStatus mb_export_json(MbExporter *e) {
  char *header = mb_export_header(e);
  bool *wanted = mb_calloc(e->nchannels, sizeof *wanted);
  char **keys = mb_calloc(e->nchosen, sizeof *keys);
  bool ready = header && wanted && keys;
  for (size_t i = 0; i < e->nchosen && ready; i++) {
    wanted[e->chosen[i]] = true;
    keys[i] = key_text(e->channels[e->chosen[i]].name);
    ready = keys[i] != NULL;
  }
  MbStatus status = MB_OK;
  if (ready) {
    mb_put_text(e, header);
    mb_put_text(e, "\n");
    status = put_frames(e, wanted, keys);
  } else {
    status = mb_no_memory(e->report, "the export");
  }
  for (size_t i = 0; keys && i < e->nchosen; i++) mb_free(keys[i]);
  mb_free(keys);
  mb_free(wanted);
  mb_free(header);
  return status;
}
