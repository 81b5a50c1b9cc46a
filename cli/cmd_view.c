#include "cli/console.h"
#include "cli/file_kind.h"
#include "cli/options.h"
#include "cli/output_file.h"
#include "core/base/alloc.h"
#include "io/trajectory/trajectory.h"
#include "io/view/view.h"

#include <string.h>

static const uint64_t LARGE = 200u << 20; // bytes of a page that browsers take long to open

static const char *last_part(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

// RUN.html in this directory for RUN.mbt anywhere, viewer.html for none.
static char *default_output(const MbArgs *args) {
  const char *name = args->noperands ? last_part(args->operands[0]) : "viewer";
  const size_t n = strlen(name), stem = n > 4 && !strcmp(name + n - 4, ".mbt") ? n - 4 : n;
  char *path = mb_calloc(stem + sizeof ".html", 1);
  if (!path) return NULL;
  memcpy(path, name, stem);
  memcpy(path + stem, ".html", sizeof ".html");
  return path;
}

// Every file is opened once, so that what is no trajectory is refused before anything is written.
static MbStatus check_files(const MbArgs *args, uint64_t *bytes, MbReport *report) {
  MbStatus status = MB_OK;
  for (size_t i = 0; i < args->noperands && !status; i++) {
    MbTraj *traj = NULL;
    status = mb_file_want_trajectory(args->operands[i], report);
    if (!status) status = mb_traj_open(args->operands[i], &traj, report);
    if (traj) *bytes += mb_traj_file_bytes(traj) / 3 * 4;
    mb_traj_free(traj);
  }
  return status;
}

static MbStatus write_page(const MbArgs *args, const char *path, MbReport *report) {
  const char *names[2] = {0};
  MbOutput out;
  const MbOutputAsk ask = {.path = path,
                           .replace = mb_arg_given(args, "force"),
                           .inputs = args->operands,
                           .ninputs = args->noperands};
  for (size_t i = 0; i < args->noperands; i++) names[i] = last_part(args->operands[i]);
  const MbStatus status = mb_output_open(&out, &ask, report);
  if (status) return status;
  return mb_output_end(&out, mb_view_write(out.stream, args->operands, names, args->noperands, NULL, report),
                       report);
}

static MbStatus run(const MbArgs *args) {
  MbReport report = {0};
  uint64_t bytes = 0;
  const MbValue *output = mb_arg(args, "output");
  char *path = output->given ? mb_strdup(output->text) : default_output(args);
  MbStatus status = path ? MB_OK : mb_no_memory(&report, "a name");
  if (!mb_view_available())
    status = mb_error(&report, MB_IO, "",
                      "this mbsim was built without the page: node or its packages were missing. `make deps` "
                      "installs them; then build again");
  if (!status) status = check_files(args, &bytes, &report);
  if (!status && bytes > LARGE) {
    char text[32];
    mb_warning(&report, "",
               "the page holds %s: browsers take long to open it. A page without data "
               "(`mbsim view -o viewer.html`) opens files of any size",
               mb_console_bytes(bytes, text));
  }
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
