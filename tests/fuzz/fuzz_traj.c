// Any bytes as a trajectory file: open, read everything, verify, repair. Once as they are, once with every
// CRC put right, so that the fuzzer gets behind them.
#include "core/base/alloc.h"
#include "io/trajectory/traj_record.h"
#include "io/trajectory/trajectory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// Larger chunks are fine but slow, and find nothing more.
enum { NUMBERS_MAX = 1 << 18 };

static void read_frames(MbTraj *t) {
  const size_t frame_size = mb_traj_frame_size(t);
  char hex[33];
  for (size_t i = 0; i < mb_traj_chunks(t) && i < 8; i++) {
    const MbTrajChunkInfo c = mb_traj_chunk(t, i);
    if (c.count > NUMBERS_MAX || frame_size > NUMBERS_MAX / c.count) return;
    double *times = mb_calloc(c.count, 8), *frames = mb_calloc(c.count * frame_size, 8);
    if (times && frames) {
      mb_traj_read(t, c.first, 1, NULL, NULL, frames, NULL);
      mb_traj_read(t, c.first, c.count, NULL, times, frames, NULL);
    }
    mb_free(times);
    mb_free(frames);
    mb_traj_frame_at(t, (c.t0 + c.t1) / 2);
  }
  if (mb_traj_chunks(t) <= 8) mb_traj_hash(t, hex, NULL);
}

// Channels by themselves: poses whose velocities nobody asked for.
static void read_alone(MbTraj *t, size_t channels) {
  const size_t size = mb_traj_frame_size(t);
  if (!mb_traj_chunks(t) || channels > 16) return;
  const MbTrajChunkInfo c = mb_traj_chunk(t, 0);
  if (c.count > NUMBERS_MAX || size > NUMBERS_MAX / c.count) return;
  double *frames = mb_calloc(c.count * size, 8);
  bool *wanted = mb_calloc(channels, sizeof *wanted);
  for (size_t i = 0; frames && wanted && i < channels; i++) {
    wanted[i] = true;
    mb_traj_read(t, c.first, c.count, wanted, NULL, frames, NULL);
    wanted[i] = false;
  }
  mb_free(wanted);
  mb_free(frames);
}

// The lists of every frame of a chunk; there are as many entries as the frame says.
static void read_lists(MbTraj *t, size_t channels) {
  size_t n = 0;
  const MbChannel *channel = mb_traj_channels(t, &n);
  const size_t size = mb_traj_frame_size(t);
  if (!mb_traj_chunks(t) || channels > 16 || size > NUMBERS_MAX) return;
  const MbTrajChunkInfo c = mb_traj_chunk(t, 0);
  double *frame = mb_calloc(size, 8), sum = 0;
  for (uint64_t f = c.first; frame && f < c.first + c.count && f < c.first + 64; f++)
    for (size_t i = 0; i < channels; i++) {
      const double *entries = NULL;
      size_t count = 0;
      if (!channel[i].list || mb_traj_channel_entries(t, i, NULL) > NUMBERS_MAX ||
          mb_traj_list(t, f, &channel[i], &entries, &count, NULL) ||
          mb_traj_read(t, f, 1, NULL, NULL, frame, NULL))
        continue;
      if ((double)count != frame[channel[i].offset]) abort();
      for (size_t k = 0; k < count * channel[i].list->width; k++) sum += entries[k];
    }
  if (sum == 0.125) puts("");
  mb_free(frame);
}

static void check_gaps(const MbTraj *t) {
  uint64_t end = 0;
  for (size_t i = 0; i < mb_traj_gaps(t); i++) {
    const MbTrajGap gap = mb_traj_gap(t, i);
    if (!gap.count || gap.first < end) abort();
    end = gap.first + gap.count;
    if (mb_traj_frame_from(t, gap.first) != end || mb_traj_frame_until(t, end) != end) abort();
    if (mb_traj_frame_until(t, end - 1) != gap.first - 1) abort(); // UINT64_MAX before frame 0
  }
  if (mb_traj_gaps(t) && mb_traj_whole(t)) abort();
  if (mb_traj_frames_there(t) > mb_traj_frames(t)) abort();
}

