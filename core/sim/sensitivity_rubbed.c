// Friction inside joints of trees, back through steps of one solution (sensitivity_tied.c). What slips there pushes with the largest force m that the joint's loads
// come to, and these follow from what the joint transmits (rub_slopes.c):
//
//   μ_s − σ_s m(w, μ) = 0,   w = X F + Σ μ screw,   δm = P · δw + Q · δμ
//
// where F is what the joint does to its body beside friction, as inverse dynamics has it (tangent.c), seen from the rubbing frame by X. With Ψ the motion of all bodies behind the joint by the twist Xᵀ P,
//
//   P · X δF = Ψ · δ( M̃ φ⁺/h + … − Σ Hᵀ μ ),      M̃ = M − h D − h² K as A has it
//
// so that beside the rows of constraints the border has, scaled so that they are alike,
//
//   R = −σ/h Jᵀ M̃ Ψ   of v⁺,   C_st = δ_st − σ ( P · screw_t + Q_t − Ψ · H_t )   of μ
//
// and what these equations are felt by, η, weighs m by −σ η. So z · τ is asked of Z = J z + Σ (−σ η) Ψ in place of J z: weights of what joints do beside those of what moves them, and all that is asked
// of Z, by places, velocities, forces and numbers, is asked at once. X turns with both bodies of a universal joint: what that is felt by is a difference.
// A number that changes the joint changes P · w and the law besides.
#include "core/sim/sensitivity_rubbed.h"
#include "core/base/report.h"
#include "core/constraints/constraints.h"
#include "core/math/se3.h"
#include "core/math/spatial.h"
#include "core/sim/dry.h"
#include "core/solvers/coupled.h"

#include <string.h>

static double *numbers(MbSensitivity *g, size_t n) {
  return mb_arena_alloc(&g->arena, n + 1, sizeof(double));
}

bool mb_rubbed_make(MbSensitivity *g) {
  const MbModel *model = g->sim->model;
  if (!model->nloads) return true;
  MbRubbed *r = g->tied->rubbed = mb_arena_alloc(&g->arena, 1, sizeof *r);
  if (!r) return false;
  r->row = mb_arena_alloc(&g->arena, model->nslots, sizeof *r->row);
  r->loads = numbers(g, model->nloads), r->y = numbers(g, g->probe->nv);
  double **const of_bodies[] = {&r->psi, &r->push, &r->twist, &r->move};
  bool ok = r->row && r->loads && r->y;
  for (size_t i = 0; i < sizeof of_bodies / sizeof *of_bodies; i++)
    ok &= (*of_bodies[i] = numbers(g, 6 * model->nb)) != NULL;
  if (ok) mb_tangent_weigh_wrenches(g->tangent, r->twist, r->move);
  r->near = SIZE_MAX;
  return ok;
}

static MbRubbed *rubbed(const MbSensitivity *g) { return g->tied ? g->tied->rubbed : NULL; }

size_t mb_rubbed_noted(const MbSensitivity *g) { return rubbed(g) ? g->sim->model->nloads : 0; }

void mb_rubbed_step(MbSensitivity *g, const double *loads) {
  const size_t size = g->sim->model->nloads * sizeof *loads;
  if (!rubbed(g)) return;
  memcpy(rubbed(g)->loads, loads, size);
  memcpy(mb_section(g->probe, MB_SECTION_LOADS), loads, size);
}

// ---- at a step ------------------------------------------------------------------------------------------------------

