// The way back through steps of one solution under solver "maximal", whose state is every body's pose and velocities:
//
//   τ(q, v, a) = Jᵀ μ + Vᵀ f,     r = J v⁺ + γ g + s J̇ v = 0,     a = (v⁺ − v)/h,   q⁺ = q ⊕ h v⁺              (claims.c)
//
// τ being that of the bodies without joints, J, g and V the rows and coordinates of joints at the step's start (solvers/maximal/held.h), μ what rows push and
// f what acts along coordinates: − k (q − rest) − d q̇ and motors, and what implicit steps have beside,  − d (q̇⁺ − q̇) − h k q̇⁺. With w̄ what v⁺ is felt by,
//
//   A z = −h (w̄ + Jᵀ ζ),  J z = 0        by the solver's own factor of A and J, which is symmetric
//   q̄ = T₀ᵀ q̄⁺ + ∂(z · τ + S)/∂q,   v̄ = ∂(z · τ + S)/∂v − ∂(z · τ)/∂a /h,   S = ζ · r − μ · J z − f · V z
//
// S is a sum over joints, each of which is about two bodies (solvers/maximal/joint_felt.c). What becomes of velocities behind a step is in
// sensitivity_end.c.
#include "core/base/report.h"
#include "core/model/coordinates.h"
#include "core/sim/accounting.h"
#include "core/sim/evaluate.h"
#include "core/sim/sensitivity_held.h"
#include "core/sim/sensitivity_opened.h"

#include <math.h>
#include <string.h>

size_t mb_held_noted(const MbSensitivity *g) {
  return g->held ? g->held->nclaimed + g->sim->model->nloads : 0;
}

void mb_held_note(const MbSensitivity *g, double *noted) {
  const MbSim *sim = g->sim;
  const size_t n = g->held->nclaimed;
  memcpy(noted, sim->pull, n * sizeof *noted);
  if (sim->model->nslots)
    memcpy(noted + n, mb_section(sim, MB_SECTION_FORCES), sim->model->nslots * sizeof *noted);
  if (sim->model->nloads)
    memcpy(noted + n + sim->model->nslots, mb_section(sim, MB_SECTION_LOADS),
           sim->model->nloads * sizeof *noted);
}

// Bodies of the run's model where the step began, and A with the rows of joints factored there.
static bool factor(MbSensitivity *g, const MbStageNote *note, const double *q) {
  MbSim *sim = g->probe;
  const MbIntegrator *in = sim->integrator;
  const double h = sim->model->h;
  size_t blame = 0;
  mb_sim_kinematics(sim, q, note->from);
  sim->x.ahead = in->b != 0 ? h : 0; // as scheme_once.c has it
  if (in->a != 0)
    mb_sim_forces(sim, note->t, true);
  else
    mb_sim_signals(sim, note->t);
  sim->x.ahead = 0;
  if (sim->solver->factor(sim->work, &sim->x, in->a * h, in->b * h * h, false, &blame)) return true;
  if (in->a != 0) g->parted = "the step leaves out what would make it singular";
  return false;
}

bool mb_held_weights(MbHeldBack *held, MbSim *sim, double scale, double *z, double *zeta) {
  for (size_t i = 0; i < sim->nv; i++) z[i] *= -scale;
  memset(held->none, 0, held->nclaimed * sizeof *held->none);
  if (!sim->solver->apply(sim->work, z, held->none, zeta)) return false;
  for (size_t r = 0; r < held->nclaimed; r++) zeta[r] /= -scale;
  return true;
}

// The bodies without joints at the step's start, with its forces and accelerations.
static void take_tangent(MbSensitivity *f, const MbHeldBack *held, const MbStageNote *note) {
  MbSim *sim = f->probe;
  mb_sim_kinematics(sim, f->q, note->from);
  if (held->linear) mb_tangent_linear_blocks(sim, f->tangent, note->t);
  mb_tangent_to(f->tangent, note->w);
  mb_tangent_at(sim, f->tangent, note->from, f->a, note->t, NULL);
}

static void note_motion(MbSensitivity *f, const MbStageNote *note, const MbTurn *turn) {
  const double h = f->sim->model->h;
  memcpy(f->q, turn->q, f->sim->nq * sizeof *f->q);
  memcpy(f->q1, turn->q, f->sim->nq * sizeof *f->q1);
  for (size_t i = 0; i < f->sim->nv; i++) {
    f->step[i] = h * note->w[i];
    f->a[i] = (note->w[i] - note->from[i]) / h;
  }
  f->end = turn->q1;
}

