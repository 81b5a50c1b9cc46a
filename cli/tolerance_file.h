// Files of tolerances: {"channels": {"body.position": {"absolute": 1e-9, "relative": 0}, "*": {...}}}.
#ifndef MB_CLI_TOLERANCE_FILE_H
#define MB_CLI_TOLERANCE_FILE_H

#include "io/compare.h"
#include <cjson/cJSON.h>

typedef struct MbTolerances {
  cJSON *tree;        // owns the names
  MbTolerance *list;  // (count)
  size_t count;
  bool has_fallback;  // "*"
  MbTolerance fallback;
} MbTolerances;

MbStatus mb_tolerances_read(const char *path, MbTolerances *tolerances, MbReport *report);
void mb_tolerances_free(MbTolerances *tolerances);

// Keeps the larger of what is there and what this comparison needs.
MbStatus mb_tolerances_learn(cJSON *channels, const MbCompareResult *result, double margin, MbReport *report);
MbStatus mb_tolerances_write(const char *path, bool replace, cJSON *channels, MbReport *report);

#endif
