#include "core/sim/nodes_away.h"
#include "core/base/beside.h"
#include "core/base/report.h"
#include "core/sim/claims.h"
#include "core/sim/crushed.h"
#include "core/sim/nodes.h"

struct MbAway {
  const MbAwayOps *ops;
  double *least; // (deformables) of elements, by their extent at rest
  bool there;    // the engine has the state
  bool gone;     // the state's sections have it not
  bool left;     // it is on its way here
  bool lost;     // it cannot be had any more
  bool even;     // the last step's end was not odd
  MbBeside beside;
  bool (*job)(void *context); // NULL: there is none
  void *context;
  bool went; // the job has
};

static const MbPassOps *passes_of(const MbSim *sim) { return sim->solver->passes; }
static MbAway *away_of(const MbSim *sim) { return sim->nodes ? sim->nodes->away : NULL; }

// ---- which scenes -------------------------------------------------------------------------------------------

// Rows, contacts, and bodies look at nodes within steps.
static bool are_alone(const MbSim *sim) {
  const MbModel *model = sim->model;
  return !model->nb && !model->nports && !sim->touching && !sim->constraining && !sim->balance &&
         !mb_claims_any(sim) && sim->integrator->scheme != MB_EQUILIBRIUM;
}

bool mb_sim_stay_away(MbSim *sim) {
  if (!sim->nodes || sim->nodes->away || !passes_of(sim)->away || !are_alone(sim)) return false;
  const MbAwayOps *ops = passes_of(sim)->away;
  if (!ops->offered(sim->work)) return false;
  MbArena *arena = &sim->nodes->arena;
  MbAway *away = mb_arena_alloc(arena, 1, sizeof *away);
  double *least = mb_arena_alloc(arena, sim->model->ndeformables, sizeof *least);
  if (!away || !least) return false;
  for (size_t i = 0; i < sim->model->ndeformables; i++) least[i] = mb_crushed_least(sim, i);
  *away = (MbAway){.ops = ops, .least = least};
  sim->nodes->away = away;
  return true;
}

void mb_away_free(MbSim *sim) {
  if (away_of(sim)) mb_beside_end(&away_of(sim)->beside);
}

// ---- where the state is ---------------------------------------------------------------------------------------

bool mb_away_there(const MbSim *sim) { return away_of(sim) && away_of(sim)->there; }
bool mb_away_even(const MbSim *sim) { return away_of(sim) && away_of(sim)->even; }

bool mb_sim_leave(MbSim *sim) {
  MbAway *away = away_of(sim);
  if (!away || !away->gone) return false;
  if (!away->left) away->ops->leave(sim->work);
  return away->left = true;
}

bool mb_away_come(const MbSim *sim) {
  MbAway *away = away_of(sim);
  if (!away || !away->gone) return !away || !away->lost;
  const size_t first = sim->section[MB_SECTION_NODES], n = 3 * sim->nodes->n;
  const size_t carried = sim->section[MB_SECTION_DUAL + 1] - sim->section[MB_SECTION_DUAL];
  double *q = sim->state.memory + first, *dual = sim->state.memory + sim->section[MB_SECTION_DUAL];
  if (!away->left) away->ops->leave(sim->work);
  away->gone = away->left = false;
  away->lost = !away->ops->arrive(sim->work, q, q + n, dual);
  for (size_t i = 0; away->lost && i < 2 * n; i++) q[i] = NAN;
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
  if (!away_of(sim)) return;
  (void)mb_away_come(sim);
  away_of(sim)->there = away_of(sim)->even = away_of(sim)->lost = false;
}

// ---- a step ---------------------------------------------------------------------------------------------------

void mb_sim_beside(MbSim *sim, bool (*job)(void *context), void *context) {
  MbAway *away = away_of(sim);
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
  if (status != MB_OK) return status;
  const bool goes_on = take(sim, &fine, &odd);
  if (away->left) (void)mb_away_come(sim); // nobody has taken it, and what leaves next has its place
  status = goes_on ? judge(sim, fine, odd, t, report) : MB_INTERRUPTED;
  away->even = !odd;
  if (status != MB_OK && away->there) away->ops->undo(sim->work);
  return status;
}

void mb_away_commit(MbSim *sim) {
  MbAway *away = sim->nodes->away;
  away->there = away->gone = true;
  away->left = false;
}
