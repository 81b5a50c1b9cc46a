// `auto`: no single method solves every problem, and the quickest differs. W falls into islands, blocks that have to do with one
// another; each is solved by itself, by Gauss–Seidel first (few sweeps are enough where the last step's λ are near), then by Newton's
// method from there, then of bodies that nothing else couples by the proximal one, which in large islands comes after sweeps alone, as many as cost some of its factors, then by
// ADMM, then in small islands by Newton's method from the start and from no impulses, as what has gone astray may not get back, then by sweeps
// and Newton's method with more patience, by interior points, which of bodies come before all that takes long, and at last by staggered projections, which come to an end now and then where none of these does. The first λ that is good enough is
// taken; where none is, the best. Contacts of deformables begin with sweeps that are hastened (gauss_seidel.c). Small islands in which something slips then share their loads evenly (sharing.c).
//
// Rows both ways and one way alone are pivoting's, which is exact for them. Boxes and pyramids go to pivoting last, unless others of the
// contacts have exact cones, which it does not take.
#include "core/contact/contact_auto.h"
#include "core/contact/admm.h"
#include "core/contact/contact_dense.h"
#include "core/contact/contact_factor.h"
#include "core/contact/contact_pivoting.h"
#include "core/contact/gauss_seidel.h"
#include "core/contact/interior.h"
#include "core/contact/nonsmooth_newton.h"
#include "core/contact/proximal.h"
#include "core/contact/sharing.h"
#include "core/contact/staggered.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool is_pivoting(const MbContactProblem *problem) {
  if (problem->sweeps) return false;
  bool contacts = problem->ncontacts > 0, bounded = false;
  for (size_t i = 0; i < problem->n; i++) bounded |= problem->kind[i] == MB_CONTACT_BOUNDED;
  return !contacts && !bounded;
}

// Whether pivoting may be asked in the end.
static bool ends_by_pivoting(const MbContactProblem *problem) {
  bool corners = false;
  for (size_t i = 0; i < problem->ncontacts; i++) {
    if (problem->contact[i].cone == MB_CONE_EXACT) return false;
    corners |= problem->contact[i].cone != MB_CONE_NONE;
  }
  return corners && !mb_contact_pivoting_refuses(problem);
}

// ---- one island -------------------------------------------------------------------------------------------

typedef struct Auto {
  const MbContactProblem *problem;
  MbBodyFactor *bodies;
  MbStrips whole;
  double *lambda, *w;      // (n) of the whole
  uint32_t *root;          // (nblocks) union-find
  uint32_t *holder;        // (nslots) a block of each slot
  uint32_t *order, *begin; // (nblocks), (nblocks + 1) blocks by island
  uint32_t *owner, *rows;  // (n) each row's block; its place in its island
  double *best;            // (n) of the island
  double *start, *other;   // (n) of the island: where it has begun; what is tried from there or from none
  size_t iterations;
  const char *method;
} Auto;

typedef enum Who { GAUSS_SEIDEL, HASTENED, PROXIMAL, NEWTON, INTERIOR, STAGGERED, ADMM, METHODS } Who;
static const char *const names[METHODS] = {"gauss_seidel", "gauss_seidel", "proximal", "nonsmooth_newton",
                                           "interior",     "staggered",    "admm"};

typedef union Method {
  MbGaussSeidel gauss;
  MbProximal proximal;
  MbNewton newton;
  MbInterior interior;
  MbStaggered staggered;
  MbAdmm admm;
} Method;

// Lays out a method over strips of the problem, and returns where its λ is.
static double *make(Method *m, Who who, MbRoom *room, const MbStrips *strips, const MbContactProblem *problem,
                    MbBodyFactor *bodies) {
  switch (who) {
  case GAUSS_SEIDEL:
  case HASTENED:
    mb_gauss_make(&m->gauss, room, strips, problem->threads);
    if (who == HASTENED) mb_gauss_hasten(&m->gauss, room);
    return m->gauss.lambda;
  case PROXIMAL:
    mb_proximal_make(&m->proximal, room, strips, bodies);
    return m->proximal.lambda;
  case NEWTON:
    mb_newton_make(&m->newton, room, strips, problem->function);
    return m->newton.lambda;
  case INTERIOR:
    mb_interior_make(&m->interior, room, strips, bodies);
    return m->interior.lambda;
  case STAGGERED:
    mb_staggered_make(&m->staggered, room, strips, problem->function);
    return m->staggered.lambda;
  default:
    mb_admm_make(&m->admm, room, strips);
    return m->admm.lambda;
  }
}

