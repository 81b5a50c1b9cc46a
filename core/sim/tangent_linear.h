// Steps that linearise forces, in tangents (tangent_linear.c): private to core/sim/tangent*.c but for what tangent.h says of them.
#ifndef MB_SIM_TANGENT_LINEAR_H
#define MB_SIM_TANGENT_LINEAR_H

#include "core/sim/tangent.h"

typedef struct MbTangentLinear {
  bool forces; // there are such; else it is for Φ⁺ alone
  bool blocks; // at rest: A has K and D of another place (tangent_blocks.c)
  MbTangentTerms of;
  double ahead;                  // s: paths are linearised as they are turned by then
  const double *to;              // (nv) velocities to come
  double *phi, *Xphi, *Tv;       // (nb x 6) Φ⁺ and its parts, as of φ
  double *DTv;                   // (nv x 6) column k: (D_k T) v⁺
  double *dphi;                  // (nb x 6) of Φ⁺
  double *x1, *x2, *y1, *y2, *e; // (nb x 6)
  double *f;                     // (nb x 6) of the forces as the step has them
  double *B;                     // blocks of e by Φ⁺
  double *own_K, *own_D;         // blocks of single forces, zero between uses
  double *z, *by_move, *by_phi;  // (nb x 6) the same
  size_t *body;                  // of the force at hand, each once
} MbTangentLinear;

// A block of K or D: that of its rows' and columns' bodies, and its opposite's number.
typedef struct MbLinearBlock {
  size_t row, column, opposite;
} MbLinearBlock;
MbLinearBlock mb_linear_block(const MbModel *model, size_t k);
size_t mb_linear_blocks(const MbModel *model);

// Φ⁺ and its parts, where T and X are.
void mb_linear_down(const MbSim *sim, MbTangent *t);
// sim->x.f ← f + e, of which it makes the blocks.
void mb_linear_value(MbSim *sim, MbTangent *t, double time);
// The same with all derivatives, from the blocks of sim->x, which are the step's.
void mb_linear_at(MbSim *sim, MbTangent *t, double time);
// e and its blocks, of x₁ … y₂ and those of sim->x.
void mb_linear_find(const MbSim *sim, MbTangent *t);
// dF −= e′ of the change that mb_tangent_times has been asked about last; by_move and by_phi += what Z · e′ is by the two.
void mb_linear_take_curves(const MbSim *sim, MbTangent *t);
void mb_linear_curves(const MbSim *sim, MbTangent *t, const double *Z);
// Body b's part in a change, going down; then what wrenches change by.
void mb_linear_change_down(const MbSim *sim, MbTangent *t, size_t b, const double sigma[6], const double *dq);
void mb_linear_change(const MbSim *sim, MbTangent *t);
// The transposed of these.
void mb_linear_weigh(const MbSim *sim, MbTangent *t);
void mb_linear_weigh_up(const MbSim *sim, MbTangent *t, size_t b, double turn[6], double *dq);
// What velocities that are made to agree have of K and D (tangent_blocks.c): sim->x.f += e; dF −= its change; δα += what it is felt by.
void mb_blocks_at(MbSim *sim, MbTangent *t);
void mb_blocks_change(const MbSim *sim, MbTangent *t);
void mb_blocks_weigh(const MbSim *sim, MbTangent *t);
// Returns Z · (f + e) of one force of a model, with the bodies and fields where they are; f (nb x 6) is scratch, and is left zero.
double mb_linear_of_force(const MbModel *model, const MbForce *force, const MbMaximal *x, const MbTangent *t,
                          double *f);

#endif
