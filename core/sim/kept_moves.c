// What a joint keeps to in a step that bodies with velocities of their own take: what dry friction holds keeps its place, and what is driven at a rate goes
// as far as that. Rows of such are asked where a step begins, of rates. But bodies go straight on in the step, while the joint's axis turns with the body that
// carries it: a slide that was to stick is left behind by (ω h)²/2 of its length in every step, always outwards. What is wanted is how far the joint moves in
// the step, as bodies go in it. With s(v) that move, by the bodies' places at the step's end, and r the rate asked for (0 of friction), a row asks, in the place
// of h G v = h r, for
//
//   s = h r   by   G v = r + (h G v − s)/h,   where the last term is of second order
//
// as tangents of contacts do (touch_carried.c). It is known by the last step's velocities but for what changes in the step; the solution is made
// again about what it has led to, as often as that changes by more than the solution is good for.
//
// It is asked of friction inside joints, and of friction and prescribed velocities along coordinates, where bodies have velocities of their own, and of friction
// inside joints that close loops. In the solvers' own coordinates a joint moves by h times its velocity, and there is nothing to ask for.
#include "core/sim/kept_moves.h"
#include "core/base/report.h"
#include "core/constraints/constraints.h"
#include "core/constraints/joint_friction.h"
#include "core/model/coordinates.h"
#include "core/model/joint_gap.h"
#include "core/sim/constrain_internal.h"
#include "core/solvers/maximal/held_hinge.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double TURN = 6.283185307179586;

struct MbKeptMoves {
  bool made;       // `along` is of this step
  double *along;   // (nslots) what rows ask for
  double *more;    // (nslots) by how much that has changed last
  double *from;    // (nslots) along coordinates: where they were when the step began
  double rounding; // of rates that bodies' places tell
  double left;     // by how much what prescribed velocities ask for changes on, of how fast things are
  size_t worst;    // which one asks for that
  MbReached reached;
};

static const MbJointFriction *friction_of(const MbConstraint *constraint) {
  return constraint->ops == &mb_joint_friction_ops ? constraint->parameters : NULL;
}

// Whether it prescribes the velocity of a coordinate.
static bool is_rate(const MbConstraint *constraint) {
  return constraint->ops == &mb_motion_ops && constraint->order == 1;
}

// Whether the joint's move in a step is not what its rows ask for of rates.
static bool is_kept(const MbSim *sim, const MbConstraint *constraint) {
  const MbJointFriction *own = friction_of(constraint);
  if (own && own->body < 0) return constraint->dry;
  return mb_reached_apart(sim) && (constraint->dry || is_rate(constraint));
}

bool mb_kept_is(const MbSim *sim, const MbConstraint *constraint) {
  return sim->constraining && sim->constraining->kept && is_kept(sim, constraint);
}

// The body whose joint has the coordinate that a row is along.
static size_t turning(const MbModel *model, const MbConstraint *constraint) {
  return mb_coordinates_body(model, constraint->q[0]);
}

void mb_kept_bodies(const MbModel *model, const MbConstraint *constraint, size_t body[2]) {
  body[0] = constraint->body[0], body[1] = constraint->body[1];
  if (friction_of(constraint)) return;
  body[0] = turning(model, constraint);
  body[1] = model->parent[body[0]];
}

static void mark(const MbSim *sim, const MbConstraint *constraint, MbReached *reached) {
  size_t body[2];
  mb_kept_bodies(sim->model, constraint, body);
  for (int end = 0; end < 2; end++)
    if (body[end] != MB_WORLD) mb_reached_mark(sim, reached, body[end]);
}

