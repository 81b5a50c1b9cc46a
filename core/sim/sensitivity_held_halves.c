// The way back through steps of the midpoint rule under solver "maximal", pass by pass as the program makes them (scheme_halves.c). With s = h/2 pass k takes velocities w, of
// which the first are v, to w′ = w + z at q_k = q ⊕ s w, by rows that are to close the gaps where w leads, at q_e = q ⊕ h w:
//
//   τ(q_k, w, w′, (w′ − v)/s) = Jᵀ μ + Vᵀ (F − d V z − s k V z),   J z + g(q_e)/h = 0                     at q_k but for g
//
// τ being that of the bodies without joints with what forces have beside them by K and D (tangent_linear.c). In the end velocities w_e = 2 w − v become those that agree with the rows at q⁺ = q ⊕ h w, as A
// there measures, with K, D, k and d of the last pass (sensitivity_agree.c):
//
//   A x = Jᵀ ν,   J v⁺ = 0,   x = v⁺ − w_e
//
// Backwards  A Z = −s (w̄′ + Jᵀ ζ),  J Z = 0  by the solver's factor, and with the sum S over joints (joint_felt.c), whose twists to come are z,
//
//   w̄ = ∂(Z · τ + S)/∂w − ∂S/∂z + s Tᵀ q̄_k + h Tᵀ q̄_e,   q̄ += T₀ᵀ q̄_k + T₀ᵀ q̄_e,   q̄_e = Jᵀ ζ/h,   v̄ −= (∂τ/∂a)ᵀ Z/s
//
// and of the end  w̄_e = v̄⁺ + Jᵀ ζ,  as A is symmetric. Rows of constraints are beside these in both (sensitivity_held_half_rows.c); where there are some, velocities that the run begins with are made to agree in the same way, by M alone. A step in which something is struck is passes of one stage over all
// of it: s = h in these, v⁺ from w_e = w.
#include "core/base/report.h"
#include "core/model/coordinates.h"
#include "core/sim/evaluate.h"
#include "core/sim/layout.h"
#include "core/sim/sensitivity_held.h"
#include "core/sim/tangent_number_parts.h"

#include <string.h>

struct MbHeldHalves {
  MbSim *measure;                      // where a pass leads, and at the step's end with A factored
  MbJointSlopes *slopes, *end;         // (nb) of where the probe is, and of there
  double *plus;                        // (nb x 6) what velocities to come are felt by
  double *z, *from, *still, *step, *y; // (nv)
  double *q;                           // (nq) of the measure
  double *dq, *dv, *w;                 // (nv)
  double *by_q, *by_w;                 // (nv) what the last pass is felt by through K and D at the end
  bool felt;                           // it is
  double *motion, *Z, *by_move, *by_phi, *turned[2]; // (nb x 6)
  double *own, *rate;                                // (model's nv)
  double *last_q, *last_v; // (model's nq), (model's nv) coordinates in the last pass
};

// From now on forces act for that span of time in a pass.
static void take_span(MbSensitivity *g, double span) {
  g->span = span;
  mb_slope_pass_span(&g->held->free, span);
}

