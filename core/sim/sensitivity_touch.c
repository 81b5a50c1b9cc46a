// Contact in differences of single steps. A contact that rests is where two laws of a step meet: what is deep by more than rounding is not pushed
// out by velocities (ask.c), and a state moved by a little into depth would have another law than the run. The branch that the run takes
// is that its contacts close, h G v⁺ = −g: beside the run little depth closes as little distance does. So it is for contacts that the run
// itself has never deep, as those of balls on planes and on balls are, whose normal turns away from what it touches; faces and edges that
// turn into what they rest on are deep by h², and parted by positions with a slop of its own, which no difference follows: they are
// refused by name, and so is what rebounds.
//
// Contacts of the last look are a simulation's own and not its state's: a step from another state must look anew.
#include "core/base/report.h"
#include "core/sim/sensitivity_parts.h"
#include "core/sim/touch.h"

#include <math.h>

static const double LENIENT = 1e6; // of rounding, 1e-10 of the size: more than differences move

const char *mb_touch_slopes_refuse(const MbModel *model) {
  static const double TIGHT = 1e-12; // over what models are apart by
  const MbContacts *rules = &model->contacts;
  if (rules->nsurfaces) return "there are no derivatives of contact of deformables yet";
  bool rebounds = false;
  for (size_t i = 0; i < rules->nsolids; i++) {
    const MbSolid *solid = &rules->solids[i];
    rebounds |= solid->restitution > 0;
    if (solid->kind != MB_SHAPE_SPHERE && solid->kind != MB_SHAPE_PLANE)
      return "there are derivatives of contact of spheres and planes alone: edges and faces that turn into "
             "what they rest on "
             "are parted by positions, which differences do not follow";
  }
  for (size_t i = 0; i < rules->nrules; i++) rebounds |= rules->rules[i].restitution > 0;
  if (rebounds) return "there are no derivatives of contact with restitution yet";
  if (rules->compliance > 0) return "there are no derivatives of contact with compliance yet";
  if (mb_touch_takes_few(rules) || rules->tolerance > TIGHT)
    return "there are derivatives of contact only where it is solved to 1e-12: give it such a \"tolerance\"";
  return NULL;
}

void mb_touch_slopes_beside(MbSim *side) {
  mb_touch_forget(side);
  if (side->touching) side->touching->lenient = LENIENT;
}

// Whether a contact's friction is at its bound.
static bool slides(const MbPushed *touch) {
  static const double NEAR = 1e-6;
  return hypot(touch->lambda[1], touch->lambda[2]) > (1 - NEAR) * touch->mu * touch->lambda[0];
}

bool mb_touch_slopes_same(const MbSim *run, const MbSim *side) {
  if (!run->touching) return true;
  const MbPushes *one = &run->touching->last, *other = &side->touching->last;
  size_t i = 0, k = 0;
  for (;; i++, k++) {
    while (i < one->n && !(one->touch[i].lambda[0] > 0)) i++;
    while (k < other->n && !(other->touch[k].lambda[0] > 0)) k++;
    if (i >= one->n || k >= other->n) return i >= one->n && k >= other->n;
    const MbPushed *a = &one->touch[i], *b = &other->touch[k];
    if (a->a != b->a || a->b != b->b || a->feature_a != b->feature_a || a->feature_b != b->feature_b)
      return false;
    if (slides(a) != slides(b)) return false;
  }
}

MbStatus mb_touch_slopes_check(const MbSim *run, MbReport *report) {
  static const double ROUNDING = 1e-10; // of the size, as in ask.c
  if (!run->touching) return MB_OK;
  const MbPushes *touches = &run->touching->last;
  for (size_t i = 0; i < touches->n; i++) {
    const MbPushed *touch = &touches->touch[i];
    if (!(touch->lambda[0] > 0 && touch->gap < -ROUNDING * touch->size)) continue;
    return mb_error(report, MB_NUMBERS, "",
                    "at t = %.9g s, step %lld: a contact was %.2g m deep when the step began: there is no "
                    "derivative, as depth "
                    "is taken away by positions; take a smaller step",
                    run->state.t, (long long)run->state.step, -touch->gap);
  }
  return MB_OK;
}
