// Building a text piece by piece, and writing JSON into it with every number exact.
#ifndef MB_IO_JSON_TEXT_H
#define MB_IO_JSON_TEXT_H

#include "core/base/report.h"
#include <cjson/cJSON.h>

// Zero it before use. Once memory has run out it stays empty, so that only the end needs a check.
typedef struct MbText {
  char *text;
  size_t length, capacity;
  bool failed;
} MbText;

void mb_text_add(MbText *t, const char *text);
void mb_text_add_n(MbText *t, const char *text, size_t length);
void mb_text_format(MbText *t, const char *format, ...) MB_PRINTF(2, 3);
void mb_text_quoted(MbText *t, const char *text); // as a JSON string
void mb_text_number(MbText *t, double value);     // the shortest digits that read back as the same double
void mb_text_json(MbText *t, const cJSON *tree);  // without spaces
// `names` (count) as a JSON array of strings.
void mb_text_list(MbText *t, const char *const *names, size_t count);
// The first bytes of a UTF-8 text, at most `most`, that end no character half way.
size_t mb_text_cut(const char *text, size_t most);
// The finished text (free with mb_free), or NULL when memory ran out; the buffer is empty after it.
char *mb_text_take(MbText *t);

// The text of member `key` of the object that valid JSON `json` is; NULL when it has none.
const char *mb_json_slice(const char *json, const char *key, size_t *length);

#endif
