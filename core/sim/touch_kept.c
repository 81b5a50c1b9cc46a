// What is deep is parted by positions alone, and positions are a part of momentum and of energy: they change with velocities left as they are.
//
// Linear momentum stays, as velocities of centres do. Of angular momentum the move δ_i of each centre and the turn of each body take
//
//   ΔL = Σ δ_i × m_i v_i + (R_i′ − R_i) I_i ω_i
//
// which of two bodies that a push parts along n by λ is λ n × (v_b − v_a) and what turns their spins: of first order in the step for as
// long as something slips or rolls, though nothing acts from outside. What velocities are to give back is that, and of all that do so and keep
// linear momentum the least, as masses tell, are those of one rigid body,
//
//   Δv_i = Ω × (c_i − c),   Δω_i = Ω,   Ω = −J⁻¹ ΔL      J: inertia of all about their common centre c
//
// by which no two of them move against one another: rates of their contacts stay as they were solved for. It is done of each island of what
// has been parted that nothing outside holds. What the world holds has no angular momentum of its own to keep; where joints' coordinates are
// the velocities, momentum is kept as well as their steps keep it.
//
// The energy changes by what is lifted, stretched and turned. A step alone, of forces that are constant over it and without rebounds, ends with
// no more than it began with (touch_rebound.c, (1)), as closing a gap g takes λ g/h from it. A depth d is given back λ d/h so: with a body that
// goes along a curve of which the step sees the tangent, d = ½ κ (h v)² is what the curve has risen by beside it, and in the step's energy
// E that is the swing of all steps of symplectic Euler,  E + ½ h v·∇V stays: of the order h² in a step, of h over any time, and taken back where the curve
// falls off, as a gap. Velocities that paid for it would damp what swings by a part h ω of its energy in a radian. So it is left there, and told: channel `energy`
// has the sum of it, and the total without that sum never rises.
#include "core/sim/touch_kept.h"
#include "core/base/alloc.h"
#include "core/joints/joints.h"
#include "core/math/eigen_small.h"
#include "core/math/mat3.h"
#include "core/model/coordinate_map.h"
#include "core/sim/accounting.h"
#include "core/sim/constrain_internal.h"
#include "core/sim/evaluate.h"
#include "core/sim/layout.h"
#include "core/sim/nodes.h"
#include "core/sim/touch.h"
#include "core/sim/touch_pile.h"

#include <string.h>

// Of an island: what moves have taken of its angular momentum; its mass, with first and second moments about the centre of its first part; its
// common centre; the turn that it gets.
struct MbKeptGroup {
  double taken[3], from[3], mass, first[3], second[6], inertia[9], centre[3], omega[3];
  bool placed;
};

// ---- what is bound ----------------------------------------------------------------------------------------

static uint32_t root_of(uint32_t *root, size_t b) {
  uint32_t i = (uint32_t)b;
  while (root[i] != i) i = root[i] = root[root[i]];
  return i;
}

// Joins two groups; one of them MB_WORLD: the other is held.
static void join(uint32_t *root, bool *held, size_t a, size_t b) {
  if (a == MB_WORLD && b == MB_WORLD) return;
  if (a == MB_WORLD || b == MB_WORLD) {
    held[root_of(root, a == MB_WORLD ? b : a)] = true;
    return;
  }
  const uint32_t x = root_of(root, a), y = root_of(root, b), low = x < y ? x : y;
  held[low] = held[x] || held[y];
  root[x > y ? x : y] = low;
}

bool mb_touch_kept_node(const MbModel *model, size_t b) {
  return model->joint[b].ops == &mb_joint_node && model->joint[b].n == 3;
}

// Whether a body's velocities are not its own, or a joint hangs it on the world.
static bool is_tied(const MbModel *model, size_t b) {
  if (mb_touch_kept_node(model, b)) return false;
  return !model->flies[b] || (model->joint[b].ops && model->parent[b] == MB_WORLD);
}

