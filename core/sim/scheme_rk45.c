// The adaptive integrator: Dormand–Prince 5(4) on y = (q, v), ẏ = (rate(q, v), M⁻¹ f). Its own steps run
// ahead of the grid of the scene's step; states at grid times come from the dense output. What lies ahead is
// part of the state, so that a checkpoint at any grid time resumes bit for bit.
//
//   memory = ( t, h, h_next, e_old, started, freedom | y (n) at t | k (n) = ẏ at t | dense output of [t − h, t] (5 x
//   n) )
//
// Error norm: the largest |e_i| / (absolute + relative max(|y_i|, |y⁺_i|)); step h · 0.9 e^(−0.17) e_old^0.04
// within [1/5, 5] of the last one (Hairer, Nørsett, Wanner, II.4 and IV.2), and no longer than the scene's step, so that
// no short change of a force goes by unseen between two stages. Steps end at the corners of signal tables, and where prescribed
// motions jump that are told by expressions.
#include "core/base/report.h"
#include "core/integrators/integrators.h"
#include "core/model/coordinates.h"
#include "core/sim/accelerate.h"
#include "core/sim/constrain.h"
#include "core/sim/evaluate.h"
#include "core/sim/events.h"
#include "core/sim/kinematic.h"
#include "core/sim/kinks.h"
#include "core/sim/layout.h"
#include "core/sim/schemes.h"
#include "core/sim/singular.h"
#include "core/sim/trouble.h"

#include <string.h>

enum { T, H, H_NEXT, E_OLD, STARTED, FREEDOM, HEADER };

static double *memory_of(const MbSim *sim) { return mb_section(sim, MB_SECTION_SCHEME); }

size_t mb_scheme_rk45_memory(size_t nq, size_t nv) { return HEADER + 7 * (nq + nv); }

size_t mb_scheme_rk45_scratch(size_t nq, size_t nv) { return MB_RK_STAGES * (nq + nv); }

void mb_scheme_rk45_restart(MbSim *sim) {
  double *memory = memory_of(sim);
  memory[T] = sim->state.t;
  memory[H] = 0;
  memory[H_NEXT] = sim->model->h;
  memory[E_OLD] = 1;
  memory[STARTED] = 0;
  memory[FREEDOM] = 1;
}

// k = ẏ at (t, y). In the kinematic mode v follows from q and is written to y; its own rate is left zero.
static MbStatus derivative(MbSim *sim, double t, double *y, double *k, MbReport *report) {
  const MbModel *model = sim->model;
  double *q = y, *v = y + sim->nq, *vdot = k + sim->nq;

  // forces want unit quaternions; the rate wants q as it is
  memcpy(sim->q1, q, sim->nq * sizeof *q);
  mb_sim_normalise(sim, sim->q1, NULL);
  mb_sim_kinematics(sim, sim->q1, v);
  mb_sim_follow(sim, q, v);
  if (model->solver.mode == MB_FIRST_ORDER) {
    const MbStatus status = mb_sim_kinematic_velocity(sim, sim->q1, t, v, report);
    if (status != MB_OK) return status;
    memset(vdot, 0, sim->nv * sizeof *v);
  } else {
    MbStatus status = mb_sim_accelerations(sim, t, q, v, vdot, report);
    if (status == MB_OK) status = mb_constrain_acceleration(sim, q, v, t, vdot, report);
    if (status != MB_OK) return status;
  }
  mb_sim_rate(sim, q, v, k);
  return MB_OK;
}

// Velocities and what is held after an event, at a corner of a signal or at the start; then k.
static MbStatus settle(MbSim *sim, double t, double *y, double *k, MbReport *report) {
  MbStatus status = mb_constrain_jump(sim, y, t, y + sim->nq, report);
  mb_events_decide(sim);
  if (status == MB_OK) status = derivative(sim, t, y, k, report);
  mb_events_decided(sim);
  return status;
}

// The first time after t (by more than rounding) at which a step must end.
static double next_break(const MbModel *model, double t) {
  const double after = t + 1e-12 * (1 + fabs(t));
  size_t begin = 0, end = model->nbreaks; // the first one beyond `after` is in [begin, end]
  while (begin < end) {
    const size_t middle = begin + (end - begin) / 2;
    if (model->breaks[middle] > after)
      end = middle;
    else
      begin = middle + 1;
  }
  return begin < model->nbreaks ? model->breaks[begin] : INFINITY;
}

