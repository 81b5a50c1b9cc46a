// Joints that are not revolute, and bodies free in space, in the passes over a tree. Their S and Ṡ come from the joints' own
// functions, one instance after another, and the origin O is C, but where they are made of turns alone (forward_turns). With T the joint's motions in world axes and v_r = T v
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

// Of one instance: the joint's frame in the parent's C axes from O_p, C in the joint's frame, T in that frame, and Ṫ v.
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
  for (size_t i = 0; i < hop->n; i++) {
    for (size_t k = 0; k < 6; k++) sum[k] += Sdot[6 * i + k] * vb[i];
    put_vec(&T[i].turn, lane, S + 6 * i);
    put_vec(&T[i].line, lane, S + 6 * i + 3);
  }
  put_vec(&Tdot_v->turn, lane, sum);
  put_vec(&Tdot_v->line, lane, sum + 3);
}

static inline Real coordinate(const double *a, size_t i) {
  Real x;
  memcpy(&x, a + MB_LANES * i, sizeof x);
  return x;
}

// A motion of the joint's frame as one of C, which is p from there, in world axes.
static inline Screw to_center(Screw a, Mat R, Vec p) {
  return move_motion((Screw){apply(R, a.turn), apply(R, a.line)}, p);
}

// T's columns of C in world axes; what the joint adds to the twist.
static inline Screw turn_columns(size_t n, Screw *T, Mat R, Vec p, const double *v) {
  Screw sum = {0};
  for (size_t i = 0; i < n; i++) {
    T[i] = to_center(T[i], R, p);
    sum = add_scaled_screw(sum, coordinate(v, i), T[i]);
  }
  return sum;
}

static inline Vec vec_at(const double *a, size_t i) {
  return (Vec){coordinate(a, i), coordinate(a, i + 1), coordinate(a, i + 2)};
}

// q a q⁻¹, q being unit but for rounding
static inline Vec turned(Quat q, Vec a) {
  const Vec u = {q.x, q.y, q.z}, t = cross(u, a), twice = add(t, t);
  return add_cross(add_scaled(a, q.w, twice), u, twice);
}

// A joint made of n turns about axes s_i that meet in O:  T_i = (s_i, 0). What turns up to the i-th add to the angular velocity, w_i, turns the axes
// behind them:  Ṫ v = ( Σ w_{i−1} × s_i v_i, 0 ). `cosine` and `sine` are of half the coordinates.
MB_ASIDE void forward_turns(MbRecursion *work, size_t b, const double *cosine, const double *sine,
                            const double *v, const Frame *up, Frame *own) {
  const MbHop *hop = &work->links->hop[b];
  const Link *link = &work->link[b];
  Screw *T = work->T + hop->column, rate = {0}, Tdot_v = {0};
  Quat q = up->q;
  for (size_t i = 0; i < hop->n; i++) {
    const Turn *axis = &work->turn[link->turn + i];
    q = turn_by(q, axis->k, axis->k2, coordinate(cosine, i), coordinate(sine, i));
    const Vec s = turned(q, (Vec){axis->a[0], axis->a[1], axis->a[2]});
    const Real speed = coordinate(v, hop->v + i);
    Tdot_v.turn = add_scaled(Tdot_v.turn, speed, cross(rate.turn, s));
    rate.turn = add_scaled(rate.turn, speed, s);
    T[i] = (Screw){.turn = s};
  }
  own->q = quat_unit(q), own->R = quat_mat(own->q);
  const Vec r = turn(up->R, link->e);
  forward_columns(own, up, r, rate, Tdot_v, false);
  work->stand[b].r = r;
}

MB_ASIDE Frame forward_joint(MbRecursion *work, size_t b, const double *q, const double *v, Frame frame_up) {
  const Frame *const up = &frame_up;
  Frame frame = {0}, *const own = &frame;
  const MbLinks *links = work->links;
  const MbHop *hop = &links->hop[b];
  Screw *T = work->T + hop->column, Tdot_v = {0}, rate;
  Quat turned;
  Vec place, beyond = {0}; // of the joint's frame, of C from there
  if (hop->kind == MB_LINK_FREE) {
    turned = (Quat){coordinate(q, hop->q + 3), coordinate(q, hop->q + 4), coordinate(q, hop->q + 5),
                    coordinate(q, hop->q + 6)};
    place = (Vec){coordinate(q, hop->q), coordinate(q, hop->q + 1), coordinate(q, hop->q + 2)};
    own->q = turned, own->R = quat_mat(turned);
    rate = free_motion(T, own->R, vec_at(v, hop->v), vec_at(v, hop->v + 3));
  } else {
    Quat from_joint;
    Vec center;
    for (size_t lane = 0; lane < MB_LANES; lane++) {
      MbPose E;
      joint_of_lane(work->of[lane], b, lane, q, v, &E, T, &Tdot_v);
      put_pose(&turned, &place, lane, &E);
      put_pose(&from_joint, &center, lane, &work->of[lane]->model->B[b]);
    }
    const Quat joint = quat_unit(quat_mul(up->q, turned));
    const Mat R = quat_mat(joint);
    const Vec p = apply(R, center);
    own->q = quat_mul(joint, from_joint), own->R = quat_mat(own->q);
    rate = MB_OF_COLUMNS(turn_columns, hop->n, T, R, p, v + MB_LANES * hop->v);
    Tdot_v = to_center(Tdot_v, R, p);
    beyond = p;
  }
  const Vec r = add(apply(up->R, place), beyond);
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
