// Systems of bodies that contacts couple:  A = 1 + Σ Fᵀ K F  over contacts, six unknowns a slot, K (3 x 3) of a contact not symmetric.
//
// The pattern is the graph of bodies and contacts; every group that hangs together is ordered for itself by least degree and factored
// by blocks, A = L U, with pivots inside of blocks alone. The pattern is found in mb_body_factor_analyse(), which is free where it is that
// of the last time; nothing else allocates.
#ifndef MB_CONTACT_BODY_FACTOR_H
#define MB_CONTACT_BODY_FACTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Places and groups: none.
#define MB_NO_PLACE UINT32_MAX

typedef struct MbContactProblem MbContactProblem;

typedef struct MbBodyFactor {
  size_t nslots;
  uint32_t *key; // (nkey) slots of all contacts and rows, as they were when the pattern was found
  size_t nkey, key_room;
  uint32_t *group; // (nslots) of a slot; MB_NO_PLACE: nothing touches it, or its group is too large
  uint32_t *place; // (nslots) in the order of elimination of its group
  size_t slot_room;
  size_t ngroups;
  uint32_t *begin; // (ngroups + 1) into `first`, one more than bodies a group
  uint32_t *first; // of each body in order, of `below`; relative to the group's
  uint32_t *below; // places, rising, of the blocks below each diagonal one
  size_t *at;      // (ngroups) where `below` of a group begins
  size_t begin_room, first_room, below_room, at_room;
  // while it is analysed
  uint32_t *scratch;
  uint64_t *bits;
  size_t scratch_room, bits_room;
  // numbers of the group at hand, blocks of 6 columns of 8
  double *D, *L, *U;
  size_t D_room, L_room, U_room;
} MbBodyFactor;

// Finds the pattern of a problem with W = F Fᵀ and makes room for the numbers of each group. False: out of memory.
bool mb_body_factor_analyse(MbBodyFactor *factor, const MbContactProblem *problem);
void mb_body_factor_free(MbBodyFactor *factor);
size_t mb_body_factor_bytes(const MbBodyFactor *factor);

// How many bodies a group has.
static inline size_t mb_body_factor_size(const MbBodyFactor *factor, uint32_t group) {
  return factor->begin[group + 1] - factor->begin[group] - 1;
}
// How many blocks are below the diagonal.
static inline size_t mb_body_factor_blocks(const MbBodyFactor *factor, uint32_t group) {
  return factor->first[factor->begin[group + 1] - 1];
}
// How many products of two blocks it takes to factor A.
size_t mb_body_factor_products(const MbBodyFactor *factor, uint32_t group);

// A ← 1
void mb_body_factor_begin(MbBodyFactor *factor, uint32_t group);
// A ← A + Fᵀ K F, F of `rows` rows (12 numbers each: six at either end), the ends' places in the group (MB_NO_PLACE: none).
void mb_body_factor_add(MbBodyFactor *factor, uint32_t group, const uint32_t place[2], size_t rows,
                        const double *F, const double *K);
// A ← L U. False where a block is singular.
bool mb_body_factor_make(MbBodyFactor *factor, uint32_t group);
// x ← A⁻¹ x, six numbers a body in the order of elimination.
void mb_body_factor_solve(const MbBodyFactor *factor, uint32_t group, double *x);

#endif
