// The factor K = U D⁻¹ Uᵀ, D the diagonal of U, four columns at a time: what earlier columns take off a tile of four by four numbers is summed up in registers, then the tile on
// the diagonal is factored, and those below follow. Where U's diagonal was stands 1/D: no root has to be waited for.
#include "core/contact/definite.h"
#include "core/base/targets.h"
#include "core/math/four.h"

// The tile of rows [i, i + 4) in columns [j, j + 4), less what columns before j take off it.
MB_FOUR_INLINE void reduce(const double *K, size_t stride, size_t i, size_t j, MbFour tile[4]) {
  MB_UNROLL
  for (size_t c = 0; c < 4; c++) tile[c] = mb_four_load(K + (j + c) * stride + i);
  for (size_t k = 0; k < j; k++) {
    const double *const column = K + k * stride;
    const MbFour x = mb_four_load(column + i) * mb_four_all(column[k]);
    MB_UNROLL
    for (size_t c = 0; c < 4; c++) tile[c] -= x * mb_four_all(column[j + c]);
  }
}

// The tile on the diagonal: its factor's columns, and these over D.
MB_FOUR_INLINE bool factor_tile(MbFour tile[4], MbFour over[4]) {
  MB_UNROLL
  for (int c = 0; c < 4; c++) {
    const double d = tile[c][c];
    if (!(d > 0)) return false;
    const double inverse = 1 / d;
    over[c] = tile[c] * mb_four_all(inverse);
    MB_UNROLL
    for (int k = c + 1; k < 4; k++) tile[k] -= tile[c] * mb_four_all(over[c][k]);
    tile[c][c] = inverse;
  }
  return true;
}

MB_CLONES bool mb_definite_factor(double *K, size_t stride) {
  for (size_t j = 0; j < stride; j += 4) {
    MbFour own[4], over[4], tile[4];
    reduce(K, stride, j, j, own);
    if (!factor_tile(own, over)) return false;
    MB_UNROLL
    for (size_t c = 0; c < 4; c++) mb_four_store(K + (j + c) * stride + j, own[c]);
    for (size_t i = j + 4; i < stride; i += 4) {
      reduce(K, stride, i, j, tile);
      MB_UNROLL
      for (int c = 0; c < 4; c++) {
        MB_UNROLL
        for (int k = c + 1; k < 4; k++) tile[k] -= tile[c] * mb_four_all(over[c][k]);
        mb_four_store(K + (j + (size_t)c) * stride + i, tile[c]);
      }
    }
  }
  return true;
}

// U⁻¹ y of a tile on the diagonal, column by column: numbers that go from one to the next through memory or through a vector's lanes would wait for it.
MB_FOUR_INLINE MbFour apply_tile(const double *L, size_t stride, MbFour y) {
  const double *const a = L, *const b = a + stride, *const c = b + stride, *const d = c + stride;
  const double y0 = y[0] * a[0];
  const double y1 = (y[1] - a[1] * y0) * b[1];
  const double y2 = (y[2] - a[2] * y0 - b[2] * y1) * c[2];
  const double y3 = (y[3] - a[3] * y0 - b[3] * y1 - c[3] * y2) * d[3];
  return (MbFour){y0, y1, y2, y3};
}

// y less D⁻¹ times what is below and x of the tile take off.
MB_FOUR_INLINE MbFour apply_tile_back(const double *L, size_t stride, MbFour y, MbFour below) {
  const double *const a = L, *const b = a + stride, *const c = b + stride, *const d = c + stride;
  const double y3 = y[3] - d[3] * below[3];
  const double y2 = (y[2] - c[2] * below[2]) - c[2] * c[3] * y3;
  const double y1 = (y[1] - b[1] * below[1]) - b[1] * b[3] * y3 - b[1] * b[2] * y2;
  const double y0 = (y[0] - a[0] * below[0]) - a[0] * a[3] * y3 - a[0] * a[2] * y2 - a[0] * a[1] * y1;
  return (MbFour){y0, y1, y2, y3};
}

// The sums of the numbers of each.
MB_FOUR_INLINE MbFour sums_of(const MbFour x[4]) {
  const MbFour ab = __builtin_shufflevector(x[0], x[1], 0, 4, 2, 6) +
                    __builtin_shufflevector(x[0], x[1], 1, 5, 3, 7),
               cd = __builtin_shufflevector(x[2], x[3], 0, 4, 2, 6) +
                    __builtin_shufflevector(x[2], x[3], 1, 5, 3, 7);
  return __builtin_shufflevector(ab, cd, 0, 1, 4, 5) + __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
}

MB_CLONES void mb_definite_apply(const double *L, size_t stride, double *x) {
  for (size_t j = 0; j < stride; j += 4) {
    const double *const column = L + j * stride;
    const MbFour y = apply_tile(column + j, stride, mb_four_load(x + j));
    mb_four_store(x + j, y);
    for (size_t i = j + 4; i < stride; i += 4) {
      MbFour z = mb_four_load(x + i);
      MB_UNROLL
      for (size_t c = 0; c < 4; c++) z -= mb_four_load(column + c * stride + i) * mb_four_all(y[c]);
      mb_four_store(x + i, z);
    }
  }
  for (size_t j = stride; j;) {
    j -= 4;
    const double *const column = L + j * stride;
    MbFour sum[4] = {{0}};
    for (size_t i = j + 4; i < stride; i += 4) {
      const MbFour z = mb_four_load(x + i);
      MB_UNROLL
      for (size_t c = 0; c < 4; c++) sum[c] += mb_four_load(column + c * stride + i) * z;
    }
    mb_four_store(x + j, apply_tile_back(column + j, stride, mb_four_load(x + j), sums_of(sum)));
  }
}

MB_CLONES void mb_definite_product(const double *W, size_t n, const double *x, const double *b, double *out) {
  size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    MbFour head = mb_four_load(b + i), tail = mb_four_load(b + i + 4);
    for (size_t k = 0; k < n; k++) {
      const double *const column = W + k * n + i;
      head += mb_four_load(column) * mb_four_all(x[k]);
      tail += mb_four_load(column + 4) * mb_four_all(x[k]);
    }
    mb_four_store(out + i, head), mb_four_store(out + i + 4, tail);
  }
  for (; i < n; i++) {
    double sum = b[i];
    for (size_t k = 0; k < n; k++) sum += W[i * n + k] * x[k];
    out[i] = sum;
  }
}
