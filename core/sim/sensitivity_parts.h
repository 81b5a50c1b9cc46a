// Private to core/sim/sensitivity*.c.
#ifndef MB_SIM_SENSITIVITY_PARTS_H
#define MB_SIM_SENSITIVITY_PARTS_H

#include "core/base/arena.h"
#include "core/sim/dense_lu.h"
#include "core/sim/half_notes.h"
#include "core/sim/newton.h"
#include "core/sim/schemes.h"
#include "core/sim/sensitivity.h"
#include "core/sim/sensitivity_axes.h"
#include "core/sim/stage.h"
#include "core/sim/tangent_gather.h"
#include "core/sim/touch.h"

#include <string.h>

// How the state changes with one of the numbers.
typedef struct MbSlope {
  MbSim *less, *more;
  MbTangentNumber *number;    // what differs; of exact steps alone
  MbTangent *side[2];         // tangents of less and more, of these
  MbSlopeAxes *axes;          // in which less and more have the state; NULL: in the run's
  double *q, *v, *u, *before; // (nv)
  double *base, *from, *w;    // (nv) of the stage at hand
  double *
      first; // (nv) w of the first; with rows, the velocities that agree at the end of the last that was changed
  double *memory; // (nm) of what is carried from step to step, by steps
  double *pushed; // (3 x the run's pushes) of impulses of contacts, at which the next step begins, by steps
  size_t pushed_room;
  bool
      meets; // the number may change contacts where coordinates are the same, of steps that there is a way back through
  bool told; // that another branch is near has been told
  const char
      *opens; // a row that the number opens and nothing can close (sensitivity_opened.c); NULL: there is none
  bool told_opened;
  double whole; // the number, as a size of what it may be changed by
} MbSlope;

enum { MB_SLOPE_FRAMES = 4 };

typedef struct MbSlopeRows MbSlopeRows; // sensitivity_rows.h
typedef struct MbTied MbTied;           // sensitivity_tied.c
typedef struct MbTurned MbTurned;       // sensitivity_turned.c
typedef struct MbMet MbMet;             // sensitivity_met.h
typedef struct MbMeeting MbMeeting;     // the same
typedef struct MbHeldBack MbHeldBack;   // sensitivity_held.h

struct MbSensitivity {
  const MbSensitivityNumber *number;
  size_t count;
  const char *by_steps; // why derivatives are by differences of single steps; NULL: by stages
  bool
      nodes; // it is deformables that iterations move by themselves, exact back through these steps (sensitivity_back_nodes.c)
  bool beside; // bodies move beside these, whose steps are one solution
  bool meets;  // it is contact and dry friction alone, exact back through these steps (sensitivity_met.c)
  MbSim *sim, *probe;
  MbSim *own;        // the run itself, where the others are its twins (sensitivity_twin.c); NULL: they are it
  MbSlopeRows *rows; // of exact steps; NULL: there are none
  MbMet *met;        // contacts on the way back; NULL: there are none
  MbHeldBack *held;  // the way back under solver "maximal"; NULL: it is another
  MbTied *tied;      // rows of steps of one solution; NULL: there are none
  bool once;         // steps are one linear solution (sensitivity_once.c)
  bool halves;       // steps are passes of the midpoint rule (sensitivity_halves.c)
  double *noted;     // what such a step notes (half_notes.h)
  double span;       // s: for which forces act in the pass at hand
  MbTurned *turned;  // joints of these that turn about any axis; NULL: there are none
  const double *end; // of one solution: (nq) coordinates that the step has ended with
  bool told_rebound; // that contacts rebound
  bool told_exchange;                       // of a rotation vector that was about to be exchanged
  double *moved, *spun;                     // (nq), (nv) of sensitivity_end.c
  MbTangent *tangent;                       // the probe's, of exact steps
  MbStageNote first;                        // of one solution: its step
  double *damping, *stiffness, *number_own; // (nv) of one solution: d, k, and what a number changes of them
  MbSlope *slopes;                          // (count)
  double *q, *q1;                           // (nq)
  double *step, *a, *move, *rate, *less, *more; // (nv)
  double *frame[MB_SLOPE_FRAMES];               // (frame size)
  MbState before;                               // by steps: the state before the step
  MbState side;                                 // the same on one side, after it
  MbPushes pushed;   // contacts, where there are: what pushed in the step before it
  double *memory[2]; // (nm)
  int64_t began;     // the step that the run begins with
  int64_t wholes;    // steps of stages that have been differentiated as a whole
  bool astray;       // such a step has ended the way back
  const char *
      parted; // why the step of one solution at hand can be differentiated as a whole alone; NULL: it cannot be solved for
  MbArena arena;
};

