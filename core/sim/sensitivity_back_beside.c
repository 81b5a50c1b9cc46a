// The way back through steps of bodies and of deformables' nodes in which they touch (scheme_coupled.c). Of both one equation with one border,
//
//   τ(q_b, v_b, a_b) + … = G_bᵀ μ + T_bᵀ ν,   R(x₁; x, v_n) = G_nᵀ μ,   B (G_b v_b⁺ + G_n v_n⁺ + r) + C μ = 0,   T_b v_b⁺ + … = 0
//
// with ν of the rows T of constraints (sensitivity_tied.c), v_n⁺ = (x₁ − x)/h. Bodies' A and h² H of nodes (sensitivity_met_points.c) stand beside one another, and all vectors are those of bodies with those of nodes
// behind them:  z_b = −h A⁻¹ (w̄_b + …),  z_n = −H⁻¹ (x̄₁ + G_nᵀ ζ/h)  as each of them by itself.
//
// Forces between points that hold nodes are in τ of both, and in A with K and D, which couple the two: A is solved with as steps do (solvers/projective/ties.c). What of them is linear in v_n⁺ is felt by x as by x₁, less than nothing of it.
//
// Nodes that bodies carry are where these get to, so that the bodies' coordinates at the end are felt by t̄ = t̄(z_n), and w̄_b by that. Such bodies are driven: their rows hold all that they could do, whatever else pushes them, so that z_b is 0 there, and
// z_n and the contacts' ζ are the same whatever w̄ of such a body is. So the border is solved twice, without t̄, which makes z_n, and with it.
#include "core/sim/constrain_internal.h"
#include "core/sim/evaluate.h"
#include "core/sim/nodes.h"
#include "core/sim/ports.h"
#include "core/sim/sensitivity_back_nodes.h"
#include "core/sim/sensitivity_met.h"

#include <string.h>

// Rows name nodes that the solver's A is asked about with bodies, which the way back asks about by themselves.
static bool name_no_nodes(MbSim *probe) {
  if (!probe->constraining) return true;
  probe->constraining->set.listed = false;
  return probe->solver->passes->name(probe->work, 0, NULL);
}

bool mb_back_beside_make(MbBackward *b) {
  MbSensitivity *g = b->g;
  if (!g->beside) return true;
  if (!name_no_nodes(g->probe)) return false;
  if (!g->met) return true;
  MbBackAll *all = &b->nodes->all;
  double **const lists[] = {&all->q, &all->q1,     &all->from,   &all->w,     &all->v1,
                            &all->z, &all->q_felt, &all->v_felt, &all->end_q, &all->end_v};
  const size_t size = g->met->width + g->sim->nq;
  bool ok = true;
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
    ok = (*lists[i] = mb_arena_alloc(&g->arena, size, sizeof **lists[i])) != NULL && ok;
  return ok;
}

static size_t points(const MbBackward *b) { return b->g->met->width - b->g->met->own; }

// out ← n numbers of bodies, and those of nodes behind them.
static void join(const MbBackward *b, size_t n, const double *bodies, const double *nodes, double *out) {
  memcpy(out, bodies, n * sizeof *out);
  memcpy(out + n, nodes, points(b) * sizeof *out);
}

// What both are felt by ← what is so of all. Ports are their nodes.
static void part(const MbBackward *b, const double *all, double *bodies, double *nodes) {
  const size_t nv = b->g->met->own;
  memcpy(bodies, all, nv * sizeof *all);
  memcpy(nodes, all + nv, points(b) * sizeof *all);
  mb_ports_give(b->g->sim, bodies, nodes);
}

