// A growing text, for JSON that is written piece by piece.
#ifndef MB_IO_TRAJ_TEXT_H
#define MB_IO_TRAJ_TEXT_H

#include "core/base/report.h"

typedef struct MbText {
  char *text; // free with mb_free
  size_t length, room;
  bool failed; // memory ran out; everything after is ignored
} MbText;

void mb_text_add(MbText *text, const char *piece);
void mb_text_format(MbText *text, const char *format, ...) MB_PRINTF(2, 3); // up to 255 characters
void mb_text_quote(MbText *text, const char *piece);                        // as a JSON string
// `names` (count) as a JSON array of strings.
void mb_text_list(MbText *text, const char *const *names, size_t count);

// The text of member `key` of the object that valid JSON `json` is; NULL when it has none.
const char *mb_json_slice(const char *json, const char *key, size_t *length);

#endif