// Copies a state of the simulation's sizes.
static inline void mb_sensitivity_copy(const MbSim *sim, MbState *to, const MbState *from) {
  to->t = from->t, to->step = from->step;
  memcpy(to->q, from->q, sim->nq * sizeof *to->q);
  memcpy(to->v, from->v, sim->nv * sizeof *to->v);
  memcpy(to->memory, from->memory, sim->nm * sizeof *to->memory);
}
// δq, a motion in the axes of the velocities, and δv between two states, `span` apart in what moves them, at the simulation's own. False where
// one of the three is far from the others, as the axes of a body free in space are where two of its moments change places.
bool mb_slope_between(const MbSensitivity *g, const MbState *less, const MbState *more, double span,
                      double *dq, double *dv);

// out ← ∂τ/∂p at a stage at coordinates g->q1 and accelerations g->a, where forces feel velocities `felt`, `move` being that of the number.
void mb_slope_by_number(MbSensitivity *g, const MbSlope *slope, const MbStageNote *note, const double *felt,
                        double move, double *out);
// The velocities that forces feel at the stage at hand.
const double *mb_slope_felt(const MbSensitivity *g, const MbStageNote *note);
// ---- sensitivity_once.c: steps of one linear solution ---------------------------------------------------------

// Says why such steps of a model have no exact derivatives; NULL: they have.
const char *mb_slope_once_refuse(const MbModel *model);
bool mb_slope_once_make(MbSensitivity *g); // false: out of memory
// What A of such a step has forces linearised by: velocities to come as a whole where bodies are in trees or the solver claims rows, changes of them where they are free in space
// (scheme_once.c).
MbTangentTerms mb_slope_once_terms(bool whole, double h);
// The same of a pass of the midpoint rule, in which forces act for a span of time.
MbTangentTerms mb_slope_pass_terms(double span);
// From now on forces act for that span of time in a pass.
void mb_slope_pass_span(MbSensitivity *g, double span);
// Makes what such steps have of linearised forces a part of a simulation's tangent; false: out of memory.
bool mb_slope_once_linearise(const MbSensitivity *g, MbSim *sim, MbTangent *tangent);
// The time of the forces of the step to come.
double mb_slope_once_time(const MbSim *sim);
// Takes the probe to a step of one solution but for its rows: bodies where it begins, and A factored; false: A has no inverse.
bool mb_slope_once_stand(MbSensitivity *g, const MbStageNote *note, const double *kept);
// Takes the probe to a step from velocities note->from to note->w, from coordinates g->q, in which a meeting (NULL: none) took place, by what a solver has kept of its start (core/solvers/keep.h; NULL: anew); false: A has no inverse.
bool mb_slope_once_at(MbSensitivity *g, const MbStageNote *note, const MbMeeting *meeting,
                      const double *kept);
// Takes a slope over it, where g->rate is what the number changes of τ; false as above.
bool mb_slope_once_change(MbSensitivity *g, MbSlope *slope, const MbStageNote *note, double move);
// Takes q̄ and v̄ back over it, with z what its equations are felt by; false as above.
bool mb_slope_once_back(MbSensitivity *g, const MbStageNote *note, double *q, double *v, double *z,
                        double *scratch[3]);
