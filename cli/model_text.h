// What `import` and `export` of models share: a text that was made of operand 0 goes to --output, or to stdout.
#ifndef MB_CLI_MODEL_TEXT_H
#define MB_CLI_MODEL_TEXT_H

#include "cli/options.h"
#include "cli/scene_input.h"

// The folder that the output will lie in, from which it names meshes; of stdout the one that mbsim runs in.
MbStatus mb_model_text_folder(const MbArgs *args, char folder[MB_FOLDER], MbReport *report);
// Writes it, by --output and --force. MB_IO.
MbStatus mb_model_text_write(const MbArgs *args, const char *text, MbReport *report);

#endif
