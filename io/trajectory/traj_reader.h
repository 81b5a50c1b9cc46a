// The reader's inside, for its files.
#ifndef MB_IO_TRAJ_READER_H
#define MB_IO_TRAJ_READER_H

#include "core/base/report.h"
#include "io/trajectory/traj_chunk.h"
#include "io/trajectory/traj_head.h"
#include "io/trajectory/traj_scan.h"
#include "io/trajectory/traj_side.h"

// A record's inflated content that stays with the trajectory.
typedef struct MbKept {
  size_t other;           // its place in index.others
  unsigned char *content; // NULL = not loaded yet
  size_t size;
  void *block; // meshes: the arrays
  MbTrajMesh mesh;
  MbTrajEvent event;
} MbKept;

typedef struct MbKeptList {
  size_t count, room;
  MbKept *items; // (count)
} MbKeptList;

// The entries of one list in the chunk that was read last.
typedef struct MbListCache {
  size_t chunk_at; // in the index; those of another chunk, or none, are not these
  bool there;
  double *entries; // (entries_room)
  size_t entries_room;
  size_t *start; // (start_room) of each frame's entries, and where the last one's end
  size_t start_room;
} MbListCache;

// What a channel takes in the file.
typedef struct MbChannelSize {
  uint64_t bytes, entries;
} MbChannelSize;

struct MbTraj {
  int fd;
  char *path;
  uint64_t file_bytes;
  uint32_t version;
  bool whole, indexed; // indexed: found by its own index, so nothing but that has been looked at
  MbHeadInfo head;
  MbChunkLayout layout;
  MbIndex index;
  MbTrajGap *gaps; // (ngaps)
  size_t ngaps;
  MbKeptList meshes, events, provenances, drawings, checkpoints;
  MbKept checkpoint;    // the one read last
  MbChannelSize *sizes; // (nchannels), NULL = not counted yet

  // the chunk that was read last
  size_t chunk_at; // in the index, SIZE_MAX = none
  MbChunk chunk;
  unsigned char *payload;
  size_t payload_room;
  double *frames; // (chunk.count x frame_size)
  size_t frames_room;
  bool *decoded; // (nchannels)
  MbCodec *codec;
  size_t codec_numbers; // that the codec has room for
  MbListCache *lists;   // (layout.nlists)
  MbListWork *list_work;
};

// Finds and loads events and provenance; notes meshes and checkpoints. Damaged ones become warnings.
MbStatus mb_traj_load_sides(MbTraj *traj, MbReport *report);
void mb_traj_free_sides(MbTraj *traj);
// Makes the chunk's payload the current one, checked.
MbStatus mb_traj_load_chunk(MbTraj *traj, size_t at, MbReport *report);
// Makes the chunk that holds a frame the current one; *from ← its place there. MB_IO where the frame is missing.
MbStatus mb_traj_need_frame(MbTraj *traj, uint64_t frame, size_t *from, MbReport *report);
// Decodes into the cache what is wanted of the current chunk (NULL = all) and not there yet.
MbStatus mb_traj_decode(MbTraj *traj, const bool *wanted, MbReport *report);
// Tells what is wrong with a chunk.
MbStatus mb_traj_bad_chunk(MbTraj *traj, size_t at, const char *why, MbReport *report);
// A codec with room for `frames` frames.
MbStatus mb_traj_need_codec(MbTraj *traj, size_t frames, MbReport *report);
// Where the numbers of frames leap; *gaps is NULL without any, else a block to free. False when memory ran out.
bool mb_index_gaps(const MbIndex *index, MbTrajGap **gaps, size_t *count);
void mb_gap_warn(const char *path, MbTrajGap gap, MbReport *report);
// Reads header and payload of the record at `offset` into *block and checks everything but the content.
// `length` = that of the whole record, or 0 = unknown. False: *why.
bool mb_record_load(int fd, uint64_t file_bytes, uint64_t offset, uint64_t length, MbRecord *record,
                    unsigned char **block, size_t *room, const char **why);

#endif
