// What the lanes hold, shared by lockstep*.c. Arrays "x 8" have the lanes' numbers side by side.
#ifndef MB_SIM_LOCKSTEP_INTERNAL_H
#define MB_SIM_LOCKSTEP_INTERNAL_H

#include "core/sim/lockstep.h"
#include "core/sim/sim_internal.h"
#include "core/solvers/redmax/world.h"

typedef struct MbLockstepKernels MbLockstepKernels;

// What energies are compared with (energy_watch.h), of one lane.
typedef struct MbLaneWatch {
  bool growth, loss;
  MbEnergy first;
  double fallen;
} MbLaneWatch;

struct MbLockstep {
  const MbModel *like; // for what all have in common
  const MbIntegrator *integrator;
  const MbLanes *passes;
  const MbLockstepKernels *kernels;
  MbRecursion *work;
  MbWorld world;
  size_t nb, nq, nv;

  const MbLane *lane[MB_LOCKSTEP]; // places beyond `count` have lane 0 again
  size_t count;
  unsigned goes;
  int64_t step;
  double *h; // (x 8)

  double *q, *v, *q1, *v1;                              // (nq x 8), (nv x 8): the state, and the one to come
  double *y, *s;                                        // (nv x 8)
  double *E, *phi, *f;                                  // (nb x 7 x 8), (nb x 6 x 8), (nb x 6 x 8)
  double *M, *g;                                        // (nb x 6 x 8), (3 x 8) the models'
  double *stiffness, *rest, *damping;                   // (nv x 8) the models'
  double *drive_stiffness, *drive_damping, *drive_most; // (ndrives x 8) the models'
  double *total_stiffness, *total_damping; // (nv x 8) with motors; the models' where there are none
  double *screws;                          // (nb x 6 x 8)
  double *K, *D;                           // (nb x 36 x 8); NULL: no force has any
  double *signal;                          // (nsignals x 8)
  double *energy;                          // (4 x 8) kinetic, gravity, elastic, total

  // one lane at a time
  bool apart;                 // forces are evaluated lane by lane, as others than gravity and damping act
  bool damped;                // bodies are
  double *drag;               // (nforces x nb x 8) damping of each body by each force
  MbMaximal x[MB_LOCKSTEP];   // bodies of each
  MbExpression **expressions; // (8 x nsignals)
  double *own;                // (nsignals) values of one lane
  bool spread;                // x has the bodies where the state is

  MbLaneWatch watch[MB_LOCKSTEP];

  MbSim *sim; // of the first model, for the channels
  const MbChannel *channels;
  size_t nchannels, frame_size;
  bool *wanted; // (nchannels)
  MbArena arena;
};

// The steps' parts in vectors, as compiled for some kind of processor.
struct MbLockstepKernels {
  const char *name;
  // y ← the joints' own springs, dampers and motors, of all (add) or beside what y has
  void (*joint_forces)(MbLockstep *l);
  // v1 ← v + h y
  void (*faster)(MbLockstep *l);
  // q1 ← q + h v1 of coordinates whose rates are the velocities, `count` from (q_first, v_first) on
  void (*move)(MbLockstep *l, size_t q_first, size_t v_first, size_t count);
  // f ← gravity, velocity terms and damping; `outside`: damping alone
  void (*wrenches)(MbLockstep *l, bool outside);
  // v1 ← A⁻¹ (M v + h (f − D v)); false where A is singular in some lane
  bool (*implicit)(MbLockstep *l);
  // Which lanes of (q1, v1) are far from all bounds.
  unsigned (*tame)(const MbLockstep *l);
  // Energies, of joints' springs alone the elastic one.
  void (*energies)(MbLockstep *l);
};

// The fastest that this machine can run.
const MbLockstepKernels *mb_lockstep_kernels(void);

// ---- lockstep_forces.c -----------------------------------------------------------------------------

// Signals at the state's time. A lane with one that is not finite goes no further.
void mb_lockstep_signals(MbLockstep *l);
// Puts the bodies where the state is into x, once a state.
void mb_lockstep_spread(MbLockstep *l);
// Forces lane by lane: f, and K and D where there are any. `outside` leaves out what is inertial.
void mb_lockstep_wrenches(MbLockstep *l, bool outside, bool derivatives);

// ---- lockstep_frame.c ------------------------------------------------------------------------------

// Tells whether lanes have a channel.
bool mb_lockstep_has_channel(const char *name);
// All energies at the state.
void mb_lockstep_energies(MbLockstep *l);
void mb_lockstep_watch_start(MbLockstep *l);
// A lane whose energy leaves its bounds, of which its own simulation would warn, goes no further.
void mb_lockstep_watch(MbLockstep *l);

static inline double mb_lane_number(const double *a, size_t i, size_t lane) {
  return a[MB_LOCKSTEP * i + lane];
}

#endif
