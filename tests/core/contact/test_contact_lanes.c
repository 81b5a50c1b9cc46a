// Sweeps over many blocks side by side.
#include "core/base/alloc.h"
#include "core/contact/contact_lanes.h"
#include "core/contact/nonsmooth_newton.h"
#include "tests/core/contact/contact_make.h"

#include <math.h>
#include <string.h>

enum { BODIES = 150, LEAST = 512 };

// Columns of four balls, four to six contacts a pair; some stick, some slip, some open. `hub`: all
// stand on the first.
static Made heap_of(size_t bodies, bool one_way, bool hub, double mu) {
  static const double arm[6][3] = {{.3, 0, .4},  {-.3, .1, .4}, {0, .3, .4},
                                   {0, -.3, .4}, {.2, .2, .4},  {-.2, .1, .4}};
  uint64_t seed = 5;
  Made made = made_begin(bodies, 3 * 6 * bodies);
  for (size_t i = 0; i < 6 * bodies; i++) {
    made.mass[i] = i % 6 < 3 ? 0.1 : 1;
    made.v[i] = (i % 6 == 5 ? -0.3 : 0) + 0.2 * (test_random(&seed) - 0.5);
  }
  for (size_t b = 0; b < bodies; b++) {
    size_t other = b % 4 ? b - 1 : SIZE_MAX;
    if (hub && b) other = 0;
    const double tilt = 0.3 * (test_random(&seed) - 0.5), size = sqrt(1 + tilt * tilt),
                 n[3] = {tilt / size, 0, 1 / size};
    for (size_t k = 0; k < 4 + b % 3; k++) {
      const double r[3] = {arm[k][0], arm[k][1], -arm[k][2]};
      if (one_way)
        made_row(&made, MB_CONTACT_ONE_WAY, b, r, other, arm[k], n);
      else
        made_contact(&made, b, r, other, arm[k], n, MB_CONE_EXACT, b % 7 ? mu : 0);
    }
  }
  made_end(&made, false);
  made_factor(&made);
  return made;
}

static Made heap(bool one_way, bool hub, double mu) { return heap_of(BODIES, one_way, hub, mu); }

static MbLanes lanes_of(const Made *made, MbStrips *strips, MbRoom *room) {
  MbLanes lanes;
  mb_strips_make(strips, room, &made->problem, MB_UNFORMED);
  mb_lanes_make(&lanes, room, strips);
  return lanes;
}

Test(contact_lanes, side_by_side_contacts_come_to_what_the_law_asks_for) {
  for (int what = 0; what < 2; what++) {
    Made made = heap(what == 1, false, 0.4);
    MbContactWork work = {0};
    MbContactAnswer answer;
    made.problem.tolerance = 1e-7;
    cr_assert(mb_contact_reserve(&work, mb_contact_method("gauss_seidel"), &made.problem));
    const MbContactResult result =
        mb_contact_solve(mb_contact_method("gauss_seidel"), &work, &made.problem, &answer);
    cr_expect_eq(result, MB_CONTACT_SOLVED, "%d: %s", what, answer.why);
    made.problem.W = (MbContactOperator){.dense = made.W};
    const double natural = made_natural(&made, answer.lambda);
    cr_expect_lt(natural, 2e-7, "%d: %g", what, natural);
    mb_contact_work_free(&work);
    made_free(&made);
  }
}

Test(contact_lanes, every_kind_of_processor_comes_to_the_same_bits) {
  for (int one_way = 0; one_way < 2; one_way++) {
    Made made = heap(one_way, false, 0.4);
    const size_t n = made.problem.n;
    cr_assert_gt(one_way ? n : n / 3, LEAST);
    // some move nothing, by what is said of them, and are left out
    double *least = mb_calloc(n, sizeof *least);
    for (size_t i = 0; i < n; i += 33) least[i] = 1e9;
    made.problem.least = least;
    MbRoom count = {0};
    MbStrips strips;
    lanes_of(&made, &strips, &count);
    double *first = mb_calloc(n + 1, sizeof *first), *lambda = mb_calloc(n, sizeof *lambda),
           *w = mb_calloc(n, sizeof *w);
    char *block = mb_calloc(count.used, 1);
    bool any = false;
    for (int k = 0; mb_lane_passes_list[k]; k++) {
      if (!mb_lane_passes_run(mb_lane_passes_list[k])) continue;
      MbRoom room = {.at = block};
      MbLanes lanes = lanes_of(&made, &strips, &room);
      cr_assert(lanes.is && room.used <= count.used);
      lanes.passes = mb_lane_passes_list[k];
      memset(lambda, 0, n * sizeof *lambda);
      mb_lanes_begin(&lanes, lambda);
      mb_lanes_natural(&lanes);
      for (int sweep = 0; sweep < 10; sweep++) mb_lanes_sweep(&lanes, 1);
      const double natural = mb_lanes_natural(&lanes);
      mb_lanes_lambda(&lanes, lambda);
      if (!any) memcpy(first, lambda, n * sizeof *first), first[n] = natural;
      any = true;
      cr_expect_arr_eq(lambda, first, n * sizeof *first, "%s", lanes.passes->name);
      cr_expect(natural == first[n], "%s: %.17g, %.17g", lanes.passes->name, natural, first[n]);

      // and the natural map and the rates are those that the blocks one by one have
      mb_lanes_rates(&lanes, w);
      const double known = mb_strips_natural(&strips, lambda, w);
      cr_expect_float_eq(natural, known, 1e-12 * known + 1e-300, "%.17g, %.17g", natural, known);
      mb_strips_rates(&strips, lambda, first);
      test_near("w", w, first, n, 1e-12);
      memcpy(first, lambda, n * sizeof *first);
    }
    mb_free(first), mb_free(lambda), mb_free(w), mb_free(block), mb_free(least);
    made_free(&made);
  }
}

