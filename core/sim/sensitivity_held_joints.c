// What joints are felt by in steps under solver "maximal" and in frames of these (sensitivity_held.c).
#include "core/model/coordinates.h"
#include "core/sim/evaluate.h"
#include "core/sim/sensitivity_held.h"
#include "core/sim/tangent_number_parts.h"

#include <string.h>

// ---- weights ------------------------------------------------------------------------------------------------------

// What acts along coordinates, and its derivatives, where the probe is.
static void forces_of(const MbModel *model, const MbMaximal *x, const MbModel *branch, double *force,
                      double *stiffness, double *damping) {
  memset(force, 0, model->nv * sizeof *force);
  mb_coordinates_forces(model, x, x->q, x->v, force);
  mb_coordinates_stops_as(model, branch, x->q, x->v, force); // the branch taken
  mb_coordinates_derivatives_as(model, x, branch, x, stiffness, damping);
}

// The factor of V z in  −f · V z  by what a step has of forces along coordinates.
static double pushes(const MbHeldBack *held, const MbSim *sim, const MbModel *model, size_t k, double force,
                     double stiffness, double damping) {
  const MbHeldWeighed *of = &held->of;
  const double plus = held->rate_plus[k];
  return -force + of->damping * damping * (plus - (of->change ? 0 : sim->x.v[k])) +
         of->stiffness * stiffness * plus + mb_held_rotors_push(held, sim, k, model->joint_inertia[k]);
}

// Twists of all bodies by velocities.
static void twists_of(const MbSim *sim, const double *v, double *phi) {
  for (size_t b = 0; b < sim->model->nb; b++) mb_twist_of_velocity(&sim->x.E[b], v + 6 * b, phi + 6 * b);
}

void mb_held_coordinates(MbSensitivity *g, const double *w) {
  MbHeldBack *held = g->held;
  const MbSim *sim = held->here;
  const MbModel *model = sim->model;
  forces_of(model, &sim->x, model, held->force, held->stiffness, held->damping);
  sim->solver->map->rates(sim->work, model, w, held->rate_plus);
}

static void weigh_coordinates(MbSensitivity *g) {
  MbHeldBack *held = g->held;
  const MbHeldWeighed *of = &held->of;
  const MbSim *sim = held->here;
  for (size_t k = 0; k < sim->model->nv; k++) {
    const double z = held->rate_z[k], K = held->stiffness[k], D = held->damping[k];
    held->by_q[k] = K * z;
    held->by_rate[k] = (of->change ? 1 : 1 - of->damping) * D * z;
    held->by_plus[k] = (of->damping * D + of->stiffness * K) * z;
    held->by_turn[k] = 0;
    held->by_z[k] = pushes(held, sim, sim->model, k, held->force[k], K, D);
  }
  mb_held_rotors_weigh(held, sim);
}

// What A has of coordinates' own, of velocities x that are those of the simulation, x̄ being its twists.
static void weigh_own(MbSensitivity *g) {
  MbHeldBack *held = g->held;
  const MbHeldWeighed *of = &held->of;
  const MbSim *sim = held->here;
  for (size_t k = 0; k < sim->model->nv; k++) {
    const double own = of->damping * held->damping[k] + of->stiffness * held->stiffness[k];
    held->by_rate[k] = own * held->rate_z[k];
    held->by_z[k] = own * sim->x.v[k];
  }
}

// What the inertia of coordinates has of velocities that change.
static void weigh_moves(MbSensitivity *g) {
  MbHeldBack *held = g->held;
  const MbSim *sim = held->here;
  for (size_t k = 0; k < sim->model->nv; k++)
    held->by_z[k] += mb_held_rotors_push(held, sim, k, sim->model->joint_inertia[k]);
  mb_held_rotors_weigh(held, sim);
}

// ---- joints -------------------------------------------------------------------------------------------------------

