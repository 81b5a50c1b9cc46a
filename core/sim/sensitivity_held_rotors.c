// What coordinates speed up by themselves: joints' own inertia I, back through steps under solver "maximal". In those of one solution it takes the force along a coordinate (solvers/maximal/poses.c)
//
//   f = −I ( (V v⁺ − V v)/h + V o + V̇ v ),     o = I_b⁻¹ s/h      of bodies that fly, s their swing (model/flight.h)
//
// and a prescribed acceleration asks for h (V o + V̇ v) less. Of these the rates at both ends and V̇ v are weights of the joint's sum, as those of springs and of prescribed accelerations are. V o is one of a sum of its own, in which o has the place of v⁺; o is felt by
// spins and by moments of inertia.
//
// In a stage, and in what agrees where that ends (sensitivity_held_stage.c), as in passes of the midpoint rule and behind these (sensitivity_held_halves.c), it is
//
//   f = −I (V a + V̇ v),     VᵀI V (p − w)  beside M (p − w)
//
// both sums of V x, x having the place of v⁺. A prescribed acceleration ẍ is a row  γ h (V a + V̇ v − ẍ)  of the stage, and  V (p − w)  of what agrees: weights of the same sums. How V̇ v of each coordinate changes is found once in a stage, as its products have to be the same to rounding.
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
  bool staged, bends; // it is a stage's, `own` being x; with V̇ v
  double *turned;     // (model's nv x TURNED) of V̇ v of each coordinate
};

// What that is felt by along motions of the joint's body and of its parent, velocities of both, and its frames before and behind.
enum { TURNED = 36 };

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
  r->turned = mb_arena_alloc(&g->arena, TURNED * model->nv + 1, sizeof *r->turned);
  return ok && r->turned;
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

void mb_held_rotors_stage(MbSensitivity *g, const double *x, bool bends) {
  MbHeldRotors *r = g->held->rotors;
  const MbSim *sim = g->held->here;
  const size_t nv = sim->model->nv;
  if (!r) return;
  r->staged = true, r->bends = bends;
  memset(r->weight, 0, nv * sizeof *r->weight), memset(r->rate, 0, nv * sizeof *r->rate);
  memset(r->own, 0, 6 * sim->model->nb * sizeof *r->own);
  if (!x) return;
  for (size_t b = 0; b < sim->model->nb; b++) mb_twist_of_velocity(&sim->x.E[b], x + 6 * b, r->own + 6 * b);
  sim->solver->map->rates(sim->work, sim->model, x, r->rate);
  const double *turns = bends ? sim->solver->map->turns(sim->work) : r->none;
  for (size_t k = 0; k < nv; k++) r->rate[k] += turns[k];
}

double mb_held_rotors_push(const MbHeldBack *held, const MbSim *sim, size_t k, double inertia) {
  if (!held->rotors) return 0;
  if (held->rotors->staged) return inertia * held->rotors->rate[k];
  return inertia * ((held->rate_plus[k] - sim->x.v[k]) / sim->model->h + held->rotors->rate[k]);
}

void mb_held_rotors_weigh(MbHeldBack *held, const MbSim *sim) {
  const MbModel *model = sim->model;
  for (size_t k = 0; held->rotors && k < model->nv; k++) {
    const double weight = held->rotors->weight[k] = model->joint_inertia[k] * held->rate_z[k];
    if (held->rotors->staged) continue;
    held->by_plus[k] += weight / model->h, held->by_rate[k] -= weight / model->h;
    held->by_turn[k] += weight;
  }
}

void mb_held_rotors_weigh_row(MbHeldBack *held, size_t k, double weight) {
  held->rotors->weight[k] += weight;
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
                          .like = sim->model,
                          .slopes = held->slopes};
}

static MbJointWeights weights_of(const MbHeldBack *held, const MbModel *model, size_t b, bool bends) {
  const MbHeldRotors *r = held->rotors;
  const size_t first = held->first[b], v = model->v_first[b];
  return (MbJointWeights){.zeta = held->none + first,
                          .mu = held->none + first,
                          .q = r->none + v,
                          .rate = r->none + v,
                          .plus = r->weight + v,
                          .z = r->none + v,
                          .turn = (bends ? r->weight : r->none) + v};
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

// What spins and, of stages, V̇ v are felt by beside.
static void of_spins(const MbHeldBack *held, const MbModel *model) {
  const MbSwingSlopes *swing = mb_tangent_swings(held->free.tangent);
  for (size_t b = 0; b < model->nb; b++)
    for (size_t j = 0; j < 3 && model->swings[b]; j++)
      for (size_t i = 0; i < 3; i++)
        held->phi[6 * b + i] +=
            held->rotors->felt[6 * b + j] * swing[b].by_w[3 * j + i] / (model->M[6 * b + j] * model->h);
}
static void of_turns(MbHeldBack *held, const MbModel *model) {
  double unread[6] = {0};
  for (size_t b = 0; b < model->nb; b++) {
    const size_t p = model->parent[b];
    double *const to[] = {held->move + 6 * b,   p == MB_WORLD ? unread : held->move + 6 * p,
                          held->phi + 6 * b,    p == MB_WORLD ? unread : held->phi + 6 * p,
                          held->before + 6 * b, held->behind + 6 * b};
    for (size_t k = model->v_first[b]; model->joint[b].ops && k < model->v_first[b] + model->joint[b].n; k++)
      for (size_t i = 0; i < TURNED; i++)
        to[i / 6][i % 6] += held->rotors->weight[k] * held->rotors->turned[TURNED * k + i];
  }
}

bool mb_held_rotors_back(MbSensitivity *g, const double *q0) {
  MbHeldBack *held = g->held;
  MbHeldRotors *r = held->rotors;
  const MbModel *model = g->probe->model;
  if (!r || (!r->staged && !model->any_swings)) return true;
  if (!r->staged) weigh_rows(held, g->probe);
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
    const MbJointWeights weights = weights_of(held, model, b, false);
    if (model->joint[b].ops && !mb_joint_felt(model, b, &at, &weights, &felt)) return false;
  }
  if (!r->staged) of_spins(held, model);
  if (r->staged && r->bends) of_turns(held, model);
  return true;
}

