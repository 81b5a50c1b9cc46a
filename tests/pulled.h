// Bodies free in space that forces of every kind pull at, everything random.
#ifndef MB_TESTS_PULLED_H
#define MB_TESTS_PULLED_H

#include "tests/support.h"

enum { TEST_PULLED = 3 };
// One or three bodies with a force of the kind on the first, or between them.
MbSceneSpec test_pulled(MbIntegratorKind integrator, uint64_t *seed, MbForceKind kind, MbAxes axes);
// A force of the kind at the last of three bodies, or between it and the first, of whose numbers all are `by` more.
void test_pull_last(MbSceneSpec *spec, MbForceKind kind, double by, uint64_t *seed);

#endif
