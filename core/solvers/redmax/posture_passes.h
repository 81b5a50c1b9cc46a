// Products with J, and A⁻¹ factored and applied, for MB_LANES instances in world axes (posture.h), for the kind of processor of the file
// that includes this. No product is fused with a sum here, so that an instance has the same bits alone and beside others. Arrays have
// the instances' numbers side by side, those of a MbPosture too.
#ifndef MB_SOLVERS_REDMAX_POSTURE_PASSES_H
#define MB_SOLVERS_REDMAX_POSTURE_PASSES_H

#include "core/solvers/redmax/posture_factor.h"

static inline void put_coordinate(double *a, size_t i, Real x) { memcpy(a + MB_LANES * i, &x, sizeof x); }
static inline Screw screw_at(const double *a, size_t i) { return (Screw){vec_at(a, i), vec_at(a, i + 3)}; }
static inline void put_screw(double *a, size_t i, Screw x) {
  put_coordinate(a, i, x.turn.x), put_coordinate(a, i + 1, x.turn.y), put_coordinate(a, i + 2, x.turn.z);
  put_coordinate(a, i + 3, x.line.x), put_coordinate(a, i + 4, x.line.y), put_coordinate(a, i + 5, x.line.z);
}

// A wrench of C in C axes as one of O in the world's; a twist of O in the world's as one of C in C axes.
static inline Screw wrench_to_world(const MbPosture *posture, size_t b, Screw f) {
  const Mat R = rotation(posture, b);
  return move_wrench((Screw){apply(R, f.turn), apply(R, f.line)}, arm_of(posture, b, R));
}
static inline Screw twist_to_body(const MbPosture *posture, size_t b, Screw phi) {
  const Mat R = rotation(posture, b);
  const Screw at_c = move_motion(phi, arm_of(posture, b, R));
  return (Screw){apply_transposed(R, at_c.turn), apply_transposed(R, at_c.line)};
}

// T v and Tᵀ f of a body's joint
static inline Screw joint_motion(const MbPosture *posture, size_t b, const double *v) {
  const MbHop *hop = &posture->links->hop[b];
  Screw sum = {0};
  if (hop->kind == MB_LINK_REVOLUTE) {
    sum.turn = scale(coordinate(v, hop->v), posture->work->stand[b].s);
    return sum;
  }
  const Screw *T = posture->work->T + hop->column;
  if (hop->kind == MB_LINK_FREE) {
    for (size_t i = 0; i < 3; i++) sum.turn = add_scaled(sum.turn, coordinate(v, hop->v + i), T[i].turn);
    sum.line = vec_at(v, hop->v + 3);
    return sum;
  }
  for (size_t i = 0; i < hop->n; i++) sum = add_scaled_screw(sum, coordinate(v, hop->v + i), T[i]);
  return sum;
}

static inline void joint_forces(const MbPosture *posture, size_t b, Screw f, double *y) {
  const MbHop *hop = &posture->links->hop[b];
  if (hop->kind == MB_LINK_REVOLUTE) {
    put_coordinate(y, hop->v, coordinate(y, hop->v) + dot(posture->work->stand[b].s, f.turn));
    return;
  }
  const Screw *T = posture->work->T + hop->column;
  if (hop->kind == MB_LINK_FREE) {
    const Real own[6] = {
        dot(T[0].turn, f.turn), dot(T[1].turn, f.turn), dot(T[2].turn, f.turn), f.line.x, f.line.y, f.line.z};
    for (size_t i = 0; i < 6; i++) put_coordinate(y, hop->v + i, coordinate(y, hop->v + i) + own[i]);
    return;
  }
  for (size_t i = 0; i < hop->n; i++)
    put_coordinate(y, hop->v + i, coordinate(y, hop->v + i) + dot_screw(T[i], f));
}

// The same of a body alone, f being of C in C axes: its torque is along its velocities as it is. y gets it.
static inline void forces_alone(const MbPosture *posture, size_t b, const double *f, double *y) {
  const size_t at = posture->links->hop[b].v;
  const Screw own = screw_at(f, 6 * b);
  put_screw(y, at, (Screw){own.turn, apply(rotation(posture, b), own.line)});
}

