// Inputs: signals of the scene that are given values from outside while a simulation runs, by a controller in a loop. A value holds
// from the next step on, at all of its instants, until another is given. What is given is part of the state.
#include "core/base/report.h"
#include "core/sim/energy_watch.h"
#include "core/sim/evaluate.h"
#include "core/sim/schemes.h"

#include <string.h>

MbStatus mb_model_input(const MbModel *model, const char *where, size_t *input, MbReport *report) {
  for (size_t i = 0; i < model->ninputs; i++)
    if (!strcmp(model->input_names[i], where)) {
      *input = i;
      return MB_OK;
    }
  const char *near = mb_nearest_word(where, model->input_names);
  if (near)
    return mb_error(report, MB_USAGE, "", "the scene has no input \"%s\"; did you mean \"%s\"?", where, near);
  return mb_error(report, MB_USAGE, "", "the scene has no input \"%s\"; it has %zu%s%s%s", where,
                  model->ninputs, model->ninputs ? ", the first is \"" : "",
                  model->ninputs ? model->input_names[0] : "", model->ninputs ? "\"" : "");
}

MbStatus mb_sim_set_input(MbSim *sim, size_t input, double value, MbReport *report) {
  const MbModel *model = sim->model;
  if (input >= model->ninputs)
    return mb_error(report, MB_USAGE, "", "there is no input %zu: the scene has %zu", input, model->ninputs);
  if (!isfinite(value))
    return mb_error(report, MB_USAGE, model->input_names[input],
                    "the input was given %g, wanted a finite number", mb_plain(value));
  double *given = &sim->input[model->input[input]];
  if (*given == value) return MB_OK;
  *given = value;
  mb_sim_hold_signals(sim);
  mb_watch_give_up(sim);
  if (sim->scheme->restart) sim->scheme->restart(sim); // what lies ahead of the state knew nothing of it
  return MB_OK;
}

double mb_sim_input(const MbSim *sim, size_t input) {
  return input < sim->model->ninputs ? mb_sim_signal(sim, sim->model->input[input], sim->state.t) : NAN;
}
