// Back over what velocities get behind moves that part what is deep (touch_kept.c): each island of what floats, with bodies at c⁰, R⁰ before the first move and at c, R behind the last,
//
//   Ω = −J⁻¹ ΔL,   ΔL = Σ (c − c⁰) × m v + (R − R⁰) I ω,   Δv = Ω × d,  Δω = Rᵀ Ω,   d = c − Σ m c/Σ m
//
// J being the inertia about the common centre. With v̄ and ω̄ what velocities are felt by,
//
//   Ω̄ = Σ d × v̄ + R ω̄,   y = −J⁻¹ Ω̄
//
// and what places, velocities and numbers are felt by is the derivative of one sum, in which Ω, y, v̄ and ω̄ stay as they are:
//
//   Σ v̄ · (Ω × d) + ω̄ · Rᵀ Ω + y · ΔL + y · J Ω
#include "core/math/eigen_small.h"
#include "core/math/mat3.h"
#include "core/sim/evaluate.h"
#include "core/sim/layout.h"
#include "core/sim/sensitivity_met.h"

#include <math.h>
#include <string.h>

static const char *const LINE = "what floats has got back momentum on a line, about which it cannot turn";

// ---- a body of an island --------------------------------------------------------------------------------------------

// What is asked of a body: where it was and is, and where its velocities are.
typedef struct Part {
  const double *M; // (6)
  const MbPose *was, *is;
  bool node;
  size_t own, linear; // of its velocities: those of its turn, where it is no node, and of its centre
} Part;

static Part part_of(const MbMet *met, const MbSim *sim, size_t b) {
  const MbLayout *layout = sim->solver->map->layout;
  Part p = {.M = sim->model->M + 6 * b, .was = &met->was[b], .is = &sim->x.E[b]};
  p.node = mb_touch_kept_node(sim->model, b);
  p.own = p.node ? 0 : layout->velocity(sim->model, b);
  p.linear = p.node ? layout->node(sim->model, b) : p.own + 3;
  return p;
}

static bool is_of(const MbTouchMoves *moves, size_t b) { return moves->kept.island[b] != MB_KEPT_NONE; }

// L ← I ω in the body's axes.
static void spin_of(const Part *p, const double *v, double L[3]) {
  for (size_t k = 0; k < 3; k++) L[k] = p->M[k] * v[p->own + k];
}

// ---- islands --------------------------------------------------------------------------------------------------------

static void add_taken(MbKeptIsland *to, const Part *p, const double *v) {
  double way[3], part[3], L[3];
  mb_vec3_sub(way, p->is->p, p->was->p);
  mb_vec3_cross(part, way, v + p->linear);
  mb_vec3_add_scaled(to->taken, to->taken, p->M[3], part);
  if (p->node) return;
  spin_of(p, v, L);
  mb_quat_rotate(part, p->is->q, L);
  mb_vec3_add(to->taken, to->taken, part);
  mb_quat_rotate(part, p->was->q, L);
  mb_vec3_sub(to->taken, to->taken, part);
}

static void add_inertia(MbKeptIsland *to, const Part *p) {
  double d[3], R[9];
  mb_vec3_sub(d, p->is->p, to->centre);
  const double m = p->M[3], square = mb_vec3_dot(d, d);
  for (size_t r = 0; r < 3; r++)
    for (size_t s = 0; s < 3; s++) to->J[3 * r + s] += m * ((r == s) * square - d[r] * d[s]);
  if (p->node) return;
  mb_quat_to_mat3(R, p->is->q);
  for (size_t r = 0; r < 3; r++)
    for (size_t s = 0; s < 3; s++)
      for (size_t k = 0; k < 3; k++) to->J[3 * r + s] += R[3 * r + k] * p->M[k] * R[3 * s + k];
}

// Finds islands with the bodies where they are, and met->was where they were; v are velocities before these get anything back. An island has the number of its first body.
static void find_islands(MbMet *met, const MbSim *sim, const MbTouchMoves *moves, const double *v,
                         MbKeptIsland *island) {
  const size_t nb = sim->model->nb;
  for (size_t b = 0; b < nb; b++) island[b] = (MbKeptIsland){.there = false};
  for (size_t b = 0; b < nb; b++) {
    if (!is_of(moves, b)) continue;
    const Part p = part_of(met, sim, b);
    MbKeptIsland *to = &island[moves->kept.island[b]];
    to->there = true, to->mass += p.M[3];
    mb_vec3_add_scaled(to->centre, to->centre, p.M[3], p.is->p);
    add_taken(to, &p, v);
  }
  for (size_t i = 0; i < nb; i++)
    if (island[i].there) mb_vec3_scale(island[i].centre, 1 / island[i].mass, island[i].centre);
  for (size_t b = 0; b < nb; b++) {
    if (!is_of(moves, b)) continue;
    const Part p = part_of(met, sim, b);
    add_inertia(&island[moves->kept.island[b]], &p);
  }
}

