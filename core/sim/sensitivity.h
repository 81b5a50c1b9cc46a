// Derivatives of a run by numbers of its scene, step by step with it, of what the program computes, branch by branch: exact ones of fully
// implicit schemes on trees with rows (sensitivity.c), of steps of one solution (sensitivity_once.c) and of the midpoint rule (sensitivity_halves.c),
// and by differences of single steps otherwise (sensitivity_steps.c).
#ifndef MB_SIM_SENSITIVITY_H
#define MB_SIM_SENSITIVITY_H

#include "core/sim/sim_internal.h"

typedef struct MbSensitivity MbSensitivity;

// A number of the scene: its name, and the model with a little less and a little more of it.
typedef struct MbSensitivityNumber {
  const char *name;
  const MbModel *less, *more;
  double move; // half of the difference between the two
} MbSensitivityNumber;

// Says why a model's runs have no derivatives here; NULL: they have, as far as the model says.
const char *mb_sensitivity_refuses(const MbModel *model);
// Whether contacts of a model may rebound: derivatives of its steps have not in them that a blow comes earlier or later, and are warned of.
bool mb_sensitivity_rebounds(const MbModel *model);
// Says why they are not exact, or not there; NULL: they are exact, as far as the model says.
const char *mb_sensitivity_inexact(const MbModel *model);
// Tells what share of a number the models with a little less and a little more of it should be from this one: what differences lose by the square
// of it and by rounding over it.
double mb_sensitivity_little(const MbModel *model);
// Tells how far they should be from it: that share of its value, and of one that is 0, which says nothing of its size, some millionth of its unit.
double mb_sensitivity_move(const MbModel *model, double value);
// Begins a run. The models must outlive it. MB_SCENE where a number changes more than numbers, with its name.
MbStatus mb_sensitivity_create(const MbModel *model, const MbSensitivityNumber *numbers, size_t count,
                               MbSensitivity **gradient, MbReport *report);
void mb_sensitivity_free(MbSensitivity *gradient);
// Why derivatives of this run are by differences of single steps, as words behind "derivatives:"; NULL: they are exact.
const char *mb_sensitivity_by_steps(const MbSensitivity *gradient);
// The same of the way back through it; NULL: there is one, exact steps or steps of one solution with contacts or dry friction. Whether it is of the latter.
const char *mb_sensitivity_no_way_back(const MbSensitivity *gradient);
bool mb_sensitivity_meets(const MbSensitivity *gradient);
// Whether it is one through steps of deformables' nodes by themselves, which go along by single steps.
bool mb_sensitivity_of_nodes(const MbSensitivity *gradient);
// Whether a simulation's runs may have such a way back.
bool mb_sensitivity_moves_nodes(const MbSim *sim);
// How many steps of exact derivatives along the run have been differentiated as a whole, by differences of them.
int64_t mb_sensitivity_wholes(const MbSensitivity *gradient);

// The run itself: what it is asked between steps.
MbSim *mb_sensitivity_sim(MbSensitivity *gradient);
// Goes on from what a run of the same model has left as a checkpoint: numbers act from there on, and the state there has no derivative by any. The run must not
// have begun; there is no way back through it.
MbStatus mb_sensitivity_restore(MbSensitivity *gradient, const void *bytes, size_t size, MbReport *report);
// Does a step, and takes the derivatives along.
MbStatus mb_sensitivity_step(MbSensitivity *gradient, MbReport *report);
// Samples the frame now, and its derivatives by each of the numbers: slopes (count x frame size).
MbStatus mb_sensitivity_frame(MbSensitivity *gradient, double *frame, double *slopes, MbReport *report);

// ---- backwards --------------------------------------------------------------------------------------------

// What one number made of frames is felt by. `see` (may be NULL) sees the run, at the start and after every step, as it is done the first time. Then
// the others are asked, from the last step to the start: `wanted` whether anything of a frame counts, else it is not taken;
// `weigh` for weights ← the number's derivative by each of the frame's numbers (0 to begin with).
typedef struct MbSensitivityWeights {
  void *to;
  MbStatus (*see)(void *to, MbSim *sim, MbReport *report);
  bool (*wanted)(void *to, int64_t step, double t);
  void (*weigh)(void *to, int64_t step, double t, const double *frame, double *weights);
} MbSensitivityWeights;

// Tells whether weights of that number of a frame go back by one pass through the tree, and not by differences along every coordinate.
bool mb_sensitivity_weighs(const MbSensitivity *gradient, size_t column);
// Tells whether that number of a frame is too far from straight along single coordinates for a way back, as stress of elements is.
bool mb_sensitivity_bends(const MbSensitivity *gradient, size_t column);
// Tells whether that number of a frame is what steps have added up, as the work of contacts is, for which there is no way back.
bool mb_sensitivity_adds_up(const MbSensitivity *gradient, size_t column);
// How many numbers a frame has, and velocities the run.
size_t mb_sensitivity_frame_size(const MbSensitivity *gradient);
size_t mb_sensitivity_width(const MbSensitivity *gradient);
// Bytes that the way back keeps at least.
size_t mb_sensitivity_least_memory(const MbSensitivity *gradient);
// Runs so many steps from the start, and backwards through them: derivatives (count) ← Σ weights · dframe/dnumber, of exact steps alone
// (MB_SCENE otherwise). Each number costs differences of what it changes. What the way back has to know is kept
// within `memory` bytes as far as that goes: where it is not all steps, states are kept and runs between them are done anew. The run must
// not have begun; after it no other is to be had of this one. `stepped` (may be NULL) ← how many steps were done.
MbStatus mb_sensitivity_backward(MbSensitivity *gradient, int64_t steps, size_t memory,
                                 const MbSensitivityWeights *weights, double *derivatives, int64_t *stepped,
                                 MbReport *report);

// Tells whether the way back has failed at a step that has no derivative but by differences of it: along with the run there is one.
bool mb_sensitivity_astray(const MbSensitivity *gradient);

#endif
