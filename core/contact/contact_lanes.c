// Blocks in lanes: batches, and what goes in and out.
#include "core/contact/contact_lanes.h"
#include "core/base/targets.h"
#include "core/base/threads.h"

#include <math.h>
#include <string.h>

enum { FEW = 512, GRAIN = 32 }; // blocks that are not worth it; batches of a thread

// ---- which ------------------------------------------------------------------------------------------------

static bool takes(const MbStrips *s) {
  for (size_t i = 0; i < s->n; i++)
    if (s->soft[i] != 0) return false;
  for (size_t j = 0; j < s->nblocks; j++) {
    const MbBlock *block = &s->block[j];
    if (block->rows != s->block[0].rows) return false;
    if (block->rows == 3 ? block->cone != MB_CONE_EXACT : block->kind != MB_CONTACT_ONE_WAY) return false;
  }
  return true;
}

// ---- cells ------------------------------------------------------------------------------------------------

// What is not there: its b is 1, so that nothing pushes.
static const double nothing[36];

// F of eight blocks, a vector at a time.
MB_CLONES static void fill_F(double *cell, const double *const F[MB_LANES_WIDE], size_t numbers) {
  for (size_t k = 0; k < numbers; k++)
    for (size_t i = 0; i < MB_LANES_WIDE; i++) cell[MB_LANES_WIDE * k + i] = F[i][k];
}

static void fill_rest(const MbLanes *l, const MbStrips *s, double *cell, const MbBlock *block) {
  enum { W = MB_LANES_WIDE };
  const double *b = s->b + block->row, *D = block->D, *I = block->I;
  const size_t at = l->rows == 3 ? MB_CELL_B : MB_CELL_ONE_B;
  for (size_t k = 0; k < l->rows; k++) cell[W * (at + k)] = b[k];
  if (block->left_out) return; // of D⁻¹ = 0 it takes no λ
  if (l->rows == 1) {
    cell[W * MB_CELL_ONE_I] = I[0], cell[W * MB_CELL_ONE_D] = D[0];
    return;
  }
  const int upper[6] = {0, 1, 2, 4, 5, 8};
  for (int k = 0; k < 6; k++) cell[W * (MB_CELL_I + k)] = I[upper[k]];
  for (int k = 0; k < 3; k++) cell[W * (MB_CELL_D + k)] = D[upper[k]];
  for (int k = 0; k < 3; k++) cell[W * (MB_CELL_D_REST + k)] = D[upper[3 + k]];
  cell[W * MB_CELL_MU] = block->mu, cell[W * MB_CELL_SCALE] = block->scale;
}

static void fill_cell(MbLanes *l, const MbStrips *s, size_t number, const uint32_t *block) {
  const size_t F_numbers = 12 * l->rows, at = l->rows == 3 ? MB_CELL_B : MB_CELL_ONE_B;
  double *cell = l->cell + l->wide * number;
  const double *F[MB_LANES_WIDE];
  for (size_t i = 0; i < MB_LANES_WIDE; i++) {
    F[i] = block[i] != UINT32_MAX ? s->F + F_numbers * block[i] : nothing;
  }
  fill_F(cell, F, F_numbers);
  memset(cell + MB_LANES_WIDE * F_numbers, 0, (l->wide - MB_LANES_WIDE * F_numbers) * sizeof *cell);
  for (size_t i = 0; i < MB_LANES_WIDE; i++) {
    cell[MB_LANES_WIDE * at + i] = 1;
    if (F[i] != nothing) fill_rest(l, s, cell + i, &s->block[block[i]]);
  }
}

static void fill_batch(MbLanes *l, const MbStrips *s, const uint32_t *order, size_t count) {
  MbLaneBatch *batch = &l->batch[l->nbatches++];
  *batch = (MbLaneBatch){.cell = (uint32_t)l->ncells, .depth = l->runs.depth[order[0]]};
  l->ncells += batch->depth;
  for (uint32_t k = 0; k < batch->depth; k++) {
    uint32_t *block = l->block + MB_LANES_WIDE * (batch->cell + k);
    for (size_t i = 0; i < MB_LANES_WIDE; i++) {
      const bool is = i < count && k < l->runs.depth[order[i]];
      block[i] = is ? l->runs.run[order[i]] + k : UINT32_MAX;
    }
    fill_cell(l, s, batch->cell + k, block);
  }
  for (size_t i = 0; i < MB_LANES_WIDE; i++)
    for (int end = 0; end < 2; end++)
      batch->slot[end][i] = i < count ? s->slot[l->runs.run[order[i]]][end] : (uint32_t)l->nslots;
}

