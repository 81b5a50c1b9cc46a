#include "io/sweep/measure_turn.h"
#include "core/base/alloc.h"
#include "core/base/report.h"

#include <string.h>

// ---- which ------------------------------------------------------------------------------------------------

static bool term_reads(const MbTerm *term, const MbRotationPlace *place) {
  bool reads = term->column - place->at < place->width;
  for (size_t i = 0; i < term->ncolumns; i++) reads |= term->columns[i] - place->at < place->width;
  return reads;
}

static bool is_asked(const MbMeasures *m, const MbRotationPlace *place) {
  for (size_t i = 0; i < m->nterms; i++)
    if (m->terms[i].kind == MB_AT && term_reads(&m->terms[i], place)) return true;
  return false;
}

MbStatus mb_measure_turns_find(MbMeasures *m, const MbChannel *channels, size_t nchannels, MbReport *report) {
  MbMeasureTurns *turns = &m->turns;
  const size_t count = mb_channel_turns(channels, nchannels, NULL), size = m->columns.ncolumns;
  if (!count) return MB_OK;
  turns->place = mb_arena_alloc(&m->arena, count, sizeof *turns->place);
  if (!turns->place) return mb_no_memory(report, "measures");
  mb_channel_turns(channels, nchannels, turns->place);
  for (size_t i = 0; i < count; i++)
    if (is_asked(m, &turns->place[i])) turns->place[turns->n++] = turns->place[i];
  if (!turns->n) return MB_OK;
  turns->size = size;
  turns->kept = mb_arena_alloc(&m->arena, 4 * turns->n, sizeof *turns->kept);
  turns->frame = mb_arena_alloc(&m->arena, size, sizeof *turns->frame);
  turns->slope = mb_arena_alloc(&m->arena, size, sizeof *turns->slope);
  return turns->kept && turns->frame && turns->slope ? MB_OK : mb_no_memory(report, "measures");
}

// ---- frames -----------------------------------------------------------------------------------------------

void mb_measure_turns_keep(MbMeasures *m, const double *frame) {
  for (size_t i = 0; i < m->turns.n; i++) {
    const MbRotationPlace *place = &m->turns.place[i];
    memcpy(m->turns.kept + 4 * i, frame + place->at, place->width * sizeof *frame);
  }
}

MbTold mb_measure_turns_told(const MbMeasures *m, const double *frame, const double *slope, bool *other) {
  const MbMeasureTurns *turns = &m->turns;
  if (!turns->n) return (MbTold){frame, slope};
  memcpy(turns->frame, frame, turns->size * sizeof *frame);
  if (slope) memcpy(turns->slope, slope, turns->size * sizeof *slope);
  for (size_t i = 0; i < turns->n; i++) {
    const MbRotationPlace *place = &turns->place[i];
    const bool away = mb_turn_bring(turns->frame + place->at, slope ? turns->slope + place->at : NULL,
                                    turns->kept + 4 * i, place->width);
    if (other) other[i] = away;
  }
  return (MbTold){turns->frame, slope ? turns->slope : NULL};
}

const double *mb_measure_turns_as(const MbMeasures *m, const double *frame, const bool *other) {
  const MbMeasureTurns *turns = &m->turns;
  memcpy(turns->frame, frame, turns->size * sizeof *frame);
  for (size_t i = 0; i < turns->n; i++)
    if (other[i]) mb_turn_tell(turns->frame + turns->place[i].at, turns->place[i].width);
  return turns->frame;
}

void mb_measure_turns_weights(const MbMeasures *m, const double *frame, const bool *other, double *weights) {
  for (size_t i = 0; i < m->turns.n; i++) {
    const MbRotationPlace *place = &m->turns.place[i];
    if (other[i]) mb_turn_slope(frame + place->at, weights + place->at, place->width);
  }
}