// Back over the moves that have parted nodes behind the step. Returns where it has led before; NULL: g->parted tells why not.
static const double *unpart(MbBackward *b, const MbTurn *turn) {
  MbSensitivity *g = b->g;
  MbBackAll *all = &b->nodes->all;
  const size_t nv = g->met->own;
  g->parted = NULL;
  if (!turn->met) return turn->nodes1;
  join(b, g->sim->nq, turn->q1, turn->nodes1, all->q1);
  join(b, nv, turn->v1, turn->nodes1 + points(b), all->v1);
  join(b, nv, b->q, b->nodes->q, all->q_felt), join(b, nv, b->v, b->nodes->v, all->v_felt);
  if (!mb_met_points_parted(g, turn->met, all->q1, all->v1, all->q_felt, all->v_felt, b->out)) return NULL;
  part(b, all->q_felt, b->q, b->nodes->q), part(b, all->v_felt, b->v, b->nodes->v);
  return turn->met->moves.n ? turn->met->moves.move[0].q : turn->nodes1;
}

// Takes the step's bodies and contacts to where it begins. *all ← its note, of bodies and nodes. False: g->parted tells why not, or A has no inverse.
static bool stand(MbBackward *b, const MbTurn *turn, const MbStageNote *note, const double *x1,
                  MbStageNote *all) {
  MbSensitivity *g = b->g;
  MbBackAll *to = &b->nodes->all;
  const bool kept = turn->met && turn->met->moves.kept.any;
  const double *nodes1 = kept ? turn->met->moves.kept.v + g->met->own : turn->nodes1 + points(b);
  const MbPassSlopes *slopes = g->probe->solver->passes->slopes;
  memcpy(g->q, turn->q, g->sim->nq * sizeof *g->q);
  mb_slope_tied_step(g, turn->guess, note->impulse, turn->t);
  g->end = turn->q1, g->parted = NULL;
  if (!mb_slope_once_stand(g, note, NULL)) return false;
  // bodies' factor takes that of the nodes to where steps begin
  if (!slopes->at(g->probe->work, &g->probe->nodes->start, x1)) g->parted = mb_back_nodes_singular;
  if (g->parted || !mb_slope_tied_factor(g, note)) return false;
  join(b, g->sim->nq, turn->q, turn->nodes, to->q);
  join(b, g->met->own, note->from, turn->nodes + points(b), to->from);
  join(b, g->met->own, note->w, nodes1, to->w);
  *all = *note, all->from = to->from, all->w = to->w;
  g->met->q = to->q;
  return mb_met_stand(g, all, turn->met) && mb_met_at(g, all);
}

// Takes what of forces between points is linear in v_n⁺ = (x₁ − x)/h off what places at the end are felt by, x̄₁ (n x 3), where these are targets, and adds it to `start` (n x 3; NULL: nowhere).
static void add_pulled(MbBackward *b, double *end, double *start) {
  MbSensitivity *g = b->g;
  const double h = g->sim->model->h;
  double *y = b->w;
  memset(y, 0, g->sim->nv * sizeof *y);
  g->probe->solver->passes->slopes->pull(g->probe->work, b->nodes->all.z, y);
  for (size_t i = 0; i < g->sim->nv; i++) y[i] /= -h * h;
  memset(g->met->y, 0, points(b) * sizeof *g->met->y);
  mb_ports_give(g->sim, y, g->met->y);
  for (size_t c = 0; c < points(b); c++) end[c] += g->met->y[c];
  for (size_t c = 0; c < points(b) && start; c++) start[c] -= g->met->y[c];
}

// What bodies' coordinates at the end are felt by, of targets that nodes->z makes felt.
static void add_carried(MbBackward *b, const MbTurn *turn) {
  MbSensitivity *g = b->g;
  MbSim *probe = g->probe, *beside = g->met->beside;
  double *felt = b->nodes->all.q_felt;
  memcpy(felt, b->nodes->met, points(b) * sizeof *felt);
  add_pulled(b, felt, NULL);
  probe->solver->passes->slopes->held(probe->work, b->nodes->z, felt);
  mb_sim_kinematics(beside, turn->q1, turn->v1);
  mb_back_nodes_carried(beside, felt, b->by_move);
  mb_met_weigh(g->met, turn->v1, b->by_move, g->met->none, b->nodes->all.end_q);
}

