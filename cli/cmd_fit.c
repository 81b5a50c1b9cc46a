// `mbsim fit`: numbers of a scene for which its run is like data, or an expression of it least.
#include "cli/console.h"
#include "cli/fitting.h"
#include "cli/output_file.h"
#include "cli/run.h"
#include "core/base/alloc.h"
#include "core/base/report.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// What is written at the end.
typedef struct Files {
  MbOutput scene, page;
  bool has_scene, has_page;
} Files;

static MbStatus open_file(const MbFit *fit, const char *option, MbOutput *output, bool *has,
                          MbReport *report) {
  const MbValue *path = mb_arg(fit->args, option);
  const char *const inputs[] = {fit->args->operands[0], mb_arg(fit->args, "data")->text};
  const MbOutputAsk ask = {
      .path = path->text, .replace = mb_arg_given(fit->args, "force"), .inputs = inputs, .ninputs = 2};
  if (!path->given) return MB_OK;
  const MbStatus status = mb_output_open(output, &ask, report);
  *has = !status;
  return status;
}

// ---- the fitted scene -----------------------------------------------------------------------------

// Whether a file lies in the folder that the scene's meshes begin at, so that their names stay right.
static bool beside(const MbFit *fit, const char *path) {
  char folder[MB_FOLDER], there[PATH_MAX], here[PATH_MAX];
  MbReport ignored = {0};
  if (mb_scene_folder(path, folder, &ignored)) return false;
  return realpath(folder, there) && realpath(fit->source.folder, here) && !strcmp(there, here);
}

static MbStatus write_scene(const MbFit *fit, MbOutput *output, MbReport *report) {
  MbChange *changes = mb_calloc(fit->n + 1, sizeof *changes);
  char *text = NULL;
  if (!changes) return mb_no_memory(report, "the scene");
  for (size_t k = 0; k < fit->n; k++)
    changes[k] = (MbChange){fit->unknowns[k].name,
                            mb_fit_number(&fit->unknowns[k], fit->starts[fit->best].found.x[k])};
  MbStatus status = mb_changed_text(fit->args, &fit->source, changes, fit->n,
                                    !beside(fit, mb_arg(fit->args, "output")->text), &text, report);
  if (!status && fputs(text, output->stream) == EOF)
    status = mb_error(report, MB_IO, "", "%s cannot be written: %s", output->file, strerror(errno));
  mb_free(text);
  mb_free(changes);
  return status;
}

// ---- the command ----------------------------------------------------------------------------------

static MbStatus judge(MbFit *fit, MbReport *report) {
  const MbFitStart *best = &fit->starts[fit->best];
  if (fit->minimise || best->status || best->found.end == MB_FIT_STOPPED || best->found.end == MB_FIT_EDGE)
    return MB_OK; // slopes may be of another place
  return mb_fit_worth(&fit->problem, &best->found, fit->known, &fit->worth, &fit->arena, report);
}

static MbStatus write_files(MbFit *fit, Files *files, MbReport *report) {
  MbStatus status = files->has_scene ? write_scene(fit, &files->scene, report) : MB_OK;
  if (files->has_scene) files->has_scene = false, status = mb_output_end(&files->scene, status, report);
  MbStatus paged = files->has_page ? mb_fit_page(fit, files->page.stream, report) : MB_OK;
  if (files->has_page) files->has_page = false, paged = mb_output_end(&files->page, paged, report);
  return status ? status : paged;
}

// What has been found is told and written however the search has ended.
static MbStatus finish(MbFit *fit, Files *files, MbStatus searched, MbReport *report) {
  const bool json = mb_arg_given(fit->args, "json");
  MbStatus status = judge(fit, report);
  if (status) return status;
  if (!json) mb_fit_tell_end(fit);
  status = write_files(fit, files, report);
  const MbStatus told = json ? mb_console_json(mb_fit_answer(fit)) : MB_OK;
  if (status || told) return status ? status : told;
  if (searched) return searched;
  return fit->starts[fit->best].found.end == MB_FIT_CONVERGED && !fit->worth.nuntold ? MB_OK : MB_DIFFERS;
}

static MbStatus run(const MbArgs *args) {
  MbReport report = {0};
  MbFit fit = {.args = args, .quiet = mb_arg_given(args, "json") || mb_arg_given(args, "quiet")};
  Files files = {0};
  MbStatus status = mb_fit_ask(&fit, &report);
  if (!status) status = open_file(&fit, "output", &files.scene, &files.has_scene, &report);
  if (!status) status = open_file(&fit, "report", &files.page, &files.has_page, &report);
  if (!status) {
    mb_run_catch_signals();
    if (!fit.quiet) mb_fit_tell_begin(&fit);
    status = mb_fit_search(&fit, &report);
    const bool found = fit.best != SIZE_MAX && (!status || status == MB_INTERRUPTED);
    if (found) status = finish(&fit, &files, status, &report);
  }
  if (files.has_scene) mb_output_end(&files.scene, status ? status : MB_USAGE, &report);
  if (files.has_page) mb_output_end(&files.page, status ? status : MB_USAGE, &report);
  if (mb_arg_given(args, "json") && report.errors)
    mb_console_json_failure(status, &report);
  else
    mb_console_report(stderr, &report);
  mb_fit_free(&fit);
  return mb_console_finish(status);
}

