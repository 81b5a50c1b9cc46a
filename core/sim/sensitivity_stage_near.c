// Limits and ropes in stages (sensitivity_stage.c) that were about to press, to let go, or to be struck no more: by less than what differences of a step tell apart, so that a number that is a little other takes another branch.
#include "core/sim/constrain_internal.h"
#include "core/sim/sensitivity_rows.h"

// Whether row k is of one way and has pressed in the stage.
static bool is_one_way(const MbSensitivity *g, size_t k) {
  return g->rows->takes[k] && g->probe->constraining->set.is[g->rows->slot[k]].kind == MB_ROW_ONE_WAY;
}

void mb_slope_rows_look_for_ends(MbSensitivity *g, const MbStageNote *note) {
  MbSlopeRows *r = g->rows;
  const double span = note->gamma * g->probe->model->h;
  for (size_t k = 0; k < r->n; k++) {
    if (!is_one_way(g, k)) continue;
    const size_t s = r->slot[k];
    const double free = r->S.S[(r->n + 1) * k], blow = r->struck ? r->struck[s] / span : 0;
    if (mb_slope_about_to_let_go(g->probe, s, r->mu[k], free, note->w)) r->near = s;
    if (blow > 0 && mb_slope_about_to_let_go(g->probe, s, blow, free, note->w)) r->near = s;
  }
}

// Whether a row that has not pressed gives way to nothing, as others hold what it is about.
static bool is_held(MbSensitivity *g, size_t s) {
  MbSlopeRows *r = g->rows;
  const MbSim *sim = g->probe;
  const size_t nv = sim->nv;
  double *G = r->wrench[0], *Y = r->wrench[1], *x = r->asked[0];
  memset(G, 0, nv * sizeof *G);
  mb_row_spread(&sim->constraining->set, s, 1, G);
  memcpy(Y, G, nv * sizeof *Y);
  mb_lu_solve(r->A, nv, r->pivot, Y);
  return mb_slope_is_held(&(MbHolding){r->n, nv, r->B, r->Y, &r->S}, G, Y, x);
}

void mb_slope_rows_look_for_holds(MbSensitivity *g, const MbStageNote *note) {
  const MbSim *sim = g->probe;
  const double span = note->gamma * sim->model->h;
  for (size_t s = 0; s < sim->model->nslots; s++) {
    if (sim->constraining->set.is[s].kind != MB_ROW_ONE_WAY || note->impulse[s] > 0) continue;
    if (mb_slope_about_to_press_there(sim, s, span, note->w) && !is_held(g, s)) g->rows->near = s;
  }
}

void mb_slope_rows_tell(MbSensitivity *g, double t, int64_t step, MbReport *report) {
  MbSlopeRows *r = g->rows;
  if (!r || r->told || r->near == SIZE_MAX) return;
  r->told = true;
  mb_slope_tell_near(g->sim, r->near, t, step, report);
}
