// What is told of frames along the run, in two parts as steps are (sensitivity.c): by the state, along (δq, δv), and by the number at the same state.
#include "core/base/report.h"
#include "core/sim/evaluate.h"
#include "core/sim/layout.h"
#include "core/sim/nodes_told.h"
#include "core/sim/same_elements.h"
#include "core/sim/sensitivity_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

MbStatus mb_slope_sample(MbSim *at, const double *q, const double *v, double t, double seen, int64_t step,
                         double *frame, MbReport *report) {
  memcpy(at->state.q, q, at->nq * sizeof *q);
  memcpy(at->state.v, v, at->nv * sizeof *v);
  at->state.t = t, at->state.step = step;
  mb_sim_kinematics(at, at->state.q, at->state.v);
  mb_sim_signals(at, seen);
  return mb_sim_sample(at, frame, report);
}

enum { LESS, MORE, RUN }; // whose model a frame is of

// What is carried from step to step goes along, by steps. Signals are as the run has last seen them.
static MbStatus sample_at(const MbSensitivity *g, int side, const double *q, const double *v,
                          const MbSlope *along, double way, double *frame, MbReport *report) {
  MbSim *at = side == RUN ? g->probe : mb_slope_side(along, side);
  if (side != RUN) q = mb_axes_q(along->axes, side, q), v = mb_axes_v(along->axes, side, MB_AXES_FELT, v);
  for (size_t i = 0; i < at->nm && g->by_steps; i++)
    at->state.memory[i] = g->sim->state.memory[i] + way * along->memory[i];
  return mb_slope_sample(at, q, v, g->sim->state.t, g->sim->x.t, g->sim->state.step, frame, report);
}

// Whether a section of the state's memory is of what has been seen of steps alone, and moves nothing.
static bool only_seen(int section) {
  static const MbSection seen[] = {MB_SECTION_SOLUTION, MB_SECTION_CRUSHED,        MB_SECTION_LINEAR,
                                   MB_SECTION_WATCH,    MB_SECTION_GAPS,           MB_SECTION_FREEDOM,
                                   MB_SECTION_LATCHED,  MB_SECTION_LATCHED_BEFORE, MB_SECTION_TOLD};
  for (size_t i = 0; i < sizeof seen / sizeof *seen; i++)
    if (section == (int)seen[i]) return true;
  return false;
}

// The largest derivative of what the state carries beside coordinates and velocities: of points their places and velocities alone.
static double most_carried(const MbSim *sim, const MbSlope *t) {
  const size_t points = 3 * mb_model_points(sim->model);
  double most = 0;
  for (int s = 0; s < MB_SECTIONS; s++) {
    size_t end = sim->section[s + 1];
    if (only_seen(s) || (points && s != MB_SECTION_NODES)) continue;
    if (points) end = sim->section[s] + 2 * points;
    for (size_t i = sim->section[s]; i < end; i++)
      most = fmax(most, fabs(t->memory[i]) / (1 + fabs(sim->state.memory[i])));
  }
  return most;
}

// How much of the number moves the state by as much as it is large.
static double far(const MbSensitivity *g, const MbSlope *t) {
  const MbSim *sim = g->sim;
  double most = 0, fastest = 1;
  for (size_t i = 0; i < sim->nv; i++) fastest = fmax(fastest, fabs(sim->state.v[i]));
  for (size_t i = 0; i < sim->nv; i++) most = fmax(most, fmax(fabs(t->q[i]), fabs(t->v[i]) / fastest));
  if (g->by_steps) most = fmax(most, most_carried(sim, t));
  return (sim->model->size > 0 ? fmin(1, sim->model->size) : 1) / most;
}

// g->frame[0] ← the frame of a model where the number is off by `way`.
static MbStatus sample_moved(MbSensitivity *g, int of, const MbSlope *t, double way, MbReport *report) {
  const MbSim *sim = g->sim;
  memcpy(g->q1, sim->state.q, sim->nq * sizeof *g->q1);
  mb_sim_advance(g->sim, g->q1, way, t->q);
  for (size_t i = 0; i < sim->nv; i++) g->rate[i] = sim->state.v[i] + way * t->v[i];
  return sample_at(g, of, g->q1, g->rate, t, way, g->frame[0], report);
}

