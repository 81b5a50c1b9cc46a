#include "cli/choices.h"
#include "cli/console.h"
#include "cli/export_folder.h"
#include "cli/export_model.h"
#include "cli/file_kind.h"
#include "cli/options.h"
#include "cli/output_file.h"
#include "io/export/export.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { MOST_TARGETS = 128 }; // of glb

// What --format takes: formats of trajectories, then those of models.
static const char *const formats[] = {"csv", "npz", "json", "glb", "vtk", "mjcf", "urdf", NULL};

static bool to_stdout(const MbValue *output) { return !output->given || !strcmp(output->text, "-"); }

// --format, else by the ending of the output's name, else csv on stdout.
static MbStatus choose_format(const MbArgs *args, size_t *format, MbReport *report) {
  const MbValue *given = mb_arg(args, "format"), *output = mb_arg(args, "output");
  *format = given->given ? given->word : 0;
  if (given->given || to_stdout(output)) return MB_OK;
  const char *slash = strrchr(output->text, '/'), *dot = strrchr(slash ? slash : output->text, '.');
  char endings[80] = "";
  for (size_t f = 0; formats[f]; f++) {
    const size_t n = strlen(endings);
    snprintf(endings + n, sizeof endings - n, "%s.%s", f ? ", " : "", formats[f]);
    const bool xml =
        dot && f == MB_EXPORTS + MB_MODEL_MJCF && !strcasecmp(dot, ".xml"); // what MJCF is called
    if (!dot || (!xml && strcasecmp(dot + 1, formats[f]) != 0)) continue;
    *format = f;
    return MB_OK;
  }
  return mb_error(report, MB_USAGE, "", "%s: the ending is none of %s; name one of these, or give --format",
                  output->text, endings);
}

static MbStatus choose_options(const MbArgs *args, MbExportFormat format, MbExportOptions *options,
                               MbReport *report) {
  const MbValue *channels = mb_arg(args, "channel"), *frames = mb_arg(args, "frames");
  *options = (MbExportOptions){
      .format = format,
      .channels = channels->nlist ? channels->list : NULL,
      .nchannels = channels->nlist,
      .most_targets =
          mb_arg(args, "max-targets")->given ? (size_t)mb_arg(args, "max-targets")->count : MOST_TARGETS,
  };
  const bool binary = options->format == MB_EXPORT_NPZ || options->format == MB_EXPORT_GLB;
  if (binary && to_stdout(mb_arg(args, "output")) && isatty(STDOUT_FILENO))
    return mb_error(report, MB_USAGE, "",
                    "%s is no text: give a file with --output, or send stdout elsewhere",
                    mb_export_words[options->format]);
  if (options->format == MB_EXPORT_VTK && to_stdout(mb_arg(args, "output")))
    return mb_error(report, MB_USAGE, "", "vtk is a folder of files: name it with --output");
  if (options->nchannels && (options->format == MB_EXPORT_VTK || options->format == MB_EXPORT_GLB))
    return mb_error(report, MB_USAGE, "", "--channel is for csv, npz and json; %s holds what is to be seen",
                    mb_export_words[options->format]);
  MbTrajSlice slice;
  const MbStatus chosen = mb_choose_frames(frames->text, &slice, report);
  options->first = slice.first, options->last = slice.last, options->stride = slice.stride;
  return chosen;
}

// VTK's files stand in a folder.
static MbStatus export_into(const MbArgs *args, MbTraj *traj, const MbExportOptions *options,
                            MbReport *report) {
  MbExportFolder folder;
  const MbStatus status =
      mb_export_folder_open(&folder, mb_arg(args, "output")->text, mb_arg_given(args, "force"), report);
  const MbFolder access = mb_export_folder_access(&folder);
  return status ? status : mb_export_vtk(traj, options, &access, report);
}

