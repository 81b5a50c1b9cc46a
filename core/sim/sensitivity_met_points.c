// Contact on the way back of deformables whose nodes are points and that solver `projective` moves (sensitivity_back_nodes.c). A step's contacts ask of the nodes' velocities v₁ = (q₁ − q)/h what they
// ask of bodies', with rows G where the step begins, and push where it ends:
//
//   R(q₁; q, v, numbers) = Gᵀ μ,   B (G v₁ + r) + C μ = 0                                                    (sensitivity_met.c)
//
// so that all there holds with h² H in the place of A, w̄ = h q̄₁ and −z in that of z:
//
//   Y = H⁻¹ Gᵀ/h,  Sᵀ η = −Yᵀ w̄,  z = H⁻¹ (q̄₁ + Gᵀ ζ/h),   q̄ −= Gᵀ ζ/h
//
// Of contacts with bodies that move G has their velocities v⁺ as well, A is theirs beside h² H, and all of it is one border (sensitivity_back_beside.c).
//
// What is deep when a step is done is parted contact by contact, of all that one look has found (touch_part.c): node k of contact i goes by
//
//   Δx_k = −g_i n_i (w_k/m_k)/Σ w²/m
//
// of which the derivative by where nodes are, and bodies that they meet, is by differences of each contact along its own nodes and bodies. Ports are left out of Σ w²/m, so that it is small where a contact is
// near one, and what it divides bends there as much as one likes: differences are of the gap, of Σ w²/m and of what stands over it, each by itself.
#include "core/sim/nodes.h"
#include "core/math/se3.h"
#include "core/sim/sensitivity_met.h"

#include <math.h>
#include <string.h>

static const char *const GONE = "contacts are not where they were beside it",
                         *const FAR = "nodes were deeper than what is parted in a step",
                         *const BODIES = "bodies were parted from one another beside deformables";

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

// What a contact's moves are weighed by, of  −g S/N:  its gap, S = Σ w/m n · felt, and N = Σ w²/m.
typedef struct Weighed {
  double gap, sum, gives;
} Weighed;

// Finds them where a contact is seen, with felt (3 n) what places behind the moves are.
static Weighed weighed(const MbSim *sim, const MbSeen *seen, const double *felt) {
  const MbModel *model = sim->model;
  Weighed is = {.gap = seen->gap};
  for (size_t k = 0; k < seen->n; k++) {
    if (seen->body[k] < model->nb) continue;
    const size_t node = seen->body[k] - model->nb;
    const MbDeformable *of = deformable_of(model, node);
    const double by = seen->weight[k] / of->elements->mass[node - of->first];
    const unsigned pinned = pinned_of(model, node);
    is.gives += by * seen->weight[k];
    for (size_t c = 0; c < 3; c++)
      if (!(pinned >> c & 1)) is.sum += by * felt[3 * node + c] * seen->normal[c];
  }
  return is;
}

// Returns the derivative of −g S/N there, with what both sides of it, `span` apart, come to.
static double slope_of(const Weighed *there, const Weighed side[2], double span) {
  const double share = there->sum / there->gives;
  const double gap = side[1].gap - side[0].gap, sum = side[1].sum - side[0].sum,
               gives = side[1].gives - side[0].gives;
  return -(gap * share + there->gap * (sum - share * gives) / there->gives) / span;
}

// Moves a body by a motion in its own axes, or a node by the last three of it, from where it is.
static void move_by(MbSim *at, size_t body, const MbPose *from, const double way[6]) {
  double *x = mb_met_place(at, body);
  MbPose moved;
  if (body >= at->model->nb) {
    mb_vec3_add(x, from->p, way + 3);
    return;
  }
  mb_se3_exp(&moved, way);
  mb_pose_mul(&at->x.E[body], from, &moved);
}

