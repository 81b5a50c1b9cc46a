// Expressions over named constants and, if wanted, time: "2*length", "3*sin(2*pi*t)". A thin layer over
// muParser.
#ifndef MB_BASE_EXPRESSION_H
#define MB_BASE_EXPRESSION_H

#include <stdbool.h>
#include <stddef.h>

typedef struct MbExpression MbExpression;

typedef struct MbConstant {
  const char *name;
  double value;
} MbConstant;

enum { MB_EXPRESSION_LONGEST = 4096 }; // characters

// Compiles `text` (without the leading "="). `pi` and `deg` are always there; `t` only `with_time`. On
// failure NULL, and `message` says what is wrong and where in the text, or "out of memory". One object belongs to one thread at a
// time.
MbExpression *mb_expression_create(const char *text, const MbConstant *constants, size_t nconstants,
                                   bool with_time, char *message, size_t message_size);
// The same over variables too: each call of mb_expression_value reads `values` (nvariables), which must stay where they are.
MbExpression *mb_expression_create_over(const char *text, const MbConstant *constants, size_t nconstants,
                                        const char *const *variables, double *values, size_t nvariables,
                                        bool with_time, char *message, size_t message_size);
void mb_expression_free(MbExpression *expression);
// The value at time t, NaN where it cannot be computed. Does not allocate.
double mb_expression_value(MbExpression *expression, double t);
// Value and first two derivatives by t, exact to rounding (slopes.h), of one made with_time and over no variables. Where there are none,
// as of sqrt(t^2) at 0, those of just after; NaN where there are none there either.
void mb_expression_rates(MbExpression *expression, double t, double rates[3]);

// Functions and names that are always there, ended by NULL: no constant may have one of these.
extern const char *const mb_expression_words[];
// Whether a constant may be called so: at most 63 letters, digits and "_", beginning with no digit.
bool mb_expression_is_name(const char *name);

#endif
