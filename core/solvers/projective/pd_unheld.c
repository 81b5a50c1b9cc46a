// Equilibria of parts that nothing holds, as a closed skin with a pressure in it that floats. Nothing but inertia keeps such a part where it
// is, and that is taken away while its equilibrium is found (sim/node_static.c): what rounding leaves of forces that sum up to nothing would
// move it by more than steps are to be right to. So the forces' sum and torque are taken off, as fractions of the masses, where they are
// what rounding leaves; and so are a correction's mean and its turning. Where they are more than that, something pulls at it, and
// there is no equilibrium.
#include "core/math/mat3.h"
#include "core/math/vec3.h"
#include "core/solvers/projective/pd_engine.h"

#include <string.h>

// A part's free nodes: their middle, mass and moments about it.
typedef struct Whole {
  double mass, middle[3], I[9];
} Whole;

static bool is_held(const MbPdEngine *engine, const MbPdBlock *block) {
  for (size_t i = 0; i < block->gradient.nodes; i++)
    if (engine->placed[block->first + i]) return true;
  return engine->ports || engine->cables;
}

static Whole whole_of(const MbPdEngine *engine, const MbPdBlock *block) {
  Whole w = {0};
  double d[3];
  for (size_t i = block->first; i < block->first + block->gradient.nodes; i++) {
    w.mass += engine->mass[i];
    mb_vec3_add_scaled(w.middle, w.middle, engine->mass[i], engine->q + 3 * i);
  }
  mb_vec3_scale(w.middle, 1 / w.mass, w.middle);
  for (size_t i = block->first; i < block->first + block->gradient.nodes; i++) {
    mb_vec3_sub(d, engine->q + 3 * i, w.middle);
    for (size_t c = 0; c < 9; c++)
      w.I[c] += engine->mass[i] * ((c % 4 == 0 ? mb_vec3_dot(d, d) : 0) - d[c / 3] * d[c % 3]);
  }
  return w;
}

// x ← I⁻¹ x; false: all nodes are on a line.
static bool turning(const double I[9], double x[3]) {
  static const double FLAT = 1e-12;
  const double size = I[0] + I[4] + I[8], det = mb_mat3_det(I);
  double A[9], y[3];
  if (!(det > FLAT * size * size * size)) return false;
  for (size_t k = 0; k < 3; k++) {
    memcpy(A, I, sizeof A);
    for (size_t c = 0; c < 3; c++) A[3 * c + k] = x[c];
    y[k] = mb_mat3_det(A) / det;
  }
  mb_vec3_copy(x, y);
  return true;
}

// Forces that strains of 1 would make.
static double strong(const MbPdBlock *block) {
  double sum = 0, g[MB_PD_SLOPES];
  for (size_t e = 0; e < block->count; e++) {
    double most = 0;
    mb_gradient_of(&block->gradient, e, g);
    for (size_t c = 0; c < block->corners * block->rank; c++) most = fmax(most, fabs(g[c]));
    sum += mb_pd_weight(block, e) * mb_pd_volume(block, e) * most;
  }
  return sum;
}

static void take_off(const MbPdEngine *engine, const MbPdBlock *block, bool forces, double *x) {
  static const double ROUNDED = 1e-12; // of the forces that strains of 1 would make
  const Whole w = whole_of(engine, block);
  double sum[3] = {0}, torque[3] = {0}, arms = 0, d[3], t[3];
  for (size_t i = block->first; i < block->first + block->gradient.nodes; i++) {
    const double *const own = x + 3 * (size_t)engine->number[i], m = forces ? 1 : engine->mass[i];
    mb_vec3_sub(d, engine->q + 3 * i, w.middle);
    mb_vec3_cross(t, d, own);
    mb_vec3_add_scaled(sum, sum, m, own);
    mb_vec3_add_scaled(torque, torque, m, t);
    arms = fmax(arms, mb_vec3_norm(d));
  }
  if (forces) {
    const double hidden = ROUNDED * strong(block);
    engine->drifts[block->part] = mb_vec3_norm(sum) <= hidden && mb_vec3_norm(torque) <= hidden * arms;
  }
  if (!engine->drifts[block->part]) return;
  const bool turns = turning(w.I, torque);
  for (size_t i = block->first; i < block->first + block->gradient.nodes; i++) {
    double *const own = x + 3 * (size_t)engine->number[i];
    mb_vec3_sub(d, engine->q + 3 * i, w.middle);
    mb_vec3_cross(t, torque, d);
    mb_vec3_scale(d, 1 / w.mass, sum);
    if (turns) mb_vec3_add(d, d, t);
    mb_vec3_add_scaled(own, own, forces ? -engine->mass[i] : -1, d);
  }
}

void mb_pd_unheld(MbPdEngine *engine, bool forces, double *x) {
  size_t part = SIZE_MAX;
  for (size_t k = 0; k < engine->nblocks && engine->still; k++) {
    const MbPdBlock *const block = &engine->block[k];
    if (block->part != part && !is_held(engine, block)) take_off(engine, block, forces, x);
    part = block->part;
  }
}
