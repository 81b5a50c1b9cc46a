// Frames of a chunk to the payload of a CHNK record and back: a block for each channel, then its lists.
#include "io/trajectory/traj_chunk.h"
#include "core/base/alloc.h"

#include <math.h>

size_t mb_chunk_capacity(const MbChunkLayout *layout) {
  const size_t fit = MB_TRAJ_CHUNK_BYTES / (8 * (layout->total_cols + 1));
  return fit < 1 ? 1 : fit < MB_TRAJ_CHUNK_FRAMES ? fit : MB_TRAJ_CHUNK_FRAMES;
}

size_t mb_chunk_room(const MbChunkLayout *layout, size_t frames) {
  return MB_TRAJ_CHUNK_HEADER + 8 * frames + layout->nblocks * mb_block_room(0) +
         8 * frames * layout->total_cols;
}

static MbGrid grid_of(const MbChunkLayout *layout, size_t block, size_t rows) {
  const struct MbChunkBlock *b = &layout->block[block];
  return (MbGrid){
      .rows = rows, .cols = b->cols, .stride = layout->frame_size, .width = b->width, .step = b->step};
}

// ---- encoding ---------------------------------------------------------------------------------------------

typedef struct Frames {
  size_t count;
  const double *times, *numbers; // (count), (count x frame_size)
  size_t held;                   // the block whose velocities the codec holds, SIZE_MAX = none
} Frames;

// Velocities as decoding will give them, for a block that is predicted from them; false where there are none.
static bool settled_velocities(MbCodec *codec, const MbChunkLayout *layout, size_t i, Frames *f,
                               MbMotion *motion) {
  const struct MbChunkBlock *b = &layout->block[i];
  if (!b->motion || !(layout->channel[b->channel].bound > 0)) return false;
  const struct MbChunkBlock *source = &layout->block[b->source];
  const double bound = layout->channel[source->channel].bound, *from = f->numbers + source->offset;
  if (!(bound > 0)) {
    *motion = (MbMotion){b->motion, f->times, from, layout->frame_size, source->step};
    return true;
  }
  double *velocity = NULL, *unused = NULL;
  if (!mb_codec_moving(codec, 0, layout->most_velocities * f->count, &unused, &velocity)) return false;
  if (f->held != b->source) {
    mb_grid_pack(from, grid_of(layout, b->source, f->count), velocity);
    mb_block_settle(velocity, f->count * source->cols, bound);
  }
  f->held = b->source;
  *motion = (MbMotion){b->motion, f->times, velocity, source->cols, source->width};
  return true;
}

size_t mb_chunk_encode(MbCodec *codec, const MbChunkLayout *layout, uint64_t first, size_t count,
                       const double *times, const double *frames, unsigned char *out) {
  mb_put64(out, first);
  mb_put32(out + 8, (uint32_t)count);
  mb_put32(out + 12, (uint32_t)layout->nchannels);
  unsigned char *at = out + MB_TRAJ_CHUNK_HEADER;
  for (size_t i = 0; i < count; i++, at += 8) mb_put_double(at, times[i]);
  Frames f = {count, times, frames, SIZE_MAX};
  for (size_t i = 0; i < layout->nblocks; i++) {
    const struct MbChunkBlock *b = &layout->block[i];
    MbMotion motion;
    const bool moved = settled_velocities(codec, layout, i, &f, &motion);
    at +=
        mb_block_encode(codec, mb_chunk_block_name(layout, i), frames + b->offset, grid_of(layout, i, count),
                        layout->channel[b->channel].bound, moved ? &motion : NULL, at);
  }
  return (size_t)(at - out);
}

