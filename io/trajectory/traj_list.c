// Lists of a chunk, encoded and decoded: entries are linked to those of the same keys in the frame before, from which they are predicted.
#include "io/trajectory/traj_list.h"
#include "core/base/alloc.h"
#include "io/trajectory/traj_kernels.h"
#include "io/trajectory/traj_scratch.h"

#include <math.h>

enum { MOST_ORDER = 3 };
#define NONE UINT32_MAX

// Of each entry of a chunk the one before it, in the frame before: the one of the same place, from which keys are predicted, and the one
// of the same keys, from which the other numbers are. NONE where there is no such entry.
struct MbListWork {
  bool encoding;
  size_t room; // entries
  MbCodec *codec;
  double *number; // (room) one number of all entries
  uint32_t *same_place, *same_keys;
};

MbListWork *mb_list_work_create(bool encoding) {
  MbListWork *work = mb_calloc(1, sizeof *work);
  if (work) work->encoding = encoding;
  return work;
}

static void empty(MbListWork *work) {
  mb_codec_free(work->codec);
  mb_free(work->number);
  mb_free(work->same_place);
  mb_free(work->same_keys);
  *work = (MbListWork){.encoding = work->encoding};
}

void mb_list_work_free(MbListWork *work) {
  if (!work) return;
  empty(work);
  mb_free(work);
}

bool mb_list_reserve(MbListWork *work, size_t entries) {
  if (work->codec && entries <= work->room) return true;
  const size_t room = entries + work->room / 2;
  empty(work);
  work->codec = mb_codec_create(work->encoding, room, room);
  work->number = mb_calloc(room, sizeof *work->number);
  work->same_place = mb_calloc(room, sizeof *work->same_place);
  work->same_keys = mb_calloc(room, sizeof *work->same_keys);
  if (!work->codec || !work->number || !work->same_place || !work->same_keys) return empty(work), false;
  work->room = room;
  return true;
}

// ---- entries and those before them --------------------------------------------------------------------------

static size_t count_at(MbListCounts counts, size_t frame) {
  return (size_t)counts.first[frame * counts.stride];
}

bool mb_list_sum(const MbChunkList *list, MbListCounts counts, size_t *entries, const char **why) {
  const double most = (double)(MB_TRAJ_RAW_MAX / 8 / (list->width ? list->width : 1));
  double sum = 0;
  for (size_t f = 0; f < counts.frames; f++) {
    const double n = counts.first[f * counts.stride];
    if (!(n >= 0) || n != floor(n)) return *why = "has a list whose count is no number of entries", false;
    sum += n;
    if (!(sum <= most)) return *why = "holds more than the limit of 1 GiB of numbers", false;
  }
  *entries = (size_t)sum;
  return true;
}

// Negative, zero or positive, as the keys of a stand before, at or behind those of b.
static int order_keys(const double *a, const double *b, size_t keys) {
  for (size_t k = 0; k < keys; k++)
    if (a[k] != b[k]) return a[k] < b[k] ? -1 : 1;
  return 0;
}

bool mb_list_ordered(const double *x, size_t count, size_t keys, size_t width) {
  for (size_t i = 0; i < count; i++) {
    for (size_t k = 0; k < keys; k++)
      if (!(fabs(x[i * width + k]) <= 0x1p53) || x[i * width + k] != floor(x[i * width + k])) return false;
    if (keys && i && order_keys(x + (i - 1) * width, x + i * width, keys) >= 0) return false;
  }
  return true;
}

static void link_places(uint32_t *before, MbListCounts counts) {
  size_t at = 0, last = 0;
  for (size_t f = 0; f < counts.frames; f++) {
    const size_t n = count_at(counts, f);
    for (size_t i = 0; i < n; i++) before[at + i] = i < last ? (uint32_t)(at - last + i) : NONE;
    at += n;
    last = n;
  }
}

// Both frames' entries are in the order of their keys, so one walk over the two finds all.
static void link_keys(uint32_t *before, const MbChunkList *list, MbListCounts counts, const double *x) {
  size_t at = 0, last = 0;
  for (size_t f = 0; f < counts.frames; f++) {
    const size_t n = count_at(counts, f);
    for (size_t i = 0, j = 0; i < n; i++) {
      int order = 1;
      while (j < last && (order = order_keys(x + (at - last + j) * list->width, x + (at + i) * list->width,
                                             list->keys)) < 0)
        j++;
      before[at + i] = j < last && !order ? (uint32_t)(at - last + j) : NONE;
    }
    at += n;
    last = n;
  }
}

