// Private to core/sim/sensitivity*.c: the way back under solver "maximal". sensitivity_held.c has the derivation.
#ifndef MB_SIM_SENSITIVITY_HELD_H
#define MB_SIM_SENSITIVITY_HELD_H

#include "core/sim/channel_weights.h"
#include "core/sim/constrain_internal.h"
#include "core/sim/sensitivity_back.h"
#include "core/sim/tangent_shared.h"
#include "core/solvers/maximal/joint_felt.h"

// What one number changes of joints: those whose rows differ, and whether what acts along coordinates may.
typedef struct MbHeldNumber {
  MbTangentNumber *of; // of the scene's models
  bool along;
} MbHeldNumber;

// A row of a constraint that takes part in a step.
typedef struct MbHeldRow {
  size_t constraint, slot;
  size_t tied,
      claimed; // its number among those that are not held with joints, and among those that are; SIZE_MAX, MB_WORLD: it is none
  int order;   // 0: its gap is known
  int slips; // dry friction: the way that it pushes with all that it may, and asks for nothing; 0: it sticks, or is none
  bool
      loaded; // it slips inside a joint, so that its force follows from what the joint transmits (rub_rows.c)
  bool idle;  // nothing that it is about can move
  bool kept;  // it asks for the joint's move in the step (sensitivity_held_kept.c)
  double mu, zeta; // what it pushes, and what its equation is felt by
  double rate, pull, slip, bend,
      soft;      // how much of G v⁺, g, ġ_t, J̇ v and μ there is in what it asks for
  double before; // of a pass, in which v⁺ is what velocities change by: how much of G v
} MbHeldRow;

// Where rows are: at the start of a step of one solution; where a stage ends; there, of velocities that agree with them; in a pass of the midpoint rule; where that leads, of gaps alone.
typedef enum MbHeldAt { MB_HELD_ONCE, MB_HELD_STAGE, MB_HELD_AGREED, MB_HELD_PASS, MB_HELD_GAPS } MbHeldAt;

typedef struct MbHeldRows {
  MbHeldAt at;
  MbSim *sim;     // whose bodies are there
  double scale;   // of Y = scale A⁻¹ Gᵀ, and seconds of force in an impulse
  double h, turn; // of the instant (MbInstant)
  bool whole;     // a pass is one of a stage over all of the step
  MbRow *
      moved; // rows along motions of their bodies and along coordinates, where they are found once; NULL: they are not
  size_t n, ntied;
  MbHeldRow *row;  // (nslots)
  double *G, *Y;   // (nslots x nv) of those that are tied: what they ask for, and what they push
  double *before;  // (nslots x nv) of those that are kept: what they are felt by where the step begins
  double *q0, *q1; // (nq) bodies at both ends of the step
  MbPose *E0, *E1, *side_E1; // (nb) there, and at its end as a side of a number has them
  MbRanked S;                //
  double *y, *asked;         // (nv), (nslots)
  double *q, *v;             // (model's nq), (model's nv)
  double t;                  // that they are asked for
  const double *w;           // (nv) velocities to come
  size_t near;               // one that is about to press, or to let go; SIZE_MAX: there is none
  bool told;                 // of such a row
  const double *guess;       // (nguess) where closures are looked for
} MbHeldRows;

typedef struct MbHeldStages MbHeldStages; // sensitivity_held_stage.c
typedef struct MbHeldHalves MbHeldHalves; // sensitivity_held_halves.c
typedef struct MbHeldRubbed MbHeldRubbed; // sensitivity_held_rubbed.c
typedef struct MbHeldRotors MbHeldRotors; // sensitivity_held_rotors.c

// What the sums over joints are made of (joint_felt.h).
typedef struct MbHeldWeighed {
  const double *zeta, *mu;   // (claimed rows)
  double asked, gap, curve;  // how much of J v⁺, of gaps and of J̇ v there is in what rows ask for
  bool forces;               // what acts along coordinates is a part of the equations
  double damping, stiffness; // how much of d (q̇⁺ − q̇) and of k q̇⁺ there is beside that
  bool change;               // v⁺ is what velocities change by, of which d is, too
  bool moves;                // velocities are changed by their inertia's own
  bool own;                  // of these two alone, of the bodies' velocities
  double *plus; // (nb x 6) ← what v⁺ is felt by in the bodies' axes; NULL: nobody wants to know
} MbHeldWeighed;

