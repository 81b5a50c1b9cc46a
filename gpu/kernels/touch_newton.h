// Steps of the non-smooth Newton method (core/contact/nonsmooth_newton.c), a thread a contact:
//
//   F + A Δ + B (W + α scale) Δ = 0
//
// Rows whose F is a multiple of their own λ give Δ at once. The rest is solved by generalised conjugate residuals, which for a symmetric system are
// those of Zeng et al., section 5.3: with J the system and P the inverse of each contact's own part, z = P r, J z is made orthogonal to
// the images of the directions before, and x and r take as much of it as leaves the least r. A direction is four kernels: what is left of the last one
// and the new one, sums over few columns and bodies, its image, products of images; all coefficients stay on the device.
#ifndef MB_GPU_KERNELS_TOUCH_NEWTON_H
#define MB_GPU_KERNELS_TOUCH_NEWTON_H

#include "gpu/kernels/touch_matrix.h"

enum {
  mb_hit_image_NUMBERS = 3,
  mb_hit_dots_NUMBERS = 1,
  mb_hit_search_NUMBERS = MB_TOUCH_SUMS,
  mb_hit_natural_NUMBERS = 1,
  mb_hit_energy_NUMBERS = 2
};

// ---- where the method is ------------------------------------------------------------------------------------------

MB_BODY void mb_hit_clamp(const MbTouchArgs *a, size_t c) {
  double l[3];
  for (size_t r = 0; r < 3; r++) l[r] = a->lambda[3 * c + r];
  mb_hit_hold(a, c, l);
  for (size_t r = 0; r < 3; r++) a->trial[3 * c + r] = l[r];
}
// Behind a product with `trial`, or with λ.
MB_BODY void mb_hit_trial_rates(const MbTouchArgs *a, size_t c) {
  double u[3];
  mb_hit_seen(a, c, u);
  for (size_t r = 0; r < 3; r++) a->trial_w[3 * c + r] = u[r] + a->b[3 * c + r];
}
MB_BODY void mb_hit_rates(const MbTouchArgs *a, size_t c) {
  double u[3];
  mb_hit_seen(a, c, u);
  for (size_t r = 0; r < 3; r++) a->w[3 * c + r] = u[r] + a->b[3 * c + r];
}
MB_BODY void mb_hit_keep(const MbTouchArgs *a, size_t i) { a->best[i] = a->trial[i]; }
MB_BODY void mb_hit_take(const MbTouchArgs *a, size_t i) { a->lambda[i] = a->trial[i] = a->best[i]; }
MB_BODY void mb_hit_accept(const MbTouchArgs *a, size_t i) {
  a->lambda[i] += a->t * a->step[i], a->w[i] += a->t * a->along[i];
}

// The natural map of `trial`, squared.
MB_BODY void mb_hit_natural_part(const MbTouchArgs *a, size_t i, uint32_t lane, double *sum) {
  const size_t begin = MB_TOUCH_SOME * i, end = begin + MB_TOUCH_SOME;
  for (size_t c = begin + lane; c < end && c < a->contacts; c += MB_WARP) {
    double out[3];
    if (a->block[c].out) continue;
    mb_hit_natural_of(a, c, a->trial + 3 * c, a->trial_w + 3 * c, out);
    sum[0] += out[0] * out[0] + out[1] * out[1] + out[2] * out[2];
  }
}
MB_BODY double mb_hit_natural_join(const MbTouchArgs *a, size_t i, double one, double other) {
  (void)a, (void)i;
  return one + other;
}
MB_BODY void mb_hit_natural_end(const MbTouchArgs *a, size_t i, const double *sum) { a->told[i] = sum[0]; }

// ---- a step's equations -------------------------------------------------------------------------------------------

// F, A, B and the inverse of the contact's own part; the step of rows that are by themselves.
MB_BODY void mb_hit_look(const MbTouchArgs *a, size_t c) {
  MbTouchBlock *const block = &a->block[c];
  const double *const D = block->D;
  double K[9];
  mb_hit_function(a, c, a->lambda + 3 * c, a->w + 3 * c, block->F, block->A, block->B);
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
  const int whole = mb_hit_invert(K, block->P);
  for (int k = 0; k < 9; k++) {
    if (!whole) block->P[k] = k % 4 == 0 ? 1 / block->scale : 0;
    if (!(block->active >> (k / 3) & 1)) block->P[k] = 0;
  }
}

