#include "cli/diff_outputs.h"
#include "core/base/alloc.h"

#include <string.h>

// ---- what is wanted -------------------------------------------------------------------------------

MbStatus mb_diff_outputs_check(const MbArgs *args, bool others, MbReport *report) {
  static const char *const names[] = {"report", "plot"};
  for (size_t i = 0; i < 2; i++) {
    const MbValue *value = mb_arg(args, names[i]);
    if (!value->given) continue;
    if (others)
      return mb_error(report, MB_USAGE, "", "--%s shows two runs: it goes with two files", names[i]);
    if (!strcmp(value->text, "-"))
      return mb_error(report, MB_USAGE, "", "--%s: it goes to a file, not to stdout", names[i]);
  }
  const MbValue *plot = mb_arg(args, "plot");
  if (plot->given && !mb_path_ends(plot->text, ".svg"))
    return mb_error(report, MB_USAGE, "", "%s: a plot is written as SVG, and its name ends in .svg",
                    plot->text);
  return mb_arg_given(args, "report") ? mb_page_available(report) : MB_OK;
}

// ---- opening them ---------------------------------------------------------------------------------

MbStatus mb_diff_output_open(const MbArgs *args, const char *option, MbOutput *output, MbReport *report) {
  const MbValue *read = mb_arg(args, "tolerances");
  const char **inputs = mb_calloc(args->noperands + 1, sizeof *inputs);
  if (!inputs) return mb_no_memory(report, "file names");
  for (size_t i = 0; i < args->noperands; i++) inputs[i] = args->operands[i];
  inputs[args->noperands] = read->given ? read->text : NULL;
  const MbOutputAsk ask = {.path = mb_arg(args, option)->text,
                           .replace = mb_arg_given(args, "force"),
                           .inputs = inputs,
                           .ninputs = args->noperands + 1};
  const MbStatus status = mb_output_open(output, &ask, report);
  mb_free(inputs);
  return status;
}

static void abandon(MbOutput *output) {
  MbReport ignored = {0};
  mb_output_end(output, MB_IO, &ignored);
}

MbStatus mb_diff_outputs_open(MbDiffOutputs *o, const MbArgs *args, MbReport *report) {
  *o = (MbDiffOutputs){.args = args};
  MbStatus status = MB_OK;
  if (mb_arg_given(args, "report")) status = mb_diff_output_open(args, "report", &o->page.output, report);
  o->paged = !status && mb_arg_given(args, "report");
  if (!status && mb_arg_given(args, "plot")) status = mb_diff_output_open(args, "plot", &o->picture, report);
  o->plotted = !status && mb_arg_given(args, "plot");
  if (o->paged && o->plotted && mb_target_same(&o->page.output.target, &o->picture.target)) {
    status = mb_error(report, MB_USAGE, "", "--report and --plot are one file: %s", o->picture.file);
    abandon(&o->picture);
  }
  if (status && o->paged) mb_page_abandon(&o->page);
  return status;
}

// ---- writing them ---------------------------------------------------------------------------------

static MbStatus write_picture(MbDiffOutputs *o, const MbDiffPair *pair, MbReport *report) {
  const char *const *files = o->args->operands;
  const bool alike = !strcmp(mb_page_name(files[0]), mb_page_name(files[1]));
  const char *const labels[2] = {alike ? files[0] : mb_page_name(files[0]),
                                 alike ? files[1] : mb_page_name(files[1])};
  MbStatus status = mb_error_plot_make(&o->errors, &pair->result, labels, report);
  if (!status) status = mb_plot_svg(o->picture.stream, &o->errors.plot, report);
  return mb_output_end(&o->picture, status, report);
}

MbStatus mb_diff_outputs_end(MbDiffOutputs *o, const MbDiffPair *pair, const char *answer, MbReport *report) {
  MbStatus status = MB_OK;
  if (o->paged && pair)
    status = answer ? mb_page_end(&o->page, o->args->operands, 2, answer, report)
                    : mb_output_end(&o->page.output, mb_no_memory(report, "the report"), report);
  else if (o->paged)
    mb_page_abandon(&o->page);
  if (o->plotted && pair) {
    const MbStatus drawn = write_picture(o, pair, report);
    if (!status) status = drawn;
  } else if (o->plotted) {
    abandon(&o->picture);
  }
  mb_error_plot_free(&o->errors);
  return status;
}
