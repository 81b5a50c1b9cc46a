// The entries of lists, read at random as frames are.
#include "io/trajectory/traj_reader.h"
#include "core/base/alloc.h"

#include <inttypes.h>

static MbStatus no_memory(MbReport *report) { return mb_no_memory(report, "the lists of a chunk"); }

static bool grow(void **block, size_t *room, size_t count, size_t size) {
  if (*block && count <= *room) return true;
  mb_free(*block);
  *block = mb_calloc(count, size);
  *room = *block ? count : 0;
  return *block;
}

// Decodes list i of the current chunk into its cache.
static MbStatus decode(MbTraj *t, size_t i, MbReport *report) {
  const MbChunkList *list = &t->layout.list[i];
  MbListCache *cache = &t->lists[i];
  MbListPlace place;
  const char *why = NULL;
  cache->there = false;
  bool *wanted = mb_calloc(t->head.nchannels, sizeof *wanted);
  if (!wanted) return no_memory(report);
  wanted[list->channel] = true;
  const MbStatus status = mb_traj_decode(t, wanted, report);
  mb_free(wanted);
  if (status) return status;

  const MbListCounts counts = mb_chunk_counts(&t->layout, i, t->frames, t->chunk.count);
  if (!mb_chunk_find_list(&t->layout, &t->chunk, i, &place, &why))
    return mb_traj_bad_chunk(t, t->chunk_at, why, report);
  if (!grow((void **)&cache->entries, &cache->entries_room, place.entries * list->width,
            sizeof *cache->entries) ||
      !grow((void **)&cache->start, &cache->start_room, t->chunk.count + 1, sizeof *cache->start))
    return no_memory(report);
  if (!mb_list_decode(t->list_work, list, counts, &place, cache->entries, &why))
    return mb_traj_bad_chunk(t, t->chunk_at, why, report);
  cache->start[0] = 0;
  for (size_t f = 0; f < t->chunk.count; f++)
    cache->start[f + 1] = cache->start[f] + (size_t)counts.first[f * counts.stride];
  cache->chunk_at = t->chunk_at;
  cache->there = true;
  return MB_OK;
}

MbStatus mb_traj_list(MbTraj *t, uint64_t frame, const MbChannel *channel, const double **entries,
                      size_t *count, MbReport *report) {
  size_t i = 0, from = 0;
  while (i < t->layout.nlists && t->layout.list[i].channel != (size_t)(channel - t->head.channels)) i++;
  if (i == t->layout.nlists)
    return mb_error(report, MB_USAGE, "", "%s: channel %s has no list", t->path, channel->name);
  if (frame >= mb_traj_frames(t))
    return mb_error(report, MB_USAGE, "", "%s has %" PRIu64 " frames, and no frame %" PRIu64, t->path,
                    mb_traj_frames(t), frame);
  MbStatus status = mb_traj_need_frame(t, frame, &from, report);
  MbListCache *cache = &t->lists[i];
  if (!status && !(cache->there && cache->chunk_at == t->chunk_at)) status = decode(t, i, report);
  if (status) return status;
  *entries = cache->entries + cache->start[from] * t->layout.list[i].width;
  *count = cache->start[from + 1] - cache->start[from];
  return MB_OK;
}
