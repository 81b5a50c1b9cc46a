// Notes of stages: of the first two of a step, and how many there were.
#include "core/sim/stage_notes.h"
#include "core/sim/constrain_internal.h"

#include <math.h>
#include <string.h>

enum { STAGES = 2 };

struct MbStageNotes {
  MbStageNote note[STAGES];
  size_t n;
  double *struck; // (nslots)
};

MbStageNotes *mb_stage_notes_create(MbArena *arena, const MbSim *sim) {
  const size_t nv = sim->nv;
  MbStageNotes *notes = mb_arena_alloc(arena, 1, sizeof *notes);
  if (!notes) return NULL;
  notes->struck = mb_arena_alloc(arena, sim->model->nslots, sizeof *notes->struck);
  bool ok = notes->struck;
  for (size_t k = 0; k < STAGES && ok; k++) {
    MbStageNote *note = &notes->note[k];
    note->base = mb_arena_alloc(arena, nv, sizeof *note->base);
    note->from = mb_arena_alloc(arena, nv, sizeof *note->from);
    note->w = mb_arena_alloc(arena, nv, sizeof *note->w);
    note->impulse = mb_arena_alloc(arena, sim->model->nslots, sizeof *note->impulse);
    note->agreed = mb_arena_alloc(arena, sim->model->nslots, sizeof *note->agreed);
    ok = note->base && note->from && note->w && note->impulse && note->agreed;
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

void mb_stage_note_agreed(MbSim *sim) {
  const MbStageNotes *notes = sim->notes;
  if (!notes || !sim->constraining || notes->n == 0 || notes->n > STAGES) return;
  memcpy(notes->note[notes->n - 1].agreed, sim->constraining->force,
         sim->model->nslots * sizeof *sim->constraining->force);
}

void mb_stage_note_struck(MbSim *sim, bool struck) {
  const MbStageNotes *notes = sim->notes;
  const size_t rows = sim->model->nslots;
  if (!notes || !rows) return;
  memset(notes->struck, 0, rows * sizeof *notes->struck);
  for (size_t k = 0; struck && k < STAGES && k < notes->n; k++)
    for (size_t s = 0; s < rows; s++) notes->struck[s] = fmax(notes->struck[s], notes->note[k].impulse[s]);
}

const double *mb_stages_struck(const MbSim *sim) { return sim->notes->struck; }

size_t mb_stages_noted(const MbSim *sim, const MbStageNote **notes) {
  *notes = sim->notes->note;
  return sim->notes->n;
}