static void fill(MbLanes *l, const MbStrips *s) {
  const MbLaneRuns *r = &l->runs;
  l->nbatches = l->ncells = l->ncolours = 0;
  for (size_t i = 0, some; i < r->count; i += some) {
    const uint32_t *order = r->order + i;
    if (!i || r->colour[order[0]] != r->colour[order[-1]]) l->begin[l->ncolours++] = (uint32_t)l->nbatches;
    some = mb_lane_runs_some(r, i);
    fill_batch(l, s, order, some);
  }
  l->begin[l->ncolours] = (uint32_t)l->nbatches;
}

void mb_lanes_make(MbLanes *l, MbRoom *room, const MbStrips *s) {
  *l = (MbLanes){.nslots = s->nslots, .rho = s->rho, .passes = mb_lane_passes()};
  if (!s->unformed || s->nblocks < FEW) return;
  const size_t cells = mb_lane_cells(s->nblocks), batches = mb_lane_batches(s->nblocks);
  l->rows = room->at ? s->block[0].rows : 3;
  l->wide = MB_LANES_WIDE * (l->rows == 3 ? MB_CELL_CONTACT : MB_CELL_ONE);
  l->y = mb_room_take(room, MB_LANES_SLOT * (l->nslots + 1), sizeof *l->y);
  l->cell = mb_room_take(room, cells * l->wide, sizeof *l->cell);
  l->block = mb_room_take(room, cells * MB_LANES_WIDE, sizeof *l->block);
  l->batch = mb_room_take(room, batches, sizeof *l->batch);
  l->moved = mb_room_take(room, batches * MB_LANES_WIDE, sizeof *l->moved);
  mb_lane_runs_lay(&l->runs, room, s->nblocks, l->nslots);
  if (!room->at || !takes(s) || !mb_lane_runs_find(&l->runs, (const uint32_t(*)[2])s->slot, NULL, s->nblocks))
    return;
  l->is = true;
  fill(l, s);
}

// ---- in and out -------------------------------------------------------------------------------------------

typedef enum Way { IN, OUT } Way;

// The numbers of a cell from vector `at` on, from or to those of rows; all blocks have as many rows. What is left out stays at 0.
static void carry(const MbLanes *l, size_t at, double *rows, Way way) {
  const size_t scale = l->rows == 3 ? MB_CELL_SCALE : MB_CELL_ONE_D;
  for (size_t k = 0; k < MB_LANES_WIDE * l->ncells; k++) {
    const uint32_t j = l->block[k];
    if (j == UINT32_MAX) continue;
    double *cell = l->cell + l->wide * (k / MB_LANES_WIDE) + k % MB_LANES_WIDE;
    const bool is = cell[MB_LANES_WIDE * scale] > 0;
    for (size_t r = 0; r < l->rows; r++) {
      double *row = rows + l->rows * j + r, *own = cell + MB_LANES_WIDE * (at + r);
      if (way == OUT)
        *row = *own;
      else
        *own = is ? *row : 0;
    }
  }
}

static size_t lambda_at(const MbLanes *l) { return l->rows == 3 ? MB_CELL_LAMBDA : MB_CELL_ONE_LAMBDA; }

void mb_lanes_begin(MbLanes *l, const double *lambda) { carry(l, lambda_at(l), (double *)lambda, IN); }

void mb_lanes_lambda(const MbLanes *l, double *lambda) { carry(l, lambda_at(l), lambda, OUT); }

void mb_lanes_rates(const MbLanes *l, double *w) {
  carry(l, l->rows == 3 ? MB_CELL_W : MB_CELL_ONE_W, w, OUT);
}

// ---- passes -----------------------------------------------------------------------------------------------

static double moved(const MbLanes *l) {
  double sum = 0;
  for (size_t i = 0; i < MB_LANES_WIDE * l->nbatches; i++) sum += l->moved[i];
  return sqrt(sum);
}

typedef struct Colour {
  const MbLanes *lanes;
  size_t from;
} Colour;

static void sweep_range(void *context, size_t begin, size_t end) {
  const Colour *colour = context;
  for (size_t k = begin; k < end; k++) colour->lanes->passes->sweep(colour->lanes, colour->from + k);
}

double mb_lanes_sweep(MbLanes *l, int threads) {
  Colour colour = {.lanes = l};
  for (size_t c = 0; c < l->ncolours; c++) {
    colour.from = l->begin[c];
    mb_parallel_ranges(threads > 1 ? threads : 1, l->begin[c + 1] - l->begin[c], GRAIN, sweep_range, &colour);
  }
  return moved(l);
}

double mb_lanes_natural(MbLanes *l) {
  memset(l->y, 0, MB_LANES_SLOT * (l->nslots + 1) * sizeof *l->y);
  for (size_t k = 0; k < l->nbatches; k++) l->passes->push(l, k);
  for (size_t k = 0; k < l->nbatches; k++) l->passes->look(l, k);
  return moved(l);
}
