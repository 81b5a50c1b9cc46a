// Steps by loops on the processor in a device's place, and by the device where there is one, beside those of the processor's own engine.
#ifndef MB_TESTS_GPU_BESIDE_H
#define MB_TESTS_GPU_BESIDE_H

#include "core/sim/sim_internal.h"
#include "gpu/gpu.h"
#include "tests/runs.h"

enum { BESIDE_EARLIER = 6 };

// A simulation of the same model by another engine, which takes it.
MbSim *beside_on(const MbEngine *engine, const TestRun *run);
// The loops' engine, and behind it the device's where the machine has one; NULL: no more.
const MbEngine *beside_engine(int k);
// The deformables' extent.
double beside_extent(const double *q, size_t n);

// Compares `steps` steps behind the first `earlier` ones, each from the processor's state: places of nodes and of bodies by the deformables'
// size, velocities by that a step, to 1e-10, and iterations. Sums are of other orders, and line searches look at them.
void beside_compare(const char *what, const char *from, const char *const *sets, int earlier, int steps);

#endif
