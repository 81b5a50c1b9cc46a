// Systems of bodies that contacts couple, and the method that stands on them.
#include "core/base/alloc.h"
#include "core/contact/body_factor.h"
#include "core/contact/proximal.h"
#include "tests/core/contact/contact_make.h"

#include <math.h>
#include <string.h>

// ---- the factor -------------------------------------------------------------------------------------------

// A as a whole, and F y of the rows of one contact, by their definitions.
static double *whole(const Made *made, const MbBodyFactor *f, const double (*K)[9], size_t *size) {
  const size_t n = *size = 6 * mb_body_factor_size(f, 0);
  double *A = mb_calloc(n * n, sizeof *A);
  for (size_t i = 0; i < n; i++) A[i * n + i] = 1;
  for (size_t c = 0; c < made->problem.ncontacts; c++) {
    const size_t row = made->problem.contact[c].row;
    for (size_t r = 0; r < 3; r++)
      for (size_t s = 0; s < 3; s++)
        for (size_t e = 0; e < 12; e++)
          for (size_t g = 0; g < 12; g++) {
            const uint32_t a = made->slot[2 * row + e / 6], b = made->slot[2 * row + g / 6];
            if (a == MB_NO_SLOT || b == MB_NO_SLOT) continue;
            A[(6 * f->place[a] + e % 6) * n + 6 * f->place[b] + g % 6] +=
                made->factor[12 * (row + r) + e] * K[c][3 * r + s] * made->factor[12 * (row + s) + g];
          }
  }
  return A;
}

Test(body_factor, systems_of_bodies_and_contacts_are_solved_whatever_the_graph) {
  uint64_t seed = 77;
  for (int round = 0; round < 20; round++) {
    const size_t bodies = 1 + (size_t)round * 4;
    Made made = round % 2 ? made_stack(bodies, 0.5, MB_CONE_EXACT, 0, 1)
                          : made_heap(&seed, bodies, 3 * bodies, 0.5, MB_CONE_EXACT, 0, false);
    MbBodyFactor f = {0};
    made_factor(&made);
    cr_assert(mb_body_factor_analyse(&f, &made.problem));
    if (f.ngroups == 1) {
      const size_t contacts = made.problem.ncontacts;
      double(*K)[9] = mb_calloc(contacts, sizeof *K);
      mb_body_factor_begin(&f, 0);
      for (size_t c = 0; c < contacts; c++) {
        const size_t row = made.problem.contact[c].row;
        uint32_t place[2];
        for (int k = 0; k < 9; k++)
          K[c][k] = (k % 4 == 0) + 0.3 * (2 * test_random(&seed) - 1); // not symmetric
        for (size_t end = 0; end < 2; end++) {
          const uint32_t slot = made.slot[2 * row + end];
          place[end] = slot == MB_NO_SLOT ? MB_NO_PLACE : f.place[slot];
        }
        mb_body_factor_add(&f, 0, place, 3, made.factor + 12 * row, K[c]);
      }
      size_t n;
      double *A = whole(&made, &f, K, &n), *x = mb_calloc(n, sizeof *x), *b = mb_calloc(n, sizeof *b);
      for (size_t i = 0; i < n; i++) x[i] = b[i] = 2 * test_random(&seed) - 1;
      const int64_t calls = mb_alloc_calls();
      cr_assert(mb_body_factor_make(&f, 0));
      mb_body_factor_solve(&f, 0, x);
      cr_assert_eq(mb_alloc_calls(), calls);
      for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (size_t j = 0; j < n; j++) sum += A[i * n + j] * x[j];
        cr_assert(fabs(sum - b[i]) < 1e-11, "round %d, row %zu: %g, %g", round, i, sum, b[i]);
      }
      mb_free(A), mb_free(x), mb_free(b), mb_free(K);
    }
    mb_body_factor_free(&f);
    made_free(&made);
  }
}

