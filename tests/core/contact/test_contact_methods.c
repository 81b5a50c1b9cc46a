// Every method on every kind of problem that it takes, judged by what defines a solution.
#include "core/base/alloc.h"
#include "tests/core/contact/contact_make.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct Tally {
  int asked, solved;
} Tally;

static void try_all(const Made *made, Tally *tally) {
  for (size_t i = 0; mb_contact_methods[i]; i++) {
    const MbContactMethod *method = mb_contact_methods[i];
    MbContactWork work = {0};
    MbContactAnswer answer;
    const MbContactResult result = made_solve(made, method->name, &work, &answer);
    if (result != MB_CONTACT_REFUSED) {
      tally[i].asked++;
      tally[i].solved += result == MB_CONTACT_SOLVED;
      if (result != MB_CONTACT_SOLVED) cr_assert(strstr(answer.why, "of |b|"), "%s", answer.why);
    }
    mb_contact_work_free(&work);
  }
}

// Of `auto` all must be solved, of the others so many; what they do not solve they must tell.
static void check(const char *what, const Tally *tally) {
  static const struct {
    const char *name;
    double share;
  } least[] = {{"auto", 1},    {"pivoting", 0.8}, {"gauss_seidel", 0.6}, {"nonsmooth_newton", 0.9},
               {"admm", 0.95}, {"staggered", 0.9}};
  for (size_t i = 0; mb_contact_methods[i]; i++)
    for (size_t k = 0; k < sizeof least / sizeof *least; k++) {
      if (strcmp(least[k].name, mb_contact_methods[i]->name)) continue;
      cr_assert_geq(tally[i].solved, least[k].share * tally[i].asked, "%s: %s solves %d of %d", what,
                    least[k].name, tally[i].solved, tally[i].asked);
    }
}

Test(contact_methods, heaps_with_joints_limits_and_every_cone_are_solved) {
  static const char *const cones[] = {"none", "box", "pyramid", "exact"};
  for (int mixed = 0; mixed < 2; mixed++)
    for (MbCone cone = MB_CONE_NONE; cone <= MB_CONE_EXACT; cone++) {
      Tally tally[10] = {0};
      uint64_t seed = 3 + (uint64_t)cone;
      for (int round = 0; round < 60; round++) {
        Made made = made_heap(&seed, 2 + (size_t)round % 7, 2 + (size_t)round % 11,
                              0.1 + 0.8 * test_random(&seed), cone, round % 3 ? 0 : 2, mixed);
        try_all(&made, tally);
        made_free(&made);
      }
      char what[50];
      snprintf(what, sizeof what, "heaps, cone %s%s", cones[cone], mixed ? ", mixed" : "");
      check(what, tally);
    }
}

Test(contact_methods, stacks_whose_W_is_singular_are_solved, TEST_LONG) {
  for (MbCone cone = MB_CONE_NONE; cone <= MB_CONE_EXACT; cone++) {
    Tally tally[10] = {0};
    for (int round = 0; round < 24; round++) {
      Made made = made_stack(1 + (size_t)round % 6, 0.5, cone, round % 4 * 0.3, round % 3 ? 1 : 1000);
      try_all(&made, tally);
      made_free(&made);
    }
    check("stacks", tally);
  }
}

// Where W is definite and the cones are convex enough, velocities are the same whoever solves.
Test(contact_methods, agree_on_velocities_where_these_are_unique) {
  uint64_t seed = 31;
  for (int round = 0; round < 40; round++) {
    Made made = made_heap(&seed, 12, 3, 0.3, MB_CONE_EXACT, 1, false);
    const size_t n = made.problem.n;
    double first[9];
    cr_assert_eq(n, 9);
    for (size_t i = 0; mb_contact_methods[i]; i++) {
      MbContactWork work = {0};
      MbContactAnswer answer;
      const MbContactResult result = made_solve(&made, mb_contact_methods[i]->name, &work, &answer);
      if (result == MB_CONTACT_SOLVED && !i) memcpy(first, answer.w, sizeof first);
      if (result == MB_CONTACT_SOLVED) test_near(mb_contact_methods[i]->name, answer.w, first, n, 1e-8);
      mb_contact_work_free(&work);
    }
    made_free(&made);
  }
}

