// A product with dτ/dw is one pass down the tree and one up (tangent.h). What passes divide by, A = M − γ h D − γ² h² K, is γ h times what dτ/dw is
// when derivatives of M, of J, of the quadratic terms and of forces' levers are left out, which are O(h) of it; A⁻¹ is O(n) as well. So
//
//   P⁻¹ dτ/dw = 1 + O(h),   P⁻¹ = γ h A⁻¹
//
// and GMRES (gmres.h) on it comes to an end after a number of directions that has to do with the step and not with how many
// bodies there are. A is symmetric, so that P⁻¹ does for the transposed matrix too.
#include "core/sim/newton_krylov.h"
#include "core/sim/evaluate.h"
#include "core/sim/gmres.h"
#include "core/sim/tangent_moved.h"

#include <string.h>

struct MbKrylov {
  MbTangent *tangent;
  double span;
  double *step;           // (nv) of the stage
  double *dq, *da, *zero; // (nv)
  MbGmres *gmres;
};

MbKrylov *mb_krylov_create(MbSim *sim) {
  MbKrylov *k = mb_arena_alloc(&sim->arena, 1, sizeof *k);
  if (!k) return NULL;
  double **const lists[] = {&k->step, &k->dq, &k->da, &k->zero};
  bool ok = (k->gmres = mb_gmres_create(&sim->arena, sim->nv)) != NULL;
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
    ok = (*lists[i] = mb_arena_alloc(&sim->arena, sim->nv, sizeof(double))) && ok;
  return ok ? k : NULL;
}

bool mb_krylov_factor(MbSim *sim, double t, double span) {
  size_t blame = 0;
  for (int safe = 0; safe < 2; safe++) {
    sim->x.safe = safe;
    mb_sim_forces(sim, t, true);
    sim->x.safe = false;
    if (sim->solver->factor(sim->work, &sim->x, span, span * span, false, &blame)) return true;
  }
  return false;
}

bool mb_krylov_at(MbSim *sim, MbKrylov *k, MbTangent *tangent, const MbStageNote *stage, const double *q1,
                  const double *step, const double *a, double *tau) {
  k->tangent = tangent;
  k->span = stage->gamma * sim->model->h;
  memcpy(k->step, step, sim->nv * sizeof *k->step);
  mb_sim_kinematics(sim, q1, stage->w);
  if (!mb_krylov_factor(sim, stage->t, k->span)) return false;
  mb_tangent_at(sim, tangent, stage->w, a, stage->t, tau);
  return true;
}

// ---- products -------------------------------------------------------------------------------------------------------

// out ← dτ/dw x, by  δq = γ h T x,  δv = x,  δa = x/(γ h);  or the transposed of it.
static void multiply(MbSim *sim, MbKrylov *k, bool transposed, const double *x, double *out) {
  const size_t nv = sim->nv;
  double *dq = k->dq, *da = k->da, *zero = k->zero;
  if (transposed) {
    mb_tangent_transposed(sim, k->tangent, x, dq, out, da);
    for (size_t i = 0; i < nv; i++) out[i] += da[i] / k->span;
    mb_tangent_moved_transposed(sim, k->step, dq, zero, da);
    for (size_t i = 0; i < nv; i++) out[i] += k->span * da[i];
    return;
  }
  memset(zero, 0, nv * sizeof *zero);
  for (size_t i = 0; i < nv; i++) da[i] = k->span * x[i];
  mb_tangent_moved(sim, k->step, zero, da, dq);
  for (size_t i = 0; i < nv; i++) da[i] = x[i] / k->span;
  mb_tangent_times(sim, k->tangent, dq, x, da, out);
}

static bool precondition(MbSim *sim, const MbKrylov *k, double *x) {
  for (size_t i = 0; i < sim->nv; i++) x[i] *= k->span;
  return sim->solver->apply(sim->work, x, NULL, NULL);
}

// What GMRES asks about.
typedef struct Asking {
  MbSim *sim;
  MbKrylov *k;
  bool transposed;
} Asking;

static bool product(void *to, const double *x, double *out) {
  const Asking *a = to;
  multiply(a->sim, a->k, a->transposed, x, out);
  return precondition(a->sim, a->k, out);
}

static bool left_of(void *to, const double *b, const double *x, double *out) {
  const Asking *a = to;
  if (x) multiply(a->sim, a->k, a->transposed, x, out);
  for (size_t i = 0; i < a->sim->nv; i++) out[i] = b[i] - (x ? out[i] : 0);
  return precondition(a->sim, a->k, out);
}

bool mb_krylov_solve(MbSim *sim, MbKrylov *k, bool transposed, double tolerance, double *b) {
  Asking asking = {sim, k, transposed};
  const MbGmresOf of = {&asking, product, left_of};
  return mb_gmres_solve(k->gmres, &of, tolerance, b);
}
