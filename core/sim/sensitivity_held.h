// Private to core/sim/sensitivity*.c: the way back under solver "maximal". sensitivity_held.c has the derivation.
#ifndef MB_SIM_SENSITIVITY_HELD_H
#define MB_SIM_SENSITIVITY_HELD_H

#include "core/sim/channel_weights.h"
#include "core/sim/constrain_internal.h"
#include "core/sim/sensitivity_back.h"
#include "core/solvers/maximal/joint_felt.h"

// What one number changes of joints: those whose rows differ, and whether what acts along coordinates may.
typedef struct MbHeldNumber {
  MbTangentNumber *of; // of the scene's models
  bool along;
} MbHeldNumber;

// A parameter of a constraint that numbers change, and what all steps feel of it.
typedef struct MbHeldParameter {
  size_t number; // that tells of it, changing it `by` so much
  size_t constraint, place;
  double by, felt;
} MbHeldParameter;

// A row of a constraint that takes part in a step.
typedef struct MbHeldRow {
  size_t constraint, slot;
  size_t tied,
      claimed; // its number among those that are not held with joints, and among those that are; SIZE_MAX, MB_WORLD: it is none
  int order;   // 0: its gap is known
  int slips; // dry friction: the way that it pushes with all that it may, and asks for nothing; 0: it sticks, or is none
  bool kept;                     // it asks for the joint's move in the step (sensitivity_held_kept.c)
  double mu, zeta;               // what it pushes, and what its equation is felt by
  double pull, slip, bend, soft; // how much of g, ġ_t, J̇ v and μ there is in what it asks for
} MbHeldRow;

typedef struct MbHeldRows {
  size_t n, ntied;
  MbHeldRow *row;       // (nslots)
  double *G, *Y;        // (nslots x nv) of those that are tied: what they ask for, and what they push
  double *moved;        // (nslots x nv) of those that are kept: what they are felt by where the step begins
  double *q1;           // (nq) bodies at the step's end
  MbPose *E1, *side_E1; // (nb) there, and as a side of a number has them
  MbRanked S;           //
  double *y, *asked;    // (nv), (nslots)
  double *q, *v;        // (model's nq), (model's nv)
  double t;             // that they are asked for
  const double *w;      // (nv) velocities to come
  size_t near;          // one that is about to press, or to let go; SIZE_MAX: there is none
  bool told;            // of such a row
  const double *guess;  // (nguess) where closures are looked for
} MbHeldRows;

struct MbHeldBack {
  MbSensitivity free;   // of the same bodies without joints
  MbHeldNumber *number; // (count)
  MbHeldRows *rows;     // of constraints; NULL: there are none
  bool linear;          // forces on bodies are linearised
  bool whole;           // of velocities to come as a whole, not of changes of them (scheme_once.c)
  size_t nclaimed;
  size_t *first; // (nb) of the rows of each joint
  double *noted; // (claimed rows and nslots) what a step along the run has noted of forces
  double *none, *lambda,
      *zeta;        // (claimed rows) no motion; what they push in a step, what their equations are felt by
  double *plus, *z; // (nb x 6) twists to come, and weights of the equations
  MbPose *side_E;   // (nb) bodies as a side of a number has them, and their twists (nb x 6)
  double *side_phi, *side_plus, *side_z;
  double *move, *phi;            // (nb x 6) what joints are felt by
  double *before, *behind;       // (nb x 6) what their frames are felt by over all steps
  bool *any_before, *any_behind; // (nb) of which joints numbers ask for that
  size_t nparameters;
  MbHeldParameter *parameter;
  const MbHeldHinge *hinge;                // (nb) of revolute joints
  double *force, *stiffness, *damping;     // (model's nv) of the joints' own along their coordinates
  double *rate_plus, *rate_z;              // (model's nv) of their coordinates
  double *by_q, *by_rate, *by_plus, *by_z; // (model's nv) what these are weighed by
  double *by_turn;                         // (model's nv) and V̇ v of them
  double *side_force, *side_stiffness, *side_damping; // (model's nv)
};

// ---- sensitivity_held_free.c: the bodies without their joints -----------------------------------------------------------

// Whether a simulation's state is bodies' poses and velocities, which joints hold.
bool mb_held_is(const MbSim *sim);
// Says why the steps of a simulation under solver "maximal" have no way back; NULL: they have one.
const char *mb_held_refuses(const MbSim *sim);
// Makes g->held, when the simulations of the sides are there; false: out of memory. *why: why there is no way back by one of the numbers.
MbStatus mb_held_make(MbSensitivity *g, MbReport *report);
void mb_held_free_back(MbSensitivity *g);
// The sensitivity whose model and simulations tell of the equations of motion: g itself, or that of the bodies without joints.
MbSensitivity *mb_held_equations(MbSensitivity *g);

// ---- sensitivity_held_side.c ---------------------------------------------------------------------------------------------

// Takes the bodies of the probe to the axes of a side of a number, with their twists to come and the weights of the equations.
void mb_held_side(MbSensitivity *g, size_t k, int side);

// ---- sensitivity_held.c: a step ------------------------------------------------------------------------------------------

