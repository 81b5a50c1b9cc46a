// x ← A⁻¹ x by the inverse of a factor without indices (core/sparse/inverse.h), in two sweeps over S. Neighbouring threads read
// neighbouring numbers in both, and vectors stand by planes, one right-hand side each.
//
//   y = S b    a warp has a piece: up to MB_BAND rows that begin at the same column, so that b is read once for all of them, and up to
//              MB_PIECE columns, so that no warp has much more to do than another. The pieces of a row are added up in their order.
//   b = Sᵀ y   a thread has a column and a slice of the rows above it. The slices of a column are added up in their order.
//
// An inverse in three levels is gone through level by level, up and then down; between them stands what couples a level with those above:
//
//   up    y = S b of a level, then b of the rows above −= C y, a warp a row of C
//   down  y −= Cᵀ x of the rows above, a thread a column and a slice of C's rows, then x = Sᵀ y of the level
//
// And what corrects it where nodes are placed along some axes (pd_engine.h).
#ifndef MB_GPU_KERNELS_INVERSE_ROWS_H
#define MB_GPU_KERNELS_INVERSE_ROWS_H

#include "gpu/kernels/kernel_body.h"

enum {
  MB_BAND = 4,
  MB_PIECE = 512,
  mb_inverse_multiply_NUMBERS = 3 * MB_BAND,
  mb_couple_NUMBERS = 3,
  mb_placed_find_NUMBERS = 1
};

typedef struct MbRowsOf { // rows of S that begin at the same column
  uint32_t first, last, from;
} MbRowsOf;

// Columns [begin, end) of rows [row, row + rows) of S, counted from `from`, the column that they begin at.
typedef struct MbRowPiece {
  uint32_t row, rows, from, begin, end;
  uint32_t alone; // 1: the rows have no other piece
} MbRowPiece;

// A row of several pieces: the first of them, and how many.
typedef struct MbRowJoint {
  uint32_t row, piece, count;
} MbRowJoint;

// A row of C: numbers [at, at + columns), of columns from `first` on; the row above that it is coupled with.
typedef struct MbCoupledRow {
  uint64_t at;
  uint32_t first, columns, above;
} MbCoupledRow;

// A row above: which rows of C are coupled with it, in `sharing`.
typedef struct MbCoupledAbove {
  uint32_t row, begin, end;
} MbCoupledAbove;

// A column of C: its place in its rows, which are `count` from `row` on.
typedef struct MbCoupledColumn {
  uint32_t column, place, row, count;
} MbCoupledColumn;

typedef struct MbInverseArgs {
  size_t n;
  size_t begin, columns;       // of what a kernel is for the first of a level; columns of C in it
  const uint32_t *perm, *from; // (n) which row of A it is; the column that row of S begins at
  const uint64_t *at;          // (n) where it begins
  const double *numbers;
  const float *singles; // in their place; NULL: they are doubles
  const MbRowsOf *group;
  const uint32_t *tile; // (tiles + 1) columns that tiles of up to 32 begin at; none has columns of two levels
  const uint32_t *reach; // (of all tiles) groups that have some of a tile's columns
  const uint32_t *slice; // (tiles x (slices + 1)) where in `reach` each slice of a tile begins
  uint32_t slices, pieces, joints;
  const MbRowPiece *piece; // (pieces)
  const MbRowJoint *joint; // (joints)
  double *of_piece;        // (pieces x MB_BAND x 3)
  double *b, *y;           // (3 x n)
  double *part;            // (slices x 3 x n)
  const MbCoupledRow *coupled;
  const MbCoupledAbove *above;
  const uint32_t *sharing;
  const MbCoupledColumn *across;
  double *border; // (rows of C x 3)
  double *x;      // (n x 3) in the order of A
  // of floats: A by rows, and what is solved, and the first solution (n x 3)
  const uint32_t *start, *column; // (n + 1), without the diagonal
  const double *value, *diagonal;
  double *right, *first;
  // nodes placed along some axes: numbers of x, the inverse of Eᵀ A⁻¹ E of each axis, row by row
  uint32_t placed;
  const uint32_t *place;    // (placed)
  const uint32_t *block;    // (placed) the first of its axis, in `place`
  const uint64_t *block_at; // (placed) where its row begins
  const double *block_of;
  const uint32_t *block_size; // (placed) of its axis
  double *held;               // (placed)
  double *back;               // (n x 3)
} MbInverseArgs;

MB_BODY void mb_inverse_load(const MbInverseArgs *a, size_t i) {
  for (size_t r = 0; r < 3; r++) a->b[r * a->n + i] = a->x[3 * (size_t)a->perm[i] + r];
}
// Number axis × columns + column: its slices. Levels below look at them in b.
MB_BODY void mb_inverse_store(const MbInverseArgs *a, size_t number) {
  const size_t r = number / a->columns, i = a->begin + number % a->columns;
  double sum = 0;
  for (size_t slice = 0; slice < a->slices; slice++) sum += a->part[(3 * slice + r) * a->n + i];
  a->b[r * a->n + i] = a->x[3 * (size_t)a->perm[i] + r] = sum;
}

