// Bodies whose joints are rows, under solver `maximal`: what solvers/maximal/ and sim/claims.c do in a step with one solution, side by
// side, in the order of the scalar code. Part of lockstep_kernels.h.
#ifndef MB_SIM_LOCKSTEP_ROWS_H
#define MB_SIM_LOCKSTEP_ROWS_H

// R(q) x, as mb_quat_rotate does it
static inline Vec rotate(const double *E, Vec x) {
  const Real w = coordinate(E, 3);
  const Vec c = {coordinate(E, 4), coordinate(E, 5), coordinate(E, 6)};
  const Vec t = scale((Real){0} + 2.0, cross(c, x)), u = cross(c, t);
  return (Vec){x.x + w * t.x + u.x, x.y + w * t.y + u.y, x.z + w * t.z + u.z};
}

static inline const double *pose_of(const MbLockstep *l, size_t b) { return l->E + MB_LANES * 7 * b; }
static inline Screw to_velocity(const MbLockstep *l, size_t b, Screw twist) {
  return (Screw){twist.turn, rotate(pose_of(l, b), twist.line)};
}

static void find_twists(MbLockstep *l) {
  for (size_t b = 0; b < l->nb; b++) {
    const Screw v = screw_at(l->v, 6 * b);
    put_screw(l->phi, 6 * b, (Screw){v.turn, unrotate(pose_of(l, b), v.line)});
  }
}

// Joints that may turn by more than half a turn in a step, and what of bodies in space is remembered.
static void foresee_coordinates(MbLockstep *l) {
  const MbModel *model = l->like;
  const Real h = coordinate(l->h, 0);
  double *near = l->q1 + MB_LANES * 7 * l->nb;
  for (size_t b = 0; b < l->nb; b++) {
    const MbJoint *joint = &model->joint[b];
    const size_t q = model->q_first[b], v = model->v_first[b];
    if (!joint->ops) memcpy(near + MB_LANES * q, pose_of(l, b), MB_LANES * 7 * sizeof *near);
    for (size_t i = 0; joint->ops && i < joint->n; i++) {
      const Real at = coordinate(l->jq, q + i);
      put_coordinate(near, q + i, joint->ops->renew ? at : at + h * coordinate(l->jv, v + i));
    }
  }
}

// ---- products with V (held_rows.c) --------------------------------------------------------------------------

// The frame of the parent's C in the body's.
typedef struct Seen {
  Mat R;
  Vec p;
} Seen;

static inline Seen seen_from(const MbLockstep *l, size_t b) {
  const double *X = (const double *)l->held.X + MB_LANES * 12 * b;
  return (Seen){{{coordinate(X, 0), coordinate(X, 3), coordinate(X, 6)},
                 {coordinate(X, 1), coordinate(X, 4), coordinate(X, 7)},
                 {coordinate(X, 2), coordinate(X, 5), coordinate(X, 8)}},
                vec_at(X, 9)};
}

static inline size_t dofs_of(const MbLockstep *l, size_t b) {
  return l->like->joint[b].ops ? l->like->joint[b].n : 0;
}

// q̇ = V v
static void find_rates(MbLockstep *l, const double *v, double *rate) {
  Screw *phi = (Screw *)l->r;
  for (size_t b = 0; b < l->nb; b++) {
    const size_t p = l->like->parent[b], first = l->like->v_first[b];
    const Screw own = screw_at(v, 6 * b);
    Screw eta = phi[b] = (Screw){own.turn, unrotate(pose_of(l, b), own.line)};
    if (p != MB_WORLD && dofs_of(l, b)) {
      const Seen X = seen_from(l, b);
      const Vec turn = apply(X.R, phi[p].turn), line = add(apply(X.R, phi[p].line), cross(X.p, turn));
      eta = (Screw){sub(eta.turn, turn), sub(eta.line, line)};
    }
    for (size_t i = 0; i < dofs_of(l, b); i++) {
      const double *V = l->held.V + MB_LANES * 6 * (first + i);
      const Real x[6] = {eta.turn.x, eta.turn.y, eta.turn.z, eta.line.x, eta.line.y, eta.line.z};
      Real sum = {0};
      for (size_t k = 0; k < 6; k++) sum += coordinate(V, k) * x[k];
      put_coordinate(rate, first + i, sum);
    }
  }
}

static inline Screw choose_screw(Choice yes, Screw a, Screw b) {
  return (Screw){
      {choose(yes, a.turn.x, b.turn.x), choose(yes, a.turn.y, b.turn.y), choose(yes, a.turn.z, b.turn.z)},
      {choose(yes, a.line.x, b.line.x), choose(yes, a.line.y, b.line.y), choose(yes, a.line.z, b.line.z)}};
}

// y += ( 1, −Xᵀ ) w on a body and its parent, in lanes where anything pulls
static inline void push(const MbLockstep *l, size_t b, Choice any, Screw w, double *y) {
  const size_t p = l->like->parent[b];
  const Screw own = screw_at(y, 6 * b);
  put_screw(y, 6 * b, choose_screw(any, add_screw(own, to_velocity(l, b, w)), own));
  if (p == MB_WORLD) return;
  const Seen X = seen_from(l, b);
  const Vec none = {0}, torque = sub(w.turn, cross(X.p, w.line));
  const Screw up = {add_scaled(none, (Real){0} - 1.0, apply_transposed(X.R, torque)),
                    add_scaled(none, (Real){0} - 1.0, apply_transposed(X.R, w.line))};
  const Screw of = screw_at(y, 6 * p);
  put_screw(y, 6 * p, choose_screw(any, add_screw(of, to_velocity(l, p, up)), of));
}

