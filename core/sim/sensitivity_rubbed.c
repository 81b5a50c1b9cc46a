// Friction inside joints, back through steps of trees (rub_rows.c has the equations). What joints do to bodies is what inverse dynamics has up the tree (tangent.c). So with J z what moves bodies by the equations'
// weights, z · τ is asked of Z = J z + Ψ, Ψ being the motion of all that hangs on joints by the twists that these are weighed by: all that is asked of Z, by places, velocities, forces and
// numbers, is asked at once. A number that changes a joint changes its law besides.
#include "core/sim/sensitivity_rubbed.h"
#include "core/sim/touch_axes.h"

#include <string.h>

static MbRubbed *rubbed(const MbSensitivity *g) { return g->tied ? g->tied->rubbed : NULL; }

bool mb_slope_rubbed_make(MbSensitivity *g) {
  if (!g->sim->model->nloads) return true;
  MbRubbed *r = g->tied->rubbed = mb_rubbed_create(&g->arena, g->probe);
  if (r) mb_tangent_weigh_wrenches(g->tangent, r->twist, r->move);
  return r != NULL;
}

size_t mb_slope_rubbed_noted(const MbSensitivity *g) { return rubbed(g) ? g->sim->model->nloads : 0; }

void mb_slope_rubbed_step(MbSensitivity *g, const double *loads) {
  if (rubbed(g)) mb_rubbed_step(rubbed(g), loads);
}

// What joints do to bodies in the step at hand: of a tangent less what contacts push behind them, of which it does not know.
static const double *wrenches(MbSensitivity *g) {
  MbRubbed *r = rubbed(g);
  const MbSim *sim = g->probe;
  const double *F = mb_tangent_wrenches(g->tangent);
  if (!g->met || !g->met->n) return F;
  memset(r->beside, 0, 6 * sim->model->nb * sizeof *r->beside);
  mb_met_add_pushes(sim, g->met->pushed, g->met->mu, -1, g->met->seen[0], r->beside);
  mb_rubbed_gather(sim->model, sim->x.E, r->beside);
  for (size_t i = 0; i < 6 * sim->model->nb; i++) r->beside[i] += F[i];
  return r->beside;
}

bool mb_slope_rubbed_at(MbSensitivity *g) {
  MbRubbed *r = rubbed(g);
  const MbTangentRows *rows = mb_tangent_rows(g->tangent);
  const size_t nv = g->probe->nv;
  if (!r) return true;
  mb_rubbed_begin(r, g->tied->forces, wrenches(g));
  for (size_t i = 0; i < rows->nties; i++) {
    const MbTangentTie *tie = &rows->tie[i];
    for (size_t k = tie->first; k < tie->first + tie->n; k++) {
      const MbTangentRow *row = &rows->row[k];
      if (!row->loaded || row->idle) continue;
      if (mb_rubbed_add(r, k, tie->constraint, row->slot, row->slips, g->tied->G + nv * k,
                        g->tied->Y + nv * k))
        continue;
      g->parted = "what presses inside a joint does not follow from what it transmits";
      return false;
    }
  }
  return true;
}

void mb_slope_rubbed_fill(MbSensitivity *g, double *S, size_t width) {
  const MbTangentRows *rows = mb_tangent_rows(g->tangent);
  MbRubbed *r = rubbed(g);
  if (!r) return;
  for (size_t k = 0; k < rows->n; k++) {
    const MbTangentRow *row = &rows->row[k];
    r->slot[k] = (row->slips && !row->loaded) || row->idle ? SIZE_MAX : row->slot;
  }
  mb_rubbed_fill(r, S, rows->n, width);
}

bool mb_slope_rubbed_settled(MbSensitivity *g) {
  MbTied *t = g->tied;
  if (g->met && g->met->n) return true; // contacts are in the border as well: sensitivity_met.c looks there
  if (!rubbed(g) || mb_rubbed_settled(rubbed(g), &t->S, t->Y, t->asked)) return true;
  g->parted = "joints rub under loads that are not unique";
  return false;
}

void mb_slope_rubbed_felt(MbSensitivity *g, double *eta) {
  if (rubbed(g)) mb_rubbed_felt(rubbed(g), eta);
}

const double *mb_slope_rubbed_twists(const MbSensitivity *g) {
  return rubbed(g) && rubbed(g)->n ? rubbed(g)->twist : NULL;
}

void mb_slope_rubbed_leave(MbSensitivity *g) {
  if (!rubbed(g)) return;
  memset(rubbed(g)->twist, 0, 6 * g->sim->model->nb * sizeof(double));
  memset(rubbed(g)->move, 0, 6 * g->sim->model->nb * sizeof(double));
}

