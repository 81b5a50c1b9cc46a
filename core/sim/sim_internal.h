// What a running simulation holds, shared by the files of this folder.
#ifndef MB_SIM_SIM_INTERNAL_H
#define MB_SIM_SIM_INTERNAL_H

#include "core/model/ops.h"

typedef struct MbSampler MbSampler;           // a row of the table of channels
typedef struct MbConstraining MbConstraining; // scratch of the constraints
typedef struct MbSimSoft MbSimSoft;           // deformables of elements
typedef struct MbBalance MbBalance;           // accelerations and reactions

// Sums over the bodies of x.
typedef struct MbEnergy {
  double kinetic, gravity, elastic, total;
} MbEnergy;

// What the energy is compared with (energy_watch.c).
typedef struct MbWatch {
  bool growth, loss; // would be the scheme's own
  bool closed;       // hard constraints hold at the start
  MbEnergy first;
  size_t place; // of its numbers in the state's memory
} MbWatch;

struct MbSim {
  const MbModel *model;
  const MbSolverOps *solver;
  const MbIntegrator *integrator;
  int threads;
  size_t nq, nv, nm;

  MbState state; // after the last good step
  MbMaximal x;   // bodies at `state`, and the forces last evaluated
  MbSolverWork *work;
  MbExpression **expressions;  // (nsignals) compiled, NULL for other kinds
  double *signal;              // (nsignals)
  double *stiffness, *damping; // (nv) x's, where motors change them; else NULL

  // scratch of a step
  double *q1, *v1;                          // (nq), (nv) the state to come
  double *r, *s, *t;                        // (nv)
  double *along, *rate;                     // (model's nv) of the joints, where the solver holds them
  double *recall;                           // (model's nq) their coordinates at the state
  const double *start;                      // (nv) velocities that a half step begins with
  double *gap0, *gap1, *aim, *pull, *nudge; // rows that the solver holds (held_joints.c): (rows) x 4, (nv)
  double *stage;                            // (MB_RK_STAGES x (nq + nv)), adaptive only

  double half_way; // seconds of the rate J̇ v that this step's velocities make up for (held_joints.c)
  MbConstraining *constraining; // NULL: nothing is constrained
  bool forces_asked;            // some channel tells them
  MbSimSoft *soft;              // NULL: no deformables of elements
  MbBalance *balance;           // NULL: no channel tells accelerations or reactions

  MbWatch watch;
  char trouble[480]; // a signal or force of this step that was not finite, at trouble_time; empty = none
  double trouble_time;

  size_t nchannels, frame_size;
  MbChannel *channels;          // (nchannels)
  const MbSampler **samplers;   // (nchannels)
  const MbDeformable **sampled; // (nchannels) whose nodes a channel is about; NULL: of none
  MbArena arena;                // all of the above
};

// Bodies of x at coordinates q and velocities v.
void mb_sim_kinematics(MbSim *sim, const double *q, const double *v);
double mb_sim_spin(const MbSim *sim); // the fastest of the bodies of x, rad/s
// The state's coordinates, whichever the solver has (layout.c): the state at t = 0; q ← q ⊕ h v; q̇ from v; q made valid again
// after arithmetic on it, `rate` (may be NULL) along with it; other coordinates of the same pose for joints near a singularity,
// true if there were any; (q, v) fit to be the state to come, with the bodies of x there; the body that number i of (q, v) is of.
MbStatus mb_sim_start(MbSim *sim, MbReport *report);
void mb_sim_advance(MbSim *sim, double *q, double h, const double *v);
// The end of a step of first order: q ← q ⊕ h v, and v ← what it is at its end (model/flight.h); bodies of x are at its start.
void mb_sim_fly(MbSim *sim, double *q, double h, double *v);
void mb_sim_rate(const MbSim *sim, const double *q, const double *v, double *qdot);
void mb_sim_normalise(const MbSim *sim, double *q, double *rate);
bool mb_sim_renew(const MbSim *sim, double *q, double *v);
void mb_sim_recall(MbSim *sim); // at the state, before a step of it
void mb_sim_settle(MbSim *sim, double *q, double *v);
size_t mb_sim_body(const MbSim *sim, size_t i);
// (q, v) ← theirs of the bodies that follow others, those of x being where the rest of (q, v) says; NULL: not wanted.
void mb_sim_follow(const MbSim *sim, double *q, double *v);

