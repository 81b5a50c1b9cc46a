// Events of the adaptive integrator (METHODS: located, and the step restarted there). A hard unilateral row is either latched,
// with its acceleration kept at none like a bilateral row's, or free. An event is due where
//   a free row is beyond its bound and goes on,  g < 0 and ġ < 0,   or a latched row would have to pull,  λ < 0.
// There velocities jump by the impulses that keep ġ ≥ 0 (no bounce), and accelerations decide, by complementarity, which of
// the rows at their bounds are latched from then on.
#include "core/sim/events.h"
#include "core/sim/constrain_internal.h"

#include <string.h>

bool mb_events_due(MbSim *sim, const double *v) {
  MbConstraining *c = sim->constraining;
  if (!c || !c->one_way) return false;
  const double *latched = mb_section(sim, MB_SECTION_LATCHED);
  bool due = false;
  for (size_t s = 0; s < c->set.fixed; s++) {
    const MbRow *row = &c->set.row[s];
    c->near[s] = false;
    if (!mb_rows_one_way(c, s)) continue;
    if (latched[s] != 0)
      c->near[s] = c->force[s] < 0;
    else
      c->near[s] = row->g < -MB_EVENT_CLOSE * row->size && mb_row_rate(&c->set, s, v) + row->gt < 0;
    due |= c->near[s];
  }
  return due;
}

void mb_events_decide(MbSim *sim) {
  MbConstraining *c = sim->constraining;
  if (c) c->deciding = true;
}

void mb_events_decided(MbSim *sim) {
  MbConstraining *c = sim->constraining;
  if (!c) return;
  double *latched = mb_section(sim, MB_SECTION_LATCHED);
  for (size_t s = 0; s < c->set.fixed; s++) {
    latched[s] = mb_rows_one_way(c, s) && c->force[s] > 0;
    c->near[s] = false;
  }
  c->latched = latched;
  c->deciding = false;
}
