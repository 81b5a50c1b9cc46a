// Newton's method on the same minimum: H = M/h² + Σ V Gᵀ ∂P/∂F G + Q with the negative parts of ∂P/∂F left out, so that every
// direction goes down, and a line search on the energy (Armijo). Near the solution they are left in where H is positive all the same:
// without them crushed elements would make it come closer by a factor only. Blocks of H are assembled 3 x 3 by pairs of free nodes; axes
// along which a node is placed are left out of the sparse matrix. A gas adds s g gᵀ with s = −P′ and g = ∂V/∂x of its chamber, which couples all
// nodes around it: with these one after the other, H_k = H_{k−1} + s_k g_k g_kᵀ and z_k = H_{k−1}⁻¹ g_k, solutions are corrected by
// (Sherman, Morrison)
//
//   H_k⁻¹ b = x − z_k s_k (g_k · x)/(1 + s_k g_k · z_k),  x = H_{k−1}⁻¹ b
#include "core/base/alloc.h"
#include "core/base/threads.h"
#include "core/base/report.h"
#include "core/deformables/bending_rest.h"
#include "core/solvers/projective/pd_engine.h"
#include "core/sparse/cholesky.h"

#include <math.h>
#include <string.h>

enum { CHUNK = 512, HALVINGS = 40 }; // elements whose matrices are there at once
static const double ARMIJO = 1e-4, ROUNDING = 1e-13;
static const double TIGHT = 1e-12,
                    NEAR = 1e-6, // corrections by the size: the least that means anything; taken whole
    CLOSE = 1e-2;                // after which H is exact

struct MbPdNewton {
  MbPattern blocks;  // (nfree) pairs of nodes, lower triangle
  size_t nelements;  // pairs of all elements
  uint32_t *dof;     // (nfree x 3) unknowns; MB_NONE = placed
  size_t n;          // unknowns
  MbPattern pattern; // (n)
  size_t *slot;      // (pairs of elements + nfree + pairs of the form) blocks that these go to
  size_t *place;     // (blocks x 9) where a block's numbers go in the pattern; SIZE_MAX = nowhere
  double *B, *value; // (blocks x 9), (entries)
  MbCholesky *factor;
  size_t wide;   // numbers of an element's matrix at most
  double *K;     // (CHUNK x wide) elements' matrices
  double *x, *b; // (n); (nfree x 3, and beside)
  double *trial; // (nodes x 3)
  // gases: how many there are, and of how many H has them
  size_t ngases, gases;
  double *g, *z, *s; // (ngases x nfree x 3) twice, (ngases) s/(1 + s g · z)
};

// ---- patterns ---------------------------------------------------------------------------------------------

static bool number_unknowns(const MbPdEngine *engine, MbPdNewton *newton) {
  newton->dof = mb_calloc(engine->nfree, 3 * sizeof *newton->dof);
  if (!newton->dof) return false;
  for (size_t f = 0; f < engine->nfree; f++)
    for (size_t c = 0; c < 3; c++)
      newton->dof[3 * f + c] = engine->placed[engine->node[f]] >> c & 1 ? MB_NONE : (uint32_t)newton->n++;
  return true;
}

// Of the numbers of every block those that stand in the lower triangle; a block on the diagonal has three of them twice.
static bool expand(const MbPdEngine *engine, MbPdNewton *newton) {
  const MbPattern *blocks = &newton->blocks;
  const size_t nblocks = blocks->start[blocks->n];
  MbAssembly assembly;
  size_t *slot = NULL, next = 0;
  mb_assembly_begin(&assembly, newton->n);
  newton->place = mb_calloc(nblocks, 9 * sizeof *newton->place);
  for (size_t pass = 0; pass < 2 && newton->place; pass++) {
    for (size_t j = 0; j < engine->nfree; j++)
      for (size_t k = blocks->start[j]; k < blocks->start[j + 1]; k++)
        for (size_t c = 0; c < 9; c++) {
          const size_t i = blocks->row[k];
          const uint32_t row = newton->dof[3 * i + c / 3], column = newton->dof[3 * j + c % 3];
          const bool counts = row != MB_NONE && column != MB_NONE && (i != j || c / 3 >= c % 3);
          if (pass == 0 && counts) mb_assembly_add(&assembly, row, column);
          if (pass == 1) newton->place[9 * k + c] = counts ? slot[next++] : SIZE_MAX;
        }
    if (pass == 0 && !mb_assembly_end(&assembly, &newton->pattern, &slot)) return false;
  }
  mb_free(slot);
  return newton->place != NULL;
}