// A⁻¹ x under what the steps ask of joints that the solver holds (held_joints.c); without such joints just that. False as `apply`.
bool mb_held_velocities(MbSim *sim, double *x); // x ← v⁺
// x ← v̇, at velocities v; errors are asked to shrink at the rate γ
bool mb_held_accelerations(MbSim *sim, const double *v, double gamma, double *x);
struct MbHalf;
bool mb_held_change(MbSim *sim, const struct MbHalf *half, const double *w,
                    double *x);                // x ← Δw, of a half step from w
void mb_held_begin(MbSim *sim);                // the bodies are at the state
void mb_held_aim(MbSim *sim, const double *w); // they are where the step by w would end
bool mb_held_agree(MbSim *sim, double *v);     // v ← nearest with J v = 0, as A measures
double mb_held_close(MbSim *sim,
                     double *dq); // dq ← the least that closes gaps; the widest one, of the bodies' distances
void mb_held_pull(MbSim *sim);    // takes the λ of the last `apply` into sim->pull
void mb_held_errors(MbSim *sim, const double *v, double errors[2]); // the larger of these and theirs
// Signals at t, then the wrenches of all forces, and the velocity terms, on the bodies in sim->x.
void mb_sim_wrenches(MbSim *sim, double t);
// The same, K and D if asked for, and what the solver adds to f.
void mb_sim_forces(MbSim *sim, double t, bool derivatives);
// y = Jᵀ f and the joints' own forces at (q, v); y += (sD D + sK K) v, mapped and the joints' own.
void mb_sim_gather(MbSim *sim, const double *q, const double *v, double *y);
void mb_sim_add_blocks(MbSim *sim, double sD, double sK, const double *v, double *y);
// v̇ at (q, v) and t, of the bodies in sim->x; the solver holds M factored after it.
MbStatus mb_sim_accelerations(MbSim *sim, double t, const double *q, const double *v, double *vdot,
                              MbReport *report);
// In the kinematic mode f = m v: the velocities that the forces at t give the bodies of sim->x, whose own
// twists must be zero or those of the last instant:  (M − D) v⁺ = f − D v.
MbStatus mb_sim_kinematic_velocity(MbSim *sim, double t, double *v, MbReport *report);
// NaN and growth beyond all bounds in the bodies of sim->x: MB_NUMBERS, naming the body.
MbStatus mb_sim_check(const MbSim *sim, double t, int64_t step, MbReport *report);
// Note in sim->trouble the first signal, the first force that is not finite.
void mb_sim_watch_signals(MbSim *sim, double t);
void mb_sim_watch_forces(MbSim *sim, double t);
// MB_NUMBERS with what has been noted; MB_OK, saying nothing, where nothing was.
MbStatus mb_sim_trouble(const MbSim *sim, MbReport *report);
// Warnings where stiffness or damping is too fast for the steps. MB_IO: out of memory.
MbStatus mb_sim_advise(MbSim *sim, MbReport *report);
// Energy that nothing but the scheme adds or takes (energy_watch.c): room in the state's memory, from `place` on; a warning at
// the state after a step, once; a word in the last error where energy has grown before it; no more of it, as after a blow.
size_t mb_watch_memory(void);
void mb_watch_start(MbSim *sim, size_t place);
void mb_watch_step(MbSim *sim, MbReport *report);
void mb_watch_failure(MbSim *sim, MbReport *report);
void mb_watch_give_up(MbSim *sim);
// The matrix A is singular because of body `blame`, or of a force that is not finite.
MbStatus mb_sim_singular(const MbSim *sim, size_t blame, MbReport *report);
// Solving the step's equations by iterations has failed.
MbStatus mb_sim_unsolved(const MbSim *sim, MbReport *report);

