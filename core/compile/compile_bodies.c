// Bodies: mass from shapes, principal axes, initial pose and twist of the centre-of-mass frame C.
#include "core/base/report.h"
#include "core/compile/compile_internal.h"
#include "core/compile/inertia.h"

#include <stdio.h>
#include <string.h>

enum { WHERE = 128 };

static double material_density(const MbSceneSpec *spec, const char *name) {
  const MbMaterialSpec *material = mb_find_material(spec, name);
  return material ? material->density : NAN;
}

// The nearest word on density wins: the shape's own, its material's, the body's, the body's material's.
static double shape_density(const MbSceneSpec *spec, const MbBodySpec *body, const MbShapeSpec *shape) {
  const double candidates[] = {shape->density, material_density(spec, shape->material), body->density,
                               material_density(spec, body->material)};
  for (size_t i = 0; i < sizeof candidates / sizeof *candidates; i++)
    if (!isnan(candidates[i])) return candidates[i];
  return NAN;
}

// The sum over the body's shapes, in B, with their densities; where none has one, with density 1 and *unit
// set.
static MbStatus sum_shapes(const MbSceneSpec *spec, const MbBodySpec *body, size_t index,
                           MbMassProperties *sum, bool *unit, MbReport *report) {
  MbStatus status = MB_OK;
  size_t with = 0;
  for (size_t k = 0; k < body->nshapes; k++)
    with += !isnan(shape_density(spec, body, &body->shapes[k])) ? 1 : 0;
  *unit = with == 0;

  for (size_t k = 0; k < body->nshapes; k++) {
    const MbShapeSpec *shape = &body->shapes[k];
    char where[WHERE];
    if (body->shape_list)
      snprintf(where, sizeof where, "/bodies/%zu/shape/%zu", index, k);
    else
      snprintf(where, sizeof where, "/bodies/%zu/shape", index);
    if (shape->kind == MB_SHAPE_PLANE) { // without mass
      if (!mb_body_stands(body))
        status = mb_error(report, MB_SCENE, where,
                          "a plane can only be fixed to the world, and \"%s\" is not (by a joint \"fixed\")",
                          body->name);
      continue;
    }
    MbMassProperties p;
    const MbStatus one = mb_shape_mass(shape, where, &p, report);
    const double density = shape_density(spec, body, shape);
    if (one != MB_OK) {
      status = one;
    } else if (!*unit && isnan(density)) {
      status = mb_error(report, MB_SCENE, where,
                        "this shape has no density, but others of \"%s\" have one: give all of them or none",
                        body->name);
    } else {
      mb_mass_scale(&p, *unit ? 1 : density);
      mb_mass_move(&p, &shape->frame);
      mb_mass_add(sum, &p);
    }
  }
  return status;
}

static bool only_planes(const MbBodySpec *body) {
  bool only = true;
  for (size_t k = 0; k < body->nshapes; k++) only &= body->shapes[k].kind == MB_SHAPE_PLANE;
  return only;
}

static void from_inertia(const MbInertiaSpec *in, MbMassProperties *p) {
  const double *m = in->matrix;
  const double I[9] = {m[0], m[3], m[4], m[3], m[1], m[5], m[4], m[5], m[2]};
  p->mass = in->mass;
  memcpy(p->center, in->center, sizeof p->center);
  memcpy(p->inertia, I, sizeof I);
}

// Mass, centre and inertia in B, from `inertia` or from the shapes.
static MbStatus mass_of(const MbSceneSpec *spec, size_t index, MbMassProperties *p, MbReport *report) {
  const MbBodySpec *body = &spec->bodies[index];
  char where[WHERE];
  snprintf(where, sizeof where, "/bodies/%zu", index);
  *p = (MbMassProperties){0};

  if (body->inertia) {
    if (!isnan(body->mass) || !isnan(body->density) || body->material)
      return mb_error(report, MB_SCENE, where,
                      "\"inertia\" already says the mass: leave out \"mass\", \"density\" and \"material\"");
    from_inertia(body->inertia, p);
    return MB_OK;
  }
  if (!body->nshapes && body->jointed && isnan(body->mass)) return MB_OK; // a link without mass
  if (!body->nshapes)
    return mb_error(report, MB_SCENE, where, "body \"%s\" has no mass: give it a \"shape\" or an \"inertia\"",
                    body->name);
  bool unit = false;
  const MbStatus status = sum_shapes(spec, body, index, p, &unit, report);
  if (status != MB_OK) return status;
  if (unit && isnan(body->mass) && !only_planes(body))
    return mb_error(report, MB_SCENE, where,
                    "body \"%s\" has no mass: give it a \"density\", a \"material\" with one, or a \"mass\"",
                    body->name);
  if (!isnan(body->mass) && p->mass > 0) mb_mass_scale(p, body->mass / p->mass);
  return MB_OK;
}

// A body that is free in space needs mass and inertia of its own; one that hangs on a joint may be without, if what
// it carries, or its joint, makes the equations solvable.
static MbStatus check_inertia(const MbBodySpec *body, size_t index, double mass, const double moments[3],
                              MbReport *report) {
  char where[WHERE];
  snprintf(where, sizeof where, body->inertia ? "/bodies/%zu/inertia" : "/bodies/%zu", index);
  if (!(mass > 0 || (body->jointed && mass == 0)) || !isfinite(mass))
    return mb_error(report, MB_SCENE, where,
                    "the mass of \"%s\" comes to %g kg: it must be positive and finite", body->name, mass);
  for (int i = 0; i < 3; i++)
    if (!(moments[i] > 0 || (body->jointed && moments[i] == 0)) || !isfinite(moments[i]))
      return mb_error(report, MB_SCENE, where,
                      "the principal moments of inertia of \"%s\" are %g, %g, %g kg m²: all must be positive",
                      body->name, moments[0], moments[1], moments[2]);
  if (mass == 0 && !(body->nshapes && only_planes(body)))
    mb_warning(report, where, "body \"%s\" has no mass: it only hands on what its joint does", body->name);
  else if (!mb_inertia_plausible(moments))
    mb_warning(
        report, where,
        "the principal moments of inertia of \"%s\" are %g, %g, %g kg m²: no solid has these, as one is "
        "larger than the sum of the others",
        body->name, moments[0], moments[1], moments[2]);
  return MB_OK;
}

