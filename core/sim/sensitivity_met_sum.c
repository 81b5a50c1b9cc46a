// What contacts are felt by where bodies are: derivatives of one sum (sensitivity_met.h) along each coordinate, by differences, some 1e-10 off. Of each pair
// of solids that touches contacts are found anew where the coordinate is a little less and a little more, as a step there would find them, so that whatever shapes
// there are their normals turn and their points go as in the program.
#include "core/model/coordinates.h"
#include "core/sim/evaluate.h"
#include "core/sim/sensitivity_met.h"

#include <math.h>
#include <string.h>

static const double MOVE = 1e-5; // rad, m: to either side
static const double NEAR =
    0.05; // of the smaller one's size: features may have other names, as in touch_branch.c
static const double SAME = 1e-6;  // of that size, and of a normal: where contacts are as they were
static const double JUMPS = 1e-7; // the same of what is left of second differences over so short a way

// ---- contacts where bodies are --------------------------------------------------------------------------------------

static MbPlaced placed(const MbSim *sim, uint32_t solid) {
  const MbTouching *t = sim->touching;
  MbPose E;
  mb_pose_mul(&E, &sim->x.E[t->rules->solids[solid].body], &t->rules->solids[solid].at);
  return mb_place(&t->shape[solid], &E);
}

// That of its features, else the nearest; NULL: none is near.
static const MbContactPoint *same_of(const MbContactPoint *point, int n, const MbPushed *touch) {
  double least = NEAR * touch->size, d[3];
  const MbContactPoint *nearest = NULL;
  for (int i = 0; i < n; i++)
    if (point[i].feature_a == touch->feature_a && point[i].feature_b == touch->feature_b) return &point[i];
  for (int i = 0; i < n; i++) {
    mb_vec3_sub(d, point[i].position, touch->point);
    if (!(mb_vec3_norm(d) < least)) continue;
    least = mb_vec3_norm(d), nearest = &point[i];
  }
  return nearest;
}

// Where the bodies of sim->x are. False: one of them is not there.
static bool see(const MbSim *sim, const MbPushes *pushed, MbSeen *seen) {
  MbContactPoint point[MB_CONTACT_POINTS];
  int n = 0;
  for (size_t i = 0; i < pushed->n; i++) {
    const MbPushed *touch = &pushed->touch[i];
    if (i == 0 || touch->a != touch[-1].a || touch->b != touch[-1].b) {
      const MbPlaced a = placed(sim, touch->a), b = placed(sim, touch->b);
      n = mb_collide_placed(&a, &b, mb_touch_within(sim->touching, touch->a, touch->b), point);
    }
    const MbContactPoint *same = same_of(point, n, touch);
    if (!same) return false;
    mb_vec3_copy(seen[i].point, same->position);
    mb_vec3_copy(seen[i].normal, same->normal);
    seen[i].gap = same->gap;
  }
  return true;
}

// Coefficients of friction are those that the look has found.
static bool rub(const MbTouching *t, const MbPushes *pushed, MbSeen *seen) {
  for (size_t i = 0; i < pushed->n; i++) {
    const MbPushed *touch = &pushed->touch[i];
    size_t k = 0;
    while (k < t->next.n && (t->next.touch[k].a != touch->a || t->next.touch[k].b != touch->b)) k++;
    if (k == t->next.n) return false;
    seen[i].mu = t->next.touch[k].mu;
  }
  return true;
}

static bool near_by(const MbPushes *pushed, const MbSeen *seen) {
  for (size_t i = 0; i < pushed->n; i++) {
    double d[3], turned[3];
    mb_vec3_sub(d, seen[i].point, pushed->touch[i].point);
    mb_vec3_sub(turned, seen[i].normal, pushed->touch[i].normal);
    if (!(mb_vec3_norm(d) <= SAME * (1 + pushed->touch[i].size)) || !(mb_vec3_norm(turned) <= SAME))
      return false;
  }
  return true;
}

bool mb_met_look(MbSim *at, const double *q, const double *v, const MbPushes *pushed, MbSeen *seen) {
  static const MbPushes none = {0};
  mb_sim_kinematics(at, q, v);
  if (!mb_touch_look(at, &none, false)) return false;
  return see(at, pushed, seen) && rub(at->touching, pushed, seen);
}

// ---- the sum --------------------------------------------------------------------------------------------------------

// Tangents that turn with a normal near another, as mb_touch_axes has them there.
static void axes_near(const double was[3], const double n[3], double axis[3][3]) {
  const int k = fabs(was[0]) < 0.9 ? 0 : 1;
  mb_vec3_copy(axis[0], n);
  for (int i = 0; i < 3; i++) axis[1][i] = (i == k) - n[k] * n[i];
  mb_vec3_scale(axis[1], 1 / mb_vec3_norm(axis[1]), axis[1]);
  mb_vec3_cross(axis[2], n, axis[1]);
}

