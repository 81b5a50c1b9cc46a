// Model: what a scene is to the steps, constant after the build. State: what a resume needs, no more.
// Maximal: what forces read and write.
#ifndef MB_MODEL_MODEL_H
#define MB_MODEL_MODEL_H

#include "core/base/names.h"
#include "core/math/se3.h"
#include "core/model/signal.h"
#include "core/model/spec.h"

typedef struct MbForceOps MbForceOps;

// One force of the scene. `body` and `signal` index the model's lists.
typedef struct MbForce {
  const MbForceOps *ops;
  const char *name; // for messages
  size_t body;      // that it acts on; unused where ops->everywhere
  double at[3];     // point of application, centre-of-mass frame
  size_t signal[6]; // torque, then force
  MbAxes axes;
  double R[9]; // body axes → centre-of-mass axes, for vectors given in body axes
  double coefficient;
} MbForce;

struct MbModel {
  MbArena arena;
  const char *name;

  // bodies; frames: W world, B body (as in the scene), C centre of mass with principal axes
  size_t nb;
  const char *const *body_name; // (nb)
  MbNames names;                // of the bodies
  const double *M;              // (nb x 6) principal inertia about C: I1 I2 I3 m m m
  const MbPose *C;              // (nb) C in B
  const double *damping;        // (nb) wrench −d φ
  const MbPose *E0;             // (nb) C in W at t = 0
  const double *phi0;           // (nb x 6) twist of C in C at t = 0
  double gravity[3];

  size_t nforces;
  const MbForce *forces; // (nforces)
  size_t nsignals;
  const MbSignal *signals; // (nsignals)
  size_t nconstants;
  const MbConstant *constants; // (nconstants) that expressions may use
  size_t nbreaks;
  const double *breaks; // (nbreaks) ascending times at which a signal has a corner

  // what runs
  MbSolverSpec solver;
  MbIntegratorSpec integrator;
  double h;
  int64_t steps;
  size_t nchannels;
  const char *const *channels; // (nchannels) names, as in the scene's output
  uint64_t fingerprint;        // of all that a checkpoint must agree with
};

// All that a resume needs. Sizes are the solver's and the integrator's.
typedef struct MbState {
  double t;
  int64_t step;
  double *q;      // (nq) coordinates
  double *v;      // (nv) velocities
  double *memory; // (nm) what the integrator carries from step to step
} MbState;

// Bodies in maximal terms at one instant: poses and twists in; wrenches and their derivatives out. A wrench
// is (torque, force) in C axes at C's origin, like the twist (ω, v). K = ∂f/∂δ for a displacement E exp(δ), D
// = ∂f/∂φ.
typedef struct MbMaximal {
  size_t nb;
  double t;
  const double *signal; // (nsignals) values at t
  MbPose *E;            // (nb)
  double *phi;          // (nb x 6)
  double *f;            // (nb x 6)
  double *K, *D;        // (nb x 36) row major diagonal blocks; NULL where nobody asks for them
  bool exact;           // K and D hold the derivatives of gravity and of the velocity term too
} MbMaximal;

#endif
