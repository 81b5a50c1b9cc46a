// Steps of the non-smooth Newton method (core/contact/nonsmooth_newton.c), a thread a contact:
//
//   F + A Δ + B (W + α scale) Δ = 0
//
// Rows whose F is a multiple of their own λ give Δ at once. The rest is solved by generalised conjugate residuals, which for a symmetric system are
// those of Zeng et al., section 5.3: with J the system and P the inverse of each contact's own part, z = P r, J z is made orthogonal to
// the images of the directions before, and x and r take as much of it as leaves the least r. All coefficients stay on the device.
#ifndef MB_GPU_KERNELS_TOUCH_NEWTON_H
#define MB_GPU_KERNELS_TOUCH_NEWTON_H

#include "gpu/kernels/touch_matrix.h"

enum {
  mb_touch_dots_NUMBERS = 1,
  mb_touch_lengths_NUMBERS = 3,
  mb_touch_search_NUMBERS = MB_TOUCH_SUMS,
  mb_touch_natural_NUMBERS = 1,
  mb_touch_energy_NUMBERS = 2
};

// ---- where the method is ------------------------------------------------------------------------------------------

MB_BODY void mb_touch_clamp(const MbTouchArgs *a, size_t c) {
  double l[3];
  for (size_t r = 0; r < 3; r++) l[r] = a->lambda[3 * c + r];
  mb_touch_hold(a, c, l);
  for (size_t r = 0; r < 3; r++) a->trial[3 * c + r] = l[r];
}
// Behind a product with `trial`, or with λ.
MB_BODY void mb_touch_trial_rates(const MbTouchArgs *a, size_t c) {
  double u[3];
  mb_touch_seen(a, c, u);
  for (size_t r = 0; r < 3; r++) a->trial_w[3 * c + r] = u[r] + a->b[3 * c + r];
}
MB_BODY void mb_touch_rates(const MbTouchArgs *a, size_t c) {
  double u[3];
  mb_touch_seen(a, c, u);
  for (size_t r = 0; r < 3; r++) a->w[3 * c + r] = u[r] + a->b[3 * c + r];
}
MB_BODY void mb_touch_keep(const MbTouchArgs *a, size_t i) { a->best[i] = a->trial[i]; }
MB_BODY void mb_touch_take(const MbTouchArgs *a, size_t i) { a->lambda[i] = a->trial[i] = a->best[i]; }
MB_BODY void mb_touch_accept(const MbTouchArgs *a, size_t i) {
  a->lambda[i] += a->t * a->step[i], a->w[i] += a->t * a->along[i];
}

// The natural map of `trial`, squared.
MB_BODY void mb_touch_natural_part(const MbTouchArgs *a, size_t i, uint32_t lane, double *sum) {
  const size_t begin = MB_TOUCH_SOME * i, end = begin + MB_TOUCH_SOME;
  for (size_t c = begin + lane; c < end && c < a->contacts; c += MB_WARP) {
    double out[3];
    if (a->block[c].out) continue;
    mb_touch_natural_of(a, c, a->trial + 3 * c, a->trial_w + 3 * c, out);
    sum[0] += out[0] * out[0] + out[1] * out[1] + out[2] * out[2];
  }
}
MB_BODY double mb_touch_natural_join(const MbTouchArgs *a, size_t i, double one, double other) {
  (void)a, (void)i;
  return one + other;
}
MB_BODY void mb_touch_natural_end(const MbTouchArgs *a, size_t i, const double *sum) { a->told[i] = sum[0]; }

// ---- a step's equations -------------------------------------------------------------------------------------------

// F, A, B and the inverse of the contact's own part; the step of rows that are by themselves.
MB_BODY void mb_touch_look(const MbTouchArgs *a, size_t c) {
  MbTouchBlock *const block = &a->block[c];
  const double *const D = block->D;
  double K[9];
  mb_touch_function(a, c, a->lambda + 3 * c, a->w + 3 * c, block->F, block->A, block->B);
  block->active = 0;
  for (int r = 0; r < 3; r++) {
    const double *const A = block->A + 3 * r, *const B = block->B + 3 * r;
    int alone = 1;
    for (int k = 0; k < 3; k++) alone = alone && B[k] == 0 && (k == r || A[k] == 0);
    a->step[3 * c + (size_t)r] = alone ? -block->F[r] / A[r] : 0;
    if (!alone) block->active |= 1u << r;
  }
  for (int r = 0; r < 3; r++)
    for (int k = 0; k < 3; k++) {
      double sum = block->A[3 * r + k] + a->alpha * block->scale * block->B[3 * r + k];
      for (int l = 0; l < 3; l++) sum += block->B[3 * r + l] * D[3 * l + k];
      K[3 * r + k] = (block->active >> r & 1) && (block->active >> k & 1) ? sum : r == k;
    }
  const int whole = mb_touch_invert(K, block->P);
  for (int k = 0; k < 9; k++) {
    if (!whole) block->P[k] = k % 4 == 0 ? 1 / block->scale : 0;
    if (!(block->active >> (k / 3) & 1)) block->P[k] = 0;
  }
}

