// Nodes that a device moves: everything of a step but its decisions is there (core/solvers/projective/pd_mover.h). Made once from an engine
// that is made on the processor; all of the device's memory is taken then, in one piece.
#ifndef MB_GPU_MOVED_H
#define MB_GPU_MOVED_H

#include "core/solvers/projective/pd_engine.h"
#include "gpu/backend.h"
#include "gpu/moved_levels.h"

typedef struct MbMovedAway MbMovedAway;

// A block of elements there, and its arguments.
typedef struct MbMovedBlock {
  MbElementArgs args;
  const MbPdBlock *of;
  size_t at; // of its first energy
  bool dual; // it carries one
} MbMovedBlock;

typedef struct MbMoved {
  const MbBackend *on;
  MbGpu *gpu;
  char *memory;
  size_t bytes; // of it
  size_t nblocks;
  MbMovedBlock *block;
  MbNodeArgs nodes;
  MbCurvedArgs curved; // triangles that are so at rest
  size_t ncurved, npulls;
  MbLoadArgs loads;            // what acts beside elements
  struct MbMovedLoads *acting; // how many, and on the processor; NULL: nothing
  MbPortArgs ports;
  MbPortPush *push;           // (nodes) on the processor, where rows act on nodes
  uint32_t *listed;           // (nodes x 3)
  struct MbMovedTouch *touch; // contacts that are solved for there (moved_touch.h); NULL: none are
  MbMovedAway *away;          // steps whose end stays there (moved_away.c); NULL: there are none
  struct MbMovedNear *near;   // what is near solids is found there (moved_near.h); NULL: nothing is
  double *start; // (6 nodes) on the processor: places and velocities as nodes.q0 and v0 have them there
  MbInverseArgs inverse;
  MbMovedLevels *levels; // of its inverse; NULL: no node is free
  double *energy;        // of all elements, then of the form's nodes, and of curved triangles
  size_t elements, energies;
  MbSumArgs sums;
  size_t most_chunks;
  double most; // of the last attempt
  double down; // d · b, where it is known
  bool knows_down;
  double *carry; // on the processor: u of the largest block
  size_t ncarry;
  size_t nheld;   // nodes that are placed
  double *target; // (nheld x 3) on the processor: where they go
  double result[MB_SUM_JOBS];
  char fault[512];
} MbMoved;

// Gives all arrays their places behind `memory`, which may be NULL: how many bytes that takes.
size_t mb_moved_lay_out(MbMoved *moved, const MbPdEngine *engine, char *memory);
// Copies there what stays. False: out of memory on the processor.
bool mb_moved_fill(MbMoved *moved, MbPdEngine *engine);

// What acts beside elements: counted and listed (false: out of memory), then as above; of the step's start; at places x, into f. How many
// energies it has.
bool mb_moved_loads_list(MbMoved *moved, const MbPdEngine *engine);
void mb_moved_loads_free(MbMoved *moved);
size_t mb_moved_loads_energies(const MbMoved *moved);
size_t mb_moved_loads_bytes(const MbMoved *moved); // on the processor
void mb_moved_loads_lay_out(MbMoved *moved, const MbPdEngine *engine, char **next);
void mb_moved_loads_fill(MbMoved *moved, const MbPdEngine *engine);
void mb_moved_loads_begin(MbMoved *moved, const MbPdEngine *engine);
void mb_moved_loads_act(MbMoved *moved, const MbPdEngine *engine, const double *x);

// Of A's inverse: how it is cut (false: out of memory), places (from `next` on, which it moves), and numbers.
bool mb_moved_inverse_list(MbMoved *moved, const MbPdEngine *engine);
void mb_moved_inverse_lay_out(MbMoved *moved, const MbPdEngine *engine, char **next);
bool mb_moved_inverse_fill(MbMoved *moved, const MbPdEngine *engine);
// x (nfree x 3) ← A⁻¹ x, zero along axes that are placed.
void mb_moved_solve(const MbMoved *moved, double *x);

