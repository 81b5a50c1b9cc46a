// Joints that are not revolute, and bodies free in space, in the passes over a tree. Their S and Ṡ come from the joints' own
// functions, one instance after another; the origin O is C. With T the joint's motions in world axes and v_r = T v
//   ω = ω_p + ω_r,  v = v_p + ω_p × r + v_r
//   α = α_p + ω_p × ω_r + (Ṫv),  a = a_p + α_p × r + ω_p × (ω_p × r + v_r) + ω × v_r + (Ṫv)     at v̇ = 0
// where Ṫ is that of T in C axes, turned to the world's. Of a body free in space, whose u is in the world's axes, α = a = 0.
#ifndef MB_SOLVERS_REDMAX_LANES_JOINTS_H
#define MB_SOLVERS_REDMAX_LANES_JOINTS_H

#include "core/solvers/redmax/lanes_work.h"

static inline void put(Real *x, size_t lane, double value) {
  memcpy((char *)x + lane * sizeof value, &value, sizeof value);
}
static inline double get(const double *a, size_t i, size_t lane) { return a[MB_LANES * i + lane]; }

static inline void put_vec(Vec *x, size_t lane, const double a[3]) {
  put(&x->x, lane, a[0]);
  put(&x->y, lane, a[1]);
  put(&x->z, lane, a[2]);
}

static inline void put_pose(Quat *q, Vec *p, size_t lane, const MbPose *E) {
  put(&q->w, lane, E->q[0]);
  put(&q->x, lane, E->q[1]);
  put(&q->y, lane, E->q[2]);
  put(&q->z, lane, E->q[3]);
  put_vec(p, lane, E->p);
}

// φ ← Ad(B⁻¹) φ for a twist of the joint's frame
static inline void to_center(const MbPose *B, double phi[6]) {
  double t[3];
  mb_vec3_cross(t, B->p, phi);
  mb_vec3_sub(t, phi + 3, t);
  mb_quat_unrotate(phi, B->q, phi);
  mb_quat_unrotate(phi + 3, B->q, t);
}

// Of one instance: C in the parent's C axes from O_p, T in C axes, and Ṫ v.
static inline void joint_of_lane(const MbLinks *links, size_t b, size_t lane, const double *q,
                                 const double *v, MbPose *E, Screw *T, Screw *Tdot_v) {
  const MbModel *model = links->model;
  const MbHop *hop = &links->hop[b];
  const MbJoint *joint = &model->joint[b];
  double qb[MB_JOINT_MOST], vb[MB_JOINT_MOST], S[6 * MB_JOINT_MOST], Sdot[6 * MB_JOINT_MOST], sum[6] = {0};
  for (size_t i = 0; i < hop->n; i++) qb[i] = get(q, hop->q + i, lane), vb[i] = get(v, hop->v + i, lane);
  MbPose P = model->P[b], Q;
  mb_vec3_copy(P.p, links->link[b].e);
  joint->ops->eval(joint, qb, vb, &Q, S, Sdot);
  mb_pose_mul(E, &P, &Q);
  mb_pose_mul(E, E, &model->B[b]);
  for (size_t i = 0; i < hop->n; i++) {
    for (size_t k = 0; k < 6; k++) sum[k] += Sdot[6 * i + k] * vb[i];
    to_center(&model->B[b], S + 6 * i);
    put_vec(&T[i].turn, lane, S + 6 * i);
    put_vec(&T[i].line, lane, S + 6 * i + 3);
  }
  to_center(&model->B[b], sum);
  put_vec(&Tdot_v->turn, lane, sum);
  put_vec(&Tdot_v->line, lane, sum + 3);
}

static inline Real coordinate(const double *a, size_t i) {
  Real x;
  memcpy(&x, a + MB_LANES * i, sizeof x);
  return x;
}

