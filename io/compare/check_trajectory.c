// Sanity of one trajectory: what can be wrong with a run even though every byte of its file is in order.
#include "core/base/alloc.h"
#include "core/base/report.h"
#include "core/sim/gaps.h"
#include "io/compare/compare.h"
#include "io/compare/walk.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// The worst value of something, and where it is.
typedef struct Worst {
  double value;
  uint64_t frame;
  double time;
  const MbChannel *channel;
  size_t item, component;
  const char *field; // of an entry of a list; NULL: of no such
} Worst;

typedef struct Energy {
  const MbChannel *channel;
  size_t kinetic, total; // components; SIZE_MAX = none
  double first;          // total of the first frame
  double kinetic_most;
  double *lo, *hi; // (width)
  Worst drift;     // absolute
} Energy;

typedef struct Check {
  const MbChannel *channels;
  size_t nchannels;
  MbTraj *traj;
  uint64_t nonfinite, backward, tilted_count;
  bool quaternions;        // there are some
  uint64_t seen;           // frames before this one
  double before;           // time of the last frame
  Worst bad, clock;        // first number that is none; first time that does not increase
  Worst norm;              // largest | |q| - 1 |
  const MbChannel *tilted; // rotation channel with the first norm beyond its tolerance, NULL = none
  Worst beyond;
  Energy energy;
  const MbChannel *momentum, *constraint;
  double p_first[6], p_most[2];
  Worst p_drift[2], violation;
  double bound, patience; // that the run held constraints to; 0 = not known
  MbGap gap;
  bool open;    // in the last frame
  Worst stayed; // the first frame by which a gap had stayed open
} Check;

static const char *const halves[2] = {"linear", "angular"};

// ---- gathering --------------------------------------------------------------------------------------------

static size_t find_component(const MbChannel *channel, const char *name) {
  for (size_t k = 0; k < channel->width && channel->component_names; k++)
    if (!strcmp(channel->component_names[k], name)) return k;
  return SIZE_MAX;
}

// Keeps the larger; what is not a number counts as larger than every number.
static void keep(Worst *worst, double value, Worst here) {
  if (isnan(worst->value) || !(value > worst->value || isnan(value))) return;
  here.value = mb_plain(value);
  *worst = here;
}

static void see_finite(Check *c, const double *frame, Worst here) {
  for (size_t i = 0; i < here.channel->items * here.channel->width; i++) {
    if (isfinite(frame[here.channel->offset + i])) continue;
    if (c->nonfinite++) continue;
    c->bad = here;
    c->bad.item = i / here.channel->width;
    c->bad.component = i % here.channel->width;
    c->bad.value = mb_plain(frame[here.channel->offset + i]);
  }
}

// The same of the entries of a list; what they are about is told by their place.
static MbStatus see_entries(Check *c, Worst here, MbReport *report) {
  const double *x = NULL;
  size_t count = 0;
  const MbStatus status = mb_traj_list(c->traj, here.frame, here.channel, &x, &count, report);
  for (size_t i = 0; i < count * here.channel->list->width && !status; i++) {
    if (isfinite(x[i]) || c->nonfinite++) continue;
    c->bad = here;
    c->bad.item = i / here.channel->list->width;
    c->bad.component = i % here.channel->list->width;
    c->bad.field = here.channel->list->fields[c->bad.component].name;
    c->bad.value = mb_plain(x[i]);
  }
  return status;
}

// Rounding may take 1e-9 of the length; a file's bound on each of four components twice itself.
static void see_norms(Check *c, size_t index, const double *frame, Worst here) {
  static const double rounding = 1e-9;
  const double allowed = rounding + 2 * mb_traj_bound(c->traj, index);
  c->quaternions = true;
  for (size_t i = 0; i < here.channel->items; i++) {
    const double *q = frame + here.channel->offset + i * 4;
    const double off = fabs(sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]) - 1);
    here.item = i;
    keep(&c->norm, off, here);
    if (off <= allowed) continue;
    if (!c->tilted_count++) c->tilted = here.channel;
    keep(&c->beyond, off, here);
  }
}

static void see_energy(Energy *e, bool first, const double *frame, Worst here) {
  const double *x = frame + e->channel->offset;
  if (first) e->first = x[e->total];
  if (e->kinetic != SIZE_MAX && fabs(x[e->kinetic]) > e->kinetic_most) e->kinetic_most = fabs(x[e->kinetic]);
  for (size_t k = 0; k < e->channel->width; k++) {
    if (first || x[k] < e->lo[k]) e->lo[k] = x[k];
    if (first || x[k] > e->hi[k]) e->hi[k] = x[k];
  }
  keep(&e->drift, fabs(x[e->total] - e->first), here);
}

