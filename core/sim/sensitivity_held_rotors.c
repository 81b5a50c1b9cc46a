// What coordinates speed up by themselves: joints' own inertia I, back through steps of one solution under solver "maximal". It takes the force along a coordinate (solvers/maximal/poses.c)
//
//   f = −I ( (V v⁺ − V v)/h + V o + V̇ v ),     o = I_b⁻¹ s/h      of bodies that fly, s their swing (model/flight.h)
//
// and a prescribed acceleration asks for h (V o + V̇ v) less. Of these the rates at both ends and V̇ v are weights of the joint's sum, as those of springs and of prescribed accelerations are. V o is one of a sum of its own, in which o has the place of v⁺; o is felt by
// spins and by moments of inertia.
#include "core/model/coordinates.h"
#include "core/model/flight.h"
#include "core/sim/sensitivity_held.h"
#include "core/sim/tangent_number_parts.h"

#include <string.h>

struct MbHeldRotors {
  double *own, *felt; // (nb x 6) o as twists, and what it is felt by
  double *side;       // (nb x 6) o on a side of a number
  double *rate;       // (model's nv) V o + V̇ v
  double *weight;     // (model's nv) what that is weighed by
  double *none;       // (model's nv) zero
};

// Whether a row prescribes an acceleration.
static bool accelerates(const MbModel *model) {
  bool any = false;
  for (size_t i = 0; i < model->nconstraints; i++) any |= model->constraints[i].order == 2;
  return any;
}

bool mb_held_rotors_make(MbSensitivity *g) {
  MbHeldBack *held = g->held;
  const MbModel *model = g->sim->model;
  if (!model->rotors && !accelerates(model)) return true;
  MbHeldRotors *r = held->rotors = mb_arena_alloc(&g->arena, 1, sizeof *r);
  if (!r) return false;
  double **const of_bodies[] = {&r->own, &r->felt, &r->side};
  double **const of_joints[] = {&r->rate, &r->weight, &r->none};
  bool ok = true;
  for (size_t i = 0; i < 3; i++) {
    ok &= (*of_bodies[i] = mb_arena_alloc(&g->arena, 6 * model->nb + 1, sizeof(double))) != NULL;
    ok &= (*of_joints[i] = mb_arena_alloc(&g->arena, model->nv + 1, sizeof(double))) != NULL;
  }
  return ok;
}

// own ← o of a body that has these moments and spins so.
static void find_own(const MbModel *model, size_t b, const double *phi, double own[6]) {
  const double *M = model->M + 6 * b;
  double s[3];
  memset(own, 0, 6 * sizeof *own);
  if (!model->any_swings || !model->swings[b]) return;
  mb_flight_swing(model->h, M, phi, s);
  for (size_t k = 0; k < 3 && M[k] > 0; k++) own[k] = s[k] / (M[k] * model->h);
}

void mb_held_rotors_at(MbSensitivity *g) {
  MbHeldRotors *r = g->held->rotors;
  const MbSim *sim = g->probe;
  if (!r) return;
  for (size_t b = 0; b < sim->model->nb; b++) find_own(sim->model, b, sim->x.phi + 6 * b, r->own + 6 * b);
  sim->solver->map->rates(sim->work, sim->model, r->own, r->rate); // turns alone, in the bodies' axes
  const double *turns = sim->solver->map->turns(sim->work);
  for (size_t k = 0; k < sim->model->nv; k++) r->rate[k] += turns[k];
}

double mb_held_rotors_push(const MbHeldBack *held, const MbSim *sim, size_t k, double inertia) {
  if (!held->rotors) return 0;
  return inertia * ((held->rate_plus[k] - sim->x.v[k]) / sim->model->h + held->rotors->rate[k]);
}

void mb_held_rotors_weigh(MbHeldBack *held, const MbSim *sim) {
  const MbModel *model = sim->model;
  for (size_t k = 0; held->rotors && k < model->nv; k++) {
    const double weight = held->rotors->weight[k] = model->joint_inertia[k] * held->rate_z[k];
    held->by_plus[k] += weight / model->h, held->by_rate[k] -= weight / model->h;
    held->by_turn[k] += weight;
  }
}

// ---- the sum of V o -----------------------------------------------------------------------------------------------

static MbJointMotions motions_of(const MbHeldBack *held, const double *q0, bool side, const double *own) {
  const MbSim *sim = held->here;
  return (MbJointMotions){.E = side ? held->side_E : sim->x.E,
                          .phi = side ? held->side_phi : sim->x.phi,
                          .plus = own,
                          .z = side ? held->side_z : held->z,
                          .q = q0 + 7 * sim->model->nb,
                          .hinge = held->hinge,
                          .like = sim->model};
}

static MbJointWeights weights_of(const MbHeldBack *held, const MbModel *model, size_t b) {
  const MbHeldRotors *r = held->rotors;
  const size_t first = held->first[b], v = model->v_first[b];
  return (MbJointWeights){.zeta = held->none + first,
                          .mu = held->none + first,
                          .q = r->none + v,
                          .rate = r->none + v,
                          .plus = r->weight + v,
                          .z = r->none + v,
                          .turn = r->none + v};
}

