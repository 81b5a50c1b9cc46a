// Joints: their geometry, where they sit between the centre-of-mass frames of parent and child, their coordinates at
// the start, stiffness and damping.
#include "core/base/report.h"
#include "core/compile/compile_internal.h"
#include "core/joints/joints.h"
#include "core/model/coordinates.h"
#include "core/model/joint_gap.h"

#include <stdio.h>
#include <string.h>

// Rotation vectors as the steps take them: the steps of first order are the published ones, in which the vector's numbers are
// the coordinates that a step moves and averages; all others turn by angular velocities. Where joints are held by rows a step
// has no use for their coordinates.
static bool turn_parts(MbJoint *joint) {
  bool any = joint->nparts == 0;
  for (size_t i = 0; i < joint->nparts; i++) any |= turn_parts((MbJoint *)&joint->part[i]);
  if (any && joint->ops->turning) joint->ops = joint->ops->turning;
  return joint->ops->change;
}

static void turn_joints(const MbModel *model, MbJoint *joint) {
  const MbIntegratorKind way = model->integrator.kind;
  if (way == MB_SYMPLECTIC || way == MB_IMPLICIT) return;
  if (mb_solver_of_bodies(&model->solver) == MB_SOLVER_MAXIMAL && !model->solver.project) return;
  for (size_t b = 0; b < model->nb; b++)
    if (joint[b].ops) turn_parts(&joint[b]);
}

typedef struct Lists {
  double *q0, *v0, *stiffness, *rest, *damping, *inertia; // of one joint
} Lists;

static MbStatus build_numbers(const MbJointSpec *spec, size_t n, const char *where, const Lists *to,
                              MbReport *report) {
  const MbStatus parts[] = {mb_model_by_dof(&spec->position, n, where, "position", to->q0, report),
                            mb_model_by_dof(&spec->velocity, n, where, "velocity", to->v0, report),
                            mb_model_by_dof(&spec->stiffness, n, where, "stiffness", to->stiffness, report),
                            mb_model_by_dof(&spec->rest, n, where, "rest", to->rest, report),
                            mb_model_by_dof(&spec->damping, n, where, "damping", to->damping, report),
                            mb_model_by_dof(&spec->inertia, n, where, "inertia", to->inertia, report)};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    if (parts[i] != MB_OK) return parts[i];
  return MB_OK;
}

// Inertia is that of a coordinate's rate, which a rotation vector's is not: what turns there is a body, not a rotor.
static MbStatus check_rotors(const MbJoint *joint, const double *inertia, const char *where,
                             MbReport *report) {
  const bool vectors = joint->ops == mb_joint_table[MB_JOINT_SPHERICAL] ||
                       joint->ops == mb_joint_table[MB_JOINT_FREE3D] || joint->ops->turning ||
                       joint->ops->change;
  if (joint->nparts) {
    size_t first = 0;
    for (size_t i = 0; i < joint->nparts; first += joint->part[i++].n) {
      const MbStatus status = check_rotors(&joint->part[i], inertia + first, where, report);
      if (status != MB_OK) return status;
    }
    return MB_OK;
  }
  for (size_t k = 0; vectors && k < joint->n; k++)
    if (inertia[k] != 0)
      return mb_error(
          report, MB_SCENE, where,
          "\"inertia\" is of coordinates that turn or slide by themselves, and this joint has a rotation "
          "vector: give the body's own inertia instead, or three hinges");
  return MB_OK;
}

// Where joints are held by rows, a joint's coordinates are found from where its body is.
static MbStatus check_coordinates(const MbModel *model, const MbJoint *joint, const double *q0, size_t b,
                                  const char *where, MbReport *report) {
  const bool found = mb_solver_of_bodies(&model->solver) == MB_SOLVER_MAXIMAL && !model->solver.project;
  if (!found || mb_joint_moves_apart(joint, q0)) return MB_OK;
  return mb_error(report, MB_SCENE, where,
                  "where \"%s\" starts, some of its joint's %zu coordinates move it in the same way, and "
                  "solver \"maximal\" cannot tell them apart: start elsewhere where that is a locked gimbal, "
                  "else take a joint without the coordinates that are too many",
                  model->body_name[b], joint->n);
}

// P = C_p⁻¹ in_parent and B = in_body⁻¹ C, so that E_i = E_p P Q(q) B
static void place(const MbModel *model, const MbJointSpec *spec, size_t b, MbPose *P, MbPose *B) {
  MbPose E, inverse;
  mb_joint_frame(&spec->in_parent, &E);
  *P = E;
  if (model->parent[b] != MB_WORLD) {
    mb_pose_inverse(&inverse, &model->C[model->parent[b]]);
    mb_pose_mul(P, &inverse, &E);
  }
  mb_joint_frame(&spec->in_body, &E);
  mb_pose_inverse(&inverse, &E);
  mb_pose_mul(B, &inverse, &model->C[b]);
  mb_quat_normalise(P->q);
  mb_quat_normalise(B->q);
}

