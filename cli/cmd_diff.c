#include "cli/console.h"
#include "cli/options.h"
#include "io/compare/compare.h"
#include "core/base/alloc.h"

#include <limits.h>
#include <math.h>
#include <unistd.h>

// ---- names of places ----------------------------------------------------------------------------

// "ball.position.x": item and component of a difference, in a's words.
static const char *place(const MbTraj *a, const MbChannelResult *result, const MbDifference *d, char *text,
                         size_t size) {
  size_t count = 0;
  const MbChannel *channels = mb_traj_channels(a, &count);
  char item[96] = "", component[48] = "", raw[160];
  if (result->in_a < count) {
    const MbChannel *c = &channels[result->in_a];
    if (c->items_names && d->item < c->items)
      snprintf(item, sizeof item, "%s", c->items_names[d->item]);
    else if (c->items > 1)
      snprintf(item, sizeof item, "%zu", d->item);
    if (!c->rotation && d->component < c->width && c->component_names)
      snprintf(component, sizeof component, "%s", c->component_names[d->component]);
  }
  snprintf(raw, sizeof raw, "%s%s%s", item, item[0] && component[0] ? " " : "", component);
  return mb_console_safe(raw, text, size);
}

// ---- as JSON ------------------------------------------------------------------------------------

static cJSON *difference_json(const MbTraj *a, const MbChannelResult *result, const MbDifference *d) {
  char text[160];
  cJSON *item = cJSON_CreateObject();
  cJSON_AddStringToObject(item, "place", place(a, result, d, text, sizeof text));
  cJSON_AddNumberToObject(item, "item", (double)d->item);
  cJSON_AddNumberToObject(item, "component", (double)d->component);
  cJSON_AddNumberToObject(item, "frame", (double)d->frame);
  cJSON_AddNumberToObject(item, "time", d->time);
  cJSON_AddNumberToObject(item, "a", d->a);
  cJSON_AddNumberToObject(item, "b", d->b);
  cJSON_AddNumberToObject(item, "error", d->error);
  cJSON_AddNumberToObject(item, "scaled", d->scaled);
  cJSON_AddNumberToObject(item, "ulps", d->ulps);
  return item;
}

static cJSON *channel_json(const MbTraj *a, const MbChannelResult *c) {
  cJSON *item = cJSON_CreateObject();
  cJSON_AddStringToObject(item, "channel", c->channel);
  cJSON_AddBoolToObject(item, "compared", c->compared);
  cJSON_AddBoolToObject(item, "pass", c->pass);
  if (!c->compared) return item;
  cJSON_AddNumberToObject(item, "range", c->range);
  cJSON_AddNumberToObject(item, "absolute", c->atol);
  cJSON_AddNumberToObject(item, "relative", c->rtol);
  cJSON_AddItemToObject(item, "worst", difference_json(a, c, &c->worst));
  cJSON_AddNumberToObject(item, "exceeding", (double)c->exceeding);
  if (c->first.frame != UINT64_MAX) cJSON_AddItemToObject(item, "first", difference_json(a, c, &c->first));
  if (!isnan(c->growth)) cJSON_AddNumberToObject(item, "growth", c->growth);
  if (!isnan(c->growth)) cJSON_AddNumberToObject(item, "growth_r2", c->growth_r2);
  cJSON_AddBoolToObject(item, "jump", c->jump);
  return item;
}

