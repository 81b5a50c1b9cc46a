// Private to core/sim/sensitivity_back_*.c: the way back through steps of deformables' nodes. sensitivity_back_nodes.c has the derivation.
#ifndef MB_SIM_SENSITIVITY_BACK_NODES_H
#define MB_SIM_SENSITIVITY_BACK_NODES_H

#include "core/model/pass_slopes.h"
#include "core/sim/sensitivity_back.h"

// What a number changes of the steps' equations, signals aside.
typedef struct MbBackAsked {
  bool any, aims; // anything; where nodes are held
  bool *part;     // (deformables) elements, or what acts on them
} MbBackAsked;

// All of bodies and nodes, one behind the other, in steps in which they touch.
typedef struct MbBackAll {
  double *q, *q1;                          // (nq + 3 n) before the step and after it
  double *from, *w, *v1, *z;               // (nv + 3 n) velocities; what the equations are felt by
  double *q_felt, *v_felt, *end_q, *end_v; // (nv + 3 n)
} MbBackAll;

struct MbBackNodes {
  double *q, *v, *felt, *z, *met; // (n x 3)
  double *target[2];              // (n x 3) of both sides of a number
  MbNodeLoadsFelt loads;
  MbBackAsked *asked; // (numbers)
  bool aims;          // targets are to be asked for
  bool carried;       // bodies that move carry nodes
  double *both;       // (frame size) weights of channels that tell nodes and bodies
  MbBackAll all;      // of bodies that touch
};

// Why there is no way back where elements are pressed so far that they give way sideways.
extern const char *const mb_back_nodes_singular;
// Takes the probe's nodes to where a step begins, with what its places and velocities at the end are felt by in nodes->felt, and in nodes->q and nodes->v what the start is felt by so far.
MbStatus mb_back_nodes_stand(MbBackward *b, const MbTurn *turn, MbReport *report);
// Takes in what the step's start is felt by, of nodes->z, and what targets are, in nodes->felt. Returns why it cannot be; NULL: it can.
const char *mb_back_nodes_begins(MbBackward *b);
// Takes in what numbers are felt by, of the step to x1.
void mb_back_nodes_numbers_felt(MbBackward *b, const MbTurn *turn, const double *x1);
// by_move (nb x 6) ← how bodies' motions are felt where they carry nodes, of what targets are: felt (n x 3). The simulation's bodies are there.
void mb_back_nodes_carried(const MbSim *at, const double *felt, double *by_move);

#endif
