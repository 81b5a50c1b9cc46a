// mbsim sweep: from the arguments to the folder of runs; what is asked and how runs are done stands in sweep_*.c.
#include "cli/console.h"
#include "cli/options.h"
#include "cli/sweep.h"
#include "core/base/clock.h"
#include "io/sweep/sweep_page.h"

#include <string.h>
#include <unistd.h>

// The page of a sweep. Without a scene, of the one in the page's folder. A page that is there is replaced: it is made of the folder alone.
static MbStatus write_report(const char *path, const char *folder, MbReport *report) {
  char own[MB_FOLDER];
  MbStatus status = folder ? MB_OK : mb_scene_folder(path, own, report);
  MbOutput out;
  const MbOutputAsk ask = {.path = path, .replace = mb_sweep_is_report(path)};
  if (!status && !ask.replace && !access(path, F_OK))
    status = mb_error(report, MB_IO, "", "%s is there already, and is no page of a sweep", path);
  if (!status) status = mb_output_open(&out, &ask, report);
  return status ? status
                : mb_output_end(&out, mb_sweep_report(folder ? folder : own, out.stream, report), report);
}

static MbStatus check_arguments(const MbArgs *args, MbReport *report) {
  static const char *const modes[] = {"collect", "status"};
  int asked = 0;
  for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) asked += mb_arg_given(args, modes[i]);
  if (asked > 1) return mb_error(report, MB_USAGE, "", "--collect and --status are two commands");
  if (asked && args->noperands)
    return mb_error(report, MB_USAGE, "",
                    "--collect and --status take the sweep's folder alone, not a scene");
  if (!asked && !args->noperands && !mb_arg_given(args, "report"))
    return mb_error(report, MB_USAGE, "", "sweep: SCENE or STUDY wanted (see mbsim sweep --help)");
  return MB_OK;
}

static MbStatus work(MbSweep *s, MbReport *report) {
  MbStatus status = mb_sweep_folder(s, report);
  if (!status) status = mb_sweep_list(s, true, report);
  if (status) return status;
  mb_sweep_announce(s);
  s->start = mb_clock();
  MbOutcomes outcomes = {0};
  status = mb_sweep_work(s, report);
  const MbStatus collected = mb_sweep_collect(s->out, s->formats, &outcomes, report);
  if (!status) status = collected;
  const MbValue *page = mb_arg(s->args, "report");
  if (!collected && page->given) {
    const MbStatus written = write_report(page->text, s->out, report);
    if (!status) status = written;
  }
  if (!status && s->failed) status = MB_DIFFERS;
  mb_sweep_summarize(s, status, &outcomes);
  return status;
}

static MbStatus collect(const char *folder, const MbArgs *args, MbReport *report) {
  bool formats[MB_TABLE_FORMATS] = {false};
  const MbValue *format = mb_arg(args, "format");
  MbOutcomes outcomes = {0};
  if (format->given) formats[format->word] = true;
  const MbStatus status = mb_sweep_collect(folder, formats, &outcomes, report);
  uint64_t rows = 0;
  for (int k = 0; k < MB_OUTCOMES; k++) rows += outcomes.count[k];
  if (status) return status;
  if (!mb_arg_given(args, "quiet"))
    mb_console_note("%s/results.csv: %llu runs, %llu ok, %llu missing", folder, (unsigned long long)rows,
                    (unsigned long long)outcomes.count[MB_OUT_OK],
                    (unsigned long long)outcomes.count[MB_OUT_MISSING]);
  return rows == outcomes.count[MB_OUT_OK] ? MB_OK : MB_DIFFERS;
}

