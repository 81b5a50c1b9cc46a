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
// comes on gradually in the first step.
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

typedef struct Search {
  MbSim *sim;
  size_t n, nq;
  double *basis;                     // (BASIS + 1 x n)
  double *T, *T1, *p, *F0, *without; // (n) without: what of F₀ is left out, with its sign
  double *q, *q0, *v0, *still;       // (nq): iterate, the state's; (n) the state's; 0
  double t, square, longest;         // time of the signals; τ²; of p at most
} Search;

size_t mb_scheme_static_room(size_t nq, size_t nv) { return (BASIS + 8) * nv + 2 * nq; }

static Search search_of(MbSim *sim) {
  const size_t n = sim->nv, nq = sim->nq;
  double *at = sim->stage;
  Search s = {.sim = sim, .n = n, .nq = nq, .basis = at};
  at += (BASIS + 1) * n;
  s.T = at, s.T1 = at + n, s.p = at + 2 * n, s.F0 = at + 3 * n, s.v0 = at + 4 * n, s.still = at + 5 * n;
  s.without = at + 6 * n, s.q = at + 7 * n, s.q0 = s.q + nq;
  return s;
}

static double largest(const double *x, size_t n) {
  double most = 0;
  for (size_t i = 0; i < n; i++) most = fabs(x[i]) > most || isnan(x[i]) ? fabs(x[i]) : most;
  return most;
}

static double product(const double *a, const double *b, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
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
  static const double SMALL = 1e-6; // m, rad
  const double most = largest(v, s->n), epsilon = most > 0 ? SMALL / most : 1;
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
  const double size = sqrt(product(s->T, s->T, n));
  size_t k = 0;
  memset(s->p, 0, n * sizeof *s->p);
  if (!(size > 0)) return MB_OK;
  for (size_t i = 0; i < n; i++) s->basis[i] = s->T[i] / size;
  for (g[0] = size; k < BASIS && k < n && fabs(g[k]) > ENOUGH * size; k++) {
    double *w = s->basis + (k + 1) * n;
    if (multiply(s, delta, s->basis + k * n, w) != MB_OK) break;
    for (int twice = 0; twice < 2; twice++)
      for (size_t i = 0; i <= k; i++) {
        const double along = product(w, s->basis + i * n, n);
        H[i][k] += along;
        for (size_t j = 0; j < n; j++) w[j] -= along * s->basis[i * n + j];
      }
    const double rest = sqrt(product(w, w, n));
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

// How far bodies are from one another, 1 m at most; 1 m where there is one.
static double size_of(const MbSim *sim) {
  double size = 0, d[3];
  for (size_t b = 1; b < sim->model->nb; b++) {
    mb_vec3_sub(d, sim->x.E[b].p, sim->x.E[0].p);
    size = fmax(size, mb_vec3_norm(d));
  }
  return size > 0 && size < 1 ? size : 1;
}

// τ², in which gravity moves things by about their size, and what is out of balance by a part of that at most.
static void choose_length(Search *s) {
  static const double PART = 0.3;
  const double g = mb_vec3_norm(s->sim->model->gravity), h = s->sim->model->h;
  s->square = g > 0 ? s->longest / g : h * h;
  if (displacement(s, s->q, s->T, NULL) != MB_OK) return;
  const double most = largest(s->T, s->n);
  if (most > 0 && isfinite(most)) s->square *= fmin(fmax(PART * s->longest / most, 1e-6), 1);
}

static MbStatus not_found(const Search *s, MbReport *report) {
  const MbSim *sim = s->sim;
  size_t worst = 0;
  for (size_t i = 0; i < s->n; i++)
    if (!(fabs(s->T[i]) <= fabs(s->T[worst]))) worst = i;
  const size_t body = mb_sim_body(sim, worst);
  return mb_error(
      report, MB_NUMBERS, "",
      "at t = %.9g s, step %lld: \"static\" has found no equilibrium in %d iterations; %s \"%s\" would "
      "still be moved most: is it held against what pulls at it? Else take more \"load_steps\"",
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

static MbStatus settle(Search *s, MbReport *report) {
  static const double LONG = 1e3, SHORTEST = 1e-9;
  MbSim *sim = s->sim;
  const double tolerance = sim->model->integrator.tolerance;
  double delta = 1, size;
  if (!begin(s)) return not_found(s, report);
  size = sqrt(product(s->T, s->T, s->n));
  for (int k = 0; k < ITERATIONS && isfinite(size); k++) {
    if (solve(s, delta) != MB_OK) return not_found(s, report);
    const double far = largest(s->p, s->n), scale = far > s->longest ? s->longest / far : 1;
    const bool done = far <= tolerance && delta >= LONG;
    memcpy(sim->near, s->q, sim->model->nq * sizeof *sim->near);
    double *q = sim->q1;
    memcpy(q, s->q, s->nq * sizeof *q);
    mb_sim_advance(sim, q, scale, s->p);
    mb_sim_settle(sim, q, s->still);
    mb_sim_follow(sim, q, NULL);
    memcpy(s->basis, q, s->nq * sizeof *q); // q1 is used by the next differences
    const double *next = s->basis;
    const bool fine = displacement(s, next, s->T1, NULL) == MB_OK;
    const double now = fine ? sqrt(product(s->T1, s->T1, s->n)) : INFINITY;
    if (!(now <= 4 * size) && !done) { // too far
      delta /= 8;
      if (delta < SHORTEST) return not_found(s, report);
      continue;
    }
    memcpy(s->q, next, s->nq * sizeof *q);
    memcpy(s->T, s->T1, s->n * sizeof *s->T);
    if (done) return MB_OK;
    delta *= scale < 1 ? 1 : now > 0 ? fmin(fmax(size / now, 0.25), 10) : 10;
    if (size <= tolerance && delta < LONG) delta *= 10;
    size = now;
  }
  return not_found(s, report);
}

// What rows do, of which the last solution was by τ instead of the step.
static void tell_forces(Search *s) {
  MbConstraining *c = s->sim->constraining;
  const double h = s->sim->model->h, factor = h * h / s->square;
  for (size_t i = 0; c && i < c->set.n; i++) c->force[i] *= factor;
}

static MbStatus find(Search *s, MbReport *report) {
  MbSim *sim = s->sim;
  const double h = sim->model->h, t0 = sim->state.t;
  const int steps = sim->model->integrator.load_steps > 0 ? sim->model->integrator.load_steps : 1;
  MbStatus status = MB_OK;
  put(s, s->q0);
  s->longest = 0.5 * size_of(sim);
  s->t = t0;
  forces(s, s->F0);
  s->t = t0 + h;
  memcpy(s->q, s->q0, s->nq * sizeof *s->q);
  choose_length(s);
  for (int j = 1; j <= steps && status == MB_OK; j++) {
    const double left = 1 - (double)j / steps;
    s->t = t0 + h * j / steps;
    for (size_t i = 0; i < s->n; i++) s->without[i] = -left * s->F0[i];
    sim->state.t = s->t - h; // rows are asked for a step's end
    status = settle(s, report);
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
