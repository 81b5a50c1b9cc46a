// What contacts are felt by where bodies are: derivatives of one sum (sensitivity_met.h). What it is felt by along the bodies' twists by z and w is exact, and goes down the tree by two transposed passes. Along the
// bodies' motions, with their twists as they are in their own axes, these are differences, some 1e-10 off, along the six motions of one of each pair of solids that touches: contacts are found anew where it is a
// little less and a little more, as a step there would find them, so that whatever shapes there are their normals turn and their points go as in the program. The other's motions follow, as a pair that is moved as
// one keeps its sum. That the tangents are turned about the normal is no change under the round cone: with u the rates, z the way that the equations weigh them (sensitivity_met.c) and × of the tangents
//
//   ζ × u − μ × z = 0,   as u = z = 0 where it sticks, and where it slides  ζ = m μ_n (1 − d dᵀ) η/|u|,  μ = −m μ_n d,  z = η
#include "core/model/coordinates.h"
#include "core/sim/evaluate.h"
#include "core/sim/rub_rows.h"
#include "core/sim/sensitivity_met.h"
#include "core/sim/touch_axes.h"

#include <math.h>
#include <string.h>

static const double MOVE = 1e-5; // rad, m: to either side
static const double OF_SIZE =
    1e-4; // of the smaller one's, if that is less: to either side of contacts of nodes
static const double JUMPS = 1e-7; // the same of what is left of second differences over so short a way

// ---- the sum --------------------------------------------------------------------------------------------------------

// Bodies' twists by a sum's velocities.
typedef struct Twists {
  const double *w, *z, *from, *free, *by;
} Twists;

// What a contact that rebounds asks for besides:  N ((1 + e) from − free).
static double thrown(const MbSim *sim, const MbSeen *seen, const Twists *of) {
  double before[3], after[3];
  mb_met_rate(sim, seen, of->from, before), mb_met_rate(sim, seen, of->free, after);
  return (1 + seen->bounce) * mb_vec3_dot(seen->normal, before) - mb_vec3_dot(seen->normal, after);
}

// The part of the contacts from `first` to before `end`.
static double contacts_of(const MbSim *sim, const MbMetSum *sum, size_t first, size_t end, const MbSeen *seen,
                          const Twists *of) {
  double all = 0;
  for (size_t i = first; i < end; i++) {
    const MbPushed *touch = &sum->pushed->touch[i];
    double axis[3][3], w[3], z[3];
    mb_touch_axes_near(touch->normal, seen[i].normal, axis);
    mb_met_rate(sim, &seen[i], of->w, w), mb_met_rate(sim, &seen[i], of->z, z);
    for (size_t k = 0; k < 3; k++)
      all += sum->zeta[3 * i + k] * mb_vec3_dot(axis[k], w) - sum->mu[3 * i + k] * mb_vec3_dot(axis[k], z);
    all += sum->zeta[3 * i] * sum->pull[i] * seen[i].gap;
    if (mb_met_arc_is(sum, i)) {
      double along[3];
      mb_met_arc_along(sim, sum, i, &seen[i], of->by, axis, along);
      all -= mb_vec3_dot(sum->zeta + 3 * i, along);
    }
    if (touch->rebounds && sum->free) all += sum->zeta[3 * i] * thrown(sim, &seen[i], of);
  }
  return all;
}

// Those before the step and without rows, where a contact rebounds.
static void find_thrown(const MbMet *met, MbSim *at, const double *q, const MbMetSum *sum) {
  if (!sum->free) return;
  mb_met_twists(at, q, sum->from, met->from_phi);
  mb_met_twists(at, q, sum->free, met->free_phi);
}

// Those by which arcs go, where it is not by w.
static void find_arcs(const MbMet *met, MbSim *at, const double *q, const MbMetSum *sum) {
  if (sum->arcs && !sum->arcs->settles) mb_met_twists(at, q, sum->by, met->arcs.phi);
}