static MbJointMotions motions_of(const MbSensitivity *g, const double *q0) {
  const MbHeldBack *held = g->held;
  const MbSim *sim = held->here;
  return (MbJointMotions){.E = sim->x.E,
                          .phi = sim->x.phi,
                          .plus = held->plus,
                          .z = held->z,
                          .q = q0 + 7 * sim->model->nb,
                          .hinge = held->hinge,
                          .like = sim->model,
                          .slopes = held->slopes};
}

static MbJointWeights weights_of(const MbSensitivity *g, size_t b, bool step) {
  const MbHeldBack *held = g->held;
  const MbModel *model = g->sim->model;
  const size_t first = held->first[b], v = model->v_first[b];
  return (MbJointWeights){.zeta = (step ? held->of.zeta : held->none) + first,
                          .mu = (step ? held->of.mu : held->none) + first,
                          .asked = held->of.asked,
                          .gamma = held->of.gap,
                          .curve = step ? held->of.curve : 0,
                          .q = held->by_q + v,
                          .rate = held->by_rate + v,
                          .plus = held->by_plus + v,
                          .z = held->by_z + v,
                          .turn = held->by_turn + v};
}

static bool any_weight(const MbHeldBack *held, const MbModel *model, size_t b) {
  bool any = false;
  for (size_t i = 0; i < model->joint[b].n; i++)
    any |= held->by_q[model->v_first[b] + i] != 0 || held->by_rate[model->v_first[b] + i] != 0;
  return any;
}

static void clear_felt(MbHeldBack *held, const MbModel *model) {
  memset(held->move, 0, 6 * model->nb * sizeof *held->move);
  memset(held->phi, 0, 6 * model->nb * sizeof *held->phi);
}

// Adds what all joints are felt by to held->move and held->phi, and their frames: of a step, or of a frame those that it weighs.
static bool add_joints(MbSensitivity *g, const double *q0, bool step) {
  MbHeldBack *held = g->held;
  const MbModel *model = g->probe->model;
  const MbJointMotions at = motions_of(g, q0);
  MbJointFelt felt = {.move = held->move,
                      .phi = held->phi,
                      .before = held->before,
                      .behind = held->behind,
                      .plus = held->of.plus,
                      .any_before = held->any_before,
                      .any_behind = held->any_behind};
  for (size_t b = 0; b < model->nb; b++) {
    if (!model->joint[b].ops || (!step && !any_weight(held, model, b))) continue;
    const MbJointWeights weights = weights_of(g, b, step);
    if (!mb_joint_felt(model, b, &at, &weights, &felt)) return false;
  }
  return true;
}

// Adds held->move and held->phi to q̄ and v̄.
static void add_felt(const MbSensitivity *g, double *q, double *v) {
  const MbHeldBack *held = g->held;
  const MbSim *sim = held->here;
  for (size_t b = 0; b < sim->model->nb; b++) {
    double moved[6], faster[6];
    mb_velocity_of_twist(&sim->x.E[b], held->move + 6 * b, moved);
    mb_velocity_of_twist(&sim->x.E[b], held->phi + 6 * b, faster);
    for (size_t i = 0; i < 6; i++) q[6 * b + i] += moved[i], v[6 * b + i] += faster[i];
  }
}

static bool all_joints(MbSensitivity *g, const double *q0, bool step, double *q, double *v) {
  if (!add_joints(g, q0, step) || (step && !mb_held_rotors_back(g, q0))) return false;
  add_felt(g, q, v);
  return true;
}

void mb_held_move(MbSensitivity *g, const double *w) {
  MbHeldBack *held = g->held;
  twists_of(held->here, w, held->plus);
  memset(held->z, 0, 6 * g->sim->model->nb * sizeof *held->z);
  memset(held->row_z, 0, 6 * g->sim->model->nb * sizeof *held->row_z);
}

