#include "cli/choices.h"
#include "cli/console.h"
#include "cli/file_kind.h"
#include "cli/options.h"
#include "cli/page.h"
#include "core/base/alloc.h"
#include "io/trajectory/trajectory.h"

#include <string.h>

// RUN.html in this directory for RUN.mbt anywhere, viewer.html for none.
static char *default_output(const MbArgs *args) {
  const char *name = args->noperands ? mb_page_name(args->operands[0]) : "viewer";
  const size_t n = strlen(name), stem = n > 4 && !strcmp(name + n - 4, ".mbt") ? n - 4 : n;
  char *path = mb_calloc(stem + sizeof ".html", 1);
  if (!path) return NULL;
  memcpy(path, name, stem);
  memcpy(path + stem, ".html", sizeof ".html");
  return path;
}

// What of the trajectories goes in.
typedef struct Choice {
  bool part; // not their own bytes
  MbTrajExcerpt excerpt;
  char *note; // JSON, which the page's data carry
} Choice;

// {"excerpt": {"frames": "::10", "error": "view"}}
static char *make_note(const MbValue *frames, const MbValue *error) {
  cJSON *tree = cJSON_CreateObject(), *what = cJSON_AddObjectToObject(tree, "excerpt");
  if (frames->given) cJSON_AddStringToObject(what, "frames", frames->text);
  if (error->given) cJSON_AddStringToObject(what, "error", error->text);
  char *text = cJSON_PrintUnformatted(tree), *copy = text ? mb_strdup(text) : NULL;
  cJSON_free(text);
  cJSON_Delete(tree);
  return copy;
}

static MbStatus choose(const MbArgs *args, Choice *choice, MbReport *report) {
  const MbValue *frames = mb_arg(args, "frames"), *error = mb_arg(args, "error");
  choice->part = frames->given || error->given;
  if (choice->part && !args->noperands)
    return mb_error(report, MB_USAGE, "", "--frames and --error choose from a FILE, and none is named");
  MbStatus status = mb_choose_frames(frames->text, &choice->excerpt.slice, report);
  if (!status && error->given) status = mb_choose_bounds(error->text, choice->excerpt.error, report);
  if (!status && choice->part && !(choice->note = make_note(frames, error)))
    status = mb_no_memory(report, "the page");
  return status;
}

// The frames that are asked for must be there.
static MbStatus check_frames(MbTraj *traj, const Choice *choice, bool partial, MbReport *report) {
  MbTrajFrames frames;
  MbStatus status = mb_file_want_whole(traj, partial, report);
  if (!status) status = mb_traj_slice(traj, choice->excerpt.slice, &frames, report);
  if (!status && !frames.span && mb_traj_frames(traj))
    status = mb_error(report, MB_USAGE, "", "--frames: %s has %llu frames, and none of these",
                      mb_traj_path(traj), (unsigned long long)mb_traj_frames(traj));
  return status;
}

// Every file is opened once, so that what is no trajectory is refused before anything is written. Of one that is not whole the page
// tells that itself where it has its bytes.
static MbStatus check_files(const MbArgs *args, const Choice *choice, MbReport *report) {
  MbStatus status = MB_OK;
  for (size_t i = 0; i < args->noperands && !status; i++) {
    MbTraj *traj = NULL;
    status = mb_file_want_trajectory(args->operands[i], report);
    if (!status) status = mb_traj_open(args->operands[i], &traj, report);
    if (!status && choice->part) status = check_frames(traj, choice, mb_arg_given(args, "partial"), report);
    mb_traj_free(traj);
  }
  return status;
}

static MbStatus write_page(const MbArgs *args, const char *path, const Choice *choice, MbReport *report) {
  MbPage page = {0};
  const MbOutputAsk ask = {.path = path,
                           .replace = mb_arg_given(args, "force"),
                           .inputs = args->operands,
                           .ninputs = args->noperands};
  const MbStatus status = mb_page_open(&page, &ask, report);
  if (status) return status;
  if (choice->part) page.excerpt = &choice->excerpt, page.note = choice->note;
  return mb_page_end(&page, args->operands, args->noperands, NULL, report);
}

static MbStatus run(const MbArgs *args) {
  MbReport report = {0};
  Choice choice = {0};
  const MbValue *output = mb_arg(args, "output");
  char *path = output->given ? mb_strdup(output->text) : default_output(args);
  MbStatus status = path ? mb_page_available(&report) : mb_no_memory(&report, "a name");
  if (!status) status = choose(args, &choice, &report);
  if (!status) status = check_files(args, &choice, &report);
  if (!status) status = write_page(args, path, &choice, &report);
  mb_console_report(stderr, &report);
  if (!status && strcmp(path, "-") != 0) fprintf(stderr, "%s\n", path);
  mb_free(choice.note);
  mb_free(path);
  return status;
}

static const MbOption options[] = {
    MB_OUTPUT_OPTION("page to write; - is stdout", "the trajectory's name with .html in this directory"),
    MB_FRAMES_OPTION,
    {.name = "error",
     .type = MB_OPTION_TEXT,
     .argument = "E",
     .help = "how far the page's numbers may be from those that the run computed: 0, fine, view, a number "
             "for all of them (SI "
             "units), or an object, as {\"pose\": 1e-6}",
     .fallback = "as in the trajectory"},
    {.name = "force", .letter = 'f', .help = "replace an existing page"},
    MB_PARTIAL_OPTION,
};

const MbCommand mb_command_view = {
    .name = "view",
    .operands = "[FILE [FILE]]",
    .least = 0,
    .most = 2,
    .summary = "write a page to watch a run in",
    .details =
        "Writes one HTML file that plays the trajectory in any browser, without network: the picture, curves "
        "of all numbers, events.\n\n"
        "With two files the second is shown as a ghost in the first, or beside it. Without a file the page "
        "opens trajectories that are chosen or dropped there, of any size.\n\n"
        "The trajectories' own bytes stand in the page. With --frames or --error a part of them does, which "
        "is smaller; of a file "
        "that was cut off or lacks frames there is then no page (exit 5), unless --partial asks for what is "
        "there. A page of more "
        "than 200 MB opens slowly, and a warning says so.",
    .noptions = sizeof options / sizeof *options,
    .options = options,
    .run = run,
};
