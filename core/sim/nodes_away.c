// Where the state is whose steps end away: with the engine, on its way here, or in its sections.
#include "core/base/report.h"
#include "core/sim/nodes_away_internal.h"

bool mb_away_there(const MbSim *sim) { return mb_away_of(sim) && mb_away_of(sim)->there; }
bool mb_away_even(const MbSim *sim) { return mb_away_of(sim) && mb_away_of(sim)->even; }

bool mb_sim_leave(MbSim *sim) {
  MbAway *away = mb_away_of(sim);
  if (!away || !away->whole || !away->gone) return false;
  if (!away->left) away->ops->leave(sim->work);
  return away->left = true;
}

bool mb_away_come(const MbSim *sim) {
  MbAway *away = mb_away_of(sim);
  if (!away || !away->gone) return !away || !away->lost;
  const size_t first = sim->section[MB_SECTION_NODES], n = 3 * sim->nodes->n;
  const size_t carried = sim->section[MB_SECTION_DUAL + 1] - sim->section[MB_SECTION_DUAL];
  double *q = sim->state.memory + first, *dual = sim->state.memory + sim->section[MB_SECTION_DUAL];
  if (!away->left) away->ops->leave(sim->work);
  away->gone = away->left = false;
  away->lost = !away->ops->arrive(sim->work, away->whole ? q : NULL, away->whole ? q + n : NULL, dual);
  for (size_t i = 0; away->lost && away->whole && i < 2 * n; i++) q[i] = NAN;
  for (size_t i = 0; away->lost && i < carried; i++) dual[i] = NAN;
  return !away->lost;
}

MbStatus mb_sim_come(MbSim *sim, MbReport *report) {
  if (mb_away_come(sim)) return MB_OK;
  const MbStatus status = mb_nodes_fault(sim, sim->state.t, report);
  return status != MB_OK ? status
                         : mb_error(report, MB_DEVICE, "", "the device does not send the state of step %lld",
                                    (long long)sim->state.step);
}

void mb_away_changed(MbSim *sim) {
  if (!mb_away_of(sim)) return;
  (void)mb_away_come(sim);
  mb_away_of(sim)->there = mb_away_of(sim)->even = mb_away_of(sim)->lost = false;
}

void mb_away_go_on(MbSim *sim) {
  MbAway *away = mb_away_of(sim);
  away->ops->go_on(sim->work, away->whole);
  away->begun = true;
}

void mb_away_commit(MbSim *sim) {
  MbAway *away = mb_away_of(sim);
  if (!away) return;
  away->there = away->gone = true;
  away->left = away->begun = false;
}

// A step that has begun with what was here does so anew.
void mb_away_undo(MbSim *sim) {
  MbAway *away = mb_away_of(sim);
  if (!away || !away->begun) return;
  away->ops->undo(sim->work);
  away->begun = false;
}
