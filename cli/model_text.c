#include "cli/model_text.h"
#include "cli/output_file.h"

#include <stdio.h>
#include <string.h>

MbStatus mb_model_text_folder(const MbArgs *args, char folder[MB_FOLDER], MbReport *report) {
  const MbValue *output = mb_arg(args, "output");
  const bool to_file = output->given && strcmp(output->text, "-") != 0;
  return mb_scene_folder(to_file ? output->text : "", folder, report);
}

MbStatus mb_model_text_write(const MbArgs *args, const char *text, MbReport *report) {
  MbOutput out;
  const MbOutputAsk ask = {.path = mb_arg(args, "output")->text,
                           .replace = mb_arg_given(args, "force"),
                           .inputs = args->operands,
                           .ninputs = 1};
  const MbStatus status = mb_output_open(&out, &ask, report);
  if (status) return status;
  fputs(text, out.stream);
  return mb_output_end(&out, MB_OK, report);
}
