// Piles: many contacts of bodies that nothing couples, of which a few sweeps are asked for (touch_pile.c).
#ifndef MB_SIM_TOUCH_PILE_H
#define MB_SIM_TOUCH_PILE_H

#include "core/contact/pile.h"
#include "core/sim/sim_internal.h"

typedef struct MbTouchPile MbTouchPile;
struct MbTouchPile {
  MbPile pile;
  uint32_t (*body)[2]; // (a contact)
  uint32_t *patch;     // (a contact) as the pile is given it
  size_t room, patch_room;
  bool alike;  // sizes are near enough to one another and to 1 for floats
  bool solved; // the contacts of the step have been solved so, and can be parted
};

// Makes it for the touching's solids. NULL: out of memory.
MbTouchPile *mb_touch_pile_create(const MbTouching *touching);

// Whether the step's contacts are to be solved so, which are of bodies apart (touch_apart.h).
bool mb_touch_is_pile(const MbSim *sim);
// v ← the velocities at which contacts are as they are to be, as near as the sweeps come; notes what pushed. *done is false, and nothing
// changed, where something rebounds or there is more than the sweeps know: then another way has to solve it. False: out of memory.
bool mb_touch_pile_solve(MbSim *sim, double *v, bool *done);
// Finds where the contacts have got to that were solved so, the bodies being where the step ends; what is then the deepest, by size.
double mb_touch_pile_move(MbSim *sim);
// dq ← the least move, as masses measure, that takes what is deep away.
void mb_touch_pile_part(MbSim *sim, double *dq);

void mb_touch_pile_free(MbTouchPile *pile); // and itself
size_t mb_touch_pile_bytes(const MbTouchPile *pile);

#endif
