// Equilibrium: each step looks for places q at which nothing pulls, at the signals' values at its end, by load steps. Velocities are 0.
//
//   F(q, t) + Gᵀ λ = 0,  g(q, t) = 0 (≥ 0 with λ ≥ 0)
//
// The displacement T(q) of a step of implicit Euler from rest, of a length τ that has nothing to do with the scene's,
//
//   (M − τ² K) T = τ² F + Gᵀ λ,  G T = −g  (one way: ≥ −g)
//
// has the rows and the solver's coordinates in it, is 0 at equilibrium alone, and is nearly Newton's step where K is all that changes
// forces. But K has not how joints turn forces, and constraints theirs. So the equilibrium is looked for as where the flow dq/ds = T(q)
// ends, which goes down in energy wherever there is one and so comes to equilibria that are stable, by linearly implicit steps
//
//   (1/δ − ∂T/∂q) p = T,  q ← q ⊕ p
//
// (pseudo-transient continuation; Kelley and Keyes 1998): δ grows as T falls, up to Newton's method on T. Their equations are solved by
// GMRES with differences of T for its derivative; where K is good, a few directions do. They end when Newton's step p is below the
// tolerance, in m or rad.
//
// Load step j of n has the signals at t + j h/n, and of what was out of balance at the step's start, F₀, all but j/n left out: so gravity
// comes on gradually in the first step. F₀ is left out as it was along the coordinates, which turn with the bodies: what is left out may then have no
// equilibrium, though the whole has. There all of it comes on at once from the last place that was found.
#include "core/base/report.h"
#include "core/integrators/integrators.h"
#include "core/sim/claims.h"
#include "core/sim/constrain.h"
#include "core/sim/constrain_internal.h"
#include "core/sim/evaluate.h"
#include "core/sim/layout.h"
#include "core/sim/nodes.h"
#include "core/sim/schemes.h"
#include "core/sim/stage.h"
#include "core/sim/trouble.h"

#include <string.h>

enum { BASIS = 40, ITERATIONS = 400 };
static const double LONGEST = 0.5; // a move, in units

typedef struct Search {
  MbSim *sim;
  size_t n, nq;
  double *unit;  // (n) what counts as much of a coordinate as of others: 1 rad, the scene's size in m
  double *basis; // (BASIS + 1 x n)
  double *T, *p, *F0, *without; // (n) without: what of F₀ is left out, with its sign
  double *q, *q0, *q_before;    // (nq) iterate, the state's, the iterate's before
  double *v0, *still;           // (n) the state's; 0
  double t, square, size;       // time of the signals; τ²; of the scene, m
} Search;

size_t mb_scheme_static_room(size_t nq, size_t nv) { return (BASIS + 8) * nv + 3 * nq; }

static Search search_of(MbSim *sim) {
  const size_t n = sim->nv, nq = sim->nq;
  double *at = sim->stage;
  Search s = {.sim = sim, .n = n, .nq = nq, .basis = at};
  at += (BASIS + 1) * n;
  s.T = at, s.p = at + n, s.F0 = at + 2 * n, s.v0 = at + 3 * n, s.still = at + 4 * n, s.without = at + 5 * n;
  s.unit = at + 6 * n, s.q = at + 7 * n, s.q0 = s.q + nq, s.q_before = s.q0 + nq;
  return s;
}

// The largest number of x, in units.
static double largest(const Search *s, const double *x) {
  double most = 0;
  for (size_t i = 0; i < s->n; i++) {
    const double one = fabs(x[i]) / s->unit[i];
    most = one > most || isnan(one) ? one : most;
  }
  return most;
}

static double product(const Search *s, const double *a, const double *b) {
  double sum = 0;
  for (size_t i = 0; i < s->n; i++) sum += a[i] * b[i] / (s->unit[i] * s->unit[i]);
  return sum;
}

static double length(const Search *s, const double *x) { return sqrt(product(s, x, x)); }

