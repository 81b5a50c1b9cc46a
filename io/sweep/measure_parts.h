// Private to io/sweep/measure*.c.
#ifndef MB_IO_MEASURE_PARTS_H
#define MB_IO_MEASURE_PARTS_H

#include "core/base/arena.h"
#include "core/base/names.h"
#include "core/sim/turns.h"
#include "io/sweep/measure.h"

typedef enum MbMeasureKind {
  MB_FINAL,
  MB_MIN,
  MB_MAX,
  MB_MEAN,
  MB_RMS,
  MB_AT,
  MB_TIME_OF_MAX,
  MB_TIME_OF_MIN,
  MB_FIRST,
  MB_MEASURE_KINDS
} MbMeasureKind;

// What the frames so far have left of a term.
typedef struct MbTermState {
  double value; // the last, the best, or the sum
  // when the best was; what the sum has lost to rounding; the time of the last frame before `at`
  double other;
  uint64_t count;
  uint64_t spoilt; // of min and max: a number was NaN
} MbTermState;

// One function of a measure.
typedef struct MbTerm {
  MbMeasureKind kind;
  double when;   // of AT
  size_t column; // SIZE_MAX: an expression
  MbExpression *expression;
  const size_t *columns; // (ncolumns) that it reads, into `values`
  double *values;
  size_t ncolumns;
  MbTermState state;
} MbTerm;

// The measure's text with its terms as names _m0, _m1, ...
typedef struct MbMeasure {
  const char *text;
  size_t first, count; // terms
} MbMeasure;

// The names of all columns, in both orders; name i is of column i % ncolumns.
typedef struct MbColumns {
  const char **name; // (2 ncolumns, ended by NULL)
  size_t ncolumns;
  MbNames index;
  size_t longest;
} MbColumns;

// Rotations of which a term that asks for a time reads a number (measure_turn.h).
typedef struct MbMeasureTurns {
  MbRotationPlace *place; // (n)
  size_t n, size;         // size: of a frame
  double *kept;           // (4 n) what the last frame told of them
  double *frame, *slope;  // (size) scratch
} MbMeasureTurns;

struct MbMeasures {
  MbArena arena;
  MbMeasure *measures; // (nmeasures)
  size_t nmeasures;
  MbTerm *terms; // (nterms)
  size_t nterms;
  const MbConstant *parameters; // (nparameters)
  size_t nparameters;
  MbColumns columns;
  MbMeasureTurns turns;
};

// What a measure comes to when its terms are `values`. An error says what does not fit.
MbStatus mb_measure_evaluate(const MbMeasures *m, size_t i, const double *values, const char *name,
                             double *result, MbReport *report);
// The number of a frame that a term takes in.
double mb_term_number(const MbTerm *term, double time, const double *frame);
// What a term comes to so far; NaN: there is none.
double mb_term_result(const MbTerm *term);

MbStatus mb_columns_build(MbColumns *columns, const MbChannel *channels, size_t nchannels, MbArena *arena,
                          MbReport *report);
// The length of the longest column's name that `text` begins with; 0 where there is none. *twice: it is that of two columns.
size_t mb_columns_match(const MbColumns *columns, const char *text, size_t *column, bool *twice);

// Takes the terms out of a measure's text. `most` is room for terms.
MbStatus mb_measure_parse(MbMeasures *m, const MbMeasureAsk *ask, double end, MbMeasure *out,
                          MbReport *report);
// The derivative of a function at x, by differences of fourth order over moves that become shorter until two of them agree, so that it is found
// where the function is curved over no more than x, as 1/x, and where x is nothing beside what it is added to. NaN where no two agree.
typedef double (*MbCurve)(const void *context, double x);
double mb_curve_slope(MbCurve f, const void *context, double x);
// That of a measure's expression by one of its terms, and of a term's by one of the columns that it reads.
MbStatus mb_measure_by_term(const MbMeasures *m, size_t i, const double *terms, size_t k, double *slope,
                            MbReport *report);
double mb_term_by_column(const MbTerm *term, double time, const double *frame, size_t c);
// MB_USAGE where a measure tells the time of a frame, which has no derivative.
MbStatus mb_measures_smooth(const MbMeasures *m, MbReport *report);
enum { MB_MEASURE_MOST_TERMS = 32 }; // of one measure

#endif
