// The inverse of the constant matrix on a device: its rows as the processor has them, which of them reach a tile of columns, and what
// corrects it where nodes are placed along some axes,  A⁻¹ − A⁻¹ E (Eᵀ A⁻¹ E)⁻¹ Eᵀ A⁻¹.
#include "core/base/lapack.h"
#include "core/base/alloc.h"
#include "core/sparse/inverse.h"
#include "core/sparse/row_matrix.h"
#include "gpu/moved.h"

#include <string.h>

struct MbMovedPieces {
  size_t pieces, joints;
  MbRowPiece *piece; // (pieces)
  MbRowJoint *joint; // (joints)
};
typedef struct MbMovedPieces MbMovedPieces;

static const MbInverse *inverse_of(const MbPdEngine *engine) {
  return mb_global_inverse(engine->global.inverse);
}

// ---- pieces of rows ---------------------------------------------------------------------------------------

// Lists those of a group's rows, band by band; without arrays it counts them.
static void cut_group(const MbRowGroup *group, MbMovedPieces *to) {
  for (uint32_t row = group->first; row < group->last; row += MB_BAND) {
    const uint32_t rows = group->last - row < MB_BAND ? group->last - row : MB_BAND;
    const uint32_t columns = row + rows - group->from, count = (columns + MB_PIECE - 1) / MB_PIECE;
    if (count > 1)
      for (uint32_t q = 0; q < rows; q++, to->joints++)
        if (to->joint) to->joint[to->joints] = (MbRowJoint){row + q, (uint32_t)to->pieces, count};
    for (uint32_t k = 0; k < count; k++, to->pieces++) {
      const uint32_t begin = k * MB_PIECE, end = columns - begin < MB_PIECE ? columns : begin + MB_PIECE;
      if (to->piece) to->piece[to->pieces] = (MbRowPiece){row, rows, group->from, begin, end, count == 1};
    }
  }
}

static void cut_rows(const MbInverse *S, MbMovedPieces *to) {
  to->pieces = to->joints = 0;
  for (size_t g = 0; g < S->ngroups; g++) cut_group(&S->group[g], to);
}

// So many slices that all threads of a device have something to do.
static uint32_t slices_for(size_t n) {
  static const size_t THREADS = 300000;
  uint32_t slices = 8;
  while (slices < 64 && n * slices < THREADS) slices *= 2;
  return slices;
}

bool mb_moved_inverse_list(MbMoved *moved, const MbPdEngine *engine) {
  const MbInverse *S = engine->nfree ? inverse_of(engine) : NULL;
  MbMovedPieces *to = moved->pieces = mb_calloc(1, sizeof *to);
  if (!to || !S) return to;
  cut_rows(S, to);
  to->piece = mb_calloc(to->pieces, sizeof *to->piece);
  to->joint = mb_calloc(to->joints, sizeof *to->joint);
  if (!to->piece || !to->joint) return false;
  cut_rows(S, to);
  moved->inverse.slices = slices_for(S->n);
  return true;
}

void mb_moved_inverse_free(MbMoved *moved) {
  if (!moved->pieces) return;
  mb_free(moved->pieces->piece);
  mb_free(moved->pieces->joint);
  mb_free(moved->pieces);
}

// ---- tiles of columns -------------------------------------------------------------------------------------

// Groups that have some of a tile's columns: those from `*first` on, which moves along, that begin before the tile ends.
static size_t reach_of(const MbInverse *S, size_t tile, size_t *first, uint32_t *reach) {
  size_t n = 0;
  while (*first < S->ngroups && S->group[*first].last <= MB_WARP * tile) ++*first;
  for (size_t g = *first; g < S->ngroups; g++) {
    if (S->group[g].from >= MB_WARP * (tile + 1)) continue;
    if (reach) reach[n] = (uint32_t)g;
    n++;
  }
  return n;
}

static size_t count_reach(const MbInverse *S) {
  size_t sum = 0, first = 0;
  for (size_t t = 0; MB_WARP * t < S->n; t++) sum += reach_of(S, t, &first, NULL);
  return sum;
}

// Slices of about as many rows each.
static void cut(const MbInverse *S, const uint32_t *reach, size_t begin, size_t n, size_t slices,
                uint32_t *slice) {
  size_t rows = 0, before = 0, k = 0;
  for (size_t g = 0; g < n; g++) rows += S->group[reach[g]].last - S->group[reach[g]].first;
  for (size_t s = 0; s <= slices; s++) {
    while (k < n && (s == slices || before < rows * s / slices))
      before += S->group[reach[k]].last - S->group[reach[k]].first, k++;
    slice[s] = (uint32_t)(begin + k);
  }
}

