// Memory that is given back all at once: what a scene or a model is made of.
#ifndef MB_BASE_ARENA_H
#define MB_BASE_ARENA_H

#include <stddef.h>

typedef struct MbArenaBlock MbArenaBlock;

// Zero it before use.
typedef struct MbArena {
  MbArenaBlock *blocks; // newest first
  size_t bytes;         // handed out so far
} MbArena;

// Zeroed, aligned to 16 bytes, valid until the arena is freed; NULL when memory ran out.
void *mb_arena_alloc(MbArena *arena, size_t count, size_t size);
char *mb_arena_strdup(MbArena *arena, const char *text);
char *mb_arena_strndup(MbArena *arena, const char *text, size_t length);
void mb_arena_free(MbArena *arena); // the arena is empty after it and can be used again

#endif
