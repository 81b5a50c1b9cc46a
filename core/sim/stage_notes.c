// Notes of stages: of the first two of a step, and how many there were.
#include "core/sim/stage_notes.h"
#include "core/sim/constrain_internal.h"

#include <string.h>

enum { STAGES = 2 };

struct MbStageNotes {
  MbStageNote note[STAGES];
  size_t n;
};

MbStageNotes *mb_stage_notes_create(MbArena *arena, const MbSim *sim) {
  const size_t nv = sim->nv;
  MbStageNotes *notes = mb_arena_alloc(arena, 1, sizeof *notes);
  bool ok = notes;
  for (size_t k = 0; k < STAGES && ok; k++) {
    MbStageNote *note = &notes->note[k];
    note->base = mb_arena_alloc(arena, nv, sizeof *note->base);
    note->from = mb_arena_alloc(arena, nv, sizeof *note->from);
    note->w = mb_arena_alloc(arena, nv, sizeof *note->w);
    note->impulse = mb_arena_alloc(arena, sim->model->nslots, sizeof *note->impulse);
    ok = note->base && note->from && note->w && note->impulse;
  }
  return ok ? notes : NULL;
}

void mb_stage_note(MbSim *sim, const MbFullStage *stage, const double *w, bool first) {
  MbStageNotes *notes = sim->notes;
  const size_t size = sim->nv * sizeof *w;
  if (!notes) return;
  if (first) notes->n = 0;
  if (notes->n++ >= STAGES) return;
  MbStageNote *note = &notes->note[notes->n - 1];
  note->gamma = stage->gamma, note->t = stage->t, note->agrees = stage->agrees;
  if (sim->constraining) memcpy(note->impulse, sim->constraining->force, sim->model->nslots * sizeof *w);
  memcpy(note->base, stage->base, size);
  memcpy(note->from, stage->from, size);
  memcpy(note->w, w, size);
}

size_t mb_stages_noted(const MbSim *sim, const MbStageNote **notes) {
  *notes = sim->notes->note;
  return sim->notes->n;
}
