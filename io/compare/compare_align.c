// Which channels, items and components of two trajectories belong together, and what only one of them has.
#include "core/base/alloc.h"
#include "core/base/report.h"
#include "io/compare/compare_parts.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NOTES_MAX = 64 };

MbStatus mb_compare_note(MbCompare *c, const char *format, ...) {
  char text[512];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);

  MbCompareResult *r = c->result;
  for (size_t i = 0; i < r->nmissing; i++)
    if (!strcmp(r->missing[i], text)) return MB_OK;
  if (!r->missing && !(r->missing = mb_arena_alloc(c->arena, NOTES_MAX, sizeof *r->missing)))
    return mb_no_memory(c->report, "the comparison");
  if (r->nmissing + 1 == NOTES_MAX) { // the last line is kept for how many more there are
    c->unsaid++;
    return MB_OK;
  }
  char *copy = mb_arena_strdup(c->arena, text);
  if (!copy) return mb_no_memory(c->report, "the comparison");
  r->missing[r->nmissing++] = copy;
  return MB_OK;
}

static size_t find_channel(const MbChannel *channels, size_t n, const char *name) {
  for (size_t i = 0; i < n; i++)
    if (!strcmp(channels[i].name, name)) return i;
  return SIZE_MAX;
}

static size_t find_name(const char *const *names, size_t n, const char *name) {
  for (size_t i = 0; i < n; i++)
    if (!strcmp(names[i], name)) return i;
  return SIZE_MAX;
}

// Names in order, so that many items are matched in little time.
typedef struct Named {
  const char *name;
  size_t index;
} Named;

static int by_name(const void *a, const void *b) {
  const Named *x = a, *y = b;
  const int order = strcmp(x->name, y->name);
  return order ? order : (x->index > y->index) - (x->index < y->index);
}

static Named *sort_names(const MbChannel *channel) {
  Named *sorted = mb_calloc(channel->items, sizeof *sorted);
  if (!sorted) return NULL;
  for (size_t i = 0; i < channel->items; i++) sorted[i] = (Named){channel->items_names[i], i};
  qsort(sorted, channel->items, sizeof *sorted, by_name);
  return sorted;
}

// The first of that name, SIZE_MAX where there is none.
static size_t find_sorted(const Named *sorted, size_t n, const char *name) {
  size_t lo = 0, hi = n;
  while (lo < hi) {
    const size_t middle = lo + (hi - lo) / 2;
    if (strcmp(sorted[middle].name, name) < 0)
      lo = middle + 1;
    else
      hi = middle;
  }
  return lo < n && !strcmp(sorted[lo].name, name) ? sorted[lo].index : SIZE_MAX;
}

// "body" of "body.position": what its items are.
static int kind_length(const char *channel) { return (int)strcspn(channel, "."); }

// Whether any channel about the same kind of thing knows this item.
static bool knows_item(MbTraj *traj, const char *channel, const char *item) {
  size_t n = 0;
  const MbChannel *channels = mb_traj_channels(traj, &n);
  const size_t length = (size_t)kind_length(channel);
  for (size_t i = 0; i < n; i++)
    if (channels[i].items_names && !strncmp(channels[i].name, channel, length) &&
        (channels[i].name[length] == '.' || !channels[i].name[length]) &&
        find_name(channels[i].items_names, channels[i].items, item) != SIZE_MAX)
      return true;
  return false;
}

static MbStatus note_item(MbCompare *c, const MbChannel *channel, size_t item, MbTraj *has, MbTraj *lacks) {
  const char *name = channel->items_names[item];
  if (c->unsaid) { // no room for more sentences
    c->unsaid++;
    return MB_OK;
  }
  if (knows_item(lacks, channel->name, name))
    return mb_compare_note(c, "%s of '%s' is only in %s", channel->name, name, mb_traj_path(has));
  return mb_compare_note(c, "%.*s '%s' is only in %s", kind_length(channel->name), channel->name, name,
                         mb_traj_path(has));
}