// y += Vᵀ f
static void add_along_joints(const MbLockstep *l, const double *f, double *y) {
  for (size_t b = 0; b < l->nb; b++) {
    const size_t first = l->like->v_first[b], n = dofs_of(l, b);
    Real w[6] = {0};
    Choice any = {0};
    for (size_t i = first; i < first + n; i++) {
      const Real force = coordinate(f, i);
      const Choice pulls = force != 0.0;
      any |= pulls;
      for (size_t k = 0; k < 6; k++)
        w[k] = choose(pulls, w[k] + force * coordinate(l->held.V, 6 * i + k), w[k]);
    }
    if (bits_of(any)) push(l, b, any, (Screw){{w[0], w[1], w[2]}, {w[3], w[4], w[5]}}, y);
  }
}

// ---- the solution -------------------------------------------------------------------------------------------

// y −= what damping of bodies and joints does at the step's end beyond what it does now
static void add_damping(MbLockstep *l, double *y) {
  const Real sD = (Real){0} - l->integrator->c, sK = (Real){0} + 0.0 * coordinate(l->h, 0);
  for (size_t b = 0; l->D && b < l->nb; b++) {
    const Screw f = to_velocity(l, b, block_of_twist(l->D + MB_LANES * 36 * b, sD, screw_at(l->phi, 6 * b)));
    put_screw(y, 6 * b, add_screw(screw_at(y, 6 * b), f));
  }
  find_rates(l, l->v, l->rates);
  memset(l->y, 0, MB_LANES * l->nv * sizeof *l->y);
  for (size_t b = 0; b < l->nb; b++)
    for (size_t i = 0; i < dofs_of(l, b); i++) {
      const size_t k = l->like->v_first[b] + i;
      const Real rate = sD * coordinate(l->total_damping, k) + sK * coordinate(l->total_stiffness, k);
      put_coordinate(l->y, k, coordinate(l->y, k) - rate * coordinate(l->rates, k));
    }
  add_along_joints(l, l->y, y);
}

// Seconds of the rate half way (sim/claims.c).
static Real half_way(const MbLockstep *l) {
  const Real h = coordinate(l->h, 0);
  Real fastest = {0}, spin;
  if (!l->fly) return fastest;
  for (size_t b = 0; b < l->nb; b++) {
    const Vec w = vec_at(l->phi, 6 * b);
    const Real square = dot(w, w);
    fastest = choose(square > fastest, square, fastest);
  }
  for (size_t k = 0; k < MB_LANES; k++) spin[k] = sqrt(fastest[k]);
  const Real turn = h * spin, square = turn * turn, one = (Real){0} + 1.0;
  return h / 2.0 / choose(square > one, square, one);
}

// What rows ask of velocities (sim/ask.c).
static void ask_rows(MbLockstep *l) {
  const MbHeld *held = &l->held;
  const Real pull = coordinate(l->gamma, 0), curve = half_way(l), zero = {0};
  for (size_t r = 0; r < held->shape.nrows; r++) {
    Real b = zero + pull * coordinate(held->g, r);
    if (l->fly) b = b + curve * (coordinate(held->bend, r) + zero);
    put_coordinate(l->aim, r, -b);
  }
}

static bool rows_are_numbers(const MbLockstep *l) {
  Choice fine = ~(Choice){0};
  for (size_t r = 0; r < l->held.shape.nrows; r++) fine &= is_small(coordinate(l->held.g, r), 1e300);
  return bits_of(fine) == (1u << MB_LANES) - 1;
}

static bool held_velocities(MbLockstep *l) {
  const MbModel *model = l->like;
  const Real h = coordinate(l->h, 0), a = l->integrator->a * h, c = l->integrator->b * h * h;
  double *const y = l->s, ab[2 * MB_LANES];
  size_t blame = 0;
  for (size_t b = 0; b < l->nb; b++) put_screw(y, 6 * b, to_velocity(l, b, screw_at(l->f, 6 * b)));
  if (model->sprung || model->ndrives) {
    memset(l->y, 0, MB_LANES * l->nv * sizeof *l->y);
    add_joint_forces(l, l->y);
    add_along_joints(l, l->y, y);
  }
  with_motors(l);
  if (l->integrator->c != 0) add_damping(l, y);
  for (size_t i = 0; i < l->vs; i++)
    put_coordinate(l->v1, i, coordinate(l->M, i) * coordinate(l->v, i) + h * coordinate(y, i));
  ask_rows(l);
  const MbMaximal x = {.nb = l->nb,
                       .E = (MbPose *)(void *)l->E,
                       .phi = l->phi,
                       .K = l->K,
                       .D = l->D,
                       .stiffness = l->total_stiffness,
                       .joint_damping = l->total_damping};
  put_coordinate(ab, 0, a), put_coordinate(ab, 1, c);
  if (!rows_are_numbers(l) || !l->held.kernels->factor(&l->held, &x, ab, &blame)) return false;
  l->held.kernels->solve(&l->held, l->v1, l->held.shape.nrows ? l->aim : NULL);
  if (l->nlimits) find_rates(l, l->v1, l->rates);
  return true;
}

#endif
