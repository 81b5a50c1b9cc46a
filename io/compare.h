// Comparing two trajectories, and checking one: the numbers behind `mbsim diff` and `mbsim check`.
#ifndef MB_IO_COMPARE_H
#define MB_IO_COMPARE_H

#include "io/trajectory.h"

typedef struct MbTolerance {
  const char *channel; // NULL = every channel not named
  double atol, rtol;   // a number passes when |a - b| <= atol + rtol * range of its channel + both bounds
} MbTolerance;

typedef struct MbCompareOptions {
  MbTolerance fallback;
  const MbTolerance *tolerances; // (ntolerances)
  size_t ntolerances;
  double until;     // pointwise up to here, invariants after it; infinity = pointwise throughout
  bool interpolate; // frames of b at a's times by interpolation, where the times differ
} MbCompareOptions;

typedef struct MbDifference {
  uint64_t frame; // of a
  double time;
  size_t item, component;
  double a, b;   // for rotations: angle between them stands in `error`, these are the worst component's
  double error;  // absolute
  double scaled; // error over the channel's range in a
  double ulps;   // lossless channels, of the worst number; else 0
} MbDifference;

typedef struct MbChannelResult {
  const char *channel;
  size_t in_a, in_b; // index in each file, SIZE_MAX = missing there
  bool compared, pass;
  double range;              // of the channel over time in a: per component kind, largest
  double atol, rtol;         // that applied, bounds included in atol
  MbDifference worst, first; // largest error; first that exceeds (frame = UINT64_MAX: none)
  uint64_t exceeding;        // numbers that exceed
  double growth;             // fitted rate of log10(error) per second after `first`; NaN where there is none
  double growth_r2;          // of that fit
  bool jump;                 // the difference appears at once rather than grows
} MbChannelResult;

typedef struct MbInvariantResult {
  const char *name; // "energy.total mean", "momentum.linear", "constraint.error max"
  double a, b, error, tolerance;
  bool pass;
} MbInvariantResult;

typedef struct MbCompareResult MbCompareResult; // owns what the arrays below point to

struct MbCompareResult {
  bool same;
  uint64_t frames; // compared
  size_t nchannels, ninvariants, nmissing;
  MbChannelResult *channels;     // (nchannels) a's order, then those only in b
  MbInvariantResult *invariants; // (ninvariants)
  char **missing;                // (nmissing) sentences: bodies, channels, frames that only one has
  char verdict[512];             // one line
  void *arena;                   // private
};

// MB_OK (same), MB_DIFFERS, MB_USAGE (cannot be compared), MB_IO (unreadable). Free the result whatever came.
MbStatus mb_compare(MbTraj *a, MbTraj *b, const MbCompareOptions *options, MbCompareResult *result,
                    MbReport *report);
void mb_compare_free(MbCompareResult *result);

// Sanity of one trajectory beyond its CRCs.
typedef struct MbCheckItem {
  const char *name; // "finite numbers", "monotone time", "unit quaternions", "energy", "momentum", ...
  bool checked, pass;
  char text[256]; // what was found, with frame and time
} MbCheckItem;

enum { MB_CHECK_MAX = 16 };

typedef struct MbCheckResult {
  size_t count;
  MbCheckItem items[MB_CHECK_MAX];
} MbCheckResult;

typedef struct MbCheckOptions {
  double energy_drift, momentum_drift; // relative, allowed; NaN = report only
  double constraint_error;             // allowed; NaN = report only
} MbCheckOptions;

// MB_OK, MB_DIFFERS (something does not pass) or MB_IO.
MbStatus mb_check_trajectory(const char *path, const MbCheckOptions *options, MbCheckResult *result,
                             MbReport *report);

#endif
