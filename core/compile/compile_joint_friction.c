// Friction inside joints, those of bodies and those that close loops.
#include "core/compile/compile_internal.h"
#include "core/constraints/closure.h"
#include "core/constraints/joint_friction.h"

#include <stdio.h>
#include <string.h>

MbStatus mb_compile_check_dry(MbBuilder *b, const char *where) {
  const MbIntegratorKind kind = b->spec->integrator.kind;
  if (b->spec->solver.mode == MB_FIRST_ORDER)
    return mb_error(b->report, MB_SCENE, where,
                    "dry friction makes no sense in mode \"first_order\" of solver \"maximal\", where "
                    "velocities are no state: take mode \"dynamic\", or leave it out");
  if (kind == MB_SYMPLECTIC || kind == MB_IMPLICIT) return MB_OK;
  return mb_error(b->report, MB_SCENE, where,
                  "\"%s\" takes no dry friction in joints: across stick and slip no step has an order above "
                  "one; take \"symplectic\" or \"implicit\"",
                  mb_integrator_words[kind]);
}

// What the joint's loads are taken from is not known everywhere.
static MbStatus check_solver(MbBuilder *b, const char *where) {
  if (b->spec->solver.kind == MB_SOLVER_PROJECTIVE)
    return mb_error(
        b->report, MB_SCENE, where,
        "solver \"projective\" takes no friction inside joints, whose loads change in its passes: "
        "take \"redmax\" or \"maximal\", or \"frictionloss\", which knows no load");
  if (b->model->nfollowers)
    return mb_error(b->report, MB_SCENE, where,
                    "friction inside joints is not offered beside nodes that are attached to nodes by "
                    "reduction: attach them by \"constraint\"");
  return mb_compile_check_dry(b, where);
}

static bool is_box(MbJointKind joint) { return joint == MB_JOINT_PRISMATIC; }
static bool is_ball(MbJointKind joint) { return joint == MB_JOINT_SPHERICAL || joint == MB_JOINT_EULER; }

// Each kind of surface has its own numbers, all of them above 0 and no others.
static MbStatus check_numbers(MbBuilder *b, const char *where, MbJointKind joint,
                              const MbJointFrictionSpec *spec) {
  const bool box = is_box(joint), tall = !box && !is_ball(joint);
  const bool sized = spec->size[0] > 0 && spec->size[1] > 0 && spec->size[2] > 0;
  const bool any_size = spec->size[0] != 0 || spec->size[1] != 0 || spec->size[2] != 0;
  if (box == sized && any_size == box && isnan(spec->radius) == box && isnan(spec->length) == !tall)
    return MB_OK;
  return mb_error(b->report, MB_SCENE, where,
                  "friction inside a \"%s\" joint takes %s, and no more of its size", mb_joint_words[joint],
                  box    ? "a \"size\", three numbers above 0 along the joint's axes x, y, z"
                  : tall ? "a \"radius\" and a \"length\" along the axis"
                         : "a \"radius\"");
}

// The box's size is along the joint's axes, of which its own axis has to be one.
static MbStatus check_axis(MbBuilder *b, const char *where, const double axis[3]) {
  static const double ALONG = 1e-9;
  int along = 0;
  for (int k = 0; k < 3; k++) along += fabs(fabs(axis[k]) - 1) < ALONG;
  if (along == 1) return MB_OK;
  return mb_error(
      b->report, MB_SCENE, where,
      "a slide's \"size\" is along the axes x, y, z of the joint's frame, and its \"axis\" [%g, %g, "
      "%g] is none of these: turn the frame instead",
      axis[0], axis[1], axis[2]);
}

