// With Z_b = Σ T z along the tree, the motion that z stands for,
//
//   S = z · τ = Σ_b Z_b · W_b  +  z · (J a − f_r),          W = M α − ad_φᵀ M φ − m (0, Rᵀ g) − f
//
// J being the rotors' inertias and f_r what acts along the coordinates. A number of the scene changes S by what differs between the two models:
//
//   M, g                  Z · ΔW of those bodies
//   a joint or its frames the body's E, φ, α and Z with what they were of its parent: S changes by  ε̄ · ε + φ̄ · Δφ + α̅ · Δα + F · ΔZ,
//                         since the transposed pass has found what S is felt by there, of the whole subtree (F: its wrench)
//   forces                − Z · Δf, evaluated where the bodies are
//   J, f_r                z · ΔJ a − z · Δf_r
//
// Differences are those of the two sides, and products of two differences are of third order in them.
#include "core/sim/tangent_number_parts.h"
#include "core/forces/forces.h"
#include "core/math/dense6.h"
#include "core/math/se3.h"
#include "core/math/spatial.h"
#include "core/model/coordinates.h"
#include "core/model/flight.h"
#include "core/model/ops.h"
#include "core/sim/evaluate.h"
#include "core/sim/same_elements.h"
#include "core/sim/sensitivity_axes.h"
#include "core/sim/tangent_moved.h"

#include <math.h>
#include <string.h>

// ---- what differs -------------------------------------------------------------------------------------------------

static bool same_numbers(const double *x, const double *y, size_t n) {
  return n == 0 || memcmp(x, y, n * sizeof *x) == 0;
}

static bool same_spline(const MbSpline *s, const MbSpline *t) {
  if (!s || !t) return s == t;
  if (s->rows != t->rows || s->columns != t->columns || !s->frame != !t->frame || !s->control != !t->control)
    return false;
  return (!s->frame || memcmp(s->frame, t->frame, s->rows * sizeof *s->frame) == 0) &&
         (!s->control || same_numbers(s->control, t->control, 6 * s->rows * s->columns));
}

static bool same_joint(const MbJoint *j, const MbJoint *k) {
  if (j->lead != k->lead || !same_numbers(j->axis, k->axis, 3) ||
      memcmp(j->order, k->order, sizeof j->order) != 0)
    return false;
  if (!same_spline(j->spline, k->spline)) return false;
  if (!j->base != !k->base || (j->base && memcmp(j->base, k->base, sizeof *j->base) != 0)) return false;
  for (size_t i = 0; i < j->nparts; i++)
    if (!same_joint(&j->part[i], &k->part[i])) return false;
  return true;
}

static bool same_text(const char *s, const char *t) { return s == t || (s && t && strcmp(s, t) == 0); }

// Whether an expression means the same in both: names of constants that differ are nowhere in it.
static bool same_meaning(const char *text, const MbModel *m, const MbModel *n) {
  if (m->nconstants != n->nconstants) return false;
  for (size_t i = 0; i < m->nconstants; i++) {
    const char *name = m->constants[i].name;
    if (!same_text(name, n->constants[i].name)) return false;
    if (m->constants[i].value != n->constants[i].value && strstr(text, name)) return false;
  }
  return true;
}

// But for what expressions mean.
static bool same_signal(const MbSignal *s, const MbSignal *t) {
  return s->kind == t->kind && s->interpolation == t->interpolation && s->value == t->value &&
         s->count == t->count && same_text(s->text, t->text) && same_numbers(s->times, t->times, s->count) &&
         same_numbers(s->values, t->values, s->count);
}

static bool find_signals(MbArena *arena, MbTangentNumber *n, const MbModel *less, const MbModel *more) {
  for (int counting = 1; counting >= 0; counting--) {
    n->nsignals = 0;
    for (size_t i = 0; i < less->nsignals; i++) {
      const char *text = less->signals[i].text;
      if (same_signal(&less->signals[i], &more->signals[i]) && (!text || same_meaning(text, less, more)))
        continue;
      if (!counting) n->signal[n->nsignals] = i;
      n->nsignals++;
    }
    if (counting && !(n->signal = mb_arena_alloc(arena, n->nsignals, sizeof *n->signal))) return false;
  }
  return true;
}