// phi (nb x 6) += how bodies go besides by the twists that friction inside joints weighs wrenches by, where those of a simulation are; met->psi ← that.
static void add_carried(const MbMet *met, const MbSim *at, const MbMetSum *sum, double *phi) {
  if (!sum->carried) return;
  mb_rubbed_carry(at->model, at->x.E, sum->carried, met->psi);
  for (size_t i = 0; i < 6 * at->model->nb; i++) phi[i] += met->psi[i];
}

double mb_met_sum_at(const MbMet *met, MbSim *at, const double *q, const MbMetSum *sum, const MbSeen *seen) {
  const double *w = met->phi, *z = met->phi_w;
  const Twists of = {.w = w,
                     .z = z,
                     .from = met->from_phi,
                     .free = met->free_phi,
                     .by = sum->arcs && !sum->arcs->settles ? met->arcs.phi : w};
  find_thrown(met, at, q, sum), find_arcs(met, at, q, sum);
  mb_met_twists(at, q, sum->w, met->phi);
  mb_met_twists(at, q, sum->z, met->phi_w);
  add_carried(met, at, sum, met->phi_w);
  double all = contacts_of(at, sum, 0, sum->pushed->n, seen, &of);
  for (size_t k = 0; k < 6 * at->model->nb && sum->parts; k++) all -= z[k] * at->model->M[k] * w[k];
  return all;
}

// ---- along the motions of a pair ------------------------------------------------------------------------------------

// Contacts of one pair, of a sum's.
typedef struct Pair {
  size_t first, end;
  size_t body[2]; // MB_WORLD: nothing moves it
} Pair;

static Pair pair_from(const MbSim *sim, const MbPushes *pushed, size_t first) {
  const MbContacts *rules = sim->touching->rules;
  const MbPushed *touch = &pushed->touch[first];
  const uint32_t solid[2] = {touch->a, touch->b};
  Pair pair = {.first = first, .end = first + 1};
  while (pair.end < pushed->n && pushed->touch[pair.end].a == touch->a &&
         pushed->touch[pair.end].b == touch->b)
    pair.end++;
  for (int k = 0; k < 2; k++) {
    pair.body[k] = rules->solids[solid[k]].body;
    if (rules->moved[pair.body[k]] == MB_WORLD) pair.body[k] = MB_WORLD;
  }
  return pair;
}

// How two bodies move against one another at a contact, by their twists, and how fast each is.
typedef struct Apart {
  double spin[3], speed[3], spins, speeds;
} Apart;

static void add_apart(const MbSim *sim, const MbSeen *seen, size_t end, const double *phi, Apart *to) {
  const size_t body = seen->body[end];
  double spin[3] = {0}, speed[3] = {0};
  if (body < sim->model->nb) mb_quat_rotate(spin, sim->x.E[body].q, phi + 6 * body);
  mb_met_add_velocity(sim, seen, end, phi, 1, speed);
  mb_vec3_add_scaled(to->spin, to->spin, seen->weight[end], spin);
  mb_vec3_add_scaled(to->speed, to->speed, seen->weight[end], speed);
  to->spins += mb_vec3_norm(spin), to->speeds += mb_vec3_norm(speed);
}

static double fastest(const MbSim *sim, const double *phi) {
  double most = 0;
  for (size_t b = 0; b < sim->model->nb; b++) most = fmax(most, mb_vec3_norm(phi + 6 * b + 3));
  return most;
}

