// The state's coordinates, whichever solver they are of: the model's own, or bodies' poses followed by the joints' coordinates,
// which are then remembered only.
#include "core/sim/layout.h"
#include "core/base/report.h"
#include "core/base/threads.h"
#include "core/model/coordinates.h"
#include "core/model/flight.h"
#include "core/sim/evaluate.h"

#include <string.h>

enum { GRAIN = 64 }; // bodies a thread at least

MbStatus mb_sim_start_at(MbSim *sim, const double *q, const double *v, MbReport *report) {
  if (sim->solver->held) {
    if (sim->solver->held->start(sim->work, q, v, sim->state.q, sim->state.v)) return MB_OK;
    return mb_no_memory(report, "the simulation");
  }
  memcpy(sim->state.q, q, sim->nq * sizeof *sim->state.q);
  memcpy(sim->state.v, v, sim->nv * sizeof *sim->state.v);
  return MB_OK;
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
  if (!job->sim->solver->held)
    mb_coordinates_advance(job->sim->model, job->q, job->h, job->v, begin, end);
  else
    for (size_t b = begin; b < end; b++) mb_coordinates_advance_pose(job->q + 7 * b, job->h, job->v + 6 * b);
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
    if (!model->flies[b]) continue;
    double *const v = job->v + (sim->solver->held ? 6 * b : model->v_first[b]);
    mb_flight_carry(job->h, model->M + 6 * b, sim->x.swing + 3 * b, v);
  }
}

void mb_sim_fly(MbSim *sim, double *q, double h, double *v) {
  const MbModel *model = sim->model;
  if (model->solver.terms == MB_TERMS_EXPLICIT && (sim->solver->held || !model->jointed)) {
    for (size_t b = 0; b < model->nb; b++) fly_in_own_axes(q + 7 * b, h, v + 6 * b);
    return;
  }
  mb_sim_advance(sim, q, h, v);
  if (!model->any_flies) return;
  Flight job = {.sim = sim, .h = h, .v = v};
  mb_parallel_ranges(sim->threads, model->nb, GRAIN, fly_range, &job);
}

void mb_sim_rate(const MbSim *sim, const double *q, const double *v, double *qdot) {
  const size_t nb = sim->model->nb;
  if (!sim->solver->held) {
    mb_coordinates_rate(sim->model, q, v, qdot);
    return;
  }
  for (size_t b = 0; b < nb; b++) mb_coordinates_rate_pose(q + 7 * b, v + 6 * b, qdot + 7 * b);
  memset(qdot + 7 * nb, 0, (sim->nq - 7 * nb) * sizeof *qdot);
}

void mb_sim_normalise(const MbSim *sim, double *q, double *rate) {
  if (!sim->solver->held) {
    mb_coordinates_normalise(sim->model, q, rate);
    return;
  }
  for (size_t b = 0; b < sim->model->nb; b++)
    mb_coordinates_normalise_pose(q + 7 * b, rate ? rate + 7 * b : NULL);
}

bool mb_sim_renew(const MbSim *sim, double *q, double *v) {
  return !sim->solver->held && sim->model->jointed && mb_coordinates_renew(sim->model, q, v);
}

// Where the joints' coordinates are looked for at the step's end: joints may turn by more than half a turn in a step. The
// adaptive integrator remembers them at its own steps.
void mb_sim_recall(MbSim *sim) {
  const MbModel *model = sim->model;
  if (!sim->solver->held || sim->integrator->scheme == MB_ADAPTIVE) return;
  sim->solver->held->remember(sim->work, sim->recall);
  for (size_t b = 0; b < model->nb; b++) {
    const MbJoint *joint = &model->joint[b];
    for (size_t i = 0; joint->ops && !joint->ops->renew && i < joint->n; i++)
      sim->recall[model->q_first[b] + i] += model->h * sim->x.v[model->v_first[b] + i];
  }
}

void mb_sim_settle(MbSim *sim, double *q, double *v) {
  if (sim->solver->held) {
    if (sim->integrator->scheme != MB_ADAPTIVE)
      memcpy(q + 7 * sim->model->nb, sim->recall, sim->model->nq * sizeof *q);
  } else {
    mb_sim_renew(sim, q, v);
    mb_coordinates_follow(sim->model, q, v);
  }
  mb_sim_kinematics(sim, q, v);
  mb_sim_follow(sim, q, v);
}

size_t mb_sim_body(const MbSim *sim, size_t i) {
  const size_t nb = sim->model->nb;
  if (!sim->solver->held) return mb_coordinates_body(sim->model, i);
  if (i >= sim->nq) return (i - sim->nq) / 6;
  return i < 7 * nb ? i / 7 : mb_coordinates_body(sim->model, i - 7 * nb);
}

size_t mb_sim_port_place(const MbSim *sim, size_t body) {
  return sim->solver->held ? 7 * body : sim->model->q_first[body];
}

size_t mb_sim_port_velocity(const MbSim *sim, size_t body) {
  return sim->solver->held ? 6 * body + 3 : sim->model->v_first[body];
}
