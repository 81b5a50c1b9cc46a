// What rows that take part push by: λ by one of the methods on W, and v ← v + A⁻¹ Gᵀ λ. What could not be satisfied is told by name.
#include "core/base/report.h"
#include "core/base/targets.h"
#include "core/sim/constrain_internal.h"
#include "core/sim/kept_moves.h"
#include "core/sim/singular.h"
#include "core/sim/touch.h"
#include "core/sim/touch_solve.h"
#include "core/sim/trouble.h"

#include <string.h>

// A row that could not be satisfied, and not only for rounding or for being the same as others.
static MbStatus check_dropped(const MbSim *sim, double t, MbReport *report) {
  static const double SAME = 1e-6,
                      CLOSE = 1e-4, // of the terms' sizes; of the size of what g is the difference of
      STILL = 1e-9;                 // of that size a second: rounding of what other rows push
  const MbConstraining *c = sim->constraining;
  for (size_t i = 0; i < c->n; i++) {
    const MbRow *row = &c->set.row[c->slot[i]];
    const double w = c->answer.w[i], far = c->kind[i] == MB_CONTACT_ONE_WAY ? fmax(-w, 0) : fabs(w);
    if (!c->answer.dropped || !c->answer.dropped[i] || !(far > SAME / MB_ROWS_ROUNDING * c->slack[i]))
      continue;
    if (row->order == 0 && !(fabs(row->g) > CLOSE * row->size)) continue;
    if (row->order && !(far > STILL * row->size)) continue;
    return mb_error(
        report, MB_NUMBERS, "",
        row->order ? "at t = %.9g s, step %lld: constraint \"%s\" contradicts others: its rate is off by %.3g"
                   : "at t = %.9g s, step %lld: constraint \"%s\" contradicts others, or nothing that it "
                     "holds can move: it is off by %.3g%s",
        t, (long long)sim->state.step + 1, c->set.is[c->slot[i]].name, row->order ? far : fabs(row->g),
        sim->state.step ? "" : "; give positions for the start at which it holds");
  }
  return MB_OK;
}

// A row whose b is no number, which tells of the constraint, or of what has gone wrong before.
static MbStatus check_finite(const MbSim *sim, double t, MbReport *report) {
  const MbConstraining *c = sim->constraining;
  for (size_t i = 0; i < c->n; i++) {
    const MbRowTerms *is = &c->set.is[c->slot[i]];
    if (isfinite(c->b[i])) continue;
    const MbStatus cause = mb_sim_trouble(sim, report);
    if (cause != MB_OK) return cause;
    return mb_error(report, MB_NUMBERS, "",
                    "at t = %.9g s, step %lld: constraint \"%s\" has numbers that are not finite%s%s", t,
                    (long long)sim->state.step + 1, is->name, is->singular ? ": " : "",
                    is->singular ? is->singular : "");
  }
  return MB_OK;
}

static const double FAR = 1e-3; // of |b|: no solution

static void find_rates(MbSim *sim, const double *x, double *out) {
  const MbConstraining *c = sim->constraining;
  for (size_t i = 0; i < c->n; i++) out[i] = mb_row_rate(&c->set, c->slot[i], x);
}

// Contacts and dry friction among the rows, by bodies where nothing couples them, else by trees; `v`: velocities without what these push.
static MbStatus find_touching(MbSim *sim, double t, const double *v, MbReport *report) {
  MbConstraining *c = sim->constraining;
  MbDelassus *d = &c->delassus;
  MbContactOperator W;
  const MbContactElsewhere *elsewhere =
      c->ndry ? NULL : mb_delassus_elsewhere(sim, d, &c->set, c->slot, c->n);
  if (elsewhere && mb_touch_find_elsewhere(sim, elsewhere)) return MB_OK;
  if (!mb_delassus_by_bodies(sim, d, &c->set, c->slot, c->n, &W) && !d->no_memory &&
      !mb_delassus_by_nodes(sim, d, &c->set, c->slot, c->n, &W) && !d->no_memory &&
      !mb_delassus_by_trees(sim, d, &c->set, c->slot, c->n, &W) && !d->no_memory)
    W = mb_delassus_of(sim, d, &c->set, c->slot, c->n);
  if (d->no_memory) return mb_no_memory(report, "contact");
  return mb_touch_find(sim, &W, t, v, find_rates, false, report);
}

// Bodies that are to come apart, where nothing couples them or there are many contacts. *done: they have.
static MbStatus find_parting(MbSim *sim, double t, bool *done, MbReport *report) {
  enum { MANY = 200 };
  MbConstraining *c = sim->constraining;
  MbDelassus *d = &c->delassus;
  MbContactOperator W;
  *done = mb_delassus_by_bodies(sim, d, &c->set, c->slot, c->n, &W);
  if (!*done && !d->no_memory && sim->touching->now.n > MANY) {
    *done = true;
    if (!mb_delassus_by_trees(sim, d, &c->set, c->slot, c->n, &W) && !d->no_memory)
      W = mb_delassus_of(sim, d, &c->set, c->slot, c->n);
  }
  if (d->no_memory) return mb_no_memory(report, "contact");
  return *done ? mb_touch_find_parting(sim, &W, t, report) : MB_OK;
}

// By pivots. Near a position where rank is lost a row that loses its hold is let go (singular.c); *whole: none is.
static MbContactResult find_by_pivots(MbSim *sim, MbContactProblem *problem, bool *whole) {
  MbConstraining *c = sim->constraining;
  MbContactResult result = mb_contact_pivot(&c->work, problem, &c->answer);
  const double weak = result == MB_CONTACT_SOLVED ? mb_singular_weak(sim) : 0;
  problem->same = *whole = !(weak > 0);
  if (*whole) return result;
  for (size_t i = 0; i < c->n; i++) c->least[i] = fmax(c->least[i], weak * weak * c->all[i]);
  result = mb_contact_pivot(&c->work, problem, &c->answer);
  c->least_free.known = false;
  return result;
}

