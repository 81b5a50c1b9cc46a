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
  double **fields;     // (nchannels) bounds of the numbers of a list's entries; NULL: no list
  uint32_t version;    // of the format, as it follows from the channels
} MbHeadInfo;

// The version of the format that channels ask for.
uint32_t mb_head_version(const MbChannel *channels, size_t nchannels);
// How exact a number of a list's entries is kept: keys, and what counts words, always to the last bit.
double mb_head_field_bound(const MbTrajHead *head, const MbList *list, size_t field);
// JSON text of HEAD (free with mb_free); NULL on failure.
MbStatus mb_head_write(const MbTrajHead *head, char **text, MbReport *report);
// Reads that of a file of this version back; on failure info is freed and *why says what is wrong.
bool mb_head_read(const char *text, size_t length, uint32_t version, MbHeadInfo *info, const char **why);
void mb_head_free(MbHeadInfo *info);

#endif