static MbStatus align_named(MbCompare *c, MbPair *p, const Named *in_a, const Named *in_b) {
  const MbChannel *a = p->a, *b = p->b;
  MbStatus status = MB_OK;
  for (size_t i = 0; i < a->items && status == MB_OK; i++) {
    p->item[i] = find_sorted(in_b, b->items, a->items_names[i]);
    if (p->item[i] == SIZE_MAX) status = note_item(c, a, i, c->a, c->b);
  }
  for (size_t i = 0; i < b->items && status == MB_OK; i++)
    if (find_sorted(in_a, a->items, b->items_names[i]) == SIZE_MAX) status = note_item(c, b, i, c->b, c->a);
  return status;
}

// Items by their names where both have names, else by their places.
static MbStatus align_items(MbCompare *c, MbPair *p) {
  const MbChannel *a = p->a, *b = p->b;
  if (a->items_names && b->items_names) {
    Named *in_a = sort_names(a), *in_b = sort_names(b);
    const MbStatus status =
        in_a && in_b ? align_named(c, p, in_a, in_b) : mb_no_memory(c->report, "the comparison");
    mb_free(in_a);
    mb_free(in_b);
    return status;
  }
  for (size_t i = 0; i < a->items; i++) p->item[i] = i < b->items ? i : SIZE_MAX;
  if (a->items == b->items) return MB_OK;
  return mb_compare_note(c, "%s has %zu items in %s and %zu in %s", a->name, a->items, mb_traj_path(c->a),
                         b->items, mb_traj_path(c->b));
}

static MbStatus note_component(MbCompare *c, const MbChannel *channel, size_t k, MbTraj *has) {
  return mb_compare_note(c, "%s: component '%s' is only in %s", channel->name, channel->component_names[k],
                         mb_traj_path(has));
}

static MbStatus align_components(MbCompare *c, MbPair *p) {
  const MbChannel *a = p->a, *b = p->b;
  if (a->rotation || !a->component_names || !b->component_names) {
    for (size_t k = 0; k < a->width; k++) p->component[k] = k < b->width ? k : SIZE_MAX;
    if (a->width == b->width) return MB_OK;
    return mb_compare_note(c, "%s has %zu components in %s and %zu in %s", a->name, a->width,
                           mb_traj_path(c->a), b->width, mb_traj_path(c->b));
  }
  MbStatus status = MB_OK;
  for (size_t k = 0; k < a->width && status == MB_OK; k++) {
    p->component[k] = find_name(b->component_names, b->width, a->component_names[k]);
    if (p->component[k] == SIZE_MAX) status = note_component(c, a, k, c->a);
  }
  for (size_t k = 0; k < b->width && status == MB_OK; k++)
    if (find_name(a->component_names, a->width, b->component_names[k]) == SIZE_MAX)
      status = note_component(c, b, k, c->b);
  return status;
}

// Components share a range if their names differ in the axis at the end only; those of an energy share one.
static bool share_range(const MbChannel *channel, size_t j, size_t k) {
  if (channel->quantity == MB_ENERGY || channel->rotation) return true;
  if (!channel->component_names) return true;
  const char *a = channel->component_names[j], *b = channel->component_names[k];
  const size_t n = strlen(a);
  if (!n || n != strlen(b)) return false;
  return !strncmp(a, b, n - 1) && strchr("xyzw", a[n - 1]) && strchr("xyzw", b[n - 1]);
}

static bool same_layout(const MbPair *p) {
  bool same = p->a->items == p->b->items && p->a->width == p->b->width;
  for (size_t i = 0; i < p->a->items && same; i++) same = p->item[i] == i;
  for (size_t k = 0; k < p->a->width && same; k++) same = p->component[k] == k;
  return same;
}