MbStatus mb_held_halves_make(MbSensitivity *g, MbReport *report) {
  const MbSim *sim = g->sim;
  const size_t nb = sim->model->nb;
  MbArena *arena = &g->arena;
  MbHeldHalves *t = g->held->halves = mb_arena_alloc(arena, 1, sizeof *t);
  if (!t) return mb_no_memory(report, "derivatives");
  const MbStatus status = mb_held_beside(sim->model, &t->measure, report);
  if (status != MB_OK) return status;
  g->span = g->held->free.span = sim->model->h / 2;
  double **const lists[] = {&t->plus, &t->z,       &t->from,   &t->still,     &t->step,     &t->y,
                            &t->dq,   &t->dv,      &t->w,      &t->by_q,      &t->by_w,     &t->motion,
                            &t->Z,    &t->by_move, &t->by_phi, &t->turned[0], &t->turned[1]};
  bool ok = true;
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
    ok &= (*lists[i] = mb_arena_alloc(arena, 6 * nb + 1, sizeof(double))) != NULL;
  t->q = mb_arena_alloc(arena, sim->nq, sizeof *t->q);
  t->own = mb_arena_alloc(arena, sim->model->nv + 1, sizeof *t->own);
  t->rate = mb_arena_alloc(arena, sim->model->nv + 1, sizeof *t->rate);
  t->last_q = mb_arena_alloc(arena, sim->model->nq + 1, sizeof *t->last_q);
  t->last_v = mb_arena_alloc(arena, sim->model->nv + 1, sizeof *t->last_v);
  t->slopes = mb_arena_alloc(arena, nb + 1, sizeof *t->slopes);
  t->end = mb_arena_alloc(arena, nb + 1, sizeof *t->end);
  ok = ok && t->q && t->own && t->rate && t->last_q && t->last_v && t->slopes && t->end &&
       mb_held_half_rows_make(g, t->measure);
  return ok ? MB_OK : mb_no_memory(report, "derivatives");
}

void mb_held_halves_free(MbSensitivity *g) {
  if (g->held->halves) mb_sim_free(g->held->halves->measure);
}

// ---- places -------------------------------------------------------------------------------------------------------------

// Takes a simulation to coordinates q moved by `reach` seconds of w, with velocities v.
static void go(MbSim *sim, const double *q, double reach, const double *w, const double *v, double *to) {
  memcpy(to, q, sim->nq * sizeof *q);
  mb_sim_advance(sim, to, reach, w);
  mb_sim_kinematics(sim, to, v);
}

// From now on sums are about joints there.
static void look_at(MbHeldBack *held, MbSim *here, MbJointSlopes *slopes) {
  held->here = here, held->slopes = slopes;
}

static bool factor(MbSensitivity *g, MbSim *sim, double s) {
  size_t blame = 0;
  if (sim->solver->factor(sim->work, &sim->x, s, s * s, s == 0, &blame)) return true;
  g->parted = "the step leaves out what would make it singular";
  return false;
}

// ---- a pass ---------------------------------------------------------------------------------------------------------------

// What constraints push that are held with the joints.
static void share(MbHeldRows *r, const double *lambda) {
  for (size_t k = 0; r && k < r->n; k++)
    if (r->row[k].tied == SIZE_MAX) r->row[k].mu = lambda[r->row[k].claimed];
}

// μ of a pass: the solution that has made z.
static bool find_pushes(MbSensitivity *g, const MbTurn *turn, const MbStageNote *pass) {
  MbHeldBack *held = g->held;
  MbHeldHalves *t = held->halves;
  MbSim *sim = g->probe;
  const size_t nv = sim->nv;
  const double s = g->span, *v = turn->noted;
  for (size_t i = 0; i < nv; i++) t->y[i] = v[i] - pass->from[i];
  sim->solver->momentum(sim->work, t->y, t->w);
  mb_sim_gather(sim, sim->q1, pass->from, t->y);
  for (size_t i = 0; i < nv; i++) t->w[i] += s * t->y[i];
  if (!mb_held_half_rows_at(g, turn, pass, t->w)) return false;
  sim->solver->claims->speeds(sim->work, t->z, held->zeta);
  if (!sim->solver->apply(sim->work, t->w, held->zeta, held->lambda)) return false;
  for (size_t r = 0; r < held->nclaimed; r++) held->lambda[r] /= s;
  share(held->rows, held->lambda);
  return true;
}

// The bodies without joints in a pass.
static void take_tangent(MbSensitivity *g, const double *v, const MbStageNote *pass) {
  MbHeldBack *held = g->held;
  MbSensitivity *f = &held->free;
  for (size_t i = 0; i < f->sim->nv; i++) f->a[i] = (pass->w[i] - v[i]) / g->span;
  memcpy(f->q1, g->probe->q1, f->sim->nq * sizeof *f->q1);
  mb_sim_kinematics(f->probe, f->q1, pass->from);
  if (held->linear) mb_tangent_linear_blocks(f->probe, f->tangent, pass->t);
  mb_tangent_to(f->tangent, pass->w);
  mb_tangent_at(f->probe, f->tangent, pass->from, f->a, pass->t, NULL);
}