// out += share of the velocity of a solid's point x, with the bodies' velocities phi.
static void add_velocity(const MbSim *sim, uint32_t solid, const double *phi, const double x[3], double share,
                         double out[3]) {
  const MbContacts *rules = sim->touching->rules;
  const size_t body = rules->solids[solid].body;
  if (rules->moved[body] == MB_WORLD) return;
  const MbPose *E = &sim->x.E[body];
  double r[3], v[3];
  mb_vec3_sub(r, x, E->p);
  mb_quat_unrotate(r, E->q, r);
  mb_vec3_cross(v, phi + 6 * body, r);
  mb_vec3_add(v, v, phi + 6 * body + 3);
  mb_quat_rotate(v, E->q, v);
  mb_vec3_add_scaled(out, out, share, v);
}

static double sum_of(const MbSim *sim, const MbMetSum *sum, const MbSeen *seen, const double *of_w,
                     const double *of_z) {
  double all = 0;
  for (size_t i = 0; i < sum->pushed->n; i++) {
    const MbPushed *touch = &sum->pushed->touch[i];
    double axis[3][3], w[3] = {0}, z[3] = {0};
    axes_near(touch->normal, seen[i].normal, axis);
    for (int end = 0; end < 2; end++) {
      add_velocity(sim, end ? touch->b : touch->a, of_w, seen[i].point, end ? 1 : -1, w);
      add_velocity(sim, end ? touch->b : touch->a, of_z, seen[i].point, end ? 1 : -1, z);
    }
    for (size_t k = 0; k < 3; k++)
      all += sum->zeta[3 * i + k] * mb_vec3_dot(axis[k], w) - sum->mu[3 * i + k] * mb_vec3_dot(axis[k], z);
    all += sum->zeta[3 * i] * sum->pull[i] * seen[i].gap;
  }
  const size_t numbers = 6 * sim->model->nb;
  for (size_t k = 0; k < numbers && sum->parts; k++) all -= of_z[k] * sim->model->M[k] * of_w[k];
  return all;
}

// Takes the bodies to q: of_w (nb x 6) ← their motion by w, that of sim->x being by z.
static void go(MbSim *at, const double *q, const MbMetSum *sum, double *of_w) {
  mb_sim_kinematics(at, q, sum->w);
  memcpy(of_w, at->x.phi, 6 * at->model->nb * sizeof *of_w);
  mb_sim_kinematics(at, q, sum->z);
}

double mb_met_sum_at(MbSim *at, const double *q, const MbMetSum *sum, const MbSeen *seen, double *phi) {
  go(at, q, sum, phi);
  return sum_of(at, sum, seen, phi, at->x.phi);
}

// ---- along each coordinate ------------------------------------------------------------------------------------------

static bool smooth(const MbPushes *pushed, MbSeen *const seen[3]) {
  for (size_t i = 0; i < pushed->n; i++) {
    double twice = 0;
    for (int k = 0; k < 3; k++) {
      const double p = seen[1][i].point[k] + seen[2][i].point[k] - 2 * seen[0][i].point[k],
                   n = seen[1][i].normal[k] + seen[2][i].normal[k] - 2 * seen[0][i].normal[k];
      twice = fmax(twice, fmax(fabs(p) / (1 + pushed->touch[i].size), fabs(n)));
    }
    if (!(twice <= JUMPS)) return false;
  }
  return true;
}

bool mb_met_slope(MbSensitivity *g, const double *q, const MbMetSum *sum, double *felt) {
  MbMet *met = g->met;
  MbSim *at = met->beside;
  double *along = met->move;
  if (!near_by(sum->pushed, met->seen[0])) return false;
  memset(along, 0, at->nv * sizeof *along);
  for (size_t i = 0; i < at->nv; i++) {
    double of[2];
    along[i] = 1;
    for (int side = 0; side < 2; side++) {
      memcpy(met->q, q, at->nq * sizeof *q);
      mb_coordinates_advance(at->model, met->q, side ? MOVE : -MOVE, along, 0, at->model->nb);
      go(at, met->q, sum, met->phi);
      if (!see(at, sum->pushed, met->seen[1 + side])) return false;
      of[side] = sum_of(at, sum, met->seen[1 + side], met->phi, at->x.phi);
    }
    along[i] = 0;
    if (!smooth(sum->pushed, met->seen)) return false;
    felt[i] += (of[1] - of[0]) / (2 * MOVE);
  }
  return true;
}
