// Damping of bending in proportion to its stiffness, of what turns as it likes. Bending is E = ½ Σ_s Σ_r |y_r|² with y_r = Σ_a c_ra x_a over
// stencils s of nodes; a form −β Q v would hold back what turns and take angular momentum from what is bent. So y is told in axes that turn
// with the stencil, and what damps are the rates of these numbers z:
//
//   cloth: z_r = n · y_r with the normal n of the stencil's triangle, its curvatures;
//   rods: z_rk = (F u_k) · y_r, F the mean of a joint's two gradients, u_k the tangent at rest and two directions across it
//   f_a = −β Σ ż ∂z/∂x_a,  D_ab = −β Σ ∂z/∂x_a ∂z/∂x_bᵀ,  K_ab = −β Σ (∂z/∂x_a ∂ż/∂x_bᵀ + ż ∂²z/∂x_a∂x_b)
//
// (β in s.) Near the rest shape D is β K of bending, so that a mode of angular frequency ω that bends alone has the damping ratio β ω/2. Whatever
// moves as a rigid body feels nothing, momenta stay, and the power −β Σ ż² is never above 0. Over a step of implicit Euler from z₀ it is
// the slope of β/2h Σ (z − z₀)².
#ifndef MB_DEFORMABLES_BENDING_DAMPER_H
#define MB_DEFORMABLES_BENDING_DAMPER_H

#include "core/deformables/bending.h"

enum { MB_BENT_NODES = 147, MB_BENT_MEASURES = 9, MB_BENT_SLOPES = 3 * 3 * MB_BENT_NODES };

// Stencils with their axes.
typedef struct MbBendingDamper {
  size_t count, entries;
  size_t *first;         // (count + 1)
  uint32_t *node;        // (entries)
  double (*c)[3];        // (entries) of y_r
  double (*axes)[3];     // (entries) of F u_k; NULL: cloth
  unsigned char *corner; // (entries) of cloth: which corner of the triangle it is, 3 = none
} MbBendingDamper;

// One stencil at places x: z, and by z and node its slopes.
typedef struct MbBent {
  const MbBendingDamper *of;
  size_t stencil, nodes, measures;
  double z[MB_BENT_MEASURES];
  double slope[MB_BENT_SLOPES]; // (measures x nodes x 3)
  double turn[3][9];            // ∂n/∂p_j of cloth, where second derivatives are asked for
  double second[3][9][9];       // by r, pairs of corners
} MbBent;

// Of a mesh of cloth, or of a rod. False: out of memory; nothing is left then.
bool mb_bending_damper_cloth(MbBendingDamper *damper, double stiffness, const uint32_t *triangle,
                             size_t triangles, const double *x, size_t nodes);
void mb_bending_damper_free(MbBendingDamper *damper);

static inline size_t mb_bending_damper_measures(const MbBendingDamper *damper) {
  return damper->axes ? 9 : 3;
}

// x (nodes of the stencil x 3), in its order; `curved`: second derivatives are wanted too.
void mb_bent_look(const MbBendingDamper *damper, size_t stencil, const double *x, bool curved, MbBent *bent);
// B (3 x 3) = ∂²z_m/∂x_a∂x_b of the stencil's nodes a and b.
void mb_bent_second(const MbBent *bent, size_t m, size_t a, size_t b, double B[9]);

static inline const double *mb_bent_slope(const MbBent *bent, size_t m, size_t a) {
  return bent->slope + 3 * (bent->nodes * m + a);
}

#endif
