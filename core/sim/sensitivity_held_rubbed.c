// Friction inside joints, back through steps under solver "maximal" (rub_rows.c has the equations). What a joint does to its body is what that and all bodies behind it ask for beside forces and constraints,
//
//   F = Σ X ( τ − Hᵀ μ ),       weighed by twists P of the joints:  Ψ · (τ − Hᵀ μ),   Ψ = X Ψ_p + P  down the tree
//
// so that of the weights z of the equations of motion joints' rows have z, and bodies and constraints z + Ψ. Ψ stands in the bodies' axes and turns with what bodies move against their parents, which is felt by
// what Xᵀ (the bracket of X Ψ_p with F) is on both. As z is a velocity, whose linear part is in the world's axes, and Ψ is none, what the former is felt by as bodies turn is taken off.
#include "core/math/dense6.h"
#include "core/math/spatial.h"
#include "core/model/coordinates.h"
#include "core/sim/rub_rows.h"
#include "core/sim/sensitivity_held.h"

#include <string.h>

struct MbHeldRubbed {
  MbRubbed *law;
  double *W, *F; // (nb x 6) what bodies ask for beside forces and constraints, and what joints do to them
  double *psi;   // (nb x 6)
  double *z;     // (nv) weights of the equations with it
};

bool mb_held_rubbed_make(MbSensitivity *g) {
  MbHeldBack *held = g->held;
  const size_t nb = g->sim->model->nb;
  if (!g->sim->model->nloads) return true;
  MbHeldRubbed *r = held->rubbed = mb_arena_alloc(&g->arena, 1, sizeof *r);
  if (!r || !(r->law = mb_rubbed_create(&g->arena, g->probe))) return false;
  double **const lists[] = {&r->W, &r->F, &r->psi, &r->z};
  bool ok = true;
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
    ok &= (*lists[i] = mb_arena_alloc(&g->arena, 6 * nb + 1, sizeof(double))) != NULL;
  return ok;
}

void mb_held_rubbed_step(MbSensitivity *g, const double *loads) {
  if (g->held->rubbed) mb_rubbed_step(g->held->rubbed->law, loads);
}

void mb_held_rubbed_begin(MbSensitivity *g, const double *forces) {
  MbHeldRubbed *r = g->held->rubbed;
  const MbHeldRows *rows = g->held->rows;
  const size_t size = 6 * g->probe->model->nb * sizeof(double);
  if (!r) return;
  memcpy(r->W, mb_tangent_wrenches(g->held->free.tangent), size);
  for (size_t k = 0; k < rows->n; k++)
    mb_row_push(&g->probe->constraining->set, rows->row[k].slot, -rows->row[k].mu, r->W);
  memcpy(r->F, r->W, size);
  mb_rubbed_gather(g->probe->model, g->probe->x.E, r->F);
  mb_rubbed_begin(r->law, forces, r->F);
}

bool mb_held_rubbed_row(MbSensitivity *g, const MbHeldRow *row) {
  MbHeldRows *rows = g->held->rows;
  const size_t nv = g->probe->nv;
  if (mb_rubbed_add(g->held->rubbed->law, row->tied, row->constraint, row->slot, row->slips,
                    rows->G + nv * row->tied, rows->Y + nv * row->tied))
    return true;
  g->parted = "what presses inside a joint does not follow from what it transmits";
  return false;
}

void mb_held_rubbed_fill(MbSensitivity *g) {
  MbHeldRubbed *r = g->held->rubbed;
  MbHeldRows *rows = g->held->rows;
  if (!r) return;
  for (size_t i = 0; i < rows->n; i++)
    if (rows->row[i].tied != SIZE_MAX)
      r->law->slot[rows->row[i].tied] = rows->row[i].idle ? SIZE_MAX : rows->row[i].slot;
  mb_rubbed_fill(r->law, rows->S.S, rows->ntied, rows->ntied);
}

