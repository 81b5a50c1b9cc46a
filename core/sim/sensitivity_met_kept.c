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

// ---- a body or node of an island ------------------------------------------------------------------------------------

// The bodies of a simulation, and behind them its nodes that are points, where these have been parted: where they were before the first move and are behind the last.
typedef struct Parts {
  const MbSim *sim;
  const MbTouchMoves *moves;
  const MbPose *was;       // (nb)
  const double *from, *to; // (points x 3)
  size_t bodies, n;
} Parts;

// What is asked of one of them: its masses, where it was and is, and where its velocities are.
typedef struct Part {
  const double *I;                       // (3) of a body
  double m;                              //
  const double *was, *is, *q_was, *q_is; // places, and quaternions of a body
  bool node;                             //
  size_t own, linear;                    // of its velocities: those of a body's turn, and of its centre
} Part;

static Parts bodies_of(const MbMet *met, const MbSim *sim, const MbTouchMoves *moves) {
  return (Parts){.sim = sim, .moves = moves, .was = met->was, .bodies = sim->model->nb, .n = sim->model->nb};
}

static size_t deformable_of(const MbModel *model, size_t node) {
  size_t i = 0;
  while (node >= model->deformables[i].first + model->deformables[i].count) i++;
  return i;
}

static Part node_of(const Parts *parts, size_t k) {
  const MbModel *model = parts->sim->model;
  const MbDeformable *of = &model->deformables[deformable_of(model, k)];
  return (Part){.m = of->elements->mass[k - of->first],
                .was = parts->from + 3 * k,
                .is = parts->to + 3 * k,
                .node = true,
                .linear = parts->sim->nv + 3 * k};
}

static Part part_of(const Parts *parts, size_t b) {
  if (b >= parts->bodies) return node_of(parts, b - parts->bodies);
  const MbSim *sim = parts->sim;
  const MbLayout *layout = sim->solver->map->layout;
  const double *M = sim->model->M + 6 * b;
  const MbPose *was = &parts->was[b], *is = &sim->x.E[b];
  Part p = {.I = M, .m = M[3], .was = was->p, .is = is->p, .q_was = was->q, .q_is = is->q};
  p.node = mb_touch_kept_node(sim->model, b);
  p.own = p.node ? 0 : layout->velocity(sim->model, b);
  p.linear = p.node ? layout->node(sim->model, b) : p.own + 3;
  return p;
}

// The island that one of them is of: MB_KEPT_NONE: of none.
static uint32_t island_of(const Parts *parts, size_t b) {
  const MbModel *model = parts->sim->model;
  const bool node = b >= parts->bodies;
  return parts->moves->kept.island[node ? model->nb + deformable_of(model, b - parts->bodies) : b];
}

static bool is_of(const Parts *parts, size_t b) { return island_of(parts, b) != MB_KEPT_NONE; }

static size_t groups(const Parts *parts) { return parts->sim->model->nb + parts->sim->model->ndeformables; }

// L ← I ω in the body's axes.
static void spin_of(const Part *p, const double *v, double L[3]) {
  for (size_t k = 0; k < 3; k++) L[k] = p->I[k] * v[p->own + k];
}

// ---- islands --------------------------------------------------------------------------------------------------------

static void add_taken(MbKeptIsland *to, const Part *p, const double *v) {
  double way[3], part[3], L[3];
  mb_vec3_sub(way, p->is, p->was);
  mb_vec3_cross(part, way, v + p->linear);
  mb_vec3_add_scaled(to->taken, to->taken, p->m, part);
  if (p->node) return;
  spin_of(p, v, L);
  mb_quat_rotate(part, p->q_is, L);
  mb_vec3_add(to->taken, to->taken, part);
  mb_quat_rotate(part, p->q_was, L);
  mb_vec3_sub(to->taken, to->taken, part);
}

