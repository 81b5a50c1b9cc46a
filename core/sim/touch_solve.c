// How problems of contacts are solved in a step: to what share of what they ask for, by which method, and what is told of it.
#include "core/sim/touch_solve.h"
#include "core/base/report.h"
#include "core/contact/contact_auto.h"
#include "core/contact/sticking.h"
#include "core/contact/nonsmooth_newton.h"
#include "core/sim/constrain.h"
#include "core/sim/dry.h"
#include "core/sim/touch.h"
#include "core/sim/touch_settle.h"
#include "core/sim/trouble.h"

#include <stdio.h>
#include <string.h>

static const double FAR = 1e-3, ANY = 10, // of |b|: no solution; not even where a few sweeps are asked for
    PARTED = 1e-3, // of depths: near enough to none, as what is left is the next step's; else mb_touch_exact
    ROUNDING = 1e-15; // of |b|: nothing is asked for, and a share of it says nothing

// How large b is; and what the rows ask for that a contact's force can be there for: of normals that come nearer only. Where something is far away, or goes
// away, b is large and says nothing of how good a solution is.
typedef struct Sizes {
  double norm, size;
} Sizes;

static Sizes sizes_of(const MbConstraining *c) {
  Sizes sum = {0};
  for (size_t i = 0; i < c->n; i++) {
    const double b = c->b[i];
    const bool one_way = c->kind[i] == MB_CONTACT_NORMAL || c->kind[i] == MB_CONTACT_ONE_WAY;
    sum.norm += b * b;
    sum.size += one_way && b > 0 ? 0 : b * b;
  }
  return (Sizes){sqrt(sum.norm), sqrt(sum.size)};
}

static double size_of(const MbConstraining *c) { return sizes_of(c).size; }

// The problem of the rows taken, solved until no more is left than a share of what they ask for.
static MbContactProblem problem_of(const MbConstraining *c, const MbContactOperator *W, double share,
                                   Sizes sizes) {
  return (MbContactProblem){.n = c->n,
                            .W = *W,
                            .b = c->b,
                            .kind = c->kind,
                            .soft = c->soft,
                            .slack = c->slack,
                            .least = c->least,
                            .tolerance =
                                sizes.norm > 0 ? fmax(share * sizes.size / sizes.norm, ROUNDING) : 0};
}

// What share of what the rows ask for may be left while a step's iterations still move nodes: a part of that. An iteration's forces are
// replaced by those of the next one, and what is left of them is as little to it as that is to how far it moves. A scene that asks for
// less than `CLOSE` gets it in every iteration.
static double looseness(const MbConstraining *c, double asked) {
  static const double PART = 1e-3, MOST = 1e-4, CLOSE = 1e-9;
  if (!(asked >= CLOSE && c->loose > 0)) return 0;
  const double size = size_of(c);
  return size > 0 ? fmin(PART * c->loose / size, MOST) : 0;
}

// As the scene's contact says, else so far that friction holds what it holds for good.
static MbPushing pushing_of(const MbSim *sim) {
  static const double HOLDS = 1e-12;
  if (!sim->touching) return (MbPushing){.tolerance = HOLDS, .asked = HOLDS};
  const MbContacts *rules = sim->touching->rules;
  MbPushing how = {.tolerance = rules->tolerance,
                   .asked = rules->tolerance,
                   .iterations = (size_t)rules->iterations,
                   .function = (MbContactFunction)rules->function,
                   .few = mb_touch_takes_few(rules),
                   .pivots = rules->method == MB_CONTACT_BY_PIVOTING};
  if (!how.few && !how.pivots) how.tolerance = fmax(how.tolerance, looseness(sim->constraining, how.asked));
  return how;
}

static void tell(MbConstraining *c, const MbPushing *how, MbContactResult result, double left) {
  c->unfinished = how->tolerance > how->asked && left > how->asked;
  c->told[MB_SOLVED_MOST] = fmax(c->told[MB_SOLVED_MOST], (double)c->ntouches);
  c->told[MB_SOLVED_WORST] = left;
  c->told[MB_SOLVED_MISSED] = result == MB_CONTACT_NOT_CONVERGED;
  c->told[MB_SOLVED_ITERATIONS] += (double)c->answer.iterations;
}