static bool fill_tiles(MbMoved *moved, const MbInverse *S) {
  const MbInverseArgs *a = &moved->inverse;
  const size_t each = a->slices + 1, nslices = moved->tiles * each;
  uint32_t *reach = mb_calloc(moved->reach, sizeof *reach), *slice = mb_calloc(nslices, sizeof *slice);
  const bool fine = reach && slice;
  size_t used = 0, first = 0;
  for (size_t t = 0; fine && t < moved->tiles; t++) {
    const size_t n = reach_of(S, t, &first, reach + used);
    cut(S, reach + used, used, n, a->slices, slice + t * each);
    used += n;
  }
  if (fine) mb_moved_put(moved, a->reach, reach, moved->reach * sizeof *reach);
  if (fine) mb_moved_put(moved, a->slice, slice, nslices * sizeof *slice);
  mb_free(reach);
  mb_free(slice);
  return fine;
}

// ---- nodes placed along some axes -------------------------------------------------------------------------

static size_t placed_of(const MbPdGlobal *global, size_t *squares) {
  size_t n = 0;
  *squares = 0;
  for (int axis = 0; axis < 3; axis++)
    n += global->placed[axis], *squares += global->placed[axis] * global->placed[axis];
  return n;
}

typedef struct Placed {
  uint32_t *place, *block, *size;
  uint64_t *at;
  double *of;
} Placed;

// An axis' block from its factor, column by column: it is symmetric.
static void fill_axis(const MbPdGlobal *global, int axis, size_t *row, size_t *square, Placed *to) {
  const size_t n = global->placed[axis], first = *row;
  for (size_t i = 0; i < n; i++, ++*row) {
    double *const column = to->of + *square;
    column[i] = 1;
    mb_lapack.dpotrs(LAPACK_COL_MAJOR, 'L', (int)n, 1, global->block[axis], (int)n, column, (int)n);
    to->place[*row] = (uint32_t)(3 * (size_t)global->place[axis][i] + (size_t)axis);
    to->block[*row] = (uint32_t)first, to->size[*row] = (uint32_t)n;
    to->at[*row] = *square;
    *square += n;
  }
}

static bool fill_placed(MbMoved *moved, const MbPdGlobal *global) {
  const MbInverseArgs *a = &moved->inverse;
  size_t squares, row = 0, square = 0;
  const size_t n = placed_of(global, &squares);
  Placed to = {mb_calloc(n, sizeof *to.place), mb_calloc(n, sizeof *to.block), mb_calloc(n, sizeof *to.size),
               mb_calloc(n, sizeof *to.at), mb_calloc(squares, sizeof *to.of)};
  const bool fine = to.place && to.block && to.size && to.at && to.of;
  for (int axis = 0; axis < 3 && fine; axis++) fill_axis(global, axis, &row, &square, &to);
  if (fine) {
    mb_moved_put(moved, a->place, to.place, n * sizeof *to.place);
    mb_moved_put(moved, a->block, to.block, n * sizeof *to.block);
    mb_moved_put(moved, a->block_size, to.size, n * sizeof *to.size);
    mb_moved_put(moved, a->block_at, to.at, n * sizeof *to.at);
    mb_moved_put(moved, a->block_of, to.of, squares * sizeof *to.of);
  }
  mb_free(to.place), mb_free(to.block), mb_free(to.size), mb_free(to.at), mb_free(to.of);
  return fine;
}

// ---- places and numbers -----------------------------------------------------------------------------------

// A itself, for the correction of floats.
static void lay_out_rows(MbInverseArgs *a, const MbRowMatrix *A, char **next) {
  const size_t n = A->n, entries = A->start[n];
  a->start = mb_moved_place(next, n + 1, sizeof *a->start);
  a->column = mb_moved_place(next, entries, sizeof *a->column);
  a->value = mb_moved_place(next, entries, sizeof *a->value);
  a->diagonal = mb_moved_place(next, n, sizeof *a->diagonal);
  a->right = mb_moved_place(next, 3 * n, sizeof *a->right);
  a->first = mb_moved_place(next, 3 * n, sizeof *a->first);
}

static bool fill_rows(MbMoved *moved, const MbRowMatrix *A) {
  const MbInverseArgs *a = &moved->inverse;
  const size_t n = A->n, entries = A->start[n];
  mb_moved_put(moved, a->column, A->column, entries * sizeof *A->column);
  mb_moved_put(moved, a->value, A->value, entries * sizeof *A->value);
  mb_moved_put(moved, a->diagonal, A->diagonal, n * sizeof *A->diagonal);
  return mb_moved_put_short(moved, a->start, A->start, n + 1);
}