// Whether it counts where a contact's point and normal jump by so much, of what is weighed by three numbers along its axes: not where the bodies move as one but for rounding of `size`, or jump across how they turn.
static bool counts(const MbSim *sim, const MbPushed *touch, const MbSeen *seen, const double *phi,
                   double size, const double weight[3], const double point[3], const double normal[3]) {
  static const double NONE = 1e-7;
  Apart apart = {{0}, {0}, 0, 0};
  double axis[3][3], force[3] = {0}, moved[3];
  for (size_t k = 0; k < seen->n; k++) add_apart(sim, seen, k, phi, &apart);
  mb_touch_axes_near(touch->normal, seen->normal, axis);
  for (int k = 0; k < 3; k++) mb_vec3_add_scaled(force, force, weight[k], axis[k]);
  mb_vec3_cross(moved, apart.spin, point);
  const double fast = apart.speeds + touch->size * apart.spins + size, much = mb_vec3_norm(force);
  return !(fabs(mb_vec3_dot(force, moved)) <= NONE * much * mb_vec3_norm(point) * fast / touch->size) ||
         !(mb_vec3_norm(apart.speed) * mb_vec3_norm(normal) <= NONE * fast * JUMPS);
}

// a ← what a contact that is carried asks for, of the velocities by w and those by which its arc goes.
static void asked_of(const MbSim *sim, const MbMetSum *sum, size_t i, const MbSeen *seen, const Twists *of,
                     double a[3]) {
  double axis[3][3], along[3];
  mb_touch_axes_near(sum->pushed->touch[i].normal, seen->normal, axis);
  mb_met_arc_along(sim, sum, i, seen, of->by, axis, along);
  mb_met_rate(sim, seen, of->w, a);
  for (int k = 0; k < 3; k++) mb_vec3_add_scaled(a, a, -along[k], axis[k]);
}

// The same as `counts` of what such a contact asks for, which is a rigid motion of its bodies as well.
static bool counts_carried(const MbSim *sim, const MbMetSum *sum, size_t i, const MbSeen *seen,
                           const Twists *of, double size, const double point[3], const double normal[3]) {
  static const double NONE = 1e-7;
  const MbPushed *touch = &sum->pushed->touch[i];
  const double *weight = sum->zeta + 3 * i;
  Apart apart = {{0}, {0}, 0, 0};
  MbSeen moved = *seen;
  double axis[3][3], here[3], there[3], force[3] = {0};
  for (size_t k = 0; k < seen->n; k++) add_apart(sim, seen, k, of->w, &apart);
  mb_touch_axes_near(touch->normal, seen->normal, axis);
  for (int k = 0; k < 3; k++) mb_vec3_add_scaled(force, force, weight[k], axis[k]);
  mb_vec3_add(moved.point, moved.point, point);
  asked_of(sim, sum, i, seen, of, here), asked_of(sim, sum, i, &moved, of, there);
  mb_vec3_sub(there, there, here);
  const double fast = apart.speeds + touch->size * apart.spins + size, much = mb_vec3_norm(force);
  return !(fabs(mb_vec3_dot(force, there)) <= NONE * much * mb_vec3_norm(point) * fast / touch->size) ||
         !(mb_vec3_norm(here) * mb_vec3_norm(normal) <= NONE * fast * JUMPS);
}

// Second differences of a contact's point, normal and gap, of which what is no more than a curve's is none.
static bool jumps(const MbPushed *touch, const MbSeen *at[3], double point[3], double normal[3]) {
  const double far = JUMPS * (1 + touch->size);
  bool any = false;
  for (int k = 0; k < 3; k++) {
    point[k] = at[1]->point[k] + at[2]->point[k] - 2 * at[0]->point[k];
    normal[k] = at[1]->normal[k] + at[2]->normal[k] - 2 * at[0]->normal[k];
    if (fabs(point[k]) <= far) point[k] = 0;
    if (fabs(normal[k]) <= JUMPS) normal[k] = 0;
    any |= point[k] != 0 || normal[k] != 0;
  }
  return any;
}

// Whether what is seen on both sides of a place turns there: its second difference is no curve's, but a part of the first.
static bool turns_at(const double *at, const double *less, const double *more, double none) {
  static const double PART = 1e-2;
  double first[3], second[3];
  mb_vec3_sub(first, more, less);
  for (int k = 0; k < 3; k++) second[k] = less[k] + more[k] - 2 * at[k];
  return !(mb_vec3_norm(second) <= fmax(none, PART * mb_vec3_norm(first)));
}

