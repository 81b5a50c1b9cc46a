// What the codec works in, and the parts of it that blocks of lists share (traj_list.c).
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

#define MB_PATTERNLESS 62.5 // bits a number: it has no pattern at all

// What one block is encoded with.
typedef struct MbBlockChoice {
  MbTrajMode mode;
  MbPredictor predictor;
  double bound, quantum;
} MbBlockChoice;

// Sum of the lengths of zigzagged residuals in bits.
uint64_t mb_bits_in(size_t n, const uint64_t *d);
// The multiples that numbers of a bounded block become, and whether there are such.
static inline double mb_quantum_of(double bound) { return bound * (2 - 0x1p-10); }
static inline bool mb_is_quantum(double quantum) { return quantum > 0 && quantum <= 1e300; }
// Writes the block of codec->residuals, which come to `all` or-ed together, and returns its bytes.
size_t mb_block_write(MbCodec *codec, MbBlockName name, const MbBlockChoice *choice, size_t numbers,
                      uint64_t all, unsigned char *out);
// Inflates what is deflated; constant planes go into `base`, absent ones stay NULL.
bool mb_planes_open(MbCodec *codec, const MbBlock *block, size_t numbers, const unsigned char *plane[8],
                    uint64_t *base);

#endif
