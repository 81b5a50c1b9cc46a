// What is told of contacts on the way back: where a state moved by a little would be on another branch than the run (sensitivity_met.c).
#include "core/base/report.h"
#include "core/sim/sensitivity_rubbed.h"
#include "core/sim/touch_axes.h"
#include "core/sim/touch_slip.h"

#include <math.h>
#include <string.h>

// Whether a contact has taken next to no velocity away, or friction is just at its bound.
static bool about_to_change(const MbSensitivity *g, size_t i, const double *from) {
  static const double NEAR = 1e-6; // as in sensitivity_tied.c
  const MbMet *met = g->met;
  const size_t nv = g->met->width;
  const double h = g->sim->model->h, *G = met->G + 3 * i * nv, *Y = met->Y + 3 * i * nv;
  const MbPushed *touch = &met->pushed->touch[i];
  const double took = mb_slope_dot(G, Y, nv) * touch->lambda[0] / h;
  double size = fabs(touch->gap) / h;
  for (size_t k = 0; k < nv; k++) size += fabs(G[k] * from[k]);
  if (took <= NEAR * size || touch->narrow) return true;
  return mb_touch_slip_near(g->sim->touching->rules, touch, size);
}

// Whether what rests as the run begins rests in a side as well. Its state is still that at the start.
static bool rests_too(MbSensitivity *g, MbSim *side) {
  const MbPushes *pushed = &g->sim->touching->last;
  MbSeen *seen = g->met->seen[1];
  const MbMet *met = g->met;
  const size_t nq = side->nq, nv = met->own, n = met->width - nv;
  double *q = met->there, *v = met->y;
  memcpy(q, side->state.q, nq * sizeof *q), memcpy(v, side->state.v, nv * sizeof *v);
  if (n) memcpy(q + nq, mb_section(side, MB_SECTION_NODES), n * sizeof *q);
  if (n) memcpy(v + nv, mb_section(side, MB_SECTION_NODES) + n, n * sizeof *v);
  if (!mb_met_look(side, q, v, pushed, NULL, seen)) return false;
  for (size_t i = 0; i < pushed->n; i++) {
    const MbPushed *touch = &pushed->touch[i];
    if (mb_touch_slopes_rests(touch->gap, touch->size) != mb_touch_slopes_rests(seen[i].gap, touch->size))
      return false;
  }
  return true;
}

void mb_met_begin_tell(MbSensitivity *g, MbReport *report) {
  MbMet *met = g->met;
  if (met->begun || !mb_met_reserve(g, g->sim->touching->last.n)) return;
  met->begun = true;
  for (size_t k = 0; k < g->count; k++) {
    if (rests_too(g, g->slopes[k].less) && rests_too(g, g->slopes[k].more)) continue;
    mb_warning(
        report, "",
        "at t = %.9g s, step %lld: with %s a little changed another contact holds: the derivative is that of "
        "the branch taken",
        g->sim->state.t, (long long)g->sim->state.step, g->number[k].name);
  }
}

// Whether a contact comes no nearer as long as those hold that press, whatever pushes it: then it is one too many.
static bool is_held(MbSensitivity *g, const MbPushed *touch, const MbSeen *seen) {
  static const double NONE = 1e-9; // of what it would give way by alone
  MbMet *met = g->met;
  const size_t nv = g->met->width, ties = mb_met_ties(g), m = ties + 3 * met->n;
  double axis[3][3], *G = met->y, *Y = met->first, *x = met->asked;
  mb_touch_axes(touch->normal, axis);
  memset(G, 0, nv * sizeof *G);
  mb_met_add_row(g->probe, seen, axis[0], G);
  memcpy(Y, G, nv * sizeof *Y);
  if (!mb_met_invert(g, g->probe, g->sim->model->h, Y)) return true;
  const double alone = mb_slope_dot(G, Y, nv);
  if (!met->n) return false;
  for (size_t k = 0; k < ties; k++) x[k] = mb_met_row_times(g, ties, k, false, Y);
  if (ties) mb_slope_rubbed_pushed(g, seen, x);
  for (size_t i = 0; i < met->n; i++)
    for (size_t a = 0; a < 3; a++) {
      double *of = &x[ties + 3 * i + a];
      *of = 0;
      for (size_t k = 0; k < 3; k++)
        *of += met->contact[i].B[3 * a + k] * mb_slope_dot(met->ask + (3 * i + k) * nv, Y, nv);
    }
  mb_ranked_solve(&met->S, x, x);
  double gives = alone;
  for (size_t k = 0; k < m; k++) gives -= x[k] * mb_met_row_times(g, ties, k, true, G);
  return gives <= NONE * alone;
}

static void tell_near(MbSensitivity *g, const MbPushed *touch, const char *what, double t, int64_t step,
                      MbReport *report) {
  g->met->told = true;
  mb_warning(
      report, "",
      "at t = %.9g s, step %lld: a contact of \"%s\" and \"%s\" is about to %s: the derivative is that of "
      "the branch taken",
      t, (long long)step, mb_touch_name(g->sim, touch->a), mb_touch_name(g->sim, touch->b), what);
}

// Finds what is moved of contacts that have not pushed. False: they are not there.
static bool see_near(MbSensitivity *g, const MbStageNote *note, const MbPushes *near) {
  const MbMet *met = g->met;
  bool bends = false;
  for (size_t i = 0; i < near->n; i++) bends |= mb_met_bends(met->beside, &near->touch[i]);
  if (bends) return mb_met_look(met->beside, met->q, note->from, near, NULL, met->seen[1]);
  for (size_t i = 0; i < near->n; i++) {
    MbSeen *seen = &met->seen[1][i];
    mb_vec3_copy(seen->point, near->touch[i].point), mb_vec3_copy(seen->normal, near->touch[i].normal);
    mb_met_solids(met->beside, &near->touch[i], seen);
  }
  return true;
}

void mb_met_tell(MbSensitivity *g, const MbStageNote *note, const MbMeeting *meeting, double t, int64_t step,
                 MbReport *report) {
  MbMet *met = g->met;
  for (size_t i = 0; met && i < met->n && !met->told; i++)
    if (about_to_change(g, i, note->from))
      tell_near(g, &met->pushed->touch[i], "let go, to slide or to stick, or to rebound or not", t, step,
                report);
  if (!met || !meeting || !meeting->near.n || met->told || !see_near(g, note, &meeting->near)) return;
  for (size_t i = 0; i < meeting->near.n && !met->told; i++)
    if (!is_held(g, &meeting->near.touch[i], &met->seen[1][i]))
      tell_near(g, &meeting->near.touch[i], "press", t, step, report);
}
