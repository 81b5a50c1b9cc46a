// The last pairs (s, y) correct A⁻¹ to the inverse of a matrix that takes every s to its y, by the BFGS formula for each of them, the
// oldest first. All at once that is (Byrd, Nocedal, Schnabel 1994, theorem 2.2), with S and Y of columns s and y, Z = A⁻¹ Y, R the upper
// triangle of Sᵀ Y and D its diagonal, pairs in the order of their age,
//
//   H⁻¹ b = A⁻¹ b + U N Uᵀ b,   U = (S Z),   N = ( R⁻ᵀ (D + Yᵀ Z) R⁻¹   −R⁻ᵀ )
//                                             ( −R⁻¹                      0  )
//
// since Yᵀ A⁻¹ b = Zᵀ b. So what the pairs add has few numbers: a caller who wants H⁻¹ of a few unknowns alone, as for rows about them,
// needs U there and nothing else. Vectors are summed up by chunks, so that any number of threads gives the same bits.
#include "core/solvers/projective/pairs.h"
#include "core/base/alloc.h"
#include "core/base/targets.h"
#include "core/base/threads.h"
#include "core/math/sums.h"

#include <math.h>
#include <string.h>

enum {
  CHUNK = 3072,       // numbers that are summed up together
  SUMS = MB_PAIR_SUMS // of each chunk: the weights, and behind them s · y and z · y of a new pair
};

bool mb_pairs_make(MbPairs *pairs, size_t n) {
  *pairs = (MbPairs){.n = n, .chunks = (n + CHUNK - 1) / CHUNK};
  bool ok = (pairs->sum = mb_calloc(pairs->chunks, SUMS * sizeof(double))) != NULL;
  for (size_t k = 0; k < MB_PAIRS; k++) {
    pairs->s[k] = mb_calloc(n, sizeof(double));
    pairs->z[k] = mb_calloc(n, sizeof(double));
    ok = ok && pairs->s[k] && pairs->z[k];
  }
  return ok;
}

void mb_pairs_free(MbPairs *pairs) {
  for (size_t k = 0; k < MB_PAIRS; k++) mb_free(pairs->s[k]), mb_free(pairs->z[k]);
  mb_free(pairs->sum);
}

size_t mb_pairs_bytes(const MbPairs *pairs) {
  return (MB_PAIR_WEIGHTS * pairs->n + SUMS * pairs->chunks) * sizeof(double);
}

// For those whose products others find: room is all that there is of it.
bool mb_pairs_room(MbPairs *pairs, size_t n) {
  size_t room = pairs->n;
  for (size_t k = 0; k < MB_PAIRS && n > pairs->n; k++) {
    size_t s = pairs->n, z = s;
    if (!mb_grow(&pairs->s[k], &s, n, sizeof(double)) || !mb_grow(&pairs->z[k], &z, n, sizeof(double)))
      return false;
    room = s;
  }
  pairs->n = room;
  return true;
}

void mb_pairs_begin(MbPairs *pairs) { pairs->count = pairs->next = 0; }

// Number of the pair of age `k`, 0 the oldest.
static size_t aged(const MbPairs *pairs, size_t k) {
  return (pairs->next + MB_PAIRS - pairs->count + k) % MB_PAIRS;
}

bool mb_pairs_has(const MbPairs *pairs, size_t k) {
  return (k + MB_PAIRS - aged(pairs, 0)) % MB_PAIRS < pairs->count;
}

// ---- products ---------------------------------------------------------------------------------------------

// Products of b with the s and z of all pairs that are asked for, and what a new pair needs.
typedef struct Look {
  MbPairs *pairs;
  const double *b;
  bool one[MB_PAIRS]; // pairs that are asked for
  const double *b0, *z1;
  double *z0; // NULL: no new pair
} Look;

