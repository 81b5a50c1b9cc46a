// Which lanes no limit pushes, and which are open nowhere. Part of lockstep_kernels.h.
#ifndef MB_SIM_LOCKSTEP_LIMITS_H
#define MB_SIM_LOCKSTEP_LIMITS_H

static inline Real gap_of(const MbLockstep *l, size_t i) {
  return coordinate(l->side, i) * (coordinate(l->jq, l->limits[i].q) - coordinate(l->bound, i));
}

// Of limits with g > 0 those ahead ask for G v⁺ ≥ −g/h (sim/ask.c): where all of v⁺ do by more than rounding, no force is the answer.
static unsigned unlimited_lanes(const MbLockstep *l) {
  static const double SURE = 1e-9;
  const Real per = 1.0 / coordinate(l->h, 0);
  Choice free = ~(Choice){0};
  for (size_t i = 0; i < l->nlimits; i++) {
    const Real gap = gap_of(l, i);
    free &= gap > 0.0;
    if (!l->ahead || l->limits[i].soft) continue;
    const Real rate = coordinate(l->side, i) * coordinate(l->poses ? l->rates : l->v1, l->limits[i].v);
    const Real pull = per * gap;
    free &= rate + pull > SURE * (size_of(rate) + pull);
  }
  return bits_of(free);
}

static unsigned closed_lanes(const MbLockstep *l) {
  const Real most = coordinate(l->widest, 0);
  Choice closed = ~(Choice){0};
  for (size_t r = 0; r < l->held.shape.nrows; r++) closed &= size_of(coordinate(l->held.g, r)) <= most;
  for (size_t i = 0; i < l->nlimits; i++) closed &= gap_of(l, i) >= 0.0;
  return bits_of(closed);
}

#endif