// The same, of what jumps within the next step too.
static double next_stop(const MbSim *sim, double t, double next) {
  const double stop = next_break(sim->model, t);
  return fmin(stop, mb_sim_kink(sim, t, fmin(stop, t + next * (1 + 1e-9))));
}

static void dense_output(double *dense, const double *y0, const double *y1, const double *stage, double h,
                         size_t n) {
  for (size_t i = 0; i < n; i++) {
    const double dy = y1[i] - y0[i], b = h * stage[i] - dy;
    double sum = 0;
    for (size_t s = 0; s < MB_RK_STAGES; s++) sum += mb_rk_d[s] * stage[s * n + i];
    dense[i] = y0[i];
    dense[n + i] = dy;
    dense[2 * n + i] = b;
    dense[3 * n + i] = dy - h * stage[(MB_RK_STAGES - 1) * n + i] - b;
    dense[4 * n + i] = h * sum;
  }
}

// y at t + u h
static void dense_point(const double *dense, double u, double *y, size_t n) {
  const double w = 1 - u;
  for (size_t i = 0; i < n; i++) {
    const double *c = dense + i;
    y[i] = c[0] + u * (c[n] + w * (c[2 * n] + u * (c[3 * n] + w * c[4 * n])));
  }
}

static double error_norm(const MbIntegratorSpec *tolerance, const double *y0, const double *y1,
                         const double *stage, double h, size_t n, size_t *which) {
  double worst = 0;
  *which = 0;
  for (size_t i = 0; i < n; i++) {
    double e = 0;
    for (size_t s = 0; s < MB_RK_STAGES; s++) e += mb_rk_e[s] * stage[s * n + i];
    const double scale = tolerance->absolute + tolerance->relative * fmax(fabs(y0[i]), fabs(y1[i]));
    const double ratio = fabs(h * e) / scale;
    if (isnan(ratio) || ratio > worst) worst = ratio, *which = i;
    if (isnan(ratio)) break;
  }
  return worst;
}

// The stages of one step of length h from (y, k); the last one's y is the new state. False where a stage
// failed.
static MbStatus stages(MbSim *sim, double t, double h, const double *y, double *y1, MbReport *report) {
  const size_t n = sim->nq + sim->nv;
  double *stage = sim->stage;
  for (size_t s = 1; s < MB_RK_STAGES; s++) {
    for (size_t i = 0; i < n; i++) {
      double sum = 0;
      for (size_t j = 0; j < s; j++) sum += mb_rk_a[s][j] * stage[j * n + i];
      y1[i] = y[i] + h * sum;
    }
    const MbStatus status = derivative(sim, t + mb_rk_c[s] * h, y1, stage + s * n, report);
    if (status != MB_OK) return status;
  }
  return MB_OK;
}

static MbStatus shrunk(const MbSim *sim, double t, double h, size_t which, MbReport *report) {
  const MbStatus cause = mb_sim_trouble(sim, report);
  if (cause != MB_OK) return cause;
  const size_t b = mb_sim_body(sim, which);
  return mb_error(report, MB_NUMBERS, "",
                  "at t = %.9g s, step %lld: %s \"%s\" cannot be followed to these tolerances: the adaptive "
                  "step has shrunk to %.3g s",
                  t, (long long)sim->state.step + 1, mb_model_kind(sim->model, b), sim->model->body_name[b],
                  h);
}

