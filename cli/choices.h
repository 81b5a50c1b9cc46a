// Options that several commands have and read in the same way: which frames, and how exactly.
#ifndef MB_CLI_CHOICES_H
#define MB_CLI_CHOICES_H

#include "io/trajectory/trajectory.h"
#include <cjson/cJSON.h>

// --frames: a:b:c as in Python, a alone is that frame; `text` NULL: all of them. MB_USAGE where it makes no sense, or can hold no frame.
MbStatus mb_choose_frames(const char *text, MbTrajSlice *slice, MbReport *report);

// --error: 0, fine, view, a number for all that is measured, or an object of numbers. The value that the scene's output.error has then,
// to be freed; NULL: it makes no sense.
cJSON *mb_choose_error(const char *text, MbReport *report);
// The bounds that it means. MB_USAGE.
MbStatus mb_choose_bounds(const char *text, double bound[MB_QUANTITIES], MbReport *report);

#define MB_FRAMES_OPTION                                                                                     \
  {                                                                                                          \
    .name = "frames", .type = MB_OPTION_TEXT, .argument = "A:B:C",                                           \
    .help = "frames A to B, B not included, every C; as in Python, negative counts from the end",            \
    .fallback = "all"                                                                                        \
  }

// Where a command writes, and what that is if it is not said.
#define MB_OUTPUT_OPTION(what, otherwise)                                                                    \
  {                                                                                                          \
    .name = "output", .letter = 'o', .type = MB_OPTION_FILE, .argument = "FILE", .help = (what),             \
    .fallback = (otherwise)                                                                                  \
  }

#endif
