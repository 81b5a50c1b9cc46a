// Tables as `mbsim export` writes them: a line of names, of which the first is the time's, then a row a time. An empty cell is a number
// that nobody has measured.
#include "io/fit/fit_data.h"
#include "core/base/alloc.h"
#include "core/base/report.h"
#include "io/export/column_name.h"
#include "io/trajectory/trajectory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void mb_fit_data_free(MbFitData *data) {
  mb_arena_free(&data->arena);
  *data = (MbFitData){0};
}

static MbStatus no_memory(MbReport *report) { return mb_no_memory(report, "the data"); }

// ---- tables -------------------------------------------------------------------------------------------------

typedef struct Cells {
  MbFitData *data;
  const char *at, *end;
  int line, column; // of the cell that comes next
  int here;         // column in the line, in characters, of the last one
  char *cell;       // the last one, without quotes
  bool more;        // a comma was behind it
} Cells;

static MbStatus wrong(const Cells *c, MbReport *report, const char *found) {
  if (report && !report->file[0]) snprintf(report->file, sizeof report->file, "%s", c->data->file);
  return mb_error_at(report, MB_USAGE, c->line, c->here, "", "%s", found);
}

// Reads the next cell of the line; false behind the last one.
static bool next_cell(Cells *c, bool first) {
  const bool over = c->at >= c->end || *c->at == '\n' || *c->at == '\r';
  if (first ? over : !c->more) return false;
  size_t n = 0;
  const char *begin = c->at;
  c->here = c->column;
  bool quoted = false;
  for (; c->at < c->end; c->at++) {
    if (*c->at == '"' && !(quoted && c->at + 1 < c->end && c->at[1] == '"')) {
      quoted = !quoted;
      continue;
    }
    if (*c->at == '"') c->at++;
    if (strchr("\n\r", *c->at) || (!quoted && *c->at == ',')) break; // a line's end ends quotes too
    c->cell[n++] = *c->at;
  }
  while (n && strchr(" \t", c->cell[n - 1])) n--;
  c->cell[n] = 0;
  c->column += (int)(c->at - begin);
  c->more = c->at < c->end && *c->at == ',';
  if (c->more) c->at++, c->column++;
  return true;
}

static void next_line(Cells *c) {
  if (c->at < c->end && *c->at == '\r') c->at++;
  if (c->at < c->end && *c->at == '\n') c->at++;
  c->line++, c->column = 1;
}

static const char *text_of(const Cells *c) { return c->cell + strspn(c->cell, " \t"); }

static MbStatus read_names(Cells *c, MbReport *report) {
  MbFitData *d = c->data;
  size_t room = 1;
  for (const char *at = c->at; at < c->end && *at != '\n'; at++) room += *at == ',';
  d->columns = mb_arena_alloc(&d->arena, room, sizeof *d->columns);
  if (!d->columns) return no_memory(report);
  if (!next_cell(c, true) || (strcmp(text_of(c), "time") != 0 && strcmp(text_of(c), "t") != 0))
    return wrong(c, report,
                 "the first line wants names, \"time\" first and then columns as `mbsim export` names them");
  while (next_cell(c, false)) {
    MbFitColumn *column = &d->columns[d->ncolumns];
    if (!*text_of(c)) return wrong(c, report, "a column without a name");
    if (!(column->name = mb_arena_strdup(&d->arena, text_of(c)))) return no_memory(report);
    for (size_t i = 0; i < d->ncolumns; i++)
      if (!strcmp(d->columns[i].name, column->name)) return wrong(c, report, "a name that is there twice");
    d->ncolumns++;
  }
  if (!d->ncolumns) return wrong(c, report, "there are no columns beside the time");
  next_line(c);
  return MB_OK;
}

static const double MOST =
    1e100; // squares of numbers and of their slopes stay finite, and so do sums of them

static bool number(const char *text, double *x) {
  char *end = NULL;
  *x = strtod(text, &end);
  return end != text && !*end && fabs(*x) <= MOST;
}

static MbStatus read_cell(Cells *c, size_t column, MbReport *report) {
  MbFitColumn *to = &c->data->columns[column];
  double *x = &to->value[c->data->rows];
  *x = (double)NAN;
  if (!*text_of(c) || number(text_of(c), x) || to->bad) return MB_OK;
  *x = (double)NAN; // an error where somebody asks for this column
  to->bad_line = c->line, to->bad_column = c->here;
  return (to->bad = mb_arena_strdup(&c->data->arena, text_of(c))) ? MB_OK : no_memory(report);
}

static MbStatus read_row(Cells *c, MbReport *report) {
  MbFitData *d = c->data;
  size_t n = 0;
  double t = 0;
  if (!next_cell(c, true)) return MB_OK;
  if (!number(text_of(c), &t)) return wrong(c, report, "the time is no finite number within 1e100");
  if (d->rows && !(t > d->time[d->rows - 1])) return wrong(c, report, "times must increase from row to row");
  d->time[d->rows] = t;
  MbStatus status = MB_OK;
  for (; !status && next_cell(c, false); n++) {
    if (n == d->ncolumns) return wrong(c, report, "more cells than names");
    status = read_cell(c, n, report);
  }
  if (!status && n < d->ncolumns) return wrong(c, report, "fewer cells than names");
  d->rows++;
  return status;
}

