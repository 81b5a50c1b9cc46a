// Cuts an inverse for a device. Everything is counted first, with arrays that are NULL, and then listed.
#include "gpu/moved_levels.h"
#include "core/base/alloc.h"

#include <string.h>

// ---- pieces of rows ---------------------------------------------------------------------------------------

// Those of a group's rows, band by band.
static void cut_group(MbMovedLevels *to, const MbRowGroup *group) {
  for (uint32_t row = group->first; row < group->last; row += MB_BAND) {
    const uint32_t rows = group->last - row < MB_BAND ? group->last - row : MB_BAND;
    const uint32_t columns = row + rows - group->from, count = (columns + MB_PIECE - 1) / MB_PIECE;
    for (uint32_t q = 0; count > 1 && q < rows; q++, to->joints++)
      if (to->joint) to->joint[to->joints] = (MbRowJoint){row + q, (uint32_t)to->pieces, count};
    for (uint32_t k = 0; k < count; k++, to->pieces++) {
      const uint32_t begin = k * MB_PIECE, end = columns - begin < MB_PIECE ? columns : begin + MB_PIECE;
      if (to->piece) to->piece[to->pieces] = (MbRowPiece){row, rows, group->from, begin, end, count == 1};
    }
  }
}

// ---- tiles of columns -------------------------------------------------------------------------------------

// Groups that have some of the columns [begin, end): those from `*first` on, which moves along, that begin before the tile ends.
static size_t reach_of(const MbInverse *S, size_t begin, size_t end, size_t *first, uint32_t *reach) {
  size_t n = 0;
  while (*first < S->ngroups && S->group[*first].last <= begin) ++*first;
  for (size_t g = *first; g < S->ngroups; g++) {
    if (S->group[g].from >= end) continue;
    if (reach) reach[n] = (uint32_t)g;
    n++;
  }
  return n;
}

// Slices of about as many rows each; `begin` is where the tile's groups stand in `reach`.
static void cut_tile(const MbMovedLevels *to, const MbInverse *S, size_t begin, size_t n, uint32_t *slice) {
  const uint32_t *const reach = to->reach + begin;
  size_t rows = 0, before = 0, k = 0;
  for (size_t g = 0; g < n; g++) rows += S->group[reach[g]].last - S->group[reach[g]].first;
  for (size_t s = 0; s <= to->slices; s++) {
    while (k < n && (s == to->slices || before < rows * s / to->slices))
      before += S->group[reach[k]].last - S->group[reach[k]].first, k++;
    slice[s] = (uint32_t)(begin + k);
  }
}

// Tiles of the columns of one level. Groups of levels above begin behind them.
static void cut_columns(MbMovedLevels *to, const MbInverse *S, const MbMovedRange *rows, size_t *group) {
  const size_t last = rows->first + rows->count;
  for (size_t begin = rows->first; begin < last; begin += MB_WARP, to->tiles++) {
    const size_t end = last - begin < MB_WARP ? last : begin + MB_WARP;
    const size_t n = reach_of(S, begin, end, group, to->reach ? to->reach + to->reached : NULL);
    if (to->tile) to->tile[to->tiles] = (uint32_t)begin, to->tile[to->tiles + 1] = (uint32_t)end;
    if (to->slice) cut_tile(to, S, to->reached, n, to->slice + to->tiles * (to->slices + 1));
    to->reached += n;
  }
}

// ---- what couples a level with those above ------------------------------------------------------------------

static void list_block(MbMovedLevels *to, const MbInverse *S, const MbPiece *part, const MbCoupling *block) {
  for (uint32_t j = 0; j < block->columns; j++, to->across++)
    if (to->column)
      to->column[to->across] = (MbCoupledColumn){block->first + j, j, (uint32_t)to->coupled, block->rows};
  for (uint32_t i = 0; i < block->rows; i++, to->coupled++)
    if (to->row)
      to->row[to->coupled] =
          (MbCoupledRow){block->at + (size_t)i * block->columns, block->first, block->columns,
                         S->above[part->border + S->slot[block->slot + i]]};
}

// Rows above by their number, each with its rows of C in their order. `of` (n + 1) is room for counting.
static void list_aboves(MbMovedLevels *to, const MbMovedRange *coupled, uint32_t *of, size_t n) {
  const MbCoupledRow *const row = to->row;
  const size_t last = coupled->first + coupled->count;
  uint32_t at = (uint32_t)coupled->first;
  memset(of, 0, n * sizeof *of);
  for (size_t k = coupled->first; k < last; k++) of[row[k].above]++;
  for (uint32_t i = 0; i < n; i++) {
    const uint32_t count = of[i];
    of[i] = at;
    if (!count) continue;
    to->above[to->aboves++] = (MbCoupledAbove){i, at, at + count};
    at += count;
  }
  for (size_t k = coupled->first; k < last; k++) to->sharing[of[row[k].above]++] = (uint32_t)k;
}

