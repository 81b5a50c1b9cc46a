#include "core/base/alloc.h"
#include "core/base/report.h"
#include "io/export/export_parts.h"
#include "io/json/json_text.h"

#include <math.h>
#include <string.h>

static void add_list(MbText *t, const MbList *list) {
  mb_text_format(t, ", \"list\": {\"keys\": %zu, \"fields\": [", list->keys);
  for (size_t k = 0; k < list->width; k++) {
    const MbField *f = &list->fields[k];
    mb_text_add(t, k ? ", {\"name\": " : "{\"name\": ");
    mb_text_quoted(t, f->name);
    mb_text_add(t, ", \"unit\": ");
    mb_text_quoted(t, f->unit);
    if (f->words) {
      mb_text_add(t, ", \"words\": ");
      mb_text_list(t, f->words, f->nwords);
    }
    mb_text_add(t, "}");
  }
  mb_text_add(t, "]}");
}

static void add_channel(MbText *t, const MbChannel *c) {
  mb_text_add(t, "{\"name\": ");
  mb_text_quoted(t, c->name);
  mb_text_add(t, ", \"unit\": ");
  mb_text_quoted(t, c->unit ? c->unit : "");
  mb_text_add(t, c->rotation ? ", \"rotation\": true, \"items\": " : ", \"rotation\": false, \"items\": ");
  if (c->items_names)
    mb_text_list(t, c->items_names, c->items);
  else
    mb_text_format(t, "%zu", c->items);
  mb_text_add(t, ", \"components\": ");
  if (c->component_names)
    mb_text_list(t, c->component_names, c->width);
  else
    mb_text_format(t, "%zu", c->width);
  if (c->list) add_list(t, c->list);
  mb_text_add(t, "}");
}

static void add_missing(MbText *t, const MbTraj *traj) {
  if (!mb_traj_gaps(traj)) return;
  mb_text_add(t, ", \"missing\": [");
  for (size_t i = 0; i < mb_traj_gaps(traj); i++) {
    const MbTrajGap gap = mb_traj_gap(traj, i);
    mb_text_format(t, "%s[%llu, %llu]", i ? ", " : "", (unsigned long long)gap.first,
                   (unsigned long long)(gap.first + gap.count - 1));
  }
  mb_text_add(t, "]");
}

char *mb_export_header(const MbExporter *e) {
  MbText t = {0};
  mb_text_format(&t,
                 "{\"mbsim_export\": 1, \"frames\": %llu, \"step\": ", (unsigned long long)e->frames.count);
  mb_text_number(&t, mb_traj_step(e->traj));
  add_missing(&t, e->traj);
  mb_text_add(&t, ", \"nonfinite\": \"null\", \"channels\": [");
  for (size_t i = 0; i < e->nchosen; i++) {
    if (i) mb_text_add(&t, ", ");
    add_channel(&t, &e->channels[e->chosen[i]]);
  }
  mb_text_add(&t, "]}");
  return mb_text_take(&t);
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

// The entries of one frame, one array each; their number is the count.
static MbStatus put_entries(MbExporter *e, const MbChannel *c, uint64_t frame) {
  const double *x = NULL;
  size_t count = 0;
  const MbStatus status = mb_traj_list(e->traj, frame, c, &x, &count, e->report);
  mb_put(e, "[", 1);
  for (size_t i = 0; i < count && !status; i++) {
    if (i) mb_put(e, ",", 1);
    put_row(e, x + i * c->list->width, c->list->width);
  }
  mb_put(e, "]", 1);
  return status;
}

// `keys`: for each chosen channel what stands before its numbers.
static MbStatus put_frames(MbExporter *e, const bool *wanted, char *const *keys) {
  MbWalk walk = {0};
  MbStatus status = mb_walk_begin(&walk, e->traj, wanted, e->report);
  for (uint64_t i = mb_frames_next(&e->frames, 0); i < e->frames.span && status == MB_OK && !e->failure;
       i = mb_frames_next(&e->frames, i + 1)) {
    double time = 0;
    const double *frame = NULL;
    status = mb_walk_frame(&walk, mb_frames_at(&e->frames, i), &time, &frame, e->report);
    if (status != MB_OK) break;
    mb_put_text(e, "{\"time\":");
    put_value(e, time);
    for (size_t j = 0; j < e->nchosen && status == MB_OK; j++) {
      const MbChannel *c = &e->channels[e->chosen[j]];
      mb_put_text(e, keys[j]);
      if (c->list)
        status = put_entries(e, c, mb_frames_at(&e->frames, i));
      else
        put_channel(e, c, frame);
    }
    mb_put_text(e, "}\n");
  }
  mb_walk_end(&walk);
  return status;
}

static char *key_text(const char *name) {
  MbText t = {0};
  mb_text_add(&t, ",");
  mb_text_quoted(&t, name);
  mb_text_add(&t, ":");
  return mb_text_take(&t);
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
