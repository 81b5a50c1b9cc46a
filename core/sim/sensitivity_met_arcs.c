// Contacts on the way back that are carried along arcs (touch_carried.c). With rows G where the step begins, φ = G v the rates by velocities v, s how far what meets slips in the step by them, and c the share of that
// which is asked for, they ask of the velocities w that are solved for
//
//   A(q, w) = G w − c (φ − s/h),   s = s(q, q⁺),  c = c(q, q⁺),  q⁺ = q ⊕ h v
//
// in the place of G w; normals do so where joints hold one of the two, and nothing is thrown back. v is w, where any contact of the step is one of links, as the step is solved again about where it has led until both are
// the same; else the velocities `from` which the step begins with. It still pushes by Gᵀ μ. With D = ∂A/∂q⁺, along motions of bodies where they get to,  dq⁺ = T₀ dq + h T dv, and
//
//   R = −c G + h D J⁺ T
//
// a change is  dA = G dw + R dv + (∂A/∂q + D J⁺ T₀) dq.  So rows that ask, G̃ = G + R, are others than those that push, where v is w:  S = B G̃ Y + C,  z = −h A⁻¹ (w̄ + G̃ᵀ ζ).  Where v is `from`, v̄ += Rᵀ ζ.  ∂A/∂q, with places q⁺
// left as they are, is a part of the sum of sensitivity_met_sum.c. s is no more than a rigid motion of the two bodies, so that D is by differences without a look at what touches. c goes by how the two turn against one another, which may be
// by next to nothing: it is taken for straight about what they turn by.
#include "core/sim/evaluate.h"
#include "core/sim/layout.h"
#include "core/sim/ports.h"
#include "core/sim/sensitivity_met.h"
#include "core/sim/touch_axes.h"

#include <math.h>
#include <string.h>

static const double MOVE = 1e-5; // rad, m: to either side
static const double FOUND =
    1e-8; // of how fast things are: by how much less velocities have to change again where they lead

static const char *const APART = "where contacts are carried was not found to the end";

static bool lost(MbSensitivity *g, const char *why) {
  g->parted = why;
  return false;
}

// ---- room -----------------------------------------------------------------------------------------------------------

bool mb_met_arcs_make(MbSensitivity *g) {
  MbMetArcs *arcs = &g->met->arcs;
  const size_t nb = g->sim->model->nb;
  for (int i = 0; i < 2; i++) arcs->to[i] = mb_arena_alloc(&g->arena, nb + 1, sizeof **arcs->to);
  arcs->ahead = mb_arena_alloc(&g->arena, g->sim->nq + 1, sizeof(double));
  for (int i = 0; i < 3; i++) arcs->scratch[i] = mb_arena_alloc(&g->arena, g->met->width + 1, sizeof(double));
  arcs->phi = mb_arena_alloc(&g->arena, 6 * nb + g->met->width + 1, sizeof(double));
  return arcs->to[0] && arcs->to[1] && arcs->ahead && arcs->scratch[0] && arcs->scratch[1] &&
         arcs->scratch[2] && arcs->phi;
}

// Room for all contacts of the step at hand; false: out of memory.
static bool reserve(MbSensitivity *g) {
  MbMetArcs *arcs = &g->met->arcs;
  const size_t room = g->met->room, rows = 3 * room * g->met->width;
  if (room <= arcs->room) return true;
  arcs->of = mb_arena_alloc(&g->arena, room, sizeof *arcs->of);
  arcs->zeta = mb_arena_alloc(&g->arena, 3 * room, sizeof(double));
  arcs->R = mb_arena_alloc(&g->arena, rows, sizeof(double));
  arcs->before = mb_arena_alloc(&g->arena, rows, sizeof(double));
  const bool ok = arcs->of && arcs->zeta && arcs->R && arcs->before;
  arcs->room = ok ? room : 0;
  return ok;
}

// ---- what a contact asks for ----------------------------------------------------------------------------------------

static MbArcOf contact_of(const MbMetSum *sum, size_t i, const MbSeen *seen) {
  const MbPushed *touch = &sum->pushed->touch[i];
  return (MbArcOf){touch->a, touch->b, seen->point, seen->n, seen->body, seen->weight};
}

static MbArcs arcs_of(const MbMetSum *sum, const MbMetArc *arc) {
  return (MbArcs){sum->to, sum->by, !sum->arcs->settles, arc ? arc->turns : NULL};
}

bool mb_met_arc_is(const MbMetSum *sum, size_t i) { return sum->arcs && sum->arcs->of[i].is; }