static bool stand(MbSensitivity *g, const MbTurn *turn, const MbStageNote *pass) {
  MbHeldBack *held = g->held;
  MbHeldHalves *t = held->halves;
  MbSim *sim = g->probe;
  const double h = sim->model->h;
  for (size_t i = 0; i < sim->nv; i++) t->z[i] = pass->w[i] - pass->from[i];
  go(sim, turn->q, g->span, pass->from, pass->from, sim->q1);
  mb_sim_forces(sim, pass->t, true);
  if (!factor(g, sim, g->span) || !find_pushes(g, turn, pass)) return false;
  go(t->measure, turn->q, h, pass->from, pass->from, t->q);
  mb_held_half_rows_lead(g, turn, pass);
  if (!mb_held_find_slopes(held, sim, sim->q1, false, t->slopes) ||
      !mb_held_find_slopes(held, t->measure, t->q, true, t->end))
    return false;
  look_at(held, sim, t->slopes);
  if (!mb_held_rotors_turns(g, sim->q1)) return false;
  take_tangent(g, turn->noted, pass);
  return true;
}

// Adds what z is felt by to w̄, `times`.
static void add_plus(const MbHeldBack *held, double times, double *w) {
  const MbSim *sim = held->here;
  for (size_t b = 0; b < sim->model->nb; b++) {
    double by[6];
    mb_velocity_of_twist(&sim->x.E[b], held->halves->plus + 6 * b, by);
    for (size_t i = 0; i < 6; i++) w[6 * b + i] += times * by[i];
  }
}

// Takes what is felt at a place that is `reach` seconds of w from q to q̄ and w̄.
static void give(MbSensitivity *g, double reach, const double *w, const double *felt, double *q,
                 double *by_w) {
  MbHeldHalves *t = g->held->halves;
  const size_t nv = g->probe->nv;
  for (size_t i = 0; i < nv; i++) t->step[i] = reach * w[i];
  mb_tangent_moved_transposed(g->held->free.sim, t->step, felt, t->still, t->y);
  for (size_t i = 0; i < nv; i++) q[i] += t->still[i], by_w[i] += reach * t->y[i];
}

static bool numbers_here(MbBackward *b, const MbHeldRows *rows, const double *q, double t) {
  MbSensitivity *g = b->g;
  if (rows) mb_held_numbers_gather(g, rows);
  for (size_t i = 0; i < b->nrest; i++) {
    const size_t k = b->rest[i];
    double joints = 0;
    const bool fine =
        rows ? mb_held_number_sums(g, rows, k, t, q, &joints) : mb_held_joints_number(g, k, t, q, &joints);
    if (!fine || !mb_held_rotors_number(g, k, q, &joints)) return false;
    b->out[k] += joints / (2 * g->number[k].move);
  }
  return true;
}

// By the equations of motion at q_k.
static bool back_at_middle(MbBackward *b, const MbStageNote *pass) {
  MbSensitivity *g = b->g, *f = &g->held->free;
  MbHeldBack *held = g->held;
  MbHeldHalves *t = held->halves;
  mb_tangent_transposed(f->probe, f->tangent, b->z, t->dq, t->dv, b->da);
  look_at(held, g->probe, t->slopes);
  memset(t->plus, 0, 6 * g->probe->model->nb * sizeof *t->plus);
  held->of = (MbHeldWeighed){.zeta = held->zeta,
                             .mu = held->lambda,
                             .asked = 1,
                             .forces = true,
                             .damping = 1,
                             .stiffness = g->span,
                             .change = true,
                             .plus = t->plus};
  mb_held_move(g, t->z), mb_held_coordinates(g, t->z);
  mb_held_rotors_stage(g, f->a, true);
  if (!mb_held_joints_back(g, held->rows, g->probe->q1, b->z, t->dq, t->dv)) return false;
  mb_held_rotors_felt(g, b->da);
  mb_held_half_rows_begun(g);
  add_plus(held, -1, t->dv);
  mb_tangent_gather(b->gather, f->probe, f->tangent, pass->from, f->a, pass->t, b->z);
  for (size_t i = 0; i < b->nrest; i++)
    b->out[b->rest[i]] += mb_held_number_bodies(g, b->rest[i], pass, pass->from, b->z);
  return numbers_here(b, held->rows, g->probe->q1, pass->t);
}

