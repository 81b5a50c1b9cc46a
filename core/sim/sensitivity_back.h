// What the way back through a run's steps has at hand (sensitivity_backward.c).
#ifndef MB_SIM_SENSITIVITY_BACK_H
#define MB_SIM_SENSITIVITY_BACK_H

#include "core/sim/schemes.h"
#include "core/sim/sensitivity_met.h"
#include "core/sim/sensitivity_rows.h"
#include "core/sim/tangent_gather.h"

enum { MB_BACK_STAGES = 2 };

// A step as it was done: what the reel has of it, in a block of numbers for each step (mb_back_turn).
typedef struct MbTurn {
  double *q, *v; // (nq), (nv) before it
  MbStageTerms terms[MB_BACK_STAGES];
  MbStageNote note[MB_BACK_STAGES];
  size_t stages;
  double *q1, *v1; // (nq), (nv) after it, which the next one begins with
  double *guess;   // (nguess) where closures were looked for
  double *noted;   // velocities of its passes
  double *struck;  // (nslots) by how much something was struck, as mb_stages_struck tells
  double *nodes,
      *nodes1; // (nodes x 6) places and velocities of deformables' nodes before it and after it, where there is a way back through them
  double *
      instant; // of one solution: what the solver has left of its start (core/solvers/keep.h); NULL: it is made anew
  bool standing; // it has
  double begin, t;
  int64_t step;   // after it
  MbMeeting *met; // what touched in it; NULL: nothing can
} MbTurn;

// The state of which a frame tells.
typedef struct MbMoment {
  const double *q, *v; // (nq), (nv)
  double t;
  int64_t step;
  const double *nodes; // as MbTurn.nodes
} MbMoment;

typedef struct MbBackNodes MbBackNodes; // sensitivity_back_nodes.c

typedef struct MbBackward {
  MbSensitivity *g;
  const MbSensitivityWeights *weights;
  double *out;             // (count)
  MbTangentGather *gather; // what numbers are felt by over all steps
  size_t nrest, *rest;     // (count) numbers that have to be asked at each
  double *reel;            // (length x stride) and the state after its last step
  int64_t length, begins;  // of the reel, in steps; the step of the run that it begins with
  size_t stride;           // numbers of a step
  bool stands;             // it has room for what solvers keep
  MbState *kept;           // (nkept) the first is the start
  MbPushes *pushed;        // (nkept) what had pushed before each, where something can
  size_t nkept;
  MbMeeting *meeting;                         // (length)
  size_t met_room;                            // bytes that all of these may take
  int64_t stepped, seen;                      // steps that were done; how many of the run's
  double *q, *v, *u, *before;                 // (nv) of the state
  double *move, *base, *w, *z, *dq, *dv, *da; // (nv)
  double *first, *next_q, *along;             // (nv)
  double *q1, *left_moved, *left_from;        // (nv)
  MbMoment at;                                // of the frame at hand
  double *frame[2], *weight, *left;           // (frame size) the last: of channels by differences
  double *by_move, *by_phi;                   // (nb x 6)
  MbBackNodes *nodes;                         // NULL: it is no way back through nodes' steps
} MbBackward;

// ---- sensitivity_back_reel.c: what steps are noted in ----------------------------------------------------------------

// Makes room for steps and states, so many as the memory has; false: out of memory.
bool mb_back_make(MbBackward *b, int64_t steps, size_t memory);
// Whether a step is one solution, that is gone back over at once.
bool mb_back_at_once(const MbSensitivity *g);
// Whether it is noted by its passes, those of the midpoint rule.
bool mb_back_by_passes(const MbSensitivity *g);
// Returns places for step i of the reel; the step as it was noted there; and notes what of it is no list of numbers.
MbTurn mb_back_new_turn(const MbBackward *b, int64_t i);
MbTurn mb_back_turn(const MbBackward *b, int64_t i);
void mb_back_note_turn(const MbBackward *b, int64_t i, const MbTurn *turn);

// ---- sensitivity_back_step.c: back over a step ------------------------------------------------------------------------

