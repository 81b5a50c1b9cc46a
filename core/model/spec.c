#include "core/model/spec.h"

#include <math.h>
#include <string.h>

// A duration that is a whole number of steps but for rounding is that number.
int64_t mb_time_steps(const MbTimeSpec *time) {
  if (time->steps >= 0) return time->steps;
  const double steps = ceil(time->duration / time->step * (1 - 1e-12) - 1e-9);
  return steps > 0 ? (int64_t)steps : 0;
}

bool mb_body_stands(const MbBodySpec *body) {
  const MbJointSpec *joint = &body->joint;
  return body->jointed && joint->kind == MB_JOINT_FIXED &&
         (!joint->parent || !strcmp(joint->parent, "world"));
}

bool mb_scene_projects(const MbSceneSpec *spec) {
  const MbSolverSpec *solver = &spec->solver;
  bool joins = false;
  if (solver->project_told || solver->project) return solver->project;
  for (size_t i = 0; i < spec->nbodies; i++)
    joins |= spec->bodies[i].jointed && !mb_body_stands(&spec->bodies[i]);
  return joins && spec->contact && spec->contact->enabled && solver->terms == MB_TERMS_CARRIED &&
         mb_solver_of_bodies(solver) == MB_SOLVER_MAXIMAL;
}

const MbMaterialSpec *mb_find_material(const MbSceneSpec *spec, const char *name) {
  for (size_t i = 0; name && i < spec->nmaterials; i++)
    if (!strcmp(spec->materials[i].name, name)) return &spec->materials[i];
  return NULL;
}

const double *mb_shape_color(const MbSceneSpec *spec, const MbBodySpec *body, const MbShapeSpec *shape) {
  const MbMaterialSpec *own = shape ? mb_find_material(spec, shape->material) : NULL,
                       *all = mb_find_material(spec, body->material);
  const double *const said[] = {shape ? shape->color : NULL, own ? own->color : NULL, body->color,
                                all ? all->color : NULL};
  for (size_t i = 0; i < sizeof said / sizeof *said; i++)
    if (said[i]) return said[i];
  return NULL;
}

const char *const mb_shape_words[] = {"box",       "sphere", "capsule", "cylinder",
                                      "ellipsoid", "mesh",   "plane",   NULL};
const char *const mb_joint_words[] = {MB_JOINT_KINDS(MB_KIND_WORD) NULL};
const char *const mb_constraint_words[] = {MB_CONSTRAINT_KINDS(MB_KIND_WORD) NULL};
const char *const mb_deformable_words[] = {"springs", "particles", "tets", "cloth", "rod", NULL};
const char *const mb_pattern_words[] = {"cross", "diagonal", "square", NULL};
const char *const mb_elastic_words[] = {"arap", "corotational", "neo_hookean", "linear", NULL};
const char *const mb_bending_words[] = {"isometric", "laplace_beltrami", "none", NULL};
const char *const mb_precision_words[] = {"double", "single", NULL};
const char *const mb_bodies_solver_words[] = {"redmax", "maximal", NULL};
const char *const mb_method_words[] = {"auto", "lbfgs", "projective", "newton", NULL};
const char *const mb_enforce_words[] = {"constraint", "reduction", NULL};
const char *const mb_upper_limit_words[] = {"inward", "outward", NULL};
const char *const mb_stabilization_words[] = {"baumgarte", "post", "none", NULL};
const char *const mb_force_words[] = {MB_FORCE_KINDS(MB_KIND_WORD) NULL};
const char *const mb_law_words[] = {"linear", "strain", "quadratic_strain", "zero_length", NULL};
const char *const mb_solver_words[] = {"redmax", "maximal", "projective", NULL};
const char *const mb_integrator_words[] = {"symplectic", "implicit", "trapezoidal", "bridson_marino", "rk45",
                                           "bdf1",       "bdf2",     "sdirk2",      "static",         NULL};
const char *const mb_dynamics_words[] = {"auto", "recursive", "dense", NULL};
const char *const mb_velocity_terms_words[] = {"carried", "explicit", NULL};
const char *const mb_mode_words[] = {"dynamic", "first_order", NULL};
const char *const mb_linear_words[] = {"auto", "tree", "sparse", "dense", NULL};
const char *const mb_device_words[] = {"cpu", "cuda", "auto", NULL};
const char *const mb_axes_words[] = {"world", "body", NULL};
const char *const mb_joint_side_words[] = {"parent", "body", NULL};
const char *const mb_interpolation_words[] = {"linear", "hold", "cubic", NULL};
const char *const mb_cone_kind_words[] = {"none", "box", "pyramid", "cone", NULL};
const char *const mb_collide_words[] = {"hull", "mesh", NULL};
const char *const mb_contact_method_words[] = {
    "auto", "pivoting", "gauss_seidel", "staggered", "nonsmooth_newton", "admm", NULL};
const char *const mb_newton_function_words[] = {"minimum_map", "fischer_burmeister", NULL};
const char *const mb_quantity_words[] = {"pose",  "velocity", "acceleration", "force", "energy",
                                         "other", NULL};