// Solves again about where the solution leads, as often as that changes what joints that keep to a move ask for (kept_moves.c).
static MbContactResult find_kept(MbSim *sim, MbContactProblem *problem, const double *v, bool *whole) {
  enum { PASSES = 60 };
  static const double LITTLE = 1e-13, LESS = 0.9; // of how fast they are; of the pass before
  MbConstraining *c = sim->constraining;
  MbContactResult result = find_by_pivots(sim, problem, whole);
  double last = INFINITY;
  for (int pass = 0; pass < PASSES && result == MB_CONTACT_SOLVED; pass++) {
    if (!mb_reached_velocities(sim, v, c->come)) {
      c->delassus.unsolved = true;
      break;
    }
    const double change = mb_kept_again(sim, c->come);
    if (change <= LITTLE || !(change < LESS * last)) break;
    last = change;
    result = find_by_pivots(sim, problem, whole);
  }
  return result;
}

// λ of the rows taken, into c->answer. *whole: no row is let go for losing its hold.
static MbStatus find_lambda(MbSim *sim, MbLevel level, double t, const double *v, bool *whole,
                            MbReport *report) {
  MbConstraining *c = sim->constraining;
  bool parted = false;
  *whole = true;
  c->least_free.known = false;
  if (!c->same || c->ntouches || c->ndry) mb_delassus_forget(&c->delassus);
  if (c->ntouches || c->ndry) {
    c->solved = false; // what the method of the others has kept is lost
    return find_touching(sim, t, v, report);
  }
  if (level == MB_POSITIONS && sim->touching && sim->touching->now.n) {
    const MbStatus status = find_parting(sim, t, &parted, report);
    c->solved &= !parted;
    if (parted || status != MB_OK) return status;
  }
  MbContactProblem problem = {.n = c->n,
                              .b = c->b,
                              .kind = c->kind,
                              .soft = c->soft,
                              .slack = c->slack,
                              .least = c->least,
                              .same = c->same};
  problem.W = mb_delassus_of(sim, &c->delassus, &c->set, c->slot, c->n);
  // room for the constraints' own has been made (constrain_rows.c)
  if (sim->touching && !mb_contact_reserve(&c->work, &mb_contact_pivoting, &problem))
    return mb_no_memory(report, "constraints");
  const bool keeps = level == MB_VELOCITIES && c->kept;
  const MbContactResult result =
      keeps ? find_kept(sim, &problem, v, whole) : find_by_pivots(sim, &problem, whole);
  c->solved = *whole;
  if (result == MB_CONTACT_MEMORY) return mb_no_memory(report, "constraints");
  const bool failed = result == MB_CONTACT_NOT_CONVERGED && !(c->answer.natural < FAR);
  if (result == MB_CONTACT_REFUSED || failed)
    return mb_error(report, MB_NUMBERS, "",
                    "at t = %.9g s, step %lld: no forces were found that satisfy the limits and ropes: %s", t,
                    (long long)sim->state.step + 1, c->answer.why);
  return c->delassus.unsolved ? mb_sim_unsolved(sim, report) : MB_OK;
}

// v ← v + A⁻¹ Gᵀ λ
static MbStatus push(MbSim *sim, double scale, double *v, MbReport *report) {
  MbConstraining *c = sim->constraining;
  const double *lambda = c->answer.lambda;
  const size_t width = c->of == MB_ROWS_OF_BODIES ? sim->nv : mb_row_width(sim, &c->set);
  bool any = false;
  for (size_t i = 0; i < c->n; i++) {
    if (scale > 0) c->force[c->slot[i]] += lambda[i] * scale;
    any |= lambda[i] != 0;
  }
  if (!any || (!c->claims && mb_delassus_move(&c->delassus, c->n, lambda, width, v))) return MB_OK;
  for (size_t i = 0; i < c->n; i++) {
    const bool contact = c->kind[i] == MB_CONTACT_NORMAL;
    if (contact)
      mb_row_spread_three(&c->set, c->slot[i], lambda + i, c->y);
    else if (lambda[i] != 0)
      mb_row_spread(&c->set, c->slot[i], lambda[i], c->y);
    i += contact ? 2 : 0;
  }
  const bool solved = sim->solver->apply(sim->work, c->y, NULL, c->claims ? sim->pulled : NULL);
  if (c->claims) mb_claims_add(sim);
  double *const y = c->y;
  MB_SIMD
  for (size_t i = 0; i < width; i++) v[i] += y[i];
  memset(y, 0, sim->width * sizeof *y);
  return solved ? MB_OK : mb_sim_unsolved(sim, report);
}

MbStatus mb_rows_solve(MbSim *sim, MbLevel level, double t, double scale, double *v, MbReport *report) {
  MbConstraining *c = sim->constraining;
  bool finite = true, whole = true;
  for (size_t i = 0; i < c->n; i++) finite &= isfinite(c->b[i]);
  if (!finite && level == MB_ACCELERATIONS) { // of a step that is too long: the integrator will see it
    for (size_t k = 0; k < sim->nv; k++) v[k] = NAN;
    return MB_OK;
  }
  MbStatus status = finite ? find_lambda(sim, level, t, v, &whole, report) : check_finite(sim, t, report);
  if (status == MB_OK && level != MB_POSITIONS && whole) status = check_dropped(sim, t, report);
  return status == MB_OK ? push(sim, scale, v, report) : status;
}
