// W of contacts: branches of points from the inverse's rows, W_s once a step, and products with W. A product is four kernels: what λ pushes each
// point with, what the few columns and bodies sum up to, W_s of all points by a warp a row, and what each contact sees of it (touch_newton.h).
#ifndef MB_GPU_KERNELS_TOUCH_MATRIX_H
#define MB_GPU_KERNELS_TOUCH_MATRIX_H

#include "gpu/kernels/touch_block.h"

enum { mb_hit_gather_NUMBERS = 1, mb_hit_product_NUMBERS = 3 };

// Number k of the branch of place i.
MB_BODY double mb_hit_number(const MbTouchArgs *a, uint32_t i, uint32_t k) {
  return k >= i && a->from[k] <= i ? a->inverse[a->at[k] + i - a->from[k]] : 0;
}

// Number depth × points + point of all branches.
MB_BODY void mb_hit_branch(const MbTouchArgs *a, size_t at) {
  const MbTouchPoint *const point = &a->point[at % a->points];
  const uint32_t d = (uint32_t)(at / a->points);
  uint32_t s = point->n ? a->supernode[point->place[0]] : MB_TOUCH_NONE;
  double sum = 0;
  while (s != MB_TOUCH_NONE && a->node[s].above > d) s = a->node[s].parent;
  if (s != MB_TOUCH_NONE && d < a->node[s].above + a->node[s].columns) {
    const uint32_t k = a->node[s].first + a->node[s].columns - 1 - (d - a->node[s].above);
    for (uint32_t e = 0; e < point->n; e++) sum += point->weight[e] * mb_hit_number(a, point->place[e], k);
  }
  a->branch[at] = sum;
}

// How many numbers of the branches of two points are of the same places: parents come behind their children.
MB_BODY uint32_t mb_hit_common(const MbTouchArgs *a, size_t p, size_t q) {
  if (!a->point[p].n || !a->point[q].n) return 0;
  uint32_t s = a->supernode[a->point[p].place[0]], t = a->supernode[a->point[q].place[0]];
  while (s != t) {
    if (s == MB_TOUCH_NONE || t == MB_TOUCH_NONE) return 0;
    if (s < t)
      s = a->node[s].parent;
    else
      t = a->node[t].parent;
  }
  return s == MB_TOUCH_NONE ? 0 : a->node[s].above + a->node[s].columns;
}

// Number band × points + q: W_s of MB_TOUCH_BAND points with point q.
MB_BODY void mb_hit_between(const MbTouchArgs *a, size_t at) {
  const size_t n = a->points, q = at % n, first = MB_TOUCH_BAND * (at / n);
  uint32_t count[MB_TOUCH_BAND], most = 0;
  double sum[MB_TOUCH_BAND];
  for (uint32_t k = 0; k < MB_TOUCH_BAND; k++) {
    sum[k] = 0, count[k] = first + k < n ? mb_hit_common(a, first + k, q) : 0;
    most = count[k] > most ? count[k] : most;
  }
  for (uint32_t d = 0; d < most; d++) {
    const double s = a->branch[d * n + q];
    for (uint32_t k = 0; k < MB_TOUCH_BAND; k++)
      if (d < count[k]) sum[k] += s * a->branch[d * n + first + k];
  }
  for (uint32_t k = 0; k < MB_TOUCH_BAND && first + k < n; k++) a->Ws[(first + k) * n + q] = sum[k];
}

// ---- products -----------------------------------------------------------------------------------------------------

MB_BODY void mb_hit_push(const MbTouchArgs *a, size_t p) {
  const MbTouchPoint *const point = &a->point[p];
  double f[3] = {0, 0, 0};
  for (size_t c = point->first; c < point->first + point->count; c++)
    for (size_t r = 0; r < 3; r++)
      for (size_t axis = 0; axis < 3; axis++) f[axis] += a->in[3 * c + r] * a->H[9 * c + 3 * r + axis];
  for (size_t axis = 0; axis < 3; axis++) a->g[axis * a->points + p] = f[axis];
}