// The same contacts again are not analysed again, and others are.
Test(body_factor, a_pattern_is_found_once_for_the_same_contacts) {
  MbBodyFactor f = {0};
  Made small = made_stack(5, 0.5, MB_CONE_EXACT, 0, 1), large = made_stack(9, 0.5, MB_CONE_EXACT, 0, 1);
  made_factor(&small), made_factor(&large);
  cr_assert(mb_body_factor_analyse(&f, &large.problem));
  cr_assert_eq(mb_body_factor_size(&f, 0), 9);
  cr_assert_eq(mb_body_factor_blocks(&f, 0), 8); // a chain has no more than it has contacts between bodies
  cr_assert(mb_body_factor_analyse(&f, &small.problem));
  cr_assert_eq(mb_body_factor_size(&f, 0), 5);
  const int64_t calls = mb_alloc_calls();
  f.place[0] = 99;
  cr_assert(mb_body_factor_analyse(&f, &small.problem));
  cr_assert_eq(f.place[0], 99);
  cr_assert(mb_body_factor_analyse(&f, &large.problem));
  cr_assert_neq(f.place[0], 99);
  cr_assert_eq(mb_alloc_calls(), calls);
  mb_body_factor_free(&f);
  made_free(&small), made_free(&large);
}

Test(body_factor, bodies_that_do_not_hang_together_are_groups_of_their_own) {
  Made made = made_begin(5, 12);
  const double up[3] = {0, 0, 1}, r[3] = {0, 0, -1};
  made_contact(&made, 0, r, SIZE_MAX, r, up, MB_CONE_EXACT, 0.5);
  made_contact(&made, 3, r, 1, up, up, MB_CONE_EXACT, 0.5);
  made_contact(&made, 4, r, SIZE_MAX, r, up, MB_CONE_EXACT, 0.5);
  made_end(&made, false);
  made_factor(&made);
  MbBodyFactor f = {0};
  cr_assert(mb_body_factor_analyse(&f, &made.problem));
  cr_assert_eq(f.ngroups, 3);
  const uint32_t groups[] = {0, 1, MB_NO_PLACE, 1, 2};
  for (size_t b = 0; b < 5; b++) cr_assert_eq(f.group[b], groups[b], "body %zu", b);
  mb_body_factor_free(&f);
  made_free(&made);
}

// In a stack each body but the last has one below the diagonal, which is multiplied into that one's column and by its row.
Test(body_factor, the_products_of_a_factor_are_counted) {
  enum { BODIES = 8 };
  Made made = made_stack(BODIES, 0.5, MB_CONE_EXACT, 0, 1);
  MbBodyFactor f = {0};
  made_factor(&made);
  cr_assert(mb_body_factor_analyse(&f, &made.problem));
  cr_assert_eq(mb_body_factor_products(&f, 0), 2 * (BODIES - 1));
  mb_body_factor_free(&f);
  made_free(&made);
}

// ---- the method -------------------------------------------------------------------------------------------

// Solves a problem given by factors; the natural map over |b|, and λ to `lambda`.
static double run(const Made *made, size_t most, double *lambda) {
  MbBodyFactor f = {0};
  MbStrips strips;
  MbProximal proximal;
  MbRoom room = {0};
  cr_assert(mb_body_factor_analyse(&f, &made->problem));
  mb_strips_make(&strips, &room, &made->problem, MB_UNFORMED);
  mb_proximal_make(&proximal, &room, &strips, &f);
  room = (MbRoom){.at = mb_calloc(room.used, 1)};
  char *block = room.at;
  mb_strips_make(&strips, &room, &made->problem, MB_UNFORMED);
  cr_assert(mb_body_sums_takes(&strips, &f));
  mb_proximal_make(&proximal, &room, &strips, &f);
  mb_strips_start(&strips, &made->problem, proximal.lambda);
  size_t done = 0;
  const int64_t calls = mb_alloc_calls();
  mb_proximal_run(&proximal, most, &done);
  cr_assert_eq(mb_alloc_calls(), calls);
  memcpy(lambda, proximal.lambda, strips.n * sizeof *lambda);
  mb_free(block);
  mb_body_factor_free(&f);
  return made_natural(made, lambda);
}

