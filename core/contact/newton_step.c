// One step of the non-smooth Newton method, F + A Δ + B (W + α) Δ = 0 with block diagonal A and B.
//
// Rows whose F is a multiple of their own λ alone (contacts that are open, friction without a load) give Δ at once and leave the
// system. What is left is factored where it is small. Where it is large GMRES solves it, preconditioned by each block's own part: the
// system is not symmetric, as friction's bound and direction change with λ and w. (Without these changes it is, and the conjugate
// residual method of ZF 5.3 would do; then Newton's method comes to sliding contacts slowly, if at all.)
#include "core/base/targets.h"
#include "core/contact/contact_dense.h"
#include "core/contact/nonsmooth_newton.h"

#include <math.h>
#include <string.h>

// Sorts rows into those of the system and those whose step is known. Returns how many the system has.
static size_t sort(MbNewton *t) {
  const MbStrips *s = &t->strips;
  size_t m = 0;
  for (size_t j = 0; j < s->nblocks; j++) {
    const MbBlock *block = &s->block[j];
    const MbNewtonBlock *part = &t->part[j];
    for (size_t r = 0; r < block->rows; r++) {
      const double *A = part->A + block->rows * r, *B = part->B + block->rows * r;
      const size_t i = block->row + r;
      bool alone = true;
      for (size_t c = 0; c < block->rows; c++) alone &= B[c] == 0 && (c == r || A[c] == 0);
      t->place[i] = 0;
      t->step[i] = alone ? -part->F[r] / A[r] : 0;
      if (alone) continue;
      t->active[m++] = (uint32_t)i;
      t->place[i] = (uint32_t)m;
    }
  }
  return m;
}

// The rows of block j that are in the system, their B and what stands on the diagonal; they follow one another there.
typedef struct Held {
  size_t n, at;
  double A[9], B[9]; // (n x rows of the block)
} Held;

static Held hold(const MbNewton *t, size_t j, double alpha) {
  const MbBlock *block = &t->strips.block[j];
  const MbNewtonBlock *part = &t->part[j];
  const size_t rows = block->rows;
  Held held = {0};
  for (size_t r = 0; r < rows; r++) {
    if (!t->place[block->row + r]) continue;
    if (!held.n) held.at = t->place[block->row + r] - 1;
    t->x[held.at + held.n] = -part->F[r];
    for (size_t c = 0; c < rows; c++) {
      held.B[rows * held.n + c] = part->B[rows * r + c];
      const double more = alpha + (rows == 3 && c == 0 ? t->yields : 0);
      held.A[rows * held.n + c] = part->A[rows * r + c] + more * block->scale * part->B[rows * r + c];
    }
    held.n++;
  }
  return held;
}

// Adds the rows of a block in column c, `number` of each, to the matrix, where they stand together, or to the other side where the step is known.
static inline void put(MbNewton *t, size_t stride, const Held *held, size_t c, const double *number) {
  double *to = t->x + held->at, by = -t->step[c];
  if (t->place[c]) to = t->J + (t->place[c] - 1) * stride + held->at, by = 1;
  for (size_t r = 0; r < held->n; r++) to[r] += by * number[r];
}

// Puts B W of one row into the system, a column of W after the other.
static void put_row(MbNewton *t, size_t stride, size_t j, const Held *held) {
  const MbStrips *s = &t->strips;
  const double *value = s->value + s->at[j];
  for (size_t k = s->first[j]; k < s->first[j + 1] && held->n; k++) {
    const double number = held->B[0] * *value++;
    const size_t place = t->place[s->column[k]];
    if (place)
      t->J[(place - 1) * stride + held->at] = number;
    else
      put(t, stride, held, s->column[k], &number);
  }
}

typedef double Four __attribute__((vector_size(4 * sizeof(double))));

// The same of a contact's three rows. Rows behind them in a column are not there yet: a zero more is written where the column has room for it.
MB_CLONES static void put_contact(MbNewton *t, size_t stride, size_t j, const Held *held) {
  const MbStrips *s = &t->strips;
  const double *value = s->value + s->at[j], *B = held->B;
  const Four first = {B[0], B[3], B[6], 0}, second = {B[1], B[4], B[7], 0}, third = {B[2], B[5], B[8], 0};
  const size_t bytes = held->n < 3 ? 0 : (held->at + 4 <= stride ? 4 : 3) * sizeof *B;
  const uint32_t *column = s->column + s->first[j], *const end = s->column + s->first[j + 1];
  const uint32_t *const places = t->place;
  double *const J = t->J + held->at;
  for (; column < end; column++, value += 3) {
    const Four sum = first * value[0] + second * value[1] + third * value[2];
    const size_t place = places[*column];
    if (place && bytes == sizeof sum)
      memcpy(J + (place - 1) * stride, &sum, sizeof sum);
    else if (place && bytes)
      memcpy(J + (place - 1) * stride, &sum, 3 * sizeof *J);
    else
      put(t, stride, held, *column, (const double *)&sum);
  }
}

