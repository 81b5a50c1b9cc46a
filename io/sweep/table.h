// The table of a sweep, made from its folder: `sweep.json` says what the columns are, `design.csv` which runs there are, and each
// run's folder what it came to. Rows come in the order of the design; a run without a result is a row that says "missing".
//
// Columns: run, id, what varies, measures, energy_drift, steps, status, exit_code, message, trajectory (the hash of what it holds);
// then, unless they are not wanted, what differs from time to time: steps_per_second, wall.
#ifndef MB_IO_SWEEP_TABLE_H
#define MB_IO_SWEEP_TABLE_H

#include "io/sweep/design.h"
#include "io/sweep/measure.h"
#include "io/sweep/result.h"

// What stands in sweep.json.
typedef struct MbSweepHead {
  const char *scene; // its file
  uint64_t runs;
  const char **axes; // (naxes)
  size_t naxes;
  MbMeasureAsk *measures; // (nmeasures)
  size_t nmeasures;
  bool times; // columns that differ from time to time
} MbSweepHead;

char *mb_sweep_head_write(const MbSweepHead *head); // mb_free it; NULL when memory ran out
// A value of the design as a cell: texts without JSON's quotes.
void mb_sweep_cell(MbText *out, const char *json);
void mb_csv_cell(MbText *out, const char *text); // quoted where it must be

typedef struct MbCell {
  const char *text;
  bool number; // whether the column is one of numbers, and this is one (NaN included)
  double value;
} MbCell;

typedef struct MbSweepTable {
  MbSweepHead head;
  const char **names; // (ncolumns)
  size_t ncolumns;
  MbCell *cells; // (ncolumns) of the row
  MbResult result;
  char id[33];
  bool lacks; // the result has not all measures
  struct MbTableSource *source;
  struct MbFinished *finished; // runs that have left no folder
} MbSweepTable;

// Whether every table has a column of that name, whatever varies and is measured.
bool mb_table_always_has(const char *name);
// MB_IO where the folder holds no sweep.
MbStatus mb_table_open(const char *folder, MbSweepTable **table, MbReport *report);
// The next row; false at the end, or where the design's file is damaged (*status).
bool mb_table_next(MbSweepTable *table, MbStatus *status, MbReport *report);
MbStatus mb_table_rewind(MbSweepTable *table, MbReport *report);
void mb_table_free(MbSweepTable *table);

typedef enum MbTableFormat { MB_TABLE_CSV, MB_TABLE_JSON, MB_TABLE_NPZ, MB_TABLE_FORMATS } MbTableFormat;
extern const char *const mb_table_words[MB_TABLE_FORMATS + 1];

// How many rows have each outcome.
typedef struct MbOutcomes {
  uint64_t count[MB_OUTCOMES];
} MbOutcomes;

// Writes all rows to `out`, which may be a pipe. `outcomes` may be NULL.
MbStatus mb_table_write(MbSweepTable *table, MbTableFormat format, FILE *out, MbOutcomes *outcomes,
                        MbReport *report);

#endif
