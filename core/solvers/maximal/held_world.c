// The articulated form: its room, and many rows at once. What it does is in held_kernels.h.
#define MB_LANES 1
#include "core/base/alloc.h"
#include "core/solvers/maximal/held_work.h"

void mb_held_world_free(MbHeldWorld *w) {
  if (!w) return;
  if (w->work) w->lanes->free(w->work);
  mb_links_free(&w->links);
  mb_responses_free(w->responses);
  mb_free(w->R);
  mb_free(w->O);
  mb_free(w->arm);
  mb_free(w->whole);
  mb_free(w->across);
  mb_free(w->a);
  mb_free(w->beta);
  mb_free(w->none);
  mb_free(w->rate);
  mb_free(w);
}

MbHeldWorld *mb_held_world_create(const MbModel *model) {
  const size_t nb = model->nb;
  MbHeldWorld *w = mb_calloc(1, sizeof *w);
  if (!w) return NULL;
  w->lanes = mb_lanes_for(1);
  const bool linked = mb_links_create(model, &w->links);
  w->work = linked ? w->lanes->create(&(const MbLinks *){&w->links}) : NULL;
  w->R = mb_calloc(nb, sizeof *w->R);
  w->O = mb_calloc(nb, sizeof *w->O);
  w->arm = mb_calloc(3 * nb, sizeof *w->arm);
  w->whole = mb_calloc(nb, sizeof *w->whole);
  w->across = mb_calloc(2 * nb, sizeof *w->across);
  w->a = mb_calloc(nb, sizeof *w->a);
  w->beta = mb_calloc(nb, sizeof *w->beta);
  w->none = mb_calloc(model->nv, sizeof *w->none);
  w->rate = mb_calloc(model->nv, sizeof *w->rate);
  w->world = (MbWorld){.model = model, .links = &w->links, .work = w->work, .arm = w->arm};
  if (w->work && w->R && w->O && w->arm && w->whole && w->across && w->a && w->beta && w->none && w->rate)
    return w;
  mb_held_world_free(w);
  return NULL;
}

size_t mb_held_world_bytes(const MbHeldWorld *w) {
  return sizeof *w + mb_responses_bytes(w->responses) + mb_links_bytes(&w->links) + w->lanes->bytes(w->work) +
         w->links.nb * (sizeof *w->R + sizeof *w->O + 3 * sizeof *w->arm + sizeof *w->whole +
                        2 * sizeof *w->across + 2 * sizeof *w->a) +
         2 * w->links.nv * sizeof(double);
}

bool mb_held_world_factor(MbHeld *held, const MbMaximal *x, double a, double b, size_t *blame) {
  return held->kernels->factor(held, x, a, b, blame);
}

void mb_held_world_solve(MbHeld *held, double *x, double *b) { held->kernels->solve(held, x, b); }

// ---- many rows at once ------------------------------------------------------------------------------------

bool mb_held_world_reserve(MbHeldWorld *w, size_t rows) {
  mb_responses_free(w->responses);
  w->responses = mb_responses_create(&w->links, rows);
  return w->responses;
}

// A force along a coordinate is V's wrench on the body and what answers it on the parent.
static void add_along(MbHeld *held, size_t row, size_t k, double force) {
  MbHeldWorld *w = held->world;
  const size_t b = held->owner[k], p = held->up[b];
  double own[6], other[6] = {0};
  for (size_t i = 0; i < 6; i++) own[i] = force * held->V[6 * k + i];
  mb_responses_add(w->responses, &w->world, row, b, own);
  if (p == MB_WORLD) return;
  mb_held_up(&held->X[b], -1, own, other);
  mb_responses_add(w->responses, &w->world, row, p, other);
}

void mb_held_world_responses(MbHeld *held, size_t k, const MbRow *const *row, double *W) {
  MbHeldWorld *w = held->world;
  mb_responses_begin(w->responses);
  for (size_t i = 0; i < k; i++)
    for (int end = 0; end < 2; end++) {
      if (row[i]->body[end] != MB_WORLD)
        mb_responses_add(w->responses, &w->world, i, row[i]->body[end], row[i]->H[end]);
      if (row[i]->c[end] != 0) add_along(held, i, row[i]->v[end], row[i]->c[end]);
    }
  mb_responses_solve(w->responses, &w->world, k, W);
}