// By the gaps where w leads.
static bool back_at_gaps(MbBackward *b, double t_end) {
  MbSensitivity *g = b->g;
  MbHeldBack *held = g->held;
  MbHeldHalves *t = held->halves;
  const size_t size = g->probe->nv * sizeof *t->w;
  look_at(held, t->measure, t->end);
  held->of = (MbHeldWeighed){.zeta = held->zeta, .mu = held->none, .gap = 1 / g->probe->model->h};
  memset(held->none, 0, held->nclaimed * sizeof *held->none);
  memset(t->w, 0, size), memset(t->step, 0, size);
  mb_held_move(g, t->step), mb_held_rotors_stage(g, NULL, false);
  for (size_t k = 0; held->gaps && k < held->gaps->ntied; k++) held->gaps->asked[k] = held->rows->asked[k];
  return mb_held_joints_back(g, held->gaps, t->q, b->z, t->w, t->step) &&
         numbers_here(b, held->gaps, t->q, t_end);
}

// Of w̄′ in b->w: b->w ← w̄, with q̄ and v̄ added to.
static bool pass_back(MbBackward *b, const MbTurn *turn, const MbStageNote *pass) {
  MbSensitivity *g = b->g;
  MbHeldBack *held = g->held;
  MbHeldHalves *t = held->halves;
  const size_t nv = g->probe->nv;
  const double h = g->probe->model->h, s = g->span;
  if (!stand(g, turn, pass)) return false;
  memcpy(b->z, b->w, nv * sizeof *b->z);
  if (held->rows) mb_held_rows_weigh(held->rows, b->z);
  if (!mb_held_weights(held, g->probe, s, b->z, held->zeta) || !back_at_middle(b, pass)) return false;
  for (size_t i = 0; i < nv && t->felt; i++) t->dq[i] += t->by_q[i], t->dv[i] += t->by_w[i];
  t->felt = false;
  memcpy(b->w, t->dv, nv * sizeof *b->w);
  for (size_t i = 0; i < nv; i++) b->v[i] -= b->da[i] / s;
  give(g, s, pass->from, t->dq, b->q, b->w);
  if (!back_at_gaps(b, turn->t)) return false;
  memcpy(t->dq, t->w, nv * sizeof *t->dq);
  give(g, h, pass->from, t->dq, b->q, b->w);
  return true;
}

// ---- the end ----------------------------------------------------------------------------------------------------------------

// Takes a simulation to the last pass with its K and D.
static void go_to_last_pass(MbSim *sim, const MbStageNote *last, const double *q, double span, double *to) {
  go(sim, q, span, last->from, last->from, to);
  mb_sim_forces(sim, last->t, true);
}

// Velocities that are made to agree: at a step's end, or where the run begins.
typedef struct End {
  const MbTurn *turn;
  const MbStageNote *last; // the last pass, of which A has K and D; NULL: the run begins, and A is M
  const double *to;        // (nv) v⁺
  const double *pushed;    // (nslots) rows of one way that have pushed for it; NULL: none has
  double t;
} End;