// Nodes by nested dissection, their unknowns together.
static MbCholesky *analyse(const MbPdEngine *engine, const MbPdNewton *newton) {
  uint32_t *order = mb_calloc(engine->nfree, sizeof *order), *perm = mb_calloc(newton->n, sizeof *perm);
  MbCholesky *factor = NULL;
  size_t next = 0;
  if (order && perm && mb_order_dissection(&newton->blocks, order)) {
    for (size_t k = 0; k < engine->nfree; k++)
      for (size_t c = 0; c < 3; c++) {
        const uint32_t dof = newton->dof[3 * (size_t)order[k] + c];
        if (dof != MB_NONE) perm[next++] = dof;
      }
    factor = mb_cholesky_analyse_as(&newton->pattern, perm, MB_JOIN_ANY, engine->threads);
  }
  mb_free(order);
  mb_free(perm);
  return factor;
}

static bool allocate(const MbPdEngine *engine, MbPdNewton *newton) {
  newton->B = mb_calloc(newton->blocks.start[engine->nfree], 9 * sizeof *newton->B);
  newton->value = mb_calloc(newton->pattern.start[newton->n], sizeof *newton->value);
  for (size_t k = 0; k < engine->nblocks; k++) {
    const size_t corners = engine->block[k].corners, wide = 9 * corners * (corners + 1) / 2;
    newton->wide = wide > newton->wide ? wide : newton->wide;
  }
  newton->K = mb_calloc(CHUNK, newton->wide * sizeof *newton->K);
  newton->x = mb_calloc(newton->n, sizeof *newton->x);
  newton->b = mb_calloc(3 * engine->nfree + engine->beside, sizeof *newton->b);
  newton->trial = mb_calloc(engine->n, 3 * sizeof *newton->trial);
  for (size_t i = 0; i < engine->nloaded; i++)
    newton->ngases += engine->loaded[i].of->gas > 0 ? engine->loaded[i].of->nchambers : 0;
  newton->g = mb_calloc(newton->ngases * engine->nfree, 3 * sizeof *newton->g);
  newton->z = mb_calloc(newton->ngases * engine->nfree, 3 * sizeof *newton->z);
  newton->s = mb_calloc(newton->ngases, sizeof *newton->s);
  if (!newton->g || !newton->z || !newton->s) return false;
  return newton->B && newton->value && newton->K && newton->x && newton->b && newton->trial;
}

MbStatus mb_pd_newton_make(MbPdEngine *engine, const MbPdSpec *spec, MbReport *report) {
  const double MB = 1048576, room = spec->memory ? (double)spec->memory : mb_sparse_room();
  MbPdNewton *newton = engine->newton = mb_calloc(1, sizeof *newton);
  MbAssembly assembly;
  if (!newton) return mb_no_memory(report, "deformables");
  mb_assembly_begin(&assembly, engine->nfree);
  mb_pd_pairs(engine, &assembly);
  bool ok = mb_assembly_end(&assembly, &newton->blocks, &newton->slot) && number_unknowns(engine, newton) &&
            expand(engine, newton) && allocate(engine, newton);
  if (ok) ok = (newton->factor = analyse(engine, newton)) != NULL;
  if (ok && (double)mb_cholesky_size(newton->factor).bytes > room)
    return mb_error(
        report, MB_SCENE, "",
        "\"newton\" of %zu nodes takes %.1f MB, and there may be %.1f MB; \"projective\" takes less",
        engine->nfree, (double)mb_cholesky_size(newton->factor).bytes / MB, room / MB);
  return ok && mb_cholesky_hold(newton->factor) ? MB_OK : mb_no_memory(report, "deformables");
}

