// Where the iterations of methods that go downhill begin. The guess q̃ has placed nodes where they go and all others where inertia takes
// them: a node that is made to jump would leave its elements crushed or inside out, from where the way down may lead to another
// minimum. With e what placed nodes are off q̃, the others are therefore moved along by δ, which is least of
//
//   ½ h⁻² δᵀ M δ + ½ Σ w V ‖G (δ + e)‖² + ½ (δ + e)ᵀ Q (δ + e):   A δ = −h² (Σ w V Gᵀ G + Q) e
//
// one solution with the constant matrix, and none where no element is drawn by more than a little.
#include "core/math/vec3.h"
#include "core/solvers/projective/pd_engine.h"

#include <string.h>

// e in engine->f (n x 3); false: there is none.
static bool jump(MbPdEngine *engine) {
  const double *from = engine->still ? engine->start->q : engine->ahead;
  bool any = false;
  memset(engine->f, 0, 3 * engine->n * sizeof *engine->f);
  for (size_t i = 0; i < engine->n; i++)
    for (size_t c = 0; engine->placed[i] && c < 3; c++) {
      if (!(engine->placed[i] >> c & 1)) continue;
      engine->f[3 * i + c] = engine->q[3 * i + c] - from[3 * i + c];
      any = any || engine->f[3 * i + c] != 0;
    }
  return any;
}

// Into r (nfree x 3) −w V Gᵀ G e of the elements that e draws; the largest |G e|.
static double pull(MbPdEngine *engine, const MbPdBlock *block, const double *e) {
  double largest = 0;
  for (size_t k = 0; k < block->count; k++) {
    bool touched = false;
    for (size_t a = 0; a < block->corners; a++) touched = touched || engine->placed[mb_pd_node(block, k, a)];
    if (!touched) continue;
    double G[9], g[MB_PD_SLOPES], square = 0;
    mb_pd_gradient(block, k, e, G, g);
    for (size_t c = 0; c < 3 * block->rank; c++) square += G[c] * G[c];
    largest = fmax(largest, square);
    const double w = mb_pd_weight(block, k) * mb_pd_volume(block, k);
    for (size_t a = 0; a < block->corners; a++) {
      const uint32_t number = engine->number[mb_pd_node(block, k, a)];
      for (size_t i = 0; i < 3 && number != MB_NONE; i++)
        for (size_t j = 0; j < block->rank; j++)
          engine->r[3 * (size_t)number + i] -= w * G[i * block->rank + j] * g[a * block->rank + j];
    }
  }
  return sqrt(largest);
}

bool mb_pd_lead(MbPdEngine *engine) {
  const double *e = engine->f, h2 = engine->h * engine->h;
  double largest = 0, sum[3];
  if (!engine->nfree || !jump(engine)) return true;
  memset(engine->r, 0, 3 * engine->nfree * sizeof *engine->r);
  for (size_t k = 0; k < engine->nblocks; k++) largest = fmax(largest, pull(engine, &engine->block[k], e));
  if (!(largest > MB_PD_LITTLE)) return true;
  for (size_t n = 0; n < engine->nfree && engine->form.n; n++) {
    mb_pd_form_row(&engine->form, engine->node[n], e, sum);
    mb_vec3_add_scaled(engine->r + 3 * n, engine->r + 3 * n, -engine->form.times[engine->node[n]], sum);
  }
  if (engine->newton) {
    if (!mb_pd_newton_factor_constant(engine)) return false;
    mb_pd_newton_solve(engine->newton, engine->r);
  } else {
    for (size_t c = 0; c < 3 * engine->nfree; c++) engine->r[c] *= h2;
    mb_pd_global_solve(&engine->global, engine->r);
  }
  return isfinite(mb_pd_advance(engine, 1));
}