// ---- all of it --------------------------------------------------------------------------------------------

static MbMovedRange rows_of(const MbInverse *S, const MbLevel *level) {
  const MbPiece *const part = S->part + level->part;
  return (MbMovedRange){part[0].first, part[level->nparts - 1].last - part[0].first};
}

// Counts or lists all but the rows above.
static void cut_all(MbMovedLevels *to, const MbInverse *S) {
  size_t g = 0, reached = 0;
  to->pieces = to->joints = to->tiles = to->reached = to->coupled = to->across = 0;
  for (size_t l = 0; l < S->nlevels; l++) {
    MbMovedLevel *level = &to->level[l];
    const MbLevel *of = &S->level[l];
    level->rows = rows_of(S, of);
    const size_t pieces = to->pieces, joints = to->joints, tiles = to->tiles, coupled = to->coupled,
                 across = to->across, last = level->rows.first + level->rows.count;
    for (; g < S->ngroups && S->group[g].first < last; g++) cut_group(to, &S->group[g]);
    cut_columns(to, S, &level->rows, &reached);
    for (size_t p = of->part; p < of->part + of->nparts; p++)
      for (size_t b = 0; b < S->part[p].nblocks; b++)
        list_block(to, S, &S->part[p], &S->block[S->part[p].block + b]);
    level->pieces = (MbMovedRange){pieces, to->pieces - pieces};
    level->joints = (MbMovedRange){joints, to->joints - joints};
    level->tiles = (MbMovedRange){tiles, to->tiles - tiles};
    level->coupled = (MbMovedRange){coupled, to->coupled - coupled};
    level->across = (MbMovedRange){across, to->across - across};
  }
}

// So many slices that all threads of a device have something to do.
static size_t slices_for(size_t n) {
  static const size_t THREADS = 300000;
  size_t slices = 8;
  while (slices < 64 && n * slices < THREADS) slices *= 2;
  return slices;
}

static bool allocate(MbMovedLevels *to) {
  to->piece = mb_calloc(to->pieces, sizeof *to->piece);
  to->joint = mb_calloc(to->joints, sizeof *to->joint);
  to->tile = mb_calloc(to->tiles + 1, sizeof *to->tile);
  to->reach = mb_calloc(to->reached, sizeof *to->reach);
  to->slice = mb_calloc(to->tiles * (to->slices + 1), sizeof *to->slice);
  to->row = mb_calloc(to->coupled, sizeof *to->row);
  to->above = mb_calloc(to->coupled, sizeof *to->above);
  to->sharing = mb_calloc(to->coupled, sizeof *to->sharing);
  to->column = mb_calloc(to->across, sizeof *to->column);
  return to->piece && to->joint && to->tile && to->reach && to->slice && to->row && to->above &&
         to->sharing && to->column;
}

MbMovedLevels *mb_moved_levels_make(const MbInverse *S) {
  MbMovedLevels *to = mb_calloc(1, sizeof *to);
  uint32_t *of = mb_calloc(S->n, sizeof *of);
  bool ok = to && of;
  if (ok) {
    to->count = S->nlevels, to->slices = slices_for(S->n);
    cut_all(to, S);
    ok = allocate(to);
  }
  if (ok) {
    cut_all(to, S);
    for (size_t l = 0; l < S->nlevels; l++) {
      const size_t before = to->aboves;
      list_aboves(to, &to->level[l].coupled, of, S->n);
      to->level[l].aboves = (MbMovedRange){before, to->aboves - before};
    }
  }
  mb_free(of);
  if (ok) return to;
  mb_moved_levels_free(to);
  return NULL;
}

void mb_moved_levels_free(MbMovedLevels *to) {
  if (!to) return;
  void *const blocks[] = {to->piece, to->joint,   to->tile,   to->reach, to->slice,
                          to->row,   to->sharing, to->column, to->above, to};
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) mb_free(blocks[i]);
}

size_t mb_moved_levels_bytes(const MbMovedLevels *to) {
  if (!to) return 0;
  return sizeof *to + to->pieces * sizeof *to->piece + to->joints * sizeof *to->joint +
         (to->tiles * (to->slices + 2) + to->reached) * sizeof(uint32_t) +
         to->coupled * (sizeof *to->row + sizeof *to->above + sizeof *to->sharing) +
         to->across * sizeof *to->column;
}
