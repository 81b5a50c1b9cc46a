// Prediction of poses from velocities that stand in the same chunk: positions by quadrature, unit quaternions
// by turning. Bounded blocks only; plain IEEE operations, so that every decoder gets the same bits.
#ifndef MB_IO_TRAJ_MOTION_H
#define MB_IO_TRAJ_MOTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum MbMotionKind {
  MB_MOTION_NONE,
  MB_MOTION_LINEAR,   // each number from its rate
  MB_MOTION_ROTATION, // quaternions from angular velocities in world axes, 3 numbers an item
} MbMotionKind;

// Decoded velocities of the rows of a block.
typedef struct MbMotion {
  MbMotionKind kind;
  const double *time;     // (rows)
  const double *velocity; // (rows x stride)
  size_t stride, step;    // doubles from one row to the next, from one item to the next
} MbMotion;

// Prediction of items [item, item + items) of one row. Order 1 begins at the row before (trapezoid), order 2
// at the one before that (Simpson); row >= order. q0, q1, q2: those items' integers of this row, the one
// before and the one before that, `width` an item.
typedef struct MbMotionRow {
  const MbMotion *motion;
  unsigned order;
  size_t row, item, items, width;
  double gain;
  const uint64_t *q1, *q2; // q2: order 2 only
} MbMotionRow;

// d = q0 - prediction, and back.
void mb_motion_residual(const MbMotionRow *row, const uint64_t *q0, uint64_t *restrict d);
void mb_motion_integrate(const MbMotionRow *row, const uint64_t *d, uint64_t *restrict q0);

#endif