MbStatus mb_kept_create(MbSim *sim, MbReport *report) {
  const MbModel *model = sim->model;
  bool any = false;
  for (size_t i = 0; i < model->nconstraints; i++) any |= is_kept(sim, &model->constraints[i]);
  if (!any) return MB_OK;
  MbKeptMoves *kept = mb_arena_alloc(&sim->arena, 1, sizeof *kept);
  if (!kept || !mb_reached_create(sim, &kept->reached)) return mb_no_memory(report, "constraints");
  kept->along = mb_arena_alloc(&sim->arena, model->nslots, sizeof *kept->along);
  kept->more = mb_arena_alloc(&sim->arena, model->nslots, sizeof *kept->more);
  kept->from = mb_arena_alloc(&sim->arena, model->nslots, sizeof *kept->from);
  if (!kept->along || !kept->more || !kept->from) return mb_no_memory(report, "constraints");
  mb_reached_forget(sim, &kept->reached);
  for (size_t i = 0; i < model->nconstraints; i++)
    if (is_kept(sim, &model->constraints[i])) mark(sim, &model->constraints[i], &kept->reached);
  sim->constraining->kept = kept;
  return MB_OK;
}

void mb_kept_begin(MbSim *sim) {
  MbKeptMoves *kept = sim->constraining->kept;
  if (kept) kept->made = false, kept->left = 0;
}

// X ← the joint's frame in body b, in that of its parent, where bodies are at E.
static void find_frame(const MbModel *model, size_t b, const MbPose *E, MbPose *X) {
  const size_t parent = model->parent[b];
  MbPose inverse;
  *X = E[b];
  if (parent != MB_WORLD) {
    mb_pose_inverse(&inverse, &E[parent]);
    mb_pose_mul(X, &inverse, &E[b]);
  }
  mb_joint_between(&model->P[b], &model->B[b], X, X);
}

// A hinge's angle but for whole turns where bodies are at E, which solver `maximal` tells by how its axes see those of its parent.
static double hinge_angle(const MbModel *model, size_t b, const MbPose *E) {
  const size_t parent = model->parent[b];
  MbHeldHinge hinge;
  MbHeldPlace X;
  MbPose at;
  mb_held_make_hinge(model, model, b, &hinge);
  mb_pose_inverse(&at, &E[b]);
  if (parent != MB_WORLD) mb_pose_mul(&at, &at, &E[parent]);
  mb_quat_to_mat3(X.R, at.q);
  mb_vec3_copy(X.p, at.p);
  const Seen seen = see(&hinge, &X);
  return atan2(seen.sigma, seen.c);
}

// The coordinate that a row is along where bodies are at E; `near` (nq): the model's coordinates near by. NAN: there is none.
static double coordinate_at(const MbModel *model, const MbConstraint *constraint, const double *near,
                            const MbPose *E) {
  static const double still[6] = {0};
  const size_t b = mb_coordinates_body(model, constraint->q[0]), first = model->q_first[b];
  const MbJoint *joint = &model->joint[b];
  double q[MB_JOINT_MOST];
  MbPose X;
  MbJointGap gap;
  if (mb_held_is_hinge(model, b)) {
    const double angle = hinge_angle(model, b, E);
    return angle + TURN * round((near[first] - angle) / TURN);
  }
  find_frame(model, b, E, &X);
  memcpy(q, near + first, joint->n * sizeof *q);
  return mb_joint_gap(joint, &X, still, q, &gap) ? q[constraint->q[0] - first] : NAN;
}

// Whether a joint is exp(S q) with one S, as hinges, slides and screws are.
static bool is_single(const MbJoint *joint) {
  bool carried = false;
  return joint->n == 1 && joint->ops->carries && joint->ops->carries(joint, &carried, 1);
}

