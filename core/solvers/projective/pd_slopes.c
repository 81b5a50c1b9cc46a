// The way back through a step. With E the energy whose minimum Newton's method finds (pd_newton.c), R = ∂E/∂q₁ and H = ∂R/∂q₁, which is
// symmetric and here has all of its negative parts,
//
//   z = H⁻¹ q̄₁,   q̄ += −(∂R/∂q)ᵀ z,   v̄ += −(∂R/∂v)ᵀ z,   the targets' −(∂R/∂q_placed)ᵀ z
//
// R has the start of a step in its inertia, I (q₁ − q̃)/h², and in what damps: springs by their lengths l₀ there, elements by their strains
// E₀, bending by its measures z₀ (viscous.h, bending_damper.h), and wind by the areas and velocities of triangles (pd_slopes_loads.c). So of a
// damped element, with Z = Σ z_a g_aᵀ,
//
//   −z · R = (β/h) V (C : E_z) : E₀ + …,  E_z = ½ (FᵀZ + ZᵀF),   which is felt by F₀ with  (β/h) V F₀ C : E_z
//
// H's factor is Newton's own, of its exact matrix. Cables bend with T (1 − d dᵀ)/l of each piece, which couples nodes that the matrix does
// not: they are added by conjugate gradients, which that factor makes so short that there are two iterations a piece. What placed
// nodes feel is taken by differences of forces along z, of fourth order, some 1e-12 off.
#include "core/solvers/projective/pd_slopes.h"
#include "core/base/alloc.h"
#include "core/deformables/viscous.h"
#include "core/math/vec3.h"

#include <math.h>
#include <string.h>

// ---- room -------------------------------------------------------------------------------------------------

bool mb_pd_slopes_make(MbPdEngine *engine) {
  if (engine->slopes) return true;
  MbPdSlopes *s = engine->slopes = mb_calloc(1, sizeof *s);
  if (!s) return false;
  s->q = mb_calloc(engine->n, 3 * sizeof *s->q);
  s->f = mb_calloc(engine->n, 3 * sizeof *s->f);
  s->felt = mb_calloc(engine->nfree, 3 * sizeof *s->felt);
  s->down = mb_calloc(engine->nfree, 3 * sizeof *s->down);
  s->way = mb_calloc(engine->nfree, 3 * sizeof *s->way);
  if (s->q && s->f && s->felt && s->down && s->way) return true;
  mb_pd_slopes_free(engine);
  return false;
}

void mb_pd_slopes_free(MbPdEngine *engine) {
  MbPdSlopes *s = engine->slopes;
  if (!s) return;
  mb_free(s->q), mb_free(s->f);
  mb_free(s->felt), mb_free(s->down), mb_free(s->way);
  mb_free(s);
  engine->slopes = NULL;
}

size_t mb_pd_slopes_bytes(const MbPdEngine *engine) {
  return engine->slopes ? sizeof(MbPdSlopes) + (6 * engine->n + 9 * engine->nfree) * sizeof(double) : 0;
}

// ---- H ----------------------------------------------------------------------------------------------------

bool mb_pd_slopes_at(MbPdEngine *engine, const MbNodeStart *start, const double *q1) {
  if (!mb_pd_slopes_make(engine)) return false;
  engine->start = start;
  memcpy(engine->q, q1, 3 * engine->n * sizeof *engine->q);
  mb_pd_local_begin(engine, start->q);
  mb_pd_loads_begin(engine);
  return !engine->nfree || mb_pd_newton_factor_exact(engine);
}

static bool is_placed(const MbPdEngine *engine, size_t i, size_t axis) {
  return engine->placed[i] >> axis & 1;
}

// c ← the mean of a group's x (nfree x 3); or adds y to those of its nodes that are free, over as many as there are.
static void group_mean(const MbPdEngine *engine, const MbCablePath *path, size_t j, const double *x,
                       double c[3]) {
  const size_t begin = path->first[j], end = path->first[j + 1];
  mb_vec3_set(c, 0, 0, 0);
  for (size_t k = begin; k < end; k++) {
    const uint32_t number = engine->number[path->node[k]];
    if (number != MB_NONE) mb_vec3_add_scaled(c, c, 1 / (double)(end - begin), x + 3 * (size_t)number);
  }
}
static void group_add(const MbPdEngine *engine, const MbCablePath *path, size_t j, double way,
                      const double y[3], double *out) {
  const size_t begin = path->first[j], end = path->first[j + 1];
  for (size_t k = begin; k < end; k++) {
    const size_t i = path->node[k];
    const uint32_t number = engine->number[i];
    for (size_t c = 0; c < 3 && number != MB_NONE; c++)
      if (!is_placed(engine, i, c)) out[3 * (size_t)number + c] += way / (double)(end - begin) * y[c];
  }
}

