// Positions at which a loop has another motion as well, as a parallelogram that lies flat: rows come to depend on the others there,
// and what they leave can go either way. With s the angle from there a row's hold on the direction that it is about to lose is s;
// what is asked of it is met by impulses that grow as 1/s, so that errors of a step throw bodies onto the other motion, or
// beyond all bounds. A gap g, which a scheme of no or slow stabilization leaves, leads a loop round at s = √g. Fixed steps go
// straight on, by three things:
//
//   Near such a position the step's end is put back onto the constraints, whatever the stabilization, as adaptive steps are
//   (scheme_rk45.c): without gaps a step comes out behind it on the motion that it has come by.
//
//   A row is let go for the step that is nearest, within half a step's turn of s = 0: there it says nothing of where the motion
//   goes, which the velocities say that bodies have; forces change them in one step by a share hω of what they are.
//
//   The work of impulses λ is looked at, as the step may have come onto another motion all the same. Rows that hold without being
//   driven do none; from velocities v to v⁺ they do
//
//     E = ½ λᵀ (J v + J v⁺),
//
//   (h ω)² of the energy T of motion where steps follow the motion, and what a step's forces make of bodies at rest where a row that
//   was let go catches them. The run ends where E is more than T max(1/30, (2 h ω)²) and this together, ω the fastest spin. Left
//   out are rows that do work: driven ones, one-way ones (ropes and limits catch), soft and outward ones.
//
// Near is where rank is lost anew. A row's freedom is what it moves of what bodies that nothing holds would (mb_singular_freedom).
// The state remembers how many rows have been free at once (LEAST) and how free the last of them has been; where fewer of them
// keep a share of that, one is losing its hold. Rows that repeat others have never been free, and do not count; nor does a
// mechanism whose masses alone leave little.
#include "core/base/report.h"
#include "core/constraints/constraints.h"
#include "core/model/coordinates.h"
#include "core/sim/accounting.h"
#include "core/sim/constrain_internal.h"
#include "core/sim/singular.h"

#include <string.h>

static const double LEAST =
    0.02; // freedom of a row that counts: rows that are the same but for gaps have as little as these
static const double NEAR = 0.25, NEAR_MOST = 0.5;      // share of the freedom that it has had; for any spin
static const double TURNS = 4;                         // steps of a motion that are near, on either side
static const double NEAREST = 0.5, NEAREST_MOST = 0.1; // of a step's turn; of the freedom, for any spin
static const double MUCH = 1 / 30.0;                   // of the energy of motion
static const double REST = 1e-6; // of the scene's size a second: what is slower is at rest
static const double CLOSES = 10; // by γ: a gap has shrunk to e⁻¹⁰

enum { ROWS, FREEDOM }; // in the state's memory

// ---- near -------------------------------------------------------------------------------------------------

// Of the row at place k of those that are tight. One about coordinates alone has nothing to be compared with.
static double freedom_of(const MbConstraining *c, size_t k) {
  const double pivot = c->work.pivoting.L[k * c->work.pivoting.columns + k],
               all = c->all[c->work.pivoting.tight[k]];
  return pivot * pivot < all ? sqrt(pivot * pivot / all) : 1;
}

// Whether the row at place k of those held counts: those of one way come and go, and those made anew turn with what they hold.
static bool counts(const MbConstraining *c, size_t k) {
  const size_t i = c->work.pivoting.tight[k];
  return c->kind[i] != MB_CONTACT_ONE_WAY && !c->set.is[c->slot[i]].anew;
}

// The least free row both ways of those that are tight.
static MbFreedom least_free(MbConstraining *c) {
  MbFreedom least = {.known = true, .freedom = 1};
  if (c->least_free.known) return c->least_free;
  for (size_t k = 0; k < c->work.pivoting.ntight; k++) {
    const size_t i = c->work.pivoting.tight[k];
    if (!counts(c, k)) continue;
    const double freedom = freedom_of(c, k);
    least.n++;
    if (!(freedom < least.freedom)) continue;
    least.freedom = freedom;
    least.slot = c->slot[i];
  }
  return c->least_free = least;
}

double mb_singular_freedom(const MbSim *sim, size_t *slot) {
  *slot = 0;
  if (!sim->constraining || !sim->constraining->n) return 1;
  const MbFreedom least = least_free(sim->constraining);
  *slot = least.slot;
  return least.freedom;
}

// How many rows are freer than `bound`; the least free of them.
static size_t count_free(const MbSim *sim, double bound, double *least) {
  const MbConstraining *c = sim->constraining;
  size_t n = 0;
  *least = INFINITY;
  for (size_t k = 0; k < c->work.pivoting.ntight; k++) {
    const double freedom = freedom_of(c, k);
    if (!counts(c, k) || !(freedom > bound)) continue;
    *least = fmin(*least, freedom);
    n++;
  }
  return n;
}

// How far bodies turn in a step.
static double turn_of(const MbSim *sim) { return sim->model->h * mb_spin(&sim->x); }

