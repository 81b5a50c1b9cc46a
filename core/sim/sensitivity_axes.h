// Private to core/sim/sensitivity*.c: the axes that the two sides of a number take the state's bodies in. sensitivity_axes.c has the derivation.
#ifndef MB_SIM_SENSITIVITY_AXES_H
#define MB_SIM_SENSITIVITY_AXES_H

#include "core/sim/sim_internal.h"

enum { MB_AXES_FELT, MB_AXES_FROM, MB_AXES_TO, MB_AXES_RATE, MB_AXES_FREE, MB_AXES_VECTORS };

// The bodies whose principal axes a number turns, of which coordinates tell a pose.
typedef struct MbSlopeAxes {
  size_t n, nq, nv;
  size_t *body, *place, *first; // (n) of coordinates and of velocities
  double *turn[2]; // (n x 4) from the run's principal axes to those of the side with less, with more
  double *q[2], *v[2][MB_AXES_VECTORS]; // (nq), (nv) what each side was last asked at
} MbSlopeAxes;

// Whether a body's principal axes are turned from one model to the other by more than rounding; turn (may be NULL) ← how they are.
bool mb_axes_turn(const MbModel *from, const MbModel *to, size_t body, double turn[4]);
// Whether coordinates of a run tell where a body's centre of mass is and how its principal axes stand, so that they do not move along where a number moves these in the body.
bool mb_axes_tells_pose(const MbSim *run, size_t body);
// Finds the bodies whose axes a number turns in a run; *out NULL: there are none. False: out of memory.
bool mb_axes_find(MbArena *arena, const MbSim *run, const MbModel *less, const MbModel *more,
                  MbSlopeAxes **out);
// Returns coordinates of the run's as a side has them: q itself where it has the run's axes (axes NULL too), else what the next call takes anew.
const double *mb_axes_q(MbSlopeAxes *axes, int side, const double *q);
// The same of velocities, accelerations and weights, of which there are several at a time: `which` of the vectors.
const double *mb_axes_v(MbSlopeAxes *axes, int side, int which, const double *v);
// Takes velocities or forces of a side to the run's axes, in place.
void mb_axes_return(const MbSlopeAxes *axes, int side, double *v);
// Takes a whole state to a side's axes, and back to the run's: coordinates, velocities, and what multistep schemes carry of these.
void mb_axes_to_side(const MbSlopeAxes *axes, int side, const MbSim *sim, MbState *state);
void mb_axes_to_run(const MbSlopeAxes *axes, int side, const MbSim *sim, MbState *state);
// Takes the twists, or wrenches, of all bodies in place, and poses from one list to another.
void mb_axes_twists(const MbSlopeAxes *axes, int side, double *twists);
void mb_axes_poses(const MbSlopeAxes *axes, int side, MbPose *E);
// Turns the state of a simulation, which is another model's, so that its bodies stand as that model's do.
void mb_axes_adopt(MbSim *sim, const MbModel *of);
// Takes one vector of a body (may have run axes) from a side's axes to the run's, or the other way.
void mb_axes_vector(const MbSlopeAxes *axes, int side, size_t body, bool back, double x[3]);

#endif