static void clear_weights(MbHeldBack *held, const MbModel *model) {
  double *const weights[] = {held->by_q, held->by_rate, held->by_plus, held->by_z, held->by_turn};
  for (size_t i = 0; i < sizeof weights / sizeof *weights && model->nv; i++)
    memset(weights[i], 0, model->nv * sizeof(double));
}

bool mb_held_joints_back(MbSensitivity *g, MbHeldRows *rows, const double *q0, const double *z, double *q,
                         double *v) {
  MbHeldBack *held = g->held;
  MbSim *sim = held->here;
  twists_of(sim, z, held->z);
  memcpy(held->row_z, held->z, 6 * sim->model->nb * sizeof *held->z);
  mb_held_rubbed_twists(g, held->row_z);
  sim->solver->map->rates(sim->work, sim->model, z, held->rate_z);
  clear_weights(held, sim->model);
  if (held->of.forces) weigh_coordinates(g);
  if (held->of.own) weigh_own(g);
  if (held->of.moves) weigh_moves(g);
  clear_felt(held, sim->model);
  mb_held_rows_back(g, rows, held->of.zeta);
  mb_held_rubbed_back(g);
  return all_joints(g, q0, true, q, v);
}

void mb_held_frame_begin(MbSensitivity *g, const double *q, const double *v, MbWeighed *to) {
  MbHeldBack *held = g->held;
  const size_t nv = g->sim->model->nv;
  MbSim *moves = held->free.probe;
  memset(held->by_q, 0, nv * sizeof(double)), memset(held->by_rate, 0, nv * sizeof(double));
  to->q = held->by_q, to->v = held->by_rate;
  mb_sim_kinematics(moves, q, v);
}

bool mb_held_frame_back(MbSensitivity *g, const double *q0, double *q, double *v) {
  MbHeldBack *held = g->held;
  const size_t nv = g->sim->model->nv, size = 6 * g->sim->model->nb * sizeof(double);
  memset(held->by_plus, 0, nv * sizeof(double)), memset(held->by_z, 0, nv * sizeof(double));
  memset(held->plus, 0, size), memset(held->z, 0, size);
  memset(held->by_turn, 0, nv * sizeof(double));
  clear_felt(held, g->sim->model);
  memset(held->none, 0, held->nclaimed * sizeof *held->none);
  return all_joints(g, q0, false, q, v);
}

// ---- numbers ------------------------------------------------------------------------------------------------------

// Those of rows that stand in the body's axes.
static void turn_weights(const MbSlopeAxes *axes, int side, size_t b, size_t first, double own[2][6],
                         MbJointWeights *weights) {
  const double *const of[2] = {weights->zeta, weights->mu};
  for (int i = 0; i < 2; i++) {
    memcpy(own[i], of[i], (first + 3) * sizeof **own);
    mb_axes_vector(axes, side, b, false, own[i] + first);
  }
  weights->zeta = own[0], weights->mu = own[1];
}

// By the rows and coordinates of one joint, as a side alone has it.
static bool of_joint_at(MbSensitivity *g, size_t k, size_t b, const double *q0, bool step, int side,
                        size_t of[6], double *sum) {
  const MbHeldBack *held = g->held;
  const MbSlopeAxes *axes = g->slopes[k].axes;
  const MbModel *model = mb_slope_side(&g->slopes[k], side)->model;
  MbJointWeights weights = weights_of(g, b, step);
  MbJointMotions at = motions_of(g, q0);
  double own[2][6];
  if (axes) at.E = held->side_E, at.phi = held->side_phi, at.plus = held->side_plus, at.z = held->side_z;
  const size_t first = mb_joint_rows_in_body(model, b);
  if (axes && first != SIZE_MAX) turn_weights(axes, side, b, first, own, &weights);
  return mb_joint_sum(model, b, &at, &weights, of, sum);
}

// Which of a joint's six numbers its rows are in the run.
static bool rows_of_run(const MbSensitivity *g, size_t b, const double *q0, bool step, size_t of[6]) {
  const MbJointMotions at = motions_of(g, q0);
  const MbJointWeights weights = weights_of(g, b, step);
  double ignored;
  return mb_joint_sum(g->sim->model, b, &at, &weights, of, &ignored);
}

