// Comparing two trajectories, and checking one: the numbers behind `mbsim diff` and `mbsim check`.
#ifndef MB_IO_COMPARE_H
#define MB_IO_COMPARE_H

#include "io/trajectory/trajectory.h"
#include <stdio.h>

// Which numbers are compared: channels, items and components of the same name (of the same place where there
// are no names), in frames of the same time (to 1e-9 of a step). What only one file has is a difference and
// is named; so is a file that was cut off or damaged. Channels that depend on the clock are left out.
//   Error of a number: |a - b|; 0 for two NaNs, infinite where one of the two is NaN. -0 and 0 are the same.
//   Error of a rotation: the angle between a and +-b (rad), or the difference of their lengths if that is
//   larger.
//   Range: of each number its extent over all frames of a, and of these the largest over the items and over the components of one
// kind: those whose names differ in an x, y, z or w at the end only; all those of an energy. A position's extent is
// largest - smallest; other quantities have a zero that means something, and their extent reaches to it, so that what is conserved
// still has a scale. A rotation's: the largest angle from the first frame.
//   Lists: a channel with a list has the components "count" and those fields of its entries that are no keys. In each frame
// entries are matched by their keys, of which words count by what they say; without keys by their places. The count's error is the number of
// entries that have none like them in the other file (of the file with more of these), so that a limit that lets go as another one is hit
// is a difference. Lists are not interpolated: they are compared in frames that both files have.
//   Bounds: each file's error bound is added to the tolerance; for rotations the angle that it may come to.
// Interpolation is linear in time, of rotations along the arc; stored velocities are not used. A file may
// then end or begin up to one of its frames' distances inside the other.

// The scenes that the files hold are compared too: what differs in them is told, and makes no difference by itself. Files whose
// scenes have bodies and deformables, none with a name in common, cannot be compared.

typedef struct MbTolerance {
  const char *channel;   // NULL = every channel not named
  const char *component; // NULL = every component not named before
  double atol, rtol;     // a number passes when |a - b| <= atol + rtol * range of its channel + both bounds
} MbTolerance;

// What a comparison finds in one frame of one channel.
typedef struct MbFrameErrors {
  size_t channel;      // in the result's list
  const MbChannel *of; // in a
  double time;
  const double *error,
      *allowed; // (of->width) of each component the largest error over the items; of a rotation one of them has it
} MbFrameErrors;

typedef struct MbCompareOptions {
  MbTolerance fallback;
  const MbTolerance *tolerances; // (ntolerances) the first that fits counts
  size_t ntolerances;
  const char *const *only; // (nonly) names of the channels to compare; 0 = all
  size_t nonly;
  double until;     // pointwise up to here, invariants after it; infinity = pointwise throughout
  bool interpolate; // frames of b at a's times by interpolation, where the times differ
  void (*watch)(void *watcher,
                const MbFrameErrors *errors); // NULL, or called with each frame's errors, channel by channel
  void *watcher;
} MbCompareOptions;

enum { MB_DIFFERENCE_KEYS = 4 };

typedef struct MbDifference {
  uint64_t frame; // of a
  double time;
  size_t item,
      component; // of a list: the entry's place in a's frame; 0 is the count, then the fields that are no keys
  size_t nkeys;  // of a list's entry, as many as are kept
  double key[MB_DIFFERENCE_KEYS]; // (nkeys)
  double a, b;    // for rotations: angle between them stands in `error`, these are the worst component's
  double error;   // absolute
  double allowed; // of that number
  double scaled;  // error over the channel's range in a
  double ulps;    // lossless channels, of the worst number; else 0
} MbDifference;

typedef struct MbChannelResult {
  const char *channel;
  size_t in_a, in_b;         // index in each file, SIZE_MAX = missing there
  bool compared, pass;       // compared: some number of it was; one that only one file has does not pass
  double range;              // of the channel over time in a: per component kind, largest
  double atol, rtol;         // that applied, bounds included in atol
  MbDifference worst, first; // largest error; first that exceeds (frame = UINT64_MAX: there is none)
  uint64_t exceeding;        // numbers that exceed
  size_t ncomponents;        // with names of their own: 0 of rotations, and where there is one
  const char *const *component_names; // (ncomponents)
  const double *worst_of;             // (ncomponents) largest error of each
  double growth;     // fitted rate of log10(error) per second after `first`; NaN where it does not grow so
  double growth_r2;  // of that fit
  double growth_end; // time up to which it does
  bool jump;         // the difference appears at once rather than grows
} MbChannelResult;

typedef struct MbInvariantResult {
  const char *name; // "energy.total mean", "momentum.linear", "constraint.error max"
  double a, b, error, tolerance;
  bool pass;
} MbInvariantResult;