// Nodes that rows act on: what is on the processor (false: out of memory), and places as above.
bool mb_moved_ports_list(MbMoved *moved, const MbPdEngine *engine);
void mb_moved_ports_free(MbMoved *moved);
size_t mb_moved_ports_bytes(const MbPdEngine *engine);
void mb_moved_ports_lay_out(MbMoved *moved, const MbPdEngine *engine, char **next);
// The mover's part of them.
void mb_moved_find(MbPdEngine *engine, const uint32_t *node, size_t n);
void mb_moved_answer(MbPdEngine *engine);
void mb_moved_read(const MbPdEngine *engine, double share, double *x);
void mb_moved_pull(MbPdEngine *engine, double *down, const double *p);
void mb_moved_push(MbPdEngine *engine, const double *p);
void mb_moved_rest(MbPdEngine *engine);
void mb_moved_respond(MbPdEngine *engine, const double *p, double *v);
// Copies to the processor what pair k has at the listed nodes.
void mb_moved_tell_pair(MbPdEngine *engine, size_t k);

// Contacts that are solved for there: what is on the processor (false: out of memory), places, and numbers as above; behind the inverse.
bool mb_moved_touch_list(MbMoved *moved, const MbPdEngine *engine);
void mb_moved_touch_free(MbMoved *moved);
size_t mb_moved_touch_bytes(const MbMoved *moved);
void mb_moved_touch_lay_out(MbMoved *moved, const MbPdEngine *engine, char **next);
void mb_moved_touch_fill(MbMoved *moved, MbPdEngine *engine);
// The mover's part of them.
const struct MbContactElsewhere *mb_moved_contacts(const MbPdEngine *engine);

// Steps whose end stays there: what is on the processor (false: out of memory), and places as above; room for what leaves, once the device is
// opened; the mover's part of them.
bool mb_moved_away_list(MbMoved *moved, const MbPdEngine *engine);
void mb_moved_away_free(MbMoved *moved);
size_t mb_moved_away_bytes(const MbMoved *moved);
void mb_moved_away_lay_out(MbMoved *moved, char **next);
void mb_moved_away_ready(MbMoved *moved);
MbAwayOffer mb_moved_stays(const MbPdEngine *engine);
bool mb_moved_stay(MbPdEngine *engine, const double *least, bool *odd);
void mb_moved_go_on(MbPdEngine *engine, bool all);
void mb_moved_undo(MbPdEngine *engine);
void mb_moved_leave(MbPdEngine *engine);
bool mb_moved_arrive(MbPdEngine *engine, double *q, double *v, double *dual);

// Adds a sum to be found: of x (n), or x · y, or the most of x. Finds all that were added: not numbers where the device is at fault.
void mb_moved_add_job(MbMoved *moved, const double *x, const double *y, size_t n, bool most);
const double *mb_moved_sums(MbMoved *moved);

// What is near solids, found there: a part of the mover (false: out of memory), whose memory is taken when a run hands its shapes over; bytes that
// it has on the processor; and those that it will take there, by a model alone.
bool mb_moved_near_list(MbMoved *moved, MbPdEngine *engine);
void mb_moved_near_free(MbMoved *moved);
size_t mb_moved_near_here(const MbMoved *moved, size_t nodes);
MbStatus mb_moved_near_bytes(const MbModel *model, size_t *bytes, MbReport *report);
const struct MbNearElsewhere *mb_moved_finds(const MbPdEngine *engine);
// Takes memory there; what does not fit is told with what there is.
MbStatus mb_moved_take(MbMoved *moved, size_t bytes, char **memory, MbReport *report);
// Copies there where placed nodes go.
void mb_moved_put_targets(MbMoved *moved, const MbPdEngine *engine);
// Copies places and velocities (nodes x 3) of a step's start there, if they are not there yet.
void mb_moved_put_start(MbMoved *moved, size_t nodes, const double *q, const double *v);

// Room for `count` things of `size` bytes, aligned as devices like it.
void *mb_moved_place(char **next, size_t count, size_t size);
// Copies numbers there as 32 bits each. False: out of memory.
bool mb_moved_put_short(const MbMoved *moved, const uint32_t *to, const size_t *from, size_t n);
static inline void mb_moved_put(const MbMoved *moved, const void *to, const void *from, size_t bytes) {
  // what kernels only read is written here, once
  moved->on->put(moved->gpu, (void *)(uintptr_t)to, from, bytes);
}

extern const MbPdMover mb_moved_by_cuda, mb_moved_by_loops;
// Of which nothing is made, and told how many bytes it would take.
extern const MbPdMover mb_moved_by_none;
size_t mb_moved_bytes(const MbPdEngine *engine);

#endif
