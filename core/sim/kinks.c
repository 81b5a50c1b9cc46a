// A smooth function changes over a time h by the integral of its rate, which Simpson's rule has to O(h⁵). What is left over at a jump stays
// as large as the jump however short h is: of a time where something is left the first half is looked at, then the second, until nothing
// is, or the time is as short as rounding lets it be. Something is what the integrator's tolerances are less than.
#include "core/sim/kinks.h"
#include "core/sim/constrain_internal.h"

#include <math.h>
#include <string.h>

enum { MOST = 4000 }; // times at which a signal is asked in a step; beyond them it counts as smooth

typedef struct Search {
  const MbSim *sim;
  size_t signal;
  double shortest;
  int asked;
} Search;

typedef struct Rates {
  double t, x[3]; // value and two rates, of just after t
} Rates;

static Rates rates_at(Search *s, double t) {
  Rates r = {.t = t};
  mb_sim_signal_rates(s->sim, s->signal, t, r.x);
  s->asked++;
  return r;
}

// Whether number i of the rates changes by something else than number i + 1 tells.
static bool jumps(const Search *s, const Rates *a, const Rates *middle, const Rates *b, int i) {
  const MbIntegratorSpec *tolerance = &s->sim->model->integrator;
  const double h = b->t - a->t, change = b->x[i] - a->x[i], most = fmax(fabs(a->x[i]), fabs(b->x[i]));
  const double told = h / 6 * (a->x[i + 1] + 4 * middle->x[i + 1] + b->x[i + 1]);
  return fabs(change - told) > tolerance->absolute + tolerance->relative * most;
}

// The end of the shortest time around the first jump in (a, b]; infinite: there is none.
static double first_jump(Search *s, const Rates *a, const Rates *b) {
  const Rates middle = rates_at(s, a->t + (b->t - a->t) / 2);
  if (!jumps(s, a, &middle, b, 0) && !jumps(s, a, &middle, b, 1)) return INFINITY;
  if (s->asked > MOST) return INFINITY;
  if (b->t - a->t <= s->shortest) return b->t;
  const double first = first_jump(s, a, &middle);
  return isfinite(first) ? first : first_jump(s, &middle, b);
}

bool mb_signal_may_jump(const MbSignal *signal) {
  static const char *const SIGNS = "<>?=!&|";
  static const char *const WORDS[] = {"abs", "atan2", "ceil",  "floor", "hypot", "max", "min", "mod",
                                      "pow", "rint",  "round", "sign",  "sqrt",  "^0",  "^.",  "^("};
  if (signal->kind != MB_SIGNAL_EXPRESSION) return false;
  bool may = strpbrk(signal->text, SIGNS);
  for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS && !may; i++) may = strstr(signal->text, WORDS[i]);
  return may;
}

double mb_sim_kink(const MbSim *sim, double t, double end) {
  const MbModel *model = sim->model;
  double found = end;
  bool any = false;
  for (size_t i = 0; sim->constraining && i < model->nsignals; i++) {
    if (!sim->constraining->jumps[i]) continue;
    Search s = {.sim = sim, .signal = i, .shortest = 1e-13 * (1 + fabs(t))};
    const Rates a = rates_at(&s, t), b = rates_at(&s, found);
    const double jump = first_jump(&s, &a, &b);
    if (jump <= found) found = jump, any = true;
  }
  return any ? found : INFINITY;
}
