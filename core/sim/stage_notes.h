// The stages of the last fully implicit step, as they were solved, for derivatives of it (stage_notes.c).
#ifndef MB_SIM_STAGE_NOTES_H
#define MB_SIM_STAGE_NOTES_H

#include "core/sim/full_stage.h"

typedef struct MbStageNotes MbStageNotes;

typedef struct MbStageNote {
  double gamma, t;
  bool agrees;             // forces have felt velocities that satisfy the rows
  double *base, *from, *w; // (nv)
  double *impulse;         // (nslots) of the rows; of a step of one solution their forces
} MbStageNote;

// Makes room for a simulation's notes in an arena; NULL: out of memory. The simulation takes notes while sim->notes is what this returns.
MbStageNotes *mb_stage_notes_create(MbArena *arena, const MbSim *sim);
// Notes a stage that has been solved; the first of a step forgets those before. Without sim->notes it does nothing.
void mb_stage_note(MbSim *sim, const MbFullStage *stage, const double *w, bool first);
// Tells how many stages the last step had: the notes are of the first two alone, which are all unless the step was made of parts (scheme_stages.c).
size_t mb_stages_noted(const MbSim *sim, const MbStageNote **notes);

#endif
