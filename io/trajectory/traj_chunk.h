// CHNK payloads: the frames of a chunk, channel by channel.
#ifndef MB_IO_TRAJ_CHUNK_H
#define MB_IO_TRAJ_CHUNK_H

#include "io/trajectory/traj_codec.h"
#include "io/trajectory/traj_list.h"

// Where a frame's numbers lie and how they are kept. A channel with 6 numbers an item has two blocks, for its
// linear and its angular part go different ways; others have one.
typedef struct MbChunkLayout {
  size_t nchannels, nblocks, frame_size;
  size_t most_cols, total_cols; // of one channel, of all
  struct MbChunkChannel {
    size_t offset, cols, width;
    double bound;
    size_t block, nblocks; // its first block, and how many it has
  } * channel;             // (nchannels)
  struct MbChunkBlock {
    unsigned channel, part;
    size_t offset, cols, width, step; // first number in a frame; numbers; of an item; from item to item
    MbMotionKind motion;              // how it is predicted from the velocities in block `source`
    size_t source;
  } * block;              // (nblocks)
  bool moving;            // any of them is
  size_t most_velocities; // numbers a frame of such a source
  size_t nlists;
  MbChunkList *list; // (nlists) of the channels that have one, behind the blocks
} MbChunkLayout;

// False when memory ran out.
bool mb_chunk_layout(const MbChannel *channels, size_t nchannels, size_t frame_size, MbChunkLayout *layout);
void mb_chunk_layout_free(MbChunkLayout *layout);
MbBlockName mb_chunk_block_name(const MbChunkLayout *layout, size_t block);

// Frames of a chunk that the writer fills.
size_t mb_chunk_capacity(const MbChunkLayout *layout);
// Most bytes of the payload of `frames` frames, without lists.
size_t mb_chunk_room(const MbChunkLayout *layout, size_t frames);
// frames (count x frame_size). Returns the payload's length, without lists.
size_t mb_chunk_encode(MbCodec *codec, const MbChunkLayout *layout, uint64_t first, size_t count,
                       const double *times, const double *frames, unsigned char *out);
// Where the counts of a list stand in `frames` frames.
MbListCounts mb_chunk_counts(const MbChunkLayout *layout, size_t list, const double *frames, size_t count);

typedef struct MbChunk {
  uint64_t first;
  size_t count;
  const unsigned char *times; // (count) doubles, little endian
  const unsigned char *blocks;
  size_t size; // of the blocks
} MbChunk;

// Reads the chunk's header and checks its sizes and times. False: *why says what is wrong.
bool mb_chunk_parse(const MbChunkLayout *layout, const unsigned char *payload, size_t length, MbChunk *chunk,
                    const char **why);
// Decodes channels for which wanted[i] (NULL = all) into frames (count x frame_size).
bool mb_chunk_decode(MbCodec *codec, const MbChunkLayout *layout, const MbChunk *chunk, const bool *wanted,
                     double *frames, const char **why);
// Finds a list in the chunk.
bool mb_chunk_find_list(const MbChunkLayout *layout, const MbChunk *chunk, size_t list, MbListPlace *place,
                        const char **why);
// Checks every block without making numbers of it, and every list by making them. `work` may be NULL where there are no lists.
bool mb_chunk_check(MbCodec *codec, MbListWork *work, const MbChunkLayout *layout, const MbChunk *chunk,
                    const char **why);

#endif
