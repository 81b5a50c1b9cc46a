// Runs of blocks and their colours: see lane_runs.h.
#include "core/contact/lane_runs.h"

#include <string.h>

void mb_lane_runs_lay(MbLaneRuns *runs, MbRoom *room, size_t nblocks, size_t nslots) {
  *runs = (MbLaneRuns){.nslots = nslots};
  runs->run = mb_room_take(room, nblocks, sizeof *runs->run);
  runs->depth = mb_room_take(room, nblocks, sizeof *runs->depth);
  runs->colour = mb_room_take(room, nblocks, sizeof *runs->colour);
  runs->order = mb_room_take(room, nblocks, sizeof *runs->order);
  runs->used = mb_room_take(room, nslots + 1, sizeof *runs->used);
}

static size_t depth_of(const uint32_t (*slot)[2], const uint32_t *patch, size_t nblocks, size_t j) {
  size_t depth = 1;
  while (depth < MB_LANES_DEEP && j + depth < nblocks && slot[j + depth][0] == slot[j][0] &&
         slot[j + depth][1] == slot[j][1] && (!patch || patch[j + depth] == patch[j]))
    depth++;
  return depth;
}

static void sort(MbLaneRuns *r) {
  enum { PLACES = MB_LANES_COLOURS * MB_LANES_DEEP };
  uint32_t start[PLACES + 1] = {0};
  for (size_t i = 0; i < r->count; i++)
    start[r->colour[i] * MB_LANES_DEEP + MB_LANES_DEEP - r->depth[i] + 1]++;
  for (size_t k = 0; k < PLACES; k++) start[k + 1] += start[k];
  for (size_t i = 0; i < r->count; i++)
    r->order[start[r->colour[i] * MB_LANES_DEEP + MB_LANES_DEEP - r->depth[i]]++] = (uint32_t)i;
}

// Each run takes the first colour that none of those before it which share a slot with it has.
bool mb_lane_runs_find(MbLaneRuns *r, const uint32_t (*slot)[2], const uint32_t *patch, size_t nblocks) {
  r->count = 0;
  memset(r->used, 0, (r->nslots + 1) * sizeof *r->used);
  for (size_t j = 0, depth; j < nblocks; j += depth) {
    uint64_t *const used[2] = {&r->used[slot[j][0]], &r->used[slot[j][1]]};
    r->used[r->nslots] = 0; // what is none is shared by all
    const uint64_t open = ~(*used[0] | *used[1]);
    depth = depth_of(slot, patch, nblocks, j);
    if (!open) return false;
    const int colour = __builtin_ctzll(open);
    *used[0] |= UINT64_C(1) << colour, *used[1] |= UINT64_C(1) << colour;
    r->run[r->count] = (uint32_t)j, r->depth[r->count] = (uint8_t)depth;
    r->colour[r->count++] = (uint8_t)colour;
  }
  sort(r);
  return true;
}

size_t mb_lane_runs_some(const MbLaneRuns *r, size_t from) {
  const uint8_t colour = r->colour[r->order[from]];
  size_t some = 1;
  while (some < MB_LANES_WIDE && from + some < r->count && r->colour[r->order[from + some]] == colour) some++;
  return some;
}