Test(contact_methods, a_warm_start_at_the_solution_is_kept) {
  uint64_t seed = 17;
  static const char *const names[] = {"auto", "gauss_seidel", "nonsmooth_newton", "admm", "staggered"};
  for (size_t m = 0; m < sizeof names / sizeof *names; m++) {
    Made made = made_heap(&seed, 6, 9, 0.5, MB_CONE_EXACT, 0, true);
    MbContactWork work = {0};
    MbContactAnswer answer;
    cr_assert_eq(made_solve(&made, names[m], &work, &answer), MB_CONTACT_SOLVED);
    cr_assert_gt(answer.iterations, 0);
    memcpy(made.start, answer.lambda, made.problem.n * sizeof *made.start);
    made.problem.start = made.start;
    cr_assert_eq(made_solve(&made, names[m], &work, &answer), MB_CONTACT_SOLVED);
    cr_assert_eq(answer.iterations, 0, "%s", names[m]);
    cr_assert_arr_eq(answer.lambda, made.start, made.problem.n * sizeof *made.start);
    mb_contact_work_free(&work);
    made_free(&made);
  }
}

// Balls in a row that a blow has parted, but for what rounding has left between two of them: the blow's impulses are what the step begins with.
Test(contact_methods, a_blow_that_is_over_is_forgotten) {
  static const double back[3] = {0, 0, -1}, fore[3] = {0, 0, 1}, blow = 2.0 / 3;
  static const char *const names[] = {"auto", "gauss_seidel", "nonsmooth_newton", "admm", "staggered"};
  for (size_t m = 0; m < sizeof names / sizeof *names; m++) {
    Made made = made_begin(3, 6);
    MbContactWork work = {0};
    MbContactAnswer answer;
    for (size_t b = 0; b < 3; b++) made.mass[6 * b + 5] = 1, made.v[6 * b + 5] = b ? blow : -0.5 * blow;
    made.v[6 + 5] += 1e-9;
    for (size_t b = 0; b < 2; b++) made_contact(&made, b + 1, back, b, fore, fore, MB_CONE_NONE, 0);
    made_end(&made, false);
    made.start[0] = made.start[3] = blow;
    made.problem.start = made.start, made.problem.iterations = 200;
    cr_expect_eq(made_solve(&made, names[m], &work, &answer), MB_CONTACT_SOLVED, "%s", names[m]);
    cr_expect(fabs(answer.lambda[0]) < 1e-9 && fabs(answer.lambda[3]) < 1e-9, "%s pushes by %g and %g",
              names[m], answer.lambda[0], answer.lambda[3]);
    mb_contact_work_free(&work);
    made_free(&made);
  }
}

// Boxes on one another whose load is another one, as in the next step: what held holds again, by one step or two of Newton's method; what comes to slip is
// left to sweeps, which begin where they would have begun.
Test(contact_methods, what_held_in_the_last_step_is_held_again_at_once) {
  for (int slips = 0; slips < 2; slips++) {
    Made made = made_stack(2, 1, MB_CONE_EXACT, 0.05, 1);
    MbContactWork work = {0};
    MbContactAnswer answer;
    const size_t n = made.problem.n;
    double aside[64];
    cr_assert_eq(made_solve(&made, "auto", &work, &answer), MB_CONTACT_SOLVED);
    memcpy(made.start, answer.lambda, n * sizeof *made.start);
    made.problem.start = made.start, made.problem.betters = true;
    Made other = made_stack(2, 1, MB_CONE_EXACT, slips ? 1.5 : 0.06, 1);
    memcpy(made.b, other.b, n * sizeof *made.b);
    cr_assert_eq(made_solve(&made, "auto", &work, &answer), MB_CONTACT_SOLVED);
    cr_expect_eq(answer.iterations <= 2, !slips, "%s, %zu", answer.method, answer.iterations);
    memcpy(aside, answer.w, n * sizeof *aside);
    made.problem.start = NULL;
    cr_assert_eq(made_solve(&made, "auto", &work, &answer), MB_CONTACT_SOLVED);
    test_near("velocities", aside, answer.w, n, 1e-8);
    mb_contact_work_free(&work);
    made_free(&made);
    made_free(&other);
  }
}

