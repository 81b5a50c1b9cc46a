// A joint's velocities at the start from how the body moves in its parent: with the joint's motions S at its position, columns of
// (angular, linear) in the joint's frame in the body,
//   S_a v = ω,  S_l v = u.
// What is not given is as small as what is given lets it be: a screw that is told how it turns slides along, a cylindrical joint
// rests along its axis. So the first part is solved for, and the second in what that leaves free; both parts, if both are given.
#include "core/base/report.h"
#include "core/compile/compile_internal.h"
#include "core/joints/joints.h"

#include <stdio.h>
#include <string.h>

enum { WHERE = 192 };
static const double SAME = 1e-9;  // of the largest: motions of a joint that are the same
static const double CLOSE = 1e-6; // of what is given: written with seven digits

// Three equations in v = x + Z z: rows of S, columns first .. first + 2.
typedef struct Fit {
  size_t n, nz;
  double x[MB_JOINT_MOST];
  double Z[MB_JOINT_MOST][MB_JOINT_MOST]; // rows are the directions that are free
} Fit;

static void begin(Fit *fit, size_t n) {
  memset(fit, 0, sizeof *fit);
  fit->n = fit->nz = n;
  for (size_t i = 0; i < n; i++) fit->Z[i][i] = 1;
}

// y = A v for the three rows of S from `first`
static void apply(const double *S, size_t first, size_t n, const double *v, double y[3]) {
  mb_vec3_set(y, 0, 0, 0);
  for (size_t i = 0; i < n; i++) mb_vec3_add_scaled(y, y, v[i], S + 6 * i + first);
}

// Turns two directions, and what A makes of them, until the latter are orthogonal; false where they were.
static bool separate(Fit *fit, double W[][3], size_t i, size_t j) {
  const double a = mb_vec3_dot(W[i], W[i]), b = mb_vec3_dot(W[j], W[j]), c = mb_vec3_dot(W[i], W[j]);
  if (!(fabs(c) > 1e-15 * sqrt(a * b))) return false;
  const double zeta = (b - a) / (2 * c), t = (zeta < 0 ? -1 : 1) / (fabs(zeta) + sqrt(1 + zeta * zeta));
  const double cosine = 1 / sqrt(1 + t * t), sine = cosine * t;
  for (size_t k = 0; k < 3; k++) {
    const double w = W[i][k];
    W[i][k] = cosine * w - sine * W[j][k], W[j][k] = sine * w + cosine * W[j][k];
  }
  for (size_t k = 0; k < fit->n; k++) {
    const double z = fit->Z[i][k];
    fit->Z[i][k] = cosine * z - sine * fit->Z[j][k], fit->Z[j][k] = sine * z + cosine * fit->Z[j][k];
  }
  return true;
}

// x ← nearest to A x = b, by Jacobi's rotations of the free directions; those stay free that A makes nothing of.
static void satisfy(Fit *fit, const double *S, size_t first, double size, const double b[3]) {
  enum { SWEEPS = 60 };
  double W[MB_JOINT_MOST][3], left[3];
  for (size_t i = 0; i < fit->nz; i++) apply(S, first, fit->n, fit->Z[i], W[i]);
  bool any = true;
  for (int sweep = 0; any && sweep < SWEEPS; sweep++) {
    any = false;
    for (size_t i = 0; i < fit->nz; i++)
      for (size_t j = i + 1; j < fit->nz; j++) any |= separate(fit, W, i, j);
  }
  apply(S, first, fit->n, fit->x, left);
  mb_vec3_sub(left, b, left);
  size_t kept = 0;
  for (size_t i = 0; i < fit->nz; i++) {
    const double w2 = mb_vec3_dot(W[i], W[i]), along = mb_vec3_dot(W[i], left);
    if (w2 > SAME * size * SAME * size)
      for (size_t k = 0; k < fit->n; k++) fit->x[k] += along / w2 * fit->Z[i][k];
    else
      memmove(fit->Z[kept++], fit->Z[i], sizeof fit->Z[i]);
  }
  fit->nz = kept;
}

// The joint as it stands at the start: its motions, and what turns their axes into those of the scene.
typedef struct Start {
  size_t n;
  const char *where;
  double S[6 * MB_JOINT_MOST], size; // the largest of S
  double turn[4];
} Start;

static void fit_to(const Start *at, Fit *fit, size_t first, const double given[3]) {
  double b[3];
  mb_quat_unrotate(b, at->turn, given);
  satisfy(fit, at->S, first, at->size, b);
}

// Whether that has come to what is given.
static MbStatus check(const Start *at, const Fit *fit, size_t first, const double given[3], const char *when,
                      MbReport *report) {
  double found[3], off[3];
  apply(at->S, first, at->n, fit->x, found);
  mb_quat_rotate(found, at->turn, found);
  mb_vec3_sub(off, given, found);
  const double size = mb_vec3_norm(given);
  if (mb_vec3_norm(off) <= CLOSE * size) return MB_OK;
  char where[WHERE];
  snprintf(where, sizeof where, "%s/velocity/%s", at->where, first ? "linear" : "angular");
  for (int k = 0; k < 3; k++)
    if (fabs(found[k]) <= SAME * size) found[k] = 0;
  return mb_error(
      report, MB_SCENE, where,
      "found [%.6g, %.6g, %.6g], which this joint cannot do %s: the nearest is [%.6g, %.6g, %.6g]", given[0],
      given[1], given[2], when, found[0], found[1], found[2]);
}

MbStatus mb_compile_joint_twist(const MbJointTwistSpec *twist, const MbJoint *joint, const double *q,
                                const char *where, double *v, MbReport *report) {
  static const double still[MB_JOINT_MOST] = {0};
  static const char *const here = "at this position";
  double Sdot[6 * MB_JOINT_MOST];
  const double *const given[2] = {twist->angular, twist->linear};
  const size_t n = joint->n, one = twist->has_linear && !twist->has_angular, other = 1 - one;
  Start at = {.n = n, .where = where, .turn = {1, 0, 0, 0}};
  MbPose Q;
  joint->ops->eval(joint, q, still, &Q, at.S, Sdot);
  for (size_t i = 0; i < 6 * n; i++) at.size = fmax(at.size, fabs(at.S[i]));
  if (twist->axes == MB_SIDE_PARENT) memcpy(at.turn, Q.q, sizeof at.turn);

  Fit fit, alone;
  begin(&fit, n);
  fit_to(&at, &fit, 3 * one, given[one]);
  MbStatus status = check(&at, &fit, 3 * one, given[one], here, report);
  if (status != MB_OK) return status;
  fit_to(&at, &fit, 3 * other, given[other]);
  if (twist->has_angular && twist->has_linear) {
    begin(&alone, n);
    fit_to(&at, &alone, 3, given[1]);
    status = check(&at, &alone, 3, given[1], here, report);
    if (status == MB_OK) status = check(&at, &fit, 3, given[1], "with this angular velocity", report);
  }
  if (status != MB_OK) return status;
  if (fit.nz) {
    char on[WHERE];
    snprintf(on, sizeof on, "%s/velocity", where);
    return mb_error(report, MB_SCENE, on,
                    "at this position some of the joint's %zu coordinates make the same motion, so that the "
                    "body's motion does not tell their rates: give one number for each",
                    n);
  }
  memcpy(v, fit.x, n * sizeof *v);
  return MB_OK;
}
