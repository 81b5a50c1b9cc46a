// Trees of hinged bodies that several benchmarks take steps of.
#ifndef MB_TOOLS_HINGED_H
#define MB_TOOLS_HINGED_H

#include "core/compile/compile.h"

typedef enum Tree { CHAIN, BINARY, HUMANOID, TREES } Tree;
enum { HUMANOID_BODIES = 29 };
extern const char *const tree_names[TREES];
int hinged_humanoid(int body); // its parent; -1: free in space

// n bodies, of a humanoid HUMANOID_BODIES, with integrator `symplectic`; NULL, having said why, where it cannot be made.
MbModel *hinged_make(Tree tree, size_t n, const MbSolverSpec *solver);

#endif