// One place in the scenes, and what stands there: JSON, cut after some length; NULL where it is not there.
typedef struct MbSceneDifference {
  const char *pointer, *a, *b;
} MbSceneDifference;

enum { MB_SCENE_DIFFERENCES = 32 }; // kept of them

typedef struct MbCompareResult MbCompareResult; // owns what the arrays below point to

struct MbCompareResult {
  bool same;
  uint64_t frames; // compared
  size_t nchannels, ninvariants, nmissing;
  MbChannelResult *channels;     // (nchannels) a's order, then those only in b
  MbInvariantResult *invariants; // (ninvariants)
  char **missing;                // (nmissing) sentences: bodies, channels, frames that only one has
  size_t nscene;                 // differences of the scenes, kept or not
  MbSceneDifference *scene;      // (nscene, at most MB_SCENE_DIFFERENCES)
  char verdict[768];             // one line
  void *arena;                   // private
};

// MB_OK (same), MB_DIFFERS, MB_USAGE (cannot be compared), MB_IO (unreadable). Free the result whatever came.
MbStatus mb_compare(MbTraj *a, MbTraj *b, const MbCompareOptions *options, MbCompareResult *result,
                    MbReport *report);
void mb_compare_free(MbCompareResult *result);

// After `until`, invariants take the place of numbers; each file's frames count by themselves:
//   "energy.total mean" (over time) and "energy.total end"; rtol scales the range of a's energy
//   "momentum.linear", "momentum.angular": the largest deviation of the norm from that of the first frame after `until`; rtol
//   scales a's largest norm
//   "constraint.error max" (or "constraint.error.<component> max"); rtol scales a's
// with atol and rtol of their channel. Where both files have none of these channels, a warning says so.

// What an entry of a list is about: its keys, words as such ("rod.upper", "crate, 3"); without keys its place.
const char *mb_entry_name(const MbList *list, const double *key, size_t nkeys, size_t place, char *text,
                          size_t size);

// ---- tolerances in a file ---------------------------------------------------------------------------------

//   {"mbsim_tolerances": 1, "learned_from": {"runs": 2, "files": ["a.mbt", "b.mbt"]}, "default": {"atol": 0, "rtol": 0},
//    "channels": {"body.position": {"atol": 1e-9, "components": {"x": {"atol": 1e-10}}}}}
// All but the first may be absent (0); other keys are errors unless they start with "_".
typedef struct MbTolerances {
  MbTolerance fallback;
  MbTolerance *items; // (count), each with its channel, those of its components before it
  size_t count;
  const char *const
      *files; // (nfiles) that they were learned from, the first one what the others were compared with
  size_t nfiles;
  void *arena; // private
} MbTolerances;

// MB_IO (unreadable) or MB_USAGE (not such a file). Free whatever came.
MbStatus mb_tolerances_read(const char *path, MbTolerances *tolerances, MbReport *report);
// MB_IO when `out` does not take it; what stays in its buffer is the caller's to find out.
MbStatus mb_tolerances_write(FILE *out, const MbTolerances *tolerances, MbReport *report);
// From comparisons of several runs with the first: an atol for each channel, twice its worst error, rounded
// up to two digits. MB_USAGE where runs lack a channel or an error is not finite: no tolerance makes these
// equal.
// With `components`, one for each of these too.
MbStatus mb_tolerances_learn(const MbCompareResult *results, size_t nresults, bool components,
                             MbTolerances *tolerances, MbReport *report);
void mb_tolerances_free(MbTolerances *tolerances);

// ---- checking one -----------------------------------------------------------------------------------------

// Sanity of one trajectory beyond its CRCs.
typedef struct MbCheckItem {
  const char *name;   // "finite numbers", "monotone time", "unit quaternions", "energy", "momentum", ...
  bool checked, pass; // checked: judged; what is only reported, or cannot be checked, passes
  char text[256];     // what was found, with frame and time
} MbCheckItem;

enum { MB_CHECK_MAX = 16 };

typedef struct MbCheckResult {
  size_t count;
  MbCheckItem items[MB_CHECK_MAX];
} MbCheckResult;

typedef struct MbCheckOptions {
  // Largest deviation from the first frame, allowed, relative: energy to the largest kinetic energy plus the
  // largest extents of the gravitational and the elastic one; momentum to its own largest norm. NaN = report
  // only.
  double energy_drift, momentum_drift;
  double constraint_error; // allowed; NaN = report only
} MbCheckOptions;

// MB_OK, MB_DIFFERS (something does not pass) or MB_IO (unreadable or damaged; items tell about what is
// whole).
MbStatus mb_check_trajectory(const char *path, const MbCheckOptions *options, MbCheckResult *result,
                             MbReport *report);

#endif
