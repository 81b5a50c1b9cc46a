// Steps that end away, and what is done beside them.
#include "core/base/report.h"
#include "core/sim/claims.h"
#include "core/sim/crushed.h"
#include "core/sim/nodes_away_internal.h"

// ---- which scenes -------------------------------------------------------------------------------------------

// Rows, contacts, and bodies look at nodes within steps.
static bool are_alone(const MbSim *sim) {
  const MbModel *model = sim->model;
  return !model->nb && !model->nports && !sim->touching && !sim->constraining && !sim->balance &&
         !mb_claims_any(sim) && sim->integrator->scheme != MB_EQUILIBRIUM;
}

// Whether anything but places and velocities goes from step to step.
static bool carries(const MbSim *sim) {
  return sim->section[MB_SECTION_DUAL + 1] > sim->section[MB_SECTION_DUAL] &&
         sim->integrator->scheme != MB_EQUILIBRIUM;
}

bool mb_sim_stay_away(MbSim *sim) {
  const MbAwayOps *ops = sim->solver->passes ? sim->solver->passes->away : NULL;
  if (!sim->nodes || sim->nodes->away || !ops) return false;
  const MbAwayOffer offer = ops->offered(sim->work);
  const bool whole = offer == MB_AWAY_ALL && are_alone(sim);
  if (!whole && (offer == MB_AWAY_NOTHING || !carries(sim))) return false;
  MbArena *arena = &sim->nodes->arena;
  MbAway *away = mb_arena_alloc(arena, 1, sizeof *away);
  double *least = mb_arena_alloc(arena, sim->model->ndeformables, sizeof *least);
  if (!away || !least) return false;
  for (size_t i = 0; i < sim->model->ndeformables; i++) least[i] = mb_crushed_least(sim, i);
  *away = (MbAway){.ops = ops, .least = least, .whole = whole};
  sim->nodes->away = away, sim->nodes->places_away = whole;
  return true;
}

// ---- a step ---------------------------------------------------------------------------------------------------

void mb_sim_beside(MbSim *sim, bool (*job)(void *context), void *context) {
  MbAway *away = mb_away_of(sim);
  if (away) away->job = job, away->context = context;
}

static void do_job(void *context) {
  MbAway *away = context;
  away->went = away->job(away->context);
}

// The step, and the job beside it. False: the job wants it given up.
static bool take(MbSim *sim, bool *fine, bool *odd) {
  MbAway *away = sim->nodes->away;
  away->went = true;
  if (away->job) mb_beside_start(&away->beside, do_job, away);
  *fine = away->ops->step(sim->work, &sim->nodes->start, away->least, odd);
  mb_beside_end(&away->beside);
  away->job = NULL;
  return away->went;
}

// What is odd is looked at here, as all ends of steps are elsewhere. Only what the end says of itself is judged where it is not.
static MbStatus judge(MbSim *sim, bool fine, bool odd, double t, MbReport *report) {
  MbNodes *nodes = sim->nodes;
  nodes->unseen = !odd;
  if (fine && odd) {
    nodes->away->ops->leave(sim->work);
    fine = nodes->away->ops->arrive(sim->work, nodes->q1, nodes->v1, NULL);
  }
  return mb_nodes_judge(sim, fine, t, report);
}

MbStatus mb_away_step(MbSim *sim, double t, MbReport *report) {
  MbAway *away = sim->nodes->away;
  bool fine, odd;
  MbStatus status = mb_nodes_prepare(sim, t, report);
  if (status != MB_OK) {
    away->job = NULL;
    return status;
  }
  const bool goes_on = take(sim, &fine, &odd);
  if (away->left) (void)mb_away_come(sim); // nobody has taken it, and what leaves next has its place
  status = goes_on ? judge(sim, fine, odd, t, report) : MB_INTERRUPTED;
  away->even = !odd;
  return status;
}
