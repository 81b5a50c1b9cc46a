// Quasi-Newton steps with a limited memory (Liu, Bouaziz, Kavan 2017) on the matrix of local-global iterations: with g the gradient
// of what a step minimises, E, and H₀ = h² A⁻¹,
//
//   d = −H g,  q ← q + t d,  s = t d,  y = g⁺ − g
//
// where H is H₀ as the last pairs (s, y) correct it (Nocedal and Wright, algorithm 7.4). A is at least as stiff as the elements are
// at rest, so that H₀ alone, a local-global iteration whose dual is the stress itself, goes down slowly but surely; the pairs
// tell how soft it really is. t = 1, or what a line search on E finds: a decrease by Armijo's rule, or, where rounding hides
// the decrease, by its slope (Hager and Zhang's approximate condition). Every iterate has less energy than the one before.
//
// Cables that keep their length bend d as they bend Newton's correction, with H for the inverse (soft_cables.c); E is then what
// Newton's line search sees, and y the difference of the Lagrangian's gradients, with the tensions of the step.
//
// Nothing is kept from step to step.
#include "core/base/alloc.h"
#include "core/base/threads.h"
#include "core/solvers/projective/soft_engine.h"

#include <math.h>
#include <string.h>

enum { PAIRS = 5, NODES = 1024, TRIALS = 60 }; // nodes that are summed up together
static const double ARMIJO = 1e-4, ROUNDING = 1e-13, NEAR = 1e-6;
static const double TIGHT = 1e-13; // corrections by the size: the least that means anything

struct MbSoftLbfgs {
  size_t count, next;              // pairs that are there; where the next one goes
  double *s[PAIRS], *y[PAIRS];     // (nfree x 3)
  double rho[PAIRS], alpha[PAIRS]; // 1/(s · y)
  double *b, *b1;                  // (nfree x 3) −g at the iterate and at a trial
  double *q1;                      // (nodes x 3) the trial
  size_t chunks;                   // of free nodes
  double *sum[3];                  // (chunks) sums over each
  double energy;                   // at the iterate, without that of cables
};

// ---- making and freeing -----------------------------------------------------------------------------------

bool mb_soft_lbfgs_make(MbSoftEngine *engine) {
  MbSoftLbfgs *lbfgs = engine->lbfgs = mb_calloc(1, sizeof *lbfgs);
  if (!lbfgs) return false;
  const size_t n = 3 * engine->nfree;
  bool ok = true;
  for (size_t k = 0; k < PAIRS; k++) {
    lbfgs->s[k] = mb_calloc(n, sizeof(double));
    lbfgs->y[k] = mb_calloc(n, sizeof(double));
    ok = ok && lbfgs->s[k] && lbfgs->y[k];
  }
  lbfgs->chunks = (engine->nfree + NODES - 1) / NODES;
  for (size_t k = 0; k < 3; k++) {
    lbfgs->sum[k] = mb_calloc(lbfgs->chunks, sizeof(double));
    ok = ok && lbfgs->sum[k];
  }
  lbfgs->b = mb_calloc(n, sizeof(double));
  lbfgs->b1 = mb_calloc(n, sizeof(double));
  lbfgs->q1 = mb_calloc(engine->n, 3 * sizeof(double));
  return ok && lbfgs->b && lbfgs->b1 && lbfgs->q1;
}

void mb_soft_lbfgs_free(MbSoftLbfgs *lbfgs) {
  if (!lbfgs) return;
  for (size_t k = 0; k < PAIRS; k++) mb_free(lbfgs->s[k]), mb_free(lbfgs->y[k]);
  for (size_t k = 0; k < 3; k++) mb_free(lbfgs->sum[k]);
  mb_free(lbfgs->b);
  mb_free(lbfgs->b1);
  mb_free(lbfgs->q1);
  mb_free(lbfgs);
}

size_t mb_soft_lbfgs_bytes(const MbSoftEngine *engine) {
  const MbSoftLbfgs *lbfgs = engine->lbfgs;
  if (!lbfgs) return 0;
  return sizeof *lbfgs +
         (3 * (engine->nfree * (2 * PAIRS + 2) + engine->n) + 3 * lbfgs->chunks) * sizeof(double);
}

// ---- vectors ----------------------------------------------------------------------------------------------

