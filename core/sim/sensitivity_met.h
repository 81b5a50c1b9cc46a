// Private to core/sim/sensitivity*.c: the way back through steps of one solution in which bodies touch. sensitivity_met.c has the derivation.
#ifndef MB_SIM_SENSITIVITY_MET_H
#define MB_SIM_SENSITIVITY_MET_H

#include "core/sim/dense_lu.h"
#include "core/sim/sensitivity_parts.h"
#include "core/sim/tangent_swing.h"

// Where a contact is seen, and what of it moves: bodies and nodes, with the weights of their velocities in its rates.
typedef struct MbSeen {
  double point[3], normal[3], gap, mu, bounce;
  size_t n, body[MB_TOUCH_ENDS];
  double weight[MB_TOUCH_ENDS];
  size_t nplaces,
      place[MB_TOUCH_ENDS]; // of a deformable's: those whose places it follows from, with or without a weight
  bool held;                // it is known of which of an edge's triangles it is,
  uint32_t part;            // which is this one
} MbSeen;

// What has been met in a step: the contacts that pushed, those that were about to, and how what was deep was parted behind it.
struct MbMeeting {
  MbPushes pushed, near;
  MbTouchMoves moves;
};

// A body that flies, and spins anew behind a blow (sensitivity_thrown.c).
typedef struct MbThrown {
  size_t body;
  double spin[3];      // without any swing
  double turned[3];    // with that of this spin: what the body is turned by
  MbSwingSlopes swing; // that swing, by that spin
  double carried[3];   // what it is felt by in the body's flight, less than nothing
  double spun[3];      // what the spin behind the flight is felt by
  double moved[3];     // what `turned` is felt by in coordinates
} MbThrown;

// An island of what floats, which has got back behind moves what these took of its momentum (sensitivity_met_kept.c).
typedef struct MbKeptIsland {
  bool there;
  double mass, centre[3], J[9]; // J about the centre
  double taken[3];
  double moment[3], axis[9];                      // of J: its eigenvalues, and its axes in columns
  double omega[3], weight[3], felt[3], pushed[3]; // Ω, y, Ω̄, Σ v̄ × Ω
} MbKeptIsland;

// A contact's three equations  B (G v⁺ + r) + C μ = 0.
typedef struct MbMetContact {
  double B[9], C[9];
  double pull; // how much of its gap there is in r
  double along
      [2]; // how much of m μ_n there is in its equations of friction: of one that slides under the round cone d
  double scale;    // what those of them are multiplied by that are about forces
  double softness; // of μ in the first
} MbMetContact;

// A contact that is carried along an arc (sensitivity_met_arcs.c).
typedef struct MbMetArc {
  bool is, closes;               // it is; its normal asks for the arc as well
  double share;                  // of what is asked for
  double turns[2][3];            // what both bodies turn by
  double D[MB_TOUCH_ENDS][3][6]; // what it asks for by where bodies get to
} MbMetArc;

// All of a step.
typedef struct MbMetArcs {
  bool any;
  bool settles;     // they go by the velocities that are solved for, and not by those before
  const double *by; // (nv) which these are
  MbMetArc *of;     // (room)
  size_t room;      //
  double *R,
      *before; // (3 room x nv) what they ask of these velocities beside G, and of coordinates by where they lead
  double *zeta;       // (3 room) what their twists by these velocities are felt by
  MbPose *to[2];      // (nb) where bodies get to, and on a side of a number
  double *ahead;      // (nq)
  double *phi;        // (nb x 6) twists by these velocities
  double *scratch[3]; // (nv)
} MbMetArcs;

// The sum that is felt by where bodies are:  Σ ( −μ G(q) z + ζ G(q) w + ζ₀ pull g(q) ),  of contacts that rebound with ζ₀ N(q) ((1 + e) from − free) besides, N being the first row of G, and, of a move that
// parts bodies, − z M(q) w.
typedef struct MbMetSum {
  const MbPushes *pushed;
  const double *mu, *zeta, *pull; // (3 n), (3 n), (n)
  const double *z, *w;            // (nv)
  const double *
      carried; // (nb x 6) by what twists bodies go against their parents beside z, as friction inside joints weighs what these transmit; NULL: by none
  const double *from, *free; // (nv) NULL: none rebounds
  const MbMetArcs *arcs; // contacts that are carried, which ask for something else than G w; NULL: none is
  const MbPose *to;      // (nb) where bodies get to
  const double *by;      // (nv) by these velocities
  const struct MbMetRows *rows; // of constraints, of a move that parts bodies; NULL: none
  bool parts;
} MbMetSum;

