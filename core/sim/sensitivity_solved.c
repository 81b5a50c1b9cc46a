// Half steps of the midpoint rule that more passes than the scheme's own have solved, as where bodies turn fast (scheme_halves.c). Each of these passes goes by factors of one
// place and axes of another, and leaves next to nothing: what they have come to is w with
//
//   τ(q ⊕ s w, w, (w − v)/s) = 0,   s = h/2
//
// to 1e-12 or so, and its derivatives are those of this equation:  F dw = −( ∂τ/∂q T₀ δq − ∂τ/∂a δv/s + ∂τ/∂p ),  F = s ∂τ/∂q T + ∂τ/∂v + ∂τ/∂a/s.  F is A/s but for what A leaves out, so that passes
// like those that have found w find dw, and ζ with Fᵀ ζ = −w̄, each all of it at one place. Velocities that do not solve the half step, as where
// passes have ended because they gained no more, have the derivative of the step as a whole.
#include "core/model/coordinates.h"
#include "core/sim/evaluate.h"
#include "core/sim/sensitivity_parts.h"

#include <math.h>
#include <string.h>

static const double SOLVED = 1e-10, // of the fastest
    LEFT = 1e-13;                   // of the largest change
enum { PASSES = 100 };

static const char *const UNSOLVED = "a half step's passes have not come to an end";

MbStageNote mb_slope_solved_note(const MbSensitivity *g, double *last, double t) {
  return (MbStageNote){.gamma = 1, .t = t + g->sim->model->h / 2, .from = last, .w = last};
}

// x ← −s A⁻¹ x
static bool solve(MbSensitivity *g, double *x) {
  for (size_t i = 0; i < g->sim->nv; i++) x[i] *= -g->sim->model->h / 2;
  return g->probe->solver->apply(g->probe->work, x, NULL, NULL);
}

static double largest(const double *x, size_t n) {
  double most = 0;
  for (size_t i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  return most;
}

bool mb_slope_solved_at(MbSensitivity *g, const double *v, const MbStageNote *note) {
  MbSim *sim = g->probe;
  const double s = sim->model->h / 2;
  for (size_t i = 0; i < sim->nv; i++) {
    g->step[i] = s * note->w[i];
    g->a[i] = (note->w[i] - v[i]) / s;
  }
  memcpy(g->q1, g->q, sim->nq * sizeof *g->q1);
  mb_coordinates_advance(sim->model, g->q1, 1, g->step, 0, sim->model->nb);
  mb_sim_kinematics(sim, g->q1, note->w);
  if (!mb_slope_once_factor(g, note->t, s, s * s)) return false;
  mb_tangent_plain(g->tangent, true);
  mb_tangent_at(sim, g->tangent, note->w, g->a, note->t, g->less);
  mb_tangent_plain(g->tangent, false);
  if (!solve(g, g->less)) return false;
  if (largest(g->less, sim->nv) <= SOLVED * largest(note->w, sim->nv)) return true;
  g->parted = UNSOLVED;
  return false;
}

// Whether one more pass is to come after one that has changed x by `change`; `done` is how many there were.
static bool goes_on(MbSensitivity *g, const double *change, const double *x, int done) {
  const double changed = largest(change, g->sim->nv);
  if (changed <= LEFT * largest(x, g->sim->nv)) return false;
  if (done < PASSES && isfinite(changed)) return true;
  g->parted = UNSOLVED;
  return false;
}

bool mb_slope_solved_change(MbSensitivity *g, MbSlope *t, const MbStageNote *note, double move) {
  const size_t nv = g->sim->nv;
  const double s = g->sim->model->h / 2;
  double *out = t->base, *w = t->w;
  bool more = true;
  mb_slope_by_number(g, t, note, note->from, move, g->rate);
  memcpy(w, t->v, nv * sizeof *w);
  for (int done = 1; more; done++) {
    for (size_t i = 0; i < nv; i++) g->less[i] = s * w[i], g->more[i] = (w[i] - t->v[i]) / s;
    mb_tangent_moved(g->probe, g->step, t->q, g->less, g->move);
    mb_tangent_times(g->probe, g->tangent, g->move, w, g->more, out);
    for (size_t i = 0; i < nv; i++) out[i] += g->rate[i];
    if (!solve(g, out)) return false;
    for (size_t i = 0; i < nv; i++) w[i] += out[i];
    more = goes_on(g, out, w, done);
  }
  return !g->parted;
}

bool mb_slope_solved_back(MbSensitivity *g, double *q, double *v, const double *w, double *z,
                          double *scratch[3]) {
  const size_t nv = g->sim->nv;
  const double s = g->sim->model->h / 2;
  double *dq = scratch[0], *dv = scratch[1], *da = scratch[2], *out = g->more;
  bool more = true;
  memset(z, 0, nv * sizeof *z);
  for (int done = 1; more; done++) {
    mb_tangent_transposed(g->probe, g->tangent, z, dq, dv, da);
    mb_tangent_moved_transposed(g->probe, g->step, dq, g->move, g->less);
    for (size_t i = 0; i < nv; i++) out[i] = w[i] + dv[i] + da[i] / s + s * g->less[i];
    if (!solve(g, out)) return false;
    for (size_t i = 0; i < nv; i++) z[i] += out[i];
    more = goes_on(g, out, z, done);
  }
  mb_tangent_transposed(g->probe, g->tangent, z, dq, dv, da);
  mb_tangent_moved_transposed(g->probe, g->step, dq, g->move, g->less);
  for (size_t i = 0; i < nv; i++) q[i] += g->move[i], v[i] -= da[i] / s;
  return !g->parted;
}
