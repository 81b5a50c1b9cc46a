// Composite joint (RM 2.4.9, with the signs of its (2.52) put right): Q = Q₁ Q₂ … and, for each further part,
//   S = ( X S₁ , S₂ ),  Ṡ = ( X Ṡ₁ − ad(S₂ q̇₂) X S₁ , Ṡ₂ ),  X = Ad(Q₂⁻¹)
// A part that stands in a frame B of its own has B Q₂ in the place of Q₂: B is constant, so that S₂ and Ṡ₂ stay.
// Parts may be composites themselves.
#include "core/base/report.h"
#include "core/base/targets.h"
#include "core/joints/joint_parts.h"
#include "core/math/mat3.h"
#include "core/math/spatial.h"

#include <stdio.h>

// x ← Ad(E⁻¹) x,  ω' = Rᵀ ω, v' = Rᵀ (v − p × ω)
static void carry(const double R[9], const double p[3], double x[6]) {
  double t[3];
  mb_vec3_cross(t, p, x);
  mb_vec3_sub(t, x + 3, t);
  mb_mat3_tapply(x, R, x);
  mb_mat3_tapply(x + 3, R, t);
}

MB_CLONES __attribute__((flatten)) void mb_joint_append(const MbJoint *part, size_t first, const double *q,
                                                        const double *v, MbPose *Q, double *S, double *Sdot) {
  MbPose Q2;
  double R[9], phi[6] = {0};
  double *S2 = S + 6 * first, *S2dot = Sdot + 6 * first;
  part->ops->eval(part, q + first, v + first, &Q2, S2, S2dot);
  if (part->base) mb_pose_mul(&Q2, part->base, &Q2);
  if (!first) {
    *Q = Q2;
    return;
  }
  mb_pose_mul(Q, Q, &Q2);
  for (size_t i = 0; i < part->n; i++)
    for (int k = 0; k < 6; k++) phi[k] += S2[6 * i + (size_t)k] * v[first + i];
  mb_quat_to_mat3(R, Q2.q);
  for (size_t i = 0; i < first; i++) {
    double *a = S + 6 * i, *b = Sdot + 6 * i;
    carry(R, Q2.p, a);
    carry(R, Q2.p, b);
    mb_add_bracket(b, -1, phi, a);
  }
}

static void eval(const MbJoint *joint, const double *q, const double *v, MbPose *Q, double *S, double *Sdot) {
  size_t first = 0;
  mb_pose_identity(Q);
  for (size_t i = 0; i < joint->nparts; i++) {
    mb_joint_append(&joint->part[i], first, q, v, Q, S, Sdot);
    first += joint->part[i].n;
  }
}

static bool renew(const MbJoint *joint, double *q, double *v) {
  bool any = false;
  for (size_t i = 0; i < joint->nparts; i++) {
    const MbJoint *part = &joint->part[i];
    if (part->ops->renew) any |= part->ops->renew(part, q, v);
    q += part->n, v += part->n;
  }
  return any;
}

// Parts that turn by angular velocities do what they do, the others' velocities are their coordinates' rates.
static void advance(const MbJoint *joint, double *q, double h, const double *v) {
  for (size_t i = 0; i < joint->nparts; i++) {
    const MbJoint *part = &joint->part[i];
    if (part->ops->advance)
      part->ops->advance(part, q, h, v);
    else
      for (size_t k = 0; k < part->n; k++) q[k] += h * v[k];
    q += part->n, v += part->n;
  }
}

static void change(const MbJoint *joint, const double *q, MbJointWay way, double *x) {
  for (size_t i = 0; i < joint->nparts; i++) {
    const MbJoint *part = &joint->part[i];
    if (part->ops->change) part->ops->change(part, q, way, x);
    q += part->n, x += part->n;
  }
}

static void ahead(const MbJoint *joint, const double *s, double *T, double *T0, size_t stride) {
  size_t first = 0;
  for (size_t i = 0; i < joint->nparts; i++) {
    const MbJoint *part = &joint->part[i];
    const size_t at = stride * first + first;
    if (part->ops->ahead) part->ops->ahead(part, s + first, T + at, T0 + at, stride);
    first += part->n;
  }
}

// A part carries the columns of those before it.
static bool carries(const MbJoint *joint, bool *carried, size_t stride) {
  size_t first = 0;
  for (size_t p = 0; p < joint->nparts; p++) {
    const MbJoint *part = &joint->part[p];
    if (!part->ops->carries || !part->ops->carries(part, carried + stride * first + first, stride))
      return false;
    for (size_t i = 0; i < first; i++)
      for (size_t k = first; k < first + part->n; k++) carried[stride * i + k] = true;
    first += part->n;
  }
  return true;
}

