// Small trajectories for the tests of comparing, checking and exporting: two bodies on smooth paths.
#ifndef MB_TESTS_COMPARE_FIXTURE_H
#define MB_TESTS_COMPARE_FIXTURE_H

#include "io/compare/compare.h"

// Where the channels lie in a frame.
enum {
  POSITION = 0,   // 2 x 3
  ROTATION = 6,   // 2 x 4
  VELOCITY = 14,  // 2 x 6
  ENERGY = 26,    // kinetic, gravity, elastic, total
  MOMENTUM = 30,  // linear, angular
  VIOLATION = 36, // position, velocity
  WALL = 38,      // depends on the clock
  FRAME = 39,
  CHANNELS = 7
};

typedef struct Plan Plan;
struct Plan {
  MbChannel channels[CHANNELS];
  size_t nchannels;
  double bound[MB_QUANTITIES];
  uint64_t frames;
  double t0, dt, step;
  void (*edit)(double *frame, uint64_t k, double t); // after the smooth motion was filled in
  double constraint_bound, constraint_patience;      // of the head
  bool cut;                                          // no index, no trailer
  const char *scene;                                 // JSON; NULL = {}
};

Plan smooth_plan(void);                                     // 101 frames, every 0.01 s
const char *plan_write(const Plan *plan, const char *name); // path of the new file
void fixture_begin(void);
void fixture_end(void);                                     // removes the files
const char *fixture_file(const char *name, char file[300]); // its path beside the trajectories

typedef struct Compared {
  MbStatus status;
  MbCompareResult result;
  MbReport report;
} Compared;

extern const MbCompareOptions exact; // tolerances 0, pointwise throughout
Compared compare_plans(const Plan *a, const Plan *b, const MbCompareOptions *options);
const MbChannelResult *channel_result(const Compared *c, const char *name);
bool has_missing(const Compared *c, const char *part); // a sentence that contains it

#endif
