// What every step of joints held by rows goes through, as compiled for some kind of processor: the table MB_HELD_TABLE of a file
// that defines it and MB_HELD_NAME, what it says of itself, and includes this.
#define MB_LANES 1
#include "core/solvers/maximal/held_hinge.h"
#include "core/solvers/maximal/held_work.h"
#include "core/solvers/redmax/world_factor.h"

// ---- rows of hinges ---------------------------------------------------------------------------------------

// The row ( m ; 0 )
static inline void turning(const MbHeldPlace *X, const double m[3], double *Jc, double *Jp) {
  mb_vec3_copy(Jc, m);
  Jc[3] = Jc[4] = Jc[5] = 0;
  if (!Jp) return;
  mb_mat3_tapply(Jp, X->R, m);
  for (int k = 0; k < 3; k++) Jp[k] = -Jp[k], Jp[3 + k] = 0;
}

// The rows ( s × e_k ; e_k ) of v + ω × s;  to the parent −( d_p × r ; r ), r the row k of R, as s = p + R d_p
static inline void sliding(const MbHeldPlace *X, const double s[3], const double d[3], double *Jc,
                           double *Jp) {
  const double J[18] = {0, s[2], -s[1], 1, 0, 0, -s[2], 0, s[0], 0, 1, 0, s[1], -s[0], 0, 0, 0, 1};
  memcpy(Jc, J, sizeof J);
  for (size_t k = 0; k < 3 && Jp; k++) {
    const double r[3] = {-X->R[3 * k], -X->R[3 * k + 1], -X->R[3 * k + 2]};
    mb_vec3_cross(Jp + 6 * k, d, r);
    mb_vec3_copy(Jp + 6 * k + 3, r);
  }
}

// X, and η of it: how the body moves as its parent sees it.
static inline void see_parent(MbHeld *held, size_t b, const MbMaximal *x) {
  const size_t p = held->model->parent[b];
  const double *phi = x->phi + 6 * b;
  double *eta = held->eta + 6 * b, *seen = held->seen + 6 * b;
  MbHeldPlace *X = &held->X[b];
  MbPose E;
  mb_pose_inverse(&E, &x->E[b]);
  if (p != MB_WORLD) mb_pose_mul(&E, &E, &x->E[p]);
  mb_quat_to_mat3(X->R, E.q);
  mb_vec3_copy(X->p, E.p);
  if (p == MB_WORLD) {
    memcpy(eta, phi, 6 * sizeof *eta);
    memset(seen, 0, 6 * sizeof *seen);
    return;
  }
  double y[6], t[3];
  mb_mat3_apply(y, X->R, x->phi + 6 * p);
  mb_mat3_apply(y + 3, X->R, x->phi + 6 * p + 3);
  mb_vec3_cross(t, X->p, y);
  mb_vec3_add(y + 3, y + 3, t);
  for (int k = 0; k < 6; k++) seen[k] = y[k], eta[k] = phi[k] - y[k];
}

// J̇ v of the rows, with W = X φ_p's spin:  η̇ at v̇ = 0 is ( ω × W ; −2 W × v − ω × v − W × (p × W) ), so that
//   turning  u · d, w · d of d = a′ × (ω × W) + ω × (ω × a′)
//   sliding  −2 (W + ω) × v − W × (p × W) + (ω × W) × s − ω × (ω × s)
static inline void hinge_bend(const MbHeldHinge *hinge, const Seen *seen, const double *eta, const double *W,
                              const double p[3], double *bend) {
  const double all[3] = {-2 * (W[0] + eta[0]), -2 * (W[1] + eta[1]), -2 * (W[2] + eta[2])};
  double cw[3], d[3], t[3];
  mb_vec3_cross(cw, eta, W);
  mb_vec3_cross(t, eta, seen->a);
  mb_vec3_cross(t, eta, t);
  mb_vec3_cross(d, seen->a, cw);
  mb_vec3_add(d, d, t);
  bend[0] = mb_vec3_dot(hinge->u, d), bend[1] = mb_vec3_dot(hinge->w, d);
  mb_vec3_cross(bend + 2, all, eta + 3);
  mb_vec3_cross(t, p, W);
  mb_vec3_cross(t, t, W);
  mb_vec3_add(bend + 2, bend + 2, t);
  mb_vec3_cross(t, cw, seen->s);
  mb_vec3_add(bend + 2, bend + 2, t);
  mb_vec3_cross(t, eta, seen->s);
  mb_vec3_cross(t, t, eta);
  mb_vec3_add(bend + 2, bend + 2, t);
}