static MbStatus fill_pair(MbCompare *c, MbPair *p, bool in_list, size_t in_a, size_t in_b) {
  const size_t items = p->a->items, width = p->a->width;
  p->item = mb_arena_alloc(c->arena, items, sizeof *p->item);
  p->component = mb_arena_alloc(c->arena, width, sizeof *p->component);
  p->group = mb_arena_alloc(c->arena, width, sizeof *p->group);
  p->range = mb_arena_alloc(c->arena, width, sizeof *p->range);
  p->tolerance = mb_arena_alloc(c->arena, width, sizeof *p->tolerance);
  p->worst = mb_arena_alloc(c->arena, width, sizeof *p->worst);
  p->now = c->options->watch ? mb_arena_alloc(c->arena, width, sizeof *p->now) : NULL;
  const bool turns = mb_compare_turns(p);
  p->brought = turns ? mb_arena_alloc(c->arena, p->b->items, sizeof *p->brought) : NULL;
  if (!p->item || !p->component || (turns && !p->brought) || !p->group || !p->range || !p->tolerance ||
      !p->worst || (c->options->watch && !p->now))
    return mb_no_memory(c->report, "the comparison");

  MbStatus status = align_items(c, p);
  if (status == MB_OK) status = align_components(c, p);
  if (status == MB_OK && in_list) status = mb_compare_list_pair(c, p, in_a, in_b);
  for (size_t k = 0; k < width; k++) {
    size_t g = 0;
    while (g < k && !share_range(p->a, g, k)) g++;
    p->group[k] = g;
  }
  p->same_layout = same_layout(p);
  const double bound_a = mb_traj_bound(c->a, in_a), bound_b = mb_traj_bound(c->b, in_b);
  p->bound_a = p->a->rotation ? mb_rotation_bound(bound_a) : bound_a;
  p->bound_b = p->a->rotation ? mb_rotation_bound(bound_b) : bound_b;
  return status;
}

// What cannot be compared number by number although the names are the same.
static MbStatus check_kinds(MbCompare *c, const MbChannel *a, const MbChannel *b, bool *fit) {
  *fit = false;
  if (a->rotation != b->rotation || (a->rotation && (a->width != 4 || b->width != 4)))
    return mb_compare_note(c, "%s holds unit quaternions in one file only", a->name);
  const char *ua = a->unit ? a->unit : "", *ub = b->unit ? b->unit : "";
  if (strcmp(ua, ub) != 0)
    return mb_compare_note(c, "%s is in '%s' in %s and in '%s' in %s", a->name, ua, mb_traj_path(c->a), ub,
                           mb_traj_path(c->b));
  return mb_compare_lists_fit(c, a, b, fit);
}

// Whether some number of a has its like in b.
static bool holds_common(const MbPair *p) {
  bool item = false, component = false;
  for (size_t i = 0; i < p->a->items; i++) item = item || p->item[i] != SIZE_MAX;
  for (size_t k = 0; k < p->a->width; k++) component = component || p->component[k] != SIZE_MAX;
  return item && component;
}

// Copies of the components' names, which outlive the trajectories.
static const char *const *copy_components(MbCompare *c, const MbChannel *channel, size_t n) {
  const char **names = mb_arena_alloc(c->arena, n, sizeof *names);
  for (size_t k = 0; names && k < n; k++)
    if (!(names[k] = mb_arena_strdup(c->arena, channel->component_names[k]))) return NULL;
  return names;
}

