// Contacts of deformables as they are found: who their ends are, what friction they have, and their order.
#include "core/base/alloc.h"
#include "core/base/sort.h"
#include "core/sim/touch.h"

void mb_touch_end(const MbSim *sim, MbTouch *touch, const MbTouchSurface *surface, uint32_t node,
                  double weight) {
  const size_t end = surface->end[node], n = touch->nends;
  if (weight == 0) return;
  if (end < sim->model->nb && surface->fixed[node]) return; // a body that pins hold
  touch->end[n] = end, touch->weight[n] = weight;
  touch->nends++;
}

void mb_touch_end_solid(const MbSim *sim, MbTouch *touch, uint32_t solid) {
  const MbContacts *rules = &sim->model->contacts;
  const size_t body = rules->solids[solid].body;
  if (rules->moved[body] != MB_WORLD) touch->end[touch->nends] = body, touch->weight[touch->nends++] = 1;
}

void mb_touch_close(MbTouch *touch) {
  for (size_t k = touch->nends; k < 2; k++) touch->end[k] = MB_WORLD, touch->weight[k] = 0;
  if (touch->nends < 2) touch->nends = 2;
}

double mb_touch_friction(const MbSim *sim, size_t k, uint32_t other) {
  const MbContacts *rules = sim->touching->rules;
  const MbDeformableSurface *surface = &rules->surfaces[k];
  const bool solid = other < rules->nsolids;
  const size_t own = sim->model->nb + surface->deformable,
               with = solid ? rules->solids[other].body
                            : sim->model->nb + rules->surfaces[other - rules->nsolids].deformable;
  const MbBodyRule *rule = rules->nrules ? mb_touch_rule(rules, own, with) : NULL;
  if (rule && !isnan(rule->friction)) return rule->friction;
  return sqrt(surface->friction *
              (solid ? rules->solids[other].friction : rules->surfaces[other - rules->nsolids].friction));
}

void mb_touch_gather(MbTouching *t) { t->found.n = 0; }

MbTouch *mb_touch_gathered(MbTouching *t) {
  if (!mb_grow(&t->found.touch, &t->found.room, t->found.n + 1, sizeof *t->found.touch)) return NULL;
  MbTouch *touch = &t->found.touch[t->found.n++];
  *touch = (MbTouch){0};
  return touch;
}

// What was found before comes before where the features are the same.
static bool follows(const void *context, uint32_t i, uint32_t j) {
  const MbTouches *found = context;
  const MbTouch *x = &found->touch[i], *y = &found->touch[j];
  if (x->feature_a != y->feature_a) return x->feature_a > y->feature_a;
  return x->feature_b != y->feature_b ? x->feature_b > y->feature_b : i > j;
}

bool mb_touch_add_gathered(MbTouching *t) {
  const MbTouches *found = &t->found;
  MbTouches *next = &t->next;
  if (!found->n) return true;
  if (!mb_grow(&t->turn, &t->turn_room, found->n, sizeof *t->turn) ||
      !mb_grow(&next->touch, &next->room, next->n + found->n, sizeof *next->touch))
    return false;
  mb_sort_numbers(t->turn, found->n, follows, found);
  const size_t first = next->n;
  for (size_t i = 0; i < found->n; i++) {
    const MbTouch *touch = &found->touch[t->turn[i]],
                  *before = next->n > first ? &next->touch[next->n - 1] : NULL;
    if (before && before->feature_a == touch->feature_a && before->feature_b == touch->feature_b) continue;
    next->touch[next->n++] = *touch;
  }
  return true;
}
