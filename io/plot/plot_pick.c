#include "io/plot/plot_pick.h"
#include "core/base/alloc.h"
#include "core/base/report.h"
#include "io/export/column_name.h"
#include "io/export/column_unit.h"

#include <string.h>

enum { SEARCHED = 20000 }; // columns whose names a misspelt one is compared with

typedef enum Fit { NONE, PREFIX, COLUMN } Fit;

static Fit fit_of(const char *column, const char *name, size_t length) {
  if (strncmp(column, name, length) != 0) return NONE;
  return !column[length] ? COLUMN : column[length] == '.' ? PREFIX : NONE;
}

static bool put(const MbChannel *c, size_t k, const char *name, MbArena *arena, MbPick *pick) {
  MbText unit = {0};
  mb_column_unit(&unit, c, k);
  *pick = (MbPick){
      .name = mb_arena_strdup(arena, name), .channel = mb_arena_strdup(arena, c->name), .at = c->offset + k};
  pick->unit = unit.failed ? NULL : mb_arena_strdup(arena, unit.text);
  mb_free(mb_text_take(&unit));
  return pick->name && pick->unit && pick->channel;
}

// Columns of all channels, or of `only`, that fit at least so well.
static size_t gather(const MbTraj *traj, const MbChannel *only, const char *name, Fit least, MbArena *arena,
                     MbPick *picks, size_t room) {
  size_t nchannels = 0, found = 0;
  const MbChannel *channels = mb_traj_channels(traj, &nchannels);
  const size_t length = strlen(name);
  MbText text = {0};
  bool fine = true;
  for (size_t i = 0; i < nchannels && fine; i++) {
    const MbChannel *c = &channels[i];
    if (only && c != only) continue;
    for (size_t k = 0; k < c->items * c->width && fine; k++) {
      text.length = 0;
      mb_column_full_name(&text, c, k);
      Fit fit = only || text.failed ? NONE : fit_of(text.text, name, length);
      text.length = 0;
      mb_column_name(&text, c, k);
      mb_text_add(&text, ""); // an empty name is a text too
      fine = !text.failed;
      if (fine && !only && fit_of(text.text, name, length) > fit) fit = fit_of(text.text, name, length);
      if (!fine || (!only && fit < least)) continue;
      if (found < room) fine = put(c, k, text.text, arena, &picks[found]);
      found++;
    }
  }
  mb_free(mb_text_take(&text));
  return fine ? found : SIZE_MAX;
}

size_t mb_pick(const MbTraj *traj, const char *name, MbArena *arena, MbPick *picks, size_t room) {
  size_t nchannels = 0;
  const MbChannel *channels = mb_traj_channels(traj, &nchannels);
  for (size_t i = 0; i < nchannels; i++)
    if (!strcmp(channels[i].name, name)) return gather(traj, &channels[i], name, NONE, arena, picks, room);
  const size_t exact = gather(traj, NULL, name, COLUMN, arena, picks, room);
  return exact ? exact : gather(traj, NULL, name, PREFIX, arena, picks, room);
}

const char *mb_pick_near(const MbTraj *traj, const char *name, MbArena *arena) {
  size_t nchannels = 0, count = 0, searched = 0;
  const MbChannel *channels = mb_traj_channels(traj, &nchannels);
  for (size_t i = 0; i < nchannels; i++)
    count += channels[i].items * channels[i].width < SEARCHED ? channels[i].items * channels[i].width : 0;
  if (count > SEARCHED) count = SEARCHED;
  const char **words = mb_calloc(nchannels + count + 1, sizeof *words), *near = NULL;
  MbText text = {0};
  size_t n = 0;
  for (size_t i = 0; words && i < nchannels; i++) words[n++] = channels[i].name;
  for (size_t i = 0; words && i < nchannels; i++) {
    if (channels[i].items * channels[i].width >= SEARCHED) continue;
    for (size_t k = 0; k < channels[i].items * channels[i].width && searched < count; k++, searched++) {
      text.length = 0;
      mb_column_name(&text, &channels[i], k);
      mb_text_add(&text, "");
      const char *copy = text.failed ? NULL : mb_arena_strdup(arena, text.text);
      if (copy) words[n++] = copy;
    }
  }
  if (words) near = mb_nearest_word(name, words);
  near = near ? mb_arena_strdup(arena, near) : NULL;
  mb_free(mb_text_take(&text));
  mb_free(words);
  return near;
}