// Number `at` of S; `single` is known where this is compiled.
MB_BODY double mb_inverse_number(const MbInverseArgs *a, int single, size_t at) {
  return single ? (double)a->singles[at] : a->numbers[at];
}

// Piece i, of which a lane has every 32nd column. Of a piece with fewer rows the last one is taken again, for nothing.
MB_BODY void mb_inverse_piece(const MbInverseArgs *a, int single, size_t i, uint32_t lane, double *sum) {
  const MbRowPiece piece = a->piece[a->begin + i];
  const double *const b = a->b + piece.from;
  size_t row[MB_BAND];
  uint32_t count[MB_BAND]; // numbers of each row
  for (uint32_t q = 0; q < MB_BAND; q++) {
    const uint32_t at = piece.row + (q < piece.rows ? q : piece.rows - 1);
    row[q] = a->at[at], count[q] = at + 1 - piece.from;
  }
  MB_UNROLLED(2)
  for (uint32_t k = piece.begin + lane; k < piece.end; k += MB_WARP) {
    const double x = b[k], y = b[a->n + k], z = b[2 * a->n + k];
    for (uint32_t q = 0; q < MB_BAND; q++) {
      const double s = k < count[q] ? mb_inverse_number(a, single, row[q] + k) : 0;
      sum[3 * q] += s * x, sum[3 * q + 1] += s * y, sum[3 * q + 2] += s * z;
    }
  }
}
MB_BODY void mb_inverse_multiply_part(const MbInverseArgs *a, size_t i, uint32_t lane, double *sum) {
  if (a->singles)
    mb_inverse_piece(a, 1, i, lane, sum);
  else
    mb_inverse_piece(a, 0, i, lane, sum);
}
MB_BODY double mb_inverse_multiply_join(const MbInverseArgs *a, size_t i, double one, double other) {
  (void)a, (void)i;
  return one + other;
}
MB_BODY void mb_inverse_multiply_end(const MbInverseArgs *a, size_t k, const double *sum) {
  const size_t i = a->begin + k;
  const MbRowPiece piece = a->piece[i];
  // numbers of rows that are none are left out one by one: where a loop's end is known sums stay in registers
  for (uint32_t q = 0; q < MB_BAND; q++)
    for (uint32_t r = 0; r < 3 && q < piece.rows; r++) {
      if (piece.alone)
        a->y[r * a->n + piece.row + q] = sum[3 * q + r];
      else
        a->of_piece[3 * (MB_BAND * i + q) + r] = sum[3 * q + r];
    }
}
// y of a row of several pieces
MB_BODY void mb_inverse_join(const MbInverseArgs *a, size_t k) {
  const MbRowJoint joint = a->joint[a->begin + k];
  const size_t q = joint.row - a->piece[joint.piece].row;
  for (size_t r = 0; r < 3; r++) {
    double sum = 0;
    for (size_t p = joint.piece; p < joint.piece + joint.count; p++)
      sum += a->of_piece[3 * (MB_BAND * p + q) + r];
    a->y[r * a->n + joint.row] = sum;
  }
}

// Number (tile × slices + slice) × 32 + lane
MB_BODY void mb_inverse_column(const MbInverseArgs *a, int single, size_t number) {
  const size_t row = number / MB_WARP, tile = a->begin + row / a->slices, slice = row % a->slices;
  const size_t k = a->tile[tile] + number % MB_WARP;
  const uint32_t *const of = a->slice + tile * (a->slices + 1);
  double sum[3] = {0, 0, 0};
  if (k >= a->tile[tile + 1]) return;
  for (uint32_t g = of[slice]; g < of[slice + 1]; g++) {
    const MbRowsOf group = a->group[a->reach[g]];
    if (k < group.from) continue;
    size_t i = group.first > k ? group.first : k;
    if (i >= group.last) continue;
    // rows of a group follow one another, each by one number longer than the one before
    for (size_t at = a->at[i] + (k - group.from); i < group.last; i++) {
      const double s = mb_inverse_number(a, single, at);
      for (size_t r = 0; r < 3; r++) sum[r] += s * a->y[r * a->n + i];
      at += i + 1 - group.from;
    }
  }
  for (size_t r = 0; r < 3; r++) a->part[(3 * slice + r) * a->n + k] = sum[r];
}
MB_BODY void mb_inverse_transposed(const MbInverseArgs *a, size_t number) {
  if (a->singles)
    mb_inverse_column(a, 1, number);
  else
    mb_inverse_column(a, 0, number);
}

