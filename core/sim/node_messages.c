// Whether a step's solution of the deformables' equations is one to go on with, and what is told of it.
#include "core/base/report.h"
#include "core/math/vec3.h"
#include "core/sim/nodes.h"

#include <stdio.h>
#include <stdlib.h>

static const double FASTEST = 1e12, FARTHEST = 1e15; // as of bodies

static MbStatus check_nodes(const MbSim *sim, double t, MbReport *report) {
  const MbNodes *nodes = sim->nodes;
  for (size_t i = 0; i < sim->model->ndeformables; i++) {
    const MbDeformable *of = &sim->model->deformables[i];
    for (size_t k = 0; k < of->count; k++) {
      const double *q = nodes->q1 + 3 * (of->first + k), *v = nodes->v1 + 3 * (of->first + k);
      bool sound = true;
      for (int c = 0; c < 3; c++) sound &= fabs(q[c]) < FARTHEST && fabs(v[c]) < FASTEST;
      if (!sound)
        return mb_error(report, MB_NUMBERS, "",
                        "at t = %.9g s, step %lld: node %zu of \"%s\" has grown beyond all bounds (speed "
                        "%.3g m/s)",
                        t, (long long)sim->state.step + 1, k, of->name, mb_plain(mb_vec3_norm(v)));
    }
  }
  return MB_OK;
}

// Of quasi-Newton steps, whose corrections rise and fall: the largest of the last three, and ρ as a mean over the last five.
static double estimate_left(const double *history, int n) {
  static const double SLOWEST = 0.95;
  const int back = n > 5 ? 5 : n - 1;
  double largest = 0;
  for (int k = n > 3 ? n - 3 : 0; k < n; k++) largest = fmax(largest, history[k]);
  if (back < 1 || !(history[n - 1 - back] > 0)) return largest;
  const double rate = fmin(pow(history[n - 1] / history[n - 1 - back], 1.0 / back), SLOWEST);
  return largest * rate / (1 - rate);
}

// How far the nodes still are from the step's solution by estimate, by the size of the largest deformable: corrections that shrink by ρ an
// iteration come to residual · ρ/(1 − ρ) yet. What does not shrink has far to go.
double mb_nodes_left(const MbSim *sim) {
  static const double SLOWEST = 0.999;
  const MbNodes *nodes = sim->nodes;
  const int n = nodes->stats.iterations;
  static const double DONE = 1e-12; // by the tolerance, or by Newton's method
  const double *history = sim->solver->passes->history(sim->work), residual = nodes->stats.residual;
  if (residual <= DONE || (nodes->stats.converged && !(nodes->plan.share > 0))) return 0;
  if (nodes->plan.share > 0 && n > 0) return estimate_left(history, n);
  if (n < 2 || !(history[n - 2] > 0)) return residual;
  const double rate = fmin(history[n - 1] / history[n - 2], SLOWEST);
  return residual * rate / (1 - rate);
}

// MB_NODES_TOLD: that a step has missed what was wanted; that one has ended far from its solution.
enum { NEAR = 1, AWAY };

// Told once, when a step has not come to the energy that was wanted.
static void warn_missed(MbSim *sim, double t, MbReport *report) {
  const MbNodes *nodes = sim->nodes;
  double *numbers = mb_section(sim, MB_SECTION_SOLUTION);
  if (numbers[MB_NODES_TOLD] != 0) return;
  numbers[MB_NODES_TOLD] = NEAR;
  mb_warning(
      report, "",
      "at t = %.9g s, step %lld: %d iterations do not bring the step's energy to %.3g of what they take off "
      "it "
      "(the last correction of a node was %.2g of the largest deformable's size): allow more \"iterations\", "
      "take a smaller step or method \"newton\"; the run goes on, and counts such steps",
      t, (long long)sim->state.step + 1, nodes->stats.iterations, nodes->plan.share, nodes->stats.residual);
}

// What goes to the end, as Newton's method does, is to come to where energies cannot tell steps apart, where nobody says how far. Where contacts
// come and go from one iteration to the next it may stay farther off, which is a miss and no failure as long as it is little.
static const double LOOSE = 1e-9, MUCH = 1e-5;

static bool is_unasked(const MbNodes *nodes) { return nodes->plan.to_end && !(nodes->plan.tolerance > 0); }

bool mb_nodes_missed(const MbNodes *nodes) {
  if (nodes->plan.share > 0) return !nodes->stats.converged;
  return is_unasked(nodes) && nodes->stats.residual > LOOSE;
}