// fourth, second ← differences of these orders along the state's change, of the same frames.
static MbStatus differences(MbSensitivity *g, const MbSlope *t, double move, double *fourth, double *second,
                            MbReport *report) {
  static const double weight[5] = {1, -8, 0, 8, -1};
  const size_t size = mb_sim_frame_size(g->sim);
  MbStatus status = MB_OK;
  memset(fourth, 0, size * sizeof *fourth), memset(second, 0, size * sizeof *second);
  for (int side = -2; side <= 2 && status == MB_OK; side++) {
    if (side == 0) continue;
    status = sample_moved(g, RUN, t, side * move, report);
    for (size_t i = 0; i < size; i++) fourth[i] += weight[side + 2] / (12 * move) * g->frame[0][i];
    for (size_t i = 0; i < size && abs(side) == 1; i++) second[i] += side / (2 * move) * g->frame[0][i];
  }
  return status;
}

bool mb_slope_cornered(double fourth, double second, double value, double move) {
  static const double SMOOTH = 1e-5, ROUNDING = 1e-12; // of the derivative; of the value
  return fabs(fourth - second) > SMOOTH * fabs(fourth) + ROUNDING * fabs(value) / move;
}

// slope ← by the state, along (δq, δv): differences of fourth order over moves that are small beside what moves, and smaller ones of what has a corner within these, as a motor has at its most.
static MbStatus along_state(MbSensitivity *g, const MbSlope *t, double *slope, MbReport *report) {
  // what single steps carry along has more rounding
  static const double MOVE = 1e-4, MOVE_BY_STEPS = 1e-3;
  const size_t size = mb_sim_frame_size(g->sim);
  const double move = (g->by_steps ? MOVE_BY_STEPS : MOVE) * far(g, t), less = MB_SLOPE_NEARER * move;
  double *second = g->frame[1], *const near[2] = {g->frame[2], g->frame[3]};
  bool any = false;
  if (!isfinite(move)) return MB_OK;
  MbStatus status = differences(g, t, move, slope, second, report);
  for (size_t i = 0; i < size; i++) any |= mb_slope_cornered(slope[i], second[i], g->frame[0][i], move);
  if (!any || status != MB_OK) return status;
  status = differences(g, t, less, near[0], near[1], report);
  for (size_t i = 0; i < size; i++)
    if (mb_slope_cornered(slope[i], second[i], g->frame[0][i], move) &&
        fabs(near[0][i] - near[1][i]) < fabs(slope[i] - second[i]))
      slope[i] = near[0][i];
  return status;
}

// slope ← by state and number, one after the other.
static MbStatus one_by_one(MbSensitivity *g, size_t k, double *slope, MbReport *report) {
  const MbSim *sim = g->sim;
  const MbSlope *t = &g->slopes[k];
  MbStatus status = along_state(g, t, slope, report);
  for (int s = LESS; s <= MORE && status == MB_OK; s++)
    status = sample_at(g, s, sim->state.q, sim->state.v, t, 0, g->frame[s], report);
  for (size_t i = 0; i < mb_sim_frame_size(sim) && status == MB_OK; i++)
    slope[i] += (g->frame[1][i] - g->frame[0][i]) / (2 * g->number[k].move);
  return status;
}

// Whether a channel tells how elements are strained.
static bool tells_elements(const MbChannel *channel) {
  if (!strcmp(channel->name, "energy")) return true;
  return !strncmp(channel->name, "deformable.", strlen("deformable.")) &&
         (strstr(channel->name, "strain") || strstr(channel->name, "stress") ||
          strstr(channel->name, "von_mises"));
}