// What the right side has more where α has kept of the step x what it has, α B x.
static void give_back(const MbNewton *t, double alpha, double *right) {
  const MbStrips *s = &t->strips;
  for (size_t j = 0; j < s->nblocks; j++) {
    const MbBlock *block = &s->block[j];
    const size_t rows = block->rows;
    for (size_t r = 0; r < rows; r++) {
      const size_t at = t->place[block->row + r];
      const double *B = t->part[j].B + rows * r;
      double sum = 0;
      if (!at) continue;
      for (size_t c = 0; c < rows; c++)
        if (t->place[block->row + c]) sum += B[c] * t->x[t->place[block->row + c] - 1];
      right[at - 1] += alpha * block->scale * sum;
    }
  }
}

// Takes from the step what α has kept of it, by more solutions with the same factor, (A + B (W + α)) x' = −F + α B x, until it stays: along what
// moves something no more of α is left than that, and along what moves nothing rounding is magnified by no more than 1/α.
static void refine(MbNewton *t, size_t m, double alpha) {
  enum { TURNS = 4 };
  static const double STAYS = 1e-4; // of the step
  for (int turn = 0; turn < TURNS; turn++) {
    double change = 0, size = 0;
    memcpy(t->refined, t->right, m * sizeof *t->x);
    give_back(t, alpha, t->refined);
    if (!mb_dense_solve_again(t->J, t->refined, t->pivot, m)) return;
    for (size_t i = 0; i < m; i++) {
      change = fmax(change, fabs(t->refined[i] - t->x[i]));
      size = fmax(size, fabs(t->refined[i]));
      t->x[i] = t->refined[i];
    }
    if (!(change > STAYS * size)) return;
  }
}

static bool step_dense(MbNewton *t, size_t m, double alpha) {
  const MbStrips *s = &t->strips;
  const size_t stride = mb_dense_stride(m);
  if (m < s->n || s->first[s->nblocks] < s->n * s->nblocks) // else all of it is written
    memset(t->J, 0, m * stride * sizeof *t->J);
  for (size_t j = 0; j < s->nblocks; j++) {
    const size_t rows = s->block[j].rows;
    const Held held = hold(t, j, alpha);
    if (rows == 3)
      put_contact(t, stride, j, &held);
    else
      put_row(t, stride, j, &held);
    for (size_t c = 0; c < rows; c++) {
      double number[3];
      for (size_t r = 0; r < held.n; r++) number[r] = held.A[rows * r + c];
      put(t, stride, &held, s->block[j].row + c, number);
    }
  }
  if (t->refines) memcpy(t->right, t->x, m * sizeof *t->x);
  if (!mb_dense_solve_columns(t->J, t->x, t->pivot, m)) return false;
  if (t->refines) refine(t, m, alpha);
  for (size_t i = 0; i < m; i++) {
    if (!isfinite(t->x[i])) return false;
    t->step[t->active[i]] = t->x[i];
  }
  return true;
}

typedef double Eight __attribute__((vector_size(64)));

// Sums of eight numbers side by side, whatever the machine, so that it has the same bits on all.
MB_CLONES static double dot(const double *a, const double *b, size_t n) {
  Eight sum = {0}, x, y;
  size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    memcpy(&x, a + i, sizeof x);
    memcpy(&y, b + i, sizeof y);
    sum += x * y;
  }
  double rest = 0;
  for (; i < n; i++) rest += a[i] * b[i];
  return ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7])) + rest;
}

// x ← x + s y
MB_CLONES static void add(double *restrict x, double s, const double *restrict y, size_t n) {
  MB_SIMD for (size_t i = 0; i < n; i++) x[i] += s * y[i];
}

// out ← (A + B (W + alpha scale)) x in the rows of the system; x is zero elsewhere
static void product(const MbNewton *t, double alpha, const double *x, double *out) {
  const MbStrips *s = &t->strips;
  mb_strips_rates(s, x, out);
  for (size_t j = 0; j < s->nblocks; j++) {
    const MbBlock *block = &s->block[j];
    const MbNewtonBlock *part = &t->part[j];
    const size_t rows = block->rows;
    double u[3];
    for (size_t r = 0; r < rows; r++)
      u[r] = out[block->row + r] + alpha * block->scale * x[block->row + r] - s->b[block->row + r];
    for (size_t r = 0; r < rows; r++) {
      double sum = 0;
      for (size_t c = 0; c < rows; c++)
        sum += part->A[rows * r + c] * x[block->row + c] + part->B[rows * r + c] * u[c];
      out[block->row + r] = t->place[block->row + r] ? sum : 0;
    }
  }
}