static bool nodes_jump(const MbPushed *touch, const MbSeen *at[3]) {
  return turns_at(at[0]->point, at[1]->point, at[2]->point, JUMPS * (1 + touch->size)) ||
         turns_at(at[0]->normal, at[1]->normal, at[2]->normal, JUMPS);
}

// Twists by w, where the bodies of `beside` stand.
static const double *twists_of(const MbMet *met) { return met->phi_w; }

// All of them there.
static Twists all_twists(const MbMet *met, const MbMetSum *sum) {
  const double *w = twists_of(met);
  const bool before = sum->arcs && !sum->arcs->settles;
  return (Twists){w, met->phi, met->from_phi, met->free_phi, before ? met->arcs.phi : w};
}

// What the part of a contact is made of.
static double size_of(const MbMet *met, const MbMetSum *sum, size_t i) {
  const double *zeta = sum->zeta + 3 * i, *mu = sum->mu + 3 * i;
  const MbSeen *seen = &met->seen[0][i];
  Apart apart[2] = {{{0}, {0}, 0, 0}, {{0}, {0}, 0, 0}};
  for (int z = 0; z < 2; z++)
    for (size_t k = 0; k < seen->n; k++)
      add_apart(met->beside, seen, k, z ? met->phi : twists_of(met), &apart[z]);
  return mb_vec3_norm(zeta) * apart[0].speeds + mb_vec3_norm(mu) * apart[1].speeds +
         fabs(zeta[0] * sum->pull[i]) * sum->pushed->touch[i].size;
}

// Whether the part of a contact goes on straight where it is a little less and a little more, by some of its size, but for as little as is nothing beside what all of them are made of.
static bool goes_on(const MbMet *met, const MbMetSum *sum, double some, const double of[3]) {
  static const double NONE = 1e-7;
  double much = 0;
  for (size_t i = 0; i < sum->pushed->n; i++) much = fmax(much, size_of(met, sum, i));
  return fabs(of[1] + of[2] - 2 * of[0]) <= NONE * some * much;
}

// The same, with the bodies where they are: of the contact as it is seen there and on both sides.
static bool part_smooth(const MbMet *met, const MbMetSum *sum, size_t i, double some) {
  const MbSim *sim = met->beside;
  const Twists of_here = all_twists(met, sum);
  double of[3];
  for (int k = 0; k < 3; k++) of[k] = contacts_of(sim, sum, i, i + 1, met->seen[k], &of_here);
  return goes_on(met, sum, some, of);
}

// Whether it counts of what contact i is asked for and pushes, where its point and normal jump.
static bool jump_counts(const MbMet *met, const MbMetSum *sum, size_t i, const double point[3],
                        const double normal[3]) {
  const MbSim *sim = met->beside;
  const MbPushed *touch = &sum->pushed->touch[i];
  const MbSeen *seen = &met->seen[0][i];
  const double fast = fastest(sim, sim->x.phi) + sim->model->h * mb_vec3_norm(sim->model->gravity);
  const Twists of = all_twists(met, sum);
  if (mb_met_arc_is(sum, i) ? counts_carried(sim, sum, i, seen, &of, fast, point, normal)
                            : counts(sim, touch, seen, sim->x.phi, fast, sum->zeta + 3 * i, point, normal))
    return true;
  return counts(sim, touch, seen, met->phi, fastest(sim, met->phi), sum->mu + 3 * i, point, normal);
}

