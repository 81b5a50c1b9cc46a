// Mass properties of the shapes with formulas, their compositions, and principal axes.
#include "core/compile/inertia.h"
#include "core/base/report.h"
#include "core/math/quat.h"

#include <float.h>
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

// ---- principal axes ----

// One Jacobi rotation: A ← Gᵀ A G with A_pq = 0 after it, V ← V G.
static void jacobi_rotate(double A[9], double V[9], int p, int q) {
  const double theta = (A[4 * q] - A[4 * p]) / (2 * A[3 * p + q]);
  const double t = (theta < 0 ? -1 : 1) / (fabs(theta) + hypot(theta, 1));
  const double c = 1 / sqrt(t * t + 1), s = t * c, shift = t * A[3 * p + q];
  const int r = 3 - p - q;
  const double rp = A[3 * r + p], rq = A[3 * r + q];
  A[4 * p] -= shift, A[4 * q] += shift;
  A[3 * p + q] = A[3 * q + p] = 0;
  A[3 * r + p] = A[3 * p + r] = c * rp - s * rq;
  A[3 * r + q] = A[3 * q + r] = s * rp + c * rq;
  for (int i = 0; i < 3; i++) {
    const double vp = V[3 * i + p], vq = V[3 * i + q];
    V[3 * i + p] = c * vp - s * vq, V[3 * i + q] = s * vp + c * vq;
  }
}

// R, moments ← of all ways to order and flip the columns of V the one turned least, that is of the largest
// trace. It is right-handed by itself: one of the 24 rotations among them has a trace of 1 + 2 cos 62.8° at
// least, and what is left-handed has 1 at most.
static void nearest_order(const double V[9], const double d[3], double R[9], double moments[3]) {
  static const int order[6][3] = {{0, 1, 2}, {1, 0, 2}, {0, 2, 1}, {2, 1, 0}, {1, 2, 0}, {2, 0, 1}};
  double most = -4;
  for (int k = 0; k < 6; k++)
    for (int flips = 0; flips < 8; flips++) {
      double W[9];
      for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++) W[3 * i + j] = (flips >> j & 1 ? -1 : 1) * V[3 * i + order[k][j]];
      const double trace = W[0] + W[4] + W[8];
      if (!(trace > most)) continue;
      most = trace;
      memcpy(R, W, sizeof W);
      for (int j = 0; j < 3; j++) moments[j] = d[order[k][j]];
    }
}

// Axes of equal moments are free to turn in their plane: turn them as near to the given ones as they go.
// With u' = cu + sv, v' = cv − su the trace changes by  c(u_i + v_j) + s(v_i − u_j).
static void settle_equal(double R[9], int i, int j) {
  const double a = R[4 * i] + R[4 * j], b = R[3 * i + j] - R[3 * j + i], n = hypot(a, b);
  if (!(n > 0)) return;
  const double c = a / n, s = b / n;
  for (int k = 0; k < 3; k++) {
    const double u = R[3 * k + i], v = R[3 * k + j];
    R[3 * k + i] = c * u + s * v, R[3 * k + j] = c * v - s * u;
  }
}

void mb_principal_axes(const double inertia[9], double R[9], double moments[3]) {
  double A[9], V[9], largest = 0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) A[3 * i + j] = inertia[3 * i + j] / 2 + inertia[3 * j + i] / 2;
  for (int i = 0; i < 9; i++) largest = fmax(largest, fabs(A[i]));
  mb_mat3_identity(V);
  mb_mat3_identity(R);

  // what lies below the rounding of the largest moment is noise: turning to it would pick axes at random
  const double noise = 8 * DBL_EPSILON * largest;
  bool turned = false;
  for (int sweep = 0; sweep < 30; sweep++) {
    bool quiet = true;
    for (int p = 0; p < 2; p++)
      for (int q = p + 1; q < 3; q++) {
        const double limit = turned ? DBL_MIN + noise / 1024 : noise;
        if (!(fabs(A[3 * p + q]) > limit)) continue;
        jacobi_rotate(A, V, p, q);
        turned = true, quiet = false;
      }
    if (quiet) break;
  }
  const double d[3] = {A[0], A[4], A[8]};
  memcpy(moments, d, sizeof d);
  if (!turned) return;
  nearest_order(V, d, R, moments);

  const double equal = 2 * noise;
  if (fabs(moments[0] - moments[1]) <= equal && fabs(moments[1] - moments[2]) <= equal &&
      fabs(moments[0] - moments[2]) <= equal) {
    mb_mat3_identity(R);
    return;
  }
  for (int i = 0; i < 2; i++)
    for (int j = i + 1; j < 3; j++)
      if (fabs(moments[i] - moments[j]) <= equal) settle_equal(R, i, j);
}

bool mb_inertia_plausible(const double m[3]) {
  const double slack = 1 - 1e-9;
  return slack * m[0] <= m[1] + m[2] && slack * m[1] <= m[0] + m[2] && slack * m[2] <= m[0] + m[1];
}
