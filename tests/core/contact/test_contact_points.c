// W of rows about points that something behind them couples, which is not formed where there are many rows.
#include "core/base/alloc.h"
#include "core/contact/contact_auto.h"
#include "core/contact/contact_parts.h"
#include "core/contact/gauss_seidel.h"
#include "tests/core/contact/contact_make.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CONTACTS = 250, POINTS = 70, BODIES = 30, WEIGHTS = 4, ROWS = 3 * CONTACTS };

// Contacts of one to four points, every other one with a body as well: S of what decays with distance, V N Vᵀ beside it.
typedef struct Coupled {
  MbContactPoints points;
  MbContactProblem problem;
  double *S, *W, *b, *soft, *H, *F, *V, *NV, *scratch, *L, *table;
  bool *tabled;
  MbBranch *branch;
  MbStretch *run;
  size_t *first;
  uint32_t *point, *slot;
  MbContactRowKind *kind;
  MbContactCone *cone;
} Coupled;

static double number(uint64_t *seed) { return 2 * test_random(seed) - 1; }

static void make_parts(Coupled *c, size_t width, uint64_t *seed) {
  for (size_t a = 0; a < POINTS; a++)
    for (size_t b = 0; b < POINTS; b++)
      for (size_t axis = 0; axis < width; axis++) {
        const double far = fabs((double)a - (double)b);
        c->S[width * (POINTS * a + b) + axis] = exp(-far / 5) * (1 + 0.2 * (double)axis);
      }
  for (size_t k = 0; k < CONTACTS; k++) {
    const size_t ends = 1 + k % 4, from = (size_t)(test_random(seed) * (POINTS - 4));
    for (size_t r = 0; r < 3; r++) {
      const size_t i = 3 * k + r;
      c->first[i + 1] = c->first[i] + ends;
      for (size_t e = 0; e < ends; e++) {
        c->point[c->first[i] + e] = (uint32_t)(from + e);
        c->H[3 * (c->first[i] + e) + r] = (e % 2 ? -1 : 1) * (0.5 + 0.1 * (double)(k % 5));
      }
      for (size_t end = 0; end < 2; end++) c->slot[2 * i + end] = MB_NO_SLOT;
      if (k % 2) c->slot[2 * i] = (uint32_t)(k % BODIES);
      for (size_t j = 0; j < 6 && k % 2; j++) c->F[12 * i + j] = j == 3 + r ? 1 : 0.2 * number(seed);
      for (size_t m = 0; m < WEIGHTS; m++) {
        c->V[WEIGHTS * i + m] = 0.05 * number(seed);
        c->NV[WEIGHTS * i + m] = 0.5 * c->V[WEIGHTS * i + m];
      }
      c->b[i] = r ? 0.3 * number(seed) : -test_random(seed);
      c->soft[i] = r ? 0 : 0.01 * (double)(k % 3);
      c->kind[i] = r ? MB_CONTACT_TANGENT : MB_CONTACT_NORMAL;
    }
    c->cone[k] = (MbContactCone){.row = 3 * k, .cone = MB_CONE_EXACT, .mu = 0.3};
  }
}

// The same, multiplied out.
static void form(Coupled *c, size_t width) {
  for (size_t i = 0; i < ROWS; i++)
    for (size_t j = 0; j < ROWS; j++) {
      double sum = 0;
      for (size_t a = c->first[i]; a < c->first[i + 1]; a++)
        for (size_t b = c->first[j]; b < c->first[j + 1]; b++)
          for (size_t axis = 0; axis < 3; axis++)
            sum += c->H[3 * a + axis] * c->H[3 * b + axis] *
                   c->S[width * (POINTS * c->point[a] + c->point[b]) + (width == 3 ? axis : 0)];
      for (size_t k = 0; k < 6 && c->slot[2 * i] == c->slot[2 * j]; k++)
        sum += c->F[12 * i + k] * c->F[12 * j + k];
      for (size_t m = 0; m < WEIGHTS; m++) sum += c->V[WEIGHTS * i + m] * c->NV[WEIGHTS * j + m];
      c->W[ROWS * i + j] = sum;
    }
}

