// Quasi-Newton steps with a limited memory (Liu, Bouaziz, Kavan 2017) on the matrix of local-global iterations: with g the gradient
// of what a step minimises, E, and H⁻¹ = h² A⁻¹ as the last steps' pairs (s, y) correct it (pairs.c),
//
//   d = −H⁻¹ g,  q ← q + t d,  s = t d,  y = g⁺ − g
//
// A is at least as stiff as the elements are at rest, so that h² A⁻¹ alone, a local-global iteration whose dual is the stress itself,
// goes down slowly but surely; the pairs tell how soft it really is. t = 1, or what a line search on E finds: a decrease by Armijo's
// rule, or, where rounding hides the decrease, by its slope (Hager and Zhang's approximate condition). Every iterate has less energy
// than the one before.
//
// A caller's unknowns (bodies) stand beside the nodes in g, d and the pairs, and rows G v between all of them push with impulses λ:
//
//   d = H⁻¹ (−g + Gᵀ λ)  such that the rows hold at q + d
//
// As H is positive d goes down along E − λᵀ G d, which is what the line search looks at: for rows that hold at both ends the second
// part is nothing, for soft ones and for those of one way it is never less than what they gain themselves. What the caller's unknowns have
// of E is quadratic along d (MbPdAlong).
//
// Nothing is kept from step to step.
#include "core/base/alloc.h"
#include "core/base/targets.h"
#include "core/base/threads.h"
#include "core/math/sums.h"
#include "core/math/vec3.h"
#include "core/solvers/projective/pd_lbfgs.h"

#include <math.h>
#include <string.h>

enum { NODES = 1024, TRIALS = 60 }; // nodes that are summed up together
static const double ARMIJO = 1e-4, ROUNDING = 1e-13;
static const double TIGHT = 1e-13; // corrections by the size: the least that means anything

// ---- making and freeing -----------------------------------------------------------------------------------

bool mb_pd_lbfgs_make(MbPdEngine *engine) {
  MbPdLbfgs *lbfgs = engine->lbfgs = mb_calloc(1, sizeof *lbfgs);
  if (!lbfgs) return false;
  // vectors are the mover's
  const bool own = !engine->elsewhere;
  const size_t n = lbfgs->n = (own ? 3 * engine->nfree : 0) + engine->beside;
  bool ok = mb_pairs_make(&lbfgs->pairs, n);
  lbfgs->chunks = (n + 3 * NODES - 1) / (3 * NODES);
  for (size_t k = 0; k < 3; k++) {
    lbfgs->sum[k] = mb_calloc(lbfgs->chunks, sizeof(double));
    ok = ok && lbfgs->sum[k];
  }
  lbfgs->b = mb_calloc(n, sizeof(double));
  lbfgs->b1 = mb_calloc(n, sizeof(double));
  lbfgs->z = mb_calloc(n, sizeof(double));
  lbfgs->q1 = mb_calloc(own ? engine->n : 0, 3 * sizeof(double));
  return ok && lbfgs->b && lbfgs->b1 && lbfgs->z && lbfgs->q1;
}

void mb_pd_lbfgs_free(MbPdLbfgs *lbfgs) {
  if (!lbfgs) return;
  mb_pairs_free(&lbfgs->pairs);
  for (size_t k = 0; k < 3; k++) mb_free(lbfgs->sum[k]);
  mb_free(lbfgs->b);
  mb_free(lbfgs->b1);
  mb_free(lbfgs->z);
  mb_free(lbfgs->q1);
  mb_free(lbfgs);
}

size_t mb_pd_lbfgs_bytes(const MbPdEngine *engine) {
  const MbPdLbfgs *lbfgs = engine->lbfgs;
  if (!lbfgs) return 0;
  return sizeof *lbfgs + mb_pairs_bytes(&lbfgs->pairs) +
         (3 * lbfgs->n + (engine->elsewhere ? 0 : 3 * engine->n) + 3 * lbfgs->chunks) * sizeof(double);
}

// ---- the inverse ------------------------------------------------------------------------------------------

void mb_pd_lbfgs_begin(MbPdEngine *engine) {
  mb_pairs_begin(&engine->lbfgs->pairs);
  MbPdLbfgs *lbfgs = engine->lbfgs;
  const size_t first = mb_pd_first_beside(engine);
  lbfgs->known = lbfgs->pending = false, lbfgs->level = 0, lbfgs->least = INFINITY;
  for (size_t i = first; i < lbfgs->n; i++) lbfgs->b[i] = lbfgs->b1[i] = engine->r[i] = 0;
}