static void read_all(const char *path) {
  MbReport report = {0};
  MbTraj *t = NULL;
  size_t channels = 0;
  if (mb_traj_open(path, &t, &report)) {
    if (!report.errors) abort(); // a failure says why
    return;
  }
  mb_traj_channels(t, &channels);
  for (size_t i = 0; i < channels && i < 16; i++) mb_traj_channel_bytes(t, i, NULL);
  for (size_t i = 0; i < mb_traj_meshes(t); i++) {
    MbTrajMesh mesh;
    mb_traj_read_mesh(t, i, &mesh, NULL);
  }
  for (size_t i = 0; i < mb_traj_events(t); i++) mb_traj_read_event(t, i);
  size_t text = 0;
  for (size_t i = 0; i < mb_traj_provenances(t); i++) text += strlen(mb_traj_provenance_json(t, i));
  if (text > MB_TRAJ_TEXT_MAX * (mb_traj_provenances(t) + 1)) abort();
  for (size_t i = 0; i < mb_traj_checkpoints(t); i++) {
    MbTrajCheckpoint checkpoint;
    mb_traj_read_checkpoint(t, i, &checkpoint, NULL);
  }
  check_gaps(t);
  read_alone(t, channels);
  read_lists(t, channels);
  read_frames(t);
  mb_traj_free(t);
}

// What repair makes of any file is whole, but for gaps.
static void check_repair(const char *path) {
  char target[64];
  MbTraj *t = NULL;
  MbReport report = {0};
  snprintf(target, sizeof target, "/tmp/mbsim-fuzz-%ld.mbt", (long)getpid());
  unlink(target);
  if (mb_traj_repair(path, target, NULL, NULL) == MB_OK) {
    if (mb_traj_open(target, &t, &report) != MB_OK) abort();
    mb_traj_free(t);
  }
  unlink(target);
}

static void try(const uint8_t *data, size_t size) {
  const int fd = memfd_create("traj", MFD_CLOEXEC);
  if (fd < 0) return;
  char path[64];
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  if (mb_write_all(fd, data, size) == 0) {
    read_all(path);
    mb_traj_verify(path, NULL);
    check_repair(path);
  }
  close(fd);
  if (mb_alloc_live() != 0) abort();
}

// Hops over the records as their lengths say and puts the CRCs right.
static void fix(uint8_t *bytes, size_t size) {
  if (size < MB_TRAJ_FILE_HEADER) return;
  const uint8_t version = bytes[8] == 2 ? 2 : 1;
  memcpy(bytes, MB_TRAJ_MAGIC "\1\0\0\0\0\0\0", 16);
  bytes[8] = version;
  size_t at = MB_TRAJ_FILE_HEADER;
  while (size - at > MB_TRAJ_RECORD_HEADER) {
    const uint64_t length = mb_get64(bytes + at + 8);
    if (length > size - at - MB_TRAJ_RECORD_HEADER) break;
    mb_put32(bytes + at + 16, mb_crc32(bytes + at + MB_TRAJ_RECORD_HEADER, (size_t)length));
    mb_put32(bytes + at + 20, mb_crc32(bytes + at, 20));
    const size_t next = at + MB_TRAJ_RECORD_HEADER + (size_t)mb_pad8(length);
    if (next > size) break;
    at = next;
  }
  if (size - at == MB_TRAJ_TRAILER) mb_put32(bytes + at + 16, mb_crc32(bytes + at, 16));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  try(data, size);
  uint8_t *copy = malloc(size + 1);
  if (!copy) return 0;
  memcpy(copy, data, size);
  fix(copy, size);
  if (memcmp(copy, data, size) != 0) try(copy, size);
  free(copy);
  return 0;
}
