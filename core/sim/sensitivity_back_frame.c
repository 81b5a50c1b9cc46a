// What a frame of a run is felt by, on the way back: channels of motion by one transposed pass through the tree, others by differences along
// each coordinate and velocity; and the frame's own change by each number.
#include "core/sim/sensitivity_back.h"
#include "core/model/coordinates.h"
#include "core/sim/channels.h"
#include "core/sim/layout.h"
#include "core/sim/sensitivity_held.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// What the weights left come to, all as much as they are.
static double size_of(const MbBackward *b, const double *frame) {
  double sum = 0;
  for (size_t i = 0; i < mb_sim_frame_size(b->g->sim); i++) sum += fabs(b->left[i] * frame[i]);
  return sum;
}

// What a difference along one coordinate (or velocity) is of fourth order and of second, and how large what it is of.
typedef struct Difference {
  double fourth, second, size;
} Difference;

static MbStatus differ(MbBackward *b, size_t i, bool velocity, double move, Difference *out,
                       MbReport *report) {
  static const double weight[5] = {1, -8, 0, 8, -1};
  MbSensitivity *g = b->g;
  const MbSim *sim = g->sim;
  const MbMoment *at = &b->at;
  MbStatus status = MB_OK;
  memset(b->along, 0, sim->nv * sizeof *b->along);
  b->along[i] = 1, *out = (Difference){0};
  for (int side = -2; side <= 2 && status == MB_OK; side++) {
    if (!side) continue;
    memcpy(g->q1, at->q, sim->nq * sizeof *g->q1);
    memcpy(g->rate, at->v, sim->nv * sizeof *g->rate);
    if (velocity)
      g->rate[i] += side * move;
    else
      mb_sim_advance(g->sim, g->q1, side * move, b->along);
    status = mb_slope_sample(g->probe, g->q1, g->rate, at->t, at->t, at->step, b->frame[0], report);
    const double told = mb_slope_dot(b->left, b->frame[0], mb_sim_frame_size(sim));
    out->fourth += weight[side + 2] / (12 * move) * told;
    if (abs(side) == 1) out->second += side / (2 * move) * told;
  }
  out->size = size_of(b, b->frame[0]);
  return status;
}

// What the weights left are felt by along one coordinate (or velocity), by a shorter move where what is told has a corner.
static MbStatus along_one(MbBackward *b, size_t i, bool velocity, double move, double *out,
                          MbReport *report) {
  Difference far, near;
  MbStatus status = differ(b, i, velocity, move, &far, report);
  *out = far.fourth;
  if (status != MB_OK || !mb_slope_cornered(far.fourth, far.second, far.size, move)) return status;
  status = differ(b, i, velocity, MB_SLOPE_NEARER * move, &near, report);
  if (fabs(near.fourth - near.second) < fabs(far.fourth - far.second)) *out = near.fourth;
  return status;
}

// What a number changes of the frame at the same state, by both sides' frames.
static MbStatus add_sides(MbBackward *b, size_t k, const double *weights, MbReport *report) {
  const MbSensitivity *g = b->g;
  const MbSlope *slope = &g->slopes[k];
  const MbMoment *at = &b->at;
  MbStatus status = MB_OK;
  for (int s = 0; s < 2 && status == MB_OK; s++)
    status = mb_slope_sample(mb_slope_side(slope, s), mb_axes_q(slope->axes, s, at->q),
                             mb_axes_v(slope->axes, s, MB_AXES_FELT, at->v), at->t, at->t, at->step,
                             b->frame[s], report);
  for (size_t i = 0; i < mb_sim_frame_size(g->sim) && status == MB_OK; i++)
    b->out[k] += weights[i] * (b->frame[1][i] - b->frame[0][i]) / (2 * g->number[k].move);
  return status;
}