void mb_met_arc_along(const MbSim *sim, const MbMetSum *sum, size_t i, const MbSeen *seen, const double *phi,
                      double axis[3][3], double along[3]) {
  const MbMetArc *arc = &sum->arcs->of[i];
  const MbArcs arcs = arcs_of(sum, arc);
  const MbArcOf of = contact_of(sum, i, seen);
  double rate[3], s[3];
  const double share = mb_touch_arc(sim, &arcs, &of, s);
  mb_met_rate(sim, seen, phi, rate);
  mb_vec3_add_scaled(rate, rate, -1 / sim->model->h, s);
  for (int k = 0; k < 3; k++) along[k] = k || arc->closes ? share * mb_vec3_dot(rate, axis[k]) : 0;
}

// ---- where bodies get to --------------------------------------------------------------------------------------------

void mb_met_arcs_reach(const MbMet *met, MbSim *at, const double *q, int which, MbMetSum *sum) {
  const MbMetArcs *arcs = &met->arcs;
  if (!sum->arcs) return;
  memcpy(arcs->ahead, q, at->nq * sizeof *q);
  at->solver->map->layout->advance(at->model, arcs->ahead, at->model->h, sum->by, 0, at->model->nb);
  mb_sim_kinematics(at, arcs->ahead, sum->by);
  memcpy(arcs->to[which], at->x.E, at->model->nb * sizeof *at->x.E);
  sum->to = arcs->to[which];
}

// ---- rows -----------------------------------------------------------------------------------------------------------

// D (3 x 6) ← −∂along/∂q⁺ of the body at one end of a contact.
static void slopes_of(MbMet *met, const MbMetSum *sum, size_t i, size_t body, double D[3][6]) {
  MbPose *to = &met->arcs.to[0][body];
  const MbPose there = *to;
  double axis[3][3];
  mb_touch_axes(sum->pushed->touch[i].normal, axis);
  for (size_t j = 0; j < 6; j++) {
    double along[2][3];
    for (int side = 0; side < 2; side++) {
      double move[6] = {0};
      MbPose moved;
      move[j] = side ? MOVE : -MOVE;
      mb_se3_exp(&moved, move);
      mb_pose_mul(to, &there, &moved);
      mb_met_arc_along(met->beside, sum, i, &met->seen[0][i], met->arcs.phi, axis, along[side]);
    }
    for (int k = 0; k < 3; k++) D[k][j] = -(along[1][k] - along[0][k]) / (2 * MOVE);
  }
  *to = there;
}

// Finds the slopes of a contact, where the bodies of `beside` begin the step.
static void find_slopes(MbMet *met, const MbMetSum *sum, size_t i) {
  MbMetArc *arc = &met->arcs.of[i];
  const MbSeen *seen = &met->seen[0][i];
  const MbArcs arcs = arcs_of(sum, NULL);
  const MbArcOf of = contact_of(sum, i, seen);
  double s[3];
  mb_touch_arc_turns(met->beside, &arcs, &of, arc->turns);
  arc->share = mb_touch_arc(met->beside, &arcs, &of, s);
  for (size_t end = 0; end < seen->n; end++)
    if (seen->body[end] < met->beside->model->nlisted) slopes_of(met, sum, i, seen->body[end], arc->D[end]);
}

// Adds J⁺ᵀ D of row k to y, and what it asks of the velocities of nodes to R.
static void carry_row(MbMet *met, size_t i, size_t k, const double axis[3], double *y, double *R) {
  MbSim *at = met->beside;
  MbMetArc *arc = &met->arcs.of[i];
  const MbSeen *seen = &met->seen[0][i];
  for (size_t end = 0; end < seen->n; end++) {
    const bool node = seen->body[end] >= at->model->nlisted;
    double H[6] = {0}, carried[6];
    if (node)
      mb_vec3_scale(H + 3, arc->share * seen->weight[end], axis);
    else
      memcpy(H, arc->D[end][k], sizeof H);
    at->solver->carry(at->work, seen->body[end], H, carried, node ? R : y);
  }
}

// Whether a row pushes nothing, so that it asks for nothing but rounding.
static bool is_none(const double *G, size_t nv) {
  for (size_t j = 0; j < nv; j++)
    if (G[j] != 0) return false;
  return true;
}