static MbStatus run(const MbArgs *args) {
  MbReport report = {0};
  const MbValue *log = mb_arg(args, "log");
  MbSweep sweep = {.args = args, .start = mb_clock()};
  sweep.log = (MbLog){.json = log->given && log->word == 1, .quiet = mb_arg_given(args, "quiet")};
  MbStatus status = check_arguments(args, &report);
  if (!status && mb_arg_given(args, "status")) {
    status = mb_sweep_status(mb_arg(args, "status")->text, &report);
  } else if (!status && mb_arg_given(args, "collect")) {
    status = collect(mb_arg(args, "collect")->text, args, &report);
  } else if (!status && !args->noperands) {
    status = write_report(mb_arg(args, "report")->text, NULL, &report);
  } else if (!status) {
    status = mb_sweep_ask(&sweep, &report);
    if (!status && (mb_arg_given(args, "dry-run") || mb_arg_given(args, "emit"))) {
      status = mb_sweep_list(&sweep, false, &report);
      if (!status)
        status =
            mb_arg_given(args, "emit") ? mb_sweep_emit(&sweep, &report) : mb_sweep_dry_run(&sweep, &report);
    } else if (!status) {
      status = work(&sweep, &report);
    }
  }
  mb_log_report(&sweep.log, &report);
  mb_sweep_free(&sweep);
  return status;
}

static const MbOption options[] = {
    {.name = "param",
     .letter = 'p',
     .type = MB_OPTION_LIST,
     .argument = "NAME=VALUES",
     .help = "vary a number of the scene's \"parameters\": 0.1,0.3 or from:to:count or log:from:to:count; "
             "may be repeated"},
    {.name = "set",
     .letter = 's',
     .type = MB_OPTION_LIST,
     .argument = "POINTER=VALUES",
     .help = "vary any value of the scene, by JSON pointer: numbers as above, words, JSON "
             "(/solver=redmax,maximal); may be "
             "repeated"},
    MB_SCENE_SETTINGS,
    {.name = "design",
     .letter = 'D',
     .type = MB_OPTION_WORD,
     .argument = "WORD",
     .words = mb_design_words,
     .help = "how the values make runs",
     .fallback = "grid"},
    {.name = "samples",
     .letter = 'n',
     .type = MB_OPTION_COUNT,
     .argument = "N",
     .help = "runs of a latin_hypercube, sobol or random design"},
    {.name = "seed",
     .type = MB_OPTION_TEXT,
     .argument = "N",
     .help =
         "what is drawn; the same seed gives the same runs everywhere; 0: the Sobol sequence as published",
     .fallback = "1"},
    {.name = "list",
     .type = MB_OPTION_FILE,
     .argument = "FILE",
     .help = "a table of runs: CSV, whose header names what varies"},
    {.name = "measure",
     .letter = 'm',
     .type = MB_OPTION_LIST,
     .argument = "NAME=WHAT",
     .help = "a column of the table: final, min, max, mean, rms, time_of_max, time_of_min of a column as "
             "`mbsim export` names "
             "it, at(x, t), first(condition), and expressions of these; may be repeated"},
    {.name = "output",
     .letter = 'o',
     .type = MB_OPTION_FILE,
     .argument = "FOLDER",
     .help = "where results go",
     .fallback = "the scene's name with .sweep in this directory"},
    {.name = "jobs",
     .letter = 'j',
     .type = MB_OPTION_COUNT,
     .argument = "N",
     .help = "runs at a time",
     .fallback = "as many as there are processors"},
    {.name = "lanes",
     .type = MB_OPTION_WORD,
     .argument = "WORD",
     .words = mb_lanes_words,
     .help = "`auto`: runs that differ in numbers alone go eight at a time in a processor's vectors, where "
             "their scenes allow it and "
             "--keep is not `all`; they come to the same bits. `off`: each goes on its own",
     .fallback = "auto"},
    {.name = "device",
     .type = MB_OPTION_WORD,
     .argument = "WORD",
     .words = mb_device_words,
     .help = "what computes the runs, instead of what the scene says: `cuda`: trees go in lockstep on the "
             "device, thousands at a time, deformables one by one; what leaves the plain steps there, as at "
             "joints' limits, is done by the processor. `auto`: so where there is a device that can",
     .fallback = "the scene's"},
    {.name = "keep",
     .type = MB_OPTION_WORD,
     .argument = "WORD",
     .words = mb_keep_words,
     .help = "whose trajectories stay; `none` writes none, which is faster",
     .fallback = "all"},
    {.name = "format",
     .letter = 'F',
     .type = MB_OPTION_WORD,
     .argument = "WORD",
     .words = mb_table_words,
     .help = "write the table in this form too",
     .fallback = "csv alone"},
    {.name = "no-times", .help = "leave out the table's last columns, which differ from time to time"},
    {.name = "timeout",
     .type = MB_OPTION_POSITIVE,
     .argument = "SECONDS",
     .help = "stop a run that takes longer"},
    {.name = "memory",
     .type = MB_OPTION_TEXT,
     .argument = "SIZE",
     .help = "how much a run may take: 500M, 2G"},
    {.name = "retry",
     .type = MB_OPTION_COUNT,
     .argument = "N",
     .help = "try a run that fails so many times more"},
    {.name = "fail-fast", .help = "start no more runs once one has failed"},
    {.name = "shard",
     .type = MB_OPTION_TEXT,
     .argument = "I/N",
     .help = "do only every Nth run, from the Ith on; all shards write into one folder",
     .fallback = "what Slurm or MPI says"},
    {.name = "dry-run", .help = "list the runs, and tell from a trial how long they take; write nothing"},
    {.name = "status",
     .type = MB_OPTION_FILE,
     .argument = "FOLDER",
     .help = "tell how far the sweep in FOLDER is"},
    {.name = "collect",
     .type = MB_OPTION_FILE,
     .argument = "FOLDER",
     .help = "write the table of the sweep in FOLDER anew"},
    {.name = "emit",
     .type = MB_OPTION_WORD,
     .argument = "WORD",
     .words = mb_sweep_emit_words,
     .help = "print what does the sweep in parts: a batch script for sbatch, or a command a line for GNU "
             "parallel; do nothing else"},
    {.name = "parts",
     .type = MB_OPTION_COUNT,
     .argument = "N",
     .help = "of --emit",
     .fallback = "parts of about ten minutes, at least eight"},
    {.name = "report",
     .type = MB_OPTION_FILE,
     .argument = "FILE",
     .help = "write a page of the sweep too: the table, pictures of it, what matters; without SCENE, of the "
             "sweep in FILE's folder"},
    MB_TALK_OPTIONS,
};

