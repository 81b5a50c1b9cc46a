// ∂τ/∂p at a stage, step or pass: the difference of two models' τ where the probe's bodies are, as they move.
#include "core/model/coordinates.h"
#include "core/sim/evaluate.h"
#include "core/sim/sensitivity_parts.h"

#include <string.h>

// Soft limits hold on a side where they hold in the run: the damping of one that begins to, by how far the number is moved, would be no derivative.
// Fibres see to it themselves (MbMaximal.branch).
static void take_branch(const MbSensitivity *g, const MbModel *side, const double *felt, double *scratch,
                        double *tau) {
  if (!side->nstops) return;
  memset(scratch, 0, side->nv * sizeof *scratch);
  mb_coordinates_stops_as(side, g->sim->model, g->q1, felt, scratch);
  for (size_t i = 0; i < side->nv; i++) tau[i] -= scratch[i];
}

void mb_slope_by_number(MbSensitivity *g, const MbSlope *t, const MbStageNote *note, const double *felt,
                        double move, double *out) {
  MbSim *const side[2] = {t->less, t->more};
  double *const tau[2] = {g->less, g->more};
  for (int k = 0; k < 2; k++) {
    const MbStageNote seen = mb_slope_side_note(t, k, note);
    const double *v = mb_axes_v(t->axes, k, MB_AXES_FELT, felt),
                 *a = mb_axes_v(t->axes, k, MB_AXES_RATE, g->a);
    mb_sim_kinematics(side[k], mb_axes_q(t->axes, k, g->q1), v);
    mb_tangent_to(t->side[k], seen.w);
    side[k]->x.branch = g->probe->model, side[k]->x.branch_E = g->probe->x.E;
    mb_tangent_value(side[k], t->side[k], v, a, note->t, tau[k]);
    side[k]->x.branch = NULL;
    take_branch(g, side[k]->model, felt, out, tau[k]);
    mb_axes_return(t->axes, k, tau[k]);
  }
  for (size_t i = 0; i < g->sim->nv; i++) out[i] = (g->more[i] - g->less[i]) / (2 * move);
}
