// Where contacts of a step are when bodies are moved a little: each that has pushed is found anew, as a step there would find it, with the bodies and nodes that it is about and the weights of these. Those of
// solids are found by pairs, those of deformables one by one, by their features (sensitivity_met_nodes.c).
#include "core/sim/evaluate.h"
#include "core/sim/sensitivity_met.h"

#include <math.h>
#include <string.h>

static const double SAME = 1e-6; // of that size, and of a normal: where contacts are as they were

// That of its features, else the nearest; NULL: none is near.
static const MbContactPoint *same_of(const MbContactPoint *point, int n, const MbPushed *touch) {
  for (int i = 0; i < n; i++)
    if (point[i].feature_a == touch->feature_a && point[i].feature_b == touch->feature_b) return &point[i];
  return mb_met_nearest(point, n, touch);
}

bool mb_met_see(const MbSim *sim, const MbPushes *pushed, size_t first, size_t end, MbSeen *seen) {
  MbContactPoint point[MB_CONTACT_POINTS];
  int n = 0;
  for (size_t i = first; i < end; i++) {
    const MbPushed *touch = &pushed->touch[i];
    if (mb_met_bends(sim, touch)) {
      if (!mb_met_see_nodes(sim, touch, &seen[i])) return false;
      continue;
    }
    if (i == first || touch->a != touch[-1].a || touch->b != touch[-1].b) {
      const MbPlaced a = mb_met_placed(sim, touch->a), b = mb_met_placed(sim, touch->b);
      n = mb_collide_placed(&a, &b, mb_touch_within(sim->touching, touch->a, touch->b), point);
    }
    const MbContactPoint *same = same_of(point, n, touch);
    if (!same) return false;
    mb_vec3_copy(seen[i].point, same->position);
    mb_vec3_copy(seen[i].normal, same->normal);
    seen[i].gap = same->gap;
    mb_met_solids(sim, touch, &seen[i]);
  }
  return true;
}

// Finds what the last look has found of friction and restitution. False: a contact is not there.
static bool rub(const MbSim *sim, const MbPushes *pushed, MbSeen *seen) {
  const MbTouching *t = sim->touching;
  for (size_t i = 0; i < pushed->n; i++) {
    const MbPushed *touch = &pushed->touch[i];
    size_t k = 0;
    if (mb_met_bends(sim, touch)) {
      seen[i].mu = mb_touch_friction(sim, touch->a - t->rules->nsolids, touch->b), seen[i].bounce = 0;
      continue;
    }
    while (k < t->next.n && (t->next.touch[k].a != touch->a || t->next.touch[k].b != touch->b)) k++;
    if (k == t->next.n) return false;
    seen[i].mu = t->next.touch[k].mu, seen[i].bounce = t->next.touch[k].bounce;
  }
  return true;
}

bool mb_met_near_by(const MbPushes *pushed, const MbSeen *seen) {
  for (size_t i = 0; i < pushed->n; i++) {
    double d[3], turned[3];
    mb_vec3_sub(d, seen[i].point, pushed->touch[i].point);
    mb_vec3_sub(turned, seen[i].normal, pushed->touch[i].normal);
    if (!(mb_vec3_norm(d) <= SAME * (1 + pushed->touch[i].size)) || !(mb_vec3_norm(turned) <= SAME))
      return false;
  }
  return true;
}

void mb_met_hold(const MbSeen *as, size_t first, size_t end, MbSeen *seen) {
  for (size_t i = first; i < end; i++) seen[i].held = as && as[i].held, seen[i].part = as ? as[i].part : 0;
}

bool mb_met_look(MbSim *at, const double *q, const double *v, const MbPushes *pushed, const MbSeen *as,
                 MbSeen *seen) {
  static const MbPushes none = {0};
  const size_t n = 3 * mb_model_points(at->model);
  if (n) {
    double *nodes = mb_section(at, MB_SECTION_NODES);
    memmove(nodes, q + at->nq, n * sizeof *nodes), memmove(nodes + n, v + at->nv, n * sizeof *nodes);
  }
  if (at->nv || !n) mb_sim_kinematics(at, q, v);
  if (!mb_touch_look(at, &none, n > 0)) return false;
  mb_met_hold(as, 0, pushed->n, seen);
  return mb_met_see(at, pushed, 0, pushed->n, seen) && rub(at, pushed, seen);
}