bool mb_chunk_parse(const MbChunkLayout *layout, const unsigned char *p, size_t length, MbChunk *chunk,
                    const char **why) {
  if (length < MB_TRAJ_CHUNK_HEADER) return *why = "ends within its header", false;
  const uint64_t count = mb_get32(p + 8);
  *chunk = (MbChunk){.first = mb_get64(p), .count = (size_t)count, .times = p + MB_TRAJ_CHUNK_HEADER};
  if (!count || chunk->first >= (uint64_t)1 << 62) return *why = "has an invalid header", false;
  if (mb_get32(p + 12) != layout->nchannels) return *why = "has not as many channels as the head says", false;
  if (8 * count > length - MB_TRAJ_CHUNK_HEADER) return *why = "ends within its times", false;
  if (layout->frame_size && count > MB_TRAJ_RAW_MAX / 8 / layout->frame_size)
    return *why = "holds more than the limit of 1 GiB of numbers", false;
  chunk->blocks = chunk->times + 8 * count;
  chunk->size = length - MB_TRAJ_CHUNK_HEADER - 8 * (size_t)count;
  double before = -INFINITY;
  for (size_t i = 0; i < chunk->count; i++) {
    const double t = mb_get_double(chunk->times + 8 * i);
    if (!(t > before) || isinf(t)) return *why = "has times that do not increase", false;
    before = t;
  }
  return true;
}

// ---- lists ------------------------------------------------------------------------------------------------

MbListCounts mb_chunk_counts(const MbChunkLayout *layout, size_t list, const double *frames, size_t count) {
  return (MbListCounts){frames + layout->list[list].offset, layout->frame_size, count};
}

// Goes over the lists, which begin `at` bytes behind the first block, to the end of the chunk or until list `wanted` is found.
static bool walk_lists(const MbChunkLayout *layout, const MbChunk *chunk, size_t at, size_t wanted,
                       MbListPlace *place, const char **why) {
  for (size_t i = 0; i < layout->nlists; i++) {
    if (!mb_list_parse(chunk->blocks + at, chunk->size - at, &layout->list[i], place, why)) return false;
    if (i == wanted) return true;
    at += place->length;
  }
  return at == chunk->size || (*why = "goes on behind its last block", false);
}

bool mb_chunk_find_list(const MbChunkLayout *layout, const MbChunk *chunk, size_t list, MbListPlace *place,
                        const char **why) {
  size_t at = 0;
  for (size_t i = 0; i < layout->nblocks; i++) {
    MbBlock block;
    if (!mb_block_parse(chunk->blocks + at, chunk->size - at, mb_chunk_block_name(layout, i),
                        chunk->count * layout->block[i].cols, &block, why))
      return false;
    at += block.length;
  }
  return walk_lists(layout, chunk, at, list, place, why);
}

// Makes the numbers of one list, which also tells whether they make sense.
static bool check_list(MbCodec *codec, MbListWork *work, const MbChunkLayout *layout, const MbChunk *chunk,
                       size_t list, const char **why) {
  const MbChunkList *l = &layout->list[list];
  MbListPlace place;
  if (!mb_chunk_find_list(layout, chunk, list, &place, why)) return false;
  double *frames = mb_calloc(chunk->count * layout->frame_size, sizeof *frames);
  double *entries = mb_calloc(place.entries * l->width, sizeof *entries);
  bool *wanted = mb_calloc(layout->nchannels, sizeof *wanted);
  bool good = frames && entries && wanted;
  if (!good) *why = "does not fit in memory";
  if (good) wanted[l->channel] = true;
  good = good && mb_chunk_decode(codec, layout, chunk, wanted, frames, why) &&
         mb_list_decode(work, l, mb_chunk_counts(layout, list, frames, chunk->count), &place, entries, why);
  mb_free(frames);
  mb_free(entries);
  mb_free(wanted);
  return good;
}

// ---- decoding ---------------------------------------------------------------------------------------------

bool mb_chunk_check(MbCodec *codec, MbListWork *work, const MbChunkLayout *layout, const MbChunk *chunk,
                    const char **why) {
  size_t at = 0;
  for (size_t i = 0; i < layout->nblocks; i++) {
    const size_t numbers = chunk->count * layout->block[i].cols;
    MbBlock block;
    if (!mb_block_parse(chunk->blocks + at, chunk->size - at, mb_chunk_block_name(layout, i), numbers, &block,
                        why) ||
        !mb_block_check(codec, &block, numbers, why))
      return false;
    at += block.length;
  }
  MbListPlace unused;
  if (!walk_lists(layout, chunk, at, SIZE_MAX, &unused, why)) return false;
  for (size_t i = 0; i < layout->nlists; i++)
    if (!check_list(codec, work, layout, chunk, i, why)) return false;
  return true;
}

