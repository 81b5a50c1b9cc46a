// Anderson's averages of fixed-point passes x ← x + f(x), for those that gain little or go round [Anderson 1965; Walker and Ni 2011].
#ifndef MB_MATH_AVERAGES_H
#define MB_MATH_AVERAGES_H

#include <stdbool.h>
#include <stddef.h>

enum { MB_AVERAGES_DEPTH = 6 };

typedef struct MbAverages {
  size_t n;
  size_t known, newest; // differences; the last one among MB_AVERAGES_DEPTH
  bool begun;           // there is a last pass
  double *last, *last_change;
  double *step, *change,
      *axis; // (MB_AVERAGES_DEPTH x n): how x and f differ from those of the pass before; axes of `change`
} MbAverages;

// Tells how many numbers there has to be room for, of passes of n numbers.
size_t mb_averages_room(size_t n);
// Begins with such room, and knows no pass.
void mb_averages_begin(MbAverages *a, size_t n, double *room);
// Forgets all passes.
void mb_averages_forget(MbAverages *a);
// Notes a pass, which has changed x by f.
void mb_averages_note(MbAverages *a, const double *x, const double *f);
// x ← the average of the passes noted whose change is least, and that change on; the last one noted is that of x and f.
void mb_averages_next(MbAverages *a, double *x, const double *f);

#endif