// Which bodies and joints need more than the others, so that steps need not look at each.
static MbStatus list_special(MbModel *model, MbReport *report) {
  size_t *curved = NULL, *renewing = NULL;
  for (int pass = 0; pass < 2; pass++) { // counted, then listed
    model->ncurved = model->nrenewing = 0;
    for (size_t b = 0; b < model->nb; b++) {
      const MbJointOps *ops = model->joint[b].ops;
      const bool curves = !ops || ops->advance, renews = ops && ops->renew;
      if (curves && curved) curved[model->ncurved] = b;
      if (renews && renewing) renewing[model->nrenewing] = b;
      model->ncurved += curves, model->nrenewing += renews;
    }
    if (pass) break;
    curved = mb_arena_alloc(&model->arena, model->ncurved, sizeof *curved);
    renewing = mb_arena_alloc(&model->arena, model->nrenewing, sizeof *renewing);
    if (!curved || !renewing) return mb_no_memory(report, "joints");
  }
  for (size_t i = 0; i < model->nv; i++)
    model->sprung |= model->stiffness[i] != 0 || model->joint_damping[i] != 0,
        model->rotors |= model->joint_inertia[i] != 0;
  model->curved = curved, model->renewing = renewing;
  return MB_OK;
}

MbStatus mb_compile_joints(const MbSceneSpec *spec, MbModel *model, MbReport *report) {
  const size_t nb = model->nb;
  MbArena *arena = &model->arena;
  MbJoint *joint = mb_arena_alloc(arena, nb, sizeof *joint);
  MbPose *P = mb_arena_alloc(arena, nb, sizeof *P), *B = mb_arena_alloc(arena, nb, sizeof *B);
  size_t *q_first = mb_arena_alloc(arena, nb, sizeof *q_first),
         *v_first = mb_arena_alloc(arena, nb, sizeof *v_first);
  if (!joint || !P || !B || !q_first || !v_first) return mb_no_memory(report, "joints");

  MbStatus status = MB_OK;
  for (size_t b = 0; b < nb; b++) mb_pose_identity(&P[b]), mb_pose_identity(&B[b]);
  for (size_t i = 0; i < model->nlisted; i++) {
    const size_t b = model->number[i];
    char where[48];
    snprintf(where, sizeof where, "/bodies/%zu/joint", i);
    if (!spec->bodies[i].jointed) continue;
    const MbStatus one = mb_joint_geometry(&spec->bodies[i].joint, where, arena, &joint[b], report);
    if (one != MB_OK)
      status = one;
    else if (mb_solver_of_bodies(&spec->solver) == MB_SOLVER_MAXIMAL && joint[b].n > MB_JOINT_DOFS)
      status = mb_error(report, MB_SCENE, where,
                        "this composite has %zu degrees of freedom: %d are the most of a body that solver "
                        "\"maximal\" holds",
                        joint[b].n, MB_JOINT_DOFS);
    else
      place(model, &spec->bodies[i].joint, b, &P[b], &B[b]);
  }
  const MbStatus nodes = mb_compile_node_joints(spec, model, joint, P, report);
  if (nodes != MB_OK || status != MB_OK) return status != MB_OK ? status : nodes;
  turn_joints(model, joint);
  for (size_t b = 0; b < nb; b++) {
    q_first[b] = model->nq, v_first[b] = model->nv;
    model->nq += joint[b].ops ? joint[b].n : 7;
    model->nv += joint[b].ops ? joint[b].n : 6;
  }

  double *q0 = mb_arena_alloc(arena, model->nq, sizeof *q0),
         *v0 = mb_arena_alloc(arena, model->nv, sizeof *v0);
  double *stiffness = mb_arena_alloc(arena, model->nv, sizeof *stiffness);
  double *rest = mb_arena_alloc(arena, model->nv, sizeof *rest);
  double *damping = mb_arena_alloc(arena, model->nv, sizeof *damping);
  double *inertia = mb_arena_alloc(arena, model->nv, sizeof *inertia);
  if (!q0 || !v0 || !stiffness || !rest || !damping || !inertia) return mb_no_memory(report, "joints");
  mb_compile_node_starts(spec, model, joint, q_first, v_first, q0, v0);
  for (size_t i = 0; i < model->nlisted; i++) {
    const size_t b = model->number[i], q = q_first[b], v = v_first[b];
    char where[48];
    snprintf(where, sizeof where, "/bodies/%zu/joint", i);
    if (joint[b].ops) {
      const Lists to = {q0 + q, v0 + v, stiffness + v, rest + v, damping + v, inertia + v};
      MbStatus one = build_numbers(&spec->bodies[i].joint, joint[b].n, where, &to, report);
      if (one == MB_OK) one = check_rotors(&joint[b], inertia + v, where, report);
      const MbJointTwistSpec *twist = spec->bodies[i].joint.twist;
      if (one == MB_OK && twist)
        one = mb_compile_joint_twist(twist, &joint[b], q0 + q, where, v0 + v, report);
      else if (one == MB_OK && joint[b].ops->change)
        joint[b].ops->change(&joint[b], q0 + q, MB_TO_VELOCITIES, v0 + v);
      if (one == MB_OK) one = check_coordinates(model, &joint[b], q0 + q, b, where, report);
      if (one != MB_OK) status = one;
    } else {
      double phi[6];
      MbPose E;
      mb_compile_driven_start(&spec->bodies[i], model, &model->C[b], &E, phi);
      memcpy(q0 + q, E.p, 3 * sizeof *q0);
      memcpy(q0 + q + 3, E.q, 4 * sizeof *q0);
      mb_velocity_of_twist(&E, phi, v0 + v);
    }
  }
  model->joint = joint, model->P = P, model->B = B, model->q_first = q_first, model->v_first = v_first;
  model->q0 = q0, model->v0 = v0, model->stiffness = stiffness, model->rest = rest,
  model->joint_damping = damping, model->joint_inertia = inertia;
  return status == MB_OK ? list_special(model, report) : status;
}

