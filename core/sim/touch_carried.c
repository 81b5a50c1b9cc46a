// What rides on a driven body that turns. Rows are asked where a step begins, and there what sticks has the velocity of the point it lies on; but in
// the step that point goes along an arc, and a body that flies goes straight. So what was asked to stick would be left behind on the tangent, farther
// out by (ω h)²/2 of its distance in every step. The driven body's point at x goes in a step h by
//
//   h V(h ω) v(x),   V(θ) = 1 + (1 − cos|θ|)/|θ|² θ× + (|θ| − sin|θ|)/|θ|³ θ×²
//
// and a body that turns as the driven one does keeps its place on it where its centre x goes by that as well. So tangents ask for a velocity
// (V − 1) v(x) above that of the point. What rolls goes over the driven body by d, and half way through the step meets another point
// of it, (h/2) ω × d faster; d is what the last step had above V v where it began, which is nothing of what has stuck.
#include "core/sim/layout.h"
#include "core/sim/touch.h"

#include <math.h>
#include <string.h>

// Whether a body's centre goes straight in a step.
static bool goes_straight(const MbSim *sim, size_t body) {
  const MbModel *model = sim->model;
  if (sim->solver->map->layout->apart(model)) return true;
  return !model->joint[body].ops && model->parent[body] == MB_WORLD;
}

// u ← (V(θ) − 1) v
static void arc(const double turn[3], const double v[3], double u[3]) {
  double once[3], twice[3];
  mb_vec3_cross(once, turn, v);
  mb_vec3_cross(twice, turn, once);
  const double angle = mb_vec3_norm(turn), half = sin(angle / 2);
  const bool little = angle < 1e-4;
  const double a = little ? 0.5 : 2 * half * half / (angle * angle),
               b = little ? 1.0 / 6 : (angle - sin(angle)) / (angle * angle * angle);
  for (int k = 0; k < 3; k++) u[k] = a * once[k] + b * twice[k];
}

// Whether nothing that contacts do moves one of a contact's two; deformables are behind the solids.
static bool is_driven(const MbTouching *t, uint32_t which) {
  return which < t->rules->nsolids && t->driven[which];
}

// v ← the velocity of a body's point at x.
static void velocity_at(const MbSim *sim, size_t body, const double x[3], double v[3]) {
  const MbPose *E = &sim->x.E[body];
  double w[3], r[3], turned[3];
  mb_quat_rotate(w, E->q, sim->x.phi + 6 * body);
  mb_quat_rotate(v, E->q, sim->x.phi + 6 * body + 3);
  mb_vec3_sub(r, x, E->p);
  mb_vec3_cross(turned, w, r);
  mb_vec3_add(v, v, turned);
}

// u ← what a body or, of a deformable, the point that touches has above its velocity on `on`, which turns by `turn` in the step. False: it
// goes along arcs of its own.
static bool above(const MbSim *sim, const MbTouch *touch, size_t on, uint32_t which, const double turn[3],
                  double u[3]) {
  const MbContacts *rules = sim->touching->rules;
  const bool soft = which >= rules->nsolids;
  const size_t body = soft ? 0 : rules->solids[which].body;
  if (!soft && !goes_straight(sim, body)) return false;
  const double *x = soft ? touch->point : sim->x.E[body].p;
  double v[3], was[3], over[3], rolled[3];
  velocity_at(sim, on, x, v);
  arc(turn, v, u);
  if (soft) return true;
  velocity_at(sim, body, x, over);
  mb_vec3_add_scaled(was, x, -sim->model->h, over);
  velocity_at(sim, on, was, v);
  mb_vec3_sub(over, over, v);
  arc(turn, v, rolled);
  mb_vec3_sub(over, over, rolled);
  mb_vec3_cross(rolled, turn, over);
  mb_vec3_add_scaled(u, u, 0.5, rolled);
  return true;
}

void mb_touch_carried(const MbSim *sim, const MbTouch *touch, double along[2]) {
  const MbTouching *t = sim->touching;
  const bool first = is_driven(t, touch->a);
  along[0] = along[1] = 0;
  if (first == is_driven(t, touch->b)) return;
  const size_t on = t->rules->solids[first ? touch->a : touch->b].body;
  const double *phi = sim->x.phi + 6 * on;
  if (t->rules->moved[on] == MB_WORLD || (phi[0] == 0 && phi[1] == 0 && phi[2] == 0)) return;
  double turn[3], u[3], axis[3][3];
  mb_quat_rotate(turn, sim->x.E[on].q, phi);
  mb_vec3_scale(turn, sim->model->h, turn);
  if (!above(sim, touch, on, first ? touch->b : touch->a, turn, u)) return;
  mb_touch_axes(touch->normal, axis);
  for (int k = 0; k < 2; k++) along[k] = (first ? 1 : -1) * mb_vec3_dot(u, axis[1 + k]);
}
