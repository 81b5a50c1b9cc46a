// What numbers are felt by in a step that is gone back over (sensitivity_backward.c has the derivation).
#include "core/sim/sensitivity_back.h"
#include "core/sim/sensitivity_met.h"

double mb_back_number_at_stage(MbBackward *b, size_t k, const MbStageNote *note) {
  MbSensitivity *g = b->g;
  const MbSlope *slope = &g->slopes[k];
  const double move = g->number[k].move, *felt = mb_slope_felt(g, note);
  double sum = 0;
  if (!mb_tangent_number_jumps(slope->number)) {
    sum = mb_tangent_number_rest(g->probe, g->tangent, slope->number, felt, g->a, b->z) / (2 * move);
  } else {
    mb_slope_by_number(g, slope, note, felt, move, g->rate);
    sum = mb_slope_dot(b->z, g->rate, g->sim->nv) + mb_slope_tied_number_back(g, slope, note, move, b->z);
  }
  return g->rows ? sum + mb_slope_rows_number_back(g, slope, note, move, true) : sum;
}

void mb_back_gather(MbBackward *b, const MbStageNote *note) {
  const MbSensitivity *g = b->g;
  mb_tangent_gather(b->gather, g->probe, g->tangent, mb_slope_felt(g, note), g->a, note->t, b->z);
}

void mb_back_numbers_at_once(MbBackward *b, const MbStageNote *note) {
  MbSensitivity *g = b->g;
  mb_back_gather(b, note);
  mb_slope_end_gather(g, b->gather, note);
  for (size_t i = 0; i < b->nrest; i++) {
    const size_t k = b->rest[i];
    b->out[k] += mb_back_number_at_stage(b, k, note) +
                 mb_slope_once_number(g, &g->slopes[k], note, g->number[k].move, b->z);
  }
}

MbStageNote mb_back_solved_for(const MbSensitivity *g, const MbTurn *turn) {
  MbStageNote note = turn->note[0];
  const bool kept = turn->met && turn->met->moves.n > 0 && turn->met->moves.kept.any;
  if (kept && !mb_slope_ends(g->sim->model)) note.w = turn->met->moves.kept.v;
  return note;
}