// How far a step turns a stiff path goes by the masses of the bodies that it is between (forces/path_turn.c).
static bool same_weights(const MbModel *m, const MbForce *f, const MbModel *n) {
  bool same = true;
  for (size_t i = 0; i < f->npoints && f->npoints > 1; i++) {
    const size_t b = f->points[i].body;
    same &= b == MB_WORLD || m->M[6 * b + 3] == n->M[6 * b + 3];
  }
  return same;
}

// What a force works with stands in its own struct; of bodies' own damping in the model, of deformables' elements in them.
static bool same_force(const MbModel *m, const MbForce *f, const MbModel *n, const MbForce *g) {
  if (f->ops == &mb_body_damping_ops) return same_numbers(m->damping, n->damping, m->nb);
  if (f->elements && g->elements) return mb_same_elements(f->elements, g->elements);
  if (f->elements || g->elements || f->npoints != g->npoints || f->body != g->body) return false;
  return memcmp(f->signal, g->signal, sizeof f->signal) == 0 && same_weights(m, f, n) &&
         (!f->ops->parameters || memcmp(f->parameters, g->parameters, f->ops->parameters) == 0) &&
         (!f->npoints || memcmp(f->points, g->points, f->npoints * sizeof *f->points) == 0);
}

static size_t next_outer(const MbModel *model, size_t i) {
  while (i < model->nforces && model->forces[i].ops->inertial) i++;
  return i;
}

// Whether a frame is turned by half an angle of so much.
static bool turned(const MbPose *one, const MbPose *other, double far) {
  double same = 0, opposite = 0;
  for (size_t i = 0; i < 4; i++) {
    same = fmax(same, fabs(other->q[i] - one->q[i]));
    opposite = fmax(opposite, fabs(other->q[i] + one->q[i]));
  }
  return fmin(same, opposite) > far;
}

// Whether a frame is turned so far that what products of two differences come to counts. Principal axes turn by the more the nearer two moments are to one another, and
// what is lost by it, and by the rounding of frames that are told in them, is divided by the length of a step where rows hold bodies.
static const double FAR = 1e-4;

static bool jumps(const MbModel *m, const MbModel *n) {
  bool any = false;
  for (size_t b = 0; b < m->nb; b++)
    any |= mb_axes_turn(m, n, b, NULL) || turned(&m->P[b], &n->P[b], FAR) || turned(&m->B[b], &n->B[b], FAR);
  return any;
}

// Whether two frames on a body are the same to what the run's coordinates tell of it, but for rounding, whatever axes they are told in: of bodies that joints tell of to the body's own frame, of
// others to the centre of mass, which stays where it is as a number moves it in the body.
static bool same_place(const MbTangentNumber *n, size_t body, const MbPose *one, const MbPose *other) {
  static const double ROUNDING = 1e-14;
  const MbModel *const less = n->side[0]->model, *const more = n->side[1]->model;
  MbPose here = *one, there = *other;
  double away[3];
  if (body != MB_WORLD) {
    MbPose from = less->C[body], to = more->C[body];
    if (mb_axes_tells_pose(n->side[0], body)) memset(from.p, 0, sizeof from.p), memset(to.p, 0, sizeof to.p);
    mb_pose_mul(&here, &from, one), mb_pose_mul(&there, &to, other);
  }
  mb_vec3_sub(away, there.p, here.p);
  return mb_vec3_norm(away) <= ROUNDING * (mb_vec3_norm(one->p) + fmax(less->size, 0)) &&
         !turned(&here, &there, ROUNDING);
}

// Of a joint: of numbers that turn principal axes as they are to the bodies.
static bool same_frames(const MbTangentNumber *n, const MbModel *less, const MbModel *more, size_t b) {
  if (!n->jumps)
    return memcmp(&less->P[b], &more->P[b], sizeof *less->P) == 0 &&
           memcmp(&less->B[b], &more->B[b], sizeof *less->B) == 0;
  MbPose one, other;
  mb_pose_inverse(&one, &less->B[b]), mb_pose_inverse(&other, &more->B[b]);
  return same_place(n, less->parent[b], &less->P[b], &more->P[b]) && same_place(n, b, &one, &other);
}

