// What each channel takes in the file, found by hopping from header to header.
#include "io/trajectory/traj_reader.h"
#include "core/base/alloc.h"

#include <inttypes.h>

// Adds the bytes of the block at *at, which has so many numbers, and goes behind it.
static bool count_block(const MbTraj *t, MbBlockName name, size_t numbers, uint64_t *at, uint64_t end) {
  unsigned char headers[MB_BLOCK_HEADERS_MAX];
  MbBlock block;
  const char *why = NULL;
  if (*at >= end) return false;
  const size_t n = end - *at < sizeof headers ? (size_t)(end - *at) : sizeof headers;
  if (mb_read_at(t->fd, *at, headers, n) || !mb_block_headers(headers, n, name, numbers, &block, &why))
    return false;
  t->sizes[name.id].bytes += block.length;
  *at += block.length;
  return true;
}

static bool count_list(const MbTraj *t, const MbChunkList *list, uint64_t *at, uint64_t end) {
  unsigned char bytes[8];
  if (*at >= end || end - *at < sizeof bytes || mb_read_at(t->fd, *at, bytes, sizeof bytes)) return false;
  const uint64_t entries = mb_get64(bytes);
  if (entries > MB_TRAJ_RAW_MAX) return false;
  *at += sizeof bytes;
  t->sizes[list->channel].entries += entries;
  t->sizes[list->channel].bytes += sizeof bytes;
  for (unsigned k = 0; k < list->width; k++)
    if (!count_block(t, (MbBlockName){list->channel, k + 1, false}, (size_t)entries, at, end)) return false;
  return true;
}

static bool count_chunk(const MbTraj *t, const MbTrajChunkInfo *c) {
  const uint64_t end = c->offset + c->length;
  uint64_t at = c->offset + MB_TRAJ_RECORD_HEADER + MB_TRAJ_CHUNK_HEADER + 8 * c->count;
  for (size_t i = 0; i < t->layout.nblocks; i++)
    if (!count_block(t, mb_chunk_block_name(&t->layout, i), (size_t)c->count * t->layout.block[i].cols, &at,
                     end))
      return false;
  for (size_t i = 0; i < t->layout.nlists; i++)
    if (!count_list(t, &t->layout.list[i], &at, end)) return false;
  return true;
}

static bool count(MbTraj *t, MbReport *report) {
  if (t->sizes) return true;
  t->sizes = mb_calloc(t->head.nchannels, sizeof *t->sizes);
  if (!t->sizes) return mb_no_memory(report, "counting bytes"), false;
  for (size_t i = 0; i < t->index.nchunks; i++)
    if (!count_chunk(t, &t->index.chunks[i]))
      mb_warning(report, "", "%s: the chunk at byte %" PRIu64 " is damaged and not counted", t->path,
                 t->index.chunks[i].offset);
  return true;
}

uint64_t mb_traj_channel_bytes(MbTraj *t, size_t channel, MbReport *report) {
  return count(t, report) ? t->sizes[channel].bytes : 0;
}

uint64_t mb_traj_channel_entries(MbTraj *t, size_t channel, MbReport *report) {
  return count(t, report) ? t->sizes[channel].entries : 0;
}
