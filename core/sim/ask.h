// What a row of a constraint asks for: the one place that says so, of rows that the solver holds and of those beside it alike. Pure:
// numbers in, numbers out (ask.c has the derivations).
#ifndef MB_SIM_ASK_H
#define MB_SIM_ASK_H

#include <stdbool.h>
#include <stddef.h>

typedef enum MbAskOf {
  MB_ASK_VELOCITIES,    // v⁺ of a step of first order, rows at its start
  MB_ASK_JUMPS,         // velocities that agree at once
  MB_ASK_ACCELERATIONS, // v̇
  MB_ASK_POSITIONS,     // a move dq that closes gaps
  MB_ASK_HALF,          // w of a half step, in a pass of Newton's method
  MB_ASK_SECOND_HALF,   // the same of the half that ends a step
  MB_ASK_END,           // v⁺ at the end of such a step
  MB_ASK_KINEMATIC      // v in the kinematic mode
} MbAskOf;

// What is asked, the same for all rows.
typedef struct MbAsking {
  MbAskOf of;
  double h, gamma;
  // unilateral rows act before their bound is passed, and prescribed motion is met at the step's end
  bool ahead;
  bool
      parts; // positions: of contacts too, where they are; else those of the step's start say nothing of its end
  double curve;   // velocities: seconds of the rate J̇ v that are made up for
  double theta;   // half steps: where the rows are, of the step
  double impulse; // half steps: seconds of force that an impulse stands for
} MbAsking;

// Whether a contact rebounds: by its numbers, or as another step has decided.
typedef enum MbAskBlow { MB_BLOW_BY_NUMBERS, MB_BLOW_STOPS, MB_BLOW_REBOUNDS } MbAskBlow;

// What is known of one row.
typedef struct MbAskRow {
  int order; // 0: g is known; 1: only its rate is; 2: only its acceleration
  double g, gt, gtt;
  double g0,
      g1; // half steps: gaps at the state, and where the last pass's w leads; where only a rate is known, G₁ w there
  bool one_way;       // asks for ≥
  bool dry;           // is dry friction
  double alpha, beta; // α > 0: it is soft
  double outward;     // of γ: it goes on beyond its bound
  bool target;        // it is met where its target is at the step's end
  bool anew;          // it is made anew in every pass, and asked of the step's end
  bool turns;         // it knows itself what it turns by in a step
  double rate,
      last;      // G x of what is solved for, as it is without the row; G of what the comment in ask.c says
  double size;   // of all terms of these two
  double drift;  // H J̇ v
  bool holds;    // accelerations: events hold it, or the step's start may; jumps: it is at its bound
  bool decides;  // accelerations: whether it is held is being decided
  bool pushed;   // half steps: it has pushed in the half before
  bool at_bound; // g is at its bound, or beyond
  double judged; // contact: the gap by which is decided what it asks for
  double scale;  // contact: how large what touches is
  double bounce, slowest; // contact: restitution, and the approach from which on there is some
  MbAskBlow blow;         // contact: whether that is decided here
} MbAskRow;

// w = W λ + b is to be 0, or ≥ 0 with λ ≥ 0.
typedef struct MbAsked {
  bool takes;     // else the row asks for nothing
  bool both_ways; // 0, though the row is of one way
  double b, size; // the sizes of b's terms together
  double soft;    // on W's diagonal
  double rebound; // by how much b is less for restitution
  bool narrow;    // whether there is any has been decided by next to nothing
} MbAsked;

// Tells whether a contact of that gap, of two things of a size, closes it in the step, and does not come no nearer alone.
bool mb_ask_closes(double gap, double size);
// Tells what the normal of a contact asks for; `last` is G of the velocities at the step's start.
MbAsked mb_ask_contact(const MbAsking *asking, const MbAskRow *row);
// Tells what a tangent asks for, or other dry friction, of that rate and the size of its terms.
static inline MbAsked mb_ask_friction(double rate, double size) {
  return (MbAsked){.takes = true, .b = rate, .size = size};
}
// Tells what a row asks for.
MbAsked mb_ask(const MbAsking *asking, const MbAskRow *row);
// What is known of rows that the solver holds: hard ones, of both ways.
typedef struct MbAskRows {
  size_t n;
  const unsigned char *order;
  const double *g, *gt, *g0, *g1;
  const double *rate, *last, *drift; // NULL: 0
} MbAskRows;

// x ← −b of each (n), which may be where `rate` or `last` is.
void mb_ask_rows(const MbAsking *asking, const MbAskRows *rows, double *x);
// Tells the force λ of a soft row where accelerations are wanted, at velocities whose G v is row->rate:  α λ = −(g + β ġ)   (AR 0.7).
double mb_ask_soft_force(const MbAskRow *row);

#endif
