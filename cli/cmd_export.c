#include "cli/console.h"
#include "cli/file_kind.h"
#include "cli/options.h"
#include "cli/output_file.h"
#include "io/export/export.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_TARGETS = 128 }; // of glb

// One number of a:b:c, or `absent` where it is empty; *text moves behind it.
static bool take_index(const char **text, int64_t absent, int64_t *value) {
  *value = absent;
  if (**text == ':' || !**text) return true;
  char *end = NULL;
  errno = 0;
  *value = strtoll(*text, &end, 10);
  const bool good = end != *text && !errno && (*end == ':' || !*end);
  *text = end;
  return good;
}

// Frames a:b:c as in Python; a alone is that frame.
static MbStatus parse_frames(const char *text, MbExportOptions *options, MbReport *report) {
  const char *p = text;
  bool good = take_index(&p, 0, &options->first);
  if (good && !*p) {
    options->last = options->first == -1 ? INT64_MAX : options->first + 1;
    good = p != text;
  } else if (good) {
    p++;
    good = take_index(&p, INT64_MAX, &options->last);
    if (good && *p == ':') {
      p++;
      good = take_index(&p, 1, &options->stride) && !*p;
    }
  }
  if (good && options->stride >= 1) return MB_OK;
  return mb_error(report, MB_USAGE, "", "--frames: \"%s\" is no a, a:b or a:b:c with c at least 1", text);
}

static MbStatus choose_options(const MbArgs *args, MbExportOptions *options, MbReport *report) {
  const MbValue *format = mb_arg(args, "format"), *channels = mb_arg(args, "channel"),
                *frames = mb_arg(args, "frames");
  const MbValue *output = mb_arg(args, "output");
  *options = (MbExportOptions){.channels = channels->nlist ? channels->list : NULL,
                               .nchannels = channels->nlist,
                               .most_targets = mb_arg(args, "max-targets")->given
                                                   ? (size_t)mb_arg(args, "max-targets")->count
                                                   : MOST_TARGETS,
                               .last = INT64_MAX,
                               .stride = 1};
  if (format->given)
    options->format = (MbExportFormat)format->word;
  else if (output->given) // by the ending
    for (int f = 0; f < MB_EXPORTS; f++) {
      char ending[16];
      snprintf(ending, sizeof ending, ".%s", mb_export_words[f]);
      if (mb_path_ends(output->text, ending)) options->format = (MbExportFormat)f;
    }
  const bool binary = options->format == MB_EXPORT_NPZ || options->format == MB_EXPORT_GLB;
  if (binary && !output->given && isatty(STDOUT_FILENO))
    return mb_error(report, MB_USAGE, "",
                    "%s is no text: give a file with --output, or send stdout elsewhere",
                    mb_export_words[options->format]);
  return frames->given ? parse_frames(frames->text, options, report) : MB_OK;
}

static MbStatus export_to(const MbArgs *args, MbTraj *traj, const MbExportOptions *options,
                          MbReport *report) {
  const MbValue *output = mb_arg(args, "output");
  const char *path = output->given && strcmp(output->text, "-") != 0 ? output->text : NULL;
  if (path && mb_output_same_file(path, mb_traj_path(traj)))
    return mb_error(report, MB_USAGE, "", "the output would replace the trajectory itself");
  FILE *out = mb_output_stream(path, mb_arg_given(args, "force"), report);
  if (!out) return MB_IO;
  const MbStatus status = mb_export(traj, options, out, report);
  const MbStatus closed = mb_output_stream_close(out, path, status ? NULL : report);
  if (status && path) unlink(path);
  return status ? status : closed;
}

static MbStatus run(const MbArgs *args) {
  MbReport report = {0};
  MbExportOptions options;
  MbTraj *traj = NULL;
  MbStatus status = choose_options(args, &options, &report);
  if (!status) status = mb_file_want_trajectory(args->operands[0], &report);
  if (!status) status = mb_traj_open(args->operands[0], &traj, &report);
  if (!status) status = export_to(args, traj, &options, &report);
  mb_traj_free(traj);
  if (status == MB_IO && mb_console_reader_left()) return MB_OK; // `| head` has seen enough
  mb_console_report(stderr, &report);
  return status;
}

static const MbOption options[] = {
    {.name = "format",
     .letter = 'F',
     .type = MB_OPTION_WORD,
     .argument = "WORD",
     .words = mb_export_words,
     .help = "what to write",
     .fallback = "by the ending of the output, else csv"},
    {.name = "output",
     .letter = 'o',
     .type = MB_OPTION_FILE,
     .argument = "FILE",
     .help = "where to write",
     .fallback = "stdout"},
    {.name = "channel",
     .letter = 'c',
     .type = MB_OPTION_LIST,
     .argument = "NAME",
     .help = "only this channel; may be repeated"},
    {.name = "frames",
     .type = MB_OPTION_TEXT,
     .argument = "A:B:C",
     .help = "frames A to B, B not included, every C; as in Python, negative counts from the end",
     .fallback = "all"},
    {.name = "max-targets",
     .type = MB_OPTION_COUNT,
     .argument = "N",
     .help = "glb: frames that deformables are shown in, at most",
     .fallback = "128"},
    {.name = "force", .letter = 'f', .help = "replace an existing output"},
};

const MbCommand mb_command_export = {
    .name = "export",
    .operands = "FILE",
    .least = 1,
    .most = 1,
    .summary = "write frames as CSV, NPZ or JSON",
    .details = "Writes the frames of FILE in a format that other programs read: csv (one column a number), "
               "npz (NumPy "
               "arrays, one a channel) or json.",
    .noptions = sizeof options / sizeof *options,
    .options = options,
    .run = run,
};