static void bind_bodies(const MbModel *model, MbTouchKept *kept) {
  uint32_t *root = kept->bound;
  for (size_t b = 0; b < model->nb; b++)
    if (model->parent[b] != MB_WORLD) join(root, kept->tied, b, model->parent[b]);
  for (size_t i = 0; i < model->nfollowers; i++)
    for (size_t k = 0; k < model->followers[i].nmasters; k++)
      join(root, kept->tied, model->followers[i].body, model->followers[i].master[k].body);
  for (size_t i = 0; i < model->nconstraints; i++) {
    const MbConstraint *c = &model->constraints[i];
    join(root, kept->tied, c->body[0], c->body[1]);
    for (size_t k = 0; k < c->nmasters; k++) join(root, kept->tied, c->body[0], c->master[k].body);
  }
}

// A deformable with its nodes; one of points is held by its pins, bodies that carry nodes, and rows about these.
static void bind_deformables(const MbModel *model, MbTouchKept *kept) {
  for (size_t i = 0; i < model->ndeformables; i++) {
    const MbDeformable *of = &model->deformables[i];
    const MbElements *e = of->elements;
    kept->tied[model->nb + i] |= of->points && (e->npinned > 0 || e->nattached > 0 || model->nports > 0);
    for (size_t k = 0; k < of->count && !of->points; k++)
      join(kept->bound, kept->tied, model->nb + i, of->first + k);
  }
}

// Groups in the order in which contacts are, then those that nothing touches but by what binds them.
static void find_order(const MbModel *model, MbTouchKept *kept) {
  const MbContacts *rules = &model->contacts;
  size_t count = 0;
  bool *listed = kept->held; // until there are islands
  for (size_t i = 0; i < rules->nsolids + rules->nsurfaces + kept->n; i++) {
    const size_t behind = i - rules->nsolids;
    const size_t group = i < rules->nsolids          ? rules->solids[i].body
                         : behind < rules->nsurfaces ? model->nb + rules->surfaces[behind].deformable
                                                     : behind - rules->nsurfaces;
    if (listed[group]) continue;
    listed[group] = true;
    kept->order[count++] = (uint32_t)group;
  }
}

bool mb_touch_kept_create(MbSim *sim) {
  const MbModel *model = sim->model;
  MbTouchKept *kept = &sim->touching->kept;
  const size_t n = kept->n = model->nb + model->ndeformables;
  kept->order = mb_arena_alloc(&sim->arena, n, sizeof *kept->order);
  kept->bound = mb_arena_alloc(&sim->arena, n, sizeof *kept->bound);
  kept->root = mb_arena_alloc(&sim->arena, n, sizeof *kept->root);
  kept->tied = mb_arena_alloc(&sim->arena, n, sizeof *kept->tied);
  kept->held = mb_arena_alloc(&sim->arena, n, sizeof *kept->held);
  kept->sum = mb_arena_alloc(&sim->arena, n, sizeof *kept->sum);
  kept->E = mb_arena_alloc(&sim->arena, model->nb, sizeof *kept->E);
  if (!kept->order || !kept->bound || !kept->root || !kept->tied || !kept->held || !kept->sum || !kept->E)
    return false;
  for (size_t i = 0; i < n; i++) {
    kept->bound[i] = (uint32_t)i;
    kept->tied[i] = i < model->nb && is_tied(model, i);
  }
  find_order(model, kept);
  bind_bodies(model, kept);
  bind_deformables(model, kept);
  return true;
}

// ---- what is parted ---------------------------------------------------------------------------------------

// `points`: with nodes that are points, which stay where they are while bodies move.
static double energy_of(const MbSim *sim, bool points) {
  MbEnergy e = mb_energy(sim->model, &sim->x);
  if (points) mb_nodes_energy_of(sim, sim->nodes->q1, sim->nodes->v1, &e);
  return e.total;
}

