// Private to core/sim/sensitivity*.c: the way back through steps of one solution in which bodies touch. sensitivity_met.c has the derivation.
#ifndef MB_SIM_SENSITIVITY_MET_H
#define MB_SIM_SENSITIVITY_MET_H

#include "core/sim/dense_lu.h"
#include "core/sim/sensitivity_parts.h"

// Where a contact is seen.
typedef struct MbSeen {
  double point[3], normal[3], gap, mu;
} MbSeen;

// What has been met in a step: the contacts that pushed, those that were about to, and how what was deep was parted behind it.
typedef struct MbMeeting {
  MbPushes pushed, near;
  MbTouchMoves moves;
} MbMeeting;

// A contact's three equations  B (G v⁺ + r) + C μ = 0.
typedef struct MbMetContact {
  double B[9], C[9];
  double pull;     // how much of its gap there is in r
  bool slides;     //
  double along[2]; // then: the way it slides, along its tangents
  double scale;    // and what its equations of friction are multiplied by
  double softness; // of μ in the first
} MbMetContact;

// The sum that is felt by where bodies are:  Σ ( −μ G(q) z + ζ G(q) w + ζ₀ pull g(q) )  and, of a move that parts bodies, − z M(q) w.
typedef struct MbMetSum {
  const MbPushes *pushed;
  const double *mu, *zeta, *pull; // (3 n), (3 n), (n)
  const double *z, *w;            // (nv)
  bool parts;
} MbMetSum;

struct MbMet {
  MbSim *beside;
  MbTouchMoves moves;     // of the run's last step
  MbPushes pressing;      // what pushed but for rounding, of the step or move at hand
  const MbPushes *pushed; // that
  size_t n, room;         // its contacts
  MbMetContact *contact;
  double *G, *Y;           // (3 n x nv)
  double *mu, *zeta, *eta; // (3 n) forces; what rates and gaps are felt by; what the equations are
  double *pull;            // (n)
  MbRanked S;
  double *asked;                 // (nslots + 3 n)
  size_t S_room;                 //
  MbSeen *seen[3];               // (n) where they are, and a little less and more along a coordinate
  MbTangent *tangent;            // of `beside`
  double *phi;                   // (nb x 6)
  double *by_move, *by_w, *by_z; // (nb x 6) what the sum is felt by along bodies' motions and their twists
  double *none;                  // (nb x 6) zero
  double *z, *y, *move;          // (nv)
  bool told, begun;              // that another branch is near, or as the run begins
};

// Makes it, where the run's model has contacts that there is a way back through; false: out of memory.
bool mb_met_make(MbSensitivity *g);
void mb_met_free(MbSensitivity *g);
// Notes what the run has met in the step that it has just done; false: out of memory.
bool mb_met_note(const MbSensitivity *g, MbMeeting *meeting);
void mb_met_forget(MbMeeting *meeting);
// The bytes that it takes.
size_t mb_met_bytes(const MbMeeting *meeting);

// Takes the step at hand to contacts, where the probe and the tangent are; false: g->parted tells why not.
bool mb_met_at(MbSensitivity *g, const MbStageNote *note, const MbMeeting *meeting);
// Takes w̄ over what contacts and constraints push, as mb_slope_tied_back does without the former.
void mb_met_back(MbSensitivity *g, double *w);
// Adds to q̄ what contacts are felt by, of z; false as above.
bool mb_met_felt(MbSensitivity *g, const MbStageNote *note, const double *z, double *q);
// Notes whether a number may change anything of what contacts ask for and push.
void mb_met_concern(MbSlope *slope);
// Adds to out what a number changes of them; false as above.
bool mb_met_number(MbSensitivity *g, const MbSlope *slope, const MbStageNote *note, const double *z,
                   double move, double *out);
// Takes q̄ back over the moves behind a step that ends with velocities v, and adds to out (count) what numbers change of them; false as above.
bool mb_met_moves_back(MbSensitivity *g, const MbMeeting *meeting, const double *v, double *q, double *out);
// Warns, when the run has done its first step, of numbers that lift off or press in what rests on one another as it begins.
void mb_met_begin_tell(MbSensitivity *g, MbReport *report);
// Warns once in a run where a contact was about to press, to let go, to slide or to stick.
void mb_met_tell(MbSensitivity *g, const MbStageNote *note, const MbMeeting *meeting, double t, int64_t step,
                 MbReport *report);

// ---- sensitivity_met_sum.c ------------------------------------------------------------------------------------------

// Looks where bodies of a simulation touch at coordinates q, with velocities v to tell how far away that is of interest; false: contacts that pushed are not
// there, or not where they were.
bool mb_met_look(MbSim *at, const double *q, const double *v, const MbPushes *pushed, MbSeen *seen);
// felt (nv) += the sum's derivative by where bodies are, about q; seen has where contacts are there. False: they jump.
bool mb_met_slope(MbSensitivity *g, const double *q, const MbMetSum *sum, double *felt);
// Whether the sum is the same smooth function of a number on both of its sides, where contacts are at q as seen[0] has them and on the sides as seen[1] and seen[2] do.
bool mb_met_sides_smooth(MbSensitivity *g, const double *q, const MbMetSum *sum);
// out ← the sum as a simulation has it at q, of contacts as it has seen them there.
double mb_met_sum_at(MbSim *at, const double *q, const MbMetSum *sum, const MbSeen *seen, double *phi);

#endif