// Whether a correction is none: by the tolerance in m or rad, of scenes larger than 1 m times their size.
static bool is_none(const Search *s, const double *x) {
  const double tolerance = s->sim->model->integrator.tolerance;
  for (size_t i = 0; i < s->n; i++)
    if (!(fabs(x[i]) <= tolerance * fmax(s->unit[i], 1))) return false;
  return true;
}

// ---- T ----------------------------------------------------------------------------------------------------

// Puts the state and the bodies at q, at rest.
static void put(Search *s, const double *q) {
  MbSim *sim = s->sim;
  memcpy(sim->state.q, q, s->nq * sizeof *q);
  memset(sim->state.v, 0, s->n * sizeof *sim->state.v);
  mb_sim_kinematics(sim, sim->state.q, sim->state.v);
  mb_sim_follow(sim, sim->state.q, sim->state.v);
}

// out ← F at the state
static void forces(Search *s, double *out) {
  MbSim *sim = s->sim;
  mb_sim_forces(sim, s->t, true);
  mb_sim_gather(sim, sim->state.q, sim->state.v, out);
}

// out ← T(q): one pass of a stage from rest, and then the rows.
static MbStatus displacement(Search *s, const double *q, double *out, MbReport *report) {
  MbSim *sim = s->sim;
  const double h = sim->model->h;
  put(s, q);
  memset(out, 0, s->n * sizeof *out);
  const MbStage stage = {.whole = true,
                         .weight = s->square / h,
                         .t = s->t,
                         .besides = s->without,
                         .b = s->square,
                         .q = sim->state.q,
                         .there = true,
                         .passes = 1,
                         .factors = 1};
  MbStatus status = mb_stage_solve(sim, &stage, NULL, out, report);
  mb_constrain_prepare(sim);
  if (status == MB_OK) status = mb_constrain_bodies(sim, out, report);
  for (size_t i = 0; i < s->n; i++) out[i] *= h;
  return status;
}

// ---- GMRES ------------------------------------------------------------------------------------------------

// out ← v/δ − (T(q ⊕ ε v) − T)/ε
static MbStatus multiply(Search *s, double delta, const double *v, double *out) {
  static const double SMALL = 1e-6; // of a unit
  const double most = largest(s, v), epsilon = most > 0 ? SMALL / most : 1;
  double *q = s->sim->q1;
  memcpy(q, s->q, s->nq * sizeof *q);
  mb_sim_advance(s->sim, q, epsilon, v);
  const MbStatus status = displacement(s, q, out, NULL);
  for (size_t i = 0; i < s->n; i++) out[i] = v[i] / delta - (out[i] - s->T[i]) / epsilon;
  return status;
}

// Turns (a, b) to (r, 0).
static void turn(double *c, double *d, double *a, double *b) {
  const double x = *c * *a + *d * *b;
  *b = *c * *b - *d * *a, *a = x;
}

// p ← what solves (1/δ − ∂T/∂q) p = T, to a part of T.
static MbStatus solve(Search *s, double delta) {
  static const double ENOUGH = 1e-4;
  double H[BASIS + 1][BASIS] = {{0}}, c[BASIS] = {0}, d[BASIS] = {0}, g[BASIS + 1] = {0}, y[BASIS] = {0};
  const size_t n = s->n;
  const double size = length(s, s->T);
  size_t k = 0;
  memset(s->p, 0, n * sizeof *s->p);
  if (!(size > 0)) return MB_OK;
  for (size_t i = 0; i < n; i++) s->basis[i] = s->T[i] / size;
  for (g[0] = size; k < BASIS && k < n && fabs(g[k]) > ENOUGH * size; k++) {
    double *w = s->basis + (k + 1) * n;
    if (multiply(s, delta, s->basis + k * n, w) != MB_OK) break;
    for (int twice = 0; twice < 2; twice++)
      for (size_t i = 0; i <= k; i++) {
        const double along = product(s, w, s->basis + i * n);
        H[i][k] += along;
        for (size_t j = 0; j < n; j++) w[j] -= along * s->basis[i * n + j];
      }
    const double rest = length(s, w);
    H[k + 1][k] = rest;
    for (size_t j = 0; j < n; j++) w[j] = rest > 0 ? w[j] / rest : 0;
    for (size_t i = 0; i < k; i++) turn(&c[i], &d[i], &H[i][k], &H[i + 1][k]);
    const double r = hypot(H[k][k], H[k + 1][k]);
    if (!(r > 0) || !isfinite(r)) break;
    c[k] = H[k][k] / r, d[k] = H[k + 1][k] / r;
    turn(&c[k], &d[k], &H[k][k], &H[k + 1][k]);
    turn(&c[k], &d[k], &g[k], &g[k + 1]);
  }
  for (size_t i = k; i-- > 0;) {
    y[i] = g[i];
    for (size_t j = i + 1; j < k; j++) y[i] -= H[i][j] * y[j];
    y[i] /= H[i][i];
  }
  for (size_t i = 0; i < k; i++)
    for (size_t j = 0; j < n; j++) s->p[j] += y[i] * s->basis[i * n + j];
  return k ? MB_OK : MB_NUMBERS;
}

