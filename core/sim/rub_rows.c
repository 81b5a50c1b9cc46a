// Friction inside joints on the way back through a step of one solution, whatever the solver. What slips pushes with the largest force m that its joint's loads
// come to, and these follow from what the joint transmits (rub_slopes.c):
//
//   μ_s − σ_s m(w, μ) = 0,   w = X F + Σ μ screw,   δm = P · δw + Q · δμ
//
// where F is what the joint does to its body beside friction, seen from the rubbing frame by X. With Ψ the motion of all bodies behind the joint by the twist Xᵀ P,
//
//   P · X δF = Ψ · δ( M̃ φ⁺/h + … − Σ Hᵀ μ ),      M̃ = M − h D − h² K as A has it
//
// so that beside the rows of constraints the border has, scaled so that they are alike,
//
//   R = −σ/h Jᵀ M̃ Ψ   of v⁺,   C_st = δ_st − σ ( P · screw_t + Q_t − Ψ · H_t )   of μ
//
// and what these equations are felt by, η, weighs m by −σ η, so that what joints do to bodies is weighed by twists −σ η Xᵀ P. Of a joint that closes a loop F is what its rows push, and there is no Ψ.
// X turns with both bodies of a universal joint, and rows of loops do: what that is felt by is a difference.
#include "core/sim/rub_rows.h"
#include "core/base/report.h"
#include "core/constraints/constraints.h"
#include "core/math/dense6.h"
#include "core/math/se3.h"
#include "core/math/spatial.h"
#include "core/solvers/coupled.h"

#include <math.h>
#include <string.h>

static bool take(MbArena *arena, double **list, size_t n) {
  return (*list = mb_arena_alloc(arena, n + 1, sizeof(double))) != NULL;
}

MbRubbed *mb_rubbed_create(MbArena *arena, MbSim *sim) {
  const MbModel *model = sim->model;
  const size_t nb = model->nb;
  MbRubbed *r = mb_arena_alloc(arena, 1, sizeof *r);
  if (!r) return NULL;
  *r = (MbRubbed){.sim = sim, .near = SIZE_MAX};
  r->row = mb_arena_alloc(arena, model->nslots, sizeof *r->row);
  r->slot = mb_arena_alloc(arena, model->nslots, sizeof *r->slot);
  r->end = mb_arena_alloc(arena, nb + 1, sizeof *r->end);
  bool ok =
      r->row && r->slot && r->end && take(arena, &r->loads, model->nloads) && take(arena, &r->y, sim->nv);
  double **const of_bodies[] = {&r->psi, &r->push, &r->twist, &r->move, &r->beside};
  for (size_t i = 0; i < sizeof of_bodies / sizeof *of_bodies; i++)
    ok = ok && take(arena, of_bodies[i], 6 * nb);
  for (size_t b = nb; ok && b-- > 0;) {
    const size_t p = model->parent[b];
    if (r->end[b] < b + 1) r->end[b] = b + 1;
    if (p != MB_WORLD && r->end[p] < r->end[b]) r->end[p] = r->end[b];
  }
  return ok ? r : NULL;
}

void mb_rubbed_step(MbRubbed *r, const double *loads) {
  const size_t size = r->sim->model->nloads * sizeof *loads;
  memcpy(r->loads, loads, size);
  memcpy(mb_section(r->sim, MB_SECTION_LOADS), loads, size);
}

void mb_rubbed_begin(MbRubbed *r, const double *forces, const double *F) {
  r->n = 0, r->near = SIZE_MAX, r->forces = forces, r->F = F;
}

// ---- what a joint transmits -----------------------------------------------------------------------------------------

void mb_rubbed_gather(const MbModel *model, const MbPose *E, double *f) {
  for (size_t b = model->nb; b-- > 0;) {
    const size_t parent = model->parent[b];
    double moved[6];
    if (parent == MB_WORLD) continue;
    mb_wrench_move(moved, &E[b], f + 6 * b, &E[parent]);
    for (size_t i = 0; i < 6; i++) f[6 * parent + i] += moved[i];
  }
}

// out ← how a body moves with its parent while their joint is still; nothing where it has none.
static void with_parent(const MbModel *model, const MbPose *E, const double *psi, size_t b, double out[6]) {
  const size_t p = model->parent[b];
  memset(out, 0, 6 * sizeof *out);
  if (p != MB_WORLD) mb_wrench_weigh(out, &E[b], &E[p], psi + 6 * p);
}