struct MbMet {
  MbSim *beside;
  bool points;       // there are nodes that are points (sensitivity_met_points.c)
  size_t own, width; // velocities: the solver's, and with three of each of these nodes behind them
  const double *q;   // coordinates, and places of these nodes behind them, where the step at hand begins
  double *there;     // (as many) where bodies and nodes are otherwise
  double *side_q, *side_v[MB_AXES_VECTORS]; // the same, and velocities, as a side of a number has them
  MbTouchMoves moves;                       // of the run's last step
  MbPushes pressing;                        // what pushed but for rounding, of the step or move at hand
  const MbPushes *pushed;                   // that
  size_t n, room;                           // its contacts
  MbMetContact *contact;
  double *G, *Y;           // (3 n x nv)
  const double *ask;       // (3 n x nv) what equations ask of velocities: G, but of contacts that are carried
  MbMetArcs arcs;          //
  size_t *first_entry;     // (n + 1) where the velocities that each one's rows are about begin
  uint32_t *entry;         // these
  size_t entry_room;       //
  double *mu, *zeta, *eta; // (3 n) forces; what rates and gaps are felt by; what the equations are
  double *pull;            // (n)
  MbRanked S;
  double *asked;      // (nslots + 3 n)
  MbSeen *seen[3];    // (n) where they are, and a little less and more along a coordinate
  MbTangent *tangent; // of `beside`
  double *phi;        // (nb x 6), and behind it (3 n) of nodes that are points
  double *phi_w;      // the same, of these alone
  double *by_move, *by_w,
      *by_z; // (nb x 6), and behind it (3 n): what the sum is felt by along bodies' motions and their twists
  double *none;                 // (nb x 6) zero
  double *psi, *wrench;         // (nb x 6) how bodies move by sum.carried; what contacts push behind joints
  double *z, *y, *move, *first; // (nv)
  MbPose *was;                  // (nb) bodies before what is deep was parted
  MbKeptIsland *kept[2];        // (nb) islands of what floats, and the same on one side of a number
  bool rebounds;                // a contact does
  double *from_phi,
      *free_phi; // (nb x 6) twists by velocities before the step, and as they would be behind it without rows
  MbThrown *thrown;    // (nthrown) room for nb
  size_t nthrown;      //
  double *free, *back; // (nv) these velocities; what the equations for them are felt by
  bool told, begun;    // that another branch is near, or as the run begins
};

// Makes it, where the run's model has contacts that there is a way back through; false: out of memory.
bool mb_met_make(MbSensitivity *g);
void mb_met_free(MbSensitivity *g);
// Notes what the run has met in the step that it has just done; false: out of memory.
bool mb_met_note(const MbSensitivity *g, MbMeeting *meeting);
void mb_met_forget(MbMeeting *meeting);
// The bytes that it takes.
size_t mb_met_bytes(const MbMeeting *meeting);

// Takes the step at hand to contacts (NULL: there are none), where the probe is and A is factored: which of them press, and what branch they have taken. False: g->parted tells why not.
bool mb_met_stand(MbSensitivity *g, const MbStageNote *note, const MbMeeting *meeting);
// Makes the border of these and of rows of constraints, when the tangent is at the step and rows are at hand; false as above.
bool mb_met_at(MbSensitivity *g, const MbStageNote *note);
// Takes w̄ over what contacts and constraints push, as mb_slope_tied_back does without the former.
void mb_met_back(MbSensitivity *g, double *w);
// Adds to q̄ and v̄ what contacts are felt by, of z; false as above.
bool mb_met_felt(MbSensitivity *g, const MbStageNote *note, const double *z, double *q, double *v);
// Notes whether a number may change anything of what contacts ask for and push.
void mb_met_concern(MbSlope *slope);
// Adds to out what a number changes of them; false as above.
bool mb_met_number(MbSensitivity *g, const MbSlope *slope, const MbStageNote *note, const double *z,
                   double move, double *out);