// a · b by chunks.
typedef struct Product {
  const MbPdLbfgs *lbfgs;
  const double *a, *b;
} Product;

MB_CLONES static void product_task(void *context, size_t chunk) {
  const Product *const of = context;
  const size_t begin = 3 * NODES * chunk, n = of->lbfgs->n,
               end = begin + 3 * NODES < n ? begin + 3 * NODES : n;
  of->lbfgs->sum[0][chunk] = mb_sum_product(of->a + begin, of->b + begin, end - begin);
}

static double add_up(const MbPdLbfgs *lbfgs, int which) {
  double sum = 0;
  for (size_t k = 0; k < lbfgs->chunks; k++) sum += lbfgs->sum[which][k];
  return sum;
}

double mb_pd_lbfgs_product(MbPdEngine *engine) {
  Product of = {engine->lbfgs, engine->r, engine->lbfgs->b};
  mb_parallel_tasks(engine->threads, engine->lbfgs->chunks, product_task, &of);
  return add_up(engine->lbfgs, 0);
}

MB_CLONES static void scale_task(void *context, size_t chunk) {
  MbPdEngine *engine = context;
  const size_t begin = 3 * NODES * chunk, all = 3 * engine->nfree,
               end = begin + 3 * NODES < all ? begin + 3 * NODES : all;
  const double h2 = engine->h * engine->h, *b = engine->lbfgs->b;
  double *restrict r = engine->r;
  MB_SIMD
  for (size_t c = begin; c < end; c++) r[c] = h2 * b[c];
}

// r ← h² A⁻¹ b of the nodes.
void mb_pd_lbfgs_find(MbPdEngine *engine) {
  const double began = engine->clock();
  if (engine->newton) {
    memcpy(engine->r, engine->lbfgs->b, 3 * engine->nfree * sizeof *engine->r);
    mb_pd_newton_solve(engine->newton, engine->r); // its factor is that of A/h²
  } else {
    mb_parallel_tasks(engine->threads, (engine->nfree + NODES - 1) / NODES, scale_task, engine);
    mb_pd_global_solve(&engine->global, engine->r);
  }
  engine->stats.global += engine->clock() - began;
}

void mb_pd_lbfgs_solve(MbPdEngine *engine) { engine->mover->solve(engine); }

// ---- what is minimised ------------------------------------------------------------------------------------

// What is no number is not larger.
static inline double larger(double a, double b) { return b > a ? b : a; }

// The pair's s ← t d, q1 ← q + s, and the largest move of each chunk of nodes.
typedef struct Trial {
  MbPdEngine *engine;
  double t;
} Trial;

MB_CLONES static void move_task(void *context, size_t chunk) {
  const Trial *const trial = context;
  const MbPdEngine *engine = trial->engine;
  MbPdLbfgs *lbfgs = engine->lbfgs;
  const size_t begin = NODES * chunk, end = begin + NODES < engine->nfree ? begin + NODES : engine->nfree;
  const size_t last = 3 * (begin + NODES) < lbfgs->n ? 3 * (begin + NODES) : lbfgs->n;
  const double t = trial->t, *r = engine->r, *q = engine->q;
  double *restrict q1 = lbfgs->q1, *restrict s = lbfgs->pairs.s[lbfgs->pairs.next], most[8] = {0};
  MB_SIMD
  for (size_t i = 3 * begin; i < last; i++) s[i] = t * r[i];
  size_t i = 3 * begin;
  for (; i + 8 <= 3 * end; i += 8)
    for (size_t k = 0; k < 8; k++) most[k] = larger(most[k], fabs(s[i + k]));
  for (; i < 3 * end; i++) most[0] = larger(most[0], fabs(s[i]));
  for (size_t k = 1; k < 8; k++) most[0] = larger(most[0], most[k]);
  for (size_t n = begin; n < end; n++)
    mb_vec3_add(q1 + 3 * (size_t)engine->node[n], q + 3 * (size_t)engine->node[n], s + 3 * n);
  lbfgs->sum[2][chunk] = most[0];
}

