// Value and first two derivatives by time of an expression, by the rules of differentiation on its text: exact at whatever pace it
// changes, which differences over a time of their own are not. The text is one that muParser has taken, with its grammar:
//   c ? a : b  over  ||  over  &&  over  < > <= >= == !=  over  + -  over  * /  and signs  over  ^, which goes from the right.
// What jumps has the derivatives of what follows, as far as values tell: |x| where x is 0, and the larger of two that are the same; floor,
// comparisons and their like have none.
#ifndef MB_BASE_SLOPES_H
#define MB_BASE_SLOPES_H

#include "core/base/expression.h"

typedef enum MbSlopeKind {
  // without arguments; of two, by the level at which they bind
  MB_SLOPE_NUMBER,
  MB_SLOPE_TIME,
  MB_SLOPE_VARIABLE,
  MB_SLOPE_OR,
  MB_SLOPE_AND,
  MB_SLOPE_LESS,
  MB_SLOPE_MORE,
  MB_SLOPE_AT_MOST,
  MB_SLOPE_AT_LEAST,
  MB_SLOPE_SAME,
  MB_SLOPE_OTHER,
  MB_SLOPE_PLUS,
  MB_SLOPE_MINUS,
  MB_SLOPE_TIMES,
  MB_SLOPE_OVER,
  MB_SLOPE_POWER,
  // of one, of three, and a function by its number in the table
  MB_SLOPE_NEGATIVE,
  MB_SLOPE_CHOICE,
  MB_SLOPE_FUNCTION
} MbSlopeKind;

typedef struct MbSlopeStep {
  MbSlopeKind kind;
  int function, count; // its number in mb_slope_functions; of its arguments
  double number;
  const double *variable;
} MbSlopeStep;

// Steps in the order in which they are done, on a stack of value, x′ and x″.
typedef struct MbSlopes {
  MbSlopeStep *step;
  double (*stack)[3];
  size_t n, room;
} MbSlopes;

// Variables stand still: they are read where `values` (nvariables) are at each call of mb_slopes_at. NULL where memory runs out, or the text is
// not read to its end.
MbSlopes *mb_slopes_create(const char *text, const MbConstant *constants, size_t nconstants,
                           const char *const *variables, const double *values, size_t nvariables);
void mb_slopes_free(MbSlopes *slopes);
void mb_slopes_at(MbSlopes *slopes, double t, double x[3]);

// Number of the function with a name of that length; below 0: there is none.
int mb_slope_function(const char *name, size_t length);

#endif
