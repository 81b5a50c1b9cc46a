// The bodies' state from outside: read and set between steps, in the scene's order and terms. After a set a simulation goes on as one
// does that starts there, but for the nodes of deformables, which stay where they are in what carries them; set_nodes.c has those.
#include "core/base/alloc.h"
#include "core/base/report.h"
#include "core/model/coordinates.h"
#include "core/sim/body_frame.h"
#include "core/sim/constrain.h"
#include "core/sim/energy_watch.h"
#include "core/sim/evaluate.h"
#include "core/sim/gaps.h"
#include "core/sim/kinematic.h"
#include "core/sim/layout.h"
#include "core/sim/schemes.h"
#include "core/sim/set_state.h"
#include "core/sim/trouble.h"
#include "core/sim/touch.h"

#include <string.h>

// ---- where a body's numbers are ---------------------------------------------------------------------------

size_t mb_model_coordinates(const MbModel *model, size_t body, size_t *first) {
  *first = 0;
  for (size_t i = 0; i < model->nlisted; i++) {
    const MbJoint *joint = &model->joint[model->number[i]];
    const size_t n = joint->ops ? joint->n : 7;
    if (i == body) return n;
    *first += n;
  }
  return 0;
}

size_t mb_model_velocities(const MbModel *model, size_t body, size_t *first) {
  *first = 0;
  for (size_t i = 0; i < model->nlisted; i++) {
    const MbJoint *joint = &model->joint[model->number[i]];
    const size_t n = joint->ops ? joint->n : 6;
    if (i == body) return n;
    *first += n;
  }
  return 0;
}

// ---- reading ----------------------------------------------------------------------------------------------

static void get_free(const MbSim *sim, size_t b, double *q, double *v) {
  MbPose B;
  mb_sim_body_frame(sim, b, &B);
  memcpy(q, B.p, sizeof B.p);
  memcpy(q + 3, B.q, sizeof B.q);
  mb_sim_body_velocity(sim, b, v);
}

static void get_joint(const MbSim *sim, size_t b, double *q, double *v) {
  const MbModel *model = sim->model;
  const MbJoint *joint = &model->joint[b];
  memcpy(q, sim->x.q + model->q_first[b], joint->n * sizeof *q);
  memcpy(v, sim->x.v + model->v_first[b], joint->n * sizeof *v);
  if (joint->ops->change) joint->ops->change(joint, q, MB_TO_RATES, v);
}

void mb_sim_get(const MbSim *sim, double *q, double *v) {
  const MbModel *model = sim->model;
  double at[MB_JOINT_MOST], rate[MB_JOINT_MOST];
  for (size_t i = 0; i < model->nlisted; i++) {
    const size_t b = model->number[i];
    const bool jointed = model->joint[b].ops;
    const size_t nq = jointed ? model->joint[b].n : 7, nv = jointed ? nq : 6;
    (jointed ? get_joint : get_free)(sim, b, at, rate);
    if (q) memcpy(q, at, nq * sizeof *q), q += nq;
    if (v) memcpy(v, rate, nv * sizeof *v), v += nv;
  }
}

// ---- setting ----------------------------------------------------------------------------------------------

MbStatus mb_given_begin(const MbSim *sim, MbGiven *given, MbReport *report) {
  const MbModel *model = sim->model;
  *given = (MbGiven){0};
  given->q = mb_arena_alloc(&given->arena, model->nq, sizeof *given->q);
  given->v = mb_arena_alloc(&given->arena, model->nv, sizeof *given->v);
  given->model_q = mb_arena_alloc(&given->arena, model->nq, sizeof *given->model_q);
  given->model_v = mb_arena_alloc(&given->arena, model->nv, sizeof *given->model_v);
  given->before = mb_arena_alloc(&given->arena, mb_sim_checkpoint_size(sim), 1);
  if (!given->q || !given->v || !given->model_q || !given->model_v || !given->before)
    return mb_no_memory(report, "the state");
  memcpy(given->model_q, sim->x.q, model->nq * sizeof *given->model_q);
  memcpy(given->model_v, sim->x.v, model->nv * sizeof *given->model_v);
  mb_sim_checkpoint(sim, given->before);
  return MB_OK;
}

void mb_given_free(MbGiven *given) { mb_arena_free(&given->arena); }

// E = B C, and of C in the world's axes v = v_B + ω × (C's origin − B's); ω in C's axes.
static MbStatus set_free(const MbModel *model, size_t b, double *q, const double *v, double *to_q,
                         double *to_v, MbReport *report) {
  static const double UNIT = 1e-6; // as in a scene
  const double length = sqrt(q[3] * q[3] + q[4] * q[4] + q[5] * q[5] + q[6] * q[6]);
  if (!(fabs(length - 1) <= UNIT))
    return mb_error(
        report, MB_USAGE, "",
        "the rotation of body \"%s\" is a quaternion of length %.9g, wanted length 1: no rotation is "
        "1, 0, 0, 0",
        model->body_name[b], length);
  MbPose B, E;
  double arm[3], turn[3];
  memcpy(B.p, q, sizeof B.p);
  memcpy(B.q, q + 3, sizeof B.q);
  mb_quat_normalise(B.q);
  mb_pose_mul(&E, &B, &model->C[b]);
  mb_quat_normalise(E.q);
  memcpy(to_q, E.p, sizeof E.p);
  memcpy(to_q + 3, E.q, sizeof E.q);
  mb_vec3_sub(arm, E.p, B.p);
  mb_vec3_cross(turn, v, arm);
  mb_quat_unrotate(to_v, E.q, v);
  mb_vec3_add(to_v + 3, v + 3, turn);
  return MB_OK;
}