// R, and D J⁺ T₀, of a contact, where the bodies of `beside` end the step.
static void make_rows(MbMet *met, size_t i) {
  const MbSim *at = met->beside;
  const size_t nv = met->width;
  const double h = at->model->h;
  const MbMetArc *arc = &met->arcs.of[i];
  double axis[3][3], *y = met->arcs.scratch[1], *change = met->arcs.scratch[2];
  mb_touch_axes(met->pushed->touch[i].normal, axis);
  for (size_t k = 0; k < 3; k++) {
    const size_t row = (3 * i + k) * nv;
    double *R = met->arcs.R + row, *before = met->arcs.before + row;
    memset(R, 0, nv * sizeof *R), memset(before, 0, nv * sizeof *before);
    if (!arc->is || (k == 0 && !arc->closes) || is_none(met->G + row, nv)) continue;
    memset(y, 0, nv * sizeof *y), memset(change, 0, nv * sizeof *change);
    carry_row(met, i, k, axis[k], y, R);
    mb_tangent_moved_transposed(at, met->arcs.scratch[0], y, before, change);
    for (size_t j = 0; j < nv; j++) R[j] += h * change[j] - arc->share * met->G[row + j];
    if (at->model->nports) mb_ports_give(at, R, R + at->nv);
  }
}

// Whether the normal of a carried contact asks for the arc too. phi are the twists that the step begins with.
static bool closes(const MbSim *at, const MbPushed *touch, const MbSeen *seen, const double *phi) {
  double rate[3];
  mb_met_rate(at, seen, phi, rate);
  const double comes = -mb_vec3_dot(seen->normal, rate);
  const bool thrown = seen->bounce > 0 && comes > at->touching->rules->threshold;
  return !thrown && mb_touch_arc_closes(at, touch->a, touch->b);
}

// Finds which contacts are carried. Returns whether any is.
static bool find_carried(MbMet *met, const double *from) {
  MbSim *at = met->beside;
  bool any = false;
  mb_met_twists(at, met->q, from, met->arcs.phi);
  for (size_t i = 0; i < met->n; i++) {
    const MbPushed *touch = &met->pushed->touch[i];
    MbMetArc *arc = &met->arcs.of[i];
    arc->is = mb_touch_carries(at, touch->a, touch->b);
    arc->closes = arc->is && closes(at, touch, &met->seen[0][i], met->arcs.phi);
    any |= arc->is;
  }
  return any;
}

bool mb_met_arcs_at(MbSensitivity *g, const MbStageNote *note, const MbTouchMoves *moves) {
  MbMet *met = g->met;
  MbMetArcs *arcs = &met->arcs;
  MbSim *at = met->beside;
  const double h = at->model->h;
  arcs->any = false, met->ask = met->G;
  if (!reserve(g)) return lost(g, "memory is out");
  if (!find_carried(met, note->from)) return true;
  arcs->settles = moves->settles;
  if (arcs->settles && moves->unsettled > FOUND) return lost(g, APART);
  arcs->any = true, arcs->by = arcs->settles ? note->w : note->from;
  MbMetSum sum = {.pushed = met->pushed};
  mb_met_arcs_of(met, &sum);
  mb_met_arcs_reach(met, at, met->q, 0, &sum);
  for (size_t j = 0; j < met->width; j++) arcs->scratch[0][j] = h * arcs->by[j];
  mb_met_twists(at, met->q, arcs->by, arcs->phi);
  for (size_t i = 0; i < met->n; i++)
    if (arcs->of[i].is) find_slopes(met, &sum, i);
  mb_sim_kinematics(at, arcs->ahead, arcs->by);
  for (size_t i = 0; i < met->n; i++) make_rows(met, i);
  mb_sim_kinematics(at, met->q, note->from);
  if (!arcs->settles) return true;
  for (size_t j = 0; j < 3 * met->n * met->width; j++) arcs->R[j] += met->G[j];
  met->ask = arcs->R;
  return true;
}

// ---- what it is felt by ---------------------------------------------------------------------------------------------

void mb_met_arcs_of(const MbMet *met, MbMetSum *sum) {
  if (!met->arcs.any) return;
  sum->arcs = &met->arcs, sum->by = met->arcs.by, sum->to = met->arcs.to[0];
}

void mb_met_arcs_felt(MbMet *met, double *q, double *v) {
  MbMetArcs *arcs = &met->arcs;
  const size_t nv = met->width;
  for (size_t k = 0; arcs->any && k < 3 * met->n; k++) {
    const MbMetArc *arc = &arcs->of[k / 3];
    const bool asks = arc->is && (k % 3 || arc->closes);
    arcs->zeta[k] = asks ? -arc->share * met->zeta[k] : 0;
    for (size_t j = 0; asks && j < nv; j++) {
      q[j] += met->zeta[k] * arcs->before[nv * k + j];
      if (!arcs->settles) v[j] += met->zeta[k] * arcs->R[nv * k + j];
    }
  }
}