// A few iterations are not enough, and that is told with what is left.
Test(contact_methods, what_is_not_solved_is_told) {
  uint64_t seed = 5;
  static const char *const names[] = {"gauss_seidel", "nonsmooth_newton", "admm", "auto", "staggered"};
  Made made = made_heap(&seed, 12, 40, 0.5, MB_CONE_EXACT, 2, false);
  made.problem.iterations = 1;
  for (size_t m = 0; m < sizeof names / sizeof *names; m++) {
    MbContactWork work = {0};
    MbContactAnswer answer;
    cr_assert_eq(made_solve(&made, names[m], &work, &answer), MB_CONTACT_NOT_CONVERGED, "%s", names[m]);
    cr_assert_gt(answer.natural, 1e-10);
    cr_assert(fabs(answer.natural / made_natural(&made, answer.lambda) - 1) < 1e-6, "%s: %g, %g", names[m],
              answer.natural, made_natural(&made, answer.lambda));
    cr_assert(strstr(answer.why, "of |b|"), "%s", answer.why);
    mb_contact_work_free(&work);
  }
  made_free(&made);
}

// W given densely, by rows and by columns is the same W.
static void column(void *context, size_t i, double *out) {
  const Made *made = context;
  memcpy(out, made->W + i * made->problem.n, made->problem.n * sizeof *out);
}

// A ball that is thrown into a groove so steep that friction holds it cannot be thrown back: λ without bounds would make w zero by rounding alone,
// and averages of turns go there.
Test(contact_methods, impulses_that_leave_no_digit_of_w_are_no_solution) {
  static const double nn = 0.23873241463784298, n1 = -0.18259262218731523, x = 0.15379564402666057,
                      tt = 0.8401568757215652, t1 = 0.2212623856638259, y = 0.4188318388964066;
  static const double W[36] = {nn, 0, 0, n1, 0, -x, 0, tt,  0, 0, -t1, 0, 0,  0, tt, x, 0, y,
                               n1, 0, x, nn, 0, 0,  0, -t1, 0, 0, tt,  0, -x, 0, y,  0, 0, tt};
  static const double b[6] = {-0.9607091314690066, 0, -1.8983407404847543,
                              -0.9607091314690066, 0, 1.8983407404847543};
  for (MbCone cone = MB_CONE_BOX; cone <= MB_CONE_EXACT; cone++)
    for (size_t i = 0; mb_contact_methods[i]; i++) {
      MbContactWork work = {0};
      MbContactAnswer answer;
      Made made = made_given(2, W, b, cone, 0.67);
      const MbContactResult result = made_solve(&made, mb_contact_methods[i]->name, &work, &answer);
      if (result != MB_CONTACT_REFUSED)
        cr_expect(result == MB_CONTACT_NOT_CONVERGED && answer.natural > 1e-6, "cone %d by %s: %g", (int)cone,
                  mb_contact_methods[i]->name, answer.natural);
      mb_contact_work_free(&work);
      made_free(&made);
    }
}

