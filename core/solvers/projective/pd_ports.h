// The list of nodes that a step's rows act on, and which of them have a column of the matrix's inverse (pd_ports.c), or a branch of one
// (pd_branches.c). Columns' numbers are the mover's: on the processor they are here, a device has its own.
#ifndef MB_SOLVERS_PROJECTIVE_PD_PORTS_H
#define MB_SOLVERS_PROJECTIVE_PD_PORTS_H

#include "core/solvers/projective/pd_engine.h"
#include "core/sparse/branches.h"

typedef struct MbPdColumn {
  double *x;     // (nfree x width) on the processor
  uint32_t node; // whose it is
  size_t named;  // number of the list that has named it last
} MbPdColumn;

// Branches of the constant matrix's factor, of nodes that have been named.
typedef struct MbPdBranches {
  MbBranches *of;
  struct MbPdPortBranch *node; // (nfree)
  size_t bytes;                // of all that are kept
  MbBranch *listed;            // of the list; zero of nodes that are placed
  size_t *wanted;              // those that are to be found, and in which order
  uint32_t *order;
  size_t nlisted, nwanted, norder;
  double *y; // (3 x nfree)
} MbPdBranches;

struct MbPdPorts {
  size_t width; // numbers of a column for each node: 1, or 3
  size_t fixed; // ports
  bool touches; // of the nodes that rows name some are named by contacts
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
  bool branched;    // the list has branches, and no S
  bool told;        // they have been found
  MbPdBranches branches;
};

// Tells which column node k of the list has; MB_NONE: none, or it is placed.
static inline uint32_t mb_pd_column_of(const MbPdPorts *ports, size_t k) { return ports->of[ports->node[k]]; }

// Tells whether branches suit a list of so many nodes better than columns: there are some, and pushing by columns would take longer than a
// solution, or contacts of so many nodes are solved for where nobody needs S.
bool mb_pd_branches_suit(const MbPdEngine *engine, size_t count);
// Finds the branches of the listed nodes. False: out of memory.
bool mb_pd_branches_list(MbPdEngine *engine);
// v (count x 3) ← S p
void mb_pd_branches_respond(const MbPdEngine *engine, const double *p, double *v);
void mb_pd_branches_free(MbPdBranches *branches, size_t nfree);
size_t mb_pd_branches_bytes(const MbPdEngine *engine);

#endif