// Adds what one contact's moves are felt by along each of its bodies and nodes to by_move (nb x 6, 3 n). False: it jumps.
static bool part_back(MbSim *at, const MbPushes *pushed, size_t i, MbSeen *seen, const double *felt,
                      double *by_move) {
  static const double OF_SIZE = 1e-4, FARTHEST = 1e-5; // as in sensitivity_met_sum.c
  const double move = fmin(FARTHEST, OF_SIZE * pushed->touch[i].size);
  const MbSeen here = seen[i];
  const Weighed there = weighed(at, &here, felt);
  const size_t nb = at->model->nb;
  bool fine = true;
  for (size_t k = 0; k < here.nplaces; k++) {
    const size_t body = here.place[k];
    const bool point = body >= nb;
    MbPose from = {.q = {1, 0, 0, 0}};
    if (point) mb_vec3_copy(from.p, mb_met_place(at, body));
    if (!point) from = at->x.E[body];
    double *to = by_move + (point ? 6 * nb + 3 * (body - nb) - 3 : 6 * body);
    for (size_t c = point ? 3 : 0; c < 6 && fine; c++) {
      Weighed of[2] = {0};
      for (int side = 0; side < 2 && fine; side++) {
        double way[6] = {0};
        way[c] = side ? move : -move;
        move_by(at, body, &from, way);
        fine = mb_met_see(at, pushed, i, i + 1, seen);
        if (fine) of[side] = weighed(at, &seen[i], felt);
      }
      to[c] += slope_of(&there, of, 2 * move);
    }
    if (point) mb_vec3_copy(mb_met_place(at, body), from.p);
    if (!point) at->x.E[body] = from;
  }
  seen[i] = here;
  return fine;
}

static void number_back(MbSensitivity *g, size_t k, const MbTouchMove *move, const double *v1,
                        const double *felt, bool *fine, double *out) {
  const MbSlope *slope = &g->slopes[k];
  const MbMet *met = g->met;
  if (!slope->meets && !mb_tangent_number_masses(slope->number)) return;
  for (int s = 0; s < 2 && *fine; s++)
    *fine = mb_met_look(mb_slope_side(slope, s), mb_met_side_q(met, slope, s, met->there),
                        mb_met_side_v(met, slope, s, MB_AXES_TO, v1), &move->pushed, met->seen[0],
                        met->seen[1 + s]);
  for (size_t i = 0; i < move->pushed.n && *fine; i++) {
    const Weighed there = weighed(met->beside, &met->seen[0][i], felt);
    Weighed of[2];
    for (int s = 0; s < 2; s++) of[s] = weighed(mb_slope_side(slope, s), &met->seen[1 + s][i], felt);
    out[k] += slope_of(&there, of, 2 * g->number[k].move);
  }
}

bool mb_met_points_parted(MbSensitivity *g, const MbMeeting *meeting, const double *q1, const double *v1,
                          double *q, double *v, double *out) {
  static const double MOST = 0.1; // of the smaller one's size, as in touch_part.c
  MbMet *met = g->met;
  const MbTouchMoves *moves = &meeting->moves;
  const MbTouchMove *move = &moves->move[0];
  const size_t n = moves->n ? move->pushed.n : 0, nq = g->sim->nq, nb = g->sim->model->nb;
  const size_t points = met->width - met->own;
  double *felt = met->y, *first = met->first, *nodes = q + met->own;
  g->parted = moves->bodies ? BODIES : NULL;
  for (size_t i = 0; i < n; i++)
    if (-move->pushed.touch[i].gap > MOST * move->pushed.touch[i].size) g->parted = FAR;
  if (g->parted || !n) return !g->parted;
  if (moves->kept.any && !mb_met_kept_points(g, moves, q1, q, v, first, out)) return false;
  memcpy(felt, nodes, points * sizeof *felt);
  memcpy(met->there, q1, nq * sizeof *q1), memcpy(met->there + nq, move->q, points * sizeof *q1);
  memset(met->by_move, 0, (6 * nb + points) * sizeof *met->by_move);
  bool fine = mb_met_reserve(g, n) &&
              mb_met_look(met->beside, met->there, v1, &move->pushed, NULL, met->seen[0]) &&
              mb_met_near_by(&move->pushed, met->seen[0]);
  for (size_t i = 0; i < n && fine; i++)
    fine = part_back(met->beside, &move->pushed, i, met->seen[0], felt, met->by_move);
  for (size_t c = 0; c < points; c++) nodes[c] += met->by_move[6 * nb + c];
  if (met->own) mb_met_weigh(met, v1, met->by_move, met->none, q);
  for (size_t k = 0; k < g->count && fine; k++) number_back(g, k, move, v1, felt, &fine, out);
  for (size_t c = 0; c < met->width && moves->kept.any; c++) q[c] += first[c];
  if (!fine) g->parted = GONE;
  return fine;
}