void mb_pd_newton_free(MbPdNewton *newton) {
  if (!newton) return;
  mb_pattern_free(&newton->blocks);
  mb_pattern_free(&newton->pattern);
  mb_free(newton->slot);
  mb_free(newton->dof);
  mb_free(newton->place);
  mb_free(newton->B);
  mb_free(newton->value);
  mb_free(newton->K);
  mb_free(newton->x);
  mb_free(newton->b);
  mb_free(newton->trial);
  mb_free(newton->g);
  mb_free(newton->z);
  mb_free(newton->s);
  mb_cholesky_free(newton->factor);
  mb_free(newton);
}

size_t mb_pd_newton_bytes(const MbPdNewton *newton) {
  if (!newton) return 0;
  const size_t blocks = newton->blocks.start[newton->blocks.n];
  return sizeof *newton + blocks * 9 * (sizeof(size_t) + sizeof(double)) +
         newton->pattern.start[newton->n] * (sizeof(double) + sizeof(uint32_t)) +
         CHUNK * newton->wide * sizeof(double) +
         newton->ngases * (6 * newton->blocks.n + 1) * sizeof(double) +
         mb_cholesky_size(newton->factor).bytes;
}

// ---- the matrix -------------------------------------------------------------------------------------------

// What H is made of: the constant weights, or ∂P/∂F without its negative parts, or all of it.
typedef enum Kind { CONSTANT, POSITIVE, EXACT } Kind;

typedef struct Job {
  const MbPdBlock *block;
  const double *q;
  Kind kind;
  size_t first, wide;
  double *K; // (elements of the chunk x wide) by pairs of nodes a ≥ b, each 3 x 3
} Job;

// K_ab = V Σ g_a[j] ∂P_ij/∂F_kl g_b[l], of corners b <= a: first P's change with each corner b, which all corners a share.
static void element_block(const double *g, const double *H, size_t rank, size_t corners, double volume,
                          double *K) {
  const size_t width = 3 * rank;
  double T[MB_PD_SLOPES * 9]; // of corner b: ∂P_ij/∂x_bk in row 3 i + j, column k
  for (size_t b = 0; b < corners; b++)
    for (size_t row = 0; row < width; row++)
      for (size_t k = 0; k < 3; k++) {
        const double *h = H + width * row + rank * k;
        double sum = 0;
        for (size_t l = 0; l < rank; l++) sum += h[l] * g[b * rank + l];
        T[3 * (width * b + row) + k] = sum;
      }
  for (size_t a = 0; a < corners; a++)
    for (size_t b = 0; b <= a; b++)
      for (size_t c = 0; c < 9; c++, K++) {
        const double *t = T + 3 * (width * b + rank * (c / 3)) + c % 3;
        double sum = 0;
        for (size_t j = 0; j < rank; j++) sum += g[a * rank + j] * t[3 * j];
        *K = volume * sum;
      }
}

static void element_range(void *context, size_t begin, size_t end) {
  const Job *const job = context;
  const MbPdBlock *block = job->block;
  const size_t width = 3 * block->rank;
  double F[9], g[MB_PD_SLOPES], H[81];
  for (size_t n = begin; n < end; n++) {
    const size_t e = job->first + n;
    mb_pd_gradient(block, e, job->q, F, g);
    if (job->kind == CONSTANT)
      for (size_t c = 0; c < width * width; c++) H[c] = c % (width + 1) == 0 ? mb_pd_weight(block, e) : 0;
    else
      mb_pd_tangent(block, e, F, job->kind == POSITIVE, H);
    element_block(g, H, block->rank, block->corners, mb_pd_volume(block, e), job->K + job->wide * n);
  }
}

// Into the lower triangle's blocks, in the order of mb_pd_pairs.
static size_t add_elements(MbPdEngine *engine, const MbPdBlock *block, const double *q, Kind kind,
                           size_t next) {
  MbPdNewton *newton = engine->newton;
  const uint32_t *number = engine->number;
  size_t same = next; // points of an element have the same pairs
  for (size_t first = 0; first < block->count; first += CHUNK) {
    const size_t count = block->count - first < CHUNK ? block->count - first : CHUNK;
    Job job = {block, q, kind, first, newton->wide, newton->K};
    mb_parallel_ranges(engine->threads, count, 16, element_range, &job);
    for (size_t n = 0; n < count; n++) {
      const double *K = newton->K + newton->wide * n;
      if ((first + n) % block->points) next = same;
      same = next;
      for (size_t a = 0; a < block->corners; a++)
        for (size_t b = 0; b <= a; b++, K += 9) {
          const uint32_t i = number[mb_pd_node(block, first + n, a)],
                         j = number[mb_pd_node(block, first + n, b)];
          if (i == MB_NONE || j == MB_NONE) continue;
          double *to = newton->B + 9 * newton->slot[next++];
          for (size_t c = 0; c < 9; c++) to[i >= j ? c : 3 * (c % 3) + c / 3] += K[c];
        }
    }
  }
  return next;
}

