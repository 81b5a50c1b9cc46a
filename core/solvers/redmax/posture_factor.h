// A⁻¹ factored about where the bodies are, for the kind of processor of the file that includes this (posture.h).
#ifndef MB_SOLVERS_REDMAX_POSTURE_FACTOR_H
#define MB_SOLVERS_REDMAX_POSTURE_FACTOR_H

#include "core/model/coordinates.h"
#include "core/solvers/body_block.h"
#include "core/solvers/redmax/lanes_joints.h"
#include "core/solvers/redmax/posture.h"

static inline Mat rotation(const MbPosture *posture, size_t b) {
  const double *E = (const double *)posture->E + (size_t)MB_LANES * 7 * b;
  return quat_mat((Quat){coordinate(E, 3), coordinate(E, 4), coordinate(E, 5), coordinate(E, 6)});
}

static inline Vec arm_of(const MbPosture *posture, size_t b, Mat R) {
  if (posture->arm)
    return (Vec){coordinate(posture->arm, 3 * b), coordinate(posture->arm, 3 * b + 1),
                 coordinate(posture->arm, 3 * b + 2)};
  return turn(R, posture->work->link[b].c);
}

// R B Rᵀ
static inline Mat turn_block(Mat R, Mat B) {
  const Mat rows = {{R.x.x, R.y.x, R.z.x}, {R.x.y, R.y.y, R.z.y}, {R.x.z, R.y.z, R.z.z}};
  const Mat RB = {apply(R, B.x), apply(R, B.y), apply(R, B.z)};
  return (Mat){apply(RB, rows.x), apply(RB, rows.y), apply(RB, rows.z)};
}
static inline Sym sym(Mat A) { return (Sym){A.x.x, A.y.y, A.z.z, A.y.x, A.z.x, A.z.y}; }

// −a D − c K of a body, symmetrised as mb_force_block does
static inline void symmetric_block(Real S[36], const MbMaximal *x, size_t b, Real a, Real c) {
  const double *D = x->D + (size_t)MB_LANES * 36 * b;
  if (!x->K) { // then c is 0
    for (size_t i = 0; i < 6; i++)
      for (size_t j = 0; j < 6; j++)
        S[6 * i + j] = -a * ((coordinate(D, 6 * i + j) + coordinate(D, 6 * j + i)) / 2.0);
    return;
  }
  const double *K = x->K + (size_t)MB_LANES * 36 * b;
  for (size_t i = 0; i < 6; i++)
    for (size_t j = 0; j < 6; j++) {
      const Real d = (coordinate(D, 6 * i + j) + coordinate(D, 6 * j + i)) / 2.0;
      const Real k = (coordinate(K, 6 * i + j) + coordinate(K, 6 * j + i)) / 2.0;
      S[6 * i + j] = -a * d - c * k;
    }
}

static inline Vec vec_of(const Real a[3]) { return (Vec){a[0], a[1], a[2]}; }

// The same in world axes at O
static inline Articulated block(const MbPosture *posture, const MbMaximal *x, size_t b, Real a, Real c) {
  Real S[36];
  symmetric_block(S, x, b, a, c);
  // S is symmetric, so that its rows are its columns
  const Mat I = {vec_of(S), vec_of(S + 6), vec_of(S + 12)},
            H = {vec_of(S + 18), vec_of(S + 24), vec_of(S + 30)},
            M = {vec_of(S + 21), vec_of(S + 27), vec_of(S + 33)}, R = rotation(posture, b);
  const Articulated A = {.I = sym(turn_block(R, I)), .M = sym(turn_block(R, M)), .H = turn_block(R, H)};
  return inertia_move(A, arm_of(posture, b, R));
}

// What the joint's own springs, dampers and motors add to Tᵀ Î T
static inline void own_of_joint(const MbPosture *posture, const MbMaximal *x, size_t b, Real a, Real c,
                                Real *own) {
#if MB_LANES == 1 // lanes have only joints whose velocities are the coordinates' rates
  if (posture->model->joint[b].ops->change) {
    mb_coordinates_own(posture->model, x, b, a, c, own);
    return;
  }
#endif
  const MbHop *hop = &posture->links->hop[b];
  memset(own, 0, (size_t)hop->n * hop->n * sizeof *own);
  for (size_t k = 0; k < hop->n; k++)
    own[(hop->n + 1) * k] +=
        a * coordinate(x->joint_damping, hop->v + k) + c * coordinate(x->stiffness, hop->v + k);
}