// The entries that entry e is predicted from, nearest first; at most `most`. Those that are missing are e.
static unsigned chain(const uint32_t *before, size_t e, unsigned most, size_t at[1 + MOST_ORDER]) {
  unsigned k = 0;
  for (unsigned i = 0; i <= MOST_ORDER; i++) at[i] = e;
  while (k < most && before[at[k]] != NONE) k++, at[k] = before[at[k - 1]];
  return k;
}

// ---- encoding -----------------------------------------------------------------------------------------------

size_t mb_list_room(const MbChunkList *list, size_t entries) {
  return 8 + list->width * mb_block_room(entries);
}

// One number of all entries, being encoded.
typedef struct Column {
  MbCodec *codec;
  const double *x;
  const uint32_t *before;
  size_t entries;
  MbTrajMode mode;
} Column;

static void residuals(const Column *c, unsigned order, uint64_t *d) {
  const uint64_t *q = c->codec->integers;
  for (size_t e = 0; e < c->entries; e++) {
    size_t at[1 + MOST_ORDER];
    const unsigned k = chain(c->before, e, order, at);
    if (c->mode == MB_MODE_BOUNDED)
      mb_residual(1, k, q + at[0], q + at[1], q + at[2], q + at[3], d + e);
    else
      mb_residual_double(1, k, c->x + at[0], c->x + at[1], c->x + at[2], c->x + at[3], d + e);
  }
}

// The order with the fewest bits. *bits ← how many a number.
static unsigned cheapest_order(const Column *c, double *bits) {
  unsigned best = 0;
  uint64_t least = UINT64_MAX;
  for (unsigned order = 0; order <= MOST_ORDER; order++) {
    residuals(c, order, c->codec->residuals);
    const uint64_t cost = mb_bits_in(c->entries, c->codec->residuals);
    if (cost < least) least = cost, best = order;
  }
  *bits = c->entries ? (double)least / (double)c->entries : 0;
  return best;
}

static size_t encode_column(const MbListWork *work, MbBlockName name, size_t entries, const uint32_t *before,
                            double bound, unsigned char *out) {
  MbCodec *codec = work->codec;
  Column c = {codec, work->number, before, entries, MB_MODE_LOSSLESS};
  MbBlockChoice choice = {.mode = MB_MODE_LOSSLESS};
  const double quantum = mb_quantum_of(bound);
  if (bound > 0 && mb_is_quantum(quantum)) {
    if (mb_quantise(entries, c.x, quantum, bound, codec->integers))
      c.mode = MB_MODE_BOUNDED, choice = (MbBlockChoice){.mode = c.mode, .bound = bound, .quantum = quantum};
    else
      mb_settle(entries, quantum, bound, work->number);
  }
  double bits = 0;
  choice.predictor.time = cheapest_order(&c, &bits);
  if (c.mode == MB_MODE_LOSSLESS && bits > MB_PATTERNLESS) {
    choice = (MbBlockChoice){.mode = MB_MODE_RAW};
    memcpy(codec->residuals, c.x, entries * sizeof *c.x);
    return mb_block_write(codec, name, &choice, entries, entries ? UINT64_MAX : 0, out);
  }
  residuals(&c, choice.predictor.time, codec->residuals);
  return mb_block_write(codec, name, &choice, entries, mb_zigzag(entries, codec->residuals), out);
}

size_t mb_list_encode(MbListWork *work, const MbChunkList *list, MbListCounts counts, const double *x,
                      unsigned char *out) {
  size_t entries = 0;
  for (size_t f = 0; f < counts.frames; f++) entries += count_at(counts, f);
  link_places(work->same_place, counts);
  if (list->keys) link_keys(work->same_keys, list, counts, x);
  mb_put64(out, entries);
  unsigned char *at = out + 8;
  for (size_t k = 0; k < list->width; k++) {
    const bool by_keys = list->keys && k >= list->keys;
    for (size_t e = 0; e < entries; e++) work->number[e] = x[e * list->width + k];
    at += encode_column(work, (MbBlockName){list->channel, (unsigned)k + 1, false}, entries,
                        by_keys ? work->same_keys : work->same_place, list->bound[k], at);
  }
  return (size_t)(at - out);
}

