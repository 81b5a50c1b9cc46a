#include "core/base/arena.h"
#include "core/base/alloc.h"

#include <stdalign.h>
#include <string.h>

enum { FIRST_BYTES = 1 << 13, BLOCK_BYTES = 1 << 16, ALIGN = 16 }; // small arenas come and go by the thousand

struct MbArenaBlock {
  MbArenaBlock *next;
  size_t used, size; // of data
  alignas(ALIGN) unsigned char data[];
};

void *mb_arena_alloc(MbArena *arena, size_t count, size_t size) {
  size_t bytes = 0;
  if (__builtin_mul_overflow(count, size, &bytes) || bytes > (size_t)1 << 60) return NULL;
  bytes = (bytes + ALIGN - 1) / ALIGN * ALIGN;

  // a large piece gets a block of its own behind the current one, which stays in use
  MbArenaBlock *block = arena->blocks;
  if (!block || block->size - block->used < bytes) {
    const size_t usual = block || bytes > FIRST_BYTES ? BLOCK_BYTES : FIRST_BYTES;
    const size_t room = bytes > BLOCK_BYTES / 4 ? bytes : usual;
    MbArenaBlock *fresh = mb_calloc(1, sizeof *fresh + room);
    if (!fresh) return NULL;
    fresh->size = room;
    if (block && room == bytes) {
      fresh->next = block->next;
      block->next = fresh;
    } else {
      fresh->next = block;
      arena->blocks = fresh;
    }
    block = fresh;
  }

  void *piece = block->data + block->used;
  block->used += bytes;
  arena->bytes += bytes;
  return piece;
}

char *mb_arena_strndup(MbArena *arena, const char *text, size_t length) {
  char *copy = mb_arena_alloc(arena, length + 1, 1);
  if (copy) memcpy(copy, text, length);
  return copy;
}

char *mb_arena_strdup(MbArena *arena, const char *text) {
  return mb_arena_strndup(arena, text, strlen(text));
}

void mb_arena_free(MbArena *arena) {
  for (MbArenaBlock *b = arena->blocks; b;) {
    MbArenaBlock *next = b->next;
    mb_free(b);
    b = next;
  }
  *arena = (MbArena){0};
}