// All of the joint at an instant.
static void hinge_rows(MbHeld *held, size_t b, const MbMaximal *x) {
  static const double turn = 6.283185307179586476925;
  const MbModel *model = held->model;
  const MbHeldHinge *hinge = &held->hinge[b];
  const MbHeldPlace *X = &held->X[b];
  see_parent(held, b, x);
  const size_t first = held->first[b], v = model->v_first[b];
  const Seen seen = see(hinge, X);
  double *Jc = held->Jc + 6 * first, *g = held->g + first, m[3], n[3], t[3];
  double *Jp = held->Jp ? held->Jp + 6 * first : NULL; // the articulated form has none
  mb_vec3_cross(m, hinge->u, seen.a);
  turning(X, m, Jc, Jp);
  mb_vec3_cross(m, hinge->w, seen.a);
  turning(X, m, Jc + 6, Jp ? Jp + 6 : NULL);
  sliding(X, seen.s, hinge->pd, Jc + 12, Jp ? Jp + 12 : NULL);
  if (held->curves) hinge_bend(hinge, &seen, held->eta + 6 * b, held->seen + 6 * b, X->p, held->bend + first);
  g[0] = mb_vec3_dot(hinge->u, seen.a), g[1] = mb_vec3_dot(hinge->w, seen.a);
  mb_vec3_sub(g + 2, hinge->d, seen.s);

  mb_vec3_cross(n, seen.u, hinge->w);
  mb_vec3_cross(t, seen.u, hinge->u);
  double *V = held->V + 6 * v;
  const double per = 1 / seen.rho2, guess = held->guess[model->q_first[b]], angle = atan2(seen.sigma, seen.c);
  for (int k = 0; k < 3; k++) V[k] = (seen.c * n[k] + seen.sigma * t[k]) * per, V[3 + k] = 0;
  held->q[model->q_first[b]] = angle + turn * rint((guess - angle) / turn);
  held->v[v] = mb_vec3_dot(V, held->eta + 6 * b);
}

// ---- where everything is ----------------------------------------------------------------------------------

// With rows m₁, m₂ (the turns) and V:  m₁ · x₁ = 1, m₂ · x₁ = 0, V · x₁ = 0, and x₂ the other way.
static inline void place_hinge(const MbHeld *held, size_t b, const MbMaximal *x) {
  MbHeldWorld *w = held->world;
  const MbHeldHinge *hinge = &held->hinge[b];
  const size_t p = held->up[b], first = held->first[b];
  const Mat R = w->R[b];
  Vec axis = vec(hinge->pa), point = vec(hinge->pd);
  if (p != MB_WORLD) axis = turn(w->R[p], hinge->pa), point = add(vec(x->E[p].p), turn(w->R[p], hinge->pd));
  const Vec V = vec(held->V + 6 * held->model->v_first[b]), m1 = vec(held->Jc + 6 * first),
            m2 = vec(held->Jc + 6 * (first + 1)), x1 = cross(m2, V), x2 = cross(V, m1);
  const double s = 1 / dot(m1, x1);
  w->across[2 * b] = scale(s, apply(R, x1)), w->across[2 * b + 1] = scale(s, apply(R, x2));
  w->work->stand[b].s = scale(1 / dot(apply(R, V), axis), axis);
  w->O[b] = point;
}