// out ← J x of the rows of the equations, behind a product with x.
MB_BODY void mb_touch_system(const MbTouchArgs *a, size_t c, double out[3]) {
  const MbTouchBlock *const block = &a->block[c];
  const double *const x = a->in + 3 * c;
  double u[3];
  mb_touch_seen(a, c, u);
  for (int r = 0; r < 3; r++) u[r] += a->alpha * block->scale * x[r];
  for (int r = 0; r < 3; r++) {
    double sum = 0;
    for (int k = 0; k < 3; k++) sum += block->A[3 * r + k] * x[k] + block->B[3 * r + k] * u[k];
    out[r] = block->active >> r & 1 ? sum : 0;
  }
}

// r ← −F less what the known steps do, x ← 0; behind a product with them.
MB_BODY void mb_touch_left(const MbTouchArgs *a, size_t c) {
  const MbTouchBlock *const block = &a->block[c];
  double out[3];
  mb_touch_system(a, c, out);
  for (int r = 0; r < 3; r++) {
    a->r[3 * c + (size_t)r] = block->active >> r & 1 ? -block->F[r] - out[r] : 0;
    a->x[3 * c + (size_t)r] = 0;
  }
}

// ---- conjugate residuals ------------------------------------------------------------------------------------------

MB_BODY double mb_touch_sum(const double *part, uint32_t chunks) {
  double sum = 0;
  for (uint32_t k = 0; k < chunks; k++) sum += part[k];
  return sum;
}

// How much of direction j x and r take.
MB_BODY double mb_touch_share(const MbTouchArgs *a, uint32_t j) {
  const double *const pair = a->pair + (size_t)3 * j * a->chunks;
  const double square = mb_touch_sum(pair, a->chunks);
  return square > 0 ? mb_touch_sum(pair + a->chunks, a->chunks) / square : 0;
}

// x and r take their share of the last direction, if there is one.
MB_BODY void mb_touch_move(const MbTouchArgs *a, size_t c) {
  const size_t n = a->rows;
  if (!a->basis) return;
  const double share = mb_touch_share(a, a->basis - 1);
  for (size_t i = 3 * c; i < 3 * c + 3; i++) {
    a->x[i] += share * a->direction[(a->basis - 1) * n + i];
    a->r[i] -= share * a->image[(a->basis - 1) * n + i];
  }
}
// And the next one begins: P r.
MB_BODY void mb_touch_next(const MbTouchArgs *a, size_t c) {
  const double *const P = a->block[c].P, *const r = a->r + 3 * c;
  mb_touch_move(a, c);
  for (int k = 0; k < 3; k++)
    a->direction[(size_t)a->basis * a->rows + 3 * c + (size_t)k] =
        P[3 * k] * r[0] + P[3 * k + 1] * r[1] + P[3 * k + 2] * r[2];
}
// The step is that.
MB_BODY void mb_touch_last(const MbTouchArgs *a, size_t c) {
  mb_touch_move(a, c);
  for (size_t r = 0; r < 3; r++)
    if (a->block[c].active >> r & 1) a->step[3 * c + r] = a->x[3 * c + r];
}

MB_BODY void mb_touch_image(const MbTouchArgs *a, size_t c) {
  double out[3];
  mb_touch_system(a, c, out);
  for (size_t r = 0; r < 3; r++) a->image[(size_t)a->basis * a->rows + 3 * c + r] = out[r];
}

// Number j × chunks + chunk: products of the newest image with image j.
MB_BODY void mb_touch_dots_part(const MbTouchArgs *a, size_t at, uint32_t lane, double *sum) {
  const size_t n = a->rows, begin = MB_TOUCH_CHUNK * (at % a->chunks), end = begin + MB_TOUCH_CHUNK;
  const double *const one = a->image + a->basis * n, *const other = a->image + at / a->chunks * n;
  for (size_t i = begin + lane; i < end && i < n; i += MB_WARP) sum[0] += one[i] * other[i];
}
MB_BODY double mb_touch_dots_join(const MbTouchArgs *a, size_t at, double one, double other) {
  (void)a, (void)at;
  return one + other;
}
MB_BODY void mb_touch_dots_end(const MbTouchArgs *a, size_t at, const double *sum) { a->dot[at] = sum[0]; }

