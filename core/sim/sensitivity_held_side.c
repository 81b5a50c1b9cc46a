// The bodies of a step under solver "maximal" as a side of a number has them, in its axes (sensitivity_axes.c).
#include "core/sim/sensitivity_held.h"

#include <string.h>

void mb_held_side(MbSensitivity *g, size_t k, int side) {
  MbHeldBack *held = g->held;
  const MbSlopeAxes *axes = g->slopes[k].axes;
  const MbSim *sim = held->here;
  const size_t nb = sim->model->nb, size = 6 * nb * sizeof(double);
  memcpy(held->side_E, sim->x.E, nb * sizeof *held->side_E);
  memcpy(held->side_phi, sim->x.phi, size);
  memcpy(held->side_plus, held->plus, size), memcpy(held->side_z, held->z, size);
  mb_axes_poses(axes, side, held->side_E);
  mb_axes_twists(axes, side, held->side_phi);
  mb_axes_twists(axes, side, held->side_plus), mb_axes_twists(axes, side, held->side_z);
}