// Makes the friction of a joint whose ends are to be set: *made.
static MbStatus build(MbBuilder *b, const MbJointSpec *joint, double lead, const char *name,
                      MbConstraint **made) {
  const char *where = b->where;
  char text[MB_BUILDER_NAME];
  MbStatus status = mb_builder_add(b, &mb_joint_friction_ops, made);
  if (status != MB_OK) return status;
  MbJointFriction *own = mb_builder_own(*made);
  snprintf(text, sizeof text, "%s.friction", name);
  status = mb_builder_call(b, *made, text);
  if (status != MB_OK) return status;
  if (!mb_joint_friction_make(joint->friction, joint->kind, lead, joint->axis, own)) {
    (*made)->rows = 0;
    return mb_error(b->report, MB_SCENE, where,
                    "a \"%s\" joint has no friction inside it: revolute, universal, cylindrical, screw, "
                    "spherical, euler and prismatic ones do; \"frictionloss\" rubs along coordinates",
                    mb_joint_words[joint->kind]);
  }
  status = check_numbers(b, where, joint->kind, joint->friction);
  if (status == MB_OK && is_box(joint->kind)) status = check_axis(b, where, joint->axis);
  if (status == MB_OK) status = check_solver(b, where);
  (*made)->dry = true;
  (*made)->rows = (size_t)own->rows;
  own->first = (int)b->model->nloads;
  own->closes = own->body = -1;
  b->model->nloads += (size_t)own->places;
  return status;
}

static bool has_axis(MbJointKind joint) {
  return joint == MB_JOINT_REVOLUTE || joint == MB_JOINT_PRISMATIC || joint == MB_JOINT_CYLINDRICAL ||
         joint == MB_JOINT_SCREW;
}

MbStatus mb_compile_joint_friction(MbBuilder *b, size_t listed) {
  static const double z[3] = {0, 0, 1};
  const MbJointSpec *joint = &b->spec->bodies[listed].joint;
  const MbModel *model = b->model;
  const size_t body = model->number[listed];
  MbConstraint *made = NULL;
  snprintf(b->where, sizeof b->where, "/bodies/%zu/joint/friction", listed);
  if (!(joint->friction->coefficient > 0)) return MB_OK;
  const MbStatus status = build(b, joint, model->joint[body].lead, model->body_name[body], &made);
  if (status != MB_OK) return status;
  const double *axis = has_axis(joint->kind) ? joint->axis : z;
  made->body[0] = body, made->body[1] = model->parent[body];
  mb_model_place(model, &joint->in_body, axis, 0, made);
  mb_model_place(model, &joint->in_parent, axis, 1, made);
  ((MbJointFriction *)mb_builder_own(made))->body = (int)body;
  return MB_OK;
}

// The closure stands, and is the last constraint. Its second body turns in the first.
MbStatus mb_compile_closure_friction(MbBuilder *b, size_t i) {
  const MbConstraintSpec *from = &b->spec->constraints[i];
  const MbJointSpec *joint = &((const MbClosureSpec *)from->parameters)->joint;
  const size_t closes = b->model->nconstraints - 1;
  MbConstraint *made = NULL;
  if (!joint->friction || !(joint->friction->coefficient > 0)) return MB_OK;
  snprintf(b->where, sizeof b->where, "/constraints/%zu/friction", i);
  if (!mb_closure_rows(joint->kind) || from->compliance > 0)
    return mb_error(b->report, MB_SCENE, b->where,
                    "friction inside a joint that closes a loop is of hard ones, and not of \"%s\"",
                    from->compliance > 0 ? "compliance" : mb_joint_words[joint->kind]);
  const MbStatus status = build(b, joint, 0, b->list[closes].constraint.name, &made);
  if (status != MB_OK) return status;
  const MbConstraint *closure = &b->list[closes].constraint;
  for (int end = 0; end < 2; end++) {
    made->body[end] = closure->body[1 - end];
    memcpy(made->at[end], closure->at[1 - end], sizeof made->at[end]);
    memcpy(made->R[end], closure->R[1 - end], sizeof made->R[end]);
  }
  ((MbJointFriction *)mb_builder_own(made))->closes = (int)closes;
  return MB_OK;
}