static cJSON *result_json(const MbTraj *a, const MbCompareResult *r, const size_t *order, size_t shown) {
  cJSON *tree = cJSON_CreateObject(), *channels = cJSON_CreateArray(), *invariants = cJSON_CreateArray();
  cJSON *missing = cJSON_CreateArray();
  cJSON_AddBoolToObject(tree, "same", r->same);
  cJSON_AddNumberToObject(tree, "frames", (double)r->frames);
  for (size_t i = 0; i < shown; i++) cJSON_AddItemToArray(channels, channel_json(a, &r->channels[order[i]]));
  for (size_t i = 0; i < r->ninvariants; i++) {
    const MbInvariantResult *v = &r->invariants[i];
    cJSON *item = cJSON_CreateObject();
    cJSON_AddStringToObject(item, "name", v->name);
    cJSON_AddNumberToObject(item, "a", v->a);
    cJSON_AddNumberToObject(item, "b", v->b);
    cJSON_AddNumberToObject(item, "error", v->error);
    cJSON_AddNumberToObject(item, "tolerance", v->tolerance);
    cJSON_AddBoolToObject(item, "pass", v->pass);
    cJSON_AddItemToArray(invariants, item);
  }
  for (size_t i = 0; i < r->nmissing; i++) cJSON_AddItemToArray(missing, cJSON_CreateString(r->missing[i]));
  cJSON_AddItemToObject(tree, "channels", channels);
  cJSON_AddItemToObject(tree, "invariants", invariants);
  cJSON_AddItemToObject(tree, "missing", missing);
  cJSON_AddStringToObject(tree, "verdict", r->verdict);
  return tree;
}

// ---- for people ---------------------------------------------------------------------------------

static void print_channel(const MbTraj *a, const MbChannelResult *c) {
  char name[64], where[160];
  mb_console_safe(c->channel, name, sizeof name);
  if (!c->compared) {
    printf("  %-22s %s\n", name,
           c->in_a == SIZE_MAX   ? "only in the second"
           : c->in_b == SIZE_MAX ? "only in the first"
                                 : "not compared");
    return;
  }
  printf("  %-22s %-4s %9.3g %9.3g %9.3g", name, c->pass ? "ok" : "FAIL", c->worst.error, c->worst.scaled,
         c->atol + c->rtol * c->range);
  if (c->worst.error > 0 || isnan(c->worst.error))
    printf("  %s, frame %llu, t = %.6g s", place(a, c, &c->worst, where, sizeof where),
           (unsigned long long)c->worst.frame, c->worst.time);
  if (c->worst.ulps > 0) printf(" (%.3g ulps)", c->worst.ulps);
  putchar('\n');
  if (c->first.frame == UINT64_MAX) return;
  printf("  %-22s first beyond tolerance: %s, frame %llu, t = %.6g s: %.17g against %.17g; %llu numbers in "
         "all\n",
         "", place(a, c, &c->first, where, sizeof where), (unsigned long long)c->first.frame, c->first.time,
         c->first.a, c->first.b, (unsigned long long)c->exceeding);
  if (c->jump)
    printf("  %-22s it is there at once: a jump\n", "");
  else if (c->growth > 0)
    printf("  %-22s it grows tenfold every %.3g s (r2 of the fit %.2f)\n", "", 1 / c->growth, c->growth_r2);
}

static void print_result(const MbTraj *a, const MbCompareResult *r, const size_t *order, size_t shown) {
  printf("%llu frames compared\n", (unsigned long long)r->frames);
  printf("  %-22s %-4s %9s %9s %9s  %s\n", "channel", "", "largest", "scaled", "allowed", "where");
  for (size_t i = 0; i < shown; i++) print_channel(a, &r->channels[order[i]]);
  for (size_t i = 0; i < r->ninvariants; i++) {
    const MbInvariantResult *v = &r->invariants[i];
    printf("  %-22s %-4s %.9g against %.9g, %.3g of %.3g allowed\n", v->name, v->pass ? "ok" : "FAIL", v->a,
           v->b, v->error, v->tolerance);
  }
  char text[512];
  for (size_t i = 0; i < r->nmissing; i++)
    printf("  missing: %s\n", mb_console_safe(r->missing[i], text, sizeof text));
  printf("%s\n", mb_console_safe(r->verdict, text, sizeof text));
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
    status = mb_console_json(result_json(a, result, order, shown));
  else
    print_result(a, result, order, shown);
  mb_free(order);
  return status;
}

static MbStatus open_both(const char *a, const char *b, MbTraj *traj[2], MbReport *report) {
  const MbStatus status = mb_traj_open(a, &traj[0], report);
  return status ? status : mb_traj_open(b, &traj[1], report);
}