// Tells where what turns carries contacts to that have not come to agree with it: what sticks there creeps by that.
static void tell_carried(const MbSim *sim) {
  static const double MUCH = 1e-6; // of how fast things are
  double *told = sim->constraining->told;
  if (!sim->touching || !sim->touching->carried.iterates) return;
  const MbTouchCarried *carried = &sim->touching->carried;
  const double left = carried->left;
  if (carried->settled || !(left > MUCH) || !isfinite(left) || carried->off <= carried->rounding) return;
  told[MB_SOLVED_WORST] = fmax(told[MB_SOLVED_WORST], left), told[MB_SOLVED_MISSED] = 1;
}

void mb_solved_begin(MbSim *sim) { memset(sim->constraining->told, 0, sizeof sim->constraining->told); }

// What may help where contacts are not solved.
static const char *advice(const MbSim *sim) {
  if (!sim->touching) return "allow more \"passes\" of joints' friction, or take a smaller step";
  return sim->touching->rules->method == MB_CONTACT_AUTO
             ? "take a smaller step"
             : "take \"method\": \"auto\" of contact, more \"iterations\", or a smaller step";
}

// What a step's forces are to come to: of contacts, or of friction by the loads inside joints.
static double wanted_of(const MbSim *sim) {
  double tolerance = 0;
  int passes;
  if (sim->touching) tolerance = sim->touching->rules->tolerance;
  if (!sim->constraining->rubbing) return tolerance;
  double loads;
  mb_dry_patience(sim, &loads, &passes);
  return fmax(tolerance, loads);
}

// Told once, of the first step that misses by far what it was to come to, as one such step may decide whether a pile falls. Where the scene asks
// for a few sweeps, what they come to is what it wants.
static void warn_missed(MbSim *sim, double before, double left, MbReport *report) {
  static const double FAR_OFF = 100;
  const MbTouching *t = sim->touching;
  const double bound = FAR_OFF * wanted_of(sim);
  if (before > bound || !(left > bound) || (t && mb_touch_takes_few(t->rules))) return;
  mb_warning(
      report, "",
      "at t = %.9g s, step %lld: what %s is solved to %.2g of what is asked of it, which is more than the "
      "tolerance: %s; the run goes on, and counts such steps",
      sim->state.t + sim->model->h, (long long)sim->state.step + 1, t ? "touches" : "rubs inside joints",
      left, advice(sim));
}

void mb_solved_commit(MbSim *sim, MbReport *report) {
  const bool solved = sim->section[MB_SECTION_TOLD + 1] > sim->section[MB_SECTION_TOLD];
  if (!solved) return;
  const double *step = sim->constraining->told;
  double *all = mb_section(sim, MB_SECTION_TOLD);
  if (step[MB_SOLVED_MISSED] > 0) warn_missed(sim, all[MB_SOLVED_WORST], step[MB_SOLVED_WORST], report);
  all[MB_SOLVED_MOST] = fmax(all[MB_SOLVED_MOST], step[MB_SOLVED_MOST]);
  all[MB_SOLVED_WORST] = fmax(all[MB_SOLVED_WORST], step[MB_SOLVED_WORST]);
  all[MB_SOLVED_MISSED] += step[MB_SOLVED_MISSED];
  all[MB_SOLVED_ITERATIONS] += step[MB_SOLVED_ITERATIONS];
  all[MB_SOLVED_DEEPEST] = fmax(all[MB_SOLVED_DEEPEST], step[MB_SOLVED_DEEPEST]);
  all[MB_SOLVED_LAST_CONTACTS] = step[MB_SOLVED_MOST];
  all[MB_SOLVED_LAST_NATURAL] = step[MB_SOLVED_WORST];
  all[MB_SOLVED_LAST_ITERATIONS] = step[MB_SOLVED_ITERATIONS];
  all[MB_SOLVED_LAST_DEEPEST] = step[MB_SOLVED_DEEPEST];
}

// What the diagonal of W has more of in row i. Rows both ways give nothing: pivots leave those out that follow from others, as three of a loop
// of hinges, and what they gave would let these through, by pivots that are rounding. Nor do rows along which nothing can move, whose
// impulses would wander.
static double giving(const MbConstraining *c, size_t i) {
  return c->kind[i] == MB_CONTACT_BOTH_WAYS ? 0 : c->gives * c->own[i];
}

