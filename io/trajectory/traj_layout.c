// Which numbers of a frame make a block, and which velocities belong to which poses.
#include "core/base/alloc.h"
#include "io/trajectory/traj_chunk.h"

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

// The block of `pose`'s velocities in the channel `velocity`, SIZE_MAX where they do not fit.
static size_t velocity_block(const MbChunkLayout *layout, const MbChannel *channels,
                             const struct MbChunkBlock *b, bool turning, size_t velocity) {
  const MbChannel *p = &channels[b->channel], *v = &channels[velocity];
  const size_t first = layout->channel[velocity].block;
  if (!p->width || p->items != v->items) return SIZE_MAX;
  if (turning) return p->width == 4 && v->width == 6 ? first : SIZE_MAX; // wx wy wz come first
  if (p->width == v->width) return first + b->part;
  return p->width == 3 && v->width == 6 ? first + 1 : SIZE_MAX;
}

static void find_motion(const MbChannel *channels, const Named *sorted, MbChunkLayout *layout) {
  for (size_t i = 0; i < layout->nblocks; i++) {
    struct MbChunkBlock *b = &layout->block[i];
    const char *name = channels[b->channel].name;
    size_t n = stem(name, ".position");
    const bool turning = n == SIZE_MAX;
    if (turning) n = stem(name, ".rotation");
    if (n == SIZE_MAX) continue;
    const size_t velocity = find_velocity(sorted, layout->nchannels, name, n);
    if (velocity == SIZE_MAX) continue;
    b->source = velocity_block(layout, channels, b, turning, velocity);
    if (b->source == SIZE_MAX) continue;
    b->motion = turning ? MB_MOTION_ROTATION : MB_MOTION_LINEAR;
    layout->moving = true;
    if (layout->block[b->source].cols > layout->most_velocities)
      layout->most_velocities = layout->block[b->source].cols;
  }
}

// ---- layout -----------------------------------------------------------------------------------------------

static size_t parts_of(const MbChannel *channel) { return channel->width == 6 ? 2 : 1; }

static bool make_blocks(const MbChannel *channels, MbChunkLayout *layout) {
  size_t most = 0;
  for (size_t i = 0; i < layout->nchannels; i++) most += parts_of(&channels[i]);
  layout->block = mb_calloc(most, sizeof *layout->block);
  if (!layout->block) return false;
  for (size_t i = 0; i < layout->nchannels; i++) {
    const MbChannel *c = &channels[i];
    const size_t parts = parts_of(c), width = c->width / parts;
    layout->channel[i].block = layout->nblocks;
    layout->channel[i].nblocks = parts;
    for (unsigned part = 0; part < parts; part++)
      layout->block[layout->nblocks++] = (struct MbChunkBlock){.channel = (unsigned)i,
                                                               .part = part,
                                                               .offset = c->offset + part * width,
                                                               .cols = c->items * width,
                                                               .width = width,
                                                               .step = c->width,
                                                               .source = SIZE_MAX};
  }
  return true;
}

static bool make_lists(const MbChannel *channels, MbChunkLayout *layout) {
  size_t n = 0;
  for (size_t i = 0; i < layout->nchannels; i++) n += channels[i].list ? 1 : 0;
  layout->list = mb_calloc(n, sizeof *layout->list);
  for (size_t i = 0; layout->list && i < layout->nchannels; i++) {
    const MbList *list = channels[i].list;
    if (!list) continue;
    layout->list[layout->nlists++] = (MbChunkList){.channel = (unsigned)i,
                                                   .offset = channels[i].offset,
                                                   .keys = list->keys,
                                                   .width = list->width,
                                                   .bound = mb_calloc(list->width, sizeof(double))};
    if (!layout->list[layout->nlists - 1].bound) return false;
  }
  return layout->list;
}

bool mb_chunk_layout(const MbChannel *channels, size_t nchannels, size_t frame_size, MbChunkLayout *layout) {
  *layout = (MbChunkLayout){.nchannels = nchannels, .frame_size = frame_size};
  layout->channel = mb_calloc(nchannels, sizeof *layout->channel);
  Named *sorted = mb_calloc(nchannels, sizeof *sorted);
  if (!layout->channel || !sorted || !make_blocks(channels, layout) || !make_lists(channels, layout)) {
    mb_free(sorted);
    mb_chunk_layout_free(layout);
    return false;
  }
  for (size_t i = 0; i < nchannels; i++) {
    const size_t cols = channels[i].items * channels[i].width;
    layout->channel[i].offset = channels[i].offset;
    layout->channel[i].cols = cols;
    layout->channel[i].width = channels[i].width;
    layout->total_cols += cols;
    if (cols > layout->most_cols) layout->most_cols = cols;
    sorted[i] = (Named){channels[i].name, i};
  }
  qsort(sorted, nchannels, sizeof *sorted, by_name);
  find_motion(channels, sorted, layout);
  mb_free(sorted);
  return true;
}

void mb_chunk_layout_free(MbChunkLayout *layout) {
  mb_free(layout->channel);
  mb_free(layout->block);
  for (size_t i = 0; i < layout->nlists; i++) mb_free(layout->list[i].bound);
  mb_free(layout->list);
  *layout = (MbChunkLayout){0};
}

MbBlockName mb_chunk_block_name(const MbChunkLayout *layout, size_t block) {
  const struct MbChunkBlock *b = &layout->block[block];
  return (MbBlockName){b->channel, b->part, b->motion != MB_MOTION_NONE};
}
