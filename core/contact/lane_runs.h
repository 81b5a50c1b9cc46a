// Blocks that go side by side: those one after the other which have the same two slots are a run, and runs of one colour share no slot.
// Which these are follows from the slots alone.
#ifndef MB_CONTACT_LANE_RUNS_H
#define MB_CONTACT_LANE_RUNS_H

#include "core/contact/contact_parts.h"

enum {
  MB_LANES_WIDE = 8, // runs in a batch
  MB_LANES_DEEP = 4, // blocks in a run at most
  MB_LANES_COLOURS = 64
};

typedef struct MbLaneRuns {
  size_t nslots, count;
  uint32_t *run;           // (count) the first block of each
  uint8_t *depth, *colour; // (count) blocks of each; its colour
  uint32_t *order;         // (count) by colours, of these the deepest first
  uint64_t *used;          // (nslots + 1) colours
} MbLaneRuns;

// Takes the room that so many blocks may need.
void mb_lane_runs_lay(MbLaneRuns *runs, MbRoom *room, size_t nblocks, size_t nslots);
// Finds runs, colours and order. `patch` (nblocks): blocks of different ones are of different runs; NULL: all are of one. False: there are not
// so many colours.
bool mb_lane_runs_find(MbLaneRuns *runs, const uint32_t (*slot)[2], const uint32_t *patch, size_t nblocks);
// How many runs from the one at `from` in order go into one batch, which are of one colour.
size_t mb_lane_runs_some(const MbLaneRuns *runs, size_t from);

// Batches and cells that so many blocks may need.
static inline size_t mb_lane_batches(size_t nblocks) { return nblocks / MB_LANES_WIDE + MB_LANES_COLOURS; }
static inline size_t mb_lane_cells(size_t nblocks) {
  return nblocks / MB_LANES_WIDE + MB_LANES_COLOURS * MB_LANES_DEEP;
}

#endif
