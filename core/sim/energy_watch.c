// Energy that a scheme adds or takes. Where nothing drives a scene its energy can only fall, and where nothing damps it either,
// it stays. What there is of it to move with since the start is
//
//   S = T₀ + V₀ + the largest fall of the gravitational energy so far,   V the elastic energy,
//
// which no motion that keeps the energy exceeds with T + V, and which does not grow with an error of the energy itself. Every so
// many steps the total is compared with that at the start: a change of more than a tenth of S is told, once. Nothing is told of
//
//   scenes that are driven (motors, forces over time, muscles, paths with passive segments, prescribed motions, soft constraints,
//   which hold energy that nobody counts), of constraints that do not hold at the start, and of loss where there is a reason
//   for it: damping, ropes and limits that catch, and stiffness under "implicit", whose first-order step damps it at any length.
//
// The first steps from rest fall by h/(t + h) of S under schemes of first order, which is why the first look comes late. The last comes when the
// run is over, since what blows up does so within a few steps; of a run that ends before the first look growth alone is told.
#include "core/sim/energy_watch.h"
#include "core/base/report.h"
#include "core/constraints/constraints.h"
#include "core/forces/forces.h"
#include "core/forces/spring.h"
#include "core/integrators/integrators.h"
#include "core/math/spatial.h"
#include "core/sim/accounting.h"
#include "core/sim/claims.h"
#include "core/sim/constrain.h"
#include "core/sim/nodes.h"

#include <stdio.h>
#include <string.h>

static const double LEFT = 0.1;   // of S
static const double CLOSE = 1e-6; // m, rad, m/s: constraints that hold at the start
static const double NOISE =
    1e-8; // of the sizes of what is summed: rounding, and constraints that hold as closely

enum { FALLEN, TOLD, NUMBERS }; // in the state's memory

size_t mb_watch_size(void) { return NUMBERS; }

static double *memory_of(const MbSim *sim) { return mb_section(sim, MB_SECTION_WATCH); }

// ---- what may change the energy ---------------------------------------------------------------------------

typedef struct Causes {
  bool drives, damps;
} Causes;

// Whether pressure, wind or fibres with an activation act on it.
static bool is_driven(const MbElements *e) {
  bool driven = e->surface != NULL;
  for (size_t i = 0; i < e->nfibres; i++) driven |= e->fibres[i].activation != SIZE_MAX;
  return driven;
}

// Passive segments carry a tension that no energy has: it may do work all round a closed way.
static bool has_passive_segments(const MbForce *force) {
  return force->ops == mb_force_table[MB_FORCE_MULTI_SPRING] &&
         ((const MbSpring *)force->parameters)->passive;
}

static void judge_forces(const MbModel *model, Causes *causes) {
  for (size_t i = 0; i < model->nforces; i++) {
    const MbForce *force = &model->forces[i];
    if (force->ops == &mb_gravity_ops) continue;
    if (force->ops->drag || force->ops == &mb_body_damping_ops)
      causes->damps = true;
    else if (!force->ops->energy)
      causes->drives = true;
    else
      causes->damps |= force->ops->damps && force->ops->damps(force);
    causes->drives |= force->elements && is_driven(force->elements->of);
    causes->drives |= has_passive_segments(force);
  }
  causes->drives |= model->ndrives > 0;
  for (size_t i = 0; i < model->nv; i++) causes->damps |= model->joint_damping[i] > 0;
  for (size_t i = 0; i < model->nstops; i++) causes->damps |= model->stops[i].damping > 0;
}

static void judge_constraints(const MbModel *model, Causes *causes) {
  for (size_t i = 0; i < model->nconstraints; i++) {
    const MbConstraint *c = &model->constraints[i];
    causes->drives |= c->ops == &mb_motion_ops || c->npath || c->compliance > 0 || c->outward > 0;
    causes->damps |= c->unilateral || c->dry;
  }
  causes->damps |= model->contacts.any;
  causes->drives |= model->contacts.compliance > 0;
}

static void judge_points(const MbModel *model, Causes *causes) {
  for (size_t i = 0; i < model->ndeformables; i++) {
    if (!model->deformables[i].points) continue;
    const MbElements *e = model->deformables[i].elements;
    causes->drives |= e->nmotions > 0 || e->ncables > 0 || is_driven(e);
    causes->damps |= e->damping > 0;
  }
}

