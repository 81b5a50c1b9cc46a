// Schemes: ways to make the state to come. Which one a simulation takes follows from its integrator, and from what there is to
// solve for (scheme_table.c).
#ifndef MB_SIM_SCHEMES_H
#define MB_SIM_SCHEMES_H

#include "core/sim/sim_internal.h"

struct MbSchemeOps {
  const char *name;
  // (q1, v1) ← the state a step of the scene from now. The bodies of sim->x are at the state before.
  MbStatus (*step)(MbSim *sim, MbReport *report);
  // How many numbers it carries from step to step in the state's memory; NULL: none.
  size_t (*memory)(size_t nq, size_t nv);
  // Takes what the step has left for the next one into the memory, when it has become the state; NULL: nothing.
  void (*commit)(MbSim *sim);
  // How many numbers of scratch it wants in sim->stage; NULL: none.
  size_t (*scratch)(size_t nq, size_t nv);
  // Makes those of the memory anew where velocities have jumped, and at the start; NULL: there are none.
  void (*restart)(MbSim *sim);
};

// Chooses the scheme of a simulation, whose integrator, solver and model are known.
const MbSchemeOps *mb_scheme_for(const MbSim *sim);

// scheme_once.c: one solution a step; the same where the solver has accelerations at once and A is M; the solution itself, v1 ← v⁺,
// without constraints.
MbStatus mb_scheme_solve_once(MbSim *sim, double *v1, MbReport *report);
MbStatus mb_scheme_once(MbSim *sim, MbReport *report);
MbStatus mb_scheme_explicit(MbSim *sim, MbReport *report);
// scheme_verlet.c, of bodies free in space
MbStatus mb_scheme_verlet(MbSim *sim, MbReport *report);
// scheme_halves.c: implicit half steps of the velocities
MbStatus mb_scheme_midpoint(MbSim *sim, MbReport *report);
MbStatus mb_scheme_verlet_halves(MbSim *sim, MbReport *report);
// scheme_coupled.c: bodies and deformables of elements that rows tie to them
MbStatus mb_scheme_coupled(MbSim *sim, MbReport *report);
// scheme_kinematic.c: f = m v; by passes where there are joints or constraints
MbStatus mb_scheme_kinematic(MbSim *sim, MbReport *report);
MbStatus mb_scheme_kinematic_passes(MbSim *sim, MbReport *report);
// scheme_stages.c: fully implicit
MbStatus mb_scheme_stages(MbSim *sim, MbReport *report); // bdf1 and sdirk2
MbStatus mb_scheme_bdf2(MbSim *sim, MbReport *report);
size_t mb_scheme_bdf2_memory(size_t nq, size_t nv);
void mb_scheme_bdf2_restart(MbSim *sim);
void mb_scheme_bdf2_commit(MbSim *sim);
size_t mb_scheme_stages_scratch(size_t nq, size_t nv);
// What a stage's u* and v* are made of: u of the step before, the velocities v at the start of this one and those at the start of the one
// before, the first stage's w.
typedef struct MbStageTerms {
  double base_u, base_first, from_v, from_before, from_first;
  double gamma; // of the stage
} MbStageTerms;
// Tells them of the stages of the step to come, and how many these are.
size_t mb_scheme_stages_terms(const MbSim *sim, MbStageTerms terms[2]);
// Tells the terms of the one stage of a step in which something is struck.
MbStageTerms mb_scheme_stages_struck(void);
// Where what bdf2 carries from step to step begins in `memory`, which is laid out as the state's: u (nv) and the velocities before the step (nv). NULL: the
// scheme carries nothing.
double *mb_scheme_stages_carried(const MbSim *sim, double *memory);
// scheme_static.c: equilibrium; the numbers that it needs
MbStatus mb_scheme_static(MbSim *sim, MbReport *report);
size_t mb_scheme_static_room(size_t nq, size_t nv);
// scheme_rk45.c
MbStatus mb_scheme_rk45(MbSim *sim, MbReport *report);
size_t mb_scheme_rk45_memory(size_t nq, size_t nv);
size_t mb_scheme_rk45_scratch(size_t nq, size_t nv);
void mb_scheme_rk45_restart(MbSim *sim);

#endif
