// Lists in a comparison. A channel with a list is compared as one of count and fields: in each frame entries are matched by their keys
// (words by what they say, so that scenes with other constraints can be compared), or by their places where there are no keys. The error
// of the count is the number of entries that one file has and the other has not, whichever has more of these.
#include "core/base/alloc.h"
#include "core/base/report.h"
#include "io/compare/compare_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- which fields belong together ---------------------------------------------------------------------------

// Where the entries of one file are.
typedef struct Side {
  MbTraj *traj;
  const MbChannel *channel;
  const MbList *list;
} Side;

// One of b's entries, and its keys in a's words.
typedef struct Known {
  const double *key;
  size_t nkeys, entry;
} Known;

struct MbPairList {
  Side a, b;
  size_t *key;    // (keys) b's field that is a's key
  size_t **words; // (keys) what number b's word has in a, SIZE_MAX where a has no such; NULL: it is no word
  size_t *field_a, *field_b; // (components) of the entries; 0 of the count
  double *bound;             // (components) of both together
  double *lo, *hi;           // (components) extents over all frames of a
  double *keys;              // (room x keys) of b's entries, in a's words
  Known *by;                 // (room) b's entries in the order of these
  size_t room;
};

static size_t find_field(const MbList *list, const char *name) {
  for (size_t k = 0; k < list->width; k++)
    if (!strcmp(list->fields[k].name, name)) return k;
  return SIZE_MAX;
}

const MbChannel *mb_compare_list_channel(MbCompare *c, const MbChannel *from) {
  const MbList *list = from->list;
  const size_t width = 1 + list->width - list->keys;
  MbChannel *channel = mb_arena_alloc(c->arena, 1, sizeof *channel);
  const char **names = mb_arena_alloc(c->arena, width, sizeof *names);
  if (!channel || !names) return NULL;
  names[0] = from->component_names ? from->component_names[0] : "count";
  for (size_t k = 1; k < width; k++) names[k] = list->fields[list->keys + k - 1].name;
  *channel = *from;
  channel->width = width;
  channel->component_names = names;
  channel->list = NULL;
  return channel;
}

MbStatus mb_compare_lists_fit(MbCompare *c, const MbChannel *a, const MbChannel *b, bool *fit) {
  *fit = !a->list == !b->list;
  if (!*fit) return mb_compare_note(c, "%s has a list in one file only", a->name);
  if (!a->list) return MB_OK;
  *fit = a->list->keys == b->list->keys;
  for (size_t k = 0; k < a->list->keys && *fit; k++)
    *fit = find_field(b->list, a->list->fields[k].name) < b->list->keys;
  if (!*fit) return mb_compare_note(c, "the entries of %s are known by other keys in each file", a->name);
  for (size_t k = 0; k < a->list->width && *fit; k++) {
    const MbField *f = &a->list->fields[k];
    const size_t j = find_field(b->list, f->name);
    if (j == SIZE_MAX) continue;
    *fit = !strcmp(f->unit, b->list->fields[j].unit) && !f->words == !b->list->fields[j].words;
    if (!*fit) return mb_compare_note(c, "'%s' of %s is another thing in each file", f->name, a->name);
  }
  return MB_OK;
}

typedef struct Word {
  const char *text;
  size_t number;
} Word;

static int by_text(const void *x, const void *y) {
  return strcmp(((const Word *)x)->text, ((const Word *)y)->text);
}

// What number each of b's words has in a.
static size_t *match_words(MbCompare *c, const MbField *a, const MbField *b) {
  size_t *number = mb_arena_alloc(c->arena, b->nwords, sizeof *number);
  Word *sorted = mb_calloc(a->nwords, sizeof *sorted);
  for (size_t i = 0; sorted && i < a->nwords; i++) sorted[i] = (Word){a->words[i], i};
  if (sorted) qsort(sorted, a->nwords, sizeof *sorted, by_text);
  for (size_t i = 0; number && sorted && i < b->nwords; i++) {
    const Word wanted = {b->words[i], 0};
    const Word *found = a->nwords ? bsearch(&wanted, sorted, a->nwords, sizeof *sorted, by_text) : NULL;
    number[i] = found ? found->number : SIZE_MAX;
  }
  number = sorted ? number : NULL;
  mb_free(sorted);
  return number;
}

