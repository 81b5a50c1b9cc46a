// Convex shapes of which at least one is round in a way of its own: capsules, cylinders, ellipsoids, boxes and hulls. The gap and its normal
// are those of convex.h; where both lie flat towards the normal, the corners of what they share have contact points too.
#include "core/collision/convex.h"
#include "core/collision/outline.h"

// Which of a shape's vertices hold the point: the least and how many.
static uint32_t held_by(const MbCorners *corners, bool of_b) {
  uint32_t least = UINT32_MAX, most = 0;
  for (int i = 0; i < corners->n; i++) {
    const uint32_t at = of_b ? corners->corner[i].b : corners->corner[i].a;
    least = at < least ? at : least, most = at > most ? at : most;
  }
  return least << 1 | (most > least);
}

// Bodies that rest are turned by what their solver leaves. Which point is nearest changes with that, the corners of what they share do not:
// of shapes that are near (for their size) those are enough where they are as near but for this share of the size.
static const double near = 1e-4, resting = 1e-8;

void mb_convexes(const MbPlaced *a, const MbPlaced *b, MbPatch *patch) {
  MbConvexPair pair;
  MbConvexGap gap;
  mb_convex_pair(&pair, a, b);
  if (!mb_convex_gap(&pair, patch->within, &gap)) return;
  MbOutline own, other;
  MbOutlineRoom room[2];
  double back[3], x[3];
  mb_vec3_scale(back, -1, gap.n);
  mb_outline(&own, &room[0], a, gap.n);
  double least = INFINITY;
  if (own.n) {
    mb_outline(&other, &room[1], b, back);
    least = mb_outlines_shared(&own, &other, gap.n, gap.gap, patch);
    // of gaps that are not below `within` none is here
    if (!patch->n) least = INFINITY;
  }
  const double slack = fabs(gap.gap) <= near * pair.size ? resting : 1e-14;
  if (least <= gap.gap + slack * pair.size) return;
  mb_vec3_add(x, gap.x, a->p);
  mb_patch_add(patch, x, gap.n, gap.gap, held_by(&gap.corners, false), held_by(&gap.corners, true));
}