static void velocities(const Made *made, const double *lambda, double *v) {
  const size_t m = 6 * made->bodies;
  memcpy(v, made->v, m * sizeof *v);
  for (size_t i = 0; i < made->problem.n; i++)
    for (size_t k = 0; k < m; k++) v[k] += made->H[i * m + k] * lambda[i] / made->mass[k];
}

// Towers, of which W is singular and its condition grows with the fourth power of their height, under every cone, from nothing.
Test(proximal, tall_towers_that_are_pushed_come_to_rest_or_slip) {
  for (int round = 0; round < 9; round++) {
    static const MbCone cones[] = {MB_CONE_NONE, MB_CONE_BOX, MB_CONE_EXACT};
    Made made = made_stack(10 + 10 * (size_t)(round / 3), 0.5, cones[round % 3], 0.2, round % 2 ? 1 : 100);
    double *lambda = mb_calloc(made.problem.n, sizeof *lambda);
    made_factor(&made);
    made.problem.tolerance = 1e-9;
    const double natural = run(&made, 300, lambda);
    cr_assert_leq(natural, 1e-9, "round %d: %g", round, natural);
    mb_free(lambda);
    made_free(&made);
  }
}

// Velocities that are unique are those of Newton's method with a dense factor.
Test(proximal, finds_the_velocities_that_the_dense_newton_method_finds) {
  for (int round = 0; round < 6; round++) {
    Made made = made_stack(2 + (size_t)round, 0.4, MB_CONE_EXACT, round % 2 ? 0.6 : 0.1, 1);
    const size_t n = made.problem.n, m = 6 * made.bodies;
    double *lambda = mb_calloc(n, sizeof *lambda), *v = mb_calloc(2 * m, sizeof *v);
    MbContactWork work = {0};
    MbContactAnswer answer;
    made.problem.tolerance = 1e-12;
    cr_assert_eq(made_solve(&made, "nonsmooth_newton", &work, &answer), MB_CONTACT_SOLVED, "%s", answer.why);
    velocities(&made, answer.lambda, v);
    made_factor(&made);
    cr_assert_leq(run(&made, 300, lambda), 1e-11);
    velocities(&made, lambda, v + m);
    test_near("velocities", v + m, v, m, 1e-9);
    mb_contact_work_free(&work);
    mb_free(lambda), mb_free(v);
    made_free(&made);
  }
}

// Soft rows, limits, joints and bounded rows between contacts.
Test(proximal, solves_heaps_with_rows_of_every_kind) {
  uint64_t seed = 41;
  int asked = 0, solved = 0;
  for (int round = 0; round < 60; round++) {
    static const MbCone cones[] = {MB_CONE_NONE, MB_CONE_BOX, MB_CONE_EXACT};
    Made made = made_heap(&seed, 2 + (size_t)round % 7, 2 + (size_t)round % 11,
                          0.1 + 0.8 * test_random(&seed), cones[round % 3], round % 2, round % 4 > 1);
    for (size_t i = 0; i < made.problem.n && round % 5 == 0; i++)
      made.soft[i] = made.problem.kind[i] == MB_CONTACT_TANGENT ? 0 : 0.05;
    made_factor(&made);
    MbBodyFactor f = {0};
    cr_assert(mb_body_factor_analyse(&f, &made.problem));
    double *lambda = mb_calloc(made.problem.n, sizeof *lambda);
    if (f.ngroups == 1) {
      asked++;
      solved += run(&made, 300, lambda) <= 1e-10;
    }
    mb_free(lambda);
    mb_body_factor_free(&f);
    made_free(&made);
  }
  cr_assert_gt(asked, 20);
  cr_assert_geq(solved, 0.95 * asked, "%d of %d", solved, asked);
}
