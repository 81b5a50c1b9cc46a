// What accelerates at the state, and what the joints transmit: Newton's and Euler's equations of every body, solved for the
// joints' wrenches. With f the wrenches of forces, and λ those of the constraints that act on bodies,
//   a = φ̇ = J v̇ + J̇ v,   w = M a − ad_φᵀ M φ − f − Hᵀ λ,   r = w + Σ_children's Xᵀ r
// r is what a body's joint does to it, all in its C axes about C. What is given or asked for along a joint's coordinates
// (motors, springs, limits, gears) is a part of r, since it goes through the joint.
//
// v̇ and λ are those of the moment, whatever the integrator: constraints are kept by their accelerations, with no rate at which
// errors would shrink. A limit or rope holds where it is at its bound or has pressed during the last step, if it has to.
#include "core/base/alloc.h"
#include "core/base/report.h"
#include "core/forces/forces.h"
#include "core/math/spatial.h"
#include "core/sim/balance.h"
#include "core/sim/constrain_internal.h"
#include "core/sim/evaluate.h"
#include "core/sim/claims.h"
#include "core/sim/trouble.h"
#include "core/solvers/redmax/tree.h"

#include <string.h>

struct MbBalance {
  bool tells;    // the solver has the bodies' velocities, so that no tree is needed
  MbTree tree;   // at the state
  MbPose *E;     // (nb) and
  double *phi;   // (nb x 6) the tree's own
  double *vdot;  // (the solver's nv)
  double *a;     // (nb x 6) φ̇
  double *qdd;   // (model's nv) of the joints
  double *r;     // (nb x 6)
  double *force; // (rows of the set) λ
  size_t room;   // of force
};

static double *numbers(MbSim *sim, size_t n) { return mb_arena_alloc(&sim->arena, n, sizeof(double)); }

MbStatus mb_balance_create(MbSim *sim, MbReport *report) {
  const MbModel *model = sim->model;
  const size_t nb = model->nb;
  MbBalance *b = sim->balance = mb_arena_alloc(&sim->arena, 1, sizeof *b);
  if (!b) return mb_no_memory(report, "accelerations");
  b->tells = sim->solver->map->turns;
  b->vdot = numbers(sim, sim->nv), b->a = numbers(sim, 6 * nb), b->qdd = numbers(sim, model->nv);
  b->r = numbers(sim, 6 * nb);
  b->phi = numbers(sim, 6 * nb);
  b->E = mb_arena_alloc(&sim->arena, b->tells ? 0 : nb, sizeof *b->E);
  const bool tree = b->tells || mb_tree_create(model, &b->tree);
  if (!b->vdot || !b->a || !b->qdd || !b->r || !b->phi || !b->E || !tree)
    return mb_no_memory(report, "accelerations");
  return MB_OK;
}

void mb_balance_free(MbSim *sim) {
  if (!sim->balance) return;
  mb_tree_free(&sim->balance->tree);
  mb_free(sim->balance->force);
}

size_t mb_balance_bytes(const MbSim *sim) {
  return sim->balance && !sim->balance->tells ? mb_tree_bytes(sim->model) : 0;
}

static MbStatus refuse(const MbSim *sim, const char *why, const char *whose, MbReport *report) {
  const MbStatus cause = mb_sim_trouble(sim, report);
  if (cause != MB_OK) return cause;
  return mb_error(
      report, MB_NUMBERS, "",
      "at t = %.9g s, step %lld: accelerations and reactions, which output.channels asks for, cannot be "
      "told: %s%s",
      sim->state.t, (long long)sim->state.step, why, whose);
}

// ---- accelerations ----------------------------------------------------------------------------------------

// Whether a hard unilateral row may have to hold: it has pressed, or is at its bound, and does not leave it. Rates down to γ
// times what the row is beyond are what brings it back.
static bool may_hold(const MbSim *sim, size_t s, const double *v) {
  static const double STILL = 1e-10, PRESSED = 1e-8; // of the terms' sizes: rounding
  const MbConstraining *c = sim->constraining;
  const MbRow *row = &c->set.row[s];
  const bool adaptive = sim->integrator->scheme == MB_ADAPTIVE;
  const double *before = mb_section(sim, adaptive ? MB_SECTION_LATCHED_BEFORE : MB_SECTION_FORCES);
  double size = 1e-3;
  const double rate = mb_row_rate_sized(&c->set, s, v, &size) + row->gt,
               back = 2 * sim->model->gamma * fmax(-row->g, 0);
  if (before[s] != 0) return rate <= PRESSED * size + back;
  return row->g <= MB_EVENT_CLOSE * row->size && rate <= STILL * size + back;
}

