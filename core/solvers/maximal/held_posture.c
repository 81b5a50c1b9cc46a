// The articulated form of one instance, and many rows at once. What it does is in held_kernels.h.
#define MB_LANES 1
#include "core/solvers/maximal/held_work.h"

bool mb_held_posture_factor(MbHeld *held, const MbMaximal *x, double a, double b, size_t *blame) {
  return held->kernels->factor(held, x, (const double[]){a, b}, blame);
}

void mb_held_posture_solve(MbHeld *held, double *x, double *b) { held->kernels->solve(held, x, b); }

// ---- many rows at once ------------------------------------------------------------------------------------

bool mb_held_posture_reserve(MbHeldPosture *w, size_t rows) {
  mb_responses_free(w->responses);
  w->responses = mb_responses_create(w->links, rows);
  return w->responses;
}

// A force along a coordinate is V's wrench on the body and what answers it on the parent.
static void add_along(MbHeld *held, size_t row, size_t k, double force) {
  MbHeldPosture *w = held->posture;
  const size_t b = held->owner[k], p = held->up[b];
  double own[6], other[6] = {0};
  for (size_t i = 0; i < 6; i++) own[i] = force * held->V[6 * k + i];
  mb_responses_add(w->responses, &w->posture, row, b, own);
  if (p == MB_WORLD) return;
  mb_held_up(&held->X[b], -1, own, other);
  mb_responses_add(w->responses, &w->posture, row, p, other);
}

bool mb_held_posture_responses(MbHeld *held, size_t k, const MbRow *const *row, double *W) {
  MbHeldPosture *w = held->posture;
  if (!mb_responses_apply(w->responses)) return false;
  mb_responses_begin(w->responses);
  for (size_t i = 0; i < k; i++)
    for (int end = 0; end < 2; end++) {
      if (row[i]->body[end] != MB_WORLD)
        mb_responses_add(w->responses, &w->posture, i, row[i]->body[end], row[i]->H[end]);
      if (row[i]->c[end] != 0) add_along(held, i, row[i]->v[end], row[i]->c[end]);
    }
  mb_responses_solve(w->responses, &w->posture, k, W);
  return true;
}
