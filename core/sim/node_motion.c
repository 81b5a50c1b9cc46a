// Where nodes of deformables go that pins or driven bodies hold, and what cables pull with.
#include "core/base/report.h"
#include "core/math/quat.h"
#include "core/sim/nodes.h"

// c + R(a, angle) (x − c) + translate
static void moved(const MbSim *sim, const MbPinMotion *motion, double t, const double *x, double to[3]) {
  mb_vec3_copy(to, x);
  if (motion->turns) {
    const double angle = mb_sim_signal(sim, motion->angle, t), length = mb_vec3_norm(motion->axis);
    double turn[3], q[4];
    mb_vec3_scale(turn, angle / length, motion->axis);
    mb_quat_exp(q, turn);
    mb_vec3_sub(to, to, motion->through);
    mb_quat_rotate(to, q, to);
    mb_vec3_add(to, to, motion->through);
  }
  for (size_t k = 0; k < 3; k++) to[k] += mb_sim_signal(sim, motion->translate[k], t);
}

void mb_nodes_aim_felt(const MbSim *sim, const MbDeformable *of, uint32_t motion, double t,
                       const double *felt, double translate[3], double *angle) {
  const MbElements *e = of->elements;
  const MbPinMotion *m = &e->motions[motion];
  mb_vec3_set(translate, 0, 0, 0);
  *angle = 0;
  for (size_t k = 0; k < e->npinned; k++) {
    const MbPinnedNode *pinned = &e->pinned[k];
    const size_t own = pinned->node;
    double to[3], rate[3] = {0};
    moved(sim, m, t, e->x0 + 3 * own, to);
    for (size_t axis = 0; axis < 3; axis++) to[axis] -= mb_sim_signal(sim, m->translate[axis], t);
    mb_vec3_sub(to, to, m->through);
    if (m->turns) mb_vec3_cross(rate, m->axis, to);
    for (size_t axis = 0; axis < 3; axis++) {
      if (!(pinned->axes >> axis & 1) || pinned->motion[axis] != motion) continue;
      const double by = felt[3 * (of->first + own) + axis];
      translate[axis] += by;
      if (m->turns) *angle += by * rate[axis] / mb_vec3_norm(m->axis);
    }
  }
}

void mb_nodes_aim(const MbSim *sim, const MbPose *E, const MbDeformable *of, double t, double *all) {
  const MbElements *e = of->elements;
  double *target = all + 3 * of->first;
  for (size_t k = 0; k < e->npinned; k++) {
    const MbPinnedNode *pinned = &e->pinned[k];
    for (size_t axis = 0; axis < 3; axis++) {
      double to[3];
      if (!(pinned->axes >> axis & 1)) continue;
      mb_vec3_copy(to, e->x0 + 3 * (size_t)pinned->node);
      if (pinned->motion[axis] != MB_STILL) moved(sim, &e->motions[pinned->motion[axis]], t, to, to);
      target[3 * (size_t)pinned->node + axis] = to[axis];
    }
  }
  for (size_t k = 0; k < e->nattached; k++) {
    const MbAttachedNode *attached = &e->attached[k];
    double *to = target + 3 * (size_t)attached->node;
    if (attached->body == MB_WORLD)
      mb_vec3_copy(to, attached->at);
    else
      mb_pose_point(to, &E[attached->body], attached->at);
  }
}

double mb_nodes_pressure(const MbSim *sim, const MbDeformable *of, double t) {
  const MbElementSurface *surface = of->elements->surface;
  return surface && surface->pressure != SIZE_MAX ? mb_sim_signal(sim, surface->pressure, t) : 0;
}

double mb_nodes_activation(const MbSim *sim, const MbFibres *fibres, double t) {
  return fibres->activation == SIZE_MAX ? 0 : mb_sim_signal(sim, fibres->activation, t);
}

static void find_load(const MbSim *sim, const MbDeformable *of, double t, MbNodeLoad *load) {
  const MbElementSurface *surface = of->elements->surface;
  load->pressure = mb_nodes_pressure(sim, of, t);
  for (size_t k = 0; surface && k < 3 && surface->wind[k] != SIZE_MAX; k++)
    load->wind[k] = mb_sim_signal(sim, surface->wind[k], t);
  for (size_t k = 0; k < of->elements->nfibres; k++)
    load->activation[k] = mb_nodes_activation(sim, &of->elements->fibres[k], t);
}

static MbStatus check_load(const MbSim *sim, const MbDeformable *of, double t, const MbNodeLoad *load,
                           MbReport *report) {
  double sum = load->pressure + load->wind[0] + load->wind[1] + load->wind[2];
  const bool surface = isfinite(sum);
  for (size_t k = 0; k < of->elements->nfibres; k++) sum += load->activation[k];
  if (isfinite(sum)) return MB_OK;
  return mb_error(report, MB_NUMBERS, "", "at t = %.9g s, step %lld: the %s of \"%s\" is not a finite number",
                  t, (long long)sim->state.step + 1,
                  surface                    ? "activation"
                  : isfinite(load->pressure) ? "wind"
                                             : "pressure",
                  of->name);
}

static MbStatus check_targets(const MbSim *sim, double t, MbReport *report) {
  const MbNodes *nodes = sim->nodes;
  for (size_t i = 0; i < sim->model->ndeformables; i++) {
    const MbDeformable *of = &sim->model->deformables[i];
    for (size_t c = 3 * of->first; c < 3 * (of->first + of->count); c++)
      if (!isfinite(nodes->target[c]))
        return mb_error(report, MB_NUMBERS, "",
                        "at t = %.9g s, step %lld: the motion of a pin of \"%s\" is %g", t,
                        (long long)sim->state.step + 1, of->name, mb_plain(nodes->target[c]));
  }
  for (size_t i = 0; i < sim->model->ndeformables; i++) {
    const MbStatus status = check_load(sim, &sim->model->deformables[i], t, &nodes->load[i], report);
    if (status != MB_OK) return status;
  }
  for (size_t k = 0; k < nodes->ncables; k++)
    if (!isfinite(nodes->force[k]))
      return mb_error(report, MB_NUMBERS, "", "at t = %.9g s, step %lld: the pull of a cable is %g", t,
                      (long long)sim->state.step + 1, mb_plain(nodes->force[k]));
  return MB_OK;
}

// What the step begins with; nodes that are held go where they are at t.
MbStatus mb_nodes_prepare(MbSim *sim, double t, MbReport *report) {
  MbNodes *nodes = sim->nodes;
  for (size_t i = 0; i < sim->model->ndeformables; i++)
    mb_nodes_aim(sim, sim->x.E, &sim->model->deformables[i], t, nodes->target);
  for (size_t i = 0; i < sim->model->ndeformables; i++)
    find_load(sim, &sim->model->deformables[i], t, &nodes->load[i]);
  for (size_t k = 0; k < nodes->ncables; k++) {
    const double pull = mb_sim_signal(sim, nodes->cable[k]->pull, t);
    nodes->force[k] = pull < 0 ? 0 : pull;
  }
  const bool there = mb_away_there(sim);
  const bool apart = there && nodes->places_away;
  nodes->start = (MbNodeStart){.q = apart ? NULL : mb_nodes_places(sim),
                               .v = apart ? NULL : mb_nodes_velocities(sim),
                               .target = nodes->target,
                               .gravity = sim->model->gravity,
                               .force = nodes->force,
                               .load = nodes->load};
  if (there)
    mb_away_go_on(sim);
  else
    sim->solver->passes->recall(sim->work, mb_section(sim, MB_SECTION_DUAL));
  return check_targets(sim, t, report);
}