// to ← factor (to + scale add), and its product with `with`, by chunks.
typedef struct Mix {
  size_t n;
  double *to, factor, scale;
  const double *add, *with; // either may be NULL
  double *sum;
} Mix;

static double product(const double *a, const double *b, size_t n) {
  double lane[8] = {0}, sum = 0;
  for (size_t i = 0; i + 8 <= n; i += 8)
    for (size_t k = 0; k < 8; k++) lane[k] += a[i + k] * b[i + k];
  for (size_t i = n / 8 * 8; i < n; i++) sum += a[i] * b[i];
  for (size_t k = 0; k < 8; k++) sum += lane[k];
  return sum;
}

static void mix_task(void *context, size_t chunk) {
  const Mix *const mix = context;
  const size_t begin = 3 * NODES * chunk, end = begin + 3 * NODES < mix->n ? begin + 3 * NODES : mix->n;
  double *restrict to = mix->to;
  if (mix->add)
    for (size_t i = begin; i < end; i++) to[i] = mix->factor * (to[i] + mix->scale * mix->add[i]);
  else if (mix->factor != 1)
    for (size_t i = begin; i < end; i++) to[i] *= mix->factor;
  if (mix->with) mix->sum[chunk] = product(to + begin, mix->with + begin, end - begin);
}

static double add_up(const MbSoftLbfgs *lbfgs, int which) {
  double sum = 0;
  for (size_t k = 0; k < lbfgs->chunks; k++) sum += lbfgs->sum[which][k];
  return sum;
}

static double mixed(const MbSoftEngine *engine, double *to, double factor, double scale, const double *add,
                    const double *with) {
  Mix mix = {3 * engine->nfree, to, factor, scale, add, with, engine->lbfgs->sum[0]};
  mb_parallel_tasks(engine->threads, engine->lbfgs->chunks, mix_task, &mix);
  return with ? add_up(engine->lbfgs, 0) : 0;
}

// x ← H x; its product with `with`.
static double apply(MbSoftEngine *engine, double *x, const double *with) {
  MbSoftLbfgs *lbfgs = engine->lbfgs;
  const double *add = NULL;
  double scale = 0;
  for (size_t k = 0; k < lbfgs->count; k++) { // the newest first
    const size_t i = (lbfgs->next + PAIRS - 1 - k) % PAIRS;
    lbfgs->alpha[i] = lbfgs->rho[i] * mixed(engine, x, 1, scale, add, lbfgs->s[i]);
    add = lbfgs->y[i], scale = -lbfgs->alpha[i];
  }
  mixed(engine, x, engine->h * engine->h, scale, add, NULL);
  const double began = engine->clock();
  mb_soft_global_solve(&engine->global, x);
  engine->stats.global += engine->clock() - began;
  add = NULL, scale = 0;
  for (size_t k = lbfgs->count; k-- > 0;) { // the oldest first
    const size_t i = (lbfgs->next + PAIRS - 1 - k) % PAIRS;
    const double beta = lbfgs->rho[i] * mixed(engine, x, 1, scale, add, lbfgs->y[i]);
    add = lbfgs->s[i], scale = lbfgs->alpha[i] - beta;
  }
  return mixed(engine, x, 1, scale, add, with);
}

void mb_soft_lbfgs_apply(MbSoftEngine *engine, double *x) { apply(engine, x, NULL); }

// ---- what is minimised ------------------------------------------------------------------------------------

// q1 ← q + t d, and the largest move of each chunk.
typedef struct Trial {
  MbSoftEngine *engine;
  double t;
} Trial;

static void move_task(void *context, size_t chunk) {
  const Trial *const trial = context;
  const MbSoftEngine *engine = trial->engine;
  const size_t begin = NODES * chunk, end = begin + NODES < engine->nfree ? begin + NODES : engine->nfree;
  double most = 0;
  for (size_t n = begin; n < end; n++) {
    const size_t i = engine->node[n];
    for (size_t c = 0; c < 3; c++) {
      const double move = trial->t * engine->r[3 * n + c];
      engine->lbfgs->q1[3 * i + c] = engine->q[3 * i + c] + move;
      most = fmax(most, fabs(move));
    }
  }
  engine->lbfgs->sum[2][chunk] = most;
}