// ---- decoding -----------------------------------------------------------------------------------------------

static bool parse_column(const MbChunkList *list, size_t k, const unsigned char *at, size_t size,
                         size_t entries, MbBlock *block, const char **why) {
  if (!mb_block_parse(at, size, (MbBlockName){list->channel, (unsigned)k + 1, false}, entries, block, why))
    return false;
  if (!block->predictor.start && !block->predictor.later) return true;
  return *why = "predicts along the entries of a list", false;
}

bool mb_list_parse(const unsigned char *bytes, size_t size, const MbChunkList *list, MbListPlace *place,
                   const char **why) {
  if (size < 8) return *why = "ends within a list", false;
  const uint64_t entries = mb_get64(bytes);
  if (entries > MB_TRAJ_RAW_MAX / 8 / (list->width ? list->width : 1))
    return *why = "holds more than the limit of 1 GiB of numbers", false;
  *place = (MbListPlace){.blocks = bytes + 8, .size = size - 8, .entries = (size_t)entries, .length = 8};
  for (size_t k = 0; k < list->width; k++) {
    MbBlock block;
    if (!parse_column(list, k, bytes + place->length, size - place->length, place->entries, &block, why))
      return false;
    place->length += block.length;
  }
  return true;
}

static bool decode_column(MbListWork *work, const MbBlock *block, size_t entries, const uint32_t *before,
                          const char **why) {
  MbCodec *codec = work->codec;
  const unsigned char *plane[8];
  uint64_t base = 0, *d = codec->residuals, *q = codec->history;
  double *x = work->number;
  if (!mb_planes_open(codec, block, entries, plane, &base))
    return *why = "has a plane that does not inflate", false;
  mb_merge(entries, plane, base, d, block->mode != MB_MODE_RAW);
  if (block->mode == MB_MODE_RAW) {
    memcpy(x, d, entries * sizeof *x);
    return true;
  }
  for (size_t e = 0; e < entries; e++) {
    size_t at[1 + MOST_ORDER];
    const unsigned k = chain(before, e, block->predictor.time, at);
    if (block->mode == MB_MODE_BOUNDED)
      mb_integrate(1, k, d + e, q + at[1], q + at[2], q + at[3], q + e);
    else
      mb_integrate_double(1, k, d + e, x + at[1], x + at[2], x + at[3], x + e);
  }
  if (block->mode == MB_MODE_BOUNDED) mb_dequantise(entries, q, block->gain, x);
  return true;
}

// Of every frame; keys that are out of order would find the wrong entries before.
static bool ordered(const MbChunkList *list, MbListCounts counts, const double *x) {
  size_t at = 0;
  for (size_t f = 0; f < counts.frames; f++) {
    const size_t n = count_at(counts, f);
    if (!mb_list_ordered(x + at * list->width, n, list->keys, list->width)) return false;
    at += n;
  }
  return true;
}

bool mb_list_decode(MbListWork *work, const MbChunkList *list, MbListCounts counts, const MbListPlace *place,
                    double *x, const char **why) {
  size_t entries = 0, at = 0;
  if (!mb_list_sum(list, counts, &entries, why)) return false;
  if (entries != place->entries) return *why = "has a list of another length than its counts say", false;
  if (!mb_list_reserve(work, entries)) return *why = "does not fit in memory", false;
  link_places(work->same_place, counts);
  for (size_t k = 0; k < list->width; k++) {
    MbBlock block;
    const bool by_keys = list->keys && k >= list->keys;
    if (by_keys && k == list->keys) {
      if (!ordered(list, counts, x)) return *why = "has a list whose keys are out of order", false;
      link_keys(work->same_keys, list, counts, x);
    }
    if (!parse_column(list, k, place->blocks + at, place->size - at, entries, &block, why) ||
        !decode_column(work, &block, entries, by_keys ? work->same_keys : work->same_place, why))
      return false;
    for (size_t e = 0; e < entries; e++) x[e * list->width + k] = work->number[e];
    at += block.length;
  }
  if (list->keys == list->width && !ordered(list, counts, x))
    return *why = "has a list whose keys are out of order", false;
  return true;
}
