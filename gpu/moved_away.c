// Steps whose end stays on the device, and the state that leaves it (core/sim/nodes_away.h). Two parcels take turns: what is packed into one while the
// other is on its way cannot change that one.
#include "core/base/alloc.h"
#include "gpu/moved.h"

#include <string.h>

enum { PARCELS = MB_GPU_PARCELS };

struct MbMovedAway {
  size_t n,
      dual;     // nodes, 0 where their places do not stay; numbers of all blocks' duals, with what pads them
  size_t bytes; // of a parcel
  double *v;    // (n x 3) at the end
  double *odd;  // (n)
  double *before; // (dual) when the step began
  double *parcel[PARCELS];
  int next, last;
  bool all; // places and velocities, too, are where the last step has ended
  bool offered;
};

static MbMoved *of(const MbPdEngine *engine) { return engine->moved; }

// ---- making -------------------------------------------------------------------------------------------------

// Numbers of a block's dual there; 0: it has none.
static size_t dual_of(const MbMovedBlock *block) {
  return block->dual ? 3 * block->of->rank * block->of->gradient.stride : 0;
}

bool mb_moved_away_list(MbMoved *moved, const MbPdEngine *engine) {
  size_t dual = 0;
  for (size_t k = 0; k < moved->nblocks; k++) dual += dual_of(&moved->block[k]);
  const bool whole = !engine->ports && !engine->beside; // others look at nodes within steps
  if (engine->still || (!whole && !dual)) return true;
  MbMovedAway *away = moved->away = mb_calloc(1, sizeof *away);
  if (!away) return false;
  away->n = whole ? engine->n : 0, away->dual = dual;
  away->bytes = (6 * away->n + away->dual) * sizeof(double);
  return true;
}

void mb_moved_away_free(MbMoved *moved) { mb_free(moved->away); }

size_t mb_moved_away_bytes(const MbMoved *moved) {
  return moved->away ? sizeof *moved->away + PARCELS * moved->away->bytes : 0;
}

void mb_moved_away_lay_out(MbMoved *moved, char **next) {
  MbMovedAway *away = moved->away;
  if (!away) return;
  away->v = mb_moved_place(next, 3 * away->n, sizeof *away->v);
  away->odd = mb_moved_place(next, away->n, sizeof *away->odd);
  away->before = mb_moved_place(next, away->dual, sizeof *away->before);
  for (int k = 0; k < PARCELS; k++) away->parcel[k] = mb_moved_place(next, away->bytes, 1);
}

void mb_moved_away_ready(MbMoved *moved) {
  if (moved->away) moved->away->offered = moved->on->parcels(moved->gpu, moved->away->bytes);
}

MbAwayOffer mb_moved_stays(const MbPdEngine *engine) {
  const MbMovedAway *away = of(engine)->away;
  if (!away || !away->offered) return MB_AWAY_NOTHING;
  return away->n ? MB_AWAY_ALL : MB_AWAY_CARRIED;
}

// ---- a step -------------------------------------------------------------------------------------------------

static void copy(const MbMoved *moved, const double *to, const double *from, size_t n) {
  const MbCopyArgs args = {(double *)(uintptr_t)to, from};
  moved->on->run(moved->gpu, MB_RUN_mb_numbers_copy, n, &args);
}

// The duals of all blocks, one behind the other: to `packed`, or back.
static void copy_dual(const MbMoved *moved, double *packed, bool back) {
  for (size_t k = 0; k < moved->nblocks; k++) {
    const size_t n = dual_of(&moved->block[k]);
    double *const u = moved->block[k].args.u;
    if (n) copy(moved, back ? u : packed, back ? packed : u, n);
    packed += n;
  }
}

void mb_moved_go_on(MbPdEngine *engine, bool all) {
  const MbMoved *moved = of(engine);
  moved->away->all = all;
  if (all) {
    copy(moved, moved->nodes.q0, moved->nodes.q, 3 * moved->away->n);
    copy(moved, moved->nodes.v0, moved->away->v, 3 * moved->away->n);
  }
  copy_dual(moved, moved->away->before, false);
}

static void look_for_crushed(const MbMoved *moved, const double *least) {
  for (size_t k = 0; k < moved->nblocks; k++) {
    const MbMovedBlock *block = &moved->block[k];
    MbCrushArgs args = {block->args, least[block->of->part]};
    args.of.x = moved->nodes.q + 3 * block->of->first;
    moved->on->run(moved->gpu, MB_RUN_mb_away_crushed, block->of->count, &args);
  }
}

bool mb_moved_stay(MbPdEngine *engine, const double *least, bool *odd) {
  static const double FASTEST = 1e12, FARTHEST = 1e15; // as steps' ends are judged on the processor
  MbMoved *moved = of(engine);
  const MbMovedAway *away = moved->away;
  const MbAwayArgs args = {engine->h, FARTHEST, FASTEST, moved->nodes.q0, moved->nodes.q, away->v, away->odd};
  moved->on->run(moved->gpu, MB_RUN_mb_away_end, away->n, &args);
  look_for_crushed(moved, least);
  mb_moved_add_job(moved, away->odd, NULL, away->n, true);
  mb_moved_add_job(moved, moved->energy, NULL, moved->elements, true);
  const double *most = mb_moved_sums(moved);
  *odd = !(most[0] <= 0 && most[1] <= 0);
  return !moved->on->fault(moved->gpu);
}

void mb_moved_undo(MbPdEngine *engine) {
  const MbMoved *moved = of(engine);
  if (moved->away->all) {
    copy(moved, moved->nodes.q, moved->nodes.q0, 3 * moved->away->n);
    copy(moved, moved->away->v, moved->nodes.v0, 3 * moved->away->n);
  }
  copy_dual(moved, moved->away->before, true);
}

// ---- leaving ------------------------------------------------------------------------------------------------

void mb_moved_leave(MbPdEngine *engine) {
  const MbMoved *moved = of(engine);
  MbMovedAway *away = moved->away;
  const size_t n = 3 * away->n;
  const int k = away->last = away->next;
  double *parcel = away->parcel[k];
  away->next = (k + 1) % PARCELS;
  moved->on->clear(moved->gpu, k);
  copy(moved, parcel, moved->nodes.q, n);
  copy(moved, parcel + n, away->v, n);
  copy_dual(moved, parcel + 2 * n, false);
  moved->on->leave(moved->gpu, k, parcel, away->bytes);
}

bool mb_moved_arrive(MbPdEngine *engine, double *q, double *v, double *dual) {
  const MbMoved *moved = of(engine);
  const size_t n = 3 * moved->away->n;
  const double *parcel = moved->on->arrive(moved->gpu, moved->away->last);
  if (!parcel) return false;
  if (q) memcpy(q, parcel, n * sizeof *q);
  if (v) memcpy(v, parcel + n, n * sizeof *v);
  parcel += 2 * n;
  for (size_t k = 0; k < moved->nblocks && dual; k++) {
    const MbPdBlock *block = moved->block[k].of;
    const size_t stride = block->gradient.stride, width = dual_of(&moved->block[k]) / stride;
    for (size_t c = 0; c < width; c++, dual += block->count, parcel += stride)
      memcpy(dual, parcel, block->count * sizeof *dual);
  }
  return true;
}