// Takes met->pushed to those that press, as they have been seen, with their rows and span A⁻¹ of these, where a simulation's bodies and its factors are; `from` are velocities before (NULL: of a move). False as above.
bool mb_met_press(MbSensitivity *g, MbSim *sim, const MbPushes *pushed, size_t rows, double span,
                  const double *from);
// Returns the sum with velocities and weights in a side's axes.
MbMetSum mb_met_of_side(const MbMet *met, const MbSlope *slope, int s, const MbMetSum *sum);
// Y (width) ← span A⁻¹ Y by the factors that a simulation has; false: it has none.
bool mb_met_invert(MbSensitivity *g, MbSim *sim, double span, double *Y);
// Makes room for n contacts, and so for rows with those of constraints; false: out of memory.
bool mb_met_reserve(MbSensitivity *g, size_t n);
// y += Jᵀ H of a unit force along d at the point of a contact, on both of its sides.
void mb_met_add_row(MbSim *sim, const MbSeen *seen, const double d[3], double *y);
// Returns coordinates of the run's, with places of nodes behind them, as a side of a number has them; and velocities, `which` of the vectors, which stay until the next are asked for.
const double *mb_met_side_q(const MbMet *met, const MbSlope *slope, int s, const double *q);
const double *mb_met_side_v(const MbMet *met, const MbSlope *slope, int s, int which, const double *v);
// Returns row k of G, or of Y, as below, times x; and one of its numbers.
double mb_met_row_times(const MbSensitivity *g, size_t ties, size_t k, bool Y, const double *x);
double mb_met_row_at(const MbSensitivity *g, size_t ties, size_t k, bool Y, size_t j);
// Returns row k of G, or of Y, of `ties` constraints and then of contacts; and how many of the former there are.
const double *mb_met_row(const MbSensitivity *g, size_t ties, size_t k, bool Y);
size_t mb_met_ties(const MbSensitivity *g);

// ---- sensitivity_met_rows.c -----------------------------------------------------------------------------------------

// Rows of constraints that hold something while what is deep is parted.
typedef struct MbMetRows {
  const MbTouchMove *move;
  const double *zeta; // (nrows) what their equations are felt by
} MbMetRows;

// Takes the rows of a simulation's constraints to where a move begins, where its bodies are.
void mb_met_rows_make(MbSensitivity *g, MbSim *sim, const MbTouchMove *move, const double *q,
                      const double *v);
// Adds to by_move, by_w and by_z what their part of the sum is felt by along the bodies' motions, and their twists by w, which the bodies of `beside` have, and by z, in met->phi.
void mb_met_rows_slope(MbMet *met, const MbMetSum *sum);
// Adds to q (nv) what they are felt by along coordinates.
void mb_met_rows_felt(const MbMet *met, const MbMetRows *rows, double *q);
// Returns what a number changes of their part of the sum.
double mb_met_rows_number(MbSensitivity *g, const MbSlope *slope, const MbMetSum *sum, const double *v,
                          double move);

// ---- sensitivity_met_arcs.c -----------------------------------------------------------------------------------------

// Makes room for it; false: out of memory.
bool mb_met_arcs_make(MbSensitivity *g);
// Finds which contacts of the step at hand are carried along arcs, and the rows that they ask by, when all have been seen; false: g->parted tells why not.
bool mb_met_arcs_at(MbSensitivity *g, const MbStageNote *note, const MbTouchMoves *moves);
// Gives a sum the step's arcs.
void mb_met_arcs_of(const MbMet *met, MbMetSum *sum);
// Finds where bodies of a simulation at q get to, of the run (0) or a side (1), for the sum. Its bodies stand there then.
void mb_met_arcs_reach(const MbMet *met, MbSim *at, const double *q, int which, MbMetSum *sum);
// Tells whether a contact of the sum is carried.
bool mb_met_arc_is(const MbMetSum *sum, size_t i);
// along ← what is asked of one less than G w, where it is seen, with twists phi by the velocities that arcs go by.
void mb_met_arc_along(const MbSim *sim, const MbMetSum *sum, size_t i, const MbSeen *seen, const double *phi,
                      double axis[3][3], double along[3]);
// Adds to q̄ and v̄ what arcs are felt by beside the sum, and finds what the twists are felt by.
void mb_met_arcs_felt(MbMet *met, double *q, double *v);

