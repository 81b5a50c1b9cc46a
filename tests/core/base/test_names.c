#include "core/base/names.h"
#include <criterion/criterion.h>
#include <stdio.h>

Test(names, every_name_is_found_and_no_other) {
  enum { N = 3000 };
  static char text[N][16];
  static const char *name[N];
  for (int i = 0; i < N; i++) {
    snprintf(text[i], sizeof text[i], "body %d", i * 7);
    name[i] = text[i];
  }
  MbArena arena = {0};
  MbNames names;
  size_t twice = 0, number = 0;
  cr_assert(mb_names_build(&names, name, N, &arena, &twice));
  cr_assert_eq(twice, N);
  for (size_t i = 0; i < N; i++) {
    cr_assert(mb_names_find(&names, text[i], &number));
    cr_assert_eq(number, i);
  }
  cr_assert_not(mb_names_find(&names, "body 1", &number));
  cr_assert_not(mb_names_find(&names, "", &number));
  mb_arena_free(&arena);
}

Test(names, a_repeated_name_is_reported_and_keeps_its_first_number) {
  const char *const name[] = {"a", "b", "c", "b", "a"};
  MbArena arena = {0};
  MbNames names;
  size_t twice = 0, number = 0;
  cr_assert(mb_names_build(&names, name, 5, &arena, &twice));
  cr_assert_eq(twice, 3);
  cr_assert(mb_names_find(&names, "b", &number));
  cr_assert_eq(number, 1);
  cr_assert(mb_names_build(&names, name, 0, &arena, &twice));
  cr_assert_not(mb_names_find(&names, "a", &number));
  mb_arena_free(&arena);
}

Test(names, names_are_in_order_as_people_read_numbers_in_them) {
  static const char *const order[] = {"",      "a",      "a01",    "a1",      "a2",       "a10",
                                      "a10 b", "a10 b2", "a10 b9", "a10 b10", "a10 b011", "ab"};
  enum { N = sizeof order / sizeof *order };
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      const int sign = mb_names_compare(order[i], order[j]);
      cr_expect_eq((sign > 0) - (sign < 0), (i > j) - (i < j), "\"%s\" and \"%s\"", order[i], order[j]);
    }
  cr_expect_lt(mb_names_compare("9999999999999999999999998", "9999999999999999999999999"), 0);
}