static inline void place_columns(const MbHeld *held, size_t b, const MbMaximal *x) {
  MbHeldWorld *w = held->world;
  const MbModel *model = held->model;
  Screw *T = w->work->T + w->work->links->hop[b].column;
  const Vec none = {0};
  const Mat R = w->R[b];
  w->O[b] = vec(x->E[b].p);
  if (model->joint[b].ops) {
    for (size_t i = 0; i < model->joint[b].n; i++) {
      const double *N = held->N + 6 * (model->v_first[b] + i);
      T[i] = (Screw){turn(R, N), turn(R, N + 3)};
    }
    return;
  }
  T[0] = (Screw){R.x, none}, T[1] = (Screw){R.y, none}, T[2] = (Screw){R.z, none};
  const Vec e[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  T[3] = (Screw){none, e[0]}, T[4] = (Screw){none, e[1]}, T[5] = (Screw){none, e[2]};
}

static void put_bodies(MbHeld *held, const MbMaximal *x) {
  MbHeldWorld *w = held->world;
  const MbModel *model = held->model;
  w->world.E = x->E, w->world.phi = x->phi;
  for (size_t b = 0; b < model->nb; b++) {
    const double *q = x->E[b].q;
    const size_t p = held->up[b];
    w->R[b] = quat_mat((Quat){q[0], q[1], q[2], q[3]});
    if (held->hinge[b].is)
      place_hinge(held, b, x);
    else
      place_columns(held, b, x);
    const Vec origin = {0}, arm = sub(vec(x->E[b].p), w->O[b]);
    w->arm[3 * b] = arm.x, w->arm[3 * b + 1] = arm.y, w->arm[3 * b + 2] = arm.z;
    w->work->stand[b].r = sub(w->O[b], p == MB_WORLD ? origin : w->O[p]);
    Rigid *rigid = &w->work->rigid[b];
    rigid->h = scale(model->M[6 * b + 3], arm);
    rigid->I = rigid_inertia(model->M + 6 * b, w->R[b], arm, rigid->h);
  }
}

static bool factor(MbHeld *held, const MbMaximal *x, double a, double b, size_t *blame) {
  MbHeldWorld *w = held->world;
  put_bodies(held, x);
  w->world.derived = a != 0 || b != 0;
  return factor_world(&w->world, x, a, b, w->whole, blame);
}

// ---- the solution -----------------------------------------------------------------------------------------

// β of O in the world. At a hinge's O the velocity is that of its last three rows.
static inline Screw bias_of(const MbHeld *held, size_t b, const double *aim) {
  const MbHeldWorld *w = held->world;
  const size_t first = held->first[b];
  if (held->hinge[b].is)
    return (Screw){add_scaled(scale(aim[first], w->across[2 * b]), aim[first + 1], w->across[2 * b + 1]),
                   turn(w->R[b], aim + first + 2)};
  Screw sum = {0};
  for (size_t r = first; r < first + held->rows[b]; r++) {
    const double *Z = held->Z + 6 * r;
    sum = add_scaled_screw(sum, aim[r], (Screw){turn(w->R[b], Z), turn(w->R[b], Z + 3)});
  }
  return sum;
}

// a comes to hold p of every body, what its joint must answer for.
static inline void inward(const MbHeld *held, const double *x, const double *aim) {
  MbHeldWorld *w = held->world;
  MbRecursion *work = w->work;
  for (size_t b = held->model->nb; b-- > 0;) {
    const MbHop *hop = &w->links.hop[b];
    Stand *stand = &work->stand[b];
    const size_t p = held->up[b];
    const Mat R = w->R[b];
    const Screw f = {turn(R, x + 6 * b), vec(x + 6 * b + 3)};
    const Screw own = move_wrench(f, vec(w->arm + 3 * b)), none = {0}, sum = hop->leaf ? none : w->a[b];
    Screw up = {sub(sum.turn, own.turn), sub(sum.line, own.line)};
    w->a[b] = up;
    if (aim && held->rows[b]) {
      w->beta[b] = bias_of(held, b, aim);
      up = add_screw(up, inertia_apply(w->whole[b], w->beta[b]));
    }
    if (hop->kind == MB_LINK_REVOLUTE) {
      stand->u = -dot(stand->s, up.turn);
      up = add_scaled_screw(move_wrench(up, stand->r), stand->u, stand->V);
    } else {
      balance_joint(work, b, &up, w->none);
      up = move_wrench(up, stand->r);
    }
    if (p != MB_WORLD) w->a[p] = hop->last ? up : add_screw(w->a[p], up);
  }
}

// λ of the rows of a body: Zᵀ of the wrench f that its joint puts on it, of O in the world.
static inline void multipliers(const MbHeld *held, size_t b, Screw f, double *lambda) {
  const MbHeldWorld *w = held->world;
  const Mat R = w->R[b];
  const size_t first = held->first[b];
  const Vec line = apply_transposed(R, f.line);
  if (held->hinge[b].is) {
    lambda[first] = dot(w->across[2 * b], f.turn), lambda[first + 1] = dot(w->across[2 * b + 1], f.turn);
    lambda[first + 2] = line.x, lambda[first + 3] = line.y, lambda[first + 4] = line.z;
    return;
  }
  const Vec turned = apply_transposed(R, f.turn);
  for (size_t r = first; r < first + held->rows[b]; r++) {
    const double *Z = held->Z + 6 * r;
    lambda[r] = dot(vec(Z), turned) + dot(vec(Z + 3), line);
  }
}

static inline void outward(const MbHeld *held, double *x, double *lambda) {
  MbHeldWorld *w = held->world;
  for (size_t b = 0; b < held->model->nb; b++) {
    const MbHop *hop = &w->links.hop[b];
    const Stand *stand = &w->work->stand[b];
    const size_t p = held->up[b];
    const Mat R = w->R[b];
    const Screw none = {0}, from = p == MB_WORLD ? none : w->a[p];
    Screw a = move_motion(from, stand->r);
    if (hop->kind == MB_LINK_REVOLUTE)
      a.turn = add_scaled(a.turn, stand->u * stand->inverse - dot_screw(stand->V, from), stand->s);
    else
      a = outward_joint(w->work, b, a, w->rate);
    if (lambda && held->rows[b]) {
      a = add_screw(a, w->beta[b]);
      multipliers(held, b, add_screw(w->a[b], inertia_apply(w->whole[b], a)), lambda);
    }
    w->a[b] = a;
    const Screw at_c = move_motion(a, vec(w->arm + 3 * b));
    const Vec own = apply_transposed(R, at_c.turn), line = at_c.line;
    double *const y = x + 6 * b;
    y[0] = own.x, y[1] = own.y, y[2] = own.z, y[3] = line.x, y[4] = line.y, y[5] = line.z;
  }
}

static void solve(MbHeld *held, double *x, double *b) {
  inward(held, x, b);
  outward(held, x, b);
}

extern const MbHeldKernels MB_HELD_TABLE;
const MbHeldKernels MB_HELD_TABLE = {
    .name = MB_HELD_NAME, .hinge = hinge_rows, .factor = factor, .solve = solve};
