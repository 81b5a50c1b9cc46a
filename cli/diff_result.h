// What a comparison came to, as JSON and for people.
#ifndef MB_CLI_DIFF_RESULT_H
#define MB_CLI_DIFF_RESULT_H

#include "io/compare/compare.h"
#include <cjson/cJSON.h>

// `order` (shown) are the indices of the channels to tell about; `a` is the first file of the comparison.
cJSON *mb_diff_json(const MbTraj *a, const MbCompareResult *result, const size_t *order, size_t shown);
void mb_diff_print(const MbTraj *a, const MbCompareResult *result, const size_t *order, size_t shown);

// Which file the tolerances are of, and what they were learned from.
void mb_diff_print_source(const char *path, const MbTolerances *from);

#endif