static MbStatus compare_two(const MbArgs *args, const MbCompareOptions *options, MbReport *report) {
  MbTraj *traj[2] = {NULL, NULL};
  MbCompareResult result = {0};
  MbStatus status = open_both(args->operands[0], args->operands[1], traj, report);
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
    status = mb_traj_open(args->operands[i], &lesson->traj[i], report);
    if (status || i == 0) continue;
    status = mb_compare(lesson->traj[0], lesson->traj[i], options, &lesson->results[lesson->done++], report);
    if (status == MB_DIFFERS) status = MB_OK;
  }
  return status;
}

static MbStatus learn(const MbArgs *args, const MbCompareOptions *options, MbReport *report) {
  const char *file = mb_arg(args, "write-tolerances")->text;
  if (!mb_arg_given(args, "force") && !access(file, F_OK))
    return mb_error(report, MB_IO, "", "%s is there already (--force replaces it)", file);
  Lesson lesson = {.count = args->noperands};
  MbTolerances tolerances = {0};
  lesson.traj = mb_calloc(lesson.count, sizeof *lesson.traj);
  lesson.results = mb_calloc(lesson.count, sizeof *lesson.results);
  MbStatus status = lesson.traj && lesson.results ? MB_OK : mb_no_memory(report, "the runs");
  if (!status) status = compare_all(args, options, &lesson, report);
  if (!status) status = mb_tolerances_learn(lesson.results, lesson.done, &tolerances, report);
  if (!status) status = mb_tolerances_write(file, &tolerances, report);
  mb_tolerances_free(&tolerances);
  for (size_t i = 0; i < lesson.done; i++) mb_compare_free(&lesson.results[i]);
  for (size_t i = 0; lesson.traj && i < lesson.count; i++) mb_traj_free(lesson.traj[i]);
  mb_free(lesson.results);
  mb_free(lesson.traj);
  return status;
}

static MbStatus run(const MbArgs *args) {
  MbReport report = {0};
  MbTolerances tolerances = {0};
  const MbValue *file = mb_arg(args, "tolerances"), *until = mb_arg(args, "until");
  const bool learning = mb_arg_given(args, "write-tolerances");
  MbStatus status = MB_OK;
  if (args->noperands > 2 && !learning)
    status = mb_error(&report, MB_USAGE, "", "more than two files only with --write-tolerances");
  if (!status && file->given) status = mb_tolerances_read(file->text, &tolerances, &report);
  MbCompareOptions options = {.fallback = tolerances.fallback,
                              .tolerances = tolerances.items,
                              .ntolerances = tolerances.count,
                              .until = until->given ? until->number : INFINITY,
                              .interpolate = mb_arg_given(args, "interpolate")};
  if (mb_arg_given(args, "absolute")) options.fallback.atol = mb_arg(args, "absolute")->number;
  if (mb_arg_given(args, "relative")) options.fallback.rtol = mb_arg(args, "relative")->number;
  if (!status) status = learning ? learn(args, &options, &report) : compare_two(args, &options, &report);
  mb_console_report(stderr, &report);
  mb_tolerances_free(&tolerances);
  return status;
}

static const MbOption options[] = {
    {.name = "absolute",
     .letter = 'a',
     .type = MB_OPTION_NUMBER,
     .argument = "TOL",
     .help = "a number passes within TOL + relative TOL * range of its channel + both files' bounds",
     .fallback = "0"},
    {.name = "relative",
     .letter = 'r',
     .type = MB_OPTION_NUMBER,
     .argument = "TOL",
     .help = "the part that is scaled by the channel's range over time in the first file",
     .fallback = "0"},
    {.name = "tolerances",
     .type = MB_OPTION_FILE,
     .argument = "FILE",
     .help =
         "tolerances by channel, as --write-tolerances makes them; the options above hold for the others"},
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
    {.name = "json", .help = "answer as JSON on stdout"},
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
