// Looking for the unknowns of a model: those that make the sum of squares of some numbers least, or one number. Both stay within
// bounds, and both say whether they have come to a minimum or only to an end.
#ifndef MB_IO_FIT_H
#define MB_IO_FIT_H

#include "core/base/arena.h"
#include "core/mbsim.h"

typedef enum MbLoss { MB_LOSS_SQUARES, MB_LOSS_HUBER, MB_LOSS_CAUCHY, MB_LOSSES } MbLoss;
extern const char *const mb_loss_words[MB_LOSSES + 1];

// Where a search is: what is told after each of its iterations.
typedef struct MbFitNews {
  int iteration;     // 0: the start
  const double *x;   // (unknowns)
  double cost;       // half of the sum of losses, or the number
  double step;       // the largest move of an unknown in this iteration, in its size
  double slope_left; // how much further down the linear model sees, as the end is judged by it
} MbFitNews;

// What is asked. Functions may fail with MB_NUMBERS where the model has no answer at an x: such a step is refused, and the search goes
// on with a shorter one. Any other status ends it.
typedef struct MbFitProblem {
  size_t unknowns, numbers;
  size_t data;              // the first of the numbers, that `loss` is for; the others are squared
  MbLoss loss;              // of numbers in their standard deviations
  const double *low, *high; // (unknowns) may be infinite
  const double *size;       // (unknowns) how large an unknown is, where it says nothing by itself; above 0
  int most;                 // iterations
  void *to;
  // y (numbers) at x
  MbStatus (*value)(void *to, const double *x, double *y, MbReport *report);
  // slopes (numbers x unknowns, those of an unknown one behind the other) at an x that `value` was last asked for, or has been before; as they were
  // where it fails
  MbStatus (*slopes)(void *to, const double *x, const double *y, double *slopes, MbReport *report);
  // From now on slopes are found another way, where nothing goes further down that they say does; false: there is no other way. NULL: there is but one
  bool (*otherwise)(void *to);
  void (*told)(void *to, const MbFitNews *news); // NULL: nobody listens
  bool (*stop)(void *to);                        // NULL: never
} MbFitProblem;

typedef enum MbFitEnd {
  MB_FIT_CONVERGED,
  MB_FIT_ITERATIONS, // their number was reached
  MB_FIT_STUCK,      // nothing further down, though slopes say that there is
  MB_FIT_STOPPED,    // from outside
  MB_FIT_EDGE,       // there are no slopes where it has come to; what is left of them is of another place
  MB_FIT_FLAT,       // no unknown changes the one number where the search begins
} MbFitEnd;
const char *mb_fit_end_text(MbFitEnd end);

// What a search has come to. Its lists are the caller's.
typedef struct MbFitFound {
  double *x;      // (unknowns) the start, then the best
  double *y;      // (numbers) there
  double *slopes; // (numbers x unknowns) there
  double cost;
  int iterations;
  MbFitEnd end;
} MbFitFound;

// Least squares by the method of Levenberg and Marquardt (least_squares.c). MB_OK however it ended (found->end), with an error in `report`
// where that is MB_FIT_EDGE; MB_NUMBERS where there is no answer at the start.
MbStatus mb_fit_squares(const MbFitProblem *problem, MbFitFound *found, MbReport *report);
// The least of one number by limited-memory BFGS (least_number.c): `numbers` is 1 and `data` 0.
MbStatus mb_fit_least(const MbFitProblem *problem, MbFitFound *found, MbReport *report);

// ---- what a fit is worth (fit_worth.c) --------------------------------------------------------------------

typedef struct MbFitWorth {
  double *error;       // (unknowns) standard errors; infinite where the data does not tell, NaN at a bound
  double *correlation; // (unknowns x unknowns) NaN beside those
  bool *bound;         // (unknowns) which stand at a bound that they want to pass
  bool *untold; // (unknowns) which the data does not determine, alone or together with others that are untold
  double variance; // of numbers: 1 where their deviation is known
  size_t nuntold;
} MbFitWorth;

// By the slopes where the search ended. `known`: numbers are in their standard deviations, which are believed; else their variance is
// taken from what is left.
MbStatus mb_fit_worth(const MbFitProblem *problem, const MbFitFound *found, bool known, MbFitWorth *worth,
                      MbArena *arena, MbReport *report);

// ---- shared (loss.c, reflections.c: shared by the others) -----------------------------------------------------------------------

// Half of the sum of losses of y.
double mb_fit_cost(const MbFitProblem *problem, const double *y);
// Number i's share in a sum of squares with the same slope: 1 without a loss.
double mb_fit_weight(const MbFitProblem *problem, const double *y, size_t i);
// Whether an unknown stands at a bound and would go beyond it, `down` being minus its slope.
bool mb_fit_held(const MbFitProblem *problem, const double *x, size_t k, double down);

// A = Q R by reflections (Householder), columns exchanged so that |R_kk| falls; b becomes Qᵀ b. A is (rows x columns), a column's
// numbers one behind the other, rows >= columns; order[k] is the column that has come to place k. R stands in A's upper triangle.
void mb_reflect(double *a, size_t rows, size_t columns, double *b, size_t *order);

#endif
