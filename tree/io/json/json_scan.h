// The tokens of a JSON text, one at a time, with where they stand: strict RFC 8259, iterative, linear in
// length.
#ifndef MB_IO_JSON_SCAN_H
#define MB_IO_JSON_SCAN_H

#include "io/json/json.h"

typedef enum MbJsonToken {
  MB_JSON_OBJECT, // "{"; the other brackets follow
  MB_JSON_OBJECT_END,
  MB_JSON_ARRAY,
  MB_JSON_ARRAY_END,
  MB_JSON_KEY,
  MB_JSON_STRING,
  MB_JSON_NUMBER,
  MB_JSON_WORD, // true, false, null
  MB_JSON_END,  // of the text
  MB_JSON_WRONG // the text is not JSON: `what` says why, `wrong` where
} MbJsonToken;

// An object or array that is open.
typedef struct MbJsonLevel {
  bool object;
  size_t index;           // of the array's current element
  size_t key, key_length; // of the object's current member, with its escapes, without its quotes
} MbJsonLevel;

typedef struct MbJsonScan {
  const char *text;
  size_t length, at; // at: next character to read
  int line;          // of `at`, from 1
  size_t line_start; // offset of that line
  size_t start;      // of the last token (a string's opening quote)
  size_t depth;      // levels open
  MbJsonLevel level[MB_JSON_DEPTH];
  int state;      // what may come next
  char what[200]; // of MB_JSON_WRONG
  size_t wrong;
} MbJsonScan;

void mb_json_scan_begin(MbJsonScan *scan, const char *text, size_t length);
MbJsonToken mb_json_scan_next(MbJsonScan *scan);
// The column (from 1, in characters) of an offset in the line of the last token.
int mb_json_scan_column(const MbJsonScan *scan, size_t offset);
// One character of a string that has been scanned, escapes undone, as up to 4 bytes of UTF-8 in `out`: how
// many bytes; *at moves on. Lone surrogates give U+FFFD.
size_t mb_json_unescape(const char *text, size_t length, size_t *at, char out[4]);
// The JSON pointer of what was scanned last, cut to fit.
void mb_json_scan_pointer(const MbJsonScan *scan, char *out, size_t size);

#endif