// Inverts the block's own part of the system, with ones where a row's step is known.
static void invert_block(const MbNewton *t, size_t j, double alpha, double *inverse) {
  const MbBlock *block = &t->strips.block[j];
  const MbNewtonBlock *part = &t->part[j];
  const size_t rows = block->rows;
  double K[9], x[3];
  int pivot[3];
  for (size_t c = 0; c < rows; c++) {
    for (size_t i = 0; i < rows; i++)
      for (size_t k = 0; k < rows; k++) { // by columns
        double sum = part->A[rows * i + k] + alpha * block->scale * part->B[rows * i + k];
        for (size_t l = 0; l < rows; l++) sum += part->B[rows * i + l] * block->D[rows * l + k];
        const bool in = t->place[block->row + i] && t->place[block->row + k];
        K[rows * k + i] = in ? sum : i == k;
        x[i] = i == c;
      }
    if (!mb_dense_solve(K, x, pivot, rows))
      for (size_t i = 0; i < rows; i++) x[i] = i == c ? 1 / block->scale : 0;
    for (size_t i = 0; i < rows; i++) inverse[rows * i + c] = t->place[block->row + i] ? x[i] : 0;
  }
}

static void precondition(const MbNewton *t, const double *x, double *out) {
  const MbStrips *s = &t->strips;
  for (size_t j = 0; j < s->nblocks; j++) {
    const size_t rows = s->block[j].rows, i = s->block[j].row;
    const double *P = t->inverse + 9 * j;
    for (size_t r = 0; r < rows; r++) {
      double sum = 0;
      for (size_t c = 0; c < rows; c++) sum += P[rows * r + c] * x[i + c];
      out[i + r] = sum;
    }
  }
}

// The rotations that have made the columns of H triangular, and the residual's size in g.
typedef struct Krylov {
  double H[MB_NEWTON_BASIS + 1][MB_NEWTON_BASIS], c[MB_NEWTON_BASIS], q[MB_NEWTON_BASIS],
      g[MB_NEWTON_BASIS + 1];
} Krylov;

// Column k of H, whose last number is `size`, turned as those before it; what is left of the residual.
static double turn(Krylov *K, size_t k, double size) {
  for (size_t i = 0; i < k; i++) {
    const double x = K->c[i] * K->H[i][k] + K->q[i] * K->H[i + 1][k];
    K->H[i + 1][k] = K->c[i] * K->H[i + 1][k] - K->q[i] * K->H[i][k];
    K->H[i][k] = x;
  }
  const double r = hypot(K->H[k][k], size);
  K->c[k] = r > 0 ? K->H[k][k] / r : 1, K->q[k] = r > 0 ? size / r : 0;
  K->H[k][k] = r;
  K->g[k + 1] = -K->q[k] * K->g[k], K->g[k] *= K->c[k];
  return fabs(K->g[k + 1]);
}

// The first vector of the basis, along −F less what the known steps do to it. Returns its size.
static double begin(MbNewton *t, double alpha) {
  const MbStrips *s = &t->strips;
  double *V = t->basis;
  product(t, alpha, t->step, V);
  for (size_t j = 0; j < s->nblocks; j++)
    for (size_t r = 0; r < s->block[j].rows; r++) {
      const size_t i = s->block[j].row + r;
      V[i] = t->place[i] ? -t->part[j].F[r] - V[i] : 0;
    }
  const double size = sqrt(dot(V, V, s->n));
  for (size_t i = 0; i < s->n && size > 0; i++) V[i] /= size;
  return size;
}

static bool step_iterative(MbNewton *t, double alpha) {
  static const double CLOSE = 1e-2; // of |F|: the function changes with the step anyway
  const size_t n = t->strips.n;
  double *z = t->trial, *V = t->basis, *x = t->x;
  Krylov K;
  size_t k = 0;
  for (size_t j = 0; j < t->strips.nblocks; j++) invert_block(t, j, alpha, t->inverse + 9 * j);
  const double start = K.g[0] = begin(t, alpha);
  for (bool more = start > 0; more && k < MB_NEWTON_BASIS; k++) {
    double *next = V + (k + 1) * n;
    precondition(t, V + k * n, z);
    product(t, alpha, z, next);
    for (size_t i = 0; i <= k; i++) {
      K.H[i][k] = dot(next, V + i * n, n);
      add(next, -K.H[i][k], V + i * n, n);
    }
    const double size = sqrt(dot(next, next, n));
    more = turn(&K, k, size) > CLOSE * start && size > 0;
    for (size_t l = 0; l < n && more; l++) next[l] /= size;
  }
  for (size_t i = k; i-- > 0;) {
    for (size_t l = i + 1; l < k; l++) K.g[i] -= K.H[i][l] * K.g[l];
    K.g[i] = K.H[i][i] > 0 ? K.g[i] / K.H[i][i] : 0;
  }
  memset(x, 0, n * sizeof *x);
  for (size_t i = 0; i < k; i++) add(x, K.g[i], V + i * n, n);
  precondition(t, x, z);
  for (size_t i = 0; i < n; i++) {
    if (!isfinite(z[i])) return false;
    if (t->place[i]) t->step[i] = z[i];
  }
  return true;
}

bool mb_newton_step(MbNewton *t, double alpha) {
  const size_t m = sort(t);
  if (!m) return true;
  return t->J ? step_dense(t, m, alpha) : step_iterative(t, alpha);
}