static bool iterate(Method *m, Who who, size_t most, size_t *done) {
  switch (who) {
  case GAUSS_SEIDEL:
  case HASTENED:
    return mb_gauss_run(&m->gauss, most, done);
  case PROXIMAL:
    return mb_proximal_run(&m->proximal, most, done);
  case NEWTON:
    return mb_newton_run(&m->newton, most, 1, done);
  case INTERIOR:
    return mb_interior_run(&m->interior, most, done);
  case STAGGERED:
    return mb_staggered_run(&m->staggered, most, done);
  default:
    return mb_admm_run(&m->admm, most, done);
  }
}

// Runs one method on an island from λ, which it makes better. True: it is good enough.
static bool run(Auto *t, const MbStrips *island, MbRoom room, Who who, size_t most, double *lambda) {
  Method method;
  size_t done = 0;
  double *own = make(&method, who, &room, island, t->problem, t->bodies);
  memcpy(own, lambda, island->n * sizeof *lambda);
  const bool fine = iterate(&method, who, most, &done);
  memcpy(lambda, own, island->n * sizeof *lambda);
  t->method = names[who];
  t->iterations += done;
  return fine;
}

// What is left may be that share of what the island itself asks for, whatever others do.
static void sweep_island(Auto *t, MbStrips *island, const MbRoom *room, double *lambda) {
  enum { MANY = 200, FEW = 30 };
  const size_t asked = t->problem->iterations;
  double sum = 0;
  for (size_t j = 0; j < island->nblocks; j++) {
    const double b = island->b[island->block[j].row],
                 asks = island->block[j].kind == MB_CONTACT_ONE_WAY ? fmin(b, 0) : b;
    sum += asks * asks;
  }
  island->enough = t->problem->tolerance * sqrt(sum);
  run(t, island, *room, GAUSS_SEIDEL, island->nblocks > MANY && asked > FEW ? FEW : asked, lambda);
}

// Few rows that held in the last step, as λ says: mostly they still do, and then a step of Newton's method is enough, which costs as much as few
// sweeps; it leaves so little that what sticks does not creep. λ stays where it was if two steps do not do, or if something comes to slip.
static bool hold_from_last(Auto *t, const MbStrips *formed, MbRoom room, double *lambda) {
  enum { STEPS = 2 };
  static const double LITTLE = 1e-3, // of what is enough
      SLOW = 0.1;
  MbNewton newton;
  size_t done = 0;
  mb_newton_make(&newton, &room, formed, t->problem->function);
  mb_strips_rates(formed, lambda, newton.w);
  if (!mb_strips_stick(formed, lambda, newton.w, SLOW)) return false;
  newton.refines = true, newton.alpha = 1e-6;
  memcpy(newton.lambda, lambda, formed->n * sizeof *lambda);
  const bool fine =
      mb_newton_run(&newton, STEPS, LITTLE, &done) && mb_strips_stick(formed, newton.lambda, newton.w, 0);
  if (fine) memcpy(lambda, newton.lambda, formed->n * sizeof *lambda);
  t->method = names[NEWTON];
  t->iterations += done;
  return fine;
}

// λ of few rows is good enough; a step or two of Newton's method take away nearly all that is left, at little cost, so that blows are those of theory
// far beyond the tolerance. λ stays where it was if they do not.
static void refine(Auto *t, const MbStrips *formed, MbRoom room, double *lambda) {
  enum { STEPS = 2 };
  static const double LITTLE = 1e-4, // of what is enough
      FINE = 1e-11;                  // what asks for less is left as it is
  MbStrips finer = *formed;
  MbNewton newton;
  size_t done = 0;
  if (!(t->problem->tolerance > FINE)) return;
  finer.enough *= LITTLE;
  mb_newton_make(&newton, &room, &finer, t->problem->function);
  newton.refines = true, newton.alpha = 1e-6;
  memcpy(newton.lambda, lambda, formed->n * sizeof *lambda);
  if (mb_newton_run(&newton, STEPS, 1, &done)) memcpy(lambda, newton.lambda, formed->n * sizeof *lambda);
  t->iterations += done;
}

