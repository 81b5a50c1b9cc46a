// S = z · τ is linear in a body's moments M,
//
//   Z · W = Σ_k M_k w_k,     w = Z ∘ (α − (0, Rᵀ g)) − φ ∘ (ω × Z),
//
// with ∘ number by number and ω × Z of both halves, of which one that flies has the swing by (∂s/∂I)ᵀ Z/h in the place of the spin's, and in the motions p and b that a number moves the frames of a joint by (tangent_framed.c): p is felt by Xᵀ u and b by
//
//   u + ad(T v)ᵀ ( φ̄ + ad(X φ_p)ᵀ α̅ ) + ad(Ṫ v + T a)ᵀ α̅ + ad(T z)ᵀ F + ad(T v⁺)ᵀ Φ̄,
//
// u being what a motion of the body is felt by (`turn` in tangent.c). Parameters of constraints are in tangent_shared.c.
#include "core/sim/tangent_gather.h"
#include "core/base/targets.h"
#include "core/sim/tangent_shared.h"
#include "core/sim/tangent_signals.h"

#include <string.h>

struct MbTangentGather {
  size_t nmasses, nbefore, nbehind;
  size_t *of_mass, *of_before, *of_behind;  // bodies of which they are wanted
  bool *any_mass, *any_before, *any_behind; // (nb) whether they are
  bool *any_moment;                         // (nb) and its moments of inertia
  bool moments;                             // of some body
  double *mass, *before, *behind;           // (nb x 6) what moments and frames are felt by
  MbSharedList shared;                      // parameters of constraints
  MbTangentSignals *signals;
};

MbTangentGather *mb_tangent_gather_create(MbArena *arena, const MbModel *model, size_t most) {
  const size_t nb = model->nb;
  MbTangentGather *g = mb_arena_alloc(arena, 1, sizeof *g);
  if (!g) return NULL;
  *g = (MbTangentGather){0};
  size_t **const lists[] = {&g->of_mass, &g->of_before, &g->of_behind};
  bool **const any[] = {&g->any_mass, &g->any_before, &g->any_behind};
  bool ok = true;
  double **const felt[] = {&g->mass, &g->before, &g->behind};
  for (int i = 0; i < 3 && ok; i++) {
    *lists[i] = mb_arena_alloc(arena, nb, sizeof **lists[i]);
    *any[i] = mb_arena_alloc(arena, nb, sizeof **any[i]);
    *felt[i] = mb_arena_alloc(arena, 6 * nb, sizeof **felt[i]);
    ok = *lists[i] && *any[i] && *felt[i];
  }
  g->any_moment = mb_arena_alloc(arena, nb, sizeof *g->any_moment);
  g->shared.parameter = mb_arena_alloc(arena, most * model->nconstraints, sizeof *g->shared.parameter);
  g->signals = mb_tangent_signals_create(arena, model);
  return ok && g->any_moment && g->shared.parameter && g->signals ? g : NULL;
}

static void add_body(size_t *list, size_t *n, bool *is, size_t b) {
  if (!is[b]) list[(*n)++] = b;
  is[b] = true;
}

bool mb_tangent_gather_for(MbTangentGather *g, const MbTangentNumber *n) {
  for (size_t i = 0; i < n->nmasses; i++) {
    const size_t b = n->mass[i];
    add_body(g->of_mass, &g->nmasses, g->any_mass, b);
    const double *less = n->side[0]->model->M + 6 * b, *more = n->side[1]->model->M + 6 * b;
    g->any_moment[b] |= memcmp(less, more, 3 * sizeof *less) != 0;
    g->moments |= g->any_moment[b];
  }
  for (size_t i = 0; i < n->nframed; i++) {
    add_body(g->of_before, &g->nbefore, g->any_before, n->framed[i]);
    if (!n->by[i].stays) add_body(g->of_behind, &g->nbehind, g->any_behind, n->framed[i]);
  }
  mb_shared_note(&g->shared, n, 0);
  return mb_tangent_signals_for(g->signals, n);
}

// Of M a alone Z · α.
static void add_moments(const MbSim *sim, const MbTangent *t, size_t b, double felt[6]) {
  const double *Z = t->dF + 6 * b, *phi = sim->x.phi + 6 * b, *alpha = t->alpha + 6 * b;
  const double *g = t->fall + 3 * b;
  double turned[6];
  for (size_t k = 0; k < 6 && t->still; k++) felt[k] += Z[k] * alpha[k];
  if (t->still) return;
  mb_vec3_cross(turned, phi, Z);
  mb_vec3_cross(turned + 3, phi, Z + 3);
  const bool flies = mb_tangent_flies(sim->model, b);
  for (size_t k = 0; k < 3; k++) {
    felt[k] += Z[k] * alpha[k] - (flies ? 0 : phi[k] * turned[k]);
    for (size_t i = 0; i < 3 && flies; i++) felt[k] -= Z[i] * t->swing[b].by_I[3 * i + k] / sim->model->h;
    felt[3 + k] += Z[3 + k] * (alpha[3 + k] - g[k]) - phi[3 + k] * turned[3 + k];
  }
}

