// Derivatives of steps that are one linear solution, of integrators symplectic and implicit on trees and bodies free in space:
//
//   τ(q, v, a; p) + d y + h k v⁺ = 0,   a = y/h,  y = v⁺ − v,   q⁺ = q ⊕ h v⁺
//
// with τ at the step's start, all of its forces there, and d and k what acts along the coordinates in proportion to rates and places, of springs, dampers, motors
// and stops of joints; under symplectic there is neither. They do not change with q and v but where a motor comes to its most or a stop begins: the branch taken.
// With A = M + h d + h² k, which the solver has factored,
//
//   dv⁺ = −h A⁻¹ ( ∂τ/∂q δq + ∂τ/∂v δv − ∂τ/∂a δv/h − d δv + ∂τ/∂p + ∂d/∂p y + h ∂k/∂p v⁺ )
//
// and backwards  z = −h A⁻¹ (v̄⁺ + h Tᵀ q̄⁺),  q̄ = T₀ᵀ q̄⁺ + (∂τ/∂q)ᵀ z,  v̄ = (∂τ/∂v)ᵀ z − (∂τ/∂a)ᵀ z/h − d z.
//
// What implicit steps have of forces on bodies beside f is a part of τ (tangent_linear.c): of trees D (v⁺ − v) + h K v⁺ with A's means of K and D in what v⁺ has. What K and D
// hold of v⁺ is A's, and how they change is in the derivatives of τ. Where A was made without all of K the step is differentiated as a whole. Rows
// are a border of A, with what they push among the forces of τ (sensitivity_tied.c); what becomes of v⁺ and q⁺ behind the step, of bodies that fly and of coordinates that are exchanged
// for others, is in sensitivity_end.c.
#include "core/base/report.h"
#include "core/model/coordinates.h"
#include "core/sim/evaluate.h"
#include "core/sim/schemes.h"
#include "core/sim/sensitivity_met.h"
#include "core/solvers/keep.h"

#include <string.h>

const char *mb_slope_once_refuse(const MbModel *model) {
  if (model->solver.mode != MB_DYNAMIC) return "there are exact ones of mode \"dynamic\" alone";
  const char *why = mb_slope_tied_refuse(model);
  return why || model->integrator.kind != MB_IMPLICIT ? why : mb_tangent_linear_refuses(model);
}

bool mb_slope_once_make(MbSensitivity *g) {
  if (!g->once) return true;
  const size_t nv = g->sim->nv;
  double **const lists[] = {&g->first.from, &g->first.w,    &g->damping,
                            &g->stiffness,  &g->number_own, &g->spun};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
    if (!(*lists[i] = mb_arena_alloc(&g->arena, nv, sizeof(double)))) return false;
  if (!(g->moved = mb_arena_alloc(&g->arena, g->sim->nq, sizeof(double)))) return false;
  if (!g->halves) return true;
  g->span = g->sim->model->h / 2;
  return mb_slope_turned_make(g) &&
         (g->noted = mb_arena_alloc(&g->arena, mb_half_notes_numbers(g->sim), sizeof(double))) != NULL;
}

double mb_slope_once_time(const MbSim *sim) {
  return sim->state.t + sim->integrator->instant * sim->model->h;
}

// Whether forces act on bodies that a step linearises: the swing of one that flies is none.
static bool pulled(const MbModel *model) {
  bool any = false;
  for (size_t i = 0; i < model->nforces; i++) any |= !model->forces[i].ops->inertial;
  return any;
}

MbTangentTerms mb_slope_once_terms(bool whole, double h) {
  return whole ? (MbTangentTerms){{1, -2}, {1, 0}, {h, 0}, {h, 0}}
               : (MbTangentTerms){{1, -1}, {1, -1}, {h, h}, {h, -h}};
}

// A pass has its change of velocities alone.
MbTangentTerms mb_slope_pass_terms(double span) {
  return (MbTangentTerms){{1, -1}, {1, -1}, {span, -span}, {span, -span}};
}

void mb_slope_pass_span(MbSensitivity *g, double span) {
  const MbTangentTerms of = mb_slope_pass_terms(span);
  g->span = span;
  mb_tangent_terms(g->tangent, &of);
  for (size_t k = 0; k < g->count; k++)
    for (int s = 0; s < 2; s++) mb_tangent_terms(g->slopes[k].side[s], &of);
}

