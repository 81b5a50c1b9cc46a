// The HEAD record: to JSON text and back.
#ifndef MB_IO_TRAJ_HEAD_H
#define MB_IO_TRAJ_HEAD_H

#include "core/base/arena.h"
#include "io/trajectory/trajectory.h"

// What HEAD says, read back. All memory belongs to the arena.
typedef struct MbHeadInfo {
  MbArena arena;
  char *text, *scene; // JSON
  double step, constraint_bound, constraint_patience;
  size_t nbodies, nchannels, frame_size;
  const char **bodies; // (nbodies)
  MbChannel *channels; // (nchannels), packed one behind the other
  double *bound;       // (nchannels)
} MbHeadInfo;

// JSON text of HEAD (free with mb_free); NULL on failure.
MbStatus mb_head_write(const MbTrajHead *head, char **text, MbReport *report);
// Reads it back; on failure info is freed and *why says what is wrong.
bool mb_head_read(const char *text, size_t length, MbHeadInfo *info, const char **why);
void mb_head_free(MbHeadInfo *info);

#endif
