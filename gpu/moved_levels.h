// How the inverse of the constant matrix is cut for a device: pieces of rows, tiles of columns, and what couples levels (kernels/inverse_rows.h).
// Made once, on the processor.
#ifndef MB_GPU_MOVED_LEVELS_H
#define MB_GPU_MOVED_LEVELS_H

#include "core/sparse/inverse.h"
#include "gpu/kernels/inverse_rows.h"

// Where things of one kind stand in their array.
typedef struct MbMovedRange {
  size_t first, count;
} MbMovedRange;

typedef struct MbMovedLevel {
  MbMovedRange rows, pieces, joints, tiles;
  MbMovedRange coupled, aboves, across; // nothing in the topmost level
} MbMovedLevel;

typedef struct MbMovedLevels {
  size_t count;
  MbMovedLevel level[MB_LEVELS];
  size_t pieces, joints, tiles, reached, coupled, aboves, across; // of all levels
  size_t slices;
  MbRowPiece *piece;
  MbRowJoint *joint;
  uint32_t *tile, *reach, *slice;
  MbCoupledRow *row;
  MbCoupledAbove *above;
  uint32_t *sharing;
  MbCoupledColumn *column;
} MbMovedLevels;

// Cuts an inverse of one level or of three. NULL: out of memory.
MbMovedLevels *mb_moved_levels_make(const MbInverse *S);
void mb_moved_levels_free(MbMovedLevels *levels);
// Tells how many bytes of the processor's they take.
size_t mb_moved_levels_bytes(const MbMovedLevels *levels);

#endif
