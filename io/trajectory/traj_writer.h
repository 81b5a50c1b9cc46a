// The writer's inside, for its two files and its tests.
#ifndef MB_IO_TRAJ_WRITER_H
#define MB_IO_TRAJ_WRITER_H

#include "core/base/report.h"
#include "io/trajectory/traj_chunk.h"
#include "io/trajectory/traj_output.h"

#include <pthread.h>

// Entries of one list, of all frames that wait.
typedef struct MbPendingList {
  size_t count, room; // entries
  double *entries;    // (room x width)
  size_t given;       // of the frame to come
} MbPendingList;

// Frames that wait to be encoded.
typedef struct MbPending {
  uint64_t first;
  size_t count;
  double *times, *frames; // (capacity), (capacity x frame_size)
  MbPendingList *lists;   // (layout.nlists)
} MbPending;

struct MbTrajWriter {
  MbChunkLayout layout;
  size_t capacity; // frames a chunk
  MbPending pending[2];
  int filling; // the one that the caller fills
  uint64_t frames, list_numbers;
  double last_time;
  double chunk_began;    // clock when the chunk's first frame came
  double (*clock)(void); // seconds; tests replace it

  // the thread's, or the caller's while the thread is idle
  MbCodec *codec;
  MbListWork *list_work;
  unsigned char *payload; // (payload_room)
  size_t payload_room;
  MbOutput output;

  // shared, under the mutex
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  MbPending *job; // being encoded, NULL = idle
  bool quit;
  MbReport error; // the first there was
  uint64_t chunks, file_bytes;

  pthread_t thread;
  bool locks, threaded; // made so far; where the system refuses a thread, the caller writes
};

// Hands the filled buffer to the thread, if there is one, waiting for the one before; then, with `wait`, until it is written.
MbStatus mb_writer_flush(MbTrajWriter *writer, bool wait);
MbStatus mb_writer_start(MbTrajWriter *writer, MbReport *report);
void mb_writer_stop(MbTrajWriter *writer); // lets the thread finish its job and joins it

#endif