static void find_bodies(MbTangentNumber *n, const MbModel *less, const MbModel *more) {
  for (size_t b = 0; b < less->nb; b++) {
    const bool frames = same_frames(n, less, more, b);
    n->frames |= memcmp(&less->C[b], &more->C[b], sizeof *less->C) != 0;
    if (b < mb_model_own(less) && !same_numbers(less->M + 6 * b, more->M + 6 * b, 6))
      n->mass[n->nmasses++] = b;
    if (!less->joint[b].ops) continue;
    if (!same_joint(&less->joint[b], &more->joint[b])) {
      n->joint[n->njoints++] = b;
    } else if (!frames) {
      n->by[n->nframed] = mb_tangent_framed(less, more, b);
      n->framed[n->nframed++] = b;
    }
  }
}

static void find_forces(MbTangentNumber *n, const MbModel *less, const MbModel *more) {
  size_t i = next_outer(less, 0), k = next_outer(more, 0);
  for (; i < less->nforces && k < more->nforces; i = next_outer(less, i + 1), k = next_outer(more, k + 1)) {
    if (same_force(less, &less->forces[i], more, &more->forces[k])) continue;
    n->force[0][n->nforces] = i, n->force[1][n->nforces++] = k;
  }
}

static bool same_along(const MbModel *m, const MbModel *n) {
  const size_t nv = m->nv;
  return same_numbers(m->stiffness, n->stiffness, nv) && same_numbers(m->rest, n->rest, nv) &&
         same_numbers(m->joint_damping, n->joint_damping, nv) &&
         (!m->ndrives || memcmp(m->drives, n->drives, m->ndrives * sizeof *m->drives) == 0) &&
         (!m->nstops || memcmp(m->stops, n->stops, m->nstops * sizeof *m->stops) == 0);
}

// Whether two constraints' parameters are the same, numbers of them but for rounding where that is asked.
static bool same_parameters(const MbConstraint *c, const MbConstraint *d, bool rounded) {
  static const double ROUNDING = 1e-14;
  const size_t size = c->ops->parameters, n = rounded ? size / sizeof(double) : 0;
  const unsigned char *const less = c->parameters, *const more = d->parameters;
  if (!less) return true;
  for (size_t i = 0; i < n; i++) {
    double x, y;
    memcpy(&x, less + i * sizeof x, sizeof x), memcpy(&y, more + i * sizeof y, sizeof y);
    if (memcmp(&x, &y, sizeof x) == 0) continue;
    if (!isnormal(x) || !isnormal(y) || fabs(y - x) > ROUNDING * fabs(x)) return false;
  }
  return memcmp(less + n * sizeof(double), more + n * sizeof(double), size - n * sizeof(double)) == 0;
}

static MbPose end_of(const MbConstraint *c, int end) {
  MbPose out;
  mb_vec3_copy(out.p, c->at[end]);
  mb_quat_from_mat3(out.q, c->R[end]);
  return out;
}

static bool same_ends(const MbTangentNumber *n, const MbConstraint *c, const MbConstraint *d) {
  if (!n->jumps) return same_numbers(c->at[0], d->at[0], 6) && same_numbers(c->R[0], d->R[0], 18);
  bool same = true;
  for (int end = 0; end < 2; end++) {
    const MbPose one = end_of(c, end), other = end_of(d, end);
    same &= same_place(n, c->body[end], &one, &other);
  }
  return same;
}

// But for its parameters.
static bool same_constraint(const MbTangentNumber *n, const MbConstraint *c, const MbConstraint *d) {
  if (c->nmasters && memcmp(c->master, d->master, c->nmasters * sizeof *c->master) != 0) return false;
  return same_ends(n, c, d) && c->compliance == d->compliance && c->damping == d->damping &&
         c->outward == d->outward && !c->closure == !d->closure &&
         (!c->closure || same_joint(c->closure, d->closure));
}

// Whether one of two constraints' parameters differs, and that is a number: `shared` is which, and by how much. What else is kept there, as integers and places in memory, is no normal one.
static bool one_parameter(const MbConstraint *c, const MbConstraint *d, MbTangentShared *shared) {
  const size_t size = c->ops->parameters, n = size / sizeof(double);
  const unsigned char *const less = c->parameters, *const more = d->parameters;
  size_t differ = 0;
  if (memcmp(less + n * sizeof(double), more + n * sizeof(double), size - n * sizeof(double)) != 0)
    return false;
  for (size_t i = 0; i < n; i++) {
    double x, y;
    memcpy(&x, less + i * sizeof x, sizeof x), memcpy(&y, more + i * sizeof y, sizeof y);
    if (memcmp(&x, &y, sizeof x) == 0) continue;
    if (!isnormal(x) || !isnormal(y) || y == x) return false;
    shared->place = i, shared->by = y - x;
    differ++;
  }
  return differ == 1;
}

