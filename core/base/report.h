// Adding to a report: the only way in which anything below cli/ says what went wrong.
#ifndef MB_BASE_REPORT_H
#define MB_BASE_REPORT_H

#include "core/mbsim.h"

#include <math.h>

#if defined(__GNUC__)
#define MB_PRINTF(f, a) __attribute__((format(printf, f, a)))
#else
#define MB_PRINTF(f, a)
#endif

// Adds an error at JSON pointer `where` (may be "") and returns `status`, so that callers can write
// `return mb_error(report, MB_SCENE, ...)`. `report` may be NULL. Over-long texts are cut.
MbStatus mb_error(MbReport *report, MbStatus status, const char *where, const char *format, ...)
    MB_PRINTF(4, 5);
// Adds to the text of the last error that was kept.
void mb_error_more(MbReport *report, const char *format, ...) MB_PRINTF(2, 3);
// The same of a warning, which is kept once, however often it is told word for word.
void mb_warning(MbReport *report, const char *where, const char *format, ...) MB_PRINTF(3, 4);
// The same with a known place in the source text.
MbStatus mb_error_at(MbReport *report, MbStatus status, int line, int column, const char *where,
                     const char *format, ...) MB_PRINTF(6, 7);
// MB_IO, "out of memory for ..."; where LAPACKE cannot be loaded that is told instead
MbStatus mb_no_memory(MbReport *report, const char *what);

// Makes a report empty, without a look at the issues that it has room for: they are more bytes than much of what reports are made for
// touches.
static inline void mb_report_clear(MbReport *report) {
  report->status = MB_OK;
  report->errors = report->warnings = report->kept = 0;
  report->file[0] = 0;
}

// For messages: NaN has a sign that means nothing, and would be printed.
static inline double mb_plain(double x) { return isnan(x) ? (double)NAN : x; }

// The word of `words` (ended by NULL) nearest to `word` in edits, or NULL when none is near enough ("a" is not near
// to "b").
const char *mb_nearest_word(const char *word, const char *const *words);

#endif