static void find_own(MbConstraining *c, const MbContactProblem *problem) {
  for (size_t i = 0; i < c->n; i++) {
    mb_contact_column(&problem->W, c->n, i, c->aimed);
    c->own[i] = c->aimed[i] > c->least[i] ? c->aimed[i] : 0;
  }
}

// How large what the diagonal gives is, of impulses λ − μ, beside what the rows ask for; μ may be NULL, for none.
static double given(const MbConstraining *c, const double *lambda, const double *mu) {
  double sum = 0;
  for (size_t i = 0; i < c->n; i++) {
    const double x = giving(c, i) * (lambda[i] - (mu ? mu[i] : 0));
    sum += x * x;
  }
  const double size = size_of(c);
  return size > 0 ? sqrt(sum) / size : 0;
}

// Takes from what the rows ask for what impulses μ, from the last step or solution, give way by the diagonal: where the solution is μ again
// nothing gives way.
static MbContactResult solve_about(MbConstraining *c, const MbContactProblem *problem, const double *mu) {
  MbContactProblem about = *problem;
  for (size_t i = 0; i < c->n; i++) c->aimed[i] = c->b[i] - (mu ? giving(c, i) * mu[i] : 0);
  about.b = c->aimed;
  return mb_contact_solve(c->touch_method, &c->work, &about, &c->answer);
}

// About the impulses of the last step, then about those just found until these stay: nothing gives way any more. Not where impulses are without
// bounds, since nothing solves the problem. *mu: about which impulses at last.
static MbContactResult solve_turns(MbConstraining *c, const MbContactProblem *problem, const double **mu) {
  enum { TURNS = 4 };
  static const double LITTLE = 1e-12, BOUNDED = 1e-4; // of what the rows ask for
  *mu = given(c, c->from, NULL) < BOUNDED ? c->from : NULL;
  MbContactResult result = solve_about(c, problem, *mu);
  for (int turn = 1; turn < TURNS && result == MB_CONTACT_SOLVED; turn++) {
    const double *lambda = c->answer.lambda;
    if (given(c, lambda, *mu) <= LITTLE || !(given(c, lambda, NULL) < BOUNDED)) break;
    memcpy(c->from, lambda, c->n * sizeof *c->from);
    result = solve_about(c, problem, *mu = c->from);
  }
  return result;
}

// A solution that much gives way to is none: by how much joins what is left.
static MbContactResult judge(MbConstraining *c, const MbContactProblem *problem, MbContactResult result,
                             const double *mu) {
  const Sizes sizes = sizes_of(c);
  const double way = sizes.norm > 0 ? given(c, c->answer.lambda, mu) * sizes.size / sizes.norm : 0;
  if (result != MB_CONTACT_SOLVED || !(way > problem->tolerance)) return result;
  c->answer.natural += way;
  snprintf(c->answer.why, sizeof c->answer.why,
           "no impulses are large enough: what holds one another gives way by %.3g of |b|", way);
  return MB_CONTACT_NOT_CONVERGED;
}

// Pivots need a W that is definite, and a box on the ground has more corners than ways to move: a little goes on its diagonal, and more
// where that does not do. By turns it gives way to the change of impulses only (the method of proximal points), so that what lies does
// not creep; where these are not solved, to all of them.
static MbContactResult solve(MbConstraining *c, const MbContactProblem *problem, bool pivots) {
  if (!pivots) return solve_about(c, problem, NULL);
  MbContactResult result = MB_CONTACT_NOT_CONVERGED;
  const double *mu = NULL;
  for (double gives = 1e-10; result == MB_CONTACT_NOT_CONVERGED && gives < 1e-4; gives *= 7) {
    for (size_t i = 0; i < c->n; i++) c->soft[i] -= giving(c, i);
    c->gives = gives;
    for (size_t i = 0; i < c->n; i++) c->soft[i] += giving(c, i);
    result = solve_turns(c, problem, &mu);
    if (result == MB_CONTACT_NOT_CONVERGED) result = solve_about(c, problem, mu = NULL);
  }
  return judge(c, problem, result, mu);
}

// A solution that is to be as good as loads inside joints need it, and no worse than is asked for.
typedef struct Closer {
  MbContactProblem problem;
  double asked, least; // of tolerances
} Closer;

// Loads that still change by no more than what is left of the solution change by that: the next pass is solved to less.
static void come_closer(Closer *closer, double change) {
  static const double NOISE = 10, LESS = 0.1;
  double *tolerance = &closer->problem.tolerance;
  if (change <= NOISE * *tolerance) *tolerance = fmax(LESS * *tolerance, closer->least);
}