struct MbHeldBack {
  MbSensitivity free;   // of the same bodies without joints
  MbHeldNumber *number; // (count)
  MbHeldRows *rows;     // of constraints; NULL: there are none
  MbHeldStages *stages; // of steps that are made of stages; NULL: they are one solution
  MbHeldHalves *halves; // of the midpoint rule; NULL: it is another
  MbHeldRows *gaps,
      *end;      // of constraints in such a step, where a pass leads and at its end; NULL: there are none
  double *begun; // (model's nv) what rates of coordinates at such a step's start are weighed by
  MbHeldRotors *rotors;  // joints' own inertia; NULL: there is none
  MbHeldRubbed *rubbed;  // friction inside joints; NULL: there is none
  MbHeldWeighed of;      // the equations at hand
  MbSim *here;           // where the bodies are that they are about
  MbJointSlopes *slopes; // (nb) of joints where the probe's bodies are; NULL: they have not been found
  bool linear;           // forces on bodies are linearised
  bool whole;            // of velocities to come as a whole, not of changes of them (scheme_once.c)
  size_t nclaimed;
  size_t *first; // (nb) of the rows of each joint
  double *noted; // (claimed rows and nslots) what a step along the run has noted of forces
  double *none, *lambda,
      *zeta;        // (claimed rows) no motion; what they push in a step, what their equations are felt by
  double *plus, *z; // (nb x 6) twists to come, and weights of the equations
  double *
      row_z; // (nb x 6) the latter with what rows of constraints have of them beside (sensitivity_held_rubbed.c)
  MbPose *side_E; // (nb) bodies as a side of a number has them, and their twists (nb x 6)
  double *side_phi, *side_plus, *side_z, *side_row_z;
  double *move, *phi;                      // (nb x 6) what joints are felt by
  double *before, *behind;                 // (nb x 6) what their frames are felt by over all steps
  bool *any_before, *any_behind;           // (nb) of which joints numbers ask for that
  MbSharedList shared;                     // parameters of constraints
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

// Makes a simulation of a model beside the run, which warns of nothing, as the run itself has.
MbStatus mb_held_beside(const MbModel *model, MbSim **out, MbReport *report);
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

// z and ζ (claimed rows) ← those of  A z = −scale (w̄ + Jᵀ ζ),  J z = 0  by a simulation's factor of A, w̄ being what z is. False: A has no inverse.
bool mb_held_weights(MbHeldBack *held, MbSim *sim, double scale, double *z, double *zeta);

// ---- sensitivity_held_stage.c: a step that is made of stages ------------------------------------------------------------------

// Makes held->stages, and lets the run note its stages.
MbStatus mb_held_stages_make(MbSensitivity *g, MbReport *report);
void mb_held_stages_free(MbSensitivity *g);
// Goes back over a stage and adds what numbers are felt by: b->w has what velocities are felt by that agree where it ends, b->q1 and b->base its coordinates and its own motion. b->base ← what that is felt by in all, b->da ← −v̄*; b->next_q += q̄₀. False:
// it is not solved for, or g->parted says why it has no derivative.
bool mb_held_stage_back(MbBackward *b, const MbTurn *turn, size_t at);
// Goes back over what makes velocities v agree with rows where the run begins.
bool mb_held_start_back(MbBackward *b, const double *q, const double *v, const double *guess);

// ---- sensitivity_held_halves.c: a step of the midpoint rule --------------------------------------------------------------------

MbStatus mb_held_halves_make(MbSensitivity *g, MbReport *report);
void mb_held_halves_free(MbSensitivity *g);
// Goes back over such a step, and adds what numbers are felt by; false: as mb_held_back.
bool mb_held_halves_back(MbBackward *b, const MbTurn *turn);

// Goes back over what makes velocities agree with constraints where the run begins, in the first of its steps.
bool mb_held_halves_start_back(MbBackward *b, const double *q, const double *v, const MbTurn *turn);

// ---- sensitivity_held_half_rows.c: constraints in it, without which all of it does nothing -------------------------------------

bool mb_held_half_rows_make(MbSensitivity *g, MbSim *measure); // false: out of memory
// Takes rows to a pass, where the probe is and A is factored, and adds what they push to y. False: A has no inverse.
bool mb_held_half_rows_at(MbSensitivity *g, const MbTurn *turn, const MbStageNote *pass, double *y);
// Takes them to where the pass leads, where `measure` is, and looks for limits and ropes that are about to do otherwise in it.
void mb_held_half_rows_lead(MbSensitivity *g, const MbTurn *turn, const MbStageNote *pass);
// Adds up what rates at the step's start are felt by in a pass that has been gone back over; goes back over them there. False: the coordinates of a joint are not found.
void mb_held_half_rows_begun(MbSensitivity *g);
bool mb_held_half_rows_begin_back(MbBackward *b, const MbTurn *turn);
// The same as the first of velocities that are made to agree, where `measure` is at coordinates q, at time t, with rows that have pushed (NULL: nobody knows, and none of one way has), by x that they have made of velocities.
bool mb_held_half_rows_end(MbSensitivity *g, const double *q, double t, const double *guess,
                           const double *pushed, const double *x, double *y);

// ---- sensitivity_held_rows.c: constraints in it, without which all of it does nothing --------------------------------------------

// Says why constraints of a model have no way back; NULL: they have, or there are none.
const char *mb_held_rows_refuse(const MbModel *model);
// Makes a list of rows of a simulation, where there are any; false: out of memory.
bool mb_held_rows_create(MbSensitivity *g, MbSim *sim, MbHeldAt at, MbHeldRows **out);
// Finds what there is of each quantity in what a row asks for in a simulation, on the side of its bound where it is at `gap`; false: it takes no part.
bool mb_held_row_terms(const MbHeldRows *r, const MbSim *sim, double gap, MbHeldRow *row);
// Whether a row prescribes an acceleration in a stage, or where that or a step of the midpoint rule ends (sensitivity_held_stage.c).
static inline bool mb_held_row_accelerates(const MbHeldRows *r, const MbHeldRow *row) {
  const bool stage = r->at == MB_HELD_STAGE || (r->at == MB_HELD_PASS && r->whole);
  return row->order == 2 && (stage || r->at == MB_HELD_AGREED);
}
// Lists the rows that take part, with what they push.
void mb_held_rows_list(MbHeldRows *r, const double *forces);
// G, Y and S of those that are not held with joints, where A is factored; S has then to be factored. False: A has no inverse.
bool mb_held_rows_respond(MbSensitivity *g, MbHeldRows *r);
// Whether a row that has not pressed gives way to nothing, as joints and rows hold what it is about, where S of g->held->rows has been factored.
bool mb_held_rows_is_held(MbSensitivity *g, size_t s);
// Factors S of g->held->rows, between velocities before and to come, and notes which limit, rope or dry friction is about to do otherwise. `struck` (may be NULL) is MbTurn.struck.
void mb_held_rows_factor(MbSensitivity *g, const double *from, const double *to, const double *struck);
// Takes rows to a step where the probe's bodies are and A is factored, and adds to λ what they make joints push; false: A has no inverse.
bool mb_held_rows_at(MbSensitivity *g, const MbTurn *turn, double *lambda);
// Warns once in a run where a limit or rope was about to press or to let go in the step gone back over last.
void mb_held_tell(MbSensitivity *g, double t, int64_t step, MbReport *report);
// w̄ ← w̄ + Gᵀ ζ, ζ being r->asked.
void mb_held_rows_weigh(MbHeldRows *r, double *w);

// ---- sensitivity_held_felt.c: what these are felt by -------------------------------------------------------------------------------

// Makes room for rows that are found once; false: out of memory. Finds them, along motions and coordinates.
bool mb_held_rows_keep(MbSensitivity *g, MbHeldRows *r);
void mb_held_rows_find(MbHeldRows *r);
// Adds what they are felt by to held->move and held->phi, and to weights of coordinates; `claimed` is ζ of those that the solver holds with joints.
void mb_held_rows_back(MbSensitivity *g, MbHeldRows *r, const double *claimed);
// Tells what a number changes of what a row that takes part in the step asks for.
double mb_held_row_asked(MbSensitivity *g, size_t k, size_t row);
// What a number changes of them, weighed, by the difference of both sides: of all constraints (SIZE_MAX), or of `only` one.
double mb_held_rows_number(MbSensitivity *g, const MbHeldRows *r, size_t k, size_t only);

// ---- sensitivity_held_kept.c: those that prescribe velocities or hold by dry friction, which a joint's move in the step keeps to ----------

bool mb_held_kept_make(MbSensitivity *g, MbHeldRows *r); // false: out of memory
// Tells whether a constraint is such where rows are: in stages rows ask for velocities where these end.
bool mb_held_kept_is(const MbHeldRows *r, const MbConstraint *constraint);
// Takes bodies to where the step ends.
void mb_held_kept_at(MbSensitivity *g, const MbTurn *turn);
// Puts what such a row asks for of velocities to come into its G, and notes what it is felt by where the step begins.
void mb_held_kept_row(MbSensitivity *g, const MbHeldRow *row);
// Adds that, weighed, to q̄.
void mb_held_kept_back(MbSensitivity *g, double *q);
// Tells whether a number changes what such rows of the model ask for where bodies stay where they are.
bool mb_held_kept_asks(const MbSensitivity *g, size_t k);
// What such rows ask for, weighed: by how much it differs in the models of a number's two sides, each with its bodies in axes of that side.
double mb_held_kept_number(MbSensitivity *g, size_t k);

// ---- sensitivity_held_rubbed.c: friction inside joints, without which all of it does nothing --------------------------------

bool mb_held_rubbed_make(MbSensitivity *g); // false: out of memory
// Takes it to the loads that a step has noted; then, when rows are listed and the bodies' tangent is at the step, to what joints do, with forces of rows (nslots) that have to stay.
void mb_held_rubbed_step(MbSensitivity *g, const double *loads);
void mb_held_rubbed_begin(MbSensitivity *g, const double *forces);
// Makes a row that slips that of its law, when its G and Y have been found; false: g->parted tells why it has none.
bool mb_held_rubbed_row(MbSensitivity *g, const MbHeldRow *row);
// Adds to S of g->held->rows what these have of the rows' forces; tells, where it has been factored, whether there is a derivative of loads; false: g->parted tells why not.
void mb_held_rubbed_fill(MbSensitivity *g);
bool mb_held_rubbed_settled(MbSensitivity *g);
// Takes it to what the border is felt by, r->asked, of which that of its own rows is 0 then.
void mb_held_rubbed_felt(MbSensitivity *g);
// Returns weights z of the equations with those of what joints do; adds these to the bodies' twists by z.
double *mb_held_rubbed_weigh(MbSensitivity *g, double *z);
void mb_held_rubbed_twists(const MbSensitivity *g, double *z);
// Adds to held->move what these are felt by as bodies move against one another.
void mb_held_rubbed_back(MbSensitivity *g);
// Returns what a number changes of the law itself.
double mb_held_rubbed_number(MbSensitivity *g, size_t k);
// Warns once in a run where a place was about to be pressed from the other side in the step at hand.
void mb_held_rubbed_tell(MbSensitivity *g, double t, int64_t step, MbReport *report);

// ---- sensitivity_held_rotors.c: joints' own inertia, without which all of it does nothing ----------------------------------

bool mb_held_rotors_make(MbSensitivity *g); // false: out of memory
// Takes it to the step at hand, where the probe's bodies are.
void mb_held_rotors_at(MbSensitivity *g);
// The same of sums at a stage where held->here is, of which x (nv) are the accelerations, or what velocities are changed by (NULL: neither); with V̇ v, of which mb_held_rotors_turns has found what it is felt by, with the bodies' velocities; false: the coordinates of a joint are not found.
void mb_held_rotors_stage(MbSensitivity *g, const double *x, bool bends);
bool mb_held_rotors_turns(MbSensitivity *g, const double *q0);
// Adds what x is felt by, when mb_held_rotors_back has been asked.
void mb_held_rotors_felt(const MbSensitivity *g, double *a);
// Returns less the force along coordinate k by so much inertia.
double mb_held_rotors_push(const MbHeldBack *held, const MbSim *sim, size_t k, double inertia);
// Adds what rates of coordinates, and of what these make by themselves, are weighed by.
void mb_held_rotors_weigh(MbHeldBack *held, const MbSim *sim);
// Adds to what V a + V̇ v of coordinate k is weighed by in a stage, or V x of what agrees where that ends.
void mb_held_rotors_weigh_row(MbHeldBack *held, size_t k, double weight);
// Adds what it is felt by to held->move and held->phi; false: the coordinates of a joint are not found.
bool mb_held_rotors_back(MbSensitivity *g, const double *q0);
// Gathers what moments of inertia are felt by, when that has been done.
void mb_held_rotors_gather(const MbSensitivity *g, MbTangentGather *gather);
// Adds what a number changes of it beside that, its frames and the inertia itself; false as above.
bool mb_held_rotors_number(MbSensitivity *g, size_t k, const double *q0, double *sum);

// ---- sensitivity_held_joints.c: joints in it -----------------------------------------------------------------------------

// Takes bodies to come to a step's end, weighed by nothing.
void mb_held_move(MbSensitivity *g, const double *w);
// Finds slopes of joints where a simulation is, with coordinates q, or what their rows and rates are there alone; false: the coordinates of one are not found.
bool mb_held_find_slopes(const MbHeldBack *held, const MbSim *sim, const double *q, bool rates,
                         MbJointSlopes *out);
// Takes what acts along coordinates to the probe, and their rates to come to velocities w.
void mb_held_coordinates(MbSensitivity *g, const double *w);
// Adds what joints and rows are felt by in the equations held->of, with z what these are, to q̄ and v̄; false: the coordinates of one are not found.
bool mb_held_joints_back(MbSensitivity *g, MbHeldRows *rows, const double *q0, const double *z, double *q,
                         double *v);
// What a number changes of a step beside that, weighed; false as above, or it changes which rows joints have.
bool mb_held_joints_number(MbSensitivity *g, size_t k, double t, const double *q0, double *sum);
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
// Gathers what numbers change of a list of rows, weighed.
void mb_held_numbers_gather(MbSensitivity *g, const MbHeldRows *r);
// Takes what the two sides of a number make of sums over joints and a list of rows (NULL: there are none), less what is gathered; false: as mb_held_joints_number.
bool mb_held_number_sums(MbSensitivity *g, const MbHeldRows *r, size_t k, double t, const double *q0,
                         double *sum);
// Returns what a number changes of z · τ of the bodies, of which forces feel velocities `felt`, less what is gathered.
double mb_held_number_bodies(MbSensitivity *g, size_t k, const MbStageNote *note, const double *felt,
                             const double *z);
// Adds to `sum` what a number changes of a step of one solution beside what is gathered; false: it has no derivative.
bool mb_held_number_back(MbSensitivity *g, size_t k, const MbStageNote *note, const double *q0,
                         const double *z, double *sum);
// Returns what a number changes of all steps by what is gathered of joints and constraints.
double mb_held_gathered(const MbSensitivity *g, size_t k);

// ---- sensitivity_held_opened.c ---------------------------------------------------------------------------------------------

// Notes numbers that open rows which nothing can close, in the step gone back over last; what joints were felt by in it is lost.
void mb_held_opens(MbSensitivity *g, const double *q0);

#endif
