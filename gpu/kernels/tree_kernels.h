// Trees of bodies under solver `redmax` and integrator `symplectic` or `implicit`, one scene a thread: whole steps (core/solvers/redmax/lanes_passes.h, by
// the same functions of one body), and what frames are made of. Numbers lie by rows, one scene beside the next: number i of scene k is
// at a[i lanes + k]. What the scenes have in common, how the tree hangs together, is read by all threads at once.
//
// A scene whose step is not the plain one leaves, and says so: what it would have come to is for the processor to find out.
#ifndef MB_GPU_KERNELS_TREE_KERNELS_H
#define MB_GPU_KERNELS_TREE_KERNELS_H

#include "gpu/kernels/tree_args.h"

#ifndef MB_LANES
#define MB_LANES 1
#endif
#include "core/solvers/redmax/lanes_body.h"

#include "core/math/quat.h"
#include "core/model/flight_body.h"

// ---- rows -------------------------------------------------------------------------------------------------

MB_BODY void mb_rows_load(void *to, size_t count, const double *from, size_t stride) {
  double *const x = (double *)to;
  for (size_t i = 0; i < count; i++) x[i] = from[i * stride];
}
MB_BODY void mb_rows_store(double *to, size_t stride, const void *from, size_t count) {
  const double *const x = (const double *)from;
  for (size_t i = 0; i < count; i++) to[i * stride] = x[i];
}

// Rows of `size` numbers: those of record i and lane k.
MB_BODY double *mb_tree_at(const MbTreeArgs *a, const double *rows, size_t size, size_t i, size_t k) {
  return (double *)rows + size * i * a->lanes + k;
}

// ---- forward ----------------------------------------------------------------------------------------------

// A frame's rows: q, motion, gamma, O. R follows of q.
MB_BODY void mb_tree_keep(const MbTreeArgs *a, size_t slot, size_t k, const Frame *own) {
  double *const at = mb_tree_at(a, a->frame, MB_FRAME, slot, k);
  mb_rows_store(at, a->lanes, &own->q, 4);
  mb_rows_store(at + 4 * a->lanes, a->lanes, &own->motion, 6);
  mb_rows_store(at + 10 * a->lanes, a->lanes, &own->gamma, 6);
  mb_rows_store(at + 16 * a->lanes, a->lanes, &own->O, 3);
}
MB_BODY Frame mb_tree_kept(const MbTreeArgs *a, size_t slot, size_t k) {
  const double *const at = mb_tree_at(a, a->frame, MB_FRAME, slot, k);
  Frame up;
  mb_rows_load(&up.q, 4, at, a->lanes);
  mb_rows_load(&up.motion, 6, at + 4 * a->lanes, a->lanes);
  mb_rows_load(&up.gamma, 6, at + 10 * a->lanes, a->lanes);
  mb_rows_load(&up.O, 3, at + 16 * a->lanes, a->lanes);
  up.R = quat_mat(up.q);
  return up;
}