// The block of nodes i and j, which the pattern has; NULL: one of them is placed. *turned: it is that of j and i.
static double *block_of(const MbPdEngine *engine, uint32_t i, uint32_t j, bool *turned) {
  const MbPdNewton *newton = engine->newton;
  const uint32_t a = engine->number[i], b = engine->number[j];
  if (a == MB_NONE || b == MB_NONE) return NULL;
  *turned = a < b;
  const uint32_t row = a < b ? b : a, column = a < b ? a : b;
  size_t low = newton->blocks.start[column], high = newton->blocks.start[column + 1];
  while (high - low > 1) {
    const size_t middle = low + (high - low) / 2;
    if (newton->blocks.row[middle] > row)
      high = middle;
    else
      low = middle;
  }
  return newton->B + 9 * low;
}

// Adds `factor` times K of nodes i and j, where they are one node with its transpose if it is to be there too.
static void add_pair(const MbPdEngine *engine, uint32_t i, uint32_t j, double factor, const double K[9],
                     bool both) {
  bool turned;
  double *to = block_of(engine, i, j, &turned);
  for (size_t c = 0; to && c < 9; c++) {
    const double across = K[3 * (c % 3) + c / 3];
    to[c] += factor * (turned ? across : K[c]);
    if (both && i == j) to[c] += factor * across;
  }
}

// What rest curvatures add: minus the second derivatives of n · w.
static void add_rest(const MbPdEngine *engine, const double *q, Kind kind) {
  const MbBendingRest *rest = &engine->form.rest;
  for (size_t t = 0; t < rest->count && kind != CONSTANT; t++) {
    const uint32_t *const corner = rest->corner + 3 * t;
    const double *p[3];
    double w[3], turn[3][9], H[9][9];
    mb_pd_form_rest_of(&engine->form, t, q, p, w);
    mb_bending_pull_slopes(p, w, kind == POSITIVE ? rest->square[t] : 0, turn, H);
    for (size_t i = 0; i < 3; i++)
      for (size_t j = 0; j <= i; j++) add_pair(engine, corner[i], corner[j], -1, H[3 * i + j], false);
    for (size_t k = rest->first[t]; k < rest->first[t + 1]; k++)
      for (size_t j = 0; j < 3; j++)
        add_pair(engine, rest->node[k], corner[j], -rest->weight[k], turn[j], true);
  }
}

// Of what damps bending β/h (∂z/∂x ∂z/∂xᵀ + (z − z₀) ∂²z/∂x²), and the second part only where H is to be exact.
static void add_bends(const MbPdEngine *engine, const MbPdBends *bends, const double *q, Kind kind) {
  const MbBendingDamper *const damper = &bends->damper;
  MbBent bent;
  for (size_t s = 0; s < damper->count; s++) {
    const uint32_t *const node = damper->node + damper->first[s];
    mb_pd_bent(bends, s, q, kind == EXACT, &bent);
    for (size_t a = 0; a < bent.nodes; a++)
      for (size_t b = 0; b <= a; b++) {
        double K[9] = {0}, B[9];
        for (size_t m = 0; m < bent.measures; m++) {
          const double away = bent.z[m] - bends->before[bent.measures * s + m];
          const double *const za = mb_bent_slope(&bent, m, a), *const zb = mb_bent_slope(&bent, m, b);
          for (size_t c = 0; c < 9; c++) K[c] += za[c / 3] * zb[c % 3];
          if (kind != EXACT) continue;
          mb_bent_second(&bent, m, a, b, B);
          for (size_t c = 0; c < 9; c++) K[c] += away * B[c];
        }
        add_pair(engine, (uint32_t)bends->first + node[a], (uint32_t)bends->first + node[b], bends->weight, K,
                 a != b);
      }
  }
}