void mb_held_rotors_felt(const MbSensitivity *g, double *a) {
  const MbHeldRotors *r = g->held->rotors;
  const MbSim *sim = g->held->here;
  for (size_t b = 0; r && b < sim->model->nb; b++) {
    double felt[6];
    mb_velocity_of_twist(&sim->x.E[b], r->felt + 6 * b, felt);
    for (size_t i = 0; i < 6; i++) a[6 * b + i] += felt[i];
  }
}

// Finds what V̇ v of one coordinate of a joint is felt by, in lists that are zero and are so again.
static bool find_turned(MbHeldBack *held, const MbModel *model, size_t b, size_t k, const MbJointMotions *at,
                        double *out) {
  const MbHeldRotors *r = held->rotors;
  const size_t p = model->parent[b];
  double *const lists[] = {held->move, held->phi, r->side, r->felt};
  MbJointFelt felt = {lists[0], lists[1], lists[2], lists[3], NULL, held->any_before, held->any_behind};
  r->weight[k] = 1;
  MbJointWeights turn = weights_of(held, model, b, true);
  turn.plus = r->none + model->v_first[b];
  const bool fine = mb_joint_felt(model, b, at, &turn, &felt);
  r->weight[k] = 0;
  for (size_t i = 0; i < 6; i++) {
    out[i] = held->move[6 * b + i], out[12 + i] = held->phi[6 * b + i];
    out[6 + i] = p == MB_WORLD ? 0 : held->move[6 * p + i],
            out[18 + i] = p == MB_WORLD ? 0 : held->phi[6 * p + i];
    out[24 + i] = r->side[6 * b + i], out[30 + i] = r->felt[6 * b + i];
  }
  for (size_t l = 0; l < 4; l++) {
    memset(lists[l] + 6 * b, 0, 6 * sizeof(double));
    if (p != MB_WORLD) memset(lists[l] + 6 * p, 0, 6 * sizeof(double));
  }
  return fine;
}

bool mb_held_rotors_turns(MbSensitivity *g, const double *q0) {
  MbHeldBack *held = g->held;
  MbHeldRotors *r = held->rotors;
  const MbModel *model = g->probe->model;
  if (!r) return true;
  double *const lists[] = {held->move, held->phi, r->side, r->felt};
  for (size_t l = 0; l < 4; l++) memset(lists[l], 0, 6 * model->nb * sizeof(double));
  memset(r->weight, 0, model->nv * sizeof *r->weight);
  memset(held->none, 0, held->nclaimed * sizeof *held->none);
  MbJointMotions at = motions_of(held, q0, false, r->own);
  at.slopes = NULL;
  for (size_t b = 0; b < model->nb; b++)
    for (size_t k = model->v_first[b]; model->joint[b].ops && k < model->v_first[b] + model->joint[b].n; k++)
      if (!find_turned(held, model, b, k, &at, r->turned + TURNED * k)) return false;
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
  const MbJointWeights weights = weights_of(held, side, b, held->rotors->staged && held->rotors->bends);
  size_t of[6];
  return mb_joint_sum(side, b, &at, &weights, of, sum);
}

static bool of_joints(MbSensitivity *g, size_t k, int s, const double *q0, double *sum) {
  MbHeldRotors *r = g->held->rotors;
  const MbModel *model = g->probe->model, *side = mb_slope_side(&g->slopes[k], s)->model;
  const bool all = mb_held_number_jumps(g, k);
  mb_held_side(g, k, s);
  for (size_t b = 0; b < model->nb && !r->staged; b++)
    find_own(all ? side : model, b, g->held->side_phi + 6 * b, r->side + 6 * b);
  if (r->staged) memcpy(r->side, r->own, 6 * model->nb * sizeof *r->side);
  if (r->staged) mb_axes_twists(g->slopes[k].axes, s, r->side);
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

// What it changes of the inertia itself in what agrees where a stage or step ends; in these it is among what acts along coordinates.
static double of_inertia(const MbSensitivity *g, size_t k) {
  const MbHeldBack *held = g->held;
  const MbModel *less = g->slopes[k].less->model, *more = g->slopes[k].more->model;
  double sum = 0;
  for (size_t i = 0; i < less->nv && mb_tangent_number_rotors(held->number[k].of); i++)
    sum += (more->joint_inertia[i] - less->joint_inertia[i]) * held->rotors->rate[i] * held->rate_z[i];
  return sum;
}

bool mb_held_rotors_number(MbSensitivity *g, size_t k, const double *q0, double *sum) {
  const MbTangentNumber *of = g->held->number[k].of;
  const MbHeldRotors *r = g->held->rotors;
  if (!r || (!r->staged && !g->probe->model->any_swings)) return true;
  if (r->staged && !r->bends) *sum += of_inertia(g, k);
  const bool moments =
      !r->staged && of->nmasses && !mb_tangent_number_linear(of) && !mb_held_number_jumps(g, k);
  for (int s = 0; s < 2; s++) {
    if ((of->njoints || mb_held_number_jumps(g, k)) && !of_joints(g, k, s, q0, sum)) return false;
    if (moments) *sum += of_moments(g, k, s);
  }
  return true;
}
