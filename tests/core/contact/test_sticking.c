// One system for contacts that hold, beside `auto` by its other ways; and the small systems that are definite.
#include "core/contact/definite.h"
#include "core/contact/sticking.h"
#include "tests/core/contact/contact_make.h"

#include <math.h>
#include <string.h>

enum { MOST = 64 };

// K = V Vᵀ + 1/10, padded by the unit matrix.
static void make_definite(size_t m, double *K, uint64_t *seed) {
  static double V[MOST * MOST];
  const size_t stride = mb_definite_stride(m);
  for (size_t i = 0; i < m * m; i++) V[i] = test_random(seed) - 0.5;
  for (size_t c = 0; c < stride; c++)
    for (size_t r = 0; r < stride; r++) {
      double sum = r == c ? (c < m ? 0.1 : 1) : 0;
      for (size_t k = 0; k < m && r < m && c < m; k++) sum += V[m * r + k] * V[m * c + k];
      K[c * stride + r] = sum;
    }
}

Test(sticking, definite_systems_of_few_rows_are_solved) {
  static double K[MOST * MOST], L[MOST * MOST], whole[MOST * MOST];
  uint64_t seed = 5;
  for (size_t m = 1; m <= MOST; m++) {
    const size_t stride = mb_definite_stride(m);
    double x[MOST], none[MOST] = {0}, b[MOST] = {0}, back[MOST];
    make_definite(m, K, &seed);
    memcpy(L, K, sizeof L);
    for (size_t i = 0; i < m; i++) b[i] = test_random(&seed) - 0.5;
    memcpy(x, b, sizeof x);
    cr_assert(mb_definite_factor(L, stride), "%zu", m);
    mb_definite_apply(L, stride, x);
    for (size_t i = 0; i < m * m; i++) whole[i] = K[i / m * stride + i % m];
    mb_definite_product(whole, m, x, none, back);
    test_near("K x", back, b, m, 1e-12);
  }
  memset(K, 0, sizeof K);
  for (size_t i = 0; i < 8; i++) K[8 * i + i] = i == 5 ? 0 : 1;
  cr_assert_not(mb_definite_factor(K, 8));
}

// The start is the solution of another load.
static Made stack_after(MbCone cone, double before, double push, MbContactWork *work) {
  MbContactAnswer answer;
  Made made = made_stack(3, 1, cone, before, 1), other = made_stack(3, 1, cone, push, 1);
  cr_assert_eq(made_solve(&made, "auto", work, &answer), MB_CONTACT_SOLVED);
  memcpy(made.start, answer.lambda, made.problem.n * sizeof *made.start);
  memcpy(made.b, other.b, made.problem.n * sizeof *made.b);
  made.problem.start = made.start, made.problem.betters = true;
  made_free(&other);
  return made;
}

Test(sticking, what_holds_is_solved_as_others_solve_it_and_what_slips_is_not) {
  static const MbCone cones[] = {MB_CONE_BOX, MB_CONE_PYRAMID, MB_CONE_EXACT};
  static const double pushes[] = {0.05, 0.055, 0.06, 1.5}; // the last one is too much to be held
  for (size_t c = 0; c < 3; c++)
    for (size_t k = 0; k < 4; k++) {
      MbContactWork work = {0}, others = {0};
      MbContactAnswer answer, wanted;
      Made made = stack_after(cones[c], 0.05, pushes[k], &work);
      const bool solved = mb_sticking_solve(&work, &made.problem, &answer);
      cr_assert_eq(solved, k < 3, "cone %d, push %g", (int)cones[c], pushes[k]);
      if (solved) {
        made.problem.start = NULL;
        cr_assert_eq(made_solve(&made, "auto", &others, &wanted), MB_CONTACT_SOLVED);
        test_near("velocities", answer.w, wanted.w, made.problem.n, 1e-8);
        cr_assert_leq(answer.iterations, 2);
        cr_assert_lt(made_natural(&made, answer.lambda), 1e-12);
        cr_assert_eq(answer.natural <= 1e-12, true);
      }
      mb_contact_work_free(&work);
      mb_contact_work_free(&others);
      made_free(&made);
    }
}

// Heaps with rows of every kind beside contacts: whatever is called solved is.
Test(sticking, what_is_called_solved_is_solved) {
  uint64_t seed = 17;
  int tried = 0;
  for (int round = 0; round < 200; round++) {
    MbContactWork work = {0};
    MbContactAnswer answer;
    Made made = made_heap(&seed, 3 + (size_t)round % 5, 2 + (size_t)round % 8, 1.5,
                          (MbCone)(MB_CONE_BOX + round % 3), 0, round % 4 == 0);
    if (made_solve(&made, "auto", &work, &answer) != MB_CONTACT_SOLVED) continue;
    memcpy(made.start, answer.lambda, made.problem.n * sizeof *made.start);
    for (size_t i = 0; i < made.problem.n; i++) made.b[i] *= 1 + 0.01 * (test_random(&seed) - 0.5);
    made.problem.start = made.start, made.problem.betters = true;
    if (mb_sticking_solve(&work, &made.problem, &answer)) {
      tried++;
      cr_assert_lt(made_natural(&made, answer.lambda), 1e-11, "%d", round);
    }
    mb_contact_work_free(&work);
    made_free(&made);
  }
  cr_assert_gt(tried, 10, "%d", tried);
}

Test(sticking, what_is_not_its_own_is_left_alone) {
  MbContactWork work = {0};
  MbContactAnswer answer;
  Made made = stack_after(MB_CONE_EXACT, 0.05, 0.06, &work);
  cr_assert(mb_sticking_solve(&work, &made.problem, &answer));
  made.problem.start = NULL;
  cr_assert_not(mb_sticking_solve(&work, &made.problem, &answer)); // nobody knows what held
  made.problem.start = made.start;
  made.problem.sweeps = true; // who asks for sweeps gets them
  cr_assert_not(mb_sticking_solve(&work, &made.problem, &answer));
  mb_contact_work_free(&work);
  made_free(&made);
}