// ---- a load step ------------------------------------------------------------------------------------------

// How large bodies and deformables are, and how far from one another.
static double size_of(const MbSim *sim) {
  double size = sim->model->size, d[3];
  for (size_t b = 1; b < sim->model->nb; b++) {
    mb_vec3_sub(d, sim->x.E[b].p, sim->x.E[0].p);
    size = fmax(size, mb_vec3_norm(d));
  }
  return size;
}

// Of the velocities of one body: what turns it counts in rad, what does not by the scene's size.
static void choose_units_of(Search *s, size_t b) {
  const MbModel *model = s->sim->model;
  const MbLayout *layout = s->sim->solver->map->layout;
  const bool six = (layout->apart(model) && b < model->nlisted) || !model->joint[b].ops; // or free in space
  const MbJoint *joint = &model->joint[b];
  double S[6 * MB_JOINT_MOST], Sdot[6 * MB_JOINT_MOST], still[MB_JOINT_MOST] = {0},
                                                        *unit = s->unit + layout->velocity(model, b);
  MbPose Q;
  if (!six) joint->ops->eval(joint, s->q0 + layout->place(model, b), still, &Q, S, Sdot);
  for (size_t k = 0; k < (six ? 6 : joint->n); k++)
    unit[k] = (six ? k < 3 : mb_vec3_norm(S + 6 * k) > 0) ? 1 : s->size;
}

static void choose_units(Search *s) {
  s->size = size_of(s->sim);
  for (size_t i = 0; i < s->n; i++) s->unit[i] = 1;
  for (size_t b = 0; b < s->sim->model->nb; b++) choose_units_of(s, b);
}

// How far T goes with τ² so long, in units; NaN where there is none.
static double moved_by(Search *s, double square) {
  s->square = square;
  return displacement(s, s->q, s->T, NULL) == MB_OK ? largest(s, s->T) : NAN;
}

// τ², in which gravity moves things by about their size; and shorter or longer, so that what is out of balance moves them by a part of that: longer as long as it is
// τ that holds them, and no longer K.
static void choose_length(Search *s) {
  enum { TURNS = 8 };
  static const double PART = 0.3, LONGER = 16, HARDLY = 1.1, ROUNDING = 1e-10;
  const double g = mb_vec3_norm(s->sim->model->gravity), h = s->sim->model->h, wanted = PART * LONGEST;
  double most = moved_by(s, g > 0 ? LONGEST * s->size / g : h * h);
  for (int turn = 0; turn < TURNS && most > ROUNDING && most < wanted; turn++) {
    const double square = s->square, before = most;
    most = moved_by(s, LONGER * square);
    if (most > HARDLY * before) continue;
    s->square = square, most = before;
    break;
  }
  if (most > 0 && isfinite(most)) s->square *= fmin(fmax(wanted / most, 1e-6), 1);
}

