#include "cli/choices.h"
#include "cli/console.h"
#include "cli/options.h"
#include "cli/output_file.h"
#include "core/base/alloc.h"
#include "io/models/models.h"
#include "io/scene/schema_print.h"
#include "io/sweep/study.h"

static MbStatus run(const MbArgs *args) {
  MbReport report = {0};
  MbOutput out;
  const MbOutputAsk ask = {.path = mb_arg(args, "output")->text, .replace = mb_arg_given(args, "force")};
  MbStatus status = mb_output_open(&out, &ask, &report);
  const MbSchemaObject *root = mb_arg_given(args, "study") ? &mb_schema_study : &mb_schema_scene;
  char *text = mb_arg_given(args, "models")      ? mb_model_reference()
               : mb_arg_given(args, "reference") ? mb_schema_reference_of(root)
                                                 : mb_schema_json_of(root);
  if (!status && text) fputs(text, out.stream);
  if (!status) status = mb_output_end(&out, text ? MB_OK : mb_no_memory(&report, "the schema"), &report);
  mb_free(text);
  mb_console_report(stderr, &report);
  return status;
}

static const MbOption options[] = {
    MB_OUTPUT_OPTION("where to write", "stdout"),
    {.name = "force", .letter = 'f', .help = "replace an existing file"},
    {.name = "study", .help = "that of studies (mbsim sweep), instead of that of scenes"},
    {.name = "models", .help = "what import makes of URDF and MJCF, in Markdown, instead"},
    {.name = "reference", .help = "the reference of the format, in Markdown, instead of the JSON Schema"},
};

const MbCommand mb_command_schema = {
    .name = "schema",
    .operands = "",
    .summary = "print the JSON Schema of scenes or studies, or their reference",
    .details = "Prints the JSON Schema (2020-12) of scene files, or with --study of study files, for editors "
               "and validators, or the "
               "reference of the "
               "format.",
    .noptions = sizeof options / sizeof *options,
    .options = options,
    .run = run,
};
