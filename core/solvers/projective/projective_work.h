// The projective solver's scratch, shared by its files: the bodies' solver, the engine that moves the nodes, and what couples the two.
#ifndef MB_SOLVERS_PROJECTIVE_PROJECTIVE_WORK_H
#define MB_SOLVERS_PROJECTIVE_PROJECTIVE_WORK_H

#include "core/model/ops.h"
#include "core/solvers/projective/pairs.h"
#include "core/solvers/projective/pd_mover.h"

typedef struct MbTies MbTies;
typedef struct MbDescent MbDescent;

struct MbSolverWork {
  const MbModel *model;
  const MbSolverOps *inner; // of the bodies, ports among them
  MbSolverWork *work;
  MbPdEngine *engine;
  const MbPdMover *mover; // NULL: the processor
  int threads;
  uint64_t version;  // of what MbNodeCoupling says
  bool stiff;        // the last factor is of A with what elements add; else of M
  size_t nv, points; // the inner solver's velocities; nodes behind them
  size_t beside;     // of the velocities those of bodies; ports' are behind them
  // (listed nodes) where in the velocities each one's three begin: ports, then those that rows name
  size_t *at;
  size_t nlisted, room;
  double *p, *u;  // (listed nodes x 3) impulses and velocities there
  size_t numbers; // room of each
  MbTies *ties;   // NULL: no force acts on a port
  MbDescent *descent;
  double *wide;     // (nv + 3 points) where there are ties
  double *solved;   // (points x 6) of the way back, made when it is first gone
  MbRow *row;       // (rows) without their nodes
  const MbRow **of; // (rows) those
  size_t *node;     // (rows x 2) which of the list each one's ends are; MB_WORLD: none
  size_t rows, nrow, nof, nnode;
  double *row_weights; // (rows x MB_PAIR_WEIGHTS)
  size_t nrow_weights;
};

// Finds what impulses y along the velocities make of the listed nodes' velocities over a step: written into x there.
void mb_projective_respond(MbSolverWork *work, const double *y, double *x);

// Tells which of the listed nodes a body is, or a node that is none.
size_t mb_projective_listed(const MbSolverWork *work, size_t body);

#endif