// The same in two parts: w ← what velocities are felt by before rows have taken that over, with scratch (nv); and from z, the solution that follows, on, but for what contacts are felt by.
void mb_slope_once_back_begin(MbSensitivity *g, const MbStageNote *note, double *q, double *v, double *w,
                              double *scratch);
void mb_slope_once_back_end(MbSensitivity *g, double *q, double *v, const double *z, double *scratch[3]);
// Returns what a number changes of d and k, weighed by z.
double mb_slope_once_number(MbSensitivity *g, const MbSlope *slope, const MbStageNote *note, double move,
                            const double *z);

// Returns the same of d and k alone:  ∂d/∂p y + h ∂k/∂p v⁺, of a pass ∂d/∂p z + s ∂k/∂p z, weighed by z (NULL: into g->number_own).
double mb_slope_once_own(MbSensitivity *g, const MbSlope *slope, const MbStageNote *note, double move,
                         const double *z);

// What A has of the coordinates' own at a step or pass, and its factors, with the bodies where they are; false: A has no inverse.
bool mb_slope_once_factor(MbSensitivity *g, double t, double a, double b);

// ---- sensitivity_end.c: what becomes of velocities and coordinates behind it ------------------------------------

// Whether anything does.
bool mb_slope_ends(const MbModel *model);
// Takes changes q and v of a step's coordinates and velocities, as it has solved for them, to the state's at its end, from those of the slope at its start.
void mb_slope_end_change(MbSensitivity *g, const MbSlope *slope, const MbStageNote *note, double move,
                         double *q, double *v);
// The transposed of it: q̄ and v̄ of the end in, of the step out; from ← what velocities at its start are felt by.
void mb_slope_end_back(MbSensitivity *g, const MbStageNote *note, double *q, double *v, double *from);
// Warns once in a run where a rotation vector was about to be exchanged for another, or just has been.
void mb_slope_end_tell(MbSensitivity *g, const MbStageNote *note, double t, int64_t step, MbReport *report);
// Gathers what moments are felt by there, once that has been done.
void mb_slope_end_gather(const MbSensitivity *g, MbTangentGather *gather, const MbStageNote *note);
// Returns what a number changes there beside that, weighed by v̄ of the end.
double mb_slope_end_number(const MbSensitivity *g, const MbSlope *slope, const MbStageNote *note,
                           double move);

// ---- sensitivity_tied.c: rows of constraints in these, without which all of it does nothing ------------------------------