// M v of a body alone.
static inline void momentum_alone(const MbPosture *posture, size_t b, const double *v, double *y) {
  const size_t at = posture->links->hop[b].v;
  const Link *link = &posture->work->link[b];
  for (size_t i = 0; i < 6; i++)
    put_coordinate(y, at + i, (i < 3 ? link->I[i] : link->m) * coordinate(v, at + i));
}

// ---- products with J --------------------------------------------------------------------------------------

static inline Screw *twists_of(MbPosture *posture, const double *v) {
  const MbModel *model = posture->model;
  Screw *phi = (Screw *)posture->screws;
  for (size_t b = 0; b < model->nb; b++) {
    const size_t p = model->parent[b];
    phi[b] = joint_motion(posture, b, v);
    if (p != MB_WORLD) phi[b] = add_screw(phi[b], move_motion(phi[p], posture->work->stand[b].r));
  }
  return phi;
}

// y += Jᵀ F, with F of O in world axes; F comes to hold what acts on subtrees. `but_alone`: bodies alone are left out.
static inline void gather_up(MbPosture *posture, Screw *F, double *y, bool but_alone) {
  const MbModel *model = posture->model;
  for (size_t b = model->nb; b-- > 0;) {
    const size_t p = model->parent[b];
    if (but_alone && posture->links->hop[b].alone) continue;
    joint_forces(posture, b, F[b], y);
    if (p != MB_WORLD) F[p] = add_screw(F[p], move_wrench(F[b], posture->work->stand[b].r));
  }
}

static inline void posture_gather(MbPosture *posture, const double *f, double *y) {
  Screw *F = (Screw *)posture->screws;
  memset(y, 0, MB_LANES * posture->model->nv * sizeof *y);
  for (size_t b = 0; b < posture->model->nb; b++) {
    if (posture->links->hop[b].alone)
      forces_alone(posture, b, f, y);
    else
      F[b] = wrench_to_world(posture, b, screw_at(f, 6 * b));
  }
  gather_up(posture, F, y, true);
}

static inline void posture_momentum(MbPosture *posture, const double *v, double *y) {
  Screw *phi = twists_of(posture, v);
  memset(y, 0, MB_LANES * posture->model->nv * sizeof *y);
  for (size_t b = 0; b < posture->model->nb; b++) {
    const Rigid *rigid = &posture->work->rigid[b];
    const Screw x = phi[b];
    if (posture->links->hop[b].alone) {
      momentum_alone(posture, b, v, y);
      continue;
    }
    phi[b].turn = add_cross(apply_sym(rigid->I, x.turn), rigid->h, x.line);
    phi[b].line = add_cross(scale(mass_of(posture->work, b), x.line), x.turn, rigid->h);
  }
  gather_up(posture, phi, y, true);
}

// M v + s Jᵀ f of a body alone: what no force acts on has M v to the last digit.
static inline void impel_alone(const MbPosture *posture, size_t b, const double *v, const double *f, Real s,
                               double *y) {
  const size_t at = posture->links->hop[b].v;
  const Link *link = &posture->work->link[b];
  forces_alone(posture, b, f, y);
  for (size_t i = 0; i < 6; i++)
    put_coordinate(y, at + i,
                   (i < 3 ? link->I[i] : link->m) * coordinate(v, at + i) + s * coordinate(y, at + i));
}

// y = Jᵀ M J v + s Jᵀ f, v being the velocities of the last kinematics, which has J v of each body in its own axes.
static inline void posture_impel(MbPosture *posture, const double *v, const double *f, Real s, double *y) {
  Screw *F = (Screw *)posture->screws;
  memset(y, 0, MB_LANES * posture->model->nv * sizeof *y);
  for (size_t b = 0; b < posture->model->nb; b++) {
    const Link *link = &posture->work->link[b];
    const Screw own = screw_at(f, 6 * b), phi = screw_at(posture->phi, 6 * b);
    if (posture->links->hop[b].alone) {
      impel_alone(posture, b, v, f, s, y);
      continue;
    }
    const Vec turn = {link->I[0] * phi.turn.x + s * own.turn.x, link->I[1] * phi.turn.y + s * own.turn.y,
                      link->I[2] * phi.turn.z + s * own.turn.z};
    const Vec line = {link->m * phi.line.x + s * own.line.x, link->m * phi.line.y + s * own.line.y,
                      link->m * phi.line.z + s * own.line.z};
    F[b] = wrench_to_world(posture, b, (Screw){turn, line});
  }
  gather_up(posture, F, y, true);
}