static void begin(MbSim *sim, bool points) {
  MbTouchKept *kept = &sim->touching->kept;
  memcpy(kept->root, kept->bound, kept->n * sizeof *kept->root);
  memcpy(kept->held, kept->tied, kept->n * sizeof *kept->held);
  memset(kept->sum, 0, kept->n * sizeof *kept->sum);
  kept->before = energy_of(sim, points);
}

void mb_touch_kept_step(MbSim *sim) { sim->touching->kept.parted = mb_section(sim, MB_SECTION_CONTACT)[1]; }

void mb_touch_kept_begin(MbSim *sim) {
  begin(sim, false);
  memcpy(sim->touching->kept.E, sim->x.E, sim->model->nb * sizeof *sim->x.E);
}

// What a row or contact names as its end: a body, or behind them a node that is a point, whose deformable it is.
static size_t group_of(const MbModel *model, size_t end) {
  if (end == MB_WORLD || end < model->nb) return end;
  size_t i = 0;
  while (end - model->nb >= model->deformables[i].first + model->deformables[i].count) i++;
  return model->nb + i;
}

void mb_touch_kept_join_touch(MbSim *sim, const size_t *end, size_t nends) {
  MbTouchKept *kept = &sim->touching->kept;
  const size_t first = group_of(sim->model, end[0]);
  for (size_t k = 1; k < nends; k++) join(kept->root, kept->held, first, group_of(sim->model, end[k]));
}

// What drives a body holds what it pushes.
static void join_pushed(MbSim *sim, const MbTouch *touch) {
  const MbTouching *t = sim->touching;
  const uint32_t which[2] = {touch->a, touch->b};
  const MbTouchEnds *ends = mb_touch_ends(&t->now, touch);
  bool driven = false;
  mb_touch_kept_join_touch(sim, ends->end, ends->n);
  for (size_t k = 0; k < 2; k++) driven |= which[k] < t->rules->nsolids && t->driven[which[k]];
  for (size_t k = 0; k < ends->n && driven; k++)
    join(sim->touching->kept.root, sim->touching->kept.held, group_of(sim->model, ends->end[k]), MB_WORLD);
}

static void join_numbered(void *context, size_t contact) {
  MbSim *sim = context;
  join_pushed(sim, &sim->touching->now.touch[contact]);
}

void mb_touch_kept_moved(MbSim *sim, bool pile) {
  const MbConstraining *c = sim->constraining;
  if (pile) {
    mb_pile_each_moved(&sim->touching->pile->pile, join_numbered, sim);
    return;
  }
  for (size_t i = 0; i < c->n; i++) {
    const MbTouch *touch = c->answer.lambda[i] != 0 ? mb_touch_of_row(sim, i) : NULL;
    if (touch) join_pushed(sim, touch);
  }
}

// ---- what is given back -----------------------------------------------------------------------------------

static MbKeptGroup *island_of(MbTouchKept *kept, size_t group) {
  return &kept->sum[root_of(kept->root, group)];
}

static bool floats(MbTouchKept *kept, size_t group) { return !kept->held[root_of(kept->root, group)]; }

static bool is_taken(const MbKeptGroup *of) {
  return of->taken[0] != 0 || of->taken[1] != 0 || of->taken[2] != 0;
}

// taken += (c₁ − c₀) × m v + (R₁ − R₀) I ω of a body
static void take_body(const MbSim *sim, size_t b, const double *v, double taken[3]) {
  const MbModel *model = sim->model;
  const MbPose *was = &sim->touching->kept.E[b], *is = &sim->x.E[b];
  const double *M = model->M + 6 * b;
  double way[3], part[3], L[3];
  mb_vec3_sub(way, is->p, was->p);
  if (mb_touch_kept_node(model, b)) {
    mb_vec3_cross(part, way, v + sim->solver->map->layout->node(model, b));
    mb_vec3_add_scaled(taken, taken, M[3], part);
    return;
  }
  const double *own = v + sim->solver->map->layout->velocity(model, b);
  mb_vec3_cross(part, way, own + 3);
  mb_vec3_add_scaled(taken, taken, M[3], part);
  for (int k = 0; k < 3; k++) L[k] = M[k] * own[k];
  mb_quat_rotate(part, is->q, L);
  mb_vec3_add(taken, taken, part);
  mb_quat_rotate(part, was->q, L);
  mb_vec3_sub(taken, taken, part);
}