// v̇ ← v̇ + A⁻¹ Gᵀ λ with G v̇ = −(H J̇ v + g̈_t), λ into c->force
static MbStatus constrain(MbSim *sim, double *vdot, MbReport *report) {
  MbConstraining *c = sim->constraining;
  const MbState *state = &sim->state;
  mb_rows_make(sim, state->q, state->v, state->t, 0);
  memset(c->force, 0, c->set.n * sizeof *c->force);
  if (sim->solver->drift) sim->solver->drift(sim->work, c->drift);
  if (!mb_rows_soft(sim, state->v, vdot)) return mb_sim_unsolved(sim, report);
  c->n = c->ntouches = c->ndry = 0;
  MbAsking asking = mb_asking(sim, MB_ASK_ACCELERATIONS);
  asking.gamma = 0;
  for (size_t s = 0; s < c->set.n; s++) {
    MbAskRow known = mb_rows_known(sim, s, &asking, vdot, NULL);
    known.decides = true;
    known.holds = known.one_way && may_hold(sim, s, state->v);
    const MbAsked asked = mb_ask(&asking, &known);
    if (asked.takes) mb_rows_take(sim, s, &asked);
  }
  const MbStatus status = mb_rows_solve(sim, MB_ACCELERATIONS, state->t, 1, vdot, report);
  mb_rows_claimed(sim, 1);
  return status;
}

// −f into r, with f and the velocity terms in x, and what they do to velocities in vdot: those of the moment, not over a step
static void take_forces(MbSim *sim, double *r, double *vdot) {
  const size_t n = 6 * sim->model->nb;
  double *f = sim->x.f, *const swing = sim->x.swing;
  const bool carried = sim->x.carried;
  sim->x.swing = NULL;
  sim->x.carried = sim->solver->map->layout->apart(sim->model);
  mb_sim_wrenches(sim, sim->state.t);
  for (size_t i = 0; i < n; i++) r[i] = -f[i], f[i] = 0;
  mb_velocity_term_ops.eval(sim->model, NULL, &sim->x, 0, sim->model->nb);
  for (size_t i = 0; i < n; i++) r[i] += f[i], f[i] -= r[i];
  if (sim->solver->bias) sim->solver->bias(sim->work, &sim->x);
  mb_sim_gather(sim, sim->state.q, sim->state.v, vdot);
  sim->x.swing = swing, sim->x.carried = carried;
}

// v̇ and λ, and −f into r
static MbStatus accelerate(MbSim *sim, MbReport *report) {
  MbBalance *b = sim->balance;
  const MbState *state = &sim->state;
  size_t blame = 0;
  take_forces(sim, b->r, b->vdot);
  if (!sim->solver->factor(sim->work, &sim->x, 0, 0, true, &blame))
    return refuse(sim, "no inertia stands against what moves ", sim->model->body_name[blame], report);
  if (!mb_claims_accelerations(sim, state->v, 0, b->vdot)) return mb_sim_unsolved(sim, report);
  if (!sim->constraining) return MB_OK;

  // the last step's forces stay as they are
  if (!mb_grow(&b->force, &b->room, sim->constraining->set.n, sizeof *b->force))
    return mb_no_memory(report, "reactions");
  double *const kept = sim->constraining->force;
  sim->constraining->force = b->force;
  const MbStatus status = constrain(sim, b->vdot, report);
  sim->constraining->force = kept;
  return status;
}

// J v̇ where velocities are each body's own: row after row of J
static void find_own_rates(MbSim *sim, const double *vdot, double *y, double *a) {
  for (size_t b = 0; b < sim->model->nb; b++)
    for (size_t k = 6 * b; k < 6 * b + 6; k++) {
      double e[6] = {0};
      e[k - 6 * b] = 1;
      memset(y + 6 * b, 0, 6 * sizeof *y);
      sim->solver->carry(sim->work, b, e, NULL, y);
      a[k] = 0;
      for (size_t i = 6 * b; i < 6 * b + 6; i++) a[k] += y[i] * vdot[i];
    }
}

// φ̇, and the joints' own
static void find_rates(MbSim *sim) {
  const MbModel *model = sim->model;
  const MbCoordinateMap *map = sim->solver->map;
  MbBalance *b = sim->balance;
  if (b->tells) {
    find_own_rates(sim, b->vdot, b->phi, b->a);
    memset(b->phi, 0, 6 * model->nb * sizeof *b->phi);
    if (sim->solver->drift) sim->solver->drift(sim->work, b->phi);
    map->rates(sim->work, model, b->vdot, b->qdd);
    const double *turn = map->turns(sim->work);
    for (size_t k = 0; k < model->nv; k++) b->qdd[k] += turn[k];
  } else {
    MbMaximal x = {.nb = model->nb, .E = b->E, .phi = b->phi};
    mb_tree_kinematics(&b->tree, sim->x.q, sim->x.v, &x);
    mb_tree_drift(&b->tree, b->phi);
    mb_tree_twists(&b->tree, b->vdot, b->a);
    memcpy(b->qdd, b->vdot, model->nv * sizeof *b->qdd);
    for (size_t i = 0; i < model->ncurved; i++) {
      const size_t body = model->curved[i], v = model->v_first[body];
      const MbJoint *joint = &model->joint[body];
      if (joint->ops)
        joint->ops->accelerate(joint, sim->x.q + model->q_first[body], sim->x.v + v, b->qdd + v);
    }
  }
  for (size_t i = 0; i < 6 * model->nb; i++) b->a[i] += b->phi[i];
}