// Of more rows what rests is refined, once: the next steps begin there. So forces of what lies are those that statics wants. What rests has begun all
// but good enough, so that methods have had next to nothing to do.
static void refine_rest(Auto *t, const MbStrips *island, MbStrips *formed, bool same, MbRoom room,
                        double *lambda) {
  enum { MOST = 128 };               // rows
  static const double NEARLY = 0.01; // of what is enough: what is as good as that stays
  double *w = t->other;
  if (island->n > MOST) return;
  mb_strips_rates(island, lambda, w);
  if (mb_strips_natural(island, lambda, w) <= NEARLY * island->enough) return;
  if (!mb_strips_stick(island, lambda, w, 0)) return;
  if (!same) mb_factor_form(formed, &room, island);
  refine(t, formed, room, lambda);
}

// Loads of what slips are shared evenly; `follows`: as in the last step.
static bool share(Auto *t, const MbStrips *formed, MbRoom room, bool follows, double *lambda) {
  size_t done;
  const bool fine = mb_sharing_run(formed, room, t->problem->function, follows, lambda, &done);
  if (fine) t->method = names[NEWTON];
  t->iterations += done;
  return fine;
}

// Where a turn begins: where the one before has ended, where the island has begun, or at none. One that has gone astray leaves the next where
// that may not get away from.
typedef enum From { GOES_ON, ANEW, FROM_NONE } From;
typedef struct Turn {
  Who who;
  size_t most;
  From from;
} Turn;

// A step of Newton's method costs as much as some ten sweeps where it is factored, some hundred where it is not.
static const Turn of_small[] =
    {{GAUSS_SEIDEL, 40, GOES_ON},   {NEWTON, 40, GOES_ON},  {PROXIMAL, 300, GOES_ON},
     {ADMM, 400, GOES_ON},          {NEWTON, 40, ANEW},     {NEWTON, 40, FROM_NONE},
     {GAUSS_SEIDEL, 1000, GOES_ON}, {NEWTON, 200, GOES_ON}, {INTERIOR, 300, GOES_ON},
     {STAGGERED, 100, GOES_ON},     {ADMM, 5000, GOES_ON},  {0}},
                  of_large[] = {{GAUSS_SEIDEL, 100, GOES_ON}, {GAUSS_SEIDEL, 800, GOES_ON},
                                {NEWTON, 30, GOES_ON},        {GAUSS_SEIDEL, 5000, GOES_ON},
                                {NEWTON, 100, GOES_ON},       {STAGGERED, 30, GOES_ON},
                                {ADMM, 300, GOES_ON},         {0}},
                  of_points[] = {{HASTENED, 300, GOES_ON}, {GAUSS_SEIDEL, 800, GOES_ON},
                                 {NEWTON, 30, GOES_ON},    {GAUSS_SEIDEL, 5000, GOES_ON},
                                 {NEWTON, 100, GOES_ON},   {STAGGERED, 30, GOES_ON},
                                 {ADMM, 300, GOES_ON},     {0}},
                  of_dense[] = {{GAUSS_SEIDEL, 100, GOES_ON},  {NEWTON, 40, GOES_ON},
                                {GAUSS_SEIDEL, 800, GOES_ON},  {NEWTON, 200, GOES_ON},
                                {GAUSS_SEIDEL, 5000, GOES_ON}, {STAGGERED, 30, GOES_ON},
                                {ADMM, 300, GOES_ON},          {0}},
                  of_bodies[] = {{GAUSS_SEIDEL, 400, GOES_ON}, // as many as pay
                                 {PROXIMAL, 300, GOES_ON},      {PROXIMAL, 300, FROM_NONE},
                                 {INTERIOR, 600, GOES_ON},      {PROXIMAL, 100, GOES_ON},
                                 {GAUSS_SEIDEL, 800, GOES_ON},  {NEWTON, 30, GOES_ON},
                                 {GAUSS_SEIDEL, 5000, GOES_ON}, {NEWTON, 100, GOES_ON},
                                 {ADMM, 300, GOES_ON},          {0}};