void mb_moved_inverse_lay_out(MbMoved *moved, const MbPdEngine *engine, char **next) {
  const MbInverse *S = inverse_of(engine);
  MbInverseArgs *a = &moved->inverse;
  size_t squares;
  const size_t n = S->n, placed = placed_of(&engine->global, &squares);
  if (!moved->reach) moved->reach = count_reach(S), moved->tiles = (n + MB_WARP - 1) / MB_WARP;
  a->n = n, a->placed = (uint32_t)placed;
  a->perm = mb_moved_place(next, n, sizeof *a->perm);
  a->from = mb_moved_place(next, n, sizeof *a->from);
  a->at = mb_moved_place(next, n, sizeof *a->at);
  void *const numbers = mb_moved_place(next, S->entries, S->single ? sizeof *a->singles : sizeof *a->numbers);
  if (S->single)
    a->singles = numbers;
  else
    a->numbers = numbers;
  a->group = mb_moved_place(next, S->ngroups, sizeof *a->group);
  a->reach = mb_moved_place(next, moved->reach, sizeof *a->reach);
  a->slice = mb_moved_place(next, moved->tiles * (a->slices + 1), sizeof *a->slice);
  a->pieces = (uint32_t)moved->pieces->pieces, a->joints = (uint32_t)moved->pieces->joints;
  a->piece = mb_moved_place(next, a->pieces, sizeof *a->piece);
  a->joint = mb_moved_place(next, a->joints, sizeof *a->joint);
  a->of_piece = mb_moved_place(next, 3 * MB_BAND * (size_t)a->pieces, sizeof *a->of_piece);
  a->b = mb_moved_place(next, 3 * n, sizeof *a->b);
  a->y = mb_moved_place(next, 3 * n, sizeof *a->y);
  a->part = mb_moved_place(next, 3 * a->slices * n, sizeof *a->part);
  a->place = mb_moved_place(next, placed, sizeof *a->place);
  a->block = mb_moved_place(next, placed, sizeof *a->block);
  a->block_at = mb_moved_place(next, placed, sizeof *a->block_at);
  a->block_size = mb_moved_place(next, placed, sizeof *a->block_size);
  a->block_of = mb_moved_place(next, squares, sizeof *a->block_of);
  a->held = mb_moved_place(next, placed, sizeof *a->held);
  a->back = mb_moved_place(next, placed ? 3 * n : 0, sizeof *a->back);
  if (S->single) lay_out_rows(a, mb_global_rows(engine->global.inverse), next);
}

bool mb_moved_inverse_fill(MbMoved *moved, const MbPdEngine *engine) {
  const MbInverse *S = inverse_of(engine);
  const MbInverseArgs *a = &moved->inverse;
  _Static_assert(sizeof(MbRowGroup) == sizeof(MbRowsOf) && sizeof(size_t) == sizeof(uint64_t), "as stored");
  mb_moved_put(moved, a->perm, S->perm, S->n * sizeof *S->perm);
  mb_moved_put(moved, a->from, S->from, S->n * sizeof *S->from);
  mb_moved_put(moved, a->at, S->at, S->n * sizeof *S->at);
  if (S->single)
    mb_moved_put(moved, a->singles, S->numbers, S->entries * sizeof *a->singles);
  else
    mb_moved_put(moved, a->numbers, S->numbers, S->entries * sizeof *a->numbers);
  if (S->single && !fill_rows(moved, mb_global_rows(engine->global.inverse))) return false;
  mb_moved_put(moved, a->group, S->group, S->ngroups * sizeof *S->group);
  mb_moved_put(moved, a->piece, moved->pieces->piece, a->pieces * sizeof *a->piece);
  mb_moved_put(moved, a->joint, moved->pieces->joint, a->joints * sizeof *a->joint);
  return fill_tiles(moved, S) && (!a->placed || fill_placed(moved, &engine->global));
}

// ---- solutions --------------------------------------------------------------------------------------------

static void once(const MbMoved *moved, const MbInverseArgs *a) {
  const MbBackend *on = moved->on;
  on->run(moved->gpu, MB_RUN_mb_inverse_load, a->n, a);
  on->run(moved->gpu, MB_RUN_mb_inverse_multiply, a->pieces, a);
  on->run(moved->gpu, MB_RUN_mb_inverse_join, a->joints, a);
  on->run(moved->gpu, MB_RUN_mb_inverse_transposed, moved->tiles * a->slices * MB_WARP, a);
  on->run(moved->gpu, MB_RUN_mb_inverse_store, a->n, a);
}

static void apply(const MbMoved *moved, const MbInverseArgs *a) {
  const MbBackend *on = moved->on;
  if (a->singles) on->run(moved->gpu, MB_RUN_mb_single_right, 3 * a->n, a);
  once(moved, a);
  if (!a->singles) return;
  on->run(moved->gpu, MB_RUN_mb_single_first, 3 * a->n, a);
  on->run(moved->gpu, MB_RUN_mb_single_left, a->n, a);
  once(moved, a);
  on->run(moved->gpu, MB_RUN_mb_single_add, 3 * a->n, a);
}

void mb_moved_solve(const MbMoved *moved, double *x) {
  const MbBackend *on = moved->on;
  MbInverseArgs args = moved->inverse;
  const MbInverseArgs *a = &args;
  args.x = x;
  apply(moved, a);
  if (!a->placed) return;
  MbInverseArgs back = args;
  back.x = a->back;
  on->run(moved->gpu, MB_RUN_mb_placed_find, a->placed, a);
  on->run(moved->gpu, MB_RUN_mb_placed_clear, 3 * a->n, a);
  on->run(moved->gpu, MB_RUN_mb_placed_put, a->placed, a);
  apply(moved, &back);
  on->run(moved->gpu, MB_RUN_mb_placed_subtract, 3 * a->n, a);
  on->run(moved->gpu, MB_RUN_mb_placed_end, a->placed, a);
}