// Through the border and the nodes' equations: w̄ of all in all.z, with nodes->met what nodes' places at the end are felt by then, and nodes->z. False: there is no solution.
static bool solve(MbBackward *b, const MbStageNote *note) {
  MbSensitivity *g = b->g;
  MbBackNodes *nodes = b->nodes;
  const double h = g->sim->model->h;
  double *z = nodes->all.z, *behind = z + g->met->own;
  memcpy(b->q, nodes->all.end_q, g->sim->nv * sizeof *b->q);
  memcpy(b->v, nodes->all.end_v, g->sim->nv * sizeof *b->v);
  mb_slope_once_back_begin(g, note, b->q, b->v, z, b->dv);
  for (size_t c = 0; c < points(b); c++) behind[c] = h * nodes->felt[c];
  mb_met_back(g, z);
  for (size_t c = 0; c < points(b); c++) nodes->met[c] = behind[c] / h;
  if (!mb_met_invert(g, g->probe, -h, z)) return false;
  for (size_t c = 0; c < points(b); c++) nodes->z[c] = -behind[c];
  mb_ports_take(g->sim, z, behind);
  return true;
}

// Over the step but for numbers, when contacts and both equations are at hand.
static bool back(MbBackward *b, const MbTurn *turn, const MbStageNote *note, const MbStageNote *all,
                 const char **why) {
  MbSensitivity *g = b->g;
  MbBackNodes *nodes = b->nodes;
  MbBackAll *of = &nodes->all;
  double *scratch[3] = {b->dq, b->dv, b->da};
  const size_t nv = g->met->own;
  memcpy(of->end_q, b->q, nv * sizeof *b->q), memcpy(of->end_v, b->v, nv * sizeof *b->v);
  if (nodes->carried) {
    if (!solve(b, note)) return false;
    add_carried(b, turn);
  }
  if (!solve(b, note)) return false;
  for (size_t c = 0; c < points(b); c++) {
    nodes->q[c] -= nodes->met[c] - nodes->felt[c];
    nodes->felt[c] = nodes->met[c];
  }
  mb_slope_once_back_end(g, b->q, b->v, of->z, scratch);
  add_pulled(b, nodes->felt, nodes->q);
  if ((*why = mb_back_nodes_begins(b))) return true;
  memset(of->q_felt, 0, g->met->width * sizeof *of->q_felt);
  memset(of->v_felt, 0, g->met->width * sizeof *of->v_felt);
  if (!mb_met_felt(g, all, of->z, of->q_felt, of->v_felt)) return false;
  for (size_t i = 0; i < nv; i++) b->q[i] += of->q_felt[i], b->v[i] += of->v_felt[i];
  for (size_t c = 0; c < points(b); c++) nodes->q[c] += of->q_felt[nv + c], nodes->v[c] += of->v_felt[nv + c];
  memcpy(b->z, of->z, nv * sizeof *b->z);
  mb_ports_give(g->sim, b->q, nodes->q), mb_ports_give(g->sim, b->v, nodes->v);
  return true;
}

MbStatus mb_back_beside_step(MbBackward *b, const MbTurn *turn, const char **why, MbReport *report) {
  static const char *const NONE = "the step's equations have no inverse";
  MbSensitivity *g = b->g;
  const MbStageNote solved = mb_back_solved_for(g, turn), *note = &solved;
  MbStageNote all;
  const double *x1 = unpart(b, turn);
  if ((*why = g->parted)) return MB_OK;
  const MbStatus status = mb_back_nodes_stand(b, turn, report);
  if (status != MB_OK) return status;
  if (!stand(b, turn, note, x1, &all) || !back(b, turn, note, &all, why)) *why = g->parted ? g->parted : NONE;
  if (*why) return MB_OK;
  mb_slope_tied_tell(g, turn->t, turn->step, report);
  mb_slope_end_tell(g, note, turn->t, turn->step, report);
  mb_met_tell(g, &all, turn->met, turn->t, turn->step, report);
  mb_back_nodes_numbers_felt(b, turn, x1);
  mb_back_numbers_at_once(b, note);
  for (size_t k = 0; k < g->count && !*why; k++)
    if (!mb_met_number(g, &g->slopes[k], &all, b->nodes->all.z, g->number[k].move, &b->out[k]))
      *why = g->parted;
  return MB_OK;
}
