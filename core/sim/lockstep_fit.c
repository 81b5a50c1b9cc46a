// Which models can be lanes, and which of them beside one another.
#include "core/forces/forces.h"
#include "core/integrators/integrators.h"
#include "core/base/report.h"
#include "core/constraints/constraints.h"
#include "core/sim/constrain_internal.h"
#include "core/sim/lockstep_internal.h"
#include "core/sim/schemes.h"
#include "core/solvers/solvers.h"

#include <string.h>

// ---- one model ----------------------------------------------------------------------------------------------

static const char *channel_refused(const MbModel *model) {
  static const char *const words[] = {"joint.acceleration", "body.acceleration", "joint.force",
                                      "joint.reaction"};
  static const char *const reasons[] = {"tells joint.acceleration", "tells body.acceleration",
                                        "tells joint.force", "tells joint.reaction"};
  for (size_t i = 0; i < model->nchannels; i++) {
    if (mb_lockstep_has_channel(model->channels[i])) continue;
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
      if (!strcmp(words[k], model->channels[i])) return reasons[k];
    return "tells channels of other things than bodies and joints";
  }
  return NULL;
}

const MbLockstepSolver *mb_lockstep_solver_of(const MbModel *model) {
  static const MbLockstepSolver *const table[] = {&mb_lockstep_recursive, &mb_lockstep_dense,
                                                  &mb_lockstep_held};
  const MbSolverOps *solver = mb_solver_of_model_bodies(model);
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (table[i]->solver == solver) return table[i];
  return NULL;
}

static const char *solver_refused(const MbModel *model) {
  if (!model->jointed) return "has no joints";
  const MbLockstepSolver *solver = mb_lockstep_solver_of(model);
  if (!solver) return "has another solver than redmax and maximal, or projects";
  return solver->refused ? solver->refused(model) : NULL;
}

// What lanes know of forces is how to ask these.
static const char *forces_refused(const MbModel *model) {
  static const MbForceKind known[] = {MB_FORCE_DAMPING, MB_FORCE_WRENCH,       MB_FORCE_POINT,
                                      MB_FORCE_SPRING,  MB_FORCE_FRAME_SPRING, MB_FORCE_MULTI_SPRING,
                                      MB_FORCE_MUSCLE};
  for (size_t i = 0; i < model->nforces; i++) {
    const MbForceOps *ops = model->forces[i].ops;
    bool fits = ops == &mb_gravity_ops || ops == &mb_body_damping_ops;
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) fits |= ops == mb_force_table[known[k]];
    if (!fits) return "has forces of other kinds than lanes know";
  }
  return NULL;
}

// Of constraints, limits alone: a lane that is at one takes its steps by itself.
static const char *constraints_refused(const MbModel *model) {
  for (size_t i = 0; i < model->nconstraints; i++)
    if (model->constraints[i].ops != &mb_limit_ops) return "has constraints";
  for (size_t i = 0; i < model->nconstraints; i++)
    if (model->constraints[i].outward != 0) return "has limits that are passed on purpose";
  if ((model->nconstraints || model->solver.kind == MB_SOLVER_MAXIMAL) &&
      model->solver.stabilization.kind == MB_POST)
    return "is put back onto its constraints after every step";
  return NULL;
}

const char *mb_lane_refused(const MbModel *model) {
  const MbIntegrator *in = &mb_integrator_table[model->integrator.kind];
  const char *refused = NULL;
  if (model->ndeformables || model->nports) return "has deformables";
  if (model->contacts.any) return "has contact";
  if (model->nreductions || model->nfollowers) return "has coordinates that follow others";
  if (model->rotors) return "has joints with inertia of their own";
  if (model->nstops) return "has soft limits";
  if ((refused = constraints_refused(model))) return refused;
  if ((refused = solver_refused(model))) return refused;
  if (model->solver.mode != MB_DYNAMIC) return "is of first order";
  if (in->scheme != MB_ONE_SOLVE || in->order != 1)
    return "has another integrator than symplectic and implicit";
  if ((refused = forces_refused(model))) return refused;
  for (size_t b = 0; b < model->nb; b++)
    if (model->joint[b].ops && model->joint[b].ops->change)
      return "has joints that turn by angular velocities";
  return channel_refused(model);
}