static void add_behind(const MbTangent *t, const MbModel *model, size_t b, const double *v, const double *a,
                       const double *z, double share, double behind[6]) {
  const size_t first = model->v_first[b], n = model->joint[b].n;
  const double *dalpha = t->dalpha + 6 * b;
  double Tz[6] = {0}, Ta[6] = {0}, turned[6], felt[6];
  mb_add_columns(Tz, t->T + 6 * first, n, z + first);
  mb_add_columns(Ta, t->T + 6 * first, n, a + first);
  mb_add_columns(Ta, t->Tdot + 6 * first, n, v + first);
  memcpy(turned, t->dphi + 6 * b, sizeof turned), memcpy(felt, t->turn + 6 * b, sizeof felt);
  mb_add_transposed_bracket(turned, 1, t->Xphi + 6 * b, dalpha);
  mb_add_transposed_bracket(felt, 1, t->Tv + 6 * b, turned);
  mb_add_transposed_bracket(felt, 1, Ta, dalpha);
  mb_add_transposed_bracket(felt, 1, Tz, t->F + 6 * b);
  if (t->linearised) mb_add_transposed_bracket(felt, 1, t->linear->Tv + 6 * b, t->linear->dphi + 6 * b);
  for (size_t k = 0; k < 6; k++) behind[k] += share * felt[k];
}

static void add_frames(MbTangentGather *g, const MbSim *sim, const MbTangent *t, const double *v,
                       const double *a, const double *z, double share) {
  for (size_t i = 0; i < g->nbefore; i++) {
    const size_t b = g->of_before[i];
    double turn[6];
    for (size_t k = 0; k < 6; k++) turn[k] = share * t->turn[6 * b + k];
    mb_add_motion_transposed(g->before + 6 * b, t->X + 36 * b, turn);
  }
  for (size_t i = 0; i < g->nbehind; i++) {
    const size_t b = g->of_behind[i];
    add_behind(t, sim->model, b, v, a, z, share, g->behind + 6 * b);
  }
}

MB_CLONES __attribute__((flatten)) void mb_tangent_gather(MbTangentGather *g, MbSim *sim, const MbTangent *t,
                                                          const double *v, const double *a, double time,
                                                          const double *z) {
  for (size_t i = 0; i < g->nmasses; i++) add_moments(sim, t, g->of_mass[i], g->mass + 6 * g->of_mass[i]);
  add_frames(g, sim, t, v, a, z, 1);
  for (size_t i = 0; i < g->shared.n && t->rows && t->linearised; i++) {
    MbSharedFelt *p = &g->shared.parameter[i];
    p->felt += mb_rows_of_number(sim, t, p->of->side, &p->at.constraint, 1, z) / p->at.by;
  }
  mb_tangent_signals_gather(g->signals, sim, t, v, time, z);
}

void mb_tangent_gather_signal(MbTangentGather *g, size_t signal, double t, double felt) {
  mb_tangent_signals_give(g->signals, signal, t, felt);
}

bool mb_tangent_gathers_moments(const MbTangentGather *g, size_t b) { return g->any_moment[b]; }

bool mb_tangent_gathers_any(const MbTangentGather *g) { return g->moments; }

void mb_tangent_gather_moments(MbTangentGather *g, size_t b, const double felt[3]) {
  for (size_t k = 0; k < 3; k++) g->mass[6 * b + k] += felt[k];
}

void mb_tangent_gather_gaps(MbTangentGather *g, MbSim *sim, const MbTangent *t, const double *v, double time,
                            double share) {
  add_frames(g, sim, t, v, t->da, t->da, share); // which are 0
  for (size_t i = 0; i < g->shared.n; i++) {
    MbSharedFelt *p = &g->shared.parameter[i];
    p->felt += share / p->at.by * mb_rows_gaps_of_number(sim, t, p->of->side, &p->at.constraint, 1, time);
  }
  mb_tangent_signals_gather_gaps(g->signals, sim, t, time, share);
}

double mb_tangent_gathered(const MbTangentGather *g, const MbTangentNumber *n) {
  const MbModel *const less = n->side[0]->model, *const more = n->side[1]->model;
  double sum = 0;
  for (size_t i = 0; i < n->nmasses; i++) {
    const size_t at = 6 * n->mass[i];
    for (size_t k = at; k < at + 6 && mb_tangent_number_linear(n); k++)
      sum += g->mass[k] * (more->M[k] - less->M[k]);
  }
  for (size_t i = 0; i < n->nframed; i++)
    sum += mb_dot6(g->before + 6 * n->framed[i], n->by[i].before) +
           mb_dot6(g->behind + 6 * n->framed[i], n->by[i].behind);
  return sum + mb_shared_sum(&g->shared, n) + mb_tangent_signals_gathered(g->signals, n);
}