// T's columns in world axes; what the joint adds to the twist.
static inline Screw turn_columns(Screw *T, const MbHop *hop, Mat R, const double *v) {
  Screw sum = {0};
  for (size_t i = 0; i < hop->n; i++) {
    T[i] = (Screw){apply(R, T[i].turn), apply(R, T[i].line)};
    sum = add_scaled_screw(sum, coordinate(v, hop->v + i), T[i]);
  }
  return sum;
}

// Velocities are ω in C axes and u in the world's, so that u changes by forces alone.
static inline Screw free_columns(Screw *T, Mat R, const double *v, size_t first) {
  const Real zero = {0}, one = zero + 1;
  const Vec none = {0}, x = {one, zero, zero}, y = {zero, one, zero}, z = {zero, zero, one};
  const Vec w = {coordinate(v, first), coordinate(v, first + 1), coordinate(v, first + 2)};
  const Vec u = {coordinate(v, first + 3), coordinate(v, first + 4), coordinate(v, first + 5)};
  T[0] = (Screw){R.x, none}, T[1] = (Screw){R.y, none}, T[2] = (Screw){R.z, none};
  T[3] = (Screw){none, x}, T[4] = (Screw){none, y}, T[5] = (Screw){none, z};
  return (Screw){apply(R, w), u};
}

MB_ASIDE Frame forward_joint(MbRecursion *work, size_t b, const double *q, const double *v, Frame frame_up) {
  const Frame *const up = &frame_up;
  Frame frame = {0}, *const own = &frame;
  const MbLinks *links = work->links;
  const MbHop *hop = &links->hop[b];
  Screw *T = work->T + hop->column, Tdot_v = {0}, rate;
  Quat turned;
  Vec place;
  if (hop->kind == MB_LINK_FREE) {
    turned = (Quat){coordinate(q, hop->q + 3), coordinate(q, hop->q + 4), coordinate(q, hop->q + 5),
                    coordinate(q, hop->q + 6)};
    place = (Vec){coordinate(q, hop->q), coordinate(q, hop->q + 1), coordinate(q, hop->q + 2)};
    own->q = turned, own->R = quat_mat(turned);
    rate = free_columns(T, own->R, v, hop->v);
  } else {
    for (size_t lane = 0; lane < MB_LANES; lane++) {
      MbPose E;
      joint_of_lane(work->of[lane], b, lane, q, v, &E, T, &Tdot_v);
      put_pose(&turned, &place, lane, &E);
    }
    own->q = quat_unit(quat_mul(up->q, turned)), own->R = quat_mat(own->q);
    rate = turn_columns(T, hop, own->R, v);
    Tdot_v = (Screw){apply(own->R, Tdot_v.turn), apply(own->R, Tdot_v.line)};
  }
  const Vec r = apply(up->R, place), w = up->motion.turn, wr = add(cross(w, r), rate.line);
  own->O = add(up->O, r);
  own->motion.turn = add(w, rate.turn);
  own->motion.line = add(up->motion.line, wr);
  own->gamma.turn = add_cross(add(up->gamma.turn, Tdot_v.turn), w, rate.turn);
  own->gamma.line = add_cross(add(up->gamma.line, Tdot_v.line), up->gamma.turn, r);
  own->gamma.line = add_cross(own->gamma.line, w, wr);
  if (hop->kind != MB_LINK_FREE) own->gamma.line = add_cross(own->gamma.line, own->motion.turn, rate.line);
  work->stand[b].r = r;
  return frame;
}

// ---- pivots -----------------------------------------------------------------------------------------------

// Whether all pivots so far were positive and finite, in every instance.
#if MB_LANES == 1
typedef int Fine;
#define FINE 1
#else
typedef long long Fine __attribute__((vector_size(sizeof(Real))));
#define FINE (~(Fine){0})
#endif

MB_KERNEL Fine pivot_fine(Fine fine, Real pivot) { return fine & (pivot > 0.0) & (pivot < (double)INFINITY); }

MB_KERNEL bool all_fine(Fine fine) {
#if MB_LANES == 1
  return fine != 0;
#else
  bool all = true;
  for (size_t i = 0; i < MB_LANES; i++) all &= fine[i] != 0;
  return all;
#endif
}

