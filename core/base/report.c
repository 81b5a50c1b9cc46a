#include "core/base/report.h"
#include "core/base/blas.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

const char *mb_status_text(MbStatus status) {
  switch (status) {
  case MB_OK:
    return "ok";
  case MB_DIFFERS:
    return "trajectories differ";
  case MB_USAGE:
    return "wrong usage";
  case MB_SCENE:
    return "the scene is invalid";
  case MB_NUMBERS:
    return "the numbers failed";
  case MB_IO:
    return "input or output failed";
  case MB_DEVICE:
    return "the device is not available";
  case MB_INTERRUPTED:
    return "interrupted";
  }
  return "unknown status";
}

// The next free issue of its kind, or NULL when enough of them are kept.
static MbIssue *next_issue(MbReport *report, bool warning) {
  const int seen = warning ? report->warnings++ : report->errors++;
  if (seen >= MB_REPORT_MAX) return NULL;
  MbIssue *issue = &report->issues[report->kept++];
  *issue = (MbIssue){.warning = warning};
  return issue;
}

static void fill(MbIssue *issue, const char *where, const char *format, va_list args) {
  if (!issue) return;
  snprintf(issue->where, sizeof issue->where, "%s", where ? where : "");
  vsnprintf(issue->text, sizeof issue->text, format, args);
}

static MbIssue *add_error(MbReport *report, MbStatus status, int line, int column) {
  if (!report) return NULL;
  if (!report->errors) report->status = status;
  MbIssue *issue = next_issue(report, false);
  if (issue) issue->line = line, issue->column = column;
  return issue;
}

MbStatus mb_error(MbReport *report, MbStatus status, const char *where, const char *format, ...) {
  va_list args;
  va_start(args, format);
  fill(add_error(report, status, 0, 0), where, format, args);
  va_end(args);
  return status;
}

MbStatus mb_error_at(MbReport *report, MbStatus status, int line, int column, const char *where,
                     const char *format, ...) {
  va_list args;
  va_start(args, format);
  fill(add_error(report, status, line, column), where, format, args);
  va_end(args);
  return status;
}

void mb_error_more(MbReport *report, const char *format, ...) {
  MbIssue *issue = NULL;
  for (int i = 0; report && i < report->kept; i++)
    if (!report->issues[i].warning) issue = &report->issues[i];
  if (!issue) return;
  const size_t n = strlen(issue->text);
  va_list args;
  va_start(args, format);
  vsnprintf(issue->text + n, sizeof issue->text - n, format, args);
  va_end(args);
}

// Whether the last issue kept is one that had been kept before.
static bool told_before(const MbReport *report) {
  const MbIssue *last = &report->issues[report->kept - 1];
  for (const MbIssue *issue = report->issues; issue < last; issue++)
    if (issue->warning == last->warning && !strcmp(issue->text, last->text) &&
        !strcmp(issue->where, last->where))
      return true;
  return false;
}

void mb_warning(MbReport *report, const char *where, const char *format, ...) {
  va_list args;
  MbIssue *issue = report ? next_issue(report, true) : NULL;
  va_start(args, format);
  fill(issue, where, format, args);
  va_end(args);
  if (issue && told_before(report)) report->kept--, report->warnings--;
}

MbStatus mb_no_memory(MbReport *report, const char *what) {
  // What cannot be had for want of LAPACKE comes to its callers as a NULL, too.
  const char *missing = mb_blas_missing();
  if (missing) return mb_error(report, MB_IO, "", "%s", missing);
  return mb_error(report, MB_IO, "", "out of memory for %s", what);
}

// Levenshtein distance with transpositions, of words that differ within 31 characters; a large number for others.
static int edits(const char *a, const char *b) {
  enum { LONG = 32 };
  while (*a && *a == *b) a++, b++; // what is the same at the start and at the end costs nothing
  int n = (int)strlen(a), m = (int)strlen(b);
  while (n && m && a[n - 1] == b[m - 1]) n--, m--;
  if (n >= LONG || m >= LONG) return 1 << 20;
  int d[LONG][LONG];
  for (int i = 0; i <= n; i++) d[i][0] = i;
  for (int j = 0; j <= m; j++) d[0][j] = j;
  for (int i = 1; i <= n; i++) {
    for (int j = 1; j <= m; j++) {
      int best = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
      if (d[i - 1][j] + 1 < best) best = d[i - 1][j] + 1;
      if (d[i][j - 1] + 1 < best) best = d[i][j - 1] + 1;
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && d[i - 2][j - 2] + 1 < best)
        best = d[i - 2][j - 2] + 1;
      d[i][j] = best;
    }
  }
  return d[n][m];
}

const char *mb_nearest_word(const char *word, const char *const *words) {
  const char *best = NULL;
  const size_t length = strlen(word);
  int least = length <= 3 ? 1 : length <= 6 ? 2 : 3;
  for (; *words; words++) {
    const int k = edits(word, *words);
    // one with no letter in common is not near, however short both are
    if ((size_t)k >= length && (size_t)k >= strlen(*words) && strcasecmp(word, *words) != 0) continue;
    // a word that the found one begins (or is begun by) is near, however many letters are missing
    const bool prefix = length >= 3 && (!strncmp(*words, word, length));
    if (k < least + (best == NULL) || (prefix && !best)) {
      best = *words;
      least = k < least ? k : least;
    }
  }
  return best;
}
