// Limits, ropes and dry friction in steps of one solution and passes of the midpoint rule (sensitivity_tied.c) that were about to press, to let go, to slip or to stick: by less than what differences of a step tell apart, so that a number that is a little other takes another branch.
#include "core/base/report.h"
#include "core/sim/sensitivity_tied.h"

#include <math.h>

static const double NEAR =
    1e-6; // of velocities that rows are about: another branch is as near as differences of a step go

static bool is_at_bound(const MbSim *sim, size_t s) {
  const MbRow *row = &sim->constraining->set.row[s];
  return fabs(row->g) <= NEAR * row->size;
}

bool mb_slope_about_to_press(const MbSim *sim, size_t s, const double *to) {
  const MbAsking asking = mb_asking(sim, MB_ASK_VELOCITIES);
  const MbAskRow known = mb_rows_known(sim, s, &asking, to, NULL);
  const MbAsked asked = mb_ask(&asking, &known);
  return asked.takes ? asked.b <= NEAR * asked.size : is_at_bound(sim, s);
}

bool mb_slope_about_to_press_there(const MbSim *sim, size_t s, double span, const double *to) {
  const MbAsking asking = mb_asking(sim, MB_ASK_VELOCITIES);
  const MbAskRow known = mb_rows_known(sim, s, &asking, to, NULL);
  return known.alpha > 0 ? is_at_bound(sim, s) : known.g <= NEAR * span * known.size;
}

bool mb_slope_about_to_let_go(const MbSim *sim, size_t s, double mu, double free, const double *to) {
  const MbAsking asking = mb_asking(sim, MB_ASK_VELOCITIES);
  const MbAskRow known = mb_rows_known(sim, s, &asking, to, NULL);
  return free * mu <= NEAR * mb_ask(&asking, &known).size;
}

bool mb_slope_about_to_slip(const MbSim *sim, size_t s, double mu) {
  return fabs(mu) >= (1 - NEAR) * sim->constraining->set.row[s].most;
}

bool mb_slope_about_to_stick(const MbSim *sim, size_t s, const double *from, const double *to) {
  const MbRowSet *set = &sim->constraining->set;
  const double after = mb_row_rate(set, s, to), before = mb_row_rate(set, s, from);
  return fabs(after) <= NEAR * (fabs(after) + fabs(before));
}

// Of rows that hold, where S stands but has not been factored.
void mb_slope_tied_look_for_ends(MbSensitivity *g, const double *to) {
  MbTied *t = g->tied;
  const MbSim *sim = g->probe;
  const MbTangentRows *rows = mb_tangent_rows(g->tangent);
  t->near = SIZE_MAX;
  for (size_t k = 0; k < rows->n; k++) {
    const MbTangentRow *row = &rows->row[k];
    const MbRowKind kind = sim->constraining->set.is[row->slot].kind;
    if (kind == MB_ROW_DRY && !row->slips && mb_slope_about_to_slip(sim, row->slot, row->mu))
      t->near = row->slot;
    if (kind == MB_ROW_ONE_WAY &&
        mb_slope_about_to_let_go(sim, row->slot, row->mu, t->S.S[(rows->n + 1) * k], to))
      t->near = row->slot;
  }
}

// Whether a row that holds nothing gives way to nothing, as others hold what it is about, where S has been factored.
static bool is_held(MbSensitivity *g, size_t s) {
  MbTied *t = g->tied;
  MbSim *sim = g->probe;
  const MbTangentRows *rows = mb_tangent_rows(g->tangent);
  const size_t nv = t->wide, n = rows->n;
  double *G = t->one[0], *Y = t->one[1], *x = t->asked;
  if (!mb_slope_tied_row(g, s, mb_tangent_rows_span(sim, rows->of), G, Y)) return true;
  return mb_slope_is_held(&(MbHolding){n, nv, t->G, t->Y, &t->S}, G, Y, x);
}

