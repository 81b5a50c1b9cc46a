// What two chaotic runs still have in common after `until`: energy, momentum, constraint error.
#include "core/base/report.h"
#include "io/compare/compare_parts.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// What one file says after `until`.
typedef struct Budget {
  uint64_t frames;
  double first_time, last_time;
  double energy_first, energy_end, energy_integral; // trapezoids over time
  double momentum_first[2], momentum_off[2]; // norms of the linear and the angular one; largest deviation
  double momentum_largest[2];
  double *constraint; // (components of a) largest
} Budget;

struct MbBudgets {
  const MbPair *energy, *momentum, *constraint; // NULL = not in both
  size_t total_a, total_b;                      // component of the energy
  Budget of[2];
};

static size_t find_component(const MbChannel *channel, const char *name) {
  for (size_t k = 0; k < channel->width && channel->component_names; k++)
    if (!strcmp(channel->component_names[k], name)) return k;
  return SIZE_MAX;
}

MbStatus mb_budgets_create(MbCompare *c) {
  MbBudgets *x = c->budgets = mb_arena_alloc(c->arena, 1, sizeof *c->budgets);
  if (!x) return mb_no_memory(c->report, "the comparison");
  for (size_t i = 0; i < c->npairs; i++) {
    const MbPair *p = &c->pairs[i];
    if (!strcmp(p->a->name, "energy")) {
      x->total_a = find_component(p->a, "total");
      x->total_b = find_component(p->b, "total");
      if (x->total_a != SIZE_MAX && x->total_b != SIZE_MAX && p->a->items && p->b->items) x->energy = p;
    }
    // linear 3, angular 3
    if (!strcmp(p->a->name, "momentum") && p->same_layout && p->a->width == 6 && p->a->items == 1)
      x->momentum = p;
    if (!strcmp(p->a->name, "constraint.error") && p->a->width == p->b->width) x->constraint = p;
  }
  for (int f = 0; f < 2 && x->constraint; f++) {
    x->of[f].constraint = mb_arena_alloc(c->arena, x->constraint->a->width, sizeof *x->of[f].constraint);
    if (!x->of[f].constraint) return mb_no_memory(c->report, "the comparison");
  }
  if (isfinite(c->options->until) && !x->energy && !x->momentum && !x->constraint)
    mb_warning(c->report, "",
               "no energy, momentum or constraint.error in both: nothing is compared after %g s",
               c->options->until);
  return MB_OK;
}

static void add_energy(Budget *y, double time, double energy) {
  if (!y->frames) y->energy_first = energy;
  if (y->frames) y->energy_integral += (time - y->last_time) * (energy / 2 + y->energy_end / 2);
  y->energy_end = energy;
}

static void add_momentum(Budget *y, const double *p) {
  for (int h = 0; h < 2; h++) {
    const double *v = p + 3 * h, norm = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    if (!y->frames) y->momentum_first[h] = norm;
    const double off = fabs(norm - y->momentum_first[h]);
    if (isnan(off) || off > y->momentum_off[h]) y->momentum_off[h] = off;
    if (norm > y->momentum_largest[h]) y->momentum_largest[h] = norm;
  }
}

void mb_budgets_add(MbCompare *c, bool of_b, double time, const double *numbers) {
  MbBudgets *x = c->budgets;
  Budget *y = &x->of[of_b];
  if (x->energy) {
    const MbChannel *e = of_b ? x->energy->b : x->energy->a;
    add_energy(y, time, numbers[e->offset + (of_b ? x->total_b : x->total_a)]);
  }
  if (x->momentum) add_momentum(y, numbers + (of_b ? x->momentum->b : x->momentum->a)->offset);
  if (x->constraint) {
    const MbChannel *e = of_b ? x->constraint->b : x->constraint->a;
    for (size_t i = 0; i < e->items * e->width; i++) {
      const double size = fabs(numbers[e->offset + i]);
      double *largest = &y->constraint[i % e->width];
      if (isnan(size) || size > *largest) *largest = size;
    }
  }
  if (!y->frames) y->first_time = time;
  y->last_time = time;
  y->frames++;
}

static void add_result(MbCompare *c, const MbPair *p, const char *name, double a, double b, double scale) {
  const MbChannelResult *channel = &c->result->channels[p->result];
  MbInvariantResult *r = &c->result->invariants[c->result->ninvariants++];
  *r = (MbInvariantResult){.name = name, .a = mb_plain(a), .b = mb_plain(b), .error = mb_number_error(a, b)};
  // a norm's change comes from two times three numbers, each of which may be off by the files' bounds: 2 √3 times these,
  // of which atol has one
  r->tolerance = channel->atol + (p->bound_a + p->bound_b) * 2.5;
  if (channel->rtol > 0) r->tolerance += channel->rtol * fmin(scale, DBL_MAX);
  r->pass = r->error <= r->tolerance;
}

static double mean_energy(const Budget *y) {
  return y->frames > 1 ? y->energy_integral / (y->last_time - y->first_time) : y->energy_first;
}

static MbStatus constraint_results(MbCompare *c, const MbBudgets *x) {
  const MbChannel *channel = x->constraint->a;
  for (size_t k = 0; k < channel->width; k++) {
    char name[128] = "constraint.error max";
    if (channel->width > 1 && channel->component_names)
      snprintf(name, sizeof name, "constraint.error.%s max", channel->component_names[k]);
    const char *copy = mb_arena_strdup(c->arena, name);
    if (!copy) return mb_no_memory(c->report, "the comparison");
    const double a = x->of[0].constraint[k], b = x->of[1].constraint[k];
    add_result(c, x->constraint, copy, a, b, a);
  }
  return MB_OK;
}

MbStatus mb_budgets_finish(MbCompare *c) {
  const MbBudgets *x = c->budgets;
  const Budget *a = &x->of[0], *b = &x->of[1];
  if (!a->frames && !b->frames) return MB_OK;
  if (!a->frames || !b->frames)
    return mb_compare_note(c, "frames after t = %.9g s are only in %s", c->options->until,
                           mb_traj_path(a->frames ? c->a : c->b));

  enum { FIXED = 4 };
  const size_t most = FIXED + (x->constraint ? x->constraint->a->width : 0);
  c->result->invariants = mb_arena_alloc(c->arena, most, sizeof *c->result->invariants);
  if (!c->result->invariants) return mb_no_memory(c->report, "the comparison");
  if (x->energy) {
    const double range = x->energy->range[x->total_a];
    add_result(c, x->energy, "energy.total mean", mean_energy(a), mean_energy(b), range);
    add_result(c, x->energy, "energy.total end", a->energy_end, b->energy_end, range);
  }
  static const char *const names[2] = {"momentum.linear", "momentum.angular"};
  for (int h = 0; h < 2 && x->momentum; h++)
    add_result(c, x->momentum, names[h], a->momentum_off[h], b->momentum_off[h], a->momentum_largest[h]);
  return x->constraint ? constraint_results(c, x) : MB_OK;
}
