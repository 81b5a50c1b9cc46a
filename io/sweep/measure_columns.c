#include "core/base/alloc.h"
#include "core/base/report.h"
#include "io/export/column_name.h"
#include "io/sweep/measure_parts.h"

#include <string.h>

static const char *take_name(MbText *name, MbArena *arena) {
  const char *kept = name->failed ? NULL : mb_arena_strdup(arena, name->length ? name->text : "");
  name->length = 0;
  return kept;
}

MbStatus mb_columns_build(MbColumns *columns, const MbChannel *channels, size_t nchannels, MbArena *arena,
                          MbReport *report) {
  size_t n = 0, at = 0;
  for (size_t i = 0; i < nchannels; i++) n += channels[i].items * channels[i].width;
  *columns = (MbColumns){.name = mb_arena_alloc(arena, 2 * n + 1, sizeof *columns->name), .ncolumns = n};
  MbText name = {0};
  bool fine = columns->name;
  for (size_t i = 0; i < nchannels && fine; i++) {
    const MbChannel *c = &channels[i];
    for (size_t k = 0; k < c->items * c->width && fine; k++, at++) {
      // a column's number is its place in the frame, so that channels must lie one behind the other
      mb_column_name(&name, c, k);
      columns->name[c->offset + k] = take_name(&name, arena);
      mb_column_full_name(&name, c, k);
      columns->name[n + c->offset + k] = take_name(&name, arena);
      fine = columns->name[c->offset + k] && columns->name[n + c->offset + k];
    }
  }
  mb_free(mb_text_take(&name));
  for (size_t i = 0; i < 2 * n && fine; i++) {
    const size_t length = strlen(columns->name[i]);
    if (length > columns->longest) columns->longest = length;
  }
  if (fine) fine = mb_names_build(&columns->index, columns->name, 2 * n, arena, NULL);
  return fine ? MB_OK : mb_no_memory(report, "the names of columns");
}

static bool is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}

size_t mb_columns_match(const MbColumns *columns, const char *text, size_t *column, bool *twice) {
  size_t found = 0, number = 0;
  char *name = mb_calloc(columns->longest + 1, 1);
  if (!name) return 0;
  const size_t most = strnlen(text, columns->longest);
  for (size_t n = most; n > 0 && !found; n--) {
    if (is_name(text[n])) continue;
    memcpy(name, text, n);
    name[n] = 0;
    if (mb_names_find(&columns->index, name, &number)) found = n;
  }
  *twice = false;
  if (found) {
    *column = number % columns->ncolumns;
    name[found] = 0;
    for (size_t i = 0; i < 2 * columns->ncolumns; i++)
      *twice = *twice || (i % columns->ncolumns != *column && !strcmp(columns->name[i], name));
  }
  mb_free(name);
  return found;
}
