#include "cli/choices.h"
#include "cli/console.h"
#include "cli/file_kind.h"
#include "cli/model_text.h"
#include "cli/options.h"
#include "core/base/alloc.h"
#include "io/models/models.h"

// Every note with its place; looks after losses.
static void tell(const MbModelNotes *notes) {
  char text[1024];
  for (int pass = 0; pass < 2; pass++)
    for (size_t i = 0; i < notes->n; i++) {
      const MbModelNote *note = &notes->note[i];
      if (note->loss != (pass == 0)) continue;
      fprintf(stderr, "%s:%d:%d: note: ", mb_console_safe(note->at.file, text, sizeof text), note->at.line,
              note->at.column);
      fprintf(stderr, "%s%s", note->loss ? "" : "(moves nothing) ",
              mb_console_safe(note->text, text, sizeof text));
      if (note->count > 1) fprintf(stderr, " (%d times, here first)", note->count);
      fputc('\n', stderr);
    }
}

static MbStatus judge(const MbArgs *args, const MbModelNotes *notes, MbReport *report) {
  int losses = 0;
  for (size_t i = 0; i < notes->n; i++) losses += notes->note[i].loss;
  if (!losses || !mb_arg_given(args, "strict")) return MB_OK;
  return mb_error(report, MB_SCENE, "",
                  "--strict: what is listed above cannot be said in a scene (%d of the notes)", losses);
}

static MbStatus refuse_scene(const char *path, MbReport *report) {
  if (mb_file_kind(path) != MB_FILE_JSON) return MB_OK;
  return mb_error(report, MB_IO, "", "%s looks like a scene, not a model; did you mean mbsim run %s?", path,
                  path);
}

static MbStatus run(const MbArgs *args) {
  MbReport report = {0};
  MbModelNotes notes = {0};
  const MbValue *packages = mb_arg(args, "package-path");
  char folder[MB_FOLDER], *text = NULL;
  MbStatus status = mb_model_text_folder(args, folder, &report);
  const MbImportOptions options = {.packages = packages->list,
                                   .npackages = packages->nlist,
                                   .folder = folder,
                                   .key = mb_arg(args, "key")->text,
                                   .merge_fixed = mb_arg_given(args, "merge-fixed"),
                                   .free_base = mb_arg_given(args, "free-base")};
  if (!status) status = refuse_scene(args->operands[0], &report);
  if (!status) status = mb_model_import(args->operands[0], &options, &notes, &text, &report);
  tell(&notes);
  if (!status) status = judge(args, &notes, &report);
  if (!status) status = mb_model_text_write(args, text, &report);
  mb_console_report(stderr, &report);
  mb_model_notes_free(&notes);
  mb_free(text);
  return status;
}

static const MbOption options[] = {
    MB_OUTPUT_OPTION("the scene to write; meshes are named from its folder", "stdout"),
    {.name = "force", .letter = 'f', .help = "replace an existing file"},
    {.name = "strict", .help = "write nothing and exit 3 where something cannot be said in a scene"},
    {.name = "package-path",
     .type = MB_OPTION_LIST,
     .argument = "FOLDER",
     .help = "URDF: where package://NAME/ is looked for, in it or as it; may be repeated"},
    {.name = "merge-fixed", .help = "make one body of those that no joint moves against each other"},
    {.name = "free-base", .help = "URDF: the first link is free in space, not fixed to the world"},
    {.name = "key", .type = MB_OPTION_TEXT, .argument = "NAME", .help = "MJCF: start from this keyframe"},
};

const MbCommand mb_command_import = {
    .name = "import",
    .operands = "MODEL",
    .least = 1,
    .most = 1,
    .summary = "make a scene of a URDF or MJCF model",
    .details =
        "Reads MODEL, a URDF or MJCF file by its outermost element, and writes it as a scene: names stay, "
        "angles that are round become expressions, comments tell where things come from. What a scene "
        "cannot say is listed on stderr with its place and what was done instead, and in the scene under "
        "`_left_out`. Other commands that take a scene take a model too, with these options' defaults.\n\n"
        "An element that is not known, a mesh that is missing, entities, links in a circle: exit 3 (5 for "
        "what "
        "is no XML or is not there), and nothing is written.",
    .noptions = sizeof options / sizeof *options,
    .options = options,
    .run = run,
};