// ---- backward and outward ---------------------------------------------------------------------------------

// L D Lᵀ of the lower triangle, in place, D on the diagonal.
static inline bool factor_square(Real *G, size_t n) {
  for (size_t j = 0; j < n; j++) {
    for (size_t i = j; i < n; i++)
      for (size_t k = 0; k < j; k++)
        G[n * i + j] = less(G[n * i + k] * G[n * k + k], G[n * j + k], G[n * i + j]);
    if (!all_fine(pivot_fine(FINE, G[n * j + j]))) return false;
    const Real inverse = 1.0 / G[n * j + j];
    for (size_t i = j + 1; i < n; i++) G[n * i + j] *= inverse;
  }
  return true;
}

// U = L⁻¹ (Î T)ᵀ and G of body b, given what the joint adds to Tᵀ Î T itself besides its inertia (NULL: nothing); Î less what its joint lets go.
static inline bool release_joint(MbRecursion *work, size_t b, Articulated *A, const Real *own) {
  const MbHop *hop = &work->links->hop[b];
  const size_t n = hop->n;
  const Screw *T = work->T + hop->column;
  Screw *U = work->U + hop->column;
  Real *G = work->G + hop->square;
  for (size_t i = 0; i < n; i++) {
    U[i] = inertia_apply(*A, T[i]);
    for (size_t j = 0; j <= i; j++) G[n * i + j] = dot_screw(T[j], U[i]);
    G[n * i + i] += work->links->inertia[hop->v + i];
    for (size_t j = 0; own && j <= i; j++) G[n * i + j] += own[n * i + j];
  }
  if (!factor_square(G, n)) return false;
  for (size_t i = 0; i < n; i++) {
    for (size_t k = 0; k < i; k++) U[i] = add_scaled_screw(U[i], -G[n * i + k], U[k]);
    const Real inverse = 1.0 / G[n * i + i];
    *A = inertia_less(*A, U[i], (Screw){scale(inverse, U[i].turn), scale(inverse, U[i].line)});
  }
  return true;
}

// u = D⁻¹ L⁻¹ (y − Tᵀ p);  p += Uᵀ u
static inline void balance_joint(MbRecursion *work, size_t b, Screw *p, const double *y) {
  const MbHop *hop = &work->links->hop[b];
  const size_t n = hop->n;
  const Screw *T = work->T + hop->column, *U = work->U + hop->column;
  const Real *G = work->G + hop->square;
  Real *u = work->u + hop->column;
  for (size_t i = 0; i < n; i++) {
    u[i] = coordinate(y, hop->v + i) - dot_screw(T[i], *p);
    for (size_t k = 0; k < i; k++) u[i] = less(G[n * i + k], u[k], u[i]);
  }
  for (size_t i = 0; i < n; i++) {
    u[i] /= G[n * i + i];
    *p = add_scaled_screw(*p, u[i], U[i]);
  }
}

// y = L⁻ᵀ (u − D⁻¹ U a);  a += T y
MB_ASIDE Screw outward_joint(MbRecursion *work, size_t b, Screw a, double *y) {
  const MbHop *hop = &work->links->hop[b];
  const size_t n = hop->n;
  const Screw *T = work->T + hop->column, *U = work->U + hop->column;
  const Real *G = work->G + hop->square;
  Real x[MB_JOINT_MOST];
  for (size_t i = n; i-- > 0;) {
    x[i] = work->u[hop->column + i] - dot_screw(U[i], a) / G[n * i + i];
    for (size_t k = i + 1; k < n; k++) x[i] = less(G[n * k + i], x[k], x[i]);
  }
  for (size_t i = 0; i < n; i++) {
    memcpy(y + MB_LANES * (hop->v + i), &x[i], sizeof x[i]);
    a = add_scaled_screw(a, x[i], T[i]);
  }
  return a;
}

#endif
