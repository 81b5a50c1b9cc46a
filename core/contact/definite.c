// Cholesky's factor, four columns at a time: what earlier columns take off a tile of four by four numbers is summed up in registers, then the tile on the
// diagonal is factored, and those below are divided by it.
#include "core/contact/definite.h"
#include "core/base/targets.h"

#include <math.h>
#include <string.h>

typedef double Four __attribute__((vector_size(4 * sizeof(double))));
#define INLINE static inline __attribute__((always_inline))

INLINE Four load(const double *x) {
  Four made;
  memcpy(&made, x, sizeof made);
  return made;
}

INLINE void store(double *x, Four four) { memcpy(x, &four, sizeof four); }

INLINE Four all(double x) { return (Four){x, x, x, x}; }

// The tile of rows [i, i + 4) in columns [j, j + 4), less what columns before j take off it.
INLINE void reduce(const double *K, size_t stride, size_t i, size_t j, Four tile[4]) {
  MB_UNROLL
  for (size_t c = 0; c < 4; c++) tile[c] = load(K + (j + c) * stride + i);
  for (size_t k = 0; k < j; k++) {
    const double *const column = K + k * stride;
    const Four x = load(column + i);
    MB_UNROLL
    for (size_t c = 0; c < 4; c++) tile[c] -= x * all(column[j + c]);
  }
}

// The tile on the diagonal: its factor's columns, with zeros above the diagonal and its inverse on it.
INLINE bool factor_tile(Four tile[4]) {
  MB_UNROLL
  for (int c = 0; c < 4; c++) {
    const double d = tile[c][c];
    if (!(d > 0)) return false;
    const double inverse = 1 / sqrt(d);
    tile[c] *= all(inverse);
    MB_UNROLL
    for (int k = c + 1; k < 4; k++) tile[k] -= tile[c] * all(tile[c][k]);
    MB_UNROLL
    for (int r = 0; r < c; r++) tile[c][r] = 0;
    tile[c][c] = inverse;
  }
  return true;
}

MB_CLONES bool mb_definite_factor(double *K, size_t stride) {
  for (size_t j = 0; j < stride; j += 4) {
    Four own[4], tile[4];
    reduce(K, stride, j, j, own);
    if (!factor_tile(own)) return false;
    MB_UNROLL
    for (size_t c = 0; c < 4; c++) store(K + (j + c) * stride + j, own[c]);
    for (size_t i = j + 4; i < stride; i += 4) {
      reduce(K, stride, i, j, tile);
      MB_UNROLL
      for (int c = 0; c < 4; c++) {
        tile[c] *= all(own[c][c]);
        MB_UNROLL
        for (int k = c + 1; k < 4; k++) tile[k] -= tile[c] * all(own[c][k]);
        store(K + (j + (size_t)c) * stride + i, tile[c]);
      }
    }
  }
  return true;
}

MB_CLONES void mb_definite_apply(const double *L, size_t stride, double *x) {
  for (size_t j = 0; j < stride; j += 4) {
    const double *const column = L + j * stride;
    Four y = load(x + j);
    MB_UNROLL
    for (int c = 0; c < 4; c++) {
      const Four l = load(column + (size_t)c * stride + j);
      const double by = y[c] * l[c];
      y -= l * all(by);
      y[c] = by;
    }
    store(x + j, y);
    for (size_t i = j + 4; i < stride; i += 4) {
      Four z = load(x + i);
      MB_UNROLL
      for (size_t c = 0; c < 4; c++) z -= load(column + c * stride + i) * all(y[c]);
      store(x + i, z);
    }
  }
  for (size_t j = stride; j;) {
    j -= 4;
    const double *const column = L + j * stride;
    Four sum[4] = {{0}};
    for (size_t i = j + 4; i < stride; i += 4) {
      const Four z = load(x + i);
      MB_UNROLL
      for (size_t c = 0; c < 4; c++) sum[c] += load(column + c * stride + i) * z;
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
    Four head = load(b + i), tail = load(b + i + 4);
    for (size_t k = 0; k < n; k++) {
      const double *const column = W + k * n + i;
      head += load(column) * all(x[k]);
      tail += load(column + 4) * all(x[k]);
    }
    store(out + i, head), store(out + i + 4, tail);
  }
  for (; i < n; i++) {
    double sum = b[i];
    for (size_t k = 0; k < n; k++) sum += W[i * n + k] * x[k];
    out[i] = sum;
  }
}
