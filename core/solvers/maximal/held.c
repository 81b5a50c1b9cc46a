// The system of bodies and multipliers (held.h): put together from blocks and rows, factored and solved.
#include "core/solvers/maximal/held.h"
#include "core/base/alloc.h"
#include "core/integrators/integrators.h"
#include "core/math/dense6.h"
#include "core/model/coordinates.h"
#include "core/solvers/body_block.h"

#include <string.h>

// ---- room -------------------------------------------------------------------------------------------------

// Whether A has derivatives of forces.
static bool has_derivatives(const MbModel *model) {
  return model->solver.mode == MB_FIRST_ORDER || mb_integrator_table[model->integrator.kind].a != 0;
}

// The tree does where no blocks couple bodies that do not hang on each other.
static const MbKktOps *choose_ops(const MbModel *model, size_t ncouple) {
  switch (model->solver.linear) {
  case MB_LINEAR_DENSE:
    return &mb_kkt_dense_ops;
  case MB_LINEAR_SPARSE:
    return &mb_kkt_sparse_ops;
  default:
    return ncouple && has_derivatives(model) ? &mb_kkt_sparse_ops : &mb_kkt_tree_ops;
  }
}

// The mean of the inertias that are there.
static void find_hollow(MbHeld *held) {
  const MbModel *model = held->model;
  double sum = 0;
  size_t count = 0;
  for (size_t i = 0; i < 6 * model->nb; i++) {
    if (model->M[i] > 0)
      sum += model->M[i], count++;
    else
      held->any_hollow = true;
  }
  held->stuff = count ? sum / (double)count : 1;
}

// Of every instance; vectors begin where their size says.
static double *numbers(MbHeld *held, size_t count) {
  if (held->lanes == 1) return mb_arena_alloc(&held->arena, count, sizeof(double));
  char *const memory = mb_arena_alloc(&held->arena, held->lanes * count * sizeof(double) + 64, 1);
  return memory ? (double *)(memory + (64 - (uintptr_t)memory % 64)) : NULL;
}

// Either the articulated form, or a matrix.
static bool create_system(MbHeld *held, int threads) {
  const MbModel *model = held->model;
  const size_t nb = model->nb, nrows = held->shape.nrows;
  held->ops = choose_ops(model, held->ncouple);
  if (held->ops == &mb_kkt_tree_ops && !held->moved && !(model->npairs && has_derivatives(model))) {
    held->posture = held->kernels->create(model, NULL);
    held->N = numbers(held, 6 * model->nv), held->Z = numbers(held, 6 * nrows);
    return held->posture && held->N && held->Z;
  }
  held->kkt = held->ops->create(&held->shape, threads);
  held->Jp = numbers(held, 6 * nrows);
  held->A = numbers(held, 36 * nb), held->C = numbers(held, 36 * nb);
  held->pairs = numbers(held, 36 * held->ncouple);
  held->moving = numbers(held, held->moved ? 6 * nb : 0);
  return held->kkt && held->Jp && held->A && held->C && held->pairs && held->moving;
}

// What there is at every instant.
static bool create_rows(MbHeld *held) {
  const MbModel *model = held->model;
  const size_t nb = model->nb, nq = model->nq, nv = model->nv, nrows = held->shape.nrows;
  held->hinged = mb_arena_alloc(&held->arena, nb, sizeof *held->hinged);
  held->order = mb_arena_alloc(&held->arena, nrows, sizeof *held->order);
  held->angle = mb_arena_alloc(&held->arena, nrows, sizeof *held->angle);
  held->hinge = (MbHeldHinge *)numbers(held, nb * (sizeof *held->hinge / sizeof(double)));
  held->X = (MbHeldPlace *)numbers(held, nb * (sizeof *held->X / sizeof(double)));
  held->eta = numbers(held, 6 * nb), held->seen = numbers(held, 6 * nb);
  held->Jc = numbers(held, 6 * nrows), held->V = numbers(held, 6 * nv);
  held->g = numbers(held, nrows), held->gt = numbers(held, nrows), held->bend = numbers(held, nrows);
  held->q = numbers(held, nq), held->v = numbers(held, nv), held->turn = numbers(held, nv);
  held->guess = numbers(held, nq);
  held->lambda = numbers(held, nrows), held->r = numbers(held, 6 * nb), held->twist = numbers(held, 6 * nb);
  const bool fine = held->hinged && held->order && held->angle && held->hinge && held->X && held->eta &&
                    held->seen && held->Jc && held->V && held->g && held->gt && held->bend && held->q &&
                    held->v && held->turn && held->guess && held->lambda && held->r && held->twist;
  for (size_t b = 0; fine && b < nb; b++) {
    held->hinged[b] = mb_held_is_hinge(model, b);
    // the first two rows of a hinge turn
    if (held->hinged[b]) held->angle[held->first[b]] = held->angle[held->first[b] + 1] = 1;
  }
  return fine;
}