// ---- sensitivity_met_moves.c ----------------------------------------------------------------------------------------

// Takes q̄ and v̄ back over the moves behind a step that ends with coordinates q1 and velocities v1, and adds to out (count) what numbers change of them; false as above.
bool mb_met_moves_back(MbSensitivity *g, const MbMeeting *meeting, const double *q1, const double *v1,
                       double *q, double *v, double *out);

// ---- sensitivity_met_kept.c -----------------------------------------------------------------------------------------

// Takes them back over what velocities got behind the moves, which end at coordinates q1: `first` (nv) ← what coordinates before the first move are felt by in it. False as above.
bool mb_met_kept_back(MbSensitivity *g, const MbTouchMoves *moves, const double *q1, double *q, double *v,
                      double *first, double *out);

// The same of moves of nodes that are points, which end at coordinates q1 with places of nodes behind them: `first` (nv + 3 n) likewise.
bool mb_met_kept_points(MbSensitivity *g, const MbTouchMoves *moves, const double *q1, double *q, double *v,
                        double *first, double *out);

// ---- sensitivity_met_tell.c -----------------------------------------------------------------------------------------

// Warns, when the run has done its first step, of numbers that lift off or press in what rests on one another as it begins.
void mb_met_begin_tell(MbSensitivity *g, MbReport *report);
// Warns once in a run where a contact was about to press, to let go, to slide or to stick.
void mb_met_tell(MbSensitivity *g, const MbStageNote *note, const MbMeeting *meeting, double t, int64_t step,
                 MbReport *report);

// ---- sensitivity_met_free.c -----------------------------------------------------------------------------------------

// Finds the velocities that the step at hand would have come to without rows, where a contact rebounds; false: A has no inverse.
bool mb_met_free_at(MbSensitivity *g, const MbStageNote *note);
// Adds to v̄ what contacts that rebound ask of the velocities before the step.
void mb_met_free_felt(const MbSensitivity *g, double *v);
// Takes the tangent to those velocities, and g->a to their accelerations: *free ← the step's note with them. Returns what their equations are felt by (nv).
const double *mb_met_free_begin(MbSensitivity *g, const MbStageNote *note, MbStageNote *free);
// Adds to q̄ and v̄ what that is felt by.
void mb_met_free_back(MbSensitivity *g, double *scratch[3], double *q, double *v);

// ---- sensitivity_thrown.c -------------------------------------------------------------------------------------------

// Takes bodies that spin anew in the step at hand to what they are turned by, and g->step with them.
void mb_thrown_at(MbSensitivity *g, const MbStageNote *note, const MbMeeting *meeting);
// Returns a body as it has been thrown; NULL: it has not been.
MbThrown *mb_thrown_of(const MbSensitivity *g, size_t body);
// Takes what such bodies are turned by, in w̄ with what coordinates make of it, h `moved`, to what velocities that the step has solved for are felt by, and adds to `from` (nv) what those before it are felt by.
void mb_thrown_back(MbSensitivity *g, double h, const double *moved, double *w, double *from);
// Returns what a body's moments of inertia change of its flight, about one axis.
double mb_thrown_moment(const MbSensitivity *g, const MbThrown *thrown, const MbStageNote *note, size_t axis);
// Returns the same of a number on both of its sides.
double mb_thrown_number(const MbSensitivity *g, const MbThrown *thrown, const MbSlope *slope,
                        const MbStageNote *note, double move);

// ---- sensitivity_met_ends.c -----------------------------------------------------------------------------------------

// Tells whether a contact is one of a deformable.
bool mb_met_bends(const MbSim *sim, const MbPushed *touch);
// Takes in what moves of a contact of solids; adds one body or node, unless nothing moves it.
void mb_met_solids(const MbSim *sim, const MbPushed *touch, MbSeen *seen);
void mb_met_end(const MbSim *sim, size_t body, double weight, MbSeen *seen);
// Adds one that a deformable's contact follows from, unless nothing moves it.
void mb_met_follows(const MbSim *sim, size_t body, MbSeen *seen);
// Returns a solid where its body is.
MbPlaced mb_met_placed(const MbSim *sim, uint32_t solid);
// Returns which of n points is nearest to where a contact was; NULL: none is near.
const MbContactPoint *mb_met_nearest(const MbContactPoint *point, int n, const MbPushed *touch);
// H ← a unit force along d at a contact, on one of its ends.
void mb_met_push(const MbSim *sim, const MbSeen *seen, size_t end, const double d[3], double H[6]);
// out += share of the velocity that one of its ends has there, with the bodies' velocities phi.
void mb_met_add_velocity(const MbSim *sim, const MbSeen *seen, size_t end, const double *phi, double share,
                         double out[3]);
