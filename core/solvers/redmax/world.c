#define MB_LANES 1
#include "core/solvers/redmax/world.h"
#include "core/math/dense6.h"
#include "core/solvers/coupled.h"
#include "core/solvers/redmax/world_factor.h"

static Screw screw(const double a[6]) { return (Screw){vec(a), vec(a + 3)}; }
static void put_screw(double a[6], Screw x) {
  a[0] = x.turn.x, a[1] = x.turn.y, a[2] = x.turn.z, a[3] = x.line.x, a[4] = x.line.y, a[5] = x.line.z;
}

// A wrench of C in C axes as one of O in the world's; a twist of O in the world's as one of C in C axes.
static Screw wrench_to_world(const MbWorld *world, size_t b, Screw f) {
  const Mat R = rotation(world, b);
  return move_wrench((Screw){apply(R, f.turn), apply(R, f.line)}, arm_of(world, b, R));
}
static Screw twist_to_body(const MbWorld *world, size_t b, Screw phi) {
  const Mat R = rotation(world, b);
  const Screw at_c = move_motion(phi, arm_of(world, b, R));
  return (Screw){apply_transposed(R, at_c.turn), apply_transposed(R, at_c.line)};
}

// T v and Tᵀ f of a body's joint
static Screw joint_motion(const MbWorld *world, size_t b, const double *v) {
  const MbHop *hop = &world->links->hop[b];
  Screw sum = {0};
  if (hop->kind == MB_LINK_REVOLUTE) {
    sum.turn = scale(v[hop->v], world->work->stand[b].s);
    return sum;
  }
  const Screw *T = world->work->T + hop->column;
  for (size_t i = 0; i < hop->n; i++) sum = add_scaled_screw(sum, v[hop->v + i], T[i]);
  return sum;
}

static void joint_forces(const MbWorld *world, size_t b, Screw f, double *y) {
  const MbHop *hop = &world->links->hop[b];
  if (hop->kind == MB_LINK_REVOLUTE) {
    y[hop->v] += dot(world->work->stand[b].s, f.turn);
    return;
  }
  const Screw *T = world->work->T + hop->column;
  for (size_t i = 0; i < hop->n; i++) y[hop->v + i] += dot_screw(T[i], f);
}

// ---- products with J --------------------------------------------------------------------------------------

static Screw *twists(MbWorld *world, const double *v) {
  const MbModel *model = world->model;
  Screw *phi = (Screw *)world->screws;
  for (size_t b = 0; b < model->nb; b++) {
    const size_t p = model->parent[b];
    phi[b] = joint_motion(world, b, v);
    if (p != MB_WORLD) phi[b] = add_screw(phi[b], move_motion(phi[p], world->work->stand[b].r));
  }
  return phi;
}

// y += Jᵀ F, with F of O in world axes; F comes to hold what acts on subtrees.
static void gather(MbWorld *world, Screw *F, double *y) {
  const MbModel *model = world->model;
  for (size_t b = model->nb; b-- > 0;) {
    const size_t p = model->parent[b];
    joint_forces(world, b, F[b], y);
    if (p != MB_WORLD) F[p] = add_screw(F[p], move_wrench(F[b], world->work->stand[b].r));
  }
}

void mb_world_wrench(const MbWorld *world, size_t body, const double w[6], double F[6]) {
  put_screw(F, wrench_to_world(world, body, screw(w)));
}

void mb_world_gather(MbWorld *world, const double *f, double *y) {
  Screw *F = (Screw *)world->screws;
  for (size_t b = 0; b < world->model->nb; b++) F[b] = wrench_to_world(world, b, screw(f + 6 * b));
  memset(y, 0, world->model->nv * sizeof *y);
  gather(world, F, y);
}

void mb_world_carry(MbWorld *world, size_t body, const double w[6], double *y) {
  Screw F = wrench_to_world(world, body, screw(w));
  for (size_t b = body; b != MB_WORLD; b = world->model->parent[b]) {
    joint_forces(world, b, F, y);
    F = move_wrench(F, world->work->stand[b].r);
  }
}

void mb_world_momentum(MbWorld *world, const double *v, double *y) {
  Screw *phi = twists(world, v);
  for (size_t b = 0; b < world->model->nb; b++) {
    const Rigid *rigid = &world->work->rigid[b];
    const Screw x = phi[b];
    phi[b].turn = add_cross(apply_sym(rigid->I, x.turn), rigid->h, x.line);
    phi[b].line = add_cross(scale(world->links->hop[b].m, x.line), x.turn, rigid->h);
  }
  memset(y, 0, world->model->nv * sizeof *y);
  gather(world, phi, y);
}

