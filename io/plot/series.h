// The points of a curve as they come, thinned so that nothing is lost that a picture shows: however many come, few are kept.
#ifndef MB_IO_SERIES_H
#define MB_IO_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct MbSeriesPoint {
  double x, y;
  uint64_t order; // of its coming
} MbSeriesPoint;

// Of the points that fall into one of `buckets` parts of the way from `from` to `to` these stay: the first, the last, and those
// of smallest and largest x and y.
enum { MB_SERIES_ROLES = 6 };

typedef struct MbSeries {
  double *x, *y; // (n) the points kept, after mb_series_end; NaN where the line breaks
  size_t n;
  uint64_t unfit; // numbers that are not finite
  // while points come
  double from, to;
  size_t buckets, bucket, room;
  uint64_t count;                      // points so far
  bool any, broken, failed;            // in the bucket: a point; a break
  MbSeriesPoint role[MB_SERIES_ROLES]; // of the bucket
} MbSeries;

void mb_series_begin(MbSeries *series, size_t buckets, double from, double to);
// A point at `way`, which must not decrease. What is not finite breaks the line.
void mb_series_add(MbSeries *series, double way, double x, double y);
// The line goes on with another point, not from this one.
void mb_series_break(MbSeries *series);
// False: memory ran out.
bool mb_series_end(MbSeries *series);
void mb_series_free(MbSeries *series);

#endif
