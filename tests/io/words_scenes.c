// The texts of the probes made to what a scene reads: words in their places, lists cut into values.
#include "tests/io/words_scenes.h"
#include "tests/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const MbSchemaObject *words_object(const char *path) {
  const MbSchemaWalk walk = mb_schema_walk(&mb_schema_scene);
  for (size_t i = 0; i < walk.count; i++) {
    const size_t n = strlen(walk.object[i]->name);
    if (!strncmp(path, walk.object[i]->name, n) && path[n] == '.') return walk.object[i];
  }
  cr_assert_fail("%s: the format has no such object", path);
  return NULL;
}

static Words words_of_row(const MbSchemaRow *rows, const char *key) {
  for (; rows && rows->key; rows++) {
    const size_t n = strlen(rows->key);
    if (rows->words && !strncmp(key, rows->key, n) && key[n] == '=')
      return (Words){rows->words, rows->fallback};
  }
  return (Words){NULL, NULL};
}

Words words_at(const char *path) {
  const MbSchemaObject *object = words_object(path);
  const char *key = path + strlen(object->name) + 1;
  if (!strcmp(key, "*")) return (Words){object->words, object->selector_fallback};
  Words words = words_of_row(object->rows, key);
  for (size_t i = 0; object->variants && object->words[i] && !words.list; i++) {
    const size_t n = strlen(object->words[i]);
    if (!strncmp(key, object->words[i], n) && key[n] == '.')
      words = words_of_row(object->variants[i].rows, key + n + 1);
  }
  cr_assert_not_null(words.list, "%s: the format has no words there", path);
  return words;
}

static const char *extra_keys(const char *word) {
  size_t i = 0;
  while (words_needed[i].word && strcmp(words_needed[i].word, word) != 0) i++;
  return words_needed[i].keys;
}

// The text with the word in place of *, what it needs in place of @, and double quotes.
void words_fill(char out[WORDS_TEXT], const char *text, const char *word) {
  size_t n = 0;
  for (; *text; text++) {
    const char single[2] = {*text == '\'' ? '"' : *text, 0};
    const char *put = single;
    if (word && *text == '*' && (text[1] == '\'' || text[1] == 0)) put = word;
    if (word && *text == '@') put = extra_keys(word);
    for (; *put; put++) {
      if (n == WORDS_TEXT - 1) abort();
      out[n++] = *put == '\'' ? '"' : *put;
    }
  }
  out[n] = 0;
}

// Adds the values that a list sets, cut out of it.
size_t words_cut(char *list, const char *sets[WORDS_SETS], size_t n) {
  for (char *next = list; next && *next; n++) {
    char *end = strstr(next, " | ");
    if (end) *end = 0;
    cr_assert_lt(n, WORDS_SETS - 1);
    sets[n] = next;
    next = end ? end + 3 : NULL;
  }
  sets[n] = NULL;
  return n;
}