// s B φ of a body, in its own axes
static inline Screw block_of_twist(const double *B, Real s, Screw phi) {
  const Real x[6] = {phi.turn.x, phi.turn.y, phi.turn.z, phi.line.x, phi.line.y, phi.line.z};
  Real f[6];
  for (size_t i = 0; i < 6; i++) {
    Real sum = {0};
    for (size_t k = 0; k < 6; k++) sum += coordinate(B, 6 * i + k) * x[k];
    f[i] = s * sum;
  }
  return (Screw){{f[0], f[1], f[2]}, {f[3], f[4], f[5]}};
}

// ---- J̇ v --------------------------------------------------------------------------------------------------

// γ is the acceleration of O at v̇ = 0 less gravity. At C it is a; in body coordinates φ̇ = (Rᵀα, Rᵀ a − ω × v).
// That of a body alone is of its turning axes alone.
static inline Screw drift_of(const MbPosture *posture, size_t b) {
  if (posture->links->hop[b].alone) {
    const Screw twist = screw_at(posture->phi + (size_t)MB_LANES * 6 * b, 0);
    return (Screw){.line = cross(twist.line, twist.turn)};
  }
  const Rigid *rigid = &posture->work->rigid[b];
  const Mat R = rotation(posture, b);
  const Vec c = arm_of(posture, b, R), g = scale((Real){0} - 1.0, posture->work->frame[0].gamma.line);
  const Screw gamma = move_motion(rigid->gamma, c),
              phi = screw_at(posture->phi + (size_t)MB_LANES * 6 * b, 0);
  const Vec a = add(add_cross(gamma.line, rigid->w, cross(rigid->w, c)), g);
  return (Screw){apply_transposed(R, gamma.turn), sub(apply_transposed(R, a), cross(phi.turn, phi.line))};
}

// ---- A⁻¹ --------------------------------------------------------------------------------------------------

static inline void posture_apply(MbPosture *posture, double *x) {
  const MbModel *model = posture->model;
  MbRecursion *work = posture->work;
  Screw *p = (Screw *)posture->screws, *a = p;
  memset(p, 0, model->nb * sizeof *p);
  for (size_t b = model->nb; b-- > 0;) {
    const MbHop *hop = &posture->links->hop[b];
    const Stand *stand = &work->stand[b];
    const size_t parent = model->parent[b];
    if (hop->alone && posture->masses) {
      const Link *link = &work->link[b];
      for (size_t i = 0; i < 6; i++)
        put_coordinate(x, hop->v + i, coordinate(x, hop->v + i) / (i < 3 ? link->I[i] : link->m));
      continue;
    }
    Screw up = p[b];
    if (hop->kind == MB_LINK_REVOLUTE) {
      const Real u = coordinate(x, hop->v) - dot(stand->s, up.turn);
      put_coordinate(x, hop->v, u * stand->inverse);
      up = add_scaled_screw(move_wrench(up, stand->r), u, stand->V);
    } else {
      balance_joint(work, b, &up, x);
      up = move_wrench(up, stand->r);
    }
    if (parent != MB_WORLD) p[parent] = add_screw(p[parent], up);
  }
  for (size_t b = 0; b < model->nb; b++) {
    const MbHop *hop = &posture->links->hop[b];
    const Stand *stand = &work->stand[b];
    const size_t parent = model->parent[b];
    if (hop->alone && posture->masses) continue;
    const Screw none = {0}, from = parent == MB_WORLD ? none : a[parent];
    a[b] = move_motion(from, stand->r);
    if (hop->kind == MB_LINK_REVOLUTE) {
      const Real rate = coordinate(x, hop->v) - dot_screw(stand->V, from);
      put_coordinate(x, hop->v, rate);
      a[b].turn = add_scaled(a[b].turn, rate, stand->s);
    } else {
      a[b] = follow_joint(work, b, a[b], x);
    }
  }
}

#endif
