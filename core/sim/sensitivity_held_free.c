// The bodies of a model without their joints, free in space: what the equations of motion under solver "maximal" are but for what holds joints together
// and acts along their coordinates. The state's numbers are the same, poses and velocities of bodies.
#include "core/base/report.h"
#include "core/forces/forces.h"
#include "core/sim/claims.h"
#include "core/sim/sensitivity_held.h"
#include "core/solvers/solvers.h"

#include <string.h>

// Elements tell nodes that turn by the bodies that they hang on, which are not told here.
static bool any_node_hangs(const MbModel *model) {
  bool any = false;
  for (size_t b = model->nlisted; b < model->nb; b++) any |= model->parent[b] != MB_WORLD;
  return any;
}

bool mb_held_is(const MbSim *sim) { return sim->solver->map->layout == mb_maximal_ops.map->layout; }

const char *mb_held_refuses(const MbSim *sim) {
  const MbModel *model = sim->model;
  const MbIntegratorKind kind = model->integrator.kind;
  const bool stages = sim->integrator->scheme == MB_STAGES, halves = kind == MB_TRAPEZOIDAL;
  if (kind != MB_SYMPLECTIC && kind != MB_IMPLICIT && !stages && !halves)
    return "under solver \"maximal\" there is no way back through this integrator";
  if (halves && !model->jointed) return "under \"trapezoidal\" there are exact ones of trees of joints alone";
  if (model->solver.mode != MB_DYNAMIC) return "there are exact ones of mode \"dynamic\" alone";
  if (model->solver.terms == MB_TERMS_EXPLICIT) return "velocity terms are explicit";
  if (sim->solver->passes) return "deformables of elements are solved for by iterations of their own";
  if (model->nreductions || model->nfollowers) return "some coordinates follow others";
  if (sim->touching) return "under solver \"maximal\" there is no way back through contact";
  if (any_node_hangs(model))
    return "under solver \"maximal\" there is no way back through nodes that bodies hold by \"reduction\"";
  if (model->solver.stabilization.kind == MB_POST)
    return "there are no exact ones of positions that \"stabilization\" corrects after each step";
  if (model->nloads && sim->constraining->claims)
    return "under solver \"maximal\" there is no way back through friction inside joints where constraints "
           "hold bodies as joints do";
  const char *why = mb_held_rows_refuse(model);
  if (!why && (stages || halves)) why = mb_slope_stages_close(model);
  return why || (kind != MB_IMPLICIT && !halves) ? why : mb_tangent_linear_refuses(model);
}

MbSensitivity *mb_held_equations(MbSensitivity *g) { return g->held ? &g->held->free : g; }

// ---- the model ----------------------------------------------------------------------------------------------------

static size_t *counted(MbArena *arena, size_t n, size_t step) {
  size_t *list = mb_arena_alloc(arena, n, sizeof *list);
  for (size_t i = 0; list && i < n; i++) list[i] = step * i;
  return list;
}

static size_t *worlds(MbArena *arena, size_t n) {
  size_t *list = mb_arena_alloc(arena, n, sizeof *list);
  for (size_t i = 0; list && i < n; i++) list[i] = MB_WORLD;
  return list;
}

// A simulation's model without joints and all that is about them; NULL: out of memory.
static const MbModel *freed(MbArena *arena, const MbSim *sim) {
  const MbModel *model = sim->model;
  const size_t nb = model->nb;
  MbModel *out = mb_arena_alloc(arena, 1, sizeof *out);
  double *q0 = mb_arena_alloc(arena, 7 * nb + 1, sizeof *q0),
         *v0 = mb_arena_alloc(arena, 6 * nb + 1, sizeof *v0);
  double *zero = mb_arena_alloc(arena, 6 * nb + 1, sizeof *zero);
  size_t *parent = worlds(arena, nb + 1), *all = counted(arena, nb + 1, 1), *q = counted(arena, nb + 1, 7),
         *v = counted(arena, nb + 1, 6);
  MbJoint *joint = mb_arena_alloc(arena, nb + 1, sizeof *joint);
  if (!out || !q0 || !v0 || !zero || !parent || !all || !q || !v || !joint) return NULL;
  memcpy(q0, sim->state.q, 7 * nb * sizeof *q0), memcpy(v0, sim->state.v, 6 * nb * sizeof *v0);
  *out = *model;
  out->jointed = out->rotors = out->sprung = out->dry = false;
  out->parent = parent, out->joint = joint, out->curved = all, out->ncurved = nb, out->nrenewing = 0;
  out->nq = 7 * nb, out->nv = 6 * nb, out->q_first = q, out->v_first = v, out->q0 = q0, out->v0 = v0;
  out->stiffness = out->rest = out->joint_damping = out->joint_inertia = zero;
  out->ndrives = out->nstops = out->nconstraints = out->nguess = out->nslots = out->nloads = 0;
  out->nchannels = 0;
  return out;
}

