#include "io/plot/series.h"
#include "core/base/alloc.h"
#include "io/plot/plot.h"

#include <math.h>

enum { FIRST, LAST, LEFTMOST, RIGHTMOST, LOWEST, HIGHEST };

void mb_series_begin(MbSeries *s, size_t buckets, double from, double to) {
  *s = (MbSeries){.buckets = buckets, .from = from, .to = to};
}

static void keep(MbSeries *s, double x, double y) {
  if (s->n == s->room) {
    const size_t room = s->room ? 2 * s->room : 256;
    double *xs = mb_realloc(s->x, room, sizeof *xs), *ys = NULL;
    if (xs) s->x = xs, ys = mb_realloc(s->y, room, sizeof *ys);
    if (ys) s->y = ys;
    s->failed |= !xs || !ys;
    if (s->failed) return;
    s->room = room;
  }
  s->x[s->n] = x, s->y[s->n++] = y;
}

// The bucket's points in the order in which they came, each once.
static void empty_bucket(MbSeries *s) {
  for (uint64_t after = 0; s->any && !s->failed;) {
    const MbSeriesPoint *next = NULL;
    for (int r = 0; r < MB_SERIES_ROLES; r++) {
      const MbSeriesPoint *p = &s->role[r];
      if (p->order >= after && (!next || p->order < next->order)) next = p;
    }
    if (!next) break;
    keep(s, next->x, next->y);
    after = next->order + 1;
  }
  s->any = false;
}

static void enter_bucket(MbSeries *s, double way) {
  const double part = (way - s->from) / (s->to - s->from) * (double)s->buckets;
  const size_t bucket = part > 0 ? part < (double)s->buckets ? (size_t)part : s->buckets - 1 : 0;
  if (bucket == s->bucket) return;
  empty_bucket(s);
  s->bucket = bucket;
  s->broken = false;
}

// A bucket has one break, so that there are few of them too.
void mb_series_break(MbSeries *s) {
  if (s->broken) return;
  empty_bucket(s);
  if (s->n && !isnan(s->y[s->n - 1])) keep(s, NAN, NAN);
  s->broken = true;
}

void mb_series_add(MbSeries *s, double way, double x, double y) {
  enter_bucket(s, way);
  const MbSeriesPoint p = {x, y, s->count++};
  if (!(fabs(x) <= MB_PLOT_MOST && fabs(y) <= MB_PLOT_MOST)) {
    s->unfit++;
    mb_series_break(s);
    return;
  }
  for (int r = 0; !s->any && r < MB_SERIES_ROLES; r++) s->role[r] = p;
  s->any = true;
  s->role[LAST] = p;
  if (x < s->role[LEFTMOST].x) s->role[LEFTMOST] = p;
  if (x > s->role[RIGHTMOST].x) s->role[RIGHTMOST] = p;
  if (y < s->role[LOWEST].y) s->role[LOWEST] = p;
  if (y > s->role[HIGHEST].y) s->role[HIGHEST] = p;
}

bool mb_series_end(MbSeries *s) {
  empty_bucket(s);
  return !s->failed;
}

void mb_series_free(MbSeries *s) {
  mb_free(s->x);
  mb_free(s->y);
  *s = (MbSeries){0};
}
