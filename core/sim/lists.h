// Lists of channels: what there is so many of in a frame (MbList). A list is a row of the table of channels with an MbLister.
#ifndef MB_SIM_LISTS_H
#define MB_SIM_LISTS_H

#include "core/sim/sim_internal.h"

// What makes a channel's list.
struct MbLister {
  // What an entry holds, in the simulation's arena; NULL: out of memory.
  const MbList *(*describe)(MbSim *sim);
  // How many entries there are at the state.
  size_t (*count)(const MbSim *sim);
  // Writes them, in the order of their keys.
  void (*fill)(const MbSim *sim, double *entries);
};

// Limits, ropes and planes that push: channel constraint.active.
extern const MbLister mb_active_lister;
// What touches: channel contact; totals by pairs of bodies: channel contact.pair.
extern const MbLister mb_touch_lister, mb_touch_pair_lister;
// What has come at one another since the frame before: channel contact.impact.
extern const MbLister mb_touch_impact_lister;
// Tells the sum of the normal forces of a deformable's contacts in the last step, and the whole force on it: four numbers.
void mb_touch_total(const MbSim *sim, const MbDeformable *of, double *out);

// Makes channel i's list anew, and *count ← how many entries it has. MB_IO: out of memory.
MbStatus mb_sim_list_make(MbSim *sim, size_t i, double *count, MbReport *report);
// Frees what lists have grown to.
void mb_sim_lists_free(MbSim *sim);
size_t mb_sim_lists_bytes(const MbSim *sim);

#endif