bool mb_held_create(const MbModel *model, int threads, MbHeld *held) {
  *held = (MbHeld){.model = model, .lanes = 1, .kernels = mb_held_kernels(1), .curves = model->any_flies};
  if (!mb_held_plan(held) || !create_system(held, threads)) return false;
  find_hollow(held);
  held->inertia = model->M;
  if (!create_rows(held)) return false;
  for (size_t b = 0; b < model->nb; b++)
    if (held->hinged[b]) mb_held_make_hinge(model, model, b, &held->hinge[b]);
  return true;
}

// ---- instances in lockstep --------------------------------------------------------------------------------

bool mb_held_articulated(const MbModel *model) {
  for (size_t i = 0; i < model->nconstraints; i++)
    if (!model->constraints[i].ops->coordinates) return false; // it may hold a body
  return !(model->npairs && has_derivatives(model)) && model->solver.linear != MB_LINEAR_DENSE &&
         model->solver.linear != MB_LINEAR_SPARSE;
}

bool mb_held_create_lanes(const MbModel *model, size_t lanes, const MbLinks *const *links, MbHeld *held) {
  *held =
      (MbHeld){.model = model, .lanes = lanes, .kernels = mb_held_kernels(lanes), .curves = model->any_flies};
  if (!mb_held_plan(held)) return false;
  held->posture = held->kernels->create(model, links);
  held->inertia = numbers(held, 6 * model->nb);
  held->N = numbers(held, 6 * model->nv), held->Z = numbers(held, 6 * held->shape.nrows);
  return held->posture && held->inertia && held->N && held->Z && create_rows(held);
}

// to ← the numbers of one instance among those of all
static void put_lane(double *to, const double *from, size_t n, size_t lane, size_t lanes) {
  for (size_t i = 0; i < n; i++) to[lanes * i + lane] = from[i];
}

void mb_held_posture_load(MbHeld *held, const MbLinks *const *links) {
  held->kernels->load(held->posture, links);
}

void mb_held_load_lane(MbHeld *held, size_t lane, const MbModel *model) {
  enum { HINGE = sizeof(MbHeldHinge) / sizeof(double) };
  put_lane((double *)held->inertia, model->M, 6 * model->nb, lane, held->lanes);
  for (size_t b = 0; b < model->nb; b++) {
    MbHeldHinge hinge;
    if (!held->hinged[b]) continue;
    mb_held_make_hinge(model, model, b, &hinge);
    put_lane((double *)held->hinge + held->lanes * HINGE * b, hinge.a, HINGE, lane, held->lanes);
  }
}

void mb_held_free(MbHeld *held) {
  if (!held->model) return;
  if (held->kkt) held->ops->free(held->kkt);
  if (held->posture) held->kernels->free(held->posture);
  mb_arena_free(&held->arena);
  *held = (MbHeld){0};
}

size_t mb_held_bytes(const MbHeld *held) {
  return held->arena.bytes + (held->kkt ? held->ops->bytes(held->kkt) : held->kernels->bytes(held->posture));
}

// ---- the system -------------------------------------------------------------------------------------------

// A += ( a c )ᵀ s ( a c ) for a row on the body and what it hangs on.
static void add_row(MbHeld *held, size_t b, double s, const double a[6], const double c[6]) {
  const size_t p = held->up[b];
  double *Ac = held->A + 36 * held->spot[b], *C = held->C + 36 * held->spot[b];
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) Ac[6 * i + j] += s * a[i] * a[j];
  if (p == MB_WORLD) return;
  double *Ap = held->A + 36 * held->spot[p];
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) C[6 * i + j] += s * a[i] * c[j], Ap[6 * i + j] += s * c[i] * c[j];
}

// The joints' own inertia, stiffness and damping; what stands in for inertia that is not there.
static bool add_rows(MbHeld *held, const MbMaximal *x, double a, double b) {
  const MbModel *model = held->model;
  bool any = held->any_hollow;
  for (size_t k = 0; (a != 0 || b != 0 || model->rotors) && k < model->nv; k++) {
    const size_t n = held->owner[k];
    const double s = model->joint_inertia[k] + a * x->joint_damping[k] + b * x->stiffness[k];
    if (s == 0 || !model->joint[n].ops) continue;
    double up[6] = {0}, V[6] = {0}, row[MB_JOINT_MOST];
    mb_coordinates_rate_of(model, x, n, k - model->v_first[n], row);
    for (size_t i = 0; i < model->joint[n].n; i++)
      for (size_t j = 0; j < 6; j++) V[j] += row[i] * held->V[6 * (model->v_first[n] + i) + j];
    if (model->parent[n] != MB_WORLD) mb_held_up(&held->X[n], -1, V, up);
    add_row(held, n, s, V, up);
    any = true;
  }
  for (size_t n = 0; held->any_hollow && n < model->nb; n++)
    for (size_t r = held->first[n]; r < held->first[n] + held->rows[n]; r++)
      add_row(held, n, held->stuff, held->Jc + 6 * r, held->Jp + 6 * r);
  return any;
}

