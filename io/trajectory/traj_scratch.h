// What the codec works in; shared by the encoder and the decoder.
#ifndef MB_IO_TRAJ_SCRATCH_H
#define MB_IO_TRAJ_SCRATCH_H

#include "io/trajectory/traj_codec.h"
#include "io/trajectory/traj_planes.h"

struct MbCodec {
  MbSqueezer squeezer;
  uint64_t *integers;    // (numbers) encoder: ordered or quantised
  uint64_t *residuals;   // encoder (numbers), decoder (cols): of one row
  uint64_t *history;     // (4 x cols) decoder: rows of integers, row r at r % 4
  unsigned char *planes; // encoder (numbers): one plane; decoder (8 x numbers)
};

#endif