void mb_slope_rubbed_meets(MbSensitivity *g, double *S, size_t width) {
  const MbRubbed *r = rubbed(g);
  const MbMet *met = g->met;
  for (size_t i = 0; r && i < r->n; i++) {
    const double *psi = mb_rubbed_motion(r, &r->row[i]);
    double *row = S + width * r->row[i].at + mb_tangent_rows(g->tangent)->n, axis[3][3], rate[3];
    for (size_t k = 0; k < met->n && psi; k++) {
      mb_touch_axes(met->pushed->touch[k].normal, axis);
      mb_met_rate(g->probe, &met->seen[0][k], psi, rate);
      for (size_t a = 0; a < 3; a++) row[3 * k + a] += r->row[i].scale * mb_vec3_dot(axis[a], rate);
    }
  }
}

void mb_slope_rubbed_pushed(MbSensitivity *g, const MbSeen *seen, double *x) {
  const MbRubbed *r = rubbed(g);
  for (size_t i = 0; r && i < r->n; i++) {
    const double *psi = mb_rubbed_motion(r, &r->row[i]);
    double rate[3];
    if (!psi) continue;
    mb_met_rate(g->probe, seen, psi, rate);
    x[r->row[i].at] += r->row[i].scale * mb_vec3_dot(seen->normal, rate);
  }
}

void mb_slope_rubbed_tell(MbSensitivity *g, double t, int64_t step, MbReport *report) {
  if (rubbed(g)) mb_rubbed_tell(rubbed(g), t, step, report);
}

// ---- numbers --------------------------------------------------------------------------------------------------------

// r->push ← what joints do to bodies on a side whose tangent has been asked for τ last, where its bodies are: less what rows of constraints and contacts push there. False: contacts are not found.
static bool find_wrenches_on(MbSensitivity *g, const MbSlope *slope, int s, const MbStageNote *note) {
  MbRubbed *r = rubbed(g);
  MbSim *side = mb_slope_side(slope, s);
  const MbModel *model = side->model;
  const MbTangentRows *rows = mb_tangent_rows(g->tangent);
  const MbRowSet *set = &side->constraining->set;
  mb_slope_tied_look(g, side);
  mb_tangent_rows_place(side, MB_TANGENT_ONCE, mb_axes_q(slope->axes, s, g->q1),
                        mb_axes_v(slope->axes, s, MB_AXES_FELT, note->from), g->tied->end);
  memset(r->push, 0, 6 * model->nb * sizeof *r->push);
  for (size_t k = 0; k < rows->n; k++) {
    const size_t slot = rows->row[k].slot;
    mb_row_push(set, slot, -mb_tangent_row_pushes(&rows->row[k], &set->row[slot]), r->push);
  }
  const bool fine = mb_met_push_on(g, slope, s, note, r->push);
  mb_rubbed_gather(model, side->x.E, r->push);
  const double *F = mb_tangent_wrenches(slope->side[s]);
  for (size_t i = 0; i < 6 * model->nb; i++) r->push[i] += F[i];
  return fine;
}

// Of a number that turns the axes that bodies are told in, with each side's own bodies.
static bool number_beside(MbSensitivity *g, size_t k, const MbStageNote *note, double *out) {
  const MbRubbed *r = rubbed(g);
  const MbSlope *slope = &g->slopes[k];
  double sum = 0;
  mb_slope_by_number(g, slope, note, note->from, g->number[k].move, g->rate);
  for (int s = 0; s < 2; s++) {
    MbSim *side = mb_slope_side(slope, s);
    if (!find_wrenches_on(g, slope, s, note)) {
      g->parted = "contacts are not where they were beside it";
      return false;
    }
    for (size_t i = 0; i < r->n; i++)
      sum += (s ? 1 : -1) * mb_rubbed_value(r, &r->row[i], side->model, side, r->push);
  }
  *out += sum / (2 * g->number[k].move);
  return true;
}

bool mb_slope_rubbed_number(MbSensitivity *g, size_t k, const MbStageNote *note, double *out) {
  const MbRubbed *r = rubbed(g);
  const MbSlope *slope = &g->slopes[k];
  double sum = 0;
  if (!r || !r->n) return true;
  if (mb_tangent_number_jumps(slope->number)) return number_beside(g, k, note, out);
  for (size_t i = 0; i < r->n; i++)
    if (mb_rubbed_asks(&r->row[i], g->sim->model, slope->number))
      sum += mb_rubbed_value(r, &r->row[i], slope->more->model, g->probe, r->F) -
             mb_rubbed_value(r, &r->row[i], slope->less->model, g->probe, r->F);
  *out += sum / (2 * g->number[k].move);
  return true;
}
