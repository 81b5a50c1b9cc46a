// Contact on the way back of deformables whose nodes are points and that solver `projective` moves by themselves (sensitivity_back_nodes.c), bodies standing still. A step's contacts ask of the nodes' velocities v₁ = (q₁ − q)/h what they
// ask of bodies', with rows G where the step begins, and push where it ends:
//
//   R(q₁; q, v, numbers) = Gᵀ μ,   B (G v₁ + r) + C μ = 0                                                    (sensitivity_met.c)
//
// so that all there holds with h² H in the place of A, w̄ = h q̄₁ and −z in that of z:
//
//   Y = H⁻¹ Gᵀ/h,  Sᵀ η = −Yᵀ w̄,  z = H⁻¹ (q̄₁ + Gᵀ ζ/h),   q̄ −= Gᵀ ζ/h
//
// What is deep when a step is done is parted contact by contact, of all that one look has found (touch_part.c): node k of contact i goes by
//
//   Δx_k = −g_i n_i (w_k/m_k)/Σ w²/m
//
// of which the derivative by where nodes are is by differences of each contact along its own nodes.
#include "core/sim/nodes.h"
#include "core/sim/sensitivity_met.h"

#include <math.h>
#include <string.h>

static const char *const GONE = "contacts are not where they were beside it",
                         *const FAR = "nodes were deeper than what is parted in a step";

// ---- what is parted -------------------------------------------------------------------------------------------------

static const MbDeformable *deformable_of(const MbModel *model, size_t node) {
  size_t i = 0;
  while (node >= model->deformables[i].first + model->deformables[i].count) i++;
  return &model->deformables[i];
}

// The axes along which pins hold a node.
static unsigned pinned_of(const MbModel *model, size_t node) {
  const MbDeformable *of = deformable_of(model, node);
  for (size_t k = 0; k < of->elements->npinned; k++)
    if (of->elements->pinned[k].node == node - of->first) return of->elements->pinned[k].axes;
  return 0;
}

// Returns what a contact's moves are weighed by, with felt (3 n) what places behind them are.
static double weighed(const MbSim *sim, const MbSeen *seen, const double *felt) {
  const MbModel *model = sim->model;
  double gives = 0, sum = 0;
  for (size_t k = 0; k < seen->n; k++) {
    const size_t node = seen->body[k] - model->nb;
    const MbDeformable *of = deformable_of(model, node);
    const double by = seen->weight[k] / of->elements->mass[node - of->first];
    const unsigned pinned = pinned_of(model, node);
    gives += by * seen->weight[k];
    for (size_t c = 0; c < 3; c++)
      if (!(pinned >> c & 1)) sum += by * felt[3 * node + c] * seen->normal[c];
  }
  return -seen->gap * sum / gives;
}

// Adds what one contact's moves are felt by along each of its nodes to q. False: it jumps.
static bool part_back(MbSim *at, const MbPushes *pushed, size_t i, MbSeen *seen, const double *felt,
                      double *q) {
  static const double OF_SIZE = 1e-4, FARTHEST = 1e-5; // as in sensitivity_met_sum.c
  const double move = fmin(FARTHEST, OF_SIZE * pushed->touch[i].size);
  const MbSeen here = seen[i];
  bool fine = true;
  for (size_t k = 0; k < here.nplaces; k++) {
    double *x = mb_met_place(at, here.place[k]), *to = q + 3 * (here.place[k] - at->model->nb);
    for (size_t c = 0; c < 3 && fine; c++) {
      const double was = x[c];
      double of[2] = {0};
      for (int side = 0; side < 2 && fine; side++) {
        x[c] = was + (side ? move : -move);
        fine = mb_met_see(at, pushed, i, i + 1, seen);
        if (fine) of[side] = weighed(at, &seen[i], felt);
      }
      x[c] = was;
      to[c] += (of[1] - of[0]) / (2 * move);
    }
  }
  seen[i] = here;
  return fine;
}

static void number_back(MbSensitivity *g, size_t k, const MbTouchMove *move, const double *v1,
                        const double *felt, bool *fine, double *out) {
  const MbSlope *slope = &g->slopes[k];
  if (!slope->meets && !mb_tangent_number_masses(slope->number)) return;
  for (int s = 0; s < 2 && *fine; s++) {
    MbSim *side = mb_slope_side(slope, s);
    MbSeen *seen = g->met->seen[1 + s];
    *fine = mb_met_look(side, move->q, v1, &move->pushed, g->met->seen[0], seen);
    for (size_t i = 0; i < move->pushed.n && *fine; i++)
      out[k] += (s ? 1 : -1) * weighed(side, &seen[i], felt) / (2 * g->number[k].move);
  }
}

bool mb_met_points_parted(MbSensitivity *g, const MbMeeting *meeting, const double *x1, const double *v1,
                          double *q, double *v, double *out) {
  static const double MOST = 0.1; // of the smaller one's size, as in touch_part.c
  MbMet *met = g->met;
  const MbTouchMoves *moves = &meeting->moves;
  const MbTouchMove *move = &moves->move[0];
  const size_t n = moves->n ? move->pushed.n : 0;
  double *felt = met->y, *first = met->first;
  g->parted = NULL;
  for (size_t i = 0; i < n; i++)
    if (-move->pushed.touch[i].gap > MOST * move->pushed.touch[i].size) g->parted = FAR;
  if (g->parted || !n) return !g->parted;
  if (moves->kept.any && !mb_met_kept_points(g, moves, x1, q, v, first, out)) return false;
  memcpy(felt, q, met->width * sizeof *felt);
  bool fine = mb_met_reserve(g, n) &&
              mb_met_look(met->beside, move->q, v1, &move->pushed, NULL, met->seen[0]) &&
              mb_met_near_by(&move->pushed, met->seen[0]);
  for (size_t i = 0; i < n && fine; i++)
    fine = part_back(met->beside, &move->pushed, i, met->seen[0], felt, q);
  for (size_t k = 0; k < g->count && fine; k++) number_back(g, k, move, v1, felt, &fine, out);
  for (size_t c = 0; c < met->width && moves->kept.any; c++) q[c] += first[c];
  if (!fine) g->parted = GONE;
  return fine;
}
