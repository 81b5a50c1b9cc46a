// The inverse of the constant matrix on a device: its numbers as the processor has them, how they are cut (moved_levels.c), and what
// corrects it where nodes are placed along some axes,  A⁻¹ − A⁻¹ E (Eᵀ A⁻¹ E)⁻¹ Eᵀ A⁻¹.
#include "core/base/lapack.h"
#include "core/base/alloc.h"
#include "core/sparse/inverse.h"
#include "core/sparse/row_matrix.h"
#include "gpu/moved.h"

#include <string.h>

static const MbInverse *inverse_of(const MbPdEngine *engine) {
  return mb_global_inverse(engine->global.inverse);
}

bool mb_moved_inverse_list(MbMoved *moved, const MbPdEngine *engine) {
  if (!engine->nfree) return true;
  moved->levels = mb_moved_levels_make(inverse_of(engine));
  return moved->levels;
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
  const MbMovedLevels *levels = moved->levels;
  a->n = n, a->placed = (uint32_t)placed;
  a->perm = mb_moved_place(next, n, sizeof *a->perm);
  a->from = mb_moved_place(next, n, sizeof *a->from);
  a->at = mb_moved_place(next, n, sizeof *a->at);
  void *const numbers =
      mb_moved_place(next, S->entries + S->coupled, S->single ? sizeof *a->singles : sizeof *a->numbers);
  if (S->single)
    a->singles = numbers;
  else
    a->numbers = numbers;
  a->group = mb_moved_place(next, S->ngroups, sizeof *a->group);
  a->slices = (uint32_t)levels->slices;
  a->tile = mb_moved_place(next, levels->tiles + 1, sizeof *a->tile);
  a->reach = mb_moved_place(next, levels->reached, sizeof *a->reach);
  a->slice = mb_moved_place(next, levels->tiles * (levels->slices + 1), sizeof *a->slice);
  a->piece = mb_moved_place(next, levels->pieces, sizeof *a->piece);
  a->joint = mb_moved_place(next, levels->joints, sizeof *a->joint);
  a->of_piece = mb_moved_place(next, 3 * MB_BAND * levels->pieces, sizeof *a->of_piece);
  a->coupled = mb_moved_place(next, levels->coupled, sizeof *a->coupled);
  a->above = mb_moved_place(next, levels->aboves, sizeof *a->above);
  a->sharing = mb_moved_place(next, levels->coupled, sizeof *a->sharing);
  a->across = mb_moved_place(next, levels->across, sizeof *a->across);
  a->border = mb_moved_place(next, 3 * levels->coupled, sizeof *a->border);
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

static void put_levels(const MbMoved *moved) {
  const MbMovedLevels *levels = moved->levels;
  const MbInverseArgs *a = &moved->inverse;
  mb_moved_put(moved, a->tile, levels->tile, (levels->tiles + 1) * sizeof *a->tile);
  mb_moved_put(moved, a->reach, levels->reach, levels->reached * sizeof *a->reach);
  mb_moved_put(moved, a->slice, levels->slice, levels->tiles * (levels->slices + 1) * sizeof *a->slice);
  mb_moved_put(moved, a->piece, levels->piece, levels->pieces * sizeof *a->piece);
  mb_moved_put(moved, a->joint, levels->joint, levels->joints * sizeof *a->joint);
  mb_moved_put(moved, a->coupled, levels->row, levels->coupled * sizeof *a->coupled);
  mb_moved_put(moved, a->above, levels->above, levels->aboves * sizeof *a->above);
  mb_moved_put(moved, a->sharing, levels->sharing, levels->coupled * sizeof *a->sharing);
  mb_moved_put(moved, a->across, levels->column, levels->across * sizeof *a->across);
}

bool mb_moved_inverse_fill(MbMoved *moved, const MbPdEngine *engine) {
  const MbInverse *S = inverse_of(engine);
  const MbInverseArgs *a = &moved->inverse;
  _Static_assert(sizeof(MbRowGroup) == sizeof(MbRowsOf) && sizeof(size_t) == sizeof(uint64_t), "as stored");
  mb_moved_put(moved, a->perm, S->perm, S->n * sizeof *S->perm);
  mb_moved_put(moved, a->from, S->from, S->n * sizeof *S->from);
  mb_moved_put(moved, a->at, S->at, S->n * sizeof *S->at);
  if (S->single)
    mb_moved_put(moved, a->singles, S->numbers, (S->entries + S->coupled) * sizeof *a->singles);
  else
    mb_moved_put(moved, a->numbers, S->numbers, (S->entries + S->coupled) * sizeof *a->numbers);
  if (S->single && !fill_rows(moved, mb_global_rows(engine->global.inverse))) return false;
  mb_moved_put(moved, a->group, S->group, S->ngroups * sizeof *S->group);
  put_levels(moved);
  return !a->placed || fill_placed(moved, &engine->global);
}

// ---- solutions --------------------------------------------------------------------------------------------

static void over(const MbMoved *moved, MbInverseArgs *a, MbKernel kernel, const MbMovedRange *range,
                 size_t each) {
  a->begin = range->first;
  moved->on->run(moved->gpu, kernel, range->count * each, a);
}

static void go_up(const MbMoved *moved, MbInverseArgs *a, const MbMovedLevel *level) {
  over(moved, a, MB_RUN_mb_inverse_multiply, &level->pieces, 1);
  over(moved, a, MB_RUN_mb_inverse_join, &level->joints, 1);
  over(moved, a, MB_RUN_mb_couple, &level->coupled, 1);
  over(moved, a, MB_RUN_mb_couple_above, &level->aboves, 1);
}

static void go_down(const MbMoved *moved, MbInverseArgs *a, const MbMovedLevel *level) {
  a->columns = level->across.count;
  over(moved, a, MB_RUN_mb_uncouple, &level->across, a->slices);
  over(moved, a, MB_RUN_mb_uncouple_end, &level->across, 1);
  over(moved, a, MB_RUN_mb_inverse_transposed, &level->tiles, a->slices * MB_WARP);
  a->columns = level->rows.count;
  over(moved, a, MB_RUN_mb_inverse_store, &level->rows, 3);
}

static void once(const MbMoved *moved, const MbInverseArgs *of) {
  const MbMovedLevels *levels = moved->levels;
  MbInverseArgs a = *of;
  moved->on->run(moved->gpu, MB_RUN_mb_inverse_load, a.n, &a);
  for (size_t l = 0; l < levels->count; l++) go_up(moved, &a, &levels->level[l]);
  for (size_t l = levels->count; l-- > 0;) go_down(moved, &a, &levels->level[l]);
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