// Whether the sum is: where faces lie flush on one another their corners jump, which is nothing to what moves as one. The bodies are where the run's are.
static bool smooth(const MbMet *met, const MbMetSum *sum, const Pair *pair) {
  const MbSim *sim = met->beside;
  for (size_t i = pair->first; i < pair->end; i++) {
    const MbPushed *touch = &sum->pushed->touch[i];
    const MbSeen *at[3] = {&met->seen[0][i], &met->seen[1][i], &met->seen[2][i]};
    double point[3], normal[3];
    if (mb_met_bends(sim, touch)) {
      if (nodes_jump(touch, at) && !part_smooth(met, sum, i, OF_SIZE)) return false;
      continue;
    }
    if (!jumps(touch, at, point, normal)) continue;
    if (touch->rebounds || !(fabs(at[1]->gap + at[2]->gap - 2 * at[0]->gap) <= JUMPS * (1 + touch->size)))
      return false;
    if (jump_counts(met, sum, i, point, normal) && !part_smooth(met, sum, i, MOVE / touch->size))
      return false;
  }
  return true;
}

// What a pair is like is the same wherever it is.
static void keep_rules(MbMet *met, const Pair *pair, MbSeen *seen) {
  for (size_t i = pair->first; i < pair->end; i++)
    seen[i].mu = met->seen[0][i].mu, seen[i].bounce = met->seen[0][i].bounce;
}

// D ← the pair's part of the sum by the motion of a body in its own axes, along which its twists go, from the `first` of six on, by `far` to either side. False: contacts jump.
static bool along_motions(MbMet *met, const MbMetSum *sum, const Pair *pair, size_t body, size_t first,
                          double far, double D[6]) {
  MbSim *at = met->beside;
  const bool point = body >= at->model->nb;
  MbPose apart, *E = point ? &apart : &at->x.E[body]; // a node that is a point has its place alone
  if (point) mb_pose_identity(E), mb_vec3_copy(E->p, mb_met_place(at, body));
  const MbPose here = *E;
  const Twists of_here = all_twists(met, sum);
  bool fine = true;
  for (size_t along = first; along < 6 && fine; along++) {
    double of[2] = {0};
    for (int side = 0; side < 2 && fine; side++) {
      double move[6] = {0};
      MbPose moved;
      move[along] = side ? far : -far;
      mb_se3_exp(&moved, move);
      mb_pose_mul(E, &here, &moved);
      if (point) mb_vec3_copy(mb_met_place(at, body), E->p);
      mb_met_hold(met->seen[0], pair->first, pair->end, met->seen[1 + side]);
      fine = mb_met_see(at, sum->pushed, pair->first, pair->end, met->seen[1 + side]);
      keep_rules(met, pair, met->seen[1 + side]);
      if (fine) of[side] = contacts_of(at, sum, pair->first, pair->end, met->seen[1 + side], &of_here);
    }
    D[along] = (of[1] - of[0]) / (2 * far);
    *E = here;
    if (point) mb_vec3_copy(mb_met_place(at, body), here.p);
    fine = fine && smooth(met, sum, pair);
  }
  return fine;
}

// Each of two bodies by itself: under a cone that is not round the sum feels how tangents turn about the normal, and what is carried feels where its bodies get to.
static bool add_both_motions(MbMet *met, const MbMetSum *sum, const Pair *pair) {
  for (int k = 0; k < 2; k++) {
    double D[6];
    if (pair->body[k] == MB_WORLD) continue;
    if (!along_motions(met, sum, pair, pair->body[k], 0, MOVE, D)) return false;
    for (size_t i = 0; i < 6; i++) met->by_move[6 * pair->body[k] + i] += D[i];
  }
  return true;
}