static const MbOption options[] = {
    {.name = "data",
     .type = MB_OPTION_FILE,
     .argument = "FILE",
     .help = "what the run is to look like: a table (CSV: a line of names, \"time\" first, then numbers; an "
             "empty cell is "
             "one that is not known) or a trajectory"},
    {.name = "match",
     .letter = 'm',
     .type = MB_OPTION_LIST,
     .argument = "NAME[=DATA]",
     .help = "what of the run stands in the data: a column as `mbsim export` names it, or what columns begin "
             "with "
             "(hand.position); DATA is what the data calls it, where that differs; may be repeated"},
    {.name = "sigma",
     .type = MB_OPTION_LIST,
     .argument = "[NAME=]NUMBER",
     .help = "how far the data scatters: the standard deviation of its numbers, or of those of one --match"},
    {.name = "loss",
     .type = MB_OPTION_WORD,
     .argument = "WORD",
     .words = mb_loss_words,
     .fallback = "squares",
     .help = "how a number counts that is far off: huber as its distance, cauchy as the logarithm of it"},
    {.name = "minimise",
     .type = MB_OPTION_TEXT,
     .argument = "MEASURE",
     .help =
         "instead of data: an expression of measures as those of `mbsim sweep`, which is to become least"},
    {.name = "free",
     .letter = 'u',
     .type = MB_OPTION_LIST,
     .argument = "NAME[=FROM:TO]",
     .help = "what is to be found: a name of the scene's \"parameters\", or a JSON pointer "
             "(/bodies/0/density; /* at its end: "
             "each number of that list), within bounds, of which either may be left out; log:FROM:TO looks "
             "for the "
             "logarithm; may be repeated"},
    {.name = "prior",
     .type = MB_OPTION_LIST,
     .argument = "NAME=MEAN:DEVIATION",
     .help = "what is known of it beforehand; it counts as one more number of the data"},
    {.name = "derivatives",
     .type = MB_OPTION_WORD,
     .argument = "WORD",
     .words = mb_slopes_words,
     .fallback = "auto",
     .help = "exact: along with the run, as `mbsim gradient`; differences: of whole runs, two for each "
             "unknown; auto: "
             "exact where the scene has them"},
    {.name = "move",
     .type = MB_OPTION_POSITIVE,
     .argument = "SHARE",
     .fallback = "1e-4",
     .help =
         "of differences: how far a number is moved, as a share of it; without this option also a tenth of "
         "that, then ten times that, where nothing goes further down that differences say does"},
    {.name = "starts",
     .type = MB_OPTION_COUNT,
     .argument = "N",
     .fallback = "1",
     .help = "search from so many places: the scene's own numbers, and a Latin hypercube between the bounds"},
    {.name = "seed",
     .type = MB_OPTION_COUNT,
     .argument = "S",
     .fallback = "1",
     .help = "of the Latin hypercube"},
    {.name = "iterations",
     .type = MB_OPTION_COUNT,
     .argument = "N",
     .fallback = "100",
     .help = "of each start, at most"},
    {.name = "jobs",
     .letter = 'j',
     .type = MB_OPTION_COUNT,
     .argument = "N",
     .fallback = "as many as there are processors",
     .help = "runs at a time, for differences; what comes out does not depend on it"},
    {.name = "output",
     .letter = 'o',
     .type = MB_OPTION_FILE,
     .argument = "FILE",
     .help = "write the scene with what was found; - is stdout"},
    {.name = "report",
     .type = MB_OPTION_FILE,
     .argument = "FILE.html",
     .help = "write a page: data and motion over one another, what was found, how the search went"},
    {.name = "force", .letter = 'f', .help = "replace existing files"},
    {.name = "quiet", .letter = 'q', .help = "tell what was found, not the way there"},
    {.name = "json", .help = "answer as JSON on stdout; after a failure, status and issues"},
    MB_SCENE_OPTIONS,
};

const MbCommand mb_command_fit = {
    .name = "fit",
    .operands = "SCENE",
    .least = 1,
    .most = 1,
    .summary = "find numbers of a scene for which its run is like data, or a measure of it least",
    .details =
        "Looks for the numbers that --free names:\n\n"
        "mbsim fit arm.json --data recorded.csv --match hand.position --free mass=0.5:2 --free "
        "damping -o fitted.json\n\n"
        "makes the sum of squares between run and data least by the method of Levenberg and "
        "Marquardt, from the numbers that "
        "the scene has. Times of the data need not be steps: between steps a cubic stands for the "
        "run. It tells values, "
        "standard errors and correlations, which mean something where the model is right and scatter "
        "is normal: by --sigma, or "
        "by what is left where that is not given. A number that the data does not determine is named, "
        "and so is one that stands "
        "at its bound; these have no standard error. Where much of the data is left, or what is left is no "
        "scatter, that is told: a minimum says no more than that small changes do not help.\n\n"
        "mbsim fit arm.json --minimise '(final(hand.position.x)-1)^2 + effort*1e-3' --free "
        "'/bodies/0/joint/force/values/*=-5:5'\n\n"
        "makes an expression of measures least by limited-memory BFGS within bounds: a table's "
        "entries are a motor's course "
        "then, and a target is reached.\n\n"
        "Derivatives go along with the run where the scene has them (`mbsim gradient --help`), and "
        "are central differences of "
        "the same program otherwise, for any scene; which of them is told. Where contacts come and "
        "go, and in long chaotic "
        "motions, sums of squares are rough: give bounds and --starts, or a longer --move.\n\n"
        "Exit codes: 0 converged; 1 not converged, or data that does not determine an unknown: what "
        "was found is told and "
        "written all the same; 2, 3 what is asked or the scene is wrong, told before the first run; 4 "
        "the run from the "
        "scene's own numbers fails; 130 interrupted, the best so far is told and written.",
    .noptions = sizeof options / sizeof *options,
    .options = options,
    .run = run,
};