// Whether something that has mass moves with a body: of its subtree, which is a run of bodies, or a node that one of these carries.
static bool has_mass(const MbModel *model, size_t body) {
  const size_t *parent = model->parent, own = model->nlisted;
  size_t end = body;
  for (; end < own && (end == body || (parent[end] != MB_WORLD && parent[end] >= body)); end++)
    if (model->M[6 * end + 3] > 0) return true;
  for (size_t k = own; k < model->nb; k++)
    if (parent[k] >= body && parent[k] < end && model->M[6 * k + 3] > 0) return true;
  return false;
}

// Whether a body's joint does something that may hold it, where nothing that has mass moves with it; `known`: the step's matrix knows that.
static bool joint_holds(const MbModel *model, size_t b, bool known) {
  bool holds = model->joint[b].n == 0;
  for (size_t v = model->v_first[b]; v < model->v_first[b] + model->joint[b].n; v++)
    holds |=
        model->joint_inertia[v] > 0 || (known && (model->joint_damping[v] > 0 || model->stiffness[v] > 0));
  return holds;
}

MbStatus mb_compile_check_massless(const MbSceneSpec *spec, MbModel *model, MbReport *report) {
  const MbIntegratorKind way = model->integrator.kind;
  const bool known = way != MB_SYMPLECTIC && way != MB_RK45;
  MbStatus status = MB_OK;
  (void)spec;
  if (report->errors > 0) return MB_OK; // a body that is wrong has no mass yet
  for (size_t i = 0; i < model->nlisted; i++) {
    const size_t b = model->number[i];
    char where[48];
    if (joint_holds(model, b, known) || has_mass(model, b)) continue;
    snprintf(where, sizeof where, "/bodies/%zu", i);
    status = mb_error(report, MB_SCENE, where,
                      "nothing that has mass moves with the joint of \"%s\": its motion is not determined%s",
                      model->body_name[b], known ? "" : " (stiffness or damping there need \"implicit\")");
  }
  return status;
}

// A tree on a body makes the two turn together, and its steps are those of the tree; so do nodes that follow it.
MbStatus mb_compile_flights(MbModel *model, MbReport *report) {
  const MbSolverSpec *solver = &model->solver;
  const bool first = model->integrator.kind == MB_SYMPLECTIC || model->integrator.kind == MB_IMPLICIT;
  const bool held = mb_solver_of_bodies(solver) == MB_SOLVER_MAXIMAL && !solver->project;
  const bool wanted = first && solver->mode == MB_DYNAMIC && solver->terms == MB_TERMS_CARRIED;
  bool *flies = mb_arena_alloc(&model->arena, model->nb, sizeof *flies), *swings = flies;
  if (!flies) return mb_no_memory(report, "bodies");
  for (size_t b = 0; b < model->nb; b++) flies[b] = wanted && (held || !model->joint[b].ops);
  for (size_t b = 0; b < model->nb && !held; b++)
    if (model->parent[b] != MB_WORLD) flies[model->parent[b]] = false;
  for (size_t i = 0; i < model->nfollowers; i++)
    for (size_t k = 0; k < model->followers[i].nmasters; k++)
      flies[model->followers[i].master[k].body] = false;
  for (size_t b = 0; b < model->nb; b++) model->any_flies |= flies[b];
  if (model->any_flies) swings = mb_arena_alloc(&model->arena, model->nb, sizeof *swings);
  if (!swings) return mb_no_memory(report, "bodies");
  for (size_t b = 0; b < model->nb && model->any_flies; b++) {
    const double *I = model->M + 6 * b;
    swings[b] = flies[b] && !(I[0] == I[1] && I[1] == I[2]);
    model->any_swings |= swings[b];
  }
  model->flies = flies, model->swings = swings;
  return MB_OK;
}