// psi (nb x 6) ← how bodies move with one that moves by a twist while all joints are still.
static void carry(const MbRubbed *r, size_t body, const double twist[6]) {
  memset(r->psi, 0, 6 * r->sim->model->nb * sizeof *r->psi);
  memcpy(r->psi + 6 * body, twist, 6 * sizeof *r->psi);
  for (size_t b = body + 1; b < r->end[body]; b++)
    with_parent(r->sim->model, r->sim->x.E, r->psi, b, r->psi + 6 * b);
}

void mb_rubbed_carry(const MbModel *model, const MbPose *E, const double *twist, double *psi) {
  for (size_t b = 0; b < model->nb; b++) {
    with_parent(model, E, psi, b, psi + 6 * b);
    for (size_t i = 0; i < 6; i++) psi[6 * b + i] += twist[6 * b + i];
  }
}

void mb_rubbed_turn(const MbModel *model, const MbPose *E, const double *psi, const double *F, double *move) {
  for (size_t b = 0; b < model->nb; b++) {
    const size_t p = model->parent[b];
    double along[6], turn[6] = {0}, moved[6];
    if (p == MB_WORLD) continue;
    with_parent(model, E, psi, b, along);
    mb_add_transposed_bracket(turn, 1, along, F + 6 * b);
    mb_wrench_move(moved, &E[b], turn, &E[p]);
    for (size_t i = 0; i < 6; i++) move[6 * b + i] += turn[i], move[6 * p + i] -= moved[i];
  }
}

// The forces of all rows of a constraint.
static void forces_of(const MbRubbed *r, size_t constraint, double force[MB_RUB_ROWS]) {
  const MbConstraint *c = &r->sim->model->constraints[constraint];
  for (size_t k = 0; k < MB_RUB_ROWS; k++) force[k] = k < c->rows ? r->forces[c->slot + k] : 0;
}

// The body that rows of a joint that closes a loop push, and which way (dry.c).
typedef struct Pushed {
  int end;
  double way;
  size_t body;
} Pushed;

static Pushed pushed_by(const MbConstraint *closure) {
  const int end = closure->body[1] == MB_WORLD ? 0 : 1;
  return (Pushed){end, end ? 1 : -1, closure->body[end]};
}

// f ← what rows of such a joint do to that body, as a constraint has them where bodies of a simulation are.
static void find_closure(const MbRubbed *r, MbSim *at, const MbConstraint *closure, double f[6]) {
  const Pushed pushed = pushed_by(closure);
  const double h = at->model->h;
  MbRow rows[MB_ROWS];
  memset(f, 0, 6 * sizeof *f);
  mb_rows_of(at, closure, at->constraining->signal, h, h, rows);
  for (size_t k = 0; k < closure->rows; k++)
    for (int i = 0; i < 6; i++) f[i] += pushed.way * r->forces[closure->slot + k] * rows[k].H[pushed.end][i];
}

// What a joint does to its body, as a constraint of a model has the rubbing frame where bodies of a simulation are, with friction of its rows (NULL: without); F (nb x 6)
// is what joints of trees do without.
static void find_wrench(const MbRubbed *r, MbSim *at, const double *F, const MbModel *model,
                        size_t constraint, const double *force, double w[6]) {
  const MbConstraint *c = &model->constraints[constraint];
  const MbJointFriction *own = c->parameters;
  MbPose E;
  mb_joint_friction_frame(c, &at->x, &E);
  if (own->body >= 0) {
    mb_wrench_move(w, &at->x.E[c->body[0]], F + 6 * c->body[0], &E);
  } else {
    double f[6];
    find_closure(r, at, &model->constraints[own->closes], f);
    mb_wrench_move(w, &at->x.E[pushed_by(&model->constraints[own->closes]).body], f, &E);
  }
  for (int k = 0; k < own->rows && force; k++)
    for (int j = 0; j < 6; j++) w[j] += force[k] * own->screw[k][j];
}