bool mb_slope_once_linearise(const MbSensitivity *g, MbSim *sim, MbTangent *tangent) {
  const double h = sim->model->h;
  if (sim->integrator->a == 0 || !pulled(sim->model)) return true;
  MbTangentTerms of = mb_slope_once_terms(sim->model->jointed, h);
  if (g->halves) of = mb_slope_pass_terms(h / 2);
  return mb_tangent_linearise(sim, tangent, &of, g->halves ? 0 : h);
}

// A has nothing of the coordinates' own.
static void clear_own(MbSensitivity *g) {
  memset(g->damping, 0, g->sim->nv * sizeof *g->damping);
  memset(g->stiffness, 0, g->sim->nv * sizeof *g->stiffness);
  g->parted = NULL;
}

// Forces on bodies have K and D in A as well as the coordinates' own.
bool mb_slope_once_factor(MbSensitivity *g, double t, double a, double b) {
  MbSim *sim = g->probe;
  size_t blame = 0;
  const bool linear = a != 0 && pulled(sim->model);
  clear_own(g);
  if (a != 0) {
    mb_sim_signals(sim, t);
    if (linear) mb_tangent_linear_blocks(sim, g->tangent, t);
    if (sim->stiffness) mb_coordinates_derivatives(sim->model, &sim->x, sim->stiffness, sim->damping);
    mb_coordinates_derivatives(sim->model, &sim->x, g->stiffness, g->damping);
  }
  if (sim->solver->factor(sim->work, &sim->x, a, b, false, &blame)) return true;
  if (linear) g->parted = "the step leaves out what would make it singular";
  return false;
}

// M factored as steps of the run have it that ask for accelerations at once, to the last digit, whether they have left it or not.
static bool factor_at_once(MbSensitivity *g) {
  MbSim *sim = g->probe;
  size_t blame = 0;
  clear_own(g);
  memset(g->less, 0, sim->nv * sizeof *g->less);
  return sim->solver->accelerate(sim->work, NULL, g->less, &blame);
}

// Bodies where the probe is to be, and A factored there.
static bool stand_at(MbSensitivity *g, const MbStageNote *note, const double *kept) {
  MbSim *sim = g->probe;
  const MbIntegrator *in = sim->integrator;
  const double h = sim->model->h;
  if (!kept) {
    mb_sim_kinematics(sim, g->q1, note->from);
    if (sim->scheme->step == mb_scheme_explicit) return factor_at_once(g);
    return mb_slope_once_factor(g, note->t, in->a * h, in->b * h * h);
  }
  sim->x.q = g->q1, sim->x.v = note->from;
  sim->solver->keeps->put(sim->work, kept, g->q1, &sim->x);
  clear_own(g);
  return true;
}

bool mb_slope_once_stand(MbSensitivity *g, const MbStageNote *note, const double *kept) {
  MbSim *sim = g->probe;
  const double h = sim->model->h;
  for (size_t i = 0; i < sim->nv; i++) {
    g->step[i] = h * note->w[i];
    g->a[i] = (note->w[i] - note->from[i]) / h;
  }
  memcpy(g->q1, g->q, sim->nq * sizeof *g->q1);
  if (!stand_at(g, note, kept)) return false;
  mb_slope_tied_at(g, note);
  mb_tangent_to(g->tangent, note->w);
  mb_tangent_at(sim, g->tangent, note->from, g->a, note->t, NULL);
  return true;
}

bool mb_slope_once_at(MbSensitivity *g, const MbStageNote *note, const MbMeeting *meeting,
                      const double *kept) {
  if (!mb_slope_once_stand(g, note, kept)) return false;
  if (g->met && !mb_met_stand(g, note, meeting)) return false;
  return mb_slope_tied_factor(g, note);
}

// x ← −h A⁻¹ x
static bool solve(MbSensitivity *g, double *x) {
  const double h = g->sim->model->h;
  for (size_t i = 0; i < g->sim->nv; i++) x[i] *= -h;
  return g->probe->solver->apply(g->probe->work, x, NULL, NULL);
}

