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
  double *agreed; // (nslots) what rows have pushed by for velocities to agree with them where the stage ends
} MbStageNote;

// Makes room for a simulation's notes in an arena; NULL: out of memory. The simulation takes notes while sim->notes is what this returns.
MbStageNotes *mb_stage_notes_create(MbArena *arena, const MbSim *sim);
// Notes a stage that has been solved; the first of a step forgets those before. Without sim->notes it does nothing.
void mb_stage_note(MbSim *sim, const MbFullStage *stage, const double *w, bool first);
// Notes that velocities have been made to agree with the rows where the stage noted last ends.
void mb_stage_note_agreed(MbSim *sim);
// Notes by how much the stages noted have pressed, as something is struck and the step is made anew of other ones; or that nothing has been, as a step begins.
void mb_stage_note_struck(MbSim *sim, bool struck);
// Tells that (nslots) of the last step; 0: nothing.
const double *mb_stages_struck(const MbSim *sim);
// Tells how many stages the last step had: the notes are of the first two alone, which are all unless the step was made of parts (scheme_stages.c).
size_t mb_stages_noted(const MbSim *sim, const MbStageNote **notes);

#endif
