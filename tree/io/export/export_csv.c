#include "core/base/alloc.h"
#include "core/base/report.h"
#include "io/export/export_parts.h"
#include "io/json/json_text.h"

#include <string.h>

// A further part, after a point unless it is the first; empty ones leave no trace.
static void add_part(MbText *n, const char *part) {
  if (!*part) return;
  if (n->length) mb_text_add(n, ".");
  mb_text_add(n, part);
}

static void add_index(MbText *n, size_t index) {
  char text[24];
  snprintf(text, sizeof text, "%zu", index);
  add_part(n, text);
}

static const char *last_part(const char *channel) {
  const char *point = strrchr(channel, '.');
  return point ? point + 1 : channel;
}

static bool begins(const char *text, const char *with) { return !strncmp(text, with, strlen(with)); }

// "ball.1" of "joint.position" is "ball.joint.position.1".
static void name_coordinate(MbText *n, const char *channel, const char *item) {
  const char *index = strrchr(item, '.');
  if (index && (!index[1] || index[1 + strspn(index + 1, "0123456789")])) index = NULL;
  mb_text_add_n(n, item, index ? (size_t)(index - item) : strlen(item));
  add_part(n, channel);
  if (index) mb_text_add(n, index);
}

// Everything before the component.
static void name_item(MbText *n, const MbChannel *c, size_t item) {
  static const char deformable[] = "deformable.";
  const char *last = last_part(c->name);
  if (c->items_names && begins(c->name, "joint.")) {
    name_coordinate(n, c->name, c->items_names[item]);
  } else if (c->items_names) {
    add_part(n, c->items_names[item]);
    add_part(n, last);
  } else if (begins(c->name, deformable) && last > c->name + sizeof deformable) {
    const char *name = c->name + sizeof deformable - 1;
    mb_text_add_n(n, name, (size_t)(last - 1 - name));
    add_index(n, item);
    if (strcmp(last, "position") != 0) add_part(n, last);
  } else {
    add_part(n, c->name);
    if (c->items > 1) add_index(n, item);
  }
}

static void name_component(MbText *n, const MbChannel *c, size_t k) {
  if (c->width == 1 && begins(c->name, "joint.")) return;
  if (c->component_names)
    add_part(n, c->component_names[k]);
  else if (c->width > 1)
    add_index(n, k);
}

static void put_quoted(MbExporter *e, const char *text) {
  if (!text[strcspn(text, ",\"\r\n")]) {
    mb_put_text(e, text);
    return;
  }
  mb_put_text(e, "\"");
  for (; *text; text++) mb_put(e, *text == '"' ? "\"\"" : text, *text == '"' ? 2 : 1);
  mb_put_text(e, "\"");
}

static MbStatus put_names(MbExporter *e) {
  MbText name = {0};
  mb_put_text(e, "time");
  for (size_t i = 0; i < e->nchosen; i++) {
    const MbChannel *c = &e->channels[e->chosen[i]];
    for (size_t k = 0; k < c->items * c->width && !name.failed; k++) {
      name.length = 0;
      name_item(&name, c, k / c->width);
      name_component(&name, c, k % c->width);
      mb_put_text(e, ",");
      if (!name.failed) put_quoted(e, name.length ? name.text : "");
    }
  }
  mb_put_text(e, "\n");
  const bool failed = name.failed;
  mb_free(mb_text_take(&name));
  return failed ? mb_no_memory(e->report, "the export") : MB_OK;
}

MbStatus mb_export_csv(MbExporter *e) {
  bool *wanted = mb_calloc(e->nchannels, sizeof *wanted);
  if (!wanted) return mb_no_memory(e->report, "the export");
  for (size_t i = 0; i < e->nchosen; i++) wanted[e->chosen[i]] = true;
  MbWalk walk = {0};
  MbStatus status = mb_walk_begin(&walk, e->traj, wanted, e->report);
  if (status == MB_OK) status = put_names(e);

  for (uint64_t i = mb_frames_next(&e->frames, 0); i < e->frames.span && status == MB_OK && !e->failure;
       i = mb_frames_next(&e->frames, i + 1)) {
    double time = 0;
    const double *frame = NULL;
    status = mb_walk_frame(&walk, mb_frames_at(&e->frames, i), &time, &frame, e->report);
    if (status != MB_OK) break;
    mb_put_number(e, time);
    for (size_t j = 0; j < e->nchosen; j++) {
      const MbChannel *c = &e->channels[e->chosen[j]];
      for (size_t k = 0; k < c->items * c->width; k++) {
        mb_put(e, ",", 1);
        mb_put_number(e, frame[c->offset + k]);
      }
    }
    mb_put(e, "\n", 1);
  }
  mb_walk_end(&walk);
  mb_free(wanted);
  return status;
}
