// What a joint keeps to in a step under solver "maximal": prescribed velocities, and what dry friction holds (kept_moves.c). With s how far the joint moves between two places of its bodies,
//
//   r = s(q, q⁺)/h + ġ_t,   q⁺ = q ⊕ h v⁺,     dq⁺ = T₀ dq + h T dv⁺
//
// in the place of G v⁺ + ġ_t. It still pushes by Gᵀ μ, where the step begins. With s̄⁺ = ∂s/∂q⁺ and s̄ = ∂s/∂q
//
//   ∂r/∂v⁺ = s̄⁺ T,   ∂r/∂q = (s̄⁺ T₀ + s̄)/h
//
// the first in the place of G in S = G Y + E and w̄ + Gᵀ ζ. Both are differences along the motions of the joint's two bodies.
#include "core/model/coordinates.h"
#include "core/sim/kept_moves.h"
#include "core/sim/sensitivity_held.h"
#include "core/sim/tangent_number.h"

#include <string.h>

bool mb_held_kept_is(const MbHeldRows *r, const MbConstraint *constraint) {
  return r->at == MB_HELD_ONCE && mb_kept_is(r->sim, constraint);
}

bool mb_held_kept_make(MbSensitivity *g, MbHeldRows *r) {
  const MbModel *model = g->sim->model;
  if (r->at != MB_HELD_ONCE) return true;
  r->before = mb_arena_alloc(&g->arena, model->nslots * g->sim->nv + 1, sizeof *r->before);
  r->q1 = mb_arena_alloc(&g->arena, g->sim->nq, sizeof *r->q1);
  r->q0 = mb_arena_alloc(&g->arena, g->sim->nq, sizeof *r->q0);
  r->E0 = mb_arena_alloc(&g->arena, model->nb, sizeof *r->E0);
  r->E1 = mb_arena_alloc(&g->arena, model->nb, sizeof *r->E1);
  r->side_E1 = mb_arena_alloc(&g->arena, model->nb, sizeof *r->side_E1);
  return r->before && r->q0 && r->q1 && r->E0 && r->E1 && r->side_E1;
}

// The poses of bodies [begin, end) at the solver's coordinates q.
static void take_poses(const MbSim *sim, const double *q, size_t begin, size_t end, MbPose *E) {
  const MbLayout *layout = sim->solver->map->layout;
  for (size_t b = begin; b < end; b++) {
    const double *own = q + layout->place(sim->model, b);
    memcpy(E[b].p, own, sizeof E[b].p);
    memcpy(E[b].q, own + 3, sizeof E[b].q);
    mb_quat_normalise(E[b].q);
  }
}

void mb_held_kept_at(MbSensitivity *g, const MbTurn *turn) {
  MbHeldRows *r = g->held->rows;
  const MbSim *sim = g->probe;
  r->w = turn->note[0].w;
  if (!sim->constraining->kept) return;
  memcpy(r->q0, turn->q, sim->nq * sizeof *r->q0), memcpy(r->q1, turn->q, sim->nq * sizeof *r->q1);
  sim->solver->map->layout->advance(sim->model, r->q1, sim->model->h, turn->note[0].w, 0, sim->model->nb);
  take_poses(sim, r->q0, 0, sim->model->nb, r->E0);
  take_poses(sim, r->q1, 0, sim->model->nb, r->E1);
}

// How far the joint of a row moves in the step, as a model has it.
static double moved_by(const MbHeldRows *r, const MbModel *model, const MbHeldRow *row, MbPose *from,
                       MbPose *to) {
  const MbConstraint *constraint = &model->constraints[row->constraint];
  double s[MB_RUB_ROWS];
  mb_kept_moved(model, constraint, r->sim->x.q, from, to, s);
  return s[row->slot - constraint->slot];
}

