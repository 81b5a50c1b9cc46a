// What steps ask of the rows that the solver claims, of joints and of constraints that fit (claims.c). What solves is false where A⁻¹
// could not be applied.
#ifndef MB_SIM_CLAIMS_H
#define MB_SIM_CLAIMS_H

#include "core/sim/ask.h"
#include "core/sim/sim_internal.h"

// A pass of a half step: q = state ⊕ θ h w where the bodies and the factor of A are. Rows' λ are impulses over `impulse` seconds.
typedef struct MbHalf {
  double theta, impulse;
  bool second; // the other half of a step that has been made
  // A stage that ends where its rows are, as those of fully implicit schemes do: theta and second are not read.
  bool here;
  double span, t;     // seconds for which w has carried the coordinates there; the time there
  const double *from; // (nv) velocities that those seconds of forces change
} MbHalf;

// What a step of the simulation asks of rows, but for half steps' own numbers; and with these.
MbAsking mb_asking(const MbSim *sim, MbAskOf of);
MbAsking mb_asking_half(const MbSim *sim, const MbHalf *half);

// Tells whether the solver claims any.
static inline bool mb_claims_any(const MbSim *sim) { return sim->nclaimed > 0; }
// Solves for velocities: x ← v⁺; notes in sim->half_way how many seconds of the rate J̇ v those at a step's start make up for, 0 where
// bodies do not fly (core/sim/README.md).
bool mb_claims_velocities(MbSim *sim, double *x);
// Solves for accelerations at velocities v: x ← v̇. Errors are asked to shrink at the rate γ.
bool mb_claims_accelerations(MbSim *sim, const double *v, double gamma, double *x);
// Solves for the change of velocities w in a pass of a half step: x ← Δw.
bool mb_claims_change(MbSim *sim, const MbHalf *half, const double *w, double *x);
// Notes the gaps at the state, the bodies being there.
void mb_claims_begin(MbSim *sim);
// Notes the gaps where the step by w would end, the bodies being there.
void mb_claims_aim(MbSim *sim, const double *w);
// Takes the velocities nearest to v, as A measures, with J v = −ġ_t.
bool mb_claims_agree(MbSim *sim, double *v);
// Finds the least move dq that closes all gaps. Returns the widest of them, of the bodies' distances; NaN where it cannot be solved.
double mb_claims_close(MbSim *sim, double *dq);
// Adds what pulled at the rows in one solution, sim->pulled, to what pulls in the step.
void mb_claims_add(MbSim *sim);
// Keeps what pulls, and takes it back: before other rows are solved for, as often as they are.
void mb_claims_keep(MbSim *sim);
void mb_claims_recall(MbSim *sim);
// Raises errors of position and of velocity to the largest of these rows.
void mb_claims_errors(MbSim *sim, const double *v, double errors[2]);

#endif
