#include "io/trajectory/traj_reader.h"
#include "core/base/alloc.h"

#include <inttypes.h>
#include <math.h>

MbStatus mb_traj_bad_chunk(MbTraj *t, size_t at, const char *why, MbReport *report) {
  const MbTrajChunkInfo *c = &t->index.chunks[at];
  t->whole = false;
  t->chunk_at = SIZE_MAX;
  return mb_error(report, MB_IO, "",
                  "%s: the chunk of frames %" PRIu64 " to %" PRIu64 " at byte %" PRIu64 " %s", t->path,
                  c->first, c->first + c->count - 1, c->offset, why);
}

MbStatus mb_traj_need_codec(MbTraj *t, size_t frames, MbReport *report) {
  const size_t numbers = frames * t->layout.most_cols;
  if (t->codec && numbers <= t->codec_numbers) return MB_OK;
  mb_codec_free(t->codec);
  t->codec = mb_codec_create(false, numbers, t->layout.most_cols);
  t->codec_numbers = numbers;
  return t->codec ? MB_OK : mb_no_memory(report, "decoding a chunk");
}

MbStatus mb_traj_load_chunk(MbTraj *t, size_t at, MbReport *report) {
  if (t->chunk_at == at) return MB_OK;
  const MbTrajChunkInfo *c = &t->index.chunks[at];
  MbRecord record;
  const char *why = NULL;
  t->chunk_at = SIZE_MAX;
  if (!mb_record_load(t->fd, t->file_bytes, c->offset, c->length, &record, &t->payload, &t->payload_room,
                      &why))
    return mb_traj_bad_chunk(t, at, why, report);
  why = "is not the one that the index means";
  if (record.tag != MB_TAG_CHNK || record.flags ||
      !mb_chunk_parse(&t->layout, t->payload, (size_t)record.length, &t->chunk, &why))
    return mb_traj_bad_chunk(t, at, why, report);
  if (t->chunk.first != c->first || t->chunk.count != c->count)
    return mb_traj_bad_chunk(t, at, "is not the one that the index means", report);
  memset(t->decoded, 0, t->head.nchannels * sizeof *t->decoded);
  t->chunk_at = at;
  return MB_OK;
}

MbStatus mb_traj_decode(MbTraj *t, const bool *wanted, MbReport *report) {
  const size_t numbers = t->chunk.count * t->head.frame_size;
  if (numbers > t->frames_room) {
    mb_free(t->frames);
    t->frames_room = 0;
    t->frames = mb_calloc(numbers, sizeof *t->frames);
    if (!t->frames) return mb_no_memory(report, "the frames of a chunk");
    t->frames_room = numbers;
    memset(t->decoded, 0, t->head.nchannels * sizeof *t->decoded);
  }
  bool *missing = mb_calloc(t->head.nchannels, sizeof *missing), any = false;
  if (!missing) return mb_no_memory(report, "the frames of a chunk");
  for (size_t i = 0; i < t->head.nchannels; i++) any |= missing[i] = (!wanted || wanted[i]) && !t->decoded[i];
  const char *why = NULL;
  MbStatus status = any ? mb_traj_need_codec(t, t->chunk.count, report) : MB_OK;
  if (!status && any && !mb_chunk_decode(t->codec, &t->layout, &t->chunk, missing, t->frames, &why))
    status = mb_traj_bad_chunk(t, t->chunk_at, why, report);
  for (size_t i = 0; i < t->head.nchannels && !status; i++) t->decoded[i] |= missing[i];
  mb_free(missing);
  return status;
}

static void copy_wanted(const MbTraj *t, const bool *wanted, const double *from, size_t count, double *to) {
  const size_t size = t->head.frame_size;
  if (!wanted) {
    if (count && size) memcpy(to, from, count * size * sizeof *to);
    return;
  }
  for (size_t i = 0; i < t->head.nchannels; i++) {
    const size_t offset = t->layout.channel[i].offset, cols = t->layout.channel[i].cols;
    if (!wanted[i] || !cols) continue;
    for (size_t f = 0; f < count; f++)
      memcpy(to + f * size + offset, from + f * size + offset, cols * sizeof *to);
  }
}