// Says why rows of a model have no exact derivatives in such steps; NULL: they have, or there are none.
const char *mb_slope_tied_refuse(const MbModel *model);
bool mb_slope_tied_make(MbSensitivity *g); // false: out of memory
// Notes of a step where closures were looked for (nguess), the forces of its rows (nslots), and when it ends.
void mb_slope_tied_step(MbSensitivity *g, const double *guess, const double *forces, double end);
// Takes rows to the step, where the probe's bodies are; the tangent is to be taken there after it, and then S is made. False: A has no inverse.
void mb_slope_tied_at(MbSensitivity *g, const MbStageNote *note);
bool mb_slope_tied_factor(MbSensitivity *g, const MbStageNote *note);
// Warns once in a run where a limit or rope was about to press or to let go in the step at hand, which has another derivative then.
void mb_slope_tied_tell(MbSensitivity *g, double t, int64_t step, MbReport *report);
// Whether a row of one way that has not pressed was about to, with velocities `to` at the step's end; whether one that has pressed was about to let go: it has taken next to no velocity away, `free` being
// what a unit of force takes.
bool mb_slope_about_to_press(const MbSim *sim, size_t s, const double *to);
// The same as the first where rows are where a stage of `span` seconds ends, whose velocities are `to`.
bool mb_slope_about_to_press_there(const MbSim *sim, size_t s, double span, const double *to);
bool mb_slope_about_to_let_go(const MbSim *sim, size_t s, double mu, double free, const double *to);
// Whether dry friction that sticks has taken next to all that it may, and whether what slips has come next to a stop.
bool mb_slope_about_to_slip(const MbSim *sim, size_t s, double mu);
bool mb_slope_about_to_stick(const MbSim *sim, size_t s, const double *from, const double *to);
// Warns of such a row.
void mb_slope_tell_near(const MbSim *sim, size_t slot, double t, int64_t step, MbReport *report);
// Notes a number that opens rows which nothing can close, when what it changes of a step's rows, or of those of a pass and of its aims, has been found.
void mb_slope_tied_opens(MbSensitivity *g, const MbSlope *slope);
// Finds what a number changes of what rows push and ask for, with both sides' bodies at the step's start; τ ← less what it changes of the former.
void mb_slope_tied_number(MbSensitivity *g, const MbSlope *slope, const MbStageNote *note, double move);
void mb_slope_tied_pushed(const MbSensitivity *g, double *tau);
// x ← how v⁺ changes, from what it does without a change of what rows push; mb_tangent_times has been asked about the slope last.
void mb_slope_tied_change(MbSensitivity *g, const MbSlope *slope, double *x);
// w̄ ← w̄ + Gᵀ ζ; the tangent's rows have ζ then.
void mb_slope_tied_back(MbSensitivity *g, double *w);
// Returns what both sides' rows say of a number, weighed by z and ζ.
double mb_slope_tied_number_back(MbSensitivity *g, const MbSlope *slope, const MbStageNote *note, double move,
                                 const double *z);

// ---- sensitivity_halves.c: steps of the midpoint rule, by its passes -------------------------------------------

// Says why such steps of a model have no exact derivatives; NULL: they have.
const char *mb_slope_halves_refuse(const MbModel *model);
enum { MB_HALVES_PASSES = 3 };
// The velocities that a step moves by; how many passes have found them, and whether more than are noted.
static inline double *mb_slope_halves_last(const MbSim *sim, double *noted) {
  return noted + (mb_half_notes_most(sim) + 1) * sim->nv;
}
static inline bool mb_slope_halves_at_end(const MbSim *sim, double *noted, size_t pass) {
  return memcmp(noted + pass * sim->nv, mb_slope_halves_last(sim, noted), sim->nv * sizeof *noted) == 0;
}
static inline int mb_slope_halves_count(const MbSim *sim, double *noted) {
  const size_t most = mb_half_notes_most(sim);
  size_t n = MB_HALVES_PASSES;
  while (n < most && !mb_slope_halves_at_end(sim, noted, n)) n++;
  return (int)n;
}
static inline bool mb_slope_halves_went_on(const MbSim *sim, double *noted) {
  return !mb_slope_halves_at_end(sim, noted, mb_half_notes_most(sim));
}
// The pass k of a step from coordinates g->q, of the velocities of its passes.
MbStageNote mb_slope_halves_pass(const MbSensitivity *g, double *noted, int k, double t);
// Takes the probe to it; false: A has no inverse.
bool mb_slope_halves_at(MbSensitivity *g, const double *noted, const MbStageNote *pass);
// Takes the state's slopes over a step that has been done, from what it has noted; false as above.
bool mb_slope_halves_change(MbSensitivity *g, double *noted, double t);
// Takes all slopes to velocities that agree with rows at the run's start; false as above.
bool mb_slope_halves_start(MbSensitivity *g, double *noted, const double *before);
// w ← what the last velocities of the passes are felt by, of those of the state at the end; q and v ← those at the start, but for the passes.
void mb_slope_halves_end_back(MbSensitivity *g, double *noted, double *q, double *v, double *w);
// Takes w back over the pass at hand, with z what its equations are felt by, and adds to q and v; false as above.
bool mb_slope_halves_back(MbSensitivity *g, double *q, double *v, double *w, double *z, double *scratch[3]);

// ---- sensitivity_tied_halves.c: rows in these, without which all of it does nothing ---------------------------------

