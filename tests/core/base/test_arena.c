#include "core/base/alloc.h"
#include "core/base/arena.h"
#include <criterion/criterion.h>
#include <string.h>

Test(arena, pieces_are_zeroed_aligned_and_apart) {
  MbArena arena = {0};
  unsigned char *pieces[200];
  for (size_t i = 0; i < 200; i++) {
    const size_t n = i * i;
    pieces[i] = mb_arena_alloc(&arena, n, 1);
    cr_assert_eq((uintptr_t)pieces[i] % 16, 0);
    for (size_t k = 0; k < n; k++) cr_assert_eq(pieces[i][k], 0, "byte %zu of piece %zu", k, i);
    memset(pieces[i], (int)i, n);
  }
  for (size_t i = 0; i < 200; i++)
    for (size_t k = 0; k < i * i; k++) cr_assert_eq(pieces[i][k], i, "piece %zu was overwritten", i);
  mb_arena_free(&arena);
  cr_assert_eq(mb_alloc_live(), 0, "the arena gives everything back");
}

Test(arena, an_impossible_size_is_refused) {
  MbArena arena = {0};
  cr_assert_null(mb_arena_alloc(&arena, SIZE_MAX / 2, 4));
  cr_assert_null(mb_arena_alloc(&arena, SIZE_MAX, 1));
  mb_arena_free(&arena);
}

Test(arena, fails_cleanly_when_memory_runs_out) {
  MbArena arena = {0};
  cr_assert_not_null(mb_arena_alloc(&arena, 100, 1));
  mb_alloc_fail_after(0);
  cr_assert_null(mb_arena_alloc(&arena, 1 << 20, 1));
  mb_alloc_fail_after(-1);
  mb_arena_free(&arena);
  cr_assert_eq(mb_alloc_live(), 0);
}
