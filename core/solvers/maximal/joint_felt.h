// What a sum over one joint's rows and coordinates is felt by where its two bodies are and how they move (joint_felt.c has the derivation), for
// derivatives backwards.
#ifndef MB_SOLVERS_MAXIMAL_JOINT_FELT_H
#define MB_SOLVERS_MAXIMAL_JOINT_FELT_H

#include "core/model/model.h"

typedef struct MbHeldHinge MbHeldHinge;

// The twists of all bodies, in their own axes (nb x 6): at the step's start, those to come, and what the equations of motion are weighed by.
typedef struct MbJointMotions {
  const MbPose *E;
  const double *phi, *plus, *z;
  const double *q;          // (nq) where the joints' coordinates are looked for
  const MbHeldHinge *hinge; // (nb) of revolute joints, for what they are felt by
  const MbModel
      *like; // whose rows those of revolute joints are like: directions across an axis are chosen as there
} MbJointMotions;

// What a joint's rows and coordinates are weighed by.
typedef struct MbJointWeights {
  const double *zeta, *mu;           // (rows) what rows ask for, and what they push
  double gamma, curve;               // how much of a gap, and of J̇ v, there is in what is asked for
  const double *q, *rate, *plus, *z; // (n) its coordinates, and their rates by φ, by φ⁺ and by Z
  const double *turn;                // (n) and what of their accelerations the bodies' do not make
} MbJointWeights;

// By motions of all bodies in their own axes, and by velocities in the same; by those of joints' frames, on the parent before it, in the parent's axes, and on the body behind it, in its own
// (nb x 6 each).
typedef struct MbJointFelt {
  double *move, *phi, *before, *behind;
  const bool *any_before, *any_behind; // (nb) of which joints the last two are asked for
} MbJointFelt;

// Makes what is constant of revolute joints in an arena (nb); false: out of memory.
bool mb_joint_hinges(MbArena *arena, const MbModel *model, const MbHeldHinge **hinges);
// Tells the first of the three rows of a joint that are a vector in its body's axes; SIZE_MAX: it has none, all are in the joint's.
size_t mb_joint_rows_in_body(const MbModel *model, size_t b);
// Adds what the sum of the joint of body b is felt by. False: its coordinates are not found.
bool mb_joint_felt(const MbModel *model, size_t b, const MbJointMotions *at, const MbJointWeights *weights,
                   MbJointFelt *felt);
// Takes the sum itself, as another model has it whose rows are the same but for numbers: `of` (6) is which of the six numbers each row is. False as above, or where rows are others.
bool mb_joint_sum(const MbModel *model, size_t b, const MbJointMotions *at, const MbJointWeights *weights,
                  size_t of[6], double *sum);

#endif
