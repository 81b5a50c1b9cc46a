// The table of all channels: what a frame can hold, what has to be known before it is sampled, and how that is done.
#ifndef MB_SIM_CHANNEL_TABLE_H
#define MB_SIM_CHANNEL_TABLE_H

#include "core/sim/channel_weights.h"
#include "core/sim/sim_internal.h"

// COORDINATES: of the joints, in the tree's order; JOINTS: the bodies that have one; ROWS: of the constraints; ELEMENTS: each deformable that has such; CELLS: their elements, one
// by one; TOTALS: each deformable;
// SOLUTION: one, where there are elements; ITERATIONS: those of a step, there; LISTED: as many as there are in a frame
typedef enum MbItems {
  ONE,
  BODIES,
  COORDINATES,
  JOINTS,
  ROWS,
  MUSCLES,
  NODES,
  ELEMENTS,
  CELLS,
  TOTALS,
  SOLUTION,
  ITERATIONS,
  LISTED
} MbItems;

// What has to be known before a channel is sampled.
typedef enum MbNeed {
  STATE,  // nothing else
  FORCES, // of the constraints, over the last step
  BALANCE // of forces and accelerations, at the state
} MbNeed;

typedef enum MbChannelFlags {
  ROTATION = 1, // its numbers turn something
  STANDARD = 2, // in a frame when the scene says nothing
  UNSTABLE = 4, // differs from run to run
  TOUCHES = 8,  // of scenes with contact alone
  VECTORS = 16  // it has the coordinates of joints, rotation vectors among them
} MbChannelFlags;

struct MbSampler {
  const char *name, *unit;
  MbQuantity quantity;
  unsigned flags; // MbChannelFlags
  MbItems items;
  size_t width;
  MbNeed need;
  const char *const *components;
  void (*sample)(const MbSim *sim, double *out);
  // of NODES, ELEMENTS, CELLS and TOTALS, one deformable's
  void (*sample_nodes)(const MbSim *sim, const MbDeformable *of, double *out);
  // Tells how many numbers an item has where the scene decides, and what they are called; NULL: `width` of them, `components`.
  size_t (*measure)(const MbSim *sim, const MbDeformable *of, const char *const **components);
  bool (*weigh)(const MbSim *sim, const double *weights, MbWeighed *to); // channel_weights.h
};

extern const MbSampler mb_channel_table[]; // (mb_channel_rows)
extern const size_t mb_channel_rows;

#endif
