// Joints that are not revolute, and bodies free in space, in the passes over a tree. Their S and Ṡ come from the joints' own
// functions, one instance after another; the origin O is C. With T the joint's motions in world axes and v_r = T v
//   ω = ω_p + ω_r,  v = v_p + ω_p × r + v_r
//   α = α_p + ω_p × ω_r + (Ṫv),  a = a_p + α_p × r + ω_p × (ω_p × r + v_r) + ω × v_r + (Ṫv)     at v̇ = 0
// where Ṫ is that of T in C axes, turned to the world's. Of a body free in space, whose u is in the world's axes, α = a = 0.
#ifndef MB_SOLVERS_REDMAX_LANES_JOINTS_H
#define MB_SOLVERS_REDMAX_LANES_JOINTS_H

#include "core/solvers/redmax/lanes_body.h"
#include "core/solvers/redmax/lanes_work.h"

// f(n, …) of a joint's n columns. Where one instance alone is passed through, it is written out for two and three of them, as most joints that are not
// revolute have.
#if MB_LANES == 1
#define MB_OF_COLUMNS(f, n, ...)                                                                             \
  ((n) == 2 ? f(2, __VA_ARGS__) : (n) == 3 ? f(3, __VA_ARGS__) : f(n, __VA_ARGS__))
#else
#define MB_OF_COLUMNS(f, n, ...) f(n, __VA_ARGS__)
#endif

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

static inline Vec vec_at(const double *a, size_t i) {
  return (Vec){coordinate(a, i), coordinate(a, i + 1), coordinate(a, i + 2)};
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
    rate = free_motion(T, own->R, vec_at(v, hop->v), vec_at(v, hop->v + 3));
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
  const Vec r = apply(up->R, place);
  forward_columns(own, up, r, rate, Tdot_v, hop->kind == MB_LINK_FREE);
  work->stand[b].r = r;
  return frame;
}

// ---- backward and outward ---------------------------------------------------------------------------------

// U and G of body b, given what the joint adds to Tᵀ Î T itself besides its inertia (NULL: nothing); Î less what its joint lets go.
static inline bool release_joint(MbRecursion *work, size_t b, Articulated *A, const Real *own) {
  const MbHop *hop = &work->links->hop[b];
  return MB_OF_COLUMNS(release_columns, hop->n, work->T + hop->column, work->U + hop->column,
                       work->G + hop->square, work->links->inertia + hop->v, own, A);
}

// u = D⁻¹ L⁻¹ (y − Tᵀ p);  p += Uᵀ u
static inline void balance_joint(MbRecursion *work, size_t b, Screw *p, const double *y) {
  const MbHop *hop = &work->links->hop[b];
  Real *u = work->u + hop->column;
  for (size_t i = 0; i < hop->n; i++) u[i] = coordinate(y, hop->v + i);
  MB_OF_COLUMNS(balance_columns, hop->n, work->T + hop->column, work->U + hop->column, work->G + hop->square,
                u, p);
}

// y = L⁻ᵀ (u − D⁻¹ U a);  a += T y
static inline Screw follow_joint(MbRecursion *work, size_t b, Screw a, double *y) {
  const MbHop *hop = &work->links->hop[b];
  Real x[MB_JOINT_MOST];
  a = MB_OF_COLUMNS(follow_columns, hop->n, work->T + hop->column, work->U + hop->column,
                    work->G + hop->square, work->u + hop->column, a, x);
  for (size_t i = 0; i < hop->n; i++) memcpy(y + MB_LANES * (hop->v + i), &x[i], sizeof x[i]);
  return a;
}
MB_ASIDE Screw outward_joint(MbRecursion *work, size_t b, Screw a, double *y) {
  return follow_joint(work, b, a, y);
}

#endif