// out (nfree x 3) += C x of the cables, x being 0 along placed axes
static void add_cables(const MbPdEngine *engine, const double *x, double *out) {
  const MbCablePath *paths;
  const size_t n = mb_pd_cables(engine, &paths);
  for (size_t k = 0; k < n; k++)
    for (size_t j = 0; j + 1 < paths[k].npoints; j++) {
      double a[3], b[3], d[3], x_a[3], y[3];
      mb_cable_point(&paths[k], j, engine->q, a);
      mb_cable_point(&paths[k], j + 1, engine->q, b);
      mb_vec3_sub(d, b, a);
      const double l = mb_vec3_norm(d);
      if (!(l > 0)) continue;
      group_mean(engine, &paths[k], j, x, x_a);
      group_mean(engine, &paths[k], j + 1, x, y);
      mb_vec3_sub(y, y, x_a);
      mb_vec3_add_scaled(y, y, -mb_vec3_dot(d, y) / (l * l), d);
      mb_vec3_scale(y, engine->start->force[k] / l, y);
      group_add(engine, &paths[k], j, -1, y, out);
      group_add(engine, &paths[k], j + 1, 1, y, out);
    }
}

static double dot(const double *a, const double *b, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

// x ← (H + C)⁻¹ x. As H⁻¹ (H + C) = 1 + H⁻¹ C, the iterations are conjugate gradients with H⁻¹ before them, and H x = b − what has been
// taken off is never multiplied out: with p = H⁻¹ s of a way s, (H + C) p = s + C p.
static bool solve(MbPdEngine *engine, double *x) {
  static const double CLOSE = 1e-26; // of the first, squared
  MbPdSlopes *s = engine->slopes;
  const MbCablePath *paths;
  const size_t n = 3 * engine->nfree;
  size_t pieces = 2;
  if (!mb_pd_cables(engine, &paths)) {
    mb_pd_newton_solve(engine->newton, x);
    return true;
  }
  for (size_t k = 0; k < mb_pd_cables(engine, &paths); k++) pieces += paths[k].npoints;
  double *left = s->felt, *p = s->down, *Hp = s->way, *solved = engine->r, first = 0, before = 0;
  double *const answer = s->q; // (n x 3), of which as many are used
  memcpy(left, x, n * sizeof *x);
  memset(answer, 0, n * sizeof *answer);
  memset(p, 0, n * sizeof *p), memset(Hp, 0, n * sizeof *Hp);
  for (size_t i = 0; i < 20 * pieces; i++) {
    memcpy(solved, left, n * sizeof *solved);
    mb_pd_newton_solve(engine->newton, solved);
    const double now = dot(left, solved, n);
    if (i == 0) first = now;
    if (!(now > CLOSE * first)) break;
    // H p is carried along with p
    const double share = before > 0 ? now / before : 0;
    for (size_t c = 0; c < n; c++) p[c] = solved[c] + share * p[c], Hp[c] = left[c] + share * Hp[c];
    memset(s->f, 0, n * sizeof *s->f);
    add_cables(engine, p, s->f);
    const double length = now / (dot(p, Hp, n) + dot(p, s->f, n));
    for (size_t c = 0; c < n; c++) answer[c] += length * p[c], left[c] -= length * (Hp[c] + s->f[c]);
    before = now;
  }
  memcpy(solved, left, n * sizeof *solved);
  mb_pd_newton_solve(engine->newton, solved);
  const bool fine = !(dot(left, solved, n) > 1e4 * CLOSE * first);
  memcpy(x, answer, n * sizeof *x);
  return fine;
}

bool mb_pd_slopes_back(MbPdEngine *engine, const double *felt, double *z) {
  double *x = z;
  memset(z, 0, 3 * engine->n * sizeof *z);
  if (!engine->nfree) return true;
  // free nodes ascend as all do, so that what is made of them has room in front
  for (size_t f = 0; f < engine->nfree; f++)
    for (size_t c = 0; c < 3; c++)
      x[3 * f + c] = is_placed(engine, engine->node[f], c) ? 0 : felt[3 * (size_t)engine->node[f] + c];
  if (!solve(engine, x)) return false;
  for (size_t f = engine->nfree; f-- > 0;) {
    const double at[3] = {x[3 * f], x[3 * f + 1], x[3 * f + 2]};
    mb_vec3_set(z + 3 * f, 0, 0, 0);
    mb_vec3_copy(z + 3 * (size_t)engine->node[f], at);
  }
  return true;
}

// felt of placed axes += ∂f/∂q z there
void mb_pd_slopes_held(MbPdEngine *engine, const double *z, double *felt) {
  static const double MOVE = 1e-5, weight[5] = {1, -8, 0, 8, -1}; // of the size
  MbPdSlopes *s = engine->slopes;
  double most = 0;
  for (size_t c = 0; c < 3 * engine->n; c++) {
    most = fmax(most, fabs(z[c]));
    if (!is_placed(engine, c / 3, c % 3)) felt[c] = 0;
  }
  if (!(most > 0)) return;
  const double move = MOVE * engine->size / most;
  for (int side = -2; side <= 2; side++) {
    if (!side) continue;
    for (size_t c = 0; c < 3 * engine->n; c++) s->q[c] = engine->q[c] + side * move * z[c];
    mb_pd_forces(engine, s->q, s->f);
    if (engine->cables) mb_pd_cables_pull(engine, s->q, s->f);
    for (size_t c = 0; c < 3 * engine->n; c++)
      if (is_placed(engine, c / 3, c % 3)) felt[c] += weight[side + 2] / (12 * move) * s->f[c];
  }
}

// ---- the start --------------------------------------------------------------------------------------------

void mb_pd_slopes_measure(MbPdBlock *block, size_t e, const double *q) {
  double F[9], g[MB_PD_SLOPES];
  mb_pd_gradient(block, e, q, F, g);
  if (block->rank == 1)
    block->before[e] = mb_vec3_norm(F);
  else
    mb_viscous_strain(&block->elastic, (int)block->rank, F, block->before + block->rank * block->rank * e);
}

// What F₀ of a damped element is felt by, V times it: of a spring V L (c/h) (F · Z)/s F₀/s₀, of others as above; false: nothing.
static bool element_felt(const MbPdBlock *block, size_t e, const double F[9], const double Z[9],
                         const double F0[9], double felt[9]) {
  const int rank = (int)block->rank;
  double E[9];
  if (rank > 1) {
    mb_viscous_rate(&block->elastic, rank, F, Z, E);
    mb_viscous_stress(&block->elastic, rank, F0, E, felt);
    for (int c = 0; c < 3 * rank; c++) felt[c] *= block->damper * mb_pd_volume(block, e);
    return true;
  }
  const double s = mb_vec3_norm(F), s0 = mb_vec3_norm(F0);
  if (!(s > 0) || !(s0 > 0)) return false;
  mb_vec3_scale(felt,
                mb_pd_volume(block, e) * block->gradient.size[e] * block->c[e] * mb_vec3_dot(F, Z) / (s * s0),
                F0);
  return true;
}

static void block_felt(const MbPdEngine *engine, const MbPdBlock *block, const double *z, double *q) {
  double F[9], Z[9], F0[9], felt[9], g[MB_PD_SLOPES];
  for (size_t e = 0; e < block->count; e++) {
    if (block->rank == 1 && !(block->c[e] > 0)) continue;
    mb_pd_gradient(block, e, engine->q, F, g);
    mb_pd_gradient(block, e, z, Z, g);
    mb_pd_gradient(block, e, engine->start->q, F0, g);
    if (!element_felt(block, e, F, Z, F0, felt)) continue;
    for (size_t a = 0; a < block->corners; a++) {
      double *to = q + 3 * mb_pd_node(block, e, a);
      for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < block->rank; j++) to[i] += felt[i * block->rank + j] * g[a * block->rank + j];
    }
  }
}

