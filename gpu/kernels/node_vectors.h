// Vectors of all nodes (n x 3), of the free ones among them (nfree x 3), and of numbers, one a thread: what a step of
// core/solvers/projective is made of beside its elements and its inverse.
#ifndef MB_GPU_KERNELS_NODE_VECTORS_H
#define MB_GPU_KERNELS_NODE_VECTORS_H

#include "gpu/kernels/kernel_body.h"

#include "core/math/vec3.h"

enum { MB_GPU_PAIRS = 5 };

typedef struct MbNodeArgs {
  double h, t;
  double gravity[3];
  const uint32_t *node;        // (nfree) its number among all
  const unsigned char *placed; // (n) bits 1, 2, 4: along x, y, z
  const double *mass, *inertia;
  const double *q0, *v0;      // (n x 3) at the start
  const uint32_t *held;       // (n) of a node that is placed, its number among those
  const double *target;       // (those x 3)
  double *ahead, *q, *q1, *f; // (n x 3)
  double *r, *b, *b1, *z, *y; // (nfree x 3) correction, −g, −g at a trial, h² A⁻¹ b, of the next pair
  double *s[MB_GPU_PAIRS], *zs[MB_GPU_PAIRS];
  double weight[2 * MB_GPU_PAIRS]; // of s and z of each pair
  uint32_t next;                   // the pair that is written
  double *energy, *along, *most;   // (nfree) each node's part
  double *apart;                   // (n) how far placed nodes are off q̃
  // the form of bending
  const uint32_t *start, *column; // (n + 1), (entries)
  const double *value;
  double *of_form; // (n) energies
} MbNodeArgs;

MB_BODY void mb_node_ahead(const MbNodeArgs *a, size_t i) {
  const double share = a->mass[i] / a->inertia[i], h = a->h;
  for (int k = 0; k < 3; k++) {
    const size_t c = 3 * i + (size_t)k;
    a->ahead[c] = a->q0[c] + share * (h * a->v0[c] + h * h * a->gravity[k]);
    a->q[c] = a->placed[i] >> k & 1 ? a->target[3 * (size_t)a->held[i] + (size_t)k] : a->ahead[c];
  }
}

// q1 ← what placed nodes are off q̃
MB_BODY void mb_node_jump(const MbNodeArgs *a, size_t i) {
  double most = 0;
  for (int k = 0; k < 3; k++) {
    const size_t c = 3 * i + (size_t)k;
    a->q1[c] = a->placed[i] >> k & 1 ? a->q[c] - a->ahead[c] : 0;
    most = fmax(most, fabs(a->q1[c]));
  }
  a->apart[i] = most;
}

// Q x of a row, by differences of places: rows sum up to 0, which rounding far from the origin must not spoil.
MB_BODY void mb_form_row(const MbNodeArgs *a, size_t i, const double *x, double sum[3]) {
  mb_vec3_set(sum, 0, 0, 0);
  for (uint32_t k = a->start[i]; k < a->start[i + 1]; k++) {
    double d[3];
    mb_vec3_sub(d, x + 3 * (size_t)a->column[k], x + 3 * i);
    mb_vec3_add_scaled(sum, sum, a->value[k], d);
  }
}

// f −= Q q1, with the energy; f −= Q q
MB_BODY void mb_node_form(const MbNodeArgs *a, size_t i) {
  double sum[3];
  mb_form_row(a, i, a->q1, sum);
  mb_vec3_sub(a->f + 3 * i, a->f + 3 * i, sum);
  a->of_form[i] = mb_vec3_dot(sum, a->q1 + 3 * i) / 2;
}
MB_BODY void mb_node_form_local(const MbNodeArgs *a, size_t i) {
  double sum[3];
  mb_form_row(a, i, a->q, sum);
  mb_vec3_sub(a->f + 3 * i, a->f + 3 * i, sum);
}

// r ← h² f of free nodes
MB_BODY void mb_free_pull(const MbNodeArgs *a, size_t n) {
  mb_vec3_scale(a->r + 3 * n, a->h * a->h, a->f + 3 * (size_t)a->node[n]);
}

// b1 ← M/h² (q̃ − q1) + f, 0 along axes that are placed; its product with d, and inertia's energy.
MB_BODY void mb_free_slope(const MbNodeArgs *a, size_t n) {
  const size_t i = a->node[n];
  const double k = a->inertia[i] / (a->h * a->h);
  double energy = 0, along = 0;
  for (int c = 0; c < 3; c++) {
    const double away = a->ahead[3 * i + (size_t)c] - a->q1[3 * i + (size_t)c];
    const double b = a->placed[i] >> c & 1 ? 0 : k * away + a->f[3 * i + (size_t)c];
    a->b1[3 * n + (size_t)c] = b;
    energy += 0.5 * k * away * away;
    along += b * a->r[3 * n + (size_t)c];
  }
  a->energy[n] = energy, a->along[n] = along;
}

// s ← t d of the pair to come, q1 ← q + s
MB_BODY void mb_free_move(const MbNodeArgs *a, size_t n) {
  const size_t i = a->node[n];
  double most = 0;
  for (size_t c = 0; c < 3; c++) {
    const double move = a->t * a->r[3 * n + c];
    a->s[a->next][3 * n + c] = move;
    a->q1[3 * i + c] = a->q[3 * i + c] + move;
    most = fmax(most, fabs(move));
  }
  a->most[n] = most;
}

// q ← q + r; `along`: not a number where q is none
MB_BODY void mb_free_advance(const MbNodeArgs *a, size_t n) {
  const size_t i = a->node[n];
  double most = 0, odd = 0;
  for (size_t c = 0; c < 3; c++) {
    a->q[3 * i + c] += a->r[3 * n + c];
    odd += 0 * a->q[3 * i + c];
    most = fmax(most, fabs(a->r[3 * n + c]));
  }
  a->most[n] = most, a->along[n] = odd;
}

// r and b ← M (q̃ − q) + h² f
MB_BODY void mb_free_left(const MbNodeArgs *a, size_t n) {
  const size_t i = a->node[n];
  for (size_t c = 0; c < 3; c++)
    a->r[3 * n + c] = a->b[3 * n + c] =
        a->inertia[i] * (a->ahead[3 * i + c] - a->q[3 * i + c]) + a->h * a->h * a->f[3 * i + c];
}

// r ← h² b
MB_BODY void mb_free_begin(const MbNodeArgs *a, size_t c) { a->r[c] = a->h * a->h * a->b[c]; }

// y ← b before − b,  z of the pair ← of the former − of the latter, which is noted
MB_BODY void mb_pair_change(const MbNodeArgs *a, size_t c) {
  a->y[c] = a->b1[c] - a->b[c];
  a->zs[a->next][c] = a->z[c] - a->r[c];
  a->z[c] = a->r[c];
}

// z ← d;  d += what the pairs add
MB_BODY void mb_pair_note(const MbNodeArgs *a, size_t c) { a->z[c] = a->r[c]; }
MB_BODY void mb_pair_bend(const MbNodeArgs *a, size_t c) {
  double x = a->r[c];
  for (int k = 0; k < MB_GPU_PAIRS; k++) {
    if (a->weight[2 * k] == 0 && a->weight[2 * k + 1] == 0) continue;
    x += a->weight[2 * k] * a->s[k][c] + a->weight[2 * k + 1] * a->zs[k][c];
  }
  a->r[c] = x;
}

MB_BODY void mb_node_clear(const MbNodeArgs *a, size_t c) { a->f[c] = 0; }
MB_BODY void mb_node_copy(const MbNodeArgs *a, size_t c) { a->q1[c] = a->q[c]; }

#endif