// E = E_WB C, and the twist of C in C axes from the velocity of B's origin:
//   ω = Rᵀ ω_W,  v = Rᵀ (v_W + ω_W × (c_W − o_W)),  R = R_WC
void mb_compile_start(const MbBodySpec *body, const MbPose *C, MbPose *E, double phi[6]) {
  MbPose B;
  memcpy(B.p, body->pose.position, sizeof B.p);
  memcpy(B.q, body->pose.rotation, sizeof B.q);
  mb_pose_mul(E, &B, C);
  mb_quat_normalise(E->q);

  double w[3], v[3], arm[3], turn[3];
  mb_vec3_copy(w, body->angular);
  mb_vec3_copy(v, body->linear);
  if (body->velocity_axes == MB_AXES_BODY) {
    mb_quat_rotate(w, B.q, w);
    mb_quat_rotate(v, B.q, v);
  }
  mb_vec3_sub(arm, E->p, B.p);
  mb_vec3_cross(turn, w, arm);
  mb_vec3_add(v, v, turn);
  mb_quat_unrotate(phi, E->q, w);
  mb_quat_unrotate(phi + 3, E->q, v);
}

// A body with a joint is where the joint puts it.
static MbStatus check_start(const MbBodySpec *body, size_t index, MbReport *report) {
  static const char *const keys[] = {"pose", "velocity"}, *const from[] = {"position", "velocity"};
  const double *p = body->pose.position, *q = body->pose.rotation + 1;
  const bool given[] = {mb_vec3_norm(p) + mb_vec3_norm(q) > 0,
                        mb_vec3_norm(body->angular) + mb_vec3_norm(body->linear) > 0};
  MbStatus status = MB_OK;
  for (int k = 0; body->jointed && k < 2; k++) {
    if (!given[k]) continue;
    char where[WHERE];
    snprintf(where, sizeof where, "/bodies/%zu/%s", index, keys[k]);
    status = mb_error(report, MB_SCENE, where,
                      "\"%s\" hangs on a joint, so that its %s at the start follows from the joint's \"%s\"",
                      body->name, keys[k], from[k]);
  }
  return status;
}

// What would not go wrong at once but is likely a mistake: steps that cannot follow the motion.
static void warn_about_step(const MbSceneSpec *spec, size_t index, const MbPose *C, MbReport *report) {
  const MbBodySpec *body = &spec->bodies[index];
  MbPose E;
  double phi[6];
  mb_compile_start(body, C, &E, phi);
  const double h = spec->time.step, spin = mb_vec3_norm(phi);
  char where[WHERE];
  snprintf(where, sizeof where, "/bodies/%zu", index);
  if (spec->solver.mode == MB_FIRST_ORDER && spin + mb_vec3_norm(phi + 3) > 0)
    mb_warning(report, where,
               "the velocity of \"%s\" has no effect: in mode \"first_order\" forces give velocities",
               body->name);
  if (spec->integrator.kind == MB_RK45) return;
  if (h * spin > 1)
    mb_warning(report, where,
               "body \"%s\" turns by %.3g rad in a step of %g s: take a step below %.2g s to follow it",
               body->name, h * spin, h, 0.1 / spin);
}

static MbStatus build_body(const MbSceneSpec *spec, size_t i, double M[6], MbPose *C, MbReport *report) {
  MbMassProperties p;
  const MbStatus start = check_start(&spec->bodies[i], i, report);
  MbStatus status = mass_of(spec, i, &p, report);
  if (status != MB_OK || start != MB_OK) return status != MB_OK ? status : start;
  double R[9], moments[3];
  mb_principal_axes(p.inertia, R, moments);
  status = check_inertia(&spec->bodies[i], i, p.mass, moments, report);
  if (status != MB_OK) return status;

  for (int k = 0; k < 3; k++) M[k] = moments[k], M[3 + k] = p.mass;
  memcpy(C->p, p.center, sizeof C->p);
  mb_quat_from_mat3(C->q, R);
  if (!spec->bodies[i].jointed) warn_about_step(spec, i, C, report);
  return MB_OK;
}

MbStatus mb_compile_bodies(const MbSceneSpec *spec, MbModel *model, MbReport *report) {
  const size_t nb = model->nb;
  double *M = mb_arena_alloc(&model->arena, nb, 6 * sizeof *M);
  double *damping = mb_arena_alloc(&model->arena, nb, sizeof *damping);
  MbPose *C = mb_arena_alloc(&model->arena, nb, sizeof *C);
  if (!M || !damping || !C) return mb_no_memory(report, "bodies");
  model->M = M, model->C = C, model->damping = damping;

  MbStatus status = MB_OK;
  for (size_t i = 0; i < model->nlisted; i++) {
    const size_t b = model->number[i];
    damping[b] = spec->bodies[i].damping;
    const MbStatus one = build_body(spec, i, M + 6 * b, &C[b], report);
    if (one != MB_OK) status = one;
  }
  mb_compile_node_bodies(spec, model, M, C);
  return status;
}