Test(contact_methods, W_may_be_given_densely_by_rows_and_by_columns) {
  uint64_t seed = 23;
  for (size_t m = 0; mb_contact_methods[m]; m++) {
    Made made = made_heap(&seed, 6, 9, 0.5, MB_CONE_BOX, 0, true);
    const size_t n = made.problem.n;
    double first[100];
    cr_assert_lt(n, 100);
    for (int form = 0; form < 3; form++) {
      MbContactWork work = {0};
      MbContactAnswer answer;
      if (form == 1) made_end(&made, true);
      if (form == 2) made.problem.W = (MbContactOperator){.column = column, .context = &made};
      const MbContactResult result = made_solve(&made, mb_contact_methods[m]->name, &work, &answer);
      if (result != MB_CONTACT_REFUSED) {
        if (!form) memcpy(first, answer.lambda, n * sizeof *first);
        cr_assert_arr_eq(answer.lambda, first, n * sizeof *first, "%s", mb_contact_methods[m]->name);
      }
      mb_contact_work_free(&work);
    }
    made_free(&made);
  }
}

// Contacts of many balls in a grid, in any order of theirs.
static Made grid(size_t side, const size_t *order, double mu) {
  const size_t bodies = side * side * side;
  Made made = made_begin(bodies, 12 * bodies);
  for (size_t i = 0; i < 6 * bodies; i++) {
    const size_t b = i / 6;
    made.mass[i] = i % 6 < 3 ? 0.1 : 1;
    made.v[i] = i % 6 == 5 ? -0.1 : 0.02 * sin((double)(b * (i % 6 + 1)));
  }
  for (size_t k = 0; k < 4 * bodies; k++) {
    const size_t c = order ? order[k] : k, b = c / 4, x = b % side, y = b / side % side, z = b / side / side;
    const double tilt = 0.1 * cos((double)c);
    const double axes[4][3] = {{1, tilt, -tilt}, {tilt, 1, tilt}, {-tilt, tilt, 1}, {0, 0, 1}};
    const size_t next[4] = {b + 1, b + side, b + side * side, SIZE_MAX};
    const bool there[4] = {x + 1 < side, y + 1 < side, z + 1 < side, z == 0};
    if (!there[c % 4]) continue;
    double n[3], r[3];
    const double *a = axes[c % 4], size = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    for (int i = 0; i < 3; i++) n[i] = a[i] / size, r[i] = 0.5 * n[i];
    const double s[3] = {-r[0], -r[1], -r[2]};
    if (c % 4 == 3)
      made_contact(&made, b, s, SIZE_MAX, s, n, MB_CONE_EXACT, mu);
    else
      made_contact(&made, next[c % 4], s, b, r, n, MB_CONE_EXACT, mu);
  }
  made_end(&made, true);
  return made;
}

Test(contact_methods, threads_change_no_bit, TEST_LONG) {
  static const char *const names[] = {"gauss_seidel", "auto"};
  Made made = grid(6, NULL, 0.4);
  const size_t n = made.problem.n;
  cr_assert_gt(made.problem.ncontacts, 512); // so many are swept by colours
  double *first = mb_calloc(n, sizeof *first);
  made.problem.iterations = 20;
  for (size_t m = 0; m < 2; m++)
    for (int threads = 1; threads <= 8; threads *= 2) {
      MbContactWork work = {0};
      MbContactAnswer answer;
      const MbContactMethod *method = mb_contact_method(names[m]);
      made.problem.threads = threads;
      cr_assert(mb_contact_reserve(&work, method, &made.problem));
      mb_contact_solve(method, &work, &made.problem, &answer);
      cr_assert_lt(answer.natural, 1);
      if (threads == 1) memcpy(first, answer.lambda, n * sizeof *first);
      cr_assert_arr_eq(answer.lambda, first, n * sizeof *first, "%s, %d threads", names[m], threads);
      mb_contact_work_free(&work);
    }
  mb_free(first);
  made_free(&made);
}

// Velocities of balls, v + M⁻¹ Hᵀ λ, do not depend on the order in which their contacts come.
static void velocities(const Made *made, const double *lambda, double *v) {
  const size_t m = 6 * made->bodies;
  memcpy(v, made->v, m * sizeof *v);
  for (size_t i = 0; i < made->problem.n; i++)
    for (size_t k = 0; k < m; k++) v[k] += made->H[i * m + k] * lambda[i] / made->mass[k];
}

