// Which models can be lanes, and which of them beside one another.
#include "core/forces/forces.h"
#include "core/integrators/integrators.h"
#include "core/sim/lockstep_internal.h"
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

static const char *solver_refused(const MbModel *model) {
  if (!model->jointed) return "has no joints";
  if (mb_solver_of_model_bodies(model) == &mb_redmax_recursive_ops) return NULL;
  return model->solver.kind == MB_SOLVER_REDMAX ? "is solved densely" : "has another solver than redmax";
}

const char *mb_lane_refused(const MbModel *model) {
  const MbIntegrator *in = &mb_integrator_table[model->integrator.kind];
  const char *refused = NULL;
  if (model->ndeformables || model->nports) return "has deformables";
  if (model->nconstraints) return "has constraints";
  if (model->contacts.nsolids) return "has contact";
  if (model->nreductions || model->nfollowers) return "has coordinates that follow others";
  if (model->rotors) return "has joints with inertia of their own";
  if ((refused = solver_refused(model))) return refused;
  if (model->solver.mode != MB_DYNAMIC) return "is of first order";
  if (in->scheme != MB_ONE_SOLVE || in->order != 1)
    return "has another integrator than symplectic and implicit";
  if (model->npairs && in->a != 0) return "has forces that couple bodies, taken implicitly";
  for (size_t b = 0; b < model->nb; b++)
    if (model->joint[b].ops && model->joint[b].ops->change)
      return "has joints that turn by angular velocities";
  return channel_refused(model);
}

bool mb_lane_create(const MbModel *model, MbLane *lane) {
  lane->model = model;
  return mb_links_create(model, &lane->links);
}

void mb_lane_free(MbLane *lane) { mb_links_free(&lane->links); }

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

bool mb_lanes_alike(const MbLane *p, const MbLane *q) {
  const MbModel *a = p->model, *b = q->model;
  bool same = same_bodies(a, b) && same_drives(a, b) && a->integrator.kind == b->integrator.kind &&
              a->nforces == b->nforces && a->npairs == b->npairs && a->nchannels == b->nchannels;
  for (size_t i = 0; same && i < a->nforces; i++) same = a->forces[i].ops == b->forces[i].ops;
  for (size_t i = 0; same && i < a->nchannels; i++) same = same_text(a->channels[i], b->channels[i]);
  return same && mb_links_alike(&p->links, &q->links);
}
