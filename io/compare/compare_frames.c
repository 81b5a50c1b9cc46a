// Matching the frames of two trajectories by their times.
#include "core/base/alloc.h"
#include "core/base/report.h"
#include "io/compare/compare_parts.h"

#include <math.h>
#include <string.h>

// Frames that only one file has.
typedef struct Lonely {
  uint64_t count, frame; // frame: the first of them
  double time;
} Lonely;

typedef struct Matching {
  MbCompare *c;
  MbWalk a, b;
  uint64_t i, j; // next frame of each
  double ta, tb; // their times, infinity behind the end
  const double *fa, *fb;
  double before_time;     // of b's frame j - 1
  double *before, *blend; // (frame size of b) its numbers, kept for interpolation
  bool joined, torn;      // b's frame j - 1 was the one before; it is missing
  Lonely only_a, only_b;
} Matching;

static MbStatus load_a(Matching *m) {
  m->ta = INFINITY;
  return m->i < m->a.frames ? mb_walk_frame(&m->a, m->i, &m->ta, &m->fa, m->c->report) : MB_OK;
}

static MbStatus load_b(Matching *m) {
  m->tb = INFINITY;
  return m->j < m->b.frames ? mb_walk_frame(&m->b, m->j, &m->tb, &m->fb, m->c->report) : MB_OK;
}

static MbStatus next_a(Matching *m) {
  m->i = mb_traj_frame_from(m->a.traj, m->i + 1);
  return load_a(m);
}

static MbStatus next_b(Matching *m) {
  m->before_time = m->tb;
  if (m->before) memcpy(m->before, m->fb, m->b.frame_size * sizeof *m->before);
  const uint64_t next = m->j + 1;
  m->j = mb_traj_frame_from(m->b.traj, next);
  m->joined = m->j == next;
  m->torn = !m->joined;
  return load_b(m);
}

static void add_lonely(Lonely *only, uint64_t frame, double time) {
  if (!only->count++) {
    only->frame = frame;
    only->time = time;
  }
}

// Whether time t is so far outside of the other file's span that one of its own frames is missing there.
static bool outside(const MbCompare *c, const MbSpan *other, double t) {
  return t <= other->t0 - other->first_step + c->slack || t >= other->t1 + other->last_step - c->slack;
}

static bool after_until(const MbCompare *c, double t) { return t > c->options->until + c->slack; }

// A frame of a at a time that b does not have.
static MbStatus step_a(Matching *m) {
  MbCompare *c = m->c;
  if (after_until(c, m->ta)) {
    mb_budgets_add(c, false, m->ta, m->fa);
    if (outside(c, &c->span_b, m->ta)) add_lonely(&m->only_a, m->i, m->ta);
  } else if (c->options->interpolate && m->joined && m->j < m->b.frames) {
    const double s = (m->ta - m->before_time) / (m->tb - m->before_time);
    mb_compare_blend(c, m->before, m->fb, s, m->blend);
    const uint64_t frames[2] = {m->i, UINT64_MAX};
    const MbStatus status = mb_compare_points(c, frames, m->ta, m->fa, m->blend);
    if (status != MB_OK) return status;
  } else if (!c->options->interpolate || m->torn || outside(c, &c->span_b, m->ta)) {
    add_lonely(&m->only_a, m->i, m->ta);
  }
  return next_a(m);
}

static MbStatus step_b(Matching *m) {
  MbCompare *c = m->c;
  const bool later = after_until(c, m->tb);
  if (later) mb_budgets_add(c, true, m->tb, m->fb);
  const bool inside_counts = !later && !c->options->interpolate;
  if (inside_counts || outside(c, &c->span_a, m->tb)) add_lonely(&m->only_b, m->j, m->tb);
  return next_b(m);
}