// Says why rows of a model have no exact derivatives in these; NULL: they have, or there are none.
const char *mb_slope_tied_halves_refuse(const MbModel *model);
bool mb_slope_tied_halves_make(MbSensitivity *g); // false: out of memory
// Notes of a step where closures were looked for (nguess), when it begins, its velocities then, which agree, and those at its end; false: the run has made its
// velocities agree anew on the way.
bool mb_slope_tied_halves_step(MbSensitivity *g, const double *guess, double begin, const double *v,
                               double *noted, const double *end);
// Whether velocities v have been those at a step's start.
bool mb_slope_tied_agreed(const MbSim *sim, const double *v, const double *start);
// Passes of the step noted follow.
void mb_slope_tied_begin_passes(MbSensitivity *g);
// Takes rows to what a pass from velocities w aims at; g->q1 and the probe's bodies are there then.
void mb_slope_tied_aim(MbSensitivity *g, const double *w);
// Takes rows to the pass, where the probe's bodies are and A is, and finds what they push with, of one way those that have pushed in it: pass->impulse. False: A has no inverse.
bool mb_slope_tied_pass(MbSensitivity *g, const MbStageNote *pass);
// Of a change w of the velocities that it begins with and q of where it is: finds what its rows ask for changes by, beside the number.
void mb_slope_tied_pass_asked(MbSensitivity *g, const MbSlope *slope, const double *q, const double *w);
// x ← how v⁺ changes, from what it does without a change of what rows push.
void mb_slope_tied_pass_change(MbSensitivity *g, double *x);
// Adds to q̄ and v̄ of the step and w̄ of the velocities that the pass begins with what its aims are felt by.
void mb_slope_tied_pass_back(MbSensitivity *g, double *q, double *v, double *w);
// Finds what a number changes of the gaps that a pass aims at and of those at the state.
void mb_slope_tied_aim_number(MbSensitivity *g, const MbSlope *slope, const double *w, double move);
// Takes the probe to where the pass at hand leads, and finds what the bodies there are felt by.
void mb_slope_tied_aim_felt(MbSensitivity *g, const double *w);
// Before the way back: tells whether all numbers have to be asked at each step.
bool mb_slope_tied_asks(MbSensitivity *g);
// Gathers what numbers change of them, once that has been done.
void mb_slope_tied_aim_gather(MbSensitivity *g, MbTangentGather *gather, const double *w);
// Returns the rest, weighed.
double mb_slope_tied_aim_number_back(MbSensitivity *g, const MbSlope *slope, const double *w, double move);
// Takes the probe to velocities that are made to agree: at the step's end, or at its start those `before`. False: A has no inverse.
bool mb_slope_agree_at(MbSensitivity *g, double *noted, const double *before, bool along);
// q and v are changes of coordinates and velocities there: v ← how velocities change that agree; false as above.
bool mb_slope_agree_change(MbSensitivity *g, const MbSlope *slope, double move, const double *q, double *v);
// The transposed of it, with z what its equations are felt by; false as above.
bool mb_slope_agree_back(MbSensitivity *g, double *q, double *v, double *z, double *scratch[3]);
// Gathers what numbers change of it, weighed by z.
void mb_slope_agree_gather(MbSensitivity *g, MbTangentGather *gather, const double *z);
// Returns the rest of what a number changes.
double mb_slope_agree_number(MbSensitivity *g, const MbSlope *slope, double move, const double *z);
// Finds what the last pass is felt by through it, once numbers have been asked: the next pass to go back over takes that.
void mb_slope_agree_felt(MbSensitivity *g, double *noted);

// ---- sensitivity_solved.c: half steps that more passes have solved ------------------------------------------------

