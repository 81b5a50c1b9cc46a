// Products with J, and A⁻¹ factored, for one instance in world axes: what the fused passes (lanes_passes.h) do not do.
#ifndef MB_SOLVERS_REDMAX_POSTURE_H
#define MB_SOLVERS_REDMAX_POSTURE_H

#include "core/solvers/redmax/recursion.h"

typedef struct MbPosture {
  const MbModel *model;
  const MbLinks *links;
  MbRecursion *work; // of the last kinematics
  const MbPose *E;   // (nb) its poses and twists
  const double *phi;
  const double *arm; // (nb x 3) C − O in world axes; NULL: as the links say
  double *screws;    // (nb x 6) scratch
  bool derived;      // A has more in it than M: a or c is not 0
  bool masses;       // and what was factored last has not
  double *twist;     // (nb x 6) scratch, where forces couple bodies
} MbPosture;

void mb_posture_wrench(const MbPosture *posture, size_t body, const double w[6],
                       double F[6]); // of C in C axes: of O in the world's
void mb_posture_twists(MbPosture *posture, const double *v, double *phi); // φ = J v
void mb_posture_bias(MbPosture *posture, double *f);                      // f −= M J̇ v
void mb_posture_drift(MbPosture *posture, double *a);                     // a = J̇ v
void mb_posture_gather(MbPosture *posture, const double *f, double *y);   // y = Jᵀ f
// y += Jᵀ w of one body; `seen` (NULL: not wanted) takes w as mb_posture_wrench has it
void mb_posture_carry(MbPosture *posture, size_t body, const double w[6], double *seen, double *y);
// The same of three, with y (nv x 4) of which the last number of four is left alone
void mb_posture_carry_three(MbPosture *posture, size_t body, const double *const w[3], double *const seen[3],
                            double *y);
void mb_posture_momentum(MbPosture *posture, const double *v, double *y); // y = Jᵀ M J v
// y = Jᵀ M J v + s Jᵀ f for the velocities v of the last kinematics
void mb_posture_impel(MbPosture *posture, const double *v, const double *f, double s, double *y);
void mb_posture_blocks(MbPosture *posture, const double *B, double s, const double *v,
                       double *y); // y += s Jᵀ B J v
// A = Jᵀ (M − a D − c K) J − a D_r − c K_r, D and K symmetrised; false with the body to blame where it is singular. `whole`
// (nb, Articulated), or NULL, takes the articulated inertias before the joints let go.
bool mb_posture_factor(MbPosture *posture, const MbMaximal *x, double a, double c, void *whole,
                       size_t *blame);
void mb_posture_apply(MbPosture *posture, double *x); // x ← A⁻¹ x

#endif
