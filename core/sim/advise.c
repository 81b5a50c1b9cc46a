// Whether stiffness or damping is too fast for the integrator, seen at the start: v ← M⁻¹ B v over and over, with B = D or K
// (of the joints and of the forces), finds the fastest rate of decay λ or the fastest frequency ω = √|eigenvalue|, and where
// it is.
//
//   symplectic       λ h < 2 and ω h < 2, or the motion grows without bound
//   bridson_marino   ω h < 2 (damping is implicit)
//   rk45             steps of about 3.3/λ or 2.8/ω, however little is left of the motion: many of them in one of the scene's
//   implicit, trapezoidal: no bound
#include "core/sim/advise.h"
#include "core/base/alloc.h"
#include "core/base/report.h"
#include "core/forces/forces.h"
#include "core/model/coordinates.h"
#include "core/sim/evaluate.h"
#include "core/sim/layout.h"

#include <stdio.h>
#include <string.h>

static const double DECAY = 3.3, SWING = 2.8; // where the axes leave rk45's region of stability
static const double STABLE = 2;               // the same of the explicit steps
static const double MANY = 50;                // steps in one of the scene's that are worth a word
enum { ROUNDS = 30 };                         // the rate is a lower bound, near enough after these

// Largest of |v|, and which.
static double largest(const double *v, size_t n, size_t *which) {
  double most = 0;
  for (size_t i = 0; i < n; i++)
    if (fabs(v[i]) > most) most = fabs(v[i]), *which = i;
  return most;
}

// The largest eigenvalue of M⁻¹ (sD D + sK K) with the forces' derivatives as evaluated; 0 where there is none to be found.
static double largest_eigenvalue(MbSim *sim, double sD, double sK, size_t *which) {
  double *v = sim->s, *y = sim->r, most = 0;
  for (size_t i = 0; i < sim->nv; i++) v[i] = 1 + 0.5 * sin((double)i); // has a part of every motion
  for (int round = 0; round < ROUNDS; round++) {
    memset(y, 0, sim->nv * sizeof *y);
    mb_sim_add_blocks(sim, sD, sK, v, y);
    if (!sim->solver->apply(sim->work, y, NULL, NULL)) return 0;
    most = largest(y, sim->nv, which);
    if (!(most > 0) || !isfinite(most)) return 0;
    for (size_t i = 0; i < sim->nv; i++) v[i] = y[i] / most;
  }
  return most;
}

static const char *place_of(const MbSim *sim, size_t which, char *where, size_t size) {
  const MbModel *model = sim->model;
  const size_t b = mb_sim_body(sim, sim->nq + which);
  size_t listed = 0;
  where[0] = 0;
  if (b < model->nlisted && mb_names_find(&model->names, model->body_name[b], &listed))
    snprintf(where, size, "/bodies/%zu", listed);
  return model->body_name[b];
}

static const char *kind_of(const MbSim *sim, size_t which) {
  return mb_model_kind(sim->model, mb_sim_body(sim, sim->nq + which));
}

static void judge_damping(MbSim *sim, MbReport *report) {
  size_t which = 0;
  char where[64];
  const double h = sim->model->h, rate = largest_eigenvalue(sim, 1, 0, &which);
  if (sim->integrator->scheme == MB_ADAPTIVE && rate * h > MANY * DECAY)
    mb_warning(
        report, where,
        "damping stops %s \"%s\" at a rate of %.2g 1/s: \"rk45\" will take steps of about %.2g s, %.0f in "
        "each of the scene's; \"implicit\" has no such bound",
        kind_of(sim, which), place_of(sim, which, where, sizeof where), rate, DECAY / rate, rate * h / DECAY);
  if (sim->integrator->scheme == MB_ONE_SOLVE && rate * h > STABLE)
    mb_warning(report, where,
               "damping stops %s \"%s\" at a rate of %.2g 1/s: that is unstable under \"symplectic\" with "
               "a step of "
               "%g s; take a step below %.2g s, or \"implicit\"",
               kind_of(sim, which), place_of(sim, which, where, sizeof where), rate, h, STABLE / rate);
}

static void judge_stiffness(MbSim *sim, MbReport *report) {
  size_t which = 0;
  char where[64];
  const double h = sim->model->h, frequency = sqrt(largest_eigenvalue(sim, 0, 1, &which));
  if (sim->integrator->scheme == MB_ADAPTIVE && frequency * h > MANY * SWING)
    mb_warning(report, where,
               "stiffness swings %s \"%s\" at %.2g rad/s: \"rk45\" will take steps of about %.2g s, %.0f "
               "in each of the "
               "scene's; \"implicit\" has no such bound",
               kind_of(sim, which), place_of(sim, which, where, sizeof where), frequency, SWING / frequency,
               frequency * h / SWING);
  if (sim->integrator->scheme != MB_ADAPTIVE && frequency * h > STABLE)
    mb_warning(report, where,
               "stiffness swings %s \"%s\" at %.2g rad/s: that is unstable under \"%s\" with a step of %g "
               "s; take a step below %.2g s, "
               "or \"implicit\"",
               kind_of(sim, which), place_of(sim, which, where, sizeof where), frequency,
               sim->integrator->name, h, STABLE / frequency);
}

// Whether anything has derivatives at all.
static bool may_be_stiff(const MbModel *model) {
  bool some = mb_model_drives(model);
  for (size_t i = 0; i < model->nforces; i++) some |= model->forces[i].ops != &mb_gravity_ops;
  for (size_t i = 0; i < model->nv && !some; i++)
    some = model->stiffness[i] != 0 || model->joint_damping[i] != 0;
  return some;
}

MbStatus mb_sim_advise(MbSim *sim, MbReport *report) {
  if (sim->integrator->b != 0 || !may_be_stiff(sim->model)) return MB_OK;
  const size_t n = 36 * (sim->model->nb + 2 * sim->model->npairs);
  MbMaximal *x = &sim->x;
  double *const K = x->K, *const D = x->D;
  const bool exact = x->exact;
  size_t blame = 0;
  x->K = mb_calloc(n, sizeof *x->K), x->D = mb_calloc(n, sizeof *x->D);
  const bool ok = x->K && x->D;
  if (ok) {
    x->exact = false; // the velocity term is no damping
    mb_sim_forces(sim, sim->state.t, true);
    if (sim->solver->factor(sim->work, x, 0, 0, true, &blame)) {
      if (sim->integrator->scheme != MB_VERLET) judge_damping(sim, report);
      judge_stiffness(sim, report);
    }
    x->exact = exact;
    sim->trouble[0] = 0;
  }
  mb_free(x->K);
  mb_free(x->D);
  x->K = K, x->D = D;
  return ok ? MB_OK : mb_no_memory(report, "the simulation");
}
