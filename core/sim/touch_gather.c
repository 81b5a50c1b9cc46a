// Contacts of deformables as they are found: who their ends are, what friction they have, and their order.
#include "core/base/alloc.h"
#include "core/base/sort.h"
#include "core/sim/touch.h"

MbTouchEnds *mb_touch_begin_ends(MbTouches *list, MbTouch *touch) {
  if (!mb_grow(&list->ends, &list->ends_room, list->nends + 1, sizeof *list->ends)) return NULL;
  MbTouchEnds *ends = &list->ends[list->nends];
  *ends = (MbTouchEnds){0};
  touch->ends = (uint32_t)list->nends++;
  return ends;
}

void mb_touch_end(const MbSim *sim, MbTouchEnds *ends, const MbTouchSurface *surface, uint32_t node,
                  double weight) {
  const size_t end = surface->end[node];
  if (weight == 0) return;
  if (end < sim->model->nb && surface->fixed[node]) return; // a body that pins hold
  ends->end[ends->n] = end, ends->weight[ends->n] = weight;
  ends->n++;
}

void mb_touch_end_solid(const MbSim *sim, MbTouchEnds *ends, uint32_t solid) {
  const MbContacts *rules = &sim->model->contacts;
  const size_t body = rules->solids[solid].body;
  if (rules->moved[body] != MB_WORLD) ends->end[ends->n] = body, ends->weight[ends->n++] = 1;
}

void mb_touch_close(MbTouchEnds *ends) {
  for (size_t k = ends->n; k < 2; k++) ends->end[k] = MB_WORLD, ends->weight[k] = 0;
  if (ends->n < 2) ends->n = 2;
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

void mb_touch_gather(MbTouching *t) { t->found.n = t->found.nends = 0; }

MbTouch *mb_touch_gathered(MbTouching *t) {
  if (!mb_grow(&t->found.touch, &t->found.room, t->found.n + 1, sizeof *t->found.touch)) return NULL;
  MbTouch *touch = &t->found.touch[t->found.n++];
  *touch = (MbTouch){0};
  return mb_touch_begin_ends(&t->found, touch) ? touch : NULL;
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
    MbTouch *made = &next->touch[next->n++];
    *made = *touch;
    MbTouchEnds *ends = mb_touch_begin_ends(next, made);
    if (!ends) return false;
    *ends = *mb_touch_ends(found, touch);
  }
  return true;
}