// Row i of C, times y.
MB_BODY void mb_couple_part(const MbInverseArgs *a, size_t i, uint32_t lane, double *sum) {
  const MbCoupledRow row = a->coupled[a->begin + i];
  for (uint32_t k = lane; k < row.columns; k += MB_WARP) {
    const size_t at = row.at + k;
    const double c = a->singles ? mb_inverse_number(a, 1, at) : mb_inverse_number(a, 0, at);
    for (size_t r = 0; r < 3; r++) sum[r] += c * a->y[r * a->n + row.first + k];
  }
}
MB_BODY double mb_couple_join(const MbInverseArgs *a, size_t i, double one, double other) {
  (void)a, (void)i;
  return one + other;
}
MB_BODY void mb_couple_end(const MbInverseArgs *a, size_t i, const double *sum) {
  for (size_t r = 0; r < 3; r++) a->border[3 * (a->begin + i) + r] = sum[r];
}
// b of a row above −= its rows of C
MB_BODY void mb_couple_above(const MbInverseArgs *a, size_t i) {
  const MbCoupledAbove above = a->above[a->begin + i];
  double sum[3] = {0, 0, 0};
  for (uint32_t k = above.begin; k < above.end; k++)
    for (size_t r = 0; r < 3; r++) sum[r] += a->border[3 * (size_t)a->sharing[k] + r];
  for (size_t r = 0; r < 3; r++) a->b[r * a->n + above.row] -= sum[r];
}

// Number slice × columns + column.
MB_BODY void mb_uncouple(const MbInverseArgs *a, size_t number) {
  const size_t slice = number / a->columns;
  const MbCoupledColumn at = a->across[a->begin + number % a->columns];
  const size_t first = at.count * slice / a->slices, last = at.count * (slice + 1) / a->slices;
  double sum[3] = {0, 0, 0};
  for (size_t i = first; i < last; i++) {
    const MbCoupledRow row = a->coupled[at.row + i];
    const size_t number_at = row.at + at.place;
    const double c = a->singles ? mb_inverse_number(a, 1, number_at) : mb_inverse_number(a, 0, number_at);
    for (size_t r = 0; r < 3; r++) sum[r] += c * a->b[r * a->n + row.above];
  }
  for (size_t r = 0; r < 3; r++) a->part[(3 * slice + r) * a->n + at.column] = sum[r];
}
MB_BODY void mb_uncouple_end(const MbInverseArgs *a, size_t i) {
  const size_t column = a->across[a->begin + i].column;
  for (size_t r = 0; r < 3; r++) {
    double sum = 0;
    for (size_t slice = 0; slice < a->slices; slice++) sum += a->part[(3 * slice + r) * a->n + column];
    a->y[r * a->n + column] -= sum;
  }
}

// Floats are corrected once: b is noted; the first solution is, and b − A x takes its place; that one's is added.
MB_BODY void mb_single_right(const MbInverseArgs *a, size_t c) { a->right[c] = a->x[c]; }
MB_BODY void mb_single_first(const MbInverseArgs *a, size_t c) { a->first[c] = a->x[c]; }
MB_BODY void mb_single_left(const MbInverseArgs *a, size_t i) {
  double left[3];
  for (size_t r = 0; r < 3; r++) left[r] = a->right[3 * i + r] - a->diagonal[i] * a->first[3 * i + r];
  for (uint32_t p = a->start[i]; p < a->start[i + 1]; p++)
    for (size_t r = 0; r < 3; r++) left[r] -= a->value[p] * a->first[3 * (size_t)a->column[p] + r];
  for (size_t r = 0; r < 3; r++) a->x[3 * i + r] = left[r];
}
MB_BODY void mb_single_add(const MbInverseArgs *a, size_t c) { a->x[c] = a->first[c] + a->x[c]; }

// held = (Eᵀ A⁻¹ E)⁻¹ Eᵀ x
MB_BODY void mb_placed_find_part(const MbInverseArgs *a, size_t i, uint32_t lane, double *sum) {
  const double *const row = a->block_of + a->block_at[i];
  for (uint32_t k = lane; k < a->block_size[i]; k += MB_WARP)
    sum[0] += row[k] * a->x[a->place[a->block[i] + k]];
}
MB_BODY double mb_placed_find_join(const MbInverseArgs *a, size_t i, double one, double other) {
  (void)a, (void)i;
  return one + other;
}
MB_BODY void mb_placed_find_end(const MbInverseArgs *a, size_t i, const double *sum) { a->held[i] = sum[0]; }

MB_BODY void mb_placed_clear(const MbInverseArgs *a, size_t c) { a->back[c] = 0; }
MB_BODY void mb_placed_put(const MbInverseArgs *a, size_t i) { a->back[a->place[i]] = a->held[i]; }
MB_BODY void mb_placed_subtract(const MbInverseArgs *a, size_t c) { a->x[c] -= a->back[c]; }
MB_BODY void mb_placed_end(const MbInverseArgs *a, size_t i) { a->x[a->place[i]] = 0; }

#endif
