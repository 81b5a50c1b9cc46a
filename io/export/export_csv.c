#include "core/base/alloc.h"
#include "core/base/report.h"
#include "io/export/column_name.h"
#include "io/export/export_parts.h"
#include "io/json/json_text.h"

#include <string.h>

static void put_quoted(MbExporter *e, const char *text) {
  if (!text[strcspn(text, ",\"\r\n")]) {
    mb_put_text(e, text);
    return;
  }
  mb_put_text(e, "\"");
  for (; *text; text++) mb_put(e, *text == '"' ? "\"\"" : text, *text == '"' ? 2 : 1);
  mb_put_text(e, "\"");
}

static void put_entry(MbExporter *e, const MbList *list, double time, const double *x) {
  mb_put_number(e, time);
  for (size_t k = 0; k < list->width; k++) {
    const MbField *f = &list->fields[k];
    mb_put(e, ",", 1);
    if (f->words && x[k] >= 0 && x[k] < (double)f->nwords)
      put_quoted(e, f->words[(size_t)x[k]]);
    else
      mb_put_number(e, x[k]);
  }
  mb_put(e, "\n", 1);
}

static MbStatus put_names(MbExporter *e) {
  MbText name = {0};
  mb_put_text(e, "time");
  for (size_t i = 0; i < e->nchosen; i++) {
    const MbChannel *c = &e->channels[e->chosen[i]];
    for (size_t k = 0; k < c->items * c->width && !name.failed; k++) {
      name.length = 0;
      mb_column_name(&name, c, k);
      mb_put_text(e, ",");
      if (!name.failed) put_quoted(e, name.length ? name.text : "");
    }
  }
  mb_put_text(e, "\n");
  const bool failed = name.failed;
  mb_free(mb_text_take(&name));
  return failed ? mb_no_memory(e->report, "the export") : MB_OK;
}

// A table of a list: a line an entry, with its time, and words for the numbers that stand for such.
static MbStatus put_list(MbExporter *e, const MbChannel *c) {
  mb_put_text(e, "time");
  for (size_t k = 0; k < c->list->width; k++) {
    mb_put(e, ",", 1);
    put_quoted(e, c->list->fields[k].name);
  }
  mb_put(e, "\n", 1);
  MbStatus status = MB_OK;
  for (uint64_t i = mb_frames_next(&e->frames, 0); i < e->frames.span && status == MB_OK && !e->failure;
       i = mb_frames_next(&e->frames, i + 1)) {
    const uint64_t frame = mb_frames_at(&e->frames, i);
    const double *x = NULL;
    double time = 0;
    size_t count = 0;
    status = mb_traj_read(e->traj, frame, 1, NULL, &time, NULL, e->report);
    if (status == MB_OK) status = mb_traj_list(e->traj, frame, c, &x, &count, e->report);
    for (size_t n = 0; n < count && status == MB_OK; n++, x += c->list->width) put_entry(e, c->list, time, x);
  }
  return status;
}

MbStatus mb_export_csv(MbExporter *e) {
  if (e->nchosen == 1 && e->channels[e->chosen[0]].list) return put_list(e, &e->channels[e->chosen[0]]);
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
