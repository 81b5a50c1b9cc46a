// What a step of the midpoint rule notes for derivatives of it (scheme_halves.c), in one list of numbers.
#ifndef MB_SIM_HALF_NOTES_H
#define MB_SIM_HALF_NOTES_H

#include "core/sim/sim_internal.h"
#include "core/sim/stage.h"

// Where more passes are taken than are noted, their last velocities stand behind those noted; where fewer are, they stand for the others, too.
typedef struct MbHalfNotes {
  size_t most;    // passes that are noted
  double *w;      // (most + 2 x nv) velocities before the first pass, after so many, and after all there were
  double *pushes; // (most x nslots) impulses of rows in each pass
  double *agreed; // (nslots) those that have made velocities agree at the step's end
  double *
      struck; // (nslots) those of half a step that has struck something, and was made anew as one stage over all of the step; else 0
  double *blow; // nonzero: it was
} MbHalfNotes;

static inline size_t mb_half_notes_most(const MbSim *sim) {
  return sim->constraining || sim->nclaimed ? MB_HALF_PASSES_MOST : (size_t)sim->integrator->passes;
}
// How long the list is, and its parts.
static inline size_t mb_half_notes_numbers(const MbSim *sim) {
  const size_t most = mb_half_notes_most(sim);
  return (most + 2) * sim->nv + (most + 2) * sim->model->nslots + 1;
}
static inline MbHalfNotes mb_half_notes(const MbSim *sim, double *noted) {
  const size_t most = mb_half_notes_most(sim), rows = sim->model->nslots;
  double *const pushes = noted + (most + 2) * sim->nv;
  double *const agreed = pushes + most * rows;
  return (MbHalfNotes){.most = most,
                       .w = noted,
                       .pushes = pushes,
                       .agreed = agreed,
                       .struck = agreed + rows,
                       .blow = agreed + 2 * rows};
}

#endif