// What rows that prescribe accelerations weigh V o by.
static void weigh_rows(MbHeldBack *held, const MbSim *sim) {
  const MbHeldRows *rows = held->rows;
  for (size_t i = 0; rows && i < rows->n; i++) {
    const MbHeldRow *row = &rows->row[i];
    const MbRow *at = &sim->constraining->set.row[row->slot];
    for (int e = 0; e < 2 && row->order == 2; e++)
      if (at->c[e] != 0) held->rotors->weight[at->v[e]] += row->zeta * row->bend * at->c[e];
  }
}

bool mb_held_rotors_back(MbSensitivity *g, const double *q0) {
  MbHeldBack *held = g->held;
  MbHeldRotors *r = held->rotors;
  const MbModel *model = g->probe->model;
  if (!r || !model->any_swings) return true;
  weigh_rows(held, g->probe);
  const MbSwingSlopes *swing = mb_tangent_swings(held->free.tangent);
  const MbJointMotions at = motions_of(held, q0, false, r->own);
  memset(r->felt, 0, 6 * model->nb * sizeof *r->felt);
  memset(held->none, 0, held->nclaimed * sizeof *held->none);
  MbJointFelt felt = {.move = held->move,
                      .phi = held->phi,
                      .before = held->before,
                      .behind = held->behind,
                      .plus = r->felt,
                      .any_before = held->any_before,
                      .any_behind = held->any_behind};
  for (size_t b = 0; b < model->nb; b++) {
    const MbJointWeights weights = weights_of(held, model, b);
    if (model->joint[b].ops && !mb_joint_felt(model, b, &at, &weights, &felt)) return false;
  }
  for (size_t b = 0; b < model->nb; b++)
    for (size_t j = 0; j < 3 && model->swings[b]; j++)
      for (size_t i = 0; i < 3; i++)
        held->phi[6 * b + i] +=
            r->felt[6 * b + j] * swing[b].by_w[3 * j + i] / (model->M[6 * b + j] * model->h);
  return true;
}

void mb_held_rotors_gather(const MbSensitivity *g, MbTangentGather *gather) {
  const MbHeldRotors *r = g->held->rotors;
  const MbModel *model = g->probe->model;
  const MbSwingSlopes *swing = mb_tangent_swings(g->held->free.tangent);
  for (size_t b = 0; r && model->any_swings && b < model->nb; b++) {
    const double *M = model->M + 6 * b, *by = r->felt + 6 * b;
    double felt[3] = {0};
    if (!model->swings[b] || !mb_tangent_gathers_moments(gather, b)) continue;
    for (size_t j = 0; j < 3; j++) {
      felt[j] -= by[j] * swing[b].s[j] / (M[j] * M[j] * model->h);
      for (size_t k = 0; k < 3; k++) felt[k] += by[j] * swing[b].by_I[3 * j + k] / (M[j] * model->h);
    }
    mb_tangent_gather_moments(gather, b, felt);
  }
}

// ---- numbers --------------------------------------------------------------------------------------------------------

// The sum as a side has it: of a joint, with what it makes of bodies' axes, or with their moments too.
static bool sum_on(MbSensitivity *g, size_t k, int s, size_t b, const double *q0, double *sum) {
  MbHeldBack *held = g->held;
  const MbModel *side = mb_slope_side(&g->slopes[k], s)->model;
  const MbJointMotions at = motions_of(held, q0, true, held->rotors->side);
  const MbJointWeights weights = weights_of(held, side, b);
  size_t of[6];
  return mb_joint_sum(side, b, &at, &weights, of, sum);
}

static bool of_joints(MbSensitivity *g, size_t k, int s, const double *q0, double *sum) {
  MbHeldRotors *r = g->held->rotors;
  const MbModel *model = g->probe->model, *side = mb_slope_side(&g->slopes[k], s)->model;
  const bool all = mb_held_number_jumps(g, k);
  mb_held_side(g, k, s);
  for (size_t b = 0; b < model->nb; b++)
    find_own(all ? side : model, b, g->held->side_phi + 6 * b, r->side + 6 * b);
  for (size_t b = 0; b < model->nb; b++) {
    double one = 0;
    const MbTangentNumber *of = g->held->number[k].of;
    bool asked = all;
    for (size_t i = 0; i < of->njoints; i++) asked |= of->joint[i] == b;
    if (!asked || !model->joint[b].ops) continue;
    if (!sum_on(g, k, s, b, q0, &one)) return false;
    *sum += (s ? 1 : -1) * one;
  }
  return true;
}

// What moments that are not gathered change of o, weighed.
static double of_moments(MbSensitivity *g, size_t k, int s) {
  const MbHeldRotors *r = g->held->rotors;
  const MbModel *model = g->probe->model;
  double sum = 0, own[6];
  for (size_t b = 0; b < model->nb; b++) {
    find_own(mb_slope_side(&g->slopes[k], s)->model, b, g->probe->x.phi + 6 * b, own);
    sum += (s ? 1 : -1) * mb_slope_dot(r->felt + 6 * b, own, 3);
  }
  return sum;
}

bool mb_held_rotors_number(MbSensitivity *g, size_t k, const double *q0, double *sum) {
  const MbTangentNumber *of = g->held->number[k].of;
  if (!g->held->rotors || !g->probe->model->any_swings) return true;
  const bool moments = of->nmasses && !mb_tangent_number_linear(of) && !mb_held_number_jumps(g, k);
  for (int s = 0; s < 2; s++) {
    if ((of->njoints || mb_held_number_jumps(g, k)) && !of_joints(g, k, s, q0, sum)) return false;
    if (moments) *sum += of_moments(g, k, s);
  }
  return true;
}
