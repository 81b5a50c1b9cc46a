#include "cli/diff_wanted.h"
#include "core/base/alloc.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void mb_diff_wanted_free(MbDiffWanted *wanted) {
  mb_tolerances_free(&wanted->file);
  mb_free(wanted->items);
  mb_free(wanted->only);
  mb_arena_free(&wanted->names);
}

// A number of at least 0 that `end` follows; *text moves behind that.
static bool take_tolerance(const char **text, const char *ends, double *value) {
  char *end = NULL;
  *value = strtod(*text, &end);
  if (end == *text || !strchr(ends, *end) || !isfinite(*value) || *value < 0) return false;
  *text = *end ? end + 1 : end;
  return true;
}

// NAME, NAME=ATOL or NAME=ATOL,RTOL; *bare: it is a name alone.
static MbStatus parse_channel(const char *text, MbArena *names, MbTolerance *tolerance, bool *bare,
                              MbReport *report) {
  const char *equals = strrchr(text, '=');
  bool good = equals ? equals > text : *text;
  *bare = !equals;
  if (good && equals) {
    const char *p = equals + 1;
    good = take_tolerance(&p, ",", &tolerance->atol);
    if (good && p[-1] == ',') good = take_tolerance(&p, "", &tolerance->rtol);
  }
  if (!good)
    return mb_error(report, MB_USAGE, "",
                    "--channel: \"%s\" is neither NAME nor NAME=ATOL,RTOL with numbers of at least 0, as "
                    "body.position=1e-6,1e-3",
                    text);
  tolerance->channel = mb_arena_strndup(names, text, equals ? (size_t)(equals - text) : strlen(text));
  return tolerance->channel ? MB_OK : mb_no_memory(report, "the command line");
}

// A name alone asks for nothing but what --channel names.
static MbStatus read_channels(const MbValue *channels, MbDiffWanted *wanted, MbReport *report) {
  MbStatus status = MB_OK;
  bool any = false;
  // the last of a name that was given comes first
  for (size_t i = channels->nlist; i-- > 0 && !status;) {
    MbTolerance *tolerance = &wanted->items[wanted->own];
    bool bare = false;
    *tolerance = (MbTolerance){0};
    status = parse_channel(channels->list[i], &wanted->names, tolerance, &bare, report);
    if (status) break;
    wanted->only[wanted->nonly++] = tolerance->channel;
    any |= bare;
    if (!bare) wanted->own++;
  }
  if (!any) wanted->nonly = 0;
  return status;
}

MbStatus mb_diff_wanted_read(const MbArgs *args, MbDiffWanted *wanted, MbReport *report) {
  const MbValue *file = mb_arg(args, "tolerances"), *channels = mb_arg(args, "channel");
  const MbValue *atol = mb_arg(args, "atol"), *rtol = mb_arg(args, "rtol"), *until = mb_arg(args, "until");
  MbStatus status = file->given ? mb_tolerances_read(file->text, &wanted->file, report) : MB_OK;
  if (status) return status;
  wanted->items = mb_calloc(channels->nlist + wanted->file.count, sizeof *wanted->items);
  wanted->only = mb_calloc(channels->nlist, sizeof *wanted->only);
  if (!wanted->items || !wanted->only) return mb_no_memory(report, "the command line");
  status = read_channels(channels, wanted, report);
  wanted->count = wanted->own + wanted->file.count;
  for (size_t i = 0; i < wanted->file.count; i++) wanted->items[wanted->own + i] = wanted->file.items[i];
  wanted->options = (MbCompareOptions){.fallback = wanted->file.fallback,
                                       .tolerances = wanted->items,
                                       .ntolerances = wanted->count,
                                       .only = wanted->only,
                                       .nonly = wanted->nonly,
                                       .until = until->given ? until->number : INFINITY,
                                       .interpolate = mb_arg_given(args, "interpolate")};
  if (atol->given) wanted->options.fallback.atol = atol->number;
  if (rtol->given) wanted->options.fallback.rtol = rtol->number;
  return status;
}

static bool has_channel(const MbTraj *traj, const char *name, size_t length, const char **near) {
  char word[128];
  size_t count = 0;
  const MbChannel *channels = mb_traj_channels(traj, &count);
  snprintf(word, sizeof word, "%.*s", (int)length, name);
  for (size_t i = 0; i < count; i++) {
    if (!strncmp(channels[i].name, name, length) && !channels[i].name[length]) return true;
    const char *better = mb_nearest_word(word, (const char *const[]){channels[i].name, *near, NULL});
    if (better) *near = better;
  }
  return false;
}

MbStatus mb_diff_wanted_check(const MbArgs *args, MbTraj *const *traj, size_t count, MbReport *report) {
  const MbValue *channels = mb_arg(args, "channel");
  MbStatus status = MB_OK;
  for (size_t i = 0; i < channels->nlist; i++) {
    const char *near = NULL, *name = channels->list[i], *equals = strrchr(name, '=');
    const size_t length = equals ? (size_t)(equals - name) : strlen(name);
    bool found = false;
    for (size_t k = 0; k < count && !found; k++) found = has_channel(traj[k], name, length, &near);
    if (!found)
      status = mb_error(report, MB_USAGE, "", "--channel: no file has a channel \"%.*s\"%s%s%s", (int)length,
                        name, near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
  }
  return status;
}