// The half step itself, as an equation for the velocities `last`, at whose coordinates and velocities all of it is.
MbStageNote mb_slope_solved_note(const MbSensitivity *g, double *last, double t);
// Takes the probe to it, of velocities v at the step's start; false: A has no inverse, or these do not solve it.
bool mb_slope_solved_at(MbSensitivity *g, const double *v, const MbStageNote *note);
// slope->w ← how its velocities change; false as above.
bool mb_slope_solved_change(MbSensitivity *g, MbSlope *slope, const MbStageNote *note, double move);
// Takes w̄ back over it, with z what its equations are felt by: adds to q̄ and v̄; false as above.
bool mb_slope_solved_back(MbSensitivity *g, double *q, double *v, const double *w, double *z,
                          double *scratch[3]);

// ---- sensitivity_turned.c: what A has of joints that turn about any axis -------------------------------------------

bool mb_slope_turned_make(MbSensitivity *g); // false: out of memory
// Takes it to the probe's bodies and g->damping + s g->stiffness, of which it takes its own out there; z is what A is multiplied by.
void mb_slope_turned_at(MbSensitivity *g, double s, const double *z);
// out += A_own z
void mb_slope_turned_value(const MbSensitivity *g, const double *z, double *out);
// out += ∂(A_own z)/∂q dq − A_own dv
void mb_slope_turned_times(const MbSensitivity *g, const double *dq, const double *dv, double *out);
// The transposed of it: dq and dv += what z is felt by.
void mb_slope_turned_back(const MbSensitivity *g, const double *z, double *dq, double *dv);

// Says why rows of a model have no exact derivatives; NULL: they have, or there are none.
const char *mb_slope_rows_refuse(const MbModel *model);
// The same of fully implicit stages of bodies that joints hold as rows, of which limits and ropes have some.
const char *mb_slope_stages_close(const MbModel *model);
// Takes the probe's factors, g->q1, g->step and g->a to a stage from coordinates g->q that ends at t, step.
MbStatus mb_slope_at_stage(MbSensitivity *g, const MbStageNote *note, double t, int64_t step,
                           MbReport *report);
// frame ← what `at` (the probe, or a side of a number) tells at q and v, at t, with signals as they are at `seen`.
MbStatus mb_slope_sample(MbSim *at, const double *q, const double *v, double t, double seen, int64_t step,
                         double *frame, MbReport *report);
// Whether what is told has a corner within the move, by how far its differences of fourth and second order are apart, beside what rounding of the value makes of them; by how much shorter moves
// are there.
static const double MB_SLOPE_NEARER = 1e-2;
bool mb_slope_cornered(double fourth, double second, double value, double move);
// The side 0 or 1 of a number, less or more.
static inline MbSim *mb_slope_side(const MbSlope *slope, int side) {
  return side ? slope->more : slope->less;
}
// A note of a step or stage whose velocities are those of a side's axes, until the next is asked for.
static inline MbStageNote mb_slope_side_note(const MbSlope *slope, int side, const MbStageNote *note) {
  MbStageNote out = *note;
  out.from = (double *)mb_axes_v(slope->axes, side, MB_AXES_FROM, note->from);
  out.w = (double *)mb_axes_v(slope->axes, side, MB_AXES_TO, note->w);
  return out;
}
// What is wrong with a step whose derivative could not be solved for.
MbStatus mb_slope_unsolved(double t, int64_t step, MbReport *report);
// Why the step that has just been done, which was to be of these stages, has no exact derivative, as rows have made it near a position where they lose their hold, or parts; NULL: it has.
// Where something was struck in it, its stages are the one that such steps have.
const char *mb_slope_no_stages(const MbSensitivity *g, size_t *stages, MbStageTerms terms[2]);
// The same of a step of one solution.
const char *mb_slope_no_once(const MbSensitivity *g);

// ---- sensitivity_steps.c: derivatives of the step as a whole ----------------------------------------------

