// x ← A⁻¹ x by the inverse of a factor without indices (core/sparse/inverse.h): y = S b, a warp a row, and b = Sᵀ y, a thread a column and a
// slice of the rows above it, in two sweeps over S. Neighbouring threads read neighbouring numbers in both. Slices of a column are added
// up in their order. Vectors stand by planes, one right-hand side each. And what corrects it where nodes are placed along some axes
// (pd_engine.h).
#ifndef MB_GPU_KERNELS_INVERSE_ROWS_H
#define MB_GPU_KERNELS_INVERSE_ROWS_H

#include "gpu/kernels/kernel_body.h"

enum { MB_SLICES = 8 };

typedef struct MbRowsOf { // rows of S that begin at the same column
  uint32_t first, last, from;
} MbRowsOf;

typedef struct MbInverseArgs {
  size_t n;
  const uint32_t *perm, *from; // (n) which row of A it is; the column that row of S begins at
  const uint64_t *at;          // (n) where it begins
  const double *numbers;
  const float *singles; // in their place; NULL: they are doubles
  const MbRowsOf *group;
  const uint32_t *reach; // (of all tiles) groups that have some of a tile's 32 columns
  const uint32_t *slice; // (tiles x (MB_SLICES + 1)) where in `reach` each slice of a tile begins
  double *b, *y;         // (3 x n)
  double *part;          // (MB_SLICES x 3 x n)
  double *x;             // (n x 3) in the order of A
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
MB_BODY void mb_inverse_store(const MbInverseArgs *a, size_t i) {
  for (size_t r = 0; r < 3; r++) {
    double sum = 0;
    for (size_t k = 0; k < MB_SLICES; k++) sum += a->part[(3 * k + r) * a->n + i];
    a->x[3 * (size_t)a->perm[i] + r] = sum;
  }
}

// Number `at` of S; `single` is known where this is compiled.
MB_BODY double mb_inverse_number(const MbInverseArgs *a, int single, size_t at) {
  return single ? (double)a->singles[at] : a->numbers[at];
}

// Row i, of which a lane has every 32nd number.
MB_BODY void mb_inverse_row(const MbInverseArgs *a, int single, size_t i, uint32_t lane, double sum[3]) {
  const size_t from = a->from[i], count = i + 1 - from, row = a->at[i];
  const double *const b = a->b + from;
  for (size_t k = lane; k < count; k += MB_WARP) {
    const double s = mb_inverse_number(a, single, row + k);
    for (size_t r = 0; r < 3; r++) sum[r] += s * b[r * a->n + k];
  }
}
MB_BODY void mb_inverse_multiply_part(const MbInverseArgs *a, size_t i, uint32_t lane, double sum[3]) {
  if (a->singles)
    mb_inverse_row(a, 1, i, lane, sum);
  else
    mb_inverse_row(a, 0, i, lane, sum);
}
MB_BODY double mb_inverse_multiply_join(const MbInverseArgs *a, size_t i, double one, double other) {
  (void)a, (void)i;
  return one + other;
}
MB_BODY void mb_inverse_multiply_end(const MbInverseArgs *a, size_t i, const double sum[3]) {
  for (size_t r = 0; r < 3; r++) a->y[r * a->n + i] = sum[r];
}

// Number (tile × slices + slice) × 32 + lane
MB_BODY void mb_inverse_column(const MbInverseArgs *a, int single, size_t number) {
  const size_t row = number / MB_WARP, tile = row / MB_SLICES, slice = row % MB_SLICES;
  const size_t k = tile * MB_WARP + number % MB_WARP;
  const uint32_t *const of = a->slice + tile * (MB_SLICES + 1);
  double sum[3] = {0, 0, 0};
  if (k >= a->n) return;
  for (uint32_t g = of[slice]; g < of[slice + 1]; g++) {
    const MbRowsOf group = a->group[a->reach[g]];
    if (k < group.from) continue;
    for (size_t i = group.first > k ? group.first : k; i < group.last; i++) {
      const double s = mb_inverse_number(a, single, a->at[i] + (k - group.from));
      for (size_t r = 0; r < 3; r++) sum[r] += s * a->y[r * a->n + i];
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
MB_BODY void mb_placed_find_part(const MbInverseArgs *a, size_t i, uint32_t lane, double sum[3]) {
  const double *const row = a->block_of + a->block_at[i];
  for (uint32_t k = lane; k < a->block_size[i]; k += MB_WARP)
    sum[0] += row[k] * a->x[a->place[a->block[i] + k]];
}
MB_BODY double mb_placed_find_join(const MbInverseArgs *a, size_t i, double one, double other) {
  (void)a, (void)i;
  return one + other;
}
MB_BODY void mb_placed_find_end(const MbInverseArgs *a, size_t i, const double sum[3]) {
  a->held[i] = sum[0];
}

MB_BODY void mb_placed_clear(const MbInverseArgs *a, size_t c) { a->back[c] = 0; }
MB_BODY void mb_placed_put(const MbInverseArgs *a, size_t i) { a->back[a->place[i]] = a->held[i]; }
MB_BODY void mb_placed_subtract(const MbInverseArgs *a, size_t c) { a->x[c] -= a->back[c]; }
MB_BODY void mb_placed_end(const MbInverseArgs *a, size_t i) { a->x[a->place[i]] = 0; }

#endif
