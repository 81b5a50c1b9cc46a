#include "cli/console.h"
#include "cli/diff_result.h"
#include "cli/file_kind.h"
#include "cli/options.h"
#include "cli/output_file.h"
#include "io/compare/compare.h"
#include "core/base/alloc.h"
#include "core/base/arena.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- tolerances -----------------------------------------------------------------------------------

// The command line's, then the file's: the first of a name counts.
typedef struct Wanted {
  MbTolerances file;
  MbTolerance *items; // (count); the first `own` are the command line's
  size_t count, own;
  MbArena names;
} Wanted;

static void wanted_free(Wanted *wanted) {
  mb_tolerances_free(&wanted->file);
  mb_free(wanted->items);
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

// NAME=ATOL,RTOL or NAME=ATOL
static MbStatus parse_channel(const char *text, MbArena *names, MbTolerance *tolerance, MbReport *report) {
  const char *equals = strrchr(text, '=');
  bool good = equals && equals > text;
  if (good) {
    const char *p = equals + 1;
    good = take_tolerance(&p, ",", &tolerance->atol);
    if (good && p[-1] == ',') good = take_tolerance(&p, "", &tolerance->rtol);
  }
  if (!good)
    return mb_error(report, MB_USAGE, "",
                    "--channel: \"%s\" is not NAME=ATOL,RTOL with numbers of at least 0, as "
                    "body.position=1e-6,1e-3",
                    text);
  tolerance->channel = mb_arena_strndup(names, text, (size_t)(equals - text));
  return tolerance->channel ? MB_OK : mb_no_memory(report, "the command line");
}

static MbStatus read_wanted(const MbArgs *args, Wanted *wanted, MbReport *report) {
  const MbValue *file = mb_arg(args, "tolerances"), *channels = mb_arg(args, "channel");
  MbStatus status = file->given ? mb_tolerances_read(file->text, &wanted->file, report) : MB_OK;
  if (status) return status;
  wanted->own = channels->nlist;
  wanted->count = wanted->own + wanted->file.count;
  wanted->items = mb_calloc(wanted->count, sizeof *wanted->items);
  if (!wanted->items) return mb_no_memory(report, "the command line");
  // the last of a name that was given comes first
  for (size_t i = 0; i < wanted->own && !status; i++)
    status = parse_channel(channels->list[wanted->own - 1 - i], &wanted->names, &wanted->items[i], report);
  for (size_t i = 0; i < wanted->file.count; i++) wanted->items[wanted->own + i] = wanted->file.items[i];
  return status;
}

static bool has_channel(const MbTraj *traj, const char *name, const char **near) {
  size_t count = 0;
  const MbChannel *channels = mb_traj_channels(traj, &count);
  for (size_t i = 0; i < count; i++) {
    if (!strcmp(channels[i].name, name)) return true;
    const char *better = mb_nearest_word(name, (const char *const[]){channels[i].name, *near, NULL});
    if (better) *near = better;
  }
  return false;
}

// The command line's names must be channels of one of the files at least.
static MbStatus check_channels(const Wanted *wanted, MbTraj *const *traj, size_t count, MbReport *report) {
  MbStatus status = MB_OK;
  for (size_t i = wanted->own; i-- > 0;) {
    const char *near = NULL;
    bool found = false;
    for (size_t k = 0; k < count && !found; k++)
      found = has_channel(traj[k], wanted->items[i].channel, &near);
    if (!found)
      status = mb_error(report, MB_USAGE, "", "--channel: no file has a channel \"%s\"%s%s%s",
                        wanted->items[i].channel, near ? "; did you mean " : "", near ? near : "",
                        near ? "?" : "");
  }
  return status;
}

// ---- the command --------------------------------------------------------------------------------

static double badness(const MbChannelResult *c) {
  if (!c->compared) return c->pass ? -2 : INFINITY;
  const double allowed = c->atol + c->rtol * c->range;
  if (isnan(c->worst.error)) return INFINITY;
  return allowed > 0 ? c->worst.error / allowed : c->worst.error > 0 ? 1e300 * c->worst.scaled : -1;
}

// Indices of the channels: as they are, or the worst first. The caller frees it.
static size_t *order_channels(const MbCompareResult *r, bool worst_first) {
  size_t *order = mb_calloc(r->nchannels, sizeof *order);
  for (size_t i = 0; order && i < r->nchannels; i++) {
    size_t k = i;
    for (; worst_first && k > 0 && badness(&r->channels[order[k - 1]]) < badness(&r->channels[i]); k--)
      order[k] = order[k - 1];
    order[k] = i;
  }
  return order;
}

static MbStatus show(const MbArgs *args, const MbTraj *a, const MbCompareResult *result, MbReport *report) {
  const MbValue *top = mb_arg(args, "top");
  size_t *order = order_channels(result, top->given);
  if (!order) return mb_no_memory(report, "the table");
  const size_t shown =
      top->given && (uint64_t)top->count < result->nchannels ? (size_t)top->count : result->nchannels;
  MbStatus status = MB_OK;
  if (mb_arg_given(args, "json"))
    status = mb_console_json(mb_diff_json(a, result, order, shown));
  else
    mb_diff_print(a, result, order, shown);
  mb_free(order);
  return status;
}

static MbStatus open_both(const char *a, const char *b, MbTraj *traj[2], MbReport *report) {
  MbStatus status = mb_file_want_trajectory(a, report);
  if (!status) status = mb_file_want_trajectory(b, report);
  if (!status) status = mb_traj_open(a, &traj[0], report);
  return status ? status : mb_traj_open(b, &traj[1], report);
}

static MbStatus compare_two(const MbArgs *args, const Wanted *wanted, const MbCompareOptions *options,
                            MbReport *report) {
  MbTraj *traj[2] = {NULL, NULL};
  MbCompareResult result = {0};
  MbStatus status = open_both(args->operands[0], args->operands[1], traj, report);
  if (!status) status = check_channels(wanted, traj, 2, report);
  if (!status) {
    status = mb_compare(traj[0], traj[1], options, &result, report);
    if (status == MB_OK || status == MB_DIFFERS) {
      const MbStatus shown = show(args, traj[0], &result, report);
      if (shown) status = shown;
    }
    mb_compare_free(&result);
  }
  mb_traj_free(traj[0]);
  mb_traj_free(traj[1]);
  return status;
}

// Every run against the first.
typedef struct Lesson {
  MbTraj **traj;            // (count) open while the results are
  MbCompareResult *results; // (count - 1)
  size_t count, done;
} Lesson;

static MbStatus compare_all(const MbArgs *args, const MbCompareOptions *options, Lesson *lesson,
                            MbReport *report) {
  MbStatus status = MB_OK;
  for (size_t i = 0; i < lesson->count && !status; i++) {
    status = mb_file_want_trajectory(args->operands[i], report);
    if (!status) status = mb_traj_open(args->operands[i], &lesson->traj[i], report);
    if (status || i == 0) continue;
    status = mb_compare(lesson->traj[0], lesson->traj[i], options, &lesson->results[lesson->done++], report);
    if (status == MB_DIFFERS) status = MB_OK;
  }
  return status;
}

// The file to write what is learned to; none of those that are read.
static MbStatus open_tolerances(const MbArgs *args, MbOutput *output, MbReport *report) {
  const MbValue *read = mb_arg(args, "tolerances");
  const char **inputs = mb_calloc(args->noperands + 1, sizeof *inputs);
  if (!inputs) return mb_no_memory(report, "file names");
  for (size_t i = 0; i < args->noperands; i++) inputs[i] = args->operands[i];
  inputs[args->noperands] = read->given ? read->text : NULL;
  const MbOutputAsk ask = {.path = mb_arg(args, "write-tolerances")->text,
                           .replace = mb_arg_given(args, "force"),
                           .inputs = inputs,
                           .ninputs = args->noperands + 1};
  const MbStatus status = mb_output_open(output, &ask, report);
  mb_free(inputs);
  return status;
}

static MbStatus learn(const MbArgs *args, const MbCompareOptions *options, MbReport *report) {
  MbOutput output;
  Lesson lesson = {.count = args->noperands};
  MbTolerances tolerances = {0};
  lesson.traj = mb_calloc(lesson.count, sizeof *lesson.traj);
  lesson.results = mb_calloc(lesson.count, sizeof *lesson.results);
  MbStatus status = lesson.traj && lesson.results ? MB_OK : mb_no_memory(report, "the runs");
  if (!status) status = open_tolerances(args, &output, report);
  const bool opened = !status;
  if (!status) status = compare_all(args, options, &lesson, report);
  if (!status) status = mb_tolerances_learn(lesson.results, lesson.done, &tolerances, report);
  if (!status) status = mb_tolerances_write(output.stream, &tolerances, report);
  if (opened) status = mb_output_end(&output, status, report);
  mb_tolerances_free(&tolerances);
  for (size_t i = 0; i < lesson.done; i++) mb_compare_free(&lesson.results[i]);
  for (size_t i = 0; lesson.traj && i < lesson.count; i++) mb_traj_free(lesson.traj[i]);
  mb_free(lesson.results);
  mb_free(lesson.traj);
  return status;
}

static MbStatus run(const MbArgs *args) {
  MbReport report = {0};
  Wanted wanted = {0};
  const MbValue *atol = mb_arg(args, "atol"), *rtol = mb_arg(args, "rtol"), *until = mb_arg(args, "until");
  const bool learning = mb_arg_given(args, "write-tolerances");
  MbStatus status = MB_OK;
  if (args->noperands > 2 && !learning)
    status = mb_error(&report, MB_USAGE, "", "more than two files only with --write-tolerances");
  if (!status) status = read_wanted(args, &wanted, &report);
  MbCompareOptions options = {.fallback = wanted.file.fallback,
                              .tolerances = wanted.items,
                              .ntolerances = wanted.count,
                              .until = until->given ? until->number : INFINITY,
                              .interpolate = mb_arg_given(args, "interpolate")};
  if (atol->given) options.fallback.atol = atol->number;
  if (rtol->given) options.fallback.rtol = rtol->number;
  if (!status)
    status = learning ? learn(args, &options, &report) : compare_two(args, &wanted, &options, &report);
  if (status && status != MB_DIFFERS && mb_arg_given(args, "json"))
    mb_console_json_failure(status, &report);
  else
    mb_console_report(stderr, &report);
  wanted_free(&wanted);
  return status;
}

static const MbOption options[] = {
    {.name = "atol",
     .letter = 'a',
     .type = MB_OPTION_NUMBER,
     .argument = "A",
     .help = "a number passes within A + R * range of its channel + both files' error bounds",
     .fallback = "0"},
    {.name = "rtol",
     .letter = 'r',
     .type = MB_OPTION_NUMBER,
     .argument = "R",
     .help = "the part that is scaled by the channel's range over time in the first file",
     .fallback = "0"},
    {.name = "channel",
     .letter = 'c',
     .type = MB_OPTION_LIST,
     .argument = "NAME=A,R",
     .help = "tolerances of one channel, before those of a file; may be repeated"},
    {.name = "tolerances",
     .type = MB_OPTION_FILE,
     .argument = "FILE",
     .help =
         "tolerances by channel, as --write-tolerances makes them; --atol and --rtol hold for the others"},
    {.name = "write-tolerances",
     .type = MB_OPTION_FILE,
     .argument = "FILE",
     .help = "learn tolerances from several runs: twice the largest difference from the first"},
    {.name = "force", .letter = 'f', .help = "replace an existing file of tolerances"},
    {.name = "until",
     .type = MB_OPTION_NUMBER,
     .argument = "TIME",
     .help = "compare number by number up to here, and invariants (energy, momentum) after it",
     .fallback = "number by number throughout"},
    {.name = "interpolate",
     .help = "where the times differ, interpolate the second at the times of the first"},
    {.name = "top",
     .type = MB_OPTION_COUNT,
     .argument = "N",
     .help = "show the N worst channels only, worst first"},
    {.name = "json", .help = "answer as JSON on stdout; after a failure, status and issues"},
};

const MbCommand mb_command_diff = {
    .name = "diff",
    .operands = "A B [C...]",
    .least = 2,
    .most = INT_MAX,
    .summary = "compare two trajectories",
    .details = "Compares the numbers of trajectory B with those of A, channel by channel: the largest error, "
               "absolute "
               "and scaled by the channel's range, and where; the first number beyond tolerance and how the "
               "difference "
               "grows after it. The verdict stands last.\n\n"
               "Exit 0 when they are the same within tolerance, 1 when they differ, 2 when they cannot be "
               "compared, 5 "
               "when one is unreadable.",
    .noptions = sizeof options / sizeof *options,
    .options = options,
    .run = run,
};
