// Blocks: one channel's numbers over the frames of one chunk, as bytes. Encoder and decoder.
//
//   numbers ─ integers (ordered bits | multiples of a quantum) ─ prediction in time, then along the row
//           ─ zigzag ─ byte planes ─ raw | zlib | constant
#ifndef MB_IO_TRAJ_CODEC_H
#define MB_IO_TRAJ_CODEC_H

#include "io/trajectory/traj_format.h"
#include "io/trajectory/traj_motion.h"

// The numbers of a block, one row a frame.
typedef struct MbGrid {
  size_t rows, cols;
  size_t stride; // doubles from one row to the next
  size_t width;  // numbers an item: neighbours of the same component are so far apart
  size_t step;   // doubles from one item to the next: `width`, or more where the items have other parts
} MbGrid;

// Predictor byte: order in time (0-3), order along the row in the first `time` rows, and in the others (0-2).
// With `motion`, time is predicted from velocities, order 1 or 2.
typedef struct MbPredictor {
  unsigned time, start, later;
  bool motion;
} MbPredictor;
unsigned char mb_predictor_byte(MbPredictor p);
bool mb_predictor_from_byte(unsigned char byte, MbPredictor *p);

// Whose block it is: the channel, and which part of its items.
typedef struct MbBlockName {
  unsigned id, part;
  bool moved; // it may be predicted from velocities
} MbBlockName;

typedef struct MbCodec MbCodec; // scratch; belongs to one thread
// For encoding or decoding blocks of up to `numbers` numbers, `cols` a row. NULL when memory ran out.
MbCodec *mb_codec_create(bool encoding, size_t numbers, size_t cols);
void mb_codec_free(MbCodec *codec);
// Room for the times of a chunk and for decoded velocities; what was there is lost when it grows. False when
// memory ran out.
bool mb_codec_moving(MbCodec *codec, size_t rows, size_t numbers, double **time, double **velocity);

// Most bytes that a block of `numbers` numbers takes.
size_t mb_block_room(size_t numbers);
// Copies the numbers of a grid behind one another.
void mb_grid_pack(const double *x, MbGrid grid, double *restrict y);
// Rounds numbers to what bounded blocks make of them; those that cannot be bounded stay as they are.
void mb_block_settle(double *x, size_t numbers, double bound);
// Writes one block and returns its bytes. bound 0 = lossless; otherwise bounded where every number allows it,
// else lossless of the settled numbers: so no number depends on which others share its block. motion: the
// decoded velocities, NULL = there are none.
size_t mb_block_encode(MbCodec *codec, MbBlockName name, const double *x, MbGrid grid, double bound,
                       const MbMotion *motion, unsigned char *out);

typedef struct MbPlane {
  MbPlaneKind kind;
  uint32_t length;
  const unsigned char *bytes;
} MbPlane;

typedef struct MbBlock {
  unsigned width;
  MbTrajMode mode;
  MbPredictor predictor;
  double bound, gain;
  MbPlane plane[8]; // (width)
  size_t length;    // of the whole block
} MbBlock;

enum { MB_BLOCK_HEADERS_MAX = MB_TRAJ_BLOCK_HEADER + 8 * MB_TRAJ_PLANE_HEADER };
// Reads the headers of the block at `bytes`, of `numbers` numbers. False: *why says what is wrong.
bool mb_block_headers(const unsigned char *bytes, size_t size, MbBlockName name, size_t numbers,
                      MbBlock *block, const char **why);
// The same, and the planes must lie within `size`.
bool mb_block_parse(const unsigned char *bytes, size_t size, MbBlockName name, size_t numbers, MbBlock *block,
                    const char **why);
// Inflates every plane and throws it away.
bool mb_block_check(MbCodec *codec, const MbBlock *block, size_t numbers, const char **why);
// motion: for blocks predicted from velocities.
bool mb_block_decode(MbCodec *codec, const MbBlock *block, MbGrid grid, const MbMotion *motion, double *x,
                     const char **why);

#endif
