// What the codec works in; shared by the encoder and the decoder.
#ifndef MB_IO_TRAJ_SCRATCH_H
#define MB_IO_TRAJ_SCRATCH_H

#include "io/trajectory/traj_codec.h"
#include "io/trajectory/traj_planes.h"

struct MbCodec {
  MbSqueezer squeezer;
  uint64_t *integers; // (numbers) encoder: ordered or quantised
  double *settled;    // encoder (numbers): those of a block that cannot be bounded, as decoding gives them;
                      // or those of one part of the items, one behind the other
  double *rows;       // (4 x cols) decoder: row r at r % 4
  double *velocity;   // (velocity_room) decoded velocities that poses are predicted from
  size_t velocity_room;
  double *time; // (time_room) of the chunk's frames
  size_t time_room;
  uint64_t *residuals;   // encoder (numbers), decoder (cols): of one row
  uint64_t *history;     // (4 x cols) decoder: rows of integers, row r at r % 4
  unsigned char *planes; // encoder (numbers): one plane; decoder (8 x numbers)
};

#endif