const MbCommand mb_command_sweep = {
    .name = "sweep",
    .operands = "[SCENE | STUDY]",
    .most = 1,
    .summary = "run a scene many times with other values, and make a table of what comes out",
    .details =
        "Runs SCENE once for each set of values, several at a time, and writes a table with a row for "
        "each run:\n\n"
        "mbsim sweep pendulum.json -p length=0.5:1.5:11 -p mu=0.1,0.3,0.5 -m "
        "'swing=max(bob.joint.position)' -o out\n\n"
        "makes 33 runs and out/results.csv. -p varies a number of the scene's \"parameters\", -s "
        "anything in it by JSON "
        "pointer (-s /solver=redmax,maximal). VALUES are a list (0.1,0.3), a range (from:to:count, or "
        "log:from:to:count), or, "
        "for designs that draw --samples, a distribution (from:to, log:from:to, "
        "normal:mean:deviation). A single value holds in "
        "every run, as do --duration, --step and the like.\n\n"
        "A measure is taken of the run's frames (the scene's output.every) while it goes, so --keep "
        "none needs no trajectories. "
        "Columns are called as in `mbsim export`; the scene's parameters and t may stand in "
        "expressions: max(abs(bob.velocity.x)), "
        "first(bob.position.z < height/2), final(energy.total) - at(energy.total, 1).\n\n"
        "The same command again runs only what is missing, failed or changed. Each run has a folder "
        "out/runs/ID with its scene "
        "(`mbsim run` runs it alone), log and trajectory; ID is a hash of the scene, its meshes and "
        "this version. A sweep that was "
        "killed loses the runs that were under way, and these go on from their last checkpoint "
        "(--checkpoint). Ctrl-C ends "
        "runs after their step with a checkpoint; a second one, half a second later or more, kills.\n\n"
        "STUDY is a file that says all this: `mbsim init study` writes one, `mbsim schema --study` "
        "its JSON Schema. What the command line "
        "says besides takes the place of what the study says.\n\n"
        "A run that fails, crashes, takes too long (--timeout) or too much (--memory) is a row that "
        "says so, and the others go "
        "on. Exit codes: 0 all runs are fine, 1 some have failed, 130 interrupted; what is wrong with "
        "names is told before the "
        "first run (2, 3).",
    .noptions = sizeof options / sizeof *options,
    .options = options,
    .run = run,
};