// Whether a row of those last solved for is losing its hold, by how far bodies turn in a step; notes what freedom they have.
static bool is_near(const MbSim *sim) {
  MbConstraining *c = sim->constraining;
  double ignored;
  const MbFreedom free = least_free(c);
  const double least_of_all = free.freedom;
  const size_t tight = free.n;
  double least = least_of_all, n = (double)tight;
  if (!(least_of_all > LEAST)) n = (double)count_free(sim, LEAST, &least);
  memcpy(c->freedom, mb_section(sim, MB_SECTION_FREEDOM), sizeof c->freedom);
  c->freed = true;
  if (n > c->freedom[ROWS])
    c->freedom[ROWS] = n, c->freedom[FREEDOM] = least;
  else if (n == c->freedom[ROWS] && n > 0)
    c->freedom[FREEDOM] = fmax(c->freedom[FREEDOM], least);
  if (least_of_all > NEAR_MOST * c->freedom[FREEDOM]) // nearly always
    return (double)tight < c->freedom[ROWS];
  const double share = fmin(fmax(NEAR, TURNS * turn_of(sim)), NEAR_MOST);
  return (double)count_free(sim, share * c->freedom[FREEDOM], &ignored) < c->freedom[ROWS];
}

// What was open at the start has been closed, at the rate γ, and velocities that contradict the rows have been made to agree.
static bool is_settled(const MbSim *sim) {
  const double gamma = sim->model->gamma, closes = gamma > 0 ? CLOSES / gamma : 0;
  const double steps = (double)sim->state.step - 1;
  return steps >= 0 && (sim->watch.closed || steps * sim->model->h > closes);
}

double mb_singular_weak(const MbSim *sim) {
  size_t slot = 0;
  if (sim->integrator->scheme == MB_ADAPTIVE) return 0;
  const double best = mb_section(sim, MB_SECTION_FREEDOM)[FREEDOM], freedom = mb_singular_freedom(sim, &slot);
  if (!(freedom < NEAREST_MOST * best)) return 0; // nearly always, at little cost
  const double weak = fmin(NEAREST * turn_of(sim), NEAREST_MOST) * best;
  return freedom < weak && is_settled(sim) && is_near(sim) ? weak : 0;
}

// ---- the work of the impulses -----------------------------------------------------------------------------

static double motion_of(const MbSim *sim) {
  double sum = 0;
  for (size_t i = 0; i < 6 * sim->model->nb; i++) sum += sim->model->M[i] * sim->x.phi[i] * sim->x.phi[i] / 2;
  if (sim->model->rotors) sum += mb_coordinates_motion(sim->model, sim->x.v);
  return sum;
}

// Energy of bodies at rest: what a step's forces and weights would give them if nothing held them, or next to no speed at all.
static double rest_of(const MbSim *sim) {
  const MbModel *model = sim->model;
  const double slow = REST * model->size, fallen = model->h * mb_vec3_norm(model->gravity);
  double sum = 0;
  for (size_t b = 0; b < model->nb; b++) {
    const double *M = model->M + 6 * b, *f = sim->x.f + 6 * b;
    sum += M[3] * (slow * slow + fallen * fallen) / 2;
    for (size_t k = 0; k < 6; k++)
      if (M[k] > 0) sum += model->h * model->h * f[k] * f[k] / M[k] / 2;
  }
  return sum;
}

static bool does_no_work(const MbConstraining *c, size_t s) {
  const MbRowTerms *is = &c->set.is[s];
  const bool acts = is->target || is->outward != 0 || c->set.row[s].gt != 0;
  return !acts && !is->nodes && is->kind == MB_ROW_BOTH_WAYS && !(is->alpha > 0) && c->set.row[s].order < 2;
}

// E of all rows, sum = v + v⁺; *slot: which of the constraints' does most.
static double work_of(MbSim *sim, const double *sum, size_t *slot) {
  const MbConstraining *c = sim->constraining;
  double work = 0, most = -1;
  for (size_t i = 0; i < c->n; i++) {
    const size_t s = c->slot[i];
    if (!does_no_work(c, s)) continue;
    const double part = c->answer.lambda[i] * mb_row_rate(&c->set, s, sum) / 2;
    if (fabs(part) > most) most = fabs(part), *slot = s;
    work += part;
  }
  const MbClaimedRows rows = sim->solver->claims->rows(sim->work);
  sim->solver->claims->speeds(sim->work, sum, sim->gap1);
  for (size_t r = 0; r < rows.n; r++)
    if (rows.gt[r] == 0) work += sim->pull[r] * sim->gap1[r] / 2;
  return work;
}

MbStatus mb_singular_watch(MbSim *sim, const double *v, const double *v1, double times, MbReport *report) {
  MbConstraining *c = sim->constraining;
  size_t slot = 0;
  if (c->ntouches) return MB_OK; // no pivots, which tell how free rows are, and what is hit takes energy
  if (!is_near(sim) || !is_settled(sim)) return MB_OK;
  c->singular = true;
  double *sum = sim->s;
  for (size_t i = 0; i < sim->nv; i++) sum[i] = v[i] + v1[i];
  const double work = times * fabs(work_of(sim, sum, &slot)), motion = motion_of(sim);
  const double turn = turn_of(sim), share = fmax(MUCH, 4 * turn * turn);
  if (!(work > share * motion + rest_of(sim))) return MB_OK;
  return mb_error(
      report, MB_NUMBERS, "",
      "at t = %.9g s, step %lld: constraint \"%s\" changes the energy of motion by %.2g J at once, "
      "and nothing is hit: at a singular position the step has come onto another motion, or no "
      "motion goes on from there; take integrator \"rk45\", or a smaller step",
      sim->state.t, (long long)sim->state.step + 1, c->set.is[slot].name, mb_plain(work));
}
