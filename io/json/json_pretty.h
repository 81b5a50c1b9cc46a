// JSON as people write it: short objects and lists on one line, long ones with a member a line.
#ifndef MB_IO_JSON_PRETTY_H
#define MB_IO_JSON_PRETTY_H

#include "io/json/json_text.h"

void mb_text_pretty(MbText *t, const cJSON *tree); // with a line's end behind it

#endif
