// mbsim diff: two files or two folders, as a table, as JSON, as a page, as a picture.
#include "cli/console.h"
#include "cli/diff_outputs.h"
#include "cli/diff_result.h"
#include "cli/file_kind.h"
#include "cli/options.h"
#include "io/compare/compare.h"
#include "core/base/alloc.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- the command --------------------------------------------------------------------------------

static double badness(const MbChannelResult *c) {
  if (!c->compared) return c->pass ? -2 : INFINITY;
  const double allowed = c->worst.allowed;
  if (isnan(c->worst.error)) return INFINITY;
  return c->worst.frame == UINT64_MAX ? -1
         : allowed > 0                ? c->worst.error / allowed
         : c->worst.error > 0         ? 1e300 * c->worst.scaled
                                      : -1;
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

static MbStatus show(const MbArgs *args, const MbDiffWanted *wanted, const MbDiffPair *pair,
                     MbReport *report) {
  const MbValue *top = mb_arg(args, "top");
  const size_t count = pair->result.nchannels;
  size_t *order = order_channels(&pair->result, top->given);
  if (!order) return mb_no_memory(report, "the table");
  const size_t shown = top->given && (uint64_t)top->count < count ? (size_t)top->count : count;
  MbStatus status = MB_OK;
  if (mb_arg_given(args, "json"))
    status = mb_console_json(mb_diff_json(pair, &wanted->options, order, shown));
  else {
    const MbValue *file = mb_arg(args, "tolerances");
    if (file->given) mb_diff_print_source(file->text, &wanted->file);
    mb_diff_print(pair, order, shown);
  }
  mb_free(order);
  return status;
}

// The answer with all channels, as the page has it; NULL: memory ran out.
static char *whole_answer(const MbDiffWanted *wanted, const MbDiffPair *pair) {
  size_t *order = order_channels(&pair->result, false);
  cJSON *tree = order ? mb_diff_json(pair, &wanted->options, order, pair->result.nchannels) : NULL;
  char *text = tree ? cJSON_PrintUnformatted(tree) : NULL;
  cJSON_Delete(tree);
  mb_free(order);
  return text;
}

// Two files: the table and the verdict, or the same as JSON; and the page and the plot. What cannot be told or written counts before what
// came out.
static MbStatus compare_two(const MbArgs *args, const MbDiffWanted *wanted, MbReport *report) {
  MbDiffPair pair = {0};
  MbDiffOutputs outputs;
  MbStatus status = mb_diff_outputs_open(&outputs, args, report);
  if (status) return status;
  if (outputs.plotted) pair.errors = &outputs.errors;
  status = mb_diff_pair(args, wanted, args->operands[0], args->operands[1], &pair, report);
  const bool told = status == MB_OK || status == MB_DIFFERS;
  if (told && !mb_arg_given(args, "quiet")) {
    const MbStatus shown = show(args, wanted, &pair, report);
    if (shown) status = shown;
  }
  char *answer = told && outputs.paged ? whole_answer(wanted, &pair) : NULL;
  const MbStatus written = mb_diff_outputs_end(&outputs, told ? &pair : NULL, answer, report);
  cJSON_free(answer);
  mb_diff_pair_free(&pair);
  return written ? written : status;
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

static MbStatus learn(const MbArgs *args, const MbCompareOptions *options, MbReport *report) {
  MbOutput output;
  Lesson lesson = {.count = args->noperands};
  MbTolerances tolerances = {0};
  lesson.traj = mb_calloc(lesson.count, sizeof *lesson.traj);
  lesson.results = mb_calloc(lesson.count, sizeof *lesson.results);
  MbStatus status = lesson.traj && lesson.results ? MB_OK : mb_no_memory(report, "the runs");
  if (!status) status = mb_diff_output_open(args, "write-tolerances", &output, report);
  const bool opened = !status;
  if (!status) status = compare_all(args, options, &lesson, report);
  if (!status)
    status = mb_tolerances_learn(lesson.results, lesson.done, mb_arg_given(args, "components"), &tolerances,
                                 report);
  tolerances.files = args->operands, tolerances.nfiles = args->noperands;
  if (!status) status = mb_tolerances_write(output.stream, &tolerances, report);
  if (opened) status = mb_output_end(&output, status, report);
  mb_tolerances_free(&tolerances);
  for (size_t i = 0; i < lesson.done; i++) mb_compare_free(&lesson.results[i]);
  for (size_t i = 0; lesson.traj && i < lesson.count; i++) mb_traj_free(lesson.traj[i]);
  mb_free(lesson.results);
  mb_free(lesson.traj);
  return status;
}

// What the operands and options may be together.
static MbStatus check_arguments(const MbArgs *args, MbDiffFolders *folders, MbReport *report) {
  const bool learning = mb_arg_given(args, "write-tolerances");
  *folders = mb_diff_folders(args);
  if (mb_arg_given(args, "quiet") && mb_arg_given(args, "json"))
    return mb_error(report, MB_USAGE, "", "--quiet and --json exclude one another");
  if (mb_arg_given(args, "components") && !learning)
    return mb_error(report, MB_USAGE, "", "--components goes with --write-tolerances");
  const MbStatus status = mb_diff_outputs_check(args, learning || *folders, report);
  if (status) return status;
  if (learning) return MB_OK;
  if (args->noperands > 2)
    return mb_error(report, MB_USAGE, "", "more than two files only with --write-tolerances");
  if (*folders == MB_DIFF_MIXED)
    return mb_error(report, MB_USAGE, "", "%s and %s: one is a folder and the other is not",
                    args->operands[0], args->operands[1]);
  return MB_OK;
}

static MbStatus run(const MbArgs *args) {
  MbReport report = {0};
  MbDiffWanted wanted = {0};
  MbDiffFolders folders = MB_DIFF_FILES;
  MbStatus status = check_arguments(args, &folders, &report);
  if (!status) status = mb_diff_wanted_read(args, &wanted, &report);
  if (!status && mb_arg_given(args, "write-tolerances"))
    status = learn(args, &wanted.options, &report);
  else if (!status)
    status = folders ? mb_diff_all(args, &wanted, &report) : compare_two(args, &wanted, &report);
  if (status && status != MB_DIFFERS && mb_arg_given(args, "json") && !folders)
    mb_console_json_failure(status, &report);
  else
    mb_console_report(stderr, &report);
  mb_diff_wanted_free(&wanted);
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
     .argument = "NAME[=A,R]",
     .help = "NAME: compare only the channels that are named; NAME=A,R: tolerances of one, before those of a "
             "file; may be repeated"},
    {.name = "tolerances",
     .type = MB_OPTION_FILE,
     .argument = "FILE",
     .help =
         "tolerances by channel, as --write-tolerances makes them; --atol and --rtol hold for the others"},
    {.name = "write-tolerances",
     .type = MB_OPTION_FILE,
     .argument = "FILE",
     .help = "learn tolerances from several runs: twice the largest difference from the first"},
    {.name = "components", .help = "learn one for each component (x, y, z ...) too"},
    {.name = "report",
     .type = MB_OPTION_FILE,
     .argument = "FILE",
     .help = "write a page (HTML) that shows both runs, the verdict and the table"},
    {.name = "plot",
     .type = MB_OPTION_FILE,
     .argument = "FILE.svg",
     .help = "write a picture of the errors over time, channel by channel, with the tolerances"},
    {.name = "force", .letter = 'f', .help = "replace an existing report, picture or file of tolerances"},
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
    {.name = "quiet", .letter = 'q', .help = "say errors only: the exit status tells"},
    {.name = "json", .help = "answer as JSON on stdout; after a failure, status and issues"},
};

const MbCommand mb_command_diff = {
    .name = "diff",
    .operands = "A B [C...]",
    .least = 2,
    .most = INT_MAX,
    .summary = "compare two trajectories, or two folders of them",
    .details =
        "Compares the numbers of trajectory B with those of A, channel by channel: the largest error, "
        "absolute and "
        "scaled by the channel's range, and where; the first number beyond tolerance and how the "
        "difference grows "
        "after it. Where the scenes that the files hold differ, it says where and by what; that alone "
        "makes no "
        "difference. The verdict stands last: what differs first, and the worst beside it.\n\n"
        "Of a channel with a count per frame (constraint.active) the entries are compared of the same "
        "thing, whatever their places; an entry that has none like it in the other file is an error of "
        "the count.\n\n"
        "Of two folders the trajectories (.mbt, in folders below too) are compared that have the same "
        "name; one that "
        "is in one folder only is a difference. A line each, and how many there are of a kind; the "
        "exit status is the "
        "worst.\n\n"
        "Exit 0 when they are the same within tolerance, 1 when they differ, 2 when they cannot be "
        "compared (nothing in "
        "common, scenes without a body or deformable of the same name), 5 when one is unreadable.",
    .noptions = sizeof options / sizeof *options,
    .options = options,
    .run = run,
};
