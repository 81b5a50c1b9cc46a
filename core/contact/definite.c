// Cholesky's factor, four columns at a time: what earlier columns take off a tile of four by four numbers is summed up in registers, then the tile on the
// diagonal is factored, and those below are divided by it.
#include "core/contact/definite.h"
#include "core/base/targets.h"
#include "core/math/four.h"

#include <math.h>

// The tile of rows [i, i + 4) in columns [j, j + 4), less what columns before j take off it.
MB_FOUR_INLINE void reduce(const double *K, size_t stride, size_t i, size_t j, MbFour tile[4]) {
  MB_UNROLL
  for (size_t c = 0; c < 4; c++) tile[c] = mb_four_load(K + (j + c) * stride + i);
  for (size_t k = 0; k < j; k++) {
    const double *const column = K + k * stride;
    const MbFour x = mb_four_load(column + i);
    MB_UNROLL
    for (size_t c = 0; c < 4; c++) tile[c] -= x * mb_four_all(column[j + c]);
  }
}

// The tile on the diagonal: its factor's columns, with zeros above the diagonal and its inverse on it.
MB_FOUR_INLINE bool factor_tile(MbFour tile[4]) {
  MB_UNROLL
  for (int c = 0; c < 4; c++) {
    const double d = tile[c][c];
    if (!(d > 0)) return false;
    const double inverse = 1 / sqrt(d);
    tile[c] *= mb_four_all(inverse);
    MB_UNROLL
    for (int k = c + 1; k < 4; k++) tile[k] -= tile[c] * mb_four_all(tile[c][k]);
    MB_UNROLL
    for (int r = 0; r < c; r++) tile[c][r] = 0;
    tile[c][c] = inverse;
  }
  return true;
}

MB_CLONES bool mb_definite_factor(double *K, size_t stride) {
  for (size_t j = 0; j < stride; j += 4) {
    MbFour own[4], tile[4];
    reduce(K, stride, j, j, own);
    if (!factor_tile(own)) return false;
    MB_UNROLL
    for (size_t c = 0; c < 4; c++) mb_four_store(K + (j + c) * stride + j, own[c]);
    for (size_t i = j + 4; i < stride; i += 4) {
      reduce(K, stride, i, j, tile);
      MB_UNROLL
      for (int c = 0; c < 4; c++) {
        tile[c] *= mb_four_all(own[c][c]);
        MB_UNROLL
        for (int k = c + 1; k < 4; k++) tile[k] -= tile[c] * mb_four_all(own[c][k]);
        mb_four_store(K + (j + (size_t)c) * stride + i, tile[c]);
      }
    }
  }
  return true;
}

MB_CLONES void mb_definite_apply(const double *L, size_t stride, double *x) {
  for (size_t j = 0; j < stride; j += 4) {
    const double *const column = L + j * stride;
    MbFour y = mb_four_load(x + j);
    MB_UNROLL
    for (int c = 0; c < 4; c++) {
      const MbFour l = mb_four_load(column + (size_t)c * stride + j);
      const double by = y[c] * l[c];
      y -= l * mb_four_all(by);
      y[c] = by;
    }
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
    for (int c = 3; c >= 0; c--) {
      const double *const own = column + (size_t)c * stride + j;
      double y = x[j + (size_t)c] - ((sum[c][0] + sum[c][1]) + (sum[c][2] + sum[c][3]));
      for (int k = c + 1; k < 4; k++) y -= own[k] * x[j + (size_t)k];
      x[j + (size_t)c] = y * own[c];
    }
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