// out ← −J⁻¹ x
static void solve(const MbKeptIsland *of, const double x[3], double out[3]) {
  mb_vec3_set(out, 0, 0, 0);
  for (size_t k = 0; k < 3; k++) {
    const double axis[3] = {of->axis[k], of->axis[3 + k], of->axis[6 + k]};
    mb_vec3_add_scaled(out, out, -mb_vec3_dot(axis, x) / of->moment[k], axis);
  }
}

// Finds Ω, Ω̄ and y of each, of velocities that are felt by `felt`. False: one lies on a line.
static bool find_turns(MbMet *met, const MbSim *sim, const MbTouchMoves *moves, const double *felt,
                       MbKeptIsland *island) {
  static const double NONE = 1e-9; // of the largest moment, as in touch_kept.c
  const size_t nb = sim->model->nb;
  bool fine = true;
  for (size_t b = 0; b < nb; b++) {
    if (!is_of(moves, b)) continue;
    const Part p = part_of(met, sim, b);
    MbKeptIsland *to = &island[moves->kept.island[b]];
    double d[3], part[3];
    mb_vec3_sub(d, p.is->p, to->centre);
    mb_vec3_cross(part, d, felt + p.linear);
    mb_vec3_add(to->felt, to->felt, part);
    if (p.node) continue;
    mb_quat_rotate(part, p.is->q, felt + p.own);
    mb_vec3_add(to->felt, to->felt, part);
  }
  for (size_t i = 0; i < nb; i++) {
    MbKeptIsland *of = &island[i];
    double J[9], most = 0;
    if (!of->there) continue;
    memcpy(J, of->J, sizeof J);
    mb_eigen_small(3, J, of->axis);
    for (size_t k = 0; k < 3; k++) of->moment[k] = J[4 * k], most = fmax(most, J[4 * k]);
    for (size_t k = 0; k < 3; k++) fine &= of->moment[k] > NONE * most;
    solve(of, of->taken, of->omega), solve(of, of->felt, of->weight);
  }
  for (size_t b = 0; b < nb; b++) {
    if (!is_of(moves, b)) continue;
    MbKeptIsland *to = &island[moves->kept.island[b]];
    double part[3];
    mb_vec3_cross(part, felt + part_of(met, sim, b).linear, to->omega);
    mb_vec3_add(to->pushed, to->pushed, part);
  }
  return fine;
}

// ---- what the sum is felt by ----------------------------------------------------------------------------------------

// What a body's centre is felt by where it is, in the world's axes.
static void felt_place(const MbKeptIsland *of, const Part *p, const double *v, const double *felt,
                       double out[3]) {
  const double m = p->M[3], *y = of->weight, *w = of->omega;
  double d[3], part[3];
  mb_vec3_sub(d, p->is->p, of->centre);
  mb_vec3_cross(out, felt + p->linear, w);
  mb_vec3_add_scaled(out, out, -m / of->mass, of->pushed);
  mb_vec3_cross(part, v + p->linear, y);
  mb_vec3_add_scaled(out, out, m, part);
  mb_vec3_add_scaled(out, out, 2 * m * mb_vec3_dot(y, w), d);
  mb_vec3_add_scaled(out, out, -m * mb_vec3_dot(d, w), y);
  mb_vec3_add_scaled(out, out, -m * mb_vec3_dot(d, y), w);
}

// The same of its turn, in its own axes.
static void felt_turn(const MbKeptIsland *of, const Part *p, const double *v, const double *felt,
                      double out[3]) {
  double y[3], w[3], part[3], L[3];
  mb_quat_unrotate(y, p->is->q, of->weight), mb_quat_unrotate(w, p->is->q, of->omega);
  mb_vec3_cross(out, felt + p->own, w);
  spin_of(p, v, L);
  for (size_t k = 0; k < 3; k++) L[k] += p->M[k] * w[k];
  mb_vec3_cross(part, L, y);
  mb_vec3_add(out, out, part);
  for (size_t k = 0; k < 3; k++) L[k] = p->M[k] * y[k];
  mb_vec3_cross(part, L, w);
  mb_vec3_add(out, out, part);
}

// What both are felt by where the body was.
static void felt_before(const MbKeptIsland *of, const Part *p, const double *v, double place[3],
                        double turn[3]) {
  double y[3], L[3];
  mb_vec3_cross(place, v + p->linear, of->weight);
  mb_vec3_scale(place, -p->M[3], place);
  if (p->node) return;
  mb_quat_unrotate(y, p->was->q, of->weight);
  spin_of(p, v, L);
  mb_vec3_cross(turn, y, L);
}

// by_move ← both of all bodies in their own axes, where they are or, `before`, where they were.
static void gather(MbMet *met, const MbTouchMoves *moves, const double *felt, bool before) {
  const MbSim *at = met->beside;
  const double *v = moves->kept.v;
  memset(met->by_move, 0, 6 * at->model->nb * sizeof *met->by_move);
  for (size_t b = 0; b < at->model->nb; b++) {
    if (!is_of(moves, b)) continue;
    const Part p = part_of(met, at, b);
    const MbKeptIsland *of = &met->kept[0][moves->kept.island[b]];
    double *by = met->by_move + 6 * b;
    if (before)
      felt_before(of, &p, v, by + 3, by);
    else
      felt_place(of, &p, v, felt, by + 3);
    if (!before && !p.node) felt_turn(of, &p, v, felt, by);
    mb_quat_unrotate(by + 3, (before ? p.was : p.is)->q, by + 3);
  }
}

