// The hash of what a trajectory says, whatever its chunks, modes, bounds and provenance are.
#include "io/trajectory/traj_reader.h"
#include "core/base/alloc.h"
#include "core/base/hash.h"

static void hash_head(const MbTraj *t, MbHash *hash) {
  mb_hash_text(hash, "mbt content 1");
  mb_hash_doubles(hash, &t->head.step, 1);
  mb_hash_word(hash, t->head.nbodies);
  for (size_t i = 0; i < t->head.nbodies; i++) mb_hash_text(hash, t->head.bodies[i]);
  for (size_t i = 0; i < t->head.nchannels; i++) {
    const MbChannel *c = &t->head.channels[i];
    if (c->unstable) continue;
    mb_hash_text(hash, c->name);
    mb_hash_word(hash, c->items);
    mb_hash_word(hash, c->width);
    if (!c->list) continue;
    mb_hash_word(hash, c->list->keys);
    mb_hash_word(hash, c->list->width);
  }
}

static MbStatus hash_meshes(MbTraj *t, MbHash *hash, MbReport *report) {
  mb_hash_word(hash, t->meshes.count);
  for (size_t i = 0; i < t->meshes.count; i++) {
    MbTrajMesh m;
    const MbStatus status = mb_traj_read_mesh(t, i, &m, report);
    if (status) return status;
    mb_hash_text(hash, m.name);
    mb_hash_text(hash, m.body ? m.body : "");
    mb_hash_word(hash, m.nv);
    mb_hash_word(hash, m.ne);
    mb_hash_word(hash, m.corners);
    mb_hash_doubles(hash, m.vertex, 3 * (size_t)m.nv);
    for (size_t k = 0; k < (size_t)m.ne * m.corners; k++) mb_hash_word(hash, m.element[k]);
  }
  return MB_OK;
}

static MbStatus hash_list(MbTraj *t, uint64_t frame, const MbChannel *channel, MbHash *hash,
                          MbReport *report) {
  const double *entries = NULL;
  size_t count = 0;
  const MbStatus status = mb_traj_list(t, frame, channel, &entries, &count, report);
  if (!status) mb_hash_doubles(hash, entries, count * channel->list->width);
  return status;
}

static MbStatus hash_chunk(MbTraj *t, size_t at, const bool *stable, double *times, double *frames,
                           MbHash *hash, MbReport *report) {
  const MbTrajChunkInfo *c = &t->index.chunks[at];
  MbStatus status = mb_traj_read(t, c->first, c->count, stable, times, frames, report);
  for (size_t f = 0; f < c->count && !status; f++) {
    mb_hash_doubles(hash, &times[f], 1);
    for (size_t i = 0; i < t->head.nchannels && !status; i++) {
      if (!stable[i]) continue;
      mb_hash_doubles(hash, frames + f * t->head.frame_size + t->layout.channel[i].offset,
                      t->layout.channel[i].cols);
      if (t->head.channels[i].list) status = hash_list(t, c->first + f, &t->head.channels[i], hash, report);
    }
  }
  return status;
}

// Missing frames make the hash fail: there is none of a trajectory with holes.
static MbStatus hash_frames(MbTraj *t, MbHash *hash, MbReport *report) {
  size_t most = 0;
  uint64_t expected = 0;
  for (size_t i = 0; i < t->index.nchunks; i++) {
    const MbTrajChunkInfo *c = &t->index.chunks[i];
    if (c->first != expected) return mb_traj_read(t, expected, 1, NULL, NULL, NULL, report);
    expected = c->first + c->count;
    // a chunk whose numbers cannot lie in the file is refused before memory is asked for
    const MbStatus status = mb_traj_load_chunk(t, i, report);
    if (status) return status;
    if (c->count > most) most = (size_t)c->count;
  }
  bool *stable = mb_calloc(t->head.nchannels, sizeof *stable);
  double *times = mb_calloc(most, sizeof *times),
         *frames = mb_calloc(most * t->head.frame_size, sizeof *frames);
  MbStatus status = stable && times && frames ? MB_OK : mb_no_memory(report, "hashing a trajectory");
  for (size_t i = 0; i < t->head.nchannels && !status; i++) stable[i] = !t->head.channels[i].unstable;
  mb_hash_word(hash, expected);
  for (size_t i = 0; i < t->index.nchunks && !status; i++)
    status = hash_chunk(t, i, stable, times, frames, hash, report);
  mb_free(frames);
  mb_free(times);
  mb_free(stable);
  return status;
}

MbStatus mb_traj_hash(MbTraj *t, char hex[33], MbReport *report) {
  MbHash hash;
  hex[0] = 0;
  mb_hash_begin(&hash);
  hash_head(t, &hash);
  MbStatus status = hash_meshes(t, &hash, report);
  if (!status) status = hash_frames(t, &hash, report);
  if (!status) mb_hash_hex(&hash, hex);
  return status;
}
