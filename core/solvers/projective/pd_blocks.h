// Elements of one kind and one material: deformation gradients F (3 x rank) of deformables/gradient.h, energy V ψ(F) with V a
// volume, or a spring's length at rest. A spring k (l − L)²/2 with a damper c has over a step the energy c (l − l₀)²/(2h) more:
// it is a spring of k + c/h whose length at rest lies between L and l₀. Tetrahedra and triangles with damping have
// (β/2h) V (E − E₀) : C : (E − E₀) more (deformables/viscous.h).
#ifndef MB_SOLVERS_PROJECTIVE_PD_BLOCKS_H
#define MB_SOLVERS_PROJECTIVE_PD_BLOCKS_H

#include "core/deformables/gradient.h"
#include "core/deformables/local_step.h"
#include "core/solvers/projective/projective.h"

enum { MB_PD_SLOPES = 30 }; // numbers of an element's gradients at most

typedef struct MbPdBlock {
  MbGradient gradient;         // of the part's own nodes
  size_t part, first;          // number of the part's first node among all
  size_t count, corners, rank; // elements; nodes of each
  size_t points;               // elements that have the same nodes one after the other
  bool rod;                    // they are a rod's segments
  double thickness;            // m, sheets; else 1
  MbElastic elastic;
  double damper;  // β/h, of others than springs
  double *k, *c;  // (count) N/m, springs: k; c/h
  double *before; // (count) springs: l₀ / L; (count x rank²) others that are damped: E₀

  // local step, component c of element e at [c * stride + e]
  double *weight;    // (stride) Pa
  double *scale;     // (stride) weight × thickness
  double *F, *u, *p; // (3 rank x stride)
  double *corner;    // (stride x rank + 1 x 3) by packs
  double *energy;    // (stride) V ψ
} MbPdBlock;

// False: out of memory, or (`*flat` is a number) that element has no extent at rest.
bool mb_pd_block_make(const MbPdPart *part, size_t number, int rank, double h, MbPdBlock *block,
                      size_t *flat);
void mb_pd_block_free(MbPdBlock *block);
size_t mb_pd_block_bytes(const MbPdBlock *block);

// Node of a corner among all; V of an element
static inline size_t mb_pd_node(const MbPdBlock *block, size_t e, size_t a) {
  return block->first + mb_gradient_node(&block->gradient, e, a);
}
static inline double mb_pd_volume(const MbPdBlock *block, size_t e) {
  return block->gradient.size[e] * block->thickness;
}

// What an element weighs in the constant matrix, Pa: as in its local step, and with the largest eigenvalue of C for what damps it, as
// iterations take the slope of that from where they are.
static inline double mb_pd_weight(const MbPdBlock *block, size_t e) {
  const MbElastic *m = &block->elastic;
  return block->weight[e] +
         (block->rank > 1 ? block->damper * (2 * m->mu + (double)block->rank * m->lambda) : 0);
}
static inline bool mb_pd_damped(const MbPdBlock *block) { return block->rank > 1 && block->damper > 0; }

// F of element e at places q of all nodes, row major, and the gradients g (corners x rank)
void mb_pd_gradient(const MbPdBlock *block, size_t e, const double *q, double F[9], double g[MB_PD_SLOPES]);
// What damping adds over a step to ψ and P (3 x rank), of tetrahedra and triangles.
double mb_pd_viscous(const MbPdBlock *block, size_t e, const double F[9], double P[9]);
// A spring with its damper over a step: a spring of this k, which is slack at the stretch `rest`.
static inline double mb_pd_spring(const MbPdBlock *block, size_t e, double *rest) {
  const double k = block->k[e] + block->c[e];
  *rest = k > 0 ? (block->k[e] + block->c[e] * block->before[e]) / k : 0;
  return k;
}
// ψ, P = ∂ψ/∂F (3 x rank), ∂P/∂F (3 rank x 3 rank; `positive`: its negative eigenvalues left out) at F. `stepping`: with what
// dampers add over a step; P has that of springs alone, its derivative all.
double mb_pd_density(const MbPdBlock *block, size_t e, const double F[9], bool stepping);
void mb_pd_stress(const MbPdBlock *block, size_t e, const double F[9], double P[9]);
void mb_pd_tangent(const MbPdBlock *block, size_t e, const double F[9], bool positive, double H[81]);

#endif