// ---- its simulations ------------------------------------------------------------------------------------------------

static bool linearises(const MbModel *model) {
  bool any = false;
  for (size_t i = 0; i < model->nforces; i++) any |= !model->forces[i].ops->inertial;
  return any && (model->integrator.kind == MB_IMPLICIT || model->integrator.kind == MB_TRAPEZOIDAL);
}

static MbTangent *tangent_of(const MbHeldBack *held, MbSim *sim, double h) {
  const bool halves = sim->model->integrator.kind == MB_TRAPEZOIDAL;
  const MbTangentTerms of = halves ? mb_slope_pass_terms(h / 2) : mb_slope_once_terms(held->whole, h);
  MbTangent *tangent = mb_tangent_create(sim);
  if (tangent) mb_tangent_place(sim, tangent);
  return tangent && (!held->linear || mb_tangent_linearise(sim, tangent, &of, halves ? 0 : h)) ? tangent
                                                                                               : NULL;
}

static MbStatus begin_free(MbArena *arena, const MbSim *sim, MbSim **out, MbReport *report) {
  const MbModel *model = freed(arena, sim);
  if (!model) return mb_no_memory(report, "derivatives");
  const MbStatus status = mb_held_beside(model, out, report);
  if (status == MB_OK) (*out)->x.exact = sim->x.exact;
  return status;
}

static bool make_lists(MbSensitivity *g) {
  MbHeldBack *held = g->held;
  MbSensitivity *f = &held->free;
  const MbModel *model = g->sim->model;
  const size_t nb = model->nb, rows = held->nclaimed = g->sim->nclaimed;
  double **const of_rows[] = {&held->none, &held->lambda, &held->zeta};
  double **const of_bodies[] = {&held->plus,    &held->z,      &held->move,      &held->phi,
                                &held->before,  &held->behind, &f->step,         &f->a,
                                &f->move,       &f->rate,      &f->less,         &f->more,
                                &f->damping,    &f->stiffness, &f->number_own,   &f->spun,
                                &f->first.from, &f->first.w,   &held->side_phi,  &held->side_plus,
                                &held->side_z,  &held->row_z,  &held->side_row_z};
  double **const of_joints[] = {
      &held->force,      &held->stiffness,      &held->damping,     &held->rate_plus, &held->rate_z,
      &held->by_q,       &held->by_rate,        &held->by_plus,     &held->by_z,      &held->by_turn,
      &held->side_force, &held->side_stiffness, &held->side_damping};
  bool ok = true;
#define ALLOCATE(list, count)                                                                                \
  for (size_t i = 0; i < sizeof list / sizeof *list; i++)                                                    \
  ok &= (*list[i] = mb_arena_alloc(&g->arena, (count) + 1, sizeof(double))) != NULL
  ALLOCATE(of_rows, rows);
  ALLOCATE(of_bodies, 6 * nb);
  ALLOCATE(of_joints, model->nv);
#undef ALLOCATE
  f->q = mb_arena_alloc(&g->arena, 7 * nb + 1, sizeof(double));
  f->q1 = mb_arena_alloc(&g->arena, 7 * nb + 1, sizeof(double));
  f->moved = mb_arena_alloc(&g->arena, 7 * nb + 1, sizeof(double));
  f->slopes = mb_arena_alloc(&g->arena, g->count + 1, sizeof *f->slopes);
  held->noted = mb_arena_alloc(&g->arena, rows + model->nslots + model->nloads + 1, sizeof(double));
  held->number = mb_arena_alloc(&g->arena, g->count + 1, sizeof *held->number);
  held->first = mb_arena_alloc(&g->arena, nb + 1, sizeof *held->first);
  held->side_E = mb_arena_alloc(&g->arena, nb + 1, sizeof *held->side_E);
  if (!ok || !f->q || !f->q1 || !f->moved || !f->slopes || !held->noted || !held->number || !held->first ||
      !held->side_E)
    return false;
  if (!mb_joint_hinges(&g->arena, model, &held->hinge)) return false;
  for (size_t r = rows; r-- > 0;) held->first[g->sim->solver->claims->body_of(g->sim->work, r)] = r;
  return true;
}