// What a simulation has that lanes have not.
static const char *sim_refused(const MbSim *sim) {
  if (sim->scheme->step != mb_scheme_once && sim->scheme->step != mb_scheme_explicit)
    return "has another scheme than lanes know";
  if (sim->nodes || sim->touching || sim->balance || sim->scheme->memory)
    return "has more than bodies and joints";
  if (sim->constraining && sim->constraining->set.nsources) return "has rows that come and go";
  return NULL;
}

MbStatus mb_lane_create(const MbModel *model, MbLane *lane, const char **refused, MbReport *report) {
  *lane = (MbLane){.model = model};
  *refused = NULL;
  if (!mb_links_create(model, &lane->links)) return mb_no_memory(report, "lanes");
  const MbSimOptions own = {.threads = 1, .engine = mb_engine_cpu()}; // whatever device the scene asks for
  const MbStatus status = mb_sim_create(model, &own, &lane->sim, report);
  if (!status) *refused = sim_refused(lane->sim);
  return status;
}

void mb_lane_free(MbLane *lane) {
  mb_sim_free(lane->sim);
  mb_links_free(&lane->links);
}

// ---- two ----------------------------------------------------------------------------------------------------

static bool same_text(const char *a, const char *b) { return a == b || (a && b && !strcmp(a, b)); }

static bool same_joints(const MbJoint *a, const MbJoint *b) {
  bool same = a->ops == b->ops && a->n == b->n && a->nparts == b->nparts && same_text(a->name, b->name);
  for (size_t i = 0; same && i < a->nparts; i++) same = same_joints(&a->part[i], &b->part[i]);
  return same;
}

static bool same_bodies(const MbModel *a, const MbModel *b) {
  bool same = a->nb == b->nb && a->nlisted == b->nlisted && a->nq == b->nq && a->nv == b->nv &&
              a->sprung == b->sprung && a->any_flies == b->any_flies && a->nrenewing == b->nrenewing;
  for (size_t i = 0; same && i < a->nb; i++)
    same = a->parent[i] == b->parent[i] && a->flies[i] == b->flies[i] &&
           same_joints(&a->joint[i], &b->joint[i]) && same_text(a->body_name[i], b->body_name[i]);
  for (size_t i = 0; same && i < a->nlisted; i++) same = a->number[i] == b->number[i];
  return same;
}

static bool same_drives(const MbModel *a, const MbModel *b) {
  bool same = a->ndrives == b->ndrives && a->nsignals == b->nsignals;
  for (size_t i = 0; same && i < a->ndrives; i++) {
    const MbDrive *x = &a->drives[i], *y = &b->drives[i];
    same = x->body == y->body && x->q == y->q && x->v == y->v && x->force == y->force &&
           x->target == y->target && x->target_velocity == y->target_velocity;
  }
  return same;
}

static bool same_limits(const MbModel *a, const MbModel *b) {
  bool same = a->nconstraints == b->nconstraints && a->ahead == b->ahead;
  for (size_t i = 0; same && i < a->nconstraints; i++) {
    const MbConstraint *x = &a->constraints[i], *y = &b->constraints[i];
    same = x->ops == y->ops && x->q[0] == y->q[0] && x->v[0] == y->v[0] &&
           (x->compliance > 0) == (y->compliance > 0);
  }
  return same;
}

static bool same_pairs(const MbModel *a, const MbModel *b) {
  bool same = a->npairs == b->npairs;
  for (size_t i = 0; same && i < 2 * a->npairs; i++) same = a->pair[i] == b->pair[i];
  return same;
}

bool mb_lanes_alike(const MbLane *p, const MbLane *q) {
  const MbModel *a = p->model, *b = q->model;
  bool same = same_bodies(a, b) && same_drives(a, b) && same_limits(a, b) && same_pairs(a, b) &&
              mb_solver_of_model_bodies(a) == mb_solver_of_model_bodies(b) &&
              a->integrator.kind == b->integrator.kind && a->nforces == b->nforces &&
              a->nchannels == b->nchannels;
  for (size_t i = 0; same && i < a->nforces; i++) same = a->forces[i].ops == b->forces[i].ops;
  for (size_t i = 0; same && i < a->nchannels; i++) same = same_text(a->channels[i], b->channels[i]);
  return same && mb_links_alike(&p->links, &q->links);
}
