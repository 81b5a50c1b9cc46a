// One step of the non-smooth Newton method, F + A Δ + B W Δ = 0 with block diagonal A and B.
//
// Rows whose F is a multiple of their own λ alone (contacts that are open, friction without a load) give Δ at once and leave the
// system. What is left is factored where it is small. Where it is large A and B are lagged and diagonal, B > 0 in what is left, and
//   (W + B⁻¹ A) Δ = −B⁻¹ F
// is symmetric and positive semidefinite: the conjugate residual method, preconditioned by the diagonal (ZF 5.3).
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

// Adds `number` times the step of row c to the row at place `at`: to the matrix, or to the other side where the step is known.
static void put(MbNewton *t, size_t m, size_t at, size_t c, double number) {
  if (t->place[c])
    t->J[(t->place[c] - 1) * m + at] += number;
  else
    t->x[at] -= number * t->step[c];
}

static bool step_dense(MbNewton *t, size_t m, double alpha) {
  const MbStrips *s = &t->strips;
  memset(t->J, 0, m * m * sizeof *t->J);
  for (size_t j = 0; j < s->nblocks; j++) {
    const MbBlock *block = &s->block[j];
    const MbNewtonBlock *part = &t->part[j];
    const size_t rows = block->rows;
    for (size_t r = 0; r < rows; r++) {
      if (!t->place[block->row + r]) continue;
      const size_t at = t->place[block->row + r] - 1;
      const double *A = part->A + rows * r, *B = part->B + rows * r;
      t->x[at] = -part->F[r];
      const double *value = s->value + s->at[j];
      for (size_t k = s->first[j]; k < s->first[j + 1]; k++, value += rows) {
        double number = B[0] * value[0];
        for (size_t l = 1; l < rows; l++) number += B[l] * value[l];
        put(t, m, at, s->column[k], number);
      }
      for (size_t c = 0; c < rows; c++) put(t, m, at, block->row + c, A[c] + alpha * block->scale * B[c]);
    }
  }
  if (!mb_dense_solve(t->J, t->x, t->pivot, m)) return false;
  for (size_t i = 0; i < m; i++) {
    if (!isfinite(t->x[i])) return false;
    t->step[t->active[i]] = t->x[i];
  }
  return true;
}

// out ← (W + shift) x in the rows of the system; x is zero elsewhere
static void product(const MbNewton *t, const double *x, double *out) {
  const MbStrips *s = &t->strips;
  mb_strips_rates(s, x, out);
  for (size_t i = 0; i < s->n; i++) out[i] = t->place[i] ? out[i] - s->b[i] + t->shift[i] * x[i] : 0;
}

static double dot(const double *a, const double *b, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

static bool step_iterative(MbNewton *t, double alpha) {
  enum { TURNS = 60 };
  static const double CLOSE = 1e-3; // of |F|: the function changes with the step anyway
  const MbStrips *s = &t->strips;
  const size_t n = s->n;
  double *r = t->residual, *p = t->along, *Ap = t->product, *Az = t->next, *z = t->trial, *x = t->x;
  // z is the preconditioned residual; the known steps are felt by the others
  memset(x, 0, n * sizeof *x);
  mb_strips_rates(s, t->step, r);
  double start = 0;
  for (size_t j = 0; j < s->nblocks; j++)
    for (size_t k = 0; k < s->block[j].rows; k++) {
      const size_t i = s->block[j].row + k, d = (s->block[j].rows + 1) * k;
      const MbNewtonBlock *part = &t->part[j];
      if (!t->place[i]) {
        r[i] = z[i] = t->shift[i] = 0;
        continue;
      }
      t->shift[i] = part->A[d] / part->B[d] + alpha * s->block[j].scale;
      t->diagonal[i] = s->block[j].D[d] + t->shift[i];
      r[i] = -part->F[k] / part->B[d] - (r[i] - s->b[i]);
      z[i] = r[i] / t->diagonal[i];
      start += r[i] * z[i];
    }
  memcpy(p, z, n * sizeof *p);
  product(t, z, Az);
  memcpy(Ap, Az, n * sizeof *Ap);
  double zAz = dot(z, Az, n);
  for (int turn = 0; turn < TURNS && zAz > 0; turn++) {
    double size = 0;
    for (size_t i = 0; i < n; i++)
      if (t->place[i]) size += Ap[i] * Ap[i] / t->diagonal[i];
    const double way = zAz / size;
    double left = 0;
    for (size_t i = 0; i < n; i++) {
      if (!t->place[i]) continue;
      x[i] += way * p[i];
      r[i] -= way * Ap[i];
      z[i] = r[i] / t->diagonal[i];
      left += r[i] * z[i];
    }
    if (left <= CLOSE * CLOSE * start) break;
    product(t, z, Az);
    const double now = dot(z, Az, n), beta = now / zAz;
    zAz = now;
    for (size_t i = 0; i < n; i++) p[i] = z[i] + beta * p[i], Ap[i] = Az[i] + beta * Ap[i];
  }
  for (size_t i = 0; i < n; i++) {
    if (!isfinite(x[i])) return false;
    if (t->place[i]) t->step[i] = x[i];
  }
  return true;
}

bool mb_newton_step(MbNewton *t, double alpha) {
  const size_t m = sort(t);
  if (!m) return true;
  return t->derivatives == MB_NEWTON_EXACT ? step_dense(t, m, alpha) : step_iterative(t, alpha);
}