// What acts on surfaces: minus the second derivatives of P V where they are to be exact, and C/9h of the wind, which has no negative eigenvalues.
static void add_surface(MbPdEngine *engine, const MbPdLoaded *s, const double *q, Kind kind) {
  const MbElementSurface *of = s->of;
  const MbSpots spots = {q + 3 * s->first, 3};
  const uint32_t first = (uint32_t)s->first;
  for (size_t k = 0; k < of->nchambers && kind == EXACT; k++) {
    double P, K[3][9];
    mb_chamber_energy(of, k, s->load.pressure, mb_chamber_volume(of, k, spots), &P, NULL);
    for (size_t t = of->chamber[k]; t < of->chamber[k + 1]; t++) {
      const uint32_t *const corner = of->inner + 3 * t;
      mb_triangle_curve(spots, corner, of->inner[3 * of->chamber[k]], K);
      for (size_t j = 0; j < 3; j++)
        add_pair(engine, first + corner[(j + 1) % 3], first + corner[j], -P, K[j], false);
    }
  }
  for (size_t t = 0; t < of->nouter && kind != CONSTANT; t++)
    for (size_t i = 0; i < 3; i++)
      for (size_t j = 0; j <= i; j++)
        add_pair(engine, first + of->outer[3 * t + i], first + of->outer[3 * t + j], 1 / (9 * engine->span),
                 s->C + 9 * t, false);
}

// Of fibres V c_a c_b (T′ u uᵀ + T/λ (1 − u uᵀ)), or in its place the most that this may be.
static void add_fibres(MbPdEngine *engine, const MbPdLoaded *s, const double *q, Kind kind) {
  size_t corners;
  const size_t n = mb_pd_fibred(s, &corners);
  double y[3], u[3], T, H[9] = {0};
  for (size_t m = 0; n && m < s->fibred->nfibres; m++) {
    const MbFibres *fibres = &s->fibred->fibres[m];
    for (size_t k = 0; k < n; k++) {
      const uint32_t *const corner = mb_pd_fibred_corners(s, k);
      const double *const c = fibres->weight + corners * k, V = s->fibred->fibre_volume[k];
      mb_fibre_along(c, corners, (MbSpots){q + 3 * s->first, 3}, corner, y);
      if (kind == CONSTANT)
        H[0] = H[4] = H[8] = mb_fibre_most(fibres);
      else
        mb_fibre_pull(fibres, s->load.activation[m], y, u, &T, H);
      for (size_t a = 0; a < corners; a++)
        for (size_t b = 0; b <= a; b++)
          add_pair(engine, (uint32_t)s->first + corner[a], (uint32_t)s->first + corner[b], V * c[a] * c[b], H,
                   false);
    }
  }
}

// g of a chamber by free nodes, along axes that are not placed; returns s.
static double look_at_gas(const MbPdEngine *engine, const MbPdLoaded *s, size_t chamber, const double *q,
                          double *g) {
  const MbElementSurface *of = s->of;
  const MbSpots spots = {q + 3 * s->first, 3};
  double slope;
  mb_chamber_energy(of, chamber, 0, mb_chamber_volume(of, chamber, spots), NULL, &slope);
  memset(g, 0, 3 * engine->nfree * sizeof *g);
  for (size_t t = of->chamber[chamber]; t < of->chamber[chamber + 1]; t++) {
    double a[3];
    mb_triangle_area(spots, of->inner + 3 * t, a);
    for (size_t j = 0; j < 3; j++) {
      const size_t i = s->first + of->inner[3 * t + j];
      const uint32_t number = engine->number[i];
      for (size_t c = 0; c < 3 && number != MB_NONE; c++)
        g[3 * (size_t)number + c] += engine->placed[i] >> c & 1 ? 0 : a[c] / 3;
    }
  }
  return -slope;
}