static void find_ties(MbTangentNumber *n, const MbModel *less, const MbModel *more) {
  for (size_t i = 0; i < less->nconstraints; i++) {
    const MbConstraint *const c = &less->constraints[i], *const d = &more->constraints[i];
    const bool same = same_constraint(n, c, d);
    MbTangentShared *shared = &n->shared[n->nshared];
    if (same && same_parameters(c, d, n->jumps)) continue;
    n->tie[n->nties++] = i;
    shared->constraint = i;
    if (same && one_parameter(c, d, shared))
      n->nshared++;
    else
      n->alone[n->nalone++] = i;
  }
}

MbTangentNumber *mb_tangent_number_create(MbArena *arena, const MbSim *middle, MbSim *less, MbSim *more) {
  const MbModel *const m = less->model, *const o = more->model;
  MbTangentNumber *n = mb_arena_alloc(arena, 1, sizeof *n);
  if (!n) return NULL;
  *n = (MbTangentNumber){.side = {less, more}};
  n->mass = mb_arena_alloc(arena, m->nb, sizeof *n->mass);
  n->joint = mb_arena_alloc(arena, m->nb, sizeof *n->joint);
  n->framed = mb_arena_alloc(arena, m->nb, sizeof *n->framed);
  n->by = mb_arena_alloc(arena, m->nb, sizeof *n->by);
  n->tie = mb_arena_alloc(arena, m->nconstraints, sizeof *n->tie);
  n->alone = mb_arena_alloc(arena, m->nconstraints, sizeof *n->alone);
  n->shared = mb_arena_alloc(arena, m->nconstraints, sizeof *n->shared);
  bool ok = n->mass && n->joint && n->framed && n->by && n->tie && n->alone && n->shared;
  for (int s = 0; s < 2; s++) {
    n->force[s] = mb_arena_alloc(arena, m->nforces + o->nforces, sizeof *n->force[s]);
    n->wrench[s] = mb_arena_alloc(arena, 6 * m->nb, sizeof(double));
    n->own[s] = mb_arena_alloc(arena, m->nv, sizeof(double));
    ok = ok && n->force[s] && n->wrench[s] && n->own[s];
  }
  if (!ok || !find_signals(arena, n, m, o)) return NULL;
  n->gravity = !same_numbers(m->gravity, o->gravity, 3);
  n->rotors =
      m->rotors != o->rotors || (m->rotors && !same_numbers(m->joint_inertia, o->joint_inertia, m->nv));
  n->jumps = jumps(middle->model, m) || jumps(middle->model, o);
  find_bodies(n, m, o);
  find_forces(n, m, o);
  find_ties(n, m, o);
  n->along = !same_along(m, o);
  for (size_t i = 0; i < n->njoints; i++) n->along |= m->joint[n->joint[i]].ops->change != NULL;
  return n;
}

// ---- what it changes ----------------------------------------------------------------------------------------------

// W of moments M under gravity (W), in which it is linear.
static void wrench_of(const double M[6], const MbSim *sim, const MbTangent *t, size_t b, double W[6]) {
  double quadratic[6] = {0};
  for (size_t k = 0; k < 6 && t->still; k++) W[k] = M[k] * t->alpha[6 * b + k];
  if (t->still) return;
  mb_coriolis_add(quadratic, M, sim->x.phi + 6 * b);
  if (mb_tangent_flies(sim->model, b)) memset(quadratic, 0, 3 * sizeof *quadratic);
  for (size_t k = 0; k < 6; k++) W[k] = M[k] * t->alpha[6 * b + k] - quadratic[k];
  for (size_t k = 0; k < 3; k++) W[3 + k] -= M[3] * t->fall[3 * b + k];
}

// Z · of a step's torque by the swing of a body that flies, which is not linear in M.
static double of_swing(const MbTangentNumber *n, const MbSim *sim, const MbTangent *t, size_t b) {
  const double h = sim->model->h, *w = sim->x.phi + 6 * b;
  double sum = 0, s[3];
  for (int i = 0; i < 2; i++) {
    mb_flight_swing(h, n->side[i]->model->M + 6 * b, w, s);
    sum += (i ? 1 : -1) * mb_vec3_dot(t->dF + 6 * b, s) / h;
  }
  return sum;
}

