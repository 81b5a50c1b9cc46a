// A symmetric matrix put together from many small contributions: entries (row, column, value) in any order come out as one
// lower triangle by columns, with every entry once and rows ascending.
#ifndef MB_SOLVERS_PROJECTIVE_ASSEMBLY_H
#define MB_SOLVERS_PROJECTIVE_ASSEMBLY_H

#include "core/sparse/sparse.h"

typedef struct MbAssembly {
  size_t n, count, room;
  uint32_t *row, *column; // (count) row ≥ column
  bool failed;            // out of memory
} MbAssembly;

void mb_assembly_begin(MbAssembly *assembly, size_t n);
// The entry (i, j), or (j, i): the lower one of the two. Its number is how many have been added before.
void mb_assembly_add(MbAssembly *assembly, uint32_t i, uint32_t j);
// The pattern (start and row for the caller to free) and, where `slot` is not NULL, to which of its entries each addition
// belongs (count; for the caller to free). Frees the assembly. False: out of memory, and nothing is left.
bool mb_assembly_end(MbAssembly *assembly, MbPattern *pattern, size_t **slot);

void mb_pattern_free(MbPattern *pattern);

#endif
