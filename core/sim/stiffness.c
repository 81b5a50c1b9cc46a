// Whether damping will hold the adaptive integrator to tiny steps: it is explicit, so a motion that decays at the rate
// λ bounds its steps by about 3.3/λ, however little is left of the motion.
//
//   v ← M⁻¹ D v over and over: the fastest rate, and where it is (D: joints' damping and that of the forces, at t = 0)
#include "core/base/alloc.h"
#include "core/base/report.h"
#include "core/model/coordinates.h"
#include "core/sim/sim_internal.h"

#include <stdio.h>
#include <string.h>

static const double STABLE = 3.3; // where the real axis leaves the integrator's region of stability
static const double MANY = 50;    // steps in one of the scene's that are worth a word
enum { ROUNDS = 30 };             // the rate is a lower bound, near enough after these

// Largest of |v|, and which.
static double largest(const double *v, size_t n, size_t *which) {
  double most = 0;
  for (size_t i = 0; i < n; i++)
    if (fabs(v[i]) > most) most = fabs(v[i]), *which = i;
  return most;
}

// The fastest rate of decay with the forces' D as evaluated; 0 where there is none to be found.
static double fastest_rate(MbSim *sim, size_t *which) {
  double *v = sim->s, *y = sim->r, rate = 0;
  size_t blame = 0;
  if (!sim->solver->factor(sim->work, &sim->x, 0, 0, true, &blame)) return 0;
  for (size_t i = 0; i < sim->nv; i++) v[i] = 1 + 0.5 * sin((double)i); // has a part of every motion
  for (int round = 0; round < ROUNDS; round++) {
    memset(y, 0, sim->nv * sizeof *y);
    mb_sim_add_blocks(sim, 1, 0, v, y);
    if (!sim->solver->apply(sim->work, y)) return 0;
    rate = largest(y, sim->nv, which);
    if (!(rate > 0) || !isfinite(rate)) return 0;
    for (size_t i = 0; i < sim->nv; i++) v[i] = y[i] / rate;
  }
  return rate;
}

static void say(const MbSim *sim, double rate, size_t which, MbReport *report) {
  const MbModel *model = sim->model;
  const size_t b = mb_coordinates_body(model, sim->nq + which);
  size_t listed = 0;
  char where[64] = "";
  if (b < model->nlisted && mb_names_find(&model->names, model->body_name[b], &listed))
    snprintf(where, sizeof where, "/bodies/%zu", listed);
  mb_warning(
      report, where,
      "damping stops %s \"%s\" at a rate of %.2g 1/s: \"rk45\" will take steps of about %.2g s, %.0f in "
      "each of the scene's; \"implicit\" has no such bound",
      mb_model_kind(model, b), model->body_name[b], rate, STABLE / rate, rate * model->h / STABLE);
}

MbStatus mb_sim_warn_stiff(MbSim *sim, MbReport *report) {
  const size_t n = 36 * (sim->model->nb + 2 * sim->model->npairs);
  size_t which = 0;
  MbMaximal *x = &sim->x;
  const bool exact = x->exact;
  x->K = mb_calloc(n, sizeof *x->K), x->D = mb_calloc(n, sizeof *x->D);
  const bool ok = x->K && x->D;
  if (ok) {
    x->exact = false; // the velocity term is no damping
    mb_sim_forces(sim, sim->state.t, true);
    const double rate = fastest_rate(sim, &which);
    if (rate * sim->model->h > MANY * STABLE) say(sim, rate, which, report);
    x->exact = exact;
    sim->trouble[0] = 0;
  }
  mb_free(x->K);
  mb_free(x->D);
  x->K = x->D = NULL;
  return ok ? MB_OK : mb_no_memory(report, "the simulation");
}