// Moved together two bodies have the same sum, but for how its tangents turn about the normal, which it does not feel under the round cone: what is the one's share is less than nothing of the other's.
static bool add_motions(MbMet *met, const MbMetSum *sum, const Pair *pair) {
  const MbSim *at = met->beside;
  const bool turns = at->model->contacts.cone != MB_ROUND_CONE && !sum->parts;
  if (turns || mb_met_arc_is(sum, pair->first)) return add_both_motions(met, sum, pair);
  const int k = pair->body[1] == MB_WORLD ? 0 : 1;
  const size_t body = pair->body[k], other = pair->body[1 - k];
  double D[6], X[36], back[6] = {0};
  if (!along_motions(met, sum, pair, body, 0, MOVE, D)) return false;
  for (size_t i = 0; i < 6; i++) met->by_move[6 * body + i] += D[i];
  if (other == MB_WORLD) return true;
  MbPose inverse, apart;
  mb_pose_inverse(&inverse, &at->x.E[body]);
  mb_pose_mul(&apart, &inverse, &at->x.E[other]);
  mb_se3_adjoint(X, &apart);
  for (size_t i = 0; i < 6; i++)
    for (size_t j = 0; j < 6; j++) back[j] += X[6 * i + j] * D[i];
  for (size_t i = 0; i < 6; i++) met->by_move[6 * other + i] -= back[i];
  return true;
}

// Of a contact of nodes all that it follows from is moved by itself: nodes along the world's axes, which theirs are, bodies along six motions in their own.
static bool add_node_motions(MbMet *met, const MbMetSum *sum, size_t i) {
  const size_t nlisted = met->beside->model->nlisted, nb = met->beside->model->nb;
  const MbSeen *seen = &met->seen[0][i];
  const Pair one = {.first = i, .end = i + 1};
  const double move = fmin(MOVE, OF_SIZE * sum->pushed->touch[i].size);
  for (size_t k = 0; k < seen->nplaces; k++) {
    const size_t body = seen->place[k], first = body < nlisted ? 0 : 3;
    double D[6];
    if (!along_motions(met, sum, &one, body, first, move, D)) return false;
    double *by = met->by_move + (body < nb ? 6 * body : 6 * nb + 3 * (body - nb) - 3);
    for (size_t j = first; j < 6; j++) by[j] += D[j];
  }
  return true;
}

// What the sum is felt by along the bodies' twists by w and by z, and, where these have a part that joints carry on, as joints move.
static void add_twists(MbMet *met, const MbMetSum *sum) {
  const MbSim *at = met->beside;
  mb_met_add_pushes(at, sum->pushed, sum->zeta, 1, met->seen[0], met->by_w);
  if (sum->arcs && sum->arcs->settles)
    mb_met_add_pushes(at, sum->pushed, sum->arcs->zeta, 1, met->seen[0], met->by_w);
  mb_met_add_pushes(at, sum->pushed, sum->mu, -1, met->seen[0], met->by_z);
  if (!sum->carried) return;
  memcpy(met->wrench, met->by_z, 6 * at->model->nb * sizeof *met->wrench);
  mb_rubbed_gather(at->model, at->x.E, met->wrench);
  mb_rubbed_turn(at->model, at->x.E, met->psi, met->wrench, met->by_move);
}

// The same of −z M w, with both twists.
static void add_masses(MbMet *met) {
  const MbSim *at = met->beside;
  for (size_t k = 0; k < 6 * at->model->nb; k++) {
    met->by_w[k] -= at->model->M[k] * met->phi[k];
    met->by_z[k] -= at->model->M[k] * at->x.phi[k];
  }
}

void mb_met_weigh(MbMet *met, const double *v, const double *move, const double *phi, double *felt) {
  mb_tangent_motion(met->beside, met->tangent, v);
  mb_tangent_weigh(met->beside, met->tangent, move, phi, felt, met->move);
}

// What the sum is felt by along the bodies' twists by `from` or `free`, of which contacts that rebound ask for a share.
static void weigh_thrown(MbMet *met, const double *q, const MbMetSum *sum, bool free, double *felt) {
  MbSim *at = met->beside;
  const double *v = free ? sum->free : sum->from;
  mb_sim_kinematics(at, q, v);
  memset(met->by_z, 0, 6 * at->model->nb * sizeof *met->by_z);
  for (size_t i = 0; i < sum->pushed->n; i++) {
    const MbPushed *touch = &sum->pushed->touch[i];
    const MbSeen *seen = &met->seen[0][i];
    for (size_t end = 0; end < seen->n && touch->rebounds; end++) {
      const size_t body = seen->body[end];
      double H[6];
      mb_met_push(at, seen, end, seen->normal, H);
      for (size_t j = 0; j < 6; j++)
        met->by_z[6 * body + j] += sum->zeta[3 * i] * (free ? -1 : 1 + seen->bounce) * H[j];
    }
  }
  mb_met_weigh(met, v, met->none, met->by_z, felt);
}