// The length at which the first event of a step of length h from y to y1 is due; leaves its rows noted.
static MbStatus locate(MbSim *sim, double t, double h, const double *y, const double *y1, double *length,
                       MbReport *report) {
  static const double CLOSE = 1e-13; // of the step
  const size_t n = sim->nq + sim->nv;
  double *k = memory_of(sim) + HEADER + n, *dense = k + n, *point = sim->stage + n, *rate = point + n;
  memcpy(k, y1, n * sizeof *k); // y1 lies where the dense output goes
  dense_output(dense, y, k, sim->stage, h, n);
  double before = 0, after = 1;
  for (double u = 0.5; after - before > CLOSE; u = (before + after) / 2) {
    dense_point(dense, u, point, n);
    const MbStatus status = derivative(sim, t + u * h, point, rate, report);
    if (status != MB_OK) return status;
    *(mb_events_due(sim, point + sim->nq) ? &after : &before) = u;
  }
  after = fmax(after, 1e-9); // some way on
  dense_point(dense, after, point, n);
  const MbStatus status = derivative(sim, t + after * h, point, rate, report);
  mb_events_due(sim, point + sim->nq);
  *length = after * h;
  return status;
}

// ---- singular positions -----------------------------------------------------------------------------------
//
// Where two motions that the constraints allow branch, as where a parallelogram lies flat, a row loses its hold, and what errors
// there are along the other motion are no longer held: with s the time from there, accelerations let an error of velocity grow
// as 1/s² before and fall as 1/s² behind. A step that comes near would take the other branch. So near such a position (freedom
// below NEAR) states are put back onto the constraints after every step, which leaves no such errors, and the last bit of the way
// is crossed at once, by velocities and accelerations that the motion has: what they are wrong by is of third order in a way of
// 1e-5 or so. What does not come out on the constraints behind it, or stays where it cannot be solved, ends the run.

static const double NEAR = 0.03, CROSS = 1e-4, LOST = 1e-6;
static const double ROUNDING = 2e-16; // an error of position c grows to one of velocity c/s²

static MbStatus cannot_pass(const MbSim *sim, double t, size_t slot, MbReport *report) {
  return mb_error(report, MB_NUMBERS, "",
                  "at t = %.9g s, step %lld: constraint \"%s\" is at a singular position that adaptive steps "
                  "cannot pass: another motion branches off there; take an integrator of fixed steps",
                  t, (long long)sim->state.step + 1, sim->model->slots[slot]);
}

// y ← the nearest state on the constraints, k its derivative.
static MbStatus put_back(MbSim *sim, double t, double *y, double *k, MbReport *report) {
  mb_sim_normalise(sim, y, NULL);
  mb_sim_kinematics(sim, y, y + sim->nq);
  const MbStatus status = mb_constrain_close(sim, y, y + sim->nq, t, ROUNDING, report);
  return status == MB_OK ? settle(sim, t, y, k, report) : status;
}

// y1 ← y after a time; its accelerations are k's at the start and k1's at the end.
static void drift(MbSim *sim, const double *y, const double *k, const double *k1, double time, double *y1,
                  double *mean) {
  const double *v = y + sim->nq, *a = k + sim->nq, *b = k1 + sim->nq;
  for (size_t i = 0; i < sim->nv; i++) {
    mean[i] = v[i] + time * (2 * a[i] + b[i]) / 6;
    y1[sim->nq + i] = v[i] + time * (a[i] + b[i]) / 2;
  }
  memcpy(y1, y, sim->nq * sizeof *y1);
  mb_sim_advance(sim, y1, time, mean);
}

