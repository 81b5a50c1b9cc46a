// What contacts are felt by where bodies are: derivatives of one sum (sensitivity_met.h). What it is felt by along the bodies' twists by z and w is exact, and goes down the tree by two transposed passes. Along the
// bodies' motions, with their twists as they are in their own axes, these are differences, some 1e-10 off, along the six motions of one of each pair of solids that touches: contacts are found anew where it is a
// little less and a little more, as a step there would find them, so that whatever shapes there are their normals turn and their points go as in the program. The other's motions follow, as a pair that is moved as
// one keeps its sum. That the tangents are turned about the normal is no change: with u the rates, z the way that the equations weigh them (sensitivity_met.c) and × of the tangents
//
//   ζ × u − μ × z = 0,   as u = z = 0 where it sticks, and where it slides  ζ = m μ_n (1 − d dᵀ) η/|u|,  μ = −m μ_n d,  z = η
#include "core/model/coordinates.h"
#include "core/sim/evaluate.h"
#include "core/sim/sensitivity_met.h"

#include <math.h>
#include <string.h>

static const double MOVE = 1e-5; // rad, m: to either side
static const double NEAR =
    0.05; // of the smaller one's size: features may have other names, as in touch_branch.c
static const double SAME = 1e-6;  // of that size, and of a normal: where contacts are as they were
static const double JUMPS = 1e-7; // the same of what is left of second differences over so short a way

// ---- contacts where bodies are --------------------------------------------------------------------------------------

static MbPlaced placed(const MbSim *sim, uint32_t solid) {
  const MbTouching *t = sim->touching;
  MbPose E;
  mb_pose_mul(&E, &sim->x.E[t->rules->solids[solid].body], &t->rules->solids[solid].at);
  return mb_place(&t->solids.shape[solid], &E);
}

// That of its features, else the nearest; NULL: none is near.
static const MbContactPoint *same_of(const MbContactPoint *point, int n, const MbPushed *touch) {
  double least = NEAR * touch->size, d[3];
  const MbContactPoint *nearest = NULL;
  for (int i = 0; i < n; i++)
    if (point[i].feature_a == touch->feature_a && point[i].feature_b == touch->feature_b) return &point[i];
  for (int i = 0; i < n; i++) {
    mb_vec3_sub(d, point[i].position, touch->point);
    if (!(mb_vec3_norm(d) < least)) continue;
    least = mb_vec3_norm(d), nearest = &point[i];
  }
  return nearest;
}

// Those from `first` to before `end`, where the bodies of sim->x are. False: one of them is not there.
static bool see(const MbSim *sim, const MbPushes *pushed, size_t first, size_t end, MbSeen *seen) {
  MbContactPoint point[MB_CONTACT_POINTS];
  int n = 0;
  for (size_t i = first; i < end; i++) {
    const MbPushed *touch = &pushed->touch[i];
    if (i == first || touch->a != touch[-1].a || touch->b != touch[-1].b) {
      const MbPlaced a = placed(sim, touch->a), b = placed(sim, touch->b);
      n = mb_collide_placed(&a, &b, mb_touch_within(sim->touching, touch->a, touch->b), point);
    }
    const MbContactPoint *same = same_of(point, n, touch);
    if (!same) return false;
    mb_vec3_copy(seen[i].point, same->position);
    mb_vec3_copy(seen[i].normal, same->normal);
    seen[i].gap = same->gap;
  }
  return true;
}

// Coefficients of friction and restitution are those that the look has found.
static bool rub(const MbTouching *t, const MbPushes *pushed, MbSeen *seen) {
  for (size_t i = 0; i < pushed->n; i++) {
    const MbPushed *touch = &pushed->touch[i];
    size_t k = 0;
    while (k < t->next.n && (t->next.touch[k].a != touch->a || t->next.touch[k].b != touch->b)) k++;
    if (k == t->next.n) return false;
    seen[i].mu = t->next.touch[k].mu, seen[i].bounce = t->next.touch[k].bounce;
  }
  return true;
}

static bool near_by(const MbPushes *pushed, const MbSeen *seen) {
  for (size_t i = 0; i < pushed->n; i++) {
    double d[3], turned[3];
    mb_vec3_sub(d, seen[i].point, pushed->touch[i].point);
    mb_vec3_sub(turned, seen[i].normal, pushed->touch[i].normal);
    if (!(mb_vec3_norm(d) <= SAME * (1 + pushed->touch[i].size)) || !(mb_vec3_norm(turned) <= SAME))
      return false;
  }
  return true;
}

bool mb_met_look(MbSim *at, const double *q, const double *v, const MbPushes *pushed, MbSeen *seen) {
  static const MbPushes none = {0};
  mb_sim_kinematics(at, q, v);
  if (!mb_touch_look(at, &none, false)) return false;
  return see(at, pushed, 0, pushed->n, seen) && rub(at->touching, pushed, seen);
}

