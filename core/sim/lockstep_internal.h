// What the lanes hold, shared by lockstep*.c. Arrays "x 8" have the lanes' numbers side by side.
#ifndef MB_SIM_LOCKSTEP_INTERNAL_H
#define MB_SIM_LOCKSTEP_INTERNAL_H

#include "core/sim/lockstep.h"
#include "core/sim/sim_internal.h"
#include "core/solvers/maximal/held.h"
#include "core/solvers/redmax/posture.h"

typedef struct MbLockstepKernels MbLockstepKernels;
typedef struct MbLockstepSolver MbLockstepSolver;

// A coordinate's bound (constraints/limit.c), in the order of the constraints.
typedef struct MbLaneLimit {
  size_t q, v;
  bool soft;
} MbLaneLimit;

struct MbLockstep {
  const MbLane *first; // of what all have in common
  const MbModel *like; // its model
  const MbIntegrator *integrator;
  const MbLockstepKernels *kernels;
  const MbLockstepSolver *solver;
  size_t nb, nq, nv; // the models'
  bool poses;        // bodies are the state, as the solver's layout says, else joints' coordinates

  const MbLane *lane[MB_LOCKSTEP]; // places beyond `count` have lane 0 again
  size_t count;
  unsigned goes;
  int64_t step;
  int64_t alone, all; // steps of lanes that their own simulations have taken, of how many
  double *h;          // (x 8)

  // the state, and the one to come. Where bodies are it: poses, joints' coordinates as remembered, and velocities of bodies
  size_t qs, vs;           // how many numbers
  double *q, *v, *q1, *v1; // (qs x 8), (vs x 8)
  double *q0, *v0;         // where lanes that have left stand
  double *r, *s;           // (vs x 8) scratch
  double *jq, *jv;         // (nq x 8), (nv x 8) joints' coordinates and velocities at the state
  double *y;               // (nv x 8) along joints' coordinates
  double *E, *phi, *f;     // (nb x 7 x 8), (nb x 6 x 8), (nb x 6 x 8)
  bool fly;                // bodies swing (model/flight.h)
  double *swing;           // (nb x 3 x 8)

  double *M, *g;                                        // (nb x 6 x 8), (3 x 8) the models'
  double *stiffness, *rest, *damping;                   // (nv x 8) the models'
  double *drive_stiffness, *drive_damping, *drive_most; // (ndrives x 8) the models'
  double *total_stiffness, *total_damping; // (nv x 8) with motors; the models' where there are none
  double *K, *D;                           // (nb + 2 npairs x 36 x 8); NULL: no force has any
  double *signal;                          // (nsignals x 8)
  double *energy;                          // (4 x 8) kinetic, gravity, elastic, total

  bool apart;   // forces are evaluated lane by lane, as others than gravity and damping act
  bool damped;  // bodies are
  double *drag; // (nforces x nb x 8) damping of each body by each force
  bool spread;  // the simulations' bodies are where the state is

  // limits of joints
  size_t nlimits;
  MbLaneLimit *limits;    // (nlimits)
  double *side, *bound;   // (nlimits x 8)
  bool ahead;             // they act before they are passed
  double *gamma, *widest; // (x 8) of stabilization; the gap that opens nothing
  bool open[MB_LOCKSTEP]; // a gap was open at the last look, so that the lane's own simulation goes on

  // solver redmax
  const MbLanes *passes;
  MbRecursion *work;
  MbPosture posture;
  double *screws;  // (nb x 6 x 8)
  double *vectors; // (6 x nv x 8) where forces couple bodies that steps solve for (lockstep_coupled.h)
  double *blocks;  // (nb + 2 npairs x 36 x 8) of A

  // joints held by rows
  MbHeld held;
  bool general;            // some joints are not revolute: their rows are made lane by lane
  MbHeld one[MB_LOCKSTEP]; // by these
  double *aim, *rates;     // (rows x 8) what rows ask for; (nv x 8) of the coordinates

  MbReport said[MB_LOCKSTEP];
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
  // v1 ← A⁻¹ (M v + h (f − D v)); the lanes for which it came to something
  unsigned (*implicit)(MbLockstep *l);
  // Which lanes of (q1, v1) are far from all bounds.
  unsigned (*tame)(const MbLockstep *l);
  // Which lanes no limit pushes in this step.
  unsigned (*unlimited)(const MbLockstep *l);
  // Energies, of joints' springs alone the elastic one.
  void (*energies)(MbLockstep *l);

