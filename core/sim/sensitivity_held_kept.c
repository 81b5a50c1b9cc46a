// Prescribed velocities of joints under solver "maximal", which a joint's move in the step keeps to (kept_moves.c). With c the coordinate by where bodies are,
//
//   r = (c(q⁺) − c(q))/h + ġ_t,   q⁺ = q ⊕ h v⁺,     dq⁺ = T₀ dq + h T dv⁺
//
// in the place of G v⁺ + ġ_t. It still pushes by Gᵀ μ, where the step begins. With c̄⁺ = ∂c/∂q⁺ at the step's end,
//
//   ∂r/∂v⁺ = c̄⁺ T,   ∂r/∂q = (c̄⁺ T₀ − ∂c/∂q)/h
//
// the first in the place of G in S = G Y + E and w̄ + Gᵀ ζ. The last term is a weight of the coordinate, as others along it are.
#include "core/model/coordinates.h"
#include "core/sim/kept_moves.h"
#include "core/sim/sensitivity_held.h"

#include <string.h>

bool mb_held_kept_is(const MbHeldRows *r, const MbConstraint *constraint) {
  return r->at == MB_HELD_ONCE && mb_kept_rate(r->sim, constraint);
}

bool mb_held_kept_make(MbSensitivity *g, MbHeldRows *r) {
  const MbModel *model = g->sim->model;
  if (r->at != MB_HELD_ONCE) return true;
  r->before = mb_arena_alloc(&g->arena, model->nslots * g->sim->nv + 1, sizeof *r->before);
  r->q1 = mb_arena_alloc(&g->arena, g->sim->nq, sizeof *r->q1);
  r->E1 = mb_arena_alloc(&g->arena, model->nb, sizeof *r->E1);
  r->side_E1 = mb_arena_alloc(&g->arena, model->nb, sizeof *r->side_E1);
  return r->before && r->q1 && r->E1 && r->side_E1;
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
  memcpy(r->q1, turn->q, sim->nq * sizeof *r->q1);
  sim->solver->map->layout->advance(sim->model, r->q1, sim->model->h, turn->note[0].w, 0, sim->model->nb);
  take_poses(sim, r->q1, 0, sim->model->nb, r->E1);
}

// slope (nv) ← how the coordinate changes along motions of a body at the step's end.
static void slopes_of(MbSensitivity *g, const MbConstraint *constraint, size_t body, double *slope) {
  static const double MOVE = 1e-5;
  MbHeldRows *r = g->held->rows;
  const MbSim *sim = g->probe;
  const MbLayout *layout = sim->solver->map->layout;
  const size_t place = layout->place(sim->model, body), first = layout->velocity(sim->model, body);
  double here[7], *step = r->y;
  memcpy(here, r->q1 + place, sizeof here);
  memset(step, 0, sim->nv * sizeof *step);
  for (size_t k = first; k < first + 6; k++) {
    for (int side = -1; side <= 1; side += 2) {
      step[k] = side * MOVE;
      layout->advance(sim->model, r->q1, 1, step, body, body + 1);
      take_poses(sim, r->q1, body, body + 1, r->E1);
      slope[k] += side * mb_kept_coordinate(sim->model, constraint, sim->x.q, r->E1) / (2 * MOVE);
      memcpy(r->q1 + place, here, sizeof here);
    }
    step[k] = 0;
  }
  take_poses(sim, r->q1, body, body + 1, r->E1);
}

void mb_held_kept_row(MbSensitivity *g, const MbHeldRow *row) {
  MbHeldRows *r = g->held->rows;
  const MbSim *sim = g->probe;
  const MbConstraint *constraint = &sim->model->constraints[row->constraint];
  const size_t nv = sim->nv, body = mb_coordinates_body(sim->model, constraint->q[0]);
  const double h = sim->model->h;
  double *slope = g->less, *G = r->G + nv * row->tied;
  memset(slope, 0, nv * sizeof *slope);
  slopes_of(g, constraint, body, slope);
  if (sim->model->parent[body] != MB_WORLD) slopes_of(g, constraint, sim->model->parent[body], slope);
  for (size_t i = 0; i < nv; i++) slope[i] /= h, r->y[i] = h * r->w[i];
  mb_tangent_moved_transposed(g->held->free.sim, r->y, slope, r->before + nv * row->tied, G);
  for (size_t i = 0; i < nv; i++) G[i] *= h;
}

void mb_held_kept_back(MbSensitivity *g, double *q) {
  const MbHeldRows *r = g->held->rows;
  const size_t nv = g->probe->nv;
  for (size_t k = 0; r && k < r->n; k++)
    for (size_t i = 0; r->row[k].kept && i < nv; i++)
      q[i] += r->row[k].zeta * r->before[nv * r->row[k].tied + i];
}

bool mb_held_kept_may(const MbSensitivity *g) {
  const MbHeldRows *r = g->held->rows;
  const MbModel *model = g->probe->model;
  bool may = false;
  for (size_t i = 0; r && i < model->nconstraints; i++) may |= mb_held_kept_is(r, &model->constraints[i]);
  return may;
}

static bool any_kept(const MbHeldRows *r) {
  bool any = false;
  for (size_t k = 0; k < r->n; k++) any |= r->row[k].kept;
  return any;
}

// As a side's model has them.
static double kept_side(MbSensitivity *g, const MbModel *model, size_t k, int side) {
  MbHeldRows *r = g->held->rows;
  const MbSim *sim = g->probe;
  double sum = 0;
  memcpy(r->side_E1, r->E1, model->nb * sizeof *r->E1);
  mb_axes_poses(g->slopes[k].axes, side, r->side_E1);
  for (size_t i = 0; i < r->n; i++)
    if (r->row[i].kept)
      sum += r->row[i].zeta / model->h *
             mb_kept_coordinate(model, &model->constraints[r->row[i].constraint], sim->x.q, r->side_E1);
  return sum;
}

double mb_held_kept_number(MbSensitivity *g, size_t k) {
  if (!g->held->rows || !any_kept(g->held->rows)) return 0;
  return kept_side(g, g->slopes[k].more->model, k, 1) - kept_side(g, g->slopes[k].less->model, k, 0);
}