static double of_mass(const MbTangentNumber *n, const MbSim *sim, const MbTangent *t, size_t b) {
  const MbModel *const less = n->side[0]->model, *const more = n->side[1]->model;
  double M[6], W[6], sum = 0;
  for (size_t k = 0; k < 6; k++) M[k] = more->M[6 * b + k] - less->M[6 * b + k];
  wrench_of(M, sim, t, b, W);
  sum = mb_dot6(t->dF + 6 * b, W);
  if (!t->still && mb_tangent_flies(sim->model, b)) sum -= of_swing(n, sim, t, b);
  if (!n->gravity || t->still) return sum;
  double fall[3], own[3];
  mb_vec3_sub(fall, more->gravity, less->gravity);
  mb_quat_unrotate(own, sim->x.E[b].q, fall);
  return sum - sim->model->M[6 * b + 3] * mb_vec3_dot(t->dF + 6 * b + 3, own);
}

// How a body moves of its parent, on one side.
typedef struct Carried {
  MbPose E; // in the parent's
  double phi[6], alpha[6], Z[6];
  double plus[6]; // Φ⁺, of forces that are linearised
} Carried;

static void carry(const MbModel *model, const MbSim *sim, const MbTangent *t, size_t b, const double *v,
                  const double *a, const double *z, Carried *out) {
  const size_t p = model->parent[b], first = model->v_first[b], n = model->joint[b].n;
  const bool root = p == MB_WORLD;
  double T[6 * MB_JOINT_MOST], Tdot[6 * MB_JOINT_MOST], Xphi[6], Xalpha[6], Tv[6];
  MbTangentJoint at;
  MbTangentMotion motion = {Xphi, Xalpha, Tv, out->alpha};
  mb_tangent_joint(model, b, sim->x.q + model->q_first[b], v + first, &at, T, Tdot);
  mb_tangent_carry(at.X, T, Tdot, n, root ? NULL : sim->x.phi + 6 * p, root ? NULL : t->alpha + 6 * p,
                   v + first, a + first, &motion);
  for (size_t k = 0; k < 6; k++) out->phi[k] = Xphi[k] + Tv[k];
  memset(out->Z, 0, sizeof out->Z);
  if (!root) mb_apply_motion(out->Z, at.X, t->dF + 6 * p);
  mb_add_columns(out->Z, T, n, z + first);
  memset(out->plus, 0, sizeof out->plus);
  if (t->linearised && !root) mb_apply_motion(out->plus, at.X, t->linear->phi + 6 * p);
  if (t->linearised) mb_add_columns(out->plus, T, n, t->linear->to + first);
  out->E = at.E;
}

static double of_joint(const MbTangentNumber *n, const MbSim *sim, const MbTangent *t, size_t b,
                       const double *v, const double *a, const double *z) {
  Carried less, more;
  MbPose back, apart;
  double epsilon[6], sum = 0;
  carry(n->side[0]->model, sim, t, b, v, a, z, &less);
  carry(n->side[1]->model, sim, t, b, v, a, z, &more);
  mb_pose_inverse(&back, &less.E);
  mb_pose_mul(&apart, &back, &more.E);
  mb_se3_log(epsilon, &apart);
  for (size_t k = 0; k < 6; k++)
    sum += t->move[6 * b + k] * epsilon[k] + t->dphi[6 * b + k] * (more.phi[k] - less.phi[k]) +
           t->dalpha[6 * b + k] * (more.alpha[k] - less.alpha[k]) + t->F[6 * b + k] * (more.Z[k] - less.Z[k]);
  for (size_t k = 0; k < 6 && t->linearised; k++)
    sum += t->linear->dphi[6 * b + k] * (more.plus[k] - less.plus[k]);
  return sum;
}

static double of_joints(const MbTangentNumber *n, const MbSim *sim, const MbTangent *t, const double *v,
                        const double *a, const double *z) {
  double sum = 0;
  for (size_t i = 0; i < n->njoints; i++) sum += of_joint(n, sim, t, n->joint[i], v, a, z);
  return sum;
}

static double of_frames(const MbTangentNumber *n, const MbSim *sim, const MbTangent *t, const double *v,
                        const double *a, const double *z) {
  double sum = 0;
  for (size_t i = 0; i < n->nframed; i++)
    sum += mb_tangent_of_framed(&n->by[i], sim->model, t, n->framed[i], v, a, z);
  return sum;
}

