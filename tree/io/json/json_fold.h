// Trees of large texts: the objects in the lists of the outermost object stay text until someone asks for them. A scene's bodies
// are such objects; as nodes of cJSON they would take ten times the memory of their text.
#ifndef MB_IO_JSON_FOLD_H
#define MB_IO_JSON_FOLD_H

#include "io/json/json_scan.h"

// A tree being made from the tokens of a text. Zero it before use.
typedef struct MbJsonFold {
  cJSON *root, *list; // list: the member being read, where it is one
  size_t begin;       // of the member or element being read
  bool failed;        // memory ran out; root is NULL
} MbJsonFold;

// Takes the token that was scanned last.
void mb_json_fold_token(MbJsonFold *fold, const MbJsonScan *scan, MbJsonToken token);

// Whether a value of a tree is such a text. cJSON takes it for none of its kinds that scenes have.
bool mb_json_is_folded(const cJSON *item);
// The object that a folded value says (free with cJSON_Delete); NULL when memory ran out.
cJSON *mb_json_read_folded(const cJSON *item);
// Puts that object in its place, which stays the same node. False when memory ran out. True where nothing is folded.
bool mb_json_unfold(cJSON *item);

#endif
