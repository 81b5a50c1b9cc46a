#include "cli/console.h"
#include "cli/options.h"
#include "core/base/alloc.h"
#include "io/scene/scene.h"

static MbStatus run(const MbArgs *args) {
  char *text = mb_arg_given(args, "reference") ? mb_schema_reference() : mb_schema_json();
  if (!text) {
    mb_console_error("out of memory for the schema");
    return MB_IO;
  }
  fputs(text, stdout);
  mb_free(text);
  return MB_OK;
}

static const MbOption options[] = {
    {.name = "reference", .help = "the reference of the format, in Markdown, instead of the JSON Schema"},
};

const MbCommand mb_command_schema = {
    .name = "schema",
    .operands = "",
    .summary = "print the JSON Schema of scenes, or their reference",
    .details = "Prints the JSON Schema (2020-12) of scene files, for editors and validators, or the "
               "reference of the "
               "format.",
    .noptions = sizeof options / sizeof *options,
    .options = options,
    .run = run,
};
