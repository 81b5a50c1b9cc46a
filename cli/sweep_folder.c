// The folder of a sweep: made or gone on with, its list of runs, the tables and the page that are written from it.
#include "cli/sweep.h"
#include "cli/output_file.h"
#include "core/base/alloc.h"
#include "io/sweep/small_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// ---- the folder -------------------------------------------------------------------------------------------

static bool is_ours(const char *folder) {
  char path[MB_SWEEP_PATH];
  snprintf(path, sizeof path, "%s/sweep.json", folder);
  if (!access(path, F_OK)) return true;
  snprintf(path, sizeof path, "%s/runs",
           folder); // killed before that was written, or another shard has just begun
  return !access(path, F_OK);
}

MbStatus mb_sweep_folder(MbSweep *s, MbReport *report) {
  char runs[MB_SWEEP_PATH];
  struct stat info;
  if (!mkdir(s->out, 0777)) {
    // made now
  } else if (errno != EEXIST || stat(s->out, &info)) {
    return mb_error(report, MB_IO, "", "cannot make the folder %s: %s", s->out, strerror(errno));
  } else if (!S_ISDIR(info.st_mode)) {
    return mb_error(report, MB_IO, "", "%s is there already, and is no folder", s->out);
  } else if (!is_ours(s->out) && !mb_folder_is_empty(s->out) &&
             !is_ours(s->out)) { // it may become ours meanwhile
    return mb_error(report, MB_IO, "",
                    "the folder %s holds other things than a sweep: name another with --output", s->out);
  }
  snprintf(runs, sizeof runs, "%s/runs", s->out);
  if (!mkdir(runs, 0777) || errno == EEXIST) return MB_OK;
  return mb_error(report, MB_IO, "", "cannot make the folder %s: %s", runs, strerror(errno));
}

bool mb_sweep_is_done(const MbSweep *s, const char *id) {
  char path[MB_SWEEP_PATH];
  size_t length = 0;
  bool lacks = false;
  double *values = mb_calloc(s->nmeasures, sizeof *values);
  MbResult result = {.defined = s->defined, .values = values, .nmeasures = s->nmeasures};
  if (!values) return false;
  bool done =
      s->keep != MB_KEEP_ALL && s->finished && mb_finished_find(s->finished, id, &result, &lacks) && !lacks;
  snprintf(path, sizeof path, "%s/runs/%s/result.json", s->out, id);
  char *text =
      done || (s->finished && !mb_finished_folders(s->finished)) ? NULL : mb_small_read(path, &length);
  if (text && mb_result_read(text, length, &result, &lacks))
    done = !lacks && result.outcome == MB_OUT_OK && (s->keep != MB_KEEP_ALL || result.trajectory[0]);
  mb_free(text);
  mb_free(values);
  return done;
}

// ---- the list of runs -------------------------------------------------------------------------------------

static void add_line(const MbSweep *s, uint64_t run, MbText *text) {
  mb_text_format(text, "%llu,%s", (unsigned long long)run, s->runs[run].id);
  for (size_t a = 0; a < s->design.naxes; a++) {
    MbText value = {0};
    mb_design_value(&s->design, run, a, &value);
    char *json = mb_text_take(&value);
    mb_text_add(text, ",");
    if (json)
      mb_sweep_cell(text, json);
    else
      text->failed = true;
    mb_free(json);
  }
  mb_text_add(text, "\n");
}

// A file that takes its place when all of it is written. Long ones are not held in memory.
typedef struct Part {
  char path[MB_SWEEP_PATH], part[MB_SWEEP_PATH + 96];
  FILE *out;
} Part;

static MbStatus open_part(Part *p, const char *folder, const char *name, MbReport *report) {
  char host[64] = "";
  gethostname(host, sizeof host - 1); // several machines may write into a shared folder
  snprintf(p->path, sizeof p->path, "%.*s/%s", MB_FOLDER, folder, name);
  snprintf(p->part, sizeof p->part, "%s.%s.%ld.tmp", p->path, host, (long)getpid());
  p->out = fopen(p->part, "we");
  return p->out ? MB_OK : mb_error(report, MB_IO, "", "cannot write %s: %s", p->part, strerror(errno));
}

static MbStatus close_part(Part *p, MbStatus status, MbReport *report) {
  const bool failed = ferror(p->out);
  if ((fclose(p->out) || failed) && !status)
    status = mb_error(report, MB_IO, "", "cannot write %s: %s", p->part, strerror(errno));
  if (!status && rename(p->part, p->path))
    status = mb_error(report, MB_IO, "", "cannot write %s: %s", p->path, strerror(errno));
  if (status) unlink(p->part);
  return status;
}