// to += B, or its transpose
static void put(double *to, const double B[36], bool turned) {
  for (size_t i = 0; i < 6; i++)
    for (size_t j = 0; j < 6; j++) to[6 * i + j] += turned ? B[6 * j + i] : B[6 * i + j];
}

static bool add_pairs(MbHeld *held, const MbMaximal *x, double a, double b) {
  const MbModel *model = held->model;
  bool any = false;
  memset(held->pairs, 0, 36 * held->ncouple * sizeof *held->pairs);
  for (size_t n = 0; n < model->npairs; n++) {
    const size_t i = model->pair[2 * n], j = model->pair[2 * n + 1], child = held->tie[n];
    double B[36];
    mb_force_block(B, x, model->nb + 2 * n, model->nb + 2 * n + 1, a, b, false);
    any |= child != MB_WORLD;
    if (child == MB_WORLD)
      put(held->pairs + 36 * held->place[n], B, held->spot[i] > held->spot[j]);
    else
      put(held->C + 36 * held->spot[child], B, child == j);
  }
  return any;
}

bool mb_held_factor(MbHeld *held, const MbMaximal *x, double a, double b, size_t *blame) {
  const MbModel *model = held->model;
  const bool plain = a == 0 && b == 0 && !held->any_hollow && !model->rotors,
             paired = model->npairs && (a != 0 || b != 0);
  for (size_t n = 0; n < model->nb; n++)
    for (size_t r = held->first[n]; r < held->first[n] + held->rows[n]; r++)
      if (!isfinite(held->g[r])) {
        *blame = n;
        return false;
      }
  if (held->posture) return mb_held_posture_factor(held, x, a, b, blame);
  MbKktNumbers system = {.Jc = held->Jc, .Jp = held->Jp};
  bool fine = true;
  if (plain && held->ops == &mb_kkt_tree_ops) {
    system.diagonal = held->M;
    fine = held->ops->factor(held->kkt, &system, blame);
  } else {
    memset(held->C, 0, 36 * model->nb * sizeof *held->C);
    for (size_t n = 0; n < model->nb; n++)
      mb_body_block(held->A + 36 * held->spot[n], model->M, x, n, a, b, false);
    const bool rows = add_rows(held, x, a, b), pairs = paired && add_pairs(held, x, a, b);
    system.A = held->A;
    if (rows || pairs) system.C = held->C;
    if (paired && held->ncouple) system.pairs = held->pairs;
    fine = held->ops->factor(held->kkt, &system, blame);
  }
  for (size_t n = 0; !fine && held->moved && n < model->nb; n++)
    if (held->spot[n] == *blame) {
      *blame = n;
      break;
    }
  return fine;
}

void mb_held_solve(MbHeld *held, double *x, double *b) {
  const MbModel *model = held->model;
  if (held->posture) {
    mb_held_posture_solve(held, x, b);
    return;
  }
  for (size_t n = 0; n < model->nb; n++) mb_quat_unrotate(x + 6 * n + 3, held->E[n].q, x + 6 * n + 3);
  for (size_t n = 0; held->any_hollow && n < model->nb; n++) // what JᵀJ adds to the left
    for (size_t r = held->first[n]; r < held->first[n] + held->rows[n]; r++)
      for (size_t k = 0; k < 6 && b[r] != 0; k++) {
        const size_t p = held->up[n];
        x[6 * n + k] += held->stuff * b[r] * held->Jc[6 * r + k];
        if (p != MB_WORLD) x[6 * p + k] += held->stuff * b[r] * held->Jp[6 * r + k];
      }
  double *y = held->moved ? held->moving : x;
  for (size_t n = 0; held->moved && n < model->nb; n++)
    memcpy(y + 6 * held->spot[n], x + 6 * n, 6 * sizeof *y);
  held->ops->solve(held->kkt, y, b);
  for (size_t n = 0; n < model->nb; n++) mb_velocity_of_twist(&held->E[n], y + 6 * held->spot[n], x + 6 * n);
}