// out (nv) ← what velocities are felt by beside what they are felt by themselves.
static void felt_velocities(MbMet *met, const MbTouchMoves *moves, double *out) {
  const MbSim *at = met->beside;
  memset(out, 0, at->nv * sizeof *out);
  for (size_t b = 0; b < at->model->nb; b++) {
    if (!is_of(moves, b)) continue;
    const Part p = part_of(met, at, b);
    const double *y = met->kept[0][moves->kept.island[b]].weight;
    double way[3], is[3], was[3];
    mb_vec3_sub(way, p.is->p, p.was->p);
    mb_vec3_cross(out + p.linear, y, way);
    mb_vec3_scale(out + p.linear, p.M[3], out + p.linear);
    if (p.node) continue;
    mb_quat_unrotate(is, p.is->q, y), mb_quat_unrotate(was, p.was->q, y);
    for (size_t k = 0; k < 3; k++) out[p.own + k] = p.M[k] * (is[k] - was[k]);
  }
}

// ---- numbers --------------------------------------------------------------------------------------------------------

static void stand(MbMet *met, MbSim *at, const double *q0, const double *q1, const double *v) {
  mb_sim_kinematics(at, q0, v);
  memcpy(met->was, at->x.E, at->model->nb * sizeof *met->was);
  mb_sim_kinematics(at, q1, v);
}

// Returns the sum as a side has it, of the run's Ω and y.
static double sum_of_side(MbMet *met, const MbSim *side, const MbTouchMoves *moves, const double *v,
                          const double *felt) {
  double sum = 0, part[3];
  find_islands(met, side, moves, v, met->kept[1]);
  for (size_t i = 0; i < side->model->nb; i++) {
    const MbKeptIsland *own = &met->kept[1][i], *run = &met->kept[0][i];
    if (!own->there) continue;
    mb_mat3_apply(part, own->J, run->omega);
    mb_vec3_add(part, part, own->taken);
    sum += mb_vec3_dot(run->weight, part);
  }
  for (size_t b = 0; b < side->model->nb; b++) {
    if (!is_of(moves, b)) continue;
    const Part p = part_of(met, side, b);
    const size_t i = moves->kept.island[b];
    double d[3];
    mb_vec3_sub(d, p.is->p, met->kept[1][i].centre);
    mb_vec3_cross(part, met->kept[0][i].omega, d);
    sum += mb_vec3_dot(felt + p.linear, part);
    if (p.node) continue;
    mb_quat_unrotate(part, p.is->q, met->kept[0][i].omega);
    sum += mb_vec3_dot(felt + p.own, part);
  }
  return sum;
}

static void numbers(MbSensitivity *g, const MbTouchMoves *moves, const double *q1, const double *felt,
                    double *out) {
  for (size_t k = 0; k < g->count; k++) {
    const MbSlope *slope = &g->slopes[k];
    if (!slope->meets && !mb_tangent_number_masses(slope->number)) continue;
    for (int s = 0; s < 2; s++) {
      MbSim *side = mb_slope_side(slope, s);
      const double *v = mb_axes_v(slope->axes, s, MB_AXES_FROM, moves->kept.v),
                   *own = mb_axes_v(slope->axes, s, MB_AXES_FELT, felt);
      mb_sim_kinematics(side, mb_axes_q(slope->axes, s, moves->move[0].q), v);
      memcpy(g->met->was, side->x.E, side->model->nb * sizeof *g->met->was);
      mb_sim_kinematics(side, mb_axes_q(slope->axes, s, q1), v);
      out[k] += (s ? 1 : -1) * sum_of_side(g->met, side, moves, v, own) / (2 * g->number[k].move);
    }
  }
}

bool mb_met_kept_back(MbSensitivity *g, const MbTouchMoves *moves, const double *q1, double *q, double *v,
                      double *first, double *out) {
  MbMet *met = g->met;
  MbSim *at = met->beside;
  const double *was = moves->kept.v, *q0 = moves->move[0].q;
  stand(met, at, q0, q1, was);
  find_islands(met, at, moves, was, met->kept[0]);
  if (!find_turns(met, at, moves, v, met->kept[0])) {
    g->parted = LINE;
    return false;
  }
  gather(met, moves, v, false);
  mb_met_weigh(met, was, met->by_move, met->none, q);
  felt_velocities(met, moves, met->z);
  gather(met, moves, v, true);
  mb_sim_kinematics(at, q0, was);
  memset(first, 0, g->sim->nv * sizeof *first);
  mb_met_weigh(met, was, met->by_move, met->none, first);
  numbers(g, moves, q1, v, out);
  for (size_t i = 0; i < g->sim->nv; i++) v[i] += met->z[i];
  return true;
}
