// The deformables of Zeng et al.'s section 7, with their engine: bars of N x N x 2N cubes that are twisted, cloth that is drawn.
#ifndef MB_TOOLS_SOFT_CASES_H
#define MB_TOOLS_SOFT_CASES_H

#include "core/solvers/projective/projective.h"

typedef struct MbSoftCase {
  const char *name;
  bool cloth;   // (N + 1)² + N² nodes over 1 m x 1 m; else a bar of 0.5 m x 0.5 m x 1 m
  size_t cells; // N
  MbElasticModel model;
  double young, poisson;
} MbSoftCase;

typedef struct MbSoftThing {
  MbElementMesh mesh;
  MbSoftPart part;
  double *mass;        // (nodes)
  unsigned char *held; // (nodes)
  double *q, *v;       // (nodes x 3)
  double *target;      // (nodes x 3)
  double gravity[3];
} MbSoftThing;

// At rest, held at both ends. False: out of memory.
bool mb_soft_thing_make(const MbSoftCase *c, MbSoftThing *thing);
void mb_soft_thing_free(MbSoftThing *thing);
// An engine for it with steps of h; what else is in `spec` is kept. NULL: it cannot be made.
MbSoftEngine *mb_soft_thing_engine(const MbSoftThing *thing, MbSoftSpec spec, double h);
// Where held nodes go: the far end turned about the bar's axis, or drawn out by a part of the cloth's length.
void mb_soft_thing_aim(MbSoftThing *thing, double angle, double stretch);
// A step. False: numbers that are not finite.
bool mb_soft_thing_step(MbSoftThing *thing, MbSoftEngine *engine);
size_t mb_soft_thing_elements(const MbSoftThing *thing);

#endif