static MbStatus step_both(Matching *m) {
  MbCompare *c = m->c;
  if (after_until(c, m->ta)) {
    mb_budgets_add(c, false, m->ta, m->fa);
    mb_budgets_add(c, true, m->tb, m->fb);
  } else {
    const uint64_t frames[2] = {m->i, m->j};
    const MbStatus compared = mb_compare_points(c, frames, m->ta, m->fa, m->fb);
    if (compared != MB_OK) return compared;
  }
  const MbStatus status = next_a(m);
  return status == MB_OK ? next_b(m) : status;
}

static MbStatus note_lonely(MbCompare *c, const Lonely *only, MbTraj *has) {
  if (!only->count) return MB_OK;
  if (only->count == 1)
    return mb_compare_note(c, "frame %llu at t = %.9g s is only in %s", (unsigned long long)only->frame,
                           only->time, mb_traj_path(has));
  return mb_compare_note(c, "%llu frames from t = %.9g s (frame %llu) on are only in %s",
                         (unsigned long long)only->count, only->time, (unsigned long long)only->frame,
                         mb_traj_path(has));
}

// To a part of a step, or to the last bits of a long run's time.
static bool same_time(const Matching *m) {
  return m->i < m->a.frames && m->j < m->b.frames &&
         fabs(m->ta - m->tb) <= fmax(m->c->slack, 0x1p-51 * fabs(m->ta));
}

static MbStatus match(Matching *m) {
  m->i = mb_traj_frame_from(m->a.traj, 0);
  m->j = mb_traj_frame_from(m->b.traj, 0);
  MbStatus status = load_a(m);
  if (status == MB_OK) status = load_b(m);
  while (status == MB_OK && (m->i < m->a.frames || m->j < m->b.frames)) {
    if (same_time(m))
      status = step_both(m);
    else
      status = m->ta < m->tb ? step_a(m) : step_b(m);
  }
  if (status == MB_OK) status = note_lonely(m->c, &m->only_a, m->c->a);
  if (status == MB_OK) status = note_lonely(m->c, &m->only_b, m->c->b);
  return status;
}

static MbStatus find_span(MbTraj *traj, MbSpan *span, MbReport *report) {
  const uint64_t n = mb_traj_frames(traj);
  if (!n) return mb_error(report, MB_USAGE, "", "%s has no frames", mb_traj_path(traj));
  // the first two that are there, the last two
  const uint64_t first = mb_traj_frame_from(traj, 0), last = n - 1;
  const bool alone = first == last;
  const uint64_t second = alone ? first : mb_traj_frame_from(traj, first + 1);
  const uint64_t previous = alone ? last : mb_traj_frame_until(traj, last - 1);
  const uint64_t frame[4] = {first, second, previous, last};
  double time[4] = {0};
  MbStatus status = MB_OK;
  for (int k = 0; k < 4 && status == MB_OK; k++)
    status = mb_traj_read(traj, frame[k], 1, NULL, &time[k], NULL, report);
  *span = (MbSpan){.t0 = time[0], .t1 = time[3]};
  if (!alone) {
    span->first_step = (time[1] - time[0]) / (double)(second - first);
    span->last_step = (time[3] - time[2]) / (double)(last - previous);
  }
  return status;
}

MbStatus mb_compare_frames(MbCompare *c) {
  Matching m = {.c = c};
  MbStatus status = find_span(c->a, &c->span_a, c->report);
  if (status == MB_OK) status = find_span(c->b, &c->span_b, c->report);
  if (status == MB_OK) status = mb_walk_begin(&m.a, c->a, c->wanted_a, c->report);
  if (status == MB_OK) status = mb_walk_begin(&m.b, c->b, c->wanted_b, c->report);
  if (status == MB_OK && c->options->interpolate) {
    m.before = mb_calloc(m.b.frame_size, sizeof *m.before);
    m.blend = mb_calloc(m.b.frame_size, sizeof *m.blend);
    if (!m.before || !m.blend) status = mb_no_memory(c->report, "the comparison");
  }
  if (status == MB_OK) status = match(&m);
  mb_walk_end(&m.a);
  mb_walk_end(&m.b);
  mb_free(m.before);
  mb_free(m.blend);
  return status;
}
