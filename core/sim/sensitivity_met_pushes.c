// What contacts of a step push bodies with (sensitivity_met.h).
#include "core/sim/sensitivity_met.h"
#include "core/sim/touch_axes.h"

void mb_met_add_pushes(const MbSim *at, const MbPushes *pushed, const double *by, double share,
                       const MbSeen *seen, double *f) {
  for (size_t i = 0; i < pushed->n; i++) {
    double axis[3][3], d[3] = {0}, H[6];
    mb_touch_axes_near(pushed->touch[i].normal, seen[i].normal, axis);
    for (size_t k = 0; k < 3; k++) mb_vec3_add_scaled(d, d, share * by[3 * i + k], axis[k]);
    for (size_t end = 0; end < seen[i].n; end++) {
      if (seen[i].body[end] >= at->model->nb) continue; // twists of points are the same wherever they are
      mb_met_push(at, &seen[i], end, d, H);
      for (size_t j = 0; j < 6; j++) f[6 * seen[i].body[end] + j] += H[j];
    }
  }
}

bool mb_met_push_on(MbSensitivity *g, const MbSlope *slope, int s, const MbStageNote *note, double *f) {
  MbMet *met = g->met;
  MbSim *side = mb_slope_side(slope, s);
  if (!met || !met->n) return true;
  if (!mb_met_look(side, mb_axes_q(slope->axes, s, met->q),
                   mb_axes_v(slope->axes, s, MB_AXES_FROM, note->from), met->pushed, met->seen[0],
                   met->seen[1 + s]))
    return false;
  mb_met_add_pushes(side, met->pushed, met->mu, -1, met->seen[1 + s], f);
  return true;
}
