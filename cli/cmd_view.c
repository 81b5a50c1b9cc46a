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

// Every file is opened once, so that what is no trajectory is refused before anything is written.
static MbStatus check_files(const MbArgs *args, MbReport *report) {
  MbStatus status = MB_OK;
  for (size_t i = 0; i < args->noperands && !status; i++) {
    MbTraj *traj = NULL;
    status = mb_file_want_trajectory(args->operands[i], report);
    if (!status) status = mb_traj_open(args->operands[i], &traj, report);
    mb_traj_free(traj);
  }
  return status;
}

static MbStatus write_page(const MbArgs *args, const char *path, MbReport *report) {
  MbPage page;
  const MbOutputAsk ask = {.path = path,
                           .replace = mb_arg_given(args, "force"),
                           .inputs = args->operands,
                           .ninputs = args->noperands};
  const MbStatus status = mb_page_open(&page, &ask, report);
  return status ? status : mb_page_end(&page, args->operands, args->noperands, NULL, report);
}

static MbStatus run(const MbArgs *args) {
  MbReport report = {0};
  const MbValue *output = mb_arg(args, "output");
  char *path = output->given ? mb_strdup(output->text) : default_output(args);
  MbStatus status = path ? mb_page_available(&report) : mb_no_memory(&report, "a name");
  if (!status) status = check_files(args, &report);
  if (!status) status = write_page(args, path, &report);
  mb_console_report(stderr, &report);
  if (!status && strcmp(path, "-") != 0) fprintf(stderr, "%s\n", path);
  mb_free(path);
  return status;
}

static const MbOption options[] = {
    {.name = "output",
     .letter = 'o',
     .type = MB_OPTION_FILE,
     .argument = "FILE",
     .help = "page to write; - is stdout",
     .fallback = "the trajectory's name with .html in this directory"},
    {.name = "force", .letter = 'f', .help = "replace an existing page"},
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
        "opens trajectories that are chosen or dropped there, of any size.",
    .noptions = sizeof options / sizeof *options,
    .options = options,
    .run = run,
};
