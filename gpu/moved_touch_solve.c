// Contacts solved for on a device: the non-smooth Newton method as core/contact/nonsmooth_newton.c has it, its steps by conjugate residuals
// (kernels/touch_newton.h). What is decided is decided here, by sums that come back twice a step: how far a step goes, and how good λ is.
//
// A step's equations are solved by a few directions, and by more in the next step where these have left much. Where no step makes |F| smaller the
// processor's method sweeps; here all contacts go to the nearest point of their cones at once, as far as the energy falls.
#include "core/base/alloc.h"
#include "gpu/moved_touch.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double SETTLED = 1e-5;           // of what is enough: a start that is left as it is
static const double ENOUGH = 1e-3;            // see `shorten` of the processor's
static const double MUCH = 0.3, LITTLE = 0.1; // of |F| that directions leave
enum { MOST_STEPS = 30, FEW = 5, MORE = 5, ASIDE = 3 };

typedef struct Solving {
  MbMoved *moved;
  struct MbMovedTouch *touch;
  MbTouchArgs a;
  const MbContactProblem *problem;
  double enough, size; // of the natural map; |b|
  double best, alpha;
  uint32_t directions;
  size_t done, most;
} Solving;

// ---- launches ---------------------------------------------------------------------------------------------

static void run(const Solving *s, MbKernel kernel, size_t n) {
  s->moved->on->run(s->moved->gpu, kernel, n, &s->a);
}
#define CONTACTS(s, name) run(s, MB_RUN_mb_hit_##name, (s)->a.contacts)
#define ROWS(s, name)     run(s, MB_RUN_mb_hit_##name, (s)->a.rows)

// W x, which the next kernel sees contact by contact.
static void multiply(Solving *s, const double *x) {
  s->a.in = x;
  run(s, MB_RUN_mb_hit_push, s->a.points);
  run(s, MB_RUN_mb_hit_gather, s->a.numbers);
  run(s, MB_RUN_mb_hit_product, s->a.points);
}

// Sums of contacts come back: `count` of them.
static void look(Solving *s, MbKernel kernel, size_t count, double *sum) {
  const size_t somes = s->a.somes;
  double *told = s->touch->told;
  run(s, kernel, somes);
  s->moved->on->get(s->moved->gpu, told, s->a.told, count * somes * sizeof *told);
  for (size_t k = 0; k < count; k++) {
    sum[k] = s->moved->on->fault(s->moved->gpu) ? NAN : 0;
    for (size_t i = 0; i < somes; i++) sum[k] += told[k * somes + i];
  }
}

// ---- the problem ------------------------------------------------------------------------------------------

static double norm(const double *x, size_t n) {
  double sum = 0;
  for (size_t i = 0; x && i < n; i++) sum += x[i] * x[i];
  return sqrt(sum);
}

// Round cones, or none.
static bool knows(const MbContactProblem *problem) {
  for (size_t c = 0; c < problem->ncontacts; c++)
    if (problem->contact[c].cone != MB_CONE_EXACT && problem->contact[c].cone != MB_CONE_NONE) return false;
  return !(problem->rho > 0);
}

// to (3 a contact, `width` numbers each) ← rows of the problem, NULL: zeros. Returns what is behind it.
static double *pack(const Solving *s, double *to, const double *from, size_t width) {
  const struct MbMovedTouch *t = s->touch;
  for (size_t c = 0; c < s->a.contacts; c++, to += 3 * width) {
    const size_t rows = t->held[c] ? 1 : 3;
    memset(to, 0, 3 * width * sizeof *to);
    if (from && width) memcpy(to, from + width * t->row[c], rows * width * sizeof *to);
  }
  return to;
}

