#include "io/compare/compare.h"
#include "core/base/alloc.h"
#include "core/base/report.h"
#include "io/compare/compare_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static MbStatus check_tolerance(const MbTolerance *t, MbReport *report) {
  if (t->atol >= 0 && t->rtol >= 0 && isfinite(t->atol) && isfinite(t->rtol)) return MB_OK;
  return mb_error(report, MB_USAGE, "", "tolerances are finite and not negative, not atol %g and rtol %g%s%s",
                  t->atol, t->rtol, t->channel ? " for " : "", t->channel ? t->channel : "");
}

static MbStatus check_options(const MbCompareOptions *options, MbReport *report) {
  MbStatus status = check_tolerance(&options->fallback, report);
  for (size_t i = 0; i < options->ntolerances && status == MB_OK; i++)
    status = check_tolerance(&options->tolerances[i], report);
  if (status == MB_OK && isnan(options->until))
    status = mb_error(report, MB_USAGE, "", "the time up to which numbers are compared is not a number");
  return status;
}

// A name in the tolerances that no channel has is worth a word: it may be misspelt.
static MbStatus warn_unknown(MbCompare *c) {
  const size_t n = c->result->nchannels;
  const char **names = mb_calloc(n + 1, sizeof *names);
  if (!names) return mb_no_memory(c->report, "the comparison");
  for (size_t i = 0; i < n; i++) names[i] = c->result->channels[i].channel;
  for (size_t i = 0; i < c->options->ntolerances; i++) {
    const char *name = c->options->tolerances[i].channel;
    bool known = !name;
    for (size_t k = 0; k < n && !known; k++) known = !strcmp(names[k], name);
    if (known) continue;
    const char *near = mb_nearest_word(name, names);
    mb_warning(c->report, "", "there is a tolerance for '%s' but no such channel%s%s%s", name,
               near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
  }
  mb_free(names);
  return MB_OK;
}

// A file that was cut off or damaged is never the same as another one, whatever is left of it.
static MbStatus note_damage(MbCompare *c) {
  MbTraj *files[2] = {c->a, c->b};
  MbStatus status = MB_OK;
  for (int i = 0; i < 2 && status == MB_OK; i++) {
    if (!mb_traj_whole(files[i]))
      status = mb_compare_note(c, "%s is cut off or damaged; %llu frames of it are readable",
                               mb_traj_path(files[i]), (unsigned long long)mb_traj_frames_there(files[i]));
    for (size_t k = 0; k < mb_traj_gaps(files[i]) && status == MB_OK; k++) {
      const MbTrajGap gap = mb_traj_gap(files[i], k);
      status =
          mb_compare_note(c, "%s lacks frames %llu to %llu", mb_traj_path(files[i]),
                          (unsigned long long)gap.first, (unsigned long long)(gap.first + gap.count - 1));
    }
  }
  return status;
}

static MbStatus close_notes(MbCompare *c) {
  if (!c->unsaid) return MB_OK;
  const uint64_t more = c->unsaid;
  MbCompareResult *r = c->result;
  char *text = mb_arena_alloc(c->arena, 64, 1);
  if (!text) return mb_no_memory(c->report, "the comparison");
  snprintf(text, 64, "and %llu more", (unsigned long long)more);
  r->missing[r->nmissing++] = text; // there is room: mb_compare_note leaves one
  return MB_OK;
}

static MbStatus finish(MbCompare *c) {
  MbCompareResult *r = c->result;
  MbStatus status = mb_budgets_finish(c);
  if (status == MB_OK) status = note_damage(c);
  if (status == MB_OK) status = close_notes(c);
  if (status != MB_OK) return status;
  if (!r->frames && !r->ninvariants)
    return mb_error(c->report, MB_USAGE, "",
                    "%s (t = %g to %g s) and %s (t = %g to %g s) have no time in common", mb_traj_path(c->a),
                    c->span_a.t0, c->span_a.t1, mb_traj_path(c->b), c->span_b.t0, c->span_b.t1);

  for (size_t i = 0; i < c->npairs && !r->frames; i++) r->channels[c->pairs[i].result].compared = false;
  r->same = !r->nmissing;
  for (size_t i = 0; i < c->npairs; i++) mb_growth_fit(&c->pairs[i].growth, &r->channels[c->pairs[i].result]);
  for (size_t i = 0; i < r->nchannels; i++) r->same = r->same && r->channels[i].pass;
  for (size_t i = 0; i < r->ninvariants; i++) r->same = r->same && r->invariants[i].pass;
  mb_compare_verdict(c);
  return r->same ? MB_OK : MB_DIFFERS;
}

MbStatus mb_compare(MbTraj *a, MbTraj *b, const MbCompareOptions *options, MbCompareResult *result,
                    MbReport *report) {
  *result = (MbCompareResult){0};
  MbStatus status = check_options(options, report);
  if (status != MB_OK) return status;
  MbArena *arena = result->arena = mb_calloc(1, sizeof *arena);
  if (!arena) return mb_no_memory(report, "the comparison");

  MbCompare c = {.a = a, .b = b, .options = options, .result = result, .report = report, .arena = arena};
  static const double near = 1e-9; // of a step
  const double step = mb_traj_step(a);
  c.slack = step > 0 && isfinite(step) ? near * step : 0;

  status = mb_compare_scenes(&c);
  if (status == MB_OK) status = mb_compare_align(&c);
  if (status == MB_OK) status = warn_unknown(&c);
  if (status == MB_OK) status = mb_budgets_create(&c);
  if (status == MB_OK) status = mb_compare_ranges(&c);
  if (status == MB_OK) status = mb_compare_frames(&c);
  for (size_t i = 0; i < c.npairs; i++) mb_compare_list_free(&c.pairs[i]);
  return status == MB_OK ? finish(&c) : status;
}

void mb_compare_free(MbCompareResult *result) {
  if (result->arena) mb_arena_free(result->arena);
  mb_free(result->arena);
  *result = (MbCompareResult){0};
}