// (q1, v1) ← the state after a step of second order in scenes with joints.
MbStatus mb_half_steps_midpoint(MbSim *sim, MbReport *report);
MbStatus mb_half_steps_verlet(MbSim *sim, MbReport *report);

// The same in the kinematic mode.
MbStatus mb_half_steps_kinematic(MbSim *sim, MbReport *report);

// Room for the model's constraints, and what it takes besides the arena.
MbStatus mb_constraining_create(MbSim *sim, MbReport *report);
void mb_constraining_start(MbSim *sim); // what the state has of them at t = 0
// Coordinates of joints that close loops, as the last rows have found them, go into the state.
void mb_constrain_remember(MbSim *sim);
void mb_constraining_free(MbSim *sim);
size_t mb_constraining_bytes(const MbSim *sim);
// v ← the velocities nearest to v, as A measures, that satisfy the constraints; forces are those that this takes over a
// step. The factor of A and the bodies of x are at the state.
MbStatus mb_constrain_velocity(MbSim *sim, double *v, MbReport *report);
// Constraints in those steps (constrain_halves.c): gaps at the state, the bodies being there, and sim->start; those that
// w leads to.
MbStatus mb_constrain_begin(MbSim *sim, MbReport *report);
void mb_constrain_aim(MbSim *sim, const double *w);
// One pass: q = state ⊕ θ h w where the bodies and the factor of A are. Rows' λ are impulses over `impulse` seconds.
typedef struct MbHalf {
  double theta, impulse;
  bool second; // the other half of a step that has been made
} MbHalf;
// w ← the velocities that satisfy the constraints; the pass has changed them by `change`.
MbStatus mb_constrain_half(MbSim *sim, const MbHalf *half, const double *q, double *w, const double *change,
                           MbReport *report);
// Takes the last pass's impulses, by which velocities v have become w, so many times into those of the step.
MbStatus mb_constrain_keep(MbSim *sim, const double *v, const double *w, double times, MbReport *report);
// v ← what unilateral rows that the step has come to leave of the velocities at the start. Where there are such rows the
// bodies and the factor of A are then there: *moved.
MbStatus mb_constrain_impact(MbSim *sim, double *v, bool *moved, MbReport *report);
// v ← velocities that satisfy the constraints at (q1, t + h), after a step by w; A is factored there, or will be.
MbStatus mb_constrain_end(MbSim *sim, const double *w, bool factored, double *v, MbReport *report);
// v ← the nearest kinematic velocities that satisfy them at (q, t); λ are forces.
MbStatus mb_constrain_kinematic(MbSim *sim, const double *q, double t, double *v, MbReport *report);
// The same at once, by impulses, at (q, t); moves the bodies of x and the factor there.
MbStatus mb_constrain_jump(MbSim *sim, const double *q, double t, double *v, MbReport *report);
// The same for velocities after a blow, at the state.
MbStatus mb_constrain_impulse(MbSim *sim, double *v);
// The same for accelerations, at (q, v, t) of the bodies of x and of the factor; of hard unilateral rows those that are
// held.
MbStatus mb_constrain_acceleration(MbSim *sim, const double *q, const double *v, double t, double *vdot,
                                   MbReport *report);
// Events of the adaptive integrator: hard unilateral rows come to their bound, or let go. What is held is part of the
// state: `mb_events_held` (nslots) now, and during the last step.
double *mb_events_held(const MbSim *sim, bool during);
// Whether one is due at the point of the last derivative, whose velocities are v; it is noted which.
bool mb_events_due(MbSim *sim, const double *v);
// Between the two the accelerations decide which of the rows noted, or at their bounds, are held.
void mb_events_decide(MbSim *sim);
void mb_events_decided(MbSim *sim);
// Post-stabilisation, where it is asked for: moves q until the constraints of position hold, and the bodies of x with it.
MbStatus mb_constrain_position(MbSim *sim, double *q, const double *v, double t, MbReport *report);
// The same wherever it is wanted, to so much of the numbers whose differences gaps are.
MbStatus mb_constrain_close(MbSim *sim, double *q, const double *v, double t, double close_by,
                            MbReport *report);
