// The deformables of Zeng et al.'s section 7, with their engine: bars of N x N x 2N cubes that are twisted, cloth that is drawn.
#ifndef MB_TOOLS_PD_CASES_H
#define MB_TOOLS_PD_CASES_H

#include "core/solvers/projective/projective.h"

typedef struct MbPdCase {
  const char *name;
  bool cloth;   // (N + 1)² + N² nodes over 1 m x 1 m; else a bar of 0.5 m x 0.5 m x 1 m
  size_t cells; // N
  MbElasticModel model;
  double young, poisson;
} MbPdCase;

typedef struct MbPdThing {
  MbElementMesh mesh;
  MbPdPart part;
  double *mass;          // (nodes)
  unsigned char *placed; // (nodes)
  double *q, *v;         // (nodes x 3)
  double *target;        // (nodes x 3)
  double gravity[3];
} MbPdThing;

// At rest, placed at both ends. False: out of memory.
bool mb_pd_thing_make(const MbPdCase *c, MbPdThing *thing);
void mb_pd_thing_free(MbPdThing *thing);
// An engine for it with steps of h; what else is in `spec` is kept. NULL: it cannot be made.
MbPdEngine *mb_pd_thing_engine(const MbPdThing *thing, MbPdSpec spec, double h);
// Where placed nodes go: the far end turned about the bar's axis, or drawn out by a part of the cloth's length.
void mb_pd_thing_aim(MbPdThing *thing, double angle, double stretch);
// A step. False: numbers that are not finite.
bool mb_pd_thing_step(MbPdThing *thing, MbPdEngine *engine);
size_t mb_pd_thing_elements(const MbPdThing *thing);

#endif
