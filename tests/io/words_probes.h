// The probes of the scene format's words (words_probes.c), which test_words.c tries.
#ifndef MB_TESTS_WORDS_PROBES_H
#define MB_TESTS_WORDS_PROBES_H

#include <stddef.h>

// What is expected of a probe, where it is not a result that differs.
typedef enum Expected { DIFFERS, SAME, EITHER } Expected;

// Two scenes: the base with `setup`, and the same with `with` as well. Both are lists of values to set,
// "/pointer=json | /pointer=json", in which ' stands for ". A path that ends with "*" stands for all words in that
// place: the text has * where the word stands, and @ where the keys stand that such a word needs.
typedef struct Probe {
  const char *path, *setup, *with;
  Expected expected;
} Probe;

// Keys that a word needs, ended by one without a word.
typedef struct Needed {
  const char *word, *keys;
} Needed;

extern const char words_base[]; // the scene
extern const Needed words_needed[];
extern const Probe words_probes[];
extern const size_t words_count; // of the probes
enum { WORDS_MOST = 400 };       // at most so many

#endif
