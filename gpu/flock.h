// Many simulations in lockstep on a device: trees that differ in numbers alone, under solver `redmax` and integrator `symplectic` or `implicit`, one a
// thread (kernels/tree_kernels.h). They are those of core/sim/lockstep.h, of which a lane is one here too, to 1e-12 of a step.
//
// All memory is taken when a flock is made, for as many scenes as were asked for or as there is room for. Between frames nothing is
// copied; of a frame what is wanted comes back, row by row, and which scenes go on.
#ifndef MB_GPU_FLOCK_H
#define MB_GPU_FLOCK_H

#include "core/sim/lockstep.h"
#include "gpu/gpu.h"

typedef struct MbFlock MbFlock;

// Tells why a model that can be a lane (mb_lane_refused) cannot go with a flock, as words that fit behind "it "; NULL: it may.
const char *mb_flock_refused(const MbModel *model);
// How many bytes of a device's memory so many scenes like this one take.
size_t mb_flock_bytes(const MbLane *like, size_t scenes);

// Opens the engine's device, and makes room there for at most `most` scenes like this one, which must outlive it. MB_DEVICE: the device
// cannot be had, or has no room for any.
MbStatus mb_flock_create(const MbEngine *engine, const MbLane *like, size_t most, MbFlock **flock,
                         MbReport *report);
void mb_flock_free(MbFlock *flock);
size_t mb_flock_room(const MbFlock *flock); // for how many there is room
const char *mb_flock_device(const MbFlock *flock);

// Puts `count` scenes at their start, at most as many as there is room for, all alike, whose simulations have not been stepped and outlive
// the steps.
MbStatus mb_flock_load(MbFlock *flock, const MbLane *const *lanes, size_t count, MbReport *report);
// Takes so many steps in every scene that goes on. MB_DEVICE: the device has failed.
MbStatus mb_flock_step(MbFlock *flock, int64_t steps, MbReport *report);
int64_t mb_flock_steps(const MbFlock *flock);
// Tells whether a scene goes on, as of the last look.
bool mb_flock_goes(const MbFlock *flock, size_t scene);

// Says which numbers of a frame are wanted: reads[i] of number i. Energies always are, where they are a channel.
MbStatus mb_flock_want(MbFlock *flock, const bool *reads, MbReport *report);
// Looks at the state: brings what frames are made of, and who goes on.
MbStatus mb_flock_look(MbFlock *flock, MbReport *report);
// Writes a scene's frame of the last look; numbers that are not wanted are left as they were. False: one is not finite, and the scene
// goes no more.
bool mb_flock_frame(MbFlock *flock, size_t scene, double *frame);
// Tells whether energies are to be watched, every MB_WATCH_EVERY steps, and watches them.
bool mb_flock_watches(const MbFlock *flock);
MbStatus mb_flock_watch(MbFlock *flock, MbReport *report);
// What a scene's steps have warned of.
MbReport *mb_flock_said(MbFlock *flock, size_t scene);

#endif
