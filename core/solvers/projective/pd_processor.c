// The processor's row of what steps are made of (pd_mover.h).
#include "core/base/threads.h"
#include "core/solvers/projective/pd_engine.h"

enum { GRAIN = 1024 }; // nodes that are worth a thread, where there is little to do with each

// (m + h c) q̃ = m (q + h v + h² g) + h c q, with c the drag; the iterate begins there, placed nodes where they go.
static void look_ahead_range(void *context, size_t begin, size_t end) {
  MbPdEngine *engine = context;
  const MbNodeStart *start = engine->start;
  const double h = engine->h;
  for (size_t i = begin; i < end; i++) {
    const double share = engine->mass[i] / engine->inertia[i];
    for (size_t k = 0; k < 3; k++) {
      const size_t c = 3 * i + k;
      engine->ahead[c] = start->q[c] + share * (h * start->v[c] + h * h * start->gravity[k]);
      engine->q[c] = engine->placed[i] >> k & 1 ? start->target[c]
                     : engine->still            ? start->q[c]
                                                : engine->ahead[c];
    }
  }
}

static void look_ahead(MbPdEngine *engine) {
  mb_parallel_ranges(engine->threads, engine->n, GRAIN, look_ahead_range, engine);
}

// b, r ← M (q̃ − q) + h² f
static void lack_range(void *context, size_t begin, size_t end) {
  MbPdEngine *engine = context;
  const double h2 = engine->h * engine->h;
  for (size_t n = begin; n < end; n++) {
    const size_t i = engine->node[n];
    for (size_t c = 0; c < 3; c++)
      engine->r[3 * n + c] = engine->b[3 * n + c] =
          engine->inertia[i] * (engine->ahead[3 * i + c] - engine->q[3 * i + c]) + h2 * engine->f[3 * i + c];
  }
}

// A Δ = M (q̃ − q) + h² f with f = Σ w V Gᵀ (p − u − F) − Q q: the scaled ADMM of METHODS 5 by its corrections.
static void local_global(MbPdEngine *engine) {
  mb_pd_local(engine, engine->q, engine->f);
  if (engine->cables) mb_pd_cables_pull(engine, engine->q, engine->f);
  mb_parallel_ranges(engine->threads, engine->nfree, GRAIN, lack_range, engine);
  const double began = engine->clock();
  mb_pd_global_solve(&engine->global, engine->r);
  engine->stats.global += engine->clock() - began;
}

static double worth(const MbPdEngine *engine) {
  double part = 0;
  for (size_t c = 0; c < 3 * engine->nfree; c++) part += engine->r[c] * engine->b[c] / 2;
  return part;
}

static void begin(MbPdEngine *engine) {
  mb_pd_local_begin(engine, engine->start->q);
  mb_pd_loads_begin(engine);
}

static bool inside_out(MbPdEngine *engine, bool start) {
  const double *q = start ? engine->start->q : engine->q;
  double F[9], g[MB_PD_SLOPES];
  for (size_t k = 0; k < engine->nblocks; k++) {
    const MbPdBlock *block = &engine->block[k];
    for (size_t e = 0; block->rank == 3 && !block->rod && e < block->count; e++) {
      mb_pd_gradient(block, e, q, F, g);
      if (!(mb_mat3_det(F) > 0)) return true;
    }
  }
  return false;
}

static double advance(MbPdEngine *engine) { return mb_pd_advance(engine, 1); }

typedef struct Result {
  const MbPdEngine *engine;
  double *q, *v;
} Result;

static void end_range(void *context, size_t begin, size_t end) {
  const Result *const to = context;
  const double *q0 = to->engine->start->q, *q = to->engine->q, h = to->engine->h;
  for (size_t c = 3 * begin; c < 3 * end; c++) {
    to->v[c] = (q[c] - q0[c]) / h;
    to->q[c] = q[c];
  }
}

static bool end(MbPdEngine *engine, double *q1, double *v1) {
  Result to = {engine, q1, v1};
  mb_parallel_ranges(engine->threads, engine->n, GRAIN, end_range, &to);
  return true;
}

static void dual_begin(MbPdEngine *engine, const double *q) { mb_pd_stress_begin(engine, q ? q : engine->q); }

const MbPdMover mb_pd_processor = {.look_ahead = look_ahead,
                                   .begin = begin,
                                   .lead = mb_pd_lead,
                                   .advance = advance,
                                   .inside_out = inside_out,
                                   .end = end,
                                   .dual_begin = dual_begin,
                                   .dual_read = mb_pd_stress_read,
                                   .dual_write = mb_pd_stress_write,
                                   .local_global = local_global,
                                   .worth = worth,
                                   .look = mb_pd_lbfgs_slope,
                                   .solve = mb_pd_lbfgs_find,
                                   .bend = mb_pd_lbfgs_correct,
                                   .down = mb_pd_lbfgs_product,
                                   .attempt = mb_pd_lbfgs_attempt,
                                   .accept = mb_pd_lbfgs_accept,
                                   .take = mb_pd_ports_take,
                                   .find = mb_pd_ports_find,
                                   .answer = mb_pd_ports_answer,
                                   .read = mb_pd_ports_read,
                                   .pull = mb_pd_ports_pull,
                                   .push = mb_pd_ports_push,
                                   .rest = mb_pd_ports_rest,
                                   .bend_by = mb_pd_lbfgs_bend_by};