// A chunk being decoded: velocities come before the poses that are predicted from them.
typedef struct Decoding {
  MbCodec *codec;
  const MbChunkLayout *layout;
  const MbChunk *chunk;
  const bool *wanted; // (nchannels)
  double *frames;
  size_t *place; // (nblocks) where each block begins, NULL where none may be predicted from another
  size_t held;   // the block whose velocities the codec holds, SIZE_MAX = none
  bool late;     // there are blocks left for the second pass
} Decoding;

static bool is_wanted(const Decoding *d, size_t block) {
  return !d->wanted || d->wanted[d->layout->block[block].channel];
}

static bool parse_block(const Decoding *d, size_t i, size_t at, MbBlock *block, const char **why) {
  return mb_block_parse(d->chunk->blocks + at, d->chunk->size - at, mb_chunk_block_name(d->layout, i),
                        d->chunk->count * d->layout->block[i].cols, block, why);
}

static bool decode_block(const Decoding *d, size_t i, const MbBlock *block, const MbMotion *motion,
                         const char **why) {
  return mb_block_decode(d->codec, block, grid_of(d->layout, i, d->chunk->count), motion,
                         d->frames + d->layout->block[i].offset, why);
}

// Blocks that need no other: all that are wanted, but those predicted from velocities.
static bool decode_first(Decoding *d, const char **why) {
  size_t at = 0;
  for (size_t i = 0; i < d->layout->nblocks; i++) {
    MbBlock block;
    if (!parse_block(d, i, at, &block, why)) return false;
    if (d->place) d->place[i] = at;
    at += block.length;
    if (!is_wanted(d, i)) continue;
    d->late |= block.predictor.motion;
    if (!block.predictor.motion && !decode_block(d, i, &block, NULL, why)) return false;
  }
  MbListPlace unused;
  return walk_lists(d->layout, d->chunk, at, SIZE_MAX, &unused, why);
}

// The velocities of block i: where they were decoded already, or decoded now.
static bool find_velocities(Decoding *d, size_t i, MbMotion *motion, const char **why) {
  const struct MbChunkBlock *b = &d->layout->block[i], *source = &d->layout->block[b->source];
  const size_t rows = d->chunk->count;
  const bool there = is_wanted(d, b->source);
  double *time = NULL, *velocity = NULL;
  if (!mb_codec_moving(d->codec, rows, there ? 0 : d->layout->most_velocities * rows, &time, &velocity))
    return *why = "does not fit in memory", false;
  for (size_t r = 0; r < rows; r++) time[r] = mb_get_double(d->chunk->times + 8 * r);
  *motion = (MbMotion){b->motion, time, d->frames + source->offset, d->layout->frame_size, source->step};
  if (there) return true;

  const MbGrid packed = {rows, source->cols, source->cols, source->width, source->width};
  *motion = (MbMotion){b->motion, time, velocity, packed.stride, packed.step};
  if (d->held == b->source) return true;
  d->held = b->source;
  MbBlock block;
  return parse_block(d, b->source, d->place[b->source], &block, why) &&
         mb_block_decode(d->codec, &block, packed, NULL, velocity, why);
}

static bool decode_late(Decoding *d, const char **why) {
  for (size_t i = 0; i < d->layout->nblocks; i++) {
    MbBlock block;
    MbMotion motion;
    if (!is_wanted(d, i) || !d->layout->block[i].motion) continue;
    if (!parse_block(d, i, d->place[i], &block, why)) return false;
    if (!block.predictor.motion) continue;
    if (!find_velocities(d, i, &motion, why) || !decode_block(d, i, &block, &motion, why)) return false;
  }
  return true;
}

bool mb_chunk_decode(MbCodec *codec, const MbChunkLayout *layout, const MbChunk *chunk, const bool *wanted,
                     double *frames, const char **why) {
  Decoding d = {codec, layout, chunk, wanted, frames, NULL, SIZE_MAX, false};
  if (layout->moving && !(d.place = mb_calloc(layout->nblocks, sizeof *d.place)))
    return *why = "does not fit in memory", false;
  const bool good = decode_first(&d, why) && (!d.late || decode_late(&d, why));
  mb_free(d.place);
  return good;
}