static void see_momentum(Check *c, const double *frame, Worst here) {
  const double *p = frame + c->momentum->offset;
  if (!c->seen) memcpy(c->p_first, p, sizeof c->p_first);
  for (int h = 0; h < 2; h++) {
    const double *v = p + 3 * h, *v0 = c->p_first + 3 * h;
    const double d[3] = {v[0] - v0[0], v[1] - v0[1], v[2] - v0[2]};
    const double norm = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    if (norm > c->p_most[h]) c->p_most[h] = norm;
    keep(&c->p_drift[h], sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]), here);
  }
}

static void see_constraints(Check *c, const double *frame, Worst here) {
  double far = 0;
  for (size_t k = 0; k < here.channel->items * here.channel->width; k++) {
    here.item = k / here.channel->width;
    here.component = k % here.channel->width;
    const double error = fabs(frame[here.channel->offset + k]);
    keep(&c->violation, error, here);
    if (k == 0) far = error; // of positions; the other one is of velocities
  }
  if (!(c->bound > 0)) return;
  c->open = far > c->bound;
  if (!mb_gap_stays(&c->gap, here.time, far / c->bound, mb_traj_step(c->traj), c->patience)) return;
  here.item = here.component = 0;
  here.value = far;
  if (!c->stayed.channel) c->stayed = here;
}

static MbStatus see_frame(Check *c, const double *frame, Worst here, MbReport *report) {
  MbStatus status = MB_OK;
  if (!isfinite(here.time) || (c->seen && !(here.time > c->before)))
    if (!c->backward++) c->clock = here;
  c->before = here.time;
  for (size_t i = 0; i < c->nchannels && !status; i++) {
    const MbChannel *channel = here.channel = &c->channels[i];
    see_finite(c, frame, here);
    if (channel->list) status = see_entries(c, here, report);
    if (channel->rotation && channel->width == 4) see_norms(c, i, frame, here);
    if (channel == c->energy.channel) see_energy(&c->energy, !c->seen, frame, here);
    if (channel == c->momentum) see_momentum(c, frame, here);
    if (channel == c->constraint) see_constraints(c, frame, here);
    here.item = here.component = 0;
  }
  c->seen++;
  return status;
}

// ---- telling ----------------------------------------------------------------------------------------------

