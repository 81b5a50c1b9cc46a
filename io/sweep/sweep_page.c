#include "io/sweep/sweep_page.h"
#include "core/base/alloc.h"
#include "core/base/report.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

// The page, as tools/sweep/report.html has it, within the program.
__asm__(".section .rodata\n"
        ".global mb_sweep_page_begin\n"
        ".global mb_sweep_page_end\n"
        "mb_sweep_page_begin:\n"
        ".incbin \"tools/sweep/report.html\"\n"
        "mb_sweep_page_end:\n"
        ".byte 0\n"
        ".previous\n");
extern const char mb_sweep_page_begin[], mb_sweep_page_end[];

static const char MARK[] = "<!--DATA-->";

// JSON within a script: no text in it may look like its end.
static void put_json(FILE *out, const MbText *text) {
  for (size_t i = 0; i < text->length; i++) {
    if (text->text[i] == '<')
      fputs("\\u003c", out);
    else
      fputc(text->text[i], out);
  }
}

static void add_column(MbText *t, size_t i, const char *name, const char *role, const char *what) {
  mb_text_add(t, i ? ",\n{\"name\":" : "\n{\"name\":");
  mb_text_quoted(t, name);
  mb_text_format(t, ",\"role\":\"%s\"", role);
  if (what) {
    mb_text_add(t, ",\"what\":");
    mb_text_quoted(t, what);
  }
  mb_text_add(t, "}");
}

static void add_columns(MbText *t, const MbSweepTable *table) {
  enum { AXES = 2 }; // run, id
  const MbSweepHead *h = &table->head;
  for (size_t i = 0; i < table->ncolumns; i++) {
    const bool axis = i >= AXES && i < AXES + h->naxes,
               measure = i >= AXES + h->naxes && i < AXES + h->naxes + h->nmeasures;
    add_column(t, i, table->names[i],
               i == 1    ? "id"
               : axis    ? "axis"
               : measure ? "measure"
                         : "other",
               measure ? h->measures[i - AXES - h->naxes].what : NULL);
  }
}

static void add_row(MbText *t, const MbSweepTable *table) {
  for (size_t i = 0; i < table->ncolumns; i++) {
    const MbCell *cell = &table->cells[i];
    if (i) mb_text_add(t, ",");
    if (!cell->number)
      mb_text_quoted(t, cell->text);
    else if (isfinite(cell->value))
      mb_text_number(t, cell->value);
    else
      mb_text_add(t, "null");
  }
}

static void add_link(MbText *t, const char *folder, const MbSweepTable *table) {
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/runs/%s/run.html", folder, table->id);
  if (table->result.outcome == MB_OUT_MISSING)
    mb_text_add(t, "\"\"");
  else
    mb_text_format(t, "\"runs/%s/%s\"", table->id, access(path, R_OK) ? "" : "run.html");
}

// One of two lists over all rows.
static MbStatus put_rows(MbSweepTable *table, const char *folder, bool links, FILE *out, MbReport *report) {
  MbText t = {0};
  MbStatus status = mb_table_rewind(table, report);
  for (bool first = true; !status && mb_table_next(table, &status, report); first = false) {
    mb_text_add(&t, first ? "\n" : ",\n");
    if (!links) mb_text_add(&t, "[");
    if (links)
      add_link(&t, folder, table);
    else
      add_row(&t, table);
    if (!links) mb_text_add(&t, "]");
    put_json(out, &t);
    t.length = 0;
  }
  const bool failed = t.failed;
  mb_free(mb_text_take(&t));
  return status ? status : failed ? mb_no_memory(report, "a report") : MB_OK;
}

static MbStatus put_data(MbSweepTable *table, const char *folder, FILE *out, MbReport *report) {
  MbText t = {0};
  mb_text_add(&t, "{\"scene\":");
  mb_text_quoted(&t, table->head.scene);
  mb_text_format(&t, ",\"version\":\"%s\",\"columns\":[", mb_version());
  add_columns(&t, table);
  mb_text_add(&t, "],\n\"rows\":[");
  const bool failed = t.failed;
  fputs("<script type=\"application/json\" id=\"data\">", out);
  put_json(out, &t);
  mb_free(mb_text_take(&t));
  MbStatus status = failed ? mb_no_memory(report, "a report") : put_rows(table, folder, false, out, report);
  fputs("],\n\"links\":[", out);
  if (!status) status = put_rows(table, folder, true, out, report);
  fputs("]}</script>", out);
  return status;
}

MbStatus mb_sweep_report(const char *folder, FILE *out, MbReport *report) {
  const size_t size = (size_t)(mb_sweep_page_end - mb_sweep_page_begin);
  const char *mark = memmem(mb_sweep_page_begin, size, MARK, sizeof MARK - 1);
  const size_t before = mark ? (size_t)(mark - mb_sweep_page_begin) : size;
  MbSweepTable *table = NULL;
  MbStatus status = mb_table_open(folder, &table, report);
  if (status) return status;
  errno = 0;
  fwrite(mb_sweep_page_begin, 1, before, out);
  status = put_data(table, folder, out, report);
  if (mark) fwrite(mark + sizeof MARK - 1, 1, size - before - (sizeof MARK - 1), out);
  mb_table_free(table);
  if (!status && (fflush(out) || ferror(out)))
    return mb_error(report, MB_IO, "", "cannot write the report: %s", strerror(errno ? errno : EIO));
  return status;
}