// Takes a turn; what it comes to is not gone on with where it has begun elsewhere and is not good enough.
static bool take_turn(Auto *t, const MbStrips *island, MbRoom room, const Turn *turn, size_t most,
                      double *lambda) {
  if (turn->from == GOES_ON) return run(t, island, room, turn->who, most, lambda);
  if (turn->from == ANEW)
    memcpy(t->other, t->start, island->n * sizeof *t->other);
  else
    memset(t->other, 0, island->n * sizeof *t->other);
  const bool fine = run(t, island, room, turn->who, most, t->other);
  if (fine) memcpy(lambda, t->other, island->n * sizeof *lambda);
  return fine;
}

// How many sweeps are worth it before all bodies of an island are solved for together: a block's sweep costs as much as a product of two blocks of
// the factor, and what these many sweeps leave takes the proximal method more turns less than they cost.
static size_t sweeps_before(const Auto *t, const MbStrips *island) {
  enum { FACTORS = 3, LEAST = 20 };
  const size_t products = mb_body_factor_products(t->bodies, mb_body_sums_group(island, t->bodies)),
               some = FACTORS * products / island->nblocks;
  return some > LEAST ? some : LEAST;
}

// The most iterations of a turn.
static size_t most_of(const Auto *t, const MbStrips *island, const Turn *plan, const Turn *turn) {
  enum {
    LAST =
        25, // times what is asked for: the last turn, and interior points, may take more, as nothing else has come to an end
    CHEAP = 2 // sweeps before a factor of all bodies
  };
  const bool last = !turn[1].most || turn->who == INTERIOR, before = plan == of_bodies && turn == plan;
  const size_t asked = t->problem->iterations * (last     ? LAST
                                                 : before ? CHEAP
                                                          : 1),
               most = asked && asked < turn->most ? asked : turn->most;
  const size_t some = before ? sweeps_before(t, island) : most;
  return some < most ? some : most;
}

static void solve_island(Auto *t, MbStrips *island, const MbRoom *room, double *lambda) {
  enum {
    REFINED = 36, // rows
    AT_ONCE = 2   // iterations of what rests
  };
  if (t->problem->sweeps) {
    sweep_island(t, island, room, lambda);
    return;
  }
  const bool few = island->n <= MB_SHARED;
  MbRoom left = *room;
  MbStrips formed = *island;
  bool same = !island->F || island->n > MB_SMALL;
  if (few && !same) {
    mb_factor_form(&formed, &left, island);
    same = true;
  }
  if (few && (hold_from_last(t, &formed, left, lambda) || share(t, &formed, left, true, lambda))) return;
  memcpy(t->start, lambda, island->n * sizeof *lambda);
  const size_t before = t->iterations;
  const Turn *plan = island->n <= MB_SMALL                   ? of_small
                     : island->points                        ? of_points
                     : mb_body_sums_takes(island, t->bodies) ? of_bodies
                     : mb_strips_factored(island)            ? of_dense
                                                             : of_large;
  for (const Turn *turn = plan; turn->most; turn++) {
    const bool unformed = turn->who == GAUSS_SEIDEL || turn->who == HASTENED || turn->who == PROXIMAL;
    if (turn->who == PROXIMAL && !mb_body_sums_takes(island, t->bodies)) continue;
    if (!unformed && !same) {
      mb_factor_form(&formed, &left, island);
      same = true;
    }
    if (turn->who == INTERIOR && !mb_interior_takes(&formed, t->bodies)) continue;
    const size_t most = most_of(t, island, plan, turn);
    if (!take_turn(t, unformed ? island : &formed, left, turn, most, lambda)) continue;
    if (few && share(t, &formed, left, false, lambda)) return;
    if (island->n <= REFINED)
      refine(t, &formed, left, lambda);
    else if (t->iterations <= before + AT_ONCE)
      refine_rest(t, island, &formed, same, left, lambda);
    return;
  }
}

// ---- islands ----------------------------------------------------------------------------------------------

static uint32_t find(uint32_t *root, uint32_t j) {
  while (root[j] != j) j = root[j] = root[root[j]];
  return j;
}

static void join(uint32_t *root, uint32_t a, uint32_t b) {
  a = find(root, a), b = find(root, b);
  root[a > b ? a : b] = a > b ? b : a;
}

