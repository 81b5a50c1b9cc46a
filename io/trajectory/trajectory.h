// Trajectory files (.mbt): writing forward, reading at random. The format is described in io/README.md.
#ifndef MB_IO_TRAJECTORY_H
#define MB_IO_TRAJECTORY_H

#include "core/mbsim.h"

// ---- writing ----------------------------------------------------------------------------------------------

typedef struct MbTrajWriter MbTrajWriter;

// What the HEAD record says.
typedef struct MbTrajHead {
  const char *scene;         // resolved scene, JSON text
  const MbChannel *channels; // (nchannels); offsets are those of the frames given to the writer
  size_t nchannels;
  size_t frame_size;           // doubles a frame
  double bound[MB_QUANTITIES]; // error bounds; 0 = lossless
  double spent[MB_QUANTITIES]; // of them, by the numbers as they are given; below their bound
  double step;                 // of the simulation, s
  // channel constraint.error: what is allowed, and for how long (s) a gap that closes may be larger; 0 = not known
  double constraint_bound, constraint_patience;
  const char *const *bodies; // (nbodies) names
  size_t nbodies;
} MbTrajHead;

// One static mesh: the triangulated shape of a body, or a deformable's topology and rest positions.
typedef struct MbTrajMesh {
  const char *name;         // "<body>/shape/0"
  const char *body;         // that it moves with; NULL for a deformable
  uint32_t nv, ne, corners; // vertices, elements, corners an element (2, 3 or 4)
  const double *vertex;     // (nv x 3) in the body's frame
  const uint32_t *element;  // (ne x corners)
} MbTrajMesh;

typedef struct MbTrajCounts {
  uint64_t frames, chunks, raw_bytes, file_bytes; // raw: 8 bytes for each number and time, those of lists too
} MbTrajCounts;

// Creates `path` (which must not exist) and writes HEAD. Later calls return the first error there was again
// and write nothing more; what is in the file already stays readable.
MbStatus mb_traj_create(const char *path, const MbTrajHead *head, MbTrajWriter **writer, MbReport *report);
// Where a trajectory's bytes go that has no file of its own, in their order; 0, or an errno. It may be called in another thread.
typedef struct MbTrajSink {
  int (*put)(void *to, const void *bytes, size_t size);
  void *to;
} MbTrajSink;

// The same into `sink`; `name` is what messages call it.
MbStatus mb_traj_create_into(MbTrajSink sink, const char *name, const MbTrajHead *head, MbTrajWriter **writer,
                             MbReport *report);
// PROV: JSON text that `diff` and the hash leave out. May come more than once.
MbStatus mb_traj_provenance(MbTrajWriter *writer, const char *json, MbReport *report);
// DRAW: JSON text, what pictures need besides meshes (io/README.md); the hash and `diff` leave it out.
MbStatus mb_traj_drawing(MbTrajWriter *writer, const char *json, MbReport *report);
MbStatus mb_traj_mesh(MbTrajWriter *writer, const MbTrajMesh *mesh, MbReport *report);
// The entries (count x its width) of a channel's list in the next frame, whose number of that channel has to be their count; a list
// that is not given is empty. MB_USAGE: their keys are no whole numbers, or do not increase.
MbStatus mb_traj_entries(MbTrajWriter *writer, size_t channel, const double *entries, size_t count,
                         MbReport *report);
// Times must be finite and increase strictly.
MbStatus mb_traj_frame(MbTrajWriter *writer, double time, const double *frame, MbReport *report);
// Ends the current chunk, so that the frames before it are in the file when the checkpoint is.
MbStatus mb_traj_checkpoint(MbTrajWriter *writer, double time, uint64_t step, const void *bytes, size_t size,
                            MbReport *report);
MbStatus mb_traj_event(MbTrajWriter *writer, double time, uint64_t step, const char *text, MbReport *report);
void mb_traj_counts(const MbTrajWriter *writer, MbTrajCounts *counts);
// Writes what is left, index and trailer, makes it durable (fsync), closes and frees. Always frees.
MbStatus mb_traj_close(MbTrajWriter *writer, MbTrajCounts *counts, MbReport *report);
// Frees without writing index and trailer.
void mb_traj_abandon(MbTrajWriter *writer);

// ---- reading ----------------------------------------------------------------------------------------------

// Opening, channels and frames are in core/mbsim.h.

typedef struct MbTrajCheckpoint {
  double time;
  uint64_t step;
  uint64_t frames; // written before it
  size_t size;
  const void *bytes; // valid until the next call on this trajectory
} MbTrajCheckpoint;

typedef struct MbTrajEvent {
  double time;
  uint64_t step;
  const char *text;
} MbTrajEvent;

typedef struct MbTrajChunkInfo {
  uint64_t first, count, offset, length; // frames; bytes of the record in the file
  double t0, t1;
} MbTrajChunkInfo;