static void bends_felt(const MbPdEngine *engine, const MbPdBends *bends, const double *z, double *q) {
  MbBent bent;
  double along[MB_BENT_MEASURES];
  for (size_t s = 0; s < bends->damper.count; s++) {
    const uint32_t *const node = bends->damper.node + bends->damper.first[s];
    mb_pd_bent(bends, s, engine->q, false, &bent);
    for (size_t m = 0; m < bent.measures; m++) {
      along[m] = 0;
      for (size_t a = 0; a < bent.nodes; a++)
        along[m] += mb_vec3_dot(mb_bent_slope(&bent, m, a), z + 3 * (bends->first + node[a]));
    }
    mb_pd_bent(bends, s, engine->start->q, false, &bent);
    for (size_t m = 0; m < bent.measures; m++)
      for (size_t a = 0; a < bent.nodes; a++) {
        double *to = q + 3 * (bends->first + node[a]);
        mb_vec3_add_scaled(to, to, bends->weight * along[m], mb_bent_slope(&bent, m, a));
      }
  }
}

void mb_pd_slopes_start(MbPdEngine *engine, const double *z, double *q, double *v) {
  const double h = engine->h;
  for (size_t c = 0; c < 3 * engine->n; c++) {
    q[c] += engine->inertia[c / 3] / (h * h) * z[c];
    v[c] += engine->mass[c / 3] / h * z[c];
  }
  for (size_t k = 0; k < engine->nblocks; k++)
    if (engine->block[k].rank == 1 || mb_pd_damped(&engine->block[k]))
      block_felt(engine, &engine->block[k], z, q);
  for (size_t k = 0; k < engine->form.nbends; k++) bends_felt(engine, &engine->form.bends[k], z, q);
  mb_pd_slopes_blown(engine, z, q, v);
}

// In a step that begins and ends there nothing damps; and without the air nothing blows.
void mb_pd_slopes_elastic(MbPdEngine *engine, const double *q, const MbNodeLoad *load, double *slope) {
  const MbNodeStart here = {.q = q, .v = q, .load = load};
  engine->start = &here;
  mb_pd_local_begin(engine, q);
  mb_pd_loads_begin(engine);
  for (size_t i = 0; i < engine->nloaded; i++) {
    memset(engine->loaded[i].f, 0, 3 * engine->loaded[i].of->nouter * sizeof(double));
    memset(engine->loaded[i].C, 0, 9 * engine->loaded[i].of->nouter * sizeof(double));
  }
  mb_pd_forces(engine, q, slope);
  for (size_t c = 0; c < 3 * engine->n; c++) slope[c] = -slope[c];
  engine->start = NULL;
}