// out ← how fast the second side of a contact goes against the first there, with the bodies' velocities phi.
void mb_met_rate(const MbSim *sim, const MbSeen *seen, const double *phi, double out[3]);
// phi (nb x 6, 3 n) ← twists of bodies and velocities of nodes that are points, of velocities v at coordinates q, where the simulation's bodies are taken to if any moves.
void mb_met_twists(MbSim *at, const double *q, const double *v, double *phi);
// Returns where a body or node is, to be moved.
double *mb_met_place(MbSim *at, size_t body);

// ---- sensitivity_met_see.c ------------------------------------------------------------------------------------------

// Looks where bodies of a simulation touch at coordinates q, with velocities v to tell how far away that is of interest, contacts of edges by the same triangles as in another look (NULL: by the step's own); false: contacts that pushed are not
// there, or not where they were.
bool mb_met_look(MbSim *at, const double *q, const double *v, const MbPushes *pushed, const MbSeen *as,
                 MbSeen *seen);
// Takes from another look by which triangles contacts from `first` to before `end` are to be found.
void mb_met_hold(const MbSeen *as, size_t first, size_t end, MbSeen *seen);
// Finds these contacts where the bodies of sim->x are. False: one of them is not there.
bool mb_met_see(const MbSim *sim, const MbPushes *pushed, size_t first, size_t end, MbSeen *seen);
// Tells whether contacts are seen where they have pushed.
bool mb_met_near_by(const MbPushes *pushed, const MbSeen *seen);

// ---- sensitivity_met_nodes.c ----------------------------------------------------------------------------------------

// Finds such a contact where the bodies of sim->x are, but for its friction. False: it is not there, or jumps.
bool mb_met_see_nodes(const MbSim *sim, const MbPushed *touch, MbSeen *seen);

// ---- sensitivity_met_points.c ---------------------------------------------------------------------------------------

// Takes what coordinates and velocities behind a step, q1 and v1, with those of nodes behind them, are felt by, q and v, to before what was deep was parted, and adds to out (count) what numbers change of that; false as above.
bool mb_met_points_parted(MbSensitivity *g, const MbMeeting *meeting, const double *q1, const double *v1,
                          double *q, double *v, double *out);

// ---- sensitivity_met_pushes.c ---------------------------------------------------------------------------------------

// f (nb x 6) += share times what contacts push with by three numbers each along their axes, where they have been seen.
void mb_met_add_pushes(const MbSim *at, const MbPushes *pushed, const double *by, double share,
                       const MbSeen *seen, double *f);
// f (nb x 6) −= what contacts push with on a side of a number, as its bodies touch there. False: they are not found there.
bool mb_met_push_on(MbSensitivity *g, const MbSlope *slope, int s, const MbStageNote *note, double *f);

// ---- sensitivity_met_sum.c ------------------------------------------------------------------------------------------

// felt (nv) += the sum's derivative by where bodies are, about q; seen has where contacts are there. False: they jump.
bool mb_met_slope(MbSensitivity *g, const double *q, const MbMetSum *sum, double *felt);
// felt (nv) += what weights of bodies' motions and twists (nb x 6) come to, where the bodies of `beside` are, with velocities v.
void mb_met_weigh(MbMet *met, const double *v, const double *move, const double *phi, double *felt);
// Whether the sum is the same smooth function of a number on both of its sides, where contacts are at q as seen[0] has them and on the sides as seen[1] and seen[2] do.
bool mb_met_sides_smooth(MbSensitivity *g, const double *q, const MbMetSum *sum);
// out ← the sum as a simulation has it at q, of contacts as it has seen them there.
double mb_met_sum_at(const MbMet *met, MbSim *at, const double *q, const MbMetSum *sum, const MbSeen *seen);

#endif