// slope (nv) += how that changes along motions of a body where the step begins, or where it ends, of which q and E are.
static void slopes_of(MbHeldRows *r, const MbHeldRow *row, size_t body, double *q, MbPose *E, double *slope) {
  static const double MOVE = 1e-5;
  const MbSim *sim = r->sim;
  const MbLayout *layout = sim->solver->map->layout;
  const size_t place = layout->place(sim->model, body), first = layout->velocity(sim->model, body);
  double here[7], *step = r->y;
  memcpy(here, q + place, sizeof here);
  memset(step, 0, sim->nv * sizeof *step);
  for (size_t k = first; k < first + 6; k++) {
    for (int side = -1; side <= 1; side += 2) {
      step[k] = side * MOVE;
      layout->advance(sim->model, q, 1, step, body, body + 1);
      take_poses(sim, q, body, body + 1, E);
      slope[k] += side * moved_by(r, sim->model, row, r->E0, r->E1) / (2 * MOVE);
      memcpy(q + place, here, sizeof here);
    }
    step[k] = 0;
  }
  take_poses(sim, q, body, body + 1, E);
}

void mb_held_kept_row(MbSensitivity *g, const MbHeldRow *row) {
  MbHeldRows *r = g->held->rows;
  const MbSim *sim = g->probe;
  const size_t nv = sim->nv;
  const double h = sim->model->h;
  double *end = g->less, *begin = g->more, *G = r->G + nv * row->tied, *before = r->before + nv * row->tied;
  size_t body[2];
  mb_kept_bodies(sim->model, &sim->model->constraints[row->constraint], body);
  memset(end, 0, nv * sizeof *end), memset(begin, 0, nv * sizeof *begin);
  for (int i = 0; i < 2; i++) {
    if (body[i] == MB_WORLD) continue;
    slopes_of(r, row, body[i], r->q0, r->E0, begin);
    slopes_of(r, row, body[i], r->q1, r->E1, end);
  }
  for (size_t i = 0; i < nv; i++) end[i] /= h, r->y[i] = h * r->w[i];
  mb_tangent_moved_transposed(g->held->free.sim, r->y, end, before, G);
  for (size_t i = 0; i < nv; i++) G[i] *= h, before[i] += begin[i] / h;
}

void mb_held_kept_back(MbSensitivity *g, double *q) {
  const MbHeldRows *r = g->held->rows;
  const size_t nv = g->probe->nv;
  for (size_t k = 0; r && k < r->n; k++)
    for (size_t i = 0; r->row[k].kept && i < nv; i++)
      q[i] += r->row[k].zeta * r->before[nv * r->row[k].tied + i];
}

// ---- numbers --------------------------------------------------------------------------------------------------------

// Whether a number changes how far the joint of a constraint moves between two places of its bodies.
static bool changes(const MbSensitivity *g, size_t k, size_t constraint) {
  const MbModel *model = g->probe->model;
  const MbConstraint *c = &model->constraints[constraint];
  const MbTangentNumber *number = g->held->number[k].of;
  if (mb_held_number_jumps(g, k) || mb_tangent_number_ties(number, constraint)) return true;
  return c->ops->coordinates > 0 && mb_tangent_number_hangs(number, mb_coordinates_body(model, c->q[0]));
}

bool mb_held_kept_asks(const MbSensitivity *g, size_t k) {
  const MbHeldRows *r = g->held->rows;
  const MbModel *model = g->probe->model;
  bool asks = false;
  for (size_t i = 0; r && i < model->nconstraints && !asks; i++)
    asks = mb_held_kept_is(r, &model->constraints[i]) && changes(g, k, i);
  return asks;
}

// As a side's model has them.
static double kept_side(MbSensitivity *g, size_t k, int side) {
  MbHeldRows *r = g->held->rows;
  const MbModel *model = mb_slope_side(&g->slopes[k], side)->model;
  double sum = 0;
  mb_held_side(g, k, side);
  memcpy(r->side_E1, r->E1, model->nb * sizeof *r->E1);
  mb_axes_poses(g->slopes[k].axes, side, r->side_E1);
  for (size_t i = 0; i < r->n; i++)
    if (r->row[i].kept && changes(g, k, r->row[i].constraint))
      sum += r->row[i].zeta / model->h * moved_by(r, model, &r->row[i], g->held->side_E, r->side_E1);
  return sum;
}

double mb_held_kept_number(MbSensitivity *g, size_t k) {
  const MbHeldRows *r = g->held->rows;
  bool any = false;
  for (size_t i = 0; r && i < r->n; i++) any |= r->row[i].kept;
  return any && mb_held_kept_asks(g, k) ? kept_side(g, k, 1) - kept_side(g, k, 0) : 0;
}