// Adds a mass at a place.
static void add_mass(MbKeptGroup *to, const double at[3], double m) {
  double d[3];
  if (!to->placed) mb_vec3_copy(to->from, at);
  to->placed = true;
  mb_vec3_sub(d, at, to->from);
  to->mass += m;
  mb_vec3_add_scaled(to->first, to->first, m, d);
  for (int r = 0, k = 0; r < 3; r++)
    for (int s = r; s < 3; s++) to->second[k++] += m * d[r] * d[s];
}

// Adds the inertia of a body about its own centre, in the world's axes.
static void add_inertia(MbKeptGroup *to, const double q[4], const double I[3]) {
  double R[9];
  mb_quat_to_mat3(R, q);
  for (size_t r = 0; r < 3; r++)
    for (size_t s = 0; s < 3; s++)
      for (size_t k = 0; k < 3; k++) to->inertia[3 * r + s] += R[3 * r + k] * I[k] * R[3 * s + k];
}

static void add_bodies(MbSim *sim) {
  MbTouchKept *kept = &sim->touching->kept;
  for (size_t i = 0; i < kept->n; i++) {
    const size_t b = kept->order[i];
    if (b >= mb_model_own(sim->model) || !floats(kept, b) || !is_taken(island_of(kept, b))) continue;
    add_mass(island_of(kept, b), sim->x.E[b].p, sim->model->M[6 * b + 3]);
    if (!mb_touch_kept_node(sim->model, b))
      add_inertia(island_of(kept, b), sim->x.E[b].q, sim->model->M + 6 * b);
  }
}

static void add_points(MbSim *sim) {
  MbTouchKept *kept = &sim->touching->kept;
  for (size_t i = 0; i < kept->n; i++) {
    const size_t group = kept->order[i];
    if (group < sim->model->nb) continue;
    const MbDeformable *of = &sim->model->deformables[group - sim->model->nb];
    if (!of->points || !floats(kept, group) || !is_taken(island_of(kept, group))) continue;
    for (size_t k = 0; k < of->count; k++)
      add_mass(island_of(kept, group), sim->nodes->q1 + 3 * (of->first + k), of->elements->mass[k]);
  }
}

// Ω = −J⁻¹ ΔL, of what lies in a line without what turns it about that.
static void find_turn(MbKeptGroup *of) {
  static const double NONE = 1e-9; // of the largest moment
  double *J = of->inertia, X[9], m[3], most = 0, all = 0;
  for (int k = 0; k < 3; k++) m[k] = of->first[k] / of->mass;
  mb_vec3_add(of->centre, of->from, m);
  for (int r = 0, k = 0; r < 3; r++)
    for (int s = r; s < 3; s++, k++) {
      const double part = of->second[k] - of->first[r] * m[s];
      if (r == s) all += part;
      J[3 * r + s] -= part;
      if (r != s) J[3 * s + r] -= part;
    }
  for (int k = 0; k < 9; k += 4) J[k] += all;
  mb_eigen_small(3, J, X);
  for (int k = 0; k < 3; k++) most = fmax(most, J[4 * k]);
  for (int k = 0; k < 3; k++) {
    const double axis[3] = {X[k], X[3 + k], X[6 + k]};
    if (J[4 * k] > NONE * most)
      mb_vec3_add_scaled(of->omega, of->omega, -mb_vec3_dot(axis, of->taken) / J[4 * k], axis);
  }
}

// The velocity of a place that turns with an island.
static void turn_place(const MbKeptGroup *of, const double at[3], double v[3]) {
  double r[3], part[3];
  mb_vec3_sub(r, at, of->centre);
  mb_vec3_cross(part, of->omega, r);
  mb_vec3_add(v, v, part);
}