const char *mb_traj_path(const MbTraj *traj);
uint64_t mb_traj_file_bytes(const MbTraj *traj);
const char *mb_traj_head_json(const MbTraj *traj); // whole HEAD, JSON text
size_t mb_traj_provenances(const MbTraj *traj);
const char *mb_traj_provenance_json(const MbTraj *traj, size_t i);
const char *mb_traj_drawing_json(const MbTraj *traj); // NULL where the file has none
double mb_traj_step(const MbTraj *traj);
double mb_traj_constraint_bound(const MbTraj *traj, double *patience); // as in the head

double mb_traj_bound(const MbTraj *traj, size_t channel); // 0 = lossless
// The same of a number of the entries of a channel's list.
double mb_traj_field_bound(const MbTraj *traj, size_t channel, size_t field);
// Compressed bytes that this channel takes in the file (reads the chunks' block headers).
uint64_t mb_traj_channel_bytes(MbTraj *traj, size_t channel, MbReport *report);
// Entries that its list has in all frames together; 0 without a list.
uint64_t mb_traj_channel_entries(MbTraj *traj, size_t channel, MbReport *report);

size_t mb_traj_chunks(const MbTraj *traj);
MbTrajChunkInfo mb_traj_chunk(const MbTraj *traj, size_t i);
size_t mb_traj_meshes(const MbTraj *traj);
MbStatus mb_traj_read_mesh(MbTraj *traj, size_t i, MbTrajMesh *mesh, MbReport *report); // valid until freed
size_t mb_traj_events(const MbTraj *traj);
MbTrajEvent mb_traj_read_event(const MbTraj *traj, size_t i);
size_t mb_traj_checkpoints(const MbTraj *traj);
MbStatus mb_traj_read_checkpoint(MbTraj *traj, size_t i, MbTrajCheckpoint *checkpoint, MbReport *report);

// Frames that are missing before others, in order: chunks that were damaged and left out. The other frames keep
// their numbers.
typedef struct MbTrajGap {
  uint64_t first, count;
} MbTrajGap;
size_t mb_traj_gaps(const MbTraj *traj);
MbTrajGap mb_traj_gap(const MbTraj *traj, size_t i);
uint64_t mb_traj_frames_there(const MbTraj *traj); // mb_traj_frames() less those that are missing
// The first frame at or after `frame` that is there, mb_traj_frames() when there is none.
uint64_t mb_traj_frame_from(const MbTraj *traj, uint64_t frame);
// The last frame at or before `frame` that is there, UINT64_MAX when there is none.
uint64_t mb_traj_frame_until(const MbTraj *traj, uint64_t frame);

// Frames a:b:c as Python slices them: negative ones count from the end, the last is not among them, INT64_MAX is the end. With a
// negative stride (backwards) an open first is INT64_MAX, an open last INT64_MAX or INT64_MIN.
typedef struct MbTrajSlice {
  int64_t first, last, stride;
} MbTrajSlice;

// The frames of a slice: first, first + stride, ...: `span` of them, of which `count` are there.
typedef struct MbTrajFrames {
  const MbTraj *traj;
  uint64_t first, span, count;
  int64_t stride;
} MbTrajFrames;

// MB_USAGE (stride 0), MB_IO (every frame of the slice is missing).
MbStatus mb_traj_slice(const MbTraj *traj, MbTrajSlice slice, MbTrajFrames *frames, MbReport *report);
uint64_t mb_frames_at(const MbTrajFrames *frames, uint64_t i); // number of the ith
uint64_t mb_frames_next(const MbTrajFrames *frames,
                        uint64_t i); // the first from the ith on that is there, or the span

// Reads every record and checks every CRC and chunk; errors name record, offset and what is wrong, warnings
// the frames that are missing. MB_OK or MB_IO.
MbStatus mb_traj_verify(const char *path, MbReport *report);
// Writes to `target` (which must not exist) all whole records of `source`, a fresh index and a trailer. Warnings
// name what is left out, and the frames that are missing then.
MbStatus mb_traj_repair(const char *source, const char *target, MbTrajCounts *counts, MbReport *report);
// The same into an empty file that is open for writing and stays open; `name` is what messages call it.
MbStatus mb_traj_repair_into(const char *source, int fd, const char *name, MbTrajCounts *counts,
                             MbReport *report);
// A part of a trajectory, less exact or not.
typedef struct MbTrajExcerpt {
  MbTrajSlice slice; // with a stride above 0
  double error
      [MB_QUANTITIES]; // how far numbers may be from what the run computed; below twice what the file allows: as in the file
} MbTrajExcerpt;

// Writes it into `sink` as a trajectory of its own with meshes, events and provenance, without checkpoints; `note` is a further
// provenance (JSON), or NULL.
MbStatus mb_traj_excerpt(MbTraj *source, const MbTrajExcerpt *excerpt, const char *note, MbTrajSink sink,
                         MbReport *report);
// Hash of the decoded content: channels, times, numbers, meshes, bodies, step; not provenance, not the
// division into chunks, not the clock's channels. 32 hexadecimal digits and a 0.
MbStatus mb_traj_hash(MbTraj *traj, char hex[33], MbReport *report);

#endif