// out ← J x of the rows of the equations, behind a product with x.
MB_BODY void mb_hit_system(const MbTouchArgs *a, size_t c, double out[3]) {
  const MbTouchBlock *const block = &a->block[c];
  const double *const x = a->in + 3 * c;
  double u[3];
  mb_hit_seen(a, c, u);
  for (int r = 0; r < 3; r++) u[r] += a->alpha * block->scale * x[r];
  for (int r = 0; r < 3; r++) {
    double sum = 0;
    for (int k = 0; k < 3; k++) sum += block->A[3 * r + k] * x[k] + block->B[3 * r + k] * u[k];
    out[r] = block->active >> r & 1 ? sum : 0;
  }
}

// r ← −F less what the known steps do, x ← 0; behind a product with them.
MB_BODY void mb_hit_left(const MbTouchArgs *a, size_t c) {
  const MbTouchBlock *const block = &a->block[c];
  double out[3];
  mb_hit_system(a, c, out);
  for (int r = 0; r < 3; r++) {
    a->r[3 * c + (size_t)r] = block->active >> r & 1 ? -block->F[r] - out[r] : 0;
    a->x[3 * c + (size_t)r] = 0;
  }
}

// ---- conjugate residuals ------------------------------------------------------------------------------------------

MB_BODY double mb_hit_sum(const double *part, uint32_t chunks) {
  double sum = 0;
  for (uint32_t k = 0; k < chunks; k++) sum += part[k];
  return sum;
}

// Makes the newest direction of contact c orthogonal to those before, by products that stand in `dot`, and x and r take their share of it. What is
// left of the image's square is what the products take off it; r is orthogonal to the images before.
MB_BODY double mb_hit_turn(const MbTouchArgs *a, size_t c) {
  static const double DEPENDENT = 1e-12;
  const uint32_t j = a->basis - 1, chunks = a->chunks;
  const size_t n = a->rows;
  double *const z = a->direction + j * n + 3 * c, *const y = a->image + j * n + 3 * c;
  const double whole = mb_hit_sum(a->dot + (size_t)j * chunks, chunks);
  double square = whole;
  for (uint32_t k = 0; k < j; k++) {
    const double product = mb_hit_sum(a->dot + (size_t)k * chunks, chunks), of = a->square[k];
    const double by = of > 0 ? product / of : 0;
    square -= by * product;
    for (size_t r = 0; r < 3; r++)
      z[r] -= by * a->direction[k * n + 3 * c + r], y[r] -= by * a->image[k * n + 3 * c + r];
  }
  if (!(square > DEPENDENT * whole)) return 0;
  const double share = mb_hit_sum(a->dot + ((size_t)j + 1) * chunks, chunks) / square;
  for (size_t r = 0; r < 3; r++) a->x[3 * c + r] += share * z[r], a->r[3 * c + r] -= share * y[r];
  return square;
}

// The next direction of a point's contacts begins, P r, and what it pushes the point with.
MB_BODY void mb_hit_next(const MbTouchArgs *a, size_t p) {
  const MbTouchPoint *const point = &a->point[p];
  double f[3] = {0, 0, 0};
  for (size_t c = point->first; c < point->first + point->count; c++) {
    const double square = a->basis ? mb_hit_turn(a, c) : 0;
    if (a->basis && c == 0) a->square[a->basis - 1] = square; // who reads it comes later
    const double *const P = a->block[c].P, *const r = a->r + 3 * c;
    for (size_t k = 0; k < 3; k++) {
      const double z = P[3 * k] * r[0] + P[3 * k + 1] * r[1] + P[3 * k + 2] * r[2];
      a->direction[(size_t)a->basis * a->rows + 3 * c + k] = z;
      for (size_t axis = 0; axis < 3; axis++) f[axis] += z * a->H[9 * c + 3 * k + axis];
    }
  }
  for (size_t axis = 0; axis < 3; axis++) a->g[axis * a->points + p] = f[axis];
}
// The step is that.
MB_BODY void mb_hit_last(const MbTouchArgs *a, size_t c) {
  (void)mb_hit_turn(a, c);
  for (size_t r = 0; r < 3; r++)
    if (a->block[c].active >> r & 1) a->step[3 * c + r] = a->x[3 * c + r];
}

// The image of the newest direction, by the warp of its point.
MB_BODY void mb_hit_image_part(const MbTouchArgs *a, size_t p, uint32_t lane, double *sum) {
  mb_hit_product_part(a, p, lane, sum);
}
MB_BODY double mb_hit_image_join(const MbTouchArgs *a, size_t p, double one, double other) {
  (void)a, (void)p;
  return one + other;
}
MB_BODY void mb_hit_image_end(const MbTouchArgs *a, size_t p, const double *sum) {
  const MbTouchPoint *const point = &a->point[p];
  mb_hit_product_end(a, p, sum);
  for (size_t c = point->first; c < point->first + point->count; c++) {
    double out[3];
    mb_hit_system(a, c, out);
    for (size_t r = 0; r < 3; r++) a->image[(size_t)a->basis * a->rows + 3 * c + r] = out[r];
  }
}

