// Private to io/compare*.c: what the parts of a comparison share.
#ifndef MB_IO_COMPARE_PARTS_H
#define MB_IO_COMPARE_PARTS_H

#include "core/base/arena.h"
#include "io/compare/compare.h"
#include "io/compare/walk.h"

// The error of one channel over time after the first frame that exceeds, thinned out as it gets long.
enum { MB_GROWTH_POINTS = 512 };

typedef struct MbGrowth {
  bool started;
  double before, first;   // error of the frame before the first that exceeds, and of that frame
  double largest;         // since then
  uint64_t stride, phase; // frames a point, frames in the last point
  size_t count;
  double time[MB_GROWTH_POINTS], error[MB_GROWTH_POINTS]; // largest of each point's frames, and when
} MbGrowth;

void mb_growth_add(MbGrowth *growth, double time, double error, bool exceeds);
// Fills growth, growth_r2 and jump of `result`.
void mb_growth_fit(const MbGrowth *growth, MbChannelResult *result);

typedef struct MbPairList MbPairList; // private to compare_lists.c

// One channel that both files have.
typedef struct MbPair {
  const MbChannel *a, *b;    // of one with a list: count and fields
  MbPairList *list;          // NULL: it has none
  size_t result;             // index in the result's channels
  bool same_layout;          // every number at the same place of the channel in both
  double bound_a, bound_b;   // in the error's own measure
  size_t *item;              // (a->items) in b, SIZE_MAX = missing
  size_t *component;         // (a->width) in b, SIZE_MAX = missing
  size_t *group;             // (a->width) first component that shares a range with this one
  double *range, *tolerance; // (a->width)
  double *worst;             // (a->width) the result's
  double *brought; // (b->items) b's numbers with rotation vectors told as a tells them; NULL: it has none
  double *now;     // (a->width) largest errors of this frame, for who watches; NULL = nobody does
  MbGrowth growth;
} MbPair;

// First and last time of a file, and the distance to the frame beside it.
typedef struct MbSpan {
  double t0, t1, first_step, last_step;
} MbSpan;

typedef struct MbBudgets MbBudgets; // private to compare_invariants.c

typedef struct MbCompare {
  MbTraj *a, *b;
  const MbCompareOptions *options;
  MbCompareResult *result;
  MbReport *report;
  MbArena *arena; // the result's
  MbPair *pairs;  // (npairs)
  size_t npairs;
  bool *wanted_a, *wanted_b;
  MbSpan span_a, span_b;
  double slack;    // times this near are the same
  uint64_t unsaid; // sentences that found no room among `missing`
  MbBudgets *budgets;
} MbCompare;

// Notes that something is in one file only (a sentence; equal ones are kept once).
MbStatus mb_compare_note(MbCompare *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

MbStatus mb_compare_scenes(MbCompare *c); // differences of the scenes; MB_USAGE: they are unrelated
MbStatus mb_compare_align(MbCompare *c);  // pairs, channel results, missing
// `component` NULL: of the channel
MbTolerance mb_compare_tolerance(const MbCompareOptions *options, const char *channel, const char *component);
// What one channel comes to in one frame.
typedef struct MbTally {
  double largest; // error
  double excess;  // how far beyond its tolerance the worst number is, in ranges; < 0: none is
  MbDifference worst, beyond;
  uint64_t exceeding;
} MbTally;
// Takes the error of one number into a frame's tally; its place, numbers, error and ulps are known.
void mb_tally_error(MbTally *tally, const MbPair *pair, MbDifference *difference);

// A channel with a list as one of its count and of those of its fields that are no keys; NULL: out of memory.
const MbChannel *mb_compare_list_channel(MbCompare *c, const MbChannel *from);
// Whether both or none of two channels have lists, and their entries are about the same; what does not fit is noted.
MbStatus mb_compare_lists_fit(MbCompare *c, const MbChannel *a, const MbChannel *b, bool *fit);
// Matches the fields of a pair of channels with lists, whose components are aligned.
MbStatus mb_compare_list_pair(MbCompare *c, MbPair *p, size_t in_a, size_t in_b);
void mb_compare_list_free(MbPair *p);
// Takes the entries of one frame of a into the extents of the components; tells one of these, and the bound of both files.
MbStatus mb_compare_list_extend(MbCompare *c, MbPair *p, uint64_t frame, bool first);
double mb_compare_list_extent(const MbPair *p, size_t component, double *bound);
// Compares the entries of a frame of each file; `d` has a's frame and its time.
MbStatus mb_compare_list(MbCompare *c, const MbPair *p, const uint64_t frame[2], MbDifference d, MbTally *t);

MbStatus mb_compare_ranges(MbCompare *c); // ranges and tolerances of the pairs, from all frames of a
// One frame of a against one of b, whose number is UINT64_MAX where it lies between two of b's.
MbStatus mb_compare_points(MbCompare *c, const uint64_t frame[2], double time, const double *a,
                           const double *b);
// b's numbers at the fraction s of the way from `b0` to `b1`.
void mb_compare_blend(const MbCompare *c, const double *b0, const double *b1, double s, double *out);
// Whether a pair has rotation vectors that can be told in another way; b's numbers with these told in the way that is nearer to a's, and
// the numbers between two frames with b1's told in the way that is nearer to b0's.
bool mb_compare_turns(const MbPair *p);
const double *mb_compare_brought(const MbPair *p, const double *a, const double *b);
void mb_compare_blend_vectors(const MbChannel *b, const double *b0, const double *b1, double s, double *out);
MbStatus mb_compare_frames(MbCompare *c); // matches frames by time and compares them

MbStatus mb_budgets_create(MbCompare *c);
void mb_budgets_add(MbCompare *c, bool of_b, double time, const double *numbers);
MbStatus mb_budgets_finish(MbCompare *c); // the result's invariants

void mb_compare_verdict(MbCompare *c);

// |a - b|; 0 for two NaNs or equal infinities, infinite where only one is NaN.
double mb_number_error(double a, double b);
double mb_number_ulps(double a, double b);
// Angle (rad) of the rotation from a to +-b or the difference of their lengths, whichever is larger.
double mb_rotation_error(const double a[4], const double b[4]);
double mb_rotation_bound(double bound); // what an error of each component up to `bound` can make of it

#endif