// S = L Lᵀ: rows of L are branches, in two runs beyond the middle.
static void branch_out(Coupled *c) {
  enum { GAP = 7 };
  c->L = mb_calloc(POINTS * POINTS, sizeof *c->L);
  c->branch = mb_calloc(POINTS, sizeof *c->branch), c->run = mb_calloc(2 * POINTS, sizeof *c->run);
  for (uint32_t a = 0; a < POINTS; a++) {
    double *row = c->L + POINTS * a;
    for (size_t b = 0; b <= a; b++) {
      double sum = c->S[POINTS * a + b];
      for (size_t k = 0; k < b; k++) sum -= row[k] * c->L[POINTS * b + k];
      row[b] = b < a ? sum / c->L[(POINTS + 1) * b] : sqrt(sum);
    }
    const uint32_t half = POINTS / 2, first = a < half ? a + 1 : half;
    c->run[2 * a] = (MbStretch){0, first};
    c->run[2 * a + 1] = (MbStretch){half + GAP, a + 1 - first};
    c->branch[a] = (MbBranch){.run = c->run + 2 * a, .s = row, .nruns = a < half ? 1 : 2};
  }
  c->points.S = NULL, c->points.branch = c->branch, c->points.rows = POINTS + GAP;
}

// Ways: S along all axes, S of each, branches, branches with a table.
static const size_t widths[] = {1, 3, 1, 1};
enum { WAYS = 4, BRANCHES = 2, TABLE = 3 };

static Coupled coupled(size_t way) {
  const size_t width = widths[way];
  Coupled c = {0};
  uint64_t seed = 3;
  c.S = mb_calloc(3 * POINTS * POINTS, sizeof *c.S), c.W = mb_calloc((size_t)ROWS * ROWS, sizeof *c.W);
  c.b = mb_calloc(ROWS, sizeof *c.b), c.soft = mb_calloc(ROWS, sizeof *c.soft);
  c.H = mb_calloc(12 * ROWS, sizeof *c.H), c.F = mb_calloc(12 * ROWS, sizeof *c.F);
  c.V = mb_calloc(WEIGHTS * ROWS, sizeof *c.V), c.NV = mb_calloc(WEIGHTS * ROWS, sizeof *c.NV);
  c.first = mb_calloc(ROWS + 1, sizeof *c.first), c.point = mb_calloc(4 * ROWS, sizeof *c.point);
  c.slot = mb_calloc(2 * ROWS, sizeof *c.slot), c.kind = mb_calloc(ROWS, sizeof *c.kind);
  c.cone = mb_calloc(CONTACTS, sizeof *c.cone), c.scratch = mb_calloc(3 * POINTS, sizeof *c.scratch);
  make_parts(&c, width, &seed);
  form(&c, width);
  c.points = (MbContactPoints){.npoints = POINTS,
                               .width = width,
                               .S = c.S,
                               .first = c.first,
                               .point = c.point,
                               .H = c.H,
                               .nslots = BODIES,
                               .F = c.F,
                               .slot = c.slot,
                               .weights = WEIGHTS,
                               .V = c.V,
                               .NV = c.NV,
                               .scratch = c.scratch};
  if (way >= BRANCHES) branch_out(&c);
  if (way == TABLE) {
    c.points.table = c.table = mb_calloc(POINTS * POINTS, sizeof *c.table);
    c.points.tabled = c.tabled = mb_calloc(1, sizeof *c.tabled);
  }
  c.problem = (MbContactProblem){
      .n = ROWS, .b = c.b, .kind = c.kind, .soft = c.soft, .ncontacts = CONTACTS, .contact = c.cone};
  return c;
}

static void coupled_free(Coupled *c) {
  void *const all[] = {c->S,  c->W,      c->b,     c->soft,  c->H,     c->F,    c->V,
                       c->NV, c->first,  c->point, c->slot,  c->kind,  c->cone, c->scratch,
                       c->L,  c->branch, c->run,   c->table, c->tabled};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) mb_free(all[i]);
}

Test(contact_points, columns_are_those_of_the_matrix_multiplied_out) {
  double column[ROWS];
  for (size_t way = 0; way < WAYS; way++) {
    Coupled c = coupled(way);
    for (size_t i = 0; i < ROWS; i += 7) {
      mb_points_column(&c.points, ROWS, i, column);
      test_near("column", column, c.W + ROWS * i, ROWS, 1e-12);
    }
    cr_expect(way != TABLE || *c.tabled, "columns are by branches where there is room for a table");
    coupled_free(&c);
  }
}