MB_BODY void mb_touch_orthogonal(const MbTouchArgs *a, size_t i) {
  const size_t n = a->rows;
  double z = a->direction[a->basis * n + i], y = a->image[a->basis * n + i];
  for (uint32_t j = 0; j < a->basis; j++) {
    const double square = mb_touch_sum(a->pair + (size_t)3 * j * a->chunks, a->chunks);
    const double by = square > 0 ? mb_touch_sum(a->dot + (size_t)j * a->chunks, a->chunks) / square : 0;
    z -= by * a->direction[j * n + i], y -= by * a->image[j * n + i];
  }
  a->direction[a->basis * n + i] = z, a->image[a->basis * n + i] = y;
}

// Squares of the newest image, its products with r, squares of r; by chunks.
MB_BODY void mb_touch_lengths_part(const MbTouchArgs *a, size_t chunk, uint32_t lane, double *sum) {
  const size_t n = a->rows, begin = MB_TOUCH_CHUNK * chunk, end = begin + MB_TOUCH_CHUNK;
  const double *const y = a->image + a->basis * n;
  for (size_t i = begin + lane; i < end && i < n; i += MB_WARP) {
    sum[0] += y[i] * y[i], sum[1] += y[i] * a->r[i], sum[2] += a->r[i] * a->r[i];
  }
}
MB_BODY double mb_touch_lengths_join(const MbTouchArgs *a, size_t chunk, double one, double other) {
  (void)a, (void)chunk;
  return one + other;
}
MB_BODY void mb_touch_lengths_end(const MbTouchArgs *a, size_t chunk, const double *sum) {
  for (size_t k = 0; k < 3; k++) a->pair[(3 * (size_t)a->basis + k) * a->chunks + chunk] = sum[k];
}

// ---- how far to go ------------------------------------------------------------------------------------------------

// Behind a product with the step.
MB_BODY void mb_touch_along(const MbTouchArgs *a, size_t c) {
  double u[3];
  mb_touch_seen(a, c, u);
  for (size_t r = 0; r < 3; r++) a->along[3 * c + r] = u[r];
}

// |F|² where no step, all of it, a half, … is taken, and last |r|².
MB_BODY void mb_touch_search_part(const MbTouchArgs *a, size_t i, uint32_t lane, double *sum) {
  const size_t begin = MB_TOUCH_SOME * i, end = begin + MB_TOUCH_SOME;
  for (size_t c = begin + lane; c < end && c < a->contacts; c += MB_WARP) {
    double t = 0;
    for (int k = 0; k <= MB_TOUCH_TRIES; k++) {
      double l[3], w[3], F[3], A[9], B[9];
      for (size_t r = 0; r < 3; r++)
        l[r] = a->lambda[3 * c + r] + t * a->step[3 * c + r], w[r] = a->w[3 * c + r] + t * a->along[3 * c + r];
      mb_touch_function(a, c, l, w, F, A, B);
      sum[k] += F[0] * F[0] + F[1] * F[1] + F[2] * F[2];
      t = k ? t / 2 : 1;
    }
    for (size_t r = 0; r < 3; r++) sum[MB_TOUCH_SUMS - 1] += a->r[3 * c + r] * a->r[3 * c + r];
  }
}
MB_BODY double mb_touch_search_join(const MbTouchArgs *a, size_t i, double one, double other) {
  (void)a, (void)i;
  return one + other;
}
MB_BODY void mb_touch_search_end(const MbTouchArgs *a, size_t i, const double *sum) {
  for (size_t k = 0; k < MB_TOUCH_SUMS; k++) a->told[k * a->somes + i] = sum[k];
}

// Away from where no step makes F smaller: to the nearest point of the cones from λ − ρ û, as far as the energy falls.
MB_BODY void mb_touch_aside(const MbTouchArgs *a, size_t c) {
  double l[3], out[3] = {0, 0, 0};
  for (size_t r = 0; r < 3; r++) l[r] = a->lambda[3 * c + r];
  mb_touch_hold(a, c, l);
  if (!a->block[c].out) mb_touch_natural_of(a, c, l, a->w + 3 * c, out);
  for (size_t r = 0; r < 3; r++)
    a->step[3 * c + r] = l[r] - a->lambda[3 * c + r] - (a->block[c].out ? 0 : out[r] / a->block[c].scale);
}
MB_BODY void mb_touch_energy_part(const MbTouchArgs *a, size_t i, uint32_t lane, double *sum) {
  const size_t begin = 3 * MB_TOUCH_SOME * i, end = begin + 3 * MB_TOUCH_SOME;
  for (size_t k = begin + lane; k < end && k < a->rows; k += MB_WARP)
    sum[0] += a->step[k] * a->w[k], sum[1] += a->step[k] * a->along[k];
}
MB_BODY double mb_touch_energy_join(const MbTouchArgs *a, size_t i, double one, double other) {
  (void)a, (void)i;
  return one + other;
}
MB_BODY void mb_touch_energy_end(const MbTouchArgs *a, size_t i, const double *sum) {
  a->told[i] = sum[0], a->told[a->somes + i] = sum[1];
}

#endif