// How freely what the rows last solved for hold can move along the one that moves least, of what bodies that nothing holds
// could: it falls to 0 in proportion to the way to a position where rows come to depend on the others. *slot: which row that is.
double mb_constrain_freedom(const MbSim *sim, size_t *slot);
// Takes the step's forces into the state to come, (q, v) at t.
MbStatus mb_constrain_commit(MbSim *sim, const double *q, const double *v, double t, MbReport *report);
// Ends the run (MB_NUMBERS, with the name) where a hard constraint stays open: of the state to come, (q, v) at t, the bodies being
// there. Two numbers of the state's memory.
MbStatus mb_gaps_watch(MbSim *sim, const double *q, const double *v, double t, MbReport *report);
double *mb_gap_memory(const MbSim *sim);
double mb_gap_patience(const MbModel *model); // in which a gap that closes has halved
// After the velocities v have become v1 in a fixed step by impulses of the rows last solved for, taken so many times: notes whether the step is near a singular
// position, and ends the run (MB_NUMBERS, with the name) where it has come onto another motion there. Two numbers of the state's memory.
MbStatus mb_singular_watch(MbSim *sim, const double *v, const double *v1, double times, MbReport *report);
double *mb_singular_memory(const MbSim *sim);
// At the state: the worst error of position and of velocity; the rows' forces (nslots); those of rows on coordinates,
// along the velocities y (nv).
void mb_constraint_errors(const MbSim *sim, double errors[2]);
double *mb_constraint_memory(const MbSim *sim);
void mb_constraint_reactions(const MbSim *sim, double *y);
// y += Gᵀ λ of all rows, at the state
void mb_constraint_push(MbSim *sim, double *y);
// y += forces along the coordinates that the solver itself keeps in step, at the state.
void mb_sim_reactions(MbSim *sim, double *y);

// How many numbers the adaptive integrator carries from step to step, and its step.
size_t mb_rk45_memory(size_t nq, size_t nv);
void mb_rk45_restart(MbSim *sim);
MbStatus mb_rk45_step(MbSim *sim, double target, MbReport *report);

MbStatus mb_channels_build(MbSim *sim, MbReport *report);

MbEnergy mb_energy(const MbModel *model, const MbMaximal *x);
void mb_momentum(const MbModel *model, const MbMaximal *x, double linear[3], double angular[3]);

// ---- deformables of elements (sim_soft.c); all of it does nothing where there are none ----

size_t mb_sim_soft_memory(const MbModel *model); // how many numbers of the state's memory, its first
MbStatus mb_sim_soft_create(MbSim *sim, MbReport *report);
void mb_sim_soft_free(MbSim *sim);
size_t mb_sim_soft_bytes(const MbSim *sim);
void mb_sim_soft_start(MbSim *sim); // the state at t = 0
// The nodes at t, the end of the step, when the bodies of x are there; and into the state with them.
MbStatus mb_sim_soft_step(MbSim *sim, double t, MbReport *report);
void mb_sim_soft_commit(MbSim *sim);
// At the state: of all nodes (nodes x 3); volume and largest strain of one deformable; what its share is of the sums.
const double *mb_sim_soft_places(const MbSim *sim);
const double *mb_sim_soft_velocities(const MbSim *sim);
void mb_sim_soft_measure(const MbSim *sim, const MbDeformable *of, double *volume, double *strain);
void mb_sim_soft_energy(const MbSim *sim, MbEnergy *energy);
void mb_sim_soft_momentum(const MbSim *sim, double linear[3], double angular[3]);
// Of the last step; seconds are of wall time.
size_t mb_sim_soft_history_size(const MbModel *model); // iterations of a step at most
void mb_sim_soft_history(const MbSim *sim,
                         double *out); // residual of each of the last step's; 0 of those it did without
void mb_sim_soft_solution(const MbSim *sim, double solution[3],
                          double *seconds); // iterations, residual, left

#endif