// How far such a joint has moved from one place of its bodies to another: exp(S δ) = X₀⁻¹ X₁, by its turn, or by its way where it does not turn.
static double single_move(const MbModel *model, size_t b, const MbPose *from, const MbPose *to) {
  const MbJoint *joint = &model->joint[b];
  const double none[1] = {0};
  double S[6], Sdot[6], turn[3];
  MbPose X[2], back, move, Q;
  find_frame(model, b, from, &X[0]);
  find_frame(model, b, to, &X[1]);
  mb_pose_inverse(&back, &X[0]);
  mb_pose_mul(&move, &back, &X[1]);
  joint->ops->eval(joint, none, none, &Q, S, Sdot);
  if (!(mb_vec3_norm(S) > 0)) return mb_vec3_dot(S + 3, move.p) / mb_vec3_dot(S + 3, S + 3);
  mb_quat_log(turn, move.q);
  return mb_vec3_dot(S, turn) / mb_vec3_dot(S, S);
}

// Whether how far the coordinate of a row moves is told by where it was and where it gets to: prescribed velocities are followed by what frames tell.
static bool by_places(const MbModel *model, const MbConstraint *constraint) {
  if (friction_of(constraint)) return false;
  return is_rate(constraint) || !is_single(&model->joint[turning(model, constraint)]);
}

// s ← how far the joint moves along each row from one place of its bodies to another. `was`: the coordinate there, of a joint that is told by places.
static void find_moves(const MbModel *model, const MbConstraint *constraint, const double *near, double was,
                       MbPose *from, MbPose *to, double s[MB_RUB_ROWS]) {
  const MbMaximal here = {.nb = model->nb, .E = from}, there = {.nb = model->nb, .E = to};
  if (friction_of(constraint))
    mb_joint_friction_moves(constraint, &here, &there, s);
  else if (by_places(model, constraint))
    s[0] = coordinate_at(model, constraint, near, to) - was;
  else
    s[0] = single_move(model, turning(model, constraint), from, to);
}

void mb_kept_moved(const MbModel *model, const MbConstraint *constraint, const double *near, MbPose *from,
                   MbPose *to, double s[MB_RUB_ROWS]) {
  const bool places = by_places(model, constraint);
  find_moves(model, constraint, near, places ? coordinate_at(model, constraint, near, from) : 0, from, to, s);
}

// The same in the step at hand, as bodies are reached.
static void moves_in_step(const MbSim *sim, const MbConstraint *constraint, double s[MB_RUB_ROWS]) {
  const MbKeptMoves *kept = sim->constraining->kept;
  find_moves(sim->model, constraint, sim->x.q, kept->from[constraint->slot], sim->x.E, kept->reached.E, s);
}

// along ← what row k of a constraint asks for at velocities v, by which its joint moves by s: of an angle but for whole turns. Returns how fast what it is about is.
static double ask_along(const MbSim *sim, const MbConstraint *constraint, size_t k, double s, const double *v,
                        double *along) {
  const MbRowSet *set = &sim->constraining->set;
  double size = 0;
  const double h = sim->model->h, rate = mb_row_rate_sized(set, constraint->slot + k, v, &size);
  const double turns = constraint->turns ? round((h * rate - s) / TURN) : 0;
  *along = isfinite(s) ? rate - (s + TURN * turns) / h : 0;
  return size;
}

// Takes bodies to where they get to by velocities v.
static void reach(MbSim *sim, const double *v) {
  static const double SOME = 8; // places that are sums of several
  MbKeptMoves *kept = sim->constraining->kept;
  const double farthest = mb_reached_go(sim, &kept->reached, v);
  kept->rounding = SOME * DBL_EPSILON * fmax(farthest, 1) / sim->model->h; // turns are of size 1
}

void mb_kept_guess(MbSim *sim) {
  MbKeptMoves *kept = sim->constraining->kept;
  const MbModel *model = sim->model;
  double s[MB_RUB_ROWS];
  if (!kept || kept->made) return;
  kept->made = true;
  reach(sim, sim->state.v);
  for (size_t i = 0; i < model->nconstraints; i++) {
    const MbConstraint *constraint = &model->constraints[i];
    if (!is_kept(sim, constraint)) continue;
    if (by_places(model, constraint))
      kept->from[constraint->slot] = coordinate_at(model, constraint, sim->x.q, sim->x.E);
    moves_in_step(sim, constraint, s);
    for (size_t k = 0; k < constraint->rows; k++)
      ask_along(sim, constraint, k, s[k], sim->state.v, &kept->along[constraint->slot + k]);
  }
}