MB_CLONES static void look_task(void *context, size_t chunk) {
  const Look *const look = context;
  const MbPairs *pairs = look->pairs;
  const size_t begin = CHUNK * chunk, n = begin + CHUNK < pairs->n ? CHUNK : pairs->n - begin;
  double *sum = pairs->sum + SUMS * chunk;
  memset(sum, 0, SUMS * sizeof *sum);
  if (look->z0) {
    double *restrict z = pairs->z[pairs->next] + begin, *restrict z0 = look->z0 + begin, y[CHUNK];
    const double *b = look->b + begin, *b0 = look->b0 + begin, *z1 = look->z1 + begin;
    MB_SIMD
    for (size_t i = 0; i < n; i++) {
      y[i] = b0[i] - b[i];
      z[i] = z0[i] - z1[i];
      z0[i] = z1[i];
    }
    mb_sum_products(pairs->s[pairs->next] + begin, z, y, n, sum + MB_PAIR_WEIGHTS);
  }
  for (size_t k = 0; k < MB_PAIRS; k++)
    if (look->one[k])
      mb_sum_products(pairs->s[k] + begin, pairs->z[k] + begin, look->b + begin, n, sum + 2 * k);
}

static void look_at(Look *look, int threads, double c[SUMS]) {
  const MbPairs *pairs = look->pairs;
  memset(c, 0, SUMS * sizeof *c);
  mb_parallel_tasks(threads, pairs->chunks, look_task, look);
  for (size_t chunk = 0; chunk < pairs->chunks; chunk++)
    for (size_t k = 0; k < SUMS; k++) c[k] += pairs->sum[SUMS * chunk + k];
}

void mb_pairs_look(MbPairs *pairs, const double *b, int threads, double c[MB_PAIR_WEIGHTS]) {
  double sums[SUMS] = {0};
  Look look = {.pairs = pairs, .b = b};
  for (size_t k = 0; k < pairs->count; k++) look.one[aged(pairs, k)] = true;
  if (pairs->count) look_at(&look, threads, sums);
  memcpy(c, sums, sizeof pairs->seen);
  mb_pairs_see(pairs, c);
}

void mb_pairs_see(MbPairs *pairs, const double c[MB_PAIR_WEIGHTS]) {
  memcpy(pairs->seen, c, sizeof pairs->seen);
}

// ---- N ----------------------------------------------------------------------------------------------------

// x ← R⁻¹ x, or R⁻ᵀ x, in the order of age.
static void solve(const MbPairs *pairs, bool transposed, double x[MB_PAIRS]) {
  const size_t m = pairs->count;
  for (size_t step = 0; step < m; step++) {
    const size_t i = transposed ? step : m - 1 - step;
    for (size_t j = transposed ? 0 : i + 1; j < (transposed ? i : m); j++)
      x[i] -= x[j] * (transposed ? pairs->sy[aged(pairs, j)][aged(pairs, i)]
                                 : pairs->sy[aged(pairs, i)][aged(pairs, j)]);
    x[i] /= pairs->sy[aged(pairs, i)][aged(pairs, i)];
  }
}

// w ← N c of c = (p, q), in the order of age:  u = R⁻¹ p,  (R⁻ᵀ ((D + YᵀZ) u − q), −u)
static void weigh(const MbPairs *pairs, const double c[MB_PAIR_WEIGHTS], double w[MB_PAIR_WEIGHTS]) {
  const size_t m = pairs->count;
  double u[MB_PAIRS] = {0}, top[MB_PAIRS] = {0};
  for (size_t i = 0; i < m; i++) u[i] = c[2 * aged(pairs, i)];
  solve(pairs, false, u);
  for (size_t i = 0; i < m; i++) {
    const size_t a = aged(pairs, i);
    top[i] = pairs->sy[a][a] * u[i] - c[2 * a + 1];
    for (size_t j = 0; j < m; j++) top[i] += pairs->yz[a][aged(pairs, j)] * u[j];
  }
  solve(pairs, true, top);
  memset(w, 0, MB_PAIR_WEIGHTS * sizeof *w);
  for (size_t i = 0; i < m; i++) w[2 * aged(pairs, i)] = top[i], w[2 * aged(pairs, i) + 1] = -u[i];
}

