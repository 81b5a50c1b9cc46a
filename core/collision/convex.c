#include "core/collision/convex_gap.h"

void mb_convex_pair(MbConvexPair *pair, const MbPlaced *a, const MbPlaced *b) {
  mb_convex_pair_of(pair, a, b);
}

bool mb_convex_gap(const MbConvexPair *pair, double within, MbConvexGap *gap) {
  return mb_convex_gap_of(pair, within, gap);
}
