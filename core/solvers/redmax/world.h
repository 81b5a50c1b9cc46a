// Products with J, and A⁻¹ factored, for one instance in world axes: what the fused passes (lanes_passes.h) do not do.
#ifndef MB_SOLVERS_REDMAX_WORLD_H
#define MB_SOLVERS_REDMAX_WORLD_H

#include "core/solvers/redmax/recursion.h"

typedef struct MbWorld {
  const MbModel *model;
  const MbLinks *links;
  MbRecursion *work; // of the last kinematics
  const MbPose *E;   // (nb) its poses and twists
  const double *phi;
  const double *arm; // (nb x 3) C − O in world axes; NULL: as the links say
  double *screws;    // (nb x 6) scratch
  bool derived;      // A has more in it than M: a or c is not 0
  double *twist;     // (nb x 6) scratch, where forces couple bodies
} MbWorld;

void mb_world_wrench(const MbWorld *world, size_t body, const double w[6],
                     double F[6]);                                  // of C in C axes: of O in the world's
void mb_world_twists(MbWorld *world, const double *v, double *phi); // φ = J v
void mb_world_bias(MbWorld *world, double *f);                      // f −= M J̇ v
void mb_world_drift(MbWorld *world, double *a);                     // a = J̇ v
void mb_world_gather(MbWorld *world, const double *f, double *y);   // y = Jᵀ f
void mb_world_carry(MbWorld *world, size_t body, const double w[6], double *y); // y += Jᵀ w of one body
void mb_world_momentum(MbWorld *world, const double *v, double *y);             // y = Jᵀ M J v
void mb_world_blocks(MbWorld *world, const double *B, double s, const double *v,
                     double *y); // y += s Jᵀ B J v
// A = Jᵀ (M − a D − c K) J − a D_r − c K_r, D and K symmetrised; false with the body to blame where it is singular. `whole`
// (nb, Articulated), or NULL, takes the articulated inertias before the joints let go.
bool mb_world_factor(MbWorld *world, const MbMaximal *x, double a, double c, void *whole, size_t *blame);
void mb_world_apply(MbWorld *world, double *x); // x ← A⁻¹ x

#endif