// Sorts the blocks by island, islands by their first block. Returns how many there are.
static size_t sort(Auto *t) {
  const MbStrips *s = &t->whole;
  const bool formed = !s->F && !s->points;
  size_t islands = 0;
  if (formed && s->nblocks && s->first[1] == s->n) return 1; // the first block has to do with all
  for (size_t j = 0; j < s->nblocks; j++) {
    t->root[j] = (uint32_t)j;
    for (size_t r = 0; r < s->block[j].rows; r++) t->owner[s->block[j].row + r] = (uint32_t)j;
  }
  for (size_t k = 0; k < s->nslots && s->F; k++) t->holder[k] = UINT32_MAX;
  for (size_t j = 0; j < s->nblocks; j++) {
    uint32_t last = (uint32_t)j;                       // of a contact's three columns one is enough
    if (s->points && j) join(t->root, (uint32_t)j, 0); // they couple all with all
    for (size_t k = formed ? s->first[j] : 0; k < (formed ? s->first[j + 1] : 0); k++) {
      const uint32_t owner = t->owner[s->column[k]];
      if (owner != last) join(t->root, (uint32_t)j, owner);
      last = owner;
    }
    for (int end = 0; end < 2 && s->F; end++) {
      if (s->slot[j][end] == s->nslots) continue;
      uint32_t *holder = &t->holder[s->slot[j][end]];
      if (*holder == UINT32_MAX)
        *holder = (uint32_t)j;
      else
        join(t->root, (uint32_t)j, *holder);
    }
  }
  // an island's number in place of its root's; a root comes before all others of its island
  for (size_t j = 0; j < s->nblocks; j++) {
    const uint32_t root = find(t->root, (uint32_t)j);
    t->order[j] = root == j ? (uint32_t)islands++ : t->order[root];
  }
  memset(t->begin, 0, (islands + 1) * sizeof *t->begin);
  for (size_t j = 0; j < s->nblocks; j++) t->begin[t->order[j] + 1]++;
  for (size_t i = 0; i < islands; i++) t->begin[i + 1] += t->begin[i];
  for (size_t j = s->nblocks; j-- > 0;) t->root[j] = t->order[j];
  // root: the island of each block; begin is moved on while it is filled, then back
  for (size_t j = 0; j < s->nblocks; j++) t->order[t->begin[t->root[j]]++] = (uint32_t)j;
  for (size_t i = islands; i > 0; i--) t->begin[i] = t->begin[i - 1];
  t->begin[0] = 0;
  return islands;
}

static void layout(Auto *t, MbRoom *room, const MbContactProblem *problem) {
  *t = (Auto){.problem = problem};
  mb_strips_make(&t->whole, room, problem, MB_UNFORMED);
  t->lambda = mb_room_take(room, problem->n, sizeof *t->lambda);
  t->w = mb_room_take(room, problem->n, sizeof *t->w);
  t->best = mb_room_take(room, problem->n, sizeof *t->best);
  t->start = mb_room_take(room, problem->n, sizeof *t->start);
  t->other = mb_room_take(room, problem->n, sizeof *t->other);
  t->root = mb_room_take(room, t->whole.nblocks, sizeof *t->root);
  t->holder = mb_room_take(room, t->whole.nslots, sizeof *t->holder);
  t->order = mb_room_take(room, t->whole.nblocks, sizeof *t->order);
  t->begin = mb_room_take(room, t->whole.nblocks + 1, sizeof *t->begin);
  t->owner = mb_room_take(room, problem->n, sizeof *t->owner);
  t->rows = mb_room_take(room, problem->n, sizeof *t->rows);
}

// The most that any of the methods takes for a part of n rows.
static size_t most_room(const MbStrips *whole, const MbContactProblem *problem, size_t n) {
  MbStrips strips = *whole;
  strips.nblocks = whole->nblocks < n ? whole->nblocks : n;
  strips.n = n;
  size_t most = 0;
  for (Who who = 0; who < METHODS; who++) {
    Method method;
    MbRoom room = {0};
    if (who == INTERIOR && !strips.F && n > MB_SMALL) continue; // it is not asked for such
    make(&method, who, &room, &strips, problem, NULL);
    most = room.used > most ? room.used : most;
  }
  return most;
}

