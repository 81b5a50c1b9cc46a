// What a running simulation holds, shared by the files of this folder.
#ifndef MB_SIM_SIM_INTERNAL_H
#define MB_SIM_SIM_INTERNAL_H

#include "core/model/ops.h"
#include "core/sim/sections.h"

typedef struct MbSchemeOps MbSchemeOps;       // how the state to come is made
typedef struct MbSampler MbSampler;           // a row of the table of channels
typedef struct MbLister MbLister;             // what makes a channel's list (lists.h)
typedef struct MbConstraining MbConstraining; // scratch of the constraints
typedef struct MbNodes MbNodes;               // deformables of elements
typedef struct MbAway MbAway;                 // their state, where an engine has it (nodes_away.h)
typedef struct MbCrushed MbCrushed;           // which of their elements are crushed
typedef struct MbGimbal MbGimbal;             // joints of Euler angles (gimbal_watch.c)
typedef struct MbTurnedOver MbTurnedOver;     // rotation vectors that forces act along (turned_over.c)
typedef struct MbTouching MbTouching;         // contacts
typedef struct MbNewton MbNewton;             // exact derivatives of fully implicit stages
typedef struct MbStageNotes MbStageNotes;     // these stages as they were solved
typedef struct MbBalance MbBalance;           // accelerations and reactions

// The entries of a channel's list, as they were sampled last.
typedef struct MbSimList {
  const MbLister *lister; // NULL: the channel has none
  double *entries;        // (room x the list's width)
  size_t count, room;
} MbSimList;

// Sums over the bodies of x.
typedef struct MbEnergy {
  double kinetic, gravity, elastic, total;
} MbEnergy;

// What the energy is compared with (energy_watch.c).
typedef struct MbWatch {
  bool growth, loss; // would be the scheme's own
  bool closed;       // hard constraints hold at the start
  MbEnergy first;
} MbWatch;

// What linearised forces are seen to take (linear_watch.c), in a step that is looked at.
typedef struct MbLinearWatch {
  double *force; // (nv); NULL: nothing is linearised
  bool due;
  double power, kinetic; // W; J
} MbLinearWatch;

struct MbSim {
  const MbModel *model;
  const MbSolverOps *solver;
  const MbIntegrator *integrator;
  const MbSchemeOps *scheme; // schemes.h
  int threads;
  size_t nq, nv, nm;
  size_t nclaimed; // rows that the solver claims
  // velocities that rows may be about: nv, and three of every node that is a point (model/ops.h)
  size_t width;
  size_t section[MB_SECTIONS + 1]; // where each begins in the state's memory

  MbState state; // after the last good step
  MbMaximal x;   // bodies at `state`, and the forces last evaluated
  MbSolverWork *work;
  MbExpression **expressions; // (nsignals) compiled, NULL for other kinds
  double *signal;             // (nsignals)
  size_t nvarying,
      *varying; // (nvarying) signals that change with time, ascending; the others stand in `signal`
  double *
      input; // (nsignals) values given from outside, which hold instead of the scene's; NaN: none. Part of the state.
  double *stiffness, *damping; // (nv) x's, where motors change them; else NULL

  // scratch of a step
  double *q1, *v1;           // (nq), (width) the state to come
  double *r, *s, *t;         // (width)
  double *along;             // (model's nv)
  double *near;              // (model's nq) where coordinates that follow are to be looked for
  const double *start;       // (nv) velocities that a half step begins with
  double *gap0, *gap1, *aim; // (claimed rows) claims.c
  double *pull, *pulled;     // (claimed rows) what pulls at them in this step; of one solution
  double *nudge;             // (width)
  double *stage;             // the scheme's own (schemes.h)

  MbNewton *newton;    // NULL: stages are solved without
  MbStageNotes *notes; // of the last step's stages; NULL: nobody wants any
  // Where the midpoint rule notes its passes (half_notes.h), and a step of one solution (nv) those that it has solved for; NULL: nobody asks.
  double *noted;

  double half_way; // seconds of the rate J̇ v that this step's velocities make up for (claims.c)
  MbConstraining *constraining; // NULL: nothing is constrained
  MbTouching *touching;         // NULL: nothing collides
  bool forces_asked;            // some channel tells them
  MbNodes *nodes;               // NULL: no deformables of elements
  MbCrushed *crushed;           // (ndeformables) NULL: no element can be crushed
  MbGimbal *gimbal;             // NULL: steps move no Euler angles
  MbTurnedOver *turned;         // NULL: nothing acts along a rotation vector
  double *push;                 // (width) what forces push nodes with over this step; NULL: there are none
  MbBalance *balance;           // NULL: no channel tells accelerations or reactions

  MbWatch watch;
  MbLinearWatch linear;
  char trouble[480]; // a signal or force of this step that was not finite, at trouble_time; empty = none
  double trouble_time;

  size_t nchannels, frame_size;
  MbChannel *channels;          // (nchannels)
  const MbSampler **samplers;   // (nchannels)
  const MbDeformable **sampled; // (nchannels) whose nodes a channel is about; NULL: of none
  MbSimList *lists;             // (nchannels)
  MbArena arena;                // all of the above
};

// The numbers of one section of the state's memory.
static inline double *mb_section(const MbSim *sim, MbSection section) {
  return sim->state.memory + sim->section[section];
}

// A signal's value at t: as given from outside, else as the scene says; the same with its first two rates.
static inline double mb_sim_signal(const MbSim *sim, size_t i, double t) {
  if (!isnan(sim->input[i])) return sim->input[i];
  return mb_signal_value(&sim->model->signals[i], sim->expressions[i], t);
}
static inline void mb_sim_signal_rates(const MbSim *sim, size_t i, double t, double rates[3]) {
  rates[0] = sim->input[i], rates[1] = rates[2] = 0;
  if (isnan(sim->input[i])) mb_signal_rates(&sim->model->signals[i], sim->expressions[i], t, rates);
  if (sim->integrator->scheme == MB_EQUILIBRIUM) rates[1] = rates[2] = 0; // nothing moves
}

#endif