static MbStatus add_channel(MbCompare *c, const MbChannel *channel, size_t in_a, size_t in_b) {
  MbCompareResult *r = c->result;
  MbChannelResult *entry = &r->channels[r->nchannels];
  *entry = (MbChannelResult){.in_a = in_a, .in_b = in_b, .growth = NAN, .growth_r2 = NAN};
  entry->worst.frame = entry->first.frame = UINT64_MAX;
  entry->channel = mb_arena_strdup(c->arena, channel->name);
  if (!entry->channel) return mb_no_memory(c->report, "the comparison");
  r->nchannels++;
  if (in_a == SIZE_MAX || in_b == SIZE_MAX)
    return mb_compare_note(c, "channel %s is only in %s", channel->name,
                           mb_traj_path(in_a == SIZE_MAX ? c->b : c->a));

  size_t n = 0;
  const MbChannel *b = mb_traj_channels(c->b, &n) + in_b;
  bool fit = false;
  const MbStatus status = check_kinds(c, channel, b, &fit);
  if (status != MB_OK || !fit) return status;
  MbPair *p = &c->pairs[c->npairs++];
  const bool in_list = channel->list;
  if (in_list) channel = mb_compare_list_channel(c, channel), b = mb_compare_list_channel(c, b);
  if (!channel || !b) return mb_no_memory(c->report, "the comparison");
  *p = (MbPair){.a = channel, .b = b, .result = r->nchannels - 1};
  c->wanted_a[in_a] = c->wanted_b[in_b] = true;
  const MbStatus filled = fill_pair(c, p, in_list, in_a, in_b);
  entry->ncomponents =
      channel->rotation || channel->width < 2 || !channel->component_names ? 0 : channel->width;
  entry->component_names = copy_components(c, channel, entry->ncomponents);
  entry->worst_of = p->worst;
  if (filled == MB_OK && !entry->component_names) return mb_no_memory(c->report, "the comparison");
  // two empty channels are the same; two of different bodies are not, and no number of theirs is compared
  entry->compared = entry->pass = filled == MB_OK && (holds_common(p) || (!channel->items && !b->items));
  return filled;
}

static bool asked(const MbCompare *c, const char *name) {
  bool found = !c->options->nonly;
  for (size_t i = 0; i < c->options->nonly && !found; i++) found = !strcmp(c->options->only[i], name);
  return found;
}

static bool anything_compared(const MbCompareResult *r) {
  for (size_t i = 0; i < r->nchannels; i++)
    if (r->channels[i].compared) return true;
  return false;
}

MbStatus mb_compare_align(MbCompare *c) {
  size_t na = 0, nb = 0;
  const MbChannel *a = mb_traj_channels(c->a, &na), *b = mb_traj_channels(c->b, &nb);
  c->result->channels = mb_arena_alloc(c->arena, na + nb, sizeof *c->result->channels);
  c->pairs = mb_arena_alloc(c->arena, na, sizeof *c->pairs);
  c->wanted_a = mb_arena_alloc(c->arena, na, sizeof *c->wanted_a);
  c->wanted_b = mb_arena_alloc(c->arena, nb, sizeof *c->wanted_b);
  if (!c->result->channels || !c->pairs || !c->wanted_a || !c->wanted_b)
    return mb_no_memory(c->report, "the comparison");

  MbStatus status = MB_OK;
  for (size_t i = 0; i < na && status == MB_OK; i++) {
    const size_t j = find_channel(b, nb, a[i].name);
    if (a[i].unstable || (j != SIZE_MAX && b[j].unstable) || !asked(c, a[i].name)) continue;
    status = add_channel(c, &a[i], i, j);
  }
  for (size_t j = 0; j < nb && status == MB_OK; j++)
    if (!b[j].unstable && asked(c, b[j].name) && find_channel(a, na, b[j].name) == SIZE_MAX)
      status = add_channel(c, &b[j], SIZE_MAX, j);
  if (status == MB_OK && !c->npairs)
    return mb_error(c->report, MB_USAGE, "", "%s and %s have no channel in common", mb_traj_path(c->a),
                    mb_traj_path(c->b));
  if (status == MB_OK && !anything_compared(c->result))
    return mb_error(c->report, MB_USAGE, "", "%s and %s have nothing in common that can be compared: %s",
                    mb_traj_path(c->a), mb_traj_path(c->b), c->result->nmissing ? c->result->missing[0] : "");
  return status;
}