// Frames [from, from + count) of the current chunk.
static MbStatus read_part(MbTraj *t, size_t from, size_t count, const bool *wanted, double *times,
                          double *frames, MbReport *report) {
  const char *why = NULL;
  for (size_t i = 0; times && i < count; i++) times[i] = mb_get_double(t->chunk.times + 8 * (from + i));
  if (!frames) return MB_OK;
  if (count == t->chunk.count) { // all of it: no need to pass through the cache
    MbStatus status = mb_traj_need_codec(t, count, report);
    if (!status && !mb_chunk_decode(t->codec, &t->layout, &t->chunk, wanted, frames, &why))
      status = mb_traj_bad_chunk(t, t->chunk_at, why, report);
    return status;
  }
  const MbStatus status = mb_traj_decode(t, wanted, report);
  if (!status) copy_wanted(t, wanted, t->frames + from * t->head.frame_size, count, frames);
  return status;
}

// The chunk with the largest first frame not above `frame`; SIZE_MAX when there is none.
static size_t chunk_of(const MbIndex *index, uint64_t frame) {
  size_t low = 0, high = index->nchunks;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (index->chunks[middle].first <= frame)
      low = middle + 1;
    else
      high = middle;
  }
  return low - 1;
}

MbStatus mb_traj_need_frame(MbTraj *t, uint64_t frame, size_t *from, MbReport *report) {
  const size_t at = chunk_of(&t->index, frame);
  const MbTrajChunkInfo *c = at == SIZE_MAX ? NULL : &t->index.chunks[at];
  if (!c || frame - c->first >= c->count) {
    t->whole = false;
    const uint64_t next = t->index.chunks[at + 1].first; // there is one: the frame is not behind the last
    return mb_error(report, MB_IO, "", "%s: frames %" PRIu64 " to %" PRIu64 " are missing", t->path, frame,
                    next - 1);
  }
  *from = (size_t)(frame - c->first);
  return mb_traj_load_chunk(t, at, report);
}

MbStatus mb_traj_read(MbTraj *t, uint64_t first, uint64_t count, const bool *wanted, double *times,
                      double *frames, MbReport *report) {
  const uint64_t total = mb_traj_frames(t);
  if (first > total || count > total - first)
    return mb_error(report, MB_USAGE, "", "%s has %" PRIu64 " frames, not %" PRIu64 " from %" PRIu64 " on",
                    t->path, total, count, first);
  while (count) {
    size_t from = 0;
    MbStatus status = mb_traj_need_frame(t, first, &from, report);
    if (status) return status;
    const uint64_t left = t->chunk.count - from, n = left < count ? left : count;
    status = read_part(t, from, (size_t)n, wanted, times, frames, report);
    if (status) return status;
    if (times) times += n;
    if (frames) frames += n * t->head.frame_size;
    first += n;
    count -= n;
  }
  return MB_OK;
}

// ---- by time ----------------------------------------------------------------------------------------------

// The frame of chunk `at` nearest to t, and how far it is.
static uint64_t nearest_in(MbTraj *traj, size_t at, double t, double *distance) {
  const MbTrajChunkInfo *c = &traj->index.chunks[at];
  uint64_t best = t - c->t0 <= c->t1 - t ? c->first : c->first + c->count - 1;
  *distance = fmin(fabs(t - c->t0), fabs(t - c->t1));
  if (t <= c->t0 || t >= c->t1 || mb_traj_load_chunk(traj, at, NULL)) return best;
  for (size_t i = 0; i < traj->chunk.count; i++) {
    const double d = fabs(mb_get_double(traj->chunk.times + 8 * i) - t);
    if (d >= *distance) continue;
    *distance = d;
    best = c->first + i;
  }
  return best;
}

uint64_t mb_traj_frame_at(MbTraj *traj, double t) {
  const MbIndex *index = &traj->index;
  if (!index->nchunks) return 0;
  // the last chunk that begins at or before t, and the one after it
  size_t low = 0, high = index->nchunks;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (index->chunks[middle].t0 <= t)
      low = middle + 1;
    else
      high = middle;
  }
  const size_t at = low ? low - 1 : 0;
  double distance = 0, next = 0;
  const uint64_t frame = nearest_in(traj, at, t, &distance);
  if (at + 1 >= index->nchunks) return frame;
  next = fabs(index->chunks[at + 1].t0 - t);
  return next < distance ? index->chunks[at + 1].first : frame;
}