static void put_problem(Solving *s) {
  const MbContactProblem *problem = s->problem;
  const MbContactPoints *points = problem->W.points;
  const struct MbMovedTouch *t = s->touch;
  const size_t contacts = s->a.contacts;
  const MbContactCone *cone = problem->contact;
  double *to = pack(s, t->pack, problem->b, 1);
  to = pack(s, pack(s, to, problem->soft, 1), problem->start, 1);
  for (size_t c = 0; c < contacts; c++) to[c] = problem->least ? problem->least[t->row[c]] : 0;
  to += contacts;
  for (size_t c = 0; c < contacts; c++, cone += !t->held[c - 1])
    to[c] = t->held[c] ? MB_TOUCH_HELD : cone->cone == MB_CONE_NONE ? 0 : cone->mu;
  to += contacts;
  to = pack(s, pack(s, to, points->V, points->weights), points->NV, points->weights);
  mb_moved_put(s->moved, t->given, t->pack, (size_t)(to - t->pack) * sizeof *to);
}

// Where a problem's vectors are.
static void lay_out(Solving *s) {
  MbTouchArgs *a = &s->a;
  const MbContactPoints *points = s->problem->W.points;
  const size_t n = a->rows, contacts = a->contacts;
  double *at = s->touch->vector;
  double **const vectors[] = {&a->lambda, &a->w,     &a->trial, &a->trial_w, &a->best,
                              &a->step,   &a->along, &a->x,     &a->r};
  for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++, at += n) *vectors[k] = at;
  a->b = s->touch->given, a->soft = a->b + n, a->least = a->b + 3 * n, a->mu = a->least + contacts;
  a->V = a->mu + contacts, a->NV = a->V + n * points->weights;
  a->weights = (uint32_t)points->weights, a->numbers = (uint32_t)(points->weights + 6 * points->nslots);
  a->chunks = (uint32_t)((n + MB_TOUCH_CHUNK - 1) / MB_TOUCH_CHUNK);
  a->somes = (uint32_t)((contacts + MB_TOUCH_SOME - 1) / MB_TOUCH_SOME);
  a->fischer = s->problem->function == MB_CONTACT_FISCHER_BURMEISTER;
}

static void begin(Solving *s) {
  const double tolerance = s->problem->tolerance > 0 ? s->problem->tolerance : 1e-10;
  s->size = norm(s->problem->b, s->problem->n);
  s->enough = fmax(tolerance * s->size, norm(s->problem->slack, s->problem->n));
  s->best = INFINITY, s->alpha = 1e-8, s->directions = FEW, s->done = 0;
  s->most =
      s->problem->iterations && s->problem->iterations < MOST_STEPS ? s->problem->iterations : MOST_STEPS;
  lay_out(s);
  put_problem(s);
  CONTACTS(s, own);
  // λ as it is given stands in `best` for a moment
  s->a.best = s->touch->given + 2 * (size_t)s->a.rows;
  ROWS(s, take);
  s->a.best = s->a.trial_w + s->a.rows;
  CONTACTS(s, clamp);
  ROWS(s, keep);
  ROWS(s, take);
  multiply(s, s->a.lambda);
  CONTACTS(s, rates);
}

// ---- steps ------------------------------------------------------------------------------------------------

// Keeps λ, put where it may be, if it is the best so far.
static void judge(Solving *s) {
  double sum;
  CONTACTS(s, clamp);
  multiply(s, s->a.trial);
  CONTACTS(s, trial_rates);
  look(s, MB_RUN_mb_hit_natural, 1, &sum);
  if (!(sqrt(sum) < s->best)) return;
  s->best = sqrt(sum);
  ROWS(s, keep);
}

// The step; what |F| comes to by parts of it.
static void find_step(Solving *s, double sum[MB_TOUCH_SUMS]) {
  MbTouchArgs *a = &s->a;
  a->alpha = s->alpha;
  CONTACTS(s, look);
  multiply(s, a->step);
  CONTACTS(s, left);
  for (a->basis = 0; a->basis < s->directions; a->basis++) {
    run(s, MB_RUN_mb_hit_next, a->points);
    a->in = a->direction + (size_t)a->basis * a->rows;
    run(s, MB_RUN_mb_hit_gather, a->numbers);
    run(s, MB_RUN_mb_hit_image, a->points);
    run(s, MB_RUN_mb_hit_dots, (a->basis + 2) * (size_t)a->chunks);
  }
  CONTACTS(s, last);
  multiply(s, a->step);
  CONTACTS(s, along);
  look(s, MB_RUN_mb_hit_search, MB_TOUCH_SUMS, sum);
}