// b1 ← M/h² (q̃ − q1) + f, which is 0 along axes that are placed; by chunks the inertia's part of E, and b1 · d.
MB_CLONES static void slope_task(void *context, size_t chunk) {
  const Trial *const trial = context;
  const MbPdEngine *engine = trial->engine;
  MbPdLbfgs *lbfgs = engine->lbfgs;
  const size_t begin = NODES * chunk, end = begin + NODES < engine->nfree ? begin + NODES : engine->nfree;
  const double h2 = engine->h * engine->h, *ahead = engine->ahead, *q1 = lbfgs->q1, *f = engine->f,
               *r = engine->r;
  double *restrict b1 = lbfgs->b1, energy = 0, along = 0;
  for (size_t n = begin; n < end; n++) {
    const size_t i = engine->node[n];
    const double k = engine->inertia[i] / h2;
    const unsigned axes = engine->placed[i];
    for (size_t c = 0; c < 3; c++) {
      const double away = ahead[3 * i + c] - q1[3 * i + c];
      const double b = axes >> c & 1 ? 0 : k * away + f[3 * i + c];
      b1[3 * n + c] = b;
      energy += 0.5 * k * away * away;
      along += b * r[3 * n + c];
    }
  }
  lbfgs->sum[0][chunk] = energy, lbfgs->sum[1][chunk] = along;
}

// E and −∂E/∂q at q1; *along: the latter along d.
static double evaluate(MbPdEngine *engine, double *along) {
  MbPdLbfgs *lbfgs = engine->lbfgs;
  Trial trial = {engine, 0};
  double energy = mb_pd_evaluate(engine, lbfgs->q1, engine->f);
  if (engine->cables) {
    mb_pd_cables_pull(engine, lbfgs->q1, engine->f);
    energy += mb_pd_cables_potential(engine, lbfgs->q1);
  }
  mb_parallel_tasks(engine->threads, lbfgs->chunks, slope_task, &trial);
  *along = add_up(lbfgs, 1);
  return energy + add_up(lbfgs, 0);
}

double mb_pd_lbfgs_attempt(MbPdEngine *engine, double t, double *along, double *most) {
  const MbPdLbfgs *lbfgs = engine->lbfgs;
  Trial trial = {engine, t};
  mb_parallel_tasks(engine->threads, lbfgs->chunks, move_task, &trial);
  *most = 0;
  for (size_t i = 0; i < lbfgs->chunks; i++) *most = fmax(*most, lbfgs->sum[2][i]);
  return evaluate(engine, along);
}

// ---- a step -----------------------------------------------------------------------------------------------

typedef struct Taken {
  double t;            // of d; 0: nothing goes down
  double energy, most; // the largest move of a node
} Taken;

// `down` = −(E − λᵀ G d)' > 0. Of lengths that fall short the next comes from the parabola through what is known.
static Taken search(MbPdEngine *engine, double down, const MbPdAlong *beside) {
  MbPdLbfgs *lbfgs = engine->lbfgs;
  const double before = lbfgs->energy;
  double t = 1;
  for (int k = 0; k < TRIALS; k++) {
    double along, most;
    const double mine = engine->mover->attempt(engine, t, &along, &most);
    const double energy = mine - mb_pd_along(beside, t);
    along += beside->down - t * beside->curve;
    engine->stats.trials++;
    if (energy <= before - ARMIJO * t * down) return (Taken){t, mine, most};
    // where rounding hides a decrease its slope tells it; what is too short for either is taken whole
    const bool level = energy <= before + ROUNDING * fabs(before);
    if (isfinite(energy) && level && -along <= (1 - 2 * ARMIJO) * down) return (Taken){t, mine, most};
    if (isfinite(energy) && most <= TIGHT * engine->size) return (Taken){t, mine, most};
    const double rise = energy - before + t * down;
    const double next = isfinite(rise) && rise > 0 ? down * t * t / (2 * rise) : 0;
    t = fmin(fmax(next, 0.1 * t), 0.5 * t);
  }
  return (Taken){0, lbfgs->energy, 0};
}

// Goes to the trial, which is the pair's other end.
void mb_pd_lbfgs_accept(MbPdEngine *engine) {
  MbPdLbfgs *lbfgs = engine->lbfgs;
  double *b = lbfgs->b, *q = engine->q;
  lbfgs->b = lbfgs->b1, lbfgs->b1 = b;
  engine->q = lbfgs->q1, lbfgs->q1 = q;
}

// ---- an iteration -----------------------------------------------------------------------------------------

double mb_pd_lbfgs_slope(MbPdEngine *engine) {
  MbPdLbfgs *lbfgs = engine->lbfgs;
  double along;
  memcpy(lbfgs->q1, engine->q, 3 * engine->n * sizeof *engine->q);
  const double energy = evaluate(engine, &along);
  double *b = lbfgs->b;
  lbfgs->b = lbfgs->b1, lbfgs->b1 = b;
  return energy;
}

bool mb_pd_lbfgs_look(MbPdEngine *engine) {
  MbPdLbfgs *lbfgs = engine->lbfgs;
  if (lbfgs->known) return true;
  lbfgs->energy = engine->mover->look(engine);
  lbfgs->known = isfinite(lbfgs->energy);
  return lbfgs->known;
}

