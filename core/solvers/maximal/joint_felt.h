// What a sum over one joint's rows and coordinates is felt by where its two bodies are and how they move (joint_felt.c has the derivation), for
// derivatives backwards.
#ifndef MB_SOLVERS_MAXIMAL_JOINT_FELT_H
#define MB_SOLVERS_MAXIMAL_JOINT_FELT_H

#include "core/model/model.h"

typedef struct MbHeldHinge MbHeldHinge;

// How the rows and rates of a joint that is not revolute change where its body is moved, in the body's axes.
typedef struct MbJointSlopes {
  double W[36], V[36];         // (rows x 6), (n x 6) ġ = W η, q̇ = V η
  double dW[6][36], dV[6][36]; // by a motion along each of the axes
} MbJointSlopes;

// The twists of all bodies, in their own axes (nb x 6): at the step's start, those to come, and what the equations of motion are weighed by.
typedef struct MbJointMotions {
  const MbPose *E;
  const double *phi, *plus, *z;
  const double *q;          // (nq) where the joints' coordinates are looked for
  const MbHeldHinge *hinge; // (nb) of revolute joints, for what they are felt by
  const MbModel
      *like; // whose rows those of revolute joints are like: directions across an axis are chosen as there
  const MbJointSlopes *slopes; // (nb) where they have been found for these bodies; NULL: they have not
} MbJointMotions;

// What a joint's rows and coordinates are weighed by.
typedef struct MbJointWeights {
  const double *zeta, *mu;    // (rows) what rows ask for, and what they push
  double asked, gamma, curve; // how much of W η⁺, of a gap and of J̇ v there is in what rows ask for
  const double *q, *rate, *plus, *z; // (n) its coordinates, and their rates by φ, by φ⁺ and by Z
  const double *turn;                // (n) and what of their accelerations the bodies' do not make
} MbJointWeights;

// By motions of all bodies in their own axes, and by velocities in the same; by those of joints' frames, on the parent before it, in the parent's axes, and on the body behind it, in its own
// (nb x 6 each).
// `plus` (may be NULL) is by the twists to come.
typedef struct MbJointFelt {
  double *move, *phi, *before, *behind, *plus;
  const bool *any_before, *any_behind; // (nb) of which joints the last two are asked for
} MbJointFelt;

// Makes what is constant of revolute joints in an arena (nb); false: out of memory.
bool mb_joint_hinges(MbArena *arena, const MbModel *model, const MbHeldHinge **hinges);
// Finds the slopes of the joint of body b, which is not revolute, where the bodies are. False: its coordinates are not found.
bool mb_joint_slopes(const MbModel *model, size_t b, const MbJointMotions *at, MbJointSlopes *slopes);
// The same of its rows and rates alone: slopes that are nothing.
bool mb_joint_rates(const MbModel *model, size_t b, const MbJointMotions *at, MbJointSlopes *slopes);
// Tells the first of the three rows of a joint that are a vector in its body's axes; SIZE_MAX: it has none, all are in the joint's.
size_t mb_joint_rows_in_body(const MbModel *model, size_t b);
// Adds what the sum of the joint of body b is felt by; with slopes no `curve` and no `turn` may be weighed. False: its coordinates are not found.
bool mb_joint_felt(const MbModel *model, size_t b, const MbJointMotions *at, const MbJointWeights *weights,
                   MbJointFelt *felt);
// Takes the sum itself, as another model has it whose rows are the same but for numbers: `of` (6) is which of the six numbers each row is. False as above, or where rows are others.
bool mb_joint_sum(const MbModel *model, size_t b, const MbJointMotions *at, const MbJointWeights *weights,
                  size_t of[6], double *sum);

#endif
