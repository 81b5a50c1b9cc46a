// What a step decides of its contacts by how deep they are: which of them close and which only come no nearer (ask.c), which of them rebound, and whether what is deep
// is parted behind it (touch_part.c). These are branches: a step from a state moved by a little, of which a derivative is made, takes those
// of the run beside which it is, whatever its own depths are (sensitivity_touch.c).
#include "core/sim/touch.h"

#include <math.h>

bool mb_touch_exact(const MbContacts *rules) {
  static const double TIGHT = 1e-12;
  return !mb_touch_takes_few(rules) && rules->tolerance <= TIGHT;
}

// Features of what lies flat on one another may be a corner's or an edge's, as rounding has it.
const MbPushed *mb_touch_same(const MbPushed *first, const MbPushed *end, const MbTouch *touch) {
  static const double CLOSE = 0.05; // of the smaller one's size
  for (const MbPushed *at = first; at < end; at++)
    if (at->feature_a == touch->feature_a && at->feature_b == touch->feature_b) return at;
  const MbPushed *nearest = NULL;
  double least = CLOSE * touch->size;
  for (const MbPushed *at = first; at < end; at++) {
    double d[3];
    mb_vec3_sub(d, at->point, touch->point);
    if (!(mb_vec3_norm(d) < least)) continue;
    least = mb_vec3_norm(d);
    nearest = at;
  }
  return nearest;
}

const MbPushed *mb_touch_pushed(const MbPushes *pushed, const MbTouch *touch) {
  const MbPushed *first = pushed->touch, *const all = first + pushed->n;
  while (first < all && (first->a != touch->a || first->b != touch->b)) first++;
  const MbPushed *end = first;
  while (end < all && end->a == touch->a && end->b == touch->b) end++;
  return mb_touch_same(first, end, touch);
}

// What did not push in the run, as it flies, may as well close what little depth it has beside it.
double mb_touch_judged(const MbTouching *t, const MbTouch *touch) {
  if (!t->branch.pushed) return touch->gap;
  const MbPushed *same = mb_touch_pushed(t->branch.pushed, touch);
  return same ? same->gap : fmax(touch->gap, 0);
}

MbAskBlow mb_touch_blow(const MbTouching *t, const MbTouch *touch) {
  if (!t->branch.pushed) return MB_BLOW_BY_NUMBERS;
  const MbPushed *same = mb_touch_pushed(t->branch.pushed, touch);
  if (!same) return MB_BLOW_BY_NUMBERS;
  return same->rebounds ? MB_BLOW_REBOUNDS : MB_BLOW_STOPS;
}

bool mb_touch_parts(const MbTouching *t, int turn, int most, double depth) {
  static const double MUCH = 1e-4; // of the smaller one's size: that is not left to the next step
  if (t->rules->compliance > 0 || turn >= most) return false;
  if (t->branch.pushed) return turn < t->branch.moves;
  // as much as may be has been moved, or enough
  if (turn > 0 && (depth > MB_TOUCH_MOST || depth < MUCH)) return false;
  return depth > MB_TOUCH_SLOP;
}
