// The part of A of the nodes that hang on the world, as a sparse Cholesky factor: what preconditions conjugate gradients where
// nodes are many or stiff. What else moves is coupled to it by few.
#ifndef MB_SOLVERS_NODE_FACTOR_H
#define MB_SOLVERS_NODE_FACTOR_H

#include "core/solvers/coupled.h"
#include "core/sparse/half.h"

typedef struct MbNodeFactor MbNodeFactor;

// *out is NULL where the model has no such pairs of nodes, its integrator has no use for them, or the factor would be too large.
// False: out of memory.
bool mb_node_factor_create(const MbModel *model, int threads, MbNodeFactor **out);
void mb_node_factor_free(MbNodeFactor *factor); // NULL is fine
size_t mb_node_factor_bytes(const MbNodeFactor *factor);
// Of the blocks that `coupling` has been set to. False where A is not positive definite, with the node at which that shows.
bool mb_node_factor_set(MbNodeFactor *factor, const MbCoupling *coupling, size_t *blame);
// Tells whether all that forces couple are these nodes: A is this factor and the rest by itself then.
bool mb_node_factor_is_all(const MbNodeFactor *factor);
// The solution for the nodes' part of x (nv) is kept, and put there.
void mb_node_factor_solve(MbNodeFactor *factor, const double *x);
void mb_node_factor_put(const MbNodeFactor *factor, double *x);
// Halves of such solutions, of the factor's unknowns; how many these are; the one that velocity v is, UINT32_MAX: none.
MbHalf *mb_node_factor_half(const MbNodeFactor *factor);
size_t mb_node_factor_size(const MbNodeFactor *factor);
uint32_t mb_node_factor_number(const MbNodeFactor *factor, size_t v);

#endif