// b1 ← M/h² (q̃ − q1) + f, which is 0 along axes that are held; by chunks the inertia's part of E, and b1 · d.
static void slope_task(void *context, size_t chunk) {
  const Trial *const trial = context;
  const MbSoftEngine *engine = trial->engine;
  MbSoftLbfgs *lbfgs = engine->lbfgs;
  const size_t begin = NODES * chunk, end = begin + NODES < engine->nfree ? begin + NODES : engine->nfree;
  const double h2 = engine->h * engine->h;
  double energy = 0, along = 0;
  for (size_t n = begin; n < end; n++) {
    const size_t i = engine->node[n];
    const double k = engine->inertia[i] / h2;
    for (size_t c = 0; c < 3; c++) {
      const double away = engine->ahead[3 * i + c] - lbfgs->q1[3 * i + c];
      const double b = engine->held[i] >> c & 1 ? 0 : k * away + engine->f[3 * i + c];
      lbfgs->b1[3 * n + c] = b;
      energy += 0.5 * k * away * away;
      along += b * engine->r[3 * n + c];
    }
  }
  lbfgs->sum[0][chunk] = energy, lbfgs->sum[1][chunk] = along;
}

// E without that of cables, and −∂E/∂q at q1; *along: the latter along d.
static double evaluate(MbSoftEngine *engine, double *along) {
  MbSoftLbfgs *lbfgs = engine->lbfgs;
  Trial trial = {engine, 0};
  const double energy = mb_soft_evaluate(engine, lbfgs->q1, engine->f);
  if (engine->cables) mb_soft_cables_pull(engine, lbfgs->q1, engine->f);
  mb_parallel_tasks(engine->threads, lbfgs->chunks, slope_task, &trial);
  *along = add_up(lbfgs, 1);
  return energy + add_up(lbfgs, 0);
}

// ---- a step -----------------------------------------------------------------------------------------------

typedef struct Taken {
  double t; // of d; 0: nothing goes down
  double energy;
} Taken;

// `down` = −g · d > 0. Of lengths that fall short the next comes from the parabola through what is known.
static Taken search(MbSoftEngine *engine, double down) {
  MbSoftLbfgs *lbfgs = engine->lbfgs;
  const bool cables = engine->cables != NULL;
  const double before = lbfgs->energy + (cables ? mb_soft_cables_potential(engine, engine->q) : 0);
  double t = 1;
  for (int k = 0; k < TRIALS; k++) {
    Trial trial = {engine, t};
    double along, most = 0;
    mb_parallel_tasks(engine->threads, lbfgs->chunks, move_task, &trial);
    const double mine = evaluate(engine, &along);
    const double energy = mine + (cables ? mb_soft_cables_potential(engine, lbfgs->q1) : 0);
    engine->stats.trials++;
    for (size_t i = 0; i < lbfgs->chunks; i++) most = fmax(most, lbfgs->sum[2][i]);
    if (energy <= before - ARMIJO * t * down) return (Taken){t, mine};
    // where rounding hides a decrease its slope tells it; what is too short for either is taken whole
    const bool level = energy <= before + ROUNDING * fabs(before), near = most <= NEAR * engine->size;
    if (isfinite(energy) && (cables ? near : level && -along <= (1 - 2 * ARMIJO) * down))
      return (Taken){t, mine};
    if (isfinite(energy) && most <= TIGHT * engine->size) return (Taken){t, mine};
    const double rise = energy - before + t * down;
    const double next = isfinite(rise) && rise > 0 ? down * t * t / (2 * rise) : 0;
    t = fmin(fmax(next, 0.1 * t), 0.5 * t);
  }
  return (Taken){0, lbfgs->energy};
}

// s ← t d, y ← b − b1, and their product.
static void pair_task(void *context, size_t chunk) {
  const Trial *const trial = context;
  const MbSoftEngine *engine = trial->engine;
  MbSoftLbfgs *lbfgs = engine->lbfgs;
  const size_t n = 3 * engine->nfree, begin = 3 * NODES * chunk,
               end = begin + 3 * NODES < n ? begin + 3 * NODES : n;
  double *restrict s = lbfgs->s[lbfgs->next], *restrict y = lbfgs->y[lbfgs->next];
  double most = 0;
  for (size_t i = begin; i < end; i++) {
    s[i] = trial->t * engine->r[i];
    y[i] = lbfgs->b[i] - lbfgs->b1[i];
    most = fmax(most, fabs(s[i]));
  }
  lbfgs->sum[0][chunk] = product(s + begin, y + begin, end - begin);
  lbfgs->sum[1][chunk] = product(y + begin, y + begin, end - begin);
  lbfgs->sum[2][chunk] = most;
}