// Told once, of the first step that does not come to where energies cannot tell steps apart.
static void warn_loose(MbSim *sim, double t, MbReport *report) {
  const MbNodes *nodes = sim->nodes;
  double *numbers = mb_section(sim, MB_SECTION_SOLUTION);
  if (numbers[MB_NODES_TOLD] != 0) return;
  numbers[MB_NODES_TOLD] = NEAR;
  mb_warning(report, "",
             "at t = %.9g s, step %lld: the deformables' equations are solved to %.3g of their size after %d "
             "iterations, not to %.3g: allow more \"iterations\" or take a smaller step; the run goes on, "
             "and counts such steps",
             t, (long long)sim->state.step + 1, nodes->stats.residual, nodes->stats.iterations, LOOSE);
}

// Told once, when a step ends far from its solution: the run goes on, with what it has.
static void warn_left(MbSim *sim, double t, MbReport *report) {
  static const double FAR = 1e-3;
  const MbNodes *nodes = sim->nodes;
  double *numbers = mb_section(sim, MB_SECTION_SOLUTION);
  const double left = mb_nodes_left(sim);
  if (!(left > FAR) || numbers[MB_NODES_TOLD] == AWAY) return;
  numbers[MB_NODES_TOLD] = AWAY;
  mb_warning(
      report, "",
      "at t = %.9g s, step %lld: after %d iterations nodes are about %.2g of the largest deformable's size "
      "from where the step's equations want them (the last correction was %.2g): allow more \"iterations\", "
      "take a smaller step or method \"newton\"; until then what moves is too slow",
      t, (long long)sim->state.step + 1, nodes->stats.iterations, left, nodes->stats.residual);
}

// The residual with as many digits as it takes to be above what was wanted.
static void write_residual(double residual, double wanted, char out[40]) {
  for (int digits = 3; digits <= 17; digits++) {
    snprintf(out, 40, "%.*g", digits, residual);
    if (strtod(out, NULL) > wanted) return;
  }
}

MbStatus mb_nodes_fault(const MbSim *sim, double t, MbReport *report) {
  const MbPassOps *passes = sim->solver->passes;
  const char *fault = passes && passes->fault ? passes->fault(sim->work) : NULL;
  if (!fault) return MB_OK;
  return mb_error(report, MB_DEVICE, "", "at t = %.9g s, step %lld: %s", t, (long long)sim->state.step + 1,
                  fault);
}

// Whether the solution at the end of a step is one to go on with.
MbStatus mb_nodes_judge(MbSim *sim, bool fine, double t, MbReport *report) {
  MbNodes *nodes = sim->nodes;
  const MbPassOps *passes = sim->solver->passes;
  nodes->stats = passes->stats(sim->work);
  const MbStatus stopped = fine ? MB_OK : mb_nodes_fault(sim, t, report);
  if (stopped != MB_OK) return stopped;
  if (!fine)
    return mb_error(
        report, MB_NUMBERS, "",
        "at t = %.9g s, step %lld: the deformables' equations give numbers that are not finite, in "
        "iteration %d: take a smaller step",
        t, (long long)sim->state.step + 1, nodes->stats.iterations);
  const double wanted = nodes->plan.tolerance > 0 ? nodes->plan.tolerance
                        : is_unasked(nodes)       ? LOOSE
                                                  : INFINITY;
  const bool stuck =
      nodes->stats.iterations < nodes->plan.iterations; // Newton's line search has found nothing
  if (nodes->stats.residual > (is_unasked(nodes) ? MUCH : wanted)) {
    char residual[40];
    write_residual(nodes->stats.residual, wanted, residual);
    return mb_error(
        report, MB_NUMBERS, "",
        "at t = %.9g s, step %lld: the deformables' equations are solved to %s of their size after %d "
        "iterations, not to %.12g: %s a smaller step",
        t, (long long)sim->state.step + 1, residual, nodes->stats.iterations, wanted,
        stuck ? "no step takes the energy further down: take" : "allow more \"iterations\" or take");
  }
  const MbStatus status = nodes->unseen ? MB_OK : check_nodes(sim, t, report);
  if (status != MB_OK) return status;
  if (nodes->plan.share > 0 && mb_nodes_missed(nodes)) warn_missed(sim, t, report);
  if (!(nodes->plan.share > 0) && mb_nodes_missed(nodes)) warn_loose(sim, t, report);
  if (!(nodes->plan.share > 0)) warn_left(sim, t, report);
  return status;
}