static MbStatus write_design(const MbSweep *s, const char **axes, MbReport *report) {
  Part part;
  MbText text = {0};
  MbStatus status = open_part(&part, s->out, "design.csv", report);
  if (status) return status;
  mb_text_add(&text, "run,id");
  for (size_t a = 0; a < s->design.naxes; a++) {
    axes[a] = s->design.axes[a].name;
    mb_text_add(&text, ",");
    mb_csv_cell(&text, axes[a]);
  }
  mb_text_add(&text, "\n");
  for (uint64_t i = 0; i < s->design.runs && !text.failed; i++) {
    add_line(s, i, &text);
    if (!text.failed) fwrite(text.text, 1, text.length, part.out);
    text.length = 0;
  }
  if (text.failed) status = mb_no_memory(report, "the list of runs");
  mb_free(mb_text_take(&text));
  return close_part(&part, status, report);
}

static MbStatus write_list(const MbSweep *s, MbReport *report) {
  const char **axes = mb_calloc(s->design.naxes, sizeof *axes);
  MbStatus status = axes ? write_design(s, axes, report) : mb_no_memory(report, "the list of runs");
  const MbSweepHead head = {.scene = s->scene_name,
                            .runs = s->design.runs,
                            .axes = axes,
                            .naxes = s->design.naxes,
                            .measures = s->measures,
                            .nmeasures = s->nmeasures,
                            .times = !mb_arg_given(s->args, "no-times")};
  Part part;
  if (!status) status = open_part(&part, s->out, "sweep.json", report);
  if (!status) {
    char *text = mb_sweep_head_write(&head);
    if (text) fputs(text, part.out);
    status = close_part(&part, text ? MB_OK : mb_no_memory(report, "the list of runs"), report);
    mb_free(text);
  }
  mb_free(axes);
  return status;
}

MbStatus mb_sweep_look(MbSweep *s, MbReport *report) {
  mb_finished_free(s->finished);
  s->finished = NULL;
  return mb_finished_open(s->out, &s->finished, report);
}

MbStatus mb_sweep_list(MbSweep *s, bool write, MbReport *report) {
  s->runs = mb_calloc(s->design.runs, sizeof *s->runs);
  if (!s->runs) return mb_no_memory(report, "the list of runs");
  MbStatus status = mb_sweep_look(s, report);
  for (uint64_t i = 0; i < s->design.runs && !status; i++) {
    status = mb_run_id(&s->scenes, i, s->runs[i].id, report);
    if (status || i % s->shards != s->shard) continue;
    s->runs[i].done = mb_sweep_is_done(s, s->runs[i].id);
    s->there += s->runs[i].done;
    s->todo += !s->runs[i].done;
  }
  return status || !write ? status : write_list(s, report);
}

// ---- the tables -------------------------------------------------------------------------------------------

static MbStatus write_table(const char *folder, MbSweepTable *table, MbTableFormat format,
                            MbOutcomes *outcomes, MbReport *report) {
  Part part;
  char name[32];
  snprintf(name, sizeof name, "results.%s", mb_table_words[format]);
  const MbStatus status = open_part(&part, folder, name, report);
  return status ? status
                : close_part(&part, mb_table_write(table, format, part.out, outcomes, report), report);
}

static uint64_t missing(MbSweepTable *table, MbStatus *status, MbReport *report) {
  uint64_t n = 0;
  *status = mb_table_rewind(table, report);
  while (!*status && mb_table_next(table, status, report)) n += table->result.outcome == MB_OUT_MISSING;
  return n;
}

MbStatus mb_sweep_collect(const char *folder, const bool formats[MB_TABLE_FORMATS], MbOutcomes *outcomes,
                          MbReport *report) {
  MbSweepTable *table = NULL;
  MbOutcomes own = {0};
  MbStatus status = mb_table_open(folder, &table, report);
  // another shard may have ended, and written its table, since this one looked: the last to write must have seen all
  for (bool again = true; again && !status;) {
    for (int f = 0; f < MB_TABLE_FORMATS && !status; f++)
      if (f == MB_TABLE_CSV || formats[f])
        status = write_table(folder, table, (MbTableFormat)f, f == MB_TABLE_CSV ? &own : NULL, report);
    again =
        !status && own.count[MB_OUT_MISSING] && missing(table, &status, report) < own.count[MB_OUT_MISSING];
  }
  mb_table_free(table);
  if (outcomes) *outcomes = own;
  return status;
}

bool mb_sweep_is_report(const char *path) {
  char begin[8192] = "";
  FILE *file = fopen(path, "re");
  const size_t n = file ? fread(begin, 1, sizeof begin - 1, file) : 0;
  if (file) fclose(file);
  begin[n] = 0;
  return strstr(begin, "<title>Sweep</title>") != NULL;
}
