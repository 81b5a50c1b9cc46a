// What the kernels of trees (tree_kernels.h) are told. Numbers lie by rows, one scene beside the next: number i of scene k is at
// a[i lanes + k]. What the scenes have in common, how the tree hangs together, is read by all threads at once.
#ifndef MB_GPU_KERNELS_TREE_ARGS_H
#define MB_GPU_KERNELS_TREE_ARGS_H

#include "gpu/kernels/kernel_body.h"

enum { MB_TREE_LINK = 10, MB_TREE_TURN = 11 }; // numbers of a MbLink and a MbTurn
static const uint32_t MB_TREE_NONE = UINT32_MAX;

// numbers of what passes leave for each other (lanes.h); of a frame its rotation is left out
enum { MB_STAND = 14, MB_RIGID = 18, MB_FRAME = 19, MB_ARTICULATED = 27, MB_SCREW = 6 };

typedef enum MbTreeKind { MB_TREE_TURNS, MB_TREE_SLIDES, MB_TREE_FREE } MbTreeKind;

typedef struct MbTreeBody {
  uint32_t kind, slot, up, leaf, last, flies; // as MbHop
  uint32_t n, q, v;
  uint32_t along, turn;    // as MbLink; of one that slides its place in the list of turns
  uint32_t column, square; // among those of bodies that do not turn
} MbTreeBody;

typedef struct MbTreeMotor { // of a velocity; rows of signals
  uint32_t there, force, target, rate;
} MbTreeMotor;

typedef struct MbTreeLimit {
  uint32_t q, v, soft;
} MbTreeLimit;

typedef struct MbTreeArgs {
  size_t lanes; // from row to row
  uint32_t steps;
  uint32_t nb, nv, nlimits;
  uint32_t sprung, motors, damped, flies, implicit, ahead;
  const MbTreeBody *body;   // (nb)
  const MbTreeMotor *motor; // (nv)
  const MbTreeLimit *limit; // (nlimits)
  // rows
  double *q, *v;                                              // (nq), (nv) the state
  const double *h, *gravity;                                  // (1), (3)
  const double *link, *turn;                                  // (nb x 10), (nturns x 11)
  const double *stiffness, *rest, *damping;                   // (nv)
  const double *drag;                                         // (nb)
  const double *motor_stiffness, *motor_damping, *motor_most; // (nv)
  const double *signal;                                       // (nsignals) of the first step
  size_t signals;             // numbers from one step's to the next; 0: they stay
  const double *side, *bound; // (nlimits)
  uint32_t *left;             // (lanes) 1: it goes no more
  // what one pass leaves to the next
  double *stand, *rigid, *outer, *swing; // (nb x 14), (nb x 18), (nb x 6), (nb x 3)
  double *frame, *sum, *rate;            // (slots x 19), (slots x 27), (slots x 6)
  double *U, *G, *u;                     // (columns x 6), (squares), (columns)
  // where bodies are
  double *E, *phi, *energy; // (nb x 7), (nb x 6), (4) kinetic, gravity, elastic, total
} MbTreeArgs;

#endif
