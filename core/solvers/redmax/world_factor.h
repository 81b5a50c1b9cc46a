// A⁻¹ factored about where the bodies are, for the kind of processor of the file that includes this (world.h).
#ifndef MB_SOLVERS_REDMAX_WORLD_FACTOR_H
#define MB_SOLVERS_REDMAX_WORLD_FACTOR_H

#include "core/model/coordinates.h"
#include "core/solvers/body_block.h"
#include "core/solvers/redmax/lanes_joints.h"
#include "core/solvers/redmax/world.h"

static inline Mat rotation(const MbWorld *world, size_t b) {
  const double *q = world->E[b].q;
  return quat_mat((Quat){q[0], q[1], q[2], q[3]});
}

static inline Vec arm_of(const MbWorld *world, size_t b, Mat R) {
  return world->arm ? vec(world->arm + 3 * b) : turn(R, world->links->link[b].c);
}

// R B Rᵀ
static inline Mat turn_block(Mat R, Mat B) {
  const Mat rows = {{R.x.x, R.y.x, R.z.x}, {R.x.y, R.y.y, R.z.y}, {R.x.z, R.y.z, R.z.z}};
  const Mat RB = {apply(R, B.x), apply(R, B.y), apply(R, B.z)};
  return (Mat){apply(RB, rows.x), apply(RB, rows.y), apply(RB, rows.z)};
}
static inline Sym sym(Mat A) { return (Sym){A.x.x, A.y.y, A.z.z, A.y.x, A.z.x, A.z.y}; }

// −a D − c K of a body, symmetrised, in world axes at O
static inline Articulated block(const MbWorld *world, const MbMaximal *x, size_t b, double a, double c) {
  double S[36];
  mb_force_block(S, x, b, b, a, c, false);
  // S is symmetric, so that its rows are its columns
  const Mat I = {vec(S), vec(S + 6), vec(S + 12)}, H = {vec(S + 18), vec(S + 24), vec(S + 30)},
            M = {vec(S + 21), vec(S + 27), vec(S + 33)}, R = rotation(world, b);
  const Articulated A = {.I = sym(turn_block(R, I)), .M = sym(turn_block(R, M)), .H = turn_block(R, H)};
  return inertia_move(A, arm_of(world, b, R));
}

MB_KERNEL bool factor_body(MbWorld *world, const MbMaximal *x, size_t b, Articulated A, double a, double c) {
  MbRecursion *work = world->work;
  const MbHop *hop = &world->links->hop[b];
  Stand *stand = &work->stand[b];
  const Screw none = {0};
  const double *k = x->stiffness + hop->v, *d = x->joint_damping + hop->v;
  if (hop->kind != MB_LINK_REVOLUTE) {
    double own[MB_JOINT_MOST * MB_JOINT_MOST];
    const bool some = world->model->sprung || world->model->ndrives;
    const bool jointed = hop->kind == MB_LINK_GENERAL && some && (a != 0 || c != 0);
    if (jointed) mb_coordinates_own(world->model, x, b, a, c, own);
    if (!release_joint(work, b, &A, jointed ? own : NULL)) return false;
    if (hop->up) collect(&work->sum[hop->up], inertia_move(A, stand->r), none, hop->last);
    return true;
  }
  const Vec s = stand->s, Is = apply_sym(A.I, s);
  const Screw U = move_wrench((Screw){Is, apply_transposed(A.H, s)}, stand->r);
  const double pivot = dot(s, Is) + work->links->inertia[hop->v] + a * *d + c * *k;
  stand->inverse = 1 / pivot;
  stand->V = (Screw){scale(stand->inverse, U.turn), scale(stand->inverse, U.line)};
  if (!pivot_fine(FINE, pivot)) return false;
  if (hop->up)
    collect(&work->sum[hop->up], inertia_less(inertia_move(A, stand->r), U, stand->V), none, hop->last);
  return true;
}

static inline bool factor_world(MbWorld *world, const MbMaximal *x, double a, double c, Articulated *whole,
                                size_t *blame) {
  MbRecursion *work = world->work;
  for (size_t b = world->model->nb; b-- > 0;) {
    const MbHop *hop = &world->links->hop[b];
    const Rigid *rigid = &work->rigid[b];
    Articulated A = hop->leaf ? only_rigid(rigid->I, rigid->h, hop->m)
                              : with_rigid(&work->sum[hop->slot], rigid->I, rigid->h, hop->m);
    if (x->D && (a != 0 || c != 0)) {
      Articulated own = block(world, x, b, a, c);
      collect(&own, A, own.p, false);
      A = own;
    }
    if (whole) whole[b] = A;
    if (factor_body(world, x, b, A, a, c)) continue;
    *blame = b;
    return false;
  }
  return true;
}

#endif
