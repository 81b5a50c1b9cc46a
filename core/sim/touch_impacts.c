// A frame tells of all impacts since the frame before it. So they are kept from step to step, and go into checkpoints.
#include "core/sim/touch_impacts.h"
#include "core/base/alloc.h"
#include "core/sim/touch.h"

#include <string.h>

enum { NUMBERS = sizeof(MbImpact) / sizeof(double) };

// ---- steps --------------------------------------------------------------------------------------------------

bool mb_impacts_reserve(MbImpacts *impacts, size_t contacts) {
  return !impacts->wanted ||
         mb_grow(&impacts->impact, &impacts->room, impacts->kept + contacts, sizeof *impacts->impact);
}

void mb_impacts_begin(MbImpacts *impacts) { impacts->n = impacts->kept; }

void mb_impacts_note(MbImpacts *impacts, const MbTouch *touch, const double lambda[3], double before,
                     double threshold, double t) {
  double axis[3][3];
  if (!impacts->wanted || !(-before > threshold)) return;
  MbImpact *impact = &impacts->impact[impacts->n++];
  *impact = (MbImpact){.a = touch->a, .b = touch->b, .time = t, .speed = -before, .impulse = lambda[0]};
  mb_vec3_copy(impact->point, touch->point);
  mb_vec3_copy(impact->normal, touch->normal);
  mb_touch_axes(touch->normal, axis);
  mb_vec3_add_scaled(impact->friction, impact->friction, lambda[1], axis[1]);
  mb_vec3_add_scaled(impact->friction, impact->friction, lambda[2], axis[2]);
}

void mb_impacts_commit(MbImpacts *impacts, int64_t step) {
  const size_t old = mb_plan_frame_due(&impacts->plan, step) ? impacts->kept : 0;
  if (old) memmove(impacts->impact, impacts->impact + old, (impacts->n - old) * sizeof *impacts->impact);
  impacts->kept = impacts->n -= old;
}

// ---- checkpoints --------------------------------------------------------------------------------------------

static size_t count(const MbSim *sim) { return sim->touching ? sim->touching->impacts.kept : 0; }

size_t mb_impacts_numbers(const MbSim *sim) { return NUMBERS * count(sim); }

void mb_impacts_write(const MbSim *sim, unsigned char *out) {
  const size_t n = count(sim);
  if (n) memcpy(out, sim->touching->impacts.impact, n * sizeof(MbImpact));
}

bool mb_impacts_fit(const MbSim *sim, const unsigned char *p, size_t count) {
  const size_t n = count / NUMBERS;
  if (count % NUMBERS || (n && !sim->touching)) return false;
  for (size_t i = 0; i < n; i++) {
    MbImpact impact;
    double x[NUMBERS];
    memcpy(x, p + i * sizeof x, sizeof x);
    memcpy(&impact, x, sizeof x);
    for (size_t k = 0; k < NUMBERS; k++)
      if (!isfinite(x[k])) return false;
    const double things = (double)(sim->touching->rules->nsolids + sim->touching->nsurfaces);
    if (!(impact.a >= 0 && impact.a < things && impact.b >= 0 && impact.b < things)) return false;
  }
  if (!n) return true;
  MbTouching *t = sim->touching;
  return mb_grow(&t->impacts.impact, &t->impacts.room, n, sizeof *t->impacts.impact) &&
         mb_grow(&t->turn, &t->turn_room, n, sizeof *t->turn);
}

void mb_impacts_read(MbSim *sim, const unsigned char *p, size_t count) {
  if (!sim->touching) return;
  MbImpacts *impacts = &sim->touching->impacts;
  impacts->kept = impacts->n = count / NUMBERS;
  if (impacts->n) memcpy(impacts->impact, p, impacts->n * sizeof *impacts->impact);
}