// Whether anything swings that "implicit" would damp.
static bool is_stiff(const MbModel *model) {
  bool stiff = model->nstops > 0;
  for (size_t i = 0; i < model->nforces; i++) stiff |= model->forces[i].ops->energy != NULL;
  for (size_t i = 0; i < model->nv; i++) stiff |= model->stiffness[i] != 0;
  for (size_t i = 0; i < model->ndeformables; i++) stiff |= model->deformables[i].points;
  return stiff;
}

// ---- watching ---------------------------------------------------------------------------------------------

static MbEnergy energy_of(const MbSim *sim) {
  MbEnergy e = mb_energy(sim->model, &sim->x);
  mb_nodes_energy(sim, &e);
  return e;
}

static Causes causes_of(const MbModel *model) {
  Causes causes = {0};
  judge_forces(model, &causes);
  judge_constraints(model, &causes);
  judge_points(model, &causes);
  return causes;
}

MbEnergyCause mb_sim_energy_cause(const MbSim *sim) {
  const Causes causes = causes_of(sim->model);
  return causes.drives ? MB_ENERGY_DRIVEN : causes.damps ? MB_ENERGY_DAMPED : MB_ENERGY_KEPT;
}

static void find_watched(const MbModel *model, bool *growth, bool *loss) {
  const MbIntegrator *integrator = &mb_integrator_table[model->integrator.kind];
  const Causes causes = causes_of(model);
  const bool implicit = integrator->order == 1 && integrator->b != 0;
  const bool still = integrator->scheme == MB_EQUILIBRIUM;
  *growth = model->solver.mode != MB_FIRST_ORDER && !still && !causes.drives;
  *loss = *growth && !causes.damps && !(implicit && is_stiff(model));
}

void mb_watch_start(MbSim *sim) {
  double errors[2] = {0};
  sim->watch = (MbWatch){.first = energy_of(sim)};
  mb_constraint_errors(sim, errors);
  sim->watch.closed = !(errors[0] > CLOSE);
  if (errors[0] > CLOSE || errors[1] > CLOSE) return;
  find_watched(sim->model, &sim->watch.growth, &sim->watch.loss);
}

// A blow from outside: what it does is no error.
void mb_watch_give_up(MbSim *sim) { memory_of(sim)[TOLD] = -1; }

bool mb_sim_energy_left(const MbSim *sim) { return memory_of(sim)[TOLD] > 0; }

// Of the numbers whose sum the energy is: below this it is noise.
static double noise_of(const MbModel *model, const MbMaximal *x, const MbEnergy *e) {
  const double g = mb_vec3_norm(model->gravity);
  double size = e->kinetic + fabs(e->elastic) + fabs(e->gravity);
  for (size_t b = 0; b < model->nb; b++) size += model->M[6 * b + 3] * g * mb_vec3_norm(x->E[b].p);
  return NOISE * size;
}

typedef struct Change {
  double by, of; // J; S
} Change;

// What the energy has changed by; 0 where that is no error, or is within bounds.
static Change large_change(const MbSim *sim, const MbEnergy *now) {
  const MbEnergy *first = &sim->watch.first;
  double *fallen = &memory_of(sim)[FALLEN];
  *fallen = fmax(*fallen, first->gravity - now->gravity);
  const Change change = {now->total - first->total, first->kinetic + fabs(first->elastic) + *fallen};
  const bool early = sim->state.step < MB_WATCH_EVERY;
  const bool judged = change.by > 0 ? sim->watch.growth : sim->watch.loss && !early;
  return (Change){judged && fabs(change.by) > LEFT * change.of ? change.by : 0, change.of};
}

// The same; 0 where it is as small as errors are, too.
static Change change_of(const MbSim *sim, const MbEnergy *now) {
  const Change change = large_change(sim, now);
  const bool left = change.by != 0 && fabs(change.by) > noise_of(sim->model, &sim->x, now);
  return (Change){left ? change.by : 0, change.of};
}