// All parts are turns, and their frames stand at the joint's place.
static bool turns(const MbJoint *joint, MbJointTurn *turn) {
  for (size_t i = 0; i < joint->nparts; i++) {
    const MbJoint *part = &joint->part[i];
    if (!part->ops->turns || !part->ops->turns(part, turn)) return false;
    if (part->base) {
      if (mb_vec3_norm(part->base->p) > 0) return false;
      mb_quat_mul(turn->k, part->base->q, turn->k);
    }
    turn += part->n;
  }
  return joint->n > 0;
}

static void accelerate(const MbJoint *joint, const double *q, const double *v, double *a) {
  for (size_t i = 0; i < joint->nparts; i++) {
    const MbJoint *part = &joint->part[i];
    if (part->ops->accelerate) part->ops->accelerate(part, q, v, a);
    q += part->n, v += part->n, a += part->n;
  }
}

enum { WHERE = 160, DEEPEST = 8 };

// What a part of a composite is called, and where it stands. A part that is made in C may have no frame: all zeros.
static MbStatus place_part(const MbJointBuild *at, const MbJointSpec *spec, const MbJoint *list,
                           MbJoint *part) {
  const double *r = spec->in_parent.rotation, *p = spec->in_parent.position;
  const bool turned = r[1] != 0 || r[2] != 0 || r[3] != 0;
  if (turned || p[0] != 0 || p[1] != 0 || p[2] != 0) {
    MbPose *base = mb_arena_alloc(at->arena, 1, sizeof *base);
    if (!base) return mb_no_memory(at->report, "joints");
    mb_joint_frame(&spec->in_parent, base);
    if (!turned) mb_quat_identity(base->q);
    part->base = base;
  }
  if (!spec->name) return MB_OK;
  char name[WHERE + 16];
  snprintf(name, sizeof name, "%s/name", at->where);
  if (strspn(spec->name, "0123456789") == strlen(spec->name))
    return mb_error(at->report, MB_SCENE, name, "\"%s\" is no name: parts without one have their numbers",
                    spec->name);
  for (; list < part; list++)
    if (list->name && !strcmp(list->name, spec->name))
      return mb_error(at->report, MB_SCENE, name, "two parts of this joint are called \"%.100s\"",
                      spec->name);
  part->name = mb_arena_strdup(at->arena, spec->name);
  return part->name ? MB_OK : mb_no_memory(at->report, "joints");
}

static MbStatus build(const MbJointBuild *at, const MbJointSpec *spec, MbJoint *joint) {
  if (!spec->nparts || at->depth > DEEPEST)
    return mb_error(at->report, MB_SCENE, at->where,
                    at->depth > DEEPEST ? "composites are nested too deep"
                                        : "a composite needs at least one joint in \"joints\"");
  MbJoint *part = mb_arena_alloc(at->arena, spec->nparts, sizeof *part);
  if (!part) return mb_no_memory(at->report, "joints");
  for (size_t i = 0; i < spec->nparts; i++) {
    char inner[WHERE];
    MbJointBuild of = *at;
    snprintf(inner, sizeof inner, "%.120s/joints/%zu", at->where, i);
    of.where = inner, of.depth++;
    MbStatus status = at->part(&of, &spec->parts[i], &part[i]);
    if (status == MB_OK) status = place_part(&of, &spec->parts[i], part, &part[i]);
    if (status != MB_OK) return status;
    joint->n += part[i].n;
  }
  joint->part = part, joint->nparts = spec->nparts;
  if (joint->n > MB_JOINT_MOST)
    return mb_error(at->report, MB_SCENE, at->where,
                    "this composite has %zu degrees of freedom: %d are the most", joint->n, MB_JOINT_MOST);
  return MB_OK;
}

static const MbJointOps turning = {.name = "composite, turning",
                                   .eval = eval,
                                   .carries = carries,
                                   .ahead = ahead,
                                   .renew = renew,
                                   .advance = advance,
                                   .change = change,
                                   .accelerate = accelerate};

extern const MbJointOps mb_joint_composite;
const MbJointOps mb_joint_composite = {.name = "composite",
                                       .build = build,
                                       .eval = eval,
                                       .carries = carries,
                                       .renew = renew,
                                       .turns = turns,
                                       .turning = &turning};