static MbCheckItem *tell(MbCheckResult *r, const char *name, bool checked, bool pass, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

static MbCheckItem *tell(MbCheckResult *r, const char *name, bool checked, bool pass, const char *format,
                         ...) {
  MbCheckItem *item = &r->items[r->count++];
  *item = (MbCheckItem){.name = name, .checked = checked, .pass = pass};
  va_list args;
  va_start(args, format);
  vsnprintf(item->text, sizeof item->text, format, args);
  va_end(args);
  return item;
}

// "body.position of 'crate' (x) at t = 0.5 s (frame 50)"
static const char *place(const Worst *w, bool whole_item, char text[160]) {
  const MbChannel *channel = w->channel;
  int n = snprintf(text, 160, "%.60s", channel->name);
  if (w->field)
    n += snprintf(text + n, 160 - (size_t)n, " of entry %zu (%.40s)", w->item, w->field);
  else if (channel->items_names)
    n += snprintf(text + n, 160 - (size_t)n, " of '%.30s'", channel->items_names[w->item]);
  else if (channel->items > 1)
    n += snprintf(text + n, 160 - (size_t)n, " of item %zu", w->item);
  if (!whole_item && channel->component_names && channel->width > 1)
    n += snprintf(text + n, 160 - (size_t)n, " (%.20s)", channel->component_names[w->component]);
  snprintf(text + n, 160 - (size_t)n, " at t = %.9g s (frame %llu)", w->time, (unsigned long long)w->frame);
  return text;
}

static const char *moment(const Worst *w, char text[160]) {
  snprintf(text, 160, "at t = %.9g s (frame %llu)", w->time, (unsigned long long)w->frame);
  return text;
}

// Judged only where `allowed` is a number.
static bool judge(double value, double allowed) { return isnan(allowed) || value <= allowed; }

static double relative(double value, double scale) { return value == 0 ? 0 : mb_plain(value / scale); }

static void tell_numbers(const Check *c, MbCheckResult *r) {
  const unsigned long long frames = (unsigned long long)c->seen;
  char text[160];
  if (c->nonfinite)
    tell(r, "finite numbers", true, false, "%llu are not; the first is %g, %s",
         (unsigned long long)c->nonfinite, c->bad.value, place(&c->bad, false, text));
  else
    tell(r, "finite numbers", true, true, "all of %llu frames", frames);

  if (c->backward)
    tell(r, "monotone time", true, false, "%llu times do not increase, the first %s",
         (unsigned long long)c->backward, moment(&c->clock, text));
  else
    tell(r, "monotone time", true, true, "%llu frames", frames);

  if (!c->quaternions)
    tell(r, "unit quaternions", false, true, "there are none");
  else if (c->tilted)
    tell(r, "unit quaternions", true, false, "%llu are not; the worst is off by %.3g, %s",
         (unsigned long long)c->tilted_count, c->beyond.value, place(&c->beyond, true, text));
  else if (!c->norm.channel)
    tell(r, "unit quaternions", true, true, "every length is 1");
  else
    tell(r, "unit quaternions", true, true, "off by at most %.3g, %s", c->norm.value,
         place(&c->norm, true, text));
}

// Also which frames are missing, as many as there is room for.
static void tell_whole(const MbTraj *traj, MbCheckResult *r) {
  const bool whole = mb_traj_whole(traj);
  const size_t gaps = mb_traj_gaps(traj);
  char text[200] = "";
  size_t n = 0;
  for (size_t i = 0; i < gaps; i++) {
    const MbTrajGap gap = mb_traj_gap(traj, i);
    char one[64];
    const unsigned long long first = (unsigned long long)gap.first, last = first + gap.count - 1;
    const int length = gap.count == 1
                           ? snprintf(one, sizeof one, "%s%llu", i ? ", " : "", first)
                           : snprintf(one, sizeof one, "%s%llu to %llu", i ? ", " : "", first, last);
    if (n + (size_t)length + sizeof " and more" > sizeof text) {
      memcpy(text + n, " and more", sizeof " and more");
      break;
    }
    memcpy(text + n, one, (size_t)length + 1);
    n += (size_t)length;
  }
  tell(r, "whole file", true, whole, "%s%s",
       whole  ? "index and trailer are there"
       : gaps ? "it was cut off or damaged; missing are frames "
              : "it was cut off or damaged",
       text);
}

// Where a bound is asked for of what the file does not tell, the check fails: nobody knows whether it holds.
static void tell_missing(MbCheckResult *r, const char *name, const char *what, double allowed) {
  const bool asked = !isnan(allowed);
  tell(r, name, asked, !asked, "there is no channel %s%s", what,
       asked ? ", of which a bound is asked for" : "");
}

static void tell_energy(const Check *c, double allowed, MbCheckResult *r) {
  const Energy *e = &c->energy;
  if (!e->channel) {
    tell_missing(r, "energy", "energy with a total", allowed);
    return;
  }
  double scale = e->kinetic_most;
  for (size_t k = 0; k < e->channel->width; k++)
    if (k != e->total && k != e->kinetic) scale += e->hi[k] - e->lo[k];
  if (!(scale > 0)) scale = fabs(e->first);
  const double drift = relative(e->drift.value, scale);
  char text[160];
  tell(r, "energy", !isnan(allowed), judge(drift, allowed),
       "total drifts by up to %.3g J, %.3g of its scale %.3g J, %s", e->drift.value, drift, mb_plain(scale),
       moment(&e->drift, text));
}

static void tell_momentum(const Check *c, double allowed, MbCheckResult *r) {
  if (!c->momentum) {
    tell_missing(r, "momentum", "momentum", allowed);
    return;
  }
  const double drift[2] = {relative(c->p_drift[0].value, c->p_most[0]),
                           relative(c->p_drift[1].value, c->p_most[1])};
  char at[2][160];
  tell(r, "momentum", !isnan(allowed), judge(drift[0], allowed) && judge(drift[1], allowed),
       "%s changes by up to %.3g (%.3g of its largest) %s, %s by up to %.3g (%.3g) %s", halves[0],
       c->p_drift[0].value, drift[0], moment(&c->p_drift[0], at[0]), halves[1], c->p_drift[1].value, drift[1],
       moment(&c->p_drift[1], at[1]));
}

static void tell_constraints(const Check *c, double allowed, MbCheckResult *r) {
  char text[160];
  if (!c->constraint)
    tell_missing(r, "constraint.error", "constraint.error", allowed);
  else if (isnan(allowed) && c->stayed.channel)
    tell(r, "constraint.error", true, false, "a constraint stays open by more than %.3g: %.3g, %s", c->bound,
         c->stayed.value, moment(&c->stayed, text));
  else if (isnan(allowed) && c->open)
    tell(r, "constraint.error", true, false, "a constraint is open by more than %.3g where the run ends",
         c->bound);
  else if (isnan(allowed) && c->bound > 0)
    tell(r, "constraint.error", true, true, "at most %.3g, %s; none stays open by more than %.3g",
         c->violation.value, place(&c->violation, false, text), c->bound);
  else
    tell(r, "constraint.error", !isnan(allowed), judge(c->violation.value, allowed), "at most %.3g, %s",
         c->violation.value, place(&c->violation, false, text));
}

// ---- the whole --------------------------------------------------------------------------------------------

static MbStatus begin_check(Check *c, MbTraj *traj, MbReport *report) {
  *c = (Check){.traj = traj};
  c->bound = mb_traj_constraint_bound(traj, &c->patience);
  c->channels = mb_traj_channels(traj, &c->nchannels);
  for (size_t i = 0; i < c->nchannels; i++) {
    const MbChannel *channel = &c->channels[i];
    if (!strcmp(channel->name, "momentum") && channel->width == 6 && channel->items == 1)
      c->momentum = c->p_drift[0].channel = c->p_drift[1].channel = channel;
    if (!strcmp(channel->name, "constraint.error") && channel->items && channel->width)
      c->constraint = c->violation.channel = channel;
    if (strcmp(channel->name, "energy") != 0 || channel->items != 1) continue;
    Energy *e = &c->energy;
    e->kinetic = find_component(channel, "kinetic");
    e->total = find_component(channel, "total");
    if (e->total == SIZE_MAX) continue;
    e->channel = channel;
    e->lo = mb_calloc(channel->width, sizeof *e->lo);
    e->hi = mb_calloc(channel->width, sizeof *e->hi);
    if (!e->lo || !e->hi) return mb_no_memory(report, "the check");
  }
  return MB_OK;
}

static MbStatus check_numbers(MbTraj *traj, const MbCheckOptions *options, MbCheckResult *r,
                              MbReport *report) {
  Check c;
  MbWalk walk = {0};
  MbStatus status = begin_check(&c, traj, report);
  if (status == MB_OK) status = mb_walk_begin(&walk, traj, NULL, report);
  for (uint64_t k = mb_traj_frame_from(traj, 0); k < walk.frames && status == MB_OK;
       k = mb_traj_frame_from(traj, k + 1)) {
    Worst here = {.frame = k};
    const double *frame = NULL;
    status = mb_walk_frame(&walk, k, &here.time, &frame, report);
    if (status == MB_OK) status = see_frame(&c, frame, here, report);
  }
  if (status == MB_OK && !walk.frames) {
    tell(r, "frames", false, true, "there are none");
  } else if (status == MB_OK) {
    tell_numbers(&c, r);
    tell_energy(&c, options->energy_drift, r);
    tell_momentum(&c, options->momentum_drift, r);
    tell_constraints(&c, options->constraint_error, r);
  }
  mb_walk_end(&walk);
  mb_free(c.energy.lo);
  mb_free(c.energy.hi);
  return status;
}

MbStatus mb_check_trajectory(const char *path, const MbCheckOptions *options, MbCheckResult *result,
                             MbReport *report) {
  *result = (MbCheckResult){0};
  MbTraj *traj = NULL;
  MbStatus status = mb_traj_open(path, &traj, report);
  if (status != MB_OK) return status;

  // what is in the file, then what its numbers say
  MbReport damage = {0};
  const MbStatus sound = mb_traj_verify(path, &damage);
  const char *first = "every record and every chunk is in order";
  for (int i = damage.kept; i-- > 0;)
    if (!damage.issues[i].warning) first = damage.issues[i].text;
  tell(result, "checksums", true, sound == MB_OK, "%.250s", first);
  if (sound != MB_OK) mb_error(report, MB_IO, "", "%s", first);
  tell_whole(traj, result);

  status = check_numbers(traj, options, result, report);
  mb_traj_free(traj);
  if (status != MB_OK || sound != MB_OK) return status != MB_OK ? status : sound;
  for (size_t i = 0; i < result->count; i++)
    if (!result->items[i].pass) return MB_DIFFERS;
  return MB_OK;
}
