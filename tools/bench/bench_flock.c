// Trees in lockstep on a device (gpu/flock.h) beside the processor's lanes: steps of all scenes together in a second. Scenes are one and the
// same many times over, as what they do is the same whatever their numbers are. Loops on the processor stand in where there is no device.
#include "core/sim/lockstep.h"
#include "gpu/flock.h"
#include "tools/bench/bench.h"
#include "tools/bench/hinged.h"
#include "tools/bench/timed_backend.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct Case {
  const char *name;
  Tree tree;
  size_t bodies;
  double target; // steps a second on an H100 or H200
} Case;

static const Case cases[] = {{"double pendulum", CHAIN, 2, 1e9},
                             {"humanoid", HUMANOID, HUMANOID_BODIES, 20e6}};

enum { SCENES = 65536, FEW = 64, CHUNK = 256, LANE_STEPS = 2000 };

// Steps a second of eight lanes on one processor.
static double of_lanes(const MbLane *like) {
  MbLockstep *l = NULL;
  MbReport report = {0};
  const MbLane *lanes[MB_LOCKSTEP];
  double rate = 0;
  for (size_t k = 0; k < MB_LOCKSTEP; k++) lanes[k] = like;
  if (!mb_lockstep_create(like, &l, &report) && !mb_lockstep_load(l, lanes, MB_LOCKSTEP, &report)) {
    const double began = mb_bench_wall();
    for (int k = 0; k < LANE_STEPS; k++) mb_lockstep_step(l);
    rate = MB_LOCKSTEP * LANE_STEPS / (mb_bench_wall() - began);
  }
  mb_lockstep_free(l);
  return rate;
}

// Steps a second of so many scenes; 0: the device has failed.
static double of_flock(const MbEngine *engine, const MbLane *like, size_t scenes, int launches,
                       MbReport *report) {
  const MbLane **lanes = calloc(scenes, sizeof *lanes);
  MbFlock *flock = NULL;
  double rate = 0;
  for (size_t k = 0; lanes && k < scenes; k++) lanes[k] = like;
  MbStatus status = lanes ? mb_flock_create(engine, like, scenes, &flock, report) : MB_IO;
  if (!status && mb_flock_room(flock) < scenes) scenes = mb_flock_room(flock);
  if (!status) status = mb_flock_load(flock, lanes, scenes, report);
  if (!status) status = mb_flock_step(flock, CHUNK, report);
  if (!status) status = mb_flock_look(flock, report);
  const double began = mb_bench_wall();
  for (int k = 0; k < launches && !status; k++) status = mb_flock_step(flock, CHUNK, report);
  if (!status) status = mb_flock_look(flock, report); // which waits
  if (!status) rate = (double)scenes * CHUNK * launches / (mb_bench_wall() - began);
  if (!status && !mb_flock_goes(flock, 0)) printf("  the scene has left: these are no numbers\n");
  mb_flock_free(flock);
  free(lanes);
  return rate;
}

static bool one(const Case *c, const MbEngine *engine, bool there) {
  const MbSolverSpec solver = {.kind = MB_SOLVER_REDMAX};
  const long processors = sysconf(_SC_NPROCESSORS_ONLN);
  MbModel *model = hinged_make(c->tree, c->bodies, &solver);
  MbLane lane = {0};
  MbReport report = {0};
  const char *refused = NULL;
  if (!model || mb_lane_create(model, &lane, &refused, &report) || refused || mb_flock_refused(model))
    return false;
  const size_t scenes = there ? SCENES : FEW;
  const double lanes = of_lanes(&lane), rate = of_flock(engine, &lane, scenes, there ? 4 : 1, &report);
  printf("  %zu x %s, %zu bodies, %.1f MB there: %.3g million steps/s; eight lanes on one of %ld processors "
         "%.3g, ratio %.3g\n",
         scenes, c->name, c->bodies, (double)mb_flock_bytes(&lane, scenes) / 1048576, 1e-6 * rate, processors,
         1e-6 * lanes, rate / lanes);
  mb_backend_between = mb_timed_backend;
  mb_timed_start();
  const double timed = of_flock(engine, &lane, scenes, 1, &report);
  mb_backend_between = NULL;
  mb_timed_stop();
  if (timed > 0) mb_timed_print(2 * CHUNK, "step of all");
  if (report.kept) printf("  %s\n", report.issues[0].text);
  const bool met = !there || mb_bench_target("steps/s", rate, "", c->target, true);
  mb_lane_free(&lane);
  mb_model_free(model);
  fflush(stdout);
  return met && rate > 0;
}

bool mb_bench_flock(void) {
  bool there = false, met = true;
  const MbEngine *cuda = &mb_cuda_engine;
  (void)mb_engine_text(cuda, &there);
  printf("  trees in lockstep, %s\n",
         there ? "on the device" : "by loops on the processor: no numbers of a device");
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
    met &= one(&cases[k], there ? cuda : &mb_loops_engine, there);
  return met;
}
