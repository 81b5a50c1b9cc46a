// The state's coordinates, whichever solver they are of (model/coordinate_map.h).
#include "core/sim/layout.h"
#include "core/base/report.h"
#include "core/base/threads.h"
#include "core/model/coordinates.h"
#include "core/model/flight.h"
#include "core/sim/evaluate.h"
#include "core/sim/touch.h"

#include <string.h>

enum { GRAIN = 64 }; // bodies a thread at least

static const MbLayout *layout_of(const MbSim *sim) { return sim->solver->map->layout; }

MbStatus mb_sim_start_at(MbSim *sim, const double *q, const double *v, MbReport *report) {
  const bool fine = sim->solver->map->start(sim->work, sim->model, q, v, sim->state.q, sim->state.v);
  return fine ? MB_OK : mb_no_memory(report, "the simulation");
}

void mb_sim_follow(const MbSim *sim, double *q, double *v) {
  if (sim->solver->follow) sim->solver->follow(sim->work, q, v);
}

typedef struct Advance {
  const MbSim *sim;
  double *q, h;
  const double *v;
} Advance;

typedef struct Flight {
  const MbSim *sim;
  double h, *v;
} Flight;

static void advance_range(void *context, size_t begin, size_t end) {
  const Advance *const job = context;
  layout_of(job->sim)->advance(job->sim->model, job->q, job->h, job->v, begin, end);
}

void mb_sim_advance(MbSim *sim, double *q, double h, const double *v) {
  Advance job = {.sim = sim, .q = q, .h = h, .v = v};
  mb_parallel_ranges(sim->threads, sim->model->nb, GRAIN, advance_range, &job);
}

void mb_sim_move(MbSim *sim, double h, const double *v) {
  memcpy(sim->q1, sim->state.q, sim->nq * sizeof *sim->q1);
  mb_sim_advance(sim, sim->q1, h, v);
}

// As in print where velocity terms are explicit: E ← E exp(h φ), whose axes φ keeps.
static void fly_in_own_axes(double *q, double h, double *v) {
  MbPose E;
  double phi[6];
  memcpy(E.p, q, sizeof E.p);
  memcpy(E.q, q + 3, sizeof E.q);
  mb_twist_of_velocity(&E, v, phi);
  mb_pose_advance(&E, h, phi);
  mb_velocity_of_twist(&E, phi, v);
  memcpy(q, E.p, sizeof E.p);
  memcpy(q + 3, E.q, sizeof E.q);
}

static void fly_range(void *context, size_t begin, size_t end) {
  const Flight *const job = context;
  const MbSim *const sim = job->sim;
  const MbModel *const model = sim->model;
  for (size_t b = begin; b < end; b++) {
    if (!model->swings[b]) continue;
    double *const v = job->v + layout_of(sim)->velocity(model, b);
    mb_flight_carry(job->h, model->M + 6 * b, sim->x.swing + 3 * b, v);
  }
}

void mb_sim_fly(MbSim *sim, double *q, double h, double *v) {
  const MbModel *model = sim->model;
  if (model->any_swings) mb_touch_swing_anew(sim, h, v);
  if (model->solver.terms == MB_TERMS_EXPLICIT && layout_of(sim)->apart(model)) {
    for (size_t b = 0; b < model->nb; b++) fly_in_own_axes(q + 7 * b, h, v + 6 * b);
    return;
  }
  mb_sim_advance(sim, q, h, v);
  if (!model->any_swings) return;
  Flight job = {.sim = sim, .h = h, .v = v};
  mb_parallel_ranges(sim->threads, model->nb, GRAIN, fly_range, &job);
}

void mb_sim_rate(const MbSim *sim, const double *q, const double *v, double *qdot) {
  layout_of(sim)->rate(sim->model, q, v, qdot);
}

void mb_sim_normalise(const MbSim *sim, double *q, double *rate) {
  layout_of(sim)->normalise(sim->model, q, rate);
}

bool mb_sim_renew(const MbSim *sim, double *q, double *v) { return layout_of(sim)->renew(sim->model, q, v); }

// The adaptive integrator notes them at its own steps.
void mb_sim_foresee(MbSim *sim) {
  if (sim->integrator->scheme != MB_ADAPTIVE)
    sim->solver->map->foresee(sim->work, sim->model, &sim->x, sim->model->h, sim->near);
}

void mb_sim_settle(MbSim *sim, double *q, double *v) {
  layout_of(sim)->settle(sim->model, sim->integrator->scheme != MB_ADAPTIVE ? sim->near : NULL, q, v);
  mb_sim_kinematics(sim, q, v);
  mb_sim_follow(sim, q, v);
}

size_t mb_sim_body(const MbSim *sim, size_t i) { return layout_of(sim)->body(sim->model, i); }

size_t mb_sim_port_place(const MbSim *sim, size_t body) { return layout_of(sim)->place(sim->model, body); }

size_t mb_sim_port_velocity(const MbSim *sim, size_t body) { return layout_of(sim)->node(sim->model, body); }
