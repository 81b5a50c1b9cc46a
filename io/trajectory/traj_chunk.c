#include "io/trajectory/traj_chunk.h"
#include "core/base/alloc.h"

#include <math.h>

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

size_t mb_chunk_encode(MbCodec *codec, const MbChunkLayout *layout, uint64_t first, size_t count,
                       const double *times, const double *frames, unsigned char *out) {
  mb_put64(out, first);
  mb_put32(out + 8, (uint32_t)count);
  mb_put32(out + 12, (uint32_t)layout->nchannels);
  unsigned char *at = out + MB_TRAJ_CHUNK_HEADER;
  for (size_t i = 0; i < count; i++, at += 8) mb_put_double(at, times[i]);
  for (size_t i = 0; i < layout->nchannels; i++)
    at += mb_block_encode(codec, (unsigned)i, frames + layout->channel[i].offset, grid_of(layout, i, count),
                          layout->channel[i].bound, at);
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

// Goes through the blocks; decodes the wanted ones into `frames`, or checks all when that is NULL.
static bool walk(MbCodec *codec, const MbChunkLayout *layout, const MbChunk *chunk, const bool *wanted,
                 double *frames, const char **why) {
  const unsigned char *at = chunk->blocks;
  size_t left = chunk->size;
  for (size_t i = 0; i < layout->nchannels; i++) {
    const MbGrid grid = grid_of(layout, i, chunk->count);
    MbBlock block;
    if (!mb_block_parse(at, left, (unsigned)i, grid.rows * grid.cols, &block, why)) return false;
    at += block.length;
    left -= block.length;
    if (!frames && !mb_block_check(codec, &block, grid.rows * grid.cols, why)) return false;
    if (frames && (!wanted || wanted[i]) &&
        !mb_block_decode(codec, &block, grid, frames + layout->channel[i].offset, why))
      return false;
  }
  if (left) return *why = "goes on behind its last block", false;
  return true;
}

bool mb_chunk_decode(MbCodec *codec, const MbChunkLayout *layout, const MbChunk *chunk, const bool *wanted,
                     double *frames, const char **why) {
  return walk(codec, layout, chunk, wanted, frames, why);
}

bool mb_chunk_check(MbCodec *codec, const MbChunkLayout *layout, const MbChunk *chunk, const char **why) {
  return walk(codec, layout, chunk, NULL, NULL, why);
}