// Where a method does not come so close, no more is wanted of it.
static MbContactResult solve_close(MbConstraining *c, Closer *closer, bool pivots) {
  const MbContactResult result = solve(c, &closer->problem, pivots);
  if (result != MB_CONTACT_NOT_CONVERGED || !(c->answer.natural <= closer->asked)) return result;
  closer->least = closer->problem.tolerance = closer->asked;
  return MB_CONTACT_SOLVED;
}

// The same as often as loads inside joints change; *change: by how much they still did in the end, 0 where that is little enough.
static MbContactResult solve_passes(MbSim *sim, const MbContactProblem *problem, bool pivots, const double *v,
                                    double *change) {
  static const double LEAST = 1e-14;
  MbConstraining *c = sim->constraining;
  Closer closer = {*problem, problem->tolerance, fmin(LEAST, problem->tolerance)};
  double tolerance = 0, last = INFINITY;
  int passes = 0;
  *change = 0;
  if (c->rubbing) mb_dry_patience(sim, &tolerance, &passes);
  MbContactResult result = solve_close(c, &closer, pivots);
  for (int pass = 0; c->rubbing; pass++) {
    if (result == MB_CONTACT_MEMORY || result == MB_CONTACT_REFUSED) return result;
    if (!mb_dry_pass(sim, v, change)) {
      c->delassus.unsolved = true;
      return result;
    }
    if (mb_dry_ends(sim, *change, last, tolerance)) *change = 0;
    if (*change == 0 || pass >= passes) break;
    mb_dry_again(sim, last = *change);
    come_closer(&closer, *change);
    result = solve_close(c, &closer, pivots);
  }
  return result;
}

static MbContactProblem problem_of_touches(const MbFinding *f, Sizes sizes) {
  const MbConstraining *c = f->sim->constraining;
  MbContactProblem problem = problem_of(c, f->W, f->how.tolerance, sizes);
  problem.contact = c->cone, problem.ncontacts = c->ntouches;
  problem.most = c->most;
  problem.start = c->from, problem.betters = true;
  problem.iterations = f->how.iterations, problem.function = f->how.function;
  problem.threads = f->sim->threads;
  return problem;
}

// Whether what is left of the solution is no more than the rounding of what the rows ask for.
static bool is_rounding(const MbConstraining *c, double norm) {
  double slack = 0;
  for (size_t i = 0; i < c->n; i++) slack += c->slack[i] * c->slack[i];
  const double left = c->answer.natural * norm;
  return left * left <= slack;
}

// What is left of the solution, of what the rows ask for. Where little but rounding is asked for, as before the first contact closes, a share of that says
// nothing: what is left is what is asked for.
static double left_of(const MbConstraining *c, Sizes sizes, double asked) {
  const double left = sizes.size > ROUNDING * sizes.norm ? c->answer.natural * sizes.norm / sizes.size : 0;
  return left > asked && is_rounding(c, sizes.norm) ? asked : left;
}

// Whether what pushes holds as it did in the last step, which one system tells: by the method that may choose how it solves.
static bool find_sticking(MbFinding *f, const MbContactProblem *problem) {
  MbConstraining *c = f->sim->constraining;
  if (c->touch_method != &mb_contact_auto || c->rubbing || f->how.pivots) return false;
  f->change = 0;
  memcpy(c->aimed, c->b, c->n * sizeof *c->aimed);
  return mb_sticking_solve(&c->work, problem, &c->answer);
}

// Whether ½ λᵀ W λ + bᵀ λ is above 0, as λ = 0 has it: energy is added.
static bool is_worse_than_none(const MbConstraining *c) {
  double sum = 0;
  for (size_t i = 0; i < c->n; i++) sum += c->answer.lambda[i] * (c->b[i] + c->answer.w[i]);
  return sum > 0;
}