  // ---- joints held by rows
  // q1 ← where joints' coordinates are to be looked for next: what they are, moved by their velocities
  void (*foresee)(MbLockstep *l);
  // φ ← the twists of (q, v)
  void (*twists)(MbLockstep *l);
  // v1 ← as the one solution of a step has it, rows of joints and all; false where it comes to nothing in some lane
  bool (*held)(MbLockstep *l);
  // Which lanes have no gap that is open, of a joint or a limit.
  unsigned (*closed)(const MbLockstep *l);
};

// The fastest that this machine can run.
const MbLockstepKernels *mb_lockstep_kernels(void);

// How steps of a solver go in lockstep. Lanes know the solvers that have a row here.
struct MbLockstepSolver {
  const MbSolverOps *solver;
  // Tells why a model that it solves cannot be a lane, as mb_lane_refused does. NULL: it always may.
  const char *(*refused)(const MbModel *model);
  // Makes room, and takes the lanes at their start. False: out of memory.
  bool (*create)(MbLockstep *l);
  bool (*load)(MbLockstep *l, const MbLinks *const *links);
  // Finds bodies, and what follows of them, where the state is.
  void (*kinematics)(MbLockstep *l);
  // Writes into q1, before a step, where joints' coordinates are to be looked for after it. NULL: they are the state.
  void (*foresee)(MbLockstep *l);
  // Finds v1; tells the lanes for which it came to something. NULL: the lanes' simulations take all steps.
  unsigned (*velocities)(MbLockstep *l);
};

extern const MbLockstepSolver mb_lockstep_recursive, mb_lockstep_dense; // lockstep_trees.c
extern const MbLockstepSolver mb_lockstep_held;                         // lockstep_held.c
// The row of a model's solver; NULL: there is none.
const MbLockstepSolver *mb_lockstep_solver_of(const MbModel *model);

// ---- lockstep_forces.c -----------------------------------------------------------------------------

// Signals at the state's time.
void mb_lockstep_signals(MbLockstep *l);
// Puts the bodies where the state is into the lanes' simulations, once a state.
void mb_lockstep_spread(MbLockstep *l);
// The swings of bodies that fly, lane by lane.
void mb_lockstep_swings(MbLockstep *l);
// Forces lane by lane: f, and K and D where there are any. `outside` leaves out what is inertial.
void mb_lockstep_wrenches(MbLockstep *l, bool outside, bool derivatives);
// All that pulls at bodies, by the kernels where these know it.
void mb_lockstep_pull(MbLockstep *l);

// ---- lockstep_step.c -------------------------------------------------------------------------------

// Bodies, and what follows of them, where the state is.
void mb_lockstep_kinematics(MbLockstep *l);
// Takes other coordinates of the same pose for joints near a singularity: q and v (may be NULL) of all joints.
void mb_lockstep_renew(MbLockstep *l, double *q, double *v);

// ---- lockstep_frame.c ------------------------------------------------------------------------------

// Tells whether lanes have a channel.
bool mb_lockstep_has_channel(const char *name);
// All energies at the state.
void mb_lockstep_energies(MbLockstep *l);

// Room for n numbers of all lanes, which begins where a vector may. *fine: becomes false where there is none.
static inline double *mb_lockstep_numbers(MbLockstep *l, size_t n, bool *fine) {
  char *const memory = mb_arena_alloc(&l->arena, MB_LOCKSTEP * n * sizeof(double) + 64, 1);
  *fine &= memory != NULL;
  return memory ? (double *)(memory + (64 - (uintptr_t)memory % 64) % 64) : NULL;
}

static inline double mb_lane_number(const double *a, size_t i, size_t lane) {
  return a[MB_LOCKSTEP * i + lane];
}
// Numbers of one lane, from among those of all or among them.
static inline void mb_lane_pick(double *to, const double *from, size_t n, size_t lane) {
  for (size_t i = 0; i < n; i++) to[i] = from[MB_LOCKSTEP * i + lane];
}
static inline void mb_lane_put(double *to, const double *from, size_t n, size_t lane) {
  for (size_t i = 0; i < n; i++) to[MB_LOCKSTEP * i + lane] = from[i];
}

#endif