// Crosses a singular position that is near, as one step; *crossed is false, and nothing has happened, where there is none ahead.
static MbStatus cross(MbSim *sim, double stop, bool *crossed, MbReport *report) {
  static const double SAME = 1e-3; // what velocities may change by behind it
  const size_t n = sim->nq + sim->nv;
  double *memory = memory_of(sim), *y = memory + HEADER, *k = y + n, *dense = k + n;
  double *stage = sim->stage, *y1 = stage + n, *k1 = stage + 2 * n, *mean = stage + 3 * n;
  const double t = memory[T], h = memory[H_NEXT], little = h / 10, before = memory[FREEDOM];
  size_t slot = 0;
  *crossed = false;
  drift(sim, y, k, k, little, y1, mean);
  MbStatus status = derivative(sim, t + little, y1, k1, report);
  if (status != MB_OK) return status;
  const double after = mb_singular_freedom(sim, &slot), left = little * before / (before - after);
  if (!(after < before) || !(left < 10 * h) || t + 2 * left >= stop) return MB_OK;

  double size = 0, change = 0;
  memcpy(k1, k, n * sizeof *k1);
  for (int turn = 0; turn < 2; turn++) { // the second one with the accelerations behind it
    drift(sim, y, k, k1, 2 * left, y1, mean);
    memcpy(mean, y1 + sim->nq, sim->nv * sizeof *mean);
    status = put_back(sim, t + 2 * left, y1, k1, report);
    if (status != MB_OK) return status;
  }
  for (size_t i = 0; i < sim->nv; i++) {
    size = fmax(size, fabs(mean[i]));
    change = fmax(change, fabs(y1[sim->nq + i] - mean[i]));
  }
  if (!(change <= SAME * size)) return cannot_pass(sim, t, slot, report);
  *crossed = true;
  memory[FREEDOM] = mb_singular_freedom(sim, &slot);
  memory[T] = t + 2 * left, memory[H] = memory[T] - t;
  memory[H_NEXT] = fmin(sim->model->h, fmax(h, memory[H]));
  memcpy(stage, k, n * sizeof *k);
  memcpy(stage + (MB_RK_STAGES - 1) * n, k1, n * sizeof *k1);
  dense_output(dense, y, y1, stage, memory[H], n);
  memset(dense + 4 * n, 0, n * sizeof *dense); // a cubic
  memcpy(y, y1, n * sizeof *y);
  memcpy(k, k1, n * sizeof *k);
  return MB_OK;
}

// After a step: a state near a singular position is put back; one that is beyond help ends the run.
static MbStatus approach(MbSim *sim, MbReport *report) {
  double *memory = memory_of(sim), *y = memory + HEADER;
  size_t slot = 0;
  memory[FREEDOM] = mb_singular_freedom(sim, &slot);
  if (!(memory[FREEDOM] < NEAR)) return MB_OK;
  if (memory[FREEDOM] < LOST && memory[H] < LOST * sim->model->h)
    return cannot_pass(sim, memory[T], slot, report);
  const MbStatus status = put_back(sim, memory[T], y, y + sim->nq + sim->nv, report);
  memory[FREEDOM] = mb_singular_freedom(sim, &slot);
  return status;
}

// One accepted step, however many are tried. The dense output's first vector doubles as y⁺ while trying.
static MbStatus accept_step(MbSim *sim, MbReport *report) {
  const size_t n = sim->nq + sim->nv;
  double *memory = memory_of(sim), *y = memory + HEADER, *k = y + n, *dense = k + n;
  double *y1 = dense + 4 * n; // free until the step is accepted
  const double t = memory[T], stop = next_stop(sim, t, memory[H_NEXT]);
  double limit = INFINITY; // length of the step that ends at an event
  size_t which = 0;
  if (memory[FREEDOM] < CROSS) {
    bool crossed = false;
    const MbStatus status = cross(sim, stop, &crossed, report);
    if (status != MB_OK || crossed) return status;
  }
  for (;;) {
    const bool event = limit < fmin(memory[H_NEXT], stop - t);
    const bool cut = !event && t + memory[H_NEXT] * (1 + 1e-9) >= stop;
    const double h = event ? limit : cut ? stop - t : memory[H_NEXT];
    if (!(h > 1e-15 * (1 + fabs(t)))) return shrunk(sim, t, h, which, report);
    memcpy(sim->stage, k, n * sizeof *k);
    const MbStatus status = stages(sim, t, h, y, y1, report);
    if (status != MB_OK) return status;
    const double e = error_norm(&sim->model->integrator, y, y1, sim->stage, h, n, &which);
    if (!(e <= 1)) { // too large, or not a number
      memory[H_NEXT] = h * (e > 1 ? fmax(0.2, 0.9 * pow(e, -0.2)) : 0.1);
      continue;
    }
    if (!event && mb_events_due(sim, y1 + sim->nq)) {
      const MbStatus found = locate(sim, t, h, y, y1, &limit, report);
      if (found != MB_OK) return found;
      memcpy(k, sim->stage, n * sizeof *k);
      continue;
    }
    if (sim->constraining)
      memcpy(mb_section(sim, MB_SECTION_LATCHED_BEFORE), mb_section(sim, MB_SECTION_LATCHED),
             sim->model->nslots * sizeof *k);
    const double factor = 0.9 * pow(fmax(e, 1e-10), -0.17) * pow(memory[E_OLD], 0.04);
    if (!(cut || event) || factor < 1) memory[H_NEXT] = fmin(sim->model->h, h * fmin(5, fmax(0.2, factor)));
    memory[E_OLD] = fmax(e, 1e-4);
    sim->trouble[0] = 0; // that of steps that were refused
    memory[T] = cut ? stop : t + h;
    memory[H] = memory[T] - t;

    // y ← y⁺ with unit quaternions; k, linear in them, along with it
    double *const last = sim->stage + (MB_RK_STAGES - 1) * n;
    memcpy(k, y1, n * sizeof *k); // y1 lies where the dense output goes
    dense_output(dense, y, k, sim->stage, memory[H], n);
    memcpy(y, k, n * sizeof *y);
    memcpy(k, last, n * sizeof *k);
    mb_sim_normalise(sim, y, k);
    const bool branches = sim->constraining && sim->model->solver.mode != MB_FIRST_ORDER;
    const MbStatus near = branches ? approach(sim, report) : MB_OK;
    const bool renewed = mb_sim_renew(sim, y, y + sim->nq);
    if (near != MB_OK || (!renewed && !((cut || event) && sim->constraining))) return near;
    // at a corner of a prescribed motion its velocity may jump too
    return (cut || event) && sim->constraining ? settle(sim, memory[T], y, k, report)
                                               : derivative(sim, memory[T], y, k, report);
  }
}