// By the scene's method, from the last step's impulses. Few sweeps from impulses that have stopped something in the last step may leave more energy than
// they found: then they begin from none.
static void find_by_method(MbFinding *f, MbContactProblem *problem) {
  MbConstraining *c = f->sim->constraining;
  f->result = MB_CONTACT_MEMORY;
  if (!mb_contact_reserve(&c->work, c->touch_method, problem)) return;
  f->result = solve_passes(f->sim, problem, f->how.pivots, f->v, &f->change);
  if (!f->how.few || f->result != MB_CONTACT_NOT_CONVERGED || !is_worse_than_none(c)) return;
  const size_t before = c->answer.iterations;
  problem->start = NULL;
  f->result = solve_passes(f->sim, problem, f->how.pivots, f->v, &f->change);
  c->answer.iterations += before;
}

static bool find(void *context) {
  MbFinding *f = context;
  MbConstraining *c = f->sim->constraining;
  const Sizes sizes = sizes_of(c);
  MbContactProblem problem = problem_of_touches(f, sizes);
  if (f->how.pivots) find_own(c, &problem);
  if (find_sticking(f, &problem))
    f->result = MB_CONTACT_SOLVED;
  else
    find_by_method(f, &problem);
  f->left = left_of(c, sizes, f->how.asked);
  return f->result != MB_CONTACT_MEMORY && f->result != MB_CONTACT_REFUSED && isfinite(f->change);
}

// What places at a step's end tell to rounding alone is not asked for more exactly: where several links hold a thing, they would be at odds.
static void round_off(const MbSim *sim, MbPushing *how) {
  const double size = size_of(sim->constraining);
  if (!sim->touching || !sim->touching->carried.iterates || !(size > 0)) return;
  const double least = fmin(sim->touching->carried.rounding / size, FAR);
  how->tolerance = fmax(how->tolerance, least), how->asked = fmax(how->asked, least);
}

// To who wants to see it.
static void show(const MbFinding *f) {
  const MbTouchWatch *watch = f->sim->touching ? &f->sim->touching->watch : NULL;
  if (!watch || !watch->see) return;
  const MbContactProblem problem = problem_of_touches(f, sizes_of(f->sim->constraining));
  watch->see(watch->context, &problem);
}

void mb_touch_show(MbSim *sim, const MbContactOperator *W) {
  const MbFinding f = {.sim = sim, .W = W, .how = pushing_of(sim)};
  show(&f);
}

// Tells which two would still come nearer fastest by the best forces that were found, or nothing.
static void tell_worst(const MbSim *sim, bool apart, char *text, size_t room) {
  static const double LITTLE = 1e-3; // of what contacts ask for: what is less than that is none
  const MbConstraining *c = sim->constraining;
  const MbTouch *worst = NULL;
  double size = 0;
  for (size_t i = 0; i < c->ntouches; i++) size = fmax(size, fabs(c->b[c->cone[i].row]));
  double rate = -LITTLE * size;
  for (size_t i = 0; i < c->ntouches; i++) {
    const size_t row = c->cone[i].row;
    if (!(c->answer.w[row] < rate)) continue;
    rate = c->answer.w[row], worst = &sim->touching->now.touch[apart ? i : c->set.is[c->slot[row]].key];
  }
  *text = '\0';
  if (worst)
    snprintf(text, room,
             ": \"%s\" and \"%s\" would still come nearer by %.3g m/s (which no step mends where they are "
             "driven, or held, against one another)",
             mb_touch_name(sim, worst->a), mb_touch_name(sim, worst->b), -rate);
}

// Says that a step's contacts have no forces that were found, and what would still come nearer.
static MbStatus tell_failure(const MbFinding *f, bool apart, double t, MbReport *report) {
  const MbSim *sim = f->sim;
  const MbConstraining *c = sim->constraining;
  char worst[640] = ""; // two names are up to 400
  if (f->result == MB_CONTACT_NOT_CONVERGED) tell_worst(sim, apart, worst, sizeof worst);
  return mb_error(report, MB_NUMBERS, "",
                  "at t = %.9g s, step %lld: no forces were found that satisfy %zu contacts%s and what "
                  "else holds: %s%s: %s",
                  t, (long long)sim->state.step + 1, c->ntouches, c->ndry ? ", dry friction" : "",
                  c->answer.why, worst, advice(sim));
}

