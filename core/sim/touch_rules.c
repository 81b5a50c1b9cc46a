// What the scene says of who may touch whom, and what these are called.
#include "core/sim/touch.h"

const char *mb_touch_name(const MbSim *sim, size_t which) {
  const MbContacts *rules = sim->touching->rules;
  if (which < rules->nsolids) return sim->model->body_name[rules->solids[which].body];
  return sim->model->deformables[rules->surfaces[which - rules->nsolids].deformable].name;
}

const MbBodyRule *mb_touch_rule(const MbContacts *rules, size_t a, size_t b) {
  size_t low = 0, high = rules->nrules;
  if (a > b) {
    const size_t other = a;
    a = b, b = other;
  }
  while (low < high) {
    const size_t middle = (low + high) / 2;
    const MbBodyRule *rule = &rules->rules[middle];
    if (rule->a == a && rule->b == b) return rule;
    if (rule->a < a || (rule->a == a && rule->b < b))
      low = middle + 1;
    else
      high = middle;
  }
  return NULL;
}

// Whether a's joint hangs it on b. The world is no body in this: an arm on a foot of its own may fall onto the ground.
static bool hangs_on(const MbModel *model, const size_t *moved, size_t a, size_t b) {
  if (a == MB_WORLD || b == MB_WORLD || !model->joint[a].ops || model->parent[a] == MB_WORLD) return false;
  return moved[model->parent[a]] == b;
}

bool mb_touch_excludes(const MbTouching *touching, size_t a, size_t b) {
  const MbBodyRule *rule = touching->rules->nrules ? mb_touch_rule(touching->rules, a, b) : NULL;
  return rule && rule->excluded;
}

bool mb_touch_may(const MbTouching *touching, const MbModel *model, size_t a, size_t b) {
  const MbContacts *rules = touching->rules;
  const size_t bodies[2] = {rules->solids[a].body, rules->solids[b].body};
  const size_t p = rules->moved[bodies[0]], q = rules->moved[bodies[1]];
  if (p == q || (touching->driven[a] && touching->driven[b])) return false;
  const MbBodyRule *rule = rules->nrules ? mb_touch_rule(rules, bodies[0], bodies[1]) : NULL;
  if (rule) return !rule->excluded;
  return !hangs_on(model, rules->moved, p, q) && !hangs_on(model, rules->moved, q, p);
}