bool mb_held_rubbed_settled(MbSensitivity *g) {
  MbHeldRows *rows = g->held->rows;
  if (!g->held->rubbed || mb_rubbed_settled(g->held->rubbed->law, &rows->S, rows->Y, rows->asked))
    return true;
  g->parted = "joints rub under loads that are not unique";
  return false;
}

void mb_held_rubbed_felt(MbSensitivity *g) {
  if (g->held->rubbed) mb_rubbed_felt(g->held->rubbed->law, g->held->rows->asked);
}

double *mb_held_rubbed_weigh(MbSensitivity *g, double *z) {
  MbHeldRubbed *r = g->held->rubbed;
  const MbSim *sim = g->probe;
  if (!r) return z;
  mb_rubbed_carry(sim->model, sim->x.E, r->law->twist, r->psi);
  for (size_t b = 0; b < sim->model->nb; b++) {
    double along[6];
    mb_velocity_of_twist(&sim->x.E[b], r->psi + 6 * b, along);
    for (size_t i = 0; i < 6; i++) r->z[6 * b + i] = z[6 * b + i] + along[i];
  }
  return r->z;
}

void mb_held_rubbed_twists(const MbSensitivity *g, double *z) {
  const MbHeldRubbed *r = g->held->rubbed;
  for (size_t i = 0; r && i < 6 * g->probe->model->nb; i++) z[i] += r->psi[i];
}

void mb_held_rubbed_back(MbSensitivity *g) {
  const MbHeldRubbed *r = g->held->rubbed;
  const MbSim *sim = g->probe;
  double *move = g->held->move;
  if (!r) return;
  mb_rubbed_turn(sim->model, sim->x.E, r->psi, r->F, move);
  for (size_t b = 0; b < sim->model->nb; b++) {
    double turned[3];
    for (size_t i = 0; i < 6; i++) move[6 * b + i] += r->law->move[6 * b + i];
    mb_vec3_cross(turned, r->W + 6 * b + 3, r->psi + 6 * b + 3);
    mb_vec3_sub(move + 6 * b, move + 6 * b, turned);
  }
}

// ---- numbers --------------------------------------------------------------------------------------------------------

// What rows' largest forces are, weighed, on a side of a number, in its axes.
static double value_on(MbSensitivity *g, size_t k, int s) {
  const MbHeldRubbed *r = g->held->rubbed;
  MbSim *side = mb_slope_side(&g->slopes[k], s);
  const MbModel *model = side->model;
  const MbMaximal own = side->x;
  double sum = 0;
  mb_rows_signals(side, g->held->rows->t);
  mb_held_side(g, k, s);
  memcpy(r->law->push, r->F, 6 * model->nb * sizeof(double));
  mb_axes_twists(g->slopes[k].axes, s, r->law->push);
  side->x.E = g->held->side_E, side->x.phi = g->held->side_phi;
  side->x.q = g->probe->x.q, side->x.v = g->probe->x.v;
  for (size_t i = 0; i < r->law->n; i++)
    if (mb_held_number_jumps(g, k) || mb_rubbed_asks(&r->law->row[i], model, g->held->number[k].of))
      sum += mb_rubbed_value(r->law, &r->law->row[i], model, side, r->law->push);
  side->x = own;
  return sum;
}

double mb_held_rubbed_number(MbSensitivity *g, size_t k) {
  const MbHeldRubbed *r = g->held->rubbed;
  bool asks = false;
  for (size_t i = 0; r && i < r->law->n; i++)
    asks |=
        mb_held_number_jumps(g, k) || mb_rubbed_asks(&r->law->row[i], g->probe->model, g->held->number[k].of);
  return asks ? (value_on(g, k, 1) - value_on(g, k, 0)) / (2 * g->number[k].move) : 0;
}

void mb_held_rubbed_tell(MbSensitivity *g, double t, int64_t step, MbReport *report) {
  if (g->held->rubbed) mb_rubbed_tell(g->held->rubbed->law, t, step, report);
}