// The forces of all rows of a constraint, of which those that take part are listed.
static void forces_of(const MbSensitivity *g, size_t constraint, double force[MB_RUB_ROWS]) {
  const MbConstraint *c = &g->sim->model->constraints[constraint];
  for (size_t k = 0; k < MB_RUB_ROWS; k++) force[k] = k < c->rows ? g->tied->forces[c->slot + k] : 0;
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
static void find_closure(const MbSensitivity *g, MbSim *at, const MbConstraint *closure, double f[6]) {
  const Pushed pushed = pushed_by(closure);
  const double h = at->model->h;
  MbRow rows[MB_ROWS];
  memset(f, 0, 6 * sizeof *f);
  mb_rows_of(at, closure, at->constraining->signal, h, h, rows);
  for (size_t k = 0; k < closure->rows; k++)
    for (int i = 0; i < 6; i++)
      f[i] += pushed.way * g->tied->forces[closure->slot + k] * rows[k].H[pushed.end][i];
}

// What a joint does to its body, as a constraint of a model has the rubbing frame where bodies of a simulation are, with friction of its rows (NULL: without); F (nb x 6)
// is what joints of trees do without.
static void find_wrench(const MbSensitivity *g, MbSim *at, const double *F, const MbModel *model,
                        size_t constraint, const double *force, double w[6]) {
  const MbConstraint *c = &model->constraints[constraint];
  const MbJointFriction *own = c->parameters;
  MbPose E;
  mb_joint_friction_frame(c, &at->x, &E);
  if (own->body >= 0) {
    mb_wrench_move(w, &at->x.E[c->body[0]], F + 6 * c->body[0], &E);
  } else {
    double f[6];
    find_closure(g, at, &model->constraints[own->closes], f);
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

static bool find_slope(MbSensitivity *g, MbRubbedRow *row) {
  MbSim *sim = g->probe;
  const MbConstraint *constraint = &sim->model->constraints[row->constraint];
  const MbJointFriction *own = constraint->parameters;
  double force[MB_RUB_ROWS], w[6];
  MbPose E;
  forces_of(g, row->constraint, force);
  find_wrench(g, sim, mb_tangent_wrenches(g->tangent), sim->model, row->constraint, force, w);
  if (!mb_rub_slope(own, row->row, w, force, rubbed(g)->loads + own->first, &row->slope)) return false;
  mb_joint_friction_frame(constraint, &sim->x, &E);
  mb_wrench_weigh(row->twist, &sim->x.E[body_of(sim, constraint)], &E, row->slope.by_wrench);
  row->closes = own->body < 0;
  return true;
}

// f ← M̃ Ψ
static void find_push(const MbSim *sim, const double *psi, double *f) {
  const MbIntegrator *in = sim->integrator;
  const double h = sim->model->h;
  for (size_t i = 0; i < 6 * sim->model->nb; i++) f[i] = sim->model->M[i] * psi[i];
  mb_means_multiply(sim->model, &sim->x, in->a * h, in->b * h * h, in->exact, psi, f);
}

// The equation's part of v⁺, in the place of G.
static void find_row(MbSensitivity *g, MbRubbedRow *row) {
  MbRubbed *r = rubbed(g);
  MbSim *sim = g->probe;
  const size_t nv = sim->nv;
  const MbTangentRow *at = &mb_tangent_rows(g->tangent)->row[row->at];
  double *G = g->tied->G + nv * row->at;
  const double *Y = g->tied->Y + nv * row->at;
  row->scale = at->slips * mb_slope_dot(G, Y, nv);
  memset(G, 0, nv * sizeof *G);
  if (row->closes) return;
  mb_tangent_carried(sim, g->tangent, sim->model->constraints[row->constraint].body[0], row->twist, r->psi);
  find_push(sim, r->psi, r->push);
  sim->solver->gather(sim->work, r->push, r->y);
  for (size_t i = 0; i < nv; i++) G[i] = -row->scale / sim->model->h * r->y[i];
}

bool mb_rubbed_at(MbSensitivity *g) {
  MbRubbed *r = rubbed(g);
  const MbTangentRows *rows = mb_tangent_rows(g->tangent);
  if (!r) return true;
  r->n = 0, r->near = SIZE_MAX;
  for (size_t i = 0; i < rows->nties; i++) {
    const MbTangentTie *tie = &rows->tie[i];
    for (size_t k = tie->first; k < tie->first + tie->n; k++) {
      const size_t slot = g->sim->model->constraints[tie->constraint].slot;
      MbRubbedRow *row = &r->row[r->n];
      if (!rows->row[k].loaded || rows->row[k].idle) continue;
      *row = (MbRubbedRow){.at = k, .constraint = tie->constraint, .row = (int)(rows->row[k].slot - slot)};
      if (!find_slope(g, row)) {
        g->parted = "what presses inside a joint does not follow from what it transmits";
        return false;
      }
      find_row(g, row);
      if (row->slope.near) r->near = rows->row[k].slot;
      r->n++;
    }
  }
  return true;
}

static bool is_of(const MbConstraint *constraint, size_t slot) {
  return slot >= constraint->slot && slot < constraint->slot + constraint->rows;
}

// What a row's largest force is felt by along the force of a row of the set; where the joint is in a tree r->psi is the motion by its twist.
static double by_row(const MbSensitivity *g, const MbRubbedRow *row, size_t slot) {
  const MbSim *sim = g->probe;
  const MbConstraint *constraint = &sim->model->constraints[row->constraint];
  const MbJointFriction *own = constraint->parameters;
  const MbConstraint *closure = row->closes ? &sim->model->constraints[own->closes] : NULL;
  const size_t k = slot - constraint->slot;
  double by = closure ? 0 : -mb_row_along(&sim->constraining->set, slot, rubbed(g)->psi);
  if (is_of(constraint, slot))
    by += row->slope.by_force[k] + mb_slope_dot(row->slope.by_wrench, own->screw[k], 6);
  if (closure && is_of(closure, slot)) {
    const Pushed pushed = pushed_by(closure);
    by += pushed.way * mb_slope_dot(row->twist, sim->constraining->set.row[slot].H[pushed.end], 6);
  }
  return by;
}

void mb_rubbed_fill(MbSensitivity *g, double *S, size_t n) {
  MbRubbed *r = rubbed(g);
  const MbSim *sim = g->probe;
  const MbTangentRows *rows = mb_tangent_rows(g->tangent);
  for (size_t i = 0; r && i < r->n; i++) {
    const MbRubbedRow *row = &r->row[i];
    const size_t body = body_of(sim, &sim->model->constraints[row->constraint]);
    if (!row->closes) mb_tangent_carried(sim, g->tangent, body, row->twist, r->psi);
    for (size_t k = 0; k < n; k++)
      if ((!rows->row[k].slips || rows->row[k].loaded) && !rows->row[k].idle)
        S[n * row->at + k] -= row->scale * by_row(g, row, rows->row[k].slot);
    S[(n + 1) * row->at] += row->scale * rows->row[row->at].slips;
  }
}

bool mb_rubbed_settled(MbSensitivity *g) {
  static const double NONE = 1e-6; // of what they would change if they did not cancel
  MbTied *t = g->tied;
  const size_t n = mb_tangent_rows(g->tangent)->n, nv = g->probe->nv;
  if (!rubbed(g) || !rubbed(g)->n) return true;
  for (size_t free = t->S.rank; free < n; free++) {
    double most = 0, sizes = 0;
    mb_ranked_null(&t->S, free, t->asked);
    for (size_t i = 0; i < nv; i++) {
      double sum = 0, size = 0;
      for (size_t k = 0; k < n; k++) {
        const double by = t->asked[k] * t->Y[nv * k + i];
        sum += by, size += fabs(by);
      }
      most = fmax(most, fabs(sum)), sizes = fmax(sizes, size);
    }
    if (most <= NONE * sizes) continue;
    g->parted = "joints rub under loads that are not unique";
    return false;
  }
  return true;
}

// ---- backwards ------------------------------------------------------------------------------------------------------

// Adds to `move` what a weighed force is felt by as the rubbing frame turns with its two bodies, while what the joint does keeps to the axes of the first; of a joint that closes a loop its
// rows turn too.
static void weigh_frame(MbSensitivity *g, const MbRubbedRow *row) {
  static const double MOVE = 1e-4; // rad, m: to either side
  MbSim *sim = g->probe;
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
        find_wrench(g, sim, mb_tangent_wrenches(g->tangent), sim->model, row->constraint, NULL, w);
        rubbed(g)->move[6 * b + along] +=
            side * row->weight / (2 * MOVE) * mb_slope_dot(row->slope.by_wrench, w, 6);
      }
    *E = here;
  }
}

void mb_rubbed_felt(MbSensitivity *g, double *eta) {
  MbRubbed *r = rubbed(g);
  if (!r) return;
  const size_t size = 6 * g->sim->model->nb * sizeof(double);
  memset(r->twist, 0, size), memset(r->move, 0, size);
  for (size_t i = 0; i < r->n; i++) {
    MbRubbedRow *row = &r->row[i];
    const MbConstraint *constraint = &g->sim->model->constraints[row->constraint];
    row->weight = -row->scale * eta[row->at];
    eta[row->at] = 0;
    for (size_t j = 0; j < 6 && !row->closes; j++)
      r->twist[6 * constraint->body[0] + j] += row->weight * row->twist[j];
    if (row->closes || ((const MbJointFriction *)constraint->parameters)->joint == MB_JOINT_UNIVERSAL)
      weigh_frame(g, row);
  }
}

// ---- numbers --------------------------------------------------------------------------------------------------------

// What a row's largest force is on a side of a number, where bodies of a simulation are and of what joints do to them.
static double value_on(MbSensitivity *g, const MbRubbedRow *row, const MbModel *side, MbSim *at,
                       const double *F) {
  const MbJointFriction *own = side->constraints[row->constraint].parameters;
  double force[MB_RUB_ROWS], w[6];
  forces_of(g, row->constraint, force);
  find_wrench(g, at, F, side, row->constraint, force, w);
  return mb_rub_value(own, row->row, &row->slope, w, force, rubbed(g)->loads + own->first);
}

// r->push ← what joints do to bodies on a side whose tangent has been asked for τ last, where its bodies are: less what rows of constraints push there.
static void find_wrenches_on(MbSensitivity *g, const MbSlope *slope, int s, const MbStageNote *note) {
  MbRubbed *r = rubbed(g);
  MbSim *side = mb_slope_side(slope, s);
  const MbModel *model = side->model;
  const MbTangentRows *rows = mb_tangent_rows(g->tangent);
  const MbRowSet *set = &side->constraining->set;
  mb_slope_tied_look(g, side);
  mb_tangent_rows_place(side, MB_TANGENT_ONCE, mb_axes_q(slope->axes, s, g->q1),
                        mb_axes_v(slope->axes, s, MB_AXES_FELT, note->from), g->tied->end);
  memset(r->push, 0, 6 * model->nb * sizeof *r->push);
  for (size_t k = 0; k < rows->n; k++) {
    const size_t slot = rows->row[k].slot;
    mb_row_push(set, slot, -mb_tangent_row_pushes(&rows->row[k], &set->row[slot]), r->push);
  }
  for (size_t b = model->nb; b-- > 0;) {
    const size_t parent = model->parent[b];
    double moved[6];
    if (parent == MB_WORLD) continue;
    mb_wrench_move(moved, &side->x.E[b], r->push + 6 * b, &side->x.E[parent]);
    for (size_t i = 0; i < 6; i++) r->push[6 * parent + i] += moved[i];
  }
  const double *F = mb_tangent_wrenches(slope->side[s]);
  for (size_t i = 0; i < 6 * model->nb; i++) r->push[i] += F[i];
}

// Of a number that turns the axes that bodies are told in, with each side's own bodies.
static double number_beside(MbSensitivity *g, size_t k, const MbStageNote *note) {
  const MbRubbed *r = rubbed(g);
  const MbSlope *slope = &g->slopes[k];
  double sum = 0;
  mb_slope_by_number(g, slope, note, note->from, g->number[k].move, g->rate);
  for (int s = 0; s < 2; s++) {
    MbSim *side = mb_slope_side(slope, s);
    find_wrenches_on(g, slope, s, note);
    for (size_t i = 0; i < r->n; i++)
      sum += (s ? 1 : -1) * r->row[i].weight * value_on(g, &r->row[i], side->model, side, r->push);
  }
  return sum / (2 * g->number[k].move);
}

double mb_rubbed_number(MbSensitivity *g, size_t k, const MbStageNote *note) {
  const MbRubbed *r = rubbed(g);
  const MbSlope *slope = &g->slopes[k];
  const double *F = mb_tangent_wrenches(g->tangent);
  double sum = 0;
  if (!r || !r->n) return 0;
  if (mb_tangent_number_jumps(slope->number)) return number_beside(g, k, note);
  for (size_t i = 0; i < r->n; i++) {
    const MbRubbedRow *row = &r->row[i];
    const MbJointFriction *own = g->sim->model->constraints[row->constraint].parameters;
    if (mb_tangent_number_ties(slope->number, row->constraint) ||
        (row->closes && mb_tangent_number_ties(slope->number, (size_t)own->closes)))
      sum += row->weight * (value_on(g, row, slope->more->model, g->probe, F) -
                            value_on(g, row, slope->less->model, g->probe, F));
  }
  return sum / (2 * g->number[k].move);
}

void mb_rubbed_tell(MbSensitivity *g, double t, int64_t step, MbReport *report) {
  MbRubbed *r = rubbed(g);
  if (!r || r->told || r->near == SIZE_MAX) return;
  r->told = true;
  mb_warning(report, "",
             "at t = %.9g s, step %lld: \"%s\" is about to be pressed from the other side: the derivative is "
             "that of the branch taken",
             t, (long long)step, g->sim->constraining->set.is[r->near].name);
}
