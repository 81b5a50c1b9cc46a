// Mass properties of the shapes with formulas, and their compositions.
#include "core/compile/inertia.h"
#include "core/base/report.h"
#include "core/math/quat.h"

#include <string.h>

static const double PI = 3.14159265358979323846;

static void set_diagonal(MbMassProperties *p, double mass, double xx, double yy, double zz) {
  *p = (MbMassProperties){.mass = mass};
  p->inertia[0] = xx, p->inertia[4] = yy, p->inertia[8] = zz;
}

static void box_mass(const double size[3], MbMassProperties *p) {
  const double m = size[0] * size[1] * size[2];
  const double x2 = size[0] * size[0], y2 = size[1] * size[1], z2 = size[2] * size[2];
  set_diagonal(p, m, m * (y2 + z2) / 12, m * (x2 + z2) / 12, m * (x2 + y2) / 12);
}

static void ellipsoid_mass(const double radii[3], MbMassProperties *p) {
  const double m = 4 * PI / 3 * radii[0] * radii[1] * radii[2];
  const double x2 = radii[0] * radii[0], y2 = radii[1] * radii[1], z2 = radii[2] * radii[2];
  set_diagonal(p, m, m * (y2 + z2) / 5, m * (x2 + z2) / 5, m * (x2 + y2) / 5);
}

static void cylinder_mass(double r, double length, MbMassProperties *p) {
  const double m = PI * r * r * length, x = m * (3 * r * r + length * length) / 12;
  set_diagonal(p, m, x, x, m * r * r / 2);
}

// A cylinder between two half spheres whose centres of mass lie 3r/8 above their flat sides:
// across the axis the two have  m (2r²/5 + l²/4 + 3rl/8)  together, along it 2mr²/5.
static void capsule_mass(double r, double length, MbMassProperties *p) {
  const double m = 4 * PI / 3 * r * r * r;
  const double x = m * (2 * r * r / 5 + length * length / 4 + 3 * r * length / 8);
  cylinder_mass(r, length, p);
  p->mass += m;
  p->inertia[0] += x, p->inertia[4] += x;
  p->inertia[8] += m * 2 * r * r / 5;
}

MbStatus mb_shape_mass(const MbShapeSpec *shape, const char *where, MbMassProperties *out, MbReport *report) {
  *out = (MbMassProperties){0};
  switch (shape->kind) {
  case MB_SHAPE_BOX:
    box_mass(shape->size, out);
    break;
  case MB_SHAPE_SPHERE: {
    const double radii[3] = {shape->radius, shape->radius, shape->radius};
    ellipsoid_mass(radii, out);
    break;
  }
  case MB_SHAPE_CAPSULE:
    capsule_mass(shape->radius, shape->length, out);
    break;
  case MB_SHAPE_CYLINDER:
    cylinder_mass(shape->radius, shape->length, out);
    break;
  case MB_SHAPE_ELLIPSOID:
    ellipsoid_mass(shape->size, out);
    break;
  case MB_SHAPE_MESH:
    if (!shape->mesh) return mb_error(report, MB_SCENE, where, "the mesh has not been read");
    return mb_mesh_mass(shape->mesh, where, out, report);
  case MB_SHAPE_PLANE:
  case MB_SHAPES:
    return MB_OK;
  }
  bool good = out->mass > 0 && isfinite(out->mass);
  for (int i = 0; i < 9; i += 4) good = good && out->inertia[i] > 0 && isfinite(out->inertia[i]);
  if (!good)
    return mb_error(
        report, MB_SCENE, where,
        "the %s has volume %g and moments %g %g %g: its sizes must be positive, and neither too small "
        "nor too large for their fifth power",
        mb_shape_words[shape->kind], out->mass, out->inertia[0], out->inertia[4], out->inertia[8]);
  return MB_OK;
}

// ---- compositions ----

void mb_mass_scale(MbMassProperties *p, double factor) {
  p->mass *= factor;
  for (int i = 0; i < 9; i++) p->inertia[i] *= factor;
}

void mb_mass_move(MbMassProperties *p, const MbFrameSpec *frame) {
  double R[9], RI[9], turned[9];
  mb_quat_to_mat3(R, frame->rotation);
  mb_mat3_apply(p->center, R, p->center);
  mb_vec3_add(p->center, p->center, frame->position);
  mb_mat3_mul(RI, R, p->inertia);
  mb_mat3_mult(turned, RI, R);
  // rounding must not take the symmetry away
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) p->inertia[3 * i + j] = (turned[3 * i + j] + turned[3 * j + i]) / 2;
}

// Two masses a vector d apart have  I₁ + I₂ + μ(|d|² 1 − d dᵀ)  about their common centre, μ = m₁m₂/(m₁ +
// m₂).
void mb_mass_add(MbMassProperties *sum, const MbMassProperties *p) {
  const double mass = sum->mass + p->mass;
  if (!(p->mass > 0)) return;
  if (!(sum->mass > 0)) {
    *sum = *p;
    return;
  }
  double d[3];
  mb_vec3_sub(d, p->center, sum->center);
  const double part = p->mass / mass, mu = sum->mass * part, d2 = mb_vec3_dot(d, d);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      sum->inertia[3 * i + j] += p->inertia[3 * i + j] + mu * ((i == j ? d2 : 0) - d[i] * d[j]);
  mb_vec3_add_scaled(sum->center, sum->center, part, d);
  sum->mass = mass;
}