// Number k × chunks + chunk: products of the newest image with image k, with itself, and with r.
MB_BODY void mb_hit_dots_part(const MbTouchArgs *a, size_t at, uint32_t lane, double *sum) {
  const size_t n = a->rows, k = at / a->chunks;
  const size_t begin = MB_TOUCH_CHUNK * (at % a->chunks), end = begin + MB_TOUCH_CHUNK;
  const double *const one = a->image + a->basis * n, *const other = k > a->basis ? a->r : a->image + k * n;
  for (size_t i = begin + lane; i < end && i < n; i += MB_WARP) sum[0] += one[i] * other[i];
}
MB_BODY double mb_hit_dots_join(const MbTouchArgs *a, size_t at, double one, double other) {
  (void)a, (void)at;
  return one + other;
}
MB_BODY void mb_hit_dots_end(const MbTouchArgs *a, size_t at, const double *sum) { a->dot[at] = sum[0]; }

// ---- how far to go ------------------------------------------------------------------------------------------------

// Behind a product with the step.
MB_BODY void mb_hit_along(const MbTouchArgs *a, size_t c) {
  double u[3];
  mb_hit_seen(a, c, u);
  for (size_t r = 0; r < 3; r++) a->along[3 * c + r] = u[r];
}

// |F|² where no step, all of it, a half, … is taken, and last |r|².
MB_BODY void mb_hit_search_part(const MbTouchArgs *a, size_t i, uint32_t lane, double *sum) {
  const size_t begin = MB_TOUCH_SOME * i, end = begin + MB_TOUCH_SOME;
  for (size_t c = begin + lane; c < end && c < a->contacts; c += MB_WARP) {
    double t = 0;
    for (int k = 0; k <= MB_TOUCH_TRIES; k++) {
      double l[3], w[3], F[3], A[9], B[9];
      for (size_t r = 0; r < 3; r++)
        l[r] = a->lambda[3 * c + r] + t * a->step[3 * c + r],
        w[r] = a->w[3 * c + r] + t * a->along[3 * c + r];
      mb_hit_function(a, c, l, w, F, A, B);
      sum[k] += F[0] * F[0] + F[1] * F[1] + F[2] * F[2];
      t = k ? t / 2 : 1;
    }
    for (size_t r = 0; r < 3; r++) sum[MB_TOUCH_SUMS - 1] += a->r[3 * c + r] * a->r[3 * c + r];
  }
}
MB_BODY double mb_hit_search_join(const MbTouchArgs *a, size_t i, double one, double other) {
  (void)a, (void)i;
  return one + other;
}
MB_BODY void mb_hit_search_end(const MbTouchArgs *a, size_t i, const double *sum) {
  for (size_t k = 0; k < MB_TOUCH_SUMS; k++) a->told[k * a->somes + i] = sum[k];
}

// Away from where no step makes F smaller: to the nearest point of the cones from λ − ρ û, as far as the energy falls.
MB_BODY void mb_hit_aside(const MbTouchArgs *a, size_t c) {
  double l[3], out[3] = {0, 0, 0};
  for (size_t r = 0; r < 3; r++) l[r] = a->lambda[3 * c + r];
  mb_hit_hold(a, c, l);
  if (!a->block[c].out) mb_hit_natural_of(a, c, l, a->w + 3 * c, out);
  for (size_t r = 0; r < 3; r++)
    a->step[3 * c + r] = l[r] - a->lambda[3 * c + r] - (a->block[c].out ? 0 : out[r] / a->block[c].scale);
}
MB_BODY void mb_hit_energy_part(const MbTouchArgs *a, size_t i, uint32_t lane, double *sum) {
  const size_t begin = 3 * MB_TOUCH_SOME * i, end = begin + 3 * MB_TOUCH_SOME;
  for (size_t k = begin + lane; k < end && k < a->rows; k += MB_WARP)
    sum[0] += a->step[k] * a->w[k], sum[1] += a->step[k] * a->along[k];
}
MB_BODY double mb_hit_energy_join(const MbTouchArgs *a, size_t i, double one, double other) {
  (void)a, (void)i;
  return one + other;
}
MB_BODY void mb_hit_energy_end(const MbTouchArgs *a, size_t i, const double *sum) {
  a->told[i] = sum[0], a->told[a->somes + i] = sum[1];
}

#endif
