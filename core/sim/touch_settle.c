// Contacts on what turns, and joints that keep to a move, ask for what follows from where the solution leads (touch_carried.c, kept_moves.c). The problem is solved
// again about that, until it changes by less than is left of the solution: each such pass leaves some ω h of the last change. Where passes go round, as another contact
// bears in each, Newton's method solves for all of it at once (ask_slopes.c).
#include "core/sim/touch_settle.h"
#include "core/contact/nonsmooth_newton.h"
#include "core/sim/ask_slopes.h"
#include "core/sim/constrain_internal.h"
#include "core/sim/kept_moves.h"
#include "core/sim/touch.h"

#include <math.h>
#include <string.h>

// Has rows ask for what follows from where velocities lead.
static void ask_anew(MbSim *sim, const double *v, double *change) {
  *change = 0;
  if (sim->touching && sim->touching->carried.iterates) *change = mb_touch_carried_again(sim, v);
  if (sim->constraining->kept) *change = fmax(*change, mb_kept_again(sim, v));
}

// Has them ask for what follows from where the solution leads. *settles: it has changed by little. False: A⁻¹ could not be applied.
static bool follow(MbFinding *f, double *change, bool *settles) {
  static const double LITTLE = 1e-11, PART = 1e-2; // of how fast things are; of how well it is solved
  MbSim *sim = f->sim;
  MbConstraining *c = sim->constraining;
  if (!mb_reached_velocities(sim, f->v, c->come)) {
    c->delassus.unsolved = true;
    return false;
  }
  ask_anew(sim, c->come, change);
  *settles = *change <= fmax(LITTLE, PART * fmax(f->how.tolerance, f->left));
  return true;
}

// Notes by how much arcs of contacts would change again.
static void note(MbSim *sim, double left, bool settled) {
  if (!sim->touching || !sim->touching->carried.iterates) return;
  sim->touching->carried.left = left, sim->touching->carried.settled = settled;
}

// Tells whether the problem is solved, and loads inside joints are those of its solution.
static bool is_solved(const MbFinding *f) { return f->result == MB_CONTACT_SOLVED && f->change == 0; }

// From where Newton's method begins: where passes go round, their end is mostly between the last two.
typedef enum From { BETWEEN, LAST, BEFORE, FROMS } From;

// Impulses to begin from.
static void begin_from(MbConstraining *c, From from) {
  const double share[FROMS] = {[BETWEEN] = 0.5, [LAST] = 1, [BEFORE] = 0};
  const MbAskSlopes *s = &c->slopes;
  for (size_t i = 0; i < c->n; i++) c->from[i] = share[from] * s->first[i] + (1 - share[from]) * s->before[i];
}

// One step of Newton's method for all that rows ask for; the first from any of the places where it may begin. False: it is no use going on.
static bool step(MbFinding *f, bool first) {
  MbConstraining *c = f->sim->constraining;
  if (!mb_ask_slopes_find(f->sim, f->W, ask_anew)) {
    c->delassus.unsolved = true;
    return false;
  }
  const MbContactOperator W = mb_ask_slopes_operator(f->sim), *const all = f->W;
  f->W = &W;
  bool fine = true;
  for (From from = first ? BETWEEN : LAST; from < FROMS; from++) {
    if (first)
      begin_from(c, from);
    else
      memcpy(c->from, c->slopes.lambda, c->n * sizeof *c->from);
    fine = f->solve(f);
    if (!fine || is_solved(f) || !first) break;
  }
  f->W = all;
  mb_ask_slopes_end(f->sim);
  return fine;
}

// Steps of it until what rows ask for stays. *settled: it does. False: it is no use going on.
static bool take_steps(MbFinding *f, bool *settled) {
  enum { STEPS = 8 };
  double change = INFINITY;
  *settled = false;
  for (int i = 0; i < STEPS && !*settled; i++) {
    if (!step(f, i == 0) || !follow(f, &change, settled)) return false;
    if (!is_solved(f)) return true;
  }
  if (*settled) note(f->sim, change, true);
  return true;
}

// Goes back to where passes have ended, and solves once more by the scene's own method. False: it is no use going on.
static bool go_back(MbFinding *f) {
  MbConstraining *c = f->sim->constraining;
  bool settled;
  double change;
  c->answer.lambda = c->slopes.first;
  if (!follow(f, &change, &settled)) return false;
  memcpy(c->from, c->slopes.first, c->n * sizeof *c->from);
  return f->solve(f);
}

// Takes steps of Newton's method where passes have not come to an end, or the scene's own method has found no solution. False: it is no use going on.
static bool agree(MbFinding *f) {
  enum { STEPS = 200 };
  MbConstraining *c = f->sim->constraining;
  const MbContactMethod *const method = c->touch_method;
  const MbPushing how = f->how;
  bool settled;
  double change;
  if (!follow(f, &change, &settled)) return false;
  if (!mb_ask_slopes_begin(f->sim, c->from)) {
    f->result = MB_CONTACT_MEMORY;
    return false;
  }
  c->touch_method = &mb_contact_nonsmooth_newton, f->how.iterations = STEPS;
  const bool fine = take_steps(f, &settled);
  c->touch_method = method, f->how = how;
  if (!fine || (settled && is_solved(f))) return fine;
  return go_back(f);
}

// Passes until what rows ask for changes by little, or no longer by less. *settled: it is little, or as little as the scene asks for. False: it is no use going on.
static bool pass(MbFinding *f, bool *settled) {
  // from all there is to what is little, each leaving half; as another contact presses, or slides, it may be no less for once
  enum { PASSES = 40, STALLS = 4 };
  static const double LESS = 0.5; // of the pass before
  MbConstraining *c = f->sim->constraining;
  double last = INFINITY, change = INFINITY;
  int stalls = 0;
  *settled = false;
  for (int i = 0; i < PASSES && f->result == MB_CONTACT_SOLVED; i++) {
    if (!follow(f, &change, settled)) return false;
    note(f->sim, change, *settled);
    stalls = change < LESS * last ? 0 : stalls + 1;
    if (*settled || stalls > STALLS) break;
    last = fmin(change, last);
    memcpy(c->from, c->answer.lambda, c->n * sizeof *c->from);
    if (!f->solve(f)) return false;
  }
  *settled |= f->result == MB_CONTACT_SOLVED && change <= f->how.asked;
  return true;
}

bool mb_touch_settle(MbFinding *f) {
  static const double FAR = 1e-3; // of what is asked for: there is no solution near by
  MbSim *sim = f->sim;
  MbConstraining *c = sim->constraining;
  bool settled;
  if (!f->solve(f)) return false;
  note(sim, INFINITY, false);
  const bool touches = sim->touching && sim->touching->carried.iterates;
  if ((!touches && !c->kept) || f->how.few) return true;
  if (!pass(f, &settled)) return false;
  if (f->result != MB_CONTACT_SOLVED && !(f->left < FAR)) return true;
  return settled || f->how.pivots || !mb_ask_slopes_takes(c->n) || agree(f);
}
