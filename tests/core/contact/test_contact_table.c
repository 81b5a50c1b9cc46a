// The table of methods: what each takes, and pivoting as its first row.
#include "core/base/alloc.h"
#include "tests/core/contact/contact_make.h"

#include <string.h>

Test(contact_table, a_method_refuses_by_name_and_reason_what_it_is_not_exact_for) {
  uint64_t seed = 1;
  for (int kind = 0; kind < 2; kind++) {
    Made made = made_heap(&seed, 3, 6, 0.5, MB_CONE_EXACT, 0, kind);
    for (MbCone cone = MB_CONE_NONE; cone <= MB_CONE_EXACT; cone++) {
      for (size_t i = 0; i < made.problem.ncontacts; i++) made.contact[i].cone = cone;
      for (size_t i = 0; mb_contact_methods[i]; i++) {
        const MbContactMethod *method = mb_contact_methods[i];
        MbContactWork work = {0};
        MbContactAnswer answer;
        cr_assert(mb_contact_reserve(&work, method, &made.problem));
        const MbContactResult result = mb_contact_solve(method, &work, &made.problem, &answer);
        bool takes = method->cones >> cone & 1;
        for (size_t k = 0; k < made.problem.n; k++) takes &= method->rows >> made.kind[k] & 1;
        cr_assert_eq(result == MB_CONTACT_REFUSED, !takes, "%s: %s", method->name, answer.why);
        if (!takes)
          cr_assert(strstr(answer.why, method->name) && strstr(answer.why, "exact for"), "%s", answer.why);
        mb_contact_work_free(&work);
      }
    }
    made_free(&made);
  }
  cr_assert_null(mb_contact_method("gauss"));
  cr_assert_eq(mb_alloc_live(), 0);
}

static void column(void *context, size_t i, double *out) {
  const Made *made = context;
  memcpy(out, made->W + i * made->problem.n, made->problem.n * sizeof *out);
  out[i] += made->soft[i];
}

Test(contact_table, pivoting_by_the_table_has_the_bits_of_pivoting_called_by_itself) {
  uint64_t seed = 9;
  MbContactWork work = {0};
  MbPivoting alone = {0};
  for (int round = 0; round < 200; round++) {
    Made made = made_heap(&seed, 6, 4 + (size_t)round % 6, 0, MB_CONE_NONE, 2, false);
    const size_t n = made.problem.n;
    bool *one_way = mb_calloc(n, sizeof *one_way);
    double *slack = mb_calloc(n, sizeof *slack), *least = mb_calloc(n, sizeof *least);
    for (size_t i = 0; i < n; i++) {
      one_way[i] = test_random(&seed) < 0.5;
      made.kind[i] = one_way[i] ? MB_CONTACT_ONE_WAY : MB_CONTACT_BOTH_WAYS;
      made.soft[i] = test_random(&seed) < 0.2 ? 0.01 : 0;
      slack[i] = least[i] = 1e-12;
    }
    made.problem.ncontacts = 0;
    made.problem.slack = slack, made.problem.least = least;
    const MbMixedProblem mixed = {.n = n,
                                  .b = made.b,
                                  .slack = slack,
                                  .least = least,
                                  .unilateral = one_way,
                                  .column = column,
                                  .context = &made};
    cr_assert_eq(mb_pivoting_solve(&alone, &mixed), MB_PIVOTED);
    const MbContactMethod *method = mb_contact_method("pivoting");
    MbContactAnswer answer;
    cr_assert(mb_contact_reserve(&work, method, &made.problem));
    cr_assert_eq(mb_contact_solve(method, &work, &made.problem, &answer), MB_CONTACT_SOLVED, "%s",
                 answer.why);
    cr_assert_arr_eq(answer.lambda, alone.lambda, n * sizeof *alone.lambda);
    cr_assert_arr_eq(answer.w, alone.w, n * sizeof *alone.w);
    cr_assert_arr_eq(answer.dropped, alone.dropped, n * sizeof *alone.dropped);
    cr_assert_lt(answer.natural, 1e-7, "%g", answer.natural);
    mb_free(one_way), mb_free(slack), mb_free(least);
    made_free(&made);
  }
  mb_pivoting_free(&alone);
  mb_contact_work_free(&work);
  cr_assert_eq(mb_alloc_live(), 0);
}

Test(contact_table, memory_that_runs_out_is_told_before_a_solution_begins) {
  uint64_t seed = 2;
  Made made = made_heap(&seed, 3, 5, 0.5, MB_CONE_EXACT, 0, false);
  for (size_t i = 0; mb_contact_methods[i]; i++)
    for (int k = 0;; k++) {
      MbContactWork work = {0};
      mb_alloc_fail_after(k);
      const bool there = mb_contact_reserve(&work, mb_contact_methods[i], &made.problem);
      mb_alloc_fail_after(-1);
      mb_contact_work_free(&work);
      if (there) break;
      cr_assert_lt(k, 50);
    }
  made_free(&made);
  cr_assert_eq(mb_alloc_live(), 0);
}