// Goes back over a step, as it was noted.
MbStatus mb_back_step(MbBackward *b, const MbTurn *turn, MbReport *report);
// Returns z · ∂τ/∂p of b->z, less what is gathered of it, and what rows say beside it; and gathers what all numbers are felt by at once, where mb_tangent_transposed has been asked about z.
double mb_back_number_at_stage(MbBackward *b, size_t k, const MbStageNote *note);
void mb_back_gather(MbBackward *b, const MbStageNote *note);
// Goes back over what makes velocities agree with rows, at a step's end, or at the run's start where they were `before`. False: it is not solved for.
bool mb_back_agreed(MbBackward *b, double *noted, const double *before);
// Returns the note of a step of one solution: with velocities that it has solved for, before these got back what parting took of momentum.
MbStageNote mb_back_solved_for(const MbSensitivity *g, const MbTurn *turn);
// Takes in what numbers are felt by at one linear solution, of b->z.
void mb_back_numbers_at_once(MbBackward *b, const MbStageNote *note);
// Tells of a step that is no further to be gone back over, and why.
MbStatus mb_back_none(MbBackward *b, double t, int64_t step, const char *why, MbReport *report);

// ---- sensitivity_back_frame.c: frames ---------------------------------------------------------------------------------

// Takes in what is felt of a frame: by the numbers, and by the state of which it tells.
MbStatus mb_back_frame(MbBackward *b, const MbMoment *at, MbReport *report);

// ---- sensitivity_back_touch.c: what has touched, without which all of it does nothing ---------------------------------

// Makes room for what steps note, in half of the memory; false: out of memory.
bool mb_back_meetings_make(MbBackward *b, size_t memory);
void mb_back_meetings_free(MbBackward *b);
// From now on the run's steps tell what becomes of their contacts; or no more.
void mb_back_watch(MbBackward *b, bool watch);
// Before a step of the run.
void mb_back_begin_meeting(MbBackward *b);
// Notes what has touched in the step that the run has just done. *why: why it is no further to be gone back over; NULL: it is.
MbStatus mb_back_meeting(MbBackward *b, MbTurn *turn, const char **why, MbReport *report);
// Keeps what has pushed before a state that is kept, and restores it; false: out of memory.
bool mb_back_keep_pushes(MbBackward *b, size_t at);
bool mb_back_restore_pushes(MbBackward *b, size_t at);

// ---- sensitivity_back_nodes.c: steps of deformables' nodes by themselves -----------------------------------------------

// How many numbers a step notes of them.
size_t mb_back_nodes_numbers(const MbSensitivity *g);
// Makes room, and looks at what numbers change; false: out of memory. Without such steps it does nothing.
bool mb_back_nodes_make(MbBackward *b);
// Notes the state that the reel begins with, and the one after a turn of it. Returns why it is no further to be gone back over; NULL: it is.
void mb_back_nodes_begin(const MbBackward *b, double *to);
const char *mb_back_nodes_note(const MbBackward *b, const MbTurn *turn);
// Goes back over a step. *why: why it cannot be; NULL: it can.
MbStatus mb_back_nodes_step(MbBackward *b, const MbTurn *turn, const char **why, MbReport *report);
// Makes room for steps of bodies beside them; false: out of memory. Without such bodies it does nothing.
bool mb_back_beside_make(MbBackward *b);
// The same of a step in which bodies beside them and nodes touch (sensitivity_back_beside.c), of all.
MbStatus mb_back_beside_step(MbBackward *b, const MbTurn *turn, const char **why, MbReport *report);
// Takes in what is felt of a frame that is wanted. *others ← weights of channels that tell bodies beside them as well (frame size), when b->weight are left those of channels that tell these alone; NULL: there are no such
// bodies.
MbStatus mb_back_nodes_frame(MbBackward *b, const MbMoment *at, const double **others, MbReport *report);
// Takes in how numbers change where nodes begin.
void mb_back_nodes_start(const MbBackward *b);

#endif
