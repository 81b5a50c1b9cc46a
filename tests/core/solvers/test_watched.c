// The watched seam of solvers: calls in an order that has no meaning end the program, those of steps do not, nor do they change them.
#include "core/solvers/watched.h"
#include "tests/runs.h"

#include <signal.h>

static const char *const SPRUNG[] = {"/integrator=\"implicit\"", NULL};

Test(watched, steps_are_the_same_with_the_seam_watched_and_without) {
  static const char *const scenes[] = {"tree",    "gears_reduced",     "net",
                                       "04-loop", "free/frame_spring", "maximal/attachments"};
  for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
    static double bodies[2][18 * 2000];
    size_t n = 0;
    for (int on = 0; on < 2; on++) {
      mb_watch_solvers = on;
      TestRun run = test_run(scenes[i], NULL);
      test_steps(run.sim, 5);
      n = test_bodies(run.sim, bodies[on], sizeof bodies[on] / sizeof *bodies[on]);
      test_run_free(&run);
    }
    cr_expect_eq(test_distance(bodies[0], bodies[1], n), 0, "%s", scenes[i]);
  }
}

Test(watched, a_solution_without_a_factor_is_caught, .signal = SIGABRT) {
  TestRun run = test_run("tree", SPRUNG);
  const MbSolverOps *solver = run.sim->solver;
  MbSolverWork *work = solver->create(run.model, 1);
  solver->kinematics(work, run.sim->state.q, run.sim->state.v, &run.sim->x, 0, run.model->nb);
  solver->apply(work, run.sim->r, NULL, NULL);
}

Test(watched, products_before_any_kinematics_are_caught, .signal = SIGABRT) {
  TestRun run = test_run("tree", SPRUNG);
  const MbSolverOps *solver = run.sim->solver;
  MbSolverWork *work = solver->create(run.model, 1);
  solver->gather(work, run.sim->x.f, run.sim->r);
}

Test(watched, rows_that_are_solved_for_with_the_factor_of_another_place_are_caught, .signal = SIGABRT) {
  TestRun run = test_run("tree", SPRUNG);
  const MbSim *sim = run.sim;
  MbRow row = {.body = {0, MB_WORLD}, .H = {{0, 1, 0, 0, 0, 0}}};
  const MbRow *rows[] = {&row};
  double W = 0;
  size_t blame = 0;
  cr_assert(sim->solver->reserve(sim->work, 1));
  cr_assert(sim->solver->factor(sim->work, &sim->x, 0, 0, false, &blame));
  sim->solver->carry(sim->work, 0, row.H[0], row.seen[0], sim->r);
  cr_assert(sim->solver->responses(sim->work, 1, rows, &W));
  run.sim->state.q[0] += 0.1;
  mb_sim_kinematics(run.sim, sim->state.q, sim->state.v);
  sim->solver->responses(sim->work, 1, rows, &W);
}

Test(watched, rows_that_were_carried_at_another_place_are_caught, .signal = SIGABRT) {
  TestRun run = test_run("tree", SPRUNG);
  const MbSim *sim = run.sim;
  MbRow row = {.body = {0, MB_WORLD}, .H = {{0, 1, 0, 0, 0, 0}}};
  const MbRow *rows[] = {&row};
  double W = 0;
  size_t blame = 0;
  cr_assert(sim->solver->reserve(sim->work, 1));
  sim->solver->carry(sim->work, 0, row.H[0], row.seen[0], sim->r);
  run.sim->state.q[0] += 0.1;
  mb_sim_kinematics(run.sim, sim->state.q, sim->state.v);
  cr_assert(sim->solver->factor(sim->work, &sim->x, 0, 0, false, &blame));
  sim->solver->responses(sim->work, 1, rows, &W);
}

Test(watched, a_body_that_there_is_not_is_caught, .signal = SIGABRT) {
  TestRun run = test_run("tree", SPRUNG);
  run.sim->solver->carry(run.sim->work, run.model->nb, (double[6]){0}, NULL, run.sim->r);
}
