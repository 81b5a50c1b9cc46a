// JSON with positions: strict parsing into cJSON, and finding the line and column of a value.
#ifndef MB_IO_JSON_H
#define MB_IO_JSON_H

#include "core/mbsim.h"
#include <cjson/cJSON.h>

enum { MB_JSON_DEPTH = 64 }; // deepest nesting that is read

// Parses exactly one JSON value (RFC 8259), checking first what cJSON lets through: trailing text, duplicate
// keys, numbers out of double's range, control characters, broken UTF-8 and surrogates, nesting beyond
// MB_JSON_DEPTH; a byte order mark is skipped. On failure *tree is NULL and the report names line and column.
// Linear in length.
MbStatus mb_json_parse(const char *text, size_t length, cJSON **tree, MbReport *report);

// The same, except that the lists of objects in the outermost object stay text (io/json/json_fold.h): a tree of few nodes.
// The text must outlive the tree. mb_json_at, mb_json_set and mb_text_json unfold what they meet.
MbStatus mb_json_parse_folded(const char *text, size_t length, cJSON **tree, MbReport *report);

// Line and column (from 1, in characters) of the value at JSON pointer `pointer`; where that does not exist,
// of its nearest ancestor (false is returned then). With `key`, the position of the member's key instead.
bool mb_json_locate(const char *text, size_t length, const char *pointer, bool key, int *line, int *column);

// The value at a JSON pointer, or NULL.
cJSON *mb_json_at(cJSON *tree, const char *pointer);
// Replaces or adds (in an object, or at the end of an array by "-") the value at `pointer`; takes `value`,
// whatever comes of it; NULL is a value that memory ran out for.
MbStatus mb_json_set(cJSON **tree, const char *pointer, cJSON *value, MbReport *report);

#endif