static double dot(const double *a, const double *b, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

static void add_gases(MbPdEngine *engine, const double *q) {
  MbPdNewton *newton = engine->newton;
  const size_t n = 3 * engine->nfree;
  for (size_t i = 0; i < engine->nloaded; i++) {
    const MbPdLoaded *s = &engine->loaded[i];
    for (size_t k = 0; s->of->gas > 0 && k < s->of->nchambers; k++) {
      double *const g = newton->g + n * newton->gases, *const z = newton->z + n * newton->gases;
      const double stiffness = look_at_gas(engine, s, k, q, g);
      memcpy(z, g, n * sizeof *z);
      mb_pd_newton_solve(newton, z);
      newton->s[newton->gases++] = stiffness / (1 + stiffness * dot(g, z, n));
    }
  }
}

static bool factor(MbPdEngine *engine, const double *q, Kind kind) {
  MbPdNewton *newton = engine->newton;
  const size_t nblocks = newton->blocks.start[engine->nfree];
  const double h2 = engine->h * engine->h;
  size_t next = 0, blame = 0;
  memset(newton->B, 0, 9 * nblocks * sizeof *newton->B);
  for (size_t f = 0; f < engine->nfree; f++) {
    double *to = newton->B + 9 * newton->slot[next++];
    for (size_t c = 0; c < 3; c++) to[4 * c] += engine->inertia[engine->node[f]] / h2;
  }
  for (size_t k = 0; k < engine->nblocks; k++) next = add_elements(engine, &engine->block[k], q, kind, next);
  const MbPdForm *form = &engine->form;
  for (size_t i = 0; i < form->n; i++)
    for (size_t k = form->start[i]; k < form->start[i + 1]; k++) {
      if (form->column[k] > i || engine->number[i] == MB_NONE || engine->number[form->column[k]] == MB_NONE)
        continue;
      double *to = newton->B + 9 * newton->slot[next++];
      for (size_t c = 0; c < 3; c++) to[4 * c] += (kind == CONSTANT ? form->times[i] : 1) * form->value[k];
    }
  add_rest(engine, q, kind);
  for (size_t k = 0; k < form->nbends && kind != CONSTANT; k++) add_bends(engine, &form->bends[k], q, kind);
  for (size_t i = 0; i < engine->nloaded; i++) {
    add_surface(engine, &engine->loaded[i], q, kind);
    add_fibres(engine, &engine->loaded[i], q, kind);
  }
  memset(newton->value, 0, newton->pattern.start[newton->n] * sizeof *newton->value);
  for (size_t k = 0; k < 9 * nblocks; k++)
    if (newton->place[k] != SIZE_MAX) newton->value[newton->place[k]] += newton->B[k];
  newton->gases = 0;
  if (!mb_cholesky_factor(newton->factor, newton->value, &blame)) return false;
  if (kind != CONSTANT) add_gases(engine, q);
  return true;
}

bool mb_pd_newton_factor_constant(MbPdEngine *engine) { return factor(engine, engine->q, CONSTANT); }
bool mb_pd_newton_factor_exact(MbPdEngine *engine) { return factor(engine, engine->q, EXACT); }

void mb_pd_newton_solve(MbPdNewton *newton, double *x) {
  const size_t count = 3 * newton->blocks.n;
  for (size_t k = 0; k < count; k++)
    if (newton->dof[k] != MB_NONE) newton->x[newton->dof[k]] = x[k];
  mb_cholesky_solve(newton->factor, newton->x, 1);
  for (size_t k = 0; k < count; k++) x[k] = newton->dof[k] != MB_NONE ? newton->x[newton->dof[k]] : 0;
  for (size_t k = 0; k < newton->gases; k++) {
    const double push = newton->s[k] * dot(newton->g + count * k, x, count);
    const double *const z = newton->z + count * k;
    for (size_t c = 0; c < count; c++) x[c] -= push * z[c];
  }
}

// ---- a step -----------------------------------------------------------------------------------------------

// b ← minus the gradient
static void downhill(MbPdEngine *engine, double *b) {
  const double h2 = engine->h * engine->h;
  mb_pd_forces(engine, engine->q, engine->f);
  if (engine->cables) mb_pd_cables_pull(engine, engine->q, engine->f);
  for (size_t f = 0; f < engine->nfree; f++) {
    const size_t i = engine->node[f];
    for (size_t c = 0; c < 3; c++)
      b[3 * f + c] =
          engine->inertia[i] / h2 * (engine->ahead[3 * i + c] - engine->q[3 * i + c]) + engine->f[3 * i + c];
  }
}

bool mb_pd_newton_look(MbPdEngine *engine) {
  const MbNodeStats *stats = &engine->stats;
  downhill(engine, engine->newton->b);
  mb_pd_unheld(engine, true, engine->newton->b);
  const bool close = stats->iterations > 0 && stats->residual <= CLOSE;
  return (close && factor(engine, engine->q, EXACT)) || factor(engine, engine->q, POSITIVE);
}

double *mb_pd_newton_down(MbPdEngine *engine) { return engine->newton->b; }

// What rounding may hide of an energy E: some of its own digits, and what those of F are worth: V P : δF, where |P| is √(2 w ψ).
static double hidden(const MbPdEngine *engine, double energy) {
  static const double DIGITS = 4 * 2.2e-16;
  double stiffness = 0;
  for (size_t k = 0; k < engine->nblocks; k++)
    for (size_t e = 0; e < engine->block[k].count; e++)
      stiffness += mb_pd_weight(&engine->block[k], e) * mb_pd_volume(&engine->block[k], e);
  return ROUNDING * fabs(energy) + DIGITS * sqrt(2 * fabs(energy) * stiffness);
}

// −∂E/∂q · r at the trial.
static double slope_at_trial(MbPdEngine *engine) {
  const MbPdNewton *newton = engine->newton;
  const double h2 = engine->h * engine->h, *q = newton->trial, *f = engine->f;
  double sum = 0;
  mb_pd_forces(engine, q, engine->f);
  if (engine->cables) mb_pd_cables_pull(engine, q, engine->f);
  for (size_t n = 0; n < engine->nfree; n++) {
    const size_t i = engine->node[n];
    for (size_t c = 0; c < 3; c++)
      if (!(engine->placed[i] >> c & 1))
        sum += (engine->inertia[i] / h2 * (engine->ahead[3 * i + c] - q[3 * i + c]) + f[3 * i + c]) *
               engine->r[3 * n + c];
  }
  return sum;
}

// The longest of 1, ½, ¼ … of the step r that takes enough off the energy, or where rounding hides that has enough less of a slope (as in
// pd_lbfgs.c); 0: none does, where rounding is all that is left.
static double search(MbPdEngine *engine, double before, double slope, const MbPdAlong *along) {
  MbPdNewton *newton = engine->newton;
  double scale = 1;
  for (int k = 0; k < HALVINGS; k++, scale /= 2) {
    memcpy(newton->trial, engine->q, 3 * engine->n * sizeof *newton->trial);
    for (size_t f = 0; f < engine->nfree; f++)
      for (size_t c = 0; c < 3; c++)
        newton->trial[3 * (size_t)engine->node[f] + c] += scale * engine->r[3 * f + c];
    const double energy = mb_pd_objective(engine, newton->trial) - mb_pd_along(along, scale);
    if (energy <= before - ARMIJO * scale * slope) return scale;
    if (!(energy <= before + hidden(engine, before))) continue;
    const double left = slope_at_trial(engine) + along->down - scale * along->curve;
    if (-left <= (1 - 2 * ARMIJO) * slope) return scale;
  }
  return 0;
}

bool mb_pd_newton_end(MbPdEngine *engine, const MbPdAlong *along, double *t) {
  MbPdNewton *newton = engine->newton;
  MbNodeStats *stats = &engine->stats;
  const double tight = fmax(engine->tolerance, TIGHT);
  double slope = along->rows, most = 0;
  for (size_t k = 0; k < 3 * engine->nfree + engine->beside; k++) slope += newton->b[k] * engine->r[k];
  for (size_t k = 0; k < 3 * engine->nfree; k++) most = fmax(most, fabs(engine->r[k]));
  // so short a step cannot be told apart by its energy
  const bool near = most <= NEAR * engine->size;
  *t = near ? 1 : search(engine, mb_pd_objective(engine, engine->q), fmax(slope, 0), along);
  if (!isfinite(mb_pd_advance(engine, *t)) || !isfinite(most)) return false;
  stats->residual = engine->history[stats->iterations++] = most / engine->size;
  stats->converged = stats->residual <= tight;
  if (engine->watch) engine->watch(engine->context, engine->q);
  engine->stuck = !(*t > 0); // nothing goes further down
  return true;
}
