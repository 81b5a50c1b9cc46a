// What moves that part what is deep keep of momentum, and what they add to the energy (touch_kept.c).
#ifndef MB_SIM_TOUCH_KEPT_H
#define MB_SIM_TOUCH_KEPT_H

#include "core/sim/sim_internal.h"

typedef struct MbKeptGroup MbKeptGroup;

// A group is a body, or behind all bodies a deformable.
typedef struct MbTouchKept {
  size_t n; // groups
  uint32_t *
      order; // (n) that sums are made in: contacts' own, by names, so that the order in a file changes no bit
  uint32_t *bound;  // (n) the first of those that joints, constraints and elements hold together
  bool *tied;       // (n) the world holds it, or its velocities are not its own
  uint32_t *root;   // (n) the same with what has been parted in this step
  bool *held;       // (n) of the first ones
  MbKeptGroup *sum; // (n) of the first ones
  MbPose *E;        // (nb) where bodies were before the first move of the step
  double before;    // J: the energy then
  double parted;    // J: what moves have added since the start, when this step is done
} MbTouchKept;

// Makes room and finds what is bound. False: out of memory.
bool mb_touch_kept_create(MbSim *sim);
// A step parts what is deep: nothing has been moved yet.
void mb_touch_kept_step(MbSim *sim);
// Notes where bodies are before the first move.
void mb_touch_kept_begin(MbSim *sim);
// Notes that contacts push what they are about apart in a move that has been solved for; `pile`: the sweeps' own numbers have it.
void mb_touch_kept_moved(MbSim *sim, bool pile);
// Gives the velocities v back what the moves have taken of angular momentum, and adds up what they have done to the energy.
// True: velocities have changed, and the bodies of sim->x with them.
bool mb_touch_kept_end(MbSim *sim, double *v);
// Tells which island a body or deformable was of then; MB_KEPT_NONE: of none that has got anything back.
#define MB_KEPT_NONE UINT32_MAX
uint32_t mb_touch_kept_island(const MbSim *sim, size_t group);
// Tells whether a body is a node that goes along all three axes.
bool mb_touch_kept_node(const MbModel *model, size_t body);
// The same of nodes that are points: before the first is moved; for each node that is moved; for the ends of each contact that moves some; and
// at the end, where velocities of nodes change as well.
void mb_touch_kept_begin_points(MbSim *sim);
void mb_touch_kept_moves_node(MbSim *sim, size_t node, double way, const double n[3]);
void mb_touch_kept_join_touch(MbSim *sim, const size_t *end, size_t nends);
bool mb_touch_kept_end_points(MbSim *sim, double *v);

#endif