static double of_forces(const MbTangentNumber *n, const MbSim *sim, const MbTangent *t) {
  const bool linear = t->linearised && t->linear->forces;
  double sum = 0;
  for (int s = 0; s < 2; s++) {
    const MbModel *model = n->side[s]->model;
    MbMaximal x = sim->x;
    x.f = n->wrench[s], x.K = x.D = NULL, x.M = model->M;
    x.branch = sim->model, x.branch_E = sim->x.E; // the branch taken
    memset(x.f, 0, 6 * model->nb * sizeof *x.f);
    for (size_t i = 0; i < n->nforces; i++) {
      const MbForce *force = &model->forces[n->force[s][i]];
      if (linear)
        sum += (s ? -1 : 1) * mb_linear_of_force(model, force, &x, t, x.f);
      else
        force->ops->eval(model, force, &x, 0, force->ops->everywhere ? mb_model_own(model) : model->nb);
    }
  }
  for (size_t k = 0; k < 6 * sim->model->nb && !linear; k++)
    sum -= t->dF[k] * (n->wrench[1][k] - n->wrench[0][k]);
  return sum;
}

static double of_coordinates(const MbTangentNumber *n, const MbSim *sim, const double *v, const double *z) {
  double sum = 0;
  for (int s = 0; s < 2; s++) {
    const MbModel *model = n->side[s]->model;
    memset(n->own[s], 0, model->nv * sizeof(double));
    mb_coordinates_forces(model, &sim->x, sim->x.q, v, n->own[s]);
    mb_coordinates_stops_as(model, sim->model, sim->x.q, v, n->own[s]); // the branch taken
  }
  for (size_t i = 0; i < sim->model->nv; i++) sum -= z[i] * (n->own[1][i] - n->own[0][i]);
  return sum;
}

static double of_rotors(const MbTangentNumber *n, const MbSim *sim, const double *a, const double *z) {
  const MbModel *const less = n->side[0]->model, *const more = n->side[1]->model;
  double sum = 0;
  for (size_t b = 0; b < sim->model->nb; b++) {
    const size_t first = less->v_first[b];
    for (size_t i = first; less->joint[b].ops && i < first + less->joint[b].n; i++)
      sum += z[i] * a[i] *
             ((more->rotors ? more->joint_inertia[i] : 0) - (less->rotors ? less->joint_inertia[i] : 0));
  }
  return sum;
}

// All but what is gathered, of ties those that are listed.
static double of_rest(MbSim *sim, const MbTangent *t, const MbTangentNumber *n, const double *v,
                      const double *a, const double *z, const size_t *ties, size_t nties) {
  const bool everywhere = n->gravity && !t->still;
  double sum = 0;
  for (size_t i = 0; i < n->nmasses && !everywhere && !mb_tangent_number_linear(n); i++)
    sum += of_mass(n, sim, t, n->mass[i]);
  for (size_t b = 0; b < mb_model_own(sim->model) && everywhere; b++) sum += of_mass(n, sim, t, b);
  sum += of_joints(n, sim, t, v, a, z);
  if (n->nforces && !t->still) sum += of_forces(n, sim, t);
  if (n->along && !t->still) sum += of_coordinates(n, sim, v, z);
  if (n->rotors) sum += of_rotors(n, sim, a, z);
  if (t->rows && t->linearised) sum += mb_rows_of_number(sim, t, n->side, ties, nties, z);
  return sum;
}

double mb_tangent_number(MbSim *sim, const MbTangent *t, const MbTangentNumber *n, const double *v,
                         const double *a, const double *z) {
  double sum = of_rest(sim, t, n, v, a, z, n->tie, n->nties);
  for (size_t i = 0; i < n->nmasses && mb_tangent_number_linear(n); i++)
    sum += of_mass(n, sim, t, n->mass[i]);
  return sum + of_frames(n, sim, t, v, a, z);
}

double mb_tangent_number_rest(MbSim *sim, const MbTangent *t, const MbTangentNumber *n, const double *v,
                              const double *a, const double *z) {
  return of_rest(sim, t, n, v, a, z, n->alone, n->nalone);
}

