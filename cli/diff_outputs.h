// Files that a comparison of two runs makes besides its answer: the page of --report, the picture of --plot.
#ifndef MB_CLI_DIFF_OUTPUTS_H
#define MB_CLI_DIFF_OUTPUTS_H

#include "cli/diff_folders.h"
#include "cli/page.h"

typedef struct MbDiffOutputs {
  const MbArgs *args;
  bool paged, plotted; // wanted, and open
  MbPage page;
  MbOutput picture;
  MbErrorPlot errors; // of the picture
} MbDiffOutputs;

// MB_USAGE where the options make no sense, `others`: what is compared is not two files. MB_IO where there is no page in the program.
MbStatus mb_diff_outputs_check(const MbArgs *args, bool others, MbReport *report);
// The file that an option names; none of those that are read.
MbStatus mb_diff_output_open(const MbArgs *args, const char *option, MbOutput *output, MbReport *report);
MbStatus mb_diff_outputs_open(MbDiffOutputs *outputs, const MbArgs *args, MbReport *report);
// Writes what is wanted, of the pair and the answer as JSON text; NULL: it could not be compared, or memory ran out. Frees in any case.
MbStatus mb_diff_outputs_end(MbDiffOutputs *outputs, const MbDiffPair *pair, const char *answer,
                             MbReport *report);

#endif
