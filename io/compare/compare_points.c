// Errors of numbers and rotations, the ranges that scale them, and one frame against another.
#include "core/base/alloc.h"
#include "core/base/report.h"
#include "io/compare/compare_parts.h"

#include <float.h>
#include <math.h>
#include <string.h>

double mb_number_error(double a, double b) {
  if (a == b || (isnan(a) && isnan(b))) return 0;
  if (isnan(a) || isnan(b)) return INFINITY;
  return fabs(a - b);
}

// Doubles in their order as integers; both zeros are 0.
static int64_t ordered(double x) {
  int64_t bits = 0;
  memcpy(&bits, &x, sizeof bits);
  return bits < 0 ? INT64_MIN - bits : bits;
}

double mb_number_ulps(double a, double b) {
  if (isnan(a) || isnan(b)) return isnan(a) && isnan(b) ? 0 : INFINITY;
  const int64_t i = ordered(a), j = ordered(b);
  const double rough = fabs((double)i - (double)j);
  return rough > 0x1p62 ? rough : fabs((double)(i - j)); // the difference of the integers is exact
}

static bool same_number(double a, double b) { return a == b || (isnan(a) && isnan(b)); }

static double dot4(const double a[4], const double b[4]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

// conj(a) b has the vector part of conj(a) d with d = b - a, which keeps its digits however near b is to a:
//   v = a0 d - d0 a - a x d,   angle = 2 atan2(|v|, a . b)
static double rotation_angle(const double a[4], const double b[4]) {
  const double inner = dot4(a, b), sign = inner < 0 ? -1 : 1;
  const double d[4] = {sign * b[0] - a[0], sign * b[1] - a[1], sign * b[2] - a[2], sign * b[3] - a[3]};
  const double v[3] = {a[0] * d[1] - d[0] * a[1] - (a[2] * d[3] - a[3] * d[2]),
                       a[0] * d[2] - d[0] * a[2] - (a[3] * d[1] - a[1] * d[3]),
                       a[0] * d[3] - d[0] * a[3] - (a[1] * d[2] - a[2] * d[1])};
  return 2 * atan2(sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]), fabs(inner));
}

double mb_rotation_error(const double a[4], const double b[4]) {
  const double sign = dot4(a, b) < 0 ? -1 : 1;
  bool same = true;
  for (int k = 0; k < 4; k++) same = same && same_number(a[k], sign * b[k]);
  if (same) return 0;
  const double angle = rotation_angle(a, b);
  const double length = fabs(sqrt(dot4(a, a)) - sqrt(dot4(b, b)));
  if (isnan(angle) || isnan(length)) return INFINITY;
  return angle > length ? angle : length;
}

// |b - a| <= 2 bound in four dimensions, and |a| >= 1 - 2 bound: half the angle is at most asin of their
// ratio.
double mb_rotation_bound(double bound) {
  static const double pi = 3.14159265358979323846;
  if (!(bound > 0)) return 0;
  return bound < 0.2 ? 2 * asin(2 * bound / (1 - 2 * bound)) : pi;
}

MbTolerance mb_compare_tolerance(const MbCompareOptions *options, const char *channel,
                                 const char *component) {
  for (size_t i = 0; i < options->ntolerances; i++) {
    const MbTolerance *t = &options->tolerances[i];
    if (!t->channel || strcmp(t->channel, channel) != 0) continue;
    if (!t->component || (component && !strcmp(t->component, component))) return *t;
  }
  return options->fallback;
}

// ---- ranges -----------------------------------------------------------------------------------------------

// Smallest and largest value of each number of a frame; in rotation channels `lo` is the first quaternion and
// hi[0] of each the largest angle from it.
typedef struct Extents {
  double *lo, *hi;
} Extents;

static void begin_extents(const MbPair *p, Extents e) {
  // a position's zero is arbitrary; no motion, no force, no energy is a natural one
  const bool from_zero = p->a->quantity != MB_POSE && !p->a->rotation;
  for (size_t i = 0; i < p->a->items * p->a->width; i++) {
    e.lo[p->a->offset + i] = p->a->rotation ? NAN : from_zero ? 0 : INFINITY;
    e.hi[p->a->offset + i] = p->a->rotation || from_zero ? 0 : -INFINITY;
  }
}

static bool finite4(const double q[4]) {
  return isfinite(q[0]) && isfinite(q[1]) && isfinite(q[2]) && isfinite(q[3]);
}

static void extend(const MbPair *p, const double *frame, Extents e) {
  const size_t first = p->a->offset, end = first + p->a->items * p->a->width;
  for (size_t i = first; p->a->rotation && i < end; i += 4) {
    if (!finite4(frame + i)) continue;
    if (isnan(e.lo[i])) memcpy(e.lo + i, frame + i, 4 * sizeof *frame);
    const double angle = mb_rotation_error(e.lo + i, frame + i);
    if (angle > e.hi[i]) e.hi[i] = angle;
  }
  for (size_t i = first; !p->a->rotation && i < end; i++) {
    if (!isfinite(frame[i])) continue;
    if (frame[i] < e.lo[i]) e.lo[i] = frame[i];
    if (frame[i] > e.hi[i]) e.hi[i] = frame[i];
  }
}

