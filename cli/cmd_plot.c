#include "cli/choices.h"
#include "cli/console.h"
#include "cli/file_kind.h"
#include "cli/options.h"
#include "cli/output_file.h"
#include "cli/page.h"
#include "cli/terminal.h"
#include "core/base/alloc.h"
#include "io/plot/plot_pick.h"
#include "io/plot/plot_runs.h"

#include <limits.h>
#include <string.h>
#include <strings.h>

// What the command line asks for.
typedef struct Asked {
  MbTraj **runs;       // (nruns)
  const char **labels; // (nruns)
  const char **names;  // (nnames) channels and columns
  MbArena arena;
  MbRunsAsk ask;
} Asked;

static MbStatus no_memory(MbReport *report) { return mb_no_memory(report, "the plot"); }

// ---- runs -----------------------------------------------------------------------------------------

// A run is called as its file; by its path where another has the same name.
static const char *label_of(const MbArgs *args, size_t run) {
  const char *name = mb_page_name(args->operands[run]);
  for (size_t i = 0; i < args->noperands; i++)
    if (i != run && !strcmp(name, mb_page_name(args->operands[i]))) return args->operands[run];
  return name;
}

static MbStatus open_runs(const MbArgs *args, Asked *a, MbReport *report) {
  a->runs = mb_calloc(args->noperands, sizeof *a->runs);
  a->labels = mb_calloc(args->noperands, sizeof *a->labels);
  MbStatus status = a->runs && a->labels ? MB_OK : no_memory(report);
  for (size_t i = 0; i < args->noperands && !status; i++) {
    status = mb_file_want_trajectory(args->operands[i], report);
    if (!status) status = mb_traj_open(args->operands[i], &a->runs[i], report);
    if (!status) status = mb_file_want_whole(a->runs[i], mb_arg_given(args, "partial"), report);
    a->labels[i] = label_of(args, i);
  }
  a->ask.runs = a->runs, a->ask.labels = a->labels, a->ask.nruns = args->noperands;
  return status;
}

// ---- names ----------------------------------------------------------------------------------------

static bool known(const MbArgs *args, Asked *a, const char *name) {
  MbPick pick;
  for (size_t i = 0; i < args->noperands; i++) {
    const size_t n = mb_pick(a->runs[i], name, &a->arena, &pick, 1);
    if (n && n != SIZE_MAX) return true;
  }
  return false;
}

// Names may stand in one text with commas between, which a name may have itself.
static MbStatus choose_names(const MbArgs *args, Asked *a, MbReport *report) {
  static const char *const otherwise[] = {"energy"};
  const MbValue *channels = mb_arg(args, "channel");
  size_t room = 1;
  for (size_t i = 0; i < channels->nlist; i++) {
    room++;
    for (const char *p = channels->list[i]; *p; p++) room += *p == ',';
  }
  a->names = mb_calloc(room, sizeof *a->names);
  if (!a->names) return no_memory(report);
  a->ask.names = channels->nlist ? a->names : otherwise, a->ask.nnames = channels->nlist ? 0 : 1;
  for (size_t i = 0; i < channels->nlist; i++) {
    const char *p = channels->list[i];
    const bool whole = !strchr(p, ',') || known(args, a, p);
    do {
      const size_t n = whole ? strlen(p) : strcspn(p, ",");
      if (!(a->names[a->ask.nnames++] = mb_arena_strndup(&a->arena, p, n))) return no_memory(report);
      p += n;
    } while (*p++);
  }
  if (channels->nlist || known(args, a, otherwise[0])) return MB_OK;
  return mb_error(
      report, MB_USAGE, "",
      "no run has the channel energy, which is shown where --channel names none (mbsim info lists "
      "what there is)");
}

// ---- the command ----------------------------------------------------------------------------------

static bool is_svg(const char *path) {
  const size_t n = strlen(path);
  return n > 4 && !strcasecmp(path + n - 4, ".svg");
}