Test(contact_methods, contacts_in_any_order_give_the_same_motion) {
  static const char *const names[] = {"auto", "gauss_seidel", "nonsmooth_newton", "admm"};
  enum { SIDE = 2, BODIES = SIDE * SIDE * SIDE };
  size_t order[4 * BODIES];
  uint64_t seed = 7;
  for (size_t m = 0; m < sizeof names / sizeof *names; m++) {
    double first[6 * BODIES], v[6 * BODIES];
    for (size_t k = 0; k < 4 * BODIES; k++) order[k] = k;
    for (int round = 0; round < 5; round++) {
      Made made = grid(SIDE, order, 0.4);
      MbContactWork work = {0};
      MbContactAnswer answer;
      made.problem.tolerance = 1e-13;
      cr_assert_eq(made_solve(&made, names[m], &work, &answer), MB_CONTACT_SOLVED, "%s", answer.why);
      velocities(&made, answer.lambda, v);
      if (!round) memcpy(first, v, sizeof first);
      test_near(names[m], v, first, 6 * BODIES, 1e-9);
      for (size_t k = 4 * BODIES - 1; k > 0; k--) {
        const size_t other = (size_t)(test_random(&seed) * (double)(k + 1)), t = order[k];
        order[k] = order[other], order[other] = t;
      }
      mb_contact_work_free(&work);
      made_free(&made);
    }
  }
}

// More rows than are factored: GMRES, and conjugate gradients in ADMM.
Test(contact_methods, many_contacts_are_solved_without_a_factor) {
  static const char *const names[] = {"nonsmooth_newton", "auto", "admm"};
  uint64_t seed = 12;
  Made made = made_heap(&seed, 180, 210, 0.3, MB_CONE_EXACT, 0, false);
  cr_assert_gt(made.problem.n, 600);
  for (size_t m = 0; m < sizeof names / sizeof *names; m++) {
    MbContactWork work = {0};
    MbContactAnswer answer;
    cr_assert_eq(made_solve(&made, names[m], &work, &answer), MB_CONTACT_SOLVED, "%s: %s", names[m],
                 answer.why);
    mb_contact_work_free(&work);
  }
  made_free(&made);
}

// W = F Fᵀ, formed or not, is W: islands of it too.
Test(contact_methods, W_may_be_given_by_factors_that_are_not_multiplied_out) {
  uint64_t seed = 29;
  for (int kind = 0; kind < 3; kind++) // small; of many islands; more than is formed
    for (size_t m = 0; mb_contact_methods[m]; m++) {
      const MbContactMethod *method = mb_contact_methods[m];
      Made made = kind == 0   ? made_heap(&seed, 6, 9, 0.5, MB_CONE_BOX, 0, true)
                  : kind == 1 ? made_heap(&seed, 40, 40, 0.3, MB_CONE_EXACT, 1, true)
                              : made_heap(&seed, 180, 210, 0.3, MB_CONE_EXACT, 0, false);
      MbContactWork work = {0};
      MbContactAnswer answer;
      if (kind == 2 && !strcmp(method->name, "staggered")) made.problem.iterations = 1; // it takes long
      const MbContactResult formed = made_solve(&made, method->name, &work, &answer);
      for (size_t i = 0; i < made.problem.n; i++) made.soft[i] = i % 4 ? 0 : 0.02;
      made_factor(&made);
      const MbContactResult result = made_solve(&made, method->name, &work, &answer);
      cr_assert_eq(result == MB_CONTACT_REFUSED, formed == MB_CONTACT_REFUSED);
      if (formed == MB_CONTACT_SOLVED)
        cr_assert_eq(result, MB_CONTACT_SOLVED, "%s, %d: %s", method->name, kind, answer.why);
      if (result != MB_CONTACT_REFUSED)
        cr_assert(fabs(answer.natural - made_natural(&made, answer.lambda)) < 1e-12 + 1e-6 * answer.natural);
      mb_contact_work_free(&work);
      made_free(&made);
    }
}