// Channels whose weights are left, by differences.
static MbStatus add_left(MbBackward *b, MbReport *report) {
  static const double MOVE = 1e-4; // as along the run
  MbSensitivity *g = b->g;
  const MbSim *sim = g->sim;
  const MbMoment *at = &b->at;
  const double length = MOVE * (sim->model->size > 0 ? fmin(1, sim->model->size) : 1);
  double fastest = 1;
  MbStatus status = MB_OK;
  for (size_t i = 0; i < sim->nv; i++) fastest = fmax(fastest, fabs(at->v[i]));
  for (size_t i = 0; i < sim->nv && status == MB_OK; i++) {
    double by_q = 0, by_v = 0;
    status = along_one(b, i, false, length, &by_q, report);
    if (status == MB_OK) status = along_one(b, i, true, MOVE * fastest, &by_v, report);
    b->q[i] += by_q, b->v[i] += by_v;
  }
  for (size_t k = 0; k < g->count && status == MB_OK; k++) status = add_sides(b, k, b->left, report);
  return status;
}

// Channels that tell of motion, by the transposed pass through the tree. *all: there are no others.
static MbStatus add_motion(MbBackward *b, bool *all, MbReport *report) {
  MbSensitivity *g = b->g;
  MbSensitivity *equations = mb_held_equations(g);
  MbSim *probe = g->probe, *moves = equations->probe;
  const MbMoment *at = &b->at;
  MbTangent *tangent = equations->tangent;
  const size_t nb = probe->model->nb;
  MbWeighed to = {b->by_move, b->by_phi, b->q, b->v};
  if (g->held) mb_held_frame_begin(g, at->q, at->v, &to);
  memset(to.move, 0, 6 * nb * sizeof *to.move), memset(to.phi, 0, 6 * nb * sizeof *to.phi);
  *all = mb_sim_weigh(probe, b->weight, &to, b->left);
  mb_tangent_motion(moves, tangent, at->v);
  mb_tangent_weigh(moves, tangent, to.move, to.phi, b->q, b->v);
  if (g->held && !mb_held_frame_back(g, at->q, b->q, b->v)) return mb_slope_unsolved(at->t, at->step, report);
  for (size_t k = 0; k < g->count; k++) {
    const MbSlope *slope = &g->slopes[k];
    if (mb_tangent_number_jumps(slope->number)) continue;
    double by = mb_tangent_number_told(moves, tangent, slope->number, at->v);
    if (mb_tangent_number_frames(slope->number))
      by += mb_sim_weighed(probe, slope->more->model, b->weight, b->frame[0]) -
            mb_sim_weighed(probe, slope->less->model, b->weight, b->frame[0]);
    double joints = 0;
    if (g->held && !mb_held_frame_number(g, k, at->q, &joints))
      return mb_slope_unsolved(at->t, at->step, report);
    b->out[k] += (by + joints) / (2 * g->number[k].move);
  }
  for (size_t i = 0; i < mb_sim_frame_size(g->sim); i++) b->weight[i] -= b->left[i]; // those of motion
  MbStatus status = MB_OK;
  for (size_t k = 0; k < g->count && status == MB_OK; k++)
    if (mb_tangent_number_jumps(g->slopes[k].number)) status = add_sides(b, k, b->weight, report);
  return status;
}

// Takes in what b->weight are felt by, of bodies' states, and by differences channels that others tell as well (frame size; NULL: there are none).
static MbStatus add_bodies(MbBackward *b, const double *others, MbReport *report) {
  bool all = true;
  const MbStatus status = add_motion(b, &all, report);
  for (size_t i = 0; others && i < mb_sim_frame_size(b->g->sim); i++) {
    b->left[i] += others[i];
    all &= others[i] == 0;
  }
  return all || status != MB_OK ? status : add_left(b, report);
}

MbStatus mb_back_frame(MbBackward *b, const MbMoment *at, MbReport *report) {
  MbSensitivity *g = b->g;
  if (!b->weights->wanted(b->weights->to, at->step, at->t)) return MB_OK;
  b->at = *at;
  if (b->nodes) {
    const double *others = NULL;
    const MbStatus nodes = mb_back_nodes_frame(b, at, &others, report);
    return nodes == MB_OK && others ? add_bodies(b, others, report) : nodes;
  }
  MbStatus status = mb_slope_sample(g->probe, at->q, at->v, at->t, at->t, at->step, b->frame[0], report);
  if (status != MB_OK) return status;
  memset(b->weight, 0, mb_sim_frame_size(g->sim) * sizeof *b->weight);
  b->weights->weigh(b->weights->to, at->step, at->t, b->frame[0], b->weight);
  return add_bodies(b, NULL, report);
}
