// Impacts: contacts whose sides came at one another, in the steps since the frame before. Channel contact.impact tells them.
#ifndef MB_SIM_TOUCH_IMPACTS_H
#define MB_SIM_TOUCH_IMPACTS_H

#include "core/mbsim.h"
#include "core/sim/plan.h"

struct MbTouch;

// Numbers alone, as a checkpoint has them.
typedef struct MbImpact {
  double a, b;                // solids, or behind them deformables' surfaces
  double time;                // when the step ended
  double point[3], normal[3]; // in the world, from a to b
  double speed;               // with which they came at one another, along the normal
  double impulse;             // that stopped them, along the normal
  double friction[3];         // impulse in the world, on b
} MbImpact;

typedef struct MbImpacts {
  bool wanted;      // some channel tells them
  MbPlan plan;      // of frames: of one that a run has only because it ends there the next one tells again
  size_t kept;      // of steps that are done
  size_t n;         // with those of the step that is being made, which are behind
  MbImpact *impact; // (n) room for `room`
  size_t room;
} MbImpacts;

// Makes room for the impacts of a step with so many contacts. False: out of memory.
bool mb_impacts_reserve(MbImpacts *impacts, size_t contacts);
// Forgets those of the step that is being made, which begins anew.
void mb_impacts_begin(MbImpacts *impacts);
// Notes the contact if its sides came at one another faster than `threshold`. `before` is the normal's rate at the step's start, t is its end.
void mb_impacts_note(MbImpacts *impacts, const struct MbTouch *touch, const double lambda[3], double before,
                     double threshold, double t);
// The step behind `step` is done.
void mb_impacts_commit(MbImpacts *impacts, int64_t step);

// What a checkpoint has of them, in numbers; whether some of one are impacts of this scene; writing and reading.
size_t mb_impacts_numbers(const MbSim *sim);
bool mb_impacts_fit(const MbSim *sim, const unsigned char *p, size_t count);
void mb_impacts_write(const MbSim *sim, unsigned char *out);
void mb_impacts_read(MbSim *sim, const unsigned char *p, size_t count);

#endif