// ---- the sum --------------------------------------------------------------------------------------------------------

// Tangents that turn with a normal near another, as mb_touch_axes has them there.
static void axes_near(const double was[3], const double n[3], double axis[3][3]) {
  const int k = fabs(was[0]) < 0.9 ? 0 : 1;
  mb_vec3_copy(axis[0], n);
  for (int i = 0; i < 3; i++) axis[1][i] = (i == k) - n[k] * n[i];
  mb_vec3_scale(axis[1], 1 / mb_vec3_norm(axis[1]), axis[1]);
  mb_vec3_cross(axis[2], n, axis[1]);
}

// out += share of the velocity of a solid's point x, with the bodies' velocities phi.
static void add_velocity(const MbSim *sim, uint32_t solid, const double *phi, const double x[3], double share,
                         double out[3]) {
  const MbContacts *rules = sim->touching->rules;
  const size_t body = rules->solids[solid].body;
  if (rules->moved[body] == MB_WORLD) return;
  const MbPose *E = &sim->x.E[body];
  double r[3], v[3];
  mb_vec3_sub(r, x, E->p);
  mb_quat_unrotate(r, E->q, r);
  mb_vec3_cross(v, phi + 6 * body, r);
  mb_vec3_add(v, v, phi + 6 * body + 3);
  mb_quat_rotate(v, E->q, v);
  mb_vec3_add_scaled(out, out, share, v);
}

// Bodies' twists by a sum's velocities.
typedef struct Twists {
  const double *w, *z, *from, *free;
} Twists;

// What a contact that rebounds asks for besides:  N ((1 + e) from − free).
static double thrown(const MbSim *sim, const MbPushed *touch, const MbSeen *seen, const Twists *of) {
  double before[3] = {0}, after[3] = {0};
  for (int side = 0; side < 2; side++) {
    add_velocity(sim, side ? touch->b : touch->a, of->from, seen->point, side ? 1 : -1, before);
    add_velocity(sim, side ? touch->b : touch->a, of->free, seen->point, side ? 1 : -1, after);
  }
  return (1 + seen->bounce) * mb_vec3_dot(seen->normal, before) - mb_vec3_dot(seen->normal, after);
}

// The part of the contacts from `first` to before `end`.
static double contacts_of(const MbSim *sim, const MbMetSum *sum, size_t first, size_t end, const MbSeen *seen,
                          const Twists *of) {
  double all = 0;
  for (size_t i = first; i < end; i++) {
    const MbPushed *touch = &sum->pushed->touch[i];
    double axis[3][3], w[3] = {0}, z[3] = {0};
    axes_near(touch->normal, seen[i].normal, axis);
    for (int side = 0; side < 2; side++) {
      add_velocity(sim, side ? touch->b : touch->a, of->w, seen[i].point, side ? 1 : -1, w);
      add_velocity(sim, side ? touch->b : touch->a, of->z, seen[i].point, side ? 1 : -1, z);
    }
    for (size_t k = 0; k < 3; k++)
      all += sum->zeta[3 * i + k] * mb_vec3_dot(axis[k], w) - sum->mu[3 * i + k] * mb_vec3_dot(axis[k], z);
    all += sum->zeta[3 * i] * sum->pull[i] * seen[i].gap;
    if (touch->rebounds && sum->free) all += sum->zeta[3 * i] * thrown(sim, touch, &seen[i], of);
  }
  return all;
}

// The bodies to q, with twists by v in phi (nb x 6).
static void find_twists(MbSim *at, const double *q, const double *v, double *phi) {
  mb_sim_kinematics(at, q, v);
  memcpy(phi, at->x.phi, 6 * at->model->nb * sizeof *phi);
}

// Those before the step and without rows, where a contact rebounds.
static void find_thrown(const MbMet *met, MbSim *at, const double *q, const MbMetSum *sum) {
  if (!sum->free) return;
  find_twists(at, q, sum->from, met->from_phi);
  find_twists(at, q, sum->free, met->free_phi);
}

