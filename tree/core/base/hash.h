// A 128-bit hash of a stream of 64-bit words: tells two trajectories apart, does not resist an adversary.
#ifndef MB_BASE_HASH_H
#define MB_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

typedef struct MbHash {
  uint64_t a, b;  // the two lanes
  uint64_t words; // taken in so far
} MbHash;

void mb_hash_begin(MbHash *hash);
void mb_hash_word(MbHash *hash, uint64_t word);
void mb_hash_doubles(MbHash *hash, const double *x, size_t count); // their bits, one word each
// Length in bytes as a word, then the bytes, eight a word, little endian, the last word filled with zeros.
void mb_hash_bytes(MbHash *hash, const void *bytes, size_t size);
void mb_hash_text(MbHash *hash, const char *text); // mb_hash_bytes of its characters
// 32 hexadecimal digits and a 0. The hash can go on afterwards.
void mb_hash_hex(const MbHash *hash, char hex[33]);

#endif