void mb_world_twists(MbWorld *world, const double *v, double *phi) {
  const Screw *at_o = twists(world, v);
  for (size_t b = 0; b < world->model->nb; b++) put_screw(phi + 6 * b, twist_to_body(world, b, at_o[b]));
}

void mb_world_blocks(MbWorld *world, const double *B, double s, const double *v, double *y) {
  const MbModel *model = world->model;
  Screw *F = twists(world, v);
  double *phi = model->npairs ? world->twist : world->screws, *f = world->screws;
  for (size_t b = 0; b < model->nb; b++) put_screw(phi + 6 * b, twist_to_body(world, b, F[b]));
  for (size_t b = 0; b < model->nb; b++) {
    double t[6];
    mb_mat6_apply(t, B + 36 * b, phi + 6 * b);
    for (size_t i = 0; i < 6; i++) f[6 * b + i] = s * t[i];
  }
  mb_pairs_multiply(model, B + 36 * model->nb, s, phi, f);
  for (size_t b = 0; b < model->nb; b++) F[b] = wrench_to_world(world, b, screw(f + 6 * b));
  gather(world, F, y);
}

// ---- J̇ v --------------------------------------------------------------------------------------------------

// γ is the acceleration of O at v̇ = 0 less gravity. At C it is a; in body coordinates φ̇ = (Rᵀα, Rᵀ a − ω × v).
static Screw drift(const MbWorld *world, size_t b) {
  const Rigid *rigid = &world->work->rigid[b];
  const Mat R = rotation(world, b);
  const Vec c = arm_of(world, b, R), g = vec(world->model->gravity);
  const Screw gamma = move_motion(rigid->gamma, c), phi = screw(world->phi + 6 * b);
  const Vec a = add(add_cross(gamma.line, rigid->w, cross(rigid->w, c)), g);
  return (Screw){apply_transposed(R, gamma.turn), sub(apply_transposed(R, a), cross(phi.turn, phi.line))};
}

void mb_world_drift(MbWorld *world, double *a) {
  for (size_t b = 0; b < world->model->nb; b++) put_screw(a + 6 * b, drift(world, b));
}

void mb_world_bias(MbWorld *world, double *f) {
  const double *M = world->model->M;
  for (size_t b = 0; b < world->model->nb; b++) {
    double a[6];
    put_screw(a, drift(world, b));
    for (size_t i = 0; i < 6; i++) f[6 * b + i] -= M[6 * b + i] * a[i];
  }
}

// ---- A⁻¹ --------------------------------------------------------------------------------------------------

bool mb_world_factor(MbWorld *world, const MbMaximal *x, double a, double c, void *whole, size_t *blame) {
  return factor_world(world, x, a, c, whole, blame);
}

void mb_world_apply(MbWorld *world, double *x) {
  const MbModel *model = world->model;
  MbRecursion *work = world->work;
  Screw *p = (Screw *)world->screws, *a = p;
  memset(p, 0, model->nb * sizeof *p);
  for (size_t b = model->nb; b-- > 0;) {
    const MbHop *hop = &world->links->hop[b];
    const Stand *stand = &work->stand[b];
    const size_t parent = model->parent[b];
    Screw up = p[b];
    if (hop->kind == MB_LINK_REVOLUTE) {
      const double u = x[hop->v] - dot(stand->s, up.turn);
      x[hop->v] = u * stand->inverse;
      up = add_scaled_screw(move_wrench(up, stand->r), u, stand->V);
    } else {
      balance_joint(work, b, &up, x);
      up = move_wrench(up, stand->r);
    }
    if (parent != MB_WORLD) p[parent] = add_screw(p[parent], up);
  }
  for (size_t b = 0; b < model->nb; b++) {
    const MbHop *hop = &world->links->hop[b];
    const Stand *stand = &work->stand[b];
    const size_t parent = model->parent[b];
    const Screw none = {0}, from = parent == MB_WORLD ? none : a[parent];
    a[b] = move_motion(from, stand->r);
    if (hop->kind == MB_LINK_REVOLUTE) {
      x[hop->v] -= dot_screw(stand->V, from);
      a[b].turn = add_scaled(a[b].turn, x[hop->v], stand->s);
    } else {
      a[b] = outward_joint(work, b, a[b], x);
    }
  }
}
