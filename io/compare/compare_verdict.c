// One line that says what came of a comparison.
#include "io/compare/compare_parts.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// Appends to the verdict; what does not fit is cut.
static void say(MbCompareResult *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void say(MbCompareResult *r, const char *format, ...) {
  const size_t used = strlen(r->verdict);
  va_list args;
  va_start(args, format);
  vsnprintf(r->verdict + used, sizeof r->verdict - used, format, args);
  va_end(args);
}

// The channel in which something exceeds first.
static const MbChannelResult *earliest(const MbCompareResult *r) {
  const MbChannelResult *found = NULL;
  for (size_t i = 0; i < r->nchannels; i++) {
    const MbChannelResult *x = &r->channels[i];
    if (!x->compared || x->pass) continue;
    if (!found || x->first.frame < found->first.frame) found = x;
  }
  return found;
}

static void say_place(MbCompare *c, const MbChannelResult *x, const MbDifference *d) {
  MbCompareResult *r = c->result;
  size_t count = 0;
  const MbChannel *a = mb_traj_channels(c->a, &count) + x->in_a;
  say(r, "%s", x->channel);
  char thing[160];
  if (a->list && d->component)
    say(r, " of '%s'", mb_entry_name(a->list, d->key, d->nkeys, d->item, thing, sizeof thing));
  else if (a->items_names)
    say(r, " of '%s'", a->items_names[d->item]);
  else if (a->items > 1)
    say(r, " of item %zu", d->item);
  if (a->rotation)
    say(r, " (angle)");
  else if (x->ncomponents)
    say(r, " (%s)", x->component_names[d->component]);
  say(r, " at t = %.9g s (frame %llu): ", d->time, (unsigned long long)d->frame);
  if (isinf(d->error))
    say(r, "%g against %g", d->a, d->b);
  else
    say(r, "%.3g > %.3g", d->error, d->allowed);
}

static void say_growth(MbCompareResult *r, const MbChannelResult *x) {
  if (x->jump)
    say(r, ", there at once");
  else if (x->growth > 0)
    say(r, ", grows 10x every %.2g s", 1 / x->growth);
}

// The channel that is furthest off, by its own range, of those that differ.
static const MbChannelResult *furthest(const MbCompareResult *r) {
  const MbChannelResult *found = NULL;
  for (size_t i = 0; i < r->nchannels; i++) {
    const MbChannelResult *x = &r->channels[i];
    if (x->compared && !x->pass && (!found || x->worst.scaled > found->worst.scaled)) found = x;
  }
  return found;
}

static void say_worst(MbCompare *c, const MbChannelResult *first) {
  const MbChannelResult *x = furthest(c->result);
  if (x == first && x->worst.frame == first->first.frame && x->worst.item == first->first.item &&
      x->worst.component == first->first.component)
    return;
  say(c->result, "; worst ");
  say_place(c, x, &x->worst);
}

// Says what differs; returns how many differences were left out.
static size_t say_difference(MbCompare *c) {
  MbCompareResult *r = c->result;
  const MbChannelResult *x = earliest(r);
  size_t others = r->nmissing;
  for (size_t i = 0; i < r->nchannels; i++) others += r->channels[i].compared && !r->channels[i].pass;
  const MbInvariantResult *invariant = NULL;
  for (size_t i = 0; i < r->ninvariants; i++) {
    others += !r->invariants[i].pass;
    if (!invariant && !r->invariants[i].pass) invariant = &r->invariants[i];
  }
  if (x) {
    say_place(c, x, &x->first);
    say_growth(r, x);
    say_worst(c, x);
  } else if (r->nmissing) {
    say(r, "%s", r->missing[0]);
  } else if (invariant) {
    say(r, "%s after t = %.9g s: %.6g against %.6g, off by %.3g > %.3g", invariant->name, c->options->until,
        invariant->a, invariant->b, invariant->error, invariant->tolerance);
  }
  return others - 1;
}

static void say_same(MbCompare *c) {
  MbCompareResult *r = c->result;
  const MbChannelResult *worst = NULL;
  for (size_t i = 0; i < r->nchannels; i++) {
    const MbChannelResult *x = &r->channels[i];
    if (x->compared && x->worst.frame != UINT64_MAX && (!worst || x->worst.scaled > worst->worst.scaled))
      worst = x;
  }
  say(r, "same: %llu frames, %zu %s, ", (unsigned long long)r->frames, c->npairs,
      c->npairs == 1 ? "channel" : "channels");
  if (!r->frames)
    say(r, "no number compared");
  else if (worst)
    say(r, "all within tolerance; the largest difference is %.3g in %s at t = %.9g s", worst->worst.error,
        worst->channel, worst->worst.time);
  else
    say(r, "every number equal");
  if (r->ninvariants) say(r, "; %zu invariants agree after t = %.9g s", r->ninvariants, c->options->until);
}

void mb_compare_verdict(MbCompare *c) {
  MbCompareResult *r = c->result;
  r->verdict[0] = 0;
  if (r->same) {
    say_same(c);
    return;
  }
  say(r, "differ: ");
  const size_t others = say_difference(c);
  if (others) say(r, "; %zu more %s", others, others == 1 ? "difference" : "differences");
}