Test(contact_lanes, threads_change_no_bit) {
  Made made = heap(false, false, 0.4);
  const size_t n = made.problem.n;
  double *first = mb_calloc(n, sizeof *first);
  made.problem.iterations = 20;
  for (int threads = 1; threads <= 8; threads *= 2) {
    MbContactWork work = {0};
    MbContactAnswer answer;
    made.problem.threads = threads;
    made_solve(&made, "gauss_seidel", &work, &answer);
    if (threads == 1) memcpy(first, answer.lambda, n * sizeof *first);
    cr_expect_arr_eq(answer.lambda, first, n * sizeof *first, "%d threads", threads);
    mb_contact_work_free(&work);
  }
  mb_free(first);
  made_free(&made);
}

Test(contact_lanes, what_has_more_neighbours_than_there_are_colours_is_swept_one_by_one) {
  Made made = heap(false, true, 0.4);
  MbRoom count = {0};
  MbStrips strips;
  lanes_of(&made, &strips, &count);
  char *block = mb_calloc(count.used, 1);
  MbRoom room = {.at = block};
  cr_expect(!lanes_of(&made, &strips, &room).is);
  mb_free(block);
  made_free(&made);
}

// Where more is left than is asked about that is all that is told; else what is left, to the last bit.
Test(contact_lanes, what_is_left_is_told_as_far_as_it_is_asked_for) {
  Made made = heap_of(3, false, false, 0.4);
  MbRoom room = {0};
  MbStrips strips;
  mb_strips_make(&strips, &room, &made.problem, MB_FORMED);
  char *block = mb_calloc(room.used, 1);
  room = (MbRoom){.at = block};
  mb_strips_make(&strips, &room, &made.problem, MB_FORMED);
  double *const lambda = mb_calloc(2 * strips.n, sizeof *lambda), *const w = lambda + strips.n;
  mb_strips_rates(&strips, lambda, w);
  const double left = mb_strips_natural(&strips, lambda, w);
  cr_assert_gt(left, 0);
  cr_expect_eq(mb_strips_natural_up_to(&strips, lambda, w, left), left);
  cr_expect_eq(mb_strips_natural_up_to(&strips, lambda, w, 2 * left), left);
  cr_expect_eq(mb_strips_natural_up_to(&strips, lambda, w, left / 2), INFINITY);
  mb_free(lambda);
  mb_free(block);
  made_free(&made);
}

// Whether Newton's method has room for a factor of a problem whose W is given as it is.
static bool is_factored(const MbContactProblem *problem) {
  MbRoom room = {0};
  MbStrips strips;
  MbNewton newton;
  mb_strips_make(&strips, &room, problem, MB_FORMED_IF_SMALL);
  mb_newton_make(&newton, &room, &strips, problem->function);
  char *block = mb_calloc(room.used, 1);
  room = (MbRoom){.at = block};
  mb_strips_make(&strips, &room, problem, MB_FORMED_IF_SMALL);
  mb_newton_make(&newton, &room, &strips, problem->function);
  mb_free(block);
  return newton.J != NULL;
}

// Many contacts that all have to do with one another, as of a cloth that lies in folds: more rows than other methods solve densely. Of those that
// have to do with few others GMRES is faster.
Test(contact_lanes, what_is_coupled_throughout_is_factored_by_newtons_method) {
  for (int hub = 0; hub < 2; hub++) {
    Made made = heap_of(80, false, hub, 0.4);
    MbContactWork work = {0};
    MbContactAnswer answer;
    made.problem.W = (MbContactOperator){.dense = made.W};
    made.problem.tolerance = 1e-9;
    cr_expect(made.problem.n > MB_SMALL && made.problem.n <= MB_NEWTON_DENSE, "%zu", made.problem.n);
    cr_expect_eq(is_factored(&made.problem), hub);
    cr_assert(mb_contact_reserve(&work, mb_contact_method("nonsmooth_newton"), &made.problem));
    const MbContactResult result =
        mb_contact_solve(mb_contact_method("nonsmooth_newton"), &work, &made.problem, &answer);
    cr_expect_eq(result, MB_CONTACT_SOLVED, "%s", answer.why);
    cr_expect_lt(made_natural(&made, answer.lambda), 2e-9);
    mb_contact_work_free(&work);
    made_free(&made);
  }
}
