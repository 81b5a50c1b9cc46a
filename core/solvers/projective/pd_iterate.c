// What the iterations of all methods share: the energy that they take down, how a correction becomes the iterate's, and when what is
// left is little enough.
#include "core/base/threads.h"
#include "core/solvers/projective/pd_engine.h"

#include <math.h>

double mb_pd_objective(const MbPdEngine *engine, const double *q) {
  const double h2 = engine->h * engine->h;
  double energy = mb_pd_potential(engine, q);
  for (size_t f = 0; f < engine->nfree; f++) {
    const size_t i = engine->node[f];
    for (size_t c = 3 * i; c < 3 * i + 3; c++)
      energy += engine->inertia[i] * (q[c] - engine->ahead[c]) * (q[c] - engine->ahead[c]) / (2 * h2);
  }
  return engine->cables ? energy + mb_pd_cables_potential(engine, q) : energy;
}

enum { STRIPS = 16 }; // in which nodes are moved, whatever the number of threads
typedef struct Moves {
  MbPdEngine *engine;
  double scale, most[STRIPS], sum[STRIPS];
} Moves;

static void move_strip(void *context, size_t strip) {
  Moves *const to = context;
  MbPdEngine *const engine = to->engine;
  double most = 0, sum = 0;
  for (size_t f = engine->nfree * strip / STRIPS; f < engine->nfree * (strip + 1) / STRIPS; f++) {
    double *x = engine->q + 3 * (size_t)engine->node[f];
    for (size_t k = 0; k < 3; k++) {
      const double move = to->scale * engine->r[3 * f + k];
      x[k] += move;
      sum += 0 * x[k]; // not a number where x is none
      most = fmax(most, fabs(move));
    }
  }
  to->most[strip] = most, to->sum[strip] = sum;
}

double mb_pd_advance(MbPdEngine *engine, double scale) {
  enum { FEW = 4096 }; // nodes that are not worth a second thread
  Moves moves = {.engine = engine, .scale = scale};
  double most = 0, sum = 0;
  mb_parallel_tasks(engine->nfree < FEW ? 1 : engine->threads, STRIPS, move_strip, &moves);
  for (size_t k = 0; k < STRIPS; k++) most = fmax(most, moves.most[k]), sum += moves.sum[k];
  return most / engine->size + sum;
}

bool mb_pd_way_goes(MbPdWay *way, double part, double share) {
  static const double FASTEST = 0.2, SLOWEST = 0.999;
  way->last[2] = way->last[1], way->last[1] = way->last[0], way->last[0] = part;
  way->whole += part, way->count++;
  if (way->count < 2 || !(part > 0)) return part == 0;
  const double *last = way->last;
  const double ratio = way->count > 2 && last[2] > 0 ? sqrt(part / last[2]) : part / last[1];
  const double rate = fmin(fmax(ratio, FASTEST), SLOWEST);
  return fmax(part, rate * last[1]) * rate / (1 - rate) <= share * way->whole;
}