// The largest of the components of a group, over the items; of a list, over the entries.
static void group_ranges(MbPair *p, Extents e) {
  const size_t width = p->a->width;
  for (size_t n = 0; n < p->a->items * width; n++) {
    const size_t k = n % width, at = p->a->offset + n;
    double unused = 0;
    const double extent = p->list          ? mb_compare_list_extent(p, k, &unused)
                          : p->a->rotation ? e.hi[at]
                                           : e.hi[at] - e.lo[at];
    double *range = &p->range[p->group[k]];
    if (extent > *range) *range = fmin(extent, DBL_MAX);
  }
}

// The ranges, and the tolerances that follow.
static void end_extents(MbCompare *c, MbPair *p, Extents e) {
  MbChannelResult *r = &c->result->channels[p->result];
  const MbTolerance whole = mb_compare_tolerance(c->options, p->a->name, NULL);
  const size_t width = p->a->width;
  group_ranges(p, e);
  const double bounds = p->bound_a + p->bound_b;
  r->atol = whole.atol + bounds;
  r->rtol = whole.rtol;
  for (size_t k = 0; k < width; k++) {
    p->range[k] = p->range[p->group[k]];
    const char *const *names = p->a->rotation ? NULL : p->a->component_names;
    const MbTolerance own = mb_compare_tolerance(c->options, p->a->name, names ? names[k] : NULL);
    double bound = bounds;
    if (p->list) mb_compare_list_extent(p, k, &bound);
    p->tolerance[k] = own.atol + bound + (own.rtol > 0 ? own.rtol * p->range[k] : 0);
    if (p->range[k] > r->range) r->range = p->range[k];
  }
}

MbStatus mb_compare_ranges(MbCompare *c) {
  const size_t size = mb_traj_frame_size(c->a);
  const Extents e = {mb_calloc(size, sizeof(double)), mb_calloc(size, sizeof(double))};
  MbWalk walk = {0};
  MbStatus status = e.lo && e.hi ? MB_OK : mb_no_memory(c->report, "the comparison");
  if (status == MB_OK) status = mb_walk_begin(&walk, c->a, c->wanted_a, c->report);

  bool first = true;
  for (size_t i = 0; i < c->npairs && status == MB_OK; i++)
    if (!c->pairs[i].list) begin_extents(&c->pairs[i], e);
  for (uint64_t k = mb_traj_frame_from(c->a, 0); k < walk.frames && status == MB_OK;
       k = mb_traj_frame_from(c->a, k + 1)) {
    double time = 0;
    const double *frame = NULL;
    status = mb_walk_frame(&walk, k, &time, &frame, c->report);
    for (size_t i = 0; i < c->npairs && status == MB_OK; i++) {
      if (c->pairs[i].list)
        status = mb_compare_list_extend(c, &c->pairs[i], k, first);
      else
        extend(&c->pairs[i], frame, e);
    }
    first = false;
  }
  for (size_t i = 0; i < c->npairs && status == MB_OK; i++) end_extents(c, &c->pairs[i], e);

  mb_walk_end(&walk);
  mb_free(e.lo);
  mb_free(e.hi);
  return status;
}

// ---- one frame --------------------------------------------------------------------------------------------

static double scaled(double error, double range) {
  if (error == 0) return 0;
  return range > 0 ? error / range : INFINITY;
}

void mb_tally_error(MbTally *t, const MbPair *p, MbDifference *d) {
  d->scaled = scaled(d->error, p->range[d->component]);
  d->a = mb_plain(d->a), d->b = mb_plain(d->b);
  const double tolerance = d->allowed = p->tolerance[d->component];
  if (d->error > p->worst[d->component]) p->worst[d->component] = d->error;
  if (p->now && d->error > p->now[d->component]) p->now[d->component] = d->error;
  if (d->error > t->largest || t->worst.frame == UINT64_MAX) {
    t->largest = d->error;
    t->worst = *d;
  }
  if (d->error <= tolerance && tolerance > 0) return;
  t->exceeding++;
  const double excess = scaled(d->error - tolerance, p->range[d->component]);
  if (excess > t->excess) {
    t->excess = excess;
    t->beyond = *d;
  }
}