static void turn_bodies(MbSim *sim, double *v) {
  const MbModel *model = sim->model;
  MbTouchKept *kept = &sim->touching->kept;
  for (size_t b = 0; b < mb_model_own(model); b++) {
    const MbKeptGroup *of = island_of(kept, b);
    if (!of->placed) continue;
    if (mb_touch_kept_node(model, b)) {
      turn_place(of, sim->x.E[b].p, v + sim->solver->map->layout->node(model, b));
      continue;
    }
    double *own = v + sim->solver->map->layout->velocity(model, b), turn[3];
    mb_quat_unrotate(turn, sim->x.E[b].q, of->omega);
    mb_vec3_add(own, own, turn);
    turn_place(of, sim->x.E[b].p, own + 3);
  }
}

static void turn_points(MbSim *sim) {
  MbTouchKept *kept = &sim->touching->kept;
  for (size_t i = 0; i < sim->model->ndeformables; i++) {
    const MbDeformable *of = &sim->model->deformables[i];
    const MbKeptGroup *island = island_of(kept, sim->model->nb + i);
    for (size_t k = of->first; of->points && island->placed && k < of->first + of->count; k++)
      turn_place(island, sim->nodes->q1 + 3 * k, sim->nodes->v1 + 3 * k);
  }
}

// Gives all islands back what is taken of theirs; `points`: nodes that are points have moved. Whether there was any.
static bool give_back(MbSim *sim, bool points, double *v) {
  MbTouchKept *kept = &sim->touching->kept;
  bool any = false;
  add_bodies(sim);
  if (points) add_points(sim);
  for (size_t i = 0; i < kept->n; i++) {
    if (!kept->sum[i].placed) continue;
    find_turn(&kept->sum[i]);
    any = true;
  }
  if (!any) return false;
  turn_bodies(sim, v);
  if (points) turn_points(sim);
  mb_sim_kinematics(sim, sim->q1, v);
  mb_sim_follow(sim, sim->q1, v);
  return true;
}

bool mb_touch_kept_end(MbSim *sim, double *v) {
  MbTouchKept *kept = &sim->touching->kept;
  for (size_t i = 0; i < kept->n; i++) {
    const size_t b = kept->order[i];
    if (b < mb_model_own(sim->model) && floats(kept, b)) take_body(sim, b, v, island_of(kept, b)->taken);
  }
  const bool any = give_back(sim, false, v);
  kept->parted += energy_of(sim, false) - kept->before;
  return any;
}

uint32_t mb_touch_kept_island(const MbSim *sim, size_t group) {
  MbTouchKept *kept = &sim->touching->kept;
  const uint32_t root = root_of(kept->root, group);
  return kept->sum[root].placed ? root : MB_KEPT_NONE;
}

// ---- nodes that are points --------------------------------------------------------------------------------

void mb_touch_kept_begin_points(MbSim *sim) { begin(sim, true); }

// taken += m δ × v
void mb_touch_kept_moves_node(MbSim *sim, size_t node, double way, const double n[3]) {
  const size_t group = group_of(sim->model, sim->model->nb + node);
  const MbDeformable *of = &sim->model->deformables[group - sim->model->nb];
  const double mass = of->elements->mass[node - of->first];
  double part[3];
  MbKeptGroup *sum = &sim->touching->kept.sum[group];
  mb_vec3_cross(part, n, sim->nodes->v1 + 3 * node);
  mb_vec3_add_scaled(sum->taken, sum->taken, way * mass, part);
}

bool mb_touch_kept_end_points(MbSim *sim, double *v) {
  MbTouchKept *kept = &sim->touching->kept;
  for (size_t i = 0; i < kept->n; i++) {
    MbKeptGroup *own = &kept->sum[kept->order[i]], *of = island_of(kept, kept->order[i]);
    if (of != own) mb_vec3_add(of->taken, of->taken, own->taken);
  }
  const bool any = give_back(sim, true, v);
  kept->parted += energy_of(sim, true) - kept->before;
  return any;
}