MbStatus mb_compare_list_pair(MbCompare *c, MbPair *p, size_t in_a, size_t in_b) {
  size_t n = 0;
  const MbChannel *a = mb_traj_channels(c->a, &n) + in_a, *b = mb_traj_channels(c->b, &n) + in_b;
  const size_t keys = a->list->keys, width = p->a->width;
  MbPairList *l = mb_arena_alloc(c->arena, 1, sizeof *l);
  if (!l) return mb_no_memory(c->report, "the comparison");
  *l = (MbPairList){.a = {c->a, a, a->list}, .b = {c->b, b, b->list}};
  l->key = mb_arena_alloc(c->arena, keys, sizeof *l->key);
  l->words = mb_arena_alloc(c->arena, keys, sizeof *l->words);
  l->field_a = mb_arena_alloc(c->arena, width, sizeof *l->field_a);
  l->field_b = mb_arena_alloc(c->arena, width, sizeof *l->field_b);
  l->bound = mb_arena_alloc(c->arena, width, sizeof *l->bound);
  l->lo = mb_arena_alloc(c->arena, width, sizeof *l->lo);
  l->hi = mb_arena_alloc(c->arena, width, sizeof *l->hi);
  bool fine = l->key && l->words && l->field_a && l->field_b && l->bound && l->lo && l->hi;
  for (size_t k = 0; k < keys && fine; k++) {
    const MbField *f = &a->list->fields[k];
    l->key[k] = find_field(b->list, f->name);
    if (f->words) fine = (l->words[k] = match_words(c, f, &b->list->fields[l->key[k]]));
  }
  if (!fine) return mb_no_memory(c->report, "the comparison");
  for (size_t k = 1; k < width; k++) {
    if (p->component[k] == SIZE_MAX) continue;
    l->field_a[k] = keys + k - 1;
    l->field_b[k] = keys + p->component[k] - 1;
    l->bound[k] =
        mb_traj_field_bound(c->a, in_a, l->field_a[k]) + mb_traj_field_bound(c->b, in_b, l->field_b[k]);
  }
  p->list = l;
  return MB_OK;
}

void mb_compare_list_free(MbPair *p) {
  if (!p->list) return;
  mb_free(p->list->keys);
  mb_free(p->list->by);
}

// ---- ranges -------------------------------------------------------------------------------------------------

static MbStatus entries_of(MbCompare *c, const Side *side, uint64_t frame, const double **x, size_t *count) {
  return mb_traj_list(side->traj, frame, side->channel, x, count, c->report);
}

MbStatus mb_compare_list_extend(MbCompare *c, MbPair *p, uint64_t frame, bool first) {
  MbPairList *l = p->list;
  const double *x = NULL;
  size_t count = 0;
  const MbStatus status = entries_of(c, &l->a, frame, &x, &count);
  // a place's zero is arbitrary, that of other quantities is not
  for (size_t k = 0; k < p->a->width && first; k++) {
    const bool place = k && l->a.list->fields[l->a.list->keys + k - 1].quantity == MB_POSE;
    l->lo[k] = place ? INFINITY : 0, l->hi[k] = place ? -INFINITY : 0;
  }
  if (status) return status;
  l->hi[0] = fmax(l->hi[0], (double)count);
  for (size_t i = 0; i < count; i++, x += l->a.list->width)
    for (size_t k = 1; k < p->a->width; k++) {
      const double number = x[l->a.list->keys + k - 1];
      if (!isfinite(number)) continue;
      l->lo[k] = fmin(l->lo[k], number), l->hi[k] = fmax(l->hi[k], number);
    }
  return MB_OK;
}

double mb_compare_list_extent(const MbPair *p, size_t component, double *bound) {
  *bound = p->list->bound[component];
  return p->list->hi[component] - p->list->lo[component];
}

// ---- one frame ----------------------------------------------------------------------------------------------