static MbStatus not_found(const Search *s, MbReport *report) {
  const MbSim *sim = s->sim;
  size_t worst = 0;
  for (size_t i = 0; i < s->n; i++)
    if (!(fabs(s->T[i]) / s->unit[i] <= fabs(s->T[worst]) / s->unit[worst])) worst = i;
  const size_t body = mb_sim_body(sim, worst);
  return mb_error(
      report, MB_NUMBERS, "",
      "at t = %.9g s, step %lld: \"static\" has found no equilibrium in %d iterations; %s \"%s\" would "
      "still be moved most: is it held against what pulls at it? Else take more \"load_steps\", or one",
      s->t, (long long)sim->state.step + 1, ITERATIONS, mb_model_kind(sim->model, body),
      sim->model->body_name[body]);
}

// T at the iterate. Where K pushes more than M holds M − τ² K cannot be solved for, and τ becomes shorter until it can.
static bool begin(Search *s) {
  enum { TURNS = 12 };
  for (int k = 0; k < TURNS; k++, s->square /= 16)
    if (displacement(s, s->q, s->T, NULL) == MB_OK) return true;
  return false;
}

// A place beside the iterate, T there, and its length; infinite where there is none.
typedef struct Place {
  double *q, *T, length;
} Place;

// Goes so much of `way` from a place to another.
static void go(Search *s, const double *from, double part, const double *way, Place *to) {
  MbSim *sim = s->sim;
  double *q = sim->q1; // used by differences
  memcpy(q, from, s->nq * sizeof *q);
  mb_sim_advance(sim, q, part, way);
  mb_sim_settle(sim, q, s->still);
  mb_sim_follow(sim, q, NULL);
  memcpy(to->q, q, s->nq * sizeof *q);
  to->length = displacement(s, to->q, to->T, NULL) == MB_OK ? length(s, to->T) : INFINITY;
}

// Goes so much of p, and on by T as long as that makes T much shorter. What is thin is moved across itself by p, and so stretched by the
// squares of its moves. T takes the stretch out again, as K has it, before the next derivatives have it as a pull or push along what is thin, by which
// Newton's steps would go to and fro for ever.
static void come(Search *s, double part, Place *to, Place *spare) {
  enum { TURNS = 3 };
  static const double MUCH = 0.5;
  go(s, s->q, part, s->p, to);
  for (int turn = 0; turn < TURNS && isfinite(to->length); turn++) {
    go(s, to->q, 1, to->T, spare);
    if (!(spare->length < MUCH * to->length)) return;
    const Place better = *spare;
    *spare = *to, *to = better;
  }
}

// Goes `scale` of p, or less: where T does not become shorter that far on, half as far, and so on. Where it is longer all along the way it goes all
// of it, unless that is too far: the flow may pass by places at which T is longer. Returns whether it has gone.
static bool come_down(Search *s, double scale, double size, Place *to, Place *spare) {
  enum { TURNS = 4 };
  static const double LESS = 0.25, TOO_LONG = 4;
  double part = 1;
  come(s, scale, to, spare);
  const double whole = to->length;
  for (int turn = 0; turn < TURNS && !(to->length <= (1 - LESS * part) * size); turn++)
    part /= 2, come(s, part * scale, to, spare);
  if (to->length <= (1 - LESS * part) * size) return true;
  if (!(whole <= TOO_LONG * size)) return false;
  come(s, scale, to, spare);
  return true;
}