// ---- reactions --------------------------------------------------------------------------------------------

// r += M a − ad_φᵀ M φ: the rate of momentum, in C axes
static void add_inertia(const double M[6], const double phi[6], const double a[6], double r[6]) {
  double P[6], turn[3];
  for (int i = 0; i < 6; i++) {
    P[i] = M[i] * phi[i];
    r[i] += M[i] * a[i];
  }
  mb_vec3_cross(turn, phi, P);
  mb_vec3_add(r, r, turn);
  mb_vec3_cross(turn, phi, P + 3);
  mb_vec3_add(r + 3, r + 3, turn);
}

// Nodes that follow others by reduction: what they take is what their masters give.
static void hand_to_masters(const MbSim *sim, double *r) {
  for (size_t i = 0; i < sim->model->nfollowers; i++) {
    const MbFollower *f = &sim->model->followers[i];
    double *own = r + 6 * f->body, F[3], part[3];
    mb_quat_rotate(F, sim->x.E[f->body].q, own + 3);
    for (size_t k = 0; k < f->nmasters; k++) {
      const MbMaster *m = &f->master[k];
      mb_quat_unrotate(part, sim->x.E[m->body].q, F);
      mb_vec3_add_scaled(r + 6 * m->body + 3, r + 6 * m->body + 3, m->weight, part);
    }
    memset(own, 0, 6 * sizeof *own);
  }
}

// The wrench w of C of one body, in its axes, added to that of another.
static void add_moved(const MbPose *from, const double w[6], const MbPose *to, double out[6]) {
  double moved[6];
  mb_wrench_move(moved, from, w, to);
  mb_vec3_add(out, out, moved);
  mb_vec3_add(out + 3, out + 3, moved + 3);
}

static void find_reactions(MbSim *sim) {
  const MbModel *model = sim->model;
  const MbBalance *b = sim->balance;
  const MbRowSet *set = sim->constraining ? &sim->constraining->set : NULL;
  for (size_t s = 0; set && s < set->n; s++)
    if (b->force[s] != 0) mb_row_push(set, s, -b->force[s], b->r);
  for (size_t i = 0; i < model->nb; i++)
    add_inertia(model->M + 6 * i, sim->x.phi + 6 * i, b->a + 6 * i, b->r + 6 * i);
  hand_to_masters(sim, b->r);
  for (size_t i = model->nb; i-- > 0;)
    if (model->parent[i] != MB_WORLD)
      add_moved(&sim->x.E[i], b->r + 6 * i, &sim->x.E[model->parent[i]], b->r + 6 * model->parent[i]);
}

MbStatus mb_balance_evaluate(MbSim *sim, MbReport *report) {
  const MbStatus status = accelerate(sim, report);
  if (status != MB_OK) return status;
  find_rates(sim);
  find_reactions(sim);
  for (size_t i = 0; i < 6 * sim->model->nb; i++)
    if (!isfinite(sim->balance->a[i]) || !isfinite(sim->balance->r[i]))
      return refuse(sim, "those are not finite of ", sim->model->body_name[i / 6], report);
  return MB_OK;
}

// ---- what is told -----------------------------------------------------------------------------------------

// Of B's origin o in C:  ω̇_W = R ω̇,  p̈ = R (v̇ + ω̇ × o + ω × (v + ω × o))
void mb_balance_body(const MbSim *sim, size_t b, double out[6]) {
  const double *a = sim->balance->a + 6 * b, *phi = sim->x.phi + 6 * b, *q = sim->x.E[b].q;
  MbPose inverse;
  double line[3], turn[3];
  mb_pose_inverse(&inverse, &sim->model->C[b]);
  mb_vec3_cross(line, phi, inverse.p);
  mb_vec3_add(line, line, phi + 3);
  mb_vec3_cross(turn, phi, line);
  mb_vec3_cross(line, a, inverse.p);
  mb_vec3_add(line, line, turn);
  mb_vec3_add(line, line, a + 3);
  mb_quat_rotate(out, q, a);
  mb_quat_rotate(out + 3, q, line);
}

const double *mb_balance_coordinates(const MbSim *sim) { return sim->balance->qdd; }

// With the pose B of C in the joint's frame on the body:  f = R f_C,  τ = R τ_C + p × f
void mb_balance_reaction(const MbSim *sim, size_t b, double out[6]) {
  const double *r = sim->balance->r + 6 * b;
  const MbPose *B = &sim->model->B[b];
  double turn[3];
  mb_quat_rotate(out, B->q, r);
  mb_quat_rotate(out + 3, B->q, r + 3);
  mb_vec3_cross(turn, B->p, out + 3);
  mb_vec3_add(out, out, turn);
}
