// The energy at places q and its gradient, in one sweep over the elements: what methods that go downhill ask for in each of their
// iterations. Energies are kept by element and by node and added up in one order, so that any number of threads gives the same
// bits.
#include "core/base/threads.h"
#include "core/math/sums.h"
#include "core/math/vec3.h"
#include "core/solvers/projective/pd_engine.h"

#include <string.h>

typedef struct Job {
  MbPdEngine *engine;
  MbPdBlock *block;
  const double *q;
  double *f;
} Job;

static void sweep_range(void *context, size_t begin, size_t end) {
  const Job *const job = context;
  const MbPdBlock *block = job->block;
  const double *x = mb_gradient_spread(&block->gradient, job->q, MB_PD_PACK * begin, MB_PD_PACK * end);
  const MbStressSweep sweep = {block->elastic,   &block->gradient, x,
                               block->thickness, block->energy,    block->corner};
  mb_stress_sweep(&sweep, begin, end);
}

static void collect_range(void *context, size_t begin, size_t end) {
  const Job *const job = context;
  mb_gradient_collect(&job->block->gradient, job->block->corner, job->f, begin, end);
}

static void springs_range(void *context, size_t begin, size_t end) {
  const Job *const job = context;
  MbPdBlock *block = job->block;
  const size_t stride = block->gradient.stride;
  for (size_t e = begin; e < end; e++) {
    double P[9];
    const double F[9] = {block->F[e], block->F[stride + e], block->F[2 * stride + e]};
    mb_pd_stress(block, e, F, P);
    block->energy[e] = mb_pd_volume(block, e) * mb_pd_density(block, e, F, true);
    for (size_t c = 0; c < 3; c++) block->p[c * stride + e] = -P[c];
  }
}

static void bending_range(void *context, size_t begin, size_t end) {
  const Job *const job = context;
  const MbPdForm *form = &job->engine->form;
  for (size_t i = begin; i < end; i++) {
    double sum[3];
    mb_pd_form_row(form, i, job->q, sum);
    mb_vec3_sub(job->f + 3 * i, job->f + 3 * i, sum);
    form->energy[i] = mb_vec3_dot(sum, job->q + 3 * i) / 2;
  }
}

double mb_pd_evaluate(MbPdEngine *engine, const double *q, double *f) {
  const double began = engine->clock();
  double energy = 0, collected = 0;
  mb_parallel_clear(engine->threads, f, 3 * engine->n);
  for (size_t k = 0; k < engine->nblocks; k++) {
    MbPdBlock *block = &engine->block[k];
    MbGradient *gradient = &block->gradient;
    Job job = {engine, block, q + 3 * block->first, f + 3 * block->first};
    const size_t packs = (block->count + MB_PD_PACK - 1) / MB_PD_PACK;
    if (block->rank == 1) {
      mb_gradient_gather_all(gradient, engine->threads, job.q, block->F);
      mb_parallel_ranges(engine->threads, block->count, MB_PD_GRAIN, springs_range, &job);
      mb_gradient_scatter_all(gradient, engine->threads, NULL, block->p, NULL, block->corner, job.f);
    } else {
      mb_parallel_ranges(engine->threads, packs, MB_PD_GRAIN / MB_PD_PACK, sweep_range, &job);
      const double swept = engine->clock();
      mb_parallel_ranges(engine->threads, gradient->nodes, MB_PD_GRAIN, collect_range, &job);
      collected += engine->clock() - swept;
      mb_pd_damp(engine, block, job.q, job.f);
    }
    energy += mb_sum_of(block->energy, block->count);
  }
  if (engine->form.n) {
    Job job = {.engine = engine, .q = q, .f = f};
    mb_parallel_ranges(engine->threads, engine->form.n, MB_PD_GRAIN, bending_range, &job);
    energy += mb_sum_of(engine->form.energy, engine->form.n);
    if (engine->form.rest.count) energy += mb_pd_form_rest(&engine->form, q, f);
    energy += mb_pd_bends(&engine->form, q, f);
  }
  energy += mb_pd_loads(engine, q, f);
  engine->stats.collect += collected;
  engine->stats.local += engine->clock() - began - collected;
  return energy;
}
