#include "core/base/hash.h"

#include <stdio.h>
#include <string.h>

static uint64_t turn(uint64_t x, int k) { return x << k | x >> (64 - k); }

// Spreads every bit of x over all bits: a bijection of 64 bits.
static uint64_t mix(uint64_t x) {
  x ^= x >> 32;
  x *= 0xd6e8feb86659fd93u;
  x ^= x >> 32;
  x *= 0xd6e8feb86659fd93u;
  return x ^ x >> 32;
}

void mb_hash_begin(MbHash *hash) { *hash = (MbHash){.a = 0x243f6a8885a308d3u, .b = 0x13198a2e03707344u}; }

// Each lane is a bijection of its state for a given word, and of the word for a given state, so two streams
// that differ in one word never meet at that word; the lanes differ in multiplier and in rotation.
void mb_hash_word(MbHash *hash, uint64_t word) {
  hash->a = (turn(hash->a, 29) ^ word) * 0x9e3779b97f4a7c15u;
  hash->b = (turn(hash->b, 41) + word) * 0xc2b2ae3d27d4eb4fu;
  hash->words++;
}

void mb_hash_doubles(MbHash *hash, const double *x, size_t count) {
  MbHash h = *hash;
  for (size_t i = 0; i < count; i++) {
    uint64_t word = 0;
    memcpy(&word, &x[i], sizeof word);
    mb_hash_word(&h, word);
  }
  *hash = h;
}

void mb_hash_bytes(MbHash *hash, const void *bytes, size_t size) {
  const unsigned char *p = bytes;
  mb_hash_word(hash, size);
  for (size_t i = 0; i < size; i += 8) {
    uint64_t word = 0;
    for (size_t k = 0; k < 8 && i + k < size; k++) word |= (uint64_t)p[i + k] << 8 * k;
    mb_hash_word(hash, word);
  }
}

void mb_hash_text(MbHash *hash, const char *text) { mb_hash_bytes(hash, text, strlen(text)); }

void mb_hash_hex(const MbHash *hash, char hex[33]) {
  const uint64_t a = mix(hash->a ^ mix(hash->b + hash->words));
  const uint64_t b = mix(hash->b ^ mix(hash->a - hash->words));
  snprintf(hex, 33, "%016llx%016llx", (unsigned long long)a, (unsigned long long)b);
}