// By those listed.
static bool of_list(MbSensitivity *g, size_t k, const size_t *list, size_t n, const double *q0, bool step,
                    double *sum) {
  for (size_t i = 0; i < n; i++) {
    size_t of[3][6];
    double all[2];
    for (int s = 0; s < 2; s++) {
      if (g->slopes[k].axes) mb_held_side(g, k, s);
      if (!of_joint_at(g, k, list[i], q0, step, s, of[s], &all[s])) return false;
    }
    *sum += all[1] - all[0];
    if (!step) continue; // rows are weighed by nothing
    if (!rows_of_run(g, list[i], q0, step, of[2])) return false;
    if (memcmp(of[0], of[1], sizeof of[0]) == 0 && memcmp(of[0], of[2], sizeof of[0]) == 0) continue;
    g->parted = "a number changes which rows hold a joint";
    return false;
  }
  return true;
}

static bool of_joints(MbSensitivity *g, size_t k, const double *q0, bool step, double *sum) {
  const MbTangentNumber *of = g->held->number[k].of;
  return of_list(g, k, of->joint, of->njoints, q0, step, sum) &&
         (!mb_held_number_jumps(g, k) || of_list(g, k, of->framed, of->nframed, q0, step, sum));
}

// By what acts along coordinates where they are the same.
static double of_coordinates(MbSensitivity *g, MbSim *side, double t) {
  MbHeldBack *held = g->held;
  const MbSim *sim = held->here;
  MbMaximal x = sim->x;
  double sum = 0;
  mb_sim_signals(side, t);
  x.signal = side->signal;
  forces_of(side->model, &x, sim->model, held->side_force, held->side_stiffness, held->side_damping);
  for (size_t i = 0; i < sim->model->nv; i++)
    sum += held->rate_z[i] * pushes(held, sim, side->model, i, held->side_force[i], held->side_stiffness[i],
                                    held->side_damping[i]);
  return sum;
}

bool mb_held_joints_number(MbSensitivity *g, size_t k, double t, const double *q0, double *sum) {
  *sum = 0;
  if (g->held->number[k].along && g->held->of.forces)
    *sum += of_coordinates(g, g->slopes[k].more, t) - of_coordinates(g, g->slopes[k].less, t);
  return of_joints(g, k, q0, true, sum);
}

bool mb_held_joints_asked(MbSensitivity *g, size_t k, const double *q0, double *sum) {
  MbHeldBack *held = g->held;
  const MbTangentNumber *of = held->number[k].of;
  clear_weights(held, g->sim->model);
  memset(held->lambda, 0, held->nclaimed * sizeof *held->lambda);
  *sum = 0;
  return of_list(g, k, of->joint, of->njoints, q0, true, sum) &&
         of_list(g, k, of->framed, of->nframed, q0, true, sum);
}

bool mb_held_frame_number(MbSensitivity *g, size_t k, const double *q0, double *sum) {
  *sum = 0;
  return of_joints(g, k, q0, false, sum);
}

bool mb_held_find_slopes(const MbHeldBack *held, const MbSim *sim, const double *q, bool rates,
                         MbJointSlopes *out) {
  const MbModel *model = sim->model;
  const MbJointMotions at = {.E = sim->x.E,
                             .phi = sim->x.phi,
                             .plus = held->plus,
                             .z = held->z,
                             .q = q + 7 * model->nb,
                             .hinge = held->hinge,
                             .like = model};
  for (size_t b = 0; b < model->nb; b++)
    if (model->joint[b].ops && mb_joint_rows_in_body(model, b) == SIZE_MAX &&
        !(rates ? mb_joint_rates : mb_joint_slopes)(model, b, &at, &out[b]))
      return false;
  return true;
}
