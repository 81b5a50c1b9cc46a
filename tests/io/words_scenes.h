// What the probes of the scene format's words (words_probes.h) are as scenes.
#ifndef MB_TESTS_WORDS_SCENES_H
#define MB_TESTS_WORDS_SCENES_H

#include "io/scene/schema_walk.h"
#include "tests/io/words_probes.h"

enum { WORDS_TEXT = 4000, WORDS_SETS = 16 };

// The words in the place of a path "object.key=" or "object.variant.key=" or, for kinds, "object.".
typedef struct Words {
  const char *const *list;
  const char *fallback; // with quotes or without; NULL = none
} Words;

// Tells the object of the format that a path begins with, and the words in its place.
const MbSchemaObject *words_object(const char *path);
Words words_at(const char *path);

// Writes the text with the word (NULL: none) in place of *, what it needs in place of @, and double quotes.
void words_fill(char out[WORDS_TEXT], const char *text, const char *word);
// Adds the values that a list sets, cut out of it, behind the n that there are; tells how many there are then.
size_t words_cut(char *list, const char *sets[WORDS_SETS], size_t n);

#endif