bool mb_tangent_number_rests(const MbTangentNumber *n) {
  return n->jumps || n->gravity || n->njoints || n->nforces || n->along || n->rotors || n->nalone;
}

bool mb_tangent_number_spins(const MbTangentNumber *n) { return n->jumps || !mb_tangent_number_linear(n); }

double mb_tangent_number_told(const MbSim *sim, const MbTangent *t, const MbTangentNumber *n,
                              const double *v) {
  return of_frames(n, sim, t, v, t->da, t->da) + of_joints(n, sim, t, v, t->da, t->da); // which are 0
}

double mb_tangent_number_gaps(MbSim *sim, const MbTangent *t, const MbTangentNumber *n, const double *v,
                              double time) {
  return of_joints(n, sim, t, v, t->da, t->da) +
         mb_rows_gaps_of_number(sim, t, n->side, n->alone, n->nalone, time);
}

// Of constraints that a number leaves alone, rows change with joints and with bodies' frames all the same.
bool mb_tangent_number_rows(const MbTangentNumber *n) {
  return n->njoints || n->nframed || (n->frames && !n->jumps) || n->nsignals || n->nties;
}

bool mb_tangent_number_ties(const MbTangentNumber *n, size_t constraint) {
  bool any = false;
  for (size_t i = 0; i < n->nties && !any; i++) any = n->tie[i] == constraint;
  return any;
}

bool mb_tangent_number_hangs(const MbTangentNumber *n, size_t body) {
  bool any = false;
  for (size_t i = 0; i < n->njoints && !any; i++) any = n->joint[i] == body;
  for (size_t i = 0; i < n->nframed && !any; i++) any = n->framed[i] == body;
  return any;
}

bool mb_tangent_number_along(const MbTangentNumber *n) { return n->along; }

bool mb_tangent_number_signals(const MbTangentNumber *n) { return n->nsignals > 0; }

// Of joints that turn about any axis: those of their velocities, in the place of what goes by coordinates.
static void add_turned(const MbModel *model, const MbMaximal *x, double way, const double *y,
                       const double *at, double *out) {
  for (size_t k = 0; k < model->ncurved; k++) {
    const size_t b = model->curved[k], first = model->v_first[b], n = model->joint[b].n;
    double D[MB_JOINT_MOST * MB_JOINT_MOST], K[MB_JOINT_MOST * MB_JOINT_MOST];
    if (!model->joint[b].ops || !model->joint[b].ops->change) continue;
    mb_coordinates_own(model, x, b, 1, 0, D);
    mb_coordinates_own(model, x, b, 0, 1, K);
    for (size_t i = 0; i < n; i++) {
      const double own = x->joint_damping[first + i] * y[first + i] + x->stiffness[first + i] * at[first + i];
      double sum = 0;
      for (size_t j = 0; j < n; j++) sum += D[n * i + j] * y[first + j] + K[n * i + j] * at[first + j];
      out[first + i] += way * (sum - own);
    }
  }
}

void mb_tangent_number_own(const MbSim *sim, const MbTangentNumber *n, const double *q, const double *v,
                           const double *y, const double *at, double *out) {
  double *stiffness = n->own[0], *damping = n->own[1];
  const size_t nv = sim->model->nv;
  memset(out, 0, nv * sizeof *out);
  for (int s = 0; s < 2; s++) {
    const double way = s ? 1 : -1;
    MbMaximal x = sim->x, there = sim->x;
    if (q) x.q = there.q = q, x.v = there.v = v;
    mb_coordinates_derivatives_as(n->side[s]->model, &x, sim->model, &there, stiffness, damping);
    for (size_t i = 0; i < nv; i++) out[i] += way * (damping[i] * y[i] + stiffness[i] * at[i]);
    x.stiffness = stiffness, x.joint_damping = damping, x.q = sim->x.q;
    add_turned(n->side[s]->model, &x, way, y, at, out);
  }
}

bool mb_tangent_number_jumps(const MbTangentNumber *n) { return n->jumps; }

bool mb_tangent_number_frames(const MbTangentNumber *n) { return n->frames; }

bool mb_tangent_number_moves(const MbTangentNumber *n) {
  return n->njoints > 0 || n->nframed > 0 || n->frames || n->jumps;
}
bool mb_tangent_number_masses(const MbTangentNumber *n) { return n->nmasses > 0; }
bool mb_tangent_number_rotors(const MbTangentNumber *n) { return n->rotors; }