static void compare_numbers(const MbPair *p, const MbDifference *place, const double *a, const double *b,
                            MbTally *t) {
  const bool lossless = p->bound_a == 0 && p->bound_b == 0;
  for (size_t k = 0; k < p->a->width; k++) {
    if (p->component[k] == SIZE_MAX || same_number(a[k], b[p->component[k]])) continue;
    MbDifference d = *place;
    d.component = k;
    d.a = a[k];
    d.b = b[p->component[k]];
    d.error = mb_number_error(d.a, d.b);
    d.ulps = lossless ? mb_number_ulps(d.a, d.b) : 0;
    mb_tally_error(t, p, &d);
  }
}

static void compare_rotation(const MbPair *p, const MbDifference *place, const double *a, const double *b,
                             MbTally *t) {
  const double sign = dot4(a, b) < 0 ? -1 : 1;
  MbDifference d = *place;
  double largest = 0;
  for (size_t k = 0; k < 4; k++) {
    const double error = mb_number_error(a[k], sign * b[k]);
    if (!(error > largest)) continue;
    largest = error;
    d.component = k;
  }
  if (!(largest > 0)) return;
  d.a = a[d.component];
  d.b = sign * b[d.component];
  d.error = mb_rotation_error(a, b);
  d.ulps = p->bound_a == 0 && p->bound_b == 0 ? mb_number_ulps(d.a, d.b) : 0;
  mb_tally_error(t, p, &d);
}

static void compare_items(MbPair *p, const MbDifference *place, const double *a, const double *b,
                          MbTally *t) {
  const size_t wa = p->a->width, wb = p->b->width;
  if (p->same_layout && !memcmp(a, b, p->a->items * wa * sizeof *a)) return;
  MbDifference here = *place;
  b = mb_compare_brought(p, a, b);
  for (size_t i = 0; i < p->a->items; i++) {
    here.item = i;
    if (p->item[i] == SIZE_MAX) continue;
    if (p->a->rotation)
      compare_rotation(p, &here, a + i * wa, b + p->item[i] * wb, t);
    else
      compare_numbers(p, &here, a + i * wa, b + p->item[i] * wb, t);
  }
}

static void take_tally(MbPair *p, MbChannelResult *r, double time, const MbTally *t) {
  if (t->worst.frame != UINT64_MAX && (r->worst.frame == UINT64_MAX || t->largest > r->worst.error))
    r->worst = t->worst;
  if (t->exceeding && r->first.frame == UINT64_MAX) r->first = t->beyond;
  r->exceeding += t->exceeding;
  if (t->exceeding) r->pass = false;
  mb_growth_add(&p->growth, time, t->largest, t->exceeding > 0);
}

MbStatus mb_compare_points(MbCompare *c, const uint64_t frame[2], double time, const double *a,
                           const double *b) {
  for (size_t i = 0; i < c->npairs; i++) {
    MbPair *p = &c->pairs[i];
    const MbDifference place = {.frame = frame[0], .time = time};
    MbTally tally = {.excess = -1, .worst.frame = UINT64_MAX};
    for (size_t k = 0; p->now && k < p->a->width; k++) p->now[k] = 0;
    if (p->list && frame[1] == UINT64_MAX) continue;
    const MbStatus status = p->list ? mb_compare_list(c, p, frame, place, &tally) : MB_OK;
    if (status != MB_OK) return status;
    if (!p->list) compare_items(p, &place, a + p->a->offset, b + p->b->offset, &tally);
    take_tally(p, &c->result->channels[p->result], time, &tally);
    if (!p->now || !c->result->channels[p->result].compared) continue;
    const MbFrameErrors errors = {p->result, p->a, time, p->now, p->tolerance};
    c->options->watch(c->options->watcher, &errors);
  }
  c->result->frames++;
  return MB_OK;
}

// ---- between frames ---------------------------------------------------------------------------------------

// Along the shorter arc from a to +-b, at constant rate.
static void blend_rotation(const double a[4], const double b[4], double s, double out[4]) {
  const double inner = dot4(a, b), sign = inner < 0 ? -1 : 1;
  const double angle = rotation_angle(a, b) / 2;
  double u = 1 - s, v = s;
  static const double straight = 1e-8; // below it the arc is straight to all digits
  if (angle > straight) {
    u = sin((1 - s) * angle) / sin(angle);
    v = sin(s * angle) / sin(angle);
  }
  for (int k = 0; k < 4; k++) out[k] = u * a[k] + v * sign * b[k];
}

void mb_compare_blend(const MbCompare *c, const double *b0, const double *b1, double s, double *out) {
  for (size_t i = 0; i < c->npairs; i++) {
    const MbChannel *b = c->pairs[i].b;
    if (c->pairs[i].list) continue;
    const size_t first = b->offset, end = first + b->items * b->width;
    for (size_t k = first; b->rotation && k < end; k += 4) blend_rotation(b0 + k, b1 + k, s, out + k);
    for (size_t k = first; !b->rotation && k < end; k++) out[k] = b0[k] + s * (b1[k] - b0[k]);
    mb_compare_blend_vectors(b, b0, b1, s, out);
  }
}
