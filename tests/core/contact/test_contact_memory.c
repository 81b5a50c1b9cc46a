// What a method's memory held before is of no effect: steps that begin with other memory, as after a resume, come to the same bits.
#include "core/base/alloc.h"
#include "tests/core/contact/contact_make.h"

#include <string.h>

// A planar chain: two coordinates, which move nothing along the second tangents. Those rows and columns of W are 0.
static Made planar(uint64_t *seed, MbCone cone) {
  enum { CONTACTS = 3, N = 3 * CONTACTS };
  double G[N][2], W[N * N], b[N];
  for (int i = 0; i < N; i++)
    for (int k = 0; k < 2; k++) G[i][k] = i % 3 == 2 ? 0 : test_random(seed) - 0.5;
  const double v[2] = {test_random(seed) - 0.5, test_random(seed) - 0.5};
  for (int i = 0; i < N; i++) {
    for (int k = 0; k < N; k++) W[N * i + k] = G[i][0] * G[k][0] + G[i][1] * G[k][1];
    b[i] = G[i][0] * v[0] + G[i][1] * v[1];
  }
  return made_given(CONTACTS, W, b, cone, 0.5);
}

// λ and the natural map of a solution in memory that is filled so.
static MbContactResult solve_in(const Made *made, const MbContactMethod *method, int fill, double *lambda,
                                double *natural) {
  MbContactWork work = {0};
  MbContactAnswer answer = {0};
  cr_assert(mb_contact_reserve(&work, method, &made->problem));
  memset(work.block, fill, work.size);
  const MbContactResult result = mb_contact_solve(method, &work, &made->problem, &answer);
  if (result != MB_CONTACT_REFUSED) {
    memcpy(lambda, answer.lambda, made->problem.n * sizeof *lambda);
    *natural = answer.natural;
  }
  mb_contact_work_free(&work);
  return result;
}

// The same in the memory of a solution of another problem.
static MbContactResult solve_after(const Made *made, const Made *other, const MbContactMethod *method,
                                   double *lambda, double *natural) {
  MbContactWork work = {0};
  MbContactAnswer answer = {0};
  cr_assert(mb_contact_reserve(&work, method, &other->problem));
  mb_contact_solve(method, &work, &other->problem, &answer);
  cr_assert(mb_contact_reserve(&work, method, &made->problem));
  const MbContactResult result = mb_contact_solve(method, &work, &made->problem, &answer);
  if (result != MB_CONTACT_REFUSED) {
    memcpy(lambda, answer.lambda, made->problem.n * sizeof *lambda);
    *natural = answer.natural;
  }
  mb_contact_work_free(&work);
  return result;
}

static void compare(const Made *made, const char *what) {
  enum { MOST = 100 };
  static const int fills[] = {0x3f, 0x7f, 0xff}; // numbers near 1, huge ones, NaN
  double first[MOST], lambda[MOST], natural[2];
  uint64_t seed = 47;
  cr_assert_leq(made->problem.n, MOST);
  for (size_t m = 0; mb_contact_methods[m]; m++) {
    const MbContactMethod *method = mb_contact_methods[m];
    const MbContactResult result = solve_in(made, method, 0, first, &natural[0]);
    if (result == MB_CONTACT_REFUSED) continue;
    for (size_t f = 0; f < sizeof fills / sizeof *fills; f++) {
      cr_assert_eq(solve_in(made, method, fills[f], lambda, &natural[1]), result, "%s, %s, memory of %#x",
                   what, method->name, (unsigned)fills[f]);
      cr_assert_arr_eq(lambda, first, made->problem.n * sizeof *first, "%s, %s, memory of %#x", what,
                       method->name, (unsigned)fills[f]);
      cr_assert(!memcmp(&natural[0], &natural[1], sizeof *natural), "%s, %s: natural map %g, %g", what,
                method->name, natural[0], natural[1]);
    }
    Made other = made_heap(&seed, 8, 10, 0.7, made->problem.contact[0].cone, 2, true);
    cr_assert_eq(solve_after(made, &other, method, lambda, &natural[1]), result, "%s, %s", what,
                 method->name);
    cr_assert_arr_eq(lambda, first, made->problem.n * sizeof *first, "%s, %s, after another", what,
                     method->name);
    cr_assert(!memcmp(&natural[0], &natural[1], sizeof *natural), "%s, %s", what, method->name);
    made_free(&other);
  }
}

Test(contact_memory, of_rows_that_move_nothing_holds_nothing_old) {
  uint64_t seed = 41;
  for (MbCone cone = MB_CONE_NONE; cone <= MB_CONE_EXACT; cone++)
    for (int round = 0; round < 10; round++) {
      Made made = planar(&seed, cone);
      compare(&made, "planar, dense");
      made_free(&made);
    }
}

Test(contact_memory, of_heaps_holds_nothing_old) {
  uint64_t seed = 43;
  for (MbCone cone = MB_CONE_NONE; cone <= MB_CONE_EXACT; cone++)
    for (int round = 0; round < 6; round++) {
      Made made = made_heap(&seed, 2 + (size_t)round, 3 + (size_t)round, 0.5, cone, 1, round % 2);
      compare(&made, "heap, dense");
      made_end(&made, true);
      compare(&made, "heap, by rows");
      made_factor(&made);
      compare(&made, "heap, by factors");
      made_free(&made);
    }
}

// A soft row that nothing moves gives way by itself: λ = -b/soft.
Test(contact_memory, soft_rows_that_move_nothing_give_way) {
  static const double W[9] = {0}, b[3] = {-0.5, 0, 0};
  for (size_t m = 0; mb_contact_methods[m]; m++) {
    Made made = made_given(1, W, b, MB_CONE_NONE, 0);
    MbContactWork work = {0};
    MbContactAnswer answer;
    made.soft[0] = 0.25;
    made.problem.soft = made.soft;
    if (made_solve(&made, mb_contact_methods[m]->name, &work, &answer) == MB_CONTACT_SOLVED)
      cr_assert_float_eq(answer.lambda[0], 2, 1e-9, "%s: %.17g", mb_contact_methods[m]->name,
                         answer.lambda[0]);
    else
      cr_assert_fail("%s: %s", mb_contact_methods[m]->name, answer.why);
    mb_contact_work_free(&work);
    made_free(&made);
  }
}
