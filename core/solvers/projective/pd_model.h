// What a model's deformables of elements ask of the engine (pd_model.c): all of it by the model alone.
#ifndef MB_SOLVERS_PROJECTIVE_PD_MODEL_H
#define MB_SOLVERS_PROJECTIVE_PD_MODEL_H

#include "core/base/arena.h"
#include "core/model/model.h"
#include "core/solvers/projective/pd_mover.h"

// Tells the method that a step is solved by: the scene's, or the one that suits the model.
MbMethod mb_pd_model_method(const MbModel *model);
// Tells how many iterations a step has at most.
int mb_pd_model_iterations(const MbModel *model);
// Tells what share of the energy that a step's iterations take off may be left; 0: that does not end them.
double mb_pd_model_share(const MbModel *model);
// Tells how long a step's last correction may be, by the size; 0: that does not end them.
double mb_pd_model_tolerance(const MbModel *model);
// Tells how many numbers the dual has.
size_t mb_pd_model_dual(const MbModel *model);

// Describes the model to the engine; what the description points at lies in `scratch`. False: out of memory.
bool mb_pd_model_describe(const MbModel *model, int threads, MbArena *scratch, MbPdSpec *spec);
// Makes the engine, for as many velocities beside the nodes', and what moves them (NULL: the processor).
MbStatus mb_pd_model_engine(const MbModel *model, int threads, size_t beside, const MbPdMover *mover,
                            MbPdEngine **engine, MbReport *report);

#endif