static MbStatus begin_number(MbSensitivity *g, size_t k, MbReport *report) {
  MbHeldBack *held = g->held;
  MbSlope *slope = &g->slopes[k], *own = &held->free.slopes[k];
  MbHeldNumber *number = &held->number[k];
  const double h = g->sim->model->h;
  MbStatus status = begin_free(&g->arena, slope->less, &own->less, report);
  if (status == MB_OK) status = begin_free(&g->arena, slope->more, &own->more, report);
  if (status != MB_OK) return status;
  own->side[0] = tangent_of(held, own->less, h), own->side[1] = tangent_of(held, own->more, h);
  own->number = mb_tangent_number_create(&g->arena, held->free.sim, own->less, own->more);
  number->of = mb_tangent_number_create(&g->arena, g->sim, slope->less, slope->more);
  if (!own->side[0] || !own->side[1] || !own->number || !number->of)
    return mb_no_memory(report, "derivatives");
  number->along = mb_tangent_number_along(number->of) || mb_tangent_number_signals(number->of) ||
                  mb_tangent_number_rotors(number->of);
  slope->number = own->number, own->axes = slope->axes;
  return MB_OK;
}

MbStatus mb_held_make(MbSensitivity *g, MbReport *report) {
  MbHeldBack *held = g->held = mb_arena_alloc(&g->arena, 1, sizeof *held);
  if (!held) return mb_no_memory(report, "derivatives");
  MbSensitivity *f = &held->free;
  f->number = g->number, f->count = g->count, f->once = g->sim->integrator->scheme != MB_STAGES;
  held->linear = linearises(g->sim->model);
  held->here = g->probe;
  held->whole = g->sim->model->jointed || mb_claims_any(g->sim);
  MbStatus status = begin_free(&g->arena, g->sim, &f->sim, report);
  if (status != MB_OK) return status;
  f->probe = f->sim;
  f->tangent = tangent_of(held, f->sim, g->sim->model->h);
  const bool halves = g->sim->model->integrator.kind == MB_TRAPEZOIDAL;
  const MbHeldAt at = halves ? MB_HELD_PASS : f->once ? MB_HELD_ONCE : MB_HELD_STAGE;
  if (!f->tangent || !make_lists(g) || !mb_held_rubbed_make(g) || !mb_held_rotors_make(g) ||
      !mb_held_rows_create(g, g->probe, at, &held->rows))
    return mb_no_memory(report, "derivatives");
  if (!f->once) status = mb_held_stages_make(g, report);
  if (halves) status = mb_held_halves_make(g, report);
  for (size_t k = 0; k < g->count && status == MB_OK; k++) status = begin_number(g, k, report);
  if (status == MB_OK && !mb_held_numbers_make(g)) return mb_no_memory(report, "derivatives");
  return status;
}

void mb_held_free_back(MbSensitivity *g) {
  if (!g->held) return;
  MbSensitivity *f = &g->held->free;
  mb_held_stages_free(g), mb_held_halves_free(g);
  for (size_t k = 0; f->slopes && k < g->count; k++)
    mb_sim_free(f->slopes[k].less), mb_sim_free(f->slopes[k].more);
  mb_sim_free(f->sim);
}