// A there, the bodies' velocities being x; ν. False: it has no inverse.
static bool stand_at_end(MbSensitivity *g, const End *end) {
  MbHeldBack *held = g->held;
  MbHeldHalves *t = held->halves;
  MbSim *sim = t->measure;
  const MbTurn *turn = end->turn;
  const size_t nv = sim->nv;
  const double h = sim->model->h, s = end->last ? h / 2 : 0;
  if (end->last) {
    go_to_last_pass(sim, end->last, turn->q, g->span, t->q);
    look_at(held, sim, NULL);
    mb_held_coordinates(g, end->last->from); // d and k
    memcpy(t->last_q, sim->x.q, sim->model->nq * sizeof *t->last_q);
    memcpy(t->last_v, sim->x.v, sim->model->nv * sizeof *t->last_v);
    go(sim, turn->q, h, end->last->w, t->z, t->q);
  } else {
    memcpy(t->q, turn->q, sim->nq * sizeof *t->q);
    mb_sim_kinematics(sim, t->q, t->z);
  }
  if (!factor(g, sim, s) || !mb_held_find_slopes(held, sim, t->q, false, t->slopes)) return false;
  memset(t->w, 0, nv * sizeof *t->w);
  if (!mb_held_half_rows_end(g, t->q, end->t, turn->guess, end->pushed, t->z, t->w)) return false;
  sim->solver->claims->speeds(sim->work, t->z, held->zeta);
  return sim->solver->apply(sim->work, t->w, held->zeta, held->lambda);
}

// By A's share of forces, where bodies turn it: q̄ += what it is felt by.
static void back_of_blocks(MbSensitivity *g, const MbTurn *turn, const MbStageNote *last, const double *z,
                           double *q) {
  MbHeldBack *held = g->held;
  MbHeldHalves *t = held->halves;
  MbSensitivity *f = &held->free;
  const size_t nv = g->probe->nv;
  if (!held->linear) return;
  go(g->probe, turn->q, g->span, last->from, last->from, g->probe->q1);
  mb_sim_kinematics(f->probe, g->probe->q1, last->from);
  mb_tangent_linear_blocks(f->probe, f->tangent, last->t);
  memset(t->still, 0, nv * sizeof *t->still);
  mb_sim_kinematics(f->probe, t->q, t->still);
  mb_slope_pass_span(f, g->probe->model->h / 2);
  for (size_t i = 0; i < nv; i++) f->a[i] = t->z[i] / f->span;
  mb_tangent_agree_at(f->probe, f->tangent, f->a, turn->v1, true);
  mb_tangent_transposed(f->probe, f->tangent, z, t->dq, t->dv, t->w);
  mb_tangent_weights(f->probe, f->tangent, t->Z);
  memcpy(t->motion, t->measure->x.phi, nv * sizeof *t->motion);
  for (size_t i = 0; i < nv; i++) q[i] += t->dq[i];
}

// What the last pass is felt by through K and D.
static void find_felt(MbSensitivity *g, const MbStageNote *last) {
  MbHeldBack *held = g->held;
  MbHeldHalves *t = held->halves;
  MbSensitivity *f = &held->free;
  const size_t size = g->probe->nv * sizeof *t->by_q;
  if (!held->linear) return;
  memset(t->by_q, 0, size), memset(t->by_w, 0, size);
  mb_sim_kinematics(f->probe, g->probe->q1, last->from);
  mb_sim_signals(f->probe, last->t);
  mb_tangent_motion(f->probe, f->tangent, last->from);
  mb_tangent_blocks_weigh(f->probe, f->tangent, t->motion, t->Z, t->by_move, t->by_phi);
  mb_tangent_weigh(f->probe, f->tangent, t->by_move, t->by_phi, t->by_q, t->by_w);
  t->felt = true;
}

