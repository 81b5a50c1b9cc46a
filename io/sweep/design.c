#include "io/sweep/design.h"
#include "core/base/report.h"
#include "io/json/number_text.h"
#include "io/sweep/random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const mb_design_words[MB_DESIGNS + 1] = {"grid",  "zip",    "list", "latin_hypercube",
                                                     "sobol", "random", NULL};
const char *const mb_design_help[MB_DESIGNS + 1] = {
    "every value with every other, as nested loops would; the last axis changes fastest",
    "the first values of all axes together, then the second, and so on",
    "the rows of a table (`table`)",
    "samples: each axis is cut into as many slices as there are runs, and each slice holds one",
    "samples: a Sobol sequence, which fills the space more evenly than chance; scrambled by the seed",
    "samples: each value drawn by itself",
    NULL};

static bool samples(const MbDesign *d) {
  return d->kind == MB_DESIGN_LATIN_HYPERCUBE || d->kind == MB_DESIGN_SOBOL || d->kind == MB_DESIGN_RANDOM;
}

static bool is_listed(const MbAxis *axis) { return axis->kind <= MB_AXIS_LOG_RANGE; }

// ---- does it fit? -----------------------------------------------------------------------------------------

static MbStatus check_axis(const MbDesign *d, const MbAxis *axis, MbReport *report) {
  if (!samples(d) && !is_listed(axis))
    return mb_error(report, MB_USAGE, "",
                    "%s: a %s wants values, or how many (from:to:count); what is drawn wants --design "
                    "latin_hypercube, sobol or random and --samples",
                    axis->name, mb_design_words[d->kind]);
  if (samples(d) && (axis->kind == MB_AXIS_RANGE || axis->kind == MB_AXIS_LOG_RANGE))
    return mb_error(report, MB_USAGE, "",
                    "%s: how many values there are is said by --samples in a %s: from:to alone", axis->name,
                    mb_design_words[d->kind]);
  if (d->kind == MB_DESIGN_SOBOL && !d->seed && axis->kind == MB_AXIS_NORMAL)
    return mb_error(
        report, MB_USAGE, "",
        "%s: the sequence of seed 0 begins with 0, where a normal distribution has no value; give "
        "another --seed",
        axis->name);
  return MB_OK;
}

static MbStatus too_many(MbReport *report) {
  return mb_error(report, MB_USAGE, "", "more than %llu runs", (unsigned long long)MB_DESIGN_MOST_RUNS);
}

static MbStatus count_grid(MbDesign *d, MbReport *report) {
  d->runs = 1;
  for (size_t i = 0; i < d->naxes; i++)
    if (__builtin_mul_overflow(d->runs, d->axes[i].count, &d->runs) || d->runs > MB_DESIGN_MOST_RUNS)
      return too_many(report);
  return MB_OK;
}

// A single value stands for every run.
static MbStatus count_zip(MbDesign *d, MbReport *report) {
  const MbAxis *longest = NULL;
  for (size_t i = 0; i < d->naxes; i++) {
    const MbAxis *axis = &d->axes[i];
    if (axis->count == 1) continue;
    if (longest && longest->count != axis->count)
      return mb_error(report, MB_USAGE, "",
                      "a %s takes as many values from each: %s has %llu and %s has %llu",
                      mb_design_words[d->kind], longest->name, (unsigned long long)longest->count, axis->name,
                      (unsigned long long)axis->count);
    longest = axis;
  }
  d->runs = longest ? longest->count : 1;
  return MB_OK;
}

// ---- samples ----------------------------------------------------------------------------------------------

// A random order of the slices for each axis (Fisher and Yates).
static MbStatus shuffle(MbDesign *d, MbReport *report) {
  d->order = mb_arena_alloc(&d->arena, d->naxes, sizeof *d->order);
  for (size_t a = 0; d->order && a < d->naxes; a++) {
    uint32_t *order = mb_arena_alloc(&d->arena, d->runs, sizeof *order);
    if (!order) return mb_no_memory(report, "a design");
    for (uint32_t i = 0; i < d->runs; i++) order[i] = i;
    for (uint32_t i = (uint32_t)d->runs - 1; i > 0; i--) {
      const uint64_t word = mb_random_word(d->seed, 2 * a + 1, i);
      const uint32_t k = (uint32_t)((word >> 32) * (i + UINT64_C(1)) >> 32), swap = order[i];
      order[i] = order[k];
      order[k] = swap;
    }
    d->order[a] = order;
  }
  return d->order ? MB_OK : mb_no_memory(report, "a design");
}

static MbStatus direct(MbDesign *d, MbReport *report) {
  if (d->naxes > MB_SOBOL_DIMENSIONS)
    return mb_error(report, MB_USAGE, "", "a Sobol sequence has at most %d axes, not %zu",
                    MB_SOBOL_DIMENSIONS, d->naxes);
  d->directions = mb_arena_alloc(&d->arena, d->naxes, sizeof *d->directions);
  if (!d->directions) return mb_no_memory(report, "a design");
  for (size_t a = 0; a < d->naxes; a++) mb_sobol_directions(a, d->directions[a]);
  return MB_OK;
}