Test(contact_points, rates_follow_sweeps_and_are_those_of_the_matrix) {
  for (size_t way = 0; way < WAYS; way++) {
    Coupled c = coupled(way);
    MbRoom count = {0};
    MbStrips strips;
    static double lambda[ROWS], w[ROWS], known[ROWS];
    c.problem.W = (MbContactOperator){.points = &c.points};
    mb_strips_make(&strips, &count, &c.problem, MB_UNFORMED);
    MbRoom room = {.at = mb_calloc(count.used, 1)};
    mb_strips_make(&strips, &room, &c.problem, MB_UNFORMED);
    cr_assert(strips.points && room.used == count.used);
    memset(lambda, 0, sizeof lambda);
    mb_strips_begin(&strips, lambda);
    for (int sweep = 0; sweep < 5; sweep++) mb_strips_sweep(&strips, lambda);
    // kept from push to push, and begun anew
    for (size_t i = 0; i < ROWS; i++) {
      known[i] = 0;
      for (size_t j = 0; j < ROWS; j++) known[i] += c.W[ROWS * i + j] * lambda[j];
      mb_points_rates(&c.points, strips.state, i, 1, &w[i]);
    }
    test_near("kept", w, known, ROWS, 1e-11);
    for (size_t i = 0; i < ROWS; i++) known[i] += c.b[i] + c.soft[i] * lambda[i];
    mb_strips_rates(&strips, lambda, w);
    test_near("anew", w, known, ROWS, 1e-11);
    mb_free(room.at);
    coupled_free(&c);
  }
}

// Sweeps that the problem takes, hastened or not, and the rates that they come to.
static size_t sweep_to_the_end(const Coupled *c, bool hastened, double rates[ROWS]) {
  enum { MOST = 2000 };
  MbRoom room = {0};
  MbStrips strips;
  MbGaussSeidel sweeps;
  size_t done = 0;
  for (int turn = 0; turn < 2; turn++) {
    room = (MbRoom){.at = turn ? mb_calloc(room.used, 1) : NULL};
    mb_strips_make(&strips, &room, &c->problem, MB_UNFORMED);
    mb_gauss_make(&sweeps, &room, &strips, 1);
    if (hastened) mb_gauss_hasten(&sweeps, &room);
  }
  cr_assert(mb_gauss_run(&sweeps, MOST, &done), "%zu sweeps leave %g", done, sweeps.natural);
  memcpy(rates, sweeps.w, ROWS * sizeof *rates);
  mb_free(room.at);
  return done;
}

// What is coupled all with all is taken too far by sweeps that solve each contact alone: a part of the way, and averages, need fewer.
Test(contact_points, sweeps_that_are_hastened_are_fewer_and_come_to_the_same) {
  static double plain[ROWS], hastened[ROWS];
  for (size_t way = 0; way < WAYS; way += BRANCHES) {
    Coupled c = coupled(way);
    c.problem.W = (MbContactOperator){.points = &c.points};
    c.problem.tolerance = 1e-9;
    const size_t many = sweep_to_the_end(&c, false, plain), few = sweep_to_the_end(&c, true, hastened);
    printf("  %zu sweeps, hastened %zu\n", many, few);
    cr_expect_lt(2 * few, many, "%zu sweeps, hastened %zu", many, few);
    test_near("rates", hastened, plain, ROWS, 1e-6);
    MbContactWork work = {0};
    MbContactAnswer answer;
    cr_assert(mb_contact_reserve(&work, &mb_contact_auto, &c.problem));
    cr_expect_eq(mb_contact_solve(&mb_contact_auto, &work, &c.problem, &answer), MB_CONTACT_SOLVED);
    cr_expect_eq(answer.iterations, few, "auto begins with these: %zu", answer.iterations);
    mb_contact_work_free(&work);
    coupled_free(&c);
  }
}

Test(contact_points, methods_come_to_what_they_come_to_with_the_matrix, TEST_LONG) {
  static const char *const names[] = {"auto", "gauss_seidel", "nonsmooth_newton"};
  enum { NAMES = 3 };
  for (size_t m = 0; m < 2 * NAMES; m++) {
    Coupled c = coupled(m < NAMES ? 0 : TABLE);
    const MbContactMethod *method = mb_contact_method(names[m % NAMES]);
    static double first[ROWS], rates[ROWS];
    c.problem.tolerance = 1e-11;
    for (int formed = 0; formed < 2; formed++) {
      MbContactWork work = {0};
      MbContactAnswer answer;
      c.problem.W = formed ? (MbContactOperator){.dense = c.W} : (MbContactOperator){.points = &c.points};
      cr_assert(mb_contact_reserve(&work, method, &c.problem));
      cr_expect_eq(mb_contact_solve(method, &work, &c.problem, &answer), MB_CONTACT_SOLVED, "%s: %s",
                   names[m % NAMES], answer.why);
      for (size_t i = 0; i < ROWS; i++) rates[i] = answer.w[i];
      if (!formed) memcpy(first, rates, sizeof first);
      test_near(names[m % NAMES], rates, first, ROWS, 1e-8);
      mb_contact_work_free(&work);
    }
    coupled_free(&c);
  }
}