// Joints' coordinates are what moves bodies: momentum is kept as well as the scheme has its order, where "maximal" without `project` keeps it.
static bool in_coordinates(const MbModel *model) {
  bool any = false;
  for (size_t b = 0; b < model->nlisted; b++) any |= model->joint[b].ops && model->joint[b].ops->n > 0;
  return any && (model->solver.kind == MB_SOLVER_REDMAX || model->solver.project);
}

// What to take instead, after a blank.
static void remedy(const MbSim *sim, char *out, size_t size) {
  const MbModel *model = sim->model;
  const bool pulled = model->gamma > 0 && (model->nslots || mb_claims_any(sim));
  const char *post = pulled && sim->integrator->scheme != MB_ADAPTIVE ? "stabilization \"post\", " : "";
  static const char *const schemes[MB_INTEGRATORS] = {
      [MB_SYMPLECTIC] = "\"trapezoidal\" or \"rk45\", ",
      [MB_IMPLICIT] = "\"trapezoidal\" or \"rk45\", ",
      [MB_TRAPEZOIDAL] = "\"rk45\", ",
      [MB_BRIDSON_MARINO] = "\"trapezoidal\", ",
      [MB_BDF1] = "\"bdf2\", \"trapezoidal\" or \"rk45\", ",
      [MB_BDF2] = "\"trapezoidal\" or \"rk45\", ",
      [MB_SDIRK2] = "\"trapezoidal\" or \"rk45\", ",
  };
  const char *scheme = sim->nodes              ? "more \"iterations\", "
                       : !model->contacts.any  ? schemes[model->integrator.kind]
                       : in_coordinates(model) ? "solver \"maximal\" with \"project\": false, "
                                               : ""; // contact goes with no scheme of a higher order
  if (sim->integrator->scheme == MB_ADAPTIVE)
    snprintf(out, size, "take smaller tolerances of \"rk45\"");
  else
    snprintf(out, size, "take %s%s%sa smaller step", post, scheme, *post || *scheme ? "or " : "");
}

static void describe(const MbSim *sim, Change change, char *out, size_t size) {
  char instead[160];
  remedy(sim, instead, sizeof instead);
  snprintf(
      out, size,
      "the energy has %s by %.3g J, %.2g times the %.3g J that there were to move with, and nothing %s: %s",
      change.by > 0 ? "grown" : "fallen", fabs(change.by), fabs(change.by) / change.of, change.of,
      change.by > 0 ? "drives the scene" : "drives or damps the scene", instead);
}

bool mb_watch_looks(const MbSim *sim) {
  return (sim->watch.growth || sim->watch.loss) && memory_of(sim)[TOLD] == 0;
}

bool mb_watch_nears(const MbSim *sim, const MbEnergy *now) {
  return mb_watch_looks(sim) && large_change(sim, now).by != 0;
}

void mb_watch_energy(MbSim *sim, const MbEnergy *now, MbReport *report) {
  char text[400];
  if (!mb_watch_looks(sim)) return;
  const Change change = change_of(sim, now);
  if (change.by == 0) return;
  memory_of(sim)[TOLD] = 1;
  describe(sim, change, text, sizeof text);
  mb_warning(report, "", "at t = %.9g s, step %lld: %s", sim->state.t, (long long)sim->state.step, text);
}

void mb_watch_step(MbSim *sim, MbReport *report) {
  if (sim->state.step % MB_WATCH_EVERY || !mb_watch_looks(sim)) return;
  const MbEnergy now = energy_of(sim);
  mb_watch_energy(sim, &now, report);
}

void mb_watch_end(MbSim *sim, MbReport *report) {
  if (!mb_watch_looks(sim)) return;
  const MbEnergy now = energy_of(sim);
  mb_watch_energy(sim, &now, report);
}

bool mb_watch_denies(const MbSim *sim, double taken) {
  if (!sim->watch.growth || memory_of(sim)[TOLD] < 0) return false;
  return energy_of(sim).total - sim->watch.first.total > -taken / 2;
}

void mb_watch_failure(MbSim *sim, MbReport *report) {
  char text[400];
  if (!sim->watch.growth || memory_of(sim)[TOLD] < 0) return;
  const MbEnergy now = energy_of(sim);
  const Change change = change_of(sim, &now);
  if (!(change.by > 0)) return;
  describe(sim, change, text, sizeof text);
  mb_error_more(report, "; before, %s", text);
}