double *mb_pd_lbfgs_down(MbPdEngine *engine) { return engine->lbfgs->b; }

void mb_pd_lbfgs_bend(MbPdEngine *engine) {
  engine->mover->bend(engine, engine->lbfgs->pending);
  engine->lbfgs->pending = false;
}

void mb_pd_lbfgs_correct(MbPdEngine *engine, bool pair) {
  MbPdLbfgs *lbfgs = engine->lbfgs;
  double w[MB_PAIR_WEIGHTS];
  if (pair) {
    mb_pairs_take(&lbfgs->pairs, lbfgs->b1, lbfgs->b, lbfgs->z, engine->r, engine->threads, lbfgs->c);
  } else {
    memcpy(lbfgs->z, engine->r, lbfgs->n * sizeof *lbfgs->z);
    mb_pairs_look(&lbfgs->pairs, lbfgs->b, engine->threads, lbfgs->c);
  }
  mb_pairs_weigh(&lbfgs->pairs, lbfgs->c, w);
  mb_pairs_add(&lbfgs->pairs, w, 0, lbfgs->n, engine->threads, engine->r);
}

void mb_pd_lbfgs_push(MbPdEngine *engine, const double c[MB_PAIR_WEIGHTS]) {
  MbPdLbfgs *lbfgs = engine->lbfgs;
  double w[MB_PAIR_WEIGHTS];
  mb_pairs_weigh(&lbfgs->pairs, c, w);
  engine->mover->bend_by(engine, w);
  for (size_t k = 0; k < MB_PAIR_WEIGHTS; k++) lbfgs->c[k] += c[k];
}

void mb_pd_lbfgs_bend_by(MbPdEngine *engine, const double w[MB_PAIR_WEIGHTS]) {
  mb_pairs_add(&engine->lbfgs->pairs, w, 0, 3 * engine->nfree, engine->threads, engine->r);
}

MbPairs *mb_pd_lbfgs_pairs(const MbPdEngine *engine) { return &engine->lbfgs->pairs; }
const double *mb_pd_lbfgs_weights(const MbPdEngine *engine) { return engine->lbfgs->c; }

// Whether the last iterations got no nearer, but went up and down in what numbers hold and rows are solved to: a step that begins where it
// ends, as all do at rest, takes next to nothing off the energy, and a share of that is never found.
static bool all_level(MbPdLbfgs *lbfgs, double most, double part) {
  enum { IN_A_ROW = 5 };
  static const double SLIGHT = 5e-9, HIDDEN = 1e-11,
                      SAME = 0.9; // of the size; of the energy; of the least part
  const bool slight = most <= SLIGHT && part <= HIDDEN * fabs(lbfgs->energy);
  lbfgs->level = slight && part >= SAME * lbfgs->least ? lbfgs->level + 1 : 0;
  lbfgs->least = fmin(lbfgs->least, part);
  return lbfgs->level >= IN_A_ROW;
}

// Whether the iterations may end, of which the last has moved a node by `most` and was worth `part` of energy.
static bool done(MbPdEngine *engine, double most, double part) {
  const bool goes = mb_pd_way_goes(&engine->way, part, engine->share) && most <= MB_PD_SHORT;
  const bool near = all_level(engine->lbfgs, most, part) || goes;
  const bool still = engine->tolerance > 0 ? most <= engine->tolerance : engine->share > 0;
  return most <= TIGHT || (still && (near || !(engine->share > 0)));
}

bool mb_pd_lbfgs_end(MbPdEngine *engine, const MbPdAlong *beside, double *taken_t) {
  MbPdLbfgs *lbfgs = engine->lbfgs;
  MbNodeStats *stats = &engine->stats;
  const double before = lbfgs->energy;
  const double down = engine->mover->down(engine) + beside->rows;
  if (!isfinite(down)) return false;
  const Taken taken = search(engine, fmax(down, 0), beside);
  *taken_t = taken.t;
  engine->stuck = !(taken.t > 0); // nothing goes further down
  if (engine->stuck) return true;
  engine->mover->accept(engine);
  lbfgs->pending = true, lbfgs->energy = taken.energy;
  const double most = taken.most / engine->size;
  const double part = fmax(before - lbfgs->energy + mb_pd_along(beside, taken.t), 0);
  stats->residual = engine->history[stats->iterations++] = most;
  stats->converged = done(engine, most, part);
  if (engine->watch) engine->watch(engine->context, engine->q);
  return true;
}