static void add_inertia(MbKeptIsland *to, const Part *p) {
  double d[3], R[9];
  mb_vec3_sub(d, p->is, to->centre);
  const double m = p->m, square = mb_vec3_dot(d, d);
  for (size_t r = 0; r < 3; r++)
    for (size_t s = 0; s < 3; s++) to->J[3 * r + s] += m * ((r == s) * square - d[r] * d[s]);
  if (p->node) return;
  mb_quat_to_mat3(R, p->q_is);
  for (size_t r = 0; r < 3; r++)
    for (size_t s = 0; s < 3; s++)
      for (size_t k = 0; k < 3; k++) to->J[3 * r + s] += R[3 * r + k] * p->I[k] * R[3 * s + k];
}

// Finds islands of velocities v before these get anything back. An island has the number of the first body or deformable in it.
static void find_islands(const Parts *parts, const double *v, MbKeptIsland *island) {
  for (size_t i = 0; i < groups(parts); i++) island[i] = (MbKeptIsland){.there = false};
  for (size_t b = 0; b < parts->n; b++) {
    if (!is_of(parts, b)) continue;
    const Part p = part_of(parts, b);
    MbKeptIsland *to = &island[island_of(parts, b)];
    to->there = true, to->mass += p.m;
    mb_vec3_add_scaled(to->centre, to->centre, p.m, p.is);
    add_taken(to, &p, v);
  }
  for (size_t i = 0; i < groups(parts); i++)
    if (island[i].there) mb_vec3_scale(island[i].centre, 1 / island[i].mass, island[i].centre);
  for (size_t b = 0; b < parts->n; b++) {
    if (!is_of(parts, b)) continue;
    const Part p = part_of(parts, b);
    add_inertia(&island[island_of(parts, b)], &p);
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

// Adds what the turn of each island is felt by, of velocities that are felt by `felt`.
static void add_felt(const Parts *parts, const double *felt, MbKeptIsland *island) {
  for (size_t b = 0; b < parts->n; b++) {
    if (!is_of(parts, b)) continue;
    const Part p = part_of(parts, b);
    MbKeptIsland *to = &island[island_of(parts, b)];
    double d[3], part[3];
    mb_vec3_sub(d, p.is, to->centre);
    mb_vec3_cross(part, d, felt + p.linear);
    mb_vec3_add(to->felt, to->felt, part);
    if (p.node) continue;
    mb_quat_rotate(part, p.q_is, felt + p.own);
    mb_vec3_add(to->felt, to->felt, part);
  }
}

// Finds Ω, Ω̄ and y of each. False: one lies on a line.
static bool find_turns(const Parts *parts, const double *felt, MbKeptIsland *island) {
  static const double NONE = 1e-9; // of the largest moment, as in touch_kept.c
  bool fine = true;
  add_felt(parts, felt, island);
  for (size_t i = 0; i < groups(parts); i++) {
    MbKeptIsland *of = &island[i];
    double J[9], most = 0;
    if (!of->there) continue;
    memcpy(J, of->J, sizeof J);
    mb_eigen_small(3, J, of->axis);
    for (size_t k = 0; k < 3; k++) of->moment[k] = J[4 * k], most = fmax(most, J[4 * k]);
    for (size_t k = 0; k < 3; k++) fine &= of->moment[k] > NONE * most;
    solve(of, of->taken, of->omega), solve(of, of->felt, of->weight);
  }
  for (size_t b = 0; b < parts->n; b++) {
    if (!is_of(parts, b)) continue;
    MbKeptIsland *to = &island[island_of(parts, b)];
    double part[3];
    mb_vec3_cross(part, felt + part_of(parts, b).linear, to->omega);
    mb_vec3_add(to->pushed, to->pushed, part);
  }
  return fine;
}

// ---- what the sum is felt by ----------------------------------------------------------------------------------------

// What a body's centre is felt by where it is, in the world's axes.
static void felt_place(const MbKeptIsland *of, const Part *p, const double *v, const double *felt,
                       double out[3]) {
  const double m = p->m, *y = of->weight, *w = of->omega;
  double d[3], part[3];
  mb_vec3_sub(d, p->is, of->centre);
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
  mb_quat_unrotate(y, p->q_is, of->weight), mb_quat_unrotate(w, p->q_is, of->omega);
  mb_vec3_cross(out, felt + p->own, w);
  spin_of(p, v, L);
  for (size_t k = 0; k < 3; k++) L[k] += p->I[k] * w[k];
  mb_vec3_cross(part, L, y);
  mb_vec3_add(out, out, part);
  for (size_t k = 0; k < 3; k++) L[k] = p->I[k] * y[k];
  mb_vec3_cross(part, L, w);
  mb_vec3_add(out, out, part);
}

// What both are felt by where the body was.
static void felt_before(const MbKeptIsland *of, const Part *p, const double *v, double place[3],
                        double turn[3]) {
  double y[3], L[3];
  mb_vec3_cross(place, v + p->linear, of->weight);
  mb_vec3_scale(place, -p->m, place);
  if (p->node) return;
  mb_quat_unrotate(y, p->q_was, of->weight);
  spin_of(p, v, L);
  mb_vec3_cross(turn, y, L);
}

// by_move ← both of all bodies in their own axes, and places of nodes behind them, where they are or, `before`, where they were.
static void gather(MbMet *met, const Parts *parts, const double *felt, bool before) {
  const double *v = parts->moves->kept.v;
  const size_t nb = parts->sim->model->nb;
  memset(met->by_move, 0, (6 * nb + 3 * (parts->n - parts->bodies)) * sizeof *met->by_move);
  for (size_t b = 0; b < parts->n; b++) {
    if (!is_of(parts, b)) continue;
    const bool point = b >= parts->bodies;
    const Part p = part_of(parts, b);
    const MbKeptIsland *of = &met->kept[0][island_of(parts, b)];
    double *turn = point ? NULL : met->by_move + 6 * b,
           *place = point ? met->by_move + 6 * nb + 3 * (b - parts->bodies) : turn + 3;
    if (before)
      felt_before(of, &p, v, place, turn);
    else
      felt_place(of, &p, v, felt, place);
    if (!before && !p.node) felt_turn(of, &p, v, felt, turn);
    if (!point) mb_quat_unrotate(place, before ? p.q_was : p.q_is, place);
  }
}

// Adds what was gathered to q (width), of bodies where they stand.
static void add_gathered(MbMet *met, const Parts *parts, double *q) {
  const size_t nb = parts->sim->model->nb;
  if (parts->bodies) mb_met_weigh(met, parts->moves->kept.v, met->by_move, met->none, q);
  for (size_t c = met->own; c < met->width; c++) q[c] += met->by_move[6 * nb + c - met->own];
}

// out (width) ← what velocities are felt by beside what they are felt by themselves.
static void felt_velocities(const MbMet *met, const Parts *parts, double *out) {
  memset(out, 0, met->width * sizeof *out);
  for (size_t b = 0; b < parts->n; b++) {
    if (!is_of(parts, b)) continue;
    const Part p = part_of(parts, b);
    const double *y = met->kept[0][island_of(parts, b)].weight;
    double way[3], is[3], was[3];
    mb_vec3_sub(way, p.is, p.was);
    mb_vec3_cross(out + p.linear, y, way);
    mb_vec3_scale(out + p.linear, p.m, out + p.linear);
    if (p.node) continue;
    mb_quat_unrotate(is, p.q_is, y), mb_quat_unrotate(was, p.q_was, y);
    for (size_t k = 0; k < 3; k++) out[p.own + k] = p.I[k] * (is[k] - was[k]);
  }
}

// ---- numbers --------------------------------------------------------------------------------------------------------

// Takes bodies to coordinates q1, with met->was where they are by q0.
static void stand(MbMet *met, MbSim *at, const double *q0, const double *q1, const double *v) {
  mb_sim_kinematics(at, q0, v);
  memcpy(met->was, at->x.E, at->model->nb * sizeof *met->was);
  mb_sim_kinematics(at, q1, v);
}

// Returns the sum as a side has it, of the run's Ω and y.
static double sum_of_side(const MbMet *met, const Parts *parts, const double *v, const double *felt) {
  double sum = 0, part[3];
  find_islands(parts, v, met->kept[1]);
  for (size_t i = 0; i < groups(parts); i++) {
    const MbKeptIsland *own = &met->kept[1][i], *run = &met->kept[0][i];
    if (!own->there) continue;
    mb_mat3_apply(part, own->J, run->omega);
    mb_vec3_add(part, part, own->taken);
    sum += mb_vec3_dot(run->weight, part);
  }
  for (size_t b = 0; b < parts->n; b++) {
    if (!is_of(parts, b)) continue;
    const Part p = part_of(parts, b);
    const size_t i = island_of(parts, b);
    double d[3];
    mb_vec3_sub(d, p.is, met->kept[1][i].centre);
    mb_vec3_cross(part, met->kept[0][i].omega, d);
    sum += mb_vec3_dot(felt + p.linear, part);
    if (p.node) continue;
    mb_quat_unrotate(part, p.q_is, met->kept[0][i].omega);
    sum += mb_vec3_dot(felt + p.own, part);
  }
  return sum;
}

static void numbers(MbSensitivity *g, const Parts *run, const double *q1, const double *felt, double *out) {
  const MbTouchMoves *moves = run->moves;
  for (size_t k = 0; k < g->count; k++) {
    const MbSlope *slope = &g->slopes[k];
    if (!slope->meets && !mb_tangent_number_masses(slope->number)) continue;
    for (int s = 0; s < 2; s++) {
      MbSim *side = mb_slope_side(slope, s);
      const double *v = mb_met_side_v(g->met, slope, s, MB_AXES_FROM, moves->kept.v),
                   *own = mb_met_side_v(g->met, slope, s, MB_AXES_FELT, felt);
      Parts parts = *run;
      parts.sim = side;
      if (run->bodies) {
        mb_sim_kinematics(side, mb_axes_q(slope->axes, s, run->to ? q1 : moves->move[0].q), v);
        memcpy(g->met->was, side->x.E, side->model->nb * sizeof *g->met->was);
        mb_sim_kinematics(side, mb_axes_q(slope->axes, s, q1), v);
      }
      out[k] += (s ? 1 : -1) * sum_of_side(g->met, &parts, v, own) / (2 * g->number[k].move);
    }
  }
}

static bool on_line(MbSensitivity *g) {
  g->parted = "what floats has got back momentum on a line, about which it cannot turn";
  return false;
}

bool mb_met_kept_back(MbSensitivity *g, const MbTouchMoves *moves, const double *q1, double *q, double *v,
                      double *first, double *out) {
  MbMet *met = g->met;
  MbSim *at = met->beside;
  const double *was = moves->kept.v, *q0 = moves->move[0].q;
  const Parts parts = bodies_of(met, at, moves);
  stand(met, at, q0, q1, was);
  find_islands(&parts, was, met->kept[0]);
  if (!find_turns(&parts, v, met->kept[0])) return on_line(g);
  gather(met, &parts, v, false);
  add_gathered(met, &parts, q);
  felt_velocities(met, &parts, met->z);
  gather(met, &parts, v, true);
  mb_sim_kinematics(at, q0, was);
  memset(first, 0, g->sim->nv * sizeof *first);
  add_gathered(met, &parts, first);
  numbers(g, &parts, q1, v, out);
  for (size_t i = 0; i < g->sim->nv; i++) v[i] += met->z[i];
  return true;
}

// Bodies are where they were while nodes are parted.
bool mb_met_kept_points(MbSensitivity *g, const MbTouchMoves *moves, const double *q1, double *q, double *v,
                        double *first, double *out) {
  MbMet *met = g->met;
  MbSim *at = met->beside;
  const size_t bodies = met->own ? at->model->nb : 0;
  const Parts parts = {.sim = at,
                       .moves = moves,
                       .was = met->was,
                       .from = moves->move[0].q,
                       .to = q1 + at->nq,
                       .bodies = bodies,
                       .n = bodies + mb_model_points(at->model)};
  if (bodies) stand(met, at, q1, q1, moves->kept.v);
  find_islands(&parts, moves->kept.v, met->kept[0]);
  if (!find_turns(&parts, v, met->kept[0])) return on_line(g);
  memset(first, 0, met->width * sizeof *first);
  gather(met, &parts, v, false), add_gathered(met, &parts, q);
  gather(met, &parts, v, true), add_gathered(met, &parts, first);
  felt_velocities(met, &parts, met->z);
  numbers(g, &parts, q1, v, out);
  for (size_t i = 0; i < met->width; i++) v[i] += met->z[i];
  return true;
}
