// Trees of large texts: the lists of objects in the outermost object stay text until someone asks for them. A scene's bodies
// are such a list; as nodes of cJSON they would take ten times the memory of their text.
#ifndef MB_IO_JSON_FOLD_H
#define MB_IO_JSON_FOLD_H

#include "io/json/json_scan.h"

// A tree being made from the tokens of a text. Zero it before use.
typedef struct MbJsonFold {
  cJSON *root;
  size_t begin;    // of the member being read
  size_t elements; // of the list being read
  bool objects;    // they are all objects
  bool failed;     // memory ran out; root is NULL
} MbJsonFold;

// Takes the token that was scanned last.
void mb_json_fold_token(MbJsonFold *fold, const MbJsonScan *scan, MbJsonToken token);

// Whether a value of a tree is such a text, of a list or of an object. cJSON takes it for none of its kinds that scenes have.
bool mb_json_is_folded(const cJSON *item);
// The value that a folded one says, all of it (free with cJSON_Delete); NULL when memory ran out.
cJSON *mb_json_read_folded(const cJSON *item);
// Puts an object in its text's place, or a list of folded objects; the node stays the same. False when memory ran out. True
// where nothing is folded.
bool mb_json_unfold(cJSON *item);

// Lists, folded or not.
bool mb_json_is_list(const cJSON *item);
size_t mb_json_list_size(const cJSON *list);

// The elements of a list, one after the other. One that is text is a tree until the next one is asked for.
typedef struct MbJsonElements {
  const cJSON *item; // the next one's node
  const char *text;  // before the next one, where the list is folded
  cJSON *tree;       // of the last one
  bool failed;       // memory ran out
} MbJsonElements;

MbJsonElements mb_json_elements(const cJSON *list); // NULL has none
// NULL after the last one, and when memory ran out: nothing is left to free then.
const cJSON *mb_json_next_element(MbJsonElements *elements);
// For those who stop before.
void mb_json_leave_elements(MbJsonElements *elements);

#endif