static size_t room_of(const MbContactProblem *problem) {
  MbRoom room = {0};
  Auto t;
  if (is_pivoting(problem)) return mb_contact_pivoting_room(problem);
  layout(&t, &room, problem);
  if (problem->sweeps) {
    MbGaussSeidel sweeps;
    MbRoom own = {0};
    mb_gauss_make(&sweeps, &own, &t.whole, 1);
    return 2 * room.used + own.used;
  }
  // an island may be all of it, and as large as what is solved densely
  const size_t whole = most_room(&t.whole, problem, problem->n),
               small = problem->n > MB_SMALL ? most_room(&t.whole, problem, MB_SMALL) : 0,
               large = problem->n > MB_NEWTON_DENSE ? most_room(&t.whole, problem, MB_NEWTON_DENSE) : 0,
               dense = small > large ? small : large;

  // and formed
  if (mb_factor_is(problem)) {
    MbStrips part = t.whole, formed = t.whole;
    part.n = part.n < MB_SMALL ? part.n : MB_SMALL;
    part.nblocks = part.nblocks < part.n ? part.nblocks : part.n;
    mb_factor_form(&formed, &room, &part);
  }
  const size_t all = 2 * room.used + (whole > dense ? whole : dense);
  const size_t pivoting = ends_by_pivoting(problem) ? mb_contact_pivoting_room(problem) : 0;
  return pivoting > all ? pivoting : all;
}

static bool reserve(MbContactWork *work, const MbContactProblem *problem) {
  if (is_pivoting(problem)) return mb_contact_pivoting_reserve(work, problem);
  if (problem->sweeps) return true;
  if (mb_factor_is(problem) && !mb_body_factor_analyse(&work->bodies, problem)) return false;
  return mb_contact_reserve_dense(work, problem);
}

static MbContactResult solve(MbContactWork *work, const MbContactProblem *problem, MbContactAnswer *answer) {
  MbRoom room = {.at = work->block};
  Auto t;
  if (is_pivoting(problem)) return mb_contact_pivoting_solve(work, problem, answer);
  layout(&t, &room, problem);
  t.bodies = &work->bodies;
  mb_strips_start(&t.whole, problem, t.lambda);
  const size_t islands = sort(&t);
  if (islands == 1)
    solve_island(&t, &t.whole, &room, t.lambda);
  else
    for (size_t i = 0; i < islands; i++) {
      const uint32_t *blocks = t.order + t.begin[i];
      const size_t count = t.begin[i + 1] - t.begin[i];
      MbRoom own = room;
      MbStrips island;
      uint32_t rows = 0;
      for (size_t k = 0; k < count; k++)
        for (size_t r = 0; r < t.whole.block[blocks[k]].rows; r++)
          t.rows[t.whole.block[blocks[k]].row + r] = rows++;
      mb_strips_part(&island, &own, &t.whole, blocks, count, t.rows);
      for (size_t k = 0; k < count; k++)
        memcpy(t.best + island.block[k].row, t.lambda + t.whole.block[blocks[k]].row,
               island.block[k].rows * sizeof *t.best);
      solve_island(&t, &island, &own, t.best);
      for (size_t k = 0; k < count; k++)
        memcpy(t.lambda + t.whole.block[blocks[k]].row, t.best + island.block[k].row,
               island.block[k].rows * sizeof *t.best);
    }
  mb_strips_rates(&t.whole, t.lambda, t.w);
  answer->iterations = t.iterations;
  MbContactResult result =
      mb_contact_tell(&t.whole, t.lambda, t.w, islands == 1 ? t.method : "auto", "iterations", answer);
  if (result == MB_CONTACT_SOLVED) return result;
  if (ends_by_pivoting(problem)) return mb_contact_pivoting_solve(work, problem, answer);
  snprintf(answer->why, sizeof answer->why,
           "gauss_seidel, nonsmooth_newton, interior points, staggered and admm come to a natural map of "
           "%.3g of |b|",
           answer->natural);
  return result;
}

const MbContactMethod mb_contact_auto = {
    .name = "auto",
    .exact = "rows of every kind and every cone",
    .rows = MB_CONTACT_ALL_ROWS,
    .cones = MB_CONTACT_ALL_CONES,
    .room = room_of,
    .reserve = reserve,
    .solve = solve,
};
