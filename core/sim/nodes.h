// Deformables of elements in a run: their nodes, which are points and no bodies (nodes.c). All of it does nothing where there are none.
#ifndef MB_SIM_NODES_H
#define MB_SIM_NODES_H

#include "core/sim/nodes_away.h"

struct MbNodes {
  MbArena arena;
  size_t n;        // nodes of all deformables
  double *q1, *v1; // (n x 3) at the end of the step
  double *target;  // (n x 3) where placed nodes go
  double *force;   // (ncables) of cables with a given tension
  size_t ncables;
  const MbCable **cable; // (ncables)
  MbNodePlan plan;
  MbNodeStats stats;
  MbNodeStart start; // of the step
  MbNodeLoad *load;  // (deformables)
  double gravity[3]; // that it has, where it comes on by load steps
  bool moved;        // by the scheme's passes, together with bodies
  bool ahead;        // they are at the step's end, which is not the state yet
  bool unseen;       // the step's end is not in q1 and v1, and has nothing that is to be looked at
  MbAway *away;      // what of steps' ends stays where the engine moves the nodes; NULL: nothing
  bool places_away;  // places and velocities do
};

// What the state remembers. Of the last step: iterations, the last one's correction, what is left by estimate; of all steps the most that
// was left, whether that has been told, and how many have not come to the accuracy that was wanted. Behind them each iteration's correction.
enum {
  MB_NODES_ITERATIONS,
  MB_NODES_RESIDUAL,
  MB_NODES_LEFT,
  MB_NODES_MOST_LEFT,
  MB_NODES_TOLD,
  MB_NODES_MISSED,
  MB_NODES_NUMBERS
};

// Tells how many numbers of the state's memory its sections take.
void mb_nodes_sections(const MbSim *sim, size_t size[MB_SECTIONS]);
MbStatus mb_nodes_create(MbSim *sim, MbReport *report);
void mb_nodes_free(MbSim *sim);
size_t mb_nodes_bytes(const MbSim *sim); // beside what the solver has
// Sets the state at t = 0.
void mb_nodes_start(MbSim *sim);
// Has the engine set out from the places that the state's memory has, as at the start.
void mb_nodes_set_out(MbSim *sim);

// Adds the rows of cables that keep their length (node_cables.c).
MbStatus mb_nodes_make_cables(MbSim *sim, MbReport *report);

// Moves the nodes to t, the end of the step, when the bodies of sim->x are there: by themselves where nothing ties them to bodies, else
// the scheme has moved them already. This, and mb_nodes_commit, are for scenes that have such nodes.
MbStatus mb_nodes_step(MbSim *sim, double t, MbReport *report);
// Moves the nodes to where they are in equilibrium at t (node_static.c).
MbStatus mb_nodes_settle(MbSim *sim, double t, MbReport *report);
// Begins a step together with bodies that ends at t (scheme_coupled.c).
MbStatus mb_nodes_begin(MbSim *sim, double t, MbReport *report);
// Ends it, and writes the ports' velocities into v.
bool mb_nodes_end(MbSim *sim, double *v);
// Moves a node by so much along n at the end of a step, unless it is held or a body; tells whether it has.
bool mb_nodes_push(MbSim *sim, size_t node, double way, const double n[3]);
// Takes the nodes into the state.
void mb_nodes_commit(MbSim *sim);
// Takes the ports' velocities in the state for those of their nodes, as after a blow.
void mb_nodes_take_ports(MbSim *sim);
// Tells whether bodies carry nodes, which go where these are at the end of a step.
bool mb_nodes_carried(const MbModel *model);

// Finds what a step begins with: nodes that are held go where they are at t, with the bodies of sim->x where they are then (node_motion.c).
MbStatus mb_nodes_prepare(MbSim *sim, double t, MbReport *report);
// Writes where a deformable's nodes that pins or bodies hold are to be at t, into target (nodes of all x 3): with a simulation's signals and bodies at E.
void mb_nodes_aim(const MbSim *sim, const MbPose *E, const MbDeformable *of, double t, double *target);
// Finds what the signals of one of its pins' motions are felt by, of what its targets are (nodes of all x 3): along the axes, and by the angle.
void mb_nodes_aim_felt(const MbSim *sim, const MbDeformable *of, uint32_t motion, double t,
                       const double *felt, double translate[3], double *angle);
// Tells the pressure in a deformable at t beside a gas, and how far fibres are activated.
double mb_nodes_pressure(const MbSim *sim, const MbDeformable *of, double t);
double mb_nodes_activation(const MbSim *sim, const MbFibres *fibres, double t);
// Tells whether the solution at the end of a step is one to go on with, `fine`: its numbers are finite (node_messages.c).
MbStatus mb_nodes_judge(MbSim *sim, bool fine, double t, MbReport *report);
// Tells whether a device that moves the nodes has stopped.
MbStatus mb_nodes_fault(const MbSim *sim, double t, MbReport *report);
// Tells how far the nodes still are from the last step's solution, by the size of the largest deformable.
double mb_nodes_left(const MbSim *sim);
// Tells whether the step's last iteration is farther from its solution than what was wanted, though a step to go on from.
bool mb_nodes_missed(const MbNodes *nodes);

// At the state, of all nodes (nodes x 3). Where it is away it comes here first.
static inline const double *mb_nodes_places(const MbSim *sim) {
  if (sim->nodes->places_away) (void)mb_away_come(sim);
  return mb_section(sim, MB_SECTION_NODES);
}
static inline const double *mb_nodes_velocities(const MbSim *sim) {
  return mb_nodes_places(sim) + 3 * sim->nodes->n;
}
// Tells where rows find the nodes: at the state, or where a step that is being ended has moved them. NULL: there are none.
static inline const double *mb_nodes_at(const MbSim *sim) {
  if (!sim->nodes) return NULL;
  return sim->nodes->ahead ? sim->nodes->q1 : mb_nodes_places(sim);
}
// The same of their velocities.
static inline const double *mb_nodes_velocities_at(const MbSim *sim) {
  if (!sim->nodes) return NULL;
  return sim->nodes->ahead ? sim->nodes->v1 : mb_nodes_velocities(sim);
}
// At the state: volume and largest strain of one deformable; what all add to energy and momentum (node_channels.c).
void mb_nodes_measure(const MbSim *sim, const MbDeformable *of, double *volume, double *strain);
void mb_nodes_energy(const MbSim *sim, MbEnergy *energy);
// Adds to an energy that of nodes at places q that move by v.
void mb_nodes_energy_of(const MbSim *sim, const double *q, const double *v, MbEnergy *energy);
void mb_nodes_momentum(const MbSim *sim, double linear[3], double angular[3]);
// Of the last step: iterations, residual and what is left; how many steps so far have missed the energy that was wanted; seconds of
// wall time.
void mb_nodes_solution(const MbSim *sim, double solution[4], double *seconds);
// Iterations of a step at most; the residual of each of the last step's, 0 of those that it did without.
size_t mb_nodes_history_size(const MbSim *sim);
void mb_nodes_history(const MbSim *sim, double *out);

#endif