static bool numbers_back(MbBackward *b, const MbStageNote *note, const double *q, const double *z) {
  MbSensitivity *g = b->g, *f = &g->held->free;
  mb_tangent_gather(b->gather, f->probe, f->tangent, note->from, f->a, note->t, z);
  mb_slope_end_gather(f, b->gather, note);
  mb_held_numbers_gather(g, g->held->rows);
  mb_held_rotors_gather(g, b->gather);
  for (size_t i = 0; i < b->nrest; i++)
    if (!mb_held_number_back(g, b->rest[i], note, q, z, &b->out[b->rest[i]])) return false;
  for (size_t k = 0; k < g->count; k++) b->out[k] += mb_held_rubbed_number(g, k);
  return true;
}

// Whether a step's rows are asked for the curve that they are met on as a whole (claims.c): else by how fast bodies spin, too.
static bool spins_slowly(const MbSim *sim) { return sim->model->h * mb_spin(&sim->x) <= 1; }

// Rows at a step's start, where A is factored, and what joints push. False: A has no inverse.
static bool stand(MbSensitivity *g, const MbTurn *turn) {
  const MbStageNote *note = &turn->note[0];
  if (!factor(g, note, turn->q)) return false;
  g->probe->half_way = g->held->free.sim->model->any_flies ? g->probe->model->h / 2 : 0;
  if (!spins_slowly(g->probe)) {
    g->parted = "a body turns by more than a radian in the step";
    return false;
  }
  memcpy(g->held->lambda, note->impulse, g->held->nclaimed * sizeof(double));
  return mb_held_rows_at(g, turn, g->held->lambda);
}

// The equations of a step of one solution.
static MbHeldWeighed equations_of(const MbSensitivity *g) {
  const MbIntegrator *in = g->sim->integrator;
  const MbModel *model = g->sim->model;
  return (MbHeldWeighed){.zeta = g->held->zeta,
                         .mu = g->held->lambda,
                         .asked = 1,
                         .gap = model->gamma,
                         .curve = model->any_flies ? model->h / 2 : 0,
                         .forces = true,
                         .damping = in->a,
                         .stiffness = in->b * model->h};
}

void mb_held_look(MbSensitivity *g) {
  MbHeldBack *held = g->held;
  const MbSim *sim = g->sim;
  if (!held || held->stages || held->halves || !held->rows || !mb_slope_looks(g, sim->state.step)) return;
  MbTurn turn = {.q = g->before.q,
                 .guess = g->before.memory + sim->section[MB_SECTION_CLOSURES],
                 .t = sim->state.t,
                 .step = sim->state.step};
  turn.note[0] = (MbStageNote){.gamma = 1,
                               .t = g->before.t + sim->integrator->instant * sim->model->h,
                               .from = g->before.v,
                               .w = sim->state.v,
                               .impulse = held->noted};
  mb_held_note(g, held->noted);
  turn.q1 = sim->state.q;
  note_motion(&held->free, &turn.note[0], &turn);
  take_tangent(&held->free, held, &turn.note[0]);
  if (!stand(g, &turn)) return;
  held->of = equations_of(g);
  mb_held_move(g, turn.note[0].w);
  mb_held_opens(g, turn.q);
}

bool mb_held_back(MbBackward *b, const MbTurn *turn) {
  MbSensitivity *g = b->g, *f = &g->held->free;
  const MbStageNote *note = &turn->note[0];
  const size_t nv = f->sim->nv;
  const double h = f->sim->model->h;
  double *from = f->number_own;
  g->parted = NULL;
  note_motion(f, note, turn);
  take_tangent(f, g->held, note);
  memset(from, 0, nv * sizeof *from);
  if (mb_slope_ends(f->sim->model)) mb_slope_end_back(f, note, b->q, b->v, from);
  mb_tangent_moved_transposed(f->sim, f->step, b->q, f->move, b->dv);
  for (size_t i = 0; i < nv; i++) b->z[i] = b->v[i] + h * b->dv[i];
  if (!stand(g, turn)) return false;
  if (g->held->rows) mb_held_rows_weigh(g->held->rows, b->z);
  mb_held_rubbed_felt(g);
  if (!mb_held_weights(g->held, g->probe, h, b->z, g->held->zeta)) return false;
  const double *z = mb_held_rubbed_weigh(g, b->z);
  mb_tangent_transposed(f->probe, f->tangent, z, b->dq, b->dv, b->da);
  for (size_t i = 0; i < nv; i++) {
    b->q[i] = f->move[i] + b->dq[i];
    b->v[i] = from[i] + b->dv[i] - b->da[i] / h;
  }
  for (size_t r = 0; r < g->held->nclaimed; r++) g->held->lambda[r] /= h;
  g->held->of = equations_of(g);
  mb_held_move(g, note->w), mb_held_coordinates(g, note->w);
  mb_held_rotors_at(g);
  if (!mb_held_joints_back(g, g->held->rows, turn->q, b->z, b->q, b->v)) return false;
  mb_held_kept_back(g, b->q);
  if (!numbers_back(b, note, turn->q, z)) return false;
  if (mb_slope_looks(g, turn->step)) mb_held_opens(g, turn->q);
  return true;
}
