// The runs of a sweep: what varies, and which values each run has. A value is JSON text. The same design gives the same values on
// every machine.
#ifndef MB_IO_DESIGN_H
#define MB_IO_DESIGN_H

#include "core/base/arena.h"
#include "io/json/json_text.h"
#include "io/sweep/sobol.h"

typedef enum MbDesignKind {
  MB_DESIGN_GRID,            // every value with every other; the last axis changes fastest
  MB_DESIGN_ZIP,             // the first values of all axes, the second, ...
  MB_DESIGN_LIST,            // the same, from a table
  MB_DESIGN_LATIN_HYPERCUBE, // of as many slices of each axis as there are runs each holds one
  MB_DESIGN_SOBOL,
  MB_DESIGN_RANDOM,
  MB_DESIGNS
} MbDesignKind;
extern const char *const mb_design_words[MB_DESIGNS + 1];
extern const char *const mb_design_help[MB_DESIGNS + 1]; // what each of them is

typedef enum MbAxisKind {
  MB_AXIS_VALUES, // one of `text`
  MB_AXIS_RANGE,  // `count` numbers from a to b
  MB_AXIS_LOG_RANGE,
  MB_AXIS_UNIFORM, // any number between a and b
  MB_AXIS_LOG_UNIFORM,
  MB_AXIS_NORMAL, // of mean a and standard deviation b
} MbAxisKind;

// Something that varies.
typedef struct MbAxis {
  const char *name; // of a parameter, or a JSON pointer
  MbAxisKind kind;
  double a, b;
  uint64_t count;    // of VALUES and ranges
  const char **text; // (count) JSON, of VALUES
} MbAxis;

static inline bool mb_axis_is_pointer(const MbAxis *axis) { return axis->name[0] == '/'; }

typedef struct MbDesign {
  MbDesignKind kind;
  uint64_t samples, seed; // of what is drawn; a Sobol sequence of seed 0 is the published one
  MbAxis *axes;           // (naxes)
  size_t naxes;
  uint64_t runs;                         // set by mb_design_finish
  uint32_t (*directions)[MB_SOBOL_BITS]; // (naxes) Sobol's
  uint32_t **order;                      // (naxes) of a Latin hypercube: each run's slice, (runs)
  MbArena arena;
} MbDesign;

enum { MB_DESIGN_MOST_AXES = 1000 };
#define MB_DESIGN_MOST_RUNS UINT64_C(1000000000)

// Adds an axis: `values` as on the command line ("0.1,0.3", "0:1:11", "log:1:100:5", "normal:0:1", words, JSON). `what` begins
// messages ("--param length"). An axis of the same name is replaced.
MbStatus mb_design_add(MbDesign *design, const char *name, const char *values, const char *what,
                       MbReport *report);
// Adds the columns of a table (CSV) as axes; `file` is its name for messages.
MbStatus mb_design_add_table(MbDesign *design, const char *text, size_t length, const char *file,
                             MbReport *report);
// When all axes are there: checks that they fit the design, and counts the runs.
MbStatus mb_design_finish(MbDesign *design, MbReport *report);
// Appends the value that an axis has in a run, as JSON.
void mb_design_value(const MbDesign *design, uint64_t run, size_t axis, MbText *out);
// Tells whether all values of an axis are numbers.
bool mb_axis_is_numbers(const MbAxis *axis);
void mb_design_free(MbDesign *design);

#endif
