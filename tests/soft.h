// One deformable for tests of the engine that moves such: a mesh, masses, what is placed, and a state.
#ifndef MB_TESTS_SOFT_H
#define MB_TESTS_SOFT_H

#include "core/solvers/projective/projective.h"
#include "tests/support.h"

typedef struct Soft {
  MbElementMesh mesh;
  MbPdPart part;
  MbPdSpec spec;
  double *mass;          // (nodes)
  unsigned char *placed; // (nodes)
  double *q, *v, *target;
  double gravity[3], force[4];
  MbPdEngine *engine;
} Soft;

// `soft->mesh` becomes the test's, with its nodes at rest and lumped masses.
void soft_begin(Soft *soft, double density);
// Material of tetrahedra and triangles
void soft_material(Soft *soft, MbElasticModel model, double young, double poisson);
// Holds the nodes whose coordinate `axis` at rest is `at` along `axes` (bits).
void soft_hold(Soft *soft, int axis, double at, unsigned axes);
void soft_create(Soft *soft, double h, MbMethod method, int iterations, double tolerance);
// A step, which must succeed.
void soft_step(Soft *soft);
void soft_end(Soft *soft);

#endif
