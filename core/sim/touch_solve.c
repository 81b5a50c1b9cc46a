// How problems of contacts are solved in a step: to what share of what they ask for, by which method, and what is told of it.
#include "core/sim/touch_solve.h"
#include "core/base/report.h"
#include "core/contact/gauss_seidel.h"
#include "core/sim/touch.h"
#include "core/sim/trouble.h"

static const double FAR = 1e-3, ANY = 10, // of |b|: no solution; not even where a few sweeps are asked for
    PARTED = 1e-3; // of depths: near enough to none, as what is left is the next step's

// What the rows ask for that a contact's force can be there for: of normals that come nearer only. Where something is far away, or goes
// away, b is large and says nothing of how good a solution is.
static double size_of(const MbConstraining *c) {
  double sum = 0;
  for (size_t i = 0; i < c->n; i++) {
    const double b =
        c->kind[i] == MB_CONTACT_NORMAL || c->kind[i] == MB_CONTACT_ONE_WAY ? fmin(c->b[i], 0) : c->b[i];
    sum += b * b;
  }
  return sqrt(sum);
}

static double norm_of(const MbConstraining *c) {
  double sum = 0;
  for (size_t i = 0; i < c->n; i++) sum += c->b[i] * c->b[i];
  return sqrt(sum);
}

// The problem of the rows taken, solved until no more is left than a share of what they ask for.
static MbContactProblem problem_of(const MbConstraining *c, const MbContactOperator *W, double share) {
  const double norm = norm_of(c);
  return (MbContactProblem){.n = c->n,
                            .W = *W,
                            .b = c->b,
                            .kind = c->kind,
                            .soft = c->soft,
                            .slack = c->slack,
                            .least = c->least,
                            .tolerance = norm > 0 ? fmax(share * size_of(c) / norm, 1e-15) : 0};
}

MbStatus mb_touch_find(MbSim *sim, const MbContactOperator *W, double t, MbReport *report) {
  MbConstraining *c = sim->constraining;
  MbTouchTold *told = &sim->touching->told;
  const MbContacts *rules = sim->touching->rules;
  const double norm = norm_of(c), size = size_of(c);
  MbContactProblem problem = problem_of(c, W, rules->tolerance);
  problem.contact = c->cone, problem.ncontacts = c->ntouches;
  problem.start = c->from, problem.betters = true;
  problem.iterations = (size_t)rules->iterations, problem.function = (MbContactFunction)rules->function;
  problem.threads = sim->threads;
  if (!mb_contact_reserve(&c->work, c->touch_method, &problem)) return mb_no_memory(report, "contact");
  const MbTouchWatch *watch = &sim->touching->watch;
  if (watch->see) watch->see(watch->context, &problem);
  const bool pivots = rules->cone == MB_PYRAMID_CONE || rules->method == MB_CONTACT_BY_PIVOTING;
  MbContactResult result = MB_CONTACT_NOT_CONVERGED;
  // pivots need a W that is definite, and a box on the ground has more corners than ways to move: a little goes on its diagonal, and
  // more where that does not do
  for (double gives = 1e-10; result == MB_CONTACT_NOT_CONVERGED && gives < 1e-4; gives *= 7) {
    for (size_t i = 0; i < c->n && pivots; i++) c->soft[i] += gives * c->all[i];
    result = mb_contact_solve(c->touch_method, &c->work, &problem, &c->answer);
    if (!pivots) break;
  }
  if (result == MB_CONTACT_MEMORY) return mb_no_memory(report, "contact");
  const double left = size > 0 ? c->answer.natural * norm / size : 0;
  told->most = c->ntouches > told->most ? c->ntouches : told->most;
  // who asks for a few sweeps, a fixed cost a step, takes what they come to, and is told how good that is
  const bool failed = result == MB_CONTACT_NOT_CONVERGED && !(left < (mb_touch_few(rules) ? ANY : FAR));
  if (result == MB_CONTACT_REFUSED || failed)
    return mb_error(
        report, MB_NUMBERS, "",
        "at t = %.9g s, step %lld: no forces were found that satisfy %zu contacts and what else holds: %s", t,
        (long long)sim->state.step + 1, c->ntouches, c->answer.why);
  told->iterations += (int64_t)c->answer.iterations;
  told->missed += result == MB_CONTACT_NOT_CONVERGED;
  told->worst = fmax(told->worst, left);
  return c->delassus.unsolved ? mb_sim_unsolved(sim, report) : MB_OK;
}

MbStatus mb_touch_find_parting(MbSim *sim, const MbContactOperator *W, double t, MbReport *report) {
  enum { SWEEPS = 300, FEW = 30, MANY = 200 };
  MbConstraining *c = sim->constraining;
  const size_t sweeps = sim->touching->now.n > MANY ? FEW : SWEEPS,
               asked = (size_t)sim->touching->rules->iterations;
  MbContactProblem problem = problem_of(c, W, PARTED);
  problem.iterations = asked < sweeps ? asked : sweeps;
  if (!mb_contact_reserve(&c->work, &mb_contact_gauss_seidel, &problem))
    return mb_no_memory(report, "contact");
  const MbContactResult result = mb_contact_solve(&mb_contact_gauss_seidel, &c->work, &problem, &c->answer);
  if (result == MB_CONTACT_MEMORY) return mb_no_memory(report, "contact");
  if (result == MB_CONTACT_REFUSED || !isfinite(c->answer.natural))
    return mb_error(report, MB_NUMBERS, "",
                    "at t = %.9g s, step %lld: no way was found to part what is deep in one another: %s", t,
                    (long long)sim->state.step + 1, c->answer.why);
  return c->delassus.unsolved ? mb_sim_unsolved(sim, report) : MB_OK;
}