double mb_kept_along(const MbSim *sim, size_t s) {
  const MbKeptMoves *kept = sim->constraining->kept;
  return kept && kept->made && s < sim->model->nslots ? kept->along[s] : 0;
}

bool mb_kept_turns(const MbSim *sim) {
  static const double LESS = 1 - 1e-9; // than what it holds at most: it does not slip
  const MbKeptMoves *kept = sim->constraining ? sim->constraining->kept : NULL;
  const double *force = mb_section(sim, MB_SECTION_FORCES);
  bool any = false;
  for (size_t s = 0; s < sim->model->nslots && kept; s++) {
    if (sim->constraining->set.is[s].kind != MB_ROW_DRY) continue; // sensitivity_held_kept.c knows of these
    any |=
        fabs(kept->along[s]) > kept->rounding && fabs(force[s]) < LESS * sim->constraining->set.row[s].most;
  }
  return any;
}

// along ← what the rows of a constraint ask for at the velocities of the solution. Returns by how much that has changed at most, of how fast what they are
// about is.
static double ask_one(MbSim *sim, const MbConstraint *constraint, const double *v) {
  MbKeptMoves *kept = sim->constraining->kept;
  double s[MB_RUB_ROWS], along, change = 0;
  moves_in_step(sim, constraint, s);
  for (size_t k = 0; k < constraint->rows; k++) {
    const size_t slot = constraint->slot + k;
    const double speed = ask_along(sim, constraint, k, s[k], v, &along);
    kept->more[slot] = 0;
    if (fabs(along - kept->along[slot]) <= kept->rounding) continue;
    kept->more[slot] = along - kept->along[slot];
    change = fmax(change, fabs(kept->more[slot]) / (speed + sim->constraining->loose));
    kept->along[slot] = along;
  }
  return change;
}

// The same of all. Notes what changes most of prescribed velocities.
static double ask_anew(MbSim *sim, const double *v) {
  MbKeptMoves *kept = sim->constraining->kept;
  const MbModel *model = sim->model;
  double most = 0;
  kept->left = 0;
  for (size_t i = 0; i < model->nconstraints; i++) {
    const MbConstraint *constraint = &model->constraints[i];
    if (!is_kept(sim, constraint)) continue;
    const double change = ask_one(sim, constraint, v);
    if (is_rate(constraint) && change > kept->left) kept->left = change, kept->worst = i;
    most = fmax(most, change);
  }
  return most;
}

double mb_kept_again(MbSim *sim, const double *v) {
  MbConstraining *c = sim->constraining;
  if (!c->kept->made) return 0;
  reach(sim, v);
  const double change = ask_anew(sim, v);
  for (size_t i = 0; i < c->n; i++)
    if (c->slot[i] < sim->model->nslots) c->b[i] -= c->kept->more[c->slot[i]];
  return change;
}

void mb_kept_tell(MbSim *sim, MbReport *report) {
  static const double MUCH = 1e-8; // of how fast things are
  const MbKeptMoves *kept = sim->constraining->kept;
  double *told = mb_section(sim, MB_SECTION_WARNED) + MB_WARNED_KEPT;
  if (!kept || *told != 0 || !(kept->left > MUCH)) return;
  *told = 1;
  mb_warning(
      report, "",
      "at t = %.9g s, step %lld: what \"%s\" is driven along turns too far in a step for it to move in that "
      "as its prescribed velocity says: it is off by %.2g of how fast it is: take a smaller step",
      sim->state.t + sim->model->h, (long long)sim->state.step + 1, sim->model->constraints[kept->worst].name,
      kept->left);
}