bool mb_sensitivity_adds_up(const MbSensitivity *g, size_t column) {
  enum { STATE = 4 }; // of a channel of energy: what follows are sums over steps
  const MbSim *sim = g->sim;
  const bool rubs = (g->held || g->beside) && sim->model->dry;
  const bool adds = g->meets || (g->nodes && sim->touching) || rubs;
  for (size_t c = 0; c < sim->nchannels && adds; c++)
    if (!strcmp(sim->channels[c].name, "energy") && column >= sim->channels[c].offset + STATE &&
        column < sim->channels[c].offset + sim->channels[c].items * sim->channels[c].width)
      return true;
  return false;
}

// Whether a number changes what elements of deformables' nodes are at rest: of their energy what the places say and what the number says are
// then much larger than both together.
static bool rest_moves(const MbSensitivity *g) {
  bool any = false;
  for (size_t k = 0; k < g->count; k++)
    for (size_t i = 0; i < g->sim->model->ndeformables; i++)
      any |= !mb_same_rest(g->number[k].less->deformables[i].elements,
                           g->number[k].more->deformables[i].elements);
  return any;
}

bool mb_sensitivity_bends(const MbSensitivity *g, size_t column) {
  const MbSim *sim = g->sim;
  const MbNodesTold told = g->nodes ? mb_nodes_told_by(sim, column) : MB_TOLD_NOTHING;
  if (g->nodes) return told == MB_TOLD_ELSE || (told == MB_TOLD_ENERGY && rest_moves(g));
  for (size_t c = 0; c < sim->nchannels && sim->model->ndeformables; c++) {
    const MbChannel *channel = &sim->channels[c];
    const size_t end = channel->offset + channel->items * channel->width;
    if (column >= channel->offset && column < end) return tells_elements(channel);
  }
  return false;
}

// The same at once, of channels that tell how elements are strained: where a number changes what these are at rest, nodes that have moved along leave
// them nearly as they were, and their stress is far from straight along each of the two alone.
static MbStatus at_once(MbSensitivity *g, size_t k, double *slope, MbReport *report) {
  const MbSlope *t = &g->slopes[k];
  const double move = g->number[k].move;
  MbStatus status = MB_OK;
  for (int side = -1; side <= 1 && status == MB_OK; side += 2) {
    status = sample_moved(g, side < 0 ? LESS : MORE, t, side * move, report);
    for (size_t c = 0; c < g->sim->nchannels; c++) {
      const MbChannel *channel = &g->sim->channels[c];
      const size_t end = channel->offset + channel->items * channel->width;
      for (size_t i = channel->offset; i < end && tells_elements(channel); i++)
        slope[i] = (side < 0 ? 0 : slope[i]) + side / (2 * move) * g->frame[0][i];
    }
  }
  return status;
}

// What moves nodes knows their loads of the step that it has made: it tells nothing of states far from there.
static MbStatus steep(const MbSensitivity *g, size_t k, MbReport *report) {
  return mb_error(
      report, MB_NUMBERS, "",
      "at t = %.9g s, step %lld: the derivative by %s has grown beyond what differences of deformables' "
      "steps follow",
      g->sim->state.t, (long long)g->sim->state.step, g->number[k].name);
}

MbStatus mb_sensitivity_frame(MbSensitivity *g, double *frame, double *slopes, MbReport *report) {
  static const double SMALL = 1e-3; // of the state
  const MbSim *sim = g->sim;
  const size_t size = mb_sim_frame_size(sim);
  MbStatus status = mb_sim_sample(g->sim, frame, report);
  for (size_t k = 0; k < g->count && status == MB_OK; k++) {
    double *slope = slopes + size * k;
    memset(slope, 0, size * sizeof *slope);
    const bool near = g->number[k].move <= SMALL * far(g, &g->slopes[k]);
    if (!near && sim->model->ndeformables) return steep(g, k, report);
    status = one_by_one(g, k, slope, report);
    if (status == MB_OK && sim->model->ndeformables && near) status = at_once(g, k, slope, report);
  }
  return status;
}
