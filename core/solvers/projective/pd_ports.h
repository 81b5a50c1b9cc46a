// The list of nodes that a step's rows act on, and which of them have a column of the matrix's inverse (pd_ports.c). Columns' numbers are
// the mover's: on the processor they are here, a device has its own.
#ifndef MB_SOLVERS_PROJECTIVE_PD_PORTS_H
#define MB_SOLVERS_PROJECTIVE_PD_PORTS_H

#include "core/solvers/projective/pd_engine.h"

typedef struct MbPdColumn {
  double *x;     // (nfree x width) on the processor
  uint32_t node; // whose it is
  size_t named;  // number of the list that has named it last
} MbPdColumn;

struct MbPdPorts {
  size_t width; // numbers of a column for each node: 1, or 3
  size_t fixed; // ports
  size_t most;  // columns at most
  size_t ncolumns, room;
  MbPdColumn *column; // (ncolumns)
  uint32_t *of;       // (nodes) which column is a node's; MB_NONE
  size_t list;        // number of the list
  size_t count;       // nodes in it
  uint32_t *node;     // (count)
  double *S;          // (count x count x width)
  double *place;      // (count x 3)
  size_t nodes, nS, nplace;
  double *solution; // (nfree x 3) on the processor
};

// Tells which column node k of the list has; MB_NONE: none, or it is placed.
static inline uint32_t mb_pd_column_of(const MbPdPorts *ports, size_t k) { return ports->of[ports->node[k]]; }

#endif