MbStatus mb_touch_find(MbSim *sim, const MbContactOperator *W, double t, const double *v,
                       MbReboundRates *rates, bool apart, MbReport *report) {
  MbConstraining *c = sim->constraining;
  MbFinding f = {.sim = sim, .W = W, .v = v, .how = pushing_of(sim), .solve = find};
  const MbReboundSolver again = {.solve = find, .context = &f};
  c->gives = 0;
  round_off(sim, &f.how);
  show(&f);
  if (mb_touch_settle(&f) &&
      !mb_rebound_settle(sim, W, v, rates, f.how.few || f.result == MB_CONTACT_SOLVED, &again))
    f.result = MB_CONTACT_MEMORY;
  if (f.result == MB_CONTACT_MEMORY) return mb_no_memory(report, "contact");
  const bool failed =
      !isfinite(f.change) || (f.result == MB_CONTACT_NOT_CONVERGED && !(f.left < (f.how.few ? ANY : FAR)));
  if (f.result == MB_CONTACT_REFUSED || failed) return tell_failure(&f, apart, t, report);
  tell(c, &f.how, f.change > 0 ? MB_CONTACT_NOT_CONVERGED : f.result, fmax(f.left, f.change));
  if (!f.how.few) tell_carried(sim);
  return c->delassus.unsolved ? mb_sim_unsolved(sim, report) : MB_OK;
}

// Nothing bounces, nothing rubs inside a joint, nobody wants to see the problem, and the scene asks for a method that is theirs.
static bool is_for_others(const MbSim *sim) {
  const MbConstraining *c = sim->constraining;
  if (!sim->touching || sim->touching->watch.see || c->rubbing || c->rebounds.any) return false;
  if (sim->touching->carried.iterates || c->kept) return false;
  return c->touch_method == &mb_contact_auto || c->touch_method == &mb_contact_nonsmooth_newton;
}

bool mb_touch_find_elsewhere(MbSim *sim, const MbContactElsewhere *elsewhere) {
  MbConstraining *c = sim->constraining;
  const MbContactOperator W = {.points = &c->delassus.points};
  const MbFinding f = {.sim = sim, .W = &W, .how = pushing_of(sim)};
  if (!is_for_others(sim) || f.how.pivots) return false;
  const Sizes sizes = sizes_of(c);
  const MbContactProblem problem = problem_of_touches(&f, sizes);
  const MbContactResult result = elsewhere->solve(elsewhere->context, &problem, &c->answer);
  const double left = left_of(c, sizes, f.how.asked);
  if (result == MB_CONTACT_NOT_CONVERGED && !(f.how.few && left < ANY)) {
    memcpy(c->from, c->answer.lambda, c->n * sizeof *c->from);
    return false;
  }
  if (result == MB_CONTACT_REFUSED) return false;
  c->gives = 0;
  tell(c, &f.how, result, left);
  return true;
}

bool mb_touch_tell_few(MbSim *sim, double left, double tolerance, size_t sweeps) {
  MbConstraining *c = sim->constraining;
  if (!(left < ANY)) return false;
  c->ntouches = sim->touching->now.n;
  c->answer.iterations = sweeps;
  tell(c, &(MbPushing){0}, left <= tolerance ? MB_CONTACT_SOLVED : MB_CONTACT_NOT_CONVERGED, left);
  return true;
}

MbStatus mb_touch_find_parting(MbSim *sim, const MbContactOperator *W, double t, MbReport *report) {
  enum { SWEEPS = 300 };
  MbConstraining *c = sim->constraining;
  const MbContacts *rules = sim->touching->rules;
  const size_t asked = (size_t)rules->iterations;
  MbContactProblem problem = problem_of(c, W, mb_touch_exact(rules) ? rules->tolerance : PARTED, sizes_of(c));
  if (!mb_touch_exact(rules)) {
    problem.sweeps = true, problem.tolerance = PARTED;
    problem.iterations = asked < SWEEPS ? asked : SWEEPS;
  }
  if (!mb_contact_reserve(&c->work, &mb_contact_auto, &problem)) return mb_no_memory(report, "contact");
  const MbContactResult result = mb_contact_solve(&mb_contact_auto, &c->work, &problem, &c->answer);
  if (result == MB_CONTACT_MEMORY) return mb_no_memory(report, "contact");
  if (result == MB_CONTACT_REFUSED || !isfinite(c->answer.natural))
    return mb_error(report, MB_NUMBERS, "",
                    "at t = %.9g s, step %lld: no way was found to part what is deep in one another: %s", t,
                    (long long)sim->state.step + 1, c->answer.why);
  return c->delassus.unsolved ? mb_sim_unsolved(sim, report) : MB_OK;
}