// The model's coordinates and velocities, from those in the scene's order.
static MbStatus convert(const MbModel *model, MbGiven *given, MbReport *report) {
  double *q = given->q, *v = given->v;
  for (size_t i = 0; i < model->nlisted; i++) {
    const size_t b = model->number[i];
    const MbJoint *joint = &model->joint[b];
    double *to_q = given->model_q + model->q_first[b], *to_v = given->model_v + model->v_first[b];
    const size_t nq = joint->ops ? joint->n : 7, nv = joint->ops ? joint->n : 6;
    for (size_t k = 0; k < nq + nv; k++) {
      const double number = k < nq ? q[k] : v[k - nq];
      if (!isfinite(number))
        return mb_error(report, MB_USAGE, "", "%s %zu of body \"%s\" is %g, wanted a finite number",
                        k < nq ? "coordinate" : "velocity", k < nq ? k : k - nq, model->body_name[b],
                        mb_plain(number));
    }
    if (!joint->ops) {
      const MbStatus status = set_free(model, b, q, v, to_q, to_v, report);
      if (status != MB_OK) return status;
    } else {
      memcpy(to_q, q, nq * sizeof *q);
      memcpy(to_v, v, nv * sizeof *v);
      if (joint->ops->change) joint->ops->change(joint, to_q, MB_TO_VELOCITIES, to_v);
    }
    q += nq, v += nv;
  }
  return MB_OK;
}

// Coordinates that follow others by reduction say what these do, or nothing can be meant by them.
static MbStatus check_following(const MbModel *model, const double *q, MbReport *report) {
  static const double CLOSE = 1e-6;
  for (size_t i = 0; i < model->nreductions; i++) {
    const MbReduction *r = &model->reductions[i];
    const double wanted = r->ratio * q[r->q[0]] + r->offset;
    if (!(fabs(q[r->q[1]] - wanted) <= CLOSE * (1 + fabs(wanted))))
      return mb_error(report, MB_USAGE, "",
                      "the joint of \"%s\" follows another one, which has it at %.9g; it was given %.9g",
                      model->body_name[r->body], wanted, q[r->q[1]]);
  }
  return MB_OK;
}

static void clear(MbSim *sim, MbSection section) {
  memset(mb_section(sim, section), 0, (sim->section[section + 1] - sim->section[section]) * sizeof(double));
}

// Makes the model's numbers the state, as at the start.
static MbStatus install(MbSim *sim, MbGiven *given, MbReport *report) {
  static const MbSection forgotten[] = {MB_SECTION_GAPS,    MB_SECTION_FREEDOM, MB_SECTION_LATCHED_BEFORE,
                                        MB_SECTION_LATCHED, MB_SECTION_LOADS,   MB_SECTION_FORCES};
  const MbModel *model = sim->model;
  mb_coordinates_follow(model, given->model_q, given->model_v);
  MbStatus status = mb_sim_start_at(sim, given->model_q, given->model_v, report);
  if (status != MB_OK) return status;
  mb_sim_renew(sim, sim->state.q, sim->state.v);
  for (size_t i = 0; i < sizeof forgotten / sizeof *forgotten; i++) clear(sim, forgotten[i]);
  mb_sim_kinematics(sim, sim->state.q, sim->state.v);
  mb_sim_follow(sim, sim->state.q, sim->state.v);
  sim->trouble[0] = 0;
  if (model->solver.mode == MB_FIRST_ORDER) {
    status = mb_sim_kinematic_velocity(sim, sim->state.q, sim->state.t, sim->state.v, report);
    mb_sim_kinematics(sim, sim->state.q, sim->state.v);
  }
  if (status == MB_OK) status = mb_sim_check(sim, sim->state.t, sim->state.step, report);
  return status == MB_OK ? mb_gaps_closed(sim, report) : status;
}

MbStatus mb_given_end(MbSim *sim, MbGiven *given, MbReport *report) {
  const MbStatus status = install(sim, given, report);
  if (status != MB_OK) {
    mb_sim_restore(sim, given->before, mb_sim_checkpoint_size(sim), NULL);
    return status;
  }
  mb_watch_give_up(sim);
  mb_touch_forget(sim);
  if (sim->scheme->restart) sim->scheme->restart(sim);
  return MB_OK;
}

// Nodes keep theirs.
static MbStatus set(MbSim *sim, const double *q, const double *v, MbGiven *given, MbReport *report) {
  const MbModel *model = sim->model;
  size_t nq = 0, nv = 0;
  mb_model_coordinates(model, model->nlisted, &nq), mb_model_velocities(model, model->nlisted, &nv);
  mb_sim_get(sim, given->q, given->v);
  if (q) memcpy(given->q, q, nq * sizeof *q);
  if (v) memcpy(given->v, v, nv * sizeof *v);
  MbStatus status = convert(model, given, report);
  if (status == MB_OK && q) status = check_following(model, given->model_q, report);
  return status == MB_OK ? mb_given_end(sim, given, report) : status;
}

MbStatus mb_given_velocities(const MbSim *sim, const double *v, MbReport *report) {
  if (!v || sim->model->solver.mode != MB_FIRST_ORDER) return MB_OK;
  return mb_error(report, MB_USAGE, "",
                  "in mode \"first_order\" velocities follow from forces: they cannot be set");
}

MbStatus mb_sim_set(MbSim *sim, const double *q, const double *v, MbReport *report) {
  MbStatus status = mb_given_velocities(sim, v, report);
  if (status != MB_OK) return status;
  MbGiven given;
  status = mb_given_begin(sim, &given, report);
  if (status == MB_OK) status = set(sim, q, v, &given, report);
  mb_given_free(&given);
  return status;
}