double mb_slope_once_own(MbSensitivity *g, const MbSlope *t, const MbStageNote *note, double move,
                         const double *z) {
  const double h = g->sim->model->h;
  const size_t nv = g->sim->nv;
  double *y = g->less, *place = g->more, sum = 0;
  if (!z) memset(g->number_own, 0, nv * sizeof *g->number_own);
  if (g->probe->integrator->a == 0 || !mb_tangent_number_along(t->number)) return 0;
  for (size_t i = 0; i < nv; i++) {
    y[i] = note->w[i] - note->from[i];
    place[i] = g->halves ? g->span * y[i] : h * note->w[i];
  }
  double *into = g->number_own;
  mb_tangent_number_own(g->probe, t->number, NULL, NULL, y, place, into);
  for (size_t i = 0; i < nv; i++) into[i] /= 2 * move;
  for (size_t i = 0; i < nv && z; i++) sum += z[i] * into[i];
  return sum;
}

bool mb_slope_once_change(MbSensitivity *g, MbSlope *t, const MbStageNote *note, double move) {
  const size_t nv = g->sim->nv;
  const double h = g->sim->model->h;
  double *da = g->less, *out = t->w;
  mb_slope_once_own(g, t, note, move, NULL);
  mb_slope_tied_number(g, t, note, move);
  mb_slope_tied_pushed(g, g->rate);
  for (size_t i = 0; i < nv; i++) da[i] = -t->v[i] / h;
  mb_tangent_times(g->probe, g->tangent, t->q, t->v, da, out);
  for (size_t i = 0; i < nv; i++) out[i] += g->rate[i] + g->number_own[i] - g->damping[i] * t->v[i];
  if (!solve(g, out)) return false;
  mb_slope_tied_change(g, t, out);
  for (size_t i = 0; i < nv; i++) g->less[i] = h * out[i];
  mb_tangent_moved(g->probe, g->step, t->q, g->less, g->move);
  if (mb_slope_ends(g->sim->model)) mb_slope_end_change(g, t, note, move, g->move, out);
  memcpy(t->q, g->move, nv * sizeof *t->q);
  memcpy(t->v, out, nv * sizeof *t->v);
  return true;
}

void mb_slope_once_back_begin(MbSensitivity *g, const MbStageNote *note, double *q, double *v, double *w,
                              double *scratch) {
  const double h = g->sim->model->h;
  if (mb_slope_ends(g->sim->model)) mb_slope_end_back(g, note, q, v, g->less);
  mb_tangent_moved_transposed(g->sim, g->step, q, g->move, scratch);
  for (size_t i = 0; i < g->sim->nv; i++) w[i] = v[i] + h * scratch[i];
  mb_thrown_back(g, h, scratch, w, g->less);
}

void mb_slope_once_back_end(MbSensitivity *g, double *q, double *v, const double *z, double *scratch[3]) {
  const size_t nv = g->sim->nv;
  const double h = g->sim->model->h;
  const bool ends = mb_slope_ends(g->sim->model);
  double *dq = scratch[0], *dv = scratch[1], *da = scratch[2], *from = g->less;
  mb_tangent_transposed(g->probe, g->tangent, z, dq, dv, da);
  for (size_t i = 0; i < nv; i++) {
    q[i] = g->move[i] + dq[i];
    v[i] = (ends ? from[i] : 0) + dv[i] - da[i] / h - g->damping[i] * z[i];
  }
}

bool mb_slope_once_back(MbSensitivity *g, const MbStageNote *note, double *q, double *v, double *z,
                        double *scratch[3]) {
  mb_slope_once_back_begin(g, note, q, v, z, scratch[1]);
  mb_met_back(g, z);
  if (!solve(g, z)) return false;
  mb_slope_once_back_end(g, q, v, z, scratch);
  return mb_met_felt(g, note, z, q, v);
}

double mb_slope_once_number(MbSensitivity *g, const MbSlope *t, const MbStageNote *note, double move,
                            const double *z) {
  const double end = mb_slope_ends(g->sim->model) && !g->halves ? mb_slope_end_number(g, t, note, move) : 0;
  return end + mb_slope_once_own(g, t, note, move, z);
}
