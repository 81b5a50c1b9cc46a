// The table as CSV, JSON and NumPy's arrays.
#include "core/base/alloc.h"
#include "core/base/report.h"
#include "io/export/npy.h"
#include "io/json/json.h"
#include "io/sweep/table.h"

#include <errno.h>
#include <math.h>
#include <string.h>

const char *const mb_table_words[MB_TABLE_FORMATS + 1] = {"csv", "json", "npz", NULL};

void mb_csv_cell(MbText *out, const char *text) {
  if (!text[strcspn(text, ",\"\r\n")]) {
    mb_text_add(out, text);
    return;
  }
  mb_text_add(out, "\"");
  for (; *text; text++) mb_text_add_n(out, *text == '"' ? "\"\"" : text, *text == '"' ? 2 : 1);
  mb_text_add(out, "\"");
}

void mb_sweep_cell(MbText *out, const char *json) {
  cJSON *tree = json[0] == '"' ? cJSON_Parse(json) : NULL;
  const char *text = cJSON_GetStringValue(tree);
  for (const char *c = text; c && *c; c++)
    if ((unsigned char)*c < ' ') text = NULL;
  mb_csv_cell(out, text ? text : json);
  cJSON_Delete(tree);
}

typedef struct Writer {
  MbSweepTable *table;
  FILE *out;
  MbText line;
  bool first;
} Writer;

static void put_line(Writer *w) {
  if (!w->line.failed && w->line.length) fwrite(w->line.text, 1, w->line.length, w->out);
  w->line.length = 0;
}

// ---- csv and json -----------------------------------------------------------------------------------------

static void csv_names(Writer *w) {
  for (size_t i = 0; i < w->table->ncolumns; i++) {
    if (i) mb_text_add(&w->line, ",");
    mb_csv_cell(&w->line, w->table->names[i]);
  }
  mb_text_add(&w->line, "\n");
}

static void csv_row(Writer *w) {
  for (size_t i = 0; i < w->table->ncolumns; i++) {
    if (i) mb_text_add(&w->line, ",");
    mb_csv_cell(&w->line, w->table->cells[i].text);
  }
  mb_text_add(&w->line, "\n");
}

static void json_names(Writer *w) {
  mb_text_add(&w->line, "{\"mbsim_sweep_results\": 1,\n \"columns\": ");
  mb_text_list(&w->line, w->table->names, w->table->ncolumns);
  mb_text_add(&w->line, ",\n \"rows\": [");
  w->first = true;
}

// A list of values a row; JSON has no NaN and no infinity: both become null.
static void json_row(Writer *w) {
  mb_text_add(&w->line, w->first ? "\n  [" : ",\n  [");
  w->first = false;
  for (size_t i = 0; i < w->table->ncolumns; i++) {
    const MbCell *cell = &w->table->cells[i];
    if (i) mb_text_add(&w->line, ", ");
    if (!cell->number)
      mb_text_quoted(&w->line, cell->text);
    else if (isfinite(cell->value))
      mb_text_number(&w->line, cell->value);
    else
      mb_text_add(&w->line, "null");
  }
  mb_text_add(&w->line, "]");
}

// ---- npz --------------------------------------------------------------------------------------------------

// Which columns are of numbers throughout, how long the longest texts are, how many rows there are.
static MbStatus survey(Writer *w, bool *numbers, size_t *longest, uint64_t *rows, MbReport *report) {
  MbStatus status = MB_OK;
  const MbSweepTable *t = w->table;
  for (size_t i = 0; i < t->ncolumns; i++) numbers[i] = true, longest[i] = 1;
  for (*rows = 0; mb_table_next(w->table, &status, report); ++*rows)
    for (size_t i = 0; i < t->ncolumns; i++) {
      const size_t n = strlen(t->cells[i].text);
      numbers[i] = numbers[i] && t->cells[i].number;
      if (n > longest[i]) longest[i] = n;
    }
  return status;
}

static void put_bytes(void *to, const void *bytes, size_t size) {
  FILE *out = to;
  fwrite(bytes, 1, size, out);
}

// One column, `size` bytes a row. A pass over all rows for each, and no memory for any.
static MbStatus write_column(Writer *w, MbZip *zip, size_t column, bool number, size_t size, uint64_t rows,
                             MbReport *report) {
  MbSweepTable *t = w->table;
  char type[32], shape[32];
  snprintf(type, sizeof type, number ? "<f8" : "|S%zu", size);
  snprintf(shape, sizeof shape, "(%llu,)", (unsigned long long)rows);
  char *cell = mb_calloc(size, 1);
  MbStatus status = cell ? mb_table_rewind(t, report) : mb_no_memory(report, "a table");
  if (!status && !mb_npy_begin(zip, t->names[column], type, shape, rows * size))
    status = mb_no_memory(report, "a table");
  for (uint64_t k = 0; k < rows && !status; k++) {
    if (!mb_table_next(t, &status, report)) {
      if (!status) status = mb_error(report, MB_IO, "", "the sweep has changed while its table was written");
      break;
    }
    const size_t n = strlen(t->cells[column].text);
    memset(cell, 0, size);
    if (number)
      memcpy(cell, &t->cells[column].value, size);
    else
      memcpy(cell, t->cells[column].text, n < size ? n : size);
    mb_zip_bytes(zip, cell, size);
  }
  if (!status) mb_zip_end(zip);
  mb_free(cell);
  return status;
}

static MbStatus write_npz(Writer *w, MbReport *report) {
  const size_t n = w->table->ncolumns;
  uint64_t rows = 0;
  bool *numbers = mb_calloc(n, sizeof *numbers);
  size_t *longest = mb_calloc(n, sizeof *longest);
  MbStatus status =
      numbers && longest ? survey(w, numbers, longest, &rows, report) : mb_no_memory(report, "a table");
  MbZip zip = {.put = put_bytes, .to = w->out};
  for (size_t i = 0; i < n && !status; i++)
    status = write_column(w, &zip, i, numbers[i], numbers[i] ? sizeof(double) : longest[i], rows, report);
  if (!status) mb_zip_finish(&zip);
  mb_zip_free(&zip);
  mb_free(numbers);
  mb_free(longest);
  return status;
}

// ---- all --------------------------------------------------------------------------------------------------

static MbStatus write_rows(Writer *w, MbTableFormat format, MbOutcomes *outcomes, MbReport *report) {
  MbStatus status = MB_OK;
  if (format == MB_TABLE_CSV)
    csv_names(w);
  else
    json_names(w);
  while (mb_table_next(w->table, &status, report)) {
    if (outcomes) outcomes->count[w->table->result.outcome]++;
    if (format == MB_TABLE_CSV)
      csv_row(w);
    else
      json_row(w);
    put_line(w);
  }
  if (format == MB_TABLE_JSON) mb_text_add(&w->line, "\n ]}\n");
  put_line(w);
  return status ? status : w->line.failed ? mb_no_memory(report, "a table") : MB_OK;
}

MbStatus mb_table_write(MbSweepTable *table, MbTableFormat format, FILE *out, MbOutcomes *outcomes,
                        MbReport *report) {
  Writer w = {.table = table, .out = out};
  if (outcomes) *outcomes = (MbOutcomes){0};
  MbStatus status = mb_table_rewind(table, report);
  errno = 0;
  if (!status)
    status = format == MB_TABLE_NPZ ? write_npz(&w, report) : write_rows(&w, format, outcomes, report);
  mb_free(mb_text_take(&w.line));
  if (!status && (fflush(out) || ferror(out)))
    return mb_error(report, MB_IO, "", "cannot write the table: %s", strerror(errno ? errno : EIO));
  return status;
}