// The body to whose axes a row's twist is told.
static size_t body_of(const MbSim *sim, const MbConstraint *constraint) {
  const MbJointFriction *own = constraint->parameters;
  return own->body >= 0 ? constraint->body[0] : pushed_by(&sim->model->constraints[own->closes]).body;
}

static double dot(const double *a, const double *b, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

static bool find_slope(MbRubbed *r, MbRubbedRow *row) {
  MbSim *sim = r->sim;
  const MbConstraint *constraint = &sim->model->constraints[row->constraint];
  const MbJointFriction *own = constraint->parameters;
  double force[MB_RUB_ROWS], w[6];
  MbPose E;
  forces_of(r, row->constraint, force);
  find_wrench(r, sim, r->F, sim->model, row->constraint, force, w);
  if (!mb_rub_slope(own, row->row, w, force, r->loads + own->first, &row->slope)) return false;
  mb_joint_friction_frame(constraint, &sim->x, &E);
  mb_wrench_weigh(row->twist, &sim->x.E[body_of(sim, constraint)], &E, row->slope.by_wrench);
  row->closes = own->body < 0;
  return true;
}

// ---- the border -----------------------------------------------------------------------------------------------------

// f ← M̃ Ψ
static void find_push(const MbSim *sim, const double *psi, double *f) {
  const MbIntegrator *in = sim->integrator;
  const double h = sim->model->h;
  for (size_t i = 0; i < 6 * sim->model->nb; i++) f[i] = sim->model->M[i] * psi[i];
  mb_means_multiply(sim->model, &sim->x, in->a * h, in->b * h * h, in->exact, psi, f);
}

bool mb_rubbed_add(MbRubbed *r, size_t at, size_t constraint, size_t slot, int slips, double *G,
                   const double *Y) {
  MbSim *sim = r->sim;
  const MbConstraint *c = &sim->model->constraints[constraint];
  MbRubbedRow *row = &r->row[r->n++];
  *row = (MbRubbedRow){.at = at, .constraint = constraint, .row = (int)(slot - c->slot), .slips = slips};
  if (!find_slope(r, row)) return false;
  if (row->slope.near) r->near = slot;
  row->scale = slips * dot(G, Y, sim->nv);
  memset(G, 0, sim->nv * sizeof *G);
  if (row->closes) return true;
  carry(r, c->body[0], row->twist);
  find_push(sim, r->psi, r->push);
  sim->solver->gather(sim->work, r->push, r->y);
  for (size_t i = 0; i < sim->nv; i++) G[i] = -row->scale / sim->model->h * r->y[i];
  return true;
}

static bool is_of(const MbConstraint *constraint, size_t slot) {
  return slot >= constraint->slot && slot < constraint->slot + constraint->rows;
}

// What a row's largest force is felt by along the force of a row of the set; where the joint is in a tree r->psi is the motion by its twist.
static double by_row(const MbRubbed *r, const MbRubbedRow *row, size_t slot) {
  const MbSim *sim = r->sim;
  const MbConstraint *constraint = &sim->model->constraints[row->constraint];
  const MbJointFriction *own = constraint->parameters;
  const MbConstraint *closure = row->closes ? &sim->model->constraints[own->closes] : NULL;
  const size_t k = slot - constraint->slot;
  double by = closure ? 0 : -mb_row_along(&sim->constraining->set, slot, r->psi);
  if (is_of(constraint, slot)) by += row->slope.by_force[k] + dot(row->slope.by_wrench, own->screw[k], 6);
  if (closure && is_of(closure, slot)) {
    const Pushed pushed = pushed_by(closure);
    by += pushed.way * dot(row->twist, sim->constraining->set.row[slot].H[pushed.end], 6);
  }
  return by;
}

const double *mb_rubbed_motion(const MbRubbed *r, const MbRubbedRow *row) {
  if (row->closes) return NULL;
  carry(r, r->sim->model->constraints[row->constraint].body[0], row->twist);
  return r->psi;
}

void mb_rubbed_fill(MbRubbed *r, double *S, size_t n, size_t width) {
  for (size_t i = 0; i < r->n; i++) {
    const MbRubbedRow *row = &r->row[i];
    mb_rubbed_motion(r, row);
    for (size_t k = 0; k < n; k++)
      if (r->slot[k] != SIZE_MAX) S[width * row->at + k] -= row->scale * by_row(r, row, r->slot[k]);
    S[(width + 1) * row->at] += row->scale * row->slips;
  }
}

bool mb_rubbed_settled(const MbRubbed *r, MbRanked *S, const double *Y, double *null) {
  static const double NONE = 1e-6; // of what they would change if they did not cancel
  const size_t nv = r->sim->nv;
  for (size_t free = S->rank; r->n && free < S->m; free++) {
    double most = 0, sizes = 0;
    mb_ranked_null(S, free, null);
    for (size_t i = 0; i < nv; i++) {
      double sum = 0, size = 0;
      for (size_t k = 0; k < S->m; k++) {
        const double by = null[k] * Y[nv * k + i];
        sum += by, size += fabs(by);
      }
      most = fmax(most, fabs(sum)), sizes = fmax(sizes, size);
    }
    if (most > NONE * sizes) return false;
  }
  return true;
}

// ---- backwards ------------------------------------------------------------------------------------------------------

// Adds to r->move what a weighed force is felt by as the rubbing frame turns with its two bodies, while what the joint does keeps to the axes of the first; of a joint that closes a loop
// its rows turn too.
static void weigh_frame(MbRubbed *r, const MbRubbedRow *row) {
  static const double MOVE = 1e-4; // rad, m: to either side
  MbSim *sim = r->sim;
  const MbConstraint *constraint = &sim->model->constraints[row->constraint];
  for (int end = 0; end < 2; end++) {
    const size_t b = constraint->body[end];
    if (b == MB_WORLD) continue;
    MbPose *E = &sim->x.E[b];
    const MbPose here = *E;
    for (size_t along = 0; along < 6; along++)
      for (int side = -1; side <= 1; side += 2) {
        double move[6] = {0}, w[6];
        MbPose step;
        move[along] = side * MOVE;
        mb_se3_exp(&step, move);
        mb_pose_mul(E, &here, &step);
        find_wrench(r, sim, r->F, sim->model, row->constraint, NULL, w);
        r->move[6 * b + along] += side * row->weight / (2 * MOVE) * dot(row->slope.by_wrench, w, 6);
      }
    *E = here;
  }
}

void mb_rubbed_felt(MbRubbed *r, double *eta) {
  const MbModel *model = r->sim->model;
  memset(r->twist, 0, 6 * model->nb * sizeof *r->twist);
  memset(r->move, 0, 6 * model->nb * sizeof *r->move);
  for (size_t i = 0; i < r->n; i++) {
    MbRubbedRow *row = &r->row[i];
    const MbConstraint *constraint = &model->constraints[row->constraint];
    row->weight = -row->scale * eta[row->at];
    eta[row->at] = 0;
    for (size_t j = 0; j < 6 && !row->closes; j++)
      r->twist[6 * constraint->body[0] + j] += row->weight * row->twist[j];
    if (row->closes || ((const MbJointFriction *)constraint->parameters)->joint == MB_JOINT_UNIVERSAL)
      weigh_frame(r, row);
  }
}

// ---- numbers --------------------------------------------------------------------------------------------------------

bool mb_rubbed_asks(const MbRubbedRow *row, const MbModel *model, const MbTangentNumber *number) {
  const MbJointFriction *own = model->constraints[row->constraint].parameters;
  return mb_tangent_number_ties(number, row->constraint) ||
         (row->closes && mb_tangent_number_ties(number, (size_t)own->closes));
}

double mb_rubbed_value(const MbRubbed *r, const MbRubbedRow *row, const MbModel *side, MbSim *at,
                       const double *F) {
  const MbJointFriction *own = side->constraints[row->constraint].parameters;
  double force[MB_RUB_ROWS], w[6];
  forces_of(r, row->constraint, force);
  find_wrench(r, at, F, side, row->constraint, force, w);
  return row->weight * mb_rub_value(own, row->row, &row->slope, w, force, r->loads + own->first);
}

void mb_rubbed_tell(MbRubbed *r, double t, int64_t step, MbReport *report) {
  if (r->told || r->near == SIZE_MAX) return;
  r->told = true;
  mb_warning(report, "",
             "at t = %.9g s, step %lld: \"%s\" is about to be pressed from the other side: the derivative is "
             "that of the branch taken",
             t, (long long)step, r->sim->constraining->set.is[r->near].name);
}
