// Nodes that rows act on (core/solvers/projective/pd_ports.h): their places, columns of the matrix's inverse, and what impulses at them make
// of all free nodes.
#ifndef MB_GPU_KERNELS_PORT_VECTORS_H
#define MB_GPU_KERNELS_PORT_VECTORS_H

#include "gpu/kernels/kernel_body.h"

#define MB_PORT_NONE UINT32_MAX

// What pushes a free node, by the column that it has.
typedef struct MbPortPush {
  double by[3];
  uint32_t number, column;
} MbPortPush;

typedef struct MbPortArgs {
  size_t nfree;
  double share;
  uint32_t width, count;         // numbers of a column for each node, 1 or 3; nodes in the list
  uint32_t npushes, first, axis; // of the list that are pushed; see the kernels
  uint32_t one[3], column;       // see mb_port_one, mb_port_keep
  const uint32_t *node;          // (count) its number among all
  const uint32_t *number;        // (count) among the free nodes; MB_PORT_NONE: it is placed
  const uint32_t *of;            // (count) its column; MB_PORT_NONE
  const MbPortPush *push;        // (npushes)
  const double *q, *from;        // (n x 3), (nfree x 3) what is read
  double *to;                    // (nfree x 3) what is changed
  double *told;                  // what comes back
  double *solution;              // (nfree x 3)
  double *columns;               // (columns x nfree x width)
} MbPortArgs;

// told ← q + share r of the listed nodes; numbers of `from` there
MB_BODY void mb_port_read(const MbPortArgs *a, size_t k) {
  const size_t i = 3 * (size_t)a->node[k];
  for (size_t c = 0; c < 3; c++) {
    const double r = a->number[k] == MB_PORT_NONE ? 0 : a->from[3 * (size_t)a->number[k] + c];
    a->told[3 * k + c] = a->q[i + c] + a->share * r;
  }
}
MB_BODY void mb_port_gather(const MbPortArgs *a, size_t k) {
  for (size_t c = 0; c < 3; c++)
    a->told[3 * k + c] = a->number[k] == MB_PORT_NONE ? 0 : a->from[3 * (size_t)a->number[k] + c];
}

MB_BODY void mb_port_clear(const MbPortArgs *a, size_t c) { a->to[c] = 0; }
// Along axis c a node of that axis is 1, if there is one.
MB_BODY void mb_port_one(const MbPortArgs *a, size_t c) {
  if (a->one[c] != MB_PORT_NONE) a->solution[3 * (size_t)a->one[c] + c] = 1;
}
// Keeps the solution as a column: of one axis, or of all.
MB_BODY void mb_port_keep(const MbPortArgs *a, size_t i) {
  double *const column = a->columns + a->column * a->nfree * a->width;
  column[i] = a->solution[a->width == 1 ? 3 * i + a->axis : i];
}

// Rows of S from that of node `first` on, of which each has a column; the row that the solution is.
MB_BODY void mb_port_answer(const MbPortArgs *a, size_t at) {
  const size_t row = (size_t)a->count * a->width, k = a->first + at / row, i = at % row / a->width;
  double S = 0;
  if (a->number[i] != MB_PORT_NONE && a->of[k] != MB_PORT_NONE)
    S = a->columns[a->of[k] * a->nfree * a->width + (size_t)a->number[i] * a->width + at % a->width];
  a->told[at] = S;
}
MB_BODY void mb_port_answer_solved(const MbPortArgs *a, size_t at) {
  const size_t i = at / a->width;
  a->told[at] = a->number[i] == MB_PORT_NONE ? 0 : a->solution[3 * (size_t)a->number[i] + at % a->width];
}

// `to` += what pushes, at the nodes themselves; `to` += the columns of what pushes, or the solution
MB_BODY void mb_port_spread(const MbPortArgs *a, size_t k) {
  for (size_t c = 0; c < 3; c++) a->to[3 * (size_t)a->push[k].number + c] += a->push[k].by[c];
}
MB_BODY void mb_port_push(const MbPortArgs *a, size_t f) {
  double x[3];
  for (size_t c = 0; c < 3; c++) x[c] = a->to[3 * f + c];
  for (uint32_t k = 0; k < a->npushes; k++) {
    const MbPortPush *const push = &a->push[k];
    const double *const column = a->columns + (push->column * a->nfree + f) * a->width;
    for (size_t c = 0; c < 3; c++) x[c] += push->by[c] * column[a->width == 1 ? 0 : c];
  }
  for (size_t c = 0; c < 3; c++) a->to[3 * f + c] = x[c];
}
MB_BODY void mb_port_add(const MbPortArgs *a, size_t c) { a->to[c] += a->solution[c]; }

#endif