// What a number changes of Z · e by K and D, in the axes that each side has.
static double of_blocks(MbSensitivity *g, size_t k, const MbStageNote *last) {
  MbHeldBack *held = g->held;
  MbHeldHalves *t = held->halves;
  const MbSlope *slope = &held->free.slopes[k];
  const size_t size = g->probe->nv;
  double sum = 0;
  if (!held->linear) return 0;
  for (int i = 0; i < 2; i++) {
    MbSim *side = mb_slope_side(slope, i);
    mb_sim_kinematics(side, mb_axes_q(slope->axes, i, g->probe->q1),
                      mb_axes_v(slope->axes, i, MB_AXES_FELT, last->from));
    mb_tangent_linear_blocks(side, slope->side[i], last->t);
    memcpy(t->turned[0], t->motion, size * sizeof(double)), memcpy(t->turned[1], t->Z, size * sizeof(double));
    mb_axes_twists(slope->axes, i, t->turned[0]), mb_axes_twists(slope->axes, i, t->turned[1]);
    mb_tangent_blocks_wrenches(side, slope->side[i], t->turned[0], t->by_move);
    sum += (i ? 1 : -1) * mb_slope_dot(t->turned[1], t->by_move, size);
  }
  return sum;
}

// What it changes of  Z · M x/s,  and of what A has of coordinates' own, if it has that.
static double of_inertia(const MbSensitivity *g, size_t k, const double *z, bool own) {
  MbHeldBack *held = g->held;
  MbHeldHalves *t = held->halves;
  const MbSlope *slope = &g->slopes[k];
  const MbModel *model = g->probe->model;
  const double s = model->h / 2;
  const MbTangentNumber *of = held->number[k].of;
  const size_t n = slope->axes ? model->nb : of->nmasses;
  double sum = 0;
  for (int i = 0; i < 2 && n; i++) {
    const double *M = mb_slope_side(slope, i)->model->M, *x = mb_axes_v(slope->axes, i, MB_AXES_FROM, t->z),
                 *to = mb_axes_v(slope->axes, i, MB_AXES_TO, z);
    for (size_t l = 0; l < n; l++) {
      const size_t b = slope->axes ? l : of->mass[l];
      for (size_t j = 6 * b; j < 6 * b + 6; j++) sum += (i ? 1 : -1) * M[j] * x[j] / s * to[j];
    }
  }
  if (!own || !mb_tangent_number_along(of)) return sum;
  for (size_t i = 0; i < model->nv; i++) t->rate[i] = s * t->measure->x.v[i];
  mb_tangent_number_own(t->measure, of, t->last_q, t->last_v, t->measure->x.v, t->rate, t->own);
  return sum + mb_slope_dot(held->rate_z, t->own, model->nv);
}

// What agrees, as sums over joints and constraints.
static void take_end(MbSensitivity *g, const End *end) {
  MbHeldBack *held = g->held;
  MbHeldHalves *t = held->halves;
  const double s = g->probe->model->h / 2, own = end->last ? 1 : 0;
  look_at(held, t->measure, t->slopes);
  memset(t->plus, 0, g->probe->nv * sizeof *t->plus);
  held->of = (MbHeldWeighed){.zeta = held->zeta,
                             .mu = held->lambda,
                             .asked = 1,
                             .damping = own,
                             .stiffness = own * s,
                             .own = end->last != NULL,
                             .moves = held->rotors != NULL,
                             .plus = t->plus};
  mb_held_move(g, end->to);
  held->here->solver->map->rates(held->here->work, held->here->model, end->to, held->rate_plus);
  for (size_t i = 0; i < g->probe->nv; i++) t->y[i] = t->z[i] / s;
  mb_held_rotors_stage(g, t->y, false);
}