static MbStatus export_to(const MbArgs *args, MbTraj *traj, const MbExportOptions *options,
                          MbReport *report) {
  if (options->format == MB_EXPORT_VTK) return export_into(args, traj, options, report);
  MbOutput out;
  const char *inputs[] = {mb_traj_path(traj)};
  const MbOutputAsk ask = {.path = mb_arg(args, "output")->text,
                           .replace = mb_arg_given(args, "force"),
                           .inputs = inputs,
                           .ninputs = 1};
  const MbStatus status = mb_output_open(&out, &ask, report);
  return status ? status : mb_output_end(&out, mb_export(traj, options, out.stream, report), report);
}

static MbStatus want_trajectory(const char *path, MbReport *report) {
  if (mb_file_kind(path) != MB_FILE_JSON) return MB_OK;
  return mb_error(
      report, MB_IO, "",
      "%s looks like a scene, not a trajectory; did you mean mbsim run %s, or --format mjcf or urdf?", path,
      path);
}

static MbStatus run(const MbArgs *args) {
  MbReport report = {0};
  MbExportOptions options;
  MbTraj *traj = NULL;
  size_t format = 0;
  MbStatus status = choose_format(args, &format, &report);
  if (!status && format >= MB_EXPORTS) {
    status = mb_export_model(args, (MbModelFormat)(format - MB_EXPORTS), &report);
    mb_console_report(stderr, &report);
    return status;
  }
  if (!status) status = choose_options(args, (MbExportFormat)format, &options, &report);
  if (!status) status = want_trajectory(args->operands[0], &report);
  if (!status) status = mb_traj_open(args->operands[0], &traj, &report);
  if (!status) status = mb_file_want_whole(traj, mb_arg_given(args, "partial"), &report);
  if (!status) status = export_to(args, traj, &options, &report);
  mb_traj_free(traj);
  // `| head` has seen enough
  if (status == MB_IO && to_stdout(mb_arg(args, "output")) && mb_console_reader_left()) return MB_OK;
  mb_console_report(stderr, &report);
  return status;
}

static const MbOption options[] = {
    {.name = "format",
     .letter = 'F',
     .type = MB_OPTION_WORD,
     .argument = "WORD",
     .words = formats,
     .help = "what to write",
     .fallback = "by the ending of the output; csv on stdout"},
    MB_OUTPUT_OPTION("where to write; of vtk a folder; a model names meshes from its folder", "stdout"),
    {.name = "channel",
     .letter = 'c',
     .type = MB_OPTION_LIST,
     .argument = "NAME",
     .help = "only this channel; may be repeated"},
    MB_FRAMES_OPTION,
    {.name = "max-targets",
     .type = MB_OPTION_COUNT,
     .argument = "N",
     .help = "glb: frames that deformables are shown in, at most",
     .fallback = "128"},
    {.name = "force", .letter = 'f', .help = "replace an existing output"},
    MB_PARTIAL_OPTION,
};

const MbCommand mb_command_export = {
    .name = "export",
    .operands = "FILE",
    .least = 1,
    .most = 1,
    .summary = "write frames as CSV, NPZ, JSON, glTF or VTK; a scene as MJCF or URDF",
    .details =
        "Writes the frames of FILE in a format that other programs read: csv (one column a number), "
        "npz (NumPy arrays, one a channel) or json; of a channel with a count per frame (constraint.active) "
        "csv has "
        "the count, or, where that channel alone is asked for, a line for each entry; glb (glTF: bodies and "
        "deformables that move, for "
        "Blender and others) or vtk (a folder of VTK files that ParaView plays: bodies, lines, and "
        "deformables with displacement from rest, Green's strain and its largest principal value by "
        "element, and velocity where the trajectory has channel deformable.*.velocity). Of a file that was "
        "cut off or lacks frames nothing is written "
        "(exit 5), unless --partial asks for what is there.\n\n"
        "With --format mjcf or urdf FILE is a scene (or a model), and a model of it is written, so that "
        "another program can check a "
        "run, or go on from here. What such a model cannot say is listed with its place in the scene, exit "
        "3, and nothing is "
        "written; what models say nothing of is a warning: a start in URDF, solver and output in both. MJCF "
        "has a scene's start as "
        "keyframe \"start\": import it with --key start.",
    .noptions = sizeof options / sizeof *options,
    .options = options,
    .run = run,
};
