// Lists of a CHNK payload: entries, so many a frame, of a channel that has such. Each number of an entry is a block of its own, in
// which an entry is predicted from the one of the same keys in the frame before (io/README.md).
#ifndef MB_IO_TRAJ_LIST_H
#define MB_IO_TRAJ_LIST_H

#include "io/trajectory/traj_codec.h"
#include "io/trajectory/trajectory.h"

// One channel's list, as a chunk has it.
typedef struct MbChunkList {
  unsigned channel;
  size_t offset; // of its count in a frame
  size_t keys, width;
  double *bound; // (width) 0 = lossless
} MbChunkList;

// How many entries each frame has: whole numbers in doubles, one a frame.
typedef struct MbListCounts {
  const double *first;
  size_t stride, frames;
} MbListCounts;

typedef struct MbListWork MbListWork; // scratch that grows; belongs to one thread
// NULL when memory ran out.
MbListWork *mb_list_work_create(bool encoding);
void mb_list_work_free(MbListWork *work);
// Makes room for `entries` of a chunk; false when memory ran out.
bool mb_list_reserve(MbListWork *work, size_t entries);

// Whether the first `keys` numbers of each of `count` entries are whole numbers, and increase from entry to entry.
bool mb_list_ordered(const double *x, size_t count, size_t keys, size_t width);
// The entries of all frames together, at most the limit of a chunk's numbers. False: *why says what is wrong.
bool mb_list_sum(const MbChunkList *list, MbListCounts counts, size_t *entries, const char **why);

// Most bytes that a list of so many entries takes.
size_t mb_list_room(const MbChunkList *list, size_t entries);
// Writes the entries x (entries x width) and returns their bytes; there is room for them in `work`.
size_t mb_list_encode(MbListWork *work, const MbChunkList *list, MbListCounts counts, const double *x,
                      unsigned char *out);

// Where a list lies in a chunk.
typedef struct MbListPlace {
  const unsigned char *blocks; // of its numbers
  size_t size;                 // from there to the end of the chunk
  size_t entries, length;      // bytes of the whole list
} MbListPlace;

// Finds the list at `bytes`. False: *why says what is wrong.
bool mb_list_parse(const unsigned char *bytes, size_t size, const MbChunkList *list, MbListPlace *place,
                   const char **why);
// Decodes it into x (entries x width).
bool mb_list_decode(MbListWork *work, const MbChunkList *list, MbListCounts counts, const MbListPlace *place,
                    double *x, const char **why);

#endif