double mb_met_sum_at(const MbMet *met, MbSim *at, const double *q, const MbMetSum *sum, const MbSeen *seen) {
  const double *w = met->phi, *z = at->x.phi;
  const Twists of = {.w = w, .z = z, .from = met->from_phi, .free = met->free_phi};
  find_thrown(met, at, q, sum);
  find_twists(at, q, sum->w, met->phi);
  mb_sim_kinematics(at, q, sum->z);
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

static void add_apart(const MbSim *sim, uint32_t solid, const double *phi, const double x[3], double way,
                      Apart *to) {
  const MbContacts *rules = sim->touching->rules;
  const size_t body = rules->solids[solid].body;
  double spin[3], speed[3] = {0};
  if (rules->moved[body] == MB_WORLD) return;
  mb_quat_rotate(spin, sim->x.E[body].q, phi + 6 * body);
  add_velocity(sim, solid, phi, x, 1, speed);
  mb_vec3_add_scaled(to->spin, to->spin, way, spin);
  mb_vec3_add_scaled(to->speed, to->speed, way, speed);
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
  add_apart(sim, touch->a, phi, seen->point, -1, &apart);
  add_apart(sim, touch->b, phi, seen->point, 1, &apart);
  axes_near(touch->normal, seen->normal, axis);
  for (int k = 0; k < 3; k++) mb_vec3_add_scaled(force, force, weight[k], axis[k]);
  mb_vec3_cross(moved, apart.spin, point);
  const double fast = apart.speeds + touch->size * apart.spins + size, much = mb_vec3_norm(force);
  return !(fabs(mb_vec3_dot(force, moved)) <= NONE * much * mb_vec3_norm(point) * fast / touch->size) ||
         !(mb_vec3_norm(apart.speed) * mb_vec3_norm(normal) <= NONE * fast * JUMPS);
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

// Whether the sum is: where faces lie flush on one another their corners jump, which is nothing to what moves as one. The bodies are where the run's are.
static bool smooth(const MbMet *met, const MbMetSum *sum, const Pair *pair) {
  const MbSim *sim = met->beside;
  const double fall = sim->model->h * mb_vec3_norm(sim->model->gravity);
  for (size_t i = pair->first; i < pair->end; i++) {
    const MbPushed *touch = &sum->pushed->touch[i];
    const MbSeen *at[3] = {&met->seen[0][i], &met->seen[1][i], &met->seen[2][i]};
    double point[3], normal[3];
    if (!jumps(touch, at, point, normal)) continue;
    if (touch->rebounds || !(fabs(at[1]->gap + at[2]->gap - 2 * at[0]->gap) <= JUMPS * (1 + touch->size)) ||
        counts(sim, touch, at[0], sim->x.phi, fastest(sim, sim->x.phi) + fall, sum->zeta + 3 * i, point,
               normal) ||
        counts(sim, touch, at[0], met->phi, fastest(sim, met->phi), sum->mu + 3 * i, point, normal))
      return false;
  }
  return true;
}

// What a pair is like is the same wherever it is.
static void keep_rules(MbMet *met, const Pair *pair, MbSeen *seen) {
  for (size_t i = pair->first; i < pair->end; i++)
    seen[i].mu = met->seen[0][i].mu, seen[i].bounce = met->seen[0][i].bounce;
}

// D ← the pair's part of the sum by the motion of a body in its own axes, along which its twists go. False: contacts jump.
static bool along_motions(MbMet *met, const MbMetSum *sum, const Pair *pair, size_t body, double D[6]) {
  MbSim *at = met->beside;
  MbPose *E = &at->x.E[body];
  const MbPose here = *E;
  const Twists of_here = {.w = at->x.phi, .z = met->phi, .from = met->from_phi, .free = met->free_phi};
  bool fine = true;
  for (size_t along = 0; along < 6 && fine; along++) {
    double of[2] = {0};
    for (int side = 0; side < 2 && fine; side++) {
      double move[6] = {0};
      MbPose moved;
      move[along] = side ? MOVE : -MOVE;
      mb_se3_exp(&moved, move);
      mb_pose_mul(E, &here, &moved);
      fine = see(at, sum->pushed, pair->first, pair->end, met->seen[1 + side]);
      keep_rules(met, pair, met->seen[1 + side]);
      if (fine) of[side] = contacts_of(at, sum, pair->first, pair->end, met->seen[1 + side], &of_here);
    }
    D[along] = (of[1] - of[0]) / (2 * MOVE);
    *E = here;
    fine = fine && smooth(met, sum, pair);
  }
  *E = here;
  return fine;
}

// Moved together two bodies have the same sum, but for how its tangents turn about the normal, which it does not feel: what is the one's share is less than nothing of the other's.
static bool add_motions(MbMet *met, const MbMetSum *sum, const Pair *pair) {
  const MbSim *at = met->beside;
  const int k = pair->body[1] == MB_WORLD ? 0 : 1;
  const size_t body = pair->body[k], other = pair->body[1 - k];
  double D[6], X[36], back[6] = {0};
  if (!along_motions(met, sum, pair, body, D)) return false;
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

// What the sum is felt by along the bodies' twists by w and by z.
static void add_twists(MbMet *met, const MbMetSum *sum) {
  const MbSim *at = met->beside;
  const MbContacts *rules = at->touching->rules;
  for (size_t i = 0; i < sum->pushed->n; i++) {
    const MbPushed *touch = &sum->pushed->touch[i];
    const MbSeen *seen = &met->seen[0][i];
    double axis[3][3];
    axes_near(touch->normal, seen->normal, axis);
    for (int end = 0; end < 2; end++) {
      const size_t body = rules->solids[end ? touch->b : touch->a].body;
      if (rules->moved[body] == MB_WORLD) continue;
      for (int k = 0; k < 3; k++) {
        double H[6];
        mb_touch_push_at(H, &at->x.E[body], seen->point, axis[k], end ? 1 : -1);
        for (size_t j = 0; j < 6; j++) {
          met->by_w[6 * body + j] += sum->zeta[3 * i + (size_t)k] * H[j];
          met->by_z[6 * body + j] -= sum->mu[3 * i + (size_t)k] * H[j];
        }
      }
    }
  }
}

// The same of −z M w, with both twists.
static void add_masses(MbMet *met) {
  const MbSim *at = met->beside;
  for (size_t k = 0; k < 6 * at->model->nb; k++) {
    met->by_w[k] -= at->model->M[k] * met->phi[k];
    met->by_z[k] -= at->model->M[k] * at->x.phi[k];
  }
}

static void weigh(MbMet *met, const double *v, const double *move, const double *phi, double *felt) {
  mb_tangent_motion(met->beside, met->tangent, v);
  mb_tangent_weigh(met->beside, met->tangent, move, phi, felt, met->move);
}

// What the sum is felt by along the bodies' twists by `from` or `free`, of which contacts that rebound ask for a share.
static void weigh_thrown(MbMet *met, const double *q, const MbMetSum *sum, bool free, double *felt) {
  MbSim *at = met->beside;
  const MbContacts *rules = at->touching->rules;
  const double *v = free ? sum->free : sum->from;
  mb_sim_kinematics(at, q, v);
  memset(met->by_z, 0, 6 * at->model->nb * sizeof *met->by_z);
  for (size_t i = 0; i < sum->pushed->n; i++) {
    const MbPushed *touch = &sum->pushed->touch[i];
    const MbSeen *seen = &met->seen[0][i];
    for (int end = 0; end < 2 && touch->rebounds; end++) {
      const size_t body = rules->solids[end ? touch->b : touch->a].body;
      double H[6];
      if (rules->moved[body] == MB_WORLD) continue;
      mb_touch_push_at(H, &at->x.E[body], seen->point, seen->normal, end ? 1 : -1);
      for (size_t j = 0; j < 6; j++)
        met->by_z[6 * body + j] += sum->zeta[3 * i] * (free ? -1 : 1 + seen->bounce) * H[j];
    }
  }
  weigh(met, v, met->none, met->by_z, felt);
}

// Takes the bodies to q, with twists by w, and met->phi to those by z.
static void stand(MbMet *met, const double *q, const MbMetSum *sum) {
  MbSim *at = met->beside;
  find_thrown(met, at, q, sum);
  find_twists(at, q, sum->z, met->phi);
  mb_sim_kinematics(at, q, sum->w);
}

bool mb_met_sides_smooth(MbSensitivity *g, const double *q, const MbMetSum *sum) {
  MbMet *met = g->met;
  const Pair all = {.end = sum->pushed->n};
  bool any = false;
  for (size_t i = 0; i < all.end; i++) {
    const MbSeen *at[3] = {&met->seen[0][i], &met->seen[1][i], &met->seen[2][i]};
    double point[3], normal[3];
    any |= jumps(&sum->pushed->touch[i], at, point, normal);
  }
  if (!any) return true;
  stand(met, q, sum);
  return smooth(met, sum, &all);
}

bool mb_met_slope(MbSensitivity *g, const double *q, const MbMetSum *sum, double *felt) {
  MbMet *met = g->met;
  MbSim *at = met->beside;
  const size_t size = 6 * at->model->nb * sizeof *met->phi;
  if (!near_by(sum->pushed, met->seen[0])) return false;
  memset(met->by_move, 0, size), memset(met->by_w, 0, size), memset(met->by_z, 0, size);
  stand(met, q, sum);
  add_twists(met, sum);
  if (sum->parts) add_masses(met);
  for (size_t i = 0; i < sum->pushed->n;) {
    const Pair pair = pair_from(at, sum->pushed, i);
    if (!add_motions(met, sum, &pair)) return false;
    i = pair.end;
  }
  weigh(met, sum->w, met->by_move, met->by_w, felt);
  mb_sim_kinematics(at, q, sum->z);
  weigh(met, sum->z, met->none, met->by_z, felt);
  for (int free = 0; free < 2 && sum->free; free++) weigh_thrown(met, q, sum, free, felt);
  return true;
}