static void find_N(MbPairs *pairs) {
  for (size_t j = 0; j < MB_PAIR_WEIGHTS; j++) {
    double one[MB_PAIR_WEIGHTS] = {0}, column[MB_PAIR_WEIGHTS];
    one[j] = 1;
    weigh(pairs, one, column);
    for (size_t i = 0; i < MB_PAIR_WEIGHTS; i++) pairs->N[i][j] = column[i];
  }
}

bool mb_pairs_note(MbPairs *pairs, const double sums[MB_PAIR_SUMS], double c[MB_PAIR_WEIGHTS]) {
  const size_t k = pairs->next;
  memcpy(c, sums, MB_PAIR_WEIGHTS * sizeof *c);
  const double sy = sums[MB_PAIR_WEIGHTS], yz = sums[MB_PAIR_WEIGHTS + 1];
  const bool up = sy > 0 && isfinite(1 / sy) && isfinite(yz);
  if (pairs->count == MB_PAIRS) pairs->count--;
  if (up) {
    // products with y of the others are what those with b have changed by
    for (size_t i = 0; i < MB_PAIRS; i++) {
      pairs->sy[i][k] = pairs->seen[2 * i] - c[2 * i];
      pairs->yz[i][k] = pairs->yz[k][i] = pairs->seen[2 * i + 1] - c[2 * i + 1];
    }
    pairs->sy[k][k] = sy, pairs->yz[k][k] = yz;
    pairs->next = (k + 1) % MB_PAIRS;
    pairs->count++;
  } else {
    c[2 * k] = c[2 * k + 1] = 0;
  }
  find_N(pairs);
  memcpy(pairs->seen, c, sizeof pairs->seen);
  return up;
}

bool mb_pairs_take(MbPairs *pairs, const double *b0, const double *b, double *z0, const double *z1,
                   int threads, double c[MB_PAIR_WEIGHTS]) {
  double sums[SUMS];
  Look look = {.pairs = pairs, .b = b, .b0 = b0, .z0 = z0, .z1 = z1};
  for (size_t i = 0; i < pairs->count; i++) look.one[aged(pairs, i)] = true;
  look.one[pairs->next] = true; // where the oldest one stood
  look_at(&look, threads, sums);
  return mb_pairs_note(pairs, sums, c);
}

void mb_pairs_weigh(const MbPairs *pairs, const double c[MB_PAIR_WEIGHTS], double w[MB_PAIR_WEIGHTS]) {
  memset(w, 0, MB_PAIR_WEIGHTS * sizeof *w);
  for (size_t i = 0; pairs->count && i < MB_PAIR_WEIGHTS; i++)
    for (size_t j = 0; j < MB_PAIR_WEIGHTS; j++) w[i] += pairs->N[i][j] * c[j];
}

// ---- sums -------------------------------------------------------------------------------------------------

typedef struct Sum {
  const MbPairs *pairs;
  const double *w;
  size_t first, count;
  double *x;
} Sum;

MB_CLONES static void sum_task(void *context, size_t chunk) {
  const Sum *const sum = context;
  const size_t begin = CHUNK * chunk, end = begin + CHUNK < sum->count ? begin + CHUNK : sum->count;
  double *restrict x = sum->x;
  for (size_t k = 0; k < MB_PAIRS; k++) {
    const double a = sum->w[2 * k], b = sum->w[2 * k + 1];
    const double *restrict s = sum->pairs->s[k] + sum->first, *restrict z = sum->pairs->z[k] + sum->first;
    if (a == 0 && b == 0) continue;
    MB_SIMD
    for (size_t i = begin; i < end; i++) x[i] += a * s[i] + b * z[i];
  }
}

void mb_pairs_add(const MbPairs *pairs, const double w[MB_PAIR_WEIGHTS], size_t first, size_t count,
                  int threads, double *x) {
  Sum sum = {pairs, w, first, count, x};
  if (pairs->count && count) mb_parallel_tasks(threads, (count + CHUNK - 1) / CHUNK, sum_task, &sum);
}