static MbStatus settle(Search *s, MbReport *report) {
  // nothing pulls but rounding, by which p goes far along what is hardly held
  static const double LONG = 1e3, SHORTEST = 1e-9, NOTHING = 1e-12, LITTLE = 1e-6;
  double delta = 1, size;
  if (!begin(s)) return not_found(s, report);
  size = length(s, s->T);
  for (int k = 0; k < ITERATIONS && isfinite(size); k++) {
    if (solve(s, delta) != MB_OK) return not_found(s, report);
    const double far = largest(s, s->p), scale = far > LONGEST ? LONGEST / far : 1;
    const bool done = delta >= LONG && (is_none(s, s->p) || (size <= NOTHING && far <= LITTLE));
    put(s, s->q);
    mb_sim_foresee(s->sim);        // joints' coordinates that follow are looked for near those here
    double *const room = s->basis; // done with
    Place to = {room, room + 2 * s->nq, 0}, spare = {room + s->nq, room + 2 * s->nq + s->n, 0};
    if (done) go(s, s->q, scale, s->p, &to);
    if (!done && !come_down(s, scale, size, &to, &spare)) { // too far
      delta /= 8;
      if (delta < SHORTEST) return not_found(s, report);
      continue;
    }
    memcpy(s->q, to.q, s->nq * sizeof *s->q);
    memcpy(s->T, to.T, s->n * sizeof *s->T);
    if (done) return MB_OK;
    delta *= scale < 1 ? 1 : to.length > 0 ? fmin(fmax(size / to.length, 0.25), 10) : 10;
    if (is_none(s, s->T) && delta < LONG) delta *= 10;
    size = to.length;
  }
  return not_found(s, report);
}

// What rows do, of which the last solution was by τ instead of the step.
static void tell_forces(Search *s) {
  MbConstraining *c = s->sim->constraining;
  const double h = s->sim->model->h, factor = h * h / s->square;
  for (size_t i = 0; c && i < c->set.n; i++) c->force[i] *= factor;
}

// Looks for equilibrium from the iterate, with so much left out of what was out of balance. Where there is none the iterate stays.
static MbStatus settle_with(Search *s, double left, MbReport *report) {
  const size_t bytes = s->nq * sizeof *s->q;
  for (size_t i = 0; i < s->n; i++) s->without[i] = -left * s->F0[i];
  memcpy(s->q_before, s->q, bytes);
  const double square = s->square;
  const MbStatus status = settle(s, report);
  if (status != MB_OK) memcpy(s->q, s->q_before, bytes), s->square = square;
  return status;
}

static MbStatus find(Search *s, MbReport *report) {
  MbSim *sim = s->sim;
  const double h = sim->model->h, t0 = sim->state.t;
  const int steps = sim->model->integrator.load_steps > 0 ? sim->model->integrator.load_steps : 1;
  MbStatus status = MB_OK;
  put(s, s->q0);
  choose_units(s);
  s->t = t0;
  forces(s, s->F0);
  s->t = t0 + h;
  memcpy(s->q, s->q0, s->nq * sizeof *s->q);
  choose_length(s);
  bool gradual = true;
  for (int j = 1; j <= steps && status == MB_OK; j++) {
    const double left = 1 - (double)j / steps;
    s->t = t0 + h * j / steps;
    sim->state.t = s->t - h; // rows are asked for a step's end
    gradual = gradual && left > 0 && settle_with(s, left, NULL) == MB_OK;
    if (!gradual) status = settle_with(s, 0, report);
  }
  sim->state.t = t0;
  return status;
}

MbStatus mb_scheme_static(MbSim *sim, MbReport *report) {
  Search s = search_of(sim);
  memcpy(s.q0, sim->state.q, s.nq * sizeof *s.q0);
  memcpy(s.v0, sim->state.v, s.n * sizeof *s.v0);
  memset(s.still, 0, s.n * sizeof *s.still);
  memset(s.without, 0, s.n * sizeof *s.without);
  const MbStatus status = s.n ? find(&s, report) : MB_OK;
  if (status == MB_OK && s.n) tell_forces(&s);
  if (status == MB_OK && s.n) memcpy(sim->q1, s.q, s.nq * sizeof *s.q);
  if (status == MB_OK && !s.n) memcpy(sim->q1, s.q0, s.nq * sizeof *s.q0);
  memset(sim->v1, 0, s.n * sizeof *sim->v1);
  memcpy(sim->state.q, s.q0, s.nq * sizeof *s.q0);
  memcpy(sim->state.v, s.v0, s.n * sizeof *s.v0);
  mb_sim_kinematics(sim, sim->state.q, sim->state.v);
  return status;
}
