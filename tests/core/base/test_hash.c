#include "core/base/hash.h"
#include <criterion/criterion.h>

#include <string.h>

static void hash_words(const uint64_t *words, size_t count, char hex[33]) {
  MbHash hash;
  mb_hash_begin(&hash);
  for (size_t i = 0; i < count; i++) mb_hash_word(&hash, words[i]);
  mb_hash_hex(&hash, hex);
}

Test(hash, order_length_and_every_bit_count) {
  const uint64_t words[] = {1, 2, 0, 0};
  char first[33], other[33];
  hash_words(words, 3, first);
  cr_assert_eq(strlen(first), 32);
  hash_words(words, 4, other);
  cr_assert_str_neq(first, other);
  hash_words((uint64_t[]){2, 1, 0}, 3, other);
  cr_assert_str_neq(first, other);
  for (int bit = 0; bit < 192; bit++) {
    uint64_t changed[3] = {1, 2, 0};
    changed[bit / 64] ^= (uint64_t)1 << bit % 64;
    hash_words(changed, 3, other);
    cr_assert_str_neq(first, other, "bit %d", bit);
    // both halves change by themselves
    cr_assert(strncmp(first, other, 16) != 0 && strcmp(first + 16, other + 16) != 0, "bit %d", bit);
  }
}

Test(hash, texts_are_told_apart_by_their_ends) {
  MbHash a, b;
  char one[33], two[33];
  mb_hash_begin(&a);
  mb_hash_begin(&b);
  mb_hash_text(&a, "ab");
  mb_hash_text(&a, "c");
  mb_hash_text(&b, "a");
  mb_hash_text(&b, "bc");
  mb_hash_hex(&a, one);
  mb_hash_hex(&b, two);
  cr_assert_str_neq(one, two);
}

Test(hash, doubles_count_by_their_bits) {
  MbHash a, b;
  char one[33], two[33];
  mb_hash_begin(&a);
  mb_hash_begin(&b);
  mb_hash_doubles(&a, (double[]){0.0}, 1);
  mb_hash_doubles(&b, (double[]){-0.0}, 1);
  mb_hash_hex(&a, one);
  mb_hash_hex(&b, two);
  cr_assert_str_neq(one, two);
}
