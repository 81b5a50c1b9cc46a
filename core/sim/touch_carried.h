// What rides on what turns: what contacts ask for so that it keeps its place there (touch_carried.c).
#ifndef MB_SIM_TOUCH_CARRIED_H
#define MB_SIM_TOUCH_CARRIED_H

#include "core/sim/reached.h"

struct MbTouch;

// Of the step's contacts. Its memory stays from step to step.
typedef struct MbTouchCarried {
  bool *linked;       // (nb) bodies that joints hold, or hold others by
  MbReached reached;  // places at the step's end
  bool made;          // `along` is of the step's contacts
  bool iterates;      // of some of them the arcs are not known before the solution is
  double rounding;    // of velocities that bodies' places tell
  double left;        // by how much of how fast things are they would change again
  double off;         // the same as a velocity
  bool settled;       // it is no more than was asked for
  double (*along)[3]; // (n) what normals and tangents ask for of b against a
  size_t n, room;
} MbTouchCarried;

// How things go in a step.
typedef struct MbArcs {
  const MbPose *to; // (nb) where bodies get to
  const double *v;  // the velocities that they do by
  bool last;        // those of the last step
  const double (*about)
      [3]; // what both bodies of a pair turn by, near to which they are: how alike they turn is told by its slopes there; NULL: as it is
} MbArcs;

// What a contact is about, and where.
typedef struct MbArcOf {
  uint32_t a, b; // solids, or behind them surfaces
  const double *point;
  size_t n; // of a deformable's: bodies and nodes, with the weights of their velocities
  const size_t *end;
  const double *weight;
} MbArcOf;

// Makes room for what does not change. False: out of memory.
bool mb_touch_carried_create(MbSim *sim);
void mb_touch_carried_free(MbTouchCarried *carried);
size_t mb_touch_carried_bytes(const MbSim *sim);
// Begins a step with the contacts that are listed. False: out of memory.
bool mb_touch_carried_begin(MbSim *sim, size_t n);
// Finds what contacts ask for by how bodies move when the step begins, once a step. Rows are made.
void mb_touch_carried_guess(MbSim *sim);
// Finds it anew by the velocities that a solution comes to, and puts it into what the rows taken ask for. Returns by how much it has changed, of how
// fast things are.
double mb_touch_carried_again(MbSim *sim, const double *v);
// Whether contacts of two solids, or of a deformable beyond these, may ask for anything: one is driven and turns, or is held by joints.
bool mb_touch_carries(const MbSim *sim, uint32_t a, uint32_t b);
// s ← how far what meets slips in a step, where the bodies of sim->x begin it. Returns how much of that is asked for in the place of what goes straight.
double mb_touch_arc(const MbSim *sim, const MbArcs *arcs, const MbArcOf *of, double s[3]);
// Finds what both bodies turn by; none for what is no body.
void mb_touch_arc_turns(const MbSim *sim, const MbArcs *arcs, const MbArcOf *of, double turns[2][3]);
// Tells whether normals ask for it too, but of what is thrown back.
bool mb_touch_arc_closes(const MbSim *sim, uint32_t a, uint32_t b);
// along ← what rows of a contact of the step ask for of b against a: none but on what turns.
void mb_touch_carried(const MbSim *sim, const struct MbTouch *touch, double along[3]);

#endif