// Says why a model's steps cannot be differentiated so; NULL: they can.
const char *mb_steps_refuse(const MbModel *model);
// The same of deformables that iterations move.
const char *mb_steps_refuse_passes(const MbSim *sim);
bool mb_steps_make(MbSensitivity *g); // false: out of memory
// How what is carried from step to step begins, of sides `span` apart.
void mb_steps_begin(MbSensitivity *g, MbSlope *slope, double span);
// ---- sensitivity_branch.c: limits, ropes, contacts and dry friction in these ------------------------------------

// Whether a side's last step has taken the branch of the run's: the same limits, ropes and contacts press, the same friction slips and sticks, in as many parts.
bool mb_slope_same_branch(const MbSensitivity *g, const MbSim *side);
// Says why there is no derivative by a number that has models at its sides; NULL: there is, as far as tables say.
const char *mb_slope_tables_refuse(const MbModel *model, const MbModel *less, const MbModel *more);
// The same as far as frames of constraints say (sensitivity_frames.c).
const char *mb_slope_frames_refuse(const MbModel *model, const MbModel *less, const MbModel *more);
// Says why friction inside joints has no derivatives; NULL: it has, or there is none.
const char *mb_slope_dry_refuse(const MbModel *model);
// Whether steps of a model branch, so that derivatives by the number and by the state cannot be taken apart.
bool mb_slope_branches(const MbModel *model);

// ---- sensitivity_touch.c: contact in these ------------------------------------------------------------------

// Says why a model's contacts have no derivatives; NULL: they have, as far as the model says.
const char *mb_touch_slopes_refuse(const MbModel *model);
// Keeps what has pushed before the run's step; false: out of memory.
bool mb_touch_slopes_keep(MbSensitivity *g);
// Makes a simulation ready for a step beside the run's, from impulses moved by `way` along a slope (NULL: not at all); false: out of memory.
bool mb_touch_slopes_beside(const MbSensitivity *g, MbSim *side, const MbSlope *along, double way);
// Takes the impulses of a slope over the step, from those of two simulations beside it, `span` apart, of which one may be the run; false:
// out of memory.
bool mb_touch_slopes_change(const MbSensitivity *g, MbSlope *slope, const MbSim *less, const MbSim *more,
                            double span);
// Whether a side's step has had the run's contacts, each of which slides where the run's does, and where the run begins rests where it does.
bool mb_touch_slopes_same(const MbSensitivity *g, const MbSim *side);
// Whether a contact has neither gap nor depth, but for rounding.
bool mb_touch_slopes_rests(double gap, double size);
// Whether the run's step has derivatives, by its contacts.
MbStatus mb_touch_slopes_check(const MbSim *run, MbReport *report);
// Warns once in a run, behind a step in which contacts rebound.
void mb_touch_slopes_tell(MbSensitivity *g, MbReport *report);

MbStatus mb_steps_step(MbSensitivity *g, MbReport *report);
// Takes the slopes over a step that stages have done from g->before, by differences of the whole of it.
MbStatus mb_steps_instead(MbSensitivity *g, MbReport *report);

static inline double mb_slope_dot(const double *x, const double *y, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += x[i] * y[i];
  return sum;
}

// Rows that hold: G (n x wide), Y = A⁻¹ of them, and S = G Y with what is soft, factored.
typedef struct MbHolding {
  size_t n, wide;
  const double *G, *Y;
  MbRanked *S;
} MbHolding;

// Tells whether a row that holds nothing, g with y = A⁻¹ g, gives way to nothing, as others hold what it is about. x (n) is scratch.
static inline bool mb_slope_is_held(const MbHolding *by, const double *g, const double *y, double *x) {
  static const double NONE = 1e-9; // of what it would give way by alone
  const double alone = mb_slope_dot(g, y, by->wide);
  double gives = alone;
  for (size_t k = 0; k < by->n; k++) x[k] = mb_slope_dot(by->G + by->wide * k, y, by->wide);
  mb_ranked_solve(by->S, x, x);
  for (size_t k = 0; k < by->n; k++) gives -= x[k] * mb_slope_dot(by->Y + by->wide * k, g, by->wide);
  return gives <= NONE * alone;
}

#endif