// What it is felt by along the bodies' twists by velocities before the step, by which arcs go.
static void weigh_before(MbMet *met, const double *q, const MbMetSum *sum, double *felt) {
  MbSim *at = met->beside;
  if (!sum->arcs || sum->arcs->settles) return;
  mb_sim_kinematics(at, q, sum->by);
  memset(met->by_z, 0, 6 * at->model->nb * sizeof *met->by_z);
  mb_met_add_pushes(at, sum->pushed, sum->arcs->zeta, 1, met->seen[0], met->by_z);
  mb_met_weigh(met, sum->by, met->none, met->by_z, felt);
}

// Takes the bodies to q, with twists by w, and met->phi to those by z.
static void stand(MbMet *met, const double *q, const MbMetSum *sum) {
  MbSim *at = met->beside;
  if (met->points) memcpy(mb_section(at, MB_SECTION_NODES), q + at->nq, (met->width - met->own) * sizeof *q);
  find_thrown(met, at, q, sum), find_arcs(met, at, q, sum);
  mb_met_twists(at, q, sum->z, met->phi);
  add_carried(met, at, sum, met->phi);
  mb_met_twists(at, q, sum->w, met->phi_w);
}

bool mb_met_sides_smooth(MbSensitivity *g, const double *q, const MbMetSum *sum) {
  MbMet *met = g->met;
  const Pair all = {.end = sum->pushed->n};
  bool any = false;
  for (size_t i = 0; i < all.end; i++) {
    const MbSeen *at[3] = {&met->seen[0][i], &met->seen[1][i], &met->seen[2][i]};
    double point[3], normal[3];
    any |=
        mb_met_bends(met->beside, &sum->pushed->touch[i]) || jumps(&sum->pushed->touch[i], at, point, normal);
  }
  if (!any) return true;
  stand(met, q, sum);
  return smooth(met, sum, &all);
}

bool mb_met_slope(MbSensitivity *g, const double *q, const MbMetSum *sum, double *felt) {
  MbMet *met = g->met;
  MbSim *at = met->beside;
  const size_t nb = at->model->nb, size = (6 * nb + 3 * mb_model_points(at->model)) * sizeof *met->phi;
  if (!mb_met_near_by(sum->pushed, met->seen[0])) return false;
  memset(met->by_move, 0, size), memset(met->by_w, 0, size), memset(met->by_z, 0, size);
  stand(met, q, sum);
  if (met->own) add_twists(met, sum);
  if (sum->parts) add_masses(met);
  if (sum->rows) mb_met_rows_slope(met, sum);
  for (size_t i = 0; i < sum->pushed->n;) {
    const bool bends = mb_met_bends(at, &sum->pushed->touch[i]);
    const Pair pair = bends ? (Pair){.end = i + 1} : pair_from(at, sum->pushed, i);
    if (!(bends ? add_node_motions(met, sum, i) : add_motions(met, sum, &pair))) return false;
    i = pair.end;
  }
  for (size_t c = met->own; c < met->width; c++) felt[c] += met->by_move[6 * nb + c - met->own];
  if (!met->own) return true;
  mb_met_weigh(met, sum->w, met->by_move, met->by_w, felt);
  mb_sim_kinematics(at, q, sum->z);
  mb_met_weigh(met, sum->z, met->none, met->by_z, felt);
  weigh_before(met, q, sum, felt);
  for (int free = 0; free < 2 && sum->free; free++) weigh_thrown(met, q, sum, free, felt);
  return true;
}
