// What has touched in the steps of a run, as the way back through them notes it: in half of the memory that it is given, and with states that are kept what had pushed before them.
#include "core/base/alloc.h"
#include "core/base/report.h"
#include "core/sim/sensitivity_back.h"

bool mb_back_meetings_make(MbBackward *b, size_t memory) {
  MbSensitivity *g = b->g;
  if (!g->met || !g->sim->touching) return true;
  b->met_room = memory / 2;
  b->meeting = mb_calloc((size_t)b->length, sizeof *b->meeting);
  b->pushed = mb_calloc(b->nkept, sizeof *b->pushed);
  return b->meeting && b->pushed;
}

void mb_back_meetings_free(MbBackward *b) {
  for (int64_t i = 0; i < b->length && b->meeting; i++) mb_met_forget(&b->meeting[i]);
  for (size_t i = 0; i < b->nkept && b->pushed; i++) mb_free(b->pushed[i].touch);
  mb_free(b->meeting), mb_free(b->pushed);
}

bool mb_back_keep_pushes(MbBackward *b, size_t at) {
  return !b->pushed || mb_touch_copy_pushes(&b->pushed[at], &b->g->sim->touching->last);
}

bool mb_back_restore_pushes(MbBackward *b, size_t at) {
  mb_touch_forget(b->g->sim);
  return !b->pushed || mb_touch_copy_pushes(&b->g->sim->touching->last, &b->pushed[at]);
}

void mb_back_watch(MbBackward *b, bool watch) {
  MbMet *met = b->g->met;
  if (met && b->g->sim->touching) b->g->sim->touching->noted = watch ? &met->moves : NULL;
}

void mb_back_begin_meeting(MbBackward *b) {
  if (b->g->met) b->g->met->moves.near.n = 0;
}

MbStatus mb_back_meeting(MbBackward *b, MbTurn *turn, const char **why, MbReport *report) {
  *why = NULL;
  if (!turn->met) return MB_OK;
  const MbStatus status = mb_touch_slopes_check(b->g->sim, report);
  if (status != MB_OK) return status;
  const size_t before = mb_met_bytes(turn->met);
  if (!mb_met_note(b->g, turn->met)) return mb_no_memory(report, "contact");
  const size_t more = mb_met_bytes(turn->met) - before;
  if (more > b->met_room)
    *why = "contacts take more memory than there is";
  else
    b->met_room -= more;
  return MB_OK;
}
