// What a comparison came to, as JSON and for people.
#ifndef MB_CLI_DIFF_RESULT_H
#define MB_CLI_DIFF_RESULT_H

#include "cli/diff_folders.h"
#include <cjson/cJSON.h>

// `order` (shown) are the indices of the channels to tell about. NULL: memory ran out.
cJSON *mb_diff_json(const MbDiffPair *pair, const MbCompareOptions *options, const size_t *order,
                    size_t shown);
void mb_diff_print(const MbDiffPair *pair, const size_t *order, size_t shown);

// Which file the tolerances are of, and what they were learned from.
void mb_diff_print_source(const char *path, const MbTolerances *from);

#endif