// Of v̄⁺ in b->v and q̄⁺, velocities being changed by t->z: b->w ← w̄_e.
static bool agree_back(MbBackward *b, const End *end) {
  MbSensitivity *g = b->g;
  MbHeldBack *held = g->held;
  MbHeldHalves *t = held->halves;
  const size_t nv = g->probe->nv;
  const double s = g->probe->model->h / 2;
  if (!stand_at_end(g, end)) return false;
  for (size_t r = 0; r < held->nclaimed; r++) held->lambda[r] /= s;
  share(held->end, held->lambda);
  memcpy(b->z, b->v, nv * sizeof *b->z);
  if (held->end) mb_held_rows_weigh(held->end, b->z);
  if (!mb_held_weights(held, t->measure, s, b->z, held->zeta)) return false;
  if (end->last) back_of_blocks(g, end->turn, end->last, b->z, b->q);
  take_end(g, end);
  if (!mb_held_joints_back(g, held->end, t->q, b->z, b->q, t->dv)) return false;
  memcpy(b->w, b->v, nv * sizeof *b->w);
  add_plus(held, 1, b->w);
  if (!numbers_here(b, held->end, t->q, end->t)) return false;
  for (size_t k = 0; k < g->count; k++)
    b->out[k] += of_inertia(g, k, b->z, end->last != NULL) / (2 * g->number[k].move);
  for (size_t k = 0; k < g->count && end->last; k++)
    b->out[k] -= of_blocks(g, k, end->last) / (2 * g->number[k].move);
  if (end->last) find_felt(g, end->last);
  return true;
}

bool mb_held_halves_start_back(MbBackward *b, const double *q, const double *v, const MbTurn *turn) {
  MbSensitivity *g = b->g;
  MbHeldHalves *t = g->held->halves;
  const size_t nv = g->probe->nv;
  MbTurn start = *turn;
  if (!g->held->rows) return true;
  start.q = (double *)q;
  for (size_t i = 0; i < nv; i++) t->z[i] = turn->noted[i] - v[i];
  if (!agree_back(b, &(End){.turn = &start, .to = turn->noted})) return false;
  memcpy(b->v, b->w, nv * sizeof *b->v);
  return true;
}

// The step's end: b->v and b->w ← what velocities at its start and the last of its passes are felt by.
static bool end_back(MbBackward *b, const MbTurn *turn, const MbStageNote *last) {
  MbSensitivity *g = b->g;
  MbHeldHalves *t = g->held->halves;
  const MbHalfNotes notes = mb_half_notes(g->sim, turn->noted);
  const size_t nv = g->probe->nv;
  const double h = g->probe->model->h, mean = *notes.blow != 0 ? 1 : 2;
  for (size_t i = 0; i < nv; i++) t->z[i] = turn->v1[i] - (mean * last->w[i] + (1 - mean) * turn->noted[i]);
  const End end = {.turn = turn, .last = last, .to = turn->v1, .pushed = notes.agreed, .t = turn->t};
  if (!agree_back(b, &end)) return false;
  for (size_t i = 0; i < nv; i++) t->dv[i] = mean * b->w[i], b->v[i] = (1 - mean) * b->w[i];
  memcpy(t->dq, b->q, nv * sizeof *t->dq);
  memset(b->q, 0, nv * sizeof *b->q);
  give(g, h, last->w, t->dq, b->q, t->dv);
  memcpy(b->w, t->dv, nv * sizeof *b->w);
  return true;
}

bool mb_held_halves_back(MbBackward *b, const MbTurn *turn) {
  MbSensitivity *g = b->g;
  MbHeldBack *held = g->held;
  const size_t nv = g->probe->nv;
  const double h = g->probe->model->h;
  const int passes = mb_slope_halves_count(g->sim, turn->noted);
  take_span(g, *mb_half_notes(g->sim, turn->noted).blow != 0 ? h : h / 2);
  MbStageNote pass = mb_slope_halves_pass(g, turn->noted, passes - 1, turn->begin);
  g->parted = NULL, held->halves->felt = false;
  if (held->rows) held->rows->near = SIZE_MAX;
  memset(held->begun, 0, g->sim->model->nv * sizeof *held->begun);
  bool done = end_back(b, turn, &pass);
  take_span(g, g->span);
  for (int k = passes - 1; k >= 0 && done; k--) {
    pass = mb_slope_halves_pass(g, turn->noted, k, turn->begin);
    done = pass_back(b, turn, &pass);
  }
  for (size_t i = 0; i < nv; i++) b->v[i] += b->w[i];
  done = done && mb_held_half_rows_begin_back(b, turn);
  look_at(held, g->probe, NULL);
  return done;
}