// Arguments of other kernels stay as they were: a graph is not changed for a number that they do not read.
static void accept(Solving *s, double t) {
  s->a.t = t;
  ROWS(s, accept);
  s->a.t = 0;
}

static void step_aside(Solving *s) {
  for (int k = 0; k < ASIDE; k++) {
    double sum[2];
    CONTACTS(s, aside);
    multiply(s, s->a.step);
    CONTACTS(s, along);
    look(s, MB_RUN_mb_hit_energy, 2, sum);
    const double t = sum[1] > 0 ? fmin(-sum[0] / sum[1], 1) : 1;
    if (!(t > 0)) return;
    accept(s, t);
  }
}

// Takes the longest part of the step that makes |F| smaller. False: numbers that are not finite.
static bool take_step(Solving *s) {
  static const double SMALL = 1e-8, MORE_ALPHA = 1e-6, MUCH_ALPHA = 1;
  double sum[MB_TOUCH_SUMS], t = 1;
  find_step(s, sum);
  const double size = sqrt(sum[0]), left = sqrt(sum[MB_TOUCH_SUMS - 1]);
  if (!isfinite(size)) return false;
  int k = 1;
  while (k <= MB_TOUCH_TRIES && !(sqrt(sum[k]) <= (1 - ENOUGH * t) * size)) k++, t /= 2;
  if (left > MUCH * size && s->directions + MORE <= MB_TOUCH_BASIS) s->directions += MORE;
  if (left < LITTLE * size && s->directions > FEW) s->directions -= MORE;
  if (k <= MB_TOUCH_TRIES) {
    accept(s, t);
    s->alpha = fmax(t == 1 ? 0.1 * s->alpha : t < 0.1 ? 4 * s->alpha : s->alpha, SMALL);
  } else {
    s->alpha = fmin(fmax(10 * s->alpha, MORE_ALPHA), MUCH_ALPHA);
    step_aside(s);
  }
  return true;
}

// ---- the end ----------------------------------------------------------------------------------------------

static MbContactResult tell(Solving *s, MbContactAnswer *answer) {
  const struct MbMovedTouch *t = s->touch;
  const size_t n = s->a.rows;
  double *lambda = t->answer + 2 * n, *w = lambda + s->problem->n;
  ROWS(s, take);
  multiply(s, s->a.lambda);
  CONTACTS(s, rates);
  s->moved->on->get(s->moved->gpu, t->answer, s->a.lambda, 2 * n * sizeof *lambda);
  for (size_t c = 0; c < s->a.contacts; c++) {
    const size_t size = (t->held[c] ? 1 : 3) * sizeof *lambda;
    memcpy(lambda + t->row[c], t->answer + 3 * c, size);
    memcpy(w + t->row[c], t->answer + n + 3 * c, size);
  }
  *answer = (MbContactAnswer){.lambda = lambda,
                              .w = w,
                              .method = "nonsmooth_newton",
                              .iterations = s->done,
                              .natural = s->size > 0 ? s->best / s->size : s->best};
  if (s->best <= s->enough) return MB_CONTACT_SOLVED;
  snprintf(answer->why, sizeof answer->why, "%zu steps come to a natural map of %.3g of |b|", s->done,
           answer->natural);
  return MB_CONTACT_NOT_CONVERGED;
}

MbContactResult mb_moved_touch_solve(void *context, const MbContactProblem *problem,
                                     MbContactAnswer *answer) {
  MbPdEngine *engine = context;
  MbMoved *moved = engine->moved;
  if (!knows(problem) || !mb_moved_touch_take(moved, engine, problem)) return MB_CONTACT_REFUSED;
  Solving s = {.moved = moved, .touch = moved->touch, .a = moved->touch->args, .problem = problem};
  begin(&s);
  for (;; s.done++) {
    judge(&s);
    const bool stays = s.done || !problem->betters || s.best <= SETTLED * s.enough;
    if ((s.best <= s.enough && stays) || s.done >= s.most || !isfinite(s.best)) break;
    if (!take_step(&s)) break;
  }
  return tell(&s, answer);
}
