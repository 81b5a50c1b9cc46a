// Bodies without joints: coordinates are the bodies' poses (position, quaternion of C in W), velocities their spins in C and
// those of C in W, so that J = diag(1, Rᵀ) of each, and A = Jᵀ (M − a D − b K) J is block diagonal but for pairs that forces
// couple: a division where K and D have no part in it, else a 6 x 6 LU a body, which preconditions the iterations where
// there are pairs. As J is orthogonal, A⁻¹ = Jᵀ (…)⁻¹ J.
#include "core/base/alloc.h"
#include "core/base/targets.h"
#include "core/base/threads.h"
#include "core/math/dense6.h"
#include "core/model/coordinates.h"
#include "core/solvers/body_block.h"
#include "core/solvers/coupled.h"
#include "core/solvers/solvers.h"

#include <string.h>

enum { GRAIN = 64 }; // bodies a thread at least

struct MbSolverWork {
  size_t nb;
  int threads;
  bool diagonal;   // A = M
  const double *M; // (nb x 6), the model's
  double *A;       // (nb x 36) factors
  double *of;      // (nb x 36) what they are the factors of
  int *pivot;      // (nb x 6)
  bool *singular;  // (nb)
  const MbPose *E; // (nb) at the last kinematics,
  const double *phi;
  double *twist, *wrench; // (nb x 6) scratch
  MbCoupling coupling;
};

static void free_work(MbSolverWork *work) {
  if (!work) return;
  mb_free(work->A);
  mb_free(work->of);
  mb_free(work->pivot);
  mb_free(work->singular);
  mb_free(work->twist);
  mb_free(work->wrench);
  mb_coupling_free(&work->coupling);
  mb_free(work);
}

static MbSolverWork *create(const MbModel *model, int threads) {
  MbSolverWork *work = mb_calloc(1, sizeof *work);
  if (!work) return NULL;
  *work = (MbSolverWork){.nb = model->nb, .threads = threads, .diagonal = true, .M = model->M};
  work->A = mb_calloc(36 * model->nb, sizeof *work->A);
  work->of = mb_calloc(36 * model->nb, sizeof *work->of);
  work->pivot = mb_calloc(6 * model->nb, sizeof *work->pivot);
  work->singular = mb_calloc(model->nb, sizeof *work->singular);
  work->twist = mb_calloc(6 * model->nb, sizeof *work->twist);
  work->wrench = mb_calloc(6 * model->nb, sizeof *work->wrench);
  const bool coupled = mb_coupling_create(model, &work->coupling);
  if (!(work->A && work->of && work->pivot && work->singular && work->twist && work->wrench && coupled)) {
    free_work(work);
    return NULL;
  }
  memset(work->singular, true, model->nb * sizeof *work->singular); // none is factored yet
  return work;
}

static size_t bytes(const MbSolverWork *work) {
  return sizeof *work + work->nb * (84 * sizeof *work->A + 6 * sizeof *work->pivot + sizeof *work->singular) +
         mb_coupling_bytes(work->coupling.model);
}

static void kinematics(MbSolverWork *work, const double *q, const double *v, MbMaximal *x, size_t begin,
                       size_t end) {
  if (begin == 0) work->E = x->E, work->phi = x->phi; // one range has it
  for (size_t b = begin; b < end; b++) {
    memcpy(x->E[b].p, q + 7 * b, 3 * sizeof *q);
    memcpy(x->E[b].q, q + 7 * b + 3, 4 * sizeof *q);
    mb_twist_of_velocity(&x->E[b], v + 6 * b, x->phi + 6 * b);
  }
}

// x ← J x, x ← Jᵀ x, of all bodies
static void to_bodies(const MbSolverWork *work, double *x) {
  for (size_t b = 0; b < work->nb; b++) mb_quat_unrotate(x + 6 * b + 3, work->E[b].q, x + 6 * b + 3);
}
static void to_world(const MbSolverWork *work, double *x) {
  for (size_t b = 0; b < work->nb; b++) mb_quat_rotate(x + 6 * b + 3, work->E[b].q, x + 6 * b + 3);
}

typedef struct Factoring {
  MbSolverWork *work;
  const MbMaximal *x;
  double a, b;
  bool exact;
} Factoring;

// In the bodies' axes damping is often the same from step to step, and so is what it is factored to.
static void factor_range(void *context, size_t begin, size_t end) {
  const Factoring *const job = context;
  MbSolverWork *const work = job->work;
  for (size_t n = begin; n < end; n++) {
    double *A = work->A + 36 * n, *of = work->of + 36 * n, block[36];
    if (work->coupling.on) // which has it already
      memcpy(block, work->coupling.diagonal + 36 * n, sizeof block);
    else
      mb_body_block(block, work->M, job->x, n, job->a, job->b, job->exact);
    if (memcmp(of, block, sizeof block) == 0 && !work->singular[n]) continue;
    memcpy(of, block, sizeof block);
    memcpy(A, block, sizeof block);
    work->singular[n] = !mb_lu6_factor(A, work->pivot + 6 * n);
  }
}

