// Simulations beside the run under solver "maximal": one of a model, and the bodies of a step as a side of a number has them, in its axes (sensitivity_axes.c).
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
  memcpy(held->side_row_z, held->row_z, size);
  mb_axes_poses(axes, side, held->side_E);
  mb_axes_twists(axes, side, held->side_phi);
  mb_axes_twists(axes, side, held->side_plus), mb_axes_twists(axes, side, held->side_z);
  mb_axes_twists(axes, side, held->side_row_z);
}

MbStatus mb_held_beside(const MbModel *model, MbSim **out, MbReport *report) {
  const MbSimOptions options = {.threads = 1};
  MbReport own = {0};
  const MbStatus status = mb_sim_create(model, &options, out, &own);
  if (status != MB_OK) *report = own;
  return status;
}