// Numbers that a step notes of what holds joints together.
size_t mb_held_noted(const MbSensitivity *g);
// Notes that of the step that has been done, in `noted`.
void mb_held_note(const MbSensitivity *g, double *noted);
// Along the run, when a step has been done: notes numbers that open rows which nothing can close (sensitivity_opened.c).
void mb_held_look(MbSensitivity *g);
// Goes back over a step, and adds what numbers are felt by; false: it has no derivative, g->parted says why, or its equations are singular.
bool mb_held_back(MbBackward *b, const MbTurn *turn);

// ---- sensitivity_held_rows.c: constraints in it, without which all of it does nothing --------------------------------------------

// Says why constraints of a model have no way back; NULL: they have, or there are none.
const char *mb_held_rows_refuse(const MbModel *model);
bool mb_held_rows_make(MbSensitivity *g); // false: out of memory
// Takes rows to a step where the probe's bodies are and A is factored, and adds to λ what they make joints push; false: A has no inverse.
bool mb_held_rows_at(MbSensitivity *g, const MbTurn *turn, double *lambda);
// Warns once in a run where a limit or rope was about to press or to let go in the step gone back over last.
void mb_held_tell(MbSensitivity *g, double t, int64_t step, MbReport *report);
// w̄ ← w̄ + Gᵀ ζ
void mb_held_rows_weigh(MbSensitivity *g, double *w);
// Adds what they are felt by to held->move and held->phi, and to weights of coordinates.
void mb_held_rows_back(MbSensitivity *g);
// Tells what a number changes of what a row that takes part in the step asks for.
double mb_held_row_asked(MbSensitivity *g, size_t k, size_t row);
// What a number changes of them, weighed, by the difference of both sides: of all constraints (SIZE_MAX), or of `only` one.
double mb_held_rows_number(MbSensitivity *g, size_t k, size_t only);

// ---- sensitivity_held_kept.c: those that prescribe velocities, which a joint's move in the step keeps to ------------------------

bool mb_held_kept_make(MbSensitivity *g, MbHeldRows *r); // false: out of memory
// Takes bodies to where the step ends.
void mb_held_kept_at(MbSensitivity *g, const MbTurn *turn);
// Puts what such a row asks for of velocities to come into its G, and notes what it is felt by where the step begins.
void mb_held_kept_row(MbSensitivity *g, const MbHeldRow *row);
// Adds that, weighed, to q̄.
void mb_held_kept_back(MbSensitivity *g, double *q);
// Tells whether there are such rows among those of the model.
bool mb_held_kept_may(const MbSensitivity *g);
// What such rows ask for, weighed, by where the step ends: by how much it differs in the models of a number's two sides, each with its bodies in axes of
// that side.
double mb_held_kept_number(MbSensitivity *g, size_t k);

// ---- sensitivity_held_joints.c: joints in it -----------------------------------------------------------------------------

// Takes bodies to come to a step's end, weighed by nothing.
void mb_held_move(MbSensitivity *g, const MbStageNote *note);
// Adds what the joints of a step are felt by, with z what its equations are, to q̄ and v̄; false: the coordinates of one are not found.
bool mb_held_joints_back(MbSensitivity *g, const MbStageNote *note, const double *q0, const double *z,
                         double *q, double *v);
// What a number changes of a step beside that, weighed; false as above, or it changes which rows joints have.
bool mb_held_joints_number(MbSensitivity *g, size_t k, const MbStageNote *note, const double *q0,
                           double *sum);
// The same of what rows of joints ask for alone, weighed by held->zeta; held->lambda is 0 from there on, and so are weights of coordinates.
bool mb_held_joints_asked(MbSensitivity *g, size_t k, const double *q0, double *sum);
// Before a frame at q and v is weighed, where the probe is: from there on weights of coordinates and of their rates are held->by_q and by_rate.
void mb_held_frame_begin(MbSensitivity *g, const double *q, const double *v, MbWeighed *to);
// The same of a frame, of which coordinates and their rates are weighed by held->by_q and by_rate, at q and v.
bool mb_held_frame_back(MbSensitivity *g, const double *q0, double *q, double *v);
bool mb_held_frame_number(MbSensitivity *g, size_t k, const double *q0, double *sum);

// ---- sensitivity_held_numbers.c: numbers -----------------------------------------------------------------------------------

// Finds what numbers have in common, when all of them are there; false: out of memory.
bool mb_held_numbers_make(MbSensitivity *g);
// Tells whether a number moves joints' frames too far for what these are felt by to be gathered.
static inline bool mb_held_number_jumps(const MbSensitivity *g, size_t k) {
  return mb_tangent_number_jumps(g->slopes[k].number);
}
// Tells whether there is something in a number that is not gathered, so that it has to be asked at each step.
bool mb_held_number_rests(const MbSensitivity *g, size_t k);
// Gathers what numbers change of constraints in a step.
void mb_held_numbers_gather(MbSensitivity *g);
// Adds to `sum` what a number changes of a step beside what is gathered; false: it has no derivative.
bool mb_held_number_back(MbSensitivity *g, size_t k, const MbStageNote *note, const double *q0,
                         const double *z, double *sum);
// Returns what a number changes of all steps by what is gathered of joints and constraints.
double mb_held_gathered(const MbSensitivity *g, size_t k);

// ---- sensitivity_held_opened.c ---------------------------------------------------------------------------------------------

// Notes numbers that open rows which nothing can close, in the step gone back over last; what joints were felt by in it is lost.
void mb_held_opens(MbSensitivity *g, const double *q0);

#endif
