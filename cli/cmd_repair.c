#include "cli/choices.h"
#include "cli/console.h"
#include "cli/file_kind.h"
#include "cli/options.h"
#include "cli/output_part.h"
#include "io/trajectory/trajectory.h"

#include <string.h>

// run.mbt.part -> run.mbt; run.mbt -> run.repaired.mbt
static void default_name(const char *source, char *target, size_t size) {
  const char *slash = strrchr(source, '/'), *base = slash ? slash + 1 : source, *dot = strrchr(base, '.');
  if (mb_path_ends(source, ".part")) {
    snprintf(target, size, "%s", source);
    mb_output_strip_part(target);
  } else {
    const size_t stem = dot && dot > base ? (size_t)(dot - source) : strlen(source);
    snprintf(target, size, "%.*s.repaired%s", (int)stem, source, source + stem);
  }
}

static MbStatus repair(const char *source, const char *target, bool force, MbReport *report) {
  MbOutput output;
  MbTrajCounts counts = {0};
  const MbOutputAsk ask = {.path = target, .replace = force, .inputs = &source, .ninputs = 1};
  MbStatus status = mb_file_want_trajectory(source, report);
  if (!status) status = mb_output_unwritten(source, report);
  if (!status) status = mb_output_open(&output, &ask, report);
  if (!status)
    status = mb_output_end(
        &output, mb_traj_repair_into(source, fileno(output.stream), target, &counts, report), report);
  if (!status)
    fprintf(stderr, "%s: %llu %s in %llu %s\n", target, (unsigned long long)counts.frames,
            counts.frames == 1 ? "frame" : "frames", (unsigned long long)counts.chunks,
            counts.chunks == 1 ? "chunk" : "chunks");
  return status;
}

static MbStatus run(const MbArgs *args) {
  MbReport report = {0};
  char name[4096];
  const MbValue *given = mb_arg(args, "output");
  default_name(args->operands[0], name, sizeof name);
  const MbStatus status = given->given && !strcmp(given->text, "-")
                              ? mb_error(&report, MB_USAGE, "", "a trajectory goes to a file, not to stdout")
                              : repair(args->operands[0], given->given ? given->text : name,
                                       mb_arg_given(args, "force"), &report);
  mb_console_report(stderr, &report);
  return status;
}

static const MbOption options[] = {
    MB_OUTPUT_OPTION("where to write", "run.mbt for run.mbt.part, run.repaired.mbt for run.mbt"),
    {.name = "force", .letter = 'f', .help = "replace an existing output"},
};

const MbCommand mb_command_repair = {
    .name = "repair",
    .operands = "FILE",
    .least = 1,
    .most = 1,
    .summary = "make a whole trajectory of what is sound in a damaged one",
    .details =
        "Copies all sound records of FILE (cut off, damaged, or the .part of a killed run) and writes index "
        "and trailer anew. FILE itself is not changed.",
    .noptions = sizeof options / sizeof *options,
    .options = options,
    .run = run,
};
