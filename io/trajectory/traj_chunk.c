#include "io/trajectory/traj_chunk.h"
#include "core/base/alloc.h"

#include <math.h>
#include <stdlib.h>

// ---- which velocities belong to which poses ---------------------------------------------------------------

typedef struct Named {
  const char *name;
  size_t id;
} Named;

static int by_name(const void *a, const void *b) {
  const Named *x = a, *y = b;
  const int order = strcmp(x->name, y->name);
  return order ? order : (x->id > y->id) - (x->id < y->id);
}

// Length of `name` before `ending`, SIZE_MAX where it ends otherwise.
static size_t stem(const char *name, const char *ending) {
  const size_t n = strlen(name), m = strlen(ending);
  return n > m && !strcmp(name + n - m, ending) ? n - m : SIZE_MAX;
}

static int order_stem(const char *velocity, const char *name, size_t n) {
  const int order = strncmp(velocity, name, n);
  return order ? order : strcmp(velocity + n, ".velocity");
}

// The first channel called "<stem>.velocity", SIZE_MAX where there is none.
static size_t find_velocity(const Named *sorted, size_t count, const char *name, size_t n) {
  size_t low = 0, high = count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (order_stem(sorted[middle].name, name, n) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low < count && !order_stem(sorted[low].name, name, n) ? sorted[low].id : SIZE_MAX;
}

static MbMotionKind kind_of(const MbChannel *pose, bool turning, const MbChannel *velocity) {
  if (!pose->width || pose->items != velocity->items) return MB_MOTION_NONE;
  if (turning) return pose->width == 4 && velocity->width == 6 ? MB_MOTION_ROTATION : MB_MOTION_NONE;
  if (pose->width == velocity->width) return MB_MOTION_SAME;
  return pose->width == 3 && velocity->width == 6 ? MB_MOTION_LINEAR : MB_MOTION_NONE;
}

static void find_motion(const MbChannel *channels, const Named *sorted, MbChunkLayout *layout) {
  for (size_t i = 0; i < layout->nchannels; i++) {
    struct MbChunkChannel *c = &layout->channel[i];
    size_t n = stem(channels[i].name, ".position");
    const bool turning = n == SIZE_MAX;
    if (turning) n = stem(channels[i].name, ".rotation");
    if (n == SIZE_MAX) continue;
    c->source = find_velocity(sorted, layout->nchannels, channels[i].name, n);
    if (c->source == SIZE_MAX) continue;
    c->motion = kind_of(&channels[i], turning, &channels[c->source]);
    if (!c->motion) continue;
    layout->moving = true;
    const size_t cols = channels[c->source].items * channels[c->source].width;
    if (cols > layout->most_velocities) layout->most_velocities = cols;
  }
}

// ---- layout -----------------------------------------------------------------------------------------------

bool mb_chunk_layout(const MbChannel *channels, size_t nchannels, size_t frame_size, MbChunkLayout *layout) {
  *layout = (MbChunkLayout){.nchannels = nchannels, .frame_size = frame_size};
  layout->channel = mb_calloc(nchannels, sizeof *layout->channel);
  if (!layout->channel) return false;
  for (size_t i = 0; i < nchannels; i++) {
    const size_t cols = channels[i].items * channels[i].width;
    layout->channel[i] =
        (struct MbChunkChannel){.offset = channels[i].offset, .cols = cols, .width = channels[i].width};
    layout->total_cols += cols;
    if (cols > layout->most_cols) layout->most_cols = cols;
  }
  Named *sorted = mb_calloc(nchannels, sizeof *sorted);
  if (!sorted) {
    mb_chunk_layout_free(layout);
    return false;
  }
  for (size_t i = 0; i < nchannels; i++) sorted[i] = (Named){channels[i].name, i};
  qsort(sorted, nchannels, sizeof *sorted, by_name);
  find_motion(channels, sorted, layout);
  mb_free(sorted);
  return true;
}

void mb_chunk_layout_free(MbChunkLayout *layout) {
  mb_free(layout->channel);
  *layout = (MbChunkLayout){0};
}

size_t mb_chunk_capacity(const MbChunkLayout *layout) {
  const size_t fit = MB_TRAJ_CHUNK_BYTES / (8 * (layout->total_cols + 1));
  return fit < 1 ? 1 : fit < MB_TRAJ_CHUNK_FRAMES ? fit : MB_TRAJ_CHUNK_FRAMES;
}

size_t mb_chunk_room(const MbChunkLayout *layout, size_t frames) {
  return MB_TRAJ_CHUNK_HEADER + 8 * frames + layout->nchannels * mb_block_room(0) +
         8 * frames * layout->total_cols;
}

static MbGrid grid_of(const MbChunkLayout *layout, size_t channel, size_t rows) {
  return (MbGrid){.rows = rows,
                  .cols = layout->channel[channel].cols,
                  .stride = layout->frame_size,
                  .width = layout->channel[channel].width};
}

// Velocities as decoding will give them, for a channel that is predicted from them.
static bool moving(MbCodec *codec, const MbChunkLayout *layout, size_t i, size_t count, const double *times,
                   const double *frames, size_t *settled, MbMotion *motion) {
  const struct MbChunkChannel *c = &layout->channel[i];
  if (!c->motion || !(c->bound > 0)) return false;
  const struct MbChunkChannel *source = &layout->channel[c->source];
  *motion = (MbMotion){c->motion, times, frames + source->offset, layout->frame_size};
  if (!(source->bound > 0)) return true;
  double *velocity = NULL, *unused = NULL;
  if (!mb_codec_moving(codec, 0, layout->most_velocities * count, &unused, &velocity)) return false;
  if (*settled != c->source)
    mb_block_settle(motion->velocity, grid_of(layout, c->source, count), source->bound, velocity);
  *settled = c->source;
  motion->velocity = velocity;
  motion->stride = source->cols;
  return true;
}

size_t mb_chunk_encode(MbCodec *codec, const MbChunkLayout *layout, uint64_t first, size_t count,
                       const double *times, const double *frames, unsigned char *out) {
  mb_put64(out, first);
  mb_put32(out + 8, (uint32_t)count);
  mb_put32(out + 12, (uint32_t)layout->nchannels);
  unsigned char *at = out + MB_TRAJ_CHUNK_HEADER;
  for (size_t i = 0; i < count; i++, at += 8) mb_put_double(at, times[i]);
  size_t settled = SIZE_MAX; // the channel whose velocities the codec holds
  for (size_t i = 0; i < layout->nchannels; i++) {
    MbMotion motion;
    const bool moved = moving(codec, layout, i, count, times, frames, &settled, &motion);
    at += mb_block_encode(codec, (unsigned)i, frames + layout->channel[i].offset, grid_of(layout, i, count),
                          layout->channel[i].bound, moved ? &motion : NULL, at);
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

// ---- decoding ---------------------------------------------------------------------------------------------

bool mb_chunk_check(MbCodec *codec, const MbChunkLayout *layout, const MbChunk *chunk, const char **why) {
  const unsigned char *at = chunk->blocks;
  size_t left = chunk->size;
  for (size_t i = 0; i < layout->nchannels; i++) {
    const size_t numbers = chunk->count * layout->channel[i].cols;
    MbBlock block;
    if (!mb_block_parse(at, left, (unsigned)i, numbers, layout->channel[i].motion, &block, why) ||
        !mb_block_check(codec, &block, numbers, why))
      return false;
    at += block.length;
    left -= block.length;
  }
  if (left) return *why = "goes on behind its last block", false;
  return true;
}

// A chunk being decoded: velocities come before the poses that are predicted from them.
typedef struct Decoding {
  MbCodec *codec;
  const MbChunkLayout *layout;
  const MbChunk *chunk;
  const bool *wanted;
  double *frames;
  size_t *place; // (nchannels) where each block begins, NULL where no channel is predicted from another
  size_t held;   // the channel whose velocities the codec holds, SIZE_MAX = none
  bool late;     // there are blocks left for the second pass
} Decoding;

static bool is_wanted(const Decoding *d, size_t i) { return !d->wanted || d->wanted[i]; }

// Blocks that need no other: all that are wanted, but those predicted from velocities.
static bool decode_first(Decoding *d, const char **why) {
  size_t at = 0;
  for (size_t i = 0; i < d->layout->nchannels; i++) {
    const MbGrid grid = grid_of(d->layout, i, d->chunk->count);
    const struct MbChunkChannel *c = &d->layout->channel[i];
    MbBlock block;
    if (!mb_block_parse(d->chunk->blocks + at, d->chunk->size - at, (unsigned)i, grid.rows * grid.cols,
                        c->motion, &block, why))
      return false;
    if (d->place) d->place[i] = at;
    at += block.length;
    if (!is_wanted(d, i)) continue;
    d->late |= block.predictor.motion;
    if (!block.predictor.motion && !mb_block_decode(d->codec, &block, grid, NULL, d->frames + c->offset, why))
      return false;
  }
  if (at != d->chunk->size) return *why = "goes on behind its last block", false;
  return true;
}

// The block again; its headers were found good.
static MbBlock block_of(const Decoding *d, size_t i, MbGrid grid) {
  MbBlock block = {0};
  const char *why = NULL;
  mb_block_parse(d->chunk->blocks + d->place[i], d->chunk->size - d->place[i], (unsigned)i,
                 grid.rows * grid.cols, d->layout->channel[i].motion, &block, &why);
  return block;
}

static bool decode_moving(Decoding *d, size_t i, const MbBlock *block, const char **why) {
  const MbGrid grid = grid_of(d->layout, i, d->chunk->count);
  const struct MbChunkChannel *c = &d->layout->channel[i], *source = &d->layout->channel[c->source];
  MbGrid from = grid_of(d->layout, c->source, d->chunk->count);
  double *time = NULL, *velocity = NULL;
  if (!mb_codec_moving(d->codec, grid.rows,
                       is_wanted(d, c->source) ? 0 : d->layout->most_velocities * grid.rows, &time,
                       &velocity))
    return *why = "does not fit in memory", false;
  for (size_t r = 0; r < grid.rows; r++) time[r] = mb_get_double(d->chunk->times + 8 * r);
  MbMotion motion = {c->motion, time, d->frames + source->offset, d->layout->frame_size};
  if (!is_wanted(d, c->source)) {
    from.stride = from.cols;
    const MbBlock moved = block_of(d, c->source, from);
    if (d->held != c->source && !mb_block_decode(d->codec, &moved, from, NULL, velocity, why)) return false;
    d->held = c->source;
    motion.velocity = velocity;
    motion.stride = from.stride;
  }
  return mb_block_decode(d->codec, block, grid, &motion, d->frames + c->offset, why);
}

static bool decode_late(Decoding *d, const char **why) {
  for (size_t i = 0; i < d->layout->nchannels; i++) {
    if (!is_wanted(d, i) || !d->layout->channel[i].motion) continue;
    const MbBlock block = block_of(d, i, grid_of(d->layout, i, d->chunk->count));
    if (block.predictor.motion && !decode_moving(d, i, &block, why)) return false;
  }
  return true;
}

bool mb_chunk_decode(MbCodec *codec, const MbChunkLayout *layout, const MbChunk *chunk, const bool *wanted,
                     double *frames, const char **why) {
  Decoding d = {codec, layout, chunk, wanted, frames, NULL, SIZE_MAX, false};
  if (layout->moving && !(d.place = mb_calloc(layout->nchannels, sizeof *d.place)))
    return *why = "does not fit in memory", false;
  const bool good = decode_first(&d, why) && (!d.late || decode_late(&d, why));
  mb_free(d.place);
  return good;
}