MbStatus mb_fit_data_table(MbFitData *d, const char *file, const char *text, size_t length,
                           MbReport *report) {
  *d = (MbFitData){.file = file};
  Cells c = {.data = d, .at = text, .end = text + length, .line = 1, .column = 1, .here = 1};
  if (length >= 3 && !memcmp(text, "\xEF\xBB\xBF", 3)) c.at += 3;
  size_t lines = 1;
  for (size_t i = 0; i < length; i++) {
    lines += text[i] == '\n' || text[i] == '\r';
    if (!text[i])
      return mb_error(report, MB_USAGE, "", "%s is neither a table (CSV) nor a trajectory", d->file);
  }
  c.cell = mb_arena_alloc(&d->arena, length + 1, 1);
  d->time = mb_arena_alloc(&d->arena, lines, sizeof *d->time);
  if (!c.cell || !d->time) return no_memory(report);
  MbStatus status = read_names(&c, report);
  for (size_t i = 0; i < d->ncolumns && !status; i++)
    if (!(d->columns[i].value = mb_arena_alloc(&d->arena, lines, sizeof(double)))) return no_memory(report);
  while (!status && c.at < c.end) {
    status = read_row(&c, report);
    if (!status) next_line(&c);
  }
  if (!status && !d->rows) return mb_error(report, MB_USAGE, "", "%s has names and no rows", d->file);
  return status;
}

// ---- trajectories -------------------------------------------------------------------------------------------

static MbStatus name_columns(MbFitData *d, const MbChannel *channels, size_t nchannels, MbReport *report) {
  size_t n = 0;
  for (size_t i = 0; i < nchannels; i++) n += channels[i].items * channels[i].width;
  d->columns = mb_arena_alloc(&d->arena, n + 1, sizeof *d->columns);
  if (!d->columns) return no_memory(report);
  MbText name = {0};
  for (size_t i = 0; i < nchannels; i++)
    for (size_t k = 0; k < channels[i].items * channels[i].width; k++) {
      mb_column_name(&name, &channels[i], k);
      MbFitColumn *column = &d->columns[channels[i].offset + k];
      column->name = name.failed ? NULL : mb_arena_strdup(&d->arena, name.length ? name.text : "");
      column->value = mb_arena_alloc(&d->arena, d->rows + 1, sizeof(double));
      name.length = 0;
      if (!column->name || !column->value) {
        mb_free(mb_text_take(&name));
        return no_memory(report);
      }
    }
  d->ncolumns = n;
  mb_free(mb_text_take(&name));
  return MB_OK;
}

// Notes the first number of each column that no fit can take: an error where somebody asks for the column.
static MbStatus judge_frame(MbFitData *d, double t, const double *frame, MbReport *report) {
  char text[80];
  for (size_t k = 0; k < d->ncolumns; k++) {
    if (fabs(frame[k]) <= MOST || d->columns[k].bad) continue;
    snprintf(text, sizeof text, "%.9g at t = %.9g s", frame[k], t);
    if (!(d->columns[k].bad = mb_arena_strdup(&d->arena, text))) return no_memory(report);
  }
  return MB_OK;
}

static MbStatus read_frames(MbFitData *d, MbTraj *traj, MbReport *report) {
  size_t nchannels = 0;
  const MbChannel *channels = mb_traj_channels(traj, &nchannels);
  const uint64_t frames = mb_traj_frames(traj);
  d->rows = (size_t)mb_traj_frames_there(traj);
  d->time = mb_arena_alloc(&d->arena, d->rows + 1, sizeof *d->time);
  if (!d->time) return no_memory(report);
  MbStatus status = name_columns(d, channels, nchannels, report);
  const size_t size = mb_traj_frame_size(traj);
  double *frame = mb_calloc(size > d->ncolumns ? size : d->ncolumns + 1, sizeof *frame);
  if (!status && !frame) status = no_memory(report);
  size_t row = 0;
  for (uint64_t i = 0; i < frames && !status; i++) {
    i = mb_traj_frame_from(traj, i);
    if (i >= frames || row >= d->rows) break;
    status = mb_traj_read(traj, i, 1, NULL, &d->time[row], frame, report);
    for (size_t k = 0; k < d->ncolumns; k++) {
      d->columns[k].value[row] = frame[k];
    }
    status = status ? status : judge_frame(d, d->time[row], frame, report);
    row++;
  }
  mb_free(frame);
  return status;
}

MbStatus mb_fit_data_trajectory(MbFitData *d, const char *file, MbTraj *traj, MbReport *report) {
  *d = (MbFitData){.file = file};
  return read_frames(d, traj, report);
}