MbStatus mb_design_finish(MbDesign *d, MbReport *report) {
  MbStatus status = MB_OK;
  for (size_t i = 0; i < d->naxes && !status; i++) status = check_axis(d, &d->axes[i], report);
  if (status) return status;
  if (samples(d)) {
    if (!d->samples)
      return mb_error(report, MB_USAGE, "", "a %s wants --samples, the number of runs",
                      mb_design_words[d->kind]);
    if (d->samples > MB_DESIGN_MOST_RUNS) return too_many(report);
    d->runs = d->samples;
  } else if (d->samples) {
    return mb_error(report, MB_USAGE, "",
                    "--samples is for what is drawn; a %s has the runs that its values make",
                    mb_design_words[d->kind]);
  }
  if (d->kind == MB_DESIGN_GRID) return count_grid(d, report);
  if (d->kind == MB_DESIGN_ZIP || d->kind == MB_DESIGN_LIST) return count_zip(d, report);
  if (d->kind == MB_DESIGN_LATIN_HYPERCUBE) return shuffle(d, report);
  return d->kind == MB_DESIGN_SOBOL ? direct(d, report) : MB_OK;
}

// Where between 0 and 1 a sample stands on an axis.
static double position(const MbDesign *d, uint64_t run, size_t axis) {
  const double chance = mb_random_unit(mb_random_word(d->seed, 2 * axis, run));
  if (d->kind == MB_DESIGN_RANDOM) return chance;
  if (d->kind == MB_DESIGN_LATIN_HYPERCUBE) return ((double)d->order[axis][run] + chance) / (double)d->runs;
  const uint32_t x = mb_sobol_coordinate(d->directions[axis], (uint32_t)run);
  if (!d->seed) return (double)x * 0x1p-32;
  return ((double)mb_sobol_scramble(x, mb_random_word(d->seed, axis, 0)) + 0.5) * 0x1p-32;
}

static double sampled(const MbAxis *axis, double u) {
  if (axis->kind == MB_AXIS_NORMAL) return axis->a + axis->b * mb_random_normal(u);
  if (axis->kind == MB_AXIS_UNIFORM) return axis->a + (axis->b - axis->a) * u;
  const double low = mb_random_log(axis->a), high = mb_random_log(axis->b);
  return mb_random_exp(low + (high - low) * u);
}

// ---- values -----------------------------------------------------------------------------------------------

// To 15 digits, so that 0.1:0.3:3 has 0.2 in it; the ends are exact.
static double in_range(const MbAxis *axis, uint64_t k) {
  if (k == 0) return axis->a;
  if (k == axis->count - 1) return axis->b;
  const double u = (double)k / (double)(axis->count - 1);
  double x = axis->a + (axis->b - axis->a) * u;
  if (axis->kind == MB_AXIS_LOG_RANGE) {
    const double low = mb_random_log(axis->a), high = mb_random_log(axis->b);
    x = mb_random_exp(low + (high - low) * u);
  }
  char text[MB_NUMBER_TEXT];
  snprintf(text, sizeof text, "%.15g", x);
  return strtod(text, NULL);
}

// Which of its values an axis has.
static uint64_t choice(const MbDesign *d, uint64_t run, size_t axis) {
  if (samples(d)) {
    const uint64_t k = (uint64_t)(position(d, run, axis) * (double)d->axes[axis].count);
    return k < d->axes[axis].count ? k : d->axes[axis].count - 1;
  }
  if (d->kind != MB_DESIGN_GRID) return d->axes[axis].count == 1 ? 0 : run;
  for (size_t i = d->naxes - 1; i > axis; i--) run /= d->axes[i].count;
  return run % d->axes[axis].count;
}

void mb_design_value(const MbDesign *d, uint64_t run, size_t axis, MbText *out) {
  const MbAxis *a = &d->axes[axis];
  if (!is_listed(a))
    mb_text_number(out, sampled(a, position(d, run, axis)));
  else if (a->kind == MB_AXIS_VALUES)
    mb_text_add(out, a->text[choice(d, run, axis)]);
  else
    mb_text_number(out, in_range(a, choice(d, run, axis)));
}

void mb_design_free(MbDesign *design) {
  mb_arena_free(&design->arena);
  *design = (MbDesign){0};
}

bool mb_axis_is_numbers(const MbAxis *axis) {
  for (uint64_t i = 0; axis->kind == MB_AXIS_VALUES && i < axis->count; i++) {
    char *end = NULL;
    const char *text = axis->text[i];
    strtod(text, &end);
    if (!*text || *end || strspn(text, "+-.0123456789eE") != strlen(text)) return false;
  }
  return true;
}