// The world: at rest, and accelerated upwards.
MB_BODY Frame mb_tree_world(const MbTreeArgs *a, size_t k) {
  const Vec none = {0, 0, 0}, g = {-a->gravity[k], -a->gravity[a->lanes + k], -a->gravity[2 * a->lanes + k]};
  Frame world;
  world.q = (Quat){1, 0, 0, 0};
  world.R = (Mat){{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  world.O = none;
  world.motion = (Screw){none, none};
  world.gamma = (Screw){none, g};
  return world;
}

MB_BODY Link mb_tree_link(const MbTreeArgs *a, const MbTreeBody *body, size_t b, size_t k) {
  const double *const at = mb_tree_at(a, a->link, MB_TREE_LINK, b, k);
  Link link;
  mb_rows_load(link.e, 3, at, a->lanes);
  mb_rows_load(link.c, 3, at + 3 * a->lanes, a->lanes);
  link.m = at[6 * a->lanes];
  mb_rows_load(link.I, 3, at + 7 * a->lanes, a->lanes);
  link.along = body->along, link.turn = body->turn;
  return link;
}
MB_BODY Turn mb_tree_turn(const MbTreeArgs *a, size_t turn, size_t k) {
  Turn t;
  mb_rows_load(&t, MB_TREE_TURN, mb_tree_at(a, a->turn, MB_TREE_TURN, turn, k), a->lanes);
  return t;
}

// Joints that slide turn by k, stand at e + q k2 in the parent's axes, and move along a in the body's.
MB_BODY Frame mb_tree_slide(const MbTreeArgs *a, const MbTreeBody *body, const Link *link, const Frame *up,
                            size_t k, Stand *stand) {
  const Vec none = {0, 0, 0};
  const Turn t = mb_tree_turn(a, body->turn, k);
  const Real q = body->n ? a->q[body->q * a->lanes + k] : 0, v = body->n ? a->v[body->v * a->lanes + k] : 0;
  Frame own;
  own.q = quat_unit(quat_mul(up->q, (Quat){t.k[0], t.k[1], t.k[2], t.k[3]}));
  own.R = quat_mat(own.q);
  stand->s = apply(own.R, (Vec){t.a[0], t.a[1], t.a[2]});
  stand->r = apply(
      up->R, (Vec){mad(q, t.k2[0], link->e[0]), mad(q, t.k2[1], link->e[1]), mad(q, t.k2[2], link->e[2])});
  const Screw rate = {none, scale(v, stand->s)}, still = {none, none};
  forward_columns(&own, up, stand->r, rate, still, false);
  return own;
}

MB_BODY Mat mb_tree_free_axes(const MbTreeArgs *a, const MbTreeBody *body, size_t k) {
  Quat q;
  mb_rows_load(&q, 4, a->q + (body->q + 3) * a->lanes + k, a->lanes);
  return quat_mat(q);
}
MB_BODY Frame mb_tree_space(const MbTreeArgs *a, const MbTreeBody *body, const Frame *up, size_t k,
                            Stand *stand) {
  const Vec none = {0, 0, 0};
  const Screw still = {none, none};
  Screw T[6];
  Vec place, w, u;
  Frame own;
  mb_rows_load(&place, 3, a->q + body->q * a->lanes + k, a->lanes);
  mb_rows_load(&own.q, 4, a->q + (body->q + 3) * a->lanes + k, a->lanes);
  mb_rows_load(&w, 3, a->v + body->v * a->lanes + k, a->lanes);
  mb_rows_load(&u, 3, a->v + (body->v + 3) * a->lanes + k, a->lanes);
  own.R = quat_mat(own.q);
  stand->s = none, stand->r = place;
  forward_columns(&own, up, place, free_motion(T, own.R, w, u), still, true);
  return own;
}

MB_BODY Frame mb_tree_body(const MbTreeArgs *a, const MbTreeBody *body, const Link *link, const Frame *up,
                           size_t k, Stand *stand) {
  Turn axis = {{1, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0}};
  if (body->kind == MB_TREE_FREE) return mb_tree_space(a, body, up, k, stand);
  if (body->kind == MB_TREE_SLIDES) return mb_tree_slide(a, body, link, up, k, stand);
  const double half = a->q[body->q * a->lanes + k] / 2;
  if (body->along == 3) axis = mb_tree_turn(a, body->turn, k);
  return forward_revolute(link, &axis, up, stand, cos(half), sin(half), a->v[body->v * a->lanes + k], true);
}

// What acts on a body from outside, at O in the world's axes: damping; of one that flies the swing of the step (model/flight.h).
MB_BODY void mb_tree_push(const MbTreeArgs *a, const MbTreeBody *body, const Link *link, size_t b, size_t k,
                          const Frame *own, Vec c) {
  const Real d = a->damped ? -a->drag[b * a->lanes + k] : 0, h = a->h[k];
  const Vec w = own->motion.turn, force = scale(d, add_cross(own->motion.line, w, c));
  Screw pull = move_wrench((Screw){scale(d, w), force}, c);
  if (body->flies) {
    double spin[3], swing[3];
    mb_rows_load(spin, 3, a->v + body->v * a->lanes + k, a->lanes);
    mb_swing_of(h, link->I, spin, swing);
    mb_rows_store(mb_tree_at(a, a->swing, 3, b, k), a->lanes, swing, 3);
    pull.turn = add_scaled(pull.turn, 1 / h, apply(own->R, (Vec){swing[0], swing[1], swing[2]}));
  }
  mb_rows_store(mb_tree_at(a, a->outer, MB_SCREW, b, k), a->lanes, &pull, MB_SCREW);
}

MB_BODY void mb_tree_forward(const MbTreeArgs *a, size_t k) {
  const Frame world = mb_tree_world(a, k);
  Frame latest = world;
  uint32_t before = 0;
  for (uint32_t b = 0; b < a->nb; b++) {
    const MbTreeBody body = a->body[b];
    const Link link = mb_tree_link(a, &body, b, k);
    const Frame up = body.up == 0 ? world : body.up == before ? latest : mb_tree_kept(a, body.up, k);
    Stand stand;
    Rigid rigid;
    const Frame own = mb_tree_body(a, &body, &link, &up, k, &stand);
    const Vec c = turn(own.R, link.c), h = scale(link.m, c);
    rigid.I = rigid_inertia(link.I, own.R, c, h);
    rigid.h = h, rigid.w = own.motion.turn, rigid.gamma = own.gamma;
    if (body.flies) rigid.w = (Vec){0, 0, 0};                                    // its swing is for it
    mb_rows_store(mb_tree_at(a, a->stand, MB_STAND, b, k), a->lanes, &stand, 6); // s, r
    mb_rows_store(mb_tree_at(a, a->rigid, MB_RIGID, b, k), a->lanes, &rigid, MB_RIGID);
    if (a->damped || a->flies) mb_tree_push(a, &body, &link, b, k, &own, c);
    if (!body.leaf) mb_tree_keep(a, body.slot, k, &own);
    latest = own, before = body.slot;
  }
}

// ---- backward ---------------------------------------------------------------------------------------------

MB_BODY double mb_tree_signal(const MbTreeArgs *a, const double *signal, uint32_t row, size_t k) {
  return row == MB_TREE_NONE ? 0 : signal[row * a->lanes + k];
}

// What springs, dampers and a motor do along a coordinate, and what of it is at the step's end: of (M + h D + h² K) v̇ = f − h K v with
// integrator `implicit`, `add` is what the coordinate adds to the left.
MB_BODY Real mb_tree_force(const MbTreeArgs *a, const double *signal, uint32_t q, uint32_t v, size_t k,
                           Real *add) {
  const double at = a->q[q * a->lanes + k], rate = a->v[v * a->lanes + k], h = a->h[k];
  const size_t i = v * a->lanes + k;
  double y = 0, stiffness = 0, damping = 0;
  *add = 0;
  if (a->sprung) {
    stiffness = a->stiffness[i], damping = a->damping[i];
    y -= stiffness * (at - a->rest[i]) + damping * rate;
  }
  if (a->motors && a->motor[v].there) {
    const MbTreeMotor motor = a->motor[v];
    const double kp = a->motor_stiffness[i], kd = a->motor_damping[i], most = a->motor_most[i];
    const double asked = kp * (mb_tree_signal(a, signal, motor.target, k) - at) +
                         kd * (mb_tree_signal(a, signal, motor.rate, k) - rate);
    y += asked > most ? most : asked < -most ? -most : asked;
    y += mb_tree_signal(a, signal, motor.force, k);
    if (asked < most && asked > -most) stiffness += kp, damping += kd;
  }
  if (!a->implicit) return y;
  *add = h * damping + h * h * stiffness;
  return y - h * stiffness * rate;
}

// With `implicit`: h d of a body's damping, as inertia at C.
MB_BODY void mb_tree_thicken(const MbTreeArgs *a, size_t b, size_t k, Articulated *A, Vec h, Real m) {
  const Real d = a->h[k] * a->drag[b * a->lanes + k];
  if (!(m > 0)) return;
  const Vec c = scale(1 / m, h), hd = scale(d, c);
  const Mat axes = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const Real I[3] = {d, d, d};
  const Articulated more = only_rigid(rigid_inertia(I, axes, c, hd), hd, d);
  A->I = add_sym(A->I, more.I), A->M = add_sym(A->M, more.M);
  A->H = (Mat){add(A->H.x, more.H.x), add(A->H.y, more.H.y), add(A->H.z, more.H.z)};
}

// A joint that does not turn lets go; false: it cannot.
MB_BODY bool mb_tree_release(const MbTreeArgs *a, const MbTreeBody *body, size_t k, const double *signal,
                             Vec s, Articulated *A, Screw *p) {
  const Vec none = {0, 0, 0};
  Screw T[6], U[6];
  Real G[36], u[6] = {0, 0, 0, 0, 0, 0}, add = 0;
  const uint32_t n = body->n;
  if (n == 6)
    (void)free_motion(T, mb_tree_free_axes(a, body, k), none, none);
  else
    T[0] = (Screw){none, s};
  if (n == 1) u[0] = mb_tree_force(a, signal, body->q, body->v, k, &add);
  if (!release_columns(n, T, U, G, NULL, n == 1 ? &add : NULL, A)) return false;
  balance_columns(n, T, U, G, u, p);
  mb_rows_store(mb_tree_at(a, a->U, MB_SCREW, body->column, k), a->lanes, U, (size_t)MB_SCREW * n);
  mb_rows_store(mb_tree_at(a, a->G, 1, body->square, k), a->lanes, G, (size_t)n * n);
  mb_rows_store(mb_tree_at(a, a->u, 1, body->column, k), a->lanes, u, n);
  return true;
}

MB_BODY void mb_tree_collect(const MbTreeArgs *a, const MbTreeBody *body, size_t k, Articulated A, Screw p) {
  double *const at = mb_tree_at(a, a->sum, MB_ARTICULATED, body->up, k);
  Articulated sum;
  if (body->up == 0) return;
  if (!body->last) mb_rows_load(&sum, MB_ARTICULATED, at, a->lanes);
  collect(&sum, A, p, body->last);
  mb_rows_store(at, a->lanes, &sum, MB_ARTICULATED);
}

MB_BODY bool mb_tree_backward(const MbTreeArgs *a, size_t k, const double *signal) {
  for (uint32_t b = a->nb; b-- > 0;) {
    const MbTreeBody body = a->body[b];
    double *const at = mb_tree_at(a, a->stand, MB_STAND, b, k);
    const Real m = mb_tree_at(a, a->link, MB_TREE_LINK, b, k)[6 * a->lanes];
    Rigid rigid;
    Vec s, r;
    Articulated A;
    mb_rows_load(&rigid, MB_RIGID, mb_tree_at(a, a->rigid, MB_RIGID, b, k), a->lanes);
    mb_rows_load(&s, 3, at, a->lanes), mb_rows_load(&r, 3, at + 3 * a->lanes, a->lanes);
    if (body.leaf) {
      A = only_rigid(rigid.I, rigid.h, m);
    } else {
      Articulated sum;
      mb_rows_load(&sum, MB_ARTICULATED, mb_tree_at(a, a->sum, MB_ARTICULATED, body.slot, k), a->lanes);
      A = with_rigid(&sum, rigid.I, rigid.h, m);
    }
    A.p = wrench_at_gamma(A.p, &rigid, m);
    if (a->implicit && a->damped) mb_tree_thicken(a, b, k, &A, rigid.h, m);
    if (a->damped || a->flies) {
      Screw pull;
      mb_rows_load(&pull, MB_SCREW, mb_tree_at(a, a->outer, MB_SCREW, b, k), a->lanes);
      A.p = (Screw){sub(A.p.turn, pull.turn), sub(A.p.line, pull.line)};
    }
    if (body.kind != MB_TREE_TURNS) {
      Screw p = A.p;
      if (!mb_tree_release(a, &body, k, signal, s, &A, &p)) return false;
      mb_tree_collect(a, &body, k, inertia_move(A, r), move_wrench(p, r));
      continue;
    }
    const Vec Is = apply_sym(A.I, s);
    const Screw U = move_wrench((Screw){Is, apply_transposed(A.H, s)}, r);
    Real more;
    const Real force = mb_tree_force(a, signal, body.q, body.v, k, &more);
    const Real pivot = dot(s, Is) + more, inverse = 1.0 / pivot, u = force - dot(s, A.p.turn);
    const Screw V = {scale(inverse, U.turn), scale(inverse, U.line)};
    if (!pivot_fine(FINE, pivot)) return false;
    mb_rows_store(at + 6 * a->lanes, a->lanes, &V, MB_SCREW);
    at[12 * a->lanes] = inverse, at[13 * a->lanes] = u * inverse;
    mb_tree_collect(a, &body, k, inertia_less(inertia_move(A, r), U, V),
                    add_scaled_screw(move_wrench(A.p, r), u, V));
  }
  return true;
}

// ---- outward, and where that leads ------------------------------------------------------------------------

MB_BODY bool mb_tree_small(double x) { return x < 1e6 && x > -1e6; } // as in sim/step.c; false of NaN

// v ← v + h v̇,  q ← q + h v of one coordinate
MB_BODY bool mb_tree_move(const MbTreeArgs *a, uint32_t q, uint32_t v, size_t k, double h, double rate) {
  double *const at = a->q + q * a->lanes + k, *const speed = a->v + v * a->lanes + k;
  *speed = *speed + h * rate;
  *at = *at + h * *speed;
  return mb_tree_small(*at) && mb_tree_small(*speed);
}

// mb_coordinates_advance_pose
MB_BODY bool mb_tree_fly(const MbTreeArgs *a, const MbTreeBody *body, size_t b, size_t k, double h,
                         const double rate[6]) {
  double *const at = a->q + body->q * a->lanes + k, *const speed = a->v + body->v * a->lanes + k;
  double q[7], v[6], w[3], turned[4];
  bool fine = true;
  mb_rows_load(q, 7, at, a->lanes);
  mb_rows_load(v, 6, speed, a->lanes);
  for (int i = 0; i < 6; i++) v[i] = v[i] + h * rate[i], fine = fine && mb_tree_small(v[i]);
  mb_vec3_scale(w, h, v);
  mb_quat_exp(turned, w);
  mb_vec3_add_scaled(q, q, h, v + 3);
  mb_quat_mul(q + 3, q + 3, turned);
  mb_quat_normalise(q + 3);
  for (int i = 0; i < 7; i++) fine = fine && mb_tree_small(q[i]);
  if (body->flies) {
    double I[3], swing[3];
    mb_rows_load(I, 3, mb_tree_at(a, a->link, MB_TREE_LINK, b, k) + 7 * a->lanes, a->lanes);
    mb_rows_load(swing, 3, mb_tree_at(a, a->swing, 3, b, k), a->lanes);
    mb_carry_of(h, I, swing, v);
  }
  mb_rows_store(at, a->lanes, q, 7);
  mb_rows_store(speed, a->lanes, v, 6);
  return fine;
}

// The deviation of a body's acceleration, from that of where its parent's moves O; moves its coordinates. *fine: they are ordinary ones.
MB_BODY Screw mb_tree_columns(const MbTreeArgs *a, const MbTreeBody *body, size_t b, size_t k, double h,
                              Vec s, Screw own, bool *fine) {
  const Vec none = {0, 0, 0};
  Screw T[6], U[6];
  Real G[36], u[6], x[6];
  const uint32_t n = body->n;
  if (n == 6)
    (void)free_motion(T, mb_tree_free_axes(a, body, k), none, none);
  else
    T[0] = (Screw){none, s};
  mb_rows_load(U, (size_t)MB_SCREW * n, mb_tree_at(a, a->U, MB_SCREW, body->column, k), a->lanes);
  mb_rows_load(G, (size_t)n * n, mb_tree_at(a, a->G, 1, body->square, k), a->lanes);
  mb_rows_load(u, n, mb_tree_at(a, a->u, 1, body->column, k), a->lanes);
  own = follow_columns(n, T, U, G, u, own, x);
  if (n == 6)
    *fine = mb_tree_fly(a, body, b, k, h, x) && *fine;
  else if (n)
    *fine = mb_tree_move(a, body->q, body->v, k, h, x[0]) && *fine;
  return own;
}

MB_BODY bool mb_tree_outward(const MbTreeArgs *a, size_t k) {
  const double h = a->h[k];
  const Screw none = {{0, 0, 0}, {0, 0, 0}};
  Screw latest = none;
  uint32_t before = 0;
  bool fine = true;
  for (uint32_t b = 0; b < a->nb; b++) {
    const MbTreeBody body = a->body[b];
    Stand stand;
    Screw from = latest;
    mb_rows_load(&stand, body.kind == MB_TREE_TURNS ? (size_t)MB_STAND : 6,
                 mb_tree_at(a, a->stand, MB_STAND, b, k), a->lanes);
    if (body.up == 0)
      from = none;
    else if (body.up != before)
      mb_rows_load(&from, MB_SCREW, mb_tree_at(a, a->rate, MB_SCREW, body.up, k), a->lanes);
    Screw own = move_motion(from, stand.r);
    if (body.kind == MB_TREE_TURNS) {
      const Real rate = stand.u - dot_screw(stand.V, from);
      own.turn = add_scaled(own.turn, rate, stand.s);
      fine = mb_tree_move(a, body.q, body.v, k, h, rate) && fine;
    } else {
      own = mb_tree_columns(a, &body, b, k, h, stand.s, own, &fine);
    }
    if (!body.leaf) mb_rows_store(mb_tree_at(a, a->rate, MB_SCREW, body.slot, k), a->lanes, &own, MB_SCREW);
    latest = own, before = body.slot;
  }
  return fine;
}

// ---- limits -----------------------------------------------------------------------------------------------

// Whether no limit is passed, or (`after` a step) has been reached for in it: core/sim/lockstep_limits.h, where the gap g was before is
// g' − h G v⁺.
MB_BODY bool mb_tree_unlimited(const MbTreeArgs *a, size_t k, bool after) {
  const double sure = 1e-9, h = a->h[k];
  for (uint32_t i = 0; i < a->nlimits; i++) {
    const MbTreeLimit limit = a->limit[i];
    const double side = a->side[i * a->lanes + k];
    const double gap = side * (a->q[limit.q * a->lanes + k] - a->bound[i * a->lanes + k]);
    if (!(gap > 0)) return false;
    if (!after || !a->ahead || limit.soft) continue;
    const double rate = side * a->v[limit.v * a->lanes + k], pull = gap / h - rate;
    if (!(gap / h > sure * (fabs(rate) + fabs(pull)))) return false;
  }
  return true;
}

// ---- kernels ----------------------------------------------------------------------------------------------

MB_BODY void mb_tree_steps(const MbTreeArgs *a, size_t k) {
  const double *signal = a->signal;
  if (a->left[k]) return;
  bool goes = mb_tree_unlimited(a, k, false);
  for (uint32_t step = 0; goes && step < a->steps; step++, signal += a->signals) {
    mb_tree_forward(a, k);
    goes = mb_tree_backward(a, k, signal) && mb_tree_outward(a, k) && mb_tree_unlimited(a, k, true);
  }
  if (!goes) a->left[k] = 1;
}

// E of C in the world, φ of C in C axes.
MB_BODY void mb_tree_pose(const MbTreeArgs *a, size_t b, size_t k, const Frame *own, Vec c, double phi[6]) {
  const Vec at = add(own->O, c), w = apply_transposed(own->R, own->motion.turn),
            v = apply_transposed(own->R, add_cross(own->motion.line, own->motion.turn, c));
  double *const E = mb_tree_at(a, a->E, 7, b, k);
  mb_rows_store(E, a->lanes, &at, 3);
  mb_rows_store(E + 3 * a->lanes, a->lanes, &own->q, 4);
  phi[0] = w.x, phi[1] = w.y, phi[2] = w.z, phi[3] = v.x, phi[4] = v.y, phi[5] = v.z;
  mb_rows_store(mb_tree_at(a, a->phi, 6, b, k), a->lanes, phi, 6);
}

MB_BODY double mb_tree_elastic(const MbTreeArgs *a, const MbTreeBody *body, size_t k) {
  double energy = 0;
  for (uint32_t i = 0; body->kind != MB_TREE_FREE && i < body->n; i++) {
    const size_t v = (body->v + i) * a->lanes + k;
    const double stretch = a->q[(body->q + i) * a->lanes + k] - a->rest[v];
    energy += a->stiffness[v] * stretch * stretch / 2;
  }
  return energy;
}

// Poses, twists and energies at the state.
MB_BODY void mb_tree_look(const MbTreeArgs *a, size_t k) {
  const Frame world = mb_tree_world(a, k);
  const Vec g = world.gamma.line; // −g
  double kinetic = 0, gravity = 0, elastic = 0;
  for (uint32_t b = 0; b < a->nb; b++) {
    const MbTreeBody body = a->body[b];
    const Link link = mb_tree_link(a, &body, b, k);
    const Frame up = body.up == 0 ? world : mb_tree_kept(a, body.up, k);
    Stand stand;
    double phi[6];
    const Frame own = mb_tree_body(a, &body, &link, &up, k, &stand);
    const Vec c = turn(own.R, link.c);
    mb_tree_pose(a, b, k, &own, c, phi);
    if (!body.leaf) mb_tree_keep(a, body.slot, k, &own);
    for (int i = 0; i < 6; i++) kinetic += (i < 3 ? link.I[i] : link.m) * phi[i] * phi[i] / 2;
    gravity += link.m * dot(g, add(own.O, c));
    if (a->sprung) elastic += mb_tree_elastic(a, &body, k);
  }
  a->energy[k] = kinetic, a->energy[a->lanes + k] = gravity, a->energy[2 * a->lanes + k] = elastic;
  a->energy[3 * a->lanes + k] = kinetic + gravity + elastic;
}

#endif