static bool factor(MbSolverWork *work, const MbMaximal *x, double a, double b, bool exact, size_t *blame) {
  work->diagonal = !x->D || (a == 0 && b == 0);
  mb_coupling_set(&work->coupling, x, a, b, exact);
  if (work->diagonal) return true; // core/compile has seen that M is positive
  Factoring job = {work, x, a, b, exact};
  mb_parallel_ranges(work->threads, work->nb, GRAIN, factor_range, &job);
  for (size_t n = 0; n < work->nb; n++)
    if (work->singular[n]) {
      *blame = n;
      return false;
    }
  return true;
}

typedef struct Applying {
  const MbSolverWork *work;
  double *x;
  bool own; // x is in the bodies' axes
} Applying;

static void apply_range(void *context, size_t begin, size_t end) {
  const Applying *const job = context;
  const MbSolverWork *const work = job->work;
  if (work->diagonal) {
    double *restrict const x = job->x;
    const double *restrict const M = work->M;
    MB_SIMD
    for (size_t i = 6 * begin; i < 6 * end; i++) x[i] /= M[i];
  } else
    for (size_t n = begin; n < end; n++) {
      double *const x = job->x + 6 * n;
      const double *const q = work->E[n].q;
      if (!job->own) mb_quat_unrotate(x + 3, q, x + 3);
      mb_lu6_solve(work->A + 36 * n, work->pivot + 6 * n, x);
      if (!job->own) mb_quat_rotate(x + 3, q, x + 3);
    }
}

static void apply_bodies(MbSolverWork *work, double *x, bool own) {
  Applying job = {work, x, own};
  mb_parallel_ranges(work->threads, work->nb, GRAIN, apply_range, &job);
}

// Those of the iterations are in the bodies' axes.
static void precondition(MbSolverWork *work, double *x) { apply_bodies(work, x, true); }

static void multiply(MbSolverWork *work, const double *x, double *y) {
  mb_coupling_multiply(&work->coupling, x, y);
}

static bool apply(MbSolverWork *work, double *x, const double *aim, double *lambda) {
  (void)aim, (void)lambda;
  static const MbInverse inverse = {multiply, precondition};
  if (!work->coupling.on) {
    apply_bodies(work, x, false);
    return true;
  }
  to_bodies(work, x);
  const bool solved = mb_coupling_solve(&work->coupling, work, &inverse, x);
  to_world(work, x);
  return solved;
}

static void momentum(MbSolverWork *work, const double *v, double *y) {
  for (size_t i = 0; i < 6 * work->nb; i++) y[i] = work->M[i] * v[i];
}

static void gather(MbSolverWork *work, const double *f, double *y) {
  for (size_t b = 0; b < work->nb; b++) mb_velocity_of_twist(&work->E[b], f + 6 * b, y + 6 * b);
}

static void blocks(MbSolverWork *work, const double *B, double s, const double *v, double *y) {
  memset(work->wrench, 0, 6 * work->nb * sizeof *work->wrench);
  for (size_t b = 0; b < work->nb; b++) mb_twist_of_velocity(&work->E[b], v + 6 * b, work->twist + 6 * b);
  mb_blocks_multiply(work->coupling.model, B, s, work->twist, work->wrench);
  to_world(work, work->wrench);
  for (size_t i = 0; i < 6 * work->nb; i++) y[i] += work->wrench[i];
}

static void carry(MbSolverWork *work, size_t body, const double w[6], double *seen, double *y) {
  (void)seen;
  double turned[6];
  mb_velocity_of_twist(&work->E[body], w, turned);
  for (size_t i = 0; i < 6; i++) y[6 * body + i] += turned[i];
}

static void drift(MbSolverWork *work, double *a) {
  for (size_t b = 0; b < work->nb; b++) mb_twist_drift(work->phi + 6 * b, a + 6 * b);
}

const MbSolverOps mb_free_bodies_ops = {
    .name = "free bodies",
    .create = create,
    .free = free_work,
    .bytes = bytes,
    .by_ranges = true,
    .kinematics = kinematics,
    .factor = factor,
    .apply = apply,
    .map = &mb_own_coordinates,
    .claims = &mb_claims_nothing,
    .momentum = momentum,
    .gather = gather,
    .blocks = blocks,
    .carry = carry,
    .drift = drift,
};