// Of rows that hold nothing: others may as well hold what these are about.
void mb_slope_tied_look_for_holds(MbSensitivity *g, const double *from, const double *to) {
  MbTied *t = g->tied;
  const MbSim *sim = g->probe;
  const MbTangentRows *rows = mb_tangent_rows(g->tangent);
  for (size_t s = 0, k = 0; s < sim->model->nslots; s++) {
    const MbTangentRow *row = k < rows->n && rows->row[k].slot == s ? &rows->row[k++] : NULL;
    const bool near =
        row ? row->slips && mb_slope_about_to_stick(sim, s, from, to)
            : sim->constraining->set.is[s].kind == MB_ROW_ONE_WAY && mb_slope_about_to_press(sim, s, to);
    if (near && !is_held(g, s)) t->near = s;
  }
}

// Of those that have pressed in a pass.
static void look_for_ends_of_pass(MbSensitivity *g, const MbStageNote *pass) {
  MbTied *t = g->tied;
  const MbTiedHalves *halves = t->halves;
  const MbSim *sim = g->probe;
  const MbTangentRows *rows = mb_tangent_rows(g->tangent);
  for (size_t k = 0; k < rows->n; k++) {
    const MbTangentRow *row = &rows->row[k];
    const size_t s = row->slot;
    if (sim->constraining->set.is[s].kind != MB_ROW_ONE_WAY) continue;
    const double free = mb_slope_dot(t->G + sim->nv * k, t->Y + sim->nv * k, sim->nv) + row->soft;
    const double blow = halves->struck[s] / sim->model->h;
    if (mb_slope_about_to_let_go(sim, s, row->mu, free, pass->w)) t->near = s;
    if (blow > 0 && mb_slope_about_to_let_go(sim, s, blow, free, pass->w)) t->near = s;
  }
}

// Whether one that has not was about to: where velocities lead it is next to its bound, or, where rows act at their bounds alone, it is next to that as the step begins.
static bool about_to_press_in_pass(const MbSensitivity *g, size_t s, const MbStageNote *pass) {
  const MbTiedHalves *t = g->tied->halves;
  const MbSim *sim = g->probe;
  const MbRowSet *set = &sim->constraining->set;
  const double h = sim->model->h, size = NEAR * set->row[s].size;
  if (set->is[s].alpha > 0) return is_at_bound(sim, s);
  if (!sim->model->ahead && t->g0[s] > 0) return t->g0[s] <= size;
  const double change = mb_row_rate(set, s, pass->w) - mb_row_rate(set, s, pass->from);
  return h * change + t->g1[s] - t->shift[s] * t->g0[s] <= h * size;
}

void mb_slope_tied_pass_look(MbSensitivity *g, const MbStageNote *pass) {
  const MbSim *sim = g->probe;
  look_for_ends_of_pass(g, pass);
  for (size_t s = 0; s < sim->model->nslots; s++)
    if (sim->constraining->set.is[s].kind == MB_ROW_ONE_WAY && !(pass->impulse[s] > 0) &&
        about_to_press_in_pass(g, s, pass) && !is_held(g, s))
      g->tied->near = s;
}

void mb_slope_tell_near(const MbSim *sim, size_t slot, double time, int64_t step, MbReport *report) {
  const MbRowTerms *is = &sim->constraining->set.is[slot];
  mb_warning(report, "",
             "at t = %.9g s, step %lld: \"%s\" is about to %s: the derivative is that of the branch taken",
             time, (long long)step, is->name,
             is->kind == MB_ROW_DRY ? "slip, or to stick" : "press, or to let go");
}

void mb_slope_tied_tell(MbSensitivity *g, double time, int64_t step, MbReport *report) {
  MbTied *t = g->tied;
  if (!t || t->told || t->near == SIZE_MAX) return;
  t->told = true;
  mb_slope_tell_near(g->sim, t->near, time, step, report);
}
