// Contacts that pushed in the last step, as a checkpoint has them: of each its solids and features, the point, the normal, the gap, the
// impulses and the rates. What else is known of a contact follows from these and from the model.
#include "core/base/alloc.h"
#include "core/sim/touch.h"

#include <string.h>

enum {
  WHO = 4,
  POINT = WHO,
  NORMAL = POINT + 3,
  GAP = NORMAL + 3,
  LAMBDA,
  RATE = LAMBDA + 3,
  NUMBERS = RATE + 3
};

size_t mb_touch_numbers(const MbSim *sim) { return sim->touching ? NUMBERS * sim->touching->last.n : 0; }

void mb_touch_write(const MbSim *sim, unsigned char *out) {
  for (size_t i = 0; i < sim->touching->last.n; i++) {
    const MbPushed *touch = &sim->touching->last.touch[i];
    double x[NUMBERS] = {touch->a, touch->b, touch->feature_a, touch->feature_b};
    memcpy(x + POINT, touch->point, sizeof touch->point);
    memcpy(x + NORMAL, touch->normal, sizeof touch->normal);
    x[GAP] = touch->gap;
    memcpy(x + LAMBDA, touch->lambda, sizeof touch->lambda);
    memcpy(x + RATE, touch->rate, sizeof touch->rate);
    memcpy(out + i * sizeof x, x, sizeof x);
  }
}

bool mb_touch_fits(const MbSim *sim, const unsigned char *p, size_t count) {
  if (count % NUMBERS || (count && !sim->touching)) return false;
  for (size_t i = 0; i < count; i += NUMBERS) {
    double x[NUMBERS];
    memcpy(x, p + i * sizeof *x, sizeof x);
    for (size_t k = 0; k < NUMBERS; k++)
      if (!isfinite(x[k])) return false;
    for (size_t k = 0; k < WHO; k++)
      if (!(x[k] >= 0 && x[k] <= UINT32_MAX) || x[k] != floor(x[k])) return false;
    const double things = (double)(sim->touching->rules->nsolids + sim->touching->nsurfaces);
    if (!(x[0] < things && x[1] < things)) return false;
  }
  const size_t n = count / NUMBERS;
  MbTouching *t = sim->touching;
  return !n || (mb_grow(&t->last.touch, &t->last.room, n, sizeof(MbPushed)) &&
                mb_grow(&t->turn, &t->turn_room, n, sizeof *t->turn));
}

void mb_touch_read(MbSim *sim, const unsigned char *p, size_t count) {
  MbTouching *t = sim->touching;
  if (!t) return;
  t->last.n = count / NUMBERS;
  t->fresh = false;
  for (size_t i = 0; i < t->last.n; i++) {
    MbPushed *touch = &t->last.touch[i];
    double x[NUMBERS];
    memcpy(x, p + i * sizeof x, sizeof x);
    *touch = (MbPushed){.a = (uint32_t)x[0],
                        .b = (uint32_t)x[1],
                        .feature_a = (uint32_t)x[2],
                        .feature_b = (uint32_t)x[3],
                        .gap = x[GAP]};
    memcpy(touch->point, x + POINT, sizeof touch->point);
    memcpy(touch->normal, x + NORMAL, sizeof touch->normal);
    memcpy(touch->lambda, x + LAMBDA, sizeof touch->lambda);
    memcpy(touch->rate, x + RATE, sizeof touch->rate);
  }
}
