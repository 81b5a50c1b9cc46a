// −z · R of a step of an engine's own numbers, at places that are those of another's: how R changes with a number of the scene is the
// difference of two. Of elements V P : Z is summed up, Z = Σ z_a g_aᵀ, of those alone that may differ.
#include "core/deformables/viscous.h"
#include "core/math/vec3.h"
#include "core/solvers/projective/pd_slopes.h"

#include <string.h>

static double of_inertia(const MbPdEngine *engine, const MbNodeStart *start, const double *q1,
                         const double *z) {
  const double h = engine->h;
  double sum = 0;
  for (size_t c = 0; c < 3 * engine->n; c++)
    sum += z[c] * (engine->mass[c / 3] * (start->v[c] / h + start->gravity[c % 3]) -
                   engine->inertia[c / 3] * (q1[c] - start->q[c]) / (h * h));
  return sum;
}

static double of_block(MbPdBlock *block, const double *q0, const double *q1, const double *z) {
  const bool remembers = block->rank == 1 || mb_pd_damped(block);
  double F[9], Z[9], P[9], viscous[9] = {0}, g[MB_PD_SLOPES], sum = 0;
  for (size_t e = 0; e < block->count; e++) {
    double density = 0;
    if (remembers) mb_pd_slopes_measure(block, e, q0);
    mb_pd_gradient(block, e, z, Z, g);
    mb_pd_gradient(block, e, q1, F, g);
    mb_pd_stress(block, e, F, P);
    if (mb_pd_damped(block)) mb_pd_viscous(block, e, F, viscous);
    for (size_t c = 0; c < 3 * block->rank; c++) density += (P[c] + viscous[c]) * Z[c];
    sum -= mb_pd_volume(block, e) * density;
  }
  return sum;
}

// Bending of the parts that may differ, and what acts on all surfaces and fibres.
static double of_rest(MbPdEngine *engine, const double *q1, const double *z, const bool *part) {
  double *f = engine->f, sum = 0, row[3];
  bool any = false;
  for (size_t k = 0; k < engine->nparts; k++) any |= part[k];
  if (!any) return 0;
  memset(f, 0, 3 * engine->n * sizeof *f);
  mb_pd_bends_begin(engine, engine->start->q);
  mb_pd_loads_begin(engine);
  mb_pd_form_rest(&engine->form, q1, f);
  mb_pd_bends(&engine->form, q1, f);
  mb_pd_loads(engine, q1, f);
  for (size_t i = 0; i < engine->form.n; i++) {
    mb_pd_form_row(&engine->form, i, q1, row);
    mb_vec3_sub(f + 3 * i, f + 3 * i, row);
  }
  for (size_t c = 0; c < 3 * engine->n; c++) sum += z[c] * f[c];
  return sum;
}

double mb_pd_slopes_value(MbPdEngine *engine, const MbNodeStart *start, const double *q1, const double *z,
                          const bool *part) {
  engine->start = start;
  double sum = of_inertia(engine, start, q1, z) + of_rest(engine, q1, z, part);
  for (size_t k = 0; k < engine->nblocks; k++)
    if (part[engine->block[k].part]) sum += of_block(&engine->block[k], start->q, q1, z);
  return sum;
}