static MbStatus ask(const MbArgs *args, Asked *a, MbReport *report) {
  const MbValue *output = mb_arg(args, "output"), *x = mb_arg(args, "x");
  if (output->given && strcmp(output->text, "-") != 0 && !is_svg(output->text))
    return mb_error(report, MB_USAGE, "", "%s: a plot is written as SVG, and its name ends in .svg",
                    output->text);
  a->ask.across = x->given ? x->text : NULL;
  MbStatus status = mb_choose_frames(mb_arg(args, "frames")->text, &a->ask.slice, report);
  if (!status) status = open_runs(args, a, report);
  return status ? status : choose_names(args, a, report);
}

static MbStatus write_svg(const MbArgs *args, const MbPlot *plot, MbReport *report) {
  MbOutput out;
  const MbOutputAsk where = {.path = mb_arg(args, "output")->text,
                             .replace = mb_arg_given(args, "force"),
                             .inputs = args->operands,
                             .ninputs = args->noperands};
  const MbStatus status = mb_output_open(&out, &where, report);
  return status ? status : mb_output_end(&out, mb_plot_svg(out.stream, plot, report), report);
}

static MbStatus show(const MbPlot *plot, MbReport *report) {
  return mb_plot_text(stdout, plot, mb_terminal_width(), plot->npanels == 1 ? 20 : 12, report);
}

static MbStatus run(const MbArgs *args) {
  MbReport report = {0};
  MbRunsPlot made = {0};
  Asked asked = {0};
  MbStatus status = ask(args, &asked, &report);
  if (!status) status = mb_runs_plot(&asked.ask, &made, &report);
  const bool drawn = mb_arg_given(args, "output");
  if (!status) status = drawn ? write_svg(args, &made.plot, &report) : show(&made.plot, &report);
  for (size_t i = 0; asked.runs && i < args->noperands; i++) mb_traj_free(asked.runs[i]);
  mb_runs_plot_free(&made);
  mb_arena_free(&asked.arena);
  mb_free(asked.names);
  mb_free(asked.labels);
  mb_free(asked.runs);
  if (status == MB_IO && mb_console_reader_left()) return MB_OK; // `| head` has seen enough
  mb_console_report(stderr, &report);
  return status;
}

static const MbOption options[] = {
    {.name = "channel",
     .letter = 'c',
     .type = MB_OPTION_LIST,
     .argument = "NAMES",
     .help = "what to show: a channel, a column as export names it (crate.position.x), or what columns begin "
             "with "
             "(crate.position); several with commas, or again",
     .fallback = "energy"},
    {.name = "x",
     .letter = 'x',
     .type = MB_OPTION_TEXT,
     .argument = "NAME",
     .help = "one column to stand across",
     .fallback = "time"},
    {.name = "output",
     .letter = 'o',
     .type = MB_OPTION_FILE,
     .argument = "FILE.svg",
     .help = "picture to write; - is stdout",
     .fallback = "plain text on stdout"},
    MB_FRAMES_OPTION,
    {.name = "force", .letter = 'f', .help = "replace an existing picture"},
    MB_PARTIAL_OPTION,
};

const MbCommand mb_command_plot = {
    .name = "plot",
    .operands = "FILE...",
    .least = 1,
    .most = INT_MAX,
    .summary = "show curves of what trajectories hold",
    .details = "Draws channels over time, or over one another (--x), of several runs over one another: a "
               "panel for each unit, at most "
               "32 curves. With --output it writes a picture (SVG) whose curves are told apart in black and "
               "white too. "
               "Else it draws with characters, as wide as the terminal (COLUMNS, where that is set; 80 where "
               "there is none).\n\n"
               "Of long runs each column of pixels shows the largest and the smallest number, so that no "
               "peak is lost. Numbers that are not "
               "finite and frames that are missing are gaps in a curve, and are told.",
    .noptions = sizeof options / sizeof *options,
    .options = options,
    .run = run,
};