// Goes to the trial, and notes the pair where E curves up along it. Returns the largest move.
static double accept(MbSoftEngine *engine, Taken taken) {
  MbSoftLbfgs *lbfgs = engine->lbfgs;
  Trial trial = {engine, taken.t};
  double most = 0;
  if (engine->cables) mb_soft_cables_hold(engine, -1, lbfgs->b1);
  mb_parallel_tasks(engine->threads, lbfgs->chunks, pair_task, &trial);
  if (engine->cables) mb_soft_cables_hold(engine, 1, lbfgs->b1);
  const double curved = add_up(lbfgs, 0);
  for (size_t k = 0; k < lbfgs->chunks; k++) most = fmax(most, lbfgs->sum[2][k]);
  if (curved > 0 && isfinite(1 / curved)) {
    lbfgs->rho[lbfgs->next] = 1 / curved;
    lbfgs->next = (lbfgs->next + 1) % PAIRS;
    if (lbfgs->count < PAIRS) lbfgs->count++;
  }
  double *b = lbfgs->b, *q = engine->q;
  lbfgs->b = lbfgs->b1, lbfgs->b1 = b;
  engine->q = lbfgs->q1, lbfgs->q1 = q;
  lbfgs->energy = taken.energy;
  return most;
}

// Corrects a direction d for cables that keep their length; what is left of −g · d is what a line search sees of it.
static double bend(MbSoftEngine *engine) {
  MbSoftLbfgs *lbfgs = engine->lbfgs;
  mb_soft_cables_correct(engine);
  const double down = mixed(engine, engine->r, 1, 0, NULL, lbfgs->b) - mb_soft_cables_slope(engine);
  mb_soft_cables_hold(engine, -1, lbfgs->b);
  return down;
}

// Whether the iterations may end, of which the last has moved a node by `most` and was worth `part` of energy.
static bool done(const MbSoftEngine *engine, MbSoftWay *way, double most, double part) {
  const bool near = mb_soft_way_goes(way, part, engine->share) && most <= MB_SOFT_SHORT;
  const bool still = engine->tolerance > 0 ? most <= engine->tolerance : engine->share > 0;
  return most <= TIGHT || (still && (near || !(engine->share > 0)));
}

static bool descend(MbSoftEngine *engine) {
  MbSoftLbfgs *lbfgs = engine->lbfgs;
  MbSoftStats *stats = &engine->stats;
  MbSoftWay way = {0};
  double along;
  lbfgs->count = lbfgs->next = 0;
  memcpy(lbfgs->q1, engine->q, 3 * engine->n * sizeof *engine->q);
  lbfgs->energy = evaluate(engine, &along);
  memcpy(lbfgs->b, lbfgs->b1, 3 * engine->nfree * sizeof *lbfgs->b);
  if (!isfinite(lbfgs->energy)) return false;
  while (mb_soft_goes_on(engine)) {
    const double before = lbfgs->energy;
    memcpy(engine->r, lbfgs->b, 3 * engine->nfree * sizeof *engine->r);
    double down = apply(engine, engine->r, lbfgs->b);
    if (engine->cables) down = bend(engine);
    if (!isfinite(down)) return false;
    const Taken taken = search(engine, fmax(down, 0));
    if (!(taken.t > 0)) break; // nothing goes further down
    const double most = accept(engine, taken) / engine->size;
    // where cables keep their length energy may go up, and the slope tells
    const double part = engine->cables ? taken.t * fmax(down, 0) / 2 : fmax(before - lbfgs->energy, 0);
    stats->residual = engine->history[stats->iterations++] = most;
    stats->converged = done(engine, &way, most, part);
    if (engine->watch) engine->watch(engine->context, engine->q);
  }
  return true;
}

bool mb_soft_lbfgs_step(MbSoftEngine *engine) {
  if (!mb_soft_lead(engine)) return false;
  engine->downhill = true;
  const bool ok = descend(engine);
  engine->downhill = false;
  return ok;
}
