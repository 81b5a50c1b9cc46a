// What a contact is about on the way back (sensitivity_met.h): which bodies and nodes move it, where they are, and how fast they go there.
#include "core/sim/evaluate.h"
#include "core/sim/sensitivity_met.h"

#include <string.h>

static const double NEAR =
    0.05; // of the smaller one's size: features may have other names, as in touch_branch.c

bool mb_met_bends(const MbSim *sim, const MbPushed *touch) {
  return touch->a >= sim->touching->rules->nsolids;
}

static bool stands(const MbSim *sim, size_t body) {
  return body < sim->model->nb && sim->model->contacts.moved[body] == MB_WORLD;
}

void mb_met_follows(const MbSim *sim, size_t body, MbSeen *seen) {
  if (!stands(sim, body)) seen->place[seen->nplaces++] = body;
}

void mb_met_end(const MbSim *sim, size_t body, double weight, MbSeen *seen) {
  if (weight == 0 || stands(sim, body)) return;
  seen->body[seen->n] = body, seen->weight[seen->n++] = weight;
}

void mb_met_solids(const MbSim *sim, const MbPushed *touch, MbSeen *seen) {
  const MbSolid *solids = sim->model->contacts.solids;
  seen->n = 0;
  mb_met_end(sim, solids[touch->a].body, -1, seen);
  mb_met_end(sim, solids[touch->b].body, 1, seen);
}

MbPlaced mb_met_placed(const MbSim *sim, uint32_t solid) {
  const MbTouching *t = sim->touching;
  MbPose E;
  mb_pose_mul(&E, &sim->x.E[t->rules->solids[solid].body], &t->rules->solids[solid].at);
  return mb_place(&t->solids.shape[solid], &E);
}

const MbContactPoint *mb_met_nearest(const MbContactPoint *point, int n, const MbPushed *touch) {
  double least = NEAR * touch->size, d[3];
  const MbContactPoint *nearest = NULL;
  for (int i = 0; i < n; i++) {
    mb_vec3_sub(d, point[i].position, touch->point);
    if (!(mb_vec3_norm(d) < least)) continue;
    least = mb_vec3_norm(d), nearest = &point[i];
  }
  return nearest;
}

void mb_met_push(const MbSim *sim, const MbSeen *seen, size_t end, const double d[3], double H[6]) {
  const size_t body = seen->body[end];
  if (body < sim->model->nlisted) {
    mb_touch_push_at(H, &sim->x.E[body], seen->point, d, seen->weight[end]);
    return;
  }
  mb_vec3_set(H, 0, 0, 0);
  mb_vec3_scale(H + 3, seen->weight[end], d);
}

void mb_met_add_velocity(const MbSim *sim, const MbSeen *seen, size_t end, const double *phi, double share,
                         double out[3]) {
  const size_t body = seen->body[end], nb = sim->model->nb;
  double r[3], v[3];
  if (body >= sim->model->nlisted) {
    mb_vec3_add_scaled(out, out, share, phi + (body < nb ? 6 * body + 3 : 6 * nb + 3 * (body - nb)));
    return;
  }
  const MbPose *E = &sim->x.E[body];
  mb_vec3_sub(r, seen->point, E->p);
  mb_quat_unrotate(r, E->q, r);
  mb_vec3_cross(v, phi + 6 * body, r);
  mb_vec3_add(v, v, phi + 6 * body + 3);
  mb_quat_rotate(v, E->q, v);
  mb_vec3_add_scaled(out, out, share, v);
}

void mb_met_rate(const MbSim *sim, const MbSeen *seen, const double *phi, double out[3]) {
  mb_vec3_set(out, 0, 0, 0);
  for (size_t k = 0; k < seen->n; k++) mb_met_add_velocity(sim, seen, k, phi, seen->weight[k], out);
}

void mb_met_twists(MbSim *at, const double *q, const double *v, double *phi) {
  const size_t nb = at->model->nb;
  if (at->nv) mb_sim_kinematics(at, q, v);
  memcpy(phi, at->x.phi, 6 * nb * sizeof *phi);
  memcpy(phi + 6 * nb, v + at->nv, 3 * mb_model_points(at->model) * sizeof *phi);
}

double *mb_met_place(MbSim *at, size_t body) {
  const size_t nb = at->model->nb;
  return body < nb ? at->x.E[body].p : mb_section(at, MB_SECTION_NODES) + 3 * (body - nb);
}
