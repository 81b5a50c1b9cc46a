// Steps of one solution under `implicit` take f + D (v⁺ − v) + h K v⁺ for the forces at their end. Of what is stiff and turns the two may be far
// apart without a sign of it: the motion is smooth and stable, and too slow (forces/element_turn.c, path_turn.c mend that of elements, springs and
// muscles alone). One step in EVERY is looked at. The step's own forces would do h v⁺ᵀ F(q⁺, v⁺), and the linearised ones do
// h v⁺ᵀ (f + D (v⁺ − v) + h K v⁺): what they do less, times EVERY, is summed up over the run, and where the sum is more than a share of the
// largest kinetic energy that has been seen and of all work |h v⁺ᵀ F| so far, that is told, once, unless the energy of a scene that nothing drives has
// not fallen by half of it: what else a scheme adds may make up for it, as velocity terms of a chain that whips. What turns and is stiff does hardly any work. What
// linearised forces do more makes energy grow, which energy_watch.c tells. Gravity and velocity terms, which nobody linearises, are left out, and
// signals stay what they were in the step.
#include "core/sim/linear_watch.h"
#include "core/base/report.h"
#include "core/sim/energy_watch.h"
#include "core/sim/evaluate.h"

#include <math.h>

static const double SHARE = 0.1; // of the largest kinetic energy and the work
enum { EVERY = 64, FIRST = 4 };  // steps
enum { LEAST = 2 };              // looks, before anything is told

static bool looks(const MbSim *sim) {
  return sim->linear.force && sim->state.step % EVERY == FIRST &&
         mb_section(sim, MB_SECTION_LINEAR)[MB_LINEAR_TOLD] == 0;
}

void mb_linear_begin(MbSim *sim) {
  sim->linear.due = looks(sim);
  if (!sim->linear.due) return;
  mb_sim_signals(sim, sim->state.t);
  mb_sim_outer_blocks(sim, sim->state.t);
  mb_sim_gather(sim, sim->state.q, sim->state.v, sim->linear.force);
}

static double power(const MbSim *sim, const double *f, const double *v) {
  double sum = 0;
  for (size_t i = 0; i < sim->nv; i++) sum += f[i] * v[i];
  return sum;
}

void mb_linear_solved(MbSim *sim, const double *v1) {
  if (!sim->linear.due) return;
  double *f = sim->linear.force;
  mb_sim_add_blocks(sim, -1, 0, sim->state.v, f);
  mb_sim_add_blocks(sim, 1, sim->model->h, v1, f);
  sim->linear.power = power(sim, f, v1);
  sim->solver->momentum(sim->work, v1, f);
  sim->linear.kinetic = power(sim, f, v1) / 2;
}

void mb_linear_step(MbSim *sim, MbReport *report) {
  if (!sim->linear.due) return;
  double *memory = mb_section(sim, MB_SECTION_LINEAR), *f = sim->linear.force;
  const double *v = sim->state.v;
  sim->linear.due = false;
  mb_sim_outer_wrenches(sim, sim->state.t);
  mb_sim_gather(sim, sim->state.q, v, f);
  const double true_power = power(sim, f, v), seconds = EVERY * sim->model->h;
  memory[MB_LINEAR_TAKEN] += seconds * (true_power - sim->linear.power);
  memory[MB_LINEAR_WORK] += seconds * fabs(true_power);
  memory[MB_LINEAR_MOST] = fmax(memory[MB_LINEAR_MOST], sim->linear.kinetic);
  memory[MB_LINEAR_LOOKS]++;
  const double taken = memory[MB_LINEAR_TAKEN], most = memory[MB_LINEAR_MOST];
  if (memory[MB_LINEAR_LOOKS] < LEAST || !(taken > SHARE * (most + memory[MB_LINEAR_WORK]))) return;
  if (mb_watch_denies(sim, taken)) return;
  memory[MB_LINEAR_TOLD] = 1;
  mb_warning(report, "",
             "at t = %.9g s, step %lld: forces that \"implicit\" linearises where a step begins have taken "
             "some %.2g J from the motion, "
             "%.2g times the most that it had, as what is stiff turns within a step: take \"bdf1\" or "
             "\"bdf2\", for deformables "
             "solver \"projective\" with method \"newton\", or a smaller step",
             sim->state.t, (long long)sim->state.step, taken, taken / most);
}
