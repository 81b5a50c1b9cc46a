// What computes a simulation's steps, and all that it must bring. The processor's own engine is the table's first row; others are given
// from outside (MbSimOptions), as gpu/ would give one: core knows none of them.
//
// A step asks an engine for one thing, the solver of a model: kinematics, A = M − a D − b K and its inverse, passes of deformables, on
// arrays that lie in the processor's memory (MbSolverOps, model/ops.h). What an engine keeps elsewhere is its solver's work.
#ifndef MB_SOLVERS_ENGINE_H
#define MB_SOLVERS_ENGINE_H

#include "core/base/arena.h"
#include "core/mbsim.h"
#include "core/model/ops.h"

struct MbEngine {
  const char *name; // the word of a scene's "device"
  // Says in one phrase what it is, or why it cannot be had: *available.
  const char *(*text)(bool *available);
  // Says in one phrase why it cannot take a model, or NULL.
  const char *(*refuses)(const MbModel *model);
  // Tells what solves for a model; tables that are made for it lie in the arena. NULL: out of memory.
  const MbSolverOps *(*solver)(const MbModel *model, MbArena *arena);
  // Tells how many bytes of a memory of its own a run takes, of a model that it does not refuse. NULL: it has none.
  MbStatus (*memory)(const MbModel *model, size_t *bytes, MbReport *report);
};

extern const MbEngine mb_cpu_engine;
extern const MbEngine mb_watched_engine; // the same with asserts around its solvers (watched.h)

#endif
