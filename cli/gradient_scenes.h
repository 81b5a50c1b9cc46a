// What `mbsim gradient` holds: the scene, and those with a little less and a little more of each of the numbers.
#ifndef MB_CLI_GRADIENT_SCENES_H
#define MB_CLI_GRADIENT_SCENES_H

#include "cli/changed_scene.h"
#include "core/sim/sensitivity.h"
#include "core/sim/plan.h"
#include "io/sweep/measure.h"
#include "io/trajectory/trajectory.h"
#include "io/sweep/measure_slope.h"

// A scene with one number changed, its model, and the measures with the parameters that it has.
typedef struct MbVariant {
  MbScene *scene;
  MbModel *model;
  MbMeasures *measures;
} MbVariant;

// A number of the scene that derivatives are by.
typedef struct MbWrt {
  const char *name; // of a parameter, or a JSON pointer
  double value, move;
  int side; // 1, -1: its derivative looks at larger or smaller numbers alone, as the scene is refused on the other side; 0: at both
  MbVariant less, more;
  MbMeasureSlopes *slopes;
  double *derivative, *difference, *unsure; // (nmeasures)
} MbWrt;

typedef struct MbGradientRun {
  const MbArgs *args;
  MbSceneSource source;
  MbVariant scene;
  MbMeasureAsk *asks; // (nmeasures)
  double *values;     // (nmeasures)
  size_t nmeasures;
  MbWrt *wrt; // (nwrt)
  size_t nwrt;
  MbTraj *from; // whose checkpoint the run goes on from; NULL: it begins at the start
  MbTrajCheckpoint checkpoint;
  size_t memory;    // bytes that the way back may keep
  char method[200]; // how derivatives were taken
  MbArena arena;
} MbGradientRun;

// ---- gradient_scenes.c ---------------------------------------------------------------------------

// Reads the scene, finds the numbers, makes all models and measures.
MbStatus mb_gradient_ask(MbGradientRun *run, MbReport *report);
// Makes the scene with a number at a value; NULL: as it is.
MbStatus mb_gradient_variant(MbGradientRun *run, const MbWrt *wrt, double value, MbVariant *variant,
                             MbReport *report);
void mb_gradient_variant_free(MbVariant *variant);
void mb_gradient_run_free(MbGradientRun *run);

#endif