// Of a joint that is not revolute: in lanes by itself, as what it needs would be in the way of others.
#if MB_LANES == 1
#define MB_OTHER static inline
#else
#define MB_OTHER static __attribute__((noinline))
#endif
MB_OTHER bool factor_joint(MbPosture *posture, const MbMaximal *x, size_t b, Articulated *A, const Real *ac) {
  MbRecursion *work = posture->work;
  const MbHop *hop = &posture->links->hop[b];
  const Screw none = {0};
  Real own[MB_JOINT_MOST * MB_JOINT_MOST];
  const bool some = posture->model->sprung || mb_model_drives(posture->model);
  const bool jointed = hop->kind == MB_LINK_GENERAL && some && posture->derived;
  if (jointed) own_of_joint(posture, x, b, ac[0], ac[1], own);
  if (!release_joint(work, b, A, jointed ? own : NULL)) return false;
  if (hop->up) collect(&work->sum[hop->up], inertia_move(*A, work->stand[b].r), none, hop->last);
  return true;
}

MB_KERNEL bool factor_body(MbPosture *posture, const MbMaximal *x, size_t b, Articulated A, Real a, Real c) {
  MbRecursion *work = posture->work;
  const MbHop *hop = &posture->links->hop[b];
  Stand *stand = &work->stand[b];
  const Screw none = {0};
  if (hop->kind != MB_LINK_REVOLUTE) {
    const Real ac[2] = {a, c};
    Articulated of = A;
    return factor_joint(posture, x, b, &of, ac);
  }
  const Vec s = stand->s, Is = apply_sym(A.I, s);
  const Screw U = move_wrench((Screw){Is, apply_transposed(A.H, s)}, stand->r);
  const Real pivot = dot(s, Is) + work->links->inertia[hop->v] + a * coordinate(x->joint_damping, hop->v) +
                     c * coordinate(x->stiffness, hop->v);
  stand->inverse = 1.0 / pivot;
  stand->V = (Screw){scale(stand->inverse, U.turn), scale(stand->inverse, U.line)};
  if (!all_fine(pivot_fine(FINE, pivot))) return false;
  if (hop->up)
    collect(&work->sum[hop->up], inertia_less(inertia_move(A, stand->r), U, stand->V), none, hop->last);
  return true;
}

// Of a body alone with masses in A and nothing else: what release_joint comes to but for rounding, as Tᵀ Î T = M.
static __attribute__((noinline)) bool factor_alone(MbPosture *posture, size_t b) {
  const MbHop *hop = &posture->links->hop[b];
  const Link *link = &posture->work->link[b];
  const Screw *T = posture->work->T + hop->column;
  Screw *U = posture->work->U + hop->column;
  Real *G = posture->work->G + hop->square;
  const Real zero = {0};
  Fine fine = FINE;
  memset(G, 0, 36 * sizeof *G);
  for (size_t i = 0; i < 6; i++) {
    const Real M = zero + (i < 3 ? link->I[i] : link->m);
    U[i] = (Screw){scale(M, T[i].turn), scale(M, T[i].line)};
    G[7 * i] = M;
    fine = pivot_fine(fine, M);
  }
  return all_fine(fine);
}

static inline bool factor_posture(MbPosture *posture, const MbMaximal *x, Real a, Real c, Articulated *whole,
                                  size_t *blame) {
  MbRecursion *work = posture->work;
  const bool derived = posture->derived && x->D;
  posture->masses = !derived;
  for (size_t b = posture->model->nb; b-- > 0;) {
    const MbHop *hop = &posture->links->hop[b];
    const Rigid *rigid = &work->rigid[b];
    if (hop->alone && !derived && !whole) {
      *blame = b;
      if (!factor_alone(posture, b)) return false;
      continue;
    }
    const Real m = mass_of(work, b);
    Articulated A = hop->leaf ? only_rigid(rigid->I, rigid->h, m)
                              : with_rigid(&work->sum[hop->slot], rigid->I, rigid->h, m);
    if (derived) {
      Articulated own = block(posture, x, b, a, c);
      collect(&own, A, own.p, false);
      A = own;
    }
    if (whole) whole[b] = A;
    if (factor_body(posture, x, b, A, a, c)) continue;
    *blame = b;
    return false;
  }
  return true;
}

#endif