// One of the few numbers, of all rows.
MB_BODY void mb_hit_gather_part(const MbTouchArgs *a, size_t k, uint32_t lane, double *sum) {
  if (k < a->weights) {
    for (size_t i = lane; i < a->rows; i += MB_WARP) sum[0] += a->NV[i * a->weights + k] * a->in[i];
    return;
  }
  const uint32_t slot = (uint32_t)((k - a->weights) / 6);
  const size_t of = (k - a->weights) % 6;
  for (size_t i = lane; i < a->rows; i += MB_WARP)
    for (size_t e = 0; e < 2; e++)
      if (a->slot[2 * i + e] == slot) sum[0] += a->F[12 * i + 6 * e + of] * a->in[i];
}
MB_BODY double mb_hit_gather_join(const MbTouchArgs *a, size_t k, double one, double other) {
  (void)a, (void)k;
  return one + other;
}
MB_BODY void mb_hit_gather_end(const MbTouchArgs *a, size_t k, const double *sum) { a->y[k] = sum[0]; }

MB_BODY void mb_hit_product_part(const MbTouchArgs *a, size_t p, uint32_t lane, double *sum) {
  const size_t n = a->points;
  const double *const row = a->Ws + p * n;
  for (size_t q = lane; q < n; q += MB_WARP) {
    const double s = row[q];
    sum[0] += s * a->g[q], sum[1] += s * a->g[n + q], sum[2] += s * a->g[2 * n + q];
  }
}
MB_BODY double mb_hit_product_join(const MbTouchArgs *a, size_t p, double one, double other) {
  (void)a, (void)p;
  return one + other;
}
MB_BODY void mb_hit_product_end(const MbTouchArgs *a, size_t p, const double *sum) {
  for (size_t axis = 0; axis < 3; axis++) a->v[axis * a->points + p] = sum[axis];
}

// What row i has through the few columns and bodies, with numbers y of them.
MB_BODY double mb_hit_few(const MbTouchArgs *a, size_t i) {
  double u = 0;
  for (uint32_t k = 0; k < a->weights; k++) u += a->V[i * a->weights + k] * a->y[k];
  for (size_t e = 0; e < 2 && a->numbers > a->weights; e++) {
    const uint32_t slot = a->slot[2 * i + e];
    for (size_t k = 0; k < 6 && slot != MB_TOUCH_NONE; k++)
      u += a->F[12 * i + 6 * e + k] * a->y[a->weights + 6 * (size_t)slot + k];
  }
  return u;
}

// u ← W x of contact c, behind the other kernels.
MB_BODY void mb_hit_seen(const MbTouchArgs *a, size_t c, double u[3]) {
  const size_t p = a->of[c];
  for (size_t r = 0; r < 3; r++) {
    const double *const H = a->H + 9 * c + 3 * r;
    u[r] = H[0] * a->v[p] + H[1] * a->v[a->points + p] + H[2] * a->v[2 * (size_t)a->points + p];
    u[r] += mb_hit_few(a, 3 * c + r) + a->soft[3 * c + r] * a->in[3 * c + r];
  }
}

// What of W two rows of one contact have through columns and bodies.
MB_BODY double mb_hit_apart(const MbTouchArgs *a, size_t i, size_t j) {
  double sum = 0;
  for (uint32_t k = 0; k < a->weights; k++) sum += a->V[i * a->weights + k] * a->NV[j * a->weights + k];
  for (size_t e = 0; e < 4 && a->numbers > a->weights; e++) {
    const size_t p = 2 * i + e / 2, q = 2 * j + e % 2;
    if (a->slot[p] == MB_TOUCH_NONE || a->slot[p] != a->slot[q]) continue;
    for (size_t k = 0; k < 6; k++) sum += a->F[6 * p + k] * a->F[6 * q + k];
  }
  return sum;
}

// A contact's own part of W, and its scale.
MB_BODY void mb_hit_own(const MbTouchArgs *a, size_t c) {
  MbTouchBlock *const block = &a->block[c];
  const size_t p = a->of[c];
  const double s = a->Ws[p * a->points + p];
  for (size_t r = 0; r < 3; r++)
    for (size_t k = 0; k < 3; k++) {
      const double *const H = a->H + 9 * c + 3 * r, *const G = a->H + 9 * c + 3 * k;
      const double through = s * (H[0] * G[0] + H[1] * G[1] + H[2] * G[2]);
      block->D[3 * r + k] =
          through + (mb_hit_apart(a, 3 * c + r, 3 * c + k) + mb_hit_apart(a, 3 * c + k, 3 * c + r)) / 2;
    }
  for (size_t r = 0; r < 3; r++) block->D[4 * r] += a->soft[3 * c + r];
  block->scale = a->mu[c] < 0 ? block->D[0] : (block->D[0] + block->D[4] + block->D[8]) / 3;
  block->out = !(block->D[0] > a->least[c]);
}

#endif