static int order_keys(const double *a, const double *b, size_t keys) {
  for (size_t k = 0; k < keys; k++)
    if (a[k] != b[k]) return a[k] < b[k] ? -1 : 1;
  return 0;
}

static int by_keys(const void *x, const void *y) {
  const Known *a = x, *b = y;
  return order_keys(a->key, b->key, a->nkeys);
}

// b's keys in a's words. What a has no word for comes behind all that it has.
static MbStatus translate(MbCompare *c, MbPairList *l, const double *b, size_t count) {
  const size_t nkeys = l->a.list->keys;
  if (count > l->room) {
    mb_free(l->keys);
    mb_free(l->by);
    l->room = count + count / 2;
    l->keys = mb_calloc(l->room * nkeys, sizeof *l->keys);
    l->by = mb_calloc(l->room, sizeof *l->by);
    if (!l->keys || !l->by) return l->room = 0, mb_no_memory(c->report, "the comparison");
  }
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < nkeys; k++) {
      double number = b[i * l->b.list->width + l->key[k]];
      const size_t nwords = l->b.list->fields[l->key[k]].nwords;
      if (l->words[k] && number >= 0 && number < (double)nwords && l->words[k][(size_t)number] != SIZE_MAX)
        number = (double)l->words[k][(size_t)number];
      else if (l->words[k])
        number += (double)l->a.list->fields[k].nwords + (double)nwords;
      l->keys[i * nkeys + k] = number;
    }
  for (size_t i = 0; i < count; i++) l->by[i] = (Known){l->keys + i * nkeys, nkeys, i};
  if (count) qsort(l->by, count, sizeof *l->by, by_keys);
  return MB_OK;
}

static void put_keys(const MbPairList *l, const double *entry, MbDifference *d) {
  d->nkeys = l->a.list->keys < MB_DIFFERENCE_KEYS ? l->a.list->keys : MB_DIFFERENCE_KEYS;
  for (size_t k = 0; k < d->nkeys; k++) d->key[k] = entry[k];
}

static void compare_entry(const MbPair *p, MbDifference d, const double *a, const double *b, MbTally *t) {
  const MbPairList *l = p->list;
  put_keys(l, a, &d);
  for (size_t k = 1; k < p->a->width; k++) {
    if (p->component[k] == SIZE_MAX) continue;
    d.component = k;
    d.a = a[l->field_a[k]];
    d.b = b[l->field_b[k]];
    d.error = mb_number_error(d.a, d.b);
    if (d.error == 0) continue;
    d.ulps = l->bound[k] == 0 ? mb_number_ulps(d.a, d.b) : 0;
    mb_tally_error(t, p, &d);
  }
}

MbStatus mb_compare_list(MbCompare *c, const MbPair *p, const uint64_t frame[2], MbDifference d, MbTally *t) {
  MbPairList *l = p->list;
  const size_t nkeys = l->a.list->keys, wa = l->a.list->width, wb = l->b.list->width;
  const double *a = NULL, *b = NULL;
  size_t na = 0, nb = 0, alone_a = 0, alone_b = 0;
  MbStatus status = entries_of(c, &l->a, frame[0], &a, &na);
  if (!status) status = entries_of(c, &l->b, frame[1], &b, &nb);
  if (!status && nkeys) status = translate(c, l, b, nb);
  if (status) return status;
  size_t i = 0, j = 0;
  while (i < na || j < nb) {
    const size_t at = nkeys && j < nb ? l->by[j].entry : j;
    const int order = i == na ? 1 : j == nb ? -1 : nkeys ? order_keys(a + i * wa, l->by[j].key, nkeys) : 0;
    if (order == 0) {
      d.item = i;
      compare_entry(p, d, a + i++ * wa, b + at * wb, t);
      j++;
    } else if (order < 0) {
      alone_a++, i++;
    } else {
      alone_b++, j++;
    }
  }
  const size_t alone = alone_a > alone_b ? alone_a : alone_b;
  if (!alone) return MB_OK;
  d.item = 0;
  d.a = (double)na, d.b = (double)nb;
  d.error = (double)alone;
  mb_tally_error(t, p, &d);
  return MB_OK;
}
