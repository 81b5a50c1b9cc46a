// What `mbsim fit` holds: the scene, what is looked for in it, what it is held against, and how far the search is.
#ifndef MB_CLI_FITTING_H
#define MB_CLI_FITTING_H

#include "cli/changed_scene.h"
#include "core/sim/plan.h"
#include "io/fit/fit.h"
#include "io/fit/fit_data.h"
#include "io/json/json_text.h"
#include "io/sweep/measure.h"

#include <stdio.h>

// A number of the scene that is looked for. The search has x, which is the number or, of one whose bounds say log:, its logarithm.
typedef struct MbUnknown {
  const char *name; // of a parameter, or a JSON pointer
  double start;     // what the scene has
  double low, high; // may be infinite
  bool logarithmic;
  bool expected; // it has a prior: a normal distribution of
  double mean, deviation;
} MbUnknown;

// What one start of the search came to.
typedef struct MbFitStart {
  double *from; // (n) numbers
  MbFitFound found;
  MbStatus status; // MB_NUMBERS: no run there
  double move;     // of its last differences
} MbFitStart;

typedef enum MbSlopesBy { MB_SLOPES_AUTO, MB_SLOPES_EXACT, MB_SLOPES_DIFFERENCES } MbSlopesBy;
extern const char *const mb_slopes_words[];

typedef struct MbFit {
  const MbArgs *args;
  MbSceneSource source;
  MbScene *scene; // as it is
  MbModel *model;
  MbSim *sim; // of it, never stepped
  MbPlan plan;
  MbUnknown *unknowns; // (n)
  size_t n;

  // what it is held against: numbers of the data, or one expression
  const char *minimise; // NULL: data
  MbMeasureAsk measure;
  MbFitData data;
  MbFitMatchAsk *asks; // (nasks)
  size_t nasks;
  MbFitMatch match;
  bool known; // deviations are known
  size_t npriors;

  MbFitProblem problem;
  double *x_low, *x_high, *x_size; // (n) the problem's
  int jobs;
  bool exact;        // slopes go along with the run or back through it; else they are differences of runs
  bool back;         // the last ones went back
  bool only_exact;   // or else it is an error
  char why[400];     // why they are not
  double move;       // of a number, for differences
  double moved;      // that of the last ones which have been found
  double move_first; // what each start begins with
  int moves;         // how many others a start has tried where that led nowhere
  double rounding;   // what it does to a run: its length in standard deviations
  bool rounding_known;
  int64_t runs, followed; // runs done; of these with derivatives
  int64_t wholes;         // steps of these that were differentiated by differences
  bool quiet;

  MbFitStart *starts; // (nstarts)
  size_t nstarts, at; // at: which one is under way
  size_t best;        // SIZE_MAX: none came to anything
  MbFitWorth worth;   // of the best
  double **history;   // (nhistory) start, iteration, cost, step, then the numbers
  size_t nhistory, history_room;
  MbArena arena;
} MbFit;

// ---- fit_ask.c -----------------------------------------------------------------------------------

// Reads the command line, the scene and the data, and checks all of it before any run.
MbStatus mb_fit_ask(MbFit *fit, MbReport *report);
void mb_fit_free(MbFit *fit);
double mb_fit_number(const MbUnknown *unknown, double x); // of an x
double mb_fit_x(const MbUnknown *unknown, double number); // and back

// ---- fit_variant.c -------------------------------------------------------------------------------

// The scene with other numbers, ready to run.
typedef struct MbFitVariant {
  MbScene *scene;
  MbModel *model;
  MbSim *sim;
  MbMeasures *measures; // where an expression is minimised
} MbFitVariant;

// MB_SCENE where the numbers change more than numbers, with the name of unknown `which`. Free whatever came.
MbStatus mb_fit_variant(const MbFit *fit, const double *numbers, size_t which, MbFitVariant *variant,
                        MbReport *report);
void mb_fit_variant_free(MbFitVariant *variant);

// ---- fit_run.c -----------------------------------------------------------------------------------

// The problem's functions: misfits in standard deviations, then those of priors; or the expression's value.
MbStatus mb_fit_value(void *fit, const double *x, double *y, MbReport *report);
// Takes differences over another move from now on, a shorter one and then a longer one; false: there is no other, or slopes are exact.
bool mb_fit_move_otherwise(void *fit);
MbStatus mb_fit_slopes(void *fit, const double *x, const double *y, double *slopes, MbReport *report);
size_t mb_fit_outputs(const MbFit *fit); // numbers that come out of a run
// Does a variant's run, outputs into y.
MbStatus mb_fit_follow(const MbFit *fit, const MbFitVariant *variant, double *y, MbReport *report);
// fit_sensitivity.c: outputs and their slopes by each number along with the run. MB_USAGE where there are none of this scene, with why.
MbStatus mb_fit_exact(MbFit *fit, const double *numbers, double *slopes, MbReport *report);
// fit_rounding.c: how large unknown k counts where its number is moved.
double mb_fit_size(const MbFit *fit, const double *numbers, size_t k);
// Finds, once, how far rounding takes a run by these numbers, which gives y. A run that fails beside it tells nothing.
MbStatus mb_fit_find_rounding(MbFit *fit, const double *numbers, const double *y, MbReport *report);
// Makes those slopes zero that are no more than rounding.
void mb_fit_drop_rounding(const MbFit *fit, const double *numbers, double *slopes);
// Tells how these derivatives were taken, into text.
const char *mb_fit_exactness(const MbFit *fit, char text[100]);

// ---- fit_search.c --------------------------------------------------------------------------------

// Makes the list of starts. MB_USAGE where there are no bounds between which they could lie.
MbStatus mb_fit_choose_starts(MbFit *fit, MbReport *report);
// Searches from every start, and keeps the best.
MbStatus mb_fit_search(MbFit *fit, MbReport *report);

// ---- fit_tell.c ----------------------------------------------------------------------------------

void mb_fit_tell_begin(const MbFit *fit);
void mb_fit_tell_news(const MbFit *fit, const MbFitNews *news);
void mb_fit_tell_end(const MbFit *fit);
cJSON *mb_fit_answer(const MbFit *fit);
const char *mb_fit_shown(const MbUnknown *unknown, char text[64]); // a name that steers no terminal
const char *mb_fit_remark(const MbFit *fit, size_t unknown); // what else there is to say of what was found
double mb_fit_misfit(const MbFit *fit, double cost);         // as people are told it

// ---- fit_doubt.c ---------------------------------------------------------------------------------

// Tells how far the run found is off a column of the data, the root of its mean square and the most.
void mb_fit_column_left(const MbFit *fit, size_t series, double *rms, double *most);
// Says into text that much is left of the data where the search has come to, and what to do; "": little is, or there is no data.
const char *mb_fit_doubt(const MbFit *fit, char text[400]);

// ---- fit_page.c ----------------------------------------------------------------------------------

// Writes the page of --report to `out`.
MbStatus mb_fit_page(MbFit *fit, FILE *out, MbReport *report);

#endif