// (q1, v1) ← the state at `target`, between t − h and t
static MbStatus interpolate(MbSim *sim, double target, MbReport *report) {
  const size_t n = sim->nq + sim->nv;
  const double *memory = memory_of(sim), *dense = memory + HEADER + 2 * n;
  const double u = (target - (memory[T] - memory[H])) / memory[H], w = 1 - u;
  for (size_t i = 0; i < n; i++) {
    const double *c = dense + i;
    const double y = c[0] + u * (c[n] + w * (c[2 * n] + u * (c[3 * n] + w * c[4 * n])));
    *(i < sim->nq ? &sim->q1[i] : &sim->v1[i - sim->nq]) = y;
  }
  mb_sim_normalise(sim, sim->q1, NULL);
  if (sim->model->solver.mode != MB_FIRST_ORDER) return MB_OK;
  mb_sim_kinematics(sim, sim->q1, sim->v1);
  return mb_sim_kinematic_velocity(sim, sim->q1, target, sim->v1, report);
}

// k at the start (and after a velocity jump): y is the state itself
static MbStatus start(MbSim *sim, MbReport *report) {
  double *memory = memory_of(sim), *y = memory + HEADER;
  memcpy(y, sim->state.q, sim->nq * sizeof *y);
  memcpy(y + sim->nq, sim->state.v, sim->nv * sizeof *y);
  const MbStatus status = settle(sim, memory[T], y, y + sim->nq + sim->nv, report);
  if (status == MB_OK) memory[STARTED] = 1;
  return status;
}

MbStatus mb_scheme_rk45(MbSim *sim, MbReport *report) {
  const double target = (double)(sim->state.step + 1) * sim->model->h;
  enum { MOST = 100000 }; // own steps in one of the scene's: more would look like hanging
  double *memory = memory_of(sim);
  int64_t done = 0;
  MbStatus status = memory[STARTED] != 0 ? MB_OK : start(sim, report);
  while (status == MB_OK && memory[T] < target) {
    if (done++ == MOST)
      return mb_error(
          report, MB_NUMBERS, "",
          "at t = %.9g s, step %lld: %d steps of the adaptive integrator do not reach the end of the "
          "scene's step: take a smaller step",
          memory[T], (long long)sim->state.step + 1, MOST);
    status = accept_step(sim, report);
    if (status != MB_OK) break;
    mb_constrain_remember(sim);
    // a blow-up is told from the integrator's own state, before it can shrink the step for ever
    mb_sim_kinematics(sim, memory + HEADER, memory + HEADER + sim->nq);
    sim->solver->map->remember(sim->work, sim->model, memory + HEADER);
    status = mb_sim_check(sim, memory[T], sim->state.step + 1, report);
  }
  return status == MB_OK ? interpolate(sim, target, report) : status;
}
